// SPDX-License-Identifier: MIT
/*
 * Parser of /proc/PID/maps, see maps.h.
 */
#include "broker/maps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "broker/event_source.h"

#define PAGE_SIZE 4096

/*
 * Parses "start-end perms offset major:minor inode path". Returns true if the mapping has a file:
 * only files have inodes.
 */
static bool parse(const char *line, struct maps_area *area)
{
	char *at;
	const uint64_t start = strtoull(line, &at, 16), end = strtoull(at + 1, &at, 16);
	unsigned int major;

	at = strchr(at + 1, ' ');
	if (!at)
		return false;
	area->offset = strtoull(at, &at, 16);
	area->size = end - start;
	major = strtoul(at, &at, 16);
	area->file.dev = makedev(major, strtoul(at + 1, &at, 16));
	area->file.ino = strtoull(at, NULL, 10);
	return area->file.ino;
}

bool maps_each(int fd, bool (*each)(const struct maps_area *area, void *data), void *data,
	       uint64_t *total)
{
	static char buffer[65536];
	const int64_t start_ms = now_ms();
	unsigned int n = 0;
	struct maps_area area = { .size = 0 };
	size_t have = 0;
	ssize_t got;

	if (lseek(fd, 0, SEEK_SET))
		return false;
	/*
	 * A line is not much longer than a page. Linux takes the process's mmap lock for each page
	 * of the text, so check the clock after each read().
	 */
	while ((got = read(fd, buffer + have, PAGE_SIZE)) > 0) {
		char *line = buffer, *end;

		have += got;
		buffer[have] = 0;
		while ((end = strchr(line, '\n'))) {
			*end = 0;
			if (parse(line, &area) && !each(&area, data))
				return false;
			if (total)
				*total += area.size;
			line = end + 1;
			n++;
		}
		if (now_ms() - start_ms > (n > MAPS_FEW ? MAPS_MS : MAPS_FEW_MS))
			return false;
		have -= line - buffer;
		if (have > sizeof(buffer) - 1 - PAGE_SIZE)
			return false;
		memmove(buffer, line, have);
	}
	return !got && !have;
}
