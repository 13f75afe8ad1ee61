/* SPDX-License-Identifier: Apache-2.0 */
/* The option table: parsing, messages, help. */
#include "base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct given {
	bool check;
	const char *out, *device;
	struct opt_list only, rest;
	struct err err;
};

static int parse(struct given *g, const char **argv)
{
	const struct opt table[] = {
		{"check", 0, OPT_FLAG, NULL, "judge", &g->check},
		{"out", 'o', OPT_TEXT, "FILE", "where to", &g->out},
		{"device", 'd', OPT_CHOICE, "auto|host|cuda", "which", &g->device},
		{"only", 0, OPT_LIST, "GLOB", "what", &g->only},
		{NULL, 0, OPT_FLAG, NULL, NULL, NULL},
	};
	static const struct usage usage = {"report", "PATH...", "Prints.", NULL, NULL};
	*g = (struct given){0};
	int argc = 0;
	while (argv[argc])
		argc++;
	return opt_parse(&usage, table, argc, (char **)argv, &g->rest, &g->err);
}

static void given_release(struct given *g)
{
	opt_list_release(&g->only);
	opt_list_release(&g->rest);
}

#define PARSE(g, ...) parse(g, (const char *[]){"report", __VA_ARGS__, NULL})

static void all_forms(void **state)
{
	(void)state;
	struct given g;
	assert_int_equal(PARSE(&g, "a.json", "--check", "--out=x.pdf", "--device", "host", "--only",
				 "64*", "--only=4096*", "b.json"),
		0);
	assert_true(g.check);
	assert_string_equal(g.out, "x.pdf");
	assert_string_equal(g.device, "host");
	assert_int_equal(g.only.n, 2);
	assert_string_equal(g.only.item[1], "4096*");
	assert_int_equal(g.rest.n, 2);
	assert_string_equal(g.rest.item[0], "a.json");
	assert_string_equal(g.rest.item[1], "b.json");
	given_release(&g);
}

static void short_options(void **state)
{
	(void)state;
	struct given g;
	assert_int_equal(PARSE(&g, "-o", "x.pdf", "-d", "cuda"), 0);
	assert_string_equal(g.out, "x.pdf");
	assert_string_equal(g.device, "cuda");
	assert_int_equal(g.rest.n, 0);
	given_release(&g);
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	struct given g;
	assert_int_equal(PARSE(&g, "--check", "--", "--out", "-"), 0);
	assert_int_equal(g.rest.n, 2);
	assert_string_equal(g.rest.item[0], "--out");
	assert_null(g.out);
	given_release(&g);
}

static void one_dash_is_a_path(void **state)
{
	(void)state;
	struct given g;
	assert_int_equal(PARSE(&g, "-"), 0);
	assert_int_equal(g.rest.n, 1);
	given_release(&g);
}

static void a_value_may_be_empty_or_hold_equals(void **state)
{
	(void)state;
	struct given g;
	assert_int_equal(PARSE(&g, "--out=a=b", "--only="), 0);
	assert_string_equal(g.out, "a=b");
	assert_string_equal(g.only.item[0], "");
	given_release(&g);
}

static void assert_refused(struct given *g, int result, const char *message)
{
	assert_int_equal(result, -1);
	assert_true(g->err.set);
	assert_string_equal(g->err.text, message);
	given_release(g);
}

static void wrong_usage(void **state)
{
	(void)state;
	struct given g;
	assert_refused(&g, PARSE(&g, "--chek"), "there is no option --chek; did you mean --check?");
	assert_refused(&g, PARSE(&g, "-x"), "there is no option -x; --help lists them");
	assert_refused(&g, PARSE(&g, "-ox"), "there is no option -ox; --help lists them");
	assert_refused(&g, PARSE(&g, "--out"), "--out needs a value: FILE");
	assert_refused(&g, PARSE(&g, "a", "-o"), "-o needs a value: FILE");
	assert_refused(&g, PARSE(&g, "--check=1"), "--check takes no value");
	assert_refused(&g, PARSE(&g, "--device", "gpu"),
		"--device takes one of auto|host|cuda, not \"gpu\"");
	assert_refused(&g, PARSE(&g, "--device", "hos"),
		"--device takes one of auto|host|cuda, not \"hos\"");
	assert_refused(
		&g, PARSE(&g, "--device="), "--device takes one of auto|host|cuda, not \"\"");
	assert_refused(
		&g, PARSE(&g, "-o", "a", "--out", "b"), "--out is given twice: \"a\" and \"b\"");
}

/* --check stands for something done beside others, --device=cuda for something done alone. */
static int parse_modes(struct given *g, const char **argv)
{
	const struct opt table[] = {
		{"check", 0, OPT_FLAG, NULL, "judge", &g->check},
		{"out", 'o', OPT_TEXT, "FILE", "where to", &g->out},
		{"device", 'd', OPT_CHOICE, "auto|host|cuda", "which", &g->device},
		{"only", 0, OPT_LIST, "GLOB", "what", &g->only},
		{NULL, 0, OPT_FLAG, NULL, NULL, NULL},
	};
	static const struct opt_mode modes[] = {
		{"device=cuda", "only", true},
		{"check", "device=host", false},
		{"device=host", "out", false},
		{"", "out only device", false},
		{NULL, NULL, false},
	};
	int parsed = parse(g, argv);
	return parsed ? parsed : opt_check_modes(table, modes, &g->err);
}

#define MODES(g, ...) parse_modes(g, (const char *[]){"report", __VA_ARGS__, NULL})

static void assert_accepted(struct given *g, int result)
{
	if (result)
		fail_msg("%s", g->err.text);
	given_release(g);
}

static void options_without_effect(void **state)
{
	(void)state;
	struct given g;
	assert_accepted(&g, MODES(&g, "x"));
	assert_accepted(&g, MODES(&g, "-o", "f", "--only", "a", "--only", "b", "-d", "auto"));
	assert_accepted(&g, MODES(&g, "--check", "-d", "host", "-o", "f"));
	assert_accepted(&g, MODES(&g, "--only", "a", "-d", "cuda"));
	assert_refused(&g, MODES(&g, "-o", "f", "--check"), "--out has no effect with --check");
	assert_refused(
		&g, MODES(&g, "--check", "-d", "auto"), "--device has no effect with --check");
	assert_refused(
		&g, MODES(&g, "--check", "-d", "cuda"), "--check has no effect with --device cuda");
	assert_refused(&g, MODES(&g, "-d", "host", "--only", "a"),
		"--only has no effect with --device host");
}

static void help(void **state)
{
	(void)state;
	bool flag;
	const char *text = NULL;
	const struct opt table[] = {
		{"check", 0, OPT_FLAG, NULL, "judge the expectations", &flag},
		{"out", 'o', OPT_TEXT, "FILE", "where the report goes", &text},
		{NULL, 0, OPT_FLAG, NULL, NULL, NULL},
	};
	const struct usage usage = {
		"report", "PATH...", "Prints a report.", "exit status: 0 done", NULL};
	char *printed = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&printed, &n);
	opt_help(f, &usage, table);
	fclose(f);
	assert_string_equal(printed,
		"usage: report [options] PATH...\n\nPrints a report.\n\noptions:\n"
		"      --check                          judge the expectations\n"
		"  -o, --out FILE                       where the report goes\n"
		"  -h, --help                           print this\n"
		"\nexit status: 0 done\n");
	free(printed);
}

static void asking_for_help_stops(void **state)
{
	(void)state;
	struct given g;
	fflush(stdout);
	int saved = dup(1);
	assert_non_null(freopen("/dev/null", "w", stdout));
	int result = PARSE(&g, "a", "--help", "--nonsense");
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	assert_int_equal(result, 1);
	assert_false(g.err.set);
	given_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms),
		cmocka_unit_test(short_options),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(one_dash_is_a_path),
		cmocka_unit_test(a_value_may_be_empty_or_hold_equals),
		cmocka_unit_test(wrong_usage),
		cmocka_unit_test(options_without_effect),
		cmocka_unit_test(help),
		cmocka_unit_test(asking_for_help_stops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
