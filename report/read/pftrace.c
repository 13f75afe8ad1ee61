/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/pftrace_parts.h"

#include "report/parse/gzip.h"

#include <stdio.h>
#include <stdlib.h>

/* Fields of Trace and of TracePacket. */
enum { PACKET = 1, CLOCKS = 6, STAMP = 8, SEQUENCE = 10, EVENT = 11, INTERNED = 12, FLAGS = 13 };
enum { CLEARED = 41, LOST = 42, THREAD = 44, COMPRESSED = 50, GPU_COUNTERS = 52, GPU_STAGE = 53 };
enum { CLOCK = 58, DEFAULTS = 59, DESCRIPTOR = 60 };

enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };

/* Bytes that are looked at to tell what a file is; of a compressed packet that inflates to more
 * than PACKET_MOST nothing is read, as Perfetto makes none of more than half a megabyte. */
enum {
	LOOK = 4096,
	FIELDS = 2048,
	HEADER = 11,
	CHECK_MEMORY = 256,
	PACKET_MOST = 64 << 20,
	ZLIB_HEADER = 2,
	ZLIB_END = 4
};

static void note(struct pftrace *x, enum repair_kind kind, int64_t offset)
{
	repair_note(&x->r->part->repairs, kind, 1, offset, NULL, 0);
}

/* ---- sequences ---- */

static struct pf_sequence *sequence_of(struct pftrace *x, uint32_t id)
{
	uint32_t at = pf_add(&x->sequence_at, id, 0, x->n_sequences);
	if (at < x->n_sequences)
		return x->sequence[at];
	PF_GROW(x->sequence, x->n_sequences, x->sequence_room);
	struct pf_sequence *s = xcalloc(1, sizeof *s);
	*s = (struct pf_sequence){.id = id, .valid = true, .pid = LANE_ABSENT, .tid = LANE_ABSENT};
	return x->sequence[x->n_sequences++] = s;
}

static void take_defaults(struct pf_sequence *s, struct proto_message m)
{
	struct proto_field f, g;
	while (proto_next(&m, &f)) {
		if (f.number == CLOCK)
			s->clock = (uint32_t)f.value;
		if (f.number != EVENT)
			continue;
		for (struct proto_message event = proto_in(&f); proto_next(&event, &g);)
			if (g.number == 11)
				s->track = g.value;
	}
}

/* What the packet says of its sequence. False: it refers to what was lost. */
static bool take_state(struct pftrace *x, struct pf_packet *p)
{
	struct pf_sequence *s = p->sequence;
	if (p->flags & FLAG_CLEARED) {
		s->generation++;
		s->valid = true;
		s->track = 0;
		s->clock = 0;
	} else if (p->lost) {
		s->valid = false;
	}
	if (p->interned.at && s->valid)
		pf_intern(x, s, proto_in(&p->interned));
	if (p->defaults.at && s->valid)
		take_defaults(s, proto_in(&p->defaults));
	if (!(p->flags & FLAG_NEEDS) || s->valid)
		return true;
	note(x, REPAIR_STATE, p->offset);
	return false;
}

/* ---- packets ---- */

static void take_packet(struct pftrace *x, struct proto_message m, int64_t offset, bool inner);

/* A zlib stream as a gzip file without its end, which is what there is a reader of. */
struct stored {
	struct pf_text body;
	size_t at;
};

static size_t feed(void *from, void *to, size_t n)
{
	static const char head[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff";
	struct stored *s = from;
	size_t begin = sizeof head - 1, whole = begin + s->body.n, k = 0;
	for (; k < n && s->at < whole; k++, s->at++)
		((char *)to)[k] = s->at < begin ? head[s->at] : s->body.at[s->at - begin];
	return k;
}

static void take_packets(struct pftrace *x, struct proto_message m, int64_t offset)
{
	struct proto_field f;
	while (!x->stopped && proto_next(&m, &f))
		if (f.number == PACKET && f.wire == PROTO_BYTES)
			take_packet(x, proto_in(&f), offset, true);
	if (m.broken)
		note(x, REPAIR_PACKET, offset);
}

static void take_compressed(struct pftrace *x, const struct proto_field *f, int64_t offset)
{
	struct stored s = {.body = pf_span(f)};
	if (s.body.n < ZLIB_HEADER + ZLIB_END)
		return;
	s.body.at += ZLIB_HEADER;
	s.body.n -= ZLIB_HEADER + ZLIB_END;
	x->stored += (int64_t)s.body.n;
	struct inflater *inflater = inflater_new(feed, &s);
	size_t n = 0, room = 1 << 16, k;
	char *bytes = xalloc(room);
	while ((k = inflater_fill(inflater, (unsigned char *)bytes + n, room - n)) == room - n &&
		room < PACKET_MOST) {
		n = room;
		room *= 2;
		bytes = xrealloc(bytes, room, 1);
	}
	n += n < room ? k : 0;
	inflater_free(inflater);
	x->inflated += (int64_t)n;
	if (x->inflated > GZIP_FREE && x->inflated / GZIP_RATIO > x->stored) {
		note(x, REPAIR_GZ_INFLATES, offset);
		x->stopped = true;
	} else {
		take_packets(x, proto_of(bytes, n), offset);
	}
	free(bytes);
}

static struct pf_packet packet_of(struct pftrace *x, struct proto_message *m, int64_t offset)
{
	struct pf_packet p = {.offset = offset};
	struct proto_field f;
	uint32_t id = 0;
	while (proto_next(m, &f))
		switch (f.number) {
		case STAMP:
			p.stamp = f.value;
			p.timed = true;
			break;
		case SEQUENCE:
			id = (uint32_t)f.value;
			break;
		case INTERNED:
			p.interned = f;
			break;
		case FLAGS:
			p.flags |= (uint32_t)f.value;
			break;
		case CLEARED:
			p.flags |= f.value ? FLAG_CLEARED : 0;
			break;
		case LOST:
			p.lost = f.value;
			break;
		case CLOCK:
			p.clock = (uint32_t)f.value;
			break;
		case DEFAULTS:
			p.defaults = f;
			break;
		case CLOCKS:
		case EVENT:
		case THREAD:
		case COMPRESSED:
		case GPU_COUNTERS:
		case GPU_STAGE:
		case DESCRIPTOR:
			if (f.wire == PROTO_BYTES)
				p.payload = f;
			break;
		}
	p.sequence = sequence_of(x, id);
	return p;
}

static void take_payload(struct pftrace *x, struct pf_packet *p, bool inner)
{
	struct proto_message m = proto_in(&p->payload);
	uint32_t clock = p->clock ? p->clock : p->sequence->clock;
	if (p->payload.number == CLOCKS)
		pf_snapshot(x, p, m);
	if (p->timed)
		p->timed = pf_time(x, p->sequence, clock, p->stamp, &p->at_ns);
	switch (p->payload.number) {
	case EVENT:
		pf_track_event(x, p, m);
		break;
	case THREAD:
		pf_describe_thread(p->sequence, m);
		break;
	case COMPRESSED:
		if (!inner)
			take_compressed(x, &p->payload, p->offset);
		break;
	case GPU_COUNTERS:
		pf_gpu_counter(x, p, m);
		break;
	case GPU_STAGE:
		pf_render_stage(x, p, m);
		break;
	case DESCRIPTOR:
		pf_describe(x, m);
		break;
	case CLOCKS:
		break;
	default:
		x->others++;
	}
}

static size_t bytes_of(const struct pftrace *x)
{
	return part_bytes(x->r->part) + arena_bytes(&x->arena) +
		x->n_interned * sizeof *x->interned + x->n_tracks * sizeof *x->track +
		x->n_sequences * (sizeof *x->sequence + sizeof **x->sequence) +
		x->n_clocks * sizeof *x->clock +
		((size_t)x->interned_at.room + x->track_at.room + x->sequence_at.room +
			x->clock_at.room) *
		sizeof *x->track_at.slot;
}

static void check_memory(struct pftrace *x, int64_t offset)
{
	if (bytes_of(x) <= x->r->memory)
		return;
	note(x, REPAIR_MEMORY, offset);
	x->stopped = true;
}

static void take_packet(struct pftrace *x, struct proto_message m, int64_t offset, bool inner)
{
	struct pf_packet p = packet_of(x, &m, offset);
	if (++x->packets % CHECK_MEMORY == 0)
		check_memory(x, offset);
	if (m.broken)
		note(x, REPAIR_PACKET, offset);
	else if (take_state(x, &p))
		take_payload(x, &p, inner);
}

/* ---- the file ---- */

/* The head of the next field: its tag and, of a span, its length. False where there is none. */
static bool field_head(struct reader *r, uint64_t *tag, uint64_t *n, const char **body)
{
	reader_look_ahead(r, 2 * HEADER);
	struct proto_message m = proto_of(r->w.p, (size_t)(r->w.end - r->w.p));
	if (!proto_varint(&m, tag) || (*tag & 7) != PROTO_BYTES || !proto_varint(&m, n))
		return false;
	*body = m.p;
	return true;
}

static void read_packets(struct pftrace *x)
{
	struct reader *r = x->r;
	uint64_t tag, n;
	const char *body;
	for (;;) {
		reader_look_ahead(r, 1);
		if (r->w.p == r->w.end || x->stopped)
			return;
		int64_t offset = window_offset(&r->w, r->w.p);
		bool headed = field_head(r, &tag, &n, &body);
		if (headed && n <= r->memory) {
			size_t head = (size_t)(body - r->w.p);
			reader_look_ahead(r, head + n);
			body = r->w.p + head;
		}
		if (!headed || n > (uint64_t)(r->w.end - body)) {
			note(x, REPAIR_CUT, offset);
			r->cut = true;
			return;
		}
		r->w.p = body + n;
		if (tag >> 3 == PACKET)
			take_packet(x, proto_of(body, n), offset, false);
	}
}

/* Is each whole field of the message one, as far as it is seen? */
static bool looks_whole(struct proto_message m, bool whole)
{
	struct proto_field f;
	while (proto_next(&m, &f))
		if (f.number >= FIELDS)
			return false;
	return !m.broken || !whole;
}

bool pftrace_begins(struct reader *r)
{
	reader_look_ahead(r, 1);
	if (r->w.p == r->w.end || *r->w.p != (PACKET << 3 | PROTO_BYTES))
		return false;
	reader_look_ahead(r, LOOK);
	const char *end = r->w.end - r->w.p > LOOK ? r->w.p + LOOK : r->w.end;
	struct proto_message m = proto_of(r->w.p, (size_t)(end - r->w.p));
	uint64_t tag, n;
	int packets = 0;
	while (m.p < m.end) {
		struct proto_message head = m;
		if (*m.p != (PACKET << 3 | PROTO_BYTES) || !proto_varint(&head, &tag))
			return false;
		if (!proto_varint(&head, &n))
			return packets;
		size_t seen = (size_t)(m.end - head.p);
		bool whole = n <= seen;
		if (!looks_whole(proto_of(head.p, whole ? n : seen), whole))
			return false;
		packets++;
		m.p = whole ? head.p + n : m.end;
	}
	return packets;
}

static void keep_base(struct pftrace *x)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)x->base_ns);
	if (x->anchored && x->base_ns && !reader_member(x->r, "baseTimeNanoseconds"))
		reader_keep_member(x->r, xstrdup("baseTimeNanoseconds"), xstrdup(text));
}

static void release(struct pftrace *x)
{
	for (uint32_t i = 0; i < x->n_sequences; i++) {
		free(x->sequence[i]->begin);
		free(x->sequence[i]->end);
		free(x->sequence[i]);
	}
	free(x->sequence);
	free(x->interned);
	free(x->track);
	free(x->clock);
	free(x->interned_at.slot);
	free(x->sequence_at.slot);
	free(x->track_at.slot);
	free(x->clock_at.slot);
	free(x->json.text);
	free(x->gpu);
	arena_release(&x->arena);
	free(x);
}

int pftrace_read(struct reader *r, const char *path, struct err *err)
{
	struct pftrace *x = xcalloc(1, sizeof *x);
	x->r = r;
	x->gpu = xcalloc(PF_GPUS, 1);
	x->primary = 6;
	pf_json_begin(&x->json);
	part_document(r->part);
	read_packets(x);
	for (uint32_t i = 0; i < x->n_sequences; i++)
		pf_run_over(x, x->sequence[i]);
	pf_labels(x);
	keep_base(x);
	r->lists = r->object = true;
	r->closed = !r->cut;
	int64_t packets = x->packets;
	size_t rows = r->part->rows.n;
	release(x);
	if (rows)
		return 0;
	return fail(err,
		"%s: no trace: a Perfetto trace of %lld packets without an event of a program; what "
		"the system records (ftrace, heaps, samples) is not read",
		path, (long long)packets);
}
