/* SPDX-License-Identifier: Apache-2.0 */
/* The reader against cJSON: every complete event of a file, walked as a tree by other people's
 * code, must stand in the trace with the same name, category, times, place and ids. */
#include "report/read/read.h"
#include "tests/unit/read_scratch.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmocka.h>

enum { LARGEST = 40 << 20, SMALL = 1 << 19 }; /* bytes; small ones are tried always */

/* One complete event, as the tree has it. */
struct leaf {
	const char *name, *category, *dims;
	double ts_us, dur_us, correlation, stream, bytes, registers, grid_x;
};

static char *inflate_file(const char *path)
{
	gzFile f = gzopen(path, "rb");
	assert_non_null(f);
	char *text = calloc(1, LARGEST);
	assert_non_null(text);
	int n = gzread(f, text, LARGEST - 1);
	gzclose(f);
	if (n <= 0 || n == LARGEST - 1) {
		free(text);
		return NULL;
	}
	return text;
}

static double number(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
	if (cJSON_IsString(v))
		return strtod(v->valuestring, NULL);
	return cJSON_IsNumber(v) ? v->valuedouble : -1;
}

static const char *text(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(v) ? v->valuestring : "";
}

/* What joins it to others: of an operator its number of autograd, from 1 on. */
static double joining_number(const cJSON *e, const cJSON *args)
{
	bool op = !strcmp(text(e, "cat"), "cpu_op") || !strcmp(text(e, "cat"), "Operator");
	return op ? number(args, "Sequence number") + 1 : number(args, "correlation");
}

static struct leaf leaf_of(const cJSON *e)
{
	const cJSON *args = cJSON_GetObjectItemCaseSensitive(e, "args");
	const cJSON *dims = cJSON_GetObjectItemCaseSensitive(args, "Input Dims");
	if (!dims) /* of 2021 */
		dims = cJSON_GetObjectItemCaseSensitive(args, "Input dims");
	const cJSON *grid = cJSON_GetObjectItemCaseSensitive(args, "grid");
	return (struct leaf){
		.name = text(e, "name"),
		.category = text(e, "cat"),
		.ts_us = number(e, "ts"),
		.dur_us = fmax(number(e, "dur"), 0),
		.correlation = joining_number(e, args),
		.stream = number(args, "stream"),
		.bytes = number(args, "bytes"),
		.registers = number(args, "registers per thread"),
		.grid_x = cJSON_IsString(grid)		     ? strtod(grid->valuestring + 1, NULL)
			: cJSON_IsArray(grid) && grid->child ? grid->child->valuedouble
							     : -1,
		.dims = cJSON_IsArray(dims) ? cJSON_PrintUnformatted(dims) : NULL,
	};
}

static int by_name(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	order = order ? order : strcmp(x->category, y->category);
	if (order || x->ts_us != y->ts_us)
		return order ? order : x->ts_us < y->ts_us ? -1 : 1;
	return x->dur_us > y->dur_us ? -1 : x->dur_us < y->dur_us;
}

static struct leaf *leaves_of(const cJSON *root, size_t *n)
{
	const cJSON *list =
		cJSON_IsArray(root) ? root : cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
	struct leaf *leaf = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *leaf);
	*n = 0;
	for (const cJSON *e = list ? list->child : NULL; e; e = e->next)
		if (!strcmp(text(e, "ph"), "X"))
			leaf[(*n)++] = leaf_of(e);
	qsort(leaf, *n, sizeof *leaf, by_name);
	return leaf;
}

/* The same from our columns. */
static struct leaf *rows_of(const struct trace *t, int64_t base_ns, size_t *n)
{
	struct leaf *leaf = calloc(t->n + 1, sizeof *leaf);
	*n = 0;
	for (size_t i = 0; i < t->n; i++) {
		uint8_t kind = t->kind[i];
		if (kind == EVENT_INSTANT || kind == EVENT_COUNTER)
			continue;
		bool work = kind == EVENT_KERNEL;
		bool copy = kind == EVENT_MEMCPY || kind == EVENT_MEMSET;
		const struct kernel *k = work ? &t->kernels[t->side[i]] : NULL;
		const struct copy *c = copy ? &t->copies[t->side[i]] : NULL;
		leaf[(*n)++] = (struct leaf){
			.name = names_text(&t->names, t->name[i]),
			.category = names_text(&t->names, t->category[i]),
			.ts_us = (double)(t->origin_ns - base_ns + t->start_ns[i]) / 1000.0,
			.dur_us = (double)t->dur_ns[i] / 1000.0,
			.correlation = t->correlation[i],
			.stream = k ? k->stream
				: c ? c->stream
				    : -2,
			.bytes = c ? (double)c->bytes : -2,
			.registers = k ? k->registers : -2,
			.grid_x = k ? k->grid[0] : -2,
			.dims = kind == EVENT_OP && t->side[i] != NO_ROW &&
					t->inputs[t->side[i]].dims
				? names_text(&t->names, t->inputs[t->side[i]].dims)
				: NULL,
		};
	}
	qsort(leaf, *n, sizeof *leaf, by_name);
	return leaf;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 0.0006 + fabs(b) * 3e-16;
}

/* -2: the column does not have it. Ids above 2^31 are called otherwise in the trace. */
static bool same_number(double ours, double theirs)
{
	return ours == -2 || ours == theirs || (theirs <= 0 && ours == 0) || theirs >= 2147483648.0;
}

static bool same_list(const char *ours, const char *theirs)
{
	while (*ours && *theirs) {
		if (*ours == ' ')
			ours++;
		else if (*ours++ != *theirs++)
			return false;
	}
	return *ours == *theirs;
}

static int compare(const char *path, const struct leaf *ours, const struct leaf *theirs)
{
	bool same = !strcmp(ours->name, theirs->name) &&
		!strcmp(ours->category, theirs->category) && near(ours->ts_us, theirs->ts_us) &&
		near(ours->dur_us, theirs->dur_us) &&
		same_number(ours->correlation, theirs->correlation) &&
		same_number(ours->stream, theirs->stream) &&
		same_number(ours->bytes, theirs->bytes) &&
		same_number(ours->registers, theirs->registers) &&
		same_number(ours->grid_x, theirs->grid_x) &&
		(!ours->dims || (theirs->dims && same_list(ours->dims, theirs->dims)));
	if (!same)
		print_message("%s: %s at %.3f, %.3f: the tree has %s at %.3f, %.3f\n", path,
			ours->name, ours->ts_us, ours->dur_us, theirs->name, theirs->ts_us,
			theirs->dur_us);
	return !same;
}

static void free_leaves(struct leaf *leaf, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cJSON_free((char *)leaf[i].dims);
	free(leaf);
}

static bool has_phase(const struct trace *t, const char *phases)
{
	for (; *phases; phases++)
		if (t->phases[(unsigned char)*phases])
			return true;
	return false;
}

/* 1 when the file was compared: it is a trace, valid JSON, and of complete events alone. */
static int compare_file(const char *path, int *wrong)
{
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){0}, &err))
		return 0;
	char *bytes = inflate_file(path);
	cJSON *root = bytes && !has_phase(&t, "BbS") && !t.n_repairs ? cJSON_Parse(bytes) : NULL;
	free(bytes);
	int done = root != NULL;
	if (root) {
		const char *base = trace_meta(&t, "baseTimeNanoseconds");
		size_t n, k;
		struct leaf *ours = rows_of(&t, base ? strtoll(base, NULL, 10) : 0, &n);
		struct leaf *theirs = leaves_of(root, &k);
		*wrong += n != k;
		/* A double cannot order events of 1.7e15 us that are less than 0.25 us apart. */
		bool ordered = base || t.resolution_ns > 1 || t.origin_ns < 1000000000000000000;
		for (size_t i = 0; ordered && i < n && i < k && *wrong < 10; i++)
			*wrong += compare(path, &ours[i], &theirs[i]);
		free(ours);
		free_leaves(theirs, k);
	}
	cJSON_Delete(root);
	trace_release(&t);
	return done;
}

static int64_t size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) ? 0 : (int64_t)st.st_size;
}

static int compare_folder(const char *folder, int *wrong)
{
	int n = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if ((strstr(e->d_name, ".json") || strstr(e->d_name, ".gz")) &&
			(sweep() || size_of(path) <= SMALL))
			n += compare_file(path, wrong);
	}
	if (d)
		closedir(d);
	return n;
}

static void hand_made_files(void **state)
{
	(void)state;
	int wrong = 0;
	assert_true(compare_folder("tests/data/read", &wrong) >= 5);
	assert_int_equal(wrong, 0);
}

static void real_traces(void **state)
{
	(void)state;
	static const char *const folders[] = {
		"kineto", "other_gpu", "chrome", "odd", "ranks/dlrm_8", "ranks/torchrec_a2a_4"};
	const char *shared = getenv("TRACEBOOK_SHARED");
	int n = 0, wrong = 0;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/traces/%s", shared ? shared : "../shared",
			folders[i]);
		n += compare_folder(path, &wrong);
	}
	if (!n) {
		print_message(
			"no %s/traces: real traces are not here\n", shared ? shared : "../shared");
		skip();
	}
	print_message("%d files\n", n);
	assert_int_equal(wrong, 0);
	assert_true(n > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hand_made_files),
		cmocka_unit_test(real_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
