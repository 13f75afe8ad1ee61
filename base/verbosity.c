/* SPDX-License-Identifier: Apache-2.0 */
#include "base/verbosity.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *self = "tracebook";
static bool verbose;

void talk_as(const char *program, const char *called)
{
	self = called && !strncmp(called, "tracebook ", 10) ? called : program;
}

const char *talk_self(void)
{
	return self;
}

int talk_begin(const struct talk_options *options, struct err *err)
{
	if (options->quiet && options->verbose)
		return fail(err, "--quiet and --verbose: one of them");
	verbose = options->verbose;
	return 0;
}

bool talk_is_verbose(void)
{
	return verbose;
}

/* A name may hold what a terminal obeys: as an error has it. */
static void tell(const char *kind, const char *fmt, va_list args)
{
	struct err line = {0};
	char text[sizeof line.text];
	vsnprintf(text, sizeof text, fmt, args);
	fail(&line, "%s", text);
	fprintf(stderr, "%s: %s%s\n", self, kind, line.text);
}

void talk_detail(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	if (verbose)
		tell("", fmt, args);
	va_end(args);
}

void talk_tell(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	tell("", fmt, args);
	va_end(args);
}

void talk_warn(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	tell("warning: ", fmt, args);
	va_end(args);
}

double talk_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
