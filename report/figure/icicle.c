/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/icicle.h"

#include "base/number_format.h"
#include "base/sort.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double ROW_H = 14, GAP = 1, STRIP_H = 2, PAD = 3, LEAST_W = 3, LEGEND_TOP = 5,
		    KEY_GAP = 11;

/* ---- planning ---- */

struct child {
	uint32_t node;
	int64_t ns;
};

ORDER(by_time, struct child, DOWN(ns) ?: UP(node));

struct planning {
	struct icicle *x;
	struct arena *a;
	const struct call_tree *tree;
	uint32_t *first; /* (n + 1) of the children of each node in `child` */
	struct child *child; /* (n) those of a node together, the largest first */
	uint32_t room;
};

static int64_t time_of(const struct icicle *x, const struct call_sums *s)
{
	return x->device ? s->device_ns : s->cpu_ns;
}

static int64_t backward_of(const struct icicle *x, const struct call_sums *s)
{
	return x->device ? s->backward_device_ns : s->backward_cpu_ns;
}

static void sort_children(struct planning *p)
{
	const struct call_tree *tree = p->tree;
	uint32_t *at = xcalloc(tree->n + 1, sizeof *at);
	for (uint32_t i = 1; i < tree->n; i++)
		p->first[tree->node[i].parent + 1]++;
	for (uint32_t i = 0; i < tree->n; i++)
		p->first[i + 1] += p->first[i];
	for (uint32_t i = 1; i < tree->n; i++) {
		uint32_t up = tree->node[i].parent;
		p->child[p->first[up] + at[up]++] =
			(struct child){i, time_of(p->x, &tree->node[i].whole)};
	}
	for (uint32_t i = 0; i < tree->n; i++)
		qsort(p->child + p->first[i], p->first[i + 1] - p->first[i], sizeof *p->child,
			by_time);
	free(at);
}

static struct icicle_bar *add_bar(struct planning *p)
{
	struct icicle *x = p->x;
	if (x->n == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		struct icicle_bar *more = arena_array(p->a, p->room, sizeof *more);
		if (x->n)
			memcpy(more, x->bar, x->n * sizeof *more);
		x->bar = more;
	}
	return &x->bar[x->n++];
}

/* A module is told by its class and number alone. */
static const char *shown_name(struct arena *a, const struct call_tree *tree, uint32_t node)
{
	const char *name = call_node_name(tree, node);
	bool module = tree->node[node].frame == FRAME_MODULE;
	return arena_strdup(a, module ? name + sizeof MODULE_CALL - 1 : name);
}

static bool is_wide(const struct icicle *x, int64_t ns)
{
	return (double)ns / (double)x->whole_ns * x->width >= LEAST_W;
}

static void hang(struct planning *p, uint32_t node, uint8_t level, int64_t from_ns);

/* Those too narrow for a bar come last: they are one. */
static void hang_children(struct planning *p, uint32_t node, uint8_t level, int64_t from_ns)
{
	struct icicle_bar rest = {.name = "", .level = level};
	for (uint32_t i = p->first[node]; i < p->first[node + 1] && p->child[i].ns; i++) {
		const struct child *c = &p->child[i];
		if (is_wide(p->x, c->ns)) {
			hang(p, c->node, level, from_ns);
			from_ns += c->ns;
			continue;
		}
		rest.n++;
		rest.ns += c->ns;
		rest.backward_ns += backward_of(p->x, &p->tree->node[c->node].whole);
	}
	rest.from_ns = from_ns;
	if (rest.ns)
		*add_bar(p) = rest;
	if (rest.ns && p->x->levels < level)
		p->x->levels = level;
}

static void hang(struct planning *p, uint32_t node, uint8_t level, int64_t from_ns)
{
	const struct call_node *of = &p->tree->node[node];
	bool children = p->first[node] < p->first[node + 1];
	*add_bar(p) = (struct icicle_bar){.name = shown_name(p->a, p->tree, node),
		.frame = of->frame,
		.level = level,
		.n = 1,
		.from_ns = from_ns,
		.ns = time_of(p->x, &of->whole),
		.backward_ns = backward_of(p->x, &of->whole)};
	if (p->x->levels < level)
		p->x->levels = level;
	if (children && level < ICICLE_LEVELS)
		hang_children(p, node, (uint8_t)(level + 1), from_ns);
	else if (children && p->child[p->first[node]].ns)
		p->x->deeper = true;
}

static const struct entry {
	uint16_t frame;
	const char *bar, *word;
} entries[] = {
	{FRAME_MODULE, "python", "icicle.module"},
	{FRAME_RANGE, "annotation", "icicle.range"},
	{FRAME_OPERATOR, "op", "icicle.operator"},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static const char *bar_of(const struct icicle_bar *b)
{
	for (int i = 0; i < ENTRIES; i++)
		if (entries[i].frame == b->frame)
			return entries[i].bar;
	return b->level ? NULL : "step";
}

static bool has_frame(const struct icicle *x, uint16_t frame)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->bar[i].frame == frame)
			return true;
	return false;
}

static bool has_rest(const struct icicle *x)
{
	return has_frame(x, 0) && x->n > 1;
}

void icicle_plan(struct icicle *x, struct arena *a, const struct call_tree *tree, double width)
{
	struct arena scratch = {0};
	struct planning p = {.x = x,
		.a = a,
		.tree = tree,
		.first = arena_array(&scratch, tree->n + 1, sizeof(uint32_t)),
		.child = arena_array(&scratch, tree->n, sizeof(struct child))};
	x->width = width;
	x->whole_ns = time_of(x, &tree->node[0].whole);
	sort_children(&p);
	hang(&p, 0, 0, 0);
	x->height = (x->levels + 1) * (ROW_H + GAP) + LEGEND_TOP + LEGEND_ROW;
	arena_release(&scratch);
}

/* ---- drawing ---- */

static const char *text_of(const struct plot *p, const struct icicle *x, const struct icicle_bar *b)
{
	const char *time = format_time(p->a, (double)b->ns);
	const char *share = format_share(p->a, (double)b->ns / (double)x->whole_ns);
	const char *key = !b->level ? (x->device ? "icicle.all.device" : "icicle.all.host")
		: b->name[0]	    ? "icicle.bar"
				    : "icicle.rest";
	return say(x->texts, p->a, key, "name", b->name, "time", time, "share", share, "n",
		format_count(p->a, b->n), NULL);
}

static void draw_strip(const struct plot *p, struct box bar, const struct icicle_bar *b)
{
	if (b->backward_ns <= 0)
		return;
	double w = bar.w * (double)b->backward_ns / (double)b->ns;
	canvas_rect(p->c, (struct box){bar.x, bar.y + bar.h - STRIP_H, w, STRIP_H},
		plot_colour(p, "secondary"));
}

/* As much of its words as there is room for. */
static void draw_words(const struct plot *p, struct box box, const struct icicle *x,
	const struct icicle_bar *b, const char *all)
{
	const char *bar = bar_of(b);
	struct box above = {box.x, box.y, box.w, box.h - STRIP_H + 1};
	if (plot_bar_text(p, above, bar, ANCHOR_START, plot_small, PAD, all) || !b->name[0])
		return;
	const char *name =
		text_elide(p->a, x->fonts, FACE_SANS, plot_small, box.w - 2 * PAD, b->name);
	if (name[0])
		plot_bar_text(p, above, bar, ANCHOR_START, plot_small, PAD, name);
}

static void draw_bar(
	const struct plot *p, struct box box, const struct icicle *x, const struct icicle_bar *b)
{
	double scale = x->width / (double)x->whole_ns;
	struct box at = {box.x + scale * (double)b->from_ns, box.y + b->level * (ROW_H + GAP),
		scale * (double)b->ns, ROW_H};
	const char *all = text_of(p, x, b);
	plot_bar(p, at, bar_of(b));
	draw_strip(p, at, b);
	canvas_mark(p->c, MARK_TIP, at, all, 0);
	draw_words(p, at, x, b, all);
}

static void draw_legend(
	const struct plot *p, const struct icicle *x, struct legend_rows *rows, double top)
{
	for (int i = 0; i < ENTRIES; i++)
		if (has_frame(x, entries[i].frame))
			plot_legend_entry(p, rows, top, entries[i].bar,
				say(x->texts, p->a, entries[i].word, NULL));
	if (has_rest(x))
		plot_legend_entry(p, rows, top, NULL, say(x->texts, p->a, "icicle.narrow", NULL));
}

void icicle_draw(struct canvas *c, struct box box, const void *icicle)
{
	const struct icicle *x = icicle;
	struct arena scratch = {0};
	struct plot p = {c, x->texts, x->fonts, &scratch};
	for (uint32_t i = 0; i < x->n; i++)
		draw_bar(&p, box, x, &x->bar[i]);
	struct legend_rows rows = {.left = box.x, .width = x->width + KEY_GAP, .gap = KEY_GAP};
	draw_legend(&p, x, &rows, box.y + (x->levels + 1) * (ROW_H + GAP) + LEGEND_TOP);
	arena_release(&scratch);
}

const struct figure_kind icicle_figure = {
	.draw = icicle_draw, .height = offsetof(struct icicle, height)};
