/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/hash.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t hash_bytes(uint64_t so_far, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	for (size_t i = 0; i < n; i++)
		so_far = (so_far ^ p[i]) * UINT64_C(0x100000001b3);
	return so_far;
}

int hash_file(uint64_t *so_far, const char *path, struct err *err)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return fail_errno(err, "cannot read %s", path);
	char block[16384];
	size_t n;
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		*so_far = hash_bytes(*so_far, block, n);
	int bad = ferror(f);
	fclose(f);
	return bad ? fail(err, "cannot read %s to its end", path) : 0;
}

void hash_text(char text[HASH_TEXT], uint64_t hash)
{
	snprintf(text, HASH_TEXT, "%016" PRIx64, hash);
}
