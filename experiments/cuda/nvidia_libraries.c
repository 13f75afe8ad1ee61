/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/cuda/nvidia_libraries.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct library_wish library_driver = {
	"NVIDIA driver", "TRACEBOOK_CUDA_DRIVER", {"libcuda.so.1"}};
const struct library_wish library_cupti = {"CUPTI (it records what the GPU does)",
	"TRACEBOOK_CUPTI", {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}};
const struct library_wish library_cublaslt = {"cuBLASLt (it multiplies matrices)",
	"TRACEBOOK_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}};
const struct library_wish library_nvrtc = {"NVRTC (it compiles kernels)", "TRACEBOOK_NVRTC",
	{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}};
const struct library_wish library_nvml = {"NVML (it reads clocks and temperatures)",
	"TRACEBOOK_NVML", {"libnvidia-ml.so.1", "libnvidia-ml.so"}};
const struct library_wish library_demangler = {
	"C++ library (it makes names readable)", "TRACEBOOK_LIBSTDCXX", {"libstdc++.so.6"}};

/* ---- where to look ---- */

struct places {
	struct arena *a;
	char **file; /* (n, room) a path, or a bare name for the loader's own search */
	size_t n, room;
};

static void add(struct places *p, const char *file)
{
	if (p->n == p->room) {
		size_t room = p->room ? p->room * 2 : 32;
		char **more = arena_array(p->a, room, sizeof *more);
		if (p->n)
			memcpy(more, p->file, p->n * sizeof *more);
		p->file = more;
		p->room = room;
	}
	p->file[p->n++] = arena_strdup(p->a, file);
}

static void add_folder(struct places *p, const char *folder, const struct library_wish *wish)
{
	for (int i = 0; i < LIBRARY_NAMES && wish->name[i]; i++)
		add(p, arena_printf(p->a, "%s/%s", folder, wish->name[i]));
}

/* Newest first: names with a version sort upwards. */
static void add_folders(struct places *p, const char *pattern, const struct library_wish *wish)
{
	glob_t found;
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = found.gl_pathc; i > 0; i--)
			add_folder(p, found.gl_pathv[i - 1], wish);
	globfree(&found);
}

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static void add_variable(struct places *p, const struct library_wish *wish)
{
	const char *value = getenv(wish->variable);
	if (!value || !*value)
		return;
	if (is_folder(value))
		add_folder(p, value, wish);
	else
		add(p, value);
}

static void add_toolkit(struct places *p, const char *top, const struct library_wish *wish)
{
	static const char *const below[] = {"lib64", "lib", "extras/CUPTI/lib64"};
	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		add_folder(p, arena_printf(p->a, "%s/%s", top, below[i]), wish);
}

static void add_toolkits(struct places *p, const struct library_wish *wish)
{
	static const char *const variable[] = {"CUDA_HOME", "CUDA_PATH"};
	for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
		const char *top = getenv(variable[i]);
		if (top && *top)
			add_toolkit(p, top, wish);
	}
	add_toolkit(p, "/usr/local/cuda", wish);
	add_folders(p, "/usr/local/cuda-*/lib64", wish);
	add_folders(p, "/usr/local/cuda-*/extras/CUPTI/lib64", wish);
}

/* The program itself is not run: its packages lie at a known place beside it. */
static void add_python(struct places *p, const struct library_wish *wish)
{
	char *path = arena_strdup(p->a, getenv("PATH") ? getenv("PATH") : "");
	for (char *folder = path, *end; folder; folder = end) {
		end = strchr(folder, ':');
		if (end)
			*end++ = '\0';
		if (!*folder || access(arena_printf(p->a, "%s/python3", folder), X_OK))
			continue;
		const char *packages = arena_printf(p->a, "%s/../lib/python3*/*-packages", folder);
		add_folders(p, arena_printf(p->a, "%s/nvidia/cu13/lib", packages), wish);
		add_folders(p, arena_printf(p->a, "%s/nvidia/*/lib", packages), wish);
	}
}

static struct places places_of(struct arena *a, const struct library_wish *wish)
{
	struct places p = {.a = a};
	add_variable(&p, wish);
	for (int i = 0; i < LIBRARY_NAMES && wish->name[i]; i++)
		add(&p, wish->name[i]);
	if (wish == &library_driver || wish == &library_nvml) {
		add_folder(&p, "/usr/local/nvidia/lib64", wish);
		add_folder(&p, "/usr/lib/x86_64-linux-gnu", wish);
		add_folder(&p, "/usr/lib/wsl/lib", wish);
	} else if (wish != &library_demangler) {
		add_toolkits(&p, wish);
		add_python(&p, wish);
	}
	return p;
}

const char *library_candidates(struct arena *a, const struct library_wish *wish)
{
	struct places p = places_of(a, wish);
	const char *text = "";
	for (size_t i = 0; i < p.n; i++)
		text = arena_printf(a, "%s%s%s", text, i ? " " : "", p.file[i]);
	return text;
}

/* ---- opening ---- */

static const char *path_of(struct arena *a, void *library, const char *otherwise)
{
	struct link_map *map = NULL;
	if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !map || !map->l_name || !*map->l_name)
		return otherwise;
	return arena_strdup(a, map->l_name);
}

/* A file that is there but does not load says more than one that is not there. */
static int fail_to_find(
	const struct places *p, const struct library_wish *wish, const char *why, struct err *err)
{
	struct arena a = {0};
	const char *list = "";
	for (size_t i = 0; i < p->n; i++)
		list = arena_printf(&a, "%s%s%s", list, i ? ", " : "",
			strchr(p->file[i], '/')
				? p->file[i]
				: arena_printf(&a, "%s on the loader's path", p->file[i]));
	fail(err, "no %s: %s is missing%s%s (looked for %.1500s; %s names another place)",
		wish->about, wish->name[0], why ? ": " : "", why ? why : "", list, wish->variable);
	arena_release(&a);
	return -1;
}

void *library_open(
	struct arena *a, const struct library_wish *wish, const char **path, struct err *err)
{
	struct places p = places_of(a, wish);
	const char *why = NULL;
	for (size_t i = 0; i < p.n; i++) {
		bool bare = !strchr(p.file[i], '/');
		if (!bare && access(p.file[i], F_OK))
			continue;
		void *library = dlopen(p.file[i], RTLD_NOW | RTLD_LOCAL);
		if (library) {
			if (path)
				*path = path_of(a, library, p.file[i]);
			return library;
		}
		if (!bare)
			why = arena_strdup(a, dlerror());
	}
	fail_to_find(&p, wish, why, err);
	return NULL;
}

void *library_function(
	void *library, const struct library_wish *wish, const char *name, struct err *err)
{
	void *function = dlsym(library, name);
	if (!function)
		fail(err, "%s: %s has no function %s; a version of CUDA 13 is wanted", wish->about,
			wish->name[0], name);
	return function;
}
