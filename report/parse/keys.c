/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/keys.h"

#include <stdlib.h>

static const struct spec {
	const char *key;
	uint8_t level, take, index;
} specs[] = {
	{"ph", LEVEL_TOP, TAKE_PHASE, 0},
	{"cat", LEVEL_TOP, TAKE_CATEGORY, RAW_CATEGORY},
	{"name", LEVEL_TOP, TAKE_TEXT, RAW_NAME},
	{"pid", LEVEL_TOP, TAKE_ID, RAW_PID},
	{"tid", LEVEL_TOP, TAKE_ID, RAW_TID},
	{"ts", LEVEL_TOP, TAKE_TIME, RAW_TS},
	{"dur", LEVEL_TOP, TAKE_TIME, RAW_DUR},
	{"args", LEVEL_TOP, TAKE_ARGS, 0},
	{"id", LEVEL_TOP, TAKE_ID, RAW_ID},
	{"id2", LEVEL_TOP, TAKE_TEXT, RAW_ID_TEXT},
	{"scope", LEVEL_TOP, TAKE_TEXT, RAW_SCOPE},
	{"External id", LEVEL_ARGS, TAKE_ID, RAW_EXTERNAL},
	{"external id", LEVEL_ARGS, TAKE_ID, RAW_EXTERNAL},
	{"correlation", LEVEL_ARGS, TAKE_ID, RAW_CORRELATION},
	{"stream", LEVEL_ARGS, TAKE_INT, RAW_STREAM},
	{"device", LEVEL_ARGS, TAKE_INT, RAW_DEVICE},
	{"context", LEVEL_ARGS, TAKE_INT, RAW_CONTEXT},
	{"registers per thread", LEVEL_ARGS, TAKE_INT, RAW_REGISTERS},
	{"shared memory", LEVEL_ARGS, TAKE_INT, RAW_SHARED},
	{"est. achieved occupancy %", LEVEL_ARGS, TAKE_INT, RAW_OCCUPANCY},
	{"bytes", LEVEL_ARGS, TAKE_INT, RAW_BYTES},
	{"graph node id", LEVEL_ARGS, TAKE_INT, RAW_GRAPH_NODE},
	{"sort_index", LEVEL_ARGS, TAKE_INT, RAW_SORT_INDEX},
	{"Bytes", LEVEL_ARGS, TAKE_INT, RAW_BYTES},
	{"Device Id", LEVEL_ARGS, TAKE_INT, RAW_DEVICE},
	{"Total Allocated", LEVEL_ARGS, TAKE_INT, RAW_ALLOCATED},
	{"Total Reserved", LEVEL_ARGS, TAKE_INT, RAW_RESERVED},
	{"Addr", LEVEL_ARGS, TAKE_INT, RAW_ADDRESS},
	{"In msg nelems", LEVEL_ARGS, TAKE_INT, RAW_IN_ELEMENTS},
	{"Out msg nelems", LEVEL_ARGS, TAKE_INT, RAW_OUT_ELEMENTS},
	{"Group size", LEVEL_ARGS, TAKE_INT, RAW_GROUP_SIZE},
	{"Sequence number", LEVEL_ARGS, TAKE_INT, RAW_SEQUENCE},
	{"Fwd thread id", LEVEL_ARGS, TAKE_INT, RAW_FORWARD_THREAD},
	{"Collective name", LEVEL_ARGS, TAKE_TEXT, RAW_COLLECTIVE},
	{"dtype", LEVEL_ARGS, TAKE_TEXT, RAW_DTYPE},
	{"Process Group Name", LEVEL_ARGS, TAKE_TEXT, RAW_GROUP},
	{"grid", LEVEL_ARGS, TAKE_TRIPLE, RAW_GRID},
	{"block", LEVEL_ARGS, TAKE_TRIPLE, RAW_BLOCK},
	{"blocks per SM", LEVEL_ARGS, TAKE_REAL, RAW_BLOCKS_PER_SM},
	{"warps per SM", LEVEL_ARGS, TAKE_REAL, RAW_WARPS_PER_SM},
	{"memory bandwidth (GB/s)", LEVEL_ARGS, TAKE_REAL, RAW_BANDWIDTH},
	{"Input Dims", LEVEL_ARGS, TAKE_TEXT, RAW_DIMS},
	{"Input dims", LEVEL_ARGS, TAKE_TEXT, RAW_DIMS},
	{"Input type", LEVEL_ARGS, TAKE_TEXT, RAW_TYPES},
	{"Input Strides", LEVEL_ARGS, TAKE_TEXT, RAW_STRIDES},
	{"Concrete Inputs", LEVEL_ARGS, TAKE_TEXT, RAW_CONCRETE},
	{"kind", LEVEL_ARGS, TAKE_TEXT, RAW_KIND},
	{"name", LEVEL_ARGS, TAKE_TEXT, RAW_LABEL},
	{"labels", LEVEL_ARGS, TAKE_TEXT, RAW_LABEL},
};

void event_keys_init(struct event_keys *keys)
{
	*keys = (struct event_keys){0};
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		const struct spec *s = &specs[i];
		char key[LONGEST_KEY + 8] = "";
		size_t n = strlen(s->key);
		memcpy(key, s->key, n);
		struct key_words w = words_of(key, n, s->level);
		unsigned at = slot_of(&w);
		while (keys->slot[at].words.shape)
			at = (at + 1) % KEY_SLOTS;
		keys->slot[at].words = w;
		keys->slot[at].meaning = (struct meaning){.place = (uint16_t)at,
			.take = s->take,
			.index = s->index,
			.level = s->level};
	}
}

/* "\u0070h": decodes plain characters only; every other key is unknown anyway. */
struct meaning key_find_escaped(
	const struct event_keys *keys, const char *key, const char *end, int level)
{
	char plain[LONGEST_KEY + 8] = "";
	size_t n = 0;
	while (key < end && n < LONGEST_KEY) {
		unsigned c = (unsigned char)*key++;
		if (c == '\\' && end - key >= 5 && *key == 'u') {
			char hex[5] = "";
			memcpy(hex, key + 1, 4);
			c = (unsigned)strtoul(hex, NULL, 16);
			key += 5;
		}
		if (c == '\\' || c > 127)
			return key_stranger(0, level);
		plain[n++] = (char)c;
	}
	return key < end ? key_stranger(0, level) : key_find(keys, plain, n, level);
}
