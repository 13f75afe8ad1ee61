/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passes_reread.h - a sequence that is read again as a whole for each word that is written behind
 * it: the words are looked up of the same table, each time as many more, and in between one is
 * picked. With keys and values kept, a pass is about the new words alone.
 */
#ifndef REPORT_RULES_PASSES_REREAD_H
#define REPORT_RULES_PASSES_REREAD_H

#include "report/rules/rule.h"

/* Of the action same-again, its variant "reread"; false: there is none, and nothing is said. */
bool tell_reread(const struct facts *s, struct finding *f);

#endif
