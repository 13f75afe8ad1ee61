/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - how far a trace can be trusted: the counts behind the "Trace health" box.
 *
 * Everything is computed from the sealed trace alone, in one walk over its rows. A count of zero is
 * good news; what each means for the pages that follow is said by the templates.
 */
#ifndef REPORT_ANALYSE_HEALTH_H
#define REPORT_ANALYSE_HEALTH_H

#include "report/trace/trace.h"

/* Something that happened to a number of events. */
struct health_count {
	int64_t n;
	int64_t time_ns; /* summed; of what, each count says */
	int64_t largest_ns; /* the largest single one */
	uint32_t first_row; /* the first event it happened to, NO_ROW when n is 0 */
};

struct health {
	/* the file */
	int64_t repairs; /* sum of trace.repairs, those below included */
	int64_t lost; /* events that were damaged beyond repair, or had no usable time */
	int64_t unfinished; /* begins without an end, complete events without a duration, events
			       cut off by the end of the file */
	int64_t clipped; /* negative durations set to 0 */
	int64_t zero_stamps; /* events at 0 of the file's own clock */
	int64_t other_clock; /* events days away from all others, left out */
	int64_t dropped; /* records that the recorder says it lost, in a number of its own or in
			    a line of its log; -1 when it says nothing */
	bool cut; /* trace.ends_early */

	/* spans */
	struct health_count zero_spans; /* device and host spans of 0 ns; normal at a resolution of
					   1 us */
	struct health_count crossing; /* host spans that begin in another one of their thread and
					 end after it, but for a marked range and the Python call
					 that marks it; time: how far they reach out of it */
	struct health_count overlaps; /* device work that begins before earlier work of its stream
					 ends; time: the overlap */

	/* joins */
	int64_t device_events; /* kernels, copies, fills */
	int64_t launches; /* calls that start them: by name, or because another call of that name
			     did; a driver call inside of one is part of it */
	struct health_count orphans; /* device events without a launch; time: their durations */
	struct health_count idle_launches; /* launches without a device event, but for those that
					      are over before they can have enqueued something;
					      time: theirs */
	struct health_count early; /* device events that start before their launch does; time: by
				      how much */
	struct health_count graphs; /* launches of whole graphs; time: of the device events they
				       caused */
	int64_t graph_events; /* device events caused by them */
	int64_t widest_launch; /* most device events of one launch */
	bool external_is_correlation; /* `External id` repeats the correlation: it links nothing */

	/* what is there */
	int64_t of_kind[EVENT_KINDS];
	int64_t steps; /* ProfilerStep annotations on host threads */
	int64_t with_shapes; /* operators with input shapes */
};

struct health health_of(const struct trace *t);

struct health_row {
	const char *key; /* of the templates: "health.<key>" */
	int64_t n, time_ns;
	bool bad; /* else it is only worth knowing */
};

/* A call that is over sooner has enqueued nothing, such as a fill of no bytes: the shortest that
 * did, of 12 000 on H100, B200, MI300X and 2080 Ti, takes 3.1 us; 49 that did not take 0.26 us at
 * most. */
enum { HEALTH_ENQUEUE_NS = 500 };

enum { HEALTH_ROWS = 20 }; /* at least as many as there are keys */

/* What of it a reader has to know, the worst first; returns how many. */
int health_rows(const struct health *h, const struct trace *t, struct health_row row[HEALTH_ROWS]);

/* As text, one line per count that is not zero. */
void health_print(const struct health *h, FILE *f);

#endif
