/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/page/markdown.h"

#include "base/min_max.h"
#include "base/utf8.h"
#include "report/page/rich_text.h"

#include <string.h>
#include <strings.h>

/* How a text stands in the file. */
struct place_in {
	bool table; /* a bar would end the cell */
	bool start; /* of a block: some signs there begin a list, a heading or a quotation */
	bool html; /* inside of an element, where no mark of Markdown is read */
};

/* Controls, and signs that turn the order of others around, show that they were there and do
 * nothing. */
static bool is_active(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
		code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
		(code >= 0x2066 && code <= 0x2069) || code == UTF8_BAD;
}

/* The next sign as it may stand in any file: 0 at the end, and one byte of it that decides. */
static char put_safe(
	FILE *f, const char **p, const char *(*escape)(char, struct place_in), struct place_in in)
{
	const char *from = *p;
	uint32_t code = utf8_next(p);
	char c = *from;
	const char *instead = code < 0x80 && escape ? escape(c, in) : NULL;
	if (c == '\n' || c == '\t' || c == '\r')
		fputc(' ', f);
	else if (is_active(code))
		fputs("\xef\xbf\xbd", f);
	else if (instead)
		fputs(instead, f);
	else
		fwrite(from, 1, (size_t)(*p - from), f);
	return c;
}

/* Where a backslash stands before a bar, no fence keeps both: the element does. */
static const char *escape_html(char c, struct place_in in)
{
	(void)in;
	return c == '<'	    ? "&lt;"
		: c == '>'  ? "&gt;"
		: c == '&'  ? "&amp;"
		: c == '|'  ? "&#124;"
		: c == '`'  ? "&#96;"
		: c == '*'  ? "&#42;"
		: c == '_'  ? "&#95;"
		: c == '['  ? "&#91;"
		: c == '\\' ? "&#92;"
		: c == ':'  ? "&#58;"
		: c == '~'  ? "&#126;"
			    : NULL;
}

static const char *escape_code(char c, struct place_in in)
{
	return c == '|' && in.table ? "\\|" : NULL;
}

static int longest_fence(const char *text, size_t n)
{
	int most = 0, now = 0;
	for (size_t i = 0; i < n; i++) {
		now = text[i] == '`' ? now + 1 : 0;
		most = max_int(now, most);
	}
	return most;
}

/* Nothing in a code span is markup, a link or a mention. */
static void put_code(FILE *f, const char *text, size_t n, struct place_in in)
{
	int fence = longest_fence(text, n) + 1;
	bool element = in.html || (in.table && memmem(text, n, "\\|", 2));
	const char *end = text + n;
	if (element)
		fputs("<code>", f);
	for (int i = 0; !element && i < fence; i++)
		fputc('`', f);
	fputs(!element && fence > 1 ? " " : "", f);
	for (const char *p = text; p < end;)
		put_safe(f, &p, element ? escape_html : escape_code, in);
	fputs(!element && fence > 1 ? " " : "", f);
	for (int i = 0; !element && i < fence; i++)
		fputc('`', f);
	if (element)
		fputs("</code>", f);
}

static const char *escape_text(char c, struct place_in in)
{
	static const char *const escaped[128] = {['\\'] = "\\\\",
		['`'] = "\\`",
		['*'] = "\\*",
		['['] = "\\[",
		[']'] = "\\]",
		['<'] = "&lt;",
		['&'] = "&amp;",
		['~'] = "\\~",
		['$'] = "\\$"};
	static const char *const first[128] = {
		['#'] = "\\#", ['>'] = "\\>", ['+'] = "\\+", ['-'] = "\\-", ['='] = "\\="};
	if (c == '|' && in.table)
		return "\\|";
	return in.start && first[(int)c] ? first[(int)c] : escaped[(int)c];
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(unsigned char)c >= 0x80;
}

static bool has(const char *word, size_t n, const char *what)
{
	return memmem(word, n, what, strlen(what)) != NULL;
}

/* Would a renderer make something of the word: a link, a mention, a reference to an issue? */
static bool is_live(const char *word, size_t n)
{
	if (has(word, n, "://") || has(word, n, "www.") || has(word, n, "mailto:") ||
		has(word, n, "xmpp:") || memchr(word, '@', n))
		return true;
	for (size_t i = 0; i + 1 < n; i++)
		if (word[i] == '#' && word[i + 1] >= '0' && word[i + 1] <= '9')
			return true;
	return n > 3 && !strncasecmp(word, "gh-", 3);
}

/* An underscore inside a word is one; at its edge it is markup. A number at the start of a block
 * with a full stop behind it begins a list. */
static void put_word(FILE *f, const char *word, size_t n, struct place_in in)
{
	const char *end = word + n;
	bool number = in.start;
	for (const char *p = word; in.html && p < end;)
		put_safe(f, &p, escape_html, in);
	for (const char *p = word; !in.html && p < end; in.start = false) {
		bool inside = p > word && is_letter(p[-1]) && p + 1 < end && is_letter(p[1]);
		bool list = number && p > word && p + 1 == end && (*p == '.' || *p == ')');
		if ((*p == '_' && !inside) || list)
			fputc('\\', f);
		number = number && *p >= '0' && *p <= '9';
		put_safe(f, &p, escape_text, in);
	}
}

static void put_words(FILE *f, const char *text, struct place_in in)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " \t\r\n");
		if (n && is_live(p, n))
			put_code(f, p, n, in);
		else
			put_word(f, p, n, in);
		in.start = in.start && !n;
		p += n;
		if (*p) {
			fputs(in.start ? "" : " ", f);
			p++;
		}
	}
}

/* Places of the document are the PDF's alone: their links leave the label, but for one that is a
 * page number. Other links are those of the templates (run.h takes them out of what a run says). */
static bool is_outer(const char *link, struct place_in in)
{
	return link && link[0] != '#' && !in.html;
}

static bool is_about_a_page(const struct rich_piece *piece, int n, const char *link)
{
	for (int i = 0; i < n && piece[i].link == link; i++)
		if (piece[i].page)
			return true;
	return false;
}

static void put_address(FILE *f, const char *link)
{
	for (const char *p = link; *p; p++)
		if (is_letter(*p) || strchr("/:.-_~?#=&%+,;@!$'*", *p))
			fputc(*p, f);
		else
			fprintf(f, "%%%02X", (unsigned char)*p);
}

/* A path as an address: nothing in it is a scheme, a query or an end. */
static void put_path(FILE *f, const char *path)
{
	for (const char *p = path; *p; p++)
		if ((is_letter(*p) && (unsigned char)*p < 0x80) || strchr("/.-_", *p))
			fputc(*p, f);
		else
			fprintf(f, "%%%02X", (unsigned char)*p);
}

static void put_piece(FILE *f, const struct rich_piece *piece, struct place_in in)
{
	if (piece->page)
		fputs("↗", f);
	else if (piece->code)
		put_code(f, piece->text, strlen(piece->text), in);
	else
		put_words(f, piece->text, in);
}

/* The markup of rich_text.h in Markdown's, and every sign of the text as text. */
static void put_text(FILE *f, const char *text, struct place_in in)
{
	struct arena scratch = {0};
	int n;
	const struct rich_piece *piece = rich_pieces(&scratch, text, &n);
	bool bold = false;
	const char *link = NULL;
	for (int i = 0; i < n; i++) {
		const struct rich_piece *now = &piece[i];
		bool begins = now->link && now->link != link;
		link = now->link;
		if (begins && !is_outer(link, in) && is_about_a_page(now, n - i, link)) {
			while (i + 1 < n && piece[i + 1].link == link)
				i++;
			continue;
		}
		if (now->bold != bold)
			fputs(!in.html ? "**" : bold ? "</b>" : "<b>", f);
		bold = now->bold;
		in.start = in.start && !bold;
		fputs(begins && is_outer(link, in) ? "[" : "", f);
		put_piece(f, now, in);
		in.start = false;
		if (is_outer(link, in) && (i + 1 == n || piece[i + 1].link != link)) {
			fputs("](", f);
			put_address(f, link);
			fputc(')', f);
		}
	}
	if (bold)
		fputs(in.html ? "</b>" : "**", f);
	arena_release(&scratch);
}

static const struct place_in prose = {.start = true}, in_table = {.table = true},
			     in_html = {.html = true};

/* A text without markup as code. */
static void put_plain_code(FILE *f, const char *text)
{
	struct arena scratch = {0};
	const char *plain = rich_plain(&scratch, text);
	put_code(f, plain, strlen(plain), in_table);
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
		put_plain_code(f, cell->text);
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

static void put_figure(FILE *f, const struct figure *figure, const char *folder)
{
	fputs("![", f);
	put_words(f, figure->alt, (struct place_in){0});
	fputs("](", f);
	put_path(f, folder);
	fprintf(f, "/%s.svg)\n\n", figure->id);
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

static void end_fold(FILE *f, bool *open)
{
	if (*open)
		fputs("</details>\n\n", f);
	*open = false;
}

static void begin_fold(FILE *f, const struct block *b, bool *open)
{
	fputs("<details><summary>", f);
	put_text(f, b->text, in_html);
	fputs("</summary>\n\n", f);
	*open = true;
}

void markdown_write(const struct document *d, const char *svg_folder, const char *until, FILE *f)
{
	bool detail = false, short_ = count_details(d) > MOST_DETAILS, fold = false;
	for (const struct block *b = d->first; b && !b->band; b = b->next) {
		if (until && b->place && !strcmp(b->place, until))
			break;
		if (b->kind == BLOCK_HEADING && b->level == 1)
			detail = b->detail && short_;
		if (b->kind == BLOCK_HEADING)
			end_fold(f, &fold);
		if (b->kind == BLOCK_HEADING && b->folds)
			begin_fold(f, b, &fold);
		else if (!detail)
			put_block(f, b, svg_folder);
	}
	end_fold(f, &fold);
	put_parts(f, d, svg_folder);
}
