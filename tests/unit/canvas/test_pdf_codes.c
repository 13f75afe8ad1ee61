/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of one byte and more: does a text with more signs than one byte numbers come back? */
#include "report/canvas/pdf.h"
#include "tests/unit/drawing.h"

/* Latin, Greek and Cyrillic. */
static const struct {
	unsigned int from, to;
} letters[] = {{0x100, 0x17f}, {0x3a3, 0x3ce}, {0x400, 0x45f}};

enum { LINES = sizeof letters / sizeof *letters, LINE_BYTES = 400 };

static void letters_of(char *p, int line)
{
	for (unsigned int code = letters[line].from; code <= letters[line].to; code++) {
		*p++ = (char)(0xc0 | code >> 6);
		*p++ = (char)(0x80 | (code & 0x3f));
	}
	*p = '\0';
}

static void test_all_letters_come_back(void **state)
{
	(void)state;
	const struct text_style style = {.face = FACE_SANS, .size = 8, .colour = 0xff};
	struct canvas_info info = specimen_info();
	struct err err = {0};
	char line[LINES][LINE_BYTES];
	struct canvas *c = canvas_pdf(scratch("a.pdf"), fonts, &info);
	canvas_page(c, 1200, 100, NULL);
	for (int i = 0; i < LINES; i++) {
		letters_of(line[i], i);
		canvas_text_at(c, (struct pt){10, 20 + 20.0 * i}, line[i], &style);
	}
	assert_int_equal(canvas_close(c, &err), 0);
	char *text = run("pdftotext -layout '%s' -", scratch("a.pdf"));
	for (int i = 0; i < LINES; i++)
		assert_non_null(strstr(text, line[i]));
	free(text);
}

static void test_codes(void **state)
{
	(void)state;
	assert_int_equal(pdf_code(PDF_SHORT - 1), 0xbf);
	assert_int_equal(pdf_code(PDF_SHORT), 0xc000);
	assert_int_equal(pdf_code(PDF_LONG - 1), 0xfeff);
	assert_int_equal(pdf_code(PDF_LONG), 0xff0000);
	assert_int_equal(pdf_code_bytes(PDF_SHORT - 1), 1);
	assert_int_equal(pdf_code_bytes(PDF_LONG - 1), 2);
	assert_int_equal(pdf_code_bytes(PDF_LONG), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_letters_come_back),
		cmocka_unit_test(test_codes),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
