/* SPDX-License-Identifier: MIT */
/*
 * VkPipeline, and graphics pipeline libraries. Any thread of the program creates them; afterwards
 * they are constant, and command buffers refer to them.
 */
#include "sdvk_pipeline.h"

#include <string.h>

#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "vk_alloc.h"
#include "vk_log.h"
#include "vk_util.h"

static void
destroy_pipeline(struct vk_device *vk, struct vk_pipeline *vk_pipeline,
                 const VkAllocationCallbacks *alloc)
{
   struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);
   struct sdvk_pipeline *pipeline = container_of(vk_pipeline, struct sdvk_pipeline, vk);

   sdvk_program_fini(device, &pipeline->program);
   sdvk_stream_fini(&pipeline->state);
   vk_free2(&vk->alloc, alloc, pipeline->library_memory);
   vk_object_free(vk, alloc, pipeline);
}

static void
bind_pipeline(struct vk_command_buffer *vk, struct vk_pipeline *vk_pipeline)
{
   struct sdvk_pipeline *pipeline = container_of(vk_pipeline, struct sdvk_pipeline, vk);
   struct sdvk_cmd_buffer *cmd = sdvk_cmd_buffer(vk);
   const bool compute = pipeline->program.compute;

   if (!compute)
      sdvk_cmd_bind_state(cmd, pipeline);
   if (cmd->objects.used[compute])
      sdvk_cmd_unbind_objects(cmd, compute);
   sdvk_cmd_bind_program(cmd, &pipeline->program);
}

static const struct vk_pipeline_ops pipeline_ops = {
   .destroy = destroy_pipeline,
   .cmd_bind = bind_pipeline,
};

/* Creates a pipeline without stages. Returns NULL if there is no memory. */
static struct sdvk_pipeline *
pipeline_new(struct sdvk_device *device, VkPipelineBindPoint point, VkPipelineLayout _layout,
             const VkAllocationCallbacks *alloc)
{
   VK_FROM_HANDLE(vk_pipeline_layout, layout, _layout);
   struct sdvk_pipeline *pipeline =
      vk_object_zalloc(&device->vk, alloc, sizeof(*pipeline), VK_OBJECT_TYPE_PIPELINE);

   if (!pipeline)
      return NULL;
   pipeline->vk.ops = &pipeline_ops;
   pipeline->vk.bind_point = point;
   pipeline->dynamic.vi = &pipeline->vertex_input;
   sdvk_program_init(&pipeline->program, point == VK_PIPELINE_BIND_POINT_COMPUTE);
   if (layout)
      sdvk_program_set_layout(&pipeline->program, layout);
   return pipeline;
}

static VkResult
add_stages(struct sdvk_device *device, struct sdvk_pipeline *pipeline,
           const VkPipelineShaderStageCreateInfo *infos, uint32_t count, VkShaderStageFlags stages)
{
   struct sdvk_stage *control = NULL, *evaluation = NULL;

   for (uint32_t i = 0; i < count; i++) {
      struct sdvk_stage *stage;
      VkResult result;

      if (!(infos[i].stage & stages))
         continue;
      result = sdvk_stage_new(device, &infos[i], &stage);
      if (result != VK_SUCCESS)
         return result;
      sdvk_program_add_stage(&pipeline->program, stage);
      sdvk_stage_unref(device, stage);
      if (infos[i].stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT)
         control = stage;
      if (infos[i].stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT)
         evaluation = stage;
   }
   return control && evaluation ? sdvk_stages_share_modes(device, control, evaluation) : VK_SUCCESS;
}

/* Options of the fragment shader. Any minSampleShading above 0 shades all samples. */
static struct sdvk_spirv_options
spirv_options(const struct vk_graphics_pipeline_state *state)
{
   const struct vk_multisample_state *ms = state->ms;
   struct sdvk_spirv_options options = {
      .views = state->rp && state->rp->view_mask,
      .per_sample = ms && ms->sample_shading_enable && ms->min_sample_shading > 0,
   };

   if (state->rp && state->cal)
      sdvk_spirv_set_locations(&options, state->cal->color_map, state->rp->color_attachment_count);
   return options;
}

/* Libraries */

static bool
is_library(const VkGraphicsPipelineCreateInfo *info)
{
   return vk_graphics_pipeline_create_flags(info) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
}

/* Pipelines with shaders of their own always have to be compiled, by the renderer. */
static bool
must_not_compile(VkPipelineCreateFlags2KHR flags)
{
   return flags & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR;
}

/*
 * Returns the parts of state that the pipeline has itself, beside those of its libraries. Without
 * VkGraphicsPipelineLibraryCreateInfoEXT a library, or a pipeline of libraries, has none, and any
 * other pipeline has all (Vulkan 1.4, VkGraphicsPipelineLibraryCreateInfoEXT).
 */
static VkGraphicsPipelineLibraryFlagsEXT
own_parts(const VkGraphicsPipelineCreateInfo *info, const VkPipelineLibraryCreateInfoKHR *libraries)
{
   const VkGraphicsPipelineLibraryCreateInfoEXT *parts =
      vk_find_struct_const(info->pNext, GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);

   if (parts)
      return parts->flags;
   return is_library(info) || (libraries && libraries->libraryCount) ? 0 : ~0u;
}

static VkShaderStageFlags
stages_of_parts(VkGraphicsPipelineLibraryFlagsEXT parts)
{
   const VkShaderStageFlags fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
   const VkShaderStageFlags others = SDVK_GRAPHICS_STAGES & ~fragment;

   return (parts & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT ? others : 0) |
          (parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT ? fragment : 0);
}

/* Adds stages and state of @libraries, which keep ownership of the state. */
static void
take_libraries(struct sdvk_pipeline *pipeline, const VkPipelineLibraryCreateInfoKHR *libraries,
               struct vk_graphics_pipeline_state *state)
{
   struct sdvk_program *program = &pipeline->program;

   for (uint32_t i = 0; libraries && i < libraries->libraryCount; i++) {
      VK_FROM_HANDLE(sdvk_pipeline, library, libraries->pLibraries[i]);

      vk_graphics_pipeline_state_merge(state, &library->library);
      pipeline->ordered |= library->ordered;
      for (uint32_t j = 0; j < library->program.n_stages; j++)
         sdvk_program_add_stage(program, library->program.stages[j]);
      if (!program->layout && library->program.layout)
         sdvk_program_set_layout(program, library->program.layout);
   }
}

/*
 * Drops the render pass state of shader libraries, which has a view mask only and would keep the
 * complete state of the fragment output interface from being used.
 */
static void
forget_partial_pass(struct vk_graphics_pipeline_state *state,
                    VkGraphicsPipelineLibraryFlagsEXT parts)
{
   if (state->rp && !vk_render_pass_state_has_attachment_info(state->rp) &&
       (parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT))
      state->rp = NULL;
}

/*
 * Returns true if shaders of a library can be created before it is linked: not if its layout has
 * only some of the sets, since the linked pipeline has another layout.
 */
static bool
may_link_early(const struct sdvk_program *program)
{
   return program->n_stages && program->layout &&
          !(program->layout->create_flags & VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT) &&
          !sdvk_program_has_repeats(program);
}

/* Creates shaders early if possible. The linked pipeline may need other variants of them. */
static VkResult
finish_library(struct sdvk_device *device, struct sdvk_pipeline *pipeline,
               const struct vk_graphics_pipeline_state *state, bool may_compile,
               const VkAllocationCallbacks *alloc)
{
   const struct sdvk_spirv_options options = spirv_options(state);
   VkResult result =
      vk_graphics_pipeline_state_copy(&device->vk, &pipeline->library, state, alloc,
                                      VK_SYSTEM_ALLOCATION_SCOPE_OBJECT, &pipeline->library_memory);

   if (result == VK_SUCCESS && may_link_early(&pipeline->program))
      result = sdvk_program_link(device, &pipeline->program, &options, may_compile);
   return result;
}

static VkResult
finish_pipeline(struct sdvk_device *device, struct sdvk_pipeline *pipeline,
                const struct vk_graphics_pipeline_state *state, bool may_compile)
{
   const struct sdvk_spirv_options options = spirv_options(state);
   VkResult result;

   vk_dynamic_graphics_state_fill(&pipeline->dynamic, state);
   result = sdvk_program_link(device, &pipeline->program, &options, may_compile);
   if (result == VK_SUCCESS && !sdvk_pipeline_emit_state(pipeline))
      result = vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   return result;
}

static bool
makes_no_fragments(const struct vk_graphics_pipeline_state *state)
{
   return state->rs && state->rs->rasterizer_discard_enable &&
          !BITSET_TEST(state->dynamic, MESA_VK_DYNAMIC_RS_RASTERIZER_DISCARD_ENABLE);
}

/* @info may be NULL if all of its state is dynamic. */
static bool
colors_are_ordered(const VkPipelineColorBlendStateCreateInfo *info)
{
   return info &&
          info->flags &
             VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
}

static VkResult
fill_graphics(struct sdvk_device *device, struct sdvk_pipeline *pipeline,
              const VkGraphicsPipelineCreateInfo *info, const VkAllocationCallbacks *alloc)
{
   const VkPipelineLibraryCreateInfoKHR *libraries =
      vk_find_struct_const(info->pNext, PIPELINE_LIBRARY_CREATE_INFO_KHR);
   const VkGraphicsPipelineLibraryFlagsEXT parts = own_parts(info, libraries);
   const bool may_compile = !must_not_compile(vk_graphics_pipeline_create_flags(info));
   struct vk_graphics_pipeline_all_state all;
   struct vk_graphics_pipeline_state state = {0};
   uint32_t n_shared;
   VkResult result;

   take_libraries(pipeline, libraries, &state);
   n_shared = pipeline->program.n_stages;
   forget_partial_pass(&state, parts);
   result =
      vk_graphics_pipeline_state_fill(&device->vk, &state, info, NULL, 0, &all, NULL, 0, NULL);
   if (result == VK_SUCCESS)
      result =
         add_stages(device, pipeline, info->pStages, info->stageCount, stages_of_parts(parts));
   if (result != VK_SUCCESS)
      return result;
   if (!may_compile && pipeline->program.n_stages > n_shared)
      return VK_PIPELINE_COMPILE_REQUIRED;
   if (parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT &&
       !makes_no_fragments(&state))
      pipeline->ordered = colors_are_ordered(info->pColorBlendState);
   if (is_library(info))
      return finish_library(device, pipeline, &state, may_compile, alloc);
   result = finish_pipeline(device, pipeline, &state, may_compile);
   sdvk_program_forget_code(&pipeline->program, n_shared);
   return result;
}

/* Returns the pipeline's handle in @out on success; otherwise destroys it. */
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

/*
 * Creation feedback is not supported: clears its valid flags. All other members are undefined then
 * (Vulkan 1.4, VkPipelineCreationFeedback).
 */
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

/*
 * Adds the result of one pipeline, created with @flags, to the @result of all: an error replaces
 * VK_PIPELINE_COMPILE_REQUIRED, and the first error stays. The result may be that of any pipeline
 * that failed (Vulkan 1.4, "Multiple Pipeline Creation"). Returns false if the call must return
 * early.
 */
static bool
add_result(VkResult *result, VkResult one, VkPipelineCreateFlags2KHR flags)
{
   if (one == VK_SUCCESS)
      return true;
   if (*result >= 0)
      *result = one;
   return !(flags & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT_KHR);
}

/*
 * Destroys the pipelines that the renderer refuses, and adds their results to @result. @flags: of
 * each pipeline.
 */
static void
check_pipelines(struct sdvk_device *device, uint32_t n, const VkPipelineCreateFlags2KHR *flags,
                const VkAllocationCallbacks *alloc, VkPipeline *pipelines, VkResult *result)
{
   STACK_ARRAY(struct sdvk_program *, programs, n);
   STACK_ARRAY(VkResult, results, n);
   bool goes_on = true;

   memset(programs, 0, n * sizeof(*programs));
   for (uint32_t i = 0; i < n; i++) {
      VK_FROM_HANDLE(sdvk_pipeline, pipeline, pipelines[i]);

      programs[i] = pipeline ? &pipeline->program : NULL;
   }
   sdvk_programs_check(device, programs, n, results);
   for (uint32_t i = 0; i < n; i++) {
      VK_FROM_HANDLE(sdvk_pipeline, pipeline, pipelines[i]);

      if (!pipeline || (goes_on && results[i] == VK_SUCCESS))
         continue;
      if (goes_on)
         goes_on = add_result(result, results[i], flags[i]);
      destroy_pipeline(&device->vk, &pipeline->vk, alloc);
      pipelines[i] = VK_NULL_HANDLE;
   }
   STACK_ARRAY_FINISH(programs);
   STACK_ARRAY_FINISH(results);
}

static VkResult
create_graphics(struct sdvk_device *device, const VkGraphicsPipelineCreateInfo *info,
                const VkAllocationCallbacks *alloc, VkPipeline *out)
{
   struct sdvk_pipeline *pipeline;

   leave_feedback_out(info->pNext);
   pipeline = pipeline_new(device, VK_PIPELINE_BIND_POINT_GRAPHICS, info->layout, alloc);
   if (!pipeline)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   return finish(device, pipeline, fill_graphics(device, pipeline, info, alloc), alloc, out);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateGraphicsPipelines(VkDevice _device, VkPipelineCache pipelineCache,
                             uint32_t createInfoCount,
                             const VkGraphicsPipelineCreateInfo *pCreateInfos,
                             const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   STACK_ARRAY(VkPipelineCreateFlags2KHR, flags, createInfoCount);
   VkResult result = VK_SUCCESS;

   /*
    * Tries all of them unless VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT is set; failed ones
    * are VK_NULL_HANDLE (Vulkan 1.4, "Multiple Pipeline Creation").
    */
   memset(flags, 0, createInfoCount * sizeof(*flags));
   memset(pPipelines, 0, createInfoCount * sizeof(*pPipelines));
   for (uint32_t i = 0; i < createInfoCount; i++) {
      VkResult one = create_graphics(device, &pCreateInfos[i], pAllocator, &pPipelines[i]);

      flags[i] = vk_graphics_pipeline_create_flags(&pCreateInfos[i]);
      if (!add_result(&result, one, flags[i]))
         break;
   }
   check_pipelines(device, createInfoCount, flags, pAllocator, pPipelines, &result);
   STACK_ARRAY_FINISH(flags);
   return result;
}

static VkResult
fill_compute(struct sdvk_device *device, struct sdvk_pipeline *pipeline,
             const VkComputePipelineCreateInfo *info)
{
   VkResult result = add_stages(device, pipeline, &info->stage, 1, VK_SHADER_STAGE_COMPUTE_BIT);

   if (result == VK_SUCCESS)
      result = sdvk_program_link(device, &pipeline->program, NULL, true);
   sdvk_program_forget_code(&pipeline->program, 0);
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
   return finish(device, pipeline, fill_compute(device, pipeline, info), alloc, out);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateComputePipelines(VkDevice _device, VkPipelineCache pipelineCache,
                            uint32_t createInfoCount,
                            const VkComputePipelineCreateInfo *pCreateInfos,
                            const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   STACK_ARRAY(VkPipelineCreateFlags2KHR, flags, createInfoCount);
   VkResult result = VK_SUCCESS;

   memset(flags, 0, createInfoCount * sizeof(*flags));
   memset(pPipelines, 0, createInfoCount * sizeof(*pPipelines));
   for (uint32_t i = 0; i < createInfoCount; i++) {
      VkResult one = create_compute(device, &pCreateInfos[i], pAllocator, &pPipelines[i]);

      flags[i] = vk_compute_pipeline_create_flags(&pCreateInfos[i]);
      if (!add_result(&result, one, flags[i]))
         break;
   }
   check_pipelines(device, createInfoCount, flags, pAllocator, pPipelines, &result);
   STACK_ARRAY_FINISH(flags);
   return result;
}
