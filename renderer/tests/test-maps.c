// SPDX-License-Identifier: MIT
/*
 * Tests maps.h: the list of a process's mappings is read to its end, unless it is long and takes
 * too long. Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "broker/maps.h"

#define PAGE 4096
#define MANY (2 * MAPS_FEW)		/* more areas than are read without a time limit */

static unsigned int count;
static bool failed;

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
	failed |= !ok;
}

/* Maps @n areas of one page each that the kernel cannot merge. */
static void *map_areas(int fd, unsigned int n)
{
	char *all = mmap(NULL, n * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (all == MAP_FAILED)
		err(1, "mmap");
	for (unsigned int i = 0; i < n; i += 2)
		if (mprotect(all + i * PAGE, PAGE, PROT_NONE))
			err(1, "mprotect");
	return all;
}

struct seen {
	struct file_id file;
	unsigned int n;
	long pause_ns;			/* pause for each area */
};

static bool see(const struct maps_area *area, void *data)
{
	struct seen *seen = data;

	if (file_id_equal(&area->file, &seen->file)) {
		seen->n++;
		if (seen->pause_ns)
			nanosleep(&(struct timespec){ .tv_nsec = seen->pause_ns }, NULL);
	}
	return true;
}

/* Reads @n areas. @slow: takes twice the time limit. @all: all areas have to be read, else not. */
static void test(int fd, unsigned int n, bool slow, bool all, const char *name)
{
	const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct seen seen = { .pause_ns = slow ? 2 * MAPS_MS * 1000000l / n : 0 };
	void *areas = map_areas(fd, n);
	bool ok;

	if (maps < 0 || !file_id_get(fd, &seen.file))
		err(1, "no maps");
	ok = maps_each(maps, see, &seen, NULL);
	report(ok == all && (seen.n == n) == all, name);
	munmap(areas, n * PAGE);
	close(maps);
}

int main(void)
{
	const int fd = memfd_create("areas", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, MANY * PAGE))
		err(1, "memfd");
	test(fd, MANY, false, true, "many are read");
	test(fd, MAPS_FEW / 4, true, true, "of a few it may take as long as it does");
	test(fd, MANY, true, false, "of many it may not");
	printf("1..%u\n", count);
	return failed;
}
