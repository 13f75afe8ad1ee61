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

/* What else is known of a group. */
struct known {
	struct purpose_key key;
	uint32_t next; /* in its bucket + 1 */
	double call_roof_ns; /* of one call of the operator, or each event; NAN */
	bool each;
	double floor_ns; /* what an event takes in a better kind; NAN: not known */
	int64_t shortest_ns; /* of collectives of which late ones are looked for */
	double unused; /* share of an event that nobody needs; NAN: floor_ns says it */
};

/* What an operator with some shapes costs: modules and phases share it. */
enum { COSTS = 512 };
struct asked_cost {
	struct purpose_key key; /* op, dims and types alone; op 0: nothing */
	struct cost cost;
};

struct grouping {
	const struct analysis *a;
	struct asked_cost *asked; /* (COSTS) */
	struct surroundings around;
	struct purposes *out;
	struct purpose *group; /* (n) malloc */
	struct known *known; /* (n) malloc */
	uint32_t *bucket; /* (mask + 1) index + 1 */
	uint32_t n, room, mask;
	const int64_t *held_ns, *window_ns;
};

/* ---- groups ---- */

static uint64_t hash_of(const struct purpose_key *k)
{
	const uint64_t word[] = {(uint64_t)k->op << 32 | k->dims,
		(uint64_t)k->types << 32 | k->extra, (uint64_t)k->module << 32 | k->kernel,
		(uint64_t)k->why << 8 | k->phase};
	uint64_t h = 0;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		h = (h ^ (h >> 29) ^ word[i]) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 32);
}

static bool same_key(const struct purpose_key *a, const struct purpose_key *b)
{
	return a->op == b->op && a->dims == b->dims && a->types == b->types &&
		a->extra == b->extra && a->module == b->module && a->kernel == b->kernel &&
		a->why == b->why && a->phase == b->phase;
}

static struct purpose_key key_of(struct grouping *g, size_t i, const struct place *place)
{
	const struct trace *t = g->a->trace;
	uint32_t row = g->a->device_rows[i], op = g->a->device_ops[i];
	unsigned bits = place ? place->bits : 0;
	struct purpose_key k = {.why = (uint8_t)why_of(&g->around, i, bits),
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

static struct cost cost_asked(struct grouping *g, const struct purpose_key *k, uint32_t op)
{
	const struct purpose_key of = {.op = k->op, .dims = k->dims, .types = k->types};
	struct asked_cost *asked = &g->asked[hash_of(&of) % COSTS];
	if (!k->op || g->a->class[op] == CLASS_COMPILE)
		return cost_of(g->a, NO_ROW);
	if (!same_key(&asked->key, &of))
		*asked = (struct asked_cost){of, cost_of(g->a, op)};
	return asked->cost;
}

static uint32_t add_group(struct grouping *g, const struct purpose_key *k, size_t event)
{
	uint32_t op = k->op ? g->a->device_ops[event] : NO_ROW, row = g->a->device_rows[event];
	if (g->n == g->room) {
		g->room = g->room ? 2 * g->room : 64;
		g->group = xrealloc(g->group, g->room, sizeof *g->group);
		g->known = xrealloc(g->known, g->room, sizeof *g->known);
	}
	struct cost c = cost_asked(g, k, op);
	struct known *known = &g->known[g->n];
	*known = (struct known){.key = *k,
		.floor_ns = purpose_floor_ns(g->around.chip, (enum device_why)k->why, &c),
		.unused = k->why == WHY_TABLE ? purpose_unused_share(&g->around, op) : (double)NAN};
	known->call_roof_ns = purpose_roof_ns(&g->around, k, row, op, &c, &known->each);
	g->group[g->n] = (struct purpose){.why = k->why,
		.rest = k->why == WHY_TABLE && k->phase != PHASE_OPTIMIZER ? WHY_FILLED
									   : WHY_COMPUTED,
		.phase = k->phase,
		.op = k->op,
		.module = k->module,
		.op_row = op,
		.event = (uint32_t)event};
	return g->n++;
}

static uint32_t group_of(struct grouping *g, const struct purpose_key *k, size_t event)
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

/* Is the work of an event's operator not counted yet? */
static bool is_first(struct grouping *g, size_t i)
{
	struct place *p = place_around(&g->around, g->a->device_ops[i]);
	bool first = !p || !p->counted;
	if (p)
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
	const struct known *k = &g->known[at];
	double rest = rest_of(k, ns), roof = k->call_roof_ns;
	x->n++;
	x->device_ns += ns;
	x->ns += g->held_ns[i];
	x->window_ns += g->window_ns[i];
	x->rest_ns += part_of(g->held_ns[i], rest);
	x->window_rest_ns += part_of(g->window_ns[i], rest);
	x->roof_ns += isnan(roof) || k->each || is_first(g, i) ? roof : 0;
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
			g->known[i].shortest_ns = stats_nth(of[i], n[i], 0);
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
			x->usual_ns = g->known[i].floor_ns;
			x->shortest_ns = g->known[i].shortest_ns;
			x->rest = WHY_SENT;
		}
	}
}

/* ---- what ran before ---- */

/* The same operator with the same shapes, wherever it stands. */
static uint64_t alike(const struct purpose_key *k)
{
	return hash_of(&(struct purpose_key){.op = k->op, .dims = k->dims, .types = k->types});
}

/* An operator of the forward pass that runs in the backward pass alone is its own. */
static void check_recomputed(struct grouping *g)
{
	uint64_t *forward = xcalloc(g->n, sizeof *forward), key;
	size_t n = 0;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->known[i].key.phase == PHASE_FORWARD)
			forward[n++] = alike(&g->known[i].key);
	qsort(forward, n, sizeof *forward, by_uint64);
	for (uint32_t i = 0; i < g->n; i++) {
		key = alike(&g->known[i].key);
		if (g->group[i].why == WHY_RECOMPUTED &&
			!bsearch(&key, forward, n, sizeof key, by_uint64))
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

static int by_time(const void *left, const void *right, const void *context)
{
	const struct purpose *group = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct purpose *a = &group[l], *b = &group[r];
	return DOWN(window_ns) ?: DOWN(ns) ?: (l > r) - (l < r);
}

static void rank_groups(struct grouping *g, struct arena *arena)
{
	struct purposes *p = g->out;
	uint32_t *was = xcalloc(g->n, sizeof *was), *to = xcalloc(g->n, sizeof *to);
	for (uint32_t i = 0; i < g->n; i++)
		was[i] = i;
	sort_with(was, g->n, sizeof *was, by_time, g->group);
	p->n = g->n;
	p->group = arena_array(arena, g->n, sizeof *p->group);
	for (uint32_t i = 0; i < g->n; i++) {
		p->group[i] = g->group[was[i]];
		to[was[i]] = i;
	}
	for (size_t i = 0; i < g->a->n_device; i++)
		p->of_event[i] = to[p->of_event[i]];
	free(was);
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
	g.asked = xcalloc(COSTS, sizeof *g.asked);
	for (size_t i = 0; i < a->n_device; i++) {
		struct purpose_key k = key_of(&g, i, place_around(&g.around, a->device_calls[i]));
		add_event(&g, i, group_of(&g, &k, i));
	}
	tell_late(&g);
	check_recomputed(&g);
	rank_groups(&g, arena);
	sum_groups(&out);
	surroundings_release(&g.around);
	free(g.asked);
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
