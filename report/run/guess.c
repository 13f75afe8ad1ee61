/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/guess.h"

#include "base/config.h"
#include "base/expectation.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"

#include <string.h>

NAMES(sentence_state_name, enum sentence_state, SENTENCE_LIST(KIND_NAME));

/* ---- reading ---- */

/* What is said of this kind of device, as one text. */
static const char *all_sentences(struct arena *a, const struct report_case *c)
{
	size_t length = 0;
	for (int i = 0; i < c->n_sentences; i++)
		length += strlen(c->sentence[i].says) + 1;
	char *text = arena_alloc(a, length + 1), *end = text;
	*text = '\0';
	for (int i = 0; i < c->n_sentences; i++)
		if (!c->sentence[i].contrast)
			end = stpcpy(end > text ? stpcpy(end, " ") : end, c->sentence[i].says);
	return text;
}

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
		c->n_sentences++;
	}
	c->guess = all_sentences(a, c);
}

/* ---- what came out ---- */

/* Of the tests of one sentence, or of the shape, which begin at *at: the worst that is certain.
 * They stand together, in the order of the sentences, the shape's first. */
static enum sentence_state state_of(const struct verdicts *all, int *at, int sentence)
{
	int n[VERDICT_STATES] = {0}, tests = 0;
	for (; *at < all->n && all->verdict[*at].sentence == sentence; ++*at) {
		n[all->verdict[*at].state]++;
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
	struct verdicts *all = c->verdicts;
	c->broke[false] = c->broke[true] = NULL;
	if (!c->n_sentences)
		return;
	all->kept = all->broken = all->open = all->noise = all->follows = 0;
	all->shape = all->shape_kept = 0;
	for (int i = 0; i < all->n; i++)
		if (all->verdict[i].sentence == NO_SENTENCE) {
			all->shape++;
			all->shape_kept += all->verdict[i].state == VERDICT_KEPT;
		}
	int at = 0;
	all->broken = state_of(all, &at, NO_SENTENCE) == SENTENCE_BROKE;
	for (int i = 0; i < c->n_sentences; i++) {
		struct sentence *s = &c->sentence[i];
		if (s->contrast)
			continue;
		enum sentence_state state = state_of(all, &at, i);
		if (s->state != SENTENCE_FOLLOWS)
			s->state = state;
		count(all, s->state);
		if (state == SENTENCE_BROKE && !c->broke[!!s->follows])
			c->broke[!!s->follows] = s;
	}
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
		if (next->broke[false])
			return true;
		s = next->broke[true];
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
