// SPDX-License-Identifier: MIT
/*
 * mmap() calls of a worker for its client's memory, see map_request.h. mmap_filter.c in the broker
 * handles them.
 */
#define _GNU_SOURCE
#include "ipc/map_request.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sundog_hw.h"

/*
 * Linux uses the lower 32 bits of the argument as the descriptor; the broker reads the handle from
 * the upper 32 bits.
 */
static uint64_t fd_argument(int fd, uint32_t handle)
{
	return (uint64_t)handle << 32 | (uint32_t)fd;
}

bool map_request(void *addr, uint64_t size, int fd, uint32_t handle, uint64_t offset)
{
	return syscall(SYS_mmap, addr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		       fd_argument(fd, handle), offset) != -1;
}

/*
 * An mmap() of size 0 is a question to the broker. Its answer: pages before the offset << 32 |
 * pages from there to the end.
 */
bool map_request_guest(int guest_fd, uint32_t handle, uint64_t heap_offset, uint64_t *offset,
		       uint64_t *size)
{
	const long answer = syscall(SYS_mmap, NULL, 0ul, PROT_NONE, MAP_SHARED,
				    fd_argument(guest_fd, handle), heap_offset);

	if (answer < 0)
		return false;
	*offset = (uint64_t)(answer >> 32) * SUNDOG_PAGE_SIZE;
	*size = (uint64_t)(uint32_t)answer * SUNDOG_PAGE_SIZE;
	return true;
}

/*
 * Linux restarts a call that a signal interrupted, even if the broker has received it already. The
 * broker takes each confirmation once, and refuses the second one with EINVAL.
 */
bool map_request_confirm(int vram_fd, uint64_t asked)
{
	return !syscall(SYS_mmap, NULL, 0ul, PROT_NONE, MAP_SHARED, fd_argument(vram_fd, 0),
			asked) || errno == EINVAL;
}
