/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/kineto_vendor_fields.h"

void kineto_write_properties(struct json_out *j, const struct device_properties *p, size_t n)
{
	json_array(j, "deviceProperties", JSON_INLINE);
	for (size_t i = 0; i < n; i++, p++) {
		json_object(j, NULL, JSON_INLINE);
		json_int(j, "id", p->id);
		json_text(j, "name", p->name);
		json_int(j, "totalGlobalMem", p->memory_bytes);
		json_int(j, "computeMajor", p->major);
		json_int(j, "computeMinor", p->minor);
		json_int(j, "maxThreadsPerBlock", p->threads_per_block);
		json_int(j, "maxThreadsPerMultiprocessor", p->threads_per_multiprocessor);
		json_int(j, "regsPerBlock", p->registers_per_block);
		json_int(j, "warpSize", p->warp);
		json_int(j, "sharedMemPerBlock", p->shared_per_block);
		json_int(j, "numSms", p->multiprocessors);
		json_int(j, "regsPerMultiprocessor", p->registers_per_multiprocessor);
		json_int(j, "sharedMemPerBlockOptin", p->shared_per_block_optin);
		json_int(j, "sharedMemPerMultiprocessor", p->shared_per_multiprocessor);
		json_end(j);
	}
	json_end(j);
}

void kineto_write_call(struct json_out *j, const struct span *s)
{
	if (s->facts)
		json_int(j, "cbid", s->facts->call);
	json_int(j, "correlation", (int64_t)s->correlation);
	if (s->facts && s->facts->result)
		json_int(j, "tracebook result", s->facts->result);
}

static void write_triple(struct json_out *j, const char *key, const int32_t n[3])
{
	json_array(j, key, JSON_INLINE);
	for (int i = 0; i < 3; i++)
		json_int(j, NULL, n[i]);
	json_end(j);
}

static void write_footprint(struct json_out *j, const struct span_kernel *k)
{
	json_int(j, "registers per thread", k->registers);
	json_int(j, "shared memory", k->static_shared_bytes + k->dynamic_shared_bytes);
	json_number(j, "blocks per SM", k->blocks_per_sm, 6);
	json_number(j, "warps per SM", k->warps_per_sm, 6);
	write_triple(j, "grid", k->grid);
	write_triple(j, "block", k->block);
	if (k->resident_blocks)
		json_int(j, "est. achieved occupancy %", k->kineto_occupancy_pct);
}

static void write_own(struct json_out *j, const struct span_kernel *k)
{
	json_object(j, "tracebook", JSON_INLINE);
	json_int(j, "occupancy %", k->occupancy_pct);
	json_int(j, "resident blocks per SM", k->resident_blocks);
	if (k->limit)
		json_text(j, "limited by", k->limit);
	json_number(j, "waves", k->waves, 3);
	json_number(j, "tail %", k->tail_pct, 1);
	if (k->cluster[0])
		write_triple(j, "cluster", k->cluster);
	if (k->local_bytes)
		json_int(j, "local memory per thread", k->local_bytes);
	json_end(j);
}

void kineto_write_bytes(struct json_out *j, const struct span *s)
{
	json_int(j, "bytes", s->bytes);
	if (s->end_ns > s->start_ns)
		json_number(j, "memory bandwidth (GB/s)",
			(double)s->bytes / (double)(s->end_ns - s->start_ns), 6);
}

void kineto_write_work(struct json_out *j, const struct span *s)
{
	const struct span_facts *f = s->facts;
	if (f->kernel)
		json_int(j, "queued", f->queued_ns);
	json_int(j, "device", f->device);
	json_int(j, "context", f->context);
	json_int(j, "stream", s->thread);
	json_int(j, "correlation", (int64_t)s->correlation);
	if (f->kernel)
		write_footprint(j, f->kernel);
	else if (s->kind != SPAN_KERNEL)
		kineto_write_bytes(j, s);
	json_int(j, "graph id", f->graph);
	json_int(j, "graph node id", (int64_t)f->graph_node);
	if (f->kernel && f->kernel->resident_blocks)
		write_own(j, f->kernel);
}

void kineto_write_wait(struct json_out *j, const struct span *s)
{
	const struct span_facts *f = s->facts;
	json_text(j, "cuda_sync_kind", f->wait);
	json_int(j, "stream", (int32_t)s->thread);
	json_int(j, "correlation", (int64_t)s->correlation);
	json_int(j, "device", f->device);
	json_int(j, "context", f->context);
}
