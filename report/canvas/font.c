/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/font_glyph.h"

#include "base/utf8.h"
#include "report/canvas/font_more.h"

#include FT_ADVANCES_H
#include FT_TRUETYPE_TABLES_H
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGES = 0x110000 / 256, REPLACEMENT = 0xfffd };

enum {
	SANS,
	BOLD,
	MONO,
	MATH,
	SYMBOLS2,
	SYMBOLS,
	DEJAVU,
	DEJAVU_BOLD,
	DEJAVU_MONO,
	HANGUL,
	HAN,
	MORE, /* found beside the first, for signs that no other has */
	LAST_MORE = MORE + 5,
	FILES
};

static const struct {
	const char *folder, *name, *package;
	bool needed; /* first of a chain; the others only add signs */
	uint32_t from, to; /* the code points that it is asked for; 0: all it has */
} table[FILES] = {
	[SANS] = {"noto", "NotoSans-Regular.ttf", "fonts-noto-core", true},
	[BOLD] = {"noto", "NotoSans-Bold.ttf", "fonts-noto-core", true},
	[MONO] = {"jetbrains-mono", "JetBrainsMono-Regular.ttf", "fonts-jetbrains-mono", true},
	[MATH] = {"noto", "NotoSansMath-Regular.ttf", "fonts-noto-core", false},
	[SYMBOLS2] = {"noto", "NotoSansSymbols2-Regular.ttf", "fonts-noto-core", false},
	[SYMBOLS] = {"noto", "NotoSansSymbols-Regular.ttf", "fonts-noto-core", false},
	[DEJAVU] = {"dejavu", "DejaVuSans.ttf", "fonts-dejavu-core", false},
	[DEJAVU_BOLD] = {"dejavu", "DejaVuSans-Bold.ttf", "fonts-dejavu-core", false},
	[DEJAVU_MONO] = {"dejavu", "DejaVuSansMono.ttf", "fonts-dejavu-core", false},
	[HANGUL] = {"nanum", "NanumGothic.ttf", "fonts-nanum", false, 0xac00, 0xd7a3},
	[HAN] = {"droid", "DroidSansFallbackFull.ttf", "fonts-droid-fallback", false},
};
_Static_assert((int)FILES <= (int)FONT_FILES_MAX, "struct fonts has no room for the table");

#define EACH_MORE MORE, MORE + 1, MORE + 2, MORE + 3, MORE + 4, LAST_MORE

static const signed char chains[FACES][FILES + 1] = {
	[FACE_SANS] = {SANS, MATH, SYMBOLS2, SYMBOLS, DEJAVU, HANGUL, HAN, EACH_MORE, -1},
	[FACE_BOLD] = {BOLD, DEJAVU_BOLD, MATH, SYMBOLS2, SYMBOLS, DEJAVU, HANGUL, HAN, EACH_MORE,
		-1},
	[FACE_MONO] = {MONO, DEJAVU_MONO, SANS, MATH, SYMBOLS2, SYMBOLS, DEJAVU, HANGUL, HAN,
		EACH_MORE, -1},
};

/* The other fonts of the folder, once a sign has been asked for that no face has. */
struct others {
	bool looked;
	int taken;
	struct font_more *more;
};

struct fonts {
	FT_Library library;
	struct font_file *file; /* (FILES) */
	struct others *others;
	struct glyph **page[FACES]; /* (PAGES) 256 glyphs each, filled when first asked for */
};

const struct font_file *fonts_file(const struct fonts *fonts, size_t i)
{
	static const struct font_file none;
	return i < FILES ? &fonts->file[i] : &none;
}

const signed char *font_chain(enum face face)
{
	return chains[face];
}

/* Where it is, or "". -1: TRACEBOOK_FONTS makes the path too long. */
static int find_file(char *path, size_t size, int which)
{
	const char *own = getenv("TRACEBOOK_FONTS");
	if (own && *own) {
		if (snprintf(path, size, "%s/%s", own, table[which].name) >= (int)size)
			return -1;
		if (access(path, F_OK) == 0)
			return 0;
	}
	snprintf(path, size, "/usr/share/fonts/truetype/%s/%s", table[which].folder,
		table[which].name);
	if (access(path, F_OK) != 0)
		path[0] = '\0';
	return 0;
}

static void take_file(struct fonts *fonts, const FTSENT *entry)
{
	for (int i = 0; i < FILES; i++)
		if (table[i].name && !fonts->file[i].path[0] &&
			!strcmp(entry->fts_name, table[i].name))
			snprintf(fonts->file[i].path, sizeof fonts->file[i].path, "%s",
				entry->fts_path);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Other systems than Debian have other folders below these. */
static void find_elsewhere(struct fonts *fonts)
{
	const char *home = getenv("HOME");
	char linux_own[1024], mac_own[1024];
	snprintf(linux_own, sizeof linux_own, "%s/.local/share/fonts", home ? home : "");
	snprintf(mac_own, sizeof mac_own, "%s/Library/Fonts", home ? home : "");
	char *const folders[] = {linux_own, mac_own, (char[]){"/usr/local/share/fonts"},
		(char[]){"/usr/share/fonts"}, (char[]){"/Library/Fonts"}, NULL};
	FTS *walk = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	for (FTSENT *entry; walk && (entry = fts_read(walk));)
		if (entry->fts_info == FTS_F)
			take_file(fonts, entry);
	if (walk)
		fts_close(walk);
}

static int find_files(struct fonts *fonts, struct err *err)
{
	bool all = true;
	for (int i = 0; i < MORE; i++) {
		if (find_file(fonts->file[i].path, sizeof fonts->file[i].path, i))
			return fail(err, "TRACEBOOK_FONTS names a folder with too long a path");
		all = all && fonts->file[i].path[0];
	}
	if (!all)
		find_elsewhere(fonts);
	return 0;
}

static int parse_file(struct font_file *file, FT_Library library, struct err *err)
{
	file->blob = hb_blob_create_from_file_or_fail(file->path);
	if (!file->blob)
		return fail_errno(err, "cannot read the font %s", file->path);
	unsigned int n;
	const char *bytes = hb_blob_get_data(file->blob, &n);
	if (FT_New_Memory_Face(library, (const FT_Byte *)bytes, n, 0, &file->ft)) {
		file->ft = NULL;
		return fail(err, "%s is not a font: install its package again", file->path);
	}
	file->hb = hb_face_create(file->blob, 0);
	file->name = FT_Get_Postscript_Name(file->ft);
	file->family = file->ft->family_name;
	file->bold = file->ft->style_flags & FT_STYLE_FLAG_BOLD;
	FT_ULong glyf = 0;
	FT_Load_Sfnt_Table(file->ft, FT_MAKE_TAG('g', 'l', 'y', 'f'), 0, NULL, &glyf);
	if (!glyf || !file->ft->units_per_EM || !file->name || !file->family)
		return fail(err,
			"%s has no TrueType outlines: the PDF needs the .ttf of Debian's "
			"package",
			file->path);
	return 0;
}

static void close_file(struct font_file *file)
{
	if (file->ft)
		FT_Done_Face(file->ft);
	hb_face_destroy(file->hb);
	hb_blob_destroy(file->blob);
	*file = (struct font_file){0};
}

static int open_file(struct fonts *fonts, int which, struct err *err)
{
	if (fonts->file[which].path[0])
		return parse_file(&fonts->file[which], fonts->library, err);
	if (table[which].needed)
		return fail(err,
			"the font %s is missing: install the Debian package %s (base/packages has "
			"other systems' names), or name a folder that has the file in TRACEBOOK_FONTS",
			table[which].name, table[which].package);
	return 0;
}

struct fonts *fonts_open(struct err *err)
{
	struct fonts *fonts = xcalloc(1, sizeof *fonts);
	if (FT_Init_FreeType(&fonts->library)) {
		fail(err, "FreeType does not start");
		goto out;
	}
	fonts->file = xcalloc(FILES, sizeof *fonts->file);
	fonts->others = xcalloc(1, sizeof *fonts->others);
	for (int f = 0; f < FACES; f++)
		fonts->page[f] = xcalloc(PAGES, sizeof *fonts->page[f]);
	if (find_files(fonts, err))
		goto out;
	for (int i = 0; i < MORE; i++)
		if (open_file(fonts, i, err))
			goto out;
	return fonts;
out:
	fonts_close(fonts);
	return NULL;
}

void fonts_close(struct fonts *fonts)
{
	if (!fonts)
		return;
	for (int f = 0; f < FACES; f++) {
		for (int i = 0; fonts->page[f] && i < PAGES; i++)
			free(fonts->page[f][i]);
		free(fonts->page[f]);
	}
	for (int i = 0; fonts->file && i < FILES; i++)
		close_file(&fonts->file[i]);
	free(fonts->file);
	if (fonts->others)
		font_more_close(fonts->others->more);
	free(fonts->others);
	if (fonts->library)
		FT_Done_FreeType(fonts->library);
	free(fonts);
}

static bool asked_for(int which, uint32_t code)
{
	return !table[which].to || (code >= table[which].from && code <= table[which].to);
}

static bool look_up(const struct fonts *fonts, enum face face, uint32_t code, struct glyph *g)
{
	for (const signed char *which = chains[face]; *which >= 0; which++) {
		FT_Face ft = fonts->file[*which].ft;
		FT_UInt id = ft && asked_for(*which, code) ? FT_Get_Char_Index(ft, code) : 0;
		FT_Fixed advance;
		if (!id || FT_Get_Advance(ft, id, FT_LOAD_NO_SCALE, &advance))
			continue;
		g->file = (uint8_t)*which;
		g->id = (uint16_t)id;
		g->width = (uint16_t)(1000 * advance / ft->units_per_EM);
		return true;
	}
	return false;
}

/* Signs that mean nothing on paper: breaks become spaces, the rest shows that it was there. */
static uint32_t printable(uint32_t code)
{
	if (code == '\t' || code == '\n' || code == '\r')
		return ' ';
	bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
	bool never = code > 0x10ffff || (code & 0xfffe) == 0xfffe;
	return control || never ? REPLACEMENT : code;
}

static void fill_page(
	const struct fonts *fonts, enum face face, uint32_t page, struct glyph *glyphs)
{
	for (uint32_t i = 0; i < 256; i++) {
		struct glyph *g = &glyphs[i];
		g->code = printable(page * 256 + i);
		g->replaced = g->code == REPLACEMENT;
		if (look_up(fonts, face, g->code, g))
			continue;
		g->replaced = true;
		if (!look_up(fonts, face, REPLACEMENT, g) && !look_up(fonts, face, 0x25a1, g))
			look_up(fonts, face, '?', g);
	}
}

/* A file that is broken, or has other outlines, is none. */
static bool take_other(const struct fonts *fonts, uint32_t code)
{
	struct others *o = fonts->others;
	struct err err = {0};
	if (!o->looked)
		o->more = font_more_beside(fonts->file[SANS].path);
	o->looked = true;
	const char *path = MORE + o->taken <= LAST_MORE ? font_more_with(o->more, code) : NULL;
	struct font_file *file = &fonts->file[MORE + o->taken];
	if (!path || snprintf(file->path, sizeof file->path, "%s", path) >= (int)sizeof file->path)
		return false;
	if (parse_file(file, fonts->library, &err)) {
		close_file(file);
		return false;
	}
	o->taken++;
	return true;
}

const struct glyph *font_glyph(const struct fonts *fonts, enum face face, uint32_t code)
{
	if (code > 0x10ffff)
		code = REPLACEMENT;
	struct glyph **page = &fonts->page[face][code / 256];
	if (!*page) {
		*page = xcalloc(256, sizeof **page);
		fill_page(fonts, face, code / 256, *page);
	}
	struct glyph *g = *page + code % 256;
	if (!g->replaced)
		return g;
	if (!g->missed && g->code != REPLACEMENT)
		g->replaced = !look_up(fonts, face, g->code, g) &&
			!(take_other(fonts, g->code) && look_up(fonts, face, g->code, g));
	g->missed = g->missed || g->replaced;
	return g;
}

static bool missed(const struct fonts *fonts, uint32_t code)
{
	for (int f = 0; f < FACES; f++) {
		const struct glyph *page = fonts->page[f][code / 256];
		if (page && page[code % 256].missed && page[code % 256].code != REPLACEMENT)
			return true;
	}
	return false;
}

/* Was anything of this page asked for? */
static bool is_used(const struct fonts *fonts, uint32_t page)
{
	for (int f = 0; f < FACES; f++)
		if (fonts->page[f][page])
			return true;
	return false;
}

size_t fonts_missed(const struct fonts *fonts, uint32_t *code, size_t most)
{
	size_t n = 0;
	for (uint32_t page = 0; page < PAGES; page++) {
		if (!is_used(fonts, page))
			continue;
		for (uint32_t c = page * 256; c < (page + 1) * 256; c++)
			if (missed(fonts, c) && n++ < most)
				code[n - 1] = c;
	}
	return n;
}

const char *fonts_absent(const struct fonts *fonts)
{
	for (int i = MORE - 1; i >= 0; i--)
		if (!fonts->file[i].ft)
			return table[i].package;
	return NULL;
}

double text_width(const struct fonts *fonts, enum face face, double size, const char *text)
{
	const struct glyph *page =
		fonts->page[face][0]; /* of most texts all; NULL: not asked yet */
	long sum = 0;
	for (const char *p = text; *p;) {
		unsigned char c = (unsigned char)*p;
		if (page && c < 0x80 && !page[c].replaced) {
			sum += page[c].width;
			p++;
		} else {
			sum += font_glyph(fonts, face, utf8_next(&p))->width;
		}
	}
	return (double)sum * size / 1000;
}

size_t text_fit(
	const struct fonts *fonts, enum face face, double size, double width, const char *text)
{
	/* The small extra lets a text fit into exactly its own text_width(). */
	double room = width * 1000 / size + 1e-6;
	const char *end = text;
	long sum = 0;
	for (const char *p = text;; end = p) {
		uint32_t code = utf8_next(&p);
		if (!code)
			break;
		sum += font_glyph(fonts, face, code)->width;
		if ((double)sum > room)
			break;
	}
	return (size_t)(end - text);
}

const char *text_elide(struct arena *a, const struct fonts *fonts, enum face face, double size,
	double width, const char *text)
{
	static const char ellipsis[] = "…";
	if (!text[text_fit(fonts, face, size, width, text)])
		return text;
	double left = width - text_width(fonts, face, size, ellipsis);
	size_t n = left > 0 ? text_fit(fonts, face, size, left, text) : 0;
	while (n && text[n - 1] == ' ')
		n--;
	int characters = 0;
	for (const char *p = text; p < text + n; characters++)
		utf8_next(&p);
	if (characters < 4)
		return "";
	return arena_printf(a, "%.*s%s", (int)n, text, ellipsis);
}
