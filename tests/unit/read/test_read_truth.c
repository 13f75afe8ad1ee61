/* SPDX-License-Identifier: Apache-2.0 */
/* Real traces against numbers that plain Python worked out, sharing no code with us: every count,
 * sum, busy time and step is equal, or differs for a cause that stands in
 * tests/data/trust/truth.tsv, by no more than this cause allows; the file says how many differ and
 * how far, and has to be right in that, too:
 *
 *   stamps     half a grid step: Python reads stamps as doubles; at 1.4e12 us their grid is 0.24
 * ns, at 1.7e15 us 250 ns unions     a grid step for every interval: off by up to half a step at
 * both its ends sums       1e-9 of the sum: Python adds doubles, we add integers
 *
 * One category Python leaves out (is_kernel); nothing else differs. */
#include "report/read/read.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct check {
	const char *file;
	struct trace trace;
	int64_t base_ns;
	const cJSON *truth;
	int wrong;
	struct tables *tally;
};

enum { NUMBERS = 24 };

/* What became of one number of all files. */
struct tables {
	char number[40];
	int compared, apart;
	double largest; /* of those apart */
};

/* The line of a number; the last one of the table is empty. */
static struct tables *tables_of(struct tables *table, const char *number)
{
	int i = 0;
	while (table[i].number[0] && strcmp(table[i].number, number) != 0)
		i++;
	assert_true(i < NUMBERS - 1);
	snprintf(table[i].number, sizeof table[i].number, "%s", number);
	return &table[i];
}

/* The truth has three decimals of a microsecond. */
static const double EQUAL = 0.00051;

/* The distance of neighbouring doubles. */
static double grid(double at)
{
	return nextafter(at, INFINITY) - at;
}

static void expect_within(struct check *c, const char *number, const char *of, double ours,
	double theirs, double slack)
{
	double apart = fabs(ours - theirs);
	struct tables *t = tables_of(c->tally, number);
	t->compared++;
	t->apart += apart > EQUAL;
	t->largest = apart > EQUAL && apart > t->largest ? apart : t->largest;
	if (apart <= slack)
		return;
	print_message(
		"%s: %s %s: we say %.15g, the truth is %.15g\n", c->file, number, of, ours, theirs);
	c->wrong++;
}

/* Counts, exactly. */
static void expect(struct check *c, const char *number, const char *of, int64_t ours, double theirs)
{
	expect_within(c, number, of, (double)ours, theirs, 0);
}

/* A sum of durations, printed with three decimals. */
static void expect_sum(
	struct check *c, const char *number, const char *of, double ours, double theirs)
{
	expect_within(c, number, of, ours, theirs, 0.0005 + theirs * 1e-9);
}

static void expect_stamp(
	struct check *c, const char *number, const char *of, double ours, double theirs)
{
	expect_within(c, number, of, ours, theirs, grid(theirs));
}

static const cJSON *get(const struct check *c, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(c->truth, key);
	assert_non_null(v);
	return v;
}

static const char *name_of(const struct check *c, size_t i)
{
	return names_text(&c->trace.names, c->trace.name[i]);
}

static const char *category_of(const struct check *c, size_t i)
{
	const char *text = names_text(&c->trace.names, c->trace.category[i]);
	return *text ? text : "None";
}

static bool is_slice(const struct check *c, size_t i)
{
	return c->trace.kind[i] != EVENT_INSTANT && c->trace.kind[i] != EVENT_COUNTER;
}

static double us(int64_t ns)
{
	return (double)ns / 1000.0;
}

/* A kernel as Python takes it: MTIA's queues are of a category that it does not know. */
static bool is_kernel(const struct check *c, size_t i)
{
	return c->trace.kind[i] == EVENT_KERNEL &&
		strcmp(category_of(c, i), "mtia_ccp_events") != 0;
}

/* The file's own clock. */
static double own_us(const struct check *c, int64_t start_ns)
{
	return us(c->trace.origin_ns - c->base_ns + start_ns);
}

static void check_phases(struct check *c)
{
	int64_t events = 0;
	for (int ph = 0; ph < 128; ph++) {
		char key[8] = {(char)ph};
		const cJSON *v =
			cJSON_GetObjectItemCaseSensitive(get(c, "by_ph"), ph ? key : "None");
		if (!v && !c->trace.phases[ph])
			continue;
		expect(c, "by_ph", key, c->trace.phases[ph], v ? v->valuedouble : 0);
		events += c->trace.phases[ph];
	}
	expect(c, "events", "", events, get(c, "events")->valuedouble);
}

static void check_categories(struct check *c)
{
	for (const cJSON *v = get(c, "X_by_cat")->child; v; v = v->next) {
		int64_t n = 0, ns = 0;
		for (size_t i = 0; i < c->trace.n; i++) {
			bool its = is_slice(c, i) && !strcmp(category_of(c, i), v->string);
			n += its;
			ns += its ? c->trace.dur_ns[i] : 0;
		}
		expect(c, "X_by_cat", v->string, n, v->valuedouble);
		const cJSON *sum =
			cJSON_GetObjectItemCaseSensitive(get(c, "total_dur_by_cat"), v->string);
		expect_sum(c, "total_dur_by_cat", v->string, us(ns), sum->valuedouble);
	}
}

static void check_span(struct check *c)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (size_t i = 0; i < c->trace.n; i++) {
		if (!is_slice(c, i) || c->trace.kind[i] == EVENT_SPAN)
			continue;
		int64_t start = c->trace.start_ns[i], end = start + c->trace.dur_ns[i];
		low = start < low ? start : low;
		high = end > high ? end : high;
	}
	const cJSON *span = get(c, "span");
	if (cJSON_IsNull(span->child))
		return;
	expect_stamp(c, "span", "low", own_us(c, low), span->child->valuedouble);
	expect_stamp(c, "span", "high", own_us(c, high), span->child->next->valuedouble);
	expect_within(c, "span length", "", us(high - low), span->child->next->next->valuedouble,
		0.0005 + 2 * grid(own_us(c, high)));
}

enum { WORK_KERNEL = 1, WORK_COPY = 2 };

static int32_t device_of(const struct check *c, size_t i)
{
	const struct trace *t = &c->trace;
	return t->kind[i] == EVENT_KERNEL ? t->kernels[t->side[i]].device
					  : t->copies[t->side[i]].device;
}

/* Rows are sorted by start, so the union is one walk. */
static double busy_us(const struct check *c, int work, int32_t device, size_t *n)
{
	int64_t busy = 0, until = INT64_MIN;
	*n = 0;
	for (size_t i = 0; i < c->trace.n; i++) {
		int is = c->trace.kind[i] == EVENT_KERNEL ? WORK_KERNEL : WORK_COPY;
		if (!event_on_device(c->trace.kind[i]) || !(is & work) || device_of(c, i) != device)
			continue;
		int64_t start = c->trace.start_ns[i], end = start + c->trace.dur_ns[i];
		start = start > until ? start : until;
		++*n;
		busy += end > start ? end - start : 0;
		until = end > until ? end : until;
	}
	return us(busy);
}

static void check_busy(struct check *c, const char *number, int work)
{
	for (const cJSON *v = get(c, number)->child; v; v = v->next) {
		size_t n;
		double ours = busy_us(c, work, (int32_t)strtol(v->string, NULL, 10), &n);
		double step = grid(own_us(c, c->trace.end_ns));
		expect_within(
			c, number, v->string, ours, v->valuedouble, 0.0005 + step * (double)n);
	}
}

static void check_device(struct check *c)
{
	int64_t n = 0, ns = 0, bytes = 0;
	const struct trace *t = &c->trace;
	for (size_t i = 0; i < t->n; i++) {
		n += is_kernel(c, i);
		ns += is_kernel(c, i) ? t->dur_ns[i] : 0;
		if (t->kind[i] == EVENT_MEMCPY || t->kind[i] == EVENT_MEMSET)
			bytes += t->copies[t->side[i]].bytes > 0 ? t->copies[t->side[i]].bytes : 0;
	}
	expect(c, "kernels", "", n, get(c, "kernels")->valuedouble);
	expect_sum(c, "kernel_time", "", us(ns), get(c, "kernel_time")->valuedouble);
	expect(c, "memcpy_memset_bytes", "", bytes, get(c, "memcpy_memset_bytes")->valuedouble);
	for (const cJSON *v = get(c, "kernels_by_device_stream")->child; v; v = v->next) {
		int64_t here = 0;
		for (size_t i = 0; i < t->n; i++) {
			char key[64];
			if (t->kind[i] != EVENT_KERNEL)
				continue;
			const struct kernel *k = &t->kernels[t->side[i]];
			snprintf(key, sizeof key, "%d:%d", k->device, k->stream);
			here += !strcmp(key, v->string);
		}
		expect(c, "kernels_by_device_stream", v->string, here, v->valuedouble);
	}
}

/* The row of the recorder itself; of several, Python keeps the last. */
static void check_recorder(struct check *c)
{
	const cJSON *span = get(c, "trace_span");
	size_t i = c->trace.n;
	if (cJSON_IsNull(span))
		return;
	while (i > 0 && c->trace.kind[i - 1] != EVENT_SPAN)
		i--;
	assert_true(i > 0);
	expect_stamp(c, "trace_span", "start", own_us(c, c->trace.start_ns[i - 1]),
		span->child->valuedouble);
	expect_sum(c, "trace_span", "length", us(c->trace.dur_ns[i - 1]),
		span->child->next->valuedouble);
}

static void check_distinct(struct check *c)
{
	uint8_t *seen = calloc(c->trace.names.n, 1);
	int64_t n = 0;
	assert_non_null(seen);
	for (size_t i = 0; i < c->trace.n; i++) {
		if (!is_kernel(c, i))
			continue;
		n += !seen[c->trace.name[i]];
		seen[c->trace.name[i]] = 1;
	}
	free(seen);
	expect(c, "distinct_kernel_names", "", n, get(c, "distinct_kernel_names")->valuedouble);
}

/* [[name, count, us], ...] */
static void check_largest(struct check *c, const char *number, unsigned kinds)
{
	for (const cJSON *v = get(c, number)->child; v; v = v->next) {
		int64_t n = 0, ns = 0;
		for (size_t i = 0; i < c->trace.n; i++) {
			bool its = kinds & 1u << c->trace.kind[i] &&
				!strcmp(name_of(c, i), v->child->valuestring);
			n += its;
			ns += its ? c->trace.dur_ns[i] : 0;
		}
		expect(c, number, v->child->valuestring, n, v->child->next->valuedouble);
		expect_sum(c, number, v->child->valuestring, us(ns),
			v->child->next->next->valuedouble);
	}
}

static void check_steps(struct check *c)
{
	const cJSON *v = get(c, "steps")->child;
	for (size_t i = 0; i < c->trace.n && v; i++) {
		if (c->trace.kind[i] != EVENT_ANNOTATION && c->trace.kind[i] != EVENT_OP)
			continue;
		if (strncmp(name_of(c, i), "ProfilerStep", 12))
			continue;
		assert_string_equal(name_of(c, i), v->child->valuestring);
		expect_stamp(c, "steps", "start", own_us(c, c->trace.start_ns[i]),
			v->child->next->valuedouble);
		expect_sum(c, "steps", "dur", us(c->trace.dur_ns[i]),
			v->child->next->next->valuedouble);
		v = v->next;
	}
	assert_null(v);
}

static int check_file(const char *folder, const cJSON *truth, struct tables *tally)
{
	struct check c = {.file = truth->string, .truth = truth, .tally = tally};
	struct err err = {0};
	char path[4096];
	snprintf(path, sizeof path, "%s/traces/%s", folder, truth->string);
	trace_init(&c.trace);
	if (trace_read(&c.trace, path, &(struct read_options){0}, &err))
		fail_msg("%s", err.text);
	const char *base = trace_meta(&c.trace, "baseTimeNanoseconds");
	c.base_ns = base ? strtoll(base, NULL, 10) : 0;
	check_phases(&c);
	check_categories(&c);
	check_span(&c);
	check_recorder(&c);
	check_distinct(&c);
	check_device(&c);
	check_busy(&c, "kernel_busy_union_by_device", WORK_KERNEL);
	check_busy(&c, "gpu_busy_union_by_device", WORK_KERNEL | WORK_COPY);
	check_largest(&c, "top_kernels", 1u << EVENT_KERNEL);
	check_largest(&c, "top_cpu_ops_inclusive", 1u << EVENT_OP);
	check_largest(&c, "top_runtime", 1u << EVENT_RUNTIME | 1u << EVENT_DRIVER);
	check_steps(&c);
	trace_release(&c.trace);
	return c.wrong;
}

static const char *shared(void)
{
	const char *folder = getenv("TRACEBOOK_SHARED");
	return folder ? folder : "../shared";
}

/* The table as it is, against the table as it is told. */
static void check_told(const struct tables *tally)
{
	char line[2048], said[2048];
	FILE *f = fopen("tests/data/trust/truth.tsv", "r");
	int n = 0, wrong = 0;
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		const struct tables *t = &tally[n];
		if (line[0] == '#')
			continue;
		n++;
		snprintf(said, sizeof said, "%s\t%d\t%d\t%.3f\t", t->number, t->compared, t->apart,
			t->largest);
		if (!t->number[0] || strncmp(line, said, strlen(said)) != 0 ||
			(t->apart && strlen(line) < strlen(said) + 10)) {
			print_message("told: %sseen: %s\n", line, said);
			wrong++;
		}
	}
	fclose(f);
	for (; tally[n].number[0]; n++, wrong++)
		print_message("not told: %s\t%d\t%d\t%.3f\n", tally[n].number, tally[n].compared,
			tally[n].apart, tally[n].largest);
	assert_int_equal(wrong, 0);
}

static void truth_of_every_trace(void **state)
{
	(void)state;
	char path[4096];
	snprintf(path, sizeof path, "%s/traces/TRUTH.json", shared());
	FILE *f = fopen(path, "rb");
	if (!f) {
		print_message("no %s: real traces are not here\n", path);
		skip();
	}
	char *text = malloc(16 << 20);
	assert_non_null(text);
	size_t n = fread(text, 1, 16 << 20, f);
	fclose(f);
	cJSON *truths = cJSON_ParseWithLength(text, n);
	free(text);
	assert_non_null(truths);
	int wrong = 0, files = 0;
	struct tables tally[NUMBERS] = {0};
	for (const cJSON *v = truths->child; v; v = v->next, files++)
		wrong += check_file(shared(), v, tally);
	cJSON_Delete(truths);
	print_message("%d files\n", files);
	assert_true(files > 0);
	assert_int_equal(wrong, 0);
	check_told(tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(truth_of_every_trace)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
