/* SPDX-License-Identifier: Apache-2.0 */
/* A program with NVTX ranges of every kind: ranges [HOW]. HOW is its end: exit, _exit, abort, kill,
 * wait (for a signal), fork, many, deep, cost (says what a range takes), open (killed in ranges,
 * after a child has ended its copies). Built with the NVTX headers where they are. */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *other_thread(void *domain)
{
	nvtxDomainRangePushEx(domain,
		&(nvtxEventAttributes_t){.version = NVTX_VERSION,
			.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
			.messageType = NVTX_MESSAGE_TYPE_ASCII,
			.message.ascii = "in a domain"});
	usleep(1000);
	nvtxDomainRangePop(domain);
	return NULL;
}

static void every_kind(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("ours");
	nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
	pthread_t thread;
	for (int i = 0; i < 3; i++) {
		char name[32];
		snprintf(name, sizeof name, "step %d", i);
		nvtxRangePushA(name);
		nvtxRangePushW(L"weit \u00e9");
		usleep(2000);
		nvtxRangePop();
		nvtxMarkA("mark");
		nvtxRangePop();
	}
	nvtxRangeId_t a = nvtxRangeStartA("overlaps"), b = nvtxRangeStartA("overlaps too");
	usleep(1000);
	nvtxRangeEnd(a);
	nvtxRangeEnd(b);
	nvtxDomainRangePushEx(domain,
		&(nvtxEventAttributes_t){.version = NVTX_VERSION,
			.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
			.messageType = NVTX_MESSAGE_TYPE_REGISTERED,
			.message.registered = registered});
	nvtxDomainRangePop(domain);
	nvtxRangePop(); /* of nothing */
	pthread_create(&thread, NULL, other_thread, domain);
	pthread_join(thread, NULL);
}

/* The fastest of ten rounds, in ns a range. */
static void tell_cost(void)
{
	enum { ROUNDS = 10, RANGES = 20000 };
	double best = 1e9;
	for (int round = 0; round < ROUNDS; round++) {
		struct timespec a, b;
		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int i = 0; i < RANGES; i++) {
			nvtxRangePushA("range");
			nvtxRangePop();
		}
		clock_gettime(CLOCK_MONOTONIC, &b);
		double ns = (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
		best = ns / RANGES < best ? ns / RANGES : best;
	}
	printf("%.1f\n", best);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	if (!strcmp(how, "cost")) {
		tell_cost();
		return 0;
	}
	every_kind();
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "fork") && !fork()) {
		nvtxRangePushA("child");
		nvtxRangePop();
		_exit(0);
	}
	for (long i = 0; !strcmp(how, "many") && i < 400000; i++) {
		nvtxRangePushA(i % 2 ? "odd" : "even");
		nvtxRangePop();
	}
	for (int i = 0; !strcmp(how, "deep") && i < 200; i++)
		nvtxRangePushA("deep");
	for (int i = 0; !strcmp(how, "deep") && i < 200; i++)
		nvtxRangePop();
	if (!strcmp(how, "open")) {
		nvtxRangePushA("outer");
		nvtxRangePushA("inner");
		nvtxRangeStartA("across");
		pid_t child = fork();
		for (int i = 0; child == 0 && i < 40; i++)
			nvtxMarkA("of the child");
		nvtxRangePop();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
		usleep(5000);
		nvtxMarkA("last");
		raise(SIGKILL);
	}
	if (!strcmp(how, "wait")) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	while (wait(NULL) > 0)
		;
	return 3;
}
