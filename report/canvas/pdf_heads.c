/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page begins with decoration that stands on others, too: a rule, the name of the document, and
 * as the last text, which is apart, its number. What is the same up to there is one stream, with
 * which the contents of all these pages begin (PDF 32000-1, 7.7.3.3).
 */
#include "report/canvas/pdf.h"

#include <stdlib.h>
#include <string.h>

void pdf_note_head(struct pdf *pdf)
{
	pdf->head_over |= pdf->tag_in_hand != NO_TAG;
	if (!pdf->head_over)
		pdf->head_end = pdf->ops.n;
}

/* Most pages begin like the one before. */
static size_t find_head(const struct pdf *pdf, const char *text, size_t n)
{
	size_t i = pdf->heads;
	while (i-- > 0) {
		const struct buffer *known = &pdf->head[i].text;
		if (known->n == n && (!n || !memcmp(known->text, text, n)))
			return i;
	}
	return pdf->heads;
}

void pdf_take_head(struct pdf *pdf)
{
	struct buffer *ops = &pdf->ops;
	size_t n = pdf->head_end, i = find_head(pdf, ops->text, n);
	if (i == pdf->heads) {
		pdf->head = xrealloc(pdf->head, ++pdf->heads, sizeof *pdf->head);
		pdf->head[i] = (struct pdf_head){0};
		buffer_bytes(&pdf->head[i].text, ops->text, n);
	}
	pdf->head[i].pages++;
	pdf->head_of[pdf->page_number] = i;
	pdf->head_end = 0;
	pdf->head_over = false;
}

static void share(struct pdf *pdf, size_t page, HPDF_Dict stream)
{
	HPDF_PageAttr attr = pdf->pages[page]->attr;
	HPDF_Array both = HPDF_Array_New(pdf->doc->mmgr);
	struct buffer *drawn = &pdf->drawn[page];
	size_t n = pdf->head[pdf->head_of[page]].text.n;
	memmove(drawn->text, drawn->text + n, drawn->n - n);
	drawn->n -= n;
	HPDF_Array_Add(both, stream);
	HPDF_Array_Add(both, attr->contents);
	HPDF_Dict_Add(pdf->pages[page], "Contents", both);
}

void pdf_add_heads(struct pdf *pdf)
{
	for (size_t page = 0; page < pdf->canvas.pages; page++) {
		struct pdf_head *head = &pdf->head[pdf->head_of[page]];
		if (head->pages == 1 || !head->text.n)
			continue;
		if (!head->stream) {
			head->stream = HPDF_DictStream_New(pdf->doc->mmgr, pdf->doc->xref);
			HPDF_Stream_Write(head->stream->stream, (const HPDF_BYTE *)head->text.text,
				(HPDF_UINT)head->text.n);
		}
		share(pdf, page, head->stream);
	}
}

void pdf_release_heads(struct pdf *pdf)
{
	for (size_t i = 0; i < pdf->heads; i++)
		buffer_release(&pdf->head[i].text);
	free(pdf->head);
	free(pdf->head_of);
}
