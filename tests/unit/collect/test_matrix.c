/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the matrix: what is taken, what is refused, and how it is said. */
#include "collect/case_runner.h"
#include "collect/chosen_cases.h"
#include "collect/manifest.h"
#include "collect/matrix.h"
#include "collect/time_estimate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void scratch_path(char *path, size_t room, const char *name)
{
	const char *folder = getenv("TMPDIR");
	snprintf(path, room, "%s/%s", folder ? folder : "/tmp", name);
}

static int read_text(struct matrix *m, const char *text, struct err *err)
{
	static char path[4096]; /* lent by the matrix until the next call */
	scratch_path(path, sizeof path, "matrix-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	int result = matrix_read(m, path, err);
	unlink(path);
	return result;
}

static void expect_refused(const char *text, const char *const *words)
{
	struct matrix m;
	struct err err = {0};
	assert_int_equal(read_text(&m, text, &err), -1);
	assert_true(err.set);
	for (; *words; words++)
		if (!strstr(err.text, *words))
			fail_msg("\"%s\" does not say \"%s\"", err.text, *words);
}

#define REFUSED(text, ...) expect_refused(text, (const char *const[]){__VA_ARGS__, NULL})
#define CASE(more) "{\"cases\": [{\"workload\": \"matmul_add\", \"size\": 64" more "}]}"
#define OTHER "{\"workload\": \"matmul_add\", \"size\": 32}"
#define TWO(more) "{\"cases\": [{\"workload\": \"matmul_add\", \"size\": 64}, " OTHER "]" more "}"
#define EXPECT(what) CASE(", \"expect\": {" what "}")

static void test_defaults(void **state)
{
	(void)state;
	struct matrix m;
	struct err err = {0};
	assert_int_equal(read_text(&m, CASE(""), &err), 0);
	assert_int_equal(m.n_cases, 1);
	const struct matrix_case *c = &m.cases[0];
	assert_string_equal(c->id, "matmul_add/64_bf16_cold_eager");
	assert_string_equal(c->title, "64_bf16_cold_eager");
	assert_string_equal(c->question, "");
	assert_int_equal(c->spec.schedule.wait, 1);
	assert_int_equal(c->spec.schedule.active, 3);
	assert_null(c->expect);
	assert_ptr_equal(matrix_find(&m, c->id), c);
	assert_null(matrix_find(&m, "matmul_add/none"));
	matrix_release(&m);
}

static void test_schedules(void **state)
{
	(void)state;
	struct matrix m;
	struct err err = {0};
	const char *text = "{\"schedule\": {\"active\": 7}, \"cases\": ["
			   "{\"workload\": \"matmul_add\", \"size\": 64},"
			   "{\"workload\": \"matmul_add\", \"size\": 32,"
			   " \"schedule\": {\"wait\": 0}}]}";
	assert_int_equal(read_text(&m, text, &err), 0);
	assert_int_equal(m.cases[0].spec.schedule.active, 7);
	assert_int_equal(m.cases[0].spec.schedule.wait, 1);
	/* what a case leaves out it takes from the file's schedule */
	assert_int_equal(m.cases[1].spec.schedule.active, 7);
	assert_int_equal(m.cases[1].spec.schedule.wait, 0);
	matrix_release(&m);
}

static void test_tags(void **state)
{
	(void)state;
	struct arena a = {0};
	struct case_spec product = {.size = 4096, .dtype = DTYPE_F32, .warm = true};
	assert_string_equal(case_tag(&a, &product), "4096_fp32_warm_eager");
	product.batch = 8;
	product.mode = MODE_GRAPH;
	assert_string_equal(case_tag(&a, &product), "8x4096_fp32_warm_graph");
	struct case_spec layer = {.batch = 1024, .in_dim = 32, .out_dim = 64, .warm = true};
	assert_string_equal(case_tag(&a, &layer), "1024_32_64_eager");
	struct case_spec mlp = {
		.batch = 64, .seq = 128, .dim = 768, .hidden = 3072, .mode = MODE_COMPILE};
	assert_string_equal(case_tag(&a, &mlp), "64_128_768_3072_compile");
	const struct case_spec rows = {.workload = "square", .batch = 256, .dim = 1024};
	assert_string_equal(case_tag(&a, &rows), "256_1024_eager");
	arena_release(&a);
}

static void test_refused_fields(void **state)
{
	(void)state;
	REFUSED("{}", "cases");
	REFUSED("[]", "object");
	REFUSED("{\"cases\": []}", "nothing to run");
	REFUSED("{\"cases\": [3]}", "case 1", "object");
	REFUSED("{\"cases\": [{\"size\": 64}]}", "case 1", "\"workload\" is missing", "linear");
	REFUSED("{\"cases\": [{\"workload\": \"matmul\", \"size\": 64}]}", "case 1 (matmul)",
		"unknown workload \"matmul\"", "matmul_add");
	REFUSED(CASE(", \"warmth\": 1"), "case 1 (matmul_add)", "\"warmth\"",
		"did you mean \"warm\"");
	REFUSED(CASE(", \"warm\": 1"), "\"warm\"", "true or false");
	REFUSED(CASE(", \"mode\": \"jit\""), "unknown mode \"jit\"", "eager", "graph");
	REFUSED(CASE(", \"dtype\": \"fp16\""), "unknown dtype \"fp16\"", "bf16", "fp32");
	REFUSED(CASE(", \"batch\": 0"), "\"batch\"", "at least 1");
	REFUSED(CASE(", \"tag\": \"a/b\""), "\"tag\"", "file name");
	REFUSED(CASE(", \"tag\": \"..\""), "\"tag\"", "file name");
	REFUSED(CASE(", \"experiment\": \"\""), "\"experiment\"", "file name");
	REFUSED(CASE(", \"schedule\": {\"active\": 0}"), "case 1 (matmul_add)", "\"active\" is 0");
	REFUSED(CASE(", \"schedule\": {\"actives\": 1}"), "did you mean \"active\"");
	REFUSED(CASE(", \"schedule\": 5"), "\"schedule\" must be an object");
	REFUSED(TWO(", \"schedules\": {}"), "\"schedules\"", "did you mean \"schedule\"");
}

static void test_refused_shapes(void **state)
{
	(void)state;
	REFUSED("{\"cases\": [{\"workload\": \"matmul_add\"}]}", "case 1 (matmul_add)", "\"size\"");
	REFUSED(CASE(", \"in_dim\": 3"), "case 1 (matmul_add)", "\"in_dim\"");
	REFUSED("{\"cases\": [{\"workload\": \"linear\", \"batch\": 2, \"in_dim\": 3}]}",
		"case 1 (linear)", "\"out_dim\"");
	REFUSED("{\"cases\": [{\"workload\": \"linear\", \"batch\": 2, \"in_dim\": 3,"
		" \"out_dim\": 4, \"mode\": \"graph\"}]}",
		"case 1 (linear)", "\"graph\"");
}

static void test_refused_twice(void **state)
{
	(void)state;
	REFUSED("{\"cases\": [" OTHER ", " OTHER "]}", "case 2",
		"already a case \"matmul_add/32_bf16_cold_eager\"", "\"tag\"");
	struct matrix m;
	struct err err = {0};
	/* the same tag in another experiment is another file */
	assert_int_equal(
		read_text(&m,
			"{\"cases\": [" OTHER ", {\"workload\": \"matmul_add\", \"size\": 32,"
			" \"experiment\": \"again\"}]}",
			&err),
		0);
	assert_string_equal(m.cases[1].id, "again/32_bf16_cold_eager");
	matrix_release(&m);
}

static void test_refused_expectations(void **state)
{
	(void)state;
	REFUSED(CASE(", \"expect\": []"), "case 1 (matmul_add/64_bf16_cold_eager)", "object");
	REFUSED(EXPECT("\"kernel\": 2"), "expect", "did you mean \"kernels\"");
	REFUSED(EXPECT("\"kernels\": -1"), "\"kernels\"", "negative");
	REFUSED(EXPECT("\"kernels\": 1.5"), "\"kernels\"", "whole number");
	REFUSED(EXPECT("\"step\": \"gemm\""), "\"step\"", "list");
	REFUSED(EXPECT("\"step\": [\"gem\"]"), "\"step\"", "gemm", "not gem");
	REFUSED(EXPECT("\"regime\": \"slow\""), "\"regime\"", "overhead-bound", "not slow");
	REFUSED(EXPECT("\"first_step\": 3"), "\"first_step\"", "wider");
	REFUSED(EXPECT("\"same_gemm_as\": \"matmul_add/65\""), "\"same_gemm_as\"", "matmul_add/65",
		"not in this matrix");
	REFUSED(EXPECT("\"same_gemm_as\": 1"), "\"same_gemm_as\"", "experiment/tag");
	REFUSED(EXPECT("\"fewer_kernels_than\": {\"case\": \"matmul_add/64_bf16_cold_eager\"}"),
		"\"fewer_kernels_than\" needs \"by\"");
	REFUSED(EXPECT("\"step_time_ratio\": {\"case\": \"matmul_add/64_bf16_cold_eager\"}"),
		"\"step_time_ratio\" needs \"min\" or \"max\"");
	REFUSED(EXPECT("\"device_time_ratio\": {\"case\": \"matmul_add/64_bf16_cold_eager\","
		       " \"min\": 2, \"max\": 1}"),
		"\"min\" is above \"max\"");
	REFUSED(EXPECT("\"device_time_ratio\": {\"min\": 2}"), "\"device_time_ratio\"", "case");
	REFUSED(EXPECT("\"same_kernel_every_step\": 1"), "true or false");
}

static void test_expectations(void **state)
{
	(void)state;
	struct matrix m;
	struct err err = {0};
	const char *text = EXPECT(
		"\"step\": [\"gemm\", \"add\"], \"kernels\": 2, \"regime\": \"mixed\","
		"\"fewer_kernels_than\": {\"case\": \"matmul_add/64_bf16_cold_eager\", \"by\": 1},"
		"\"step_time_ratio\": {\"case\": \"matmul_add/64_bf16_cold_eager\", \"max\": 0.5},"
		"\"same_kernel_every_step\": true");
	int result = read_text(&m, text, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(result, 0);
	assert_int_equal(cJSON_GetArraySize(m.cases[0].expect), 6);
	matrix_release(&m);
}

static void test_comparisons(void **state)
{
	(void)state;
	REFUSED(TWO(", \"comparisons\": [{\"id\": \"a\", \"cases\": [\"x/y\", \"x/z\"]}]"),
		"comparison 1 (a)", "\"x/y\" is not a case");
	REFUSED(TWO(", \"comparisons\": [{\"id\": \"a\", \"cases\": [\"x/y\"]}]"), "two cases");
	REFUSED(TWO(", \"comparisons\": [{\"cases\": []}]"), "comparison 1", "\"id\" is missing");
	REFUSED(TWO(", \"comparisons\": {}"), "\"comparisons\" must be a list");
	struct matrix m;
	struct err err = {0};
	assert_int_equal(read_text(&m,
				 TWO(", \"comparisons\": [{\"id\": \"a\", \"cases\": "
				     "[\"matmul_add/64_bf16_cold_eager\", "
				     "\"matmul_add/32_bf16_cold_eager\"]}]"),
				 &err),
		0);
	assert_int_equal(m.n_comparisons, 1);
	assert_int_equal(m.comparisons[0].n_cases, 2);
	matrix_release(&m);
}

static void test_not_json(void **state)
{
	(void)state;
	REFUSED("{\"cases\": [\n{\"workload\": }]}", "line 2");
	REFUSED("{\"cases\": 1, \"cases\": 2}", "stands twice");
	struct matrix m;
	struct err err = {0};
	assert_int_equal(matrix_read(&m, "no/such/matrix.json", &err), -1);
	assert_non_null(strstr(err.text, "no/such/matrix.json"));
}

/* ---- selecting ---- */

static void expect_selected(const struct matrix *m, const char *const *globs, const char *which)
{
	struct opt_list only = {0};
	bool selected[3];
	struct err err = {0};
	const char *items[4];
	for (; *globs; globs++)
		items[only.n++] = *globs;
	only.item = items;
	assert_int_equal(select_cases(m, &only, selected, &err), 0);
	for (size_t i = 0; i < m->n_cases; i++)
		assert_int_equal(selected[i], which[i] == 'x');
}

static void test_only(void **state)
{
	(void)state;
	struct matrix m;
	struct err err = {0};
	bool selected[3];
	assert_int_equal(
		read_text(&m,
			"{\"cases\": [" OTHER ", {\"workload\": \"matmul_add\", \"size\": 64},"
			"{\"workload\": \"bmm_add\", \"size\": 64, \"batch\": 8}]}",
			&err),
		0);
	expect_selected(&m, (const char *[]){NULL}, "xxx");
	expect_selected(&m, (const char *[]){"matmul_add/*", NULL}, "xx-");
	expect_selected(&m, (const char *[]){"64_*", NULL}, "-x-");
	expect_selected(&m, (const char *[]){"*64_*", NULL}, "-xx");
	expect_selected(&m, (const char *[]){"32_*", "bmm_add/*", NULL}, "x-x");
	const char *none[] = {"128_*"};
	assert_int_equal(select_cases(&m, &(struct opt_list){none, 1}, selected, &err), -1);
	assert_non_null(strstr(err.text, "128_*"));
	matrix_release(&m);
}

/* ---- estimating ---- */

static void test_scaling(void **state)
{
	(void)state;
	struct arena a = {0};
	const struct workload *w = workload_find("matmul_add");
	struct rates rates = {.flop = {1e12, 1e11}, .copy_bytes = 1e12};
	struct case_spec spec = {.workload = "matmul_add",
		.size = 4096,
		.dtype = DTYPE_BF16,
		.schedule = {1, 1, 3, 1}};
	/* five steps of 137.4 GFLOP, and some bytes */
	assert_true(estimate_s(w, &spec, &rates) > 0.68 && estimate_s(w, &spec, &rates) < 0.70);
	assert_null(scale_to_fit(&a, w, &spec, &rates));
	assert_int_equal(spec.size, 4096);
	spec.warm = true;
	assert_true(estimate_s(w, &spec, &rates) > 1.08);

	rates.flop[DTYPE_BF16] = 1e10;
	const char *told = scale_to_fit(&a, w, &spec, &rates);
	assert_int_equal(spec.size, 1024);
	assert_non_null(strstr(told, "asked size 4096, ran 1024"));
	assert_non_null(strstr(told, "about 110 s"));
	assert_true(estimate_s(w, &spec, &rates) <= LONGEST_CASE_S);
	arena_release(&a);
}

static void test_modes_are_scaled_alike(void **state)
{
	(void)state;
	const struct workload *w = workload_find("matmul_add");
	struct case_spec eager = {.workload = "matmul_add", .size = 64, .schedule = {1, 1, 3, 1}};
	struct case_spec fused = eager;
	fused.mode = MODE_FUSED;
	assert_true(w->bytes(&fused) < w->bytes(&eager));
	assert_true(estimate_s(w, &fused, &slowest_rates) == estimate_s(w, &eager, &slowest_rates));
}

/* ---- run.json ---- */

/* The file and its folder, which was made for it. */
static void remove_manifest(char *path)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

static void test_manifest_there_and_back(void **state)
{
	(void)state;
	struct matrix m;
	struct err err = {0};
	struct arena a = {0};
	assert_int_equal(read_text(&m,
				 TWO(", \"comparisons\": [{\"id\": \"a\", \"cases\": "
				     "[\"matmul_add/64_bf16_cold_eager\", "
				     "\"matmul_add/32_bf16_cold_eager\"]}]"),
				 &err),
		0);
	struct case_result ran[2] = {{.spec = m.cases[0].spec}, {.spec = m.cases[1].spec}};
	ran[0].status = CASE_DONE;
	ran[0].spec.size = 16;
	ran[0].scaled = "asked size 64, ran 16";
	ran[0].error = 0.001;
	ran[0].limit = 0.02;
	ran[0].seconds = 1.5;
	ran[0].made_from = "1-2";
	ran[1].status = CASE_FAILED;
	ran[1].reason = "no \"memory\"\n";
	char path[4096];
	scratch_path(path, sizeof path, "manifest/run.json");
	struct manifest out = {.path = path,
		.device = "host",
		.created = "2026-01-01T00:00:00Z",
		.matrix = &m,
		.result = ran,
		.rates = {.flop = {3e11, 2e11}, .copy_bytes = 1e10},
		.rates_from = "programs"};
	environment_add(&out.environment, "CPU", "a \"fast\" one");
	out.environment.cache_bytes = 63000000;
	assert_int_equal(manifest_write(&out, &err), 0);
	struct case_result back[2] = {{.spec = m.cases[0].spec}, {.spec = m.cases[1].spec}};
	struct manifest in = out;
	in.created = "later";
	in.result = back;
	in.environment = (struct environment){0};
	in.rates = slowest_rates;
	in.rates_from = NULL;
	assert_int_equal(manifest_recall(&in, &a, &err), 0);
	remove_manifest(path);
	assert_string_equal(in.created, "2026-01-01T00:00:00Z");
	assert_int_equal(in.environment.n, 1);
	assert_int_equal(in.environment.cache_bytes, 63000000);
	assert_string_equal(in.environment.fact[0].value, "a \"fast\" one");
	assert_string_equal(in.rates_from, "programs");
	assert_true(in.rates.flop[DTYPE_F32] == 2e11 && in.rates.copy_bytes == 1e10);
	assert_int_equal(back[0].status, CASE_DONE);
	assert_int_equal(back[0].spec.size, 16);
	assert_string_equal(back[0].scaled, ran[0].scaled);
	assert_string_equal(back[0].made_from, "1-2");
	assert_true(back[0].error == 0.001 && back[0].limit == 0.02 && back[0].seconds == 1.5);
	assert_int_equal(back[1].status, CASE_FAILED);
	assert_string_equal(back[1].reason, ran[1].reason);
	assert_int_equal(back[1].spec.size, 32);
	assert_true(back[1].limit == 0);
	arena_release(&a);
	matrix_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_schedules),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_refused_fields),
		cmocka_unit_test(test_refused_shapes),
		cmocka_unit_test(test_refused_twice),
		cmocka_unit_test(test_refused_expectations),
		cmocka_unit_test(test_expectations),
		cmocka_unit_test(test_comparisons),
		cmocka_unit_test(test_not_json),
		cmocka_unit_test(test_only),
		cmocka_unit_test(test_scaling),
		cmocka_unit_test(test_modes_are_scaled_alike),
		cmocka_unit_test(test_manifest_there_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
