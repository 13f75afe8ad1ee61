/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_tests.h - first include of every test of the cuda device: is there a toolkit to test with?
 * Without one CUDA_TESTS is not defined, and main() below skips. cmocka.h must come last.
 */
#ifndef TESTS_UNIT_CUDA_TESTS_H
#define TESTS_UNIT_CUDA_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __has_include
#if __has_include(<cupti.h>) && __has_include(<cublasLt.h>) && __has_include(<nvrtc.h>)
#define CUDA_TESTS 1
#endif
#endif

#ifndef CUDA_TESTS
#include <cmocka.h>

static void without_a_toolkit(void **state)
{
	(void)state;
	print_message("no CUDA toolkit: the cuda device is not tested\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_a_toolkit)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif

#endif
