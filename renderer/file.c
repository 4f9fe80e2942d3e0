// SPDX-License-Identifier: MIT
/*
 * Files, see file.h.
 */
#define _GNU_SOURCE
#include "file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int file_reopen(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC | O_NOCTTY);
}

int memfd_new(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, size) ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool memfd_is_ok(int fd, uint64_t size)
{
	const int want = F_SEAL_SHRINK | F_SEAL_GROW, have = fcntl(fd, F_GET_SEALS);
	struct stat st;

	/* Seals first: what has them is no file whose file system may make the broker wait. */
	return have >= 0 && (have & want) == want && !fstat(fd, &st) && (uint64_t)st.st_size >= size;
}
