/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h - the picture this program exists for: host lanes above, device lanes below, one time
 * axis.
 *
 * Host spans nest downwards; calls that put work in a queue stand in a row of their own, so that
 * arrows can leave it for the device; below the lanes stand counters of that device, if the trace
 * has any; time in which no stream of the device works is hatched and
 * its length written in it. What is too small to be seen is merged with its neighbours of the same
 * kind, never dropped: timeline_count tells how many shapes that makes.
 */
#ifndef REPORT_FIGURE_TIMELINE_H
#define REPORT_FIGURE_TIMELINE_H

#include "report/analyse/analysis.h"
#include "report/canvas/canvas.h"
#include "report/page/document.h"
#include "report/page/template_texts.h"
#include "report/trace/trace.h"

struct band { /* a step: shaded in turn, numbered when there is room */
	int64_t start_ns, dur_ns;
	const char *label; /* "Step 2", NULL for none */
	const char *more; /* after the label in lighter ink when it fits, may be NULL */
	const char *brief; /* where the label does not fit, may be NULL */
};

struct callout { /* a numbered mark on an event, or on time in which a lane is idle */
	uint32_t row; /* the event; of idle time one that is on its lane */
	int number; /* 1 to 9 */
	int64_t gap_from_ns, gap_to_ns; /* equal: on the event */
};

struct cold_start; /* cold_start.h */

enum { TIMELINE_LANES = 12, LANE_NONE = 255, TIMELINE_SUBJECTS = 4, TIMELINE_COUNTERS = 4 };

/* Rows that are no nesting level. */
enum timeline_row {
	ROW_HIDDEN = 255, /* outside the window, a step, or deeper than is shown */
	ROW_LAUNCH = 254, /* the row of calls into the queue */
	ROW_INSET = 253 /* directly inside a launch: drawn in its bar */
};

/* Heights in points. */
struct timeline_metrics {
	double gutter, head, place /* of a zoom in its overview */, host_row, launch_row,
		arrow_zone, device_row, lane_gap, legend_row, foot,
		legend_last /* room for the sign that ends a legend row */;
};
extern const struct timeline_metrics timeline_metrics;

struct lane {
	uint32_t track;
	bool device;
	int rows; /* nesting levels shown, or sub-rows of overlapping device events */
	bool launches; /* has a row for calls into the queue */
	double y, h; /* from the top of the figure */
	const char *name, *detail;
};

/* Samples of a counter of a GPU that has a lane: a curve below the lanes, with its scale. */
struct counter_lane {
	uint32_t track;
	name_id name;
	int64_t n; /* samples in the window */
	double low, high;
};

/* One event, or neighbours of one row too small to be seen alone. */
struct timeline_bar {
	double x1, x2; /* on the axis of the planned width, points from its begin */
	int64_t ns; /* durations, summed */
	uint32_t first, n; /* event, and how many there are */
	uint8_t lane, row;
	uint8_t bar; /* enum bar: of most of the time */
	bool covered; /* a launch with something drawn inside: that is what gets the label */
};

struct timeline {
	const struct trace *trace;
	const struct analysis *analysis; /* of that trace: the classes of its events */
	const struct texts *texts;
	const struct fonts *fonts;
	int64_t from_ns, to_ns; /* window, from the trace's origin */
	int64_t shown_to_ns; /* events that begin later are left out; 0: to_ns */
	int64_t host_to_ns; /* the same for host events; 0: shown_to_ns */
	const struct band *bands;
	int n_bands;
	int64_t mark_from_ns, mark_to_ns; /* where the zoom below lies; equal: no mark */
	int64_t whole_from_ns, whole_to_ns; /* what the figure above shows: where this one lies in
					       it is drawn on top; equal: nothing is */
	const struct callout *callouts; /* (n_callouts) of events that timeline_shows */
	int n_callouts;
	uint32_t subject[TIMELINE_SUBJECTS]; /* (n_subjects) rows that the picture is about, or
						NO_ROW. Their lanes are shown before busier ones,
						and as deep as they are */
	uint32_t n_subjects;
	const uint8_t *differs; /* (trace->n) 1: device work with a line below; NULL: none has */
	int most_arrows; /* more launches than this: none is drawn */
	const struct cold_start *cold; /* bracketed, and split into its causes below the lanes;
					  NULL: none */
	bool legend, no_axis;
	bool bare; /* idle time says no length: it is to be measured; a step too narrow for its
		      name has it beside itself */
	bool unnamed; /* no bar says what it is: its colour and its place do */
	bool host_alone; /* shows no lane of a device, nor arrows to one */
	bool idle_device; /* shows the busiest device lane even where nothing of it is in the window
			   */
	uint32_t legend_kinds; /* bit set of enum bar and timeline_sign to show besides its own, for
				  a stack of timelines */
	const char *title; /* a line above, its markup left out; NULL for none */

	/* Filled in by timeline_plan. */
	struct timeline_bar *bar; /* (n_bars) in the order in which they are drawn */
	uint32_t n_bars;
	double width, height;
	int64_t end_ns, host_end_ns; /* shown_to_ns and host_to_ns, or what stands for them */
	struct lane lane[TIMELINE_LANES];
	int n_lanes;
	struct counter_lane counter[TIMELINE_COUNTERS]; /* (n_counters) those that change most */
	int n_counters;
	int folded; /* tracks with events in the window that got no lane */
	int64_t folded_events;
	uint8_t *row; /* (trace->n) row within its lane, or one of enum timeline_row */
	uint8_t *lane_of; /* (n_tracks) index into lane, or LANE_NONE */
	int64_t events; /* in the window */
	int64_t deeper; /* in the window on a lane, but in a row that is not shown */
	uint32_t n_arrows; /* those to work behind the right edge included */
	uint32_t *beyond; /* (n_beyond) launches shown whose work begins behind it */
	uint32_t n_beyond;
	int64_t beyond_ns; /* the first of it */
	uint32_t kinds; /* bit set of enum bar and timeline_sign: what the legend shows */
};

/* What a drawing of a timeline comes to. */
struct timeline_counts {
	int64_t drawn; /* shapes for the events in the window */
	int64_t footprints; /* of them: bars that say what their kernel takes */
	int64_t low; /* bars of the device that are lower because they are wider than their time */
	int torn; /* bars and idle time that an edge of the picture cuts */
};

/* How a bar is coloured, and the order of the legend. */
enum bar {
	BAR_ANNOTATION,
	BAR_OP,
	BAR_COMPILE,
	BAR_SETUP,
	BAR_LAUNCH,
	BAR_SYNC,
	BAR_PYTHON,
	BAR_HOST_OTHER,
	BAR_GEMM,
	BAR_ATTENTION,
	BAR_EMBEDDING,
	BAR_POINTWISE,
	BAR_FUSED,
	BAR_NORM,
	BAR_COPY,
	BAR_COMMUNICATION,
	BAR_DEVICE_OTHER,
	BARS
};

/* Bits of timeline.kinds behind those of enum bar: the signs of the legend. */
enum timeline_sign { SIGN_IDLE = 1 << BARS, SIGN_ARROWS = 1 << (BARS + 1) };

/* The name of a bar's colours in templates/theme.json, and of its legend text "legend.<name>". */
const char *bar_name(enum bar bar);

/* How events of a class are drawn. */
enum bar bar_of(uint8_t event_class);

/* Width of a legend entry with the gap behind it. */
double legend_entry_width(const struct timeline *tl, struct arena *a, enum bar bar);

/* Does a legend row end with a sign: idle for the device, an arrow for the host? */
bool legend_has_sign(const struct timeline *tl, bool device);

/* Is there a legend row for the bars first to end? */
bool legend_has_row(const struct timeline *tl, enum bar first, enum bar end);

/* From the top of the figure to the axis. */
double timeline_head(const struct timeline *tl);

/* Chooses lanes and rows, and the height. The figure's data: keep it as long as the figure. */
void timeline_plan(struct timeline *tl, struct arena *a, double width);

/* Is an event drawn by a planned timeline, wide enough to be pointed at or not? */
bool timeline_shows(const struct timeline *tl, uint32_t row);

/* How wide what a mark stands on is drawn, in points; 0 when it is not. cut: it goes on behind an
 * edge of the picture. */
double timeline_place_width(const struct timeline *tl, const struct callout *mark, bool *cut);

/* Of a planned timeline, as it would be drawn with the callouts that it has by now. */
struct timeline_counts timeline_count(const struct timeline *tl);

void timeline_draw(struct canvas *c, struct box box, const void *timeline); /* figure_draw */

/* Planned timelines, one below the other. */
struct timelines {
	const struct timeline **tl; /* (n) */
	double *height; /* (n) of each with the gap below, points */
	int n;
	double whole; /* the sum of the heights */
};

void timelines_draw(struct canvas *c, struct box box, const void *timelines);
void timelines_draw_parts(
	struct canvas *c, struct box box, const void *timelines, int first, int n);

extern const struct figure_kind timeline_figure;

extern const struct figure_kind timelines_figure;

#endif
