/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boxes - what a reader could not read on the pages that `report --dump canvas` has printed: text
 * that lies on other text, leaves its page, or is small. A PDF's own text tells less, since what
 * overlaps is joined to one word there.
 *
 * Usage: report --dump canvas ... | boxes LEAST-POINTS
 *
 * Of each text the box counts where most letters have ink: from the line up to seven tenths of its
 * size. Two collide when these share a tenth of the smaller one. Prints a line for each fault;
 * status 1 when there is any, or no text at all.
 */
#include "report/canvas/font.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 4000, LONG = 4096 };

static const double INK = 0.7, SHARED = 0.1;

struct shown {
	double x, y, w, h;
	char *text;
};

struct page {
	struct shown text[MOST_TEXTS];
	int n, number;
	double w, h;
	long texts, faults;
};

static double shared(const struct shown *a, const struct shown *b)
{
	double x = a->x > b->x ? a->x : b->x, y = a->y > b->y ? a->y : b->y;
	double right = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;
	double low = a->y + a->h < b->y + b->h ? a->y + a->h : b->y + b->h;
	double least = a->w * a->h < b->w * b->h ? a->w * a->h : b->w * b->h;
	return right > x && low > y ? (right - x) * (low - y) / least : 0;
}

static void end_page(struct page *p)
{
	for (int i = 0; i < p->n; i++) {
		const struct shown *a = &p->text[i];
		if (a->x < 0 || a->y < 0 || a->x + a->w > p->w || a->y + a->h > p->h)
			printf("page %d: \"%s\" leaves the page\n", p->number, a->text),
				p->faults++;
		for (int k = 0; k < i; k++)
			if (shared(a, &p->text[k]) > SHARED)
				printf("page %d: \"%s\" lies on \"%s\" at %.0f, %.0f\n", p->number,
					a->text, p->text[k].text, a->x, a->y),
					p->faults++;
	}
	for (int i = 0; i < p->n; i++)
		free(p->text[i].text);
	p->n = 0;
}

/* Takes the quotes and their escapes away; returns what stands behind. */
static const char *unquoted(const char *from, char to[LONG])
{
	size_t n = 0;
	while (*from && *from != '"') {
		from += *from == '\\' && from[1];
		to[n++] = *from++;
	}
	to[n] = '\0';
	return *from ? from + 1 : from;
}

static enum face face_of(const char *name)
{
	return !strcmp(name, "bold") ? FACE_BOLD : !strcmp(name, "mono") ? FACE_MONO : FACE_SANS;
}

static void take_text(struct page *p, const struct fonts *fonts, const char *line, double least)
{
	char text[LONG], face[16], anchor[16];
	double size, x, y;
	const char *rest = unquoted(line, text);
	if (sscanf(rest, " %15s %lf #%*8s %15s %lf %lf", face, &size, anchor, &x, &y) != 5)
		return;
	p->texts++;
	if (size < least)
		printf("page %d: \"%s\" has %.2f points\n", p->number, text, size), p->faults++;
	double w = text_width(fonts, face_of(face), size, text);
	x -= !strcmp(anchor, "end") ? w : !strcmp(anchor, "middle") ? w / 2 : 0;
	if (strstr(rest, " turned") || p->n == MOST_TEXTS || !text[0])
		return;
	p->text[p->n++] = (struct shown){x, y - INK * size, w, INK * size, strdup(text)};
}

int main(int argc, char **argv)
{
	static struct page p;
	static char line[LONG];
	struct err err = {0};
	struct fonts *fonts = fonts_open(&err);
	double least = argc == 2 ? strtod(argv[1], NULL) : 0;
	if (!(least > 0) || !fonts) {
		fprintf(stderr, "usage: boxes LEAST-POINTS <DUMP %s\n", err.text);
		return 2;
	}
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "page ", 5)) {
			end_page(&p);
			p.number++;
			sscanf(line + 5, "%lf %lf", &p.w, &p.h);
		} else if (!strncmp(line, "text \"", 6)) {
			take_text(&p, fonts, line + 6, least);
		}
	}
	end_page(&p);
	fonts_close(fonts);
	return p.faults || !p.texts;
}
