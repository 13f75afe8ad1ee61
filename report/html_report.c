/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/html_report.h"

#include "base/json_out.h"
#include "base/outfile.h"
#include "base/sha256.h"
#include "report/page/html.h"
#include "report/page/rich_text.h"

#include <stdlib.h>
#include <string.h>

enum { HTML_FRAME = 100000 }; /* head, end and words, at most */

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
static void put_words(struct json_out *j, const struct texts *t)
{
	static const char *const words[] = {"filter", "rows", "sort"};
	json_object(j, "words", JSON_INLINE);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char key[64];
		snprintf(key, sizeof key, "html.%s", words[i]);
		json_text(j, words[i], texts_find(t, key));
	}
	json_end(j);
}

/* Data is no script, and no text in it can end its element. */
static void put_data(FILE *f, const struct texts *t)
{
	struct part data = {0};
	FILE *json = begin_part(&data);
	struct json_out j;
	json_init(&j, json);
	json_object(&j, NULL, JSON_LINES);
	put_words(&j, t);
	json_end(&j);
	json_finish(&j);
	fclose(json);
	fputs("<script type=\"application/json\" id=\"data\">", f);
	for (const char *p = data.text, *end; *p; p = end) {
		end = strchrnul(p, '<');
		fwrite(p, 1, (size_t)(end - p), f);
		if (*end) {
			fputs("\\u003c", f);
			end++;
		}
	}
	fputs("</script>\n", f);
	free(data.text);
}

static void put_end(FILE *f, const struct document *d, const struct part *script)
{
	if (d->footer) {
		fputs("<footer>", f);
		html_text(f, d->footer);
		fputs("</footer>\n", f);
	}
	put_data(f, d->texts);
	fputs("<script>", f);
	fwrite(script->text, 1, script->n, f);
	fputs("</script>\n</body>\n</html>\n", f);
}

int html_report_write(const struct input *in, const struct document *d, const char *path,
	struct err *undrawn, struct err *err)
{
	struct part style = {0}, script = {0}, body = {0};
	struct outfile out = {0};
	int result = -1;
	(void)in;
	script.text = texts_file(d->texts, "html/report.js", &script.n, err);
	if (!script.text || make_style(&style, d->texts, err))
		goto out;
	struct html_form form = {.path = path,
		.undrawn = undrawn,
		.most_bytes = HTML_BYTES - style.n - script.n - HTML_FRAME};
	FILE *f = begin_part(&body);
	result = html_write(d, &form, f, err);
	fclose(f);
	if (!result)
		result = texts_error(d->texts, err) ? -1 : outfile_open(&out, path, err);
	if (result)
		goto out;
	put_head(out.f, d, &style, &script);
	fwrite(body.text, 1, body.n, out.f);
	put_end(out.f, d, &script);
	result = outfile_close(&out, err);
out:
	free(style.text);
	free(script.text);
	free(body.text);
	return result;
}
