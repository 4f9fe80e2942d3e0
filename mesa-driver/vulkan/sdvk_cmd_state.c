/* SPDX-License-Identifier: MIT */
/*
 * State of draws. A packet sets a group of states. If all states of a group are static in a
 * pipeline, the pipeline has the packet ready; Mesa's runtime collects the states of other groups
 * from pipelines and commands. The thread that records the command buffer calls this; the program
 * keeps other threads away.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_entrypoints.h"
#include "sdvk_format.h"
#include "util/mesa-blake3.h"
#include "util/u_math.h"

/* Colour attachments of draws. */
struct colors {
   uint32_t count; /* number of attachments */
   bool second;    /* the fragment shader has a second colour output for the first attachment */
   bool ordered;   /* fragments read the attachments, in rasterization order */
};

/* The states of a packet: if any of them is dirty, the packet is emitted. */
#define GROUP(name, ...) static const enum mesa_vk_dynamic_graphics_state name[] = {__VA_ARGS__}

GROUP(viewport_states, MESA_VK_DYNAMIC_VP_VIEWPORT_COUNT, MESA_VK_DYNAMIC_VP_VIEWPORTS);
GROUP(scissor_states, MESA_VK_DYNAMIC_VP_SCISSOR_COUNT, MESA_VK_DYNAMIC_VP_SCISSORS);
GROUP(raster_states, MESA_VK_DYNAMIC_IA_PRIMITIVE_TOPOLOGY,
      MESA_VK_DYNAMIC_IA_PRIMITIVE_RESTART_ENABLE,
      MESA_VK_DYNAMIC_VP_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE,
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
      MESA_VK_DYNAMIC_DS_STENCIL_COMPARE_MASK, MESA_VK_DYNAMIC_DS_STENCIL_WRITE_MASK,
      MESA_VK_DYNAMIC_RP_ATTACHMENTS);
GROUP(stencil_reference_states, MESA_VK_DYNAMIC_DS_STENCIL_REFERENCE);
GROUP(blend_states, MESA_VK_DYNAMIC_CB_LOGIC_OP_ENABLE, MESA_VK_DYNAMIC_CB_LOGIC_OP,
      MESA_VK_DYNAMIC_CB_ATTACHMENT_COUNT, MESA_VK_DYNAMIC_CB_COLOR_WRITE_ENABLES,
      MESA_VK_DYNAMIC_CB_BLEND_ENABLES, MESA_VK_DYNAMIC_CB_BLEND_EQUATIONS,
      MESA_VK_DYNAMIC_CB_WRITE_MASKS, MESA_VK_DYNAMIC_COLOR_ATTACHMENT_MAP,
      MESA_VK_DYNAMIC_RP_ATTACHMENTS);
GROUP(blend_constant_states, MESA_VK_DYNAMIC_CB_BLEND_CONSTANTS);
GROUP(multisample_states, MESA_VK_DYNAMIC_MS_RASTERIZATION_SAMPLES, MESA_VK_DYNAMIC_MS_SAMPLE_MASK,
      MESA_VK_DYNAMIC_MS_ALPHA_TO_COVERAGE_ENABLE, MESA_VK_DYNAMIC_MS_ALPHA_TO_ONE_ENABLE,
      MESA_VK_DYNAMIC_RS_RASTERIZER_DISCARD_ENABLE);
GROUP(vertex_input_states, MESA_VK_DYNAMIC_VI, MESA_VK_DYNAMIC_VI_BINDINGS_VALID,
      MESA_VK_DYNAMIC_VI_BINDING_STRIDES);
GROUP(patch_states, MESA_VK_DYNAMIC_TS_PATCH_CONTROL_POINTS, MESA_VK_DYNAMIC_TS_DOMAIN_ORIGIN);

/* Vulkan sets no limit with VK_EXT_depth_range_unrestricted, but the renderer wants numbers. */
static float
finite_depth(float depth)
{
   return isnan(depth) ? 0 : CLAMP(depth, -FLT_MAX, FLT_MAX);
}

static void
emit_viewports(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
               const struct colors *colors)
{
   struct sundog_viewport viewports[SUNDOG_MAX_VIEWPORTS] = {{.width = 1, .height = 1}};
   /* With rasterizer discard there may be no viewport; the packet needs at least one. */
   const struct sundog_cmd_set_viewports set = {
      .count = CLAMP(dyn->vp.viewport_count, 1, SUNDOG_MAX_VIEWPORTS),
   };

   for (uint32_t i = 0; i < MIN2(dyn->vp.viewport_count, set.count); i++) {
      const VkViewport *v = &dyn->vp.viewports[i];

      viewports[i] = (struct sundog_viewport){
         v->x,
         v->y,
         /* A pipeline without dynamic count may be bound before its viewports are set. */
         v->width > 0 ? v->width : 1,
         v->height,
         finite_depth(v->minDepth),
         finite_depth(v->maxDepth),
      };
   }
   sundog_emit_set_viewports(stream, &set, viewports);
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
emit_scissors(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
              const struct colors *colors)
{
   struct sundog_rect scissors[SUNDOG_MAX_VIEWPORTS] = {0};
   const struct sundog_cmd_set_scissors set = {
      .count = CLAMP(dyn->vp.scissor_count, 1, SUNDOG_MAX_VIEWPORTS),
   };

   for (uint32_t i = 0; i < MIN2(dyn->vp.scissor_count, set.count); i++)
      scissors[i] = packet_rect(dyn->vp.scissors[i]);
   sundog_emit_set_scissors(stream, &set, scissors);
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
emit_raster(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
            const struct colors *colors)
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
      /* A factor of lines without stipple may be any number (VUID ...-stippledLineEnable-02767). */
      .stipple_factor = rs->line.stipple.enable ? MAX2(rs->line.stipple.factor, 1) : 1,
      .stipple_pattern = rs->line.stipple.pattern,
      .bias_constant = rs->depth_bias.constant_factor,
      .bias_clamp = rs->depth_bias.clamp,
      .bias_slope = rs->depth_bias.slope_factor,
   };

   sundog_emit_set_raster(stream, &set);
}

static struct sundog_stencil_face
packet_face(const struct vk_stencil_test_face_state *face)
{
   return (struct sundog_stencil_face){
      face->op.fail, face->op.pass,      face->op.depth_fail,
      face->op.compare, face->compare_mask, face->write_mask,
   };
}

/*
 * Without an attachment in the pipeline, the test and the write are disabled, even if the rendering
 * has the attachment.
 */
static uint32_t
depth_stencil_flags(const struct vk_dynamic_graphics_state *dyn)
{
   const struct vk_depth_stencil_state *ds = &dyn->ds;
   const bool depth = dyn->rp.attachments & MESA_VK_RP_ATTACHMENT_DEPTH_BIT;
   const bool stencil = dyn->rp.attachments & MESA_VK_RP_ATTACHMENT_STENCIL_BIT;

   return (depth && ds->depth.test_enable ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST : 0) |
          (depth && ds->depth.write_enable ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE : 0) |
          (depth && ds->depth.bounds_test.enable ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_BOUNDS : 0) |
          (stencil && ds->stencil.test_enable ? SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST : 0);
}

static void
emit_depth_stencil(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
                   const struct colors *colors)
{
   const struct vk_depth_stencil_state *ds = &dyn->ds;
   const struct sundog_cmd_set_depth_stencil set = {
      .flags = depth_stencil_flags(dyn),
      .depth_compare = ds->depth.compare_op,
      .bounds_min = finite_depth(ds->depth.bounds_test.min),
      .bounds_max = finite_depth(ds->depth.bounds_test.max),
      .front = packet_face(&ds->stencil.front),
      .back = packet_face(&ds->stencil.back),
   };

   sundog_emit_set_depth_stencil(stream, &set);
}

static void
emit_stencil_reference(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
                       const struct colors *colors)
{
   const struct sundog_cmd_set_stencil_reference set = {
      dyn->ds.stencil.front.reference,
      dyn->ds.stencil.back.reference,
   };

   sundog_emit_set_stencil_reference(stream, &set);
}

/*
 * Replaces a SRC1 factor by that of a zero colour if no shader has a second output: it is undefined
 * in Vulkan, and an error to the renderer.
 */
static VkBlendFactor
packet_factor(VkBlendFactor factor, bool second)
{
   if (second)
      return factor;
   switch (factor) {
   case VK_BLEND_FACTOR_SRC1_COLOR:
   case VK_BLEND_FACTOR_SRC1_ALPHA:
      return VK_BLEND_FACTOR_ZERO;
   case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR:
   case VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA:
      return VK_BLEND_FACTOR_ONE;
   default:
      return factor;
   }
}

/*
 * Returns the blend state of attachment @i. It is not written if no output goes to it, or if the
 * pipeline does not have it.
 */
static struct sundog_blend_attachment
packet_blend(const struct vk_dynamic_graphics_state *dyn, const struct colors *colors, uint32_t i)
{
   const struct vk_color_blend_state *cb = &dyn->cb;
   const struct vk_color_blend_attachment_state *a = &cb->attachments[i];
   const bool is_written = (cb->color_write_enables & BITFIELD_BIT(i)) &&
                           dyn->cal.color_map[i] != MESA_VK_ATTACHMENT_UNUSED &&
                           (dyn->rp.attachments & MESA_VK_RP_ATTACHMENT_COLOR_BIT(i));
   /* With a second colour only attachment 0 is written. */
   const bool second = colors->second && i == 0;

   return (struct sundog_blend_attachment){
      .enable = a->blend_enable,
      .src_color = packet_factor(a->src_color_blend_factor, second),
      .dst_color = packet_factor(a->dst_color_blend_factor, second),
      .color_op = a->color_blend_op,
      .src_alpha = packet_factor(a->src_alpha_blend_factor, second),
      .dst_alpha = packet_factor(a->dst_alpha_blend_factor, second),
      .alpha_op = a->alpha_blend_op,
      .write_mask = is_written ? a->write_mask : 0,
   };
}

/*
 * Makes the host draw in order for attachment reads by fragments. It does so as long as blending or
 * a logic op reads the attachment; otherwise it may drop fragments that later ones cover. Enables
 * an operation without effect (VK_LOGIC_OP_COPY, or blending with ONE and ZERO), which formats of
 * all kinds support.
 */
static void
keep_what_is_there(struct sundog_cmd_set_blend *set, struct sundog_blend_attachment *attachments)
{
   bool blends = false;

   for (uint32_t i = 0; i < set->count; i++)
      blends |= attachments[i].enable;
   if (set->logic_enable || !set->count || attachments[0].enable)
      return;
   if (!blends) {
      set->logic_enable = true;
      set->logic_op = VK_LOGIC_OP_COPY;
      return;
   }
   attachments[0].enable = true;
   attachments[0].src_color = attachments[0].src_alpha = VK_BLEND_FACTOR_ONE;
   attachments[0].dst_color = attachments[0].dst_alpha = VK_BLEND_FACTOR_ZERO;
   attachments[0].color_op = attachments[0].alpha_op = VK_BLEND_OP_ADD;
}

static void
emit_blend(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
           const struct colors *colors)
{
   struct sundog_blend_attachment attachments[SUNDOG_MAX_COLOR_ATTACHMENTS];
   struct sundog_cmd_set_blend set = {
      .logic_enable = dyn->cb.logic_op_enable,
      .logic_op = dyn->cb.logic_op_enable ? dyn->cb.logic_op : 0,
      .count = colors->count,
   };

   for (uint32_t i = 0; i < set.count; i++)
      attachments[i] = packet_blend(dyn, colors, i);
   if (colors->ordered)
      keep_what_is_there(&set, attachments);
   sundog_emit_set_blend(stream, &set, attachments);
}

static void
emit_blend_constants(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
                     const struct colors *colors)
{
   struct sundog_cmd_set_blend_constants set;

   memcpy(set.color, dyn->cb.blend_constants, sizeof(set.color));
   sundog_emit_set_blend_constants(stream, &set);
}

static void
emit_multisample(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
                 const struct colors *colors)
{
   const struct sundog_cmd_set_multisample set = {
      .flags =
         (dyn->ms.alpha_to_coverage_enable ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_COVERAGE : 0) |
         (dyn->ms.alpha_to_one_enable ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_ONE : 0),
      /* With rasterizer discard any number is valid, also one that no attachment may have. */
      .samples = dyn->rs.rasterizer_discard_enable ? 1 : MAX2(dyn->ms.rasterization_samples, 1),
      .mask = dyn->ms.sample_mask,
   };

   sundog_emit_set_multisample(stream, &set);
}

/*
 * Vulkan's divisor 0 means one element for all instances (VkVertexInputBindingDivisorDescription,
 * feature vertexAttributeInstanceRateZeroDivisor); the packet's 0 means a rate per vertex.
 * No draw has more than UINT32_MAX instances.
 */
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
emit_vertex_input(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
                  const struct colors *colors)
{
   struct sundog_vertex_attribute attributes[SUNDOG_MAX_VERTEX_ATTRIBUTES];
   struct sundog_cmd_set_vertex_input set = {
      .n_bindings = MIN2(util_last_bit(dyn->vi->bindings_valid), SUNDOG_MAX_VERTEX_BUFFERS),
   };

   for (uint32_t i = 0; i < set.n_bindings; i++)
      set.bindings[i] = packet_binding(dyn, i);
   u_foreach_bit(location, dyn->vi->attributes_valid) {
      const struct vk_vertex_attribute_state *a = &dyn->vi->attributes[location];

      attributes[set.count++] =
         (struct sundog_vertex_attribute){location, a->binding,
                                           sdvk_format_number(a->format), a->offset};
   }
   sundog_emit_set_vertex_input(stream, &set, attributes);
}

static void
emit_patch(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
           const struct colors *colors)
{
   const struct sundog_cmd_set_patch set = {dyn->ts.patch_control_points, dyn->ts.domain_origin};

   /* Without tessellation the patch size was never set. */
   if (set.vertices)
      sundog_emit_set_patch(stream, &set);
}

static const struct {
   const enum mesa_vk_dynamic_graphics_state *states;
   uint32_t count;
   void (*emit)(struct sundog_stream *stream, const struct vk_dynamic_graphics_state *dyn,
                const struct colors *colors);
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

static_assert(ARRAY_SIZE(groups) == SDVK_NUM_STATE_GROUPS, "one packet of each");

/*
 * Returns true if all states of the group are set in @dyn. The attachments always come from the
 * pipeline, and two groups have them.
 */
static bool
is_static(const struct vk_dynamic_graphics_state *dyn,
          const enum mesa_vk_dynamic_graphics_state *states, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      if (states[i] != MESA_VK_DYNAMIC_RP_ATTACHMENTS && !BITSET_TEST(dyn->set, states[i]))
         return false;
   }
   return true;
}

/*
 * Returns true if the pipeline has none of the group's attachments, so that the group's other
 * states have no effect.
 */
static bool
has_no_attachments(const struct vk_dynamic_graphics_state *dyn,
                   const enum mesa_vk_dynamic_graphics_state *states)
{
   const uint32_t attachments =
      states == depth_stencil_states
         ? MESA_VK_RP_ATTACHMENT_DEPTH_BIT | MESA_VK_RP_ATTACHMENT_STENCIL_BIT
      : states == blend_states ? MESA_VK_RP_ATTACHMENT_ANY_COLOR_BITS
                               : 0;

   return attachments && BITSET_TEST(dyn->set, MESA_VK_DYNAMIC_RP_ATTACHMENTS) &&
          !(dyn->rp.attachments & attachments);
}

/*
 * Removes static states from those passed to the runtime, except states of groups that are emitted
 * with dynamic ones.
 */
static void
keep_states_of_dynamic_groups(struct sdvk_pipeline *pipeline)
{
   BITSET_DECLARE(needed, MESA_VK_DYNAMIC_GRAPHICS_STATE_ENUM_MAX);

   BITSET_ZERO(needed);
   for (uint32_t i = 0; i < ARRAY_SIZE(groups); i++) {
      if (pipeline->packets[i].dwords)
         continue;
      for (uint32_t j = 0; j < groups[i].count; j++)
         BITSET_SET(needed, groups[i].states[j]);
   }
   BITSET_AND(pipeline->dynamic.set, pipeline->dynamic.set, needed);
}

/* Hashes everything that the packets of a pipeline depend on, if all of its state is static. */
static void
hash_state(struct sdvk_pipeline *pipeline, const struct colors *colors)
{
   struct mesa_blake3 blake3;

   if (!BITSET_IS_EMPTY(pipeline->dynamic.set))
      return;
   _mesa_blake3_init(&blake3);
   _mesa_blake3_update(&blake3, pipeline->packets, sizeof(pipeline->packets));
   _mesa_blake3_update(&blake3, pipeline->state.packets.map,
                       pipeline->state.packets.used * sizeof(uint32_t));
   _mesa_blake3_update(&blake3, &colors->count, sizeof(colors->count));
   _mesa_blake3_update(&blake3, &colors->second, sizeof(colors->second));
   _mesa_blake3_update(&blake3, &colors->ordered, sizeof(colors->ordered));
   _mesa_blake3_final(&blake3, pipeline->state_hash);
   pipeline->has_hash = true;
}

bool
sdvk_pipeline_emit_state(struct sdvk_pipeline *pipeline)
{
   const struct vk_dynamic_graphics_state *dyn = &pipeline->dynamic;
   const struct colors colors = {dyn->cb.attachment_count, pipeline->program.second_color,
                                 pipeline->ordered};

   for (uint32_t i = 0; i < ARRAY_SIZE(groups); i++) {
      struct sundog_stream *stream = sdvk_stream_reserve(&pipeline->state, SDVK_PACKET_DWORDS);

      if (!is_static(dyn, groups[i].states, groups[i].count) &&
          !has_no_attachments(dyn, groups[i].states))
         continue;
      pipeline->packets[i].at = stream->used;
      groups[i].emit(stream, dyn, &colors);
      pipeline->packets[i].dwords = stream->used - pipeline->packets[i].at;
   }
   if (pipeline->state.packets.overflow)
      return false;
   keep_states_of_dynamic_groups(pipeline);
   hash_state(pipeline, &colors);
   return true;
}

/* Returns true if @pipeline has the same state as the bound one, apart from shaders. */
static bool
has_state(const struct sdvk_cmd_buffer *cmd, const struct sdvk_pipeline *pipeline)
{
   const struct sdvk_pipeline *last = cmd->pipeline;

   return last && last->has_hash && pipeline->has_hash && !cmd->pipeline_dirty &&
          !memcmp(last->state_hash, pipeline->state_hash, sizeof(blake3_hash));
}

void
sdvk_cmd_bind_state(struct sdvk_cmd_buffer *cmd, const struct sdvk_pipeline *pipeline)
{
   if (!BITSET_IS_EMPTY(pipeline->dynamic.set))
      vk_cmd_set_dynamic_graphics_state(&cmd->vk, &pipeline->dynamic);
   if ((cmd->pipeline && cmd->pipeline->ordered) != pipeline->ordered)
      BITSET_SET(cmd->vk.dynamic_graphics_state.dirty, MESA_VK_DYNAMIC_CB_BLEND_EQUATIONS);
   cmd->pipeline_dirty = !has_state(cmd, pipeline);
   cmd->pipeline = pipeline;
}

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
   struct sundog_cmd_bind_mesh_shaders mesh;
   struct sundog_cmd_bind_shaders bind;

   if (!cmd->shaders_dirty && !cmd->all_dirty)
      return;
   memcpy(mesh.shaders, cmd->shaders, sizeof(mesh.shaders));
   memcpy(bind.shaders, cmd->shaders, sizeof(bind.shaders));
   if (cmd->shaders[SUNDOG_STAGE_MESH])
      sundog_emit_bind_mesh_shaders(sdvk_cmd_packet(cmd), &mesh);
   else
      sundog_emit_bind_shaders(sdvk_cmd_packet(cmd), &bind);
   cmd->shaders_dirty = false;
}

static void
complete_sets(struct sdvk_cmd_buffer *cmd, bool compute)
{
   const struct sdvk_program *program = cmd->programs[compute];

   if (program && !sdvk_sets_are_complete(&cmd->sets[compute], program))
      sdvk_cmd_complete_sets(cmd, program);
}

/* Returns true if this command buffer last set the group by an identical packet. */
static bool
is_set(const struct sdvk_cmd_buffer *cmd, uint32_t group, const uint32_t *packet, uint32_t dwords)
{
   const struct sdvk_static_packet *last = &cmd->set[group];

   return last->dwords == dwords &&
          !memcmp(cmd->stream.packets.map + last->at, packet, dwords * sizeof(*packet));
}

static void
set_static(struct sdvk_cmd_buffer *cmd, uint32_t group)
{
   const struct sdvk_static_packet *at = &cmd->pipeline->packets[group];
   const uint32_t *packet = cmd->pipeline->state.packets.map + at->at;

   if (is_set(cmd, group, packet, at->dwords))
      return;
   cmd->set[group] = (struct sdvk_static_packet){cmd->stream.packets.used, at->dwords};
   sdvk_stream_append(&cmd->stream, packet, at->dwords);
   if (cmd->stream.packets.overflow)
      cmd->set[group].dwords = 0;
}

/*
 * Returns true if draws have a second colour. Hosts support it for one attachment only; with more
 * it is off, and blending is wrong. maxFragmentDualSrcAttachments, which is 1, forbids such draws
 * (VUID-vkCmdDraw-maxFragmentDualSrcAttachments-09239).
 */
static bool
has_second_color(const struct sdvk_cmd_buffer *cmd)
{
   return cmd->programs[false] && cmd->programs[false]->second_color &&
          cmd->rendering.color_count <= 1;
}

/*
 * Returns true if the pipeline's blend packet does not fit the rendering: it has fewer attachments,
 * of which the others are not the pipeline's, or differs in the second colour.
 */
static bool
lacks_attachments(const struct sdvk_cmd_buffer *cmd, uint32_t group)
{
   const struct sdvk_pipeline *pipeline = cmd->pipeline;

   return groups[group].states == blend_states &&
          (pipeline->dynamic.cb.attachment_count < cmd->rendering.color_count ||
           pipeline->program.second_color != has_second_color(cmd));
}

static void
set_group(struct sdvk_cmd_buffer *cmd, const struct vk_dynamic_graphics_state *dyn, bool any_dirty,
          uint32_t group)
{
   const struct colors colors = {
      cmd->rendering.color_count,
      has_second_color(cmd),
      cmd->pipeline && cmd->pipeline->ordered,
   };
   const bool dirty =
      cmd->all_dirty || (any_dirty && group_dirty(dyn, groups[group].states, groups[group].count));
   const bool has_packet = cmd->pipeline && cmd->pipeline->packets[group].dwords;

   if (dirty)
      cmd->set[group].dwords = 0;
   if (has_packet && !lacks_attachments(cmd, group)) {
      set_static(cmd, group);
   } else if (has_packet || dirty || cmd->is_static[group]) {
      cmd->set[group].dwords = 0;
      groups[group].emit(sdvk_cmd_packet(cmd), has_packet ? &cmd->pipeline->dynamic : dyn, &colors);
   }
   cmd->is_static[group] = has_packet;
}

void
sdvk_cmd_set_graphics(struct sdvk_cmd_buffer *cmd)
{
   struct vk_dynamic_graphics_state *dyn = &cmd->vk.dynamic_graphics_state;
   bool any_dirty;

   if (cmd->objects.used[false])
      sdvk_cmd_link_objects(cmd, false);
   complete_sets(cmd, false);
   flush_shaders(cmd);
   any_dirty = !BITSET_IS_EMPTY(dyn->dirty);
   if (!cmd->all_dirty && !cmd->pipeline_dirty && !any_dirty)
      return;
   for (uint32_t i = 0; i < ARRAY_SIZE(groups); i++)
      set_group(cmd, dyn, any_dirty, i);
   vk_dynamic_graphics_state_clear_dirty(dyn);
   cmd->all_dirty = false;
   cmd->pipeline_dirty = false;
}

void
sdvk_cmd_flush_compute(struct sdvk_cmd_buffer *cmd)
{
   if (cmd->objects.used[true])
      sdvk_cmd_link_objects(cmd, true);
   complete_sets(cmd, true);
   flush_shaders(cmd);
}
