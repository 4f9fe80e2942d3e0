/* SPDX-License-Identifier: MIT */
/*
 * Reports on shaders: what the renderer's checks said of a shader (packet report_shader), so that
 * the call that creates a pipeline fails, and not the draw. The device owns the memory of reports.
 */
#ifndef SDVK_REPORT_H
#define SDVK_REPORT_H

#include <vulkan/vulkan_core.h>

#include <sundog.h>

#include "util/bitset.h"
#include "util/simple_mtx.h"

#define SDVK_MAX_REPORTS 512

struct sdvk_device;

struct sdvk_reports {
   simple_mtx_t lock; /* guards all members */
   /* created on first use: a context of the device in which nothing else waits, and memory */
   struct sdrm_context *ctx;
   struct sdrm_submit *submit;
   struct sdrm_bo *bo;
   struct sundog_shader_report *map;
   BITSET_DECLARE(used, SDVK_MAX_REPORTS);
   /* of a report that was not waited for to the end: its submission, which may still write it */
   struct sdrm_fence *late[SDVK_MAX_REPORTS];
   int64_t quiet_until; /* time in ns until which no shader is asked about */
};

/* A shader to ask about. */
struct sdvk_check {
   uint32_t id;
   VkShaderStageFlagBits stage;
   bool known;      /* set if the renderer has reported */
   VkResult result; /* set then */
};

void
sdvk_reports_init(struct sdvk_reports *reports);
/* The queue still exists: freeing memory may submit to it. */
void
sdvk_reports_fini(struct sdvk_device *device);

/*
 * Asks the renderer about @n shaders and waits for its reports. Reasons of refusals are logged,
 * and become messages of VK_EXT_debug_utils. Shaders stay unknown if the renderer does not report,
 * if the queue is or was busy for long, and without memory: then draws with a refused shader lose
 * the device.
 */
void
sdvk_check_shaders(struct sdvk_device *device, struct sdvk_check *checks, uint32_t n);

#endif
