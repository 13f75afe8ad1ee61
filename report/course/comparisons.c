/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that a matrix wants side by side: numbers, and a step of each. */
#include "report/course/parts.h"

#include "base/number_format.h"
#include "report/course/case_work.h"
#include "report/course/chapters.h"
#include "report/figure/step_time.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/run/place_names.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"
#include "report/section/steps_on_one_scale.h"

#include <math.h>
#include <string.h>

/* The parts of a step, as chapters.json names them. */
static enum step_part part_named(const char *of)
{
	return !strcmp(of, "cpu") ? PART_HOST : !strcmp(of, "device") ? PART_DEVICE : PART_BOTH;
}

/* Cold starts are compared by their first steps, others by the part that the text compares, or by
 * step_on_one_clock. */
static void choose_steps(struct beside *cmp, enum step_part part)
{
	cmp->which = "compare.which.part";
	if (part != PART_BOTH) {
		show_part(cmp, part);
		return;
	}
	bool cold = false, other = false;
	for (int i = 0; i < cmp->n; i++)
		cold = cold || starts_cold(cmp->side[i].c);
	for (int i = 0; i < cmp->n; i++) {
		struct side *s = &cmp->side[i];
		uint32_t step = cold ? 0 : step_on_one_clock(s->c->analysis);
		other = other || step != s->n.typical;
		s->medians = !cold;
		show_step(s, step, cold);
	}
	cmp->which = cold ? "compare.which.cold"
		: other	  ? "compare.which.first"
			  : "compare.which.typical";
}

static void collect_sides(struct document *d, const struct input *in, const struct run *run,
	const struct run_comparison *of, enum step_part part, struct beside *cmp)
{
	cmp->missing = cmp->left_out = "";
	for (int i = 0; i < of->n; i++) {
		const struct report_case *c = input_find(in, run, of->cases[i]);
		if (!c || !c->analysis->n_steps) {
			cmp->missing = listed(d->arena, cmp->missing, ", ", of->cases[i]);
			continue;
		}
		if (cmp->n == MOST_SIDES) {
			cmp->left_out = listed(d->arena, cmp->left_out, ", ", case_link(d, c));
			continue;
		}
		cmp->side[cmp->n++] = (struct side){.c = c, .n = numbers_of(c->analysis)};
	}
	choose_steps(cmp, part);
}

static const char *value_cpu(struct document *d, const struct beside *cmp, int i)
{
	return format_time(d->arena, cmp->side[i].n.cpu_ns);
}

static const char *value_device(struct document *d, const struct beside *cmp, int i)
{
	return format_time(d->arena, cmp->side[i].n.device_ns);
}

static const char *value_window(struct document *d, const struct beside *cmp, int i)
{
	return format_share(d->arena, cmp->side[i].c->analysis->window.busy_share);
}

static const char *value_kernels(struct document *d, const struct beside *cmp, int i)
{
	return kernels_and_copies(d->arena, &cmp->side[i].n);
}

static const char *value_launches(struct document *d, const struct beside *cmp, int i)
{
	return arena_printf(d->arena, "%g", cmp->side[i].n.launches);
}

static const char *value_bytes(struct document *d, const struct beside *cmp, int i)
{
	const struct analysis *a = cmp->side[i].c->analysis;
	double bytes = step_bytes(cmp->side[i].c, &a->steps[steady_from(a)]);
	return isfinite(bytes) ? format_si(d->arena, bytes, "B") : "–";
}

static const char *value_ops(struct document *d, const struct beside *cmp, int i)
{
	return format_count(d->arena, cmp->side[i].n.ops);
}

static const char *value_compiled(struct document *d, const struct beside *cmp, int i)
{
	return format_count(d->arena, cmp->side[i].n.compile_rows);
}

static const char *value_first(struct document *d, const struct beside *cmp, int i)
{
	double ratio = cmp->side[i].n.first_ratio;
	return ratio > 0 ? format_ratio(d->arena, ratio) : "–";
}

static const char *value_regime(struct document *d, const struct beside *cmp, int i)
{
	return regime_word(d, cmp->side[i].c);
}

/* The first side's names; of the others, whether they are the same, or in what they differ. */
static const char *value_gemms(struct document *d, const struct beside *cmp, int i)
{
	enum { MOST_PARTS = 4 };
	const char *names = gemms_of_case(d, cmp->side[i].c);
	const char *difference =
		i ? gemm_difference(d, cmp->side[0].c, cmp->side[i].c, MOST_PARTS) : NULL;
	if (!difference)
		return names;
	if (!difference[0])
		return said(d, "compare.gemm.same", NULL);
	return said(d, "compare.gemm.other", "names", names, "difference", difference, NULL);
}

static const struct row {
	const char *key;
	const char *(*value)(struct document *d, const struct beside *cmp, int i);
	bool device; /* value is NULL: which ratio to the first side */
} rows[] = {
	{"compare.cpu", value_cpu, false},
	{"compare.cpu.ratio", NULL, false},
	{"compare.device", value_device, false},
	{"compare.device.ratio", NULL, true},
	{"compare.window", value_window, false},
	{"compare.kernels", value_kernels, false},
	{"compare.launches", value_launches, false},
	{"compare.bytes", value_bytes, false},
	{"compare.ops", value_ops, false},
	{"compare.compiled", value_compiled, false},
	{"compare.first", value_first, false},
	{"compare.regime", value_regime, false},
	{"compare.gemm", value_gemms, false},
};

static const char *cell_text(
	struct document *d, const struct beside *cmp, int i, const struct row *r)
{
	if (r->value)
		return r->value(d, cmp, i);
	return i ? sure_text(d->texts, d->arena, &cmp->side[i].sure[r->device]) : "–";
}

static void add_table(struct document *d, struct beside *cmp)
{
	enum { ROWS = sizeof rows / sizeof *rows, MANY = 5 };
	struct arena *a = d->arena;
	const char *value[ROWS][MOST_SIDES];
	const struct row *row[ROWS];
	int n_rows = 0;
	for (int i = 1; i < cmp->n; i++)
		for (int k = 0; k < 2; k++)
			cmp->side[i].sure[k] = case_ratio(a, cmp->side[i].c, cmp->side[0].c, k > 0);
	for (int r = 0; r < ROWS; r++) {
		bool any = false;
		for (int i = 0; i < cmp->n; i++) {
			value[n_rows][i] = cell_text(d, cmp, i, &rows[r]);
			any = any || strcmp(value[n_rows][i], "–") != 0;
		}
		row[n_rows] = &rows[r];
		n_rows += any;
	}
	struct column *col = arena_array(a, (size_t)cmp->n + 1, sizeof *col);
	col[0] = (struct column){.title = said(d, "compare.metric", NULL), .kind = COLUMN_TEXT};
	for (int i = 0; i < cmp->n; i++)
		col[i + 1] = (struct column){
			.kind = COLUMN_NUMBER, .weight = 1, .title = case_link(d, cmp->side[i].c)};
	col[0].weight = cmp->n >= MANY ? 2 : 0;
	struct table *t = document_table(d, col, cmp->n + 1, n_rows);
	for (int r = 0; r < n_rows; r++) {
		table_cell(t, r, 0)->text = said(d, row[r]->key, NULL);
		for (int i = 0; i < cmp->n; i++) {
			struct cell *cell = table_cell(t, r, i + 1);
			cell->text = value[r][i];
			cell->faint = i && !row[r]->value &&
				sure_is_noise(&cmp->side[i].sure[row[r]->device]);
		}
	}
}

static const char *more_work(struct document *d, const struct beside *cmp)
{
	const char *list = "";
	for (int i = 1; i < cmp->n; i++)
		list = arena_printf(
			d->arena, "%s%s", list, work_ratio(d, cmp->side[0].c, cmp->side[i].c));
	return list;
}

static const char *comparison_place(
	struct document *d, const struct input *in, const struct run *run, const char *id)
{
	return arena_printf(d->arena, "compare-%s", place_of(d->arena, id, (int)(run - in->runs)));
}

static void add_comparison(struct document *d, const struct input *in, const struct run *run,
	const struct run_comparison *of)
{
	struct beside cmp = {0};
	struct arena *a = d->arena;
	collect_sides(d, in, run, of, PART_BOTH, &cmp);
	if (cmp.n < 2 || !of->id)
		return;
	const char *place = comparison_place(d, in, run, of->id);
	if (document_has_place(d, place))
		return;
	document_heading(d, 1, place, literal(d, comparison_title(a, in, run, of)))->flows = true;
	if (of->question[0])
		document_say(d, BLOCK_TEXT, "compare.question", "text", of->question, "work",
			more_work(d, &cmp), NULL);
	add_table(d, &cmp);
	add_beside(d, &cmp, place);
	if (cmp.left_out[0])
		document_say(d, BLOCK_CAPTION, "compare.left_out", "titles", cmp.left_out, NULL);
	if (cmp.missing[0])
		document_say(d, BLOCK_CAPTION, "compare.missing", "titles", cmp.missing, NULL);
}

/* Of the cases that a picture names itself; none of them: it is one of the matrix. */
static struct run_comparison comparison_of(struct arena *a, const cJSON *picture)
{
	const cJSON *cases = config_find(picture, "cases"), *id;
	int room = cJSON_GetArraySize(cases);
	const char **list = arena_array(a, (size_t)room + 1, sizeof *list);
	struct run_comparison own = {
		.id = config_words(picture, "comparison"), .title = "", .question = ""};
	cJSON_ArrayForEach(id, cases)
	{
		list[own.n++] = cJSON_GetStringValue(id);
	}
	own.cases = list;
	return own;
}

/* False when too few of its cases ran. */
static bool find_sides(struct document *d, const struct input *in, const struct run *run,
	const cJSON *picture, struct run_comparison *of, struct beside *cmp)
{
	*of = comparison_of(d->arena, picture);
	bool own = of->n > 0;
	const struct run_comparison *named = own ? of : comparison_named(run, of->id);
	if (!named)
		return false;
	*of = *named;
	collect_sides(d, in, run, of, part_named(config_words(picture, "of")), cmp);
	return cmp->n >= (own ? of->n : 2);
}

void add_comparison_picture(
	struct document *d, const struct input *in, const struct run *run, const cJSON *picture)
{
	const char *id = config_words(picture, "comparison");
	struct run_comparison of;
	struct beside cmp = {0};
	if (!find_sides(d, in, run, picture, &of, &cmp))
		return;
	if (cJSON_IsTrue(config_find(picture, "hidden")))
		for (int i = 0; i < cmp.n; i++)
			cmp.side[i].name = arena_printf(d->arena, "%c", 'A' + i);
	cmp.unnamed = cJSON_IsTrue(config_find(picture, "unnamed"));
	const char *place = comparison_place(d, in, run, id);
	/* Not beside a recorded one, which shows the same, nor where its words would answer. */
	if (!d->label && !config_find(picture, "cases") && !d->exercise) {
		struct block *head = document_say(d, BLOCK_TEXT, "compare.picture", "title",
			comparison_title(d->arena, in, run, &of), "text", of.question, "work",
			more_work(d, &cmp), NULL);
		head->level = 1;
		document_place(d, head, place);
	}
	add_beside(d, &cmp, place);
}

/* Of the part that is compared. */
static double side_median(const struct side *s)
{
	return s->part == PART_DEVICE ? s->n.device_ns : s->n.cpu_ns;
}

static void sort_by_medians(struct beside *cmp)
{
	for (int i = 1; i < cmp->n; i++)
		for (int k = i; k && side_median(&cmp->side[k]) < side_median(&cmp->side[k - 1]);
			k--) {
			struct side other = cmp->side[k];
			cmp->side[k] = cmp->side[k - 1];
			cmp->side[k - 1] = other;
		}
}

/* Which of them nothing tells apart, of all pairs. */
static const char *alike_in_words(struct document *d, const struct beside *cmp)
{
	const char *list = "";
	bool all = cmp->n > 2;
	for (int i = 0; i < cmp->n; i++)
		for (int k = i + 1; k < cmp->n; k++) {
			const struct side *one = &cmp->side[i], *other = &cmp->side[k];
			if (!sides_are_alike(d, one, other)) {
				all = false;
				continue;
			}
			list = arena_printf(d->arena, "%s%s", list,
				said(d, "compare.order.alike", "one", one->c->title, "other",
					other->c->title, NULL));
		}
	return all ? said(d, "compare.order.any", NULL) : list;
}

const char *comparison_order(struct document *d, const struct input *in, const cJSON *picture)
{
	struct arena *a = d->arena;
	const char *list = "";
	struct run_comparison of;
	struct beside cmp = {0};
	if (!find_sides(d, in, &in->runs[0], picture, &of, &cmp))
		return "";
	sort_by_medians(&cmp);
	for (int i = 0; i < cmp.n; i++) {
		const struct side *s = &cmp.side[i];
		double drawn = (double)(s->part == PART_DEVICE ? s->step->busy_ns : s->span_ns);
		list = listed(a, list, "; ",
			said(d, "compare.order.one", "title", s->c->title, "time",
				format_time(a, drawn), "median", format_time(a, side_median(s)),
				NULL));
	}
	return said(d, "compare.order", "list", list, "alike", alike_in_words(d, &cmp), NULL);
}

bool comparison_may_begin(
	struct document *d, const struct input *in, const cJSON *picture, const char *id)
{
	struct run_comparison of;
	struct beside cmp = {0};
	bool shorter = false;
	int at = 0;
	if (!find_sides(d, in, &in->runs[0], picture, &of, &cmp))
		return false;
	sort_by_medians(&cmp);
	while (at < cmp.n && strcmp(cmp.side[at].c->id, id) != 0)
		at++;
	for (int i = 0; i < at && at < cmp.n; i++)
		shorter = shorter || !sides_are_alike(d, &cmp.side[i], &cmp.side[at]);
	return at < cmp.n && !shorter;
}

bool comparison_is_told(struct document *d, const struct input *in, const cJSON *picture)
{
	struct run_comparison of;
	struct beside cmp = {0};
	if (!find_sides(d, in, &in->runs[0], picture, &of, &cmp))
		return false;
	sort_by_medians(&cmp);
	return !alike_in_words(d, &cmp)[0];
}

void section_comparisons(struct document *d, const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		for (int i = 0; i < run->comparisons->n; i++)
			if (!chapter_of_comparison(d, in, &run->comparisons->of[i]))
				add_comparison(d, in, run, &run->comparisons->of[i]);
	}
}
