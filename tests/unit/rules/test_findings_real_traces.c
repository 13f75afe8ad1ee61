/* SPDX-License-Identifier: Apache-2.0 */
/* The detectors over every real trace at hand: nothing crashes, every number is one, every sentence
 * has what it asks for. Ten of them were checked by hand (tests/data/detect/checked.md): there
 * exactly these fire. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "base/config.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/streams.h"
#include "report/read/read.h"
#include "tests/unit/detecting.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

static cJSON *words;

struct real {
	struct trace trace;
	struct arena arena;
	struct analysis a;
	struct health h;
	struct idle_causes l;
	struct streams s;
	struct findings f;
};

/* False when the file is no trace. */
static bool detect_file(struct real *r, const char *path)
{
	struct err err = {0};
	*r = (struct real){0};
	trace_init(&r->trace);
	if (trace_read(&r->trace, path, &(struct read_options){0}, &err))
		return false;
	r->a = analysis_of(&r->arena, &r->trace);
	r->h = health_of(&r->trace);
	r->l = idle_causes_of(&r->arena, &r->a);
	r->s = streams_of(&r->arena, &r->a);
	struct breakdown p = breakdown_of(&r->arena, &r->a, &r->l);
	struct rules_in in = {&r->a, &r->h, &r->l, &r->s, NULL, NULL, &p.blame.whole};
	r->f = rules_all(&r->arena, &in, NULL);
	return true;
}

static void real_release(struct real *r)
{
	arena_release(&r->arena);
	trace_release(&r->trace);
}

static const char *shared_path(const char *file, char *path, size_t room)
{
	const char *shared = getenv("TRACEBOOK_SHARED");
	snprintf(path, room, "%s/traces/%s", shared ? shared : "../shared", file);
	return path;
}

static const cJSON *entry_of(const char *id)
{
	const cJSON *entry;
	cJSON_ArrayForEach(entry,
		config_find(words, "findings")) if (!strcmp(config_find(entry, "id")->valuestring,
							    id)) return entry;
	fail_msg("no words for %s", id);
	return NULL;
}

/* What the sentence asks for is known. */
static void assert_sayable(const char *path, const struct finding *f)
{
	const cJSON *entry = entry_of(f->rule->id);
	const char *reason = finding_reason_name(f->reason);
	const char *s = cJSON_GetStringValue(config_find(config_find(entry, "sentences"), reason));
	s = s ? s : cJSON_GetStringValue(config_find(entry, "sentence"));
	for (const char *p = strchr(s, '{'); p; p = strchr(p + 1, '{')) {
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(p + 1, "?}"), p + 1);
		const struct finding_value *v = finding_value(f, name);
		if (strncmp(name, "threshold.", 10) != 0 && (!v || !v->known))
			fail_msg("%s: %s (%s) does not know {%s}", path, f->rule->id, reason, name);
	}
}

static void assert_sound_finding(const char *path, const struct real *r, const struct finding *f)
{
	const struct rule *d = f->rule;
	for (int i = 0; i < RULE_VALUES && d->value[i].name; i++) {
		assert_true(isfinite(f->value[i].number));
		if (f->value[i].known && d->value[i].unit == UNIT_TEXT)
			assert_non_null(f->value[i].text);
		if (f->value[i].known && d->value[i].unit == UNIT_SHARE &&
			(f->value[i].number > 1.0001 && strcmp(d->value[i].name, "mean_off") != 0 &&
				strcmp(d->value[i].name, "share") != 0))
			fail_msg("%s: %s.%s is %g of a whole", path, d->id, d->value[i].name,
				f->value[i].number);
	}
	assert_true(f->give_back_ns >= 0 && f->give_back_ns <= f->ceiling_ns);
	assert_true((size_t)f->n_evidence <= f->n_events);
	for (int i = 0; i < f->n_evidence; i++)
		assert_true(f->evidence[i] < r->trace.n);
	if (f->state != FINDING_FIRED)
		return;
	if (!f->n_evidence)
		fail_msg("%s: %s has no evidence", path, d->id);
	assert_sayable(path, f);
}

static int read_traces, refused;

static int look_at(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)place;
	struct real r;
	if (type != FTW_F || strstr(path, ".tsv") || strstr(path, "TRUTH.json"))
		return 0;
	if (!detect_file(&r, path)) {
		refused++;
		return 0;
	}
	read_traces++;
	assert_regime_agrees(path, &r.a, &r.f);
	for (int i = 0; i < r.f.n; i++)
		assert_sound_finding(path, &r, &r.f.finding[i]);
	real_release(&r);
	return 0;
}

static bool are_here(void)
{
	char path[4096];
	if (!access(shared_path("kineto", path, sizeof path), R_OK))
		return true;
	print_message("no real traces here: %s is missing\n", path);
	return false;
}

static void all_traces(void **state)
{
	(void)state;
	char path[4096];
	if (!are_here())
		skip();
	shared_path("", path, sizeof path);
	assert_int_equal(nftw(path, look_at, 16, FTW_PHYS), 0);
	print_message("%d traces, %d files refused\n", read_traces, refused);
	assert_true(read_traces > 90);
}

/* ---- the ten that were checked by hand ---- */

/* checked.md: a heading for each file, below it a row for each detector that fires there. */
struct checked {
	char file[256];
	char fired[2048]; /* labels, each with a blank behind it */
	int files, right, wrong;
};

static void assert_same(struct checked *c)
{
	char path[4096], fired[2048] = "";
	struct real r;
	if (!c->file[0])
		return;
	assert_true(detect_file(&r, shared_path(c->file, path, sizeof path)));
	for (int k = 0, used = 0; k < r.f.n; k++)
		if (r.f.finding[k].state == FINDING_FIRED)
			used += snprintf(fired + used, sizeof fired - (size_t)used, "%s ",
				rule_label(r.f.finding[k].rule));
	if (strcmp(fired, c->fired) != 0)
		fail_msg("%s: fired\n%s, not\n%s", c->file, fired, c->fired);
	real_release(&r);
	c->files++;
}

static void take_line(struct checked *c, const char *line)
{
	char id[32], verdict[32];
	if (!strncmp(line, "## ", 3)) {
		assert_same(c);
		snprintf(c->file, sizeof c->file, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
		c->fired[0] = '\0';
	} else if (sscanf(line, "| %31s | %31s |", id, verdict) == 2 && rule_find(id)) {
		size_t used = strlen(c->fired);
		snprintf(c->fired + used, sizeof c->fired - used, "%s ", id);
		c->right += !strcmp(verdict, "right");
		c->wrong += !strcmp(verdict, "wrong");
	}
}

static void checked_by_hand(void **state)
{
	(void)state;
	if (!are_here())
		skip();
	struct checked c = {0};
	char line[4096], precision[80] = "", stated[80] = "";
	FILE *f = fopen("tests/data/detect/checked.md", "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (!strncmp(line, "Precision", 9))
			snprintf(stated, sizeof stated, "%.79s", line);
		take_line(&c, line);
	}
	fclose(f);
	assert_same(&c);
	assert_int_equal(c.files, 10);
	snprintf(precision, sizeof precision, "Precision here: %d of %d findings right.\n", c.right,
		c.right + c.wrong);
	assert_string_equal(stated, precision);
}

/* Self times by plain Python: the smallest row around each, less what its children cover. */
static void self_times(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		double total, beyond, overlaps;
	} real[] = {{"kineto/h100_transformer_tutorial_step1.json", 3191000, 155000, 35},
		{"kineto/h100_falconsai_nsfw.json.gz", 16255249, 55530, 2},
		{"kineto/bnb_linear_a100.json", 17847000, 0, 0}};
	if (!are_here())
		skip();
	for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
		struct real r;
		char path[4096];
		assert_true(detect_file(&r, shared_path(real[i].file, path, sizeof path)));
		const struct finding *d1 = NULL;
		for (int k = 0; k < r.f.n; k++)
			if (!strcmp(r.f.finding[k].rule->id, "DISPATCH-CHAIN"))
				d1 = &r.f.finding[k];
		assert_non_null(d1);
		double total = finding_value(d1, "total")->number;
		assert_true(total == real[i].total);
		assert_true(finding_value(d1, "self")->number - total == real[i].beyond);
		assert_true(finding_value(d1, "overlaps")->number == real[i].overlaps);
		real_release(&r);
	}
}

/* Comparing any with any other: nothing crashes, every number is one. */
static void any_pair(void **state)
{
	(void)state;
	if (!are_here())
		skip();
	static const char *const files[] = {"kineto/h100_falconsai_nsfw.json.gz",
		"kineto/mi300x_torch_compile_triton.json.gz", "kineto/dtu_cpu.json",
		"kineto/bnb_linear_a100.json", "chrome/clang11_small.json",
		"kineto/hta_triton_example.json.gz"};
	enum { FILES = sizeof files / sizeof *files };
	struct real r[FILES];
	char path[4096];
	struct facts *side[FILES];
	for (int i = 0; i < FILES; i++) {
		assert_true(detect_file(&r[i], shared_path(files[i], path, sizeof path)));
		struct rules_in in = {&r[i].a, &r[i].h, &r[i].l, &r[i].s, NULL, NULL, NULL};
		side[i] = rules_side(&in);
	}
	for (int i = 0; i < FILES * FILES; i++) {
		struct real *base = &r[i / FILES], *seen = &r[i % FILES];
		struct arena arena = {0};
		struct findings f = rules_pair(&arena, side[i / FILES], side[i % FILES], NULL);
		for (int k = 0; k < f.n; k++) {
			assert_sound_finding(files[i % FILES], seen, &f.finding[k]);
			/* Against itself nothing has changed. */
			if (base == seen)
				assert_int_not_equal(f.finding[k].state, FINDING_FIRED);
		}
		arena_release(&arena);
	}
	for (int i = 0; i < FILES; i++) {
		rules_side_free(side[i]);
		real_release(&r[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_traces),
		cmocka_unit_test(checked_by_hand),
		cmocka_unit_test(self_times),
		cmocka_unit_test(any_pair),
	};
	struct err err = {0};
	words = config_read("templates/en/findings.json", &err);
	if (!words) {
		print_error("%s\n", err.text);
		return 1;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	cJSON_Delete(words);
	return failed;
}
