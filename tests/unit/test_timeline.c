/* The plan of a timeline: who gets a row, who is hidden, counted, folded; and that what is drawn
 * stays in its box. Looks are the golden texts' matter. */
#include "report/timeline.h"
#include "tests/unit/made_trace.h"
#include "tests/unit/page.h"

#include <stdio.h>

enum { SHOWN_ROWS = 8, HOST_LANES = 4, DEVICE_LANES = 6 };

static const double WIDTH = 515;

static struct made_trace made;
static struct analysis analysis;
static struct timeline tl;

static struct made_event *add(
	enum event_kind kind, const char *name, double start, double end, uint32_t correlation)
{
	return made_add(&made, kind, name, start, end, correlation);
}

static void seal(void)
{
	made.label = "GPU 0";
	analysis = analysis_of(&made.arena, made_seal(&made));
}

/* host_to_us 0: as far as the device. */
static void plan_host(double from_us, double to_us, double host_to_us)
{
	tl.shown_to_ns = 0;
	tl.host_to_ns = (int64_t)(host_to_us * 1000);
	tl.trace = &made.trace;
	tl.analysis = &analysis;
	tl.texts = texts;
	tl.fonts = fonts;
	tl.from_ns = (int64_t)(from_us * 1000);
	tl.to_ns = (int64_t)(to_us * 1000);
	timeline_plan(&tl, &arena, WIDTH);
}

static void plan(double from_us, double to_us)
{
	plan_host(from_us, to_us, 0);
}

static int begin(void **state)
{
	(void)state;
	made = (struct made_trace){0};
	tl = (struct timeline){.most_arrows = 20, .legend = true};
	return 0;
}

static int end(void **state)
{
	made_release(&made);
	return clear_arena(state);
}

static int row_of(const char *name)
{
	return tl.row[made_find(&made.trace, name, 0)];
}

static const struct lane *lane_at(uint32_t track)
{
	assert_int_not_equal(tl.lane_of[track], LANE_NONE);
	return &tl.lane[tl.lane_of[track]];
}

/* Two steps of an operator with two launches. */
static void two_steps(void)
{
	for (int i = 0; i < 2; i++) {
		double t = i * 100;
		uint32_t c = (uint32_t)i * 2 + 1;
		add(EVENT_ANNOTATION, i ? "ProfilerStep#1" : "ProfilerStep#0", t, t + 90, 0);
		add(EVENT_ANNOTATION, "block", t + 1, t + 89, 0);
		add(EVENT_OP, "aten::linear", t + 2, t + 60, 0);
		add(EVENT_OP, "aten::addmm", t + 3, t + 58, 0);
		add(EVENT_RUNTIME, "cudaLaunchKernel", t + 10, t + 20, c);
		add(EVENT_OP, "lazy loading", t + 11, t + 19, 0)->extra = "setup";
		add(EVENT_RUNTIME, "cudaLaunchKernelExC", t + 30, t + 40, c + 1);
		add(EVENT_KERNEL, "gemm_one", t + 25, t + 50, c);
		add(EVENT_KERNEL, "gemm_two", t + 50, t + 70, c + 1);
	}
	seal();
}

/* Coordinates of every call lie in the figure; returns how many there are. */
static int assert_inside(const char *drawn)
{
	int n = 0;
	char face[8], anchor[8];
	double x, y, w, h, size;
	for (const char *p = drawn; p && *p; p = strchr(p, '\n'), p += p != NULL, n++) {
		char line[600];
		snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
		w = h = 0;
		const char *quote = strrchr(line, '"');
		bool text = !strncmp(line, "text", 4);
		if (text)
			assert_int_equal(sscanf(quote, "\" %7s %lf #%*8c %7s %lf %lf", face, &size,
						 anchor, &x, &y),
				5);
		else if (sscanf(line, "rect #%*8c %lf %lf %lf %lf", &x, &y, &w, &h) != 4 &&
			sscanf(line, "frame #%*8c %*f %lf %lf %lf %lf", &x, &y, &w, &h) != 4 &&
			sscanf(line, "clip %lf %lf %lf %lf", &x, &y, &w, &h) != 4)
			continue;
		if (text && !strcmp(anchor, "start")) {
			char words[600];
			snprintf(words, sizeof words, "%.*s", (int)(quote - line) - 6, line + 6);
			w = text_width(
				fonts, strcmp(face, "bold") ? FACE_SANS : FACE_BOLD, size, words);
		}
		if (x < -0.02 || y < -0.02 || x + w > WIDTH + 0.6 || y + h > tl.height + 0.02)
			fail_msg("outside of %.1f x %.1f: %s", WIDTH, tl.height, line);
	}
	return n;
}

static const char *draw(void)
{
	struct drawing d;
	begin_drawing(&d);
	canvas_page(d.canvas, WIDTH, tl.height, NULL);
	timeline_draw(d.canvas, (struct box){0, 0, WIDTH, tl.height}, &tl);
	const char *drawn = finish_drawing(&d);
	assert_inside(drawn);
	assert_in_range(tl.drawn, 0, tl.events);
	return drawn;
}

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
	assert_int_equal(tl.drawn, tl.events);
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
	assert_int_equal(tl.drawn, 2);
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
	assert_int_equal(tl.drawn, SHOWN_ROWS);
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
	assert_int_equal(tl.drawn, 1);
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
	assert_int_equal(tl.drawn, 1);
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
	assert_in_range(tl.drawn, 2, 20);
	assert_says(drawn, "tip \"×200 · 100 µs\"");
	assert_says(drawn, "far away");
	/* Together they stand for all: the counts in their tips sum up. */
	long sum = 0;
	for (const char *p = drawn; (p = strstr(p, "tip \"")); p++)
		sum += !strncmp(p, "tip \"×", 7) ? strtol(p + 7, NULL, 10) : 1;
	assert_int_equal(sum, 201);
	plan(0, 20);
	draw();
	assert_int_equal(tl.drawn, tl.events);
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
	assert_int_equal(tl.drawn, 53);
}

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
	assert_says(draw(), "launched here, to begin later: 2 (from 500 µs on)");
	assert_int_equal(tl.torn, 2); /* the wait, and the idle time */
	assert_says(draw(), "idle, 490 µs in all");
	plan(0, 700);
	assert_int_equal(tl.n_beyond, 0);
	assert_null(strstr(draw(), "launched here"));
	assert_int_equal(tl.torn, 0);
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
	assert_says(drawn, "30.0 µs"); /* behind the last */
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
	assert_true(tl.drawn <= tl.events - folded);
}

static void bands_marks_and_titles(void **state)
{
	(void)state;
	two_steps();
	const struct band bands[] = {
		{0, 90000, "Step 0", "90 µs"}, {100000, 90000, "Step 1", NULL}};
	tl.bands = bands;
	tl.n_bands = 2;
	tl.mark_from_ns = 100000;
	tl.mark_to_ns = 190000;
	tl.title = "A title with \\[signs\\]";
	plan(0, 200);
	const char *drawn = draw();
	assert_says(drawn, "\"Step 0\"");
	assert_says(drawn, "\"90 µs\"");
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
	assert_int_equal(tl.footprints, 1);
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
	assert_says(draw(), "where it lies");
	/* However short, it can be seen. */
	tl.whole_to_ns = 100000000;
	plan(100, 200);
	draw();
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
			int64_t count = tl.drawn;
			assert_string_equal(draw(), first);
			assert_int_equal(tl.drawn, count);
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
#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TIMELINE_TEST(rows_nest_below_the_step),
		TIMELINE_TEST(calls_inside_calls_are_hidden),
		TIMELINE_TEST(the_window),
		TIMELINE_TEST(only_so_many_levels),
		TIMELINE_TEST(levels_too_narrow_to_see),
		TIMELINE_TEST(neighbours_are_drawn_together),
		TIMELINE_TEST(what_stands_apart_is_not_merged),
		TIMELINE_TEST(arrows_only_when_few),
		TIMELINE_TEST(arrows_told_apart),
		TIMELINE_TEST(arrows_run_from_end_to_start),
		TIMELINE_TEST(what_lies_behind_the_edge),
		TIMELINE_TEST(marks_stand_on_their_events),
		TIMELINE_TEST(idle_time),
		TIMELINE_TEST(overlapping_work_is_stacked),
		TIMELINE_TEST(lanes_are_folded),
		TIMELINE_TEST(bands_marks_and_titles),
		TIMELINE_TEST(footprints),
		TIMELINE_TEST(the_place_of_a_zoom),
		TIMELINE_TEST(any_trace),
		TIMELINE_TEST(names_and_colours),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
