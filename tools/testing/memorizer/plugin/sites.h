/* SPDX-License-Identifier: GPL-2.0 */
/* The table of sites. The kernel has the same in asm/memorizer-sites.h. */
#ifndef SITES_H
#define SITES_H

#include <stdbool.h>
#include <string.h>

#define SITE_SIZE 5

struct site {
	int addr, stub;
};

extern const struct site __start_memorizer_sites[], __stop_memorizer_sites[];

enum site_form { FORM_TEST, FORM_DS, FORM_SS, FORM_GS };

/* Added to the form */
#define FORM_PERCPU 8

static inline unsigned char *site_address(const struct site *site)
{
	return (unsigned char *)&site->addr + site->addr;
}

static inline unsigned int site_flags(const struct site *site)
{
	return ((unsigned int)site->stub + (1 << 27)) >> 28;
}

static inline enum site_form site_form(const struct site *site)
{
	return (enum site_form)(site_flags(site) % 4);
}

static inline int site_distance(const struct site *site)
{
	return site->stub - (site_flags(site) << 28);
}

static inline const unsigned char *stub_of(const struct site *site)
{
	return site_address(site) + SITE_SIZE + site_distance(site);
}

static inline void site_text(const struct site *site, bool on, unsigned char *text)
{
	static const unsigned char prefixes[] = {
		[FORM_DS] = 0x3e, [FORM_SS] = 0x36, [FORM_GS] = 0x65,
	};
	int distance = site_distance(site);

	text[0] = on ? 0xe8 : 0xa9;
	memcpy(text + 1, &distance, sizeof(distance));
	if (!on && site_form(site) != FORM_TEST)
		memset(text, prefixes[site_form(site)], SITE_SIZE);
}

static inline bool site_is(const struct site *site, bool on)
{
	unsigned char text[SITE_SIZE];

	site_text(site, on, text);
	return !memcmp(site_address(site), text, SITE_SIZE);
}

static inline void switch_site(const struct site *site, bool on)
{
	site_text(site, on, site_address(site));
}

#endif /* SITES_H */
