/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/graph.h"

#include "base/stats.h"
#include "report/analyse/launches.h"

#include <math.h>
#include <stdlib.h>

struct sample {
	int64_t *ns;
	size_t n;
};

static int64_t median_of_sample(struct sample *s)
{
	int64_t median = s->n ? stats_nth(s->ns, s->n, s->n / 2) : 0;
	free(s->ns);
	return median;
}

/* Of events that nothing but the launch, or nothing but the event ahead, can have kept. */
void graph_find_medians(struct replay *r)
{
	const struct analysis *a = r->a;
	const struct trace *t = a->trace;
	struct sample launch = {.ns = xalloc((a->n_device + 1) * sizeof *launch.ns)};
	struct sample behind = {.ns = xalloc((a->n_device + 1) * sizeof *behind.ns)};
	struct sample inside = {.ns = xalloc((a->n_device + 1) * sizeof *inside.ns)};
	int64_t *ahead = xcalloc(t->n_tracks, sizeof *ahead);
	uint32_t *last = xalloc(t->n_tracks * sizeof *last); /* the call of the event ahead */
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		ahead[i] = INT64_MIN;
		last[i] = NO_ROW;
	}
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = a->device_calls[i];
		int64_t start = t->start_ns[row], *end = &ahead[t->track[row]];
		bool graph = call != NO_ROW && call == last[t->track[row]];
		last[t->track[row]] = call;
		if (graph && start - *end <= IDLE_LAUNCH_GAP_NS)
			inside.ns[inside.n++] = start - *end;
		else if (call != NO_ROW && *end <= t->start_ns[call] &&
			start >= t->start_ns[call] && start <= row_end(t, call) + LAUNCH_LATE_NS)
			launch.ns[launch.n++] = start - t->start_ns[call];
		else if (call != NO_ROW && row_end(t, call) + IDLE_LATENCY_NS <= *end &&
			start >= *end && start - *end <= IDLE_LAUNCH_GAP_NS)
			behind.ns[behind.n++] = start - *end;
		*end = row_end(t, row) > *end ? row_end(t, row) : *end;
	}
	free(last);
	free(ahead);
	r->launch_ns = median_of_sample(&launch);
	r->behind_ns = median_of_sample(&behind);
	r->inside_ns = median_of_sample(&inside);
}

bool graph_copies(const struct replay *r, const struct point *p)
{
	return r->a->class[p->row] == CLASS_COPY_CALL;
}

void graph_find_tail(struct replay *r)
{
	struct sample tail = {.ns = xalloc((r->n_points + 1) * sizeof *tail.ns)};
	for (uint32_t i = 0; i < r->n_points; i++)
		if (r->point[i].awaits != NOTHING && !graph_copies(r, &r->point[i]))
			tail.ns[tail.n++] = r->point[i].tail_ns;
	r->tail_ns = median_of_sample(&tail);
}

/* Of what the host does from one point to the next, and in calls that do not wait. */
static double share_left(const struct replay *r)
{
	uint32_t first = r->n_step ? r->first : 0, behind = r->n_step ? r->behind : r->n_points;
	double was = 0, left = 0;
	for (uint32_t i = first; i < behind; i++) {
		const struct point *p = &r->point[i];
		if (p->before == NOTHING)
			continue;
		bool waits = p->awaits != NOTHING;
		was += (double)(p->gap_ns + (waits ? 0 : p->own_ns));
		left += (double)(r->pace[i].gap_ns + (waits ? 0 : r->pace[i].own_ns));
	}
	return was > 0 && left > 0 ? fmin(1, left / was) : 1;
}

/* The rank that a collective waits for is recorded, too: as the host's time here. */
void graph_find_late(struct replay *r, struct arena *arena)
{
	double goes = 1 - share_left(r);
	for (uint32_t i = 0; i < r->n_events; i++) {
		const struct purpose *kind = &r->purposes->group[r->purposes->of_event[i]];
		if (kind->usual_ns <= 0)
			continue;
		if (!r->late_ns) {
			r->late_ns = arena_array(arena, r->n_events, sizeof *r->late_ns);
			r->sent_ns = arena_array(arena, r->n_events, sizeof *r->sent_ns);
		}
		double late = fmax(0, (double)r->event[i].dur_ns - kind->usual_ns);
		r->late_ns[i] = (int64_t)(goes * late);
		r->sent_ns[i] = kind->shortest_ns;
	}
}
