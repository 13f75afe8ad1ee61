/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/* Widths against FreeType's own, the cutting of texts, and what happens when a font is not there.
 */
#include "report/canvas/font_glyph.h"
#include "tests/unit/drawing.h"

#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include <math.h>
#include <sched.h>
#include <sys/stat.h>

static const char *const files[FACES] = {
	[FACE_SANS] = "noto/NotoSans-Regular.ttf",
	[FACE_BOLD] = "noto/NotoSans-Bold.ttf",
	[FACE_MONO] = "jetbrains-mono/JetBrainsMono-Regular.ttf",
};

/* Thousandths of the size, by another road: FreeType's glyph metrics instead of its advances. */
static long width_in(const char *file, uint32_t code)
{
	char path[200];
	FT_Library library;
	FT_Face face;
	snprintf(path, sizeof path, "/usr/share/fonts/truetype/%s", file);
	assert_false(FT_Init_FreeType(&library));
	assert_false(FT_New_Face(library, path, 0, &face));
	FT_UInt id = FT_Get_Char_Index(face, code);
	assert_int_not_equal(id, 0);
	assert_false(FT_Load_Glyph(face, id, FT_LOAD_NO_SCALE));
	long width = face->glyph->metrics.horiAdvance * 1000 / face->units_per_EM;
	FT_Done_Face(face);
	FT_Done_FreeType(library);
	return width;
}

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) < 1e-9))
		fail_msg("%.12f is not %.12f", a, b);
}

static void test_widths_are_those_of_freetype(void **state)
{
	static const char text[] = "The quick kernel: aten::addmm (128x64) 97.5%";
	(void)state;
	for (enum face face = 0; face < FACES; face++) {
		long sum = 0;
		for (const char *p = text; *p; p++)
			sum += width_in(files[face], (unsigned char)*p);
		assert_near(text_width(fonts, face, 8.6, text), (double)sum * 8.6 / 1000);
	}
	assert_near(text_width(fonts, FACE_SANS, 8, ""), 0);
}

static void test_no_kerning(void **state)
{
	(void)state;
	double apart =
		text_width(fonts, FACE_SANS, 10, "A") + text_width(fonts, FACE_SANS, 10, "V");
	assert_near(text_width(fonts, FACE_SANS, 10, "AV"), apart);
}

static void test_chain_of_files(void **state)
{
	(void)state;
	/* Noto Sans lacks the arrow, JetBrains Mono has it, the bold chain asks DejaVu Bold. */
	assert_near(text_width(fonts, FACE_SANS, 1000, "→"),
		(double)width_in("noto/NotoSansMath-Regular.ttf", 0x2192));
	assert_near(text_width(fonts, FACE_MONO, 1000, "→"),
		(double)width_in(files[FACE_MONO], 0x2192));
	assert_near(text_width(fonts, FACE_BOLD, 1000, "→"),
		(double)width_in("dejavu/DejaVuSans-Bold.ttf", 0x2192));
	/* DejaVu counts 2048 units to the em: each width is cut to thousandths by itself. */
	long one = width_in("dejavu/DejaVuSans-Bold.ttf", 0x2192);
	assert_near(text_width(fonts, FACE_BOLD, 1000, "→→→"), (double)(3 * one));
}

static void test_every_sign_has_a_glyph(void **state)
{
	static const char text[] =
		SIGNS " 1 000 2 000 ₀ ² ½ € “”‘’ ‰ ′ ″ ∑ √ ∞ ⌈ ⌉ ◀ ▶ ● ○ ★ α β γ λ π σ";
	struct err err = {0};
	(void)state;
	for (enum face face = 0; face < FACES; face++) {
		struct canvas *c = canvas_null(fonts);
		canvas_page(c, 100, 100, NULL);
		canvas_text_at(c, (struct pt){0, 50}, text,
			&(struct text_style){.face = face, .size = 8, .colour = 0xff});
		if (canvas_replaced(c))
			fail_msg("face %d lacks %zu signs", face, canvas_replaced(c));
		assert_int_equal(canvas_close(c, &err), 0);
	}
}

static void test_bad_bytes_and_missing_signs(void **state)
{
	(void)state;
	double unknown = text_width(fonts, FACE_SANS, 10, "\xef\xbf\xbd");
	assert_true(unknown > 1);
	/* a lone byte, a cut sequence, an overlong one, a surrogate: each byte by itself */
	assert_near(text_width(fonts, FACE_SANS, 10, "\xff"), unknown);
	assert_near(text_width(fonts, FACE_SANS, 10, "\xe2\x82"), 2 * unknown);
	assert_near(text_width(fonts, FACE_SANS, 10, "\xc0\xaf"), 2 * unknown);
	assert_near(text_width(fonts, FACE_SANS, 10, "\xed\xa0\x80"), 3 * unknown);
	assert_near(text_width(fonts, FACE_SANS, 10, "漢"), unknown);
	assert_near(text_width(fonts, FACE_SANS, 10, "\x01"), unknown);
	assert_near(text_width(fonts, FACE_SANS, 10, "\t"), text_width(fonts, FACE_SANS, 10, " "));
	assert_near(text_width(fonts, FACE_SANS, 10, "\xf4\x8f\xbf\xbf"), unknown);
}

static void test_fit_is_the_longest_that_fits(void **state)
{
	static const char text[] = "launch → kernel: 12,5 µs · 漢 \xff end of it";
	size_t cuts[64], n = 0;
	(void)state;
	for (const char *p = text;; p++) {
		if ((*p & 0xc0) != 0x80)
			cuts[n++] = (size_t)(p - text);
		if (!*p)
			break;
	}
	for (size_t i = 0; i < n; i++) {
		char part[sizeof text] = "";
		memcpy(part, text, cuts[i]);
		double width = text_width(fonts, FACE_SANS, 7.3, part);
		assert_int_equal(text_fit(fonts, FACE_SANS, 7.3, width, text), cuts[i]);
		if (i)
			assert_int_equal(
				text_fit(fonts, FACE_SANS, 7.3, width - 0.01, text), cuts[i - 1]);
	}
	assert_int_equal(text_fit(fonts, FACE_SANS, 7.3, 0, text), 0);
	assert_int_equal(text_fit(fonts, FACE_SANS, 7.3, -5, text), 0);
	assert_int_equal(text_fit(fonts, FACE_SANS, 7.3, 1e9, text), strlen(text));
}

static void test_elide(void **state)
{
	static const char name[] = "cudaStreamSynchronize";
	struct arena a = {0};
	(void)state;
	double whole = text_width(fonts, FACE_SANS, 6.5, name);
	assert_ptr_equal(text_elide(&a, fonts, FACE_SANS, 6.5, whole, name), name);
	const char *cut = text_elide(&a, fonts, FACE_SANS, 6.5, whole - 0.1, name);
	assert_string_equal(cut, "cudaStreamSynchroni…");
	double four = text_width(fonts, FACE_SANS, 6.5, "cuda…");
	assert_string_equal(text_elide(&a, fonts, FACE_SANS, 6.5, four, name), "cuda…");
	assert_string_equal(text_elide(&a, fonts, FACE_SANS, 6.5, four - 0.1, name), "");
	assert_string_equal(text_elide(&a, fonts, FACE_SANS, 6.5, 0, name), "");
	assert_string_equal(text_elide(&a, fonts, FACE_SANS, 6.5, -1, name), "");
	/* characters, not bytes; and no space before the dots */
	double greek = text_width(fonts, FACE_SANS, 6.5, "αβγδ…");
	assert_string_equal(text_elide(&a, fonts, FACE_SANS, 6.5, greek, "αβγδεζηθ"), "αβγδ…");
	double spaced = text_width(fonts, FACE_SANS, 6.5, "step …");
	assert_string_equal(text_elide(&a, fonts, FACE_SANS, 6.5, spaced, "step number"), "step…");
	arena_release(&a);
}

static void test_elide_always_fits(void **state)
{
	static const char text[] = "sm90_xmma_gemm_bf16bf16 → 漢字 ✓ done";
	struct arena a = {0};
	(void)state;
	for (double width = 0; width < 260; width += 0.37) {
		const char *cut = text_elide(&a, fonts, FACE_MONO, 7, width, text);
		assert_true(text_width(fonts, FACE_MONO, 7, cut) <= width + 1e-6);
	}
	arena_release(&a);
}

/* ---- where the files come from ---- */

static void put_file(const char *folder, const char *name, const char *bytes, size_t n)
{
	char path[2000];
	struct outfile out;
	struct err err = {0};
	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fwrite(bytes, 1, n, out.f);
	assert_int_equal(outfile_close(&out, &err), 0);
}

static void test_own_folder_comes_first(void **state)
{
	size_t n;
	struct err err = {0};
	(void)state;
	char *bytes = slurp("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", &n);
	put_file(scratch("own"), "NotoSans-Regular.ttf", bytes, n);
	free(bytes);
	setenv("TRACEBOOK_FONTS", scratch("own"), 1);
	struct fonts *own = fonts_open(&err);
	unsetenv("TRACEBOOK_FONTS");
	assert_non_null(own);
	assert_near(text_width(own, FACE_SANS, 1000, "W"),
		(double)width_in("dejavu/DejaVuSans.ttf", 'W'));
	assert_near(text_width(own, FACE_MONO, 1000, "W"), (double)width_in(files[FACE_MONO], 'W'));
	fonts_close(own);
}

static void refuses(const char *bytes, size_t n, const char *why)
{
	struct err err = {0};
	put_file(scratch("broken"), "NotoSans-Bold.ttf", bytes, n);
	setenv("TRACEBOOK_FONTS", scratch("broken"), 1);
	struct fonts *none = fonts_open(&err);
	unsetenv("TRACEBOOK_FONTS");
	assert_null(none);
	if (!strstr(err.text, why) || !strstr(err.text, "NotoSans-Bold.ttf"))
		fail_msg("the message is: %s", err.text);
}

static void test_broken_fonts_are_refused(void **state)
{
	size_t n;
	(void)state;
	char *bytes = slurp("/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf", &n);
	refuses("not a font", 10, "is not a font");
	refuses("", 0, "is not a font");
	refuses(bytes, 300, "NotoSans-Bold.ttf");
	free(bytes);
}

/* In a child without any files: the message must name the file and the package. */
static int open_nowhere(void)
{
	struct err err = {0};
	if (mkdir(scratch("empty"), 0777) || (geteuid() && unshare(CLONE_NEWUSER)) ||
		chroot(scratch("empty")) || chdir("/"))
		return 77;
	if (fonts_open(&err))
		return 1;
	bool told = strstr(err.text, "NotoSans-Regular.ttf") && strstr(err.text, "fonts-noto-core");
	return told ? 0 : 2;
}

static void test_missing_font_names_its_package(void **state)
{
	int status;
	(void)state;
	pid_t child = fork();
	if (!child)
		_exit(open_nowhere());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("this user may not chroot\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths_are_those_of_freetype),
		cmocka_unit_test(test_no_kerning),
		cmocka_unit_test(test_chain_of_files),
		cmocka_unit_test(test_every_sign_has_a_glyph),
		cmocka_unit_test(test_bad_bytes_and_missing_signs),
		cmocka_unit_test(test_fit_is_the_longest_that_fits),
		cmocka_unit_test(test_elide),
		cmocka_unit_test(test_elide_always_fits),
		cmocka_unit_test(test_own_folder_comes_first),
		cmocka_unit_test(test_broken_fonts_are_refused),
		cmocka_unit_test(test_missing_font_names_its_package),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
