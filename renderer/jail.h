/* SPDX-License-Identifier: MIT */
/*
 * The jail of a worker.
 */
#ifndef JAIL_H
#define JAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Take everything away from the calling process that decoding and drawing do not need: files, new
 * processes, sockets, most system calls. All threads are jailed, and all later ones. The process dies
 * with its parent. False: the kernel cannot; logged.
 */
bool jail_enter(void);

/*
 * From now on every mmap() of @n files @fds waits for whoever has what this returns (see notify.h); they cannot be
 * read, written, resized or closed, and nothing is mapped that counts against no limit. What is mapped already
 * stays, at its place and size. There is no way back. Returns the notifications' descriptor; -1: logged.
 */
int jail_seal(const int *fds, int n);

/*
 * Bounds what process @pid maps, which has @mapped bytes now: as RLIMIT_DATA does not count memory that cannot be written
 * any more. False: logged.
 */
bool jail_limit(pid_t pid, uint64_t mapped);

#endif
