/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_facts.h - what --json says of a recording beside its trace: a program's loop, the log of the
 * compiler, the ranks of a folder. Private to json_*.c.
 */
#ifndef REPORT_JSON_FACTS_H
#define REPORT_JSON_FACTS_H

#include "base/json_out.h"
#include "report/run/run.h"

void json_text_or_null(struct json_out *j, const char *key, const char *text);

/* A whole number; null where it is not known. */
void json_ns_if(struct json_out *j, const char *key, double ns, bool known);

void json_loading(struct json_out *j, const struct loading_facts *l);

struct compile_log;
void json_compiler(struct json_out *j, const struct compile_log *log, const struct report_case *c);

/* Who comes last to each collective of a folder of ranks, as on paper, of all of them. */
void json_collectives(struct json_out *j, const struct run *run);

#endif
