/* SPDX-License-Identifier: Apache-2.0 */
/*
 * font_more.h - the other fonts of a folder: which of them has a sign that no face has.
 *
 * Noto has a file for each script. They are looked at once, when a text first asks for such a sign,
 * and only for what they have; of several the first by name is taken.
 */
#ifndef REPORT_CANVAS_FONT_MORE_H
#define REPORT_CANVAS_FONT_MORE_H

#include <stdint.h>

struct font_more; /* opaque */

/* Of the folder that `path`, a font, lies in; NULL when it has no other. */
struct font_more *font_more_beside(const char *path);
void font_more_close(struct font_more *more);

/* The file, lent; NULL: none has it. */
const char *font_more_with(const struct font_more *more, uint32_t code);

#endif
