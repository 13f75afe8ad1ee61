/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/pftrace_parts.h"

#include <stdio.h>

/* Kineto's place for GPUs behind the processes (tracks.c). */
enum { FIRST_GPU_ORDER = 5000000 };

uint32_t pf_track_of(struct pftrace *x, uint64_t uuid)
{
	uint32_t at = pf_add(&x->track_at, uuid, 0, x->n_tracks);
	if (at == x->n_tracks) {
		PF_GROW(x->track, x->n_tracks, x->track_room);
		x->track[x->n_tracks++] = (struct pf_track){.uuid = uuid,
			.pid = LANE_ABSENT,
			.tid = LANE_ABSENT,
			.order = LANE_ABSENT,
			.factor = 1};
	}
	return at;
}

/* ---- descriptors ---- */

static struct pf_text kept(struct pftrace *x, const struct proto_field *f)
{
	struct pf_text text = pf_span(f);
	if (text.at)
		text.at = arena_strndup(&x->arena, text.at, text.n);
	return text;
}

static void take_process(struct pftrace *x, struct pf_track *t, struct proto_message m)
{
	struct proto_field f;
	t->process = true;
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			t->pid = (int32_t)f.value;
		else if (f.number == 3)
			t->order = (int32_t)f.value;
		else if (f.number == 6)
			t->name = kept(x, &f);
	}
}

static void take_thread(struct pftrace *x, struct pf_track *t, struct proto_message m)
{
	struct proto_field f;
	t->thread = true;
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			t->pid = (int32_t)f.value;
		else if (f.number == 2)
			t->tid = proto_int(&f);
		else if (f.number == 3)
			t->order = (int32_t)f.value;
		else if (f.number == 5)
			t->name = kept(x, &f);
	}
}

static void take_counter(struct pftrace *x, struct pf_track *t, struct proto_message m)
{
	static const char *const units[] = {"", "ns", "", "B"};
	static const char *const built_in[] = {"", "Thread time", "Instructions of the thread"};
	struct proto_field f;
	t->counter = true;
	while (proto_next(&m, &f)) {
		if (f.number == 1 && f.value < 3 && !t->name.at)
			t->name = pf_word(built_in[f.value]);
		else if (f.number == 3 && f.value < 4 && !t->unit.at)
			t->unit = pf_word(units[f.value]);
		else if (f.number == 4 && f.value)
			t->factor = (double)proto_int(&f);
		else if (f.number == 5)
			t->incremental = f.value;
		else if (f.number == 6)
			t->unit = kept(x, &f);
	}
}

void pf_describe(struct pftrace *x, struct proto_message m)
{
	struct proto_field f;
	struct proto_message all = m;
	uint64_t uuid = 0;
	while (proto_next(&m, &f))
		if (f.number == 1)
			uuid = f.value;
	uint32_t track = pf_track_of(x, uuid);
	struct pf_track *t = &x->track[track];
	t->known = true;
	while (proto_next(&all, &f))
		switch (f.number) {
		case 2:
		case 10:
		case 13:
			if (!t->name.at || !(t->process || t->thread))
				t->name = kept(x, &f);
			break;
		case 3:
			take_process(x, t, proto_in(&f));
			break;
		case 4:
			take_thread(x, t, proto_in(&f));
			break;
		case 5:
			t->parent = f.value;
			break;
		case 8:
			take_counter(x, t, proto_in(&f));
			break;
		}
}

void pf_describe_thread(struct pf_sequence *s, struct proto_message m)
{
	struct proto_field f;
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			s->pid = (int32_t)f.value;
		else if (f.number == 2)
			s->tid = proto_int(&f);
		else if (f.number == 6)
			s->reference_us = proto_int(&f);
	}
}

/* ---- places ---- */

struct pf_place pf_place_of(const struct pftrace *x, uint32_t track)
{
	struct pf_place place = {.pid = LANE_ABSENT, .tid = LANE_ABSENT};
	for (int depth = 0; track != PF_NO_TRACK && depth < PF_DEEPEST; depth++) {
		const struct pf_track *t = &x->track[track];
		if (t->thread && !place.threaded) {
			place.threaded = true;
			place.pid = t->pid;
			place.tid = t->tid;
		}
		if (t->process) {
			place.process = t->name;
			if (place.pid == LANE_ABSENT)
				place.pid = t->pid;
			break;
		}
		track = t->parent ? pf_find(&x->track_at, t->parent, 0) : PF_NO_TRACK;
	}
	return place;
}

/* ---- names ---- */

/* Nothing is left of the event that was read before. */
static void begin_label(struct pftrace *x)
{
	x->raw.seen = 0;
	x->raw.noted = x->raw.notes = 0;
}

static void label(
	struct pftrace *x, const char *what, int64_t pid, int64_t tid, struct pf_text text)
{
	begin_label(x);
	pf_give(x, RAW_NAME, pf_word(what));
	pf_give(x, RAW_LABEL, text);
	pf_number(x, RAW_PID, pid);
	if (tid != LANE_ABSENT)
		pf_number(x, RAW_TID, tid);
	pf_add_event(x, 'M', -1);
}

static void order(struct pftrace *x, const char *what, int64_t pid, int64_t tid, int64_t place)
{
	begin_label(x);
	pf_give(x, RAW_NAME, pf_word(what));
	pf_number(x, RAW_PID, pid);
	if (tid != LANE_ABSENT)
		pf_number(x, RAW_TID, tid);
	pf_number(x, RAW_SORT_INDEX, place);
	pf_add_event(x, 'M', -1);
}

/* A GPU stands at the process of its number, as in Kineto's files; a process may be called like
 * that, too, and then has a name of its own. */
static void label_gpu(struct pftrace *x, int64_t gpu)
{
	char name[32];
	snprintf(name, sizeof name, "GPU %lld", (long long)gpu);
	label(x, "process_labels", gpu, LANE_ABSENT, pf_word(name));
	order(x, "process_sort_index", gpu, LANE_ABSENT, FIRST_GPU_ORDER + gpu);
}

void pf_labels(struct pftrace *x)
{
	for (uint32_t i = 0; i < x->n_tracks; i++) {
		const struct pf_track *t = &x->track[i];
		bool gpu = t->pid >= 0 && t->pid < PF_GPUS && x->gpu[t->pid];
		if (!t->process && !t->thread)
			continue;
		int64_t tid = t->thread ? t->tid : LANE_ABSENT;
		if (t->name.at && !(gpu && t->process))
			label(x, t->thread ? "thread_name" : "process_name", t->pid, tid, t->name);
		if (t->order != LANE_ABSENT && !gpu)
			order(x, t->thread ? "thread_sort_index" : "process_sort_index", t->pid,
				tid, t->order);
	}
	for (int64_t gpu = 0; gpu < PF_GPUS; gpu++)
		if (x->gpu[gpu])
			label_gpu(x, gpu);
}
