// SPDX-License-Identifier: MIT
/*
 * Whose work it was, see blame.h.
 */
#include "blame.h"

#include <signal.h>
#include <unistd.h>

#include "message.h"
#include "worker.h"

/* abort() ends in the first of them: the jail has no signals. */
static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };

#define N_SIGNALS (int)(sizeof(signals) / sizeof(signals[0]))

/* For the handler. */
static struct worker *crashing;
static struct sigaction before[N_SIGNALS];

void blame_tell(struct worker *w, const struct work *work, enum sundog_fault_code fault, uint64_t arg)
{
	struct sundog_message_channel_state m;
	const uint32_t channel = work->channel;

	if (!work->seqno || !w->blame.running[channel] || atomic_flag_test_and_set(&w->blame.told))
		return;
	message_init(&m, CHANNEL_STATE);
	m.channel = channel;
	m.state = SUNDOG_CHANNEL_STATE_FAULT;
	m.fault = fault;
	m.seqno = work->seqno;
	m.arg = arg;
	message_send(w->sock, &m.header, NULL, 0);
}

/*
 * Threads of the host's, and ours that call it, run what is first in the queue: a submission runs when those before it
 * are done. The lock may be this thread's own, or be let go by nobody any more.
 */
static void blame_first(struct worker *w, int signal)
{
	struct batches *b = &w->batches;
	struct work work = { 0 };

	if (pthread_mutex_trylock(&b->lock))
		return;
	batches_first(b, &work);
	pthread_mutex_unlock(&b->lock);
	blame_tell(w, &work, SUNDOG_FAULT_CODE_WORKER, signal);
}

/* Whatever was there before comes next: the instruction is done again when we return, unless it was not its fault. */
static void on_crash(int signal, siginfo_t *info, void *context)
{
	const struct watch *own = watchdog_own(&crashing->watchdog);

	(void)context;
	if (own)
		blame_tell(crashing, &own->work, SUNDOG_FAULT_CODE_WORKER, signal);
	else
		blame_first(crashing, signal);
	if (info->si_code <= 0)
		_exit(1);
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

void blame_crashes(struct worker *w)
{
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	crashing = w;
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
}
