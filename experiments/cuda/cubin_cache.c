/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cubin_cache.h"

#include "base/hash.h"
#include "base/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

static void first_line(char *line, size_t room, const struct cubin_key *key)
{
	snprintf(line, room, "tracebook kernel 1, NVRTC %d.%d, sm_%d, %zu bytes of source\n",
		key->major, key->minor, key->capability, strlen(key->source));
}

uint64_t cubin_hash(const struct cubin_key *key)
{
	char line[128];
	first_line(line, sizeof line, key);
	uint64_t hash = hash_bytes(HASH_START, line, strlen(line));
	return hash_bytes(hash, key->source, strlen(key->source));
}

const char *cubin_folder(struct arena *a)
{
	const char *own = getenv("TRACEBOOK_CACHE"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	if (own)
		return *own ? arena_printf(a, "%s/cuda", own) : NULL;
	if (cache && *cache)
		return arena_printf(a, "%s/tracebook/cuda", cache);
	return home && *home ? arena_printf(a, "%s/.cache/tracebook/cuda", home) : NULL;
}

static const char *file_of(struct arena *a, const struct cubin_key *key)
{
	const char *folder = cubin_folder(a);
	return folder ? arena_printf(a, "%s/%016" PRIx64 ".kernel", folder, cubin_hash(key)) : NULL;
}

/* The head of a file that fits the key: its line, and the source. */
static char *head_of(const struct cubin_key *key, size_t *n)
{
	char line[128];
	first_line(line, sizeof line, key);
	size_t n_line = strlen(line), n_source = strlen(key->source);
	char *head = xalloc(n_line + n_source);
	memcpy(head, line, n_line);
	memcpy(head + n_line, key->source, n_source);
	*n = n_line + n_source;
	return head;
}

/* Behind the head: hash of the code, then the code. */
static bool take_code(const char *at, size_t n, struct rtc_code *code)
{
	uint64_t hash;
	if (n <= sizeof hash)
		return false;
	memcpy(&hash, at, sizeof hash);
	code->n = n - sizeof hash;
	if (hash != hash_bytes(HASH_START, at + sizeof hash, code->n))
		return false;
	code->bytes = xalloc(code->n);
	memcpy(code->bytes, at + sizeof hash, code->n);
	return true;
}

bool cubin_recall(const struct cubin_key *key, struct rtc_code *code)
{
	struct arena a = {0};
	struct err ignored = {0};
	size_t n = 0, n_head = 0;
	const char *path = file_of(&a, key);
	char *head = head_of(key, &n_head);
	char *file = path ? read_small_file(path, LARGEST_FILE, &n, &ignored) : NULL;
	*code = (struct rtc_code){0};
	bool found = file && n > n_head && !memcmp(file, head, n_head) &&
		take_code(file + n_head, n - n_head, code);
	free(file);
	free(head);
	arena_release(&a);
	return found;
}

void cubin_keep(const struct cubin_key *key, const struct rtc_code *code)
{
	struct arena a = {0};
	struct err ignored = {0};
	struct outfile out;
	size_t n_head;
	const char *path = file_of(&a, key);
	uint64_t hash = hash_bytes(HASH_START, code->bytes, code->n);
	if (path && !outfile_open(&out, path, &ignored)) {
		char *head = head_of(key, &n_head);
		fwrite(head, 1, n_head, out.f);
		fwrite(&hash, sizeof hash, 1, out.f);
		fwrite(code->bytes, 1, code->n, out.f);
		outfile_close(&out, &ignored);
		free(head);
	}
	arena_release(&a);
}
