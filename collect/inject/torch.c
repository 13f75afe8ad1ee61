/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch's profiler works in a thread of its own, which goes on while the program exits. What it
 * uses is taken down then, and the program dies of it, by SIGABRT or SIGSEGV (pytorch/kineto#1051).
 * So the end of Python waits for it, before anything is taken down. libkineto's file has the ending
 * .tmp from the warm-up until all is written: that is how it is known to be at work. A window by
 * steps, whose file says so, would never end: steps that nobody makes are counted for it.
 *
 * Python is asked by its C API, found at run time: this library is linked with nothing.
 */
#define _GNU_SOURCE
#include "collect/inject/inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_US = 10000, LONGEST_US = 30000000, AFTERWARDS_US = 100000, METH_NOARGS = 4 };

enum { STEPS_AT_ONCE = 4096 };

typedef struct object object; /* of Python */

struct method { /* PyMethodDef, of the stable interface */
	const char *name;
	object *(*run)(object *self, object *none);
	int flags;
	const char *about;
};

static struct {
	int (*call_later)(int (*)(void *), void *);
	object *(*import)(const char *);
	object *(*function)(struct method *, object *, object *);
	object *(*call)(object *, const char *, const char *, ...);
	object *(*build)(const char *, ...);
	void (*forget)(object *);
	void (*clear_error)(void);
	void *(*give_up_lock)(void);
	void (*take_lock)(void *);
} python;

static bool find_python(void)
{
	const struct {
		void **to;
		const char *name;
	} wanted[] = {{(void **)&python.call_later, "Py_AddPendingCall"},
		{(void **)&python.import, "PyImport_ImportModule"},
		{(void **)&python.function, "PyCFunction_NewEx"},
		{(void **)&python.call, "PyObject_CallMethod"},
		{(void **)&python.build, "Py_BuildValue"}, {(void **)&python.forget, "Py_DecRef"},
		{(void **)&python.clear_error, "PyErr_Clear"},
		{(void **)&python.give_up_lock, "PyEval_SaveThread"},
		{(void **)&python.take_lock, "PyEval_RestoreThread"}};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!(*wanted[i].to = dlsym(RTLD_DEFAULT, wanted[i].name)))
			return false;
	return true;
}

enum work { NO_WORK, WORK_BY_TIME, WORK_BY_STEPS };

/* What libkineto is at in this very process. */
static enum work at_work(void)
{
	char end[64];
	enum work found = NO_WORK;
	snprintf(end, sizeof end, ".p%d_%d.json.tmp", (int)getpid(), (int)getpid());
	DIR *folder = opendir(inject_folder());
	for (struct dirent *e; folder && !found && (e = readdir(folder));) {
		const char *at = strstr(e->d_name, end);
		if (at && !at[strlen(end)])
			found = strncmp(e->d_name, "steps", 5) != 0 ? WORK_BY_TIME : WORK_BY_STEPS;
	}
	if (folder)
		closedir(folder);
	return found;
}

/* As the hook of the optimizers does after each step. */
static void count_steps(void)
{
	object *module = python.import("torch.autograd"), *done = module;
	for (int i = 0; done && i < STEPS_AT_ONCE; i++) {
		done = python.call(module, "_kineto_step", NULL);
		if (done)
			python.forget(done);
	}
	if (!done)
		python.clear_error();
	if (module)
		python.forget(module);
}

static object *at_end(object *self, object *none)
{
	int us = 0;
	(void)self, (void)none;
	for (enum work w; us < LONGEST_US && (w = at_work()); us += LOOK_US) {
		if (w == WORK_BY_STEPS)
			count_steps();
		void *thread = python.give_up_lock();
		usleep(LOOK_US);
		python.take_lock(thread);
	}
	if (us) /* it frees what it has recorded */
		usleep(AFTERWARDS_US);
	return python.build("");
}

/* Called by Python's main thread when it may be disturbed. */
static int register_end(void *unused)
{
	static struct method method = {"tracebook_wait", at_end, METH_NOARGS, NULL};
	(void)unused;
	object *module = python.import("atexit"), *function = python.function(&method, NULL, NULL);
	object *done = module && function ? python.call(module, "register", "O", function) : NULL;
	if (!done)
		python.clear_error();
	object *all[] = {done, module, function};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i])
			python.forget(all[i]);
	return 0;
}

void inject_wait_for_torch(void)
{
	if (*inject_folder() && find_python())
		python.call_later(register_end, NULL);
}
