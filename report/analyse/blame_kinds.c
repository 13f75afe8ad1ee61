/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/blame_kinds.h"

#include "report/analyse/analysis_stages.h"

#include <string.h>

/* What a name says of all that happens inside. */
enum context { ASK, PLAIN, COMPILES, LOADS, COLLECTS, FETCHES, HANDS_OVER };

static enum context context_of_name(const char *name)
{
	static const struct {
		const char *word, *also;
		enum context says;
	} rules[] = {
		{"(dynamo_timed)", NULL, COMPILES},
		{"compile_inner", NULL, COMPILES},
		{"torch/_dynamo/convert_frame.py", NULL, COMPILES},
		{"compile_fx_inner", NULL, COMPILES},
		{"codecache.py", "load", COMPILES},
		{"codecache.py", "compile", COMPILES},
		{"torch/_inductor/graph.py", NULL, COMPILES},
		{"torch/_inductor/scheduler.py", NULL, COMPILES},
		{"fx_codegen", NULL, COMPILES},
		{"CachingAutotuner.benchmark", NULL, COMPILES},
		{"benchmark_all_configs", NULL, COMPILES},
		{"autotune_to_one_config", NULL, COMPILES},
		{"triton/compiler/", NULL, COMPILES},
		{"triton/backends/", NULL, COMPILES},
		{"async_compile.py", NULL, COMPILES},
		{"torch/cuda/graphs.py", "capture", COMPILES},
		{"cudagraph_trees.py", "record", COMPILES},
		{"StreamBeginCapture", NULL, COMPILES},
		{"StreamEndCapture", NULL, COMPILES},
		{"GraphInstantiate", NULL, COMPILES},
		{"<frozen importlib", NULL, LOADS},
		{"ModuleLoad", NULL, LOADS},
		{"LibraryLoad", NULL, LOADS},
		{"ModuleGetFunction", NULL, LOADS},
		{"gc.collect", NULL, COLLECTS},
		{"Python GC", NULL, COLLECTS},
		{"run_backward", NULL, HANDS_OVER},
	};
	struct lettered l = lettered_of(name);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (lettered_may_have(&l, rules[i].word) && strstr(name, rules[i].word) &&
			(!rules[i].also || strstr(name, rules[i].also)))
			return rules[i].says;
	return is_input_lettered(&l) ? FETCHES : PLAIN;
}

/* Of a row: the context around it, and whether something inside puts work in a queue, whether it
 * computes. */
enum { CONTEXT = 7, LAUNCHES = 8, COMPUTES = 16, COMPUTES_NOT = 32 };

static inline enum context of_name(struct host_kinds *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	uint8_t *known = &k->of_name[t->name[row]];
	if (*known == ASK)
		*known = (uint8_t)context_of_name(names_text(&t->names, t->name[row]));
	return (enum context) * known;
}

/* From the call that begins a capture to the one that ends it, on one thread. */
static struct spans captures_of(struct host_kinds *k)
{
	const struct analysis *a = k->a;
	const struct trace *t = a->trace;
	struct spans s = {0};
	uint32_t begun = NO_ROW;
	for (size_t i = 0; i < a->n_calls; i++) {
		uint32_t row = a->calls[i];
		if (a->class[row] != CLASS_CALL || of_name(k, row) != COMPILES)
			continue;
		const char *name = names_text(&t->names, t->name[row]);
		if (strstr(name, "StreamBeginCapture") && begun == NO_ROW) {
			begun = row;
		} else if (begun != NO_ROW && t->track[row] == t->track[begun] &&
			strstr(name, "StreamEndCapture")) {
			if (!s.room)
				s = spans_with_room(k->arena, a->n_calls);
			spans_add(&s, t->start_ns[begun], row_end(t, row));
			begun = NO_ROW;
		}
	}
	return s;
}

struct host_kinds host_kinds_of(struct arena *arena, const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct host_kinds k = {.a = a,
		.arena = arena,
		.of_name = arena_array(arena, t->names.n, 1),
		.known = arena_array(arena, t->n, 1),
		.what = arena_array(arena, t->n, 1),
		.first = arena_array(arena, t->names.n, sizeof *k.first)};
	k.captures = captures_of(&k);
	memset(k.first, 0xff, t->names.n * sizeof *k.first);
	for (size_t i = 0; i < a->n_calls; i++) {
		uint32_t call = a->calls[i], work = t->launch[call];
		if (work == NO_ROW && a->class[call] != CLASS_LAUNCH)
			continue;
		if (work != NO_ROW && k.first[t->name[work]] == NO_ROW)
			k.first[t->name[work]] = call;
		for (uint32_t row = call; row != NO_ROW && !(k.known[row] & LAUNCHES);
			row = t->parent[row])
			k.known[row] |= LAUNCHES;
	}
	return k;
}

/* What the row's own name says, else that of the nearest around it. */
static enum context around(struct host_kinds *k, uint32_t row)
{
	const uint32_t *parent = k->a->trace->parent;
	uint8_t *known = k->known;
	enum context says = PLAIN;
	uint32_t top = row;
	for (; top != NO_ROW; top = parent[top]) {
		says = (enum context)(known[top] & CONTEXT);
		if (says != ASK)
			break;
		says = of_name(k, top);
		if (says != PLAIN && says != HANDS_OVER)
			break;
		says = PLAIN;
	}
	for (; row != top; row = parent[row])
		known[row] |= (uint8_t)says;
	if (top != NO_ROW)
		known[top] |= (uint8_t)says;
	return says;
}

uint32_t host_sayer(struct host_kinds *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	uint32_t up = row;
	if (!k->sayer)
		k->sayer = arena_own(k->arena, xcalloc(t->n, sizeof *k->sayer));
	for (; up != NO_ROW && !k->sayer[up]; up = t->parent[up]) {
		enum context says = of_name(k, up);
		if (says != PLAIN && says != HANDS_OVER) {
			k->sayer[up] = up + 1;
			break;
		}
	}
	uint32_t found = up == NO_ROW ? NO_ROW : k->sayer[up];
	for (; row != up; row = t->parent[row])
		k->sayer[row] = found;
	return found;
}

static inline bool hands_over(struct host_kinds *k, uint32_t row)
{
	return k->a->trace->kind[row] == EVENT_PYTHON && of_name(k, row) == HANDS_OVER;
}

bool host_hands_over(struct host_kinds *k, uint32_t row)
{
	return hands_over(k, row);
}

/* Operators that launch nothing are asked as a whole: what they take, the outermost of them. */
static bool computes(struct host_kinds *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	if (k->known[row] & LAUNCHES)
		return false;
	if (!(k->known[row] & (COMPUTES | COMPUTES_NOT))) {
		uint32_t up = t->parent[row];
		bool inside = up != NO_ROW && t->kind[up] == EVENT_OP && !(k->known[up] & LAUNCHES);
		bool yes = inside ? computes(k, up) : t->dur_ns[row] >= SILENCE_NS;
		k->known[row] |= yes ? COMPUTES : COMPUTES_NOT;
	}
	return k->known[row] & COMPUTES;
}

/* Operators that do nothing but ask the allocator. */
static bool is_allocation(const struct trace *t, uint32_t row)
{
	const char *name = names_text(&t->names, t->name[row]);
	return !strncmp(name, "aten::empty", 11) || !strcmp(name, "aten::resize_");
}

static enum blame_kind call_kind(const struct host_kinds *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	uint32_t work = t->launch[row];
	if (k->a->class[row] == CLASS_SYNC)
		return BLAME_WAIT;
	if (host_traits(k->a, row) & TRAIT_ALLOCATES)
		return BLAME_ALLOCATION;
	if (work != NO_ROW && k->first[t->name[work]] == row && t->dur_ns[row] >= SILENCE_NS &&
		!(host_traits(k->a, row) & TRAIT_GRAPH))
		return BLAME_LOADING;
	return BLAME_LAUNCH;
}

static enum blame_kind kind_of_row(struct host_kinds *k, uint32_t row)
{
	switch (around(k, row)) {
	case COMPILES:
		return BLAME_COMPILER;
	case LOADS:
		return BLAME_LOADING;
	case COLLECTS:
		return BLAME_COLLECTOR;
	case FETCHES:
		if (!(k->known[row] & LAUNCHES))
			return BLAME_INPUT;
		break;
	default:
		break;
	}
	if (event_is_call(k->a->trace->kind[row]))
		return call_kind(k, row);
	if (k->a->trace->kind[row] != EVENT_OP || k->a->class[row] != CLASS_OP)
		return BLAME_PYTHON;
	if (!computes(k, row))
		return BLAME_OPERATOR;
	return is_allocation(k->a->trace, row) ? BLAME_ALLOCATION : BLAME_COMPUTING;
}

uint8_t host_asked(struct host_kinds *k, uint32_t row)
{
	uint8_t class = k->a->class[row];
	bool idle = class == CLASS_STEP || class == CLASS_ANNOTATION || hands_over(k, row);
	return k->what[row] = (uint8_t)((1 + kind_of_row(k, row)) | (idle ? HOST_IDLE : 0));
}
