/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/command_rounds.h"

#include "base/config.h"
#include "base/outfile.h"
#include "collect/command_manifest.h"
#include "collect/manifest.h"
#include "collect/run_supervised.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct turns {
	const struct command_options *options;
	char *const *argv;
	const char *self, *out; /* this program; the folder of the results, absolute */
	const char *against; /* absolute, NULL: none */
	int n;
	struct arena arena;
};

/* Of the earlier version, or of ours; k from 1. */
static const char *folder_of(struct turns *t, bool old, int k)
{
	struct arena *a = &t->arena;
	return old	? arena_printf(a, "%s/before-%d", t->out, k)
		: k > 1 ? arena_printf(a, "%s/%s", t->out, repeat_folder(a, k))
			: t->out;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* ---- before ---- */

/* An earlier call may have left more rounds: looked at before, taken away when there are new ones.
 */
static int each_other(struct turns *t, bool remove, struct err *err)
{
	for (int k = 1; k <= MOST_ROUNDS; k++)
		for (int old = 0; old < 2; old++) {
			const char *folder = folder_of(t, old, k);
			const char *const *files;
			bool ours = k <= t->n && (!old || t->against);
			if (!is_folder(folder) || (remove && ours))
				continue;
			if (command_manifest_earlier(&files, &t->arena, folder, err))
				return -1;
			if (!remove)
				continue;
			command_manifest_replace(folder, files, NULL, 0);
			rmdir(folder);
		}
	return 0;
}

static int prepare(struct turns *t, const char *against, struct err *err)
{
	char real[PATH_MAX];
	const char *out = t->options->out;
	if (against && !is_folder(against))
		return fail(err,
			"--against %s: no such folder; with -- COMMAND it is where the earlier "
			"version of the program lies, and where the command runs for it",
			against);
	if (against && !realpath(against, real))
		return fail_errno(err, "--against %s", against);
	t->against = against ? arena_strdup(&t->arena, real) : NULL;
	if (!out)
		out = arena_printf(&t->arena, "out/traces/%s", command_name(&t->arena, t->argv));
	if (make_folders(out, err))
		return -1;
	if (!realpath(out, real))
		return fail_errno(err, "cannot use the folder %s", out);
	t->out = arena_strdup(&t->arena, real);
	return each_other(t, false, err);
}

/* ---- one recording ---- */

static char *const *words_of(struct turns *t, const char *out)
{
	enum { OPTIONS = 16 };
	const struct command_options *o = t->options;
	const char *const option[][2] = {{"--out", out}, {"--after", o->after}, {"--for", o->for_},
		{"--steps", o->steps}, {"--with", o->with}};
	size_t n = 0, m = 0;
	while (t->argv[m])
		m++;
	const char **word = arena_array(&t->arena, OPTIONS + m, sizeof *word);
	word[n++] = t->self;
	word[n++] = o->talk.verbose ? "--verbose" : "--quiet";
	for (size_t i = 0; i < sizeof option / sizeof *option; i++)
		if (option[i][1]) {
			word[n++] = option[i][0];
			word[n++] = option[i][1];
		}
	word[n++] = "--";
	memcpy(word + n, t->argv, m * sizeof *word);
	return (char *const *)word;
}

/* In the folder of its version; `p` is what became of it. */
static int run_there(struct turns *t, bool old, int k, struct supervised *p, struct err *err)
{
	const struct setting settings[] = {{old ? "PWD" : NULL, t->against}, {0}};
	char *const *words = words_of(t, folder_of(t, old, k));
	sigset_t signals;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = -1;
	sigprocmask(SIG_SETMASK, NULL, &signals);
	if (here < 0 || (old && chdir(t->against)))
		fail_errno(err, "cannot go to the folder %s", old ? t->against : ".");
	else
		result = supervise_start(p, words, settings, err);
	if (old && here >= 0 && fchdir(here) && !result)
		result = fail_errno(err, "cannot go back from the folder %s", t->against);
	if (here >= 0)
		close(here);
	while (!result && !supervise_look(p)) {
		struct pollfd look = {p->signals, POLLIN, 0};
		poll(&look, 1, -1);
	}
	if (!result)
		close(p->signals);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	return result;
}

/* Which run.json lies there: one that is written anew is another file. */
static struct stat manifest_in(struct turns *t, bool old, int k)
{
	struct stat st = {0};
	if (stat(arena_printf(&t->arena, "%s/run.json", folder_of(t, old, k)), &st))
		st = (struct stat){0};
	return st;
}

static int record(struct turns *t, bool old, int k, struct err *err)
{
	struct supervised p;
	struct stat before = manifest_in(t, old, k), after;
	double began = talk_clock();
	const char *which = !t->against ? "" : old ? ", before" : ", after";
	if (run_there(t, old, k, &p, err))
		return -1;
	if (supervise_status(&p)) {
		talk_tell("round %d of %d%s: the command ended with status %d; nothing is "
			  "compared",
			k, t->n, which, supervise_status(&p));
		arena_release(&t->arena);
		supervise_end_as(&p);
	}
	after = manifest_in(t, old, k);
	if (!after.st_ino ||
		(after.st_ino == before.st_ino && after.st_mtim.tv_sec == before.st_mtim.tv_sec &&
			after.st_mtim.tv_nsec == before.st_mtim.tv_nsec))
		return fail(err, "round %d of %d%s: nothing was recorded", k, t->n, which);
	if (!t->options->talk.quiet)
		talk_tell("round %d of %d%s: %.1f s", k, t->n, which, talk_clock() - began);
	return 0;
}

/* ---- afterwards ---- */

/* The rounds, in the run.json of the first one; none while those of an earlier call are replaced.
 */
static int name_rounds(struct turns *t, int n, struct err *err)
{
	struct arena *a = &t->arena;
	const char *path = arena_printf(a, "%s/run.json", t->out);
	cJSON *root = config_read(path, err);
	if (!root)
		return -1;
	cJSON_DeleteItemFromObjectCaseSensitive(root, "repeats");
	cJSON_DeleteItemFromObjectCaseSensitive(root, "against");
	cJSON *repeats = n ? cJSON_AddArrayToObject(root, "repeats") : NULL;
	for (int k = 2; k <= n; k++)
		cJSON_AddItemToArray(repeats, cJSON_CreateString(repeat_folder(a, k)));
	if (n && t->against) {
		cJSON *against = cJSON_AddObjectToObject(root, "against");
		cJSON_AddStringToObject(against, "folder", t->against);
		cJSON *rounds = cJSON_AddArrayToObject(against, "rounds");
		for (int k = 1; k <= n; k++)
			cJSON_AddItemToArray(
				rounds, cJSON_CreateString(arena_printf(a, "before-%d", k)));
	}
	int result = config_write(root, path, err);
	cJSON_Delete(root);
	return result;
}

int command_rounds(const struct command_options *o, int n, const char *against, char *const *argv,
	const char *program_folder, struct err *err)
{
	struct turns t = {.options = o, .argv = argv, .n = n};
	t.self = arena_printf(&t.arena, "%s/collect", program_folder);
	int result = prepare(&t, against, err);
	for (int k = 1; k <= n && !result; k++) {
		bool old_first = k % 2 == 1;
		if (t.against && old_first)
			result = record(&t, true, k, err);
		if (!result && t.against && k == 1 && manifest_in(&t, false, 1).st_ino)
			result = name_rounds(&t, 0, err);
		if (!result)
			result = record(&t, false, k, err);
		if (!result && t.against && !old_first)
			result = record(&t, true, k, err);
	}
	if (!result)
		result = name_rounds(&t, n, err) || each_other(&t, true, err) ? -1 : 0;
	if (!result && o->report)
		result = command_report(o, program_folder, t.out, err);
	else if (!result && !o->talk.quiet)
		talk_tell(t.against ? "report %s compares the two versions"
				    : "report --baseline %s ANOTHER compares it with another",
			t.out);
	arena_release(&t.arena);
	return result;
}
