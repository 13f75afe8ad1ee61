/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strcasestr */
#include "report/read/narrow.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/read/parts.h"
#include "report/trace/enclosing_rows.h"
#include "report/trace/growing_arrays.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What of a trace stays; (trace.n) by row. */
struct staying {
	const struct trace *trace;
	bool *row;
	int64_t from_ns, to_ns;
};

static bool is_in(const struct staying *s, uint32_t row)
{
	int64_t at = s->trace->start_ns[row];
	return at >= s->from_ns && at < s->to_ns;
}

/* By its launch, which is of the host. */
static bool stays_by_launch(const struct staying *s, uint32_t row)
{
	uint32_t call = s->trace->launch[row];
	return is_in(s, call == NO_ROW ? row : call);
}

static bool is_earlier(const struct staying *s, uint32_t row)
{
	const struct trace *t = s->trace;
	uint32_t call = t->launch[row];
	return (call == NO_ROW || t->start_ns[call] < s->from_ns) && t->start_ns[row] < s->to_ns &&
		row_end(t, row) > s->from_ns;
}

/* From the end on: a range of the device begins with its first work. */
static void choose_by_time(struct staying *s, struct trace_part *part)
{
	const struct trace *t = s->trace;
	uint32_t *next = xcalloc(t->n_tracks, sizeof *next); /* work of each track, + 1 */
	for (uint32_t i = (uint32_t)t->n; i-- > 0;) {
		uint32_t *work = &next[t->track[i]];
		if (t->kind[i] == EVENT_GPU_ANNOTATION) {
			bool around = *work && t->start_ns[*work - 1] < row_end(t, i);
			s->row[i] = around ? stays_by_launch(s, *work - 1) : is_in(s, i);
		} else if (t->kind[i] == EVENT_DEVICE_SYNC) {
			s->row[i] = stays_by_launch(s, i);
		} else if (event_on_device(t->kind[i])) {
			bool launched = stays_by_launch(s, i);
			s->row[i] = launched || is_earlier(s, i);
			part->earlier += s->row[i] && !launched;
			part->earlier_ns += s->row[i] && !launched ? t->dur_ns[i] : 0;
			*work = i + 1;
		} else {
			s->row[i] = is_in(s, i);
		}
	}
	free(next);
}

/* ---- what stays moves together ---- */

#define MOVE(column) \
	do { \
		size_t to_ = 0; \
		for (size_t i_ = 0; i_ < n; i_++) \
			if (stays[i_]) \
				(column)[to_++] = (column)[i_]; \
	} while (0)

static void move_rows(struct trace *t, const bool *stays, size_t left)
{
	size_t n = t->n;
	MOVE(t->start_ns);
	MOVE(t->dur_ns);
	MOVE(t->name);
	MOVE(t->category);
	MOVE(t->track);
	MOVE(t->correlation);
	MOVE(t->external);
	MOVE(t->side);
	MOVE(t->kind);
	if (t->file.row)
		MOVE(t->file.row);
	t->n = left;
}

/* A table beside the rows, and of which kinds its rows are. */
struct side_table {
	void *table;
	size_t *n, size;
	uint32_t kinds;
};

static bool has_side(const struct trace *t, size_t row, const struct side_table *s)
{
	return s->kinds >> t->kind[row] & 1 && t->side[row] != NO_ROW;
}

/* Of a table only what a row names; in its order. */
static void move_side(struct trace *t, const struct side_table *s)
{
	uint32_t *place = xcalloc(*s->n, sizeof *place), left = 0;
	char *table = s->table;
	for (size_t i = 0; i < t->n; i++)
		if (has_side(t, i, s))
			place[t->side[i]] = 1;
	for (size_t i = 0; i < *s->n; i++) {
		if (!place[i])
			continue;
		memmove(table + left * s->size, table + i * s->size, s->size);
		place[i] = left++;
	}
	for (size_t i = 0; i < t->n; i++)
		if (has_side(t, i, s))
			t->side[i] = place[t->side[i]];
	*s->n = left;
	free(place);
}

static void move_sides(struct trace *t)
{
	const struct side_table tables[] = {
		{t->kernels, &t->n_kernels, sizeof *t->kernels, 1u << EVENT_KERNEL},
		{t->copies, &t->n_copies, sizeof *t->copies,
			1u << EVENT_MEMCPY | 1u << EVENT_MEMSET},
		{t->counters, &t->n_counters, sizeof *t->counters, 1u << EVENT_COUNTER},
		{t->changes, &t->n_changes, sizeof *t->changes, 1u << EVENT_INSTANT},
		{t->inputs, &t->n_inputs, sizeof *t->inputs,
			1u << EVENT_OP | 1u << EVENT_ANNOTATION}};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		move_side(t, &tables[i]);
}

static void move_tracks(struct trace *t)
{
	uint32_t *place = xcalloc(t->n_tracks, sizeof *place), left = 0;
	for (uint32_t i = 0; i < t->n_tracks; i++)
		t->tracks[i].n = 0;
	for (size_t i = 0; i < t->n; i++)
		t->tracks[t->track[i]].n++;
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		if (!t->tracks[i].n)
			continue;
		t->tracks[left] = t->tracks[i];
		place[i] = left++;
	}
	for (size_t i = 0; i < t->n; i++)
		t->track[i] = place[t->track[i]];
	t->n_tracks = left;
	free(place);
}

/* What reading worked out of the rows, again. */
static void join_again(struct trace *t)
{
	int64_t first = t->start_ns[0], zero_stamps = 0;
	uint64_t *scratch = pages_grow(NULL, t->n, sizeof *scratch);
	for (size_t i = 0; i < t->n && t->zero_stamps; i++)
		zero_stamps += t->start_ns[i] + t->clock_ns == 0;
	t->zero_stamps = zero_stamps;
	t->origin_ns += first;
	t->clock_ns += first;
	measure_times(t);
	join_launches(t, scratch);
	join_tracks(t);
	t->around_op = NULL;
	trace_find_ops(t);
	pages_free(scratch);
}

/* ---- names, numbered as if nothing else had been read: equal rows stand in that order ---- */

struct renumbering {
	struct trace *trace;
	struct names names;
	name_id *to; /* (trace.names.n) + 1, 0: not yet */
};

static void renumber(struct renumbering *r, name_id *id)
{
	const struct names *old = &r->trace->names;
	name_id *to = &r->to[*id];
	if (!*to)
		*to = names_add(&r->names, old->text[*id], old->length[*id]) + 1;
	*id = *to - 1;
}

static void renumber_row(struct renumbering *r, uint32_t row, bool *inputs_done)
{
	struct trace *t = r->trace;
	uint32_t side = t->side[row];
	renumber(r, &t->category[row]);
	renumber(r, &t->name[row]);
	if (side == NO_ROW)
		return;
	if (t->kind[row] == EVENT_COUNTER)
		renumber(r, &t->counters[side].series);
	if ((t->kind[row] != EVENT_OP && t->kind[row] != EVENT_ANNOTATION) || inputs_done[side])
		return;
	struct op_inputs *in = &t->inputs[side];
	inputs_done[side] = true;
	renumber(r, &in->dims);
	renumber(r, &in->types);
	renumber(r, &in->strides);
	renumber(r, &in->concrete);
	renumber(r, &in->extra);
}

/* The rows in the order of the file (malloc). */
static uint32_t *rows_of_file(const struct trace *t)
{
	uint32_t most = 0, n = 0;
	for (size_t i = 0; i < t->n; i++)
		most = max32(t->file.row[i], most);
	uint32_t *at = xcalloc((size_t)most + 1, sizeof *at);
	for (uint32_t i = 0; i < t->n; i++)
		at[t->file.row[i]] = i + 1;
	for (uint32_t i = 0; i <= most; i++)
		if (at[i])
			at[n++] = at[i] - 1;
	return at;
}

static void renumber_tracks(struct renumbering *r)
{
	for (uint32_t i = 0; i < r->trace->n_tracks; i++) {
		struct track *track = &r->trace->tracks[i];
		renumber(r, &track->process);
		renumber(r, &track->thread);
		renumber(r, &track->label);
		renumber(r, &track->pid_text);
		renumber(r, &track->tid_text);
	}
}

static void renumber_names(struct trace *t)
{
	struct renumbering r = {.trace = t, .to = xcalloc(t->names.n, sizeof *r.to)};
	names_init(&r.names);
	uint32_t *row = rows_of_file(t);
	bool *done = xcalloc(t->n_inputs, sizeof *done);
	for (size_t i = 0; i < t->n; i++)
		renumber_row(&r, row[i], done);
	renumber_tracks(&r);
	const char **shown = t->shown ? arena_array(&t->arena, r.names.n, sizeof *shown) : NULL;
	for (name_id i = 0; shown && i < t->names.n; i++)
		if (r.to[i])
			shown[r.to[i] - 1] = t->shown[i];
	names_release(&t->names);
	t->names = r.names;
	t->shown = shown;
	free(done);
	free(row);
	free(r.to);
}

static size_t count_staying(const struct staying *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->trace->n; i++)
		n += s->row[i];
	return n;
}

static void leave(struct trace *t, const struct staying *s, size_t left)
{
	move_rows(t, s->row, left);
	move_sides(t);
	move_tracks(t);
	renumber_names(t);
	join_again(t);
}

/* What is asked, with what is known of the whole: the first part that is taken tells. */
static struct trace_part part_of(const struct trace *t, const struct trace_part *asked)
{
	struct trace_part part = *asked;
	const char *slash = strrchr(t->path, '/');
	part.of = slash ? slash + 1 : t->path;
	part.rank = t->part.rank;
	part.rows = t->part.of ? t->part.rows : (int64_t)t->n;
	part.whole_ns = t->part.of ? t->part.whole_ns : t->end_ns;
	part.earlier = part.earlier_ns = 0;
	part.cut_off = t->ends_early;
	return part;
}

int trace_narrow(struct trace *t, const struct trace_part *asked, struct err *err)
{
	struct trace_part part = part_of(t, asked);
	int64_t before_ns = t->clock_ns - t->file.clock_ns; /* what a part of it has lost */
	struct staying s = {
		t, xcalloc(t->n, sizeof *s.row), part.from_ns - before_ns, part.to_ns - before_ns};
	part.to_ns = min64(part.to_ns, part.whole_ns);
	choose_by_time(&s, &part);
	size_t left = count_staying(&s);
	if (left) {
		leave(t, &s, left);
		t->part = part;
	}
	free(s.row);
	return left ? 0
		    : fail(err, "%s: nothing begins in that part; all of it takes %s", t->path,
			      format_time(&t->arena, (double)part.whole_ns));
}

/* ---- ranks of one file ---- */

int64_t rank_of_text(const char *text)
{
	for (const char *p = text; (p = strcasestr(p, "rank")); p += 4) {
		const char *digits = p + 4 + strspn(p + 4, " _-#:=");
		if ((p > text && isalnum((unsigned char)p[-1])) || !isdigit((unsigned char)*digits))
			continue;
		char *end;
		long long rank = strtoll(digits, &end, 10);
		if (end - digits < 10)
			return rank;
	}
	return -1;
}

int64_t rank_of_track(const struct trace *t, const struct track *track)
{
	const name_id says[] = {track->pid_text, track->process, track->label};
	int64_t rank = -1;
	for (size_t i = 0; rank < 0 && i < sizeof says / sizeof *says; i++)
		rank = rank_of_text(names_text(&t->names, says[i]));
	return rank;
}

int trace_narrow_to_rank(struct trace *t, int64_t rank, struct err *err)
{
	struct staying s = {.trace = t, .row = xcalloc(t->n, sizeof *s.row)};
	bool *of_rank = xcalloc(t->n_tracks, sizeof *of_rank);
	int64_t least = INT64_MAX, most = -1;
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		int64_t told = rank_of_track(t, &t->tracks[i]);
		of_rank[i] = told == rank;
		least = told >= 0 ? min64(told, least) : least;
		most = max64(told, most);
	}
	for (size_t i = 0; i < t->n; i++)
		s.row[i] = of_rank[t->track[i]];
	size_t left = count_staying(&s);
	if (left) {
		t->part = part_of(t, &(struct trace_part)NO_PART);
		t->part.rank = rank;
		t->part.to_ns = t->part.whole_ns;
		leave(t, &s, left);
	}
	free(of_rank);
	free(s.row);
	if (left)
		return 0;
	return most < 0
		? fail(err, "%s does not say of which rank it is", t->path)
		: fail(err, "%s has no rank %" PRId64 ": its ranks are %" PRId64 " to %" PRId64,
			  t->path, rank, least, most);
}
