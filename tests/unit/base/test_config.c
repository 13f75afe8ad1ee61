/* SPDX-License-Identifier: Apache-2.0 */
/* Small JSON files that people edit: what is refused, and what is said. With the errors and the
 * files they rest on. */
#include "base/config.h"
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[200];

static const char *path_of(const char *name)
{
	static char path[300];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static const char *file_with(const char *text, size_t n)
{
	const char *path = path_of("m.json");
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
	return path;
}

/* The message without the path in front. */
static void assert_refused(const char *text, size_t n, const char *message)
{
	struct err err = {0};
	const char *path = file_with(text, n);
	assert_null(config_read(path, &err));
	assert_true(err.set);
	assert_memory_equal(err.text, path, strlen(path));
	assert_string_equal(err.text + strlen(path), message);
}

static void a_good_file(void **state)
{
	(void)state;
	static const char text[] =
		"{\"name\": \"64 \xc2\xb5s\", \"n\": 3, \"x\": 0.5, \"on\": true}\n";
	struct err err = {0};
	cJSON *c = config_read(file_with(text, sizeof text - 1), &err);
	assert_non_null(c);
	const char *name = "", *absent = "default";
	long n = 0;
	double x = 0;
	bool on = false;
	assert_int_equal(config_text(c, "m", "name", &name, &err), 0);
	assert_int_equal(config_text(c, "m", "absent", &absent, &err), 0);
	assert_int_equal(config_int(c, "m", "n", &n, &err), 0);
	assert_int_equal(config_number(c, "m", "x", &x, &err), 0);
	assert_int_equal(config_bool(c, "m", "on", &on, &err), 0);
	assert_string_equal(name, "64 \xc2\xb5s");
	assert_string_equal(absent, "default");
	assert_int_equal(n, 3);
	assert_true(x > 0.49 && x < 0.51);
	assert_true(on);
	assert_null(config_find(c, "Name"));
	cJSON_Delete(c);
}

#define REFUSED(text, message) assert_refused(text, sizeof(text) - 1, message)

static void bad_files(void **state)
{
	(void)state;
	REFUSED("{\"a\": 1,\n \"b\": oops}", ": not JSON at line 2, near \"oops}\"");
	REFUSED("{\"a\":\n oops,\n\t1}", ": not JSON at line 2, near \"oops,  1}\"");
	REFUSED("{\"a\": 1} more", ": not JSON at line 1, near \"more\"");
	REFUSED("{\"a\": {\"b\": 1, \"c\": 2, \"b\": 3}}", ": \"b\" stands twice in one object");
	REFUSED("{\n\n\"a\": \"\xc0\xaf\"}", ": line 3 is not UTF-8");
	REFUSED("{}\n\0{}", ": line 2 holds a NUL byte");
	REFUSED("", ": not JSON at line 1, near \"\"");
}

static void no_such_file(void **state)
{
	(void)state;
	struct err err = {0};
	assert_null(config_read(path_of("absent.json"), &err));
	assert_non_null(strstr(err.text, "cannot read "));
	assert_non_null(strstr(err.text, strerror(ENOENT)));
}

static void assert_value_refused(const char *json, const char *message)
{
	struct err err = {0};
	cJSON *c = cJSON_Parse(json);
	const char *text = NULL;
	long n = 0;
	double x = 0;
	bool on = false;
	int result = config_text(c, "case 2", "text", &text, &err);
	result |= config_int(c, "case 2", "n", &n, &err);
	result |= config_number(c, "case 2", "x", &x, &err);
	result |= config_bool(c, "case 2", "on", &on, &err);
	assert_int_equal(result, -1);
	assert_string_equal(err.text, message);
	cJSON_Delete(c);
}

static void wrong_types(void **state)
{
	(void)state;
	assert_value_refused("{\"text\": 1}", "case 2: \"text\" must be a text in quotes");
	assert_value_refused("{\"n\": 1.5}", "case 2: \"n\" must be a whole number");
	assert_value_refused("{\"n\": \"1\"}", "case 2: \"n\" must be a whole number");
	assert_value_refused("{\"n\": 1e300}", "case 2: \"n\" must be a whole number");
	assert_value_refused("{\"x\": null}", "case 2: \"x\" must be a number");
	assert_value_refused("{\"on\": 1}", "case 2: \"on\" must be true or false");
}

static void unknown_fields(void **state)
{
	(void)state;
	static const char *const names[] = {"experiment", "schedule", "size", NULL};
	struct err err = {0};
	cJSON *c = cJSON_Parse("{\"size\": 1, \"sched\": 2}");
	assert_int_equal(config_known(c, "case 1", names, &err), -1);
	assert_string_equal(
		err.text, "case 1: unknown field \"sched\"; did you mean \"schedule\"?");
	cJSON_Delete(c);

	err = (struct err){0};
	c = cJSON_Parse("{\"colour\": 1}");
	assert_int_equal(config_known(c, "case 1", names, &err), -1);
	assert_string_equal(
		err.text, "case 1: unknown field \"colour\"; known are experiment, schedule, size");
	cJSON_Delete(c);

	err = (struct err){0};
	c = cJSON_Parse("{\"size\": 1, \"experiment\": 2}");
	assert_int_equal(config_known(c, "case 1", names, &err), 0);
	assert_false(err.set);
	cJSON_Delete(c);
}

static void the_first_error_is_kept(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal((fail)(&err, "row %d is wrong", 3), -1);
	assert_int_equal((fail)(&err, "and so on"), -1);
	assert_string_equal(err.text, "row 3 is wrong");
	assert_int_equal(err_note(&err, "m.json"), -1);
	assert_string_equal(err.text, "m.json: row 3 is wrong");
	errno = ENOSPC;
	struct err full = {0};
	fail_errno(&full, "cannot write x");
	assert_non_null(strstr(full.text, strerror(ENOSPC)));
}

static void assert_content(const char *path, const char *wanted)
{
	struct err err = {0};
	size_t n = 0;
	char *text = read_small_file(path, 1000, &n, &err);
	assert_non_null(text);
	assert_int_equal(n, strlen(wanted));
	assert_string_equal(text, wanted);
	free(text);
}

/* Writes a file, and tells what it is then. */
static void write_changed(const char *path, const char *text, struct stat *st)
{
	struct err err = {0};
	struct outfile out;
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs(text, out.f);
	assert_int_equal(outfile_close_changed(&out, &err), 0);
	assert_int_equal(access(out.temporary, F_OK), -1);
	assert_content(path, text);
	assert_int_equal(stat(path, st), 0);
}

static void a_file_with_the_same_bytes_stays(void **state)
{
	(void)state;
	char path[300];
	struct stat first, again, other;
	snprintf(path, sizeof path, "%s/same.txt", folder);
	write_changed(path, "as long", &first);
	write_changed(path, "as long", &again);
	assert_int_equal(again.st_ino, first.st_ino);
	write_changed(path, "no less", &other);
	assert_int_not_equal(other.st_ino, first.st_ino);
	unlink(path);
}

static void a_file_appears_whole_or_not_at_all(void **state)
{
	(void)state;
	struct err err = {0};
	struct outfile out;
	char path[300];
	snprintf(path, sizeof path, "%s/deep/er/file.txt", folder);
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs("first", out.f);
	fflush(out.f);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(outfile_close(&out, &err), 0);
	outfile_drop(&out);
	assert_content(path, "first");

	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs("never seen", out.f);
	outfile_drop(&out);
	assert_content(path, "first");
	assert_int_equal(access(out.temporary, F_OK), -1);
	assert_false(err.set);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	struct err err = {0};
	struct outfile out;
	char path[300];
	snprintf(path, sizeof path, "%s/kept.txt", folder);
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs("kept", out.f);
	assert_int_equal(outfile_close(&out, &err), 0);

	assert_int_equal(outfile_open(&out, path, &err), 0);
	assert_non_null(freopen("/dev/full", "wb", out.f));
	for (int i = 0; i < 100000; i++)
		fputs("more than any buffer", out.f);
	assert_int_equal(outfile_close(&out, &err), -1);
	assert_non_null(strstr(err.text, "is the disk full?"));
	assert_content(path, "kept");
	assert_int_equal(access(out.temporary, F_OK), -1);
}

static void a_pipe_is_written_to_as_it_is(void **state)
{
	(void)state;
	struct err err = {0};
	struct outfile out;
	struct stat st;
	char path[300], got[16] = "";
	snprintf(path, sizeof path, "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	int end = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(end >= 0);
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs("through", out.f);
	assert_int_equal(outfile_close(&out, &err), 0);
	assert_int_equal(read(end, got, sizeof got - 1), 7);
	assert_string_equal(got, "through");
	assert_int_equal(outfile_open(&out, path, &err), 0);
	outfile_drop(&out);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(end);
}

static void a_folder_where_a_file_shall_be(void **state)
{
	(void)state;
	struct err err = {0};
	struct outfile out;
	assert_int_equal(outfile_open(&out, folder, &err), -1);
	assert_non_null(strstr(err.text, "is a folder"));
}

static void a_file_in_the_way_of_a_folder(void **state)
{
	(void)state;
	struct err err = {0};
	struct outfile out;
	const char *path = file_with("x", 1);
	char below[400];
	snprintf(below, sizeof below, "%s/below.txt", path);
	assert_int_equal(outfile_open(&out, below, &err), -1);
	assert_non_null(strstr(err.text, "m.json"));
}

static void a_file_that_is_too_large(void **state)
{
	(void)state;
	struct err err = {0};
	char *text = malloc(200000);
	memset(text, ' ', 200000);
	const char *path = file_with(text, 200000);
	assert_null(read_small_file(path, 150000, NULL, &err));
	assert_non_null(strstr(err.text, "is larger than 150000 bytes"));
	err = (struct err){0};
	size_t n = 0;
	char *read = read_small_file(path, 200000, &n, &err);
	assert_int_equal(n, 200000);
	free(read);
	free(text);
}

static void what_is_written_is_read_back(void **state)
{
	(void)state;
	struct err err = {0};
	cJSON *root = cJSON_CreateObject(), *same;
	cJSON_AddStringToObject(root, "name", "a \"b\"\n\x1b");
	cJSON_AddNumberToObject(root, "n", 12345678901);
	assert_int_equal(config_write(root, path_of("w.json"), &err), 0);
	same = config_read(path_of("w.json"), &err);
	assert_true(cJSON_Compare(root, same, true));
	cJSON_Delete(same);
	assert_int_equal(config_write(root, path_of("w.json/below"), &err), -1);
	assert_non_null(strstr(err.text, "w.json"));
	cJSON_Delete(root);
	unlink(path_of("w.json"));
}

static int make_folder(void **state)
{
	(void)state;
	const char *place = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/tracebook-config-XXXXXX", place ? place : P_tmpdir);
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	static const char *const left[] = {
		"pipe", "m.json", "kept.txt", "deep/er/file.txt", "deep/er", "deep"};
	int bad = 0;
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		bad |= remove(path_of(left[i]));
	return rmdir(folder) || bad ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_file),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(no_such_file),
		cmocka_unit_test(wrong_types),
		cmocka_unit_test(unknown_fields),
		cmocka_unit_test(the_first_error_is_kept),
		cmocka_unit_test(a_file_with_the_same_bytes_stays),
		cmocka_unit_test(a_file_appears_whole_or_not_at_all),
		cmocka_unit_test(a_full_disk_leaves_the_old_file),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(a_pipe_is_written_to_as_it_is),
		cmocka_unit_test(a_folder_where_a_file_shall_be),
		cmocka_unit_test(a_file_in_the_way_of_a_folder),
		cmocka_unit_test(a_file_that_is_too_large),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
