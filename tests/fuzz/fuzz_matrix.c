/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a matrix of experiments: refused in one line, or cases with unique names. */
/* seeds: experiments */
/* max_len: 4096 */
/* of: collect/matrix.c base/config.c base/expectation.c */
#include "tests/fuzz/fuzz.h"

#include "collect/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct matrix m;
	struct err err = {0};
	if (matrix_read(&m, fuzz_file(0, data, size), &err)) {
		fuzz_refused(&err);
		return 0;
	}
	for (size_t i = 0; i < m.n_cases; i++)
		if (matrix_find(&m, m.cases[i].id) != &m.cases[i])
			bug("two cases have the name %s", m.cases[i].id);
	matrix_release(&m);
	return 0;
}
