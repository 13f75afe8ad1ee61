/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/file_window.h"
#include "base/min_max.h"

#include <stdlib.h>
#include <string.h>

void window_init(struct input_window *w, struct source *source, size_t chunk, int64_t offset)
{
	*w = (struct input_window){.source = source, .chunk = chunk, .end_offset = offset};
	w->room = 2 * chunk;
	w->memory = xalloc(w->room + WINDOW_PAD);
	memset(w->memory, '"', WINDOW_PAD);
	w->p = w->end = w->memory;
}

void window_release(struct input_window *w)
{
	free(w->memory);
	*w = (struct input_window){0};
}

static void make_room(struct input_window *w, size_t kept, size_t wanted)
{
	if (w->room - kept >= wanted) {
		memmove(w->memory, w->p, kept);
		return;
	}
	w->room = kept + wanted;
	char *larger = xalloc(w->room + WINDOW_PAD);
	memcpy(larger, w->p, kept);
	free(w->memory);
	w->memory = larger;
}

void window_stop(struct input_window *w)
{
	w->end_offset = window_offset(w, w->p);
	w->end = w->p = w->memory;
	memset(w->memory, '"', WINDOW_PAD);
	w->eof = true;
}

static void take_bytes(struct input_window *w, char *bytes, size_t kept, size_t n)
{
	memset(bytes + n, '"', WINDOW_PAD);
	w->p = bytes - kept;
	w->end = bytes + n;
	w->end_offset += (int64_t)n;
}

bool window_more(struct input_window *w)
{
	size_t kept = (size_t)(w->end - w->p), n;
	size_t wanted = max_size(kept, w->chunk);
	char *lent = w->eof ? NULL : source_lend(w->source, w->p, kept, wanted, &n);
	if (lent) {
		take_bytes(w, lent, kept, n);
		return true;
	}
	make_room(w, kept, wanted);
	char *to = w->memory + kept;
	n = w->eof ? 0 : source_read(w->source, to, wanted);
	w->eof = !n;
	take_bytes(w, to, kept, n);
	return n > 0;
}
