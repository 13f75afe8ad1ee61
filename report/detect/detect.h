/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - what a trace shows, as findings: the rows of the cheatsheet, the rules of the kernels
 * and those of the field, each with its numbers and the events that prove it.
 *
 * A detector is one function and one row of a const table in a detect_*.c file; detect.c lists the
 * tables. It answers fired, not fired or not applicable and never a sentence: templates/<lang>/
 * findings.json makes the words from the names of the values, and says when each fires
 * (`definition`) and what it gives back (`at_most`). A detector says what it measured; a cause is
 * named only where the trace holds it (a row that overlaps, a call that came too late).
 *
 * Sources: the cheatsheet of the posts and its definitions (cheatsheet.md 2 and 3), Lecture 1
 * (curriculum.md, cheatsheet.md 3.5), the field's own rules (field.md 5.2 to 5.8). All detectors of
 * one trace take time linear in its rows.
 */
#ifndef REPORT_DETECT_DETECT_H
#define REPORT_DETECT_DETECT_H

#include "base/json_out.h"
#include "report/analyse/analysis.h"
#include "report/analyse/health.h"
#include "report/analyse/ledger.h"
#include "report/analyse/streams.h"

#include <cjson/cJSON.h>

enum {
	DETECTOR_THRESHOLDS = 6,
	DETECTOR_VALUES = 14,
	FINDING_EVIDENCE = 64,
	DETECT_SETTINGS = 64,
	FINDING_GAPS = 16
};

enum finding_state { FINDING_FIRED, FINDING_NOT_FIRED, FINDING_NOT_APPLICABLE };
const char *finding_state_name(enum finding_state s); /* "fired", "not fired", "not applicable" */

enum finding_unit {
	UNIT_RATIO, /* a quotient of two like things */
	UNIT_SHARE, /* of a whole: 0.25 is a quarter */
	UNIT_COUNT,
	UNIT_NS,
	UNIT_BYTES,
	UNIT_BYTES_PER_S,
	UNIT_FLOP,
	UNIT_FLOP_PER_S,
	UNIT_TEXT, /* a name out of the trace */
	FINDING_UNITS
};
const char *finding_unit_name(enum finding_unit u); /* "ratio", "share", "count", "ns" ... */

/* Why a detector has no answer, or which of its sentences is the one that fits. */
enum finding_reason {
	REASON_NONE,
	/* not applicable: the trace lacks something */
	REASON_NO_DEVICE, /* no kernels, copies or fills */
	REASON_NO_HOST, /* no time on the CPU */
	REASON_NO_STEPS,
	REASON_FEW_STEPS, /* fewer than the rule compares */
	REASON_UNEVEN_STEPS, /* no two steps launch the same list */
	REASON_NO_CALLS, /* no runtime or driver calls */
	REASON_NO_LINKS, /* no device event has its launch in the file */
	REASON_NO_OPS, /* no operators around the calls */
	REASON_NO_SYNCS,
	REASON_NO_QUERIES,
	REASON_NO_SHAPES, /* operators without input shapes */
	REASON_NO_TYPES,
	REASON_NO_FOOTPRINT, /* kernels without registers, grid and block */
	REASON_NO_PROPERTIES, /* of the device: multiprocessors, or its kind */
	REASON_NO_OVERHEAD, /* no row of the recorder's own cost */
	REASON_NO_COUNTERS, /* hardware counters: only runs of ours, and not all, have them */
	REASON_NO_PEAK, /* the device's bandwidth is not known */
	REASON_NO_GEMM,
	REASON_NO_COPIES,
	REASON_NO_COMPILE, /* nothing compiled ran */
	REASON_NO_COMMUNICATION,
	REASON_NO_LOADER,
	REASON_NO_SUCH_OP, /* the operator that the row is about */
	REASON_ONE_ROW, /* one kind of device work: nothing to compare with */
	REASON_FEW_CALLS,
	REASON_RESOLUTION, /* whole microseconds are too coarse for it */
	REASON_NOT_SUCH_A_PAIR, /* the two traces are not what the rule compares */
	REASON_OTHER_WORK, /* the two traces do not do the same work */
	/* fired: which of its sentences fits */
	REASON_PLAIN, /* by the totals alone */
	REASON_ROBUST, /* by the time line alone */
	REASON_EXPLAINED, /* recorded rows account for it */
	REASON_UNEXPLAINED,
	REASON_WAITED, /* the wait had work to wait for */
	REASON_IDLE, /* the device had almost nothing to do meanwhile */
	REASON_FLUSH, /* the recorder's own rows fill it */
	REASON_ADDMM, /* the operator around it is an addmm */
	REASON_BEFORE_GEMM,
	REASON_PROFILER, /* the recorder's own rows overlap it */
	REASON_HOST_LATE, /* the launch came after the device fell idle */
	REASON_BETWEEN, /* something else was on the stream or in a wait */
	REASON_MEAN, /* the mean does not describe it */
	REASON_COPY_AND_GEMM,
	REASON_GEMM_ALONE,
	REASON_MIXED,
	REASON_RECOMPILED,
	REASON_FP32, /* full precision was asked for */
	REASON_DELAY, /* the time passed between call and start, not in the call */
	REASON_DEVICE_ROW, /* the row is one of the device */
	REASON_ROWS, /* blocks are wider than the rows that they take */
	REASON_NEAR_ROOF, /* hardly anything is left */
	REASON_CLOCK, /* the slower the clock, the longer */
	FINDING_REASONS
};
const char *finding_reason_name(enum finding_reason r); /* "no-device" ...: words of templates */

/* What the time of a finding is taken from. Findings with the same source overlap: their times do
 * not add up, and none can give back more than the source holds. */
enum gain_source {
	GAIN_NOTHING, /* not a matter of time */
	GAIN_IDLE, /* idle time of the device in analysis.window */
	GAIN_BUSY, /* time in which the device works */
	GAIN_CPU, /* self CPU time */
	GAIN_START, /* the first recorded step */
	GAIN_SOURCES
};
const char *gain_source_name(enum gain_source g); /* "nothing", "idle" ... */

struct facts;
struct finding;
typedef enum finding_state detect_one(const struct facts *seen, struct finding *f);
typedef enum finding_state detect_two(
	const struct facts *base, const struct facts *seen, struct finding *f);

struct detector {
	const char *id; /* "T1", "IDLE-HOST": stable, unique */
	const char *name; /* "overhead-bound" */
	const char *source;
	enum gain_source gain; /* where a finding does not say otherwise */
	struct {
		const char *name; /* NULL ends the list */
		double value; /* the default */
		enum finding_unit unit;
	} threshold[DETECTOR_THRESHOLDS];
	struct {
		const char *name; /* NULL ends the list */
		enum finding_unit unit;
	} value[DETECTOR_VALUES];
	detect_one *one; /* exactly one of the two */
	detect_two *two;
};

/* All of them, in the order of the cheatsheet, then kernels, field, health, comparisons. */
int detector_count(void);
const struct detector *detector_at(int i);
const struct detector *detector_find(const char *id); /* NULL: unknown */

struct finding_value {
	bool known; /* false: this trace has nothing to compute it from */
	double number; /* finite; 0 for texts */
	const char *text; /* of UNIT_TEXT; lent by trace or arena */
};

/* Time in which nothing happens where something could: the place of a finding about idle time. */
struct finding_gap {
	int64_t start_ns, end_ns;
	uint32_t beside; /* a device row on the lane that it lies on */
};

struct finding {
	const struct detector *detector;
	enum finding_state state;
	enum finding_reason reason;
	double threshold[DETECTOR_THRESHOLDS]; /* as used, by place in detector->threshold */
	struct finding_value value[DETECTOR_VALUES]; /* by place in detector->value */
	enum gain_source gain;
	int64_t give_back_ns; /* at most; 0 unless fired */
	int64_t ceiling_ns; /* all that the source holds: give_back_ns <= ceiling_ns */

	uint32_t evidence[FINDING_EVIDENCE]; /* (n_evidence) rows, the most telling first */
	int n_evidence;
	size_t n_events; /* rows it could have shown */
	uint32_t base_evidence[FINDING_EVIDENCE]; /* the same for the base of a comparison */
	int n_base_evidence;
	size_t n_base_events;

	struct finding_gap gap[FINDING_GAPS]; /* (n_gaps) longest first; where there are any, they
						 are the place, not the rows */
	int n_gaps;

	int64_t weight[FINDING_EVIDENCE], base_weight[FINDING_EVIDENCE]; /* of the rows */
	struct arena *arena; /* for texts */
};

struct findings {
	const struct trace *trace, *base; /* base: NULL unless two were compared */
	struct finding *finding; /* (n) in the order of the table */
	int n;
	int *ranked; /* (n_fired) the fired ones, by give_back_ns, largest first */
	int n_fired;
};

/* Thresholds that were set; of one that is set twice the last counts. {0}: all defaults. */
struct detect_settings {
	struct {
		const struct detector *detector;
		int threshold;
		double value;
	} set[DETECT_SETTINGS];
	int n;
};

/* Takes "T1.ratio=5": the id, the threshold's name, a number in the threshold's unit. Shares may be
 * written as "60%", times with ns, us, ms or s behind the number. A wrong id, threshold or value is
 * answered with those that are known. */
int detect_set(struct detect_settings *s, const char *text, struct err *err);

/* Takes {"T1.ratio": 5, "UTIL-LOW.busy": "60%"}. */
int detect_set_all(struct detect_settings *s, const cJSON *object, struct err *err);

/* The value in force; settings may be NULL. */
double detect_threshold(const struct detect_settings *s, const struct detector *d, int threshold);

/* The limits of the regime that go with T1 and T2, so that all three say the same. */
struct regime_limits detect_regime_limits(const struct detect_settings *s);

struct detect_in {
	const struct analysis *analysis;
	const struct health *health;
	const struct ledger *ledger;
	const struct streams *streams;
	const struct case_counters *counted; /* hardware counters (counters.h); NULL: none */
};

/* Every detector of one trace. The arena owns the result, which lends texts of the trace; settings
 * may be NULL. */
struct findings detect_all(
	struct arena *arena, const struct detect_in *in, const struct detect_settings *settings);

/* Every detector that compares: what changed from `base` to `seen`. Events are judged by their
 * traces alone; that the two ought to be alike is for the caller to know. */
struct findings detect_pair(struct arena *arena, const struct detect_in *base,
	const struct detect_in *seen, const struct detect_settings *settings);

/* A value by its name, NULL when the detector has none of that name. */
const struct finding_value *finding_value(const struct finding *f, const char *name);

/* As stable text, one paragraph a finding: part of --dump analysis. A threshold that was set is
 * followed by its default. */
void detect_dump(const struct findings *f, FILE *out);

/* As a JSON array of objects: id, name, state, reason, values, thresholds (name, value, unit,
 * default, set), give_back, evidence. */
void detect_json(struct json_out *j, const char *key, const struct findings *f);

/* The entry of a detector in findings.json (words: the whole of the file); NULL: it has none. */
const cJSON *detector_words(const cJSON *words, const char *id);

/* The table itself, as a JSON array: id, name, definition and at_most as `words` have them, source,
 * thresholds as in force, values. */
void detect_table_json(
	struct json_out *j, const char *key, const cJSON *words, const struct detect_settings *s);

/* What was set, as the object that detect_set_all takes. */
void detect_settings_json(struct json_out *j, const char *key, const struct detect_settings *s);

#endif
