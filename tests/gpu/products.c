/* SPDX-License-Identifier: Apache-2.0 */
/* products: every kernel that cuBLASLt offers for the products of the experiments, as a table with
 * tabs. Kernel times are CUPTI's. Where data lie, and how soon one follows another, decide a fifth
 * of a small product's time: small ones rotate over several places and start PACE_NS apart, here as
 * in torch_side.py. */
#include "experiments/cuda/gemm.h"
#include "tests/gpu/gpu.h"

#include <stdio.h>

enum { WARM = 20, ROUNDS = 60, PLACES = GPU_PLACES, PACE_NS = 40000 };

struct product_case {
	const char *what;
	enum dtype dtype;
	int64_t batch, m, n, k;
	bool linear;
	int addend; /* 0 none, 1 a row, 2 a matrix, 3 onto itself */
};

static const struct product_case products[] = {
	/* small ones first: where memory lies decides, and large arrays leave holes */
	{"64", DTYPE_BF16, 1, 64, 64, 64, false, 0},
	{"8 x 64", DTYPE_BF16, 8, 64, 64, 64, false, 0},
	{"linear 1024x32->64", DTYPE_BF16, 1, 1024, 64, 32, true, 1},
	{"1024", DTYPE_BF16, 1, 1024, 1024, 1024, false, 0},
	{"1024 fp32", DTYPE_F32, 1, 1024, 1024, 1024, false, 0},
	{"4096", DTYPE_BF16, 1, 4096, 4096, 4096, false, 0},
	{"4096 += ", DTYPE_BF16, 1, 4096, 4096, 4096, false, 3},
	{"4096 + matrix", DTYPE_BF16, 1, 4096, 4096, 4096, false, 2},
	{"gate, up 8192x768->3072", DTYPE_BF16, 1, 8192, 3072, 768, true, 0},
	{"down 8192x3072->768", DTYPE_BF16, 1, 8192, 768, 3072, true, 0},
};

static struct device_matrix product_matrix(
	struct gpu *g, const struct product_case *c, int64_t rows, int64_t cols, bool turned)
{
	return (struct device_matrix){
		.memory = gpu_random(g, c->batch * rows * cols, c->dtype, (uint64_t)rows),
		.rows = rows,
		.cols = cols,
		.row_stride = turned ? 1 : cols,
		.col_stride = turned ? rows : 1,
		.batch_stride = c->batch > 1 ? rows * cols : 0};
}

struct product_work {
	struct device_gemm gemm[PLACES];
	struct device_matrix addend[PLACES];
	int places;
	int64_t next_ns; /* when the next may start */
};

static void run_product(struct gpu *g, void *context, int round)
{
	struct product_work *w = context;
	while (w->places > 1 && clock_ns() < w->next_ns)
		;
	w->next_ns = clock_ns() + PACE_NS;
	gpu_ok(g, g->call->gemm(g->device, &w->gemm[round % w->places], &g->err));
}

static void place_product(struct gpu *g, const struct product_case *c, struct product_work *w)
{
	struct device_gemm *gemm = &w->gemm[w->places];
	struct device_matrix *addend = &w->addend[w->places++];
	*gemm = (struct device_gemm){.dtype = c->dtype, .batch = c->batch};
	gemm->a = product_matrix(g, c, c->m, c->k, false);
	gemm->b = product_matrix(g, c, c->k, c->n, c->linear);
	gemm->d = product_matrix(g, c, c->m, c->n, false);
	gemm->accumulate = c->addend == 3;
	if (c->addend != 1 && c->addend != 2)
		return;
	*addend = product_matrix(g, c, c->addend == 1 ? 1 : c->m, c->n, false);
	gemm->addend = addend;
}

static void free_product(struct gpu *g, struct product_work *w)
{
	for (int i = 0; i < w->places; i++) {
		g->call->free(g->device, w->gemm[i].a.memory);
		g->call->free(g->device, w->gemm[i].b.memory);
		g->call->free(g->device, w->gemm[i].d.memory);
		if (w->gemm[i].addend)
			g->call->free(g->device, w->addend[i].memory);
	}
}

static void list_candidates(
	struct gpu *g, const struct product_case *c, const struct device_gemm *gemm, double flop)
{
	struct gemm_candidate candidate[GEMM_CANDIDATES];
	struct product p;
	int n = 0;
	gpu_ok(g, product_of(&p, gemm, &g->err));
	struct gemm_operands o = {.first = gemm_address(&gemm->b, c->dtype),
		.second = gemm_address(&gemm->a, c->dtype),
		.d = gemm_address(&gemm->d, c->dtype)};
	o.c = p.epilogue == PRODUCT_ADDEND ? gemm_address(gemm->addend, c->dtype) : o.d;
	o.bias = p.epilogue == PRODUCT_BIAS ? gemm_address(gemm->addend, c->dtype) : NULL;
	struct gemm_plan *plan = gemms_take(&g->device->gemms, &p, &o, false, &g->err);
	gpu_ok(g, plan ? 0 : -1);
	gpu_ok(g, gemms_candidates(&g->device->gemms, plan, &o, candidate, &n, &g->err));
	for (int i = 0; i < n; i++)
		printf("%s\tcandidate %d by events\t%.3f\t%.1f\twaves %.2f, workspace %zu\t\t\n",
			c->what, i, candidate[i].time_us,
			candidate[i].time_us > 0 ? flop / candidate[i].time_us * 1e-6 : 0,
			(double)candidate[i].waves, candidate[i].workspace_bytes);
}

static void time_product(struct gpu *g, const struct product_case *c)
{
	const double small_flop = 1e9;
	struct product_work w = {.places = 0};
	struct gpu_times t;
	double flop = 2.0 * (double)c->batch * (double)c->m * (double)c->n * (double)c->k;
	do
		place_product(g, c, &w);
	while (w.places < PLACES && flop < small_flop);
	for (int tune = 0; tune < 2; tune++) {
		for (int i = 0; i < w.places; i++)
			w.gemm[i].tune = tune;
		gpu_time(g, &(struct gpu_work){run_product, &w}, WARM, ROUNDS, &t);
		double p50 = gpu_quantile(&t, 0.5);
		printf("%s\t%s\t%.3f\t%.1f\t%s\t%.3f\t%.3f\n", c->what,
			tune ? "tuned" : "first choice", p50, flop / p50 * 1e-6, t.name,
			gpu_quantile(&t, 0.2), gpu_quantile(&t, 0.8));
	}
	list_candidates(g, c, &w.gemm[0], flop);
	free_product(g, &w);
	fflush(stdout);
}

int main(void)
{
	struct gpu g;
	gpu_open(&g);
	printf("product\thow\tp50_us\tTFLOP_per_s\tkernel\tp20_us\tp80_us\n");
	for (size_t i = 0; i < sizeof products / sizeof *products; i++)
		time_product(&g, &products[i]);
	gpu_close(&g);
	return 0;
}
