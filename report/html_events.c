/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html_events.h"

#include "base/binary_search.h"
#include "base/json_out.h"
#include "base/min_max.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "report/page/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_BYTES = 300,
	LEAST_EVENT = 9, /* bytes: no event is written in fewer */
	STEPS_OF_DURATION = 16, /* between two powers of two */
	DURATIONS = 64 * STEPS_OF_DURATION
};

const struct html_view *html_views(struct arena *a, const struct figure *figure, int *n)
{
	struct html_view *view = NULL;
	*n = 0;
	if (figure->draw == timeline_figure.draw) {
		view = arena_alloc(a, sizeof *view);
		view[(*n)++] = (struct html_view){figure->data, 0};
	} else if (figure->draw == timelines_figure.draw) {
		const struct timelines *all = figure->data;
		double y = 0;
		view = arena_array(a, (size_t)all->n, sizeof *view);
		for (; *n < all->n; y += all->height[(*n)++])
			view[*n] = (struct html_view){all->tl[*n], y};
	}
	return view;
}

int html_trace_number(const struct html_traces *all, const struct trace *t)
{
	for (int i = 0; i < all->n; i++)
		if (all->trace[i].trace == t)
			return i;
	return -1;
}

static void add_view(struct html_traces *all, struct arena *a, const struct html_view *view)
{
	const struct timeline *tl = view->of;
	int i = html_trace_number(all, tl->trace);
	if (i < 0 || !all->trace) {
		all->trace = arena_room(a, all->trace, all->n, &all->room, sizeof *all->trace);
		i = all->n++;
		all->trace[i] = (struct html_trace){.trace = tl->trace, .analysis = tl->analysis};
	}
	struct html_trace *x = &all->trace[i];
	if (tl->to_ns - tl->from_ns > tl->trace->end_ns / 2)
		return;
	struct html_view *window = arena_room(
		a, (struct html_view *)x->window, x->n_windows, &x->room, sizeof *window);
	window[x->n_windows++] = *view;
	x->window = window;
}

struct html_traces html_traces_of(struct arena *a, const struct document *d)
{
	struct html_traces all = {0};
	for (const struct block *b = d->first; b; b = b->next) {
		int n = 0;
		const struct html_view *view = b->figure ? html_views(a, b->figure, &n) : NULL;
		for (int i = 0; i < n; i++)
			add_view(&all, a, &view[i]);
	}
	return all;
}

/* Counters and instants are no bars; the profiler's own window is as long as all of them. */
static bool is_bar(const struct trace *t, size_t row)
{
	uint8_t kind = t->kind[row];
	return event_on_host(kind) || event_on_device(kind) || kind == EVENT_GPU_ANNOTATION ||
		kind == EVENT_DEVICE_SYNC || kind == EVENT_OVERHEAD;
}

static bool in_window(const struct html_trace *x, size_t row)
{
	int64_t start = x->trace->start_ns[row], end = start + x->trace->dur_ns[row];
	for (int i = 0; i < x->n_windows; i++)
		if (start < x->window[i].of->to_ns && end >= x->window[i].of->from_ns)
			return true;
	return false;
}

/* A number that grows with the duration, by a sixteenth of it or less. */
static int duration_class(int64_t ns)
{
	if (ns < STEPS_OF_DURATION)
		return (int)ns;
	int bits = 63 - __builtin_clzll((uint64_t)ns);
	return (bits - 3) * STEPS_OF_DURATION + (int)(ns >> (bits - 4) & (STEPS_OF_DURATION - 1));
}

/* From which class on events are taken, in the windows and elsewhere. */
struct chosen {
	int least[2]; /* [in a window] */
	size_t all;
};

/* The least class from which on there are no more than `most`; *n becomes how many there are. */
static int least_class(const size_t count[DURATIONS], size_t most, size_t *n)
{
	int least = DURATIONS;
	*n = 0;
	while (least > 0 && *n + count[least - 1] <= most)
		*n += count[--least];
	return least;
}

static struct chosen choose(const struct html_trace *x, size_t most)
{
	struct chosen c = {.all = 0};
	size_t taken, *count[2];
	for (int i = 0; i < 2; i++)
		count[i] = xcalloc(DURATIONS, sizeof **count);
	for (size_t i = 0; i < x->trace->n; i++)
		if (is_bar(x->trace, i)) {
			count[in_window(x, i)][duration_class(x->trace->dur_ns[i])]++;
			c.all++;
		}
	c.least[1] = least_class(count[1], most, &taken);
	c.least[0] = c.least[1] ? DURATIONS : least_class(count[0], most - taken, &taken);
	free(count[0]);
	free(count[1]);
	return c;
}

static bool is_chosen(const struct html_trace *x, const struct chosen *c, size_t row)
{
	return is_bar(x->trace, row) &&
		duration_class(x->trace->dur_ns[row]) >= c->least[in_window(x, row)];
}

/* The chosen rows, by track and in each in the order of the trace; and a number for each name
 * and bar among them. */
struct listed {
	uint32_t *row; /* (first[n_tracks]) */
	size_t *first; /* (n_tracks + 1) */
	uint32_t *name; /* (names * BARS) 1 + its number, 0: it is not there */
	uint32_t n_names;
};

static struct listed list_rows(const struct html_trace *x, const struct chosen *c)
{
	const struct trace *t = x->trace;
	struct listed l = {.first = xcalloc((size_t)t->n_tracks + 2, sizeof *l.first)};
	for (size_t i = 0; i < t->n; i++)
		if (is_chosen(x, c, i))
			l.first[t->track[i] + 2]++;
	for (uint32_t k = 1; k < t->n_tracks; k++)
		l.first[k + 1] += l.first[k];
	size_t n = t->n_tracks ? l.first[t->n_tracks] + l.first[t->n_tracks + 1] : 0;
	l.row = xcalloc(n + 1, sizeof *l.row);
	for (size_t i = 0; i < t->n; i++)
		if (is_chosen(x, c, i))
			l.row[l.first[t->track[i] + 1]++] = (uint32_t)i;
	l.name = xcalloc((size_t)t->names.n * BARS + 1, sizeof *l.name);
	return l;
}

static void listed_release(struct listed *l)
{
	free(l->row);
	free(l->first);
	free(l->name);
}

/* What no page may hold and no screen obeys: as U+FFFD, in place, which is no longer. */
static void replace_unseen(char *text)
{
	static const char instead[] = "\xef\xbf\xbd";
	char *to = text;
	for (const char *p = text, *from = p; *p; from = p) {
		bool unseen = html_is_unseen(utf8_next(&p));
		size_t n = unseen ? sizeof instead - 1 : (size_t)(p - from);
		memmove(to, unseen ? instead : from, n);
		to += n;
	}
	*to = '\0';
}

/* As a person may see it: what a screen obeys stands by its codes. */
static void put_text(FILE *f, const char *text)
{
	static const char more[] = "…";
	char shown[NAME_BYTES + sizeof more];
	size_t n = terminal_line(shown, NAME_BYTES, text);
	if (strlen(text) > n)
		memcpy(shown + n, more, sizeof more);
	replace_unseen(shown);
	json_escape(f, shown);
}

static uint32_t number_of_name(const struct html_trace *x, struct listed *l, uint32_t row, FILE *f)
{
	const struct trace *t = x->trace;
	enum bar bar = bar_of(x->analysis->class[row]);
	uint32_t *number = &l->name[(size_t)t->name[row] * BARS + bar];
	if (!*number) {
		fputs(l->n_names ? ",\n[" : "[", f);
		put_text(f, trace_row_name(t, row));
		fprintf(f, ",%d]", bar);
		*number = ++l->n_names;
	}
	return *number - 1;
}

static void put_names(const struct html_trace *x, struct listed *l, FILE *f)
{
	fputs("\"names\":[", f);
	for (size_t i = 0; i < l->first[x->trace->n_tracks]; i++)
		number_of_name(x, l, l->row[i], f);
	fputs("],\n", f);
}

/* 1 + the number of a row within its track; 0: it is none of those listed. */
static size_t place_of(const struct trace *t, const struct listed *l, uint32_t row)
{
	uint32_t track = t->track[row];
	size_t from = l->first[track], to = l->first[track + 1];
	size_t at = first_where(i, from, to, l->row[i] >= row);
	return at < to && l->row[at] == row ? at - from + 1 : 0;
}

static void put_track(const struct html_trace *x, struct listed *l, uint32_t track, FILE *f)
{
	const struct trace *t = x->trace;
	const struct track *k = &t->tracks[track];
	int64_t before = 0;
	uint32_t from = NO_ROW;
	if (l->first[track] == l->first[track + 1]) {
		fputs("0", f);
		return;
	}
	fputs("{\"name\":", f);
	put_text(f, names_text(&t->names, k->label ? k->label : k->process));
	fputs(",\"detail\":", f);
	put_text(f, names_text(&t->names, k->thread));
	fputs(",\"events\":[", f);
	for (size_t i = l->first[track]; i < l->first[track + 1]; i++) {
		uint32_t row = l->row[i], launch = t->launch[row];
		size_t place = event_on_device(t->kind[row]) && launch != NO_ROW
			? place_of(t, l, launch)
			: 0;
		/* A stream is launched into by one thread, as good as always. */
		if (place && from == NO_ROW)
			from = t->track[launch];
		fprintf(f, "%s%" PRId64 ",%" PRId64 ",%u,%zu", i > l->first[track] ? "," : "",
			t->start_ns[row] - before, t->dur_ns[row], number_of_name(x, l, row, f),
			place && t->track[launch] == from ? place : 0);
		before = t->start_ns[row];
	}
	fprintf(f, "],\"from\":%" PRId64 "}", from == NO_ROW ? -1 : (int64_t)from);
}

/* Tracks keep their numbers, so that a launch is found; an empty one is nothing. */
static void put_trace(const struct html_trace *x, size_t most, FILE *f)
{
	const struct trace *t = x->trace;
	struct chosen c = choose(x, most);
	struct listed l = list_rows(x, &c);
	fputs("{", f);
	put_names(x, &l, f);
	fprintf(f, "\"end\":%" PRId64 ",\"shown\":%zu,\"all\":%zu,\n\"tracks\":[", t->end_ns,
		t->n_tracks ? l.first[t->n_tracks] : 0, c.all);
	for (uint32_t k = 0; k < t->n_tracks; k++) {
		fputs(k ? ",\n" : "", f);
		put_track(x, &l, k, f);
	}
	fputs("]}", f);
	listed_release(&l);
}

static size_t less_than_signs(const char *text)
{
	size_t n = 0;
	for (; (text = strchr(text, '<')); text++)
		n++;
	return n;
}

/* How long an event becomes is known once it is written: fewer are tried until they have room. */
static void put_within(const struct html_trace *x, size_t most_bytes, FILE *f)
{
	enum { TRIES = 6 };
	size_t most = most_bytes / LEAST_EVENT;
	for (int i = 0;; i++) {
		char *text = NULL;
		size_t n = 0;
		FILE *part = open_memstream(&text, &n);
		if (!part)
			out_of_memory(0);
		put_trace(x, i == TRIES ? 0 : most, part);
		fclose(part);
		n += less_than_signs(text) * (sizeof HTML_LESS - 2);
		bool fits = n <= most_bytes || i == TRIES;
		if (fits)
			fputs(text, f);
		free(text);
		if (fits)
			return;
		most = (size_t)((double)most * 0.95 * (double)most_bytes / (double)n);
	}
}

/* What one leaves is for those behind it. */
void html_events_write(const struct html_traces *all, size_t most_bytes, FILE *f)
{
	long began = ftell(f);
	fputs("[", f);
	for (int i = 0; i < all->n; i++) {
		size_t used = (size_t)(ftell(f) - began), left = (size_t)(all->n - i);
		fputs(i ? ",\n" : "", f);
		put_within(&all->trace[i], used < most_bytes ? (most_bytes - used) / left : 0, f);
	}
	fputs("]", f);
}
