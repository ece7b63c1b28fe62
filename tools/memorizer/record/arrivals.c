// SPDX-License-Identifier: GPL-2.0
/*
 * Saves the symbols of modules that are loaded during a recording: /proc/kallsyms at the end
 * lacks modules that were unloaded. The kernel sends a uevent for each module; without
 * uevents, /proc/modules is scanned periodically. saved.c reads the file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/arrivals.h"
#include "symbols/build-id.h"

#define MODULES		"/proc/modules"
#define KALLSYMS	"/proc/kallsyms"
#define FILE_NAME	"kernel/kallsyms.modules"
#define UEVENTS		1		/* multicast group of kernel uevents */
#define ADDED		"add@/module/"

/**
 * struct arrival - a module
 * @name: its name
 * @base: address of its text
 * @id: its build ID
 * @is_new: its symbols have to be saved
 */
struct arrival {
	char name[64];
	u64 base;
	struct build_id id;
	bool is_new;
};

static int open_events(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = UEVENTS };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/**
 * arrivals_begin - start saving symbols
 * @a: the modules
 * @to: the trace
 */
void arrivals_begin(struct arrivals *a, const struct save *to)
{
	*a = (struct arrivals){ .to = to, .file = -1, .events = -1 };
	if (access(MODULES, R_OK) || access(KALLSYMS, R_OK))
		return;
	/* Without a socket, arrivals_look() finds new modules at the next tick. */
	a->events = open_events();
	a->file = save_create(to, FILE_NAME);
}

/**
 * arrivals_end - free everything
 * @a: the modules
 */
void arrivals_end(struct arrivals *a)
{
	if (a->events >= 0)
		close(a->events);
	if (a->file >= 0)
		close(a->file);
	free(a->module);
	free(a->last);
}

static struct arrival *find(struct arrival *module, u32 nr, const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (strlen(module[i].name) == len && !memcmp(module[i].name, name, len))
			return module + i;
	return NULL;
}

/* Check whether a module differs from the last one saved under its name, and remember it. */
static bool replaces_last(struct arrivals *a, const struct arrival *m)
{
	struct arrival *last = find(a->last, a->nr_last, m->name, strlen(m->name));

	if (last && last->base == m->base && build_id_equal(&last->id, &m->id))
		return false;
	if (!last) {
		a->last = xreallocarray(a->last, a->nr_last + 1, sizeof(*a->last));
		last = a->last + a->nr_last++;
	}
	*last = *m;
	return true;
}

/* Scan /proc/modules. Returns true if there are new modules. */
static bool read_modules(struct arrivals *a)
{
	struct arrival *before = a->module, *old, m;
	FILE *f = fopen(MODULES, "re");
	u32 nr_before = a->nr;
	bool any = false;

	a->module = NULL;
	a->nr = 0;
	while (f && fscanf(f, "%63s %*s %*s %*s %*s %llx%*[^\n]", m.name, &m.base) == 2) {
		old = find(before, nr_before, m.name, strlen(m.name));
		/*
		 * The base is 0 if kptr_restrict hides addresses: there are
		 * no symbols to save.
		 */
		m.is_new = m.base && !(old && old->base == m.base);
		m.id = old ? old->id : (struct build_id){ .size = 0 };
		if (m.is_new) {
			m.id = build_id_loaded(m.name);
			/*
			 * A uevent may have cleared the base of a module
			 * that did not change.
			 */
			m.is_new = replaces_last(a, &m);
		}
		any |= m.is_new;
		a->module = xreallocarray(a->module, a->nr + 1, sizeof(m));
		a->module[a->nr++] = m;
	}
	if (f)
		fclose(f);
	free(before);
	return any;
}

/* Find the new module that a line of kallsyms belongs to. */
static const struct arrival *new_module(const struct arrivals *a, const struct lines *in)
{
	const char *tab = memchr(in->line, '\t', in->len);
	const struct arrival *m;

	/* The shortest ending is "\t[m]". */
	if (!tab || in->line + in->len - tab < 4)
		return NULL;
	m = find(a->module, a->nr, tab + 2, in->line + in->len - tab - 3);
	return m && m->is_new ? m : NULL;
}

/* Write the symbols of new modules. */
static bool write_symbols(const struct arrivals *a, FILE *to)
{
	const struct arrival *module = NULL, *m;
	int fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	char id[BUILD_ID_TEXT];
	struct lines in;

	if (fd < 0)
		return false;
	lines_init(&in, fd);
	while (lines_next(&in) == LINES_WHOLE) {
		m = new_module(a, &in);
		if (!m)
			continue;
		/* kallsyms lists the symbols of a module together. */
		if (m != module)
			fprintf(to, "module %s %llx %s\n", m->name, m->base,
				m->id.size ? build_id_text(&m->id, id) : "-");
		module = m;
		fprintf(to, "%.*s\n", (int)in.len, in.line);
	}
	lines_free(&in);
	close(fd);
	return true;
}

/**
 * arrivals_look - save the symbols of modules loaded since the last scan
 * @a: the modules
 *
 * Return: true on success, false after a message.
 */
bool arrivals_look(struct arrivals *a)
{
	bool good;
	FILE *to;
	int fd;

	if (a->file < 0 || !read_modules(a))
		return true;
	/* fclose() closes the descriptor that it gets. */
	fd = fcntl(a->file, F_DUPFD_CLOEXEC, 0);
	to = fd < 0 ? NULL : fdopen(fd, "a");
	good = to && write_symbols(a, to) && !ferror(to);
	if (to && !fclose(to) && good)
		return true;
	fprintf(stderr, "memorizer: %s/" FILE_NAME ": %s\n", a->to->path, strerror(errno));
	return false;
}

/**
 * arrivals_save_ids - save the build IDs of all loaded modules
 * @to: the trace
 *
 * Return: true on success, false after a message.
 */
bool arrivals_save_ids(const struct save *to)
{
	DIR *d = opendir("/sys/module");
	char *text = NULL, hex[BUILD_ID_TEXT];
	struct dirent *entry;
	struct build_id id;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool fine;

	if (!f)
		abort();
	while (d && (entry = readdir(d))) {
		if (*entry->d_name == '.')
			continue;
		id = build_id_loaded(entry->d_name);
		/* Built-in modules may have a directory, too, but no build ID. */
		if (id.size)
			fprintf(f, "%s %s\n", entry->d_name, build_id_text(&id, hex));
	}
	if (d)
		closedir(d);
	fclose(f);
	fine = !*text || save_text(to, text, "kernel/notes.modules");
	free(text);
	return fine;
}

/**
 * arrivals_event - handle uevents
 * @a: the modules
 *
 * Return: true on success, false after a message.
 */
bool arrivals_event(struct arrivals *a)
{
	struct arrival *m;
	char text[4096];
	bool any = false;
	ssize_t len;

	/* After ENOBUFS, events are missing: the periodic scan finds the modules. */
	while ((len = recv(a->events, text, sizeof(text) - 1, 0)) > 0) {
		text[len] = '\0';
		if (strncmp(text, ADDED, strlen(ADDED)))
			continue;
		any = true;
		/* It may have been reloaded at the same address. */
		m = find(a->module, a->nr, text + strlen(ADDED), strlen(text + strlen(ADDED)));
		if (m)
			m->base = 0;
	}
	return !any || arrivals_look(a);
}
