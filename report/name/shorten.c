/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/shorten.h"
#include "base/min_max.h"

#include <stdbool.h>
#include <string.h>

/* Copies name without what stands in <...> and (...). */
static char *without_brackets(struct arena *a, const char *name)
{
	char *text = arena_alloc(a, strlen(name) + 1), *to = text;
	int depth = 0;
	for (const char *p = name; *p; p++) {
		if (*p == '<' || *p == '(')
			depth++;
		else if ((*p == '>' || *p == ')') && depth)
			depth--;
		else if (!depth)
			*to++ = *p;
	}
	return text;
}

static void cut_suffix(char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);
	if (n > m && !strcmp(text + n - m, suffix))
		text[n - m] = '\0';
}

/* CUTLASS names all its products "cutlass::Kernel<what it is>(...)". */
static const char *inside_wrapper(struct arena *a, const char *name)
{
	static const char *const wrappers[] = {"cutlass::Kernel<", "cutlass::Kernel2<"};
	for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
		const char *at = strstr(name, wrappers[i]);
		if (!at)
			continue;
		at += strlen(wrappers[i]);
		size_t n = strcspn(at, "<>,");
		if (n)
			return arena_strndup(a, at, n);
	}
	return NULL;
}

const char *shorten_name(struct arena *a, const char *name)
{
	const char *inside = inside_wrapper(a, name);
	if (inside)
		return inside;
	if (!strncmp(name, "Memcpy ", 7) || !strncmp(name, "Memset", 6)) {
		char *direction = arena_strndup(a, name, strcspn(name, "("));
		cut_suffix(direction, " ");
		return direction;
	}
	if (!strncmp(name, "ProfilerStep#", 13) || !strncmp(name, "## ", 3))
		return name;
	char *text = without_brackets(a, name);
	char *colons = NULL;
	for (char *p = text; (p = strstr(p, "::")); p += 2)
		colons = p + 2;
	char *short_name = colons ? colons : text;
	if (!strncmp(short_name, "void ", 5))
		short_name += 5;
	bool implementation = !colons && strchr(short_name, ':') && strrchr(short_name, ' ');
	if (implementation)
		short_name = strrchr(short_name, ' ') + 1;
	cut_suffix(short_name, " ");
	cut_suffix(short_name, "_kernel");
	return short_name[strspn(short_name, " ")] ? short_name : name;
}

const char *without_address(struct arena *a, const char *name)
{
	static const char at_0x[] = " at 0x";
	const char *at = strstr(name, at_0x);
	const char *digits = at ? at + sizeof at_0x - 1 : NULL;
	size_t n = digits ? strspn(digits, "0123456789abcdefABCDEF") : 0;
	return n ? arena_printf(a, "%.*s%s", (int)(at - name), name, digits + n) : name;
}

const char *tidy_name(struct arena *a, const char *name)
{
	static const char *const noise[] = {"at::native::", "(anonymous namespace)::", "void "};
	name = without_address(a, name);
	char *text = arena_alloc(a, strlen(name) + 1), *to = text;
	for (const char *p = name; *p;) {
		size_t skip = 0;
		for (size_t i = 0; i < sizeof noise / sizeof *noise && !skip; i++)
			if (!strncmp(p, noise[i], strlen(noise[i])) && (i < 2 || p == name))
				skip = strlen(noise[i]);
		if (!skip)
			*to++ = *p++;
		p += skip;
	}
	return text[0] ? text : name;
}

const char *brief_name(struct arena *a, const char *name)
{
	enum { LONGEST = 60 };
	if (strlen(name) <= LONGEST)
		return name;
	name = shorten_name(a, name);
	if (strlen(name) <= LONGEST)
		return name;
	size_t n = LONGEST;
	while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--;
	return arena_printf(a, "%.*s…", (int)n, name);
}

static bool goes_on(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t begin_of(const char *text, size_t letters)
{
	size_t n = 0;
	while (text[n] && letters--)
		for (n++; goes_on(text[n]); n++)
			;
	return n;
}

/* As many bytes as two texts have in common; 0 of equal ones. */
static size_t in_common(const char *one, const char *other)
{
	size_t n = 0;
	while (one[n] && one[n] == other[n])
		n++;
	return one[n] || other[n] ? n : 0;
}

const char *tell_apart(
	struct arena *a, const char *const *name, size_t n, size_t which, size_t letters)
{
	enum { BEGIN = 10, BEFORE = 4 };
	const char *text = name[which];
	size_t part = 0;
	for (size_t i = 0; i < n; i++) {
		size_t at = in_common(name[i], text);
		part = max_size(at, part);
	}
	size_t begin = begin_of(text, BEGIN), seen = begin_of(text, letters);
	if (!text[seen] || part < seen || part < begin + BEFORE)
		return text;
	part -= BEFORE;
	while (part > begin && goes_on(text[part]))
		part--;
	return arena_printf(a, "%.*s…%s", (int)begin, text, text + part);
}
