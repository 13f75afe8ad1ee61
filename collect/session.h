/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - which process of a program is to record what, and when.
 *
 * Every process that has PyTorch in it asks again and again (fabric.h); session_answer() decides
 * what it is told. Files come back in one folder and are reported here by name. Nothing in here
 * waits or reads a clock: the caller passes the time, so that every decision can be tested.
 *
 * Steady: each process makes probes until two agree (steady.h). When all that saw work have
 * settled, or SESSION_WAIT_NS after the first, the window begins, for all at one time. By time or
 * by steps it is asked for at once. A process whose own profiler is at work is left alone until
 * that is done.
 */
#ifndef COLLECT_SESSION_H
#define COLLECT_SESSION_H

#include "collect/fabric.h"
#include "collect/request.h"
#include "collect/steady.h"

#define SESSION_WAIT_NS INT64_C(15000000000) /* for processes that have not settled */
#define SESSION_STEPS_NS INT64_C(20000000000) /* for a first optimizer step */

enum process_state {
	PROCESS_FREE, /* nothing is under way in it */
	PROCESS_SENT, /* it was told what to record */
	PROCESS_BEGUN, /* its file is open */
	PROCESS_DONE /* its window is recorded */
};

struct process {
	int32_t pid; /* as it calls itself, which is in the names of its files */
	pid_t seen_as; /* in our namespace */
	long rank, world; /* of a run of several processes; -1: not known */
	const char *program; /* what runs, "python3.12"; NULL: not known */
	const char *torch; /* its version, NULL: not known */
	enum process_state state;
	bool probing; /* what is under way is a probe */
	bool settled; /* no more probes: two agreed, or gave_up */
	bool gave_up;
	bool own_profiler; /* its own profiler was seen at work */
	bool by_time; /* its steps were not counted, so the time decides */
	int n_probes; /* that saw work */
	int n_lost; /* requests that it did not follow */
	int n_idle; /* probes that saw none */
	int64_t rest_ns; /* no probe before */
	struct probe last; /* the newest of them */
	int64_t start_ns, for_ns, patience_ns; /* of what is under way; after patience_ns it counts
						  as lost and is asked for again */
	int64_t first_steps_ns; /* when a recording by steps was first asked for; 0 never */
	int64_t settled_ns, free_ns; /* when it settled; when its last probe came in, 0 never */
	const char *file; /* its newest whole file, NULL: none */
	bool file_is_probe;
	const char
		*probe; /* the last probe, where file is a window that came after it; NULL: none */
};

struct session {
	struct record_wish wish;
	const char *folder; /* where files appear, without a slash at the end; lent */
	struct arena *arena; /* lent */
	int64_t began_ns; /* when the program was started */
	int64_t ask_ns; /* how often processes ask */
	int64_t window_ns; /* the common start by time, 0: not fixed yet */
	struct process *process; /* (n, room) in the order in which they first asked; owned */
	size_t n, room;
	int n_files; /* names given so far */
};

void session_init(struct session *s, const struct record_wish *wish, const char *folder,
	struct arena *a, int64_t began_ns);
void session_release(struct session *s);

/* The process of a message, remembered from now on; *is_new if it asks for the first time. NULL
 * when there are too many (1024). Valid until the next call. */
struct process *session_process(struct session *s, const struct fabric_call *call, bool *is_new);

/* The configuration that a process gets that asks with this type, "" for none. */
const char *session_answer(struct session *s, struct process *p, int32_t type, int64_t now_ns);

enum session_news { NEWS_NONE, NEWS_BEGUN, NEWS_PROBE, NEWS_SETTLED, NEWS_DONE };

/* A file of this name appeared in the folder: "main3.p422_422.json.tmp" has begun,
 * "main3.p422_422.json" is whole. A window by steps is called "steps", which the end of the process
 * looks for (inject/torch.c). What is not ours is ignored. *of is whose it is. */
enum session_news session_file(
	struct session *s, const char *name, int64_t now_ns, struct process **of);

/* Is there nothing left to record in any process that saw work? */
bool session_over(const struct session *s);

#endif
