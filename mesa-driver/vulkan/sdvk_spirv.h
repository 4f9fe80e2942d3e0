/* SPDX-License-Identifier: MIT */
/*
 * What the packet for shaders takes of a module: one entry point, which is called main, and constants that are
 * specialised.
 */
#ifndef SDVK_SPIRV_H
#define SDVK_SPIRV_H

#include <stdint.h>

#include <vulkan/vulkan_core.h>

/* A copy of the module's code for one stage, to be freed, in @dwords; NULL: no memory, or there is no such entry point. */
uint32_t *
sdvk_spirv_of_stage(const VkPipelineShaderStageCreateInfo *info, uint32_t *dwords);

#endif
