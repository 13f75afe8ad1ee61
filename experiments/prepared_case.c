/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/prepared_case.h"

#include "experiments/reference_results.h"
#include "experiments/tensor_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 20260311 };

struct prepared {
	const struct family *family;
	struct case_spec spec;
	struct ops ops;
	struct compiled compiled; /* modes compile and graph */
	/* (batch, then_batch): inputs that do not depend on the batch lie in both. */
	struct tensor in[2][FUNCTION_INPUTS];
};

/* ---- inputs ---- */

static struct tensor input_shape(const struct family *f, const struct case_spec *s, int input)
{
	int64_t dim[TENSOR_RANK];
	int rank = 0;
	for (; rank < TENSOR_RANK && f->function.input[input].dim[rank]; rank++)
		dim[rank] = spec_size(s, f->function.input[input].dim[rank]);
	return tensor_dense(s->dtype, rank, dim);
}

static double input_bound(const struct family *f, const struct case_spec *s, int input)
{
	const char *fan_in = f->fan_in[input];
	return fan_in ? 1 / sqrt((double)spec_size(s, fan_in)) : sqrt(3);
}

static bool input_varies(const struct family *f, int input)
{
	for (int d = 0; d < TENSOR_RANK && f->function.input[input].dim[d]; d++)
		if (!strcmp(f->function.input[input].dim[d], "batch"))
			return true;
	return false;
}

static int fill_input(
	struct prepared *p, struct tensor *t, double bound, uint64_t seed, struct err *err)
{
	const struct device_ops *call = p->ops.call;
	size_t bytes = tensor_bytes(t);
	void *values = malloc(bytes);
	if (!values)
		return fail(err, "no memory for %zu bytes of random input; choose smaller sizes",
			bytes);
	values_fill(values, t->dtype, (size_t)tensor_elements(t), bound, seed);
	int rc = -1;
	t->memory = call->alloc(p->ops.device, bytes, err);
	if (t->memory)
		rc = call->upload(p->ops.device, t->memory, values, bytes, err);
	free(values);
	return rc;
}

static int make_inputs(struct prepared *p, int variant, const struct case_spec *s, struct err *err)
{
	const struct family *f = p->family;
	for (int i = 0; i < f->function.n_inputs; i++) {
		struct tensor *t = &p->in[variant][i];
		if (variant > 0 && !input_varies(f, i)) {
			*t = p->in[0][i];
			continue;
		}
		*t = input_shape(f, s, i);
		uint64_t seed = (uint64_t)(SEED + variant * FUNCTION_INPUTS + i);
		if (fill_input(p, t, input_bound(f, s, i), seed, err))
			return -1;
	}
	return 0;
}

static void free_inputs(struct prepared *p)
{
	for (int i = 0; i < FUNCTION_INPUTS; i++) {
		struct device_memory *first = p->in[0][i].memory, *second = p->in[1][i].memory;
		if (second && second != first)
			p->ops.call->free(p->ops.device, second);
		if (first)
			p->ops.call->free(p->ops.device, first);
	}
}

/* ---- one case ---- */

static bool compiles(const struct prepared *p)
{
	enum mode mode = p->spec.mode;
	return mode == MODE_COMPILE || mode == MODE_GRAPH || mode == MODE_AUTOTUNE;
}

/* After a failure work may still be queued on what is freed here; its error is already told. */
static void wait_quietly(struct ops *o)
{
	struct err ignored = {0};
	bool on = o->recorder->on;
	o->recorder->on = false;
	o->call->synchronise(o->device, &ignored);
	o->recorder->on = on;
}

static void case_release(struct prepared *p)
{
	wait_quietly(&p->ops);
	compiled_release(&p->compiled);
	ops_release(&p->ops);
	free_inputs(p);
}

static int case_init(struct prepared *p, const struct bench *b, const struct case_spec *spec,
	struct arena *arena, struct names *names, struct err *err)
{
	*p = (struct prepared){
		.family = family_of(spec),
		.spec = *spec,
	};
	ops_init(&p->ops, b->ops, b->device, b->recorder, arena, names);
	compiled_init(&p->compiled, &p->ops, &p->family->function, spec->mode == MODE_GRAPH);
	p->compiled.tune = spec->mode == MODE_AUTOTUNE;
	struct case_spec then = *spec;
	then.batch = spec->then_batch;
	if (!make_inputs(p, 0, spec, err) && (!spec->then_batch || !make_inputs(p, 1, &then, err)))
		return 0;
	case_release(p);
	return -1;
}

/* One step on the inputs of a batch; `out` is given back with ops_free(). */
static int run(struct prepared *p, int variant, struct tensor *out, struct err *err)
{
	const struct family *f = p->family;
	const struct tensor *in = p->in[variant];
	if (compiles(p))
		return compiled_call(&p->compiled, in, out, err);
	if (p->spec.mode == MODE_FUSED)
		return f->fused(&p->ops, in, out, err);
	if (p->spec.mode == MODE_HANDWRITTEN)
		return f->handwritten(&p->ops, in, out, err);
	return f->function.call(&p->ops, in, out, err);
}

/* Does the step stand in the second half of its cycle's active steps? */
static bool after_change(const struct case_spec *s, long step)
{
	if (!s->then_batch || step < 0)
		return false;
	const struct schedule *plan = &s->schedule;
	long active = step % (plan->wait + plan->warmup + plan->active) - plan->wait - plan->warmup;
	return active >= (plan->active + 1) / 2;
}

static int device_ok(const struct bench *b, struct err *err)
{
	const char *device = family_of(b->spec)->device;
	if (!device || !strcmp(device, b->ops->name))
		return 0;
	return fail(err, "%s: its kernel is the %s device's, and this is %s", b->spec->workload,
		device, b->ops->name);
}

int prepared_prepare(struct bench *b, struct err *err)
{
	if (family_shape_ok(b->spec, err) || device_ok(b, err))
		return -1;
	struct prepared *p = xalloc(sizeof *p);
	if (case_init(p, b, b->spec, b->arena, b->names, err)) {
		free(p);
		return -1;
	}
	b->state = p;
	return 0;
}

int prepared_step(struct bench *b, long step, struct err *err)
{
	struct prepared *p = b->state;
	struct tensor out = {0};
	int rc = run(p, after_change(&p->spec, step), &out, err);
	ops_free(&out);
	return rc;
}

void prepared_release(struct bench *b)
{
	if (!b->state)
		return;
	case_release(b->state);
	free(b->state);
	b->state = NULL;
}

/* ---- check ---- */

/* Odd, all different, and never the size that is timed. */
static void small_sizes(struct case_spec *s)
{
	static const struct {
		const char *name;
		long size;
	} small[] = {{"size", 33}, {"batch", 5}, {"in_dim", 17}, {"out_dim", 29}, {"seq", 7},
		{"dim", 19}, {"hidden", 23}};
	for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
		long *size = spec_field(s, small[i].name);
		if (*size)
			*size = small[i].size + (*size == small[i].size ? 8 : 0);
	}
	if (s->then_batch)
		s->then_batch = s->then_batch == 3 ? 11 : 3;
}

/* A tensor's values as doubles, to be freed; NULL on failure. */
static double *download(const struct prepared *p, const struct tensor *t, struct err *err)
{
	size_t bytes = tensor_bytes(t), n = (size_t)tensor_elements(t);
	void *raw = xalloc(bytes);
	double *values = NULL;
	if (!p->ops.call->download(p->ops.device, t->memory, raw, bytes, err)) {
		values = xcalloc(n, sizeof *values);
		values_read(values, raw, t->dtype, n);
	}
	free(raw);
	return values;
}

static int compare(
	struct prepared *p, int variant, const struct tensor *out, double *error, struct err *err)
{
	struct case_spec spec = p->spec;
	if (variant)
		spec.batch = spec.then_batch;
	double *in[FUNCTION_INPUTS] = {0}, *got = NULL, *want = NULL;
	size_t n = (size_t)tensor_elements(out);
	int rc = -1;
	for (int i = 0; i < p->family->function.n_inputs; i++) {
		in[i] = download(p, &p->in[variant][i], err);
		if (!in[i])
			goto out;
	}
	got = download(p, out, err);
	if (!got)
		goto out;
	want = xcalloc(n, sizeof *want);
	p->family->reference(&spec, (const double *const *)in, want);
	*error = fmax(*error, check_error(got, want, n));
	rc = 0;
out:
	for (int i = 0; i < FUNCTION_INPUTS; i++)
		free(in[i]);
	free(got);
	free(want);
	return rc;
}

/* Twice, since what is compiled runs differently from the second call on. */
static int check_variant(struct prepared *p, int variant, double *error, struct err *err)
{
	int rc = 0;
	for (int call = 0; call < 2 && !rc; call++) {
		struct tensor out = {0};
		rc = run(p, variant, &out, err);
		if (!rc)
			rc = p->ops.call->synchronise(p->ops.device, err);
		if (!rc)
			rc = compare(p, variant, &out, error, err);
		ops_free(&out);
	}
	return rc;
}

static int check_small(
	struct bench *b, struct arena *arena, struct names *names, double *error, struct err *err)
{
	struct case_spec spec = *b->spec;
	struct prepared p;
	small_sizes(&spec);
	if (case_init(&p, b, &spec, arena, names, err))
		return -1;
	int rc = check_variant(&p, 0, error, err);
	if (!rc && spec.then_batch)
		rc = check_variant(&p, 1, error, err);
	case_release(&p);
	return rc;
}

int prepared_check(struct bench *b, double *error, struct err *err)
{
	struct arena arena = {0};
	struct names names;
	bool on = b->recorder->on;
	*error = 0;
	if (device_ok(b, err))
		return -1;
	names_init(&names);
	b->recorder->on = false;
	int rc = check_small(b, &arena, &names, error, err);
	b->recorder->on = on;
	names_release(&names);
	arena_release(&arena);
	return rc;
}
