/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_time.h - where a step's time goes: for each case a bar of the host's time in the step, and
 * below it one of the device's, cut into kinds of work that sum to the whole exactly. Both bars of
 * a pair have one scale, and their stretches, idle ones too, stand in their order.
 *
 * Host: from the step's start to its end on the thread that launches. Set-up is the union of the
 * step's set-up spans (struct step); all other time is the span's that has it (account.h), under
 * the bar that a timeline draws it with; the step's own and its annotations' is BAR_ANNOTATION.
 *
 * Device: from the step's start, or the end of the work of other steps that was still running, to
 * the end of the step's last device event. What overlaps counts for the event that has the time
 * (account.h); work of others in between is BAR_DEVICE_OTHER; the rest is idle.
 */
#ifndef REPORT_FIGURE_STEP_TIME_H
#define REPORT_FIGURE_STEP_TIME_H

#include "report/figure/plot.h"
#include "report/figure/timeline.h"
#include "report/page/document.h"
#include "report/run/run.h"

struct step_stretch { /* of the device's time, in which it does one kind of work */
	int64_t ns;
	int bar; /* enum bar; BARS: idle */
};

enum { STEP_STRETCHES = 64 };

struct step_split {
	int64_t ns[BARS]; /* host bars sum to host_ns, device bars and idle to device_ns */
	int64_t idle_ns;
	int64_t host_ns, device_ns; /* device_ns is 0 without device events */
	/* The device's and the host's, in their order; n is 0 where there are more than that. */
	struct stretches {
		struct step_stretch at[STEP_STRETCHES]; /* (n) */
		int n;
	} device, host;
};

/* When the device turns to a step's own work: it is through with what others had queued before, or
 * the step starts. */
int64_t step_turn_ns(const struct analysis *a, const struct step *s);

/* The step by which a case is shown, where one must do: the typical one or, when the device was not
 * free as that was asked for, of the steady ones for which it was the one nearest to the median, so
 * that launches and work stand side by side. The first of several is never taken: no number that is
 * quoted beside it is of that one. */
uint32_t step_to_show(const struct analysis *a);

struct step_split split_step(const struct analysis *a, const struct step *s);

struct step_bars_row {
	const char *title, *note; /* note may be NULL */
	struct step_split split;
};

/* What the legend of several stacks shows: it stands below the first of a page, for all. */
struct step_bars_key {
	uint32_t kinds; /* bit set of enum bar */
	bool idle;
};

struct step_bars {
	const struct texts *texts;
	const struct fonts *fonts;
	const char *title;
	struct step_bars_row *row; /* (n) */
	int n;
	int left_out; /* rows there was no room for */
	struct step_bars_key *key; /* shared; step_bars_count fills it before the first plan */
	/* Filled in by step_bars_plan. */
	double width, height;
	int64_t whole_ns; /* what the full width stands for; 0: the longer bar of each pair */
	const char *note; /* says so; NULL when all bars share their scale */
	int legend_rows;
};

/* Adds the kinds of its bars to the key. */
void step_bars_count(struct step_bars *s);

void step_bars_plan(struct step_bars *s, struct arena *a, double width);
void step_bars_draw(struct canvas *c, struct box box, const void *step_bars); /* figure.draw */
void step_bars_draw_legend(struct canvas *c, struct box box, const void *step_bars);

extern const struct figure_kind step_time_figure;

#endif
