/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/headline.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/cpu_work.h"
#include "report/analyse/health.h"
#include "report/analyse/launches.h"
#include "report/analyse/usual_cost.h"
#include "report/name/shorten.h"
#include "report/rules/advice.h"
#include "report/run/manifest.h"

#include <math.h>

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

const char *parts_in_words(const struct document *d, const struct time_parts *s, bool all)
{
	struct group g[GROUPS];
	int n = groups_of(d, s, g), shown = 0;
	double length = (double)(s->end_ns - s->start_ns);
	struct text_builder list = {.arena = d->arena};
	for (int i = 0; i < n && shown < SHOWN_GROUPS; i++) {
		double share = (double)g[i].ns / length;
		if ((g[i].named && !all) || share < GROUP_LEAST)
			continue;
		text_add(&list, "%s%s %s", shown++ ? ", " : "", g[i].word,
			format_share(d->arena, share));
	}
	return text_built(&list);
}

static const char *rest_of(const struct document *d, const struct time_parts *s)
{
	const char *list = parts_in_words(d, s, false);
	return !*list ? list : said(d, "headline.rest", "list", list, NULL);
}

/* Of a lone step whose window begins a fiftieth later than its range, which is drawn whole: why. */
static const char *late_begin(const struct document *d, const struct breakdown *p, int64_t length)
{
	const struct breakdown_step *s = p->n_steps == 1 ? p->steps : NULL;
	int64_t ns = s && p->median != NO_ROW ? s->split.start_ns - s->host_start_ns : 0;
	return ns && ns >= length / 50
		? said(d, "headline.window.late", "ns", format_time(d->arena, (double)ns), NULL)
		: "";
}

static const char *window_named(
	const struct document *d, const struct breakdown *p, int64_t length_ns)
{
	const char *ns = format_time(d->arena, (double)length_ns);
	const char *key = p->median == NO_ROW ? "headline.window.whole"
		: p->n_steps == 3	      ? "headline.window.two"
		: p->n_steps > 1	      ? "headline.window.median"
					      : "headline.window.step";
	int64_t step = p->median == NO_ROW ? 0 : p->steps[p->median].number;
	const char *name = said(d, key, "ns", ns, "step", format_count(d->arena, step), NULL);
	return arena_printf(d->arena, "%s%s", name, late_begin(d, p, length_ns));
}

static const char *window_of(const struct document *d, const struct breakdown *p)
{
	return window_named(d, p, split_length(breakdown_window(p)));
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

static const char *name_of(const struct document *d, const struct report_case *c, uint32_t row)
{
	return row == NO_ROW ? "" : brief_name(d->arena, trace_row_name(&c->trace, row));
}

/* "between `a` and `b`": where in the program, as far as the file tells. */
static const char *where_words(
	const struct document *d, const struct report_case *c, const struct silence *s)
{
	const char *key = s->after == NO_ROW			      ? "headline.place.before"
		: s->before == NO_ROW				      ? "headline.place.after"
		: c->trace.name[s->after] == c->trace.name[s->before] ? "headline.place.again"
								      : "headline.place.between";
	return said(
		d, key, "after", name_of(d, c, s->after), "before", name_of(d, c, s->before), NULL);
}

/* An operator or a call that took much longer by itself than its like; of what is said of the
 * window, in the window. */
static bool is_unusual(const struct report_case *c, const struct silence *s, bool here)
{
	const struct time_parts *w = breakdown_window(c->breakdown);
	if (here && s->row != NO_ROW &&
		(c->trace.start_ns[s->row] >= w->end_ns ||
			row_end(&c->trace, s->row) <= w->start_ns))
		return false;
	int64_t own = s->usual_ns ? own_ns(&c->trace, s->row) : 0;
	return own >= UNUSUAL_TIMES * s->usual_ns && 2 * own >= s->longest_ns && own > 0;
}

static const char *because(
	const struct document *d, const struct report_case *c, const struct silence *s, bool here)
{
	const char *kind = blame_name((enum blame_kind)s->kind);
	const char *form = is_unusual(c, s, here) ? ".unusual" : s->name ? "" : ".unnamed";
	int64_t own = s->usual_ns ? own_ns(&c->trace, s->row) : 0;
	return said(d, arena_printf(d->arena, "headline.silence.%s%s", kind, form), "name",
		brief_name(d->arena, trace_name(&c->trace, s->name)), "place", where_words(d, c, s),
		"own", format_time(d->arena, (double)own), "usual",
		format_time(d->arena, (double)s->usual_ns), NULL);
}

static const char *share_of_split(const struct document *d, const struct time_parts *s, int64_t ns)
{
	return format_share(d->arena, (double)ns / (double)(s->end_ns - s->start_ns));
}

static const char *same_words(
	const struct document *d, const struct report_case *c, const struct silence *s)
{
	return said(d, "headline.silence.same", "n", format_count(d->arena, s->n), "ns",
		format_time(d->arena, (double)s->ns), "share",
		share_of_split(d, &c->breakdown->whole, s->ns), NULL);
}

static void add_silence(struct document *d, const struct report_case *c, const struct silence *s)
{
	document_say(d, BLOCK_TEXT, "headline.silence", "n", format_count(d->arena, s->n), "ns",
		format_time(d->arena, (double)s->ns), "share",
		share_of_split(d, &c->breakdown->whole, s->ns), "what", because(d, c, s, false),
		NULL);
}

static const char *because_of_cause(
	const struct document *d, const struct report_case *c, const struct blame_cause *x)
{
	const char *kind = blame_name((enum blame_kind)x->kind);
	return said(d, arena_printf(d->arena, "headline.cause.%s", kind), "name",
		brief_name(d->arena, trace_name(&c->trace, x->name)), NULL);
}

/* What a headline's window is due to. */
struct reason {
	const char *because; /* NULL: nothing has most of it */
	uint32_t silence; /* which says so, NO_ROW */
	int64_t ns; /* of the window */
	bool all; /* nearly all of the part that the headline names */
};

/* The silence that has most of the window, of the kind that the headline says. */
static struct reason silent_reason(const struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	const struct blame *b = &p->blame;
	int kind = p->headline == HEADLINE_COMPILE ? BLAME_COMPILER
		: p->headline == HEADLINE_CPU	   ? BLAME_COMPUTING
						   : -1;
	struct reason r = {.silence = NO_ROW};
	for (uint32_t i = 0; i < b->n_silences; i++) {
		const struct silence *s = &b->silences[i];
		if ((kind < 0 || s->kind == kind) && s->window_ns > 0 &&
			(r.silence == NO_ROW || s->window_ns > b->silences[r.silence].window_ns))
			r.silence = i;
		r.ns += kind >= 0 && s->kind == kind ? s->window_ns : 0;
	}
	if (r.silence == NO_ROW)
		return r;
	r.ns = kind < 0 ? b->silences[r.silence].window_ns : r.ns;
	r.because = because(d, c, &b->silences[r.silence], true);
	return r;
}

static struct reason reason_of(const struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	struct reason r = {.silence = NO_ROW};
	const struct blame_cause *x = p->headline == HEADLINE_SYNC
		? blame_largest(&p->blame, BLAME_WAIT)
		: p->headline == HEADLINE_INPUT ? blame_largest(&p->blame, BLAME_INPUT)
						: NULL;
	if (headline_is_silence(p->headline) || p->headline == HEADLINE_STALL)
		r = silent_reason(d, c);
	else if (x && x->name)
		r = (struct reason){.because = because_of_cause(d, c, x),
			.silence = NO_ROW,
			.ns = x->window_ns};
	double part = p->headline_share * (double)split_length(breakdown_window(p));
	if (2 * (double)r.ns < part)
		r.because = NULL;
	r.ns = (double)r.ns > part ? llround(part) : r.ns; /* it reaches into other parts */
	r.all = (double)r.ns >= (1 - GROUP_LEAST) * part;
	return r;
}

/* Because of what the device waited long. What stands still is told by actions. */
static void add_silences(struct document *d, const struct report_case *c, const struct reason *told)
{
	const struct breakdown *p = c->breakdown;
	const struct blame *b = &p->blame;
	double least = SILENCE_LEAST * (double)(p->whole.end_ns - p->whole.start_ns);
	uint32_t first = told->because ? told->silence : NO_ROW;
	if (p->headline == HEADLINE_STALL)
		return;
	for (uint32_t i = 0, n = first != NO_ROW; i < b->n_silences && n < SHOWN_SILENCES; i++) {
		if ((double)b->silences[i].ns < least)
			break;
		if (i == first)
			continue;
		add_silence(d, c, &b->silences[i]);
		n++;
	}
}

/* Python is not named, and was not recorded. */
static bool stack_would_name(const struct report_case *c, const struct silence *s)
{
	bool python = s->kind == BLAME_PYTHON || s->kind == BLAME_NOTHING;
	return python && !s->name && !c->health->of_kind[EVENT_PYTHON];
}

static const double KIND_LEAST = 0.05; /* of the rhythm */

/* What a host is busy with that is late launch by launch. */
static const char *rhythm_of(const struct document *d, const struct report_case *c)
{
	const struct blame_sum *s = &c->breakdown->blame.window;
	struct text_builder list = {.arena = d->arena};
	int64_t hosts = s->silence_ns + s->rhythm_ns;
	for (int k = 0, shown = 0; k <= BLAME_NOTHING; k++) {
		double share = hosts ? (double)s->ns[k] / (double)hosts : 0;
		if (share < KIND_LEAST)
			continue;
		text_add(&list, "%s%s %s", shown++ ? ", " : "",
			said_by(d, "headline.kind.%s", blame_name((enum blame_kind)k)),
			format_share(d->arena, share));
	}
	if (c->breakdown->headline != HEADLINE_LAUNCH || s->launches < SILENCE_GAPS)
		return "";
	return said(d, "headline.rhythm", "n", format_count(d->arena, (int64_t)s->launches), "each",
		format_time(d->arena, (double)s->rhythm_ns / (double)s->launches), "list",
		text_built(&list), NULL);
}

static const double USE_LEAST = 0.05; /* of the window */

/* Nobody knows what a better kind would take: all of it is counted. */
static bool told_whole(enum device_why why, const struct purpose *x)
{
	return (why == WHY_FP64 || why == WHY_FP32 || why == WHY_MISALIGNED) && !x->rest_ns;
}

/* What would decide whether it is needed; an action about the kernels says that itself. */
static const char *decided_by(const struct document *d, const struct report_case *c, int why)
{
	for (int i = 0; i < c->advice->n; i++)
		if (c->advice->action[i].rule->of_kernels)
			return "";
	return said_by(d, "use.decide.%s", device_why_name((enum device_why)why));
}

/* What the device works most at that is not the work that was asked for. */
static const char *use_of(const struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	enum device_why why = purposes_worst(&p->purposes);
	const struct purpose *x = purposes_largest(&p->purposes, why);
	int64_t ns = p->purposes.window.ns[why], busy = 0;
	for (int i = 0; i < DEVICE_WHYS; i++)
		busy += p->purposes.window.ns[i];
	if (why == WHY_COMPUTED || !x ||
		(double)ns < USE_LEAST * (double)split_length(breakdown_window(p)))
		return "";
	const struct trace *t = &c->trace;
	const char *name = x->op ? trace_name(t, x->op)
				 : trace_row_name(t, c->analysis->device_rows[x->event]);
	const char *module = x->module
		? said(d, "use.module", "module", brief_name(d->arena, trace_name(t, x->module)),
			  NULL)
		: "";
	return said(d, "headline.use", "share", format_share(d->arena, (double)ns / (double)busy),
		"ns", format_time(d->arena, (double)ns), "why",
		said_by(d, told_whole(why, x) ? "use.%s.whole" : "use.%s", device_why_name(why)),
		"name", brief_name(d->arena, name), "phase",
		said_by(d, "use.phase.%s", phase_name((enum phase)x->phase)), "module", module,
		"decide", decided_by(d, c, why), NULL);
}

/* What else is worth a sentence behind the first: the same in the whole recording, what the rhythm
 * is made of, what would name it. */
static const char *more_of(
	const struct document *d, const struct report_case *c, const struct reason *r)
{
	const struct silence *s = r->because && r->silence != NO_ROW
		? &c->breakdown->blame.silences[r->silence]
		: NULL;
	bool same = s && s->ns != s->window_ns, stack = s && stack_would_name(c, s);
	const char *const said_more[] = {same ? same_words(d, c, s) : "",
		stack ? said(d, "headline.record.stack", NULL) : "", s ? "" : rhythm_of(d, c),
		use_of(d, c)};
	struct text_builder all = {.arena = d->arena};
	for (size_t i = 0; i < sizeof said_more / sizeof *said_more; i++)
		if (said_more[i][0])
			text_add(&all, " %s", said_more[i]);
	return text_built(&all);
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

static const double WAIT_LEAST = 0.05; /* of waiting and working */

void add_loading(struct document *d, const struct report_case *c)
{
	const struct loading_facts *l = c->loading;
	struct arena *a = d->arena;
	if (!l || l->wait_ms < WAIT_LEAST * (l->wait_ms + l->work_ms))
		return;
	const char *in = l->in ? said(d, "loading.in", "time", format_time(a, l->in_ms * 1e6), "in",
					 l->in, "at", l->at, NULL)
			       : "";
	const char *key = l->workers == 0 ? "loading.none"
		: l->workers < l->enough  ? "loading.few"
					  : "loading.enough";
	document_say(d, BLOCK_TEXT, key, "n", format_count(a, (int64_t)l->batches), "wait",
		format_time(a, l->wait_ms * 1e6), "work", format_time(a, l->work_ms * 1e6), "make",
		format_time(a, l->make_ms * 1e6), "in", in, "enough",
		format_count(a, (int64_t)l->enough), "workers",
		format_count(a, (int64_t)l->workers), NULL);
}

/* "aten::addmm 17.3 %, aten::relu_ 7.1 %" behind the largest. */
static const char *next_of(
	const struct document *d, const struct trace *t, const struct cpu_work *w)
{
	struct text_builder list = {.arena = d->arena};
	for (uint32_t i = 1; i < w->n; i++)
		text_add(&list, "%s%s %s", i > 1 ? ", " : "",
			brief_name(d->arena, trace_name(t, w->most[i].name)),
			format_share(d->arena, (double)w->most[i].own_ns / (double)w->own_ns));
	return w->n > 1 ? said(d, "headline.cpu.rest", "list", text_built(&list), NULL) : "";
}

/* Of a program that runs on a CPU: which operators take its time. */
static bool add_cpu(struct document *d, const struct report_case *c)
{
	const struct cpu_work w = cpu_work_of(c->analysis, c->breakdown);
	double length = (double)(w.end_ns - w.start_ns), own = (double)w.own_ns;
	if (!w.n)
		return false;
	bool talks = 2 * w.collective_ns >= w.end_ns - w.start_ns;
	if (talks)
		document_say(d, BLOCK_TEXT, "headline.cpu.collective", "name",
			brief_name(d->arena, trace_name(&c->trace, w.collective)), "share",
			format_share(d->arena, (double)w.collective_ns / length), "window",
			window_named(d, c->breakdown, w.end_ns - w.start_ns), NULL)
			->level = 1;
	document_say(d, BLOCK_TEXT, "headline.cpu", "name",
		brief_name(d->arena, trace_name(&c->trace, w.most[0].name)), "share",
		format_share(d->arena, (double)w.most[0].own_ns / own), "window",
		window_named(d, c->breakdown, w.end_ns - w.start_ns), "rest",
		next_of(d, &c->trace, &w), NULL)
		->level = !talks;
	const char *moving = (double)w.moving_ns < GROUP_LEAST * own
		? ""
		: said(d, "headline.cpu.moving", "share",
			  format_share(d->arena, (double)w.moving_ns / own), NULL);
	document_say(d, BLOCK_TEXT, "headline.cpu.parts", "within",
		format_share(d->arena, (double)w.within_ns / length), "threads",
		format_count(d->arena, w.threads), "moving", moving, NULL);
	return true;
}

/* Recording hides what limits the program: what it is limited by without the recorder, and how it
 * looks as recorded. */
static void add_estimated(struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	const struct advice *x = c->advice;
	struct arena *a = d->arena;
	const char *seen = headline_name(p->headline), *use = use_of(d, c);
	document_say(d, BLOCK_TEXT,
		x->headline_share >= HEADLINE_SOLID ? "headline.estimated"
						    : "headline.estimated.open",
		"what", said_by(d, "headline.%s.what", headline_name((enum headline)x->headline)),
		"word", headline_word(d, c), "share", format_share(a, x->headline_share), "ns",
		format_time(a, (double)x->unrecorded_ns), "window", window_of(d, p), "recorded",
		format_share(a, p->headline_share), "by",
		said(d, x->measured ? "headline.by.measured" : "headline.by.estimate", NULL),
		"seen", said_by(d, "headline.%s.what", seen), "rest",
		rest_of(d, breakdown_window(p)), "more", use[0] ? arena_printf(a, " %s", use) : "",
		NULL)
		->level = 1;
}

const char *window_in_parts(struct document *d, const struct breakdown *p)
{
	const struct time_parts *s = breakdown_window(p);
	return said(d, "breakdown.shows", "window", window_of(d, p), "list",
		parts_in_words(d, s, true), NULL);
}

static void add_recorded(struct document *d, const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	struct reason r = reason_of(d, c);
	const char *own = share_of_split(d, breakdown_window(p), r.ns);
	const char *form = r.because && r.all ? "headline.because"
		: r.because		      ? "headline.because.all"
		: p->solid		      ? "headline.solid"
					      : "headline.open";
	document_say(d, BLOCK_TEXT, form, "what",
		said_by(d, "headline.%s.what", headline_name(p->headline)), "word",
		headline_word(d, c), "share", format_share(d->arena, p->headline_share), "window",
		window_of(d, p), "rest", rest_of(d, breakdown_window(p)), "because",
		r.because ? r.because : "", "own", own, "more", more_of(d, c, &r), NULL)
		->level = 1;
	add_silences(d, c, &r);
}

void add_headline(struct document *d, const struct report_case *c)
{
	bool limited = c->breakdown->headline != HEADLINE_NONE;
	if (limited && headline_is_estimated(c))
		add_estimated(d, c);
	else if (limited)
		add_recorded(d, c);
	bool told = limited || add_cpu(d, c);
	add_uneven_steps(d, c);
	add_loading(d, c);
	if (limited || !told)
		add_lacks(d, c);
	add_steps_by(d, c->breakdown);
}
