// SPDX-License-Identifier: MIT
/*
 * Work with a time limit, see watch.h. Runs in the threads that do the work.
 */
#include "exec/watch.h"

#include "exec/batch.h"

bool watches_init(struct watches *watches, uint32_t decode_ms)
{
	watches->decode_ms = decode_ms;
	pthread_mutex_init(&watches->lock, NULL);
	pthread_cond_init(&watches->work, NULL);
	return watch_init(&watches->decode);
}

bool watch_init(struct watch *watch)
{
	watch->thread = pthread_self();
	if (pthread_getcpuclockid(watch->thread, &watch->clock))
		return false;
	watch->is_ready = true;
	return true;
}

static bool is_own(const struct watch *watch)
{
	return watch->since && pthread_equal(watch->thread, pthread_self());
}

const struct watch *watches_own(const struct watches *watches)
{
	if (is_own(&watches->decode))
		return &watches->decode;
	for (int i = 0; i < COMPILER_THREADS; i++)
		if (is_own(&watches->compile[i]))
			return &watches->compile[i];
	return NULL;
}

void watch_begin(struct watches *watches, struct watch *watch)
{
	watch->since = now_ns();
	watches_wake(watches);
}

/* Either the watchdog sees the work before it sleeps, or this thread sees `asleep`. */
void watches_wake(struct watches *watches)
{
	if (!watches->asleep)
		return;
	pthread_mutex_lock(&watches->lock);
	watches->asleep = false;
	pthread_cond_signal(&watches->work);
	pthread_mutex_unlock(&watches->lock);
}

void watch_end(struct watch *watch)
{
	watch->since = 0;
}
