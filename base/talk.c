/* SPDX-License-Identifier: Apache-2.0 */
#include "base/talk.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* NULL: nothing is told. */
static const char *teller;

int talk_begin(const char *program, const struct talk_options *options, struct err *err)
{
	if (options->quiet && options->verbose)
		return fail(err, "--quiet and --verbose: one of them");
	teller = options->verbose ? program : NULL;
	return 0;
}

bool talk_is_verbose(void)
{
	return teller != NULL;
}

void talk_detail(const char *fmt, ...)
{
	struct err line = {0};
	char text[sizeof line.text];
	va_list args;
	if (!teller)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	/* A name may hold what a terminal obeys: as an error has it. */
	fail(&line, "%s", text);
	fprintf(stderr, "%s: %s\n", teller, line.text);
}

double talk_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
