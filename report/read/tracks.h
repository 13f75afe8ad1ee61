/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracks.h - from lanes and metadata rows to the tracks of a trace.
 */
#ifndef REPORT_READ_TRACKS_H
#define REPORT_READ_TRACKS_H

#include "report/read/columns.h"

/* Fills t->tracks in display order from the lanes and labels of a part, whose texts became `name`.
 * Returns the track of every lane; the caller frees it. */
uint32_t *tracks_of_lanes(struct trace *t, const struct part *part, const name_id *name);

#endif
