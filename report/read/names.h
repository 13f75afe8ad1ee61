/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - from the raw texts of a file to the names of a trace.
 */
#ifndef REPORT_READ_NAMES_H
#define REPORT_READ_NAMES_H

#include "base/names.h"
#include "report/parse/strings.h"
#include "report/trace/repair.h"

/* One text, decoded alike: `json` keeps a list or an object, on one line. */
char *name_decode(struct arena *a, const char *text, size_t n, bool json);

/* Decodes every text into `names` (initialised) and gives the name of each text id; the caller
 * frees it. Escapes are resolved; a text with an escape that JSON does not know is taken to hold
 * plain backslashes throughout. What is not UTF-8 becomes U+FFFD. Mended texts are counted. */
name_id *names_of_texts(
	struct names *names, const struct strings *texts, struct repair_tally *repairs);

#endif
