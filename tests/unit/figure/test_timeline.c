/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a timeline: who gets a row, who is hidden, counted, folded; and that what is drawn
 * stays in its box. Looks are the golden texts' matter. */
#include "tests/unit/timeline_rig.h"

static void rows_nest_below_the_step(void **state)
{
	(void)state;
	two_steps();
	plan(0, 200);
	assert_int_equal(row_of("ProfilerStep#0"), ROW_HIDDEN);
	assert_int_equal(row_of("block"), 0);
	assert_int_equal(row_of("aten::linear"), 1);
	assert_int_equal(row_of("aten::addmm"), 2);
	assert_int_equal(row_of("cudaLaunchKernel"), ROW_LAUNCH);
	assert_int_equal(row_of("lazy loading"), ROW_INSET);
	assert_int_equal(row_of("gemm_one"), 0);
	assert_int_equal(tl.n_lanes, 2);
	assert_false(tl.lane[0].device);
	assert_true(tl.lane[1].device);
	assert_int_equal(tl.lane[0].rows, 3);
	assert_true(tl.lane[0].launches);
	assert_int_equal(tl.lane[1].rows, 1);
	assert_string_equal(tl.lane[1].name, "GPU 0");
	assert_int_equal(tl.events, 16); /* the steps are bands */
	assert_int_equal(tl.n_arrows, 4);
	assert_true(tl.kinds & 1u << BAR_GEMM && tl.kinds & 1u << BAR_LAUNCH &&
		tl.kinds & 1u << BAR_SETUP && tl.kinds & 1u << BAR_OP);
	assert_false(tl.kinds & 1u << BAR_COPY);
	draw();
	assert_int_equal(counts.drawn, tl.events);
}

static void calls_inside_calls_are_hidden(void **state)
{
	(void)state;
	add(EVENT_OP, "op", 0, 100, 0);
	add(EVENT_RUNTIME, "cudaLaunchKernel", 10, 60, 1);
	add(EVENT_DRIVER, "cuLaunchKernel", 20, 50, 2);
	add(EVENT_OP, "inside both", 30, 40, 0);
	seal();
	plan(0, 100);
	assert_int_equal(row_of("cudaLaunchKernel"), ROW_LAUNCH);
	assert_int_equal(row_of("cuLaunchKernel"), ROW_HIDDEN);
	assert_int_equal(row_of("inside both"), ROW_HIDDEN);
	assert_int_equal(tl.events, 4);
	draw();
	assert_int_equal(counts.drawn, 2);
}

/* A call that launches may hold a whole stack: its bar has room for one level, whose labels are
 * not to lie on each other. Rows of another thread stand between. */
static void a_launch_shows_what_lies_directly_in_it(void **state)
{
	(void)state;
	add(EVENT_RUNTIME, "run", 0, 900, 1);
	add(EVENT_OP, "aside", 5, 9, 0)->track = MADE_OTHER_THREAD;
	add(EVENT_OP, "direct", 10, 800, 0);
	add(EVENT_OP, "nested", 20, 700, 0);
	add(EVENT_RUNTIME, "malloc", 30, 600, 0);
	seal();
	plan(0, 1000);
	assert_int_equal(row_of("run"), ROW_LAUNCH);
	assert_int_equal(row_of("direct"), ROW_INSET);
	assert_int_equal(row_of("nested"), ROW_HIDDEN);
	assert_int_equal(row_of("malloc"), ROW_HIDDEN);
	const char *drawn = draw();
	assert_says(drawn, "text \"direct\"");
	assert_null(strstr(drawn, "text \"run\""));
	assert_int_equal(counts.drawn, 3);
	assert_int_equal(tl.deeper, 2);
}

static void the_window(void **state)
{
	(void)state;
	two_steps();
	plan(100, 200);
	assert_int_equal(row_of("aten::linear"), ROW_HIDDEN);
	assert_int_equal(tl.row[made_find(&made.trace, "aten::linear", 1)], 1);
	assert_int_equal(tl.events, 8);
	assert_int_equal(tl.n_arrows, 2);
	/* What reaches into it is shown; what only touches it is not. */
	plan(55, 90);
	assert_int_equal(row_of("aten::linear"), 1);
	assert_int_equal(row_of("gemm_one"), ROW_HIDDEN);
	assert_int_equal(row_of("gemm_two"), 0);
	draw();
	/* Host and device may end earlier. */
	plan_host(0, 200, 25);
	assert_int_equal(row_of("cudaLaunchKernelExC"), ROW_HIDDEN);
	assert_int_equal(row_of("gemm_two"), 0);
	assert_int_equal(tl.row[made_find(&made.trace, "block", 1)], ROW_HIDDEN);
	draw();
	/* Nothing at all. */
	plan(1000, 2000);
	assert_int_equal(tl.n_lanes, 0);
	assert_int_equal(tl.events, 0);
	draw();
}

static void only_so_many_levels(void **state)
{
	static const char *const names[] = {
		"l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9", "l10"};
	(void)state;
	for (int i = 0; i < 11; i++)
		add(EVENT_OP, names[i], i, 1000 - i, 0);
	seal();
	plan(0, 1000);
	for (int i = 0; i < 11; i++)
		assert_int_equal(row_of(names[i]), i < SHOWN_ROWS ? i : ROW_HIDDEN);
	assert_int_equal(tl.lane[0].rows, SHOWN_ROWS);
	assert_int_equal(tl.events, 11);
	draw();
	assert_int_equal(counts.drawn, SHOWN_ROWS);
}

/* What the picture is about is shown however deep it lies, at the cost of what is around it; so is
 * a Python frame, and a level too narrow to see. */
static void what_it_is_about_is_shown(void **state)
{
	static const char *const names[] = {
		"l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9", "l10"};
	(void)state;
	for (int python = 0; python < 2; python++) {
		made_release(&made);
		begin(NULL);
		for (int i = 0; i < 11; i++)
			add(python && i ? EVENT_PYTHON : EVENT_OP, names[i], i, 1000 - i, 0);
		add(EVENT_OP, "sliver", 500, 500.1, 0);
		add(EVENT_OP, "aside", 2000, 2010, 0)->track = MADE_OTHER_THREAD;
		seal();
		tl.subject[0] = NO_ROW;
		tl.subject[1] = (uint32_t)made_find(&made.trace, "sliver", 0);
		tl.n_subjects = 2;
		plan(0, 3000);
		assert_true(timeline_shows(&tl, tl.subject[1]));
		assert_int_equal(row_of("sliver"), python ? 1 : SHOWN_ROWS - 1);
		assert_int_equal(row_of("l10"), python ? ROW_HIDDEN : SHOWN_ROWS - 2);
		assert_int_equal(row_of("l3"), ROW_HIDDEN);
		assert_int_equal(row_of("l4"), python ? ROW_HIDDEN : 0);
		assert_int_equal(row_of("l0"), python ? 0 : ROW_HIDDEN);
		assert_int_equal(row_of("aside"), 0);
		tl.subject[1] = (uint32_t)made_find(&made.trace, "l10", 0);
		plan(0, 3000);
		assert_int_equal(row_of("l10"), python ? 1 : SHOWN_ROWS - 1);
		draw();
	}
}

static void levels_too_narrow_to_see(void **state)
{
	(void)state;
	add(EVENT_OP, "outer", 0, 1000, 0);
	for (int i = 0; i < 20; i++)
		add(EVENT_OP, "inner", 10 + i * 40, 10.5 + i * 40, 0);
	seal();
	plan(0, 1000);
	assert_int_equal(row_of("inner"), ROW_HIDDEN);
	assert_int_equal(tl.lane[0].rows, 1);
	assert_int_equal(tl.events, 21);
	draw();
	assert_int_equal(counts.drawn, 1);
	/* Closer, they are there. */
	plan(0, 100);
	assert_int_equal(row_of("inner"), 1);
	assert_int_equal(tl.lane[0].rows, 2);
	/* The outermost level stays whatever its width. */
	made_release(&made);
	begin(NULL);
	add(EVENT_OP, "sliver", 500, 500.1, 0);
	seal();
	plan(0, 1000);
	assert_int_equal(row_of("sliver"), 0);
	draw();
	assert_int_equal(counts.drawn, 1);
}

static void neighbours_are_drawn_together(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++)
		add(EVENT_KERNEL, "gemm", i, i + 0.5, 0);
	add(EVENT_KERNEL, "far away", 9000, 9001, 0);
	seal();
	plan(0, 10000);
	assert_int_equal(tl.events, 201);
	const char *drawn = draw();
	assert_in_range(counts.drawn, 2, 20);
	assert_says(drawn, "tip \"×200 · 100 µs\"");
	assert_says(drawn, "far away");
	/* Together they stand for all: the counts in their tips sum up. */
	long sum = 0;
	for (const char *p = drawn; (p = strstr(p, "tip \"")); p++)
		sum += !strncmp(p, "tip \"×", 7) ? strtol(p + 7, NULL, 10) : 1;
	assert_int_equal(sum, 201);
	plan(0, 20);
	draw();
	assert_int_equal(counts.drawn, tl.events);
}

/* What can be seen apart is drawn apart; of several colours within the least width, one bar stands
 * for all. */
static void what_stands_apart_is_not_merged(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++)
		add(EVENT_KERNEL, "gemm", i * 40, i * 40 + 1, 0);
	for (int i = 0; i < 20; i++)
		add(i % 2 ? EVENT_MEMCPY : EVENT_KERNEL, i % 2 ? "Memcpy DtoD" : "gemm",
			5000 + i * 2, 5001 + i * 2, 0);
	seal();
	plan(0, 10000);
	draw();
	assert_int_equal(counts.drawn, 53);
}

static void overlapping_work_is_stacked(void **state)
{
	(void)state;
	add(EVENT_KERNEL, "below", 0, 60, 0);
	add(EVENT_KERNEL, "above", 40, 100, 0);
	seal();
	made.trace.depth[made_find(&made.trace, "above", 0)] = 1; /* as the reader stacks it */
	plan(0, 100);
	assert_int_equal(row_of("above"), 1);
	assert_int_equal(lane_at(MADE_STREAM)->rows, 2);
	draw();
}

/* Many threads and streams: the busiest of each side get a lane in the order of the file, the
 * others are counted. */
static void lanes_are_folded(void **state)
{
	enum { TRACKS = 18, HOSTS = 8 };
	(void)state;
	for (int k = 0; k < TRACKS; k++)
		for (int i = 0; i < 1 + (k * 5) % TRACKS; i++)
			add(k < HOSTS ? EVENT_OP : EVENT_KERNEL, "e", k * 20 + i, k * 20 + i + 0.5,
				(uint32_t)k);
	seal();
	struct trace *t = &made.trace;
	t->tracks = arena_array(&made.arena, TRACKS, sizeof *t->tracks);
	t->n_tracks = TRACKS;
	int64_t n[TRACKS] = {0};
	for (uint32_t k = HOSTS; k < TRACKS; k++)
		t->tracks[k].device = true;
	for (size_t i = 0; i < t->n; i++) {
		t->track[i] = t->correlation[i];
		n[t->track[i]]++;
	}
	plan(0, TRACKS * 20);
	assert_int_equal(tl.n_lanes, HOST_LANES + DEVICE_LANES);
	int64_t folded = 0;
	int hosts = 0, before = -1;
	for (int k = 0; k < TRACKS; k++) {
		int lane = tl.lane_of[k];
		folded += lane == LANE_NONE ? n[k] : 0;
		hosts += lane != LANE_NONE && k < HOSTS;
		if (lane == LANE_NONE)
			continue;
		assert_int_equal(tl.lane[lane].track, k);
		assert_true(lane > before);
		before = lane;
		for (int j = 0; j < TRACKS; j++)
			if (tl.lane_of[j] == LANE_NONE && (j < HOSTS) == (k < HOSTS))
				assert_true(n[j] <= n[k]);
	}
	assert_int_equal(hosts, HOST_LANES);
	assert_int_equal(tl.folded, TRACKS - HOST_LANES - DEVICE_LANES);
	assert_int_equal(tl.folded_events, folded);
	assert_int_equal(tl.events, (int64_t)t->n);
	draw();
	assert_true(counts.drawn <= tl.events - folded);
	/* What it is about comes first. */
	for (size_t i = 0; i < t->n; i++)
		if (tl.lane_of[t->track[i]] == LANE_NONE)
			tl.subject[t->tracks[t->track[i]].device] = (uint32_t)i;
	tl.n_subjects = 2;
	plan(0, TRACKS * 20);
	for (int k = 0; k < 2; k++)
		assert_true(timeline_shows(&tl, tl.subject[k]));
	assert_int_equal(tl.n_lanes, HOST_LANES + DEVICE_LANES);
}

/* Whatever a trace holds: all inside, never more shapes than events, the same twice. */
static void any_trace(void **state)
{
	static const uint8_t kinds[] = {EVENT_OP, EVENT_OP, EVENT_ANNOTATION, EVENT_PYTHON,
		EVENT_RUNTIME, EVENT_DRIVER, EVENT_KERNEL, EVENT_KERNEL, EVENT_MEMCPY, EVENT_MEMSET,
		EVENT_OTHER, EVENT_INSTANT, EVENT_OVERHEAD};
	static const char *const names[] = {"aten::mm", "a_kernel", "ProfilerStep#1", "x", "",
		"void a::b<c>(d)", "cudaLaunchKernel", "cudaMemcpyAsync", "µ → ×"};
	uint32_t seed = 11;
	for (int round = 0; round < 120; round++) {
		begin(state);
		double scale = (double[]){0.01, 1, 1000, 1e6}[next_random(&seed) % 4];
		for (uint32_t n = 1 + next_random(&seed) % (MADE_MOST - 1); n; n--) {
			double start = (double)(next_random(&seed) % 10000) / 10 * scale;
			double wide = (double)(next_random(&seed) % 1000) *
				(double[]){0, 0.01, 0.1, 1}[next_random(&seed) % 4] * scale;
			uint8_t kind = kinds[next_random(&seed) % sizeof kinds];
			struct made_event *e =
				add((enum event_kind)kind, names[next_random(&seed) % 9], start,
					kind == EVENT_INSTANT ? start : start + wide,
					next_random(&seed) % 50);
			e->track += next_random(&seed) % 3 ? 0 : 1;
		}
		seal();
		tl.most_arrows = (int)(next_random(&seed) % 60);
		for (int window = 0; window < 3; window++) {
			double from = (double[]){0, 200, 990}[window] * scale;
			plan(from, from + (double[]){2000, 300, 0.01}[window] * scale + 0.001);
			const char *first = draw();
			int64_t count = counts.drawn;
			assert_string_equal(draw(), first);
			assert_int_equal(counts.drawn, count);
		}
		end(state);
	}
	begin(state);
}

static void names_and_colours(void **state)
{
	(void)state;
	for (int b = 0; b < BARS; b++) {
		assert_non_null(bar_name((enum bar)b));
		texts_bar(texts, bar_name((enum bar)b));
		say(texts, &arena, arena_printf(&arena, "legend.%s", bar_name((enum bar)b)), NULL);
	}
	for (uint8_t c = 0; c < CLASSES; c++)
		assert_in_range(bar_of(c), 0, BARS - 1);
	struct err err = {0};
	assert_int_equal(texts_error(texts, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TIMELINE_TEST(rows_nest_below_the_step),
		TIMELINE_TEST(calls_inside_calls_are_hidden),
		TIMELINE_TEST(the_window),
		TIMELINE_TEST(only_so_many_levels),
		TIMELINE_TEST(what_it_is_about_is_shown),
		TIMELINE_TEST(a_launch_shows_what_lies_directly_in_it),
		TIMELINE_TEST(levels_too_narrow_to_see),
		TIMELINE_TEST(neighbours_are_drawn_together),
		TIMELINE_TEST(what_stands_apart_is_not_merged),
		TIMELINE_TEST(overlapping_work_is_stacked),
		TIMELINE_TEST(lanes_are_folded),
		TIMELINE_TEST(any_trace),
		TIMELINE_TEST(names_and_colours),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
