/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "report/analyse/analysis.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/health.h"
#include "report/analyse/windows_to_show.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/section/broken_guesses.h"
#include "report/section/course.h"
#include "report/section/headline.h"
#include "report/section/parts.h"

#include <string.h>

enum { MOST_POINTS = 8, MOST_ROWS = 120 };

struct run_counts {
	int cases, done, failed;
	struct verdicts all; /* their numbers alone */
	int64_t events, kernels, repairs;
	bool foreign; /* traces that anybody sent, of which nothing was predicted */
	const char *lane;
};

/* How many predictions were judged, whatever came out. */
static int judged(const struct run_counts *t)
{
	return t->all.kept + t->all.broken + t->all.noise;
}

static struct run_counts counts_of(const struct input *in)
{
	struct run_counts t = {.lane = "device"};
	for (int r = 0; r < in->n_runs; r++) {
		for (int i = 0; i < in->runs[r].n_cases; i++) {
			const struct report_case *c = &in->runs[r].cases[i];
			t.cases++;
			t.done += c->readable;
			t.failed += !c->readable;
			t.all.kept += c->verdicts->kept;
			t.all.broken += c->verdicts->broken;
			t.all.noise += c->verdicts->noise;
			if (!c->readable)
				continue;
			t.events += (int64_t)c->trace.n;
			t.kernels += (int64_t)c->analysis->n_kernels;
			t.repairs += c->health->repairs;
		}
	}
	t.foreign = in->n_runs && !in->runs[0].of_matrix && !judged(&t);
	return t;
}

static void put_kpis(struct document *d, const struct kpi *kpi, int n)
{
	struct block *b = document_add(d, BLOCK_KPIS, "");
	b->n = n;
	b->kpi =
		memcpy(arena_array(d->arena, (size_t)n, sizeof *kpi), kpi, (size_t)n * sizeof *kpi);
}

static void add_foreign_kpis(struct document *d, const struct run_counts *t)
{
	struct arena *a = d->arena;
	const struct kpi kpis[] = {
		{format_count(a, t->done), texts_find(d->texts, "summary.kpi.traces")},
		{format_count(a, t->events), texts_find(d->texts, "summary.kpi.read")},
		{format_count(a, t->kernels), texts_find(d->texts, "summary.kpi.kernels")},
		{format_count(a, t->repairs), texts_find(d->texts, "summary.kpi.mended")}};
	put_kpis(d, kpis, sizeof kpis / sizeof *kpis);
}

/* What became of the predictions on a machine of its name. */
static struct kpi score_kpi(const struct document *d, const struct verdicts *all, const char *where)
{
	struct arena *a = d->arena;
	return (struct kpi){said(d, "score.short", "held", format_count(a, all->kept), "broke",
				    format_count(a, all->broken), "undecided",
				    format_count(a, all->noise), NULL),
		where};
}

/* "NVIDIA H200", or "H200 and H100" where there are several. */
static const char *recorded_machines(const struct document *d, const struct input *in)
{
	const struct recorded *r = in->recorded;
	const char *list = "";
	int n = 0;
	for (int i = 0; i < d->parts; i++)
		if (recorded_is_another(r, i)) {
			list = listed(d->arena, list, said(d, "summary.kpi.score.and", NULL),
				recorded_chip(&r->input[i].runs[0]));
			n++;
		}
	return n > 1 ? list : recorded_device(&r->input[0].runs[0]);
}

/* Of all runs that stand beside this one: "on NVIDIA H200" is one machine, however many runs. */
static struct kpi recorded_kpi(const struct document *d, const struct input *in)
{
	struct verdicts all = {0};
	for (int i = 0; i < d->parts; i++) {
		const struct run_counts there = counts_of(&in->recorded->input[i]);
		all.kept += there.all.kept;
		all.broken += there.all.broken;
		all.noise += there.all.noise;
	}
	return score_kpi(d, &all,
		said(d, "summary.kpi.score.there", "device", recorded_machines(d, in), NULL));
}

static void add_kpis(struct document *d, const struct input *in, const struct run_counts *t)
{
	struct arena *a = d->arena;
	struct kpi kpis[4];
	int n = 0;
	kpis[n++] = (struct kpi){format_count(a, t->done),
		texts_find(d->texts, d->label ? "recorded.kpi.cases" : "summary.kpi.cases")};
	if (judged(t))
		kpis[n++] = score_kpi(d, &t->all, said(d, "summary.kpi.score", NULL));
	if (d->parts)
		kpis[n++] = recorded_kpi(d, in);
	kpis[n++] = (struct kpi){
		format_count(a, t->events), texts_find(d->texts, "summary.kpi.events")};
	put_kpis(d, kpis, n);
}

static void add_point(struct document *d, const char *text)
{
	struct block *b = document_add(d, BLOCK_POINT, text);
	b->note = "✗";
	b->verdict = BROKEN;
	b->small = true;
}

static void add_broken(struct document *d, const struct input *in, const struct run_counts *t)
{
	document_heading(d, 2, NULL, said(d, "summary.broken", NULL));
	document_say(d, BLOCK_TEXT,
		t->all.broken				? "summary.broken.about"
			: document_lists(d, "chapters") ? "summary.broken.none.book"
							: "summary.broken.none",
		"score", score_words(d, &t->all), NULL);
	add_surprises(d, in, MOST_POINTS);
}

/* Of a matrix each; of files as many as a person reads, and how many more there are. */
static void add_failed(struct document *d, const struct input *in)
{
	int foreign = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (c->readable || (!c->run->of_matrix && foreign++ >= MOST_UNREAD))
			continue;
		const char *key = strcmp(c->status, "done") ? "summary.failed" : "summary.unread";
		add_point(d, said(d, key, "title", c->title, "reason", c->reason, NULL));
	}
	if (foreign > MOST_UNREAD)
		add_point(d,
			said(d, "summary.unread.more", "n",
				format_count(d->arena, foreign - MOST_UNREAD), NULL));
}

/* What became of a case's predictions, as a cell of the summary's table. */
static struct cell case_verdict(const struct document *d, const struct report_case *c)
{
	int decided = c->verdicts->kept + c->verdicts->broken;
	if (!c->readable)
		return (struct cell){.verdict = OPEN,
			.text = said(d,
				strcmp(c->status, "done") ? "verdict.not_run" : "verdict.unread",
				NULL)};
	if (c->verdicts->broken)
		return (struct cell){.verdict = BROKEN,
			.text = said(d, "verdict.some_broken", "broken",
				format_count(d->arena, c->verdicts->broken), "n",
				format_count(d->arena, decided), NULL)};
	bool kept = c->verdicts->kept && !c->verdicts->noise;
	return (struct cell){.verdict = kept ? KEPT : OPEN,
		.text = kept ? said(d, "verdict.kept", NULL) : verdict_of_none(d, c)};
}

/* Columns that are left out: the regime or what limits a trace of anybody's; the prediction where
 * there was none; the first step where none of them has others; the page where there is none. */
enum { REGIME = 1u << 1, LIMIT = 1u << 2, FIRST = 1u << 7, PREDICTION = 1u << 8, PAGE = 1u << 9 };

static const struct table_form cases_form = {.size = 8,
	.column = {{"summary.case", .weight = 1}, {"summary.regime"}, {"summary.limit"},
		{"summary.cpu", COLUMN_NUMBER}, {"summary.device", COLUMN_NUMBER},
		{"summary.kernels", COLUMN_NUMBER}, {"summary.launches", COLUMN_NUMBER},
		{"summary.first", COLUMN_NUMBER}, {"summary.prediction", COLUMN_VERDICT},
		{"summary.page", COLUMN_NUMBER}}};

static void put_numbers(struct rows *t, const struct report_case *c)
{
	struct arena *a = t->d->arena;
	struct case_numbers n = numbers_of(c->analysis);
	put_time(t, n.cpu_ns);
	put_time(t, n.device_ns);
	put(t, kernels_and_copies(a, &n));
	put(t, arena_printf(a, "%g", n.launches));
	put(t, n.first_ratio > 0 ? format_ratio(a, n.first_ratio) : "–");
}

static void put_case(struct rows *t, const struct report_case *c, const struct report_case *late)
{
	enum { NUMBERS = 5 };
	struct document *d = t->d;
	bool shown = d->has_cases && case_is_shown(c), any = c->readable && c->analysis->n_steps;
	const char *rank = trace_title(d, c);
	if (rank)
		put(t,
			shown ? said(d, "summary.case.link", "title", rank, "place", c->place, NULL)
			      : rank);
	else
		put(t, shown ? case_link(d, c) : literal(d, c->title));
	put(t, c->readable ? regime_word(d, c) : "");
	put(t, c->readable ? limit_beside(d, c, late) : "");
	if (any)
		put_numbers(t, c);
	for (int i = 0; i < NUMBERS && !any; i++)
		put(t, "");
	put_cell(t, case_verdict(d, c));
	put(t, shown ? said(d, "summary.page.link", "place", c->place, NULL) : "–");
}

static bool any_first(const struct input *in)
{
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (c->readable && numbers_of(c->analysis).first_ratio > 0)
			return true;
	return false;
}

static void add_cases(struct document *d, const struct input *in, const struct run_counts *counts)
{
	bool predicted = !counts->foreign || counts->failed;
	document_heading(d, 2, d->label || document_has_place(d, ALL_CASES) ? NULL : ALL_CASES,
		said(d, counts->foreign ? "summary.traces" : "summary.cases", NULL));
	document_say(d, BLOCK_TEXT,
		counts->foreign ? "summary.traces.about" : "summary.cases.about", "lane",
		counts->lane, NULL);
	struct rows t = rows_begin(d, &cases_form,
		(predicted ? 0 : PREDICTION) | (counts->foreign ? REGIME : LIMIT) |
			(any_first(in) ? 0 : FIRST) | (d->has_cases ? 0 : PAGE));
	const char *last = "";
	for (int r = 0; r < in->n_runs; r++) {
		const struct report_case *late = straggler_of(d, &in->runs[r]);
		const struct run *run = &in->runs[r];
		bool many = many_ranks(run);
		int n = many ? run->n_paged : run->n_cases;
		for (int i = 0; i < n && t.table->n_rows < MOST_ROWS; i++) {
			const struct report_case *c = many ? run->paged[i] : &run->cases[i];
			if (strcmp(c->experiment, last) != 0)
				rows_group(&t, last = c->experiment);
			put_case(&t, c, late);
		}
	}
}

/* One trace of somebody's: its own numbers at the head; its page follows without a break. */
static void add_lone_title(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	struct block *b = document_add(d, BLOCK_TITLE, c->title);
	document_place(d, b, c->place);
	b->note = said(d, "document.note.lone", NULL);
	if (!c->readable)
		return;
	if (c->trace.snapshot ||
		document_lists(d, "trace")) /* its page begins with what limits it */
		return;
	const struct window *w = &c->analysis->window;
	const struct kpi kpis[] = {
		{format_count(a, (int64_t)c->trace.n), texts_find(d->texts, "lone.kpi.events")},
		{format_count(a, (int64_t)c->analysis->n_kernels),
			texts_find(d->texts, "lone.kpi.kernels")},
		{format_time(a, (double)(w->end_ns - w->start_ns)),
			texts_find(d->texts, "lone.kpi.window")},
		{c->analysis->n_device && !c->trace.ends_early ? format_share(a, w->busy_share)
							       : "–",
			texts_find(d->texts, "lone.kpi.busy")}};
	put_kpis(d, kpis, sizeof kpis / sizeof *kpis);
}

static const char *fact(const struct run *run, const char *name)
{
	return run ? machine_fact(run->machine, name) : NULL;
}

/* What was measured on what: "... · 2 threads, avx512_core_bf16, oneDNN 2.6.3". */
static const char *machine_of(struct document *d, const struct run *run)
{
	const char *threads = fact(run, "Threads"), *isa = fact(run, "Instruction set used");
	const char *onednn = fact(run, "oneDNN"), *cpu = fact(run, "CPU");
	const char *gpu = fact(run, "Device");
	if (cpu && gpu && !onednn)
		return arena_printf(d->arena, "%s \xc2\xb7 %s", gpu, cpu);
	if (!threads || !isa || !onednn || !cpu)
		return cpu ? cpu : run->device;
	return said(d, "document.machine", "cpu", cpu, "threads", threads, "isa", isa, "onednn",
		onednn, NULL);
}

static void add_title(struct document *d, const struct input *in, const struct run_counts *t)
{
	struct arena *a = d->arena;
	const struct run *run = in->n_runs ? &in->runs[0] : NULL;
	bool foreign = !in->n_runs || !run->of_matrix;
	const char *n = format_count(a, foreign ? t->done : t->cases);
	const char *result = foreign ? straggler_title(d, in)
		: d->course	     ? d->course->title(d, in)
				     : NULL;
	struct block *b = document_add(d, BLOCK_TITLE,
		result ? result
		       : said(d, foreign ? "document.title.foreign" : "document.title", NULL));
	document_place(d, b, "summary");
	b->note = foreign
		? said(d, "document.note.foreign", "n", n, NULL)
		: said(d, "document.note", "n", n, "device", machine_of(d, run), "date",
			  arena_strndup(a, run->created, strcspn(run->created, "T")), NULL);
}

/* The head of a part: where and when, before anything else. */
static void add_recorded_title(
	struct document *d, const struct input *in, const struct run_counts *t)
{
	struct arena *a = d->arena;
	struct block *b = document_say(d, BLOCK_TITLE, "recorded.title", "device",
		recorded_device(&in->runs[0]), "n", format_count(a, t->cases), NULL);
	document_place(d, b, "summary");
	b->note = said(d, "recorded.note", "label", d->label, "n", format_count(a, t->cases), NULL);
	document_say(
		d, BLOCK_TEXT, "recorded.about", "holds", recorded_holds(d, &in->runs[0]), NULL);
}

static void mention_parts(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	for (int i = 0; i < d->parts; i++) {
		const struct run *run = &in->recorded->input[i].runs[0];
		if (!d->part[i].first) /* it has no part of its own */
			continue;
		document_say(d, BLOCK_CAPTION, "recorded.mention", "device", recorded_device(run),
			"n", format_count(a, run->n_cases), "holds", recorded_holds(d, run),
			"place", arena_printf(a, "%ssummary", recorded_prefix(a, i)), NULL);
	}
}

static void add_judged(struct document *d, const struct input *in, const struct run_counts *t)
{
	if (judged(t))
		add_broken(d, in, t);
	else if (t->failed)
		document_heading(d, 2, NULL, said(d, "summary.not_done", NULL));
	add_failed(d, in);
	add_thresholds_set(d, in->settings);
	add_cases(d, in, t);
}

/* How many cases each recording of the nth one's device has that stands beside this run. */
static const char *recorded_title(struct document *d, const struct recorded *r, int nth)
{
	struct arena *a = d->arena;
	const char *device = recorded_device(&r->input[nth].runs[0]);
	int first = 0, more = 0;
	for (int i = 0; i < d->parts; i++) {
		const struct run *run = &r->input[i].runs[0];
		if (strcmp(recorded_device(run), device) != 0)
			continue;
		more += first ? run->n_cases : 0;
		first = first ? first : run->n_cases;
	}
	return said(d, more ? "surprises.recorded.more" : "surprises.recorded", "device", device,
		"n", format_count(a, first), "more", format_count(a, more), NULL);
}

/* What broke on a machine that was recorded elsewhere, where it has no pages of its own: under one
 * heading, where runs of it stand behind each other. */
static void add_recorded_surprises(struct document *d, const struct input *in)
{
	const char *before = "";
	for (int i = 0; i < d->parts && d->part; i++) {
		const struct input *recorded = &in->recorded->input[i];
		const char *device = recorded_device(&recorded->runs[0]);
		if (d->part[i].first || !counts_of(recorded).all.broken)
			continue;
		struct document part = d->part[i];
		if (strcmp(device, before) != 0)
			document_heading(&part, 2, NULL, recorded_title(d, in->recorded, i));
		before = device;
		add_surprises(&part, recorded, MOST_POINTS);
		document_join_recorded(d, &part, in, i);
	}
}

void section_surprises(struct document *d, const struct input *in)
{
	const struct run_counts t = counts_of(in);
	document_heading(d, 1, "surprises", said(d, "surprises.title", NULL))->flows = true;
	add_judged(d, in, &t);
	add_recorded_surprises(d, in);
}

void section_summary(struct document *d, const struct input *in)
{
	struct run_counts t = counts_of(in);
	const struct report_case *lone = input_lone(in);
	if (lone) {
		add_lone_title(d, lone);
		add_unread_rest(d, in);
		if (t.all.broken)
			add_broken(d, in, &t);
		add_thresholds_set(d, in->settings);
		return;
	}
	if (d->label)
		add_recorded_title(d, in, &t);
	else
		add_title(d, in, &t);
	if (t.foreign)
		add_foreign_kpis(d, &t);
	else
		add_kpis(d, in, &t);
	mention_parts(d, in);
	add_unread_rest(d, in);
	for (int r = 0; r < in->n_runs && t.foreign && !d->label; r++)
		if (!in->runs[r].of_matrix && in->runs[r].n_cases > 1)
			add_folder_verdict(d, &in->runs[r]);
	for (int r = 0; r < in->n_runs && d->has_cases; r++)
		if (in->runs[r].of_matrix)
			add_more_cases(d, &in->runs[r]);
	if (d->course)
		d->course->add_front(d, in);
	if (!document_lists(d, "surprises"))
		add_judged(d, in, &t);
	for (int r = 0; r < in->n_runs; r++)
		if (!in->runs[r].of_matrix)
			add_health_of_all(d, &in->runs[r]);
}
