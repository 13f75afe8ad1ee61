/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of expectations, held against a good trace: refused in one line, or every
 * expectation gets a verdict. */
/* seeds: tests/fuzz/seeds/expect */
/* of: report/run/expectations.c base/expectation.c base/config.c */
#include "tests/fuzz/fuzz.h"

#include "report/judge/judge.h"
#include "report/run/expectations.h"

static void check_verdicts(const struct verdicts *v)
{
	int n = 0;
	for (int i = 0; i < v->n; i++)
		n += v->verdict[i].state == VERDICT_KEPT || v->verdict[i].state == VERDICT_BROKEN;
	if (n != v->kept + v->broken)
		bug("%d verdicts, %d kept and %d broken", n, v->kept, v->broken);
}

static void judge_by(const char *path)
{
	static const char *const traces[] = {
		"tests/golden/kineto/in/trace.json", "tests/golden/cut/in/b_cut.json"};
	struct expectations e = {0};
	struct err err = {0};
	struct input in = {0};
	if (expectations_read(&e, path, &err)) {
		fuzz_refused(&err);
		expectations_release(&e);
		return;
	}
	if (input_read_as(&in, traces, 2, &(struct reading){.settings = &e.settings}, &err))
		bug("%s", err.text);
	if (expectations_apply(&e, &in, &err))
		fuzz_refused(&err);
	else
		for (int i = 0; i < in.runs[0].n_cases; i++)
			check_verdicts(in.runs[0].cases[i].verdicts);
	input_release(&in);
	expectations_release(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	judge_by(fuzz_file(0, data, size));
	return 0;
}
