/* SPDX-License-Identifier: GPL-2.0 */
/* Hexadecimal digits. */
#ifndef _TEST_LINUX_HEX_H
#define _TEST_LINUX_HEX_H

#define hex_asc_lo(x)	("0123456789abcdef"[(x) & 15])
#define hex_asc_hi(x)	hex_asc_lo((x) >> 4)

static inline char *hex_byte_pack(char *to, unsigned char byte)
{
	*to++ = hex_asc_hi(byte);
	*to++ = hex_asc_lo(byte);
	return to;
}

#endif /* _TEST_LINUX_HEX_H */
