/* SPDX-License-Identifier: Apache-2.0 */
/* Which trace shows what: a numbered list, whose rows lead to Perfetto where it is told from which
 * address the files can be had. */
#include "report/course/parts.h"

#include "base/number_format.h"
#include "report/page/table_builder.h"
#include "report/section/parts.h"

#include <ctype.h>
#include <string.h>

static const struct table_form form = {.size = 8,
	.column = {
		{"", COLUMN_NUMBER}, {"traces.file", .weight = 1}, {"traces.shows", .weight = 1}}};

/* The path below the run's folder, which is the end of it: "matmul_add/64_bf16_cold_eager...". */
static const char *below_folder(const struct run *run, const char *path)
{
	size_t n = strlen(run->folder);
	if (strncmp(path, run->folder, n) != 0)
		return path;
	path += n;
	return path + strspn(path, "/");
}

/* As a part of an address: all but letters, digits, "-._~/:" as %XX (RFC 3986). */
static const char *part_of_address(struct arena *a, const char *text)
{
	char *out = arena_alloc(a, 3 * strlen(text) + 1), *end = out;
	for (const char *p = text; *p; p++)
		if (isalnum((unsigned char)*p) || strchr("-._~/:", *p))
			*end++ = *p;
		else
			end += snprintf(end, 4, "%%%02X", (unsigned char)*p);
	return out;
}

/* What Perfetto is asked to open: an address inside an address, so both layers are escaped. */
static const char *perfetto_link(struct arena *a, const char *folder, const char *path)
{
	size_t n = strlen(folder);
	const char *file = arena_printf(a, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/",
		part_of_address(a, path));
	return arena_printf(a, "https://ui.perfetto.dev/#!/?url=%s", part_of_address(a, file));
}

/* Without its extensions, which all files have. */
static const char *file_of(struct document *d, const char *path)
{
	const char *name = arena_strndup(d->arena, path, strcspn(path, "."));
	if (!d->traces_at)
		return said(d, "traces.name", "path", name, NULL);
	return said(d, "traces.link", "path", name, "address",
		perfetto_link(d->arena, d->traces_at, path), NULL);
}

void section_traces(struct document *d, const struct input *in)
{
	const struct run *run = in->n_runs && in->runs[0].of_matrix ? &in->runs[0] : NULL;
	struct rows t = {0};
	for (int i = 0; run && i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!c->readable)
			continue;
		if (!t.table) {
			document_heading(d, 2, "traces", said(d, "traces.title", NULL));
			document_say(d, BLOCK_TEXT,
				d->traces_at ? "traces.about.linked" : "traces.about", NULL);
			t = rows_begin(d, &form, 0);
		}
		put_count(&t, t.table->n_rows + 1);
		put(&t, file_of(d, below_folder(run, c->trace.path)));
		put(&t,
			said(d, "traces.row", "title", c->title, "size",
				format_si(d->arena, (double)c->trace.file_bytes, "B"), NULL));
	}
}
