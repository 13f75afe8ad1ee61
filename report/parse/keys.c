#include "report/parse/keys.h"

#include <stdlib.h>

static const struct spec {
	const char *key;
	uint8_t level, take, index;
} specs[] = {
	{"ph", TOP, TAKE_PHASE, 0},
	{"cat", TOP, TAKE_CATEGORY, RAW_CATEGORY},
	{"name", TOP, TAKE_TEXT, RAW_NAME},
	{"pid", TOP, TAKE_ID, RAW_PID},
	{"tid", TOP, TAKE_ID, RAW_TID},
	{"ts", TOP, TAKE_TIME, RAW_TS},
	{"dur", TOP, TAKE_TIME, RAW_DUR},
	{"args", TOP, TAKE_ARGS, 0},
	{"id", TOP, TAKE_ID, RAW_ID},
	{"id2", TOP, TAKE_TEXT, RAW_ID_TEXT},
	{"scope", TOP, TAKE_TEXT, RAW_SCOPE},
	{"External id", ARGS, TAKE_ID, RAW_EXTERNAL},
	{"external id", ARGS, TAKE_ID, RAW_EXTERNAL},
	{"correlation", ARGS, TAKE_ID, RAW_CORRELATION},
	{"stream", ARGS, TAKE_INT, RAW_STREAM},
	{"device", ARGS, TAKE_INT, RAW_DEVICE},
	{"context", ARGS, TAKE_INT, RAW_CONTEXT},
	{"registers per thread", ARGS, TAKE_INT, RAW_REGISTERS},
	{"shared memory", ARGS, TAKE_INT, RAW_SHARED},
	{"est. achieved occupancy %", ARGS, TAKE_INT, RAW_OCCUPANCY},
	{"bytes", ARGS, TAKE_INT, RAW_BYTES},
	{"graph node id", ARGS, TAKE_INT, RAW_GRAPH_NODE},
	{"sort_index", ARGS, TAKE_INT, RAW_SORT_INDEX},
	{"grid", ARGS, TAKE_TRIPLE, RAW_GRID},
	{"block", ARGS, TAKE_TRIPLE, RAW_BLOCK},
	{"blocks per SM", ARGS, TAKE_REAL, RAW_BLOCKS_PER_SM},
	{"warps per SM", ARGS, TAKE_REAL, RAW_WARPS_PER_SM},
	{"memory bandwidth (GB/s)", ARGS, TAKE_REAL, RAW_BANDWIDTH},
	{"Input Dims", ARGS, TAKE_TEXT, RAW_DIMS},
	{"Input dims", ARGS, TAKE_TEXT, RAW_DIMS},
	{"Input type", ARGS, TAKE_TEXT, RAW_TYPES},
	{"Input Strides", ARGS, TAKE_TEXT, RAW_STRIDES},
	{"Concrete Inputs", ARGS, TAKE_TEXT, RAW_CONCRETE},
	{"kind", ARGS, TAKE_TEXT, RAW_KIND},
	{"name", ARGS, TAKE_TEXT, RAW_LABEL},
	{"labels", ARGS, TAKE_TEXT, RAW_LABEL},
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
