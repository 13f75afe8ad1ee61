/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/pickle_parts.h"

#include <string.h>

static bool is_box(pickle_value v)
{
	return pickle_kind(v) == PICKLE_LIST || pickle_kind(v) == PICKLE_DICT;
}

struct pickle_walk pickle_walk(const struct pickle *p, pickle_value of)
{
	return (struct pickle_walk){p, is_box(of) ? p->box[what_of(of)].first : NO_RUN, 0};
}

bool pickle_next(struct pickle_walk *w, pickle_value *v)
{
	if (w->run == NO_RUN)
		return false;
	const struct pickle_run *run = &w->p->run[w->run];
	*v = w->p->item[run->first + w->at++];
	if (w->at == run->n) {
		w->run = run->next;
		w->at = 0;
	}
	return true;
}

size_t pickle_count(const struct pickle *p, pickle_value of)
{
	return is_box(of) ? p->box[what_of(of)].n : 0;
}

int64_t pickle_int(pickle_value v, int64_t otherwise)
{
	if (pickle_kind(v) == PICKLE_BOOL)
		return (int64_t)what_of(v);
	return pickle_kind(v) == PICKLE_INT ? (int64_t)v >> PICKLE_KIND_BITS : otherwise;
}

const char *pickle_text(const struct pickle *p, pickle_value v, size_t *n)
{
	*n = 0;
	if (pickle_kind(v) != PICKLE_TEXT)
		return "";
	const char *code = p->bytes + what_of(v);
	unsigned char how = (unsigned char)*code;
	size_t length = how == TEXT1 ? 1 : how == TEXT4 ? 4 : 8;
	*n = little_endian(code + 1, length);
	return code + 1 + length;
}

bool pickle_is(const struct pickle *p, pickle_value v, const char *text)
{
	size_t n;
	const char *at = pickle_text(p, v, &n);
	return pickle_kind(v) == PICKLE_TEXT && n == strlen(text) && !memcmp(at, text, n);
}

size_t pickle_box(pickle_value v)
{
	return is_box(v) ? what_of(v) : 0;
}
