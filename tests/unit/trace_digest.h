/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_digest.h - a sealed trace as one number, and the rules that every sealed trace keeps.
 */
#ifndef TESTS_UNIT_TRACE_DIGEST_H
#define TESTS_UNIT_TRACE_DIGEST_H

#include "report/trace/repair.h"

#include <stdlib.h>
#include <string.h>

static inline uint64_t digest_bytes(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

static inline uint64_t digest_text(uint64_t h, const char *text)
{
	return digest_bytes(h, text, strlen(text) + 1);
}

/* What a row says beside its times, wherever that stands: how many rows share it depends on how the
 * file was split. */
static inline uint64_t digest_side(uint64_t h, const struct trace *t, size_t i)
{
	uint32_t side = t->side[i];
	if (side != NO_ROW && t->kind[i] == EVENT_KERNEL)
		return digest_bytes(h, &t->kernels[side], sizeof *t->kernels);
	if (side != NO_ROW && (t->kind[i] == EVENT_OP || t->kind[i] == EVENT_ANNOTATION))
		return digest_bytes(h, &t->inputs[side], sizeof *t->inputs);
	return digest_bytes(h, &side, sizeof side);
}

static inline uint64_t digest_columns(uint64_t h, const struct trace *t)
{
	h = digest_bytes(h, t->start_ns, t->n * sizeof *t->start_ns);
	h = digest_bytes(h, t->dur_ns, t->n * sizeof *t->dur_ns);
	h = digest_bytes(h, t->name, t->n * sizeof *t->name);
	h = digest_bytes(h, t->category, t->n * sizeof *t->category);
	h = digest_bytes(h, t->track, t->n * sizeof *t->track);
	h = digest_bytes(h, t->correlation, t->n * sizeof *t->correlation);
	h = digest_bytes(h, t->external, t->n * sizeof *t->external);
	for (size_t i = 0; i < t->n; i++)
		h = digest_side(h, t, i);
	h = digest_bytes(h, t->launch, t->n * sizeof *t->launch);
	h = digest_bytes(h, t->parent, t->n * sizeof *t->parent);
	h = digest_bytes(h, t->depth, t->n * sizeof *t->depth);
	h = digest_bytes(h, t->kind, t->n * sizeof *t->kind);
	for (size_t i = 0; i < t->n_copies; i++) {
		h = digest_bytes(h, &t->copies[i].bytes, sizeof t->copies[i].bytes);
		h = digest_bytes(h, &t->copies[i].gb_per_s, sizeof t->copies[i].gb_per_s);
		h = digest_bytes(h, &t->copies[i].stream, sizeof t->copies[i].stream);
	}
	for (size_t i = 0; i < t->n_counters; i++) {
		h = digest_bytes(h, &t->counters[i].series, sizeof t->counters[i].series);
		h = digest_bytes(h, &t->counters[i].value, sizeof t->counters[i].value);
	}
	for (size_t i = 0; i < t->n_changes; i++) {
		h = digest_bytes(h, &t->changes[i].bytes, sizeof t->changes[i].bytes);
		h = digest_bytes(h, &t->changes[i].device, sizeof t->changes[i].device);
	}
	return h;
}

/* Everything but the path. */
static inline uint64_t trace_digest(const struct trace *t)
{
	uint64_t h = 0xcbf29ce484222325ull;
	h = digest_bytes(h, &t->n, sizeof t->n);
	h = digest_bytes(h, &t->origin_ns, sizeof t->origin_ns);
	h = digest_bytes(h, &t->end_ns, sizeof t->end_ns);
	h = digest_bytes(h, &t->json_bytes, sizeof t->json_bytes);
	h = digest_bytes(h, &t->resolution_ns, sizeof t->resolution_ns);
	h = digest_bytes(h, &t->zero_stamps, sizeof t->zero_stamps);
	h = digest_bytes(h, t->phases, sizeof t->phases);
	h = digest_columns(h, t);
	for (uint32_t i = 0; i < t->names.n; i++)
		h = digest_bytes(h, t->names.text[i], t->names.length[i] + 1);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		h = digest_bytes(h, &t->tracks[i].process, sizeof t->tracks[i].process);
		h = digest_bytes(h, &t->tracks[i].thread, sizeof t->tracks[i].thread);
		h = digest_bytes(h, &t->tracks[i].label, sizeof t->tracks[i].label);
		h = digest_bytes(h, &t->tracks[i].n, sizeof t->tracks[i].n);
	}
	for (size_t i = 0; i < t->n_meta; i++)
		h = digest_text(digest_text(h, t->meta[i].key), t->meta[i].value);
	for (size_t i = 0; i < t->n_repairs; i++) {
		h = digest_text(h, repair_key(t->repairs[i].kind));
		h = digest_bytes(h, &t->repairs[i].count, sizeof t->repairs[i].count);
		for (int k = 0; k < t->repairs[i].n_places; k++) {
			const struct repair_place *place = &t->repairs[i].place[k];
			h = digest_bytes(h, &place->offset, sizeof place->offset);
			h = digest_text(h, place->context);
		}
	}
	return h;
}

static inline bool share(const uint32_t *id, size_t a, size_t b)
{
	return id[a] && id[a] == id[b];
}

/* NULL when the trace keeps the rules of trace.h, else the first one it breaks. */
static inline const char *trace_broken_row(const struct trace *t, size_t i)
{
	uint8_t kind = t->kind[i];
	if (i && t->start_ns[i] < t->start_ns[i - 1])
		return "rows are in order of start";
	if (i && t->start_ns[i] == t->start_ns[i - 1] && t->dur_ns[i] > t->dur_ns[i - 1])
		return "longer rows come first at equal starts";
	if (t->start_ns[i] < 0 || t->dur_ns[i] < 0)
		return "times are not negative";
	if (t->start_ns[i] > INT64_MAX - t->dur_ns[i] || t->start_ns[i] + t->dur_ns[i] > t->end_ns)
		return "no row ends behind the end";
	if (kind >= EVENT_KINDS || t->track[i] >= t->n_tracks)
		return "kinds and tracks exist";
	if (t->name[i] >= t->names.n || t->category[i] >= t->names.n)
		return "names exist";
	if (event_on_device(kind) && !t->tracks[t->track[i]].device)
		return "device events stand on device tracks";
	size_t sides = kind == EVENT_KERNEL		       ? t->n_kernels
		: kind == EVENT_MEMCPY || kind == EVENT_MEMSET ? t->n_copies
		: kind == EVENT_COUNTER			       ? t->n_counters
		: kind == EVENT_INSTANT			       ? t->n_changes
							       : t->n_inputs;
	if (t->side[i] != NO_ROW && t->side[i] >= sides)
		return "side rows exist";
	if (event_on_device(kind) && t->side[i] == NO_ROW)
		return "device events have a side row";
	uint32_t launch = t->launch[i], p = t->parent[i];
	if (launch != NO_ROW &&
		(launch >= t->n ||
			!(share(t->correlation, i, launch) || share(t->external, i, launch))))
		return "launches have the same correlation, or the same external id";
	if (launch != NO_ROW && kind == EVENT_KERNEL && t->kind[launch] != EVENT_RUNTIME &&
		t->kind[launch] != EVENT_DRIVER)
		return "kernels are launched by calls";
	if (p != NO_ROW &&
		(p >= i || t->track[p] != t->track[i] || t->start_ns[p] > t->start_ns[i] ||
			t->start_ns[p] + t->dur_ns[p] < t->start_ns[i] + t->dur_ns[i]))
		return "parents enclose their children";
	return NULL;
}

/* The last end of so many rows is that of one of them, and trace_reaching() passes no row that ends
 * later. */
static inline const char *trace_broken_reach(const struct trace *t)
{
	for (size_t block = 0; block <= t->n / REACH_ROWS; block++) {
		int64_t last = 0;
		size_t first = block * REACH_ROWS, end = first + REACH_ROWS;
		for (size_t i = first; i < end && i < t->n; i++) {
			int64_t row_end = t->start_ns[i] + t->dur_ns[i];
			last = row_end > last ? row_end : last;
		}
		if (t->reach_ns[block] != last)
			return "so many rows reach as far as the last of them";
		if (first < t->n && trace_reaching(t, first, last) != first)
			return "no row that reaches a time is passed";
		if (first < t->n && trace_reaching(t, first, last + 1) == first)
			return "rows that end before a time are passed";
	}
	return NULL;
}

static inline const char *trace_broken(const struct trace *t)
{
	uint64_t on_tracks = 0;
	for (size_t i = 0; i < t->n; i++) {
		const char *broken = trace_broken_row(t, i);
		if (broken)
			return broken;
	}
	const char *rule = trace_broken_reach(t);
	if (rule)
		return rule;
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		on_tracks += t->tracks[i].n;
		if (!t->tracks[i].process || !t->tracks[i].thread)
			return "tracks have names";
	}
	if (on_tracks != t->n)
		return "tracks count their events";
	for (size_t i = 0; i < t->n_repairs; i++)
		if (t->repairs[i].count <= 0 || !repair_key(t->repairs[i].kind))
			return "repairs are counted and named";
	return NULL;
}

#endif
