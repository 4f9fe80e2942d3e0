// SPDX-License-Identifier: MIT
/*
 * The watchdog, see watchdog.h.
 */
#include "watchdog.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "worker.h"

#define TICK_NS 250000000l

/* A worker that has not had its time by then does not wait for a CPU. */
#define PATIENCE 10

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Has what began at @since (0: nothing did) taken too long, and longer than @excused_ns more? */
static bool is_late(struct watched *what, clockid_t clock, uint64_t since, uint32_t limit_ms, uint64_t excused_ns)
{
	const uint64_t limit = limit_ms * 1000000ull + excused_ns;
	uint64_t passed;

	if (!since || !limit_ms)
		return false;
	if (what->since != since)
		*what = (struct watched){ since, cpu_ns(clock) };
	passed = now_ns() - since;
	return passed > limit && (cpu_ns(clock) - what->cpu > limit || passed > PATIENCE * limit);
}

/* What making code took since the batch at the head got there, as far as that may take; where the host says so. */
static uint64_t compiling_ns(struct worker *w, uint64_t since)
{
	struct watchdog *dog = &w->watchdog;
	const uint64_t limit = dog->decode_ms * 1000000ull;
	uint64_t ns;

	if (!since || !w->vk.GetCompileTime)
		return 0;
	ns = w->vk.GetCompileTime(w->vk.device);
	if (dog->batch.since != since)
		dog->compiled = ns;
	ns -= dog->compiled;
	return limit && ns > limit ? limit : ns;
}

static void end_worker(struct worker *w, const struct work *work, uint32_t limit_ms)
{
	blame_tell(w, work, SUNDOG_FAULT_CODE_TIMEOUT, limit_ms);
	_exit(WORKER_TIMEOUT);
}

/* Is there something to watch? Ends the process if that is @what and takes too long. */
static bool look_at(struct worker *w, struct watch *watch, const char *what)
{
	const uint64_t since = watch->since;

	if (since && is_late(&watch->seen, watch->clock, since, w->watchdog.decode_ms, 0)) {
		log_error("%s more than %u ms: this client ends", what, w->watchdog.decode_ms);
		end_worker(w, &watch->work, w->watchdog.decode_ms);
	}
	return since;
}

/* Ends the process if something takes too long. Is there work at all? */
static bool look(struct worker *w)
{
	struct watchdog *dog = &w->watchdog;
	struct batches *b = &w->batches;
	struct work running = { 0 };
	uint64_t since = 0;
	bool work;

	pthread_mutex_lock(&b->lock);
	if (b->head != b->tail)
		since = b->head_since;
	if (is_late(&dog->batch, CLOCK_PROCESS_CPUTIME_ID, since, dog->batch_ms, compiling_ns(w, since))) {
		log_error("a batch took more than %u ms: this client ends", dog->batch_ms);
		batches_running(b, b->head, &running);
		end_worker(w, &running, dog->batch_ms);
	}
	pthread_mutex_unlock(&b->lock);
	work = look_at(w, &dog->decode, "a stream is decoded for") || since;
	for (int i = 0; i < COMPILER_THREADS; i++)
		work |= look_at(w, &dog->compile[i], "a shader is compiled for");
	return work;
}

/* Either we see that there is work, or whoever begins some sees that we sleep. */
static void sleep_until_work(struct worker *w)
{
	struct watchdog *dog = &w->watchdog;

	dog->asleep = true;
	if (look(w)) {
		dog->asleep = false;
		return;
	}
	pthread_mutex_lock(&dog->lock);
	while (dog->asleep)
		pthread_cond_wait(&dog->work, &dog->lock);
	pthread_mutex_unlock(&dog->lock);
}

static void *watchdog_main(void *arg)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	struct worker *w = arg;

	for (;;) {
		if (!look(w))
			sleep_until_work(w);
		nanosleep(&tick, NULL);
	}
	return NULL;
}

bool watchdog_init(struct worker *w, uint32_t batch_ms, uint32_t decode_ms)
{
	struct watchdog *dog = &w->watchdog;

	dog->batch_ms = batch_ms;
	dog->decode_ms = decode_ms;
	/* Ours. What else it may wait for is watched, too. */
	if (!watch_init(&dog->decode))
		return false;
	pthread_mutex_init(&dog->lock, NULL);
	pthread_cond_init(&dog->work, NULL);
	return !pthread_create(&dog->thread, NULL, watchdog_main, w);
}

bool watch_init(struct watch *watch)
{
	watch->thread = pthread_self();
	return !pthread_getcpuclockid(watch->thread, &watch->clock);
}

static bool is_own(const struct watch *watch)
{
	return watch->since && pthread_equal(watch->thread, pthread_self());
}

const struct watch *watchdog_own(const struct watchdog *dog)
{
	if (is_own(&dog->decode))
		return &dog->decode;
	for (int i = 0; i < COMPILER_THREADS; i++)
		if (is_own(&dog->compile[i]))
			return &dog->compile[i];
	return NULL;
}

void watchdog_begin(struct watchdog *dog, struct watch *watch)
{
	watch->since = now_ns();
	watchdog_wake(dog);
}

void watchdog_wake(struct watchdog *dog)
{
	if (!dog->asleep)
		return;
	pthread_mutex_lock(&dog->lock);
	dog->asleep = false;
	pthread_cond_signal(&dog->work);
	pthread_mutex_unlock(&dog->lock);
}

void watchdog_end(struct watch *watch)
{
	watch->since = 0;
}
