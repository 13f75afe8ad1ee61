/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/kernel_fit.h"

#include "base/enum_names.h"

#include <math.h>

enum {
	WARP = 32,
	SUB_PARTITIONS = 4, /* of a multiprocessor; a warp has its registers in one */
	REGISTER_UNIT = 256,
	SHARED_UNIT = 128,
	SHARED_RESERVED = 1024 /* a block, from generation 8 on */
};

bool fit_known(const struct trace_device *d)
{
	return d && d->sms > 0 && d->threads_per_sm > 0 && d->registers_per_sm > 0 &&
		d->shared_per_sm > 0 && d->major > 0 && (d->warp == 32 || d->warp < 0);
}

/* CUDA programming guide, table of technical specifications. */
static int32_t block_limit(const struct trace_device *d)
{
	if (d->major == 7 && d->minor == 5)
		return 16;
	if (d->major == 8 && d->minor > 0)
		return d->minor == 9 ? 24 : 16;
	return 32;
}

static int32_t up_to_unit(int32_t n, int32_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static void blocks_by_limit(
	const struct fit *f, const struct trace_device *d, int32_t by[FIT_LIMITS])
{
	int32_t warps = (f->threads + WARP - 1) / WARP;
	int32_t of_warp = up_to_unit(f->registers * WARP, REGISTER_UNIT);
	int32_t shared =
		up_to_unit(f->shared_bytes + (d->major >= 8 ? SHARED_RESERVED : 0), SHARED_UNIT);
	by[FIT_WARPS] = d->threads_per_sm / WARP / warps;
	by[FIT_REGISTERS] = d->registers_per_sm / SUB_PARTITIONS / of_warp * SUB_PARTITIONS / warps;
	by[FIT_SHARED] = shared ? d->shared_per_sm / shared : INT32_MAX;
	by[FIT_BLOCKS] = block_limit(d);
}

/* The first of the smallest: with the warps used up nothing else matters. */
static void find_limit(struct fit *f, const struct trace_device *d)
{
	int32_t by[FIT_LIMITS];
	blocks_by_limit(f, d, by);
	for (int i = 1; i < FIT_LIMITS; i++)
		if (by[i] < by[f->limit])
			f->limit = (enum fit_limit)i;
	f->resident = by[f->limit];
}

/* AMD's recorder writes 0 registers for a kernel whose number it does not know. */
static bool read_record(struct fit *f, const struct kernel *k)
{
	if (!k || k->registers <= 0 || k->registers > 1024 || k->shared_bytes < 0 ||
		k->shared_bytes > 1 << 24)
		return false;
	double threads = (double)k->block[0] * k->block[1] * k->block[2];
	double blocks = (double)k->grid[0] * k->grid[1] * k->grid[2];
	f->registers = k->registers;
	f->shared_bytes = k->shared_bytes;
	if (k->grid[0] > 0 && k->block[0] > 0 && threads >= 1 && threads <= 1024 && blocks >= 1) {
		f->threads = (int32_t)threads;
		f->blocks = blocks;
	}
	return f->threads > 0;
}

struct fit fit_of(const struct kernel *k, const struct trace_device *d)
{
	struct fit f = {0};
	if (!read_record(&f, k) || !fit_known(d))
		return f;
	find_limit(&f, d);
	if (f.resident < 1)
		return f;
	double on_each = fmin(f.resident, f.blocks / d->sms);
	f.theoretical = (double)f.resident * ((f.threads + WARP - 1) / WARP) * WARP /
		(double)d->threads_per_sm;
	f.estimate = on_each * f.threads / d->threads_per_sm;
	f.waves = f.blocks / ((double)f.resident * d->sms);
	if (f.waves > 1)
		f.empty = ceil(f.waves) - f.waves;
	return f;
}

NAMES(fit_limit_key, enum fit_limit, "warps", "registers", "shared", "blocks");
