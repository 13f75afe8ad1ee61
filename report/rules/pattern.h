/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.h - actions whose cause is a shape in the rows: an operator of this name, under that one,
 * so many times. Such an action is a row of a table: which rows of the host it is about, how often
 * they must be there, and what of them goes. All patterns are looked for in one walk over the rows
 * up to the end of the window, by interned names; what each saves is a replay of its changes
 * (changes.h).
 *
 *	{PATTERN("unfold", CHANGE_GOES, {.op = {"aten::im2col"}})}
 *
 * What names alone cannot decide (shapes, neighbours) is a function of the row: `is` for each row,
 * `goes` for the share of its device time, `holds` for the whole; what the trace as a whole lacks
 * (a backward pass, a name) `may` says before the walk, which then does not look for it. Adding a
 *pattern is a row in a file of patterns_*.c and an entry of templates/en/advice.json;
 *CONTRIBUTING.md shows one.
 */
#ifndef REPORT_RULES_PATTERN_H
#define REPORT_RULES_PATTERN_H

#include "report/rules/action_window.h"

#include <string.h>

enum { PATTERN_NAMES = 28, PATTERNS = 64, NO_MATCH = -1 };

enum pattern_change {
	CHANGE_GOES, /* the rows, and all that they launch; where only a share of that goes, the
			host's time stays */
	CHANGE_ONE, /* the same, but the first stays */
	CHANGE_HALF, /* the same of every second */
	CHANGE_LAUNCHES /* the rows take the host no time; the device does what it did */
};

/* A row of the host that fits, anywhere up to the window's end, and what it and all in it launched.
 */
struct match {
	uint32_t row;
	int32_t outer; /* the match around it, NO_MATCH */
	uint64_t of; /* a bit for each pattern */
	int64_t ns; /* exposed in the window */
	int64_t device_ns, products_ns; /* of all that it launched; of that matrix products */
	uint32_t events, launched; /* in the window, in all */
};

struct matches; /* all of a window */

/* Of those that are the window's. */
struct pattern_sum {
	size_t n; /* none inside another */
	int64_t host_ns, device_ns;
	size_t events;
	uint32_t longest; /* the row that takes longest on the device, else on the host */
};

struct pattern {
	enum pattern_change change;
	/* Names of rows of the host; one that ends in a star begins so, one that begins with it
	   ends so. */
	const char *op[PATTERN_NAMES]; /* one of them */
	const char *parent[4]; /* right inside one of them */
	const char *under[4]; /* somewhere inside one of them */
	const char *not_under[4];
	bool (*may)(const struct facts *s); /* asked once: false where no row can be one */
	bool (*is)(const struct facts *s, const struct matches *m, uint32_t row);
	double (*goes)(const struct facts *s, const struct match *m); /* 0 to 1; NULL: 1 */
	double (*keeps)(const struct facts *s); /* the share of the rows that stays, the first */
	bool (*holds)(const struct facts *s, const struct pattern_sum *sum, struct finding *f);
	bool backward; /* of autograd's nodes that the rows made, the same share goes */
	/* What else goes that is none of the rows. */
	void (*more)(const struct facts *s, struct replay_plan *plan);
};

/* Of a rule whose `pattern` is set; they tell PATTERN_VALUES. */
rule_of_one pattern_seen;
judge_gain pattern_saves;

/* clang-format off */
#define PATTERN_VALUES \
	{"n", UNIT_COUNT}, {"name", UNIT_TEXT}, {"time", UNIT_NS}, {"share", UNIT_SHARE}, \
	{"host", UNIT_NS}, {"launches", UNIT_COUNT}
/* clang-format on */

/* An action by its pattern, with the thresholds of how often its rows are there, at least, and of
 * what it saves. */
#define PATTERN(name, calls, ...) \
	.id = name, .kind = RULE_ACTION, .one = pattern_seen, .saves = pattern_saves, \
	.threshold = {{"calls", calls, UNIT_COUNT}, LEAST(0.02)}, .value = {PATTERN_VALUES}, \
	.pattern = &(const struct pattern)__VA_ARGS__

/* What adds an element at its place takes as long as so many bytes of the memory's rate: an H100
 * adds 97 to 139 thousand million a second, of fp32 and bf16 alike (aten::index_add_ of twenty
 * programs, from 4096 to 2.6 million rows of 8 to 30528). */
enum { BYTES_OF_ADDING = 24 };

/* ---- for the functions of rows ---- */

/* How many rows of the pattern of this id fit so far, in the order of the rows. */
size_t matched_so_far(const struct matches *m, const char *id);

/* The next, or the one before, of the same parent on the same thread, an operator: NO_ROW where
 * there is none near. */
uint32_t next_operator(const struct facts *s, uint32_t row);
uint32_t operator_before(const struct facts *s, uint32_t row);

/* What a row launches has one of these traits; `any`: it launches anything. */
bool launches_inside(const struct facts *s, uint32_t row, uint32_t traits, bool any);

/* Of the device's time of what a row launches, that for one reason (device_purpose.h). */
double launched_for_ns(const struct facts *s, uint32_t row, enum device_why why);

/* When the host began to come to a row: the end of the operator or call in front of it, at the same
 * level. What is not called needs no coming to; but a pause of SILENCE_NS has a cause of its own.
 */
int64_t comes_to(const struct facts *s, uint32_t row);

/* The same of what is in front of it at its level, launches nothing, and so is there for it. */
int64_t prepared_from(const struct facts *s, uint32_t row);

/* The name of the rows in which a loader with workers gives its data; 0: it has none. */
name_id loader_with_workers(const struct facts *s);

/* Of an input of an operator; 0 where shapes are not recorded. */
static inline int64_t elements_at(const struct facts *s, uint32_t row, int input)
{
	const struct inputs *x = inputs_of(s->a, row);
	return x ? elements_of(x, input) : 0;
}

/* What a point-wise kernel takes that reads a tensor in which a dimension repeats, so elements one
 * by one: on an H100 1.4 for each clock of a multiprocessor (mul and addcmul in bf16, 1.36
 * and 1.52; 1.4 where a bias is added to images in bf16), where one that reads whole vectors is as
 * fast as memory. The chip is known. */
#define EXPANDED_PER_NS 2.5

static inline double expanded_ns(const struct facts *s, int64_t elements)
{
	return (double)elements / (EXPANDED_PER_NS * s->chip->units);
}

static inline bool is_named(const struct facts *s, uint32_t row, const char *name)
{
	return row != NO_ROW && !strcmp(row_name(s, row), name);
}

#endif
