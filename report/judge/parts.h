/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - what the expectations share: the case being judged, its steps, short texts. learn
 * looks at traces through the same calls, so that what it writes is kept.
 */
#ifndef REPORT_JUDGE_PARTS_H
#define REPORT_JUDGE_PARTS_H

#include "report/judge/judge.h"

enum { MOST_EVIDENCE = 64, LONGEST_LIST = 400 };

/* The steps of a trace as they are judged: its own, or one that holds all of it. */
struct view {
	const struct analysis *a;
	const struct step *step; /* (n); `row` is NO_ROW in the one that holds all */
	uint32_t n;
	uint32_t steady; /* index of the first steady one */
	bool whole;
	const uint8_t *folded; /* (rows) launches of split-K reductions alone; NULL: none */
};
struct view view_of(struct arena *arena, const struct judged *seen);
/* The same without `folded`, for the times of its steps alone. */
struct view times_of(struct arena *arena, const struct analysis *a, bool whole);

/* One case being judged. */
struct judging {
	struct arena *arena;
	const struct analysis *a;
	struct view view;
	const struct judge_sources *sources;
	const struct judged *seen;
};

extern const char judge_nothing[]; /* what stands for an empty text */

void leave_open(struct verdict *v, enum open_reason reason);
void decide(struct verdict *v, bool kept);
void set_evidence(struct judging *c, struct verdict *v, const uint32_t *row, uint32_t n);
/* The rows of the judged steps from index `first` on; of the whole trace its device work. */
void set_steps_evidence(struct judging *c, struct verdict *v, uint32_t first);
/* `step`: index into the view. */
void set_place(struct judging *c, struct verdict *v, uint32_t step, uint32_t element);

/* The case of that id, or as a view of its steps. False when it cannot be used; the verdict is then
 * left open. */
bool other_judged(struct judging *c, struct verdict *v, const cJSON *id, struct judged *other);
bool other_case(struct judging *c, struct verdict *v, const cJSON *id, struct view *other);

/* The row has no place of its own in counts and orders: that, or the second kernel of a split
 * product. */
bool counts_with_gemm(const struct analysis *a, uint32_t row);

/* ---- what a step holds ---- */

enum counted { COUNTED_KERNELS, COUNTED_COPIES, COUNTED_LAUNCHES, COUNTED_SYNCS, COUNTED_QUERIES };
/* The rows that count, by start; the result is their number, of which the first `room` are written.
 */
uint32_t count_rows(const struct view *v, const struct step *s, enum counted what, uint32_t *row,
	uint32_t room);
/* Of the steady steps, of which there must be one. */
struct count_range {
	uint32_t least, most;
	uint32_t first,
		other; /* the count of the first, and the step that differs from it; NO_ROW */
};
struct count_range count_range(struct judging *c, enum counted what);

/* What is measured of one step. */
double quantity_of(enum quantity quantity, const struct view *v, const struct step *s);
/* Over the steady steps, of which there must be one. */
double median_steady(const struct view *v, enum quantity quantity);
/* The same of a case's CPU or device time or kernels, worked out once; 0 without steps. */
double case_median(struct arena *arena, const struct judged *of, enum quantity quantity);

struct certainty certainty_of(struct arena *arena, const struct judged *mine,
	const struct judged *others, enum quantity quantity, double ratio);

/* Where the time of a first step, in microseconds, or the longest step over the median may lie: the
 * same of each recording; of one alone as far as processes of this run were apart. */
struct certainty certainty_of_single(
	struct arena *arena, const struct judged *of, bool widest, double value);

/* The word for a device row: its class, "other" for what has none of its own. */
const char *word_of(const struct analysis *a, uint32_t row);
/* The next kernel of a step at or after *at, NO_ROW at the end. */
uint32_t next_kernel(const struct view *v, const struct step *s, uint32_t *at);
const char *name_of_row(const struct analysis *a, uint32_t row);

/* The first step and the median of the others, on the CPU. It is wider (C1 of the cheatsheet) when
 * it takes FIRST_STEP_TIMES as long and FIRST_STEP_LEAST_US more. There must be two steps. */
struct first_step {
	double mine_us, others_us;
	bool wider;
};
struct first_step first_step_of(struct arena *arena, const struct judged *of);

/* Share of first-call work in the first recorded step, which there must be. */
double setup_share_of(const struct analysis *a);

/* GEMM kernels of the whole trace by name: sorted, distinct, lent. */
struct name_set {
	const char **name; /* (n) */
	uint32_t n;
};
struct name_set gemm_names(struct arena *arena, const struct analysis *a);

/* ---- short texts ---- */

/* Words joined by ", ", cut with an ellipsis. */
struct list {
	char text[LONGEST_LIST];
	size_t n;
};
void list_add(struct list *l, const char *word);
const char *list_text(struct judging *c, const struct list *l);
const char *ratio_text(struct judging *c, double ratio);
/* "1.5–2.5×": `unit` follows the last number. */
const char *range_text(struct judging *c, double min, double max, const char *unit);

/* The expectations, one function each. */
typedef void judge_function(struct judging *c, struct verdict *v, const cJSON *wanted);
judge_function judge_kernels, judge_copies, judge_launches, judge_syncs, judge_queries, judge_step,
	judge_kernel_names, judge_regime, judge_first_step, judge_setup_share, judge_cpu_step,
	judge_first_time, judge_first_ratio, judge_widest, judge_device_step, judge_device_busy,
	judge_fewer_kernels, judge_step_time, judge_device_time, judge_same_gemm, judge_other_gemm,
	judge_same_kernels, judge_same_kernel, judge_recompiles, judge_must_fire,
	judge_must_not_fire;

#endif
