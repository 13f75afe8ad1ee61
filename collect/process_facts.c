/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/process_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 16 << 20 };

/* Files of /proc have no size. */
static char *read_proc(pid_t pid, const char *what, size_t *length)
{
	char path[64];
	size_t n = 0, room = 65536;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	char *text = xalloc(room + 1);
	for (ssize_t got; (got = read(fd, text + n, room - n)) != 0 && n < LARGEST;) {
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
		if (n == room)
			text = xrealloc(text, (room *= 2) + 1, 1);
	}
	close(fd);
	text[n] = '\0';
	*length = n;
	return text;
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

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Sat ..." */
const char *driver_version(struct arena *a)
{
	FILE *f = fopen("/proc/driver/nvidia/version", "re");
	char line[256] = "";
	const char *version = NULL;
	if (f && !fgets(line, sizeof line, f))
		line[0] = '\0';
	if (f)
		fclose(f);
	for (const char *p = strstr(line, "Module"); p && *p;
		p += strcspn(p, " "), p += *p == ' ') {
		size_t n = strspn(p, "0123456789.");
		if (n > 3 && strchr(p, '.') && strchr(p, '.') < p + n) {
			version = arena_strndup(a, p, n);
			break;
		}
	}
	return version;
}
