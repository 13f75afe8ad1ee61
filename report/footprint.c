#include "report/footprint.h"

/* Blocks that a multiprocessor holds at most, by generation (CUDA programming guide, table of
 * technical specifications). */
static int32_t block_limit(const struct trace_device *d)
{
	if (d->major == 7 && d->minor == 5)
		return 16;
	if (d->major == 8 && d->minor > 0)
		return d->minor == 9 ? 24 : 16;
	return 32;
}

static int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* Registers are given out by the warp in units of 256, shared memory by the block with 1 KiB more
 * from generation 8 on. */
static int32_t blocks_that_fit(const struct footprint *p, const struct trace_device *d)
{
	int32_t warps = (p->threads + 31) / 32;
	int32_t by_warps = d->threads_per_sm / 32 / warps;
	int32_t of_warp = (p->registers * 32 + 255) / 256 * 256;
	int32_t by_registers = d->registers_per_sm / of_warp / warps;
	int32_t shared = p->shared_bytes + (d->major >= 8 ? 1024 : 0);
	int32_t by_shared = shared ? d->shared_per_sm / shared : INT32_MAX;
	return least(least(by_warps, by_registers), least(by_shared, block_limit(d)));
}

bool is_known_device(const struct trace_device *d)
{
	return d && d->sms > 0 && d->threads_per_sm > 0 && d->registers_per_sm > 0 &&
		d->shared_per_sm > 0 && d->major > 0 && (d->warp == 32 || d->warp < 0);
}

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

/* AMD's recorder writes 0 registers for a kernel whose number it does not know. */
static bool read_footprint(const struct kernel *k, struct footprint *p)
{
	if (!k || k->registers <= 0 || k->registers > 1024 || k->shared_bytes < 0 ||
		k->shared_bytes > 1 << 24)
		return false;
	double threads = (double)k->block[0] * k->block[1] * k->block[2];
	double blocks = (double)k->grid[0] * k->grid[1] * k->grid[2];
	*p = (struct footprint){.registers = k->registers, .shared_bytes = k->shared_bytes};
	if (k->grid[0] > 0 && k->block[0] > 0 && threads >= 1 && threads <= 1024 && blocks >= 1) {
		p->threads = (int32_t)threads;
		p->blocks = (float)blocks;
	}
	return true;
}

bool footprint_read(const struct trace *t, uint32_t row, struct footprint *p)
{
	const struct kernel *k = kernel_of(t, row);
	if (!read_footprint(k, p))
		return false;
	const struct trace_device *d = device_of_kernel(t, k);
	if (!p->threads || !is_known_device(d))
		return true;
	p->blocks_per_sm = blocks_that_fit(p, d);
	if (p->blocks_per_sm > 0)
		p->waves = p->blocks / ((float)p->blocks_per_sm * (float)d->sms);
	return true;
}
