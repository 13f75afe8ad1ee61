/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/html_table.h"

#include "base/min_max.h"
#include "report/page/html.h"

enum { SHARE_WIDTH = 100 };

/* What a cell is to the style; none of it is for the eye alone. */
static const char *class_of(const struct column *column, const struct cell *cell)
{
	switch (column->kind) {
	case COLUMN_NUMBER:
		return cell && cell->bold ? "n bold" : cell && cell->faint ? "n faint" : "n";
	case COLUMN_BAR:
		return "n bar";
	case COLUMN_CODE:
		return "code";
	default:
		return cell && cell->bold ? "bold" : cell && cell->faint ? "faint" : NULL;
	}
}

static void begin_cell(FILE *f, const char *element, const char *class)
{
	fprintf(f, "<%s", element);
	if (class)
		fprintf(f, " class=\"%s\"", class);
	fputc('>', f);
}

/* In whole hundredths: a share needs no more, and no locale has a say. */
static void put_share(FILE *f, const struct document *d, const struct cell *cell)
{
	rgba fill = texts_bar(d->texts, cell->swatch ? cell->swatch : "device_other").fill;
	double share = clip(cell->share, 0, 1);
	fprintf(f,
		"<svg class=\"share\" viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\"><path fill=\"#%06x\" d=\"M0 0h%dv10H0z\"/></svg>",
		SHARE_WIDTH, fill >> 8, (int)max64(1, (int64_t)(share * SHARE_WIDTH + 0.5)));
}

static void put_swatch(FILE *f, const struct document *d, const char *name)
{
	struct bar_colours bar = texts_bar(d->texts, name);
	fprintf(f,
		"<svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><path "
		"fill=\"#%06x\" stroke=\"#%06x\" d=\"M.5.5h9v9h-9z\"/></svg>",
		bar.fill >> 8, bar.edge >> 8);
}

static void put_cell(FILE *f, const struct document *d, const struct table *t, int row, int column)
{
	static const char *const plates[] = {"", "plate kept", "plate broken", "plate open"};
	const struct cell *cell = &t->cell[row * t->n_columns + column];
	enum column_kind kind = t->column[column].kind;
	bool plate = kind == COLUMN_VERDICT && cell->verdict != PLAIN && cell->text[0];
	begin_cell(f, "td", class_of(&t->column[column], cell));
	if (kind == COLUMN_BAR && cell->text[0])
		put_share(f, d, cell);
	else if (cell->swatch)
		put_swatch(f, d, cell->swatch);
	if (plate)
		fprintf(f, "<span class=\"%s\">", plates[cell->verdict]);
	html_rich(f, d, cell->text);
	fputs(plate ? "</span></td>" : "</td>", f);
}

static void put_row(FILE *f, const struct document *d, const struct table *t, int row)
{
	if (t->group && t->group[row]) {
		fprintf(f, "%s<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"%d\">",
			row ? "</tbody>\n" : "", t->n_columns);
		html_rich(f, d, t->group[row]);
		fputs("</th></tr>\n", f);
	} else if (!row) {
		fputs("<tbody>\n", f);
	}
	fputs("<tr>", f);
	for (int c = 0; c < t->n_columns; c++)
		put_cell(f, d, t, row, c);
	fputs("</tr>\n", f);
}

void html_table(FILE *f, const struct document *d, const struct table *t)
{
	fputs("<div class=\"scroll\"><table>\n<thead><tr>", f);
	for (int c = 0; c < t->n_columns; c++) {
		begin_cell(f, "th", class_of(&t->column[c], NULL));
		html_rich(f, d, t->column[c].title);
		fputs("</th>", f);
	}
	fputs("</tr></thead>\n", f);
	for (int r = 0; r < t->n_rows; r++)
		put_row(f, d, t, r);
	fputs(t->n_rows ? "</tbody>\n</table></div>\n" : "</table></div>\n", f);
}
