/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - what the tables of the room share: how a row is put, and one function for each table.
 */
#ifndef REPORT_TALLY_PARTS_H
#define REPORT_TALLY_PARTS_H

#include "report/tally/tally.h"

/* The next value, from left to right, row by row. */
void put_text(struct tally_table *t, const char *text);
void put_number(struct tally_table *t, double number); /* NAN: not known */

/* a / b, NAN when b is 0. */
double over(double a, double b);

typedef void fill_tally(struct tally_table *t, const struct tally_source *s);

fill_tally tally_operators, tally_shapes; /* operators.c */
fill_tally tally_kernels, tally_occupancy, tally_kinds, tally_ranges, tally_steps; /* work.c */
fill_tally tally_gemm, tally_convolution, tally_attention, tally_pointwise; /* rates.c */
fill_tally tally_collectives, tally_copies, tally_streams; /* moved.c */
fill_tally tally_memory, tally_idle, tally_held, tally_gaps, tally_waited; /* room.c */
fill_tally tally_launches, tally_device, tally_busy, tally_totals, tally_health, tally_repairs,
	tally_clocks; /* trust.c */

#endif
