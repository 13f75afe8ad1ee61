/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle - the document of `report`, drawn by cairo's own PDF back-end: what the tests hold the
 * pages of libharu against.
 *
 * Usage: oracle FILE.pdf PATH...
 */
#include "report/course/course.h"
#include "report/page/layout.h"
#include "report/run/run.h"
#include "report/section/template_sections.h"

struct oracle {
	struct arena arena;
	struct texts *texts;
	struct fonts *fonts;
	struct input input;
	cJSON *template;
	struct document document;
};

static int build(struct oracle *o, char **paths, int n, struct err *err)
{
	o->texts = texts_open(NULL, "en", err);
	o->fonts = o->texts ? fonts_open(err) : NULL;
	o->template = o->fonts ? texts_template(o->texts, "report", err) : NULL;
	if (!o->template || input_read(&o->input, (const char *const *)paths, n, err))
		return -1;
	document_init(&o->document, &o->arena, o->texts, o->fonts);
	o->document.course = &matrix_course;
	return document_build(&o->document, &o->input, o->template, "report", err);
}

static int draw(struct oracle *o, const char *path, struct err *err)
{
	const struct canvas_info info = {.title = o->document.title};
	struct canvas *c = canvas_cairo_pdf(path, o->fonts, &info);
	layout_draw(layout_document(&o->arena, &o->document), c);
	return canvas_close(c, err) || texts_error(o->texts, err) ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct oracle o = {0};
	struct err err = {0};
	if (argc < 3) {
		fputs("usage: oracle FILE.pdf PATH...\n", stderr);
		return 2;
	}
	if (!build(&o, argv + 2, argc - 2, &err))
		draw(&o, argv[1], &err);
	if (err.set)
		fprintf(stderr, "oracle: %s\n", err.text);
	cJSON_Delete(o.template);
	input_release(&o.input);
	fonts_close(o.fonts);
	texts_close(o.texts);
	arena_release(&o.arena);
	return err.set;
}
