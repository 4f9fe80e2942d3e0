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

/* A process that was taken over can have more, and hold up who reads of them; up to these there is no clock. */
#define MAPS_FEW 4096
/* How long it may take to read of more. */
#define MAPS_MS 2000

/*
 * Call @each with every area of a file that @fd, a /proc/PID/maps, shows, until it says false. False: it did, or
 * they cannot be read, or not in time.
 */
bool maps_each(int fd, bool (*each)(const struct maps_area *area, void *data), void *data);

#endif
