/* SPDX-License-Identifier: MIT */
/*
 * Shader objects bound to a command buffer. A draw uses a program of them, which depends on the
 * objects and on the rendering; sdvk_shader_object.c caches programs. The thread that records the
 * command buffer calls this; the program keeps other threads away.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_shader_object.h"

void
sdvk_cmd_bind_object(struct sdvk_cmd_buffer *cmd, enum sundog_stage stage,
                     struct sdvk_shader_object *object)
{
   const bool compute = stage == SUNDOG_STAGE_COMPUTE;
   struct sdvk_bound_objects *bound = &cmd->objects;

   bound->dirty[compute] |= !bound->used[compute] || bound->stages[stage] != object;
   bound->used[compute] = true;
   bound->stages[stage] = object;
   /*
    * Binding a shader object unbinds the pipeline, and with it the pipeline's static state (Vulkan
    * 1.4, "Shader Objects", Interaction With Pipelines).
    */
   if (!compute && cmd->pipeline) {
      if (cmd->pipeline->ordered)
         BITSET_SET(cmd->vk.dynamic_graphics_state.dirty, MESA_VK_DYNAMIC_CB_BLEND_EQUATIONS);
      cmd->pipeline = NULL;
      cmd->pipeline_dirty = true;
   }
}

void
sdvk_cmd_unbind_objects(struct sdvk_cmd_buffer *cmd, bool compute)
{
   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++) {
      if ((i == SUNDOG_STAGE_COMPUTE) == compute)
         cmd->objects.stages[i] = NULL;
   }
   cmd->objects.used[compute] = false;
}

/*
 * Returns the options of draws. Shader objects cannot enable sample shading: it is pipeline state.
 */
static struct sdvk_spirv_options
draw_options(const struct sdvk_cmd_buffer *cmd)
{
   struct sdvk_spirv_options options = {.views = cmd->rendering.view_mask};

   sdvk_spirv_set_locations(&options, cmd->vk.dynamic_graphics_state.cal.color_map,
                            cmd->rendering.color_count);
   return options;
}

/* Selects the shader objects of one bind point, graphics or compute. */
static void
select_objects(const struct sdvk_cmd_buffer *cmd, bool compute, struct sdvk_shader_object **out)
{
   for (uint32_t i = 0; i < SDVK_NUM_STAGES; i++)
      out[i] = (i == SUNDOG_STAGE_COMPUTE) == compute ? cmd->objects.stages[i] : NULL;
}

static bool
is_linked(const struct sdvk_cmd_buffer *cmd, bool compute, const struct sdvk_spirv_options *options)
{
   return !cmd->objects.dirty[compute] &&
          (compute || sdvk_spirv_same_options(&cmd->objects.options, options));
}

void
sdvk_cmd_link_objects(struct sdvk_cmd_buffer *cmd, bool compute)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);
   const struct sdvk_spirv_options options =
      compute ? (struct sdvk_spirv_options){0} : draw_options(cmd);
   struct sdvk_shader_object *objects[SDVK_NUM_STAGES];
   const struct sdvk_program *program;
   VkResult result;

   if (is_linked(cmd, compute, &options))
      return;
   select_objects(cmd, compute, objects);
   result = sdvk_program_of_objects(device, objects, compute, &options, &program);
   if (result != VK_SUCCESS) {
      vk_command_buffer_set_error(&cmd->vk, result);
      return;
   }
   cmd->objects.dirty[compute] = false;
   if (!compute)
      cmd->objects.options = options;
   sdvk_cmd_bind_program(cmd, program);
}
