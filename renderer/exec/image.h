/* SPDX-License-Identifier: MIT */
/*
 * Images, image views and samplers: creation and destruction. Called on the worker's main thread by
 * the decoder, and by object.c for objects that no batch uses any more.
 */
#ifndef EXEC_IMAGE_H
#define EXEC_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "sundog_packets.h"

struct alloc;
struct exec;
struct image;
struct image_view;
struct sampler;

/* Returns true if the host supports such an image, else false with a fault for @id recorded. */
bool image_info_ok(struct exec *x, uint32_t id, const VkImageCreateInfo *info);

/*
 * Create the image that @info describes at @offset of @alloc; adds to the end of @info's pNext
 * chain. @size: bytes that the image touches, 0: the size that the host reports. Returns the
 * caller's reference, or NULL with a fault recorded.
 */
struct image *image_new(struct exec *x, VkImageCreateInfo *info, struct alloc *alloc,
			uint64_t offset, uint64_t size);

void image_free(struct exec *x, struct image *image);
void image_view_free(struct exec *x, struct image_view *view);
void sampler_free(struct exec *x, struct sampler *sampler);

#endif
