/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/questions.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/course/answers.h"

#include <string.h>

/* Each row asks one question, by its name. */
static const struct question square_instead = {
	"square", 1, {"nested", "alone"}, .answer = answer_renamed, .other = 2};
static const struct question square_wide = {"square", 1, {"square", "same"},
	.answer = answer_square, .other = 1, .instead = &square_instead};
static const struct question row_instead = {
	"padded_row", 1, {"rule"}, .answer = answer_padded_row, .other = 1};

const struct question questions[] = {
	{"hotspot", 1, {"one", "spread"}, .answer = answer_hotspot, .group = "table"},
	{"when", 1, {"queued", "both", "late", "early"}, .answer = answer_when},
	{"self", 1, {"nested"}, .answer = answer_self},

	{"regime", 1, {"overhead", "cheap", "even", "mixed"}, .answer = answer_regime,
		.group = "regimes"},
	{"way_out", 2, {"left", "already", "stayed"}, .answer = answer_way_out, .compare = "size"},

	{"schedule", 1, {"later", "at_once"}, .answer = answer_schedule, .group = "cold"},
	{"first_step", 1, {"explained", "bare", "even"}, .answer = answer_first_step},
	{"warm_up", 3, {"moved", "still", "none"}, .answer = answer_warm_up,
		.compare = "cold_warm"},
	{"late_lane", 1, {"request", "host", "none"}, .answer = answer_late_lane, .gpu = true},
	{"lone_gap", 2, {"once", "often", "never"}, .answer = answer_lone_gap, .gpu = true},

	{"chain", 1, {"chain"}, .answer = answer_chain, .group = "chain"},
	{"batched", 2, {"batched", "plain"}, .answer = answer_batched},
	{"query", 2, {"query", "calls", "host", "none"}, .answer = answer_query, .gpu = true},

	{"wait", 2, {"work", "idle"}, .answer = answer_wait, .group = "waiting"},
	{"spread", 1, {"varies", "steady"}, .answer = answer_spread},
	{"median", 1, {"apart", "close"}, .answer = answer_median},

	{"fused", 2, {"copy", "kernel", "same"}, .answer = answer_fused, .group = "compiled",
		.compare = "eager_compiled"},
	{"compile_rows", 1, {"rows"}, .answer = answer_compile_rows},
	{"launches", 2, {"copy", "fewer", "same"}, .answer = answer_launches},
	{"bias", 3, {"copy", "no_copy"}, .answer = answer_bias, .compare = "bias"},
	{"compile_cost", 2, {"cheaper", "same", "dearer"}, .answer = answer_compile_cost},
	{"cheaper_mode", 3, {"lower", "not"}, .answer = answer_cheaper_mode, .compare = "graph"},
	{"addmm", 2, {"same", "other"}, .answer = answer_addmm},

	{"transpose", 1, {"view"}, .answer = answer_transpose, .group = "layers"},
	{"epilogue", 1, {"epilogue", "apart"}, .answer = answer_epilogue},
	{"one_layer", 2, {"cheaper", "even", "dearer", "other"}, .answer = answer_one_layer,
		.compare = "linear"},
	{"transpose_gone", 2, {"gone", "still"}, .answer = answer_transpose_gone},
	{"layout", 1, {"letters", "untold"}, .answer = answer_layout, .gpu = true},
	{"mlp", 1, {"kept", "other"}, .answer = answer_mlp},
	{"two_gemms", 1, {"one", "two"}, .answer = answer_two_gemms},
	{"op_names", 1, {"rows"}, .answer = answer_op_names},
	{"mlp_compiled", 2, {"fused", "other_gemms", "same"}, .answer = answer_mlp_compiled,
		.compare = "mlp"},
	{"fusion_gain", 2, {"faster", "slower"}, .answer = answer_fusion_gain},

	{"attention", 2, {"faster", "slower"}, .answer = answer_attention, .compare = "attention"},
	{"masked", 3, {"copied", "same"}, .answer = answer_masked, .compare = "causal"},

	{"packaged", 3, {"price", "free"}, .answer = answer_packaged, .group = "hand"},
	{"tuned", 1, {"grid", "plain"}, .answer = answer_tuned, .gpu = true},
	{"generic", 2, {"faster", "even", "slower"}, .answer = answer_generic, .compare = "mlp"},

	{"host_clock", 1, {"queued", "slow_call"}, .answer = answer_host_clock, .group = "lecture"},
	{"square", 1, {"square", "same"}, .answer = answer_square, .compare = "squares",
		.gpu = true, .instead = &square_wide},
	{"padded_row", 3, {"loop", "row"}, .answer = answer_row_kernels, .compare = "squares",
		.gpu = true, .instead = &row_instead},
	{"limits", 2, {"memory", "below"}, .answer = answer_limits},
	{"freedom", 2, {"pair"}, .answer = answer_freedom},
};

const int n_questions = sizeof questions / sizeof *questions;

const char *question_text(const struct texts *t, struct arena *a, const char *id, const char *name,
	const struct text_value *values, int n)
{
	const cJSON *m = config_find(config_find(texts_data(t, "questions"), id), name);
	const char *key = arena_printf(a, "%s.%s", id, name);
	if (!cJSON_IsString(m))
		return missing_text(t, a, "questions", key);
	return fill_text(t, a, "questions", key, m->valuestring, values, n);
}

const char *question_place(struct arena *a, int number)
{
	return arena_printf(a, "question-%d", number);
}

/* Looks in this run alone, and only for cases whose trace was read. */
static const struct report_case *find_case(const struct run *run, const char *id)
{
	for (int i = 0; i < run->n_cases; i++)
		if (run->cases[i].readable && !strcmp(run->cases[i].id, id))
			return &run->cases[i];
	return NULL;
}

const char *question_case(const struct document *d, const struct question *q, int i)
{
	const cJSON *own = config_find(texts_data(d->texts, "questions"), q->id);
	const cJSON *list = config_find(own, q->other ? "instead" : "cases");
	if (q->other)
		list = cJSON_GetArrayItem(list, q->other - 1);
	const cJSON *id = cJSON_GetArrayItem(list, i);
	return cJSON_IsString(id)
		? id->valuestring
		: missing_text(d->texts, d->arena, "questions",
			  arena_printf(d->arena, "%s.%s", q->id, q->other ? "instead" : "cases"));
}

static int cases_of(const struct document *d, const struct question *q, const struct run *run,
	const struct report_case **c)
{
	int found = 0;
	for (int i = 0; i < q->n_cases; i++)
		found += (c[i] = find_case(run, question_case(d, q, i))) != NULL;
	return found;
}

bool question_has_all(const struct document *d, const struct question *q, const struct run *run)
{
	const struct report_case *c[QUESTION_CASES];
	return cases_of(d, q, run, c) == q->n_cases;
}

const struct run *questions_run(const struct document *d, const struct input *in)
{
	const struct report_case *c[QUESTION_CASES];
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; in->runs[r].of_matrix && i < n_questions; i++)
			if (cases_of(d, &questions[i], &in->runs[r], c))
				return &in->runs[r];
	return NULL;
}

/* What is asked of a GPU is asked of the first run that has one and all the cases. */
static const struct run *run_for(
	const struct document *d, const struct input *in, const struct question *q)
{
	for (int r = 0; q->gpu && r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		if (run->is_gpu && question_has_all(d, q, run))
			return run;
	}
	return questions_run(d, in);
}

static const struct question *asked(
	const struct document *d, const struct input *in, const struct question *q)
{
	while (q->instead && !question_has_all(d, q, run_for(d, in, q)))
		q = q->instead;
	return q;
}

/* Its title, as a link where it has a page. */
static const char *title_of(struct document *d, const struct report_case *c)
{
	const struct text_value values[] = {{"title", c->title}, {"place", c->place}};
	bool shown = document_has_place(d, c->place);
	return question_text(d->texts, d->arena, "words", shown ? "case" : "no_case", values, 2);
}

static bool can_be_asked(const struct report_case *c)
{
	return c && c->analysis->n_steps && c->analysis->n_device;
}

/* The function's outcome; NULL when a case is missing or does not show it. */
static const char *outcome_of(struct document *d, const struct question *q, struct answer *a)
{
	static const char *const titles[QUESTION_CASES] = {"case", "other", "third"};
	for (int i = 0; i < q->n_cases && i < QUESTION_CASES; i++) {
		if (!can_be_asked(a->c[i]))
			return NULL;
		a->n[i] = numbers_of(a->c[i]->analysis);
		tell_numbers(a, i);
		fill_in(a, titles[i], title_of(d, a->c[i]));
	}
	const char *outcome = q->answer(a);
	for (int i = 0; outcome && i < QUESTION_OUTCOMES && q->outcome[i]; i++)
		if (!strcmp(q->outcome[i], outcome))
			return outcome;
	if (outcome)
		bug("question \"%s\" has no outcome \"%s\"", q->id, outcome);
	return NULL;
}

struct answered question_answer(
	struct document *d, const struct input *in, const struct question *q)
{
	q = asked(d, in, q);
	struct answered r = {.question = q, .run = run_for(d, in, q), .n = q->n_cases};
	struct answer *a = arena_alloc(d->arena, sizeof *a);
	*a = (struct answer){.arena = d->arena, .texts = d->texts, .run = r.run};
	cases_of(d, q, r.run, r.c);
	memcpy(a->c, r.c, sizeof a->c);
	const char *outcome = outcome_of(d, q, a);
	r.outcome = outcome ? outcome : "missing";
	r.text = question_text(d->texts, d->arena, q->id, r.outcome, a->value, a->n_values);
	r.answer = a;
	return r;
}

/* ---- two machines ---- */

/* Has the text a place for it: {name}, {=name} or {name?one|many}? */
static bool tells(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = text; (p = strchr(p, '{')) != NULL;) {
		p += p[1] == '=' ? 2 : 1;
		if (!strncmp(p, name, n) && (p[n] == '}' || p[n] == '?'))
			return true;
	}
	return false;
}

static int sign(double x)
{
	return (x > 0) - (x < 0);
}

static bool same_told(const struct quoted_value *one, const struct quoted_value *other)
{
	if (one->kind != other->kind)
		return false;
	switch (one->kind) {
	case TOLD_EXACTLY:
		return one->number == other->number;
	case TOLD_RATIO:
		return sign(one->number - 1) == sign(other->number - 1) &&
			sign(one->printed - 1) == sign(other->printed - 1);
	case TOLD_SHARE:
		return sign(one->number - 0.5) == sign(other->number - 0.5);
	case TOLD_WORDS:
	case TOLD_TIME:
		break;
	}
	return true;
}

/* Are the ith and the kth time in the same order here as there? */
static bool same_order(const struct answer *one, const struct answer *other, int i, int k)
{
	bool times = one->told[i].kind == TOLD_TIME && one->told[k].kind == TOLD_TIME;
	return !times ||
		sign(one->told[i].number - one->told[k].number) ==
		sign(other->told[i].number - other->told[k].number);
}

bool answers_agree(
	const struct document *d, const struct answered *one, const struct answered *other)
{
	const struct answer *x = one->answer, *y = other->answer;
	if (strcmp(one->outcome, other->outcome) != 0 || x->n_values != y->n_values)
		return false;
	const char *text = cJSON_GetStringValue(config_find(
		config_find(texts_data(d->texts, "questions"), one->question->id), one->outcome));
	for (int i = 0; text && i < x->n_values; i++) {
		if (!tells(text, x->value[i].name))
			continue;
		if (!same_told(&x->told[i], &y->told[i]))
			return false;
		for (int k = 0; k < i; k++)
			if (tells(text, x->value[k].name) && !same_order(x, y, i, k))
				return false;
	}
	return text != NULL;
}

static bool needs_case(const struct document *d, const struct question *q, const char *id)
{
	for (int i = 0; i < q->n_cases; i++)
		if (!strcmp(question_case(d, q, i), id))
			return true;
	return false;
}

void add_questions_of(struct document *d, const struct input *in, const struct report_case *c)
{
	struct arena *a = d->arena;
	struct text_builder list = {.arena = a};
	int n = 0;
	if (!document_lists(d, "questions") || !questions_run(d, in))
		return;
	for (int i = 0; i < n_questions; i++) {
		const struct question *q = asked(d, in, &questions[i]);
		if (!needs_case(d, q, c->id) || run_for(d, in, q) != c->run)
			continue;
		const struct text_value values[] = {
			{"n", format_count(a, i + 1)}, {"place", question_place(a, i + 1)}};
		text_add(&list, "%s%s",
			n++ ? question_text(d->texts, a, "words", "and", NULL, 0) : "",
			question_text(d->texts, a, "words", "number", values, 2));
	}
	const struct text_value all = {"list", text_built(&list)};
	if (n)
		document_add(d, BLOCK_CAPTION,
			question_text(
				d->texts, a, "words", n == 1 ? "answers_one" : "answers", &all, 1));
}
