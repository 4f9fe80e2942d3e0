/* SPDX-License-Identifier: MIT */
/*
 * Format features and image limits of the physical device; the renderer's formats. Any thread of
 * the program calls the entry points; the capabilities that they read are constant.
 */
#include "sdvk_format.h"

#include "drm-uapi/drm_fourcc.h"
#include "sdvk_entrypoints.h"
#include "sdvk_image.h"
#include "sdvk_memory.h"
#include "sdvk_sparse.h"
#include "sdvk_texels.h"
#include "util/u_math.h"
#include "vk_acceleration_structure.h"
#include "vk_enum_defines.h"
#include "vk_format.h"
#include "vk_log.h"
#include "vk_util.h"

#define SPARSE_FLAGS                                                                               \
   (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |                    \
    VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)

/*
 * Returns the format of the renderer's images and views for @format. Formats with 10 or 12 bits in
 * 16-bit words are read and written as 16-bit formats, as by lavapipe: the exact value is word /
 * 2^6 / 1023 or word / 2^4 / 4095, from which word / 65535 differs by less than one step. Y'CbCr
 * conversions compensate for it, see sdvk_ycbcr.c.
 */
VkFormat
sdvk_format_host(VkFormat format)
{
   switch (format) {
   case VK_FORMAT_R10X6_UNORM_PACK16:
   case VK_FORMAT_R12X4_UNORM_PACK16:
      return VK_FORMAT_R16_UNORM;
   case VK_FORMAT_R10X6G10X6_UNORM_2PACK16:
   case VK_FORMAT_R12X4G12X4_UNORM_2PACK16:
      return VK_FORMAT_R16G16_UNORM;
   default:
      return format;
   }
}

VkFormat
sdvk_format_plane(VkFormat format, uint32_t plane)
{
   return sdvk_format_host(vk_format_get_plane_format(format, plane));
}

uint32_t
sdvk_format_number(VkFormat format)
{
   switch (format) {
   case VK_FORMAT_A4R4G4B4_UNORM_PACK16:
      return SUNDOG_FORMAT_A4R4G4B4;
   case VK_FORMAT_A4B4G4R4_UNORM_PACK16:
      return SUNDOG_FORMAT_A4B4G4R4;
   case VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR:
      return SUNDOG_FORMAT_A1B5G5R5;
   case VK_FORMAT_A8_UNORM_KHR:
      return SUNDOG_FORMAT_A8;
   default:
      return format;
   }
}

static uint32_t
host_features(const struct sdvk_physical_device *physical, VkFormat format)
{
   const uint32_t number = sdvk_format_number(format);

   return number < SUNDOG_NUM_FORMATS ? physical->caps.formats[number] : 0;
}

/*
 * Returns features of a multi-planar format, if the host has those of each plane. This driver
 * combines the planes, see sdvk_spirv_ycbcr.c.
 */
static VkFormatFeatureFlags2
planar_features(const struct sdvk_physical_device *physical, VkFormat format)
{
   const uint32_t needed = SUNDOG_FORMAT_FEATURE_SAMPLED | SUNDOG_FORMAT_FEATURE_FILTER;

   for (uint32_t i = 0; i < vk_format_get_plane_count(format); i++) {
      if ((host_features(physical, sdvk_format_plane(format, i)) & needed) != needed)
         return 0;
   }
   return VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT |
          VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
          VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT |
          VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT |
          VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT | VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT |
          VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT |
          VK_FORMAT_FEATURE_2_DISJOINT_BIT;
}

VkFormatFeatureFlags2
sdvk_format_image_features(const struct sdvk_physical_device *physical, VkFormat format)
{
   static const struct {
      uint32_t host;
      VkFormatFeatureFlags2 vk;
   } map[] = {
      {SUNDOG_FORMAT_FEATURE_SAMPLED, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
      {SUNDOG_FORMAT_FEATURE_FILTER, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT},
      {SUNDOG_FORMAT_FEATURE_COLOR, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
      {SUNDOG_FORMAT_FEATURE_BLEND, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT},
      {SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL, VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
      {SUNDOG_FORMAT_FEATURE_STORAGE, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT |
                                         VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
                                         VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT},
      {SUNDOG_FORMAT_FEATURE_ATOMIC, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT},
      {SUNDOG_FORMAT_FEATURE_BLIT,
       VK_FORMAT_FEATURE_2_BLIT_SRC_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT},
      {SUNDOG_FORMAT_FEATURE_BLIT_SRC, VK_FORMAT_FEATURE_2_BLIT_SRC_BIT},
   };
   const uint32_t host = host_features(physical, sdvk_format_host(format));
   VkFormatFeatureFlags2 features = 0;

   if (vk_format_get_plane_count(format) > 1)
      return planar_features(physical, format);
   for (uint32_t i = 0; i < ARRAY_SIZE(map); i++) {
      if (host & map[i].host)
         features |= map[i].vk;
   }
   /* The host creates no images of formats that can only be blitted. */
   if (!(host & (SUNDOG_FORMAT_FEATURE_SAMPLED | SUNDOG_FORMAT_FEATURE_COLOR |
                 SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL | SUNDOG_FORMAT_FEATURE_STORAGE)))
      return 0;
   features |= VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT |
               VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT;
   if ((features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) && vk_format_has_depth(format))
      features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
   if ((features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT) &&
       (physical->caps.features & SUNDOG_FEATURE_FILTER_MINMAX))
      features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT;
   return features;
}

/* Not mapped by sdvk_format_host(): formats that only it supports have no features in buffers. */
VkFormatFeatureFlags2
sdvk_format_buffer_features(const struct sdvk_physical_device *physical, VkFormat format)
{
   const uint32_t host = host_features(physical, format);
   VkFormatFeatureFlags2 features = 0;

   if (host & SUNDOG_FORMAT_FEATURE_VERTEX)
      features |= VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT;
   if (host & SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER)
      features |= VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT;
   if (host & SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER)
      features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT |
                  VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
                  VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;
   /* The host supports atomics on texel buffers if it does so on images. */
   if ((host & SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER) && (host & SUNDOG_FORMAT_FEATURE_ATOMIC))
      features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
   /* Builds of acceleration structures load vertices with Mesa's helpers. */
   if (physical->vk.supported_extensions.KHR_acceleration_structure &&
       vk_acceleration_struct_vtx_format_supported(format))
      features |= VK_FORMAT_FEATURE_2_ACCELERATION_STRUCTURE_VERTEX_BUFFER_BIT_KHR;
   return features;
}

/*
 * Returns true if images of @format may be shared: with rows of texels, as DRM_FORMAT_MOD_LINEAR.
 */
static bool
has_modifier(VkFormat format)
{
   return !vk_format_is_compressed(format) && !vk_format_is_depth_or_stencil(format);
}

static void
fill_modifiers(void *pNext, VkFormat format, VkFormatFeatureFlags2 features)
{
   VkDrmFormatModifierPropertiesListEXT *list =
      vk_find_struct(pNext, DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT);
   VkDrmFormatModifierPropertiesList2EXT *list2 =
      vk_find_struct(pNext, DRM_FORMAT_MODIFIER_PROPERTIES_LIST_2_EXT);
   const uint32_t n_planes = vk_format_get_plane_count(format);

   if (list) {
      VK_OUTARRAY_MAKE_TYPED(VkDrmFormatModifierPropertiesEXT, out,
                             list->pDrmFormatModifierProperties, &list->drmFormatModifierCount);

      if (features && has_modifier(format)) {
         vk_outarray_append_typed(VkDrmFormatModifierPropertiesEXT, &out, p)
            *p = (VkDrmFormatModifierPropertiesEXT){
               DRM_FORMAT_MOD_LINEAR, n_planes, vk_format_features2_to_features(features)};
      }
   }
   if (list2) {
      VK_OUTARRAY_MAKE_TYPED(VkDrmFormatModifierProperties2EXT, out,
                             list2->pDrmFormatModifierProperties, &list2->drmFormatModifierCount);

      if (features && has_modifier(format)) {
         vk_outarray_append_typed(VkDrmFormatModifierProperties2EXT, &out, p)
            *p = (VkDrmFormatModifierProperties2EXT){DRM_FORMAT_MOD_LINEAR, n_planes, features};
      }
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetPhysicalDeviceFormatProperties2(VkPhysicalDevice physicalDevice, VkFormat format,
                                        VkFormatProperties2 *pFormatProperties)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);
   const VkFormatFeatureFlags2 image = sdvk_format_image_features(physical, format);
   const VkFormatFeatureFlags2 buffer = sdvk_format_buffer_features(physical, format);
   VkFormatProperties3 *properties3 =
      vk_find_struct(pFormatProperties->pNext, FORMAT_PROPERTIES_3);

   pFormatProperties->formatProperties = (VkFormatProperties){
      .linearTilingFeatures = vk_format_features2_to_features(image),
      .optimalTilingFeatures = vk_format_features2_to_features(image),
      .bufferFeatures = vk_format_features2_to_features(buffer),
   };
   if (properties3) {
      properties3->linearTilingFeatures = properties3->optimalTilingFeatures = image;
      properties3->bufferFeatures = buffer;
   }
   fill_modifiers(pFormatProperties->pNext, format, image);
}

VkImageUsageFlags
sdvk_format_usage(VkFormatFeatureFlags2 features)
{
   static const struct {
      VkImageUsageFlags usage;
      VkFormatFeatureFlags2 features; /* any of them */
   } needs[] = {
      {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
      {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
      {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
      {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
      {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
      {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
       VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
      {VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
       VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
      {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
      {VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT,
       VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
      {VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT, VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT},
   };
   VkImageUsageFlags usage = 0;

   for (uint32_t i = 0; i < ARRAY_SIZE(needs); i++)
      usage |= features & needs[i].features ? needs[i].usage : 0;
   return usage;
}

/*
 * Linear images, types other than 2D, cube maps and formats that cannot be attachments have one
 * sample (Vulkan 1.4, "Supported Sample Counts").
 */
static VkSampleCountFlags
sample_counts(const struct sdvk_physical_device *physical,
              const VkPhysicalDeviceImageFormatInfo2 *info, VkFormatFeatureFlags2 features)
{
   const VkFormatFeatureFlags2 attachment = VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT |
                                            VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT;

   if (info->type != VK_IMAGE_TYPE_2D || info->tiling != VK_IMAGE_TILING_OPTIMAL ||
       (info->flags &
        (VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)) ||
       (info->usage & VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT) || !(features & attachment) ||
       ((info->usage & VK_IMAGE_USAGE_STORAGE_BIT) &&
        !(physical->caps.features & SUNDOG_FEATURE_COMPUTE)))
      return VK_SAMPLE_COUNT_1_BIT;
   return physical->caps.sample_counts | VK_SAMPLE_COUNT_1_BIT;
}

static VkExtent3D
max_extent(const struct sundog_caps *caps, const VkPhysicalDeviceImageFormatInfo2 *info)
{
   if (info->type == VK_IMAGE_TYPE_1D)
      return (VkExtent3D){caps->max_image_1d, 1, 1};
   if (info->type == VK_IMAGE_TYPE_3D)
      return (VkExtent3D){caps->max_image_3d, caps->max_image_3d, caps->max_image_3d};
   if (info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)
      return (VkExtent3D){caps->max_image_cube, caps->max_image_cube, 1};
   return (VkExtent3D){caps->max_image_2d, caps->max_image_2d, 1};
}

/* Returns false if the image has a DRM format modifier that is not supported. */
static bool
modifier_supported(const VkPhysicalDeviceImageFormatInfo2 *info)
{
   const VkPhysicalDeviceImageDrmFormatModifierInfoEXT *modifier =
      vk_find_struct_const(info->pNext, PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT);

   if (info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
      return true;
   return info->type == VK_IMAGE_TYPE_2D && has_modifier(info->format) &&
          !(info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) &&
          (!modifier || modifier->drmFormatModifier == DRM_FORMAT_MOD_LINEAR);
}

/*
 * Fills in properties of a handle type that is a file descriptor. Returns false for other types,
 * and without a DRM device, which exports file descriptors.
 */
static bool
fill_external(const struct sdvk_physical_device *physical, VkExternalMemoryHandleTypeFlagBits type,
              VkExternalMemoryProperties *out)
{
   if (physical->direct || !(type & SDVK_EXTERNAL_TYPES))
      return false;
   *out = (VkExternalMemoryProperties){
      .externalMemoryFeatures =
         VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
      .exportFromImportedHandleTypes = SDVK_EXTERNAL_TYPES,
      .compatibleHandleTypes = SDVK_EXTERNAL_TYPES,
   };
   return true;
}

static VkImageCreateFlags
supported_flags(const struct sundog_caps *caps, VkFormat format)
{
   const VkImageCreateFlags slices =
      caps->features & SUNDOG_FEATURE_SLICES ? VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT : 0;
   const VkImageCreateFlags texels = vk_format_is_compressed(format) && sdvk_has_texel_views(caps)
                                        ? VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT
                                        : 0;
   const VkImageCreateFlags flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_ALIAS_BIT |
                                    VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;

   if (vk_format_get_plane_count(format) > 1)
      return flags | VK_IMAGE_CREATE_DISJOINT_BIT;
   return flags | slices | texels | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT |
          VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
}

/*
 * Returns true if an image may be sparse as its flags say: with texels that do not straddle pages,
 * and with partial residency only in 2D and 3D (sparseResidencyImage2D, sparseResidencyImage3D),
 * with one sample (sample_counts()).
 */
static bool
sparse_supported(const struct sundog_caps *caps, const VkPhysicalDeviceImageFormatInfo2 *info)
{
   const bool residency = info->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;

   if (!(info->flags & SPARSE_FLAGS))
      return true;
   if (!(caps->features & SUNDOG_FEATURE_SPARSE_MEMORY) ||
       info->tiling != VK_IMAGE_TILING_OPTIMAL || !sdvk_sparse_format(info->format))
      return false;
   return !residency || (info->type != VK_IMAGE_TYPE_1D &&
                         (caps->layout_flags & SUNDOG_LAYOUT_FLAG_PAGE_ROWS));
}

static bool
image_supported(const struct sdvk_physical_device *physical,
                const VkPhysicalDeviceImageFormatInfo2 *info)
{
   const VkFormatFeatureFlags2 features = sdvk_format_image_features(physical, info->format);

   if (!features ||
       (info->flags & ~(supported_flags(&physical->caps, info->format) | SPARSE_FLAGS)) ||
       !sparse_supported(&physical->caps, info) || !modifier_supported(info))
      return false;
   /* VUID-VkImageCreateInfo-format-06412 */
   if (vk_format_get_plane_count(info->format) > 1 && info->type != VK_IMAGE_TYPE_2D)
      return false;
   if (info->type == VK_IMAGE_TYPE_1D && vk_format_is_compressed(info->format))
      return false;
   /* Shaders read input attachments as 2D images, see sdvk_spirv_fragment.c. */
   if (info->type == VK_IMAGE_TYPE_1D && (info->usage & VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT))
      return false;
   return (info->flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) ||
          !(info->usage & ~sdvk_format_usage(features));
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice physicalDevice,
                                             const VkPhysicalDeviceImageFormatInfo2 *pInfo,
                                             VkImageFormatProperties2 *pProperties)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);
   const VkPhysicalDeviceExternalImageFormatInfo *external =
      vk_find_struct_const(pInfo->pNext, PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
   VkExternalImageFormatProperties *external_out =
      vk_find_struct(pProperties->pNext, EXTERNAL_IMAGE_FORMAT_PROPERTIES);
   VkSamplerYcbcrConversionImageFormatProperties *ycbcr =
      vk_find_struct(pProperties->pNext, SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES);
   VkHostImageCopyDevicePerformanceQueryEXT *performance =
      vk_find_struct(pProperties->pNext, HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT);
   const uint32_t n_planes = vk_format_get_plane_count(pInfo->format);
   const VkExtent3D extent = max_extent(&physical->caps, pInfo);
   VkExternalMemoryProperties memory = {0};

   pProperties->imageFormatProperties = (VkImageFormatProperties){0};
   if (!image_supported(physical, pInfo) ||
       (external && external->handleType &&
        ((pInfo->flags & SPARSE_FLAGS) ||
         !fill_external(physical, external->handleType, &memory))))
      return vk_error(physical, VK_ERROR_FORMAT_NOT_SUPPORTED);
   if (external_out)
      external_out->externalMemoryProperties = memory;
   /* Host image copies do not change how the device uses the image. */
   if (performance)
      performance->optimalDeviceAccess = performance->identicalMemoryLayout = true;
   if (ycbcr)
      ycbcr->combinedImageSamplerDescriptorCount = n_planes;
   pProperties->imageFormatProperties = (VkImageFormatProperties){
      .maxExtent = extent,
      .maxMipLevels = util_logbase2(MAX3(extent.width, extent.height, extent.depth)) + 1,
      .maxArrayLayers = pInfo->type == VK_IMAGE_TYPE_3D ? 1 : physical->caps.max_image_layers,
      .sampleCounts =
         sample_counts(physical, pInfo, sdvk_format_image_features(physical, pInfo->format)),
      /* At least 2^31, also where no allocation has that size. */
      .maxResourceSize = SDVK_MAX_IMAGE_SIZE,
   };
   if (pInfo->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
      pProperties->imageFormatProperties.maxMipLevels =
         pProperties->imageFormatProperties.maxArrayLayers = 1;
   /* VUID-VkImageCreateInfo-format-06410 */
   if (n_planes > 1)
      pProperties->imageFormatProperties.maxMipLevels = 1;
   return VK_SUCCESS;
}

/*
 * Only buffers that are bound as a whole: command buffers do not record which images and pieces of
 * memory they use, so these cannot be in imported host memory.
 */
static bool
fill_external_host(const VkPhysicalDeviceExternalBufferInfo *info, VkExternalMemoryProperties *out)
{
   if (info->handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT ||
       (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT))
      return false;
   *out = (VkExternalMemoryProperties){
      .externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
      .compatibleHandleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
   };
   return true;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetPhysicalDeviceExternalBufferProperties(
   VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalBufferInfo *pExternalBufferInfo,
   VkExternalBufferProperties *pExternalBufferProperties)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);
   VkExternalMemoryProperties *out = &pExternalBufferProperties->externalMemoryProperties;

   if (!fill_external(physical, pExternalBufferInfo->handleType, out) &&
       !fill_external_host(pExternalBufferInfo, out))
      *out = (VkExternalMemoryProperties){.compatibleHandleTypes = pExternalBufferInfo->handleType};
}
