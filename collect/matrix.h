/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix.h - the file that says what runs, what we ask and what we expect.
 *
 * experiments/README.md lists every field. Reading checks everything that can be known before
 * anything runs: unknown fields, shapes that cannot multiply, tags that stand twice, references to
 * cases that are not there. Messages name file, case and field.
 */
#ifndef COLLECT_MATRIX_H
#define COLLECT_MATRIX_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/text_map.h"
#include "experiments/workload.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* What a case may take before it is ended. */
struct case_limits {
	double seconds; /* 0: ten times its estimate and a minute */
	size_t memory; /* bytes of its own data; 0: what there is */
};

struct matrix_case {
	const char *id; /* "experiment/tag", unique */
	struct case_spec spec; /* as asked; may be scaled down before it runs */
	struct case_limits limits;
	const struct workload *workload;
	const char *title, *question, *guess, *untested; /* "" when not given */
	const cJSON *sentences; /* the guess as a list checked by guess_ok(); NULL: a text. Lent. */
	const cJSON *expect; /* an object checked by expectation_ok(); NULL: none. Lent. */
};

struct matrix_comparison {
	const char *id, *title, *question;
	const char **case_id; /* (n_cases) */
	size_t n_cases;
};

/* How the noise of short cases is measured: they are recorded in so many rounds altogether, the
 * first by their own schedule, the others with more steps. */
struct matrix_noise {
	long rounds; /* 1: it is not */
	long steps; /* active ones of a round behind the first, at least */
	long below_us; /* a step of a short case is estimated to take less */
};

struct matrix {
	const char *path;
	struct matrix_noise noise;
	const char *guessed; /* the day its guesses were written, "2026-11-22"; "": not told */
	char hash[HASH_TEXT]; /* of the file's bytes */
	struct matrix_case *cases; /* (n_cases) in the order of the file */
	size_t n_cases;
	struct matrix_comparison *comparisons; /* (n_comparisons) */
	size_t n_comparisons;
	struct text_map by_id, comparison_by_id;
	cJSON *root; /* owns the texts */
	struct arena arena; /* owns the rest */
};

int matrix_read(struct matrix *m, const char *path, struct err *err);
void matrix_release(struct matrix *m);

/* NULL when there is none. */
const struct matrix_case *matrix_find(const struct matrix *m, const char *id);

/* The sizes of a specification by name, for reading, printing and hashing; ends with a NULL name.
 */
struct case_size {
	const char *name;
	size_t offset; /* of a long in struct case_spec */
};
extern const struct case_size case_sizes[];
long case_size_value(const struct case_spec *spec, const struct case_size *size);
void case_size_set(struct case_spec *spec, const struct case_size *size, long value);

/* What the posts would call the case, from the sizes it gives:
 * {size}_{dtype}_{cold|warm}_{mode}, {batch}x{size}_..., and without a `size` all sizes in the
 * order of case_sizes: {batch}_{in_dim}_{out_dim}_{mode}, {batch}_{seq}_{dim}_{hidden}_{mode}. */
const char *case_tag(struct arena *a, const struct case_spec *spec);

#endif
