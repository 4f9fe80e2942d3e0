/* SPDX-License-Identifier: MIT */
/*
 * Files that the broker makes, takes from others and hands on.
 */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stdint.h>

/* The same file once more, with rights of its own, however it was opened. -1 with errno set if it cannot be. */
int file_reopen(int fd, int flags);

/* A memory of the broker's own, for a direct client. -1 with errno set. */
int memfd_new(const char *name, uint64_t size);

/* The memory that a device brought must be as large as it says and must never shrink under us. */
bool memfd_is_ok(int fd, uint64_t size);

#endif
