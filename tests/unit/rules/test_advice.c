/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do first: each remedy where its cause is and where it is not, on traces small enough to
 * work out by hand. tests/cli/advise_pairs.sh holds the gains against programs that were timed.
 */
#include "base/config.h"
#include "report/analyse/profiler_cost.h"
#include "tests/unit/advising.h"

/* ---- launches ---- */

enum { LEAST_LOOP = 16 };

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

/* What an action gives back, in microseconds. */
static void assert_near(const struct finding *f, double us, double off)
{
	double gave = (double)f->give_back_ns / 1000;
	if (fabs(gave - us) > off)
		fail_msg("%s gives back %.3f us, not %.3f", f->rule->id, gave, us);
}

static void late_launches_are_made_at_once(void **state)
{
	(void)state;
	static const char *const ops[] = {"aten::addmm", "aten::relu"};
	struct world w = {0};
	late_launches(&w, ops, 2, 20);
	struct advice x = advise(&w);
	const struct finding *graphs = find(&x, "graphs");
	assert_non_null(graphs);
	/* 19 gaps of 95 us and the first of 10, and what the host does behind its last launch,
	 * which then is beside the kernels; less what recording 20 operators and 20 launches of 6
	 * us takes. */
	double late = 19 * 95 + 10,
	       recorder = 20 * (PROFILER_COST_OPERATOR_NS + PROFILER_COST_OF_LAUNCH * 8e3);
	assert_true(fabs(value(graphs, "late") - late * 1000) < 1);
	assert_near(graphs, late + 85 - recorder / 1000, 20);
	assert_null(find(&x, "batch")); /* one layer feeds the next */
	world_release(&w);
}

/* Between the two halves of the step nothing is launched for 1 ms: no launch is late for that. */
static void a_pause_is_no_launching(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 2000, 0);
	made_add(&w.made, EVENT_ANNOTATION, "sort", 500, 1495, 0);
	for (int i = 0; i < 20; i++) {
		double at = 50.0 * i + (i < 10 ? 0 : 1000);
		operate(&w, "aten::relu", POINTWISE, at, at + 10, at + 15);
	}
	seal(&w);
	struct advice x = advise(&w);
	const struct finding *elsewhere = find(&x, "elsewhere"), *graphs = find(&x, "graphs");
	assert_non_null(elsewhere);
	assert_non_null(graphs);
	assert_string_equal(trace_row_name(&w.made.trace, elsewhere->evidence[0]), "sort");
	/* From the last operator's end at 460 to the next one's begin, idle from 465 on. */
	assert_near(elsewhere, 1500 - 460, 12); /* less what recording the range costs */
	assert_true(graphs->give_back_ns < 20 * 50 * 1000); /* the other half of the step */
}

/* Forty operators before each launch take 100 us while they are recorded, and half of it else: the
 * kernels of 45 us limit the step then. */
static void what_recording_hides_is_the_headline(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 500, 0);
	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 40; k++)
			made_add(&w.made, EVENT_OP, "aten::view", 100 * i + 2 * k,
				100 * i + 2 * k + 1, 0);
		operate(&w, "aten::relu", POINTWISE, 100 * i + 85, 100 * i + 95, 100 * i + 140);
	}
	seal(&w);
	struct advice x = advise(&w);
	assert_int_equal(x.headline, HEADLINE_MEMORY);
	assert_true(x.unrecorded_ns < x.window_ns * 6 / 10);
	int64_t sum = 0;
	for (int i = 0; i < TIME_PARTS; i++)
		sum += x.estimate->ns[i];
	assert_int_equal(sum, x.unrecorded_ns);
	assert_int_equal(time_parts_computing_ns(x.estimate), 5 * 45000);
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
	TEST_WORLD(w);
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
}

/* Twenty rounds of the same small operators, 95 us apart: nineteen of them need not be launched. */
static void loops_of_small_operators_are_one_call(void **state)
{
	(void)state;
	static const struct {
		const char *op[2];
		int n_ops, n;
		const char *around;
		double rounds; /* 0: it is no loop */
	} cases[] = {{{"aten::mul_"}, 1, 20, NULL, 20},
		{{"aten::mul_", "aten::add_"}, 2, 40, NULL, 20},
		{{"aten::mul_"}, 1, LEAST_LOOP - 1, NULL, 0}, {{"aten::mm"}, 1, 20, NULL, 0},
		{{"autograd::engine::evaluate_function: AddBackward0"}, 1, 20, NULL, 0},
		{{"aten::mul_"}, 1, 20, "Optimizer.step#Adam.step", 0}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct world w = {0};
		if (cases[i].around)
			made_add(&w.made, EVENT_ANNOTATION, cases[i].around, 0, 2000, 0);
		late_launches(&w, cases[i].op, cases[i].n_ops, cases[i].n);
		struct advice x = advise(&w);
		const struct finding *loops = find(&x, "loops");
		assert_true((loops != NULL) == (cases[i].rounds > 0));
		if (loops) {
			double late = 95 * (cases[i].n - 1) + 10;
			assert_true(fabs(value(loops, "late") - late * 1000) < 1);
			assert_int_equal((int)value(loops, "rounds"), (int)cases[i].rounds);
			assert_int_equal((int)value(loops, "operators"), cases[i].n_ops);
			/* of all, less what recording costs, one round is left: the kernels are
			 * small, too */
			double recorder =
				(PROFILER_COST_OPERATOR_NS + PROFILER_COST_OF_LAUNCH * 8e3) / 1e3;
			assert_near(
				loops, (100 - recorder) * cases[i].n - 100 * cases[i].n_ops, 20);
		}
		world_release(&w);
	}
}

/* Backward's thread launches most; the loop is on the one that has the step. */
static void loops_beside_backward_are_seen(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 4000, 0);
	for (int i = 0; i < 45; i++) {
		bool loop = i < 20;
		double at = loop ? 100.0 * i : 2000 + 30.0 * (i - 20);
		int from = w.made.n;
		operate(&w,
			loop		? "aten::mul_"
				: i % 2 ? "aten::mm"
					: "aten::add",
			POINTWISE, at, at + 10, at + 15);
		for (int k = from; !loop && k < from + 2; k++)
			w.made.event[k].track = MADE_OTHER_THREAD;
	}
	seal(&w);
	struct advice x = advise(&w);
	const struct finding *loops = find(&x, "loops");
	assert_non_null(loops);
	assert_int_equal((int)value(loops, "rounds"), 20);
}

/* Product, relu, product; and again from the first: nothing stands between two of them. */
static void separate_calls_are_batched(void **state)
{
	(void)state;
	static const char *const ops[] = {"aten::addmm", "aten::relu", "aten::mm"};
	struct world w = {0};
	late_launches(&w, ops, 3, 30);
	struct advice x = advise(&w);
	const struct finding *batch = find(&x, "batch");
	assert_non_null(batch);
	assert_int_equal((int)value(batch, "rounds"), 10);
	assert_int_equal((int)value(batch, "operators"), 3);
	assert_string_equal(batch->variant, "no-shapes");
	world_release(&w);
}

/* Product and relu again and again, of shapes that fit like layers: separate where each round
 * selects both operands of its product, of larger tensors. */
static void rounds_over_slices_are_batched(void **state)
{
	(void)state;
	/* 3: two, of which none is the second operand */
	for (int kind = 0; kind <= 3; kind++) {
		int selects = kind < 3 ? kind : 2;
		struct world w = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 2000, 0);
		for (int i = 0; i < 10; i++) {
			double at = 200.0 * i;
			for (int k = 0; k < selects; k++)
				made_add(&w.made, EVENT_OP, "aten::select", at + 2 * k,
					at + 2 * k + 1, 0);
			operate(&w, "aten::mm", HOPPER, at + 10, at + 30, at + 35);
			operate(&w, "aten::relu", POINTWISE, at + 100, at + 120, at + 125);
		}
		seal(&w);
		device(&w, h200);
		for (int i = 0; i < 10; i++) {
			for (int k = 0; k < selects; k++)
				inputs(&w, "aten::select", selects * i + k,
					k && kind < 3 ? "[[10, 64, 64], [], []]"
						      : "[[10, 32, 64], [], []]",
					"[\"float\", \"Scalar\", \"Scalar\"]");
			inputs(&w, "aten::mm", i, "[[32, 64], [64, 64]]", "[\"float\", \"float\"]");
			inputs(&w, "aten::relu", i, "[[32, 64]]", "[\"float\"]");
		}
		struct advice x = advise(&w);
		assert_true((find(&x, "batch") != NULL) == (kind == 2));
		world_release(&w);
	}
}

/* The same without slices, over what a tensor of ten rows was taken apart to; twelve rows are no
 * rounds of this loop. */
static void rounds_over_rows_are_batched(void **state)
{
	(void)state;
	for (int rows = 10; rows <= 12; rows += 2) {
		static const char *const ops[] = {"aten::mm", "aten::relu"};
		struct world w = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 2000, 0);
		made_add(&w.made, EVENT_OP, "aten::unbind", 1, 2, 0);
		for (int i = 0; i < 40; i++)
			operate(&w, ops[i % 2], i % 2 ? POINTWISE : HOPPER, 50 * i + 5, 50 * i + 15,
				50 * i + 20);
		seal(&w);
		device(&w, h200);
		inputs(&w, "aten::unbind", 0, rows == 10 ? "[[10, 64], []]" : "[[12, 64], []]",
			"[\"float\", \"Scalar\"]");
		for (int i = 0; i < 20; i++) {
			inputs(&w, "aten::mm", i, "[[64], [64, 64]]", "[\"float\", \"float\"]");
			inputs(&w, "aten::relu", i, "[[64]]", "[\"float\"]");
		}
		struct advice x = advise(&w);
		const struct finding *batch = find(&x, "batch");
		assert_true((batch != NULL) == (rows == 10));
		if (batch)
			assert_int_equal((int)value(batch, "operators"), 4);
		world_release(&w);
	}
}

/* ---- waits ---- */

/* A product, then what is reduced of it and read: 25 us of wait, and the next comes late. */
static struct advice reads(struct world *w, const char *reduced, bool wait)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
	for (int i = 0; i < 5; i++) {
		double at = 200.0 * i;
		uint32_t id = 100 + (uint32_t)i;
		operate(w, "aten::mm", HOPPER, at, at + 10, at + 60);
		operate(w, reduced, "void at::native::reduce_kernel<512, 1, X>(Y)", at + 20,
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
	TEST_WORLD(w);
	struct advice x = reads(&w, "aten::all", true);
	const struct finding *sync = find(&x, "sync");
	assert_non_null(sync);
	assert_string_equal(sync->variant, "item");
	assert_int_equal((int)value(sync, "n"), 4);
	/* From the copy's end at 72 to the next product at 210, four times. */
	assert_true(fabs(value(sync, "idle") - 4 * 138e3) < 1);
	/* From the check at 20 to the end of what reads it at 90 the host has nothing to do; what
	 * recording costs is off where the host does not wait, before and after. */
	assert_near(sync, 4 * (90 - 20 + 5), 20);
}

/* A maximum may be a result: reading it goes, from 40 on, and its kernel stays. */
static void what_is_read_stays(void **state)
{
	TEST_WORLD(w);
	struct advice x = reads(&w, "aten::max", true);
	const struct finding *sync = find(&x, "sync");
	assert_non_null(sync);
	assert_near(sync, 4 * (90 - 40 + 10 - 6.4), 4); /* an operator adds each up */
}

static void nothing_is_read(void **state)
{
	TEST_WORLD(w);
	struct advice x = reads(&w, "aten::max", false);
	assert_null(find(&x, "sync"));
}

/* A size that the device works out: its kernel goes with the wait. */
static void sizes_cost_their_kernels(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
	for (int i = 0; i < 5; i++) {
		double at = 200.0 * i;
		uint32_t id = 100 + (uint32_t)i;
		made_add(
			&w.made, EVENT_OP, i != 2 ? "aten::nonzero" : "aten::item", at, at + 90, 0);
		operate(&w, "aten::sum", POINTWISE, at + 1, at + 15, at + 50);
		made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", at + 22, at + 30, id);
		made_add(&w.made, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pageable)", at + 50,
			at + 52, id);
		made_add(&w.made, EVENT_RUNTIME, "cudaStreamSynchronize", at + 32, at + 85, 0);
	}
	seal(&w);
	struct advice x = advise(&w);
	const struct finding *sync = find(&x, "sync");
	assert_non_null(sync);
	assert_string_equal(sync->variant, "nonzero");
	assert_float_equal(
		finding_number(sync, "n"), 3, 0); /* what is said of nonzero is no item */
	assert_float_equal(finding_number(sync, "others"), 1, 0);
	/* Four times the host needs no 90 us for it, nor, twice, 20 to come to it; in the place of
	 * the item an operator adds up. */
	assert_near(sync, 4 * 90 + 2 * 20 - 2 * 1.2 - 6.4, 2);
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
	TEST_WORLD(w);
	struct advice x = trials(&w, 5, 1);
	const struct finding *tuning = find(&x, "tuning");
	assert_non_null(tuning);
	assert_null(find(&x, "sync"));
	/* four of five trials of 100 us, less what recording costs, and that the last waits */
	assert_true(tuning->give_back_ns >= 340000 && tuning->give_back_ns < 440000);
}

/* 4.9e16 ns, as times in a trace may be (TRACE_SUM): times the number of trials it passes 64 bits.
 */
static void trials_of_any_length_add_up(void **state)
{
	enum { MANY = 230 };
	(void)state;
	struct world w = {0};
	struct advice x = trials(&w, MANY, 0x1p31);
	const struct finding *tuning = find(&x, "tuning");
	assert_non_null(tuning);
	double all_ns = MANY * 100e3 * 0x1p31;
	assert_true((double)tuning->give_back_ns > all_ns * (MANY - 2) / MANY);
	assert_true((double)tuning->give_back_ns < all_ns);
	world_release(&w);
}

/* ---- the ranking, and the words ---- */

static void the_largest_comes_first(void **state)
{
	TEST_WORLD(w);
	struct advice x = reads(&w, "aten::all", true);
	for (int i = 1; i < x.n; i++)
		assert_true(x.action[i - 1].give_back_ns >= x.action[i].give_back_ns);
	for (int i = 0; i < x.n; i++)
		assert_true(
			x.action[i].give_back_ns > 0 && x.action[i].give_back_ns <= x.window_ns);
}

static void without_a_device_nothing_is_said(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 100, 0);
	seal(&w);
	struct advice x = advise(&w);
	assert_int_equal(x.n + x.n_leave, 0);
}

/* A threshold that is set decides, as one of a finding does. */
static void thresholds_of_actions_are_set(void **state)
{
	TEST_WORLD(w);
	static const char *const ops[] = {"aten::addmm", "aten::relu"};
	late_launches(&w, ops, 2, 20);
	assert_int_equal(
		rule_set_threshold(&w.settings, "graphs.launches=21", &(struct err){0}), 0);
	struct advice x = advise(&w);
	assert_null(find(&x, "graphs"));
	w.settings.n = 0;
	x = advise(&w);
	assert_non_null(find(&x, "graphs"));
	assert_int_equal(rule_set_threshold(&w.settings, "graphs.least=99%", &(struct err){0}), 0);
	x = advise(&w);
	assert_null(find(&x, "graphs"));
}

/* A row that repeats something which is not there would never be left out. */
static void what_a_row_repeats_is_there(void **state)
{
	(void)state;
	int n = 0;
	for (int i = 0; i < rule_findings(); i++)
		for (int k = 0; rule_at(i)->repeats[k]; k++, n++) {
			const char *id = rule_at(i)->repeats[k];
			if (!rule_find(id))
				fail_msg("%s repeats %s, which is no row", rule_at(i)->id, id);
		}
	assert_true(n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_launches_are_made_at_once),
		cmocka_unit_test(a_pause_is_no_launching),
		cmocka_unit_test(what_recording_hides_is_the_headline),
		cmocka_unit_test(captures_are_no_launches),
		cmocka_unit_test(a_graph_is_not_told_to_be_one),
		cmocka_unit_test(loops_of_small_operators_are_one_call),
		cmocka_unit_test(loops_beside_backward_are_seen),
		cmocka_unit_test(separate_calls_are_batched),
		cmocka_unit_test(rounds_over_slices_are_batched),
		cmocka_unit_test(rounds_over_rows_are_batched),
		cmocka_unit_test(a_number_is_read),
		cmocka_unit_test(what_is_read_stays),
		cmocka_unit_test(nothing_is_read),
		cmocka_unit_test(sizes_cost_their_kernels),
		cmocka_unit_test(trials_are_no_waits),
		cmocka_unit_test(trials_of_any_length_add_up),
		cmocka_unit_test(the_largest_comes_first),
		cmocka_unit_test(without_a_device_nothing_is_said),
		cmocka_unit_test(thresholds_of_actions_are_set),
		cmocka_unit_test(what_a_row_repeats_is_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
