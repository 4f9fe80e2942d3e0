// SPDX-License-Identifier: MIT
/*
 * Eventfds whose last close() blocks, see locked-files.h.
 */
#define _GNU_SOURCE
#include "locked-files.h"

#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE_SIZE 4096

static int set;				/* epoll set */
static struct epoll_event *page;	/* faults block there */

bool locked_files_work(void)
{
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	const int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.range.start = (uintptr_t)page;
	area.range.len = PAGE_SIZE;
	return fd >= 0 && page != MAP_FAILED && !ioctl(fd, UFFDIO_API, &api) &&
	       !ioctl(fd, UFFDIO_REGISTER, &area);
}

static int add(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd < 0 || epoll_ctl(set, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll_ctl");
	return fd;
}

static void *wait_for_events(void *arg)
{
	epoll_wait(set, page, 1, -1);
	return arg;
}

int locked_files_new(int *fds, int n)
{
	pthread_t thread;

	set = epoll_create1(EPOLL_CLOEXEC);
	if (set < 0 || !locked_files_work())
		errx(1, "no userfaultfd");
	add(eventfd(1, EFD_CLOEXEC));
	for (int i = 0; i < n; i++)
		fds[i] = add(eventfd(0, EFD_CLOEXEC));
	if (pthread_create(&thread, NULL, wait_for_events, NULL))
		errx(1, "no thread");
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	return set;
}
