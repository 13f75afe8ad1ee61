/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as gzip data: the same whether they come whole or in small pieces, and as from
 * zlib, and what is sound for zlib is so for us. */
/* max_len: 512 */
/* of: report/parse/gzip.c report/parse/inflate.c */
#include "tests/fuzz/fuzz.h"

#define INFLATED_ROOM(n) (1032 * (n) + 64) /* deflate makes at most 1032 bytes of one */
#include "tests/unit/inflated.h"

/* Where damage is noticed is the library's own business; what came before it is not. ISA-L looks up
 * as many as three literals at once: of those in front of a cut it may hold two back. */
static void compare(const struct inflated *a, const struct inflated *b, const char *with)
{
	enum { HELD_BACK = 2 };
	bool damaged = a->trouble == SOURCE_DAMAGED || b->trouble == SOURCE_DAMAGED;
	size_t least = a->n < b->n ? a->n : b->n;
	if (memcmp(a->bytes, b->bytes, least))
		bug("%s: other bytes", with);
	bool other_members = a->bad.n != b->bad.n || a->bad.offset != b->bad.offset;
	bool cut = a->trouble == SOURCE_CUT; /* maybe between a wrong checksum and the length */
	bool as_many = a->n == b->n || (cut && a->n < b->n && b->n - a->n <= HELD_BACK);
	if (!damaged && (!as_many || a->trouble != b->trouble || (!cut && other_members)))
		bug("%s: %zu bytes and trouble %d, not %zu and %d", with, a->n, (int)a->trouble,
			b->n, (int)b->trouble);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inflated whole = inflate_all(data, size, size + 1),
			pieces = inflate_all(data, size, size % 7 + 1),
			zlibs = inflate_by_zlib(data, size);
	compare(&whole, &pieces, "in pieces");
	compare(&whole, &zlibs, "by zlib");
	if (zlibs.trouble == SOURCE_SOUND && whole.trouble != SOURCE_SOUND)
		bug("sound for zlib alone"); /* for us alone: the checksum of a header is wrong */
	free(whole.bytes);
	free(pieces.bytes);
	free(zlibs.bytes);
	return 0;
}
