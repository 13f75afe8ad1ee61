/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_check.h - is what was written a sound piece of HTML, of which nothing is live? Elements are
 * known ones, closed in their order, attributes known ones in double quotes, links lead to places
 * of the page or to http(s); a text holds no bare sign of markup, nothing that is no UTF-8, and
 * nothing that a screen obeys. What tests/cli/page.py asks of a page, in time for a fuzzer.
 */
#ifndef TESTS_FUZZ_HTML_CHECK_H
#define TESTS_FUZZ_HTML_CHECK_H

#include "base/utf8.h"
#include "report/html_report.h"
#include "report/page/html.h"
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HTML_DEPTH = 64, HTML_NAME = 24 };

struct html_check {
	const char *at;
	char open[HTML_DEPTH][HTML_NAME];
	int depth, scripts, data, styles;
};

#define HTML_WRONG(x, what) bug("%s: %.60s", what, (x)->at)

static inline bool html_listed(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = list; (p = strstr(p, name)); p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}

static inline void html_name(struct html_check *x, char name[HTML_NAME])
{
	int n = 0;
	while ((isalnum((unsigned char)*x->at) || *x->at == '-') && n < HTML_NAME - 1)
		name[n++] = *x->at++;
	name[n] = '\0';
}

/* One sign of a text, or of an attribute's value. */
static inline void html_sign(struct html_check *x)
{
	static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
	if (*x->at == '&') {
		for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
			size_t n = strlen(entities[i]);
			if (!strncmp(x->at, entities[i], n)) {
				x->at += n;
				return;
			}
		}
		HTML_WRONG(x, "a bare &");
	}
	if (*x->at == '<' || *x->at == '>')
		HTML_WRONG(x, "a bare sign of markup");
	const char *from = x->at;
	uint32_t code = utf8_next(&x->at);
	if (code != '\n' && html_is_unseen(code)) {
		x->at = from;
		HTML_WRONG(x, "a sign that nobody sees");
	}
}

static inline bool html_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static inline void html_attribute(struct html_check *x, const char *element, bool *json)
{
	static const char known[] =
		"lang charset http-equiv content name rel href id class aria-label aria-hidden role "
		"scope colspan type viewBox stroke-miterlimit preserveAspectRatio fill fill-opacity "
		"stroke stroke-width stroke-opacity stroke-dasharray d x y font-size textLength "
		"lengthAdjust transform clip-path pointer-events";
	char name[HTML_NAME];
	html_name(x, name);
	if (!html_listed(known, name) && !html_begins(name, "data-"))
		HTML_WRONG(x, "an attribute");
	if (x->at[0] != '=' || x->at[1] != '"')
		HTML_WRONG(x, "an attribute without quotes");
	const char *value = x->at += 2;
	if (!strcmp(name, "href") && !html_begins(value, "#") && !html_begins(value, "http://") &&
		!html_begins(value, "https://") &&
		!(!strcmp(element, "link") && html_begins(value, "data:,\"")))
		HTML_WRONG(x, "a link");
	*json |= !strcmp(name, "type") && html_begins(value, "application/json\"");
	bool policy = !strcmp(name, "content");
	while (*x->at && *x->at != '"')
		html_sign(x);
	size_t n = (size_t)(x->at - value);
	if (!policy && !strcmp(name, "clip-path") != !!memmem(value, n, "url(", 4) &&
		strcmp(name, "href") != 0 && strcmp(name, "aria-label") != 0 &&
		strcmp(name, "id") != 0)
		HTML_WRONG(x, "an address");
	if (*x->at++ != '"')
		HTML_WRONG(x, "an attribute without an end");
}

/* A script or a style: as it stands, up to its end. */
static inline void html_raw(struct html_check *x, const char *element, bool json)
{
	bool style = !strcmp(element, "style");
	const char *end = strstr(x->at, style ? "</style>" : "</script>");
	if (!end)
		HTML_WRONG(x, "a script without an end");
	x->styles += style;
	x->data += json;
	x->scripts += !style && !json;
	x->at = end;
}

static inline void html_begin(struct html_check *x)
{
	static const char known[] =
		"html head meta link title style body nav ol ul li a main section h1 h2 h3 h4 p dl "
		"dt dd div table thead tbody tr th td span code strong pre figure svg path text g "
		"clipPath footer script details summary";
	char name[HTML_NAME];
	bool json = false;
	html_name(x, name);
	if (!html_listed(known, name))
		HTML_WRONG(x, "an element");
	while (*x->at == ' ') {
		x->at++;
		html_attribute(x, name, &json);
	}
	bool closed = *x->at == '/';
	x->at += closed;
	if (*x->at++ != '>')
		HTML_WRONG(x, "an element without an end");
	if (closed || html_listed("meta link", name))
		return;
	if (x->depth == HTML_DEPTH)
		HTML_WRONG(x, "too deep");
	memcpy(x->open[x->depth++], name, HTML_NAME);
	if (html_listed("script style", name))
		html_raw(x, name, json);
}

static inline void html_end(struct html_check *x)
{
	char name[HTML_NAME];
	html_name(x, name);
	if (*x->at != '>' || !x->depth || strcmp(x->open[--x->depth], name) != 0)
		HTML_WRONG(x, "an end of what is not open");
	x->at++;
}

/* Checks a piece, or a whole page, which begins with `head`. */
static inline struct html_check html_check(const char *text, const char *head)
{
	struct html_check x = {.at = text};
	if (!html_begins(text, head))
		HTML_WRONG(&x, "no head");
	x.at += strlen(head);
	while (*x.at)
		if (html_begins(x.at, "</")) {
			x.at += 2;
			html_end(&x);
		} else if (*x.at == '<') {
			x.at++;
			html_begin(&x);
		} else {
			html_sign(&x);
		}
	if (x.depth)
		HTML_WRONG(&x, "an element is left open");
	return x;
}

/* Writes a whole page into the fuzzer's folder, and checks it. */
static inline void html_check_page(const struct document *d, const char *fuzzer)
{
	static char path[128];
	struct err err = {0}, undrawn = {0};
	size_t n;
	if (!*path) {
		char folder[96];
		fuzz_folder(folder, fuzzer, "");
		snprintf(path, sizeof path, "%s/a.html", folder);
	}
	if (html_report_write(d, path, &undrawn, &err))
		bug("%s", err.text);
	char *text = read_small_file(path, HTML_BYTES, &n, &err);
	if (!text || strlen(text) != n)
		bug("a page with a NUL, or too long");
	struct html_check x = html_check(text, HTML_MARK);
	if (x.scripts != 1 || x.data != 2 || x.styles != 1)
		bug("%d scripts, %d data, %d styles", x.scripts, x.data, x.styles);
	free(text);
}

#endif
