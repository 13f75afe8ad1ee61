/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/tsv.h"

#include "base/config.h"
#include "base/outfile.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20, MOST_COLUMNS = 32, MOST_ROWS = 4096 };

static int count_columns(const char *line)
{
	int n = 1;
	for (const char *p = line; *p && *p != '\n'; p++)
		n += *p == '\t';
	return n;
}

static int count_lines(const char *text)
{
	int n = 0;
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		n += *p != '\n';
	return n;
}

/* Cuts one line into cells; returns what is behind it. */
static const char *cut_line(struct arena *a, const char *p, const char **cell, int n)
{
	for (int i = 0; i < n; i++) {
		size_t length = strcspn(p, "\t\n");
		cell[i] = arena_strndup(a, p, length);
		p += length;
		p += *p == '\t';
	}
	p += strcspn(p, "\n");
	return p + (*p == '\n');
}

static void cut(struct tsv *t, struct arena *a, const char *text)
{
	t->n_columns = count_columns(text);
	t->n_rows = count_lines(text) - 1;
	if (t->n_rows < 1 || t->n_rows > MOST_ROWS || t->n_columns > MOST_COLUMNS)
		return;
	size_t columns = (size_t)t->n_columns;
	t->head = arena_array(a, columns, sizeof *t->head);
	t->cell = arena_array(a, columns * (size_t)t->n_rows, sizeof *t->cell);
	const char *p = cut_line(a, text, t->head, t->n_columns);
	for (int row = 0; row < t->n_rows;) {
		if (*p != '\n')
			p = cut_line(a, p, t->cell + row++ * t->n_columns, t->n_columns);
		else
			p++;
	}
}

bool tsv_read(struct tsv *t, struct arena *a, const char *path)
{
	struct err ignored = {0};
	char *text = read_small_file(path, LARGEST, NULL, &ignored);
	*t = (struct tsv){0};
	if (text && *text && *text != '\n')
		cut(t, a, text);
	free(text);
	return t->cell != NULL;
}

const char *tsv_text(const struct tsv *t, int row, const char *column)
{
	for (int i = 0; i < t->n_columns; i++)
		if (!strcmp(t->head[i], column))
			return t->cell[row * t->n_columns + i];
	return "";
}

double tsv_number(const struct tsv *t, int row, const char *column)
{
	return number_of_text(tsv_text(t, row, column));
}
