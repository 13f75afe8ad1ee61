/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expectations.h - a user's expectations for traces of their own: the file of `report --expect`.
 *
 *   {
 *     "tracebook_expectations": 1,
 *     "traces": [
 *       {"trace": "train_*.json", "title": "...", "question": "...", "guess": "...",
 *         "whole": false, "expect": {"kernels": 12, "syncs": 0}}
 *     ]
 *   }
 *
 *   trace   the trace's file name, or a pattern with * ? [ ] as in a shell. With slashes it is
 *           compared with as many folders of the path; a case of a run may go by its id. Where
 *           several fit, the first counts
 *   title question guess   shown instead of what the trace had; optional. The title of a pattern
 *           is followed by the file's name
 *   whole   true: the whole trace counts as one step, so that counts per step mean counts in all
 *   expect  as in the matrix (base/expectation.h); "case" is the name of another trace in the file,
 *           or the id of a case that was read. It is judged instead of what run.json expects
 *   about   a remark, at any of the levels
 *   thresholds   beside "traces": {"UTIL-LOW.busy": 0.6, "CHEAP-CALLS.each": "20us"}: thresholds of
 * detectors (rule.h) that are in force wherever these traces are judged
 *
 * For a single trace the file may be one such object, without "traces" and "trace".
 */
#ifndef REPORT_RUN_EXPECTATIONS_H
#define REPORT_RUN_EXPECTATIONS_H

#include "report/run/run.h"

struct expected_trace {
	const cJSON *entry;
	const char *name; /* NULL: the only trace, whatever it is called */
	bool seen; /* a trace of that name was read */
};

struct expectations {
	const char *path; /* lent */
	cJSON *root; /* owned; NULL: no file was read */
	struct expected_trace *trace; /* (n) owned */
	int n;
	struct rule_settings settings; /* its thresholds: for input_read_as, by the caller */
};

/* Reads the file and looks for every mistake that shows without a trace: unknown fields, wrong
 * values, detectors that do not exist. The message says file and place. {0} before. */
int expectations_read(struct expectations *e, const char *path, struct err *err);
void expectations_release(struct expectations *e);

/* Gives the cases their expectations and judges all again. Fails when a name in the file fits
 * nothing at all. The input then lends texts of the file. */
int expectations_apply(struct expectations *e, struct input *in, struct err *err);

/* The same for what the input is compared with, where they fit it: a baseline may lack a trace. */
void expectations_apply_base(struct expectations *e, struct input *base);

/* Is that the case's trace? By the rules of "trace" above. */
bool case_is_named(const struct report_case *c, const char *name);

/* The last `folders` folders of the path of the case's trace and its file name, in the arena; all
 * of the path when it has no more. */
const char *case_trace_file(struct arena *a, const struct report_case *c, int folders);

/* What input_find_trace keeps between its calls; NULL is fine. */
struct case_names *case_names_new(void);
void case_names_free(struct case_names *names);

/* The first case with a trace of that name, by id or by file; NULL when there is none. */
const struct report_case *input_find_trace(const struct input *in, const char *name);

#endif
