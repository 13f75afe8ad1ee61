/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a database of SQLite: refused in one line, or a trace that keeps every rule. So that
 * a whole one is short, zeros are packed: behind a 0 stands how many there are, or, from 128 on,
 * that they go on to the end of the page. */
/* of: report/read/nsys.c report/read/nsys_metrics.c report/read/nsys_names.c */
/* of: report/read/nsys_ranges.c report/read/nsys_rows.c */
/* max_len: 4096 */
#include "tests/fuzz/fuzz.h"

#include "report/analyse/health.h"
#include "report/read/read.h"
#include "tests/unit/trace_digest.h"

enum { PAGE = 512, MOST = 1 << 17, MAGIC = 16 };

/* The database, which begins as one. */
static size_t unpack(uint8_t to[MOST + PAGE], const uint8_t *data, size_t size)
{
	size_t n = MAGIC;
	memset(to, 0, MOST + PAGE);
	memcpy(to, "SQLite format 3", MAGIC);
	for (size_t i = 0; i < size && n < MOST; i++) {
		to[n++] = data[i];
		if (data[i] || i + 1 == size)
			continue;
		n += data[++i] < 128 ? data[i] : (PAGE - n % PAGE) % PAGE;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t database[MOST + PAGE];
	static char path[128];
	struct trace t;
	struct err err = {0};
	fuzz_count(size);
	if (!*path) { /* SQLite asks where a link leads, so it is no file of memory alone */
		char folder[96];
		fuzz_folder(folder, "nsys", "");
		snprintf(path, sizeof path, "%s/a.sqlite", folder);
	}
	fuzz_write(path, database, unpack(database, data, size));
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){.threads = 1}, &err)) {
		fuzz_refused(&err);
		return 0;
	}
	const char *rule = trace_broken(&t);
	if (rule)
		bug("broken rule: %s", rule);
	health_of(&t);
	trace_digest(&t);
	trace_release(&t);
	return 0;
}
