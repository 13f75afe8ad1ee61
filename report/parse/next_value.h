/* SPDX-License-Identifier: Apache-2.0 */
/*
 * next_value.h - the parts of parsing an event that no learning is needed for: from a value to the
 * next one, and to the end. fast_event.h has the quick way over what was seen before.
 */
#ifndef REPORT_PARSE_NEXT_VALUE_H
#define REPORT_PARSE_NEXT_VALUE_H

#include "report/parse/value.h"

/* An event that is only counted is hardly ever longer. */
enum { SHORT_EVENT = 1024 };

SCAN_STEP enum parsed stop(struct raw_event *raw, const char *p, const char *end)
{
	raw->end = p;
	return p >= end ? PARSED_MORE : PARSED_BROKEN;
}

/* From the quote of a key to its value. NULL, with raw->end set, when there is no key. */
SCAN_STEP const char *take_key(const struct event_keys *keys, struct raw_event *raw, const char *p,
	const char *end, struct meaning *m, enum scan_path path)
{
	bool escaped;
	const char *q = scan_quote(p + 1, path);
	if (*q == '\\') {
		q = scan_string(p + 1, &escaped, path);
		*m = key_find_escaped(keys, p + 1, q < end ? q : end, m->level);
	} else {
		*m = key_find(keys, p + 1, (size_t)(q - p - 1), m->level);
	}
	p = scan_space(q + 1, path);
	if (*p == ':' && p < end)
		return scan_space(p + 1, path);
	raw->end = p;
	return NULL;
}

/* Over closing braces at p; false behind the event's own. */
SCAN_STEP bool take_braces(const char **at, uint8_t *level, enum scan_path path)
{
	for (const char *p = *at; *p == '}'; *at = p = scan_space(p, path)) {
		p++;
		if (*level == LEVEL_TOP) {
			*at = p;
			return false;
		}
		*level = LEVEL_TOP;
	}
	return true;
}

/* From behind a value (or, when `key_due`, behind the event's brace) to the next value, whose key
 * is left in m, or to the end of the event. NULL, with raw->end set, at what is no JSON. */
SCAN_STEP const char *step(const struct event_keys *keys, struct raw_event *raw, const char *p,
	const char *end, bool key_due, struct meaning *m, enum scan_path path)
{
	bool comma = false;
	p = scan_space(p, path);
	for (;; key_due = true) {
		if (key_due && *p == '"') {
			p = take_key(keys, raw, p, end, m, path);
			if (!p || m->take != TAKE_ARGS || *p != '{')
				return p;
			m->level = LEVEL_ARGS;
			p = scan_space(p + 1, path);
			comma = false;
			continue;
		}
		if (key_due && (*p == ',' || (comma && *p == '}')))
			raw_note(raw, REPAIR_COMMA_EXTRA, p);
		if (!take_braces(&p, &m->level, path)) {
			m->take = TAKE_END;
			return p;
		}
		comma = *p == ',';
		if (comma) {
			p = scan_space(p + 1, path);
		} else if (*p == '"' && p < end) {
			raw_note(raw, REPAIR_COMMA_MISSING, p);
		} else {
			raw->end = p;
			return NULL;
		}
	}
}

SCAN_STEP void raw_clear(struct raw_event *raw)
{
	raw->seen = 0;
	raw->noted = 0;
	raw->notes = 0;
	raw->phase = 0;
	raw->fraction = false;
}

SCAN_STEP enum parsed ended(struct raw_event *raw, const char *p)
{
	raw->end = p;
	return PARSED;
}

/* Nothing more is wanted of this event: where it ends, if that is near. Else NULL: a bracket may be
 * missing, and its members must be read to see; and *far tells that bytes behind the window would
 * not change this. */
SCAN_STEP const char *skip_rest(
	const char *p, const char *end, bool last, bool *far, enum scan_path path)
{
	*far = last || end - p >= SHORT_EVENT;
	const char *q = scan_container(p, end - p > SHORT_EVENT ? p + SHORT_EVENT : end, path);
	return q && q[-1] == '}' ? q : NULL; /* a bracket is that of the list */
}

#endif
