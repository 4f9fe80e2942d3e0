/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of every kind, for peers and workers to send. They are made once: what an execution leaves open
 * is what somebody forgot.
 *
 * A party is a connection with its workers. Whose a memory is shows in its size, and whose an eventfd is in its
 * count.
 */
#ifndef POOL_H
#define POOL_H

#include <stdint.h>
#include <sys/types.h>

#define MAX_PARTIES 8			/* 1..MAX_PARTIES; 0: nobody in particular */

enum pool_kind {
	/* each party's own, and what they should be */
	POOL_VRAM, POOL_TABLE, POOL_CHANNELS, POOL_GUEST, POOL_DOORBELL, POOL_IRQ,
	POOL_OWN,
	/* everybody's, and not */
	POOL_LOOSE = POOL_OWN, POOL_GROWS, POOL_SMALL, POOL_PATH, POOL_PIPE_IN, POOL_PIPE_OUT, POOL_SOCKET, POOL_FOLDER,
	POOL_NULL, POOL_EPOLL, POOL_TIMER,
	POOL_KINDS,
};

void pool_init(void);

/* A descriptor of @kind, of this party if it is one of its own. It stays the pool's. */
int pool_get(uint8_t party, unsigned int kind);

/* A size of memory that is at least @size and says whose it is, and whose a memory of that size is. */
uint64_t pool_size(uint8_t party, uint64_t size);
uint8_t pool_party(uint64_t size);

/* Whose memory, or eventfd, a descriptor is; 0: nobody's. */
uint8_t pool_party_of_memory(int fd);
uint8_t pool_party_of_event(int fd);

/* A party writes to its tables or channels, until the execution ends. */
void pool_write(uint8_t party, enum pool_kind kind, uint64_t offset, const void *data, size_t size);

/* Around an execution: nothing else is open after it than before. */
void pool_begin(void);
void pool_end(void);

#endif
