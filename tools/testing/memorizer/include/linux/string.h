/* SPDX-License-Identifier: GPL-2.0 */
/* Memory and strings. */
#include <string.h>
