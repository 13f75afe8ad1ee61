/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.h - several ranks of one run, side by side, and the one the others wait for.
 *
 * Ranks that work together meet in collectives: whoever arrives first waits longest in its
 * communication kernel, whoever arrives last hardly waits. So the straggler is told by what it
 * does not do:
 *
 *   wait(rank, step)  union of the communication kernels launched in the step
 *   The straggler is the rank with the least wait in more than half of the common steps (those
 *   whose number all ranks have; without any the whole windows are one step), if its margin, the
 *   median over these steps of the others' median wait less its own, is at least RANK_NOISE of the
 *   median step, and with three common steps or more also at least twice its own median deviation.
 *
 * Ranks without communication kernels are left out; where none has any, the longest step decides
 * instead of the least wait, over common steps only. The rule is ours; clocks of different ranks
 * need not agree for it.
 */
#ifndef REPORT_ANALYSE_RANKS_H
#define REPORT_ANALYSE_RANKS_H

#include "base/enum_names.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/streams.h"

#define RANK_NOISE 0.05

/* One rank: all three of the same trace. */
struct rank_part {
	const struct analysis *analysis;
	const struct idle_causes *idle_causes;
	const struct streams *streams;
};

#define RANK_LIST(X) \
	X(RANK_STEP_NS, "step") /* median of its steps without the first, 0: none */ \
	X(RANK_WINDOW_NS, "window") \
	X(RANK_BUSY_NS, "busy") /* union of all device events in the window */ \
	X(RANK_COMPUTE_NS, "compute") /* union, see streams.h */ \
	X(RANK_COMMUNICATION_NS, "communication") /* union */ \
	X(RANK_EXPOSED_NS, "exposed") /* communication while nothing computes */ \
	X(RANK_KERNEL_NS, "kernel") /* sum of all kernels */ \
	X(RANK_IDLE_NS, "idle")
enum rank_column { RANK_LIST(KIND_MEMBER) RANK_COLUMNS };

struct rank_row {
	uint32_t part; /* index into the parts given */
	int64_t rank; /* as the file says, else the index of the part */
	bool told; /* the file says it */
	uint32_t n_steps;
	int64_t value[RANK_COLUMNS];
	double busy_share; /* of the window */
	int64_t idle_ns[IDLE_CAUSES]; /* they sum to RANK_IDLE_NS of traces with device events */
	uint32_t steps_led; /* common steps in which it waited least */
};

struct rank_spread { /* of one column over the ranks */
	int64_t min, max;
	uint32_t min_row, max_row; /* indices into ranks.row, the first of equals */
	double median;
	double share; /* (max - min) / median, 0 when that is 0 */
};

enum straggler_rule { STRAGGLER_BY_WAIT, STRAGGLER_BY_STEP };

#define STRAGGLER_LIST(X) \
	X(STRAGGLER_FOUND, "found") \
	X(STRAGGLER_ONE_RANK, "one rank") /* nothing to compare */ \
	X(STRAGGLER_APART, "nothing shared") /* neither communication nor common steps */ \
	X(STRAGGLER_NO_MAJORITY, "no majority") /* a different rank in each step */ \
	X(STRAGGLER_NOISE, "within noise") /* the margin is too small */ \
	X(STRAGGLER_EVEN, "even") /* nobody differs in any step */
enum straggler_reason { STRAGGLER_LIST(KIND_MEMBER) };

struct straggler {
	enum straggler_reason reason;
	enum straggler_rule rule;
	uint32_t row; /* index into ranks.row: the straggler, or who comes closest; NO_ROW where
			 nothing is compared */
	uint32_t steps_led, n_steps; /* of the common steps, or 1 for the windows */
	bool windows; /* no common steps */
	double margin_ns, deviation_ns; /* median over the steps, and its median deviation */
	double own_ns, others_ns; /* median over the steps of its value, and of the others' median
				   */
	double step_ns; /* median over the steps of the ranks' median length */
	const uint32_t *also; /* (n_also) indices into ranks.row: of one that is found, those that
				 stand apart from the others by half of its margin or more */
	uint32_t n_also;
};

struct ranks {
	struct rank_row *row; /* (n) by rank, then as given */
	uint32_t n;
	struct rank_spread spread[RANK_COLUMNS];
	struct straggler straggler;
};

/* The arena owns the result; n may be 0. */
struct ranks ranks_of(struct arena *arena, const struct rank_part *part, uint32_t n);

/* How far a rank, or the medians of some, lie from the medians of all: the largest distance of a
 * column, of a window. */
double rank_distance(const struct ranks *r, const int64_t value[RANK_COLUMNS]);

/* Rows of the ranks that lie RANK_APART or more from the median, the furthest first, at most
 * `most`. */
#define RANK_APART 0.01
uint32_t *ranks_apart(struct arena *a, const struct ranks *r, uint32_t most, uint32_t *n);

void ranks_dump(const struct ranks *r, FILE *f);

#endif
