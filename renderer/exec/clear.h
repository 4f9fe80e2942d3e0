/* SPDX-License-Identifier: MIT */
/*
 * The check of depths and clear values, for clears inside and outside renderings, for attachments
 * and for state. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_CLEAR_H
#define EXEC_CLEAR_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "sundog_packets.h"

struct exec;

/* Returns true if @depth is in 0..1, or with feature DEPTH_RANGE if it is finite. */
bool depth_ok(const struct exec *x, float depth);
/*
 * Returns true unless @clear is a depth outside 0..1 or, with feature DEPTH_RANGE, a NaN. An
 * infinite depth is a value like others for a clear.
 */
bool clear_value_ok(const struct exec *x, VkImageAspectFlags aspect, const uint32_t *clear);
/* Returns @clear for the host. A depth for a @format with fixed-point depths is clamped to 0..1. */
VkClearValue clear_value(VkImageAspectFlags aspect, VkFormat format, const uint32_t *clear);

#endif
