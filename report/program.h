/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - all of the program but what it is linked with.
 */
#ifndef REPORT_PROGRAM_H
#define REPORT_PROGRAM_H

struct course; /* section/course.h */

/* Main, with the course or NULL without one; the result is the exit status. */
int report_main(int argc, char **argv, const struct course *course);

#endif
