/* SPDX-License-Identifier: Apache-2.0 */
#include "base/search.h"
#include "report/detect/parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- roles ---- */

/* After the name space, "aten::" or "tb::". A trailing '*' stands for any rest. */
static const struct {
	const char *name;
	enum role role;
} op_roles[] = {
	{"matmul", ROLE_MATMUL},
	{"mm", ROLE_MM},
	{"bmm", ROLE_BMM},
	{"baddbmm", ROLE_BMM},
	{"baddbmm_", ROLE_BMM},
	{"addmm", ROLE_ADDMM},
	{"addmm_", ROLE_ADDMM},
	{"addmm_epilogue", ROLE_ADDMM},
	{"_addmm_activation", ROLE_ADDMM},
	{"linear", ROLE_LINEAR},
	{"add", ROLE_ADD},
	{"add_", ROLE_ADD},
	{"copy_", ROLE_COPYING},
	{"_copy_from", ROLE_COPYING},
	{"clone", ROLE_COPYING},
	{"contiguous", ROLE_COPYING},
	{"to", ROLE_COPYING},
	{"_to_copy", ROLE_COPYING},
	{"copy", ROLE_COPYING},
	{"cat", ROLE_COPYING},
	{"stack", ROLE_COPYING},
	{"repeat", ROLE_COPYING},
	{"item", ROLE_COPYING},
	{"_local_scalar_dense", ROLE_COPYING},
	{"t", ROLE_VIEW},
	{"transpose", ROLE_VIEW},
	{"permute", ROLE_VIEW},
	{"reshape", ROLE_VIEW},
	{"view", ROLE_VIEW},
	{"_unsafe_view", ROLE_VIEW},
	{"_reshape_alias", ROLE_VIEW},
	{"as_strided", ROLE_VIEW},
	{"expand", ROLE_VIEW},
	{"expand_as", ROLE_VIEW},
	{"view_as", ROLE_VIEW},
	{"select", ROLE_VIEW},
	{"slice", ROLE_VIEW},
	{"narrow", ROLE_VIEW},
	{"squeeze", ROLE_VIEW},
	{"unsqueeze", ROLE_VIEW},
	{"detach", ROLE_VIEW},
	{"alias", ROLE_VIEW},
	{"split", ROLE_VIEW},
	{"split_with_sizes", ROLE_VIEW},
	{"chunk", ROLE_VIEW},
	{"unbind", ROLE_VIEW},
	{"flatten", ROLE_VIEW},
	{"movedim", ROLE_VIEW},
	{"swapaxes", ROLE_VIEW},
	{"numpy_T", ROLE_VIEW},
};

static enum role role_of_name(const char *name)
{
	if (!strncmp(name, "aten::", 6) || !strncmp(name, "tb::", 4)) {
		name += name[0] == 'a' ? 6 : 4;
		for (size_t i = 0; i < sizeof op_roles / sizeof *op_roles; i++)
			if (!strcmp(op_roles[i].name, name))
				return op_roles[i].role;
		return strstr(name, "_backward") ? ROLE_BACKWARD : ROLE_NONE;
	}
	if (name[0] == '[') /* shapes and types are names, too */
		return ROLE_NONE;
	if (!strncmp(name, "Mem", 3) || !strncmp(name, "Copy", 4)) {
		if (strstr(name, "DtoD") || strstr(name, "DeviceToDevice") ||
			strstr(name, "HtoH (host"))
			return ROLE_WITHIN;
		return strstr(name, "Pageable") ? ROLE_PAGEABLE : ROLE_NONE;
	}
	if (!strncmp(name, "enumerate(DataLoader)", 21))
		return ROLE_LOADER;
	if (!strncmp(name, "autograd::engine::", 18))
		return ROLE_BACKWARD;
	return !strcmp(name, "Activity Buffer Request") ? ROLE_REQUEST : ROLE_NONE;
}

static bool is_product_role(enum role r)
{
	return r >= ROLE_MATMUL && r <= ROLE_LINEAR;
}

/* ---- the walk over the rows ---- */

static void *grown(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	return xrealloc(array, *room, size);
}

static void push(struct row_list *list, uint32_t row)
{
	list->row = grown(list->row, list->n, &list->room, sizeof *list->row);
	list->row[list->n++] = row;
}

static uint32_t add_product(struct facts *x, uint32_t row, uint32_t outer)
{
	size_t room = x->product_room;
	x->products = grown(x->products, x->n_products, &room, sizeof *x->products);
	x->product_room = (uint32_t)room;
	x->products[x->n_products] =
		(struct product_op){.row = row, .outer = outer, .role = (uint8_t)role_of(x, row)};
	return x->n_products++;
}

static bool is_in_view(const struct facts *x, uint32_t row)
{
	uint32_t p = x->t->parent[row];
	return p != NO_ROW && x->t->kind[p] == EVENT_OP && role_of(x, p) == ROLE_VIEW;
}

static void look_at_op(struct facts *x, uint32_t row, uint32_t outer)
{
	const struct trace *t = x->t;
	enum role role = role_of(x, row);
	if ((!x->shapes || !x->types) && t->side[row] != NO_ROW) {
		x->shapes |= t->inputs[t->side[row]].dims != 0;
		x->types |= t->inputs[t->side[row]].types != 0;
	}
	x->backward |= role == ROLE_BACKWARD;
	if (role == ROLE_VIEW && !is_in_view(x, row))
		push(&x->views, row);
	for (uint32_t p = outer; p < x->n_products; p = x->products[p].outer) {
		x->products[p].mm += role == ROLE_MM;
		x->products[p].bmm += role == ROLE_BMM;
		x->products[p].addmm += role == ROLE_ADDMM;
		x->products[p].add += role == ROLE_ADD;
	}
	if (is_product_role(role))
		x->product[row] = add_product(x, row, outer);
}

static void look_at_call(struct facts *x, uint32_t row, uint32_t outer)
{
	if (!is_outer_call(x->t, row))
		return;
	if (class_of(x, row) == CLASS_SYNC)
		push(&x->waits, (uint32_t)x->calls.n);
	x->calls.row[x->calls.n++] = row;
	for (uint32_t p = outer; p < x->n_products; p = x->products[p].outer)
		x->products[p].calls++;
}

/* Where the children of an open row ended so far. Rows of one track and level take turns: none is
 * added to again once the next has begun. */
struct open_row {
	uint32_t row; /* NO_ROW: none yet */
	int64_t end_ns;
};
enum { NEST_LEVELS = 64 };

static struct open_row *no_open_rows(const struct facts *x)
{
	size_t n = (size_t)x->t->n_tracks * NEST_LEVELS;
	struct open_row *open = arena_array(x->scratch, n, sizeof *open);
	for (size_t i = 0; i < n; i++)
		open[i].row = NO_ROW;
	return open;
}

static void look_at_nesting(struct facts *x, uint32_t row, struct open_row *open)
{
	const struct trace *t = x->t;
	uint32_t parent = t->parent[row];
	if (parent == NO_ROW) {
		x->nesting.total_ns += t->dur_ns[row];
		return;
	}
	struct open_row *o = &open[t->track[row] * NEST_LEVELS + t->depth[parent] % NEST_LEVELS];
	if (o->row != parent)
		*o = (struct open_row){parent, INT64_MIN};
	if (o->end_ns > t->start_ns[row] + 1) {
		int64_t over = o->end_ns - t->start_ns[row];
		x->nesting.overlaps++;
		x->nesting.overlap_ns += over < t->dur_ns[row] ? over : t->dur_ns[row];
	}
	if (row_end(t, row) > o->end_ns)
		o->end_ns = row_end(t, row);
}

/* Parents come before their children, so one walk settles who is in which product. */
static void look_at_rows(struct facts *x)
{
	const struct trace *t = x->t;
	struct open_row *open = no_open_rows(x);
	for (uint32_t i = 0; i < t->n; i++) {
		uint8_t kind = t->kind[i];
		if (kind == EVENT_OVERHEAD)
			push(&x->overhead, i);
		if (!event_on_host(kind)) {
			x->product[i] = NO_ROW;
			continue;
		}
		look_at_nesting(x, i, open);
		uint32_t outer = t->parent[i] == NO_ROW ? NO_ROW : x->product[t->parent[i]];
		x->product[i] = outer;
		if (kind == EVENT_OP)
			look_at_op(x, i, outer);
		else if (is_call(t, i))
			look_at_call(x, i, outer);
		if (x->a->class[i] == CLASS_COMPILE)
			push(&x->compiled, i);
		else if (role_of(x, i) == ROLE_LOADER)
			push(&x->loaders, i);
	}
}

/* ---- the device's events ---- */

static void count_in_products(struct facts *x, uint32_t row, uint32_t launch)
{
	uint8_t class = class_of(x, row);
	for (uint32_t p = x->product[launch]; p < x->n_products; p = x->products[p].outer) {
		x->products[p].gemms += is_gemm(class);
		x->products[p].copies += x->t->kind[row] == EVENT_MEMCPY;
		x->products[p].others +=
			x->t->kind[row] == EVENT_KERNEL && !is_gemm(class) && class != CLASS_SPLITK;
	}
}

static void look_at_device(struct facts *x)
{
	const struct analysis *a = x->a;
	const struct trace *t = x->t;
	uint32_t *last = xcalloc(t->n_tracks, sizeof *last);
	memset(last, 0xff, t->n_tracks * sizeof *last);
	for (uint32_t i = 0; i < a->n_device; i++) {
		uint32_t row = device_row(x, i), *before = &last[t->track[row]];
		x->previous[i] = x->next[i] = NO_ROW;
		if (x->launch[i] != NO_ROW) {
			x->n_links++;
			count_in_products(x, row, x->launch[i]);
		}
		x->previous[i] = *before;
		if (*before != NO_ROW)
			x->next[*before] = i;
		*before = i;
	}
	free(last);
}

size_t call_index(const struct facts *x, uint32_t row)
{
	return first_where(i, 0, x->calls.n, x->calls.row[i] >= row);
}

/* Launches mostly follow each other as their events do, so the next call is tried first. An event
 * may name a row as its launch that is no call. */
static void look_at_work(struct facts *x)
{
	x->work = arena_array(x->scratch, x->calls.n, sizeof *x->work);
	x->caused = arena_array(x->scratch, x->calls.n, sizeof *x->caused);
	memset(x->work, 0xff, x->calls.n * sizeof *x->work);
	size_t call = 0;
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t launch = x->launch[i];
		x->call[i] = NO_ROW;
		if (launch == NO_ROW)
			continue;
		for (int k = 0; k < 4 && call < x->calls.n && x->calls.row[call] < launch; k++)
			call++;
		if (call == x->calls.n || x->calls.row[call] != launch)
			call = call_index(x, launch);
		if (call == x->calls.n || x->calls.row[call] != launch)
			continue;
		x->call[i] = (uint32_t)call;
		if (x->work[call] == NO_ROW)
			x->work[call] = device_row(x, i);
		if (x->caused[call] < UINT16_MAX)
			x->caused[call]++;
	}
}

static void look_at_queueing(struct facts *x)
{
	for (x->after_last = x->calls.n; x->after_last; x->after_last--) {
		uint8_t class = class_of(x, x->calls.row[x->after_last - 1]);
		if (class == CLASS_LAUNCH || class == CLASS_COPY_CALL)
			return;
	}
}

static void sum_gaps(struct facts *x)
{
	x->idle_before[0] = 0;
	for (size_t i = 0; i < x->a->n_gaps; i++)
		x->idle_before[i + 1] = x->idle_before[i] + x->a->gaps[i].dur_ns;
}

/* Communication has no waves: it waits for others, and its grid is small on purpose. */
static void look_at_footprints(struct facts *x)
{
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		struct footprint *p = &x->footprint[i];
		if (footprint_read(x->t, row, p) && class_of(x, row) == CLASS_COMMUNICATION)
			p->waves = (float)(p->blocks_per_sm = 0);
	}
}

struct facts facts_of(struct arena *scratch, const struct detect_in *in)
{
	const struct trace *t = in->analysis->trace;
	size_t n = in->analysis->n_device;
	struct facts x = {.t = t,
		.a = in->analysis,
		.h = in->health,
		.counted = in->counted,
		.l = in->ledger,
		.s = in->streams,
		.scratch = scratch,
		.role = arena_array(scratch, t->names.n, 1),
		.known = known_shapes_of(scratch, t),
		.product = pages_grow(NULL, t->n, sizeof(uint32_t)),
		.launch = in->analysis->device_calls,
		.call = arena_array(scratch, n, sizeof(uint32_t)),
		.op = in->analysis->device_ops,
		.footprint = arena_array(scratch, n, sizeof(struct footprint)),
		.previous = arena_array(scratch, n, sizeof(uint32_t)),
		.next = arena_array(scratch, n, sizeof(uint32_t)),
		.calls.row = arena_array(scratch,
			(size_t)(in->health->of_kind[EVENT_RUNTIME] +
				in->health->of_kind[EVENT_DRIVER]),
			sizeof(uint32_t)),
		.idle_before = arena_array(scratch, in->analysis->n_gaps + 1, sizeof(int64_t))};
	for (name_id i = 0; i < t->names.n; i++)
		x.role[i] = (uint8_t)role_of_name(trace_name(t, i));
	look_at_rows(&x);
	look_at_device(&x);
	look_at_work(&x);
	look_at_footprints(&x);
	look_at_queueing(&x);
	look_at_planning(&x);
	sum_gaps(&x);
	x.overhead_spans = union_of(scratch, t, x.overhead.row, x.overhead.n);
	return x;
}

struct facts facts_beside(struct arena *scratch, const struct facts *x)
{
	struct facts beside = *x;
	beside.scratch = scratch;
	beside.known = known_shapes_of(scratch, x->t);
	return beside;
}

void facts_release(struct facts *x)
{
	pages_free(x->product);
	known_shapes_release(x->known);
	free(x->products);
	free(x->waits.row);
	free(x->compiled.row);
	free(x->overhead.row);
	free(x->loaders.row);
	free(x->views.row);
}

/* ---- small questions ---- */

int64_t bytes_of(const struct facts *x, uint32_t copy_row)
{
	const struct trace *t = x->t;
	if (t->kind[copy_row] != EVENT_MEMCPY || t->side[copy_row] == NO_ROW)
		return -1;
	return t->copies[t->side[copy_row]].bytes;
}

struct span_list union_of(
	struct arena *scratch, const struct trace *t, const uint32_t *row, size_t n)
{
	struct span_list s = {.start_ns = arena_array(scratch, n, sizeof(int64_t)),
		.end_ns = arena_array(scratch, n, sizeof(int64_t))};
	for (size_t i = 0; i < n; i++) {
		int64_t start = t->start_ns[row[i]], end = row_end(t, row[i]);
		if (s.n && start <= s.end_ns[s.n - 1]) {
			if (end > s.end_ns[s.n - 1])
				s.end_ns[s.n - 1] = end;
			continue;
		}
		s.start_ns[s.n] = start;
		s.end_ns[s.n++] = end;
	}
	return s;
}

int64_t covered(const struct span_list *s, int64_t from_ns, int64_t to_ns)
{
	/* the first span that ends after from_ns */
	size_t low = first_where(i, 0, s->n, s->end_ns[i] > from_ns);
	int64_t sum = 0;
	for (; low < s->n && s->start_ns[low] < to_ns; low++) {
		int64_t start = s->start_ns[low] > from_ns ? s->start_ns[low] : from_ns;
		int64_t end = s->end_ns[low] < to_ns ? s->end_ns[low] : to_ns;
		sum += end - start;
	}
	return sum;
}

/* Idle time in the window before a moment. */
static int64_t idle_until(const struct facts *x, int64_t time_ns)
{
	const struct analysis *a = x->a;
	/* the first gap that begins at or after time_ns */
	size_t low = first_where(i, 0, a->n_gaps, a->gaps[i].start_ns >= time_ns);
	if (!low)
		return 0;
	const struct gap *g = &a->gaps[low - 1];
	int64_t of_it = time_ns - g->start_ns;
	return x->idle_before[low - 1] + (of_it < g->dur_ns ? of_it : g->dur_ns);
}

int64_t idle_between(const struct facts *x, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? idle_until(x, to_ns) - idle_until(x, from_ns) : 0;
}

int64_t window_ns(const struct analysis *a)
{
	return a->window.end_ns - a->window.start_ns;
}

double median_of(int64_t *samples, size_t n)
{
	return stats_median(samples, n);
}

double median_step_ns(const struct facts *x, uint32_t first)
{
	const struct analysis *a = x->a;
	uint32_t n = a->n_steps - first;
	int64_t *sample = xcalloc(n, sizeof *sample);
	for (uint32_t i = 0; i < n; i++)
		sample[i] = a->steps[first + i].dur_ns;
	double median = median_of(sample, n);
	free(sample);
	return median;
}
