/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/rich_text.h"

#include "base/hash.h"

#include <ctype.h>
#include <string.h>

struct place {
	struct place *next; /* the one that was added before */
	struct place *same; /* the next of the same slot */
	const char *name;
	int page;
};

struct places {
	struct place *first; /* the last that was added */
	struct place **slot; /* (n_slots) by hash of the name, the last of a name first */
	size_t n, n_slots; /* n_slots is a power of two */
	bool padded;
};

struct places *places_new(struct arena *a)
{
	return arena_alloc(a, sizeof(struct places));
}

static struct place **slot_of(const struct places *p, const char *name)
{
	return &p->slot[hash_quick(name, strlen(name)) & (p->n_slots - 1)];
}

static const struct place *find_place(const struct places *p, const char *name)
{
	const struct place *q = p && p->n ? *slot_of(p, name) : NULL;
	while (q && strcmp(q->name, name) != 0)
		q = q->same;
	return q;
}

static void put_place(struct places *p, struct place *place)
{
	struct place **slot = slot_of(p, place->name);
	place->same = *slot;
	*slot = place;
}

/* From the last to the first: of a name only the last is looked for. */
static void grow_slots(struct places *p, struct arena *a)
{
	p->n_slots = p->n_slots ? 4 * p->n_slots : 256;
	p->slot = arena_array(a, p->n_slots, sizeof(struct place *));
	for (struct place *q = p->first; q; q = q->next)
		if (!find_place(p, q->name))
			put_place(p, q);
}

void places_add(struct places *p, struct arena *a, const char *name, int page)
{
	struct place *place = arena_alloc(a, sizeof *place);
	*place = (struct place){.next = p->first, .name = arena_strdup(a, name), .page = page};
	if (p->n++ == p->n_slots)
		grow_slots(p, a);
	p->first = place;
	put_place(p, place);
}

int places_find(const struct places *p, const char *name)
{
	const struct place *q = find_place(p, name);
	return q ? q->page : 0;
}

bool places_same(const struct places *a, const struct places *b)
{
	const struct place *p = a->first, *q = b->first;
	for (; p && q && p->page == q->page && !strcmp(p->name, q->name); q = q->next)
		p = p->next;
	return !p && !q;
}

void places_pad(struct places *p)
{
	p->padded = true;
}

/* Reading marked-up text: a run is a piece in one face with one link. */

struct reader {
	struct arena *a;
	const char *p;
	char *to; /* words go here, one behind the other: what ends one leaves room for its NUL */
	enum face plain;
	bool bold, code;
	const char *link, *label_end;
	const char **no_label; /* up to here no bracket begins a label: so each is looked at once */
	bool numbered; /* a page's number was asked for */
};

static enum face face_of(const struct reader *r)
{
	return r->code ? FACE_MONO : r->bold ? FACE_BOLD : r->plain;
}

static const char *find_label_end(const struct reader *r)
{
	const char *p = r->p + 1;
	if (p <= *r->no_label)
		return NULL;
	while (*p && *p != ']')
		p += *p == '\\' && p[1] ? 2 : 1;
	if (*p && p[1] == '(' && strchr(p, ')'))
		return p;
	*r->no_label = p;
	return NULL;
}

/* Swallows markup at the reader's place; true when some was taken. */
static bool take_markup(struct reader *r)
{
	if (r->link && r->p == r->label_end) {
		r->p = strchr(r->p, ')') + 1;
		r->link = NULL;
		return true;
	}
	if (*r->p == '`') {
		r->code = !r->code;
		r->p++;
		return true;
	}
	if (!r->code && r->p[0] == '*' && r->p[1] == '*') {
		r->bold = !r->bold;
		r->p += 2;
		return true;
	}
	const char *end = *r->p == '[' && !r->link && !r->code ? find_label_end(r) : NULL;
	if (!end)
		return false;
	const char *address = end + 2;
	r->label_end = end;
	r->link = arena_strndup(r->a, address, (size_t)(strchr(address, ')') - address));
	r->p++;
	return true;
}

static void add_sign(char *to, size_t *n, const char **p)
{
	if (**p == '\\' && (*p)[1])
		(*p)++;
	to[(*n)++] = *(*p)++;
}

static bool is_page_sign(const char *p)
{
	return p[0] == '\xc2' && p[1] == '\xb6';
}

enum { PADDED_DIGITS = 5, PAGE_BYTES = 16 }; /* four spaces of up to three bytes, and a digit */

const char *page_space(enum face face)
{
	return face == FACE_MONO ? "\xc2\xa0" : "\xe2\x80\x87";
}

static void add_page(struct reader *r, size_t *n, const struct places *places)
{
	char digits[12];
	r->numbered = true;
	int has = snprintf(digits, sizeof digits, "%d",
		r->link[0] == '#' ? places_find(places, r->link + 1) : 0);
	for (; places && places->padded && has < PADDED_DIGITS; has++)
		*n += (size_t)snprintf(r->to + *n, PAGE_BYTES, "%s", page_space(face_of(r)));
	*n += (size_t)snprintf(r->to + *n, PAGE_BYTES, "%s", digits);
}

/* One word: up to the next space or change of face or link. */
static bool next_word(struct reader *r, const struct places *places, struct rich_word *word)
{
	bool space = false;
	for (;;) {
		if (*r->p == ' ' || *r->p == '\n') {
			space = true;
			r->p++;
		} else if (!*r->p || !take_markup(r)) {
			break;
		}
	}
	if (!*r->p)
		return false;
	*word = (struct rich_word){
		.text = r->to, .face = face_of(r), .link = r->link, .space = space};
	size_t n = 0;
	while (*r->p && *r->p != ' ' && *r->p != '\n') {
		struct reader ahead = *r;
		if (take_markup(&ahead))
			break;
		if (r->link && is_page_sign(r->p)) {
			add_page(r, &n, places);
			r->p += 2;
		} else {
			add_sign(r->to, &n, &r->p);
		}
	}
	r->to += n + 1;
	return true;
}

/* Room for all words of a text, in which a sign for a page becomes a number. */
static char *room_for_words(struct arena *a, const char *text)
{
	size_t n = 0;
	for (const char *p = text; *p; p++)
		n += is_page_sign(p) ? PAGE_BYTES : 1;
	return arena_alloc(a, n + 1);
}

/* Cuts a word that is wider than a line; pieces join without a space. */
static int add_pieces(struct rich *r, struct arena *a, const struct fonts *fonts, double width,
	struct rich_word word)
{
	double size = r->style.size;
	int pieces = 0;
	for (size_t n = strlen(word.text);;) {
		size_t fits = word.width <= width
			? n
			: text_fit(fonts, word.face, size, width, word.text);
		if (!fits)
			fits = n;
		struct rich_word piece = word;
		if (fits < n) {
			piece.text = arena_strndup(a, word.text, fits);
			piece.width = text_width(fonts, word.face, size, piece.text);
		}
		r->word[r->n_words++] = piece;
		pieces++;
		if (fits == n)
			return pieces;
		word.text += fits;
		n -= fits;
		word.space = false;
		word.width -= piece.width; /* measuring the rest each time would take its square */
	}
}

static void read_words(struct rich *r, struct arena *a, const struct fonts *fonts,
	const struct places *places, const char *text, double width)
{
	const char *no_label = text;
	struct reader reader = {.a = a,
		.p = text,
		.to = room_for_words(a, text),
		.plain = r->style.face,
		.no_label = &no_label};
	struct rich_word here[16], word; /* most texts of a table have one or two */
	int room = sizeof here / sizeof *here;
	r->word = here;
	while (next_word(&reader, places, &word)) {
		word.width = text_width(fonts, word.face, r->style.size, word.text);
		int most = width > 0 ? (int)(word.width / width) * 2 + 4 : 4;
		while (r->n_words + most > room)
			r->word = arena_room(a, r->word, room, &room, sizeof word);
		add_pieces(r, a, fonts, width, word);
	}
	r->numbered = reader.numbered;
	size_t bytes = (size_t)r->n_words * sizeof word;
	if (r->word == here)
		r->word = memcpy(arena_alloc(a, bytes), here, bytes);
}

static bool same_run(const struct rich_word *a, const struct rich_word *b)
{
	return a->face == b->face && a->link == b->link;
}

static void set_spaces(struct rich *r, const struct fonts *fonts)
{
	for (int i = 0; i < r->n_words; i++) {
		struct rich_word *w = &r->word[i];
		bool inside = i && same_run(&r->word[i - 1], w);
		enum face face = inside ? w->face : r->style.face;
		w->space_width = w->space ? text_width(fonts, face, r->style.size, " ") : 0;
	}
}

/* "%", "µs,", "TFLOP/s": what a number is counted in. */
static bool is_unit(const char *word)
{
	static const char *const units[] = {"s", "iB", "B", "FLOP", "Hz"};
	static const char micro[] = "µ";
	if (!*word || !strchr("%siBFHnkmMGTP\xc2", *word)) /* most words, at once */
		return false;
	size_t prefix = !strncmp(word, micro, strlen(micro)) ? strlen(micro)
		: *word && strchr("nmkMGTP", *word)	     ? 1
							     : 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t n = strlen(units[i]);
		if (!strncmp(word + prefix, units[i], n) &&
			!isalnum((unsigned char)word[prefix + n]))
			return true;
	}
	return *word == '%';
}

static bool is_sign(const struct rich_word *w, char sign)
{
	return w->text[0] == sign && !w->text[1];
}

/* A line does not end between a number and its unit, nor inside "n 42 + 144". */
static bool stays_with(const struct rich_word *number, const struct rich_word *next)
{
	if (!next->space || is_sign(next, '+') || is_sign(number, '+') || is_sign(number, 'n'))
		return true;
	if (!is_unit(next->text))
		return false;
	size_t n = strlen(number->text);
	return n && isdigit((unsigned char)number->text[n - 1]);
}

/* Words that stay together, unless they alone are wider than a line. */
static int unit_end(const struct rich *r, int first, double *width)
{
	int end = first + 1;
	*width = r->word[first].width;
	for (; end < r->n_words && stays_with(&r->word[end - 1], &r->word[end]); end++)
		*width += r->word[end].space_width + r->word[end].width;
	return end;
}

static void add_to_line(struct rich *r, struct rich_line **line, int i, bool new_line)
{
	const struct rich_word *w = &r->word[i];
	if (new_line) {
		*line = &r->line[r->n_lines++];
		**line = (struct rich_line){.first = i, .n = 1, .width = w->width};
	} else {
		(*line)->n++;
		(*line)->width += w->width + w->space_width;
	}
}

static void break_lines(struct rich *r, struct arena *a, double width)
{
	r->line = arena_array(a, (size_t)r->n_words + 1, sizeof *r->line);
	struct rich_line *line = NULL;
	for (int i = 0; i < r->n_words;) {
		double unit;
		int end = unit_end(r, i, &unit);
		double space = r->word[i].space_width;
		bool fits = line && line->width + space + unit <= width + 0.01;
		add_to_line(r, &line, i++, !fits);
		for (; i < end; i++) {
			double more = r->word[i].space_width + r->word[i].width;
			add_to_line(r, &line, i, line->width + more > width + 0.01);
		}
	}
}

static void add_word(struct rich_line *line, const struct rich_word *w, int n)
{
	line->n += n;
	line->width += n * (w->width + w->space_width);
}

/* Ends the last allowed line with an ellipsis, behind as much of the next word as fits. */
static void cut_lines(struct rich *r, struct arena *a, const struct fonts *fonts, double width)
{
	if (!r->style.max_lines || r->n_lines <= r->style.max_lines)
		return;
	r->n_lines = r->style.max_lines;
	struct rich_line *line = &r->line[r->n_lines - 1];
	struct rich_word *last = &r->word[line->first + line->n];
	double size = r->style.size;
	size_t n;
	add_word(line, last, 1);
	for (;; last--) {
		double dots = text_width(fonts, last->face, size, "…");
		double room = width - dots - (line->width - last->width);
		n = room > 0 ? text_fit(fonts, last->face, size, room, last->text) : 0;
		if (n || line->n == 1)
			break;
		add_word(line, last, -1);
	}
	double was = last->width;
	last->text = arena_printf(a, "%.*s…", (int)n, last->text);
	last->width = text_width(fonts, last->face, size, last->text);
	line->width += last->width - was;
}

struct rich rich_layout(struct arena *a, const struct fonts *fonts, const struct places *places,
	const char *text, double width, const struct rich_style *style)
{
	struct rich r = {.style = *style};
	read_words(&r, a, fonts, places, text, width);
	set_spaces(&r, fonts);
	break_lines(&r, a, width);
	cut_lines(&r, a, fonts, width);
	r.height = r.n_lines * style->leading;
	return r;
}

static void draw_link(struct canvas *c, const char *link, struct box box)
{
	canvas_mark(c, link[0] == '#' ? MARK_LINK : MARK_URI, box, link + (link[0] == '#'), 0);
}

/* Words of one style go out as one text, so that copying from the page keeps its spaces. */
static void draw_line(struct canvas *c, const struct rich *r, const struct rich_line *line,
	double x, double baseline)
{
	const struct rich_style *s = &r->style;
	for (int i = line->first, end = line->first + line->n; i < end;) {
		const struct rich_word *w = &r->word[i];
		if (i > line->first)
			x += w->space_width;
		char run[4096], *p = run, *last = run + sizeof run - 1;
		double width = 0;
		int j = i;
		do {
			const struct rich_word *next = &r->word[j];
			if (j > i && next->space)
				*p++ = ' ';
			for (const char *from = next->text; *from && p < last;)
				*p++ = *from++;
			width += next->width + (j > i ? next->space_width : 0);
		} while (++j < end && same_run(w, &r->word[j]) && p < last - 1023);
		*p = '\0';
		canvas_text_at(c, (struct pt){x, baseline}, run,
			&(struct text_style){.face = w->face,
				.size = s->size,
				.colour = w->link ? s->link : s->colour});
		if (w->link)
			draw_link(c, w->link,
				(struct box){x, baseline - s->size * 0.85, width, s->size * 1.15});
		x += width;
		i = j;
	}
}

void rich_draw(struct canvas *c, const struct rich *r, double x, double y, double width)
{
	const struct rich_style *s = &r->style;
	for (int i = 0; i < r->n_lines; i++) {
		const struct rich_line *line = &r->line[i];
		double left = s->align == ANCHOR_END ? width - line->width
			: s->align == ANCHOR_MIDDLE  ? (width - line->width) / 2
						     : 0;
		double baseline = y + i * s->leading + (s->leading + s->size * 0.72) / 2;
		draw_line(c, r, line, x + left, baseline);
	}
}

/* Up to the next markup or sign for a page, at most; the sign alone is a piece. */
static struct rich_piece next_piece(struct reader *r)
{
	struct rich_piece piece = {
		.text = r->to, .bold = r->bold, .code = r->code, .link = r->link};
	if (is_page_sign(r->p)) {
		piece.page = true;
		piece.text = "";
		r->p += 2;
		return piece;
	}
	size_t n = 0;
	struct reader ahead = *r;
	while (*r->p && !is_page_sign(r->p) && !take_markup(&ahead)) {
		add_sign(r->to, &n, &r->p);
		ahead = *r;
	}
	r->to += n + 1;
	return piece;
}

struct rich_piece *rich_pieces(struct arena *a, const char *text, int *n)
{
	size_t bytes = strlen(text);
	struct rich_piece *piece = arena_array(a, bytes + 1, sizeof *piece);
	const char *no_label = text;
	struct reader reader = {
		.a = a, .p = text, .to = arena_alloc(a, 2 * bytes + 1), .no_label = &no_label};
	*n = 0;
	while (*reader.p)
		if (!take_markup(&reader))
			piece[(*n)++] = next_piece(&reader);
	return piece;
}

const char *rich_plain(struct arena *a, const char *text)
{
	const char *no_label = text;
	struct reader reader = {.a = a, .p = text, .no_label = &no_label};
	char *plain = arena_alloc(a, strlen(text) + 1);
	size_t n = 0;
	while (*reader.p)
		if (!take_markup(&reader))
			add_sign(plain, &n, &reader.p);
	return plain;
}
