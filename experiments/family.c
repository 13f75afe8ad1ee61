/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/family.h"

#include <stdio.h>
#include <string.h>

/* Above any tensor a machine holds, and so that no product of sizes leaves int64. */
static const double BYTES_MAX = 1e12;
enum { SIZE_MAX_ELEMENTS = 1 << 30 };

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	{"size", offsetof(struct case_spec, size)},
	{"batch", offsetof(struct case_spec, batch)},
	{"in_dim", offsetof(struct case_spec, in_dim)},
	{"out_dim", offsetof(struct case_spec, out_dim)},
	{"seq", offsetof(struct case_spec, seq)},
	{"dim", offsetof(struct case_spec, dim)},
	{"hidden", offsetof(struct case_spec, hidden)},
};

enum { FIELDS = sizeof fields / sizeof *fields };

const struct family *family_of(const struct case_spec *spec)
{
	const struct workload *w = workload_find(spec->workload);
	if (!w)
		bug("no workload \"%s\"", spec->workload);
	return w->family;
}

long *spec_field(struct case_spec *spec, const char *name)
{
	for (int i = 0; i < FIELDS; i++)
		if (!strcmp(fields[i].name, name))
			return (long *)((char *)spec + fields[i].offset);
	bug("no size is called \"%s\"", name);
}

long spec_size(const struct case_spec *spec, const char *name)
{
	struct case_spec copy = *spec;
	return *spec_field(&copy, name);
}

bool family_uses(const struct family *f, const char *name)
{
	for (int i = 0; f->field[i]; i++)
		if (!strcmp(f->field[i], name))
			return true;
	return false;
}

double family_flop(const struct case_spec *spec)
{
	return family_of(spec)->flop(spec);
}

double family_bytes(const struct case_spec *spec)
{
	return family_of(spec)->elements(spec) * (double)dtype_bytes(spec->dtype);
}

int family_kernels(const struct case_spec *spec, struct kernel_work row[KERNEL_WORK_ROWS])
{
	const struct family *f = family_of(spec);
	memset(row, 0, KERNEL_WORK_ROWS * sizeof *row);
	return f->kernels ? f->kernels(spec, row) : 0;
}

/* ---- is it well formed? ---- */

static void known_modes(const struct family *f, char *text, size_t room)
{
	size_t used = 0;
	for (int m = 0; m < MODES; m++)
		if (f->modes & 1u << m && used < room)
			used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
				mode_name((enum mode)m));
}

static void known_fields(const struct family *f, char *text, size_t room)
{
	size_t used = 0;
	for (int i = 0; f->field[i] && used < room; i++)
		used += (size_t)snprintf(
			text + used, room - used, "%s\"%s\"", i ? ", " : "", f->field[i]);
}

static int mode_ok(const struct family *f, const struct case_spec *s, struct err *err)
{
	if (f->modes & 1u << s->mode)
		return 0;
	char known[128];
	known_modes(f, known, sizeof known);
	return fail(
		err, "%s has no mode \"%s\"; it knows %s", s->workload, mode_name(s->mode), known);
}

static int size_ok(const struct case_spec *s, const char *name, long value, struct err *err)
{
	if (value < 1)
		return fail(
			err, "%s: \"%s\" must be at least 1, not %ld", s->workload, name, value);
	if (value > SIZE_MAX_ELEMENTS)
		return fail(err, "%s: \"%s\" must be at most %d, not %ld", s->workload, name,
			(int)SIZE_MAX_ELEMENTS, value);
	return 0;
}

static int field_ok(
	const struct family *f, const struct case_spec *s, const char *name, struct err *err)
{
	long value = spec_size(s, name);
	if (family_uses(f, name))
		return value ? size_ok(s, name, value, err)
			     : fail(err, "%s: \"%s\" is missing", s->workload, name);
	if (!value)
		return 0;
	char known[128];
	known_fields(f, known, sizeof known);
	return fail(
		err, "%s: \"%s\" means nothing here; its sizes are %s", s->workload, name, known);
}

static int then_batch_ok(const struct family *f, const struct case_spec *s, struct err *err)
{
	if (!s->then_batch)
		return 0;
	if (!family_uses(f, "batch"))
		return fail(
			err, "%s: \"then_batch\" means nothing without a \"batch\"", s->workload);
	if (size_ok(s, "then_batch", s->then_batch, err))
		return -1;
	if (s->then_batch == s->batch)
		return fail(err, "%s: \"then_batch\" must differ from \"batch\", not be %ld too",
			s->workload, s->batch);
	if (s->schedule.active < 2)
		return fail(err, "%s: \"then_batch\" needs at least 2 active steps, not %ld",
			s->workload, s->schedule.active);
	return 0;
}

static int memory_ok(const struct case_spec *s, struct err *err)
{
	struct case_spec then = *s;
	then.batch = s->then_batch;
	double bytes = family_bytes(s) + (s->then_batch ? family_bytes(&then) : 0);
	if (bytes <= BYTES_MAX)
		return 0;
	return fail(err, "%s: its tensors take %.3g bytes, more than %.0g: choose smaller sizes",
		s->workload, bytes, BYTES_MAX);
}

int family_shape_ok(const struct case_spec *spec, struct err *err)
{
	const struct family *f = family_of(spec);
	if (mode_ok(f, spec, err))
		return -1;
	for (int i = 0; i < FIELDS; i++)
		if (field_ok(f, spec, fields[i].name, err))
			return -1;
	if (then_batch_ok(f, spec, err))
		return -1;
	return memory_ok(spec, err);
}

/* ---- smaller ---- */

/* Both batches halve, or none: they must stay two. */
static bool shrink_batch(struct case_spec *s)
{
	long batch = s->batch / 2, then = s->then_batch / 2;
	if (batch < 1 || (s->then_batch && (then < 1 || then == batch)))
		return false;
	s->batch = batch;
	s->then_batch = then;
	return true;
}

bool family_shrink(struct case_spec *spec)
{
	const struct family *f = family_of(spec);
	for (int i = 0; f->field[i]; i++) {
		if (!strcmp(f->field[i], "batch")) {
			if (shrink_batch(spec))
				return true;
			continue;
		}
		long *size = spec_field(spec, f->field[i]);
		if (*size < 2)
			continue;
		*size /= 2;
		return true;
	}
	return false;
}
