// SPDX-License-Identifier: MIT
/*
 * File descriptors of the broker, see file.h.
 */
#define _GNU_SOURCE
#include "ipc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_RESERVE 512			/* two messages with as many descriptors as Linux allows */

static int may_stay = INT_MAX;

int files_allow(void)
{
	struct rlimit limit;
	rlim_t all;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return may_stay;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	all = limit.rlim_cur < INT_MAX ? limit.rlim_cur : INT_MAX;
	may_stay = all - (all / 4 < MAX_RESERVE ? all / 4 : MAX_RESERVE);
	return may_stay;
}

bool file_may_stay(int fd)
{
	return fd < may_stay;
}

int file_keep(int fd)
{
	if (fd < 0 || file_may_stay(fd))
		return fd;
	close(fd);
	errno = EMFILE;
	return -1;
}

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

	/*
	 * Seals first: a file that has seals is a memfd, and fstat() of it cannot block on a file
	 * system.
	 */
	return have >= 0 && (have & want) == want && !fstat(fd, &st) &&
	       (uint64_t)st.st_size >= size;
}

/*
 * Stores the kernel's name of the file in @name: names of files without a path are the kernel's
 * own, others begin with /. This does not call into the file, so its owner cannot block it.
 */
static void get_name(int fd, char *name, size_t size)
{
	char path[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, name, size - 1);
	name[length > 0 ? length : 0] = 0;
}

/*
 * Returns true if the fdinfo of @fd, which only Linux writes, contains @start. For some kinds of
 * files that waits for a lock that their owner can hold.
 */
static bool has_line(int fd, const char *start)
{
	char path[32], info[512];
	ssize_t size = 0;
	int file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	size = read(file, info, sizeof(info) - 1);
	close(file);
	info[size > 0 ? size : 0] = 0;
	return strstr(info, start);
}

bool file_is_dmabuf(int fd)
{
	char name[64];

	/*
	 * Check the name first: anybody can choose a path like this, but epoll sets and other files
	 * whose fdinfo can block have none.
	 */
	get_name(fd, name, sizeof(name));
	return !strncmp(name, "/dmabuf:", 8) && has_line(fd, "\nexp_name:");
}

bool file_is_eventfd(int fd)
{
	char name[64];

	get_name(fd, name, sizeof(name));
	return !strcmp(name, "anon_inode:[eventfd]");
}

bool file_id_get(int fd, struct file_id *id)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	*id = (struct file_id){ st.st_dev, st.st_ino };
	return true;
}
