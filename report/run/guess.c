/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/guess.h"

#include "base/expectation.h"

#include <string.h>

const char *sentence_state_name(enum sentence_state state)
{
	static const char *const names[] = {SENTENCE_LIST(KIND_NAME)};
	return names[state];
}

/* ---- reading ---- */

void guess_read(struct report_case *c, struct arena *a, const cJSON *guess, bool gpu)
{
	const cJSON *one;
	c->guess = "";
	if (!cJSON_IsArray(guess)) {
		const char *text = cJSON_GetStringValue(guess);
		c->guess = text ? without_links(a, text) : "";
		return;
	}
	c->sentence = arena_array(a, (size_t)cJSON_GetArraySize(guess), sizeof *c->sentence);
	cJSON_ArrayForEach(one, guess)
	{
		const char *says = config_words(one, "says");
		struct sentence *s = &c->sentence[c->n_sentences];
		if (!*says)
			continue;
		*s = (struct sentence){.says = without_links(a, says),
			.by = config_find(one, "by"),
			.follows = cJSON_GetStringValue(config_find(one, "follows")),
			.contrast = !guess_is_about(one, gpu)};
		if (!s->contrast)
			c->guess =
				arena_printf(a, "%s%s%s", c->guess, *c->guess ? " " : "", s->says);
		c->n_sentences++;
	}
}

/* ---- what came out ---- */

/* Of the tests of one sentence, or of the shape: the worst that is certain. */
static enum sentence_state state_of(const struct verdicts *all, int sentence)
{
	int n[VERDICT_STATES] = {0}, tests = 0;
	for (int i = 0; i < all->n; i++) {
		if (all->verdict[i].sentence != sentence)
			continue;
		n[all->verdict[i].state]++;
		tests++;
	}
	if (!tests)
		return SENTENCE_UNTESTED;
	if (n[VERDICT_BROKEN])
		return SENTENCE_BROKE;
	if (n[VERDICT_NOISE])
		return SENTENCE_NOISE;
	return n[VERDICT_KEPT] ? SENTENCE_HELD : SENTENCE_NOT_HERE;
}

/* How many facts, by what became of them. */
static void count(struct verdicts *all, enum sentence_state state)
{
	all->kept += state == SENTENCE_HELD;
	all->broken += state == SENTENCE_BROKE;
	all->open += state == SENTENCE_NOT_HERE;
	all->noise += state == SENTENCE_NOISE;
	all->follows += state == SENTENCE_FOLLOWS;
}

void guess_count(struct report_case *c)
{
	struct verdicts *all = &c->verdicts;
	if (!c->n_sentences)
		return;
	all->kept = all->broken = all->open = all->noise = all->follows = 0;
	all->shape = all->shape_kept = 0;
	for (int i = 0; i < all->n; i++)
		if (all->verdict[i].sentence == NO_SENTENCE) {
			all->shape++;
			all->shape_kept += all->verdict[i].state == VERDICT_KEPT;
		}
	all->broken = state_of(all, NO_SENTENCE) == SENTENCE_BROKE;
	for (int i = 0; i < c->n_sentences; i++) {
		struct sentence *s = &c->sentence[i];
		if (s->contrast)
			continue;
		if (s->state != SENTENCE_FOLLOWS)
			s->state = state_of(all, i);
		count(all, s->state);
	}
}

/* The first sentence that broke, of those that follow from a case, or of the others; NULL: none. */
static const struct sentence *broken_of(const struct report_case *c, bool follows)
{
	for (int i = 0; i < c->n_sentences; i++) {
		const struct sentence *s = &c->sentence[i];
		bool broke = s->state == SENTENCE_BROKE || s->state == SENTENCE_FOLLOWS;
		if (!s->contrast && broke && !!s->follows == follows)
			return s;
	}
	return NULL;
}

/* From case to case, whatever their order, to one that broke by itself. What leads in a circle, or
 * to nothing broken, leads to none: it counts where it is. */
static bool leads_to_break(
	const struct input *in, const struct report_case *c, const struct sentence *s)
{
	enum { MOST_CASES = 8 };
	for (int n = 0; s && s->follows && n < MOST_CASES; n++) {
		const struct report_case *next = input_find(in, c->run, s->follows);
		if (!next || next == c)
			return false;
		if (broken_of(next, false))
			return true;
		s = broken_of(next, true);
		c = next;
	}
	return false;
}

void guess_follow(const struct input *in, struct report_case *c)
{
	for (int i = 0; i < c->n_sentences; i++) {
		struct sentence *s = &c->sentence[i];
		if (!s->contrast && s->state == SENTENCE_BROKE && leads_to_break(in, c, s))
			s->state = SENTENCE_FOLLOWS;
	}
	guess_count(c);
}
