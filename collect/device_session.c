/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/device_session.h"

#include <dlfcn.h>

const char *device_library(struct arena *a, const char *folder, const char *name)
{
	return arena_printf(a, "%s/../lib/tracebook-%s.so", folder, name);
}

const struct device_ops *device_load(const char *library, struct err *err)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fail(err, "cannot open %s: %s", library, dlerror());
		return NULL;
	}
	const struct device_ops *ops = dlsym(handle, "tracebook_device");
	if (!ops)
		fail(err, "%s is not a device: no tracebook_device in it", library);
	return ops;
}

int device_session_open(struct device_session *s, const char *library, const struct case_spec *spec,
	size_t room, struct err *err)
{
	*s = (struct device_session){0};
	recorder_init(&s->recorder, room);
	names_init(&s->names);
	s->bench = (struct bench){
		.recorder = &s->recorder,
		.arena = &s->arena,
		.names = &s->names,
		.spec = spec,
	};
	s->bench.ops = device_load(library, err);
	if (!s->bench.ops)
		return -1;
	s->bench.device = s->bench.ops->open(&s->recorder, err);
	return s->bench.device ? 0 : -1;
}

void device_session_close(struct device_session *s)
{
	if (s->bench.device)
		s->bench.ops->close(s->bench.device);
	recorder_release(&s->recorder);
	names_release(&s->names);
	arena_release(&s->arena);
}
