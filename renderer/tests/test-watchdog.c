// SPDX-License-Identifier: MIT
/*
 * Tests the watchdog's limits of a batch and of compilations (watchdog.h) with a host driver that
 * compiles slowly: for each case a child process has a batch, whose threads use CPU time as
 * compilations of the host or as execution. All threads share one CPU, so that several take as long
 * together on any machine. Prints TAP.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ipc/message.h"
#include "worker/worker.h"

#define BATCH_MS 250
#define COMPILE_MS 600
#define THREADS 4
#define CHANNEL 3
#define SEQNO 12

static struct worker *w;
static int failures;

/* The host driver. Each thread compiles one shader at a time. */
static struct compilation {
	pthread_mutex_t lock;
	bool runs;
	clockid_t clock;
	uint64_t since;
} compilations[THREADS];
static _Atomic uint64_t compiled_ns, n_compiled;

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns the CPU time of a running compilation so far, 0 if none runs. The caller has the lock. */
static uint64_t so_far(const struct compilation *c)
{
	return c->runs ? ns_of(c->clock) - c->since : 0;
}

static uint64_t VKAPI_CALL get_compile_time(VkDevice device)
{
	uint64_t sum = compiled_ns;

	(void)device;
	for (int i = 0; i < THREADS; i++) {
		pthread_mutex_lock(&compilations[i].lock);
		sum += so_far(&compilations[i]);
		pthread_mutex_unlock(&compilations[i].lock);
	}
	return sum;
}

static uint64_t VKAPI_CALL get_progress(VkDevice device)
{
	(void)device;
	return n_compiled;
}

static VkBool32 VKAPI_CALL get_longest_compilation(VkDevice device, struct lvp_compilation *longest)
{
	(void)device;
	longest->cpu_ns = 0;
	for (int i = 0; i < THREADS; i++) {
		uint64_t ns;

		pthread_mutex_lock(&compilations[i].lock);
		ns = so_far(&compilations[i]);
		pthread_mutex_unlock(&compilations[i].lock);
		if (ns <= longest->cpu_ns)
			continue;
		longest->cpu_ns = ns;
		snprintf(longest->name, sizeof(longest->name), "compute shader %d", i);
	}
	return longest->cpu_ns != 0;
}

/* Replace the functions of batch.c and channel.c. */
bool batches_running(const struct batches *b, uint32_t head, struct work *work)
{
	(void)b;
	(void)head;
	work->channel = CHANNEL;
	work->seqno = SEQNO;
	return true;
}

uint64_t batches_marks_passed(struct exec *x)
{
	(void)x;
	return 0;
}

uint64_t batches_code_ns(const struct batches *b)
{
	(void)b;
	return 0;
}

void channel_progress(struct channel *ch)
{
	(void)ch;
}

/* The work of a batch */

static void use_cpu(int ms)
{
	const uint64_t until = ns_of(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ull;

	while (ns_of(CLOCK_THREAD_CPUTIME_ID) < until)
		continue;
}

static void compile(struct compilation *c, int ms)
{
	pthread_mutex_lock(&c->lock);
	pthread_getcpuclockid(pthread_self(), &c->clock);
	c->since = ns_of(c->clock);
	c->runs = true;
	pthread_mutex_unlock(&c->lock);
	use_cpu(ms);
	pthread_mutex_lock(&c->lock);
	compiled_ns += so_far(c);
	c->runs = false;
	pthread_mutex_unlock(&c->lock);
	n_compiled++;
}

static void *compile_within_limit(void *arg)
{
	compile(arg, COMPILE_MS * 3 / 4);
	return NULL;
}

static void *compile_long(void *arg)
{
	compile(arg, COMPILE_MS * 2);
	return NULL;
}

static void *execute_long(void *arg)
{
	(void)arg;
	use_cpu(BATCH_MS * 8);
	return NULL;
}

static void start(pthread_t *thread, void *(*run)(void *), int i)
{
	if (pthread_create(thread, NULL, run, &compilations[i]))
		abort();
}

static void run_beside(int n, void *(*const run[])(void *))
{
	pthread_t threads[THREADS];

	for (int i = 0; i < n; i++)
		start(&threads[i], run[i], i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void compile_one_after_the_other(void)
{
	for (int i = 0; i < THREADS; i++)
		run_beside(1, (void *(*const[])(void *)){ compile_within_limit });
}

static void compile_at_once(void)
{
	run_beside(4, (void *(*const[])(void *)){ compile_within_limit, compile_within_limit,
						   compile_within_limit, compile_within_limit });
}

static void compile_one_too_long(void)
{
	run_beside(3, (void *(*const[])(void *)){ compile_within_limit, compile_within_limit,
						   compile_long });
}

static void compile_too_long(void)
{
	run_beside(1, (void *(*const[])(void *)){ compile_long });
}

static void execute_beside_compilation(void)
{
	run_beside(2, (void *(*const[])(void *)){ compile_within_limit, execute_long });
}

/* Cases */

struct limits {
	uint32_t batch_ms, compile_ms;
};

static const struct limits both = { BATCH_MS, COMPILE_MS };

static void run_child(const struct limits *limits, void (*work)(void))
{
	cpu_set_t cpus;
	int socks[2], cpu = sched_getcpu();

	CPU_ZERO(&cpus);
	CPU_SET(cpu < 0 ? 0 : cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	w = calloc(1, sizeof(*w));
	if (!w || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, socks))
		abort();
	for (int i = 0; i < THREADS; i++)
		pthread_mutex_init(&compilations[i].lock, NULL);
	w->sock = socks[0];
	w->exec.vk.lavapipe = (struct lvp_renderer_interface){
		.get_compile_time = get_compile_time, .get_progress = get_progress,
		.get_longest_compilation = get_longest_compilation,
	};
	pthread_mutex_init(&w->exec.batches.lock, NULL);
	w->exec.batches.head = 1;
	w->exec.batches.head_since = now_ns();
	if (!watches_init(&w->exec.watches, limits->compile_ms) ||
	    !watchdog_init(w, limits->batch_ms))
		abort();
	work();
	_exit(0);
}

/*
 * Runs @work as a batch. Returns the exit status of the process, and stores its messages in
 * @messages.
 */
static int run(const struct limits *limits, void (*work)(void), char *messages, size_t size)
{
	size_t length = 0;
	ssize_t n;
	int fds[2], status = -1;
	pid_t child;

	fflush(stdout);
	if (pipe(fds) || (child = fork()) < 0)
		abort();
	if (!child) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		run_child(limits, work);
	}
	close(fds[1]);
	while ((n = read(fds[0], messages + length, size - 1 - length)) > 0)
		length += (size_t)n;
	messages[length] = '\0';
	close(fds[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* @message: what the log has if the watchdog ends the client, or NULL if it does not. */
static void check(const char *what, const struct limits *limits, void (*work)(void),
		  const char *message)
{
	static int number;
	char said[1024];
	const int status = run(limits, work, said, sizeof(said));
	const bool ok = message ? status == WORKER_TIMEOUT && strstr(said, message) : !status;

	failures += !ok;
	printf("%sok %d - %s\n", ok ? "" : "not ", ++number, what);
	if (!ok)
		printf("# status %d, log: %s\n", status, said);
}

int main(void)
{
	printf("1..7\n");
	check("a batch may compile one shader after the other", &both, compile_one_after_the_other,
	      NULL);
	check("a batch may compile several shaders at once, each within the limit", &both,
	      compile_at_once, NULL);
	check("a compilation over its limit ends the client, and the log says which", &both,
	      compile_one_too_long,
	      "channel 3: the host's compilation of compute shader 2 for submission 12 took more "
	      "than 600 ms of CPU time, ending the client; --compile-timeout");
	check("a compilation over its limit ends the client without a limit of batches",
	      &(struct limits){ 0, COMPILE_MS }, compile_too_long, "compute shader 0");
	check("a compilation without a limit ends no client", &(struct limits){ BATCH_MS, 0 },
	      compile_too_long, NULL);
	check("a compilation is no excuse for an execution without progress", &both,
	      execute_beside_compilation,
	      "the batch of submission 12 made no progress for 250 ms");
	check("a compilation without a limit is no excuse for an execution",
	      &(struct limits){ BATCH_MS, 0 }, execute_beside_compilation,
	      "the batch of submission 12 made no progress for 250 ms");
	return failures > 0;
}
