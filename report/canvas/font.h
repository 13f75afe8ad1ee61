/* SPDX-License-Identifier: Apache-2.0 */
/*
 * font.h - the faces of the report, and the one place where text is measured.
 *
 * A face is a chain of TrueType files: the first that has a code point draws it. Widths are
 * floor(1000 * advance / units per em) sums from the unhinted font without kerning, which is what
 * libharu writes into a PDF and what the cairo back-ends are told to place, so all outputs break
 * lines alike.
 */
#ifndef REPORT_CANVAS_FONT_H
#define REPORT_CANVAS_FONT_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum face { FACE_SANS, FACE_BOLD, FACE_MONO, FACES };

struct fonts; /* opaque; font.c */

/* Finds and opens the files (Noto Sans, Noto Sans Bold, JetBrains Mono, and the fall-backs that are
 * there, for signs, Hangul and Han): in the folder named by TRACEBOOK_FONTS, then where Debian puts
 * them, then anywhere in the folders of a system's and a user's own fonts. A sign that none has is
 * looked for in the other Noto fonts beside the first, of which up to six are taken; what a script
 * joins or turns round stands sign by sign. NULL when one of the
 * first files of a chain is missing or any is broken; the message names the file and the package
 * that brings it. Glyphs are looked up as texts ask for them, so a struct fonts belongs to one
 * thread.
 */
struct fonts *fonts_open(struct err *err);
void fonts_close(struct fonts *fonts);

/* How many different code points have been measured or drawn that no file has, as U+FFFD; the first
 * `most` of them, in their order, are left in `code`. */
size_t fonts_missed(const struct fonts *fonts, uint32_t *code, size_t most);

/* The package of a fall-back that is not installed; NULL when all are. */
const char *fonts_absent(const struct fonts *fonts);

/* Width in points of a UTF-8 text at `size` points. What no file has, and each invalid byte, is
 * measured and drawn as U+FFFD. */
double text_width(const struct fonts *fonts, enum face face, double size, const char *text);

/* Bytes of the longest beginning of text that is at most `width` wide, cut between code points. */
size_t text_fit(
	const struct fonts *fonts, enum face face, double size, double width, const char *text);

/* The text itself if it fits, else its beginning with an ellipsis, else "" when fewer than 4
 * characters would stay. */
const char *text_elide(struct arena *a, const struct fonts *fonts, enum face face, double size,
	double width, const char *text);

#endif
