/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/cut.h"

#include "base/outfile.h"
#include "report/parse/gzip_out.h"
#include "report/parse/strict.h"
#include "report/read/cut_flows.h"
#include "report/read/event_in.h"
#include "report/read/parts.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* What reads the file again hands each event and each member on to. */
struct cut {
	struct byte_taker taker; /* first: this is what the reader knows of it */
	const struct trace *trace;
	FILE *f;
	uint32_t
		*row; /* (n_rows) the trace's row of each row of the file + 1, 0: it is not there */
	size_t n_rows, row_at; /* rows of the file; met so far */
	size_t end_at; /* ends of spans met so far */
	bool any; /* an event is written: a comma is due */
	char *later; /* members that stand behind the events */
	size_t n_later;
	FILE *members;
	struct flows flows;
};

static void put_event(struct cut *c, const char *begin, size_t n)
{
	fputs(c->any ? ",\n" : "\"traceEvents\": [\n", c->f);
	strict_put(c->f, begin, n);
	c->any = true;
}

static uint32_t row_of(const struct cut *c, size_t file_row)
{
	return file_row < c->n_rows ? c->row[file_row] : 0;
}

/* A row, when the reader just made one; it forgets it again. */
static bool take_row(struct cut *c, struct part *p, bool *stays)
{
	if (!p->rows.n)
		return false;
	uint32_t row = row_of(c, c->row_at++);
	*stays = row;
	if (row)
		flows_lane(&c->flows, p->rows.lane[0], row - 1);
	p->rows.n = 0;
	return true;
}

static bool take_end(struct cut *c, struct part *p, bool *stays)
{
	if (!p->n_marks)
		return false;
	bool end = p->marks[0].end;
	p->n_marks = 0;
	if (!end)
		return false;
	const struct file_order *f = &c->trace->file;
	uint32_t begin = c->end_at < f->n_ends ? f->begin[c->end_at] : NO_ROW;
	c->end_at++;
	*stays = begin != NO_ROW && row_of(c, begin);
	return true;
}

/* What is no row: metadata, and what has a time. */
static bool stays_otherwise(const struct cut *c, const struct raw_event *raw)
{
	const struct trace_part *part = &c->trace->part;
	if (raw->phase == 'M' || !seen_number(raw, RAW_TS))
		return raw->phase == 'M' || !strchr("XBEbeSFniIRC", raw->phase);
	int64_t at = raw->number[RAW_TS] - c->trace->file.clock_ns;
	return at >= part->from_ns && at < part->to_ns;
}

static void take_event(struct byte_taker *taker, struct reader *r, const char *begin)
{
	struct cut *c = (struct cut *)taker;
	const struct coming coming = {r->part, &r->raw, begin, 0};
	bool stays = false;
	bool end = take_end(c, r->part, &stays);
	if (take_row(c, r->part, &stays) || end)
		; /* decided */
	else if (r->raw.phase && strchr("stf", r->raw.phase))
		flows_take(&c->flows, &coming);
	else
		stays = stays_otherwise(c, &r->raw);
	if (stays)
		put_event(c, begin, (size_t)(r->raw.end - begin));
}

/* A document behind the first has no members of its own. */
static void take_member(
	struct byte_taker *taker, struct reader *r, const char *key, const char *value, bool text)
{
	struct cut *c = (struct cut *)taker;
	if (r->part->n_documents > 1 || !strcmp(key, CUT_MEMBER))
		return;
	FILE *f = c->any ? c->members : c->f;
	fputs(c->any ? ",\n\"" : "\"", f);
	strict_put_text(f, key, strlen(key));
	fputs(text ? "\": \"" : "\": ", f);
	(text ? strict_put_text : strict_put)(f, value, strlen(value));
	fputs(text ? "\"" : "", f);
	fputs(c->any ? "" : ",\n", f);
}

/* ---- the file ---- */

void part_json(struct json_out *j, const char *key, const struct trace_part *p)
{
	json_object(j, key, JSON_INLINE);
	json_text(j, "of", p->of);
	json_bool(j, "of_whole", !p->cut_off);
	json_int(j, "from_ns", p->from_ns);
	json_int(j, "to_ns", p->to_ns);
	json_int(j, "whole_ns", p->whole_ns);
	json_int(j, "rows", p->rows);
	json_int(j, "earlier", p->earlier);
	json_int(j, "earlier_ns", p->earlier_ns);
	if (p->first_step >= 0) {
		json_int(j, "first_step", p->first_step);
		json_int(j, "last_step", p->last_step);
	}
	if (p->range) {
		json_text(j, "range", p->range);
		json_int(j, "nth", p->nth);
		json_int(j, "ranges", p->ranges);
	}
	if (p->rank >= 0)
		json_int(j, "rank", p->rank);
	json_end(j);
}

static void put_part(struct cut *c)
{
	fputs("{\n\"" CUT_MEMBER "\": ", c->f);
	struct json_out j;
	json_init(&j, c->f);
	part_json(&j, NULL, &c->trace->part);
	fputs(",\n", c->f);
}

/* Do documents count from bases of their own? Their stamps mean nothing in one list. */
static bool has_several_clocks(const struct part *p)
{
	for (size_t i = 1; i < p->n_documents; i++)
		if (p->documents[i].base_ns != p->documents[0].base_ns)
			return true;
	return false;
}

static int copy_events(struct cut *c, struct err *err)
{
	const char *path = c->trace->path;
	struct source *s = source_open(path, 1, err);
	if (!s)
		return -1;
	struct part part;
	struct reader r;
	part_init(&part, 0);
	reader_init(&r, &part, s, WINDOW_CHUNK, 0, SCAN_AVX512);
	r.taker = &c->taker;
	event_parser_takes_all(r.parser);
	flows_init(&c->flows, c->trace, &part);
	put_part(c);
	reader_run(&r);
	flows_put(&c->flows, &c->taker);
	int result = has_several_clocks(&part)
		? fail(err, "--cut: %s holds several documents, each with a clock of its own", path)
		: c->row_at < c->n_rows ? fail(err, "%s was changed while it was read", path)
					: 0;
	flows_release(&c->flows);
	reader_release(&r);
	part_release(&part);
	source_close(s);
	return result;
}

static void put_flow(struct byte_taker *taker, const char *text, size_t n)
{
	put_event((struct cut *)taker, text, n);
}

static int write_events(const struct trace *t, FILE *f, struct err *err)
{
	struct cut c = {.taker = {take_event, take_member, put_flow}, .trace = t, .f = f};
	for (size_t i = 0; i < t->n; i++)
		c.n_rows = t->file.row[i] >= c.n_rows ? t->file.row[i] + 1 : c.n_rows;
	c.row = xcalloc(c.n_rows, sizeof *c.row);
	for (size_t i = 0; i < t->n; i++)
		c.row[t->file.row[i]] = (uint32_t)i + 1;
	c.members = open_memstream(&c.later, &c.n_later);
	int result = c.members ? copy_events(&c, err) : fail(err, "no memory for a part");
	if (c.members)
		fclose(c.members);
	fputs("\n]", f);
	fwrite(c.later, 1, c.n_later, f);
	fputs("\n}\n", f);
	free(c.later);
	free(c.row);
	return result;
}

static bool ends_with(const char *path, const char *suffix)
{
	size_t n = strlen(path), of = strlen(suffix);
	return n > of && !strcasecmp(path + n - of, suffix);
}

int cut_check(const struct trace *t, const char *path, struct err *err)
{
	struct stat st;
	if (!t->file.json)
		return fail(err,
			"--cut writes what it reads of JSON, and %s is none: report its part as it is",
			t->path);
	if (stat(t->path, &st) || !S_ISREG(st.st_mode))
		return fail(err, "--cut reads a trace twice: %s is no file", t->path);
	if (strcmp(path, "-") != 0 && !ends_with(path, ".json") && !ends_with(path, ".json.gz"))
		return fail(err, "--cut writes .json or .json.gz, and %s ends with neither", path);
	return 0;
}

int cut_write(const struct trace *t, const char *path, struct err *err)
{
	struct outfile out;
	if (outfile_open(&out, path, err))
		return -1;
	FILE *f = ends_with(path, ".gz") ? gzip_out(out.f, CUT_MEMBER) : out.f;
	int result = f ? write_events(t, f, err) : fail(err, "no memory to pack %s", path);
	if (f && f != out.f && (ferror(f) | fclose(f)) && !result)
		result = fail_errno(err, "cannot write %s", path);
	if (result) {
		outfile_drop(&out);
		return -1;
	}
	return outfile_close(&out, err);
}

/* ---- what such a file says of itself ---- */

static int64_t told(const cJSON *part, const char *key, int64_t least)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(part, key);
	double n = cJSON_IsNumber(v) ? v->valuedouble : -1;
	return n >= (double)least && n < 1e18 ? (int64_t)n : least;
}

static const char *told_text(struct arena *a, const cJSON *part, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(part, key));
	return text ? arena_strdup(a, text) : NULL;
}

void cut_read_member(struct trace *t)
{
	const char *json = trace_meta(t, CUT_MEMBER);
	cJSON *part = json ? cJSON_Parse(json) : NULL;
	if (cJSON_IsObject(part))
		t->part = (struct trace_part){.of = told_text(&t->arena, part, "of"),
			.from_ns = told(part, "from_ns", 0),
			.to_ns = told(part, "to_ns", 0),
			.whole_ns = told(part, "whole_ns", 0),
			.first_step = told(part, "first_step", -1),
			.last_step = told(part, "last_step", -1),
			.range = told_text(&t->arena, part, "range"),
			.nth = told(part, "nth", -1),
			.ranges = told(part, "ranges", 0),
			.rank = told(part, "rank", -1),
			.rows = told(part, "rows", 0),
			.earlier = told(part, "earlier", 0),
			.earlier_ns = told(part, "earlier_ns", 0)};
	t->part.cut_off = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(part, "of_whole"));
	cJSON_Delete(part);
}
