/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "base/min_max.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const size_t LEAST_LIMIT = 16 << 20, LEAST_TRACE = 4 << 20;

static size_t limit, taken;

/* ---- what a cgroup allows ---- */

/* The number in a file; SIZE_MAX when there is none ("max"). */
static size_t number_in(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long bytes = SIZE_MAX;
	if (f && fscanf(f, "%llu", &bytes) != 1)
		bytes = SIZE_MAX;
	if (f)
		fclose(f);
	return (size_t)bytes;
}

/* The least limit of a group and all above it. Inside of a container the group's own path may not
 * be there, but the top of the tree is then its own. */
static size_t least_of(const char *tree, char *group, const char *file)
{
	size_t bytes = SIZE_MAX;
	for (;;) {
		char path[8192];
		snprintf(path, sizeof path, "%s%s/%s", tree, group, file);
		bytes = min_size(bytes, number_in(path));
		char *slash = strrchr(group, '/');
		if (!slash)
			return bytes;
		*slash = '\0';
	}
}

/* A line of /proc/self/cgroup: "0::/path" of version 2, "9:cpu,memory:/path" of version 1. */
static size_t allowed_by(const char *root, char *line)
{
	char *controllers = strchr(line, ':'),
	     *group = controllers ? strchr(controllers + 1, ':') : NULL;
	char tree[4096];
	if (!group)
		return SIZE_MAX;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	bool v2 = !controllers[1];
	if (!v2 && !strstr(controllers + 1, "memory"))
		return SIZE_MAX;
	snprintf(tree, sizeof tree, "%s/sys/fs/cgroup%s", root, v2 ? "" : "/memory");
	return least_of(tree, group, v2 ? "memory.max" : "memory.limit_in_bytes");
}

static size_t allowed_by_cgroup(const char *root)
{
	char path[4096], line[4096];
	size_t bytes = SIZE_MAX;
	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		bytes = min_size(bytes, allowed_by(root, line));
	if (f)
		fclose(f);
	return bytes;
}

size_t memory_found(const char *root)
{
	size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	return min_size(all, allowed_by_cgroup(root)) / 2;
}

/* ---- the limit ---- */

size_t memory_of_text(const char *text, struct err *err)
{
	static const char units[] = "KMGT";
	char *end;
	double bytes = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end & ~32) : NULL;
	if (unit) {
		bytes *= pow(1024, (double)(unit - units + 1));
		end++;
	}
	if (!strcasecmp(end, "B") || (unit && !strcasecmp(end, "iB")))
		end += strlen(end);
	if (end == text || *end || !(bytes >= (double)LEAST_LIMIT) || bytes > 1e18) {
		fail(err, "\"%s\" is no size of memory from 16M on, like 800M or 4G", text);
		return 0;
	}
	return (size_t)bytes;
}

void memory_limit(size_t bytes)
{
	limit = bytes;
	taken = 0;
}

const char *memory_words(struct arena *a)
{
	bool many = limit >= (size_t)1 << 30;
	return arena_printf(a, "%.4g %s", (double)limit / (double)(1 << (many ? 30 : 20)),
		many ? "GiB" : "MiB");
}

size_t memory_for_trace(void)
{
	if (!limit)
		return SIZE_MAX;
	size_t share = taken < limit ? (limit - taken) / 5 * 2 : 0;
	return max_size(share, LEAST_TRACE);
}

void memory_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void memory_taken(size_t bytes)
{
	taken += bytes + bytes / 2;
}
