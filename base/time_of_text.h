/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_of_text.h - a stretch of time as a person writes it: "20ms", "1.5s", "300us", "800ns".
 */
#ifndef BASE_TIME_OF_TEXT_H
#define BASE_TIME_OF_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A number from 0 up, with its unit: ns, us (or µs), ms or s. False where it is none, has no unit,
 * or is 10^9 s or more. */
bool time_of_text(const char *text, int64_t *ns);

#endif
