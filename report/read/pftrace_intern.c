/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/pftrace_parts.h"

#include <stdlib.h>

/* ---- tables ---- */

static uint32_t slot_of(const struct pf_index *x, uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53u;
	uint32_t i = (uint32_t)(h >> 32) & (x->room - 1);
	while (x->slot[i].place && (x->slot[i].a != a || x->slot[i].b != b))
		i = (i + 1) & (x->room - 1);
	return i;
}

static void grow(struct pf_index *x)
{
	struct pf_index old = *x;
	x->room = old.room ? 2 * old.room : 64;
	x->slot = xcalloc(x->room, sizeof *x->slot);
	for (uint32_t i = 0; i < old.room; i++)
		if (old.slot[i].place)
			x->slot[slot_of(x, old.slot[i].a, old.slot[i].b)] = old.slot[i];
	free(old.slot);
}

uint32_t pf_find(const struct pf_index *x, uint64_t a, uint64_t b)
{
	uint32_t place = x->room ? x->slot[slot_of(x, a, b)].place : 0;
	return place ? place - 1 : UINT32_MAX;
}

uint32_t pf_add(struct pf_index *x, uint64_t a, uint64_t b, uint32_t place)
{
	if (2 * x->n >= x->room)
		grow(x);
	struct pf_slot *s = &x->slot[slot_of(x, a, b)];
	if (!s->place) {
		*s = (struct pf_slot){a, b, place + 1};
		x->n++;
	}
	return s->place - 1;
}

/* ---- what is interned ---- */

/* A sequence, the time since its last reset, and the field. */
static uint64_t table_of(const struct pf_sequence *s, enum pf_field field)
{
	return s ? (uint64_t)s->id << 32 | (uint64_t)(s->generation & 0xffffff) << 8 | field
		 : field;
}

static void keep(struct pftrace *x, uint64_t table, uint64_t iid, struct pf_interned what)
{
	uint32_t at = pf_add(&x->interned_at, table, iid, x->n_interned);
	if (at == x->n_interned) {
		PF_GROW(x->interned, x->n_interned, x->interned_room);
		x->n_interned++;
	}
	if (what.text.at)
		what.text.at = arena_strndup(&x->arena, what.text.at, what.text.n);
	x->interned[at] = what;
}

const struct pf_interned *pf_interned(
	struct pftrace *x, const struct pf_sequence *s, enum pf_field field, uint64_t iid)
{
	uint32_t at =
		s && !s->valid ? UINT32_MAX : pf_find(&x->interned_at, table_of(s, field), iid);
	return at == UINT32_MAX ? NULL : &x->interned[at];
}

struct pf_text pf_interned_text(
	struct pftrace *x, const struct pf_sequence *s, enum pf_field field, uint64_t iid)
{
	const struct pf_interned *i = pf_interned(x, s, field, iid);
	return i ? i->text : (struct pf_text){0};
}

/* Counters of several descriptors share a table. */
static uint64_t counter_key(uint64_t iid, uint64_t counter)
{
	return iid << 32 | (counter & UINT32_MAX);
}

const struct pf_interned *pf_counter(
	struct pftrace *x, const struct pf_sequence *s, uint64_t iid, uint64_t counter)
{
	return pf_interned(x, s, PF_COUNTER, counter_key(iid, counter));
}

/* GpuCounterDescriptor.MeasureUnit, as a reader writes them. */
static const char *const units[] = {"", "bit", "kbit", "Mbit", "Gbit", "Tbit", "Pbit", "B", "kB",
	"MB", "GB", "TB", "PB", "Hz", "kHz", "MHz", "GHz", "THz", "PHz", "ns", "us", "ms", "s",
	"min", "h", "vertices", "pixels", "triangles", "mW", "W", "kW", "J", "V", "A", "C", "F",
	"K", "%", "primitives", "fragments", "instructions"};

static const char *unit_name(uint64_t unit)
{
	return unit < sizeof units / sizeof *units ? units[unit] : "";
}

/* A counter with its unit behind it, as PyTorch writes it: "Power (W)". */
static void keep_counter(struct pftrace *x, uint64_t table, uint64_t iid, struct proto_message m)
{
	struct proto_field f;
	struct pf_text name = {0};
	uint64_t id = 0, above = 0, below = 0;
	while (proto_next(&m, &f))
		switch (f.number) {
		case 1:
			id = f.value;
			break;
		case 2:
			name = pf_span(&f);
			break;
		case 7: /* packed, too */
			above = f.wire == PROTO_VARINT ? f.value : f.value ? (uint8_t)*f.at : 0;
			break;
		case 8:
			below = f.wire == PROTO_VARINT ? f.value : f.value ? (uint8_t)*f.at : 0;
			break;
		}
	struct pf_interned what = {name, 0};
	const char *unit = unit_name(above);
	if (name.at && *unit) {
		what.text.at = arena_printf(&x->arena, "%.*s (%s%s%s)", (int)name.n, name.at, unit,
			*unit_name(below) ? "/" : "", unit_name(below));
		what.text.n = strlen(what.text.at);
	}
	keep(x, table, counter_key(iid, id), what);
}

void pf_intern_counters(
	struct pftrace *x, const struct pf_sequence *s, struct proto_message m, uint64_t iid)
{
	struct proto_field f;
	while (proto_next(&m, &f))
		if (f.number == 1 && f.wire == PROTO_BYTES)
			keep_counter(x, table_of(s, PF_COUNTER), iid, proto_in(&f));
}

/* A number, a name, and of a specification its kind. */
static void take_entry(
	struct pftrace *x, const struct pf_sequence *s, enum pf_field field, struct proto_message m)
{
	struct proto_field f;
	struct pf_interned what = {0};
	struct proto_message counters = {0};
	uint64_t iid = 0;
	while (proto_next(&m, &f))
		switch (f.number) {
		case 1:
			iid = f.value;
			break;
		case 2:
			counters = proto_in(&f);
			if (!what.text.at)
				what.text = pf_span(&f);
			break;
		case 3:
			if (field == PF_KERNEL && f.wire == PROTO_BYTES)
				what.text = pf_span(&f); /* the demangled name */
			if (field == PF_GPU_COUNTERS)
				what.number = (int32_t)f.value;
			break;
		case 4:
			what.number = proto_int(&f);
			break;
		}
	if (field == PF_GPU_COUNTERS) {
		pf_intern_counters(x, s, counters, iid);
		what.text = (struct pf_text){0};
	}
	keep(x, table_of(s, field), iid, what);
}

void pf_intern(struct pftrace *x, struct pf_sequence *s, struct proto_message m)
{
	struct proto_field f;
	while (proto_next(&m, &f)) {
		if (f.wire != PROTO_BYTES)
			continue;
		switch (f.number) {
		case PF_CATEGORY:
		case PF_NAME:
		case PF_ANNOTATION:
		case PF_SPECIFICATION:
		case PF_STRING:
		case PF_GPU_COUNTERS:
			take_entry(x, s, (enum pf_field)f.number, proto_in(&f));
			break;
		case 1000:
			take_entry(x, s, PF_KERNEL, proto_in(&f));
			break;
		case 1001:
			take_entry(x, s, PF_ARGUMENT, proto_in(&f));
			break;
		}
	}
}
