/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/markdown.h"

#include "report/page/rich.h"

#include <string.h>

/* How a text stands in the file. */
struct place_in {
	bool table; /* a bar would end the cell */
	bool code; /* between backticks: no markup, and a backslash is a backslash */
};

static void put_sign(FILE *f, const char *p, struct place_in in)
{
	if (*p == '|' && in.table)
		fputs("\\|", f);
	else if (*p == '\n')
		fputc(' ', f);
	else if (*p == '<' && !in.code)
		fputs("&lt;", f);
	else if (*p == '&' && !in.code)
		fputs("&amp;", f);
	else
		fputc(*p, f);
}

/* The end of a link to a place of the document, "[label](#place)", at its last bracket; NULL when
 * none begins here. Page numbers and most of the places are the PDF's alone. */
static const char *inner_link_end(const char *p, const char **label_end)
{
	*label_end = *p == '[' ? strstr(p, "](#") : NULL;
	const char *other = *label_end ? strchr(p + 1, '[') : NULL;
	if (!*label_end || (other && other < *label_end))
		return NULL;
	return strchr(*label_end, ')');
}

/* The markup of rich.h is Markdown already, but for page numbers, code and signs that Markdown
 * would take. */
static void put_text(FILE *f, const char *text, struct place_in in)
{
	const char *label_end = NULL, *link_end = NULL;
	for (const char *p = text; *p; p++) {
		if (!in.code && !link_end && (link_end = inner_link_end(p, &label_end))) {
			const char *page = strstr(p, "¶");
			if (page && page < label_end) {
				p = link_end;
				link_end = NULL;
			}
			continue;
		}
		if (link_end && p == label_end) {
			p = link_end;
			link_end = NULL;
			continue;
		}
		if (p[0] == '\\' && p[1]) {
			p++;
			if (!in.code && strchr("\\`[]*", *p))
				fputc('\\', f);
			put_sign(f, p, in);
		} else if (!strncmp(p, "¶", 2)) {
			fputs("↗", f);
			p++;
		} else if (!in.code && *p == '*' && p[1] == '*') {
			fputs("**", f);
			p++;
		} else {
			in.code = *p == '`' ? !in.code : in.code;
			fputs(!in.code && *p == '*' ? "\\" : "", f);
			put_sign(f, p, in);
		}
	}
}

static const struct place_in prose = {0}, in_table = {.table = true};

/* A text without markup as code; one that holds backticks is fenced by two. */
static void put_code(FILE *f, const char *text)
{
	struct arena scratch = {0};
	const char *plain = rich_plain(&scratch, text);
	const char *fence = strchr(plain, '`') ? "`` " : "`";
	fputs(fence, f);
	for (const char *p = plain; *p; p++)
		put_sign(f, p, (struct place_in){.table = true, .code = true});
	fputs(fence[1] ? " ``" : fence, f);
	arena_release(&scratch);
}

static void put_row_start(FILE *f, const struct table *t, int row)
{
	if (!t->group || !t->group[row])
		return;
	fputs("| **", f);
	put_text(f, t->group[row], in_table);
	fputs("** |", f);
	for (int c = 1; c < t->n_columns; c++)
		fputs(" |", f);
	fputc('\n', f);
}

static void put_cell(FILE *f, const struct table *t, int row, int column)
{
	const struct cell *cell = &t->cell[row * t->n_columns + column];
	if (t->column[column].kind == COLUMN_CODE && cell->text[0]) {
		put_code(f, cell->text);
		return;
	}
	fputs(cell->bold ? "**" : "", f);
	put_text(f, cell->text, in_table);
	fputs(cell->bold ? "**" : "", f);
}

static void put_table(FILE *f, const struct table *t)
{
	for (int c = 0; c < t->n_columns; c++) {
		fputs(c ? " " : "| ", f);
		put_text(f, t->column[c].title, in_table);
		fputs(" |", f);
	}
	fputs("\n|", f);
	for (int c = 0; c < t->n_columns; c++) {
		enum column_kind kind = t->column[c].kind;
		fputs(kind == COLUMN_NUMBER || kind == COLUMN_BAR ? " ---: |" : " --- |", f);
	}
	fputc('\n', f);
	for (int r = 0; r < t->n_rows; r++) {
		put_row_start(f, t, r);
		for (int c = 0; c < t->n_columns; c++) {
			fputs(c ? " " : "| ", f);
			put_cell(f, t, r, c);
			fputs(" |", f);
		}
		fputc('\n', f);
	}
	fputc('\n', f);
}

static void put_kpis(FILE *f, const struct block *b)
{
	for (int i = 0; i < b->n; i++) {
		fputs(i ? " · **" : "**", f);
		put_text(f, b->kpi[i].value, prose);
		fputs("** ", f);
		put_text(f, b->kpi[i].label, prose);
	}
	fputs("\n\n", f);
}

static void put_plain(FILE *f, const struct block *b)
{
	static const char *const signs[] = {"", "✓ ", "✗ ", "– "};
	if (b->kind == BLOCK_TITLE || b->kind == BLOCK_HEADING) {
		int level = b->kind == BLOCK_TITLE ? 1 + (b->band != NULL) : b->level + 1;
		if (b->place)
			fprintf(f, "<a id=\"%s\"></a>\n\n", b->place);
		fprintf(f, "%.*s ", level, "####");
	}
	if (b->kind == BLOCK_POINT)
		fputs("* ", f);
	fputs(b->kind == BLOCK_POINT ? signs[b->verdict] : "", f);
	put_text(f, b->text, prose);
	if (b->note && b->kind == BLOCK_HEADING) {
		fputs(" — ", f);
		put_text(f, b->note, prose);
	}
	fputs(b->kind == BLOCK_POINT && b->next && b->next->kind == BLOCK_POINT ? "\n" : "\n\n", f);
	if (b->note && b->kind == BLOCK_TITLE) {
		put_text(f, b->note, prose);
		fputs("\n\n", f);
	}
}

/* Angle brackets hold a path with spaces and brackets together. */
static void put_figure(FILE *f, const struct figure *figure, const char *folder)
{
	bool plain = !strpbrk(folder, " ()<>");
	fputs("![", f);
	for (const char *p = figure->alt; *p; p++) {
		fputs(strchr("\\`[]*", *p) ? "\\" : "", f);
		put_sign(f, p, prose);
	}
	fprintf(f, "](%s%s/%s.svg%s)\n\n", plain ? "" : "<", folder, figure->id, plain ? "" : ">");
}

static int count_details(const struct document *d)
{
	int n = 0;
	for (const struct block *b = d->first; b; b = b->next)
		n += b->detail;
	return n;
}

/* Lines that follow each other stand in one fence. */
static void put_code_line(FILE *f, const struct block *b)
{
	static const char fence[] = "```";
	if (!b->opens_code)
		fprintf(f, "%s\n", b->text);
	else
		fprintf(f, "%s\n%s\n", fence, b->text);
	if (!b->next || b->next->kind != BLOCK_CODE || b->next->opens_code)
		fprintf(f, "%s\n\n", fence);
}

static void put_block(FILE *f, const struct block *b, const char *svg_folder)
{
	switch (b->kind) {
	case BLOCK_KPIS:
		put_kpis(f, b);
		break;
	case BLOCK_TABLE:
		put_table(f, b->table);
		break;
	case BLOCK_FIGURE:
		if (svg_folder)
			put_figure(f, b->figure, svg_folder);
		break;
	case BLOCK_CODE:
		put_code_line(f, b);
		break;
	case BLOCK_PAGE:
	case BLOCK_LINES:
		break;
	default:
		put_plain(f, b);
	}
}

/* Of a part that is not this run's, what stands before its first chapter. */
static void put_parts(FILE *f, const struct document *d, const char *svg_folder)
{
	bool head = false;
	for (const struct block *b = d->first; b; b = b->next) {
		if (b->kind == BLOCK_TITLE)
			head = b->band != NULL;
		else if (b->kind == BLOCK_HEADING && b->level == 1)
			head = false;
		if (head)
			put_block(f, b, svg_folder);
	}
}

void markdown_write(const struct document *d, const char *svg_folder, const char *until, FILE *f)
{
	bool detail = false, short_ = count_details(d) > MOST_DETAILS;
	for (const struct block *b = d->first; b && !b->band; b = b->next) {
		if (until && b->place && !strcmp(b->place, until))
			break;
		if (b->kind == BLOCK_HEADING && b->level == 1)
			detail = b->detail && short_;
		if (!detail)
			put_block(f, b, svg_folder);
	}
	put_parts(f, d, svg_folder);
}
