/* SPDX-License-Identifier: Apache-2.0 */
/* Who asked for the time: the picture, and the ten that have most of it themselves. */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "base/sort.h"
#include "report/analyse/call_tree.h"
#include "report/analyse/device_purpose.h"
#include "report/analyse/forward.h"
#include "report/figure/figures.h"
#include "report/figure/icicle.h"
#include "report/section/picture_words.h"

#include <stdlib.h>

enum { CALLER_ROWS = 10 };

static const struct table_form callers_form = {
	.column = {{.title = "callers.name", .kind = COLUMN_CODE, .weight = 1, .max_lines = 1},
		{.title = "callers.calls", .kind = COLUMN_NUMBER},
		{.title = "callers.cpu", .kind = COLUMN_NUMBER},
		{.title = "callers.device", .kind = COLUMN_NUMBER},
		{.title = "callers.backward", .kind = COLUMN_NUMBER},
		{.title = "callers.share", .kind = COLUMN_NUMBER}}};

struct ranking {
	bool device; /* by the device's own time, else by the host's */
	struct call_name *of; /* (n) the largest first; what is outside of all is not among them */
	uint32_t n;
	struct call_sums whole, outside;
};

static int64_t time_of(const struct ranking *r, const struct call_sums *s)
{
	return r->device ? s->device_ns : s->cpu_ns;
}

ORDER(by_own_device, struct call_name,
	DOWN(own.device_ns) ?: DOWN(own.cpu_ns) ?: UP(frame) ?: UP(name));
ORDER(by_own_cpu, struct call_name, DOWN(own.cpu_ns) ?: UP(frame) ?: UP(name));

static struct ranking ranking_of(
	struct document *d, const struct report_case *c, const struct call_tree *tree)
{
	struct ranking r = {.device = c->analysis->n_device > 0};
	r.of = call_names(d->arena, tree, &r.n);
	r.n--; /* the root is the last */
	r.whole = r.of[r.n].whole;
	r.outside = r.of[r.n].own;
	qsort(r.of, r.n, sizeof *r.of, r.device ? by_own_device : by_own_cpu);
	return r;
}

static void put_caller(struct rows *t, const struct ranking *r, const char *name, int64_t calls,
	const struct call_sums *own)
{
	put(t, name);
	calls ? put_count(t, calls) : put(t, "");
	put_time(t, (double)own->cpu_ns);
	put_time(t, (double)own->device_ns);
	put_time(t, (double)(r->device ? own->backward_device_ns : own->backward_cpu_ns));
	put(t, format_share(t->d->arena, (double)time_of(r, own) / (double)time_of(r, &r->whole)));
}

static void put_others(struct rows *t, const struct ranking *r)
{
	struct document *d = t->d;
	struct call_sums rest = {0};
	int64_t calls = 0;
	for (uint32_t i = CALLER_ROWS; i < r->n; i++) {
		call_sums_add(&rest, &r->of[i].own);
		calls += r->of[i].calls;
	}
	if (r->n > CALLER_ROWS)
		put_caller(t, r,
			said(d, "callers.others", "n", format_count(d->arena, r->n - CALLER_ROWS),
				NULL),
			calls, &rest);
	put_caller(t, r, said(d, "callers.outside", NULL), 0, &r->outside);
}

/* Modules are told by their class alone, as in the picture. */
static const char *shown_name(
	struct document *d, const struct call_tree *tree, const struct call_name *of)
{
	const char *name = call_name_text(tree, of);
	bool module = of->frame == FRAME_MODULE;
	return event_name(d, module ? name + sizeof MODULE_CALL - 1 : name);
}

static bool add_table(struct document *d, const struct report_case *c, const struct call_tree *tree,
	const char *about)
{
	enum { DEVICE_COLUMN = 3, BACKWARD_COLUMN = 4 };
	const struct ranking r = ranking_of(d, c, tree);
	unsigned without = (r.device ? 0 : 1u << DEVICE_COLUMN) |
		(r.whole.backward_cpu_ns ? 0 : 1u << BACKWARD_COLUMN);
	if (r.n && time_of(&r, &r.whole)) {
		document_say(d, BLOCK_CAPTION, about, NULL)->level = 1;
		struct rows t = rows_begin(d, &callers_form, without);
		for (uint32_t i = 0; i < r.n && i < CALLER_ROWS; i++)
			put_caller(
				&t, &r, shown_name(d, tree, &r.of[i]), r.of[i].calls, &r.of[i].own);
		put_others(&t, &r);
	}
	return r.n > 0;
}

static void add_picture(
	struct document *d, const struct report_case *c, const struct call_tree *tree)
{
	struct icicle *x = arena_alloc(d->arena, sizeof *x);
	*x = (struct icicle){
		.texts = d->texts, .fonts = d->fonts, .device = c->analysis->n_device > 0};
	icicle_plan(x, d->arena, tree, document_width);
	const char *of = x->device ? "icicle.device" : "icicle.host";
	if (!x->levels)
		return;
	struct figure *f =
		figure_add(d, &icicle_figure, arena_printf(d->arena, "%s-callers", c->place),
			said(d, "icicle.alt", "title", c->title, NULL), x);
	document_shows(d, f, widest_shown(d, x));
	document_say(d, BLOCK_CAPTION, "icicle.caption", "of", said(d, of, NULL), "backward",
		tree->node[0].whole.backward_cpu_ns ? said(d, "icicle.backward", NULL) : "",
		"deeper", x->deeper ? said(d, "icicle.deeper", NULL) : "", NULL);
}

static struct call_tree_form table_form(const uint32_t *forward, uint16_t frame)
{
	return (struct call_tree_form){.frames = frame,
		.joined = forward != NULL,
		.forward = forward,
		.numberless = FRAME_RANGE | FRAME_MODULE};
}

enum { PICTURE, FIRST, FUNCTIONS, TREES };

struct caller_trees {
	const struct report_case *c;
	uint32_t *forward; /* malloc */
	bool python; /* else there are neither modules nor functions */
	int n;
	struct call_tree tree[TREES];
};

static void grow(struct caller_trees *x)
{
	const uint32_t *forward = x->forward;
	const struct call_tree_form form[TREES] = {
		[PICTURE] = {.frames = FRAME_MODULE | FRAME_RANGE | FRAME_OPERATOR,
			.joined = forward != NULL,
			.forward = forward,
			.numberless = FRAME_MODULE | FRAME_RANGE,
			.outermost = FRAME_OPERATOR},
		[FIRST] = table_form(forward, x->python ? FRAME_MODULE : FRAME_RANGE),
		[FUNCTIONS] = table_form(forward, FRAME_PYTHON)};
	x->n = x->python ? TREES : FUNCTIONS;
	call_trees_of(x->c->analysis, form, x->n, x->tree);
}

struct caller_trees *caller_trees_of(const struct report_case *c)
{
	const struct trace *t = &c->trace;
	bool python = trace_next_of(t, EVENT_PYTHON, 0) < t->n;
	if (!python && !ranges_name_places(c->analysis))
		return NULL;
	struct caller_trees *x = xcalloc(1, sizeof *x);
	*x = (struct caller_trees){.c = c, .python = python, .forward = forward_of(t)};
	grow(x);
	return x;
}

static void release(struct caller_trees *x)
{
	for (int i = 0; i < x->n; i++)
		call_tree_release(&x->tree[i]);
	free(x->forward);
	free(x);
}

static void add_ranges(struct document *d, const struct caller_trees *x)
{
	const struct call_tree_form form = table_form(x->forward, FRAME_RANGE);
	struct call_tree tree = call_tree_of(x->c->analysis, &form);
	add_table(d, x->c, &tree, "callers.ranges");
	call_tree_release(&tree);
}

void add_callers(struct document *d, struct caller_trees *x)
{
	if (!x)
		return;
	struct block *before = d->last;
	const char *first = x->python ? "callers.modules" : "callers.ranges";
	document_heading(d, 3, NULL, said(d, "callers.title", NULL));
	add_picture(d, x->c, &x->tree[PICTURE]);
	if (!add_table(d, x->c, &x->tree[FIRST], first) && x->python)
		add_ranges(d, x);
	if (x->python)
		add_table(d, x->c, &x->tree[FUNCTIONS], "callers.functions");
	release(x);
	if (d->last == before->next) {
		before->next = NULL;
		d->last = before;
	}
}
