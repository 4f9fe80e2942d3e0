/* SPDX-License-Identifier: MIT */
/* State of draws: the runtime collects what pipelines and commands set, here it becomes packets. */
#include "sdvk_cmd_buffer.h"
#include "sdvk_entrypoints.h"
#include "util/u_math.h"

/* Any of the states of a packet. */
#define GROUP(name, ...) static const enum mesa_vk_dynamic_graphics_state name[] = {__VA_ARGS__}

GROUP(viewport_states, MESA_VK_DYNAMIC_VP_VIEWPORT_COUNT, MESA_VK_DYNAMIC_VP_VIEWPORTS);
GROUP(scissor_states, MESA_VK_DYNAMIC_VP_SCISSOR_COUNT, MESA_VK_DYNAMIC_VP_SCISSORS);
GROUP(raster_states, MESA_VK_DYNAMIC_IA_PRIMITIVE_TOPOLOGY,
      MESA_VK_DYNAMIC_IA_PRIMITIVE_RESTART_ENABLE, MESA_VK_DYNAMIC_VP_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE,
      MESA_VK_DYNAMIC_RS_RASTERIZER_DISCARD_ENABLE, MESA_VK_DYNAMIC_RS_DEPTH_CLAMP_ENABLE,
      MESA_VK_DYNAMIC_RS_DEPTH_CLIP_ENABLE, MESA_VK_DYNAMIC_RS_POLYGON_MODE,
      MESA_VK_DYNAMIC_RS_CULL_MODE, MESA_VK_DYNAMIC_RS_FRONT_FACE,
      MESA_VK_DYNAMIC_RS_PROVOKING_VERTEX, MESA_VK_DYNAMIC_RS_DEPTH_BIAS_ENABLE,
      MESA_VK_DYNAMIC_RS_DEPTH_BIAS_FACTORS, MESA_VK_DYNAMIC_RS_LINE_WIDTH,
      MESA_VK_DYNAMIC_RS_LINE_MODE, MESA_VK_DYNAMIC_RS_LINE_STIPPLE_ENABLE,
      MESA_VK_DYNAMIC_RS_LINE_STIPPLE);
GROUP(depth_stencil_states, MESA_VK_DYNAMIC_DS_DEPTH_TEST_ENABLE,
      MESA_VK_DYNAMIC_DS_DEPTH_WRITE_ENABLE, MESA_VK_DYNAMIC_DS_DEPTH_COMPARE_OP,
      MESA_VK_DYNAMIC_DS_DEPTH_BOUNDS_TEST_ENABLE, MESA_VK_DYNAMIC_DS_DEPTH_BOUNDS_TEST_BOUNDS,
      MESA_VK_DYNAMIC_DS_STENCIL_TEST_ENABLE, MESA_VK_DYNAMIC_DS_STENCIL_OP,
      MESA_VK_DYNAMIC_DS_STENCIL_COMPARE_MASK, MESA_VK_DYNAMIC_DS_STENCIL_WRITE_MASK);
GROUP(stencil_reference_states, MESA_VK_DYNAMIC_DS_STENCIL_REFERENCE);
GROUP(blend_states, MESA_VK_DYNAMIC_CB_LOGIC_OP_ENABLE, MESA_VK_DYNAMIC_CB_LOGIC_OP,
      MESA_VK_DYNAMIC_CB_ATTACHMENT_COUNT, MESA_VK_DYNAMIC_CB_COLOR_WRITE_ENABLES,
      MESA_VK_DYNAMIC_CB_BLEND_ENABLES, MESA_VK_DYNAMIC_CB_BLEND_EQUATIONS,
      MESA_VK_DYNAMIC_CB_WRITE_MASKS);
GROUP(blend_constant_states, MESA_VK_DYNAMIC_CB_BLEND_CONSTANTS);
GROUP(multisample_states, MESA_VK_DYNAMIC_MS_RASTERIZATION_SAMPLES, MESA_VK_DYNAMIC_MS_SAMPLE_MASK,
      MESA_VK_DYNAMIC_MS_ALPHA_TO_COVERAGE_ENABLE, MESA_VK_DYNAMIC_MS_ALPHA_TO_ONE_ENABLE);
GROUP(vertex_input_states, MESA_VK_DYNAMIC_VI, MESA_VK_DYNAMIC_VI_BINDINGS_VALID,
      MESA_VK_DYNAMIC_VI_BINDING_STRIDES);
GROUP(patch_states, MESA_VK_DYNAMIC_TS_PATCH_CONTROL_POINTS, MESA_VK_DYNAMIC_TS_DOMAIN_ORIGIN);

static void
emit_viewports(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   struct sundog_viewport viewports[SUNDOG_MAX_VIEWPORTS] = {{.width = 1, .height = 1}};
   /* Draws that rasterise nothing need not have one; the packet does. */
   const struct sundog_cmd_set_viewports set = {
      .count = CLAMP(dyn->vp.viewport_count, 1, SUNDOG_MAX_VIEWPORTS),
   };

   for (uint32_t i = 0; i < MIN2(dyn->vp.viewport_count, set.count); i++) {
      const VkViewport *v = &dyn->vp.viewports[i];

      viewports[i] = (struct sundog_viewport){
         v->x, v->y, v->width, v->height, v->minDepth, v->maxDepth,
      };
   }
   sundog_emit_set_viewports(sdvk_cmd_packet(cmd), &set, viewports);
}

static struct sundog_rect
packet_rect(VkRect2D rect)
{
   return (struct sundog_rect){
      .x = MIN2(rect.offset.x, 0x7fff),
      .y = MIN2(rect.offset.y, 0x7fff),
      .width = MIN2(rect.extent.width, 0xffff),
      .height = MIN2(rect.extent.height, 0xffff),
   };
}

static void
emit_scissors(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   struct sundog_rect scissors[SUNDOG_MAX_VIEWPORTS] = {0};
   const struct sundog_cmd_set_scissors set = {
      .count = CLAMP(dyn->vp.scissor_count, 1, SUNDOG_MAX_VIEWPORTS),
   };

   for (uint32_t i = 0; i < MIN2(dyn->vp.scissor_count, set.count); i++)
      scissors[i] = packet_rect(dyn->vp.scissors[i]);
   sundog_emit_set_scissors(sdvk_cmd_packet(cmd), &set, scissors);
}

static uint32_t
raster_flags(const struct vk_dynamic_graphics_state *dyn)
{
   const struct vk_rasterization_state *rs = &dyn->rs;

   return (rs->rasterizer_discard_enable ? SUNDOG_RASTER_FLAG_DISCARD : 0) |
          (rs->depth_clamp_enable ? SUNDOG_RASTER_FLAG_DEPTH_CLAMP : 0) |
          (vk_rasterization_state_depth_clip_enable(rs) ? SUNDOG_RASTER_FLAG_DEPTH_CLIP : 0) |
          (rs->depth_bias.enable ? SUNDOG_RASTER_FLAG_DEPTH_BIAS : 0) |
          (rs->provoking_vertex == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT
              ? SUNDOG_RASTER_FLAG_PROVOKING_LAST
              : 0) |
          (rs->line.stipple.enable ? SUNDOG_RASTER_FLAG_LINE_STIPPLE : 0) |
          (dyn->vp.depth_clip_negative_one_to_one ? SUNDOG_RASTER_FLAG_CLIP_NEGATIVE_ONE : 0) |
          (dyn->ia.primitive_restart_enable ? SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART : 0);
}

static void
emit_raster(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   const struct vk_rasterization_state *rs = &dyn->rs;
   const struct sundog_cmd_set_raster set = {
      .flags = raster_flags(dyn),
      .topology = dyn->ia.primitive_topology,
      .polygon_mode = rs->polygon_mode,
      .cull_mode = rs->cull_mode,
      .front_face = rs->front_face,
      .line_mode = rs->line.mode,
      .line_width = rs->line.width ? rs->line.width : 1.0f,
      .stipple_factor = MAX2(rs->line.stipple.factor, 1),
      .stipple_pattern = rs->line.stipple.pattern,
      .bias_constant = rs->depth_bias.constant_factor,
      .bias_clamp = rs->depth_bias.clamp,
      .bias_slope = rs->depth_bias.slope_factor,
   };

   sundog_emit_set_raster(sdvk_cmd_packet(cmd), &set);
}

static struct sundog_stencil_face
packet_face(const struct vk_stencil_test_face_state *face)
{
   return (struct sundog_stencil_face){
      face->op.fail, face->op.pass,      face->op.depth_fail,
      face->op.compare, face->compare_mask, face->write_mask,
   };
}

static void
emit_depth_stencil(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   const struct vk_depth_stencil_state *ds = &dyn->ds;
   const struct sundog_cmd_set_depth_stencil set = {
      .flags = (ds->depth.test_enable ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST : 0) |
               (ds->depth.write_enable ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE : 0) |
               (ds->depth.bounds_test.enable ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_BOUNDS : 0) |
               (ds->stencil.test_enable ? SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST : 0),
      .depth_compare = ds->depth.compare_op,
      .bounds_min = ds->depth.bounds_test.min,
      .bounds_max = ds->depth.bounds_test.max,
      .front = packet_face(&ds->stencil.front),
      .back = packet_face(&ds->stencil.back),
   };

   sundog_emit_set_depth_stencil(sdvk_cmd_packet(cmd), &set);
}

static void
emit_stencil_reference(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   const struct sundog_cmd_set_stencil_reference set = {
      dyn->ds.stencil.front.reference,
      dyn->ds.stencil.back.reference,
   };

   sundog_emit_set_stencil_reference(sdvk_cmd_packet(cmd), &set);
}

static struct sundog_blend_attachment
packet_blend(const struct vk_color_blend_state *cb, uint32_t i)
{
   const struct vk_color_blend_attachment_state *a = &cb->attachments[i];

   return (struct sundog_blend_attachment){
      .enable = a->blend_enable,
      .src_color = a->src_color_blend_factor,
      .dst_color = a->dst_color_blend_factor,
      .color_op = a->color_blend_op,
      .src_alpha = a->src_alpha_blend_factor,
      .dst_alpha = a->dst_alpha_blend_factor,
      .alpha_op = a->alpha_blend_op,
      .write_mask = cb->color_write_enables & BITFIELD_BIT(i) ? a->write_mask : 0,
   };
}

static void
emit_blend(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   struct sundog_blend_attachment attachments[SUNDOG_MAX_COLOR_ATTACHMENTS];
   const struct sundog_cmd_set_blend set = {
      .logic_enable = dyn->cb.logic_op_enable,
      .logic_op = dyn->cb.logic_op_enable ? dyn->cb.logic_op : 0,
      .count = cmd->rendering.color_count,
   };

   for (uint32_t i = 0; i < set.count; i++)
      attachments[i] = packet_blend(&dyn->cb, i);
   sundog_emit_set_blend(sdvk_cmd_packet(cmd), &set, attachments);
}

static void
emit_blend_constants(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   struct sundog_cmd_set_blend_constants set;

   memcpy(set.color, dyn->cb.blend_constants, sizeof(set.color));
   sundog_emit_set_blend_constants(sdvk_cmd_packet(cmd), &set);
}

static void
emit_multisample(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   const struct sundog_cmd_set_multisample set = {
      .flags =
         (dyn->ms.alpha_to_coverage_enable ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_COVERAGE : 0) |
         (dyn->ms.alpha_to_one_enable ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_ONE : 0),
      .samples = MAX2(dyn->ms.rasterization_samples, 1),
      .mask = dyn->ms.sample_mask,
   };

   sundog_emit_set_multisample(sdvk_cmd_packet(cmd), &set);
}

/* 0 is one element for all instances, and for a packet that it goes by vertices: no draw has more than these. */
static uint32_t
packet_divisor(const struct vk_vertex_binding_state *b)
{
   if (b->input_rate != VK_VERTEX_INPUT_RATE_INSTANCE)
      return 0;
   return b->divisor ? b->divisor : UINT32_MAX;
}

static struct sundog_vertex_binding
packet_binding(const struct vk_dynamic_graphics_state *dyn, uint32_t i)
{
   const struct vk_vertex_binding_state *b = &dyn->vi->bindings[i];

   if (!(dyn->vi->bindings_valid & BITFIELD_BIT(i)))
      return (struct sundog_vertex_binding){0};
   return (struct sundog_vertex_binding){
      .stride = dyn->vi_binding_strides[i],
      .divisor = packet_divisor(b),
   };
}

static void
emit_vertex_input(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   struct sundog_vertex_attribute attributes[SUNDOG_MAX_VERTEX_ATTRIBUTES];
   struct sundog_cmd_set_vertex_input set = {
      .n_bindings = MIN2(util_last_bit(dyn->vi->bindings_valid), SUNDOG_MAX_VERTEX_BUFFERS),
   };

   for (uint32_t i = 0; i < set.n_bindings; i++)
      set.bindings[i] = packet_binding(dyn, i);
   u_foreach_bit(location, dyn->vi->attributes_valid) {
      const struct vk_vertex_attribute_state *a = &dyn->vi->attributes[location];

      attributes[set.count++] = (struct sundog_vertex_attribute){location, a->binding, a->format, a->offset};
   }
   sundog_emit_set_vertex_input(sdvk_cmd_packet(cmd), &set, attributes);
}

static void
emit_patch(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn)
{
   const struct sundog_cmd_set_patch set = {dyn->ts.patch_control_points, dyn->ts.domain_origin};

   if (cmd->shaders[SUNDOG_STAGE_TESS_CTRL])
      sundog_emit_set_patch(sdvk_cmd_packet(cmd), &set);
}

static const struct {
   const enum mesa_vk_dynamic_graphics_state *states;
   uint32_t count;
   void (*emit)(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn);
} groups[] = {
#define ENTRY(name, function) {name, ARRAY_SIZE(name), function}
   ENTRY(viewport_states, emit_viewports),
   ENTRY(scissor_states, emit_scissors),
   ENTRY(raster_states, emit_raster),
   ENTRY(depth_stencil_states, emit_depth_stencil),
   ENTRY(stencil_reference_states, emit_stencil_reference),
   ENTRY(blend_states, emit_blend),
   ENTRY(blend_constant_states, emit_blend_constants),
   ENTRY(multisample_states, emit_multisample),
   ENTRY(vertex_input_states, emit_vertex_input),
   ENTRY(patch_states, emit_patch),
#undef ENTRY
};

static bool
group_dirty(const struct vk_dynamic_graphics_state *dyn,
            const enum mesa_vk_dynamic_graphics_state *states, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      if (BITSET_TEST(dyn->dirty, states[i]))
         return true;
   }
   return false;
}

static void
flush_shaders(struct sdvk_cmd_buffer *cmd)
{
   struct sundog_cmd_bind_shaders bind;

   if (!cmd->shaders_dirty && !cmd->all_dirty)
      return;
   memcpy(bind.shaders, cmd->shaders, sizeof(bind.shaders));
   sundog_emit_bind_shaders(sdvk_cmd_packet(cmd), &bind);
   cmd->shaders_dirty = false;
}

void
sdvk_cmd_flush_graphics(struct sdvk_cmd_buffer *cmd)
{
   struct vk_dynamic_graphics_state *dyn = &cmd->vk.dynamic_graphics_state;

   flush_shaders(cmd);
   if (!cmd->all_dirty && BITSET_IS_EMPTY(dyn->dirty))
      return;
   for (uint32_t i = 0; i < ARRAY_SIZE(groups); i++) {
      if (cmd->all_dirty || group_dirty(dyn, groups[i].states, groups[i].count))
         groups[i].emit(cmd, dyn);
   }
   vk_dynamic_graphics_state_clear_dirty(dyn);
   cmd->all_dirty = false;
}

void
sdvk_cmd_flush_compute(struct sdvk_cmd_buffer *cmd)
{
   flush_shaders(cmd);
}
