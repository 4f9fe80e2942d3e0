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

#define MAX_BUSY 64

struct batch {
	int n;
	int fds[];
};

static atomic_uint busy;

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
		busy++;
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
