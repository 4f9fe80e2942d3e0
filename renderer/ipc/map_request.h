/* SPDX-License-Identifier: MIT */
/*
 * mmap() calls of a worker for its client's memory. The worker's seccomp filter (worker_sandbox.h)
 * passes each of these to the broker, which checks the arguments and allows or denies the call
 * (access_table.h, mmap_filter.c). Called by the worker's main thread.
 */
#ifndef IPC_MAP_REQUEST_H
#define IPC_MAP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Maps a range of @fd at @addr, for reading and writing. @handle, if not 0, is the allocation in
 * that range. Returns false with errno set; EACCES: the client has no right to it.
 */
bool map_request(void *addr, uint64_t size, int fd, uint32_t handle, uint64_t offset);

/*
 * Asks the broker to make @guest_fd refer to the guest pages at @heap_offset in heap GUEST, where
 * allocation @handle lies. *@offset becomes the position in that file, *@size the number of bytes
 * from there to its end. Returns false with errno set.
 */
bool map_request_guest(int guest_fd, uint32_t handle, uint64_t heap_offset, uint64_t *offset,
		       uint64_t *size);

/*
 * Tells the broker that everything the first @asked requests revoke is unmapped. Returns false if
 * the broker does not accept that.
 */
bool map_request_confirm(int vram_fd, uint64_t asked);

#endif
