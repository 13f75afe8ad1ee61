/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brief.h - the result in a few lines, for a chat or an agent: `report --brief FILE`.
 *
 * Markdown of at most SHORT_NOTE_BYTES: of a lone trace what limits it, three actions with what
 * each saves and the rows of the trace that prove it (those of --json and --dump trace), and the
 * numbers behind it; of several a line each; beside a baseline what became of each case. Where the
 * whole is too long, sentences go first, then actions' switches, then lines.
 */
#ifndef REPORT_SECTION_BRIEF_H
#define REPORT_SECTION_BRIEF_H

#include "report/page/document.h"
#include "report/run/run.h"

enum { SHORT_NOTE_BYTES = 2000, SHORT_NOTE_DETAILS = 4 };

/* Appends it; `detail` from 0, all of it, to SHORT_NOTE_DETAILS - 1, which always fits. */
void brief_build(struct document *d, const struct input *in, int detail);

#endif
