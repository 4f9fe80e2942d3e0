/* SPDX-License-Identifier: MIT */
/*
 * Acceleration structures: sizes, builds, copies and queries, see sdvk_structure.h. Builds and
 * copies are dispatches of this driver in the application's command buffer, whose state they leave
 * as it was. Any thread of the program calls this; sdvk_builder::lock guards the shaders, which all
 * command buffers share, and the program keeps other threads away from a command buffer.
 */
#include "sdvk_structure.h"

#include <stdlib.h>

#include "sdvk_buffer.h"
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_physical_device.h"
#include "sdvk_query.h"
#include "sdvk_stage.h"
#include "util/u_math.h"
#include "vk_log.h"

#include "sdvk_kernel_copy.h"
#include "sdvk_kernel_emit.h"
#include "sdvk_kernel_hierarchy.h"
#include "sdvk_kernel_histogram.h"
#include "sdvk_kernel_init.h"
#include "sdvk_kernel_leaves.h"
#include "sdvk_kernel_morton.h"
#include "sdvk_kernel_rank.h"
#include "sdvk_kernel_scan.h"
#include "sdvk_kernel_scan_apply.h"
#include "sdvk_kernel_scan_sums.h"
#include "sdvk_kernel_scatter.h"

#define KERNEL(name) {name, ARRAY_SIZE(name)}

static const struct {
   const uint32_t *words;
   uint32_t count;
} kernels[] = {
   [SDVK_KERNEL_INIT] = KERNEL(sdvk_kernel_init),
   [SDVK_KERNEL_LEAVES] = KERNEL(sdvk_kernel_leaves),
   [SDVK_KERNEL_MORTON] = KERNEL(sdvk_kernel_morton),
   [SDVK_KERNEL_RANK] = KERNEL(sdvk_kernel_rank),
   [SDVK_KERNEL_HISTOGRAM] = KERNEL(sdvk_kernel_histogram),
   [SDVK_KERNEL_SCATTER] = KERNEL(sdvk_kernel_scatter),
   [SDVK_KERNEL_SCAN_SUMS] = KERNEL(sdvk_kernel_scan_sums),
   [SDVK_KERNEL_SCAN] = KERNEL(sdvk_kernel_scan),
   [SDVK_KERNEL_SCAN_APPLY] = KERNEL(sdvk_kernel_scan_apply),
   [SDVK_KERNEL_HIERARCHY] = KERNEL(sdvk_kernel_hierarchy),
   [SDVK_KERNEL_EMIT] = KERNEL(sdvk_kernel_emit),
   [SDVK_KERNEL_COPY] = KERNEL(sdvk_kernel_copy),
};

/* Says that serialized structures of other versions of sdvk_bvh.h are incompatible. */
static const uint8_t compatibility[VK_UUID_SIZE] = "sundog-bvh-1";

/* Shaders */

void
sdvk_builder_init(struct sdvk_builder *builder)
{
   simple_mtx_init(&builder->lock, mtx_plain);
}

void
sdvk_builder_forget(struct sdvk_device *device, struct sdvk_builder *builder)
{
   if (builder->layout)
      sdvk_layout_unref(device, builder->layout);
}

void
sdvk_builder_fini(struct sdvk_builder *builder)
{
   simple_mtx_destroy(&builder->lock);
}

/* Returns false without memory or if no id is left. */
static bool
make_kernel(struct sdvk_device *device, struct sdvk_builder *builder, enum sdvk_kernel kernel)
{
   const struct sdvk_layout_key key = {.push_size = sizeof(struct sdvk_bvh_leaf_args)};
   /* Not written to. */
   const struct sdvk_code code = {(uint32_t *)kernels[kernel].words, kernels[kernel].count};
   struct sdvk_shader shader;

   if (!builder->layout)
      builder->layout = sdvk_layout_get(device, &key);
   if (!builder->layout || sdvk_shader_new(device, VK_SHADER_STAGE_COMPUTE_BIT, builder->layout,
                                           &code, &shader) != VK_SUCCESS)
      return false;
   builder->kernels[kernel] = shader.id;
   return true;
}

/* Returns the id of a shader. 0: the recording has failed. */
static uint32_t
get_kernel(struct sdvk_cmd_buffer *cmd, enum sdvk_kernel kernel)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);
   struct sdvk_builder *builder = &device->builder;
   uint32_t id;

   simple_mtx_lock(&builder->lock);
   if (!builder->kernels[kernel] && !make_kernel(device, builder, kernel))
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   id = builder->kernels[kernel];
   simple_mtx_unlock(&builder->lock);
   return id;
}

/* Dispatches */

/* The most work groups in one direction that any device has. */
#define MAX_GROUPS 0xffff

/* Orders a dispatch of a build after the one before. */
static void
emit_barrier(struct sdvk_cmd_buffer *cmd)
{
   const uint64_t accesses = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT;
   const struct sundog_cmd_barrier barrier = {
      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, accesses,
      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, accesses,
   };

   sundog_emit_barrier(sdvk_cmd_packet(cmd), &barrier);
}

/* Dispatches @groups work groups, or a few more. Shaders return at once behind the last item. */
static void
dispatch_groups(struct sdvk_cmd_buffer *cmd, enum sdvk_kernel kernel, const void *arguments,
                uint32_t size, uint64_t groups)
{
   const struct sundog_cmd_bind_shaders bind = {
      .shaders = {[SUNDOG_STAGE_COMPUTE] = get_kernel(cmd, kernel)},
   };
   const struct sundog_cmd_push_constants push = {.count = size / 4};
   const struct sundog_cmd_dispatch packet = {
      {MIN2(groups, MAX_GROUPS), DIV_ROUND_UP(groups, MAX_GROUPS), 1},
   };

   if (!bind.shaders[SUNDOG_STAGE_COMPUTE])
      return;
   sundog_emit_bind_shaders(sdvk_cmd_packet(cmd), &bind);
   sundog_emit_push_constants(sdvk_cmd_packet(cmd), &push, arguments);
   sundog_emit_dispatch(sdvk_cmd_packet(cmd), &packet);
   cmd->shaders_dirty = true;
}

/* Dispatches @count invocations with @arguments, a structure of sdvk_bvh.h. */
#define dispatch(cmd, kernel, arguments, count)                                                    \
   dispatch_groups(cmd, kernel, arguments, sizeof(*(arguments)),                                   \
                   DIV_ROUND_UP((uint64_t)(count), SDVK_BVH_GROUP))

/* The application's push constants are as before, and its condition discards no dispatch. */
static void
end_dispatches(struct sdvk_cmd_buffer *cmd)
{
   const struct sundog_cmd_push_constants push = {.count = ARRAY_SIZE(cmd->push_constants)};

   sundog_emit_push_constants(sdvk_cmd_packet(cmd), &push, cmd->push_constants);
   sdvk_cmd_resume_condition(cmd);
}

/* Structures */

struct sundog_mem_range
sdvk_structure_range(const struct vk_acceleration_structure *structure, uint64_t offset,
                     uint64_t size)
{
   VK_FROM_HANDLE(sdvk_buffer, buffer, structure->buffer);

   return (struct sundog_mem_range){
      buffer->mem, buffer->offset + structure->offset + offset, size,
   };
}

static const VkAccelerationStructureGeometryKHR *
geometry_of(const VkAccelerationStructureBuildGeometryInfoKHR *info, uint32_t i)
{
   return info->pGeometries ? &info->pGeometries[i] : info->ppGeometries[i];
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetAccelerationStructureBuildSizesKHR(
   VkDevice _device, VkAccelerationStructureBuildTypeKHR buildType,
   const VkAccelerationStructureBuildGeometryInfoKHR *pInfo, const uint32_t *pMaxPrimitiveCounts,
   VkAccelerationStructureBuildSizesInfoKHR *pSizes)
{
   uint32_t n_leaves = 0;

   for (uint32_t i = 0; i < pInfo->geometryCount; i++)
      n_leaves += pMaxPrimitiveCounts[i];
   pSizes->accelerationStructureSize =
      sdvk_bvh_structure_size(vk_get_as_geometry_type(pInfo), n_leaves);
   /* An update builds all again. */
   pSizes->buildScratchSize = pSizes->updateScratchSize = sdvk_bvh_scratch_size(n_leaves);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceAccelerationStructureCompatibilityKHR(
   VkDevice _device, const VkAccelerationStructureVersionInfoKHR *pVersionInfo,
   VkAccelerationStructureCompatibilityKHR *pCompatibility)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   const uint8_t *uuids = pVersionInfo->pVersionData;
   const bool same = !memcmp(uuids, device->vk.physical->properties.driverUUID, VK_UUID_SIZE) &&
                     !memcmp(uuids + VK_UUID_SIZE, compatibility, VK_UUID_SIZE);

   *pCompatibility = same ? VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR
                          : VK_ACCELERATION_STRUCTURE_COMPATIBILITY_INCOMPATIBLE_KHR;
}

/* Builds */

/* A build of a call, with its own scratch memory. */
struct build {
   const VkAccelerationStructureBuildGeometryInfoKHR *info;
   const VkAccelerationStructureBuildRangeInfoKHR *ranges;
   struct sdvk_bvh_build_args arguments;
};

/*
 * All builds of a call. They use no memory together, and none reads what another one builds, so a
 * kernel runs for all of them before the next barrier.
 */
struct builds {
   struct sdvk_cmd_buffer *cmd;
   struct build *all;
   uint32_t count;
};

#define build_foreach(builds, build)                                                               \
   for (const struct build *build = (builds)->all; build < (builds)->all + (builds)->count; build++)

static struct build
build_of(const VkAccelerationStructureBuildGeometryInfoKHR *info,
         const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
   VK_FROM_HANDLE(vk_acceleration_structure, structure, info->dstAccelerationStructure);
   struct build build = {
      .info = info,
      .ranges = ranges,
      .arguments = {
         .structure = vk_acceleration_structure_get_va(structure),
         .scratch = info->scratchData.deviceAddress,
         .kind = vk_get_as_geometry_type(info),
      },
   };

   for (uint32_t i = 0; i < info->geometryCount; i++)
      build.arguments.n_leaves += ranges[i].primitiveCount;
   return build;
}

static void
emit_leaves(struct sdvk_cmd_buffer *cmd, const struct build *build)
{
   struct sdvk_bvh_leaf_args arguments = {
      .structure = build->arguments.structure,
      .scratch = build->arguments.scratch,
      .n_leaves = build->arguments.n_leaves,
   };
   uint32_t first = 0;

   for (uint32_t i = 0; i < build->info->geometryCount; i++) {
      arguments.n_primitives = build->ranges[i].primitiveCount;
      if (!arguments.n_primitives)
         continue;
      arguments.geometry = vk_fill_geometry_data(build->info->type, first, i,
                                                 geometry_of(build->info, i), &build->ranges[i]);
      dispatch(cmd, SDVK_KERNEL_LEAVES, &arguments, arguments.n_primitives);
      first += arguments.n_primitives;
   }
}

/* Runs a kernel that has an invocation for each leaf, if there are some. */
static void
emit_for_leaves(const struct builds *builds, enum sdvk_kernel kernel)
{
   emit_barrier(builds->cmd);
   build_foreach (builds, build) {
      if (build->arguments.n_leaves)
         dispatch(builds->cmd, kernel, &build->arguments, build->arguments.n_leaves);
   }
}

/* Scans values in scratch memory. The caller has emitted a barrier. */
static void
emit_scan(struct sdvk_cmd_buffer *cmd, const struct build *build, uint64_t offset,
          uint32_t n_values)
{
   const uint64_t scratch = build->arguments.scratch;
   const struct sdvk_bvh_scan_args all = {
      .values = scratch + offset,
      .sums = scratch + sdvk_bvh_sums(build->arguments.n_leaves),
      .n_values = n_values,
   };
   const struct sdvk_bvh_scan_args sums = {
      .values = all.sums,
      .n_values = sdvk_bvh_n_sums(n_values),
   };

   if (n_values <= SDVK_BVH_MAX_SCAN) {
      dispatch_groups(cmd, SDVK_KERNEL_SCAN, &all, sizeof(all), 1);
      return;
   }
   dispatch(cmd, SDVK_KERNEL_SCAN_SUMS, &all, sums.n_values);
   emit_barrier(cmd);
   dispatch_groups(cmd, SDVK_KERNEL_SCAN, &sums, sizeof(sums), 1);
   emit_barrier(cmd);
   dispatch(cmd, SDVK_KERNEL_SCAN_APPLY, &all, sums.n_values);
}

static void
emit_large_sort(struct sdvk_cmd_buffer *cmd, const struct build *build)
{
   struct sdvk_bvh_build_args arguments = build->arguments;
   const uint32_t n_leaves = arguments.n_leaves, n_chunks = sdvk_bvh_n_sort_chunks(n_leaves);

   for (; arguments.pass < SDVK_BVH_SORT_PASSES; arguments.pass++) {
      if (arguments.pass)
         emit_barrier(cmd);
      dispatch(cmd, SDVK_KERNEL_HISTOGRAM, &arguments, n_chunks);
      emit_barrier(cmd);
      emit_scan(cmd, build, sdvk_bvh_counters(n_leaves), sdvk_bvh_n_counters(n_leaves));
      emit_barrier(cmd);
      dispatch(cmd, SDVK_KERNEL_SCATTER, &arguments, n_chunks);
   }
}

static void
emit_sorts(const struct builds *builds)
{
   emit_barrier(builds->cmd);
   build_foreach (builds, build) {
      if (build->arguments.n_leaves > SDVK_BVH_MAX_RANK)
         emit_large_sort(builds->cmd, build);
      else if (build->arguments.n_leaves)
         dispatch(builds->cmd, SDVK_KERNEL_RANK, &build->arguments, build->arguments.n_leaves);
   }
}

static void
emit_chain_scans(const struct builds *builds)
{
   emit_barrier(builds->cmd);
   build_foreach (builds, build) {
      const uint32_t n_leaves = build->arguments.n_leaves;

      if (n_leaves)
         emit_scan(builds->cmd, build, sdvk_bvh_chains(n_leaves), n_leaves + 1);
   }
}

static void
emit_builds(const struct builds *builds)
{
   build_foreach (builds, build)
      dispatch(builds->cmd, SDVK_KERNEL_INIT, &build->arguments, 1);
   emit_barrier(builds->cmd);
   build_foreach (builds, build)
      emit_leaves(builds->cmd, build);
   emit_for_leaves(builds, SDVK_KERNEL_MORTON);
   emit_sorts(builds);
   emit_for_leaves(builds, SDVK_KERNEL_HIERARCHY);
   emit_chain_scans(builds);
   emit_for_leaves(builds, SDVK_KERNEL_EMIT);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBuildAccelerationStructuresKHR(
   VkCommandBuffer commandBuffer, uint32_t infoCount,
   const VkAccelerationStructureBuildGeometryInfoKHR *pInfos,
   const VkAccelerationStructureBuildRangeInfoKHR *const *ppRanges)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct builds builds = {
      .cmd = cmd,
      .all = malloc(infoCount * sizeof(*builds.all)),
      .count = infoCount,
   };

   if (!builds.all) {
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
      return;
   }
   for (uint32_t i = 0; i < infoCount; i++)
      builds.all[i] = build_of(&pInfos[i], ppRanges[i]);
   sdvk_cmd_pause_condition(cmd);
   emit_builds(&builds);
   end_dispatches(cmd);
   free(builds.all);
}

/* Copies */

/* @size: at least the size of the structure that is copied. */
static void
emit_copy(struct sdvk_cmd_buffer *cmd, const struct sdvk_bvh_copy_args *arguments, uint64_t size)
{
   sdvk_cmd_pause_condition(cmd);
   dispatch(cmd, SDVK_KERNEL_COPY, arguments, DIV_ROUND_UP(size, SDVK_BVH_COPY_CHUNK));
   end_dispatches(cmd);
}

/* A structure has no unused room in itself: a clone and a compact copy are the same. */
VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyAccelerationStructureKHR(VkCommandBuffer commandBuffer,
                                     const VkCopyAccelerationStructureInfoKHR *pInfo)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(vk_acceleration_structure, src, pInfo->src);
   VK_FROM_HANDLE(vk_acceleration_structure, dst, pInfo->dst);
   const struct sdvk_bvh_copy_args arguments = {
      .src = vk_acceleration_structure_get_va(src),
      .dst = vk_acceleration_structure_get_va(dst),
      .mode = SDVK_BVH_COPY,
   };

   emit_copy(cmd, &arguments, MIN2(src->size, dst->size));
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyAccelerationStructureToMemoryKHR(
   VkCommandBuffer commandBuffer, const VkCopyAccelerationStructureToMemoryInfoKHR *pInfo)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(vk_acceleration_structure, src, pInfo->src);
   struct sdvk_bvh_copy_args arguments = {
      .src = vk_acceleration_structure_get_va(src),
      .dst = pInfo->dst.deviceAddress,
      .mode = SDVK_BVH_SERIALIZE,
   };

   memcpy(arguments.driver_uuid, cmd->vk.base.device->physical->properties.driverUUID,
          VK_UUID_SIZE);
   memcpy(arguments.compatibility_uuid, compatibility, VK_UUID_SIZE);
   emit_copy(cmd, &arguments, src->size);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyMemoryToAccelerationStructureKHR(
   VkCommandBuffer commandBuffer, const VkCopyMemoryToAccelerationStructureInfoKHR *pInfo)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(vk_acceleration_structure, dst, pInfo->dst);
   const struct sdvk_bvh_copy_args arguments = {
      .src = pInfo->src.deviceAddress,
      .dst = vk_acceleration_structure_get_va(dst),
      .mode = SDVK_BVH_DESERIALIZE,
   };

   emit_copy(cmd, &arguments, dst->size);
}
