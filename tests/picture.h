/* SPDX-License-Identifier: MIT */
/* 8-bit RGBA pictures as PNG files. Functions print what went wrong and return false. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write @height rows of @width RGBA pixels, @pitch bytes apart (negative: bottom row first). */
bool picture_save(const char *path, const uint8_t *rgba, int width, int height, ptrdiff_t pitch);

/* Read a file; *rgba is packed rows, free() it. */
bool picture_load(const char *path, uint8_t **rgba, int *width, int *height);

#endif
