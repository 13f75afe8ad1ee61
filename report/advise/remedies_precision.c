/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for numbers wider than what they are for: fp64, and fp32 beside tensor cores. */
#include "report/advise/advice_parts.h"
#include "report/advise/cost.h"

#include <string.h>

/* A product or a convolution in full precision by the plain cores, told by the kernel's name. */
static bool is_plain_fp32(const char *name)
{
	static const char *const words[] = {
		"sgemm", "simt", "scudnn", "ffma", "engine<float", "fft", "complex<float2"};
	static const char *const tensor[] = {
		"tf32", "tensorop", "s1688", "s16816", "xmma_gemm_f16", "h884", "s884", "bf16"};
	bool plain = false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		plain |= strstr(name, words[i]) != NULL;
	for (size_t i = 0; plain && i < sizeof tensor / sizeof *tensor; i++)
		plain = !strstr(name, tensor[i]);
	return plain;
}

/* cuDNN's convolution by Fourier transforms, which tensor cores do not need. */
static bool is_fourier(const char *name)
{
	return strstr(name, "fft") || strstr(name, "complex<float2");
}

static bool is_fp64(const char *name)
{
	return strstr(name, "f64f64") || strstr(name, "d884") || strstr(name, "dgemm") ||
		strstr(name, "<double");
}

enum { MOST_TIMES = 4 };

/* A product in fp32 that takes half of its time at least to read and write: weights by a vector. */
static bool reads_wide(const struct sight *s, const struct seen_event *e)
{
	struct matmul m;
	return e->part == SPENT_GEMM && matmul_near(s, e, &m) && m.bytes == 4 &&
		2 * matmul_memory_ns(s->chip, &m) > (double)s->t->dur_ns[e->row];
}

static bool is_tf32(const char *name)
{
	return strstr(name, "tf32") != NULL;
}

static bool attends_in_fp32(const char *name)
{
	return strstr(name, "_f32") || strstr(name, "<float");
}

static bool moves_fp32(const char *name)
{
	return strstr(name, "<float") && !strstr(name, "multi_tensor") && !strstr(name, "Half") &&
		!strstr(name, "BFloat16");
}

struct widths {
	struct name_question tf32, attends, moves;
};

/* How much faster half precision makes a kernel that works in fp32 or TF32; 1: not, or nobody
 * knows. What moves data moves half of it; attention in fp32 has no flash kernel; weights stay
 * fp32. */
static double times_in_half(
	const struct sight *s, const struct widths *w, const struct seen_event *e)
{
	const struct names *names = &s->t->names;
	switch (e->part) {
	case SPENT_GEMM:
	case SPENT_CONVOLUTION:
		if (reads_wide(s, e))
			return 2;
		return s->chip->tf32 > 0 && name_answers(&w->tf32, names, e->name)
			? s->chip->half / s->chip->tf32
			: 1;
	case SPENT_ATTENTION:
		return name_answers(&w->attends, names, e->name) ? MOST_TIMES : 1;
	case SPENT_POINTWISE:
	case SPENT_REDUCTION:
		return name_answers(&w->moves, names, e->name) ? 2 : 1;
	default:
		return 1;
	}
}

static bool multiplies(const struct seen_event *e)
{
	return e->part == SPENT_GEMM || e->part == SPENT_CONVOLUTION;
}

/* What a good kernel of the plain cores takes for the convolution that a kernel is the first of. */
static double direct_ns(const struct sight *s, size_t i)
{
	const struct seen_event *e = &s->event[i];
	if (i && s->event[i - 1].op == e->op && is_fourier(sight_name(s, s->event[i - 1].row)))
		return 0;
	struct cost c = cost_of(s->t, e->op);
	return s->chip && c.flop > 0 ? c.flop / (CHIP_REACHED * s->chip->fp32) * 1e9
				     : (double)e->exposed_ns;
}

/* Products on the plain cores that matter: a twentieth of the window. floor_ns: what good kernels
 * of these cores would take. x: to prove them to, or NULL. */
static struct weighed plain_products(const struct sight *s, struct action *x)
{
	static const struct weighed none;
	struct weighed k = {0};
	if (s->w->ns[SPENT_GEMM] + s->w->ns[SPENT_CONVOLUTION] < sight_ns(s) / 20)
		return none;
	struct name_question plain = name_question(&s->t->names, is_plain_fp32);
	struct name_question fourier = name_question(&s->t->names, is_fourier);
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!multiplies(e) || !name_answers(&plain, &s->t->names, e->name))
			continue;
		count(&k, e);
		k.floor_ns += name_answers(&fourier, &s->t->names, e->name) ? direct_ns(s, i)
									    : (double)e->exposed_ns;
		if (x)
			prove(x, e->row);
	}
	name_question_end(&plain);
	name_question_end(&fourier);
	k.floor_ns = k.floor_ns < (double)k.ns ? k.floor_ns : (double)k.ns;
	return k.ns < sight_ns(s) / 20 ? none : k;
}

/* A step whose products run in TF32, so everything around them in fp32: half precision is next. */
bool remedy_half(const struct sight *s, struct action *x)
{
	struct weighed k = {0}, multiplied = {0}, wide = {0};
	double stays = 0;
	const int64_t *ns = s->w->ns;
	int64_t most = ns[SPENT_GEMM] + ns[SPENT_CONVOLUTION] + ns[SPENT_ATTENTION];
	if (!s->chip || 5 * most < sight_ns(s) || plain_products(s, NULL).n) /* TF32 comes first */
		return false;
	const struct names *names = &s->t->names;
	struct widths widths = {name_question(names, is_tf32),
		name_question(names, attends_in_fp32), name_question(names, moves_fp32)};
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		double times = times_in_half(s, &widths, e);
		if (times <= 1)
			continue;
		count(&k, e);
		stays += (double)e->exposed_ns / times;
		if (e->part == SPENT_POINTWISE || e->part == SPENT_REDUCTION)
			continue;
		count(&multiplied, e);
		if (reads_wide(s, e))
			count(&wide, e);
		prove(x, e->row);
	}
	name_question_end(&widths.tf32);
	name_question_end(&widths.attends);
	name_question_end(&widths.moves);
	if (!multiplied.n || 5 * multiplied.ns < sight_ns(s))
		return false;
	x->gain_ns = k.ns - (int64_t)stays;
	x->variant = 2 * wide.ns > multiplied.ns ? "bytes" : "";
	put_value(x, "n", UNIT_COUNT, (double)k.n);
	put_value(x, "time", UNIT_NS, (double)k.ns);
	put_value(x, "share", UNIT_SHARE, (double)k.ns / (double)sight_ns(s));
	put_name(x, "kernel", sight_name(s, multiplied.longest->row));
	put_name(x, "chip", s->chip->name);
	return true;
}

static void put_products(const struct sight *s, struct action *x, const struct weighed *k)
{
	put_value(x, "n", UNIT_COUNT, (double)k->n);
	put_value(x, "time", UNIT_NS, (double)k->ns);
	put_value(x, "share", UNIT_SHARE, (double)k->ns / (double)sight_ns(s));
	put_name(x, "kernel", sight_name(s, k->longest->row));
	put_name(x, "chip", s->chip->name);
}

/* In fp32, the tensor cores' TF32 where there is one: a kernel in fp64. */
static double single_ns(const struct sight *s, const struct seen_event *e)
{
	double to = s->chip->tf32 > 0 ? s->chip->tf32 : s->chip->fp32, ns = (double)e->exposed_ns;
	struct matmul m;
	if (!multiplies(e))
		return ns / 2;
	double floor = matmul_near(s, e, &m) ? matmul_flop(&m) / (CHIP_REACHED * to) * 1e9
					     : ns / MOST_TIMES;
	return floor < ns ? floor : ns;
}

bool remedy_double(const struct sight *s, struct action *x)
{
	struct weighed k = {0}, all = {0};
	if (!s->chip || s->w->ns[SPENT_GEMM] + s->w->ns[SPENT_CONVOLUTION] < sight_ns(s) / 20)
		return false;
	struct name_question wide = name_question(&s->t->names, is_fp64);
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->part > SPENT_OTHER || !name_answers(&wide, &s->t->names, e->name))
			continue;
		count(&all, e);
		all.floor_ns += single_ns(s, e);
		if (!multiplies(e))
			continue;
		count(&k, e);
		prove(x, e->row);
	}
	name_question_end(&wide);
	if (k.ns < sight_ns(s) / 20 || !k.n)
		return false;
	x->gain_ns = all.ns - (int64_t)all.floor_ns;
	x->variant = s->chip->tf32 > 0 ? "" : "plain";
	put_products(s, x, &k);
	return true;
}

/* What tensor cores make of it: by the data sheets, at the share that the plain kernels' data sheet
 * leaves them, and never more than four times as fast as a good plain kernel. */
bool remedy_precision(const struct sight *s, struct action *x)
{
	struct weighed k = plain_products(s, x);
	int architecture = chip_architecture(s->t);
	if (!k.n || !s->chip || architecture < 70 || s->chip->half <= s->chip->fp32)
		return false;
	double to = s->chip->tf32 > 0 ? s->chip->tf32 : s->chip->half;
	double times = to / s->chip->fp32 < MOST_TIMES ? to / s->chip->fp32 : MOST_TIMES;
	x->gain_ns = k.ns - (int64_t)(k.floor_ns / times);
	x->variant = k.floor_ns < (double)k.ns / 2 ? "fourier" : s->chip->tf32 > 0 ? "" : "half";
	put_products(s, x, &k);
	put_value(x, "times", UNIT_RATIO, times);
	put_value(x, "good", UNIT_NS, k.floor_ns);
	return true;
}
