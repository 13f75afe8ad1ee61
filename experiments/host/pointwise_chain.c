/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/primitive_plans.h"
#include "experiments/request_checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	dnnl_alg_kind_t algorithm;
} steps[] = {
	[POINTWISE_ADD] = {"add", dnnl_binary_add},
	[POINTWISE_MUL] = {"mul", dnnl_binary_mul},
	[POINTWISE_GELU_TANH] = {"gelu_tanh", dnnl_eltwise_gelu_tanh},
	[POINTWISE_SQUARE] = {"square", dnnl_eltwise_square},
};

int chain_of(struct chain *c, const struct device_pointwise *p, struct err *err)
{
	*c = (struct chain){.dtype = p->dtype, .generic = p->generic, .n_inputs = p->n_inputs};
	if (asked_pointwise(p, err))
		return -1;
	c->n = p->generic ? 0 : p->n;
	c->n_steps = p->n_steps;
	for (int i = 0; i < p->n_steps; i++)
		c->step[i] = p->step[i];
	for (int i = 0; i < p->n_inputs; i++)
		if (asked_elements(p, p->in[i]->bytes, "an input", err))
			return -1;
	return asked_elements(p, p->out->bytes, "the output", err);
}

static void operation_name(const struct chain *c, const char *joint, char *to, size_t room)
{
	size_t used = 0;
	for (int64_t i = 0; i < c->n_steps && used < room; i++)
		used += (size_t)snprintf(
			to + used, room - used, "%s%s", i ? joint : "", steps[c->step[i]].name);
}

int plan_make_generic(struct plan *plan, struct plans *plans)
{
	const struct chain *c = &plan->key.of.chain;
	static const struct chain geglu = {
		.n_steps = 2, .step = {POINTWISE_GELU_TANH, POINTWISE_MUL}};
	char steps_text[64], name[128];
	operation_name(c, "_", steps_text, sizeof steps_text);
	if (c->n_steps == 2 && !memcmp(c->step, geglu.step, sizeof c->step))
		snprintf(steps_text, sizeof steps_text, "geglu_tanh");
	snprintf(name, sizeof name, "tracebook_%s_generic", steps_text);
	plan->name = names_text(plans->names, names_add_text(plans->names, name));
	plan->n_pointers = (int)c->n_inputs + 1;
	return 0;
}

struct chain_form {
	dnnl_memory_desc_t whole, one; /* n elements; the constant 1 */
	bool times_one; /* starts with a multiplication by 1, to have post-operations at all */
};

/* oneDNN's element-wise primitives take no post-operations in generated code, its binary ones do.
 * So a chain that starts with a function of one operand starts as `in[0] * 1`, which is exact. */
static int describe(struct chain_form *f, const struct chain *c, struct err *err)
{
	dnnl_data_type_t dtype = onednn_dtype(c->dtype);
	f->times_one = c->n_steps > 1 && !pointwise_takes_two((enum pointwise)c->step[0]);
	static const dnnl_dims_t one = {1};
	dnnl_status_t status = onednn_describe(&f->whole, 1, (dnnl_dims_t){c->n}, dtype, one);
	if (!status)
		status = onednn_describe(&f->one, 1, one, dtype, one);
	return status ? onednn_fail(err, status, "describing a vector") : 0;
}

static int post_operations(struct plan *plan, dnnl_engine_t engine, const struct chain *c,
	const struct chain_form *f, dnnl_post_ops_t post_ops, struct err *err)
{
	dnnl_status_t status = dnnl_success;
	for (int64_t s = f->times_one ? 0 : 1; s < c->n_steps && !status; s++) {
		int at = dnnl_post_ops_len(post_ops);
		int argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(at) | DNNL_ARG_SRC_1;
		dnnl_alg_kind_t algorithm = steps[c->step[s]].algorithm;
		if (!pointwise_takes_two((enum pointwise)c->step[s])) {
			status = onednn_then_eltwise(post_ops, algorithm);
			continue;
		}
		status = onednn_then_binary(post_ops, algorithm, &f->whole);
		if (!status && plan_add_argument(plan, engine, argument, &f->whole, NULL, err))
			return -1;
	}
	return status ? onednn_fail(err, status, "adding post-operations") : 0;
}

static int make_binary(struct plan *plan, struct plans *plans, const struct chain *c,
	const struct chain_form *f, dnnl_post_ops_t post_ops, struct err *err)
{
	struct onednn_operation op = {.kind = ONEDNN_BINARY,
		.algorithm = f->times_one ? dnnl_binary_mul : steps[c->step[0]].algorithm,
		.a = &f->whole,
		.b = f->times_one ? &f->one : &f->whole,
		.d = &f->whole};
	if (plan_add_argument(plan, plans->engine, DNNL_ARG_DST, &f->whole, NULL, err) ||
		plan_add_argument(plan, plans->engine, DNNL_ARG_SRC_0, &f->whole, NULL, err))
		return -1;
	if (!f->times_one &&
		plan_add_argument(plan, plans->engine, DNNL_ARG_SRC_1, &f->whole, NULL, err))
		return -1;
	if (post_operations(plan, plans->engine, c, f, post_ops, err))
		return -1;
	/* the upper half of 1.0f is 1.0 in bf16, and lies second on x86 */
	unsigned char *one = (unsigned char *)&plan->one;
	plan->one = 1;
	if (f->times_one &&
		plan_add_argument(plan, plans->engine, DNNL_ARG_SRC_1, &f->one,
			one + (c->dtype == DTYPE_BF16 ? 2 : 0), err))
		return -1;
	char name[64];
	operation_name(c, "*", name, sizeof name);
	return plan_make_primitive(plan, plans, &op, post_ops, name, err);
}

static int make_eltwise(struct plan *plan, struct plans *plans, const struct chain *c,
	const struct chain_form *f, struct err *err)
{
	struct onednn_operation op = {.kind = ONEDNN_ELTWISE,
		.algorithm = steps[c->step[0]].algorithm,
		.a = &f->whole,
		.d = &f->whole};
	if (plan_add_argument(plan, plans->engine, DNNL_ARG_DST, &f->whole, NULL, err) ||
		plan_add_argument(plan, plans->engine, DNNL_ARG_SRC, &f->whole, NULL, err))
		return -1;
	return plan_make_primitive(plan, plans, &op, NULL, steps[c->step[0]].name, err);
}

static int make_described(struct plan *plan, struct plans *plans, const struct chain *c,
	const struct chain_form *f, struct err *err)
{
	if (c->n_steps == 1 && !pointwise_takes_two((enum pointwise)c->step[0]))
		return make_eltwise(plan, plans, c, f, err);
	dnnl_post_ops_t post_ops;
	dnnl_status_t status = dnnl_post_ops_create(&post_ops);
	if (status)
		return onednn_fail(err, status, "making post-operations");
	int result = make_binary(plan, plans, c, f, post_ops, err);
	dnnl_post_ops_destroy(post_ops);
	return result;
}

int plan_make_chain(struct plan *plan, struct plans *plans, struct err *err)
{
	const struct chain *c = &plan->key.of.chain;
	double bytes = (double)(c->n_inputs + 1) * (double)c->n *
		(double)dtype_bytes((enum dtype)c->dtype);
	plan->threads = threads_for_bytes(bytes, plans->max_threads);
	struct chain_form form = {0};
	int result = describe(&form, c, err);
	if (!result)
		result = make_described(plan, plans, c, &form, err);
	onednn_release(&form.whole);
	onednn_release(&form.one);
	return result;
}
