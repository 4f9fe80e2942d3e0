/* SPDX-License-Identifier: MIT */
/*
 * Parser of /proc/PID/maps: the files that a process maps. The broker reads the maps of its workers
 * with it, in its event thread.
 */
#ifndef BROKER_MAPS_H
#define BROKER_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/file.h"

/* A mapping of a file. */
struct maps_area {
	struct file_id file;
	uint64_t offset, size;		/* range of the file, bytes */
};

/*
 * Time limits for reading: MAPS_FEW_MS for up to MAPS_FEW mappings, MAPS_MS for more. A hijacked
 * worker can have many mappings and threads that change them all the time, and Linux takes the
 * process's mmap lock for each page of the text.
 */
#define MAPS_FEW 4096
#define MAPS_FEW_MS 10000
#define MAPS_MS 2000

/*
 * Calls @each with every mapping of a file that @fd, a /proc/PID/maps, shows, until @each returns
 * false. Returns false if @each did, if @fd cannot be read, or if reading takes too long. If @total
 * is not NULL, adds the sizes of all mappings to it, including those without a file. Uses a static
 * buffer: one thread only.
 */
bool maps_each(int fd, bool (*each)(const struct maps_area *area, void *data), void *data,
	       uint64_t *total);

#endif
