/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that somebody sent, on a few pages: what limits it and what to do, then what it is made
 * of.
 */
#include "report/section/template_sections.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/two_threads.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/figure/breakdown_bar.h"
#include "report/figure/figures.h"
#include "report/rules/advice.h"
#include "report/section/compiler_account.h"
#include "report/section/headline.h"
#include "report/section/limit_words.h"
#include "report/section/parts.h"
#include "report/section/rule_words.h"

#include <string.h>

static void add_bar(struct document *d, const struct report_case *c)
{
	const struct time_parts *s = breakdown_window(c->breakdown);
	if (c->breakdown->headline == HEADLINE_NONE)
		return;
	struct breakdown_bar *bar = arena_alloc(d->arena, sizeof *bar);
	*bar = (struct breakdown_bar){.texts = d->texts, .fonts = d->fonts, .split = s};
	breakdown_bar_plan(bar, d->arena, document_width);
	struct figure *f = figure_add(d, &breakdown_bar_figure,
		arena_printf(d->arena, "%s-breakdown", c->place),
		said(d, "breakdown.alt", "title", c->title, NULL), bar);
	document_shows(d, f, window_in_parts(d, c->breakdown));
}

/* " (1.39×)": of the window without the recorder, as gains are. */
static const char *times_faster(struct document *d, const struct advice *x, int64_t gain_ns)
{
	int64_t left = x->unrecorded_ns - gain_ns;
	if (left <= 0)
		return "";
	double times = (double)x->unrecorded_ns / (double)left;
	return said(d, "advice.times", "times", format_ratio(d->arena, times), NULL);
}

/* "up to −6.55 ms a step (1.39×)"; of what a step does not pay there is no ratio to one. */
const char *action_gain(struct document *d, const struct advice *x, const struct finding *one)
{
	struct arena *a = d->arena;
	if (one->once_ns)
		return said(d, "advice.gain.once", "time", format_time(a, (double)one->once_ns),
			"whole", format_time(a, (double)x->whole_ns), NULL);
	return said(d, x->steps ? "advice.gain.step" : "advice.gain.whole", "time",
		format_time(a, (double)one->give_back_ns), "times",
		times_faster(d, x, one->give_back_ns), NULL);
}

/* What the first actions save together, where that is more than the largest does. */
static void add_together(struct document *d, const struct advice *x)
{
	int64_t joined_ns = 0;
	for (int i = 1; i < x->n && i < ADVICE_ON_PAGE; i++)
		joined_ns = max64(x->action[i].joined_ns, joined_ns);
	if (x->n && joined_ns > x->action[0].give_back_ns)
		document_say(d, BLOCK_TEXT, "advice.together", "time",
			format_time(d->arena, (double)joined_ns), "times",
			times_faster(d, x, joined_ns), NULL);
}

/* Each says where to look, where those pages follow. */
void add_actions(struct document *d, const struct report_case *c, bool pages_follow)
{
	const struct advice *x = c->advice;
	struct arena *a = d->arena;
	if (!x->n && !x->n_leave)
		return;
	document_heading(d, 3, NULL, said(d, "advice.title", NULL));
	for (int i = 0; i < x->n && i < ADVICE_ON_PAGE; i++) {
		const struct finding *one = &x->action[i];
		const char *key = pages_follow ? "advice.action" : "advice.action.more";
		struct block *b = document_say(d, BLOCK_POINT, key, "title",
			rule_title(d->texts, one->rule), "gain", action_gain(d, x, one), "sentence",
			rule_sentence(d->texts, a, one), "switch", rule_do(d->texts, a, one),
			"place",
			arena_printf(a, "%s-%s", c->place, rule_text(d->texts, one->rule, "look")),
			NULL);
		b->note = arena_printf(a, "%d", i + 1);
		b->shown = (struct shown_rows){x->trace, one->evidence, one->n_evidence};
	}
	if (!x->n)
		document_say(d, BLOCK_TEXT, "advice.none", NULL);
	add_together(d, x);
	const char *leave = "";
	for (int i = 0; i < x->n_leave; i++)
		leave = listed(a, leave, "; ", rule_sentence(d->texts, a, &x->leave[i]));
	if (leave[0])
		document_say(d, BLOCK_TEXT, "advice.leave", "list", leave, NULL);
}

static const char *recorder_share(struct document *d, const struct advice *x)
{
	if (x->unrecorded_ns >= x->window_ns)
		return "";
	double share = 1 - (double)x->unrecorded_ns / (double)x->window_ns;
	return said(d, "advice.recorder", "share", format_share(d->arena, share), "each",
		format_time(d->arena, (double)x->recording_ns), NULL);
}

/* More actions than the page holds, and how the gains are worked out. */
static void add_more_actions(struct document *d, const struct report_case *c)
{
	const struct advice *x = c->advice;
	struct arena *a = d->arena;
	for (int i = ADVICE_ON_PAGE; i < x->n; i++) {
		const struct finding *one = &x->action[i];
		struct block *b = document_say(d, BLOCK_POINT, "advice.action.more", "title",
			rule_title(d->texts, one->rule), "gain", action_gain(d, x, one), "sentence",
			rule_sentence(d->texts, a, one), "switch", rule_do(d->texts, a, one), NULL);
		b->note = arena_printf(a, "%d", i + 1);
		b->small = true;
		b->shown = (struct shown_rows){x->trace, one->evidence, one->n_evidence};
	}
	const char *list = "";
	for (int i = 0; i < x->n; i++)
		list = listed(a, list, "; ",
			said(d, "advice.at_most", "title", rule_title(d->texts, x->action[i].rule),
				"at_most", rule_text(d->texts, x->action[i].rule, "at_most"),
				NULL));
	if (list[0])
		document_say(d, BLOCK_CAPTION, "advice.at_most.all", "list", list, "rough",
			x->priced ? "" : said(d, "advice.at_most.rough", NULL), "recorder",
			recorder_share(d, x), NULL);
}

/* How the recording itself makes the trace slower, where it was asked for more than usual. */
static const char *recorder_words(struct document *d, const struct report_case *c)
{
	enum { SEEN = 20 }; /* a twentieth of the window is worth a word */
	const struct trace *t = &c->trace;
	const struct advice *x = c->advice;
	static const char *const settings[] = {"with_stack", "profile_memory"};
	const char *list = "";
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const char *value = trace_meta(t, settings[i]);
		if (value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0)
			list = listed(d->arena, list, ", ", settings[i]);
	}
	bool slower = SEEN * (x->window_ns - x->unrecorded_ns) > x->window_ns;
	return arena_printf(d->arena, "%s%s%s",
		list[0] ? said(d, "trace.recorder", "list", list, NULL) : "",
		list[0] && slower ? " " : "",
		slower ? said(d,
				 x->measured	    ? "trace.recorder.measured"
					 : x->steps ? "trace.recorder.step"
						    : "trace.recorder.whole",
				 "time", format_time(d->arena, (double)x->unrecorded_ns), NULL)
		       : "");
}

/* Which thread launches the work of the device, and how much of it, where others do, too. */
static const char *launcher_words(struct document *d, const struct report_case *c)
{
	const struct analysis *an = c->analysis;
	const struct trace *t = &c->trace;
	int64_t *of = arena_array(d->arena, t->n_tracks + 1, sizeof *of);
	int64_t all = (int64_t)an->n_device;
	uint32_t most = 0;
	for (size_t i = 0; i < an->n_device; i++) {
		uint32_t call = an->device_calls[i];
		if (call == NO_ROW)
			continue;
		of[t->track[call]]++;
		most = of[t->track[call]] > of[most] ? t->track[call] : most;
	}
	if (!of[most])
		return "";
	return said(d, of[most] < all ? "trace.launcher.most" : "trace.launcher", "thread",
		trace_name(t, t->tracks[most].thread), "n", format_count(d->arena, of[most]), "all",
		format_count(d->arena, all), NULL);
}

void add_health_line(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	const struct analysis *an = c->analysis;
	document_say(d, BLOCK_CAPTION, "trace.health", "events",
		format_count(a, (int64_t)c->trace.n), "kernels",
		format_count(a, (int64_t)an->n_kernels), "repairs",
		format_count(a, c->health->repairs), "unlinked",
		format_count(a, (int64_t)an->n_unlinked), "launcher", launcher_words(d, c),
		"recorder", recorder_words(d, c), NULL);
}

/* What there is to know first: a page. */
static struct case_pictures add_first_page(struct document *d, const struct input *in,
	const struct report_case *c, const struct report_case *late, bool pages_follow)
{
	document_add(d, BLOCK_CAPTION, machine_line(d, c))->level = 1;
	add_question(d, NULL, c);
	add_verdict_table(d, in, c);
	add_headline(d, c);
	if (pages_follow)
		add_verdict_rule(d, c);
	add_wait_for_rank(d, c, late);
	add_limit(d, c);
	add_bar(d, c);
	add_actions(d, c, pages_follow);
	if (pages_follow)
		add_top_ten(d, c);
	struct case_pictures pictures = add_steps_figure(d, c, pages_follow);
	add_health_line(d, c);
	return pictures;
}

/* The heading behind a block, when nothing followed it. */
static void drop_bare_heading(struct document *d, struct block *before)
{
	if (d->last != before->next)
		return;
	before->next = NULL;
	d->last = before;
}

/* Of a memory snapshot, in which nothing takes time. */
static void add_snapshot(struct document *d, const struct report_case *c)
{
	add_memory_headline(d, c);
	add_memory(d, c);
	if (c->trace.n_repairs)
		add_health_table(d, c);
}

struct paging {
	struct document *d;
	const struct input *in;
	const struct report_case *c, *late;
	struct caller_trees *callers;
};

static void add_what_it_is_made_of(void *paging)
{
	const struct paging *p = paging;
	struct document *d = p->d;
	const struct report_case *c = p->c;
	struct case_pictures pictures = add_first_page(d, p->in, c, p->late, true);
	add_zoom_figure(d, c, &pictures);
	if (pictures.marks)
		add_worth(d, c, pictures.marks);
	struct block *before = d->last;
	document_heading(
		d, 2, arena_printf(d->arena, "%s-made", c->place), said(d, "trace.made", NULL));
	add_kernel_table(d, c);
	add_memory(d, c);
	add_described(d, c);
	drop_bare_heading(d, before);
}

static void find_callers(void *paging)
{
	struct paging *p = paging;
	p->callers = caller_trees_of(p->c);
}

static void add_pages(struct document *d, const struct input *in, const struct report_case *c,
	const struct report_case *late)
{
	if (c->trace.snapshot) {
		add_snapshot(d, c);
		return;
	}
	struct paging p = {d, in, c, late, NULL};
	both(c->trace.n >= BOTH_FROM, add_what_it_is_made_of, &p, find_callers, &p);
	struct block *before = d->last;
	document_heading(
		d, 2, arena_printf(d->arena, "%s-time", c->place), said(d, "trace.time", NULL));
	add_more_actions(d, c);
	add_compiler_account(d, in->compile_logs, c);
	add_callers(d, p.callers);
	add_idle_cause_tables(d, c);
	add_profiler_table(d, c);
	drop_bare_heading(d, before);
	add_health_table(d, c);
}

/* Of a few traces all pages, of more the first page of each, as far as there is room. */
static void add_traces(struct document *d, const struct input *in, const struct run *run)
{
	const struct report_case *late = straggler_of(d, run);
	for (int i = 0; i < run->n_paged; i++) {
		const struct report_case *c = run->paged[i];
		const char *rank = trace_title(d, c);
		document_heading(d, case_is_in_full(c) ? 1 : 2, c->place,
			rank ? said(d, "ranks.heading", "name", rank, "file", c->title, NULL)
			     : literal(d, c->title));
		if (!c->readable)
			document_say(d, BLOCK_TEXT, "case.unread", "reason", c->reason, NULL);
		else if (case_is_in_full(c))
			add_pages(d, in, c, late);
		else
			add_first_page(d, in, c, late, false);
	}
	add_more_cases(d, run);
}

/* Beside a run of ours, too, whose cases stand as always. */
void section_trace(struct document *d, const struct input *in)
{
	const struct report_case *lone = input_lone(in);
	bool alone = lone && lone->readable;
	for (int r = 0; r < in->n_runs && !alone; r++)
		if (in->runs[r].of_matrix)
			add_cases_of_run(d, in, &in->runs[r]);
	d->brief = true;
	/* Behind first pages alone it would stand on a page of its own. */
	const struct report_case *first = next_case(in, NULL);
	bool ahead = first && !first->run->of_matrix && !case_is_in_full(first);
	if (ahead)
		document_say(d, BLOCK_CAPTION, "trace.more", NULL);
	if (alone)
		add_pages(d, in, lone, NULL);
	for (int r = 0; r < in->n_runs && !alone; r++)
		if (!in->runs[r].of_matrix)
			add_traces(d, in, &in->runs[r]);
	if (!ahead)
		document_say(d, BLOCK_CAPTION, "trace.more", NULL);
	d->brief = false;
}
