/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pftrace_parts.h - what the files of the reader of Perfetto's traces share: pftrace.c (packets),
 * pftrace_clock.c (time), pftrace_tracks.c (who is where), pftrace_event.c (TrackEvent),
 * pftrace_gpu.c (stages and counters of a GPU), pftrace_args.c (annotations), pftrace_pairs.c
 * (begins and ends), pftrace_intern.c (what is said once).
 */
#ifndef REPORT_READ_PFTRACE_PARTS_H
#define REPORT_READ_PFTRACE_PARTS_H

#include "report/parse/protobuf.h"
#include "report/read/pftrace.h"

/* ---- tables in memory: two numbers make a key, and lead to a place in an array ---- */

struct pf_index {
	struct pf_slot {
		uint64_t a, b;
		uint32_t place; /* + 1; 0 free */
	} * slot;
	uint32_t n, room; /* of slots, a power of two */
};

/* The place of a key, UINT32_MAX when it has none; pf_add gives it `place` if it is new. */
uint32_t pf_find(const struct pf_index *x, uint64_t a, uint64_t b);
uint32_t pf_add(struct pf_index *x, uint64_t a, uint64_t b, uint32_t place);

/* ---- what a sequence says once ---- */

/* By the number of the field in InternedData; PF_COUNTERS are the counters of a descriptor of that
 * field. */
enum pf_field {
	PF_CATEGORY = 1,
	PF_NAME = 2,
	PF_ANNOTATION = 3,
	PF_SPECIFICATION = 24, /* of a queue or a stage */
	PF_STRING = 29,
	PF_GPU_COUNTERS = 47, /* whose number is that of the GPU */
	PF_COUNTER = 64, /* of a descriptor: not a field */
	PF_KERNEL = 65, /* 1000 and 1001 in the file */
	PF_ARGUMENT = 66
};

struct pf_text { /* lent; NULL: none */
	const char *at;
	size_t n;
};

struct pf_interned {
	struct pf_text text;
	int64_t number;
};

struct pf_begin { /* of a slice whose end is not known */
	uint32_t row, track;
	int64_t at_ns, offset;
};

struct pf_end {
	uint32_t track;
	int64_t at_ns, offset;
};

struct pf_sequence {
	uint32_t id, generation; /* one more with every reset */
	bool valid; /* what it interned stands; false from a loss to the next reset */
	bool unsorted; /* begins and ends of the run are in no order of time */
	uint64_t track; /* of events that name none */
	uint32_t clock; /* of packets that name none */
	int64_t reference_us, pid, tid; /* of a ThreadDescriptor of its own, the older form */
	struct pf_begin *begin; /* a run of begins, then of ends (pftrace_pairs.c) */
	struct pf_end *end;
	size_t n_begins, begin_room, n_ends, end_room;
};

struct pf_track {
	uint64_t uuid, parent;
	bool known; /* its descriptor was seen */
	bool process, thread, counter, incremental;
	int64_t pid, tid, order; /* order: LANE_ABSENT none */
	struct pf_text name, unit;
	double factor, value;
	uint32_t key; /* what its marks pair by, in part.keys; 0 not asked yet */
};

struct pf_clock {
	int64_t own_ns, trace_ns; /* the same moment */
	int64_t last_ns; /* of one whose stamps are differences */
	uint64_t unit_ns;
	bool incremental;
};

/* What one packet says beside its payload. */
struct pf_packet {
	struct pf_sequence *sequence; /* NULL: none */
	int64_t at_ns, offset;
	bool timed;
	uint32_t flags, clock;
	bool lost; /* packets before it are missing */
	struct proto_field payload, interned, defaults;
	uint64_t stamp;
};

/* A text that is being written; WINDOW_PAD quotes follow it. */
struct pf_json {
	char *text;
	size_t n, room;
};

struct pftrace {
	struct reader *r;
	struct arena arena; /* of texts that were interned */
	struct pf_index interned_at, sequence_at, track_at, clock_at;
	struct pf_interned *interned;
	struct pf_sequence **sequence;
	struct pf_track *track;
	struct pf_clock *clock;
	uint32_t n_interned, interned_room, n_sequences, sequence_room, n_tracks, track_room,
		n_clocks, clock_room;
	struct pf_json json;
	struct raw_event raw;
	int64_t packets, others, events; /* of those that hold no event; rows and labels */
	int64_t slices, lost;
	int64_t base_ns; /* the wall clock at 0 of the trace's */
	bool anchored;
	uint32_t primary; /* the clock of the trace */
	bool stopped;
	int64_t inflated, stored; /* bytes of packets that were compressed once more */
	uint8_t *gpu; /* (PF_GPUS) 1: seen */
};

enum { PF_GPUS = 1 << 10, PF_DEEPEST = 32 };

#define PF_NO_TRACK UINT32_MAX

/* Room for one more element. */
#define PF_GROW(array, n, room) \
	((n) == (room) ? (void)((room) = (room) ? 2 * (room) : 16, \
				 (array) = xrealloc(array, room, sizeof *(array))) \
		       : (void)0)

/* ---- pftrace_intern.c ---- */

void pf_intern(struct pftrace *x, struct pf_sequence *s, struct proto_message m);

/* NULL when there is none. */
const struct pf_interned *pf_interned(
	struct pftrace *x, const struct pf_sequence *s, enum pf_field field, uint64_t iid);
struct pf_text pf_interned_text(
	struct pftrace *x, const struct pf_sequence *s, enum pf_field field, uint64_t iid);

/* The counters that a GpuCounterDescriptor names, by its number. */
void pf_intern_counters(
	struct pftrace *x, const struct pf_sequence *s, struct proto_message m, uint64_t iid);
const struct pf_interned *pf_counter(
	struct pftrace *x, const struct pf_sequence *s, uint64_t iid, uint64_t counter);

/* ---- pftrace_clock.c ---- */

void pf_snapshot(struct pftrace *x, const struct pf_packet *p, struct proto_message m);

/* A stamp of a clock, in ns of the trace's; false when nothing says how they go together. */
bool pf_time(struct pftrace *x, const struct pf_sequence *s, uint32_t clock, uint64_t stamp,
	int64_t *at_ns);

/* ---- pftrace_tracks.c ---- */

void pf_describe(struct pftrace *x, struct proto_message m);
void pf_describe_thread(struct pf_sequence *s, struct proto_message m); /* the older form */
uint32_t pf_track_of(struct pftrace *x, uint64_t uuid);

/* Where its slices stand: the process and the thread that it is, or is below of. */
struct pf_place {
	bool threaded; /* else it is a row of its own, whose slices may overlap others' */
	int64_t pid, tid; /* LANE_ABSENT: none */
	struct pf_text process; /* its name */
};
struct pf_place pf_place_of(const struct pftrace *x, uint32_t track);

/* Names of processes, threads and GPUs, behind all events. */
void pf_labels(struct pftrace *x);

/* ---- pftrace_args.c ---- */

void pf_json_add(struct pf_json *j, const char *text, size_t n);
void pf_json_text(struct pf_json *j, struct pf_text text); /* with its quotes */
void pf_json_key(struct pf_json *j, struct pf_text key); /* and the comma before it */
void pf_json_number(struct pf_json *j, double value);
void pf_json_int(struct pf_json *j, const char *key, int64_t value);
void pf_json_begin(struct pf_json *j);

/* One annotation and what is in it, as a member. */
void pf_annotation(struct pftrace *x, const struct pf_sequence *s, struct proto_message m);

/* Ends the text and makes x->raw of it: what args say, no more. */
void pf_parse_args(struct pftrace *x);

static inline struct pf_text pf_word(const char *text)
{
	return (struct pf_text){text, strlen(text)};
}

static inline struct pf_text pf_span(const struct proto_field *f)
{
	return f->wire == PROTO_BYTES ? (struct pf_text){f->at, f->value} : (struct pf_text){0};
}

static inline bool pf_is(struct pf_text text, const char *word)
{
	return text.at && text.n == strlen(word) && !memcmp(text.at, word, text.n);
}

static inline bool pf_starts(struct pf_text text, const char *word)
{
	return text.at && text.n >= strlen(word) && !memcmp(text.at, word, strlen(word));
}

/* Category of a slice that has none, by its name, its args and its process. */
struct pf_text pf_category(
	const struct pftrace *x, struct pf_text name, const struct pf_place *place);

/* ---- events into the part (pftrace_event.c) ---- */

void pf_track_event(struct pftrace *x, const struct pf_packet *p, struct proto_message m);
void pf_give(struct pftrace *x, enum raw_text_of i, struct pf_text text);
void pf_number(struct pftrace *x, enum raw_number i, int64_t value);

/* Adds what x->raw says; the row that it became, NO_ROW for none. */
uint32_t pf_add_event(struct pftrace *x, char phase, int64_t offset);

/* ---- pftrace_gpu.c ---- */

void pf_render_stage(struct pftrace *x, const struct pf_packet *p, struct proto_message m);
void pf_gpu_counter(struct pftrace *x, const struct pf_packet *p, struct proto_message m);

/* ---- pftrace_pairs.c ---- */

void pf_begin(struct pftrace *x, struct pf_sequence *s, struct pf_begin begin);
void pf_end(struct pftrace *x, struct pf_sequence *s, struct pf_end end);

/* No more begins and ends of this run come. */
void pf_run_over(struct pftrace *x, struct pf_sequence *s);

#endif
