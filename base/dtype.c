/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dtype.h"

#include <string.h>

static const struct {
	size_t bytes;
	const char *name, *torch_name;
} dtypes[DTYPES + 1] = {
	[DTYPE_BF16] = {2, "bf16", "c10::BFloat16"},
	[DTYPE_F32] = {4, "fp32", "float"},
	[DTYPES] = {0, "", ""},
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

enum dtype dtype_named(const char *name)
{
	int i = 0;
	while (i < DTYPES && (!name || strcmp(dtypes[i].name, name) != 0))
		i++;
	return (enum dtype)i;
}
