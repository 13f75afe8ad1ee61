/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/figure/timeline.h"
#include "report/name/kernel_name.h"
#include "report/run/kernels.h"
#include "report/section/parts.h"

#include <math.h>
#include <string.h>

enum { MOST_KERNELS = 24, KINETO_SHARED_BYTES = 48 * 1024 };

static const char *kernel_text(const struct run_kernel *k)
{
	return trace_name(&k->c->trace, k->act->name);
}

static void put_name(struct rows *t, const struct run_kernel *k)
{
	put(t, event_name(t->d, kernel_text(k)))->swatch = bar_name(bar_of(k->act->class));
}

static void say_more(struct document *d, int n)
{
	if (n > MOST_KERNELS)
		document_say(d, BLOCK_CAPTION, "kernels.more", "n",
			format_count(d->arena, n - MOST_KERNELS), NULL);
}

/* ---- what their names say ---- */

/* These parts of a name have columns of their own; everything else goes into the last. */
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
	struct text_builder text = {.arena = a};
	for (int i = 0; i < k->n; i++)
		if (k->row[i].part == part)
			text_add(&text, "%s%s", text_separator(&text, " "), k->row[i].value);
	return text.n ? text_built(&text) : NULL;
}

static const char *part_word(struct document *d, enum kernel_part part)
{
	return said_by(d, "part.%s", kernel_part_key(part));
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
		text = listed(a, text, " · ",
			arena_printf(
				a, "%s %s", part_word(d, part), literal(d, values_of(a, k, part))));
	}
	return text;
}

static const struct table_form names_form = {
	.column = {{"kernels.kernel", COLUMN_CODE, 1, 2}, {"part.family"}, {"part.input"},
		{"part.accumulate"}, {"part.output"}, {"part.tile"}, {"part.k_step"},
		{"part.stages"}, {"part.layout"}, {"part.split_k"},
		{"kernels.others", .weight = 0.7}}};

static void put_parts(struct rows *t, const struct run_kernel *k, const struct kernel_name *name)
{
	struct document *d = t->d;
	put_name(t, k);
	put(t, kernel_family_key(name->family));
	for (int i = 0; i < PART_COLUMNS; i++) {
		const char *value = values_of(d->arena, name, columns[i]);
		/* a product that is not split says nothing of it */
		bool silent = columns[i] == PART_SPLIT_K;
		const char *key = silent ? "kernels.unsplit" : "kernels.unknown";
		put(t, value ? literal(d, value) : said(d, key, NULL))->faint = !value;
	}
	put(t, other_parts(d, name));
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
	struct kernel_name name;
	struct rows t = {0};
	int products = 0;
	for (int i = 0; i < n; i++) {
		if (!is_product(&list[i], &name) || named_before(list, i) ||
			products++ >= MOST_KERNELS)
			continue;
		if (!t.table) {
			document_heading(d, 2, NULL, said(d, "kernels.names", NULL));
			document_say(d, BLOCK_TEXT, "kernels.names.about", NULL)->level = 1;
			t = rows_begin(d, &names_form, 0);
		}
		put_parts(&t, &list[i], &name);
	}
	say_more(d, products);
}

/* ---- how they fit ---- */

/* What ncu's launch page would say, in the order of how much there is to gain. */
enum kernel_advice { ADVICE_GRID, ADVICE_TAIL, ADVICE_LANES, ADVICE_WARPS, ADVICES };

static const char *const advice_keys[ADVICES] = {"kernels.advice.grid", "kernels.advice.tail",
	"kernels.advice.lanes", "kernels.advice.warps"};

static const double NEARLY_A_WAVE = 0.9, TAIL_EMPTY = 0.1, FEW_WARPS = 0.5;

/* These keep their operands in registers and shared memory, and live well with few warps. */
static bool lives_with_few_warps(uint8_t class)
{
	return class_multiplies(class) || class == CLASS_ATTENTION;
}

static bool applies(const struct run_kernel *k, enum kernel_advice advice)
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

static const char *limit_word(const struct document *d, const struct fit *f)
{
	return said_by(d, "kernels.limit.%s", fit_limit_key(f->limit));
}

static const char *advice_text(
	struct document *d, const struct run_kernel *k, enum kernel_advice advice)
{
	struct arena *a = d->arena;
	const struct fit *f = &k->fit;
	const struct text_value values[] = {{"share", format_share(a, f->waves)},
		{"full", format_count(a, (int64_t)floor(f->waves))},
		{"last", format_share(a, 1 - f->empty)},
		{"lost", format_share(a, 1 / ceil(f->waves))},
		{"lanes", format_count(a, 32 - f->threads % 32)}, {"limit", limit_word(d, f)},
		{"occupancy", format_share(a, f->theoretical)}};
	const char *key = advice_keys[advice];
	return fill_text(d->texts, a, "text", key, texts_find(d->texts, key), values,
		sizeof values / sizeof *values);
}

static const char *all_advice(struct document *d, const struct run_kernel *k)
{
	const char *text = "";
	for (int i = 0; i < ADVICES; i++)
		if (applies(k, (enum kernel_advice)i))
			text = listed(
				d->arena, text, "; ", advice_text(d, k, (enum kernel_advice)i));
	return text;
}

static const struct table_form fits_form = {
	.column = {{"kernels.kernel", COLUMN_CODE, 1, 2}, {"kernels.grid", COLUMN_NUMBER},
		{"kernels.block", COLUMN_NUMBER}, {"kernels.registers", COLUMN_NUMBER},
		{"kernels.shared", COLUMN_NUMBER}, {"kernels.fits"},
		{"kernels.estimate", COLUMN_NUMBER}, {"kernels.right", COLUMN_NUMBER},
		{"kernels.waves", COLUMN_NUMBER}, {"kernels.advice", .weight = 0.8}}};

static void put_fit(struct rows *t, const struct run_kernel *k)
{
	struct arena *a = t->d->arena;
	const struct fit *f = &k->fit;
	bool wrong = k->estimate_pct >= 0 && f->shared_bytes > KINETO_SHARED_BYTES;
	put_name(t, k);
	put(t, format_triple(a, k->act->grid));
	put(t, format_triple(a, k->act->block));
	put(t, arena_printf(a, "%d", f->registers));
	put(t, f->shared_bytes ? format_si(a, (double)f->shared_bytes, "B") : "0");
	put(t,
		said(t->d, "kernels.resident", "n", format_count(a, f->resident), "limit",
			limit_word(t->d, f), NULL));
	put(t, k->estimate_pct >= 0 ? arena_printf(a, "%d %%", k->estimate_pct) : "–")->faint =
		wrong;
	put(t, arena_printf(a, "%.0f %%", 100 * f->estimate))->bold = wrong;
	put(t, arena_printf(a, f->waves < 0.1 ? "%.3f" : "%.2f", f->waves));
	put(t, all_advice(t->d, k));
}

/* "132", or "80 and 132" where traces of several devices are shown: of the kernels whose fit is
 * known. */
static const char *sms_of(struct document *d, const struct run_kernel *list, int n)
{
	const char *all = NULL;
	for (int i = 0; i < n; i++) {
		bool first = list[i].fit.resident > 0;
		for (int k = 0; k < i && first; k++)
			first = list[k].fit.resident <= 0 ||
				list[k].device->sms != list[i].device->sms;
		if (!first)
			continue;
		const char *sms = format_count(d->arena, list[i].device->sms);
		all = all ? said(d, "kernels.fit.sms", "some", all, "sms", sms, NULL) : sms;
	}
	return all;
}

static void add_fits(struct document *d, const struct run_kernel *list, int n)
{
	struct rows t = {0};
	int known = 0;
	for (int i = 0; i < n; i++) {
		if (list[i].fit.resident <= 0 || known++ >= MOST_KERNELS)
			continue;
		if (!t.table) {
			document_heading(d, 2, NULL, said(d, "kernels.fit", NULL));
			document_say(
				d, BLOCK_TEXT, "kernels.fit.about", "sms", sms_of(d, list, n), NULL)
				->level = 1;
			t = rows_begin(d, &fits_form, 0);
		}
		put_fit(&t, &list[i]);
	}
	if (!known)
		return;
	say_more(d, known);
	document_say(d, BLOCK_CAPTION, "kernels.fit.advice", NULL);
}

/* ---- what the hardware counted ---- */

static const struct counted {
	const char *metric;
	enum { COUNTED_TIME, COUNTED_BYTES, COUNTED_PERCENT, COUNTED_CYCLES, COUNTED_HERTZ } unit;
} counted[] = {
	{"gpu__time_duration.sum", COUNTED_TIME},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", COUNTED_PERCENT},
	{"dram__bytes_read.sum", COUNTED_BYTES},
	{"dram__bytes_write.sum", COUNTED_BYTES},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", COUNTED_PERCENT},
	{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", COUNTED_PERCENT},
	{"sm__throughput.avg.pct_of_peak_sustained_elapsed", COUNTED_PERCENT},
	{"sm__cycles_elapsed.max", COUNTED_CYCLES},
	{"gpc__cycles_elapsed.avg.per_second", COUNTED_HERTZ},
};
enum { COUNTED = sizeof counted / sizeof *counted, ACHIEVED = 4 };

/* The columns are those of `counted`, in its order; beside what was achieved stands what the
 * footprint allows. */
static const struct table_form counters_form = {
	.column = {{"kernels.kernel", COLUMN_CODE, 1, 2}, {"counters.time", COLUMN_NUMBER},
		{"counters.dram", COLUMN_NUMBER}, {"counters.read", COLUMN_NUMBER},
		{"counters.written", COLUMN_NUMBER}, {"counters.occupancy", COLUMN_NUMBER},
		{"counters.theoretical", COLUMN_NUMBER}, {"counters.tensor", COLUMN_NUMBER},
		{"counters.sm", COLUMN_NUMBER}, {"counters.cycles", COLUMN_NUMBER},
		{"counters.clock", COLUMN_NUMBER}}};

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

/* Bits of the columns that would be empty. */
static unsigned empty_columns(const struct run_kernel *list, int n)
{
	unsigned empty = 0;
	for (int i = 0, column = 1; i < COUNTED; i++, column++) {
		bool any = anything_counted(list, n, &counted[i]);
		empty |= any ? 0 : 1u << column;
		if (i == ACHIEVED) {
			column++;
			empty |= any ? 0 : 1u << column;
		}
	}
	return empty;
}

static void put_counters(struct rows *t, const struct run_kernel *k)
{
	struct arena *a = t->d->arena;
	put_name(t, k);
	for (int i = 0; i < COUNTED; i++) {
		put(t, counted_text(a, &counted[i], kernel_counter(k, counted[i].metric)));
		if (i == ACHIEVED)
			put(t,
				k->fit.resident
					? arena_printf(a, "%.0f %%", 100 * k->fit.theoretical)
					: "–");
	}
}

static void add_counters(
	struct document *d, const struct input *in, const struct run_kernel *list, int n)
{
	const char *refused = counters_refused(in);
	int rows = 0;
	for (int i = 0; i < n; i++)
		rows += list[i].counters != NULL;
	if (!rows && !refused)
		return;
	document_heading(d, 2, NULL, said(d, "counters.title", NULL));
	if (!rows) {
		document_say(d, BLOCK_TEXT, "counters.refused", "reason", refused, NULL);
		return;
	}
	document_say(d, BLOCK_TEXT, "counters.about", NULL)->level = 1;
	struct rows t = rows_begin(d, &counters_form, empty_columns(list, n));
	for (int i = 0; i < n && t.table->n_rows < MOST_KERNELS; i++)
		if (list[i].counters)
			put_counters(&t, &list[i]);
	say_more(d, rows);
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
	struct block *head = document_heading(d, 1, "kernels", said(d, "kernels.title", NULL));
	head->flows = head->detail = true;
	add_names(d, list, n);
	add_fits(d, list, n);
	add_counters(d, in, list, n);
	if (clocks)
		add_clocks_table(d, in);
}
