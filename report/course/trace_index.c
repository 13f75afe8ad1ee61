/* SPDX-License-Identifier: Apache-2.0 */
/* Which trace shows what: a numbered list, whose rows lead to Perfetto where it is told from which
 * address the files can be had. */
#include "report/course/parts.h"

#include "base/number_format.h"
#include "report/page/table_builder.h"
#include "report/section/parts.h"

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

/* Without its extensions, which all files have. */
static const char *file_of(struct document *d, const char *path)
{
	const char *name = arena_strndup(d->arena, path, strcspn(path, "."));
	if (!d->traces_at)
		return said(d, "traces.name", "path", name, NULL);
	size_t n = strlen(d->traces_at);
	return said(d, "traces.link", "path", name, "address",
		arena_printf(d->arena, "https://ui.perfetto.dev/#!/?url=%s%s%s", d->traces_at,
			n && d->traces_at[n - 1] == '/' ? "" : "/", path),
		NULL);
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
