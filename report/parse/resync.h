/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resync.h - finding the next event after damage.
 */
#ifndef REPORT_PARSE_RESYNC_H
#define REPORT_PARSE_RESYNC_H

#include <stdbool.h>

/* An event's first key ends within this many bytes of its brace, and the comma before the brace
 * stands within RESYNC_BACK bytes. */
enum { RESYNC_REACH = 512, RESYNC_BACK = 256 };

/* The first brace in [from, end) that follows a comma or a brace (back to `begin`) and begins an
 * object whose first key is one that events have; NULL when there is none. */
const char *resync(const char *from, const char *begin, const char *end);

/* Over a little space. */
const char *resync_space(const char *p, const char *end);

/* Is a key that events have at p, and its colon? */
bool resync_is_key(const char *p, const char *end);

/* Does the object at p begin with a key that events have? */
bool resync_is_event(const char *p, const char *end);

#endif
