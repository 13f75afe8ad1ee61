/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/sort.h"
#include "report/analyse/account.h"
#include "report/analyse/collective_bytes.h"
#include "report/tables/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- collectives ---- */

struct collective_call {
	name_id text; /* what args say of it (trace.h, op_inputs.extra), 0 */
	name_id dims, types, kernel;
	uint32_t op; /* NO_ROW */
	int64_t ns;
};

ORDER(by_call, struct collective_call, UP(text) ?: UP(dims) ?: UP(types) ?: UP(kernel) ?: UP(ns));

/* The factor of nccl-tests among n ranks. */
static double bus_factor(const char *name, double n)
{
	bool reduced = strstr(name, "allreduce") || strstr(name, "all_reduce");
	bool shared = strstr(name, "gather") || strstr(name, "scatter") ||
		strstr(name, "all_to_all") || strstr(name, "alltoall");
	return reduced ? 2 * (n - 1) / n : shared ? (n - 1) / n : 1;
}

/* The kernel's name says what it does where the operator does not. */
static const char *collective_name(const struct message *m, const char *kernel)
{
	static const char *const known[][2] = {{"AllReduce", "allreduce"},
		{"all_reduce", "allreduce"}, {"AllGather", "allgather"},
		{"all_gather", "allgather"}, {"ReduceScatter", "reduce_scatter"},
		{"Broadcast", "broadcast"}, {"SendRecv", "send and receive"}, {"Reduce", "reduce"}};
	for (size_t i = 0; !m->name[0] && i < sizeof known / sizeof *known; i++)
		if (strstr(kernel, known[i][0]))
			return known[i][1];
	return m->name;
}

static void put_calls(
	struct result_table *t, const struct analysis *a, const struct collective_call *c, size_t n)
{
	const struct trace *trace = a->trace;
	int64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += c[i].ns;
	double median = ((double)c[(n - 1) / 2].ns + (double)c[n / 2].ns) / 2;
	struct message m = message_of(a, c->op);
	const char *kernel = names_text(&trace->names, c->kernel),
		   *name = collective_name(&m, kernel);
	put_text(t, arena_strdup(t->arena, name));
	put_text(t, arena_strdup(t->arena, m.type));
	put_number(t, m.ranks);
	put_number(t, m.bytes);
	put_number(t, (double)n);
	put_number(t, (double)sum);
	put_number(t, median);
	put_number(t, over(m.bytes, median / 1e9) * bus_factor(name, m.ranks));
	put_text(t, kernel);
}

void tables_collectives(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	struct collective_call *call = xcalloc(s->a->n_device + 1, sizeof *call);
	size_t n = 0;
	for (size_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i];
		if (s->a->class[row] != CLASS_COMMUNICATION)
			continue;
		uint32_t op = communicating_op(trace, analysis_launch_of(trace, row));
		bool inputs = op != NO_ROW && trace->side[op] != NO_ROW;
		const struct op_inputs none = {0},
				       *in = inputs ? &trace->inputs[trace->side[op]] : &none;
		call[n++] = (struct collective_call){.text = in->extra,
			.dims = in->dims,
			.types = in->types,
			.kernel = trace->name[row],
			.op = op,
			.ns = trace->dur_ns[row]};
	}
	qsort(call, n, sizeof *call, by_call);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && call[next].text == call[i].text &&
			call[next].dims == call[i].dims && call[next].types == call[i].types &&
			call[next].kernel == call[i].kernel;)
			next++;
		put_calls(t, s->a, &call[i], next - i);
	}
	free(call);
}

/* ---- copies ---- */

void tables_copies(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	double hidden[COPY_WAYS][COPY_MEMORIES] = {{0}};
	struct arena scratch = {0};
	struct spans x = account_computing(&scratch, s->a);
	for (size_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i];
		if (trace->kind[row] != EVENT_MEMCPY)
			continue;
		enum copy_memory memory;
		enum copy_way way = copy_way_of(s->a, row, &memory);
		hidden[way][memory] +=
			(double)spans_covered(&x, trace->start_ns[row], row_end(trace, row));
	}
	arena_release(&scratch);
	for (uint32_t i = 0; i < s->streams->n_copies; i++) {
		const struct copy_use *u = &s->streams->copy[i];
		bool fill = u->way == COPY_FILL; /* computes by itself */
		double under = fill ? (double)NAN : hidden[u->way][u->memory];
		put_text(t, copy_way_name(u->way));
		put_text(t, copy_memory_name(u->memory));
		put_number(t, (double)u->n);
		put_number(t, u->n_sized ? (double)u->bytes : (double)NAN);
		put_number(t, (double)u->ns);
		put_number(t, u->gb_per_s > 0 ? u->gb_per_s * 1e9 : (double)NAN);
		put_number(t, under);
		put_number(t, over(under, (double)u->ns));
	}
}

/* ---- streams ---- */

/* Work of a stream was launched, or begins. */
struct moment {
	int64_t at_ns;
	uint32_t track;
	int32_t by;
};

/* Of one moment, what begins to run leaves the queue first. */
ORDER(by_track_and_time, struct moment, UP(track) ?: UP(at_ns) ?: UP(by));

/* (*n) two for each event that began after its launch did; the caller frees. */
static struct moment *moments_of(const struct analysis *a, size_t *n)
{
	const struct trace *t = a->trace;
	struct moment *m = xcalloc(2 * a->n_device + 1, sizeof *m);
	*n = 0;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = analysis_launch_of(t, row);
		if (call == NO_ROW || t->start_ns[row] <= t->start_ns[call])
			continue;
		m[(*n)++] = (struct moment){t->start_ns[call], t->track[row], 1};
		m[(*n)++] = (struct moment){t->start_ns[row], t->track[row], -1};
	}
	qsort(m, *n, sizeof *m, by_track_and_time);
	return m;
}

/* The longest queue of a stream, and its mean over the time from its first launch to the last
 * begin; NAN when no launch of its work is in the file. Streams are asked in the order of their
 * tracks: i is what was returned before. */
static size_t queue_of(
	const struct moment *m, size_t n, size_t i, uint32_t track, double *longest, double *mean)
{
	while (i < n && m[i].track < track)
		i++;
	bool any = i < n && m[i].track == track;
	*longest = *mean = any ? 0 : (double)NAN;
	double area = 0, length = 0;
	int64_t begin = any ? m[i].at_ns : 0, since = begin;
	for (; i < n && m[i].track == track; i++) {
		area += length * (double)(m[i].at_ns - since);
		since = m[i].at_ns;
		length += m[i].by;
		*longest = fmax(*longest, length);
	}
	if (since > begin)
		*mean = area / (double)(since - begin);
	return i;
}

void tables_streams(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	const struct window *w = &s->a->window;
	size_t n, at = 0;
	struct moment *m = moments_of(s->a, &n);
	for (uint32_t i = 0; i < s->streams->n_streams; i++) {
		const struct stream_use *u = &s->streams->stream[i];
		const struct track *k = &trace->tracks[u->track];
		double longest, mean;
		at = queue_of(m, n, at, u->track, &longest, &mean);
		put_text(t, names_text(&trace->names, k->label ? k->label : k->process));
		put_text(t, names_text(&trace->names, k->thread));
		put_number(t, (double)u->kernels);
		put_number(t, (double)u->copies);
		put_number(t, (double)u->fills);
		put_number(t, (double)u->busy_ns);
		put_number(t, fmax((double)(w->end_ns - w->start_ns - u->busy_ns), 0));
		put_number(t, u->share);
		put_number(t, longest);
		put_number(t, mean);
	}
	free(m);
}
