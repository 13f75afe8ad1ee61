/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/awaited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long seconds_to(int64_t at_ns, int64_t now_ns)
{
	return (long)((at_ns - now_ns + 999999999) / 1000000000);
}

/* Of a window by time. */
static void window_text(char *text, int64_t start_ns, int64_t for_ns, int64_t now_ns)
{
	if (now_ns < start_ns)
		snprintf(text, AWAITED_TEXT, "its window begins in %ld s",
			seconds_to(start_ns, now_ns));
	else if (now_ns < start_ns + for_ns)
		snprintf(text, AWAITED_TEXT, "recording, %ld s left",
			seconds_to(start_ns + for_ns, now_ns));
	else
		snprintf(text, AWAITED_TEXT, "PyTorch writes its trace");
}

/* Who is looked at: the first that works and is not done. */
static const struct process *slowest(const struct session *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->process[i].state != PROCESS_DONE && s->process[i].n_probes > 0)
			return &s->process[i];
	for (size_t i = 0; i < s->n; i++)
		if (s->process[i].state != PROCESS_DONE)
			return &s->process[i];
	return NULL;
}

static void process_text(
	char *text, const struct session *s, const struct process *p, int64_t now_ns)
{
	bool by_steps = s->wish.steps && !p->by_time;
	if (p->state == PROCESS_FREE && s->window_ns)
		window_text(text, s->window_ns, s->wish.for_ns, now_ns);
	else if (p->state == PROCESS_FREE)
		snprintf(text, AWAITED_TEXT, "%s",
			p->settled ? "the other processes are not steady yet"
				   : "PyTorch will ask for work");
	else if (p->probing)
		snprintf(text, AWAITED_TEXT, "probe %d of at most %d, until it is steady",
			p->n_probes + 1, STEADY_PROBES);
	else if (by_steps && p->state == PROCESS_SENT)
		snprintf(text, AWAITED_TEXT, "its optimizer steps have not begun to count");
	else if (by_steps)
		snprintf(text, AWAITED_TEXT, "%ld steps are to be recorded", s->wish.steps);
	else
		window_text(text, p->start_ns, p->for_ns, now_ns);
}

void awaited_text(char *text, const struct session *s, bool from_inside, int64_t now_ns)
{
	const struct process *p = slowest(s);
	int64_t start_ns = s->began_ns + (s->wish.after_ns > 0 ? s->wish.after_ns : 0);
	if (s->n && (session_over(s) || !p))
		snprintf(text, AWAITED_TEXT, "recorded; the program runs on");
	else if (s->n)
		process_text(text, s, p, now_ns);
	else if (from_inside && now_ns < start_ns)
		window_text(text, start_ns, s->wish.for_ns, now_ns);
	else if (from_inside)
		snprintf(text, AWAITED_TEXT, "recording from inside");
	else
		snprintf(text, AWAITED_TEXT, "PyTorch, CUDA or NVTX");
}

static bool has_title(void)
{
	const char *kind = getenv("TERM");
	return kind && *kind && strcmp(kind, "dumb") != 0 && isatty(STDERR_FILENO);
}

void awaited_show(struct awaited *a, const char *text)
{
	if (!strcmp(a->text, text) || (!a->on && !has_title()))
		return;
	/* 22 and 23 keep the title that was there and give it back */
	fprintf(stderr, "%s\033]2;collect: %s\007", a->on ? "" : "\033[22;2t", text);
	fflush(stderr);
	a->on = true;
	snprintf(a->text, sizeof a->text, "%s", text);
}

void awaited_end(struct awaited *a)
{
	if (a->on)
		fputs("\033[23;2t", stderr);
	a->on = false;
}
