/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/process_facts.h"

#include "base/outfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_proc(pid_t pid, const char *what, size_t *length)
{
	enum { LARGEST = 16 << 20 };
	char path[64];
	struct err gone = {0};
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, what);
	return read_small_file(path, LARGEST, length, &gone);
}

bool process_has_torch(pid_t pid)
{
	size_t n;
	char *maps = read_proc(pid, "maps", &n);
	bool has = maps && strstr(maps, "/libtorch_cpu.so");
	free(maps);
	return has;
}
