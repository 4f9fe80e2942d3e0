/* SPDX-License-Identifier: MIT */
#include "sdvk_image.h"

#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_memory.h"
#include "sdvk_physical_device.h"
#include "drm-uapi/drm_fourcc.h"
#include "util/bitscan.h"
#include "vk_format.h"
#include "vk_log.h"
#include "vk_util.h"

/* Bytes, of what the host reads and writes as wholes. */
#define IMAGE_ALIGN 64

static uint64_t
layout(const struct sdvk_device *device, const struct vk_image *vk,
       struct sundog_image_level levels[SDVK_MAX_LEVELS])
{
   const struct sundog_image_shape shape = {
      .format = vk_format_to_pipe_format(vk->format),
      .is_1d = vk->image_type == VK_IMAGE_TYPE_1D,
      .width = vk->extent.width,
      .height = vk->extent.height,
      .depth = vk->extent.depth,
      .layers = vk->array_layers,
      .levels = MIN2(vk->mip_levels, SDVK_MAX_LEVELS),
      .samples = vk->samples,
   };

   return sundog_image_layout(&sdvk_device_physical(device)->caps, &shape, levels);
}

/* There is one modifier. Rows may be elsewhere than we would put them. */
static void
take_modifier(struct sdvk_image *image, const VkImageCreateInfo *info)
{
   const VkImageDrmFormatModifierExplicitCreateInfoEXT *other =
      vk_find_struct_const(info->pNext, IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);
   struct sundog_image_level *level = &image->levels[0];

   image->vk.drm_format_mod = DRM_FORMAT_MOD_LINEAR;
   if (!other || (!other->pPlaneLayouts[0].offset && other->pPlaneLayouts[0].rowPitch == level->pitch))
      return;
   image->foreign = true;
   level->offset = other->pPlaneLayouts[0].offset;
   level->pitch = other->pPlaneLayouts[0].rowPitch;
   level->slice = (uint64_t)level->pitch * image->vk.extent.height;
   image->size = level->offset + level->slice;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateImage(VkDevice _device, const VkImageCreateInfo *pCreateInfo,
                 const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_image *image = vk_image_create(&device->vk, pCreateInfo, pAllocator, sizeof(*image));

   if (!image)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   image->size = layout(device, &image->vk, image->levels);
   if (image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
      take_modifier(image, pCreateInfo);
   *pImage = sdvk_image_to_handle(image);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyImage(VkDevice _device, VkImage _image, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_image, image, _image);

   if (!image)
      return;
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE, image->id);
   vk_image_destroy(&device->vk, pAllocator, &image->vk);
}

static void
fill_requirements(uint64_t size, VkMemoryRequirements2 *out)
{
   VkMemoryDedicatedRequirements *dedicated =
      vk_find_struct(out->pNext, MEMORY_DEDICATED_REQUIREMENTS);

   out->memoryRequirements = (VkMemoryRequirements){
      .size = size,
      .alignment = IMAGE_ALIGN,
      .memoryTypeBits = 1 << SDVK_MEMORY_TYPE,
   };
   if (dedicated)
      dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = false;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetImageMemoryRequirements2(VkDevice _device, const VkImageMemoryRequirementsInfo2 *pInfo,
                                 VkMemoryRequirements2 *pMemoryRequirements)
{
   VK_FROM_HANDLE(sdvk_image, image, pInfo->image);

   fill_requirements(image->size, pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceImageMemoryRequirements(VkDevice _device,
                                      const VkDeviceImageMemoryRequirements *pInfo,
                                      VkMemoryRequirements2 *pMemoryRequirements)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sundog_image_level levels[SDVK_MAX_LEVELS];
   struct vk_image image = {0};

   vk_image_init(&device->vk, &image, pInfo->pCreateInfo);
   fill_requirements(layout(device, &image, levels), pMemoryRequirements);
   vk_image_finish(&image);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetImageSubresourceLayout(VkDevice _device, VkImage _image, const VkImageSubresource *which,
                               VkSubresourceLayout *pLayout)
{
   VK_FROM_HANDLE(sdvk_image, image, _image);
   const struct sundog_image_level *level = &image->levels[which->mipLevel];
   const uint32_t slices = u_minify(image->vk.extent.depth, which->mipLevel);

   *pLayout = (VkSubresourceLayout){
      .offset = level->offset + which->arrayLayer * level->slice,
      .size = level->slice * slices,
      .rowPitch = level->pitch,
      .arrayPitch = level->slice * slices,
      .depthPitch = level->slice,
   };
}

static uint32_t
image_flags(const struct vk_image *vk)
{
   uint32_t flags = 0;

   /* Copies and blits of the host's own make views of other formats. */
   if (vk->create_flags & (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT))
      flags |= SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT;
   if (vk->create_flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT)
      flags |= SUNDOG_IMAGE_FLAG_EXTENDED_USAGE;
   if (vk->create_flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)
      flags |= SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE;
   if (vk->create_flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT)
      flags |= SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE;
   return flags;
}

/* The first six bits are the packets'. Inputs are read as textures are; what is transient does not matter. A resolve is
 * a copy of colours, and a draw that reads depths and stencils, whatever the program says of it. */
static uint32_t
image_usage(const struct vk_image *vk)
{
   const VkImageUsageFlags all = vk->usage | vk->stencil_usage;
   uint32_t usage = all & BITFIELD_MASK(6);

   if (all & VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT)
      usage |= SUNDOG_IMAGE_USAGE_SAMPLED;
   if ((usage & SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT) && vk->samples > 1)
      usage |= SUNDOG_IMAGE_USAGE_SAMPLED;
   if (usage & SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT)
      usage |= vk->samples > 1 ? SUNDOG_IMAGE_USAGE_TRANSFER_SRC : SUNDOG_IMAGE_USAGE_TRANSFER_DST;
   return usage;
}

/* The same image where @level says. */
static void
emit_foreign(struct sundog_stream *stream, const struct sundog_cmd_create_image *image,
             const struct sundog_image_level *level)
{
   const struct sundog_cmd_create_linear_image cmd = {
      .id = image->id,
      .mem = image->mem,
      .offset = image->offset + level->offset,
      .pitch = level->pitch,
      .flags = image->flags,
      .format = image->format,
      .width = image->extent.width,
      .height = image->extent.height,
      .usage = image->usage,
   };

   sundog_emit_create_linear_image(stream, &cmd);
}

static VkResult
bind_image(struct sdvk_device *device, struct sdvk_image *image, struct sundog_mem mem,
           uint64_t offset)
{
   const struct vk_image *vk = &image->vk;
   struct sundog_cmd_create_image cmd = {
      .mem = mem,
      .offset = offset,
      .flags = image_flags(vk),
      .type = vk->image_type,
      .format = vk->format,
      .extent = {vk->extent.width, vk->extent.height, vk->extent.depth},
      .levels = vk->mip_levels,
      .layers = vk->array_layers,
      .samples = vk->samples,
      .usage = image_usage(vk),
   };
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);

   if (!stream)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   if (image->foreign)
      emit_foreign(stream, &cmd, &image->levels[0]);
   else
      sundog_emit_create_image(stream, &cmd);
   sdvk_object_end(device);
   image->id = cmd.id;
   image->mem = mem;
   image->offset = offset;
   return VK_SUCCESS;
}

/* To memory, or to that of an image of a swapchain. */
static VkResult
bind_to(struct sdvk_device *device, const VkBindImageMemoryInfo *info)
{
   VK_FROM_HANDLE(sdvk_image, image, info->image);
   VK_FROM_HANDLE(sdvk_memory, memory, info->memory);
   const VkBindImageMemorySwapchainInfoKHR *swapchain =
      vk_find_struct_const(info->pNext, BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);

   if (swapchain && swapchain->swapchain) {
      VK_FROM_HANDLE(sdvk_image, shown,
                     wsi_common_get_image(swapchain->swapchain, swapchain->imageIndex));

      return bind_image(device, image, shown->mem, shown->offset);
   }
   return bind_image(device, image, sundog_bo_mem(memory->bo), info->memoryOffset);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_BindImageMemory2(VkDevice _device, uint32_t bindInfoCount,
                      const VkBindImageMemoryInfo *pBindInfos)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VkResult result = VK_SUCCESS;

   for (uint32_t i = 0; i < bindInfoCount && result == VK_SUCCESS; i++)
      result = bind_to(device, &pBindInfos[i]);
   return result;
}

/* Shaders see one aspect, and slices of 3D images only as such. */
static uint32_t
shader_usage(const struct vk_image_view *view)
{
   const bool slices = view->image->image_type == VK_IMAGE_TYPE_3D &&
                       view->view_type != VK_IMAGE_VIEW_TYPE_3D;

   if (util_bitcount(view->aspects) > 1 || slices)
      return 0;
   return view->usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT);
}

/* Shaders read input attachments as images with layers, see sdvk_spirv_fragment.c. */
static uint32_t
input_usage(const struct vk_image_view *view)
{
   if (view->image->image_type != VK_IMAGE_TYPE_2D || util_bitcount(view->aspects) > 1 ||
       !(view->usage & VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT))
      return 0;
   return SUNDOG_IMAGE_USAGE_SAMPLED;
}

static uint32_t
attachment_usage(const struct vk_image_view *view)
{
   if (view->view_type == VK_IMAGE_VIEW_TYPE_3D)
      return 0;
   return view->usage &
          (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
}

/* The samples of depths and stencils are read when they are resolved. */
static uint32_t
sample_usage(const struct vk_image_view *view, VkImageAspectFlagBits aspect)
{
   if (view->image->samples == 1 || !(view->image->aspects & aspect) ||
       !(view->usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT))
      return 0;
   return SUNDOG_IMAGE_USAGE_SAMPLED;
}

/* False: there is no id left. */
static bool
make_view(struct sdvk_device *device, const struct vk_image_view *view, VkImageViewType type,
          uint32_t usage, VkImageAspectFlags aspects, uint32_t *id)
{
   struct sundog_cmd_create_image_view cmd = {
      .image = container_of(view->image, struct sdvk_image, vk)->id,
      .type = type,
      .format = view->format,
      .swizzle = {view->swizzle.r, view->swizzle.g, view->swizzle.b, view->swizzle.a},
      .aspect = aspects,
      .base_level = view->base_mip_level,
      .levels = view->level_count,
      .base_layer = view->base_array_layer,
      .layers = view->layer_count,
      .usage = usage,
   };
   struct sundog_stream *stream;

   if (!usage)
      return true;
   stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);
   if (!stream)
      return false;
   sundog_emit_create_image_view(stream, &cmd);
   sdvk_object_end(device);
   *id = cmd.id;
   return true;
}

static void
destroy_view(struct sdvk_device *device, struct sdvk_image_view *view,
             const VkAllocationCallbacks *alloc)
{
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE_VIEW, view->id);
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE_VIEW, view->input_id);
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE_VIEW, view->attachment_id);
   for (uint32_t i = 0; i < ARRAY_SIZE(view->sample_ids); i++)
      sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE_VIEW, view->sample_ids[i]);
   vk_image_view_destroy(&device->vk, alloc, &view->vk);
}

static bool
make_sample_view(struct sdvk_device *device, struct sdvk_image_view *view, VkImageAspectFlagBits aspect)
{
   return make_view(device, &view->vk, VK_IMAGE_VIEW_TYPE_2D_ARRAY, sample_usage(&view->vk, aspect), aspect,
                    &view->sample_ids[aspect == VK_IMAGE_ASPECT_STENCIL_BIT]);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateImageView(VkDevice _device, const VkImageViewCreateInfo *pCreateInfo,
                     const VkAllocationCallbacks *pAllocator, VkImageView *pView)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_image_view *view =
      vk_image_view_create(&device->vk, false, pCreateInfo, pAllocator, sizeof(*view));
   const VkImageViewType type = pCreateInfo->viewType;

   if (!view)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   if (!make_view(device, &view->vk, type, shader_usage(&view->vk), view->vk.aspects, &view->id) ||
       !make_view(device, &view->vk, VK_IMAGE_VIEW_TYPE_2D_ARRAY, input_usage(&view->vk),
                  view->vk.aspects, &view->input_id) ||
       !make_view(device, &view->vk, type, attachment_usage(&view->vk), view->vk.image->aspects,
                  &view->attachment_id) ||
       !make_sample_view(device, view, VK_IMAGE_ASPECT_DEPTH_BIT) ||
       !make_sample_view(device, view, VK_IMAGE_ASPECT_STENCIL_BIT)) {
      destroy_view(device, view, pAllocator);
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   }
   *pView = sdvk_image_view_to_handle(view);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyImageView(VkDevice _device, VkImageView _view, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_image_view, view, _view);

   if (view)
      destroy_view(device, view, pAllocator);
}

/* There are no sparse images. */
VKAPI_ATTR void VKAPI_CALL
sdvk_GetImageSparseMemoryRequirements2(VkDevice _device, const VkImageSparseMemoryRequirementsInfo2 *pInfo,
                                       uint32_t *pCount, VkSparseImageMemoryRequirements2 *pRequirements)
{
   *pCount = 0;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceImageSparseMemoryRequirements(VkDevice _device, const VkDeviceImageMemoryRequirements *pInfo,
                                            uint32_t *pCount,
                                            VkSparseImageMemoryRequirements2 *pRequirements)
{
   *pCount = 0;
}
