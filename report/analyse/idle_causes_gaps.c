/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/idle_causes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- devices ---- */

static int64_t device_of_row(const struct trace *t, uint32_t row)
{
	int32_t device = -1;
	if (t->side[row] != NO_ROW)
		device = t->kind[row] == EVENT_KERNEL ? t->kernels[t->side[row]].device
						      : t->copies[t->side[row]].device;
	return device >= 0 ? device : t->tracks[t->track[row]].pid;
}

struct numbered {
	int64_t id;
	uint32_t track;
};

ORDER(by_id, struct numbered, UP(id) ?: UP(track));

/* The tracks with device events, each with the number that its first event gives its device. */
static uint32_t number_tracks(const struct analysis *a, struct numbered *n)
{
	const struct trace *t = a->trace;
	uint32_t count = 0;
	uint8_t *seen = xcalloc(t->n_tracks, 1);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], track = t->track[row];
		if (seen[track])
			continue;
		seen[track] = 1;
		n[count++] = (struct numbered){device_of_row(t, row), track};
	}
	free(seen);
	qsort(n, count, sizeof *n, by_id);
	return count;
}

/* Fills in the devices; (n_tracks) the device of each track. */
static uint16_t *find_devices(struct idle_causes *l, const struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	struct numbered *n = xcalloc(t->n_tracks, sizeof *n);
	uint32_t count = number_tracks(a, n);
	uint16_t *device = xcalloc(t->n_tracks, sizeof *device);
	l->devices = arena_array(arena, count, sizeof *l->devices);
	for (uint32_t i = 0; i < count; i++) {
		/* What has no number left shares the last one. */
		if (!i || (n[i].id != n[i - 1].id && l->n_devices < UINT16_MAX))
			l->devices[l->n_devices++] = (struct idle_device){.id = n[i].id};
		device[n[i].track] = (uint16_t)(l->n_devices - 1);
	}
	free(n);
	return device;
}

/* ---- gaps ---- */

/* What each device is busy for, clipped to the window. */
static void sum_busy(struct idle_causes *l, const struct analysis *a, const uint16_t *device)
{
	const struct window *w = &a->window;
	int64_t *done = xcalloc(l->n_devices, sizeof *done);
	for (uint32_t d = 0; d < l->n_devices; d++)
		done[d] = w->start_ns;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		uint16_t d = device[a->trace->track[row]];
		int64_t start = a->trace->start_ns[row], end = row_end(a->trace, row);
		start = max64(start, done[d]);
		end = min64(end, w->end_ns);
		if (end <= start)
			continue;
		l->devices[d].busy_ns += end - start;
		done[d] = end;
	}
	free(done);
}

/* The call that launched what ends a gap, NO_ROW; sought from *near on, as gaps come in order. */
static uint32_t launch_behind(const struct analysis *a, uint32_t after, size_t *near)
{
	if (after == NO_ROW)
		return NO_ROW;
	*near = first_near(k, 0, a->n_device, *near, a->device_rows[k] >= after);
	return a->device_calls[*near];
}

void idle_causes_gaps(struct idle_causes *l, const struct analysis *a, struct arena *arena)
{
	uint16_t *device = find_devices(l, a, arena);
	sum_busy(l, a, device);
	free(device);
	size_t near = 0;
	l->n_gaps = a->n_gaps;
	l->why = arena_array(arena, l->n_gaps, sizeof *l->why);
	for (size_t i = 0; i < l->n_gaps; i++)
		l->why[i] =
			(struct idle_why){.launch = launch_behind(a, a->gap_sides[i].after, &near),
				.waited = NO_ROW,
				.evidence = NO_ROW};
}

/* ---- overhead ---- */

/* What CUDA itself does for the program is reported as overhead too: loading code, compiling it,
 * waiting for room among the commands. */
static bool is_profilers(const char *name)
{
	return !strstr(name, "oading") && !strstr(name, "ompil") && !strstr(name, "Command Buffer");
}

static void add_overhead(struct overheads *o, const struct trace *t, uint32_t row)
{
	int64_t start = t->start_ns[row], end = row_end(t, row);
	struct overhead *last = o->n ? &o->span[o->n - 1] : NULL;
	if (last && start <= last->end_ns) {
		last->end_ns = max64(end, last->end_ns);
		last->row = t->dur_ns[row] > t->dur_ns[last->row] ? row : last->row;
		return;
	}
	if (!(o->n & (o->n - 1)))
		o->span = xrealloc(o->span, o->n ? 2 * o->n : 1, sizeof *o->span);
	o->span[o->n++] = (struct overhead){start, end, row};
}

struct overheads overheads_of(const struct analysis *a, bool profilers)
{
	const struct trace *t = a->trace;
	struct overheads o = {0};
	for (size_t i = 0; i < t->n; i++)
		if (t->kind[i] == EVENT_OVERHEAD && t->dur_ns[i] &&
			is_profilers(names_text(&t->names, t->name[i])) == profilers)
			add_overhead(&o, t, (uint32_t)i);
	return o;
}

void overheads_release(struct overheads *o)
{
	free(o->span);
	*o = (struct overheads){0};
}

/* The first span that ends after a time. */
static size_t first_after(const struct overheads *o, int64_t time_ns)
{
	return first_where(i, 0, o->n, o->span[i].end_ns > time_ns);
}

uint32_t overheads_half(const struct overheads *o, int64_t from_ns, int64_t to_ns)
{
	int64_t sum = 0, most = 0;
	uint32_t row = NO_ROW;
	for (size_t i = first_after(o, from_ns); i < o->n && o->span[i].start_ns < to_ns; i++) {
		const struct overhead *s = &o->span[i];
		int64_t start = max64(s->start_ns, from_ns);
		int64_t end = min64(s->end_ns, to_ns);
		sum += end - start;
		if (end - start > most) {
			most = end - start;
			row = s->row;
		}
	}
	return 2 * sum >= to_ns - from_ns ? row : NO_ROW;
}
