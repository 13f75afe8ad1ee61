/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled code: what it fuses, what it costs, where the addition goes. */
#include "report/course/answers.h"

#include "base/number_format.h"
#include "report/judge/judge.h"
#include "report/section/ratio_words.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 32 };

static uint32_t launches_of(const struct step *s)
{
	return s->launches;
}

/* A fill is no copy: the library clears its counters with one in front of a matmul. */
static uint32_t copies_of(const struct step *s)
{
	return s->copies;
}

static double median_calls(const struct report_case *c, uint32_t (*calls)(const struct step *s))
{
	const struct analysis *an = c->analysis;
	uint32_t first = steady_from(an), count = an->n_steps - first;
	int64_t *n = xcalloc(an->n_steps, sizeof *n);
	for (uint32_t i = 0; i < count; i++)
		n[i] = calls(&an->steps[first + i]);
	double median = stats_of(n, count).median;
	free(n);
	return median;
}

/* The first row of a kind in a step; NO_ROW if none. */
static uint32_t compile_row(
	const struct report_case *c, const struct step *s, enum compile_row kind)
{
	uint32_t row[MOST_ROWS];
	uint32_t n = rows_in_step(c, s, CLASS_COMPILE, row, MOST_ROWS);
	const char *key;
	int length;
	for (uint32_t i = 0; i < n && i < MOST_ROWS; i++)
		if (compile_row_of(name_of_event(&c->trace, row[i]), &key, &length) == kind)
			return row[i];
	return NO_ROW;
}

static bool is_of_kind(const char *name, const void *of)
{
	const char *key;
	int length;
	return compile_row_of(name, &key, &length) == *(const enum compile_row *)of;
}

/* What compiled code costs on every call before it runs: the look-up and the guard, as long as they
 * usually take. */
static double tax_ns(const struct report_case *c)
{
	static const enum compile_row lookup = COMPILE_LOOKUP, guard = COMPILE_GUARD;
	double looked = usual_call_ns(c->analysis, is_of_kind, &lookup);
	double checked = usual_call_ns(c->analysis, is_of_kind, &guard);
	return (looked > 0 ? looked : 0) + (checked > 0 ? checked : 0);
}

/* a->c: an eager case, then the same work compiled. */
const char *answer_fused(struct answer *a)
{
	uint32_t graph = compile_row(a->c[1], usual_step(a, 1), COMPILE_GRAPH);
	if (graph == NO_ROW)
		return NULL;
	fill_in_row(a, "graph", &a->c[1]->trace, graph);
	tell_device_work(a, "before", 0);
	tell_device_work(a, "after", 1);
	if (a->n[1].kernels >= a->n[0].kernels)
		return "same";
	return a->n[1].copies > a->n[0].copies ? "copy" : "kernel";
}

const char *answer_compile_rows(struct answer *a)
{
	static const struct {
		enum compile_row kind;
		const char *name, *time;
	} parts[] = {{COMPILE_LOOKUP, "lookup", "lookup_time"},
		{COMPILE_GUARD, "guard", "guard_time"}, {COMPILE_REGION, "region", "region_time"},
		{COMPILE_GRAPH, "graph", "graph_time"}};
	const struct trace *t = &a->c[0]->trace;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		uint32_t row = compile_row(a->c[0], usual_step(a, 0), parts[i].kind);
		if (row == NO_ROW)
			return NULL;
		fill_in_row(a, parts[i].name, t, row);
		fill_in_time(a, parts[i].time,
			usual_call_ns(a->c[0]->analysis, is_called, name_of_event(t, row)));
	}
	return "rows";
}

const char *answer_launches(struct answer *a)
{
	double before = median_calls(a->c[0], launches_of);
	double after = median_calls(a->c[1], launches_of);
	double copies = median_calls(a->c[1], copies_of);
	fill_in_count(a, "before", before);
	fill_in_count(a, "after", after);
	fill_in_count(a, "copy_calls", copies);
	if (after >= before)
		return "same";
	return copies > median_calls(a->c[0], copies_of) ? "copy" : "fewer";
}

/* a->c: an eager case, a compiled and a truly fused one; all three must be of one size. */
const char *answer_bias(struct answer *a)
{
	const struct activity *add = activity_of(a->c[0], CLASS_ADD);
	const struct activity *copy = activity_of(a->c[1], CLASS_COPY);
	double size = shape_of(a->c[0], "size"), tensor = size * size * element_bytes(a->c[0]);
	if (!add || !(tensor > 0) || !(a->n[0].device_ns > 0) || !same_shape(a->c[0], a->c[1]) ||
		!same_shape(a->c[0], a->c[2]))
		return NULL;
	enum { ADD_TENSORS = 3, COPY_TENSORS = 2 }; /* two read, one written; one each */
	fill_in_bytes(a, "add_bytes", ADD_TENSORS * tensor);
	fill_in_bytes(a, "copy_bytes", COPY_TENSORS * tensor);
	fill_in_bytes(a, "tensor", tensor);
	fill_in_time(a, "add", steady_ns(a->c[0], CLASS_ADD));
	if (!copy)
		return "no_copy";
	fill_in_time(a, "copy", steady_ns(a->c[1], CLASS_COPY));
	return "copy";
}

const char *answer_compile_cost(struct answer *a)
{
	static const char *const outcomes[] = {"cheaper", "same", "dearer"};
	if (!(a->n[0].cpu_ns > 0) || !(tax_ns(a->c[1]) > 0))
		return NULL;
	fill_in_time(a, "tax", tax_ns(a->c[1]));
	return outcomes[told_trend(a, "other.cpu_ratio")];
}

/* a->c: an eager case, one that replays a recorded graph, and one compiled without. */
const char *answer_cheaper_mode(struct answer *a)
{
	if (!(a->n[0].cpu_ns > 0))
		return NULL;
	struct sure_ratio r = case_ratio(a->arena, a->c[1], a->c[2], false);
	fill_in_count(a, "alike", sure_is_noise(&r));
	return told_trend(a, "other.cpu_ratio") == TREND_LESS ? "lower" : "not";
}

static bool same_kinds(const struct answer *a)
{
	const struct step *s[] = {usual_step(a, 0), usual_step(a, 1)};
	if (s[0]->n_device != s[1]->n_device)
		return false;
	for (uint32_t i = 0; i < s[0]->n_device; i++)
		if (a->c[0]->analysis->class[s[0]->device[i]] !=
			a->c[1]->analysis->class[s[1]->device[i]])
			return false;
	return true;
}

/* a->c: a case of one addmm call, then the compiled one. */
const char *answer_addmm(struct answer *a)
{
	tell_device_work(a, "work", 0);
	tell_device_work(a, "other_work", 1);
	return same_kinds(a) && same_gemms(a->c[0], a->c[1]) ? "same" : "other";
}
