/* SPDX-License-Identifier: MIT */
/*
 * The capability block: features, limits and formats of the host, and its image layout rule. The
 * worker makes it once at startup.
 */
#ifndef EXEC_CAPS_H
#define EXEC_CAPS_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct exec;

/*
 * Fill in x->caps. Needs x->vk and x->batches; probes the layout rule by drawing into private
 * memory. Main thread, at startup.
 */
void caps_init(struct exec *x);

/* Returns the SUNDOG_FORMAT_FEATURE_* of @format, 0 if streams cannot name it. */
uint32_t caps_format(const struct exec *x, VkFormat format);

#endif
