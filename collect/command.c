/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/command.h"

#include "base/outfile.h"
#include "collect/command_parts.h"
#include "collect/folder_lock.h"
#include "collect/programs_own_trace.h"
#include "experiments/span.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_MS = 100,
	LOOKS_A_SECOND = 10,
	ROOM_MB = 42,
	AWAIT_MS = 20,
	LINGER_S = 3,
	WRITE_S = 120,
	MOST_PROCESSES = 256,
	LARGEST_MAPS = 16 << 20
};

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
	talk_tell("%s", text);
}

double command_seconds(const struct command *c)
{
	return (double)(clock_ns() - c->began_ns) * 1e-9;
}

/* The argument that a person would call the program by. */
static const char *telling_argument(char *const *argv)
{
	for (char *const *v = argv; *v; v++) {
		size_t n = strlen(*v);
		if (n > 3 && !strcmp(*v + n - 3, ".py"))
			return *v;
	}
	for (char *const *v = argv; *v; v++)
		if (!strcmp(*v, "-m") && v[1] && strstr(argv[0], "python"))
			return v[1];
	return argv[0];
}

const char *command_name(struct arena *a, char *const *argv)
{
	const char *word = telling_argument(argv), *slash = strrchr(word, '/');
	char *name = arena_strdup(a, slash && slash[1] ? slash + 1 : word);
	char *dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
	for (char *p = name; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') || *p == '_' || *p == '-'))
			*p = '-';
	return *name ? name : "program";
}

/* ---- before the program starts ---- */

/* Its name stands in lists that are split at colons and blanks. */
static int make_private(struct command *c, struct err *err)
{
	const char *wished = getenv("TMPDIR");
	bool usable = wished && *wished == '/' && !strpbrk(wished, " \t\n:\"\\");
	const char *parent = usable ? wished : P_tmpdir;
	folder_sweep(parent);
	c->private_lock = folder_lock_private(parent, &c->private, err);
	return c->private_lock < 0 ? -1 : 0;
}

static void remove_private(struct command *c)
{
	if (c->private)
		folder_remove(c->private);
	free(c->private);
	c->private = NULL;
	if (c->private_lock >= 0)
		close(c->private_lock);
	c->private_lock = -1;
}

/* The window of programs without PyTorch: by time, from their start; else all of it. */
static const char *inject_wish(struct command *c)
{
	const struct recording_options *w = c->wish;
	int64_t start_ns = 0, end_ns = INT64_MAX;
	if (w->after_ns > 0)
		start_ns = c->began_ns + w->after_ns;
	if (c->options->for_)
		end_ns = (w->after_ns > 0 ? start_ns : c->began_ns) + w->for_ns;
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
		talk_tell("CUDA and NVTX are not recorded: %s is not there", library);
		return 0;
	}
	for (size_t i = 0; i < sizeof doors / sizeof *doors; i++)
		if (getenv(doors[i]))
			talk_tell("%s is set already: it is left as it is", doors[i]);
		else
			s[n++] = (struct setting){doors[i], arena_strdup(&c->arena, real)};
	s[n++] = (struct setting){"TRACEBOOK_INJECT", inject_wish(c)};
	return n;
}

enum { SETTINGS = 12 };

/* What tracebook-torch-recorder.py reads; in the folder's name there is nothing to escape. */
static const char *record_wish(struct command *c)
{
	const struct recording_options *w = c->wish;
	return arena_printf(&c->arena,
		"{\"folder\": \"%s\", \"began_ns\": %" PRId64 ", \"after_ns\": %" PRId64
		", \"after_steps\": %ld, \"for_ns\": %" PRId64
		", \"for_given\": %s, \"steps\": %ld, \"with\": \"%s\", \"most_processes\": %d}",
		c->private, c->began_ns, w->after_ns, w->after_steps, w->for_ns,
		c->options->for_ ? "true" : "false", w->steps, with_words(&c->arena, &w->with),
		MOST_PROCESSES);
}

/* Links, so that what Python keeps beside them (__pycache__) goes away with the folder. */
static int set_up_python(struct command *c, struct setting *s, struct err *err)
{
	static const char *const files[][2] = {{"sitecustomize.py", "tracebook-sitecustomize.py"},
		{"profilers.py", "tracebook-torch-profilers.py"},
		{"recorder.py", "tracebook-torch-recorder.py"},
		{"hooks.py", "tracebook-torch-hooks.py"}};
	struct arena *a = &c->arena;
	char real[PATH_MAX];
	const char *folder = arena_printf(a, "%s/python", c->private), *old = getenv("PYTHONPATH");
	if (mkdir(folder, 0700))
		return fail_errno(err, "cannot make the folder %s", folder);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *link = arena_printf(a, "%s/%s", folder, files[i][0]);
		if (!realpath(arena_printf(a, "%s/../lib/%s", c->program_folder, files[i][1]),
			    real)) {
			talk_tell("PyTorch is not recorded: %s/../lib has no %s", c->program_folder,
				files[i][1]);
			return 0;
		}
		if (symlink(real, link))
			return fail_errno(err, "cannot make the link %s", link);
	}
	s[0] = (struct setting){
		"PYTHONPATH", old && *old ? arena_printf(a, "%s:%s", folder, old) : folder};
	s[1] = (struct setting){"TRACEBOOK_RECORD", record_wish(c)};
	return 2;
}

static int prepare_out(struct command *c, struct err *err)
{
	char real[PATH_MAX];
	const char *out = c->options->out;
	if (!out)
		out = arena_printf(&c->arena, "out/traces/%s", c->name);
	if (make_folders(out, err))
		return -1;
	if (!realpath(out, real))
		return fail_errno(err, "cannot use the folder %s", out);
	if (access(real, W_OK))
		return fail_errno(err, "cannot write to the folder %s", out);
	c->out = arena_strdup(&c->arena, real);
	c->lock = folder_lock(real, err);
	if (c->lock < 0)
		return -1;
	return command_manifest_earlier(&c->earlier, &c->arena, out, err);
}

/* A ring takes its room before anything is written to it, so too little of it means none. */
static void tell_room(const struct command *c)
{
	struct statvfs disk;
	double mb = statvfs(c->private, &disk)
		? 1e9
		: (double)disk.f_bavail * (double)disk.f_frsize / 1e6;
	if (mb < ROOM_MB)
		talk_tell("%s has %.0f MB left: CUDA and NVTX need %d MB for each process, and "
			  "are not recorded without (TMPDIR)",
			c->private, mb, ROOM_MB);
}

static int prepare(struct command *c, struct setting *settings, struct err *err)
{
	c->program.signals = c->lock = c->private_lock = -1;
	c->name = command_name(&c->arena, c->argv);
	if (prepare_out(c, err) || make_private(c, err))
		return -1;
	c->began_ns = clock_ns();
	tell_room(c);
	int n = set_up_python(c, settings, err);
	if (n < 0)
		return -1;
	n += set_up_injection(c, settings + n);
	settings[n] = (struct setting){0};
	for (const struct setting *s = settings; s->name; s++)
		talk_detail("the program gets %s=%s", s->name, s->value);
	if (c->earlier && *c->earlier)
		command_say(c,
			"%s holds an earlier recording, which this one replaces: --out FOLDER "
			"keeps both",
			c->out);
	return 0;
}

/* ---- while it runs ---- */

static void meet_python(struct command *c, pid_t pid)
{
	c->python = arena_room(
		&c->arena, c->python, (int)c->n_pythons, &c->python_room, sizeof *c->python);
	c->python[c->n_pythons++] = (struct command_python){.pid = pid};
	if (c->n_pythons == 1)
		command_say(c, "%.1f s: process %d has imported PyTorch; traces go to %s",
			command_seconds(c), (int)pid, c->out);
}

static void meet_ring(struct command *c, const char *name)
{
	c->ring = arena_room(&c->arena, c->ring, (int)c->n_rings, &c->ring_room, sizeof *c->ring);
	c->ring[c->n_rings++] = name;
	pid_t pid = (pid_t)strtol(name + strlen("ring."), NULL, 10);
	command_say(c, "%.1f s: process %d uses CUDA or NVTX: it is recorded from inside%s%s",
		command_seconds(c), (int)pid, c->n_rings > 1 ? "" : "; traces go to ",
		c->n_rings > 1 ? "" : c->out);
}

/* "start.422.json", of the process that has the number behind the first dot. What the end of the
 * program has ended is told when it is over. */
static void tell_part(struct command *c, const char *name)
{
	struct recorder_notes r;
	const char *number = strchr(name, '.'), *end = strrchr(name, '.');
	bool start = !strncmp(name, "start.", 6);
	if (strcmp(end, ".json") != 0 || (!start && strncmp(name, "window.", 7) != 0) ||
		recorder_notes_read(&r, &c->arena, c->private, (pid_t)strtol(number + 1, NULL, 10)))
		return;
	const struct recorder_part *part = &r.part[start ? TRACED_START : TRACED_WINDOW];
	bool works = adopt_works(part->json, part->rows);
	if (!works && c->wish->after_ns < 0) /* a launcher's */
		return;
	if (!strcmp(part->why, "time") || !strcmp(part->why, "many"))
		command_say(c, "%.1f s: process %d: %s %s; the program runs on", command_seconds(c),
			(int)r.pid, start ? "its start" : "its window",
			works ? "is recorded" : "held no operator");
}

/* A trace is whole when it gets its name. */
static void meet_files(struct command *c)
{
	DIR *all = opendir(c->private);
	for (struct dirent *e; all && (e = readdir(all));) {
		if (!strchr(e->d_name, '.') || text_map_find(&c->met, e->d_name))
			continue;
		const char *name = arena_strdup(&c->arena, e->d_name);
		text_map_add(&c->met, &c->arena, name, name);
		if (!strncmp(name, "ring.", 5))
			meet_ring(c, name);
		else if (!strncmp(name, "python.", 7))
			meet_python(c, (pid_t)strtol(name + 7, NULL, 10));
		else
			tell_part(c, name);
	}
	if (all)
		closedir(all);
}

static bool has_torch(pid_t pid)
{
	char path[64];
	size_t n;
	struct err gone = {0};
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	char *maps = read_small_file(path, LARGEST_MAPS, &n, &gone);
	bool has = maps && strstr(maps, "/libtorch_cpu.so");
	free(maps);
	return has;
}

static void run_on(struct command *c)
{
	for (int look = 1; !supervise_look(&c->program); look++) {
		struct pollfd p = {c->program.signals, POLLIN, 0};
		poll(&p, 1, LOOK_MS);
		if (look % LOOKS_A_SECOND == 0 && !c->n_pythons && !c->silent_torch)
			c->silent_torch = has_torch(c->program.pid);
		meet_files(c);
	}
	meet_files(c);
}

/* Is anything to come? What a process has begun to write is awaited; another one that goes on, such
 * as a server that the program has left behind, for a moment only. */
static bool to_come(const struct command *c, double waited_s)
{
	bool any = false, writes;
	for (size_t i = 0; i < c->n_pythons; i++)
		if (recorder_notes_busy(c->private, c->python[i].pid, &writes))
			any = any || waited_s < (writes ? WRITE_S : LINGER_S);
	return any;
}

/* The end of the program does not wait for its traces, so we do, unless somebody interrupts. */
static void await_traces(struct command *c)
{
	double began = command_seconds(c), waited_s = 0;
	sigset_t come;
	bool told = false;
	while (to_come(c, waited_s)) {
		struct pollfd p = {c->program.signals, POLLIN, 0};
		if (poll(&p, 1, AWAIT_MS) > 0 && !supervise_look(&c->program))
			break;
		sigpending(&come);
		if (sigismember(&come, SIGINT) || sigismember(&come, SIGTERM))
			break;
		waited_s = command_seconds(c) - began;
		if (waited_s > 2 && !told)
			command_say(c, "the program is at its end; PyTorch's trace is written");
		told = waited_s > 2;
		meet_files(c);
	}
	meet_files(c);
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
		talk_tell("%s", o->report);
	arena_release(&a);
	return err->set ? -1 : 0;
}

static void finish(struct command *c)
{
	struct err err = {0};
	bool any;
	await_traces(c);
	any = command_results(c, &err);
	remove_private(c);
	if (any && c->options->report)
		command_report(c->options, c->program_folder, c->out, &err);
	if (err.set)
		talk_tell("%s", err.text);
}

static void release(struct command *c)
{
	remove_private(c);
	if (c->lock >= 0)
		close(c->lock);
	arena_release(&c->arena);
}

static int not_started(const struct command *c)
{
	bool absent = c->program.not_started == ENOENT;
	talk_tell("%s: %s", c->argv[0],
		absent ? "command not found" : strerror(c->program.not_started));
	return absent ? NOT_FOUND : NOT_EXECUTABLE;
}

int command_run(const struct command_options *o, const struct recording_options *wish,
	char *const *argv, const char *program_folder, struct err *err)
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
