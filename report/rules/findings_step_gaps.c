/* SPDX-License-Identifier: Apache-2.0 */
/* G2: a gap between two device events that only some steps have. */
#include "base/sort.h"
#include "report/rules/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps are compared pair by pair, so only those that launched the same list may be: the events of
 * each stream, in order. */
struct aligned {
	uint32_t *step; /* (n) indices of the steps with the most common list */
	uint32_t n;
	uint32_t pairs; /* neighbours on a stream, of each step */
};

static uint64_t mixed(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

/* The lists of the streams are hashed apart and then added up: which stream ran first varies. */
static uint64_t list_hash(const struct facts *x, const struct step *s, uint64_t *of_track)
{
	const struct trace *t = x->t;
	uint64_t sum = s->n_device;
	for (uint32_t i = 0; i < s->n_device; i++)
		of_track[t->track[s->device[i]]] = t->track[s->device[i]] + 1;
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint64_t *h = &of_track[t->track[s->device[i]]];
		*h = mixed(*h, t->name[s->device[i]]);
	}
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint64_t *h = &of_track[t->track[s->device[i]]];
		sum += *h;
		*h = 0;
	}
	return sum;
}

static uint64_t most_common(const uint64_t *hash, uint32_t n)
{
	uint64_t *sorted = xcalloc(n, sizeof *sorted), best = 0;
	memcpy(sorted, hash, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_uint64);
	for (uint32_t i = 0, run = 0, longest = 0; i < n; i++) {
		run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		if (run > longest) {
			longest = run;
			best = sorted[i];
		}
	}
	free(sorted);
	return best;
}

static struct aligned aligned_steps(const struct facts *x)
{
	const struct analysis *a = x->a;
	struct aligned al = {.step = arena_array(x->scratch, a->n_steps, sizeof *al.step)};
	uint64_t *of_track = xcalloc(x->t->n_tracks, sizeof *of_track);
	uint64_t *hash = xcalloc(a->n_steps, sizeof *hash);
	for (uint32_t s = 0; s < a->n_steps; s++)
		hash[s] = list_hash(x, &a->steps[s], of_track);
	uint64_t best = most_common(hash, a->n_steps);
	for (uint32_t s = 0; s < a->n_steps; s++)
		if (hash[s] == best)
			al.step[al.n++] = s;
	free(hash);
	free(of_track);
	return al;
}

/* One neighbourhood on a stream, as a step has it. */
struct pair {
	uint32_t before, after; /* rows */
	int64_t gap_ns; /* may be negative */
};

/* Pairs are numbered by stream, then by order on it: the same in every aligned step. Returns how
 * many; `pair` has room for n_device. */
static uint32_t pairs_of(const struct facts *x, const struct step *s, struct pair *pair)
{
	const struct trace *t = x->t;
	uint32_t *begin = xcalloc((size_t)t->n_tracks + 1, sizeof *begin);
	uint32_t *last = xcalloc(t->n_tracks, sizeof *last), n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		begin[t->track[s->device[i]]]++;
	for (uint32_t k = 0; k < t->n_tracks; k++) {
		uint32_t pairs = begin[k] ? begin[k] - 1 : 0;
		begin[k] = n;
		n += pairs;
		last[k] = NO_ROW;
	}
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t row = s->device[i], track = t->track[row];
		if (last[track] != NO_ROW)
			pair[begin[track]++] = (struct pair){
				last[track], row, t->start_ns[row] - row_end(t, last[track])};
		last[track] = row;
	}
	free(begin);
	free(last);
	return n;
}

/* Something else of the step stood in the way: a wait of the CPU, or work of another stream. */
static bool is_between(const struct facts *x, const struct pair *p)
{
	const struct trace *t = x->t;
	int64_t from = row_end(t, p->before), to = t->start_ns[p->after];
	if ((double)analysis_idle(x->a, from, to) < 0.5 * (double)(to - from))
		return true;
	uint32_t launch = analysis_launch_of(t, p->after);
	for (size_t i = call_index(x, launch); i-- > 0;) {
		uint32_t row = x->calls.row[i];
		if (t->track[row] != t->track[launch])
			continue;
		return class_of(x, row) == CLASS_SYNC && row_end(t, row) > from;
	}
	return false;
}

static enum finding_reason cause_of(const struct facts *x, const struct pair *p)
{
	const struct trace *t = x->t;
	int64_t from = row_end(t, p->before), to = t->start_ns[p->after];
	uint32_t launch = analysis_launch_of(t, p->after);
	if (spans_covered(&x->overhead_spans, from, to) ||
		spans_covered(&x->overhead_spans, t->start_ns[launch], row_end(t, launch)))
		return REASON_PROFILER;
	if (row_end(t, launch) > from)
		return REASON_HOST_LATE;
	return is_between(x, p) ? REASON_BETWEEN : REASON_NONE;
}

/* What was found over all pairs. */
struct odd_gaps {
	double ratio, least_gap; /* limits */
	double n, time, recorder_time; /* beyond the median */
	struct pair largest;
	double median; /* of the pair of the largest */
	uint32_t steps; /* steps with one */
	uint8_t *in_step; /* (n aligned) */
};

static void look_at_pair(const struct facts *x, struct finding *f, const struct pair *pair,
	uint32_t n, uint32_t stride, int64_t *sample, struct odd_gaps *odd)
{
	for (uint32_t s = 0; s < n; s++)
		sample[s] = pair[(size_t)s * stride].gap_ns;
	double median = median_of(sample, n), least = fmax(median, 0);
	for (uint32_t s = 0; s < n; s++) {
		const struct pair *p = &pair[(size_t)s * stride];
		double gap = (double)p->gap_ns;
		if (gap < odd->ratio * least || gap < odd->least_gap)
			continue;
		odd->n++;
		odd->in_step[s] = 1;
		odd->time += gap - least;
		if (cause_of(x, p) == REASON_PROFILER)
			odd->recorder_time += gap - least;
		if (odd->n == 1 || p->gap_ns > odd->largest.gap_ns) {
			odd->largest = *p;
			odd->median = median;
		}
		show(f, p->before, p->gap_ns);
		show(f, p->after, p->gap_ns);
		show_gap(f, x->t->start_ns[p->after] - p->gap_ns, x->t->start_ns[p->after],
			p->after);
	}
}

static void look_at_pairs(
	const struct facts *x, struct finding *f, const struct aligned *al, struct odd_gaps *odd)
{
	uint32_t stride = x->a->steps[al->step[0]].n_device, pairs = 0;
	struct pair *pair = xcalloc((size_t)al->n * (stride ? stride : 1), sizeof *pair);
	int64_t *sample = xcalloc(al->n, sizeof *sample);
	for (uint32_t s = 0; s < al->n; s++)
		pairs = pairs_of(x, &x->a->steps[al->step[s]], &pair[(size_t)s * stride]);
	for (uint32_t i = 0; i < pairs; i++)
		look_at_pair(x, f, &pair[i], al->n, stride, sample, odd);
	free(sample);
	free(pair);
}

static enum finding_state odd_gap(const struct facts *x, struct finding *f)
{
	if (x->a->n_steps < 3)
		return not_applicable(f, x->a->n_steps ? REASON_FEW_STEPS : REASON_NO_STEPS);
	struct aligned al = aligned_steps(x);
	if (!x->n_links)
		return not_applicable(f, x->a->n_device ? REASON_NO_LINKS : REASON_NO_DEVICE);
	if (al.n < 3 || x->a->steps[al.step[0]].n_device < 2)
		return not_applicable(f, REASON_UNEVEN_STEPS);
	struct odd_gaps odd = {.ratio = limit(f, "ratio"),
		.least_gap = limit(f, "gap"),
		.in_step = arena_array(x->scratch, al.n, 1)};
	look_at_pairs(x, f, &al, &odd);
	for (uint32_t s = 0; s < al.n; s++)
		odd.steps += odd.in_step[s];
	TELL(f, {"steps", al.n}, {"gaps", odd.n}, {"steps_with", odd.steps}, {"time", odd.time},
		{"recorder_time", odd.recorder_time});
	if (!odd.n)
		return FINDING_NOT_FIRED;
	TELL(f, {"largest", (double)odd.largest.gap_ns}, {"median", odd.median});
	tell_name(f, "before", x->t, odd.largest.before);
	tell_name(f, "after", x->t, odd.largest.after);
	gives_back(f, odd.time - odd.recorder_time);
	return fired_as(f, cause_of(x, &odd.largest));
}

static const struct rule rows[] = {
	{.id = "ODD-GAP",
		.label = "G2",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_IDLE,
		.threshold = {{"ratio", 5, UNIT_RATIO}, {"gap", 20000, UNIT_NS}},
		.value = {{"steps", UNIT_COUNT}, {"gaps", UNIT_COUNT}, {"steps_with", UNIT_COUNT},
			{"time", UNIT_NS}, {"recorder_time", UNIT_NS}, {"largest", UNIT_NS},
			{"median", UNIT_NS}, {"before", UNIT_TEXT}, {"after", UNIT_TEXT}},
		.one = odd_gap},
};

const struct rule_list findings_gap_rows = RULE_LIST(rows);
