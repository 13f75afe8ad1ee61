/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/command.h"

#include "base/outfile.h"
#include "collect/command_parts.h"
#include "collect/process_facts.h"
#include "collect/progress.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 1000, ROOM_MB = 42 };

/* ---- talk ---- */

void command_say(const struct command *c, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	if (c->options->talk.quiet)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	progress_note("%s", text);
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double command_seconds(const struct command *c)
{
	return (double)(now_ns() - c->began_ns) * 1e-9;
}

/* ---- before the program starts ---- */

static int make_private(struct command *c, struct err *err)
{
	const char *wished = getenv("TMPDIR");
	bool usable = wished && *wished == '/' &&
		strlen(wished) + sizeof "/tracebook-XXXXXX" <= FABRIC_FOLDER &&
		!strstr(wished, "..") && !strpbrk(wished, " \t\n#=,") && !strstr(wished, ".json");
	snprintf(c->private, sizeof c->private, "%s/tracebook-XXXXXX", usable ? wished : P_tmpdir);
	if (mkdtemp(c->private))
		return 0;
	fail_errno(err, "cannot make a folder for the recording's socket, %s (TMPDIR)", c->private);
	c->private[0] = '\0';
	return -1;
}

static void remove_private(struct command *c)
{
	DIR *folder = c->private[0] ? opendir(c->private) : NULL;
	if (!folder)
		return;
	for (struct dirent *e; (e = readdir(folder));)
		unlinkat(dirfd(folder), e->d_name, 0);
	closedir(folder);
	rmdir(c->private);
	c->private[0] = '\0';
}

/* Ours is the only reason to ask every second; a configuration of the user's stays his. */
static int write_kineto_config(struct command *c, const char *path, struct err *err)
{
	struct outfile out;
	if (outfile_open(&out, path, err))
		return -1;
	fputs("ENABLE_IPC_FABRIC=true\nON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n", out.f);
	c->session.ask_ns = 1000000000;
	return outfile_close(&out, err);
}

/* The window of programs that are not asked: by time, from their start; else all of it. */
static const char *inject_wish(struct command *c)
{
	const struct record_wish *w = c->wish;
	int64_t start_ns = 0, end_ns = INT64_MAX;
	if (w->after_ns > 0)
		start_ns = c->session.began_ns + w->after_ns;
	if (c->options->for_)
		end_ns = (w->after_ns > 0 ? start_ns : c->session.began_ns) + w->for_ns;
	return arena_printf(&c->arena, "%s %" PRId64 " %" PRId64, c->private, start_ns, end_ns);
}

/* Two doors that NVIDIA's libraries have; one that somebody else stands in stays his. */
static int set_up_injection(struct command *c, struct setting *s)
{
	static const char *const doors[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};
	char real[PATH_MAX];
	int n = 0;
	const char *library =
		arena_printf(&c->arena, "%s/../lib/tracebook-inject.so", c->program_folder);
	if (!realpath(library, real)) {
		progress_note("CUDA and NVTX are not recorded: %s is not there", library);
		return 0;
	}
	for (size_t i = 0; i < sizeof doors / sizeof *doors; i++)
		if (getenv(doors[i]))
			progress_note("%s is set already: it is left as it is", doors[i]);
		else
			s[n++] = (struct setting){doors[i], arena_strdup(&c->arena, real)};
	s[n++] = (struct setting){"TRACEBOOK_INJECT", inject_wish(c)};
	return n;
}

enum { SETTINGS = 12 };

static int set_up_environment(struct command *c, struct setting *s, struct err *err)
{
	const char *config = arena_printf(&c->arena, "%s/kineto.conf", c->private);
	int n = 0;
	c->session.ask_ns = INT64_C(5000000000);
	s[n++] = (struct setting){"KINETO_USE_DAEMON", "1"};
	s[n++] = (struct setting){"KINETO_IPC_SOCKET_DIR", c->private};
	s[n++] = (struct setting){"KINETO_ONDEMAND_TRACE_DIR", c->private};
	if (!getenv("KINETO_LOG_LEVEL")) /* only errors: its notes would stand in the output */
		s[n++] = (struct setting){"KINETO_LOG_LEVEL", "4"};
	if (!getenv("KINETO_CONFIG")) {
		s[n++] = (struct setting){"KINETO_CONFIG", config};
		if (write_kineto_config(c, config, err))
			return -1;
	}
	n += set_up_injection(c, s + n);
	s[n] = (struct setting){0};
	return 0;
}

static int prepare_out(struct command *c, struct err *err)
{
	char real[PATH_MAX];
	const char *out = c->options->out;
	if (!out)
		out = arena_printf(&c->arena, "out/traces/%s", c->name);
	if (make_folders(out, err) || command_manifest_earlier(&c->earlier, &c->arena, out, err))
		return -1;
	if (!realpath(out, real))
		return fail_errno(err, "cannot use the folder %s", out);
	if (access(real, W_OK))
		return fail_errno(err, "cannot write to the folder %s", out);
	c->out = arena_strdup(&c->arena, real);
	return 0;
}

/* A ring takes its room before anything is written to it, so too little of it means none. */
static void tell_room(const struct command *c)
{
	struct statvfs disk;
	double mb = statvfs(c->private, &disk)
		? 1e9
		: (double)disk.f_bavail * (double)disk.f_frsize / 1e6;
	if (mb < ROOM_MB)
		progress_note("%s has %.0f MB left: CUDA and NVTX need %d MB for each process, and "
			      "are not recorded without (TMPDIR)",
			c->private, mb, ROOM_MB);
}

static int prepare(struct command *c, struct setting *settings, struct err *err)
{
	c->fabric.fd = c->watch = c->program.signals = -1;
	c->name = command_name(&c->arena, c->argv);
	if (prepare_out(c, err) || make_private(c, err) || fabric_open(&c->fabric, c->private, err))
		return -1;
	if (c->wish->with.memory || c->wish->with.flops)
		command_say(c,
			"memory and flops: PyTorch 2.11 was seen to write neither when it is "
			"asked from outside");
	c->began_ns = now_ns();
	session_init(&c->session, c->wish, c->private, &c->arena, c->began_ns);
	c->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (c->watch < 0 ||
		inotify_add_watch(c->watch, c->private, IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO) <
			0)
		return fail_errno(err, "cannot watch the folder %s", c->private);
	tell_room(c);
	if (set_up_environment(c, settings, err))
		return -1;
	for (const struct setting *s = settings; s->name; s++)
		talk_detail("the program gets %s=%s", s->name, s->value);
	return 0;
}

/* ---- while it runs ---- */

/* Seen with 2.6, each time: its profiler's thread goes through Python's objects without the lock,
 * and the program dies. Not with 2.11; none between was tried. */
static void leave_out_stacks(struct command *c, const struct process *p)
{
	int major = 0, minor = 0;
	struct request_with *with = &c->session.wish.with;
	if (!with->stacks || !p->torch || sscanf(p->torch, "%d.%d", &major, &minor) != 2 ||
		major > 2 || minor >= 11)
		return;
	with->stacks = false;
	progress_note("stacks are left out: PyTorch 2.6 crashes of them when it is asked from "
		      "outside, 2.11 does not, and this is %s",
		p->torch);
}

static void meet(struct command *c, struct process *p)
{
	process_rank(p->seen_as, &p->rank, &p->world);
	p->program = process_program(&c->arena, p->seen_as);
	p->torch = process_torch(&c->arena, p->seen_as);
	leave_out_stacks(c, p);
	if (c->session.n > 1 && p->rank < 0)
		return; /* launchers and workers: they are told of when they do something */
	const char *when = c->wish->steady ? "; short probes until it is steady"
		: c->wish->after_ns > 0
		? arena_printf(&c->arena, "; its window begins at %.1f s, if it can",
			  (double)c->wish->after_ns * 1e-9)
		: "";
	command_say(c, "%.1f s: process %d%s%s asks for work%s%s%s", command_seconds(c),
		(int)p->pid, p->torch ? ", PyTorch " : "", p->torch ? p->torch : "", when,
		c->session.n > 1 ? "" : "; traces go to ", c->session.n > 1 ? "" : c->out);
}

static void tell_own_profiler(struct command *c, struct process *p)
{
	if (!p->own_profiler || c->own_profiler_told)
		return;
	c->own_profiler_told = true;
	command_say(c,
		"%.1f s: process %d profiles itself: it is left alone until that is done, and its "
		"own files are its own",
		command_seconds(c), (int)p->pid);
}

static void answer(struct command *c, const struct fabric_call *call)
{
	bool is_new;
	struct process *p = session_process(&c->session, call, &is_new);
	if (p && is_new)
		meet(c, p);
	if (call->message.kind == FABRIC_CONTEXT) {
		int32_t n = (int32_t)c->session.n;
		fabric_answer(&c->fabric, call, &n, sizeof n);
		return;
	}
	const char *text = p ? session_answer(&c->session, p, call->message.type, now_ns()) : "";
	fabric_answer(&c->fabric, call, text, strlen(text));
	if (p)
		tell_own_profiler(c, p);
}

static void tell_news(struct command *c, enum session_news news, const struct process *p)
{
	if (news == NEWS_BEGUN && !p->probing)
		command_say(
			c, "%.1f s: process %d is being recorded", command_seconds(c), (int)p->pid);
	else if (news == NEWS_SETTLED)
		command_say(c,
			p->gave_up
				? "%.1f s: process %d is not steady after %d probes: recorded as it is"
				: "%.1f s: process %d is steady after %d probes",
			command_seconds(c), (int)p->pid, p->n_probes);
	else if (news == NEWS_DONE)
		command_say(c, "%.1f s: process %d is recorded; the program runs on",
			command_seconds(c), (int)p->pid);
}

/* Its rank can be seen only while it lives. */
static void meet_ring(struct command *c, const char *name)
{
	struct command_ring *all = arena_array(&c->arena, c->n_rings + 1, sizeof *all);
	if (c->n_rings)
		memcpy(all, c->ring, c->n_rings * sizeof *all);
	struct command_ring *r = &all[c->n_rings++];
	c->ring = all;
	r->file = arena_strdup(&c->arena, name);
	pid_t pid = (pid_t)strtol(name + strlen("ring."), NULL, 10);
	process_rank(pid, &r->rank, &r->world);
	command_say(c, "%.1f s: process %d uses CUDA or NVTX: it is recorded from inside%s%s",
		command_seconds(c), (int)pid, c->n_rings > 1 ? "" : "; traces go to ",
		c->n_rings > 1 ? "" : c->out);
}

static void file_event(struct command *c, const struct inotify_event *e)
{
	size_t n = strlen(e->name);
	bool temporary = n > 4 && !strcmp(e->name + n - 4, ".tmp");
	struct process *p;
	/* a file is whole when it gets its name, or is closed under it */
	bool ring = !strncmp(e->name, "ring.", 5);
	if (!temporary && !ring && !(e->mask & (IN_MOVED_TO | IN_CLOSE_WRITE)))
		return;
	if (ring) {
		if (e->mask & IN_CREATE)
			meet_ring(c, e->name);
		return;
	}
	enum session_news news = session_file(&c->session, e->name, now_ns(), &p);
	if (news != NEWS_NONE)
		c->last_file_s = command_seconds(c);
	if (p)
		tell_news(c, news, p);
}

static void take_files(struct command *c)
{
	_Alignas(struct inotify_event) char room[8192];
	ssize_t n;
	while ((n = read(c->watch, room, sizeof room)) > 0)
		for (char *at = room; at < room + n;) {
			const struct inotify_event *e = (const void *)at;
			if (e->len)
				file_event(c, e);
			at += sizeof *e + e->len;
		}
}

static void take_messages(struct command *c)
{
	struct fabric_call call;
	while (fabric_receive(&c->fabric, &call))
		answer(c, &call);
}

static void show_awaited(struct command *c)
{
	char text[AWAITED_TEXT];
	awaited_text(text, &c->session, c->n_rings > 0, now_ns());
	if (!c->options->talk.quiet)
		awaited_show(&c->awaited, text);
}

/* Files first: one that has begun is not asked for again. */
static void run_on(struct command *c)
{
	while (!supervise_look(&c->program)) {
		struct pollfd p[] = {{c->program.signals, POLLIN, 0}, {c->fabric.fd, POLLIN, 0},
			{c->watch, POLLIN, 0}};
		poll(p, 3, LOOK_MS);
		if (!c->session.n && !c->silent_torch && c->program.pid > 0)
			c->silent_torch = process_torch(&c->arena, c->program.pid);
		take_files(c);
		take_messages(c);
		show_awaited(c);
	}
	awaited_end(&c->awaited);
	take_files(c);
}

/* ---- afterwards ---- */

int command_report(const struct command_options *o, const char *program_folder, const char *folder,
	struct err *err)
{
	struct arena a = {0};
	const char *program = arena_printf(&a, "%s/report", program_folder);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		/* stdout was the program's */
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(program, "report", "-o", o->report, folder, (char *)NULL);
		_exit(NOT_FOUND);
	}
	int status = 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		fail(err, "no report: %s did not print %s", program, o->report);
	else if (!o->talk.quiet)
		progress_note("%s", o->report);
	arena_release(&a);
	return err->set ? -1 : 0;
}

static void finish(struct command *c)
{
	struct err err = {0};
	bool any = command_results(c, &err);
	fabric_close(&c->fabric);
	remove_private(c);
	if (any && c->options->report)
		command_report(c->options, c->program_folder, c->out, &err);
	if (err.set)
		progress_note("%s", err.text);
}

static void release(struct command *c)
{
	fabric_close(&c->fabric);
	remove_private(c);
	if (c->watch >= 0)
		close(c->watch);
	session_release(&c->session);
	arena_release(&c->arena);
}

static int not_started(const struct command *c)
{
	bool absent = c->program.not_started == ENOENT;
	if (absent)
		progress_note("%s: command not found", c->argv[0]);
	else
		progress_note("%s: %s", c->argv[0], strerror(c->program.not_started));
	return absent ? NOT_FOUND : NOT_EXECUTABLE;
}

int command_run(const struct command_options *o, const struct record_wish *wish, char *const *argv,
	const char *program_folder, struct err *err)
{
	struct command c = {
		.options = o, .wish = wish, .argv = argv, .program_folder = program_folder};
	struct setting settings[SETTINGS];
	int result = -1;
	if (!prepare(&c, settings, err)) {
		result = supervise_start(&c.program, argv, settings, err);
	}
	if (result || c.program.not_started) {
		while (!result && !supervise_look(&c.program))
			poll(NULL, 0, 1);
		result = result ? result : not_started(&c);
		release(&c);
		return result;
	}
	run_on(&c);
	finish(&c);
	struct supervised program = c.program;
	release(&c);
	supervise_end_as(&program);
}
