/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_format.h"
#include "report/course/addition_costs.h"
#include "report/figure/plot.h"
#include "report/page/rich_text.h"
#include "report/section/ratio_words.h"

#include <stddef.h>
#include <string.h>

static const double HEAD = 13, ROW = 40, TEXT_W = 152, BAR_H = 13, TITLE = 7.4;
static const double WIDE = 68, NARROW = 44,
		    COLUMN = 115; /* a matrix alone and beside another machine; its column */

const double addition_costs_height = 13 + ADDITIONS * 40 + 2;

/* One matrix, read or written; who moves it gives the colour. */
struct move {
	const char *what; /* "additions.read.b" */
	const char *bar; /* of the theme */
	const char *by; /* "additions.by.add": written below the first of its moves */
};

enum { MOST_MOVES = 3 };

static const struct move moves[ADDITIONS][MOST_MOVES + 1] = {
	[ADD_KERNEL] = {{"additions.read.product", "pointwise", "additions.by.add"},
		{"additions.read.b", "pointwise", NULL}, {"additions.write.y", "pointwise", NULL}},
	[ADD_COPY] = {{"additions.read.b", "copy", "additions.by.copy"},
		{"additions.write.y", "copy", NULL},
		{"additions.read.y", "gemm", "additions.by.product"}},
	[ADD_EPILOGUE] = {{"additions.read.b", "gemm", "additions.by.product"}},
	[ADD_BIAS] = {{"additions.read.row", "gemm", "additions.by.product"}},
};

static double matrix_w(const struct addition_costs *l)
{
	return l->beside ? NARROW : WIDE;
}

static const char *word(const struct plot *p, const char *key)
{
	return say(p->texts, p->a, key, NULL);
}

static void small(const struct plot *p, double x, double y, const char *colour, const char *text)
{
	plot_text(p, x, y, FACE_SANS, plot_small, colour, ANCHOR_START, text);
}

static const char *formula(const struct plot *p, const struct addition_costs *l, enum addition way)
{
	static const char *const factor[ADDITIONS] = {"3", "3", "1", ""};
	return say(p->texts, p->a, way == ADD_BIAS ? "additions.formula.row" : "additions.formula",
		"k", factor[way], "m", format_count(p->a, (int64_t)l->m), "n",
		format_count(p->a, (int64_t)l->n), "size",
		format_count(p->a, (int64_t)l->element_bytes), "bytes",
		format_si(p->a, l->cost[way].bytes, "B"), NULL);
}

/* Matrices side by side, each as wide as one; a row of a matrix is a sliver. */
static void draw_moves(
	const struct plot *p, const struct addition_costs *l, enum addition way, double x, double y)
{
	double one = matrix_w(l);
	for (const struct move *m = moves[way]; m->what; m++, x += one) {
		double whole = l->m * l->n * l->element_bytes;
		double w = way == ADD_BIAS ? one * l->cost[way].bytes / whole : one;
		struct box box = {x, y, w, BAR_H};
		plot_bar(p, box, m->bar);
		const char *text = word(p, m->what);
		if (!plot_bar_text(p, box, m->bar, ANCHOR_MIDDLE, plot_small, 2, text))
			small(p, x + w + 4, y + BAR_H / 2 + 2.3, "ink", text);
		if (m->by)
			small(p, x, y + BAR_H + 7.5, "secondary", word(p, m->by));
	}
}

static const char *signed_time(struct arena *a, double ns)
{
	return arena_printf(a, "%s%s", ns > 0 ? "+" : "", format_time(a, ns));
}

static void draw_measured(const struct plot *p, const struct addition_costs *l, enum addition way,
	bool narrow, double x, double y)
{
	static const char *const keys[][2] = {{"additions.seen.add", "additions.seen.add"},
		{"additions.seen.copy", "additions.seen.copy.noise"},
		{"additions.seen.product", "additions.seen.product.noise"},
		{"additions.seen.product", "additions.seen.product.noise"}};
	const struct addition_cost *cost = &l->cost[way];
	bool noise = cost->compared && sure_is_noise(&cost->product);
	const char *key =
		narrow && way == ADD_COPY ? "additions.seen.copy.alone" : keys[way][noise];
	if (!cost->c) {
		small(p, x, y + 6, "secondary",
			word(p, way == ADD_BIAS ? "additions.seen.row" : "additions.seen.none"));
	} else {
		small(p, x, y + 6, "ink",
			say(p->texts, p->a, key, "time", format_time(p->a, cost->kernel_ns),
				"product", signed_time(p->a, cost->product_ns), NULL));
	}
	double line = y + 6;
	if (cost->c && cost->compared)
		small(p, x, line += 9, "secondary",
			say(p->texts, p->a, "additions.range", "ratio",
				rich_plain(p->a, sure_text(p->texts, p->a, &cost->product)), NULL));
	if (l->bandwidth > 0)
		small(p, x, line + 9, "secondary",
			say(p->texts, p->a, "additions.least", "time",
				format_time(p->a, cost->bytes / l->bandwidth * 1e9), "rate",
				format_si(p->a, l->bandwidth, "B/s"), NULL));
}

static void draw_way(const struct plot *p, const struct addition_costs *l, enum addition way,
	struct box box, double y)
{
	const char *key = arena_printf(p->a, "additions.way.%d", (int)way);
	double x = box.x + TEXT_W, right = x + MOST_MOVES * matrix_w(l) + 10;
	plot_text(p, box.x, y + 8, FACE_BOLD, TITLE, "ink", ANCHOR_START, word(p, key));
	small(p, box.x, y + 17, "ink", formula(p, l, way));
	if (l->cost[way].c)
		small(p, box.x, y + 26, "secondary",
			text_elide(p->a, p->fonts, FACE_SANS, plot_small, TEXT_W - 8,
				case_label(p->a, l->cost[way].c)));
	draw_moves(p, l, way, x, y + 2);
	draw_measured(p, l, way, l->beside, right, y + 2);
	if (l->beside)
		draw_measured(p, l->beside, way, true, right + COLUMN, y + 2);
	plot_line(p, (struct pt){box.x, y + ROW - 6}, (struct pt){box.x + box.w, y + ROW - 6}, 0.3,
		"rule", 0);
}

void addition_costs_draw(struct canvas *c, struct box box, const void *idle_causes)
{
	const struct addition_costs *l = idle_causes;
	struct arena scratch = {0};
	struct plot p = {c, l->texts, l->fonts, &scratch};
	double x = box.x + TEXT_W;
	small(&p, box.x, box.y + 7, "secondary", word(&p, "additions.head.way"));
	small(&p, x, box.y + 7, "secondary",
		word(&p, l->beside ? "additions.head.bytes.short" : "additions.head.bytes"));
	double right = x + MOST_MOVES * matrix_w(l) + 10;
	small(&p, right, box.y + 7, "secondary",
		word(&p, l->beside ? "additions.head.here" : "additions.head.time"));
	if (l->beside)
		small(&p, right + COLUMN, box.y + 7, "secondary", l->machine);
	for (int way = 0; way < ADDITIONS; way++)
		draw_way(&p, l, (enum addition)way, box, box.y + HEAD + ROW * way);
	arena_release(&scratch);
}

const struct figure_kind additions_figure = {
	.draw = addition_costs_draw, .height = offsetof(struct addition_costs, height)};
