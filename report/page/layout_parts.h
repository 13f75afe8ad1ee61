/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_parts.h - the measures of a page that placing (layout.c) and drawing (layout_draw.c)
 * share, in points.
 */
#ifndef REPORT_PAGE_LAYOUT_PARTS_H
#define REPORT_PAGE_LAYOUT_PARTS_H

#include "report/page/layout.h"

static const double TOP = 36, BOTTOM = 40;
static const double PLATE_PAD = 6, TITLE_GAP = 4, POINT_INDENT = 22, LINE_PITCH = 18;

/* One pass: `known` are the page numbers of the pass before, NULL in the first. */
struct block_texts;
struct layout *layout_flow(struct arena *a, struct block_texts *texts, const struct places *known);

#endif
