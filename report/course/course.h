/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course.h - the room of the course: what only a run of our own matrix has. The book with its
 * chapters, questions and worked answers, the plots over all cases, what stands side by side.
 *
 * In come runs with their work told (run/manifest.h); out go sections and parts of sections, by one
 * row: `matrix_course` (section/course.h says what is in it). No other room includes this one but
 * report/report.c, and a program links without it. Ids of cases stand in the templates.
 */
#ifndef REPORT_COURSE_COURSE_H
#define REPORT_COURSE_COURSE_H

#include "report/section/course.h"

extern const struct course matrix_course;

#endif
