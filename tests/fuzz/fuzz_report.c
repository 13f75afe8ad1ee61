/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as one trace, or as two: with a form feed between them two in one call, with a vertical
 * tab one before and one after. Drawn without a complaint on at most 30 pages a trace, with totals
 * that are exact, causes that sum to the idle time, and a window that splits without a rest; as
 * Markdown, JSON and a page for browsers too, which is sound HTML of which nothing is live. */
/* seeds: tests/data/read tests/golden/kineto/in tests/golden/cut/in tests/golden/chrome/in */
/* max_len: 4096 */
#include "tests/fuzz/fuzz.h"

#include "report/analyse/idle_causes.h"
#include "report/analyse/profiler_table_check.h"
#include "report/analyse/streams.h"
#include "report/canvas/canvas.h"
#include "report/compare/compare.h"
#include "report/course/course.h"
#include "report/json_report.h"
#include "report/page/layout.h"
#include "report/page/markdown.h"
#include "report/section/template_sections.h"
#include "tests/fuzz/html_check.h"

enum { MOST_PAGES = 30 };

/* Opened once: words and fonts are not what is looked at. */
struct shelf {
	struct texts *texts;
	struct fonts *fonts;
	cJSON *template, *comparison;
};

static struct shelf shelf_open(void)
{
	struct err err = {0};
	struct shelf s = {.texts = texts_open("templates", "en", &err), .fonts = fonts_open(&err)};
	s.template = s.texts ? texts_template(s.texts, "report", &err) : NULL;
	s.comparison = s.texts ? texts_template(s.texts, "comparison", &err) : NULL;
	if (!s.fonts || !s.template || !s.comparison)
		bug("%s", err.text);
	return s;
}

static void check_sums(struct arena *a, const struct report_case *c)
{
	const struct idle_causes *l = c->idle_causes;
	const struct streams *s = c->streams;
	struct reconcile r = reconcile_of(a, c->analysis);
	int64_t idle = 0;
	for (int i = 0; i < IDLE_CAUSES; i++)
		idle += l->sum[i].ns;
	if (idle != l->idle_ns || l->idle_ns + l->busy_ns != l->window_ns)
		bug("the causes sum to %lld, idle is %lld", (long long)idle, (long long)l->idle_ns);
	if (s->compute_ns + s->exposed_communication_ns + s->exposed_copy_ns + s->idle_ns !=
		s->window_ns)
		bug("the window does not split");
	if (!r.cpu_exact || !r.device_exact)
		bug("totals differ: CPU %lld %lld %lld, device %lld %lld %lld",
			(long long)r.cpu_rows_ns, (long long)r.cpu_footer_ns,
			(long long)r.cpu_roots_ns, (long long)r.device_rows_ns,
			(long long)r.device_footer_ns, (long long)r.device_events_ns);
}

static void write_words(const struct shelf *s, const struct document *d, const struct input *in)
{
	struct err err = {0};
	struct expectations none = {0};
	FILE *f = fopen("/dev/null", "w");
	markdown_write(d, "svg", "cheatsheet", f);
	fclose(f);
	if (json_report_write(in, &none, s->texts, "/dev/null", &err))
		bug("%s", err.text);
}

static void draw(const struct shelf *s, const struct input *in, int traces)
{
	struct err err = {0};
	struct arena arena = {0};
	struct document d;
	document_init(&d, &arena, s->texts, s->fonts);
	d.course = &matrix_course;
	if (in->comparison)
		document_build(&d, in, s->comparison, "comparison", &err);
	else
		document_build(&d, in, s->template, "report", &err);
	if (err.set || texts_error(s->texts, &err))
		bug("%s", err.text);
	struct layout *l = layout_document(&arena, &d);
	struct canvas *c = canvas_null(s->fonts);
	layout_draw(l, c);
	const char *undrawn;
	if (canvas_undrawn(c, &undrawn))
		bug("%s", undrawn);
	if (canvas_close(c, &err) || texts_error(s->texts, &err))
		bug("%s", err.text);
	if (l->n_pages > traces * MOST_PAGES)
		bug("%d pages", l->n_pages);
	write_words(s, &d, in);
	html_check_page(&d, "report");
	arena_release(&arena);
}

/* The place of the sign between two traces; the end when there is one trace. */
static size_t split_at(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] == '\f' || data[i] == '\v')
			return i;
	return size;
}

static bool read_traces(struct input *in, const char *const *paths, int n)
{
	struct err err = {0};
	if (input_read(in, paths, n, &err)) {
		fuzz_refused(&err);
		return false;
	}
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (c->readable)
			check_sums(&in->arena, c);
	return true;
}

static void compare(const struct shelf *shelf, struct input *base, struct input *in)
{
	struct comparison comparison = comparison_of(&in->arena, base, in, &(struct gate){0});
	in->base = base;
	in->comparison = &comparison;
	if (comparison.n)
		draw(shelf, in, 2);
	in->comparison = NULL; /* it ends here */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct shelf shelf;
	fuzz_count(size);
	if (!shelf.template)
		shelf = shelf_open();
	size_t at = split_at(data, size);
	bool two = at < size, before = two && data[at] == '\v';
	const char *const paths[] = {
		fuzz_file(0, data, at), two ? fuzz_file(1, data + at + 1, size - at - 1) : NULL};
	struct input in = {0}, base = {0};
	if (!before && read_traces(&in, paths, 1 + two))
		draw(&shelf, &in, 1 + two);
	else if (before && read_traces(&base, paths, 1) && read_traces(&in, paths + 1, 1))
		compare(&shelf, &base, &in);
	input_release(&in);
	input_release(&base);
	return 0;
}
