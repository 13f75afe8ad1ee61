/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a measured table: left out, or cells that are in it; and the pages of a run with it
 * as each of its tables are drawn without a complaint. */
/* max_len: 2048 */
/* of: report/course/tsv.c report/course/measured_tables.c */
#include "tests/fuzz/fuzz.h"

#include "report/course/parts.h"
#include "report/course/tsv.h"
#include "report/page/layout.h"
#include "report/section/template_sections.h"

#include <math.h>

static const char *const names[] = {"bandwidth", "sweep", "copies", "launches", "crossover"};
enum { NAMES = sizeof names / sizeof *names };

static void read_cells(const char *path)
{
	struct arena arena = {0};
	struct tsv t;
	if (tsv_read(&t, &arena, path))
		for (int row = 0; row < t.n_rows; row++)
			for (int i = 0; i < t.n_columns; i++)
				if (isinf(tsv_number(&t, row, t.head[i])))
					bug("a number that is infinite");
	arena_release(&arena);
}

static void draw(struct texts *texts, struct fonts *fonts, const char *folder)
{
	struct err err = {0};
	struct document d;
	struct run run = {.folder = folder, .device = "", .created = ""};
	struct input in = {.runs = &run, .n_runs = 1};
	struct arena arena = {0};
	document_init(&d, &arena, texts, fonts);
	section_tables(&d, &in);
	if (d.first) {
		struct canvas *c = canvas_null(fonts);
		layout_draw(layout_document(&arena, &d), c);
		const char *undrawn;
		if (canvas_undrawn(c, &undrawn))
			bug("%s", undrawn);
		canvas_close(c, &err);
	}
	if (err.set || texts_error(texts, &err))
		bug("%s", err.text);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct texts *texts;
	static struct fonts *fonts;
	static char folder[96];
	struct err err = {0};
	char path[128];
	if (!texts) {
		texts = texts_open("templates", "en", &err);
		fonts = texts ? fonts_open(&err) : NULL;
		if (!fonts)
			bug("%s", err.text);
		fuzz_folder(folder, "tables", "tables");
	}
	read_cells(fuzz_file(0, data, size));
	snprintf(path, sizeof path, "%s/tables/%s.tsv", folder, names[size % NAMES]);
	fuzz_write(path, data, size);
	draw(texts, fonts, folder);
	unlink(path);
	return 0;
}
