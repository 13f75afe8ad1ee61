/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_event.h - events that no JSON wrote: what readers of other files make of their records,
 * which go on as if the parser had read them (part_add).
 */
#ifndef REPORT_READ_MADE_EVENT_H
#define REPORT_READ_MADE_EVENT_H

#include "report/parse/learned_form.h"
#include "report/read/columns.h"

struct made_event { /* zeroed, but for: */
	struct part *part;
	struct raw_event raw;
	struct known known[RAW_TEXTS]; /* what the texts of raw are in the part */
};

/* Begins the next; `place` is told where the event is mended. */
static inline void made_begin(struct made_event *m, char phase, const char *place)
{
	m->raw.seen = 0;
	m->raw.noted = m->raw.notes = 0;
	m->raw.phase = phase;
	m->raw.fraction = true; /* stamps are whole nanoseconds */
	m->raw.end = place + strlen(place);
}

/* Gives it a text of the part, 0: none. */
static inline void made_text(struct made_event *m, enum raw_text_of i, uint32_t text)
{
	const struct text_entry *e = &m->part->texts.entry[text];
	if (!text)
		return;
	m->known[i].stamp = 1;
	m->known[i].id = text;
	m->raw.text[i] = (struct raw_text){
		.at = e->text, .n = e->length, .form = e->form, .stamp = 1, .known = &m->known[i]};
	m->raw.seen |= RAW_SEEN_TEXT(i);
}

static inline void made_number(struct made_event *m, enum raw_number i, int64_t value)
{
	m->raw.number[i] = value;
	m->raw.seen |= RAW_SEEN_NUMBER(i);
}

#endif
