/* SPDX-License-Identifier: MIT */
#include "sdvk_pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "sdvk_cmd_buffer.h"
#include "sdvk_descriptor.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_spirv.h"
#include "sdvk_spirv_emit.h"
#include "vk_alloc.h"
#include "vk_log.h"
#include "vk_util.h"

static enum sundog_stage
packet_stage(VkShaderStageFlagBits stage)
{
   switch (stage) {
   case VK_SHADER_STAGE_VERTEX_BIT:
      return SUNDOG_STAGE_VERTEX;
   case VK_SHADER_STAGE_FRAGMENT_BIT:
      return SUNDOG_STAGE_FRAGMENT;
   case VK_SHADER_STAGE_GEOMETRY_BIT:
      return SUNDOG_STAGE_GEOMETRY;
   case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
      return SUNDOG_STAGE_TESS_CTRL;
   case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
      return SUNDOG_STAGE_TESS_EVAL;
   default:
      return SUNDOG_STAGE_COMPUTE;
   }
}

/* Of code in a packet, see create_layout_shader, and of what the renderer's gate takes. */
#define MAX_CODE_DWORDS 0x80000
#define MAX_CODE_IDS 0x10000

/* The code of all stages of a pipeline. */
struct codes {
   uint32_t *codes[SDVK_NUM_STAGES]; /* to be freed */
   uint32_t dwords[SDVK_NUM_STAGES];
   uint32_t count;
};

static VkResult
check_size(struct sdvk_device *device, const uint32_t *code, uint32_t dwords)
{
   const uint32_t bound = code[SPIRV_HEADER_BOUND];

   if (dwords > MAX_CODE_DWORDS || bound > MAX_CODE_IDS)
      return vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY, "a shader of %u dwords and %u ids", dwords, bound);
   return VK_SUCCESS;
}

static VkResult
get_code(struct sdvk_device *device, const struct vk_pipeline_layout *layout,
         const VkPipelineShaderStageCreateInfo *info, const struct sdvk_spirv_options *options, uint32_t **code,
         uint32_t *dwords)
{
   VkResult result;

   *code = sdvk_spirv_of_stage(info, options, dwords);
   if (!*code)
      return vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY, "a module has no entry point %s", info->pName);
   result = check_size(device, *code, *dwords);
   if (result != VK_SUCCESS)
      return result;
   if (!sdvk_spirv_convert_ycbcr(code, dwords, layout))
      return vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY, "samplers with several conversions in one place");
   return check_size(device, *code, *dwords);
}

static VkResult
get_codes(struct sdvk_device *device, const struct vk_pipeline_layout *layout,
          const VkPipelineShaderStageCreateInfo *infos, uint32_t count, const struct sdvk_spirv_options *options,
          struct codes *out)
{
   VkResult result = VK_SUCCESS;

   for (; out->count < count && result == VK_SUCCESS; out->count++)
      result = get_code(device, layout, &infos[out->count], options, &out->codes[out->count],
                        &out->dwords[out->count]);
   return result;
}

/* Variables of several kinds at a binding need more sets than the layout has. */
static VkResult
part_kinds(struct sdvk_device *device, struct sdvk_pipeline *pipeline, const struct codes *codes)
{
   pipeline->repeats.first = pipeline->layout->set_count;
   if (!sdvk_spirv_part_kinds(codes->codes, codes->dwords, codes->count, &pipeline->repeats))
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "too many kinds of variables at one binding");
   if (!pipeline->repeats.count)
      return VK_SUCCESS;
   return sdvk_emit_pipeline_layout(device, pipeline->layout, &pipeline->repeats, &pipeline->repeats_layout);
}

static VkResult
create_shader(struct sdvk_device *device, struct sdvk_pipeline *pipeline, VkShaderStageFlagBits stage,
              const uint32_t *code, uint32_t dwords)
{
   const struct sdvk_pipeline_layout *layout = container_of(pipeline->layout, struct sdvk_pipeline_layout, vk);
   struct sundog_cmd_create_layout_shader cmd = {
      .stage = packet_stage(stage),
      .layout = pipeline->repeats.count ? pipeline->repeats_layout : layout->id,
      .n_dwords = dwords,
   };
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS + dwords, &cmd.id);

   if (!stream)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   sundog_emit_create_layout_shader(stream, &cmd, code);
   sdvk_object_end(device);
   pipeline->shaders[cmd.stage] = cmd.id;
   pipeline->vk.stages |= stage;
   pipeline->second_color |= stage == VK_SHADER_STAGE_FRAGMENT_BIT && sdvk_spirv_has_second_color(code, dwords);
   return VK_SUCCESS;
}

static VkResult
create_shaders(struct sdvk_device *device, struct sdvk_pipeline *pipeline,
               const VkPipelineShaderStageCreateInfo *infos, uint32_t count,
               const struct sdvk_spirv_options *options)
{
   struct codes codes = {0};
   VkResult result = get_codes(device, pipeline->layout, infos, count, options, &codes);

   if (result == VK_SUCCESS)
      result = part_kinds(device, pipeline, &codes);
   for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
      result = create_shader(device, pipeline, infos[i].stage, codes.codes[i], codes.dwords[i]);
   for (uint32_t i = 0; i < codes.count; i++)
      free(codes.codes[i]);
   return result;
}

static void
destroy_pipeline(struct vk_device *vk, struct vk_pipeline *vk_pipeline,
                 const VkAllocationCallbacks *alloc)
{
   struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);
   struct sdvk_pipeline *pipeline = container_of(vk_pipeline, struct sdvk_pipeline, vk);

   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++)
      sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_SHADER, pipeline->shaders[i]);
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_PIPELINE_LAYOUT, pipeline->repeats_layout);
   sdvk_stream_fini(&pipeline->state);
   if (pipeline->layout)
      vk_pipeline_layout_unref(vk, pipeline->layout);
   vk_object_free(vk, alloc, pipeline);
}

static void
bind_pipeline(struct vk_command_buffer *vk, struct vk_pipeline *vk_pipeline)
{
   struct sdvk_pipeline *pipeline = container_of(vk_pipeline, struct sdvk_pipeline, vk);
   struct sdvk_cmd_buffer *cmd = sdvk_cmd_buffer(vk);

   if (pipeline->vk.bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS)
      sdvk_cmd_bind_state(cmd, pipeline);
   else
      cmd->compute = pipeline;
   sdvk_cmd_bind_shaders(cmd, pipeline);
}

static const struct vk_pipeline_ops pipeline_ops = {
   .destroy = destroy_pipeline,
   .cmd_bind = bind_pipeline,
};

static void
set_layout(struct sdvk_pipeline *pipeline, VkPipelineLayout _layout)
{
   VK_FROM_HANDLE(vk_pipeline_layout, layout, _layout);

   if (!layout)
      return;
   pipeline->layout = vk_pipeline_layout_ref(layout);
   for (uint32_t i = 0; i < layout->set_count; i++)
      pipeline->sets |= layout->set_layouts[i] ? BITFIELD_BIT(i) : 0;
}

static struct sdvk_pipeline *
pipeline_new(struct sdvk_device *device, VkPipelineBindPoint point, VkPipelineLayout layout,
             const VkAllocationCallbacks *alloc)
{
   struct sdvk_pipeline *pipeline =
      vk_object_zalloc(&device->vk, alloc, sizeof(*pipeline), VK_OBJECT_TYPE_PIPELINE);

   if (!pipeline)
      return NULL;
   pipeline->vk.ops = &pipeline_ops;
   pipeline->vk.bind_point = point;
   pipeline->dynamic.vi = &pipeline->vertex_input;
   set_layout(pipeline, layout);
   return pipeline;
}

/* Of the attachments that there are; where each has its own, nothing is moved. */
static void
fill_locations(const struct vk_graphics_pipeline_state *state, struct sdvk_spirv_options *options)
{
   const uint32_t count = state->rp && state->cal ? state->rp->color_attachment_count : 0;

   memset(options->locations, MESA_VK_ATTACHMENT_UNUSED, sizeof(options->locations));
   for (uint32_t i = 0; i < MIN2(count, SUNDOG_MAX_COLOR_ATTACHMENTS); i++) {
      options->locations[i] = state->cal->color_map[i];
      options->moves_outputs |= options->locations[i] != i;
   }
}

/* One that asks for some of a fragment's samples gets all of them. */
static struct sdvk_spirv_options
spirv_options(const struct vk_graphics_pipeline_state *state)
{
   const struct vk_multisample_state *ms = state->ms;
   struct sdvk_spirv_options options = {
      .views = state->rp && state->rp->view_mask,
      .per_sample = ms && ms->sample_shading_enable && ms->min_sample_shading > 0,
   };

   fill_locations(state, &options);
   return options;
}

static VkResult
fill_graphics(struct sdvk_device *device, struct sdvk_pipeline *pipeline,
              const VkGraphicsPipelineCreateInfo *info)
{
   struct vk_graphics_pipeline_all_state all;
   struct vk_graphics_pipeline_state state = {0};
   struct sdvk_spirv_options options;
   VkResult result = vk_graphics_pipeline_state_fill(&device->vk, &state, info, NULL, 0, &all, NULL, 0, NULL);

   if (result != VK_SUCCESS)
      return result;
   options = spirv_options(&state);
   vk_dynamic_graphics_state_fill(&pipeline->dynamic, &state);
   result = create_shaders(device, pipeline, info->pStages, info->stageCount, &options);
   if (result == VK_SUCCESS && !sdvk_pipeline_emit_state(pipeline))
      result = vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   return result;
}

/* What @result made of @pipeline: it, or nothing. */
static VkResult
finish(struct sdvk_device *device, struct sdvk_pipeline *pipeline, VkResult result,
       const VkAllocationCallbacks *alloc, VkPipeline *out)
{
   *out = VK_NULL_HANDLE;
   if (result == VK_SUCCESS)
      *out = sdvk_pipeline_to_handle(pipeline);
   else
      destroy_pipeline(&device->vk, &pipeline->vk, alloc);
   return result;
}

/* Nothing is known of how long it took, or would take. */
static void
leave_feedback_out(const void *pNext)
{
   const VkPipelineCreationFeedbackCreateInfo *feedback =
      vk_find_struct_const(pNext, PIPELINE_CREATION_FEEDBACK_CREATE_INFO);

   if (!feedback)
      return;
   feedback->pPipelineCreationFeedback->flags = 0;
   for (uint32_t i = 0; i < feedback->pipelineStageCreationFeedbackCount; i++)
      feedback->pPipelineStageCreationFeedbacks[i].flags = 0;
}

/* Every pipeline is compiled, by the renderer. */
static bool
must_not_compile(VkPipelineCreateFlags2KHR flags)
{
   return flags & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR;
}

static bool
returns_early(VkPipelineCreateFlags2KHR flags)
{
   return flags & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT_KHR;
}

static VkResult
create_graphics(struct sdvk_device *device, const VkGraphicsPipelineCreateInfo *info,
                const VkAllocationCallbacks *alloc, VkPipeline *out)
{
   struct sdvk_pipeline *pipeline;

   leave_feedback_out(info->pNext);
   if (must_not_compile(vk_graphics_pipeline_create_flags(info)))
      return VK_PIPELINE_COMPILE_REQUIRED;
   pipeline = pipeline_new(device, VK_PIPELINE_BIND_POINT_GRAPHICS, info->layout, alloc);
   if (!pipeline)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   return finish(device, pipeline, fill_graphics(device, pipeline, info), alloc, out);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateGraphicsPipelines(VkDevice _device, VkPipelineCache pipelineCache,
                             uint32_t createInfoCount,
                             const VkGraphicsPipelineCreateInfo *pCreateInfos,
                             const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VkResult result = VK_SUCCESS;

   /* All of them are tried unless one says that none be after it, and those that fail are null. */
   memset(pPipelines, 0, createInfoCount * sizeof(*pPipelines));
   for (uint32_t i = 0; i < createInfoCount; i++) {
      VkResult one = create_graphics(device, &pCreateInfos[i], pAllocator, &pPipelines[i]);

      if (one != VK_SUCCESS)
         result = one;
      if (one != VK_SUCCESS && returns_early(vk_graphics_pipeline_create_flags(&pCreateInfos[i])))
         break;
   }
   return result;
}

static VkResult
create_compute(struct sdvk_device *device, const VkComputePipelineCreateInfo *info,
               const VkAllocationCallbacks *alloc, VkPipeline *out)
{
   struct sdvk_pipeline *pipeline;

   leave_feedback_out(info->pNext);
   if (must_not_compile(vk_compute_pipeline_create_flags(info)))
      return VK_PIPELINE_COMPILE_REQUIRED;
   pipeline = pipeline_new(device, VK_PIPELINE_BIND_POINT_COMPUTE, info->layout, alloc);
   if (!pipeline)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   return finish(device, pipeline, create_shaders(device, pipeline, &info->stage, 1, NULL), alloc, out);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateComputePipelines(VkDevice _device, VkPipelineCache pipelineCache,
                            uint32_t createInfoCount,
                            const VkComputePipelineCreateInfo *pCreateInfos,
                            const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VkResult result = VK_SUCCESS;

   memset(pPipelines, 0, createInfoCount * sizeof(*pPipelines));
   for (uint32_t i = 0; i < createInfoCount; i++) {
      VkResult one = create_compute(device, &pCreateInfos[i], pAllocator, &pPipelines[i]);

      if (one != VK_SUCCESS)
         result = one;
      if (one != VK_SUCCESS && returns_early(vk_compute_pipeline_create_flags(&pCreateInfos[i])))
         break;
   }
   return result;
}
