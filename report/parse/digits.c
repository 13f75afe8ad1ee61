/* SPDX-License-Identifier: Apache-2.0 */
#ifdef __x86_64__

#include "report/parse/digits.h"

enum { NONE = 0x80 };

void digit_places_init(struct digit_places *places)
{
	for (unsigned n = 0; n <= 16; n++)
		for (unsigned k = 0; k < 16; k++)
			places->whole[n][k] = k + n < 16 ? NONE : (uint8_t)(k + n - 16);
	for (unsigned n = 0; n <= 13; n++)
		for (unsigned d = 0; d <= 3; d++)
			for (unsigned k = 0; k < 16; k++) {
				unsigned from = k < 13 ? k + n - 13 : n + 1 + (k - 13);
				bool there = k < 13 ? k + n >= 13 : k - 13 < d;
				places->time[n][d][k] = there ? (uint8_t)from : NONE;
			}
}

#endif
