/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - what the chapters share: tables, pictures, sentences and marks that several of them
 * show.
 *
 * Each part appends blocks to a document, or returns a text in its arena that may hold the markup
 * of rich_text.h. None can fail; one that has nothing to show appends nothing.
 */
#ifndef REPORT_SECTION_PARTS_H
#define REPORT_SECTION_PARTS_H

#include "report/analyse/case_numbers.h"
#include "report/figure/cold_start.h"
#include "report/figure/timeline.h"
#include "report/page/document.h"
#include "report/page/table_builder.h"
#include "report/page/template_texts.h"
#include "report/run/recorded_elsewhere.h"
#include "report/run/run.h"

struct verdict;

/* Where the table of all cases stands. */
#define ALL_CASES "all-cases"

/*
 * The tables of one case.
 */

enum { PROFILER_ROWS = 15, KERNEL_ROWS = 12 };

/* Prediction beside observation; nothing when none was made. */
void add_verdict_table(struct document *d, const struct input *in, const struct report_case *c);

/* Does the mean lie so far from the median that quoting it would mislead? */
bool mean_misleads(const struct stats *s);

/* The device's activities by total time: `most` of them; or KERNEL_ROWS, and below them the gap in
 * a step, the launch call of a product and the last wait. */
void add_kernel_rows(struct document *d, const struct report_case *c, int most);
void add_kernel_table(struct document *d, const struct report_case *c);

/* What takes most self time: ten names, of the device and of the host, with a bar each. */
void add_top_ten(struct document *d, const struct report_case *c);

/* The first of them: of the device where it works, else of the host; share 0: there is none. */
struct top_name {
	const char *name;
	double ns, share;
	bool device;
};
struct top_name top_name_of(struct document *d, const struct report_case *c);

/* The largest PROFILER_ROWS rows of PyTorch's table. */
void add_profiler_table(struct document *d, const struct report_case *c);

/* What was predicted, in words: "Kernels fewer than in ...". */
const char *verdict_text(struct document *d, const struct input *in, const struct report_case *c,
	const struct verdict *v);

/* What was expected and what was seen, for a table; findings by their names. */
const char *verdict_expected(struct document *d, const struct verdict *v);
const char *verdict_observed(struct document *d, const struct verdict *v);

/* The name of an event for a table cell: tidied, without markup. */
const char *event_name(struct document *d, const char *name);

/* A value from a file as text that holds no markup. */
const char *literal(struct document *d, const char *text);

/* The title of a case as a link to its pages. */
const char *case_link(const struct document *d, const struct report_case *c);

/* A step of both recordings side by side on one scale, aligned at its start, with what differs
 * marked; nothing where a side has no ProfilerStep ranges. */
struct pair;
void add_pair_timelines(struct document *d, const struct pair *p);

/* The line that names what a trace was recorded on: device, driver and runtime, CPU, framework,
 * date, as far as the file says so, and what it does not say. */
const char *machine_line(struct document *d, const struct report_case *c);

/* What a run says of its machine: nothing when it says nothing. */
void add_environment(struct document *d, const struct run *run);

/* "asked size 4096, ran 2048; asked bf16, ran fp32"; "" for a case that ran as it was asked for. */
const char *changes_in_words(struct document *d, const struct report_case *c);

/* The question and the guess that a case came with. */
void add_question(struct document *d, const struct input *in, const struct report_case *c);

/* "overhead-bound", as the templates call it. */
const char *regime_word(const struct document *d, const struct report_case *c);

/* "1 + 1" of a step, or "1" where nothing is copied. */
const char *kernels_and_copies(struct arena *a, const struct case_numbers *n);

/* A cell "5 % – 95 %" of times. */
void put_spread(struct rows *t, const struct stats *s);

/*
 * The cold start of a case: whether there is one, and its table.
 */

/* The parts of the first recorded step where the finding WIDE-FIRST-STEP fired, else NULL. */
const struct cold_start *cold_of(struct arena *a, const struct report_case *c);

/* Cause by cause: the spans that name it, their time, and that of the same cause in a typical step.
 * Nothing without a cold start. */
void add_cold_table(struct document *d, const struct report_case *c);

/*
 * The pictures of one case.
 */

/* The pictures of all steps and of one, planned together so that each mark stands in the one that
 * shows its event. */
struct case_pictures {
	struct timeline *steps; /* NULL: there is none */
	struct timeline *zoom; /* NULL: none follows */
	const struct callouts *marks; /* NULL: none */
};

/* All recorded steps; without steps, the whole trace. In a document that is brief the marks are
 * said by the caller. When a zoom follows, and
 * there are two steps and more, it has no legend itself and frames the zoom's place. Returns what
 * the zoom below is drawn from. */
struct case_pictures add_steps_figure(
	struct document *d, const struct report_case *c, bool zoom_follows);

/* One step: the first when it is at least twice as wide as the others, else a typical one. */
void add_zoom_figure(
	struct document *d, const struct report_case *c, const struct case_pictures *above);

/* The step to show (step_time.h) to the end of its device work. The case has steps. */
void add_step_figure(struct document *d, const struct report_case *c);

/* One step with marks of the caller's, and the legend of all that a timeline can show. */
void add_read_step(struct document *d, const struct report_case *c, uint32_t step,
	const struct callout *marks, int n);

/* Every run of the kernels with the largest totals, a strip each. */
void add_runs_figure(struct document *d, const struct report_case *c);

/* Every run of the device activity that takes most time, when there are at least ten. */
void add_memory(struct document *d, const struct report_case *c);
void add_memory_headline(struct document *d, const struct report_case *c);
void add_samples_figure(struct document *d, const struct report_case *c);

/* Three to five windows of a trace, chosen because something happens there, each with the reason.
 */
void add_window_figures(struct document *d, const struct report_case *c);

/* From a step's start to the end of its own device work. */
int64_t step_end_ns(const struct step *s);

/* Was a tenth of the first step set-up, or more, and was nothing called before? */
bool starts_cold(const struct report_case *c);

/*
 * What the detectors found, in words and on the page: numbered marks on a timeline,
 * and under it one sentence for each mark, in this trace's numbers.
 */

enum { MOST_CALLOUTS = 7 };

/* Pictures of one case that may carry marks; steps and zoom are both planned. */
struct pictures {
	struct timeline *steps, *zoom; /* zoom: NULL for none */
	uint32_t step; /* that the zoom shows */
	bool prefers_zoom;
};

/* Chooses at most MOST_CALLOUTS of the findings, in rank order, that a picture shows the very event
 * or gap of, and gives them to that picture as marks, numbered over both. What is too narrow, cut
 * or of another step in one picture is looked for in the other. */
struct callouts *choose_callouts(
	struct document *d, const struct report_case *c, const struct pictures *on);

/* One line for each mark of a picture; below the last picture also the findings that got no mark,
 * by name, then the thresholds that were set. Nothing when nothing fired. */
void add_callouts(
	struct document *d, const struct callouts *chosen, const struct timeline *tl, bool last);

/* In a document that is brief only what is worth it is marked: a line each with what it saves, by
 * that, marked or not. */
void add_worth(struct document *d, const struct report_case *c, const struct callouts *chosen);

/* What fired and describes the trace: a line each, then the thresholds that were set. */
void add_described(struct document *d, const struct report_case *c);

/* Does it tell what a trace is made of, with nothing to do about it: by its row, or as no action is
 * given that would save what it measured? */
bool finding_describes(const struct report_case *c, const struct finding *f);

/* Has a finding fired that says the same? The copies of COPY-BEFORE-MATMUL are among those of
 * HIDDEN-COPY. */
bool finding_repeats(const struct finding *f, const struct findings *all);

/* What a finding saves at most, in the currency of the actions (advice.h): of its give_back what
 * falls on a step, and only where it is what the step waits for. Time of the device counts where
 * the device works at least half of the step, the CPU's as far as launches come late; what only
 * the first step pays saves nothing. */
int64_t finding_saves(const struct report_case *c, const struct finding *f);

/* Does it say what neither the headline nor an action says, and save ADVICE_LEAST of a step? */
bool finding_is_worth(const struct report_case *c, const struct finding *f);

/* "Hidden copy (C6)"; an id of no detector as it stands. */
const char *finding_named(struct document *d, const char *id);

/* A sentence with what a finding measured that did not fire: its own, or all by their names; "" for
 * nothing. */
const char *finding_missed(struct document *d, const struct finding *f);
/* The finding that a broken must_fire asked for, of the case alone or beside the one that it was
 * asked for with; NULL: another verdict. */
const struct finding *finding_asked_for(const struct report_case *c, const struct verdict *v);

/* What fired beside the cases that it is compared with: a line each. */
void add_compared(struct document *d, const struct report_case *c);

/* Did a detector fire in a case, or beside one that it is compared with? */
bool case_fired(const struct report_case *c, const char *detector);

/*
 * A verdict in words: what was predicted, where it first differs, what to look
 * at.
 *
 * All results live in the arena and may hold the markup of rich_text.h; "" where there is nothing
 * to say.
 */

/* "step 3, place 2: expected add, saw copy", or "step 3" where expected and observed say the rest;
 * of a broken one only. */
const char *verdict_where(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v);

/* What was expected or observed, cut for a sentence. */
const char *verdict_brief(struct arena *a, const char *text);

/* The event to look at first: its name, where it lies, what launched it; of a broken one only. */
const char *verdict_event(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v);

/* What it may mean, and what to look at; of a broken one only. */
const char *verdict_hint(struct arena *a, const struct texts *t, const struct verdict *v);

/* "34 held, 1 broke, 8 undecided": what is none is left out. */
const char *score_words(const struct document *d, const struct verdicts *all);

/* What became of a case of which nothing was kept and nothing broke. */
const char *verdict_of_none(const struct document *d, const struct report_case *c);

/* The guess, and of one in sentences beside each what became of it; what is said of the other kind
 * of device as a contrast. With `in` (NULL: a table of the tests follows) also what was measured.
 */
void add_guess(struct document *d, const struct input *in, const struct report_case *c);

/* When it was written, as far as the run tells: a day, and what was known by then. */
const char *guess_head(struct document *d, const struct report_case *c);

/* "CPU time of a step: 2 µs, expected at most 3 µs; ..." of the tests of a sentence that were
 * judged; findings only where they broke it; "" where there are none. */
const char *guess_measured(struct document *d, const struct input *in, const struct report_case *c,
	const struct sentence *s);

/* What became of it, as a mark; of what is said of another kind of device that it was not tested.
 */
struct cell guess_mark(const struct sentence *s);

/* The sentence that a verdict tests, NULL for none. */
const struct sentence *tested_sentence(const struct report_case *c, const struct verdict *v);

/*
 * The thresholds of the detectors on the page: those in force, and which were set.
 *
 * One that was set is bold and followed by its default, wherever it is printed.
 */

/* "OVERHEAD-BOUND **ratio 5×** (set; else 10×); HOTSPOT ..." of findings, in their order: the
 * thresholds that were set; "" when none was. */
const char *thresholds_of(struct document *d, const struct finding *const *finding, int n);

/* The same of detectors, as settings have them. */
const char *thresholds_in_force(struct document *d, const struct rule *const *detector, int n,
	const struct rule_settings *settings);

/* A line that says which were set, in the order of the table; nothing when none was. */
void add_thresholds_set(struct document *d, const struct rule_settings *settings);

/* A table of all findings, or of those that had an answer in `seen`: when each counts, in words,
 * its thresholds and what it gives back at most. */
void add_thresholds_table(
	struct document *d, const struct rule_settings *settings, const struct findings *seen);

/* When it counts, in words, with the thresholds that it was judged by. */
const char *threshold_definition(struct document *d, const struct finding *f);

/*
 * How far a trace can be trusted, and where its idle time went: the tables of a trace
 * that anybody sent.
 */

/* Trace health: what was mended, lost, unlinked or odd, and what that means for the rest. One line
 * when all is well. */
void add_health_table(struct document *d, const struct report_case *c);

/* What of a trace's file its numbers are about, when that is a part (trace.part); else nothing. */
void add_part_line(struct document *d, const struct report_case *c);

/* A sentence for each trace of which a part was asked for, or which was cut off or read no further
 * than memory allowed (base/memory.h). */
void add_unread_rest(struct document *d, const struct input *in);

/* One repair: what it was, how often, and the first places. */
const char *repair_text(struct document *d, const struct repair *r);

/* The same over all traces of a run: in how many of them, and how often. */
void add_health_of_all(struct document *d, const struct run *run);

/* What the totals of the profiler table hold: sums against unions against windows, and what counts
 * twice or for nobody. The line says it in one sentence. That its rows sum to its footer, and the
 * events to both, no page says: profiler_table_check.h computes it, and tests hold it. */
void add_totals_table(struct document *d, const struct report_case *c);
void add_totals_line(struct document *d, const struct report_case *c);

/* The rival definitions of "busy", when they disagree by more than BUSY_APART. */
void add_busy_table(struct document *d, const struct report_case *c);

/* "up to −6.55 ms a step (1.39×)", of one of the advice. */
const char *action_gain(struct document *d, const struct advice *x, const struct finding *one);

/* Of several traces of anybody's, first: what limits how many, who is late, and what to do in most.
 */
void add_folder_verdict(struct document *d, const struct run *run);

/* Traces that could not be read are told one by one up to these, in their order. */
enum { MOST_UNREAD = 12 };

/* The case of a folder of ranks that the others wait for; NULL: there is none. */
const struct report_case *straggler_of(struct document *d, const struct run *run);

/* Does a case spend its time in communication, at least twice what the late rank does? It waits for
 * that. */
bool waits_for_rank(const struct report_case *c, const struct report_case *late);
void add_wait_for_rank(
	struct document *d, const struct report_case *c, const struct report_case *late);

/* What limits a case, beside the rank that it may wait for: "waiting for rank 2", or its headline's
 * word. */
const char *limit_beside(
	struct document *d, const struct report_case *c, const struct report_case *late);

/* "3 ranks wait 1.01 s a step for rank 2"; NULL: nobody waits. */
/* Are there more ranks than a table shows, which then has those that differ? */
bool many_ranks(const struct run *run);
const char *straggler_title(struct document *d, const struct input *in);

/* "rank 2", where several ranks are read and each is another; NULL: its file names it. */
const char *trace_title(struct document *d, const struct report_case *c);

/* Idle time by cause, and the longest gaps with what the host was doing meanwhile. */
void add_idle_cause_tables(struct document *d, const struct report_case *c);
/* Of those the first alone: a row for each cause. */
void add_causes(struct document *d, const struct idle_causes *l);
/* What to do first in a trace of anybody's, with places that lead to its other pages where those
 * follow; and what was mended in it, in a line. */
void add_actions(struct document *d, const struct report_case *c, bool pages_follow);
void add_health_line(struct document *d, const struct report_case *c);

/* Who asked for the time, where modules, functions of Python or ranges of the program's own are
 * recorded: a picture, and the ten of each that have most of it themselves. */
struct caller_trees;
void add_callers(struct document *d, struct caller_trees *trees); /* frees them */

/* What it shows, which takes long: to be worked out beside what stands in front of it. NULL: none
 * is recorded. */
struct caller_trees *caller_trees_of(const struct report_case *c);

/* Launch calls, queue delays and kernels as distributions; short kernels, outliers, graphs, the
 * longest queue. */
void add_launch_tables(struct document *d, const struct report_case *c);

/* The largest rows of each table of tables.h that has a place on pages. */
void add_result_tables(struct document *d, const struct report_case *c);

/* The window split into computing, exposed communication, exposed copies and idle; then the tables.
 */
void add_device_tables(struct document *d, const struct report_case *c);

/*
 * Clock rates, temperature, power and what held the clocks back, beside the steps.
 *
 * From the readings that the cuda device writes into its traces as counters, under the names of
 * experiments/cuda/clocks.h. A trace without them has no row.
 */

/* Has any case such readings? */
bool clocks_known(const struct input *in);

/* Heading, table and what it means: a row for each case that has readings. */
void add_clocks_table(struct document *d, const struct input *in);

/*
 * What a page says of a run that was recorded elsewhere. Texts are marked up
 * (rich_text.h) and live in the document's arena.
 */

/* "`matmul_add`, `linear`": the experiments that a run holds, in their order, marked up. */
const char *recorded_holds(const struct document *d, const struct run *run);

/* What a sheet for a class calls a machine: the GPU, or the host, whose CPU another machine may
 * have, too. */
const char *machine_on_sheet(const struct document *d, const struct run *run);

/* "recorded on NVIDIA H200 at 2026-11-20, not measured here", in words of the templates. */
const char *recorded_label(const struct document *d, const struct run *run);

#endif
