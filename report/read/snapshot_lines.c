/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/read/snapshot_parts.h"

#include "base/arena.h"
#include "report/name/python_line.h"

#include <string.h>

/* How well a frame says who asked: the best of a stack counts, the innermost of equals. */
enum line_rank { RANK_NONE, RANK_OPERATOR, RANK_NODE, RANK_LIBRARY, RANK_PROGRAM };

/* A span of a text of the file. */
struct piece {
	const char *at;
	size_t n;
};

static struct piece piece_of(const struct snapshot *x, pickle_value v)
{
	struct piece piece;
	piece.at = pickle_text(&x->pickle, v, &piece.n);
	return piece;
}

static const char *find(struct piece in, const char *text)
{
	return in.n ? memmem(in.at, in.n, text, strlen(text)) : NULL;
}

static bool ends_with(struct piece p, const char *end)
{
	size_t n = strlen(end);
	return p.n >= n && !memcmp(p.at + p.n - n, end, n);
}

static bool is_generated(struct piece file)
{
	return file.n && *file.at == '<';
}

/* The node of autograd: "AddmmBackward0" of
 * "torch::autograd::generated::AddmmBackward0::apply(...)". */
static struct piece node_of(struct piece name)
{
	const char *apply = find(name, "::apply(");
	if (!apply || name.n < 17 || memcmp(name.at, "torch::autograd::", 17) != 0)
		return (struct piece){"", 0};
	const char *from = apply;
	while (from > name.at && from[-1] != ':')
		from--;
	return (struct piece){from, (size_t)(apply - from)};
}

/* The operator: "addmm" of "at::_ops::addmm::call(...)". */
static struct piece operator_of(struct piece name)
{
	static const char ops[] = "at::_ops::";
	const size_t n = sizeof ops - 1;
	if (name.n < n || memcmp(name.at, ops, n) != 0)
		return (struct piece){"", 0};
	size_t end = n;
	while (end < name.n && name.at[end] != ':')
		end++;
	return (struct piece){name.at + n, end - n};
}

static uint32_t text_of(struct snapshot *x, const char *text)
{
	return strings_add(&x->r->part->texts, text, strlen(text), TEXT_PLAIN, 0);
}

static int length(struct piece p)
{
	enum { LONGEST = 4096 };
	return (int)(p.n < LONGEST ? p.n : LONGEST);
}

static enum line_rank take_frame(
	struct snapshot *x, struct piece file, struct piece name, int64_t line, uint32_t *text)
{
	struct arena a = {0};
	enum line_rank rank = RANK_NONE;
	struct piece node = node_of(name), op = operator_of(name);
	if (ends_with(file, ".py") || is_generated(file)) {
		rank = python_line_is_library(file.at, file.n) ? RANK_LIBRARY : RANK_PROGRAM;
		*text = text_of(x,
			arena_printf(&a, "%.*s(%lld): %.*s", length(file), file.at, (long long)line,
				length(name), name.at));
	} else if (node.n) {
		rank = RANK_NODE;
		*text = text_of(x, arena_printf(&a, "%.*s", length(node), node.at));
	} else if (op.n) {
		rank = RANK_OPERATOR;
		*text = text_of(x, arena_printf(&a, "aten::%.*s", length(op), op.at));
	}
	arena_release(&a);
	return rank;
}

/* Frames stand in many stacks: each is looked at once. */
static enum line_rank ask_frame(struct snapshot *x, pickle_value frame, uint32_t *text)
{
	size_t box = pickle_box(frame);
	*text = 0;
	if (!box)
		return RANK_NONE;
	if (!x->line_of[box]) {
		x->rank_of[box] =
			(uint8_t)take_frame(x, piece_of(x, snapshot_member(x, frame, "filename")),
				piece_of(x, snapshot_member(x, frame, "name")),
				pickle_int(snapshot_member(x, frame, "line"), 0), text);
		x->line_of[box] = *text + 1;
	}
	*text = x->line_of[box] - 1;
	return (enum line_rank)x->rank_of[box];
}

uint32_t snapshot_line_of(struct snapshot *x, pickle_value frames)
{
	struct pickle_walk w = pickle_walk(&x->pickle, frames);
	enum line_rank best = RANK_NONE;
	uint32_t text, line = 0;
	for (pickle_value frame; best < RANK_PROGRAM && snapshot_next(x, &w, &frame);) {
		enum line_rank rank = ask_frame(x, frame, &text);
		if (rank > best) {
			best = rank;
			line = text;
		}
	}
	return line;
}

const char *snapshot_line(struct snapshot *x, uint32_t text)
{
	return text ? x->r->part->texts.entry[text].text : "";
}
