/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/scaled.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* One pair of "asked size 4096, ran 2048", as run.json words it. */
struct change {
	const char *asked, *ran;
};

/* Reads the next change at or behind `p`; where it ends, NULL when there is none. */
static const char *next_change(struct arena *a, const char *p, struct change *c)
{
	static const char asked[] = "asked ", ran[] = ", ran ";
	const char *from = strstr(p, asked), *to = from ? strstr(from, ran) : NULL;
	if (!to)
		return NULL;
	from += strlen(asked);
	for (const char *space; (space = memchr(from, ' ', (size_t)(to - from)));)
		from = space + 1;
	c->asked = arena_strndup(a, from, (size_t)(to - from));
	to += strlen(ran);
	size_t n = strcspn(to, " ,;:");
	c->ran = arena_strndup(a, to, n);
	return to + n;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The first place of `word` in `text` where it is a word of its own. */
static const char *find_word(const char *text, const char *from, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = from; n && (p = strstr(p, word)); p++)
		if ((p == text || !in_word(p[-1])) && !in_word(p[n]))
			return p;
	return NULL;
}

/* Every "4096" by what ran, with a remark behind it, or behind the last of "4096 × 4096". */
static const char *replaced(struct arena *a, const char *title, const struct change *c)
{
	static const char times[] = " × ";
	const char *result = "", *from = title, *p;
	const char *remark = arena_printf(a, " (asked %s)", c->asked);
	size_t n = strlen(c->asked);
	if (strstr(title, remark))
		return title;
	while ((p = find_word(title, from, c->asked))) {
		const char *end = p + n;
		bool goes_on = !strncmp(end, times, strlen(times)) &&
			find_word(title, end, c->asked) == end + strlen(times);
		result = arena_printf(a, "%s%.*s%s", result, (int)(p - from), from, c->ran);
		if (!goes_on)
			result = arena_printf(a, "%s%s", result, remark);
		from = end;
	}
	return from == title ? title : arena_printf(a, "%s%s", result, from);
}

const char *scaled_title(struct arena *a, const char *title, const char *scaled)
{
	struct change c;
	for (const char *p = scaled; (p = next_change(a, p, &c));)
		if (strcmp(c.asked, c.ran) != 0)
			title = replaced(a, title, &c);
	return title;
}
