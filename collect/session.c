/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSES = 1024 };

static const int64_t ms_ns = 1000000;

/* How long a process may take to write its file, and to make the steps that were asked for. Its
 * profiler counts as stopped by somebody else when it is free again, with no file, after that. */
#define WRITING_NS (INT64_C(10000000000))
#define STEPS_PATIENCE_NS (INT64_C(3600000000000))
#define BUSY_NS (INT64_C(5000000000))
#define IDLE_NS (INT64_C(4000000000))

void session_init(struct session *s, const struct record_wish *wish, const char *folder,
	struct arena *a, int64_t began_ns)
{
	*s = (struct session){.wish = *wish,
		.folder = folder,
		.arena = a,
		.began_ns = began_ns,
		.ask_ns = 1000 * ms_ns};
}

void session_release(struct session *s)
{
	free(s->process);
	*s = (struct session){0};
}

static struct process *find(struct session *s, int32_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->process[i].pid == pid)
			return &s->process[i];
	return NULL;
}

struct process *session_process(struct session *s, const struct fabric_call *call, bool *is_new)
{
	struct process *p = find(s, call->message.pid);
	*is_new = !p && s->n < MOST_PROCESSES;
	if (!*is_new)
		return p;
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 16;
		s->process = xrealloc(s->process, s->room, sizeof *s->process);
	}
	p = &s->process[s->n++];
	*p = (struct process){
		.pid = call->message.pid, .seen_as = call->sender, .rank = -1, .world = -1};
	return p;
}

/* ---- what to ask for ---- */

static const char *send_it(struct session *s, struct process *p, struct request *r)
{
	r->file = arena_printf(s->arena, "%s/%s%d.p%d.json", s->folder,
		p->probing	   ? "probe"
			: r->steps ? "steps"
				   : "main",
		++s->n_files, (int)p->pid);
	p->state = PROCESS_SENT;
	return request_text(s->arena, r);
}

/* The file is opened when the profiler warms up, so a request that was dropped is known by its
 * start. */
static void expect(struct process *p, int64_t start_ns, int64_t for_ns)
{
	p->start_ns = start_ns;
	p->for_ns = for_ns;
	p->patience_ns = start_ns + 500 * ms_ns;
}

static const char *ask_by_time(struct session *s, struct process *p, int64_t start_ns, long ms)
{
	struct request r = {.start_ms = start_ns / ms_ns, .duration_ms = ms, .with = s->wish.with};
	if (p->probing)
		r.with = (struct request_with){0};
	expect(p, start_ns, ms * ms_ns);
	return send_it(s, p, &r);
}

/* An answer that came too late for one request is read as that of the next one, so every request
 * that is lost makes the lead longer. */
static int64_t earliest(const struct session *s, const struct process *p, int64_t now_ns)
{
	return now_ns + REQUEST_LEAD_MS * ms_ns + p->n_lost * 3 * s->ask_ns / 2;
}

/* All processes get the same start, if they ask in time. */
static int64_t window_start(struct session *s, const struct process *p, int64_t now_ns)
{
	int64_t soonest_ns = earliest(s, p, now_ns);
	if (!s->window_ns) {
		int64_t others_ns = s->n > 1 ? s->ask_ns + 500 * ms_ns : 0;
		int64_t wished_ns = s->wish.after_ns > 0 ? s->began_ns + s->wish.after_ns : 0;
		s->window_ns =
			wished_ns > soonest_ns + others_ns ? wished_ns : soonest_ns + others_ns;
	}
	return s->window_ns > soonest_ns ? s->window_ns : soonest_ns;
}

/* Asked for again with every request until the file is open: before its first step a process drops
 * the request. */
static const char *ask_by_steps(struct session *s, struct process *p, int64_t now_ns)
{
	struct request r = {.start_step = s->wish.after_steps > 0 ? s->wish.after_steps : 0,
		.steps = s->wish.steps,
		.with = s->wish.with};
	if (s->wish.after_ns > 0 && now_ns < s->began_ns + s->wish.after_ns)
		return "";
	if (!p->first_steps_ns)
		p->first_steps_ns = now_ns;
	expect(p, now_ns, STEPS_PATIENCE_NS);
	p->patience_ns = now_ns;
	return send_it(s, p, &r);
}

static bool steps_are_missing(const struct session *s, const struct process *p, int64_t now_ns)
{
	return s->wish.after_steps <= 0 && p->first_steps_ns &&
		now_ns - p->first_steps_ns > SESSION_STEPS_NS;
}

static const char *ask_window(struct session *s, struct process *p, int64_t now_ns)
{
	p->probing = false;
	if (s->wish.steps && steps_are_missing(s, p, now_ns))
		p->by_time = true;
	if (s->wish.steps && !p->by_time)
		return ask_by_steps(s, p, now_ns);
	int64_t start_ns = window_start(s, p, now_ns);
	if (start_ns - now_ns > REQUEST_LEAD_MS * ms_ns + 3 * s->ask_ns)
		return ""; /* what is asked for cannot be taken back if it profiles itself by then
			    */
	return ask_by_time(s, p, start_ns, (long)(s->wish.for_ns / ms_ns));
}

static const char *ask_probe(struct session *s, struct process *p, int64_t now_ns)
{
	p->probing = true;
	return ask_by_time(s, p, earliest(s, p, now_ns), probe_ms(p->n_probes));
}

/* Has every process that works settled, or had its time to? */
static bool all_settled(const struct session *s, int64_t now_ns)
{
	bool waiting = false;
	int64_t first_ns = INT64_MAX;
	for (size_t i = 0; i < s->n; i++) {
		const struct process *p = &s->process[i];
		if (p->settled && p->settled_ns < first_ns)
			first_ns = p->settled_ns;
		waiting = waiting || (!p->settled && p->n_probes > 0);
	}
	return first_ns != INT64_MAX && (!waiting || now_ns - first_ns > SESSION_WAIT_NS);
}

static const char *next_request(struct session *s, struct process *p, int64_t now_ns)
{
	if (!s->wish.steady)
		return ask_window(s, p, now_ns);
	if (p->settled)
		return all_settled(s, now_ns) ? ask_window(s, p, now_ns) : "";
	return now_ns < p->rest_ns ? "" : ask_probe(s, p, now_ns);
}

const char *session_answer(struct session *s, struct process *p, int32_t type, int64_t now_ns)
{
	if (!(type & FABRIC_ACTIVITIES)) {
		/* after a recording of ours its profiler takes a moment to be free again; as long
		 * as its file is not open, what it was told waits */
		bool ours = p->state == PROCESS_BEGUN || p->state == PROCESS_DONE ||
			now_ns < p->free_ns + BUSY_NS;
		p->own_profiler = p->own_profiler || !ours;
		return "";
	}
	if (p->state == PROCESS_DONE)
		return "";
	if (p->state != PROCESS_FREE && now_ns < p->patience_ns)
		return "";
	p->n_lost += p->state == PROCESS_SENT && p->patience_ns > p->start_ns;
	return next_request(s, p, now_ns);
}

/* ---- what came of it ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

/* Whose file, and of which kind; NULL when the name is none that was given. */
static struct process *owner_of(struct session *s, const char *name, bool *probe)
{
	static const char *const kinds[] = {"probe", "steps", "main"};
	const char *p = NULL;
	*probe = !strncmp(name, "probe", 5);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			p = name + strlen(kinds[i]);
	if (!p || strspn(p, "0123456789") == 0)
		return NULL;
	p += strspn(p, "0123456789");
	if (strncmp(p, ".p", 2) != 0 || p[2] < '1' || p[2] > '9')
		return NULL;
	long pid = strtol(p + 2, NULL, 10);
	return pid <= INT32_MAX ? find(s, (int32_t)pid) : NULL;
}

static void keep_file(struct session *s, struct process *p, const char *name, bool probe)
{
	if (p->file && !probe)
		p->probe = p->file; /* for a window in which nothing happens */
	else if (p->file)
		unlink(p->file);
	p->file = arena_printf(s->arena, "%s/%s", s->folder, name);
	p->file_is_probe = probe;
}

static enum session_news take_probe(struct process *p, int64_t now_ns)
{
	struct probe seen;
	struct err ignored = {0};
	p->state = PROCESS_FREE;
	p->free_ns = p->rest_ns = now_ns;
	if (probe_read(&seen, p->file, &ignored) || !probe_saw_work(&seen)) {
		/* a launcher, a worker of a compiler: looked at now and then */
		p->rest_ns += p->n_idle++ ? 2 * IDLE_NS : IDLE_NS;
		return NEWS_PROBE;
	}
	bool agree = p->n_probes && probes_agree(&p->last, &seen);
	p->last = seen;
	p->n_probes++;
	p->gave_up = !agree && p->n_probes >= STEADY_PROBES;
	p->settled = agree || p->gave_up;
	p->settled_ns = now_ns;
	return p->settled ? NEWS_SETTLED : NEWS_PROBE;
}

enum session_news session_file(
	struct session *s, const char *name, int64_t now_ns, struct process **of)
{
	bool probe;
	struct process *p = *of = owner_of(s, name, &probe);
	if (!p || p->state == PROCESS_DONE || p->state == PROCESS_FREE)
		return NEWS_NONE;
	if (ends_with(name, ".tmp")) {
		bool news = p->state == PROCESS_SENT;
		p->state = PROCESS_BEGUN;
		p->patience_ns = p->start_ns + p->for_ns + WRITING_NS;
		return news ? NEWS_BEGUN : NEWS_NONE;
	}
	if (!ends_with(name, ".json"))
		return NEWS_NONE;
	keep_file(s, p, name, probe);
	if (probe)
		return take_probe(p, now_ns);
	p->state = PROCESS_DONE;
	return NEWS_DONE;
}

bool session_over(const struct session *s)
{
	bool any = false;
	for (size_t i = 0; i < s->n; i++) {
		const struct process *p = &s->process[i];
		bool works = !s->wish.steady || p->n_probes > 0;
		if (works && p->state != PROCESS_DONE)
			return false;
		any = any || p->state == PROCESS_DONE;
	}
	return any;
}
