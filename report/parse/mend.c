/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/damage.h"

#include "base/err.h"
#include "report/parse/file_window.h"

#include <stdlib.h>

enum { MOST_SPACE = 64, LONGEST_KEY = 64, DEEPEST = 64, FAR_ENOUGH = 512 };

static const char *space(const char *p, const char *end)
{
	for (int most = MOST_SPACE; p < end && (unsigned char)*p <= ' ' && most; most--)
		p++;
	return p;
}

/* Do a key, of whatever name, and its colon stand at p? */
static bool any_key(const char *p, const char *end)
{
	if (p == end || *p != '"')
		return false;
	const char *q = p + 1;
	while (q < end && q - p < LONGEST_KEY && *q != '"' && *q != '\\')
		q++;
	if (q == end || *q != '"')
		return false;
	q = space(q + 1, end);
	return q < end && *q == ':';
}

struct mending {
	struct mended *out;
	const char *begin, *p, *end;
	char open[DEEPEST]; /* brackets */
	int depth;
	bool short_of; /* bytes behind the end could change what was decided */
};

static void put(struct mended *m, char c)
{
	if (m->n + 1 + WINDOW_PAD >= m->room) {
		m->room = m->room ? 2 * m->room : 1024;
		m->text = xrealloc(m->text, m->room, 1);
	}
	m->text[m->n++] = c;
}

/* Does the value whose quote is at q end there? */
static bool ends_value(struct mending *m, const char *q)
{
	const char *next = space(q + 1, m->end);
	m->short_of |= m->end - q < FAR_ENOUGH;
	if (next == m->end)
		return false;
	if (m->open[m->depth - 1] == '[')
		return *next == ',' || *next == ']';
	if (*next == ',') {
		next = space(next + 1, m->end);
		return m->depth == 1 ? resync_is_key(next, m->end) : any_key(next, m->end);
	}
	if (*next != '}')
		return false;
	next = space(next + 1, m->end);
	return next == m->end || *next == ',' || *next == '}' || *next == ']';
}

/* The string at m->p, up to the quote that ends it. */
static bool mend_string(struct mending *m, bool key)
{
	put(m->out, '"');
	for (const char *p = m->p + 1; p < m->end; p++) {
		bool escaped = p[-1] == '\\' && p - 1 > m->p && p[-2] != '\\';
		if (*p == '"' && (key ? !escaped : ends_value(m, p))) {
			put(m->out, '"');
			m->p = p + 1;
			return true;
		}
		if (*p == '"' && !escaped)
			put(m->out, '\\');
		put(m->out, *p);
	}
	return false;
}

static enum parsed finish(struct mending *m)
{
	m->out->taken = (size_t)(m->p - m->begin);
	memset(m->out->text + m->out->n, '"', WINDOW_PAD);
	return PARSED;
}

enum parsed mend_event(struct mended *out, const char *p, const char *end, bool last)
{
	struct mending m = {.out = out, .begin = p, .p = p, .end = end};
	bool key = false; /* the next string is one */
	out->n = 0;
	while (m.p < m.end) {
		char c = *m.p;
		if (c == '"') {
			if (!mend_string(&m, key))
				return PARSED_MORE;
			key = false;
			continue;
		}
		if ((c | 32) == '{') {
			if (m.depth == DEEPEST)
				return PARSED_BROKEN;
			m.open[m.depth++] = c;
		}
		put(out, c);
		m.p++;
		if ((c | 32) == '}' && !--m.depth)
			return m.short_of && !last ? PARSED_MORE : finish(&m);
		if (c == '{' || c == ',')
			key = m.open[m.depth - 1] == '{';
	}
	return PARSED_MORE;
}
