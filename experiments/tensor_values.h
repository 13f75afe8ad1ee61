/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor_values.h - numbers in the formats of tensors, on the host's side.
 */
#ifndef EXPERIMENTS_TENSOR_VALUES_H
#define EXPERIMENTS_TENSOR_VALUES_H

#include "experiments/device.h"

#include <stddef.h>
#include <stdint.h>

/* The nearest bf16, ties to even; NaN stays NaN. */
uint16_t bf16_of(float value);
float bf16_value(uint16_t bits);

/* n values, uniform in [-bound, bound), the same for the same seed on every machine (splitmix64,
 * Steele, Lea and Flood, OOPSLA 2014). */
void values_fill(void *to, enum dtype dtype, size_t n, double bound, uint64_t seed);

void values_read(double *to, const void *from, enum dtype dtype, size_t n);

#endif
