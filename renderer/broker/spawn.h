/* SPDX-License-Identifier: MIT */
/*
 * Starts and ends worker processes; process.c calls it in the broker's event thread. A new process
 * executes this program again, with its socket and its log pipe as the only inherited descriptors.
 */
#ifndef BROKER_SPAWN_H
#define BROKER_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct broker;

/*
 * Starts a worker with @sock as its socket and @output as its stderr; the caller keeps both. *@end
 * becomes a pidfd, which the caller owns and which has an event when the worker is dead. Returns
 * the pid, or -1 with errno set.
 */
pid_t spawn_worker(const struct broker *b, int sock, int output, int *end);

/* Sends SIGKILL; does not wait. */
void spawn_kill(pid_t pid);

/*
 * Waits for the death of the worker and frees its pid. Returns the exit status; -1 if a signal
 * ended it.
 */
int spawn_reap(pid_t pid);

/*
 * Limits the address space (RLIMIT_AS) of worker @pid, which maps @mapped bytes now: RLIMIT_DATA
 * does not count memory that is not writable any more. Returns false after an error in the log.
 */
bool spawn_limit_addresses(pid_t pid, uint64_t mapped);

#endif
