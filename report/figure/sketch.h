/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sketch.h - a timeline in principle, of no trace: lanes and bars as a data file places them.
 *
 * The data (cheatsheet.json, "sketch"): `lanes` with a name and a number of rows, and `bars`, each
 * in a lane and a row, `from` and `to` in hundredths of the width, of a kind of the theme's bars
 * ("" for idle time), with a text and perhaps a number that the caption explains; `blank` is a
 * stretch without a bar that has such a number.
 */
#ifndef REPORT_FIGURE_SKETCH_H
#define REPORT_FIGURE_SKETCH_H

#include "report/figure/plot.h"
#include "report/page/document.h"

#include <cjson/cJSON.h>

struct sketch {
	const struct texts *texts;
	const struct fonts *fonts;
	const cJSON *data; /* lent */
	double width, height; /* filled in by sketch_plan */
};

void sketch_plan(struct sketch *s, double width);
void sketch_draw(struct canvas *c, struct box box, const void *sketch); /* figure.draw */

extern const struct figure_kind sketch_figure;

#endif
