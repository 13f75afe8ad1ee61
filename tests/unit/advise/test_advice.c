/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do first: each remedy where its cause is and where it is not, on traces small enough to
 * work out by hand. tests/cli/advise_pairs.sh holds the gains against programs that were timed.
 */
#include "base/config.h"
#include "report/advise/advice.h"
#include "tests/unit/detecting.h"

#define HALVES "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]"
#define TURING "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1>(X)"
#define HOPPER "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_TNT"
#define POINTWISE "void at::native::vectorized_elementwise_kernel<4, X>(int)"
#define UPLOAD "Memcpy HtoD (Pageable -> Device)"

static const struct trace_device h200 = {
	.name = "NVIDIA H200", .sms = 132, .major = 9, .minor = 0, .warp = 32};

static struct advice advise(struct world *w)
{
	static struct partition p; /* outlives the advice, as the case does */
	w->a = analysis_of(&w->arena, &w->made.trace);
	w->l = ledger_of(&w->arena, &w->a);
	p = partition_of(&w->arena, &w->a, &w->l);
	return advice_of(&w->arena, &w->a, &w->l, &p);
}

static const struct action *find(const struct advice *x, const char *id)
{
	for (int i = 0; i < x->n; i++)
		if (!strcmp(x->action[i].id, id))
			return &x->action[i];
	return NULL;
}

static double value(const struct action *x, const char *name)
{
	for (int i = 0; i < x->n_values; i++)
		if (!strcmp(x->value[i].name, name))
			return x->value[i].number;
	fail_msg("%s has no value %s", x->id, name);
	return 0;
}

/* An operator that launches one kernel: 10 us from `at` on, the kernel from `start` to `end`. */
static void operate(
	struct world *w, const char *op, const char *kernel, double at, double start, double end)
{
	uint32_t id = (uint32_t)w->made.n + 1;
	made_add(&w->made, EVENT_OP, op, at, at + 10, 0);
	made_add(&w->made, EVENT_RUNTIME, "cudaLaunchKernel", at + 2, at + 8, id);
	made_add(&w->made, EVENT_KERNEL, kernel, start, end, id);
}

/* ---- products ---- */

static struct advice product(struct world *w, const char *kernel, const char *dims)
{
	operate(w, "aten::mm", kernel, 0, 10, 1010);
	seal(w);
	device(w, h200);
	inputs(w, "aten::mm", 0, dims, HALVES);
	return advise(w);
}

/* 4096 x 768 times 768 x 50257 takes 316 GFLOP, at 0.7 of 989 TFLOP/s 457 us. */
static void an_odd_size_is_padded(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = product(&w, TURING, "[[4096, 768], [768, 50257]]");
	const struct action *pad = find(&x, "pad");
	assert_non_null(pad);
	assert_int_equal((int)value(pad, "odd"), 50257);
	assert_int_equal((int)value(pad, "padded"), 50304);
	double floor_ns = 2.0 * 4096 * 768 * 50257 / (0.7 * 989e12) * 1e9;
	assert_true(fabs((double)pad->gain_ns - (1e6 - floor_ns)) < 2);
	assert_int_equal(pad->n_evidence, 1);
	world_release(&w);
}

static void a_round_size_is_not(void **state)
{
	(void)state;
	static const char *const other[][2] = {
		{TURING, "[[4096, 768], [768, 50304]]"}, {HOPPER, "[[4096, 768], [768, 50257]]"}};
	for (int i = 0; i < 2; i++) {
		struct world w = {0};
		struct advice x = product(&w, other[i][0], other[i][1]);
		assert_null(find(&x, "pad"));
		world_release(&w);
	}
}

/* Products in TF32 and what is around them in fp32: half as long in half precision, each. Plain
 * products are to be TF32 first, and the Adam step keeps its type. */
static void what_is_in_fp32_is_halved(void **state)
{
	(void)state;
	static const char tf32[] = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32";
	static const char add[] =
		"void at::native::vectorized_elementwise_kernel<4, F<float> >(int)";
	static const char adam[] = "void multi_tensor_apply_kernel<F<float> >(int)";
	for (int plain = 0; plain < 2; plain++) {
		struct world w = {0};
		operate(&w, "aten::mm", plain ? "cutlass_80_simt_sgemm_128x64" : tf32, 0, 10, 1010);
		operate(&w, "aten::add", add, 20, 1010, 1410);
		operate(&w, "aten::_fused_adam_", adam, 40, 1410, 1510);
		seal(&w);
		device(&w, h200);
		struct advice x = advise(&w);
		const struct action *half = find(&x, "half");
		assert_true((half != NULL) == !plain);
		assert_true((find(&x, "precision") != NULL) == plain);
		if (half) /* 495 and 989 TFLOP/s; half the bytes */
			assert_true(fabs((double)half->gain_ns -
					    (1e6 * (1 - 495.0 / 989) + 400e3 / 2)) < 2);
		world_release(&w);
	}
}

/* ---- launches ---- */

/* One step of n operators, each 100 us after the other, each kernel 5 us long: 95 us apart. */
static void late_launches(struct world *w, const char *const *ops, int n_ops, int n)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 100.0 * n, 0);
	for (int i = 0; i < n; i++)
		operate(w, ops[i % n_ops], strstr(ops[i % n_ops], "mm") ? HOPPER : POINTWISE,
			100.0 * i, 100.0 * i + 10, 100.0 * i + 15);
	seal(w);
	device(w, h200);
}

static void late_launches_are_made_at_once(void **state)
{
	(void)state;
	static const char *const ops[] = {"aten::addmm", "aten::relu"};
	struct world w = {0};
	late_launches(&w, ops, 2, 20);
	struct advice x = advise(&w);
	const struct action *graphs = find(&x, "graphs");
	assert_non_null(graphs);
	/* 19 gaps of 95 us and the first of 10, less 40 recorded rows and 20 hand-overs. */
	double late = 19 * 95 + 10, own = 1 - 40.0 * ADVICE_RECORDED_NS / 2e6;
	assert_true(fabs(value(graphs, "late") - late * 1000) < 1);
	assert_true(fabs((double)graphs->gain_ns -
			    (late * own * 1000 - 20.0 * ADVICE_HANDOVER_NS)) < 2);
	assert_null(find(&x, "batch")); /* one layer feeds the next */
	world_release(&w);
}

/* Between the two halves of the step nothing is launched for 1 ms: no launch is late for that. */
static void a_pause_is_no_launching(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 2000, 0);
	made_add(&w.made, EVENT_ANNOTATION, "sort", 500, 1495, 0);
	for (int i = 0; i < 20; i++) {
		double at = 50.0 * i + (i < 10 ? 0 : 1000);
		operate(&w, "aten::relu", POINTWISE, at, at + 10, at + 15);
	}
	seal(&w);
	struct advice x = advise(&w);
	const struct action *elsewhere = find(&x, "elsewhere"), *graphs = find(&x, "graphs");
	assert_non_null(elsewhere);
	assert_non_null(graphs);
	assert_string_equal(trace_row_name(&w.made.trace, elsewhere->evidence[0]), "sort");
	/* From the last operator's end at 460 to the next one's begin, idle from 465 on. */
	assert_true(fabs((double)elsewhere->gain_ns - (1500 - 465) * 1e3) < 1);
	assert_true(graphs->gain_ns < 18 * 45 * 1000);
	world_release(&w);
}

static void captures_are_no_launches(void **state)
{
	(void)state;
	static const char *const ops[] = {"aten::relu"};
	struct world w = {0};
	made_add(&w.made, EVENT_RUNTIME, "cudaStreamBeginCapture", 12, 14, 0);
	late_launches(&w, ops, 1, 20);
	struct advice x = advise(&w);
	assert_null(find(&x, "graphs"));
	world_release(&w);
}

static void a_graph_is_not_told_to_be_one(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 2000, 0);
	for (int i = 0; i < 20; i++) {
		made_add(&w.made, EVENT_RUNTIME, "cudaGraphLaunch", 100 * i, 100 * i + 10,
			(uint32_t)i + 1);
		made_add(
			&w.made, EVENT_KERNEL, HOPPER, 100 * i + 10, 100 * i + 15, (uint32_t)i + 1);
	}
	seal(&w);
	struct advice x = advise(&w);
	assert_null(find(&x, "graphs"));
	world_release(&w);
}

/* Product, relu, product; and again from the first: nothing stands between two of them. */
static void separate_calls_are_batched(void **state)
{
	(void)state;
	static const char *const ops[] = {"aten::addmm", "aten::relu", "aten::mm"};
	struct world w = {0};
	late_launches(&w, ops, 3, 30);
	struct advice x = advise(&w);
	const struct action *batch = find(&x, "batch");
	assert_non_null(batch);
	assert_int_equal((int)value(batch, "rounds"), 10);
	assert_int_equal((int)value(batch, "operators"), 3);
	assert_string_equal(batch->variant, "no-shapes");
	world_release(&w);
}

/* ---- waits ---- */

/* A product, then a maximum of it that is read: 25 us of wait, and the next comes late. */
static struct advice reads(struct world *w, bool wait)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
	for (int i = 0; i < 5; i++) {
		double at = 200.0 * i;
		uint32_t id = 100 + (uint32_t)i;
		operate(w, "aten::mm", HOPPER, at, at + 10, at + 60);
		operate(w, "aten::max", "void at::native::reduce_kernel<512, 1, X>(Y)", at + 20,
			at + 60, at + 70);
		made_add(
			&w->made, EVENT_OP, wait ? "aten::item" : "aten::add", at + 40, at + 90, 0);
		if (!wait)
			continue;
		made_add(&w->made, EVENT_RUNTIME, "cudaMemcpyAsync", at + 42, at + 50, id);
		made_add(&w->made, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pinned)", at + 70, at + 72,
			id);
		made_add(&w->made, EVENT_RUNTIME, "cudaStreamSynchronize", at + 52, at + 85, 0);
	}
	seal(w);
	return advise(w);
}

static void a_number_is_read(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = reads(&w, true);
	const struct action *sync = find(&x, "sync");
	assert_non_null(sync);
	assert_string_equal(sync->variant, "item");
	assert_int_equal((int)value(sync, "n"), 4);
	/* From the copy's end at 72 to the next product at 210, four times. */
	assert_true(fabs(value(sync, "idle") - 4 * 138e3) < 1);
	world_release(&w);
}

static void nothing_is_read(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = reads(&w, false);
	assert_null(find(&x, "sync"));
	world_release(&w);
}

/* A size that the device works out: its kernel goes with the wait. */
static void sizes_cost_their_kernels(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
	for (int i = 0; i < 5; i++) {
		double at = 200.0 * i;
		uint32_t id = 100 + (uint32_t)i;
		made_add(&w.made, EVENT_OP, "aten::nonzero", at, at + 90, 0);
		operate(&w, "aten::sum", POINTWISE, at + 1, at + 15, at + 50);
		made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", at + 22, at + 30, id);
		made_add(&w.made, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pageable)", at + 50,
			at + 52, id);
		made_add(&w.made, EVENT_RUNTIME, "cudaStreamSynchronize", at + 32, at + 85, 0);
	}
	seal(&w);
	struct advice x = advise(&w);
	const struct action *sync = find(&x, "sync");
	assert_non_null(sync);
	assert_string_equal(sync->variant, "nonzero");
	double own = 1 - 25.0 * ADVICE_RECORDED_NS / 1e6;
	double idle = value(sync, "idle");
	/* The kernels take 35 us, the copies 2. */
	assert_true(fabs((double)sync->gain_ns - (idle * own + 5 * 37e3)) < 5);
	world_release(&w);
}

/* A convolution that waits n times for an algorithm it tries, each a tenth of 1 ms, so many times
 * longer. */
static struct advice trials(struct world *w, int n, double longer)
{
	enum { LAUNCHED = 5 };
	double each = 100 * longer;
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, (n + 5) * each, 0);
	made_add(&w->made, EVENT_OP, "aten::cudnn_convolution", each, (n + 1) * each, 0);
	for (int i = 0; i < n; i++) {
		double at = each * (i + 1), called = at + 5 * longer, done = at + 40 * longer;
		uint32_t id = (uint32_t)w->made.n + 1;
		made_add(&w->made, EVENT_RUNTIME, "cudaEventSynchronize", called, done, 0);
		if (i >= LAUNCHED)
			continue;
		made_add(&w->made, EVENT_RUNTIME, "cudaLaunchKernel", at, called, id);
		made_add(&w->made, EVENT_KERNEL, "implicit_convolve_sgemm", called, done, id);
	}
	seal(w);
	return advise(w);
}

/* A convolution that waits for each algorithm it tries is no wait of the program's. */
static void trials_are_no_waits(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = trials(&w, 5, 1);
	const struct action *tuning = find(&x, "tuning");
	assert_non_null(tuning);
	assert_null(find(&x, "sync"));
	assert_int_equal(tuning->gain_ns, 500000 * 4 / 5);
	world_release(&w);
}

/* 4.9e16 ns, as times in a trace may be (TRACE_SUM): times the number of trials it passes 64 bits.
 */
static void trials_of_any_length_add_up(void **state)
{
	enum { MANY = 230 };
	(void)state;
	struct world w = {0};
	struct advice x = trials(&w, MANY, 0x1p31);
	const struct action *tuning = find(&x, "tuning");
	assert_non_null(tuning);
	double all_ns = MANY * 100e3 * 0x1p31;
	assert_true(fabs((double)tuning->gain_ns / (all_ns * (MANY - 1) / MANY) - 1) < 1e-9);
	world_release(&w);
}

/* ---- copies ---- */

/* A tensor that is written again for 400 of 1000 us, in another order or another type. */
static struct advice rewrites(struct world *w, const char *around)
{
	made_add(&w->made, EVENT_OP, around, 0, 20, 0);
	operate(w, "aten::copy_", POINTWISE, 1, 15, 415);
	operate(w, "aten::mm", HOPPER, 100, 415, 1015);
	seal(w);
	return advise(w);
}

static void what_is_written_again_is_told(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = rewrites(&w, "aten::contiguous");
	assert_string_equal(x.action[0].id, "rewrites");
	assert_string_equal(x.action[0].variant, "");
	assert_int_equal(x.action[0].gain_ns, 400000);
	world_release(&w);
	w = (struct world){0};
	x = rewrites(&w, "aten::_to_copy");
	assert_string_equal(x.action[0].variant, "type");
	world_release(&w);
	w = (struct world){0};
	x = rewrites(&w, "aten::fill_");
	assert_null(find(&x, "rewrites"));
	world_release(&w);
}

/* Each of n small uploads keeps the host for 50 us. */
static struct advice small_uploads(struct world *w, int n)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
	for (int i = 0; i < n; i++) {
		double at = 60.0 * i;
		uint32_t id = (uint32_t)w->made.n + 1;
		made_add(&w->made, EVENT_OP, "aten::copy_", at, at + 50, 0);
		made_add(&w->made, EVENT_RUNTIME, "cudaMemcpyAsync", at + 2, at + 45, id);
		made_add(&w->made, EVENT_MEMCPY, UPLOAD, at + 10, at + 11, id);
	}
	operate(w, "aten::mm", HOPPER, 900, 910, 990);
	seal(w);
	bytes(w, UPLOAD, 0, 1024);
	return advise(w);
}

static void many_small_uploads_are_one(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = small_uploads(&w, 12);
	const struct action *small = find(&x, "small-copies");
	assert_non_null(small);
	assert_int_equal((int)value(small, "n"), 12);
	world_release(&w);
	w = (struct world){0};
	x = small_uploads(&w, 4);
	assert_null(find(&x, "small-copies"));
	world_release(&w);
}

static struct advice uploads(struct world *w, const char *copy)
{
	made_add(&w->made, EVENT_OP, "aten::copy_", 0, 1000, 0);
	made_add(&w->made, EVENT_RUNTIME, "cudaMemcpyAsync", 2, 990, 1);
	made_add(&w->made, EVENT_MEMCPY, copy, 10, 980, 1);
	operate(w, "aten::mm", HOPPER, 1000, 1010, 1030);
	seal(w);
	device(w, h200);
	bytes(w, copy, 0, 5440000); /* 100 us at 0.85 of 64 GB/s */
	return advise(w);
}

static void pageable_copies_are_pinned(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = uploads(&w, UPLOAD);
	assert_string_equal(x.action[0].id, "pinned");
	/* 970 us, less 100 us of link of which 20 us hide behind computing. */
	assert_true(fabs((double)x.action[0].gain_ns - 890e3) < 2);
	world_release(&w);
}

static void pinned_copies_are_left(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = uploads(&w, "Memcpy HtoD (Pinned -> Device)");
	assert_null(find(&x, "pinned"));
	world_release(&w);
}

/* ---- the ranking, and the words ---- */

static void the_largest_comes_first(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = reads(&w, true);
	for (int i = 1; i < x.n; i++)
		assert_true(x.action[i - 1].gain_ns >= x.action[i].gain_ns);
	for (int i = 0; i < x.n; i++)
		assert_true(x.action[i].gain_ns > 0 && x.action[i].gain_ns <= x.window_ns);
	world_release(&w);
}

static void without_a_device_nothing_is_said(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 100, 0);
	seal(&w);
	struct advice x = advise(&w);
	assert_int_equal(x.n + x.n_leave, 0);
	world_release(&w);
}

static void check_words(const cJSON *list, int n, const char *id_of(int))
{
	assert_int_equal(cJSON_GetArraySize(list), n);
	for (int i = 0; i < n; i++) {
		const cJSON *entry = cJSON_GetArrayItem(list, i);
		assert_string_equal(config_words(entry, "id"), id_of(i));
		assert_true(config_words(entry, "sentence")[0] != '\0');
	}
}

static void words_for_every_remedy(void **state)
{
	(void)state;
	struct err err = {0};
	cJSON *words = config_read("templates/en/advice.json", &err);
	if (!words)
		fail_msg("%s", err.text);
	check_words(config_find(words, "actions"), remedy_count(), remedy_id);
	check_words(config_find(words, "leave"), leave_count(), leave_id);
	const cJSON *entry;
	cJSON_ArrayForEach(entry, config_find(words, "actions"))
	{
		assert_true(config_words(entry, "switch")[0] != '\0');
		assert_true(config_words(entry, "at_most")[0] != '\0');
		assert_true(config_words(entry, "title")[0] != '\0');
	}
	cJSON_Delete(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_odd_size_is_padded),
		cmocka_unit_test(a_round_size_is_not),
		cmocka_unit_test(what_is_in_fp32_is_halved),
		cmocka_unit_test(late_launches_are_made_at_once),
		cmocka_unit_test(a_pause_is_no_launching),
		cmocka_unit_test(captures_are_no_launches),
		cmocka_unit_test(a_graph_is_not_told_to_be_one),
		cmocka_unit_test(separate_calls_are_batched),
		cmocka_unit_test(a_number_is_read),
		cmocka_unit_test(nothing_is_read),
		cmocka_unit_test(sizes_cost_their_kernels),
		cmocka_unit_test(trials_are_no_waits),
		cmocka_unit_test(trials_of_any_length_add_up),
		cmocka_unit_test(what_is_written_again_is_told),
		cmocka_unit_test(many_small_uploads_are_one),
		cmocka_unit_test(pageable_copies_are_pinned),
		cmocka_unit_test(pinned_copies_are_left),
		cmocka_unit_test(the_largest_comes_first),
		cmocka_unit_test(without_a_device_nothing_is_said),
		cmocka_unit_test(words_for_every_remedy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
