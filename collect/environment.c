/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/environment.h"

#include "base/outfile.h"
#include "base/program_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { SMALL_FILE = 4 << 20 };

/* What follows `key` on its line, trimmed of blanks, quotes, '=' and ':'; NULL if absent. */
static const char *value_in(struct arena *a, const char *path, const char *key)
{
	struct err err = {0};
	char *text = read_small_file(path, SMALL_FILE, NULL, &err);
	const char *value = NULL;
	for (char *line = text; line && *line; line = strchr(line, '\n') + 1) {
		size_t n = strcspn(line, "\n");
		if (!strncmp(line, key, strlen(key))) {
			const char *p = line + strlen(key);
			p += strspn(p, " \t=:\"");
			size_t length = (size_t)(line + n - p);
			while (length && strchr(" \t\"", p[length - 1]))
				length--;
			value = arena_strndup(a, p, length);
			break;
		}
		if (!line[n])
			break;
	}
	free(text);
	return value;
}

const char *cpu_name(struct arena *a)
{
	const char *name = value_in(a, "/proc/cpuinfo", "model name");
	return name ? name : "an unnamed CPU";
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Sat ..." */
const char *driver_version(struct arena *a)
{
	const char *line = value_in(a, "/proc/driver/nvidia/version", "NVRM version");
	for (const char *p = line ? strstr(line, "Module") : NULL; p && *p;
		p += strcspn(p, " "), p += *p == ' ') {
		size_t n = strspn(p, "0123456789.");
		if (n > 3 && strchr(p, '.') && strchr(p, '.') < p + n)
			return arena_strndup(a, p, n);
	}
	return NULL;
}

static double meminfo_bytes(const char *key)
{
	struct arena a = {0};
	const char *kib = value_in(&a, "/proc/meminfo", key);
	double bytes = kib ? strtod(kib, NULL) * 1024 : 0;
	arena_release(&a);
	return bytes;
}

double memory_available_bytes(void)
{
	return meminfo_bytes("MemAvailable");
}

const char *now_text(struct arena *a)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[32] = "";
	if (gmtime_r(&now, &tm))
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return arena_strdup(a, text);
}

void environment_add(struct environment *e, const char *name, const char *value)
{
	if (value && *value && e->n < ENVIRONMENT_ROOM) {
		e->fact[e->n].name = name;
		e->fact[e->n].value = value;
		e->n++;
	}
}

/* ---- all of it ---- */

/* "oneDNN 2.6.3" -> the pair oneDNN, 2.6.3 */
static void add_runtime(struct arena *a, struct environment *e, const char *runtime)
{
	const char *blank = strchr(runtime, ' ');
	if (blank)
		environment_add(e, arena_strndup(a, runtime, (size_t)(blank - runtime)),
			arena_strdup(a, blank + 1));
	else
		environment_add(e, "Runtime", arena_strdup(a, runtime));
}

struct environment environment_of(
	struct arena *a, const struct device_info *info, const char *program_folder)
{
	struct environment e = {.cache_bytes = info->cache_bytes};
	struct utsname system;
	const char *cpu = cpu_name(a);
	if (info->is_gpu)
		environment_add(&e, "Device", arena_strdup(a, info->name));
	environment_add(&e, "CPU", cpu);
	environment_add(&e, "Cores", arena_printf(a, "%ld", sysconf(_SC_NPROCESSORS_ONLN)));
	double memory = meminfo_bytes("MemTotal");
	if (memory > 0)
		environment_add(&e, "Memory", arena_printf(a, "%.1f GiB", memory / (1 << 30)));
	environment_add(&e, "Instruction set used", arena_strdup(a, info->isa));
	add_runtime(a, &e, info->runtime);
	for (int i = 0; i < info->n_facts; i++)
		environment_add(&e, info->fact[i].name, info->fact[i].value);
	environment_add(&e, "Threads", info->threads ? arena_printf(a, "%d", info->threads) : NULL);
	environment_add(&e, "Operating system", value_in(a, "/etc/os-release", "PRETTY_NAME"));
	if (!uname(&system))
		environment_add(
			&e, "Kernel", arena_printf(a, "%s %s", system.sysname, system.release));
	environment_add(&e, "Compiler", "gcc " __VERSION__);
	environment_add(&e, "tracebook commit", program_commit(a, program_folder));
	return e;
}
