/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_checks.h - what every device asks before it does what it is asked for (device.h): do the
 * shapes fit together, is the memory large enough, may a graph be captured now?
 *
 * Each function returns 0, or fails with the operation and what is wrong. Memory is a device's own
 * affair, so its size comes as a number: `has_bytes` of the memory that is meant. Devices link
 * this file, and add what only their libraries want.
 */
#ifndef EXPERIMENTS_REQUEST_CHECKS_H
#define EXPERIMENTS_REQUEST_CHECKS_H

#include "experiments/device.h"

/* A matrix of a product: rows by cols are wanted, within its memory for the whole batch. `what` is
 * "a", "b", "the result", "the addend". */
int asked_matrix(const struct device_matrix *m, size_t has_bytes, int64_t rows, int64_t cols,
	const struct device_gemm *g, const char *what, struct err *err);

/* The addend of a product of so many rows and columns is a matrix of that, or one row for all
 * (*one_row), contiguous and the same for the batch. */
int asked_addend(const struct device_gemm *g, size_t has_bytes, int64_t rows, int64_t cols,
	bool *one_row, struct err *err);

/* Does the step take the running value and the next input, or the running value alone? */
bool pointwise_takes_two(enum pointwise step);

/* Steps and inputs of a chain; the memory is asked about with asked_elements(). */
int asked_pointwise(const struct device_pointwise *p, struct err *err);

/* An input or the output of a chain: all n elements. */
int asked_elements(
	const struct device_pointwise *p, size_t has_bytes, const char *what, struct err *err);

/* How many of in[] count. */
int rows_inputs(enum rows_kind what);
/* "softmax", "scale", "mask", "attention" */
const char *rows_name(enum rows_kind what);

/* Sizes, and the memory of all arrays by has_bytes(): a device's own. */
int asked_rows(const struct device_rows *r, size_t (*has_bytes)(const struct device_memory *m),
	struct err *err);

/* `what` is "upload", "download", "copy". */
int asked_transfer(size_t has_bytes, size_t bytes, const char *what, struct err *err);

/* While a graph is captured there is nothing to run or to wait for. `what` is what was asked. */
int asked_while_running(const struct device_graph *capture, const char *what, struct err *err);

/* A graph of `size` bytes, zeroed, becomes the one that is captured; it is freed with free(). */
int capture_begin(struct device_graph **capture, size_t size, struct err *err);
/* The graph, now the caller's; NULL when none was begun. */
struct device_graph *capture_end(struct device_graph **capture, struct err *err);
/* Room for one more of n items of `size` bytes in an owned list; `room` grows with it. */
void *capture_more(void *list, size_t n, size_t *room, size_t size);

#endif
