/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/* What the canvas checks for every back-end, and the text, SVG and PNG back-ends. The PDF has
 * test_canvas_pdf.c. */
#include "report/canvas/ops.h"
#include "tests/unit/drawing.h"

#include <cairo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const struct text_style plain = {.face = FACE_SANS, .size = 8, .colour = 0x000000FF};
static const struct stroke thin = {0x000000FF, 0.5, 0, 0};

/* Closing must fail, and say so with these words. */
static void closes_with(struct canvas *c, const char *words)
{
	struct err err = {0};
	assert_int_equal(canvas_close(c, &err), -1);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

/* ---- the order of letters ---- */

static uint32_t drawn[32];
static size_t n_drawn;

static void take_text(struct canvas *c, const struct text_run *run)
{
	(void)c;
	n_drawn = run->n;
	assert_in_range(n_drawn, 1, 32);
	for (size_t i = 0; i < n_drawn; i++)
		drawn[i] = run->glyph[i]->code;
}

static void drop(struct canvas *c)
{
	free(c);
}

static void draws(const char *text, const uint32_t *code, size_t n)
{
	static const struct canvas_ops taking = {.on_text = take_text, .on_destroy = drop};
	struct canvas *c = xcalloc(1, sizeof *c);
	canvas_init(c, &taking, fonts, NULL);
	canvas_page(c, 100, 100, NULL);
	canvas_text_at(c, (struct pt){0, 10}, text, &plain);
	closes(c);
	assert_int_equal(n_drawn, n);
	assert_memory_equal(drawn, code, n * sizeof *code);
}

/* By the bidirectional algorithm of Unicode: Hebrew backwards, the Latin and the number in it not.
 */
static void test_right_to_left_is_drawn_so(void **state)
{
	(void)state;
	draws("a\u05d0\u05d1b", (const uint32_t[]){'a', 0x5d1, 0x5d0, 'b'}, 4);
	draws("\u05d0\u05d1 12", (const uint32_t[]){'1', '2', ' ', 0x5d1, 0x5d0}, 5);
	draws("\u884c\u5217", (const uint32_t[]){0x884c, 0x5217}, 2);
}

/* ---- the checks ---- */

static struct canvas *null_page(void)
{
	struct canvas *c = canvas_null(fonts);
	canvas_page(c, 100, 100, NULL);
	return c;
}

static void test_drawing_needs_a_page(void **state)
{
	(void)state;
	closes_with(canvas_null(fonts), "no page");
	struct canvas *c = canvas_null(fonts);
	canvas_rect(c, (struct box){0, 0, 1, 1}, 0xff);
	closes_with(c, "fill before the first page");
	c = canvas_null(fonts);
	canvas_text_at(c, (struct pt){0, 0}, "x", &plain);
	closes_with(c, "text before the first page");
	c = canvas_null(fonts);
	canvas_page(c, 2, 100, NULL);
	closes_with(c, "a page of 2 by 100");
	c = canvas_null(fonts);
	canvas_page(c, 100, 14401, NULL);
	closes_with(c, "3 to 14400");
}

static void test_numbers_must_be_finite(void **state)
{
	const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
	(void)state;
	for (int i = 0; i < 3; i++) {
		double v = bad[i];
		const struct pt pts[] = {{1, 1}, {2, v}, {v, 2}, {3, 3}};
		struct canvas *c[9];
		for (int j = 0; j < 9; j++)
			c[j] = null_page();
		canvas_rect(c[0], (struct box){0, v, 1, 1}, 0xff);
		canvas_frame(c[1], (struct box){0, 0, v, 1}, &thin);
		canvas_line(c[2], (struct pt){0, 0}, (struct pt){v, 0}, &thin);
		canvas_stroke(c[3], &(struct path){"MC", pts}, &thin);
		canvas_line(c[4], (struct pt){0, 0}, (struct pt){1, 0},
			&(struct stroke){0xff, v, 0, 0});
		canvas_text_at(c[5], (struct pt){v, 0}, "x", &plain);
		canvas_clip(c[6], (struct box){0, 0, 1, v});
		canvas_mark(c[7], MARK_OUTLINE, (struct box){0, v, 0, 0}, "x", 0);
		canvas_page(c[8], 100, v, NULL);
		canvas_unclip(c[6]);
		for (int j = 0; j < 8; j++) {
			const char *first;
			assert_int_equal(canvas_undrawn(c[j], &first), 1);
			assert_non_null(strstr(first, isnan(v) ? "not a number" : "infinite"));
			closes(c[j]);
		}
		closes_with(c[8], "3 to 14400");
	}
}

static void test_clips_must_balance(void **state)
{
	(void)state;
	struct canvas *c = null_page();
	canvas_clip(c, (struct box){0, 0, 10, 10});
	closes_with(c, "1 clip is left open");
	c = null_page();
	canvas_clip(c, (struct box){0, 0, 10, 10});
	canvas_clip(c, (struct box){0, 0, 5, 5});
	canvas_page(c, 100, 100, NULL);
	closes_with(c, "page 1 ends with 2 clips");
	c = null_page();
	canvas_unclip(c);
	closes_with(c, "unclip without a clip");
}

static void test_first_error_wins(void **state)
{
	struct err err = {0};
	(void)state;
	struct canvas *c = null_page();
	canvas_unclip(c);
	canvas_rect(c, (struct box){(double)NAN, 0, 1, 1}, 0xff);
	canvas_page(c, 1, 1, NULL);
	assert_int_equal(canvas_close(c, &err), -1);
	assert_string_equal(err.text, "canvas: unclip without a clip on page 1");
}

static void draw_too_small(void)
{
	canvas_text_at(null_page(), (struct pt){0, 0}, "x",
		&(struct text_style){.face = FACE_SANS, .size = 5.9, .colour = 0xff});
}

static void draw_headless_path(void)
{
	canvas_stroke(null_page(), &(struct path){"L", (struct pt[]){{0, 0}}}, &thin);
}

/* A mistake of ours ends the program at once. */
static void aborts(void (*mistake)(void))
{
	int status;
	pid_t child = fork();
	if (!child) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		mistake();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void test_our_own_mistakes_are_bugs(void **state)
{
	(void)state;
	aborts(draw_too_small);
	aborts(draw_headless_path);
}

static void test_addresses_are_harmless(void **state)
{
	static const char *const bad[] = {"javascript:alert(1)", "JavaScript:x", "data:text/html,x",
		"file:///etc/passwd", "vbscript:x"};
	static const char *const good[] = {
		"https://a.b/c:d", "HTTP://a", "mailto:a@b", "traces/x.json", "../a?b=c:d", "#p"};
	const struct box box = {0, 0, 10, 10};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct canvas *c = null_page();
		canvas_mark(c, MARK_URI, box, bad[i], 0);
		closes_with(c, "only http, https, mailto");
	}
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct canvas *c = null_page();
		canvas_mark(c, MARK_URI, box, good[i], 0);
		closes(c);
	}
}

/* ---- the text back-end ---- */

/* What `draw` prints. */
static char *printed(void (*draw)(struct canvas *))
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	assert_non_null(f);
	struct canvas *c = canvas_text(f);
	draw(c);
	closes(c);
	fclose(f);
	return text;
}

static void draw_two_pages(struct canvas *c)
{
	draw_specimen(c);
	canvas_page(c, 200, 100, NULL);
}

static void test_text_is_the_golden_one(void **state)
{
	(void)state;
	char *text = printed(draw_two_pages);
	char *golden = slurp("tests/data/canvas/specimen.txt", NULL);
	if (strcmp(text, golden)) {
		struct outfile out;
		struct err err = {0};
		outfile_open(&out, "out/tests/specimen.txt", &err);
		fputs(text, out.f);
		outfile_close(&out, &err);
		fail_msg("diff tests/data/canvas/specimen.txt out/tests/specimen.txt");
	}
	free(text);
	free(golden);
}

static void draw_odd_things(struct canvas *c)
{
	const struct pt far[] = {{-1e9, 10}, {1e9, 10}};
	canvas_page(c, 100, 100, "a \"b\" \\ \x01 \xff");
	/* what cannot be seen is not drawn */
	canvas_rect(c, (struct box){0, 0, 10, 10}, 0x12345600);
	canvas_rect(c, (struct box){0, 0, 0, 10}, 0xff);
	canvas_line(c, (struct pt){0, 0}, (struct pt){1, 1}, &(struct stroke){0xff, 0, 0, 0});
	canvas_text_at(c, (struct pt){0, 0}, "", &plain);
	canvas_fill(c, &(struct path){"", NULL}, 0xff);
	/* what is far away comes near, what rounds to nothing is no minus nothing */
	canvas_stroke(c, &(struct path){"ML", far}, &thin);
	canvas_rect(c, (struct box){-0.001, 5, 1e12, 1}, 0xff);
	canvas_clip(c, (struct box){10, 10, 20, 20});
	canvas_mark(c, MARK_TIP, (struct box){0, 0, 15, 100}, "cut", 0);
	canvas_mark(c, MARK_TIP, (struct box){50, 50, 15, 15}, "outside", 0);
	canvas_clip(c, (struct box){12, 0, 100, 15});
	canvas_mark(c, MARK_LINK, (struct box){0, 0, 100, 100}, "inner", 0);
	canvas_unclip(c);
	canvas_mark(c, MARK_LINK, (struct box){0, 0, 100, 100}, "outer", 0);
	canvas_unclip(c);
}

static void test_text_of_odd_things(void **state)
{
	(void)state;
	char *text = printed(draw_odd_things);
	assert_string_equal(text,
		"page 100.00 100.00 \"a \\\"b\\\" \\\\ \\x01 \\xFF\"\n"
		"line #000000FF 0.50 -20000.00 10.00 20000.00 10.00\n"
		"rect #000000FF 0.00 5.00 20000.00 1.00\n"
		"clip 10.00 10.00 20.00 20.00\n"
		"tip \"cut\" 10.00 10.00 5.00 20.00\n"
		"clip 12.00 0.00 100.00 15.00\n"
		"link \"inner\" 12.00 10.00 18.00 5.00\n"
		"unclip\n"
		"link \"outer\" 10.00 10.00 20.00 20.00\n"
		"unclip\n");
	free(text);
}

/* ---- files: whole or not at all ---- */

static opener *const openers[] = {canvas_pdf, canvas_cairo_pdf, canvas_svg, canvas_png};
enum { OPENERS = sizeof openers / sizeof *openers };

/* The specimen in each format: files 0a, 1a and so on. */
static void draw_all(const char *letter)
{
	for (int i = 0; i < OPENERS; i++) {
		char name[8];
		snprintf(name, sizeof name, "%d%s", i, letter);
		draw_file(openers[i], scratch(name), draw_specimen);
	}
}

static void test_same_bytes_elsewhere(void **state)
{
	static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"};
	(void)state;
	draw_all("a");
	setenv("TZ", "Asia/Kathmandu", 1);
	setenv("SOURCE_DATE_EPOCH", "86400", 1);
	for (size_t i = 0; i < sizeof commas / sizeof *commas; i++)
		if (setlocale(LC_ALL, commas[i]))
			break;
	sleep(1);
	draw_all("b");
	setlocale(LC_ALL, "C");
	unsetenv("SOURCE_DATE_EPOCH");
	unsetenv("TZ");
	for (int i = 0; i < OPENERS; i++)
		free(run("cmp '%s/%da' '%s/%db'", scratch_folder(), i, scratch_folder(), i));
}

static void test_failed_drawing_leaves_the_old_file(void **state)
{
	(void)state;
	for (int i = 0; i < OPENERS; i++) {
		struct canvas_info info = specimen_info();
		free(run("echo old >'%s'", scratch("old")));
		struct canvas *c = openers[i](scratch("old"), fonts, &info);
		draw_specimen(c);
		canvas_unclip(c);
		closes_with(c, "unclip without a clip");
		char *text = run("cat '%s'; ls '%s' | grep -c part || true", scratch("old"),
			scratch_folder());
		assert_string_equal(text, "old\n0\n");
		free(text);
	}
}

static void test_unwritable_path_is_one_error(void **state)
{
	(void)state;
	for (int i = 0; i < OPENERS; i++) {
		free(run("echo file >'%s'", scratch("file")));
		struct canvas *c = openers[i](scratch("file/below"), fonts, NULL);
		draw_specimen(c);
		closes_with(c, "file");
	}
}

/* In a child whose files may not grow beyond 3 kB, as on a full disk. */
static int draw_on_full_disk(opener *open)
{
	struct rlimit small = {3000, 3000};
	struct canvas_info info = specimen_info();
	struct err err = {0};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	struct canvas *c = open(scratch("full"), fonts, &info);
	draw_specimen(c);
	if (canvas_close(c, &err) != -1)
		return 1;
	return strstr(err.text, "is the disk full?") && strstr(err.text, "full") ? 0 : 2;
}

static void test_full_disk_is_one_error(void **state)
{
	(void)state;
	for (int i = 0; i < OPENERS; i++) {
		int status;
		free(run("echo old >'%s'", scratch("full")));
		pid_t child = fork();
		if (!child)
			_exit(draw_on_full_disk(openers[i]));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
		char *text = run("cat '%s'; ls '%s' | grep -c part || true", scratch("full"),
			scratch_folder());
		assert_string_equal(text, "old\n0\n");
		free(text);
	}
}

static void test_full_device_is_one_error(void **state)
{
	struct stat st;
	(void)state;
	if (stat("/dev/full", &st) || !S_ISCHR(st.st_mode)) {
		print_message("no /dev/full here\n");
		skip();
	}
	for (int i = 0; i < OPENERS; i++) {
		struct canvas *c = openers[i]("/dev/full", fonts, NULL);
		canvas_page(c, 30, 30, NULL);
		closes_with(c, "cannot write /dev/full (is the disk full?): No space left");
	}
	assert_true(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
}

/* ---- PNG ---- */

static void test_png_has_no_date(void **state)
{
	size_t n;
	(void)state;
	draw_file(canvas_png, scratch("d.png"), draw_specimen);
	char *bytes = slurp(scratch("d.png"), &n);
	assert_null(memmem(bytes, n, "tIME", 4));
	assert_null(memmem(bytes, n, "tEXt", 4));
	free(bytes);
}

static void test_png_has_limits(void **state)
{
	struct canvas_info info = {.scale = 10};
	(void)state;
	struct canvas *c = canvas_png(scratch("big.png"), fonts, &info);
	canvas_page(c, 5000, 10, NULL);
	closes_with(c, "50000 by 100 pixels");
	for (int i = 2; i < OPENERS; i++) {
		c = openers[i](scratch("two"), fonts, NULL);
		canvas_page(c, 50, 10, NULL);
		canvas_page(c, 50, 10, NULL);
		closes_with(c, "holds one");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_to_left_is_drawn_so),
		cmocka_unit_test(test_drawing_needs_a_page),
		cmocka_unit_test(test_numbers_must_be_finite),
		cmocka_unit_test(test_clips_must_balance),
		cmocka_unit_test(test_first_error_wins),
		cmocka_unit_test(test_our_own_mistakes_are_bugs),
		cmocka_unit_test(test_addresses_are_harmless),
		cmocka_unit_test(test_text_is_the_golden_one),
		cmocka_unit_test(test_text_of_odd_things),
		cmocka_unit_test(test_same_bytes_elsewhere),
		cmocka_unit_test(test_failed_drawing_leaves_the_old_file),
		cmocka_unit_test(test_unwritable_path_is_one_error),
		cmocka_unit_test(test_full_disk_is_one_error),
		cmocka_unit_test(test_full_device_is_one_error),
		cmocka_unit_test(test_png_has_no_date),
		cmocka_unit_test(test_png_has_limits),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
