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

static long number_in(const char *environment, size_t n, const char *name)
{
	size_t m = strlen(name);
	for (const char *v = environment; v < environment + n; v += strlen(v) + 1)
		if (!strncmp(v, name, m) && v[m] == '=' && v[m + 1] >= '0' && v[m + 1] <= '9')
			return strtol(v + m + 1, NULL, 10);
	return -1;
}

void process_rank(pid_t pid, long *rank, long *world)
{
	static const struct {
		const char *rank, *world;
	} launchers[] = {{"RANK", "WORLD_SIZE"}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
		{"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
	size_t n;
	char *environment = read_proc(pid, "environ", &n);
	*rank = *world = -1;
	for (size_t i = 0; environment && i < sizeof launchers / sizeof *launchers; i++) {
		long r = number_in(environment, n, launchers[i].rank);
		long w = number_in(environment, n, launchers[i].world);
		if (r < 0 || w < 2)
			continue;
		*rank = r;
		*world = w;
		break;
	}
	free(environment);
}

bool process_has_torch(pid_t pid)
{
	size_t n;
	char *maps = read_proc(pid, "maps", &n);
	bool has = maps && strstr(maps, "/libtorch_cpu.so");
	free(maps);
	return has;
}
