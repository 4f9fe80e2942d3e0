// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Array arguments of ioctls: copies from and to user space. The distance between elements is an
 * argument, too (stride), so that elements can grow. Called by ioctls, without spinlocks.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "sundog_array.h"

/**
 * sundog_array_copy() - copy an array argument into the kernel
 * @array: array argument; if its stride is larger than @size, the tails of elements must be zero
 * @elements: buffer for @array->n elements of @size bytes
 * @size: size of an element in this kernel, in bytes
 *
 * Return: 0, -EINVAL or -EFAULT.
 */
int sundog_array_copy(const struct sundog_array *array, void *elements, size_t size)
{
	const u8 __user *from = u64_to_user_ptr(array->ptr);
	u32 i;
	int ret;

	if (!array->n)
		return 0;
	if (array->stride < size || array->stride > PAGE_SIZE)
		return -EINVAL;
	if (array->stride == size)
		return copy_from_user(elements, from, array->n * size) ? -EFAULT : 0;
	for (i = 0; i < array->n; i++) {
		ret = copy_struct_from_user(elements + i * size, size,
					    from + (size_t)i * array->stride, array->stride);
		if (ret)
			return ret == -E2BIG ? -EINVAL : ret;
	}
	return 0;
}

/**
 * sundog_array_read() - copy an array argument into a buffer of the caller or an allocated one
 * @array: array argument, as for sundog_array_copy()
 * @size: size of an element in this kernel, in bytes
 * @max: maximum number of elements
 * @few: buffer of the caller for a short array, or NULL
 * @n_few: capacity of @few in elements
 *
 * Return: an array of @array->n elements, for sundog_array_free(); NULL if @array is empty; or
 * -EINVAL, -EFAULT or -ENOMEM as an error pointer.
 */
void *sundog_array_read(const struct sundog_array *array, size_t size, u32 max, void *few,
			u32 n_few)
{
	void *elements = few;
	int ret;

	if (!array->n)
		return NULL;
	if (array->n > max)
		return ERR_PTR(-EINVAL);
	if (array->n > n_few)
		elements = kvmalloc_array(array->n, size, GFP_KERNEL);
	if (!elements)
		return ERR_PTR(-ENOMEM);
	ret = sundog_array_copy(array, elements, size);
	if (ret) {
		sundog_array_free(elements, few);
		return ERR_PTR(ret);
	}
	return elements;
}

/**
 * sundog_array_free() - free an array from sundog_array_read()
 * @elements: array, or NULL
 * @few: the argument of sundog_array_read()
 */
void sundog_array_free(void *elements, const void *few)
{
	if (elements && elements != few)
		kvfree(elements);
}

/**
 * sundog_array_write() - copy one element back to user space
 * @array: array argument
 * @i: index of the element
 * @element: new contents of the element
 * @size: size of an element in this kernel, in bytes
 *
 * Return: 0 or -EFAULT.
 */
int sundog_array_write(const struct sundog_array *array, u32 i, const void *element, size_t size)
{
	u8 __user *to = u64_to_user_ptr(array->ptr);

	return copy_to_user(to + (size_t)i * array->stride, element, size) ? -EFAULT : 0;
}
