/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace/compile_log.h"

#include <stdlib.h>

const struct compile_log *compile_log_of(const struct compile_logs *logs, int64_t rank)
{
	for (int i = 0; logs && i < logs->n; i++)
		if (logs->log[i].rank == rank)
			return &logs->log[i];
	bool one = logs && logs->n == 1 && (logs->log[0].rank < 0 || rank < 0);
	return one ? &logs->log[0] : NULL;
}

void compile_logs_release(struct compile_logs *logs)
{
	for (int i = 0; i < logs->n; i++) {
		free(logs->log[i].compilation);
		free(logs->log[i].graph_break);
	}
	free(logs->log);
	arena_release(&logs->arena);
	*logs = (struct compile_logs){0};
}
