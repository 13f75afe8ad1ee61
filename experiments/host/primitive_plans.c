/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/primitive_plans.h"
#include "experiments/host/attention.h"

#include <dnnl_debug.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Two threads begin to win at 4 MB moved; see primitive_plans.h. */
static const double POINTWISE_BYTES_PER_THREAD = 2 << 20;

int threads_for_bytes(double bytes, int max_threads)
{
	double wanted = bytes / POINTWISE_BYTES_PER_THREAD;
	return wanted < 2 ? 1 : wanted < max_threads ? (int)wanted : max_threads;
}

int onednn_fail(struct err *err, dnnl_status_t status, const char *doing)
{
	return fail(err, "oneDNN: %s failed: %s", doing, dnnl_status2str(status));
}

dnnl_data_type_t onednn_dtype(int64_t dtype)
{
	return dtype == DTYPE_BF16 ? dnnl_bf16 : dnnl_f32;
}

static dnnl_exec_arg_t *next_argument(struct plan *plan, int argument)
{
	if (plan->n_arguments == PLAN_MAX_ARGUMENTS)
		bug("a plan with more than %d arguments", PLAN_MAX_ARGUMENTS);
	dnnl_exec_arg_t *a = &plan->argument[plan->n_arguments];
	a->arg = argument;
	return a;
}

int plan_add_argument(struct plan *plan, dnnl_engine_t engine, int argument,
	const dnnl_memory_desc_t *desc, void *handle, struct err *err)
{
	dnnl_exec_arg_t *a = next_argument(plan, argument);
	dnnl_status_t status =
		onednn_memory(&a->memory, desc, engine, handle ? handle : DNNL_MEMORY_NONE);
	if (status)
		return onednn_fail(err, status, "describing an argument");
	plan->n_arguments++;
	if (!handle)
		plan->n_pointers = plan->n_arguments;
	return 0;
}

static int add_scratchpad(
	struct plan *plan, struct plans *plans, dnnl_primitive_desc_t chosen, struct err *err)
{
	size_t bytes = onednn_scratchpad_bytes(chosen);
	if (!bytes)
		return 0;
	plan->scratchpad = memory_new(bytes, plans->recorder, err);
	if (!plan->scratchpad)
		return err_note(err, "scratchpad of %s", plan->name);
	dnnl_exec_arg_t *a = next_argument(plan, DNNL_ARG_SCRATCHPAD);
	dnnl_status_t status =
		onednn_scratchpad(&a->memory, chosen, plans->engine, plan->scratchpad->base);
	if (status)
		return onednn_fail(err, status, "describing the scratchpad");
	plan->n_arguments++;
	return 0;
}

static const char *kernel_name(
	struct names *names, dnnl_primitive_desc_t chosen, const char *operation)
{
	const char *implementation = "oneDNN";
	dnnl_primitive_desc_query(chosen, dnnl_query_impl_info_str, 0, &implementation);
	struct arena a = {0};
	name_id id = names_add_text(names, arena_printf(&a, "%s %s", implementation, operation));
	arena_release(&a);
	return names_text(names, id);
}

/* The scratchpad is ours: the library's own belongs to the thread that makes the primitive, and
 * another one runs it. */
static dnnl_status_t choose(dnnl_primitive_desc_t *chosen, dnnl_engine_t engine,
	const struct onednn_operation *operation, const_dnnl_post_ops_t post_ops)
{
	dnnl_primitive_attr_t attributes;
	dnnl_status_t status = dnnl_primitive_attr_create(&attributes);
	if (status)
		return status;
	status = dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
	if (!status && post_ops)
		status = dnnl_primitive_attr_set_post_ops(attributes, post_ops);
	if (!status)
		status = onednn_choose(chosen, engine, operation, attributes);
	dnnl_primitive_attr_destroy(attributes);
	return status;
}

static int not_chosen(
	dnnl_status_t status, const struct plan *plan, const char *operation, struct err *err)
{
	if (status != dnnl_unimplemented)
		return onednn_fail(err, status, "choosing an implementation");
	int64_t dtype = plan->key.kind == PLAN_PRODUCT ? plan->key.of.product.dtype
		: plan->key.kind == PLAN_ROWS	       ? plan->key.of.rows.dtype
						       : plan->key.of.chain.dtype;
	return fail(err, "oneDNN has no %s in %s for this CPU%s", operation,
		dtype_name((enum dtype)dtype),
		dtype == DTYPE_BF16 ? " (bf16 wants AVX-512); choose fp32" : "");
}

int plan_make_primitive(struct plan *plan, struct plans *plans,
	const struct onednn_operation *operation, const_dnnl_post_ops_t post_ops, const char *name,
	struct err *err)
{
	dnnl_primitive_desc_t chosen;
	int threads_before = omp_get_max_threads();
	omp_set_num_threads(plan->threads);
	dnnl_status_t status = choose(&chosen, plans->engine, operation, post_ops);
	int result = status ? not_chosen(status, plan, name, err) : 0;
	if (!result) {
		plan->name = kernel_name(plans->names, chosen, name);
		status = dnnl_primitive_create(&plan->primitive, chosen);
		result = status ? onednn_fail(err, status, "generating code")
				: add_scratchpad(plan, plans, chosen, err);
		dnnl_primitive_desc_destroy(chosen);
	}
	omp_set_num_threads(threads_before);
	return result;
}

dnnl_status_t plan_bind(struct plan *plan, void *const *pointer)
{
	dnnl_status_t status = dnnl_success;
	for (int i = 0; i < plan->n_pointers && !status; i++)
		status = dnnl_memory_set_data_handle(plan->argument[i].memory, pointer[i]);
	return status;
}

void plan_release(struct plan *plan)
{
	attention_free(plan->attention);
	for (int i = 0; i < plan->n_arguments; i++)
		dnnl_memory_destroy(plan->argument[i].memory);
	if (plan->primitive)
		dnnl_primitive_destroy(plan->primitive);
	memory_free(plan->scratchpad);
	free(plan);
}

static int take_engine(struct plans *plans, struct err *err)
{
	if (plans->engine)
		return 0;
	struct span *setup = span_begin(plans->recorder, SPAN_SETUP, "oneDNN engine creation");
	dnnl_status_t status = dnnl_engine_create(&plans->engine, dnnl_cpu, 0);
	span_end(setup);
	return status ? onednn_fail(err, status, "making the CPU engine") : 0;
}

static int plan_make(struct plan *plan, struct plans *plans, struct err *err)
{
	if (plan->key.kind == PLAN_CHAIN && plan->key.of.chain.generic)
		return plan_make_generic(plan, plans);
	if (take_engine(plans, err))
		return -1;
	struct span *setup = span_begin(plans->recorder, SPAN_SETUP, "primitive creation (JIT)");
	int result = plan->key.kind == PLAN_PRODUCT ? plan_make_product(plan, plans, err)
		: plan->key.kind == PLAN_ROWS	    ? plan_make_rows(plan, plans, err)
						    : plan_make_chain(plan, plans, err);
	span_end(setup);
	return result;
}

static struct plan *plan_new(struct plans *plans, const struct plan_key *key, struct err *err)
{
	struct plan *plan = xcalloc(1, sizeof *plan);
	plan->key = *key;
	if (!plan_make(plan, plans, err))
		return plan;
	plan_release(plan);
	return NULL;
}

static uint64_t key_hash(const struct plan_key *key)
{
	int64_t word[sizeof *key / sizeof(int64_t)];
	memcpy(word, key, sizeof word);
	uint64_t h = 0;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
		h = (h ^ (uint64_t)word[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

struct plan *plans_take(struct plans *plans, const struct plan_key *key, struct err *err)
{
	struct plan **bucket = &plans->bucket[key_hash(key) % PLAN_BUCKETS];
	for (struct plan *p = *bucket; p; p = p->next) {
		if (!memcmp(&p->key, key, sizeof *key))
			return p;
	}
	struct plan *plan = plan_new(plans, key, err);
	if (plan) {
		plan->next = *bucket;
		*bucket = plan;
	}
	return plan;
}

void plans_release(struct plans *plans)
{
	for (int b = 0; b < PLAN_BUCKETS; b++) {
		for (struct plan *p = plans->bucket[b], *next; p; p = next) {
			next = p->next;
			plan_release(p);
		}
		plans->bucket[b] = NULL;
	}
	if (plans->engine)
		dnnl_engine_destroy(plans->engine);
	plans->engine = NULL;
}
