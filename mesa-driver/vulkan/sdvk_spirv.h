/* SPDX-License-Identifier: MIT */
/*
 * What the packet for shaders takes of a module: one entry point, which is called main, constants that are
 * specialised, and no input attachments.
 */
#ifndef SDVK_SPIRV_H
#define SDVK_SPIRV_H

#include <stdint.h>

#include <vulkan/vulkan_core.h>

/* A copy of the module's code for one stage, to be freed, in @dwords; NULL: no memory, or there is no such entry point. */
uint32_t *
sdvk_spirv_of_stage(const VkPipelineShaderStageCreateInfo *info, uint32_t *dwords);

/* sdvk_spirv_input.c: of a fragment shader, whose @dwords are one entry point's; @code, or another instead. */
uint32_t *
sdvk_spirv_lower_inputs(uint32_t *code, uint32_t *dwords);

#endif
