/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of a worker: seccomp filters and resource limits. A worker calls jail_enter() and
 * jail_seal(), the broker calls jail_limit().
 */
#ifndef WORKER_WORKER_SANDBOX_H
#define WORKER_WORKER_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Takes from the calling process everything that decoding and drawing do not need: opening files,
 * starting processes, making sockets, and most system calls. Applies to all threads and to those
 * started later. There is no way back. Returns false after an error in the log if the kernel cannot
 * do that.
 */
bool jail_enter(void);

/*
 * From now on every mmap() of one of the @n descriptors @fds, and every mmap() with MAP_SHARED |
 * MAP_FIXED, waits for the owner of the returned listener (see mmap_filter.h). @fds cannot be read,
 * written, resized or closed any more, and memory that no limit counts cannot be mapped. Existing
 * mappings keep their place and size. There is no way back. Returns the seccomp listener, or -1
 * after an error in the log.
 */
int jail_seal(const int *fds, int n);

/*
 * Limits the address space (RLIMIT_AS) of worker @pid, which maps @mapped bytes now: RLIMIT_DATA
 * does not count memory that is not writable any more. Returns false after an error in the log.
 */
bool jail_limit(pid_t pid, uint64_t mapped);

#endif
