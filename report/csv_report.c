/* SPDX-License-Identifier: Apache-2.0 */
#include "report/csv_report.h"

#include "base/outfile.h"
#include "report/section/fact_tables.h"

static void write_head(FILE *f, const struct tables_form *form)
{
	fputs("trace", f);
	for (int c = 0; c < TABLE_COLUMNS && form->column[c].name; c++)
		fprintf(f, ",%s", form->column[c].name);
	fputc('\n', f);
}

static void write_case(FILE *f, const struct tables_form *form, const struct report_case *c)
{
	struct arena own = {0};
	const struct tables_source source = case_facts(&own, c);
	struct result_table t = tables_of(form, &source);
	for (size_t row = 0; row < t.n; row++) {
		csv_text(f, c->id);
		for (int column = 0; column < t.n_columns; column++) {
			fputc(',', f);
			tables_csv_value(f, &t, row, column);
		}
		fputc('\n', f);
	}
	arena_release(&own);
}

const char *csv_report_path(struct arena *a, const char *folder, const struct tables_form *form)
{
	return arena_printf(a, "%s/%s.csv", folder, form->id);
}

int csv_report_write(const struct input *in, const char *folder, struct err *err)
{
	struct arena own = {0};
	int result = make_folders(folder, err);
	for (int i = 0; i < n_result_tables && !result; i++) {
		struct outfile out;
		const char *path = csv_report_path(&own, folder, &result_tables[i]);
		result = outfile_open_unnamed(&out, path, err);
		if (result)
			break;
		write_head(out.f, &result_tables[i]);
		for (const struct report_case *c = NULL; (c = next_case(in, c));)
			if (c->readable)
				write_case(out.f, &result_tables[i], c);
		result = outfile_close(&out, err);
	}
	arena_release(&own);
	return result;
}
