/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/compile_log.h"
#include "base/min_max.h"

#include "report/parse/source.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A record that is waited for may have this much payload; the rest of it is not looked at. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { LONGEST_LINE = 1 << 10, LONGEST_PAYLOAD = 1 << 9, PIECE = 1 << 6 }; /* soon reached */
#else
enum { LONGEST_LINE = 1 << 20, LONGEST_PAYLOAD = 1 << 14, PIECE = 1 << 16 };
#endif

enum record { RECORD_OTHER, RECORD_REASONS, RECORD_BREAK };

struct reader {
	struct arena *arena;
	struct compile_log *log;
	int room, breaks_room;
	/* The artifact whose payload may follow. */
	enum record record;
	char id[64];
	char *payload;
	size_t n_payload;
	/* The last reason, which comes before the compilation that it explains. */
	char reason_id[64];
	const char *reason;
};

static const char *kept(struct reader *r, const char *text, size_t n)
{
	return arena_strndup(r->arena, text, n);
}

static const char *member_text(const cJSON *of, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(of, name));
	return text ? text : "";
}

static double member_number(const cJSON *of, const char *name)
{
	const cJSON *one = cJSON_GetObjectItemCaseSensitive(of, name);
	return cJSON_IsNumber(one) ? one->valuedouble : (double)NAN;
}

static int64_t member_count(const cJSON *of, const char *name)
{
	double value = member_number(of, name);
	return value >= 0 && value < 1e15 ? (int64_t)value : -1;
}

static void find_id(char id[64], const cJSON *record)
{
	int64_t frame = member_count(record, "frame_id");
	int64_t nth = member_count(record, "frame_compile_id");
	snprintf(id, 64, "?");
	if (frame >= 0 && nth >= 0)
		snprintf(id, 64, "%lld/%lld", (long long)frame, (long long)nth);
}

/* ---- payloads ---- */

/* Up to the line's end, without blanks around it and without the source line that Dynamo puts
 * behind a guard ("  # print(y)"). */
static const char *first_line(struct reader *r, const char *text)
{
	text += strspn(text, " \t\n-");
	size_t n = strcspn(text, "\n");
	for (size_t i = 0; i + 3 < n; i++)
		if (!strncmp(text + i, "  # ", 4))
			n = i;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	return kept(r, text, n);
}

/* "2/0: tensor 'x' size mismatch ...": of which compilation a guard is, is told before it. */
static const char *without_id(const char *reason)
{
	size_t n = strspn(reason, "0123456789/");
	return n && !strncmp(reason + n, ": ", 2) ? reason + n + 2 : reason;
}

static void keep_reason(struct reader *r)
{
	const char *text = r->payload;
	text += strspn(text, " \t\n[\""); /* older logs have a list of JSON */
	r->reason = without_id(first_line(r, text));
	memcpy(r->reason_id, r->id, sizeof r->id);
}

/* The text behind a word of the payload, "" without it. */
static const char *behind(const char *text, const char *word)
{
	const char *at = strstr(text, word);
	return at ? at + strlen(word) : "";
}

/* The first line of a reason, or, where that only leads to it ("... raised:"), the one below. */
static const char *reason_line(struct reader *r, const char *text)
{
	const char *why = first_line(r, text);
	size_t n = strlen(why);
	const char *below = n && why[n - 1] == ':' ? first_line(r, behind(text, ":\n")) : "";
	return below[0] ? below : why;
}

static void keep_break(struct reader *r)
{
	struct compile_log *log = r->log;
	struct graph_break one = {.id = kept(r, r->id, strlen(r->id)),
		.where = first_line(r, behind(r->payload, "in user code at ")),
		.why = reason_line(r, behind(r->payload, "Reason: ")),
		.hint = first_line(r, behind(r->payload, "Hint: ")),
		.times = 1};
	for (int i = 0; i < log->n_breaks; i++)
		if (!strcmp(log->graph_break[i].where, one.where) &&
			!strcmp(log->graph_break[i].why, one.why)) {
			log->graph_break[i].times++;
			return;
		}
	enum { MOST_BREAKS = 1000 }; /* different ones */
	if (log->n_breaks == MOST_BREAKS || !(one.why[0] || one.where[0]))
		return;
	if (log->n_breaks == r->breaks_room)
		log->graph_break = xrealloc(log->graph_break,
			(size_t)(r->breaks_room = 2 * r->breaks_room + 16), sizeof one);
	log->graph_break[log->n_breaks++] = one;
}

static void end_payload(struct reader *r)
{
	r->payload[r->n_payload] = '\0';
	if (r->record == RECORD_REASONS && r->n_payload)
		keep_reason(r);
	else if (r->record == RECORD_BREAK && r->n_payload)
		keep_break(r);
	r->record = RECORD_OTHER;
	r->n_payload = 0;
}

static void add_payload(struct reader *r, const char *line, size_t n)
{
	size_t left = LONGEST_PAYLOAD - r->n_payload;
	if (r->record == RECORD_OTHER || left < 2)
		return;
	n = n < left - 1 ? n : left - 1;
	memcpy(r->payload + r->n_payload, line, n);
	r->payload[r->n_payload + n] = '\n';
	r->n_payload += n + 1;
}

/* ---- records ---- */

static void keep_compilation(struct reader *r, const cJSON *record, const cJSON *m)
{
	struct compile_log *log = r->log;
	char id[64];
	if (log->n_compilations == COMPILE_LOG_MOST || !member_text(m, "co_name")[0])
		return; /* of ahead-of-time compiling, which is of no function */
	if (log->n_compilations == r->room)
		log->compilation = xrealloc(log->compilation, (size_t)(r->room = 2 * r->room + 16),
			sizeof *log->compilation);
	find_id(id, record);
	const char *function = member_text(m, "co_name"), *file = member_text(m, "co_filename");
	const char *reason = without_id(first_line(r, member_text(m, "recompile_reason")));
	const char *failed = reason_line(r, member_text(m, "fail_reason"));
	int64_t line = member_count(m, "co_firstlineno");
	double s = member_number(m, "entire_frame_compile_time_s");
	if (!isfinite(s)) /* logs of December 2024 */
		s = member_number(m, "dynamo_cumulative_compile_time_us") / 1e6;
	log->compilation[log->n_compilations++] = (struct compilation){
		.id = kept(r, id, strlen(id)),
		.function = kept(r, function, strlen(function)),
		.file = kept(r, file, strlen(file)),
		.line = max64(line, 0),
		.ns = s >= 0 && s < 1e9 ? s * 1e9 : (double)NAN,
		.because = reason[0]				 ? reason
			: r->reason && !strcmp(r->reason_id, id) ? r->reason
								 : "",
		.failed = failed,
		.backward = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(m, "is_forward"))};
}

/* The object of a line of glog; NULL when it is none. */
static const char *object_of(const char *line)
{
	if (!line[0] || !strchr("VDIWEC", line[0]) || !isdigit((unsigned char)line[1]))
		return NULL;
	const char *object = strstr(line, "] {");
	return object ? object + 2 : NULL;
}

static void read_record(struct reader *r, const char *object)
{
	static const char metrics[] = "{\"compilation_metrics\":", artifact[] = "{\"artifact\":";
	bool counted = !strncmp(object, metrics, sizeof metrics - 1);
	r->log->records++;
	if (!counted && strncmp(object, artifact, sizeof artifact - 1) != 0)
		return;
	cJSON *record = cJSON_Parse(object);
	const cJSON *m = cJSON_GetObjectItemCaseSensitive(record, "compilation_metrics");
	const char *name =
		member_text(cJSON_GetObjectItemCaseSensitive(record, "artifact"), "name");
	find_id(r->id, record);
	r->log->unread += !record;
	if (counted && cJSON_IsObject(m))
		keep_compilation(r, record, m);
	else if (!strcmp(name, "recompile_reasons"))
		r->record = RECORD_REASONS;
	else if (!strcmp(name, "dynamo_graph_break_reason"))
		r->record = RECORD_BREAK;
	cJSON_Delete(record);
}

/* line: n bytes and a NUL. */
static void read_line(struct reader *r, const char *line, size_t n)
{
	if (line[0] == '\t') {
		add_payload(r, line + 1, n - 1);
		return;
	}
	end_payload(r);
	const char *object = object_of(line);
	if (object)
		read_record(r, object);
}

/* ---- files ---- */

static void read_lines(struct reader *r, struct source *from)
{
	char *line = xcalloc(LONGEST_LINE + 1, 1), *piece = xcalloc(PIECE, 1);
	size_t n = 0, got;
	bool over = false; /* what is longer is passed over */
	while ((got = source_read(from, piece, PIECE)))
		for (size_t i = 0; i < got; i++) {
			if (piece[i] != '\n' && n < LONGEST_LINE) {
				line[n++] = piece[i] ? piece[i] : ' ';
				continue;
			}
			over |= piece[i] != '\n';
			if (piece[i] != '\n')
				continue;
			line[n] = '\0';
			if (!over && n)
				read_line(r, line, n);
			over = false;
			n = 0;
		}
	line[n] = '\0';
	if (!over && n)
		read_line(r, line, n);
	end_payload(r);
	free(line);
	free(piece);
}

static int64_t rank_of_name(const char *path)
{
	const char *name = strrchr(path, '/');
	const char *rank = strstr(name ? name : path, "rank_");
	if (!rank || !isdigit((unsigned char)rank[5]) || strspn(rank + 5, "0123456789") > 9)
		return -1;
	return strtol(rank + 5, NULL, 10);
}

static int read_file(struct compile_logs *logs, const char *path, struct err *err)
{
	struct source *from = source_open(path, 1, err);
	if (!from)
		return -1;
	logs->log = xrealloc(logs->log, (size_t)logs->n + 1, sizeof *logs->log);
	struct compile_log *log = &logs->log[logs->n++];
	*log = (struct compile_log){.path = arena_strndup(&logs->arena, path, strlen(path)),
		.rank = rank_of_name(path)};
	struct reader r = {
		.arena = &logs->arena, .log = log, .payload = xcalloc(LONGEST_PAYLOAD + 1, 1)};
	read_lines(&r, from);
	source_close(from);
	free(r.payload);
	return 0;
}

static int is_log(const struct dirent *e)
{
	const char *end = strstr(e->d_name, ".log");
	return e->d_name[0] != '.' && end && (!end[4] || !strcmp(end + 4, ".gz"));
}

static int read_folder(struct compile_logs *logs, const char *path, struct err *err)
{
	struct dirent **entry;
	int n = scandir(path, &entry, is_log, alphasort), result = 0;
	if (n < 0)
		return fail_errno(err, "cannot list %s", path);
	for (int i = 0; i < n; i++) {
		struct stat file;
		const char *one = arena_printf(&logs->arena, "%s/%s", path, entry[i]->d_name);
		if (!result && i < COMPILE_LOG_FILES && !stat(one, &file) && S_ISREG(file.st_mode))
			result = read_file(logs, one, err);
		if (!result && logs->n && !logs->log[logs->n - 1].records)
			logs->n--; /* another program's */
		free(entry[i]);
	}
	free(entry);
	if (!result && !logs->n)
		result = fail(err,
			"%s holds no log of torch.compile: run the program with TORCH_TRACE=%s",
			path, path);
	return result;
}

static int check_ranks(const struct compile_logs *logs, struct err *err)
{
	for (int i = 0; i < logs->n; i++)
		for (int k = 0; k < i; k++)
			if (logs->log[i].rank == logs->log[k].rank)
				return fail(err,
					"%s and %s are logs of two programs, or of two runs: name the "
					"one of this trace",
					logs->log[k].path, logs->log[i].path);
	return 0;
}

int compile_logs_read(struct compile_logs *logs, const char *path, struct err *err)
{
	struct stat file;
	if (!stat(path, &file) && S_ISDIR(file.st_mode))
		return read_folder(logs, path, err) || check_ranks(logs, err) ? -1 : 0;
	if (read_file(logs, path, err))
		return -1;
	if (!logs->log[0].records)
		return fail(err,
			"%s: no line of it is a record of torch.compile's log (the files that "
			"TORCH_TRACE=DIR makes)",
			path);
	return 0;
}
