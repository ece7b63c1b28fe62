// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer on x86-64: export the thunks to modules, and detect processors that stall at sites.
 */
#include <linux/export.h>
#include <linux/init.h>

#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/memorizer-sites.h>

#define EXPORT_THUNK(name)			\
	void memorizer_##name(void);		\
	EXPORT_SYMBOL(memorizer_##name)

#define EXPORT_THUNKS(name)			\
	EXPORT_THUNK(thunk_##name);		\
	EXPORT_THUNK(joined_##name)

EXPORT_THUNKS(r1);
EXPORT_THUNKS(r2);
EXPORT_THUNKS(r4);
EXPORT_THUNKS(r8);
EXPORT_THUNKS(r16);
EXPORT_THUNKS(w1);
EXPORT_THUNKS(w2);
EXPORT_THUNKS(w4);
EXPORT_THUNKS(w8);
EXPORT_THUNKS(w16);
EXPORT_THUNKS(u1);
EXPORT_THUNKS(u2);
EXPORT_THUNKS(u4);
EXPORT_THUNKS(u8);
EXPORT_THUNKS(u16);
EXPORT_THUNK(thunk_rn);
EXPORT_THUNK(thunk_wn);
EXPORT_THUNK(thunk_un);
EXPORT_THUNK(thunk_string);
EXPORT_THUNK(leave_r9);
EXPORT_THUNK(leave_r10);
EXPORT_THUNK(leave_r11);
#ifdef CONFIG_MEMORIZER_PAGES
EXPORT_THUNK(percpu_r1);
EXPORT_THUNK(percpu_r2);
EXPORT_THUNK(percpu_r4);
EXPORT_THUNK(percpu_r8);
EXPORT_THUNK(percpu_r16);
EXPORT_THUNK(percpu_w1);
EXPORT_THUNK(percpu_w2);
EXPORT_THUNK(percpu_w4);
EXPORT_THUNK(percpu_w8);
EXPORT_THUNK(percpu_w16);
EXPORT_THUNK(percpu_u1);
EXPORT_THUNK(percpu_u2);
EXPORT_THUNK(percpu_u4);
EXPORT_THUNK(percpu_u8);
EXPORT_THUNK(percpu_u16);
#endif

/*
 * Processors whose decoders stall at more than three prefixes (Goldmont: four) of an instruction.
 * Some of them also count escape bytes such as 0F. A disabled site has five prefixes.
 */
static const struct x86_cpu_id stalling[] __initconst = {
	/* Bulldozer, Piledriver, Steamroller, Excavator */
	X86_MATCH_VENDOR_FAM(AMD, 0x15, NULL),
	X86_MATCH_VFM(INTEL_ATOM_BONNELL, NULL),
	X86_MATCH_VFM(INTEL_ATOM_BONNELL_MID, NULL),
	X86_MATCH_VFM(INTEL_ATOM_SALTWELL, NULL),
	X86_MATCH_VFM(INTEL_ATOM_SALTWELL_MID, NULL),
	X86_MATCH_VFM(INTEL_ATOM_SALTWELL_TABLET, NULL),
	X86_MATCH_VFM(INTEL_ATOM_SILVERMONT, NULL),
	X86_MATCH_VFM(INTEL_ATOM_SILVERMONT_D, NULL),
	X86_MATCH_VFM(INTEL_ATOM_SILVERMONT_MID, NULL),
	X86_MATCH_VFM(INTEL_ATOM_AIRMONT, NULL),
	X86_MATCH_VFM(INTEL_ATOM_AIRMONT_MID, NULL),
	X86_MATCH_VFM(INTEL_ATOM_AIRMONT_NP, NULL),
	X86_MATCH_VFM(INTEL_XEON_PHI_KNL, NULL),
	X86_MATCH_VFM(INTEL_XEON_PHI_KNM, NULL),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT, NULL),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT_D, NULL),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT_PLUS, NULL),
	{ }
};

bool __init memorizer_prefixes_stall(void)
{
	return x86_match_cpu(stalling);
}
