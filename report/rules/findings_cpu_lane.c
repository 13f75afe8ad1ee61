/* SPDX-License-Identifier: Apache-2.0 */
/* C1, C2, C5, C6: the CPU lane. */
#include "report/rules/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- C1: a wide first step ---- */

/* Set-up, of the name that its sentence tells first. */
static void show_setup(const struct facts *x, struct finding *f, const struct step *s)
{
	for (uint32_t i = 0; i < s->n_setup; i++) {
		bool told = x->t->name[s->setup[i]] == s->setup_sum[0].name;
		show(f, s->setup[i], x->t->dur_ns[s->setup[i]] + (told ? INT64_MAX / 4 : 0));
	}
}

static enum finding_state cold_start(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	if (a->n_steps < 2)
		return not_applicable(f, a->n_steps ? REASON_FEW_STEPS : REASON_NO_STEPS);
	const struct step *first = &a->steps[0];
	double median = median_step_ns(x, 1), extra = (double)first->dur_ns - median;
	TELL(f, {"first", (double)first->dur_ns}, {"median", median}, {"steps", a->n_steps},
		{"extra", extra}, {"setup", (double)first->setup_ns});
	if (first->n_setup_sums) {
		tell_text(f, "largest", trace_name(x->t, first->setup_sum[0].name));
		tell(f, "largest_time", (double)first->setup_sum[0].ns);
	}
	gives_back(f, extra);
	show(f, first->row, INT64_MAX);
	if (first->n_setup_sums)
		show_setup(x, f, first);
	if (median <= 0 || (double)first->dur_ns < limit(f, "ratio") * median ||
		extra < limit(f, "extra"))
		return FINDING_NOT_FIRED;
	bool explained = (double)first->setup_ns >= limit(f, "explained") * extra;
	return fired_as(f, explained ? REASON_EXPLAINED : REASON_UNEXPLAINED);
}

struct spans loading_spans(const struct facts *x)
{
	uint32_t *row = arena_array(x->scratch, x->loaders.n, sizeof *row);
	size_t n = 0;
	for (size_t i = 0; i < x->loaders.n; i++)
		if (x->t->track[x->loaders.row[i]] == x->a->main_track)
			row[n++] = x->loaders.row[i];
	return union_of(x->scratch, x->t, row, n);
}

/* ---- C2: a long blank before the first call of a range ---- */

/* The blank at the begin of a step's range, or of the step itself. */
struct blank {
	uint32_t range, first; /* rows; first: the first operator or call in it, NO_ROW */
	int64_t ns; /* without what the data loader took of it */
	int64_t loading_ns;
};

static bool does_work(uint8_t kind)
{
	return kind == EVENT_OP || event_is_call(kind);
}

/* The first range of that name inside a step; 0: any name. */
static uint32_t range_in_step(const struct facts *x, const struct step *s, name_id name)
{
	const struct trace *t = x->t;
	int64_t end = s->start_ns + s->dur_ns;
	for (uint32_t i = s->row + 1; i < t->n && t->start_ns[i] < end; i++) {
		if (t->track[i] != x->a->main_track)
			continue;
		if (t->kind[i] == EVENT_ANNOTATION && x->a->class[i] == CLASS_ANNOTATION &&
			(!name || t->name[i] == name))
			return i;
		if (!name && does_work(t->kind[i]))
			return NO_ROW;
	}
	return NO_ROW;
}

/* Rows [from, to) that do no work on the launching thread: ranges that lie in each other are looked
 * through once. */
struct idle_rows {
	uint32_t from, to;
};

static struct blank blank_at(
	const struct facts *x, const struct spans *loading, struct idle_rows *idle, uint32_t range)
{
	const struct trace *t = x->t;
	struct blank b = {.range = range, .first = NO_ROW};
	uint32_t i = range + 1;
	if (i >= idle->from && i < idle->to)
		i = idle->to;
	else
		idle->from = i;
	for (idle->to = i; i < t->n && t->start_ns[i] < row_end(t, range); idle->to = ++i) {
		if (t->track[i] != x->a->main_track || !does_work(t->kind[i]))
			continue;
		b.first = i;
		b.loading_ns = spans_covered(loading, t->start_ns[range], t->start_ns[i]);
		b.ns = t->start_ns[i] - t->start_ns[range] - b.loading_ns;
		break;
	}
	return b;
}

static enum finding_state late_first_call(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	if (a->n_steps < 2)
		return not_applicable(f, a->n_steps ? REASON_FEW_STEPS : REASON_NO_STEPS);
	uint32_t range = range_in_step(x, &a->steps[0], 0);
	name_id name = range == NO_ROW ? 0 : x->t->name[range];
	struct spans loading = loading_spans(x);
	struct idle_rows idle = {0};
	struct blank first = blank_at(x, &loading, &idle, name ? range : a->steps[0].row);
	int64_t *others = xcalloc(a->n_steps, sizeof *others);
	size_t n = 0;
	for (uint32_t s = 1; s < a->n_steps; s++) {
		range = name ? range_in_step(x, &a->steps[s], name) : a->steps[s].row;
		struct blank b = {.first = NO_ROW};
		if (range != NO_ROW)
			b = blank_at(x, &loading, &idle, range);
		if (b.first != NO_ROW)
			others[n++] = b.ns;
	}
	double median = n ? median_of(others, n) : 0;
	free(others);
	if (first.first == NO_ROW || !n)
		return not_applicable(f, REASON_NO_OPS);
	double extra = (double)first.ns - median;
	tell_name(f, "range", x->t, first.range);
	tell_name(f, "call", x->t, first.first);
	TELL(f, {"first", (double)first.ns}, {"median", median}, {"extra", extra},
		{"loading", (double)first.loading_ns});
	gives_back(f, extra);
	show(f, first.range, 2);
	show(f, first.first, 1);
	f->advice = first.loading_ns ? REASON_LOADER : REASON_NONE;
	return fired_if(
		(double)first.ns >= limit(f, "ratio") * median && extra >= limit(f, "extra"));
}

/* ---- C5: a long wait at the end ---- */

/* The last call that waits, when nothing is put in a queue after it; NO_ROW. */
static uint32_t last_wait(const struct facts *x)
{
	uint32_t last = x->waits.n ? x->waits.row[x->waits.n - 1] : 0;
	return x->waits.n && last >= x->after_last ? x->calls.row[last] : NO_ROW;
}

static enum finding_reason kind_of_wait(const struct finding *f, double flush, double busy)
{
	if (flush >= limit(f, "flush"))
		return REASON_FLUSH;
	if (busy >= limit(f, "waited"))
		return REASON_WAITED;
	return busy <= limit(f, "idle") ? REASON_IDLE : REASON_MIXED;
}

static enum finding_state long_last_wait(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	const struct trace *t = x->t;
	if (!a->n_syncs)
		return not_applicable(f, REASON_NO_SYNCS);
	if (!a->n_device)
		return not_applicable(f, REASON_NO_DEVICE);
	uint32_t z = last_wait(x);
	if (z == NO_ROW || !t->dur_ns[z] ||
		(a->n_steps && t->start_ns[z] < a->steps[a->n_steps - 1].start_ns))
		return FINDING_NOT_FIRED;
	double wait = (double)t->dur_ns[z];
	double busy = (double)busy_between(a, t->start_ns[z], row_end(t, z), false) / wait;
	double flush =
		(double)spans_covered(&x->overhead_spans, t->start_ns[z], row_end(t, z)) / wait;
	tell_name(f, "call", t, z);
	TELL(f, {"wait", wait}, {"of_window", share_of(wait, (double)window_ns(a))}, {"busy", busy},
		{"idle", 1 - busy}, {"flush", flush});
	bool wide = wait >= limit(f, "window") * (double)window_ns(a);
	if (a->n_steps) {
		tell(f, "step", median_step_ns(x, steady_from(a)));
		wide |= wait >= limit(f, "steps") * median_step_ns(x, steady_from(a));
	}
	show(f, z, 1);
	return wide ? fired_as(f, kind_of_wait(f, flush, busy)) : FINDING_NOT_FIRED;
}

/* ---- C6: a copy that nobody wrote ---- */

/* The innermost operator or range around a call; NO_ROW when it is one that is there to copy. A
 * copy inside an operator of products is nobody's wish, whichever copying operator that one uses.
 */
static uint32_t unasked_scope(const struct facts *x, uint32_t call)
{
	const struct trace *t = x->t;
	bool copying = false;
	for (uint32_t row = call; row != NO_ROW; row = t->parent[row]) {
		if (t->kind[row] != EVENT_OP && t->kind[row] != EVENT_ANNOTATION)
			continue;
		enum role role = role_of(x, row);
		if (role == ROLE_COPYING || (copying && role == ROLE_VIEW))
			copying = true;
		else
			return !copying || product_around(x, row) != NO_ROW ? row : NO_ROW;
	}
	return NO_ROW;
}

/* The bias of an addmm: the scope says so, or the next on the stream is a GEMM whose result is as
 * large as the copy. */
static enum finding_reason reason_of_copy(const struct facts *x, size_t i, uint32_t scope)
{
	if (role_of(x, scope) == ROLE_ADDMM || strstr(row_name(x, scope), "addmm"))
		return REASON_ADDMM;
	uint32_t next = x->next[i];
	if (next == NO_ROW || !is_gemm(class_of(x, device_row(x, next))))
		return REASON_NONE;
	struct product p;
	bool known = product_of_event(x, next, &p);
	int64_t bytes = bytes_of(x, device_row(x, i));
	if (known && p.element_bytes && bytes >= 0 &&
		bytes != p.batch * p.m * p.n * p.element_bytes)
		return REASON_NONE;
	return REASON_BEFORE_GEMM;
}

static bool is_hidden_copy(const struct facts *x, size_t i, uint32_t *scope)
{
	uint32_t row = device_row(x, i), call = x->launch[i];
	if (!copies_within(x, row) || call == NO_ROW || class_of(x, call) != CLASS_COPY_CALL)
		return false;
	*scope = unasked_scope(x, call);
	return *scope != NO_ROW;
}

/* The addend of the addmm that asked for a copy is a matrix as large as the copy, no row of a bias:
 * nothing is left that the product could add by itself. */
static bool adds_a_matrix(const struct facts *x, uint32_t copy)
{
	int64_t rows, columns, element;
	uint32_t call = analysis_launch_of(x->t, copy), op = call;
	while (op != NO_ROW && (x->t->kind[op] != EVENT_OP || role_of(x, op) != ROLE_ADDMM))
		op = x->t->parent[op];
	return op != NO_ROW && first_input(x->a, op, &rows, &columns, &element) &&
		rows * columns * element == bytes_of(x, copy);
}

/* The time of copies by what they are for; one of no time counts a nanosecond. */
struct copied_ns {
	double addmm, before_gemm, none;
};

static void add_copied(struct copied_ns *p, enum finding_reason of, double ns)
{
	double *sum = of == REASON_ADDMM   ? &p->addmm
		: of == REASON_BEFORE_GEMM ? &p->before_gemm
					   : &p->none;
	*sum += ns + 1;
}

static enum finding_reason most_copied(const struct copied_ns *p)
{
	double most = fmax(p->addmm, p->before_gemm);
	if (p->none > most)
		return REASON_NONE;
	return p->addmm > p->before_gemm ? REASON_ADDMM : REASON_BEFORE_GEMM;
}

static enum finding_state hidden_copy(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double copies = 0, bytes = 0, time = 0, least = limit(f, "bytes");
	struct copied_ns copied = {0};
	uint32_t largest = NO_ROW, scope;
	bool untold = false;
	if (!x->n_links)
		return not_applicable(f, x->a->n_device ? REASON_NO_LINKS : REASON_NO_DEVICE);
	for (size_t k = 0; k < x->copies.n; k++) {
		uint32_t i = x->copies.row[k], row = device_row(x, i);
		double size = (double)bytes_of(x, row), ns = (double)t->dur_ns[row];
		if ((size >= 0 && size < least) || !is_hidden_copy(x, i, &scope))
			continue;
		copies++;
		time += ns;
		bytes += size;
		untold |= size < 0;
		add_copied(&copied, reason_of_copy(x, i, scope), ns);
		show(f, row, t->dur_ns[row]);
		if (largest != NO_ROW && t->dur_ns[row] <= t->dur_ns[largest])
			continue;
		largest = row;
		tell_name(f, "scope", t, scope);
	}
	TELL(f, {"copies", copies}, {"time", time});
	if (!untold)
		tell(f, "bytes", bytes);
	gives_back(f, time);
	if (!copies)
		return FINDING_NOT_FIRED;
	f->reason = most_copied(&copied);
	if (f->reason == REASON_ADDMM && adds_a_matrix(x, largest))
		f->advice = REASON_FULL_ADDEND;
	return FINDING_FIRED;
}

static const struct rule first_rows[] = {
	{.id = "WIDE-FIRST-STEP",
		.label = "C1",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_START,
		.threshold = {{"ratio", 2, UNIT_RATIO}, {"extra", 30000, UNIT_NS},
			{"explained", 0.5, UNIT_SHARE}},
		.value = {{"first", UNIT_NS}, {"median", UNIT_NS}, {"steps", UNIT_COUNT},
			{"extra", UNIT_NS}, {"setup", UNIT_NS}, {"largest", UNIT_TEXT},
			{"largest_time", UNIT_NS}},
		.one = cold_start},
	{.id = "LATE-FIRST-CALL",
		.label = "C2",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_START,
		.threshold = {{"ratio", 5, UNIT_RATIO}, {"extra", 50000, UNIT_NS}},
		.value = {{"range", UNIT_TEXT}, {"call", UNIT_TEXT}, {"first", UNIT_NS},
			{"median", UNIT_NS}, {"extra", UNIT_NS}, {"loading", UNIT_NS}},
		.one = late_first_call},
};

const struct rule_list findings_start_rows = RULE_LIST(first_rows);

static const struct rule last_rows[] = {
	{.id = "WAIT-AT-END",
		.label = "C5",
		.page = PAGE_DESCRIBES,
		.threshold = {{"steps", 3, UNIT_RATIO}, {"window", 0.25, UNIT_SHARE},
			{"flush", 0.5, UNIT_SHARE}, {"waited", 0.8, UNIT_SHARE},
			{"idle", 0.1, UNIT_SHARE}},
		.value = {{"call", UNIT_TEXT}, {"wait", UNIT_NS}, {"of_window", UNIT_SHARE},
			{"step", UNIT_NS}, {"busy", UNIT_SHARE}, {"idle", UNIT_SHARE},
			{"flush", UNIT_SHARE}},
		.one = long_last_wait},
	{.id = "HIDDEN-COPY",
		.label = "C6",
		.repeats = {"rewrites"},
		.gain = GAIN_BUSY,
		.threshold = {{"bytes", 256, UNIT_BYTES}},
		.value = {{"copies", UNIT_COUNT}, {"bytes", UNIT_BYTES}, {"time", UNIT_NS},
			{"scope", UNIT_TEXT}},
		.one = hidden_copy},
};

const struct rule_list findings_end_rows = RULE_LIST(last_rows);
