/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_again.h - what is computed in each step over all that steps before it stored: a part of a
 * buffer is written, and then operators take the whole of it, as a metric over all predictions so
 * far does. Nothing that learns or answers needs it: no matmul comes behind it, and neither a
 * matmul nor a gradient takes as much.
 */
#ifndef REPORT_RULES_HISTORY_AGAIN_H
#define REPORT_RULES_HISTORY_AGAIN_H

#include "report/rules/rule.h"

/* Of the action same-again, its variant "history"; false: there is none, and nothing is said. */
bool tell_history(const struct facts *s, struct finding *f);

#endif
