/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/judge/judge.h"
#include "report/name/shorten.h"

#include <string.h>

const char *verdict_where(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v)
{
	const char *step =
		v->step != NO_ROW ? format_count(a, c->analysis->steps[v->step].number) : "";
	if (v->state != VERDICT_BROKEN || (!verdict_differs(v) && !*step))
		return "";
	if (!verdict_differs(v))
		return say(t, a, "verdict.at.only", "step", step, NULL);
	const char *more = say(t, a, "verdict.nothing", NULL);
	const char *wanted = v->wanted ? brief_name(a, v->wanted) : more;
	const char *saw = v->saw ? brief_name(a, v->saw) : more;
	if (v->wanted && v->saw && !strcmp(wanted, saw)) { /* what differs was left out */
		wanted = tidy_name(a, v->wanted);
		saw = tidy_name(a, v->saw);
	}
	const char *place = v->element != NO_ROW ? format_count(a, (int64_t)v->element + 1) : "";
	const char *key = !*place ? "verdict.at.step"
		: *step		  ? "verdict.at.step.place"
				  : "verdict.at.place";
	return say(t, a, key, "step", step, "place", place, "wanted", wanted, "saw", saw, NULL);
}

const char *verdict_brief(struct arena *a, const char *text)
{
	enum { LONGEST = 120 };
	size_t n = LONGEST;
	if (strlen(text) <= n)
		return text;
	while (n && (text[n] & 0xc0) == 0x80)
		n--;
	return arena_printf(a, "%.*s\xe2\x80\xa6", (int)n, text);
}

const char *verdict_event(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v)
{
	if (v->state != VERDICT_BROKEN || v->at == NO_ROW)
		return "";
	const struct trace *trace = &c->trace;
	uint32_t call =
		event_on_device(trace->kind[v->at]) ? analysis_launch_of(trace, v->at) : NO_ROW;
	uint32_t op = call != NO_ROW ? analysis_op_of(trace, call) : NO_ROW;
	const char *name = brief_name(a, trace_row_name(trace, v->at));
	const char *start = format_time(a, (double)trace->start_ns[v->at]);
	const char *time = format_time(a, (double)trace->dur_ns[v->at]);
	if (op == NO_ROW)
		return say(t, a, "verdict.event", "name", name, "start", start, "time", time, NULL);
	return say(t, a, "verdict.event.op", "name", name, "start", start, "time", time, "op",
		trace_row_name(trace, op), NULL);
}

const char *verdict_hint(struct arena *a, const struct texts *t, const struct verdict *v)
{
	char key[96];
	if (v->state != VERDICT_BROKEN)
		return "";
	snprintf(key, sizeof key, "look.%s.same", v->key);
	if (verdict_differs(v) || !texts_find(t, key)[0])
		snprintf(key, sizeof key, "look.%s", v->key);
	return say(t, a, key, NULL);
}

const struct finding *finding_asked_for(const struct report_case *c, const struct verdict *v)
{
	const struct findings *all = &c->findings;
	if (strcmp(v->key, "must_fire") != 0 || v->element >= v->n_asked)
		return NULL;
	for (const struct compared_case *one = c->compared; v->other && one; one = one->next)
		if (!strcmp(one->id, v->other))
			all = &one->findings;
	return findings_find(all, v->asked[v->element].id);
}

/* ---- a guess ---- */

const struct sentence *tested_sentence(const struct report_case *c, const struct verdict *v)
{
	return v->sentence >= 0 && v->sentence < c->n_sentences ? &c->sentence[v->sentence] : NULL;
}

const char *guess_head(struct document *d, const struct report_case *c)
{
	const char *day = c->run->guessed;
	bool late = *day && strncmp(day, c->run->created, strcspn(day, ",")) > 0;
	if (!*day)
		return said(d, "guess.head", NULL);
	return said(d, late ? "guess.head.late" : "guess.head.day", "day", day, NULL);
}

/* A sentence within a longer one, which has the full stop. */
static const char *without_stop(struct arena *a, const char *text)
{
	size_t n = strlen(text);
	return n && text[n - 1] == '.' ? arena_strndup(a, text, n - 1) : text;
}

const char *guess_measured(struct document *d, const struct input *in, const struct report_case *c,
	const struct sentence *s)
{
	struct text_builder list = {.arena = d->arena};
	for (int i = 0; in && i < c->verdicts->n; i++) {
		const struct verdict *v = &c->verdicts->verdict[i];
		bool broke = v->state == VERDICT_BROKEN;
		if (tested_sentence(c, v) != s || v->state == VERDICT_OPEN ||
			(!broke && verdict_of_findings(v)))
			continue;
		const char *observed = verdict_observed(d, v), *expected = verdict_expected(d, v);
		const struct finding *missing =
			broke && v->n_asked == 1 ? finding_asked_for(c, v) : NULL;
		const char *why = missing ? finding_missed(d, missing) : "";
		const char *key = why[0]	     ? "guess.measured.missing"
			: strcmp(observed, expected) ? "guess.measured"
						     : "guess.measured.same";
		text_add(&list, "%s%s", text_separator(&list, "; "),
			said(d, key, "what", verdict_text(d, in, c, v), "observed", observed,
				"expected", expected, "measured", without_stop(d->arena, why),
				NULL));
	}
	return text_built(&list);
}

struct cell guess_mark(const struct sentence *s)
{
	static const struct {
		const char *mark;
		enum verdict_colour colour;
	} marks[] = {[SENTENCE_UNTESTED] = {"·", OPEN},
		[SENTENCE_HELD] = {"✓", KEPT},
		[SENTENCE_BROKE] = {"✗", BROKEN},
		[SENTENCE_NOISE] = {"~", OPEN},
		[SENTENCE_NOT_HERE] = {"–", OPEN},
		[SENTENCE_FOLLOWS] = {"=", OPEN}};
	if (s->contrast)
		return (struct cell){.text = "·", .verdict = OPEN};
	return (struct cell){.text = marks[s->state].mark, .verdict = marks[s->state].colour};
}

static void add_judged_sentence(struct document *d, const struct input *in,
	const struct report_case *c, const struct sentence *s)
{
	const char *measured = s->contrast ? "" : guess_measured(d, in, c, s);
	const struct cell mark = guess_mark(s);
	char key[32];
	snprintf(key, sizeof key, "guess.%s",
		!s->contrast		 ? sentence_state_name(s->state)
			: c->run->is_gpu ? "contrast.host"
					 : "contrast.gpu");
	struct block *b = document_say(d, BLOCK_POINT, key, "says", s->says, "case",
		s->follows ? s->follows : "", "measured",
		*measured ? said(d, "guess.measured.all", "list", measured, NULL) : "", NULL);
	b->note = mark.text;
	b->verdict = mark.verdict;
}

const char *score_words(const struct document *d, const struct verdicts *all)
{
	const struct {
		const char *key;
		int n;
	} parts[] = {{"score.held", all->kept}, {"score.broke", all->broken},
		{"score.undecided", all->noise}};
	struct text_builder list = {.arena = d->arena};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].n || (!i && !all->broken && !all->noise))
			text_add(&list, "%s%s", text_separator(&list, ", "),
				said(d, parts[i].key, "n", format_count(d->arena, parts[i].n),
					NULL));
	return text_built(&list);
}

const char *verdict_of_none(const struct document *d, const struct report_case *c)
{
	return said(d,
		c->verdicts->noise	       ? "verdict.noise"
			: c->verdicts->follows ? "verdict.follows"
			: c->verdicts->open    ? "verdict.open"
					       : "verdict.none",
		NULL);
}

void add_guess(struct document *d, const struct input *in, const struct report_case *c)
{
	if (c->n_sentences) {
		document_add(d, BLOCK_TEXT, guess_head(d, c))->level = 1;
		for (int i = 0; i < 2 * c->n_sentences; i++)
			if (c->sentence[i % c->n_sentences].contrast == (i >= c->n_sentences))
				add_judged_sentence(d, in, c, &c->sentence[i % c->n_sentences]);
		return;
	}
	if (c->guess[0])
		document_say(d, BLOCK_TEXT, c->expect ? "case.guess.file" : "case.guess", "text",
			c->guess, NULL);
	if (c->untested[0])
		document_say(d, BLOCK_CAPTION, "case.untested", "text", c->untested, NULL);
}
