/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/windows_to_show.h"

#include "base/json_out.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/analysis.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/idle_causes.h"

#include <inttypes.h>
#include <stdlib.h>

const char *occasion_name(enum occasion occasion)
{
	static const char *const names[OCCASIONS] = {
		[OCCASION_GAP] = "gap",
		[OCCASION_STEP] = "step",
		[OCCASION_KERNEL] = "kernel",
		[OCCASION_FIRST] = "first launch",
		[OCCASION_BURST] = "burst",
		[OCCASION_SPAN] = "span",
		[OCCASION_DEEPEST] = "deepest",
		[OCCASION_DENSEST] = "densest",
	};
	return names[occasion];
}

/* ---- fitting ---- */

size_t events_between(const struct trace *t, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? trace_first_from(t, to_ns) - trace_first_from(t, from_ns) : 0;
}

struct stretch {
	int64_t from_ns, to_ns;
};

enum { FIT_PARTS = 1024 };

/* From the inner stretch (0) to the outer one (FIT_PARTS). */
static struct stretch between(struct stretch inner, struct stretch outer, int part)
{
	double share = (double)part / FIT_PARTS;
	struct stretch s = {
		inner.from_ns - (int64_t)((double)(inner.from_ns - outer.from_ns) * share),
		inner.to_ns + (int64_t)((double)(outer.to_ns - inner.to_ns) * share)};
	return part == FIT_PARTS ? outer : s;
}

/* The widest stretch between the two that holds no more than WINDOW_EVENTS; the inner one at least.
 */
static struct stretch fit(const struct trace *t, struct stretch inner, struct stretch outer)
{
	int low = 0, high = FIT_PARTS;
	while (low < high) {
		int middle = (low + high + 1) / 2;
		struct stretch s = between(inner, outer, middle);
		if (events_between(t, s.from_ns, s.to_ns) <= WINDOW_EVENTS)
			low = middle;
		else
			high = middle - 1;
	}
	return between(inner, outer, low);
}

static struct shown_window fit_subject(const struct trace *t, const struct subject *s)
{
	struct shown_window w = s->window;
	struct stretch subject = {s->from_ns, s->to_ns}, moment = {s->moment_ns, s->moment_ns};
	struct stretch room = {max64(s->room_from_ns, 0), min64(s->room_to_ns, t->end_ns)};
	room.to_ns = max64(room.to_ns, subject.to_ns);
	w.whole = events_between(t, subject.from_ns, subject.to_ns) <= WINDOW_EVENTS;
	struct stretch fitted = w.whole ? fit(t, subject, room) : fit(t, moment, subject);
	w.start_ns = fitted.from_ns;
	w.end_ns = max64(fitted.to_ns, fitted.from_ns + 1);
	w.events = events_between(t, w.start_ns, w.end_ns);
	return w;
}

/* ---- choosing ---- */

static int64_t common_ns(const struct shown_window *a, const struct shown_window *b)
{
	int64_t from = max64(a->start_ns, b->start_ns);
	int64_t to = min64(a->end_ns, b->end_ns);
	return to > from ? to - from : 0;
}

/* What is so much shorter than a window is not seen well in it; and of two windows, one that is so
 * much shorter is a look at a detail of the other. */
enum { SUBJECT_DETAIL = 8, WINDOW_DETAIL = 3 };

static bool shows(const struct shown_window *w, const struct subject *s)
{
	return w->start_ns <= s->from_ns && s->to_ns <= w->end_ns &&
		s->to_ns - s->from_ns >= (w->end_ns - w->start_ns) / SUBJECT_DETAIL;
}

static bool repeats(const struct shown_window *a, const struct shown_window *b)
{
	int64_t one = a->end_ns - a->start_ns, other = b->end_ns - b->start_ns;
	int64_t shorter = min64(one, other), longer = max64(one, other);
	return common_ns(a, b) > shorter / 2 && shorter >= longer / WINDOW_DETAIL;
}

/* Joins a window that shows it already, or takes a place of its own. */
static void add_subject(struct windows *all, const struct trace *t, const struct subject *s)
{
	struct shown_window w = fit_subject(t, s);
	for (uint32_t i = 0; i < all->n; i++) {
		if (shows(&all->window[i], s)) {
			all->window[i].also |= 1u << s->window.occasion;
			return;
		}
		if (repeats(&w, &all->window[i]))
			return;
	}
	if (all->n < WINDOWS_MOST)
		all->window[all->n++] = w;
}

ORDER(by_start, struct shown_window, UP(start_ns) ?: UP(occasion));

struct windows windows_of(const struct analysis *a, const struct idle_causes *idle_causes)
{
	static bool (*const find[OCCASIONS])(
		const struct analysis *, const struct idle_causes *, struct subject *) = {
		[OCCASION_GAP] = find_gap,
		[OCCASION_STEP] = find_step,
		[OCCASION_KERNEL] = find_kernel,
		[OCCASION_FIRST] = find_first,
		[OCCASION_BURST] = find_burst,
		[OCCASION_SPAN] = find_span,
		[OCCASION_DEEPEST] = find_deepest,
		[OCCASION_DENSEST] = find_densest,
	};
	struct windows all = {0};
	for (int i = 0; i < OCCASIONS; i++) {
		struct subject s = {.window = {.occasion = (enum occasion)i}};
		if (find[i](a, idle_causes, &s))
			add_subject(&all, a->trace, &s);
	}
	qsort(all.window, all.n, sizeof *all.window, by_start);
	return all;
}

static void dump_window(const struct shown_window *w, const struct trace *t, FILE *f)
{
	fprintf(f, "  %s", occasion_name(w->occasion));
	for (int i = 0; i < OCCASIONS; i++)
		if (w->also & 1u << i)
			fprintf(f, " + %s", occasion_name((enum occasion)i));
	fprintf(f,
		" %" PRId64 "..%" PRId64 " (%" PRId64 " ns, %zu events%s): value %" PRId64
		" typical %" PRId64 " count %zu index %zu\n",
		w->start_ns, w->end_ns, w->end_ns - w->start_ns, w->events,
		w->whole ? "" : ", a part", w->value_ns, w->typical_ns, w->count, w->index);
	for (uint32_t i = 0; i < w->n_rows; i++) {
		if (w->row[i] == NO_ROW)
			continue;
		fprintf(f, "    row %" PRIu32 " at %" PRId64 " for %" PRId64 " ", w->row[i],
			t->start_ns[w->row[i]], t->dur_ns[w->row[i]]);
		json_escape(f, names_text(&t->names, t->name[w->row[i]]));
		fputc('\n', f);
	}
}

void windows_dump(const struct windows *w, const struct analysis *a, FILE *f)
{
	fprintf(f, "windows %" PRIu32 "\n", w->n);
	for (uint32_t i = 0; i < w->n; i++)
		dump_window(&w->window[i], a->trace, f);
}
