/* SPDX-License-Identifier: MIT */
/*
 * Vulkan 1.4, "Sampler Y'CbCr Conversion": the steps after chroma reconstruction, which are
 * component swizzle, range expansion and model conversion, as one affine transform.
 * sdvk_spirv_ycbcr.c calls this; the functions are pure.
 */
#include "sdvk_ycbcr.h"

#include "vk_format.h"

enum { CR, Y, CB };

/* Returns the bits of a channel, and in @below how many bits are below them in a texel's word. */
static uint32_t
channel_bits(VkFormat plane, uint32_t *below)
{
   switch (plane) {
   case VK_FORMAT_R10X6_UNORM_PACK16:
      *below = 6;
      return 10;
   case VK_FORMAT_R12X4_UNORM_PACK16:
      *below = 4;
      return 12;
   default:
      *below = 0;
      return vk_format_get_bpc(plane);
   }
}

/*
 * Returns the factor from a value read as R16_UNORM to the value of a 10 or 12-bit channel;
 * otherwise 1.
 */
static double
read_scale(uint32_t bits, uint32_t below)
{
   return below ? 65535.0 / ((1u << below) * ((1u << bits) - 1.0)) : 1;
}

/* value = read * scale + bias */
struct range {
   double scale, bias;
};

static struct range
channel_range(const struct vk_ycbcr_conversion_state *conversion, uint32_t channel, uint32_t bits)
{
   const double most = (1u << bits) - 1.0, step = 1u << (bits - 8), half = 1u << (bits - 1);

   if (conversion->ycbcr_model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY)
      return (struct range){1, 0};
   if (conversion->ycbcr_range == VK_SAMPLER_YCBCR_RANGE_ITU_FULL)
      return (struct range){1, channel == Y ? 0 : -half / most};
   if (channel == Y)
      return (struct range){most / (219 * step), -16.0 / 219};
   return (struct range){most / (224 * step), -128.0 / 224};
}

/* Returns the weights of red and blue in luma, by model. */
static void
luma_shares(VkSamplerYcbcrModelConversion model, double *red, double *blue)
{
   switch (model) {
   case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601:
      *red = 0.299, *blue = 0.114;
      break;
   case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709:
      *red = 0.2126, *blue = 0.0722;
      break;
   default:
      *red = 0.2627, *blue = 0.0593;
      break;
   }
}

/* Rows are red, green and blue; columns Cr, Y and Cb. */
static void
model_matrix(VkSamplerYcbcrModelConversion model, double out[3][SDVK_YCBCR_CHANNELS])
{
   double red, green, blue;

   memset(out, 0, 3 * SDVK_YCBCR_CHANNELS * sizeof(out[0][0]));
   if (model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY ||
       model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_IDENTITY) {
      out[0][CR] = out[1][Y] = out[2][CB] = 1;
      return;
   }
   luma_shares(model, &red, &blue);
   green = 1 - red - blue;
   out[0][Y] = out[1][Y] = out[2][Y] = 1;
   out[0][CR] = 2 * (1 - red);
   out[1][CR] = -2 * red * (1 - red) / green;
   out[1][CB] = -2 * blue * (1 - blue) / green;
   out[2][CB] = 2 * (1 - blue);
}

/*
 * Returns the channel that component @i reads; SDVK_YCBCR_CHANNELS: zero, SDVK_YCBCR_CHANNELS + 1:
 * one.
 */
static uint32_t
swizzled(const struct vk_ycbcr_conversion_state *conversion, uint32_t i)
{
   switch (conversion->mapping[i]) {
   case VK_COMPONENT_SWIZZLE_IDENTITY:
      return i < SDVK_YCBCR_CHANNELS ? i : SDVK_YCBCR_CHANNELS + 1;
   case VK_COMPONENT_SWIZZLE_ZERO:
      return SDVK_YCBCR_CHANNELS;
   case VK_COMPONENT_SWIZZLE_R:
      return CR;
   case VK_COMPONENT_SWIZZLE_G:
      return Y;
   case VK_COMPONENT_SWIZZLE_B:
      return CB;
   default:
      return SDVK_YCBCR_CHANNELS + 1;
   }
}

struct sdvk_ycbcr_transform
sdvk_ycbcr_transform(const struct vk_ycbcr_conversion_state *conversion)
{
   uint32_t below;
   const uint32_t bits = channel_bits(vk_format_get_plane_format(conversion->format, 0), &below);
   const double read = read_scale(bits, below);
   double matrix[3][SDVK_YCBCR_CHANNELS];
   struct sdvk_ycbcr_transform out = {0};
   const uint32_t alpha = swizzled(conversion, 3);

   model_matrix(conversion->ycbcr_model, matrix);
   for (uint32_t row = 0; row < 3; row++) {
      for (uint32_t i = 0; i < SDVK_YCBCR_CHANNELS; i++) {
         const struct range range = channel_range(conversion, i, bits);
         const uint32_t channel = swizzled(conversion, i);

         if (channel < SDVK_YCBCR_CHANNELS)
            out.columns[channel][row] += matrix[row][i] * range.scale * read;
         else
            out.constant[row] += matrix[row][i] * range.scale * (channel - SDVK_YCBCR_CHANNELS);
         out.constant[row] += matrix[row][i] * range.bias;
      }
   }
   if (alpha < SDVK_YCBCR_CHANNELS)
      out.columns[alpha][3] = read;
   else
      out.constant[3] = alpha - SDVK_YCBCR_CHANNELS;
   return out;
}
