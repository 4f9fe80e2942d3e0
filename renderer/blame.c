// SPDX-License-Identifier: MIT
/*
 * Whose work it was, see blame.h.
 */
#include "blame.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "worker.h"

static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

#define WAIT_MS 50

#define N_SIGNALS (int)(sizeof(signals) / sizeof(signals[0]))

/* For the handler. */
static struct worker *crashing;
static struct sigaction before[N_SIGNALS];

void blame_tell(struct worker *w, const struct work *work, enum sundog_fault_code fault, uint64_t arg)
{
	struct sundog_message_channel_state m;
	const uint32_t channel = work->channel;

	if (!work->seqno || w->blame.running[channel] != work->serial || atomic_flag_test_and_set(&w->blame.told))
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
 * What runs was not the first perhaps when this thread stopped, but nobody had said so yet; what comes after that is
 * no reason. The lock may be this thread's own, or be let go by nobody any more.
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
 * Threads of the host's, and ours that call it, run what is first in the queue: a submission runs when those before it
 * are done. What else the main thread does is for nobody in particular. What this thread does is no reason if somebody
 * else @sent the signal.
 */
static bool find_work(struct worker *w, bool sent, struct work *work)
{
	const struct watch *own = watchdog_own(&w->watchdog);

	if (own && !sent) {
		work_set(work, &own->work);
		return true;
	}
	if (!sent && pthread_equal(w->watchdog.decode.thread, pthread_self()) && !w->submitter.main_runs)
		return false;
	return first_of_queue(&w->batches, work);
}

/* Then it dies of the signal, or by what had a handler of it before. Other threads may be about to tell of theirs. */
static void on_crash(int signal, siginfo_t *info, void *context)
{
	const bool sent = info->si_code <= 0 && info->si_pid != getpid();
	struct work work = { 0 };

	(void)context;
	if (find_work(crashing, sent, &work))
		blame_tell(crashing, &work, SUNDOG_FAULT_CODE_WORKER, signal);
	pause_ms(2 * WAIT_MS);
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	/* Done again, the instruction could go well. */
	raise(signal);
}

void blame_crashes(struct worker *w)
{
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO };

	crashing = w;
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
}
