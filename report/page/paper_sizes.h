/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paper_sizes.h - the sizes of paper that pages are printed on: --paper.
 */
#ifndef REPORT_PAGE_PAPER_SIZES_H
#define REPORT_PAGE_PAPER_SIZES_H

struct paper {
	const char *name; /* "a4" */
	double w, h, left; /* points; the left margin, which the right one equals */
};

/* The first is what is printed on unless another was asked for; a NULL name ends them. */
extern const struct paper papers[];

#endif
