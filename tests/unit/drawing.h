/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drawing.h - what the tests of fonts and canvases share: a specimen page that uses every call, a
 * folder of their own, and outside tools as witnesses.
 */
#ifndef TESTS_UNIT_DRAWING_H
#define TESTS_UNIT_DRAWING_H

#include "base/outfile.h"
#include "report/canvas/canvas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Every sign that the report may write, without the spaces. */
#define SIGNS "→ ← ↑ ↓ ≤ ≥ ≈ − × µ μ Δ Σ ∪ ∩ ÷ · … – — • ✓ ✗ ▲ ▼ ■ □ ① ② ③ ④ ⑤ ⑥ ⑦ ⑧ ⑨"

/* The folder of this run, made when first asked for; named from where the test runs, since shells
 * read it and what is above may hold quotes. */
static inline char *scratch_folder(void)
{
	static char folder[1000], here[900];
	if (!*folder) {
		const char *parent = getenv("TMPDIR");
		size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
		if (parent && n && !strncmp(parent, here, n) && parent[n] == '/')
			parent += n + 1;
		snprintf(folder, sizeof folder, "%s/canvas-XXXXXX", parent ? parent : P_tmpdir);
		if (!mkdtemp(folder))
			fail_msg("cannot make %s", folder);
	}
	return folder;
}

/* A path in that folder; the text is lent until the 16th call after. */
static inline const char *scratch(const char *name)
{
	static char paths[16][1100];
	static int next;
	const char *folder = scratch_folder();
	char *path = paths[next++ % 16];
	snprintf(path, sizeof *paths, "%s/%s", folder, name);
	return path;
}

/* A whole file, NUL behind it; the caller frees. */
static inline char *slurp(const char *path, size_t *n)
{
	struct err err = {0};
	char *text = read_small_file(path, 64 << 20, n, &err);
	if (!text)
		fail_msg("%s", err.text);
	return text;
}

/* Runs a shell command; the result is all that it printed, which the caller frees. A tool that is
 * not installed skips the test, any other failure fails it. */
__attribute__((format(printf, 1, 2))) static inline char *run(const char *fmt, ...)
{
	char command[4096] = "{ ";
	va_list args;
	va_start(args, fmt);
	int length = vsnprintf(command + 2, sizeof command - 12, fmt, args) + 2;
	va_end(args);
	assert_in_range(length, 3, sizeof command - 12);
	memcpy(command + length, "\n} 2>&1", 8);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	size_t n = 0, room = 1 << 16;
	char *text = xalloc(room + 1);
	for (size_t more; (more = fread(text + n, 1, room - n, f)); n += more)
		if (n + more == room)
			text = xrealloc(text, (room *= 2) + 1, 1);
	text[n] = '\0';
	int status = pclose(f);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		print_message("not installed: %s", text);
		free(text);
		skip();
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("%s: status %d: %s", command, status, text);
	return text;
}

static inline void scratch_remove(void)
{
	free(run("rm -rf '%s'", scratch_folder()));
}

/* Ends a drawing that must have succeeded. */
static inline void closes(struct canvas *c)
{
	struct err err = {0};
	if (canvas_close(c, &err))
		fail_msg("%s", err.text);
}

static struct fonts *fonts;

/* To be done before and after the tests of a file: the fonts, and the folder in which it draws. */
static inline int open_fonts(void **state)
{
	struct err err = {0};
	(void)state;
	fonts = fonts_open(&err);
	if (!fonts)
		print_message("%s\n", err.text);
	return fonts ? 0 : -1;
}

static inline int close_fonts(void **state)
{
	(void)state;
	fonts_close(fonts);
	scratch_remove();
	return 0;
}

static inline struct canvas_info specimen_info(void)
{
	return (struct canvas_info){
		.title = "Specimen → größer",
		.author = "tracebook",
		.subject = "every call once",
		.keywords = "canvas, test",
		.lang = "en",
		.created = "2026-11-20T10:00:00Z",
		.id = "fig",
		.alt = "Bars & a hatched box",
	};
}

static inline void draw_shapes(struct canvas *c)
{
	const struct stroke thin = {0x003C60FF, 0.35, 0, 0}, dashed = {0xD55E00FF, 0.6, 2.5, 1.25};
	const struct pt curve[] = {{120, 160}, {120, 190}, {180, 180}, {180, 210}};
	const struct pt head[] = {{177.7, 208}, {182.3, 208}, {180, 211}};
	canvas_rect(c, (struct box){40, 100, 80, 30}, 0x005A8EFF);
	canvas_rect(c, (struct box){80, 115, 80, 30}, 0xE69F0080);
	canvas_frame(c, (struct box){40, 100, 80, 30}, &thin);
	canvas_line(c, (struct pt){40, 150}, (struct pt){200, 150}, &dashed);
	canvas_stroke(c, &(struct path){"MC", curve}, &(struct stroke){0x4B5563FF, 0.45, 0, 0});
	canvas_fill(c, &(struct path){"MLLZ", head}, 0x4B5563FF);
	canvas_clip(c, (struct box){220, 100, 100, 60});
	for (int i = 0; i < 50; i++)
		canvas_line(c, (struct pt){160 + i * 3.2, 160}, (struct pt){220 + i * 3.2, 100},
			&(struct stroke){0x9AA4AFFF, 0.35, 0, 0});
	canvas_unclip(c);
}

static inline void draw_texts(struct canvas *c)
{
	struct text_style style = {FACE_SANS, 10, 0x1B1F24FF, ANCHOR_START, false};
	canvas_text_at(c, (struct pt){20, 20.25}, "sans " SIGNS " 1 000 2 000", &style);
	style.face = FACE_BOLD;
	canvas_text_at(c, (struct pt){20, 40.25}, "bold " SIGNS " 1 000 2 000", &style);
	style.face = FACE_MONO;
	style.size = 8;
	canvas_text_at(c, (struct pt){20, 60.25}, "mono " SIGNS " 1 000 2 000", &style);
	style.face = FACE_SANS;
	canvas_text_at(c, (struct pt){20, 80.25}, "Hafenstraße, AVATo, fi ffl -> != <&> \"quoted\"",
		&style);
	style.anchor = ANCHOR_MIDDLE;
	canvas_text_at(c, (struct pt){200, 230}, "in the middle", &style);
	style.anchor = ANCHOR_END;
	canvas_text_at(c, (struct pt){400, 230}, "at the end", &style);
	style.turned = true;
	canvas_text_at(c, (struct pt){20, 120}, "turned", &style);
}

static inline void draw_specimen(struct canvas *c)
{
	canvas_page(c, 480, 300, "iv");
	canvas_mark(c, MARK_OUTLINE, (struct box){0, 0, 0, 0}, "Überblick → 𝔘", 0);
	canvas_mark(c, MARK_OUTLINE, (struct box){0, 90, 0, 0}, "Shapes", 1);
	canvas_mark(c, MARK_DEST, (struct box){20, 90, 0, 0}, "shapes", 0);
	draw_texts(c);
	draw_shapes(c);
	canvas_mark(c, MARK_LINK, (struct box){20, 70, 100, 12}, "shapes", 0);
	canvas_mark(
		c, MARK_URI, (struct box){200, 220, 60, 12}, "https://example.org/a (b)?ü&c", 0);
	canvas_mark(c, MARK_TIP, (struct box){40, 100, 80, 30}, "a <tip> & \"more\"", 0);
}

/* canvas_pdf and the others. */
typedef struct canvas *opener(const char *, const struct fonts *, const struct canvas_info *);

static inline void draw_file(opener *open, const char *path, void (*draw)(struct canvas *))
{
	struct canvas_info info = specimen_info();
	struct canvas *c = open(path, fonts, &info);
	draw(c);
	closes(c);
}

#endif
