/* SPDX-License-Identifier: Apache-2.0 */
#include "base/two_threads.h"

#include <pthread.h>
#include <stddef.h>

struct job {
	task *run;
	void *on;
};

static void *run_job(void *job)
{
	const struct job *j = job;
	j->run(j->on);
	return NULL;
}

void both(bool threads, task *a, void *x, task *b, void *y)
{
	struct job other = {b, y};
	pthread_t thread;
	bool started = threads && !pthread_create(&thread, NULL, run_job, &other);
	a(x);
	if (started)
		pthread_join(thread, NULL);
	else
		b(y);
}
