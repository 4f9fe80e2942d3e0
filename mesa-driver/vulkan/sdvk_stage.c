/* SPDX-License-Identifier: MIT */
/*
 * Shader stages, and the renderer's shaders that are made of them: see sdvk_stage.h. Any thread of
 * the program calls this; sdvk_stage::lock guards the list of shaders.
 */
#include "sdvk_stage.h"

#include <stdlib.h>
#include <string.h>

#include "sdvk_device.h"
#include "sdvk_spirv_emit.h"
#include "vk_log.h"

/* Limits of the packet create_layout_shader, and of the renderer's gate. */
#define MAX_CODE_DWORDS 0x80000
#define MAX_CODE_IDS 0x40000

/* The renderer's shader of a stage for a layout and options. */
struct variant {
   /* keeps the set layouts alive that the renderer's layout refers to */
   struct vk_pipeline_layout *layout;
   struct sdvk_spirv_options options;
   struct sdvk_shader shader;
   VkResult result; /* that the renderer reported */
};

enum sundog_stage
sdvk_packet_stage(VkShaderStageFlagBits stage)
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
   case VK_SHADER_STAGE_TASK_BIT_EXT:
      return SUNDOG_STAGE_TASK;
   case VK_SHADER_STAGE_MESH_BIT_EXT:
      return SUNDOG_STAGE_MESH;
   default:
      return SUNDOG_STAGE_COMPUTE;
   }
}

/* Code */

static VkResult
check_size(struct sdvk_device *device, const struct sdvk_code *code)
{
   const uint32_t bound = code->words[SPIRV_HEADER_BOUND];

   if (code->count > MAX_CODE_DWORDS || bound > MAX_CODE_IDS)
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "a shader of %u dwords and %u ids, at most %u and %u", code->count, bound,
                       MAX_CODE_DWORDS, MAX_CODE_IDS);
   return VK_SUCCESS;
}

static VkResult
read_code(struct sdvk_device *device, struct sdvk_stage *stage,
          const VkPipelineShaderStageCreateInfo *info)
{
   VkResult result;

   if (!sdvk_spirv_of_stage(info, &stage->code))
      return vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY,
                       "a module has no valid entry point %s, or there is no memory", info->pName);
   if (!sdvk_spirv_lower_rays(&stage->code))
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = check_size(device, &stage->code);
   if (result != VK_SUCCESS)
      return result;
   stage->sets = sdvk_spirv_sets(&stage->code);
   if (!sdvk_spirv_list_kinds(&stage->code, &stage->kinds))
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   return VK_SUCCESS;
}

VkResult
sdvk_stage_new(struct sdvk_device *device, const VkPipelineShaderStageCreateInfo *info,
               struct sdvk_stage **out)
{
   struct sdvk_stage *stage = calloc(1, sizeof(*stage));
   VkResult result;

   if (!stage)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   stage->ref_cnt = 1;
   stage->stage = info->stage;
   simple_mtx_init(&stage->lock, mtx_plain);
   util_dynarray_init(&stage->kinds, NULL);
   util_dynarray_init(&stage->shaders, NULL);
   result = read_code(device, stage, info);
   if (result != VK_SUCCESS) {
      sdvk_stage_unref(device, stage);
      return result;
   }
   *out = stage;
   return VK_SUCCESS;
}

struct sdvk_stage *
sdvk_stage_ref(struct sdvk_stage *stage)
{
   p_atomic_inc(&stage->ref_cnt);
   return stage;
}

void
sdvk_stage_unref(struct sdvk_device *device, struct sdvk_stage *stage)
{
   if (!p_atomic_dec_zero(&stage->ref_cnt))
      return;
   util_dynarray_foreach (&stage->shaders, struct variant, variant) {
      sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_SHADER, variant->shader.id);
      vk_pipeline_layout_unref(&device->vk, variant->layout);
   }
   util_dynarray_fini(&stage->shaders);
   util_dynarray_fini(&stage->kinds);
   simple_mtx_destroy(&stage->lock);
   free(stage->code.words);
   free(stage);
}

static VkResult
add_modes(struct sdvk_device *device, struct sdvk_stage *stage, const struct sdvk_stage *other)
{
   if (!sdvk_spirv_add_patch_modes(&stage->code, &other->code,
                                   stage->stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT))
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   return VK_SUCCESS;
}

VkResult
sdvk_stages_share_modes(struct sdvk_device *device, struct sdvk_stage *control,
                        struct sdvk_stage *evaluation)
{
   VkResult result = add_modes(device, control, evaluation);

   return result == VK_SUCCESS ? add_modes(device, evaluation, control) : result;
}

VkResult
sdvk_stage_get_code(struct sdvk_device *device, const struct sdvk_stage *stage,
                    const struct vk_pipeline_layout *layout,
                    const struct sdvk_spirv_options *options, struct sdvk_code *out)
{
   VkResult result;

   *out = (struct sdvk_code){malloc(stage->code.count * sizeof(*out->words)), stage->code.count};
   if (!out->words)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   memcpy(out->words, stage->code.words, out->count * sizeof(*out->words));
   if (stage->stage == VK_SHADER_STAGE_FRAGMENT_BIT &&
       (!sdvk_spirv_lower_fragment(out, options) || !sdvk_spirv_move_outputs(out, options)))
      return vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY,
                       "cannot split the output arrays of a fragment shader, or no memory");
   result = check_size(device, out);
   if (result != VK_SUCCESS)
      return result;
   if (!sdvk_spirv_convert_ycbcr(out, layout))
      return vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY,
                       "one function of a shader samples with several YCbCr conversions");
   return check_size(device, out);
}

/* The renderer's shaders */

VkResult
sdvk_shader_new(struct sdvk_device *device, VkShaderStageFlagBits stage,
                const struct sdvk_layout *layout, const struct sdvk_code *code,
                struct sdvk_shader *out)
{
   struct sundog_cmd_create_layout_shader cmd = {
      .stage = sdvk_packet_stage(stage),
      .layout = layout->id,
      .n_dwords = code->count,
   };
   struct sundog_stream *stream =
      sdvk_object_begin(device, SDVK_PACKET_DWORDS + code->count, &cmd.id);

   if (!stream)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   sundog_emit_create_layout_shader(stream, &cmd, code->words);
   sdvk_object_end(device);
   out->id = cmd.id;
   out->accepted = false;
   out->second_color = stage == VK_SHADER_STAGE_FRAGMENT_BIT && sdvk_spirv_has_second_color(code);
   out->counts_draws = sdvk_spirv_counts_draws(code);
   return VK_SUCCESS;
}

/*
 * Returns the variant for @layout and @options; NULL: there is none. Layouts that are one for the
 * renderer also have the same sampler conversions, which are part of set layouts. The caller holds
 * the stage's lock.
 */
static const struct variant *
find_variant(const struct sdvk_stage *stage, const struct vk_pipeline_layout *layout,
             const struct sdvk_spirv_options *options)
{
   util_dynarray_foreach (&stage->shaders, struct variant, variant) {
      if (sdvk_renderer_layout(variant->layout) == sdvk_renderer_layout(layout) &&
          (stage->stage != VK_SHADER_STAGE_FRAGMENT_BIT ||
           sdvk_spirv_same_options(&variant->options, options)))
         return variant;
   }
   return NULL;
}

static VkResult
make_variant(struct sdvk_device *device, struct sdvk_stage *stage,
             struct vk_pipeline_layout *layout, const struct sdvk_spirv_options *options)
{
   struct variant *variant = util_dynarray_grow(&stage->shaders, struct variant, 1);
   struct sdvk_code code = {0};
   VkResult result;

   if (!variant)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   *variant = (struct variant){.layout = layout, .result = VK_SUCCESS};
   if (stage->stage == VK_SHADER_STAGE_FRAGMENT_BIT)
      variant->options = *options;
   result = sdvk_stage_get_code(device, stage, layout, options, &code);
   if (result == VK_SUCCESS)
      result = sdvk_shader_new(device, stage->stage, sdvk_renderer_layout(layout), &code,
                               &variant->shader);
   free(code.words);
   if (result == VK_SUCCESS)
      vk_pipeline_layout_ref(layout);
   else
      (void)util_dynarray_pop(&stage->shaders, struct variant);
   return result;
}

VkResult
sdvk_stage_get_shader(struct sdvk_device *device, struct sdvk_stage *stage,
                      struct vk_pipeline_layout *layout, const struct sdvk_spirv_options *options,
                      bool may_compile, struct sdvk_shader *out)
{
   const struct variant *variant;
   VkResult result = VK_SUCCESS;

   simple_mtx_lock(&stage->lock);
   variant = find_variant(stage, layout, options);
   if (!variant) {
      result =
         may_compile ? make_variant(device, stage, layout, options) : VK_PIPELINE_COMPILE_REQUIRED;
      variant = find_variant(stage, layout, options);
   }
   if (variant) {
      *out = variant->shader;
      result = variant->result;
   }
   simple_mtx_unlock(&stage->lock);
   return result;
}

void
sdvk_stage_set_result(struct sdvk_stage *stage, uint32_t id, VkResult result)
{
   simple_mtx_lock(&stage->lock);
   util_dynarray_foreach (&stage->shaders, struct variant, variant) {
      if (variant->shader.id == id) {
         variant->shader.accepted = result == VK_SUCCESS;
         variant->result = result;
      }
   }
   simple_mtx_unlock(&stage->lock);
}
