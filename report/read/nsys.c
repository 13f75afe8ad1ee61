/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/nsys.h"

#include "base/text_builder.h"
#include "report/read/event_in.h"
#include "report/read/nsys_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#define PREFIX "CUPTI_ACTIVITY_KIND_"

/* A row is at least ten bytes and takes less than a step a byte; a page that is said to stand at
 * many places takes more. Texts cost a step for each 16 bytes. */
enum { STEPS = 10000, STEPS_PER_BYTE = 16, STEPS_FREE = 1000000, TEXT_BYTES_PER_STEP = 16 };

enum { LONGEST_TEXT = 1 << 24, CHECK_MEMORY = 256, HEADER = 16 };

bool nsys_is_database(const struct source *s)
{
	static const char magic[HEADER] = "SQLite format 3";
	char head[HEADER];
	struct source *look = source_split(s, 0);
	bool is = look && source_read(look, head, HEADER) == HEADER && !memcmp(head, magic, HEADER);
	source_close(look);
	return is;
}

static int count_work(void *nsys)
{
	struct nsys *x = nsys;
	return --x->work < 0;
}

/* Tables are read, and nothing else is done. */
static int only_reads(
	void *nsys, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)nsys, (void)a, (void)b, (void)c, (void)d;
	return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static void note(struct nsys *x, enum repair_kind kind)
{
	repair_note(&x->r->part->repairs, kind, 1, PLACE_IN_TABLE, x->table, strlen(x->table));
}

/* ---- texts ---- */

uint32_t nsys_text(struct nsys *x, const char *at, size_t n, enum text_form form)
{
	return strings_add(&x->r->part->texts, at, n, form, PLACE_IN_TABLE);
}

static uint32_t ask_string(struct nsys *x, int64_t id)
{
	uint32_t text = 0;
	if (!x->string)
		return 0;
	sqlite3_bind_int64(x->string, 1, id);
	int status = sqlite3_step(x->string);
	if (status == SQLITE_ROW && sqlite3_column_int64(x->string, 0) == id) {
		const void *at = sqlite3_column_blob(x->string, 1);
		size_t n = (size_t)sqlite3_column_bytes(x->string, 1);
		x->work -= (int64_t)n / (TEXT_BYTES_PER_STEP * STEPS);
		text = nsys_text(x, at ? at : "", n, TEXT_PLAIN);
	} else if (status != SQLITE_ROW && status != SQLITE_DONE) {
		const char *table = x->table;
		x->table = "StringIds";
		note(x, REPAIR_DATABASE);
		x->table = table;
	}
	sqlite3_reset(x->string);
	return text;
}

uint32_t nsys_string(struct nsys *x, int64_t id)
{
	size_t i = (size_t)id & (NSYS_KNOWN - 1);
	if (!x->known[i].text || x->known[i].id != id) {
		x->known[i].id = id;
		x->known[i].text = ask_string(x, id);
	}
	return x->known[i].text;
}

/* ---- events ---- */

void nsys_begin(struct nsys *x, char phase)
{
	made_begin(&x->made, phase, x->table);
}

void nsys_give(struct nsys *x, enum raw_text_of i, uint32_t text)
{
	made_text(&x->made, i, text);
}

void nsys_number(struct nsys *x, enum raw_number i, int64_t value)
{
	made_number(&x->made, i, value);
}

void nsys_add_text(struct nsys *x, const char *text, size_t n)
{
	struct part *p = x->r->part;
	x->made.raw.end = text + n;
	x->events += x->made.raw.phase != 'M';
	part_add(p, &x->made.raw, text, PLACE_IN_TABLE);
	if (x->events % CHECK_MEMORY || part_bytes(p) <= x->r->memory)
		return;
	note(x, REPAIR_MEMORY);
	x->stopped = true;
}

void nsys_add(struct nsys *x)
{
	nsys_add_text(x, x->table, strlen(x->table));
}

/* ---- tables ---- */

static const char *const column_names[] = {
#define COLUMN_NAME(name, column) [NSYS_##name] = column,
	NSYS_COLUMNS(COLUMN_NAME)};

/* A table that stores rows, as others may run code of their own. */
static bool is_table(struct nsys *x, const char *table)
{
	bool is = false;
	if (!x->tables &&
		sqlite3_prepare_v2(x->db,
			"SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", -1,
			&x->tables, NULL))
		x->tables = NULL;
	sqlite3_bind_text(x->tables, 1, table, -1, SQLITE_STATIC);
	if (x->tables && sqlite3_step(x->tables) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(x->tables, 0);
		is = sql && !strncasecmp(sql, "CREATE TABLE", strlen("CREATE TABLE"));
	}
	sqlite3_reset(x->tables);
	return is;
}

/* The bits of the columns that a table has. */
static uint64_t columns_of(struct nsys *x, const char *table)
{
	struct arena a = {0};
	sqlite3_stmt *all;
	uint64_t has = 0;
	const char *sql = arena_printf(&a, "SELECT * FROM \"%s\"", table);
	if (!sqlite3_prepare_v2(x->db, sql, -1, &all, NULL)) {
		for (int i = 0; i < sqlite3_column_count(all); i++)
			for (int c = 0; c < NSYS_COLUMN_COUNT; c++)
				if (!sqlite3_stricmp(sqlite3_column_name(all, i), column_names[c]))
					has |= 1ull << c;
		sqlite3_finalize(all);
	}
	arena_release(&a);
	return has;
}

static sqlite3_stmt *select_columns(struct nsys *x, const char *table, uint64_t columns)
{
	struct arena a = {0};
	struct text_builder sql = {.arena = &a};
	sqlite3_stmt *rows = NULL;
	text_add(&sql, "SELECT ");
	for (uint64_t left = columns; left; left &= left - 1)
		text_add(&sql, "%s\"%s\"", left == columns ? "" : ", ",
			column_names[__builtin_ctzll(left)]);
	text_add(&sql, " FROM \"%s\"", table);
	if (sqlite3_prepare_v2(x->db, text_built(&sql), -1, &rows, NULL))
		rows = NULL;
	arena_release(&a);
	return rows;
}

static void take_columns(struct nsys *x, sqlite3_stmt *rows, uint64_t columns, struct nsys_row *row)
{
	int i = 0;
	row->there = 0;
	for (uint64_t left = columns; left; left &= left - 1, i++) {
		int c = __builtin_ctzll(left), type = sqlite3_column_type(rows, i);
		row->text[c].at = NULL;
		row->number[c] = 0;
		if (type == SQLITE_INTEGER) {
			row->number[c] = sqlite3_column_int64(rows, i);
		} else if (type == SQLITE_TEXT) {
			row->text[c].at = (const char *)sqlite3_column_text(rows, i);
			row->text[c].n = (size_t)sqlite3_column_bytes(rows, i);
			x->work -= (int64_t)row->text[c].n / (TEXT_BYTES_PER_STEP * STEPS);
		}
		if (type == SQLITE_INTEGER || row->text[c].at)
			row->there |= 1ull << c;
	}
}

void nsys_table(struct nsys *x, const char *table, uint64_t must,
	void (*take)(struct nsys *x, const struct nsys_row *row))
{
	static const size_t prefix = sizeof PREFIX - 1;
	x->table = strncmp(table, PREFIX, prefix) ? table : table + prefix;
	if (x->stopped || !is_table(x, table))
		return;
	uint64_t columns = columns_of(x, table);
	if ((columns & must) != must)
		return;
	sqlite3_stmt *rows = select_columns(x, table, columns);
	int status = rows ? SQLITE_ROW : SQLITE_ERROR;
	struct nsys_row row;
	while (!x->stopped && x->work >= 0 && rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
		take_columns(x, rows, columns, &row);
		take(x, &row);
	}
	if (!x->stopped && status != SQLITE_DONE)
		note(x, REPAIR_DATABASE);
	x->stopped |= x->work < 0;
	sqlite3_finalize(rows);
}

/* ---- the database ---- */

static bool plain_in_uri(char c)
{
	return isalnum((unsigned char)c) || strchr("/._-", c);
}

/* As one that nobody changes: SQLite then takes no lock and opens nothing beside it. */
static char *uri_of(struct arena *a, const char *path)
{
	struct text_builder uri = {.arena = a};
	text_add(&uri, "file:%s", *path == '/' ? "" : "./");
	for (const char *p = path; *p; p++)
		if (plain_in_uri(*p))
			text_add(&uri, "%c", *p);
		else
			text_add(&uri, "%%%02x", (unsigned char)*p);
	text_add(&uri, "?mode=ro&immutable=1");
	return arena_strdup(a, text_built(&uri));
}

/* What SQLite advises for databases that come from strangers (sqlite.org/security.html). */
static void guard(struct nsys *x)
{
	sqlite3_db_config(x->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(x->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(x->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(x->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_limit(x->db, SQLITE_LIMIT_LENGTH, LONGEST_TEXT);
	sqlite3_limit(x->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(x->db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
	sqlite3_set_authorizer(x->db, only_reads, x);
	sqlite3_progress_handler(x->db, STEPS, count_work, x);
}

static int open_database(struct nsys *x, const char *path, struct err *err)
{
	struct arena a = {0};
	const char *uri = uri_of(&a, path);
	int status = sqlite3_open_v2(
		uri, &x->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	arena_release(&a);
	if (status)
		return fail(err, "%s: an SQLite database that cannot be opened: %s", path,
			sqlite3_errmsg(x->db));
	guard(x);
	/* The first look at the tables tells whether there is a database at all. */
	sqlite3_stmt *look = NULL;
	status = sqlite3_prepare_v2(x->db, "SELECT name FROM sqlite_master", -1, &look, NULL);
	if (!status && sqlite3_step(look) != SQLITE_ROW)
		status = sqlite3_errcode(x->db);
	sqlite3_finalize(look);
	if (status && status != SQLITE_DONE)
		return fail(err, "%s: no trace: a damaged SQLite database: %s", path,
			sqlite3_errmsg(x->db));
	if (is_table(x, "StringIds") &&
		sqlite3_prepare_v2(x->db, "SELECT id, value FROM StringIds WHERE rowid = ?", -1,
			&x->string, NULL))
		x->string = NULL;
	return 0;
}

static int read_database(struct nsys *x, const char *path, struct err *err)
{
	if (open_database(x, path, err))
		return -1;
	nsys_devices(x);
	nsys_rows(x);
	nsys_ranges(x);
	nsys_metrics(x);
	nsys_names(x);
	if (x->events)
		return 0;
	if (x->r->part->repairs.kind[REPAIR_DATABASE].count)
		return fail(err,
			"%s: no trace: a damaged SQLite database: nothing of it can be read", path);
	return fail(err,
		x->string
			? "%s: no trace: an export of Nsight Systems without an event of CUDA or NVTX: "
			  "profile with --trace=cuda,nvtx"
			: "%s: no trace: an SQLite database that Nsight Systems did not write",
		path);
}

int nsys_read(struct reader *r, const char *path, struct err *err)
{
	struct nsys *x = aligned_alloc(_Alignof(struct nsys), sizeof *x); /* of its memos */
	if (!x)
		out_of_memory(sizeof *x);
	memset(x, 0, sizeof *x);
	int64_t bytes = source_file_bytes(r->w.source);
	x->r = r;
	x->made.part = r->part;
	x->process = -1;
	x->work = (STEPS_FREE + bytes * STEPS_PER_BYTE) / STEPS;
	part_document(r->part);
	r->lists = r->closed = true;
	int status = read_database(x, path, err);
	sqlite3_finalize(x->string);
	sqlite3_finalize(x->tables);
	sqlite3_close(x->db);
	free(x->domain);
	free(x->domain_id);
	free(x);
	return status;
}

const char *nsys_library(void)
{
	return sqlite3_libversion();
}
