/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as rows of the tables of Nsight Systems, in a sound database: refused in one line, or a
 * trace that keeps every rule, with no more events than rows, of which nothing is called damaged.
 *
 * A row is the number of its table, whose first one says which column the table lacks, and for each
 * column the kind of its value and a small number, or bytes behind it. */
/* of: report/read/nsys.c report/read/nsys_metrics.c report/read/nsys_names.c */
/* of: report/read/nsys_ranges.c report/read/nsys_rows.c */
/* max_len: 4096 */
#include "tests/fuzz/fuzz.h"

#include "report/analyse/health.h"
#include "report/read/read.h"
#include "tests/unit/trace_digest.h"

#include <sqlite3.h>

#define CUPTI "CUPTI_ACTIVITY_KIND_"
#define WORK "start,end,deviceId,contextId,streamId,correlationId,globalPid"
#define CALL "start,end,globalTid,correlationId,nameId"

enum { TABLES = 16 };

/* tests/fuzz/seeds_nsys.py has the same. */
static const struct {
	const char *name, *columns;
} tables[TABLES] = {{"StringIds", "id INTEGER PRIMARY KEY,value"},
	{"ThreadNames", "nameId,globalTid"}, {"PROCESSES", "globalPid,pid,name"},
	{"TARGET_INFO_SESSION_START_TIME", "utcEpochNs"},
	{"TARGET_INFO_GPU",
		"id,name,totalMemory,smCount,maxShmemPerSm,maxRegistersPerSm,threadsPerWarp,"
		"maxWarpsPerSm,computeMajor,computeMinor"},
	{"TARGET_INFO_CUDA_DEVICE", "gpuId,cudaId,pid"}, {CUPTI "RUNTIME", CALL},
	{CUPTI "KERNEL",
		WORK ",demangledName,shortName,mangledName,registersPerThread,gridX,gridY,gridZ,"
		     "blockX,blockY,blockZ,staticSharedMemory,dynamicSharedMemory,graphNodeId"},
	{CUPTI "MEMCPY", WORK ",bytes,copyKind,srcKind,dstKind"},
	{CUPTI "MEMSET", WORK ",bytes,memKind"}, {CUPTI "SYNCHRONIZATION", WORK ",syncType"},
	{CUPTI "GRAPH_TRACE", WORK ",graphId"}, {CUPTI "OVERHEAD", CALL},
	{"NVTX_EVENTS", "start,end,eventType,text,globalTid,textId,domainId"},
	{"TARGET_INFO_GPU_METRICS", "typeId,metricId,metricName"},
	{"GPU_METRICS", "timestamp,typeId,metricId,value"}};

/* What is being made. */
struct made {
	const uint8_t *at, *end;
	sqlite3 *db;
	sqlite3_stmt *insert[TABLES]; /* NULL: the table is not there */
	int n_columns[TABLES];
	int64_t rows;
};

static uint64_t take(struct made *m, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes && m->at < m->end; i++)
		value |= (uint64_t)*m->at++ << 8 * i;
	return value;
}

static void sql(struct made *m, const char *text)
{
	if (sqlite3_exec(m->db, text, NULL, NULL, NULL))
		bug("%s: %s", text, sqlite3_errmsg(m->db));
}

static void begin_table(struct made *m, int table)
{
	char all[512], create[1024], insert[256], *rest = all, *column;
	int without = (int)take(m, 1), n = 0;
	snprintf(all, sizeof all, "%s", tables[table].columns);
	int to = snprintf(create, sizeof create, "CREATE TABLE %s (", tables[table].name);
	int into = snprintf(insert, sizeof insert, "INSERT INTO %s VALUES (", tables[table].name);
	for (int i = 0; (column = strsep(&rest, ",")); i++) {
		if (i == without && (i || rest))
			continue;
		const char *type = strchr(column, ' '); /* a value keeps its own, but for a key */
		int length = type ? (int)(type - column) : (int)strlen(column);
		to += snprintf(create + to, sizeof create - (size_t)to, "%s\"%.*s\"%s",
			n ? "," : "", length, column, type ? type : "");
		into += snprintf(insert + into, sizeof insert - (size_t)into, n ? ",?" : "?");
		n++;
	}
	snprintf(create + to, sizeof create - (size_t)to, ")");
	snprintf(insert + into, sizeof insert - (size_t)into, ")");
	sql(m, create);
	m->n_columns[table] = n;
	if (sqlite3_prepare_v2(m->db, insert, -1, &m->insert[table], NULL))
		bug("%s: %s", insert, sqlite3_errmsg(m->db));
}

static void bind_value(struct made *m, sqlite3_stmt *row, int column)
{
	static const int bytes[] = {0, 0, 1, 2, 4, 8};
	int kind = (int)take(m, 1), small = kind >> 3;
	double real;
	uint64_t bits;
	size_t n;
	switch (kind & 7) {
	case 0:
		sqlite3_bind_null(row, column);
		break;
	case 1:
		sqlite3_bind_int64(row, column, small);
		break;
	case 2:
	case 3:
	case 4:
	case 5:
		bits = take(m, bytes[kind & 7]);
		sqlite3_bind_int64(row, column, (int64_t)bits);
		break;
	case 6: /* a text, or bytes */
		small = small == 31 ? (int)take(m, 1) : small;
		n = (size_t)(m->end - m->at);
		n = n < (size_t)small ? n : (size_t)small;
		sqlite3_bind_text(row, column, (const char *)m->at, (int)n, SQLITE_TRANSIENT);
		m->at += n;
		break;
	default:
		bits = take(m, 8);
		memcpy(&real, &bits, sizeof real);
		if (small & 1)
			sqlite3_bind_double(row, column, real);
		else
			sqlite3_bind_blob(row, column, &bits, small >> 2, SQLITE_TRANSIENT);
	}
}

static void add_row(struct made *m)
{
	int table = (int)(take(m, 1) % TABLES);
	if (!m->insert[table])
		begin_table(m, table);
	sqlite3_stmt *row = m->insert[table];
	for (int i = 1; i <= m->n_columns[table]; i++)
		bind_value(m, row, i);
	m->rows += sqlite3_step(row) == SQLITE_DONE; /* not where a key is there, or is no number */
	sqlite3_reset(row);
}

/* The database, in memory, and at its path a file that begins as one: SQLite is made to look for
 * all that it opens in memory. */
static const char *begin(struct made *m)
{
	static char path[128], uri[160];
	if (!*path) {
		static const char head[4096] = "SQLite format 3";
		char folder[96], whole[128];
		fuzz_folder(folder, "nsys_rows", "");
		snprintf(whole, sizeof whole, "%s/a.sqlite", folder);
		fuzz_write(whole, head, sizeof head);
		if (!realpath(whole, path) || sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) ||
			sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) ||
			sqlite3_vfs_register(sqlite3_vfs_find("memdb"), 1))
			bug("no database in memory");
		snprintf(uri, sizeof uri, "file:%s", path);
	}
	if (sqlite3_open_v2(uri, &m->db,
		    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI |
			    SQLITE_OPEN_NOMUTEX,
		    NULL))
		bug("%s", sqlite3_errmsg(m->db));
	sql(m, "PRAGMA journal_mode = OFF; BEGIN");
	return path;
}

static void check(const struct made *m, const char *path)
{
	struct trace t;
	struct err err = {0};
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){.threads = 1}, &err)) {
		fuzz_refused(&err);
		return;
	}
	const char *rule = trace_broken(&t);
	if (rule)
		bug("broken rule: %s", rule);
	if ((int64_t)t.n > m->rows)
		bug("%zu events of %lld rows", t.n, (long long)m->rows);
	if (trace_repair(&t, REPAIR_DATABASE))
		bug("a sound database is called damaged");
	health_of(&t);
	trace_digest(&t);
	trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct made m = {.at = data, .end = data + size};
	fuzz_count(size);
	const char *path = begin(&m);
	while (m.at < m.end)
		add_row(&m);
	sql(&m, "COMMIT");
	check(&m, path);
	for (int i = 0; i < TABLES; i++)
		sqlite3_finalize(m.insert[i]);
	sqlite3_close(m.db);
	return 0;
}
