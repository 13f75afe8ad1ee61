/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a chapter's box that are one time over another, as strips. */
#include "report/course/chapters.h"

#include "base/number_format.h"
#include "report/course/ratio_strips.h"
#include "report/figure/figures.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"

#include <string.h>

bool in_strips(const cJSON *row)
{
	const char *measure = config_words(row, "measure");
	return config_words(row, "over")[0] &&
		(!strcmp(measure, "cpu") || !strcmp(measure, "device"));
}

/* Ratio 0 where one of the cases is not there. */
static struct sure_ratio ratio_in(
	const struct document *d, const struct input *in, const cJSON *row)
{
	const struct report_case *c = in ? chapter_case(in, config_words(row, "case")) : NULL,
				 *over = in ? chapter_case(in, config_words(row, "over")) : NULL;
	bool device = !strcmp(config_words(row, "measure"), "device");
	return c && over ? case_ratio(d->arena, c, over, device) : (struct sure_ratio){0};
}

/* "64 × 64: compiled ÷ eager, H200: 0.56× [0.21–0.78]; ..." */
static const char *strips_in_words(struct document *d, const struct ratio_strips *s)
{
	const char *list = "";
	for (int i = 0; i < s->n; i++)
		for (int k = 0; k < STRIP_MACHINES; k++)
			if (s->row[i].at[k].ratio > 0)
				list = listed(d->arena, list, "; ",
					said(d, "strips.one", "what", s->row[i].what, "machine",
						s->machine[k], "ratio",
						sure_text(d->texts, d->arena, &s->row[i].at[k]),
						NULL));
	return list;
}

static struct ratio_strips *strips_of(
	struct document *d, const struct input *in, const cJSON *chapter)
{
	struct ratio_strips *s = arena_alloc(d->arena, sizeof *s);
	const struct input *there = d->parts ? &in->recorded->input[0] : NULL;
	const cJSON *row;
	*s = (struct ratio_strips){.texts = d->texts,
		.fonts = d->fonts,
		.machine = {said(d, "strips.here", NULL),
			there ? said(d, "strips.there", NULL) : NULL}};
	cJSON_ArrayForEach(row, config_find(chapter, "box"))
	{
		if (!in_strips(row) || s->n == MOST_STRIPS)
			continue;
		struct ratio_strip *one = &s->row[s->n];
		*one = (struct ratio_strip){.what = config_words(row, "what"),
			.posts = config_words(row, "posts"),
			.at = {ratio_in(d, in, row), ratio_in(d, there, row)}};
		s->n += one->at[0].ratio > 0 || one->at[1].ratio > 0;
	}
	return s;
}

void add_chapter_strips(struct document *d, const struct input *in, const cJSON *chapter)
{
	struct ratio_strips *s = strips_of(d, in, chapter);
	if (!s->n)
		return;
	ratio_strips_plan(s);
	struct figure *f = figure_add(d, &ratio_strips_figure,
		arena_printf(d->arena, "ratios-%s", config_words(chapter, "id")),
		said(d, "strips.alt", NULL), s);
	document_shows(d, f, strips_in_words(d, s));
	if (!document_has_place(d, "strips"))
		document_place(d, document_say(d, BLOCK_CAPTION, "strips.caption", NULL), "strips");
}
