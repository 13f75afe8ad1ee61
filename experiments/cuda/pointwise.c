/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cuda.h"

#include <inttypes.h>

enum { STEPS_MAX = 4 };

static int memory_ok(const struct device_memory *m, const struct device_pointwise *p,
	const char *what, struct err *err)
{
	__int128 bytes = (__int128)p->n * (__int128)dtype_bytes(p->dtype);
	if (bytes > (__int128)m->bytes)
		return fail(err, "pointwise: %s has %zu bytes, too few for %" PRId64 " elements",
			what, m->bytes, p->n);
	return 0;
}

int pointwise_ok(const struct device_pointwise *p, struct err *err)
{
	if (p->n < 1 || p->n_steps < 1 || p->n_steps > STEPS_MAX)
		return fail(err,
			"pointwise: wants 1 to %d steps and at least one element, not %d and "
			"%" PRId64,
			STEPS_MAX, p->n_steps, p->n);
	int inputs = 1;
	for (int i = 0; i < p->n_steps; i++)
		inputs += fusion_step_binary(p->step[i]);
	if (inputs != p->n_inputs || inputs > KERNEL_INPUTS)
		return fail(
			err, "pointwise: the steps take %d inputs, not %d", inputs, p->n_inputs);
	for (int i = 0; i < p->n_inputs; i++)
		if (memory_ok(p->in[i], p, "an input", err))
			return -1;
	return memory_ok(p->out, p, "the output", err);
}
