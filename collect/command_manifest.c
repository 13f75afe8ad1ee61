/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/command_manifest.h"

#include "base/config.h"
#include "base/json_out.h"
#include "base/outfile.h"
#include "collect/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Names that end with '_' are beginnings. */
static const char *const telling[] = {"CUDA_", "CUDNN_", "CUBLAS_", "NVIDIA_TF32_OVERRIDE", "OMP_",
	"MKL_", "OPENBLAS_NUM_THREADS", "NCCL_", "TORCH_", "TORCHINDUCTOR_", "PYTORCH_", "TRITON_",
	"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "SLURM_JOB_ID", "SLURM_PROCID",
	"SLURM_NTASKS", "SLURM_NNODES", "SLURM_NODEID", "SLURM_ARRAY_TASK_ID",
	"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL};

static bool tells(const char *variable)
{
	size_t n = strcspn(variable, "=");
	for (const char *const *t = telling; *t; t++) {
		size_t m = strlen(*t);
		bool beginning = (*t)[m - 1] == '_';
		if (n >= m && !strncmp(variable, *t, m) && (beginning || n == m))
			return true;
	}
	return false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_variables(struct json_out *j)
{
	size_t n = 0;
	const char **kept = NULL;
	for (char **v = environ; *v; v++)
		if (tells(*v)) {
			kept = xrealloc(kept, n + 1, sizeof *kept);
			kept[n++] = *v;
		}
	if (n)
		qsort(kept, n, sizeof *kept, by_text);
	json_object(j, "environment", JSON_LINES);
	for (size_t i = 0; i < n; i++) {
		size_t length = strcspn(kept[i], "=");
		char *name = strndup(kept[i], length);
		if (!name)
			out_of_memory(length);
		json_text(j, name, kept[i] + length + (kept[i][length] == '='));
		free(name);
	}
	json_end(j);
	free(kept);
}

static void write_command(struct json_out *j, const struct command_manifest *m)
{
	struct arena a = {0};
	json_object(j, "command", JSON_LINES);
	json_array(j, "argv", JSON_INLINE);
	for (char *const *v = m->argv; *v; v++)
		json_text(j, NULL, *v);
	json_end(j);
	json_text(j, "folder", m->folder);
	write_variables(j);
	if (WIFSIGNALED(m->status))
		json_int(j, "signal", WTERMSIG(m->status));
	else
		json_int(j, "status", WEXITSTATUS(m->status));
	json_number(j, "seconds", m->seconds, 3);
	if (m->wish)
		json_text(j, "with", with_words(&a, &m->wish->with));
	json_end(j);
	arena_release(&a);
}

static void write_trace(
	struct json_out *j, const struct command_manifest *m, const struct command_trace *t)
{
	json_object(j, NULL, JSON_LINES);
	json_text(j, "id", t->id);
	json_text(j, "experiment", m->name);
	json_text(j, "tag", t->tag);
	json_text(j, "title", t->title);
	if (t->part)
		json_text(j, "part", t->part);
	if (t->what)
		json_text(j, "recorded", t->what);
	if (t->note)
		json_text(j, "note", t->note);
	if (t->rank >= 0)
		json_int(j, "rank", t->rank);
	if (t->worker >= 0)
		json_int(j, "worker", t->worker);
	if (t->loading)
		loading_write(j, t->loading);
	json_text(j, "status", "done");
	json_text(j, "trace", t->file);
	json_end(j);
}

static void write_all(FILE *f, const struct command_manifest *m)
{
	struct json_out j;
	json_init(&j, f);
	json_object(&j, NULL, JSON_LINES);
	manifest_head(&j, m->device, m->is_gpu, m->created, &m->environment);
	write_command(&j, m);
	json_array(&j, "cases", JSON_LINES);
	for (size_t i = 0; i < m->n_traces; i++)
		write_trace(&j, m, &m->trace[i]);
	json_end(&j);
	json_end(&j);
	json_finish(&j);
}

int command_manifest_write(const struct command_manifest *m, struct err *err)
{
	struct outfile out;
	if (outfile_open_unnamed(&out, m->path, err))
		return -1;
	write_all(out.f, m);
	return outfile_close(&out, err);
}

int command_manifest_earlier(
	const char *const **files, struct arena *a, const char *folder, struct err *err)
{
	const char *path = arena_printf(a, "%s/run.json", folder);
	*files = NULL;
	if (access(path, F_OK))
		return 0;
	cJSON *root = config_read(path, err);
	const cJSON *cases = config_find(root, "cases"), *entry;
	if (root && !config_find(root, "command"))
		fail(err, "%s holds a run of something else: name another folder with --out",
			folder);
	const char **names = arena_array(a, (size_t)cJSON_GetArraySize(cases) + 1, sizeof *names);
	size_t n = 0;
	cJSON_ArrayForEach(entry, cases)
	{
		const char *file = config_words(entry, "trace");
		if (*file && !strchr(file, '/')) /* only beside run.json, whatever it says */
			names[n++] = arena_strdup(a, file);
	}
	cJSON_Delete(root);
	*files = names;
	return err->set ? -1 : 0;
}

void command_manifest_replace(
	const char *folder, const char *const *files, const struct command_trace *new, size_t n)
{
	struct arena a = {0};
	for (; files && *files; files++) {
		bool again = false;
		for (size_t i = 0; i < n; i++)
			again = again || !strcmp(*files, new[i].file);
		if (!again)
			unlink(arena_printf(&a, "%s/%s", folder, *files));
	}
	if (!n)
		unlink(arena_printf(&a, "%s/run.json", folder));
	arena_release(&a);
}
