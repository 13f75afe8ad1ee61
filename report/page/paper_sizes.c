/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/paper_sizes.h"

#include <stddef.h>

/* The text is as wide on all of them. */
const struct paper papers[] = {
	{"a4", 595.28, 841.89, 40},
	{"letter", 612, 792, (612 - (595.28 - 2 * 40)) / 2},
	{0},
};
