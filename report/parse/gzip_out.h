/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip_out.h - a file that is packed while it is written: one member, whose header bears a comment.
 */
#ifndef REPORT_PARSE_GZIP_OUT_H
#define REPORT_PARSE_GZIP_OUT_H

#include <stdio.h>

/* What is written to the result reaches `to` packed; fclose() writes the rest and leaves `to` open.
 * The same bytes give the same file. The comment is lent until then. NULL: out of memory. */
FILE *gzip_out(FILE *to, const char *comment);

#endif
