/* SPDX-License-Identifier: MIT */
/*
 * Reports on shaders: see sdvk_report.h. Any thread of the program calls this; sdvk_reports::lock
 * guards the places of reports, and nobody holds it while waiting.
 */
#include "sdvk_report.h"

#include <errno.h>
#include <string.h>

#include "sdvk_device.h"
#include "sdvk_memory.h"
#include "sdvk_physical_device.h"
#include "util/os_time.h"
#include "vk_log.h"

/*
 * The queue runs in order, so a report waits for earlier work, which may be a computation of
 * seconds. A call that creates pipelines waits this long at most, and no other call waits until the
 * report is there: the queue delays a program once at most for each time that it is so busy.
 */
#define PATIENCE_NS 2000000000ll

void
sdvk_reports_init(struct sdvk_reports *reports)
{
   simple_mtx_init(&reports->lock, mtx_plain);
}

void
sdvk_reports_fini(struct sdvk_device *device)
{
   struct sdvk_reports *reports = &device->reports;

   for (uint32_t i = 0; i < SDVK_MAX_REPORTS; i++)
      sdrm_fence_del(reports->late[i]);
   sdvk_bo_free(device, reports->bo);
   simple_mtx_destroy(&reports->lock);
}

/* The caller holds the lock. */
static bool
has_memory(struct sdvk_device *device)
{
   struct sdvk_reports *reports = &device->reports;

   if (reports->map)
      return true;
   if (!reports->bo &&
       sdvk_bo_allocate(device, SDVK_MAX_REPORTS * sizeof(*reports->map), &reports->bo))
      return false;
   reports->map = sdrm_bo_map(reports->bo);
   return reports->map;
}

/* Returns true if a late report is still not there. The caller holds the lock. */
static bool
is_late(struct sdvk_reports *reports)
{
   for (uint32_t i = 0; i < SDVK_MAX_REPORTS; i++) {
      if (!reports->late[i])
         continue;
      if (sdrm_fence_wait(reports->late[i], 0) == -ETIME)
         return true;
      sdrm_fence_del(reports->late[i]);
      reports->late[i] = NULL;
      BITSET_CLEAR(reports->used, i);
   }
   return false;
}

/* Takes @n places, whose indices are stored in @places. Returns false if there are none. */
static bool
take_places(struct sdvk_device *device, uint32_t n, uint32_t *places)
{
   struct sdvk_reports *reports = &device->reports;
   uint32_t place = 0;
   bool ok;

   simple_mtx_lock(&reports->lock);
   ok = has_memory(device) && !is_late(reports) &&
        SDVK_MAX_REPORTS - BITSET_COUNT(reports->used) >= n;
   for (uint32_t i = 0; ok && i < n; i++) {
      while (BITSET_TEST(reports->used, place))
         place++;
      BITSET_SET(reports->used, place);
      memset(&reports->map[place], 0, sizeof(reports->map[place]));
      places[i] = place;
   }
   simple_mtx_unlock(&reports->lock);
   return ok;
}

/* Gives places back, if @late is not NULL when that submission is done. */
static void
give_places_back(struct sdvk_device *device, uint32_t n, const uint32_t *places,
                 struct sdrm_fence *late)
{
   struct sdvk_reports *reports = &device->reports;

   simple_mtx_lock(&reports->lock);
   for (uint32_t i = 0; i < n; i++) {
      if (late)
         reports->late[places[i]] = sdrm_fence_ref(late);
      else
         BITSET_CLEAR(reports->used, places[i]);
   }
   simple_mtx_unlock(&reports->lock);
}

static const char *
stage_name(VkShaderStageFlagBits stage)
{
   switch (stage) {
   case VK_SHADER_STAGE_VERTEX_BIT:
      return "vertex";
   case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
      return "tessellation control";
   case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
      return "tessellation evaluation";
   case VK_SHADER_STAGE_GEOMETRY_BIT:
      return "geometry";
   case VK_SHADER_STAGE_FRAGMENT_BIT:
      return "fragment";
   case VK_SHADER_STAGE_TASK_BIT_EXT:
      return "task";
   case VK_SHADER_STAGE_MESH_BIT_EXT:
      return "mesh";
   default:
      return "compute";
   }
}

/*
 * vkCreate*Pipelines may return VK_ERROR_UNKNOWN if "the application has provided invalid input"
 * (Vulkan 1.4, "Return Codes"); no other code says that a module is refused.
 */
static VkResult
to_result(struct sdvk_device *device, const struct sdvk_check *check,
          const struct sundog_shader_report *report)
{
   switch (report->state) {
   case SUNDOG_SHADER_STATE_REFUSED:
      return vk_errorf(device, VK_ERROR_UNKNOWN, "the renderer refuses a %s shader: %.*s",
                       stage_name(check->stage), (int)sizeof(report->reason), report->reason);
   case SUNDOG_SHADER_STATE_FAILED:
      return vk_errorf(device,
                       -(int32_t)report->result == VK_ERROR_OUT_OF_HOST_MEMORY
                          ? VK_ERROR_OUT_OF_HOST_MEMORY
                          : VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "the host cannot create a %s shader: VkResult -%u",
                       stage_name(check->stage), report->result);
   default:
      return VK_SUCCESS;
   }
}

static void
emit_reports(struct sdvk_device *device, struct sdvk_stream *stream, uint32_t n,
             const struct sdvk_check *checks, const uint32_t *places)
{
   for (uint32_t i = 0; i < n; i++) {
      const struct sundog_cmd_report_shader cmd = {
         .shader = checks[i].id,
         .mem = sdrm_bo_mem(device->reports.bo),
         .offset = places[i] * sizeof(*device->reports.map),
      };

      sundog_emit_report_shader(sdvk_stream_reserve(stream, SDVK_PACKET_DWORDS), &cmd);
   }
}

/* As sdvk_check_shaders(), for at most SDVK_MAX_REPORTS shaders. */
static void
check_some(struct sdvk_device *device, struct sdvk_check *checks, uint32_t n)
{
   uint32_t places[SDVK_MAX_REPORTS];
   struct sdvk_stream stream = {0};
   struct sdrm_fence *fence = NULL;
   int waited = -EIO;

   if (!take_places(device, n, places))
      return;
   emit_reports(device, &stream, n, checks, places);
   if (sdvk_queue_submit_reports(device, &stream, &fence) == VK_SUCCESS)
      waited = sdrm_fence_wait(fence, os_time_get_nano() + PATIENCE_NS);
   for (uint32_t i = 0; !waited && i < n; i++) {
      checks[i].known = true;
      checks[i].result = to_result(device, &checks[i], &device->reports.map[places[i]]);
   }
   give_places_back(device, n, places, waited == -ETIME ? fence : NULL);
   sdrm_fence_del(fence);
   sdvk_stream_fini(&stream);
}

void
sdvk_check_shaders(struct sdvk_device *device, struct sdvk_check *checks, uint32_t n)
{
   const uint32_t most = SDVK_MAX_REPORTS / 4;

   if (!(sdvk_device_physical(device)->caps.features & SUNDOG_FEATURE_SHADER_REPORTS))
      return;
   for (uint32_t i = 0; i < n; i += most)
      check_some(device, checks + i, MIN2(n - i, most));
}
