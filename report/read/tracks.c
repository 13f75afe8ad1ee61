/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
#include "report/read/parts.h"

#include <inttypes.h>
#include <stdlib.h>

/* Kineto places GPUs at 5,000,000 (newer) or 16,777,216 (older) and its own spans at 536,870,912.
 */
enum { FIRST_GPU_ORDER = 5000000, SPANS_ORDER = 0x20000000 };

/* What the M rows say about a process. A pid may be a process and a GPU at once: each has its own
 * row and its own name. */
struct process {
	uint32_t name, host_label, gpu_label; /* texts */
	int64_t host_order, gpu_order; /* INT64_MAX: not said */
};

struct naming {
	const struct part *part;
	const name_id *name; /* of a text */
	struct trace *trace;
	struct lanes pids; /* lanes by pid alone */
	struct process *process; /* (pids.n) */
};

static bool begins(const struct part *p, uint32_t text, const char *with)
{
	const struct text_entry *e = &p->texts.entry[text];
	return e->length >= strlen(with) && !memcmp(e->text, with, strlen(with));
}

static uint32_t process_of(struct naming *n, struct lane_id pid)
{
	return lanes_find(&n->pids, pid, (struct lane_id){0}, LANE_HOST);
}

static void label_process(struct process *p, const struct label *l, bool gpu)
{
	if (l->kind == LABEL_PROCESS)
		p->name = l->text;
	else if (l->kind == LABEL_LABELS)
		*(gpu ? &p->gpu_label : &p->host_label) = l->text;
	else if (l->order >= FIRST_GPU_ORDER && l->order < SPANS_ORDER)
		p->gpu_order = l->order;
	else
		p->host_order = l->order;
}

static void read_processes(struct naming *n)
{
	const struct part *part = n->part;
	for (uint32_t i = 0; i < part->lanes.n; i++)
		process_of(n, part->lanes.lane[i].pid);
	uint32_t known = n->pids.n;
	n->process = xcalloc(known, sizeof *n->process);
	for (uint32_t i = 0; i < known; i++)
		n->process[i].host_order = n->process[i].gpu_order = INT64_MAX;
	for (size_t i = 0; i < part->n_labels; i++) {
		const struct label *l = &part->labels[i];
		uint32_t pid = lanes_look(&n->pids, l->pid, (struct lane_id){0}, LANE_HOST);
		if (pid != LANE_NONE && l->kind != LABEL_THREAD && l->kind != LABEL_ORDER)
			label_process(&n->process[pid], l, begins(part, l->text, "GPU"));
	}
}

static name_id id_text(struct naming *n, struct lane_id id)
{
	char text[32];
	if (id.text)
		return n->name[id.text];
	if (id.number == LANE_ABSENT)
		return 0;
	snprintf(text, sizeof text, "%" PRId64, id.number);
	return names_add_text(&n->trace->names, text);
}

/* "thread 7", or the id itself when it is a text. */
static name_id made_name(struct naming *n, const char *word, struct lane_id id)
{
	char text[48];
	if (id.text && n->name[id.text])
		return n->name[id.text];
	if (id.text || id.number == LANE_ABSENT)
		snprintf(text, sizeof text, "%s", word);
	else
		snprintf(text, sizeof text, "%s %" PRId64, word, id.number);
	return names_add_text(&n->trace->names, text);
}

/* A name without the blanks that Kineto leaves behind it ("stream 7 "). */
static name_id trimmed(struct naming *n, name_id name)
{
	const char *text = names_text(&n->trace->names, name);
	size_t length = strlen(text);
	while (length && text[length - 1] == ' ')
		length--;
	char *copy = arena_strndup(&n->trace->arena, text, length);
	return names_add(&n->trace->names, copy, length);
}

static struct track track_of(struct naming *n, const struct lane_key *lane)
{
	const struct process *p = &n->process[process_of(n, lane->pid)];
	bool device = lane->kind == LANE_DEVICE;
	uint32_t label = device && p->gpu_label ? p->gpu_label : p->host_label;
	int64_t order = device && p->gpu_order != INT64_MAX ? p->gpu_order : p->host_order;
	struct track t = {
		.device = device,
		.async = lane->kind == LANE_ASYNC,
		.process = trimmed(n, n->name[p->name]),
		.label = trimmed(n, n->name[label]),
		.pid_text = id_text(n, lane->pid),
		.tid_text = id_text(n, lane->tid),
		.pid = lane->pid.text || lane->pid.number == LANE_ABSENT ? -1 : lane->pid.number,
		.tid = lane->tid.text || lane->tid.number == LANE_ABSENT ? -1 : lane->tid.number,
		.process_order = order,
		.thread_order = INT64_MAX,
	};
	if (!t.process)
		t.process = made_name(n, device ? "device" : "process", lane->pid);
	return t;
}

/* Names and places of threads, for every lane of that pid and tid. */
static void label_threads(struct naming *n, struct track *track)
{
	const struct part *part = n->part;
	for (size_t i = 0; i < part->n_labels; i++) {
		const struct label *l = &part->labels[i];
		if (l->kind != LABEL_THREAD && l->kind != LABEL_ORDER)
			continue;
		bool stream = l->kind == LABEL_THREAD && begins(part, l->text, "stream");
		for (enum lane_kind kind = LANE_HOST; kind <= LANE_DEVICE; kind++) {
			uint32_t lane = lanes_look(&part->lanes, l->pid, l->tid, kind);
			if (lane == LANE_NONE)
				continue;
			if (l->kind == LABEL_ORDER)
				track[lane].thread_order = l->order;
			else if (!track[lane].thread || stream == (kind == LANE_DEVICE))
				track[lane].thread = trimmed(n, n->name[l->text]);
		}
	}
}

static void name_threads(struct naming *n, struct track *track)
{
	label_threads(n, track);
	for (uint32_t i = 0; i < n->part->lanes.n; i++) {
		const struct lane_key *lane = &n->part->lanes.lane[i];
		if (!track[i].thread)
			track[i].thread = made_name(n,
				lane->kind == LANE_DEVICE	   ? "stream"
					: lane->kind == LANE_ASYNC ? "async"
								   : "thread",
				lane->tid);
	}
}

struct placed {
	struct track track;
	uint32_t lane;
};

ORDER(by_place, struct placed,
	UP(track.device) ?: UP(track.process_order) ?: (a->track.pid < 0) - (b->track.pid < 0)
		?: UP(track.pid) ?: UP(track.pid_text) ?: UP(track.async) ?: UP(track.thread_order)
		?: UP(track.tid) ?: UP(lane));

/* Which lanes have rows. Without begins and ends all of them do. */
static bool *lanes_used(const struct part *part)
{
	bool *used = xcalloc(part->lanes.n, sizeof *used);
	for (uint32_t i = 0; i < part->lanes.n; i++)
		used[i] = !part->n_marks;
	for (size_t i = 0; part->n_marks && i < part->rows.n; i++)
		used[part->rows.lane[i]] = true;
	return used;
}

/* Tracks into display order; the new place of each lane. */
static uint32_t *place(struct trace *t, const struct track *track, const struct part *part)
{
	struct placed *p = xcalloc(part->lanes.n, sizeof *p);
	uint32_t *to = xcalloc(part->lanes.n, sizeof *to), n = 0;
	bool *used = lanes_used(part);
	for (uint32_t i = 0; i < part->lanes.n; i++)
		if (used[i])
			p[n++] = (struct placed){track[i], i};
	free(used);
	qsort(p, n, sizeof *p, by_place);
	t->tracks = arena_array(&t->arena, n, sizeof *t->tracks);
	t->n_tracks = n;
	for (uint32_t i = 0; i < n; i++) {
		t->tracks[i] = p[i].track;
		to[p[i].lane] = i;
	}
	free(p);
	return to;
}

uint32_t *tracks_of_lanes(struct trace *t, const struct part *part, const name_id *name)
{
	struct naming n = {.part = part, .name = name, .trace = t};
	lanes_init(&n.pids);
	read_processes(&n);
	struct track *track = xcalloc(part->lanes.n, sizeof *track);
	for (uint32_t i = 0; i < part->lanes.n; i++)
		track[i] = track_of(&n, &part->lanes.lane[i]);
	name_threads(&n, track);
	uint32_t *to = place(t, track, part);
	free(track);
	free(n.process);
	lanes_release(&n.pids);
	return to;
}
