/* SPDX-License-Identifier: MIT */
/*
 * File descriptors of all kinds, for peers and workers to send. They are created once per process,
 * so a descriptor that is open after an execution but not before it is a leak of the broker.
 *
 * A party is a connection with its workers. The size of a memory and the count of an eventfd
 * identify the party that owns it.
 */
#ifndef POOL_H
#define POOL_H

#include <stdint.h>
#include <sys/types.h>

#define MAX_PARTIES 8			/* parties are 1..MAX_PARTIES; 0: no party */

enum pool_kind {
	/* one of each per party, and valid */
	POOL_VRAM,
	POOL_TABLE,
	POOL_CHANNELS,
	POOL_GUEST,
	POOL_DOORBELL,
	POOL_IRQ,
	POOL_OWN,
	/* shared by all parties, and not valid */
	POOL_LOOSE = POOL_OWN,
	POOL_GROWS,
	POOL_SMALL,
	POOL_PATH,
	POOL_PIPE_IN,
	POOL_PIPE_OUT,
	POOL_SOCKET,
	POOL_FOLDER,
	POOL_NULL,
	POOL_EPOLL,
	POOL_TIMER,
	POOL_KINDS,
};

void pool_init(void);

/*
 * Returns a descriptor of @kind, which is the party's own if the kind is per party. The pool keeps
 * ownership.
 */
int pool_get(uint8_t party, unsigned int kind);

/*
 * pool_size() returns a memory size of about @size that identifies @party. pool_party() returns the
 * party of a memory of that size.
 */
uint64_t pool_size(uint8_t party, uint64_t size);
uint8_t pool_party(uint64_t size);

/* Return the party that owns a memory or an eventfd, 0 if there is none. */
uint8_t pool_party_of_memory(int fd);
uint8_t pool_party_of_event(int fd);

/* Returns how many copies of the descriptors of kind POOL_GUEST are open. */
unsigned int pool_guest_copies(void);

/* Writes to a table or channel memory of a party, until the end of the execution. */
void pool_write(uint8_t party, enum pool_kind kind, uint64_t offset, const void *data, size_t size);

/*
 * Begin and end an execution; pool_end() aborts if other descriptors are open than at the
 * beginning.
 */
void pool_begin(void);
void pool_end(void);

#endif
