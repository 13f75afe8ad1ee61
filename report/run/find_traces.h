/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_traces.h - which traces and runs stand behind the paths of a command line, before any is
 * read.
 *
 * A path is a trace file, a folder with a run.json, or a folder of either, at most LISTING_DEEPEST
 * folders deep; hidden entries are passed over. Entries of a folder come in the order of their
 * names, so that the same folder gives the same report. Who knows how many there are can give each
 * a place that it keeps.
 *
 * Walking ends, whatever the folder is: no link to a folder is followed, and at most LISTING_TRACES
 * files are taken for traces: reading them is what takes long. What calls itself a trace and is no
 * regular file is not opened. What was left out for these reasons is counted. A folder with more
 * than LISTING_ENTRIES entries below, as a whole disk is, is none of traces and is refused: what
 * would be found first in it says nothing.
 */
#ifndef REPORT_RUN_FIND_TRACES_H
#define REPORT_RUN_FIND_TRACES_H

#include "base/arena.h"
#include "base/config.h"

enum { LISTING_DEEPEST = 6, LISTING_ENTRIES = 100000, LISTING_TRACES = 2000 };

enum listed_kind {
	LISTED_TRACE,
	LISTED_RUN, /* a folder with a run.json that lists cases */
	LISTED_BROKEN /* a folder, or the run in it, that cannot be read */
};

struct listed {
	enum listed_kind kind;
	const char *path; /* in the arena */
	cJSON *manifest; /* of a run; whoever takes it sets it to NULL here */
	const char *why; /* of what is broken, in the arena */
};

/* Left out while walking. */
struct listing_left {
	int links; /* to folders */
	int deep; /* folders below LISTING_DEEPEST others */
	int special; /* named like traces: pipes, devices, sockets, links to nowhere */
	int traces; /* found behind the first LISTING_TRACES of all folders */
};

struct listing {
	struct arena *arena; /* lent; keeps the texts */
	struct listed *item; /* (n) owned */
	size_t n, room;
	size_t entries; /* of the path in hand, looked at so far */
	size_t traces; /* of all folders, so far */
	struct listing_left left;
};

/* Lists all paths. Fails when one of them is not there, or is a folder that cannot be read or that
 * holds too much; what cannot be read inside a folder is listed as broken. To be released after a
 * failure too. */
int listing_of(struct listing *l, struct arena *arena, const char *const *paths, int n_paths,
	struct err *err);
void listing_release(struct listing *l);

/* What was left out, as one line in the arena; NULL: nothing was. */
const char *listing_left_out(const struct listing *l);

/* How many traces, or broken ones, follow each other from item i on: they make one run of the
 * report. 0: item i is a run with a manifest. */
size_t listing_traces(const struct listing *l, size_t i);

/* How many runs all items make. */
size_t listing_runs(const struct listing *l);

#endif
