/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

static uint32_t bad(const char **p)
{
	(*p)++;
	return UTF8_BAD;
}

uint32_t utf8_next_of_any(const char **p)
{
	const unsigned char *s = (const unsigned char *)*p;
	uint32_t c = s[0];
	if (c < 0x80) {
		*p += c != 0;
		return c;
	}
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
	if (c < 0xc2 || c > 0xf4)
		return bad(p);
	c &= 0x3fu >> more;
	for (int i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return bad(p);
		c = c << 6 | (s[i] & 0x3fu);
	}
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return bad(p);
	*p += more + 1;
	return c;
}

int utf8_put(char out[4], uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

bool utf8_is_obeyed(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}
