/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"
#include "base/min_max.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64, LEAST_BEGIN = 3 };

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Three rows of the table at a time: how far the first i letters of a are from the first k of b. */
static size_t apart(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[3][LONGEST + 1];
	for (size_t k = 0; k <= m; k++)
		row[0][k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *up = row[(i + 2) % 3], *above = row[(i + 1) % 3];
		now[0] = i;
		for (size_t k = 1; k <= m; k++) {
			now[k] = up[k - 1] + !same(a[i - 1], b[k - 1]);
			now[k] = min_size(now[k], min_size(up[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
				now[k] = min_size(now[k], above[k - 2] + 1);
		}
	}
	return row[n % 3][m];
}

void nearest_try(struct nearest *n, const char *name)
{
	size_t typed = strlen(n->typed), length = strlen(name);
	if (!typed || typed > LONGEST || length > LONGEST)
		return;
	size_t most = max_size(typed, length) / 3, far = apart(n->typed, typed, name, length);
	bool begins = typed >= LEAST_BEGIN && !strncasecmp(n->typed, name, typed);
	if (far > most && !begins)
		return;
	far = far > most ? LONGEST : far; /* behind all that are near */
	if (n->name && n->apart <= far)
		return;
	n->name = name;
	n->apart = far;
}
