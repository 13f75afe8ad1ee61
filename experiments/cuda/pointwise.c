/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cuda.h"
#include "experiments/request_checks.h"

int pointwise_ok(const struct device_pointwise *p, struct err *err)
{
	if (asked_pointwise(p, err))
		return -1;
	for (int i = 0; i < p->n_inputs; i++)
		if (asked_elements(p, p->in[i]->bytes, "an input", err))
			return -1;
	return asked_elements(p, p->out->bytes, "the output", err);
}

static size_t memory_bytes(const struct device_memory *m)
{
	return m->bytes;
}

int whole_rows_ok(const struct device_rows *r, struct err *err)
{
	return asked_rows(r, memory_bytes, err);
}
