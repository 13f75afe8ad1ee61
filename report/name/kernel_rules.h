/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_rules.h - by which words a kernel's class is told; private to the room.
 */
#ifndef REPORT_NAME_KERNEL_RULES_H
#define REPORT_NAME_KERNEL_RULES_H

#include "report/name/classify.h"

/* A name belongs to the first rule whose words it has, in any case: `own` and `also` in its own
 * name (in the whole one where no rule fits that), `argument` in its templates' arguments, as far
 * as they are given. "^x": it begins with x. "=x": a word of it is x, as of pow_func and of
 * vectorPow.
 * "|x": its last word is x, "|*": several such words, joined: "gelu_tanh*mul". */
struct kernel_rule {
	const char *own, *also, *argument;
	enum event_class class;
};

/* The last rule of each fits every name. Of operators: those of whose kernels no name tells
 * anything. */
extern const struct kernel_rule kernel_rules[], operator_rules[];

#endif
