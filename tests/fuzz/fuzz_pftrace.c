/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes behind the head of a trace of Perfetto's: refused in one line, or a trace that keeps
 * every rule, and the same from small pieces. */
/* of: report/parse/protobuf.h report/read/pftrace.c report/read/pftrace_args.c */
/* of: report/read/pftrace_clock.c report/read/pftrace_event.c report/read/pftrace_gpu.c */
/* of: report/read/pftrace_intern.c report/read/pftrace_pairs.c report/read/pftrace_tracks.c */
/* max_len: 20000 */
#include "tests/fuzz/fuzz.h"

#include "report/analyse/health.h"
#include "report/read/read.h"
#include "tests/unit/trace_digest.h"

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
	health_of(&t);
	uint64_t digest = trace_digest(&t);
	trace_release(&t);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t chunks[] = {1, 3, 16, 61, 255, 1024};
	fuzz_count(size);
	const char *path = fuzz_file(0, data, size);
	struct err first = {0}, second = {0};
	uint64_t whole =
		read_once(path, (struct read_options){.chunk_bytes = 8192, .threads = 1}, &first);
	if (size / 2 % 16)
		return 0;
	size_t chunk = chunks[size % (sizeof chunks / sizeof *chunks)];
	uint64_t pieces = read_once(path,
		(struct read_options){.chunk_bytes = chunk, .plain = true, .threads = 1}, &second);
	if (whole != pieces || strcmp(first.text, second.text))
		bug("chunk %zu: another trace, or another message", chunk);
	return 0;
}
