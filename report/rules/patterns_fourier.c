/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of Fourier transforms: of a length that has no fast one, of a real image as if it were
 * complex, and long filters that go without one. */
#include "report/rules/pattern.h"

#include "report/analyse/operator_cost.h"

#include <math.h>
#include <string.h>

/* On an H100 padding and a transform of 32 rows of 2^20 real numbers took as long as eleven passes
 * over them take at the memory's rate; of 768 rows of 2^15, which one kernel holds, three, and
 * seven back, for which PyTorch copies them first. */
enum { PASSES = 11, PASSES_SHORT = 3, PASSES_BACK = 7, SHORT = 1 << 15, LONG_FILTER = 1024 };

static double passes_ns(const struct facts *s, double passes, double bytes)
{
	return passes * bytes / (MEMORY_REACHED * s->chip->memory) * 1e9;
}

static bool is_transform(const struct facts *s, uint32_t row)
{
	return !strncmp(row_name(s, row), "aten::_fft_", 11);
}

/* A length with a large prime in it is transformed by Bluestein's algorithm, as cuFFT's kernels
 * say. */
static bool has_odd_length(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	for (uint32_t i = row; i < t->n && t->start_ns[i] < row_end(t, row); i++)
		if (event_is_call(t->kind[i]) && t->track[i] == t->track[row] &&
			t->launch[i] != NO_ROW && strstr(row_name(s, t->launch[i]), "bluestein"))
			return true;
	return false;
}

/* Real images that are made complex in front of their transform; and a transform back of which the
 * real part is taken. */
static bool is_of_both_halves(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	if (!strncmp(row_name(s, row), "aten::fft_ifft", 14))
		return is_named(s, next_operator(s, row), "aten::real");
	for (uint32_t i = row + 1; i < t->n && t->start_ns[i] < row_end(t, row); i++)
		if (t->parent[i] == row && is_named(s, i, "aten::to"))
			return launches_inside(s, i, 0, true);
	return false;
}

/* Of one channel each, or of few: of many that are summed up the products between the transforms
 * take longer. */
static bool is_long_filter(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	enum { FEW = 16 };
	if (!x || x->n < 2 || x->in[1].rank < 3 || x->in[0].rank != x->in[1].rank)
		return false;
	int64_t pairs = x->in[1].dim[0] * x->in[1].dim[1];
	return pairs > 0 && (pairs <= FEW || x->in[1].dim[1] == 1) &&
		elements_of(x, 1) / pairs >= LONG_FILTER;
}

static bool is_fourier(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	if (is_transform(s, row))
		return has_odd_length(s, row);
	return strstr(row_name(s, row), "fft_") ? is_of_both_halves(s, row)
						: is_long_filter(s, row);
}

static int passes_of(const struct facts *s, uint32_t row, const struct inputs *x)
{
	bool back = is_named(s, row, "aten::_fft_c2r");
	int64_t length = x->in[0].rank ? x->in[0].dim[x->in[0].rank - 1] : 0;
	return !is_transform(s, row) || (back ? 2 : 1) * length > SHORT ? PASSES
		: back							? PASSES_BACK
									: PASSES_SHORT;
}

/* Half of a spectrum; else what a fast transform takes, of a filter there and back. */
static double fourier_goes(const struct facts *s, const struct match *m)
{
	const struct inputs *x = inputs_of(s->a, m->row);
	bool odd = is_transform(s, m->row);
	if (!odd && strstr(row_name(s, m->row), "fft_"))
		return 0.5;
	if (!s->chip || !x || m->device_ns <= 0)
		return 0;
	double bytes = (double)elements_of(x, 0) * x->in[0].bytes;
	/* back comes as much as goes there, or more where several filters read a channel */
	double more = odd ? 1 : 1 + fmax(1, (double)x->in[1].dim[0] / (double)x->in[0].dim[1]);
	double stays = passes_ns(s, passes_of(s, m->row, x), more * bytes);
	return fmax(0, 1 - stays / (double)m->device_ns);
}

static bool has_fourier(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	f->variant = is_transform(s, sum->longest)	    ? "odd"
		: strstr(row_name(s, sum->longest), "fft_") ? "halves"
							    : "";
	return sum->n > 0;
}

static const struct rule rows[] = {
	{PATTERN("fourier", 1,
		 {.op = {"aten::_fft_r2c", "aten::_fft_c2c", "aten::_fft_c2r", "aten::fft_fft2",
			  "aten::fft_fftn", "aten::fft_ifft2", "aten::fft_ifftn",
			  "aten::convolution"},
			 .is = is_fourier,
			 .goes = fourier_goes,
			 .holds = has_fourier}),
		.of_kernels = true, .covers = {"precision", "half", "rewrites", "fusion"}},
};

const struct rule_list pattern_fourier_rows = RULE_LIST(rows);
