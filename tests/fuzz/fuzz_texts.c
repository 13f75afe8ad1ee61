/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a value of a template, as a template, and as marked-up text: a value is taken
 * literally, lines hold what the text says and fit their width, and nothing reaches a terminal but
 * letters. */
/* max_len: 1024 */
/* of: report/page/rich_text.c base/utf8.c */
#include "tests/fuzz/fuzz.h"

#include "base/terminal.h"
#include "report/page/rich_text.h"
#include "report/page/template_texts.h"

/* A text without its spaces, in place. */
static char *close_up(char *text)
{
	char *to = text;
	for (const char *p = text; *p; p++)
		if (*p != ' ' && *p != '\n')
			*to++ = *p;
	*to = '\0';
	return text;
}

static void check_literal(const struct texts *texts, struct arena *a, const char *text)
{
	const struct text_value value = {"v", text};
	const char *filled = fill_text(texts, a, "text", "fuzz", "{v}", &value, 1);
	if (strcmp(rich_plain(a, filled), text) != 0)
		bug("a value was not taken literally");
	fill_text(texts, a, "text", "fuzz", text, &value, 1);
}

static void check_lines(const struct fonts *fonts, struct arena *a, const char *text)
{
	const struct rich_style style = {.face = FACE_SANS, .size = 9, .leading = 12};
	const double width = 120;
	struct places *places = places_new(a);
	struct rich r = rich_layout(a, fonts, places, text, width, &style);
	int n = 0;
	for (int i = 0; i < r.n_lines; i++) {
		if (r.line[i].first != n || r.line[i].n < 1)
			bug("line %d does not follow on the last", i);
		n += r.line[i].n;
		if (r.line[i].n > 1 && !(r.line[i].width <= width + 0.02))
			bug("line %d is %g wide", i, r.line[i].width);
	}
	if (n != r.n_words)
		bug("%d words on lines, of %d", n, r.n_words);
}

static void check_pieces(struct arena *a, const char *text)
{
	int n;
	const struct rich_piece *piece = rich_pieces(a, text, &n);
	char *joined = arena_alloc(a, strlen(text) + 1), *to = joined;
	for (int i = 0; i < n; i++)
		to = stpcpy(to, piece[i].page ? "\xc2\xb6" : piece[i].text);
	if (!strstr(text, "\xc2\xb6") && strcmp(joined, rich_plain(a, text)) != 0)
		bug("the pieces are not the text");
	close_up(joined);
}

static void check_terminal(const char *text)
{
	size_t room = 8 * strlen(text) + 16;
	char *shown = xalloc(room);
	terminal_text(shown, room, text);
	for (const char *p = shown; *p; p++)
		if (((unsigned char)*p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f ||
			(p[0] == '\xc2' && (unsigned char)p[1] < 0xa0))
			bug("byte %02x reaches the terminal", (unsigned char)*p);
	free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct texts *texts;
	static struct fonts *fonts;
	struct err err = {0};
	struct arena arena = {0};
	if (!texts) {
		texts = texts_open("templates", "en", &err);
		fonts = texts ? fonts_open(&err) : NULL;
		if (!fonts)
			bug("%s", err.text);
	}
	char *text = fuzz_text(data, size);
	check_literal(texts, &arena, text);
	check_pieces(&arena, text);
	check_lines(fonts, &arena, text);
	check_terminal(text);
	free(text);
	arena_release(&arena);
	return 0;
}
