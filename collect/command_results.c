/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/adopt.h"
#include "collect/command_parts.h"
#include "collect/inject/ring.h"
#include "collect/process_facts.h"
#include "collect/progress.h"
#include "collect/rings.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct command_trace *add_trace(struct command *c)
{
	if (c->n_traces == c->room) {
		c->room = c->room ? c->room * 2 : 8;
		c->trace = xrealloc(c->trace, c->room, sizeof *c->trace);
	}
	c->trace[c->n_traces] = (struct command_trace){.rank = -1};
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

static bool has_rank(const struct command *c, long rank)
{
	for (size_t i = 0; i < c->n_traces; i++)
		if (c->trace[i].rank == rank)
			return true;
	return false;
}

/* Where the trace of a process goes, and what it is called: by its rank, by its number, or as the
 * program where it is alone. What a rank has started has its rank in its environment too; the rank
 * is who asked first. */
static struct command_trace trace_for(struct command *c, long rank, pid_t pid, bool alone)
{
	struct arena *a = &c->arena;
	struct command_trace t = {.rank = rank};
	if (rank >= 0 && has_rank(c, rank)) {
		t.tag = arena_printf(a, "rank%ld-process-%d", rank, (int)pid);
		t.rank = -1;
	} else if (rank >= 0) {
		t.tag = arena_printf(a, "rank%ld", rank);
	} else {
		t.tag = alone ? c->name : arena_printf(a, "process-%d", (int)pid);
	}
	t.id = arena_printf(a, "%s/%s", c->name, t.tag);
	t.file = t.tag == c->name ? arena_printf(a, "%s.pt.trace.json", c->name)
				  : arena_printf(a, "%s.%s.pt.trace.json", c->name, t.tag);
	return t;
}

static void tell_lost(struct command *c, pid_t pid, const struct err *err)
{
	progress_note("the trace of process %d is lost: %s", (int)pid, err->text);
	c->lost = true;
}

static const char *note_of(struct command *c, const struct process *p, bool whole)
{
	if (!whole)
		return "the file is cut: the program ended, or the disk was full, while it was "
		       "written";
	if (p->file_is_probe)
		return p->state == PROCESS_DONE
			? "nothing ran in its window: this is the last probe, without shapes"
			: "the program ended before its window: this is the last probe, without "
			  "shapes";
	if (p->gave_up)
		return arena_printf(&c->arena,
			"not steady: %d probes, up to %ld ms long, did not agree", p->n_probes,
			probe_ms(p->n_probes - 1));
	if (p->by_time)
		return "no optimizer step was seen: recorded by time instead";
	return NULL;
}

static void adopt(struct command *c, const struct process *p, size_t files)
{
	struct adopted a;
	struct err err = {0};
	struct command_trace t = trace_for(c, p->rank, p->pid, files == 1);
	const char *to = arena_printf(&c->arena, "%s/%s", c->out, t.file);
	if (adopt_trace(&a, p->file, to, t.rank, p->world, &err)) {
		tell_lost(c, p->pid, &err);
		return;
	}
	t.note = note_of(c, p, a.whole);
	t.title = title_of(c, &t);
	*add_trace(c) = t;
	if (a.on_gpu && !c->gpu)
		c->gpu = arena_strdup(&c->arena, a.gpu);
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

static void adopt_ring(struct command *c, const struct command_ring *r, const struct ring_facts *f,
	const char *path, bool alone)
{
	struct err err = {0};
	struct command_trace t = trace_for(c, r->rank, f->pid, alone);
	const char *to = arena_printf(&c->arena, "%s/%s", c->out, t.file);
	if (ring_write_trace(path, to, t.rank, r->world, &err)) {
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
	if (c->n_rings && !c->session.n && (o->steps || o->with || c->wish->after_steps > 0))
		progress_note(
			"steps and --with are about PyTorch, which is not in this program: it "
			"was recorded by time (--after T, --for T)");
}

static void adopt_rings(struct command *c)
{
	tell_useless(c);
	if (c->n_rings >= RING_MOST)
		progress_note(
			"of the processes with CUDA or NVTX the first %d were recorded", RING_MOST);
	struct arena *a = &c->arena;
	struct ring_facts *facts = arena_array(a, c->n_rings, sizeof *facts);
	size_t full = c->n_traces;
	for (size_t i = 0; i < c->n_rings; i++) {
		struct err ignored = {0};
		const char *path = arena_printf(a, "%s/%s", c->private, c->ring[i].file);
		if (ring_look(&facts[i], a, path, &ignored))
			continue;
		full += facts[i].spans > 0;
		if (facts[i].refused)
			progress_note("process %d: CUDA was not recorded: %s", (int)facts[i].pid,
				facts[i].refused);
	}
	for (size_t i = 0; i < c->n_rings; i++)
		if (facts[i].spans)
			adopt_ring(c, &c->ring[i], &facts[i],
				arena_printf(a, "%s/%s", c->private, c->ring[i].file), full == 1);
}

static bool holds_work(const char *file)
{
	struct probe seen;
	struct err ignored = {0};
	/* what is too large to be looked at holds work */
	return file && (probe_read(&seen, file, &ignored) || probe_saw_work(&seen));
}

/* Its window, else the last probe; what a crash destroyed, or saw no work, is neither. */
static void choose_file(struct command *c, struct process *p)
{
	struct err err = {0};
	if (p->file && adopt_destroyed(p->file, &err)) {
		tell_lost(c, p->pid, &err);
		p->file = NULL;
	}
	if (holds_work(p->file))
		return;
	p->file = holds_work(p->probe) ? p->probe : NULL;
	p->file_is_probe = true;
}

/* A probe counts only where no process got further. */
static void adopt_all(struct command *c)
{
	size_t files = 0;
	bool any_window = false;
	for (size_t i = 0; i < c->session.n; i++) {
		struct process *p = &c->session.process[i];
		choose_file(c, p);
		any_window |= p->file && !p->file_is_probe;
	}
	for (size_t i = 0; i < c->session.n; i++) {
		struct process *p = &c->session.process[i];
		if (any_window && p->file_is_probe)
			p->file = NULL;
		files += p->file != NULL;
	}
	for (size_t i = 0; i < c->session.n; i++)
		if (c->session.process[i].file)
			adopt(c, &c->session.process[i], files);
}

static const char *created_text(struct arena *a)
{
	time_t t = time(NULL);
	struct tm tm;
	char text[32];
	gmtime_r(&t, &tm);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return arena_strdup(a, text);
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
	const char *with = with_words(a, &c->session.wish.with);
	struct environment e = {0};
	struct device_info info = {.name = c->gpu ? c->gpu : cpu_name(a),
		.is_gpu = c->gpu != NULL,
		.isa = "",
		.runtime = ""};
	environment_add(&e, "Command", words_of_command(c));
	environment_add(&e, "Recorded with",
		*with && c->session.n ? arena_printf(a, "%s: they weigh on the numbers", with)
				      : NULL);
	for (size_t i = 0; i < c->session.n; i++)
		if (c->session.process[i].torch) {
			environment_add(&e, "PyTorch", c->session.process[i].torch);
			break;
		}
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
		.created = created_text(&c->arena),
		.name = c->name,
		.argv = c->argv,
		.folder = getcwd(folder, sizeof folder) ? folder : "",
		.status = c->program.status,
		.seconds = command_seconds(c),
		.wish = c->session.n ? &c->session.wish : NULL,
		.environment = facts(c),
		.trace = c->trace,
		.n_traces = c->n_traces};
	return command_manifest_write(&m, err);
}

/* ---- what is said at the end ---- */

static bool under_way(const struct command *c)
{
	for (size_t i = 0; i < c->session.n; i++)
		if (c->session.process[i].state == PROCESS_BEGUN)
			return true;
	return false;
}

/* A program that exits while another of its threads records may crash of it: pytorch/kineto#1051.
 * Returns whether that is what this looks like. */
static bool tell_crash(const struct command *c)
{
	int status = c->program.status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	bool just_now = c->last_file_s > 0 && command_seconds(c) - c->last_file_s < 3;
	if ((number != SIGABRT && number != SIGSEGV) || !(under_way(c) || just_now))
		return false;
	progress_note("the program was ended by signal %d (%s) while PyTorch's profiler recorded "
		      "in it: one that exits meanwhile may crash; an earlier --after, or a shorter "
		      "--for, is over before",
		number, strsignal(number));
	return true;
}

static void tell_nothing(const struct command *c)
{
	bool begun = under_way(c), late = c->session.n > 0;
	for (size_t i = 0; i < c->session.n; i++)
		late = late && c->session.process[i].state != PROCESS_DONE;
	if (begun)
		progress_note(
			"nothing recorded: the program ended after %.1f s, while it was being "
			"recorded; a shorter --for, or an earlier --after, fits into it",
			command_seconds(c));
	else if (late)
		progress_note(
			"nothing recorded: the program ended after %.1f s, before its window; "
			"from PyTorch's import to the end of a window it takes 4 s at least "
			"(--after 0s), and some 10 s until a program is known to be steady",
			command_seconds(c));
	else if (c->session.n)
		progress_note("nothing recorded: no process ran an operator in its window");
	else if (c->silent_torch)
		progress_note("nothing recorded: PyTorch %s is there but did not ask for work; "
			      "2.0 or newer, built with Kineto, does",
			c->silent_torch);
	else if (c->n_rings)
		progress_note("nothing recorded: the program used CUDA or NVTX, and ended after "
			      "%.1f s, but not in the window (--after, --for)",
			command_seconds(c));
	else
		progress_note(
			"nothing recorded: looked for PyTorch 2.0 or newer (with Kineto), CUDA and "
			"NVTX ranges; no process used one of them. Put NVTX ranges around what "
			"matters, and it is recorded, on a CPU too");
}

static void tell_traces(const struct command *c)
{
	for (size_t i = 0; i < c->n_traces; i++) {
		const struct command_trace *t = &c->trace[i];
		command_say(c, "%s/%s%s%s", c->out, t->file, t->note ? ": " : "",
			t->note ? t->note : "");
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
	if (c->fabric.refused)
		progress_note("%zu messages on the socket were none of PyTorch's: not answered",
			c->fabric.refused);
	bool crashed = tell_crash(c);
	if (!c->n_traces && !c->lost && !crashed)
		tell_nothing(c);
	tell_traces(c);
	if (c->n_traces)
		qsort(c->trace, c->n_traces, sizeof *c->trace, by_rank);
	bool written = c->n_traces && !write_manifest(c, err);
	if (written)
		command_manifest_replace(c->out, c->earlier, c->trace, c->n_traces);
	else if (c->earlier)
		progress_note("%s/run.json is that of the earlier recording", c->out);
	free(c->trace);
	c->trace = NULL;
	return written;
}
