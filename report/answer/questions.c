/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answer/questions.h"

#include "base/format.h"
#include "report/answer/parts.h"

#include <string.h>

/* Cases of experiments/matrix.json. */
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
#define SQUARE_WIDE "square/256x65536"
/* Cases of experiments/gpu.json. */
#define SQUARE "square/10000x10000_vectorised"
#define SQUARE_ROW "square_row/10000x10000"
#define SQUARE_ROW_LOOP "square_row_loop/10000x10000"

/* clang-format off: one row, one question */
static const struct question square_instead = {
	"square", NULL, {LINEAR}, NULL, {"nested", "alone"}, answer_renamed, 0, NULL};
static const struct question square_wide = {
	"square", NULL, {SQUARE_WIDE}, NULL, {"square", "same"}, answer_square, 0, &square_instead};
static const struct question row_instead = {
	"padded_row", NULL, {MLP_HAND}, NULL, {"rule"}, answer_padded_row, 0, NULL};

const struct question questions[] = {
	{"hotspot", "table", {LARGE}, NULL, {"one", "spread"}, answer_hotspot, 0, NULL},
	{"when", NULL, {SMALL}, NULL, {"queued", "late", "early"}, answer_when, 0, NULL},
	{"self", NULL, {SMALL}, NULL, {"nested"}, answer_self, 0, NULL},

	{"regime", "regimes", {SMALL}, NULL, {"overhead", "cheap", "mixed"}, answer_regime, 0,
		NULL},
	{"way_out", NULL, {SMALL, LARGE}, "size", {"left", "already", "stayed"}, answer_way_out, 0,
		NULL},

	{"schedule", "cold", {SMALL}, NULL, {"later", "at_once"}, answer_schedule, 0, NULL},
	{"first_step", NULL, {SMALL_COLD}, NULL, {"explained", "bare", "even"}, answer_first_step,
		0, NULL},
	{"warm_up", NULL, {SMALL_COLD, SMALL, SMALL_AFTER_WARM_UP}, "cold_warm",
		{"moved", "still", "none"}, answer_warm_up, 0, NULL},
	{"late_lane", NULL, {SMALL_AT_ONCE}, NULL, {"request", "host", "none"}, answer_late_lane, 1,
		NULL},
	{"lone_gap", NULL, {LARGE_OFTEN, SMALL}, NULL, {"once", "often", "never"}, answer_lone_gap,
		1, NULL},

	{"chain", "chain", {SMALL}, NULL, {"chain"}, answer_chain, 0, NULL},
	{"batched", NULL, {BATCH, SMALL}, NULL, {"batched", "plain"}, answer_batched, 0, NULL},
	{"query", NULL, {SMALL, SMALL_COLD}, NULL, {"query", "calls", "host", "none"}, answer_query,
		1, NULL},

	{"wait", "waiting", {SMALL, LARGE}, NULL, {"work", "idle"}, answer_wait, 0, NULL},
	{"spread", NULL, {LARGE_OFTEN}, NULL, {"varies", "steady"}, answer_spread, 0, NULL},
	{"median", NULL, {LARGE_OFTEN}, NULL, {"apart", "close"}, answer_median, 0, NULL},

	{"fused", "compiled", {LARGE, LARGE_COMPILED}, "eager_compiled", {"copy", "kernel", "same"},
		answer_fused, 0, NULL},
	{"compile_rows", NULL, {SMALL_COMPILED}, NULL, {"rows"}, answer_compile_rows, 0, NULL},
	{"launches", NULL, {LARGE, LARGE_COMPILED}, NULL, {"copy", "fewer", "same"},
		answer_launches, 0, NULL},
	{"bias", NULL, {LARGE, LARGE_COMPILED, LARGE_FUSED}, "bias", {"copy", "no_copy"},
		answer_bias, 0, NULL},
	{"compile_cost", NULL, {SMALL, SMALL_COMPILED}, NULL, {"cheaper", "same", "dearer"},
		answer_compile_cost, 0, NULL},
	{"cheaper_mode", NULL, {SMALL, SMALL_GRAPH}, "graph", {"lower", "not"}, answer_cheaper_mode,
		0, NULL},
	{"addmm", NULL, {ADDMM, LARGE_COMPILED}, NULL, {"same", "other"}, answer_addmm, 0, NULL},

	{"transpose", "layers", {LINEAR}, NULL, {"view"}, answer_transpose, 0, NULL},
	{"epilogue", NULL, {LINEAR}, NULL, {"epilogue", "apart"}, answer_epilogue, 0, NULL},
	{"one_layer", NULL, {LINEAR, LINEAR_COMPILED}, "linear",
		{"cheaper", "even", "dearer", "other"}, answer_one_layer, 0, NULL},
	{"transpose_gone", NULL, {LINEAR, LINEAR_COMPILED}, NULL, {"gone", "still"},
		answer_transpose_gone, 0, NULL},
	{"layout", NULL, {LINEAR}, NULL, {"letters", "untold"}, answer_layout, 1, NULL},
	{"mlp", NULL, {MLP}, NULL, {"kept", "other"}, answer_mlp, 0, NULL},
	{"two_gemms", NULL, {MLP}, NULL, {"one", "two"}, answer_two_gemms, 0, NULL},
	{"op_names", NULL, {LINEAR}, NULL, {"rows"}, answer_op_names, 0, NULL},
	{"mlp_compiled", NULL, {MLP, MLP_COMPILED}, "mlp", {"fused", "other_gemms", "same"},
		answer_mlp_compiled, 0, NULL},
	{"fusion_gain", NULL, {MLP, MLP_COMPILED}, NULL, {"faster", "slower"}, answer_fusion_gain,
		0, NULL},

	{"packaged", "hand", {MLP_HAND, MLP_NEW_SHAPE, MLP_HAND_NEW_SHAPE}, NULL, {"price", "free"},
		answer_packaged, 0, NULL},
	{"tuned", NULL, {MLP_HAND}, NULL, {"grid", "plain"}, answer_tuned, 1, NULL},
	{"generic", NULL, {MLP_COMPILED, MLP_HAND}, "mlp", {"faster", "even", "slower"},
		answer_generic, 0, NULL},

	{"host_clock", "lecture", {LARGE}, NULL, {"queued", "slow_call"}, answer_host_clock, 0,
		NULL},
	{"square", NULL, {SQUARE}, "squares", {"square", "same"}, answer_square, 1, &square_wide},
	{"padded_row", NULL, {SQUARE_ROW, SQUARE_ROW_LOOP, SQUARE}, "squares", {"loop", "row"},
		answer_row_kernels, 1, &row_instead},
	{"limits", NULL, {LARGE, LARGE_COMPILED}, NULL, {"memory", "below"}, answer_limits, 0,
		NULL},
	{"freedom", NULL, {MLP_COMPILED, MLP_HAND}, NULL, {"pair"}, answer_freedom, 0, NULL},
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

/* Of this run alone, with a trace that was read. */
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
		for (int i = 0; in->runs[r].manifest && i < n_questions; i++)
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
