/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest.h - what a run.json tells, as types: of the machine, of the work of each case, of what
 * is to be compared. collect/manifest.h writes it. No other room reads its JSON.
 *
 * A file may claim anything: what is missing or of another type is not told, and numbers are as
 * config_read bounds them. Texts live in the arena, cut where they are longer than anybody reads.
 */
#ifndef REPORT_RUN_MANIFEST_H
#define REPORT_RUN_MANIFEST_H

#include "base/arena.h"
#include "base/config.h"
#include "base/dtype.h"
#include "report/name/classify.h"

/* A fact of the machine: "GPU level-2 cache", "63 MB". */
struct machine_fact {
	const char *name, *value; /* value NULL: it is no text */
};

struct machine_facts {
	struct machine_fact *fact; /* (n) in the file's order */
	int n;
	double cache_bytes; /* of the GPU's level-2 cache; 0: not told */
};

/* manifest NULL: nothing is told. */
const struct machine_facts *machine_facts_of(struct arena *a, const cJSON *manifest);

/* NULL when it is not told. */
const char *machine_fact(const struct machine_facts *facts, const char *name);

/* The sizes that a kind of work has: "size" 64, or "batch" 64, "seq" 128, "dim" 768. */
enum { MOST_SIZES = 16 }; /* of more none is read */
struct work_sizes {
	struct work_size {
		const char *name;
		double n;
	} size[MOST_SIZES]; /* (n) in the file's order */
	int n;
};

bool same_sizes(const struct work_sizes *a, const struct work_sizes *b);

/* What a product takes in beside its factors. */
enum work_epilogue { EPILOGUE_NONE, EPILOGUE_BIAS, EPILOGUE_ADDEND };

/* What one kernel of a step reads, writes and computes: experiments/kernel_work.h. */
struct kernel_work_row {
	int class; /* enum event_class; CLASSES: any that is not of a product */
	int with, without; /* counts only where a step has, has not such an event; CLASSES: always
			    */
	double flop, read_bytes, write_bytes; /* NAN: not told */
	enum work_epilogue epilogue;
};

/* The schedule of the profiler, in steps. */
struct work_schedule {
	double wait, warmup, active; /* NAN: not told */
};

/* What a case of a matrix does. */
struct case_work {
	const char *workload, *mode; /* "matmul_add", "eager"; "": not told */
	enum dtype dtype; /* DTYPES: not told */
	bool warm;
	struct work_sizes shape; /* as it ran */
	/* As it was asked for, where it was made smaller; else empty and DTYPES. */
	struct work_sizes asked;
	enum dtype asked_dtype;
	struct work_schedule schedule;
	double flop, bytes; /* of a step; 0: not told */
	struct kernel_work_row *kernel; /* (n_kernels) */
	int n_kernels;
	int predicted_kernels; /* of a step; -1: not predicted */
};

/* Of an entry of "cases". */
struct case_work *case_work_of(struct arena *a, const cJSON *entry);

/* Nothing is told. */
extern const struct case_work no_work;

/* A loop that takes batches of a DataLoader, and who makes them (collect/dataloader_wait.h). */
struct loading_facts {
	double batches, workers, enough; /* numbers */
	double wait_ms, work_ms, make_ms; /* of a batch */
	const char *in, *at; /* where most of it goes: "decode", "load.py:17"; NULL: not told */
	double in_ms;
};

/* Of an entry of "cases"; NULL: nothing of it is told, or not all. */
const struct loading_facts *loading_facts_of(struct arena *a, const cJSON *entry);

/* Is it the trace of such a worker? Its loop has what is to be known of it. */
bool is_worker(const cJSON *entry);

/* One size of the shape, within 1 and a billion; 0 when it is not told or none of that kind. */
double work_size(const struct case_work *w, const char *name);

/* Of an element; 0 when the type is not told. */
double work_element_bytes(const struct case_work *w);

/* The same kind of work, whatever its sizes: workload, mode and type. */
bool same_kind_of_work(const struct case_work *a, const struct case_work *b);

/* Cases that a matrix wants side by side. */
struct run_comparison {
	const char *id, *title, *question; /* id NULL, question "": not told; title: at least "" */
	const char **cases; /* (n) their ids */
	int n;
};

struct run_comparisons {
	struct run_comparison *of; /* (n) */
	int n;
};

const struct run_comparisons *run_comparisons_of(struct arena *a, const cJSON *manifest);

/* A text member, `otherwise` when it is missing or no text; and as prose: what it says is no
 * link. */
const char *manifest_text(
	struct arena *a, const cJSON *object, const char *name, const char *otherwise);
const char *manifest_prose(
	struct arena *a, const cJSON *object, const char *name, const char *otherwise);

/* The text, in which a space keeps every label from its address: what a file says is no link. It
 * may have the rest of rich_text.h's markup. NULL stays NULL. */
const char *without_links(struct arena *a, const char *text);

#endif
