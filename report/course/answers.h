/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.h - what the answers share: the values of a text, and facts of a case.
 *
 * For the answer_*.c files and questions.c only. Every answer takes the cases of its question in
 * their order, all of them with steps and device work, and returns the name of an outcome, or NULL
 * when the traces do not hold what it looks for.
 */
#ifndef REPORT_COURSE_ANSWERS_H
#define REPORT_COURSE_ANSWERS_H

#include "report/analyse/case_numbers.h"
#include "report/course/questions.h"
#include "report/judge/judge.h"

enum { ANSWER_VALUES = 64 };

/* What a value of a text says beyond its words: by it the answers of two machines are compared. */
enum told_kind {
	TOLD_WORDS, /* names and such, which differ from machine to machine */
	TOLD_EXACTLY, /* a count, or a word for one of few things: the same or another */
	TOLD_TIME, /* longer or shorter than the other times of the text */
	TOLD_RATIO, /* above 1, below, or noise */
	TOLD_SHARE /* more than half, or less */
};

struct quoted_value {
	enum told_kind kind;
	double number; /* of a ratio that is noise 1 */
	double printed; /* of a ratio: what a reader sees, noise or not */
};

struct answer {
	struct arena *arena;
	const struct texts *texts;
	const struct run *run;
	const struct report_case *c[QUESTION_CASES];
	struct case_numbers n[QUESTION_CASES];
	struct text_value value[ANSWER_VALUES]; /* (n_values) */
	struct quoted_value told[ANSWER_VALUES]; /* (n_values) */
	int n_values;
};

/* Values for {places} of the text. */
void fill_in(struct answer *a, const char *place, const char *value);
void fill_in_time(struct answer *a, const char *place, double ns);
void fill_in_count(struct answer *a, const char *place, double n);
void fill_in_share(struct answer *a, const char *place, double share);
void fill_in_ratio(struct answer *a, const char *place, double ratio);
/* With its interval, of all runs of two kernels, or of a kernel and the one that follows it. */
struct kernel_runs {
	const struct report_case *c;
	const struct activity *act, *then; /* then: NULL for none */
};
void fill_in_kernels_ratio(struct answer *a, const char *place, double ratio,
	const struct kernel_runs *mine, const struct kernel_runs *others);
/* With its interval, and that it is noise where it holds 1. */
void fill_in_sure(struct answer *a, const char *place, struct sure_ratio r);
void fill_in_bytes(struct answer *a, const char *place, double bytes);
void fill_in_row(struct answer *a, const char *place, const struct trace *t, uint32_t row);
void fill_in_regime(struct answer *a, const char *place, const struct report_case *c);

/* For {=places}: the names of rows as code, with commas or arrows between; one that follows itself
 * stands once. */
void fill_in_rows(struct answer *a, const char *place, const struct trace *t, const uint32_t *row,
	uint32_t n, bool arrows);

/* What is told of each case of a question before its answer is asked for, from its case_numbers:
 * {cpu} and {device}, the times of a step; {kernels}, {copies}, {pieces} (both), {launches}, {ops},
 * {compile_rows}, how many a step has. Of the second case they are called {other.cpu} ..., of the
 * third {third.cpu} ..., and there are {other.cpu_ratio} and {other.device_ratio} to the first,
 * with their intervals (ratio_words.h). */
void tell_numbers(struct answer *a, int i);

/* The name of a row, as the file has it. */
const char *name_of_event(const struct trace *t, uint32_t row);
bool ends_with(const char *text, const char *end);

/* The typical step. */
const struct step *usual_step(const struct answer *a, int i);

/* Rows of a class in a step, on the thread with the steps; at most `most`, all counted. */
uint32_t rows_in_step(const struct report_case *c, const struct step *s, enum event_class class,
	uint32_t *row, uint32_t most);

/* For a {=place}: the device work of a usual step; of it the kernels, without copies and fills. */
void tell_device_work(struct answer *a, const char *place, int i);
void tell_kernels(struct answer *a, const char *place, int i);

/* The first device row of a class in a step, NO_ROW if none. */
uint32_t step_device_row(const struct report_case *c, const struct step *s, enum event_class class);

/* The most expensive activity of a class, NULL. */
const struct activity *activity_of(const struct report_case *c, enum event_class class);

/* Median of the runs of the most expensive activity of a class, without those of the first step;
 * NAN where there is none. */
double steady_ns(const struct report_case *c, enum event_class class);

/* The median CPU time of a call in the steady steps, as medians of steps beside it are, of those
 * that is_one takes by their name; NAN where there is none. is_called: of the name `of`. */
double usual_call_ns(const struct analysis *an, bool (*is_one)(const char *name, const void *of),
	const void *of);
bool is_called(const char *name, const void *of);

/* Of what the manifest tells; 0 when it does not. */
double shape_of(const struct report_case *c, const char *side);
double element_bytes(const struct report_case *c);

/* Did two cases run at the same size, and with the same GEMM kernels? */
bool same_shape(const struct report_case *a, const struct report_case *b);
bool same_gemms(const struct report_case *a, const struct report_case *b);

/* What a ratio that was told says: nothing where it is noise, and less than a twentieth is called
 * the same. */
enum trend { TREND_LESS, TREND_SAME, TREND_MORE };
enum trend told_trend(const struct answer *a, const char *place);

bool on_host_device(const struct answer *a);

/* answer_start.c: the table, the timeline, the regime, the cold start */
answer_function answer_hotspot, answer_when, answer_self, answer_regime, answer_way_out,
	answer_schedule, answer_first_step, answer_warm_up;
/* answer_device.c: lanes, gaps, the dispatch chain, waiting and spread */
answer_function answer_late_lane, answer_lone_gap, answer_chain, answer_batched, answer_query,
	answer_wait, answer_spread, answer_median;
/* answer_compile.c */
answer_function answer_fused, answer_compile_rows, answer_launches, answer_bias,
	answer_compile_cost, answer_cheaper_mode, answer_addmm;
/* answer_layers.c */
answer_function answer_transpose, answer_epilogue, answer_one_layer, answer_transpose_gone,
	answer_layout, answer_mlp, answer_two_gemms, answer_op_names, answer_mlp_compiled,
	answer_fusion_gain;
/* answer_attention.c */
answer_function answer_attention, answer_masked;
/* answer_kernels.c: hand-written kernels, Lecture 1 */
answer_function answer_packaged, answer_tuned, answer_generic, answer_host_clock, answer_square,
	answer_renamed, answer_row_kernels, answer_padded_row, answer_limits, answer_freedom;

#endif
