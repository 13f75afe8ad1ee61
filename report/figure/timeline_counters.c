/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_format.h"
#include "report/figure/timeline_parts.h"

#include <math.h>
#include <string.h>

/* Fewer samples are no curve, and more series than MOST are not looked at. */
enum { LEAST_SAMPLES = 8, MOST_SERIES = 64 };

/* Points of a lane, below the last line of it, and one column of a curve. */
static const double LANE = 19, COLUMN = 0.5;

/* The number of the GPU whose counters a process is: by its name, as PyTorch and the recorder
 * here write them, or as the process of that number. -1: none. */
static int64_t gpu_of(const struct trace *t, uint32_t track)
{
	static const char before[] = "GPU ", behind[] = " Counters";
	const struct track *k = &t->tracks[track];
	const char *text = names_text(&t->names, k->pid_text);
	int64_t gpu = 0;
	if (k->pid >= 0)
		return k->pid;
	if (strncmp(text, before, sizeof before - 1))
		return -1;
	text += sizeof before - 1;
	const char *p = text;
	for (; *p >= '0' && *p <= '9' && p - text < 9; p++)
		gpu = gpu * 10 + (*p - '0');
	return p > text && !strcmp(p, behind) ? gpu : -1;
}

static bool is_shown(const struct timeline *tl, int64_t gpu)
{
	for (int i = 0; gpu >= 0 && i < tl->n_lanes; i++)
		if (tl->lane[i].device && tl->trace->tracks[tl->lane[i].track].pid == gpu)
			return true;
	return false;
}

static double value_of(const struct trace *t, size_t row)
{
	return t->counters[t->side[row]].value;
}

static bool is_sample(const struct trace *t, size_t row)
{
	return t->kind[row] == EVENT_COUNTER && t->side[row] != NO_ROW;
}

/* Series of the GPUs that have a lane, in order of their first sample in the window. */
static int find_series(const struct timeline *tl, struct counter_lane *list)
{
	const struct trace *t = tl->trace;
	int n = 0, last = 0;
	for (size_t i = trace_first_from(t, tl->from_ns); i < t->n && t->start_ns[i] < tl->end_ns;
		i++) {
		if (!is_sample(t, i))
			continue;
		uint32_t track = t->track[i];
		for (int k = 0;
			k < n && (list[last].track != track || list[last].name != t->name[i]); k++)
			last = k;
		if (!n || list[last].track != track || list[last].name != t->name[i]) {
			if (n == MOST_SERIES || !is_shown(tl, gpu_of(t, track)))
				continue;
			last = n++;
			list[last] = (struct counter_lane){.track = track,
				.name = t->name[i],
				.low = INFINITY,
				.high = -INFINITY};
		}
		list[last].low = fmin(list[last].low, value_of(t, i));
		list[last].high = fmax(list[last].high, value_of(t, i));
		list[last].n++;
	}
	return n;
}

/* "Power (mW)" is Power, in W: a thousandth of what is recorded. */
struct counter_name {
	const char *plain, *unit;
	double each; /* of that unit */
};

static struct counter_name named(struct arena *a, const char *name)
{
	const char *open = strrchr(name, '(');
	size_t n = strlen(name);
	if (!open || open == name || name[n - 1] != ')' || open[-1] != ' ')
		return (struct counter_name){name, "", 1};
	struct counter_name parts = {arena_strndup(a, name, (size_t)(open - 1 - name)),
		arena_strndup(a, open + 1, n - 1 - (size_t)(open + 1 - name)), 1};
	if (!strcmp(parts.unit, "mW")) {
		parts.unit = "W";
		parts.each = 1e-3;
	}
	return parts;
}

static const char *number_text(struct arena *a, double value)
{
	double size = fabs(value);
	if (size >= 1e5)
		return format_si(a, value, "");
	return arena_printf(a, "%.*f",
		size >= 100 || size == floor(size) ? 0
			: size >= 10		   ? 1
						   : 2,
		value);
}

/* Do its least and its most read alike? */
static bool stays(const struct timeline *tl, const struct counter_lane *c)
{
	struct arena scratch = {0};
	double each = named(&scratch, trace_name(tl->trace, c->name)).each;
	bool alike = !strcmp(
		number_text(&scratch, c->low * each), number_text(&scratch, c->high * each));
	arena_release(&scratch);
	return alike;
}

/* How much it changes, of the most that it is; what nobody could read off its scale is no change.
 */
static double change_of(const struct timeline *tl, const struct counter_lane *c)
{
	double most = fmax(fabs(c->low), fabs(c->high));
	return c->n < LEAST_SAMPLES || most == 0 || stays(tl, c) ? 0 : (c->high - c->low) / most;
}

/* Those that change most, in their order; of one that stays as it is nothing is to be seen. */
void counters_plan(struct timeline *tl)
{
	struct counter_lane list[MOST_SERIES];
	double change[MOST_SERIES];
	int n = tl->trace->n_counters ? find_series(tl, list) : 0;
	tl->n_counters = 0;
	for (int i = 0; i < n; i++)
		change[i] = change_of(tl, &list[i]);
	for (int i = 0; i < n && tl->n_counters < TIMELINE_COUNTERS; i++) {
		int above = 0;
		for (int k = 0; k < n; k++)
			above += change[k] > change[i] || (k < i && change[k] == change[i]);
		if (change[i] > 0 && above < TIMELINE_COUNTERS)
			tl->counter[tl->n_counters++] = list[i];
	}
}

double counters_height(const struct timeline *tl)
{
	return tl->n_counters * (LANE + timeline_metrics.lane_gap);
}

/* ---- drawing ---- */

/* From 0, unless that would hide how it changes. */
static struct scale scale_of(const struct counter_lane *c, double bottom)
{
	double low = c->low >= 0 && c->low < c->high / 2 ? 0 : c->low;
	return (struct scale){.low = low, .high = c->high, .at = bottom, .length = -(LANE - 2)};
}

/* Level from one sample to the next; of what falls into one column the highest. */
static size_t corners(
	const struct pen *p, const struct counter_lane *c, const struct scale *y, struct pt *to)
{
	const struct trace *t = p->tl->trace;
	size_t n = 0;
	for (size_t i = trace_first_from(t, p->tl->from_ns);
		i < t->n && t->start_ns[i] < p->tl->end_ns; i++) {
		if (!is_sample(t, i) || t->track[i] != c->track || t->name[i] != c->name)
			continue;
		double x = x_of(p, t->start_ns[i]), at = scale_at(y, value_of(t, i));
		if (n && x < to[n - 1].x + COLUMN) {
			to[n - 1].y = fmin(to[n - 1].y, at);
			continue;
		}
		if (n) {
			to[n] = (struct pt){x, to[n - 1].y};
			n++;
		}
		to[n++] = (struct pt){x, at};
	}
	return n;
}

static void draw_names(
	const struct pen *p, const struct counter_lane *c, const struct scale *y, double top)
{
	struct arena *a = p->on.a;
	struct counter_name name = named(a, trace_name(p->tl->trace, c->name));
	double room = timeline_metrics.gutter - 6;
	const char *range =
		say(p->tl->texts, a, "timeline.counter", "low", number_text(a, y->low * name.each),
			"high", number_text(a, y->high * name.each), "unit", name.unit, NULL);
	plot_text(&p->on, p->box.x, top + 8, FACE_SANS, plot_small, "ink", ANCHOR_START,
		text_elide(a, p->tl->fonts, FACE_SANS, plot_small, room, name.plain));
	plot_text(&p->on, p->box.x, top + 16, FACE_SANS, plot_small, "secondary", ANCHOR_START,
		text_elide(a, p->tl->fonts, FACE_SANS, plot_small, room, range));
}

static void draw_counter(const struct pen *p, const struct counter_lane *c, double top)
{
	size_t most = 4 * (size_t)(p->w / COLUMN) + 8;
	struct pt *line = arena_array(p->on.a, most, sizeof *line);
	double bottom = top + LANE;
	struct scale y = scale_of(c, bottom);
	size_t n = corners(p, c, &y, line);
	draw_names(p, c, &y, top);
	plot_line(&p->on, (struct pt){p->x0, bottom}, (struct pt){p->x0 + p->w, bottom}, 0.35,
		"rule", 0);
	if (!n)
		return;
	line[n] = (struct pt){line[n - 1].x + COLUMN, line[n - 1].y};
	n++;
	line[n] = (struct pt){line[n - 1].x, bottom};
	line[n + 1] = (struct pt){line[0].x, bottom};
	plot_area(&p->on, line, n + 2, plot_colour(&p->on, "band"));
	plot_series(&p->on, line, n, (struct plot_line_style){.width = 0.7, .colour = "secondary"});
}

void draw_counters(const struct pen *p, double top)
{
	for (int i = 0; i < p->tl->n_counters; i++)
		draw_counter(p, &p->tl->counter[i],
			top + timeline_metrics.lane_gap + i * (LANE + timeline_metrics.lane_gap));
}
