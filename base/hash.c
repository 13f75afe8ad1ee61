/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

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
