/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/nsys_parts.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#define HAS(c) (1ull << NSYS_##c)

/* Kineto's place for GPUs behind the processes (tracks.c). */
enum { FIRST_GPU_ORDER = 5000000 };

/* ---- before the events ---- */

static void take_number(struct nsys *x, const struct nsys_row *row)
{
	if (x->n_devices < NSYS_DEVICES)
		x->device[x->n_devices++] = (struct nsys_device){nsys_or(row, NSYS_PID, 0),
			nsys_or(row, NSYS_CUDA, 0), nsys_or(row, NSYS_GPU, 0)};
}

static void tell(cJSON *device, const char *key, const struct nsys_row *row, enum nsys_column c,
	int64_t times)
{
	int64_t value;
	if (nsys_has(row, c) && !row->text[c].at &&
		!__builtin_mul_overflow(row->number[c], times, &value))
		cJSON_AddNumberToObject(device, key, (double)value);
}

/* What Kineto's files have as deviceProperties. */
static void take_device(struct nsys *x, const struct nsys_row *row)
{
	cJSON *device = cJSON_CreateObject();
	tell(device, "id", row, NSYS_ID, 1);
	if (row->text[NSYS_LABEL].at && nsys_has(row, NSYS_LABEL))
		cJSON_AddStringToObject(device, "name", row->text[NSYS_LABEL].at);
	tell(device, "totalGlobalMem", row, NSYS_MEMORY, 1);
	tell(device, "numSms", row, NSYS_SMS, 1);
	tell(device, "maxThreadsPerMultiprocessor", row, NSYS_WARPS_PER_SM,
		nsys_or(row, NSYS_WARP, 0));
	tell(device, "regsPerMultiprocessor", row, NSYS_REGISTERS_PER_SM, 1);
	tell(device, "sharedMemPerMultiprocessor", row, NSYS_SHARED_PER_SM, 1);
	tell(device, "computeMajor", row, NSYS_MAJOR, 1);
	tell(device, "computeMinor", row, NSYS_MINOR, 1);
	tell(device, "warpSize", row, NSYS_WARP, 1);
	if (cJSON_GetArraySize(x->properties) < NSYS_DEVICES)
		cJSON_AddItemToArray(x->properties, device);
	else
		cJSON_Delete(device);
}

static void take_beginning(struct nsys *x, const struct nsys_row *row)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)nsys_or(row, NSYS_UTC_NS, 0));
	if (!reader_member(x->r, "baseTimeNanoseconds"))
		reader_keep_member(x->r, xstrdup("baseTimeNanoseconds"), xstrdup(text));
}

void nsys_devices(struct nsys *x)
{
	x->properties = cJSON_CreateArray();
	nsys_table(x, "TARGET_INFO_CUDA_DEVICE", HAS(PID) | HAS(CUDA) | HAS(GPU), take_number);
	nsys_table(x, "TARGET_INFO_GPU", HAS(ID) | HAS(LABEL), take_device);
	nsys_table(x, "TARGET_INFO_SESSION_START_TIME", HAS(UTC_NS), take_beginning);
	char *list = cJSON_PrintUnformatted(x->properties);
	if (list && cJSON_GetArraySize(x->properties))
		reader_keep_member(x->r, xstrdup("deviceProperties"), xstrdup(list));
	free(list);
	cJSON_Delete(x->properties);
}

/* ---- behind them ---- */

static void label(struct nsys *x, const char *what, uint32_t text)
{
	nsys_give(x, RAW_NAME, nsys_text(x, what, strlen(what), TEXT_PLAIN));
	nsys_give(x, RAW_LABEL, text);
	nsys_add(x);
}

static void take_process(struct nsys *x, const struct nsys_row *row)
{
	int64_t pid = nsys_or(row, NSYS_PID, 0);
	bool is_gpu = pid >= 0 && pid < NSYS_DEVICES && x->user[pid];
	/* A GPU stands where Kineto puts it, at the process of its number: it must not get a name
	 * such as that of process 1. */
	if (!nsys_has(row, NSYS_LABEL) || !row->text[NSYS_LABEL].at || is_gpu)
		return;
	nsys_begin(x, 'M');
	nsys_number(x, RAW_PID, pid);
	label(x, "process_name",
		nsys_text(x, row->text[NSYS_LABEL].at, row->text[NSYS_LABEL].n, TEXT_PLAIN));
}

static void take_thread(struct nsys *x, const struct nsys_row *row)
{
	int64_t global = nsys_or(row, NSYS_GLOBAL_TID, 0);
	nsys_begin(x, 'M');
	nsys_number(x, RAW_PID, nsys_pid(global));
	nsys_number(x, RAW_TID, nsys_tid(global));
	label(x, "thread_name", nsys_string(x, nsys_or(row, NSYS_NAME, 0)));
}

static void label_gpu(struct nsys *x, int64_t gpu)
{
	char name[32];
	snprintf(name, sizeof name, "GPU %lld", (long long)gpu);
	nsys_begin(x, 'M');
	nsys_number(x, RAW_PID, gpu);
	label(x, "process_labels", nsys_text(x, name, strlen(name), TEXT_PLAIN));
	nsys_begin(x, 'M');
	nsys_number(x, RAW_PID, gpu);
	nsys_number(x, RAW_SORT_INDEX, FIRST_GPU_ORDER + gpu);
	label(x, "process_sort_index", 0);
}

void nsys_names(struct nsys *x)
{
	nsys_table(x, "PROCESSES", HAS(PID) | HAS(LABEL), take_process);
	nsys_table(x, "ThreadNames", HAS(NAME) | HAS(GLOBAL_TID), take_thread);
	for (int64_t gpu = 0; gpu < NSYS_DEVICES; gpu++)
		if (x->user[gpu])
			label_gpu(x, gpu);
}
