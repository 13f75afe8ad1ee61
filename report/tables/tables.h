/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.h - the room of tables: what a trace holds, row by row, the same for pages, --json and
 * --csv.
 *
 * In comes what was worked out of a trace; out goes a table, told by its row of `result_tables`:
 * its name, its columns with their units, and the function that fills it. Names of tables and
 * columns are stable, since other programs read them. Times are whole nanoseconds, of the trace's
 * axis where they are moments; sizes are bytes; a number that the file does not tell is not known
 * (NAN): null in --json, empty in --csv, a dash on pages. Numbers are doubles: whole ones are exact
 * up to 2^53.
 *
 * A table has no rows when the trace holds nothing of its kind. Sources of the formulas:
 *
 * - operators, shapes: PyTorch's key_averages(), with group_by_input_shape (profiler_table.h); flop
 *   by its computeFlops (operator_cost.h); bytes taken less bytes given back while a span ran, on
 * any thread, self without its children's (profiler_util.py, MemRecordsAcc). `[memory]`: what no
 * span holds
 * - gemm ... pointwise: an operator's own device time, with the least work that it can have had, by
 *   the shapes of its inputs (operator_cost.h); flop and bytes are of one call, rates of all.
 * Shares are of the data sheet's rate for the type (analyse/chips.h)
 * - collectives: nccl-tests, PERFORMANCE.md: bus bandwidth = bytes / time * factor, where factor is
 *   2 (n-1) / n of an all-reduce, (n-1) / n of all-gather, reduce-scatter and all-to-all among n, 1
 *   of others; bytes are those of the larger side; the time is the median, in which a rank may wait
 *   for others
 * - kinds: kernels, copies and fills by what they do, as breakdown.h tells it; not hidden: of the
 *   whole window
 * - uses: the device's busy time by why its work is there, of the advice's window and of the whole,
 *   with the largest operator of each reason; purposes: the same, operator by operator
 * (device_purpose.h). rest: what of a group is useful work, or what a collective usually takes.
 * roof_share: what the chip needs at least by its data sheet, of what it took
 * - modules, functions: host and device time of what ran inside a module of PyTorch or a function
 *   of Python, its backward pass with it (call_tree.h); self: while no other was open inside. The
 *   row without a name has the whole, and as its own what lies outside of all, so that the own
 *   times sum to the whole. modules is a tree: `parent` is the `node` that a row stands in
 * - ranges: what ran, and what was launched, while a range was open on the thread; self: while none
 *   was open inside it. backward: of what ran inside, wherever it was launched; no part of the
 *   other columns. Numbers in names stand as "#"
 * - copies: hidden: while something computes on the device (TraceLens)
 * - streams: idle: of the window; queue: launched and not begun (HTA), of each stream
 * - ranks: of a trace that says its rank; step: the median without the first (ranks.h); bubble:
 *   sends and receives while nothing computes; node: by metadata or the name of the file
 *   (rank_meetings.h)
 * - first_step: what the first step was spent on, and a typical one (first_step_causes.h)
 * - memory: each change, as the allocators told it
 * - memory_peaks: where most of each memory was allocated (memory_use.h; device -1: the CPU). free
 * and largest free: of the segments of a snapshot, beside the blocks; fragmentation: 1 - largest
 * free piece / all that is free; refused: how often it was out of memory
 * - memory_holders: who asked for what is alive at the peak, `by` line, operator, module or
 * function, with all that he ever asked for. "[before]" stood before anything was recorded,
 * "[outside]" has nothing of the kind around it, "[no line]" was recorded without one; so the bytes
 * of one device and kind sum to its peak
 * - memory_blocks: the blocks that are alive at the peak, the largest first; until is not known of
 *   those that are never given back, since of those that stood before
 * - memory_segments: what the allocator of a snapshot got of the device ("got"), gave back ("gave
 *   back"), could not get ("out of memory", with what the device had free as used_bytes), and holds
 *   at the end ("at the end", with its blocks as used_bytes)
 * - idle, held, waited: idle time by cause, by what held work back, and by what the launching
 *   thread did; gaps: the longest of them (idle_causes.h)
 * - device: what the window went to, exposed (streams.h); busy: the rival definitions (analysis.h)
 * - launches: calls, queue delays and kernels; low and high are the 5 % and 95 % quantiles, of
 *   fewer than twenty the range (launches.h)
 * - totals: sums and unions of device time over what they are held against (profiler_table_check.h)
 * - health: what happened how often to how much of the file (health.h); repairs: what was mended
 *   how often, and where first (repair.h)
 * - occupancy: blocks that a multiprocessor holds, what keeps it from more, and waves
 *   (kernel_fit.h)
 * - counters: samples of any counter, of all of the trace, in the unit of the name
 * - clocks: what the cuda device recorded beside the trace (clocks.h), in the unit of the name
 */
#ifndef REPORT_TABLES_TABLES_H
#define REPORT_TABLES_TABLES_H

#include "base/json_out.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/analyse/launches.h"
#include "report/analyse/memory_use.h"
#include "report/analyse/profiler_table_check.h"
#include "report/analyse/streams.h"
#include "report/rules/rule.h"

enum { TABLE_COLUMNS = 16 };

/* What tables are made of; all of it is lent, the arena owns the tables. */
struct tables_source {
	struct arena *arena;
	const struct analysis *a;
	const struct idle_causes *idle_causes;
	const struct streams *streams;
	const struct memory_use *memory;
	const struct breakdown *breakdown;
	const struct health *health;
	const struct launch_stats *launches;
	const struct reconcile *totals;
};

struct tables_value {
	const char *text; /* of UNIT_TEXT; lent by arena or trace */
	double number; /* NAN: not known */
};

struct result_table;

/* In the file alone; on a page, too; there where there is room. */
enum tables_place { TABLE_DATA, TABLE_PAGE, TABLE_ROOM };

struct tables_form {
	const char *id; /* "operators": name of its file, and of its words */
	struct tables_column {
		const char *name; /* "device_ns" */
		enum finding_unit unit;
		enum tables_place place; /* stands on a page, too */
	} column[TABLE_COLUMNS]; /* up to the first without a name */
	void (*fill)(struct result_table *t, const struct tables_source *s);
	bool pages; /* has a place in the atlas */
};

struct result_table {
	const struct tables_form *form;
	int n_columns;
	size_t n; /* rows */
	struct tables_value *value; /* (n, n_columns) */
	size_t room, at; /* of values */
	struct arena *arena;
};

extern const struct tables_form result_tables[]; /* (n_result_tables) */
extern const int n_result_tables;

const struct tables_form *tables_named(const char *id); /* NULL: there is none */

struct result_table tables_of(const struct tables_form *form, const struct tables_source *s);

/* "tables": {"operators": {"columns": [...], "rows": [[...], ...]}, ...}, those with rows. */
void tables_json(struct json_out *j, const char *key, const struct tables_source *s);

/* One value as it stands in CSV (RFC 4180), without the comma. */
void tables_csv_value(FILE *f, const struct result_table *t, size_t row, int column);

/* A text as a field of CSV, on one line, with what a screen obeys by its codes (terminal_line). One
 * that a spreadsheet would take for a formula gets a quote (') in front. */
void csv_text(FILE *f, const char *text);

/* The profiler table with FLOPs and memory, as far as the trace holds them; by_shape: rows of one
 * name stand apart where the shapes of their inputs do, which `group` names. */
struct profiler_table tables_profiler_table(
	struct arena *arena, const struct analysis *a, bool by_shape);

#endif
