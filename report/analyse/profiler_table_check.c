/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/profiler_table_check.h"

#include "base/json_out.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/analysis_stages.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *device_line_name(enum device_line line)
{
	static const char *const names[DEVICE_LINES] = {
		[LINE_KERNEL_SUM] = "kernels summed, of their union",
		[LINE_KERNEL_UNION] = "kernels, of first to last device event",
		[LINE_DEVICE_SUM] = "device events summed, of their union",
		[LINE_DEVICE_UNION] = "device events, of first to last",
		[LINE_WINDOW_KERNELS] = "kernels in the window, of the window",
		[LINE_WINDOW_DEVICE] = "device events in the window, of the window",
	};
	return names[line];
}

/* ---- threads ---- */

/* One byte for each name, 1 where the table does not show it; the caller frees. */
static uint8_t *hidden_names(const struct trace *t)
{
	uint8_t *hidden = xcalloc(t->names.n, 1);
	for (name_id i = 0; i < t->names.n; i++)
		hidden[i] = profiler_table_hides(names_text(&t->names, i));
	return hidden;
}

static bool is_nested(const struct analysis *a, size_t row, const uint8_t *hidden)
{
	const struct trace *t = a->trace;
	uint8_t k = t->kind[row];
	if (a->profiler_table.spans)
		return is_plain_span(t, row);
	return (k == EVENT_OP || k == EVENT_ANNOTATION || event_is_call(k) ||
		       k == EVENT_OVERHEAD) &&
		!hidden[t->name[row]];
}

/* A thread while its spans pass by. */
struct passing {
	struct thread_sum sum;
	int64_t done_ns; /* the roots so far end there */
	int64_t *open_ns; /* (n) the ends of the spans that are open, the outermost first */
	size_t n, room;
};

static void add_root(struct thread_sum *s, int64_t *done_ns, int64_t start_ns, int64_t end_ns)
{
	int64_t from = s->roots ? max64(*done_ns, start_ns) : start_ns;
	s->roots++;
	s->roots_ns += end_ns - start_ns;
	if (end_ns <= from)
		return;
	s->union_ns += end_ns - from;
	*done_ns = end_ns;
}

ORDER(by_roots, struct thread_sum, DOWN(roots_ns) ?: UP(track));

static void pass_span(struct passing *p, int64_t start_ns, int64_t end_ns)
{
	while (p->n && !nest_inside(start_ns, end_ns, p->open_ns[p->n - 1]))
		p->n--;
	p->sum.spans++;
	if (!p->n)
		add_root(&p->sum, &p->done_ns, start_ns, end_ns);
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		p->open_ns = xrealloc(p->open_ns, p->room, sizeof *p->open_ns);
	}
	p->open_ns[p->n++] = end_ns;
}

/* (n_tracks) all threads, from their spans alone; the caller frees. */
static struct passing *pass_threads(const struct analysis *a, const uint8_t *hidden)
{
	const struct trace *t = a->trace;
	struct passing *by_track = xcalloc(t->n_tracks, sizeof *by_track);
	size_t n_moved, next = 0;
	struct profiler_lane *moved = moved_overheads(t, &n_moved);
	for (size_t i = 0; i < t->n; i++) {
		if (!is_nested(a, i, hidden))
			continue;
		while (next < n_moved && moved[next].row < i)
			next++;
		bool elsewhere = next < n_moved && moved[next].row == i;
		pass_span(&by_track[elsewhere ? moved[next].lane : t->track[i]], t->start_ns[i],
			row_end(t, (uint32_t)i));
	}
	free(moved);
	return by_track;
}

static void sum_threads(
	struct reconcile *r, const struct analysis *a, const uint8_t *hidden, struct arena *arena)
{
	const struct trace *t = a->trace;
	struct passing *by_track = pass_threads(a, hidden);
	for (uint32_t i = 0; i < t->n_tracks; i++)
		r->n_threads += by_track[i].sum.spans != 0;
	r->thread = arena_array(arena, r->n_threads, sizeof *r->thread);
	for (uint32_t i = 0, n = 0; i < t->n_tracks; i++) {
		struct thread_sum *s = &by_track[i].sum;
		free(by_track[i].open_ns);
		if (!s->spans)
			continue;
		s->track = i;
		r->thread[n++] = *s;
		r->cpu_roots_ns += s->roots_ns;
		r->crossing_ns += s->roots_ns - s->union_ns;
	}
	qsort(r->thread, r->n_threads, sizeof *r->thread, by_roots);
	free(by_track);
}

/* ---- rows and events ---- */

static void sum_rows(struct reconcile *r, const struct profiler_table *table)
{
	r->cpu_footer_ns = table->self_cpu_ns;
	r->device_footer_ns = table->self_device_ns;
	for (size_t i = 0; i < table->n; i++) {
		const struct profiler_row *row = &table->row[i];
		r->cpu_rows_ns += row->self_cpu_ns;
		r->negative_rows += row->self_cpu_ns < 0;
		if (row->side == PROFILER_DEVICE) {
			r->device_rows_ns += row->self_device_ns;
		} else if (row->side == PROFILER_DEVICE_ANNOTATION) {
			r->annotations_ns += row->self_device_ns;
			r->annotation_rows++;
		} else {
			r->owned_ns += row->self_device_ns;
		}
	}
}

static void sum_events(struct reconcile *r, const struct analysis *a, const uint8_t *hidden)
{
	const struct trace *t = a->trace;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		if (hidden[t->name[row]])
			continue;
		r->device_events_ns += t->dur_ns[row];
		r->unlinked_ns += t->launch[row] == NO_ROW ? t->dur_ns[row] : 0;
	}
	r->unowned_ns = r->device_events_ns - r->owned_ns - r->unlinked_ns;
}

static void set_line(struct reconcile *r, enum device_line line, int64_t ns, int64_t of_ns)
{
	r->line[line] = (struct device_share){ns, of_ns, of_ns ? (double)ns / (double)of_ns : 0};
}

static void set_lines(struct reconcile *r, const struct analysis *a)
{
	const struct busy *device = &a->busy[BUSY_DEVICE], *kernels = &a->busy[BUSY_KERNELS];
	const struct window *w = &a->window;
	int64_t window = a->n_device ? w->end_ns - w->start_ns : 0;
	set_line(r, LINE_KERNEL_SUM, a->kernel_ns, kernels->busy_ns);
	set_line(r, LINE_KERNEL_UNION, kernels->busy_ns, kernels->window_ns);
	set_line(r, LINE_DEVICE_SUM, a->device_ns, device->busy_ns);
	set_line(r, LINE_DEVICE_UNION, device->busy_ns, device->window_ns);
	set_line(r, LINE_WINDOW_KERNELS, w->kernel_busy_ns, window);
	set_line(r, LINE_WINDOW_DEVICE, w->busy_ns, window);
}

static unsigned int flags_of(const struct reconcile *r, const struct analysis *a)
{
	const struct window *w = &a->window;
	unsigned int flags = 0;
	flags |= r->annotation_rows ? RECONCILE_ANNOTATIONS : 0;
	flags |= a->device_ns > a->busy[BUSY_DEVICE].busy_ns ? RECONCILE_OVERLAP : 0;
	flags |= r->crossing_ns ? RECONCILE_CROSSING : 0;
	flags |= r->negative_rows ? RECONCILE_NEGATIVE : 0;
	flags |= r->n_threads > 1 && r->cpu_footer_ns > w->end_ns - w->start_ns ? RECONCILE_THREADS
										: 0;
	flags |= a->regime.waited_ns > 0 && a->regime.waited_ns >= r->cpu_footer_ns / 10
		? RECONCILE_WAITS
		: 0;
	flags |= r->unowned_ns + r->unlinked_ns ? RECONCILE_UNOWNED : 0;
	return flags;
}

struct reconcile reconcile_of(struct arena *arena, const struct analysis *a)
{
	struct reconcile r = {0};
	uint8_t *hidden = hidden_names(a->trace);
	sum_threads(&r, a, hidden, arena);
	sum_rows(&r, &a->profiler_table);
	sum_events(&r, a, hidden);
	free(hidden);
	set_lines(&r, a);
	r.cpu_exact = r.cpu_rows_ns == r.cpu_footer_ns && r.cpu_footer_ns == r.cpu_roots_ns;
	r.device_exact =
		r.device_rows_ns == r.device_footer_ns && r.device_footer_ns == r.device_events_ns;
	r.flags = flags_of(&r, a);
	return r;
}

static void dump_flags(const struct reconcile *r, FILE *f)
{
	static const char *const names[] = {
		"annotations", "overlap", "crossing", "negative", "threads", "waits", "unowned"};
	fputs("  flags", f);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (r->flags & 1u << i)
			fprintf(f, " %s", names[i]);
	fputc('\n', f);
}

void reconcile_dump(const struct reconcile *r, const struct analysis *a, FILE *f)
{
	const struct trace *t = a->trace;
	fprintf(f, "reconcile: CPU rows %" PRId64 " footer %" PRId64 " roots %" PRId64 " %s\n",
		r->cpu_rows_ns, r->cpu_footer_ns, r->cpu_roots_ns, r->cpu_exact ? "=" : "DIFFER");
	fprintf(f, "  device rows %" PRId64 " footer %" PRId64 " events %" PRId64 " %s\n",
		r->device_rows_ns, r->device_footer_ns, r->device_events_ns,
		r->device_exact ? "=" : "DIFFER");
	fprintf(f,
		"  owned %" PRId64 " unlinked %" PRId64 " unowned %" PRId64
		", annotations %zu of %" PRId64 ", crossing %" PRId64 ", negative %zu\n",
		r->owned_ns, r->unlinked_ns, r->unowned_ns, r->annotation_rows, r->annotations_ns,
		r->crossing_ns, r->negative_rows);
	for (uint32_t i = 0; i < r->n_threads; i++) {
		const struct thread_sum *s = &r->thread[i];
		fprintf(f, "  thread %" PRIu32 " ", s->track);
		json_escape(f, names_text(&t->names, t->tracks[s->track].thread));
		fprintf(f, ": %zu spans, %zu roots of %" PRId64 ", union %" PRId64 "\n", s->spans,
			s->roots, s->roots_ns, s->union_ns);
	}
	for (int i = 0; i < DEVICE_LINES; i++)
		if (r->line[i].of_ns)
			fprintf(f, "  %s: %" PRId64 " of %" PRId64 " (%.6f)\n",
				device_line_name((enum device_line)i), r->line[i].ns,
				r->line[i].of_ns, r->line[i].share);
	dump_flags(r, f);
}
