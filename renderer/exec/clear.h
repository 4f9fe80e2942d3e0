/* SPDX-License-Identifier: MIT */
/*
 * The check of clear values, for clears inside and outside renderings and for attachments. Called
 * by the decoder on the worker's main thread.
 */
#ifndef EXEC_CLEAR_H
#define EXEC_CLEAR_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "sundog_packets.h"

struct exec;

/* Returns true unless @clear is a depth outside 0..1 or a NaN. */
bool clear_value_ok(VkImageAspectFlags aspect, const uint32_t *clear);

#endif
