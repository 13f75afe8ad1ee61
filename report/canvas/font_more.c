/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/canvas/font_more.h"

#include "base/memory.h"

#include <dirent.h>
#include <hb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct other {
	char *path;
	hb_set_t *has;
};

struct font_more {
	struct other *other; /* (n) by name */
	int n;
};

static int is_regular_noto(const struct dirent *e)
{
	static const char begin[] = "NotoSans", end[] = "-Regular.ttf";
	size_t n = strlen(e->d_name);
	return n >= strlen(begin) + strlen(end) && !strncmp(e->d_name, begin, strlen(begin)) &&
		!strcmp(e->d_name + n - strlen(end), end);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static hb_set_t *signs_of(const char *path)
{
	hb_set_t *has = hb_set_create();
	hb_blob_t *blob = hb_blob_create_from_file(path);
	hb_face_t *face = hb_face_create(blob, 0);
	hb_face_collect_unicodes(face, has);
	hb_face_destroy(face);
	hb_blob_destroy(blob);
	return has;
}

static struct font_more *others_of(const char *folder, struct dirent **entry, int n)
{
	struct font_more *more = xcalloc(1, sizeof *more);
	more->other = xcalloc((size_t)n, sizeof *more->other);
	for (int i = 0; i < n; i++) {
		struct other *one = &more->other[more->n++];
		if (asprintf(&one->path, "%s/%s", folder, entry[i]->d_name) < 0)
			abort();
		one->has = signs_of(one->path);
		free(entry[i]);
	}
	return more;
}

struct font_more *font_more_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 1;
	char *folder = xcalloc(length + 1, 1);
	struct dirent **entry = NULL;
	memcpy(folder, slash ? path : ".", length);
	int n = scandir(folder, &entry, is_regular_noto, by_name);
	struct font_more *more = n > 0 ? others_of(folder, entry, n) : NULL;
	free(entry);
	free(folder);
	return more;
}

void font_more_close(struct font_more *more)
{
	for (int i = 0; more && i < more->n; i++) {
		hb_set_destroy(more->other[i].has);
		free(more->other[i].path);
	}
	if (more)
		free(more->other);
	free(more);
}

const char *font_more_with(const struct font_more *more, uint32_t code)
{
	for (int i = 0; more && i < more->n; i++)
		if (hb_set_has(more->other[i].has, code))
			return more->other[i].path;
	return NULL;
}
