/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/memory_bands.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the peak: a block of less is no more than a line. */
static const double LEAST_SHOWN = 1 / 30.0;

/* Neighbours in the stack differ in lightness, so that grey keeps them apart. */
static const char *const colours[MEMORY_ASKED] = {
	"gemm", "pointwise", "attention", "norm", "communication", "copy"};

const char *memory_band_colour(const struct memory_bands *b, int which)
{
	if (which >= BAND_OTHERS)
		return which == BAND_OTHERS ? "device_other" : "annotation";
	for (int i = 0; i < b->n; i++)
		if (b->band_of[i] == which)
			return colours[i];
	return "device_other";
}

enum memory_asker memory_bands_by(const struct memory_use *use)
{
	return use->who[ASKED_LINE] ? ASKED_LINE : ASKED_OPERATOR;
}

/* ---- which block lies in which band ---- */

struct banding {
	const struct memory_use *use;
	struct memory_bands *b;
	const struct trace *t;
	uint8_t *band; /* (trace.names) */
	uint32_t *block_of; /* (n_changes) block + 1 that a change begins or ends, 0 none */
	uint32_t *moment; /* (MEMORY_COLUMNS) the row whose state is shown, NO_ROW: as the one
			     before */
};

static uint8_t band_of_block(const struct banding *x, const struct memory_block *b)
{
	if (b->row == NO_ROW)
		return BAND_BEFORE;
	return x->band[x->use->who[memory_bands_by(x->use)][x->t->side[b->row]]];
}

static void choose_bands(struct banding *x)
{
	struct memory_bands *b = x->b;
	memset(x->band, BAND_OTHERS, x->t->names.n + 1);
	for (size_t i = 0; i < b->n_holders; i++) {
		if (b->holder[i].before)
			b->before = true;
		else if (b->n < MEMORY_ASKED && b->holder[i].bytes > 0)
			x->band[b->holder[i].name] = (uint8_t)b->n++;
		else
			b->others = true;
	}
	for (name_id i = 0; x->t->snapshot && i < x->t->names.n; i++)
		if (!strcmp(names_text(&x->t->names, i), MEMORY_BEFORE))
			x->band[i] = BAND_BEFORE;
}

static void number_blocks(struct banding *x)
{
	for (size_t i = 0; i < x->use->n_blocks; i++) {
		const struct memory_block *b = &x->use->block[i];
		if (b->device != x->b->of->device)
			continue;
		if (b->row != NO_ROW)
			x->block_of[x->t->side[b->row]] = (uint32_t)i + 1;
		if (b->end_row != NO_ROW)
			x->block_of[x->t->side[b->end_row]] = (uint32_t)i + 1;
	}
}

/* ---- columns ---- */

static int column_of(const struct memory_bands *b, int64_t at_ns)
{
	double share = (double)(at_ns - b->from_ns) / (double)(b->to_ns - b->from_ns);
	int column = (int)(share * MEMORY_COLUMNS);
	return column < 0 ? 0 : column < MEMORY_COLUMNS ? column : MEMORY_COLUMNS - 1;
}

static bool is_mine(const struct banding *x, uint32_t row)
{
	return is_memory_change(x->t, row) &&
		x->t->changes[x->t->side[row]].device == x->b->of->device;
}

/* What is allocated after a change. */
static double count_after(const struct trace *t, uint32_t row, double sum)
{
	int64_t told = t->changes[t->side[row]].allocated;
	return told >= 0 ? (double)told : sum;
}

/* Of each column the moment with most. */
static void find_moments(struct banding *x)
{
	double most[MEMORY_COLUMNS], sum = 0, last = 0;
	uint32_t before = NO_ROW;
	int column = -1;
	for (uint32_t i = x->b->of->first_row; i <= x->b->of->last_row; i++) {
		if (!is_mine(x, i))
			continue;
		sum += (double)x->t->changes[x->t->side[i]].bytes;
		int at = column_of(x->b, x->t->start_ns[i]);
		for (; column < at; column++) { /* as the column begins */
			most[column + 1] = last;
			x->moment[column + 1] = before;
		}
		last = count_after(x->t, i, sum);
		before = i;
		if (last > most[at] || x->moment[at] == NO_ROW) {
			most[at] = last;
			x->moment[at] = i;
		}
	}
	for (; column + 1 < MEMORY_COLUMNS; column++)
		x->moment[column + 1] = before;
}

/* ---- edges ---- */

/* A block that is large and alive, in the order of allocation. */
struct shown_block {
	uint32_t block;
	uint8_t band;
	int from; /* the column in which its edge began; -1 none yet */
	double at; /* where it lies */
};

struct shown_blocks {
	struct shown_block *of; /* (n) */
	size_t n, room;
};

static void end_edge(struct memory_bands *b, const struct shown_block *s, int column)
{
	if (s->from >= 0 && column > s->from && b->n_edges < MEMORY_EDGES)
		b->edge[b->n_edges++] =
			(struct memory_edge){(uint16_t)s->from, (uint16_t)column, s->at};
}

static void show_edges(struct memory_bands *b, struct shown_blocks *s, int column,
	const struct banding *x, const double foot[MEMORY_BANDS])
{
	double at[MEMORY_BANDS];
	memcpy(at, foot, sizeof at);
	for (size_t i = 0; i < s->n; i++) {
		struct shown_block *one = &s->of[i];
		at[one->band] += (double)x->use->block[one->block].bytes;
		if (one->from >= 0 && one->at == at[one->band])
			continue;
		end_edge(b, one, column);
		one->from = column;
		one->at = at[one->band];
	}
}

static void change_shown(struct banding *x, struct shown_blocks *s, uint32_t row, int column)
{
	uint32_t nth = x->block_of[x->t->side[row]];
	if (!nth)
		return;
	const struct memory_block *block = &x->use->block[nth - 1];
	if ((double)block->bytes < LEAST_SHOWN * (double)x->b->of->peak_bytes)
		return;
	if (block->row == row) {
		if (s->n == s->room) {
			s->room = s->room ? 2 * s->room : 64;
			s->of = xrealloc(s->of, s->room, sizeof *s->of);
		}
		s->of[s->n++] = (struct shown_block){nth - 1, band_of_block(x, block), -1, 0};
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->of[i].block == nth - 1) {
			end_edge(x->b, &s->of[i], column);
			memmove(&s->of[i], &s->of[i + 1], (--s->n - i) * sizeof *s->of);
			return;
		}
}

/* ---- all ---- */

/* Heights of the bands into the edges between them, from the foot upwards; `foot`: below each. */
static void stack_bands(const struct memory_bands *b, const double height[MEMORY_BANDS],
	double top[MEMORY_BANDS], double foot[MEMORY_BANDS])
{
	double at = height[BAND_BEFORE];
	foot[BAND_BEFORE] = 0;
	top[0] = at;
	for (int i = 0; i < b->n; i++) {
		foot[b->band_of[i]] = at;
		at += height[b->band_of[i]];
		top[i + 1] = at;
	}
	foot[BAND_OTHERS] = at;
	for (int i = b->n + 1; i < MEMORY_BANDS; i++)
		top[i] = at + height[BAND_OTHERS];
}

/* Each column's heights, band by band; with `shown` the bands are stacked and edges drawn. */
static void fill_columns(
	struct banding *x, double (*height)[MEMORY_BANDS], struct shown_blocks *shown)
{
	struct memory_bands *b = x->b;
	double now[MEMORY_BANDS] = {0}, sum = 0, foot[MEMORY_BANDS];
	int column = 0;
	for (uint32_t i = b->of->first_row; i <= b->of->last_row; i++) {
		if (!is_mine(x, i))
			continue;
		const struct memory_change *m = &x->t->changes[x->t->side[i]];
		uint32_t nth = x->block_of[x->t->side[i]];
		uint8_t band = nth ? band_of_block(x, &x->use->block[nth - 1]) : BAND_BEFORE;
		now[band] += (double)m->bytes;
		sum += (double)m->bytes;
		if (shown)
			change_shown(x, shown, i, column);
		double known = 0;
		for (int k = 0; k < BAND_BEFORE; k++)
			known += now[k];
		for (; column < MEMORY_COLUMNS &&
			(x->moment[column] == i || x->moment[column] == NO_ROW);
			column++) {
			double *to = height[column];
			memcpy(to, now, sizeof now);
			to[BAND_BEFORE] = fmax(0, count_after(x->t, i, sum) - known);
			if (!shown)
				continue;
			double own[MEMORY_BANDS];
			memcpy(own, to, sizeof own);
			stack_bands(b, own, b->top[column], foot);
			show_edges(b, shown, column, x, foot);
		}
	}
	for (size_t i = 0; shown && i < shown->n; i++)
		end_edge(b, &shown->of[i], MEMORY_COLUMNS);
}

struct steady {
	int which;
	double share; /* of its most that it has on average */
};

ORDER(by_steadiness, struct steady, DOWN(share) ?: UP(which));

static void order_bands(struct memory_bands *b, double (*height)[MEMORY_BANDS])
{
	struct steady of[MEMORY_ASKED];
	for (int i = 0; i < b->n; i++) {
		double most = 0, sum = 0;
		for (int c = 0; c < MEMORY_COLUMNS; c++) {
			sum += height[c][i];
			most = fmax(most, height[c][i]);
		}
		of[i] = (struct steady){i, most > 0 ? sum / most : 0};
	}
	qsort(of, (size_t)b->n, sizeof *of, by_steadiness);
	for (int i = 0; i < b->n; i++)
		b->band_of[i] = of[i].which;
}

struct memory_bands *memory_bands_of(struct arena *arena, const struct memory_use *use,
	const struct memory_of_device *d, int64_t from_ns, int64_t to_ns)
{
	const struct trace *t = use->trace;
	struct memory_bands *b = arena_alloc(arena, sizeof *b);
	*b = (struct memory_bands){.of = d, .from_ns = from_ns, .to_ns = to_ns};
	if (!use->who[memory_bands_by(use)] || !d->blocks || to_ns <= from_ns)
		return NULL;
	b->holder = memory_holders(arena, use, d, memory_bands_by(use), &b->n_holders);
	b->top = arena_array(arena, MEMORY_COLUMNS, sizeof *b->top);
	b->edge = arena_array(arena, MEMORY_EDGES, sizeof *b->edge);
	struct banding x = {.use = use, .b = b, .t = t};
	x.band = xalloc(t->names.n + 1);
	x.block_of = xcalloc(t->n_changes + 1, sizeof *x.block_of);
	x.moment = xalloc(MEMORY_COLUMNS * sizeof *x.moment);
	memset(x.moment, 0xff, MEMORY_COLUMNS * sizeof *x.moment);
	double(*height)[MEMORY_BANDS] = xcalloc(MEMORY_COLUMNS, sizeof *height);
	struct shown_blocks shown = {0};
	choose_bands(&x);
	number_blocks(&x);
	find_moments(&x);
	fill_columns(&x, height, NULL);
	order_bands(b, height);
	fill_columns(&x, height, &shown);
	free(shown.of);
	free(height);
	free(x.band);
	free(x.block_of);
	free(x.moment);
	return b;
}
