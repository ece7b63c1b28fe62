// SPDX-License-Identifier: GPL-2.0
/* A function with a line number, in the file that locates the root of the source. */
void start_kernel(void)
{
}
