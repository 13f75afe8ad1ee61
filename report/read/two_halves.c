/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Bytes in the middle of the file in which an event must begin. */
enum { LOOK = 1 << 20 };

struct time_parts {
	int64_t offset;
	struct source *source;
	struct part part;
	struct reader reader;
	pthread_t thread;
	bool joined;
};

static int64_t find_event(const struct source *s, int64_t from)
{
	struct source *look = source_split(s, from);
	if (!look)
		return -1;
	char *bytes = xalloc(LOOK);
	size_t n = source_read(look, bytes, LOOK);
	const char *event = resync(bytes, bytes, bytes + n);
	int64_t offset = event ? from + (event - bytes) : -1;
	free(bytes);
	source_close(look);
	return offset;
}

static void *run(void *split)
{
	reader_take_list(&((struct time_parts *)split)->reader, false);
	return NULL;
}

struct time_parts *split_start(
	const struct source *s, int64_t least, size_t chunk, enum scan_path path, size_t memory)
{
	int64_t bytes = source_file_bytes(s);
	int64_t offset = bytes >= least ? find_event(s, bytes / 2) : -1;
	if (offset < 0)
		return NULL;
	struct time_parts *split = xcalloc(1, sizeof *split);
	split->offset = offset;
	split->source = source_split(s, offset);
	part_init(&split->part, reader_rows_expected(bytes - offset));
	reader_init(&split->reader, &split->part, split->source, chunk, offset, path);
	split->reader.memory = memory;
	if (!pthread_create(&split->thread, NULL, run, split))
		return split;
	split->joined = true;
	split_free(split);
	return NULL;
}

int64_t split_offset(const struct time_parts *split)
{
	return split ? split->offset : -1;
}

struct reader *split_join(struct time_parts *split)
{
	if (!split->joined)
		pthread_join(split->thread, NULL);
	split->joined = true;
	return &split->reader;
}

struct source *split_take_source(struct time_parts *split)
{
	struct source *s = split->source;
	split->source = NULL;
	return s;
}

void split_free(struct time_parts *split)
{
	if (!split)
		return;
	atomic_store(&split->reader.stop, true);
	split_join(split);
	reader_release(&split->reader);
	part_release(&split->part);
	source_close(split->source);
	free(split);
}
