/* SPDX-License-Identifier: Apache-2.0 */
/* How far the numbers of a trace carry: its health, rival definitions, distributions. */
#include "report/analyse/clock_readings.h"
#include "report/tables/parts.h"
#include "report/trace/repair.h"

#include <math.h>

static void put_stats(struct result_table *t, const char *what, const struct stats *s)
{
	bool many = s->n >= PERCENTILES_FROM;
	const double value[] = {s->median, s->mean, many ? s->p5 : (double)s->min,
		many ? s->p95 : (double)s->max, (double)s->max};
	put_text(t, what);
	put_number(t, (double)s->n);
	for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
		bool spread = i == 2 || i == 3;
		put_number(t, s->n > (size_t)spread ? value[i] : (double)NAN);
	}
}

void tables_launches(struct result_table *t, const struct tables_source *s)
{
	if (!s->launches->n_calls)
		return;
	put_stats(t, "call", &s->launches->call);
	put_stats(t, "queue", &s->launches->queue);
	put_stats(t, "kernel", &s->launches->kernel);
}

void tables_device(struct result_table *t, const struct tables_source *s)
{
	const struct {
		const char *name;
		int64_t ns;
	} part[] = {{"compute", s->streams->compute_ns},
		{"communication", s->streams->exposed_communication_ns},
		{"copy", s->streams->exposed_copy_ns}, {"idle", s->streams->idle_ns}};
	for (size_t i = 0; s->a->n_device && i < sizeof part / sizeof *part; i++) {
		double window = (double)s->streams->window_ns;
		put_text(t, part[i].name);
		put_number(t, (double)part[i].ns);
		put_number(t, window > 0 ? (double)part[i].ns / window : 0);
	}
}

void tables_busy(struct result_table *t, const struct tables_source *s)
{
	static const char *const rules[BUSY_RULES] = {[BUSY_DEVICE] = "device",
		[BUSY_KERNELS] = "kernels",
		[BUSY_STEPS] = "steps",
		[BUSY_FILE] = "file"};
	for (int i = 0; i < BUSY_RULES; i++) {
		const struct busy *b = &s->a->busy[i];
		if (b->window_ns <= 0)
			continue;
		put_text(t, rules[i]);
		put_number(t, (double)b->busy_ns);
		put_number(t, (double)b->window_ns);
		put_number(t, (double)b->busy_ns / (double)b->window_ns);
	}
}

void tables_totals(struct result_table *t, const struct tables_source *s)
{
	static const char *const lines[DEVICE_LINES] = {[LINE_KERNEL_SUM] = "kernel_sum",
		[LINE_KERNEL_UNION] = "kernel_union",
		[LINE_DEVICE_SUM] = "device_sum",
		[LINE_DEVICE_UNION] = "device_union",
		[LINE_WINDOW_KERNELS] = "window_kernels",
		[LINE_WINDOW_DEVICE] = "window_device"};
	for (int i = 0; i < DEVICE_LINES; i++) {
		const struct device_share *x = &s->totals->line[i];
		if (!x->of_ns)
			continue;
		put_text(t, lines[i]);
		put_number(t, (double)x->ns);
		put_number(t, (double)x->of_ns);
		put_number(t, x->share);
	}
}

void tables_health(struct result_table *t, const struct tables_source *s)
{
	struct health_row row[HEALTH_ROWS];
	int n = health_rows(s->health, s->a->trace, row);
	for (int i = 0; i < n; i++) {
		put_text(t, row[i].key);
		put_number(t, (double)row[i].n);
		put_number(t, row[i].time_ns ? (double)row[i].time_ns : (double)NAN);
	}
}

void tables_repairs(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	for (size_t i = 0; i < trace->n_repairs; i++) {
		const struct repair *r = &trace->repairs[i];
		put_text(t, repair_key((enum repair_kind)r->kind));
		put_number(t, (double)r->count);
		put_number(t, r->place[0].offset >= 0 ? (double)r->place[0].offset : (double)NAN);
		put_text(t, r->place[0].context);
	}
}

void tables_clocks(struct result_table *t, const struct tables_source *s)
{
	const struct clock_readings r = clock_readings_of(s->a);
	for (int i = 0; i < CLOCK_SERIES; i++) {
		if (!r.n[i])
			continue;
		put_text(t, clock_series_name((enum clock_series)i));
		put_number(t, r.n[i]);
		put_number(t, r.low[i]);
		put_number(t, r.high[i]);
	}
}

/* One counter of a process. */
struct series {
	uint32_t track;
	name_id name;
	int64_t n;
	double low, high, sum;
};

static int add_sample(struct series *list, int n, int most, const struct series *one)
{
	int k = 0;
	while (k < n && (list[k].track != one->track || list[k].name != one->name))
		k++;
	if (k == most)
		return n;
	struct series *s = &list[k];
	if (k == n)
		*s = (struct series){one->track, one->name, 0, one->low, one->high, 0};
	s->low = fmin(s->low, one->low);
	s->high = fmax(s->high, one->high);
	s->sum += one->sum;
	s->n++;
	return k == n ? n + 1 : n;
}

void tables_counters(struct result_table *t, const struct tables_source *s)
{
	enum { MOST = 256 };
	struct series list[MOST];
	const struct trace *trace = s->a->trace;
	int n = 0;
	for (size_t i = trace_next_of(trace, EVENT_COUNTER, 0); trace->n_counters && i < trace->n;
		i = trace_next_of(trace, EVENT_COUNTER, i + 1)) {
		if (trace->side[i] == NO_ROW)
			continue;
		double value = trace->counters[trace->side[i]].value;
		n = add_sample(list, n, MOST,
			&(struct series){trace->track[i], trace->name[i], 1, value, value, value});
	}
	for (int i = 0; i < n; i++) {
		put_text(t, trace_name(trace, trace->tracks[list[i].track].process));
		put_text(t, trace_name(trace, list[i].name));
		put_number(t, (double)list[i].n);
		put_number(t, list[i].low);
		put_number(t, list[i].sum / (double)list[i].n);
		put_number(t, list[i].high);
	}
}
