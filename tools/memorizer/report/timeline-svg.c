// SPDX-License-Identifier: GPL-2.0
/* Draws time spans as SVG: panels of live bytes and rates, one above the other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/timeline.h"

#define WIDTH		1000
#define LEFT		90		/* left margin of the panels */
#define RIGHT		24
#define TOP		86		/* title and marks */
#define PANEL		170		/* height of a panel */
#define GAP		48		/* space between panels */
#define BOTTOM		46		/* bottom margin: the time axis */
#define PANELS		3
#define HEIGHT		(TOP + PANELS * PANEL + (PANELS - 1) * GAP + BOTTOM)
#define PLOT		(WIDTH - LEFT - RIGHT)
#define TICKS		5		/* approximate number of ticks per axis */
#define MARK_TEXT	28		/* visible characters of a mark */
#define MARK_ROWS	3		/* rows for the texts of marks, used in turn */

/* A curve of a panel. */
struct curve {
	enum timeline_metric metric;
	const char *label, *colour;
	bool filled;
};

/**
 * struct panel - a panel
 * @title: its title
 * @bytes: the unit is bytes
 * @curves: its curves, from the lowest one
 * @group: group whose peak is marked; TRACKER_GROUPS: none
 */
struct panel {
	const char *title;
	bool bytes;
	struct curve curves[2];
	enum tracker_group group;
};

static const struct panel panels[PANELS] = {
	{ "Slab allocator: bytes live", true, {
		{ TIMELINE_LIVE + TRACKER_SLAB, "live", "#2a6f97", true },
		{ TIMELINE_PEAK + TRACKER_SLAB, "most in the span", "#89a7bd", false },
	}, TRACKER_SLAB },
	{ "Pages: bytes live", true, {
		{ TIMELINE_LIVE + TRACKER_PAGES, "live", "#5a7d2a", true },
		{ TIMELINE_PEAK + TRACKER_PAGES, "most in the span", "#a8b992", false },
	}, TRACKER_PAGES },
	{ "Allocations and frees per second", false, {
		{ TIMELINE_ALLOC_RATE, "allocations", "#b5532a", false },
		{ TIMELINE_FREE_RATE, "frees", "#7a6c9d", false },
	}, TRACKER_GROUPS },
};

/* An axis from 0 to a round number. */
struct scale {
	double step, unit;	/* distance of ticks; factor of their numbers */
	int ticks;
	const char *name;	/* of the unit */
};

/* Text in SVG; unprintable and non-ASCII characters are escaped as in a KMAP. */
static void put_text(FILE *f, const char *text, size_t most)
{
	for (; *text && most; text++, most--) {
		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '>')
			fputs("&gt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else if (*text >= ' ' && *text <= '~')
			fputc(*text, f);
		else
			fprintf(f, "\\x%02x", (unsigned char)*text);
	}
	if (*text)
		fputs("..", f);
}

/* Round up to 1, 2, 5 or 10 times a power of ten. */
static double round_up(double step)
{
	double power = 1;

	while (power * 10 <= step)
		power *= 10;
	while (power > step)
		power /= 10;
	if (step <= power)
		return power;
	if (step <= 2 * power)
		return 2 * power;
	return step <= 5 * power ? 5 * power : 10 * power;
}

static struct scale make_scale(u64 most, bool bytes)
{
	static const char * const names[2][5] = {
		{ "", "k", "M", "G", "T" }, { "B", "KiB", "MiB", "GiB", "TiB" },
	};
	struct scale s = { .unit = 1, .name = names[bytes][0] };
	int i, factor = bytes ? 1024 : 1000;

	if (!most)
		most = 1;
	for (i = 1; i < 5 && most >= factor * s.unit; i++) {
		s.unit *= factor;
		s.name = names[bytes][i];
	}
	s.step = round_up(most / s.unit / TICKS) * s.unit;
	if (s.step < 1)
		s.step = 1;
	for (s.ticks = 1; s.ticks * s.step < most; )
		s.ticks++;
	return s;
}

static double x_of(const struct timeline *t, u64 time)
{
	u64 length = t->end - t->begin;

	return LEFT + (length ? (double)PLOT * (time - t->begin) / length : 0);
}

static double y_of(const struct scale *s, int top, double value)
{
	return top + PANEL - PANEL * value / (s->step * s->ticks);
}

static int panel_top(int i)
{
	return TOP + i * (PANEL + GAP);
}

static u64 panel_most(const struct timeline *t, const struct panel *p)
{
	u64 most = 0, value;
	u32 i;
	int c;

	for (i = 0; i < t->nr; i++) {
		for (c = 0; c < 2; c++) {
			value = t->sums[i][p->curves[c].metric];
			if (value > most)
				most = value;
		}
	}
	return most;
}

/* End of a span. */
static u64 span_end(const struct timeline *t, u32 i)
{
	u64 end = t->sums[i][TIMELINE_BEGIN] + t->width;

	return end < t->end ? end : t->end;
}

/* A step function with one step per span. */
static void draw_curve(FILE *f, const struct timeline *t, const struct curve *c,
		       const struct scale *s, int top)
{
	double y;
	u32 i;

	fprintf(f, "<path class=\"curve\" fill=\"%s\" stroke=\"%s\" d=\"",
		c->filled ? c->colour : "none", c->colour);
	if (c->filled)
		fprintf(f, "M%d %dL", LEFT, top + PANEL);
	for (i = 0; i < t->nr; i++) {
		y = y_of(s, top, t->sums[i][c->metric]);
		fprintf(f, "%s%.1f %.1fH%.1f", i ? "L" : c->filled ? "" : "M",
			x_of(t, t->sums[i][TIMELINE_BEGIN]), y, x_of(t, span_end(t, i)));
	}
	if (c->filled)
		fprintf(f, "V%dZ", top + PANEL);
	fprintf(f, "\"/>\n");
}

static void draw_grid(FILE *f, const struct scale *s, int top)
{
	double y;
	int i;

	for (i = 0; i <= s->ticks; i++) {
		y = y_of(s, top, i * s->step);
		fprintf(f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, LEFT + PLOT);
		fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.12g%s%s</text>\n",
			LEFT - 8, y + 4, i * s->step / s->unit, *s->name ? " " : "", s->name);
	}
}

/* A dot with a label at the peak. */
static void draw_peak(FILE *f, const struct timeline *t, const struct panel *p,
		      const struct scale *s, int top)
{
	u64 bytes;
	double x, y;

	if (p->group == TRACKER_GROUPS || !t->peak[p->group])
		return;
	bytes = t->peak[p->group];
	x = x_of(t, t->peak_time[p->group]);
	y = y_of(s, top, bytes);
	fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x, y,
		p->curves[0].colour);
	/* Place the label so that it stays within the panel. */
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"halo\">%llu %s\n",
		x < LEFT + PLOT / 2 ? x + 8 : x - 8, y < top + 14 ? y + 16 : y - 6,
		x < LEFT + PLOT / 2 ? "start" : "end", bytes, "bytes</text>");
}

static void draw_panel(FILE *f, const struct timeline *t, int i)
{
	const struct panel *p = panels + i;
	struct scale s = make_scale(panel_most(t, p), p->bytes);
	int top = panel_top(i), c, x = LEFT + PLOT;

	fprintf(f, "<text x=\"%d\" y=\"%d\" class=\"head\">%s</text>\n", LEFT, top - 10, p->title);
	for (c = 1; c >= 0; c--) {
		fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", x, top - 10,
			p->curves[c].label);
		x -= 7 * (int)strlen(p->curves[c].label) + 8;
		fprintf(f, "<path stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dh16\"/>\n",
			p->curves[c].colour, x - 12, top - 14);
		x -= 28;
	}
	draw_grid(f, &s, top);
	draw_curve(f, t, p->curves + 1, &s, top);
	draw_curve(f, t, p->curves, &s, top);
	draw_peak(f, t, p, &s, top);
}

/* The time axis, in seconds from the start. */
static void draw_time(FILE *f, const struct timeline *t)
{
	double length = (t->end - t->begin) / 1e9, step, at;
	int i, y = HEIGHT - BOTTOM;

	step = length > 0 ? round_up(length / (2 * TICKS)) : 1;
	for (i = 0; (at = i * step) <= length; i++) {
		fprintf(f, "<path class=\"axis\" d=\"M%.1f %dv5\"/>\n",
			LEFT + (length > 0 ? PLOT * at / length : 0), y);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.9g</text>\n",
			LEFT + (length > 0 ? PLOT * at / length : 0), y + 19, at);
	}
	fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">seconds since %llu.%09llu</text>\n",
		LEFT + PLOT, y + 38, t->begin / 1000000000, t->begin % 1000000000);
}

static void draw_marks(FILE *f, const struct timeline *t)
{
	double x;
	int row, y;
	u32 i;

	for (i = 0; i < t->nr_marks; i++) {
		x = x_of(t, t->marks[i].time);
		row = i % MARK_ROWS;
		y = 34 + 13 * row;
		fprintf(f, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>\n", x, y - 8, HEIGHT - BOTTOM);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\" class=\"halo\" text-anchor=\"%s\">",
			x < WIDTH - 200 ? x + 4 : x - 4, y, x < WIDTH - 200 ? "start" : "end");
		put_text(f, t->marks[i].text, MARK_TEXT);
		fprintf(f, "</text>\n");
	}
}

static void draw(FILE *f, const struct timeline *t, const char *title)
{
	int i;

	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	fprintf(f, "<style>text { font: 12px sans-serif; fill: #333 }\n"
		".title { font-size: 15px; font-weight: bold }\n"
		".curve { stroke-width: 1.5; fill-opacity: 0.25 }\n"
		".head { font-weight: bold } .grid { stroke: #ddd } .axis { stroke: #666 }\n"
		".mark { stroke: #999; stroke-dasharray: 3 3 }\n"
		".halo { paint-order: stroke; stroke: #fff; stroke-width: 3px }</style>\n");
	fprintf(f, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	fprintf(f, "<text x=\"%d\" y=\"18\" class=\"title\">", LEFT);
	put_text(f, title, 100);
	fprintf(f, "</text>\n");
	draw_marks(f, t);
	for (i = 0; i < PANELS; i++)
		draw_panel(f, t, i);
	draw_time(f, t);
	fprintf(f, "</svg>\n");
}

/**
 * timeline_svg - draw time spans
 * @t: the spans
 * @fd: file descriptor to write to; it is closed
 * @title: title of the picture
 *
 * Return: true on success; if false, see errno.
 */
bool timeline_svg(const struct timeline *t, int fd, const char *title)
{
	FILE *f = fdopen(fd, "w");
	bool bad;

	if (!f)
		return false;
	draw(f, t, title);
	/* fclose() does not report errors of earlier writes. */
	bad = ferror(f);
	return !fclose(f) && !bad;
}
