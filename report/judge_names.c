#include "report/judge_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernel names ---- */

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct name_set {
	const char **name; /* (n) sorted, distinct, lent */
	uint32_t n;
};

static struct name_set gemm_names(struct court *c, const struct analysis *a)
{
	struct name_set set = {arena_array(c->arena, a->n_activities, sizeof *set.name), 0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < a->n_activities; i++)
		if (a->activities[i].class == CLASS_GEMM)
			set.name[n++] = names_text(&a->trace->names, a->activities[i].name);
	qsort(set.name, n, sizeof *set.name, by_text);
	for (uint32_t i = 0; i < n; i++)
		if (!set.n || strcmp(set.name[set.n - 1], set.name[i]) != 0)
			set.name[set.n++] = set.name[i];
	return set;
}

static const char *set_text(struct court *c, const struct name_set *set)
{
	struct list l = {"", 0};
	for (uint32_t i = 0; i < set->n; i++)
		list_add(&l, set->name[i]);
	return list_text(c, &l);
}

static void show_gemms(struct court *c, struct verdict *v)
{
	uint32_t row[MOST_EVIDENCE], n = 0;
	const struct analysis *a = c->a;
	for (uint32_t i = 0; i < a->n_activities && n < MOST_EVIDENCE; i++)
		if (a->activities[i].class == CLASS_GEMM)
			row[n++] = a->activities[i].row[0];
	set_evidence(c, v, row, n);
}

void judge_same_gemm(struct court *c, struct verdict *v, const cJSON *wanted)
{
	const struct analysis *other = other_case(c, v, wanted);
	if (!other)
		return;
	struct name_set mine = gemm_names(c, c->a), theirs = gemm_names(c, other);
	v->expected = set_text(c, &theirs);
	v->observed = set_text(c, &mine);
	if (!mine.n && !theirs.n)
		return leave_open(v, OPEN_NO_GEMM);
	uint32_t same = 0;
	while (same < mine.n && same < theirs.n && !strcmp(mine.name[same], theirs.name[same]))
		same++;
	bool kept = same == mine.n && same == theirs.n;
	v->element = kept ? NO_ROW : same;
	show_gemms(c, v);
	decide(v, kept);
}

static const char *kernel_names(struct court *c, const struct step *s)
{
	const struct trace *t = c->a->trace;
	struct list l = {"", 0};
	for (uint32_t i = 0; i < s->n_device; i++)
		if (t->kind[s->device[i]] == EVENT_KERNEL)
			list_add(&l, names_text(&t->names, t->name[s->device[i]]));
	return list_text(c, &l);
}

/* The next kernel of a step at or after *at, NO_ROW at the end. */
static uint32_t next_kernel(const struct trace *t, const struct step *s, uint32_t *at)
{
	while (*at < s->n_device && t->kind[s->device[*at]] != EVENT_KERNEL)
		++*at;
	return *at < s->n_device ? s->device[(*at)++] : NO_ROW;
}

static uint32_t first_other_kernel(
	const struct trace *t, const struct step *left, const struct step *right)
{
	for (uint32_t l = 0, r = 0, place = 0;; place++) {
		uint32_t a = next_kernel(t, left, &l), b = next_kernel(t, right, &r);
		if (a == NO_ROW && b == NO_ROW)
			return NO_ROW;
		if (a == NO_ROW || b == NO_ROW || t->name[a] != t->name[b])
			return place;
	}
}

/* Every recorded step, the first too, launches the same kernels in the same order. */
void judge_same_kernel(struct court *c, struct verdict *v, const cJSON *wanted)
{
	const struct analysis *a = c->a;
	if (!cJSON_IsBool(wanted))
		return leave_open(v, OPEN_MALFORMED);
	if (!a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	if (!a->n_kernels)
		return leave_open(v, OPEN_NO_DEVICE);
	for (uint32_t i = 1; i < a->n_steps && v->step == NO_ROW; i++) {
		v->element = first_other_kernel(a->trace, &a->steps[0], &a->steps[i]);
		if (v->element != NO_ROW)
			v->step = i;
	}
	const struct step *s = &a->steps[v->step == NO_ROW ? 0 : v->step];
	v->expected = kernel_names(c, &a->steps[0]);
	v->observed = kernel_names(c, s);
	set_evidence(c, v, s->device, s->n_device);
	decide(v, (v->step == NO_ROW) == cJSON_IsTrue(wanted));
}

/* ---- recompilations ---- */

/* The first row of every distinct region, or graph where there are no regions. */
static void show_compilations(struct court *c, struct verdict *v)
{
	const struct analysis *a = c->a;
	const struct trace *t = a->trace;
	enum compile_row shown = a->compile.regions ? COMPILE_REGION : COMPILE_GRAPH;
	uint32_t row[MOST_EVIDENCE], n = 0;
	uint8_t *seen = xcalloc(t->names.n, 1);
	for (size_t i = 0; i < t->n && n < MOST_EVIDENCE; i++) {
		const char *key;
		int length;
		if (a->class[i] != CLASS_COMPILE || seen[t->name[i]]++)
			continue;
		if (compile_row_of(names_text(&t->names, t->name[i]), &key, &length) == shown)
			row[n++] = (uint32_t)i;
	}
	free(seen);
	set_evidence(c, v, row, n);
}

void judge_recompiles(struct court *c, struct verdict *v, const cJSON *wanted)
{
	if (!cJSON_IsNumber(wanted))
		return leave_open(v, OPEN_MALFORMED);
	v->min = v->max = wanted->valuedouble;
	v->value = c->a->compile.recompiles;
	v->expected = arena_printf(c->arena, "%g", v->min);
	v->observed = arena_printf(c->arena, "%g", v->value);
	show_compilations(c, v);
	decide(v, v->value == v->min);
}
