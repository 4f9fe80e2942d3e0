// SPDX-License-Identifier: MIT
/*
 * The watchdog thread, see watchdog.h.
 */
#include "worker/watchdog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ipc/log.h"
#include "ipc/message.h"
#include "worker/worker.h"

#define TICK_NS 250000000l
#define COMPILE_STEP_NS 100000000ull	/* CPU time of a compilation that counts as progress */

/*
 * A worker that used less than 1/IDLE of a CPU for PATIENCE limits hangs; it does not wait for a
 * CPU.
 */
#define PATIENCE 10
#define IDLE 100

/*
 * If the watchdog's thread sleeps longer than this, the whole worker was stopped, or the machine
 * was frozen.
 */
#define LONGEST_TICK_NS (4 * TICK_NS)

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Returns the CPU time of batches: of all threads but those that check shaders, and without the
 * host's compilations. Both have limits of their own. The result may go back a little, since the
 * clocks are read one after the other.
 */
static uint64_t batch_cpu_ns(struct worker *w)
{
	const struct watches *watches = &w->exec.watches;
	const struct vk *vk = &w->exec.vk;
	uint64_t others = 0;

	if (vk->lavapipe.get_compile_time)
		others = vk->lavapipe.get_compile_time(vk->device);
	for (int i = 0; i < COMPILER_THREADS; i++)
		if (watches->compile[i].is_ready)
			others += cpu_ns(watches->compile[i].clock);
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - others;
}

/*
 * Returns true if work that began at @since (0: no work) has made no progress for @limit_ms plus
 * @excused_ns. @progress is its progress counter, @cpu the CPU time of the threads that do it,
 * @seen its last state.
 */
static bool is_stuck(const struct watchdog *dog, struct watched *seen, uint64_t cpu, uint64_t since,
		     uint64_t progress, uint32_t limit_ms, uint64_t excused_ns)
{
	const uint64_t limit = limit_ms * 1000000ull + excused_ns,
		all = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t passed;

	if (!since || !limit_ms)
		return false;
	if (seen->since != since || seen->progress != progress)
		*seen = (struct watched){ since, progress, dog->now, cpu, all };
	passed = dog->now - seen->wall;
	return passed > limit &&
	       ((cpu > seen->cpu && cpu - seen->cpu > limit) ||
		(passed > PATIENCE * limit && all - seen->all < passed / IDLE));
}

/*
 * Returns the progress counter of the host for the batch at the head. The caller holds
 * batches.lock.
 */
static uint64_t host_progress(struct exec *x)
{
	const struct vk *vk = &x->vk;

	return vk->lavapipe.get_progress ? vk->lavapipe.get_progress(vk->device)
					 : batches_marks_passed(x);
}

/*
 * Returns the time that the batch at the head of the queue gets on top of its limit, because the
 * host may compile shaders and cannot tell. The caller holds batches.lock.
 */
static uint64_t excused_ns(const struct worker *w)
{
	return w->exec.vk.lavapipe.get_compile_time ? 0 : batches_code_ns(&w->exec.batches);
}

static void end_worker(struct worker *w, const struct work *work, uint32_t limit_ms)
{
	crash_report_send(w, work, SUNDOG_FAULT_CODE_TIMEOUT, limit_ms);
	_exit(WORKER_TIMEOUT);
}

/*
 * Returns true if @watch has work. Ends the process if the work, which @what names, exceeds its
 * limit.
 */
static bool look_at(struct worker *w, struct watch *watch, const char *what)
{
	const uint64_t since = watch->since;

	if (since && is_stuck(&w->watchdog, &watch->seen, cpu_ns(watch->clock), since,
			      watch->progress, w->exec.watches.decode_ms, 0)) {
		log_error("channel %u: %s of submission %llu made no progress for %u ms, ending "
			  "the client; --compile-timeout sets the limit",
			  watch->work.channel, what, (unsigned long long)watch->work.seqno,
			  w->exec.watches.decode_ms);
		end_worker(w, &watch->work, w->exec.watches.decode_ms);
	}
	return since;
}

/*
 * Returns true if the host compiles a shader. Ends the process if one compilation has taken more
 * CPU time than its limit. The caller holds batches.lock.
 */
static bool check_host_compilations(struct worker *w)
{
	const struct vk *vk = &w->exec.vk;
	const uint32_t limit_ms = w->exec.watches.decode_ms;
	struct lvp_compilation longest;
	struct work work = { 0 };

	if (!vk->lavapipe.get_longest_compilation ||
	    !vk->lavapipe.get_longest_compilation(vk->device, &longest))
		return false;
	if (!limit_ms || longest.cpu_ns <= limit_ms * 1000000ull)
		return true;
	if (!batches_running(&w->exec.batches, w->exec.batches.head, &work))
		work_set(&work, &w->exec.watches.decode.work);
	log_error("channel %u: the host's compilation of %s for submission %llu took more than %u "
		  "ms of CPU time, ending the client; --compile-timeout sets the limit",
		  work.channel, longest.name, (unsigned long long)work.seqno, limit_ms);
	end_worker(w, &work, limit_ms);
	return true;
}

/*
 * Sends MESSAGE_PROGRESS. Never blocks: if the socket is full, the broker has other messages to
 * read.
 */
static void tell_broker(int sock)
{
	struct message_progress m = { .header = { MESSAGE_PROGRESS, sizeof(m) } };
	struct iovec iov = { &m, sizeof(m) };
	const struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		log_debug("cannot send MESSAGE_PROGRESS to the broker: %s", strerror(errno));
}

/*
 * Reports progress to the guest's kernel, which gives up a job without progress, in the status
 * pages of all channels: an entry of one channel may wait for work of another. The caller holds
 * batches.lock, so that no channel is freed.
 */
static void tell_progress(struct worker *w, uint64_t host)
{
	struct watches *watches = &w->exec.watches;
	struct watchdog *dog = &w->watchdog;
	uint64_t sum = host + watches->decode.progress;

	/*
	 * Decoding and compilations have limits of their own here, and the guest's timeout_ms may
	 * be shorter on a busy machine.
	 */
	if (watches->decode.since)
		sum += cpu_ns(watches->decode.clock) / COMPILE_STEP_NS;
	for (int i = 0; i < COMPILER_THREADS; i++) {
		sum += watches->compile[i].progress;
		if (watches->compile[i].since)
			sum += cpu_ns(watches->compile[i].clock) / COMPILE_STEP_NS;
	}
	if (w->exec.vk.lavapipe.get_compile_time)
		sum += w->exec.vk.lavapipe.get_compile_time(w->exec.vk.device) / COMPILE_STEP_NS;
	if (sum == dog->told)
		return;
	dog->told = sum;
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (w->channels[i])
			channel_progress(w->channels[i]);
	/*
	 * The broker waits for an answer while the main thread waits for the work that makes
	 * progress.
	 */
	if (w->owes || message_waits(w->sock))
		tell_broker(w->sock);
}

/* Ends the process if some work makes no progress. Returns true if there is work at all. */
static bool look(struct worker *w)
{
	struct watches *watches = &w->exec.watches;
	struct watchdog *dog = &w->watchdog;
	struct batches *b = &w->exec.batches;
	struct work running = { 0 };
	uint64_t since = 0, progress;
	bool work;

	pthread_mutex_lock(&b->lock);
	if (b->head != b->tail)
		since = b->head_since;
	progress = host_progress(&w->exec);
	if (is_stuck(dog, &dog->batch, batch_cpu_ns(w), since, progress, dog->batch_ms,
		     excused_ns(w))) {
		if (batches_running(b, b->head, &running))
			log_error("channel %u: the batch of submission %llu made no progress for "
				  "%u ms, ending the client; --timeout sets the limit",
				  running.channel, (unsigned long long)running.seqno,
				  dog->batch_ms);
		else
			log_error("the completion of a batch made no progress for %u ms, ending "
				  "the client; --timeout sets the limit", dog->batch_ms);
		end_worker(w, &running, dog->batch_ms);
	}
	work = check_host_compilations(w) || since;
	tell_progress(w, progress);
	pthread_mutex_unlock(&b->lock);
	work |= look_at(w, &watches->decode, "decoding a packet");
	for (int i = 0; i < COMPILER_THREADS; i++)
		work |= look_at(w, &watches->compile[i], "compiling a shader");
	return work;
}

/* Either this thread sees the work, or the thread that begins it sees `asleep`. */
static void sleep_until_work(struct worker *w)
{
	struct watches *watches = &w->exec.watches;

	watches->asleep = true;
	if (look(w)) {
		watches->asleep = false;
		return;
	}
	pthread_mutex_lock(&watches->lock);
	while (watches->asleep)
		pthread_cond_wait(&watches->work, &watches->lock);
	pthread_mutex_unlock(&watches->lock);
}

static void *watchdog_main(void *arg)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	struct worker *w = arg;
	struct watchdog *dog = &w->watchdog;
	uint64_t before, passed;

	for (;;) {
		if (!look(w))
			sleep_until_work(w);
		before = now_ns();
		nanosleep(&tick, NULL);
		passed = now_ns() - before;
		dog->now += passed < LONGEST_TICK_NS ? passed : LONGEST_TICK_NS;
	}
	return NULL;
}

bool watchdog_init(struct worker *w, uint32_t batch_ms)
{
	w->watchdog.batch_ms = batch_ms;
	return !pthread_create(&w->watchdog.thread, NULL, watchdog_main, w);
}
