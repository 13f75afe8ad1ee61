/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorded_words.h - what a page says of a run that was recorded elsewhere. Texts are marked up
 * (rich.h) and live in the document's arena.
 */
#ifndef REPORT_SECTION_RECORDED_WORDS_H
#define REPORT_SECTION_RECORDED_WORDS_H

#include "report/page/document.h"
#include "report/run/recorded.h"

/* "`matmul_add`, `linear`": the experiments that a run holds, in their order, marked up. */
const char *recorded_holds(const struct document *d, const struct run *run);

/* "recorded on NVIDIA H200 at 2026-11-20, not measured here", in words of the templates. */
const char *recorded_label(const struct document *d, const struct run *run);

#endif
