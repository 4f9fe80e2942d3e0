/* SPDX-License-Identifier: MIT */
/*
 * Resolves at the end of a rendering. Colour attachments are resolved by a packet, if the views
 * have their images' formats. Other colours, depth and stencil, which the packet does not support,
 * are resolved by a draw to the destination view. Programs do not see that draw, but an occlusion
 * or statistics query that is active around the rendering counts it. The thread that records the
 * command buffer calls this; the program keeps other threads away. sdvk_resolver::lock guards the
 * shaders, which all command buffers share.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_format.h"
#include "sdvk_image.h"
#include "util/u_math.h"

#include "sdvk_resolve_color.h"
#include "sdvk_resolve_color_int.h"
#include "sdvk_resolve_color_uint.h"
#include "sdvk_resolve_depth.h"
#include "sdvk_resolve_stencil.h"
#include "sdvk_resolve_vertex.h"

#define SHADER_DWORDS (sizeof(struct sundog_cmd_create_shader) / 4 + 1)

/* Shaders and sampler */

/* Creates a shader. Returns its id; 0: no id is left. */
static uint32_t
make_shader(struct sdvk_device *device, uint32_t stage, const uint32_t *code, size_t size)
{
   struct sundog_cmd_create_shader cmd = {.stage = stage, .n_dwords = size / 4};
   struct sundog_stream *stream = sdvk_object_begin(device, SHADER_DWORDS + cmd.n_dwords, &cmd.id);

   if (!stream)
      return 0;
   if (stage == SUNDOG_STAGE_FRAGMENT) {
      cmd.n_bindings = 1;
      cmd.bindings[0] = (struct sundog_shader_binding){
         SUNDOG_BINDING_TEXTURE0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      };
   }
   sundog_emit_create_shader(stream, &cmd, code);
   sdvk_object_end(device);
   return cmd.id;
}

static uint32_t
make_sampler(struct sdvk_device *device)
{
   struct sundog_cmd_create_sampler cmd = {.max_anisotropy = 1};
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);

   if (!stream)
      return 0;
   sundog_emit_create_sampler(stream, &cmd);
   sdvk_object_end(device);
   return cmd.id;
}

static uint32_t
make_fragment_shader(struct sdvk_device *device, enum sdvk_resolved what)
{
   static const struct {
      const uint32_t *code;
      size_t size;
   } shaders[] = {
      [SDVK_RESOLVED_DEPTH] = {sdvk_resolve_depth, sizeof(sdvk_resolve_depth)},
      [SDVK_RESOLVED_STENCIL] = {sdvk_resolve_stencil, sizeof(sdvk_resolve_stencil)},
      [SDVK_RESOLVED_COLOR] = {sdvk_resolve_color, sizeof(sdvk_resolve_color)},
      [SDVK_RESOLVED_COLOR_INT] = {sdvk_resolve_color_int, sizeof(sdvk_resolve_color_int)},
      [SDVK_RESOLVED_COLOR_UINT] = {sdvk_resolve_color_uint, sizeof(sdvk_resolve_color_uint)},
   };

   return make_shader(device, SUNDOG_STAGE_FRAGMENT, shaders[what].code, shaders[what].size);
}

/*
 * Creates missing objects for a resolve, which live as long as the device. Returns false if no id
 * is left.
 */
static bool
make_objects(struct sdvk_device *device, enum sdvk_resolved what)
{
   struct sdvk_resolver *r = &device->resolver;
   bool ok;

   simple_mtx_lock(&r->lock);
   if (!r->vertex)
      r->vertex =
         make_shader(device, SUNDOG_STAGE_VERTEX, sdvk_resolve_vertex, sizeof(sdvk_resolve_vertex));
   if (!r->fragment[what])
      r->fragment[what] = make_fragment_shader(device, what);
   if (!r->sampler)
      r->sampler = make_sampler(device);
   ok = r->vertex && r->fragment[what] && r->sampler;
   simple_mtx_unlock(&r->lock);
   return ok;
}

static enum sdvk_resolved
resolved(const struct sdvk_resolve *resolve)
{
   const VkFormat format = resolve->src->vk.format;

   switch (resolve->aspect) {
   case VK_IMAGE_ASPECT_DEPTH_BIT:
      return SDVK_RESOLVED_DEPTH;
   case VK_IMAGE_ASPECT_STENCIL_BIT:
      return SDVK_RESOLVED_STENCIL;
   default:
      if (vk_format_is_uint(format))
         return SDVK_RESOLVED_COLOR_UINT;
      return vk_format_is_sint(format) ? SDVK_RESOLVED_COLOR_INT : SDVK_RESOLVED_COLOR;
   }
}

/* Draws */

static void
set_place(struct sdvk_cmd_buffer *cmd)
{
   const VkRect2D *area = &cmd->rendering.area;
   const uint32_t width = area->offset.x + area->extent.width,
                  height = area->offset.y + area->extent.height;
   const struct sundog_viewport viewport = {0, 0, width, height, 0, 1};
   const struct sundog_rect scissor = sdvk_packet_rect(area);

   sundog_emit_set_viewports(sdvk_cmd_packet(cmd), &(struct sundog_cmd_set_viewports){1},
                             &viewport);
   sundog_emit_set_scissors(sdvk_cmd_packet(cmd), &(struct sundog_cmd_set_scissors){1}, &scissor);
}

static void
set_tests(struct sdvk_cmd_buffer *cmd, VkImageAspectFlagBits aspect)
{
   const struct sundog_stencil_face face = {
      .fail_op = VK_STENCIL_OP_REPLACE,
      .pass_op = VK_STENCIL_OP_REPLACE,
      .depth_fail_op = VK_STENCIL_OP_REPLACE,
      .compare_op = VK_COMPARE_OP_ALWAYS,
      .compare_mask = 0xff,
      .write_mask = 0xff,
   };
   struct sundog_cmd_set_depth_stencil tests = {
      .depth_compare = VK_COMPARE_OP_ALWAYS,
      .front = face,
      .back = face,
   };

   if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
      tests.flags = SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST;
   if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
      tests.flags = SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST | SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE;
   sundog_emit_set_depth_stencil(sdvk_cmd_packet(cmd), &tests);
   sundog_emit_set_stencil_reference(sdvk_cmd_packet(cmd),
                                     &(struct sundog_cmd_set_stencil_reference){0});
}

static void
set_state(struct sdvk_cmd_buffer *cmd, VkImageAspectFlagBits aspect)
{
   const struct sundog_cmd_set_raster raster = {
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
      .line_width = 1,
      .stipple_factor = 1,
   };
   const struct sundog_cmd_set_multisample multisample = {.samples = 1, .mask = UINT32_MAX};
   const struct sundog_cmd_set_blend blend = {.count = aspect == VK_IMAGE_ASPECT_COLOR_BIT};
   const struct sundog_blend_attachment plain = {.write_mask = 0xf};

   set_tests(cmd, aspect);
   sundog_emit_set_raster(sdvk_cmd_packet(cmd), &raster);
   sundog_emit_set_blend(sdvk_cmd_packet(cmd), &blend, &plain);
   sundog_emit_set_blend_constants(sdvk_cmd_packet(cmd),
                                   &(struct sundog_cmd_set_blend_constants){0});
   sundog_emit_set_multisample(sdvk_cmd_packet(cmd), &multisample);
   sundog_emit_set_vertex_input(sdvk_cmd_packet(cmd), &(struct sundog_cmd_set_vertex_input){0},
                                NULL);
}

static void
bind_samples(struct sdvk_cmd_buffer *cmd, const struct sdvk_resolver *r,
             const struct sdvk_resolve *resolve)
{
   const bool stencil = resolve->aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
   const struct sundog_texture_binding samples = {resolve->src->sample_ids[stencil], r->sampler};
   const struct sundog_cmd_bind_textures textures = {SUNDOG_STAGE_FRAGMENT, 0, 1};
   const struct sundog_cmd_bind_shaders shaders = {
      .shaders =
         {
            [SUNDOG_STAGE_VERTEX] = r->vertex,
            [SUNDOG_STAGE_FRAGMENT] = r->fragment[resolved(resolve)],
         },
   };

   sundog_emit_bind_shaders(sdvk_cmd_packet(cmd), &shaders);
   sundog_emit_bind_textures(sdvk_cmd_packet(cmd), &textures, &samples);
}

static void
begin(struct sdvk_cmd_buffer *cmd, const struct sdvk_resolve *resolve, uint32_t layers)
{
   const struct sundog_attachment attachment = {
      .view = resolve->dst->attachment_id,
      .load = SUNDOG_LOAD_OP_LOAD,
      .store = SUNDOG_STORE_OP_STORE,
   };
   struct sundog_cmd_begin_rendering begin = {.area = sdvk_packet_rect(&cmd->rendering.area),
                                              .layers = layers};

   if (resolve->aspect == VK_IMAGE_ASPECT_COLOR_BIT)
      begin.count = 1;
   else
      *(resolve->aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? &begin.stencil : &begin.depth) =
         attachment;
   sundog_emit_begin_rendering(sdvk_cmd_packet(cmd), &begin, &attachment);
}

static void
draw_layers(struct sdvk_cmd_buffer *cmd, VkResolveModeFlagBits mode, uint32_t first, uint32_t count)
{
   const struct sundog_cmd_draw draw = {3, count, 3 * mode, first};

   sundog_emit_draw(sdvk_cmd_packet(cmd), &draw);
}

static void
draw_resolve(struct sdvk_cmd_buffer *cmd, const struct sdvk_resolver *r,
             const struct sdvk_resolve *resolve)
{
   const uint32_t views = cmd->rendering.view_mask;

   set_place(cmd);
   set_state(cmd, resolve->aspect);
   bind_samples(cmd, r, resolve);
   begin(cmd, resolve, views ? util_last_bit(views) : cmd->rendering.layers);
   if (!views)
      draw_layers(cmd, resolve->mode, 0, cmd->rendering.layers);
   u_foreach_bit(view, views)
      draw_layers(cmd, resolve->mode, view, 1);
   sundog_emit_end_rendering(sdvk_cmd_packet(cmd));
}

/* A condition that is active around the rendering does not discard the draw. */
static void
resolve_by_draw(struct sdvk_cmd_buffer *cmd, const struct sdvk_resolve *resolve)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);

   if (!make_objects(device, resolved(resolve))) {
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      return;
   }
   sdvk_cmd_pause_condition(cmd);
   draw_resolve(cmd, &device->resolver, resolve);
   sdvk_cmd_resume_condition(cmd);
   cmd->all_dirty = cmd->shaders_dirty = true;
}

/* Resolves by packets */

/*
 * Returns true if the image has the view's format. A view with `texels` has an image of its own
 * format.
 */
static bool
is_as_viewed(const struct sdvk_image_view *view)
{
   const struct sdvk_image *image = container_of(view->vk.image, struct sdvk_image, vk);

   return view->texels.bo || image->planes[sdvk_plane_index(view->vk.aspects)].format ==
                                sdvk_format_host(view->vk.format);
}

/* Returns the region of a view's first level from layer @layer on. */
static struct sundog_image_region
packet_region(const struct sdvk_image_view *view, VkOffset2D offset, uint32_t layer)
{
   const struct sdvk_image *image = container_of(view->vk.image, struct sdvk_image, vk);

   if (view->texels.bo)
      return (struct sundog_image_region){
         .image = view->texels.image_id,
         .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
         .offset = {offset.x, offset.y, layer},
      };
   return (struct sundog_image_region){
      .image = image->planes[sdvk_plane_index(view->vk.aspects)].id,
      .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
      .level = view->vk.base_mip_level,
      .offset = {offset.x, offset.y, view->vk.base_array_layer + layer},
   };
}

static void
resolve_layers(struct sdvk_cmd_buffer *cmd, const struct sdvk_resolve *resolve, uint32_t first,
               uint32_t count)
{
   const VkRect2D *area = &cmd->rendering.area;
   const struct sundog_cmd_resolve_image packet = {
      .src = packet_region(resolve->src, area->offset, first),
      .dst = packet_region(resolve->dst, area->offset, first),
      .extent = {area->extent.width, area->extent.height, count},
   };

   sundog_emit_resolve_image(sdvk_cmd_packet(cmd), &packet);
}

static void
resolve_colors(struct sdvk_cmd_buffer *cmd, const struct sdvk_resolve *resolve)
{
   const uint32_t views = cmd->rendering.view_mask;
   const bool slices = resolve->dst->vk.image->image_type == VK_IMAGE_TYPE_3D;

   if (!views && !slices)
      resolve_layers(cmd, resolve, 0, cmd->rendering.layers);
   /* A packet resolves one layer to a slice of a 3D image. */
   for (uint32_t i = 0; i < cmd->rendering.layers && !views && slices; i++)
      resolve_layers(cmd, resolve, i, 1);
   u_foreach_bit(view, views)
      resolve_layers(cmd, resolve, view, 1);
}

/* Orders attachment accesses and resolves, in both directions. */
static void
emit_barrier(struct sdvk_cmd_buffer *cmd)
{
   const uint64_t stages = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |
                           VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |
                           VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
   const uint64_t accesses = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
   const struct sundog_cmd_barrier barrier = {
      stages, accesses, stages | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, accesses,
   };

   sundog_emit_barrier(sdvk_cmd_packet(cmd), &barrier);
}

void
sdvk_cmd_resolve(struct sdvk_cmd_buffer *cmd)
{
   if (!cmd->rendering.n_resolves)
      return;
   emit_barrier(cmd);
   for (uint32_t i = 0; i < cmd->rendering.n_resolves; i++) {
      const struct sdvk_resolve *resolve = &cmd->rendering.resolves[i];

      if (resolve->aspect == VK_IMAGE_ASPECT_COLOR_BIT && is_as_viewed(resolve->src) &&
          is_as_viewed(resolve->dst))
         resolve_colors(cmd, resolve);
      else
         resolve_by_draw(cmd, resolve);
   }
   /*
    * Programs wait for resolves as for attachment writes (Vulkan,
    * VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT).
    */
   emit_barrier(cmd);
}
