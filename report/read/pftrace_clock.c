/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/pftrace_parts.h"

/* Clocks of ClockSnapshot that everybody shares; those from FIRST_OWN on belong to a sequence. */
enum { REALTIME = 1, BOOTTIME = 6, FIRST_OWN = 64, LAST_OWN = 127 };

/* More are not looked at in one snapshot. */
enum { MOST = 64 };

struct reading {
	uint32_t clock;
	uint64_t stamp, unit_ns;
	bool incremental;
};

static uint64_t scope_of(const struct pf_sequence *s, uint32_t clock)
{
	return clock >= FIRST_OWN && clock <= LAST_OWN ? (s ? s->id : 0) + UINT64_C(1) : 0;
}

static struct pf_clock *clock_of(struct pftrace *x, const struct pf_sequence *s, uint32_t clock)
{
	uint32_t at = pf_find(&x->clock_at, scope_of(s, clock), clock);
	return at == UINT32_MAX ? NULL : &x->clock[at];
}

/* Stamps wrap around rather than overflow: what is out of range is left out with its event. */
static int64_t times(uint64_t stamp, uint64_t unit_ns)
{
	return (int64_t)(stamp * unit_ns);
}

static int64_t moved(int64_t from_ns, int64_t to_ns, int64_t at_ns)
{
	return (int64_t)((uint64_t)to_ns + (uint64_t)at_ns - (uint64_t)from_ns);
}

static struct reading reading_of(struct proto_message m)
{
	struct reading r = {.unit_ns = 1};
	struct proto_field f;
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			r.clock = (uint32_t)f.value;
		else if (f.number == 2)
			r.stamp = f.value;
		else if (f.number == 3)
			r.incremental = f.value;
		else if (f.number == 4 && f.value)
			r.unit_ns = f.value;
	}
	return r;
}

/* The trace's time of a snapshot: what its own clock says, or one that is known by now. */
static bool trace_time(struct pftrace *x, const struct pf_sequence *s, const struct reading *list,
	size_t n, int64_t *at_ns)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].clock == x->primary) {
			*at_ns = times(list[i].stamp, list[i].unit_ns);
			return true;
		}
	for (size_t i = 0; i < n; i++) {
		const struct pf_clock *c = clock_of(x, s, list[i].clock);
		if (!c || c->incremental)
			continue;
		*at_ns = moved(c->own_ns, c->trace_ns, times(list[i].stamp, list[i].unit_ns));
		return true;
	}
	return false;
}

static void keep(
	struct pftrace *x, const struct pf_sequence *s, const struct reading *r, int64_t at_ns)
{
	uint32_t at = pf_add(&x->clock_at, scope_of(s, r->clock), r->clock, x->n_clocks);
	if (at == x->n_clocks) {
		PF_GROW(x->clock, x->n_clocks, x->clock_room);
		x->n_clocks++;
	}
	int64_t own_ns = times(r->stamp, r->unit_ns);
	x->clock[at] = (struct pf_clock){own_ns, at_ns, own_ns, r->unit_ns, r->incremental};
	if (r->clock == REALTIME && !x->anchored) {
		x->base_ns = moved(at_ns, 0, own_ns);
		x->anchored = true;
	}
}

void pf_snapshot(struct pftrace *x, const struct pf_packet *p, struct proto_message m)
{
	struct reading list[MOST];
	struct proto_field f;
	size_t n = 0;
	int64_t at_ns = 0;
	while (proto_next(&m, &f)) {
		if (f.number == 1 && f.wire == PROTO_BYTES && n < MOST)
			list[n++] = reading_of(proto_in(&f));
		else if (f.number == 2 && !x->n_clocks)
			x->primary = (uint32_t)f.value;
	}
	if (!n)
		return;
	if (!trace_time(x, p->sequence, list, n, &at_ns)) {
		if (x->n_clocks)
			return; /* of another machine */
		x->primary = list[0].clock;
		at_ns = times(list[0].stamp, list[0].unit_ns);
	}
	for (size_t i = 0; i < n; i++)
		keep(x, p->sequence, &list[i], at_ns);
}

bool pf_time(struct pftrace *x, const struct pf_sequence *s, uint32_t clock, uint64_t stamp,
	int64_t *at_ns)
{
	struct pf_clock *c = clock_of(x, s, clock ? clock : BOOTTIME);
	*at_ns = (int64_t)stamp;
	if (!c)
		return !scope_of(s, clock);
	int64_t own_ns = times(stamp, c->unit_ns);
	if (c->incremental) {
		own_ns = (int64_t)((uint64_t)own_ns + (uint64_t)c->last_ns);
		c->last_ns = own_ns;
	}
	*at_ns = moved(c->own_ns, c->trace_ns, own_ns);
	return true;
}
