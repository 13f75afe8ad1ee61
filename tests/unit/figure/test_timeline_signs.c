/* SPDX-License-Identifier: Apache-2.0 */
/* What stands on a timeline besides its bars: arrows, marks, idle time, bands, footprints, edges
 * and the place of a zoom. */
#include "tests/unit/timeline_rig.h"

static void arrows_only_when_few(void **state)
{
	(void)state;
	two_steps();
	plan(0, 200);
	int with = count_calls(draw(), "stroke ");
	double tall = tl.height;
	assert_int_equal(with, 4 + 1); /* and one in the legend */
	tl.most_arrows = 3;
	plan(0, 200);
	assert_int_equal(tl.n_arrows, 4);
	assert_true(tl.height < tall);
	assert_int_equal(count_calls(draw(), "stroke "), 0);
}

/* Arrows that leave and arrive at one place are one; from one place to several they are several. */
static void arrows_told_apart(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		add(EVENT_RUNTIME, "cudaLaunchKernel", i * 0.1, i * 0.1 + 0.05, i + 1);
		add(EVENT_KERNEL, "small", 500 + i, 500.9 + i, i + 1);
	}
	for (uint32_t i = 0; i < 3; i++) {
		add(EVENT_RUNTIME, "cudaLaunchKernel", 1 + i * 0.1, 1.05 + i * 0.1, i + 11);
		add(EVENT_KERNEL, "large", 600 + i * 100, 680 + i * 100, i + 11);
	}
	seal();
	plan(0, 1000);
	assert_int_equal(tl.n_arrows, 13);
	assert_int_equal(count_calls(draw(), "stroke "), 1 + 3 + 1); /* and one in the legend */
	plan(500, 510);
	draw();
}

/* An arrow runs from the end of the launch to the start of the kernel. */
static void arrows_run_from_end_to_start(void **state)
{
	(void)state;
	add(EVENT_RUNTIME, "cudaLaunchKernel", 10, 30, 1);
	add(EVENT_KERNEL, "gemm", 60, 80, 1);
	seal();
	plan(0, 100);
	double w = WIDTH - timeline_metrics.gutter;
	char from[32], to[32];
	snprintf(from, sizeof from, "M %.2f", timeline_metrics.gutter + w * 0.3);
	snprintf(to, sizeof to, " %.2f", timeline_metrics.gutter + w * 0.6 + 0.6);
	const char *arrow = strstr(draw(), "stroke ");
	assert_non_null(arrow);
	char line[400];
	snprintf(line, sizeof line, "%.*s", (int)strcspn(arrow, "\n"), arrow);
	assert_says(line, from + 2);
	assert_says(line, to + 1);
}

/* Work that begins behind the right edge: the launches say so, and the bar that the edge cuts is
 * torn. */
static void what_lies_behind_the_edge(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		add(EVENT_RUNTIME, "cudaLaunchKernel", 10 + i * 20, 20 + i * 20, i + 1);
		add(EVENT_KERNEL, "gemm", 500 + i * 100, 580 + i * 100, i + 1);
	}
	add(EVENT_RUNTIME, "cudaDeviceSynchronize", 50, 690, 0);
	seal();
	tl.idle_device = true;
	plan(0, 100);
	assert_int_equal(tl.n_beyond, 2);
	assert_int_equal(tl.beyond_ns, 500000);
	assert_says(draw(), "2 launched here begin later (from 500 µs on)");
	assert_int_equal(counts.torn, 2); /* the wait, and the idle time */
	assert_says(draw(), "idle, 490 µs in all");
	plan(0, 700);
	assert_int_equal(tl.n_beyond, 0);
	assert_null(strstr(draw(), "launched here"));
	assert_int_equal(counts.torn, 0);
	tl.idle_device = false; /* without a lane there is nothing to point from */
	plan(0, 100);
	assert_int_equal(tl.n_beyond, 0);
	draw();
}

/* The centres of the discs, by their numbers. */
static struct pt disc_at(const char *drawn, int number)
{
	char text[16];
	struct pt at = {0};
	snprintf(text, sizeof text, "text \"%d\" bold", number);
	const char *line = strstr(drawn, text);
	assert_non_null(line);
	assert_int_equal(sscanf(strstr(line, "middle"), "middle %lf %lf", &at.x, &at.y), 2);
	return at;
}

/* Marks stand in their bar or in the idle time that they are about; beside a bar that is too
 * narrow, off every word, and those on one bar apart. */
static void marks_stand_on_their_events(void **state)
{
	(void)state;
	add(EVENT_OP, "wide", 0, 60, 0);
	add(EVENT_KERNEL, "sliver", 10, 11, 0);
	add(EVENT_KERNEL, "gemm", 80, 100, 0);
	seal();
	uint32_t sliver = made_find(&made.trace, "sliver", 0);
	const struct callout marks[] = {{.row = made_find(&made.trace, "wide", 0), .number = 1},
		{.row = sliver, .number = 2}, {.row = sliver, .number = 3},
		{.row = sliver, .number = 4, .gap_from_ns = 11000, .gap_to_ns = 80000}};
	tl.callouts = marks;
	tl.n_callouts = 4;
	plan(0, 100);
	const char *drawn = draw();
	double x0 = timeline_metrics.gutter, w = WIDTH - x0;
	struct pt wide = disc_at(drawn, 1), idle = disc_at(drawn, 4);
	assert_true(wide.x > x0 && wide.x < x0 + w * 0.6);
	assert_true(idle.x > x0 + w * 0.11 && idle.x < x0 + w * 0.8);
	const struct lane *device = lane_at(MADE_STREAM);
	assert_true(idle.y > device->y && idle.y < device->y + device->h);
	struct pt two = disc_at(drawn, 2), three = disc_at(drawn, 3);
	double dx = two.x - three.x, dy = two.y - three.y;
	assert_true(dx * dx + dy * dy > 8 * 8);
	double far = two.x - (x0 + w * 0.105);
	assert_true(far * far < 30 * 30);
	/* How wide they are: nothing for what is not there, and cut at the edge. */
	bool cut;
	assert_true(timeline_place_width(&tl, &marks[0], &cut) > w * 0.59 && !cut);
	assert_true(timeline_place_width(&tl, &marks[3], &cut) > w * 0.68 && !cut);
	plan(0, 50);
	assert_true(timeline_place_width(&tl, &marks[0], &cut) > w * 0.99 && cut);
	assert_true(timeline_place_width(&tl, &marks[3], &cut) > w * 0.7 && cut);
	plan(20, 50);
	assert_true(timeline_place_width(&tl, &marks[1], &cut) == 0);
}

static void idle_time(void **state)
{
	(void)state;
	two_steps();
	plan(0, 200);
	const char *drawn = draw();
	assert_says(drawn, "25.0 µs"); /* to the first kernel */
	assert_says(drawn, "55.0 µs"); /* from 70 to 125 */
	assert_says(drawn, "20.0 µs"); /* behind the last, up to the end of the last step */
	assert_null(strstr(drawn, "30.0 µs"));
	/* Two streams: idle is when both are. */
	made_release(&made);
	begin(NULL);
	add(EVENT_KERNEL, "a", 0, 60, 0);
	add(EVENT_KERNEL, "b", 40, 100, 0)->track = MADE_STREAM2;
	seal();
	plan(0, 100);
	assert_int_equal(tl.n_lanes, 2);
	assert_int_equal(count_calls(draw(), "clip "), 0); /* nor in the legend */
	/* Without device there is nothing to be idle. */
	made_release(&made);
	begin(NULL);
	add(EVENT_OP, "op", 0, 60, 0);
	seal();
	plan(0, 100);
	assert_int_equal(count_calls(draw(), "clip "), 0);
}

static void bands_marks_and_titles(void **state)
{
	(void)state;
	two_steps();
	const struct band bands[] = {{0, 90000, "Step 0", "90 µs", NULL},
		{100000, 90000, "Step 1", NULL, NULL}, {190000, 10000, "Step 2", NULL, "2"}};
	tl.bands = bands;
	tl.n_bands = 3;
	tl.mark_from_ns = 100000;
	tl.mark_to_ns = 190000;
	tl.title = "A title with \\[signs\\]";
	plan(0, 200);
	const char *drawn = draw();
	assert_says(drawn, "\"Step 0\"");
	assert_says(drawn, "\"90 µs\"");
	assert_says(drawn, "\"2\""); /* for which alone there is room */
	assert_null(strstr(drawn, "\"Step 2\""));
	assert_says(drawn, "\"A title with [signs]\"");
	assert_says(drawn, " dash ");
	assert_true(strstr(drawn, "\"Step 0\"") < strstr(drawn, "\"Step 1\""));
	double with_axis = tl.height;
	tl.no_axis = true;
	plan(0, 200);
	assert_true(tl.height < with_axis);
	draw();
}

/* What a kernel takes stands in its bar, the more the wider it is; never in a narrow one, and not
 * what the file does not tell. */
static void footprints(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		made_add(&made, EVENT_KERNEL, "gemm", i * 120, i * 120 + 100, 0)->grid = 264;
	add(EVENT_KERNEL, "tiny", 110, 111, 0)->grid = 3;
	add(EVENT_KERNEL, "no footprint", 300, 400, 0);
	made.event[0].block = made.event[1].block = made.event[2].block = 384;
	seal();
	for (size_t i = 0; i < made.trace.n_kernels; i++) {
		made.trace.kernels[i].registers = 168;
		made.trace.kernels[i].shared_bytes =
			i ? 231424 : 1 << 30; /* absurd: not believed */
	}
	plan(0, 400);
	const char *drawn = draw();
	assert_says(drawn, "\"264 × 384 · 168 reg · 231 kB\"");
	assert_int_equal(count_calls(drawn, "text \"264"), 1);
	assert_int_equal(counts.footprints, 1);
	assert_null(strstr(drawn, "\"3 "));
	plan(120, 220);
	assert_says(draw(), "\"264 blocks × 384 threads · 168 registers · 231 kB shared\"");
	/* With a device that is known, how its grid fits: one block a multiprocessor. */
	made.trace.devices = arena_array(&made.arena, 1, sizeof *made.trace.devices);
	made.trace.n_devices = 1;
	made.trace.devices[0] = (struct trace_device){.name = "NVIDIA H100",
		.sms = 132,
		.threads_per_sm = 2048,
		.registers_per_sm = 65536,
		.shared_per_sm = 233472,
		.major = 9,
		.warp = 32};
	plan(120, 220);
	assert_says(draw(), "231 kB shared · waves: 2.00\"");
}

/* Where a zoom lies in the whole is drawn above it. */
static void the_place_of_a_zoom(void **state)
{
	(void)state;
	two_steps();
	plan(100, 200);
	double without = tl.height;
	tl.whole_to_ns = 200000;
	plan(100, 200);
	assert_true(tl.height > without);
	char zoom[64];
	snprintf(zoom, sizeof zoom, "%.2f",
		timeline_metrics.gutter + (WIDTH - timeline_metrics.gutter) / 2);
	assert_says(draw(), zoom);
	assert_says(draw(), "enlarged part");
	/* However short, it can be seen. */
	tl.whole_to_ns = 100000000;
	plan(100, 200);
	draw();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TIMELINE_TEST(arrows_only_when_few),
		TIMELINE_TEST(arrows_told_apart),
		TIMELINE_TEST(arrows_run_from_end_to_start),
		TIMELINE_TEST(what_lies_behind_the_edge),
		TIMELINE_TEST(marks_stand_on_their_events),
		TIMELINE_TEST(idle_time),
		TIMELINE_TEST(bands_marks_and_titles),
		TIMELINE_TEST(footprints),
		TIMELINE_TEST(the_place_of_a_zoom),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
