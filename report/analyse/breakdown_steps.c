/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/breakdown_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- by the profiler ---- */

static struct step_range *by_profiler(const struct analysis *a, uint32_t *n)
{
	struct step_range *r = xcalloc(a->n_steps, sizeof *r);
	*n = a->n_steps;
	for (uint32_t i = 0; i < a->n_steps; i++) {
		const struct step *s = &a->steps[i];
		r[i] = (struct step_range){s->number, s->start_ns, s->start_ns + s->dur_ns, s->row};
	}
	return r;
}

/* ---- by ranges ---- */

/* Ranges of one name, numbers in it aside. */
struct recurring {
	uint32_t *row; /* (n) by start, none inside another */
	uint32_t n;
	int64_t sum_ns, end_ns;
	bool idle; /* one of them launches nothing */
};

struct ranges {
	struct names names; /* with every number as "#" */
	struct recurring *of; /* (names.n) */
};

name_id name_without_numbers(struct names *names, const char *text)
{
	char key[256];
	size_t n = 0;
	while (*text && n < sizeof key - 1) {
		bool digit = isdigit((unsigned char)*text);
		if (!digit || !n || key[n - 1] != '#') /* "ProfilerStep#3" has its own */
			key[n++] = digit ? '#' : *text;
		for (text++; digit && isdigit((unsigned char)*text); text++)
			;
	}
	return names_add(names, key, n);
}

static void add_range(struct recurring *r, const struct trace *t, uint32_t row)
{
	if (r->n && (t->start_ns[row] < r->end_ns || t->track[row] != t->track[r->row[0]]))
		return;
	if (!(r->n & (r->n - 1)))
		r->row = xrealloc(r->row, r->n ? 2 * (size_t)r->n : 1, sizeof *r->row);
	r->row[r->n++] = row;
	r->sum_ns += t->dur_ns[row];
	r->end_ns = row_end(t, row);
}

/* The named ranges, each of the thread that has it first. */
static struct ranges ranges_of(const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct ranges r = {0};
	uint32_t room = 0;
	names_init(&r.names);
	for (const uint8_t *c = a->class, *end = c + t->n;
		t->n && (c = memchr(c, CLASS_ANNOTATION, (size_t)(end - c))); c++) {
		size_t i = (size_t)(c - a->class);
		if (!t->dur_ns[i])
			continue;
		name_id key = name_without_numbers(&r.names, names_text(&t->names, t->name[i]));
		if (key >= room) {
			r.of = xrealloc(r.of, 2 * (size_t)r.names.n, sizeof *r.of);
			memset(r.of + room, 0, (2 * r.names.n - room) * sizeof *r.of);
			room = 2 * r.names.n;
		}
		add_range(&r.of[key], t, (uint32_t)i);
	}
	return r;
}

static void ranges_release(struct ranges *r)
{
	for (name_id i = 0; r->of && i < r->names.n; i++)
		free(r->of[i].row);
	free(r->of);
	names_release(&r->names);
}

static bool is_optimizer(const char *key)
{
	return !strncmp(key, "Optimizer.step", 14);
}

/* Each of them launches something. */
static bool all_launch(const struct analysis *a, const struct recurring *r)
{
	const struct trace *t = a->trace;
	for (uint32_t i = 0; i < r->n; i++) {
		size_t row = r->row[i];
		int64_t end = row_end(t, r->row[i]);
		while (row < t->n && t->start_ns[row] < end && a->class[row] != CLASS_LAUNCH)
			row++;
		if (row == t->n || t->start_ns[row] >= end)
			return false;
	}
	return true;
}

static bool may_be_steps(const struct analysis *a, const struct recurring *r)
{
	int64_t window = a->window.end_ns - a->window.start_ns;
	bool launches = a->n_device || a->n_launches;
	return r->n >= STEPS_LEAST && 2 * r->sum_ns >= window && (!launches || all_launch(a, r));
}

/* Without a device an optimizer says as little as any range when it runs only at one end. From its
 * first end on there is one step less than ends, and the step before began we know not when. */
static bool may_step(const struct analysis *a, const struct recurring *r)
{
	int64_t window = a->window.end_ns - a->window.start_ns;
	if (a->n_device)
		return r->n >= 2;
	if (r->n < STEPS_LEAST)
		return false;
	int64_t each = (r->end_ns - row_end(a->trace, r->row[0])) / (r->n - 1);
	return 2 * each * r->n >= window;
}

/* The optimizer that steps most often, else the range that covers most. */
static name_id best_range(const struct ranges *r, const struct analysis *a, bool optimizer)
{
	name_id best = 0;
	for (name_id i = 1; r->of && i < r->names.n; i++) {
		const struct recurring *x = &r->of[i];
		if (optimizer != is_optimizer(names_text(&r->names, i)) || !x->n)
			continue;
		if (!(optimizer ? may_step(a, x) : may_be_steps(a, x)))
			continue;
		if (!best || (optimizer ? x->n > r->of[best].n : x->sum_ns > r->of[best].sum_ns))
			best = i;
	}
	return best;
}

/* From one begin to the next; of an optimizer from one end to the next. */
static struct step_range *range_steps(
	const struct trace *t, const struct recurring *r, bool optimizer, uint32_t *n)
{
	struct step_range *s = xcalloc(r->n, sizeof *s);
	*n = r->n - optimizer;
	for (uint32_t i = 0; i < *n; i++) {
		uint32_t row = r->row[i + optimizer];
		int64_t start = optimizer ? row_end(t, r->row[i]) : t->start_ns[row];
		bool last = i + 1 == *n;
		int64_t end = optimizer || last ? row_end(t, row) : t->start_ns[r->row[i + 1]];
		s[i] = (struct step_range){i, start, end, row};
	}
	return s;
}

static struct step_range *by_ranges(
	struct breakdown *p, const struct analysis *a, struct arena *arena, uint32_t *n)
{
	struct ranges r = ranges_of(a);
	struct step_range *s = NULL;
	for (int optimizer = 1; optimizer >= 0 && !s; optimizer--) {
		name_id best = best_range(&r, a, optimizer);
		if (!best)
			continue;
		s = range_steps(a->trace, &r.of[best], optimizer, n);
		p->steps_by = optimizer ? STEPS_BY_OPTIMIZER : STEPS_BY_RANGE;
		p->range = arena_strdup(arena, names_text(&r.names, best));
	}
	ranges_release(&r);
	return s;
}

/* ---- the windows ---- */

static uint32_t range_at(const struct step_range *r, uint32_t n, int64_t time_ns, uint32_t near)
{
	if (near < n && r[near].start_ns <= time_ns && time_ns < r[near].end_ns)
		return near;
	uint32_t low = first_where(i, 0, n, r[i].start_ns > time_ns);
	return low && time_ns < r[low - 1].end_ns ? low - 1 : NO_ROW;
}

/* Were steps behind it not recorded? By the profiler's numbers, which then do not follow. */
static bool is_apart(const struct analysis *a, const struct step_range *r)
{
	return a->n_steps && r[1].number > r[0].number + 1;
}

/* The end of each range is moved to the end of what it launched. How many there are up to the last
 * that launched something. */
static uint32_t reach_device(struct step_range *r, uint32_t n, const struct analysis *a)
{
	const struct trace *t = a->trace;
	int64_t *end = xcalloc(n, sizeof *end);
	uint32_t near = 0, last = 0;
	for (uint32_t i = 0; i < n; i++)
		end[i] = i + 1 < n && !is_apart(a, &r[i]) ? max64(r[i].end_ns, r[i + 1].start_ns)
							  : r[i].end_ns;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = a->device_calls[i];
		uint32_t at = call == NO_ROW ? NO_ROW : range_at(r, n, t->start_ns[call], near);
		if (at == NO_ROW)
			continue;
		near = at;
		last = max32(at, last);
		end[at] = row_end(t, row) > end[at] ? row_end(t, row) : end[at];
	}
	for (uint32_t i = 0; i < n; i++)
		r[i].end_ns = end[i];
	free(end);
	return last + 1;
}

/* Of a part of a trace: what nobody in it launched was launched before. */
static int64_t end_of_earlier(const struct analysis *a, int64_t from_ns)
{
	for (size_t i = 0; i < a->n_device; i++)
		if (a->device_calls[i] == NO_ROW)
			from_ns = max64(from_ns, row_end(a->trace, a->device_rows[i]));
	return from_ns;
}

/* Where the host of the first step waits for what the device still does of the step in front, and
 * has launched nothing of its own, the step begins when that has ended, as all others do. */
static int64_t begin_of_first(const struct analysis *a, int64_t start_ns)
{
	const struct trace *t = a->trace;
	int64_t launched = INT64_MAX, waited = start_ns, from = start_ns;
	if (t->part.earlier)
		return end_of_earlier(a, start_ns);
	for (size_t i = 0; i < a->n_calls && launched == INT64_MAX; i++) {
		uint32_t row = a->calls[i];
		if (t->start_ns[row] < start_ns)
			continue;
		if (t->launch[row] != NO_ROW || a->class[row] == CLASS_LAUNCH)
			launched = t->start_ns[row];
		else if (a->class[row] == CLASS_SYNC)
			waited = max64(waited, row_end(t, row));
	}
	for (size_t i = 0; i < a->n_device && t->start_ns[a->device_rows[i]] < launched; i++)
		from = max64(from, row_end(t, a->device_rows[i]));
	return launched < INT64_MAX && from <= waited ? from : start_ns;
}

/* `host_end`: of each, before the device was asked. */
static void set_windows(struct breakdown *p, const struct analysis *a, const struct step_range *r,
	const int64_t *host_end, struct arena *arena)
{
	const struct window *w = &a->window;
	int64_t from = begin_of_first(a, max64(r[0].start_ns, w->start_ns));
	p->steps = arena_array(arena, p->n_steps, sizeof *p->steps);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		if (i && is_apart(a, &r[i - 1]))
			from = max64(from, r[i].start_ns);
		int64_t to = min64(r[i].end_ns, w->end_ns);
		to = max64(to, from);
		p->steps[i].number = r[i].number;
		p->steps[i].row = r[i].row;
		p->steps[i].host_start_ns = r[i].start_ns;
		p->steps[i].host_end_ns = host_end[i];
		p->steps[i].split.start_ns = from;
		p->steps[i].split.end_ns = from = to;
	}
}

/* In which steps the device works (xalloc). */
static bool *working_steps(const struct breakdown *p, const struct analysis *a)
{
	bool *works = xcalloc(p->n_steps + 1, sizeof *works);
	int64_t until = INT64_MIN;
	size_t next = 0;
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct time_parts *s = &p->steps[i].split;
		for (; next < a->n_device && a->trace->start_ns[a->device_rows[next]] < s->end_ns;
			next++)
			until = max64(until, row_end(a->trace, a->device_rows[next]));
		works[i] = until > s->start_ns;
	}
	return works;
}

/* Of the steady steps in which the device works: one without says nothing of what limits it. Where
 * it works in none of them, and does elsewhere, none of them is the window: NO_ROW. */
static uint32_t median_of(const struct breakdown *p, const struct analysis *a)
{
	uint32_t first = steps_steady_from(p->n_steps), n = 0, median = NO_ROW;
	int64_t *length = xcalloc(p->n_steps, sizeof *length);
	uint32_t *step = xcalloc(p->n_steps, sizeof *step);
	bool *works = working_steps(p, a);
	for (uint32_t i = first; i < p->n_steps; i++)
		if (works[i] || !a->n_device) {
			length[n] = split_length(&p->steps[i].split);
			step[n++] = i;
		}
	if (n)
		median = step[median_place(length, n)];
	free(works);
	free(step);
	free(length);
	return median;
}

void breakdown_find_steps(struct breakdown *p, const struct analysis *a, struct arena *arena)
{
	uint32_t n = 0;
	struct step_range *r = NULL;
	if (a->n_steps) {
		p->steps_by = STEPS_BY_PROFILER;
		p->range = "ProfilerStep#";
		r = by_profiler(a, &n);
	} else if (p->lack == LACK_NOTHING || p->lack == LACK_DEVICE) {
		r = by_ranges(p, a, arena, &n);
		if (!r && a->n_device && (r = steps_by_launches(a, &n, &p->range)))
			p->steps_by = STEPS_BY_LAUNCHES;
	}
	p->n_steps = n;
	if (r && n) {
		int64_t *host_end = xcalloc(n, sizeof *host_end);
		for (uint32_t i = 0; i < n; i++)
			host_end[i] = r[i].end_ns;
		uint32_t used = reach_device(r, n, a);
		p->n_steps = a->n_steps || !a->n_device ? n : used;
		set_windows(p, a, r, host_end, arena);
		free(host_end);
		p->median = median_of(p, a);
		if (p->median == NO_ROW)
			p->n_steps = 0;
	}
	free(r);
}
