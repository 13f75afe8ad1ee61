/*
 * judge_parts.h - what the expectations share: the case being judged, steady steps, short texts.
 */
#ifndef REPORT_JUDGE_PARTS_H
#define REPORT_JUDGE_PARTS_H

#include "report/judge.h"

enum { MOST_EVIDENCE = 64, LONGEST_LIST = 400 };

/* One case being judged. */
struct court {
	struct arena *arena;
	const struct analysis *a;
	const struct analysis *(*find)(void *context, const char *id);
	void *context;
};

extern const char judge_nothing[]; /* what stands for an empty text */

void leave_open(struct verdict *v, enum open_reason reason);
void decide(struct verdict *v, bool kept);
void set_evidence(struct court *c, struct verdict *v, const uint32_t *row, uint32_t n);
/* The rows of the steps from index `first` on. */
void set_steps_evidence(struct court *c, struct verdict *v, uint32_t first);

/* NULL when it cannot be used; the verdict is then left open. */
const struct analysis *other_case(struct court *c, struct verdict *v, const cJSON *id);

/* Index of the first steady step. */
uint32_t first_steady(const struct analysis *a);
/* The row has no place of its own in counts and orders. */
bool counts_with_gemm(const struct analysis *a, uint32_t row);

typedef int64_t step_quantity(const struct analysis *a, const struct step *s);
step_quantity kernels_of, copies_of, launches_of, cpu_ns_of, device_ns_of;
/* Median over the steps from index `first` on, of which there must be one. */
double median_from(const struct analysis *a, uint32_t first, step_quantity *quantity);

/* Words joined by ", ", cut with an ellipsis. */
struct list {
	char text[LONGEST_LIST];
	size_t n;
};
void list_add(struct list *l, const char *word);
const char *list_text(struct court *c, const struct list *l);
const char *ratio_text(struct court *c, double ratio);
const char *range_text(struct court *c, double min, double max);

/* The expectations, one function each. */
typedef void judge_function(struct court *c, struct verdict *v, const cJSON *wanted);
judge_function judge_kernels, judge_copies, judge_launches, judge_step, judge_regime,
	judge_first_step, judge_fewer_kernels, judge_step_time, judge_device_time, judge_same_gemm,
	judge_same_kernel, judge_recompiles;

#endif
