/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds_constant.h - what a decoder computes anew for each word from what does not change: keys
 * and values of what it was given to read. Each round looks up the word that the one before it
 * picked, and a layer in it takes a tensor that no round makes.
 */
#ifndef REPORT_RULES_ROUNDS_CONSTANT_H
#define REPORT_RULES_ROUNDS_CONSTANT_H

#include "report/rules/rule.h"

/* Of the action same-again, its variant "words"; false: there is none, and nothing is said. */
bool tell_constant_rounds(const struct facts *s, struct finding *f);

#endif
