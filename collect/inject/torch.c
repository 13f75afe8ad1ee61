/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch's profiler works in a thread of its own, which goes on while the program exits. What it
 * uses is taken down then, and the program dies of it, by SIGABRT or SIGSEGV (pytorch/kineto#1051).
 * So the end of Python waits for it, before anything is taken down. libkineto's file has the ending
 * .tmp from the warm-up until all is written: that is how it is known to be at work.
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

/* Is libkineto at work in this very process? */
static bool at_work(void)
{
	char end[64];
	bool found = false;
	snprintf(end, sizeof end, ".p%d_%d.json.tmp", (int)getpid(), (int)getpid());
	DIR *folder = opendir(inject_folder());
	for (struct dirent *e; folder && !found && (e = readdir(folder));) {
		const char *at = strstr(e->d_name, end);
		found = at && !at[strlen(end)];
	}
	if (folder)
		closedir(folder);
	return found;
}

static void wait_for_it(void)
{
	bool was = false;
	for (int us = 0; us < LONGEST_US && at_work(); us += LOOK_US) {
		usleep(LOOK_US);
		was = true;
	}
	if (was) /* it frees what it has recorded */
		usleep(AFTERWARDS_US);
}

static object *at_end(object *self, object *none)
{
	(void)self, (void)none;
	void *thread = python.give_up_lock();
	wait_for_it();
	python.take_lock(thread);
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
