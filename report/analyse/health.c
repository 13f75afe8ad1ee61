/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strcasestr */
#include "report/analyse/health.h"

#include "base/binary_search.h"
#include "base/err.h"
#include "base/min_max.h"
#include "report/name/traits.h"
#include "report/trace/repair.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void count(struct health_count *c, size_t row, int64_t ns)
{
	if (!c->n++)
		c->first_row = (uint32_t)row;
	c->time_ns += ns;
	c->largest_ns = max64(ns, c->largest_ns);
}

/* A number without a sign that may stand in quotes; -1 when there is none. */
static int64_t number_at(const char *p, char **end)
{
	p += *p == '"';
	*end = (char *)(uintptr_t)p;
	if (!isdigit((unsigned char)*p))
		return -1;
	long long n = strtoll(p, end, 10);
	return n < INT64_MAX / 4096 ? n : -1;
}

static bool is_of_records(const char *p)
{
	static const char *const words[] = {
		" activit", " record", " event", " span", " sample", " slice"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncasecmp(p, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Behind the word: the rest of a key and its number, or " 17 activity records", which is how Kineto
 * logs it. */
static int64_t dropped_at(const char *p)
{
	char *end;
	if (*p == ' ') {
		int64_t n = number_at(p + 1, &end);
		return n >= 0 && is_of_records(end) ? n : -1;
	}
	while (isalpha((unsigned char)*p) || *p == '_')
		p++;
	if (*p != '"')
		return -1;
	p += 1 + strspn(p + 1, " ");
	if (*p != ':')
		return -1;
	return number_at(p + 1 + strspn(p + 1, " "), &end);
}

/* "dropped_spans": 12, and whatever other recorders call it, at any depth. */
static int64_t dropped_of(const struct trace *t)
{
	static const char word[] = "dropped";
	int64_t sum = -1;
	for (size_t i = 0; i < t->n_meta; i++) {
		char *end;
		const char *p = t->meta[i].value;
		int64_t n = strcasestr(t->meta[i].key, word) ? number_at(p, &end) : -1;
		if (n >= 0)
			sum = (max64(sum, 0)) + n;
		while ((p = strcasestr(p, word))) {
			p += strlen(word);
			n = dropped_at(p);
			if (n >= 0)
				sum = (max64(sum, 0)) + n;
		}
	}
	return sum;
}

static void count_repairs(const struct trace *t, struct health *h)
{
	int64_t *sum[REPAIR_KINDS] = {
		[REPAIR_LOST] = &h->lost,
		[REPAIR_NO_TIME] = &h->lost,
		[REPAIR_TIME_RANGE] = &h->lost,
		[REPAIR_NO_END] = &h->unfinished,
		[REPAIR_NO_DURATION] = &h->unfinished,
		[REPAIR_CUT_EVENT] = &h->unfinished,
		[REPAIR_NEGATIVE] = &h->clipped,
		[REPAIR_OTHER_CLOCK] = &h->other_clock,
	};
	h->cut = t->ends_early;
	for (size_t i = 0; i < t->n_repairs; i++) {
		const struct repair *r = &t->repairs[i];
		h->repairs += r->count;
		if (sum[r->kind])
			*sum[r->kind] += r->count;
	}
}

/* What a name says about the calls and spans that carry it. */
enum sort { SORT_ASK, SORT_NONE, SORT_LAUNCH, SORT_GRAPH, SORT_STEP };

/* Runtimes and drivers name their launches alike: cudaLaunchKernel, hipModuleLaunchKernel,
 * cuMemcpyHtoDAsync, cudaGraphLaunch. */
static enum sort sort_of(const char *name)
{
	if (!strncmp(name, "ProfilerStep#", 13) && isdigit((unsigned char)name[13]))
		return SORT_STEP;
	if (is_graph_launch(name))
		return SORT_GRAPH;
	bool copies = strstr(name, "Memset") || strstr(name, "Memcpy");
	if (strstr(name, "LaunchKernel") || strstr(name, "LaunchCooperativeKernel") ||
		(copies && strstr(name, "Async")))
		return SORT_LAUNCH;
	return SORT_NONE;
}

enum { MOST_LOOSE = 64 };

/* Spans of a thread that are open and hold nothing of what comes next: something crossed them. Of
 * more than there is room for, those that end first are forgotten. */
struct loose {
	uint32_t last; /* the row before on this thread, NO_ROW at first */
	uint32_t n;
	uint32_t row[MOST_LOOSE]; /* (n) */
};

/* What is kept per name, row and track while walking. */
struct walk {
	const struct trace *t;
	struct health *h;
	uint8_t *sort; /* (names.n) enum sort; most names are never asked */
	uint32_t *call; /* (n_calls) rows that are calls; malloc */
	uint32_t *caused; /* (n_calls) device events of each; malloc */
	uint32_t *device; /* (n_device) rows that are the device's; malloc */
	uint32_t n_calls, n_device;
	int64_t *busy_ns; /* (n_tracks) where the work of a stream ended so far */
	struct loose **loose; /* (n_tracks) NULL before the first span */
};

static enum sort sort_at(struct walk *w, uint32_t row)
{
	uint8_t *sort = &w->sort[w->t->name[row]];
	if (*sort == SORT_ASK)
		*sort = (uint8_t)sort_of(names_text(&w->t->names, w->t->name[row]));
	return (enum sort) * sort;
}

static bool is_span(const struct trace *t, size_t i)
{
	return event_on_device(t->kind[i]) || event_on_host(t->kind[i]);
}

/* The index of a call, or where it would stand; sought from `near` on. */
static uint32_t call_at(const struct walk *w, uint32_t row, uint32_t near)
{
	return first_near(k, 0, w->n_calls, near, w->call[k] >= row);
}

static void look_at_device(struct walk *w, uint32_t i, uint32_t *near)
{
	const struct trace *t = w->t;
	struct health *h = w->h;
	int64_t start = t->start_ns[i], end = start + t->dur_ns[i];
	int64_t *busy = &w->busy_ns[t->track[i]];
	uint32_t call = t->launch[i];
	h->device_events++;
	if (start < *busy)
		count(&h->overlaps, i, min64(end, *busy) - start);
	*busy = max64(end, *busy);
	if (call == NO_ROW) {
		count(&h->orphans, i, t->dur_ns[i]);
		return;
	}
	*near = call_at(w, call, *near);
	if (*near < w->n_calls && w->call[*near] == call)
		w->caused[*near]++;
	if (start < t->start_ns[call])
		count(&h->early, i, t->start_ns[call] - start);
	if (sort_at(w, call) == SORT_GRAPH) {
		h->graph_events++;
		h->graphs.time_ns += t->dur_ns[i];
	} else {
		w->sort[t->name[call]] = SORT_LAUNCH; /* whatever it is called, it launches */
	}
}

/* A range that the program marks and the Python call that marks it: the recorder stamps one after
 * the other, so that each begins inside the other one's call. It is always so, and harmless. */
static bool is_marking(const struct trace *t, uint32_t one, uint32_t other)
{
	return (t->kind[one] == EVENT_ANNOTATION && t->kind[other] == EVENT_PYTHON) ||
		(t->kind[one] == EVENT_PYTHON && t->kind[other] == EVENT_ANNOTATION);
}

static void add_loose(const struct trace *t, struct loose *l, uint32_t row)
{
	uint32_t at = l->n;
	if (l->n == MOST_LOOSE)
		for (uint32_t k = at = 0; k < l->n; k++)
			at = row_end(t, l->row[k]) < row_end(t, l->row[at]) ? k : at;
	else
		l->n++;
	l->row[at] = row;
}

/* Those left open by the row before and its parents, and those that were loose, as far as they have
 * not ended. */
static void settle_loose(const struct trace *t, struct loose *l, uint32_t row)
{
	int64_t start = t->start_ns[row];
	uint32_t kept = 0;
	for (uint32_t k = 0; k < l->n; k++)
		if (row_end(t, l->row[k]) > start)
			l->row[kept++] = l->row[k];
	l->n = kept;
	for (uint32_t p = l->last; p != NO_ROW && p != t->parent[row]; p = t->parent[p])
		if (row_end(t, p) > start)
			add_loose(t, l, p);
	l->last = row;
}

/* A span crosses another of its thread that began before it, when it begins in it and ends after
 * it. It counts once, whatever it crosses. */
static void look_at_host(struct walk *w, uint32_t i)
{
	const struct trace *t = w->t;
	struct loose **own = &w->loose[t->track[i]], *l = *own;
	if (!l) {
		l = *own = xcalloc(1, sizeof *l);
		l->last = NO_ROW;
	}
	settle_loose(t, l, i);
	int64_t end = row_end(t, i), out = 0;
	for (uint32_t k = 0; k < l->n; k++) {
		int64_t beyond = end - row_end(t, l->row[k]);
		if (beyond > out && !is_marking(t, i, l->row[k]))
			out = beyond;
	}
	if (out > 0)
		count(&w->h->crossing, i, out);
}

/* Is this call part of a launch around it, as cuLaunchKernel is of cudaLaunchKernel? */
static bool is_part(struct walk *w, uint32_t row)
{
	uint32_t outer = w->t->parent[row];
	return is_call(w->t, outer) && sort_at(w, outer) != SORT_NONE;
}

static void look_at_calls(struct walk *w)
{
	const struct trace *t = w->t;
	struct health *h = w->h;
	for (uint32_t k = w->n_calls; k-- > 0;) /* what is inside stands behind */
		if (is_part(w, w->call[k]))
			w->caused[call_at(w, t->parent[w->call[k]], k)] += w->caused[k];
	for (uint32_t k = 0; k < w->n_calls; k++) {
		uint32_t i = w->call[k];
		enum sort sort = sort_at(w, i);
		if (is_part(w, i))
			continue;
		h->launches += sort != SORT_NONE;
		if (sort != SORT_NONE && !w->caused[k] && t->dur_ns[i] >= HEALTH_ENQUEUE_NS)
			count(&h->idle_launches, i, t->dur_ns[i]);
		if (sort == SORT_GRAPH)
			count(&h->graphs, i, 0);
		if (w->caused[k] > h->widest_launch)
			h->widest_launch = w->caused[k];
	}
}

static void look_at_devices(struct walk *w)
{
	const struct trace *t = w->t;
	int64_t linked = 0, repeated = 0;
	uint32_t near = 0;
	w->caused = xcalloc(w->n_calls, sizeof *w->caused);
	for (uint32_t k = 0; k < w->n_device; k++) {
		uint32_t i = w->device[k];
		look_at_device(w, i, &near);
		linked += t->external[i] && t->correlation[i];
		repeated += t->external[i] && t->external[i] == t->correlation[i];
	}
	w->h->external_is_correlation = linked > 1 && repeated == linked;
}

/* Room is doubled where there are as many as a power of two. */
static void list_row(uint32_t **list, uint32_t *n, uint32_t row)
{
	if (!(*n & (*n - 1)))
		*list = xrealloc(*list, *n ? 2 * (size_t)*n : 1, sizeof **list);
	(*list)[(*n)++] = row;
}

static void look_at_rows(struct walk *w)
{
	const struct trace *t = w->t;
	struct health *h = w->h;
	for (uint32_t i = 0; i < t->n; i++) {
		uint8_t kind = t->kind[i];
		h->of_kind[kind]++;
		if (event_on_device(kind))
			list_row(&w->device, &w->n_device, i);
		else if (event_on_host(kind) && !t->tracks[t->track[i]].async)
			look_at_host(w, i);
		if (event_is_call(kind))
			list_row(&w->call, &w->n_calls, i);
		if (is_span(t, i) && !t->dur_ns[i])
			count(&h->zero_spans, i, 0);
		if (kind == EVENT_OP && t->side[i] != NO_ROW)
			h->with_shapes += t->inputs[t->side[i]].dims != 0;
		h->steps += (kind == EVENT_ANNOTATION || kind == EVENT_OP) &&
			sort_at(w, i) == SORT_STEP;
	}
}

static void walk_init(struct walk *w, const struct trace *t, struct health *h)
{
	*w = (struct walk){.t = t, .h = h};
	w->sort = xcalloc(t->names.n, sizeof *w->sort);
	w->loose = xcalloc(t->n_tracks + 1, sizeof *w->loose);
	w->busy_ns = xcalloc(t->n_tracks + 1, sizeof *w->busy_ns);
	for (uint32_t i = 0; i < t->n_tracks; i++)
		w->busy_ns[i] = INT64_MIN;
}

static void walk_release(struct walk *w)
{
	for (uint32_t i = 0; i < w->t->n_tracks; i++)
		free(w->loose[i]);
	free(w->loose);
	free(w->busy_ns);
	free(w->caused);
	free(w->call);
	free(w->device);
	free(w->sort);
}

struct health health_of(const struct trace *t)
{
	struct health h = {.dropped = dropped_of(t), .zero_stamps = t->zero_stamps};
	struct health_count *counts[] = {&h.zero_spans, &h.crossing, &h.overlaps, &h.orphans,
		&h.idle_launches, &h.early, &h.graphs};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		counts[i]->first_row = NO_ROW;
	struct walk w;
	walk_init(&w, t, &h);
	count_repairs(t, &h);
	look_at_rows(&w);
	look_at_devices(&w);
	look_at_calls(&w);
	walk_release(&w);
	return h;
}

static void print_count(const char *what, const struct health_count *c, FILE *f)
{
	if (c->n)
		fprintf(f, "health %s: %lld, %lld ns, largest %lld ns, first row %u\n", what,
			(long long)c->n, (long long)c->time_ns, (long long)c->largest_ns,
			c->first_row);
}

static void print_number(const char *what, int64_t n, FILE *f)
{
	if (n > 0)
		fprintf(f, "health %s: %lld\n", what, (long long)n);
}

static void print_lacks(const struct health *h, FILE *f)
{
	const struct {
		const char *what;
		bool lacks;
	} lacks[] = {
		{"kernels", !h->of_kind[EVENT_KERNEL]},
		{"operators", !h->of_kind[EVENT_OP]},
		{"calls", !h->of_kind[EVENT_RUNTIME] && !h->of_kind[EVENT_DRIVER]},
		{"steps", !h->steps},
		{"shapes", !h->with_shapes},
	};
	fprintf(f, "health lacks:");
	for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
		if (lacks[i].lacks)
			fprintf(f, " %s", lacks[i].what);
	fputc('\n', f);
}

void health_print(const struct health *h, FILE *f)
{
	print_number("repairs", h->repairs, f);
	print_number("lost", h->lost, f);
	print_number("unfinished", h->unfinished, f);
	print_number("clipped", h->clipped, f);
	print_number("zero stamps", h->zero_stamps, f);
	print_number("other clock", h->other_clock, f);
	print_number("dropped", h->dropped, f);
	print_number("cut", h->cut, f);
	print_count("zero spans", &h->zero_spans, f);
	print_count("crossing", &h->crossing, f);
	print_count("overlaps", &h->overlaps, f);
	print_number("device events", h->device_events, f);
	print_number("launches", h->launches, f);
	print_count("orphans", &h->orphans, f);
	print_count("idle launches", &h->idle_launches, f);
	print_count("early", &h->early, f);
	print_count("graphs", &h->graphs, f);
	print_number("graph events", h->graph_events, f);
	print_number("widest launch", h->widest_launch, f);
	print_number("external id repeats correlation", h->external_is_correlation, f);
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		print_number(event_kind_name((enum event_kind)kind), h->of_kind[kind], f);
	print_number("steps", h->steps, f);
	print_number("with shapes", h->with_shapes, f);
	print_lacks(h, f);
}

/* A clock that starts with the recording has events at 0. Their times are lost where everything
 * else lies farther away than it is long, or where several device events are said to begin there.
 */
static bool zero_is_lost(const struct trace *t)
{
	uint32_t i = 0;
	int device = 0;
	for (; i < t->n && t->start_ns[i] + t->origin_ns <= 0; i++)
		device += t->start_ns[i] + t->origin_ns == 0 && event_on_device(t->kind[i]);
	if (device > 1 || i == t->n)
		return device > 1;
	return t->start_ns[i] + t->origin_ns > t->end_ns - t->start_ns[i];
}

int health_rows(const struct health *h, const struct trace *t, struct health_row row[HEALTH_ROWS])
{
	bool host_only = !h->device_events;
	const struct health_row all[] = {
		{"cut", h->cut, 0, true},
		{"lost", h->lost, 0, true},
		{"dropped", max64(h->dropped, 0), 0, true},
		{"orphans", h->orphans.n, h->orphans.time_ns, true},
		{"early", h->early.n, h->early.largest_ns, true},
		{"unfinished", h->unfinished, 0, true},
		{"clipped", h->clipped, 0, true},
		{"zero_stamps", h->zero_stamps && zero_is_lost(t) ? h->zero_stamps : 0, 0, true},
		{"other_clock", h->other_clock, 0, true},
		{"overlaps", h->overlaps.n, h->overlaps.time_ns, false},
		{"idle_launches", h->device_events ? h->idle_launches.n : 0,
			h->idle_launches.time_ns, false},
		{"graphs", h->graphs.n, h->graphs.time_ns, false},
		{"crossing", h->crossing.n, h->crossing.time_ns, false},
		{"external", h->external_is_correlation, 0, false},
		{"no_device", host_only && !t->snapshot, 0, false},
		{"no_kernels", !host_only && !h->of_kind[EVENT_KERNEL], 0, false},
		{"no_ops", t->n && !h->of_kind[EVENT_OP] && !t->snapshot, 0, false},
		{host_only ? "no_steps_host" : "no_steps", t->n && !h->steps && !t->snapshot, 0,
			false},
		{"empty", !t->n, 0, true},
	};
	int n = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].n)
			row[n++] = all[i];
	return n;
}
