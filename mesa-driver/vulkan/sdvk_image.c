/* SPDX-License-Identifier: MIT */
/*
 * VkImage and VkImageView: layout, memory requirements, binding, and the renderer's views. Any
 * thread of the program calls the entry points; images and views do not change after they are
 * bound.
 */
#include "sdvk_image.h"

#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_format.h"
#include "sdvk_memory.h"
#include "sdvk_physical_device.h"
#include "sdvk_texels.h"
#include "drm-uapi/drm_fourcc.h"
#include "util/bitscan.h"
#include "vk_enum_to_str.h"
#include "vk_format.h"
#include "vk_log.h"
#include "vk_util.h"

/* Bytes: alignment of images, and of what the host stores to. */
#define IMAGE_ALIGN 64
#define STORE_ALIGN 16

static bool
is_disjoint(const struct vk_image *vk)
{
   return vk->create_flags & VK_IMAGE_CREATE_DISJOINT_BIT;
}

static bool
is_sparse(const struct vk_image *vk)
{
   return vk->create_flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
}

/* Returns true if parts of the image may be used while others are not bound. */
static bool
has_residency(const struct vk_image *vk)
{
   return vk->create_flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
}

/* Returns true if shaders may ask which parts of the image have memory. */
static bool
has_table(const struct vk_image *vk)
{
   const struct sdvk_device *device =
      container_of(vk->base.device, const struct sdvk_device, vk);

   return has_residency(vk) && device->vk.enabled_features.shaderResourceResidency;
}

static void
lay_out_plane(const struct sdvk_device *device, const struct vk_image *vk,
              struct sdvk_image_plane *plane)
{
   const struct sundog_image_shape shape = {
      .format = vk_format_to_pipe_format(plane->format),
      .is_1d = vk->image_type == VK_IMAGE_TYPE_1D,
      .width = plane->extent.width,
      .height = plane->extent.height,
      .depth = plane->extent.depth,
      .layers = vk->array_layers,
      .levels = MIN2(vk->mip_levels, SDVK_MAX_LEVELS),
      .samples = vk->samples,
      .page_rows = has_residency(vk),
   };

   plane->size = sundog_image_layout(&sdvk_device_physical(device)->caps, &shape, plane->levels);
}

/*
 * Lays out the image's planes, one behind the other unless it is disjoint. Returns their total
 * size.
 */
static uint64_t
lay_out(const struct sdvk_device *device, const struct vk_image *vk,
        struct sdvk_image_plane *planes)
{
   const uint32_t n_planes = vk_format_get_plane_count(vk->format);
   uint64_t end = 0;

   for (uint32_t i = 0; i < n_planes; i++) {
      struct sdvk_image_plane *plane = &planes[i];

      plane->format = sdvk_format_plane(vk->format, i);
      plane->extent = (VkExtent3D){
         vk_format_get_plane_width(vk->format, i, vk->extent.width),
         vk_format_get_plane_height(vk->format, i, vk->extent.height),
         vk->extent.depth,
      };
      lay_out_plane(device, vk, plane);
      plane->start = is_disjoint(vk) ? 0 : align64(end, IMAGE_ALIGN);
      end = plane->start + plane->size;
   }
   return end;
}

static VkFormatFeatureFlags2
features_of(const struct sdvk_device *device, VkFormat format)
{
   return sdvk_format_image_features(sdvk_device_physical(device), format);
}

/*
 * Returns the error for a format without features. Its use is invalid
 * (VUID-VkImageCreateInfo-imageCreateFormatFeatures-02260, VUID-VkImageViewCreateInfo-None-02273),
 * and the renderer would end this client at the packet of such an object, long after the call.
 */
static VkResult
no_features(struct sdvk_device *device, const char *object, VkFormat format)
{
   return vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                    "%s of %s, which has no format features: see "
                    "vkGetPhysicalDeviceFormatProperties2()",
                    object, vk_Format_to_str(format));
}

static bool
can_be_sampled(const struct vk_device *vk, VkFormat format)
{
   const struct sdvk_device *device = container_of(vk, struct sdvk_device, vk);

   return features_of(device, format) & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT;
}

/*
 * Returns the usage of packets, whose six bits are the first ones of Vulkan. Input attachments are
 * sampled; transient images need no flag. A resolve is a copy of colours or a draw that reads
 * samples, whatever usage the program asked for.
 */
static uint32_t
image_usage(const struct vk_image *vk)
{
   const VkImageUsageFlags all = vk->usage | vk->stencil_usage;
   uint32_t usage = all & BITFIELD_MASK(6);

   if (all & VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT)
      usage |= SUNDOG_IMAGE_USAGE_SAMPLED;
   if ((usage &
        (SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT)) &&
       vk->samples > 1 && can_be_sampled(vk->base.device, vk->format))
      usage |= SUNDOG_IMAGE_USAGE_SAMPLED;
   /* Views of blocks as texels are drawn to in another image, see sdvk_texels.h. */
   if (vk_format_is_compressed(vk->format))
      usage &= ~SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT;
   /*
    * Copies by the driver need TRANSFER_SRC (a blit of depth saves the stencil, see
    * sdvk_cmd_copy_blocks.c), and so do programs that other drivers tolerate: SDL 3.2 copies from
    * swapchain images that it created without it (VUID-vkCmdCopyImageToBuffer-srcImage-00186). The
    * renderer checks usage, and the device would be lost. Images that are only read get no
    * TRANSFER_DST: it requires aligned rows, which frames of other devices may not have.
    */
   if (vk->samples == 1 || (usage & SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT))
      usage |= SUNDOG_IMAGE_USAGE_TRANSFER_SRC;
   if (vk->samples == 1 && (usage & SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT))
      usage |= SUNDOG_IMAGE_USAGE_TRANSFER_DST;
   /* An image that only the CPU copies has no other usage. */
   return usage ? usage : SUNDOG_IMAGE_USAGE_TRANSFER_SRC;
}

/*
 * Returns true if the renderer supports rows from @start on, @pitch bytes apart. It stores to
 * aligned memory only.
 */
static bool
is_aligned(uint64_t start, uint64_t pitch, uint32_t texel, bool is_written)
{
   if (!(start % STORE_ALIGN) && !(pitch % STORE_ALIGN))
      return true;
   return !is_written && util_is_power_of_two_nonzero(texel) && !(start % texel) &&
          !(pitch % texel);
}

/*
 * Takes over another driver's layout of a plane. Returns false if the renderer does not support it.
 * If the image is written, the renderer accesses whole blocks of layout_block texels.
 */
static bool
take_plane(const struct sundog_caps *caps, struct sdvk_image_plane *plane,
           const VkSubresourceLayout *other, bool is_written)
{
   const bool is_explicit = caps->layout_flags & SUNDOG_LAYOUT_FLAG_EXPLICIT;
   const uint32_t texel = vk_format_get_blocksize(plane->format),
                  block = is_written ? caps->layout_block : 1;
   const uint64_t width = align64(plane->extent.width, block),
                  height = align64(plane->extent.height, block);
   const uint64_t size = (height - 1) * other->rowPitch + width * texel;
   struct sundog_image_level *level = &plane->levels[0];

   /* The same as this driver's layout needs no support by the host. */
   if (other->offset == plane->start && other->rowPitch == level->pitch &&
       (!is_explicit || size == plane->size))
      return true;
   if (!is_explicit || other->rowPitch > INT32_MAX || size > INT32_MAX ||
       other->rowPitch < width * texel ||
       !is_aligned(other->offset, other->rowPitch, texel, is_written))
      return false;
   plane->foreign = true;
   plane->start = other->offset;
   level->pitch = other->rowPitch;
   level->slice = plane->size = size;
   return true;
}

/*
 * Sets DRM_FORMAT_MOD_LINEAR, with the explicit layout of @info if there is one. Returns false if
 * the layout is not supported.
 */
static bool
take_modifier(const struct sdvk_device *device, struct sdvk_image *image,
              const VkImageCreateInfo *info)
{
   const VkImageDrmFormatModifierExplicitCreateInfoEXT *other =
      vk_find_struct_const(info->pNext, IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);
   const bool is_written =
      image_usage(&image->vk) & ~(SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_TRANSFER_SRC);

   image->vk.drm_format_mod = DRM_FORMAT_MOD_LINEAR;
   if (!other)
      return true;
   image->size = 0;
   for (uint32_t i = 0; i < image->n_planes; i++) {
      if (!take_plane(&sdvk_device_physical(device)->caps, &image->planes[i],
                      &other->pPlaneLayouts[i], is_written))
         return false;
      image->size = MAX2(image->size, image->planes[i].start + image->planes[i].size);
   }
   return true;
}

/*
 * Lays out all planes of an image whose `vk` is initialised. Returns false if the explicit layout
 * is not supported.
 */
static bool
lay_out_image(const struct sdvk_device *device, struct sdvk_image *image,
              const VkImageCreateInfo *info)
{
   image->n_planes = vk_format_get_plane_count(image->vk.format);
   image->size = lay_out(device, &image->vk, image->planes);
   return image->vk.tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT ||
          take_modifier(device, image, info);
}

static uint32_t
image_flags(const struct vk_image *vk)
{
   uint32_t flags = 0;

   /* The host's copies and blits create views of other formats. */
   if (vk->create_flags & (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT))
      flags |= SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT;
   if (vk->create_flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT)
      flags |= SUNDOG_IMAGE_FLAG_EXTENDED_USAGE;
   if (vk->create_flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT)
      flags |= SUNDOG_IMAGE_FLAG_BLOCK_TEXEL_VIEW;
   if (vk->create_flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)
      flags |= SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE;
   if (vk->create_flags &
       (VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT))
      flags |= SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE;
   if (has_residency(vk))
      flags |= SUNDOG_IMAGE_FLAG_PAGE_ROWS;
   if (has_table(vk))
      flags |= SUNDOG_IMAGE_FLAG_RESIDENCY;
   return flags;
}

/* Emits the image with another driver's row pitch. */
static void
emit_foreign(struct sundog_stream *stream, const struct sundog_cmd_create_image *image,
             uint32_t pitch)
{
   const struct sundog_cmd_create_linear_image cmd = {
      .id = image->id,
      .mem = image->mem,
      .offset = image->offset,
      .pitch = pitch,
      .flags = image->flags,
      .format = sdvk_format_number(image->format),
      .width = image->extent.width,
      .height = image->extent.height,
      .usage = image->usage,
   };

   sundog_emit_create_linear_image(stream, &cmd);
}

static VkResult
bind_plane(struct sdvk_device *device, const struct vk_image *vk, struct sdvk_image_plane *plane,
           struct sundog_mem mem, uint64_t offset)
{
   struct sundog_cmd_create_image cmd = {
      .mem = mem,
      .offset = offset + plane->start,
      .flags = image_flags(vk),
      .type = vk->image_type,
      .format = sdvk_format_number(plane->format),
      .extent = {plane->extent.width, plane->extent.height, plane->extent.depth},
      .levels = vk->mip_levels,
      .layers = vk->array_layers,
      .samples = vk->samples,
      .usage = image_usage(vk),
   };
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);

   if (!stream)
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   if (plane->foreign)
      emit_foreign(stream, &cmd, plane->levels[0].pitch);
   else
      sundog_emit_create_image(stream, &cmd);
   sdvk_object_end(device);
   plane->id = cmd.id;
   plane->mem = mem;
   plane->offset = cmd.offset;
   return VK_SUCCESS;
}

/* Returns the alignment of what is bound to a sparse image; 1 for other images. */
static uint64_t
sparse_align(const struct vk_image *vk)
{
   return has_residency(vk) ? SDVK_SPARSE_BLOCK : is_sparse(vk) ? SDVK_SPARSE_ALIGN : 1;
}

/* Makes the image in sparse memory, to which queues bind memory later. It has one plane. */
static VkResult
make_sparse(struct sdvk_device *device, struct sdvk_image *image)
{
   const struct sdvk_sparse_info info = {
      .size = align64(image->size, sparse_align(&image->vk)),
      .residency = has_residency(&image->vk),
      .table = has_table(&image->vk),
   };
   VkResult result = sdvk_sparse_init(device, &image->sparse, &info);

   if (result != VK_SUCCESS)
      return result;
   result = bind_plane(device, &image->vk, &image->planes[0], sdvk_sparse_mem(&image->sparse),
                       image->sparse.head);
   if (result != VK_SUCCESS)
      sdvk_sparse_fini(device, &image->sparse);
   return result;
}

/* Each plane is an image of the host, which refuses to bind a larger one. */
static bool
is_too_large(const struct sdvk_image *image)
{
   for (uint32_t i = 0; i < image->n_planes; i++) {
      if (image->planes[i].size > SDVK_MAX_IMAGE_SIZE)
         return true;
   }
   return false;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateImage(VkDevice _device, const VkImageCreateInfo *pCreateInfo,
                 const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_image *image;
   VkResult result;

   if (!features_of(device, pCreateInfo->format))
      return no_features(device, "an image", pCreateInfo->format);
   image = vk_image_create(&device->vk, pCreateInfo, pAllocator, sizeof(*image));
   if (!image)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   if (!lay_out_image(device, image, pCreateInfo)) {
      vk_image_destroy(&device->vk, pAllocator, &image->vk);
      return vk_errorf(device, VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT,
                       "plane layouts of an image are not aligned, too small or above 2 GiB");
   }
   if (is_too_large(image)) {
      vk_image_destroy(&device->vk, pAllocator, &image->vk);
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "an image of more than 2 GiB (maxResourceSize)");
   }
   result = is_sparse(&image->vk) ? make_sparse(device, image) : VK_SUCCESS;
   if (result != VK_SUCCESS) {
      vk_image_destroy(&device->vk, pAllocator, &image->vk);
      return result;
   }
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
   for (uint32_t i = 0; i < image->n_planes; i++)
      sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE, image->planes[i].id);
   sdvk_sparse_fini(device, &image->sparse);
   vk_image_destroy(&device->vk, pAllocator, &image->vk);
}

static void
fill_requirements(const struct vk_image *vk, uint64_t size, VkMemoryRequirements2 *out)
{
   const uint64_t align = sparse_align(vk);
   VkMemoryDedicatedRequirements *dedicated =
      vk_find_struct(out->pNext, MEMORY_DEDICATED_REQUIREMENTS);

   out->memoryRequirements = (VkMemoryRequirements){
      .size = align64(size, align),
      .alignment = MAX2(align, IMAGE_ALIGN),
      .memoryTypeBits = 1 << SDVK_MEMORY_TYPE,
   };
   if (dedicated)
      dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = false;
}

/* Returns the end of a plane in memory that it is bound to separately. */
static uint64_t
plane_end(const struct sdvk_image_plane *planes, VkImageAspectFlags aspect)
{
   const struct sdvk_image_plane *plane = &planes[sdvk_plane_index(aspect)];

   return plane->start + plane->size;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetImageMemoryRequirements2(VkDevice _device, const VkImageMemoryRequirementsInfo2 *pInfo,
                                 VkMemoryRequirements2 *pMemoryRequirements)
{
   VK_FROM_HANDLE(sdvk_image, image, pInfo->image);
   const VkImagePlaneMemoryRequirementsInfo *plane =
      vk_find_struct_const(pInfo->pNext, IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);

   fill_requirements(&image->vk,
                     plane ? plane_end(image->planes, plane->planeAspect) : image->size,
                     pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceImageMemoryRequirements(VkDevice _device,
                                      const VkDeviceImageMemoryRequirements *pInfo,
                                      VkMemoryRequirements2 *pMemoryRequirements)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_image image = {0};

   vk_image_init(&device->vk, &image.vk, pInfo->pCreateInfo);
   lay_out_image(device, &image, pInfo->pCreateInfo);
   fill_requirements(&image.vk,
                     is_disjoint(&image.vk) ? plane_end(image.planes, pInfo->planeAspect)
                                            : image.size,
                     pMemoryRequirements);
   vk_image_finish(&image.vk);
}

static VkSubresourceLayout
subresource_layout(const struct vk_image *vk, const struct sdvk_image_plane *planes,
                   const VkImageSubresource *which)
{
   const struct sdvk_image_plane *plane = &planes[sdvk_plane_index(which->aspectMask)];
   const struct sundog_image_level *level = &plane->levels[which->mipLevel];
   const uint32_t slices = u_minify(vk->extent.depth, which->mipLevel);

   return (VkSubresourceLayout){
      .offset = plane->start + level->offset + which->arrayLayer * level->slice,
      .size = level->slice * slices,
      .rowPitch = level->pitch,
      .arrayPitch = level->slice * slices,
      .depthPitch = level->slice,
   };
}

static void
fill_layout(const struct vk_image *vk, const struct sdvk_image_plane *planes,
            const VkImageSubresource2KHR *which, VkSubresourceLayout2KHR *out)
{
   VkSubresourceHostMemcpySizeEXT *whole =
      vk_find_struct(out->pNext, SUBRESOURCE_HOST_MEMCPY_SIZE_EXT);

   out->subresourceLayout = subresource_layout(vk, planes, &which->imageSubresource);
   if (whole)
      whole->size = out->subresourceLayout.size;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_GetImageSubresourceLayout2KHR(VkDevice _device, VkImage _image,
                                   const VkImageSubresource2KHR *which,
                                   VkSubresourceLayout2KHR *pLayout)
{
   VK_FROM_HANDLE(sdvk_image, image, _image);

   fill_layout(&image->vk, image->planes, which, pLayout);
}

/* Images with a modifier, which another driver may lay out, cannot be queried here. */
VKAPI_ATTR void VKAPI_CALL
sdvk_GetDeviceImageSubresourceLayoutKHR(VkDevice _device,
                                        const VkDeviceImageSubresourceInfoKHR *pInfo,
                                        VkSubresourceLayout2KHR *pLayout)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_image_plane planes[SDVK_MAX_PLANES];
   struct vk_image image = {0};

   vk_image_init(&device->vk, &image, pInfo->pCreateInfo);
   lay_out(device, &image, planes);
   fill_layout(&image, planes, pInfo->pSubresource, pLayout);
   vk_image_finish(&image);
}

/*
 * Binds all planes, or the one that @info names, which only disjoint images have
 * (VUID-VkBindImageMemoryInfo-pNext-01618, VUID-VkBindImageMemoryInfo-image-07736).
 */
static VkResult
bind_image(struct sdvk_device *device, struct sdvk_image *image, const VkBindImageMemoryInfo *info,
           struct sdrm_bo *bo, uint64_t offset)
{
   const VkBindImagePlaneMemoryInfo *one =
      vk_find_struct_const(info->pNext, BIND_IMAGE_PLANE_MEMORY_INFO);
   const uint32_t first = one ? sdvk_plane_index(one->planeAspect) : 0;
   const uint32_t end = one ? first + 1 : image->n_planes;
   VkResult result = VK_SUCCESS;

   for (uint32_t i = first; i < end && result == VK_SUCCESS; i++) {
      image->planes[i].bo = bo;
      result = bind_plane(device, &image->vk, &image->planes[i], sdrm_bo_mem(bo), offset);
   }
   return result;
}

/*
 * Binds an image to memory, or to that of a swapchain image; @info has no memory then
 * (VUID-VkBindImageMemoryInfo-pNext-01631).
 */
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

      return bind_image(device, image, info, shown->planes[0].bo, shown->planes[0].offset);
   }
   return bind_image(device, image, info, memory->bo, info->memoryOffset);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_BindImageMemory2(VkDevice _device, uint32_t bindInfoCount,
                      const VkBindImageMemoryInfo *pBindInfos)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VkResult result = VK_SUCCESS;

   /* Tries all of them: each may have a VkBindMemoryStatus. */
   for (uint32_t i = 0; i < bindInfoCount; i++) {
      const VkResult one = bind_to(device, &pBindInfos[i]);

      sdvk_memory_tell_bound(pBindInfos[i].pNext, one);
      if (one != VK_SUCCESS)
         result = one;
   }
   return result;
}

/*
 * Returns true for a view of all planes, which are sampled together, see sdvk_spirv_ycbcr.c. Other
 * views have one plane.
 */
static bool
is_of_planes(const struct vk_image_view *view)
{
   return view->aspects & VK_IMAGE_ASPECT_PLANE_0_BIT && util_bitcount(view->aspects) > 1;
}

static bool
is_swizzled(const struct vk_image_view *view)
{
   return view->swizzle.r != VK_COMPONENT_SWIZZLE_R || view->swizzle.g != VK_COMPONENT_SWIZZLE_G ||
          view->swizzle.b != VK_COMPONENT_SWIZZLE_B || view->swizzle.a != VK_COMPONENT_SWIZZLE_A;
}

/*
 * Returns usage of a view by shaders. A swizzled view cannot be a storage image
 * (VUID-VkWriteDescriptorSet-descriptorType-00336).
 */
static uint32_t
usage_by_shaders(const struct vk_image_view *view)
{
   const uint32_t stores = is_swizzled(view) ? 0 : VK_IMAGE_USAGE_STORAGE_BIT;

   return view->usage & (VK_IMAGE_USAGE_SAMPLED_BIT | stores);
}

/*
 * Returns usage of a 2D view of a 3D image by shaders (VK_EXT_image_2d_view_of_3d,
 * VUID-VkDescriptorImageInfo-imageView-07795, VUID-VkDescriptorImageInfo-imageView-07796). 2D
 * arrays have none (VUID-VkDescriptorImageInfo-imageView-06712).
 */
static uint32_t
slice_usage(const struct vk_image_view *view)
{
   const struct sdvk_device *device = container_of(view->base.device, struct sdvk_device, vk);
   uint32_t usage = VK_IMAGE_USAGE_STORAGE_BIT;

   if (sdvk_device_physical(device)->caps.features & SUNDOG_FEATURE_SLICE_RANGES)
      usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
   if (!(view->image->create_flags & VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT) ||
       view->view_type != VK_IMAGE_VIEW_TYPE_2D)
      return 0;
   return usage_by_shaders(view) & usage;
}

/*
 * Returns usage of the view for shaders, which read one aspect only
 * (VUID-VkDescriptorImageInfo-imageView-01976).
 */
static uint32_t
shader_usage(const struct vk_image_view *view)
{
   const bool slices = view->image->image_type == VK_IMAGE_TYPE_3D &&
                       view->view_type != VK_IMAGE_VIEW_TYPE_3D;

   if (is_of_planes(view))
      return view->usage & VK_IMAGE_USAGE_SAMPLED_BIT;
   if (util_bitcount(view->aspects) > 1)
      return 0;
   if (slices)
      return slice_usage(view);
   return usage_by_shaders(view);
}

/* Shaders read input attachments as 2D arrays, see sdvk_spirv_fragment.c. */
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
   if (view->view_type == VK_IMAGE_VIEW_TYPE_3D || is_of_planes(view))
      return 0;
   return view->usage &
          (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
}

/* Resolves by draws sample multisampled attachments. */
static uint32_t
sample_usage(const struct vk_image_view *view, VkImageAspectFlagBits aspect)
{
   const VkImageUsageFlags attachment =
      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;

   if (view->image->samples == 1 || !(view->image->aspects & aspect) ||
       !(view->usage & attachment) || !can_be_sampled(view->base.device, view->image->format) ||
       !can_be_sampled(view->base.device, view->format))
      return 0;
   return SUNDOG_IMAGE_USAGE_SAMPLED;
}

/*
 * Returns true for a storage view of some of a 3D image's slices (VK_EXT_image_sliced_view_of_3d).
 */
static bool
is_of_some_slices(const struct vk_image_view *view)
{
   return view->view_type == VK_IMAGE_VIEW_TYPE_3D && (view->usage & VK_IMAGE_USAGE_STORAGE_BIT) &&
          view->storage.z_slice_count != view->extent.depth;
}

static void
name_slices(const struct vk_image_view *view, struct sundog_cmd_create_image_view *cmd)
{
   cmd->type = SUNDOG_VIEW_TYPE_SLICES;
   cmd->base_layer = view->storage.z_slice_offset;
   cmd->layers = view->storage.z_slice_count;
   cmd->usage &= SUNDOG_IMAGE_USAGE_STORAGE;
}

/* Creates a view of one plane for @usage, none if that is 0. Returns false if no id is left. */
static bool
make_view(struct sdvk_device *device, const struct vk_image_view *view, VkImageViewType type,
          uint32_t usage, VkImageAspectFlags aspects, uint32_t *id)
{
   const struct sdvk_image *image = container_of(view->image, struct sdvk_image, vk);
   const struct sdvk_image_plane *plane = &image->planes[sdvk_plane_index(aspects)];
   struct sundog_cmd_create_image_view cmd = {
      .image = plane->id,
      .type = type,
      .format = sdvk_format_number(is_of_planes(view) ? plane->format
                                                     : sdvk_format_host(view->format)),
      .swizzle = {view->swizzle.r, view->swizzle.g, view->swizzle.b, view->swizzle.a},
      .aspect = sdvk_plane_aspect(aspects),
      .base_level = view->base_mip_level,
      .levels = view->level_count,
      .base_layer = view->base_array_layer,
      .layers = view->layer_count,
      .usage = usage,
   };
   struct sundog_stream *stream;

   if (is_of_some_slices(view))
      name_slices(view, &cmd);
   if (!cmd.usage)
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
   for (uint32_t i = 0; i < ARRAY_SIZE(view->chroma_ids); i++)
      sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE_VIEW, view->chroma_ids[i]);
   sdvk_texels_fini(device, &view->texels);
   vk_image_view_destroy(&device->vk, alloc, &view->vk);
}

static bool
make_sample_view(struct sdvk_device *device, struct sdvk_image_view *view,
                 VkImageAspectFlagBits aspect)
{
   return make_view(device, &view->vk, VK_IMAGE_VIEW_TYPE_2D_ARRAY, sample_usage(&view->vk, aspect),
                    aspect, &view->sample_ids[aspect == VK_IMAGE_ASPECT_STENCIL_BIT]);
}

/*
 * Creates the view for shaders, of the first plane if there are several, and one for each further
 * plane.
 */
static bool
make_shader_views(struct sdvk_device *device, struct sdvk_image_view *view)
{
   static const VkImageAspectFlags chroma[] = {VK_IMAGE_ASPECT_PLANE_1_BIT,
                                               VK_IMAGE_ASPECT_PLANE_2_BIT};
   const bool of_planes = is_of_planes(&view->vk);
   const uint32_t usage = shader_usage(&view->vk);
   bool ok = make_view(device, &view->vk, view->vk.view_type, usage,
                       of_planes ? VK_IMAGE_ASPECT_PLANE_0_BIT : view->vk.aspects, &view->id);

   for (uint32_t i = 0; i < ARRAY_SIZE(chroma) && of_planes; i++) {
      if (view->vk.aspects & chroma[i])
         ok = ok && make_view(device, &view->vk, view->vk.view_type, usage, chroma[i],
                              &view->chroma_ids[i]);
   }
   return ok;
}

/*
 * Returns all aspects of a depth-stencil image, since attachments ignore aspectMask (Vulkan 1.4,
 * "Image Views"), or the plane that is viewed.
 */
static VkImageAspectFlags
attachment_aspects(const struct vk_image_view *view)
{
   return view->image->aspects & VK_IMAGE_ASPECT_PLANE_0_BIT ? view->aspects : view->image->aspects;
}

static bool
make_attachment_view(struct sdvk_device *device, struct sdvk_image_view *view, VkImageViewType type)
{
   const uint32_t usage = attachment_usage(&view->vk);

   if (usage && sdvk_views_blocks(view->vk.image, view->vk.format))
      return sdvk_texels_init(device, view, type);
   return make_view(device, &view->vk, type, usage, attachment_aspects(&view->vk),
                    &view->attachment_id);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateImageView(VkDevice _device, const VkImageViewCreateInfo *pCreateInfo,
                     const VkAllocationCallbacks *pAllocator, VkImageView *pView)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_image_view *view =
      vk_image_view_create(&device->vk, false, pCreateInfo, pAllocator, sizeof(*view));
   VkFormatFeatureFlags2 features;

   if (!view)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   features = features_of(device, view->vk.format);
   if (!features) {
      const VkResult result = no_features(device, "an image view", view->vk.format);

      vk_image_view_destroy(&device->vk, pAllocator, &view->vk);
      return result;
   }
   /*
    * With VK_IMAGE_CREATE_EXTENDED_USAGE_BIT a view inherits usage that its own format may not
    * support.
    */
   view->vk.usage &= sdvk_format_usage(features);
   if (!make_shader_views(device, view) ||
       !make_view(device, &view->vk, VK_IMAGE_VIEW_TYPE_2D_ARRAY, input_usage(&view->vk),
                  view->vk.aspects, &view->input_id) ||
       !make_attachment_view(device, view, pCreateInfo->viewType) ||
       !make_sample_view(device, view, VK_IMAGE_ASPECT_COLOR_BIT) ||
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
