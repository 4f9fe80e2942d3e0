/* SPDX-License-Identifier: MIT */
/*
 * File descriptors that the broker makes, receives from peers and passes on.
 *
 * A descriptor of a peer can be of any kind, and a system call on it can block for as long as its
 * owner likes: a file in FUSE answers fstat(), lseek() and close() as it wants. The functions here
 * ask Linux, not the file, what a descriptor is; the other system calls are safe after that.
 */
#ifndef IPC_FILE_H
#define IPC_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Raises RLIMIT_NOFILE to its hard limit and reserves the highest numbers for descriptors that are
 * closed soon, such as those of messages in transit; so a peer that uses up the other numbers does
 * not break connections of others. Returns the number of descriptors that may stay open.
 */
int files_allow(void);

/* Returns true if @fd is not in the reserve. Linux always assigns the lowest free number. */
bool file_may_stay(int fd);

/*
 * Returns @fd, which the caller owns, if it may stay open; else closes it. Returns -1 with errno
 * set then, and also if @fd is -1.
 */
int file_keep(int fd);

/*
 * Opens the file of @fd again through /proc with access mode @flags, independent of how @fd was
 * opened. Returns -1 with errno set on errors.
 */
int file_reopen(int fd, int flags);

/*
 * Makes a memfd for a direct client, sealed against resizing. Returns -1 with errno set on errors.
 */
int memfd_new(const char *name, uint64_t size);

/*
 * Returns true if @fd is a memfd that has at least @size bytes and seals against resizing, so that
 * the broker and workers can rely on its size.
 */
bool memfd_is_ok(int fd, uint64_t size);

/* Returns true if @fd is a dma-buf; the size of a dma-buf never changes. */
bool file_is_dmabuf(int fd);

bool file_is_eventfd(int fd);

/* Identifies a file for as long as somebody has it open. */
struct file_id {
	dev_t dev;
	ino_t ino;
};

/* Returns false if fstat() fails. */
bool file_id_get(int fd, struct file_id *id);

static inline bool file_id_equal(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

#endif
