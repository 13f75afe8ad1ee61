/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/template_texts.h"

#include "base/min_max.h"
#include "base/names.h"
#include "base/outfile.h"
#include "base/text_builder.h"
#include "base/verbosity.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first ones are read at once: each output asks for them. */
enum { DATA_FILES = 8, READ_AT_ONCE = 3 };

static const char *const data_names[DATA_FILES] = {"text", "findings", "advice", "cheatsheet",
	"metrics", "questions", "chapters", "exercises"};

struct data_file {
	char *path;
	cJSON *root; /* NULL: not asked for yet */
};

struct colour {
	const cJSON *text;
	rgba value;
	bool known;
};

struct texts {
	char folder[4096];
	char lang[32];
	struct data_file *data; /* (DATA_FILES) */
	struct names key; /* of text.json: a document asks for thousands of its texts */
	const char **text; /* by the number of its key, lent */
	cJSON *english; /* text.json, for keys that another language lacks; NULL: there is none */
	size_t lacks; /* texts and files that stand in English instead */
	cJSON *theme;
	struct names colour_name; /* of the theme: each cell of a table asks for two */
	struct colour *colour; /* by the number of its name */
	struct err *missing; /* the first, told at the end */
};

static int has_theme(const char *folder)
{
	char path[4200];
	snprintf(path, sizeof path, "%s/theme.json", folder);
	return !access(path, R_OK);
}

static int find_folder(struct texts *t, const char *folder, struct err *err)
{
	char program[3000];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[max64(n, 0)] = '\0';
	char *slash = strrchr(program, '/');
	if (slash)
		*slash = '\0';
	const char *given = folder ? folder : getenv("TRACEBOOK_TEMPLATES");
	if (given)
		snprintf(t->folder, sizeof t->folder, "%s", given);
	static const char *const beside[] = {
		"/../../templates", "/../../../templates", "/../../../share/tracebook/templates"};
	for (size_t i = 0; !given && i < sizeof beside / sizeof *beside; i++) {
		snprintf(t->folder, sizeof t->folder, "%s%s", program, beside[i]);
		if (has_theme(t->folder))
			return 0;
	}
	if (!given)
		snprintf(t->folder, sizeof t->folder, "templates");
	if (has_theme(t->folder))
		return 0;
	return fail(err,
		"no templates: %s/theme.json is missing; name their folder in TRACEBOOK_TEMPLATES",
		t->folder);
}

/* How many of them were not there yet. */
static size_t index_file(struct texts *t, const cJSON *file)
{
	const cJSON *m;
	size_t added = 0;
	cJSON_ArrayForEach(m, file)
	{
		name_id id = cJSON_IsString(m) ? names_add_text(&t->key, m->string) : 0;
		added += id && !t->text[id];
		if (id && !t->text[id])
			t->text[id] = m->valuestring;
	}
	return added;
}

static void index_texts(struct texts *t)
{
	int n = cJSON_GetArraySize(t->data[0].root) + cJSON_GetArraySize(t->english);
	t->text = xcalloc((size_t)n + 1, sizeof *t->text);
	index_file(t, t->data[0].root);
	t->lacks += index_file(t, t->english);
	if (t->lacks)
		talk_warn("the language \"%s\" lacks %zu texts or files, which stand in English",
			t->lang, t->lacks);
}

static void index_colours(struct texts *t)
{
	const cJSON *colours = config_find(t->theme, "colours"), *m;
	t->colour = xcalloc((size_t)cJSON_GetArraySize(colours) + 1, sizeof *t->colour);
	cJSON_ArrayForEach(m, colours) t->colour[names_add_text(&t->colour_name, m->string)].text =
		m;
}

/* A file of the language, or of English where it has none. */
static char *path_of(struct texts *t, const char *name)
{
	char path[4300], english[4300];
	snprintf(path, sizeof path, "%s/%s/%s.json", t->folder, t->lang, name);
	snprintf(english, sizeof english, "%s/en/%s.json", t->folder, name);
	bool lacks = strcmp(t->lang, "en") != 0 && access(path, F_OK) && !access(english, R_OK);
	t->lacks += lacks;
	return xstrdup(lacks ? english : path);
}

/* NULL where no text has that key. */
static const char *text_of(const struct texts *t, const char *key)
{
	return t->text[names_find(&t->key, key)];
}

/* The part of an entry of the folder that is a template's name, or 0. */
static size_t is_template(const char *folder, const char *entry)
{
	(void)folder;
	size_t n = strlen(entry);
	bool json = n > 5 && !strcmp(entry + n - 5, ".json");
	return json && strcmp(entry, "theme.json") != 0 ? n - 5 : 0;
}

static size_t is_language(const char *folder, const char *entry)
{
	char path[4400];
	snprintf(path, sizeof path, "%s/%s/text.json", folder, entry);
	return *entry != '.' && !access(path, R_OK) ? strlen(entry) : 0;
}

typedef size_t name_of_entry(const char *folder, const char *entry);

/* Says what there is instead. */
static void not_there(const struct texts *t, const char *what, const char *name,
	name_of_entry *name_of, struct err *err)
{
	char list[600] = "";
	struct dirent **entry = NULL;
	int n = scandir(t->folder, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		size_t at = strlen(list), length = name_of(t->folder, entry[i]->d_name);
		if (length)
			snprintf(list + at, sizeof list - at, "%s%.*s", at ? ", " : "", (int)length,
				entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	fail(err, "there is no %s \"%s\" in %s; there %s %s", what, name, t->folder,
		strchr(list, ',') ? "are" : "is", *list ? list : "none");
}

struct texts *texts_open(const char *folder, const char *lang, struct err *err)
{
	struct texts *t = xcalloc(1, sizeof *t);
	t->missing = xcalloc(1, sizeof *t->missing);
	snprintf(t->lang, sizeof t->lang, "%s", lang);
	names_init(&t->key);
	names_init(&t->colour_name);
	t->data = xcalloc(DATA_FILES, sizeof *t->data);
	char path[4300];
	if (find_folder(t, folder, err))
		goto out;
	snprintf(path, sizeof path, "%s/%s", t->folder, t->lang);
	if (!t->lang[0] || strchr(t->lang, '/') || access(path, R_OK)) {
		not_there(t, "language", t->lang, is_language, err);
		goto out;
	}
	talk_detail("words of %s", path);
	snprintf(path, sizeof path, "%s/theme.json", t->folder);
	t->theme = config_read(path, err);
	for (int i = 0; i < DATA_FILES && !err->set; i++) {
		t->data[i].path = path_of(t, data_names[i]);
		t->data[i].root = i < READ_AT_ONCE ? config_read(t->data[i].path, err) : NULL;
	}
	snprintf(path, sizeof path, "%s/en/text.json", t->folder);
	if (strcmp(t->lang, "en") && !err->set && !access(path, R_OK))
		t->english = config_read(path, err);
out:
	if (err->set) {
		texts_close(t);
		return NULL;
	}
	index_texts(t);
	index_colours(t);
	return t;
}

void texts_close(struct texts *t)
{
	if (!t)
		return;
	for (int i = 0; i < DATA_FILES; i++) {
		cJSON_Delete(t->data[i].root);
		free(t->data[i].path);
	}
	free(t->data);
	cJSON_Delete(t->english);
	cJSON_Delete(t->theme);
	names_release(&t->key);
	names_release(&t->colour_name);
	free(t->colour);
	free(t->text);
	free(t->missing);
	free(t);
}

/* One that cannot be read is told at the end, like a text that is missing. */
static const cJSON *read_data(const struct texts *t, struct data_file *data)
{
	if (!data->root)
		data->root = config_read(data->path, t->missing);
	if (!data->root)
		data->root = cJSON_CreateObject();
	return data->root;
}

const cJSON *texts_data(const struct texts *t, const char *name)
{
	for (int i = 0; i < DATA_FILES; i++)
		if (!strcmp(data_names[i], name))
			return read_data(t, &t->data[i]);
	bug("there is no data file \"%s\"", name);
}

cJSON *texts_template(const struct texts *t, const char *name, struct err *err)
{
	char path[4300];
	snprintf(path, sizeof path, "%s/%s.json", t->folder, name);
	if (!strchr(name, '/') && !access(path, R_OK) && strcmp(name, "theme"))
		return config_read(path, err);
	not_there(t, "template", name, is_template, err);
	return NULL;
}

char *texts_file(const struct texts *t, const char *name, size_t *n, struct err *err)
{
	enum { MOST = 1 << 20 };
	char path[4300];
	snprintf(path, sizeof path, "%s/%s", t->folder, name);
	return read_small_file(path, MOST, n, err);
}

const char *texts_lang(const struct texts *t)
{
	return t->lang;
}

const char *texts_find(const struct texts *t, const char *key)
{
	const char *text = text_of(t, key);
	return text ? text : "";
}

int texts_error(const struct texts *t, struct err *err)
{
	return t->missing->set ? fail(err, "%s", t->missing->text) : 0;
}

static const char *value_of(const struct text_value *values, int n, const char *name, size_t length)
{
	for (int i = 0; i < n; i++)
		if (strlen(values[i].name) == length && !strncmp(values[i].name, name, length))
			return values[i].value;
	return NULL;
}

static void put_literal(struct text_builder *out, const char *value)
{
	for (const char *p = value; *p; p++) {
		if (strchr("\\`[]", *p) || (*p == '*' && p[1] == '*') || !strncmp(p, "¶", 2))
			text_add_bytes(out, "\\", 1);
		text_add_bytes(out, p, 1);
	}
}

/* The brace that closes the one at `p`, NULL without one before `end`. */
static const char *closing(const char *p, const char *end)
{
	int depth = 0;
	for (; p < end; p++) {
		depth += (*p == '{') - (*p == '}');
		if (!depth)
			return p;
	}
	return NULL;
}

/* Part `wanted` of "one|many|none", which ends at *end; *end becomes its own. NULL: there are
 * fewer. */
static const char *part_of(const char *parts, const char **end, int wanted)
{
	const char *begin = parts;
	int depth = 0;
	for (const char *p = parts; p < *end; p++) {
		depth += (*p == '{') - (*p == '}');
		if (*p != '|' || depth)
			continue;
		if (!wanted--) {
			*end = p;
			return begin;
		}
		begin = p + 1;
	}
	return wanted ? NULL : begin;
}

/* That which fits a count. Without a third part none is as many. */
static const char *part_for(const char *parts, const char **end, const char *value)
{
	const char *none = strcmp(value, "0") ? NULL : part_of(parts, end, 2);
	return none ? none : part_of(parts, end, strcmp(value, "1") != 0);
}

struct filling {
	const struct texts *t;
	struct text_builder *out;
	const char *file, *key;
	const struct text_value *values;
	int n;
};

static void fill(const struct filling *x, const char *text, const char *end)
{
	for (const char *p = text; p < end; p++) {
		const char *close = *p == '{' ? closing(p, end) : NULL;
		if (!close) {
			text_add_bytes(x->out, p, 1);
			continue;
		}
		bool raw = p[1] == '=';
		const char *name = p + 1 + raw;
		size_t length = strcspn(name, "?}");
		const char *value = value_of(x->values, x->n, name, length);
		if (!value) {
			fail(x->t->missing,
				"%s/%s/%s.json: \"%s\" asks for {%.*s}, which it is not given",
				x->t->folder, x->t->lang, x->file, x->key, (int)(length + raw),
				p + 1);
		} else if (name[length] == '?') {
			const char *last = close;
			const char *part = part_for(name + length + 1, &last, value);
			if (part)
				fill(x, part, last);
		} else if (raw) {
			text_add_bytes(x->out, value, strlen(value));
		} else {
			put_literal(x->out, value);
		}
		p = close;
	}
}

const char *fill_text(const struct texts *t, struct arena *a, const char *file, const char *key,
	const char *text, const struct text_value *values, int n)
{
	struct text_builder out = {.arena = a};
	if (!strchr(text, '{'))
		return arena_strdup(a, text);
	const struct filling x = {t, &out, file, key, values, n};
	fill(&x, text, text + strlen(text));
	return text_built(&out);
}

const char *missing_text(const struct texts *t, struct arena *a, const char *file, const char *key)
{
	fail(t->missing, "%s/%s/%s.json: there is no text \"%s\"", t->folder, t->lang, file, key);
	return arena_strdup(a, key);
}

const char *say_list(const struct texts *t, struct arena *a, const char *key, va_list args)
{
	enum { MOST = 16 };
	struct text_value values[MOST];
	int n = 0;
	for (const char *name; (name = va_arg(args, const char *));) {
		if (n == MOST)
			bug("too many values for \"%s\"", key);
		values[n++] = (struct text_value){name, va_arg(args, const char *)};
	}
	const char *text = text_of(t, key);
	return text ? fill_text(t, a, "text", key, text, values, n)
		    : missing_text(t, a, "text", key);
}

const char *say(const struct texts *t, struct arena *a, const char *key, ...)
{
	va_list args;
	va_start(args, key);
	const char *text = say_list(t, a, key, args);
	va_end(args);
	return text;
}

static rgba parse_colour(const struct texts *t, const char *name, const char *text)
{
	size_t n = text ? strlen(text) : 0;
	char *end = NULL;
	unsigned long v = n == 7 || n == 9 ? strtoul(text + 1, &end, 16) : 0;
	if (!end || *end || text[0] != '#') {
		fail(t->missing, "%s/theme.json: \"%s\" is no colour like \"#005A8E\"", t->folder,
			name);
		return 0x000000ff;
	}
	return (rgba)(n == 7 ? v << 8 | 0xff : v);
}

rgba texts_colour(const struct texts *t, const char *name)
{
	struct colour *c = &t->colour[names_find(&t->colour_name, name)];
	if (!c->known)
		c->value = parse_colour(t, name, cJSON_GetStringValue(c->text));
	c->known = c->text != NULL;
	return c->value;
}

struct bar_colours texts_bar(const struct texts *t, const char *name)
{
	const cJSON *m = config_find(config_find(t->theme, "bars"), name);
	rgba c[3];
	for (int i = 0; i < 3; i++)
		c[i] = parse_colour(t, name, cJSON_GetStringValue(cJSON_GetArrayItem(m, i)));
	return (struct bar_colours){c[0], c[1], c[2]};
}
