/* SPDX-License-Identifier: Apache-2.0 */
/*
 * questions_world.h - runs made for the questions: every case of the matrices that a question
 * needs, with a small trace whose numbers a test can change before it is made.
 *
 * Times are microseconds. A step is a range with operators, or with the rows of compiled code, that
 * call one after the other; the device works in order, behind them.
 */
#ifndef TESTS_UNIT_QUESTIONS_WORLD_H
#define TESTS_UNIT_QUESTIONS_WORLD_H

#include "report/analyse/analysis.h"
#include "report/analyse/idle_causes.h"
#include "report/course/questions.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/run/place_names.h"
#include "tests/unit/made_trace.h"
#include "tests/unit/page.h"

#include <math.h>

enum { WORLD_MOST = 32, PLAN_WORK = 6, PLAN_STEPS = 20 };

struct work {
	const char *outer, *op, *launch, *kernel; /* outer: NULL for none */
	double call_us, kernel_us;
	bool copy;
	int block;
};

struct plan {
	const char *id, *title, *entry; /* entry: the JSON of run.json */
	int first_step, n_steps;
	struct work work[PLAN_WORK]; /* until op is NULL */
	bool compiled; /* rows of compiled code in place of operators */
	double lookup_us;
	const char *transposition; /* an operator before the work, NULL */
	double first_us; /* of the CPU in the first step, without a row of its own */
	double setup_us, later_setup_us; /* first-call work in the first and the last step */
	const char *setup;
	double wait_us; /* the device is awake this much later than the first call's end */
	double request_us; /* the recorder's own row in the first launch */
	bool query; /* before the first launch */
	bool device_asked; /* another call there */
	double gap_us[PLAN_STEPS]; /* on the device, before the second piece of work */
	double slower[PLAN_STEPS]; /* times the first kernel, 0: once */
	double sync_us; /* 0: until the device has done all; less than 0: none */
	const char *dims, *strides; /* of operators' inputs */
};

struct world {
	struct input input;
	struct run run;
	struct report_case c[WORLD_MOST];
	struct made_trace made[WORLD_MOST];
	struct document document;
	struct arena arena;
	int n;
};

#define MATMUL(us) \
	{ \
		"tb::matmul", "tb::mm", "hostLaunchKernel", "brg:x matmul", 10, us, 0, 0 \
	}
#define ADD(us) \
	{ \
		NULL, "tb::add", "hostLaunchKernel", "jit:x add", 10, us, 0, 0 \
	}
#define COPY(us) \
	{ \
		NULL, "copy", "hostMemcpyAsync", "Memcpy HtoH (host -> host)", 5, us, 1, 0 \
	}
#define SUM(us) \
	{ \
		NULL, "sum", "hostLaunchKernel", "brg:x matmul+sum", 5, us, 0, 0 \
	}
#define POINTWISE(name, us) \
	{ \
		NULL, "tb::" name, "hostLaunchKernel", "jit:x " name, 10, us, 0, 0 \
	}
#define BY_HAND(us) \
	{ \
		NULL, "tb::geglu", "hostLaunchKernel", "tracebook_geglu_tanh_generic", 10, us, 0, \
			0 \
	}
#define SQUARED(name, us) \
	{ \
		NULL, "tb::" name, "cudaLaunchKernel", "tracebook_" name, 10, us, 0, 256 \
	}

#define SCHEDULE "\"schedule\": {\"wait\": 1, \"warmup\": 1, \"active\": 3}"
#define ENTRY(shape, flop, more) \
	"{" SCHEDULE ", \"dtype\": \"bf16\", \"shape\": {" shape \
	"}, \"flop_per_step\": " flop more "}"
#define OF_SMALL ENTRY("\"size\": 64", "1000", "")
#define OF_LARGE ENTRY("\"size\": 4096", "64000000", "")
#define OF_MLP \
	ENTRY("\"batch\": 64, \"seq\": 128, \"dim\": 768, \"hidden\": 3072", "5", \
		", \"expect\": {\"kernels\": 5}")
#define OF_LINEAR ENTRY("\"batch\": 1024, \"in_dim\": 32, \"out_dim\": 64", "7", "")
#define OF_SQUARE ENTRY("\"batch\": 10000, \"dim\": 10000", "9", "")

#define OF_ATTENTION \
	ENTRY("\"batch\": 2, \"seq\": 8, \"dim\": 4", "9", \
		", \"kernel_work\": [" \
		"{\"class\": \"gemm\", \"read_bytes\": 256, \"write_bytes\": 256}, " \
		"{\"class\": \"reduction\", \"read_bytes\": 256, \"write_bytes\": 256}, " \
		"{\"class\": \"attention\", \"read_bytes\": 300, \"write_bytes\": 212}]")

#define PLAN(id_, title_, entry_, first, n, ...) \
	{ \
		.id = id_, .title = title_, .entry = entry_, .first_step = first, .n_steps = n, \
		.work = __VA_ARGS__ \
	}

/* One of each, as a computer with a GPU that is slow to ask would have measured it. */
static const struct plan plans[] = {
	PLAN("matmul_add/64_bf16_warm_eager", "small", OF_SMALL, 2, 3, {MATMUL(2), ADD(1)},
		.dims = "[[64, 64], [64, 64]]"),
	PLAN("matmul_add/64_bf16_cold_eager", "small, cold", OF_SMALL, 0, 3, {MATMUL(2), ADD(1)},
		.setup_us = 500),
	PLAN("matmul_add/64_bf16_cold_eager_after_warmup", "small, later", OF_SMALL, 2, 3,
		{MATMUL(2), ADD(1)}),
	PLAN("matmul_add/64_bf16_warm_eager_at_once", "small, at once", OF_SMALL, 0, 3,
		{MATMUL(2), ADD(1)}),
	PLAN("matmul_add/64_bf16_warm_compile", "small, compiled", OF_SMALL, 2, 3,
		{COPY(1), SUM(2)}, .compiled = true, .lookup_us = 30),
	PLAN("matmul_add/64_bf16_warm_graph", "small, graph", OF_SMALL, 2, 3, {SUM(3)},
		.compiled = true, .lookup_us = 1),
	PLAN("matmul_add/4096_bf16_warm_eager", "large", OF_LARGE, 2, 3, {MATMUL(900), ADD(40)}),
	PLAN("matmul_add/4096_bf16_warm_compile", "large, compiled", OF_LARGE, 2, 3,
		{COPY(30), SUM(920)}, .compiled = true, .lookup_us = 1),
	PLAN("matmul_add/4096_bf16_warm_fused", "large, fused", OF_LARGE, 2, 3, {SUM(910)},
		.compiled = true, .lookup_us = 1),
	PLAN("matmul_add/4096_bf16_warm_eager_x20", "often", OF_LARGE, 2, 20,
		{MATMUL(900), ADD(40)}, .slower[7] = 4),
	PLAN("addmm/4096_bf16_warm_eager", "addmm", OF_LARGE, 2, 3, {COPY(30), SUM(920)}),
	PLAN("bmm_add/8x64_bf16_warm_eager", "batch",
		ENTRY("\"batch\": 8, \"size\": 64", "8000", ""), 2, 3,
		{{"tb::matmul", "tb::bmm", "hostLaunchKernel", "brg:x matmul", 10, 8, 0, 0},
			ADD(4)},
		.dims = "[[8, 64, 64], [8, 64, 64]]"),
	PLAN("linear/1024_32_64_eager", "layer", OF_LINEAR, 2, 3,
		{{"tb::linear", "tb::addmm", "hostLaunchKernel", "brg:x matmul+bias", 10, 50, 0,
			0}},
		.transposition = "tb::t", .dims = "[[64, 32]]", .strides = "[[32, 1]]"),
	PLAN("linear/1024_32_64_compile", "layer, compiled", OF_LINEAR, 2, 3,
		{{NULL, "x", "hostLaunchKernel", "brg:x matmul+bias", 5, 50, 0, 0}},
		.compiled = true, .lookup_us = 1),
	PLAN("geglu_mlp/64_128_768_3072_eager", "mlp", OF_MLP, 2, 3,
		{MATMUL(190), MATMUL(191), POINTWISE("gelu_tanh", 60), POINTWISE("mul", 90),
			MATMUL(170)}),
	PLAN("geglu_mlp/64_128_768_3072_compile", "mlp, compiled", OF_MLP, 2, 3,
		{MATMUL(190), MATMUL(191), POINTWISE("gelu_tanh*mul", 89), MATMUL(170)},
		.compiled = true, .lookup_us = 1),
	PLAN("geglu_mlp/64_128_768_3072_handwritten", "mlp, by hand", OF_MLP, 2, 3,
		{MATMUL(190), MATMUL(191), BY_HAND(96), MATMUL(170)}),
	PLAN("geglu_mlp/64_128_768_3072_compile_then_32", "mlp, new shape", OF_MLP, 2, 3,
		{MATMUL(190), POINTWISE("gelu_tanh*mul", 89), MATMUL(170)}, .compiled = true,
		.lookup_us = 1, .later_setup_us = 700),
	PLAN("geglu_mlp/64_128_768_3072_handwritten_then_32", "mlp, by hand, new shape", OF_MLP, 2,
		3, {MATMUL(190), BY_HAND(96), MATMUL(170)}, .compiled = true, .later_setup_us = 900,
		.setup = "page faults of first touch"),
	PLAN("attention/16_2048_64_eager", "attention", OF_ATTENTION, 2, 3,
		{MATMUL(100), POINTWISE("softmax", 50), MATMUL(100)}),
	PLAN("attention/16_2048_64_fused", "attention, one kernel", OF_ATTENTION, 2, 3,
		{POINTWISE("attention", 125)}),
	PLAN("causal_attention/16_2048_64_eager", "masked", OF_ATTENTION, 2, 3,
		{MATMUL(100), COPY(40), POINTWISE("softmax", 50), MATMUL(100)}),
	PLAN("causal_attention/16_2048_64_in_place", "masked in place", OF_ATTENTION, 2, 3,
		{MATMUL(100), POINTWISE("softmax", 50), MATMUL(100)}),
	PLAN("causal_attention/16_2048_64_fused", "masked, one kernel", OF_ATTENTION, 2, 3,
		{POINTWISE("attention", 25)}),
	PLAN("square/10000x10000_vectorised", "square", OF_SQUARE, 2, 3, {SQUARED("square", 170)}),
	PLAN("square_row/10000x10000", "rows", OF_SQUARE, 2, 3, {SQUARED("square_row", 300)}),
	PLAN("square_row_loop/10000x10000", "rows in a loop", OF_SQUARE, 2, 3,
		{SQUARED("square_row_loop", 200)}),
	PLAN("square/256x65536", "wide rows", OF_SQUARE, 2, 3, {SQUARED("square_wide", 30)}),
};

enum { N_PLANS = sizeof plans / sizeof *plans };

/* The plans of the next world, to be changed. */
static struct plan changed[N_PLANS];

static inline struct plan *plan_of(const char *id)
{
	for (int i = 0; i < N_PLANS; i++)
		if (!strcmp(changed[i].id, id))
			return &changed[i];
	fail_msg("no plan %s", id);
	return NULL;
}

#define SMALL plan_of("matmul_add/64_bf16_warm_eager")
#define COLD plan_of("matmul_add/64_bf16_cold_eager")
#define AT_ONCE plan_of("matmul_add/64_bf16_warm_eager_at_once")
#define SMALL_COMPILED plan_of("matmul_add/64_bf16_warm_compile")
#define GRAPH plan_of("matmul_add/64_bf16_warm_graph")
#define LARGE plan_of("matmul_add/4096_bf16_warm_eager")
#define LARGE_COMPILED plan_of("matmul_add/4096_bf16_warm_compile")
#define OFTEN plan_of("matmul_add/4096_bf16_warm_eager_x20")
#define ADDMM plan_of("addmm/4096_bf16_warm_eager")
#define BATCH plan_of("bmm_add/8x64_bf16_warm_eager")
#define LAYER plan_of("linear/1024_32_64_eager")
#define LAYER_COMPILED plan_of("linear/1024_32_64_compile")
#define MLP plan_of("geglu_mlp/64_128_768_3072_eager")
#define MLP_COMPILED plan_of("geglu_mlp/64_128_768_3072_compile")
#define MLP_HAND plan_of("geglu_mlp/64_128_768_3072_handwritten")
#define MLP_NEW plan_of("geglu_mlp/64_128_768_3072_compile_then_32")
#define ATTENTION_FUSED plan_of("attention/16_2048_64_fused")
#define MASKED_IN_PLACE plan_of("causal_attention/16_2048_64_in_place")
#define SQUARE plan_of("square/10000x10000_vectorised")
#define ROW plan_of("square_row/10000x10000")

static inline void use_plans(void)
{
	memcpy(changed, plans, sizeof plans);
}

struct maker {
	struct made_trace *made;
	const struct plan *plan;
	double host_us, device_us;
	uint32_t correlation;
};

static inline void make_setup(struct maker *k, double us)
{
	const char *name = k->plan->setup ? k->plan->setup : "primitive creation (JIT)";
	if (us > 0)
		made_add(k->made, EVENT_OP, name, k->host_us, k->host_us + us, 0)->extra = "setup";
	k->host_us += us;
}

static inline void make_call(struct maker *k, const struct work *w, int step, int i)
{
	const struct plan *p = k->plan;
	if (p->query && !i) {
		made_add(k->made, EVENT_RUNTIME, "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
			k->host_us, k->host_us + 1, 0);
		k->host_us += 1.5;
	}
	if (p->device_asked && !i) {
		made_add(k->made, EVENT_RUNTIME, "cudaGetDevice", k->host_us, k->host_us + 0.2, 0);
		k->host_us += 0.3;
	}
	double us = w->call_us + (!step && !i ? p->request_us : 0);
	made_add(k->made, EVENT_RUNTIME, w->launch, k->host_us, k->host_us + us, ++k->correlation);
	if (!step && !i && p->request_us > 0)
		made_add(k->made, EVENT_OVERHEAD, "Activity Buffer Request", k->host_us + 1,
			k->host_us + 1 + p->request_us, 0);
	k->host_us += us;
	double slower = !i && p->slower[step] > 0 ? p->slower[step] : 1;
	double start = fmax(k->host_us + (i || step ? 3 : 3 + p->wait_us), k->device_us + 0.5);
	start += i == 1 ? p->gap_us[step] : 0;
	k->device_us = start + w->kernel_us * slower;
	enum event_kind kind = w->copy ? EVENT_MEMCPY : EVENT_KERNEL;
	if (!strncmp(w->kernel, "Memset", 6))
		kind = EVENT_MEMSET;
	struct made_event *e =
		made_add(k->made, kind, w->kernel, start, k->device_us, k->correlation);
	e->grid = w->block ? 100 : 0;
	e->block = w->block;
}

static inline void make_work(struct maker *k, const struct work *w, int step, int i)
{
	double start = k->host_us;
	int outer = -1, op = -1;
	if (w->outer) {
		made_add(k->made, EVENT_OP, w->outer, start, start, 0);
		outer = k->made->n - 1;
		k->host_us += 0.5;
	}
	if (!k->plan->compiled) {
		struct made_event *e =
			made_add(k->made, EVENT_OP, w->op, k->host_us, k->host_us, 0);
		e->extra = k->plan->dims && !k->plan->transposition ? "inputs" : NULL;
		op = k->made->n - 1;
		k->host_us += 0.5;
	}
	if (!i && k->plan->transposition) {
		made_add(k->made, EVENT_OP, k->plan->transposition, k->host_us, k->host_us + 0.2, 0)
			->extra = "inputs";
		k->host_us += 0.3;
	}
	if (!i && !step)
		make_setup(k, k->plan->setup_us);
	make_call(k, w, step, i);
	if (op >= 0)
		k->made->event[op].end_us = k->host_us += 0.2;
	if (outer >= 0)
		k->made->event[outer].end_us = k->host_us += 0.2;
}

static inline void make_step(struct maker *k, int step)
{
	const struct plan *p = k->plan;
	char *name = arena_printf(&k->made->arena, "ProfilerStep#%d", p->first_step + step);
	made_add(k->made, EVENT_ANNOTATION, name, k->host_us, k->host_us, 0);
	int own = k->made->n - 1, region = -1;
	k->host_us += 1 + (step ? 0 : p->first_us);
	if (p->compiled) {
		made_add(k->made, EVENT_OP, "cache lookup", k->host_us, k->host_us + p->lookup_us,
			0);
		k->host_us += p->lookup_us;
		made_add(k->made, EVENT_OP, "guard check", k->host_us, k->host_us + 0.5, 0);
		k->host_us += 0.6;
		make_setup(k, step == p->n_steps - 1 ? p->later_setup_us : 0);
		made_add(k->made, EVENT_OP, "compiled region 0/0", k->host_us, k->host_us, 0);
		region = k->made->n - 1;
		made_add(k->made, EVENT_OP, "call graph 0123abcd", k->host_us + 0.1, k->host_us, 0);
		k->host_us += 0.2;
	}
	for (int i = 0; i < PLAN_WORK && p->work[i].op; i++)
		make_work(k, &p->work[i], step, i);
	if (region >= 0) {
		k->made->event[region + 1].end_us = k->host_us += 0.1;
		k->made->event[region].end_us = k->host_us += 0.1;
	}
	k->made->event[own].end_us = k->host_us += 0.5;
	k->host_us += 0.5;
}

/* Inputs that the made trace's own rows do not hold. */
static inline void make_inputs(struct made_trace *m, const struct plan *p)
{
	struct trace *t = &m->trace;
	for (size_t i = 0; i < t->n_inputs; i++) {
		if (strcmp(names_text(&t->names, t->inputs[i].extra), "inputs") != 0)
			continue;
		t->inputs[i].extra = 0;
		t->inputs[i].dims = p->dims ? names_add_text(&t->names, p->dims) : 0;
		t->inputs[i].strides = p->strides ? names_add_text(&t->names, p->strides) : 0;
	}
}

static inline void add_plan(struct world *w, const struct plan *p)
{
	struct made_trace *m = &w->made[w->n];
	struct report_case *c = &w->c[w->n++];
	struct maker k = {.made = m, .plan = p, .host_us = 100};
	for (int step = 0; step < p->n_steps; step++)
		make_step(&k, step);
	double end = p->sync_us > 0 ? k.host_us + p->sync_us : fmax(k.device_us, k.host_us) + 1;
	if (p->sync_us >= 0)
		made_add(m, EVENT_RUNTIME, "hostQueueSynchronize", k.host_us, end, 0);
	made_seal(m);
	make_inputs(m, p);
	*c = (struct report_case){.id = p->id,
		.place = place_of(&w->arena, p->id, 0),
		.title = p->title,
		.status = "done",
		.scaled = "",
		.raw_entry = cJSON_Parse(p->entry),
		.readable = true,
		.trace = m->trace,
		.verdicts = arena_alloc(&w->arena, sizeof *c->verdicts),
		.run = &w->run};
	assert_non_null(c->raw_entry);
	c->work = case_work_of(&w->arena, c->raw_entry);
	struct analysis *an = arena_alloc(&w->arena, sizeof *an);
	*an = analysis_of(&w->arena, &c->trace);
	c->analysis = an;
	struct idle_causes *idle_causes = arena_alloc(&w->arena, sizeof *idle_causes);
	*idle_causes = idle_causes_of(&w->arena, an);
	c->idle_causes = idle_causes;
}

/* A run on a device with the given cases; each has a place in the document. */
static inline struct world *make_world(const char *device, const struct plan *p, int n)
{
	struct world *w = xcalloc(1, sizeof *w);
	for (int i = 0; i < n; i++)
		add_plan(w, &p[i]);
	w->run = (struct run){.folder = "run",
		.raw_manifest = cJSON_Parse("{}"),
		.of_matrix = true,
		.machine = machine_facts_of(&w->arena, NULL),
		.comparisons = run_comparisons_of(&w->arena, NULL),
		.guessed = "",
		.device = device,
		.is_gpu = strcmp(device, "host") != 0,
		.created = "",
		.cases = w->c,
		.n_cases = w->n};
	w->input = (struct input){.runs = &w->run, .n_runs = 1};
	document_init(&w->document, &w->arena, texts, fonts);
	for (int i = 0; i < w->n; i++)
		document_heading(&w->document, 1, w->c[i].place, w->c[i].title);
	return w;
}

static inline void release_world(struct world *w)
{
	for (int i = 0; i < w->n; i++) {
		made_release(&w->made[i]);
		cJSON_Delete((cJSON *)(uintptr_t)w->c[i].raw_entry);
	}
	cJSON_Delete(w->run.raw_manifest);
	arena_release(&w->arena);
	free(w);
}

static inline const struct question *find_question(const char *id)
{
	for (int i = 0; i < n_questions; i++)
		if (!strcmp(questions[i].id, id))
			return &questions[i];
	fail_msg("no question %s", id);
	return NULL;
}

static inline void assert_texts(void)
{
	struct err err = {0};
	if (texts_error(texts, &err))
		fail_msg("%s", err.text);
}

#endif
