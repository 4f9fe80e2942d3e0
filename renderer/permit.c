// SPDX-License-Identifier: MIT
/*
 * How a worker maps its client's memory, see permit.h.
 */
#define _GNU_SOURCE
#include "permit.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sundog_hw.h"

/* Linux takes the lower half of the argument for the descriptor, the broker reads the upper one as well. */
static uint64_t fd_argument(int fd, uint32_t handle)
{
	return (uint64_t)handle << 32 | (uint32_t)fd;
}

bool permit_map(void *addr, uint64_t size, int fd, uint32_t handle, uint64_t offset)
{
	return syscall(SYS_mmap, addr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		       fd_argument(fd, handle), offset) != -1;
}

/* A mapping of no size is a question: the answer is pages before the offset << 32 | pages from there on. */
bool permit_guest(int guest_fd, uint32_t handle, uint64_t heap_offset, uint64_t *offset, uint64_t *size)
{
	const long answer = syscall(SYS_mmap, NULL, 0ul, PROT_NONE, MAP_SHARED, fd_argument(guest_fd, handle),
				    heap_offset);

	if (answer < 0)
		return false;
	*offset = (uint64_t)(answer >> 32) * SUNDOG_PAGE_SIZE;
	*size = (uint64_t)(uint32_t)answer * SUNDOG_PAGE_SIZE;
	return true;
}

/*
 * Linux repeats a call that a signal interrupted, also one that the broker has taken already. The broker takes each
 * confirmation once, and refuses the second one with EINVAL.
 */
bool permit_confirm(int vram_fd, uint64_t asked)
{
	return !syscall(SYS_mmap, NULL, 0ul, PROT_NONE, MAP_SHARED, fd_argument(vram_fd, 0), asked) || errno == EINVAL;
}
