/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/pdf.h"

#include "base/hash.h"
#include "base/min_max.h"

#include FT_TRUETYPE_TABLES_H
#include <string.h>

enum {
	NAME_MAX_BYTES = 100,
	W_CHUNK = 1000,
	BFCHAR_CHUNK = 100,
	ASCII = 0x7f /* what is in it has the same code in all fonts, and packs better so */
};

static HPDF_Dict new_dict(struct pdf *pdf)
{
	HPDF_Dict dict = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Xref_Add(pdf->doc->xref, dict);
	return dict;
}

static HPDF_Dict new_stream(struct pdf *pdf, const void *bytes, size_t n)
{
	HPDF_Dict dict = HPDF_DictStream_New(pdf->doc->mmgr, pdf->doc->xref);
	HPDF_Stream_Write(dict->stream, bytes, (HPDF_UINT)n);
	return dict;
}

bool pdf_use_font(struct pdf *pdf, int file)
{
	if (pdf->font[file].dict)
		return false;
	pdf->font[file].dict = new_dict(pdf);
	used_keep(&pdf->font[file].used, ASCII);
	return true;
}

/* "ABCDEF+NotoSans-Regular": six letters that depend on what the subset holds. */
static void subset_name(char *name, const struct font_file *file, const struct used *used)
{
	uint64_t hash = HASH_START;
	for (size_t i = 0; i < used->n; i++)
		hash = used->item[i].kept ? hash : hash_word(hash, used->item[i].code);
	for (int i = 0; i < 6; i++, hash /= 26)
		name[i] = (char)('A' + hash % 26);
	snprintf(name + 6, NAME_MAX_BYTES - 6, "+%s", file->name);
}

static HPDF_Dict font_file(struct pdf *pdf, const struct subset *subset)
{
	HPDF_Dict dict = new_stream(pdf, subset->bytes, subset->n);
	HPDF_Dict_AddNumber(dict, "Length1", (HPDF_INT32)subset->n);
	return dict;
}

static HPDF_INT32 thousandths(FT_Face ft, long units)
{
	return (HPDF_INT32)(units * 1000 / ft->units_per_EM);
}

static HPDF_Dict descriptor(struct pdf *pdf, const struct font_file *file, const char *name)
{
	enum { FIXED_PITCH = 1, SYMBOLIC = 4 };
	FT_Face ft = file->ft;
	const TT_OS2 *os2 = FT_Get_Sfnt_Table(ft, FT_SFNT_OS2);
	long capital = os2 && os2->version >= 2 ? os2->sCapHeight : ft->ascender;
	HPDF_Dict dict = new_dict(pdf);
	HPDF_Dict_AddName(dict, "Type", "FontDescriptor");
	HPDF_Dict_AddName(dict, "FontName", name);
	HPDF_Dict_AddNumber(dict, "Flags", SYMBOLIC | (FT_IS_FIXED_WIDTH(ft) ? FIXED_PITCH : 0));
	HPDF_Array box = HPDF_Array_New(pdf->doc->mmgr);
	HPDF_Dict_Add(dict, "FontBBox", box);
	HPDF_Array_AddNumber(box, thousandths(ft, ft->bbox.xMin));
	HPDF_Array_AddNumber(box, thousandths(ft, ft->bbox.yMin));
	HPDF_Array_AddNumber(box, thousandths(ft, ft->bbox.xMax));
	HPDF_Array_AddNumber(box, thousandths(ft, ft->bbox.yMax));
	HPDF_Dict_AddNumber(dict, "ItalicAngle", 0);
	HPDF_Dict_AddNumber(dict, "Ascent", thousandths(ft, ft->ascender));
	HPDF_Dict_AddNumber(dict, "Descent", thousandths(ft, ft->descender));
	HPDF_Dict_AddNumber(dict, "CapHeight", thousandths(ft, capital));
	HPDF_Dict_AddNumber(dict, "StemV", file->bold ? 140 : 80); /* asked for, not used */
	return dict;
}

static HPDF_Array widths(struct pdf *pdf, const struct used *used)
{
	HPDF_Array all = HPDF_Array_New(pdf->doc->mmgr), chunk = NULL;
	for (size_t i = 0; i < used->n; i++) {
		if (i % W_CHUNK == 0) {
			HPDF_Array_AddNumber(all, (HPDF_INT32)i + 1);
			chunk = HPDF_Array_New(pdf->doc->mmgr);
			HPDF_Array_Add(all, chunk);
		}
		HPDF_Array_AddNumber(chunk, used->item[i].width);
	}
	return all;
}

/* Two bytes for each number, that of "no character" first. */
static HPDF_Dict glyph_map(struct pdf *pdf, const struct used *used, const struct subset *subset)
{
	struct buffer map = {0};
	buffer_bytes(&map, "\0", 2);
	for (size_t i = 0; i < used->n; i++) {
		buffer_char(&map, (char)(subset->id[i] >> 8));
		buffer_char(&map, (char)(subset->id[i] & 0xff));
	}
	HPDF_Dict dict = new_stream(pdf, map.text, map.n);
	buffer_release(&map);
	return dict;
}

static void put_utf16(struct buffer *b, uint32_t code)
{
	if (code < 0x10000)
		buffer_printf(b, "%04X", code);
	else
		buffer_printf(
			b, "%04X%04X", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
}

static void put_numbered(struct buffer *b, unsigned int number)
{
	buffer_printf(b, "<%0*X> ", 2 * pdf_code_bytes(number), pdf_code(number));
}

static void begin_map(struct buffer *b, const char *ordering, const char *name, int type)
{
	buffer_printf(b,
		"/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (%s) /Supplement 0>> def\n"
		"/CMapName /%s def\n/CMapType %d def\n"
		"3 begincodespacerange\n<00> <%02X>\n<%04X> <%04X>\n<%06X> <FFFFFF>\nendcodespacerange\n",
		ordering, name, type, PDF_SHORT - 1, PDF_TWO, PDF_TWO_MOST, PDF_THREE);
}

static HPDF_Dict end_map(struct pdf *pdf, struct buffer *b)
{
	buffer_text(b, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
	HPDF_Dict dict = new_stream(pdf, b->text, b->n);
	buffer_release(b);
	return dict;
}

static size_t written(const struct used *used)
{
	size_t n = 0;
	for (size_t i = 0; i < used->n; i++)
		n += !used->item[i].kept;
	return n;
}

static HPDF_Dict to_unicode(struct pdf *pdf, const struct used *used)
{
	struct buffer b = {0};
	begin_map(&b, "UCS", "Adobe-Identity-UCS", 2);
	for (size_t i = 0, n = 0, left = written(used); i < used->n; i++) {
		if (used->item[i].kept)
			continue;
		if (n++ % BFCHAR_CHUNK == 0)
			buffer_printf(&b, "%zu beginbfchar\n",
				left < BFCHAR_CHUNK ? left : (size_t)BFCHAR_CHUNK);
		put_numbered(&b, (unsigned int)i + 1);
		buffer_char(&b, '<');
		put_utf16(&b, used->item[i].code);
		buffer_text(&b, ">\n");
		if (--left == 0 || n % BFCHAR_CHUNK == 0)
			buffer_text(&b, "endbfchar\n");
	}
	return end_map(pdf, &b);
}

static HPDF_Dict system_info(struct pdf *pdf)
{
	HPDF_Dict dict = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Dict_Add(dict, "Registry", HPDF_String_New(pdf->doc->mmgr, "Adobe", NULL));
	HPDF_Dict_Add(dict, "Ordering", HPDF_String_New(pdf->doc->mmgr, "Identity", NULL));
	HPDF_Dict_AddNumber(dict, "Supplement", 0);
	return dict;
}

/* Codes as numbers, up to `most`; of a range only the last byte differs (Adobe's note 5014). */
static HPDF_Dict numbers_of_codes(struct pdf *pdf, unsigned int most)
{
	struct buffer b = {0};
	begin_map(&b, "Identity", "Numbers", 1);
	for (unsigned int number = 0, next; number <= most; number = next) {
		unsigned int code = pdf_code(number);
		next = number + 0x100 - (code & 0xff);
		if (number < PDF_SHORT)
			next = PDF_SHORT;
		buffer_text(&b, "1 begincidrange\n");
		put_numbered(&b, number);
		put_numbered(&b, next - 1);
		buffer_printf(&b, "%u\nendcidrange\n", number);
	}
	HPDF_Dict dict = end_map(pdf, &b);
	HPDF_Dict_AddName(dict, "Type", "CMap");
	HPDF_Dict_AddName(dict, "CMapName", "Numbers");
	HPDF_Dict_Add(dict, "CIDSystemInfo", system_info(pdf));
	return dict;
}

static void fill_font(struct pdf *pdf, struct pdf_font *font, const struct font_file *file,
	const struct subset *subset, HPDF_Dict codes)
{
	char name[NAME_MAX_BYTES];
	subset_name(name, file, &font->used);
	HPDF_Dict cid = new_dict(pdf), about = descriptor(pdf, file, name);
	HPDF_Dict_Add(about, "FontFile2", font_file(pdf, subset));
	HPDF_Dict_AddName(cid, "Type", "Font");
	HPDF_Dict_AddName(cid, "Subtype", "CIDFontType2");
	HPDF_Dict_AddName(cid, "BaseFont", name);
	HPDF_Dict_Add(cid, "CIDSystemInfo", system_info(pdf));
	HPDF_Dict_Add(cid, "FontDescriptor", about);
	HPDF_Dict_Add(cid, "W", widths(pdf, &font->used));
	HPDF_Dict_Add(cid, "CIDToGIDMap", glyph_map(pdf, &font->used, subset));
	HPDF_Array descendants = HPDF_Array_New(pdf->doc->mmgr);
	HPDF_Array_Add(descendants, cid);
	HPDF_Dict_AddName(font->dict, "Type", "Font");
	HPDF_Dict_AddName(font->dict, "Subtype", "Type0");
	HPDF_Dict_AddName(font->dict, "BaseFont", name);
	HPDF_Dict_Add(font->dict, "Encoding", codes);
	HPDF_Dict_Add(font->dict, "DescendantFonts", descendants);
	HPDF_Dict_Add(font->dict, "ToUnicode", to_unicode(pdf, &font->used));
}

void pdf_embed_fonts(struct pdf *pdf)
{
	HPDF_Dict codes = NULL;
	size_t most = 0;
	for (int i = 0; i < FONT_FILES_MAX; i++)
		most = max_size(most, pdf->font[i].used.n);
	for (int i = 0; i < FONT_FILES_MAX && !pdf->canvas.err.set; i++) {
		struct pdf_font *font = &pdf->font[i];
		const struct font_file *file = fonts_file(pdf->canvas.fonts, (size_t)i);
		struct subset subset;
		if (!font->dict ||
			subset_init(&subset, file, &font->used, SUBSET_PDF, &pdf->canvas.err))
			continue;
		if (!codes)
			codes = numbers_of_codes(pdf, (unsigned int)most);
		fill_font(pdf, font, file, &subset, codes);
		subset_release(&subset);
	}
}
