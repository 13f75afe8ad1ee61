/* SPDX-License-Identifier: Apache-2.0 */
/* Mangled names: what a reader sees, what stays, and what is not followed. */
#include "report/name/demangle.h"
#include "report/name/shorten.h"
#include "report/read/read.h"
#include "tests/unit/read_scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_are_as_written(void **state)
{
	(void)state;
	static const struct {
		const char *name, *readable, *brief;
	} cases[] = {
		/* what c++filt of binutils 2.40 prints, from traces of an MI300X */
		{"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_"
		 "S4_diiiiiiib",
			"void aiter::add_rmsnorm_quant_kernel<std::bfloat16_t, std::bfloat16_t, 64, 8, "
			"false, false, true, 1>(std::bfloat16_t*, std::bfloat16_t*, float*, "
			"std::bfloat16_t*, std::bfloat16_t*, std::bfloat16_t*, double, int, int, int, "
			"int, int, int, int, bool)",
			"add_rmsnorm_quant"},
		{"_Z3addPfS_.kd", "add(float*, float*)", "add"},
		{"_ZN2at6native3addEi.isra.0", "at::native::add(int) [clone .isra.0]",
			"add [clone .isra.0]"},
		{"_Z3addi.constprop.0.isra.2", "add(int) [clone .constprop.0] [clone .isra.2]",
			"add [clone .constprop.0] [clone .isra.2]"},
		{"_Z3add", "add", "add"},
	};
	struct arena a = {0};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *readable = demangle(&a, cases[i].name);
		assert_non_null(readable);
		assert_string_equal(readable, cases[i].readable);
		assert_string_equal(shorten_name(&a, readable), cases[i].brief);
	}
	arena_release(&a);
}

static void other_names_stay(void **state)
{
	(void)state;
	static const char *const names[] = {"", "_", "_Z", "_Zebra", "_Z3ad",
		"_ZN5aiter3fooE_oops!", "aten::mm", "void f<int>(int)", "triton_poi_fused_0.kd",
		".kd", "_Z.kd",
		/* of a newer compiler than the library knows */
		"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_"
		"S5_EEEEvPS3_PS4_i"};
	struct arena a = {0};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_null(demangle(&a, names[i]));
		assert_ptr_equal(readable_name(&a, names[i]), names[i]);
	}
	arena_release(&a);
}

/* Names that would take the stack, the memory or the time of the program. */
static void hostile_names_stay(void **state)
{
	(void)state;
	enum { DEEP = 200000 };
	struct arena a = {0};
	char *deep = malloc(DEEP + 8);
	assert_non_null(deep);
	for (int n = 10; n <= DEEP; n *= n < 5000 ? 2 : 5) {
		memcpy(deep, "_Z1f", 4);
		memset(deep + 4, 'P', (size_t)n);
		memcpy(deep + 4 + n, "i", 2);
		const char *readable = demangle(&a, deep);
		assert_true(n > 1000 || readable);
		assert_true(n < MANGLED_BYTES || !readable);
	}
	free(deep);
	/* f(P<int, int>, P<P<int, int>, P<int, int> >, ...): each twice as long as the one before
	 */
	char twice[1024] = "_Z1f1PIiiES_IS0_S0_E";
	for (int i = 1; i <= 30; i++) {
		char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];
		size_t n = strlen(twice);
		snprintf(twice + n, sizeof twice - n, "S_IS%c_S%c_E", digit, digit);
	}
	assert_null(demangle(&a, twice));
	arena_release(&a);
}

/* Rows group by the file's names, even where a reader sees the same. */
static void a_trace_has_both(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	FILE *f = fdopen(mkstemp(scratch_name(path, "demangle")), "w");
	assert_non_null(f);
	fputs("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"_Z3fooi\",\"ts\":1,\"dur\":1,\"pid\":0,\"tid\":7},"
	      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"_Z3fooi.kd\",\"ts\":3,\"dur\":1,\"pid\":0,\"tid\":7},"
	      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"bar\",\"ts\":5,\"dur\":1,\"pid\":0,\"tid\":7}]",
		f);
	fclose(f);
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	assert_int_equal(trace_read(&t, path, &(struct read_options){0}, &err), 0);
	unlink(path);
	assert_int_equal(t.n, 3);
	assert_int_not_equal(t.name[0], t.name[1]);
	assert_string_equal(names_text(&t.names, t.name[1]), "_Z3fooi.kd");
	assert_string_equal(trace_row_name(&t, 0), "foo(int)");
	assert_string_equal(trace_row_name(&t, 1), "foo(int)");
	assert_string_equal(trace_row_name(&t, 2), "bar");
	assert_string_equal(trace_readable(&t, "_Z3fooi"), "foo(int)");
	assert_string_equal(trace_readable(&t, "ProfilerStep*"), "ProfilerStep*");
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_as_written),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(hostile_names_stay),
		cmocka_unit_test(a_trace_has_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
