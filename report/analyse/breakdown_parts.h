/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakdown_parts.h - what breakdown_of() is made of: layers of time, of which an upper one hides
 * those under it; steps; and what the threads were in while the device was idle.
 */
#ifndef REPORT_ANALYSE_BREAKDOWN_PARTS_H
#define REPORT_ANALYSE_BREAKDOWN_PARTS_H

#include "report/analyse/breakdown.h"

/* Stretches that do not overlap, by start. */
struct layer {
	struct stretch *stretch; /* (n) malloc */
	size_t n, room;
	size_t next; /* the first that may reach the time that was asked for last */
};

/* Makes room; it grows by itself when there is too little. */
void layer_reserve(struct layer *l, size_t room);

/* Adds a stretch behind all that is there. */
void layer_add(struct layer *l, struct stretch s);

/* Adds what of a stretch lies behind all that is there; starts must come in order. */
void layer_cover(struct layer *l, struct stretch s);
void layer_release(struct layer *l);

/* A piece of a stretch. */
typedef void take_stretch(void *to, const struct stretch *s, struct time_span at);

/* Hands out a time span in order, each moment as the topmost of the layers that has it, from
 * `layer` down, or else as `rest`. Calls must come in the order of time. */
void layers_fill(struct layer *layer, int n, struct time_span at, const struct stretch *rest,
	take_stretch *take, void *to);

/* (n_device) part: that of each event; streamed: is it a product that the memory limits? */
void parts_of_device(const struct analysis *a, uint8_t *part, bool *streamed);

/* The id of a name with every number in it as "#". */
name_id name_without_numbers(struct names *names, const char *text);

/* Where a step lies on the host. */
struct step_range {
	int64_t number, start_ns, end_ns;
	uint32_t row;
};

/* Sets steps_by, range, n_steps and, of the steps, number, row and the times of the splits. */
void breakdown_find_steps(struct breakdown *p, const struct analysis *a, struct arena *arena);

/* STEPS_BY_LAUNCHES: the ranges (malloc), NULL when the kernels do not recur. *range as in struct
 * breakdown. */
struct step_range *steps_by_launches(const struct analysis *a, uint32_t *n, const char **range);

/* What the threads that launch were in, HOST_LAYERS for each track. */
enum host_layer { HOST_INPUT, HOST_WAIT, HOST_STALL, HOST_FREE, HOST_PROFILER, HOST_LAYERS };

struct host_layers {
	struct layer *layer; /* (n_tracks * HOST_LAYERS) */
	uint32_t n_tracks;
	size_t n_stalls;
};

/* Of the tracks that launch what ends a gap; `typical_ns` as above. */
struct host_layers host_layers_of(
	const struct analysis *a, const struct idle_causes *l, int64_t typical_ns);
void host_layers_release(struct host_layers *h);

/* Calls long enough to be stalls. */
struct candidates {
	const struct analysis *a;
	int64_t least_ns; /* that they last */
	struct candidate *c; /* (n) by start */
	size_t n;
	uint32_t *last; /* (n_tracks) the last one of each, NO_ROW */
	uint32_t *slot; /* (names) index + 1 into `name` of those that may have stalls */
	struct calls *name; /* (n_names) */
	uint32_t n_names;
	uint32_t *open; /* (n_open, a power of two) by name and thread: index + 1 into c of the
			   last one, 0 */
	size_t n_open;
	size_t looked_at; /* rows, for what Python functions call themselves */
	bool has_called; /* that is there for all */
};

struct candidates candidates_of(const struct analysis *a, int64_t least_ns);
bool may_stall(uint8_t kind);

/* In the order of rows. */
void candidates_add(struct candidates *k, uint32_t row);

/* The rows that are stalls, by start (malloc); the candidates are released. */
uint32_t *stalls_among(struct candidates *k, size_t *n);

/* The idle time of the window, by start. */
struct layer idle_of(const struct breakdown *p, const struct analysis *a,
	const struct idle_causes *l, struct host_layers *h);

#endif
