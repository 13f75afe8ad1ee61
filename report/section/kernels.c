/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/figure/timeline.h"
#include "report/name/kernel_name.h"
#include "report/run/kernels.h"
#include "report/section/case_tables.h"
#include "report/section/clocks.h"

#include <math.h>
#include <string.h>

enum { MOST_KERNELS = 24, KINETO_SHARED_BYTES = 48 * 1024 };

static const char *kernel_text(const struct run_kernel *k)
{
	return trace_name(&k->c->trace, k->act->name);
}

static struct cell name_cell(struct document *d, const struct run_kernel *k)
{
	return (struct cell){
		.text = event_name(d, kernel_text(k)), .swatch = bar_name(bar_of(k->act->class))};
}

static struct column *columns_of(struct document *d, const char *const *keys, int n)
{
	struct column *col = arena_array(d->arena, (size_t)n, sizeof *col);
	for (int i = 0; i < n; i++)
		col[i] = (struct column){
			.title = say(d->texts, d->arena, keys[i], NULL), .kind = COLUMN_NUMBER};
	col[0].kind = COLUMN_CODE;
	col[0].weight = 1;
	col[0].max_lines = 2;
	return col;
}

static void say_more(struct document *d, int shown, int n)
{
	if (n > shown)
		document_add(d, BLOCK_CAPTION,
			say(d->texts, d->arena, "kernels.more", "n",
				format_count(d->arena, n - shown), NULL));
}

/* ---- what their names say ---- */

/* Columns of their own; everything else goes into the last. */
static const enum kernel_part columns[] = {PART_INPUT, PART_ACCUMULATE, PART_OUTPUT, PART_TILE,
	PART_K_STEP, PART_STAGES, PART_LAYOUT, PART_SPLIT_K};
enum { PART_COLUMNS = sizeof columns / sizeof *columns };

static bool has_column(enum kernel_part part)
{
	for (int i = 0; i < PART_COLUMNS; i++)
		if (columns[i] == part)
			return true;
	return false;
}

static const char *values_of(struct arena *a, const struct kernel_name *k, enum kernel_part part)
{
	const char *text = NULL;
	for (int i = 0; i < k->n; i++)
		if (k->row[i].part == part)
			text = text ? arena_printf(a, "%s %s", text, k->row[i].value)
				    : arena_strdup(a, k->row[i].value);
	return text;
}

static const char *part_word(struct document *d, enum kernel_part part)
{
	return say(
		d->texts, d->arena, arena_printf(d->arena, "part.%s", kernel_part_key(part)), NULL);
}

/* "cluster 2x1 · order of tiles h": each part once, in the order of the name. */
static const char *other_parts(struct document *d, const struct kernel_name *k)
{
	struct arena *a = d->arena;
	const char *text = "";
	bool done[KERNEL_PARTS] = {[PART_OPERATION] = true};
	for (int i = 0; i < k->n; i++) {
		enum kernel_part part = k->row[i].part;
		if (done[part] || has_column(part))
			continue;
		done[part] = true;
		text = arena_printf(a, "%s%s%s %s", text, text[0] ? " · " : "", part_word(d, part),
			literal(d, values_of(a, k, part)));
	}
	return text;
}

static void name_row(struct document *d, struct table *t, int row, const struct run_kernel *k,
	const struct kernel_name *name)
{
	struct arena *a = d->arena;
	*table_cell(t, row, 0) = name_cell(d, k);
	table_cell(t, row, 1)->text = kernel_family_key(name->family);
	for (int i = 0; i < PART_COLUMNS; i++) {
		const char *value = values_of(a, name, columns[i]);
		/* a product that is not split says nothing of it */
		bool silent = columns[i] == PART_SPLIT_K;
		const char *key = silent ? "kernels.unsplit" : "kernels.unknown";
		*table_cell(t, row, 2 + i) = (struct cell){
			.text = value ? literal(d, value) : say(d->texts, a, key, NULL),
			.faint = !value};
	}
	table_cell(t, row, 2 + PART_COLUMNS)->text = other_parts(d, name);
}

/* Products only: of other kernels a name says little more than itself. */
static bool is_product(const struct run_kernel *k, struct kernel_name *name)
{
	return kernel_name_decode(name, kernel_text(k)) &&
		(kernel_name_is_gemm(name) || name->family == FAMILY_SPLITK);
}

/* Names decide: a product that runs on grids of several sizes stands here once. */
static bool named_before(const struct run_kernel *list, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(kernel_text(&list[k]), kernel_text(&list[i])))
			return true;
	return false;
}

static void add_names(struct document *d, const struct run_kernel *list, int n)
{
	static const char *const keys[] = {"kernels.kernel", "part.family", "part.input",
		"part.accumulate", "part.output", "part.tile", "part.k_step", "part.stages",
		"part.layout", "part.split_k", "kernels.others"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	_Static_assert((int)COLUMNS == PART_COLUMNS + 3, "a key for each column");
	struct kernel_name name;
	int products = 0, row = 0;
	for (int i = 0; i < n; i++)
		products += is_product(&list[i], &name) && !named_before(list, i);
	if (!products)
		return;
	struct column *col = columns_of(d, keys, COLUMNS);
	for (int i = 1; i < COLUMNS; i++)
		col[i].kind = COLUMN_TEXT;
	col[COLUMNS - 1].weight = 0.7;
	document_heading(d, 2, NULL, say(d->texts, d->arena, "kernels.names", NULL));
	document_add(d, BLOCK_TEXT, say(d->texts, d->arena, "kernels.names.about", NULL))->level =
		1;
	int shown = products < MOST_KERNELS ? products : MOST_KERNELS;
	struct table *t = document_table(d, col, COLUMNS, shown);
	t->size = 6.6;
	for (int i = 0; i < n && row < shown; i++)
		if (is_product(&list[i], &name) && !named_before(list, i))
			name_row(d, t, row++, &list[i], &name);
	say_more(d, shown, products);
}

/* ---- how they fit ---- */

/* What ncu's launch page would say, in the order of how much there is to gain. */
enum advice { ADVICE_GRID, ADVICE_TAIL, ADVICE_LANES, ADVICE_WARPS, ADVICES };

static const char *const advice_keys[ADVICES] = {"kernels.advice.grid", "kernels.advice.tail",
	"kernels.advice.lanes", "kernels.advice.warps"};

static const double NEARLY_A_WAVE = 0.9, TAIL_EMPTY = 0.1, FEW_WARPS = 0.5;

/* These keep their operands in registers and shared memory, and live well with few warps. */
static bool lives_with_few_warps(uint8_t class)
{
	return class == CLASS_GEMM || class == CLASS_CONVOLUTION || class == CLASS_ATTENTION;
}

static bool applies(const struct run_kernel *k, enum advice advice)
{
	const struct fit *f = &k->fit;
	/* it waits for others, on a grid that is small on purpose */
	if (k->act->class == CLASS_COMMUNICATION)
		return false;
	switch (advice) {
	case ADVICE_GRID:
		return f->waves < NEARLY_A_WAVE;
	case ADVICE_TAIL:
		return f->waves > 1 && f->empty / ceil(f->waves) >= TAIL_EMPTY;
	case ADVICE_LANES:
		return f->threads % 32 != 0;
	default:
		return f->theoretical < FEW_WARPS && !lives_with_few_warps(k->act->class);
	}
}

static const char *advice_text(struct document *d, const struct run_kernel *k, enum advice advice)
{
	struct arena *a = d->arena;
	const struct fit *f = &k->fit;
	const char *limit = say(
		d->texts, a, arena_printf(a, "kernels.limit.%s", fit_limit_key(f->limit)), NULL);
	const struct text_value values[] = {{"share", format_share(a, f->waves)},
		{"full", format_count(a, (int64_t)floor(f->waves))},
		{"last", format_share(a, 1 - f->empty)},
		{"lost", format_share(a, 1 / ceil(f->waves))},
		{"lanes", format_count(a, 32 - f->threads % 32)}, {"limit", limit},
		{"occupancy", format_share(a, f->theoretical)}};
	const char *key = advice_keys[advice];
	return fill_text(d->texts, a, "text", key, texts_find(d->texts, key), values,
		sizeof values / sizeof *values);
}

static const char *all_advice(struct document *d, const struct run_kernel *k)
{
	const char *text = "";
	for (int i = 0; i < ADVICES; i++)
		if (applies(k, (enum advice)i))
			text = arena_printf(d->arena, "%s%s%s", text, text[0] ? "; " : "",
				advice_text(d, k, (enum advice)i));
	return text;
}

static void fit_row(struct document *d, struct table *t, int row, const struct run_kernel *k)
{
	struct arena *a = d->arena;
	const struct fit *f = &k->fit;
	bool wrong = k->estimate_pct >= 0 && f->shared_bytes > KINETO_SHARED_BYTES;
	*table_cell(t, row, 0) = name_cell(d, k);
	table_cell(t, row, 1)->text = format_triple(a, k->act->grid);
	table_cell(t, row, 2)->text = format_triple(a, k->act->block);
	table_cell(t, row, 3)->text = arena_printf(a, "%d", f->registers);
	table_cell(t, row, 4)->text =
		f->shared_bytes ? format_si(a, (double)f->shared_bytes, "B") : "0";
	table_cell(t, row, 5)->text =
		say(d->texts, a, "kernels.resident", "n", format_count(a, f->resident), "limit",
			say(d->texts, a,
				arena_printf(a, "kernels.limit.%s", fit_limit_key(f->limit)), NULL),
			NULL);
	*table_cell(t, row, 6) = (struct cell){
		.text = k->estimate_pct >= 0 ? arena_printf(a, "%d %%", k->estimate_pct) : "–",
		.faint = wrong};
	*table_cell(t, row, 7) =
		(struct cell){.text = arena_printf(a, "%.0f %%", 100 * f->estimate), .bold = wrong};
	table_cell(t, row, 8)->text = arena_printf(a, f->waves < 0.1 ? "%.3f" : "%.2f", f->waves);
	table_cell(t, row, 9)->text = all_advice(d, k);
}

/* "132", or "80 and 132" where traces of several devices are shown: of the kernels whose fit is
 * known. */
static const char *sms_of(struct document *d, const struct run_kernel *list, int n)
{
	const char *said = NULL;
	for (int i = 0; i < n; i++) {
		bool first = list[i].fit.resident > 0;
		for (int k = 0; k < i && first; k++)
			first = list[k].fit.resident <= 0 ||
				list[k].device->sms != list[i].device->sms;
		if (!first)
			continue;
		const char *sms = format_count(d->arena, list[i].device->sms);
		said = said
			? say(d->texts, d->arena, "kernels.fit.sms", "some", said, "sms", sms, NULL)
			: sms;
	}
	return said;
}

static void add_fits(struct document *d, const struct run_kernel *list, int n)
{
	static const char *const keys[] = {"kernels.kernel", "kernels.grid", "kernels.block",
		"kernels.registers", "kernels.shared", "kernels.fits", "kernels.estimate",
		"kernels.right", "kernels.waves", "kernels.advice"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	int known = 0, row = 0;
	for (int i = 0; i < n; i++)
		known += list[i].fit.resident > 0;
	if (!known)
		return;
	struct column *col = columns_of(d, keys, COLUMNS);
	col[5].kind = col[COLUMNS - 1].kind = COLUMN_TEXT;
	col[COLUMNS - 1].weight = 0.8;
	document_heading(d, 2, NULL, say(d->texts, d->arena, "kernels.fit", NULL));
	document_add(d, BLOCK_TEXT,
		say(d->texts, d->arena, "kernels.fit.about", "sms", sms_of(d, list, n), NULL))
		->level = 1;
	int shown = known < MOST_KERNELS ? known : MOST_KERNELS;
	struct table *t = document_table(d, col, COLUMNS, shown);
	t->size = 6.6;
	for (int i = 0; i < n && row < shown; i++)
		if (list[i].fit.resident > 0)
			fit_row(d, t, row++, &list[i]);
	say_more(d, shown, known);
	document_add(d, BLOCK_CAPTION, say(d->texts, d->arena, "kernels.fit.advice", NULL));
}

/* ---- what the hardware counted ---- */

static const struct counted {
	const char *metric, *key;
	enum { COUNTED_TIME, COUNTED_BYTES, COUNTED_PERCENT, COUNTED_CYCLES, COUNTED_HERTZ } unit;
} counted[] = {
	{"gpu__time_duration.sum", "counters.time", COUNTED_TIME},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "counters.dram", COUNTED_PERCENT},
	{"dram__bytes_read.sum", "counters.read", COUNTED_BYTES},
	{"dram__bytes_write.sum", "counters.written", COUNTED_BYTES},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", "counters.occupancy",
		COUNTED_PERCENT},
	{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "counters.tensor",
		COUNTED_PERCENT},
	{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "counters.sm", COUNTED_PERCENT},
	{"sm__cycles_elapsed.max", "counters.cycles", COUNTED_CYCLES},
	{"gpc__cycles_elapsed.avg.per_second", "counters.clock", COUNTED_HERTZ},
};
enum { COUNTED = sizeof counted / sizeof *counted, ACHIEVED = 4 };

static const char *counted_text(struct arena *a, const struct counted *c, double value)
{
	if (!isfinite(value))
		return "–";
	switch (c->unit) {
	case COUNTED_TIME:
		return format_time(a, value);
	case COUNTED_BYTES:
		return format_si(a, value, "B");
	case COUNTED_PERCENT:
		return arena_printf(a, "%.1f %%", value);
	case COUNTED_CYCLES:
		return format_count(a, (int64_t)value);
	default:
		return format_si(a, value, "Hz");
	}
}

/* A column that would be empty is left out. */
static bool anything_counted(const struct run_kernel *list, int n, const struct counted *c)
{
	for (int i = 0; i < n; i++)
		if (list[i].counters && isfinite(kernel_counter(&list[i], c->metric)))
			return true;
	return false;
}

static void counter_row(struct document *d, struct table *t, int row, const struct run_kernel *k,
	const struct counted *const *shown)
{
	struct arena *a = d->arena;
	*table_cell(t, row, 0) = name_cell(d, k);
	for (int i = 1; i < t->n_columns; i++)
		table_cell(t, row, i)->text = shown[i]
			? counted_text(a, shown[i], kernel_counter(k, shown[i]->metric))
			: k->fit.resident ? arena_printf(a, "%.0f %%", 100 * k->fit.theoretical)
					  : "–";
}

static void add_counters(
	struct document *d, const struct input *in, const struct run_kernel *list, int n)
{
	enum { COLUMNS = COUNTED + 2 };
	struct arena *a = d->arena;
	const char *refused = counters_refused(in), *keys[COLUMNS] = {"kernels.kernel"};
	const struct counted *shown_of[COLUMNS] = {NULL};
	int rows = 0, row = 0, columns_shown = 1;
	for (int i = 0; i < n; i++)
		rows += list[i].counters != NULL;
	if (!rows && !refused)
		return;
	document_heading(d, 2, NULL, say(d->texts, a, "counters.title", NULL));
	if (!rows) {
		document_add(d, BLOCK_TEXT,
			say(d->texts, a, "counters.refused", "reason", refused, NULL));
		return;
	}
	for (int i = 0; i < COUNTED; i++) {
		if (!anything_counted(list, n, &counted[i]))
			continue;
		shown_of[columns_shown] = &counted[i];
		keys[columns_shown++] = counted[i].key;
		if (i == ACHIEVED) /* beside what the footprint allows */
			keys[columns_shown++] = "counters.theoretical";
	}
	document_add(d, BLOCK_TEXT, say(d->texts, a, "counters.about", NULL))->level = 1;
	int shown = rows < MOST_KERNELS ? rows : MOST_KERNELS;
	struct table *t =
		document_table(d, columns_of(d, keys, columns_shown), columns_shown, shown);
	t->size = 6.6;
	for (int i = 0; i < n && row < shown; i++)
		if (list[i].counters)
			counter_row(d, t, row++, &list[i], shown_of);
	say_more(d, shown, rows);
}

/* ---- the section ---- */

/* Does any part of it have a row? */
static bool anything_to_tell(const struct input *in, const struct run_kernel *list, int n)
{
	struct kernel_name name;
	for (int i = 0; i < n; i++)
		if (is_product(&list[i], &name) || list[i].fit.resident > 0 || list[i].counters)
			return true;
	return n && counters_refused(in);
}

void section_kernels(struct document *d, const struct input *in)
{
	int n = 0;
	struct run_kernel *list = run_kernels(d->arena, in, &n);
	bool clocks = clocks_known(in);
	if (!anything_to_tell(in, list, n) && !clocks)
		return;
	struct block *head =
		document_heading(d, 1, "kernels", say(d->texts, d->arena, "kernels.title", NULL));
	head->flows = head->detail = true;
	add_names(d, list, n);
	add_fits(d, list, n);
	add_counters(d, in, list, n);
	if (clocks)
		add_clocks_table(d, in);
}
