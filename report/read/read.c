/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/read.h"

#include "base/memory.h"
#include "report/name/demangle.h"
#include "report/read/cut.h"
#include "report/read/nsys.h"
#include "report/read/parts.h"
#include "report/read/pftrace.h"
#include "report/read/snapshot.h"

/* Bytes of JSON per compressed byte, roughly; files from which on two threads are worth it, and
 * those that can be split at all. */
enum { COMPRESSION = 20, LARGE = 4 << 20, LEAST = 2048, MANY_ROWS = 100000 };

/* Bytes of JSON up to which a file takes the plain path and a small window, unless asked otherwise.
 */
enum { LITTLE = 4096 };

static int64_t json_expected(const struct source *s)
{
	return source_file_bytes(s) * (source_compressed(s) ? COMPRESSION : 1);
}

static void note_source(struct reader *r)
{
	static const enum repair_kind kinds[] = {
		[SOURCE_CUT] = REPAIR_GZ_CUT,
		[SOURCE_DAMAGED] = REPAIR_GZ_DAMAGED,
		[SOURCE_INFLATES] = REPAIR_GZ_INFLATES,
		[SOURCE_TRAILING] = REPAIR_GZ_TRAILING,
		[SOURCE_UNREADABLE] = REPAIR_UNREADABLE,
	};
	struct bad_members bad;
	enum source_trouble trouble = source_trouble(r->w.source, &bad);
	if (bad.n)
		repair_note(&r->part->repairs, REPAIR_GZ_CHECKSUM, bad.n, bad.offset, NULL, 0);
	if (trouble && trouble != SOURCE_CHECKSUM)
		repair_note(&r->part->repairs, kinds[trouble], 1, r->w.end_offset, NULL, 0);
}

/* Behind a list that has its closing bracket no event is missing; one that began without an object
 * may do without (Trace Event Format, "JSON Array Format"). */
static bool ends_early(const struct reader *r)
{
	const struct repair *seen = r->part->repairs.kind;
	bool source = seen[REPAIR_GZ_CUT].count || seen[REPAIR_GZ_DAMAGED].count ||
		seen[REPAIR_UNREADABLE].count;
	if (seen[REPAIR_MEMORY].count || seen[REPAIR_GZ_INFLATES].count ||
		seen[REPAIR_HEAD].count || seen[REPAIR_DATABASE].count)
		return true;
	if (r->closed)
		return false;
	return seen[REPAIR_CUT_EVENT].count || source || (r->cut && r->object);
}

/* What stands behind the events: the checksum stands at the very end. */
static void read_rest(struct reader *r)
{
	while (window_more(&r->w))
		r->w.p = r->w.end;
	note_source(r);
}

static int read_json(struct reader *r, struct source *s, const char *path,
	const struct read_options *options, struct err *err)
{
	/* Two readers hold what one may when the file is larger than both may hold. */
	bool fits = source_file_bytes(s) <= 0 || (size_t)source_file_bytes(s) <= r->memory;
	if (options->threads != 1 && fits)
		r->split = split_start(
			s, options->threads ? LEAST : LARGE, r->w.chunk, r->path, r->memory);
	reader_run(r);
	read_rest(r);
	return refuse(r, path, err);
}

static int read_packets(struct reader *r, const char *path, struct err *err)
{
	int status = pftrace_read(r, path, err);
	if (!status)
		read_rest(r);
	return status;
}

static int read_snapshot(struct trace *t, struct reader *r, struct err *err)
{
	int status = snapshot_read(r, t, t->path, err);
	if (!status)
		read_rest(r);
	return status;
}

static int read_all(struct trace *t, struct reader *r, struct source *s,
	const struct read_options *options, struct err *err)
{
	bool packets = false;
	int status = nsys_is_database(s)	? nsys_read(r, t->path, err)
		: snapshot_begins(r)		? read_snapshot(t, r, err)
		: (packets = pftrace_begins(r)) ? read_packets(r, t->path, err)
						: read_json(r, s, t->path, options, err);
	if (status)
		return -1;
	memory_taken(part_bytes(r->part));
	t->file_bytes = source_file_bytes(s);
	t->json_bytes = r->w.end_offset ? r->w.end_offset : t->file_bytes;
	meta_take(t, r);
	cut_read_member(t);
	t->ends_early = ends_early(r) || t->part.cut_off;
	struct repair_counts repairs;
	bool large = r->part->rows.n >= MANY_ROWS;
	seal(t, r->part, options->threads > 1 || (!options->threads && large), options->file_order,
		&repairs);
	t->file.json = !nsys_is_database(s) && !packets && !t->snapshot;
	demangle_names(t);
	t->repairs = repair_list(&t->arena, &repairs, &t->n_repairs);
	return 0;
}

/* Is it so little that learning how events are printed is not worth the memory? */
static bool is_little(const struct source *s, const struct read_options *options)
{
	int64_t bytes = json_expected(s);
	return !options->chunk_bytes && !options->vector_bytes && bytes > 0 && bytes <= LITTLE;
}

static enum scan_path path_of(const struct read_options *options)
{
	int most = options->vector_bytes ? options->vector_bytes : 64;
	if (options->plain || most < 16)
		return SCAN_PLAIN;
	return most < 32 ? SCAN_SSE2 : most < 64 ? SCAN_AVX2 : SCAN_AVX512;
}

int trace_read(
	struct trace *t, const char *path, const struct read_options *options, struct err *err)
{
	struct source *s = source_open(path, options->threads, err);
	if (!s) {
		trace_release(t);
		return -1;
	}
	struct part part;
	struct reader r;
	struct read_options how = *options;
	if (is_little(s, options)) {
		how.chunk_bytes = LITTLE;
		how.plain = true;
	}
	size_t chunk = how.chunk_bytes ? how.chunk_bytes : WINDOW_CHUNK;
	t->path = arena_strdup(&t->arena, path);
	part_init(&part, reader_rows_expected(json_expected(s)));
	reader_init(&r, &part, s, chunk, 0, path_of(&how));
	r.memory = options->memory ? options->memory : memory_for_trace();
	int status = read_all(t, &r, s, options, err);
	reader_release(&r);
	part_release(&part);
	source_close(s);
	if (status)
		trace_release(t);
	return status;
}
