/* SPDX-License-Identifier: Apache-2.0 */
/* The back-end without a page: every check of canvas.c, no drawing. */
#include "report/canvas/ops.h"

#include <stdlib.h>

static void on_destroy(struct canvas *c)
{
	free(c);
}

static const struct canvas_ops ops = {
	.on_destroy = on_destroy,
};

struct canvas *canvas_null(const struct fonts *fonts)
{
	struct canvas *c = xcalloc(1, sizeof *c);
	canvas_init(c, &ops, fonts, NULL);
	return c;
}
