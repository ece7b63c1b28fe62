/* SPDX-License-Identifier: GPL-2.0 */
/* No access sites here: the tests call the hook, see site() in test.h. */
