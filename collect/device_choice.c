/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/device_choice.h"

#include "base/config.h"
#include "base/program_version.h"
#include "base/verbosity.h"
#include "collect/device_session.h"
#include "collect/measure_case.h"

#include <string.h>
#include <unistd.h>

/* A driver that starts a GPU may take its time. */
#define LONGEST_OPENING_S 120.0

/* By name, the plainest first: it is always there. */
static const char *const devices[] = {"host", "cuda"};
enum { DEVICES = sizeof devices / sizeof *devices };
static const char any_device[] = "auto";

const char *device_words(struct arena *a)
{
	const char *words = any_device;
	for (int i = 0; i < DEVICES; i++)
		words = arena_printf(a, "%s|%s", words, devices[i]);
	return words;
}

static const char *text_of(struct arena *a, const cJSON *answer, const char *name)
{
	const char *text = "";
	struct err err = {0};
	if (config_text(answer, "", name, &text, &err))
		bug("%s", err.text);
	return arena_strdup(a, text);
}

static void read_facts(struct device_info *info, struct arena *a, const cJSON *facts)
{
	struct device_fact *fact = arena_array(a, (size_t)cJSON_GetArraySize(facts), sizeof *fact);
	info->fact = fact;
	for (const cJSON *f = facts ? facts->child : NULL; f; f = f->next)
		if (cJSON_IsString(f))
			fact[info->n_facts++] = (struct device_fact){
				arena_strdup(a, f->string), arena_strdup(a, f->valuestring)};
}

static int open_device(struct choice *c, struct arena *a, const char *name, const char *folder,
	struct interrupt *in, struct err *err)
{
	c->name = name;
	c->library = device_library(a, folder, name);
	if (access(c->library, R_OK))
		return fail(err,
			"the device \"%s\" is not there: no %s; 'make' builds it where its "
			"libraries are installed",
			name, c->library);
	struct measure_device context = {c->library};
	cJSON *answer = child_run(
		&(struct child_job){
			.run = measure_describe, .context = &context, .limit_s = LONGEST_OPENING_S},
		in, err);
	if (!answer)
		return -1;
	const cJSON *threads = config_find(answer, "threads");
	const cJSON *memory = config_find(answer, "memory_bytes"),
		    *cache = config_find(answer, "cache_bytes");
	c->info = (struct device_info){
		.name = text_of(a, answer, "name"),
		.lane = text_of(a, answer, "lane"),
		.runtime = text_of(a, answer, "runtime"),
		.isa = text_of(a, answer, "isa"),
		.threads = cJSON_IsNumber(threads) ? threads->valueint : 0,
		.bf16_native = cJSON_IsTrue(config_find(answer, "bf16_native")),
		.is_gpu = cJSON_IsTrue(config_find(answer, "is_gpu")),
		.memory_bytes = cJSON_IsNumber(memory) ? (int64_t)memory->valuedouble : 0,
		.cache_bytes = cJSON_IsNumber(cache) ? (int64_t)cache->valuedouble : 0,
	};
	read_facts(&c->info, a, config_find(answer, "facts"));
	cJSON_Delete(answer);
	return 0;
}

/* What a better one lacks is a note and no failure; where it was looked for is for who asks. */
static int open_best(struct choice *c, struct arena *a, const char *folder, struct interrupt *in,
	struct err *err)
{
	for (int i = DEVICES - 1; i > 0; i--) {
		struct err reason = {0};
		if (access(device_library(a, folder, devices[i]), R_OK))
			continue;
		if (!open_device(c, a, devices[i], folder, in, &reason))
			return 0;
		if (interrupt_seen(in))
			return fail(err, "%s", reason.text);
		size_t n = talk_is_verbose() ? strlen(reason.text) : strcspn(reason.text, "(");
		while (n && reason.text[n - 1] == ' ')
			n--;
		talk_tell("%.*s; the %s does it", (int)n, reason.text, devices[i - 1]);
	}
	return open_device(c, a, devices[0], folder, in, err);
}

int choose_device(struct choice *c, struct arena *a, const char *wish, const char *folder,
	struct interrupt *in, struct err *err)
{
	if (!wish || !strcmp(wish, any_device))
		return open_best(c, a, folder, in, err);
	if (!open_device(c, a, wish, folder, in, err))
		return 0;
	if (interrupt_seen(in) || access(c->library, R_OK))
		return -1;
	return err_note(err, "the device \"%s\" (%s) does not open", wish, c->library);
}

void devices_print_libraries(FILE *f, struct arena *a, const char *folder)
{
	struct device_fact fact[DEVICE_LIBRARIES];
	for (int i = 0; i < DEVICES; i++) {
		struct err err = {0};
		const char *library = device_library(a, folder, devices[i]);
		const struct device_ops *ops =
			access(library, R_OK) ? NULL : device_load(library, &err);
		int n = ops ? ops->libraries(a, fact) : 0;
		for (int k = 0; k < n; k++)
			program_print_library(f,
				arena_printf(a, "%s: %s", devices[i], fact[k].name), fact[k].value);
		if (!ops)
			program_print_library(f, arena_printf(a, "%s:", devices[i]),
				err.set ? err.text : "not built");
	}
}
