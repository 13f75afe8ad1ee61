/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answer/questions.h"

#include "base/format.h"
#include "report/answer/parts.h"

#include <string.h>

/* These ids are cases of experiments/matrix.json. */
#define SMALL "matmul_add/64_bf16_warm_eager"
#define SMALL_COLD "matmul_add/64_bf16_cold_eager"
#define SMALL_AFTER_WARM_UP "matmul_add/64_bf16_cold_eager_after_warmup"
#define SMALL_AT_ONCE "matmul_add/64_bf16_warm_eager_at_once"
#define SMALL_COMPILED "matmul_add/64_bf16_warm_compile"
#define SMALL_GRAPH "matmul_add/64_bf16_warm_graph"
#define LARGE "matmul_add/4096_bf16_warm_eager"
#define LARGE_COMPILED "matmul_add/4096_bf16_warm_compile"
#define LARGE_FUSED "matmul_add/4096_bf16_warm_fused"
#define LARGE_OFTEN "matmul_add/4096_bf16_warm_eager_x20"
#define ADDMM "addmm/4096_bf16_warm_eager"
#define BATCH "bmm_add/8x64_bf16_warm_eager"
#define LINEAR "linear/1024_32_64_eager"
#define LINEAR_COMPILED "linear/1024_32_64_compile"
#define MLP "geglu_mlp/64_128_768_3072_eager"
#define MLP_COMPILED "geglu_mlp/64_128_768_3072_compile"
#define MLP_HAND "geglu_mlp/64_128_768_3072_handwritten"
#define MLP_NEW_SHAPE "geglu_mlp/64_128_768_3072_compile_then_32"
#define MLP_HAND_NEW_SHAPE "geglu_mlp/64_128_768_3072_handwritten_then_32"
#define ATTENTION "attention/16_2048_64_eager"
#define ATTENTION_FUSED "attention/16_2048_64_fused"
#define SQUARE_WIDE "square/256x65536"
/* These ids are cases of experiments/gpu.json. */
#define SQUARE "square/10000x10000_vectorised"
#define SQUARE_ROW "square_row/10000x10000"
#define SQUARE_ROW_LOOP "square_row_loop/10000x10000"

/* clang-format off: one row, one question */
static const struct question square_instead = {
	"square", {LINEAR}, {"nested", "alone"}, .answer = answer_renamed};
static const struct question square_wide = {"square", {SQUARE_WIDE}, {"square", "same"},
	.answer = answer_square, .instead = &square_instead};
static const struct question row_instead = {
	"padded_row", {MLP_HAND}, {"rule"}, .answer = answer_padded_row};

const struct question questions[] = {
	{"hotspot", {LARGE}, {"one", "spread"}, .answer = answer_hotspot, .group = "table"},
	{"when", {SMALL}, {"queued", "late", "early"}, .answer = answer_when},
	{"self", {SMALL}, {"nested"}, .answer = answer_self},

	{"regime", {SMALL}, {"overhead", "cheap", "mixed"}, .answer = answer_regime,
		.group = "regimes"},
	{"way_out", {SMALL, LARGE}, {"left", "already", "stayed"}, .answer = answer_way_out,
		.compare = "size"},

	{"schedule", {SMALL}, {"later", "at_once"}, .answer = answer_schedule, .group = "cold"},
	{"first_step", {SMALL_COLD}, {"explained", "bare", "even"}, .answer = answer_first_step},
	{"warm_up", {SMALL_COLD, SMALL, SMALL_AFTER_WARM_UP}, {"moved", "still", "none"},
		.answer = answer_warm_up, .compare = "cold_warm"},
	{"late_lane", {SMALL_AT_ONCE}, {"request", "host", "none"}, .answer = answer_late_lane,
		.gpu = true},
	{"lone_gap", {LARGE_OFTEN, SMALL}, {"once", "often", "never"}, .answer = answer_lone_gap,
		.gpu = true},

	{"chain", {SMALL}, {"chain"}, .answer = answer_chain, .group = "chain"},
	{"batched", {BATCH, SMALL}, {"batched", "plain"}, .answer = answer_batched},
	{"query", {SMALL, SMALL_COLD}, {"query", "calls", "host", "none"}, .answer = answer_query,
		.gpu = true},

	{"wait", {SMALL, LARGE}, {"work", "idle"}, .answer = answer_wait, .group = "waiting"},
	{"spread", {LARGE_OFTEN}, {"varies", "steady"}, .answer = answer_spread},
	{"median", {LARGE_OFTEN}, {"apart", "close"}, .answer = answer_median},

	{"fused", {LARGE, LARGE_COMPILED}, {"copy", "kernel", "same"}, .answer = answer_fused,
		.group = "compiled", .compare = "eager_compiled"},
	{"compile_rows", {SMALL_COMPILED}, {"rows"}, .answer = answer_compile_rows},
	{"launches", {LARGE, LARGE_COMPILED}, {"copy", "fewer", "same"}, .answer = answer_launches},
	{"bias", {LARGE, LARGE_COMPILED, LARGE_FUSED}, {"copy", "no_copy"}, .answer = answer_bias,
		.compare = "bias"},
	{"compile_cost", {SMALL, SMALL_COMPILED}, {"cheaper", "same", "dearer"},
		.answer = answer_compile_cost},
	{"cheaper_mode", {SMALL, SMALL_GRAPH}, {"lower", "not"}, .answer = answer_cheaper_mode,
		.compare = "graph"},
	{"addmm", {ADDMM, LARGE_COMPILED}, {"same", "other"}, .answer = answer_addmm},

	{"transpose", {LINEAR}, {"view"}, .answer = answer_transpose, .group = "layers"},
	{"epilogue", {LINEAR}, {"epilogue", "apart"}, .answer = answer_epilogue},
	{"one_layer", {LINEAR, LINEAR_COMPILED}, {"cheaper", "even", "dearer", "other"},
		.answer = answer_one_layer, .compare = "linear"},
	{"transpose_gone", {LINEAR, LINEAR_COMPILED}, {"gone", "still"},
		.answer = answer_transpose_gone},
	{"layout", {LINEAR}, {"letters", "untold"}, .answer = answer_layout, .gpu = true},
	{"mlp", {MLP}, {"kept", "other"}, .answer = answer_mlp},
	{"two_gemms", {MLP}, {"one", "two"}, .answer = answer_two_gemms},
	{"op_names", {LINEAR}, {"rows"}, .answer = answer_op_names},
	{"mlp_compiled", {MLP, MLP_COMPILED}, {"fused", "other_gemms", "same"},
		.answer = answer_mlp_compiled, .compare = "mlp"},
	{"fusion_gain", {MLP, MLP_COMPILED}, {"faster", "slower"}, .answer = answer_fusion_gain},

	{"attention", {ATTENTION, ATTENTION_FUSED}, {"faster", "slower"},
		.answer = answer_attention, .compare = "attention"},

	{"packaged", {MLP_HAND, MLP_NEW_SHAPE, MLP_HAND_NEW_SHAPE}, {"price", "free"},
		.answer = answer_packaged, .group = "hand"},
	{"tuned", {MLP_HAND}, {"grid", "plain"}, .answer = answer_tuned, .gpu = true},
	{"generic", {MLP_COMPILED, MLP_HAND}, {"faster", "even", "slower"},
		.answer = answer_generic, .compare = "mlp"},

	{"host_clock", {LARGE}, {"queued", "slow_call"}, .answer = answer_host_clock,
		.group = "lecture"},
	{"square", {SQUARE}, {"square", "same"}, .answer = answer_square, .compare = "squares",
		.gpu = true, .instead = &square_wide},
	{"padded_row", {SQUARE_ROW, SQUARE_ROW_LOOP, SQUARE}, {"loop", "row"},
		.answer = answer_row_kernels, .compare = "squares", .gpu = true,
		.instead = &row_instead},
	{"limits", {LARGE, LARGE_COMPILED}, {"memory", "below"}, .answer = answer_limits},
	{"freedom", {MLP_COMPILED, MLP_HAND}, {"pair"}, .answer = answer_freedom},
};
/* clang-format on */

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

static int cases_of(const struct question *q, const struct run *run, const struct report_case **c)
{
	int found = 0;
	for (int i = 0; i < QUESTION_CASES && q->needs[i]; i++)
		found += (c[i] = find_case(run, q->needs[i])) != NULL;
	return found;
}

static int needs_of(const struct question *q)
{
	int n = 0;
	while (n < QUESTION_CASES && q->needs[n])
		n++;
	return n;
}

bool question_has_all(const struct question *q, const struct run *run)
{
	const struct report_case *c[QUESTION_CASES];
	return cases_of(q, run, c) == needs_of(q);
}

const struct run *questions_run(const struct input *in)
{
	const struct report_case *c[QUESTION_CASES];
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; in->runs[r].of_matrix && i < n_questions; i++)
			if (cases_of(&questions[i], &in->runs[r], c))
				return &in->runs[r];
	return NULL;
}

/* What is asked of a GPU is asked of the first run that has one and all the cases. */
static const struct run *run_for(const struct input *in, const struct question *q)
{
	for (int r = 0; q->gpu && r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		if (run->is_gpu && question_has_all(q, run))
			return run;
	}
	return questions_run(in);
}

static const struct question *asked(const struct input *in, const struct question *q)
{
	while (q->instead && !question_has_all(q, run_for(in, q)))
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
	for (int i = 0; i < needs_of(q); i++) {
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
	q = asked(in, q);
	struct answered r = {.question = q, .run = run_for(in, q), .n = needs_of(q)};
	struct answer a = {.arena = d->arena, .texts = d->texts, .run = r.run};
	cases_of(q, r.run, r.c);
	memcpy(a.c, r.c, sizeof a.c);
	const char *outcome = outcome_of(d, q, &a);
	r.outcome = outcome ? outcome : "missing";
	r.text = question_text(d->texts, d->arena, q->id, r.outcome, a.value, a.n_values);
	return r;
}

static bool needs_case(const struct question *q, const char *id)
{
	for (int i = 0; i < needs_of(q); i++)
		if (!strcmp(q->needs[i], id))
			return true;
	return false;
}

void add_questions_of(struct document *d, const struct input *in, const struct report_case *c)
{
	struct arena *a = d->arena;
	const char *list = "";
	int n = 0;
	if (!document_lists(d, "questions") || !questions_run(in))
		return;
	for (int i = 0; i < n_questions; i++) {
		const struct question *q = asked(in, &questions[i]);
		if (!needs_case(q, c->id) || run_for(in, q) != c->run)
			continue;
		const struct text_value values[] = {
			{"n", format_count(a, i + 1)}, {"place", question_place(a, i + 1)}};
		list = arena_printf(a, "%s%s%s", list,
			n++ ? question_text(d->texts, a, "words", "and", NULL, 0) : "",
			question_text(d->texts, a, "words", "number", values, 2));
	}
	const struct text_value all = {"list", list};
	if (n)
		document_add(d, BLOCK_CAPTION,
			question_text(
				d->texts, a, "words", n == 1 ? "answers_one" : "answers", &all, 1));
}
