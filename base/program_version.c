/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program_version.h"
#include "base/min_max.h"

#include "base/verbosity.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <limits.h>
#include <mach-o/dyld.h>
#include <stdlib.h>
#endif

enum { OWN_PATH = 4096 };

/* The program's own file, without links. */
static bool own_path(char *path, size_t size)
{
#ifdef __APPLE__
	char raw[OWN_PATH];
	uint32_t room = sizeof raw;
	return size >= PATH_MAX && !_NSGetExecutablePath(raw, &room) && realpath(raw, path);
#else
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	path[max64(n, 0)] = '\0';
	return n >= 0;
#endif
}

const char *program_folder(struct arena *a, struct err *err)
{
	char path[OWN_PATH];
	if (!own_path(path, sizeof path)) {
		fail_errno(err, "cannot find the program's own folder");
		return NULL;
	}
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return arena_strdup(a, path);
}

const char *program_commit(struct arena *a, const char *folder)
{
	char line[80] = "";
	FILE *f = fopen(arena_printf(a, "%s/../lib/tracebook-commit", folder), "re");
	if (!f)
		return NULL;
	bool read = fgets(line, sizeof line, f) != NULL;
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return read && line[0] ? arena_strdup(a, line) : NULL;
}

void program_print_version(FILE *f, const char *program)
{
	struct arena a = {0};
	struct err unknown = {0};
	const char *folder = program_folder(&a, &unknown);
	const char *commit = folder ? program_commit(&a, folder) : NULL;
	bool within = !strncmp(talk_self(), "tracebook ", 10);
	fprintf(f, "%s%s" TRACEBOOK_VERSION "%s%s\n", within ? "tracebook" : program,
		within ? " " : " (tracebook) ", commit ? ", commit " : "", commit ? commit : "");
	arena_release(&a);
}

void program_print_library(FILE *f, const char *name, const char *version)
{
	fprintf(f, "%s %s\n", name, version);
}
