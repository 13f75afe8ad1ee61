/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/cut_flows.h"

#include "base/binary_search.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* So many rows of a stream in front of a time are asked whether they reach it. */
enum { LOOK_BACK = 64 };

void flows_init(struct flows *f, const struct trace *t, struct part *part)
{
	*f = (struct flows){.trace = t, .part = part};
	strings_init(&f->keys);
	f->row = xcalloc(t->n, sizeof *f->row);
	f->first = xcalloc(t->n_tracks + 1, sizeof *f->first);
	for (size_t i = 0; i < t->n; i++)
		f->first[t->track[i] + 1]++;
	for (uint32_t i = 0; i < t->n_tracks; i++)
		f->first[i + 1] += f->first[i];
	uint32_t *next = xcalloc(t->n_tracks, sizeof *next);
	for (uint32_t i = 0; i < t->n; i++)
		f->row[f->first[t->track[i]] + next[t->track[i]]++] = i;
	free(next);
}

void flows_lane(struct flows *f, uint32_t lane, uint32_t row)
{
	if (lane >= f->n_lanes) {
		uint32_t had = f->n_lanes;
		f->n_lanes = f->part->lanes.room;
		f->track = xrealloc(f->track, f->n_lanes, sizeof *f->track);
		memset(f->track + had, 0, (f->n_lanes - had) * sizeof *f->track);
	}
	f->track[lane] = f->trace->track[row] + 1;
}

static uint32_t key_of(struct flows *f, const struct coming *c)
{
	const struct raw_event *raw = c->raw;
	const int64_t none = 0, *number = seen_number(raw, RAW_ID) ? &raw->number[RAW_ID] : &none;
	bool text = seen_text(raw, RAW_ID_TEXT);
	const char *id = text ? raw->text[RAW_ID_TEXT].at : (const char *)number;
	uint32_t n = text ? raw->text[RAW_ID_TEXT].n : (uint32_t)sizeof *number,
		 category = coming_text(c, RAW_CATEGORY);
	char *key = xalloc(sizeof category + n + 1);
	memcpy(key, &category, sizeof category);
	memcpy(key + sizeof category, id, n);
	uint32_t known = strings_add(&f->keys, key, sizeof category + n, TEXT_PLAIN, 0);
	free(key);
	return known;
}

void flows_take(struct flows *f, const struct coming *c)
{
	if (!seen_number(c->raw, RAW_TS))
		return;
	uint32_t length = (uint32_t)(c->raw->end - c->begin);
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 1024;
		f->event = xrealloc(f->event, f->room, sizeof *f->event);
	}
	f->event[f->n] = (struct flow_event){.at_ns = c->raw->number[RAW_TS] - f->trace->clock_ns,
		.key = key_of(f, c),
		.order = (uint32_t)f->n,
		.phase = c->raw->phase,
		.pid = coming_lane_id(c, RAW_PID, RAW_PID_TEXT),
		.tid = coming_lane_id(c, RAW_TID, RAW_TID_TEXT),
		.length = length};
	/* What lies outside is only counted. */
	int64_t at = f->event[f->n].at_ns;
	if (at >= 0 && at <= f->trace->end_ns)
		f->event[f->n].text = arena_strndup(&f->arena, c->begin, length);
	f->n++;
}

static bool reaches_on(const struct flows *f, uint32_t track, int64_t at_ns)
{
	const struct trace *t = f->trace;
	uint32_t begin = f->first[track], end = f->first[track + 1];
	uint32_t i = first_where(k, begin, end, t->start_ns[f->row[k]] > at_ns);
	if (i == begin)
		return false;
	for (uint32_t row = f->row[i - 1]; row != NO_ROW; row = t->parent[row])
		if (row_end(t, row) >= at_ns)
			return true;
	/* Rows of a stream have none around them. */
	for (uint32_t k = i - 1; k > begin && i - k < LOOK_BACK; k--)
		if (row_end(t, f->row[k - 1]) >= at_ns)
			return true;
	return false;
}

static bool reaches(const struct flows *f, const struct flow_event *e)
{
	for (enum lane_kind kind = LANE_HOST; kind <= LANE_DEVICE; kind++) {
		uint32_t lane = lanes_look(&f->part->lanes, e->pid, e->tid, kind);
		if (lane < f->n_lanes && f->track[lane] &&
			reaches_on(f, f->track[lane] - 1, e->at_ns))
			return true;
	}
	return false;
}

ORDER(by_flow, struct flow_event, UP(key) ?: UP(at_ns) ?: (a->phase != 's') - (b->phase != 's')
	?: UP(order));

ORDER(by_order, struct flow_event, UP(order));

static size_t count_begins(const struct flow_event *e, size_t n)
{
	size_t begins = 0;
	for (size_t i = 0; i < n; i++)
		begins += e[i].phase == 's';
	return begins;
}

/* Those without a text are passed over when all are put. */
static void drop_unless_whole(const struct flows *f, struct flow_event *e, size_t n)
{
	bool whole = n > 1 && count_begins(e, n) == 1;
	for (size_t i = 0; whole && i < n; i++)
		whole = e[i].text && reaches(f, &e[i]);
	for (size_t i = 0; !whole && i < n; i++)
		e[i].text = NULL;
}

/* The events of one key: each s begins another flow, but where there is one alone its end may stand
 * in front of it, by clocks that disagree. */
static void drop_of_key(const struct flows *f, struct flow_event *e, size_t n)
{
	bool one = count_begins(e, n) < 2;
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && (one || e[k].phase != 's');)
			k++;
		drop_unless_whole(f, e + i, k - i);
	}
}

void flows_put(struct flows *f, struct byte_taker *to)
{
	if (!f->n)
		return;
	qsort(f->event, f->n, sizeof *f->event, by_flow);
	for (size_t i = 0, k; i < f->n; i = k) {
		for (k = i + 1; k < f->n && f->event[k].key == f->event[i].key;)
			k++;
		drop_of_key(f, f->event + i, k - i);
	}
	qsort(f->event, f->n, sizeof *f->event, by_order);
	for (size_t i = 0; i < f->n; i++)
		if (f->event[i].text)
			to->flow(to, f->event[i].text, f->event[i].length);
}

void flows_release(struct flows *f)
{
	free(f->event);
	free(f->track);
	free(f->row);
	free(f->first);
	strings_release(&f->keys);
	arena_release(&f->arena);
}
