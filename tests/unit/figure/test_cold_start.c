/* SPDX-License-Identifier: Apache-2.0 */
/* The cold-start window and its parts: they sum to it whatever the trace holds, and no cause is
 * named that no span bears. */
#include "report/figure/cold_start.h"
#include "tests/unit/made_trace.h"
#include "tests/unit/page.h"

static struct made_trace made;
static struct analysis analysis;

static struct made_event *add(
	enum event_kind kind, const char *name, double start, double end, uint32_t correlation)
{
	return made_add(&made, kind, name, start, end, correlation);
}

static struct cold_start split(void)
{
	analysis = analysis_of(&made.arena, made_seal(&made));
	return cold_split(&arena, &analysis, 0, analysis.n_steps - 1);
}

static int begin(void **state)
{
	(void)state;
	made = (struct made_trace){0};
	return 0;
}

static int end(void **state)
{
	made_release(&made);
	return clear_arena(state);
}

static const struct cold_part *part_of(const struct cold_start *c, enum cold_cause cause)
{
	for (int i = 0; i < c->n; i++)
		if (c->part[i].cause == cause)
			return &c->part[i];
	return NULL;
}

static void assert_part(
	const struct cold_start *c, enum cold_cause cause, double us, uint32_t spans)
{
	const struct cold_part *p = part_of(c, cause);
	if (!p)
		fail_msg("no part %s", cold_cause_name(cause));
	assert_int_equal(p->ns, (int64_t)(us * 1000));
	assert_int_equal(p->spans, spans);
}

static void assert_sums(const struct cold_start *c)
{
	int64_t parts = 0, sums = 0, usual = 0;
	for (int i = 0; i < c->n; i++) {
		assert_true(c->part[i].ns > 0);
		parts += c->part[i].ns;
		usual += c->part[i].usual_ns;
		assert_true(!i || i + 1 == c->n || c->part[i].ns <= c->part[i - 1].ns);
	}
	for (uint32_t i = 0; i < c->n_sums; i++)
		sums += c->sum[i].ns;
	assert_int_equal(parts, c->to_ns - c->from_ns);
	assert_int_equal(sums, parts);
	assert_true(usual <= c->usual_ns);
}

/* What a GPU's first step may look like. */
static void a_gpu(void **state)
{
	(void)state;
	add(EVENT_ANNOTATION, "ProfilerStep#0", 0, 1000, 0);
	add(EVENT_ANNOTATION, "block", 10, 990, 0);
	add(EVENT_OP, "aten::mm", 200, 900, 0);
	add(EVENT_RUNTIME, "cudaMalloc", 210, 260, 0);
	add(EVENT_RUNTIME, "cudaFuncGetAttributes", 270, 300, 0);
	add(EVENT_RUNTIME, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", 300, 310, 0);
	add(EVENT_RUNTIME, "cudaLaunchKernel", 320, 720, 1);
	add(EVENT_OVERHEAD, "Lazy Function Loading", 330, 430, 0)->track = MADE_OTHER_THREAD;
	add(EVENT_OVERHEAD, "Activity Buffer Request", 450, 650, 0)->track = MADE_OTHER_THREAD;
	/* Begins in no call of this thread: it is nobody's cause here. */
	add(EVENT_OVERHEAD, "Buffer Flush", 700, 800, 0)->track = MADE_OTHER_THREAD;
	add(EVENT_RUNTIME, "cudaLaunchKernel", 850, 860, 2);
	add(EVENT_RUNTIME, "cudaDeviceSynchronize", 920, 960, 0);
	add(EVENT_KERNEL, "gemm", 730, 740, 1);
	add(EVENT_KERNEL, "gemm", 870, 880, 2);
	add(EVENT_ANNOTATION, "ProfilerStep#1", 1000, 1020, 0);
	add(EVENT_RUNTIME, "cudaLaunchKernel", 1005, 1010, 3);
	add(EVENT_KERNEL, "gemm", 1012, 1020, 3);
	struct cold_start c = split();
	assert_sums(&c);
	assert_part(&c, COLD_MEMORY, 50, 1);
	assert_part(&c, COLD_ATTRIBUTES, 30, 1);
	assert_part(&c, COLD_QUERIES, 10, 1);
	assert_part(&c, COLD_LOADING, 100, 1);
	assert_part(&c, COLD_RECORDER, 200, 1);
	assert_part(&c, COLD_FIRST_LAUNCH, 100, 1);
	assert_part(&c, COLD_LAUNCH, 10, 1);
	assert_part(&c, COLD_WAIT, 40, 1);
	assert_part(&c, COLD_OPERATORS, 200, 1);
	assert_part(&c, COLD_UNEXPLAINED, 260, 0);
	assert_int_equal(c.part[c.n - 1].cause, COLD_UNEXPLAINED);
	assert_int_equal(part_of(&c, COLD_LAUNCH)->usual_ns, 5000);
	assert_int_equal(part_of(&c, COLD_MEMORY)->usual_ns, 0);
	assert_int_equal(c.usual_ns, 20000);
}

/* The host device's own spans; nested ones belong to the innermost. */
static void the_host(void **state)
{
	static const struct {
		const char *name;
		enum cold_cause cause;
	} setup[] = {{"allocate 8192 bytes", COLD_MEMORY},
		{"page faults of first touch", COLD_TOUCH},
		{"oneDNN engine creation", COLD_HANDLES},
		{"primitive creation (JIT)", COLD_COMPILING}, {"graph compile", COLD_COMPILING},
		{"plan", COLD_COMPILING}, {"queue thread start", COLD_THREADS},
		{"load tracebook_fused", COLD_LOADING}, {"something else", COLD_SETUP}};
	(void)state;
	double at = 10;
	add(EVENT_ANNOTATION, "ProfilerStep#0", 0, 500, 0);
	add(EVENT_OP, "tb::add", 5, 480, 0);
	for (size_t i = 0; i < sizeof setup / sizeof *setup; i++, at += 40)
		add(EVENT_OP, setup[i].name, at, at + 30, 0)->extra = "setup";
	add(EVENT_OP, "allocate 64 bytes", 12, 17, 0)->extra = "setup";
	add(EVENT_ANNOTATION, "ProfilerStep#1", 500, 501, 0);
	struct cold_start c = split();
	assert_sums(&c);
	assert_part(&c, COLD_COMPILING, 90, 3);
	assert_part(&c, COLD_MEMORY, 30, 2);
	assert_part(&c, COLD_SETUP, 30, 1);
	assert_part(&c, COLD_OPERATORS, 475 - 270, 1);
	assert_part(&c, COLD_UNEXPLAINED, 25, 0);
	for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
		assert_non_null(part_of(&c, setup[i].cause));
}

/* Calls that name their cause, as an H200's first step has them; others are calls. */
static void calls_by_name(void **state)
{
	static const struct {
		const char *name;
		enum cold_cause cause;
	} call[] = {{"cuGetProcAddress_v2", COLD_LOADING}, {"cuLibraryLoadData", COLD_LOADING},
		{"cuModuleGetFunction", COLD_LOADING}, {"cuKernelGetAttribute", COLD_ATTRIBUTES},
		{"cudaFuncSetAttribute", COLD_ATTRIBUTES}, {"cudaFree", COLD_MEMORY},
		{"cudaStreamCreateWithFlags", COLD_HANDLES}, {"cudaMemsetAsync", COLD_LAUNCH},
		{"cudaOccupancyMaxActiveClusters", COLD_QUERIES},
		{"cudaDeviceGetAttribute", COLD_CALL}, {"cudaStreamSynchronize", COLD_WAIT}};
	enum { CALLS = sizeof call / sizeof *call };
	(void)state;
	double us[COLD_CAUSES] = {0};
	add(EVENT_ANNOTATION, "ProfilerStep#0", 0, 1000, 0);
	for (int i = 0; i < CALLS; i++) {
		add(EVENT_RUNTIME, call[i].name, i * 50, i * 50 + i + 1, 0);
		us[call[i].cause] += i + 1;
	}
	add(EVENT_ANNOTATION, "ProfilerStep#1", 1000, 1010, 0);
	struct cold_start c = split();
	assert_sums(&c);
	for (int k = 0; k < COLD_CAUSES; k++)
		if (us[k] > 0)
			assert_int_equal(
				part_of(&c, (enum cold_cause)k)->ns, (int64_t)(us[k] * 1000));
}

/* A driver call in a first launch belongs to it; the same kernel again is no first launch. */
static void calls_in_calls(void **state)
{
	(void)state;
	add(EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	for (int i = 0; i < 2; i++) {
		double t = 10 + i * 40;
		uint32_t id = (uint32_t)i + 1;
		add(EVENT_RUNTIME, "cudaLaunchKernel", t, t + 30, id);
		add(EVENT_DRIVER, "cuLaunchKernel", t + 10, t + 20, id);
		add(EVENT_KERNEL, "gemm", t + 25, t + 35, id);
	}
	add(EVENT_ANNOTATION, "ProfilerStep#1", 100, 110, 0);
	struct cold_start c = split();
	assert_sums(&c);
	assert_part(&c, COLD_FIRST_LAUNCH, 30, 2);
	assert_part(&c, COLD_LAUNCH, 30, 2);
	assert_part(&c, COLD_UNEXPLAINED, 40, 0);
}

static void any_trace(void **state)
{
	static const uint8_t kinds[] = {EVENT_OP, EVENT_ANNOTATION, EVENT_PYTHON, EVENT_RUNTIME,
		EVENT_DRIVER, EVENT_KERNEL, EVENT_OVERHEAD, EVENT_OTHER, EVENT_INSTANT};
	static const char *const names[] = {"aten::mm", "cudaMalloc", "cudaLaunchKernel", "x",
		"Activity Buffer Request", "cudaStreamSynchronize", "compile", "cuModuleLoadData"};
	uint32_t seed = 5;
	for (int round = 0; round < 200; round++) {
		begin(state);
		add(EVENT_ANNOTATION, "ProfilerStep#0", 100, 1000, 0);
		add(EVENT_ANNOTATION, "ProfilerStep#1", 1000, 1100, 0);
		for (uint32_t n = next_random(&seed) % (MADE_MOST - 2); n; n--) {
			double start = (double)(next_random(&seed) % 12000) / 10;
			double wide = (double)(next_random(&seed) % 4000) / 10;
			uint8_t kind = kinds[next_random(&seed) % sizeof kinds];
			struct made_event *e =
				add((enum event_kind)kind, names[next_random(&seed) % 8], start,
					kind == EVENT_INSTANT ? start : start + wide,
					next_random(&seed) % 20);
			e->track += next_random(&seed) % 4 ? 0 : 1;
			e->extra = next_random(&seed) % 3 ? NULL : "setup";
		}
		struct cold_start c = split();
		assert_sums(&c);
		end(state);
	}
	begin(state);
}

static void the_strip(void **state)
{
	static const double WIDTH = 400;
	a_gpu(state);
	struct cold_start c = cold_split(&arena, &analysis, 0, 1);
	struct drawing d;
	begin_drawing(&d);
	canvas_page(d.canvas, WIDTH, cold_height, NULL);
	cold_draw(d.canvas, texts, fonts, &c, (struct box){0, 0, WIDTH, cold_height}, 3, 40);
	const char *drawn = finish_drawing(&d);
	assert_says(drawn, "cold start 1.00 ms");
	assert_says(drawn, "profiler 200 µs");
	assert_says(drawn, "not explained by a span 260 µs");
	assert_says(drawn, "4 smaller 90.0 µs");
	/* A sum stands in or at the widest of its bars: where that is not all of it, it says so. */
	assert_null(strstr(drawn, "profiler 200 µs in all"));
	assert_says(drawn, "operators 200 µs in all");
	/* Causes stand where they happened: their stretches follow each other and sum to the
	 * causes' times. */
	int64_t at = c.from_ns, ns[COLD_CAUSES] = {0};
	for (uint32_t i = 0; i < c.n_stretches; i++) {
		assert_int_equal(c.stretch[i].from_ns, at);
		assert_true(!i || c.stretch[i].cause != c.stretch[i - 1].cause);
		at = c.stretch[i].to_ns;
		ns[c.stretch[i].cause] += at - c.stretch[i].from_ns;
	}
	assert_int_equal(at, c.to_ns);
	for (int i = 0; i < c.n; i++)
		assert_int_equal(ns[c.part[i].cause], c.part[i].ns);
	assert_true((int)c.n_stretches > c.n);
}

static void words(void **state)
{
	(void)state;
	for (int i = 0; i < COLD_CAUSES; i++) {
		const char *name = cold_cause_name((enum cold_cause)i);
		say(texts, &arena, arena_printf(&arena, "cold.%s", name), NULL);
		say(texts, &arena, arena_printf(&arena, "cold.short.%s", name), NULL);
		assert_true(cold_cause_bar((enum cold_cause)i) < BARS || i == COLD_UNEXPLAINED);
	}
	struct err err = {0};
	assert_int_equal(texts_error(texts, &err), 0);
}

int main(void)
{
#define COLD_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		COLD_TEST(a_gpu),
		COLD_TEST(the_host),
		COLD_TEST(calls_by_name),
		COLD_TEST(calls_in_calls),
		COLD_TEST(any_trace),
		COLD_TEST(the_strip),
		COLD_TEST(words),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
