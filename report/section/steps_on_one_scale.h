/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps_on_one_scale.h - steps of several recordings below each other on one scale, aligned at
 * their starts.
 */
#ifndef REPORT_SECTION_STEPS_ON_ONE_SCALE_H
#define REPORT_SECTION_STEPS_ON_ONE_SCALE_H

#include "report/analyse/case_numbers.h"
#include "report/judge/judge.h"
#include "report/page/document.h"
#include "report/run/run.h"

enum { MOST_SIDES = 8 };

/* What a comparison is about, and so what is drawn of a step: a picture of another part would show
 * another order than the medians that its text quotes. */
enum step_part {
	PART_BOTH, /* from its start to the end of its device work */
	PART_HOST, /* its time on the CPU: where launching is compared */
	PART_DEVICE /* from its first device event to its last: where the device's work is */
};

struct side {
	const struct report_case *c;
	const char *name; /* in its title; NULL: the case's */
	const struct step *step;
	struct case_numbers n;
	struct sure_ratio sure[2]; /* to the first side: the CPU's, the device's */
	int64_t from_ns, span_ns; /* what is drawn of it */
	const uint8_t *differs; /* (trace.n) device work to mark; NULL: none */
	bool queued; /* the device part alone: it began after the host part was over */
	enum step_part part;
	bool medians; /* its title quotes them */
};

struct beside {
	struct side side[MOST_SIDES];
	int n;
	const char *which; /* key of the words for which steps are drawn */
	bool disordered; /* the steps stand in another order than the medians: the caption says so
			  */
	bool unnamed; /* no bar says what it is: that is asked for */
	const char *missing; /* titles of cases that have no trace */
	const char *left_out; /* links to those for which there is no room */
};

/* Chooses the step of a side; whole: with its host part, even where the device begins only after
 * it. */
void show_step(struct side *s, uint32_t step, bool whole);

/* Chooses the steps of all sides for that part: each near its median, and all in the order of the
 * medians where the recorded steps allow it. PART_BOTH is show_step's. */
void show_part(struct beside *cmp, enum step_part part);

/* Do their medians differ by noise, or no more than the steps of one of the two? Then nothing says
 * which of the two takes longer, in a picture's words and in a key. */
bool sides_are_alike(struct document *d, const struct side *one, const struct side *other);

/* The pictures, and on what scale they are; `place` is the id of the first. */
void add_beside(struct document *d, const struct beside *cmp, const char *place);

#endif
