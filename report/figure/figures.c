/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/figures.h"

#include <string.h>

struct figure *figure_add(struct document *d, const struct figure_kind *kind, const char *id,
	const char *alt, const void *data)
{
	double height;
	memcpy(&height, (const char *)data + kind->height, sizeof height);
	const struct figure figure = {.id = id,
		.alt = alt,
		.height = height,
		.draw = kind->draw,
		.data = data,
		.draw_legend = kind->draw_legend,
		.draw_parts = kind->draw_parts};
	return document_figure(d, &figure)->figure;
}
