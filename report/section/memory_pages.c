/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the memory: the picture over time, and what is alive at the peak. */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/figure/figures.h"
#include "report/figure/memory.h"
#include "report/name/python_line.h"

#include <string.h>

enum { HOLDER_ROWS = 8, MORE_ROWS = 5 };

/* " of its 85.0 GB", where the trace says how much the device has. */
static const char *room_of(struct document *d, const struct trace *t, int32_t device)
{
	for (size_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].id == device && t->devices[i].memory_bytes > 0)
			return said(d, "memory.room", "size",
				format_si(d->arena, (double)t->devices[i].memory_bytes, "B"), NULL);
	return "";
}

/* When that is; a snapshot without stamps counts its records, which are microseconds in the trace.
 */
static const char *when(struct document *d, const struct trace *t, int64_t ns)
{
	if (trace_meta(t, SNAPSHOT_CLOCK))
		return said(d, "memory.when.record", "n", format_count(d->arena, ns / 1000), NULL);
	return said(d, t->snapshot ? "memory.when.snapshot" : "memory.when", "time",
		format_time(d->arena, (double)ns), NULL);
}

/* Of each memory its peak: when it came, in which operator, and what the allocator held then. */
static const char *peaks_of(struct document *d, const struct trace *t, const struct memory_lines *m)
{
	struct arena *a = d->arena;
	struct text_builder list = {.arena = a};
	for (int i = 0; i < m->n; i++) {
		const struct memory_line *line = &m->line[i];
		const struct memory_point *peak = &line->point[line->peak];
		const char *of = line->device < 0
			? said(d, "memory.host", NULL)
			: said(d, "memory.device", "n", arena_printf(a, "%d", line->device), NULL);
		const char *held = peak->reserved > 0
			? said(d, "memory.held", "size", format_si(a, (double)peak->reserved, "B"),
				  NULL)
			: "";
		text_add(&list, "%s",
			said(d, line->peak_op ? "memory.most.op" : "memory.most", "of", of, "size",
				format_si(a, (double)peak->allocated, "B"), "room",
				room_of(d, t, line->device), "when",
				when(d, t, peak->at_ns - m->zero_ns), "name",
				line->peak_op ? line->peak_op : "", "held", held, NULL));
	}
	return text_built(&list);
}

/* ---- who asked ---- */

static const struct table_form holders_form = {
	.column = {{.title = ""},
		{.title = "memory.name", .kind = COLUMN_CODE, .weight = 1, .max_lines = 1},
		{.title = "memory.bytes", .kind = COLUMN_NUMBER},
		{.title = "memory.share", .kind = COLUMN_NUMBER},
		{.title = "memory.blocks", .kind = COLUMN_NUMBER},
		{.title = "memory.largest", .kind = COLUMN_NUMBER},
		{.title = "memory.allocations", .kind = COLUMN_NUMBER},
		{.title = "memory.allocated", .kind = COLUMN_NUMBER}}};

static const char *memory_name(struct document *d, int32_t device)
{
	return device < 0
		? said(d, "memory.host", NULL)
		: said(d, "memory.device", "n", arena_printf(d->arena, "%d", device), NULL);
}

static const char *size_of(struct document *d, int64_t bytes)
{
	return bytes ? format_si(d->arena, (double)bytes, "B") : "0";
}

static void put_holder(struct rows *t, const struct memory_of_device *of, const char *name,
	const struct memory_holder *h)
{
	struct document *d = t->d;
	bool known = h->blocks || !h->bytes;
	put(t, name);
	put(t, size_of(d, h->bytes));
	put(t, format_share(d->arena, (double)h->bytes / (double)of->peak_bytes));
	known ? put_count(t, h->blocks) : put(t, "");
	put(t, known ? size_of(d, h->largest) : "");
	h->calls ? put_count(t, h->calls) : put(t, "");
	put(t, h->calls ? size_of(d, h->all_bytes) : "");
}

static const char *holder_name(struct document *d, const struct trace *t,
	const struct memory_holder *h, enum memory_asker by)
{
	const char *name = h->name ? trace_name(t, h->name) : "";
	if (h->before)
		return said(d, "memory.before", NULL);
	if (!h->name)
		return said_by(d, "memory.outside.%s", memory_asker_name(by));
	if (!strcmp(name, MEMORY_NO_LINE) && t->snapshot)
		return said(d, "memory.no_line", NULL);
	if (by == ASKED_MODULE)
		name += sizeof MODULE_CALL - 1;
	return event_name(d, python_line_short(d->arena, name));
}

/* The first with most, the others together, and what stood before. */
static void add_holders(struct document *d, const struct report_case *c,
	const struct memory_of_device *of, enum memory_asker by, const struct memory_bands *bands)
{
	size_t n, shown = 0, most = bands ? HOLDER_ROWS : MORE_ROWS;
	struct memory_holder rest = {0};
	const struct memory_holder *h = memory_holders(d->arena, c->memory, of, by, &n);
	if (!n || (n == 1 && !h->name))
		return;
	document_say(d, BLOCK_CAPTION,
		arena_printf(d->arena, "memory.by.%s", memory_asker_name(by)), "of",
		memory_name(d, of->device), NULL)
		->level = 1;
	struct rows t = rows_begin(d, &holders_form, bands ? 0 : 1);
	for (size_t i = 0; i < n && !h[i].before; i++) {
		if (shown >= most || !h[i].bytes) {
			rest.bytes += h[i].bytes;
			rest.blocks += h[i].blocks;
			rest.largest = h[i].largest > rest.largest ? h[i].largest : rest.largest;
			rest.calls += h[i].calls;
			rest.all_bytes += h[i].all_bytes;
			continue;
		}
		bool own = shown < MEMORY_ASKED;
		put(&t, bands && own ? arena_printf(d->arena, "%d", (int)shown + 1) : "")->swatch =
			bands ? memory_band_colour(bands, own ? (int)shown : BAND_OTHERS) : NULL;
		put_holder(&t, of, holder_name(d, &c->trace, &h[i], by), &h[i]);
		shown++;
	}
	size_t others = n - shown - h[n - 1].before;
	if (others) {
		put(&t, "")->swatch = bands ? memory_band_colour(bands, BAND_OTHERS) : NULL;
		put_holder(&t, of,
			said(d, "memory.others", "n", format_count(d->arena, (int64_t)others),
				NULL),
			&rest);
	}
	if (h[n - 1].before) {
		put(&t, "")->swatch = bands ? memory_band_colour(bands, BAND_BEFORE) : NULL;
		put_holder(&t, of, said(d, "memory.before", NULL), &h[n - 1]);
	}
}

/* ---- what is held beside the blocks ---- */

static void add_pieces(struct document *d, const struct memory_of_device *of)
{
	struct arena *a = d->arena;
	if (of->free_bytes < 0 || of->reserved_bytes <= 0)
		return;
	double in_pieces =
		of->free_bytes ? 1 - (double)of->largest_free_bytes / (double)of->free_bytes : 0;
	document_say(d, BLOCK_TEXT, of->free_bytes ? "memory.pieces" : "memory.pieces.none", "of",
		memory_name(d, of->device), "reserved", size_of(d, of->reserved_bytes), "free",
		size_of(d, of->free_bytes), "share",
		format_share(a, (double)of->free_bytes / (double)of->reserved_bytes), "largest",
		size_of(d, of->largest_free_bytes), "pieces", format_share(a, in_pieces), NULL);
}

static void add_refused(struct document *d, const struct report_case *c)
{
	enum { REFUSED_SHOWN = 3 };
	const struct trace *t = &c->trace;
	int n = 0;
	for (size_t i = 0; i < t->n_segments; i++) {
		const struct memory_segment *x = &t->segments[i];
		if (x->act != MEMORY_REFUSED || n++ >= REFUSED_SHOWN)
			continue;
		document_say(d, BLOCK_TEXT, x->line[0] ? "memory.refused.line" : "memory.refused",
			"of", memory_name(d, x->device), "when", when(d, t, x->at_ns - t->clock_ns),
			"size", size_of(d, x->bytes), "free",
			x->used_bytes >= 0 ? said(d, "memory.refused.free", "size",
						     size_of(d, x->used_bytes), NULL)
					   : "",
			"line", event_name(d, python_line_short(d->arena, x->line)), NULL);
	}
	if (n > REFUSED_SHOWN)
		document_say(d, BLOCK_TEXT, "memory.refused.more", "n",
			format_count(d->arena, n - REFUSED_SHOWN), NULL);
}

static void add_memory_tables(
	struct document *d, const struct report_case *c, const struct memory_lines *m)
{
	for (int i = 0; i < c->memory->n_devices; i++) {
		const struct memory_of_device *of = &c->memory->device[i];
		const struct memory_bands *bands = NULL;
		bool drawn = false;
		for (int k = 0; k < m->n; k++)
			if (m->line[k].device == of->device) {
				bands = m->line[k].bands;
				drawn = true;
			}
		/* Of the CPU's only where there is no other. */
		if (!of->blocks || (m->n && !drawn) || (of->device < 0 && i))
			continue;
		for (int by = 0; by < MEMORY_ASKERS; by++)
			if (c->memory->who[by])
				add_holders(d, c, of, (enum memory_asker)by,
					by == (int)memory_bands_by(c->memory) ? bands : NULL);
		add_pieces(d, of);
	}
	add_refused(d, c);
}

void add_memory(struct document *d, const struct report_case *c)
{
	struct memory_lines *m = arena_alloc(d->arena, sizeof *m);
	*m = (struct memory_lines){.texts = d->texts, .fonts = d->fonts};
	if (memory_find(m, d->arena, c->analysis, c->memory)) {
		struct figure *f =
			figure_add(d, &memory_figure, arena_printf(d->arena, "%s-memory", c->place),
				said(d, "memory.alt", "title", c->title, NULL), m);
		const char *peaks = peaks_of(d, &c->trace, m);
		const char *bands = "";
		for (int i = 0; i < m->n; i++)
			if (m->line[i].bands)
				bands = said_by(d, "memory.bands.%s",
					memory_asker_name(memory_bands_by(c->memory)));
		document_shows(d, f, peaks + strspn(peaks, " "));
		document_say(d, BLOCK_CAPTION,
			c->trace.snapshot ? "memory.caption.snapshot" : "memory.caption", "peaks",
			peaks, "bands", bands, "clock",
			trace_meta(&c->trace, SNAPSHOT_CLOCK) ? said(d, "memory.no_clock", NULL)
							      : "",
			NULL);
	}
	add_memory_tables(d, c, m);
}

/* Of a snapshot: what has most of it at the peak, in a sentence. */
void add_memory_headline(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	const struct memory_of_device *most = NULL;
	for (int i = 0; i < c->memory->n_devices; i++)
		if (!most || c->memory->device[i].peak_bytes > most->peak_bytes)
			most = &c->memory->device[i];
	if (!most)
		return;
	size_t n;
	const struct memory_holder *h = memory_holders(a, c->memory, most, ASKED_LINE, &n);
	bool named = n && h->name && h->bytes;
	document_say(d, BLOCK_TEXT, named ? "memory.headline.line" : "memory.headline", "of",
		memory_name(d, most->device), "size", size_of(d, most->peak_bytes), "when",
		when(d, &c->trace, most->peak_ns), "held",
		most->reserved_bytes > 0
			? said(d, "memory.held", "size", size_of(d, most->reserved_bytes), NULL)
			: "",
		"line", named ? holder_name(d, &c->trace, h, ASKED_LINE) : "", "share",
		named ? format_share(a, (double)h->bytes / (double)most->peak_bytes) : "", "end",
		size_of(d, most->end_bytes), NULL);
}
