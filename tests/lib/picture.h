/* SPDX-License-Identifier: MIT */
/* 8-bit RGBA pictures as PNG files. Functions print an error and return false if they fail. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes @height rows of @width RGBA pixels, @pitch bytes apart (negative: bottom row first). */
bool picture_save(const char *path, const uint8_t *rgba, int width, int height, ptrdiff_t pitch);

/* Reads a file into *@rgba: rows without padding, which the caller frees. */
bool picture_load(const char *path, uint8_t **rgba, int *width, int *height);

#endif
