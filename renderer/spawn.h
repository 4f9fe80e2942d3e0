/* SPDX-License-Identifier: MIT */
/*
 * The program of a worker, in a process of its own: its start and its end.
 */
#ifndef SPAWN_H
#define SPAWN_H

#include <sys/types.h>

struct broker;

/*
 * Start one with @sock and with @output as its stderr; both stay the caller's. *@end has an event when it is dead,
 * and is the caller's. Returns its pid, -1 with errno set.
 */
pid_t spawn_worker(const struct broker *b, int sock, int output, int *end);

/* It will be dead soon. */
void spawn_kill(pid_t pid);

/* Wait until it is dead, which frees its pid. Returns what it said at its end, -1 if somebody else ended it. */
int spawn_reap(pid_t pid);

#endif
