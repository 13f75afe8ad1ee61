/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks_report.h - every nanosecond with all that stands around it, as collapsed stacks: `report
 * --stacks FILE`.
 *
 * A line for each stack, as flamegraph.pl, speedscope and inferno read them: names from the outside
 * in with ";" between, a blank, whole nanoseconds. The first name is "host" or "device", so that
 * one file holds both (grep '^device;' takes one); then, of several traces, the id of the case as
 * in --json; then thread, modules, functions of Python, ranges, operators, calls, and of the device
 * what they launched. Backward passes stand under the forward operator that they belong to
 * (analyse/call_tree.h); numbers in names of ranges are #, so that steps stand together. The lines
 * of host sum to the CPU time of the table `modules`, those of device to its device time, and both
 * to those of --json.
 *
 * A ";" in a name is ":" here, what a screen obeys stands by its codes, and a name has at most
 * STACKS_NAME bytes. What lies deeper than STACKS_DEEPEST belongs to the frame above, and so does
 * what comes when a trace has filled STACKS_BYTES: no time is lost. The first line is "host 0": it
 * tells the file from others.
 */
#ifndef REPORT_STACKS_REPORT_H
#define REPORT_STACKS_REPORT_H

#include "report/run/run.h"

enum { STACKS_NAME = 1000, STACKS_DEEPEST = 1000, STACKS_BYTES = 256 << 20 };
#define STACKS_MARK "host 0\n"

int stacks_report_write(const struct input *in, const char *path, struct err *err);

#endif
