/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - the room of before and after: two traces or two runs, pair by pair.
 *
 * What comes in are two inputs (run.h), the one of --baseline and the one of the command line; what
 * goes out says of each pair whether a step became faster, where its time went, which kernels
 * changed, and what else differs between the two recordings.
 *
 * Pairs. Cases of a matrix are paired by id where they ran at one size, other traces by file name;
 * where that pairs nothing and each side has one trace, those two. Several recordings of one case
 * (rounds, or runs in one folder) stand for it together.
 *
 * Samples. A run in several rounds (collect --repeat) has as many recordings of each case. Where it
 * was measured in turn with the programs before (collect --against), round by round, the rounds
 * that both sides have are compared with each other (ratio_in_turn). Where both sides were recorded
 * more than once, a sample is the median step of one recording: steps of one process are more alike
 * than those of two. Of a single recording each steady step is one (steps_steady_from of
 * analysis.h), the same that its own pages quote. Cases of a matrix are so short that one recording
 * tells nothing about another one: with one a side they are inconclusive. Where n pairs are
 * compared, each is judged at the level 1 - 0.001 / (5 n) (Bonferroni, over the pairs and what is
 * judged of each), so that all of them together cry wolf once in a thousand times; traces of
 * anybody's, of a folder of ranks say, at the best level that their steps reach, 0.95 or more.
 *
 * The step is judged as it was recorded. Where that says nothing, or nothing changed, but the steps
 * without the recorder's own weight (replay_unrecorded_steps()) tell, they decide, and `estimated`
 * is set: the length is that of the estimate, and what the recorder took is taken off its own part,
 * off launching, then off the waits. Where the step as recorded tells, and the estimate lies on the
 * other side of 1 or, of single recordings, says that less changed than counts, the step tells
 * nothing (`contradicted`).
 *
 * The sum decides, then the parts: where the step does not tell, what became slower on the host, on
 * the device or in a kernel makes the pair slower unless the step became shorter, and a device that
 * is busy for less time makes it faster when nothing became slower and the step is shorter by all
 * that is known. What became of the device does not count where the step is sure to hold less than
 * half of it: then the host decides the step. A kernel that became slower while the device's sum
 * became smaller is work that moved. The host of a single recording does not count where the step
 * is the same: of 216 comparisons of one recording with another of the same program, on H100s, that
 * called 21 slower in which nothing was. Nor do a step and a host of single recordings tell what
 * the host's pace explains (host_pace.h): all of its calls took so much longer; nor a kernel that
 * is slower by little more than all that are the same.
 *
 * Of single recordings whose step does not tell, the device's time is sure, and what it says of the
 * step is not: it counts where it changed by as much of the step as counts, or where the host's
 * work, call by call, changed the same way; and the step has to have gone that way as recorded and
 * at one pace of the host.
 */
#ifndef REPORT_COMPARE_COMPARE_H
#define REPORT_COMPARE_COMPARE_H

#include "base/json_out.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/compare/fail_on_gate.h"
#include "report/compare/host_pace.h"
#include "report/compare/kernel_changes.h"
#include "report/run/run.h"

/* Something about the recordings that is not the same: it stands above any verdict. */
struct difference {
	const char *what; /* key of the templates, or the environment's own name for it */
	bool own; /* `what` is the environment's own */
	const char *before, *after; /* "" unknown */
};

struct pair_side {
	const struct report_case **recording; /* (n) */
	int n, main; /* the recording whose median step stands for all */
	uint32_t step; /* index of that step, NO_ROW: the whole */
	struct time_parts split; /* of it, parts sum to its length; all 0 without device work */
	bool has_split;
	bool whole; /* it has no steps: its times are those of all that was recorded */
	int64_t recorded_ns; /* its length as recorded */
	const struct pieces *pieces; /* of `main` */
	int64_t recorder_ns; /* of that the recorder's own, estimated; 0 not known */
};

/* Of its median step, or of all; with the recorder taken off where the pair is `estimated`. */
static inline int64_t pair_side_length(const struct pair_side *s)
{
	return s->has_split ? s->split.end_ns - s->split.start_ns : s->recorded_ns;
}

struct pair {
	const char *id; /* of the case after */
	struct pair_side before, after;
	double least; /* what counts as a change */
	bool identical; /* every event is the same, and nothing differs */
	bool estimated; /* `step` is `unrecorded` */
	bool contradicted; /* the step, by `unrecorded`: see above */
	struct pace pace; /* of one recording a side; else all 0 */
	double step_pace; /* what that makes of the step; 1 */
	bool paced; /* the step told, and that explains it */
	struct ratio step, recorded, unrecorded; /* unrecorded.level 0: not known */
	struct ratio cpu; /* of the step's range on the host; ratio 0 without ProfilerStep ranges */
	struct ratio device; /* time of a step in which the device works */
	size_t needs; /* of an inconclusive step: about so many samples a side would decide, each
			 a step, a recording or a round; 1000: or more; 0: it is decided */
	int64_t saved_ns; /* before less after of `step` */
	const char *unsteady; /* unsteady_kernel() of a side, NULL */
	struct compared_kernel *kernel; /* (n_kernels) largest difference first */
	size_t n_kernels;
	struct difference *differs; /* (n_differs) */
	int n_differs;
	/* Findings of most recordings of one side and of none of the other, in the detectors'
	 * order. */
	const struct rule **came, **went; /* (n_came), (n_went) */
	int n_came, n_went;
	const struct verdict **broke; /* (n_broke) of the first recording after: predictions that
					 were kept before */
	int n_broke;
};

struct comparison {
	struct pair *pair; /* (n) in the order of the input after */
	int n;
	int only_before, only_after; /* cases without a partner, or of another size */
	int slower, faster, same, inconclusive; /* pairs by pair_change() */
	bool identical; /* all of them are */
	double least; /* what counts as a change */
};

/* What counts as a change is the gate's. The arena owns the result; both inputs must outlive it.
 * Time is that of the analyses' events, sorted. */
struct comparison comparison_of(struct arena *a, const struct input *before,
	const struct input *after, const struct gate *gate);

/* The recording of the first pair that has nothing to compare, an empty trace say, where no pair
 * has; NULL: some have. */
const struct report_case *comparison_lacks(const struct comparison *all);

/* What became of the pair: see above. A gate fails for what is slower. */
enum change pair_change(const struct pair *p);

/* May half of what the device's time changed by be in a step that does not tell, as far as that is
 * sure? Where the device waits for the host, it hardly is. Of a step that is the same: yes. */
bool pair_device_arrives(const struct pair *p);

/* Something became slower on the host or on the device, or a kernel that matters did while the
 * device's sum did not become smaller. */
bool pair_has_slower_part(const struct pair *p);

/* Both sides have work of a device, and none of it is the other's: two programs, or two devices. */
bool pair_is_unrelated(const struct pair *p);

/* One recording a side: what processes differ by is not known. */
bool pair_is_single(const struct pair *p);

/* May a single recording be judged by its steps? Those of a matrix are too short for that. */
bool pair_single_tells(const struct pair *p);

/* One side has steps and the other none: their times are of different things. */
bool pair_is_unlike(const struct pair *p);

/* Why the step is inconclusive: a key of the templates behind "doubt.". NULL: it is not. */
const char *pair_doubt(const struct pair *p);

/* A kernel that takes at least KERNEL_LEAST of the step, or whose time changed by as much. */
bool kernel_matters(const struct pair *p, const struct compared_kernel *k);
#define KERNEL_LEAST 0.01

/* One that matters whose calls became slower, and are as many as before: a gate fails for it. */
bool kernel_is_worse(const struct pair *p, const struct compared_kernel *k);

/* The parts of a step as a picture of differences shows them: computing as one bar, then the
 * others. */
enum { PART_BARS = TIME_PARTS - TIME_OTHER };
struct part_bar {
	const char *part; /* "computing", else time_part_name() */
	int64_t before_ns, after_ns;
};
/* False when a side has no parts. */
bool pair_bars(const struct pair *p, struct part_bar bar[PART_BARS]);

/* The bar that differs most, NULL without. */
const struct part_bar *largest_bar(const struct part_bar bar[PART_BARS]);

/* The object of json_report.h. */
void comparison_json(struct json_out *j, const char *key, const struct comparison *all);

/* What became of findings and predictions. */
void set_changes(struct arena *a, struct pair *p);

/* Differences of two recordings that are no part of the program: device, versions, schedule ... */
void set_differences(struct arena *a, struct pair *p);

#endif
