/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/damage.h"

#include <stddef.h>
#include <string.h>

const char *resync_space(const char *p, const char *end)
{
	for (int most = RESYNC_BACK / 4; p < end && (unsigned char)*p <= ' ' && most; most--)
		p++;
	return p;
}

bool resync_is_key(const char *p, const char *end)
{
	static const char *const keys[] = {
		"\"ph\"",
		"\"cat\"",
		"\"name\"",
		"\"pid\"",
		"\"tid\"",
		"\"ts\"",
		"\"dur\"",
		"\"args\"",
		"\"s\"",
		"\"bp\"",
		"\"tts\"",
		"\"tdur\"",
		"\"cname\"",
		"\"id\"",
		"\"attr\"",
	};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t n = strlen(keys[i]);
		if ((size_t)(end - p) > n && !memcmp(p, keys[i], n)) {
			p = resync_space(p + n, end);
			return p < end && *p == ':';
		}
	}
	return false;
}

bool resync_is_event(const char *p, const char *end)
{
	return p < end && *p == '{' && resync_is_key(resync_space(p + 1, end), end);
}

/* Does it begin with what only events begin with? Args may begin with a name or an id. */
static bool is_surely_event(const char *p, const char *end)
{
	p = resync_space(p + 1, end);
	size_t n = (size_t)(end - p);
	return (n > 4 && !memcmp(p, "\"ph\"", 4)) || (n > 5 && !memcmp(p, "\"cat\"", 5));
}

static bool follows_event(const char *p, const char *begin)
{
	for (int most = RESYNC_BACK / 2; p > begin && (unsigned char)p[-1] <= ' ' && most; most--)
		p--;
	return p > begin && (p[-1] == ',' || p[-1] == '}');
}

const char *resync(const char *from, const char *begin, const char *end)
{
	for (const char *p = from; p < end; p++) {
		p = memchr(p, '{', (size_t)(end - p));
		if (!p)
			return NULL;
		if ((follows_event(p, begin) || is_surely_event(p, end)) && resync_is_event(p, end))
			return p;
	}
	return NULL;
}
