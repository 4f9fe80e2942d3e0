/* SPDX-License-Identifier: MIT */
/* What is said of the device: what the renderer reports, as far as this driver has it. */
#include <string.h>

#include "sdvk_instance.h"
#include "sdvk_physical_device.h"
#include "util/mesa-sha1.h"
#include "vk_util.h"

#define MAX_ALLOCATIONS 4096

void
sdvk_get_extensions(const struct sdvk_physical_device *physical,
                    struct vk_device_extension_table *out)
{
   *out = (struct vk_device_extension_table){
      .KHR_bind_memory2 = true,
      .KHR_copy_commands2 = true,
      .KHR_dedicated_allocation = true,
      .KHR_driver_properties = true,
      .KHR_external_fence = true,
      .KHR_external_memory = true,
      .KHR_external_semaphore = true,
      .KHR_format_feature_flags2 = true,
      .KHR_get_memory_requirements2 = true,
      .KHR_image_format_list = true,
      .KHR_maintenance1 = true,
      .KHR_maintenance2 = true,
      .KHR_maintenance3 = true,
      .KHR_maintenance4 = true,
      .KHR_swapchain = true,
      .KHR_synchronization2 = true,
      .KHR_timeline_semaphore = true,
      .EXT_private_data = true,
   };
}

void
sdvk_get_features(const struct sdvk_physical_device *physical, struct vk_features *out)
{
   *out = (struct vk_features){
      .independentBlend = true,
      .samplerAnisotropy = physical->caps.max_anisotropy > 1,
      .shaderSampledImageArrayDynamicIndexing = true,
      .maintenance4 = true,
      .privateData = true,
      .synchronization2 = true,
      .timelineSemaphore = true,
   };
}

static void
init_identity(const struct sdvk_physical_device *physical, struct vk_properties *out)
{
   const struct sundog_caps *caps = &physical->caps;
   uint8_t sha1[SHA1_DIGEST_LENGTH];

   out->apiVersion = SDVK_API_VERSION;
   out->driverVersion = vk_get_driver_version();
   out->vendorID = SUNDOG_PCI_VENDOR;
   out->deviceID = SUNDOG_PCI_DEVICE;
   out->deviceType = caps->host_software ? VK_PHYSICAL_DEVICE_TYPE_CPU
                                         : VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
   snprintf(out->deviceName, sizeof(out->deviceName), "sundog (%s)", caps->host_device);
   snprintf(out->driverName, sizeof(out->driverName), "sundog");
   snprintf(out->driverInfo, sizeof(out->driverInfo), "Mesa " PACKAGE_VERSION ", on %s",
            caps->host_driver);
   _mesa_sha1_compute("sundog " PACKAGE_VERSION, strlen("sundog " PACKAGE_VERSION), sha1);
   memcpy(out->driverUUID, sha1, VK_UUID_SIZE);
   memcpy(out->pipelineCacheUUID, sha1, VK_UUID_SIZE);
   _mesa_sha1_compute(physical->path, strlen(physical->path), sha1);
   memcpy(out->deviceUUID, sha1, VK_UUID_SIZE);
}

static void
init_image_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   out->maxImageDimension1D = caps->max_image_1d;
   out->maxImageDimension2D = caps->max_image_2d;
   out->maxImageDimension3D = caps->max_image_3d;
   out->maxImageDimensionCube = caps->max_image_cube;
   out->maxImageArrayLayers = caps->max_image_layers;
   out->maxTexelBufferElements = caps->max_texel_elements;
   out->maxFramebufferWidth = out->maxFramebufferHeight = caps->max_image_2d;
   out->maxFramebufferLayers = caps->max_image_layers;
   out->maxColorAttachments = MIN2(caps->max_color_attachments, SUNDOG_MAX_COLOR_ATTACHMENTS);
   out->framebufferColorSampleCounts = out->framebufferDepthSampleCounts =
      out->framebufferStencilSampleCounts = out->framebufferNoAttachmentsSampleCounts =
         out->sampledImageColorSampleCounts = out->sampledImageIntegerSampleCounts =
            out->sampledImageDepthSampleCounts = out->sampledImageStencilSampleCounts =
               caps->sample_counts;
   out->storageImageSampleCounts = VK_SAMPLE_COUNT_1_BIT;
   out->maxSampleMaskWords = 1;
   out->maxSamplerAllocationCount = SUNDOG_MAX_OBJECTS / 2;
   out->maxSamplerLodBias = caps->max_lod_bias;
   out->maxSamplerAnisotropy = caps->max_anisotropy;
   out->subTexelPrecisionBits = 8;
   out->mipmapPrecisionBits = 6;
}

static void
init_memory_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   out->maxMemoryAllocationCount = MAX_ALLOCATIONS;
   out->maxMemoryAllocationSize = caps->max_buffer ? caps->max_buffer : 1u << 31;
   out->maxBufferSize = out->maxMemoryAllocationSize;
   out->bufferImageGranularity = 64;
   out->nonCoherentAtomSize = 64;
   out->minMemoryMapAlignment = SUNDOG_PAGE_SIZE;
   out->optimalBufferCopyOffsetAlignment = 64;
   out->optimalBufferCopyRowPitchAlignment = 64;
}

static void
init_descriptor_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   out->maxUniformBufferRange = caps->max_ubo_range;
   out->maxStorageBufferRange = caps->max_ssbo_range;
   out->maxPushConstantsSize = SUNDOG_MAX_PUSH_CONSTANTS;
   out->minTexelBufferOffsetAlignment = caps->min_texel_align;
   out->minUniformBufferOffsetAlignment = caps->min_ubo_align;
   out->minStorageBufferOffsetAlignment = caps->min_ssbo_align;
   out->maxPerSetDescriptors = SUNDOG_MAX_SET_DESCRIPTORS;
   out->maxBoundDescriptorSets = SUNDOG_MAX_SETS;
   out->maxPerStageResources = SUNDOG_MAX_SET_DESCRIPTORS;
   out->maxPerStageDescriptorSamplers = out->maxDescriptorSetSamplers =
      out->maxPerStageDescriptorUniformBuffers = out->maxDescriptorSetUniformBuffers =
         out->maxPerStageDescriptorStorageBuffers = out->maxDescriptorSetStorageBuffers =
            out->maxPerStageDescriptorSampledImages = out->maxDescriptorSetSampledImages =
               out->maxPerStageDescriptorStorageImages = out->maxDescriptorSetStorageImages =
                  SUNDOG_MAX_SET_DESCRIPTORS;
   /* Offsets are those of both types together. */
   out->maxDescriptorSetUniformBuffersDynamic = SUNDOG_MAX_DYNAMIC_OFFSETS / 2;
   out->maxDescriptorSetStorageBuffersDynamic = SUNDOG_MAX_DYNAMIC_OFFSETS / 2;
}

static void
init_draw_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   out->maxVertexInputAttributes = MIN2(caps->max_vertex_attributes, SUNDOG_MAX_VERTEX_ATTRIBUTES);
   out->maxVertexInputBindings = MIN2(caps->max_vertex_buffers, SUNDOG_MAX_VERTEX_BUFFERS);
   out->maxVertexInputAttributeOffset = 2047;
   out->maxVertexInputBindingStride = MIN2(caps->max_vertex_stride, 0xffff);
   out->maxVertexOutputComponents = out->maxFragmentInputComponents = caps->max_varyings * 4;
   out->maxFragmentOutputAttachments = out->maxColorAttachments;
   out->maxFragmentCombinedOutputResources = SUNDOG_MAX_SET_DESCRIPTORS;
   out->maxDrawIndexedIndexValue = UINT32_MAX;
   out->maxDrawIndirectCount = 1;
   out->maxViewports = 1;
   out->maxViewportDimensions[0] = out->maxViewportDimensions[1] = caps->max_image_2d;
   out->viewportBoundsRange[0] = -2.0f * caps->max_image_2d;
   out->viewportBoundsRange[1] = 2.0f * caps->max_image_2d - 1;
   out->subPixelPrecisionBits = 8;
   out->minTexelOffset = -8;
   out->maxTexelOffset = 7;
   out->pointSizeRange[0] = caps->point_size_min;
   out->pointSizeRange[1] = caps->point_size_max;
   out->pointSizeGranularity = 1.0f / 8;
   out->lineWidthRange[0] = out->lineWidthRange[1] = 1;
   out->standardSampleLocations = true;
}

static void
init_compute_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   out->maxComputeSharedMemorySize = caps->max_shared_memory;
   out->maxComputeWorkGroupInvocations = caps->max_group_invocations;
   for (uint32_t i = 0; i < 3; i++) {
      out->maxComputeWorkGroupCount[i] = caps->max_group_count[i];
      out->maxComputeWorkGroupSize[i] = caps->max_group_size[i];
   }
}

void
sdvk_get_properties(const struct sdvk_physical_device *physical, struct vk_properties *out)
{
   const struct sundog_caps *caps = &physical->caps;

   *out = (struct vk_properties){
      .maxTimelineSemaphoreValueDifference = UINT64_MAX,
      .timestampPeriod = caps->timestamp_period,
      .timestampComputeAndGraphics = true,
      .discreteQueuePriorities = 2,
   };
   init_identity(physical, out);
   init_image_limits(caps, out);
   init_memory_limits(caps, out);
   init_descriptor_limits(caps, out);
   init_draw_limits(caps, out);
   init_compute_limits(caps, out);
}
