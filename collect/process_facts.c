/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/process_facts.h"

#include "base/outfile.h"

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

/* "__version__ = '2.11.0+cu130'" */
static const char *version_in(struct arena *a, const char *path)
{
	struct err ignored = {0};
	char *text = read_small_file(path, LARGEST, NULL, &ignored);
	const char *at = text ? strstr(text, "__version__ = '") : NULL;
	const char *version = NULL;
	if (at) {
		at += strlen("__version__ = '");
		version = arena_strndup(a, at, strcspn(at, "'\n"));
	}
	free(text);
	return version;
}

/* The folder of the file that is mapped as `library`, from the line that names it; NULL: none. */
static const char *mapped_folder(struct arena *a, const char *maps, const char *library)
{
	const char *found = strstr(maps, library), *line = found;
	while (line && line > maps && line[-1] != '\n')
		line--;
	const char *folder = line ? memchr(line, '/', (size_t)(found - line) + 1) : NULL;
	return folder ? arena_strndup(a, folder, (size_t)(found - folder)) : NULL;
}

/* Where a distribution keeps libraries apart, PyTorch's Python module stands in its folder. */
const char *process_torch(struct arena *a, pid_t pid)
{
	static const char *const libraries[] = {"/lib/libtorch_cpu.so", "/_C.cpython-"};
	size_t n;
	char *maps = read_proc(pid, "maps", &n);
	const char *version = NULL;
	for (int i = 0; i < 2 && maps && strstr(maps, "/libtorch_cpu.so") && !version; i++) {
		const char *folder = mapped_folder(a, maps, libraries[i]);
		version = folder ? version_in(a, arena_printf(a, "%s/version.py", folder)) : NULL;
	}
	free(maps);
	return version;
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
