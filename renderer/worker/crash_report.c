// SPDX-License-Identifier: MIT
/*
 * Crash report of a worker, see crash_report.h: called by the watchdog, and as a signal handler by
 * the thread that crashes.
 */
#include "worker/crash_report.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ipc/message.h"
#include "worker/worker.h"

static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

#define WAIT_MS 50

#define N_SIGNALS (int)(sizeof(signals) / sizeof(signals[0]))

/* State of the signal handler. */
static struct worker *crashing;
static struct sigaction before[N_SIGNALS];

void crash_report_send(struct worker *w, const struct work *work, enum sundog_fault_code fault,
		       uint64_t arg)
{
	struct sundog_message_channel_state m;
	const uint32_t channel = work->channel;

	if (!work->seqno || w->crash_report.running[channel] != work->serial ||
	    atomic_flag_test_and_set(&w->crash_report.told))
		return;
	message_init(&m, CHANNEL_STATE);
	m.channel = channel;
	m.state = SUNDOG_CHANNEL_STATE_FAULT;
	m.fault = fault;
	m.seqno = work->seqno;
	m.arg = arg;
	message_send(w->sock, &m.header, NULL, 0);
}

static void pause_ms(int ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/*
 * Finds the submission that the host executes, among those before b->head of now. Submissions
 * before it may be done without the completion thread having processed that, so this waits first;
 * later submissions are not candidates. Returns false if there is none or if the lock cannot be
 * taken: this thread may hold it, or a thread that does not run any more.
 */
static bool first_of_queue(struct batches *b, struct work *work)
{
	const uint32_t head = __atomic_load_n(&b->head, __ATOMIC_RELAXED);
	bool found;

	pause_ms(WAIT_MS);
	for (int i = 0; pthread_mutex_trylock(&b->lock); i++) {
		if (i == 10)
			return false;
		pause_ms(1);
	}
	found = batches_running(b, head, work);
	pthread_mutex_unlock(&b->lock);
	return found;
}

/*
 * Finds the submission to report. Threads of the host, and threads of the worker inside host calls,
 * execute the first submission in the queue, since each starts when those before it are done. Other
 * work of the main thread belongs to no submission. If another process @sent the signal, the work
 * of this thread is not the cause.
 */
static bool find_work(struct worker *w, bool sent, struct work *work)
{
	const struct watch *own = watches_own(&w->exec.watches);

	if (own && !sent) {
		work_set(work, &own->work);
		return true;
	}
	if (!sent && pthread_equal(w->exec.watches.decode.thread, pthread_self()) &&
	    !w->exec.submitter.main_runs)
		return false;
	return first_of_queue(&w->exec.batches, work);
}

/*
 * Signal handler: makes the report, restores the previous handlers and raises the signal again,
 * which ends the worker or runs its previous handler. Waits before that, since other threads may be
 * making their reports.
 */
static void on_crash(int signal, siginfo_t *info, void *context)
{
	const bool sent = info->si_code <= 0 && info->si_pid != getpid();
	struct work work = { 0 };

	(void)context;
	if (find_work(crashing, sent, &work))
		crash_report_send(crashing, &work, SUNDOG_FAULT_CODE_WORKER, signal);
	pause_ms(2 * WAIT_MS);
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	/* Returning would execute the instruction again, which could succeed. */
	raise(signal);
}

void crash_report_on_signals(struct worker *w)
{
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO };

	crashing = w;
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
}
