/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_ARRAY_H_
#define _SUNDOG_ARRAY_H_

#include <linux/types.h>

/**
 * struct sundog_array - an array argument of an ioctl
 */
struct sundog_array {
	/** @ptr: user pointer to the first element */
	u64 ptr;
	/** @n: number of elements */
	u32 n;
	/** @stride: distance between two elements in bytes */
	u32 stride;
};

int sundog_array_copy(const struct sundog_array *array, void *elements, size_t size);
void *sundog_array_read(const struct sundog_array *array, size_t size, u32 max, void *few,
			u32 n_few);
void sundog_array_free(void *elements, const void *few);
int sundog_array_write(const struct sundog_array *array, u32 i, const void *element, size_t size);

#endif
