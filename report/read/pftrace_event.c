/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/event_in.h"
#include "report/read/parts.h"
#include "report/read/pftrace_parts.h"

/* Types of events, as TrackEvent numbers them. */
enum { BEGIN = 1, END, INSTANT, COUNTER };

void pf_give(struct pftrace *x, enum raw_text_of i, struct pf_text text)
{
	if (!text.at)
		return;
	x->raw.text[i] =
		(struct raw_text){.at = text.at, .n = (uint32_t)text.n, .form = TEXT_PLAIN};
	x->raw.seen |= RAW_SEEN_TEXT(i);
}

void pf_number(struct pftrace *x, enum raw_number i, int64_t value)
{
	x->raw.number[i] = value;
	x->raw.seen |= RAW_SEEN_NUMBER(i);
}

uint32_t pf_add_event(struct pftrace *x, char phase, int64_t offset)
{
	struct part *p = x->r->part;
	size_t rows = p->rows.n;
	x->raw.phase = phase;
	x->raw.end = x->json.text + x->json.n;
	part_add(p, &x->raw, x->json.text, offset);
	x->events++;
	return p->rows.n > rows ? (uint32_t)rows : NO_ROW;
}

/* ---- one event ---- */

struct event {
	struct pf_text name, category;
	uint64_t type, track, flow;
	bool tracked, valued, annotated;
	double value;
	int64_t delta_us, absolute_us, correlation;
	struct proto_message legacy;
	char phase; /* of the older form */
	int64_t duration_us, id, pid, tid;
	struct pf_text scope;
};

/* One of a list, packed or not. */
static uint64_t first_of(const struct proto_field *f)
{
	struct proto_message m = proto_in(f);
	uint64_t value = f->value;
	if (f->wire == PROTO_BYTES && !proto_varint(&m, &value))
		value = 0;
	return value;
}

static void take_name(struct pftrace *x, const struct pf_sequence *s, const struct proto_field *f,
	struct event *e)
{
	switch (f->number) {
	case 3:
		if (!e->category.at)
			e->category = pf_interned_text(x, s, PF_CATEGORY, first_of(f));
		break;
	case 10:
		e->name = pf_interned_text(x, s, PF_NAME, f->value);
		break;
	case 22:
		e->category = pf_span(f);
		break;
	case 23:
		e->name = pf_span(f);
		break;
	}
}

static struct event event_of(struct pftrace *x, const struct pf_sequence *s, struct proto_message m)
{
	struct event e = {.track = s->track, .pid = LANE_ABSENT, .tid = LANE_ABSENT};
	struct proto_field f;
	while (proto_next(&m, &f))
		switch (f.number) {
		case 1:
			e.delta_us = proto_int(&f);
			break;
		case 4:
			e.annotated = true;
			break;
		case 6:
			e.legacy = proto_in(&f);
			break;
		case 9:
			e.type = f.value;
			break;
		case 11:
			e.track = f.value;
			e.tracked = true;
			break;
		case 16:
			e.absolute_us = proto_int(&f);
			break;
		case 30:
			e.value = (double)proto_int(&f);
			e.valued = true;
			break;
		case 36:
		case 42:
		case 47:
		case 48:
			e.flow = f.wire == PROTO_BYTES ? e.flow : f.value;
			break;
		case 44:
			e.value = proto_double(&f);
			e.valued = true;
			break;
		case 52:
			e.correlation = proto_int(&f);
			break;
		default:
			take_name(x, s, &f, &e);
		}
	return e;
}

/* What events of Chrome said before there were types. */
static void take_legacy(struct pftrace *x, const struct pf_sequence *s, struct event *e)
{
	struct proto_message m = e->legacy;
	struct proto_field f;
	while (proto_next(&m, &f))
		switch (f.number) {
		case 1:
			if (!e->name.at)
				e->name = pf_interned_text(x, s, PF_NAME, f.value);
			break;
		case 2:
			e->phase = (char)(f.value & 127);
			break;
		case 3:
			e->duration_us = proto_int(&f);
			break;
		case 6:
		case 10:
		case 11:
			e->id = proto_int(&f);
			break;
		case 7:
			e->scope = pf_span(&f);
			break;
		case 18:
			e->pid = (int32_t)f.value;
			break;
		case 19:
			e->tid = (int32_t)f.value;
			break;
		}
}

/* Categories of ROCm's profiler for those of PyTorch. */
static struct pf_text category_of(struct pf_text category)
{
	static const char *const names[][2] = {{"kernel_dispatch", "kernel"},
		{"memory_copy", "gpu_memcpy"}, {"hip_api", "hip_runtime"},
		{"hip_runtime_api", "hip_runtime"}, {"hsa_api", "cuda_driver"},
		{"marker_api", "user_annotation"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (pf_is(category, names[i][0]))
			return pf_word(names[i][1]);
	return category;
}

static void take_args(struct pftrace *x, const struct pf_sequence *s, struct proto_message m)
{
	struct proto_field f;
	pf_json_begin(&x->json);
	while (proto_next(&m, &f))
		if (f.number == 4 && f.wire == PROTO_BYTES)
			pf_annotation(x, s, proto_in(&f));
	pf_parse_args(x);
}

/* Who works on the device without being a thread is there by what it says. */
static void give_place(struct pftrace *x, const struct pf_place *place, int kind)
{
	bool device = kind != KIND_BY_NAME && event_on_device((uint8_t)kind);
	if (!place->threaded && device) {
		bool there = seen_number(&x->raw, RAW_DEVICE);
		pf_number(x, RAW_PID, there ? x->raw.number[RAW_DEVICE] : 0);
		there = seen_number(&x->raw, RAW_STREAM);
		pf_number(x, RAW_TID, there ? x->raw.number[RAW_STREAM] : 0);
	} else {
		if (place->pid != LANE_ABSENT)
			pf_number(x, RAW_PID, place->pid);
		if (place->tid != LANE_ABSENT)
			pf_number(x, RAW_TID, place->tid);
	}
	int64_t gpu = x->raw.seen & RAW_SEEN_NUMBER(RAW_PID) ? x->raw.number[RAW_PID] : -1;
	if (device && gpu >= 0 && gpu < PF_GPUS)
		x->gpu[gpu] = 1;
}

/* What args say, then its name, category and place. */
static int give_all(struct pftrace *x, const struct pf_packet *p, struct proto_message m,
	struct event *e, const struct pf_place *place)
{
	take_args(x, p->sequence, m);
	if (!e->category.at && e->type == BEGIN)
		e->category = pf_category(x, e->name, place);
	e->category = category_of(e->category);
	int kind = e->category.at ? event_kind_of(e->category.at, e->category.n) : EVENT_OTHER;
	pf_give(x, RAW_NAME, e->name);
	pf_give(x, RAW_CATEGORY, e->category);
	give_place(x, place, kind);
	if (!e->correlation)
		e->correlation = (int64_t)e->flow;
	bool joins = event_is_call((uint8_t)kind) || event_on_device((uint8_t)kind);
	if (joins && e->correlation && !seen_number(&x->raw, RAW_CORRELATION))
		pf_number(x, RAW_CORRELATION, e->correlation);
	if (p->timed)
		pf_number(x, RAW_TS, p->at_ns);
	x->raw.fraction = p->at_ns % 1000;
	return kind;
}

static void add_begin(struct pftrace *x, const struct pf_packet *p, struct proto_message m,
	struct event *e, uint32_t track)
{
	struct pf_place place = pf_place_of(x, track);
	int kind = give_all(x, p, m, e, &place);
	bool row_of_its_own =
		!place.threaded && kind != KIND_BY_NAME && !event_on_device((uint8_t)kind);
	size_t marks = x->r->part->n_marks;
	pf_number(x, RAW_DUR, 0);
	uint32_t row = pf_add_event(x, row_of_its_own ? 'b' : 'X', p->offset);
	x->r->part->n_marks = marks; /* pf_run_over() has better ones */
	x->slices += row != NO_ROW;
	if (row != NO_ROW)
		pf_begin(x, p->sequence, (struct pf_begin){row, track, p->at_ns, p->offset});
}

static void add_counter(
	struct pftrace *x, const struct pf_packet *p, const struct event *e, uint32_t track)
{
	struct pf_track *t = &x->track[track];
	struct pf_place place = pf_place_of(x, track);
	char name[128];
	double value = e->value * t->factor;
	if (t->incremental)
		value = t->value += value;
	if (!p->timed || !e->valued)
		return;
	pf_json_begin(&x->json);
	pf_json_key(&x->json, pf_word(""));
	pf_json_number(&x->json, value);
	pf_parse_args(x);
	struct pf_text of = t->name.at ? t->name : e->name;
	snprintf(name, sizeof name, t->unit.n ? "%.*s (%.*s)" : "%.*s", (int)of.n,
		of.at ? of.at : "", (int)t->unit.n, t->unit.at);
	pf_give(x, RAW_NAME, pf_word(name));
	pf_give(x, RAW_PID_TEXT, place.pid == LANE_ABSENT ? place.process : (struct pf_text){0});
	if (place.pid != LANE_ABSENT)
		pf_number(x, RAW_PID, place.pid);
	pf_number(x, RAW_TS, p->at_ns);
	pf_add_event(x, 'C', p->offset);
}

static void add_instant(struct pftrace *x, const struct pf_packet *p, struct proto_message m,
	struct event *e, uint32_t track)
{
	struct pf_place place = pf_place_of(x, track);
	give_all(x, p, m, e, &place);
	pf_add_event(x, place.threaded ? 'i' : 'n', p->offset);
}

/* Phases of JSON that a type does not say: with an id of their own, or with their duration. */
static void add_legacy(struct pftrace *x, const struct pf_packet *p, struct proto_message m,
	struct event *e, uint32_t track)
{
	struct pf_place place = pf_place_of(x, track);
	give_all(x, p, m, e, &place);
	if (e->phase == 'X')
		pf_number(x, RAW_DUR, (int64_t)((uint64_t)e->duration_us * 1000));
	pf_number(x, RAW_ID, e->id);
	pf_give(x, RAW_SCOPE, e->scope);
	if (e->pid != LANE_ABSENT)
		pf_number(x, RAW_PID, e->pid);
	if (e->tid != LANE_ABSENT)
		pf_number(x, RAW_TID, e->tid);
	if (e->phase != 'M')
		pf_add_event(x, e->phase, p->offset);
}

/* A stamp of its own, in the form before packets had them. */
static void retime(struct pf_packet *p, const struct event *e)
{
	struct pf_sequence *s = p->sequence;
	if (p->timed)
		return;
	if (!e->absolute_us)
		s->reference_us = (int64_t)((uint64_t)s->reference_us + (uint64_t)e->delta_us);
	int64_t us = e->absolute_us ? e->absolute_us : s->reference_us;
	p->timed = us;
	p->at_ns = (int64_t)((uint64_t)us * 1000);
}

/* A thread that a sequence is, when its events name no track. */
static uint32_t own_track(struct pftrace *x, const struct pf_sequence *s)
{
	uint64_t uuid = ~((uint64_t)s->pid << 32 ^ (uint64_t)s->tid);
	uint32_t track = pf_track_of(x, uuid);
	struct pf_track *t = &x->track[track];
	t->thread = true;
	t->pid = s->pid;
	t->tid = s->tid;
	return track;
}

static bool sane(int64_t at_ns)
{
	return at_ns > INT64_MIN / 4 && at_ns < INT64_MAX / 2;
}

void pf_track_event(struct pftrace *x, const struct pf_packet *packet, struct proto_message m)
{
	struct pf_packet p = *packet;
	struct event e = event_of(x, p.sequence, m);
	take_legacy(x, p.sequence, &e);
	retime(&p, &e);
	bool thread = !e.tracked && !e.track && p.sequence->tid != LANE_ABSENT;
	uint32_t track = thread ? own_track(x, p.sequence) : pf_track_of(x, e.track);
	if (!e.type && (e.phase == 'B' || e.phase == 'E'))
		e.type = e.phase == 'B' ? BEGIN : END;
	else if (!e.type && (e.phase == 'I' || e.phase == 'i'))
		e.type = INSTANT;
	switch (e.type) {
	case BEGIN:
		add_begin(x, &p, m, &e, track);
		break;
	case END:
		if (p.timed && sane(p.at_ns))
			pf_end(x, p.sequence, (struct pf_end){track, p.at_ns, p.offset});
		break;
	case INSTANT:
		add_instant(x, &p, m, &e, track);
		break;
	case COUNTER:
		add_counter(x, &p, &e, track);
		break;
	default:
		if (e.phase)
			add_legacy(x, &p, m, &e, track);
	}
}
