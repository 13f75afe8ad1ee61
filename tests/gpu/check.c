/* SPDX-License-Identifier: Apache-2.0 */
/* check [small|kernels]: everything the cuda device computes, on a GPU, against plain arithmetic;
 * small: only small shapes, for compute-sanitizer; kernels: of these only our own kernels. Prints a
 * line per group; exit status 1 when something is wrong. */
#include "experiments/reference_results.h"
#include "experiments/request_checks.h"
#include "experiments/tensor_values.h"
#include "tests/gpu/gpu.h"
#include "tests/unit/cuda_reference.h"
#include "tests/unit/rows_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct array {
	struct device_memory *memory;
	double *value; /* (n) as the device has them */
	size_t n;
	enum dtype dtype;
};

static struct array array_new(struct gpu *g, int64_t n, enum dtype dtype, uint64_t seed)
{
	size_t bytes = (size_t)n * dtype_bytes(dtype);
	struct array a = {gpu_random(g, n, dtype, seed), xcalloc((size_t)n, 8), (size_t)n, dtype};
	void *raw = xalloc(bytes);
	gpu_ok(g, g->call->download(g->device, a.memory, raw, bytes, &g->err));
	values_read(a.value, raw, dtype, a.n);
	free(raw);
	return a;
}

static void array_free(struct gpu *g, struct array *a)
{
	g->call->free(g->device, a->memory);
	free(a->value);
}

/* Error of what is there now: norm of the difference over norm of what should be there. */
static double error_of(struct gpu *g, const struct array *a, const double *want)
{
	size_t bytes = a->n * dtype_bytes(a->dtype);
	void *raw = xalloc(bytes);
	double *got = xcalloc(a->n, sizeof *got);
	gpu_ok(g, g->call->synchronise(g->device, &g->err));
	gpu_ok(g, g->call->download(g->device, a->memory, raw, bytes, &g->err));
	values_read(got, raw, a->dtype, a->n);
	double error = check_error(got, want, a->n);
	free(raw);
	free(got);
	return error;
}

static double limit(enum dtype dtype)
{
	return dtype == DTYPE_BF16 ? 6e-3 : 3e-6;
}

struct group {
	const char *name;
	int n, wrong;
	double worst; /* error over its limit */
};

static void note(struct group *group, const char *what, double error, double most)
{
	group->n++;
	if (error / most > group->worst)
		group->worst = error / most;
	if (error <= most)
		return;
	group->wrong++;
	printf("  wrong: %s: error %.3g, at most %.3g\n", what, error, most);
}

static int finish(const struct group *group)
{
	printf("%-28s %4d checked, %d wrong, worst %.2f of its limit\n", group->name, group->n,
		group->wrong, group->worst);
	return group->wrong;
}

/* ---- pointwise ---- */

static void check_pointwise(struct gpu *g, struct group *group, struct device_pointwise p)
{
	struct array in[4], out = array_new(g, p.n, p.dtype, 99);
	double *want = xcalloc((size_t)p.n, sizeof *want);
	char what[128];
	for (int i = 0; i < p.n_inputs; i++) {
		in[i] = array_new(g, p.n, p.dtype, (uint64_t)i + 1);
		p.in[i] = in[i].memory;
	}
	p.out = out.memory;
	for (size_t i = 0; i < (size_t)p.n; i++) {
		int next = 1;
		want[i] = in[0].value[i];
		for (int s = 0; s < p.n_steps; s++)
			want[i] = reference_step(p.step[s], want[i],
				pointwise_takes_two(p.step[s]) ? in[next++].value[i] : 0);
	}
	gpu_ok(g, g->call->pointwise(g->device, &p, &g->err));
	snprintf(what, sizeof what, "%s %s n=%" PRId64 " row=%" PRId64, p.name ? p.name : "steps",
		dtype_name(p.dtype), p.n, p.row);
	note(group, what, error_of(g, &out, want), limit(p.dtype) * p.n_steps);
	for (int i = 0; i < p.n_inputs; i++)
		array_free(g, &in[i]);
	array_free(g, &out);
	free(want);
}

static int check_single(struct gpu *g, int64_t most)
{
	static const int64_t sizes[] = {1, 7, 4096, 4099, 1000003, 4096 * 4096};
	struct group group = {.name = "built kernels"};
	for (int step = 0; step < 4; step++)
		for (int dtype = 0; dtype < DTYPES; dtype++)
			for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most;
				i++)
				check_pointwise(g, &group,
					(struct device_pointwise){.dtype = (enum dtype)dtype,
						.n = sizes[i],
						.n_steps = 1,
						.step = {(enum pointwise)step},
						.n_inputs = 1 +
							pointwise_takes_two((enum pointwise)step)});
	return finish(&group);
}

static int check_fused(struct gpu *g, int64_t most)
{
	static const int64_t sizes[] = {3, 8192, 100003, 8192 * 3072};
	struct group group = {.name = "kernels made by NVRTC"};
	for (int dtype = 0; dtype < DTYPES; dtype++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++) {
			struct device_pointwise p = {.dtype = (enum dtype)dtype,
				.n = sizes[i],
				.n_steps = 2,
				.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
				.n_inputs = 2};
			check_pointwise(g, &group, p);
			p.n_steps = 4;
			p.step[0] = POINTWISE_ADD;
			p.step[1] = POINTWISE_SQUARE;
			p.step[2] = POINTWISE_MUL;
			p.step[3] = POINTWISE_GELU_TANH;
			p.n_inputs = 3;
			check_pointwise(g, &group, p);
		}
	return finish(&group);
}

static int check_hand_written(struct gpu *g, int64_t most)
{
	static const char *const squares[] = {
		"square_naive", "square_powf", "square_tile", "square_row", "square_row_loop"};
	static const int64_t widths[] = {1, 31, 781, 1024, 3072, 12672};
	struct group group = {.name = "hand-written kernels"};
	for (size_t i = 0; i < sizeof widths / sizeof *widths && widths[i] * 129 <= most; i++) {
		struct device_pointwise p = {.n = widths[i] * 129,
			.row = widths[i],
			.n_steps = 2,
			.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
			.n_inputs = 2,
			.generic = true,
			.name = "tracebook_geglu_tanh_generic"};
		for (int dtype = 0; dtype < DTYPES; dtype++) {
			p.dtype = (enum dtype)dtype;
			check_pointwise(g, &group, p);
		}
		p.dtype = DTYPE_F32;
		p.n_steps = 1;
		p.step[0] = POINTWISE_SQUARE;
		p.n_inputs = 1;
		for (size_t s = 0; s < sizeof squares / sizeof *squares; s++) {
			p.name = squares[s];
			check_pointwise(g, &group, p);
		}
	}
	return finish(&group);
}

/* ---- softmax and attention ---- */

static void check_rows(struct gpu *g, struct group *group, struct device_rows r)
{
	int64_t n = r.batch * r.rows * r.cols;
	int inputs = rows_inputs(r.what);
	struct array in[ROWS_INPUTS], out = array_new(g, n, r.dtype, 99);
	const double *value[ROWS_INPUTS] = {0};
	double *want = xcalloc((size_t)n, sizeof *want);
	char what[128];
	for (int i = 0; i < inputs; i++) {
		in[i] = array_new(g, n, r.dtype, (uint64_t)i + 1);
		r.in[i] = in[i].memory;
		value[i] = in[i].value;
	}
	r.out = out.memory;
	reference_rows(&r, value, want);
	if (r.what == ROWS_SOFTMAX && r.causal) {
		struct device_rows mask = r;
		mask.what = ROWS_MASK;
		mask.out = r.in[0];
		gpu_ok(g, g->call->rows(g->device, &mask, &g->err));
	}
	gpu_ok(g, g->call->rows(g->device, &r, &g->err));
	snprintf(what, sizeof what, "%s%s %s %" PRId64 " x %" PRId64 "x%" PRId64,
		r.causal ? "causal " : "", rows_name(r.what), dtype_name(r.dtype), r.batch, r.rows,
		r.cols);
	note(group, what, error_of(g, &out, want), limit(r.dtype));
	for (int i = 0; i < inputs; i++)
		array_free(g, &in[i]);
	array_free(g, &out);
	free(want);
}

/* As it is, and causal with a factor; of a softmax also what stands before it then. */
static void check_forms_of_rows(struct gpu *g, struct group *group, struct device_rows r)
{
	check_rows(g, group, r);
	r.causal = true;
	r.factor = 0.125f;
	check_rows(g, group, r);
	if (r.what == ROWS_ATTENTION)
		return;
	r.what = ROWS_SCALE;
	check_rows(g, group, r);
}

static int check_whole_rows(struct gpu *g, int64_t most)
{
	static const int64_t softmax[][3] = {{1, 1, 1}, {5, 7, 7}, {3, 33, 64}, {2, 9, 781},
		{16, 128, 128}, {4, 2048, 2048}, {1, 3, 100003}};
	static const int64_t attention[][3] = {{1, 1, 1}, {5, 7, 19}, {2, 63, 64}, {2, 64, 64},
		{3, 65, 64}, {1, 129, 40}, {16, 128, 64}, {2, 300, 63}, {3, 300, 64}, {1, 1000, 64},
		{4, 2048, 64}};
	struct group group = {.name = "softmax and attention"};
	for (size_t i = 0; i < sizeof softmax / sizeof *softmax; i++)
		for (int dtype = 0; dtype < DTYPES; dtype++)
			if (softmax[i][0] * softmax[i][1] * softmax[i][2] <= most)
				check_forms_of_rows(g, &group,
					(struct device_rows){.what = ROWS_SOFTMAX,
						.dtype = (enum dtype)dtype,
						.batch = softmax[i][0],
						.rows = softmax[i][1],
						.cols = softmax[i][2]});
	for (size_t i = 0; i < sizeof attention / sizeof *attention; i++)
		if (attention[i][0] * attention[i][1] * attention[i][1] <= most)
			check_forms_of_rows(g, &group,
				(struct device_rows){.what = ROWS_ATTENTION,
					.dtype = DTYPE_BF16,
					.batch = attention[i][0],
					.rows = attention[i][1],
					.cols = attention[i][2]});
	return finish(&group);
}

/* ---- products ---- */

static void check_gemm(struct gpu *g, struct group *group, const struct shape *s)
{
	struct array a = array_new(g, s->batch * s->m * s->k, s->dtype, 1);
	struct array b = array_new(g, s->batch * s->k * s->n, s->dtype, 2);
	struct array c = array_new(g, s->addend == 1 ? s->n : s->batch * s->m * s->n, s->dtype, 3);
	struct array d = array_new(g, s->batch * s->m * s->n, s->dtype, 4);
	struct device_matrix addend =
		reference_matrix(c.memory, s->addend == 1 ? 1 : s->m, s->n, false);
	double *want = xcalloc(d.n, sizeof *want);
	double *left = s->a_turned ? reference_turned(a.value, s->batch, s->m, s->k) : NULL;
	double *right = s->b_turned ? reference_turned(b.value, s->batch, s->k, s->n) : NULL;
	char what[160];
	if (s->addend == 1)
		addend.batch_stride = 0;
	struct device_gemm gemm = {.dtype = s->dtype,
		.batch = s->batch,
		.a = reference_matrix(a.memory, s->m, s->k, s->a_turned),
		.b = reference_matrix(b.memory, s->k, s->n, s->b_turned),
		.d = reference_matrix(d.memory, s->m, s->n, false),
		.addend = s->addend ? &addend : NULL,
		.accumulate = s->accumulate,
		.tune = s->tune};
	gpu_ok(g, g->call->gemm(g->device, &gemm, &g->err));
	check_product(want,
		&(struct check_product){.batch = s->batch,
			.m = s->m,
			.n = s->n,
			.k = s->k,
			.a = left ? left : a.value,
			.b = right ? right : b.value});
	if (s->addend)
		check_add(want, d.n, c.value, c.n);
	if (s->accumulate)
		check_add(want, d.n, d.value, d.n);
	snprintf(what, sizeof what,
		"%s %" PRId64 " x %" PRId64 "x%" PRId64 "x%" PRId64 "%s%s%s%s addend %d",
		dtype_name(s->dtype), s->batch, s->m, s->n, s->k, s->a_turned ? " a'" : "",
		s->b_turned ? " b'" : "", s->accumulate ? " +=" : "", s->tune ? " tuned" : "",
		s->addend);
	note(group, what, error_of(g, &d, want), limit(s->dtype));
	free(want);
	free(left);
	free(right);
	array_free(g, &a);
	array_free(g, &b);
	array_free(g, &c);
	array_free(g, &d);
}

static void check_forms(struct gpu *g, struct group *group, struct shape s)
{
	for (int bits = 0; bits < 96; bits++) {
		s.a_turned = bits & 1;
		s.b_turned = bits & 2;
		s.accumulate = bits & 4;
		s.dtype = bits & 8 ? DTYPE_BF16 : DTYPE_F32;
		s.batch = bits & 16 ? 3 : 1;
		s.addend = bits / 32;
		if (!s.accumulate || s.addend != 2)
			check_gemm(g, group, &s);
	}
}

static int check_products(struct gpu *g, int64_t most)
{
	static const struct shape whole[] = {{.batch = 1, .m = 64, .n = 64, .k = 64},
		{.batch = 8, .m = 64, .n = 64, .k = 64},
		{.batch = 1, .m = 1024, .n = 64, .k = 32, .b_turned = true, .addend = 1},
		{.batch = 1, .m = 256, .n = 3072, .k = 768, .b_turned = true},
		{.batch = 1, .m = 256, .n = 768, .k = 3072, .b_turned = true, .tune = true},
		{.batch = 1, .m = 512, .n = 512, .k = 512, .addend = 2}};
	struct group aligned = {.name = "products, aligned"}, odd = {.name = "products, odd"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (whole[i].m * whole[i].n <= most)
			check_gemm(g, &aligned, &whole[i]);
	if (most > 1 << 20)
		check_forms(g, &aligned, (struct shape){.m = 96, .n = 128, .k = 64});
	check_forms(g, &odd, (struct shape){.m = 33, .n = 17, .k = 21});
	return finish(&aligned) + finish(&odd);
}

/* A copy and a kernel, replayed: the second replay must see what changed in between. */
static int check_graph(struct gpu *g)
{
	struct group group = {.name = "replayed graphs"};
	struct array x = array_new(g, 5000, DTYPE_F32, 1), y = array_new(g, 5000, DTYPE_F32, 2);
	struct device_pointwise p = {.dtype = DTYPE_F32,
		.n = 5000,
		.n_steps = 1,
		.step = {POINTWISE_SQUARE},
		.n_inputs = 1,
		.in = {x.memory},
		.out = x.memory};
	gpu_ok(g, g->call->capture_begin(g->device, &g->err));
	gpu_ok(g, g->call->copy(g->device, x.memory, y.memory, 20000, &g->err));
	gpu_ok(g, g->call->pointwise(g->device, &p, &g->err));
	struct device_graph *graph = g->call->capture_end(g->device, &g->err);
	gpu_ok(g, graph ? 0 : -1);
	for (int i = 0; i < 2; i++) {
		gpu_ok(g, g->call->graph_launch(g->device, graph, &g->err));
		check_square(x.value, y.value, x.n);
		note(&group, "square of a copy", error_of(g, &x, x.value), limit(DTYPE_F32));
		p.in[0] = p.out = y.memory;
		gpu_ok(g, g->call->pointwise(g->device, &p, &g->err));
		check_square(y.value, y.value, y.n);
	}
	g->call->graph_free(g->device, graph);
	array_free(g, &x);
	array_free(g, &y);
	return finish(&group);
}

int main(int argc, char **argv)
{
	struct gpu g;
	bool ours = argc > 1 && !strcmp(argv[1], "kernels");
	int64_t most = ours || (argc > 1 && !strcmp(argv[1], "small")) ? 1 << 18 : INT64_MAX;
	gpu_open(&g);
	int wrong = check_single(&g, most) + check_fused(&g, most) + check_hand_written(&g, most) +
		check_whole_rows(&g, most) + check_graph(&g);
	wrong += ours ? 0 : check_products(&g, most);
	gpu_close(&g);
	return wrong ? 1 : 0;
}
