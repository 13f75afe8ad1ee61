/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/answers.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/judge/judge.h"
#include "report/name/shorten.h"
#include "report/run/manifest.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 60, LONGEST_IN_LIST = 54 };
static const double SAME = 0.05;

void fill_in(struct answer *a, const char *place, const char *value)
{
	if (a->n_values == ANSWER_VALUES)
		bug("too many values for an answer, the last is \"%s\"", place);
	for (int i = 0; i < a->n_values; i++)
		if (!strcmp(a->value[i].name, place))
			bug("an answer has two values called \"%s\"", place);
	a->told[a->n_values] = (struct quoted_value){TOLD_WORDS, 0, 0};
	a->value[a->n_values++] = (struct text_value){place, value};
}

static void fill_in_told(
	struct answer *a, const char *place, const char *value, enum told_kind kind, double number)
{
	fill_in(a, place, value);
	a->told[a->n_values - 1] = (struct quoted_value){kind, number, number};
}

void fill_in_time(struct answer *a, const char *place, double ns)
{
	fill_in_told(a, place, ns == 0 ? "0 µs" : format_time(a->arena, ns), TOLD_TIME, ns);
}

/* Medians of counts may be halves, so one decimal is kept where it is not 0. */
void fill_in_count(struct answer *a, const char *place, double n)
{
	bool whole = n == rint(n);
	fill_in_told(a, place,
		whole ? format_count(a->arena, (int64_t)n) : arena_printf(a->arena, "%.1f", n),
		TOLD_EXACTLY, n);
}

void fill_in_share(struct answer *a, const char *place, double share)
{
	fill_in_told(a, place, format_share(a->arena, share), TOLD_SHARE, share);
}

void fill_in_ratio(struct answer *a, const char *place, double ratio)
{
	fill_in_told(a, place, format_ratio(a->arena, ratio), TOLD_RATIO, ratio);
}

/* All runs of a kernel, each with that of the one that follows it, where there is one. */
static struct times runs_of(struct answer *a, const struct kernel_runs *k)
{
	size_t n = k->act->calls;
	if (k->then && k->then->calls < n)
		n = k->then->calls;
	int64_t *ns = arena_array(a->arena, n + 1, sizeof *ns);
	const int64_t *dur = k->c->trace.dur_ns;
	for (size_t i = 0; i < n; i++)
		ns[i] = dur[k->act->row[i]] + (k->then ? dur[k->then->row[i]] : 0);
	return (struct times){ns, n};
}

void fill_in_sure(struct answer *a, const char *place, struct sure_ratio r)
{
	bool known = r.ratio > 0 && !sure_is_noise(&r);
	fill_in_told(a, place, sure_text(a->texts, a->arena, &r), TOLD_RATIO, known ? r.ratio : 1);
	a->told[a->n_values - 1].printed = r.ratio;
}

void fill_in_kernels_ratio(struct answer *a, const char *place, double ratio,
	const struct kernel_runs *mine, const struct kernel_runs *others)
{
	const struct times one = runs_of(a, mine), other = runs_of(a, others);
	fill_in_sure(a, place, sure_of_times(ratio, &one, &other, a->run->apart_device));
}

void fill_in_bytes(struct answer *a, const char *place, double bytes)
{
	fill_in(a, place, format_si(a->arena, bytes, "B"));
}

void tell_numbers(struct answer *a, int i)
{
	static const char *const prefixes[QUESTION_CASES] = {"", "other.", "third."};
	const struct case_numbers *n = &a->n[i];
	const struct {
		const char *name;
		void (*fill)(struct answer *a, const char *place, double value);
		double value;
	} told[] = {
		{"cpu", fill_in_time, n->cpu_ns},
		{"device", fill_in_time, n->device_ns},
		{"kernels", fill_in_count, n->kernels},
		{"copies", fill_in_count, n->copies},
		{"pieces", fill_in_count, n->kernels + n->copies},
		{"launches", fill_in_count, n->launches},
		{"ops", fill_in_count, n->ops},
		{"compile_rows", fill_in_count, n->compile_rows},
	};
	for (size_t k = 0; k < sizeof told / sizeof *told; k++)
		told[k].fill(a, arena_printf(a->arena, "%s%s", prefixes[i], told[k].name),
			told[k].value);
	if (!i)
		return;
	fill_in_sure(a, arena_printf(a->arena, "%scpu_ratio", prefixes[i]),
		case_ratio(a->arena, a->c[i], a->c[0], false));
	fill_in_sure(a, arena_printf(a->arena, "%sdevice_ratio", prefixes[i]),
		case_ratio(a->arena, a->c[i], a->c[0], true));
}

const char *name_of_event(const struct trace *t, uint32_t row)
{
	return trace_row_name(t, row);
}

/* At most n bytes and an ellipsis; never half a letter. */
static const char *cut_name(struct arena *a, const char *name, size_t n)
{
	if (strlen(name) <= n)
		return name;
	while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--;
	return arena_printf(a, "%.*s…", (int)n, name);
}

void fill_in_row(struct answer *a, const char *place, const struct trace *t, uint32_t row)
{
	fill_in(a, place,
		cut_name(a->arena, tidy_name(a->arena, name_of_event(t, row)), LONGEST_NAME));
}

void fill_in_regime(struct answer *a, const char *place, const struct report_case *c)
{
	char key[64];
	snprintf(key, sizeof key, "regime.%s", regime_name(c->analysis->regime.regime));
	fill_in_told(a, place, say(a->texts, a->arena, key, NULL), TOLD_EXACTLY,
		c->analysis->regime.regime);
}

static const char *word(const struct answer *a, const char *name, const char *place,
	const char *value, const char *times)
{
	const struct text_value values[] = {{place, value}, {"times", times}};
	return question_text(a->texts, a->arena, "words", name, values, 2);
}

static const char *name_in_list(const struct answer *a, const struct trace *t, uint32_t row)
{
	const char *name = name_of_event(t, row);
	if (event_on_device(t->kind[row]))
		name = shorten_name(a->arena, name);
	return cut_name(a->arena, name, LONGEST_IN_LIST);
}

void fill_in_rows(struct answer *a, const char *place, const struct trace *t, const uint32_t *row,
	uint32_t n, bool arrows)
{
	struct text_builder list = {.arena = a->arena};
	for (uint32_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && t->name[row[next]] == t->name[row[i]];)
			next++;
		const char *times = format_count(a->arena, next - i);
		const char *item = word(a, next - i > 1 ? "code_times" : "code", "name",
			name_in_list(a, t, row[i]), times);
		const char *between = i ? word(a, arrows ? "then" : "and", "", "", "") : "";
		text_add(&list, "%s%s", between, item);
	}
	fill_in(a, place, text_built(&list));
}

bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

const struct step *usual_step(const struct answer *a, int i)
{
	return &a->c[i]->analysis->steps[a->n[i].typical];
}

uint32_t rows_in_step(const struct report_case *c, const struct step *s, enum event_class class,
	uint32_t *row, uint32_t most)
{
	const struct trace *t = &c->trace;
	int64_t end = s->start_ns + s->dur_ns;
	uint32_t n = 0;
	for (uint32_t i = s->row; i < t->n && t->start_ns[i] < end; i++) {
		if (t->track[i] != t->track[s->row] || c->analysis->class[i] != class)
			continue;
		if (n < most)
			row[n] = i;
		n++;
	}
	return n;
}

/* What is counted with a matmul is not told beside it: the list is as long as the count says. */
static void tell_work(struct answer *a, const char *place, int i, bool copies)
{
	const struct analysis *an = a->c[i]->analysis;
	const struct step *s = usual_step(a, i);
	const struct trace *t = &a->c[i]->trace;
	uint32_t *row = arena_array(a->arena, s->n_device, sizeof *row), n = 0;
	for (uint32_t k = 0; k < s->n_device; k++)
		if ((copies || t->kind[s->device[k]] == EVENT_KERNEL) &&
			!class_counts_with_gemm(an->class[s->device[k]]))
			row[n++] = s->device[k];
	fill_in_rows(a, place, t, row, n, false);
}

void tell_device_work(struct answer *a, const char *place, int i)
{
	tell_work(a, place, i, true);
}

void tell_kernels(struct answer *a, const char *place, int i)
{
	tell_work(a, place, i, false);
}

uint32_t step_device_row(const struct report_case *c, const struct step *s, enum event_class class)
{
	for (uint32_t i = 0; i < s->n_device; i++)
		if (c->analysis->class[s->device[i]] == class)
			return s->device[i];
	return NO_ROW;
}

const struct activity *activity_of(const struct report_case *c, enum event_class class)
{
	const struct analysis *an = c->analysis;
	for (uint32_t i = 0; i < an->n_activities; i++)
		if (an->activities[i].class == class && an->activities[i].dur.n)
			return &an->activities[i];
	return NULL;
}

double steady_ns(const struct report_case *c, enum event_class class)
{
	const struct activity *act = activity_of(c, class);
	return act ? steady_median_ns(c->analysis, act) : (double)NAN;
}

double usual_call_ns(
	const struct analysis *an, bool (*is_one)(const char *name, const void *of), const void *of)
{
	const struct trace *t = an->trace;
	int64_t *ns = xcalloc(t->n + 1, sizeof *ns);
	size_t n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t step = event_on_host(t->kind[i]) && is_one(trace_row_name(t, i), of)
			? analysis_step_at(an, t->start_ns[i])
			: NO_ROW;
		if (step != NO_ROW && step >= steady_from(an))
			ns[n++] = t->dur_ns[i];
	}
	double median = n ? stats_of(ns, n).median : (double)NAN;
	free(ns);
	return median;
}

bool is_called(const char *name, const void *of)
{
	return !strcmp(name, of);
}

double shape_of(const struct report_case *c, const char *side)
{
	return work_size(told_work(c), side);
}

double element_bytes(const struct report_case *c)
{
	return work_element_bytes(told_work(c));
}

bool same_shape(const struct report_case *a, const struct report_case *b)
{
	return same_sizes(&told_work(a)->shape, &told_work(b)->shape);
}

static bool has_activity(const struct report_case *c, const char *name)
{
	for (uint32_t i = 0; i < c->analysis->n_activities; i++)
		if (!strcmp(names_text(&c->trace.names, c->analysis->activities[i].name), name))
			return true;
	return false;
}

static bool gemms_within(const struct report_case *a, const struct report_case *b)
{
	for (uint32_t i = 0; i < a->analysis->n_activities; i++) {
		const struct activity *act = &a->analysis->activities[i];
		if (act->class == CLASS_GEMM &&
			!has_activity(b, names_text(&a->trace.names, act->name)))
			return false;
	}
	return true;
}

bool same_gemms(const struct report_case *a, const struct report_case *b)
{
	return activity_of(a, CLASS_GEMM) && gemms_within(a, b) && gemms_within(b, a);
}

static enum trend trend_of(double ratio)
{
	return ratio > 1 + SAME ? TREND_MORE : ratio < 1 - SAME ? TREND_LESS : TREND_SAME;
}

enum trend told_trend(const struct answer *a, const char *place)
{
	for (int i = 0; i < a->n_values; i++)
		if (!strcmp(a->value[i].name, place))
			return trend_of(a->told[i].number);
	bug("an answer tells no \"%s\"", place);
}

bool on_host_device(const struct answer *a)
{
	return !a->run->is_gpu;
}
