/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/pickle_parts.h"

#include "report/trace/growing_arrays.h"

#include <string.h>

enum { LOWEST_PROTOCOL = 2, HIGHEST_PROTOCOL = 5 };

/* ---- values ---- */

static const int64_t MOST = INT64_MAX >> PICKLE_KIND_BITS, LEAST = INT64_MIN >> PICKLE_KIND_BITS;

static pickle_value value_of(enum pickle_kind kind, uint64_t what)
{
	return what << PICKLE_KIND_BITS | kind;
}

static pickle_value int_value(int64_t i)
{
	return value_of(PICKLE_INT, (uint64_t)(i > MOST ? MOST : i < LEAST ? LEAST : i));
}

/* Of up to 255 bytes, two's complement. */
static int64_t long_value(const char *at, size_t n)
{
	bool negative = n && at[n - 1] & 0x80;
	if (n > 8)
		return negative ? LEAST : MOST;
	uint64_t v = little_endian(at, n);
	if (negative && n < 8)
		v |= UINT64_MAX << 8 * n;
	return (int64_t)v;
}

/* ---- room ---- */

static size_t bytes_held(const struct pickle *p)
{
	return p->item_room * sizeof *p->item + p->run_room * sizeof *p->run +
		p->box_room * sizeof *p->box + p->stack_room * sizeof *p->stack +
		p->memo_room * sizeof *p->memo + p->mark_room * sizeof *p->mark;
}

/* Room for n more; false when that is more than may be held. */
static bool make_room(struct pickle *p, void *array, size_t *room, size_t n, size_t size)
{
	void **at = array;
	size_t more = *room ? 2 * *room : 256;
	if (n <= *room)
		return true;
	while (more < n)
		more *= 2;
	if (bytes_held(p) + (more - *room) * size > p->memory) {
		p->full = true;
		return false;
	}
	*at = pages_grow(*at, more, size);
	*room = more;
	return true;
}

#define ROOM(p, array, room, n) make_room(p, &(p)->array, &(p)->room, n, sizeof *(p)->array)

static bool push(struct pickle *p, pickle_value v)
{
	if (!ROOM(p, stack, stack_room, p->depth + 1))
		return false;
	p->stack[p->depth++] = v;
	return true;
}

static bool push_box(struct pickle *p, enum pickle_kind kind)
{
	p->n_boxes += !p->n_boxes; /* 0 is no box */
	if (!ROOM(p, box, box_room, p->n_boxes + 1))
		return false;
	p->box[p->n_boxes] = (struct pickle_box){0};
	return push(p, value_of(kind, p->n_boxes++));
}

/* The lowest place of the stack that may be taken: what stands below the last mark is another's. */
static size_t floor_of(const struct pickle *p)
{
	return p->n_marks ? p->mark[p->n_marks - 1] : 0;
}

/* Takes what stands on the stack from a height on into a box. */
static bool fill(struct pickle *p, pickle_value box, size_t from)
{
	size_t n = p->depth - from;
	struct pickle_box *b = &p->box[what_of(box)];
	if (!n)
		return true;
	if (!ROOM(p, item, item_room, p->n_items + n) || !ROOM(p, run, run_room, p->n_runs + 2))
		return false;
	if (!p->n_runs)
		p->n_runs = 1; /* NO_RUN */
	memcpy(p->item + p->n_items, p->stack + from, n * sizeof *p->item);
	p->run[p->n_runs] = (struct pickle_run){p->n_items, n, NO_RUN};
	if (b->n)
		p->run[b->last].next = p->n_runs;
	else
		b->first = p->n_runs;
	b->last = p->n_runs++;
	b->n += n;
	p->n_items += n;
	p->depth = from;
	return true;
}

/* ---- the machine ---- */

enum step { STEP_ON, STEP_END, STEP_SHORT, STEP_WRONG };

struct machine {
	struct pickle *p;
	const char *at, *end;
	const char *code; /* of the instruction in hand */
};

static size_t left(const struct machine *m)
{
	return (size_t)(m->end - m->at);
}

static enum step went(bool room)
{
	return room ? STEP_ON : STEP_SHORT;
}

static enum step take_text(struct machine *m, size_t length)
{
	if (left(m) < length)
		return STEP_SHORT;
	uint64_t n = little_endian(m->at, length);
	if (left(m) - length < n)
		return STEP_SHORT;
	m->at += length + n;
	return went(push(m->p, value_of(PICKLE_TEXT, (uint64_t)(m->code - m->p->bytes))));
}

static enum step take_number(struct machine *m, size_t bytes)
{
	if (left(m) < bytes)
		return STEP_SHORT;
	uint64_t v = little_endian(m->at, bytes);
	m->at += bytes;
	return went(push(m->p, int_value(bytes == 4 ? (int32_t)(uint32_t)v : (int64_t)v)));
}

static enum step take_long(struct machine *m)
{
	if (left(m) < 1 || left(m) - 1 < (unsigned char)*m->at)
		return STEP_SHORT;
	size_t n = (unsigned char)*m->at;
	int64_t v = long_value(m->at + 1, n);
	m->at += 1 + n;
	return went(push(m->p, int_value(v)));
}

static enum step skip(struct machine *m, size_t n)
{
	if (left(m) < n)
		return STEP_SHORT;
	m->at += n;
	return STEP_ON;
}

static enum step take_real(struct machine *m)
{
	enum step s = skip(m, 8);
	return s != STEP_ON
		? s
		: went(push(m->p, value_of(PICKLE_REAL, (uint64_t)(m->code - m->p->bytes))));
}

/* The values above a height become a tuple. */
static enum step make_tuple(struct machine *m, size_t from)
{
	struct pickle *p = m->p;
	if (!push_box(p, PICKLE_LIST))
		return STEP_SHORT;
	pickle_value tuple = p->stack[--p->depth];
	return went(fill(p, tuple, from) && push(p, tuple));
}

/* The last n values into the list or the dict below them. */
static enum step put_into(struct machine *m, enum pickle_kind kind, size_t n, size_t floor)
{
	struct pickle *p = m->p;
	if (p->depth < floor + n + 1)
		return STEP_WRONG;
	pickle_value box = p->stack[p->depth - n - 1];
	if (pickle_kind(box) != kind || (kind == PICKLE_DICT && n % 2))
		return STEP_WRONG;
	return went(fill(p, box, p->depth - n));
}

static enum step to_mark(struct machine *m, int code)
{
	struct pickle *p = m->p;
	if (!p->n_marks)
		return STEP_WRONG;
	size_t from = p->mark[--p->n_marks];
	if (code == TUPLE)
		return make_tuple(m, from);
	enum step s = put_into(
		m, code == APPENDS ? PICKLE_LIST : PICKLE_DICT, p->depth - from, floor_of(p));
	if (s == STEP_SHORT)
		p->n_marks++; /* it is still open */
	return s;
}

static enum step set_mark(struct pickle *p)
{
	if (!ROOM(p, mark, mark_room, p->n_marks + 1))
		return STEP_SHORT;
	p->mark[p->n_marks++] = p->depth;
	return STEP_ON;
}

/* Numbers of a file that Python wrote follow each other, so they are no larger than its length. */
static enum step put_memo(struct machine *m, uint64_t i)
{
	struct pickle *p = m->p;
	if (p->depth == floor_of(p) || i > p->n)
		return STEP_WRONG;
	if (!ROOM(p, memo, memo_room, i + 1))
		return STEP_SHORT;
	if (i >= p->memos) {
		memset(p->memo + p->memos, 0, (i + 1 - p->memos) * sizeof *p->memo);
		p->memos = i + 1;
	}
	p->memo[i] = p->stack[p->depth - 1];
	return STEP_ON;
}

static enum step memo(struct machine *m, size_t bytes, bool put)
{
	if (left(m) < bytes)
		return STEP_SHORT;
	uint64_t i = little_endian(m->at, bytes);
	m->at += bytes;
	if (put)
		return put_memo(m, i);
	return i < m->p->memos ? went(push(m->p, m->p->memo[i])) : STEP_WRONG;
}

static enum step small_tuple(struct machine *m, size_t n)
{
	return m->p->depth < floor_of(m->p) + n ? STEP_WRONG : make_tuple(m, m->p->depth - n);
}

/* An instruction that makes a value. */
static enum step make_value(struct machine *m, int code)
{
	struct pickle *p = m->p;
	switch (code) {
	case NONE:
		return went(push(p, 0));
	case TRUE:
	case FALSE:
		return went(push(p, value_of(PICKLE_BOOL, code == TRUE)));
	case INT1:
		return take_number(m, 1);
	case INT2:
		return take_number(m, 2);
	case INT4:
		return take_number(m, 4);
	case LONG1:
		return take_long(m);
	case REAL:
		return take_real(m);
	case TEXT1:
		return take_text(m, 1);
	case TEXT4:
		return take_text(m, 4);
	case TEXT8:
		return take_text(m, 8);
	case EMPTY_LIST:
	case EMPTY_TUPLE:
		return went(push_box(p, PICKLE_LIST));
	case EMPTY_DICT:
		return went(push_box(p, PICKLE_DICT));
	default:
		return STEP_WRONG;
	}
}

/* One that puts values together, or keeps one for later. */
static enum step put_together(struct machine *m, int code)
{
	switch (code) {
	case APPEND:
		return put_into(m, PICKLE_LIST, 1, floor_of(m->p));
	case SETITEM:
		return put_into(m, PICKLE_DICT, 2, floor_of(m->p));
	case APPENDS:
	case SETITEMS:
	case TUPLE:
		return to_mark(m, code);
	case TUPLE1:
	case TUPLE2:
	case TUPLE3:
		return small_tuple(m, (size_t)(code - TUPLE1) + 1);
	case MEMOIZE:
		return put_memo(m, m->p->memos);
	case PUT1:
		return memo(m, 1, true);
	case PUT4:
		return memo(m, 4, true);
	case GET1:
		return memo(m, 1, false);
	case GET4:
		return memo(m, 4, false);
	default:
		return make_value(m, code);
	}
}

static enum step step(struct machine *m)
{
	m->code = m->at;
	if (m->at == m->end)
		return STEP_SHORT;
	int code = (unsigned char)*m->at++;
	switch (code) {
	case PROTO:
		return skip(m, 1);
	case FRAME:
		return skip(m, 8);
	case MARK:
		return set_mark(m->p);
	case STOP:
		return m->p->depth && !m->p->n_marks ? STEP_END : STEP_WRONG;
	default:
		return put_together(m, code);
	}
}

/* Closes what is open, from the inside out; what has no box below it is dropped. */
static void close_open(struct pickle *p)
{
	p->full = false;
	p->memory = SIZE_MAX; /* little more than what is on the stack already */
	while (p->n_marks) {
		size_t from = p->mark[--p->n_marks];
		pickle_value box = from > floor_of(p) ? p->stack[from - 1] : 0;
		bool dict = pickle_kind(box) == PICKLE_DICT;
		if (dict && (p->depth - from) % 2)
			p->depth--;
		if (dict || pickle_kind(box) == PICKLE_LIST)
			fill(p, box, from);
		p->depth = from;
	}
}

/* Does an instruction name a class, call something or build what it gave? */
static bool makes_objects(int code)
{
	return code && strchr("cRbioPQ", code) != NULL
		? true
		: code >= 0x81 && code <= 0x84; /* NEWOBJ, EXT */
}

static int refuse(const struct machine *m, const char *path, struct err *err)
{
	enum { STACK_GLOBAL = 0x93, NEWOBJ_EX = 0x92 };
	int code = (unsigned char)*m->code;
	long long at = m->code - m->p->bytes;
	if (makes_objects(code) || code == STACK_GLOBAL || code == NEWOBJ_EX)
		return fail(err,
			"%s: no trace: a Python pickle that makes objects (byte %lld), which no memory "
			"snapshot of PyTorch does; nothing of it was run",
			path, at);
	return fail(err,
		"%s: no trace: a Python pickle that is damaged, or no memory snapshot of PyTorch "
		"(byte %lld, 0x%02x)",
		path, at, (unsigned)code);
}

bool pickle_begins(const char *bytes, size_t n)
{
	return n >= 2 && (unsigned char)bytes[0] == PROTO && bytes[1] >= LOWEST_PROTOCOL &&
		bytes[1] <= HIGHEST_PROTOCOL;
}

int pickle_read(struct pickle *p, const char *path, struct err *err)
{
	struct machine m = {p, p->bytes, p->bytes + p->n, p->bytes};
	enum step s;
	while ((s = step(&m)) == STEP_ON)
		continue;
	if (s == STEP_WRONG)
		return refuse(&m, path, err);
	bool full = p->full;
	if (s == STEP_SHORT)
		close_open(p);
	p->full = full;
	p->cut = s == STEP_SHORT && !full;
	p->root = p->depth ? p->stack[s == STEP_END ? p->depth - 1 : 0] : 0;
	return 0;
}

void pickle_release(struct pickle *p)
{
	pages_free(p->item);
	pages_free(p->run);
	pages_free(p->box);
	pages_free(p->stack);
	pages_free(p->memo);
	pages_free(p->mark);
}
