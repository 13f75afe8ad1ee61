/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/fused_source.h"

#include "experiments/request_checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The text of arithmetic.cuh, which stands in front of every kernel; ends with a NUL. */
extern const char arithmetic_text[];
__asm__(".pushsection .rodata\n"
	".type arithmetic_text, @object\n"
	".globl arithmetic_text\n"
	".hidden arithmetic_text\n"
	"arithmetic_text:\n"
	".incbin \"experiments/cuda/arithmetic.cuh\"\n"
	".byte 0\n"
	".size arithmetic_text, . - arithmetic_text\n"
	".popsection\n");

static const char *const step_names[] = {
	[POINTWISE_ADD] = "add",
	[POINTWISE_MUL] = "mul",
	[POINTWISE_GELU_TANH] = "gelu_tanh",
	[POINTWISE_SQUARE] = "square",
};

/* One kernel while its text is printed. */
struct writing {
	FILE *f;
	const struct device_pointwise *p;
	int threads, per_thread;
	int64_t lanes, vectors, blocks;
	bool whole; /* every thread has all its vectors */
};

static const char *type_of(enum dtype dtype)
{
	return dtype == DTYPE_BF16 ? "tb_bf16" : "tb_f32";
}

static const char *name_of(struct arena *a, const struct device_pointwise *p)
{
	const char *name = "tracebook_fused";
	for (int i = 0; i < p->n_steps; i++)
		name = arena_printf(a, "%s_%s", name, step_names[p->step[i]]);
	return arena_printf(a, "%s_%" PRId64, name, p->n);
}

static void write_head(const struct writing *w, const char *name)
{
	fprintf(w->f,
		"// %" PRId64 " elements of %s, %" PRId64 " vectors of %" PRId64 ": %" PRId64
		" blocks of %d threads, %d vectors a thread\n",
		w->p->n, dtype_name(w->p->dtype), w->vectors, w->lanes, w->blocks, w->threads,
		w->per_thread);
	fprintf(w->f, "extern \"C\" __global__ void __launch_bounds__(%d)\n%s(void *out",
		w->threads, name);
	for (int i = 0; i < w->p->n_inputs; i++)
		fprintf(w->f, ", const void *in%d", i);
	fputs(")\n{\n", w->f);
}

static void write_loads(const struct writing *w)
{
	const char *index = w->vectors < INT32_MAX ? "int" : "long long";
	fprintf(w->f, "\tconst %s at = (%s)blockIdx.x * %d + threadIdx.x;\n", index, index,
		w->threads * w->per_thread);
	for (int i = 0; i < w->p->n_inputs; i++)
		fprintf(w->f, "\ttb_vector v%d[%d];\n", i, w->per_thread);
	fprintf(w->f, "#pragma unroll\n\tfor (int k = 0; k < %d; k++) {\n", w->per_thread);
	if (!w->whole)
		fprintf(w->f, "\t\tif (at + k * %d >= %" PRId64 ")\n\t\t\tbreak;\n", w->threads,
			w->vectors);
	for (int i = 0; i < w->p->n_inputs; i++)
		fprintf(w->f, "\t\tv%d[k] = tb_load(in%d, at + k * %d);\n", i, i, w->threads);
	fputs("\t}\n", w->f);
}

/* The steps on x[i], the running value, and in_<j>, the further inputs. */
static void write_steps(
	const struct writing *w, const char *indent, const char *x, const char *(*input)(int input))
{
	int next = 1;
	for (int s = 0; s < w->p->n_steps; s++) {
		const char *name = step_names[w->p->step[s]];
		if (next > KERNEL_INPUTS - 1 && pointwise_takes_two(w->p->step[s]))
			bug("a chain of %d inputs", next + 1);
		if (pointwise_takes_two(w->p->step[s]))
			fprintf(w->f, "%s%s = tb_%s(%s, %s);\n", indent, x, name, x, input(next++));
		else
			fprintf(w->f, "%s%s = tb_%s(%s);\n", indent, x, name, x);
	}
}

static const char *lane_of_input(int input)
{
	static const char *const text[] = {"x0[i]", "x1[i]", "x2[i]", "x3[i]"};
	return text[input];
}

static const char *element_of_input(int input)
{
	static const char *const text[] = {"e0", "e1", "e2", "e3"};
	return text[input];
}

static void write_work(const struct writing *w)
{
	const char *type = type_of(w->p->dtype);
	fprintf(w->f, "#pragma unroll\n\tfor (int k = 0; k < %d; k++) {\n", w->per_thread);
	if (!w->whole)
		fprintf(w->f, "\t\tif (at + k * %d >= %" PRId64 ")\n\t\t\tbreak;\n", w->threads,
			w->vectors);
	for (int i = 0; i < w->p->n_inputs; i++)
		fprintf(w->f, "\t\tfloat x%d[%" PRId64 "];\n\t\t%s::unpack(v%d[k], x%d);\n", i,
			w->lanes, type, i, i);
	fprintf(w->f, "#pragma unroll\n\t\tfor (int i = 0; i < %" PRId64 "; i++) {\n", w->lanes);
	write_steps(w, "\t\t\t", "x0[i]", lane_of_input);
	fprintf(w->f, "\t\t}\n\t\ttb_store(out, at + k * %d, %s::pack(x0));\n\t}\n", w->threads,
		type);
}

/* The elements that fill no vector, by one thread. */
static void write_rest(const struct writing *w)
{
	const char *type = type_of(w->p->dtype);
	if (w->p->n % w->lanes == 0)
		return;
	fprintf(w->f,
		"\tif (blockIdx.x == 0 && threadIdx.x == 0)\n"
		"\t\tfor (long long i = %" PRId64 "; i < %" PRId64 "; i++) {\n",
		w->vectors * w->lanes, w->p->n);
	for (int i = 0; i < w->p->n_inputs; i++)
		fprintf(w->f, "\t\t\tfloat e%d = %s::get(((const %s::element *)in%d)[i]);\n", i,
			type, type, i);
	write_steps(w, "\t\t\t", "e0", element_of_input);
	fprintf(w->f, "\t\t\t((%s::element *)out)[i] = %s::put(e0);\n\t\t}\n", type, type);
}

static const char *write_kernel(struct writing *w, struct arena *a, const char *name)
{
	char *text = NULL;
	size_t length = 0;
	w->f = open_memstream(&text, &length);
	if (!w->f)
		out_of_memory(0);
	fprintf(w->f, "%s\n", arithmetic_text);
	write_head(w, name);
	if (w->vectors) {
		write_loads(w);
		write_work(w);
	}
	write_rest(w);
	fputs("}\n", w->f);
	if (fclose(w->f))
		out_of_memory(length);
	const char *source = arena_strndup(a, text, length);
	free(text);
	return source;
}

void fusion_make(struct fusion *f, struct arena *a, const struct device_pointwise *p, int threads,
	int vectors)
{
	struct writing w = {.p = p,
		.threads = threads ? threads : KERNEL_VECTOR_BLOCK,
		.per_thread = vectors ? vectors : KERNEL_VECTORS};
	int64_t per_block = (int64_t)w.threads * w.per_thread;
	w.lanes = KERNEL_VECTOR_BYTES / (int64_t)dtype_bytes(p->dtype);
	w.vectors = p->n / w.lanes;
	w.blocks = w.vectors / per_block + (w.vectors % per_block != 0);
	w.blocks += !w.blocks;
	w.whole = w.vectors && w.vectors % per_block == 0;
	f->name = name_of(a, p);
	f->source = write_kernel(&w, a, f->name);
	f->launch = (struct launch){{(unsigned)w.blocks, 1, 1}, {(unsigned)w.threads, 1, 1}};
}
