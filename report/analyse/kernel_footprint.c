/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/kernel_footprint.h"

#include "report/analyse/kernel_fit.h"

const struct kernel *kernel_of(const struct trace *t, uint32_t row)
{
	if (t->kind[row] != EVENT_KERNEL || t->side[row] == NO_ROW)
		return NULL;
	return &t->kernels[t->side[row]];
}

const struct trace_device *device_of_kernel(const struct trace *t, const struct kernel *k)
{
	for (size_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].id == k->device)
			return &t->devices[i];
	return t->n_devices ? &t->devices[0] : NULL;
}

bool footprint_read(const struct trace *t, const struct kernel *k, struct footprint *p)
{
	struct fit fit = fit_of(k, k ? device_of_kernel(t, k) : NULL);
	if (!fit.registers)
		return false;
	*p = (struct footprint){.registers = fit.registers,
		.shared_bytes = fit.shared_bytes,
		.threads = fit.threads,
		.blocks = (float)fit.blocks,
		.waves = (float)fit.waves,
		.blocks_per_sm = fit.resident};
	return true;
}
