/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reading costs, side by side in one run: out/bench/bench_read TRACE.json [TRACE.json.gz
 * [ROUNDS [NAME...]]]
 *
 * Measures what is named, or everything, and prints `name value unit` lines, medians over the
 * rounds. Every measurement is a process of its
 * own, so that each has its own peak of memory and none leaves pages behind for the next. The floor
 * is reading the file in 256 KiB pieces and adding up its words. The tree is cJSON's, parsed once.
 */
#include "report/read/read.h"
#include "tests/unit/trace_digest.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, MOST_ROUNDS = 99, CHUNK = 256 * 1024 };

/* What a measurement says to its parent. */
struct result {
	double seconds, cpu_seconds; /* of all threads */
	uint64_t digest; /* of the columns; 0: there are none */
	int64_t json_bytes, elements, rows, sum_ns; /* of the durations */
	double peak_mb;
};

struct measurement {
	const char *name, *path;
	struct result (*run)(const struct measurement *);
	int threads;
	bool plain, once;
	int vector_bytes;
	struct result last;
	double seconds[MOST_ROUNDS], cpu_seconds[MOST_ROUNDS];
	int n;
};

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void start_clocks(struct result *r)
{
	r->seconds = -now(CLOCK_MONOTONIC);
	r->cpu_seconds = -now(CLOCK_PROCESS_CPUTIME_ID);
}

static void stop_clocks(struct result *r)
{
	r->cpu_seconds += now(CLOCK_PROCESS_CPUTIME_ID);
	r->seconds += now(CLOCK_MONOTONIC);
}

static struct result run_floor(const struct measurement *m)
{
	static uint64_t words[CHUNK / 8];
	struct result r = {0};
	int fd = open(m->path, O_RDONLY);
	start_clocks(&r);
	uint64_t sum = 0;
	for (ssize_t n; (n = read(fd, words, CHUNK)) > 0; r.json_bytes += n)
		for (ssize_t i = 0; i < n / 8; i++)
			sum += words[i];
	stop_clocks(&r);
	r.seconds += sum == 1 ? 1e-12 : 0; /* the sum is used */
	close(fd);
	return r;
}

static struct result run_reader(const struct measurement *m)
{
	struct trace t;
	struct err err = {0};
	struct result r = {0};
	trace_init(&t);
	start_clocks(&r);
	if (trace_read(&t, m->path,
		    &(struct read_options){.threads = m->threads,
			    .vector_bytes = m->vector_bytes,
			    .plain = m->plain},
		    &err)) {
		fprintf(stderr, "bench_read: %s\n", err.text);
		_exit(1);
	}
	stop_clocks(&r);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	r.peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
	r.digest = trace_digest(&t);
	r.json_bytes = t.json_bytes;
	r.rows = (int64_t)t.n;
	for (int ph = 0; ph < 128; ph++)
		r.elements += t.phases[ph];
	for (size_t i = 0; i < t.n; i++)
		r.sum_ns += t.dur_ns[i];
	trace_release(&t);
	return r;
}

static struct result run_tree(const struct measurement *m)
{
	struct result r = {0};
	FILE *f = fopen(m->path, "rb");
	start_clocks(&r);
	fseek(f, 0, SEEK_END);
	long n = ftell(f);
	rewind(f);
	char *text = xalloc((size_t)n + 1);
	text[fread(text, 1, (size_t)n, f)] = '\0';
	fclose(f);
	cJSON *tree = cJSON_ParseWithLength(text, (size_t)n + 1);
	int64_t events = 0;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(tree, "traceEvents");
	for (const cJSON *e = list ? list->child : NULL; e; e = e->next)
		events += cJSON_GetObjectItemCaseSensitive(e, "dur") != NULL;
	stop_clocks(&r);
	r.json_bytes = n;
	r.elements = events;
	return r;
}

/* A virtual machine gives free memory back to its host, and the next to touch it waits for the
 * host. Whoever is measured first after a pause must not pay that: a process of its own touches as
 * much memory as any will need. */
static void touch_memory(void)
{
	const size_t bytes = (size_t)512 << 20;
	pid_t child = fork();
	if (!child) {
		void *memory = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory != MAP_FAILED) {
			(void)madvise(memory, bytes, MADV_HUGEPAGE);
			memset(memory, 1, bytes);
		}
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

/* One round of a measurement, in a child. */
static void measure(struct measurement *m)
{
	int ends[2];
	if (pipe(ends)) {
		perror("bench_read");
		exit(1);
	}
	touch_memory();
	pid_t child = fork();
	if (!child) {
		struct result r = m->run(m);
		_exit(write(ends[1], &r, sizeof r) != sizeof r);
	}
	int status;
	struct rusage usage;
	wait4(child, &status, 0, &usage);
	ssize_t n = status ? 0 : read(ends[0], &m->last, sizeof m->last);
	close(ends[0]);
	close(ends[1]);
	if (n != sizeof m->last) {
		fprintf(stderr, "bench_read: %s failed\n", m->name);
		exit(1);
	}
	if (m->last.peak_mb == 0)
		m->last.peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
	m->cpu_seconds[m->n] = m->last.cpu_seconds;
	m->seconds[m->n++] = m->last.seconds;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *of, int n)
{
	qsort(of, (size_t)n, sizeof *of, ascending);
	return of[n / 2];
}

static void tell(struct measurement *m, double floor_s)
{
	double s = median(m->seconds, m->n);
	printf("%s %.1f MB/s\n", m->name, (double)m->last.json_bytes / s / 1e6);
	printf("%s_seconds %.4f s\n", m->name, s);
	printf("%s_cpu %.4f s\n", m->name, median(m->cpu_seconds, m->n));
	if (floor_s > 0)
		printf("%s_floors %.2f x\n", m->name, s / floor_s);
	printf("%s_peak %.1f MB\n", m->name, m->last.peak_mb);
	if (m->last.rows)
		printf("%s_bytes_per_event %.1f B\n", m->name,
			(m->last.peak_mb - 16) * 1e6 / (double)m->last.elements);
}

/* Is a measurement among those named? */
static bool is_wanted(const struct measurement *m, int n, char **names)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(m->name, names[i]))
			return m->path;
	return !n && m->path;
}

static bool same_columns(const struct measurement *all, size_t n)
{
	uint64_t digest = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t other = all[i].n ? all[i].last.digest : 0;
		if (other && digest && other != digest)
			return false;
		digest = other ? other : digest;
	}
	return true;
}

/* What was read, by the first that did. */
static void tell_contents(const struct measurement *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct result *r = &all[i].last;
		if (!all[i].n || !r->digest)
			continue;
		printf("events %lld n\n", (long long)r->elements);
		printf("duration %lld ns\n", (long long)r->sum_ns);
		printf("json %lld B\n", (long long)r->json_bytes);
		return;
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr,
			"usage: bench_read TRACE.json [TRACE.json.gz [ROUNDS [NAME...]]]\n");
		return 2;
	}
	const char *json = argv[1], *gz = argc > 2 && *argv[2] ? argv[2] : NULL;
	int rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : ROUNDS;
	int n_names = argc > 4 ? argc - 4 : 0;
	rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
	struct measurement all[] = {
		{.name = "floor", .path = json, .run = run_floor},
		{.name = "one_thread", .path = json, .run = run_reader, .threads = 1},
		{.name = "two_threads", .path = json, .run = run_reader, .threads = 2},
		{.name = "gz_two_threads", .path = gz, .run = run_reader, .threads = 2},
		{.name = "narrow",
			.path = json,
			.run = run_reader,
			.threads = 1,
			.vector_bytes = 16},
		{.name = "plain", .path = json, .run = run_reader, .threads = 1, .plain = true},
		{.name = "cjson_tree", .path = json, .run = run_tree, .once = true},
	};
	const size_t n = sizeof all / sizeof *all;
	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < n; i++)
			if (is_wanted(&all[i], n_names, argv + 4) && !(round && all[i].once))
				measure(&all[i]);
	tell_contents(all, n);
	double floor_s = all[0].n ? median(all[0].seconds, all[0].n) : 0;
	for (size_t i = 0; i < n; i++)
		if (all[i].n)
			tell(&all[i], i ? floor_s : 0);
	bool same = same_columns(all, n);
	printf("same_columns %d n\n", same);
	return !same;
}
