/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden_file.h - a dump is the text of a file, which is written anew with TRACEBOOK_UPDATE set.
 */
#ifndef TESTS_UNIT_GOLDEN_FILE_H
#define TESTS_UNIT_GOLDEN_FILE_H

#include "base/outfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline void assert_golden(const char *path, const char *text)
{
	struct err err = {0};
	size_t n;
	if (getenv("TRACEBOOK_UPDATE")) {
		FILE *out = fopen(path, "wb");
		assert_non_null(out);
		fputs(text, out);
		fclose(out);
	}
	char *golden = read_small_file(path, 1 << 20, &n, &err);
	if (!golden)
		fail_msg("%s: run the tests from the top of the project", err.text);
	assert_string_equal(text, golden);
	free(golden);
}

#endif
