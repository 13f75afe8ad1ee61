#include "report/markdown.h"

#include "report/rich.h"

#include <string.h>

/* The markup of rich.h is Markdown already, but for page numbers and signs that Markdown would
 * take. */
static void put_text(FILE *f, const char *text, bool in_table)
{
	for (const char *p = text; *p; p++) {
		if (p[0] == '\xc2' && p[1] == '\xb6') {
			fputs("↗", f);
			p++;
		} else if (in_table && *p == '|') {
			fputs("\\|", f);
		} else if (*p == '\n') {
			fputc(' ', f);
		} else if (*p == '<') {
			fputs("&lt;", f);
		} else {
			fputc(*p, f);
		}
	}
}

static void put_row_start(FILE *f, const struct table *t, int row)
{
	if (!t->group || !t->group[row])
		return;
	fputs("| **", f);
	put_text(f, t->group[row], true);
	fputs("** |", f);
	for (int c = 1; c < t->n_columns; c++)
		fputs(" |", f);
	fputc('\n', f);
}

static void put_cell(FILE *f, const struct table *t, int row, int column)
{
	static const char *const signs[] = {"", "✓ ", "✗ ", "– "};
	const struct cell *cell = &t->cell[row * t->n_columns + column];
	bool code = t->column[column].kind == COLUMN_CODE && cell->text[0];
	fputs(signs[cell->verdict], f);
	if (code || cell->bold)
		fputs(code ? "`" : "**", f);
	put_text(f, cell->text, true);
	if (code || cell->bold)
		fputs(code ? "`" : "**", f);
}

static void put_table(FILE *f, const struct table *t)
{
	for (int c = 0; c < t->n_columns; c++) {
		fputs(c ? " " : "| ", f);
		put_text(f, t->column[c].title, true);
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
		put_text(f, b->kpi[i].value, false);
		fputs("** ", f);
		put_text(f, b->kpi[i].label, false);
	}
	fputs("\n\n", f);
}

static void put_plain(FILE *f, const struct block *b)
{
	static const char *const signs[] = {"", "✓ ", "✗ ", "– "};
	if (b->kind == BLOCK_TITLE || b->kind == BLOCK_HEADING) {
		int level = b->kind == BLOCK_TITLE ? 1 : b->level + 1;
		if (b->place)
			fprintf(f, "<a id=\"%s\"></a>\n\n", b->place);
		fprintf(f, "%.*s ", level, "####");
	}
	if (b->kind == BLOCK_POINT)
		fputs("* ", f);
	fputs(b->kind == BLOCK_POINT ? signs[b->verdict] : "", f);
	put_text(f, b->text, false);
	if (b->note && b->kind == BLOCK_HEADING)
		fprintf(f, " — %s", b->note);
	fputs(b->kind == BLOCK_POINT && b->next && b->next->kind == BLOCK_POINT ? "\n" : "\n\n", f);
	if (b->note && b->kind == BLOCK_TITLE) {
		put_text(f, b->note, false);
		fputs("\n\n", f);
	}
}

void markdown_write(const struct document *d, const char *svg_folder, const char *until, FILE *f)
{
	for (const struct block *b = d->first; b; b = b->next) {
		if (until && b->place && !strcmp(b->place, until))
			break;
		switch (b->kind) {
		case BLOCK_KPIS:
			put_kpis(f, b);
			break;
		case BLOCK_TABLE:
			put_table(f, b->table);
			break;
		case BLOCK_FIGURE:
			if (svg_folder)
				fprintf(f, "![%s](%s/%s.svg)\n\n", b->figure->alt, svg_folder,
					b->figure->id);
			break;
		case BLOCK_PAGE:
		case BLOCK_LINES:
			break;
		default:
			put_plain(f, b);
		}
	}
}
