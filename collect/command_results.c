/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/command_parts.h"
#include "collect/inject/crash_proof_ring.h"
#include "collect/inject_trace.h"
#include "collect/programs_own_trace.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct command_trace *add_trace(struct command *c)
{
	c->trace = arena_room(&c->arena, c->trace, (int)c->n_traces, &c->room, sizeof *c->trace);
	c->trace[c->n_traces] = (struct command_trace){.rank = -1, .worker = -1};
	return &c->trace[c->n_traces++];
}

/* What a reader must know stands in the title: it is on every page that shows the trace. */
static const char *title_of(struct command *c, const struct command_trace *t)
{
	struct arena *a = &c->arena;
	const char *title = t->rank >= 0 ? arena_printf(a, "%s, rank %ld", c->name, t->rank)
		: t->tag != c->name	 ? arena_printf(a, "%s, %s", c->name, t->tag)
					 : c->name;
	return t->note ? arena_printf(a, "%s (%s)", title, t->note) : title;
}

/* Of another process. */
static bool has_rank(const struct command *c, long rank, pid_t pid)
{
	for (size_t i = 0; i < c->n_traces; i++)
		if (c->trace[i].rank == rank && c->trace[i].pid != pid)
			return true;
	return false;
}

static bool has_tag(const struct command *c, const char *tag)
{
	for (size_t i = 0; i < c->n_traces; i++)
		if (!strcmp(c->trace[i].tag, tag))
			return true;
	return false;
}

/* Where the trace of a process goes, and what it is called: by its rank, by its number, or as the
 * program where it is alone. What a rank has started has its rank in its environment too; the rank
 * is who asked first. */
static struct command_trace trace_for(
	struct command *c, long rank, pid_t pid, long worker, bool alone, const char *part)
{
	struct arena *a = &c->arena;
	struct command_trace t = {.rank = rank, .pid = pid, .worker = worker};
	const char *tag = NULL;
	if (rank >= 0 && (worker >= 0 || has_rank(c, rank, pid))) {
		tag = arena_printf(a, "rank%ld-process-%d", rank, (int)pid);
		t.rank = -1;
	} else if (rank >= 0) {
		tag = arena_printf(a, "rank%ld", rank);
	} else if (worker >= 0) {
		tag = arena_printf(a, "worker%ld", worker);
	} else if (!alone) {
		tag = arena_printf(a, "process-%d", (int)pid);
	}
	if (worker >= 0 && has_tag(c, tag)) /* of a later epoch */
		tag = arena_printf(a, "%s-process-%d", tag, (int)pid);
	t.tag = tag && part ? arena_printf(a, "%s-%s", tag, part)
		: tag	    ? tag
		: part	    ? part
			    : c->name;
	t.id = arena_printf(a, "%s/%s", c->name, t.tag);
	t.file = t.tag == c->name ? arena_printf(a, "%s.pt.trace.json", c->name)
				  : arena_printf(a, "%s.%s.pt.trace.json", c->name, t.tag);
	return t;
}

static void tell_lost(struct command *c, pid_t pid, const struct err *err)
{
	talk_tell("the trace of process %d is lost: %s", (int)pid, err->text);
	c->lost = true;
}

/* "its start, 10.0 s", "a steady window, 0.512 s, 20 steps": what stands behind the name. */
static const char *words_of_part(struct command *c, const struct recorder_part *p, bool start)
{
	struct arena *a = &c->arena;
	double s = (double)(p->ended_ns - p->began_ns) * 1e-9;
	bool cut = !strcmp(p->why, "time") || !strcmp(p->why, "many") ||
		!strcmp(p->why, "memory") || !strcmp(p->why, "own-profiler");
	const char *what = !start ? "a window"
		: cut		  ? "its start"
				  : "from its import of PyTorch to its end";
	const char *text = arena_printf(a, s < 10 ? "%s, %.3g s" : "%s, %.1f s", what, s);
	if (p->steps)
		text = arena_printf(a, "%s, %ld steps", text, p->steps);
	bool many = !strcmp(p->why, "many");
	return many ? arena_printf(a,
			      "%s; more operators would take long to write "
			      "(TRACEBOOK_START_S=60 records up to 60 s of them)",
			      text)
		    : text;
}

static const char *note_of(const struct recorder_part *p, bool whole)
{
	if (!whole)
		return "the file is cut: the disk was full, or the program was killed, while it was "
		       "written";
	if (!strcmp(p->why, "memory"))
		return "ended early: the machine had little memory left";
	if (!strcmp(p->why, "own-profiler"))
		return "ended when the program's own profiler began";
	return NULL;
}

static void adopt(
	struct command *c, const struct command_python *of, enum recorder_kind kind, bool alone)
{
	struct adopted a;
	struct err err = {0};
	const struct recorder_part *p = &of->facts.part[kind];
	const struct recorder_part *other = &of->facts.part[!kind];
	const char *part = !other->json ? NULL : kind == TRACED_START ? "start" : "steady";
	struct command_trace t =
		trace_for(c, of->facts.rank, of->pid, of->facts.loading.worker, alone, part);
	const char *to = arena_printf(&c->arena, "%s/%s", c->out, t.file);
	if (adopt_trace(&a, p->json, p->rows, to, t.rank, of->facts.world, &err)) {
		tell_lost(c, of->pid, &err);
		return;
	}
	t.part = kind == TRACED_START ? "start" : "steady";
	t.what = words_of_part(c, p, kind == TRACED_START);
	t.took_ns = p->took_ns;
	t.note = note_of(p, a.whole);
	t.loading = of->loading.batches ? &of->loading : NULL;
	t.title = title_of(c, &t);
	*add_trace(c) = t;
	if (a.on_gpu && !c->gpu)
		c->gpu = arena_strdup(&c->arena, a.gpu);
}

static int by_begin(const void *va, const void *vb)
{
	const struct command_python *a = va, *b = vb;
	int64_t x = a->facts.part[TRACED_START].began_ns, y = b->facts.part[TRACED_START].began_ns;
	return x != y ? (x < y ? -1 : 1) : (a->pid > b->pid) - (a->pid < b->pid);
}

/* Launchers and compilers' workers import PyTorch and do nothing with it. */
static bool has_trace(struct command_python *p)
{
	bool any = false;
	for (int kind = 0; kind < TRACED_KINDS; kind++) {
		struct recorder_part *part = &p->facts.part[kind];
		if (part->json && !adopt_works(part->json, part->rows))
			part->json = NULL;
		any = any || part->json;
	}
	return any;
}

static void adopt_all(struct command *c)
{
	size_t mains = 0;
	for (size_t i = 0; i < c->n_pythons; i++)
		recorder_notes_read(&c->python[i].facts, &c->arena, c->private, c->python[i].pid);
	if (c->n_pythons)
		qsort(c->python, c->n_pythons, sizeof *c->python, by_begin);
	const struct recorder_notes **all = arena_array(&c->arena, c->n_pythons, sizeof(*all));
	for (size_t i = 0; i < c->n_pythons; i++)
		all[i] = &c->python[i].facts;
	for (size_t i = 0; i < c->n_pythons; i++)
		c->python[i].loading = loading_of(&c->arena, all, c->n_pythons, i);
	for (size_t i = 0; i < c->n_pythons; i++)
		mains += has_trace(&c->python[i]) && !c->python[i].facts.forked;
	for (size_t i = 0; i < c->n_pythons; i++)
		for (int kind = 0; kind < TRACED_KINDS; kind++)
			if (c->python[i].facts.part[kind].json)
				adopt(c, &c->python[i], kind,
					mains == 1 && !c->python[i].facts.forked);
}

/* ---- processes that were recorded from inside ---- */

static const char *drops_of(struct command *c, const struct ring_facts *f)
{
	if (!f->overtaken && !f->lost)
		return NULL;
	return arena_printf(&c->arena,
		"the newest %" PRIu64 " spans of %" PRIu64 "; %" PRIu64
		" more were lost by the recorder",
		f->spans, f->spans + f->overtaken, f->lost);
}

static void adopt_ring(struct command *c, const struct ring_facts *f, bool alone)
{
	struct err err = {0};
	struct command_trace t = trace_for(c, f->rank, f->pid, -1, alone, NULL);
	const char *to = arena_printf(&c->arena, "%s/%s", c->out, t.file);
	if (ring_write_trace(f->path, to, t.rank, &err)) {
		tell_lost(c, f->pid, &err);
		return;
	}
	t.note = drops_of(c, f);
	t.title = title_of(c, &t);
	*add_trace(c) = t;
	if (f->on_gpu && !c->gpu)
		c->gpu = f->gpu && *f->gpu ? f->gpu : "a GPU";
}

/* An option that did nothing was meant to do something. */
static void tell_useless(const struct command *c)
{
	const struct command_options *o = c->options;
	if (c->n_rings && !c->n_pythons && (o->steps || o->with || c->wish->after_steps > 0))
		talk_tell("steps and --with are about PyTorch, which is not in this program: it "
			  "was recorded by time (--after T, --for T)");
}

static int by_ring_begin(const void *va, const void *vb)
{
	const struct ring_facts *a = va, *b = vb;
	return (a->began_ns > b->began_ns) - (a->began_ns < b->began_ns);
}

static void adopt_rings(struct command *c)
{
	tell_useless(c);
	if (c->n_rings >= RING_MOST)
		talk_tell(
			"of the processes with CUDA or NVTX the first %d were recorded", RING_MOST);
	struct arena *a = &c->arena;
	struct ring_facts *facts = arena_array(a, c->n_rings, sizeof *facts);
	size_t full = c->n_traces;
	for (size_t i = 0; i < c->n_rings; i++) {
		struct err ignored = {0};
		const char *path = arena_printf(a, "%s/%s", c->private, c->ring[i]);
		if (ring_look(&facts[i], a, path, &ignored))
			continue;
		full += facts[i].spans > 0;
		if (facts[i].refused)
			talk_tell("process %d: CUDA was not recorded: %s", (int)facts[i].pid,
				facts[i].refused);
	}
	if (c->n_rings)
		qsort(facts, c->n_rings, sizeof *facts, by_ring_begin);
	for (size_t i = 0; i < c->n_rings; i++)
		if (facts[i].spans)
			adopt_ring(c, &facts[i], full == 1);
}

static const char *words_of_command(struct command *c)
{
	char *words = arena_strdup(&c->arena, "");
	for (char *const *v = c->argv; *v; v++)
		words = arena_printf(&c->arena, "%s%s%s", words, v == c->argv ? "" : " ", *v);
	return words;
}

static struct environment facts(struct command *c)
{
	struct arena *a = &c->arena;
	const char *with = with_words(a, &c->recorded.with);
	struct environment e = {0};
	struct device_info info = {.name = c->gpu ? c->gpu : cpu_name(a),
		.is_gpu = c->gpu != NULL,
		.isa = "",
		.runtime = ""};
	environment_add(&e, "Command", words_of_command(c));
	environment_add(&e, "Recorded with",
		*with && c->n_pythons ? arena_printf(a, "%s: they weigh on the numbers", with)
				      : NULL);
	environment_add(&e, "PyTorch", c->n_pythons ? c->python[0].facts.torch : NULL);
	environment_add(&e, "NVIDIA driver", c->gpu ? driver_version(a) : NULL);
	struct environment machine = environment_of(a, &info, c->program_folder);
	for (int i = 0; i < machine.n; i++)
		environment_add(&e, machine.fact[i].name, machine.fact[i].value);
	return e;
}

static int write_manifest(struct command *c, struct err *err)
{
	char folder[PATH_MAX];
	struct command_manifest m = {.path = arena_printf(&c->arena, "%s/run.json", c->out),
		.device = c->gpu ? "cuda" : "cpu",
		.is_gpu = c->gpu != NULL,
		.created = now_text(&c->arena),
		.name = c->name,
		.argv = c->argv,
		.folder = getcwd(folder, sizeof folder) ? folder : "",
		.status = c->program.status,
		.seconds = command_seconds(c),
		.wish = c->n_pythons ? &c->recorded : NULL,
		.environment = facts(c),
		.trace = c->trace,
		.n_traces = c->n_traces};
	return command_manifest_write(&m, err);
}

/* ---- what is said at the end ---- */

/* What began in a process and did not come out of it. */
static void tell_unfinished(const struct command *c)
{
	static const char *const what[TRACED_KINDS] = {"its start", "its window"};
	for (size_t i = 0; i < c->n_pythons; i++)
		for (int kind = 0; kind < TRACED_KINDS; kind++) {
			const struct recorder_part *p = &c->python[i].facts.part[kind];
			if (p->begun && !p->ended_ns)
				talk_tell(
					"process %d: %s is lost: it was killed, crashed or was still "
					"running while that was recorded",
					(int)c->python[i].pid, what[kind]);
		}
}

/* Has it more threads than PyTorch could record? */
static bool main_only(const struct recorder_notes *r)
{
	return r->alone && r->threads > 1 && !r->forked;
}

static void tell_limits(const struct command *c)
{
	for (size_t i = 0; i < c->n_pythons; i++) {
		const struct recorder_notes *r = &c->python[i].facts;
		if (r->failed)
			talk_tell("process %d: not recorded further: %s", (int)r->pid, r->failed);
		if (r->injected)
			talk_tell("process %d is not recorded: %s is in it already, and CUDA "
				  "has room for one recorder (unset CUDA_INJECTION64_PATH)",
				(int)r->pid, r->injected);
		if (r->gave_way)
			command_say(c,
				"process %d profiles itself: recording ended there, and its own "
				"files are its own",
				(int)r->pid);
		bool alone = main_only(r);
		if (alone && !strcmp(r->alone, "untouched"))
			talk_tell("process %d: operators of its main thread only, since it used no "
				  "GPU: CUDA_VISIBLE_DEVICES= in front records all threads",
				(int)r->pid);
		else if (alone && !strcmp(r->alone, "memory"))
			talk_tell("process %d: operators of its main thread only: without memory "
				  "in --with those of all threads are recorded",
				(int)r->pid);
		else if (alone)
			talk_tell("process %d: operators of its main thread only: PyTorch %s "
				  "records no other threads, 2.11 does",
				(int)r->pid, r->torch ? r->torch : "");
	}
}

static void tell_no_stacks(const struct command *c)
{
	if (c->options->with && c->wish->with.stacks && c->n_traces && !c->recorded.with.stacks)
		talk_tell(
			"no functions of Python were recorded: they are in a window only, not in "
			"the start, with PyTorch 2.11 and newer, and while no other thread works");
}

static void tell_nothing(const struct command *c)
{
	bool begun = false, main_waited = false, unsettled = false;
	for (size_t i = 0; i < c->n_pythons; i++) {
		const struct recorder_notes *r = &c->python[i].facts;
		begun = begun || r->part[TRACED_START].begun || r->part[TRACED_WINDOW].begun;
		main_waited = main_waited || main_only(r);
		unsettled = unsettled || r->unsettled;
	}
	if (main_waited)
		talk_tell("nothing recorded: only the main thread could be recorded, and it ran no "
			  "operator of PyTorch in that time");
	else if (unsettled)
		talk_tell("nothing recorded: the program ended after %.1f s; where threads work, a "
			  "window waits until CUDA has been in use for ten seconds, since PyTorch "
			  "can hang before; without --after it is recorded from its start",
			command_seconds(c));
	else if (begun)
		talk_tell("nothing recorded: no process ran an operator of PyTorch while it was "
			  "recorded");
	else if (c->n_pythons)
		talk_tell("nothing recorded: the program ended after %.1f s, before its window; "
			  "without --after it is recorded from its start",
			command_seconds(c));
	else if (c->silent_torch)
		talk_tell("nothing recorded: PyTorch is there, but Python was started without "
			  "its start-up files (-I, -E, -S, PYTHONPATH set anew, or frozen): "
			  "without that it is recorded");
	else if (c->n_rings)
		talk_tell("nothing recorded: the program used CUDA or NVTX, and ended after "
			  "%.1f s, but not in the window (--after, --for)",
			command_seconds(c));
	else
		talk_tell("nothing recorded: looked for PyTorch in a Python, CUDA and NVTX ranges; "
			  "no process used one of them. Put NVTX ranges around what matters, "
			  "and it is recorded, on a CPU too");
}

/* Of ranks, that which waits most. */
static void tell_loading(struct command *c)
{
	const struct loading *most = NULL;
	for (size_t i = 0; i < c->n_pythons; i++) {
		const struct loading *l = &c->python[i].loading;
		if (l->batches && (!most || l->wait_ms > most->wait_ms))
			most = l;
	}
	if (most)
		command_say(c, "%s", loading_words(&c->arena, most));
}

static void tell_traces(const struct command *c)
{
	for (size_t i = 0; i < c->n_traces; i++) {
		const struct command_trace *t = &c->trace[i];
		char took[64] = "";
		if (t->took_ns)
			snprintf(took, sizeof took, "; it took %.2g s to end and write",
				(double)t->took_ns * 1e-9);
		command_say(c, "%s/%s%s%s%s%s%s", c->out, t->file, t->what ? ": " : "",
			t->what ? t->what : "", took, t->note ? "; " : "", t->note ? t->note : "");
	}
}

static int by_rank(const void *va, const void *vb)
{
	const struct command_trace *a = va, *b = vb;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->id, b->id);
}

bool command_results(struct command *c, struct err *err)
{
	adopt_all(c);
	adopt_rings(c);
	c->recorded = *c->wish;
	c->recorded.with.stacks = false;
	for (size_t i = 0; i < c->n_pythons; i++)
		c->recorded.with.stacks |= c->python[i].facts.stacks;
	tell_unfinished(c);
	tell_limits(c);
	tell_no_stacks(c);
	if (!c->n_traces && !c->lost)
		tell_nothing(c);
	tell_traces(c);
	tell_loading(c);
	if (c->n_traces)
		qsort(c->trace, c->n_traces, sizeof *c->trace, by_rank);
	if (!c->n_traces && c->options->report)
		talk_tell("no %s: nothing is recorded that it could show", c->options->report);
	bool written = c->n_traces && !write_manifest(c, err);
	if (written)
		command_manifest_replace(c->out, c->earlier, c->trace, c->n_traces);
	else if (c->earlier)
		talk_tell("%s/run.json is that of the earlier recording", c->out);
	return written;
}
