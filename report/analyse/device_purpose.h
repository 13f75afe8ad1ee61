/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_purpose.h - why the device's work is there: its busy time by what it is for.
 *
 * Every moment in which a device works belongs to one event (account.h), and every nanosecond of an
 * event to one reason, so that the reasons sum to the busy time of a window, exactly. Each reason
 * belongs to one use:
 *
 *   useful    what the program asked for, in the kind that it runs in
 *   again     the same work a second time
 *   moved     moved, converted or cleared, not computed
 *   table     a whole table, for few of its rows
 *   training  what only training needs, in a file without a backward pass and an optimizer
 *   slower    what a slower kind of the same work takes above a better one
 *   waiting   a kernel that waits, for others of its own device or for another rank
 *   unknown   the file tells neither what the kernel does nor what launched it
 *
 * Recomputing is told by operators that no formula of autograd calls (linear, layer_norm, gelu, an
 * attention's forward ...) inside one of its nodes, with a name and shapes that ran outside of one.
 *
 * What a reason is told by, and what of an event it has:
 *   recomputed   such an operator inside a backward node, and all inside it
 *   reconverted  no backward pass: the cast of a matrix that a product multiplies by (the operator
 *                right around both is the product's), so of weights, again with every call but the
 *                first of its shapes
 *   remade       the same constant (arange, tril, triu, eye) by the same arguments as earlier in
 *                the same step; triu and tril only of what was made so
 *   copied, converted, turned, joined, gathered, filled, uploaded, downloaded, sent
 *                copies by kernel and by engine, casts, layouts, cat and stack, index and gather,
 *                fills, copies from and to the host, collectives and copies between devices
 *   table        of a dense gradient of an embedding, the share of its rows for which there are no
 *                indices, where there are at least TABLE_TIMES as many rows as indices; of the
 *                optimizer's work the same share of the elements of tensors with so many rows
 *   dropout, batch_statistics
 *   fp64, fp32, misaligned
 *                products and convolutions: what is above the time of a better kind at a good share
 *                of the chip's rate (chips.h): FP32 of FP64, TF32 of plain FP32, aligned; the whole
 *                event where shapes or chip are not known
 *   apart        what attention in its plain form (SDPA's math back-end) does beside the products
 *   sorted       sorting inside the backward pass of an index or an embedding
 *   deterministic
 *                fills of new memory, which deterministic algorithms make
 *   spinning     a kernel whose name says that it waits
 *   late         of a collective: above LATE_TIMES what a quarter of its kind (same kernel and
 *                message, LATE_KIND at least in the file) stays below
 *
 * Groups: events of one operator with the same shapes, module, phase and reason; without an
 * operator in the file those of one kernel. A module is the innermost nn.Module, else the innermost
 * named range, around the launch. `roof_ns` is what the chip needs at least for the same work at
 * its data sheet's rates, of arithmetic or of memory, whichever is longer; for copies over a link
 * that of the link. Where an operator's cost is not known, it reads at least what it is given, and
 * one that takes rows by their index those rows. What caches hold may be faster than that.
 *
 * Time and memory are linear in the device's events and in the host's rows around their launches;
 * names and shapes are asked once each.
 */
#ifndef REPORT_ANALYSE_DEVICE_PURPOSE_H
#define REPORT_ANALYSE_DEVICE_PURPOSE_H

#include "base/enum_names.h"
#include "report/analyse/analysis.h"

enum { TABLE_TIMES = 8, LATE_KIND = 4, LATE_LEAST_NS = 20000 };
#define LATE_TIMES 1.3

#define USE_LIST(X) \
	X(USE_USEFUL, "useful") \
	X(USE_AGAIN, "again") \
	X(USE_MOVED, "moved") \
	X(USE_TABLE, "table") \
	X(USE_TRAINING, "training") \
	X(USE_SLOWER, "slower") \
	X(USE_WAITING, "waiting") \
	X(USE_UNKNOWN, "unknown")
enum device_use { USE_LIST(KIND_MEMBER) DEVICE_USES };
const char *device_use_name(enum device_use use);

#define WHY_LIST(X) \
	X(WHY_COMPUTED, "computed") \
	X(WHY_RECOMPUTED, "recomputed") \
	X(WHY_RECONVERTED, "reconverted") \
	X(WHY_REMADE, "remade") \
	X(WHY_COPIED, "copied") \
	X(WHY_CONVERTED, "converted") \
	X(WHY_TURNED, "turned") \
	X(WHY_JOINED, "joined") \
	X(WHY_GATHERED, "gathered") \
	X(WHY_FILLED, "filled") \
	X(WHY_UPLOADED, "uploaded") \
	X(WHY_DOWNLOADED, "downloaded") \
	X(WHY_SENT, "sent") \
	X(WHY_TABLE, "table") \
	X(WHY_DROPOUT, "dropout") \
	X(WHY_BATCH_STATISTICS, "batch_statistics") \
	X(WHY_FP64, "fp64") \
	X(WHY_FP32, "fp32") \
	X(WHY_MISALIGNED, "misaligned") \
	X(WHY_APART, "apart") \
	X(WHY_SORTED, "sorted") \
	X(WHY_DETERMINISTIC, "deterministic") \
	X(WHY_SPINNING, "spinning") \
	X(WHY_LATE, "late") \
	X(WHY_UNKNOWN, "unknown")
enum device_why { WHY_LIST(KIND_MEMBER) DEVICE_WHYS };
const char *device_why_name(enum device_why why);
enum device_use device_use_of(enum device_why why);

enum phase { PHASE_UNKNOWN, PHASE_FORWARD, PHASE_BACKWARD, PHASE_OPTIMIZER, PHASE_GRAPH, PHASES };
const char *phase_name(enum phase phase); /* "unknown", "forward" ... "graph": replayed */

/* What the device's events of one kind have of a window. */
struct purpose {
	uint8_t why; /* enum device_why: of all but the rest */
	uint8_t rest; /* of the rest: what a better kind takes, or a collective usually */
	uint8_t phase;
	name_id op; /* innermost around the launch; 0: not in the file, or a replayed graph */
	name_id module; /* 0: none is recorded */
	uint32_t op_row; /* the first such operator, for its shapes; NO_ROW */
	uint32_t event; /* the longest, as index into device_rows */
	uint32_t n; /* events in the file */
	int64_t ns, window_ns; /* of the whole and of breakdown_window() */
	int64_t rest_ns, window_rest_ns; /* of these */
	double roof_ns; /* what the chip needs for all that the group ran, hidden or not; NAN: not
			   known */
	int64_t device_ns; /* that it ran, hidden or not */
	double usual_ns; /* of collectives some of which are late: what is longer is; else 0 */
	int64_t shortest_ns; /* and the shortest of them: it sends no longer than that; else 0 */
};

struct purpose_sum {
	int64_t ns[DEVICE_WHYS]; /* they sum to the busy time */
};

struct purposes {
	struct purpose_sum whole, window;
	struct purpose *group; /* (n) by window_ns, then ns, largest first */
	uint32_t n;
	uint32_t *of_event; /* (n_device) the group of each event */
	int64_t rooted_ns; /* of the whole: of groups whose roof is known */
	int64_t placed_ns; /* of the whole: launched by an operator or a graph of the file */
};

/* held_ns, window_ns (n_device): what each event has of the whole and of the window (account.h).
 * The arena owns the result. */
struct purposes purposes_of(struct arena *arena, const struct analysis *a, const int64_t *held_ns,
	const int64_t *window_ns);

int64_t purpose_use_ns(const struct purpose_sum *s, enum device_use use);

/* The reason with most time in the window that is neither useful nor unknown; WHY_COMPUTED: there
 * is none. */
enum device_why purposes_worst(const struct purposes *p);

/* The group with most of a reason's time in the window; NULL: there is none. */
const struct purpose *purposes_largest(const struct purposes *p, enum device_why why);

/* Of the time of a group's events, what has this reason. */
static inline double purpose_share(const struct purpose *x, enum device_why why)
{
	double rest = x->ns ? (double)x->rest_ns / (double)x->ns : 0;
	return (x->why == why ? 1 - rest : 0) + (x->rest == why ? rest : 0);
}

/* What a group has of its reason in the window. */
static inline int64_t purpose_own_ns(const struct purpose *x)
{
	return x->window_ns - x->window_rest_ns;
}

/* Has the program ranges of its own, which tell where in it something is? */
bool ranges_name_places(const struct analysis *a);

void purposes_dump(const struct purposes *p, const struct trace *t, FILE *f);

#endif
