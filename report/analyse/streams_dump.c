/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"
#include "report/analyse/streams.h"

#include <inttypes.h>

static void dump_stream(const struct stream_use *u, const struct trace *t, FILE *f)
{
	const struct track *k = &t->tracks[u->track];
	fputs("  stream ", f);
	json_escape(f, names_text(&t->names, k->process));
	fputc(' ', f);
	json_escape(f, names_text(&t->names, k->thread));
	fprintf(f,
		": busy %" PRId64 " (%.6f), kernels %zu (%" PRId64
		" ns, %zu collectives) copies %zu "
		"(%" PRId64 " ns) fills %zu (%" PRId64 " ns)\n",
		u->busy_ns, u->share, u->kernels, u->kernel_ns, u->collectives, u->copies,
		u->copy_ns, u->fills, u->fill_ns);
}

static void dump_copy(const struct copy_use *c, FILE *f)
{
	fprintf(f,
		"  %s %s: %zu, %" PRId64 " ns; %zu of %" PRId64 " bytes in %" PRId64
		" ns, %.3f GB/s; longest row %" PRIu32 "\n",
		copy_way_name(c->way), copy_memory_name(c->memory), c->n, c->ns, c->n_sized,
		c->bytes, c->sized_ns, c->gb_per_s, c->longest);
}

void streams_dump(const struct streams *s, const struct analysis *a, FILE *f)
{
	const struct trace *t = a->trace;
	fprintf(f,
		"streams: window %" PRId64 " = compute %" PRId64 " + exposed communication %" PRId64
		" + exposed copy %" PRId64 " + idle %" PRId64 "\n",
		s->window_ns, s->compute_ns, s->exposed_communication_ns, s->exposed_copy_ns,
		s->idle_ns);
	fprintf(f, "  communication %" PRId64 ", overlapped %" PRId64 " (%.6f), copy %" PRId64 "\n",
		s->communication_ns, s->overlap_ns, s->overlap_share, s->copy_ns);
	for (uint32_t i = 0; i < s->n_streams; i++)
		dump_stream(&s->stream[i], t, f);
	for (uint32_t i = 0; i < s->n_copies; i++)
		dump_copy(&s->copy[i], f);
	for (uint32_t i = 0; i < s->n_collectives; i++) {
		const struct collective *c = &s->collective[i];
		fprintf(f,
			"  collective %zu, %" PRId64 " ns, %" PRId64 " inside, %" PRId64
			" exposed ",
			c->n, c->ns, c->inside_ns, c->exposed_ns);
		json_escape(f, names_text(&t->names, c->name));
		fputc('\n', f);
	}
}
