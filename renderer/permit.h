/* SPDX-License-Identifier: MIT */
/*
 * How a worker maps its client's memory. Each of these is an mmap() that the jail (jail.h) passes to the broker,
 * which looks at its arguments and lets it happen or not (entitle.h).
 */
#ifndef PERMIT_H
#define PERMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Map a part of @fd at @addr, for reading and writing. @handle, if not 0, is the allocation that is there. False
 * with errno set; EACCES: not this client's.
 */
bool permit_map(void *addr, uint64_t size, int fd, uint32_t handle, uint64_t offset);

/*
 * Have @guest_fd be the pages of the guest that are at @heap_offset in heap GUEST, where allocation @handle is.
 * *@offset is where in them, *@size how many bytes there are from there. False with errno set.
 */
bool permit_guest(int guest_fd, uint32_t handle, uint64_t heap_offset, uint64_t *offset, uint64_t *size);

/* All that the first @asked requests of the broker took back is unmapped. False: the broker does not think so. */
bool permit_confirm(int vram_fd, uint64_t asked);

#endif
