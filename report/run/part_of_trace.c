/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/part_of_trace.h"

#include "base/nearest.h"
#include "base/time_of_text.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/read/narrow.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was typed ---- */

/* Digits alone, and what stands behind them; -1: no such number. */
static int64_t number_at(const char *text, const char **end)
{
	enum { MOST_DIGITS = 15 };
	size_t n = strspn(text, "0123456789");
	*end = text + n;
	return n && n <= MOST_DIGITS ? strtoll(text, NULL, 10) : -1;
}

static int parse_steps(struct part_of_trace *p, struct err *err)
{
	const char *end;
	p->first_step = p->last_step = number_at(p->step, &end);
	if (p->first_step >= 0 && *end == '-')
		p->last_step = number_at(end + 1, &end);
	if (p->first_step < 0 || *end || p->last_step < p->first_step)
		return fail(err, "--step takes a step's number (as 3) or two (as 3-5), not \"%s\"",
			p->step);
	return 0;
}

static int parse_time(const char *option, const char *text, int64_t *ns, struct err *err)
{
	if (!text || time_of_text(text, ns))
		return 0;
	return fail(err, "--%s takes a time with its unit, as 300us, 12.5ms or 2s, not \"%s\"",
		option, text);
}

int part_of_trace_parse(struct part_of_trace *p, struct err *err)
{
	const char *end = "";
	p->from_ns = 0;
	p->to_ns = INT64_MAX;
	p->first_step = p->last_step = p->rank_number = -1;
	p->some = p->from || p->to || p->step || p->range || p->rank;
	if ((p->from || p->to) + (p->step != NULL) + (p->range != NULL) > 1)
		return fail(err,
			"a part is a time (--from, --to), some steps (--step) or a range "
			"(--range): one of them");
	if (parse_time("from", p->from, &p->from_ns, err) ||
		parse_time("to", p->to, &p->to_ns, err) || (p->step && parse_steps(p, err)))
		return -1;
	if (p->to_ns <= p->from_ns)
		return fail(
			err, "--to %s is not behind --from %s", p->to, p->from ? p->from : "0s");
	if (p->rank && ((p->rank_number = number_at(p->rank, &end)) < 0 || *end))
		return fail(err, "--rank takes a rank's number, not \"%s\"", p->rank);
	return p->cut && !p->some
		? fail(err,
			  "--cut writes a part of a trace, and none is named: --from, --to, "
			  "--step, --range or --rank")
		: 0;
}

/* ---- where it is ---- */

/* The steps of a trace on the host: the profiler's own, or as the report tells them otherwise. */
struct host_step {
	int64_t number, start_ns, end_ns;
};

static struct host_step *host_steps(const struct trace *t, struct arena *scratch, uint32_t *n)
{
	struct analysis a = analysis_of_steps(scratch, t);
	struct host_step *s = arena_array(scratch, a.n_steps, sizeof *s);
	for (uint32_t i = 0; i < a.n_steps; i++)
		s[i] = (struct host_step){a.steps[i].number, a.steps[i].start_ns,
			a.steps[i].start_ns + a.steps[i].dur_ns};
	*n = a.n_steps;
	if (a.n_steps)
		return s;
	a = analysis_of(scratch, t);
	const struct idle_causes idle = idle_causes_of(scratch, &a);
	const struct breakdown p = breakdown_of(scratch, &a, &idle);
	s = arena_array(scratch, p.n_steps, sizeof *s);
	for (uint32_t i = 0; i < p.n_steps; i++)
		s[i] = (struct host_step){
			p.steps[i].number, p.steps[i].host_start_ns, p.steps[i].host_end_ns};
	*n = p.n_steps;
	return s;
}

static int find_steps(const struct trace *t, const struct part_of_trace *p, struct trace_part *part,
	struct err *err)
{
	struct arena scratch = {0};
	uint32_t n;
	const struct host_step *s = host_steps(t, &scratch, &n), *first = NULL, *last = NULL;
	for (uint32_t i = 0; i < n; i++) {
		first = !first && s[i].number == p->first_step ? &s[i] : first;
		last = s[i].number == p->last_step ? &s[i] : last;
	}
	part->first_step = p->first_step;
	part->last_step = p->last_step;
	int result = 0;
	if (!n)
		result = fail(err,
			"%s marks no steps, and none were found: --range NAME, --from and --to take "
			"parts of it, too",
			t->path);
	else if (!first || !last)
		result = fail(err,
			n > 1 ? "%s has no step %" PRId64 ": its steps are %" PRId64 " to %" PRId64
			      : "%s has no step %" PRId64 ": its only step is %" PRId64,
			t->path, first ? p->last_step : p->first_step, s[0].number,
			s[n - 1].number);
	else {
		part->from_ns = first->start_ns;
		part->to_ns = last->end_ns;
	}
	arena_release(&scratch);
	return result;
}

/* A marked range, or where none has the name any span of a thread. */
static bool is_range(const struct trace *t, uint32_t row, bool marked)
{
	return marked ? t->kind[row] == EVENT_ANNOTATION : event_on_host(t->kind[row]);
}

/* How many are called so; `row`: the nth of them, NO_ROW if there are not so many. */
static int64_t ranges_named(
	const struct trace *t, const char *name, bool marked, int64_t nth, uint32_t *row)
{
	int64_t n = 0;
	*row = NO_ROW;
	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_range(t, i, marked) || strcmp(trace_row_name(t, i), name) != 0)
			continue;
		*row = n++ == nth ? i : *row;
	}
	return n;
}

/* The text as a whole, marked or not, or without its "/K". */
static int64_t look_for_range(const struct trace *t, const char *name, int64_t nth, uint32_t *row)
{
	int64_t n = ranges_named(t, name, true, nth, row);
	return n ? n : ranges_named(t, name, false, nth, row);
}

static int no_range(const struct trace *t, const char *name, struct err *err)
{
	struct nearest meant = {.typed = name};
	char *asked = xcalloc(t->names.n, 1);
	bool any = false;
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->kind[i] != EVENT_ANNOTATION || asked[t->name[i]])
			continue;
		asked[t->name[i]] = any = true;
		nearest_try(&meant, trace_row_name(t, i));
	}
	free(asked);
	return fail(err, "%s has no range \"%s\"%s%s%s", t->path, name,
		meant.name    ? ": is it \""
			: any ? ": --csv DIR lists those it has (ranges.csv)"
			      : ": nobody marked any",
		meant.name ? meant.name : "", meant.name ? "\"?" : "");
}

static int find_range(struct trace *t, const char *range, struct trace_part *part, struct err *err)
{
	const char *slash = strrchr(range, '/'), *end = "";
	char *name = xstrdup(range);
	uint32_t row;
	part->nth = 0;
	part->ranges = look_for_range(t, name, 0, &row);
	if (!part->ranges && slash && slash > range &&
		(part->nth = number_at(slash + 1, &end)) >= 0 && !*end) {
		name[slash - range] = '\0';
		part->ranges = look_for_range(t, name, part->nth, &row);
	}
	int result = 0;
	if (!part->ranges)
		result = no_range(t, name, err);
	else if (row == NO_ROW)
		result = fail(err, "%s has %" PRId64 " ranges \"%s\": the last is %s/%" PRId64,
			t->path, part->ranges, name, name, part->ranges - 1);
	else {
		part->range = arena_strdup(&t->arena, trace_row_name(t, row)); /* names move */
		part->from_ns = t->start_ns[row];
		part->to_ns = row_end(t, row);
	}
	free(name);
	return result;
}

int64_t rank_of_file(const struct trace *t)
{
	const char *slash = strrchr(t->path, '/');
	return t->rank >= 0 ? t->rank : rank_of_text(slash ? slash + 1 : t->path);
}

int part_of_trace_take(struct trace *t, const struct part_of_trace *p, struct err *err)
{
	struct trace_part part = NO_PART;
	bool of_several = p->rank_number >= 0 && rank_of_file(t) < 0;
	if (of_several && trace_narrow_to_rank(t, p->rank_number, err))
		return -1;
	int64_t before_ns = t->clock_ns - t->file.clock_ns;
	if (p->step && find_steps(t, p, &part, err))
		return -1;
	if (p->range && find_range(t, p->range, &part, err))
		return -1;
	if (p->step || p->range) {
		part.from_ns += before_ns;
		part.to_ns += before_ns;
	} else {
		part.from_ns = p->from_ns;
		part.to_ns = p->to_ns;
	}
	if (p->from || p->to || p->step || p->range)
		return trace_narrow(t, &part, err);
	/* A file that is of this rank alone is all of what was asked for. */
	if (!p->cut || of_several)
		return 0;
	int result = trace_narrow(t, &part, err);
	t->part.rank = p->rank_number;
	return result;
}
