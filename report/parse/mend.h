/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend.h - saving an event whose texts hold bare quotes.
 *
 * `"name": "{"device": "cpu"}(12): run", "pid": 1`: where the string ends is told by what follows.
 * In the event itself a value ends at a quote before a key that events have, or before the closing
 * brace; in args at a quote before any key; in lists at a quote before a comma or a bracket.
 */
#ifndef REPORT_PARSE_MEND_H
#define REPORT_PARSE_MEND_H

#include "report/parse/event.h"

struct mended {
	char *text; /* the event with its inner quotes escaped, and a pad; owned, may be NULL */
	size_t n, room;
	size_t taken; /* bytes of the original */
};

/* Copies the event at p, as far as [p, end) reaches, escaping quotes inside its strings. PARSED
 * when a whole object was found; PARSED_MORE when bytes behind `end` would tell. `last`: there are
 * none. */
enum parsed mend_event(struct mended *m, const char *p, const char *end, bool last);

#endif
