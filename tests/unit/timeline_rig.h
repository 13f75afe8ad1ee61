/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_rig.h - a made trace with its timeline, planned and drawn; everything drawn must lie in
 * its box.
 */
#ifndef TESTS_UNIT_TIMELINE_RIG_H
#define TESTS_UNIT_TIMELINE_RIG_H

#include "report/figure/timeline.h"
#include "tests/unit/made_trace.h"
#include "tests/unit/page.h"

#include <stdio.h>

enum { SHOWN_ROWS = 8, HOST_LANES = 4, DEVICE_LANES = 6 };

static const double WIDTH = 515;

static struct made_trace made;
static struct analysis analysis;
static struct timeline tl;
static struct timeline_counts counts; /* of what draw() drew last */

static inline struct made_event *add(
	enum event_kind kind, const char *name, double start, double end, uint32_t correlation)
{
	return made_add(&made, kind, name, start, end, correlation);
}

static inline void seal(void)
{
	made.label = "GPU 0";
	analysis = analysis_of(&made.arena, made_seal(&made));
}

/* host_to_us 0: as far as the device. */
static inline void plan_host(double from_us, double to_us, double host_to_us)
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

static inline void plan(double from_us, double to_us)
{
	plan_host(from_us, to_us, 0);
}

static inline int begin(void **state)
{
	(void)state;
	made = (struct made_trace){0};
	tl = (struct timeline){.most_arrows = 20, .legend = true};
	return 0;
}

static inline int end(void **state)
{
	made_release(&made);
	return clear_arena(state);
}

static inline int row_of(const char *name)
{
	return tl.row[made_find(&made.trace, name, 0)];
}

static inline const struct lane *lane_at(uint32_t track)
{
	assert_int_not_equal(tl.lane_of[track], LANE_NONE);
	return &tl.lane[tl.lane_of[track]];
}

/* Two steps of an operator with two launches. */
static inline void two_steps(void)
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
static inline int assert_inside(const char *drawn)
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

static inline const char *draw(void)
{
	struct drawing d;
	begin_drawing(&d);
	canvas_page(d.canvas, WIDTH, tl.height, NULL);
	timeline_draw(d.canvas, (struct box){0, 0, WIDTH, tl.height}, &tl);
	const char *drawn = finish_drawing(&d);
	assert_inside(drawn);
	counts = timeline_count(&tl);
	assert_in_range(counts.drawn, 0, tl.events);
	return drawn;
}

/* One test with a trace and a timeline of its own. */
#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
