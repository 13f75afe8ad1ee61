/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes that are a trace: a report of at most 30 pages that draws without a complaint, totals
 * that are exact, causes that sum to the idle time, and a window that splits without a rest. */
/* seeds: tests/data/read tests/golden/kineto/in tests/golden/cut/in tests/golden/chrome/in */
#define _GNU_SOURCE
#include "report/analyse/reconcile.h"
#include "report/canvas/canvas.h"
#include "report/page/layout.h"
#include "report/section/section.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PAGES = 30 };

/* Opened once: words and fonts are not what is looked at. */
struct shelf {
	struct texts *texts;
	struct fonts *fonts;
	cJSON *template;
};

static struct shelf shelf_open(void)
{
	struct err err = {0};
	struct shelf s = {.texts = texts_open("templates", "en", &err), .fonts = fonts_open(&err)};
	s.template = s.texts ? texts_template(s.texts, "report", &err) : NULL;
	if (!s.fonts || !s.template)
		bug("%s", err.text);
	return s;
}

static void check_sums(struct arena *a, const struct report_case *c)
{
	const struct ledger *l = c->ledger;
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

static void draw(const struct shelf *s, const struct input *in)
{
	struct err err = {0};
	struct arena arena = {0};
	struct document d;
	document_init(&d, &arena, s->texts, s->fonts);
	if (document_build(&d, in, s->template, "report", &err) || texts_error(s->texts, &err))
		bug("%s", err.text);
	struct layout *l = layout_document(&arena, &d);
	struct canvas *c = canvas_null(s->fonts);
	layout_draw(l, c);
	const char *undrawn;
	if (canvas_undrawn(c, &undrawn))
		bug("%s", undrawn);
	if (canvas_close(c, &err) || texts_error(s->texts, &err))
		bug("%s", err.text);
	if (l->n_pages > MOST_PAGES)
		bug("%d pages", l->n_pages);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct shelf shelf;
	if (!shelf.template)
		shelf = shelf_open();
	int fd = memfd_create("trace", 0);
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		bug("no memory file");
	const char *const paths[] = {path};
	struct input in;
	struct err err = {0};
	if (!input_read(&in, paths, 1, &err)) {
		check_sums(&in.arena, &in.runs[0].cases[0]);
		draw(&shelf, &in);
	} else if (!err.set || strchr(err.text, '\n')) {
		bug("refused without one line: %s", err.text);
	}
	input_release(&in);
	close(fd);
	return 0;
}
