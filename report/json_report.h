/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_report.h - the result as data: `report --json FILE`.
 *
 * The same input gives the same bytes. Times with "_ns" are whole nanoseconds, "start_us" and
 * "dur_us" microseconds with three decimals, from the trace's origin ("origin_ns" plus the start is
 * the file's own time); rows are those of `--dump trace`. What is not known is null or left out.
 *
 *   tracebook_report  1: the version of this form, docs/report.schema.json: it grows when a member
 *                     goes or means something else, not when one comes
 *   predictions       {kept, broken, open}: over all cases
 *   thresholds        {"OVERHEAD-BOUND.ratio": 5}: what was set, as --set and a file of
 * expectations take it runs[]            folder, device, created (null for traces of no run), and
 *     cases[]         id, title, experiment, tag, mode, question, guess, status, reason, readable;
 *                     of a readable one also
 *       origin_ns     of its trace
 *       part          where a part of a trace was asked for, or the file is one (--cut): of,
 * of_whole (false: that file was cut off or damaged), from_ns, to_ns and whole_ns, all from its
 * begin, rows of all of it, earlier and earlier_ns (of the device, launched before); and what it
 * was asked by: first_step, last_step; range, nth (from 0), ranges (of that name); rank window
 * where the time went (breakdown.h): ns, start_us; parts[]: part
 *                     ("computing.gemm", "communication", "copies", "idle.launching" ...), ns: all
 *                     of them in one order, with the sum ns (none without a device); steps_by: how
 *                     steps were told ("nothing": the window is the whole; "profiler", "optimizer",
 *                     "range", "launches": it is the step of median length); range: the name that
 *                     recurs; steps: how many; step: the number of this one, null for the whole;
 *                     headline_share: the share of what the headline names; lacks: what keeps it
 *                     from telling more ("nothing"; "device": ns is 0 where it has no steps,
 *                     either; "host", "launches": idle time has no cause)
 *       headline      what limits the window: "compute-bound", "launch-bound" ... (breakdown.h);
 *                     "mixed" where its largest part takes less than half, as the page says
 *       largest       that part's name: the headline unless it is mixed
 *       recorded_headline  the largest part of the recorded window: another one where recording
 *                     hides what limits the program (advice.h)
 *       unrecorded    ns, start_us, parts[] of the window without the recorder, by estimate
 *                     (replay_parts()); empty where there is none
 *       blame         because of what the device was idle (analyse/blame.h): window, whole:
 *                     silence_ns and rhythm_ns (they sum to the host's kinds), rhythm_launches,
 *                     kinds: ns of each, which sum to the idle parts; silences[], the ten longest
 *                     of the whole: kind, name, after and before (what ended last in front of the
 *                     longest, and what began behind it; null: nothing did), n, ns, longest_ns,
 *                     window_ns, usual_ns (of its like, by itself; null: not known); causes[], all
 *                     of the idle time by kind and name: n, ns, window_ns, longest_ns; they sum to
 *                     the kinds
 *       actions[]     what to do, by gain (advice.h): id, gain_ns (of the window without the
 *                     recorder: a replay's difference), joined_ns (with the actions before it, of
 *                     the first few; else 0), once_ns (of the recording, of what the step does not
 *                     pay; else 0), sentence, switch (what to change),
 *                     events[]: row, name, start_us, dur_us; and what a finding has
 *                     (rule.h): name, values, thresholds, give_back, evidence
 *       leave[]       what is large and already good: id, ns, sentence, events[]
 *       recorder      what recording costs the host (profiler_cost.h): share of the window,
 *                     operator_ns, window_ns: what the window takes without it, by replay
 *                     (replay.h); priced: the replay explains the window, else gains are rough;
 *                     measured: window_ns was, outside the recording, else it is an estimate
 *       cpu_work      of a trace without a device or calls of one (cpu_work.h): start_us, ns,
 *                     within_ns, own_ns, moving_ns, threads, most[]: name, own_ns, calls
 *       whole         ns, start_us, parts[] of the whole window
 *       numbers       steps, regime, cpu_ns, device_ns, kernels, copies, launches, first_ratio:
 *                     the row of the summary's table, medians over the steady steps
 *                     (analyse/case_numbers.h); beside_products: the fills and reductions that
 *                     the first three leave out, since they count with their product;
 *                     window_ns, busy_ns, idle_ns and busy_share of the window
 *       verdicts[]    expectation, state ("kept", "broken", "open"), reason of an open one,
 *                     expected, observed, case (the other one), min, max, value; of a broken one
 *                     step (number), place (from 1), wanted, saw, and first: the event to look
 *                     at; evidence[]: row, name, start_us, dur_us
 *                     certainty of a ratio: low, high, steps, steps_of_case, processes (judge.h)
 *       sentences[]   of a guess in sentences (run/guess.h): says, state ("held", "broke", "noise",
 *                     "not-here", "follows", "untested"; "contrast": of the other kind of device)
 *       findings[]    as findings_json writes them (rule.h)
 *       compared[]    where must_fire or must_not_fire name another case: case, findings[] of the
 *                     detectors that compare
 *       tables        those of the trace that have rows (tables/tables.h), by name: columns[],
 *                     rows[][]: values in the order of the columns
 *   unseen[]          names of the file of expectations that no trace has
 *   comparison        with --baseline: compared, only_before, only_after, slower, faster, same,
 *                     inconclusive: how many pairs; pairs[], and of a single pair all its members
 *                     here too:
 *       id            of a case after; before, after: of the recordings that stand for all
 *       identical     every event is the same, and nothing differs
 *       became        of the pair: the step's verdict, else that of a part which decides
 *                     (compare/compare.h); a gate fails for "slower"
 *       verdict       of a step: "faster", "slower", "same", "inconclusive"
 * (base/faster_slower_same.h), with ratio (after ÷ before), low, high, level of that interval,
 * before_ns, after_ns (medians), samples_before, samples_after why           only of an
 * inconclusive one: "few" samples, "noise", "kernel": some recordings of one side have other
 * kernels, "steps": only one side has any, "recorder": the estimate without it says the opposite,
 * "parts": they do needs         only of an inconclusive one: about so many samples a side would
 * decide saved_ns      of a step, negative where it became longer estimated     the step is told
 * without the recorder (compare/recorder.h), since its weight hides the difference;
 * recorder_before_ns, recorder_after_ns: that weight recorded, unrecorded, cpu, device   the same
 * members as of the step; null: not known parts[]       part, before_ns, after_ns, of the breakdown
 * of these steps: they sum to them, and their differences to -saved_ns; largest: the one that
 * differs most, computing as a whole ("computing") kernels[]     those that matter
 * (compare/compare.h), by difference: kernel, was (its name before), from or into (the kernels that
 * were fused into it, or that it was split into), operator, state (compare/kernels.h), calls and
 * time of a step before and after, call: one call, as the step differs[]     what, before, after:
 * of the recordings, not of the program detectors[]       the table: id, name, gives_back,
 * values[], thresholds[]: name, value in force, unit, default, set; and of
 * templates/<lang>/findings.json definition (when it fires, with {threshold.name} where a threshold
 * goes), source (where the rule comes from) and at_most (what it gives back)
 */
#ifndef REPORT_JSON_REPORT_H
#define REPORT_JSON_REPORT_H

#include "report/page/template_texts.h"
#include "report/run/expectations.h"

int json_report_write(const struct input *in, const struct expectations *e,
	const struct texts *texts, const char *path, struct err *err);

#endif
