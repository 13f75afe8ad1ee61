/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time_of_text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool time_of_text(const char *text, int64_t *ns)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double value = strtod(text, &end);
	for (size_t i = 0; end > text && i < sizeof units / sizeof *units; i++) {
		double time = value * units[i].ns;
		if (strcmp(units[i].suffix, end) || !(time >= 0 && time < 1e18))
			continue;
		*ns = (int64_t)(time + 0.5);
		return true;
	}
	return false;
}
