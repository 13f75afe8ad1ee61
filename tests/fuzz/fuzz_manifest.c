/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the run.json of a folder with two traces, and of a round `r` of it: refused in one
 * line, or as many cases as it lists, each with its trace or a reason, and all judged. */
/* seeds: tests/golden/host/in */
/* max_len: 6000 */
/* of: report/run/run.c report/run/find_traces.c report/run/manifest.c report/run/place_names.c */
#include "tests/fuzz/fuzz.h"

#include "base/config.h"
#include "report/run/manifest.h"
#include "report/run/run.h"

static const char trace[] =
	"{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":1,"
	"\"dur\":9},{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":2,\"dur\":3,\"args\":{\"correlation\":1}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,"
	"\"tid\":7,\"ts\":6,\"dur\":8,\"args\":{\"correlation\":1,\"stream\":7}}]}";

/* The same folder without a manifest: its traces are looked for. */
static void read_without(const char *path)
{
	struct input in;
	struct err err = {0};
	int n = 0;
	if (input_read(&in, &path, 1, &err))
		bug("%s", err.text);
	for (const struct report_case *c = NULL; (c = next_case(&in, c));)
		n += c->readable;
	if (n != 3)
		bug("%d traces found", n);
	input_release(&in);
}

/* The folder of this process. */
static const char *folder(void)
{
	static char path[96];
	if (!*path) {
		char file[128];
		fuzz_folder(path, "manifest", "b");
		fuzz_folder(path, "manifest", "r");
		static const char *const names[] = {"a.json", "b/b.json.gz", "r/a.json"};
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			snprintf(file, sizeof file, "%s/%s", path, names[i]);
			fuzz_write(file, trace, sizeof trace - 1);
		}
		read_without(path);
	}
	return path;
}

static void read_what_it_names(struct input *in)
{
	struct input base;
	struct err err = {0};
	for (int r = 0; r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		for (int i = 0; i < run->comparisons->n; i++)
			if (!comparison_title(&in->arena, in, run, &run->comparisons->of[i]))
				bug("a comparison without a title");
	}
	if (input_read_against(&base, in, &err))
		fuzz_refused(&err);
	input_release(&base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const paths[] = {folder()};
	char file[128];
	struct input in;
	struct err err = {0};
	snprintf(file, sizeof file, "%s/run.json", paths[0]);
	fuzz_write(file, data, size);
	snprintf(file, sizeof file, "%s/r/run.json", paths[0]);
	fuzz_write(file, data, size);
	if (input_read(&in, paths, 1, &err))
		fuzz_refused(&err);
	else
		read_what_it_names(&in);
	for (struct report_case *c = NULL; (c = next_case(&in, c));)
		if (!c->readable && !strcmp(c->status, "done") && !*c->reason)
			bug("a case without a trace and without a reason");
	input_release(&in);
	return 0;
}
