/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for what moves data: copies and communication; and what is already good. */
#include "report/analyse/message.h"
#include "report/rules/advice_parts.h"

#include <string.h>

static int64_t bytes_of(const struct sight *s, uint32_t row)
{
	uint32_t side = s->t->side[row];
	return side == NO_ROW || s->t->copies[side].bytes < 0 ? 0 : s->t->copies[side].bytes;
}

/* ---- copies ---- */

/* From memory that the driver must first copy into its own. Pinned, the same bytes take what the
 * link takes, and that beside the computing. */
bool remedy_pinned(const struct sight *s, struct action *x)
{
	enum { LEAST_BYTES = 100000 };
	int64_t ns = 0, bytes = 0, up = 0;
	size_t n = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (e->part != SPENT_COPIES || !(e->traits & TRAIT_PAGEABLE))
			continue;
		n++;
		ns += e->exposed_ns;
		bytes += bytes_of(s, e->row);
		up += strstr(sight_name(s, e->row), "Pageable ->") ? 1 : 0;
		prove(x, e->row);
	}
	if (!n || bytes < LEAST_BYTES || !worth(s, ns))
		return false;
	double link = s->chip ? (double)bytes / (MEMORY_REACHED * s->chip->link) * 1e9 : 0;
	double left = link > (double)s->computing_ns ? link - (double)s->computing_ns : 0;
	x->gain_ns = ns - (int64_t)left;
	x->variant = !s->torch ? "c" : 2 * (size_t)up < n ? "to-host" : s->chip ? "" : "no-chip";
	put_value(x, "n", UNIT_COUNT, (double)n);
	put_value(x, "bytes", UNIT_BYTES, (double)bytes);
	put_value(x, "time", UNIT_NS, (double)ns);
	put_value(x, "share", UNIT_SHARE, (double)ns / (double)sight_ns(s));
	put_value(x, "rate", UNIT_BYTES_PER_S, (double)bytes / (double)ns * 1e9);
	put_value(x, "link", UNIT_NS, link);
	return x->gain_ns > 0;
}

static uint32_t outermost_op(const struct sight *s, uint32_t call)
{
	uint32_t row = call;
	for (uint32_t up = s->t->parent[call]; up != NO_ROW && s->t->kind[up] == EVENT_OP;
		up = s->t->parent[up])
		row = up;
	return row;
}

static bool is_small_upload(const struct sight *s, const struct seen_event *e)
{
	enum { SMALL_BYTES = 65536 };
	return e->part == SPENT_COPIES && e->call != NO_ROW && e->traits & TRAIT_TO_DEVICE &&
		bytes_of(s, e->row) <= SMALL_BYTES;
}

/* Many small tensors to the device, each with a call, and where the memory is pageable a wait, of
 * its own: all of them in the time of one. */
bool remedy_small_copies(const struct sight *s, struct action *x)
{
	enum { MANY_UPLOADS = 8 };
	int64_t cost = 0, bytes = 0, done = s->w->start_ns;
	size_t n = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		size_t i = s->move[k];
		const struct seen_event *e = &s->event[i];
		if (!is_small_upload(s, e))
			continue;
		uint32_t op = outermost_op(s, e->call);
		int64_t from = s->t->start_ns[op] > done ? s->t->start_ns[op] : done;
		int64_t to = i + 1 < s->n ? s->t->start_ns[s->event[i + 1].row] : s->w->end_ns;
		n++;
		bytes += bytes_of(s, e->row);
		prove(x, e->row);
		cost += e->exposed_ns + (to > from ? sight_idle(s, from, to) : 0);
		done = to > done ? to : done;
	}
	if (n < MANY_UPLOADS)
		return false;
	x->gain_ns = (int64_t)(host_ns(s, (double)cost) * (double)(n - 1) / (double)n);
	put_value(x, "n", UNIT_COUNT, (double)n);
	put_value(x, "bytes", UNIT_BYTES, (double)bytes);
	put_value(x, "time", UNIT_NS, (double)cost);
	put_value(x, "share", UNIT_SHARE, (double)cost / (double)sight_ns(s));
	return 20 * x->gain_ns >= sight_ns(s);
}

/* Computing beside which no copy or communication runs yet. */
static int64_t alone_ns(const struct sight *s, int64_t hidden_ns)
{
	return s->computing_ns > hidden_ns ? s->computing_ns - hidden_ns : 0;
}

struct copies {
	int64_t ns, bytes; /* not hidden; of all */
	int64_t alone_ns; /* computing beside which none runs yet */
	size_t n;
};

/* To and from the host's pinned memory, which could run beside the computing, and do not. */
static bool exposed_copies(const struct sight *s, struct action *x, struct copies *k)
{
	int64_t time = 0;
	for (size_t m = 0; m < s->n_moves; m++) {
		const struct seen_event *e = &s->event[s->move[m]];
		if (e->part != SPENT_COPIES || e->traits & TRAIT_PAGEABLE ||
			!(e->traits & (TRAIT_TO_DEVICE | TRAIT_TO_HOST)))
			continue;
		k->n++;
		k->ns += e->exposed_ns;
		time += sight_clip(s, s->t->start_ns[e->row], row_end(s->t, e->row));
		k->bytes += bytes_of(s, e->row);
		prove(x, e->row);
	}
	k->alone_ns = alone_ns(s, time - k->ns);
	put_value(x, "n", UNIT_COUNT, (double)k->n);
	put_value(x, "bytes", UNIT_BYTES, (double)k->bytes);
	put_value(x, "time", UNIT_NS, (double)k->ns);
	put_value(x, "share", UNIT_SHARE, (double)k->ns / (double)sight_ns(s));
	put_value(x, "computing", UNIT_NS, (double)s->computing_ns);
	return k->n && 20 * k->ns >= sight_ns(s);
}

bool remedy_overlap_copies(const struct sight *s, struct action *x)
{
	struct copies k = {0};
	if (!exposed_copies(s, x, &k) || 2 * k.alone_ns < k.ns)
		return false;
	x->gain_ns = k.ns < k.alone_ns ? k.ns : k.alone_ns;
	x->variant = s->torch ? "" : "c";
	return worth(s, x->gain_ns);
}

/* Where the computing is covered already, only fewer bytes help: half as many, as a smaller type
 * makes them. */
bool remedy_smaller_copies(const struct sight *s, struct action *x)
{
	struct copies k = {0};
	if (!exposed_copies(s, x, &k) || 2 * k.alone_ns >= k.ns)
		return false;
	x->gain_ns = k.ns / 2;
	x->variant = s->computing_ns ? "" : "only";
	return worth(s, x->gain_ns);
}

/* ---- communication ---- */

enum { SMALL_COLLECTIVE_NS = 50000, MANY_COLLECTIVES = 50, SMALL_MESSAGE = 1 << 20 };

/* Short, or of so few bytes that it is long only for the ranks that it waits for. */
static bool is_small_collective(const struct sight *s, const struct seen_event *e)
{
	return e->part == SPENT_COMMUNICATION &&
		(s->t->dur_ns[e->row] <= SMALL_COLLECTIVE_NS ||
			message_of(s->t, communicating_op(s->t, e->call)).bytes <= SMALL_MESSAGE);
}

bool remedy_buckets(const struct sight *s, struct action *x)
{
	int64_t ns = 0, longest = 0, time = 0, exposed = 0;
	size_t n = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (!is_small_collective(s, e))
			continue;
		int64_t own =
			e->exposed_ns < SMALL_COLLECTIVE_NS ? e->exposed_ns : SMALL_COLLECTIVE_NS;
		n++;
		ns += own;
		exposed += e->exposed_ns;
		time += s->t->dur_ns[e->row];
		longest = own > longest ? own : longest;
		prove(x, e->row);
	}
	if (n < MANY_COLLECTIVES)
		return false;
	x->gain_ns = ns - longest;
	put_value(x, "n", UNIT_COUNT, (double)n);
	put_value(x, "each", UNIT_NS, (double)time / (double)n);
	put_value(x, "time", UNIT_NS, (double)exposed);
	put_value(x, "share", UNIT_SHARE, (double)exposed / (double)sight_ns(s));
	return worth(s, x->gain_ns);
}

bool remedy_overlap_communication(const struct sight *s, struct action *x)
{
	int64_t ns = 0, time = 0;
	size_t n = 0;
	if (20 * s->w->ns[SPENT_COMMUNICATION] < sight_ns(s))
		return false;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (e->part != SPENT_COMMUNICATION || is_small_collective(s, e))
			continue;
		n++;
		ns += e->exposed_ns;
		time += s->t->dur_ns[e->row];
		prove(x, e->row);
	}
	if (!n || 20 * ns < sight_ns(s))
		return false;
	int64_t alone = alone_ns(s, time > ns ? time - ns : 0);
	x->gain_ns = ns < alone ? ns : alone;
	put_value(x, "n", UNIT_COUNT, (double)n);
	put_value(x, "time", UNIT_NS, (double)time);
	put_value(x, "exposed", UNIT_NS, (double)ns);
	put_value(x, "share", UNIT_SHARE, (double)ns / (double)sight_ns(s));
	put_value(x, "computing", UNIT_NS, (double)s->computing_ns);
	return true;
}

/* ---- what is already good ---- */

/* Products that reach what good kernels reach. */
bool leave_products(const struct sight *s, struct action *x)
{
	int64_t ns = 0;
	double flop = 0;
	if (!s->chip || 10 * s->w->ns[SPENT_GEMM] < sight_ns(s))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		const struct matmul *m = e->part == SPENT_GEMM ? sight_product(s, e->op) : NULL;
		if (!m)
			continue;
		double peak = m->bytes > 2 ? s->chip->tf32 : s->chip->half;
		double reached = matmul_flop(m) / ((double)s->t->dur_ns[e->row] / 1e9);
		/* More than the peak: one of several kernels of its operator. */
		if (reached < 0.6 * peak || reached > peak)
			continue;
		ns += e->exposed_ns;
		flop += matmul_flop(m);
		prove(x, e->row);
	}
	if (!ns || 10 * ns < sight_ns(s))
		return false;
	x->gain_ns = ns;
	put_value(x, "time", UNIT_NS, (double)ns);
	put_value(x, "share", UNIT_SHARE, (double)ns / (double)sight_ns(s));
	put_value(x, "rate", UNIT_FLOP_PER_S, flop / (double)ns * 1e9);
	put_name(x, "chip", s->chip->name);
	return true;
}

/* The kernels as a whole, where they are next to nothing. */
bool leave_kernels(const struct sight *s, struct action *x)
{
	if (!s->computing_ns || 10 * s->computing_ns > sight_ns(s))
		return false;
	x->gain_ns = s->computing_ns;
	put_value(x, "time", UNIT_NS, (double)s->computing_ns);
	put_value(x, "share", UNIT_SHARE, (double)s->computing_ns / (double)sight_ns(s));
	return true;
}

bool leave_flash(const struct sight *s, struct action *x)
{
	int64_t ns = s->w->ns[SPENT_ATTENTION];
	if (10 * ns < sight_ns(s))
		return false;
	x->gain_ns = ns;
	for (size_t i = 0; i < s->n; i++)
		if (s->event[i].part == SPENT_ATTENTION)
			prove(x, s->event[i].row);
	put_value(x, "time", UNIT_NS, (double)ns);
	put_value(x, "share", UNIT_SHARE, (double)ns / (double)sight_ns(s));
	return true;
}

/* Communication and copies that run beside the computing. */
bool leave_hidden(const struct sight *s, struct action *x)
{
	int64_t time = 0, exposed = 0;
	for (size_t k = 0; k < s->n_moves; k++) {
		const struct seen_event *e = &s->event[s->move[k]];
		if (e->part != SPENT_COMMUNICATION && e->part != SPENT_COPIES)
			continue;
		time += sight_clip(s, s->t->start_ns[e->row], row_end(s->t, e->row));
		exposed += e->exposed_ns;
		prove(x, e->row);
	}
	if (10 * time < sight_ns(s) || 5 * exposed > time)
		return false;
	x->gain_ns = time - exposed;
	put_value(x, "time", UNIT_NS, (double)time);
	put_value(x, "hidden", UNIT_SHARE, 1 - (double)exposed / (double)time);
	return true;
}
