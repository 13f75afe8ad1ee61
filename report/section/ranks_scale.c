/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of many: nodes, who comes last to which collective, bubbles. */
#include "report/section/ranks_scale.h"
#include "base/min_max.h"
#include "base/number_format.h"
#include "base/sort.h"
#include "report/page/table_builder.h"
#include "report/section/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 16, MOST_MEETINGS = 12 };

/* ---- nodes ---- */

struct node {
	const char *name;
	uint32_t first, n; /* rows of ranks in `member` */
	int64_t median[RANK_COLUMNS];
	double score;
};

struct on_node {
	const char *name;
	uint32_t row;
};

static int by_node(const void *left, const void *right)
{
	const struct on_node *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	return order ? order : UP(row);
}

ORDER(by_distance, struct node, DOWN(score) ?: UP(first));
ORDER(by_first, struct node, UP(first));

/* Ranks by node; NULL: somebody's is not known, or all are on one, or each has its own. */
static struct node *nodes_of(struct document *d, const struct ranks *r,
	const struct rank_part *part, struct on_node *member, uint32_t *n)
{
	struct arena *a = d->arena;
	struct node *list = arena_array(a, r->n + 1, sizeof *list);
	int64_t *sample = arena_array(a, r->n + 1, sizeof *sample);
	*n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		member[i].row = i;
		member[i].name = node_of(a, part[r->row[i].part].analysis->trace);
		if (!member[i].name)
			return NULL;
	}
	qsort(member, r->n, sizeof *member, by_node);
	for (uint32_t i = 0, k; i < r->n; i = k) {
		struct node *one = &list[(*n)++];
		for (k = i + 1; k < r->n && !strcmp(member[k].name, member[i].name);)
			k++;
		*one = (struct node){member[i].name, i, k - i, {0}, 0};
		for (int c = 0; c < RANK_COLUMNS; c++) {
			for (uint32_t m = i; m < k; m++)
				sample[m - i] = r->row[member[m].row].value[c];
			one->median[c] = (int64_t)stats_of(sample, k - i).median;
		}
		one->score = rank_distance(r, one->median);
	}
	return *n > 1 && *n < r->n ? list : NULL;
}

static const struct table_form nodes_form = {
	.column = {{"ranks.node", .weight = 1}, {"ranks.node.ranks", COLUMN_NUMBER},
		{"ranks.step", COLUMN_NUMBER}, {"ranks.busy", COLUMN_NUMBER},
		{"ranks.compute", COLUMN_NUMBER}, {"ranks.communication", COLUMN_NUMBER},
		{"ranks.exposed", COLUMN_NUMBER}, {"ranks.idle", COLUMN_NUMBER}}};

static void put_node(struct rows *t, const struct node *one)
{
	static const enum rank_column columns[] = {RANK_STEP_NS, RANK_BUSY_NS, RANK_COMPUTE_NS,
		RANK_COMMUNICATION_NS, RANK_EXPOSED_NS, RANK_IDLE_NS};
	put(t, literal(t->d, one->name));
	put_count(t, one->n);
	for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
		put_time(t, (double)one->median[columns[k]]);
}

void add_nodes(struct document *d, const struct ranks *r, const struct rank_part *part)
{
	uint32_t n;
	struct on_node *member = arena_array(d->arena, r->n + 1, sizeof *member);
	struct node *list = nodes_of(d, r, part, member, &n);
	if (!list)
		return;
	uint32_t shown = n;
	qsort(list, n, sizeof *list, by_distance);
	if (n > MOST_NODES)
		for (shown = 0; shown < MOST_NODES && list[shown].score >= RANK_APART;)
			shown++;
	qsort(list, shown, sizeof *list, by_first);
	document_say(d, BLOCK_TEXT,
		!shown		    ? "ranks.nodes.alike"
			: n > shown ? "ranks.nodes.some"
				    : "ranks.nodes",
		"n", format_count(d->arena, n), "shown", format_count(d->arena, shown), NULL);
	if (!shown)
		return;
	struct rows t = rows_begin(d, &nodes_form, 0);
	for (uint32_t i = 0; i < shown; i++)
		put_node(&t, &list[i]);
}

/* ---- who comes last ---- */

static const struct table_form meetings_form = {
	.column = {{"meetings.name", .weight = 1}, {"meetings.group"},
		{"meetings.members", COLUMN_NUMBER}, {"meetings.n", COLUMN_NUMBER},
		{"meetings.last"}, {"meetings.margin", COLUMN_NUMBER},
		{"meetings.wait", COLUMN_NUMBER}}};

static void put_meeting(struct rows *t, const struct ranks *r, const struct meeting *m)
{
	struct arena *a = t->d->arena;
	put(t, literal(t->d, m->name));
	put(t, *m->group ? literal(t->d, m->group) : "–");
	put_count(t, m->members);
	put_count(t, m->n);
	put(t,
		m->row == NO_ROW
			? said(t->d, "meetings.nobody", NULL)
			: said(t->d, "meetings.who", "rank", format_count(a, r->row[m->row].rank),
				  "last", format_count(a, m->last), "clear",
				  format_count(a, m->clear), NULL));
	put(t, m->row == NO_ROW ? "–" : format_time(a, (double)m->margin_ns));
	put_time(t, (double)m->wait_ns);
}

void add_meetings(struct document *d, const struct ranks *r, const struct rank_part *part)
{
	const struct meetings m = meetings_of(d->arena, r, part);
	if (!m.n)
		return;
	document_say(d, BLOCK_TEXT, "meetings.about", NULL);
	struct rows t = rows_begin(d, &meetings_form, 0);
	for (uint32_t i = 0; i < m.n && i < MOST_MEETINGS; i++)
		put_meeting(&t, r, &m.list[i]);
	if (m.n > MOST_MEETINGS)
		document_say(d, BLOCK_CAPTION, "meetings.more", "n",
			format_count(d->arena, (int64_t)m.n - MOST_MEETINGS), NULL);
	if (m.unnamed)
		document_say(d, BLOCK_CAPTION, "meetings.unnamed", "n",
			format_count(d->arena, m.unnamed), NULL);
}

/* ---- bubbles ---- */

struct bubble {
	uint32_t row;
	double score; /* of its window */
};

ORDER(by_bubble, struct bubble, DOWN(score) ?: UP(row));

void add_bubbles(struct document *d, const struct ranks *r, const struct rank_part *part)
{
	struct arena *a = d->arena;
	struct bubble *list = arena_array(a, r->n + 1, sizeof *list);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		int64_t ns = pipeline_bubble_ns(part[r->row[i].part].analysis);
		if (ns >= 0 && r->row[i].value[RANK_WINDOW_NS])
			list[n++] = (struct bubble){
				i, (double)ns / (double)r->row[i].value[RANK_WINDOW_NS]};
	}
	if (n < 2)
		return;
	qsort(list, n, sizeof *list, by_bubble);
	document_say(d, BLOCK_TEXT, "ranks.bubbles", "n", format_count(a, n), "most",
		format_share(a, list[0].score), "rank", format_count(a, r->row[list[0].row].rank),
		"median", format_share(a, list[n / 2].score), "least",
		format_share(a, list[n - 1].score), "least_rank",
		format_count(a, r->row[list[n - 1].row].rank), NULL);
}
