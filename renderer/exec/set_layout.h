/* SPDX-License-Identifier: MIT */
/*
 * Layouts of descriptor sets and pipelines: queries and destruction. Called by the decoder on the
 * worker's main thread.
 */
#ifndef EXEC_SET_LAYOUT_H
#define EXEC_SET_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "sundog_packets.h"

struct exec;
struct pipeline_layout;
struct set_binding;
struct set_layout;

/*
 * Write the host's set layouts of a pipeline layout, at most SUNDOG_MAX_SETS, to @out. Returns
 * their number.
 */
uint32_t pipeline_layout_sets(const struct pipeline_layout *layout, VkDescriptorSetLayout *out);

/* Returns binding @number of a layout, NULL if it has none. */
const struct set_binding *set_layout_find(const struct set_layout *layout, uint32_t number);

void set_layout_free(struct exec *x, struct set_layout *layout);
void pipeline_layout_free(struct exec *x, struct pipeline_layout *layout);

#endif
