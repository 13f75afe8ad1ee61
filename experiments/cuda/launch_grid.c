/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/launch_grid.h"

#include "experiments/request_checks.h"

#include <inttypes.h>
#include <string.h>

static const int64_t GRID_X = INT32_MAX, GRID_YZ = 65535;

enum { WARP = 32, LONGEST_ROW = 65536, ROW_LOOP_THREADS = 128 };
enum { ROWS_OF_A_BLOCK = KERNEL_VECTOR_BLOCK / WARP };

static bool same_steps(const struct kernel *k, const struct device_pointwise *p)
{
	if (k->dtype != (int)p->dtype || k->n_steps != p->n_steps)
		return false;
	for (int i = 0; i < k->n_steps; i++)
		if (k->step[i] != (int)p->step[i])
			return false;
	return true;
}

static bool wished(const struct kernel *k, const struct device_pointwise *p)
{
	if (!p->generic)
		return !k->wish;
	return k->wish && (!p->name || !strcmp(k->wish, p->name));
}

const struct kernel *launch_kernel(const struct device_pointwise *p)
{
	for (const struct kernel *k = kernels; k->name; k++)
		if (same_steps(k, p) && wished(k, p))
			return k;
	return NULL;
}

static int64_t divided_up(int64_t n, int64_t by)
{
	return n / by + (n % by != 0);
}

static int64_t next_power(int64_t n)
{
	int64_t power = 1;
	while (power < n)
		power *= 2;
	return power;
}

int launch_row_threads(enum kernel_shape shape, int64_t row)
{
	int64_t lanes = next_power(row);
	if (shape == KERNEL_BY_ROW_LOOP)
		return ROW_LOOP_THREADS;
	if (shape == KERNEL_BY_ROW)
		return WARP * (lanes >= 4096 ? 16 : lanes >= 2048 ? 8 : 4);
	return WARP * (lanes >= 32768 ? 32 : lanes >= 8192 ? 16 : lanes >= 2048 ? 8 : 4);
}

static bool by_rows(enum kernel_shape shape)
{
	return shape != KERNEL_BY_VECTOR && shape != KERNEL_BY_ELEMENT;
}

static int rows_ok(const struct kernel *k, int64_t n, int64_t row, struct err *err)
{
	if (row < 1 || n % row)
		return fail(err,
			"%s goes by rows: %" PRId64 " elements are no whole rows of %" PRId64,
			k->name, n, row);
	if (k->shape != KERNEL_BY_ROW_LOOP && k->shape != KERNEL_BY_TILE && row > LONGEST_ROW)
		return fail(err, "%s takes rows of at most %d elements, not %" PRId64, k->name,
			(int)LONGEST_ROW, row);
	return 0;
}

static void set(struct launch *l, int64_t blocks_x, int64_t blocks_y, int threads_x, int threads_y)
{
	*l = (struct launch){{(unsigned)blocks_x, (unsigned)blocks_y, 1},
		{(unsigned)threads_x, (unsigned)threads_y, 1}};
}

int launch_shape(struct launch *l, const struct kernel *k, int64_t n, int64_t row, struct err *err)
{
	if (by_rows(k->shape) && rows_ok(k, n, row, err))
		return -1;
	int64_t lanes = KERNEL_VECTOR_BYTES / (int64_t)dtype_bytes((enum dtype)k->dtype);
	int64_t x = 0, y = 1;
	int threads_x = KERNEL_BLOCK, threads_y = 1;
	switch (k->shape) {
	case KERNEL_BY_VECTOR:
		x = divided_up(n / lanes, KERNEL_VECTOR_BLOCK * KERNEL_VECTORS);
		threads_x = KERNEL_VECTOR_BLOCK;
		x += !x; /* the elements that fill no vector */
		break;
	case KERNEL_BY_ELEMENT:
		x = divided_up(n, KERNEL_BLOCK);
		break;
	case KERNEL_BY_TILE:
		x = divided_up(row, KERNEL_TILE);
		y = divided_up(n / row, KERNEL_TILE);
		threads_x = threads_y = KERNEL_TILE;
		break;
	case KERNEL_BY_ROW:
	case KERNEL_BY_ROW_LOOP:
	case KERNEL_BY_ROW_GENERIC:
	case KERNEL_BY_WARP:
	case KERNEL_BY_QUERIES:
	case KERNEL_BY_GROUPS:
		x = n / row;
		threads_x = launch_row_threads(k->shape, row);
		break;
	}
	if (x > GRID_X || y > GRID_YZ)
		return fail(err, "%s: %" PRId64 " x %" PRId64 " blocks are more than a grid has",
			k->name, x, y);
	set(l, x, y, threads_x, threads_y);
	return 0;
}

/* The instructions of Hopper are in no other GPU, also not in a later one. */
static bool by_groups(const struct device_rows *r, int capability)
{
	return r->what == ROWS_ATTENTION && capability == 90 && r->cols == ATTENTION_DIM &&
		r->rows <= INT32_MAX / 2;
}

static const struct kernel *kernel_of(const struct device_rows *r, int capability)
{
	bool groups = by_groups(r, capability);
	for (const struct kernel *k = kernels; k->name; k++)
		if (k->wish && !strcmp(k->wish, rows_name(r->what)) && k->dtype == (int)r->dtype &&
			(k->shape == KERNEL_BY_GROUPS) == groups)
			return k;
	return NULL;
}

const struct kernel *launch_rows(
	struct launch *l, const struct device_rows *r, int capability, struct err *err)
{
	bool attention = r->what == ROWS_ATTENTION;
	const struct kernel *k = kernel_of(r, capability);
	if (k && k->shape == KERNEL_BY_VECTOR)
		return launch_shape(l, k, r->batch * r->rows * r->cols, r->cols, err) ? NULL : k;
	int64_t x = divided_up(r->batch * r->rows, ROWS_OF_A_BLOCK), y = 1;
	int threads = KERNEL_VECTOR_BLOCK;
	if (attention) {
		x = divided_up(r->rows, ATTENTION_QUERIES);
		y = r->batch;
		threads = k && k->shape == KERNEL_BY_GROUPS ? HOPPER_THREADS : ATTENTION_BLOCK;
	}
	if (!k || (attention && r->cols > ATTENTION_DIM)) {
		fail(err,
			"the one kernel for attention takes bf16 and rows of at most %d elements, "
			"not %s and %" PRId64,
			(int)ATTENTION_DIM, dtype_name(r->dtype), r->cols);
		return NULL;
	}
	if (x > GRID_X || y > GRID_YZ) {
		fail(err, "%s: %" PRId64 " x %" PRId64 " blocks are more than a grid has", k->name,
			x, y);
		return NULL;
	}
	set(l, x, y, threads, 1);
	return k;
}
