/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/fact_tables.h"

#include "base/err.h"
#include "report/page/table_builder.h"
#include "report/section/value_words.h"

#include <math.h>
#include <string.h>

struct tables_source case_facts(struct arena *a, const struct report_case *c)
{
	return (struct tables_source){.arena = a,
		.a = c->analysis,
		.idle_causes = c->idle_causes,
		.streams = c->streams,
		.memory = c->memory,
		.breakdown = c->breakdown,
		.health = c->health,
		.launches = c->launches,
		.totals = c->totals};
}

static struct rows begin(struct document *d, const struct fact_form *form)
{
	struct table_form *f = arena_alloc(d->arena, sizeof *f);
	*f = (struct table_form){0};
	for (int i = 0; form->column[i].of; i++) {
		const struct fact_column *c = &form->column[i];
		f->column[i] = (struct column){.title = c->title,
			.kind = c->cell == FACT_WORD  ? COLUMN_TEXT
				: c->cell == FACT_BAR ? COLUMN_BAR
						      : COLUMN_NUMBER,
			.weight = c->weight};
	}
	return rows_begin(d, f, 0);
}

static const struct tables_value *value_of(
	const struct result_table *t, size_t row, const char *column)
{
	for (int c = 0; c < t->n_columns; c++)
		if (!strcmp(t->form->column[c].name, column))
			return &t->value[row * (size_t)t->n_columns + (size_t)c];
	bug("the table \"%s\" has no column \"%s\"", t->form->id, column);
}

static const char *text_of(
	struct arena *a, const struct result_table *t, const struct tables_value *v)
{
	size_t column = (size_t)(v - t->value) % (size_t)t->n_columns;
	return isfinite(v->number)
		? value_in_words(a, t->form->column[column].unit, v->number, NULL)
		: "";
}

static void put_fact(struct rows *to, const struct fact_form *form, const struct fact_column *c,
	const struct result_table *t, size_t row)
{
	struct arena *a = to->d->arena;
	const struct tables_value *v = value_of(t, row, c->of);
	const char *name = t->value[row * (size_t)t->n_columns].text;
	switch (c->cell) {
	case FACT_WORD:
		put(to,
			said(to->d,
				arena_printf(a, "%s%s%s", c->word, v->text, c->end ? c->end : ""),
				NULL))
			->swatch = form->swatch_words ? form->swatch(name) : NULL;
		break;
	case FACT_SPREAD: /* a single one has none */
		put(to,
			isfinite(v->number)
				? arena_printf(a, "%s – %s", text_of(a, t, v), text_of(a, t, v + 1))
				: isfinite(v[-1].number) ? "–"
							 : "");
		break;
	case FACT_BAR:
		put_bar(to, v->number, form->swatch(name));
		break;
	default:
		put(to, text_of(a, t, v));
	}
}

void add_facts(struct document *d, const struct report_case *c, const struct fact_form *form)
{
	const struct tables_source s = case_facts(d->arena, c);
	struct result_table t = tables_of(tables_named(form->table), &s);
	if (!t.n)
		return;
	struct rows to = begin(d, form);
	for (size_t row = 0; row < t.n; row++)
		for (int i = 0; form->column[i].of; i++)
			put_fact(&to, form, &form->column[i], &t, row);
}
