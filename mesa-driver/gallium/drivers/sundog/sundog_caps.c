/* SPDX-License-Identifier: MIT */
/* Fills in the capabilities and limits of the screen from the capabilities of the device. Runs once
 * per screen, before it is shared. */
#include "sundog_caps.h"

#include "sundog_clock.h"
#include "sundog_edges.h"
#include "sundog_screen.h"
#include "sundog_share.h"
#include "util/u_math.h"
#include "util/u_screen.h"

/* Limits on generic varyings, on the locations that they may be spread over (see varying_location()
 * in sundog_nir_io.c) and on per-patch varyings. */
#define MAX_VARYINGS 16
#define MAX_LOCATIONS 32
#define MAX_PATCH_VARYINGS 30

/* The value of MAX_VIEWS_OVR in Mesa. */
#define MAX_VIEWS 6
#define VERSION_WITH_VIEW_QUERIES (5 << 16 | 3)

static bool
has_geometry(const struct sundog_caps *caps)
{
   return caps->features & SUNDOG_FEATURE_GEOMETRY;
}

static bool
has_tessellation(const struct sundog_caps *caps)
{
   return caps->features & SUNDOG_FEATURE_TESSELLATION;
}

static bool
has_stage(const struct sundog_caps *caps, enum pipe_shader_type shader)
{
   switch (shader) {
   case PIPE_SHADER_VERTEX:
   case PIPE_SHADER_FRAGMENT:
      return true;
   case PIPE_SHADER_GEOMETRY:
      return has_geometry(caps);
   case PIPE_SHADER_TESS_CTRL:
   case PIPE_SHADER_TESS_EVAL:
      return has_tessellation(caps);
   case PIPE_SHADER_COMPUTE:
      return caps->features & SUNDOG_FEATURE_COMPUTE;
   default:
      return false;
   }
}

bool
sdog_has_subgroups(const struct sundog_caps *caps, gl_shader_stage stage)
{
   return (caps->features & SUNDOG_FEATURE_SUBGROUPS) &&
          (stage == MESA_SHADER_FRAGMENT || stage == MESA_SHADER_COMPUTE);
}

static bool
has_storage(const struct sundog_caps *caps, enum pipe_shader_type shader)
{
   return caps->features &
          (shader == PIPE_SHADER_COMPUTE ? SUNDOG_FEATURE_COMPUTE : SUNDOG_FEATURE_STORAGE);
}

static unsigned
max_inputs(const struct sundog_caps *caps, enum pipe_shader_type shader)
{
   switch (shader) {
   case PIPE_SHADER_VERTEX:
      return MIN2(caps->max_vertex_attributes, 16);
   case PIPE_SHADER_FRAGMENT:
   case PIPE_SHADER_TESS_CTRL:
   case PIPE_SHADER_TESS_EVAL:
      return MAX_LOCATIONS;
   default:
      return MAX_VARYINGS;
   }
}

static unsigned
max_outputs(enum pipe_shader_type shader)
{
   return shader == PIPE_SHADER_FRAGMENT ? SUNDOG_MAX_COLOR_ATTACHMENTS : MAX_LOCATIONS;
}

static int
sdog_get_shader_param(struct pipe_screen *pscreen, enum pipe_shader_type shader,
                      enum pipe_shader_cap param)
{
   const struct sundog_caps *caps = sdog_screen(pscreen)->caps;

   if (!has_stage(caps, shader))
      return 0;
   switch (param) {
   case PIPE_SHADER_CAP_MAX_INSTRUCTIONS:
   case PIPE_SHADER_CAP_MAX_ALU_INSTRUCTIONS:
   case PIPE_SHADER_CAP_MAX_TEX_INSTRUCTIONS:
   case PIPE_SHADER_CAP_MAX_TEX_INDIRECTIONS:
   case PIPE_SHADER_CAP_MAX_CONTROL_FLOW_DEPTH:
      return INT_MAX;
   case PIPE_SHADER_CAP_MAX_INPUTS:
      return max_inputs(caps, shader);
   case PIPE_SHADER_CAP_MAX_OUTPUTS:
      return max_outputs(shader);
   case PIPE_SHADER_CAP_MAX_CONST_BUFFER0_SIZE:
      return MIN2(caps->max_ubo_range, 65536);
   case PIPE_SHADER_CAP_MAX_CONST_BUFFERS:
      return SUNDOG_MAX_UBOS;
   case PIPE_SHADER_CAP_MAX_TEMPS:
      return INT_MAX;
   case PIPE_SHADER_CAP_CONT_SUPPORTED:
   case PIPE_SHADER_CAP_INDIRECT_TEMP_ADDR:
   case PIPE_SHADER_CAP_INDIRECT_CONST_ADDR:
   case PIPE_SHADER_CAP_INTEGERS:
      return 1;
   case PIPE_SHADER_CAP_MAX_TEXTURE_SAMPLERS:
   case PIPE_SHADER_CAP_MAX_SAMPLER_VIEWS:
      return 16;
   case PIPE_SHADER_CAP_MAX_SHADER_BUFFERS:
      return has_storage(caps, shader) ? SUNDOG_MAX_SSBOS : 0;
   case PIPE_SHADER_CAP_MAX_SHADER_IMAGES:
      return has_storage(caps, shader) ? SUNDOG_MAX_IMAGES : 0;
   case PIPE_SHADER_CAP_SUPPORTED_IRS:
      return 1 << PIPE_SHADER_IR_NIR;
   default:
      return 0;
   }
}

/* Writes @count values in the form that sdog_get_compute_param() returns, and returns their size in
 * bytes. @out may be NULL. */
static int
put_u64(void *out, unsigned count, const uint32_t *values)
{
   uint64_t wide[3];

   for (unsigned i = 0; i < count; i++)
      wide[i] = values[i];
   if (out)
      memcpy(out, wide, count * sizeof(*wide));
   return count * sizeof(*wide);
}

static int
put_u32(void *out, uint32_t value)
{
   if (out)
      memcpy(out, &value, sizeof(value));
   return sizeof(value);
}

static int
sdog_get_compute_param(struct pipe_screen *pscreen, enum pipe_shader_ir ir,
                       enum pipe_compute_cap param, void *ret)
{
   const struct sundog_caps *caps = sdog_screen(pscreen)->caps;
   const uint32_t dimensions = 3;

   if (!(caps->features & SUNDOG_FEATURE_COMPUTE))
      return 0;
   switch (param) {
   case PIPE_COMPUTE_CAP_ADDRESS_BITS:
      return put_u32(ret, 32);
   case PIPE_COMPUTE_CAP_GRID_DIMENSION:
      return put_u64(ret, 1, &dimensions);
   case PIPE_COMPUTE_CAP_MAX_GRID_SIZE:
      return put_u64(ret, 3, caps->max_group_count);
   case PIPE_COMPUTE_CAP_MAX_BLOCK_SIZE:
      return put_u64(ret, 3, caps->max_group_size);
   /* A shader with a variable work group size has one variant per size, so both limits are the
    * same. */
   case PIPE_COMPUTE_CAP_MAX_THREADS_PER_BLOCK:
   case PIPE_COMPUTE_CAP_MAX_VARIABLE_THREADS_PER_BLOCK:
      return put_u64(ret, 1, &caps->max_group_invocations);
   case PIPE_COMPUTE_CAP_MAX_LOCAL_SIZE:
      return put_u64(ret, 1, &caps->max_shared_memory);
   case PIPE_COMPUTE_CAP_IMAGES_SUPPORTED:
      return put_u32(ret, 1);
   case PIPE_COMPUTE_CAP_SUBGROUP_SIZES:
      return put_u32(ret, caps->subgroup_size);
   default:
      return 0;
   }
}

static void
init_limits(struct pipe_caps *out, const struct sundog_caps *caps)
{
   out->max_render_targets = MIN2(caps->max_color_attachments, SUNDOG_MAX_COLOR_ATTACHMENTS);
   out->max_texture_2d_size = MIN2(caps->max_image_1d, caps->max_image_2d);
   out->max_texture_3d_levels = util_logbase2(caps->max_image_3d) + 1;
   out->max_texture_cube_levels = util_logbase2(caps->max_image_cube) + 1;
   out->max_texture_array_layers = caps->max_image_layers;
   out->max_varyings = MAX_VARYINGS;
   /* The minimum of OpenGL 3.2; every host supports it. */
   out->max_geometry_output_vertices = 256;
   out->max_geometry_total_output_components = 1024;
   /* The minimum of OpenGL 4.0. */
   out->max_gs_invocations = 32;
   out->max_dual_source_render_targets = 1;
   out->max_vertex_buffers = MIN2(caps->max_vertex_buffers, SUNDOG_MAX_VERTEX_BUFFERS);
   out->max_vertex_attrib_stride = caps->max_vertex_stride;
   out->constant_buffer_offset_alignment = caps->min_ubo_align;
   out->max_texture_anisotropy = caps->max_anisotropy;
   out->max_texture_lod_bias = caps->max_lod_bias;
   out->min_line_width = out->min_line_width_aa = MAX2(caps->line_width_min, 1.0f);
   out->max_line_width = out->max_line_width_aa = caps->line_width_max;
   out->line_width_granularity = 0.1f;
   out->min_point_size = out->min_point_size_aa = MAX2(caps->point_size_min, 1.0f);
   out->max_point_size = caps->point_size_max;
   out->max_point_size_aa = MAX2(caps->point_size_max - 1, 1.0f);
   out->point_size_granularity = 0.1f;
   out->query_memory_info = true;
}

/* Features that the state tracker lowers because the device has no packet for them. */
static void
init_lowering(struct pipe_caps *out, const struct sundog_caps *caps)
{
   const uint32_t adjacency_strips = BITFIELD_BIT(MESA_PRIM_LINE_STRIP_ADJACENCY) |
                                     BITFIELD_BIT(MESA_PRIM_TRIANGLE_STRIP_ADJACENCY);

   out->flatshade = false;
   out->alpha_test = false;
   out->two_sided_color = false;
   out->clip_planes = 0;
   /* The renderer enables VK_KHR_maintenance5, with which a shader that does not write the point
    * size draws points of size 1. */
   out->point_size_fixed = PIPE_POINT_SIZE_LOWER_USER_ONLY;
   out->gl_clamp = false;
   out->texrect = true;
   out->vertex_color_unclamped = true;
   out->tgsi_texcoord = true;
   out->fs_coord_origin_upper_left = true;
   out->fs_coord_pixel_center_half_integer = true;
   out->fs_face_is_integer_sysval = true;
   out->fs_point_is_sysval = true;
   out->viewport_transform_lowered = true;
   out->emulate_nonfixed_primitive_restart = true;
   out->vertex_input_alignment = PIPE_VERTEX_INPUT_ALIGNMENT_ELEMENT;
   out->supported_prim_modes =
      BITFIELD_BIT(MESA_PRIM_POINTS) | BITFIELD_BIT(MESA_PRIM_LINES) |
      BITFIELD_BIT(MESA_PRIM_LINE_STRIP) | BITFIELD_BIT(MESA_PRIM_TRIANGLES) |
      BITFIELD_BIT(MESA_PRIM_TRIANGLE_STRIP) | BITFIELD_BIT(MESA_PRIM_TRIANGLE_FAN);
   if (has_geometry(caps))
      out->supported_prim_modes |= SDOG_CONVERTED_MODES | adjacency_strips |
                                   BITFIELD_BIT(MESA_PRIM_LINES_ADJACENCY) |
                                   BITFIELD_BIT(MESA_PRIM_TRIANGLES_ADJACENCY);
   out->supported_prim_modes_with_restart =
      BITFIELD_BIT(MESA_PRIM_LINE_STRIP) | BITFIELD_BIT(MESA_PRIM_TRIANGLE_STRIP) |
      BITFIELD_BIT(MESA_PRIM_TRIANGLE_FAN);
   if (has_geometry(caps))
      out->supported_prim_modes_with_restart |= SDOG_CONVERTED_MODES | adjacency_strips;
   out->texture_border_color_quirk = PIPE_QUIRK_TEXTURE_BORDER_COLOR_SWIZZLE_ALPHA_NOT_W;
}

static void
init_tessellation(struct pipe_caps *out, const struct sundog_caps *caps)
{
   if (!has_tessellation(caps))
      return;
   out->max_shader_patch_varyings = MAX_PATCH_VARYINGS;
   out->glsl_tess_levels_as_inputs = true;
   out->supported_prim_modes |= BITFIELD_BIT(MESA_PRIM_PATCHES);
}

static void
init_viewports(struct pipe_caps *out, const struct sundog_caps *caps)
{
   out->max_viewports = has_geometry(caps) ? MIN2(caps->max_viewports, SUNDOG_MAX_VIEWPORTS) : 1;
   out->clip_halfz = true;
   out->cull_distance = true;
   if (caps->features & SUNDOG_FEATURE_SHADER_LAYER) {
      out->vs_layer_viewport = true;
      out->tes_layer_viewport = has_tessellation(caps);
   }
}

/* GL_OVR_multiview2. Older renderers do not support queries in renderings with several views. */
static void
init_views(struct pipe_caps *out, const struct sundog_caps *caps)
{
   if (caps->features & SUNDOG_FEATURE_MULTIVIEW && caps->max_views >= MAX_VIEWS &&
       caps->version >= VERSION_WITH_VIEW_QUERIES)
      out->multiview = 2;
}

/* Texture features beyond OpenGL 3.3. */
static void
init_textures(struct pipe_caps *out, const struct sundog_caps *caps)
{
   out->cube_map_array = caps->features & SUNDOG_FEATURE_CUBE_ARRAYS;
   if (caps->max_gather_offset) {
      out->max_texture_gather_components = 4;
      out->min_texture_gather_offset = caps->min_gather_offset;
      out->max_texture_gather_offset = caps->max_gather_offset;
   }
   out->texture_query_lod = true;
   out->texture_query_samples = true;
   out->sampler_reduction_minmax_arb = caps->features & SUNDOG_FEATURE_FILTER_MINMAX;
   out->sampler_view_target = true;
   out->copy_between_compressed_and_plain_formats = true;
   out->texture_barrier = true;
}

static void
init_fragments(struct pipe_caps *out, const struct sundog_caps *caps)
{
   out->fs_fine_derivative = true;
   out->sample_shading = caps->features & SUNDOG_FEATURE_SAMPLE_SHADING;
   out->shader_stencil_export = caps->features & SUNDOG_FEATURE_STENCIL_EXPORT;
   out->post_depth_coverage = caps->features & SUNDOG_FEATURE_POST_DEPTH_COVERAGE;
   /* For advanced blending and shaders that read the framebuffer: see sundog_fetch.h. */
   out->fbfetch = out->max_render_targets;
   out->fbfetch_coherent = caps->features & SUNDOG_FEATURE_ORDERED_FETCH;
}

static void
init_arithmetic(struct pipe_caps *out, const struct sundog_caps *caps)
{
   /* 64-bit floats are assembled from dwords as 64-bit integers, so they need INT64, too. */
   out->int64 = caps->features & SUNDOG_FEATURE_INT64;
   out->shader_atomic_int64 = caps->features & SUNDOG_FEATURE_INT64_ATOMICS;
   out->doubles = out->int64 && (caps->features & SUNDOG_FEATURE_FLOAT64);
}

/* Queries, transform feedback and texture buffers. */
static void
init_queries(struct pipe_caps *out, const struct sdog_screen *screen)
{
   out->occlusion_query = true;
   out->conditional_render = true;
   out->conditional_render_inverted = true;
   out->query_buffer_object = true;
   out->query_pipeline_statistics_single =
      screen->caps->features & SUNDOG_FEATURE_STATISTICS;
   out->query_time_elapsed = out->query_timestamp = sdog_clock_exists(screen);
   out->texture_buffer_objects = true;
   out->texture_buffer_offset_alignment = screen->caps->min_texel_align;
   out->max_texel_buffer_elements = screen->caps->max_texel_elements;
   out->timer_resolution = ceilf(screen->caps->timestamp_period);
   if (screen->caps->features & SUNDOG_FEATURE_FEEDBACK) {
      out->max_stream_output_buffers = SUNDOG_MAX_FEEDBACK_BUFFERS;
      out->max_stream_output_separate_components = 16;
      out->max_stream_output_interleaved_components = 64;
      out->stream_output_pause_resume = true;
      out->stream_output_interleave_buffers = true;
      out->query_so_overflow = true;
      out->max_vertex_streams = screen->caps->features & SUNDOG_FEATURE_STREAMS
                                   ? SUNDOG_MAX_STREAMS : 1;
   }
}

static void
init_draws(struct pipe_caps *out, const struct sundog_caps *caps)
{
   if (!(caps->features & SUNDOG_FEATURE_INDIRECT))
      return;
   out->draw_indirect = true;
   out->multi_draw_indirect = true;
   out->multi_draw_indirect_params = true;
   out->draw_parameters = true;
   out->start_instance = true;
}

/* Compute shaders, and the loads and stores of all shaders. */
static void
init_storage(struct pipe_caps *out, const struct sundog_caps *caps)
{
   out->compute = caps->features & SUNDOG_FEATURE_COMPUTE;
   out->framebuffer_no_attachment = true;
   if (!(caps->features & SUNDOG_FEATURE_STORAGE))
      return;
   out->shader_buffer_offset_alignment = caps->min_ssbo_align;
   out->max_shader_buffer_size = MIN2(caps->max_ssbo_range, 1u << 30);
   out->image_store_formatted = true;
   out->image_load_formatted = true;
   out->image_atomic_float_add = caps->features & SUNDOG_FEATURE_FLOAT_ATOMICS;
}

static void
init_versions(struct pipe_caps *out, const struct sundog_caps *caps)
{
   /* The features that OpenGL ES 3.2 needs; OpenGL 4 also needs doubles. */
   const uint32_t es32 = SUNDOG_FEATURE_GEOMETRY | SUNDOG_FEATURE_FEEDBACK |
                         SUNDOG_FEATURE_COMPUTE | SUNDOG_FEATURE_STORAGE |
                         SUNDOG_FEATURE_TESSELLATION | SUNDOG_FEATURE_INDIRECT |
                         SUNDOG_FEATURE_SAMPLE_SHADING | SUNDOG_FEATURE_CUBE_ARRAYS;
   const uint32_t gl46 = es32 | SUNDOG_FEATURE_FLOAT64 | SUNDOG_FEATURE_INT64 |
                         SUNDOG_FEATURE_STREAMS;

   out->essl_feature_level = (caps->features & es32) == es32 ? 320 : 300;
   if ((caps->features & gl46) == gl46)
      out->glsl_feature_level = 460;
   else
      out->glsl_feature_level = has_geometry(caps) ? 330 : 140;
   out->glsl_feature_level_compatibility = out->glsl_feature_level;
}

void
sdog_init_caps(struct pipe_screen *pscreen)
{
   struct pipe_caps *out = (struct pipe_caps *)&pscreen->caps;
   const struct sdog_screen *screen = sdog_screen(pscreen);

   pscreen->get_shader_param = sdog_get_shader_param;
   pscreen->get_compute_param = sdog_get_compute_param;
   u_init_pipe_screen_caps(pscreen, 1);
   init_limits(out, screen->caps);
   init_lowering(out, screen->caps);
   init_tessellation(out, screen->caps);
   init_viewports(out, screen->caps);
   init_views(out, screen->caps);
   init_textures(out, screen->caps);
   init_fragments(out, screen->caps);
   init_arithmetic(out, screen->caps);
   init_queries(out, screen);
   init_draws(out, screen->caps);
   init_storage(out, screen->caps);

   init_versions(out, screen->caps);
   out->vs_instanceid = true;
   out->vertex_element_instance_divisor = true;
   out->primitive_restart = true;
   out->texture_multisample = true;
   out->shader_pack_half_float = true;
   out->npot_textures = true;
   out->demote_to_helper_invocation = true;
   out->anisotropic_filter = screen->caps->max_anisotropy > 1.0f;
   out->texture_swizzle = true;
   out->texture_mirror_clamp_to_edge = true;
   out->blend_equation_separate = true;
   out->indep_blend_enable = true;
   out->indep_blend_func = true;
   out->mixed_colorbuffer_formats = true;
   out->mixed_framebuffer_sizes = true;
   /* An X screen of depth 16 needs this for GL: its visuals have R5G6B5 colour and a 24-bit depth
    * buffer. */
   out->mixed_color_depth_bits = true;
   out->depth_clip_disable = true;
   out->fragment_shader_texture_lod = true;
   out->fragment_shader_derivatives = true;
   out->texture_float_linear = true;
   out->texture_half_float_linear = true;
   out->seamless_cube_map = true;
   out->seamless_cube_map_per_texture = true;
   out->clear_scissored = true;
   out->invalidate_buffer = true;
   out->polygon_offset_clamp = true;
   out->device_reset_status_query = true;
   /* Without packing, each float of an array takes a whole vector, and programs that GL must accept
    * would exceed the limits. */
   out->packed_uniforms = true;
   /* The renderer enables robust buffer access for all its work. */
   out->robust_buffer_access_behavior = true;
   out->shader_array_components = true;
   out->gl_spirv = true;
   out->shader_group_vote = true;
   out->bindless_texture = out->int64 && (screen->caps->features & SUNDOG_FEATURE_BINDLESS);
   out->shader_ballot = out->int64 && (screen->caps->features & SUNDOG_FEATURE_SUBGROUPS);
   out->shader_clock = screen->caps->features & SUNDOG_FEATURE_SHADER_CLOCK;
   out->quads_follow_provoking_vertex_convention = true;
   out->dithering = false;
   /* Device objects, which include shaders, belong to their context. */
   out->shareable_shaders = false;
   out->texture_transfer_modes = 0;
   /* On a host without a GPU, Mesa's software GL_SELECT is as fast as its geometry shader. */
   out->hardware_gl_select = out->hardware_gl_select && !screen->caps->host_software;
   out->native_fence_fd = sdog_can_share(pscreen);
   out->fence_signal = sdog_can_share(pscreen);
   out->memobj = sdog_can_share(pscreen);
   out->vendor_id = SUNDOG_PCI_VENDOR;
   out->device_id = SUNDOG_PCI_DEVICE;
   out->video_memory = sdrm_device_vram_size(screen->dev) >> 20;
   out->uma = true;
   out->throttle = true;
}
