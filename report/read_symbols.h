/*
 * read_symbols.h - the inner loop of inflating: symbols into bytes.
 */
#ifndef REPORT_READ_SYMBOLS_H
#define REPORT_READ_SYMBOLS_H

#include "report/read_bits.h"
#include "report/read_huffman.h"

/* Most bytes that one symbol makes, and most that are written behind them. */
enum { LONGEST_MATCH = 258, WRITTEN_BEHIND = 16 };

struct symbols {
	huffman_entry literals[LITERAL_ENTRIES], distances[DISTANCE_ENTRIES];
};

/* Bytes being made. */
struct making {
	unsigned char *out,
		*limit; /* up to LONGEST_MATCH + WRITTEN_BEHIND bytes may go behind it */
	const unsigned char *lowest; /* bytes from here on may be repeated */
};

enum decoded {
	DECODED_FULL, /* the limit is reached */
	DECODED_LOW, /* input runs low: fetch more */
	DECODED_END, /* of the block */
	DECODED_CUT, /* the input ends inside a symbol */
	DECODED_DAMAGED
};

/* Decodes until something comes up. `last`: nothing comes behind the input. */
enum decoded symbols_decode(const struct symbols *s, struct bits *b, struct making *m, bool last);

#endif
