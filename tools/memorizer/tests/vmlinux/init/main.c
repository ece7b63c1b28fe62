// SPDX-License-Identifier: GPL-2.0
/* A function with a line number, in the file that shows where the source begins. */
void start_kernel(void)
{
}
