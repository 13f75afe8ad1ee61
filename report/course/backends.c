/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/backends.h"

#include "base/number_format.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/kernel_fit.h"
#include "report/analyse/kernel_footprint.h"
#include "report/course/answers.h"
#include "report/course/kernel_words.h"
#include "report/judge/judge.h"
#include "report/name/shorten.h"
#include "report/page/table_builder.h"
#include "report/run/manifest.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <string.h>

static const char *const workload = "sdpa";

static const struct {
	const char *op, *backend;
} ops[] = {
	{"aten::_scaled_dot_product_flash_attention", "flash"},
	{"aten::_scaled_dot_product_efficient_attention", "efficient"},
	{"aten::_scaled_dot_product_cudnn_attention", "cudnn"},
	{MATH_ATTENTION, "math"},
};

const char *backend_of(const struct report_case *c)
{
	const struct profiler_table *all = &c->analysis->profiler_table;
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; all->row[i].calls && k < sizeof ops / sizeof *ops; k++)
			if (!strcmp(all->row[i].name, ops[k].op))
				return ops[k].backend;
	return NULL;
}

double backend_call_ns(const struct report_case *c)
{
	return usual_call_ns(c->analysis, is_called, "aten::scaled_dot_product_attention");
}

const struct activity *backend_kernel(const struct report_case *c)
{
	for (uint32_t i = 0; i < c->analysis->n_activities; i++) {
		const struct activity *act = &c->analysis->activities[i];
		if (c->trace.kind[act->row[0]] == EVENT_KERNEL)
			return act;
	}
	return NULL;
}

/* ---- the table ---- */

static const struct table_form form = {.size = 8,
	.column = {{"backends.case", .weight = 15}, {"backends.which"},
		{"backends.pieces", COLUMN_NUMBER}, {"backends.device", COLUMN_NUMBER},
		{"backends.ratio", COLUMN_NUMBER}, {"backends.longest", COLUMN_NUMBER},
		{"backends.call", COLUMN_NUMBER}, {"backends.kernel", .weight = 18},
		{"backends.occupancy", COLUMN_NUMBER}}};

/* "flash, bf16, 128x128", or the name where no grammar fits it. */
static const char *kernel_words(struct document *d, const char *name)
{
	static const char *const parts[] = {"family", "input", "instruction", "tile"};
	struct decoded k;
	const char *list = "";
	if (!decode_name(&k, name))
		return literal(d, brief_name(d->arena, name));
	for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
		for (int i = 0; i < k.n; i++)
			if (!strcmp(k.part[i].key, parts[p]))
				list = listed(d->arena, list, ", ", literal(d, k.part[i].value));
	return list;
}

static void put_kernel(struct rows *t, const struct report_case *c)
{
	struct document *d = t->d;
	const struct activity *act = backend_kernel(c);
	const struct kernel *k = act ? kernel_of(&c->trace, act->row[0]) : NULL;
	const struct fit fit = fit_of(k, k ? device_of_kernel(&c->trace, k) : NULL);
	put(t, act ? kernel_words(d, names_text(&c->trace.names, act->name)) : "–");
	put(t,
		fit.resident > 0
			? said(d, "backends.fit", "share", format_share(d->arena, fit.theoretical),
				  "registers", format_count(d->arena, fit.registers), "threads",
				  format_count(d->arena, fit.threads), NULL)
			: "–");
}

static void put_case(struct rows *t, const struct report_case *c, const struct report_case *first)
{
	struct document *d = t->d;
	struct case_numbers n = numbers_of(c->analysis);
	const char *backend = backend_of(c);
	double call = backend_call_ns(c);
	put(t, c->title);
	put(t,
		backend ? said(d, arena_printf(d->arena, "backend.%s", backend), NULL)
			: said(d, "backend.none", NULL));
	put(t, arena_printf(d->arena, "%g", n.kernels + n.copies));
	put_time(t, n.device_ns);
	struct sure_ratio r = case_ratio(d->arena, c, first, true);
	put(t, format_ratio(d->arena, r.ratio))->faint = c != first && sure_is_noise(&r);
	const struct activity *longest = backend_kernel(c);
	put_time(t, longest ? longest->dur.median : (double)NAN);
	put(t, isfinite(call) ? format_time(d->arena, call) : "–");
	put_kernel(t, c);
}

void add_backends_table(struct document *d, const struct run *run)
{
	struct rows t = {0};
	const struct report_case *first = NULL;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!c->work || strcmp(c->work->workload, workload) != 0 || !c->readable ||
			!c->analysis->n_steps)
			continue;
		if (!t.table) {
			document_say(d, BLOCK_TEXT, "backends.why", NULL)->level = 1;
			t = rows_begin(d, &form, 0);
			first = c;
		}
		put_case(&t, c, first);
	}
	if (t.table)
		document_say(d, BLOCK_CAPTION, "backends.caption", NULL);
}
