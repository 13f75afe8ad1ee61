/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - what the tables of the room share: how a row is put, and one function for each table.
 */
#ifndef REPORT_TABLES_PARTS_H
#define REPORT_TABLES_PARTS_H

#include "report/tables/tables.h"

/* The next value, from left to right, row by row. */
void put_text(struct result_table *t, const char *text);
void put_number(struct result_table *t, double number); /* NAN: not known */

/* a / b, NAN when b is 0. */
double over(double a, double b);

typedef void fill_table(struct result_table *t, const struct tables_source *s);

fill_table tables_operators, tables_shapes; /* operators.c */
fill_table tables_kernels, tables_occupancy, tables_kinds, tables_steps, tables_ranks,
	tables_first_step; /* kernels_steps.c */
fill_table tables_modules, tables_functions, tables_ranges; /* caller_tables.c */
fill_table tables_uses, tables_purposes; /* purpose_tables.c */
fill_table tables_gemm, tables_convolution, tables_attention, tables_pointwise; /* rates.c */
fill_table tables_collectives, tables_copies, tables_streams; /* transfers.c */
fill_table tables_memory_peaks, tables_memory_holders, tables_memory_blocks,
	tables_memory_segments; /* memory_tables.c */
fill_table tables_memory, tables_idle, tables_held, tables_gaps, tables_waited; /* memory.c */
fill_table tables_launches, tables_device, tables_busy, tables_totals, tables_health,
	tables_repairs, tables_clocks, tables_counters; /* health_tables.c */

#endif
