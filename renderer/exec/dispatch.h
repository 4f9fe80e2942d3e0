/* SPDX-License-Identifier: MIT */
/*
 * Dispatches of the renderer's own compute shaders. Called on the worker's main thread.
 */
#ifndef EXEC_DISPATCH_H
#define EXEC_DISPATCH_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct exec;

/*
 * Record a dispatch of one group of @shader, of the layout of shaders without a pipeline layout.
 * @arguments: its push constants, @size bytes. The shader and the push constants of the stream are
 * restored.
 */
void dispatch_own(struct exec *x, VkShaderEXT shader, const void *arguments, uint32_t size);

#endif
