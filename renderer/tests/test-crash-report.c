// SPDX-License-Identifier: MIT
/*
 * Tests the report of a crashing worker (crash_report.h): for each case a child process crashes, in
 * the main thread or another, and must die of the original signal. Prints TAP.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/message.h"
#include "worker/worker.h"

enum {
	DECODED = 1, COMPILED, QUEUED,	/* channels, serials and seqnos of the work in each stage */
	NOBODY = 0,
};

static struct worker *w;
static int failures;

/* Replaces the function of batch.c. */
bool batches_running(const struct batches *b, uint32_t head, struct work *work)
{
	(void)b;
	(void)head;
	work->channel = work->serial = work->seqno = QUEUED;
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

static void begin(struct watch *watch, uint32_t of)
{
	watch->work.channel = watch->work.serial = watch->work.seqno = of;
	watch_begin(&w->exec.watches, watch);
}

static void store_nowhere(void)
{
	static int *volatile nowhere;

	*nowhere = 1;
}

static void *store_nowhere_in_thread(void *arg)
{
	(void)arg;
	store_nowhere();
	return NULL;
}

static void crash_in_thread(void *(*run)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
}

static void *compile_and_crash(void *arg)
{
	(void)arg;
	watch_init(&w->exec.watches.compile[0]);
	begin(&w->exec.watches.compile[0], COMPILED);
	store_nowhere();
	return NULL;
}

static void decode_and_crash(void)
{
	begin(&w->exec.watches.decode, DECODED);
	store_nowhere();
}

static void decode_and_crash_in_another(void)
{
	begin(&w->exec.watches.decode, DECODED);
	crash_in_thread(store_nowhere_in_thread);
}

static void compile_and_crash_beside(void)
{
	begin(&w->exec.watches.decode, DECODED);
	crash_in_thread(compile_and_crash);
}

static void take_part_and_crash(void)
{
	w->exec.submitter.main_runs = true;
	store_nowhere();
}

static void crash_with_the_lock(void)
{
	pthread_mutex_lock(&w->exec.batches.lock);
	crash_in_thread(store_nowhere_in_thread);
}

/* Touches a page beyond the end of its file (SIGBUS). */
static void touch_what_is_not_there(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_create("empty", 0),
			  0);

	begin(&w->exec.watches.decode, DECODED);
	*(volatile char *)page = 1;
}

static void abort_in_decode(void)
{
	begin(&w->exec.watches.decode, DECODED);
	abort();
}

static void decode_for_another(void)
{
	begin(&w->exec.watches.decode, DECODED);
	w->crash_report.running[DECODED] = DECODED + 100;
	store_nowhere();
}

static void run_child(int sock, void (*crash)(void))
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	w = calloc(1, sizeof(*w));
	w->sock = sock;
	pthread_mutex_init(&w->exec.batches.lock, NULL);
	watches_init(&w->exec.watches, 0);
	watchdog_init(w, 0);
	for (int i = DECODED; i <= QUEUED; i++)
		w->crash_report.running[i] = i;
	crash_report_on_signals(w);
	crash();
	_exit(0);
}

static void test(void (*crash)(void), int signal, uint32_t named, const char *what)
{
	uint32_t channel = NOBODY;
	int pair[2], status;
	struct message m;
	pid_t child;

	socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
	child = fork();
	if (!child) {
		close(pair[0]);
		run_child(pair[1], crash);
	}
	close(pair[1]);
	waitpid(child, &status, 0);
	if (message_receive(pair[0], &m) > 0 &&
	    m.channel_state.state == SUNDOG_CHANNEL_STATE_FAULT &&
	    m.channel_state.fault == SUNDOG_FAULT_CODE_WORKER &&
	    m.channel_state.arg == (uint64_t)signal &&
	    m.channel_state.seqno == m.channel_state.channel)
		channel = m.channel_state.channel;
	close(pair[0]);
	if (channel == named && WIFSIGNALED(status) && WTERMSIG(status) == signal) {
		printf("ok - %s\n", what);
		return;
	}
	printf("not ok - %s: status %#x, channel %u\n", what, status, channel);
	failures++;
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	test(decode_and_crash, SIGSEGV, DECODED, "a crash in decoding is that channel's");
	test(decode_and_crash_in_another, SIGSEGV, QUEUED,
	     "one in a thread of the host's is that of what it runs");
	test(compile_and_crash_beside, SIGSEGV, COMPILED,
	     "one in compiling is that of the shader's");
	test(take_part_and_crash, SIGSEGV, QUEUED,
	     "one of the main thread in the host is that of what it runs");
	test(store_nowhere, SIGSEGV, NOBODY, "elsewhere it is nobody's");
	test(crash_with_the_lock, SIGSEGV, NOBODY, "so it is where the queue cannot be looked at");
	test(touch_what_is_not_there, SIGBUS, DECODED, "memory that is not there is the same");
	test(abort_in_decode, SIGABRT, DECODED, "so is a host driver that gives up");
	test(decode_for_another, SIGSEGV, NOBODY,
	     "another channel in that one's place is not held responsible");
	return failures != 0;
}
