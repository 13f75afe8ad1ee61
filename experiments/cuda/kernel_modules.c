/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/kernel_modules.h"

#include "experiments/cuda/cubin_cache.h"

#include <stdlib.h>
#include <string.h>

int modules_compiler(struct modules *m, struct err *err)
{
	if (m->rtc.nvrtcCompileProgram)
		return 0;
	struct span *span = span_begin(m->recorder, SPAN_SETUP, "open NVRTC");
	int result = rtc_open(&m->rtc, m->arena, err);
	span_end(span);
	return result;
}

static const char *setup_name(struct modules *m, const char *what, const char *kernel)
{
	struct arena a = {0};
	const char *text = arena_printf(&a, "%s %s", what, kernel);
	const char *name = names_text(m->names, names_add_text(m->names, text));
	arena_release(&a);
	return name;
}

static struct cubin_key key_of(const struct modules *m, const struct module *module)
{
	return (struct cubin_key){
		.source = module->fusion.source,
		.capability = m->capability,
		.major = m->rtc.major,
		.minor = m->rtc.minor,
	};
}

static int compile(struct modules *m, struct module *module, struct rtc_code *code, struct err *err)
{
	const char *name = module->fusion.name;
	struct cubin_key key = key_of(m, module);
	struct span *span =
		span_begin(m->recorder, SPAN_SETUP, setup_name(m, "compile (NVRTC)", name));
	int result = rtc_compile(&m->rtc, code, RTC_CUBIN, name, key.source, key.capability, err);
	span_end(span);
	if (!result)
		cubin_keep(&key, code);
	return result;
}

static int make_code(
	struct modules *m, struct module *module, struct rtc_code *code, struct err *err)
{
	if (modules_compiler(m, err))
		return -1;
	struct cubin_key key = key_of(m, module);
	struct span *span =
		span_begin(m->recorder, SPAN_SETUP, setup_name(m, "look for", module->fusion.name));
	module->from_disk = cubin_recall(&key, code);
	span_end(span);
	return module->from_disk ? 0 : compile(m, module, code, err);
}

static int load(
	struct modules *m, struct module *module, const struct rtc_code *code, struct err *err)
{
	const char *name = module->fusion.name;
	struct span *span = span_begin(m->recorder, SPAN_SETUP, setup_name(m, "load", name));
	CUresult result = m->driver->cuModuleLoadData(&module->module, code->bytes);
	if (!result)
		result = m->driver->cuModuleGetFunction(&module->function, module->module, name);
	span_end(span);
	return result ? driver_fail(m->driver, result, name, err) : 0;
}

/* What the cache had may not run here any more; then it is made once more. */
static int make_and_load(struct modules *m, struct module *module, struct err *err)
{
	struct rtc_code code = {0};
	struct err stale = {0};
	int result = make_code(m, module, &code, err);
	if (!result && module->from_disk && load(m, module, &code, &stale)) {
		free(code.bytes);
		module->from_disk = false;
		result = compile(m, module, &code, err);
	}
	if (!result && !module->from_disk)
		result = load(m, module, &code, err);
	free(code.bytes);
	return result;
}

static bool same_chain(const struct device_pointwise *a, const struct device_pointwise *b)
{
	return a->dtype == b->dtype && a->n == b->n && a->n_steps == b->n_steps &&
		a->n_inputs == b->n_inputs &&
		!memcmp(a->step, b->step, (size_t)a->n_steps * sizeof *a->step);
}

struct module *modules_take(struct modules *m, const struct device_pointwise *p, struct err *err)
{
	for (struct module *module = m->first; module; module = module->next)
		if (same_chain(&module->chain, p))
			return module;
	struct module *module = arena_alloc(m->arena, sizeof *module);
	module->chain = *p;
	fusion_make(&module->fusion, m->arena, p, 0, 0);
	if (make_and_load(m, module, err))
		return NULL;
	module->next = m->first;
	m->first = module;
	m->n++;
	return module;
}

void modules_release(struct modules *m)
{
	for (struct module *module = m->first; module; module = module->next)
		m->driver->cuModuleUnload(module->module);
	m->first = NULL;
}
