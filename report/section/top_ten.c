/* SPDX-License-Identifier: Apache-2.0 */
/* What most of the time of a trace goes to, by self time: five names of the device beside five of
 * the host, or ten of the one side that there is. */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/figure/timeline.h"
#include "report/name/shorten.h"

#include <string.h>

enum { HALF = 5, TOP = 2 * HALF, LETTERS = 21, SEEN = 19 }; /* of a name are seen, at least SEEN */

struct top_row {
	const char *name, *swatch;
	double ns, share; /* of its side; share 0: there is no row */
};

/* Kernels by their short names, unless two of them would read the same where they are cut. */
static const char *kernel_name(struct document *d, const struct report_case *c,
	const struct activity *act, uint32_t n, uint32_t i)
{
	const char *name[TOP], *brief = NULL;
	bool same = false;
	for (uint32_t k = 0; k < n; k++)
		name[k] = tidy_name(d->arena, trace_name(&c->trace, act[k].name));
	brief = shorten_name(d->arena, name[i]);
	for (uint32_t k = 0; k < n; k++)
		same |= k != i && !strncmp(brief, shorten_name(d->arena, name[k]), SEEN);
	return literal(d, same ? tell_apart(d->arena, name, n, i, LETTERS) : brief);
}

static int device_rows(struct document *d, const struct report_case *c, struct top_row *row)
{
	uint32_t n = 0;
	const struct activity *act = activities_by_name(d->arena, c->analysis, &n);
	n = n < TOP ? n : TOP;
	for (uint32_t i = 0; i < n; i++)
		row[i] = (struct top_row){kernel_name(d, c, act, n, i),
			bar_name(bar_of(act[i].class)), act[i].dur.mean * (double)act[i].calls,
			act[i].share};
	return (int)n;
}

/* The row with the most self time among those that come behind `last`; NULL: none has any. */
static const struct profiler_row *next_largest(
	const struct profiler_table *all, const struct profiler_row *last)
{
	const struct profiler_row *best = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct profiler_row *r = &all->row[i];
		bool behind = !last || r->self_cpu_ns < last->self_cpu_ns ||
			(r->self_cpu_ns == last->self_cpu_ns && r > last);
		if (r->side == PROFILER_CPU && r->self_cpu_ns > 0 && behind &&
			(!best || r->self_cpu_ns > best->self_cpu_ns))
			best = r;
	}
	return best;
}

static int host_rows(struct document *d, const struct report_case *c, struct top_row *row)
{
	const struct profiler_table *all = &c->analysis->profiler_table;
	const struct profiler_row *r = NULL;
	int n = 0;
	while (n < TOP && (r = next_largest(all, r)))
		row[n++] = (struct top_row){event_name(d, trace_readable(&c->trace, r->name)),
			bar_name(all->spans ? BAR_HOST_OTHER : BAR_OP), (double)r->self_cpu_ns,
			(double)r->self_cpu_ns / (double)all->self_cpu_ns};
	return n;
}

static void put_half(struct rows *t, const struct top_row *row, double most)
{
	put(t, row->share > 0 ? row->name : "")->swatch = row->share > 0 ? row->swatch : NULL;
	put(t, row->share > 0 ? format_time(t->d->arena, row->ns) : "");
	if (row->share > 0)
		put_bar(t, row->share, row->swatch)->share = row->share / most;
	else
		put(t, "");
}

static void add_halves(struct document *d, const struct top_row *left, const struct top_row *right,
	const char *left_title, const char *right_title)
{
	const struct table_form form = {
		.column = {{left_title, COLUMN_CODE, 1, 1}, {"top.self", COLUMN_NUMBER},
			{"top.share", COLUMN_BAR}, {right_title, COLUMN_CODE, 1, 1},
			{"top.self", COLUMN_NUMBER}, {"top.share", COLUMN_BAR}}};
	double most = left->share, most_right = right_title[0] ? right->share : most;
	document_say(d, BLOCK_CAPTION, "top.title", NULL)->level = 1;
	struct rows t = rows_begin(d, &form, 0);
	for (int i = 0; i < HALF && (left[i].share > 0 || right[i].share > 0); i++) {
		put_half(&t, &left[i], most);
		put_half(&t, &right[i], most_right);
	}
}

struct top_name top_name_of(struct document *d, const struct report_case *c)
{
	struct top_row row[TOP] = {0};
	uint32_t n = 0;
	const struct activity *act = activities_by_name(d->arena, c->analysis, &n);
	bool device = device_rows(d, c, row) > 0;
	if (!device)
		host_rows(d, c, row);
	else
		row[0].name = literal(d, shorten_name(d->arena, trace_name(&c->trace, act->name)));
	return (struct top_name){row[0].name, row[0].ns, row[0].share, device};
}

void add_top_ten(struct document *d, const struct report_case *c)
{
	struct top_row device[TOP] = {0}, host[TOP] = {0};
	int n_device = device_rows(d, c, device), n_host = host_rows(d, c, host);
	const char *host_title = c->analysis->profiler_table.spans ? "top.spans" : "top.host";
	if (n_device && n_host)
		add_halves(d, device, host, "top.device", host_title);
	else if (n_device)
		add_halves(d, device, device + HALF, "top.device", "");
	else if (n_host)
		add_halves(d, host, host + HALF, host_title, "");
}
