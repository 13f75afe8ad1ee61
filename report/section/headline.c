/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/headline.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/analyse/launches.h"
#include "report/name/shorten.h"

const char *headline_word(const struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	if (p->headline == HEADLINE_NONE)
		return said(d, c->trace.ends_early ? "headline.cut" : "regime.none", NULL);
	return p->solid ? said_by(d, "headline.%s", headline_name(p->headline))
			: said(d, "headline.mixed", NULL);
}

/* The parts as a reader counts them: computing is one. */
struct group {
	const char *word;
	int64_t ns;
	bool named; /* by the headline */
};

enum { GROUPS = TIME_PARTS - TIME_OTHER, SHOWN_GROUPS = 5 };

static const double GROUP_LEAST = 0.01; /* smaller ones are not listed */

static int groups_of(const struct document *d, const struct time_parts *s, struct group *g)
{
	int n = 0, most = 0;
	g[n++] = (struct group){
		said(d, "breakdown.computing", NULL), time_parts_computing_ns(s), false};
	for (int i = TIME_COMMUNICATION; i < TIME_PARTS; i++) {
		g[n] = (struct group){said_by(d, "breakdown.%s", time_part_name((enum time_part)i)),
			s->ns[i], false};
		most = g[n].ns > g[most].ns ? n : most;
		n++;
	}
	g[most].named = true;
	for (int i = 1; i < n; i++) /* largest first, equal ones in their order */
		for (int k = i; k > 0 && g[k].ns > g[k - 1].ns; k--) {
			struct group swapped = g[k];
			g[k] = g[k - 1];
			g[k - 1] = swapped;
		}
	return n;
}

/* "computing 34.2 %, sync 11.2 %", without what the headline names. */
static const char *rest_of(const struct document *d, const struct time_parts *s)
{
	struct group g[GROUPS];
	int n = groups_of(d, s, g), shown = 0;
	double length = (double)(s->end_ns - s->start_ns);
	struct text_builder list = {.arena = d->arena};
	for (int i = 0; i < n && shown < SHOWN_GROUPS; i++) {
		double share = (double)g[i].ns / length;
		if (g[i].named || share < GROUP_LEAST)
			continue;
		text_add(&list, "%s%s %s", shown++ ? ", " : "", g[i].word,
			format_share(d->arena, share));
	}
	return shown ? said(d, "headline.rest", "list", text_built(&list), NULL) : "";
}

static const char *window_of(const struct document *d, const struct breakdown *p)
{
	const struct time_parts *s = breakdown_window(p);
	const char *ns = format_time(d->arena, (double)(s->end_ns - s->start_ns));
	const char *key = p->median == NO_ROW ? "headline.window.whole"
		: p->n_steps == 3	      ? "headline.window.two"
		: p->n_steps > 1	      ? "headline.window.median"
					      : "headline.window.step";
	const struct breakdown_step *step = p->median == NO_ROW ? NULL : &p->steps[p->median];
	return said(
		d, key, "ns", ns, "step", format_count(d->arena, step ? step->number : 0), NULL);
}

/* Of the launches in the file, those without work in it are worth a sentence from this share on. */
static const double LOST_LEAST = 0.05;

/* What is not in the file, and what cannot be told for that. */
static void add_lacks(struct document *d, const struct report_case *c)
{
	const struct health *h = c->health;
	if (c->trace.ends_early && c->breakdown->headline == HEADLINE_NONE) {
		document_say(d, BLOCK_TEXT, "headline.lacks.rest", NULL);
		return;
	}
	if (c->breakdown->lack == LACK_DEVICE)
		document_say(d, BLOCK_TEXT,
			h->of_kind[EVENT_OP] ? "headline.lacks.device" : "headline.lacks.both",
			NULL);
	else if (c->breakdown->lack == LACK_HOST || c->breakdown->lack == LACK_LAUNCHES)
		document_say(d, BLOCK_TEXT, "headline.lacks", NULL);
	if (h->device_events && h->of_kind[EVENT_OP] && !h->with_shapes)
		document_say(d, BLOCK_TEXT, "headline.lacks.shapes", NULL);
	if (h->device_events && (double)h->idle_launches.n >= LOST_LEAST * (double)h->launches &&
		h->idle_launches.n > 1)
		document_say(d, BLOCK_TEXT, "headline.lacks.work", "n",
			format_count(d->arena, h->idle_launches.n), "all",
			format_count(d->arena, h->launches), NULL);
}

enum { SHOWN_SILENCES = 2 };
static const double SILENCE_LEAST = 0.05; /* of the whole */

static const char *because(
	const struct document *d, const struct report_case *c, const struct silence *s)
{
	const char *key =
		arena_printf(d->arena, "headline.silence.%s", blame_name((enum blame_kind)s->kind));
	return said(d, key, "name", brief_name(d->arena, trace_name(&c->trace, s->name)), "before",
		brief_name(d->arena, trace_row_name(&c->trace, s->before)), NULL);
}

static const char *share_of_split(const struct document *d, const struct time_parts *s, int64_t ns)
{
	return format_share(d->arena, (double)ns / (double)(s->end_ns - s->start_ns));
}

static void add_silence(struct document *d, const struct report_case *c, const struct silence *s)
{
	document_say(d, BLOCK_TEXT, "headline.silence", "n", format_count(d->arena, s->n), "ns",
		format_time(d->arena, (double)s->ns), "share",
		share_of_split(d, &c->breakdown->whole, s->ns), "what", because(d, c, s), NULL);
}

/* Of the window that the headline speaks of. */
static void add_window_silence(
	struct document *d, const struct report_case *c, const struct silence *s)
{
	const struct breakdown *p = c->breakdown;
	document_say(d, BLOCK_TEXT, "headline.silence.window", "window", window_of(d, p), "ns",
		format_time(d->arena, (double)s->window_ns), "share",
		share_of_split(d, breakdown_window(p), s->window_ns), "what", because(d, c, s),
		NULL);
}

/* The one that the headline speaks of. */
static uint32_t silence_of_window(const struct blame *b)
{
	uint32_t most = 0;
	for (uint32_t i = 1; i < b->n_silences; i++)
		most = b->silences[i].window_ns > b->silences[most].window_ns ? i : most;
	return most;
}

/* Because of what the device waited long. What stands still is told by actions. */
static void add_silences(struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	const struct blame *b = &p->blame;
	double least = SILENCE_LEAST * (double)(p->whole.end_ns - p->whole.start_ns);
	bool named = headline_is_silence(p->headline);
	uint32_t first = named ? silence_of_window(b) : NO_ROW;
	if (p->headline == HEADLINE_STALL)
		return;
	if (named && p->median == NO_ROW)
		add_silence(d, c, &b->silences[first]);
	else if (named)
		add_window_silence(d, c, &b->silences[first]);
	for (uint32_t i = 0, n = named; i < b->n_silences && n < SHOWN_SILENCES; i++) {
		if ((double)b->silences[i].ns < least)
			break;
		if (i == first)
			continue;
		add_silence(d, c, &b->silences[i]);
		n++;
	}
}

/* How the steps were told that the profiler did not mark. */
static void add_steps_by(struct document *d, const struct breakdown *p)
{
	if (p->steps_by == STEPS_BY_NOTHING || p->steps_by == STEPS_BY_PROFILER)
		return;
	document_say(d, BLOCK_TEXT,
		arena_printf(d->arena, "headline.by.%s", steps_by_name(p->steps_by)), "n",
		format_count(d->arena, p->n_steps), "range", brief_name(d->arena, p->range), NULL);
}

void add_headline(struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	if (p->headline == HEADLINE_NONE) {
		add_lacks(d, c);
		add_steps_by(d, p);
		return;
	}
	document_say(d, BLOCK_TEXT, p->solid ? "headline.solid" : "headline.open", "what",
		said_by(d, "headline.%s.what", headline_name(p->headline)), "word",
		headline_word(d, c), "share", format_share(d->arena, p->headline_share), "window",
		window_of(d, p), "rest", rest_of(d, breakdown_window(p)), NULL)
		->level = 1;
	add_silences(d, c);
	add_lacks(d, c);
	add_steps_by(d, p);
}
