/* SPDX-License-Identifier: Apache-2.0 */
/* Any lines as the texts of a document's blocks, the kind of each told by its first byte, and
 * behind a form feed any bytes as a trace: its page is sound HTML of which nothing is live, and the
 * events of the trace on it are JSON whose numbers lead somewhere. */
/* of: report/page/html.c report/page/html_table.c report/html_events.c report/html_report.c */
/* of: report/canvas/svg.c report/canvas/svg_doc.c */
/* max_len: 2048 */
#include "tests/fuzz/fuzz.h"

#include "report/analyse/analysis.h"
#include "report/html_events.h"
#include "report/read/read.h"
#include "tests/fuzz/html_check.h"

#include <cjson/cJSON.h>

enum { LINES = 24 };

/* ---- a document ---- */

static void draw_text(struct canvas *c, struct box box, const void *data)
{
	const char *text = data;
	const struct text_style style = {.face = FACE_MONO, .size = 8, .colour = 0xff};
	canvas_text_at(c, (struct pt){box.x, box.y + 10}, text, &style);
	canvas_mark(c, MARK_TIP, (struct box){1, 2, 30, 4}, text, 0);
	canvas_mark(c, MARK_DEST, (struct box){1, 2, 30, 4}, text, 0);
	canvas_mark(c, MARK_LINK, (struct box){1, 8, 30, 4}, text, 0);
}

static void add_table(struct document *d, const char *text)
{
	static const char *const swatches[] = {NULL, "device_other", "copy"};
	static const struct column columns[] = {{"a", COLUMN_TEXT, 1, 0},
		{"b", COLUMN_NUMBER, 0, 0}, {"c", COLUMN_CODE, 1, 2}, {"d", COLUMN_BAR, 0, 0},
		{"e", COLUMN_VERDICT, 0, 0}};
	enum { COLUMNS = sizeof columns / sizeof *columns };
	size_t n = strlen(text);
	int first = (int)(n % COLUMNS);
	struct table *t = document_table(d, columns + first, COLUMNS - first, 2);
	for (int row = 0; row < 2; row++)
		for (int i = 0; i < t->n_columns; i++) {
			struct cell *cell = table_cell(t, row, i);
			cell->text = text;
			cell->share = (double)n / 100;
			cell->swatch = swatches[n % 3];
			cell->verdict = (enum verdict_colour)(n % 4);
			cell->bold = n & 8;
			cell->faint = n & 4;
		}
	if (n & 2) {
		t->group = arena_array(d->arena, 2, sizeof *t->group);
		t->group[1] = text;
	}
}

static void add_block(struct document *d, int kind, const char *text)
{
	struct block *b;
	struct kpi *kpi;
	switch (kind) {
	case BLOCK_TABLE:
		add_table(d, text);
		return;
	case BLOCK_FIGURE:
		document_figure(d,
			&(struct figure){.id = "id",
				.alt = text,
				.height = 20,
				.draw = draw_text,
				.data = text});
		return;
	default:
		b = document_add(d, (enum block_kind)kind, text);
	}
	if (kind == BLOCK_HEADING)
		b->level = 1 + (int)(strlen(text) % 4);
	if (kind == BLOCK_POINT || (kind == BLOCK_HEADING && text[0] & 1)) {
		b->note = text;
		b->verdict = (enum verdict_colour)(strlen(text) % 4);
	}
	if (kind == BLOCK_LINES || kind == BLOCK_KPIS) {
		b->n = 2;
		kpi = arena_array(d->arena, 2, sizeof *kpi);
		kpi[0] = kpi[1] = (struct kpi){text, text};
		b->kpi = kpi;
	}
	if (text[0] & 2 && !document_has_place(d, text))
		document_place(d, b, text);
}

static void add_lines(struct document *d, char *text)
{
	char *line;
	for (int i = 0; i < LINES && (line = strsep(&text, "\n")); i++) {
		int kind = (unsigned char)*line % BLOCK_KINDS;
		if (!*line)
			continue;
		if (i == 0)
			d->title = line + 1;
		if (i == 1)
			d->footer = line + 1;
		add_block(d, kind, line + 1);
	}
}

/* ---- what is written of it ---- */

static void check_body(const struct document *d)
{
	char *text = NULL;
	size_t n = 0;
	struct err err = {0}, undrawn = {0};
	FILE *f = open_memstream(&text, &n);
	const struct html_form form = {.most_bytes = 20000, .path = "a", .undrawn = &undrawn};
	if (html_write(d, &form, f, &err))
		bug("%s", err.text);
	fclose(f);
	struct html_check x = html_check(text, "");
	if (x.scripts || x.data || x.styles)
		bug("a script in the body");
	free(text);
}

/* ---- events ---- */

static int64_t number(const cJSON *in, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(in, key);
	if (!cJSON_IsNumber(v))
		bug("no number \"%s\"", key);
	return (int64_t)v->valuedouble;
}

static int check_track(const cJSON *track, int names, int tracks)
{
	const cJSON *events = cJSON_GetObjectItemCaseSensitive(track, "events"), *v;
	int n = 0;
	if (!cJSON_IsObject(track))
		return 0;
	cJSON_ArrayForEach(v, events)
	{
		if (!cJSON_IsNumber(v) || (n % 4 < 2 && n > 1 && v->valuedouble < 0) ||
			(n % 4 == 2 && (v->valuedouble < 0 || v->valuedouble >= names)))
			bug("number %d of a track", n);
		n++;
	}
	if (!n || n % 4 || number(track, "from") >= tracks)
		bug("%d numbers", n);
	return n / 4;
}

static void check_events(const char *text)
{
	cJSON *all = cJSON_Parse(text);
	const cJSON *one = all ? all->child : NULL, *track;
	if (!one)
		bug("no JSON: %.60s", text);
	const cJSON *tracks = cJSON_GetObjectItemCaseSensitive(one, "tracks");
	int names = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(one, "names")), n = 0;
	cJSON_ArrayForEach(track, tracks)
	{
		n += check_track(track, names, cJSON_GetArraySize(tracks));
	}
	if (n != number(one, "shown") || n > number(one, "all"))
		bug("%d events shown", n);
	cJSON_Delete(all);
}

static void write_events(const uint8_t *data, size_t size)
{
	struct trace t;
	struct err err = {0};
	struct arena arena = {0};
	char *text = NULL;
	size_t n = 0;
	trace_init(&t);
	if (trace_read(&t, fuzz_file(0, data, size), &(struct read_options){.threads = 1}, &err)) {
		fuzz_refused(&err);
		return;
	}
	struct analysis analysis = analysis_of(&arena, &t);
	struct timeline window = {.from_ns = t.end_ns / 8 * (int64_t)(size % 8)};
	window.to_ns = window.from_ns + t.end_ns / 4;
	struct html_view view = {.of = &window};
	struct html_trace one = {&t, &analysis, &view, (int)(size & 1), 1};
	FILE *f = open_memstream(&text, &n);
	html_events_write(
		&(struct html_traces){&one, 1, 1}, size % 3 ? 40 * (size % 50) : 1 << 20, f);
	fclose(f);
	check_events(text);
	free(text);
	arena_release(&arena);
	trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct texts *texts;
	static struct fonts *fonts;
	struct err err = {0};
	struct arena arena = {0};
	struct document d;
	fuzz_count(size);
	if (!texts) {
		texts = texts_open("templates", "en", &err);
		fonts = texts ? fonts_open(&err) : NULL;
		if (!fonts)
			bug("%s", err.text);
	}
	const uint8_t *trace = size ? memchr(data, '\f', size) : NULL;
	if (trace)
		write_events(trace + 1, size - (size_t)(trace + 1 - data));
	char *text = fuzz_text(data, trace ? (size_t)(trace - data) : size);
	document_init(&d, &arena, texts, fonts);
	add_lines(&d, text);
	check_body(&d);
	if (size % 64 == 7)
		html_check_page(&d, "html");
	free(text);
	arena_release(&arena);
	return 0;
}
