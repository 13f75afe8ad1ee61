/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_run.h - runs written down in a test: a few cases with their part of run.json and a made
 * trace each; and what a drawing must keep to.
 */
#ifndef TESTS_UNIT_MADE_RUN_H
#define TESTS_UNIT_MADE_RUN_H

#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/run/run.h"
#include "tests/unit/made_kernel_work.h"
#include "tests/unit/made_trace.h"
#include "tests/unit/page.h"

enum { MADE_CASES = 8 };

struct made_run {
	struct input in;
	struct run run;
	struct report_case c[MADE_CASES];
	struct made_trace *made[MADE_CASES];
	int64_t copy_bytes[MADE_CASES]; /* of every copy in the case */
	struct arena arena;
	int n;
};

static inline const char *made_text(const cJSON *entry, const char *name)
{
	const char *text = cJSON_GetStringValue(config_find(entry, name));
	return text ? text : "";
}

/* entry: JSON. Events are added to the result. */
static inline struct made_trace *made_case(struct made_run *m, const char *entry)
{
	assert_in_range(m->n, 0, MADE_CASES - 1);
	cJSON *json = cJSON_Parse(entry);
	assert_non_null(json);
	made_kernel_work(json);
	m->c[m->n] = (struct report_case){.raw_entry = json,
		.work = case_work_of(&m->arena, json),
		.id = made_text(json, "id"),
		.place = made_text(json, "id"),
		.title = made_text(json, "title"),
		.mode = made_text(json, "mode"),
		.experiment = made_text(json, "workload"),
		.scaled = made_text(json, "scaled"),
		.status = "done",
		.reason = "",
		.readable = true,
		.run = &m->run};
	m->made[m->n] = xcalloc(1, sizeof **m->made);
	return m->made[m->n++];
}

/* A step with calls one after the other, and their device events one after the other: names and
 * durations in microseconds, ended by a NULL. A name that begins with "Memcpy" is a copy. The step
 * begins at `at`, its device work `late` after that. */
struct made_work {
	const char *name;
	double us;
};

static inline double made_step(
	struct made_trace *t, int number, double at, double late, const struct made_work *work)
{
	double call = at + 1, device = at + late;
	static uint32_t correlation = 1;
	static char names[64][32];
	assert_in_range(number, 0, 63);
	snprintf(names[number], sizeof *names, "ProfilerStep#%d", number);
	struct made_event *step = made_add(t, EVENT_ANNOTATION, names[number], at, at + 1, 0);
	for (; work->name; work++, correlation++, call += 3) {
		bool copy = !strncmp(work->name, "Memcpy", 6);
		made_add(t, EVENT_RUNTIME, copy ? "cudaMemcpyAsync" : "cudaLaunchKernel", call,
			call + 2, correlation);
		made_add(t, copy ? EVENT_MEMCPY : EVENT_KERNEL, work->name, device,
			device + work->us, correlation);
		device += work->us;
	}
	step->end_us = call + 1;
	return device > call ? device : call;
}

static inline bool made_no_case(void *context, const char *id, struct judged *other)
{
	(void)context;
	(void)id;
	(void)other;
	return false;
}

static inline void made_copies(struct made_run *m, int i)
{
	struct trace *t = &m->c[i].trace;
	t->copies = arena_array(&m->arena, t->n + 1, sizeof *t->copies);
	for (size_t row = 0; row < t->n; row++)
		if (t->kind[row] == EVENT_MEMCPY) {
			t->copies[t->n_copies] = (struct copy){.bytes = m->copy_bytes[i]};
			t->side[row] = (uint32_t)t->n_copies++;
		}
}

/* manifest: JSON. */
static inline void made_run_seal(struct made_run *m, const char *manifest)
{
	for (int i = 0; i < m->n; i++) {
		made_seal(m->made[i]);
		m->c[i].trace = m->made[i]->trace;
		made_copies(m, i);
		struct analysis *a = arena_alloc(&m->arena, sizeof *a);
		*a = analysis_of(&m->arena, &m->c[i].trace);
		m->c[i].analysis = a;
		m->c[i].verdicts = arena_alloc(&m->arena, sizeof *m->c[i].verdicts);
		*m->c[i].verdicts = judge(&m->arena, config_find(m->c[i].raw_entry, "expect"),
			&(struct judged){.analysis = a},
			&(struct judge_sources){.find = made_no_case});
	}
	cJSON *json = cJSON_Parse(manifest);
	assert_non_null(json);
	m->run = (struct run){.raw_manifest = json,
		.of_matrix = true,
		.machine = machine_facts_of(&m->arena, json),
		.comparisons = run_comparisons_of(&m->arena, json),
		.guessed = "",
		.device = "cuda",
		.is_gpu = true,
		.created = "",
		.cases = m->c,
		.n_cases = m->n};
	m->in.runs = &m->run;
	m->in.n_runs = 1;
}

static inline void made_run_release(struct made_run *m)
{
	for (int i = 0; i < m->n; i++) {
		made_release(m->made[i]);
		free(m->made[i]);
		cJSON_Delete((cJSON *)(uintptr_t)m->c[i].raw_entry);
	}
	cJSON_Delete(m->run.raw_manifest);
	arena_release(&m->arena);
}

/* ---- what every plot keeps to ---- */

enum { MOST_DRAWN_TEXTS = 400 };

struct drawn_text {
	struct box box; /* from the baseline up by the size, less a little: capitals */
	const char *text;
};

/* The text of a line `text "..." sans 6.4 ... start X Y`, false for other lines. */
static inline bool parse_text(const char *line, struct drawn_text *d)
{
	if (strncmp(line, "text \"", 6) != 0)
		return false;
	const char *end = line + 6;
	while (*end != '"' || end[-1] == '\\')
		end++;
	char face[8], anchor[8], colour[16];
	double size, x, y;
	d->text = arena_strndup(&arena, line + 6, (size_t)(end - line - 6));
	if (sscanf(end + 1, " %7s %lf %15s %7s %lf %lf", face, &size, colour, anchor, &x, &y) != 6)
		fail_msg("not understood: %.80s", line);
	enum face f = !strcmp(face, "bold") ? FACE_BOLD
		: !strcmp(face, "mono")	    ? FACE_MONO
					    : FACE_SANS;
	assert_true(size >= 6);
	double w = text_width(fonts, f, size, d->text);
	x -= !strcmp(anchor, "end") ? w : !strcmp(anchor, "middle") ? w / 2 : 0;
	d->box = (struct box){x, y - size * 0.72, w, size * 0.74};
	return true;
}

/* Every text lies in the box, and no text on another. Returns how many there are. */
static inline int assert_texts_apart(const char *drawn, struct box box)
{
	static struct drawn_text t[MOST_DRAWN_TEXTS];
	int n = 0;
	for (const char *p = drawn; p && *p; p = strchr(p, '\n'), p += p != NULL) {
		if (!parse_text(p, &t[n]))
			continue;
		const struct box *b = &t[n].box;
		if (b->x < box.x - 0.1 || b->y < box.y - 0.1 || b->x + b->w > box.x + box.w + 0.1 ||
			b->y + b->h > box.y + box.h + 0.1)
			fail_msg("\"%s\" leaves the figure: %.1f %.1f %.1f %.1f", t[n].text, b->x,
				b->y, b->w, b->h);
		for (int i = 0; i < n; i++) {
			const struct box *o = &t[i].box;
			if (b->x + 0.1 < o->x + o->w && o->x + 0.1 < b->x + b->w &&
				b->y + 0.1 < o->y + o->h && o->y + 0.1 < b->y + b->h)
				fail_msg("\"%s\" lies on \"%s\" at %.1f %.1f", t[n].text, t[i].text,
					b->x, b->y);
		}
		assert_in_range(++n, 0, MOST_DRAWN_TEXTS - 1);
	}
	return n;
}

/* Draws a figure's data into a box away from the origin and checks it; the result is the drawing.
 */
static inline const char *draw_figure(void (*draw)(struct canvas *, struct box, const void *),
	const void *figure, double w, double h)
{
	struct drawing d;
	struct box box = {31, 17, w, h};
	begin_drawing(&d);
	canvas_page(d.canvas, w + 60, h + 40, NULL);
	draw(d.canvas, box, figure);
	const char *drawn = finish_drawing(&d);
	assert_texts_apart(drawn, box);
	return drawn;
}

#endif
