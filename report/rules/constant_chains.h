/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constant_chains.h - what is computed again though nothing changed: operators one behind the other
 * that begin with a constant of a size (arange, zeros, ones ...) and are the same, on the same
 * shapes, as the last ones that began so. Each takes something of the chain; what else it takes
 * has a size that none of the operators in between may have given. So they give the same each time,
 * as far as shapes tell: a file has no values.
 *
 * Looked at are the outermost operators of the thread that launched most of what the device works
 * at in the window, and of two chains those that are at most 256 operators apart. What draws random
 * numbers ends a chain. Time is linear in the operators, but for the sizes between two chains.
 */
#ifndef REPORT_RULES_CONSTANT_CHAINS_H
#define REPORT_RULES_CONSTANT_CHAINS_H

#include "report/rules/action_window.h"

enum { CHAIN_OPERATORS = 32 };

/* n operators that give what those before them gave. */
typedef void constant_chain_again(void *to, const uint32_t *row, size_t n);

void constant_chains_each(const struct facts *s, constant_chain_again *again, void *to);

#endif
