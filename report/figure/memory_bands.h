/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_bands.h - the blocks of a memory over time, by who asked for them: bands that lie on each
 * other, and in them the edges of large blocks.
 *
 * Time is cut into columns; of each the moment counts at which most was allocated. The bands of
 * those who have most at the peak stand alone, all others are one, and below all lies what stood
 * before. Those that change least lie lowest, so that what comes and goes in every step stands on
 * top of it.
 */
#ifndef REPORT_FIGURE_MEMORY_BANDS_H
#define REPORT_FIGURE_MEMORY_BANDS_H

#include "report/analyse/memory_use.h"

/* As many as are told apart: the first six by bytes at the peak, the others, what stood before. */
enum { MEMORY_ASKED = 6, BAND_OTHERS = MEMORY_ASKED, BAND_BEFORE, MEMORY_BANDS };
enum { MEMORY_COLUMNS = 480, MEMORY_EDGES = 6000 };

/* The upper edge of a block that is large enough to be seen, over some columns. */
struct memory_edge {
	uint16_t from, to; /* columns, the second behind the last */
	double bytes; /* above the foot */
};

struct memory_bands {
	const struct memory_of_device *of;
	const struct memory_holder *holder; /* (n_holders) as memory_holders() gives them */
	size_t n_holders;
	int band_of[MEMORY_ASKED]; /* from the foot upwards: which of the first six lies there */
	int n; /* of the six, that there are */
	bool others, before; /* are there such */
	int64_t from_ns, to_ns; /* of all columns */
	double (*top)[MEMORY_BANDS]; /* (MEMORY_COLUMNS) upper edges in bytes: what stood before,
				      then those of band_of, then the others */
	struct memory_edge *edge; /* (n_edges) */
	size_t n_edges;
};

/* Bands of a device by whoever the trace tells of; NULL where it tells of nobody or of no blocks.
 */
struct memory_bands *memory_bands_of(struct arena *arena, const struct memory_use *use,
	const struct memory_of_device *d, int64_t from_ns, int64_t to_ns);

/* Who asked, as the bands tell it. */
enum memory_asker memory_bands_by(const struct memory_use *use);

/* The colour of the nth by bytes at the peak; of the others and of what stood before. */
const char *memory_band_colour(const struct memory_bands *b, int which);

#endif
