/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/nsys_parts.h"

#include <stdio.h>

#define HAS(c) (1ull << NSYS_##c)

/* The lowest bits of a type say which GPU it is (NVIDIA's "SQLite Schema Reference", GPU_METRICS).
 */
enum { GPU_BITS = 0xff, LONGEST_NAME = 96 };

static struct nsys_metric *metric_of(struct nsys *x, int64_t type, int64_t id)
{
	for (size_t i = 0; i < x->n_metrics; i++) {
		size_t k = (x->last_metric + i) % x->n_metrics;
		if (x->metric[k].id == id && x->metric[k].type == type) {
			x->last_metric = k;
			return &x->metric[k];
		}
	}
	return NULL;
}

/* "SMs Active [Throughput %]" and "Clock [MHz]" with their units as other counters have them:
 * "SMs Active (%)", "Clock (MHz)". */
static void write_name(char name[LONGEST_NAME], const char *at, size_t n)
{
	static const char share[] = "Throughput ";
	const char *open = n && at[n - 1] == ']' ? memchr(at, '[', n) : NULL;
	if (!open || open == at || open[-1] != ' ') {
		snprintf(name, LONGEST_NAME, "%.*s", (int)n, at);
		return;
	}
	const char *unit = open + 1, *end = at + n - 1;
	if ((size_t)(end - unit) >= sizeof share && !memcmp(unit, share, sizeof share - 1))
		unit += sizeof share - 1;
	snprintf(name, LONGEST_NAME, "%.*s (%.*s)", (int)(open - 1 - at), at, (int)(end - unit),
		unit);
}

static void take_name(struct nsys *x, const struct nsys_row *row)
{
	char name[LONGEST_NAME];
	const char *at = row->text[NSYS_METRIC_NAME].at;
	if (!at || !nsys_has(row, NSYS_METRIC_NAME) || x->n_metrics == NSYS_METRICS)
		return;
	write_name(name, at, row->text[NSYS_METRIC_NAME].n);
	x->metric[x->n_metrics++] = (struct nsys_metric){nsys_or(row, NSYS_TYPE, 0),
		nsys_or(row, NSYS_METRIC, 0), nsys_text(x, name, strlen(name), TEXT_PLAIN)};
}

/* As PyTorch writes the samples of a GPU: in a process of their own. */
static void take_sample(struct nsys *x, const struct nsys_row *row)
{
	char process[32], args[64];
	int64_t type = nsys_or(row, NSYS_TYPE, 0);
	const struct nsys_metric *m = metric_of(x, type, nsys_or(row, NSYS_METRIC, 0));
	if (!m)
		return;
	snprintf(process, sizeof process, "GPU %d Counters", (int)(type & GPU_BITS));
	int n = snprintf(args, sizeof args, "{\"args\": {\"\": %lld}}",
		(long long)nsys_or(row, NSYS_VALUE, 0));
	nsys_begin(x, 'C');
	nsys_give(x, RAW_NAME, m->name);
	nsys_give(x, RAW_PID_TEXT, nsys_text(x, process, strlen(process), TEXT_PLAIN));
	nsys_number(x, RAW_TS, nsys_or(row, NSYS_TIMESTAMP, 0));
	nsys_add_text(x, args, (size_t)n);
}

void nsys_metrics(struct nsys *x)
{
	nsys_table(x, "TARGET_INFO_GPU_METRICS", HAS(TYPE) | HAS(METRIC) | HAS(METRIC_NAME),
		take_name);
	if (x->n_metrics)
		nsys_table(x, "GPU_METRICS", HAS(TIMESTAMP) | HAS(TYPE) | HAS(METRIC) | HAS(VALUE),
			take_sample);
}
