/* SPDX-License-Identifier: Apache-2.0 */
/* A line of what is asked for ("from to step range rank" with tabs between them), then any bytes as
 * a trace: that part of it is refused in one line, or keeps every rule; and of one length in four
 * what
 * --cut writes of it is a trace, too, which says that it is that part. */
/* of: report/run/part_of_trace.c report/read/narrow.c report/read/cut.c */
/* of: report/read/cut_flows.c */
#include "tests/fuzz/fuzz.h"

#include "report/read/cut.h"
#include "report/read/read.h"
#include "report/run/part_of_trace.h"
#include "tests/unit/trace_digest.h"

#include <cjson/cJSON.h>

enum { ASKED = 5 };

/* The first line as texts, NULL where nothing stands; what is behind it. */
static const uint8_t *split(char *line, const uint8_t *data, size_t size, const char *asked[ASKED])
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t n = end ? (size_t)(end - data) : size;
	for (size_t i = 0; i < n; i++)
		line[i] = (char)data[i];
	line[n] = '\0';
	for (int i = 0; i < ASKED; i++) {
		char *field = strsep(&line, "\t");
		asked[i] = field && *field ? field : NULL;
	}
	return end ? end + 1 : data + size;
}

static bool is_whole(const struct trace *t)
{
	return !t->n_repairs && !t->ends_early;
}

static bool is_json(const char *path)
{
	size_t n;
	struct err err = {0};
	char *text = read_small_file(path, 1 << 24, &n, &err);
	cJSON *json = text ? cJSON_ParseWithOpts(text, NULL, true) : NULL;
	cJSON_Delete(json);
	free(text);
	return json;
}

/* A cut of JSON that had nothing to mend has as many rows. */
static void check_cut(const struct trace *t, const char *path)
{
	struct trace cut;
	struct err err = {0};
	if (!is_json(path))
		bug("a part that is no JSON");
	trace_init(&cut);
	if (trace_read(&cut, path, &(struct read_options){.threads = 1}, &err)) {
		if (is_whole(t))
			bug("a part that cannot be read: %s", err.text);
		return;
	}
	const char *rule = trace_broken(&cut);
	if (rule)
		bug("a part breaks a rule: %s", rule);
	if (is_whole(t) && cut.n != t->n && is_json(t->path))
		bug("%zu rows of %zu", cut.n, t->n);
	if (!cut.part.of)
		bug("a part that says nothing");
	trace_release(&cut);
}

static void write_cut(const struct trace *t)
{
	static char path[128];
	struct err err = {0};
	if (!*path) {
		char folder[96];
		fuzz_folder(folder, "part", "");
		snprintf(path, sizeof path, "%s/cut.json", folder);
	}
	if (cut_check(t, path, &err) || cut_write(t, path, &err))
		fuzz_refused(&err);
	else
		check_cut(t, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = xalloc(size + 1);
	const char *asked[ASKED];
	struct trace t;
	struct err err = {0};
	fuzz_count(size);
	const uint8_t *text = split(line, data, size, asked);
	struct part_of_trace part = {.from = asked[0],
		.to = asked[1],
		.step = asked[2],
		.range = asked[3],
		.rank = asked[4],
		.cut = size / 2 % 4 == 0};
	const char *path = fuzz_file(0, text, size - (size_t)(text - data));
	bool asks = !part_of_trace_parse(&part, &err);
	trace_init(&t);
	if (!asks)
		trace_release(&t);
	if (!asks ||
		trace_read(
			&t, path, &(struct read_options){.threads = 1, .file_order = true}, &err)) {
		fuzz_refused(&err);
		free(line);
		return 0;
	}
	bool taken = part.some && !part_of_trace_take(&t, &part, &err);
	if (part.some && !taken)
		fuzz_refused(&err);
	const char *rule = trace_broken(&t);
	if (rule)
		bug("broken rule: %s", rule);
	trace_digest(&t);
	if (taken && part.cut)
		write_cut(&t);
	trace_release(&t);
	free(line);
	return 0;
}
