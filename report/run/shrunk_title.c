/* SPDX-License-Identifier: Apache-2.0 */

#include "report/run/shrunk_title.h"
#include "base/text_builder.h"

#include <ctype.h>
#include <string.h>

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
static const char *replaced(struct arena *a, const char *title, const char *asked, const char *ran)
{
	static const char times[] = " × ";
	struct text_builder result = {.arena = a};
	const char *from = title, *p;
	const char *remark = arena_printf(a, " (asked %s)", asked);
	size_t n = strlen(asked);
	if (strstr(title, remark))
		return title;
	while ((p = find_word(title, from, asked))) {
		const char *end = p + n;
		bool goes_on = !strncmp(end, times, strlen(times)) &&
			find_word(title, end, asked) == end + strlen(times);
		text_add(&result, "%.*s%s", (int)(p - from), from, ran);
		if (!goes_on)
			text_add(&result, "%s", remark);
		from = end;
	}
	if (from == title)
		return title;
	text_add(&result, "%s", from);
	return text_built(&result);
}

int work_changes(
	struct arena *a, const struct case_work *w, struct work_change change[MOST_CHANGES])
{
	int n = 0;
	for (int i = 0; i < w->asked.n; i++) {
		const struct work_size *asked = &w->asked.size[i];
		double ran = work_size(w, asked->name);
		if (ran > 0 && ran != asked->n)
			change[n++] = (struct work_change){asked->name,
				arena_printf(a, "%.0f", asked->n), arena_printf(a, "%.0f", ran)};
	}
	if (w->asked_dtype < DTYPES && w->dtype < DTYPES && w->asked_dtype != w->dtype)
		change[n++] = (struct work_change){
			NULL, dtype_name(w->asked_dtype), dtype_name(w->dtype)};
	return n;
}

const char *scaled_title(struct arena *a, const char *title, const struct case_work *w)
{
	struct work_change change[MOST_CHANGES];
	int n = w ? work_changes(a, w, change) : 0;
	for (int i = 0; i < n; i++)
		title = replaced(a, title, change[i].asked, change[i].ran);
	return title;
}
