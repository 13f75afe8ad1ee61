/* SPDX-License-Identifier: Apache-2.0 */
/* Words and colours from a folder of the test's own: places, escaping, and what is missing. */
#include "report/page/rich_text.h"
#include "tests/unit/page.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[1000];

static const char *path_of(const char *name)
{
	return arena_printf(&arena, "%s/%s", folder, name);
}

static void put_file(const char *name, const char *content)
{
	FILE *f = fopen(path_of(name), "w");
	assert_non_null(f);
	fputs(content, f);
	assert_int_equal(fclose(f), 0);
}

static const char words[] =
	"{\"plain\": \"Nothing to fill\", \"one\": \"{n} kernels\", \"raw\": \"{=n} and {n}\","
	"\"count\": \"{n} {n?kernel|kernels}{m?, one of {k}|, {m} of {k}|}.\", \"two\": \"{n?one|many}\","
	"\"twice\": \"{a}{b}{a}\", \"open\": \"a { b\", \"number\": 7, \"empty\": \"\","
	"\"link\": \"[{title} \u00b6](#{=place})\", \"unknown\": \"{moon} and {sun}\"}";

static void put_all(void)
{
	put_file("theme.json",
		"{\"colours\": {\"ink\": \"#123456\", \"soft\": \"#12345678\", \"name\": \"red\","
		"\"short\": \"#123\", \"odd\": \"#12345g\", \"list\": [\"#123456\"]},"
		"\"bars\": {\"gemm\": [\"#000001\", \"#000002\", \"#00000380\"],"
		"\"two\": [\"#000001\", \"#000002\"]}}");
	put_file("xx/text.json", words);
	put_file("xx/cheatsheet.json", "{\"about\": \"c\"}");
	put_file("xx/metrics.json", "{\"about\": \"m\"}");
	put_file("xx/findings.json", "{\"about\": \"f\"}");
	put_file("xx/questions.json", "{\"about\": \"q\"}");
	put_file("xx/advice.json", "{\"about\": \"a\"}");
	put_file("xx/chapters.json", "{\"about\": \"c\"}");
	put_file("xx/exercises.json", "{\"about\": \"x\"}");
	put_file("mine.json", "{\"sections\": [\"summary\"]}");
}

static struct texts *own;

static int set_up(void **state)
{
	const char *place = getenv("TMPDIR");
	(void)state;
	snprintf(folder, sizeof folder, "%s/texts-XXXXXX", place ? place : P_tmpdir);
	if (!mkdtemp(folder) || mkdir(path_of("xx"), 0777))
		return -1;
	put_all();
	struct err err = {0};
	own = texts_open(folder, "xx", &err);
	if (!own)
		print_message("%s\n", err.text);
	return own ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const files[] = {"theme.json", "xx/text.json", "xx/cheatsheet.json",
		"xx/metrics.json", "xx/findings.json", "xx/questions.json", "xx/advice.json",
		"xx/chapters.json", "xx/exercises.json", "mine.json"};
	texts_close(own);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(path_of(files[i]));
	rmdir(path_of("xx"));
	rmdir(folder);
	return clear_arena(state);
}

static void assert_no_error(void)
{
	struct err err = {0};
	if (texts_error(own, &err))
		fail_msg("%s", err.text);
}

static void assert_error(const char *part, const char *other)
{
	struct err err = {0};
	assert_int_equal(texts_error(own, &err), -1);
	assert_says(err.text, part);
	assert_says(err.text, other);
}

static void places(void **state)
{
	(void)state;
	assert_string_equal(say(own, &arena, "plain", NULL), "Nothing to fill");
	assert_string_equal(say(own, &arena, "one", "n", "5", NULL), "5 kernels");
	assert_string_equal(say(own, &arena, "one", "nn", "6", "n", "", NULL), " kernels");
	assert_string_equal(say(own, &arena, "twice", "a", "1", "b", "{a}", NULL), "1{a}1");
	assert_string_equal(say(own, &arena, "open", NULL), "a { b");
	assert_string_equal(say(own, &arena, "empty", NULL), "");
	assert_no_error();
}

static void words_follow_their_number(void **state)
{
	(void)state;
	assert_string_equal(say(own, &arena, "count", "n", "1", "m", "1", "k", "|?}", NULL),
		"1 kernel, one of |?}.");
	assert_string_equal(say(own, &arena, "count", "n", "2", "m", "3", "k", "4", NULL),
		"2 kernels, 3 of 4.");
	assert_string_equal(
		say(own, &arena, "count", "n", "0", "m", "0", "k", "4", NULL), "0 kernels.");
	assert_string_equal(say(own, &arena, "two", "n", "0", NULL), "many");
	assert_no_error();
	say(own, &arena, "count", "n", "2", "m", "2", NULL);
	assert_error("\"count\" asks for {k}", "/xx/text.json");
}

static void values_are_no_markup(void **state)
{
	(void)state;
	assert_string_equal(
		say(own, &arena, "raw", "n", "**a** `b`", NULL), "**a** `b` and \\**a\\** \\`b\\`");
	assert_string_equal(say(own, &arena, "one", "n", "2 * 3", NULL), "2 * 3 kernels");
	assert_no_error();
}

/* Whatever a value holds, the page shows it, and the link around it stays whole. */
static void any_value_survives(void **state)
{
	static const char *const signs[] = {"*", "**", "`", "[", "]", "(", ")", "](#x)", "\\", "¶",
		"µ", "#", "{", "}", "a", "b c", "<", "&", "|", "→"};
	(void)state;
	struct rich_style style = {.face = FACE_SANS, .size = 8, .leading = 10};
	uint32_t seed = 1;
	for (int round = 0; round < 3000; round++) {
		char value[100] = "";
		for (uint32_t n = 1 + next_random(&seed) % 8; n; n--)
			strncat(value, signs[next_random(&seed) % 20],
				sizeof value - strlen(value) - 1);
		const char *text = say(own, &arena, "one", "n", value, NULL);
		assert_string_equal(
			rich_plain(&arena, text), arena_printf(&arena, "%s kernels", value));
		text = say(own, &arena, "link", "title", value, "place", "there", NULL);
		struct rich r = rich_layout(&arena, fonts, NULL, text, 1e4, &style);
		const char *seen = "";
		for (int i = 0; i < r.n_words; i++) {
			assert_non_null(r.word[i].link);
			assert_string_equal(r.word[i].link, "#there");
			seen = arena_printf(&arena, "%s%s%s", seen, i && r.word[i].space ? " " : "",
				r.word[i].text);
		}
		const char *start = value + strspn(value, " ");
		assert_string_equal(seen, arena_printf(&arena, "%s 0", start));
		clear_arena(NULL);
	}
	assert_no_error();
}

static void a_missing_key_is_told(void **state)
{
	(void)state;
	assert_string_equal(say(own, &arena, "nowhere", NULL), "nowhere");
	assert_string_equal(say(own, &arena, "number", NULL), "number");
	assert_error("there is no text \"nowhere\"", "/xx/text.json");
}

static void a_place_nobody_fills_is_told(void **state)
{
	(void)state;
	say(own, &arena, "unknown", "mars", "4", NULL);
	assert_error("\"unknown\" asks for {moon}", "/xx/text.json");
}

static void keys_without_places(void **state)
{
	(void)state;
	assert_string_equal(texts_find(own, "plain"), "Nothing to fill");
	assert_string_equal(texts_find(own, "nowhere"), "");
	assert_string_equal(texts_find(own, "number"), "");
	assert_no_error();
	assert_string_equal(texts_lang(own), "xx");
	assert_non_null(texts_data(own, "metrics"));
}

static void colours(void **state)
{
	(void)state;
	assert_int_equal(texts_colour(own, "ink"), 0x123456ff);
	assert_int_equal(texts_colour(own, "soft"), 0x12345678);
	struct bar_colours bar = texts_bar(own, "gemm");
	assert_int_equal(bar.fill, 0x000001ff);
	assert_int_equal(bar.edge, 0x000002ff);
	assert_int_equal(bar.label, 0x00000380);
	assert_no_error();
}

static void what_is_no_colour_is_told(void **state)
{
	static const char *const names[] = {"name", "short", "odd", "list", "nowhere"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct err err = {0};
		struct texts *fresh = texts_open(folder, "xx", &err);
		texts_colour(fresh, names[i]);
		assert_int_equal(texts_error(fresh, &err), -1);
		assert_says(err.text, arena_printf(&arena, "\"%s\" is no colour", names[i]));
		assert_says(err.text, "theme.json");
		texts_close(fresh);
	}
	texts_bar(own, "two");
	assert_error("\"two\" is no colour", "theme.json");
}

static void templates(void **state)
{
	(void)state;
	struct err err = {0};
	cJSON *mine = texts_template(own, "mine", &err);
	assert_int_equal(cJSON_GetArraySize(config_find(mine, "sections")), 1);
	cJSON_Delete(mine);
	static const char *const none[] = {"other", "theme", "../mine", "xx/text", ""};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		err = (struct err){0};
		assert_null(texts_template(own, none[i], &err));
		assert_says(err.text, arena_printf(&arena, "no template \"%s\"", none[i]));
	}
}

static void languages(void **state)
{
	static const char *const none[] = {"yy", "", "..", "xx/..", "../xx"};
	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		struct err err = {0};
		assert_null(texts_open(folder, none[i], &err));
		assert_true(err.set);
		assert_says(err.text, folder);
	}
	struct err err = {0};
	assert_null(texts_open("/nonexistent", "xx", &err));
	assert_says(err.text, "/nonexistent/theme.json");
}

/* Every language that comes with the program can be opened, and all its colours are colours. */
static void our_own(void **state)
{
	static const char *const bars[] = {"gemm", "copy", "setup", "op", "launch"};
	(void)state;
	struct err err = {0};
	assert_string_equal(texts_lang(texts), "en");
	texts_colour(texts, "ink");
	for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
		texts_bar(texts, bars[i]);
	assert_int_equal(texts_error(texts, &err), 0);
}

int main(void)
{
#define TEXTS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEXTS_TEST(places),
		TEXTS_TEST(words_follow_their_number),
		TEXTS_TEST(values_are_no_markup),
		TEXTS_TEST(any_value_survives),
		TEXTS_TEST(a_missing_key_is_told),
		TEXTS_TEST(a_place_nobody_fills_is_told),
		TEXTS_TEST(keys_without_places),
		TEXTS_TEST(colours),
		TEXTS_TEST(what_is_no_colour_is_told),
		TEXTS_TEST(templates),
		TEXTS_TEST(languages),
		TEXTS_TEST(our_own),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
