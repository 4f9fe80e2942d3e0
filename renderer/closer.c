// SPDX-License-Identifier: MIT
/*
 * Closing what others made, see closer.h.
 */
#include "closer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

#define MAX_BUSY 64
#define STUCK_MS 1000

struct batch {
	int n;
	int fds[];
};

static atomic_uint busy;
static _Atomic int64_t done_ms;		/* when one was, or the first began */

static void close_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void *closer_main(void *arg)
{
	struct batch *batch = arg;

	close_all(batch->fds, batch->n);
	free(batch);
	done_ms = now_ms();
	busy--;
	return NULL;
}

void close_later(const int *fds, int n)
{
	struct batch *batch = malloc(sizeof(*batch) + n * sizeof(*fds));
	pthread_t thread;

	if (batch) {
		batch->n = n;
		memcpy(batch->fds, fds, n * sizeof(*fds));
		if (!busy++)
			done_ms = now_ms();
		if (!pthread_create(&thread, NULL, closer_main, batch)) {
			pthread_detach(thread);
			return;
		}
		busy--;
		free(batch);
	}
	close_all(fds, n);
}

bool closers_are_busy(void)
{
	return busy >= MAX_BUSY;
}

bool closers_are_stuck(void)
{
	return closers_are_busy() && now_ms() - done_ms > STUCK_MS;
}
