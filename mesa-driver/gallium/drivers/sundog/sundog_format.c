/* SPDX-License-Identifier: MIT */
/* The table of formats, and what the device supports of each. Called from any thread; the data is
 * constant. */
#include "sundog_format.h"

#include "pipe/p_defines.h"
#include "sundog_screen.h"
#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/u_math.h"

static const uint16_t vk_formats[PIPE_FORMAT_COUNT] = {
#define MAP(pipe, vk) [PIPE_FORMAT_##pipe] = VK_FORMAT_##vk
   MAP(R8_UNORM, R8_UNORM),
   MAP(R8_SNORM, R8_SNORM),
   MAP(R8_USCALED, R8_USCALED),
   MAP(R8_SSCALED, R8_SSCALED),
   MAP(R8_UINT, R8_UINT),
   MAP(R8_SINT, R8_SINT),
   MAP(R8_SRGB, R8_SRGB),
   MAP(R8G8_UNORM, R8G8_UNORM),
   MAP(R8G8_SNORM, R8G8_SNORM),
   MAP(R8G8_USCALED, R8G8_USCALED),
   MAP(R8G8_SSCALED, R8G8_SSCALED),
   MAP(R8G8_UINT, R8G8_UINT),
   MAP(R8G8_SINT, R8G8_SINT),
   MAP(R8G8B8_UNORM, R8G8B8_UNORM),
   MAP(R8G8B8_SNORM, R8G8B8_SNORM),
   MAP(R8G8B8_USCALED, R8G8B8_USCALED),
   MAP(R8G8B8_SSCALED, R8G8B8_SSCALED),
   MAP(R8G8B8_UINT, R8G8B8_UINT),
   MAP(R8G8B8_SINT, R8G8B8_SINT),
   MAP(R8G8B8A8_UNORM, R8G8B8A8_UNORM),
   MAP(R8G8B8A8_SNORM, R8G8B8A8_SNORM),
   MAP(R8G8B8A8_USCALED, R8G8B8A8_USCALED),
   MAP(R8G8B8A8_SSCALED, R8G8B8A8_SSCALED),
   MAP(R8G8B8A8_UINT, R8G8B8A8_UINT),
   MAP(R8G8B8A8_SINT, R8G8B8A8_SINT),
   MAP(R8G8B8A8_SRGB, R8G8B8A8_SRGB),
   MAP(R8G8B8X8_UNORM, R8G8B8A8_UNORM),
   MAP(R8G8B8X8_SRGB, R8G8B8A8_SRGB),
   MAP(B8G8R8A8_UNORM, B8G8R8A8_UNORM),
   MAP(B8G8R8A8_SRGB, B8G8R8A8_SRGB),
   MAP(B8G8R8X8_UNORM, B8G8R8A8_UNORM),
   MAP(B8G8R8X8_SRGB, B8G8R8A8_SRGB),
   MAP(B5G6R5_UNORM, R5G6B5_UNORM_PACK16),
   MAP(R5G6B5_UNORM, B5G6R5_UNORM_PACK16),
   MAP(B5G5R5A1_UNORM, A1R5G5B5_UNORM_PACK16),
   MAP(R10G10B10A2_UNORM, A2B10G10R10_UNORM_PACK32),
   MAP(R10G10B10X2_UNORM, A2B10G10R10_UNORM_PACK32),
   MAP(R10G10B10A2_SNORM, A2B10G10R10_SNORM_PACK32),
   MAP(R10G10B10A2_USCALED, A2B10G10R10_USCALED_PACK32),
   MAP(R10G10B10A2_SSCALED, A2B10G10R10_SSCALED_PACK32),
   MAP(R10G10B10A2_UINT, A2B10G10R10_UINT_PACK32),
   MAP(B10G10R10A2_UNORM, A2R10G10B10_UNORM_PACK32),
   MAP(B10G10R10X2_UNORM, A2R10G10B10_UNORM_PACK32),
   MAP(B10G10R10A2_SNORM, A2R10G10B10_SNORM_PACK32),
   MAP(B10G10R10A2_USCALED, A2R10G10B10_USCALED_PACK32),
   MAP(B10G10R10A2_SSCALED, A2R10G10B10_SSCALED_PACK32),
   MAP(B10G10R10A2_UINT, A2R10G10B10_UINT_PACK32),
   MAP(R16_UNORM, R16_UNORM),
   MAP(R16_SNORM, R16_SNORM),
   MAP(R16_USCALED, R16_USCALED),
   MAP(R16_SSCALED, R16_SSCALED),
   MAP(R16_UINT, R16_UINT),
   MAP(R16_SINT, R16_SINT),
   MAP(R16_FLOAT, R16_SFLOAT),
   MAP(R16G16_UNORM, R16G16_UNORM),
   MAP(R16G16_SNORM, R16G16_SNORM),
   MAP(R16G16_USCALED, R16G16_USCALED),
   MAP(R16G16_SSCALED, R16G16_SSCALED),
   MAP(R16G16_UINT, R16G16_UINT),
   MAP(R16G16_SINT, R16G16_SINT),
   MAP(R16G16_FLOAT, R16G16_SFLOAT),
   MAP(R16G16B16_UNORM, R16G16B16_UNORM),
   MAP(R16G16B16_SNORM, R16G16B16_SNORM),
   MAP(R16G16B16_USCALED, R16G16B16_USCALED),
   MAP(R16G16B16_SSCALED, R16G16B16_SSCALED),
   MAP(R16G16B16_UINT, R16G16B16_UINT),
   MAP(R16G16B16_SINT, R16G16B16_SINT),
   MAP(R16G16B16_FLOAT, R16G16B16_SFLOAT),
   MAP(R16G16B16A16_UNORM, R16G16B16A16_UNORM),
   MAP(R16G16B16A16_SNORM, R16G16B16A16_SNORM),
   MAP(R16G16B16A16_USCALED, R16G16B16A16_USCALED),
   MAP(R16G16B16A16_SSCALED, R16G16B16A16_SSCALED),
   MAP(R16G16B16A16_UINT, R16G16B16A16_UINT),
   MAP(R16G16B16A16_SINT, R16G16B16A16_SINT),
   MAP(R16G16B16A16_FLOAT, R16G16B16A16_SFLOAT),
   MAP(R16G16B16X16_FLOAT, R16G16B16A16_SFLOAT),
   MAP(R32_UINT, R32_UINT),
   MAP(R32_SINT, R32_SINT),
   MAP(R32_FLOAT, R32_SFLOAT),
   MAP(R32G32_UINT, R32G32_UINT),
   MAP(R32G32_SINT, R32G32_SINT),
   MAP(R32G32_FLOAT, R32G32_SFLOAT),
   MAP(R32G32B32_UINT, R32G32B32_UINT),
   MAP(R32G32B32_SINT, R32G32B32_SINT),
   MAP(R32G32B32_FLOAT, R32G32B32_SFLOAT),
   MAP(R32G32B32A32_UINT, R32G32B32A32_UINT),
   MAP(R32G32B32A32_SINT, R32G32B32A32_SINT),
   MAP(R32G32B32A32_FLOAT, R32G32B32A32_SFLOAT),
   MAP(R11G11B10_FLOAT, B10G11R11_UFLOAT_PACK32),
   MAP(R9G9B9E5_FLOAT, E5B9G9R9_UFLOAT_PACK32),
   MAP(Z16_UNORM, D16_UNORM),
   MAP(Z24X8_UNORM, X8_D24_UNORM_PACK32),
   MAP(Z32_FLOAT, D32_SFLOAT),
   MAP(S8_UINT, S8_UINT),
   MAP(Z24_UNORM_S8_UINT, D24_UNORM_S8_UINT),
   MAP(Z32_FLOAT_S8X24_UINT, D32_SFLOAT_S8_UINT),
   /* Views of the stencil aspect of the two above. */
   MAP(X24S8_UINT, D24_UNORM_S8_UINT),
   MAP(X32_S8X24_UINT, D32_SFLOAT_S8_UINT),
   MAP(DXT1_RGB, BC1_RGB_UNORM_BLOCK),
   MAP(DXT1_SRGB, BC1_RGB_SRGB_BLOCK),
   MAP(DXT1_RGBA, BC1_RGBA_UNORM_BLOCK),
   MAP(DXT1_SRGBA, BC1_RGBA_SRGB_BLOCK),
   MAP(DXT3_RGBA, BC2_UNORM_BLOCK),
   MAP(DXT3_SRGBA, BC2_SRGB_BLOCK),
   MAP(DXT5_RGBA, BC3_UNORM_BLOCK),
   MAP(DXT5_SRGBA, BC3_SRGB_BLOCK),
   MAP(RGTC1_UNORM, BC4_UNORM_BLOCK),
   MAP(RGTC1_SNORM, BC4_SNORM_BLOCK),
   MAP(RGTC2_UNORM, BC5_UNORM_BLOCK),
   MAP(RGTC2_SNORM, BC5_SNORM_BLOCK),
   MAP(BPTC_RGB_UFLOAT, BC6H_UFLOAT_BLOCK),
   MAP(BPTC_RGB_FLOAT, BC6H_SFLOAT_BLOCK),
   MAP(BPTC_RGBA_UNORM, BC7_UNORM_BLOCK),
   MAP(BPTC_SRGBA, BC7_SRGB_BLOCK),
#undef MAP
};

VkFormat
sdog_vk_format(enum pipe_format format)
{
   return format < ARRAY_SIZE(vk_formats) ? vk_formats[format] : VK_FORMAT_UNDEFINED;
}

uint32_t
sdog_format_features(const struct sdog_screen *screen, enum pipe_format format)
{
   VkFormat vk = sdog_vk_format(format);

   return vk && vk < SUNDOG_NUM_FORMATS ? screen->caps->formats[vk] : 0;
}

bool
sdog_format_hides_alpha(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_R8G8B8X8_UNORM:
   case PIPE_FORMAT_R8G8B8X8_SRGB:
   case PIPE_FORMAT_B8G8R8X8_UNORM:
   case PIPE_FORMAT_B8G8R8X8_SRGB:
   case PIPE_FORMAT_R10G10B10X2_UNORM:
   case PIPE_FORMAT_B10G10R10X2_UNORM:
   case PIPE_FORMAT_R16G16B16X16_FLOAT:
      return true;
   default:
      return false;
   }
}

enum pipe_format
sdog_texel_format(enum pipe_format format)
{
   const struct util_format_description *desc = util_format_description(format);

   if (sdog_vk_format(format) || !desc->is_array)
      return format;
   return util_format_get_array(desc->channel[0].type, desc->channel[0].size, desc->nr_channels,
                                desc->channel[0].normalized, desc->channel[0].pure_integer);
}

uint16_t
sdog_texel_swizzle(enum pipe_format format)
{
   const uint8_t *swizzle = util_format_description(format)->swizzle;

   if (sdog_texel_format(format) == format)
      return SDOG_SWIZZLE_NONE;
   return SDOG_SWIZZLE(swizzle[0], swizzle[1], swizzle[2], swizzle[3]);
}

uint32_t
sdog_format_aspects(enum pipe_format format)
{
   const struct util_format_description *desc = util_format_description(format);

   if (!util_format_is_depth_or_stencil(format))
      return SUNDOG_ASPECT_COLOR;
   return (util_format_has_depth(desc) ? SUNDOG_ASPECT_DEPTH : 0) |
          (util_format_has_stencil(desc) ? SUNDOG_ASPECT_STENCIL : 0);
}

static uint32_t
needed_features(enum pipe_format format, unsigned bind)
{
   uint32_t need = 0;

   if (bind & PIPE_BIND_SAMPLER_VIEW)
      need |= SUNDOG_FORMAT_FEATURE_SAMPLED;
   if (bind & (PIPE_BIND_RENDER_TARGET | PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_SCANOUT))
      need |= SUNDOG_FORMAT_FEATURE_COLOR;
   if (bind & PIPE_BIND_BLENDABLE)
      need |= SUNDOG_FORMAT_FEATURE_BLEND;
   if (bind & PIPE_BIND_DEPTH_STENCIL)
      need |= SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL;
   if (bind & PIPE_BIND_SHADER_IMAGE)
      need |= SUNDOG_FORMAT_FEATURE_STORAGE;
   if (bind & PIPE_BIND_VERTEX_BUFFER)
      need |= SUNDOG_FORMAT_FEATURE_VERTEX;
   /* In GL, all sampled formats except integers can be filtered. */
   if ((bind & PIPE_BIND_SAMPLER_VIEW) && !util_format_is_pure_integer(format) &&
       !util_format_is_depth_or_stencil(format))
      need |= SUNDOG_FORMAT_FEATURE_FILTER;
   return need;
}

static bool
buffer_format_supported(const struct sdog_screen *screen, enum pipe_format format, unsigned bind)
{
   if (bind & PIPE_BIND_INDEX_BUFFER)
      return format == PIPE_FORMAT_R16_UINT || format == PIPE_FORMAT_R32_UINT;
   if (bind & PIPE_BIND_SAMPLER_VIEW)
      return sdog_format_features(screen, sdog_texel_format(format)) &
             SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER;
   if (bind & PIPE_BIND_VERTEX_BUFFER)
      return sdog_format_features(screen, format) & SUNDOG_FORMAT_FEATURE_VERTEX;
   if (bind & PIPE_BIND_SHADER_IMAGE)
      return sdog_format_features(screen, format) & SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER;
   return false;
}

/* Only formats that can be rendered to support multisampling: nothing else could write samples. */
static bool
samples_supported(const struct sdog_screen *screen, enum pipe_format format,
                  enum pipe_texture_target target, unsigned samples)
{
   if (samples == 1)
      return true;
   return (target == PIPE_TEXTURE_2D || target == PIPE_TEXTURE_2D_ARRAY) &&
          (screen->caps->sample_counts & samples) &&
          (format == PIPE_FORMAT_NONE ||
           (sdog_format_features(screen, format) &
            (SUNDOG_FORMAT_FEATURE_COLOR | SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL)));
}

static bool
sdog_is_format_supported(struct pipe_screen *pscreen, enum pipe_format format,
                         enum pipe_texture_target target, unsigned sample_count,
                         unsigned storage_sample_count, unsigned bind)
{
   const struct sdog_screen *screen = sdog_screen(pscreen);
   uint32_t need = needed_features(format, bind);

   if (MAX2(sample_count, 1) != MAX2(storage_sample_count, 1) ||
       !util_is_power_of_two_or_zero(sample_count) ||
       !samples_supported(screen, format, target, MAX2(sample_count, 1)))
      return false;
   if (format == PIPE_FORMAT_NONE)
      return bind == PIPE_BIND_RENDER_TARGET;
   if (target == PIPE_BUFFER)
      return buffer_format_supported(screen, format, bind);
   return sdog_vk_format(format) && (sdog_format_features(screen, format) & need) == need &&
          sdog_format_features(screen, format);
}

void
sdog_init_format_functions(struct pipe_screen *pscreen)
{
   pscreen->is_format_supported = sdog_is_format_supported;
}
