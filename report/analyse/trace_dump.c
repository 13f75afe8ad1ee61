/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/trace_dump.h"

#include "report/analyse/health.h"
#include "report/trace/repair.h"

static void dump_head(const struct trace *t, FILE *f)
{
	fprintf(f, "trace %s\n", t->path);
	fprintf(f, "json %lld bytes, file %lld bytes\n", (long long)t->json_bytes,
		(long long)t->file_bytes);
	fprintf(f, "origin %lld ns, end %lld ns, resolution %lld ns\n", (long long)t->origin_ns,
		(long long)t->end_ns, (long long)t->resolution_ns);
	fprintf(f, "rank %lld of %lld\n", (long long)t->rank, (long long)t->world);
	fprintf(f, "elements");
	for (int ph = 0; ph < 128; ph++)
		if (t->phases[ph])
			fprintf(f, " %c %lld", ph ? ph : '-', (long long)t->phases[ph]);
	fputc('\n', f);
	for (size_t i = 0; i < t->n_meta; i++)
		fprintf(f, "meta %s: %s\n", t->meta[i].key, t->meta[i].value);
}

static void dump_devices(const struct trace *t, FILE *f)
{
	for (size_t i = 0; i < t->n_devices; i++) {
		const struct trace_device *d = &t->devices[i];
		fprintf(f,
			"device %lld %s: %lld bytes, sms %d, threads/sm %d, registers/sm %d, "
			"shared/sm %d, %d.%d, warp %d\n",
			(long long)d->id, d->name, (long long)d->memory_bytes, d->sms,
			d->threads_per_sm, d->registers_per_sm, d->shared_per_sm, d->major,
			d->minor, d->warp);
	}
}

static void dump_tracks(const struct trace *t, FILE *f)
{
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		const struct track *k = &t->tracks[i];
		fprintf(f, "track %u %s pid %s tid %s: %s | %s | %s, %u events\n", i,
			k->device	   ? "device"
				: k->async ? "async"
					   : "host",
			names_text(&t->names, k->pid_text), names_text(&t->names, k->tid_text),
			names_text(&t->names, k->process), names_text(&t->names, k->label),
			names_text(&t->names, k->thread), k->n);
	}
}

static void dump_kernel(const struct kernel *k, FILE *f)
{
	fprintf(f, " grid %d,%d,%d block %d,%d,%d regs %d shared %d occ %d dev %d:%d", k->grid[0],
		k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->registers,
		k->shared_bytes, k->occupancy_pct, k->device, k->stream);
}

static void dump_side(const struct trace *t, size_t i, FILE *f)
{
	uint32_t side = t->side[i];
	if (side == NO_ROW)
		return;
	if (t->kind[i] == EVENT_COUNTER) {
		fprintf(f, " %s = %.15g", names_text(&t->names, t->counters[side].series),
			t->counters[side].value);
	} else if (t->kind[i] == EVENT_INSTANT) {
		const struct memory_change *m = &t->changes[side];
		fprintf(f, " bytes %lld of %lld, reserved %lld, dev %d", (long long)m->bytes,
			(long long)m->allocated, (long long)m->reserved, m->device);
		if (m->address)
			fprintf(f, " at %llx", (unsigned long long)m->address);
	} else if (t->kind[i] == EVENT_KERNEL) {
		dump_kernel(&t->kernels[side], f);
	} else if (t->kind[i] == EVENT_MEMCPY || t->kind[i] == EVENT_MEMSET) {
		fprintf(f, " bytes %lld dev %d:%d", (long long)t->copies[side].bytes,
			t->copies[side].device, t->copies[side].stream);
	} else {
		const struct op_inputs *in = &t->inputs[side];
		fprintf(f, " dims %s types %s", names_text(&t->names, in->dims),
			names_text(&t->names, in->types));
		if (in->forward_thread)
			fprintf(f, " forward thread %u", in->forward_thread);
		if (in->extra)
			fprintf(f, " kind %s", names_text(&t->names, in->extra));
	}
}

static void dump_link(const char *word, uint32_t row, FILE *f)
{
	if (row != NO_ROW)
		fprintf(f, " %s %u", word, row);
}

static void dump_events(const struct trace *t, FILE *f)
{
	for (size_t i = 0; i < t->n; i++) {
		fprintf(f, "%zu %lld +%lld t%u d%u %s [%s] %s", i, (long long)t->start_ns[i],
			(long long)t->dur_ns[i], t->track[i], t->depth[i],
			event_kind_name(t->kind[i]), names_text(&t->names, t->category[i]),
			names_text(&t->names, t->name[i]));
		if (t->correlation[i])
			fprintf(f, t->kind[i] == EVENT_OP ? " sequence %u" : " corr %u",
				t->correlation[i] - (t->kind[i] == EVENT_OP));
		if (t->external[i])
			fprintf(f, " ext %u", t->external[i]);
		dump_link("launch", t->launch[i], f);
		dump_link("in", t->parent[i], f);
		dump_side(t, i, f);
		fputc('\n', f);
	}
}

static void dump_repair(const struct repair *r, FILE *f)
{
	fprintf(f, "repair %lld x %s, first at %lld: %s\n", (long long)r->count,
		repair_key(r->kind), (long long)r->place[0].offset, r->place[0].context);
	for (int i = 1; i < r->n_places; i++)
		fprintf(f, "  and at %lld: %s\n", (long long)r->place[i].offset,
			r->place[i].context);
}

void trace_dump(const struct trace *t, FILE *f)
{
	dump_head(t, f);
	dump_devices(t, f);
	for (size_t i = 0; i < t->n_repairs; i++)
		dump_repair(&t->repairs[i], f);
	struct health h = health_of(t);
	health_print(&h, f);
	dump_tracks(t, f);
	dump_events(t, f);
}
