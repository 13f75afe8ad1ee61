/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the device is, measured once a run: for estimates only, never printed as a result. */
#include "collect/device_session.h"
#include "collect/measure_case.h"

enum {
	PROBE_SIZE = 1024,
	COPY_BYTES = 32 << 20,
	LEAST_NS = 200 * 1000 * 1000,
	LEAST_ROUNDS = 5,
	MOST_ROUNDS = 1000
};

/* One kind of work to be repeated. */
struct probe {
	int (*enqueue)(struct device_session *s, const struct probe *p, struct err *err);
	struct device_memory *memory[3];
	enum dtype dtype;
};

static int enqueue_product(struct device_session *s, const struct probe *p, struct err *err)
{
	struct device_matrix m[3];
	for (int i = 0; i < 3; i++)
		m[i] = (struct device_matrix){.memory = p->memory[i],
			.rows = PROBE_SIZE,
			.cols = PROBE_SIZE,
			.row_stride = PROBE_SIZE,
			.col_stride = 1};
	struct device_gemm g = {.dtype = p->dtype, .batch = 1, .a = m[0], .b = m[1], .d = m[2]};
	return s->bench.ops->gemm(s->bench.device, &g, err);
}

static int enqueue_copy(struct device_session *s, const struct probe *p, struct err *err)
{
	return s->bench.ops->copy(s->bench.device, p->memory[1], p->memory[0], COPY_BYTES, err);
}

static int run_round(struct device_session *s, const struct probe *p, int64_t *ns, struct err *err)
{
	int64_t start_ns = clock_ns();
	if (p->enqueue(s, p, err) || s->bench.ops->synchronise(s->bench.device, err))
		return -1;
	*ns = clock_ns() - start_ns;
	return 0;
}

/* Seconds of the fastest round: what the machine can do, whatever else it does just now. */
static int time_rounds(
	struct device_session *s, const struct probe *p, double *seconds, struct err *err)
{
	int64_t first_ns, ns, time_part_ns = 0, best_ns = INT64_MAX;
	if (run_round(s, p, &first_ns, err))
		return -1;
	for (long i = 0; i < LEAST_ROUNDS || (i < MOST_ROUNDS && time_part_ns < LEAST_NS); i++) {
		if (run_round(s, p, &ns, err))
			return -1;
		time_part_ns += ns;
		if (ns < best_ns)
			best_ns = ns;
	}
	*seconds = (double)(best_ns > 0 ? best_ns : 1) * 1e-9;
	return 0;
}

static int time_probe(
	struct device_session *s, struct probe *p, size_t bytes, double *seconds, struct err *err)
{
	const struct device_ops *ops = s->bench.ops;
	int result = 0;
	for (int i = 0; i < 3 && !result; i++) {
		p->memory[i] = ops->alloc(s->bench.device, bytes, err);
		result = p->memory[i] ? 0 : -1;
	}
	if (!result)
		result = time_rounds(s, p, seconds, err);
	for (int i = 0; i < 3; i++)
		if (p->memory[i])
			ops->free(s->bench.device, p->memory[i]);
	return result;
}

static int write_rates(struct device_session *s, struct json_out *answer, struct err *err)
{
	double seconds;
	for (int i = 0; i < DTYPES; i++) {
		struct probe product = {.enqueue = enqueue_product, .dtype = (enum dtype)i};
		size_t bytes = dtype_bytes(product.dtype) * PROBE_SIZE * PROBE_SIZE;
		if (time_probe(s, &product, bytes, &seconds, err))
			return -1;
		double flop = 2.0 * PROBE_SIZE * PROBE_SIZE * PROBE_SIZE;
		json_number(answer, dtype_name(product.dtype), flop / seconds, 0);
	}
	struct probe copy = {.enqueue = enqueue_copy};
	if (time_probe(s, &copy, COPY_BYTES, &seconds, err))
		return -1;
	json_number(answer, "copy", 2.0 * COPY_BYTES / seconds, 0);
	return 0;
}

int measure_rates(void *device, struct json_out *answer, struct err *err)
{
	const struct measure_device *m = device;
	struct device_session s;
	int result = device_session_open(&s, m->library, NULL, 1, err);
	if (!result)
		result = write_rates(&s, answer, err);
	device_session_close(&s);
	return result;
}
