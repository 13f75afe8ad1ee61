/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work_limit.h - what limits the operator that a device is busiest with: its arithmetic, its
 * memory, or neither.
 *
 * The operator is the one, with one set of shapes, that has most of the busy time of a window, if
 * that is at least LIMIT_SHARE. What it computes and moves (operator_cost.h) is held against what
 * the chip can do (chips.h): whichever takes longer is the limit, at best. A file that does not
 * name its chip is held against all that it allows; where they disagree, the chip decides, and
 * where an operator reads more or less by its values (experts of tokens), those do. How near it
 * comes is told of the median call, at most where the chip is not named.
 *
 * Source: S. Williams, A. Waterman, D. Patterson, Roofline (CACM 52, 2009).
 */
#ifndef REPORT_ANALYSE_WORK_LIMIT_H
#define REPORT_ANALYSE_WORK_LIMIT_H

#include "base/enum_names.h"
#include "report/analyse/device_purpose.h"
#include "report/analyse/operator_cost.h"

#define LIMIT_LIST(X) \
	X(LIMIT_NONE, "none") /* nothing is known of it, or there is no such operator */ \
	X(LIMIT_ARITHMETIC, "arithmetic") \
	X(LIMIT_MEMORY, "memory") \
	X(LIMIT_CHIP, "chip") /* one or the other, as the chip is */ \
	X(LIMIT_VALUES, "values") /* as the values of its inputs are */
enum work_limit { LIMIT_LIST(KIND_MEMBER) WORK_LIMITS };
const char *work_limit_name(enum work_limit limit);

/* Why it stays far below. */
#define BELOW_LIST(X) \
	X(BELOW_NOTHING, "nothing") /* it does not */ \
	X(BELOW_FEW, \
		"few") /* there are fewer blocks, or tiles of the result, than multiprocessors */ \
	X(BELOW_ODD, "odd") /* rows of the matrices are no multiple of 16 bytes */ \
	X(BELOW_SHORT, "short") /* a call is over before a device is busy everywhere */ \
	X(BELOW_UNKNOWN, "unknown")
enum work_below { BELOW_LIST(KIND_MEMBER) WORK_BELOWS };
const char *work_below_name(enum work_below below);

#define LIMIT_SHARE 0.25 /* of the busy time; half of it says what limits the whole */
#define LIMIT_WINDOW 0.1 /* of the window */
#define LIMIT_NEAR 0.5 /* of what the chip can do: less is far below */

enum { LIMIT_SHORT_NS = 20000 };

struct limited_work {
	enum work_limit limit;
	enum work_below below; /* nothing where `reached` is not known */
	uint32_t op_row; /* the operator's first call, for its name and shapes */
	uint32_t event; /* its longest, as index into device_rows */
	int64_t window_ns; /* of the window */
	double share; /* of its busy time, 0 to 1 */
	struct cost cost; /* of a call */
	double call_ns; /* on the device, the median; 0: less than any of the chips needs */
	double reached; /* of what the limit allows, 0 to 1, on that chip of `chips` where it is
			   most; NAN: not known, or the call is not the whole work */
	double blocks; /* BELOW_FEW: so many, for */
	int units; /* so many multiprocessors, at least */
	int64_t odd; /* BELOW_ODD: the size, of */
	int odd_step; /* what should be a multiple of this */
	struct chip_set chips; /* that the file allows */
};

/* Of the window whose purposes these are. Linear in the device's events; asked once. */
struct limited_work limited_work_of(
	const struct analysis *a, const struct purposes *p, int64_t window_ns);

/* Is it known to come near its limit? Else that is only what would limit it at best. */
bool limit_is_near(const struct limited_work *w);

/* Is it too few blocks that limit it, and neither arithmetic nor the memory? */
bool limit_is_held(const struct limited_work *w);

/* What the chip needs at least for the arithmetic of a call, and for its bytes, at the data sheet's
 * rates. */
double limit_arithmetic_ns(
	const struct analysis *a, const struct limited_work *w, const struct chip *chip);
double limit_memory_ns(const struct limited_work *w, const struct chip *chip);

void limited_work_dump(const struct limited_work *w, const struct trace *t, FILE *f);

#endif
