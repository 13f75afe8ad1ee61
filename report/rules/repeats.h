/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeats.h - what the host does again and again: a few operators, and right behind them operators
 * of the same names, so many times. A loop of the program is one, and so are the layers of a
 * network: what a repeat is, its shapes tell (repeat_kind()).
 *
 * Looked at are the outermost operators that launch something, of the window, or where the host is
 * ahead of the device those that launched the window's work; of the thread that launches most and
 * of the other with most of them (autograd has one of its own). Of each sequence the shortest
 * period counts, up to REPEAT_PERIOD, and above REPEAT_SHORT the distance to the next operator of
 * the same shapes; repeats lie inside repeats (the experts of each layer). Found once for all
 * rules, in linear time: each period looks at each operator once at most, and of each operator
 * REPEAT_TRIES periods are tried.
 */
#ifndef REPORT_RULES_REPEATS_H
#define REPORT_RULES_REPEATS_H

#include "report/rules/action_window.h"

enum {
	REPEAT_ROUNDS = 4,
	REPEAT_PERIOD = 1024,
	REPEAT_SHORT = 256,
	REPEAT_TRIES = 8,
	REPEAT_THREADS = 2,
	REPEAT_VIEWS = 32
};

/* An operator that no other operator is around and that launches something, by what it is. */
struct unit {
	uint32_t row;
	name_id name;
};

struct unit_list {
	struct unit *unit; /* (n) by start (malloc) */
	size_t n;
	uint32_t track;
};

struct repeat {
	const struct unit_list *of;
	size_t first; /* its first operator */
	size_t period, rounds;
};

struct repeats {
	bool known;
	struct unit_list thread[REPEAT_THREADS]; /* the first: facts.track */
	struct repeat *run; /* (n) by thread, by first (malloc) */
	size_t n, room;
	uint8_t *kind; /* (n) 1 + enum repeat_kind, once it was asked; 0 (malloc) */
};

/* What a round stands for, as far as shapes tell that it is no layer. */
enum repeat_kind {
	REPEAT_OTHER,
	REPEAT_SMALL, /* small operators, no product: on a list of tensors, or on one again and
			 again */
	REPEAT_DECODES, /* a recurrent cell that looks up what the round before it picked */
	REPEAT_CELLS, /* a recurrent layer: the next part of a sequence, a product, gates */
	REPEAT_SLICES, /* each takes the next slice of the same tensors, and multiplies by it; as
			  far as sizes tell, none takes what the one before it gave */
	REPEAT_JOINED, /* each ends in a tensor, and what is behind all joins as many: no round is
			  known to need the one before it */
	REPEAT_REQUESTS, /* each has the same weights and is of another size */
	REPEAT_MASKED, /* no product; each takes the next slice of the same tensors, asks how many a
			  mask leaves of it, and gives no more than a number */
	REPEAT_ROUTED, /* each multiplies what a mask picks, by weights of the same sizes, and puts
			  it back: experts */
	REPEAT_READ, /* no product; each is about another tensor, writes into none, and copies what
			it works out to the host */
	REPEAT_LEFT, /* no product, and each goes on with what a mask of the round before it left,
			which the host has to ask: without that there are no rounds */
	REPEAT_APART /* none takes anything of a size that the one before it gave */
};

const struct repeats *repeats_of(const struct facts *s);
void repeats_free(struct repeats *all);

/* A product or a convolution. */
bool multiplies(const struct facts *s, uint32_t row);

bool is_node_of_autograd(const struct facts *s, uint32_t row);

/* A view of a part of a tensor; and the elements that a view shows, or of one of the parts that it
 * gives: 0 where that is not known. */
bool is_view_of_part(const struct facts *s, uint32_t row);
int64_t elements_shown(const struct facts *s, uint32_t view);

/* Where the part begins; false: that is not recorded. */
bool view_begins_at(const struct facts *s, uint32_t view, int64_t *at);

/* The views of the second round that go on, and what takes tensors apart for the rounds: at most
 * REPEAT_VIEWS, and how many. A number or two is no part of what is computed. */
int views_that_go_on(const struct facts *s, const struct repeat *r, uint32_t *view);

enum repeat_kind repeat_kind(const struct facts *s, const struct repeat *r);

/* The same of rounds that wait and multiply nothing; given: elements of what a round gives. And are
 * rounds those of experts? */
enum repeat_kind repeat_asks(const struct facts *s, const struct repeat *r, int64_t given);
bool repeat_is_routed(const struct facts *s, const struct repeat *r);

/* The same of the i-th of all, worked out once. */
enum repeat_kind repeat_kind_at(const struct facts *s, const struct repeats *all, size_t i);

/* The k-th operator of a round. */
static inline uint32_t repeat_row(const struct repeat *r, size_t round, size_t k)
{
	return r->of->unit[r->first + round * r->period + k].row;
}

/* From the end of the first round to the end of the last: what one call for all spares. */
struct time_span repeat_rest(const struct facts *s, const struct repeat *r);

/* Is a view there for a copy into it that launches no kernel, and so is no operator of the round?
 * What is only kept of a round is no part that it works on. */
bool repeat_only_writes(const struct facts *s, const struct repeat *r, size_t round, uint32_t view);

/* Does the host wait for the device between two rounds? */
bool repeat_waits(const struct facts *s, const struct repeat *r);

/* What takes tensors apart in front of the rounds, and joins what they gave behind them, goes with
 * them. */
void plan_around_rounds(const struct facts *s, struct replay_plan *plan, const struct repeat *r);

/* Of rounds that ask the device: those behind the first are gone that go on with what a mask left,
 * or that only copy to the host; those that take a slice each, and experts, are one call for all.
 */
void plan_asking_rounds(const struct facts *s, struct finding *f);

/* The backward pass of a repeat of the forward pass: rounds of autograd's nodes, about as many, on
 * the other thread, that are none of (n) others; NULL: there is none. */
const struct repeat *repeat_backward(
	const struct facts *s, const struct repeat *r, const struct repeat *const *taken, size_t n);

/* What the device waits for the host: for launches, and where a round waits for it. And what one
 * call for many may give back at most: that, and the room that kernels leave while they run, which
 * is not asked where the first is enough. */
int64_t repeat_late_ns(const struct facts *s);
int64_t repeat_gives_ns(const struct facts *s, int64_t enough_ns);

/* How much of the device a kernel fills: as many as that run at once in its time. */
double device_fills(const struct facts *s, uint32_t kernel_row);

/* Does no operator of a round take what the round before it gave, as far as sizes tell? What is
 * summed up over all rounds is no matter; an answer that is read is none where the next round
 * begins at once.
 */
bool repeat_is_apart(const struct facts *s, const struct repeat *r);

/* Does an optimizer step in a round? Then the next one needs it, and none can run with another. */
bool repeat_trains(const struct facts *s, const struct repeat *r);

/* Of the action batch: all is rounds that stand for themselves. */
bool batch_of_rounds(const struct facts *s, struct finding *f);

/* Likewise passes of a network, each with its backward. */
bool batch_of_passes(const struct facts *s, struct finding *f);

/* What a thread does there again it does with the first: the host for nothing, the device as far as
 * it has room for it. */
void plan_beside_first(
	const struct facts *s, struct finding *f, uint32_t track, struct time_span at);

/* Does a round take anything of a size that the one before it gave? */
bool repeat_hands_on(const struct facts *s, const struct repeat *r);

/* Does the host wait for the device between two rows? A number that is read may decide. */
bool waits_between(const struct facts *s, uint32_t from, uint32_t to);

/* Does each round look up what the one before it picked, as a decoder does? */
bool repeat_feeds_itself(const struct facts *s, const struct repeat *r);

/* May b, a few operators behind a, take what a gave, as sizes tell? */
bool repeat_feeds(const struct facts *s, const struct repeat *a, const struct repeat *b);

/* Likewise the same operators twice, on inputs that the first time did not give. */
bool batch_of_inputs(const struct facts *s, struct finding *f);

/* Likewise the same layers twice, on other inputs; else products of equal shapes side by side. */
bool batch_of_equals(const struct facts *s, struct finding *f);

#endif
