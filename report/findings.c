#include "report/findings.h"

#include "report/format.h"
#include "report/rich.h"
#include "report/shorten.h"
#include "report/thresholds.h"

#include <stdlib.h>
#include <string.h>

struct callouts {
	const struct finding *finding[MOST_CALLOUTS]; /* (n) mark i + 1 */
	int n;
	const struct finding **rest; /* (n_rest) fired, without a mark */
	int n_rest;
};

/* ---- words ---- */

static const cJSON *entry_of(const struct document *d, const char *id)
{
	const cJSON *list = config_find(texts_data(d->texts, "findings"), "findings"), *e;
	cJSON_ArrayForEach(e, list)
	{
		const char *name = cJSON_GetStringValue(config_find(e, "id"));
		if (name && !strcmp(name, id))
			return e;
	}
	return NULL;
}

static const char *value_text(
	struct arena *a, enum finding_unit unit, const struct finding_value *v)
{
	if (!v->known)
		return "–";
	switch (unit) {
	case UNIT_SHARE:
		return format_share(a, v->number);
	case UNIT_RATIO:
		return format_ratio(a, v->number);
	case UNIT_COUNT:
		return v->number == (double)(int64_t)v->number ? format_count(a, (int64_t)v->number)
							       : arena_printf(a, "%.1f", v->number);
	case UNIT_NS:
		return format_time(a, v->number);
	case UNIT_BYTES:
		return format_si(a, v->number, "B");
	case UNIT_BYTES_PER_S:
		return format_si(a, v->number, "B/s");
	case UNIT_FLOP:
		return format_si(a, v->number, "FLOP");
	case UNIT_FLOP_PER_S:
		return format_si(a, v->number, "FLOP/s");
	default:
		return v->text ? brief_name(a, v->text) : "–";
	}
}

/* The sentence for the reason, where there is one; else the plain one. */
static const char *sentence_of(const cJSON *entry, const struct finding *f)
{
	const cJSON *by_reason = config_find(entry, "sentences");
	const char *s =
		cJSON_GetStringValue(config_find(by_reason, finding_reason_name(f->reason)));
	return s ? s : cJSON_GetStringValue(config_find(entry, "sentence"));
}

const char *finding_text(struct document *d, const struct finding *f)
{
	const cJSON *entry = entry_of(d, f->detector->id);
	const char *sentence = entry ? sentence_of(entry, f) : NULL;
	struct text_value values[DETECTOR_VALUES + DETECTOR_THRESHOLDS];
	int n = 0;
	for (int i = 0; i < DETECTOR_VALUES && f->detector->value[i].name; i++)
		values[n++] = (struct text_value){f->detector->value[i].name,
			value_text(d->arena, f->detector->value[i].unit, &f->value[i])};
	for (int i = 0; i < DETECTOR_THRESHOLDS && f->detector->threshold[i].name; i++)
		values[n++] = (struct text_value){
			arena_printf(d->arena, "threshold.%s", f->detector->threshold[i].name),
			value_text(d->arena, f->detector->threshold[i].unit,
				&(struct finding_value){true, f->threshold[i], NULL})};
	const char *title = cJSON_GetStringValue(config_find(entry, "title"));
	const char *advice = cJSON_GetStringValue(config_find(entry, "do"));
	return say(d->texts, d->arena, advice && advice[0] ? "finding.line" : "finding.line.short",
		"id", f->detector->id, "title", title ? title : f->detector->name, "sentence",
		fill_text(d->texts, d->arena, "findings", f->detector->id, sentence ? sentence : "",
			values, n),
		"do", advice ? advice : "", NULL);
}

/* ---- marks ---- */

/* The first of its events that the timeline shows, NO_ROW if none. */
static uint32_t shown_evidence(const struct finding *f, const struct timeline *tl)
{
	for (int i = 0; i < f->n_evidence; i++)
		if (timeline_shows(tl, f->evidence[i]))
			return f->evidence[i];
	return NO_ROW;
}

static int by_place(const void *a, const void *b)
{
	const struct callout *x = a, *y = b;
	return (x->row > y->row) - (x->row < y->row);
}

/* Marks are numbered from left to right. */
static void number_marks(struct callout *mark, struct callouts *chosen)
{
	const struct finding *by_rank[MOST_CALLOUTS];
	memcpy(by_rank, chosen->finding, sizeof by_rank);
	qsort(mark, (size_t)chosen->n, sizeof *mark, by_place);
	for (int i = 0; i < chosen->n; i++) {
		chosen->finding[i] = by_rank[mark[i].number];
		mark[i].number = i + 1;
	}
}

struct callouts *choose_callouts(
	struct document *d, const struct report_case *c, struct timeline *tl)
{
	const struct findings *all = &c->findings;
	struct callouts *chosen = arena_alloc(d->arena, sizeof *chosen);
	struct callout *mark = arena_array(d->arena, MOST_CALLOUTS, sizeof *mark);
	chosen->rest = arena_array(d->arena, (size_t)all->n_fired + 1, sizeof *chosen->rest);
	for (int i = 0; i < all->n_fired; i++) {
		const struct finding *f = &all->finding[all->ranked[i]];
		uint32_t row = chosen->n < MOST_CALLOUTS ? shown_evidence(f, tl) : NO_ROW;
		if (row == NO_ROW) {
			chosen->rest[chosen->n_rest++] = f;
			continue;
		}
		mark[chosen->n] = (struct callout){.row = row, .number = chosen->n};
		chosen->finding[chosen->n++] = f;
	}
	number_marks(mark, chosen);
	tl->callouts = mark;
	tl->n_callouts = chosen->n;
	return chosen;
}

/* By which thresholds these fired. */
static void add_limits(struct document *d, const struct finding *const *fired, int n)
{
	const char *list = thresholds_of(d, fired, n);
	if (list[0])
		document_add(d, BLOCK_CAPTION,
			say(d->texts, d->arena, "finding.limits", "list", list, NULL));
}

static void add_rest(struct document *d, const struct callouts *chosen)
{
	struct arena *a = d->arena;
	const char *list = "";
	for (int i = 0; i < chosen->n_rest; i++) {
		const cJSON *entry = entry_of(d, chosen->rest[i]->detector->id);
		const char *title = cJSON_GetStringValue(config_find(entry, "title"));
		list = arena_printf(a, "%s%s%s (%s)", list, i ? ", " : "",
			title ? rich_plain(a, title) : chosen->rest[i]->detector->name,
			chosen->rest[i]->detector->id);
	}
	if (chosen->n_rest)
		document_add(
			d, BLOCK_CAPTION, say(d->texts, a, "finding.rest", "list", list, NULL));
}

void add_callouts(struct document *d, const struct report_case *c, const struct callouts *chosen)
{
	(void)c;
	static const char *const discs[] = {"①", "②", "③", "④", "⑤", "⑥", "⑦", "⑧", "⑨"};
	for (int i = 0; i < chosen->n; i++) {
		struct block *b = document_add(d, BLOCK_POINT, finding_text(d, chosen->finding[i]));
		b->note = discs[i];
		b->small = true;
	}
	add_rest(d, chosen);
	int n = chosen->n + chosen->n_rest;
	const struct finding **all = arena_array(d->arena, (size_t)n + 1, sizeof *all);
	for (int i = 0; i < n; i++)
		all[i] = i < chosen->n ? chosen->finding[i] : chosen->rest[i - chosen->n];
	add_limits(d, all, n);
}

static bool has_fired(const struct findings *all, const char *detector)
{
	for (int i = 0; i < all->n_fired; i++)
		if (!strcmp(all->finding[all->ranked[i]].detector->id, detector))
			return true;
	return false;
}

bool case_fired(const struct report_case *c, const char *detector)
{
	if (c->readable && has_fired(&c->findings, detector))
		return true;
	for (const struct compared_case *one = c->compared; one; one = one->next)
		if (has_fired(&one->findings, detector))
			return true;
	return false;
}

void add_compared(struct document *d, const struct report_case *c)
{
	const struct finding **fired =
		arena_array(d->arena, (size_t)detector_count(), sizeof *fired);
	for (const struct compared_case *one = c->compared; one; one = one->next) {
		const struct findings *all = &one->findings;
		for (int i = 0; i < all->n_fired; i++) {
			fired[i] = &all->finding[all->ranked[i]];
			struct block *b = document_add(d, BLOCK_POINT,
				say(d->texts, d->arena, "finding.beside", "case", one->base->title,
					"line", finding_text(d, fired[i]), NULL));
			b->note = "⇄";
			b->small = true;
		}
		add_limits(d, fired, all->n_fired);
	}
}
