/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a memory snapshot: refused in one line, or a trace that keeps every rule, whose
 * blocks sum to what is allocated. */
/* of: report/read/pickle.c report/read/snapshot.c report/read/snapshot_lines.c */
#include "tests/fuzz/fuzz.h"

#include "report/analyse/memory_use.h"
#include "report/read/read.h"
#include "tests/unit/trace_digest.h"

static void check_device(const struct memory_use *use, const struct memory_of_device *d)
{
	struct arena a = {0};
	int64_t sum = 0, blocks = 0;
	size_t n;
	for (int by = 0; by < MEMORY_ASKERS; by++) {
		const struct memory_holder *h =
			memory_holders(&a, use, d, (enum memory_asker)by, &n);
		sum = blocks = 0;
		for (size_t i = 0; i < n; i++) {
			if (h[i].bytes < 0 || h[i].largest > h[i].bytes || h[i].blocks < 0)
				bug("a holder of less than nothing");
			sum += h[i].bytes;
			blocks += h[i].blocks;
		}
		if (use->who[by] && d->known_bytes <= d->peak_bytes && sum != d->peak_bytes)
			bug("%lld of %lld bytes", (long long)sum, (long long)d->peak_bytes);
		if (blocks > d->blocks)
			bug("more blocks than there are");
	}
	if (d->largest_free_bytes > d->free_bytes)
		bug("a piece is larger than all");
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t begun[1 << 16];
	struct trace t;
	struct err err = {0};
	fuzz_count(size);
	if (size > sizeof begun - 2)
		return 0;
	/* All of them begin as a pickle: what does not is the business of another. */
	begun[0] = 0x80;
	begun[1] = 4;
	memcpy(begun + 2, data, size);
	trace_init(&t);
	const char *path = fuzz_file(0, begun, size + 2);
	if (trace_read(&t, path, &(struct read_options){.threads = 1}, &err)) {
		fuzz_refused(&err);
		return 0;
	}
	const char *rule = trace_broken(&t);
	if (rule)
		bug("broken rule: %s", rule);
	struct arena a = {0};
	struct analysis analysis = {.trace = &t};
	struct memory_use use = memory_use_of(&a, &analysis);
	for (int i = 0; i < use.n_devices; i++)
		check_device(&use, &use.device[i]);
	arena_release(&a);
	trace_release(&t);
	return 0;
}
