/* SPDX-License-Identifier: GPL-2.0 */
/* Upper and lower case. */
static inline unsigned char __tolower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}
