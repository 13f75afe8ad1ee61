/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a log of torch.compile: refused in one line, or every text of it is one. */
/* seeds: tests/fuzz/seeds/compile_log */
/* of: report/read/compile_log.c */
#include "tests/fuzz/fuzz.h"

#include "report/read/compile_log.h"

#include <math.h>

static void check_text(const char *text, bool line)
{
	if (!text || (line && strchr(text, '\n')))
		bug("no text, or more than a line");
}

static void check_log(const struct compile_log *log)
{
	for (int i = 0; i < log->n_compilations; i++) {
		const struct compilation *x = &log->compilation[i];
		check_text(x->id, true);
		check_text(x->function, false);
		check_text(x->file, false);
		check_text(x->because, true);
		check_text(x->failed, true);
		if (!x->function[0] || x->line < 0 || x->ns < 0)
			bug("a compilation of nothing");
	}
	for (int i = 0; i < log->n_breaks; i++) {
		const struct graph_break *x = &log->graph_break[i];
		check_text(x->where, true);
		check_text(x->why, true);
		check_text(x->hint, true);
		if (x->times < 1)
			bug("a break that never was");
	}
	if (log->unread > log->records)
		bug("more unread than read");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compile_logs logs = {0};
	struct err err = {0};
	fuzz_count(size);
	if (compile_logs_read(&logs, fuzz_file(0, data, size), &err))
		fuzz_refused(&err);
	else
		check_log(&logs.log[0]);
	compile_logs_release(&logs);
	return 0;
}
