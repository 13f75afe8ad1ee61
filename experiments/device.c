/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/device.h"

static const struct {
	size_t bytes;
	const char *name, *torch_name;
} dtypes[DTYPES] = {
	[DTYPE_BF16] = {2, "bf16", "c10::BFloat16"},
	[DTYPE_F32] = {4, "fp32", "float"},
};

size_t dtype_bytes(enum dtype dtype)
{
	return dtypes[dtype].bytes;
}

const char *dtype_name(enum dtype dtype)
{
	return dtypes[dtype].name;
}

const char *dtype_torch_name(enum dtype dtype)
{
	return dtypes[dtype].torch_name;
}
