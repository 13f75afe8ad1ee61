/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/html_report.h"

#include "base/json_out.h"
#include "base/number_format.h"
#include "base/outfile.h"
#include "base/sha256.h"
#include "report/html_events.h"
#include "report/page/html.h"
#include "report/page/rich_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	HTML_FRAME = 100000, /* head, end and words, at most */
	EVENTS_ROOM = 1000000 /* that pictures leave */
};

/* What the parts of the page ask for. */
struct page {
	const struct document *d;
	struct html_traces traces;
};

/* What grows in memory before it is written. */
struct part {
	char *text; /* (n) and a NUL */
	size_t n;
};

static FILE *begin_part(struct part *p)
{
	FILE *f = open_memstream(&p->text, &p->n);
	if (!f)
		out_of_memory(0);
	return f;
}

/* The colours of the theme as variables of the style: "--ink", and for the dark "--ink" again. */
static void put_colours(FILE *f, const struct texts *t, const char *prefix)
{
	static const char *const names[] = {"paper", "ink", "secondary", "tertiary", "rule", "band",
		"link", "kept", "broken", "open", "kept_ground", "broken_ground", "open_ground"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char key[64];
		snprintf(key, sizeof key, "%s%s", prefix, names[i]);
		fprintf(f, "--%s:#%06x;", names[i], texts_colour(t, key) >> 8);
	}
}

static int make_style(struct part *p, const struct texts *t, struct err *err)
{
	size_t n;
	char *rules = texts_file(t, "html/report.css", &n, err);
	if (!rules)
		return -1;
	FILE *f = begin_part(p);
	fputs(":root{", f);
	put_colours(f, t, "");
	fputs("}\n@media screen and (prefers-color-scheme:dark){:root{", f);
	put_colours(f, t, "dark_");
	fputs("}}\n", f);
	fwrite(rules, 1, n, f);
	fclose(f);
	free(rules);
	return 0;
}

/* One, so that the policy has one to name: tables, then the timeline. */
static int make_script(struct part *p, const struct texts *t, struct err *err)
{
	static const char *const files[] = {"html/report.js", "html/timeline.js"};
	FILE *f = begin_part(p);
	int result = 0;
	for (size_t i = 0, n; !result && i < sizeof files / sizeof *files; i++) {
		char *text = texts_file(t, files[i], &n, err);
		result = text ? 0 : -1;
		if (text)
			fwrite(text, 1, n, f);
		free(text);
	}
	fclose(f);
	return result;
}

/* The first that comes must be this policy: what stands before it is not held to it. */
static void put_policy(FILE *f, const struct part *style, const struct part *script)
{
	char hash[2][SHA256_BASE64];
	sha256_base64(hash[0], style->text, style->n);
	sha256_base64(hash[1], script->text, script->n);
	fprintf(f,
		"<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
		"content=\"default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; "
		"img-src data:; base-uri 'none'; form-action 'none'\">\n",
		hash[0], hash[1]);
}

static void put_head(
	FILE *f, const struct document *d, const struct part *style, const struct part *script)
{
	struct arena scratch = {0};
	fputs(HTML_MARK "<html lang=\"", f);
	html_text(f, texts_lang(d->texts));
	fputs("\">\n<head>\n", f);
	put_policy(f, style, script);
	fputs("<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"generator\" content=\"tracebook\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
		f);
	html_text(f, rich_plain(&scratch, d->title ? d->title : ""));
	fputs("</title>\n<style>", f);
	fwrite(style->text, 1, style->n, f);
	fputs("</style>\n</head>\n<body>\n", f);
	arena_release(&scratch);
}

/* The words that the script shows. */
static void put_words(FILE *f, const struct texts *t)
{
	static const char *const words[] = {"filter", "rows", "sort", "zoom", "nearer", "farther",
		"close", "timeline", "keys", "find", "found", "shown", "whole", "range", "start",
		"duration", "lane", "launched", "launches", "first_of", "none", "absent"};
	fputs("\"words\":{", f);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char key[64];
		snprintf(key, sizeof key, "html.%s", words[i]);
		fprintf(f, "%s\"%s\":", i ? "," : "", words[i]);
		json_escape(f, texts_find(t, key));
	}
	fputs("}", f);
}

/* Fill, edge and label of each kind of bar, and where time begins in a picture of a timeline. */
static void put_bars(FILE *f, const struct texts *t)
{
	fputs(",\n\"bars\":[", f);
	for (enum bar i = 0; i < BARS; i++) {
		struct bar_colours bar = texts_bar(t, bar_name(i));
		fprintf(f, "%s[\"#%06x\",\"#%06x\",\"#%06x\"]", i ? "," : "", bar.fill >> 8,
			bar.edge >> 8, bar.label >> 8);
	}
	fprintf(f, "],\n\"gutter\":%d,\"width\":%d", (int)timeline_metrics.gutter,
		(int)document_width);
}

static void write_words(FILE *f, const struct page *p, size_t most_bytes)
{
	(void)most_bytes;
	fputs("{", f);
	put_words(f, p->d->texts);
	put_bars(f, p->d->texts);
	fputs("}\n", f);
}

static void write_events(FILE *f, const struct page *p, size_t most_bytes)
{
	html_events_write(&p->traces, most_bytes, f);
}

/* Data is no script, and no text in it can end its element. */
static void put_data(FILE *f, const char *id, const struct page *p,
	void (*write)(FILE *, const struct page *, size_t), size_t most_bytes)
{
	struct part json = {0};
	FILE *part = begin_part(&json);
	write(part, p, most_bytes);
	fclose(part);
	fprintf(f, "<script type=\"application/json\" id=\"%s\">", id);
	for (const char *c = json.text, *end; *c; c = end) {
		end = strchrnul(c, '<');
		fwrite(c, 1, (size_t)(end - c), f);
		if (*end) {
			fputs(HTML_LESS, f);
			end++;
		}
	}
	fputs("</script>\n", f);
	free(json.text);
}

/* Where the script finds the events of a picture: trace, window, and where in the picture. */
static void put_views(FILE *f, const struct block *b, const void *page)
{
	const struct page *p = page;
	struct arena scratch = {0};
	int n;
	const struct html_view *view = html_views(&scratch, b->figure, &n);
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%d,%" PRId64 ",%" PRId64 ",%d,%d", i ? ";" : " data-views=\"",
			html_trace_number(&p->traces, view[i].of->trace), view[i].of->from_ns,
			view[i].of->to_ns, (int)view[i].y, (int)view[i].of->height);
	fputs(n ? "\"" : "", f);
	arena_release(&scratch);
}

static void put_event(FILE *f, const struct page *p, const struct trace *t, int trace, uint32_t row)
{
	struct arena scratch = {0};
	fprintf(f, "<li data-event=\"%d,%u,%" PRId64 ",%" PRId64 "\">", trace, t->track[row],
		t->start_ns[row], t->dur_ns[row]);
	html_rich(f, p->d,
		say(p->d->texts, &scratch, "html.event", "name", trace_row_name(t, row), "time",
			format_time(&scratch, (double)t->dur_ns[row]), "at",
			format_time(&scratch, (double)t->start_ns[row]), NULL));
	fputs("</li>\n", f);
	arena_release(&scratch);
}

/* The events that prove it, folded; to the script each is a way to the event. */
static void put_events(FILE *f, const struct block *b, const void *page)
{
	const struct page *p = page;
	const struct shown_rows *rows = &b->shown;
	int trace = rows->n ? html_trace_number(&p->traces, rows->trace) : -1;
	if (trace < 0)
		return;
	struct arena scratch = {0};
	fputs("<details><summary>", f);
	html_rich(f, p->d,
		say(p->d->texts, &scratch, "html.events", "n", format_count(&scratch, rows->n),
			NULL));
	fputs("</summary><ul>\n", f);
	for (int i = 0; i < rows->n; i++)
		put_event(f, p, rows->trace, trace, rows->row[i]);
	fputs("</ul></details>", f);
	arena_release(&scratch);
}

static void put_end(FILE *f, const struct page *p, const struct part *script, size_t most_bytes)
{
	if (p->d->footer) {
		fputs("<footer>", f);
		html_text(f, p->d->footer);
		fputs("</footer>\n", f);
	}
	put_data(f, "data", p, write_words, 0);
	put_data(f, "events", p, write_events, most_bytes);
	fputs("<script>", f);
	fwrite(script->text, 1, script->n, f);
	fputs("</script>\n</body>\n</html>\n", f);
}

/* Pictures first, events where they have room. */
static int write_page(const struct page *p, const struct part *style, const struct part *script,
	const struct html_form *form, struct err *err)
{
	struct part body = {0};
	struct outfile out = {0};
	FILE *f = begin_part(&body);
	int result = html_write(p->d, form, f, err);
	fclose(f);
	if (!result)
		result = texts_error(p->d->texts, err) ? -1 : outfile_open(&out, form->path, err);
	if (!result) {
		size_t most = form->most_bytes + (p->traces.n ? EVENTS_ROOM : 0),
		       room = body.n < most ? most - body.n : 0;
		put_head(out.f, p->d, style, script);
		fwrite(body.text, 1, body.n, out.f);
		put_end(out.f, p, script, room);
		result = outfile_close(&out, err);
	}
	free(body.text);
	return result;
}

int html_report_write(
	const struct document *d, const char *path, struct err *undrawn, struct err *err)
{
	struct part style = {0}, script = {0};
	struct arena scratch = {0};
	struct page p = {d, html_traces_of(&scratch, d)};
	int result = -1;
	if (!make_script(&script, d->texts, err) && !make_style(&style, d->texts, err)) {
		size_t room = p.traces.n ? EVENTS_ROOM : 0;
		struct html_form form = {.figure_attributes = put_views,
			.behind = put_events,
			.data = &p,
			.path = path,
			.undrawn = undrawn,
			.most_bytes = HTML_BYTES - style.n - script.n - HTML_FRAME - room};
		result = write_page(&p, &style, &script, &form, err);
	}
	free(style.text);
	free(script.text);
	arena_release(&scratch);
	return result;
}
