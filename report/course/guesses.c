/* SPDX-License-Identifier: Apache-2.0 */
/* What was guessed of the cases of a chapter, and what became of it on either machine. */
#include "report/course/chapters.h"

#include "report/page/table_builder.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/parts.h"

#include <string.h>

enum { THERE = 1u << 1 };

static const struct table_form guesses_form = {.size = 8,
	.column = {{"guesses.here", COLUMN_VERDICT}, {"guesses.there", COLUMN_VERDICT},
		{"guesses.says", .weight = 1}}};

const struct report_case *recorded_case(
	const struct document *d, const struct input *in, const char *id, const struct input **of)
{
	const struct report_case *c = NULL;
	for (int i = 0; i < d->parts && !c; i++) {
		*of = &in->recorded->input[i];
		c = chapter_case(*of, id);
	}
	return c;
}

static const struct sentence *same_sentence(const struct report_case *c, const char *says)
{
	for (int i = 0; c && i < c->n_sentences; i++)
		if (!strcmp(c->sentence[i].says, says))
			return &c->sentence[i];
	return NULL;
}

static const char *measured(struct document *d, const struct input *in, const struct report_case *c,
	const struct sentence *s)
{
	return s && !s->contrast ? guess_measured(d, in, c, s) : "";
}

/* What both machines measured in the same words stands there once. */
static const char *both_measured(
	struct document *d, const char *here, const char *there, const struct input *other)
{
	if (here[0] && !strcmp(here, there))
		return said(d, "guesses.measured.both", "list", here, NULL);
	return arena_printf(d->arena, "%s%s",
		here[0] ? said(d, "guesses.measured.here", "list", here, NULL) : "",
		there[0] ? said(d, "guesses.measured.there", "device",
				   recorded_chip(&other->runs[0]), "list", there, NULL)
			 : "");
}

static void put_mark(struct rows *t, const struct sentence *s)
{
	put_cell(t, s ? guess_mark(s) : (struct cell){.text = "·", .verdict = OPEN});
}

/* What was guessed and tested of the recorded case alone, in words that this run has no more or not
 * yet: its chapter counts them, too. */
static void put_others(struct rows *t, const struct input *there, const struct report_case *c,
	const struct report_case *other)
{
	struct document *d = t->d;
	for (int i = 0; other && i < other->n_sentences; i++) {
		const struct sentence *o = &other->sentence[i];
		if (same_sentence(c, o->says) || o->contrast || !measured(d, there, other, o)[0])
			continue;
		put_mark(t, NULL);
		put_mark(t, o);
		put(t,
			said(d, "guesses.sentence", "says", o->says, "measured",
				both_measured(d, "", measured(d, there, other, o), there), NULL));
	}
}

static void put_sentences(struct rows *t, const struct input *in, const struct report_case *c)
{
	struct document *d = t->d;
	const struct input *there = in;
	const struct report_case *other = recorded_case(d, in, c->id, &there);
	bool alone = c == other; /* of a recorded run, and not of this one */
	for (int i = 0; i < c->n_sentences; i++) {
		const struct sentence *s = alone ? NULL : &c->sentence[i];
		const char *says = c->sentence[i].says;
		const struct sentence *o = same_sentence(other, says);
		put_mark(t, s);
		put_mark(t, o);
		put(t,
			said(d, "guesses.sentence", "says", says, "measured",
				both_measured(d, measured(d, in, c, s),
					measured(d, there, other, o), there),
				NULL));
	}
	put_others(t, there, c, other);
}

void add_chapter_guesses(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct rows t = {0};
	const cJSON *id;
	cJSON_ArrayForEach(id, config_find(chapter, "guesses"))
	{
		const struct report_case *c =
			cJSON_IsString(id) ? chapter_case(in, id->valuestring) : NULL;
		const struct input *there = in;
		if (!c && cJSON_IsString(id))
			c = recorded_case(d, in, id->valuestring, &there);
		if (!c)
			continue;
		if (!c->n_sentences) {
			document_say(d, BLOCK_TEXT, "chapter.case", "title", c->title, NULL)
				->level = 1;
			add_question(d, in, c);
			continue;
		}
		if (!t.table)
			t = rows_begin(d, &guesses_form, d->parts ? 0 : THERE);
		rows_group(&t,
			said(d, "guesses.case", "title", c->title, "question", c->question, NULL));
		put_sentences(&t, in, c);
	}
}
