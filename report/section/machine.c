/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "base/text_map.h"
#include "report/run/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "8 × NVIDIA H100 80GB HBM3", or several kinds behind one another. */
static const char *devices_of(struct document *d, const struct trace *t)
{
	const char *list = "";
	struct text_map first = {0}; /* of its name */
	size_t *same = arena_array(d->arena, t->n_devices, sizeof *same);
	for (size_t i = 0; i < t->n_devices; i++) {
		const struct trace_device *one = &t->devices[i];
		if (!one->name)
			continue;
		text_map_add(&first, d->arena, one->name, one);
		one = text_map_find(&first, one->name);
		same[one - t->devices]++;
	}
	for (size_t i = 0; i < t->n_devices; i++) {
		const char *name = t->devices[i].name;
		if (same[i])
			list = listed(d->arena, list, ", ",
				same[i] > 1 ? arena_printf(d->arena, "%zu × %s", same[i], name)
					    : name);
	}
	return list;
}

static const char *first_meta(const struct trace *t, const char *const *keys)
{
	for (; *keys; keys++)
		if (trace_meta(t, *keys))
			return trace_meta(t, *keys);
	return NULL;
}

/* CUDA counts 1000 a major version and 10 a minor: 13000 is 13.0; HIP ten million, a hundred
 * thousand and its patches: 70253211 is 7.2.53211. Anything else as it stands. */
static const char *version_of(struct document *d, const char *text)
{
	char *end;
	long n = text ? strtol(text, &end, 10) : 0;
	if (text && !*end && n >= 10000000 && n < 1000000000)
		return arena_printf(
			d->arena, "%ld.%ld.%ld", n / 10000000, n / 100000 % 100, n % 100000);
	if (!text || *end || n < 1000 || n >= 100000)
		return text;
	return arena_printf(d->arena, "%ld.%ld", n / 1000, n % 1000 / 10);
}

/* The day of the recording where the clock of the file is a true one; civil from days, Howard
 * Hinnant's "chrono-compatible low-level date algorithms". */
static const char *date_of(struct document *d, const struct trace *t)
{
	const int64_t day_ns = 86400LL * 1000000000, year_2015 = 16436, year_2100 = 47482;
	int64_t days = t->origin_ns / day_ns;
	const char *base = trace_meta(t, "baseTimeNanoseconds");
	int64_t since_1970;
	if (days < year_2015 && base &&
		!__builtin_add_overflow(t->origin_ns, strtoll(base, NULL, 10), &since_1970))
		days = since_1970 / day_ns;
	if (days < year_2015 || days > year_2100)
		return NULL;
	int64_t z = days + 719468, era = z / 146097, of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100),
		month = (5 * of_year + 2) / 153;
	int64_t day = of_year - (153 * month + 2) / 5 + 1;
	month = month < 10 ? month + 3 : month - 9;
	return arena_printf(d->arena, "%04" PRId64 "-%02" PRId64 "-%02" PRId64,
		year + era * 400 + (month <= 2), month, day);
}

/* What run.json says of the program that was recorded; NULL: no such run, or it does not say. */
static const char *told(const struct report_case *c, const char *name)
{
	const bool of_program = c->run && c->run->of_program;
	const char *words = of_program ? machine_fact(c->run->machine, name) : NULL;
	return words && words[0] ? words : NULL;
}

static const char *either(const char *value, const char *other)
{
	return value && value[0] ? value : other;
}

const char *machine_line(struct document *d, const struct report_case *c)
{
	static const char *const driver[] = {"cuda_driver_version", "hip_driver_version", NULL};
	static const char *const runtime[] = {"cuda_runtime_version", "hip_runtime_version", NULL};
	static const char *const cpu[] = {"cpu", "cpu_model", "CPU", NULL};
	static const char *const framework[] = {
		"torch_version", "pytorch_version", "framework_version", NULL};
	const struct trace *t = &c->trace;
	const struct {
		const char *key, *value;
	} fact[] = {{"device", devices_of(d, t)}, {"driver", version_of(d, first_meta(t, driver))},
		{"runtime", version_of(d, first_meta(t, runtime))},
		{"cpu", either(first_meta(t, cpu), told(c, "CPU"))},
		{"framework", either(first_meta(t, framework), told(c, "PyTorch"))},
		{"date", date_of(d, t)}};
	const char *command = told(c, "Command"), *lacking = "";
	const char *known = command ? said(d, "machine.command", "value", command, NULL) : "";
	for (size_t i = 0; i < sizeof fact / sizeof *fact; i++) {
		if (fact[i].value && fact[i].value[0])
			known = listed(d->arena, known, " · ",
				said(d, arena_printf(d->arena, "machine.%s", fact[i].key), "value",
					fact[i].value, NULL));
		else if (!c->run || !c->run->of_program) /* else it was looked for */
			lacking = listed(d->arena, lacking, ", ",
				said_by(d, "machine.lacks.%s", fact[i].key));
	}
	if (!lacking[0])
		return known;
	lacking = said(d, "machine.lacks", "list", lacking, NULL);
	return known[0] ? arena_printf(d->arena, "%s. %s", known, lacking) : lacking;
}
