/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/name/python_line.h"

#include <string.h>

static const char *find(const char *in, size_t n, const char *what)
{
	return n ? memmem(in, n, what, strlen(what)) : NULL;
}

static bool begins(const char *in, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(in, with, strlen(with));
}

bool python_line_is_library(const char *name, size_t n)
{
	static const char of_torch[] = "-packages/torch/";
	const char *packages = find(name, n, "-packages/");
	if (packages)
		return begins(packages, n - (size_t)(packages - name), of_torch);
	return begins(name, n, "<") || begins(name, n, "torch/") || find(name, n, "/lib/python3") ||
		find(name, n, "/lib64/python3");
}

const char *python_line_short(struct arena *a, const char *name)
{
	const char *end = strstr(name, ".py("), *from = end;
	int parts = 0;
	if (!end)
		return name;
	while (from > name && (from[-1] != '/' || ++parts < 2))
		from--;
	return from > name ? arena_strdup(a, from) : name;
}
