/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/device_purpose.h"

#include "base/json_out.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "base/stats.h"
#include "report/analyse/operator_cost.h"
#include "report/analyse/purpose_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

NAMES(device_use_name, enum device_use, USE_LIST(KIND_NAME));
NAMES(device_why_name, enum device_why, WHY_LIST(KIND_NAME));

const char *phase_name(enum phase phase)
{
	static const char *const names[PHASES] = {
		"unknown", "forward", "backward", "optimizer", "graph"};
	return names[phase];
}

enum device_use device_use_of(enum device_why why)
{
	switch (why) {
	case WHY_COMPUTED:
		return USE_USEFUL;
	case WHY_RECOMPUTED:
	case WHY_RECONVERTED:
	case WHY_REMADE:
		return USE_AGAIN;
	case WHY_TABLE:
		return USE_TABLE;
	case WHY_DROPOUT:
	case WHY_BATCH_STATISTICS:
		return USE_TRAINING;
	case WHY_FP64:
	case WHY_FP32:
	case WHY_MISALIGNED:
	case WHY_APART:
	case WHY_SORTED:
	case WHY_DETERMINISTIC:
		return USE_SLOWER;
	case WHY_SPINNING:
	case WHY_LATE:
		return USE_WAITING;
	case WHY_UNKNOWN:
		return USE_UNKNOWN;
	default:
		return USE_MOVED;
	}
}

/* What makes events one group. */
struct key {
	name_id op, dims, types, extra, module, kernel;
	uint8_t why, phase;
};

/* What else is known of a group. */
struct known {
	struct key key;
	uint32_t next; /* in its bucket + 1 */
	double call_roof_ns; /* of one call of the operator, or one event; NAN */
	double floor_ns; /* what an event takes in a better kind; NAN: not known */
	double unused; /* share of an event that nobody needs; NAN: floor_ns says it */
};

struct grouping {
	const struct analysis *a;
	struct surroundings around;
	struct purposes *out;
	struct purpose *group; /* (n) malloc */
	struct known *known; /* (n) malloc */
	uint32_t *bucket; /* (mask + 1) index + 1 */
	uint32_t n, room, mask;
	const int64_t *held_ns, *window_ns;
};

/* ---- what a group needs at least ---- */

static double link_or_memory(const struct chip *chip, uint32_t traits)
{
	return traits & (TRAIT_TO_DEVICE | TRAIT_TO_HOST) ? chip->link
		: traits & TRAIT_WITHIN			  ? chip->memory / 2
							  : (double)NAN;
}

/* Of a copy or a fill by engine. */
static double engine_roof_ns(const struct analysis *a, const struct chip *chip, uint32_t row)
{
	const struct trace *t = a->trace;
	int64_t bytes = t->side[row] == NO_ROW ? -1 : t->copies[t->side[row]].bytes;
	double rate = t->kind[row] == EVENT_MEMSET ? chip->memory
						   : link_or_memory(chip, device_traits(a, row));
	return bytes < 0 ? (double)NAN : (double)bytes / rate * 1e9;
}

/* Where nothing else is known: what an operator is given is read once. */
static double inputs_roof_ns(const struct analysis *a, const struct chip *chip, uint32_t op)
{
	const struct inputs *in = inputs_of(a, op);
	double bytes = 0;
	for (int i = 0; in && i < in->n; i++)
		bytes += in->in[i].expanded ? 0 : (double)elements_of(in, i) * in->in[i].bytes;
	return bytes > 0 ? bytes / chip->memory * 1e9 : (double)NAN;
}

static bool reads_all(uint8_t class)
{
	return class == CLASS_REDUCTION || class == CLASS_NORM || class == CLASS_ELEMENTWISE ||
		class == CLASS_ADD || class == CLASS_MUL || class == CLASS_GELU ||
		class == CLASS_FUSED || class == CLASS_COPY;
}

static double roof_ns(const struct grouping *g, const struct key *k, uint32_t row, uint32_t op,
	const struct cost *c)
{
	const struct analysis *a = g->a;
	const struct chip *chip = g->around.chip;
	if (!chip || a->class[row] == CLASS_COMMUNICATION)
		return (double)NAN;
	if (a->trace->kind[row] != EVENT_KERNEL)
		return engine_roof_ns(a, chip, row);
	if (!k->op)
		return (double)NAN;
	bool tensor = device_traits(a, row) & TRAIT_TENSOR;
	double computing = c->flop / cost_rate(chip, c, c->work, tensor) * 1e9;
	double moving = c->bytes / chip->memory * 1e9;
	double most = fmax(computing, moving); /* of a number and NAN the number */
	return isnan(most) && k->why != WHY_GATHERED && reads_all(a->class[row])
		? inputs_roof_ns(a, chip, op)
		: most;
}

/* In a better kind, at a good share of the chip's rate. */
static double floor_ns(const struct chip *chip, enum device_why why, const struct cost *c)
{
	double rate;
	if (!chip)
		return (double)NAN;
	switch (why) {
	case WHY_FP32:
		rate = chip->tf32;
		break;
	case WHY_FP64:
		rate = chip->tf32 > 0 ? chip->tf32 : chip->fp32;
		break;
	case WHY_MISALIGNED:
		rate = c->element_bytes == 2 || chip->tf32 <= 0 ? chip->half : chip->tf32;
		break;
	default:
		return (double)NAN;
	}
	return fmax(c->flop / (CHIP_REACHED * rate), c->bytes / (MEMORY_REACHED * chip->memory)) *
		1e9;
}

/* Of the rows of a table, those without an index. */
static double unused_share(const struct analysis *a, uint32_t op)
{
	const struct trace *t = a->trace;
	int64_t rows = 0;
	while (op != NO_ROW &&
		strcmp(names_text(&t->names, t->name[op]), "aten::embedding_dense_backward") != 0)
		op = t->parent[op];
	const struct inputs *in = op == NO_ROW ? NULL : inputs_of(a, op);
	double indices = in ? (double)elements_of(in, 1) : 0;
	if (indices <= 0 || !concrete_numbers(t, op, 2, &rows, 1) || rows <= 0)
		return 0;
	return (double)rows < TABLE_TIMES * indices ? 0 : 1 - indices / (double)rows;
}

/* ---- groups ---- */

static uint64_t hash_of(const struct key *k)
{
	const uint32_t word[] = {k->op, k->dims, k->types, k->extra, k->module, k->kernel,
		(uint32_t)k->why << 8 | k->phase};
	uint64_t h = 0;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		h = (h ^ (h >> 29) ^ word[i]) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 32);
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->op == b->op && a->dims == b->dims && a->types == b->types &&
		a->extra == b->extra && a->module == b->module && a->kernel == b->kernel &&
		a->why == b->why && a->phase == b->phase;
}

static struct key key_of(struct grouping *g, size_t i, const struct place *place)
{
	const struct trace *t = g->a->trace;
	uint32_t row = g->a->device_rows[i], op = g->a->device_ops[i];
	unsigned bits = place ? place->bits : 0;
	struct key k = {.why = (uint8_t)why_of(&g->around, i, bits),
		.phase = (uint8_t)phase_of(bits, g->a->device_calls[i]),
		.module = place && place->module ? t->name[place->module - 1] : 0};
	bool replayed = bits & AROUND_GRAPH;
	if (op == NO_ROW || replayed) {
		k.kernel = t->name[row];
		return k;
	}
	k.op = t->name[op];
	if (t->side[op] != NO_ROW) {
		const struct op_inputs *in = &t->inputs[t->side[op]];
		k.dims = in->dims;
		k.types = in->types;
		k.extra = in->extra;
	}
	k.kernel = k.why == WHY_SENT ? t->name[row] : 0;
	return k;
}

static uint32_t add_group(struct grouping *g, const struct key *k, size_t event)
{
	uint32_t op = k->op ? g->a->device_ops[event] : NO_ROW, row = g->a->device_rows[event];
	if (g->n == g->room) {
		g->room = g->room ? 2 * g->room : 64;
		g->group = xrealloc(g->group, g->room, sizeof *g->group);
		g->known = xrealloc(g->known, g->room, sizeof *g->known);
	}
	struct cost c = cost_of(g->a, op);
	g->known[g->n] = (struct known){.key = *k,
		.call_roof_ns = roof_ns(g, k, row, op, &c),
		.floor_ns = floor_ns(g->around.chip, (enum device_why)k->why, &c),
		.unused = k->why == WHY_TABLE ? unused_share(g->a, op) : (double)NAN};
	g->group[g->n] = (struct purpose){.why = k->why,
		.rest = k->why == WHY_TABLE ? WHY_FILLED : WHY_COMPUTED,
		.phase = k->phase,
		.op = k->op,
		.module = k->module,
		.op_row = op,
		.event = (uint32_t)event};
	return g->n++;
}

static uint32_t group_of(struct grouping *g, const struct key *k, size_t event)
{
	uint32_t *bucket = &g->bucket[hash_of(k) & g->mask];
	for (uint32_t at = *bucket; at; at = g->known[at - 1].next)
		if (same_key(&g->known[at - 1].key, k))
			return at - 1;
	uint32_t added = add_group(g, k, event);
	g->known[added].next = *bucket;
	*bucket = added + 1;
	return added;
}

/* Has the operator's work been counted? An event without one is its own. */
static bool is_first(struct grouping *g, const struct purpose *x, size_t i)
{
	struct place *p = x->op ? place_around(&g->around, g->a->device_ops[i]) : NULL;
	bool kernel = g->a->trace->kind[g->a->device_rows[i]] == EVENT_KERNEL;
	if (!p || !kernel)
		return true;
	bool first = !p->counted;
	p->counted = true;
	return first;
}

static int64_t part_of(int64_t ns, double share)
{
	return min64(ns, llround((double)ns * share));
}

/* The share of an event that has another reason. */
static double rest_of(const struct known *k, int64_t ns)
{
	if (!isnan(k->unused))
		return 1 - k->unused;
	return isnan(k->floor_ns) || ns <= 0 ? 0 : fmin(1, k->floor_ns / (double)ns);
}

static void add_event(struct grouping *g, size_t i, uint32_t at)
{
	const struct trace *t = g->a->trace;
	struct purpose *x = &g->group[at];
	uint32_t row = g->a->device_rows[i];
	int64_t ns = t->dur_ns[row];
	double rest = rest_of(&g->known[at], ns), roof = g->known[at].call_roof_ns;
	x->n++;
	x->device_ns += ns;
	x->ns += g->held_ns[i];
	x->window_ns += g->window_ns[i];
	x->rest_ns += part_of(g->held_ns[i], rest);
	x->window_rest_ns += part_of(g->window_ns[i], rest);
	x->roof_ns += !isnan(roof) && !is_first(g, x, i) ? 0 : roof;
	if (ns > t->dur_ns[g->a->device_rows[x->event]])
		x->event = (uint32_t)i;
	g->out->of_event[i] = at;
}

/* ---- who waits for another rank ---- */

static void find_late(struct grouping *g)
{
	const struct trace *t = g->a->trace;
	bool any = false;
	for (uint32_t i = 0; i < g->n; i++)
		any |= g->group[i].why == WHY_SENT && g->group[i].n >= LATE_KIND;
	if (!any)
		return;
	int64_t **of = xcalloc(g->n, sizeof *of);
	uint32_t *n = xcalloc(g->n, sizeof *n);
	for (size_t i = 0; i < g->a->n_device; i++) {
		uint32_t at = g->out->of_event[i], row = g->a->device_rows[i];
		struct purpose *x = &g->group[at];
		if (x->why != WHY_SENT || x->n < LATE_KIND || t->kind[row] != EVENT_KERNEL)
			continue;
		if (!of[at])
			of[at] = xcalloc(x->n, sizeof **of);
		of[at][n[at]++] = t->dur_ns[row];
	}
	for (uint32_t i = 0; i < g->n; i++) {
		if (of[i] && n[i] >= LATE_KIND) {
			double usual = (double)stats_nth(of[i], n[i], n[i] / 4);
			g->known[i].floor_ns = fmax(LATE_TIMES * usual, usual + LATE_LEAST_NS);
		}
		free(of[i]);
	}
	free(of);
	free(n);
}

/* What of the collectives is above what is usual of their kind. */
static void tell_late(struct grouping *g)
{
	const struct trace *t = g->a->trace;
	find_late(g);
	for (size_t i = 0; i < g->a->n_device; i++) {
		uint32_t at = g->out->of_event[i];
		struct purpose *x = &g->group[at];
		double usual = g->known[at].floor_ns;
		int64_t ns = t->dur_ns[g->a->device_rows[i]];
		if (g->known[at].key.why != WHY_SENT || isnan(usual))
			continue;
		double rest = ns > 0 ? fmin(1, usual / (double)ns) : 1;
		x->rest_ns += part_of(g->held_ns[i], rest);
		x->window_rest_ns += part_of(g->window_ns[i], rest);
	}
	for (uint32_t i = 0; i < g->n; i++) {
		struct purpose *x = &g->group[i];
		if (g->known[i].key.why == WHY_SENT && x->rest_ns) {
			x->why = x->rest_ns < x->ns ? WHY_LATE : WHY_SENT;
			x->rest = WHY_SENT;
		}
	}
}

/* ---- what ran before ---- */

/* The same operator with the same shapes, wherever it stands. */
static uint64_t alike(const struct key *k)
{
	return hash_of(&(struct key){.op = k->op, .dims = k->dims, .types = k->types});
}

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* An operator of the forward pass that runs in the backward pass alone is its own. */
static void check_recomputed(struct grouping *g)
{
	uint64_t *forward = xcalloc(g->n, sizeof *forward), key;
	size_t n = 0;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->known[i].key.phase == PHASE_FORWARD)
			forward[n++] = alike(&g->known[i].key);
	qsort(forward, n, sizeof *forward, by_value);
	for (uint32_t i = 0; i < g->n; i++) {
		key = alike(&g->known[i].key);
		if (g->group[i].why == WHY_RECOMPUTED &&
			!bsearch(&key, forward, n, sizeof key, by_value))
			g->group[i].why = WHY_COMPUTED;
	}
	free(forward);
}

/* ---- all of it ---- */

static void sum_groups(struct purposes *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct purpose *x = &p->group[i];
		p->whole.ns[x->why] += x->ns - x->rest_ns;
		p->whole.ns[x->rest] += x->rest_ns;
		p->window.ns[x->why] += x->window_ns - x->window_rest_ns;
		p->window.ns[x->rest] += x->window_rest_ns;
		p->rooted_ns += isnan(x->roof_ns) ? 0 : x->ns;
		p->placed_ns += x->op || x->phase == PHASE_GRAPH ? x->ns : 0;
	}
}

struct ranked {
	struct purpose group;
	uint32_t was;
};
ORDER(by_time, struct ranked, DOWN(group.window_ns) ?: DOWN(group.ns) ?: UP(was));

static void rank_groups(struct grouping *g, struct arena *arena)
{
	struct purposes *p = g->out;
	struct ranked *r = xcalloc(g->n, sizeof *r);
	uint32_t *to = xcalloc(g->n, sizeof *to);
	for (uint32_t i = 0; i < g->n; i++)
		r[i] = (struct ranked){g->group[i], i};
	qsort(r, g->n, sizeof *r, by_time);
	p->n = g->n;
	p->group = arena_array(arena, g->n, sizeof *p->group);
	for (uint32_t i = 0; i < g->n; i++) {
		p->group[i] = r[i].group;
		to[r[i].was] = i;
	}
	for (size_t i = 0; i < g->a->n_device; i++)
		p->of_event[i] = to[p->of_event[i]];
	free(r);
	free(to);
}

struct purposes purposes_of(struct arena *arena, const struct analysis *a, const int64_t *held_ns,
	const int64_t *window_ns)
{
	struct purposes out = {.of_event = arena_array(arena, a->n_device, sizeof *out.of_event)};
	struct grouping g = {.a = a,
		.around = surroundings_of(a),
		.out = &out,
		.mask = 255,
		.held_ns = held_ns,
		.window_ns = window_ns};
	while (g.mask < a->n_device / 4 && g.mask < UINT32_MAX / 2)
		g.mask = 2 * g.mask + 1;
	g.bucket = xcalloc((size_t)g.mask + 1, sizeof *g.bucket);
	for (size_t i = 0; i < a->n_device; i++) {
		struct key k = key_of(&g, i, place_around(&g.around, a->device_calls[i]));
		add_event(&g, i, group_of(&g, &k, i));
	}
	tell_late(&g);
	check_recomputed(&g);
	rank_groups(&g, arena);
	sum_groups(&out);
	surroundings_release(&g.around);
	free(g.group);
	free(g.known);
	free(g.bucket);
	return out;
}

int64_t purpose_use_ns(const struct purpose_sum *s, enum device_use use)
{
	int64_t sum = 0;
	for (int i = 0; i < DEVICE_WHYS; i++)
		sum += device_use_of((enum device_why)i) == use ? s->ns[i] : 0;
	return sum;
}

enum device_why purposes_worst(const struct purposes *p)
{
	enum device_why worst = WHY_COMPUTED;
	int64_t most = 0;
	for (int i = 0; i < DEVICE_WHYS; i++) {
		enum device_use use = device_use_of((enum device_why)i);
		if (use == USE_USEFUL || use == USE_UNKNOWN || p->window.ns[i] <= most)
			continue;
		most = p->window.ns[i];
		worst = (enum device_why)i;
	}
	return worst;
}

static int64_t own_of(const struct purpose *x, enum device_why why)
{
	return (x->why == why ? purpose_own_ns(x) : 0) + (x->rest == why ? x->window_rest_ns : 0);
}

const struct purpose *purposes_largest(const struct purposes *p, enum device_why why)
{
	const struct purpose *largest = NULL;
	for (uint32_t i = 0; i < p->n; i++)
		if (own_of(&p->group[i], why) > (largest ? own_of(largest, why) : 0))
			largest = &p->group[i];
	return largest;
}

static void dump_sum(const char *what, const struct purpose_sum *s, FILE *f)
{
	fprintf(f, "  %s:", what);
	for (int i = 0; i < DEVICE_WHYS; i++)
		if (s->ns[i])
			fprintf(f, " %s %" PRId64, device_why_name((enum device_why)i), s->ns[i]);
	fputc('\n', f);
}

void purposes_dump(const struct purposes *p, const struct trace *t, FILE *f)
{
	enum { MOST = 10 };
	fprintf(f,
		"purposes: %" PRIu32 " groups, roof of %" PRId64 " ns, place of %" PRId64 " ns\n",
		p->n, p->rooted_ns, p->placed_ns);
	dump_sum("whole", &p->whole, f);
	dump_sum("window", &p->window, f);
	for (uint32_t i = 0; i < p->n && i < MOST; i++) {
		const struct purpose *x = &p->group[i];
		fprintf(f, "  %s %s %" PRIu32 " %" PRId64 " rest %" PRId64 " ",
			device_why_name((enum device_why)x->why), phase_name((enum phase)x->phase),
			x->n, x->window_ns, x->window_rest_ns);
		json_escape(f, names_text(&t->names, x->op));
		fputc(' ', f);
		json_escape(f, names_text(&t->names, x->module));
		fputc('\n', f);
	}
}
