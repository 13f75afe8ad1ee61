/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icicle.h - who asked for the time, as a flame graph that hangs: all time on top, and under each
 * bar what stood inside it, the largest first, as wide as the time that it has. What is too narrow
 * for a bar of its own stands together behind its neighbours, hatched, as wide as its sum; what is
 * left free under a bar is its own. A dark strip at the foot of a bar is what of it belongs to
 * backward passes.
 */
#ifndef REPORT_FIGURE_ICICLE_H
#define REPORT_FIGURE_ICICLE_H

#include "report/analyse/call_tree.h"
#include "report/figure/plot.h"
#include "report/page/document.h"

enum { ICICLE_LEVELS = 8 }; /* below the one that has all time */

struct icicle_bar {
	const char *name; /* "": what is too narrow, `n` nodes together */
	uint16_t frame;
	uint8_t level;
	uint32_t n;
	int64_t from_ns, ns, backward_ns;
};

struct icicle {
	const struct texts *texts;
	const struct fonts *fonts;
	bool device; /* by the device's time, else by the host's */
	/* Filled in by icicle_plan. */
	struct icicle_bar *bar; /* (n) */
	uint32_t n;
	int levels; /* drawn below the first */
	bool deeper; /* something lies below the last */
	int64_t whole_ns;
	double width, height;
};

/* The arena keeps what is drawn; the tree is not needed afterwards. */
void icicle_plan(struct icicle *x, struct arena *a, const struct call_tree *tree, double width);
void icicle_draw(struct canvas *c, struct box box, const void *icicle); /* figure.draw */

extern const struct figure_kind icicle_figure;

#endif
