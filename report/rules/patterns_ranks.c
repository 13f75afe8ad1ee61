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

/* Of the host: ranges stand on the device's lanes, too. */
static size_t rows_named(const struct facts *s, const char *name)
{
	size_t n = 0;
	name_id id = names_find(&s->t->names, name);
	for (uint32_t i = s->work_from; id && i < s->work_to; i++)
		n += s->t->name[i] == id && event_on_host(s->t->kind[i]);
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

/* Forward passes for each step of the optimizer, of the whole file: what of the host begins in a
 * window is not what the device works at there. */
static double passes_per_step(const struct facts *s)
{
	const struct trace *t = s->t;
	name_id forward = names_find(&t->names, "DistributedDataParallel.forward");
	size_t passes = 0, steps = 0;
	for (size_t i = 0; forward && i < t->n; i++) {
		i = trace_next_of(t, EVENT_ANNOTATION, i);
		passes += i < t->n && t->name[i] == forward;
		steps += i < t->n && host_traits(s->a, (uint32_t)i) & TRAIT_OPTIMIZER;
	}
	return steps ? (double)passes / (double)steps : 0;
}

/* Is there a reduction behind nearly every pass, before the next? */
static bool is_reduced_early(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	const struct trace *t = s->t;
	name_id forward = names_find(&t->names, "DistributedDataParallel.forward"),
		reduce = names_find(&t->names, "c10d::allreduce_");
	size_t passes = 0, reduced = 0;
	bool open = false;
	(void)sum;
	(void)f;
	if (passes_per_step(s) < 2)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		bool begins = t->name[i] == forward && t->kind[i] == EVENT_ANNOTATION,
		     reduces = t->name[i] == reduce && t->kind[i] == EVENT_OP;
		passes += begins;
		reduced += open && reduces;
		open = (open || begins) && !reduces;
	}
	return 10 * reduced >= 9 * passes;
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
