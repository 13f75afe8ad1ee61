/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { ID_COLUMNS = 48 };

static void print_case(const struct progress *p, const char *case_id)
{
	fprintf(stderr, "[%2zu/%zu] %-*s", p->n, p->n_cases, ID_COLUMNS, case_id);
}

void progress_begin(struct progress *p, const char *case_id)
{
	p->n++;
	if (p->quiet || !isatty(STDERR_FILENO))
		return;
	print_case(p, case_id);
	if (p->n > 1)
		fprintf(stderr, " about %.0f s left",
			p->seconds / (double)(p->n - 1) * (double)(p->n_cases - p->n + 1));
	fflush(stderr);
}

void progress_end(struct progress *p, const char *case_id, double seconds, const char *reason,
	const char *scaled)
{
	p->seconds += seconds;
	if (p->quiet && !reason)
		return;
	if (!p->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	print_case(p, case_id);
	fprintf(stderr, " %6.1f s%s\n", seconds, reason ? "  failed" : "");
	if (scaled)
		fprintf(stderr, "        %s\n", scaled);
	if (reason)
		fprintf(stderr, "        %s\n", reason);
}
