/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trips.h - tensors that go to the host and come back, or the other way round, told by the bytes of
 * the copies and by what the host does between them.
 *
 * A copy to the host, and a copy to a device behind it of as many bytes, or of what the host
 * computed meanwhile. And visits: copies to the host one behind the other, of as many bytes each as
 * those to the device in front of them were, in the same order, as of a module that is moved there
 * for its work and back, or of an optimizer's state. One tensor may be a result of that size;
 * several of different sizes are none.
 */
#ifndef REPORT_RULES_TRIPS_H
#define REPORT_RULES_TRIPS_H

#include "report/rules/rule.h"

/* Computing of at least this on the host is worth asking where it is done. */
enum { COMPUTES_NS = 100000, COMPUTES_ROWS = 4096 };

/* Of the action of that name. */
rule_of_one there_and_back;

#endif
