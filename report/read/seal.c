/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include "base/min_max.h"
#include "base/two_threads.h"
#include "report/read/order.h"
#include "report/trace/enclosing_rows.h"
#include "report/trace/growing_arrays.h"

#include <stdlib.h>

/* Stamps this far from all others belong to another clock. */
static const int64_t OTHER_CLOCK_NS = 7ll * 24 * 3600 * 1000000000;

/* Documents may count from different bases: bring all rows to that of the first. */
static void rebase(struct part *p)
{
	for (size_t d = 1; d < p->n_documents; d++) {
		size_t end = d + 1 < p->n_documents ? p->documents[d + 1].first_row : p->rows.n;
		int64_t by;
		if (__builtin_sub_overflow(p->documents[d].base_ns, p->documents[0].base_ns, &by))
			continue;
		for (size_t i = p->documents[d].first_row; i < end; i++) {
			int64_t moved;
			if (!__builtin_add_overflow(p->rows.start_ns[i], by, &moved) &&
				moved > -(INT64_MAX / 8) && moved < INT64_MAX / 2)
				p->rows.start_ns[i] = moved;
		}
	}
}

/* No row lasts longer, and none starts this much later than the first: TRACE_SUM for both. */
static int64_t longest_ns(const struct trace *t)
{
	return TRACE_SUM / 2 / ((int64_t)t->n_tracks + 16);
}

/* Are all durations no longer, and their sum small enough? Rounded to 2^32 ns, so that it cannot
 * overflow. */
static bool times_fit(const int64_t *dur, size_t n, int64_t longest)
{
	int64_t most = 0, high = 0;
	for (size_t i = 0; i < n; i++) {
		most = max64(dur[i], most);
		high += dur[i] >> 32;
	}
	return most <= longest && high <= (TRACE_SUM >> 32) - (int64_t)n;
}

/* Before the rows are sorted, where longer ones come first. */
static void bound_times(struct part *p, int64_t longest)
{
	int64_t sum = 0, *dur = p->rows.dur_ns;
	if (times_fit(dur, p->rows.n, longest))
		return;
	for (size_t i = 0; i < p->rows.n; i++) {
		if (dur[i] <= longest && dur[i] <= TRACE_SUM - sum) {
			sum += dur[i];
			continue;
		}
		const struct text_entry *e = &p->texts.entry[p->rows.name[i]];
		repair_note(&p->repairs, REPAIR_TIME_RANGE, 1, -1, e->text, e->length);
		dur[i] = 0;
	}
}

static void bound_bytes(struct part *p)
{
	int64_t sum = 0;
	for (size_t i = 0; i < p->n_copies; i++) {
		struct copy *c = &p->copies[i];
		if (c->bytes < 0 || c->bytes > TRACE_SUM - sum)
			c->bytes = -1;
		else
			sum += c->bytes;
	}
}

static void bound_changes(struct part *p)
{
	int64_t sum = 0;
	for (size_t i = 0; i < p->n_changes; i++) {
		struct memory_change *m = &p->changes[i];
		if (m->bytes < -TRACE_SUM || llabs(m->bytes) > TRACE_SUM - sum)
			m->bytes = 0;
		sum += llabs(m->bytes);
	}
}

/* Sorted rows in one piece of time: the largest stretch without a gap of OTHER_CLOCK_NS, as far as
 * it reaches from its first row. */
static size_t one_clock(const int64_t *start, size_t n, int64_t longest, size_t *first)
{
	size_t begin = 0, best = 0;
	*first = 0;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && start[i] - start[i - 1] < OTHER_CLOCK_NS)
			continue;
		if (i - begin > best) {
			best = i - begin;
			*first = begin;
		}
		begin = i;
	}
	while (best && start[*first + best - 1] - start[*first] > longest)
		best--;
	return best;
}

/* What the steps of sealing hand to each other. */
struct sealing {
	struct trace *trace;
	struct part *part;
	struct spare spare;
	const uint32_t *row; /* from where each row comes; NULL when it stays */
	name_id *name; /* of every text */
	uint32_t *track; /* of every lane */
	uint32_t *other_four; /* a second spare, for the other thread */
	bool threads;
};

static void map_column(uint32_t *column, size_t n, const uint32_t *map)
{
	for (size_t i = 0; i < n; i++)
		column[i] = map[column[i]];
}

static void order_kinds(struct event_rows *r, const uint32_t *from)
{
	uint8_t *to = pages_grow(NULL, r->n, sizeof *to);
	for (size_t i = 0; i < r->n; i++)
		to[i] = r->kind[from[i]];
	pages_free(r->kind);
	r->kind = to;
}

/* Half of the columns go to where their rows belong. */
static void move_half(void *sealing)
{
	struct sealing *s = sealing;
	struct event_rows *r = &s->part->rows;
	uint32_t **spare = &s->spare.four;
	permute_u32(&r->name, s->row, r->n, s->name, spare);
	permute_u32(&r->category, s->row, r->n, s->name, spare);
	permute_u32(&r->lane, s->row, r->n, s->track, spare);
	order_kinds(r, s->row);
}

static void move_other_half(void *sealing)
{
	struct sealing *s = sealing;
	struct event_rows *r = &s->part->rows;
	uint32_t **spare = s->threads ? &s->other_four : &s->spare.four;
	permute_u32(&r->correlation, s->row, r->n, NULL, spare);
	permute_u32(&r->external, s->row, r->n, NULL, spare);
	permute_u32(&r->side, s->row, r->n, NULL, spare);
	permute_i64(&r->dur_ns, s->row, r->n, &s->spare.eight);
}

static void move_columns(struct sealing *s)
{
	struct event_rows *r = &s->part->rows;
	if (!s->row) {
		map_column(r->name, r->n, s->name);
		map_column(r->category, r->n, s->name);
		map_column(r->lane, r->n, s->track);
		return;
	}
	if (s->threads)
		s->other_four = pages_grow(NULL, r->room, sizeof *s->other_four);
	both(s->threads, move_half, s, move_other_half, s);
	pages_free(s->other_four);
}

/* Rows do not know their bytes in the file; the first event by time is told by its name. */
static void note_other_clock(struct sealing *s, size_t first, size_t n, bool moved)
{
	const struct event_rows *r = &s->part->rows;
	size_t row = first ? 0 : n;
	const struct text_entry *e =
		&s->part->texts.entry[r->name[moved ? s->spare.from[row] : row]];
	repair_note(
		&s->part->repairs, REPAIR_OTHER_CLOCK, (int64_t)(r->n - n), -1, e->text, e->length);
}

/* Sorts the rows and moves every column after them; rows of another clock are left out. */
static void sort_rows(struct sealing *s)
{
	struct event_rows *r = &s->part->rows;
	struct spare *spare = &s->spare;
	size_t first = 0;
	spare->eight = pages_grow(NULL, r->room, sizeof *spare->eight);
	spare->four = pages_grow(NULL, r->room, sizeof *spare->four);
	spare->from = pages_grow(NULL, r->room, sizeof *spare->from);
	bool moved = order_rows(&r->start_ns, r->dur_ns, r->n, s->threads, spare);
	size_t n = one_clock(r->start_ns, r->n, longest_ns(s->trace), &first);
	if (n < r->n)
		note_other_clock(s, first, n, moved);
	for (size_t i = 0; !moved && n < r->n && i < r->n; i++)
		spare->from[i] = (uint32_t)i;
	if (moved || n < r->n)
		s->row = spare->from + first;
	r->n = n;
	if (first)
		memmove(r->start_ns, r->start_ns + first, n * sizeof *r->start_ns);
	move_columns(s);
}

void measure_times(struct trace *t)
{
	int64_t first = t->n ? t->start_ns[0] : 0;
	memset(t->reach_ns, 0, (t->n / REACH_ROWS + 1) * sizeof *t->reach_ns);
	for (size_t i = 0; i < t->n; i++) {
		t->start_ns[i] -= first;
		int64_t end = t->start_ns[i] + t->dur_ns[i], *reach = &t->reach_ns[i / REACH_ROWS];
		*reach = max64(end, *reach);
	}
	t->end_ns = 0;
	for (size_t i = 0; i <= t->n / REACH_ROWS; i++)
		t->end_ns = max64(t->reach_ns[i], t->end_ns);
}

static void set_origin(struct trace *t, const struct part *p)
{
	int64_t first = t->n ? t->start_ns[0] : 0;
	int64_t base = p->n_documents ? p->documents[0].base_ns : 0;
	if (__builtin_add_overflow(base, first, &t->origin_ns))
		t->origin_ns = first;
	t->clock_ns = first;
	t->reach_ns = arena_array(&t->arena, t->n / REACH_ROWS + 1, sizeof *t->reach_ns);
	measure_times(t);
}

static void seal_names(struct trace *t, const name_id *name)
{
	for (size_t i = 0; i < t->n_counters; i++)
		t->counters[i].series = name[t->counters[i].series];
	for (size_t i = 0; i < t->n_inputs; i++) {
		struct op_inputs *in = &t->inputs[i];
		*in = (struct op_inputs){name[in->dims], name[in->types], name[in->strides],
			name[in->concrete], name[in->extra], in->forward_thread};
	}
}

/* The trace frees these columns from here on, so the part must forget them. */
static void take_columns(struct trace *t, struct part *p, const struct spare *spare)
{
	struct event_rows *r = &p->rows;
	t->n = r->n;
	t->start_ns = r->start_ns;
	t->dur_ns = r->dur_ns;
	t->name = r->name;
	t->category = r->category;
	t->track = r->lane;
	t->correlation = r->correlation;
	t->external = r->external;
	t->side = r->side;
	t->kind = r->kind;
	t->kernels = p->kernels;
	t->n_kernels = p->n_kernels;
	t->copies = p->copies;
	t->n_copies = p->n_copies;
	t->counters = p->counters;
	t->n_counters = p->n_counters;
	t->changes = p->changes;
	t->n_changes = p->n_changes;
	t->inputs = p->inputs;
	t->n_inputs = p->n_inputs;
	t->launch = spare->from;
	t->parent = spare->four;
	t->depth = pages_grow(NULL, t->n, sizeof *t->depth);
	void *owned[] = {t->start_ns, t->dur_ns, t->name, t->category, t->track, t->correlation,
		t->external, t->side, t->kind, t->kernels, t->copies, t->counters, t->changes,
		t->inputs, t->launch, t->parent, t->depth, t->file.row, t->file.begin};
	_Static_assert(sizeof owned <= sizeof t->owned, "room for all columns");
	memcpy(t->owned, owned, sizeof owned);
	p->rows = (struct event_rows){0};
	p->kernels = NULL;
	p->copies = NULL;
	p->counters = NULL;
	p->changes = NULL;
	p->inputs = NULL;
}

static void finish_times(void *sealing)
{
	struct sealing *s = sealing;
	set_origin(s->trace, s->part);
}

static void finish_names(void *sealing)
{
	struct sealing *s = sealing;
	seal_names(s->trace, s->name);
	for (size_t i = 0; i < s->trace->n; i++)
		s->trace->tracks[s->trace->track[i]].n++;
}

/* For TRACE_SUM: only a trace of millions of rows and of days has so much to sum. */
static void bound_launches(struct trace *t)
{
	int64_t sum = 0;
	if ((double)t->end_ns * (double)t->n < (double)TRACE_SUM)
		return;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t call = t->launch[i];
		if (call == NO_ROW || event_is_call(t->kind[i]))
			continue;
		int64_t between = llabs(t->start_ns[i] - t->start_ns[call]);
		if (between <= TRACE_SUM - sum) {
			sum += between;
			continue;
		}
		t->launch[i] = NO_ROW;
		if (t->launch[call] == i)
			t->launch[call] = NO_ROW;
	}
}

static void join_by_correlation(void *sealing)
{
	struct sealing *s = sealing;
	join_launches(s->trace, (uint64_t *)s->spare.eight);
	bound_launches(s->trace);
}

static void join_by_track(void *sealing)
{
	join_tracks(((struct sealing *)sealing)->trace);
}

/* Of rows, which order_rows() has sorted, and of ends, which marks_pair() has paired. */
static void keep_file_order(struct sealing *s)
{
	struct trace *t = s->trace;
	const struct part *p = s->part;
	struct file_order *f = &t->file;
	f->row = pages_grow(NULL, p->rows.n, sizeof *f->row);
	for (size_t i = 0; i < p->rows.n; i++)
		f->row[i] = s->row ? s->row[i] : (uint32_t)i;
	for (size_t i = 0; i < p->n_marks; i++)
		f->n_ends += p->marks[i].end;
	f->begin = pages_grow(NULL, f->n_ends, sizeof *f->begin);
	for (size_t i = 0, n = 0; i < p->n_marks; i++)
		if (p->marks[i].end)
			f->begin[n++] = p->marks[i].row;
}

void seal(struct trace *t, struct part *part, bool threads, bool file_order,
	struct repair_counts *repairs)
{
	struct sealing s = {.trace = t, .part = part, .threads = threads};
	marks_pair(part);
	rebase(part);
	s.name = names_of_texts(&t->names, &part->texts, &part->repairs);
	s.track = tracks_of_lanes(t, part, s.name);
	bound_times(part, longest_ns(t));
	bound_bytes(part);
	bound_changes(part);
	sort_rows(&s);
	if (file_order)
		keep_file_order(&s);
	take_columns(t, part, &s.spare);
	both(threads, finish_times, &s, finish_names, &s);
	t->file.clock_ns = t->clock_ns;
	t->zero_stamps = part->zero_stamps;
	t->resolution_ns = part->fraction ? 1 : 1000;
	memcpy(t->phases, part->phases, sizeof t->phases);
	*repairs = part->repairs;
	free(s.track);
	free(s.name);
	part_release(part);
	both(threads, join_by_correlation, &s, join_by_track, &s);
	trace_find_ops(t);
	pages_free(s.spare.eight);
}
