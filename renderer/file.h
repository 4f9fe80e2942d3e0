/* SPDX-License-Identifier: MIT */
/*
 * Files that the broker makes, takes from others and hands on.
 *
 * What a peer sends may be anything, and any question about it may wait for whoever made it: a file in FUSE
 * answers fstat(), lseek() and close() as it likes. The functions here ask Linux, not the file, what it is;
 * the others may be asked then.
 */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Allow as many descriptors as we may have. The last of them are for messages on their way and other things
 * that end at once, so that whoever uses up the others ends nobody else's. Returns how many may stay.
 */
int files_allow(void);

/* May a descriptor of this number stay open? The lowest that is free is always taken. */
bool file_may_stay(int fd);

/* Pass on @fd, which is ours, if it may; else close it. -1 with errno set, also if @fd is. */
int file_keep(int fd);

/* The same file once more, with rights of its own, however it was opened. -1 with errno set if it cannot be. */
int file_reopen(int fd, int flags);

/* A memory of the broker's own, for a direct client. -1 with errno set. */
int memfd_new(const char *name, uint64_t size);

/* The memory that a device brought must be as large as it says and must never shrink under us. */
bool memfd_is_ok(int fd, uint64_t size);

/* Is it a dma-buf? Those do not change their size. */
bool file_is_dmabuf(int fd);

bool file_is_eventfd(int fd);

#endif
