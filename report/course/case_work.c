/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/case_work.h"

#include "base/dtype.h"
#include "report/analyse/case_numbers.h"
#include "report/run/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct work unknown = {(double)NAN, (double)NAN, (double)NAN};

static int class_at(const struct report_case *c, const struct step *s, uint32_t nth)
{
	return c->analysis->class[s->device[nth]];
}

static uint32_t count_class(
	const struct report_case *c, const struct step *s, uint32_t end, int class)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < end; i++)
		n += class_at(c, s, i) == class;
	return n;
}

/* Does a row count in this step? */
static bool row_counts(
	const struct report_case *c, const struct step *s, const struct kernel_work_row *row)
{
	return (row->with == CLASSES || count_class(c, s, s->n_device, row->with)) &&
		(row->without == CLASSES || !count_class(c, s, s->n_device, row->without));
}

/* The row of the nth device event of a step; NULL when none tells. */
static const struct kernel_work_row *kernel_row(
	const struct report_case *c, const struct step *s, uint32_t nth)
{
	int class = class_at(c, s, nth);
	const int of[] = {class, class_of_product((uint8_t) class) ? class : CLASSES};
	const struct kernel_work_row *found = NULL;
	for (int i = 0; i < 2 && !found; i++) {
		uint32_t before = count_class(c, s, nth, class);
		for (int k = 0; k < c->work->n_kernels; k++) {
			const struct kernel_work_row *row = &c->work->kernel[k];
			if (row->class != of[i] || !row_counts(c, s, row))
				continue;
			found = row;
			if (!before--)
				break;
		}
	}
	return found;
}

enum work_epilogue product_epilogue(const struct report_case *c, const struct step *s)
{
	for (uint32_t i = 0; c->work && i < s->n_device; i++)
		if (class_at(c, s, i) == CLASS_GEMM) {
			const struct kernel_work_row *row = kernel_row(c, s, i);
			return row ? row->epilogue : EPILOGUE_NONE;
		}
	return EPILOGUE_NONE;
}

bool adds_a_matrix(const struct report_case *c)
{
	for (int i = 0; c->work && i < c->work->n_kernels; i++)
		if (c->work->kernel[i].epilogue == EPILOGUE_ADDEND)
			return true;
	return false;
}

static struct work copied(const struct report_case *c, uint32_t row)
{
	const struct trace *t = &c->trace;
	bool told = t->kind[row] != EVENT_KERNEL && t->side[row] != NO_ROW;
	int64_t bytes = told ? t->copies[t->side[row]].bytes : -1;
	if (bytes < 0)
		return unknown;
	bool fill = t->kind[row] == EVENT_MEMSET;
	return (struct work){0, fill ? 0 : (double)bytes, (double)bytes};
}

struct work work_of(const struct report_case *c, const struct step *s, uint32_t nth)
{
	if (!c->work || c->work->dtype == DTYPES || work_size(c->work, "then_batch") > 0)
		return unknown;
	if (c->trace.kind[s->device[nth]] != EVENT_KERNEL)
		return copied(c, s->device[nth]);
	const struct kernel_work_row *row = kernel_row(c, s, nth);
	return row ? (struct work){row->flop, row->read_bytes, row->write_bytes} : unknown;
}

double step_bytes(const struct report_case *c, const struct step *s)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->n_device; i++) {
		struct work w = work_of(c, s, i);
		/* The sum of a split product stays within the product's account. */
		if (!class_counts_with_gemm((uint8_t)class_at(c, s, i)))
			sum += w.read_bytes + w.write_bytes;
	}
	return sum;
}
