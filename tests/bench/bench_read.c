/*
 * What reading costs, side by side in one run: out/bench/bench_read TRACE.json [TRACE.json.gz
 * [ROUNDS]]
 *
 * Prints `name value unit` lines, medians over the rounds. Every measurement is a process of its
 * own, so that each has its own peak of memory and none leaves pages behind for the next. The floor
 * is reading the file in 256 KiB pieces and adding up its words. The tree is cJSON's, parsed once.
 */
#include "report/read.h"
#include "tests/unit/trace_digest.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, MOST_ROUNDS = 99, CHUNK = 256 * 1024, LARGEST_TREE = 2000000000 };

/* What a measurement says to its parent. */
struct result {
	double seconds;
	uint64_t digest; /* of the columns; 0: there are none */
	int64_t json_bytes, elements, rows;
	double peak_mb;
};

struct measurement {
	const char *name, *path;
	struct result (*run)(const struct measurement *);
	int threads;
	bool plain;
	struct result last;
	double seconds[MOST_ROUNDS];
	int n;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct result run_floor(const struct measurement *m)
{
	static uint64_t words[CHUNK / 8];
	struct result r = {0};
	int fd = open(m->path, O_RDONLY);
	double start = now();
	uint64_t sum = 0;
	for (ssize_t n; (n = read(fd, words, CHUNK)) > 0; r.json_bytes += n)
		for (ssize_t i = 0; i < n / 8; i++)
			sum += words[i];
	r.seconds = now() - start;
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
	double start = now();
	if (trace_read(&t, m->path,
		    &(struct read_options){.threads = m->threads, .plain = m->plain}, &err)) {
		fprintf(stderr, "bench_read: %s\n", err.text);
		_exit(1);
	}
	r.seconds = now() - start;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	r.peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
	r.digest = trace_digest(&t);
	r.json_bytes = t.json_bytes;
	r.rows = (int64_t)t.n;
	for (int ph = 0; ph < 128; ph++)
		r.elements += t.phases[ph];
	trace_release(&t);
	return r;
}

static struct result run_tree(const struct measurement *m)
{
	struct result r = {0};
	FILE *f = fopen(m->path, "rb");
	double start = now();
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
	r.seconds = now() - start;
	r.json_bytes = n;
	r.elements = events;
	return r;
}

/* One round of a measurement, in a child. */
static void measure(struct measurement *m)
{
	int ends[2];
	if (pipe(ends)) {
		perror("bench_read");
		exit(1);
	}
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
	m->seconds[m->n++] = m->last.seconds;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(struct measurement *m)
{
	qsort(m->seconds, (size_t)m->n, sizeof *m->seconds, ascending);
	return m->seconds[m->n / 2];
}

static void tell(struct measurement *m, double floor_s)
{
	double s = median(m);
	printf("%s %.1f MB/s\n", m->name, (double)m->last.json_bytes / s / 1e6);
	printf("%s_seconds %.4f s\n", m->name, s);
	if (floor_s > 0)
		printf("%s_floors %.2f x\n", m->name, s / floor_s);
	printf("%s_peak %.1f MB\n", m->name, m->last.peak_mb);
	if (m->last.rows)
		printf("%s_bytes_per_event %.1f B\n", m->name,
			(m->last.peak_mb - 16) * 1e6 / (double)m->last.elements);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: bench_read TRACE.json [TRACE.json.gz [ROUNDS]]\n");
		return 2;
	}
	const char *json = argv[1], *gz = argc > 2 && *argv[2] ? argv[2] : NULL;
	int rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : ROUNDS;
	rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
	struct measurement all[] = {
		{.name = "floor", .path = json, .run = run_floor},
		{.name = "one_thread", .path = json, .run = run_reader, .threads = 1},
		{.name = "two_threads", .path = json, .run = run_reader, .threads = 2},
		{.name = "gz_two_threads", .path = gz, .run = run_reader, .threads = 2},
		{.name = "plain", .path = json, .run = run_reader, .threads = 1, .plain = true},
	};
	const size_t n = sizeof all / sizeof *all;
	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < n; i++)
			if (all[i].path)
				measure(&all[i]);
	struct measurement tree = {.name = "cjson_tree", .path = json, .run = run_tree};
	if (all[0].last.json_bytes <= LARGEST_TREE)
		measure(&tree);
	double floor_s = median(&all[0]), one_s = median(&all[1]);
	printf("events %lld\n", (long long)all[1].last.elements);
	for (size_t i = 0; i < n; i++)
		if (all[i].path)
			tell(&all[i], i ? floor_s : 0);
	if (tree.n) {
		tell(&tree, floor_s);
		printf("one_thread_to_cjson_tree %.1f x\n", median(&tree) / one_s);
	}
	bool same = all[1].last.digest == all[2].last.digest &&
		all[1].last.digest == all[4].last.digest &&
		(!gz || all[1].last.digest == all[3].last.digest);
	printf("same_columns %d\n", same);
	return !same;
}
