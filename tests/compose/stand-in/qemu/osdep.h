/* SPDX-License-Identifier: MIT */
/*
 * The part of QEMU's qemu/osdep.h that sundog-compose.c needs, for a build of it outside QEMU.
 */
#ifndef QEMU_OSDEP_H
#define QEMU_OSDEP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#endif
