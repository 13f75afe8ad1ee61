/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/snapshot_parts.h"

#include "base/sort.h"
#include "report/read/parts.h"

#include <stdlib.h>
#include <string.h>

/* Elements for each byte of the file, many more than one that Python wrote has; devices; and of the
 * memory that a trace may take, the part for the bytes of the file. */
enum { WORK_PER_BYTE = 4, MOST_DEVICES = 1024, BYTES_PART = 4, CHECK_MEMORY = 256 };

/* Times are whole microseconds, and sums of sizes have room. */
enum { NS = 1000 };
static const int64_t MOST_US = INT64_MAX / 4 / NS, MOST_BYTES = (int64_t)1 << 50;

static const char place[] = "device_traces";

bool snapshot_next(struct snapshot *x, struct pickle_walk *w, pickle_value *v)
{
	return x->work-- > 0 && pickle_next(w, v);
}

pickle_value snapshot_member(struct snapshot *x, pickle_value dict, const char *key)
{
	pickle_value k, v, found = 0;
	if (pickle_kind(dict) != PICKLE_DICT)
		return 0;
	struct pickle_walk w = pickle_walk(&x->pickle, dict);
	while (snapshot_next(x, &w, &k) && snapshot_next(x, &w, &v))
		if (pickle_is(&x->pickle, k, key))
			found = v;
	return found;
}

/* ---- records ---- */

enum act { ACT_OTHER, ACT_ALLOC, ACT_FREE, ACT_SEGMENT, ACT_SEGMENT_FREE, ACT_OOM };

struct record {
	int64_t address, bytes, us, device_free;
	uint32_t line; /* text */
	uint8_t act;
	bool expandable;
};

static enum act act_of(const struct snapshot *x, pickle_value action, bool *expandable)
{
	static const struct {
		const char *name;
		enum act act;
		bool expandable;
	} acts[] = {{"alloc", ACT_ALLOC, false}, {"free_completed", ACT_FREE, false},
		{"free", ACT_FREE, false}, {"segment_alloc", ACT_SEGMENT, false},
		{"segment_free", ACT_SEGMENT_FREE, false}, {"segment_map", ACT_SEGMENT, true},
		{"segment_unmap", ACT_SEGMENT_FREE, true}, {"oom", ACT_OOM, false}};
	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (pickle_is(&x->pickle, action, acts[i].name)) {
			*expandable = acts[i].expandable;
			return acts[i].act;
		}
	return ACT_OTHER;
}

static int64_t within(int64_t v, int64_t most)
{
	return v < 0 ? 0 : v > most ? most : v;
}

/* A record without a stamp is the microsecond of its place. */
static void take_record(struct snapshot *x, pickle_value dict, int64_t nth, struct record *to)
{
	pickle_value k, v, frames = 0;
	*to = (struct record){.us = -1, .device_free = -1};
	struct pickle_walk w = pickle_walk(&x->pickle, dict);
	while (snapshot_next(x, &w, &k) && snapshot_next(x, &w, &v)) {
		if (pickle_is(&x->pickle, k, "action"))
			to->act = (uint8_t)act_of(x, v, &to->expandable);
		else if (pickle_is(&x->pickle, k, "addr"))
			to->address = pickle_int(v, 0);
		else if (pickle_is(&x->pickle, k, "size"))
			to->bytes = within(pickle_int(v, 0), MOST_BYTES);
		else if (pickle_is(&x->pickle, k, "time_us"))
			to->us = within(pickle_int(v, 0), MOST_US);
		else if (pickle_is(&x->pickle, k, "device_free"))
			to->device_free = within(pickle_int(v, 0), MOST_BYTES);
		else if (pickle_is(&x->pickle, k, "frames"))
			frames = v;
	}
	x->stamped |= to->us >= 0;
	if (to->us < 0)
		to->us = nth;
	if (to->act == ACT_ALLOC || to->act == ACT_OOM)
		to->line = snapshot_line_of(x, frames);
}

static struct record *take_records(struct snapshot *x, pickle_value list, size_t *n)
{
	struct record *all = xcalloc(pickle_count(&x->pickle, list) + 1, sizeof *all);
	struct pickle_walk w = pickle_walk(&x->pickle, list);
	*n = 0;
	for (pickle_value v; snapshot_next(x, &w, &v);) {
		struct record *to = &all[*n];
		if (pickle_kind(v) != PICKLE_DICT)
			continue;
		take_record(x, v, (int64_t)*n, to);
		/* A clock that was set back: what follows is not earlier. */
		if (*n && to->us < to[-1].us)
			to->us = to[-1].us;
		x->first_us = to->us < x->first_us ? to->us : x->first_us;
		x->last_us = to->us > x->last_us ? to->us : x->last_us;
		++*n;
	}
	return all;
}

/* ---- blocks that stood before ---- */

struct standing {
	int64_t address, bytes;
	uint32_t line;
};

/* A record of a block, by where it lies. */
struct place {
	int64_t address;
	size_t nth;
};

struct device { /* being read */
	int32_t number;
	struct record *record; /* (n) */
	size_t n;
	struct standing *standing; /* (n_standing) */
	size_t n_standing, standing_room;
	struct place *place; /* (n_places) by address, then in order */
	size_t n_places;
	int64_t reserved; /* at the end */
};

ORDER(by_address, struct standing, UP(address));
ORDER(by_place, struct place, UP(address) ?: UP(nth));

static void stand(struct device *d, int64_t address, int64_t bytes, uint32_t line)
{
	if (d->n_standing == d->standing_room) {
		d->standing_room = d->standing_room ? 2 * d->standing_room : 64;
		d->standing = xrealloc(d->standing, d->standing_room, sizeof *d->standing);
	}
	d->standing[d->n_standing++] = (struct standing){address, bytes, line};
}

/* What is given back before anything was taken there stood before. */
static void find_places(struct device *d, uint32_t before)
{
	d->place = xcalloc(d->n + 1, sizeof *d->place);
	for (size_t i = 0; i < d->n; i++)
		if (d->record[i].act == ACT_ALLOC || d->record[i].act == ACT_FREE)
			d->place[d->n_places++] = (struct place){d->record[i].address, i};
	qsort(d->place, d->n_places, sizeof *d->place, by_place);
	for (size_t i = 0; i < d->n_places; i++) {
		const struct record *r = &d->record[d->place[i].nth];
		if (r->act == ACT_FREE && (!i || d->place[i - 1].address != r->address))
			stand(d, r->address, r->bytes, before);
	}
}

static bool is_recorded(const struct device *d, int64_t address)
{
	size_t low = 0, high = d->n_places;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (d->place[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < d->n_places && d->place[low].address == address;
}

/* Older files have what became of a block as its history, the last first. */
static void take_block(struct snapshot *x, struct device *d, pickle_value block, int64_t *at)
{
	pickle_value past = 0, frames = snapshot_member(x, block, "frames");
	pickle_value state = snapshot_member(x, block, "state");
	int64_t size = within(pickle_int(snapshot_member(x, block, "size"), 0), MOST_BYTES);
	int64_t address = pickle_int(snapshot_member(x, block, "address"), *at);
	struct pickle_walk history = pickle_walk(&x->pickle, snapshot_member(x, block, "history"));
	if (pickle_kind(frames) != PICKLE_LIST && snapshot_next(x, &history, &past))
		frames = snapshot_member(x, past, "frames");
	int64_t asked = pickle_int(snapshot_member(x, block, "requested_size"),
		pickle_int(snapshot_member(x, past, "real_size"), size));
	*at = address < INT64_MAX - size ? address + size : address;
	if (pickle_is(&x->pickle, state, "inactive") || is_recorded(d, address))
		return;
	uint32_t line = snapshot_line_of(x, frames);
	stand(d, address, within(asked, MOST_BYTES), line ? line : x->before);
}

/* ---- segments ---- */

static void add_segment(struct snapshot *x, struct memory_segment segment)
{
	if (x->n_segments == x->segment_room) {
		x->segment_room = x->segment_room ? 2 * x->segment_room : 64;
		x->segments = xrealloc(x->segments, x->segment_room, sizeof *x->segments);
	}
	x->segments[x->n_segments++] = segment;
}

static void take_segment(struct snapshot *x, struct device *d, pickle_value segment)
{
	pickle_value block;
	int64_t address = pickle_int(snapshot_member(x, segment, "address"), 0), at = address;
	struct memory_segment last = {.at_ns = x->last_us * NS,
		.address = address,
		.bytes = within(
			pickle_int(snapshot_member(x, segment, "total_size"), 0), MOST_BYTES),
		.used_bytes = within(
			pickle_int(snapshot_member(x, segment, "active_size"), 0), MOST_BYTES),
		.line = "",
		.device = d->number,
		.act = MEMORY_AT_END,
		.expandable = pickle_int(snapshot_member(x, segment, "is_expandable"), 0) != 0};
	d->reserved = within(d->reserved + last.bytes, MOST_BYTES);
	add_segment(x, last);
	struct pickle_walk w = pickle_walk(&x->pickle, snapshot_member(x, segment, "blocks"));
	while (snapshot_next(x, &w, &block))
		take_block(x, d, block, &at);
}

/* All segments, by their devices. */
struct held {
	int64_t device;
	size_t nth;
	pickle_value segment;
};

ORDER(by_device, struct held, UP(device) ?: UP(nth));

static struct held *held_by(struct snapshot *x, pickle_value segments, size_t *n)
{
	struct held *all = xcalloc(pickle_count(&x->pickle, segments) + 1, sizeof *all);
	struct pickle_walk w = pickle_walk(&x->pickle, segments);
	*n = 0;
	for (pickle_value v; snapshot_next(x, &w, &v);) {
		int64_t device = pickle_int(snapshot_member(x, v, "device"), 0);
		if (pickle_kind(v) == PICKLE_DICT && device >= 0 && device < MOST_DEVICES)
			all[(*n)++] = (struct held){device, *n, v};
	}
	qsort(all, *n, sizeof *all, by_device);
	return all;
}

/* ---- events ---- */

static void give_block(struct snapshot *x, const struct device *d, int64_t us, int64_t address,
	int64_t bytes, int64_t allocated, int64_t reserved, uint32_t name)
{
	struct made_event *m = &x->made;
	made_begin(m, 'i', place);
	made_text(m, RAW_NAME, name);
	made_text(m, RAW_CATEGORY, x->category);
	made_number(m, RAW_TS, us * NS);
	made_number(m, RAW_PID, 0);
	made_number(m, RAW_TID, d->number);
	made_number(m, RAW_DEVICE, d->number);
	made_number(m, RAW_BYTES, bytes);
	made_number(m, RAW_ADDRESS, address);
	made_number(m, RAW_ALLOCATED, allocated);
	made_number(m, RAW_RESERVED, reserved);
	part_add(x->r->part, &m->raw, place, PLACE_IN_TABLE);
	if (++x->blocks % CHECK_MEMORY || part_bytes(x->r->part) <= x->r->memory)
		return;
	repair_note(&x->r->part->repairs, REPAIR_MEMORY, 1, PLACE_IN_TABLE, place, strlen(place));
	x->stopped = true;
}

static int64_t got_by(const struct record *r)
{
	return r->act == ACT_SEGMENT ? r->bytes : r->act == ACT_SEGMENT_FREE ? -r->bytes : 0;
}

static void give_segment(struct snapshot *x, const struct device *d, const struct record *r)
{
	add_segment(x,
		(struct memory_segment){.at_ns = r->us * NS,
			.address = r->address,
			.bytes = r->bytes,
			.used_bytes = r->device_free,
			.line = arena_strdup(&x->t->arena, snapshot_line(x, r->line)),
			.device = d->number,
			.act = r->act == ACT_SEGMENT ? MEMORY_GOT
				: r->act == ACT_OOM  ? MEMORY_REFUSED
						     : MEMORY_GAVE_BACK,
			.expandable = r->expandable});
}

static void give_records(struct snapshot *x, const struct device *d, int64_t first_us)
{
	int64_t allocated = 0, reserved = d->reserved;
	for (size_t i = 0; i < d->n; i++)
		reserved -= got_by(&d->record[i]);
	x->category = x->standing;
	for (size_t i = 0; i < d->n_standing && !x->stopped; i++) {
		const struct standing *s = &d->standing[i];
		allocated += s->bytes;
		give_block(x, d, first_us, s->address, s->bytes, allocated,
			within(reserved, MOST_BYTES), s->line);
	}
	x->category = 0;
	for (size_t i = 0; i < d->n && !x->stopped; i++) {
		const struct record *r = &d->record[i];
		reserved += got_by(r);
		if (r->act >= ACT_SEGMENT)
			give_segment(x, d, r);
		if (r->act != ACT_ALLOC && r->act != ACT_FREE)
			continue;
		int64_t bytes = r->act == ACT_ALLOC ? r->bytes : -r->bytes;
		allocated += bytes;
		give_block(x, d, r->us, r->address, bytes, within(allocated, MOST_BYTES),
			within(reserved, MOST_BYTES),
			r->line || r->act == ACT_FREE ? r->line : x->no_line);
	}
}

/* ---- the file ---- */

static void name_threads(struct snapshot *x, const struct device *d)
{
	char name[32];
	struct strings *texts = &x->r->part->texts;
	snprintf(name, sizeof name, "GPU %d", (int)d->number);
	made_begin(&x->made, 'M', place);
	made_text(&x->made, RAW_NAME, strings_add(texts, "thread_name", 11, TEXT_PLAIN, 0));
	made_text(&x->made, RAW_LABEL, strings_add(texts, name, strlen(name), TEXT_PLAIN, 0));
	made_number(&x->made, RAW_PID, 0);
	made_number(&x->made, RAW_TID, d->number);
	part_add(x->r->part, &x->made.raw, place, PLACE_IN_TABLE);
}

/* (*n) devices, with the records of each. */
static struct device *take_devices(struct snapshot *x, pickle_value traces, size_t least, size_t *n)
{
	pickle_value v;
	size_t told = pickle_count(&x->pickle, traces);
	*n = told > MOST_DEVICES ? MOST_DEVICES : told > least ? told : least;
	struct device *all = xcalloc(*n + 1, sizeof *all);
	struct pickle_walk w = pickle_walk(&x->pickle, traces);
	for (size_t i = 0; i < *n; i++)
		all[i].number = (int32_t)i;
	for (size_t i = 0; i < *n && snapshot_next(x, &w, &v); i++)
		all[i].record = take_records(x, v, &all[i].n);
	return all;
}

static void give_devices(
	struct snapshot *x, struct device *all, size_t n, const struct held *held, size_t n_held)
{
	for (size_t i = 0; i < n; i++) {
		find_places(&all[i], x->before);
		for (; n_held && held->device == all[i].number; held++, n_held--)
			take_segment(x, &all[i], held->segment);
		if (all[i].n_standing)
			qsort(all[i].standing, all[i].n_standing, sizeof *all[i].standing,
				by_address);
		name_threads(x, &all[i]);
		give_records(x, &all[i], x->first_us <= x->last_us ? x->first_us : 0);
	}
	for (size_t i = 0; i < n; i++) {
		free(all[i].record);
		free(all[i].standing);
		free(all[i].place);
	}
	free(all);
}

/* The settings that decide how memory falls to pieces. */
static void keep_settings(struct snapshot *x, pickle_value settings)
{
	size_t n;
	pickle_value conf = snapshot_member(x, settings, "PYTORCH_CUDA_ALLOC_CONF");
	const char *text = pickle_text(&x->pickle, conf, &n);
	if (n && n < 4096) {
		char *value = xcalloc(n + 1, 1);
		memcpy(value, text, n);
		reader_keep_member(x->r, xstrdup("PYTORCH_CUDA_ALLOC_CONF"), value);
	}
	if (!x->stamped)
		reader_keep_member(x->r, xstrdup(SNAPSHOT_CLOCK), xstrdup("none"));
}

static int take_root(struct snapshot *x, const char *path, struct err *err)
{
	pickle_value root = x->pickle.root, segments = root, traces = 0;
	size_t n, n_held;
	if (pickle_kind(root) == PICKLE_DICT) {
		segments = snapshot_member(x, root, "segments");
		traces = snapshot_member(x, root, "device_traces");
	}
	if (pickle_kind(segments) != PICKLE_LIST)
		return fail(err,
			"%s: no trace: a Python pickle, but no memory snapshot of PyTorch: it has no "
			"list of segments",
			path);
	struct held *held = held_by(x, segments, &n_held);
	struct device *all =
		take_devices(x, traces, n_held ? (size_t)held[n_held - 1].device + 1 : 0, &n);
	give_devices(x, all, n, held, n_held);
	free(held);
	keep_settings(x, snapshot_member(x, root, "allocator_settings"));
	if (x->blocks)
		return 0;
	return fail(err,
		"%s: no trace: a pickle without a block of PyTorch's memory: record with "
		"torch.cuda.memory._record_memory_history()",
		path);
}

static void note_end(struct snapshot *x)
{
	struct repair_counts *repairs = &x->r->part->repairs;
	if (x->pickle.full)
		repair_note(repairs, REPAIR_MEMORY, 1, (int64_t)x->pickle.n, NULL, 0);
	if (x->pickle.cut || x->work < 0)
		repair_note(repairs, REPAIR_CUT, 1, (int64_t)x->pickle.n, NULL, 0);
	x->r->cut = x->pickle.cut || x->work < 0;
	x->r->closed = !x->r->cut;
	x->r->object = true;
}

bool snapshot_begins(struct reader *r)
{
	reader_look_ahead(r, 2);
	return pickle_begins(r->w.p, (size_t)(r->w.end - r->w.p));
}

static int read_pickle(struct snapshot *x, const char *path, struct err *err)
{
	if (pickle_read(&x->pickle, path, err))
		return -1;
	x->work = (int64_t)x->pickle.n * WORK_PER_BYTE + CHECK_MEMORY;
	x->line_of = xcalloc(x->pickle.n_boxes + 1, sizeof *x->line_of);
	x->rank_of = xcalloc(x->pickle.n_boxes + 1, sizeof *x->rank_of);
	part_document(x->r->part);
	x->r->lists = true;
	if (take_root(x, path, err))
		return -1;
	note_end(x);
	x->t->snapshot = true;
	x->t->n_segments = x->n_segments;
	x->t->segments = x->segments ? arena_own(&x->t->arena, x->segments) : NULL;
	x->segments = NULL;
	return 0;
}

int snapshot_read(struct reader *r, struct trace *t, const char *path, struct err *err)
{
	struct snapshot *x = aligned_alloc(_Alignof(struct snapshot), sizeof *x); /* of its memos */
	if (!x)
		out_of_memory(sizeof *x);
	memset(x, 0, sizeof *x);
	size_t most = r->memory / BYTES_PART;
	bool all = true;
	while ((all = (size_t)(r->w.end - r->w.p) <= most) && window_more(&r->w))
		continue;
	x->r = r;
	x->t = t;
	x->made.part = r->part;
	x->first_us = MOST_US;
	x->pickle = (struct pickle){
		.bytes = r->w.p, .n = (size_t)(r->w.end - r->w.p), .memory = r->memory - most};
	x->before =
		strings_add(&r->part->texts, MEMORY_BEFORE, strlen(MEMORY_BEFORE), TEXT_PLAIN, 0);
	x->no_line =
		strings_add(&r->part->texts, MEMORY_NO_LINE, strlen(MEMORY_NO_LINE), TEXT_PLAIN, 0);
	x->standing = strings_add(
		&r->part->texts, MEMORY_STANDING, strlen(MEMORY_STANDING), TEXT_PLAIN, 0);
	int status = read_pickle(x, path, err);
	if (!all && !status)
		repair_note(&r->part->repairs, REPAIR_MEMORY, 1, (int64_t)x->pickle.n, NULL, 0);
	pickle_release(&x->pickle);
	free(x->line_of);
	free(x->rank_of);
	free(x->segments);
	free(x);
	return status;
}
