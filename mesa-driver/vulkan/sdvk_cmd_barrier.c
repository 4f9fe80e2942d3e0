/* SPDX-License-Identifier: MIT */
/*
 * Barriers. The host keeps all images in VK_IMAGE_LAYOUT_GENERAL, so each barrier becomes one
 * global memory barrier. The thread that records the command buffer calls this; the program keeps
 * other threads away.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_entrypoints.h"
#include "util/macros.h"

/*
 * Stages and accesses of packets: the masks of Vulkan 1.0, shader accesses of 1.3, and transform
 * feedback.
 */
#define PACKET_STAGES                                                                              \
   (BITFIELD64_MASK(17) | VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT)
#define PACKET_ACCESSES                                                                            \
   (BITFIELD64_MASK(17) | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT |                                    \
    VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |                   \
    VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT |                                                 \
    VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT |                                          \
    VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT)

/*
 * Translates stages of Vulkan 1.3, which are parts or unions of those of 1.0, to the latter.
 * Unknown stages become all commands.
 */
static uint64_t
packet_stages(VkPipelineStageFlags2 stages)
{
   static const struct {
      VkPipelineStageFlags2 new, old;
   } map[] = {
      {VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
          VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT,
       VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT},
      {VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
       VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT},
      {VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT,
       VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
          VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT |
          VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT},
   };
   uint64_t out = stages & PACKET_STAGES;

   stages &= ~PACKET_STAGES;
   for (uint32_t i = 0; i < ARRAY_SIZE(map); i++) {
      if (stages & map[i].new)
         out |= map[i].old;
      stages &= ~map[i].new;
   }
   return stages ? out | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT : out;
}

static uint64_t
packet_accesses(VkAccessFlags2 accesses)
{
   const uint64_t out = accesses & PACKET_ACCESSES;

   if (!(accesses & ~PACKET_ACCESSES))
      return out;
   return out | VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
}

/*
 * A destination that has both shader reads and attachment accesses reads input attachments, for the
 * renderer; other accesses to attachments it orders without a barrier.
 */
static uint64_t
packet_dst_accesses(VkAccessFlags2 accesses)
{
   const VkAccessFlags2 shaders = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
   const VkAccessFlags2 attachments = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
                                      VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
                                      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                                      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
   const uint64_t out = packet_accesses(accesses);

   if ((out & VK_ACCESS_2_MEMORY_READ_BIT) || ((out & shaders) && (out & attachments)))
      return out | VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT;
   return out;
}

#define ADD_BARRIERS(sum, count, barriers)                                                         \
   for (uint32_t i = 0; i < (count); i++) {                                                        \
      (sum)->src_stages |= packet_stages((barriers)[i].srcStageMask);                              \
      (sum)->src_access |= packet_accesses((barriers)[i].srcAccessMask);                           \
      (sum)->dst_stages |= packet_stages((barriers)[i].dstStageMask);                              \
      (sum)->dst_access |= packet_dst_accesses((barriers)[i].dstAccessMask);                       \
   }

static const uint64_t attachment_writes =
   VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

/*
 * In Vulkan, the first synchronization scope includes logically earlier stages (Vulkan 1.4, 7.1.2
 * Pipeline Stages); the host only honours stages that are named. So add the fragment shader, which
 * may have read the memory that is written next.
 */
static void
add_fragments(struct sundog_cmd_barrier *sum)
{
   const uint64_t attachments = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |
                                VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                                VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
   const uint64_t writes =
      attachment_writes | VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;

   if ((sum->src_stages & attachments) && (sum->dst_access & writes))
      sum->src_stages |= VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
}

/* The renderer reads and writes counters of transform feedback by compute shaders. */
static void
add_counters(struct sundog_cmd_barrier *sum)
{
   const uint64_t shaders = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT;
   const uint64_t counters = VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT |
                             VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT |
                             VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;

   if (sum->src_access & counters) {
      sum->src_stages |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
      sum->src_access |= shaders;
   }
   if (sum->dst_access & counters) {
      sum->dst_stages |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
      sum->dst_access |= shaders;
   }
}

/*
 * Within a rendering, a sampler may read an attachment that was written (attachment feedback loop).
 * The flag of the barrier that says so does not reach the driver: Mesa drops it.
 */
static void
add_loop(struct sundog_cmd_barrier *sum)
{
   const uint64_t reads = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;

   if ((sum->src_access & attachment_writes) && (sum->dst_access & reads))
      sum->dst_access |= VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT;
}

static bool
reads_inputs(const struct sundog_cmd_barrier *barrier)
{
   return barrier->dst_access &
          (VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdPipelineBarrier2(VkCommandBuffer commandBuffer, const VkDependencyInfo *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   struct sundog_cmd_barrier sum = {0};

   ADD_BARRIERS(&sum, info->memoryBarrierCount, info->pMemoryBarriers);
   ADD_BARRIERS(&sum, info->bufferMemoryBarrierCount, info->pBufferMemoryBarriers);
   ADD_BARRIERS(&sum, info->imageMemoryBarrierCount, info->pImageMemoryBarriers);
   add_fragments(&sum);
   add_counters(&sum);
   if (cmd->rendering.active)
      add_loop(&sum);
   /*
    * Within a rendering, barriers are between stages of fragments
    * (VUID-vkCmdPipelineBarrier2-None-07890). The renderer orders fragments and attachment accesses
    * of a pixel. Only fragment shader reads of attachments need the barrier.
    */
   if (!cmd->rendering.active)
      sundog_emit_barrier(sdvk_cmd_packet(cmd), &sum);
   else if (!cmd->rendering.open && reads_inputs(&sum))
      sdvk_cmd_restart_rendering(cmd, &sum, &cmd->condition);
}
