/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/pftrace_parts.h"

#include <ctype.h>
#include <stdio.h>

/* ---- stages: what PyTorch writes of the work of a GPU ---- */

struct stage {
	int64_t duration_ns, gpu;
	struct pf_text name, kernel;
	const struct pf_interned *queue, *kind;
	uint64_t queue_iid;
};

/* Names of members of `extra_data` and of a launch for what Kineto calls them in args. */
static struct pf_text key_of(struct pf_text name)
{
	static const char *const keys[][2] = {{"device id", "device"}, {"context id", "context"},
		{"stream id", "stream"}, {"registers_per_thread", "registers per thread"},
		{"shared_mem_dynamic", "shared memory"}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (pf_is(name, keys[i][0]))
			return pf_word(keys[i][1]);
	return name.at ? name : pf_word("");
}

/* A number that was made a text on the way. */
static bool is_number(struct pf_text text)
{
	size_t i = text.n && *text.at == '-';
	if (!text.at || i == text.n || text.n > 18 || (text.at[i] == '0' && text.n > i + 1))
		return false;
	while (i < text.n && isdigit((unsigned char)text.at[i]))
		i++;
	return i == text.n;
}

static void add_extra(struct pftrace *x, struct proto_message m)
{
	struct proto_field f;
	struct pf_text name = {0}, value = {0};
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			name = pf_span(&f);
		else if (f.number == 2)
			value = pf_span(&f);
	}
	pf_json_key(&x->json, key_of(name));
	if (is_number(value))
		pf_json_add(&x->json, value.at, value.n);
	else
		pf_json_text(&x->json, value);
}

static void add_size(struct pftrace *x, const char *key, struct proto_message m)
{
	char text[64];
	uint32_t size[3] = {0};
	struct proto_field f;
	while (proto_next(&m, &f))
		if (f.number <= 3)
			size[f.number - 1] = (uint32_t)f.value;
	snprintf(text, sizeof text, "[%u, %u, %u]", size[0], size[1], size[2]);
	pf_json_key(&x->json, pf_word(key));
	pf_json_add(&x->json, text, strlen(text));
}

static void add_argument(struct pftrace *x, const struct pf_sequence *s, struct proto_message m)
{
	struct proto_field f;
	struct pf_text name = {0};
	int64_t value = 0;
	bool valued = false;
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			name = pf_interned_text(x, s, PF_ARGUMENT, f.value);
		else if (f.number == 2)
			name = pf_span(&f);
		else if (f.number == 3 || f.number == 4) {
			value = proto_int(&f);
			valued = true;
		}
	}
	if (valued && name.at)
		pf_json_int(&x->json, key_of(name).at, value);
}

static void add_launch(struct pftrace *x, const struct pf_sequence *s, struct proto_message m)
{
	struct proto_field f;
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			add_size(x, "grid", proto_in(&f));
		else if (f.number == 2)
			add_size(x, "block", proto_in(&f));
		else if (f.number == 3)
			add_argument(x, s, proto_in(&f));
	}
}

static struct stage stage_of(struct pftrace *x, const struct pf_sequence *s, struct proto_message m)
{
	struct stage g = {0};
	struct proto_field f;
	while (proto_next(&m, &f))
		switch (f.number) {
		case 2:
			g.duration_ns = proto_int(&f);
			break;
		case 6:
			add_extra(x, proto_in(&f));
			break;
		case 11:
			g.gpu = (int32_t)f.value;
			break;
		case 13:
			g.queue = pf_interned(x, s, PF_SPECIFICATION, f.value);
			g.queue_iid = f.value;
			break;
		case 14:
			g.kind = pf_interned(x, s, PF_SPECIFICATION, f.value);
			break;
		case 17:
			g.name = pf_span(&f);
			break;
		case 19:
			g.kernel = pf_interned_text(x, s, PF_KERNEL, f.value);
			break;
		case 20:
			g.name = pf_interned_text(x, s, PF_NAME, f.value);
			break;
		case 21:
			add_launch(x, s, proto_in(&f));
			break;
		}
	return g;
}

/* Stages by their names; what a GPU that draws does is work as well. */
static const char *category_of(struct pf_text kind)
{
	static const char *const kinds[][2] = {{"Kernel", "kernel"}, {"Memcpy", "gpu_memcpy"},
		{"Memset", "gpu_memset"}, {"Annotation", "gpu_user_annotation"},
		{"EventRecord", "cuda_event"}, {"HostNode", "cuda_sync"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (pf_is(kind, kinds[i][0]))
			return kinds[i][1];
	return "kernel";
}

/* The number of a lane, which PyTorch writes before its name: "[0007] stream 7". */
static int64_t lane_of(const struct stage *g)
{
	struct pf_text name = g->queue ? g->queue->text : (struct pf_text){0};
	int64_t lane = 0;
	size_t i = 1;
	while (i < name.n && i < 18 && isdigit((unsigned char)name.at[i]))
		lane = lane * 10 + (name.at[i++] - '0');
	return name.n > i && *name.at == '[' && i > 1 && name.at[i] == ']'
		? lane
		: (int64_t)(g->queue_iid & INT32_MAX);
}

void pf_render_stage(struct pftrace *x, const struct pf_packet *p, struct proto_message m)
{
	pf_json_begin(&x->json);
	struct stage g = stage_of(x, p->sequence, m);
	pf_parse_args(x);
	struct pf_text kind = g.kind ? g.kind->text : (struct pf_text){0};
	struct pf_text name = g.name.n ? g.name : g.kernel.n ? g.kernel : kind;
	pf_give(x, RAW_NAME, name);
	pf_give(x, RAW_CATEGORY, pf_word(category_of(kind)));
	pf_number(x, RAW_PID, g.gpu);
	pf_number(x, RAW_TID, lane_of(&g));
	if (!(x->raw.seen & RAW_SEEN_NUMBER(RAW_DEVICE)))
		pf_number(x, RAW_DEVICE, g.gpu);
	if (!(x->raw.seen & RAW_SEEN_NUMBER(RAW_STREAM)))
		pf_number(x, RAW_STREAM, lane_of(&g));
	if (p->timed)
		pf_number(x, RAW_TS, p->at_ns);
	pf_number(x, RAW_DUR, g.duration_ns);
	x->raw.fraction = p->at_ns % 1000 || g.duration_ns % 1000;
	if (g.gpu >= 0 && g.gpu < PF_GPUS)
		x->gpu[g.gpu] = 1;
	x->slices += pf_add_event(x, 'X', p->offset) != NO_ROW;
}

/* ---- counters ---- */

struct sample {
	uint64_t counter;
	double value;
	bool valued;
};

static struct sample sample_of(struct proto_message m)
{
	struct sample s = {0};
	struct proto_field f;
	while (proto_next(&m, &f)) {
		if (f.number == 1)
			s.counter = f.value;
		else if (f.number == 2)
			s.value = (double)proto_int(&f);
		else if (f.number == 3)
			s.value = proto_double(&f);
		s.valued |= f.number == 2 || f.number == 3;
	}
	return s;
}

static void add_sample(struct pftrace *x, const struct pf_packet *p, struct sample s,
	struct pf_text name, int64_t gpu)
{
	char process[48];
	if (!s.valued || !name.at || !p->timed)
		return;
	pf_json_begin(&x->json);
	pf_json_key(&x->json, pf_word(""));
	pf_json_number(&x->json, s.value);
	pf_parse_args(x);
	/* As PyTorch calls them in JSON. */
	snprintf(process, sizeof process, "GPU %lld Counters", (long long)gpu);
	pf_give(x, RAW_NAME, name);
	pf_give(x, RAW_PID_TEXT, pf_word(process));
	pf_number(x, RAW_TS, p->at_ns);
	x->raw.fraction = p->at_ns % 1000;
	pf_add_event(x, 'C', p->offset);
}

void pf_gpu_counter(struct pftrace *x, const struct pf_packet *p, struct proto_message m)
{
	struct proto_message all = m;
	struct proto_field f;
	const struct pf_sequence *s =
		NULL; /* a descriptor that stands in an event is everybody's */
	uint64_t iid = 0;
	int64_t gpu = 0;
	while (proto_next(&m, &f)) {
		if (f.number == 1 && f.wire == PROTO_BYTES)
			pf_intern_counters(x, NULL, proto_in(&f), 0);
		else if (f.number == 3)
			gpu = (int32_t)f.value;
		else if (f.number == 4) {
			const struct pf_interned *of;
			iid = f.value;
			s = p->sequence;
			of = pf_interned(x, s, PF_GPU_COUNTERS, iid);
			gpu = of ? of->number : gpu;
		}
	}
	while (proto_next(&all, &f))
		if (f.number == 2 && f.wire == PROTO_BYTES) {
			struct sample one = sample_of(proto_in(&f));
			const struct pf_interned *of = pf_counter(x, s, iid, one.counter);
			add_sample(x, p, one, of ? of->text : (struct pf_text){0}, gpu);
		}
}
