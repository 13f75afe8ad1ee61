/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/tensor_values.h"

#include <string.h>

uint16_t bf16_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	if ((bits & 0x7fffffffu) > 0x7f800000u)
		return (uint16_t)(bits >> 16 | 0x40u);
	return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float bf16_value(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;
	memcpy(&value, &wide, sizeof value);
	return value;
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void values_fill(void *to, enum dtype dtype, size_t n, double bound, uint64_t seed)
{
	uint16_t *bf16 = to;
	float *f32 = to;
	for (size_t i = 0; i < n; i++) {
		double unit = (double)(splitmix64(&seed) >> 11) * 0x1p-53;
		float value = (float)((2 * unit - 1) * bound);
		if (dtype == DTYPE_BF16)
			bf16[i] = bf16_of(value);
		else
			f32[i] = value;
	}
}

void values_read(double *to, const void *from, enum dtype dtype, size_t n)
{
	const uint16_t *bf16 = from;
	const float *f32 = from;
	for (size_t i = 0; i < n; i++)
		to[i] = (double)(dtype == DTYPE_BF16 ? bf16_value(bf16[i]) : f32[i]);
}
