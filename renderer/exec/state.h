/* SPDX-License-Identifier: MIT */
/*
 * State of the stream that other files change: the shaders that are bound in the host, and the
 * references to vertex ranges. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_STATE_H
#define EXEC_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "sundog_packets.h"

struct exec;

/* Drop the stream's references to vertex ranges, at its end. */
void vertex_ranges_release(struct exec *x);

/* Bind shaders of @stages (a mask) that the host has. */
void shaders_to_host(struct exec *x, const VkShaderEXT *shaders, uint32_t stages);

/*
 * llvmpipe blits with draws and takes a bound mesh shader's outputs for those of its own shaders:
 * unbind mesh shaders (@bound false) before a blit and bind them (true) after it.
 */
void mesh_shaders_to_host(struct exec *x, bool bound);

#endif
