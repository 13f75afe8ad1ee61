/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - what `report` was asked to do.
 */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include "base/opt.h"
#include "base/verbosity.h"
#include "report/compare/fail_on_gate.h"
#include "report/outputs.h"
#include "report/run/part_of_trace.h"

struct options {
	const char *output[OUTPUTS], *baseline, *recorded, *expect, *learn, *memory, *template,
		*compile_log;
	const char *lang, *dump, *title, *byline, *paper, *traces_at;
	bool table, check;
	struct talk_options talk;
	struct opt_list paths, set, only, fail_on;
	struct gate gate; /* of fail_on */
	struct part_of_trace part;
};

/* As opt_parse(); all that goes together is there, and report.pdf where no output was named. The
 * texts are lent from argv. */
int options_parse(struct options *o, int argc, char **argv, struct err *err);

/* Nothing that is read is written, nor what is none of ours (overwrite.h). */
int options_check_overwriting(const struct options *o, struct err *err);

/* Gives up what is not needed for these options, before the first byte of a stranger is read
 * (sandbox.h). */
int options_confine(const struct options *o, struct err *err);

void options_release(struct options *o);

#endif
