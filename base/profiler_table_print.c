/* SPDX-License-Identifier: Apache-2.0 */
#include "base/profiler_table.h"
#include "base/utf8.h"

#include <string.h>

/* The widths and limits are those of torch/autograd/profiler_util.py, _build_table(). */
enum { LONGEST_NAME = 55, COLUMN = 12, CALLS = 10, FIRST_DEVICE = 6, COLUMNS = 11, CELL = 64 };

struct cells {
	char text[COLUMNS][CELL];
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

static void format_headings(struct cells *c, const char *device)
{
	static const char *const cpu[] = {
		"Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"};
	for (int i = 0; i < FIRST_DEVICE; i++)
		snprintf(c->text[i], CELL, "%s", cpu[i]);
	snprintf(c->text[6], CELL, "Self %s", device);
	snprintf(c->text[7], CELL, "Self %s %%", device);
	snprintf(c->text[8], CELL, "%s total", device);
	snprintf(c->text[9], CELL, "%s time avg", device);
	snprintf(c->text[CALLS], CELL, "# of Calls");
}

/* A long name is cut to 52 characters and three dots. */
static void format_name(char *cell, size_t size, const char *name)
{
	size_t cut = LONGEST_NAME - 3;
	bool dots = columns_of(name) >= cut;
	const char *end = name;
	for (size_t i = 0; *end && (!dots || i < cut); i++)
		utf8_next(&end);
	snprintf(cell, size, "%.*s%s", (int)(end - name), name, dots ? "..." : "");
}

static void format_row(
	struct cells *c, const struct profiler_table *t, const struct profiler_row *r)
{
	double calls = (double)r->calls;
	format_share(c->text[1], r->self_cpu_ns, t->self_cpu_ns);
	format_time(c->text[2], (double)r->self_cpu_ns);
	format_share(c->text[3], r->cpu_ns, t->self_cpu_ns);
	format_time(c->text[4], (double)r->cpu_ns);
	format_time(c->text[5], (double)r->cpu_ns / calls);
	format_time(c->text[6], (double)r->self_device_ns);
	format_share(c->text[7], r->self_device_ns, t->self_device_ns);
	format_time(c->text[8], (double)r->device_ns);
	format_time(c->text[9], (double)r->device_ns / calls);
	snprintf(c->text[CALLS], CELL, "%zu", r->calls);
}

/* Where the columns stand, and which are there. */
struct form {
	size_t width[COLUMNS];
	bool device;
};

static struct form form_of(const struct profiler_table *t, const char *device)
{
	struct form form = {{0}, false};
	size_t longest = 0, word = columns_of(device);
	for (size_t i = 0; i < t->n; i++) {
		size_t n = columns_of(t->row[i].name);
		longest = n > longest ? n : longest;
		form.device |= t->row[i].self_device_ns > 0;
	}
	form.width[0] = longest + 4 < LONGEST_NAME ? longest + 4 : LONGEST_NAME;
	for (int i = 1; i < COLUMNS; i++)
		form.width[i] = COLUMN;
	for (int i = FIRST_DEVICE; i < CALLS; i++)
		form.width[i] += word > strlen("CUDA") ? word - strlen("CUDA") : 0;
	return form;
}

static bool form_shows(const struct form *form, int column)
{
	return form->device || column < FIRST_DEVICE || column >= CALLS;
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
	format_headings(&c, device);
	print_rule(f, &form);
	print_line(f, &form, c.text[0], &c);
	print_rule(f, &form);
	for (size_t i = 0; i < table->n && i < limit; i++) {
		char name[4 * LONGEST_NAME + 4];
		format_name(name, sizeof name, table->row[i].name);
		format_row(&c, table, &table->row[i]);
		print_line(f, &form, name, &c);
	}
	print_rule(f, &form);
	format_time(c.text[0], (double)table->self_cpu_ns);
	fprintf(f, "Self CPU time total: %s\n", c.text[0]);
	format_time(c.text[0], (double)table->self_device_ns);
	if (form.device)
		fprintf(f, "Self %s time total: %s\n", device, c.text[0]);
}
