/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include <cjson/cJSON.h>

/* No device has a petabyte, no world so many ranks: what is multiplied by them stays small. */
static const double LARGEST = 1e15;

static int64_t int_of(const cJSON *object, const char *key, int64_t otherwise)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
	if (!cJSON_IsNumber(v) || v->valuedouble < -LARGEST || v->valuedouble > LARGEST)
		return otherwise;
	return (int64_t)v->valuedouble;
}

static int32_t small_of(const cJSON *object, const char *key)
{
	int64_t v = int_of(object, key, -1);
	return v < -1 || v > INT32_MAX ? -1 : (int32_t)v;
}

static struct trace_device device_of(struct arena *a, const cJSON *d)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(d, "name");
	int32_t shared = small_of(d, "sharedMemPerMultiprocessor");
	if (shared < 0) /* AMD */
		shared = small_of(d, "maxSharedMemoryPerMultiProcessor");
	return (struct trace_device){
		.id = int_of(d, "id", -1),
		.name = arena_strdup(a, cJSON_IsString(name) ? name->valuestring : ""),
		.memory_bytes = int_of(d, "totalGlobalMem", -1),
		.sms = small_of(d, "numSms"),
		.threads_per_sm = small_of(d, "maxThreadsPerMultiprocessor"),
		.registers_per_sm = small_of(d, "regsPerMultiprocessor"),
		.shared_per_sm = shared,
		.major = small_of(d, "computeMajor"),
		.minor = small_of(d, "computeMinor"),
		.warp = small_of(d, "warpSize"),
	};
}

static void take_devices(struct trace *t, const char *json)
{
	cJSON *list = json ? cJSON_Parse(json) : NULL;
	if (cJSON_IsArray(list)) {
		size_t room = (size_t)cJSON_GetArraySize(list);
		t->devices = arena_array(&t->arena, room, sizeof *t->devices);
		for (const cJSON *d = list->child; d; d = d->next)
			if (cJSON_IsObject(d))
				t->devices[t->n_devices++] = device_of(&t->arena, d);
	}
	cJSON_Delete(list);
}

static void take_rank(struct trace *t, const char *json)
{
	cJSON *info = json ? cJSON_Parse(json) : NULL;
	if (cJSON_IsObject(info)) {
		t->rank = int_of(info, "rank", -1);
		t->world = int_of(info, "world_size", -1);
	}
	cJSON_Delete(info);
}

void meta_take(struct trace *t, const struct reader *r)
{
	t->meta = arena_array(&t->arena, r->n_members, sizeof *t->meta);
	for (size_t i = 0; i < r->n_members; i++) {
		const struct member *m = &r->members[i];
		bool json = *m->value == '[' || *m->value == '{';
		t->meta[t->n_meta++] = (struct trace_meta){
			name_decode(&t->arena, m->key, strlen(m->key), false),
			name_decode(&t->arena, m->value, strlen(m->value), json),
		};
	}
	take_devices(t, reader_member(r, "deviceProperties"));
	take_rank(t, reader_member(r, "distributedInfo"));
}
