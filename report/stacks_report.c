/* SPDX-License-Identifier: Apache-2.0 */
#include "report/stacks_report.h"

#include "base/outfile.h"
#include "base/terminal.h"
#include "report/analyse/call_tree.h"

#include <inttypes.h>
#include <string.h>

static void put_name(FILE *f, const char *name)
{
	char text[STACKS_NAME + 1];
	terminal_line(text, sizeof text, name);
	for (char *p = text; (p = strchr(p, ';'));)
		*p = ':';
	fprintf(f, ";%s", text[0] ? text : "?");
}

/* The names on the way to a node, from the outside in. */
static void put_way(FILE *f, const struct call_tree *tree, uint32_t node)
{
	uint32_t way[STACKS_DEEPEST + 1], n = 0;
	for (; tree->node[node].parent != NO_ROW; node = tree->node[node].parent)
		way[n++] = node;
	while (n)
		put_name(f, call_node_name(tree, way[--n]));
}

static void put_stacks(FILE *f, const struct call_tree *tree, bool device, const char *id)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct call_sums *own = &tree->node[i].own;
		int64_t ns = device ? own->device_ns : own->cpu_ns;
		if (!ns)
			continue;
		fputs(device ? "device" : "host", f);
		if (id)
			put_name(f, id);
		put_way(f, tree, i);
		fprintf(f, " %" PRId64 "\n", ns);
	}
}

static void put_case(FILE *f, const struct report_case *c, const char *id)
{
	static const struct call_tree_form form = {.frames = FRAME_ALL,
		.joined = true,
		.numberless = FRAME_RANGE,
		.deepest = STACKS_DEEPEST - 1,
		.most_bytes = STACKS_BYTES};
	struct call_tree tree = call_tree_of(c->analysis, &form);
	put_stacks(f, &tree, false, id);
	put_stacks(f, &tree, true, id);
	call_tree_release(&tree);
}

int stacks_report_write(const struct input *in, const char *path, struct err *err)
{
	struct outfile out;
	if (outfile_open(&out, path, err))
		return -1;
	bool lone = input_lone(in) != NULL;
	fputs(STACKS_MARK, out.f);
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (c->readable)
			put_case(out.f, c, lone ? NULL : c->id);
	return outfile_close(&out, err);
}
