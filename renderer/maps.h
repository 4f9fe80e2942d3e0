/* SPDX-License-Identifier: MIT */
/*
 * What a process maps, as /proc/PID/maps says it.
 */
#ifndef MAPS_H
#define MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Which file, for as long as somebody has it open. */
struct file_id {
	dev_t dev;
	ino_t ino;
};

/* False: it cannot be told. */
bool file_id_get(int fd, struct file_id *id);

static inline bool file_id_equal(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/* A memory area of a file. */
struct maps_area {
	struct file_id file;
	uint64_t offset, size;		/* in the file, bytes */
};

/*
 * How long it may take to read of few areas, and of more. A process that was taken over can have many, and threads that
 * change them all the time, for which Linux waits at each page of the text.
 */
#define MAPS_FEW 4096
#define MAPS_FEW_MS 10000
#define MAPS_MS 2000

/*
 * Call @each with every area of a file that @fd, a /proc/PID/maps, shows, until it says false. False: it did, or
 * they cannot be read, or not in time. Unless it is NULL, adds the bytes of all areas to @total, of files or not.
 */
bool maps_each(int fd, bool (*each)(const struct maps_area *area, void *data), void *data, uint64_t *total);

#endif
