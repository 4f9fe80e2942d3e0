// SPDX-License-Identifier: MIT
/*
 * Fills the capability block from the host's features, limits and formats, see caps.h. The worker
 * calls caps_init() once at startup.
 */
#include "exec/caps.h"

#include <stdio.h>

#include "exec/exec.h"
#include "exec/image_layout.h"
#include "host/format.h"

static uint32_t format_features(const struct vk *vk, VkFormat format)
{
	static const struct {
		VkFormatFeatureFlags vk;
		uint32_t feature;
	} optimal[] = {
		{ VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, SUNDOG_FORMAT_FEATURE_SAMPLED },
		{ VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT, SUNDOG_FORMAT_FEATURE_FILTER },
		{ VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, SUNDOG_FORMAT_FEATURE_COLOR },
		{ VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT, SUNDOG_FORMAT_FEATURE_BLEND },
		{ VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
		  SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL },
		{ VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, SUNDOG_FORMAT_FEATURE_STORAGE },
		{ VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT, SUNDOG_FORMAT_FEATURE_ATOMIC },
		{ VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT,
		  SUNDOG_FORMAT_FEATURE_BLIT },
		{ VK_FORMAT_FEATURE_BLIT_SRC_BIT, SUNDOG_FORMAT_FEATURE_BLIT_SRC },
	};
	VkFormatProperties props;
	uint32_t features = 0;

	vkGetPhysicalDeviceFormatProperties(vk->physical, format, &props);
	for (size_t i = 0; i < sizeof(optimal) / sizeof(optimal[0]); i++)
		if ((props.optimalTilingFeatures & optimal[i].vk) == optimal[i].vk)
			features |= optimal[i].feature;
	if (props.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT)
		features |= SUNDOG_FORMAT_FEATURE_VERTEX;
	if (props.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT)
		features |= SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER;
	if (props.bufferFeatures & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT)
		features |= SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER;
	return features;
}

uint32_t caps_format(const struct exec *x, VkFormat format)
{
	const uint32_t number = format_in_stream(format);

	return number < SUNDOG_NUM_FORMATS ? x->caps.formats[number] : 0;
}

#define AT_MOST(value, limit) ((value) < (limit) ? (value) : (limit))

static void fill_compute_limits(struct exec *x)
{
	const VkPhysicalDeviceLimits *l = &x->vk.props.limits;
	struct sundog_caps *c = &x->caps;

	for (int i = 0; i < 3; i++) {
		c->max_group_count[i] = l->maxComputeWorkGroupCount[i];
		c->max_group_size[i] = l->maxComputeWorkGroupSize[i];
	}
	c->max_group_invocations = l->maxComputeWorkGroupInvocations;
	c->max_shared_memory = l->maxComputeSharedMemorySize;
}

static void fill_tessellation_limits(struct exec *x)
{
	const VkPhysicalDeviceLimits *l = &x->vk.props.limits;

	x->caps.max_tess_level = l->maxTessellationGenerationLevel;
	x->caps.max_patch_vertices = AT_MOST(l->maxTessellationPatchSize,
					     SUNDOG_MAX_PATCH_VERTICES);
}

static void fill_limits(struct exec *x)
{
	const VkPhysicalDeviceLimits *l = &x->vk.props.limits;
	struct sundog_caps *c = &x->caps;

	c->max_image_1d = l->maxImageDimension1D;
	c->max_image_2d = AT_MOST(l->maxImageDimension2D, 16384);
	/* Slices of 3D images are layers of 2D views. */
	c->max_image_3d = AT_MOST(l->maxImageDimension3D, 2048);
	c->max_image_cube = AT_MOST(l->maxImageDimensionCube, 16384);
	c->max_image_layers = AT_MOST(l->maxImageArrayLayers, 2048);
	c->max_ubo_range = l->maxUniformBufferRange;
	c->max_ssbo_range = l->maxStorageBufferRange;
	c->min_ubo_align = l->minUniformBufferOffsetAlignment;
	c->min_ssbo_align = l->minStorageBufferOffsetAlignment;
	c->min_texel_align = l->minTexelBufferOffsetAlignment;
	c->max_texel_elements = l->maxTexelBufferElements;
	c->max_color_attachments = AT_MOST(l->maxColorAttachments, SUNDOG_MAX_COLOR_ATTACHMENTS);
	c->max_viewports = x->vk.features.multiViewport
				   ? AT_MOST(l->maxViewports, SUNDOG_MAX_VIEWPORTS)
				   : 1;
	c->max_vertex_attributes = AT_MOST(l->maxVertexInputAttributes,
					   SUNDOG_MAX_VERTEX_ATTRIBUTES);
	c->max_vertex_buffers = AT_MOST(l->maxVertexInputBindings, SUNDOG_MAX_VERTEX_BUFFERS);
	c->max_vertex_stride = vk_has_quirk(&x->vk, QUIRK_ANY_STRIDE)
				       ? 0xffff
				       : AT_MOST(l->maxVertexInputBindingStride, 0xffff);
	c->max_buffer = x->vk.max_buffer <= UINT32_MAX ? x->vk.max_buffer : 0;
	c->max_varyings = AT_MOST(l->maxFragmentInputComponents / 4, 32);
	c->sample_counts = l->framebufferColorSampleCounts & l->framebufferDepthSampleCounts &
			   l->framebufferNoAttachmentsSampleCounts;
	c->max_anisotropy = x->vk.features.samplerAnisotropy ? l->maxSamplerAnisotropy : 1.0f;
	c->max_lod_bias = l->maxSamplerLodBias;
	c->point_size_min = x->vk.features.largePoints ? l->pointSizeRange[0] : 1.0f;
	c->point_size_max = x->vk.features.largePoints ? l->pointSizeRange[1] : 1.0f;
	c->line_width_min = x->vk.features.wideLines ? l->lineWidthRange[0] : 1.0f;
	c->line_width_max = x->vk.features.wideLines ? l->lineWidthRange[1] : 1.0f;
	c->timestamp_period = l->timestampPeriod;
	c->subgroup_size = x->vk.subgroups ? x->vk.properties11.subgroupSize : 0;
	/* The limit is what the packet's field can hold. */
	c->max_indirect_draws = exec_has(x, SUNDOG_FEATURE_INDIRECT)
					? AT_MOST(l->maxDrawIndirectCount, 0x100000)
					: 1;
	c->min_gather_offset = l->minTexelGatherOffset;
	c->max_gather_offset = l->maxTexelGatherOffset;
	c->min_interpolation_offset = l->minInterpolationOffset;
	c->max_interpolation_offset = l->maxInterpolationOffset;
	if (exec_has(x, SUNDOG_FEATURE_MULTIVIEW))
		c->max_views = AT_MOST(x->vk.properties11.maxMultiviewViewCount, 8);
}

/* Handle tables: any shader may index any entry of a table, and each invocation another one. */
static bool offers_handles(const struct vk *vk)
{
	const VkPhysicalDeviceFeatures *f = &vk->features;
	const VkPhysicalDeviceVulkan12Features *f12 = &vk->features12;

	return f->shaderSampledImageArrayDynamicIndexing &&
	       f->shaderStorageImageArrayDynamicIndexing &&
	       f12->shaderUniformTexelBufferArrayDynamicIndexing &&
	       f12->shaderStorageTexelBufferArrayDynamicIndexing &&
	       f12->shaderSampledImageArrayNonUniformIndexing &&
	       f12->shaderStorageImageArrayNonUniformIndexing &&
	       f12->shaderUniformTexelBufferArrayNonUniformIndexing &&
	       f12->shaderStorageTexelBufferArrayNonUniformIndexing;
}

/* 8 and 16 bit integers in all storage classes that read memory, and arithmetic with them. */
static bool offers_small_numbers(const struct vk *vk)
{
	const VkPhysicalDeviceVulkan11Features *f11 = &vk->features11;
	const VkPhysicalDeviceVulkan12Features *f12 = &vk->features12;

	return vk->features.shaderInt16 && f12->shaderInt8 && f11->storageBuffer16BitAccess &&
	       f11->uniformAndStorageBuffer16BitAccess && f11->storagePushConstant16 &&
	       f12->storageBuffer8BitAccess && f12->uniformAndStorageBuffer8BitAccess &&
	       f12->storagePushConstant8;
}

/* Subgroup arithmetic for all types, and broadcasts with computed invocation ids. */
static bool offers_group_operations(const struct vk *vk)
{
	const VkSubgroupFeatureFlags operations = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
						  VK_SUBGROUP_FEATURE_CLUSTERED_BIT |
						  VK_SUBGROUP_FEATURE_QUAD_BIT;

	return vk->subgroups &&
	       (vk->properties11.subgroupSupportedOperations & operations) == operations &&
	       vk->features12.shaderSubgroupExtendedTypes &&
	       vk->features12.subgroupBroadcastDynamicId;
}

/*
 * Relative shuffles and rotations with a distance. bound_rotations.c turns relative shuffles into
 * rotations. A rotation's distance must be the same in all invocations of the subgroup; lavapipe
 * takes a different distance for each invocation.
 */
static bool offers_distances(const struct vk *vk)
{
	const VkSubgroupFeatureFlags operations = VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
						  VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR |
						  VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR;

	return vk->rotation && vk_has_quirk(vk, QUIRK_ANY_DISTANCE) &&
	       (vk->properties11.subgroupSupportedOperations & operations) == operations;
}

/*
 * Sets with many descriptors, in arrays that shaders index with values that differ between
 * invocations. The gate splits the access into one per distinct value, see split_nonuniform.c.
 */
static bool offers_indexing(const struct vk *vk)
{
	const VkPhysicalDeviceVulkan12Features *f = &vk->features12;

	return offers_handles(vk) && vk->subgroups &&
	       f->shaderUniformBufferArrayNonUniformIndexing &&
	       f->shaderStorageBufferArrayNonUniformIndexing && f->runtimeDescriptorArray &&
	       vk->props.limits.maxPerStageResources >= SUNDOG_MAX_SET_DESCRIPTORS;
}

/*
 * Returns the SUNDOG_FEATURE_* that streams may use. Several features are only offered on lavapipe,
 * because Vulkan leaves the behaviour undefined that they rely on:
 * - COMPUTE, INDIRECT: arguments of dispatches and draws in memory may have any value and may
 *   change until the host reads them. Lavapipe accepts all values, see indirect.c, and runs as many
 *   groups as their product modulo 2^32.
 * - WHOLE_PIXELS: Vulkan has no rasterization with one sample to attachments with several samples.
 *   Lavapipe's covers all samples of a pixel.
 * - MULTIVIEW: lavapipe has views in all stages, and in draws with any number of instances.
 * - FLOAT_CONTROLS: where a shader excludes NaN and infinity, lavapipe ignores that, so that the
 *   gate's code for such values still works.
 */
static uint64_t stream_features(const struct vk *vk)
{
	const VkPhysicalDeviceFeatures *f = &vk->features;
	const bool any_arguments = vk_has_quirk(vk, QUIRK_ANY_ARGUMENTS);
	const bool compute = any_arguments && f->shaderStorageBufferArrayDynamicIndexing &&
			     f->shaderStorageImageExtendedFormats &&
			     f->shaderStorageImageMultisample &&
			     f->shaderStorageImageReadWithoutFormat &&
			     f->shaderStorageImageWriteWithoutFormat;
	const struct {
		uint64_t feature;
		bool there;
	} features[] = {
		{ SUNDOG_FEATURE_GEOMETRY, f->geometryShader },
		{ SUNDOG_FEATURE_FEEDBACK, vk->feedback },
		{ SUNDOG_FEATURE_COMPUTE, compute },
		{ SUNDOG_FEATURE_STORAGE,
		  compute && f->fragmentStoresAndAtomics && f->vertexPipelineStoresAndAtomics },
		{ SUNDOG_FEATURE_TESSELLATION,
		  vk_has_quirk(vk, QUIRK_ANY_PATCHES) && f->tessellationShader },
		{ SUNDOG_FEATURE_INDIRECT,
		  any_arguments && f->multiDrawIndirect && f->drawIndirectFirstInstance &&
			  vk->features11.shaderDrawParameters && vk->features12.drawIndirectCount },
		{ SUNDOG_FEATURE_FLOAT64, f->shaderFloat64 },
		{ SUNDOG_FEATURE_INT64, f->shaderInt64 },
		{ SUNDOG_FEATURE_SAMPLE_SHADING, f->sampleRateShading },
		{ SUNDOG_FEATURE_CUBE_ARRAYS, f->imageCubeArray },
		{ SUNDOG_FEATURE_STREAMS, vk->streams },
		{ SUNDOG_FEATURE_STATISTICS, f->pipelineStatisticsQuery },
		{ SUNDOG_FEATURE_SHADER_LAYER,
		  vk->features12.shaderOutputLayer && vk->features12.shaderOutputViewportIndex },
		{ SUNDOG_FEATURE_SUBGROUPS, vk->subgroups },
		{ SUNDOG_FEATURE_SHADER_CLOCK, vk->clock },
		{ SUNDOG_FEATURE_STENCIL_EXPORT, vk->stencil_export },
		{ SUNDOG_FEATURE_POST_DEPTH_COVERAGE, vk->post_depth_coverage },
		{ SUNDOG_FEATURE_DEPTH_RANGE, vk->depth_range },
		{ SUNDOG_FEATURE_TEXEL_OFFSETS, vk->texel_offsets },
		{ SUNDOG_FEATURE_MESH_QUERIES, vk->mesh_queries },
		{ SUNDOG_FEATURE_MESH_SUBGROUPS, vk->mesh_subgroups },
		/* A draw without blending may drop earlier draws. */
		{ SUNDOG_FEATURE_ORDERED_FETCH, vk_has_quirk(vk, QUIRK_ORDERED_FETCH) },
		{ SUNDOG_FEATURE_FLOAT_ATOMICS, compute && vk->float_atomics },
		{ SUNDOG_FEATURE_FLOAT_EXTREMA, compute && vk->float_atomics && vk->float_extrema },
		{ SUNDOG_FEATURE_GROUP_DERIVATIVES, compute && vk->derivatives },
		{ SUNDOG_FEATURE_FILTER_MINMAX, vk->features12.samplerFilterMinmax },
		{ SUNDOG_FEATURE_WHOLE_PIXELS, vk_has_quirk(vk, QUIRK_WHOLE_PIXELS) },
		{ SUNDOG_FEATURE_IDLE_INTERRUPTS, true },
		{ SUNDOG_FEATURE_SHADER_REPORTS, true },
		{ SUNDOG_FEATURE_QUERY_VALUES, compute && vk->conditions },
		{ SUNDOG_FEATURE_BINDLESS, compute && offers_handles(vk) },
		{ SUNDOG_FEATURE_MULTIVIEW,
		  vk->features11.multiview && vk_has_quirk(vk, QUIRK_VIEWS_IN_ALL_STAGES) },
		{ SUNDOG_FEATURE_SMALL_NUMBERS, offers_small_numbers(vk) },
		{ SUNDOG_FEATURE_FLOAT16,
		  offers_small_numbers(vk) && vk->features12.shaderFloat16 },
		{ SUNDOG_FEATURE_INT64_ATOMICS, compute && f->shaderInt64 &&
							vk->features12.shaderBufferInt64Atomics &&
							vk->features12.shaderSharedInt64Atomics },
		{ SUNDOG_FEATURE_INDEX_UINT8, vk->index_uint8 },
		{ SUNDOG_FEATURE_GROUP_OPERATIONS, offers_group_operations(vk) },
		{ SUNDOG_FEATURE_DESCRIPTOR_INDEXING, compute && offers_indexing(vk) },
		{ SUNDOG_FEATURE_GROUP_DISTANCES,
		  offers_group_operations(vk) && offers_distances(vk) },
		{ SUNDOG_FEATURE_VARIABLE_POINTERS, compute },
		{ SUNDOG_FEATURE_MESH_SHADERS, compute && vk->meshes },
		{ SUNDOG_FEATURE_RECONVERGENCE, vk->reconvergence },
		{ SUNDOG_FEATURE_DEVICE_CLOCK, vk->device_clock },
		{ SUNDOG_FEATURE_FLOAT_CONTROLS,
		  vk_has_quirk(vk, QUIRK_KEEPS_NAN) && vk->float_controls },
		{ SUNDOG_FEATURE_FEEDBACK_COUNTS, vk->feedback },
		{ SUNDOG_FEATURE_FEEDBACK_MEMORY,
		  compute && vk->feedback && vk_has_quirk(vk, QUIRK_DISPATCH_IN_RENDERING) },
		{ SUNDOG_FEATURE_SLICES, vk->slices },
		{ SUNDOG_FEATURE_SLICE_RANGES, vk->slice_ranges },
		{ SUNDOG_FEATURE_MUTABLE_DESCRIPTORS,
		  vk_has_quirk(vk, QUIRK_MUTABLE_SAMPLERS) && vk->mutable_types },
	};
	uint64_t all = 0;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		all |= features[i].there ? features[i].feature : 0;
	return all;
}

/*
 * Device addresses need pointers in shaders to be addresses of this process, and memory that can
 * move beneath them. RAW_MOVE implies both.
 */
static bool offers_addresses(const struct exec *x)
{
	return exec_has(x,
			  SUNDOG_FEATURE_RAW_MOVE | SUNDOG_FEATURE_INT64 | SUNDOG_FEATURE_COMPUTE);
}

void caps_init(struct exec *x)
{
	const VkConformanceVersion *conformance = &x->vk.driver.conformanceVersion;
	struct sundog_caps *c = &x->caps;

	c->size = sizeof(*c);
	c->version = SUNDOG_VERSION;
	c->features = SUNDOG_FEATURE_RENDER | SUNDOG_FEATURE_HEAP_GUEST;
	c->features |= stream_features(&x->vk);
	snprintf(c->host_driver, sizeof(c->host_driver), "%.63s", x->vk.driver.driverName);
	snprintf(c->host_device, sizeof(c->host_device), "%.63s", x->vk.props.deviceName);
	c->host_api = x->vk.props.apiVersion;
	c->host_driver_id = x->vk.driver.driverID;
	c->host_vendor = x->vk.props.vendorID;
	c->host_software = x->vk.software;
	c->host_conformance = (uint32_t)conformance->major << 24 | conformance->minor << 16 |
			      conformance->subminor << 8 | conformance->patch;
	fill_limits(x);
	if (exec_has(x, SUNDOG_FEATURE_COMPUTE))
		fill_compute_limits(x);
	if (exec_has(x, SUNDOG_FEATURE_TESSELLATION))
		fill_tessellation_limits(x);
	for (uint32_t f = 1; f < SUNDOG_NUM_FORMATS; f++)
		if (format_is_numbered(f))
			c->formats[f] = format_features(&x->vk, format_of_stream(f));
	layout_probe(x);
	if (offers_addresses(x))
		c->features |= SUNDOG_FEATURE_ADDRESSES | SUNDOG_FEATURE_SPARSE_MEMORY;
}
