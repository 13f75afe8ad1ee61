/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/figures.h"

#include "report/figure/bandwidth.h"
#include "report/figure/crossover.h"
#include "report/figure/delays.h"
#include "report/figure/memory.h"
#include "report/figure/roofline.h"
#include "report/figure/samples.h"
#include "report/figure/spent.h"
#include "report/figure/step_time.h"
#include "report/figure/timeline.h"
#include "report/figure/waterfall.h"
#include "report/figure/work.h"

#include <stddef.h>
#include <string.h>

static const struct {
	figure_draw *draw;
	size_t height; /* where it lies in the data: a double, in points */
	figure_draw *draw_legend;
	figure_draw_parts *draw_parts;
} kinds[FIGURE_KINDS] = {
	[FIGURE_TIMELINE] = {timeline_draw, offsetof(struct timeline, height)},
	[FIGURE_TIMELINES] = {timelines_draw, offsetof(struct timelines, whole),
		.draw_parts = timelines_draw_parts},
	[FIGURE_DELAYS] = {strips_draw, offsetof(struct strips, height)},
	[FIGURE_SAMPLES] = {dots_draw, offsetof(struct dots, height)},
	[FIGURE_ROOFLINE] = {roofline_draw, offsetof(struct roofline, height)},
	[FIGURE_BANDWIDTH] = {widths_draw, offsetof(struct widths, height)},
	[FIGURE_STEP_TIME] = {stacked_draw, offsetof(struct stacked, height), stacked_draw_legend},
	[FIGURE_ADDITIONS] = {byte_ledger_draw, offsetof(struct byte_ledger, height)},
	[FIGURE_CROSSOVER] = {crossover_draw, offsetof(struct crossover, height)},
	[FIGURE_WATERFALL] = {waterfall_draw, offsetof(struct waterfall, height)},
	[FIGURE_SPENT] = {spent_draw, offsetof(struct spent_bar, height)},
	[FIGURE_MEMORY] = {memory_draw, offsetof(struct memory_lines, height)},
};

struct figure *figure_add(struct document *d, enum figure_kind kind, const char *id,
	const char *alt, const void *data)
{
	double height;
	memcpy(&height, (const char *)data + kinds[kind].height, sizeof height);
	const struct figure figure = {.id = id,
		.alt = alt,
		.height = height,
		.draw = kinds[kind].draw,
		.data = data,
		.draw_legend = kinds[kind].draw_legend,
		.draw_parts = kinds[kind].draw_parts};
	return document_figure(d, &figure)->figure;
}
