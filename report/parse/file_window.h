/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_window.h - a moving view of a file: the bytes that are being read, and room to look ahead.
 *
 * [p, end) are the unread bytes; WINDOW_PAD quotes follow them, so that scanning loops need no
 * bounds. window_more() moves the unread bytes to the front of the memory and reads behind them, or
 * to the front of what was inflated, which is not copied then; so pointers into the window are void
 * after it. Memory grows only when one value is larger than it.
 */
#ifndef REPORT_PARSE_FILE_WINDOW_H
#define REPORT_PARSE_FILE_WINDOW_H

#include "report/parse/source.h"

enum { WINDOW_PAD = SOURCE_PAD, WINDOW_CHUNK = 256 * 1024 };

struct input_window {
	struct source *source; /* lent */
	char *memory;
	size_t room; /* bytes of memory without the pad */
	size_t chunk; /* bytes read at once, at least */
	const char *p, *end;
	int64_t end_offset; /* where `end` stands in the (inflated) file */
	bool eof;
};

/* An empty window on a source that stands at `offset` of its file; `chunk` bytes are read at once.
 * The source must outlive it. */
void window_init(struct input_window *w, struct source *source, size_t chunk, int64_t offset);
void window_release(struct input_window *w);

/* Reads on behind the unread bytes: at least one more, at most max(chunk, end - p). False at the
 * end of the file. */
bool window_more(struct input_window *w);

/* Nothing more is read: the unread bytes are given up, and the file is as if it ended there. */
void window_stop(struct input_window *w);

static inline int64_t window_offset(const struct input_window *w, const char *p)
{
	return w->end_offset - (w->end - p);
}

#endif
