/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/work_limit.h"

#include "base/json_out.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/name/kernel_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

NAMES(work_limit_name, enum work_limit, LIMIT_LIST(KIND_NAME));
NAMES(work_below_name, enum work_below, BELOW_LIST(KIND_NAME));

/* ---- which operator ---- */

/* The same operator with the same shapes and types, in whichever module and phase. */
static bool is_alike(const struct trace *t, const struct purpose *x, const struct purpose *y)
{
	uint32_t sx = t->side[x->op_row], sy = t->side[y->op_row];
	return x->op == y->op && sx != NO_ROW && sy != NO_ROW &&
		t->inputs[sx].dims == t->inputs[sy].dims &&
		t->inputs[sx].types == t->inputs[sy].types;
}

static bool is_told(const struct analysis *a, const struct purpose *x)
{
	return x->op && x->op_row != NO_ROW && x->phase != PHASE_GRAPH &&
		a->trace->kind[a->device_rows[x->event]] == EVENT_KERNEL &&
		a->class[a->device_rows[x->event]] != CLASS_COMMUNICATION &&
		a->class[x->op_row] != CLASS_COMPILE;
}

static int64_t alike_ns(const struct analysis *a, const struct purposes *p, uint32_t i)
{
	int64_t sum = 0;
	for (uint32_t k = 0; k < p->n; k++)
		if (k == i ||
			(is_told(a, &p->group[k]) &&
				is_alike(a->trace, &p->group[i], &p->group[k])))
			sum += p->group[k].window_ns;
	return sum;
}

/* The groups with most time are tried: what has half of it in many modules is among them. */
static const struct purpose *largest_of(
	const struct analysis *a, const struct purposes *p, int64_t *most)
{
	enum { TRIED = 8 };
	const struct purpose *largest = NULL;
	*most = 0;
	for (uint32_t i = 0; i < p->n && i < TRIED; i++) {
		if (!is_told(a, &p->group[i]) || a->trace->side[p->group[i].op_row] == NO_ROW)
			continue;
		int64_t ns = alike_ns(a, p, i);
		largest = ns > *most ? &p->group[i] : largest;
		*most = max64(ns, *most);
	}
	return largest;
}

struct call_time {
	uint32_t op;
	int64_t ns;
};

ORDER(by_op, struct call_time, UP(op));
ORDER(by_ns, struct call_time, UP(ns));

/* All that the device did for one call. */
static double median_call_ns(
	const struct analysis *a, const struct purposes *p, const struct purpose *x)
{
	const struct trace *t = a->trace;
	struct call_time *of = xcalloc(a->n_device, sizeof *of);
	size_t n = 0, calls = 0;
	for (size_t i = 0; i < a->n_device; i++) {
		const struct purpose *y = &p->group[p->of_event[i]];
		if (is_told(a, y) && (y == x || is_alike(t, x, y)))
			of[n++] =
				(struct call_time){a->device_ops[i], t->dur_ns[a->device_rows[i]]};
	}
	qsort(of, n, sizeof *of, by_op);
	for (size_t i = 0; i < n; i++)
		if (calls && of[calls - 1].op == of[i].op)
			of[calls - 1].ns += of[i].ns;
		else
			of[calls++] = of[i];
	qsort(of, calls, sizeof *of, by_ns);
	double median = calls ? (double)of[calls / 2].ns : 0;
	free(of);
	return median;
}

/* ---- the limit ---- */

/* AMD's libraries take TF32 where they are told to; NVIDIA's convolutions take it by themselves. */
static bool is_plain(
	const struct analysis *a, const struct limited_work *w, const struct chip *chip)
{
	uint32_t traits = device_traits(a, a->device_rows[w->event]);
	return traits & TRAIT_PLAIN || (chip->make == MAKE_AMD && !(traits & TRAIT_TF32));
}

double limit_arithmetic_ns(
	const struct analysis *a, const struct limited_work *w, const struct chip *chip)
{
	double flop = isnan(w->cost.flop) && w->cost.work == WORK_POINTWISE ? 0 : w->cost.flop;
	return flop / cost_rate(chip, &w->cost, w->cost.work, is_plain(a, w, chip)) * 1e9;
}

double limit_memory_ns(const struct limited_work *w, const struct chip *chip)
{
	return w->cost.bytes / chip->memory * 1e9;
}

static enum work_limit on_chip(
	const struct analysis *a, const struct limited_work *w, const struct chip *chip)
{
	double computing = limit_arithmetic_ns(a, w, chip), moving = limit_memory_ns(w, chip);
	double most = w->cost.most_bytes / chip->memory * 1e9;
	if (isnan(computing) || isnan(moving))
		return LIMIT_NONE;
	return moving > computing  ? LIMIT_MEMORY
		: most > computing ? LIMIT_VALUES
				   : LIMIT_ARITHMETIC;
}

static enum work_limit limit_of(const struct analysis *a, const struct limited_work *w)
{
	enum work_limit limit = LIMIT_NONE;
	for (int i = 0; i < w->chips.n; i++) {
		enum work_limit here = on_chip(a, w, w->chips.chip[i]);
		if (here == LIMIT_NONE || here == LIMIT_VALUES)
			return here;
		if (i && here != limit)
			return LIMIT_CHIP;
		limit = here;
	}
	return limit;
}

/* On the chip of the file, or that on which it comes nearest. What no chip can do is a call that is
 * not the whole work, or a cache: then nothing is known of its time. */
static void find_reached(const struct analysis *a, struct limited_work *w)
{
	double most = 0, least = INFINITY;
	for (int i = 0; i < w->chips.n; i++) {
		double needs = fmax(limit_arithmetic_ns(a, w, w->chips.chip[i]),
			limit_memory_ns(w, w->chips.chip[i]));
		most = fmax(most, needs);
		least = fmin(least, needs);
	}
	w->call_ns = least <= w->call_ns ? w->call_ns : 0;
	bool told = w->call_ns > 0 && w->limit != LIMIT_VALUES && most <= w->call_ns;
	w->reached = told ? most / w->call_ns : (double)NAN;
}

/* ---- why it stays below ---- */

static int units_of(const struct analysis *a, const struct limited_work *w)
{
	const struct trace *t = a->trace;
	if (t->n_devices && t->devices[0].sms > 0)
		return t->devices[0].sms;
	int least = 0;
	for (int i = 0; i < w->chips.n; i++)
		if (!least || w->chips.chip[i]->units < least)
			least = w->chips.chip[i]->units;
	return least;
}

/* Of its grid, 0 where none is recorded. */
static double grid_blocks(const struct trace *t, uint32_t row)
{
	if (t->side[row] == NO_ROW)
		return 0;
	const int32_t *grid = t->kernels[t->side[row]].grid;
	return (double)grid[0] * grid[1] * grid[2];
}

static int behind(const char *name, const char *word, int *second)
{
	const char *at = strstr(name, word);
	int first = 0;
	*second = 0;
	if (at && sscanf(at + strlen(word), "%dx%d", &first, second) < 1)
		return 0;
	return first;
}

/* Of the result, in tiles of the size that the name says: each is the work of one multiprocessor.
 */
static double tiles_of(const struct analysis *a, const struct limited_work *w)
{
	const char *name = trace_row_name(a->trace, a->device_rows[w->event]);
	struct product p;
	struct kernel_name k;
	int tile[2] = {0}, unused;
	if (!product_of(a, w->op_row, &p))
		return 0;
	tile[0] = behind(name, "_MT", &tile[1]); /* Tensile's macro tile */
	const char *part =
		!tile[0] && kernel_name_decode(&k, name) ? kernel_name_part(&k, PART_TILE) : NULL;
	if (part && sscanf(part, "%dx%d", &tile[0], &tile[1]) != 2)
		return 0;
	if (tile[0] <= 0 || tile[1] <= 0)
		return 0;
	int split = behind(name, "_GSU", &unused);
	/* Libraries count columns first, or rows: the smaller number is sure to be too few. */
	double one = ceil((double)p.m / tile[0]) * ceil((double)p.n / tile[1]);
	double other = ceil((double)p.n / tile[0]) * ceil((double)p.m / tile[1]);
	return fmax(one, other) * (double)p.batch * max_int(split, 1);
}

static void find_odd(const struct analysis *a, struct limited_work *w)
{
	enum { VECTOR_BYTES = 16 };
	struct product p;
	if (!product_of(a, w->op_row, &p) || !p.element_bytes)
		return;
	w->odd_step = VECTOR_BYTES / p.element_bytes;
	w->odd = p.k % w->odd_step ? p.k : p.n % w->odd_step ? p.n : 0;
}

bool limit_is_near(const struct limited_work *w)
{
	return w->reached >= LIMIT_NEAR;
}

static enum work_below below_of(const struct analysis *a, struct limited_work *w)
{
	double grid = grid_blocks(a->trace, a->device_rows[w->event]);
	w->units = units_of(a, w);
	w->blocks = grid > 0 ? grid : tiles_of(a, w);
	find_odd(a, w);
	bool told = !isnan(w->reached);
	if (limit_is_near(w))
		return BELOW_NOTHING;
	if (w->blocks > 0 && w->blocks < LIMIT_NEAR * w->units)
		return BELOW_FEW;
	if (w->odd)
		return BELOW_ODD;
	if (w->call_ns > 0 && w->call_ns < LIMIT_SHORT_NS)
		return BELOW_SHORT;
	return told ? BELOW_UNKNOWN : BELOW_NOTHING;
}

bool limit_is_held(const struct limited_work *w)
{
	return w->below == BELOW_FEW && w->reached < LIMIT_NEAR;
}

/* ---- all of it ---- */

struct limited_work limited_work_of(
	const struct analysis *a, const struct purposes *p, int64_t window_ns)
{
	struct limited_work w = {.limit = LIMIT_NONE, .op_row = NO_ROW, .reached = (double)NAN};
	int64_t busy = 0;
	for (int i = 0; i < DEVICE_WHYS; i++)
		busy += p->window.ns[i];
	const struct purpose *x = busy > 0 ? largest_of(a, p, &w.window_ns) : NULL;
	if (!x || (double)w.window_ns < LIMIT_SHARE * (double)busy ||
		(double)w.window_ns < LIMIT_WINDOW * (double)window_ns)
		return w;
	w.cost = cost_of(a, x->op_row);
	if (isnan(w.cost.bytes))
		return w;
	w.op_row = x->op_row;
	w.event = x->event;
	w.share = (double)w.window_ns / (double)busy;
	w.chips = chips_allowed(a->trace);
	w.limit = limit_of(a, &w);
	if (w.limit == LIMIT_NONE)
		return w;
	w.call_ns = median_call_ns(a, p, x);
	find_reached(a, &w);
	w.below = below_of(a, &w);
	return w;
}

void limited_work_dump(const struct limited_work *w, const struct trace *t, FILE *f)
{
	if (w->limit == LIMIT_NONE)
		return;
	fprintf(f,
		"limit: %s, below %s, share %.6f, %.6g FLOP, %.6g to %.6g bytes, call %.0f ns, "
		"reached %.6f, blocks %.0f of %d, chips %d, ",
		work_limit_name(w->limit), work_below_name(w->below), w->share, w->cost.flop,
		w->cost.bytes, w->cost.most_bytes, w->call_ns, w->reached, w->blocks, w->units,
		w->chips.n);
	json_escape(f, names_text(&t->names, t->name[w->op_row]));
	fputc('\n', f);
}
