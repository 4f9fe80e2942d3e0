/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of a worker: seccomp filters and resource limits. Called by the worker's main thread.
 * The broker adds a limit of addresses (spawn_limit_addresses()).
 */
#ifndef WORKER_WORKER_SANDBOX_H
#define WORKER_WORKER_SANDBOX_H

#include <stdbool.h>

/*
 * Takes from the calling process everything that decoding and drawing do not need: opening files,
 * starting processes, making sockets, and most system calls. Applies to all threads and to those
 * started later. There is no way back. Returns false after an error in the log if the kernel cannot
 * do that.
 */
bool worker_sandbox_enter(void);

/*
 * From now on every mmap() of one of the @n descriptors @fds, and every mmap() with MAP_SHARED |
 * MAP_FIXED, waits for the owner of the returned listener (see mmap_filter.h). @fds cannot be read,
 * written, resized or closed any more, and memory that no limit counts cannot be mapped. Existing
 * mappings keep their place and size. There is no way back. Returns the seccomp listener, or -1
 * after an error in the log.
 */
int worker_sandbox_seal(const int *fds, int n);

#endif
