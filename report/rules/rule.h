/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule.h - the room of rules: what a trace shows that is worth a reader's time, each with its
 * numbers and the events that prove it, and what to do about it.
 *
 * In come an analysis and what else is known of a case (struct rules_in), with thresholds that a
 * user may set (struct rule_settings); out goes `struct findings`, one `struct finding` for every
 * finding in a fixed order, and the actions that are given, by what they save (advice.h). Nothing
 * fails: a rule that cannot answer says why.
 *
 * A rule is a function and a row of a const table beside it; RULE_TABLES (facts.h) lists the
 * tables. It answers fired, not fired or not applicable and never a sentence:
 * templates/<lang>/findings.json, for actions advice.json, make the words from the names of the
 * values, and say when each fires
 * (`definition`), what it gives back (`at_most`) and where the rule comes from (`source`). A rule
 * says what it measured; a cause is named only where the trace holds it (a row that overlaps, a
 * call that came too late). What an action saves is a function of its own (`saves`).
 *
 * The findings are those of Hugging Face's "Profiling in PyTorch" 1 and 2, of GPU MODE's Lecture 1,
 * and of the field's own tools; each one's `source` names its place. All rules of one trace
 * together take time linear in its rows.
 */
#ifndef REPORT_RULES_RULE_H
#define REPORT_RULES_RULE_H

#include "base/enum_names.h"
#include "report/analyse/analysis.h"

#include <cjson/cJSON.h>

struct health;
struct idle_causes;
struct breakdown;
struct streams;
struct json_out;
struct advice;

enum {
	RULE_THRESHOLDS = 6,
	RULE_VALUES = 14,
	FINDING_EVIDENCE = 64,
	RULE_SETTINGS = 64,
	FINDING_GAPS = 16
};

enum finding_state { FINDING_FIRED, FINDING_NOT_FIRED, FINDING_NOT_APPLICABLE, FINDING_STATES };
const char *finding_state_name(enum finding_state s); /* "fired", "not fired", "not applicable" */

#define UNIT_LIST(X) \
	X(UNIT_RATIO, "ratio") /* a quotient of two like things */ \
	X(UNIT_SHARE, "share") /* of a whole: 0.25 is a quarter */ \
	X(UNIT_COUNT, "count") \
	X(UNIT_NS, "ns") \
	X(UNIT_BYTES, "bytes") \
	X(UNIT_BYTES_PER_S, "bytes/s") \
	X(UNIT_FLOP, "FLOP") \
	X(UNIT_FLOP_PER_S, "FLOP/s") \
	X(UNIT_TEXT, "text") /* a name out of the trace */
enum finding_unit { UNIT_LIST(KIND_MEMBER) FINDING_UNITS };
const char *finding_unit_name(enum finding_unit u); /* "ratio", "share", "count", "ns" ... */

/* Why a detector has no answer, or which of its sentences is the one that fits. */
#define REASON_LIST(X) \
	X(REASON_NONE, "") \
	/* not applicable: the trace lacks something */ \
	X(REASON_CUT, "cut") /* it ends early (trace.h), and what is missing may decide */ \
	X(REASON_NO_DEVICE, "no-device") /* no kernels, copies or fills */ \
	X(REASON_NO_HOST, "no-host") /* no time on the CPU */ \
	X(REASON_NO_STEPS, "no-steps") \
	X(REASON_FEW_STEPS, "few-steps") /* fewer than the rule compares */ \
	X(REASON_UNEVEN_STEPS, "uneven-steps") /* no two steps launch the same list */ \
	X(REASON_NO_CALLS, "no-calls") /* no runtime or driver calls */ \
	X(REASON_NO_LINKS, "no-links") /* no device event has its launch in the file */ \
	X(REASON_NO_OPS, "no-ops") /* no operators around the calls */ \
	X(REASON_NO_SYNCS, "no-syncs") \
	X(REASON_NO_QUERIES, "no-queries") \
	X(REASON_NO_SHAPES, "no-shapes") /* operators without input shapes */ \
	X(REASON_NO_TYPES, "no-types") \
	X(REASON_NO_FOOTPRINT, "no-footprint") /* kernels without registers, grid and block */ \
	X(REASON_NO_PROPERTIES, "no-properties") /* of the device: multiprocessors, or its kind */ \
	X(REASON_NO_OVERHEAD, "no-overhead") /* no row of the recorder's own cost */ \
	X(REASON_NO_COUNTERS, "no-counters") /* of the hardware: few runs of ours have them */ \
	X(REASON_NO_PEAK, "no-peak") /* the device's bandwidth is not known */ \
	X(REASON_NO_GEMM, "no-gemm") \
	X(REASON_NO_COPIES, "no-copies") \
	X(REASON_NO_COMPILE, "no-compile") /* nothing compiled ran */ \
	X(REASON_NO_COMMUNICATION, "no-communication") \
	X(REASON_NO_LOADER, "no-loader") \
	X(REASON_NO_SUCH_OP, "no-such-op") /* the operator that the row is about */ \
	X(REASON_ONE_ROW, "one-row") /* one kind of device work: nothing to compare with */ \
	X(REASON_FEW_CALLS, "few-calls") \
	X(REASON_RESOLUTION, "resolution") /* whole microseconds are too coarse for it */ \
	X(REASON_NOT_SUCH_A_PAIR, "not-such-a-pair") /* not what the rule compares */ \
	X(REASON_OTHER_WORK, "other-work") /* the two traces do not do the same work */ \
	/* fired: which of its sentences fits */ \
	X(REASON_PLAIN, "plain") /* by the totals alone */ \
	X(REASON_ROBUST, "robust") /* by the time line alone */ \
	X(REASON_EXPLAINED, "explained") /* recorded rows account for it */ \
	X(REASON_UNEXPLAINED, "unexplained") \
	X(REASON_WAITED, "waited") /* the wait had work to wait for */ \
	X(REASON_IDLE, "idle") /* the device had almost nothing to do meanwhile */ \
	X(REASON_FLUSH, "flush") /* the recorder's own rows fill it */ \
	X(REASON_ADDMM, "addmm") /* the operator around it is an addmm */ \
	X(REASON_BEFORE_GEMM, "before-gemm") \
	X(REASON_PROFILER, "profiler") /* the recorder's own rows overlap it */ \
	X(REASON_HOST_LATE, "host-late") /* the launch came after the device fell idle */ \
	X(REASON_BETWEEN, "between") /* something else was on the stream or in a wait */ \
	X(REASON_MEAN, "mean") /* the mean does not describe it */ \
	X(REASON_COPY_AND_GEMM, "copy-and-gemm") \
	X(REASON_GEMM_ALONE, "gemm-alone") \
	X(REASON_MIXED, "mixed") \
	X(REASON_RECOMPILED, "recompiled") \
	X(REASON_FP32, "fp32") /* full precision was asked for */ \
	X(REASON_DELAY, "delay") /* the time passed between call and start, not in the call */ \
	X(REASON_DEVICE_ROW, "device-row") /* the row is one of the device */ \
	X(REASON_ROWS, "rows") /* blocks are wider than the rows that they take */ \
	X(REASON_NEAR_ROOF, "near-roof") /* hardly anything is left */ \
	/* fired: which of its advices fits, where the plain one would mislead */ \
	X(REASON_GRAPHS, "graphs") /* the trace replays recorded graphs already */ \
	X(REASON_COMPILED, "compiled") /* compiled code ran already */ \
	X(REASON_SMALL_GRID, "small-grid") /* fewer blocks than the device holds at once */ \
	X(REASON_MANY_WAVES, "many-waves") /* so many blocks that their number is no cause */ \
	X(REASON_SMALL_MESSAGES, "small-messages") /* many short ones */ \
	X(REASON_FULL_ADDEND, "full-addend") /* what is added is as large as the product */ \
	X(REASON_LOADER, "loader") /* a data loader's row fills it */ \
	X(REASON_CLOCK, "clock") /* the slower the clock, the longer */ \
	X(REASON_ADVISED, "advised") /* by the measure of the action about the same matter */
enum finding_reason { REASON_LIST(KIND_MEMBER) FINDING_REASONS };
const char *finding_reason_name(enum finding_reason r); /* "no-device" ...: words of templates */

/* What the time of a finding is taken from. Findings with the same source overlap: their times do
 * not add up, and none can give back more than the source holds. */
#define GAIN_LIST(X) \
	X(GAIN_NOTHING, "nothing") /* not a matter of time */ \
	X(GAIN_IDLE, "idle") /* idle time of the device in analysis.window */ \
	X(GAIN_BUSY, "busy") /* time in which the device works */ \
	X(GAIN_CPU, "cpu") /* self CPU time */ \
	X(GAIN_START, "start") /* the first recorded step */ \
	X(GAIN_WINDOW, "window") /* wall-clock time of the advice's window: of actions */
enum gain_source { GAIN_LIST(KIND_MEMBER) GAIN_SOURCES };
const char *gain_source_name(enum gain_source g); /* "nothing", "idle" ... */

/* What a row is about: what is so, what to do about it, or what to leave alone. */
enum rule_kind { RULE_FINDING, RULE_ACTION, RULE_LEAVE };
const char *rule_kind_name(enum rule_kind k); /* "finding", "action", "leave" */

/* What an action saves at most in the window of the advice; of what is left alone, its time. */
struct gain {
	double ns; /* of an action without a plan, and of what is left alone */
	double once_ns; /* of what a step does not pay: of the recording, at most; else 0 */
};

struct facts;
struct finding;
struct pattern;
struct replay_plan;
typedef enum finding_state rule_of_one(const struct facts *seen, struct finding *f);
typedef enum finding_state rule_of_two(
	const struct facts *base, const struct facts *seen, struct finding *f);
typedef struct gain judge_gain(const struct facts *seen, const struct finding *f);

/* Where a finding that has fired is told. */
enum finding_page {
	PAGE_ADVISES, /* on every page about its trace, with what it saves, where that is worth it
		       */
	PAGE_DESCRIBES, /* on every page about its trace, as something that is so */
	PAGE_ATLAS /* in the atlas alone: other pages say it in another way, or it is true of most
		      traces */
};

enum { RULE_REPEATS = 10 };

struct rule {
	enum rule_kind kind;
	const char *id; /* "OVERHEAD-BOUND", "IDLE-HOST": stable, unique */
	const char
		*label; /* "T1", its number on the cheatsheet, by which pages mark it; NULL: none */
	enum finding_page page;
	/* Actions, and findings, that say the same: it is left out where one of them is there. */
	const char *repeats[RULE_REPEATS + 1]; /* NULL ends the list */
	/* The action about the same matter: the two share one measure. What the finding gives back
	   is what those of `repeats` save, and nothing where there is none; where the action is
	   given, the finding has fired, whatever its own rule says, unless that is about more than
	   the action is. NULL: there is none. */
	const char *action;
	bool own_rule;
	enum gain_source gain; /* where a finding does not say otherwise */
	struct {
		const char *name; /* NULL ends the list */
		double value; /* the default */
		enum finding_unit unit;
	} threshold[RULE_THRESHOLDS];
	struct {
		const char *name; /* NULL ends the list */
		enum finding_unit unit;
	} value[RULE_VALUES];
	rule_of_one *one; /* exactly one of the two */
	rule_of_two *two;
	judge_gain *saves; /* of what to leave alone its time; of an action what a step does not
			      pay, else NULL: what an action saves is the replay of what `one` has
			      said to finding.plan (changes.h); one that saves less than its
			      threshold "least" of the window is none */
	const struct pattern *pattern; /* of an action that is one (pattern.h), else NULL */
	bool on_cpu; /* may be given for a trace without a device, too: by the host's time alone */
	bool setting; /* one word to change, and certain: told before all that is no setting */
	/* Actions that would mend what this one is the cause of: left out where it is a setting,
	   or saves at least half of what they do. */
	const char *covers[RULE_REPEATS + 1]; /* NULL ends the list */
	/* Actions that would mend what comes of this one's cause without naming it: told behind
	   it, whatever they save. */
	const char *before[RULE_REPEATS + 1]; /* NULL ends the list */
	double cause_share; /* names no cause, but is good against many: told behind each that does
			       and saves at least this share of what it saves; 0: names one */
	double yields; /* changes the results: told behind each cause that does not and saves at
			  least this share of what it saves; 0: it does not */
	bool of_kernels; /* is about the kernels: they are not left alone then */
};

/* All of them: findings, in the order of the cheatsheet, then kernels, field, health, comparisons;
 * actions, of two that save the same the better first; what to leave alone. */
int rule_count(void);
int rule_findings(void); /* the findings among them */
const struct rule *rule_at(int i); /* below rule_count() */
const struct rule *rule_find(const char *id); /* by its id or its label; NULL: unknown */
const char *rule_label(const struct rule *d); /* its label, or its id where it has none */

/* The place of a threshold in the row by its name, of `length` bytes; -1: it has none such. */
int rule_threshold(const struct rule *d, const char *name, size_t length);

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
	const struct rule *rule;
	enum finding_state state;
	enum finding_reason reason;
	const char *variant; /* of an action: which of its sentences fits, "" for the plain one */
	bool behind; /* of an action: something in its way must go first: told behind all others */
	bool causes; /* of an action: this time it names a cause, so its rule's cause_share does not
			count */
	bool certain; /* of an action: this time it is told first, as a setting is */
	enum finding_reason advice; /* NONE: the one that goes with the reason, or the plain one */
	double threshold[RULE_THRESHOLDS]; /* as used, by place in detector->threshold */
	struct finding_value value[RULE_VALUES]; /* by place in detector->value */
	enum gain_source gain;
	int64_t give_back_ns; /* at most; 0 unless fired */
	int64_t place_ns; /* of an action: it is told where one that saves this much would be */
	int64_t ceiling_ns; /* all that the source holds: give_back_ns <= ceiling_ns */
	int64_t saves_ns; /* what of the advice's window; -1: what of give_back_ns falls on it */
	int64_t own_ns; /* of an action's matter: what it would give back by its own rule; else 0 */
	int64_t once_ns; /* of an action that a step does not pay: of the recording; else 0 */
	int64_t each_ns; /* where some steps pay it, and not the one that is shown: a step's share,
			    by which it is told; else 0 */
	int64_t joined_ns; /* of one of the first actions: what it saves with those before it */

	uint32_t *evidence; /* (n_evidence) rows, the most telling first; NULL for none */
	int n_evidence;
	size_t n_events; /* rows it could have shown */
	uint32_t *base_evidence; /* the same for the base of a comparison */
	int n_base_evidence;
	size_t n_base_events;

	struct finding_gap *gap; /* (n_gaps) longest first; where there are any, they are the
				    place, not the rows; NULL for none */
	int n_gaps;

	struct replay_plan *plan; /* of an action, while it is judged: what it changes (changes.h);
				     else NULL */
	int64_t *weight, *base_weight; /* of the rows */
	struct arena *arena; /* for texts and all of these */
};

struct findings {
	const struct trace *trace, *base; /* base: NULL unless two were compared */
	struct finding *finding; /* (n) in the order of the table */
	int n;
	int *ranked; /* (n_fired) the fired ones, by give_back_ns, largest first */
	int n_fired;
	const struct advice *advice; /* what to do (advice.h); NULL: it was not asked for */
};

/* Thresholds that were set; of one that is set twice the last counts. {0}: all defaults. */
struct rule_settings {
	struct {
		const struct rule *rule;
		int threshold;
		double value;
	} set[RULE_SETTINGS];
	int n;
};

/* Takes "OVERHEAD-BOUND.ratio=5": the id, the threshold's name, a number in the threshold's unit.
 * Shares may be written as "60%", times with ns, us, ms or s behind the number. A wrong id,
 * threshold or value is answered with those that are known. */
int rule_set_threshold(struct rule_settings *s, const char *text, struct err *err);

/* Takes {"OVERHEAD-BOUND.ratio": 5, "UTIL-LOW.busy": "60%"}. */
int rule_set_thresholds(struct rule_settings *s, const cJSON *object, struct err *err);

/* The value in force; settings may be NULL. */
double rule_threshold_used(const struct rule_settings *s, const struct rule *d, int threshold);

/* The limits of the regime that go with T1 and T2, so that all three say the same. */
struct regime_limits rule_regime_limits(const struct rule_settings *s);

struct rules_in {
	const struct analysis *analysis;
	const struct health *health;
	const struct idle_causes *idle_causes;
	const struct streams *streams;
	const struct case_counters *counted; /* hardware counters (case_counters.h); NULL: none */
	const struct breakdown *breakdown; /* NULL: there is no advice */
	const struct blame_sum *blame; /* of the whole: breakdown.blame.whole; NULL: not known */
};

/* Every rule about one trace. The arena owns the result, which lends texts of the trace; settings
 * may be NULL. */
struct findings rules_all(
	struct arena *arena, const struct rules_in *in, const struct rule_settings *settings);

/* One side of comparisons, worked out once however many there are: it lends all that `in` points
 * at.
 */
struct facts *rules_side(const struct rules_in *in);
void rules_side_free(struct facts *side); /* may be NULL */

/* Every detector that compares: what changed from `base` to `seen`. Events are judged by their
 * traces alone; that the two ought to be alike is for the caller to know. */
struct findings rules_pair(struct arena *arena, const struct facts *base, const struct facts *seen,
	const struct rule_settings *settings);

/* Does the row name this action or finding as one that says the same? */
bool rule_repeats(const struct rule *d, const char *id);

/* What a detector said, by its id; NULL when `f` is NULL or it was not asked. */
const struct finding *findings_find(const struct findings *f, const char *id);

/* A number that it has told, 0 when it has not: for gains. */
double finding_number(const struct finding *f, const char *name);

/* A value by its name, NULL when the detector has none of that name. */
const struct finding_value *finding_value(const struct finding *f, const char *name);

/* As stable text, one paragraph a finding: part of --dump analysis. A threshold that was set is
 * followed by its default. */
void findings_dump(const struct findings *f, FILE *out);

/* One of them, of any kind. */
void finding_dump(const struct finding *f, FILE *out);

/* The members of any finding but its id: name (its title), state, reason, values, thresholds,
 * give_back, evidence; words: of findings.json, or of advice.json. base: NULL for none. */
void finding_json(struct json_out *j, const cJSON *words, const struct trace *t,
	const struct trace *base, const struct finding *f);

/* As a JSON array of objects: id, name (the title, of `words`, which are those of findings.json),
 * state, reason, values, thresholds (name, value, unit, default, set), give_back, evidence. */
void findings_json(
	struct json_out *j, const char *key, const cJSON *words, const struct findings *f);

/* The entry of a detector in findings.json (words: the whole of the file); NULL: it has none. The
 * same of any rule, whose words are in findings.json or advice.json. */
const cJSON *finding_words(const cJSON *words, const char *id);
const cJSON *rule_words(const cJSON *words, const struct rule *d);

/* The table of all rules, as a JSON array: id, kind, name, definition, source and at_most as the
 * words of findings.json and advice.json have them, thresholds as in force, values, what it
 * repeats. */
void rules_json(struct json_out *j, const char *key, const cJSON *findings, const cJSON *advice,
	const struct rule_settings *s);

/* What was set, as the object that rule_set_thresholds takes. */
void rule_settings_json(struct json_out *j, const char *key, const struct rule_settings *s);

#endif
