// SPDX-License-Identifier: MIT
/*
 * The stub's instance, device and objects, see stub.h.
 */
#include "stub.h"

#include <pthread.h>
#include <string.h>

#include "host/format.h"
#include "host/lvp_interface.h"
#include "sundog_hw.h"

static pthread_mutex_t timeline_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t timeline_moved = PTHREAD_COND_INITIALIZER;
static uint64_t timeline;

/* Instance and device */

VkResult vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *a,
			  VkInstance *out)
{
	(void)info;
	(void)a;
	*out = (VkInstance)1;
	return VK_SUCCESS;
}

VkResult vkEnumeratePhysicalDevices(VkInstance instance, uint32_t *n, VkPhysicalDevice *out)
{
	(void)instance;
	*n = 1;
	*out = (VkPhysicalDevice)1;
	return VK_SUCCESS;
}

/* Reports all extensions that the renderer can enable. */
VkResult vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical, const char *layer,
					      uint32_t *n, VkExtensionProperties *out)
{
	static const char *const names[] = {
		"VK_EXT_external_memory_host",
		"VK_EXT_shader_object",
		"VK_EXT_descriptor_buffer",
		"VK_EXT_robustness2",
		"VK_EXT_provoking_vertex",
		"VK_EXT_line_rasterization",
		"VK_EXT_depth_clip_enable",
		"VK_EXT_depth_clip_control",
		"VK_EXT_custom_border_color",
		"VK_EXT_non_seamless_cube_map",
		"VK_EXT_vertex_attribute_divisor",
		"VK_EXT_primitive_topology_list_restart",
		"VK_KHR_maintenance5",
		"VK_EXT_transform_feedback",
		"VK_EXT_primitives_generated_query",
		"VK_EXT_shader_subgroup_ballot",
		"VK_EXT_shader_subgroup_vote",
		"VK_EXT_image_2d_view_of_3d",
		"VK_EXT_image_sliced_view_of_3d",
		"VK_KHR_shader_clock",
		"VK_EXT_shader_stencil_export",
		"VK_EXT_post_depth_coverage",
		"VK_EXT_shader_atomic_float",
		"VK_EXT_shader_atomic_float2",
		"VK_EXT_conditional_rendering",
		"VK_KHR_shader_subgroup_rotate",
		"VK_KHR_shader_maximal_reconvergence",
		"VK_KHR_shader_float_controls2",
		"VK_EXT_mutable_descriptor_type",
		"VK_KHR_compute_shader_derivatives",
		"VK_EXT_index_type_uint8",
		"VK_EXT_mesh_shader",
		"VK_EXT_depth_range_unrestricted",
		"VK_KHR_maintenance8",
	};
	const uint32_t count = sizeof(names) / sizeof(names[0]);

	(void)physical;
	(void)layer;
	for (uint32_t i = 0; out && i < count; i++)
		snprintf(out[i].extensionName, sizeof(out[i].extensionName), "%s", names[i]);
	*n = count;
	return VK_SUCCESS;
}

void vkGetPhysicalDeviceProperties(VkPhysicalDevice physical, VkPhysicalDeviceProperties *props)
{
	VkPhysicalDeviceLimits *l = &props->limits;

	(void)physical;
	memset(props, 0, sizeof(*props));
	props->apiVersion = VK_API_VERSION_1_3;
	props->deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
	snprintf(props->deviceName, sizeof(props->deviceName), "stub");
	l->maxImageDimension1D = l->maxImageDimension2D = l->maxImageDimensionCube = STUB_MAX_IMAGE;
	l->maxImageDimension3D = 2048;
	l->maxImageArrayLayers = STUB_MAX_LAYERS;
	l->maxUniformBufferRange = 65536;
	l->maxStorageBufferRange = 1u << 27;
	l->minUniformBufferOffsetAlignment = l->minStorageBufferOffsetAlignment = 16;
	l->minTexelBufferOffsetAlignment = 16;
	l->maxTexelBufferElements = 1u << 27;
	l->maxColorAttachments = 8;
	l->maxViewports = 16;
	l->maxVertexInputAttributes = 32;
	l->maxVertexInputBindings = 32;
	l->maxVertexInputBindingStride = 2048;
	l->maxFragmentInputComponents = 128;
	l->framebufferColorSampleCounts = l->framebufferDepthSampleCounts = 5;
	l->framebufferNoAttachmentsSampleCounts = 5;
	l->maxSamplerAnisotropy = 16.0f;
	l->maxSamplerLodBias = 16.0f;
	l->pointSizeRange[0] = l->lineWidthRange[0] = 1.0f;
	l->pointSizeRange[1] = l->lineWidthRange[1] = 255.0f;
	l->timestampPeriod = 1.0f;
	l->maxComputeWorkGroupCount[0] = l->maxComputeWorkGroupCount[1] = STUB_MAX_GROUPS;
	l->maxComputeWorkGroupCount[2] = STUB_MAX_GROUPS;
	l->maxTessellationGenerationLevel = 64;
	l->maxTessellationPatchSize = 32;
	l->maxDrawIndirectCount = UINT32_MAX;
	l->maxPerStageResources = SUNDOG_MAX_SET_DESCRIPTORS;
}

void vkGetPhysicalDeviceProperties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2 *props)
{
	for (VkBaseOutStructure *s = (void *)props; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2) {
			vkGetPhysicalDeviceProperties(physical, &props->properties);
		} else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
			VkPhysicalDeviceDriverProperties *driver = (void *)s;

			snprintf(driver->driverName, sizeof(driver->driverName), "stub");
			driver->driverID = VK_DRIVER_ID_MESA_LLVMPIPE;
		} else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
			((VkPhysicalDeviceVulkan11Properties *)s)
				->maxMultiviewViewCount = STUB_MAX_VIEWS;
		} else if (s->sType ==
			   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT) {
			VkPhysicalDeviceDescriptorBufferPropertiesEXT *d = (void *)s;

			d->descriptorBufferOffsetAlignment = 64;
			d->maxDescriptorBufferBindings = STUB_DESCRIPTOR_BUFFERS;
			d->maxResourceDescriptorBufferBindings = STUB_DESCRIPTOR_BUFFERS;
			d->maxSamplerDescriptorBufferBindings = STUB_DESCRIPTOR_BUFFERS;
			d->robustUniformBufferDescriptorSize = d->uniformBufferDescriptorSize =
				STUB_SET_STRIDE;
			d->robustStorageBufferDescriptorSize = d->storageBufferDescriptorSize =
				STUB_SET_STRIDE;
			d->combinedImageSamplerDescriptorSize = STUB_SET_STRIDE;
			d->samplerDescriptorSize = d->sampledImageDescriptorSize = STUB_SET_STRIDE;
			d->robustUniformTexelBufferDescriptorSize = STUB_SET_STRIDE;
			d->robustStorageTexelBufferDescriptorSize = d->storageImageDescriptorSize =
				STUB_SET_STRIDE;
		} else if (s->sType ==
			   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT) {
			((VkPhysicalDeviceTransformFeedbackPropertiesEXT *)s)
				->maxTransformFeedbackStreams = 4;
		}
	}
}

/* Reports all features, because the renderer must cope with any host. */
void vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2 *features)
{
	static const struct {
		VkStructureType type;
		size_t size;
	} structs[] = {
#define FEATURES(upper, name) \
	{ VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##upper, sizeof(VkPhysicalDevice##name) }
		FEATURES(FEATURES_2, Features2),
		FEATURES(VULKAN_1_1_FEATURES, Vulkan11Features),
		FEATURES(VULKAN_1_2_FEATURES, Vulkan12Features),
		FEATURES(VULKAN_1_3_FEATURES, Vulkan13Features),
		FEATURES(SHADER_OBJECT_FEATURES_EXT, ShaderObjectFeaturesEXT),
		FEATURES(DESCRIPTOR_BUFFER_FEATURES_EXT, DescriptorBufferFeaturesEXT),
		FEATURES(ROBUSTNESS_2_FEATURES_EXT, Robustness2FeaturesEXT),
		FEATURES(PROVOKING_VERTEX_FEATURES_EXT, ProvokingVertexFeaturesEXT),
		FEATURES(LINE_RASTERIZATION_FEATURES_EXT, LineRasterizationFeaturesEXT),
		FEATURES(DEPTH_CLIP_ENABLE_FEATURES_EXT, DepthClipEnableFeaturesEXT),
		FEATURES(DEPTH_CLIP_CONTROL_FEATURES_EXT, DepthClipControlFeaturesEXT),
		FEATURES(CUSTOM_BORDER_COLOR_FEATURES_EXT, CustomBorderColorFeaturesEXT),
		FEATURES(NON_SEAMLESS_CUBE_MAP_FEATURES_EXT, NonSeamlessCubeMapFeaturesEXT),
		FEATURES(VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT, VertexAttributeDivisorFeaturesEXT),
		FEATURES(PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT,
			 PrimitiveTopologyListRestartFeaturesEXT),
		FEATURES(MAINTENANCE_5_FEATURES_KHR, Maintenance5FeaturesKHR),
		FEATURES(TRANSFORM_FEEDBACK_FEATURES_EXT, TransformFeedbackFeaturesEXT),
		FEATURES(PRIMITIVES_GENERATED_QUERY_FEATURES_EXT,
			 PrimitivesGeneratedQueryFeaturesEXT),
		FEATURES(IMAGE_2D_VIEW_OF_3D_FEATURES_EXT, Image2DViewOf3DFeaturesEXT),
		FEATURES(IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT, ImageSlicedViewOf3DFeaturesEXT),
		FEATURES(SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR),
		FEATURES(SHADER_ATOMIC_FLOAT_FEATURES_EXT, ShaderAtomicFloatFeaturesEXT),
		FEATURES(SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, ShaderAtomicFloat2FeaturesEXT),
		FEATURES(CONDITIONAL_RENDERING_FEATURES_EXT, ConditionalRenderingFeaturesEXT),
		FEATURES(INDEX_TYPE_UINT8_FEATURES_EXT, IndexTypeUint8FeaturesEXT),
		FEATURES(SHADER_SUBGROUP_ROTATE_FEATURES_KHR, ShaderSubgroupRotateFeaturesKHR),
		FEATURES(SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR,
			 ShaderMaximalReconvergenceFeaturesKHR),
		FEATURES(SHADER_FLOAT_CONTROLS_2_FEATURES_KHR, ShaderFloatControls2FeaturesKHR),
		FEATURES(MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT, MutableDescriptorTypeFeaturesEXT),
		FEATURES(COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR,
			 ComputeShaderDerivativesFeaturesKHR),
		FEATURES(MESH_SHADER_FEATURES_EXT, MeshShaderFeaturesEXT),
		FEATURES(MAINTENANCE_8_FEATURES_KHR, Maintenance8FeaturesKHR),
#undef FEATURES
	};

	(void)physical;
	for (VkBaseOutStructure *s = (void *)features; s; s = s->pNext)
		for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++)
			for (size_t at = sizeof(*s);
			     s->sType == structs[i].type && at + 4 <= structs[i].size; at += 4)
				memcpy((char *)s + at, &(VkBool32){ VK_TRUE }, 4);
}

void vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical, uint32_t *n,
					      VkQueueFamilyProperties *out)
{
	(void)physical;
	*n = 1;
	*out = (VkQueueFamilyProperties){
		.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, .queueCount = 1,
	};
}

void vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice physical,
					 VkPhysicalDeviceMemoryProperties *out)
{
	(void)physical;
	memset(out, 0, sizeof(*out));
	out->memoryTypeCount = 1;
	out->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

void vkGetPhysicalDeviceFormatProperties(VkPhysicalDevice physical, VkFormat format,
					 VkFormatProperties *out)
{
	const VkFormatFeatureFlags copies = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |
					    VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
	const VkFormatFeatureFlags sampled = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
					     VK_FORMAT_FEATURE_BLIT_SRC_BIT;

	(void)physical;
	*out = (VkFormatProperties){ 0 };
	if (!format_block_size(format))
		return;
	out->optimalTilingFeatures = copies | sampled;
	if (format_number(format) == FORMAT_FLOAT)
		out->optimalTilingFeatures |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
	if (format_aspects(format) != VK_IMAGE_ASPECT_COLOR_BIT) {
		out->optimalTilingFeatures |= VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT |
					      VK_FORMAT_FEATURE_BLIT_DST_BIT;
	} else if (!format_is_compressed(format)) {
		out->optimalTilingFeatures |= VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
					      VK_FORMAT_FEATURE_BLIT_DST_BIT |
					      VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT |
					      VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
		out->bufferFeatures = VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT |
				      VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
		if (format_block_size(format) != 12)
			out->bufferFeatures |= VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
		if (format == VK_FORMAT_R32_UINT)
			out->optimalTilingFeatures |= VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT;
	}
}

VkResult vkGetPhysicalDeviceImageFormatProperties(VkPhysicalDevice physical, VkFormat format,
						  VkImageType type, VkImageTiling tiling,
						  VkImageUsageFlags usage, VkImageCreateFlags flags,
						  VkImageFormatProperties *out)
{
	const bool plain = type == VK_IMAGE_TYPE_2D &&
			   !(flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT);
	VkFormatProperties props;

	/*
	 * With extended usage, the usage flags apply to views, and some view format may support
	 * them.
	 */
	if (flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT)
		usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
	REQUIRE(usage, "VUID-vkGetPhysicalDeviceImageFormatProperties-usage-requiredbitmask");
	(void)tiling;
	vkGetPhysicalDeviceFormatProperties(physical, format, &props);
	if (!props.optimalTilingFeatures ||
	    ((usage & VK_IMAGE_USAGE_STORAGE_BIT) &&
	     !(props.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)) ||
	    ((usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) &&
	     !(props.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT)) ||
	    ((usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) &&
	     !(props.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	*out = (VkImageFormatProperties){
		.maxExtent = type == VK_IMAGE_TYPE_1D ? (VkExtent3D){ STUB_MAX_IMAGE, 1, 1 }
			     : type == VK_IMAGE_TYPE_2D
				     ? (VkExtent3D){ STUB_MAX_IMAGE, STUB_MAX_IMAGE, 1 }
				     : (VkExtent3D){ 2048, 2048, 2048 },
		.maxMipLevels = 15,
		.maxArrayLayers = type == VK_IMAGE_TYPE_3D ? 1 : STUB_MAX_LAYERS,
		.sampleCounts = plain && !format_is_compressed(format) ? 5 : 1,
		.maxResourceSize = 1ull << 40,
	};
	return VK_SUCCESS;
}

VkResult vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
			const VkAllocationCallbacks *a, VkDevice *out)
{
	(void)physical;
	(void)info;
	(void)a;
	*out = (VkDevice)1;
	return VK_SUCCESS;
}

void vkGetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out)
{
	(void)device;
	(void)family;
	(void)index;
	*out = (VkQueue)1;
}

/* Memory */

static void *object_new(size_t size)
{
	void *object = calloc(1, size);

	if (!object)
		abort();
	return object;
}

/* The sanitizer detects uses after free. */
#define OBJECT_FREE(object)				\
	do {						\
		__typeof__(object) gone_ = (object);	\
							\
		gone_->type = 0;			\
		free(gone_);				\
	} while (0)

static VkResult CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
			     const VkAllocationCallbacks *a, VkBuffer *out)
{
	struct stub_buffer *b = object_new(sizeof(*b));

	(void)device;
	(void)a;
	REQUIRE(info->size, "VUID-VkBufferCreateInfo-size-00912");
	REQUIRE(info->usage, "VUID-VkBufferCreateInfo-usage-requiredbitmask");
	*b = (struct stub_buffer){ STUB_BUFFER, info->size, info->usage, NULL };
	*out = (VkBuffer)b;
	return VK_SUCCESS;
}

static void DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *a)
{
	(void)device;
	(void)a;
	if (buffer)
		OBJECT_FREE(STUB_OBJECT(stub_buffer, buffer, STUB_BUFFER));
}

static void GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *out)
{
	(void)device;
	*out = (VkMemoryRequirements){ STUB_OBJECT(stub_buffer, buffer, STUB_BUFFER)->size, 64, 1 };
}

static VkResult AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
			       const VkAllocationCallbacks *a, VkDeviceMemory *out)
{
	struct stub_memory *m = object_new(sizeof(*m));

	(void)device;
	(void)a;
	REQUIRE(info->allocationSize, "VUID-VkMemoryAllocateInfo-allocationSize-07899");
	*m = (struct stub_memory){ .type = STUB_MEMORY, .size = info->allocationSize };
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
		if (s->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) {
			m->at = ((const VkImportMemoryHostPointerInfoEXT *)s)->pHostPointer;
			m->imported = true;
		}
	REQUIRE(!m->imported || (!((uintptr_t)m->at % 4096) && !(m->size % 4096)),
		"VUID-VkImportMemoryHostPointerInfoEXT-pHostPointer-01749");
	if (!m->imported)
		m->at = object_new(m->size);
	*out = (VkDeviceMemory)m;
	return VK_SUCCESS;
}

static void FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *a)
{
	struct stub_memory *m;

	(void)device;
	(void)a;
	if (!memory)
		return;
	m = STUB_OBJECT(stub_memory, memory, STUB_MEMORY);
	if (!m->imported)
		free(m->at);
	OBJECT_FREE(m);
}

static VkResult MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
			  VkDeviceSize size, VkMemoryMapFlags flags, void **out)
{
	(void)device;
	(void)size;
	(void)flags;
	*out = STUB_OBJECT(stub_memory, memory, STUB_MEMORY)->at + offset;
	return VK_SUCCESS;
}

static VkResult BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
				 VkDeviceSize offset)
{
	struct stub_buffer *b = STUB_OBJECT(stub_buffer, buffer, STUB_BUFFER);
	const struct stub_memory *m = STUB_OBJECT(stub_memory, memory, STUB_MEMORY);

	(void)device;
	REQUIRE(!b->at, "VUID-vkBindBufferMemory-buffer-07459");
	REQUIRE(offset % 64 == 0 && offset <= m->size && b->size <= m->size - offset,
		"VUID-vkBindBufferMemory-size-01037");
	b->at = m->at + offset;
	return VK_SUCCESS;
}

static VkDeviceAddress GetBufferDeviceAddress(VkDevice device,
					      const VkBufferDeviceAddressInfo *info)
{
	const struct stub_buffer *b = STUB_OBJECT(stub_buffer, info->buffer, STUB_BUFFER);

	(void)device;
	REQUIRE(b->at && b->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
		"VUID-VkBufferDeviceAddressInfo-buffer-02601");
	return (VkDeviceAddress)b->at;
}

static VkResult GetMemoryHostPointerPropertiesEXT(VkDevice device,
						  VkExternalMemoryHandleTypeFlagBits type,
						  const void *pointer,
						  VkMemoryHostPointerPropertiesEXT *out)
{
	(void)device;
	(void)type;
	(void)pointer;
	out->memoryTypeBits = 1;
	return VK_SUCCESS;
}

/* Images */

static uint32_t max3(uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t ab = a > b ? a : b;

	return ab > c ? ab : c;
}

static VkDeviceSize image_size(const VkImageCreateInfo *info)
{
	const VkExtent3D block = format_block_extent(info->format);
	VkDeviceSize size = 0;

	for (uint32_t i = 0; i < info->mipLevels; i++) {
		const VkDeviceSize x = (format_minify(info->extent.width, i) + block.width - 1) /
				       block.width;
		const VkDeviceSize y = (format_minify(info->extent.height, i) + block.height - 1) /
				       block.height;

		size += x * y * format_minify(info->extent.depth, i) * info->arrayLayers *
			info->samples * format_block_size(info->format);
	}
	return (size + STUB_IMAGE_ALIGN - 1) / STUB_IMAGE_ALIGN * STUB_IMAGE_ALIGN;
}

/* Returns the size of an image with an explicit layout. */
static VkDeviceSize explicit_size(const VkImageCreateInfo *info)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
		if (s->sType ==
		    VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT) {
			const VkSubresourceLayout
				*plane = ((const VkImageDrmFormatModifierExplicitCreateInfoEXT *)s)
						 ->pPlaneLayouts;

			return plane->offset + (info->arrayLayers - 1) * plane->arrayPitch +
			       (info->extent.height - 1) * plane->rowPitch +
			       (VkDeviceSize)info->extent.width * format_block_size(info->format);
		}
	return 0;
}

/* Returns the bytes of the table of residency of an image of @size bytes. */
static VkDeviceSize table_size(const VkImageCreateInfo *info, VkDeviceSize size)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
		if (s->sType == LVP_STRUCTURE_TYPE_IMAGE_ROWS_CREATE_INFO &&
		    ((const struct lvp_image_rows_create_info *)s)->residencyTable)
			return (size + LVP_IMAGE_ROWS_ALIGNMENT * 32 - 1) /
			       (LVP_IMAGE_ROWS_ALIGNMENT * 32) * 4;
	return 0;
}

static VkResult CreateImage(VkDevice device, const VkImageCreateInfo *info,
			    const VkAllocationCallbacks *a, VkImage *out)
{
	const VkExtent3D e = info->extent;
	struct stub_image *image = object_new(sizeof(*image));
	VkImageFormatProperties limits;

	(void)device;
	(void)a;
	REQUIRE(vkGetPhysicalDeviceImageFormatProperties(NULL, info->format, info->imageType,
							 info->tiling, info->usage, info->flags,
							 &limits) == VK_SUCCESS,
		"VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251");
	REQUIRE(e.width && e.height && e.depth, "VUID-VkImageCreateInfo-extent-00944");
	REQUIRE(e.width <= limits.maxExtent.width && e.height <= limits.maxExtent.height &&
		e.depth <= limits.maxExtent.depth, "VUID-VkImageCreateInfo-extent-02252");
	REQUIRE(info->mipLevels &&
			!(max3(e.width, e.height, e.depth) >> (info->mipLevels - 1) == 0),
		"VUID-VkImageCreateInfo-mipLevels-00958");
	REQUIRE(info->arrayLayers && info->arrayLayers <= limits.maxArrayLayers,
		"VUID-VkImageCreateInfo-arrayLayers-02256");
	REQUIRE(info->samples && info->samples & limits.sampleCounts &&
			!(info->samples & (info->samples - 1)),
		"VUID-VkImageCreateInfo-samples-02258");
	REQUIRE(info->samples == 1 ||
			(info->imageType == VK_IMAGE_TYPE_2D && info->mipLevels == 1 &&
			 !(info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)),
		"VUID-VkImageCreateInfo-samples-02257");
	REQUIRE(!(info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) ||
			(info->imageType == VK_IMAGE_TYPE_2D && e.width == e.height &&
			 info->arrayLayers >= 6),
		"VUID-VkImageCreateInfo-imageType-00954");
	REQUIRE(!(info->flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT) ||
			info->imageType == VK_IMAGE_TYPE_3D,
		"VUID-VkImageCreateInfo-flags-00950");
	*image = (struct stub_image){ .type = STUB_IMAGE,
				      .info = *info,
				      .size = explicit_size(info) };
	image->info.pNext = NULL;
	if (!image->size)
		image->size = image_size(info);
	image->table = table_size(info, image->size);
	*out = (VkImage)image;
	return VK_SUCCESS;
}

static void DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *a)
{
	(void)device;
	(void)a;
	if (image)
		OBJECT_FREE(STUB_OBJECT(stub_image, image, STUB_IMAGE));
}

static void GetImageMemoryRequirements(VkDevice device, VkImage image, VkMemoryRequirements *out)
{
	(void)device;
	*out = (VkMemoryRequirements){ STUB_OBJECT(stub_image, image, STUB_IMAGE)->size,
				       STUB_IMAGE_ALIGN, 1 };
}

static VkResult BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
				VkDeviceSize offset)
{
	struct stub_image *i = STUB_OBJECT(stub_image, image, STUB_IMAGE);
	const struct stub_memory *m = STUB_OBJECT(stub_memory, memory, STUB_MEMORY);

	(void)device;
	REQUIRE(!i->bound, "VUID-vkBindImageMemory-image-07460");
	REQUIRE(offset % STUB_IMAGE_ALIGN == 0, "VUID-vkBindImageMemory-memoryOffset-01048");
	REQUIRE(offset <= m->size && i->size <= m->size - offset,
		"VUID-vkBindImageMemory-size-01049");
	REQUIRE(i->table <= offset, "the table of residency begins in the memory of the image");
	i->bound = true;
	return VK_SUCCESS;
}

static bool view_type_fits(const struct stub_image *image, const VkImageViewCreateInfo *info)
{
	const VkImageCreateFlags flags = image->info.flags;
	const VkImageSubresourceRange *r = &info->subresourceRange;

	switch (info->viewType) {
	case VK_IMAGE_VIEW_TYPE_1D:
		return image->info.imageType == VK_IMAGE_TYPE_1D && r->layerCount == 1;
	case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
		return image->info.imageType == VK_IMAGE_TYPE_1D;
	case VK_IMAGE_VIEW_TYPE_2D:
		if (r->layerCount != 1)
			return false;
		/* fallthrough */
	case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
		return image->info.imageType == VK_IMAGE_TYPE_2D ||
		       (image->info.imageType == VK_IMAGE_TYPE_3D && r->levelCount == 1 &&
			flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT);
	case VK_IMAGE_VIEW_TYPE_3D:
		return image->info.imageType == VK_IMAGE_TYPE_3D && r->layerCount == 1 &&
		       !r->baseArrayLayer;
	case VK_IMAGE_VIEW_TYPE_CUBE:
		return flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT && r->layerCount == 6;
	case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
		return flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT && r->layerCount % 6 == 0;
	default:
		return false;
	}
}

/*
 * Returns true if views of slices of 3D images for shaders are valid (VK_EXT_image_2d_view_of_3d,
 * VK_EXT_image_sliced_view_of_3d).
 */
static bool slices_fit(const struct stub_image *image, const VkImageViewCreateInfo *info,
		       VkImageUsageFlags usage)
{
	const VkImageUsageFlags shaders = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
	const uint32_t depth = format_minify(image->info.extent.depth,
					     info->subresourceRange.baseMipLevel);

	if (image->info.imageType == VK_IMAGE_TYPE_3D && info->viewType != VK_IMAGE_VIEW_TYPE_3D &&
	    usage & shaders)
		return info->viewType == VK_IMAGE_VIEW_TYPE_2D &&
		       image->info.flags & VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
		if (s->sType == VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT) {
			const VkImageViewSlicedCreateInfoEXT
				*slices = (const VkImageViewSlicedCreateInfoEXT *)s;

			return info->viewType == VK_IMAGE_VIEW_TYPE_3D &&
			       usage == VK_IMAGE_USAGE_STORAGE_BIT &&
			       info->subresourceRange.levelCount == 1 && slices->sliceCount &&
			       slices->sliceOffset < depth &&
			       slices->sliceCount <= depth - slices->sliceOffset;
		}
	return true;
}

static VkResult CreateImageView(VkDevice device, const VkImageViewCreateInfo *info,
				const VkAllocationCallbacks *a, VkImageView *out)
{
	const struct stub_image *image = STUB_OBJECT(stub_image, info->image, STUB_IMAGE);
	const VkImageSubresourceRange *r = &info->subresourceRange;
	struct stub_view *view = object_new(sizeof(*view));
	uint32_t layers = image->info.arrayLayers;

	(void)device;
	(void)a;
	REQUIRE(image->bound, "VUID-VkImageViewCreateInfo-image-01020");
	REQUIRE(view_type_fits(image, info), "VUID-VkImageViewCreateInfo-subResourceRange-01021");
	REQUIRE(r->levelCount && r->baseMipLevel < image->info.mipLevels &&
		r->levelCount <= image->info.mipLevels - r->baseMipLevel,
		"VUID-VkImageViewCreateInfo-subresourceRange-01718");
	if (image->info.imageType == VK_IMAGE_TYPE_3D && info->viewType != VK_IMAGE_VIEW_TYPE_3D)
		layers = format_minify(image->info.extent.depth, r->baseMipLevel);
	REQUIRE(r->layerCount && r->baseArrayLayer < layers &&
			r->layerCount <= layers - r->baseArrayLayer,
		"VUID-VkImageViewCreateInfo-image-06725");
	REQUIRE(r->aspectMask && !(r->aspectMask & ~format_aspects(image->info.format)),
		"VUID-VkImageSubresourceRange-aspectMask-requiredbitmask");
	REQUIRE(info->format == image->info.format ||
			image->info.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
		"VUID-VkImageViewCreateInfo-image-01762");
	REQUIRE(format_block_size(info->format) == format_block_size(image->info.format) &&
		format_is_compressed(info->format) == format_is_compressed(image->info.format),
		"VUID-VkImageViewCreateInfo-image-01761");
	*view = (struct stub_view){ STUB_VIEW, image, *info, image->info.usage };
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
		if (s->sType == VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO)
			view->usage = ((const VkImageViewUsageCreateInfo *)s)->usage;
	REQUIRE(view->usage && !(view->usage & ~image->info.usage),
		"VUID-VkImageViewCreateInfo-pNext-02662");
	REQUIRE(slices_fit(image, info, view->usage),
		"VUID-VkImageViewSlicedCreateInfoEXT-sliceOffset-07868");
	REQUIRE(!(view->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) ||
			!format_is_compressed(info->format),
		"VUID-VkImageViewCreateInfo-usage-08932");
	*out = (VkImageView)view;
	return VK_SUCCESS;
}

static void DestroyImageView(VkDevice device, VkImageView view, const VkAllocationCallbacks *a)
{
	(void)device;
	(void)a;
	if (view)
		OBJECT_FREE(STUB_OBJECT(stub_view, view, STUB_VIEW));
}

/* Samplers, shaders, descriptors */

static VkSamplerReductionMode reduction_mode(const VkSamplerCreateInfo *info)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
		if (s->sType == VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO)
			return ((const VkSamplerReductionModeCreateInfo *)s)->reductionMode;
	return VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
}

static VkResult CreateSampler(VkDevice device, const VkSamplerCreateInfo *info,
			      const VkAllocationCallbacks *a, VkSampler *out)
{
	enum stub_type *sampler = object_new(sizeof(*sampler));

	(void)device;
	(void)a;
	REQUIRE(!info->compareEnable ||
			reduction_mode(info) == VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE,
		"VUID-VkSamplerCreateInfo-compareEnable-01423");
	REQUIRE(info->maxLod >= info->minLod, "VUID-VkSamplerCreateInfo-maxLod-01973");
	REQUIRE(info->mipLodBias >= -16.0f && info->mipLodBias <= 16.0f,
		"VUID-VkSamplerCreateInfo-mipLodBias-01069");
	REQUIRE(!info->anisotropyEnable ||
			(info->maxAnisotropy >= 1.0f && info->maxAnisotropy <= 16.0f),
		"VUID-VkSamplerCreateInfo-anisotropyEnable-01071");
	REQUIRE(!info->unnormalizedCoordinates ||
		(info->minFilter == info->magFilter && !info->mipmapMode && info->minLod == 0.0f &&
		 info->maxLod == 0.0f && !info->anisotropyEnable && !info->compareEnable),
		"VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01072");
	*sampler = STUB_SAMPLER;
	*out = (VkSampler)sampler;
	return VK_SUCCESS;
}

static void DestroySampler(VkDevice device, VkSampler sampler, const VkAllocationCallbacks *a)
{
	enum stub_type *s = (enum stub_type *)sampler;

	(void)device;
	(void)a;
	REQUIRE(!s || *s == STUB_SAMPLER, "must be a valid handle");
	free(s);
}

/* Returns the number of types that elements of mutable binding @i may have. */
static uint32_t count_types(const VkDescriptorSetLayoutCreateInfo *info, uint32_t i)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		const VkMutableDescriptorTypeCreateInfoEXT *types = (const void *)s;

		if (s->sType == VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT &&
		    i < types->mutableDescriptorTypeListCount)
			return types->pMutableDescriptorTypeLists[i].descriptorTypeCount;
	}
	return 0;
}

static VkResult CreateDescriptorSetLayout(VkDevice device,
					  const VkDescriptorSetLayoutCreateInfo *info,
					  const VkAllocationCallbacks *a,
					  VkDescriptorSetLayout *out)
{
	const size_t bindings = info->bindingCount * sizeof(info->pBindings[0]);
	struct stub_set_layout *layout = object_new(sizeof(*layout) + bindings);

	(void)device;
	(void)a;
	for (uint32_t i = 0; i < info->bindingCount; i++)
		for (uint32_t j = 0; j < i; j++)
			REQUIRE(info->pBindings[i].binding != info->pBindings[j].binding,
				"VUID-VkDescriptorSetLayoutCreateInfo-binding-00279");
	for (uint32_t i = 0; i < info->bindingCount; i++)
		REQUIRE(!count_types(info, i) == (info->pBindings[i].descriptorType !=
						  VK_DESCRIPTOR_TYPE_MUTABLE_EXT),
			"VUID-VkMutableDescriptorTypeListEXT-descriptorTypeCount-04597");
	*layout = (struct stub_set_layout){ STUB_SET_LAYOUT, info->bindingCount };
	memcpy(layout->bindings, info->pBindings, bindings);
	*out = (VkDescriptorSetLayout)layout;
	return VK_SUCCESS;
}

static void DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
				       const VkAllocationCallbacks *a)
{
	(void)device;
	(void)a;
	if (layout)
		OBJECT_FREE(STUB_OBJECT(stub_set_layout, layout, STUB_SET_LAYOUT));
}

static void take_sets(struct stub_layout *layout, uint32_t n, const VkDescriptorSetLayout *sets)
{
	REQUIRE(n <= STUB_MAX_SETS, "VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286");
	layout->n_sets = n;
	for (uint32_t i = 0; i < n; i++)
		layout->sets[i] = STUB_OBJECT(stub_set_layout, sets[i], STUB_SET_LAYOUT);
}

static VkResult CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo *info,
				     const VkAllocationCallbacks *a, VkPipelineLayout *out)
{
	struct stub_layout *layout = object_new(sizeof(*layout));

	(void)device;
	(void)a;
	layout->type = STUB_LAYOUT;
	take_sets(layout, info->setLayoutCount, info->pSetLayouts);
	*out = (VkPipelineLayout)layout;
	return VK_SUCCESS;
}

static void DestroyPipelineLayout(VkDevice device, VkPipelineLayout layout,
				  const VkAllocationCallbacks *a)
{
	(void)device;
	(void)a;
	if (layout)
		OBJECT_FREE(STUB_OBJECT(stub_layout, layout, STUB_LAYOUT));
}

VkDeviceSize stub_set_size(const struct stub_set_layout *layout)
{
	VkDeviceSize size = 0;

	for (uint32_t i = 0; i < layout->n_bindings; i++)
		size += layout->bindings[i].descriptorCount * (VkDeviceSize)STUB_SET_STRIDE;
	return size;
}

static VkResult CreateShadersEXT(VkDevice device, uint32_t n, const VkShaderCreateInfoEXT *infos,
				 const VkAllocationCallbacks *a, VkShaderEXT *out)
{
	(void)device;
	(void)a;
	for (uint32_t i = 0; i < n; i++) {
		struct stub_shader *shader = object_new(sizeof(*shader));
		const uint32_t *code = infos[i].pCode;

		REQUIRE(infos[i].codeSize && infos[i].codeSize % 4 == 0,
			"VUID-VkShaderCreateInfoEXT-codeSize-08735");
		*shader = (struct stub_shader){
			.type = STUB_SHADER, .stage = infos[i].stage, .flags = infos[i].flags,
		};
		take_sets(&shader->layout, infos[i].setLayoutCount, infos[i].pSetLayouts);
		if (!*code) {
			shader->vertices = code[1];
			shader->sets = code[3];
			shader->layer = code[4] & 1;
			shader->primitive_id = code[4] & 2;
			shader->front_facing = code[4] & 4;
		}
		out[i] = (VkShaderEXT)shader;
	}
	return VK_SUCCESS;
}

static void DestroyShaderEXT(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks *a)
{
	(void)device;
	(void)a;
	if (shader)
		OBJECT_FREE(STUB_OBJECT(stub_shader, shader, STUB_SHADER));
}

static void GetDescriptorSetLayoutBindingOffsetEXT(VkDevice device, VkDescriptorSetLayout layout,
						   uint32_t binding, VkDeviceSize *out)
{
	const struct stub_set_layout *l = STUB_OBJECT(stub_set_layout, layout, STUB_SET_LAYOUT);
	VkDeviceSize size = 0;
	uint32_t i;

	(void)device;
	for (i = 0; i < l->n_bindings && l->bindings[i].binding != binding; i++)
		size += l->bindings[i].descriptorCount * (VkDeviceSize)STUB_SET_STRIDE;
	REQUIRE(i < l->n_bindings, "the layout has the binding");
	*out = size;
}

static void GetDescriptorSetLayoutSizeEXT(VkDevice device, VkDescriptorSetLayout layout,
					  VkDeviceSize *out)
{
	(void)device;
	*out = stub_set_size(STUB_OBJECT(stub_set_layout, layout, STUB_SET_LAYOUT));
}

static void texel_range(const VkDescriptorAddressInfoEXT *range, VkFormatFeatureFlags feature)
{
	VkFormatProperties props;

	vkGetPhysicalDeviceFormatProperties(NULL, range->format, &props);
	REQUIRE(props.bufferFeatures & feature, "VUID-VkDescriptorGetInfoEXT-type-12217");
	REQUIRE(range->range && range->range % format_block_size(range->format) == 0 &&
			range->range / format_block_size(range->format) <= 1u << 27,
		"VUID-VkBufferViewCreateInfo-range-00930");
	REQUIRE(range->range <= INT32_MAX, "lavapipe counts bytes of texels in int");
	REQUIRE(range->address % 16 == 0, "VUID-VkBufferViewCreateInfo-offset-02749");
	stub_touch((const void *)range->address, range->range);
}

static void storage_image(const VkDescriptorImageInfo *info)
{
	const struct stub_view *view;
	VkFormatProperties props;

	if (!info->imageView)
		return;
	view = STUB_OBJECT(stub_view, info->imageView, STUB_VIEW);
	vkGetPhysicalDeviceFormatProperties(NULL, view->info.format, &props);
	REQUIRE(view->usage & VK_IMAGE_USAGE_STORAGE_BIT,
		"VUID-VkWriteDescriptorSet-descriptorType-00339");
	REQUIRE(props.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT,
		"VUID-VkImageViewCreateInfo-usage-02275");
	REQUIRE(view->info.subresourceRange.levelCount == 1, "storage images are one level");
	REQUIRE(view->image->info.imageType != VK_IMAGE_TYPE_3D ||
			view->info.viewType == VK_IMAGE_VIEW_TYPE_3D ||
			(view->info.viewType == VK_IMAGE_VIEW_TYPE_2D &&
			 view->image->info.flags & VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT),
		"VUID-VkDescriptorImageInfo-imageView-06711");
	REQUIRE(view->info.components.r == VK_COMPONENT_SWIZZLE_IDENTITY ||
			view->info.components.r == VK_COMPONENT_SWIZZLE_R,
		"VUID-VkWriteDescriptorSet-descriptorType-00336");
}

static void sampler_alive(VkSampler sampler)
{
	REQUIRE(*(enum stub_type *)sampler == STUB_SAMPLER, "must be a valid handle");
}

static void sampled_image(const VkDescriptorImageInfo *info)
{
	const struct stub_view *view;
	VkImageAspectFlags aspects;

	if (!info->imageView)
		return;
	view = STUB_OBJECT(stub_view, info->imageView, STUB_VIEW);
	aspects = view->info.subresourceRange.aspectMask;
	REQUIRE(view->usage & VK_IMAGE_USAGE_SAMPLED_BIT, "VUID-VkDescriptorGetInfoEXT-type-02713");
	REQUIRE(!(aspects & (aspects - 1)), "VUID-VkDescriptorImageInfo-imageView-01976");
}

static void GetDescriptorEXT(VkDevice device, const VkDescriptorGetInfoEXT *info, size_t size,
			     void *out)
{
	(void)device;
	REQUIRE(size == STUB_SET_STRIDE, "VUID-vkGetDescriptorEXT-dataSize-08125");
	if (info->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
		sampler_alive(info->data.pCombinedImageSampler->sampler);
		sampled_image(info->data.pCombinedImageSampler);
	} else if (info->type == VK_DESCRIPTOR_TYPE_SAMPLER) {
		sampler_alive(*info->data.pSampler);
	} else if (info->type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE) {
		sampled_image(info->data.pSampledImage);
	} else if (info->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) {
		storage_image(info->data.pStorageImage);
	} else if (info->type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER) {
		const VkDescriptorAddressInfoEXT *range = info->data.pUniformTexelBuffer;

		if (range)
			texel_range(range, VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT);
	} else if (info->type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER) {
		const VkDescriptorAddressInfoEXT *range = info->data.pStorageTexelBuffer;

		if (range)
			texel_range(range, VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT);
	} else if (info->data.pUniformBuffer) {
		const VkDescriptorAddressInfoEXT *range = info->data.pUniformBuffer;

		REQUIRE(range->range &&
				range->range <= (info->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
							 ? 65536
							 : 1u << 27),
			"VUID-VkDescriptorAddressInfoEXT-range-08045");
		REQUIRE(range->address % 16 == 0, "VUID-VkDescriptorGetInfoEXT-None-12204");
		stub_touch((const void *)range->address, range->range);
	}
	memset(out, 0, size);
}

/* Command pools and buffers; stub-commands.c records the commands */

static VkResult CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info,
				  const VkAllocationCallbacks *a, VkCommandPool *out)
{
	struct stub_pool *pool = object_new(sizeof(*pool));

	(void)device;
	(void)info;
	(void)a;
	pool->type = STUB_POOL;
	*out = (VkCommandPool)pool;
	return VK_SUCCESS;
}

static VkResult AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *info,
				       VkCommandBuffer *out)
{
	struct stub_pool *pool = STUB_OBJECT(stub_pool, info->commandPool, STUB_POOL);

	(void)device;
	for (uint32_t i = 0; i < info->commandBufferCount; i++) {
		REQUIRE(pool->n_commands < 2, "the stub's pools are small");
		pool->commands[pool->n_commands] = (struct stub_commands){
			.type = STUB_COMMANDS,
			.secondary = info->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY,
		};
		out[i] = (VkCommandBuffer)&pool->commands[pool->n_commands++];
	}
	return VK_SUCCESS;
}

static VkResult ResetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
	struct stub_pool *p = STUB_OBJECT(stub_pool, pool, STUB_POOL);

	(void)device;
	(void)flags;
	for (uint32_t i = 0; i < p->n_commands; i++)
		p->commands[i] = (struct stub_commands){ .type = STUB_COMMANDS,
							 .secondary = p->commands[i].secondary };
	return VK_SUCCESS;
}

static VkResult CreateEvent(VkDevice device, const VkEventCreateInfo *info,
			    const VkAllocationCallbacks *a, VkEvent *out)
{
	struct stub_event *event = object_new(sizeof(*event));

	(void)device;
	(void)info;
	(void)a;
	event->type = STUB_EVENT;
	*out = (VkEvent)event;
	return VK_SUCCESS;
}

static VkResult GetEventStatus(VkDevice device, VkEvent event)
{
	(void)device;
	return STUB_OBJECT(stub_event, event, STUB_EVENT)->set ? VK_EVENT_SET : VK_EVENT_RESET;
}

static VkResult ResetEvent(VkDevice device, VkEvent event)
{
	(void)device;
	STUB_OBJECT(stub_event, event, STUB_EVENT)->set = false;
	return VK_SUCCESS;
}

static uint32_t result_words(const VkQueryPoolCreateInfo *info)
{
	if (info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
		return __builtin_popcount(info->pipelineStatistics);
	return info->queryType == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT ? 2 : 1;
}

static VkResult CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *info,
				const VkAllocationCallbacks *a, VkQueryPool *out)
{
	struct stub_queries *q;

	(void)device;
	(void)a;
	REQUIRE(info->queryCount, "VUID-VkQueryPoolCreateInfo-queryCount-02763");
	REQUIRE(info->queryType != VK_QUERY_TYPE_PIPELINE_STATISTICS || info->pipelineStatistics,
		"VUID-VkQueryPoolCreateInfo-queryType-09534");
	q = object_new(sizeof(*q) + info->queryCount * sizeof(q->queries[0]));
	q->type = STUB_QUERIES;
	q->query_type = info->queryType;
	q->count = info->queryCount;
	q->words = result_words(info);
	*out = (VkQueryPool)q;
	return VK_SUCCESS;
}

static void DestroyQueryPool(VkDevice device, VkQueryPool pool, const VkAllocationCallbacks *a)
{
	(void)device;
	(void)a;
	OBJECT_FREE(STUB_OBJECT(stub_queries, pool, STUB_QUERIES));
}

static VkResult CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
				const VkAllocationCallbacks *a, VkSemaphore *out)
{
	(void)device;
	(void)info;
	(void)a;
	*out = (VkSemaphore)1;
	return VK_SUCCESS;
}

/* A worker uses one timeline semaphore only. */
static VkResult QueueSubmit2(VkQueue queue, uint32_t n, const VkSubmitInfo2 *submits, VkFence fence)
{
	(void)queue;
	(void)fence;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < submits[i].commandBufferInfoCount; j++) {
			const struct stub_commands *c = STUB_OBJECT(stub_commands,
				submits[i].pCommandBufferInfos[j].commandBuffer, STUB_COMMANDS);

			REQUIRE(!c->recording, "VUID-vkQueueSubmit2-commandBuffer-03874");
		}
		pthread_mutex_lock(&timeline_lock);
		timeline = submits[i].pSignalSemaphoreInfos[0].value;
		pthread_cond_broadcast(&timeline_moved);
		pthread_mutex_unlock(&timeline_lock);
	}
	return VK_SUCCESS;
}

static VkResult QueueSubmit(VkQueue queue, uint32_t n, const VkSubmitInfo *submits, VkFence fence)
{
	(void)queue;
	(void)n;
	(void)submits;
	(void)fence;
	return VK_SUCCESS;
}

static VkResult QueueWaitIdle(VkQueue queue)
{
	(void)queue;
	return VK_SUCCESS;
}

static VkResult WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
	(void)device;
	(void)timeout;
	pthread_mutex_lock(&timeline_lock);
	while (timeline < info->pValues[0])
		pthread_cond_wait(&timeline_moved, &timeline_lock);
	pthread_mutex_unlock(&timeline_lock);
	return VK_SUCCESS;
}

PFN_vkVoidFunction vkGetDeviceProcAddr(VkDevice device, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} functions[] = {
#define FUNCTION(name) { "vk" #name, (PFN_vkVoidFunction)name }
		FUNCTION(AllocateCommandBuffers),
		FUNCTION(AllocateMemory),
		FUNCTION(BindBufferMemory),
		FUNCTION(BindImageMemory),
		FUNCTION(CreateBuffer),
		FUNCTION(CreateCommandPool),
		FUNCTION(CreateDescriptorSetLayout),
		FUNCTION(CreateEvent),
		FUNCTION(CreateImage),
		FUNCTION(CreateImageView),
		FUNCTION(CreatePipelineLayout),
		FUNCTION(CreateQueryPool),
		FUNCTION(CreateSampler),
		FUNCTION(CreateSemaphore),
		FUNCTION(CreateShadersEXT),
		FUNCTION(DestroyBuffer),
		FUNCTION(DestroyDescriptorSetLayout),
		FUNCTION(DestroyImage),
		FUNCTION(DestroyImageView),
		FUNCTION(DestroyPipelineLayout),
		FUNCTION(DestroyQueryPool),
		FUNCTION(DestroySampler),
		FUNCTION(DestroyShaderEXT),
		FUNCTION(FreeMemory),
		FUNCTION(GetBufferDeviceAddress),
		FUNCTION(GetBufferMemoryRequirements),
		FUNCTION(GetDescriptorEXT),
		FUNCTION(GetEventStatus),
		FUNCTION(ResetEvent),
		FUNCTION(GetDescriptorSetLayoutBindingOffsetEXT),
		FUNCTION(GetDescriptorSetLayoutSizeEXT),
		FUNCTION(GetImageMemoryRequirements),
		FUNCTION(GetMemoryHostPointerPropertiesEXT),
		FUNCTION(MapMemory),
		FUNCTION(QueueSubmit),
		FUNCTION(QueueSubmit2),
		FUNCTION(QueueWaitIdle),
		FUNCTION(ResetCommandPool),
		FUNCTION(WaitSemaphores),
#undef FUNCTION
	};

	(void)device;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return stub_command(name);
}
