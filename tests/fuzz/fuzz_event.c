/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes behind a brace, as one event: every path of the parser finds the same, once unlearned
 * and once by what it learned of those before, and nothing that it gives lies outside; what mends
 * events and what looks for the next one stay inside too. */
/* max_len: 400 */
/* of: report/parse/event.c report/parse/mend.c report/parse/resync.c report/parse/number.c */
#include "tests/fuzz/fuzz.h"

#include "report/parse/damage.h"

enum { PATHS = SCAN_AVX512 + 1, PAD = 256 }; /* WINDOW_PAD */

/* Whose bit says that this number is there. */
static int bit_of(int number)
{
	return number >= RAW_BLOCK ? RAW_BLOCK : number >= RAW_GRID ? RAW_GRID : number;
}

static bool same(const struct raw_event *a, const struct raw_event *b)
{
	bool same = a->seen == b->seen && a->noted == b->noted && a->notes == b->notes &&
		a->phase == b->phase && a->fraction == b->fraction && a->end == b->end;
	for (int i = 0; i < RAW_NUMBERS; i++)
		same &= !(a->seen & RAW_SEEN_NUMBER(bit_of(i))) || a->number[i] == b->number[i];
	for (int i = 0; i < RAW_REALS; i++)
		same &= !(a->seen & RAW_SEEN_REAL(i)) ||
			!memcmp(&a->real[i], &b->real[i], sizeof a->real[i]);
	for (int i = 0; i < RAW_TEXTS; i++)
		same &= !(a->seen & RAW_SEEN_TEXT(i)) ||
			(a->text[i].at == b->text[i].at && a->text[i].n == b->text[i].n &&
				a->text[i].form == b->text[i].form);
	return same;
}

static void check_inside(const struct raw_event *raw, const char *text, const char *end)
{
	if (raw->end <= text || raw->end > end)
		bug("an event ends outside of the window");
	for (int i = 0; i < RAW_TEXTS; i++)
		if (raw->seen & RAW_SEEN_TEXT(i) &&
			(raw->text[i].at < text || raw->text[i].at + raw->text[i].n > end))
			bug("text %d lies outside of the window", i);
	for (uint32_t left = raw->noted; left; left &= left - 1) {
		const char *at = raw->note[__builtin_ctz(left)].at;
		if (at < text || at > end)
			bug("a repair lies outside of the window");
	}
}

static enum parsed parse_every_way(
	const char *text, const char *end, bool last, struct raw_event *plain)
{
	static struct event_parser *parser[PATHS];
	if (!parser[0])
		for (int path = 0; path < PATHS; path++)
			parser[path] = event_parser_new((enum scan_path)path);
	enum parsed parsed = event_parse(parser[SCAN_PLAIN], text, end, last, plain);
	for (int i = SCAN_SSE2; i <= PATHS; i++) { /* one path once more, of what it learned */
		int path = i < PATHS ? i : SCAN_SSE2 + (int)((end - text) % (PATHS - SCAN_SSE2));
		struct raw_event raw = {0};
		enum parsed other = event_parse(parser[path], text, end, last, &raw);
		if (other != parsed || (parsed == PARSED && !same(&raw, plain)))
			bug("path %d: another event", path);
	}
	return parsed;
}

static void mend(const char *text, const char *end)
{
	static struct mended m;
	struct raw_event raw = {0};
	for (const char *at = text; (at = resync(at + 1, text, end));)
		if (at <= text || at >= end || *at != '{')
			bug("an event begins outside of the window");
	if (mend_event(&m, text, end, true) != PARSED)
		return;
	if (!m.taken || m.taken > (size_t)(end - text))
		bug("mended more than there is");
	parse_every_way(m.text, m.text + m.n, true, &raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xalloc(size + 1 + PAD), *end = text + 1 + size;
	struct raw_event raw = {0};
	text[0] = '{';
	if (size)
		memcpy(text + 1, data, size);
	memset(end, '"', PAD);
	if (parse_every_way(text, end, true, &raw) == PARSED) {
		struct raw_text key;
		double value;
		check_inside(&raw, text, end);
		if (event_counter(text, raw.end, &key, &value) &&
			(key.at < text || key.at + key.n > end))
			bug("a counter lies outside of the window");
	}
	parse_every_way(text, end, false, &raw);
	mend(text, end);
	free(text);
	return 0;
}
