/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbosity.h - what a program tells on stderr beside its errors: --quiet nothing, --verbose each
 * thing that it does, with what it took.
 */
#ifndef BASE_VERBOSITY_H
#define BASE_VERBOSITY_H

#include "base/err.h"

#include <stdbool.h>

struct talk_options {
	bool quiet, verbose;
};

/* Rows of a table of options (opt.h) for them. */
#define OPT_QUIET(options) \
	{ \
		"quiet", 'q', OPT_TALK, NULL, "say only what went wrong", &(options)->quiet \
	}
#define OPT_VERBOSE(options) \
	{ \
		"verbose", 'v', OPT_TALK, NULL, "say what is done meanwhile", &(options)->verbose \
	}

/* What the program is called in all that it says: its own name, or that which it was `called` by
 * where that is "tracebook report". For main(), first. */
void talk_as(const char *program, const char *called);
const char *talk_self(void);

/* From here on talk_detail() says what is done, when that was asked for. Fails when both were. For
 * main(), before anything is done. */
int talk_begin(const struct talk_options *options, struct err *err);

bool talk_is_verbose(void);

/* "report: read trace.json, ..." on a line of its own, with --verbose only. */
void talk_detail(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* "report: ..."; whoever is asked to be quiet does not call these two. */
void talk_tell(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* "report: warning: ..." */
void talk_warn(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Seconds of a clock that only goes forward, for what something took. */
double talk_clock(void);

#endif
