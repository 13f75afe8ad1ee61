/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "base/profiler_table.h"
#include "base/terminal.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The columns, widths and limits are those of torch/autograd/profiler_util.py, _build_table(). */
enum column {
	NAME,
	SELF_CPU_SHARE,
	SELF_CPU,
	CPU_SHARE,
	CPU,
	CPU_AVERAGE,
	SELF_DEVICE,
	SELF_DEVICE_SHARE,
	DEVICE,
	DEVICE_AVERAGE,
	HOST_MEMORY,
	SELF_HOST_MEMORY,
	DEVICE_MEMORY,
	SELF_DEVICE_MEMORY,
	CALLS,
	FLOP,
	COLUMNS
};

enum { LONGEST_NAME = 55, COLUMN = 12, CELL = 64 };

/* What a column is about: without any of it in the table it is left out. */
enum about { ALL, TIME_ON_DEVICE, MEMORY, MEMORY_OF_DEVICE, ARITHMETIC, ABOUTS };

static const struct {
	const char *before, *behind; /* the device or the unit of FLOPs between them: its heading */
	enum about about;
} columns[COLUMNS] = {
	[NAME] = {"Name", NULL, ALL},
	[SELF_CPU_SHARE] = {"Self CPU %", NULL, ALL},
	[SELF_CPU] = {"Self CPU", NULL, ALL},
	[CPU_SHARE] = {"CPU total %", NULL, ALL},
	[CPU] = {"CPU total", NULL, ALL},
	[CPU_AVERAGE] = {"CPU time avg", NULL, ALL},
	[SELF_DEVICE] = {"Self ", "", TIME_ON_DEVICE},
	[SELF_DEVICE_SHARE] = {"Self ", " %", TIME_ON_DEVICE},
	[DEVICE] = {"", " total", TIME_ON_DEVICE},
	[DEVICE_AVERAGE] = {"", " time avg", TIME_ON_DEVICE},
	[HOST_MEMORY] = {"CPU Mem", NULL, MEMORY},
	[SELF_HOST_MEMORY] = {"Self CPU Mem", NULL, MEMORY},
	[DEVICE_MEMORY] = {"", " Mem", MEMORY_OF_DEVICE},
	[SELF_DEVICE_MEMORY] = {"Self ", " Mem", MEMORY_OF_DEVICE},
	[CALLS] = {"# of Calls", NULL, ALL},
	[FLOP] = {"Total ", "", ARITHMETIC},
};

struct cells {
	char text[COLUMNS][CELL];
};

/* Where the columns stand, which are there, and the unit of FLOPs: that of the fewest. */
struct form {
	size_t width[COLUMNS];
	bool has[ABOUTS];
	double flops;
	const char *flops_unit;
};

static size_t columns_of(const char *text)
{
	size_t n = 0;
	while (*text) {
		utf8_next(&text);
		n++;
	}
	return n;
}

static void format_time(char cell[CELL], double ns)
{
	double us = ns / 1000.0;
	if (us >= 1e6)
		snprintf(cell, CELL, "%.3fs", us / 1e6);
	else if (us >= 1e3)
		snprintf(cell, CELL, "%.3fms", us / 1e3);
	else
		snprintf(cell, CELL, "%.3fus", us);
}

static void format_share(char cell[CELL], int64_t ns, int64_t total_ns)
{
	if (total_ns)
		snprintf(cell, CELL, "%.2f%%", (double)ns * 100.0 / (double)total_ns);
	else
		snprintf(cell, CELL, "NaN");
}

static void format_memory(char cell[CELL], int64_t bytes)
{
	static const struct {
		double bytes;
		const char *name;
	} units[] = {{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (fabs((double)bytes) >= units[i].bytes) {
			snprintf(cell, CELL, "%.2f %s", (double)bytes / units[i].bytes,
				units[i].name);
			return;
		}
	snprintf(cell, CELL, "%" PRId64 " B", bytes);
}

static void format_flop(char cell[CELL], const struct form *form, double flop)
{
	if (flop > 0)
		snprintf(cell, CELL, "%8.3f", flop / form->flops);
	else
		snprintf(cell, CELL, "--");
}

static void format_headings(struct cells *c, const struct form *form, const char *device)
{
	for (int i = 0; i < COLUMNS; i++) {
		const char *word = columns[i].about == ARITHMETIC ? form->flops_unit : device;
		bool named = columns[i].behind != NULL;
		snprintf(c->text[i], CELL, "%s%s%s", columns[i].before, named ? word : "",
			named ? columns[i].behind : "");
	}
}

/* A long name is cut to 52 characters and three dots. */
static void format_name(char *cell, size_t size, const char *name)
{
	char text[4 * LONGEST_NAME + 4];
	size_t cut = LONGEST_NAME - 3;
	bool dots = columns_of(name) >= cut;
	const char *end = name;
	for (size_t i = 0; *end && (!dots || i < cut); i++)
		utf8_next(&end);
	snprintf(text, sizeof text, "%.*s%s", (int)(end - name), name, dots ? "..." : "");
	terminal_line(cell, size, text);
}

static void format_row(struct cells *c, const struct form *form, const struct profiler_table *t,
	const struct profiler_row *r)
{
	double calls = (double)r->calls;
	format_share(c->text[SELF_CPU_SHARE], r->self_cpu_ns, t->self_cpu_ns);
	format_time(c->text[SELF_CPU], (double)r->self_cpu_ns);
	format_share(c->text[CPU_SHARE], r->cpu_ns, t->self_cpu_ns);
	format_time(c->text[CPU], (double)r->cpu_ns);
	format_time(c->text[CPU_AVERAGE], (double)r->cpu_ns / calls);
	format_time(c->text[SELF_DEVICE], (double)r->self_device_ns);
	format_share(c->text[SELF_DEVICE_SHARE], r->self_device_ns, t->self_device_ns);
	format_time(c->text[DEVICE], (double)r->device_ns);
	format_time(c->text[DEVICE_AVERAGE], (double)r->device_ns / calls);
	format_memory(c->text[HOST_MEMORY], r->bytes[PROFILER_HOST_BYTES]);
	format_memory(c->text[SELF_HOST_MEMORY], r->self_bytes[PROFILER_HOST_BYTES]);
	format_memory(c->text[DEVICE_MEMORY], r->bytes[PROFILER_DEVICE_BYTES]);
	format_memory(c->text[SELF_DEVICE_MEMORY], r->self_bytes[PROFILER_DEVICE_BYTES]);
	snprintf(c->text[CALLS], CELL, "%zu", r->calls);
	format_flop(c->text[FLOP], form, r->flop);
}

static void scale_flops(struct form *form, double fewest)
{
	static const char *const units[] = {
		"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"};
	size_t i = 0;
	for (form->flops = 1; i + 1 < sizeof units / sizeof *units && fewest >= 1000 * form->flops;
		i++)
		form->flops *= 1000;
	form->flops_unit = units[i];
}

static struct form form_of(const struct profiler_table *t, const char *device)
{
	struct form form = {.has[ALL] = true, .has[MEMORY] = t->has_memory};
	size_t longest = 0, word = columns_of(device);
	double fewest = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct profiler_row *r = &t->row[i];
		size_t n = columns_of(r->name);
		longest = max_size(n, longest);
		form.has[TIME_ON_DEVICE] |= r->self_device_ns > 0;
		form.has[MEMORY_OF_DEVICE] |=
			t->has_memory && r->self_bytes[PROFILER_DEVICE_BYTES] > 0;
		fewest = r->flop > 0 && (r->flop < fewest || fewest <= 0) ? r->flop : fewest;
	}
	form.has[ARITHMETIC] = t->has_flop && fewest > 0;
	scale_flops(&form, fewest);
	form.width[NAME] = min_size(longest + 4, LONGEST_NAME);
	for (int i = 1; i < COLUMNS; i++) {
		bool named =
			columns[i].about == TIME_ON_DEVICE || columns[i].about == MEMORY_OF_DEVICE;
		form.width[i] = COLUMN;
		form.width[i] += named && word > strlen("CUDA") ? word - strlen("CUDA") : 0;
	}
	return form;
}

static bool form_shows(const struct form *form, int column)
{
	return form->has[columns[column].about];
}

static void print_cell(FILE *f, const char *text, size_t width)
{
	for (size_t n = columns_of(text); n < width; n++)
		fputc(' ', f);
	fprintf(f, "%s  ", text);
}

static void print_line(FILE *f, const struct form *form, const char *name, const struct cells *c)
{
	print_cell(f, name, form->width[0]);
	for (int i = 1; i < COLUMNS; i++)
		if (form_shows(form, i))
			print_cell(f, c->text[i], form->width[i]);
	fputc('\n', f);
}

static void print_rule(FILE *f, const struct form *form)
{
	for (int i = 0; i < COLUMNS; i++) {
		for (size_t n = 0; form_shows(form, i) && n < form->width[i]; n++)
			fputc('-', f);
		if (form_shows(form, i))
			fputs("  ", f);
	}
	fputc('\n', f);
}

void profiler_table_print(
	FILE *f, const struct profiler_table *table, size_t limit, const char *device)
{
	if (!table->n)
		return;
	struct form form = form_of(table, device);
	struct cells c;
	format_headings(&c, &form, device);
	print_rule(f, &form);
	print_line(f, &form, c.text[0], &c);
	print_rule(f, &form);
	for (size_t i = 0; i < table->n && i < limit; i++) {
		char name[6 * LONGEST_NAME + 4];
		format_name(name, sizeof name, table->row[i].name);
		format_row(&c, &form, table, &table->row[i]);
		print_line(f, &form, name, &c);
	}
	print_rule(f, &form);
	format_time(c.text[0], (double)table->self_cpu_ns);
	fprintf(f, "Self CPU time total: %s\n", c.text[0]);
	format_time(c.text[0], (double)table->self_device_ns);
	if (form.has[TIME_ON_DEVICE])
		fprintf(f, "Self %s time total: %s\n", device, c.text[0]);
}
