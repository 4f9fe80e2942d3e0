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
#include "vk_util.h"

/*
 * A shader is created in the queue's context, behind earlier work, which may be a computation of
 * seconds. A call that creates pipelines waits this long at most, in all.
 */
#define PATIENCE_NS 10000000000ll
#define PATIENCE_WHILE_BUSY_NS 2000000000ll

/*
 * After a wait for a busy queue, no call waits for this many times of it. So a queue that is always
 * busy delays a program by a tenth at most.
 */
#define QUIET 9

#define AT_ONCE 32        /* reports of a submission */
#define REPORT_DWORDS 8   /* room for a packet */

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
   sdrm_submit_del(reports->submit);
   if (reports->ctx)
      sdrm_context_del(reports->ctx);
   sdvk_bo_free(device, reports->bo);
   simple_mtx_destroy(&reports->lock);
}

/* The caller holds the lock. */
static bool
has_context(struct sdvk_device *device)
{
   struct sdvk_reports *reports = &device->reports;

   if (!reports->ctx)
      reports->ctx = sdrm_context_new(device->dev);
   if (!reports->submit && reports->ctx)
      reports->submit = sdrm_submit_new(reports->ctx, REPORT_DWORDS);
   return reports->submit;
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
   ok = has_context(device) && has_memory(device) && !is_late(reports) &&
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
   return _mesa_shader_stage_to_string(vk_to_mesa_shader_stage(stage));
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

/* Submits the packets of @n reports. */
static bool
submit_reports(struct sdvk_device *device, uint32_t n, const struct sdvk_check *checks,
               const uint32_t *places, struct sdrm_fence **fence)
{
   struct sdvk_reports *reports = &device->reports;
   bool ok;

   simple_mtx_lock(&reports->lock);
   ok = !sdrm_submit_reserve(reports->submit, n * REPORT_DWORDS) &&
        !sdrm_submit_add(reports->submit, reports->bo, SUNDOG_ACCESS_WRITE);
   for (uint32_t i = 0; ok && i < n; i++) {
      const struct sundog_cmd_report_shader cmd = {
         .shader = checks[i].id,
         .mem = sdrm_bo_mem(reports->bo),
         .offset = places[i] * sizeof(*reports->map),
      };

      sundog_emit_report_shader(sdrm_submit_stream(reports->submit), &cmd);
   }
   ok = ok && !sdrm_submit_flush(reports->submit, -1, fence);
   simple_mtx_unlock(&reports->lock);
   return ok;
}

/*
 * Waits until the renderer has created the shaders of earlier packets. Returns false if the queue
 * is too busy, or lost.
 */
static bool
wait_for_queue(struct sdvk_device *device, int64_t start, bool busy, int64_t deadline)
{
   struct sdrm_fence *fence = NULL;
   const bool ok = sdvk_queue_submit_pending(device, &fence) == VK_SUCCESS &&
                   (!fence || !sdrm_fence_wait(fence, deadline));
   const int64_t now = os_time_get_nano();

   sdrm_fence_del(fence);
   if (busy) {
      simple_mtx_lock(&device->reports.lock);
      device->reports.quiet_until =
         MAX2(device->reports.quiet_until, now + QUIET * (now - start));
      simple_mtx_unlock(&device->reports.lock);
   }
   return ok;
}

/* As sdvk_check_shaders(), for few shaders. Returns false if the rest need not be asked about. */
static bool
check_some(struct sdvk_device *device, struct sdvk_check *checks, uint32_t n, int64_t deadline)
{
   uint32_t places[AT_ONCE];
   struct sdrm_fence *fence = NULL;
   int waited = -EIO;

   if (!take_places(device, n, places))
      return false;
   if (submit_reports(device, n, checks, places, &fence))
      waited = sdrm_fence_wait(fence, deadline);
   for (uint32_t i = 0; !waited && i < n; i++) {
      checks[i].known = true;
      checks[i].result = to_result(device, &checks[i], &device->reports.map[places[i]]);
   }
   give_places_back(device, n, places, waited == -ETIME ? fence : NULL);
   sdrm_fence_del(fence);
   return !waited;
}

void
sdvk_check_shaders(struct sdvk_device *device, struct sdvk_check *checks, uint32_t n)
{
   const int64_t start = os_time_get_nano();
   int64_t deadline;
   bool quiet, busy;

   if (!n || !(sdvk_device_physical(device)->caps.features & SUNDOG_FEATURE_SHADER_REPORTS))
      return;
   simple_mtx_lock(&device->reports.lock);
   quiet = start < device->reports.quiet_until || is_late(&device->reports);
   simple_mtx_unlock(&device->reports.lock);
   if (quiet)
      return;
   busy = sdvk_queue_is_busy(device);
   deadline = start + (busy ? PATIENCE_WHILE_BUSY_NS : PATIENCE_NS);
   if (!wait_for_queue(device, start, busy, deadline))
      return;
   for (uint32_t i = 0; i < n; i += AT_ONCE) {
      if (!check_some(device, checks + i, MIN2(n - i, AT_ONCE), deadline))
         return;
   }
}
