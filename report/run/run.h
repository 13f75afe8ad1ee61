/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - the room of runs: what a report is about, with everything worked out that a page may say.
 *
 * In come paths; out goes `struct input`: runs with their manifests and cases, and traces that
 * anybody sent as cases without a run, each with its trace, analysis, findings and verdicts. The
 * other headers of the room find what is to be held beside it: a baseline (baseline.h), runs of
 * other machines (recorded_elsewhere.h), a user's expectations (expectations.h).
 *
 * A path is a trace file, a folder with a run.json, or a folder of either. A trace that cannot be
 * read costs its own page only: the case keeps the message and the others stay. Where a manifest
 * names a trace that is not there, the same name with ".gz" will do. The workers of a DataLoader
 * that were recorded beside their loop are no cases: what is to be known of them stands with the
 * loop.
 */
#ifndef REPORT_RUN_RUN_H
#define REPORT_RUN_RUN_H

#include "base/arena.h"
#include "report/rules/rule.h"
#include "report/trace/trace.h"

struct advice;
struct analysis;
struct part_of_trace;
struct cJSON;
struct case_counters;
struct case_names;
struct case_work;
struct health;
struct idle_causes;
struct memory_use;
struct known_times;
struct launch_stats;
struct loading_facts;
struct breakdown;
struct machine_facts;
struct place_names;
struct reconcile;
struct run_comparison;
struct run_comparisons;
struct streams;
struct sure_ratio;
struct verdicts;
struct windows;

/* A case beside another that its must_fire or must_not_fire name. */
struct compared_case {
	struct compared_case *next;
	const struct report_case *base;
	const char *id; /* as it is named there */
	struct findings findings; /* of the detectors that compare */
};

/* What became of a sentence of a guess. */
#define SENTENCE_LIST(X) \
	X(SENTENCE_UNTESTED, "untested") /* nothing of it is tested */ \
	X(SENTENCE_HELD, "held") \
	X(SENTENCE_BROKE, "broke") \
	X(SENTENCE_NOISE, "noise") /* it would have broken, by less than the noise */ \
	X(SENTENCE_NOT_HERE, "not-here") /* what it says cannot be tested with this device */ \
	X(SENTENCE_FOLLOWS, "follows") /* broken, as the case that it follows from is */
enum sentence_state { SENTENCE_LIST(KIND_MEMBER) };
const char *sentence_state_name(enum sentence_state state); /* words of the templates */

struct sentence {
	const char *says;
	const struct cJSON *by; /* what of it is tested, NULL: nothing; lent */
	const char *follows; /* id of a case, NULL; lent */
	bool contrast; /* said of the other kind of device: shown, not judged */
	enum sentence_state state;
};

struct report_case {
	const char *id; /* "matmul_add/64_bf16_cold_eager", or the path of a foreign trace */
	const char *place; /* destination name, unique in the document: letters, digits, -, _ */
	const char *experiment, *tag, *title, *question, *guess, *untested, *mode;
	struct sentence *sentence; /* (n_sentences) of a guess that is a list (guess.h) */
	int n_sentences;
	/* The first that broke, of those that follow from no case, and of those that do; NULL:
	 * none.
	 */
	const struct sentence *broke[2];
	const char
		*asked; /* the title as run.json has it; `title` names what ran (shrunk_title.h) */
	const char *status; /* "done", "failed", "not run" */
	const char *reason; /* why it is not done, or why its trace could not be read; "" */
	const char *scaled; /* what was made smaller, "" */
	const struct case_work *work; /* NULL for a foreign trace or a program's */
	const struct cJSON
		*raw_entry; /* its part of run.json, for this room alone; NULL as `work` is */
	const struct cJSON
		*expect; /* judged instead of run.json's (expectations.h); NULL: none, lent */
	bool whole; /* judged as a whole (judge.h) */
	const struct loading_facts *loading; /* of a program's loop; NULL: not told */
	const struct case_counters *counted; /* hardware counters of run.json, NULL: none */
	bool left_out; /* its trace is of another rank than was asked for: it is no case then */
	bool readable; /* trace, analysis and verdicts are filled in */
	bool paged; /* it has a page of its own */
	struct trace trace;
	/* Worked out once, when the trace is read; many pages ask for them. */
	const struct analysis *analysis;
	const struct health *health;
	const struct idle_causes *idle_causes;
	const struct streams *streams;
	const struct memory_use *memory;
	const struct windows *windows;
	const struct breakdown *breakdown;
	const struct advice *advice;
	const struct launch_stats *launches;
	const struct reconcile *totals;
	struct verdicts *verdicts; /* never NULL; none before judging, and of a repeat */
	struct findings findings;
	struct known_times *known; /* for as long as it is judged as it is now; NULL: a repeat */
	struct compared_case *compared; /* in the order of the expectations; set by judging */
	struct run *run;
	/* Of a run in several rounds (collect --repeat): the same case, measured again by the same
	 * programs. Words, `work` and `place` are this case's; none is in `run->cases`. */
	struct report_case *repeat; /* (n_repeats) */
	int n_repeats;
	int round; /* 1: the first; 0: there are no rounds */
	int same_work; /* cases of a run with the same number did it; 0: not known */
	double apart; /* the most that the device time of one recording of this work is of
			 another's; 1 for a single one (same_work.h) */
};

/* Of all cases that did the same work, their repeats among them. */
struct recordings {
	const struct analysis **recording; /* (n) */
	int n;
};

struct run {
	const char *folder; /* NULL: the foreign traces */
	struct cJSON *raw_manifest; /* owned, for this room alone; NULL for foreign traces */
	bool of_matrix;
	bool of_program; /* that was recorded (collect -- COMMAND), whose traces are shown as those
			    that anybody sent */
	const struct machine_facts *machine; /* never NULL; none of foreign traces */
	const struct run_comparisons *comparisons; /* never NULL; of a matrix */
	const char *guessed; /* when the matrix was: "2026-11-22, with earlier runs known"; "" */
	const char *device, *created;
	bool is_gpu; /* what it measured ran on a GPU; not told of foreign traces */
	struct report_case *cases; /* (n_cases) */
	const struct report_case **paged; /* (n_paged) those that have a page of their own, in the
					     order of the pages (ranks_of_run.h) */
	int n_paged;
	const struct report_case **by_id; /* (n_cases) sorted by id: input_index */
	int n_cases;
	struct recordings *works; /* by report_case.same_work, none of 0 (same_work.h) */
	double apart_cpu, apart_device; /* same_work.h */
};

struct recorded; /* recorded_elsewhere.h */
struct comparison; /* compare/compare.h */

struct input {
	struct arena arena;
	const struct input *base; /* an earlier run to compare with, lent; NULL: none */
	const struct comparison *comparison; /* of base with this, lent; NULL: no base */
	bool in_turn; /* a base that was measured in turn with what is compared, round by round */
	const struct recorded *recorded; /* runs to show in parts of their own, lent; NULL: none */
	const struct rule_settings *settings; /* thresholds, lent; NULL: all defaults */
	const struct compile_logs *compile_logs; /* torch.compile's, lent; NULL: none */
	struct run *runs; /* (n_runs) */
	int n_runs;
	struct place_names *places; /* those of all cases, owned (place_names.h) */
	struct case_names *names; /* owned (expectations.h); NULL: put together by hand */
	const struct part_of_trace *part; /* what of each trace is wanted, lent; NULL: all */
	bool dumped; /* the traces keep what only trace_dump() prints */
	int64_t least_rank,
		most_rank; /* of the traces that were left out by their rank; -1: none */
	int unreadable; /* cases whose trace could not be read */
	char first_problem[2048]; /* the message of the first of them */
	const char *left_out; /* of folders (find_traces.h), for a warning; NULL: nothing */
};

/* Reads, analyses and judges everything. Fails only when a path itself is no trace, no run and no
 * folder of them; what cannot be read inside a folder becomes a case that says why. */
int input_read(struct input *in, const char *const *paths, int n_paths, struct err *err);

/* How it is read; all of it is lent for as long as the input. */
struct reading {
	const struct rule_settings *settings; /* for the detectors and the regime */
	const struct part_of_trace *part; /* of each trace, none of a matrix; NULL: all */
	bool dumped; /* trace_dump() is wanted */
};

/* The same otherwise than by default. */
int input_read_as(struct input *in, const char *const *paths, int n_paths,
	const struct reading *how, struct err *err);
void input_release(struct input *in);

/* What the only run of `in` was measured against (collect --against), as a base in turn with it.
 * Without such a run `base` gets no runs. Fails when none of the rounds can be read. */
int input_read_against(struct input *base, const struct input *in, struct err *err);

/* Judges every case again, by report_case.expect where it is set (input_read judged them once). */
void input_judge(struct input *in);

/* What comparisons by case_judge kept of each case since. */
void input_release_sides(struct input *in);

/* Judges one by other expectations, which the result lends. */
struct verdicts case_judge(
	struct input *in, const struct report_case *c, const struct cJSON *expect, bool whole);

/* The CPU or device time of a step of one case over that of another, as judging takes it: with its
 * interval, over all their recordings, and over those of cases that did the same work. */
struct sure_ratio case_ratio(struct arena *a, const struct report_case *mine,
	const struct report_case *others, bool device);

/* The case that an expectation of `c` names: by id in its run, else by file name. NULL when it was
 * not read, or ran at another size than it was asked for. */
const struct report_case *case_partner(
	struct input *in, const struct report_case *c, const char *id);

/* What the case is judged by, lent; NULL when nothing was predicted. */
const struct cJSON *case_expects(const struct report_case *c);

/* The only trace, when there is one and it belongs to no run of ours; else NULL. */
const struct report_case *input_lone(const struct input *in);

/* The case behind `c` over all runs in their order, NULL behind the last one; the first for NULL.
 *
 *	for (const struct report_case *c = NULL; (c = next_case(in, c));)
 */
struct report_case *next_case(const struct input *in, const struct report_case *c);

/* Sorts the cases of each run for input_find, in `in`'s arena; input_read has done it. */
void input_index(struct input *in);

/* The first case of a run with that id; NULL: it has none. */
const struct report_case *run_find(const struct run *run, const char *id);

/* A case by its id, looked for in `run` first; NULL when it is unknown or has no readable trace. */
const struct report_case *input_find(const struct input *in, const struct run *run, const char *id);

/* What is told of the work of any case (manifest.h). */
const struct case_work *told_work(const struct report_case *c);

/* How many of its traces end early (trace.h), and the path of the first; such are not judged. */
int input_cut(const struct input *in, const char **first);

/* Was the case made smaller without its title telling it? */
bool case_scaled_untold(const struct report_case *c);

/* The title, with ↓ behind it when the case was made smaller than it was asked for and
 * the title does not tell it. */
const char *case_label(struct arena *a, const struct report_case *c);

/* The title of a comparison, or its id, with the sizes that ran (shrunk_title.h). */
const char *comparison_title(struct arena *a, const struct input *in, const struct run *run,
	const struct run_comparison *of);

/* The comparison of a run by its id; NULL: it has none. */
const struct run_comparison *comparison_named(const struct run *run, const char *id);

#endif
