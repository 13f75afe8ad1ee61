/* SPDX-License-Identifier: Apache-2.0 */
/* How kernels are launched, and kernels that are made for a shape: their source, what NVRTC makes
 * of it, and the cache. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "base/outfile.h"
#include "experiments/cuda/cubin_cache.h"
#include "experiments/cuda/fused_source.h"
#include "experiments/cuda/rtc.h"

#include <inttypes.h>
#include <unistd.h>

#include <cmocka.h>

static const struct kernel *named(const char *name)
{
	for (const struct kernel *k = kernels; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	fail_msg("no kernel %s", name);
	return NULL;
}

static void test_which_kernel(void **state)
{
	(void)state;
	struct device_pointwise p = {
		.dtype = DTYPE_BF16, .n_steps = 1, .step = {POINTWISE_ADD}, .n_inputs = 2};
	assert_string_equal(launch_kernel(&p)->name, "tracebook_add_bf16");
	p.dtype = DTYPE_F32;
	assert_string_equal(launch_kernel(&p)->name, "tracebook_add_fp32");
	p.step[0] = POINTWISE_SQUARE;
	assert_string_equal(launch_kernel(&p)->name, "tracebook_square_fp32");
	p.generic = true;
	p.name = "square_row_loop";
	assert_string_equal(launch_kernel(&p)->name, "tracebook_square_row_loop");
	p.name = "square_cubed";
	assert_null(launch_kernel(&p));
	struct device_pointwise geglu = {.dtype = DTYPE_BF16,
		.n_steps = 2,
		.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
		.n_inputs = 2,
		.generic = true,
		.name = "tracebook_geglu_tanh_generic"};
	assert_string_equal(launch_kernel(&geglu)->name, "tracebook_geglu_tanh_generic_bf16");
	geglu.generic = false;
	assert_null(launch_kernel(&geglu));
}

static void test_launch_shapes(void **state)
{
	(void)state;
	static const struct {
		const char *kernel;
		int64_t n, row;
		unsigned grid_x, grid_y, block_x, block_y;
	} examples[] = {
		/* a vector of 8 (4 of fp32) a thread, 128 threads */
		{"tracebook_add_bf16", 4096 * 4096, 0, 16384, 1, 128, 1},
		{"tracebook_add_fp32", 4096 * 4096, 0, 32768, 1, 128, 1},
		{"tracebook_add_bf16", 1025, 0, 1, 1, 128, 1}, /* one more: by the last block */
		{"tracebook_add_bf16", 1032, 0, 2, 1, 128, 1},
		{"tracebook_add_bf16", 3, 0, 1, 1, 128, 1},
		{"tracebook_square_naive", 1000, 0, 4, 1, 256, 1},
		{"tracebook_square_tile", 100 * 33, 33, 3, 7, 16, 16},
		{"tracebook_square_row", 4096 * 781, 781, 4096, 1, 128, 1},
		{"tracebook_square_row", 4096 * 1600, 1600, 4096, 1, 256, 1},
		{"tracebook_square_row", 4096 * 4096, 4096, 4096, 1, 512, 1},
		{"tracebook_square_row_loop", 4096 * 4096, 4096, 4096, 1, 128, 1},
		/* Liger: 3072 -> 4096 lanes, 8 warps; 16 warps from 8192 on; 32 from 32768 on */
		{"tracebook_geglu_tanh_generic_bf16", 8192 * 3072, 3072, 8192, 1, 256, 1},
		{"tracebook_geglu_tanh_generic_bf16", 8 * 1024, 1024, 8, 1, 128, 1},
		{"tracebook_geglu_tanh_generic_bf16", 8 * 8192, 8192, 8, 1, 512, 1},
		{"tracebook_geglu_tanh_generic_bf16", 8 * 65536, 65536, 8, 1, 1024, 1},
	};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct err err = {0};
		struct launch l;
		assert_int_equal(launch_shape(&l, named(examples[i].kernel), examples[i].n,
					 examples[i].row, &err),
			0);
		assert_int_equal(l.grid[0], examples[i].grid_x);
		assert_int_equal(l.grid[1], examples[i].grid_y);
		assert_int_equal(l.block[0], examples[i].block_x);
		assert_int_equal(l.block[1], examples[i].block_y);
	}
}

static void test_refused_shapes(void **state)
{
	(void)state;
	static const struct {
		const char *kernel;
		int64_t n, row;
		const char *says;
	} examples[] = {
		{"tracebook_square_row", 1000, 0, "no whole rows of 0"},
		{"tracebook_square_row", 1000, 3, "no whole rows of 3"},
		{"tracebook_geglu_tanh_generic_fp32", 2 * 65537, 65537, "at most 65536"},
		{"tracebook_square_naive", INT64_C(1) << 42, 0, "more than a grid has"},
		{"tracebook_square_tile", INT64_C(1) << 30, 16, "more than a grid has"},
	};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct err err = {0};
		struct launch l;
		assert_int_equal(launch_shape(&l, named(examples[i].kernel), examples[i].n,
					 examples[i].row, &err),
			-1);
		if (!strstr(err.text, examples[i].says))
			fail_msg("%s", err.text);
	}
}

/* ---- source ---- */

static const struct device_pointwise gelu_mul = {.dtype = DTYPE_BF16,
	.n = 8192 * 3072,
	.n_steps = 2,
	.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
	.n_inputs = 2};

static void test_source(void **state)
{
	(void)state;
	struct arena a = {0};
	struct fusion f, again, other;
	fusion_make(&f, &a, &gelu_mul, 0, 0);
	fusion_make(&again, &a, &gelu_mul, 0, 0);
	assert_string_equal(f.name, "tracebook_fused_gelu_tanh_mul_25165824");
	assert_string_equal(f.source, again.source);
	assert_int_equal(f.launch.grid[0], 24576);
	assert_int_equal(f.launch.block[0], 128);
	/* a shape that fills every thread needs no test of its bounds */
	const char *kernel = strstr(f.source, "extern \"C\"");
	assert_non_null(kernel);
	assert_null(strstr(kernel, "if ("));
	struct device_pointwise odd = gelu_mul;
	odd.n += 3;
	fusion_make(&other, &a, &odd, 0, 0);
	assert_string_not_equal(f.source, other.source);
	kernel = strstr(other.source, "extern \"C\"");
	assert_non_null(strstr(kernel, "25165824; i < 25165827"));
	fusion_make(&other, &a, &gelu_mul, 128, 4);
	assert_int_equal(other.launch.block[0], 128);
	assert_int_equal(other.launch.grid[0], 6144);
	arena_release(&a);
}

/* ---- NVRTC, which needs no GPU ---- */

static void open_rtc(struct rtc *r, struct arena *a)
{
	struct err err = {0};
	*r = (struct rtc){0};
	if (rtc_open(r, a, &err)) {
		print_message("%s\n", err.text);
		arena_release(a);
		skip();
	}
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void test_machine_code(void **state)
{
	(void)state;
	struct arena a = {0};
	struct rtc rtc;
	struct fusion f;
	open_rtc(&rtc, &a);
	fusion_make(&f, &a, &gelu_mul, 0, 0);
	for (int capability = 80; capability <= 90; capability += 10) {
		struct err err = {0};
		struct rtc_code code;
		char target[64];
		if (rtc_compile(&rtc, &code, RTC_CUBIN, f.name, f.source, capability, &err))
			fail_msg("%s", err.text);
		assert_memory_equal(code.bytes, "\177ELF", 4);
		free(code.bytes);
		if (rtc_compile(&rtc, &code, RTC_PTX, f.name, f.source, capability, &err))
			fail_msg("%s", err.text);
		snprintf(target, sizeof target, ".target sm_%d", capability);
		assert_non_null(strstr(code.bytes, target));
		/* a vector a thread of two inputs and one output */
		assert_int_equal(count(code.bytes, "ld.global.cs.v4.u32"), 2);
		assert_int_equal(count(code.bytes, "st.global.cs.v4.u32"), 1);
		/* an exponential and a reciprocal for each of 8 elements, no division */
		assert_int_equal(count(code.bytes, "ex2.approx.ftz.f32"), 8);
		assert_int_equal(count(code.bytes, "rcp.approx.ftz.f32"), 8);
		assert_int_equal(count(code.bytes, "cvt.rn.bf16x2.f32"), 4);
		assert_int_equal(count(code.bytes, "div."), 0);
		assert_int_equal(count(code.bytes, "setp"), 0);
		assert_non_null(strstr(code.bytes, ".maxntid 128"));
		free(code.bytes);
	}
	arena_release(&a);
}

/* Every chain that the graph compiler can make, in both types, with and without a rest. */
static void test_every_chain_compiles(void **state)
{
	(void)state;
	static const struct device_pointwise chains[] = {
		{.n_steps = 2, .step = {POINTWISE_ADD, POINTWISE_SQUARE}, .n_inputs = 2},
		{.n_steps = 3,
			.step = {POINTWISE_MUL, POINTWISE_GELU_TANH, POINTWISE_ADD},
			.n_inputs = 3},
		{.n_steps = 4,
			.step = {POINTWISE_SQUARE, POINTWISE_SQUARE, POINTWISE_SQUARE,
				POINTWISE_GELU_TANH},
			.n_inputs = 1},
		{.n_steps = 4,
			.step = {POINTWISE_ADD, POINTWISE_MUL, POINTWISE_ADD, POINTWISE_GELU_TANH},
			.n_inputs = 4},
	};
	struct arena a = {0};
	struct rtc rtc;
	open_rtc(&rtc, &a);
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
		for (int variant = 0; variant < 2; variant++) {
			struct device_pointwise p = chains[i];
			struct fusion f;
			struct rtc_code code;
			struct err err = {0};
			p.dtype = variant ? DTYPE_F32 : DTYPE_BF16;
			p.n = variant ? 3 : 100003;
			fusion_make(&f, &a, &p, 0, 0);
			if (rtc_compile(&rtc, &code, RTC_CUBIN, f.name, f.source, 90, &err))
				fail_msg("%s", err.text);
			free(code.bytes);
		}
	arena_release(&a);
}

static void test_wrong_source(void **state)
{
	(void)state;
	struct arena a = {0};
	struct rtc rtc;
	struct rtc_code code;
	struct err err = {0};
	open_rtc(&rtc, &a);
	assert_int_equal(rtc_compile(&rtc, &code, RTC_CUBIN, "mine", "this is no C", 90, &err), -1);
	assert_non_null(strstr(err.text, "compiling mine"));
	assert_non_null(strstr(err.text, "error:"));
	assert_null(code.bytes);
	arena_release(&a);
}

/* ---- the cache ---- */

static char folder[256];

static int make_folder(void **state)
{
	(void)state;
	const char *place = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/cache_XXXXXX", place ? place : P_tmpdir);
	return mkdtemp(folder) ? setenv("TRACEBOOK_CACHE", folder, 1) : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	setenv("A", folder, 1);
	return system("rm -rf \"$A\"");
}

static void test_cache(void **state)
{
	(void)state;
	char bytes[] = "\177ELF machine code";
	struct rtc_code code = {bytes, sizeof bytes}, found;
	struct cubin_key key = {"source text", 90, 13, 0}, other = key;
	assert_false(cubin_recall(&key, &found));
	cubin_keep(&key, &code);
	assert_true(cubin_recall(&key, &found));
	assert_int_equal(found.n, code.n);
	assert_memory_equal(found.bytes, bytes, code.n);
	free(found.bytes);
	/* everything that made it is in the key */
	other.capability = 80;
	assert_false(cubin_recall(&other, &found));
	other = key;
	other.minor = 1;
	assert_false(cubin_recall(&other, &found));
	other = key;
	other.source = "source text!";
	assert_false(cubin_recall(&other, &found));
}

static void test_damaged_cache(void **state)
{
	(void)state;
	char bytes[] = "\177ELF machine code", path[320];
	struct rtc_code code = {bytes, sizeof bytes}, found;
	struct cubin_key key = {"another source", 90, 13, 0};
	struct err err = {0};
	size_t n;
	cubin_keep(&key, &code);
	snprintf(path, sizeof path, "%s/cuda/%016" PRIx64 ".kernel", folder, cubin_hash(&key));
	char *whole = read_small_file(path, 1 << 20, &n, &err);
	assert_non_null(whole);
	for (size_t cut = 0; cut < n; cut++) {
		FILE *f = fopen(path, "w");
		fwrite(whole, 1, cut, f);
		fclose(f);
		assert_false(cubin_recall(&key, &found));
	}
	whole[n - 1] ^= 1;
	FILE *f = fopen(path, "w");
	fwrite(whole, 1, n, f);
	fclose(f);
	assert_false(cubin_recall(&key, &found));
	free(whole);
	cubin_keep(&key, &code);
	assert_true(cubin_recall(&key, &found));
	free(found.bytes);
}

static void test_no_cache(void **state)
{
	(void)state;
	char bytes[] = "x";
	struct rtc_code code = {bytes, 1}, found;
	struct cubin_key key = {"a third source", 90, 13, 0};
	setenv("TRACEBOOK_CACHE", "", 1);
	cubin_keep(&key, &code);
	assert_false(cubin_recall(&key, &found));
	setenv("TRACEBOOK_CACHE", "/proc/nobody/writes/here", 1);
	cubin_keep(&key, &code);
	assert_false(cubin_recall(&key, &found));
	setenv("TRACEBOOK_CACHE", folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_kernel),
		cmocka_unit_test(test_launch_shapes),
		cmocka_unit_test(test_refused_shapes),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_machine_code),
		cmocka_unit_test(test_every_chain_compiles),
		cmocka_unit_test(test_wrong_source),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_damaged_cache),
		cmocka_unit_test(test_no_cache),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

#endif
