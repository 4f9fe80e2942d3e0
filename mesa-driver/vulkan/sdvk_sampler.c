/* SPDX-License-Identifier: MIT */
/*
 * VkSampler and VkBufferView, with their objects of the renderer. Any thread of the program calls
 * the entry points; samplers and views are constant.
 */
#include "sdvk_buffer.h"
#include "sdvk_descriptor.h"
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_format.h"
#include "util/macros.h"
#include "vk_enum_to_str.h"
#include "vk_format.h"
#include "vk_log.h"

static uint32_t
reduction_flag(const struct vk_sampler *sampler)
{
   switch (sampler->reduction_mode) {
   case VK_SAMPLER_REDUCTION_MODE_MIN:
      return SUNDOG_SAMPLER_FLAG_REDUCE_MIN;
   case VK_SAMPLER_REDUCTION_MODE_MAX:
      return SUNDOG_SAMPLER_FLAG_REDUCE_MAX;
   default:
      return 0;
   }
}

static uint32_t
sampler_flags(const VkSamplerCreateInfo *info)
{
   return (info->compareEnable ? SUNDOG_SAMPLER_FLAG_COMPARE : 0) |
          (info->anisotropyEnable ? SUNDOG_SAMPLER_FLAG_ANISOTROPY : 0) |
          (info->unnormalizedCoordinates ? SUNDOG_SAMPLER_FLAG_UNNORMALIZED : 0) |
          (info->flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT
              ? SUNDOG_SAMPLER_FLAG_NON_SEAMLESS
              : 0);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateSampler(VkDevice _device, const VkSamplerCreateInfo *info,
                   const VkAllocationCallbacks *pAllocator, VkSampler *pSampler)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   struct sdvk_sampler *sampler =
      vk_sampler_create(&device->vk, info, pAllocator, sizeof(*sampler));
   struct sundog_cmd_create_sampler cmd = {
      .flags = sampler_flags(info),
      .mag_filter = info->magFilter,
      .min_filter = info->minFilter,
      .mipmap_mode = info->mipmapMode,
      .address_u = info->addressModeU,
      .address_v = info->addressModeV,
      .address_w = info->addressModeW,
      .compare_op = info->compareEnable ? info->compareOp : VK_COMPARE_OP_NEVER,
      .lod_bias = info->mipLodBias,
      .max_anisotropy = info->anisotropyEnable ? info->maxAnisotropy : 1,
      /* The renderer allows no negative LOD, which selects level 0 anyway. */
      .min_lod = MAX2(info->minLod, 0.0f),
      .max_lod = MAX2(info->maxLod, 0.0f),
   };
   struct sundog_stream *stream;

   if (!sampler)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);
   if (!stream) {
      vk_sampler_destroy(&device->vk, pAllocator, &sampler->vk);
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   }
   cmd.flags |= reduction_flag(&sampler->vk);
   memcpy(cmd.border, &sampler->vk.border_color_value, sizeof(cmd.border));
   cmd.border_int = vk_border_color_is_int(info->borderColor);
   sundog_emit_create_sampler(stream, &cmd);
   sdvk_object_end(device);
   sampler->id = cmd.id;
   *pSampler = sdvk_sampler_to_handle(sampler);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroySampler(VkDevice _device, VkSampler _sampler, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_sampler, sampler, _sampler);

   if (!sampler)
      return;
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_SAMPLER, sampler->id);
   vk_sampler_destroy(&device->vk, pAllocator, &sampler->vk);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateBufferView(VkDevice _device, const VkBufferViewCreateInfo *pCreateInfo,
                      const VkAllocationCallbacks *pAllocator, VkBufferView *pView)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_buffer, buffer, pCreateInfo->buffer);
   const VkFormatFeatureFlags2 needed =
      VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT;
   struct sdvk_buffer_view *view;
   struct sundog_cmd_create_buffer_view cmd;
   struct sundog_stream *stream;

   /*
    * Invalid usage (VUID-VkBufferViewCreateInfo-format-08778), at which the renderer would end this
    * client.
    */
   if (!(sdvk_format_buffer_features(sdvk_device_physical(device), pCreateInfo->format) & needed))
      return vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                       "a buffer view of %s, which has no texel buffer feature",
                       vk_Format_to_str(pCreateInfo->format));
   view = vk_buffer_view_create(&device->vk, pCreateInfo, pAllocator, sizeof(*view));
   if (!view)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   *pView = sdvk_buffer_view_to_handle(view);
   /*
    * The range is smaller than one element: VK_WHOLE_SIZE is rounded down to whole elements (Vulkan
    * 1.4, "Buffer Views"). Id 0 is a null descriptor for the renderer.
    */
   if (!view->vk.elements)
      return VK_SUCCESS;
   stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &view->id);
   if (!stream) {
      vk_buffer_view_destroy(&device->vk, pAllocator, &view->vk);
      return vk_error(device, VK_ERROR_OUT_OF_DEVICE_MEMORY);
   }
   cmd = (struct sundog_cmd_create_buffer_view){
      .id = view->id,
      .range = {buffer->mem, buffer->offset + view->vk.offset,
                view->vk.elements * vk_format_get_blocksize(view->vk.format)},
      .format = sdvk_format_number(view->vk.format),
   };
   sundog_emit_create_buffer_view(stream, &cmd);
   sdvk_object_end(device);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyBufferView(VkDevice _device, VkBufferView _view,
                       const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_buffer_view, view, _view);

   if (!view)
      return;
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_BUFFER_VIEW, view->id);
   vk_buffer_view_destroy(&device->vk, pAllocator, &view->vk);
}
