/* SPDX-License-Identifier: MIT */
/*
 * Elements of sets that take dynamic offsets. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_SET_DYNAMIC_H
#define EXEC_SET_DYNAMIC_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct exec;
struct set;

/*
 * Write the elements of @set that take dynamic offsets, moved by @offsets, to host
 * memory at @map. @places has the offset of each such binding, in order; NULL: use the binding's
 * offset in the set. Returns false with a fault recorded.
 */
bool set_write_dynamic(struct exec *x, const struct set *set, const uint32_t *offsets,
		       unsigned char *map, const VkDeviceSize *places);

#endif
