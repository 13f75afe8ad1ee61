/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/exercise_facts.h"

#include "base/number_format.h"
#include "report/analyse/analysis.h"
#include "report/analyse/case_numbers.h"
#include "report/course/case_work.h"
#include "report/course/roofline.h"

#include <math.h>

static const struct step *typical_step(const struct report_case *c)
{
	return &c->analysis->steps[numbers_of(c->analysis).typical];
}

/* Of the step's device events the first copy; n_device: there is none. */
static uint32_t first_copy(const struct report_case *c, const struct step *s)
{
	uint32_t i = 0;
	while (i < s->n_device && c->analysis->class[s->device[i]] != CLASS_COPY)
		i++;
	return i;
}

double copies_in_step(const struct report_case *c)
{
	const struct step *s = typical_step(c);
	return first_copy(c, s) < s->n_device;
}

static struct work copied_in_step(const struct report_case *c)
{
	const struct step *s = typical_step(c);
	uint32_t i = first_copy(c, s);
	return i < s->n_device ? work_of(c, s, i)
			       : (struct work){(double)NAN, (double)NAN, (double)NAN};
}

double copy_bytes(const struct report_case *c)
{
	return copied_in_step(c).read_bytes;
}

double copy_moves(const struct report_case *c)
{
	struct work w = copied_in_step(c);
	return w.read_bytes + w.write_bytes;
}

double two_lines_of_bytes(const struct report_case *c)
{
	struct arena scratch = {0};
	struct roofline r = {0};
	bool two = roofline_find(&r, &scratch, c->run) && r.large.rate > 0;
	arena_release(&scratch);
	return two;
}

const char *kernels_in_order(struct document *d, const struct report_case *c)
{
	const struct step *s = typical_step(c);
	const char *list = "";
	for (uint32_t i = 0; i < s->n_device; i++) {
		enum event_class class = (enum event_class)c->analysis->class[s->device[i]];
		if (c->trace.kind[s->device[i]] != EVENT_KERNEL || class == CLASS_FILL ||
			class == CLASS_CLEAR)
			continue;
		const char *name = event_class_name(class);
		const char *word =
			texts_find(d->texts, arena_printf(d->arena, "sheet.kernel.%s", name));
		list = listed(d->arena, list, ", ", word[0] ? word : name);
	}
	return list;
}
