/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage.h - getting past what is no JSON: an event that can be saved, or the next one.
 */
#ifndef REPORT_PARSE_DAMAGE_H
#define REPORT_PARSE_DAMAGE_H

#include "report/parse/event.h"

/* ---- mend.c: an event whose texts hold bare quotes ----
 *
 * `"name": "{"device": "cpu"}(12): run", "pid": 1`: where the string ends is told by what follows.
 * In the event itself a value ends at a quote before a key that events have, or before the closing
 * brace; in args at a quote before any key; in lists at a quote before a comma or a bracket.
 */

struct mended {
	char *text; /* the event with its inner quotes escaped, and a pad; owned, may be NULL */
	size_t n, room;
	size_t taken; /* bytes of the original */
};

/* Copies the event at p, as far as [p, end) reaches, escaping quotes inside its strings. PARSED
 * when a whole object was found; PARSED_MORE when bytes behind `end` would tell. `last`: there are
 * none. */
enum parsed mend_event(struct mended *m, const char *p, const char *end, bool last);

/* ---- resync.c: where the next event begins ---- */

/* An event's first key ends within this many bytes of its brace, and the comma before the brace
 * stands within RESYNC_BACK bytes. */
enum { RESYNC_REACH = 512, RESYNC_BACK = 256 };

/* The first brace in [from, end) that begins an object whose first key is one that events have, and
 * follows a comma or a brace (back to `begin`), unless that key is `ph` or `cat`; NULL when there
 * is none. */
const char *resync(const char *from, const char *begin, const char *end);

/* The first byte at or after p that is no space, looking over a few bytes only. */
const char *resync_space(const char *p, const char *end);

/* Is a key that events have at p, and its colon? */
bool resync_is_key(const char *p, const char *end);

/* Does the object at p begin with a key that events have? */
bool resync_is_event(const char *p, const char *end);

#endif
