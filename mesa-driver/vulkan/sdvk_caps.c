/* SPDX-License-Identifier: MIT */
/*
 * Extensions, features and properties of the physical device: derived from the capabilities that
 * the renderer reports, as far as this driver implements them. Called once, by
 * sdvk_physical_device.c. The results are constant.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "sdvk_bvh.h"
#include "sdvk_host_memory.h"
#include "sdvk_image.h"
#include "sdvk_inline.h"
#include "sdvk_instance.h"
#include "sdvk_physical_device.h"
#include "sdvk_texels.h"
#include "sundog_release.h"
#include "util/disk_cache.h"
#include "util/log.h"
#include "util/mesa-sha1.h"
#include "util/u_debug.h"
#include "vk_util.h"

#define MAX_ALLOCATIONS 4096
#define MAX_SPARSE_SIZE (64ull << 30) /* what the renderer maps at device addresses */
#define MAX_PUSH_DESCRIPTORS 128 /* each push is a set that the renderer copies */
#define SCRATCH_ALIGN 64 /* of builds of acceleration structures, which load vectors */

static bool
has(const struct sundog_caps *caps, uint64_t features)
{
   return (caps->features & features) == features;
}

/* Returns true if the host's driver is lavapipe, for behaviour that no capability reports. */
static bool
is_lavapipe(const struct sundog_caps *caps)
{
   return caps->host_driver_id == VK_DRIVER_ID_MESA_LLVMPIPE;
}

/* Returns true if the format with a number can be sampled, see sdvk_format_number(). */
static bool
samples(const struct sundog_caps *caps, uint32_t number)
{
   return caps->formats[number] & SUNDOG_FORMAT_FEATURE_SAMPLED;
}

/* Returns true if all formats from @first to @last can be sampled. */
static bool
samples_all(const struct sundog_caps *caps, VkFormat first, VkFormat last)
{
   for (uint32_t format = first; format <= last; format++) {
      if (!samples(caps, format))
         return false;
   }
   return true;
}

/*
 * Returns true if the renderer has the features that resolves of depth and stencil by draws need,
 * see sdvk_cmd_resolve.c.
 */
static bool
resolves_depths(const struct sundog_caps *caps)
{
   return has(caps, SUNDOG_FEATURE_STENCIL_EXPORT) && has(caps, SUNDOG_FEATURE_SHADER_LAYER);
}

/* Returns true if mesh shaders work with direct and indirect draws. */
static bool
has_meshes(const struct sundog_caps *caps)
{
   return has(caps, SUNDOG_FEATURE_MESH_SHADERS | SUNDOG_FEATURE_INDIRECT);
}

/* Returns true if transform feedback works with counter buffers. */
static bool
has_feedback(const struct sundog_caps *caps)
{
   return has(caps, SUNDOG_FEATURE_FEEDBACK | SUNDOG_FEATURE_FEEDBACK_MEMORY);
}

/* Returns true if parts of images can be used while others have no memory. */
static bool
has_sparse_images(const struct sundog_caps *caps)
{
   return has(caps, SUNDOG_FEATURE_SPARSE_MEMORY) &&
          (caps->layout_flags & SUNDOG_LAYOUT_FLAG_PAGE_ROWS);
}

/* Returns true if the shaders of builds and of ray queries work, see sdvk_bvh.h. */
static bool
has_rays(const struct sundog_caps *caps)
{
   return has(caps, SUNDOG_FEATURE_ADDRESSES | SUNDOG_FEATURE_INT64 | SUNDOG_FEATURE_COMPUTE);
}

/*
 * Returns false if the program uses headless surfaces: those of Mesa's WSI report no presentation
 * and take back no acquired image.
 */
static bool
has_windows_only(const struct sdvk_physical_device *physical)
{
   return !physical->vk.instance->enabled_extensions.EXT_headless_surface;
}

/* Windows that the CPU copies to (direct devices) report no presentation either. */
static bool
tells_of_pictures(const struct sdvk_physical_device *physical)
{
   return has_windows_only(physical) && !physical->direct;
}

void
sdvk_get_extensions(const struct sdvk_physical_device *physical,
                    struct vk_device_extension_table *out)
{
   const bool indirect = has(&physical->caps, SUNDOG_FEATURE_INDIRECT);
   const bool small = has(&physical->caps, SUNDOG_FEATURE_SMALL_NUMBERS);
   const bool index_uint8 = has(&physical->caps, SUNDOG_FEATURE_INDEX_UINT8);
   const bool group_operations = has(&physical->caps, SUNDOG_FEATURE_GROUP_OPERATIONS);
   const bool kernel = !physical->direct;
   const bool rays = has_rays(&physical->caps);
   /* Timestamps of lavapipe are CLOCK_MONOTONIC of the host, which differs from that of a guest. */
   const bool same_clock = physical->direct && is_lavapipe(&physical->caps);

   *out = (struct vk_device_extension_table){
      .KHR_8bit_storage = small,
      .KHR_16bit_storage = small,
      .KHR_acceleration_structure = rays,
      .KHR_bind_memory2 = true,
      .KHR_buffer_device_address = has(&physical->caps, SUNDOG_FEATURE_ADDRESSES),
      .KHR_calibrated_timestamps = same_clock,
      .KHR_compute_shader_derivatives = has(&physical->caps, SUNDOG_FEATURE_GROUP_DERIVATIVES),
      .KHR_copy_commands2 = true,
      .KHR_create_renderpass2 = true,
      .KHR_dedicated_allocation = true,
      .KHR_deferred_host_operations = true,
      .KHR_depth_stencil_resolve = resolves_depths(&physical->caps),
      .KHR_descriptor_update_template = true,
      .KHR_device_group = true,
      .KHR_draw_indirect_count = indirect,
      .KHR_driver_properties = true,
      .KHR_dynamic_rendering = true,
      .KHR_dynamic_rendering_local_read = true,
      .KHR_external_fence = true,
      .KHR_external_fence_fd = kernel,
      .KHR_external_memory = true,
      .KHR_external_memory_fd = kernel,
      .KHR_external_semaphore = true,
      .KHR_external_semaphore_fd = kernel,
      .KHR_format_feature_flags2 = true,
      .KHR_get_memory_requirements2 = true,
      .KHR_global_priority = true,
      .KHR_image_format_list = true,
      .KHR_imageless_framebuffer = true,
      .KHR_incremental_present = true,
      .KHR_index_type_uint8 = index_uint8,
      .KHR_line_rasterization = true,
      .KHR_load_store_op_none = true,
      .KHR_maintenance1 = true,
      .KHR_maintenance2 = true,
      .KHR_maintenance3 = true,
      .KHR_maintenance4 = true,
      .KHR_maintenance5 = true,
      .KHR_maintenance6 = true,
      .KHR_maintenance7 = true,
      .KHR_maintenance8 = has(&physical->caps, SUNDOG_FEATURE_TEXEL_OFFSETS),
      .KHR_map_memory2 = true,
      .KHR_multiview = has(&physical->caps, SUNDOG_FEATURE_MULTIVIEW),
      .KHR_pipeline_library = true,
      .KHR_present_id = tells_of_pictures(physical),
      .KHR_present_wait = tells_of_pictures(physical),
      .KHR_push_descriptor = true,
      .KHR_ray_query = rays,
      .KHR_ray_tracing_maintenance1 = rays,
      .KHR_ray_tracing_position_fetch = rays,
      .KHR_relaxed_block_layout = true,
      .KHR_sampler_mirror_clamp_to_edge = true,
      .KHR_sampler_ycbcr_conversion = true,
      .KHR_separate_depth_stencil_layouts = true,
      .KHR_shader_atomic_int64 = has(&physical->caps, SUNDOG_FEATURE_INT64_ATOMICS),
      .KHR_shader_clock = has(&physical->caps, SUNDOG_FEATURE_SHADER_CLOCK),
      .KHR_shader_draw_parameters = indirect,
      .KHR_shader_expect_assume = true,
      .KHR_shader_float16_int8 = small,
      .KHR_shader_float_controls = true,
      .KHR_shader_float_controls2 = has(&physical->caps, SUNDOG_FEATURE_FLOAT_CONTROLS),
      .KHR_shader_integer_dot_product = true,
      .KHR_shader_maximal_reconvergence = has(&physical->caps, SUNDOG_FEATURE_RECONVERGENCE),
      .KHR_shader_non_semantic_info = true,
      .KHR_shader_relaxed_extended_instruction = true,
      .KHR_shader_subgroup_extended_types = group_operations,
      .KHR_shader_subgroup_rotate = has(&physical->caps, SUNDOG_FEATURE_GROUP_DISTANCES),
      .KHR_shader_terminate_invocation = true,
      .KHR_spirv_1_4 = true,
      .KHR_storage_buffer_storage_class = true,
      .KHR_swapchain = true,
      .KHR_swapchain_mutable_format = true,
      .KHR_synchronization2 = true,
      .KHR_timeline_semaphore = true,
      .KHR_uniform_buffer_standard_layout = true,
      .KHR_variable_pointers = has(&physical->caps, SUNDOG_FEATURE_VARIABLE_POINTERS),
      .KHR_vertex_attribute_divisor = true,
      .KHR_vulkan_memory_model = true,
      .KHR_zero_initialize_workgroup_memory = true,
      .EXT_4444_formats = samples(&physical->caps, SUNDOG_FORMAT_A4R4G4B4) &&
                          samples(&physical->caps, SUNDOG_FORMAT_A4B4G4R4),
      .EXT_attachment_feedback_loop_dynamic_state = true,
      .EXT_attachment_feedback_loop_layout = true,
      .EXT_border_color_swizzle = is_lavapipe(&physical->caps),
      .EXT_calibrated_timestamps = same_clock,
      .EXT_color_write_enable = true,
      .EXT_conditional_rendering = has(&physical->caps, SUNDOG_FEATURE_QUERY_VALUES),
      .EXT_custom_border_color = true,
      .EXT_descriptor_indexing = has(&physical->caps, SUNDOG_FEATURE_DESCRIPTOR_INDEXING),
      .EXT_depth_clip_control = true,
      .EXT_depth_clip_enable = true,
      .EXT_depth_range_unrestricted = has(&physical->caps, SUNDOG_FEATURE_DEPTH_RANGE),
      .EXT_device_fault = true,
#ifdef VK_USE_PLATFORM_DISPLAY_KHR
      .EXT_display_control = kernel,
#endif
      .EXT_dynamic_rendering_unused_attachments = true,
      .EXT_extended_dynamic_state = true,
      .EXT_extended_dynamic_state2 = true,
      .EXT_extended_dynamic_state3 = true,
      .EXT_external_memory_dma_buf = kernel,
      .EXT_external_memory_host = true,
      .EXT_global_priority = true,
      .EXT_global_priority_query = true,
      .EXT_graphics_pipeline_library = true,
      .EXT_host_image_copy = true,
      .EXT_host_query_reset = true,
      .EXT_image_2d_view_of_3d = has(&physical->caps, SUNDOG_FEATURE_SLICES),
      .EXT_image_drm_format_modifier = kernel,
      .EXT_image_robustness = true,
      .EXT_image_sliced_view_of_3d = has(&physical->caps, SUNDOG_FEATURE_SLICE_RANGES),
      .EXT_index_type_uint8 = index_uint8,
      .EXT_inline_uniform_block = true,
      .EXT_legacy_vertex_attributes = is_lavapipe(&physical->caps),
      .EXT_line_rasterization = true,
      .EXT_load_store_op_none = true,
      .EXT_memory_budget = true,
      .EXT_memory_priority = true,
      .EXT_mesh_shader = has_meshes(&physical->caps),
      .EXT_multi_draw = indirect,
      .EXT_mutable_descriptor_type = has(&physical->caps, SUNDOG_FEATURE_MUTABLE_DESCRIPTORS),
      .EXT_nested_command_buffer = true,
      .EXT_non_seamless_cube_map = true,
      .EXT_pageable_device_local_memory = true,
      .EXT_pci_bus_info = kernel,
      .EXT_physical_device_drm = kernel,
      .EXT_pipeline_creation_cache_control = true,
      .EXT_pipeline_creation_feedback = true,
      .EXT_pipeline_protected_access = true,
      .EXT_pipeline_robustness = true,
      .EXT_post_depth_coverage = has(&physical->caps, SUNDOG_FEATURE_POST_DEPTH_COVERAGE),
      .EXT_primitive_topology_list_restart = true,
      .EXT_primitives_generated_query = has(&physical->caps, SUNDOG_FEATURE_FEEDBACK),
      .EXT_private_data = true,
      .EXT_provoking_vertex = true,
      .EXT_queue_family_foreign = true,
      .EXT_rasterization_order_attachment_access =
         has(&physical->caps, SUNDOG_FEATURE_ORDERED_FETCH),
      .EXT_robustness2 = true,
      .EXT_sampler_filter_minmax = has(&physical->caps, SUNDOG_FEATURE_FILTER_MINMAX),
      .EXT_scalar_block_layout = true,
      .EXT_separate_stencil_usage = true,
      .EXT_shader_atomic_float = has(&physical->caps, SUNDOG_FEATURE_FLOAT_ATOMICS),
      .EXT_shader_atomic_float2 = has(&physical->caps, SUNDOG_FEATURE_FLOAT_EXTREMA),
      .EXT_shader_demote_to_helper_invocation = true,
      .EXT_shader_object = true,
      .EXT_shader_replicated_composites = true,
      .EXT_shader_stencil_export = has(&physical->caps, SUNDOG_FEATURE_STENCIL_EXPORT),
      .EXT_shader_subgroup_ballot =
         has(&physical->caps, SUNDOG_FEATURE_SUBGROUPS | SUNDOG_FEATURE_INT64),
      .EXT_shader_subgroup_vote = has(&physical->caps, SUNDOG_FEATURE_SUBGROUPS),
      .EXT_shader_viewport_index_layer = has(&physical->caps, SUNDOG_FEATURE_SHADER_LAYER),
      .EXT_subgroup_size_control = group_operations,
      .EXT_swapchain_maintenance1 = has_windows_only(physical),
      .EXT_texel_buffer_alignment = true,
      .EXT_tooling_info = true,
      .EXT_transform_feedback = has_feedback(&physical->caps),
      .EXT_vertex_attribute_divisor = true,
      .EXT_vertex_input_dynamic_state = true,
      .EXT_ycbcr_2plane_444_formats = true,
      .EXT_ycbcr_image_arrays = true,
      .ARM_rasterization_order_attachment_access =
         has(&physical->caps, SUNDOG_FEATURE_ORDERED_FETCH),
      .GOOGLE_decorate_string = true,
      .GOOGLE_hlsl_functionality1 = true,
      .GOOGLE_user_type = true,
   };
}

void
sdvk_get_features(const struct sdvk_physical_device *physical, struct vk_features *out)
{
   const struct sundog_caps *caps = &physical->caps;
   const bool geometry = has(caps, SUNDOG_FEATURE_GEOMETRY),
              compute = has(caps, SUNDOG_FEATURE_COMPUTE);
   const bool indirect = has(caps, SUNDOG_FEATURE_INDIRECT),
              storage = has(caps, SUNDOG_FEATURE_STORAGE);
   const bool small = has(caps, SUNDOG_FEATURE_SMALL_NUMBERS);
   const bool group_operations = has(caps, SUNDOG_FEATURE_GROUP_OPERATIONS);
   const bool indexing = has(caps, SUNDOG_FEATURE_DESCRIPTOR_INDEXING);
   const bool distances = has(caps, SUNDOG_FEATURE_GROUP_DISTANCES);
   const bool float_atomics = has(caps, SUNDOG_FEATURE_FLOAT_ATOMICS);
   const bool rays = has_rays(caps);

   *out = (struct vk_features){
      .alphaToOne = true,
      .depthBiasClamp = true,
      .depthClamp = true,
      .drawIndirectFirstInstance = indirect,
      .dualSrcBlend = true,
      .fillModeNonSolid = true,
      .fragmentStoresAndAtomics = storage,
      .fullDrawIndexUint32 = true,
      .geometryShader = geometry,
      .imageCubeArray = has(caps, SUNDOG_FEATURE_CUBE_ARRAYS),
      .independentBlend = true,
      .inheritedQueries = true,
      .largePoints = caps->point_size_max > 1,
      .logicOp = true,
      .multiDrawIndirect = indirect,
      .multiViewport = caps->max_viewports > 1,
      .occlusionQueryPrecise = true,
      .pipelineStatisticsQuery = has(caps, SUNDOG_FEATURE_STATISTICS),
      .robustBufferAccess = true,
      .samplerAnisotropy = caps->max_anisotropy > 1,
      .sampleRateShading = has(caps, SUNDOG_FEATURE_SAMPLE_SHADING),
      .shaderClipDistance = true,
      .sparseBinding = has(caps, SUNDOG_FEATURE_SPARSE_MEMORY),
      .sparseResidencyAliased = has(caps, SUNDOG_FEATURE_SPARSE_MEMORY),
      .sparseResidencyBuffer = has(caps, SUNDOG_FEATURE_SPARSE_MEMORY),
      .sparseResidencyImage2D = has_sparse_images(caps),
      .sparseResidencyImage3D = has_sparse_images(caps),
      .shaderResourceResidency = has_sparse_images(caps) &&
                                 (caps->layout_flags & SUNDOG_LAYOUT_FLAG_RESIDENCY),
      .shaderCullDistance = true,
      .shaderFloat64 = has(caps, SUNDOG_FEATURE_FLOAT64),
      .shaderImageGatherExtended = true,
      .shaderInt16 = small,
      .shaderInt64 = has(caps, SUNDOG_FEATURE_INT64),
      .shaderSampledImageArrayDynamicIndexing = true,
      .shaderStorageBufferArrayDynamicIndexing = compute,
      .shaderStorageImageArrayDynamicIndexing = has(caps, SUNDOG_FEATURE_BINDLESS),
      .shaderStorageImageExtendedFormats = compute,
      .shaderStorageImageMultisample = compute,
      .shaderStorageImageReadWithoutFormat = compute,
      .shaderStorageImageWriteWithoutFormat = compute,
      .shaderTessellationAndGeometryPointSize = geometry,
      .shaderUniformBufferArrayDynamicIndexing = true,
      .tessellationShader = has(caps, SUNDOG_FEATURE_TESSELLATION),
      .textureCompressionBC =
         samples_all(caps, VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK),
      .textureCompressionETC2 =
         samples_all(caps, VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, VK_FORMAT_EAC_R11G11_SNORM_BLOCK),
      .vertexPipelineStoresAndAtomics = storage,
      .wideLines = caps->line_width_max > 1,

      .multiview = has(caps, SUNDOG_FEATURE_MULTIVIEW),
      .multiviewGeometryShader = geometry && has(caps, SUNDOG_FEATURE_MULTIVIEW),
      .multiviewTessellationShader =
         has(caps, SUNDOG_FEATURE_TESSELLATION) && has(caps, SUNDOG_FEATURE_MULTIVIEW),
      .shaderDrawParameters = indirect,
      .storageBuffer16BitAccess = small,
      .storagePushConstant16 = small,
      .uniformAndStorageBuffer16BitAccess = small,
      .variablePointers = has(caps, SUNDOG_FEATURE_VARIABLE_POINTERS),
      .variablePointersStorageBuffer = has(caps, SUNDOG_FEATURE_VARIABLE_POINTERS),

      .bufferDeviceAddress = has(caps, SUNDOG_FEATURE_ADDRESSES),
      .bufferDeviceAddressCaptureReplay = has(caps, SUNDOG_FEATURE_ADDRESSES),
      .descriptorBindingInlineUniformBlockUpdateAfterBind = indexing,
      .descriptorBindingPartiallyBound = indexing,
      .descriptorBindingSampledImageUpdateAfterBind = indexing,
      .descriptorBindingStorageBufferUpdateAfterBind = indexing,
      .descriptorBindingStorageImageUpdateAfterBind = indexing,
      .descriptorBindingStorageTexelBufferUpdateAfterBind = indexing,
      .descriptorBindingUniformBufferUpdateAfterBind = indexing,
      .descriptorBindingUniformTexelBufferUpdateAfterBind = indexing,
      .descriptorBindingUpdateUnusedWhilePending = indexing,
      .descriptorBindingVariableDescriptorCount = indexing,
      .descriptorIndexing = indexing,
      .drawIndirectCount = indirect,
      .hostQueryReset = true,
      .imagelessFramebuffer = true,
      .runtimeDescriptorArray = indexing,
      .samplerFilterMinmax = has(caps, SUNDOG_FEATURE_FILTER_MINMAX),
      .samplerMirrorClampToEdge = true,
      .samplerYcbcrConversion = true,
      .scalarBlockLayout = true,
      .separateDepthStencilLayouts = true,
      .shaderBufferInt64Atomics = has(caps, SUNDOG_FEATURE_INT64_ATOMICS),
      .shaderFloat16 = has(caps, SUNDOG_FEATURE_FLOAT16),
      .shaderInt8 = small,
      .shaderOutputLayer = has(caps, SUNDOG_FEATURE_SHADER_LAYER),
      .shaderOutputViewportIndex = has(caps, SUNDOG_FEATURE_SHADER_LAYER),
      .shaderSharedInt64Atomics = has(caps, SUNDOG_FEATURE_INT64_ATOMICS),
      .shaderSubgroupExtendedTypes = group_operations,
      .storageBuffer8BitAccess = small,
      .storagePushConstant8 = small,
      .subgroupBroadcastDynamicId = group_operations,
      .shaderInputAttachmentArrayDynamicIndexing = true,
      .shaderInputAttachmentArrayNonUniformIndexing = indexing,
      .shaderSampledImageArrayNonUniformIndexing = indexing,
      .shaderStorageBufferArrayNonUniformIndexing = indexing,
      .shaderStorageImageArrayNonUniformIndexing = indexing,
      .shaderStorageTexelBufferArrayDynamicIndexing = indexing,
      .shaderStorageTexelBufferArrayNonUniformIndexing = indexing,
      .shaderUniformBufferArrayNonUniformIndexing = indexing,
      .shaderUniformTexelBufferArrayDynamicIndexing = indexing,
      .shaderUniformTexelBufferArrayNonUniformIndexing = indexing,
      .timelineSemaphore = true,
      .uniformAndStorageBuffer8BitAccess = small,
      .uniformBufferStandardLayout = true,
      .vulkanMemoryModel = true,
      .vulkanMemoryModelDeviceScope = true,
      .vulkanMemoryModelAvailabilityVisibilityChains = true,

      .computeFullSubgroups = group_operations,
      .dynamicRendering = true,
      .dynamicRenderingLocalRead = true,
      .inlineUniformBlock = true,
      .maintenance4 = true,
      .pipelineCreationCacheControl = true,
      .privateData = true,
      .robustBufferAccess2 = true,
      .robustImageAccess = true,
      .robustImageAccess2 = true,
      .shaderDemoteToHelperInvocation = true,
      .shaderIntegerDotProduct = true,
      .shaderTerminateInvocation = true,
      .shaderZeroInitializeWorkgroupMemory = true,
      .subgroupSizeControl = group_operations,
      .synchronization2 = true,

      .accelerationStructure = rays,
      .attachmentFeedbackLoopDynamicState = true,
      .attachmentFeedbackLoopLayout = true,
      .borderColorSwizzle = is_lavapipe(caps),
      .borderColorSwizzleFromImage = is_lavapipe(caps),
      .bresenhamLines = true,
      .colorWriteEnable = true,
      .computeDerivativeGroupLinear = has(caps, SUNDOG_FEATURE_GROUP_DERIVATIVES),
      .computeDerivativeGroupQuads = has(caps, SUNDOG_FEATURE_GROUP_DERIVATIVES),
      .customBorderColors = true,
      .customBorderColorWithoutFormat = true,
      .descriptorBindingAccelerationStructureUpdateAfterBind = rays && indexing,
      .depthClipControl = true,
      .depthClipEnable = true,
      .deviceFault = true,
      .formatA4B4G4R4 = samples(caps, SUNDOG_FORMAT_A4B4G4R4),
      .formatA4R4G4B4 = samples(caps, SUNDOG_FORMAT_A4R4G4B4),
      .globalPriorityQuery = true,
      .graphicsPipelineLibrary = true,
      .hostImageCopy = true,
      .image2DViewOf3D = has(caps, SUNDOG_FEATURE_SLICES),
      .imageSlicedViewOf3D = has(caps, SUNDOG_FEATURE_SLICE_RANGES),
      .indexTypeUint8 = has(caps, SUNDOG_FEATURE_INDEX_UINT8),
      .legacyVertexAttributes = is_lavapipe(caps),
      .maintenance5 = true,
      .maintenance6 = true,
      .maintenance7 = true,
      .maintenance8 = has(caps, SUNDOG_FEATURE_TEXEL_OFFSETS),
      .memoryPriority = true,
      .meshShader = has_meshes(caps),
      .meshShaderQueries = has_meshes(caps) && has(caps, SUNDOG_FEATURE_MESH_QUERIES),
      .multiDraw = indirect,
      .mutableDescriptorType = has(caps, SUNDOG_FEATURE_MUTABLE_DESCRIPTORS),
      .nestedCommandBuffer = true,
      .nestedCommandBufferRendering = true,
      .nestedCommandBufferSimultaneousUse = true,
      .nonSeamlessCubeMap = true,
      .nullDescriptor = true,
      .pageableDeviceLocalMemory = true,
      .pipelineProtectedAccess = true,
      .pipelineRobustness = true,
      .presentId = tells_of_pictures(physical),
      .presentWait = tells_of_pictures(physical),
      .primitiveTopologyListRestart = true,
      .provokingVertexLast = true,
      .pushDescriptor = true,
      .rayQuery = rays,
      .rayTracingMaintenance1 = rays,
      .rayTracingPositionFetch = rays,
      .rasterizationOrderColorAttachmentAccess = has(caps, SUNDOG_FEATURE_ORDERED_FETCH),
      .rectangularLines = true,
      .sampler2DViewOf3D = has(caps, SUNDOG_FEATURE_SLICE_RANGES),
      .smoothLines = true,
      .swapchainMaintenance1 = has_windows_only(physical),
      .taskShader = has_meshes(caps),
      .texelBufferAlignment = true,
      .stippledBresenhamLines = true,
      .stippledRectangularLines = true,
      .stippledSmoothLines = true,
      .transformFeedback = has_feedback(caps),
      .transformFeedbackPreservesProvokingVertex =
         has_feedback(caps) && is_lavapipe(caps),
      .geometryStreams = has_feedback(caps) && has(caps, SUNDOG_FEATURE_STREAMS),
      .primitivesGeneratedQuery = has(caps, SUNDOG_FEATURE_FEEDBACK),
      .primitivesGeneratedQueryWithRasterizerDiscard = has(caps, SUNDOG_FEATURE_FEEDBACK),
      .primitivesGeneratedQueryWithNonZeroStreams = has(caps, SUNDOG_FEATURE_STREAMS),
      .conditionalRendering = has(caps, SUNDOG_FEATURE_QUERY_VALUES),
      .inheritedConditionalRendering = has(caps, SUNDOG_FEATURE_QUERY_VALUES),
      .vertexAttributeInstanceRateDivisor = true,
      .vertexAttributeInstanceRateZeroDivisor = true,
      .vertexInputDynamicState = true,
      .shaderBufferFloat32Atomics = float_atomics,
      .shaderBufferFloat32AtomicAdd = float_atomics,
      .shaderSharedFloat32Atomics = float_atomics,
      .shaderSharedFloat32AtomicAdd = float_atomics,
      .shaderImageFloat32Atomics = float_atomics,
      .shaderImageFloat32AtomicAdd = float_atomics,
      .shaderBufferFloat32AtomicMinMax = has(caps, SUNDOG_FEATURE_FLOAT_EXTREMA),
      .shaderImageFloat32AtomicMinMax = has(caps, SUNDOG_FEATURE_FLOAT_EXTREMA),
      .sparseImageFloat32Atomics = float_atomics && has_sparse_images(caps),
      .sparseImageFloat32AtomicAdd = float_atomics && has_sparse_images(caps),
      .shaderSharedFloat32AtomicMinMax = has(caps, SUNDOG_FEATURE_FLOAT_EXTREMA),
      .shaderDeviceClock = has(caps, SUNDOG_FEATURE_DEVICE_CLOCK),
      .shaderExpectAssume = true,
      .shaderFloatControls2 = has(caps, SUNDOG_FEATURE_FLOAT_CONTROLS),
      .shaderMaximalReconvergence = has(caps, SUNDOG_FEATURE_RECONVERGENCE),
      .shaderObject = true,
      .shaderRelaxedExtendedInstruction = true,
      .shaderReplicatedComposites = true,
      .shaderSubgroupClock = has(caps, SUNDOG_FEATURE_SHADER_CLOCK),
      .shaderSubgroupRotate = distances,
      .shaderSubgroupRotateClustered = distances,
      .ycbcr2plane444Formats = true,
      .ycbcrImageArrays = true,

      .dynamicRenderingUnusedAttachments = true,
      .extendedDynamicState = true,
      .extendedDynamicState2 = true,
      .extendedDynamicState2LogicOp = true,
      .extendedDynamicState2PatchControlPoints = true,
      .extendedDynamicState3AlphaToCoverageEnable = true,
      .extendedDynamicState3AlphaToOneEnable = true,
      .extendedDynamicState3ColorBlendEnable = true,
      .extendedDynamicState3ColorBlendEquation = true,
      .extendedDynamicState3ColorWriteMask = true,
      .extendedDynamicState3DepthClampEnable = true,
      .extendedDynamicState3DepthClipEnable = true,
      .extendedDynamicState3DepthClipNegativeOneToOne = true,
      .extendedDynamicState3LineRasterizationMode = true,
      .extendedDynamicState3LineStippleEnable = true,
      .extendedDynamicState3LogicOpEnable = true,
      .extendedDynamicState3PolygonMode = true,
      .extendedDynamicState3ProvokingVertexMode = true,
      .extendedDynamicState3RasterizationSamples = true,
      .extendedDynamicState3SampleMask = true,
      .extendedDynamicState3TessellationDomainOrigin = true,
   };
}

/*
 * Returns the version of the conformance test that the host's driver claims to have passed. This
 * driver was not tested itself, see docs/decisions/001-vulkan-identity.md.
 * SUNDOG_CONFORMANCE_VERSION replaces it.
 */
static VkConformanceVersion
conformance_version(const struct sundog_caps *caps)
{
   const uint32_t host = caps->host_conformance;
   const char *option = debug_get_option("SUNDOG_CONFORMANCE_VERSION", NULL);
   const VkConformanceVersion version = {host >> 24, host >> 16 & 0xff, host >> 8 & 0xff,
                                         host & 0xff};
   VkConformanceVersion other;

   if (!option)
      return version;
   if (sscanf(option, "%hhu.%hhu.%hhu.%hhu", &other.major, &other.minor, &other.subminor,
              &other.patch) == 4)
      return other;
   mesa_logw("SUNDOG_CONFORMANCE_VERSION: '%s' is not MAJOR.MINOR.SUBMINOR.PATCH, ignoring it",
             option);
   return version;
}

/*
 * Writes the name that deviceUUID is a hash of. The Gallium driver has the same name for a PCI
 * device (sdog_get_device_uuid()): GL_DEVICE_UUID_EXT has to match for GL_EXT_memory_object.
 */
static void
device_name(const struct sdvk_physical_device *physical, char *name, size_t size)
{
   const drmPciBusInfo *pci = &physical->pci;

   if (physical->direct)
      snprintf(name, size, "%s", physical->path);
   else
      snprintf(name, size, "sundog %04x:%02x:%02x.%x", pci->domain, pci->bus, pci->dev, pci->func);
}

/* Writes a hash that no other build of the driver has, or one of the release. */
static void
identify_build(uint8_t sha1[SHA1_DIGEST_LENGTH])
{
   struct mesa_sha1 ctx;

   _mesa_sha1_init(&ctx);
   if (!disk_cache_get_function_identifier(identify_build, &ctx))
      _mesa_sha1_update(&ctx, SUNDOG_RELEASE, strlen(SUNDOG_RELEASE));
   _mesa_sha1_final(&ctx, sha1);
}

static void
init_identity(const struct sdvk_physical_device *physical, struct vk_properties *out)
{
   const struct sundog_caps *caps = &physical->caps;
   uint8_t sha1[SHA1_DIGEST_LENGTH];
   char name[PATH_MAX];

   out->apiVersion = SDVK_API_VERSION;
   out->driverVersion = vk_get_driver_version();
   out->vendorID = SUNDOG_PCI_VENDOR;
   out->deviceID = SUNDOG_PCI_DEVICE;
   out->deviceType = caps->host_software ? VK_PHYSICAL_DEVICE_TYPE_CPU
                                         : VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
   snprintf(out->deviceName, sizeof(out->deviceName), "sundog (%s)", caps->host_device);
   /*
    * No id is registered for this driver. Venus is of the same kind, and programs have no quirks
    * for it: see docs/decisions/001-vulkan-identity.md.
    */
   out->driverID = VK_DRIVER_ID_MESA_VENUS;
   out->conformanceVersion = conformance_version(caps);
   snprintf(out->driverName, sizeof(out->driverName), "sundog");
   snprintf(out->driverInfo, sizeof(out->driverInfo), "Mesa " PACKAGE_VERSION ", on %s",
            caps->host_driver);
   /* GL_DRIVER_UUID_EXT is the same, see sdog_get_driver_uuid(). */
   _mesa_sha1_compute("sundog " SUNDOG_RELEASE, strlen("sundog " SUNDOG_RELEASE), sha1);
   memcpy(out->driverUUID, sha1, VK_UUID_SIZE);
   identify_build(sha1);
   memcpy(out->pipelineCacheUUID, sha1, VK_UUID_SIZE);
   memcpy(out->shaderBinaryUUID, sha1, VK_UUID_SIZE);
   out->shaderBinaryVersion = 1;
   device_name(physical, name, sizeof(name));
   _mesa_sha1_compute(name, strlen(name), sha1);
   memcpy(out->deviceUUID, sha1, VK_UUID_SIZE);
}

static void
init_nodes(const struct sdvk_physical_device *physical, struct vk_properties *out)
{
   out->pciDomain = physical->pci.domain;
   out->pciBus = physical->pci.bus;
   out->pciDevice = physical->pci.dev;
   out->pciFunction = physical->pci.func;
   out->drmHasPrimary = physical->primary != 0;
   out->drmPrimaryMajor = major(physical->primary);
   out->drmPrimaryMinor = minor(physical->primary);
   out->drmHasRender = physical->render != 0;
   out->drmRenderMajor = major(physical->render);
   out->drmRenderMinor = minor(physical->render);
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
   out->framebufferIntegerColorSampleCounts = VK_SAMPLE_COUNT_1_BIT;
   out->storageImageSampleCounts =
      has(caps, SUNDOG_FEATURE_COMPUTE) ? caps->sample_counts : VK_SAMPLE_COUNT_1_BIT;
   out->maxSampleMaskWords = 1;
   out->maxSamplerAllocationCount = SUNDOG_MAX_OBJECTS / 2;
   out->maxSamplerLodBias = caps->max_lod_bias;
   out->maxSamplerAnisotropy = caps->max_anisotropy;
   out->subTexelPrecisionBits = 8;
   out->mipmapPrecisionBits = 6;
   out->blockTexelViewCompatibleMultipleLayers = sdvk_has_texel_views(caps);
   out->filterMinmaxSingleComponentFormats = out->filterMinmaxImageComponentMapping =
      has(caps, SUNDOG_FEATURE_FILTER_MINMAX);
}

/* Host image copies work in each layout: the layout of an image in memory never changes. */
static void
init_host_copies(const struct sundog_caps *caps, struct vk_properties *out)
{
   static VkImageLayout layouts[] = {
      VK_IMAGE_LAYOUT_GENERAL,
      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
      VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
      VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
      VK_IMAGE_LAYOUT_PREINITIALIZED,
      VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
      VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
      VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
      VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
      VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL,
      VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
      VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL,
      VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
      VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ,
      VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
      VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
   };
   const uint32_t rule[] = {
      caps->layout_rule,        caps->layout_block,     caps->layout_pitch_align,
      caps->layout_level_align, caps->layout_mip_align,
   };
   uint8_t sha1[SHA1_DIGEST_LENGTH];

   out->pCopySrcLayouts = out->pCopyDstLayouts = layouts;
   out->copySrcLayoutCount = out->copyDstLayoutCount = ARRAY_SIZE(layouts);
   out->identicalMemoryTypeRequirements = true;
   _mesa_sha1_compute(rule, sizeof(rule), sha1);
   memcpy(out->optimalTilingLayoutUUID, sha1, VK_UUID_SIZE);
}

static void
init_memory_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   out->maxMemoryAllocationCount = MAX_ALLOCATIONS;
   out->maxMemoryAllocationSize = caps->max_buffer ? caps->max_buffer : 1u << 31;
   out->maxBufferSize = out->maxMemoryAllocationSize;
   out->bufferImageGranularity = 64;
   if (has(caps, SUNDOG_FEATURE_SPARSE_MEMORY))
      out->sparseAddressSpaceSize = MAX_SPARSE_SIZE;
   out->nonCoherentAtomSize = 64;
   out->minMemoryMapAlignment = SUNDOG_PAGE_SIZE;
   out->minImportedHostPointerAlignment = sdvk_host_alignment();
   out->optimalBufferCopyOffsetAlignment = 64;
   out->optimalBufferCopyRowPitchAlignment = 64;
}

static void
init_descriptor_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   const uint32_t most = has(caps, SUNDOG_FEATURE_DESCRIPTOR_INDEXING)
                            ? SUNDOG_MAX_SET_DESCRIPTORS
                            : SUNDOG_MAX_PLAIN_SET_DESCRIPTORS;

   out->maxUniformBufferRange = caps->max_ubo_range;
   out->maxStorageBufferRange = caps->max_ssbo_range;
   out->maxPushConstantsSize = SUNDOG_MAX_PUSH_CONSTANTS;
   out->minTexelBufferOffsetAlignment = caps->min_texel_align;
   out->robustStorageBufferAccessSizeAlignment = 1;
   out->robustUniformBufferAccessSizeAlignment = 1;
   out->minUniformBufferOffsetAlignment = caps->min_ubo_align;
   out->minStorageBufferOffsetAlignment = caps->min_ssbo_align;
   out->maxPerSetDescriptors = most;
   out->maxBoundDescriptorSets = SUNDOG_MAX_SETS;
   out->maxPushDescriptors = MAX_PUSH_DESCRIPTORS;
   out->maxCombinedImageSamplerDescriptorCount = SDVK_MAX_PLANES;
   out->maxPerStageResources = most;
   /* Each sampler may have a binding of its own. */
   out->maxPerStageDescriptorSamplers = out->maxDescriptorSetSamplers =
      MIN2(most, SUNDOG_MAX_SET_BINDINGS);
   out->maxPerStageDescriptorUniformBuffers = out->maxDescriptorSetUniformBuffers =
      out->maxPerStageDescriptorStorageBuffers = out->maxDescriptorSetStorageBuffers =
         out->maxPerStageDescriptorSampledImages = out->maxDescriptorSetSampledImages =
            out->maxPerStageDescriptorStorageImages = out->maxDescriptorSetStorageImages =
               out->maxPerStageDescriptorInputAttachments = out->maxDescriptorSetInputAttachments =
                  most;
   out->maxInlineUniformBlockSize = SDVK_MAX_INLINE_SIZE;
   out->maxInlineUniformTotalSize = SDVK_MAX_INLINE_SIZE * SDVK_MAX_INLINE_BLOCKS;
   out->maxPerStageDescriptorInlineUniformBlocks = out->maxDescriptorSetInlineUniformBlocks =
      out->maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks =
         out->maxDescriptorSetUpdateAfterBindInlineUniformBlocks = SDVK_MAX_INLINE_BLOCKS;
   out->storageTexelBufferOffsetAlignmentBytes = out->uniformTexelBufferOffsetAlignmentBytes =
      caps->min_texel_align;
   /* The host is always robust, whatever VkPipelineRobustnessCreateInfo says. */
   out->defaultRobustnessStorageBuffers = out->defaultRobustnessUniformBuffers =
      out->defaultRobustnessVertexInputs =
         VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT;
   out->defaultRobustnessImages = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_EXT;
   /* The limit of the packet is for dynamic offsets of uniform and storage buffers together. */
   out->maxDescriptorSetUniformBuffersDynamic = SUNDOG_MAX_DYNAMIC_OFFSETS / 2;
   out->maxDescriptorSetStorageBuffersDynamic = SUNDOG_MAX_DYNAMIC_OFFSETS / 2;
   out->maxDescriptorSetTotalUniformBuffersDynamic =
      out->maxDescriptorSetTotalStorageBuffersDynamic = out->maxDescriptorSetTotalBuffersDynamic =
         out->maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic =
            out->maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic =
               out->maxDescriptorSetUpdateAfterBindTotalBuffersDynamic = SUNDOG_MAX_DYNAMIC_OFFSETS;
}

/* Update-after-bind limits are those of other sets, since a set is implemented the same way. */
static void
init_indexing_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   if (!has(caps, SUNDOG_FEATURE_DESCRIPTOR_INDEXING))
      return;
   out->maxUpdateAfterBindDescriptorsInAllPools = SUNDOG_MAX_SET_DESCRIPTORS;
   out->robustBufferAccessUpdateAfterBind = true;
   out->maxPerStageUpdateAfterBindResources = out->maxPerStageResources;
   /* Programs have arrays of these. */
   out->maxPerStageDescriptorUpdateAfterBindSamplers = out->maxPerStageDescriptorSampledImages;
   out->maxPerStageDescriptorUpdateAfterBindUniformBuffers =
      out->maxPerStageDescriptorUniformBuffers;
   out->maxPerStageDescriptorUpdateAfterBindStorageBuffers =
      out->maxPerStageDescriptorStorageBuffers;
   out->maxPerStageDescriptorUpdateAfterBindSampledImages = out->maxPerStageDescriptorSampledImages;
   out->maxPerStageDescriptorUpdateAfterBindStorageImages = out->maxPerStageDescriptorStorageImages;
   out->maxPerStageDescriptorUpdateAfterBindInputAttachments =
      out->maxPerStageDescriptorInputAttachments;
   out->maxDescriptorSetUpdateAfterBindSamplers = out->maxDescriptorSetSampledImages;
   out->maxDescriptorSetUpdateAfterBindUniformBuffers = out->maxDescriptorSetUniformBuffers;
   out->maxDescriptorSetUpdateAfterBindUniformBuffersDynamic =
      out->maxDescriptorSetUniformBuffersDynamic;
   out->maxDescriptorSetUpdateAfterBindStorageBuffers = out->maxDescriptorSetStorageBuffers;
   out->maxDescriptorSetUpdateAfterBindStorageBuffersDynamic =
      out->maxDescriptorSetStorageBuffersDynamic;
   out->maxDescriptorSetUpdateAfterBindSampledImages = out->maxDescriptorSetSampledImages;
   out->maxDescriptorSetUpdateAfterBindStorageImages = out->maxDescriptorSetStorageImages;
   out->maxDescriptorSetUpdateAfterBindInputAttachments = out->maxDescriptorSetInputAttachments;
}

/* Their descriptors are those of storage buffers. */
static void
init_structure_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   if (!has_rays(caps))
      return;
   out->maxGeometryCount = out->maxInstanceCount = (1 << 24) - 1;
   out->maxPrimitiveCount = (1 << 29) - 1;
   out->minAccelerationStructureScratchOffsetAlignment = SCRATCH_ALIGN;
   out->maxPerStageDescriptorAccelerationStructures = out->maxPerStageDescriptorStorageBuffers;
   out->maxDescriptorSetAccelerationStructures = out->maxDescriptorSetStorageBuffers;
   out->maxPerStageDescriptorUpdateAfterBindAccelerationStructures =
      out->maxPerStageDescriptorUpdateAfterBindStorageBuffers;
   out->maxDescriptorSetUpdateAfterBindAccelerationStructures =
      out->maxDescriptorSetUpdateAfterBindStorageBuffers;
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
   out->maxFragmentCombinedOutputResources = out->maxPerStageResources;
   out->maxDrawIndexedIndexValue = UINT32_MAX;
   out->maxDrawIndirectCount = caps->max_indirect_draws;
   out->maxMultiDrawCount = caps->max_indirect_draws;
   out->maxCommandBufferNestingLevel = UINT32_MAX;
   out->maxViewports = caps->max_viewports;
   out->maxViewportDimensions[0] = out->maxViewportDimensions[1] = caps->max_image_2d;
   out->viewportBoundsRange[0] = -2.0f * caps->max_image_2d;
   out->viewportBoundsRange[1] = 2.0f * caps->max_image_2d - 1;
   out->subPixelPrecisionBits = 8;
   out->minTexelOffset = -8;
   out->maxTexelOffset = 7;
   out->pointSizeRange[0] = caps->point_size_min;
   out->pointSizeRange[1] = caps->point_size_max;
   out->pointSizeGranularity = 1.0f / 8;
   out->lineWidthRange[0] = caps->line_width_min;
   out->lineWidthRange[1] = caps->line_width_max;
   out->lineWidthGranularity = 1.0f / 8;
   out->lineSubPixelPrecisionBits = 8;
   /* The state decides on the kind of a line, and rectangles are strict on lavapipe. */
   out->strictLines = is_lavapipe(caps);
   out->maxVertexAttribDivisor = UINT32_MAX;
   out->nativeUnalignedPerformance = true;
   out->maxFragmentDualSrcAttachments = 1;
   if (resolves_depths(caps)) {
      out->supportedDepthResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT |
                                        VK_RESOLVE_MODE_AVERAGE_BIT | VK_RESOLVE_MODE_MIN_BIT |
                                        VK_RESOLVE_MODE_MAX_BIT;
      out->supportedStencilResolveModes =
         VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
      out->independentResolveNone = out->independentResolve = true;
   }
   out->dynamicRenderingLocalReadDepthStencilAttachments =
      out->dynamicRenderingLocalReadMultisampledAttachments = true;
   out->maxMultiviewViewCount = caps->max_views;
   out->maxMultiviewInstanceIndex = caps->max_views ? INT32_MAX : 0;
   out->maxClipDistances = out->maxCullDistances = out->maxCombinedClipAndCullDistances = 8;
   out->minTexelGatherOffset = caps->min_gather_offset;
   out->maxTexelGatherOffset = caps->max_gather_offset;
   out->minInterpolationOffset = caps->min_interpolation_offset;
   out->maxInterpolationOffset = caps->max_interpolation_offset;
   out->subPixelInterpolationOffsetBits = 4;
   out->maxCustomBorderColorSamplers = SUNDOG_MAX_OBJECTS / 2;
   out->standardSampleLocations = true;
   /* Each draw has the topology and the provoking vertex of its state, not of its pipeline. */
   out->dynamicPrimitiveTopologyUnrestricted = true;
   out->provokingVertexModePerPipeline = true;
   out->earlyFragmentMultisampleCoverageAfterSampleCounting = true;
   out->polygonModePointSize = true;
   /*
    * The renderer compiles each shader separately. Linking compiles one again only if its layout
    * differs.
    */
   out->graphicsPipelineLibraryFastLinking = true;
   out->graphicsPipelineLibraryIndependentInterpolationDecoration = true;
}

static void
init_geometry_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   if (has(caps, SUNDOG_FEATURE_GEOMETRY)) {
      out->maxGeometryShaderInvocations = 32;
      out->maxGeometryInputComponents = out->maxGeometryOutputComponents = caps->max_varyings * 4;
      out->maxGeometryOutputVertices = SUNDOG_MAX_GEOMETRY_VERTICES;
      out->maxGeometryTotalOutputComponents = 1024;
   }
   if (has(caps, SUNDOG_FEATURE_TESSELLATION)) {
      out->maxTessellationGenerationLevel = caps->max_tess_level;
      out->maxTessellationPatchSize = caps->max_patch_vertices;
      out->maxTessellationControlPerVertexInputComponents =
         out->maxTessellationControlPerVertexOutputComponents =
            out->maxTessellationEvaluationInputComponents =
               out->maxTessellationEvaluationOutputComponents = caps->max_varyings * 4;
      out->maxTessellationControlPerPatchOutputComponents = 120;
      out->maxTessellationControlTotalOutputComponents = 4096;
   }
}

static void
init_feedback_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   if (!has_feedback(caps))
      return;
   out->maxTransformFeedbackStreams = has(caps, SUNDOG_FEATURE_STREAMS) ? SUNDOG_MAX_STREAMS : 1;
   out->maxTransformFeedbackBuffers = SUNDOG_MAX_FEEDBACK_BUFFERS;
   out->maxTransformFeedbackBufferSize = MIN2(out->maxBufferSize, SUNDOG_MAX_FEEDBACK_SIZE);
   out->maxTransformFeedbackStreamDataSize = 512;
   out->maxTransformFeedbackBufferDataSize = 512;
   out->maxTransformFeedbackBufferDataStride = SUNDOG_MAX_FEEDBACK_STRIDE;
   out->transformFeedbackPreservesTriangleFanProvokingVertex = is_lavapipe(caps);
   out->transformFeedbackQueries = true;
   out->transformFeedbackDraw = true;
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

/* Limits of the packets; those of work groups are as for compute shaders. */
static void
init_mesh_limits(const struct sundog_caps *caps, struct vk_properties *out)
{
   if (!has_meshes(caps))
      return;
   out->maxTaskWorkGroupTotalCount = out->maxMeshWorkGroupTotalCount = SUNDOG_MAX_MESH_TOTAL_GROUPS;
   out->maxTaskWorkGroupInvocations = out->maxMeshWorkGroupInvocations =
      caps->max_group_invocations;
   for (uint32_t i = 0; i < 3; i++) {
      out->maxTaskWorkGroupCount[i] = out->maxMeshWorkGroupCount[i] = SUNDOG_MAX_MESH_GROUPS;
      out->maxTaskWorkGroupSize[i] = out->maxMeshWorkGroupSize[i] = caps->max_group_size[i];
   }
   out->maxTaskPayloadSize = SUNDOG_MAX_TASK_PAYLOAD;
   out->maxTaskSharedMemorySize = out->maxTaskPayloadAndSharedMemorySize =
      out->maxMeshSharedMemorySize = out->maxMeshPayloadAndSharedMemorySize =
         caps->max_shared_memory;
   out->maxMeshOutputMemorySize = 32768;
   out->maxMeshPayloadAndOutputMemorySize = 32768 + SUNDOG_MAX_TASK_PAYLOAD;
   out->maxMeshOutputComponents = caps->max_varyings * 4;
   out->maxMeshOutputVertices = SUNDOG_MAX_MESH_VERTICES;
   out->maxMeshOutputPrimitives = SUNDOG_MAX_MESH_PRIMITIVES;
   out->maxMeshOutputLayers = caps->max_image_layers;
   out->maxMeshMultiviewViewCount = 1;
   out->meshOutputPerVertexGranularity = out->meshOutputPerPrimitiveGranularity = 1;
   out->maxPreferredTaskWorkGroupInvocations = out->maxPreferredMeshWorkGroupInvocations = 64;
   out->prefersLocalInvocationVertexOutput = out->prefersLocalInvocationPrimitiveOutput = true;
}

static void
init_subgroups(const struct sundog_caps *caps, struct vk_properties *out)
{
   VkShaderStageFlags stages = VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;

   if (!has(caps, SUNDOG_FEATURE_GROUP_OPERATIONS))
      return;
   out->subgroupSize = out->minSubgroupSize = out->maxSubgroupSize = caps->subgroup_size;
   if (has_meshes(caps) && has(caps, SUNDOG_FEATURE_MESH_SUBGROUPS))
      stages |= VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
   out->subgroupSupportedStages = out->requiredSubgroupSizeStages = stages;
   out->subgroupSupportedOperations =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
      VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
      VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_CLUSTERED_BIT |
      VK_SUBGROUP_FEATURE_QUAD_BIT;
   if (has(caps, SUNDOG_FEATURE_GROUP_DISTANCES))
      out->subgroupSupportedOperations |= VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
                                          VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR |
                                          VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR;
   out->maxComputeWorkgroupSubgroups = caps->max_group_invocations / MAX2(caps->subgroup_size, 1);
}

/* Without float controls the independence properties have no effect. */
static void
init_float_controls(const struct sundog_caps *caps, struct vk_properties *out)
{
   const bool small = has(caps, SUNDOG_FEATURE_FLOAT16), large = has(caps, SUNDOG_FEATURE_FLOAT64);

   out->denormBehaviorIndependence = out->roundingModeIndependence =
      VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
   if (!has(caps, SUNDOG_FEATURE_FLOAT_CONTROLS))
      return;
   out->roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
   out->shaderSignedZeroInfNanPreserveFloat16 = out->shaderRoundingModeRTEFloat16 = small;
   out->shaderSignedZeroInfNanPreserveFloat32 = out->shaderRoundingModeRTEFloat32 = true;
   out->shaderSignedZeroInfNanPreserveFloat64 = out->shaderRoundingModeRTEFloat64 = large;
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
   init_nodes(physical, out);
   init_image_limits(caps, out);
   init_host_copies(caps, out);
   init_memory_limits(caps, out);
   init_descriptor_limits(caps, out);
   init_indexing_limits(caps, out);
   init_structure_limits(caps, out);
   init_draw_limits(caps, out);
   init_geometry_limits(caps, out);
   init_feedback_limits(caps, out);
   init_compute_limits(caps, out);
   init_mesh_limits(caps, out);
   init_subgroups(caps, out);
   init_float_controls(caps, out);
}
