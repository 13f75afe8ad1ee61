/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libraries.h - the libraries that draw, as they were found when the program was started.
 */
#ifndef REPORT_CANVAS_LIBRARIES_H
#define REPORT_CANVAS_LIBRARIES_H

#include <stdio.h>

/* Lines of --version: "libharu 2.3.0", "cairo 1.16.0" ... */
void libraries_print(FILE *f);

#endif
