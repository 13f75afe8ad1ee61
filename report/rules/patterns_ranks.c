/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of a program that runs on several devices. */
#include "base/min_max.h"
#include "report/rules/pattern.h"

#include <string.h>

/* With views the gradient lies in the bucket: it is divided there, and never copied. */
static double bucket_goes(const struct facts *s, const struct match *m)
{
	return strstr(row_name(s, m->row), "copy_bucket") ? 1 : 0.5;
}

static size_t rows_named(const struct facts *s, const char *name)
{
	size_t n = 0;
	name_id id = names_find(&s->t->names, name);
	for (uint32_t i = s->from; id && i < s->to; i++)
		n += s->t->name[i] == id;
	return n;
}

static bool is_data_parallel(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	(void)sum;
	(void)f;
	return rows_named(s, "DataParallel.forward") > 0;
}

static bool without_device(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	(void)sum;
	(void)f;
	return s->cpu;
}

/* What of the window lies in a collective, as far as no operator is open meanwhile, on average. */
static struct gain cpu_collectives_save(const struct facts *s, const struct finding *f)
{
	int64_t sum = 0, done = s->w->start_ns;
	(void)f;
	for (uint32_t i = 0; i < s->to; i++) {
		if (!event_on_host(s->t->kind[i]) || !is_cpu_collective(row_name(s, i)))
			continue;
		int64_t end = row_end(s->t, i), from = s->t->start_ns[i];
		sum += end > done ? clip_to_window(s, max64(from, done), end) : 0;
		done = max64(end, done);
	}
	double alone = 1 - (double)s->within_ns / (double)advised_ns(s);
	return (struct gain){.ns = alone * (double)sum};
}

static bool on_a_device(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	(void)sum;
	(void)f;
	return s->n > 0;
}

/* Forward passes for each step of the optimizer. */
static double passes_per_step(const struct facts *s)
{
	size_t passes = rows_named(s, "DistributedDataParallel.forward");
	return s->optimizers.n ? (double)passes / (double)s->optimizers.n : 0;
}

static bool is_reduced_early(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	(void)f;
	return passes_per_step(s) >= 2 && (double)sum->n >= passes_per_step(s);
}

static double reduced_early_goes(const struct facts *s, const struct match *m)
{
	(void)m;
	double passes = passes_per_step(s);
	return passes > 1 ? 1 - 1 / passes : 0;
}

static const struct rule rows[] = {
	{.id = "cpu-collectives",
		.kind = RULE_ACTION,
		.on_cpu = true,
		.threshold = {{"calls", 1, UNIT_COUNT}, LEAST(0.02)},
		.value = {PATTERN_VALUES},
		.one = pattern_seen,
		.saves = cpu_collectives_save,
		.pattern = &(const struct pattern){.op = {"gloo:*", "mpi:*", "ucc:*"},
			.holds = without_device}},
	{PATTERN("no-sync", 2,
		 {.op = {"c10d::allreduce_"},
			 .goes = reduced_early_goes,
			 .holds = is_reduced_early}),
		.covers = {"overlap-communication", "buckets"}},
	{PATTERN("bucket-views", 8,
		{.op = {"torch::distributed::reducer::mul_out",
			 "torch.distributed.ddp.reducer::copy_bucket_to_grad"},
			.goes = bucket_goes})},
	{PATTERN("ddp-buffers", 1,
		{.op = {"c10d::broadcast_", "aten::flatten_dense_tensors",
			 "aten::_flatten_dense_tensors", "aten::unflatten_dense_tensors",
			 "aten::_unflatten_dense_tensors"},
			.under = {"DistributedDataParallel.forward"}})},
	{PATTERN("data-parallel", 1,
		{.op = {"Broadcast", "Scatter", "Gather", "BroadcastBackward", "GatherBackward",
			 "ScatterBackward"},
			.under = {"DataParallel.forward", "autograd::engine::evaluate_function*"},
			.holds = is_data_parallel})},
	{PATTERN("gloo", 1, {.op = {"gloo:*"}, .holds = on_a_device}),
		.covers = {"overlap-communication", "pinned", "graphs"}},
};

const struct rule_list pattern_rank_rows = RULE_LIST(rows);
