/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: refused in one line, or a trace that keeps every rule; and, of one length in
 * sixteen, the same trace from the plain path in small pieces as from the vector paths, the learned
 * literals and two threads; of another sixteenth, a part of it. */
/* seeds: tests/data/read */
/* of: report/parse report/read report/trace base/input.c */
#include "tests/fuzz/fuzz.h"

#include "report/analyse/health.h"
#include "report/read/narrow.h"
#include "report/read/read.h"
#include "tests/unit/trace_digest.h"

/* The digest, or 1 when the bytes were refused. */
static uint64_t read_once(const char *path, struct read_options options, struct err *err)
{
	struct trace t;
	trace_init(&t);
	if (trace_read(&t, path, &options, err)) {
		fuzz_refused(err);
		return 1;
	}
	const char *rule = trace_broken(&t);
	if (rule)
		bug("broken rule: %s", rule);
	struct health h = health_of(&t);
	if (h.repairs < h.lost || h.device_events < h.orphans.n || h.launches < h.idle_launches.n)
		bug("health does not add up");
	uint64_t digest = trace_digest(&t);
	trace_release(&t);
	return digest;
}

/* A part of it keeps every rule, too; which part, the length tells. */
static void read_part(const char *path, size_t size)
{
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	if (!trace_read(&t, path, &(struct read_options){.threads = 1, .file_order = true}, &err)) {
		struct trace_part part = NO_PART;
		part.from_ns = t.end_ns / 8 * (int64_t)(size % 8);
		part.to_ns = size & 8 ? INT64_MAX : part.from_ns + t.end_ns / 4 + 1;
		size_t n = t.n;
		err = (struct err){0};
		if (trace_narrow(&t, &part, &err))
			fuzz_refused(&err);
		if (t.n > n || !t.n != !n || trace_broken(&t))
			bug("a part of %zu of %zu rows breaks a rule", t.n, n);
		trace_digest(&t);
	}
	trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t chunks[] = {1, 3, 16, 61, 255, 1024};
	fuzz_count(size);
	const char *path = fuzz_file(0, data, size);
	struct err first = {0}, second = {0}, third = {0};
	size_t chunk = chunks[size % (sizeof chunks / sizeof *chunks)];
	uint64_t fast =
		read_once(path, (struct read_options){.chunk_bytes = 8192, .threads = 1}, &first);
	if (size / 2 % 16 == 1)
		read_part(path, size);
	if (size / 2 % 16)
		return 0;
	uint64_t plain = read_once(path,
		(struct read_options){.chunk_bytes = chunk, .plain = true, .threads = 1}, &second);
	uint64_t both = read_once(path,
		(struct read_options){
			.chunk_bytes = chunk, .vector_bytes = size & 1 ? 16 : 32, .threads = 2},
		&third);
	if (fast != plain || fast != both || strcmp(first.text, second.text) ||
		strcmp(first.text, third.text))
		bug("chunk %zu: another trace, or another message", chunk);
	return 0;
}
