/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/analyse/case_numbers.h"
#include "report/course/case_work.h"
#include "report/course/chapters.h"
#include "report/course/kernel_words.h"
#include "report/course/parts.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/parts.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 24, MOST_GEMMS = 8, PARTS = 2 };

static const struct step *steady_step(const struct report_case *c)
{
	return &c->analysis->steps[steady_from(c->analysis)];
}

/* ---- names of products ---- */

static int gemms_of(const struct report_case *c, const char *name[MOST_GEMMS])
{
	const struct step *s = steady_step(c);
	int n = 0;
	for (uint32_t i = 0; i < s->n_device && n < MOST_GEMMS; i++)
		if (c->analysis->class[s->device[i]] == CLASS_GEMM)
			name[n++] = trace_row_name(&c->trace, s->device[i]);
	return n;
}

const char *work_ratio(
	struct document *d, const struct report_case *first, const struct report_case *c)
{
	static const double LEAST = 1.5;
	double ratio = told_work(c)->flop / told_work(first)->flop;
	if (!isfinite(ratio) || (ratio < LEAST && ratio > 1 / LEAST))
		return "";
	return said(d, "compare.work", "title", c->title, "first", first->title, "ratio",
		format_ratio(d->arena, ratio), NULL);
}

const char *gemms_of_case(struct document *d, const struct report_case *c)
{
	const char *list = "";
	for (uint32_t i = 0; i < c->analysis->n_activities; i++) {
		const struct activity *act = &c->analysis->activities[i];
		const char *name = trace_name(&c->trace, act->name);
		if (act->class == CLASS_GEMM && !strstr(list, name))
			list = listed(d->arena, list, ", ", name);
	}
	return list[0] ? literal(d, list) : "–";
}

const char *gemm_difference(struct document *d, const struct report_case *from,
	const struct report_case *to, int most_parts)
{
	const char *x[MOST_GEMMS], *y[MOST_GEMMS], *list = "";
	int n = gemms_of(from, x), m = gemms_of(to, y);
	if (!n || !m)
		return NULL;
	if (n != m)
		return said(d, "closing.gemm.count", "from", format_count(d->arena, n), "to",
			format_count(d->arena, m), NULL);
	for (int i = 0; i < n; i++) {
		const char *text = decoded_difference(d->texts, d->arena, x[i], y[i], most_parts);
		if (text && !strstr(list, text))
			list = listed(d->arena, list, "; ", text);
	}
	return list;
}

/* ---- what became of it ---- */

/* Device events of a step by class, and the bytes of what is done around its product. */
struct contents {
	uint32_t n[CLASSES], events;
	double around_bytes, written_bytes, all_bytes;
};

static struct contents contents_of(const struct report_case *c)
{
	const struct step *s = steady_step(c);
	struct contents k = {.events = s->n_device, .all_bytes = step_bytes(c, s)};
	for (uint32_t i = 0; i < s->n_device; i++) {
		int class = c->analysis->class[s->device[i]];
		struct work w = work_of(c, s, i);
		k.n[class]++;
		if (class_of_product((uint8_t) class))
			continue;
		k.around_bytes += w.read_bytes + w.write_bytes;
		k.written_bytes = fmax(k.written_bytes, w.write_bytes);
	}
	/* A product that adds onto its result reads it once more. */
	if (k.n[CLASS_COPY] == 1 && k.n[CLASS_GEMM] == 1)
		k.around_bytes += k.written_bytes;
	return k;
}

static const char *epilogue_key(const struct report_case *c)
{
	static const char *const keys[] = {[EPILOGUE_NONE] = "closing.other",
		[EPILOGUE_BIAS] = "closing.bias",
		[EPILOGUE_ADDEND] = "closing.epilogue"};
	return keys[product_epilogue(c, steady_step(c))];
}

/* By what ran, whatever the kind of work. */
static const char *key_of(const struct report_case *c, const struct contents *k)
{
	if (k->events == 1 && !k->n[CLASS_GEMM])
		return "closing.one";
	if (k->n[CLASS_GELU] == 1 && k->n[CLASS_MUL] == 1)
		return "closing.gelu_mul";
	if (k->n[CLASS_FUSED] == 1 && k->n[CLASS_GEMM])
		return "closing.fused";
	if (k->n[CLASS_GEMM] != 1)
		return "closing.other";
	if (k->events - k->n[CLASS_SPLITK] - k->n[CLASS_CLEAR] == 1)
		return epilogue_key(c);
	if (k->n[CLASS_ADD] + k->n[CLASS_COPY] != 1 || !adds_a_matrix(c))
		return "closing.other";
	return k->n[CLASS_ADD] ? "closing.add" : "closing.copy";
}

static bool is_eager(const struct report_case *c)
{
	return !strcmp(c->work->mode, "eager");
}

/* The eager case of the same workload, shape and type. */
static const struct report_case *eager_of(const struct report_case *c)
{
	for (int i = 0; i < c->run->n_cases; i++) {
		const struct report_case *e = &c->run->cases[i];
		if (e != c && e->work && e->readable && e->analysis->n_steps && is_eager(e) &&
			!strcmp(e->work->workload, c->work->workload) &&
			e->work->dtype == c->work->dtype &&
			same_sizes(&e->work->shape, &c->work->shape))
			return e;
	}
	return NULL;
}

/* NULL: it is the eager one, or there is none; "": the same products. */
static const char *against_eager(struct document *d, const struct report_case *c)
{
	const struct report_case *eager = is_eager(c) ? NULL : eager_of(c);
	return eager ? gemm_difference(d, eager, c, PARTS) : NULL;
}

static const char *product_sentence(struct document *d, const char *difference)
{
	if (!difference)
		return "";
	return said(d, difference[0] ? "closing.other_gemm" : "closing.same_gemm", "difference",
		difference, NULL);
}

static const char *moved_sentence(struct document *d, const struct report_case *c)
{
	struct contents k = contents_of(c);
	struct arena *a = d->arena;
	double bias = work_size(c->work, "out_dim") * work_element_bytes(c->work);
	const char *key = key_of(c, &k);
	bool known = isfinite(k.around_bytes) && (isfinite(k.all_bytes) || k.around_bytes > 0);
	return said(d, known ? key : "closing.other", "tensor", format_si(a, k.written_bytes, "B"),
		"moved", format_si(a, k.around_bytes, "B"), "all", format_si(a, k.all_bytes, "B"),
		"bias", format_si(a, bias, "B"), "n", format_count(a, k.events), NULL);
}

const char *closing_sentence(struct document *d, const struct report_case *c)
{
	return arena_printf(
		d->arena, "%s%s", moved_sentence(d, c), product_sentence(d, against_eager(d, c)));
}

/* What another machine's recording of the case says otherwise; "": nothing. */
static const char *elsewhere_sentence(
	struct document *d, const struct report_case *c, const struct report_case *there)
{
	const char *mine = against_eager(d, c), *its = against_eager(d, there),
		   *device = recorded_device(there->run);
	if (strcmp(moved_sentence(d, c), moved_sentence(d, there)) != 0)
		return said(d, "closing.there", "device", device, "sentence",
			closing_sentence(d, there), NULL);
	if (!its || (mine && !strcmp(mine, its)))
		return "";
	return said(d, its[0] ? "closing.there.other_gemm" : "closing.there.same_gemm", "device",
		device, "difference", its, NULL);
}

/* ---- the table ---- */

static bool same_kind(const struct report_case *a, const struct report_case *b)
{
	return !strcmp(a->work->workload, b->work->workload) &&
		!strcmp(a->work->mode, b->work->mode);
}

/* Warm before cold, large before small, plain before what changes its shape. */
static bool stands_for_more(const struct report_case *a, const struct report_case *b)
{
	const struct case_work *x = a->work, *y = b->work;
	bool changes = work_size(x, "then_batch") > 0;
	if (changes != (work_size(y, "then_batch") > 0))
		return !changes;
	return x->warm != y->warm ? x->warm : x->flop > y->flop;
}

/* Attention has chapters of its own. */
static bool attends(const struct case_work *w)
{
	for (int i = 0; i < w->n_kernels; i++)
		if (w->kernel[i].class == CLASS_ATTENTION)
			return true;
	return false;
}

static int choose(const struct run *run, const struct report_case *chosen[MOST_ROWS])
{
	int n = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!c->work || attends(c->work) || !c->readable || !c->analysis->n_steps ||
			!steady_step(c)->n_device)
			continue;
		int at = 0;
		while (at < n && !same_kind(chosen[at], c))
			at++;
		if (at < n && stands_for_more(c, chosen[at]))
			chosen[at] = c;
		else if (at == n && n < MOST_ROWS)
			chosen[n++] = c;
	}
	return n;
}

static const char *seen_classes(struct arena *a, const struct report_case *c)
{
	const struct step *s = steady_step(c);
	struct text_builder list = {.arena = a};
	bool cleared = false;
	for (uint32_t i = 0; i < s->n_device; i++) {
		enum event_class class = c->analysis->class[s->device[i]];
		if (class != CLASS_CLEAR)
			text_add(&list, "%s%s%s", text_separator(&list, ", "),
				event_class_name(class), cleared ? " (+ fill)" : "");
		cleared = class == CLASS_CLEAR;
	}
	return text_built(&list);
}

static const struct verdict *step_verdict(const struct report_case *c)
{
	for (int i = 0; i < c->verdicts->n; i++)
		if (!strcmp(c->verdicts->verdict[i].key, "step"))
			return &c->verdicts->verdict[i];
	return NULL;
}

static const struct table_form form = {.size = 8,
				       .column = {{"closing.case", .weight = 22},
					       {"closing.predicted", .weight = 17},
					       {"closing.seen", COLUMN_VERDICT, 19},
					       {"closing.rows", COLUMN_NUMBER},
					       {"closing.what", .weight = 46}}},
			       both_form = {.size = 8,
				       .column = {{"closing.case", .weight = 22},
					       {"closing.predicted", .weight = 14},
					       {"closing.seen.here", COLUMN_VERDICT, 16},
					       {"closing.seen.there", COLUMN_VERDICT, 18},
					       {"closing.what", .weight = 56}}};

static void put_seen(struct rows *t, const struct report_case *c)
{
	static const enum verdict_colour colours[] = {KEPT, BROKEN, OPEN};
	static const char *const keys[] = {"closing.kept", "closing.broken", "closing.open"};
	struct document *d = t->d;
	const struct verdict *v = c ? step_verdict(c) : NULL;
	if (!c) {
		put(t, "–");
		return;
	}
	const char *seen = seen_classes(d->arena, c);
	put(t,
		said(d, v ? keys[v->state] : "closing.open", "seen",
			v && v->state == VERDICT_BROKEN ? v->observed : seen, NULL))
		->verdict = v ? colours[v->state] : OPEN;
}

static const struct report_case *case_there(const struct input *there, const struct report_case *c)
{
	const struct report_case *its = there ? chapter_case(there, c->id) : NULL;
	return its && its->work && steady_step(its)->n_device ? its : NULL;
}

static void put_row(struct rows *t, const struct report_case *c, const struct input *there)
{
	struct document *d = t->d;
	const struct verdict *v = step_verdict(c);
	const struct report_case *its = case_there(there, c);
	put(t,
		said(d, "summary.case.link", "title", case_label(d->arena, c), "place", c->place,
			NULL));
	put(t, v ? literal(d, v->expected) : "–");
	put_seen(t, c);
	if (there)
		put_seen(t, its);
	else
		put_count(t, numbers_of(c->analysis).ops);
	put(t,
		arena_printf(d->arena, "%s%s", closing_sentence(d, c),
			its ? elsewhere_sentence(d, c, its) : ""));
}

void add_closing_table(struct document *d, const struct run *run, const struct input *there)
{
	const struct report_case *chosen[MOST_ROWS];
	int n = choose(run, chosen);
	if (!n)
		return;
	document_heading(d, 2, NULL, said(d, "closing.title", NULL));
	bool scaled = false;
	for (int i = 0; i < n; i++)
		scaled = scaled || case_scaled_untold(chosen[i]);
	document_say(d, BLOCK_CAPTION, "closing.about", "scaled",
		scaled ? said(d, "closing.scaled", NULL) : "", NULL)
		->level = 1;
	struct rows t = rows_begin(d, there ? &both_form : &form, 0);
	for (int i = 0; i < n; i++)
		put_row(&t, chosen[i], there);
}
