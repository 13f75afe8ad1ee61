/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kineto_client [OPTION]...: asks for work as libkineto does, and does no more than that.
 *
 * Sockets, messages, sizes, waiting and file names are libkineto's (a temporary name that is
 * renamed at the end, the process id before ".json"); what it "records" is made up at once,
 * whatever time was asked for, so that tests are quick. It is linked with nothing of ours. Options:
 *
 *   --seconds S     runs so long at most (default 20), and ends when its window is written
 *   --every S       asks so often (default 0.1)
 *   --pause S       waits so long before it writes its window
 *   --cold N        the first N recordings show a program that has not settled
 *   --idle          nothing ever happens in it
 *   --stops         nothing happens in its window
 *   --ruin          memory is overwritten before it writes its window: the head is no text
 *   --no-steps      no optimizer step: requests by steps are dropped
 *   --steps-after N the first N requests by steps are dropped
 *   --own N         its own profiler is at work during the first N requests
 *   --twice         sends each request twice
 *   --deaf N        does not wait for the first N answers, and finds each when it asks next
 *   --lose N        begins the first N windows and never ends them
 *   --cut SIGNAL    is ended by it in the middle of writing its window
 *   --last SIGNAL   is ended by it once its window is written
 *   --big MB        a window of that size
 *   --context       registers itself first
 *   --slower US     its steps take so much longer than 100 us
 *   --hostile       sends all sorts of wrong datagrams first
 *   --status N      ends with this status
 *   --children N    starts N of itself, with RANK and WORLD_SIZE set, and waits for them
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 1, ACTIVITIES = 2, WRONG = 99, ANSWER_MS = 90, MOST_ANCESTORS = 10 };

struct message {
	uint64_t size;
	char type[32];
	char content[65536];
};

enum { HEAD = offsetof(struct message, content) };

struct context {
	int32_t gpu, pid;
	int64_t job;
};

struct request {
	int32_t type, n;
	int64_t job;
	int32_t pids[MOST_ANCESTORS + 1];
};

static struct {
	double seconds, every, pause, cold, steps_after, own, deaf, lose, cut, last, big, status;
	double children, slower, idle, stops, ruin, no_steps, twice, context, hostile;
} option = {.seconds = 20, .every = 0.1};

static const struct {
	const char *name;
	double *value;
	bool flag;
} options[] = {{"seconds", &option.seconds, false}, {"every", &option.every, false},
	{"pause", &option.pause, false}, {"cold", &option.cold, false},
	{"steps-after", &option.steps_after, false}, {"own", &option.own, false},
	{"deaf", &option.deaf, false}, {"lose", &option.lose, false}, {"cut", &option.cut, false},
	{"last", &option.last, false}, {"big", &option.big, false},
	{"status", &option.status, false}, {"children", &option.children, false},
	{"slower", &option.slower, false}, {"idle", &option.idle, true},
	{"stops", &option.stops, true}, {"ruin", &option.ruin, true},
	{"no-steps", &option.no_steps, true}, {"twice", &option.twice, true},
	{"context", &option.context, true}, {"hostile", &option.hostile, true}};

static struct {
	const char *folder;
	int socket;
	struct sockaddr_un name, daemon;
	int64_t job;
	int asked, made, lost, by_steps;
	double sent_s;
	bool done;
	bool missed; /* an answer that came too late is found in place of the next one */
	struct message answer;
} me;

#define MUST(truth, ...) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "kineto_client: line %d: ", __LINE__); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
			exit(WRONG); \
		} \
	} while (0)

static double clock_s(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rest(double seconds)
{
	usleep((useconds_t)(seconds * 1e6));
}

/* ---- messages ---- */

static void open_socket(void)
{
	const char *job = getenv("SLURM_JOB_ID");
	me.folder = getenv("KINETO_IPC_SOCKET_DIR");
	MUST(me.folder, "KINETO_IPC_SOCKET_DIR is not set");
	me.job = job ? strtoll(job, NULL, 10) : 0;
	me.name.sun_family = me.daemon.sun_family = AF_UNIX;
	snprintf(me.name.sun_path, sizeof me.name.sun_path, "%.60s/dynoconfigclient%d", me.folder,
		(int)getpid());
	snprintf(me.daemon.sun_path, sizeof me.daemon.sun_path, "%.90s/dynolog", me.folder);
	me.socket = socket(AF_UNIX, SOCK_DGRAM, 0);
	MUST(me.socket >= 0 && !bind(me.socket, (struct sockaddr *)&me.name, sizeof me.name),
		"no socket %s: %s", me.name.sun_path, strerror(errno));
}

/* As sync_send(): a full queue is tried again. */
static void send_bytes(const void *bytes, size_t n)
{
	for (int i = 0; i < 50; i++) {
		if (sendto(me.socket, bytes, n, MSG_DONTWAIT, (struct sockaddr *)&me.daemon,
			    sizeof me.daemon) >= 0 ||
			errno != EAGAIN)
			return;
		rest(0.01);
	}
}

static void send_message(const char *type, const void *content, size_t n)
{
	static struct message m;
	m.size = n;
	memset(m.type, 0, sizeof m.type);
	memcpy(m.type, type, strlen(type));
	memcpy(m.content, content, n);
	send_bytes(&m, HEAD + n);
}

/* The content of the answer, as a text; NULL when none came in time. */
static char *receive(const char *type, int ms)
{
	struct pollfd p = {me.socket, POLLIN, 0};
	struct sockaddr_un from = {0};
	socklen_t from_bytes = sizeof from;
	if (poll(&p, 1, ms) != 1) {
		me.missed = true;
		return NULL;
	}
	ssize_t n = recvfrom(me.socket, &me.answer, sizeof me.answer - 1, 0,
		(struct sockaddr *)&from, &from_bytes);
	MUST(n >= HEAD && me.answer.size == (size_t)n - HEAD, "an answer of %zd bytes", n);
	MUST(!strcmp(from.sun_path, me.daemon.sun_path), "an answer from %s", from.sun_path);
	MUST(!strcmp(me.answer.type, type), "an answer of type %.32s", me.answer.type);
	me.answer.content[me.answer.size] = '\0';
	return me.answer.content;
}

static void register_context(void)
{
	struct context c = {0, (int32_t)getpid(), me.job};
	int32_t instances = 0;
	send_message("ctxt", &c, sizeof c);
	const char *content = receive("ctxt", 1000);
	MUST(content && me.answer.size == sizeof instances, "no answer to a context");
	memcpy(&instances, content, sizeof instances);
	MUST(instances >= 1, "%d instances", instances);
}

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512] = "";
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (f && fgets(text, sizeof text, f) && strrchr(text, ')'))
		sscanf(strrchr(text, ')'), ") %*c %d", &parent);
	if (f)
		fclose(f);
	return (pid_t)parent;
}

static size_t fill_request(struct request *r, int32_t type)
{
	*r = (struct request){.type = type, .job = me.job};
	for (pid_t pid = getpid(); pid > 1 && r->n <= MOST_ANCESTORS; pid = parent_of(pid))
		r->pids[r->n++] = (int32_t)pid;
	return offsetof(struct request, pids) + (size_t)r->n * sizeof *r->pids;
}

/* ---- what it records ---- */

/* The value of a line KEY=VALUE, "" for none; good until the next but three. */
static const char *value(const char *config, const char *key)
{
	static char texts[4][4096];
	static int next;
	char *text = texts[next++ % 4];
	size_t n = strlen(key);
	*text = '\0';
	for (const char *line = config; line && *line;
		line = strchr(line, '\n'), line += line != NULL)
		if (!strncmp(line, key, n) && line[n] == '=')
			snprintf(text, sizeof texts[0], "%.*s", (int)strcspn(line + n + 1, "\n"),
				line + n + 1);
	return text;
}

static void write_events(FILE *f, const char *config)
{
	const char *steps = value(config, "ACTIVITIES_ITERATIONS");
	int n = *steps ? atoi(steps) : 8, pid = (int)getpid();
	int step_us = me.made <= option.cold ? 1000 * me.made : 100 + (int)option.slower;
	bool shapes = !strcmp(value(config, "PROFILE_REPORT_INPUT_SHAPES"), "true");
	const struct {
		const char *category, *name, *args;
		int at_us, us;
	} events[] = {{"cpu_op", "aten::mm", shapes ? ", \"args\": {\"Input Dims\": [[4, 4]]}" : "",
			      0, 20},
		{"cpu_op", "aten::add", "", 30, 10},
		{"user_annotation", "Optimizer.step#SGD.step", "", 50, 5}};
	for (int i = 0; i < n && !option.idle; i++)
		for (size_t k = 0; k < sizeof events / sizeof *events; k++)
			fprintf(f,
				"\n  {\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"cat\": \"%s\", "
				"\"name\": \"%s\", \"ts\": %d, \"dur\": %d%s},",
				pid, pid, events[k].category, events[k].name,
				i * step_us + events[k].at_us, events[k].us, events[k].args);
}

static void write_trace(const char *path, const char *config, bool probe)
{
	char temporary[4200];
	snprintf(temporary, sizeof temporary, "%s.tmp", path);
	FILE *f = fopen(temporary, "we");
	MUST(f, "cannot write %s", temporary);
	me.made++;
	if (option.ruin && !probe)
		fputs("\n  {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": [\360\001\177\252",
			f);
	fputs("\n  {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": [],\n  \"displayTimeUnit\": "
	      "\"ms\",\n  \"baseTimeNanoseconds\": 0,\n  \"traceEvents\": [",
		f);
	if (probe || !option.stops)
		write_events(f, config);
	if (option.cut && !probe) {
		fflush(f);
		kill(getpid(), (int)option.cut);
	}
	for (int i = 0; !probe && i < option.big * 1024; i++)
		fprintf(f, "%1023s\n", "");
	fprintf(f,
		"\n  {\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\", \"pid\": \"\", "
		"\"tid\": \"\", \"ts\": 1.0}\n  ],\n  \"traceName\": \"%s\"\n}",
		path);
	fclose(f);
	rename(temporary, path);
}

/* Does what is asked for begin? Requests that come too late to warm up, or before a first step, are
 * dropped, as by libkineto. */
static bool begins(const char *config)
{
	if (*value(config, "ACTIVITIES_ITERATIONS")) {
		MUST(!strcmp(value(config, "ACTIVITIES_DURATION_MSECS"), "0"), "%s", config);
		return !option.no_steps && ++me.by_steps > option.steps_after;
	}
	double start_s = atof(value(config, "PROFILE_START_TIME")) / 1000 - clock_s(CLOCK_REALTIME);
	if (start_s >= 2 + atof(value(config, "ACTIVITIES_WARMUP_PERIOD_SECS")))
		return true;
	MUST(option.deaf || me.missed || clock_s(CLOCK_MONOTONIC) - me.sent_s > 0.1,
		"a start in %.3f s is too early", start_s);
	return false;
}

static void obey(const char *config)
{
	char path[4096], allowed[4096];
	const char *wished = value(config, "ACTIVITIES_LOG_FILE"), *end = strstr(wished, ".json");
	snprintf(allowed, sizeof allowed, "%s/", getenv("KINETO_ONDEMAND_TRACE_DIR"));
	MUST(!strncmp(wished, allowed, strlen(allowed)) && !strstr(wished, "..") && end && !end[5],
		"a file is asked for as %s", wished);
	bool probe = !strncmp(wished + strlen(allowed), "probe", 5);
	snprintf(path, sizeof path, "%.*s_%d.json", (int)(end - wished), wished, (int)getpid());
	if (!begins(config))
		return;
	rest(probe ? 0 : option.pause);
	if (!probe && me.lost < option.lose) {
		char temporary[4200];
		snprintf(temporary, sizeof temporary, "%s.tmp", path);
		fclose(fopen(temporary, "we"));
		me.lost++;
		return;
	}
	write_trace(path, config, probe);
	me.done = me.done || !probe;
}

static void ask(void)
{
	struct request r;
	bool busy = ++me.asked <= option.own;
	size_t n = fill_request(&r, busy ? EVENTS : EVENTS | ACTIVITIES);
	int times = option.twice ? 2 : 1;
	me.sent_s = clock_s(CLOCK_MONOTONIC);
	for (int i = 0; i < times; i++)
		send_message("req", &r, n);
	for (int i = 0; i < times && me.asked > option.deaf; i++) {
		const char *config = receive("req", ANSWER_MS);
		MUST(!busy || !config || !*config, "asked while it is busy: %s", config);
		if (config && *config)
			obey(config);
	}
}

/* ---- what libkineto never does ---- */

static void send_wrong_requests(void)
{
	int32_t pid = (int32_t)getpid(), many[65];
	struct request r = {.type = 3, .n = 1, .pids = {pid}};
	const size_t good = offsetof(struct request, pids) + 4;
	const struct {
		int32_t type, n, pid;
		size_t bytes;
	} wrong[] = {{3, 1, pid, 0}, {3, 1, pid, good - 1}, {3, 1, pid, good + 1},
		{3, 0, pid, good - 4}, {3, -1, pid, good}, {3, INT32_MAX, pid, good},
		{3, 2, pid, good}, {3, 1, -pid, good}, {3, 1, 0, good}, {64, 1, pid, good},
		{-1, 1, pid, good}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		r.type = wrong[i].type;
		r.n = wrong[i].n;
		r.pids[0] = wrong[i].pid;
		send_message("req", &r, wrong[i].bytes);
	}
	char long_one[sizeof r + sizeof many];
	for (int i = 0; i < 65; i++)
		many[i] = pid;
	r = (struct request){.type = 3, .n = 65};
	memcpy(long_one, &r, offsetof(struct request, pids));
	memcpy(long_one + offsetof(struct request, pids), many, sizeof many);
	send_message("req", long_one, offsetof(struct request, pids) + sizeof many);
}

static void send_wrong_heads(void)
{
	static unsigned char bytes[60000];
	struct request r;
	struct context c = {0, (int32_t)getpid(), 0};
	size_t n = fill_request(&r, 3);
	send_bytes(bytes, 0);
	send_bytes(bytes, 1);
	memset(bytes, 0xff, sizeof bytes);
	const size_t sizes[] = {39, 40, 41, 60000};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		send_bytes(bytes, sizes[i]);
	const uint64_t told[] = {0, n - 1, n + 1, n + HEAD, UINT64_MAX - HEAD + 1, UINT64_MAX};
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		struct message m = {.size = told[i], .type = "req"};
		memcpy(m.content, &r, n);
		send_bytes(&m, HEAD + n);
	}
	send_message("none", &r, n);
	send_message("rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr", &r, n); /* 32: no end */
	send_message("ctxt", &c, sizeof c - 1);
	send_message("ctxt", &c, sizeof c + 8);
	c.pid = -1;
	send_message("ctxt", &c, sizeof c);
}

/* A message that brings a descriptor along. */
static void send_descriptor(void)
{
	struct message m = {.type = "none"};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
			     .cmsg_level = SOL_SOCKET,
			     .cmsg_type = SCM_RIGHTS}};
	struct iovec part = {&m, HEAD};
	struct msghdr h = {.msg_name = &me.daemon,
		.msg_namelen = sizeof me.daemon,
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};
	memset(CMSG_DATA(&control.head), 0, sizeof(int)); /* stdin */
	sendmsg(me.socket, &h, 0);
}

static void attack(void)
{
	struct request r;
	char path[4200];
	size_t n = fill_request(&r, 3);
	send_wrong_heads();
	send_wrong_requests();
	send_descriptor();
	MUST(!receive("req", ANSWER_MS), "an answer to what was wrong");
	const char *const files[] = {"main1.p999999.json", "probe1.json", "main.p1.json",
		"mainx.p1_1.json", "main99999999999999999999.p1099511627776.json", "main1.p1.txt"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) { /* they are nobody's */
		snprintf(path, sizeof path, "%s/%s", me.folder, files[i]);
		fclose(fopen(path, "we"));
	}
	int nameless = socket(AF_UNIX, SOCK_DGRAM, 0), ours = me.socket;
	me.socket = nameless; /* nowhere to answer to */
	send_message("req", &r, n);
	me.socket = ours;
	close(nameless);
	for (int i = 0; i < 5000; i++) /* a flood */
		sendto(me.socket, "flood", 5, MSG_DONTWAIT, (struct sockaddr *)&me.daemon,
			sizeof me.daemon);
}

/* ---- the program ---- */

static void parse(char **argv)
{
	for (char **word = argv + 1; *word; word++) {
		size_t i = 0, n = sizeof options / sizeof *options;
		while (i < n &&
			(strncmp(*word, "--", 2) != 0 || strcmp(*word + 2, options[i].name) != 0))
			i++;
		MUST(i < n && (options[i].flag || word[1]), "%s: read the head of its source",
			*word);
		*options[i].value = options[i].flag ? 1 : atof(*++word);
	}
}

/* The status of the worst child. */
static int run_children(char **argv)
{
	int n = (int)option.children, worst = 0, status;
	for (int i = 0; i < n; i++) {
		char rank[16], world[16], **to = argv;
		if (fork())
			continue;
		snprintf(rank, sizeof rank, "%d", i);
		snprintf(world, sizeof world, "%d", n);
		setenv("RANK", rank, 1);
		setenv("WORLD_SIZE", world, 1);
		for (char **from = argv; *from; from++)
			if (strcmp(*from, "--children") != 0)
				*to++ = *from;
			else
				from++;
		*to = NULL;
		execv("/proc/self/exe", argv);
		_exit(WRONG);
	}
	while (wait(&status) > 0)
		worst = WEXITSTATUS(status) > worst ? WEXITSTATUS(status) : worst;
	return worst;
}

int main(int argc, char **argv)
{
	(void)argc;
	double end_s = clock_s(CLOCK_MONOTONIC);
	parse(argv);
	if (option.children)
		return run_children(argv);
	end_s += option.seconds;
	open_socket();
	if (option.context)
		register_context();
	if (option.hostile)
		attack();
	while (!me.done && clock_s(CLOCK_MONOTONIC) < end_s) {
		ask();
		rest(option.every);
	}
	if (me.done && option.last)
		kill(getpid(), (int)option.last);
	unlink(me.name.sun_path);
	return (int)option.status;
}
