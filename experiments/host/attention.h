/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention.h - softmax(q k') v as one kernel that keeps the scores in a core's cache.
 *
 * Each worker takes some rows of queries at a time: their scores with every key, the softmax of
 * those, and their sums over the values, by three primitives of oneDNN's one after the other on a
 * tile that is small enough for the level-2 cache. The scores never go to memory, which is what
 * attention without this spends most of its time on. Unlike on a GPU whole rows of scores fit, so
 * nothing needs to be scaled down afterwards.
 */
#ifndef EXPERIMENTS_HOST_ATTENTION_H
#define EXPERIMENTS_HOST_ATTENTION_H

#include "experiments/host/primitive_plans.h"

/* Everything that it needs to run with plan->threads workers, of plan->key.of.rows; NULL on
 * failure. */
struct attention *attention_new(struct plan *plan, struct plans *plans, struct err *err);
void attention_free(struct attention *a);

/* in[] are queries, keys and values. */
dnnl_status_t attention_run(struct attention *a, void *out, void *const in[]);

#endif
