/* SPDX-License-Identifier: Apache-2.0 */
/* Where a step's time goes: every split sums to its whole, to the nanosecond, whatever nests,
 * crosses or overlaps. */
#include "report/figure/figures.h"
#include "report/figure/step_time.h"

#include "report/page/layout.h"
#include "report/read/read.h"
#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

#include <dirent.h>

static struct made_trace made;
static struct arena own;
static struct analysis analysis;

static int tear_down(void **state)
{
	made_release(&made);
	arena_release(&own);
	own = (struct arena){0};
	made = (struct made_trace){0};
	return clear_arena(state);
}

static void assert_exact(const struct step_split *s)
{
	int64_t host = 0, device = s->idle_ns;
	for (int b = 0; b < BARS; b++) {
		if (s->ns[b] < 0)
			fail_msg("bar %d has %lld ns", b, (long long)s->ns[b]);
		*(b < BAR_GEMM ? &host : &device) += s->ns[b];
	}
	assert_int_equal(host, s->host_ns);
	assert_int_equal(device, s->device_ns);
	assert_true(s->idle_ns >= 0);
}

static struct step_split split(uint32_t step)
{
	struct step_split s = split_step(&analysis, &analysis.steps[step]);
	assert_exact(&s);
	return s;
}

static void seal(void)
{
	made_seal(&made);
	analysis = analysis_of(&own, &made.trace);
}

static void assert_us(int64_t ns, double us)
{
	assert_int_equal(ns, (int64_t)(us * 1000 + 0.5));
}

/* ---- the host ---- */

static void host_time_by_class(void **state)
{
	(void)state;
	made_add(&made, EVENT_ANNOTATION, "ProfilerStep#2", 100, 200, 0);
	made_add(&made, EVENT_ANNOTATION, "mlp_fwd", 102, 190, 0);
	made_add(&made, EVENT_OP, "Torch-Compiled Region: 0/0", 104, 180, 0);
	made_add(&made, EVENT_OP, "aten::mm", 110, 150, 0);
	made_add(&made, EVENT_RUNTIME, "cudaLaunchKernel", 120, 140, 1);
	made_add(&made, EVENT_RUNTIME, "cudaMemcpyAsync", 152, 160, 2);
	made_add(&made, EVENT_RUNTIME, "cudaDeviceSynchronize", 182, 188, 0);
	made_add(&made, EVENT_OP, "aten::elsewhere", 120, 130, 0)->track = MADE_OTHER_THREAD;
	made_add(&made, EVENT_OP, "aten::later", 205, 210, 0);
	made_add(&made, EVENT_KERNEL, GEMM_NN, 130, 400, 1);
	seal();
	struct step_split s = split(0);
	assert_us(s.host_ns, 100);
	assert_us(s.ns[BAR_ANNOTATION], 12 + (88 - 76 - 6)); /* the step's and the range's own */
	assert_us(s.ns[BAR_COMPILE], 76 - 40 - 8);
	assert_us(s.ns[BAR_OP], 20);
	assert_us(s.ns[BAR_LAUNCH], 20 + 8);
	assert_us(s.ns[BAR_SYNC], 6);
	assert_us(s.ns[BAR_SETUP], 0);
}

/* First-call work counts once, whatever it stands in and whatever stands in it; the profiler's own
 * rows, on a track apart, stop the thread as well. */
static void first_call_work_counts_once(void **state)
{
	(void)state;
	made_add(&made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&made, EVENT_OP, "aten::mm", 10, 90, 0);
	made_add(&made, EVENT_OP, "primitive creation", 20, 50, 0)->extra = "setup";
	made_add(&made, EVENT_OP, "library load", 25, 30, 0)->extra = "setup";
	made_add(&made, EVENT_OP, "aten::inner", 35, 45, 0);
	made_add(&made, EVENT_RUNTIME, "cudaLaunchKernel", 60, 80, 1);
	made_add(&made, EVENT_OVERHEAD, "Activity Buffer Request", 65, 75, 0)->track =
		MADE_OTHER_THREAD;
	made_add(&made, EVENT_KERNEL, GEMM_NN, 85, 95, 1);
	seal();
	struct step_split s = split(0);
	assert_us(s.ns[BAR_SETUP], 30 + 10);
	assert_int_equal(s.ns[BAR_SETUP], analysis.steps[0].setup_ns);
	assert_us(s.ns[BAR_LAUNCH], 10);
	assert_us(s.ns[BAR_OP], 80 - 30 - 20);
	assert_us(s.ns[BAR_ANNOTATION], 20);
}

static void spans_that_cross_share_the_time(void **state)
{
	(void)state;
	made_add(&made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&made, EVENT_OP, "aten::a", 10, 60, 0);
	made_add(&made, EVENT_OP, "aten::crossing", 50, 70, 0);
	made_add(&made, EVENT_OP, "aten::over the end", 90, 130, 0);
	seal();
	struct step_split s = split(0);
	assert_us(s.host_ns, 100);
	assert_us(s.ns[BAR_OP], 60 + 10);
	assert_us(s.ns[BAR_ANNOTATION], 30);
	assert_us(s.device_ns, 0);
}

/* ---- the device ---- */

static const struct made_work TWO[] = {{GEMM_NN, 30}, {ADD, 10}, {NULL, 0}};

static void device_time_by_kind(void **state)
{
	(void)state;
	made_step(&made, 0, 0, 40, TWO);
	seal();
	struct step_split s = split(0);
	assert_us(s.device_ns, 80);
	assert_us(s.idle_ns, 40);
	assert_us(s.ns[BAR_GEMM], 30);
	assert_us(s.ns[BAR_POINTWISE], 10);
}

/* The second step is asked for while the device is still at the first: its own part begins when the
 * first is done. */
static void queued_work_of_others_is_left_out(void **state)
{
	(void)state;
	made_step(&made, 0, 0, 5, TWO); /* 5 to 45 */
	made_step(&made, 1, 10, 36, TWO); /* 46 to 86 */
	made_step(&made, 2, 20, 66, TWO); /* 86 to 126 */
	seal();
	assert_us(split(1).device_ns, 41);
	assert_us(split(1).idle_ns, 1);
	assert_us(split(2).device_ns, 40);
	assert_us(split(2).idle_ns, 0);
}

/* Work of another step on a second stream in between: not idle, not the step's own. */
static void others_in_between_are_other_work(void **state)
{
	(void)state;
	made_step(&made, 0, 0, 20, TWO); /* 20 to 50, 50 to 60 */
	made_add(&made, EVENT_RUNTIME, "cudaLaunchKernel", 100, 101, 900);
	made_add(&made, EVENT_KERNEL, "other", 45, 55, 900)->track = MADE_STREAM2;
	made_add(&made, EVENT_KERNEL, "orphan", 58, 70, 901)->track = MADE_STREAM2;
	seal();
	struct step_split s = split(0);
	assert_us(s.device_ns, 60);
	assert_us(s.ns[BAR_GEMM], 30);
	assert_us(s.ns[BAR_DEVICE_OTHER], 5);
	assert_us(s.ns[BAR_POINTWISE], 5);
	assert_us(s.idle_ns, 20);
}

/* ---- any trace ---- */

static void add_random_step(uint32_t *random, int number, double at)
{
	char *name = arena_printf(&own, "ProfilerStep#%d", number);
	double end = at + 40 + next_random(random) % 100;
	made_add(&made, EVENT_ANNOTATION, name, at, end, 0);
	for (int i = 0; i < 12; i++) {
		double from = at + next_random(random) % 90;
		double to = from + 1 + next_random(random) % 40;
		uint32_t id = (uint32_t)(number * 100 + i + 1);
		bool call = next_random(random) % 2;
		struct made_event *e = made_add(&made, call ? EVENT_RUNTIME : EVENT_OP,
			call ? "cudaLaunchKernel" : "aten::add", from, to, call ? id : 0);
		if (!call && next_random(random) % 3 == 0)
			e->extra = "setup";
		if (!call)
			continue;
		double start = from + next_random(random) % 120;
		e = made_add(&made, EVENT_KERNEL, i % 2 ? GEMM_NN : ADD, start,
			start + next_random(random) % 60, id);
		if (next_random(random) % 4 == 0)
			e->track = MADE_STREAM2;
	}
}

static void random_splits_are_exact(void **state)
{
	uint32_t random = 5;
	for (int round = 0; round < 400; round++) {
		for (int i = 0; i < 5; i++)
			add_random_step(&random, i, 150.0 * i + next_random(&random) % 10);
		seal();
		for (uint32_t s = 0; s < analysis.n_steps; s++)
			split(s);
		tear_down(state);
	}
	made_step(&made, 0, 0, 5, TWO); /* for the last tear_down */
	seal();
}

static int check_file(const char *path)
{
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){0}, &err))
		return 0;
	struct arena a = {0};
	analysis = analysis_of(&a, &t);
	int n = 0;
	for (; n < (int)analysis.n_steps && n < 6; n++)
		split((uint32_t)n);
	arena_release(&a);
	trace_release(&t);
	return n;
}

static void real_splits_are_exact(void **state)
{
	const char *shared = getenv("TRACEBOOK_SHARED");
	const char *folder = arena_printf(&own, "%s/traces/kineto", shared ? shared : "../shared");
	DIR *dir = opendir(folder);
	(void)state;
	made_step(&made, 0, 0, 5, TWO); /* for tear_down */
	seal();
	if (!dir) {
		print_message("no traces in TRACEBOOK_SHARED or ../shared\n");
		skip();
	}
	int steps = 0;
	for (const struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] != '.' && !strstr(e->d_name, "MB"))
			steps += check_file(arena_printf(&own, "%s/%s", folder, e->d_name));
	closedir(dir);
	assert_in_range(steps, 20, 1000);
}

/* ---- the figure ---- */

static struct step_bars_row row_of(
	const char *title, const char *note, double host_us, double gemm_us)
{
	struct step_bars_row r = {.title = title, .note = note};
	r.split.host_ns = (int64_t)(host_us * 1000);
	r.split.ns[BAR_OP] = r.split.host_ns / 2;
	r.split.ns[BAR_LAUNCH] = r.split.host_ns - r.split.ns[BAR_OP];
	r.split.ns[BAR_GEMM] = (int64_t)(gemm_us * 1000);
	r.split.idle_ns = gemm_us > 0 ? 2000 : 0;
	r.split.device_ns = r.split.ns[BAR_GEMM] + r.split.idle_ns;
	return r;
}

static const char *draw(struct step_bars *s)
{
	s->texts = texts;
	s->fonts = fonts;
	static struct step_bars_key key;
	key = (struct step_bars_key){0};
	s->key = &key;
	step_bars_count(s);
	step_bars_plan(s, &arena, document_width);
	return draw_figure(step_bars_draw, s, s->width, s->height);
}

/* Drawing writes nothing of what it reads: the same again, whatever was drawn before. */
static void drawn_again_it_is_the_same(void **state)
{
	struct step_bars_row rows[] = {row_of("One", NULL, 10, 20), row_of("Other", NULL, 12, 0)};
	struct step_bars s = {.title = "A group", .row = rows, .n = 2};
	(void)state;
	const char *first = draw(&s);
	const struct step_bars was = s;
	const struct step_bars_key key = *s.key;
	assert_string_equal(draw_figure(step_bars_draw, &s, s.width, s.height), first);
	assert_memory_equal(&s, &was, sizeof s);
	assert_memory_equal(s.key, &key, sizeof key);
	assert_null(strstr(first, "\"idle\""));
	assert_says(draw_figure(step_bars_draw_legend, &s, s.width, s.height), "\"idle\"");
}

/* A document whose stacks share a legend, with text of several heights between them. */
static const struct layout *stacks_on_pages(struct document *d, struct step_bars *s, int n)
{
	document_init(d, &arena, texts, fonts);
	d->title = d->subject = d->footer = "test";
	for (int i = 0; i < n; i++) {
		for (int line = 0; line < i % 7; line++)
			document_add(d, BLOCK_TEXT, "a line");
		step_bars_plan(&s[i], &arena, document_width);
		figure_add(d, &step_time_figure, arena_printf(&arena, "s%d", i), "a stack", &s[i])
			->legend = s[i].key;
	}
	return layout_document(&arena, d);
}

/* The legend stands below the first of a page only, and shows what any of them has; drawn a second
 * time, the pages are the same. */
static void one_legend_a_page(void **state)
{
	enum { STACKS = 60 };
	(void)state;
	struct step_bars_row rows[] = {row_of("One", NULL, 10, 20), row_of("Other", NULL, 12, 0)};
	rows[1].split.ns[BAR_SETUP] = 3000;
	struct step_bars_key key = {0};
	struct step_bars s[STACKS];
	for (int i = 0; i < STACKS; i++) {
		s[i] = (struct step_bars){.texts = texts,
			.fonts = fonts,
			.title = "A group",
			.row = &rows[i % 2],
			.n = 1,
			.key = &key};
		step_bars_count(&s[i]);
	}
	struct document d;
	const struct layout *l = stacks_on_pages(&d, s, STACKS);
	const char *pages[2];
	for (int i = 0; i < 2; i++) {
		struct drawing drawing;
		begin_drawing(&drawing);
		layout_draw(l, drawing.canvas);
		pages[i] = finish_drawing(&drawing);
	}
	assert_string_equal(pages[1], pages[0]);
	assert_in_range(l->n_pages, 3, STACKS / 3);
	int n = 0;
	for (const char *p = strstr(pages[0], "\npage "); p; n++) {
		const char *next = strstr(p + 1, "\npage ");
		const char *page = arena_strndup(&arena, p, next ? (size_t)(next - p) : strlen(p));
		assert_int_equal(count_calls(page, "text \"first call\""), 1);
		assert_int_equal(count_calls(page, "text \"GEMM\""), 1);
		assert_true(count_calls(page, "text \"A group\"") > 1);
		p = next;
	}
	assert_in_range(n, l->n_pages - 1, l->n_pages);
}

/* The last number of the nth line that begins with `start`. */
static double width_of_rect(const char *drawn, const char *fill, int nth)
{
	for (const char *p = drawn; (p = strstr(p, fill)); p++)
		if (!nth--) {
			double x, y, w, h;
			assert_int_equal(
				sscanf(p + strlen(fill), " %lf %lf %lf %lf", &x, &y, &w, &h), 4);
			return w;
		}
	fail_msg("no more %s", fill);
	return 0;
}

static void bars_of_one_group_share_a_scale(void **state)
{
	struct step_bars_row rows[] = {
		row_of("one", NULL, 10, 100), row_of("two", "step 2", 5, 50)};
	struct step_bars s = {.title = "A group", .row = rows, .n = 2};
	(void)state;
	const char *drawn = draw(&s);
	assert_null(s.note);
	assert_int_equal(s.whole_ns, 102000); /* of the longest pair, for host and device */
	double all = document_width - 118 - 64;
	assert_close(width_of_rect(drawn, "rect #B5DAF3FF", 0), all * 5 / 102);
	double first = width_of_rect(drawn, "rect #005A8EFF", 0);
	assert_close(width_of_rect(drawn, "rect #005A8EFF", 1), first / 2);
	assert_says(drawn, "\"GEMM 100 µs\"");
	assert_says(drawn, "\"host 10.0 µs\"");
	assert_says(drawn, "\"device 52.0 µs\"");
	assert_says(drawn, "\"step 2\"");
	assert_int_equal(count_calls(drawn, "text \"idle\""), 0);
	drawn = draw_figure(step_bars_draw_legend, &s, s.width, s.height);
	assert_int_equal(count_calls(drawn, "text \"idle\""), 1);
}

static void bars_too_different_stand_alone(void **state)
{
	struct step_bars_row rows[] = {row_of("one", NULL, 10, 100),
		row_of("a title that is longer than the column allows it to be", NULL, 12, 9000)};
	struct step_bars s = {.title = "A group", .row = rows, .n = 2};
	(void)state;
	const char *drawn = draw(&s);
	assert_int_equal(s.whole_ns, 0);
	assert_string_equal(s.note, texts_find(texts, "step_bars.own"));
	/* A title of two lines has the step behind it. */
	rows[1].note = "step 2";
	drawn = draw(&s);
	assert_says(drawn, " · step 2\"");
	assert_null(strstr(drawn, "\"step 2\""));
	assert_says(drawn, s.note);
	double full = document_width - 118 - 64;
	assert_close(width_of_rect(drawn, "rect #005A8EFF", 0), full * 100 / 102);
	assert_close(width_of_rect(drawn, "rect #005A8EFF", 1), full * 9000 / 9002);
	/* Host and device of a pair keep one scale, however far apart they are. */
	assert_close(width_of_rect(drawn, "rect #B5DAF3FF", 1), fmax(full * 6 / 9002, 0.6));
}

/* Idle time stands where it was: before the product, not behind it. */
static void the_device_is_drawn_in_its_order(void **state)
{
	struct step_bars_row rows[] = {row_of("one", NULL, 10, 50)};
	rows[0].split.idle_ns = 50000;
	rows[0].split.device_ns = 100000;
	rows[0].split.device.at[0] = (struct step_stretch){40000, BARS};
	rows[0].split.device.at[1] = (struct step_stretch){50000, BAR_GEMM};
	rows[0].split.device.at[2] = (struct step_stretch){10000, BARS};
	rows[0].split.device.n = 3;
	struct step_bars s = {.title = "A group", .row = rows, .n = 1};
	(void)state;
	const char *drawn = draw(&s);
	assert_says(drawn, "\"idle 40.0 µs\"");
	assert_true(strstr(drawn, "idle 40.0") < strstr(drawn, "GEMM 50.0"));
	assert_true(strstr(drawn, "GEMM 50.0") < strstr(drawn, "idle 10.0"));
}

/* The step to show is one that finds the device free, when the typical one does not, but never the
 * first: nothing that is quoted is of that. */
static void a_step_that_found_the_device_free_is_shown(void **state)
{
	(void)state;
	made_step(&made, 0, 0, 5, TWO); /* 5 to 45 */
	made_step(&made, 1, 10, 36, TWO); /* queued up to 46 */
	made_step(&made, 2, 20, 66, TWO);
	seal();
	assert_int_equal(step_to_show(&analysis), 1);
	made_step(&made, 3, 200, 205, TWO);
	seal();
	assert_int_equal(step_to_show(&analysis), 3);
	assert_int_equal(split(0).device.at[0].bar, BARS);
	assert_us(split(0).device.at[0].ns, 5);
	assert_int_equal(split(0).device.n, 3);
}

static void a_case_without_device_has_one_bar(void **state)
{
	struct step_bars_row rows[] = {row_of("host only", NULL, 10, 0)};
	struct step_bars s = {.title = "A group", .row = rows, .n = 1};
	(void)state;
	const char *drawn = draw(&s);
	assert_null(strstr(drawn, "device"));
	assert_false(s.key->idle);
	struct err err = {0};
	assert_int_equal(texts_error(texts, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(drawn_again_it_is_the_same, clear_arena),
		cmocka_unit_test_teardown(one_legend_a_page, clear_arena),
		cmocka_unit_test_teardown(host_time_by_class, tear_down),
		cmocka_unit_test_teardown(first_call_work_counts_once, tear_down),
		cmocka_unit_test_teardown(spans_that_cross_share_the_time, tear_down),
		cmocka_unit_test_teardown(device_time_by_kind, tear_down),
		cmocka_unit_test_teardown(queued_work_of_others_is_left_out, tear_down),
		cmocka_unit_test_teardown(others_in_between_are_other_work, tear_down),
		cmocka_unit_test_teardown(random_splits_are_exact, tear_down),
		cmocka_unit_test_teardown(real_splits_are_exact, tear_down),
		cmocka_unit_test_teardown(bars_of_one_group_share_a_scale, clear_arena),
		cmocka_unit_test_teardown(bars_too_different_stand_alone, clear_arena),
		cmocka_unit_test_teardown(the_device_is_drawn_in_its_order, clear_arena),
		cmocka_unit_test_teardown(a_step_that_found_the_device_free_is_shown, tear_down),
		cmocka_unit_test_teardown(a_case_without_device_has_one_bar, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
