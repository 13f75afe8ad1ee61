/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/expectations.h"

#include "base/config.h"
#include "base/expectation.h"
#include "base/text_map.h"
#include "base/word_list.h"
#include "report/run/manifest.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- which trace is meant ---- */

static const char *tail_of(const char *path, int folders)
{
	const char *tail = path + strlen(path);
	for (; tail > path; tail--)
		if (tail[-1] == '/' && folders-- == 0)
			break;
	return tail;
}

const char *case_trace_file(struct arena *a, const struct report_case *c, int folders)
{
	const char *file = cJSON_GetStringValue(config_find(c->raw_entry, "trace"));
	const char *path = !c->raw_entry ? c->id
		: file			 ? arena_printf(a, "%s/%s", c->run->folder, file)
					 : "";
	return tail_of(path, folders);
}

bool case_is_named(const struct report_case *c, const char *name)
{
	struct arena scratch = {0};
	int folders = 0;
	for (const char *p = name; *p; p++)
		folders += *p == '/';
	const char *file = case_trace_file(&scratch, c, folders);
	bool named = !strcmp(c->id, name) || !strcmp(file, name) ||
		(*file && !fnmatch(name, file, FNM_PATHNAME));
	arena_release(&scratch);
	return named;
}

/* The first case of each name, filled in when it is first asked for. */
struct case_names {
	struct arena arena;
	struct text_map first;
};

struct case_names *case_names_new(void)
{
	return xcalloc(1, sizeof(struct case_names));
}

void case_names_free(struct case_names *names)
{
	if (names)
		arena_release(&names->arena);
	free(names);
}

/* By its id, and by its file with each number of folders. */
static void add_names(struct case_names *names, const struct report_case *c)
{
	enum { MOST_FOLDERS = 64 };
	struct arena *a = &names->arena;
	const char *path = case_trace_file(a, c, INT_MAX), *tail = NULL;
	text_map_add(&names->first, a, c->id, c);
	for (int folders = 0; tail != path && folders < MOST_FOLDERS; folders++) {
		tail = tail_of(path, folders);
		text_map_add(&names->first, a, tail, c);
	}
}

/* The first whose name it is to the letter. */
static const struct report_case *find_name(const struct input *in, const char *name)
{
	if (!in->names->first.first)
		for (const struct report_case *c = NULL; (c = next_case(in, c));)
			add_names(in->names, c);
	return text_map_find(&in->names->first, name);
}

const struct report_case *input_find_trace(const struct input *in, const char *name)
{
	if (in->names && !strpbrk(name, "*?[\\"))
		return find_name(in, name);
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (case_is_named(c, name))
			return c;
	return NULL;
}

/* ---- the form of the file ---- */

static int detector_ok(const cJSON *one, const char *key, struct err *err)
{
	bool pair = cJSON_IsObject(one);
	const char *id = cJSON_GetStringValue(pair ? config_find(one, "id") : one);
	const struct rule *d = rule_find(id);
	if (!d) {
		struct words list = {""};
		for (int i = 0; i < rule_findings(); i++)
			words_add(&list, rule_at(i)->id);
		return fail(err, "expect: \"%s\" names the detector \"%s\"; known are %s", key, id,
			list.text);
	}
	if (d->two && !pair)
		return fail(err,
			"expect: \"%s\": %s compares two traces: write {\"id\": \"%s\", \"case\": "
			"...}",
			key, id, id);
	if (!d->two && pair)
		return fail(err, "expect: \"%s\": %s looks at one trace and takes no \"case\"", key,
			id);
	return 0;
}

static int detectors_ok(const cJSON *expect, const char *key, struct err *err)
{
	const cJSON *one;
	cJSON_ArrayForEach(one, config_find(expect, key))
	{
		if (detector_ok(one, key, err))
			return -1;
	}
	return 0;
}

/* Before the traces are read nobody knows which cases there are. */
static bool perhaps_known(const void *context, const char *id)
{
	(void)context;
	(void)id;
	return true;
}

static int entry_ok(const cJSON *entry, const char *const *known, struct err *err)
{
	const struct case_ids any = {perhaps_known, NULL, ""};
	const char *text = NULL;
	bool whole = false;
	if (!cJSON_IsObject(entry))
		return fail(err, "must be an object: {\"trace\": ..., \"expect\": ...}");
	const cJSON *expect = config_find(entry, "expect");
	if (config_known(entry, "the trace", known, err) ||
		config_text(entry, "the trace", "trace", &text, err) ||
		config_text(entry, "the trace", "about", &text, err) ||
		config_text(entry, "the trace", "title", &text, err) ||
		config_text(entry, "the trace", "question", &text, err) ||
		config_text(entry, "the trace", "guess", &text, err) ||
		config_bool(entry, "the trace", "whole", &whole, err))
		return -1;
	if (!expect)
		return fail(err, "\"expect\" is missing");
	if (expectation_ok(expect, &any, err) || detectors_ok(expect, "must_fire", err))
		return -1;
	return detectors_ok(expect, "must_not_fire", err);
}

static int note_entry(const struct expectations *e, int i, struct err *err)
{
	if (!e->trace[i].name)
		return err_note(err, "%s", e->path);
	return err_note(err, "%s: trace %d (%s)", e->path, i + 1, e->trace[i].name);
}

static int read_list(struct expectations *e, const cJSON *list, struct err *err)
{
	static const char *const root[] = {
		"tracebook_expectations", "about", "widened", "thresholds", "traces", NULL};
	static const char *const known[] = {
		"trace", "about", "title", "question", "guess", "whole", "expect", NULL};
	if (config_known(e->root, "the file", root, err))
		return err_note(err, "%s", e->path);
	if (!cJSON_IsArray(list) || !list->child)
		return fail(err, "%s: \"traces\" must be a list of at least one trace", e->path);
	e->trace = xcalloc((size_t)cJSON_GetArraySize(list), sizeof *e->trace);
	const cJSON *entry;
	cJSON_ArrayForEach(entry, list)
	{
		struct expected_trace *t = &e->trace[e->n++];
		t->entry = entry;
		t->name = cJSON_GetStringValue(config_find(entry, "trace"));
		if (entry_ok(entry, known, err)) {
			t->name = t->name ? t->name : "no name";
			return note_entry(e, e->n - 1, err);
		}
		if (!t->name || !*t->name)
			return fail(err, "%s: trace %d: \"trace\" is missing: the name of its file",
				e->path, e->n);
	}
	return 0;
}

static int read_single(struct expectations *e, struct err *err)
{
	static const char *const known[] = {"tracebook_expectations", "traces", "thresholds",
		"about", "title", "question", "guess", "whole", "expect", NULL};
	e->trace = xcalloc(1, sizeof *e->trace);
	e->trace[e->n++].entry = e->root;
	return entry_ok(e->root, known, err) ? note_entry(e, 0, err) : 0;
}

int expectations_read(struct expectations *e, const char *path, struct err *err)
{
	long version = 1;
	e->path = path;
	e->root = config_read_named(path, err);
	if (!e->root)
		return -1;
	if (!cJSON_IsObject(e->root))
		return fail(err, "%s: no expectations: it must hold an object", path);
	if (config_int(e->root, "the file", "tracebook_expectations", &version, err))
		return err_note(err, "%s", path);
	if (version != 1)
		return fail(
			err, "%s: \"tracebook_expectations\" is %ld; known is 1", path, version);
	const cJSON *list = config_find(e->root, "traces");
	const cJSON *thresholds = config_find(e->root, "thresholds");
	if (thresholds && rule_set_thresholds(&e->settings, thresholds, err))
		return err_note(err, "%s", path);
	return list ? read_list(e, list, err) : read_single(e, err);
}

void expectations_release(struct expectations *e)
{
	cJSON_Delete(e->root);
	free(e->trace);
	*e = (struct expectations){0};
}

/* ---- giving them to the cases ---- */

struct known_names {
	const struct input *in;
	struct text_map entries; /* of the file, by their names */
};

static bool name_known(const void *context, const char *name)
{
	const struct known_names *k = context;
	return text_map_find(&k->entries, name) || input_find_trace(k->in, name);
}

static int partners_ok(const struct expectations *e, const struct input *in, struct err *err)
{
	struct known_names names = {.in = in};
	struct arena scratch = {0};
	const struct case_ids ids = {name_known, &names, "named in the file and was not read"};
	int i = 0;
	for (; i < e->n; i++)
		if (e->trace[i].name)
			text_map_add(&names.entries, &scratch, e->trace[i].name, &e->trace[i]);
	for (i = 0; i < e->n; i++)
		if (expectation_ok(config_find(e->trace[i].entry, "expect"), &ids, err))
			break;
	arena_release(&scratch);
	return i < e->n ? note_entry(e, i, err) : 0;
}

static const char *text_or(const cJSON *entry, const char *name, const char *otherwise)
{
	const char *s = cJSON_GetStringValue(config_find(entry, name));
	return s ? s : otherwise;
}

/* Several traces of one pattern are told apart by their files. */
static const char *title_of(
	struct arena *a, const struct report_case *c, const struct expected_trace *t)
{
	const char *title = text_or(t->entry, "title", NULL);
	if (!title)
		return c->title;
	bool pattern = t->name && strpbrk(t->name, "*?[");
	return pattern ? arena_printf(a, "%s (%s)", title, case_trace_file(a, c, 0)) : title;
}

static void give(struct arena *a, struct report_case *c, struct expected_trace *t)
{
	t->seen = true;
	c->expect = config_find(t->entry, "expect");
	c->whole = cJSON_IsTrue(config_find(t->entry, "whole"));
	c->title = without_links(a, title_of(a, c, t));
	c->question = without_links(a, text_or(t->entry, "question", c->question));
	c->guess = without_links(a, text_or(t->entry, "guess", c->guess));
	c->n_sentences = 0; /* those of the matrix are not what is judged */
}

/* The number of cases that got something. */
static int give_all(struct expectations *e, struct input *in, int *cases)
{
	int given = 0;
	*cases = 0;
	for (struct report_case *c = NULL; (c = next_case(in, c)); ++*cases) {
		int t = 0;
		while (t < e->n && e->trace[t].name && !case_is_named(c, e->trace[t].name))
			t++;
		if (t == e->n)
			continue;
		give(&in->arena, c, &e->trace[t]);
		given++;
	}
	return given;
}

static int nothing_fits(const struct expectations *e, const struct input *in, struct err *err)
{
	struct arena scratch = {0};
	struct words wanted = {""}, read = {""};
	for (int i = 0; i < e->n; i++)
		words_add(&wanted, e->trace[i].name);
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		words_add(&read, case_trace_file(&scratch, c, 0));
	fail(err, "%s: no trace that was read has a name of this file; it names %s; read were %s",
		e->path, wanted.text, read.text);
	arena_release(&scratch);
	return -1;
}

int expectations_apply(struct expectations *e, struct input *in, struct err *err)
{
	int cases;
	if (partners_ok(e, in, err))
		return -1;
	int given = give_all(e, in, &cases);
	if (!e->trace[0].name && cases != 1)
		return fail(err,
			"%s: it says of one trace what is expected, and %d were read; \"traces\" "
			"names several",
			e->path, cases);
	if (!given)
		return nothing_fits(e, in, err);
	input_judge(in);
	return 0;
}

void expectations_apply_base(struct expectations *e, struct input *base)
{
	struct err nothing_said = {0};
	bool *seen = xcalloc((size_t)e->n + 1, sizeof *seen);
	for (int i = 0; i < e->n; i++)
		seen[i] = e->trace[i].seen;
	expectations_apply(e, base, &nothing_said);
	for (int i = 0; i < e->n; i++)
		e->trace[i].seen = seen[i];
	free(seen);
}
