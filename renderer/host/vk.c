// SPDX-License-Identifier: MIT
/*
 * Creation of the host's Vulkan device, and helpers, see vk.h. vk_init() runs once on the worker's
 * main thread, before the sandbox.
 */
#define _GNU_SOURCE
#include "host/vk.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/log.h"
#include "sundog_hw.h"

#define MAX_DEVICES 16

static const char *const required_extensions[] = {
	VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
	VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
	VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME,
	VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
	VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
	VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
	VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
	VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,
	VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
	VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME,
	VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
	VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME,
	VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
};

/* The extensions of a group are enabled together, or not at all. */
enum {
	FEEDBACK,
	SUBGROUPS,
	SLICES,
	CLOCK,
	STENCIL_EXPORT,
	POST_DEPTH,
	FLOAT_ATOMICS,
	CONDITIONS,
	MULTI_DRAW,
	INDEX_UINT8,
	ROTATION,
	RECONVERGENCE,
	FLOAT_CONTROLS,
	SLICE_RANGES,
	MUTABLE_TYPES,
	BORDER_SWIZZLE,
	LEGACY_ATTRIBUTES,
	FLOAT_EXTREMA,
	DERIVATIVES,
	MESHES,
	DEPTH_RANGE,
	MAINTENANCE8,
	N_GROUPS
};

static const char *const optional_extensions[N_GROUPS][2] = {
	[FEEDBACK] = { VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
		       VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME },
	[SUBGROUPS] = { VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME,
			VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME },
	[SLICES] = { VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME },
	[CLOCK] = { VK_KHR_SHADER_CLOCK_EXTENSION_NAME },
	[STENCIL_EXPORT] = { VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME },
	[POST_DEPTH] = { VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME },
	[FLOAT_ATOMICS] = { VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME },
	[CONDITIONS] = { VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME },
	[MULTI_DRAW] = { VK_EXT_MULTI_DRAW_EXTENSION_NAME },
	[INDEX_UINT8] = { VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME },
	[ROTATION] = { VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME },
	[RECONVERGENCE] = { VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME },
	[FLOAT_CONTROLS] = { VK_KHR_SHADER_FLOAT_CONTROLS_2_EXTENSION_NAME },
	[SLICE_RANGES] = { VK_EXT_IMAGE_SLICED_VIEW_OF_3D_EXTENSION_NAME },
	[MUTABLE_TYPES] = { VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME },
	[BORDER_SWIZZLE] = { VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME },
	[LEGACY_ATTRIBUTES] = { VK_EXT_LEGACY_VERTEX_ATTRIBUTES_EXTENSION_NAME },
	[FLOAT_EXTREMA] = { VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME },
	[DERIVATIVES] = { VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME },
	[MESHES] = { VK_EXT_MESH_SHADER_EXTENSION_NAME },
	[DEPTH_RANGE] = { VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME },
	[MAINTENANCE8] = { VK_KHR_MAINTENANCE_8_EXTENSION_NAME },
};

#define N_REQUIRED (sizeof(required_extensions) / sizeof(required_extensions[0]))

static bool fail(char *error, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail(char *error, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(error, size, fmt, args);
	va_end(args);
	return false;
}

/* Returns the name of @result, of those that creating an instance or a device can have. */
static const char *result_name(VkResult result)
{
	switch (result) {
#define NAME(r) case r: return #r
	NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
	NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
	NAME(VK_ERROR_INITIALIZATION_FAILED);
	NAME(VK_ERROR_DEVICE_LOST);
	NAME(VK_ERROR_LAYER_NOT_PRESENT);
	NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
	NAME(VK_ERROR_FEATURE_NOT_PRESENT);
	NAME(VK_ERROR_INCOMPATIBLE_DRIVER);
	NAME(VK_ERROR_TOO_MANY_OBJECTS);
#undef NAME
	default:
		return "unknown VkResult";
	}
}

/* Returns the first of @n_wanted extensions that the device lacks, or NULL. */
static const char *missing_extension(VkPhysicalDevice physical, const char *const *wanted,
				     size_t n_wanted)
{
	VkExtensionProperties *have;
	const char *missing = NULL;
	uint32_t n = 0;

	vkEnumerateDeviceExtensionProperties(physical, NULL, &n, NULL);
	have = calloc(n ? n : 1, sizeof(*have));
	if (!have)
		return "memory";
	vkEnumerateDeviceExtensionProperties(physical, NULL, &n, have);
	for (size_t i = 0; i < n_wanted && !missing; i++) {
		missing = wanted[i];
		for (uint32_t j = 0; j < n; j++)
			if (!strcmp(have[j].extensionName, wanted[i]))
				missing = NULL;
	}
	free(have);
	return missing;
}

static bool matches(const VkPhysicalDeviceProperties *props, const char *gpu)
{
	return gpu ? strstr(props->deviceName, gpu) != NULL :
		     props->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Writes the refusal if none of the @n devices matches, with the names of those that exist. */
static bool no_device(const VkPhysicalDevice *devices, uint32_t n, const char *gpu, char *error,
		      size_t size)
{
	VkPhysicalDeviceProperties props;
	char names[512] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < n && used < sizeof(names); i++) {
		vkGetPhysicalDeviceProperties(devices[i], &props);
		used += snprintf(names + used, sizeof(names) - used, "%s'%s'", i ? ", " : "",
				 props.deviceName);
	}
	if (!n)
		snprintf(names, sizeof(names), "none");
	if (gpu)
		return fail(error, size, "no Vulkan device has '%s' in its name; correct --gpu, "
			    "there is: %s", gpu, names);
	return fail(error, size, "no Vulkan device is a software device; install lavapipe "
		    "(mesa-vulkan-drivers), there is: %s", names);
}

static bool pick_device(struct vk *vk, const char *gpu, char *error, size_t size)
{
	VkPhysicalDevice devices[MAX_DEVICES];
	uint32_t n = MAX_DEVICES;
	const char *missing;

	if (vkEnumeratePhysicalDevices(vk->instance, &n, devices) < 0)
		n = 0;
	for (uint32_t i = 0; i < n; i++) {
		vkGetPhysicalDeviceProperties(devices[i], &vk->props);
		if (!matches(&vk->props, gpu))
			continue;
		vk->physical = devices[i];
		missing = missing_extension(devices[i], required_extensions, N_REQUIRED);
		if (missing)
			return fail(error, size, "Vulkan device '%s' lacks %s",
				    vk->props.deviceName, missing);
		if (vk->props.apiVersion < VK_API_VERSION_1_3)
			return fail(error, size, "Vulkan device '%s' has version %u.%u, at least "
				    "1.3 is needed", vk->props.deviceName,
				    VK_API_VERSION_MAJOR(vk->props.apiVersion),
				    VK_API_VERSION_MINOR(vk->props.apiVersion));
		vk->software = vk->props.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
		return true;
	}
	return no_device(devices, n, gpu, error, size);
}

static bool pick_queue(struct vk *vk)
{
	const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
	VkQueueFamilyProperties families[16];
	uint32_t n = 16;

	vkGetPhysicalDeviceQueueFamilyProperties(vk->physical, &n, families);
	for (uint32_t i = 0; i < n; i++) {
		if ((families[i].queueFlags & wanted) == wanted) {
			vk->queue_family = i;
			return true;
		}
	}
	return false;
}

/* The linked feature chain, which is queried and then enabled. */
struct features {
	VkPhysicalDeviceFeatures2 core;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan13Features v13;
	VkPhysicalDeviceShaderObjectFeaturesEXT shader_object;
	VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptor_buffer;
	VkPhysicalDeviceRobustness2FeaturesEXT robustness2;
	VkPhysicalDeviceProvokingVertexFeaturesEXT provoking_vertex;
	VkPhysicalDeviceLineRasterizationFeaturesEXT line;
	VkPhysicalDeviceDepthClipEnableFeaturesEXT depth_clip;
	VkPhysicalDeviceDepthClipControlFeaturesEXT clip_control;
	VkPhysicalDeviceCustomBorderColorFeaturesEXT border;
	VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT non_seamless;
	VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor;
	VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT restart;
	VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5;
	VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback;
	VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT primitives;
	VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices;
	VkPhysicalDeviceImageSlicedViewOf3DFeaturesEXT slice_ranges;
	VkPhysicalDeviceShaderClockFeaturesKHR clock;
	VkPhysicalDeviceShaderAtomicFloatFeaturesEXT float_atomics;
	VkPhysicalDeviceConditionalRenderingFeaturesEXT conditions;
	VkPhysicalDeviceMultiDrawFeaturesEXT multi_draw;
	VkPhysicalDeviceIndexTypeUint8FeaturesEXT index_uint8;
	VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR rotation;
	VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR reconvergence;
	VkPhysicalDeviceShaderFloatControls2FeaturesKHR float_controls;
	VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable_types;
	VkPhysicalDeviceBorderColorSwizzleFeaturesEXT border_swizzle;
	VkPhysicalDeviceLegacyVertexAttributesFeaturesEXT legacy_attributes;
	VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT float_extrema;
	VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives;
	VkPhysicalDeviceMaintenance8FeaturesKHR maintenance8;
	VkPhysicalDeviceMeshShaderFeaturesEXT meshes;
};

/*
 * Append @features, a list that ends at @last, to the chain. NULL: the device does not know them.
 */
static void append(void ***end, void *features, void **last)
{
	if (!features)
		return;
	**end = features;
	*end = last;
}

static void link_features(struct features *f, const bool *there)
{
	void **end = &f->maintenance5.pNext;

#define LINK(member, next, TYPE) \
	f->member.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##TYPE; \
	f->member.pNext = next
	LINK(core, &f->v11, FEATURES_2);
	LINK(v11, &f->v12, VULKAN_1_1_FEATURES);
	LINK(v12, &f->v13, VULKAN_1_2_FEATURES);
	LINK(v13, &f->shader_object, VULKAN_1_3_FEATURES);
	LINK(shader_object, &f->descriptor_buffer, SHADER_OBJECT_FEATURES_EXT);
	LINK(descriptor_buffer, &f->robustness2, DESCRIPTOR_BUFFER_FEATURES_EXT);
	LINK(robustness2, &f->provoking_vertex, ROBUSTNESS_2_FEATURES_EXT);
	LINK(provoking_vertex, &f->line, PROVOKING_VERTEX_FEATURES_EXT);
	LINK(line, &f->depth_clip, LINE_RASTERIZATION_FEATURES_EXT);
	LINK(depth_clip, &f->clip_control, DEPTH_CLIP_ENABLE_FEATURES_EXT);
	LINK(clip_control, &f->border, DEPTH_CLIP_CONTROL_FEATURES_EXT);
	LINK(border, &f->non_seamless, CUSTOM_BORDER_COLOR_FEATURES_EXT);
	LINK(non_seamless, &f->divisor, NON_SEAMLESS_CUBE_MAP_FEATURES_EXT);
	LINK(divisor, &f->restart, VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT);
	LINK(restart, &f->maintenance5, PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT);
	LINK(maintenance5, NULL, MAINTENANCE_5_FEATURES_KHR);
	LINK(feedback, &f->primitives, TRANSFORM_FEEDBACK_FEATURES_EXT);
	LINK(primitives, NULL, PRIMITIVES_GENERATED_QUERY_FEATURES_EXT);
	LINK(slices, NULL, IMAGE_2D_VIEW_OF_3D_FEATURES_EXT);
	LINK(slice_ranges, NULL, IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT);
	LINK(clock, NULL, SHADER_CLOCK_FEATURES_KHR);
	LINK(float_atomics, NULL, SHADER_ATOMIC_FLOAT_FEATURES_EXT);
	LINK(conditions, NULL, CONDITIONAL_RENDERING_FEATURES_EXT);
	LINK(multi_draw, NULL, MULTI_DRAW_FEATURES_EXT);
	LINK(index_uint8, NULL, INDEX_TYPE_UINT8_FEATURES_EXT);
	LINK(rotation, NULL, SHADER_SUBGROUP_ROTATE_FEATURES_KHR);
	LINK(reconvergence, NULL, SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR);
	LINK(float_controls, NULL, SHADER_FLOAT_CONTROLS_2_FEATURES_KHR);
	LINK(mutable_types, NULL, MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT);
	LINK(border_swizzle, NULL, BORDER_COLOR_SWIZZLE_FEATURES_EXT);
	LINK(legacy_attributes, NULL, LEGACY_VERTEX_ATTRIBUTES_FEATURES_EXT);
	LINK(float_extrema, NULL, SHADER_ATOMIC_FLOAT_2_FEATURES_EXT);
	LINK(derivatives, NULL, COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR);
	LINK(maintenance8, NULL, MAINTENANCE_8_FEATURES_KHR);
	LINK(meshes, NULL, MESH_SHADER_FEATURES_EXT);
#undef LINK
	append(&end, there[FEEDBACK] ? &f->feedback : NULL, &f->primitives.pNext);
	append(&end, there[SLICES] ? &f->slices : NULL, &f->slices.pNext);
	append(&end, there[SLICE_RANGES] ? &f->slice_ranges : NULL, &f->slice_ranges.pNext);
	append(&end, there[CLOCK] ? &f->clock : NULL, &f->clock.pNext);
	append(&end, there[FLOAT_ATOMICS] ? &f->float_atomics : NULL, &f->float_atomics.pNext);
	append(&end, there[CONDITIONS] ? &f->conditions : NULL, &f->conditions.pNext);
	append(&end, there[MULTI_DRAW] ? &f->multi_draw : NULL, &f->multi_draw.pNext);
	append(&end, there[INDEX_UINT8] ? &f->index_uint8 : NULL, &f->index_uint8.pNext);
	append(&end, there[ROTATION] ? &f->rotation : NULL, &f->rotation.pNext);
	append(&end, there[RECONVERGENCE] ? &f->reconvergence : NULL, &f->reconvergence.pNext);
	append(&end, there[FLOAT_CONTROLS] ? &f->float_controls : NULL, &f->float_controls.pNext);
	append(&end, there[MUTABLE_TYPES] ? &f->mutable_types : NULL, &f->mutable_types.pNext);
	append(&end, there[BORDER_SWIZZLE] ? &f->border_swizzle : NULL, &f->border_swizzle.pNext);
	append(&end, there[LEGACY_ATTRIBUTES] ? &f->legacy_attributes : NULL,
	       &f->legacy_attributes.pNext);
	append(&end, there[FLOAT_EXTREMA] ? &f->float_extrema : NULL, &f->float_extrema.pNext);
	append(&end, there[DERIVATIVES] ? &f->derivatives : NULL, &f->derivatives.pNext);
	append(&end, there[MAINTENANCE8] ? &f->maintenance8 : NULL, &f->maintenance8.pNext);
	append(&end, there[MESHES] ? &f->meshes : NULL, &f->meshes.pNext);
}

static const char *missing_feature(const struct features *f)
{
#define NEED(flag) do { if (!f->flag) return #flag; } while (0)
	NEED(core.features.robustBufferAccess);
	NEED(core.features.independentBlend);
	NEED(v12.timelineSemaphore);
	NEED(v12.bufferDeviceAddress);
	NEED(v12.hostQueryReset);
	NEED(v12.scalarBlockLayout);
	NEED(v13.dynamicRendering);
	NEED(v13.synchronization2);
	NEED(shader_object.shaderObject);
	NEED(descriptor_buffer.descriptorBuffer);
	NEED(robustness2.robustBufferAccess2);
	NEED(robustness2.robustImageAccess2);
	NEED(robustness2.nullDescriptor);
	NEED(provoking_vertex.provokingVertexLast);
	NEED(line.rectangularLines);
	NEED(line.bresenhamLines);
	NEED(line.smoothLines);
	NEED(depth_clip.depthClipEnable);
	NEED(clip_control.depthClipControl);
	NEED(border.customBorderColors);
	NEED(border.customBorderColorWithoutFormat);
	NEED(divisor.vertexAttributeInstanceRateDivisor);
	NEED(restart.primitiveTopologyListRestart);
#undef NEED
	return NULL;
}

/*
 * Transform feedback is offered on lavapipe only: counters are read in the rendering in which they
 * were written. Vulkan requires a barrier in between, which is not allowed there; lavapipe needs
 * none.
 */
static bool offers_feedback(const struct vk *vk, const struct features *f)
{
	return f->feedback.transformFeedback && f->primitives.primitivesGeneratedQuery &&
	       f->primitives.primitivesGeneratedQueryWithRasterizerDiscard &&
	       vk_has_quirk(vk, QUIRK_FEEDBACK_READS_COUNTERS);
}

#define MESH_STAGE_BITS (VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT)

static bool offers_subgroups(const struct vk *vk)
{
	const VkSubgroupFeatureFlags operations = VK_SUBGROUP_FEATURE_BASIC_BIT |
						  VK_SUBGROUP_FEATURE_VOTE_BIT |
						  VK_SUBGROUP_FEATURE_BALLOT_BIT |
						  VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
	const VkShaderStageFlags stages = VK_SHADER_STAGE_FRAGMENT_BIT |
					  VK_SHADER_STAGE_COMPUTE_BIT;

	return (vk->properties11.subgroupSupportedOperations & operations) == operations &&
	       (vk->properties11.subgroupSupportedStages & stages) == stages;
}

static bool offers_float_atomics(const VkPhysicalDeviceShaderAtomicFloatFeaturesEXT *f)
{
	return f->shaderImageFloat32Atomics && f->shaderImageFloat32AtomicAdd &&
	       f->shaderBufferFloat32Atomics && f->shaderBufferFloat32AtomicAdd &&
	       f->shaderSharedFloat32Atomics && f->shaderSharedFloat32AtomicAdd;
}

/*
 * Returns true if the host has float controls for all operations of a module, as far as it has the
 * float types, and for single operations.
 */
static bool offers_float_controls(const struct vk *vk,
				  const VkPhysicalDeviceShaderFloatControls2FeaturesKHR *f)
{
	const VkPhysicalDeviceFloatControlsProperties *p = &vk->float_limits;

	return f->shaderFloatControls2 && p->shaderSignedZeroInfNanPreserveFloat16 &&
	       p->shaderSignedZeroInfNanPreserveFloat32 &&
	       p->shaderSignedZeroInfNanPreserveFloat64 && p->shaderRoundingModeRTEFloat16 &&
	       p->shaderRoundingModeRTEFloat32 && p->shaderRoundingModeRTEFloat64 &&
	       p->roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
}

/* The checks of exec/mesh.c and gate/check/mesh.c are written for the host's behaviour. */
static bool offers_meshes(const struct vk *vk, const VkPhysicalDeviceMeshShaderFeaturesEXT *f)
{
	return f->taskShader && f->meshShader && vk_has_quirk(vk, QUIRK_KNOWN_MESHES);
}

/* Asks the host for the interface of our lavapipe. The functions are NULL if it has none. */
static void load_renderer_interface(struct vk *vk)
{
	const lvp_get_renderer_interface get = (lvp_get_renderer_interface)
		vkGetDeviceProcAddr(vk->device, "vkGetRendererInterfaceLVP");

	/* Another version leaves the functions alone. */
	if ((!get || !get(vk->device, LVP_RENDERER_INTERFACE_VERSION, &vk->lavapipe)) &&
	    is_lavapipe(&vk->driver))
		log_info("Vulkan device '%s' lacks version %u of the renderer interface, going on "
			 "without; install sundog-lavapipe of the renderer's version",
			 vk->props.deviceName, LVP_RENDERER_INTERFACE_VERSION);
}

static bool load_functions(struct vk *vk, char *error, size_t size)
{
#define LOAD(name)									\
	vk->name = (PFN_vk##name)vkGetDeviceProcAddr(vk->device, "vk" #name);		\
	if (!vk->name)									\
		return fail(error, size, "Vulkan device '%s' lacks function vk%s",		\
			    vk->props.deviceName, #name);
	VK_FUNCTIONS(LOAD)
	if (vk->feedback) {
		VK_FEEDBACK_FUNCTIONS(LOAD)
	}
	if (vk->conditions) {
		VK_CONDITION_FUNCTIONS(LOAD)
	}
	if (vk->multi_draw) {
		VK_MULTI_DRAW_FUNCTIONS(LOAD)
	}
	if (vk->meshes) {
		VK_MESH_FUNCTIONS(LOAD)
	}
#undef LOAD
	load_renderer_interface(vk);
	return true;
}

/*
 * Write all required extensions and the optional ones that the device has to @out. Returns their
 * number.
 */
static uint32_t pick_extensions(const struct vk *vk, const char **out, bool *there)
{
	uint32_t n = N_REQUIRED;

	memcpy(out, required_extensions, sizeof(required_extensions));
	for (int i = 0; i < N_GROUPS; i++) {
		const size_t count = optional_extensions[i][1] ? 2 : 1;

		there[i] = !missing_extension(vk->physical, optional_extensions[i], count);
		for (size_t j = 0; there[i] && j < count; j++)
			out[n++] = optional_extensions[i][j];
	}
	return n;
}

static bool make_device(struct vk *vk, char *error, size_t size)
{
	const char *extensions[N_REQUIRED + 2 * N_GROUPS];
	bool there[N_GROUPS];
	const float priority = 1.0f;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = vk->queue_family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	struct features f = { 0 };
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f.core,
		.queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = extensions,
	};
	const char *missing;
	VkResult r;

	info.enabledExtensionCount = pick_extensions(vk, extensions, there);
	link_features(&f, there);
	vkGetPhysicalDeviceFeatures2(vk->physical, &f.core);
	missing = missing_feature(&f);
	if (missing)
		return fail(error, size, "Vulkan device '%s' lacks feature %s",
			    vk->props.deviceName, missing);
	/* Disable costly and dangerous features. */
	f.v12.bufferDeviceAddressCaptureReplay = f.v12.bufferDeviceAddressMultiDevice = VK_FALSE;
	f.descriptor_buffer.descriptorBufferCaptureReplay = VK_FALSE;
	f.core.features.sparseBinding = VK_FALSE;
	f.meshes.multiviewMeshShader = f.meshes.primitiveFragmentShadingRateMeshShader = VK_FALSE;
	f.float_atomics.sparseImageFloat32Atomics = f.float_atomics
							    .sparseImageFloat32AtomicAdd = VK_FALSE;
	f.float_extrema.sparseImageFloat32AtomicMinMax = VK_FALSE;
	vk->features = f.core.features;
	vk->features11 = f.v11;
	vk->features12 = f.v12;
	vk->feedback = offers_feedback(vk, &f);
	vk->streams = vk->feedback && f.feedback.geometryStreams &&
		      vk->feedback_limits.maxTransformFeedbackStreams >= SUNDOG_MAX_STREAMS;
	vk->subgroups = there[SUBGROUPS] && offers_subgroups(vk);
	vk->slices = f.slices.image2DViewOf3D;
	vk->slice_ranges = vk->slices && f.slices.sampler2DViewOf3D &&
			   f.slice_ranges.imageSlicedViewOf3D;
	vk->clock = f.clock.shaderSubgroupClock;
	vk->device_clock = f.clock.shaderDeviceClock;
	vk->float_atomics = offers_float_atomics(&f.float_atomics);
	vk->float_extrema = f.float_extrema.shaderImageFloat32AtomicMinMax &&
			    f.float_extrema.shaderBufferFloat32AtomicMinMax &&
			    f.float_extrema.shaderSharedFloat32AtomicMinMax;
	vk->derivatives = f.derivatives.computeDerivativeGroupQuads &&
			  f.derivatives.computeDerivativeGroupLinear;
	vk->texel_offsets = f.maintenance8.maintenance8;
	vk->conditions = f.conditions.conditionalRendering;
	vk->multi_draw = f.multi_draw.multiDraw;
	vk->index_uint8 = f.index_uint8.indexTypeUint8;
	vk->rotation = f.rotation.shaderSubgroupRotate && f.rotation.shaderSubgroupRotateClustered;
	vk->reconvergence = f.reconvergence.shaderMaximalReconvergence;
	vk->float_controls = offers_float_controls(vk, &f.float_controls);
	vk->mutable_types = f.mutable_types.mutableDescriptorType;
	vk->meshes = offers_meshes(vk, &f.meshes);
	vk->mesh_subgroups = vk->meshes && vk->subgroups &&
			     (vk->properties11.subgroupSupportedStages & MESH_STAGE_BITS) ==
				     MESH_STAGE_BITS;
	vk->mesh_queries = vk->meshes && vk->features.pipelineStatisticsQuery &&
			   f.meshes.meshShaderQueries;
	vk->stencil_export = there[STENCIL_EXPORT];
	vk->post_depth_coverage = there[POST_DEPTH];
	vk->depth_range = there[DEPTH_RANGE];

	r = vkCreateDevice(vk->physical, &info, NULL, &vk->device);
	if (r != VK_SUCCESS)
		return fail(error, size, "vkCreateDevice of '%s' failed: %s (%d)",
			    vk->props.deviceName, result_name(r), r);
	if (!load_functions(vk, error, size))
		return false;
	vkGetDeviceQueue(vk->device, vk->queue_family, 0, &vk->queue);
	return true;
}

static bool pick_memory(struct vk *vk)
{
	const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					   VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties memory;

	vkGetPhysicalDeviceMemoryProperties(vk->physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if ((memory.memoryTypes[i].propertyFlags & want) == want) {
			vk->host_memory_type = i;
			return true;
		}
	}
	return false;
}

static void read_properties(struct vk *vk)
{
	VkPhysicalDeviceProperties2 props = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &vk->driver,
	};

	vk->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
	vk->driver.pNext = &vk->properties11;
	vk->properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
	vk->properties11.pNext = &vk->feedback_limits;
	vk->feedback_limits.sType =
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT;
	vk->feedback_limits.pNext = &vk->float_limits;
	vk->float_limits.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
	vk->float_limits.pNext = &vk->descriptor;
	vk->descriptor.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
	vkGetPhysicalDeviceProperties2(vk->physical, &props);
	vk->quirks = quirks_of(&vk->driver);
	vk->max_buffer = vk_has_quirk(vk, QUIRK_OFFSETS_INT32) ? INT32_MAX & ~(SUNDOG_PAGE_SIZE - 1)
							       : UINT64_MAX;
}

/*
 * The host's code for a shader has a stack frame as large as the shader's values, at most a million
 * of 64 bytes, and does not touch each page of it: a guard of one page could be skipped.
 */
static bool guard_stacks(void)
{
	const size_t guard = 256u << 20;
	pthread_attr_t attr;
	bool ok;

	if (pthread_getattr_default_np(&attr))
		return false;
	ok = !pthread_attr_setguardsize(&attr, guard) && !pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
	return ok;
}

static void log_quirks(const struct vk *vk)
{
	char names[512] = "";
	size_t n = 0;

	for (int i = 0; i < NUM_QUIRKS && n < sizeof(names); i++)
		if (vk_has_quirk(vk, i))
			n += snprintf(names + n, sizeof(names) - n, " %s", quirk_name(i));
	log_info("Vulkan device: quirks%s", n ? names : " none");
}

bool vk_init(struct vk *vk, const char *gpu, char *error, size_t size)
{
	VkApplicationInfo app = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "sundog-renderd",
		.apiVersion = VK_API_VERSION_1_3,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
	};
	VkResult r;

	if (!guard_stacks())
		return fail(error, size, "cannot set the guard size of thread stacks");
	r = vkCreateInstance(&info, NULL, &vk->instance);
	if (r != VK_SUCCESS)
		return fail(error, size,
			    "vkCreateInstance failed: %s (%d); install lavapipe "
			    "(mesa-vulkan-drivers), or correct VK_DRIVER_FILES", result_name(r), r);
	if (!pick_device(vk, gpu, error, size))
		return false;
	if (!pick_queue(vk) || !pick_memory(vk))
		return fail(error, size,
			    "Vulkan device '%s' has no graphics queue or no coherent memory",
			    vk->props.deviceName);
	read_properties(vk);
	if (!make_device(vk, error, size))
		return false;
	log_info("Vulkan device: %s, driver %s %s", vk->props.deviceName, vk->driver.driverName,
		 vk->driver.driverInfo);
	log_quirks(vk);
	return true;
}

void vk_full_barrier(const struct vk *vk, VkCommandBuffer cmd)
{
	static const VkMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
	};
	static const VkDependencyInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1, .pMemoryBarriers = &barrier,
	};

	vk->CmdPipelineBarrier2(cmd, &info);
}

bool vk_host_buffer_init(const struct vk *vk, struct vk_host_buffer *b, VkDeviceSize size,
			 VkBufferUsageFlags usage)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
		.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags,
		.memoryTypeIndex = vk->host_memory_type,
	};
	VkBufferDeviceAddressInfo address = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO
	};
	VkMemoryRequirements need;

	*b = (struct vk_host_buffer){ 0 };
	if (vk->CreateBuffer(vk->device, &info, NULL, &b->buffer) != VK_SUCCESS)
		return false;
	vk->GetBufferMemoryRequirements(vk->device, b->buffer, &need);
	alloc.allocationSize = need.size;
	if (vk->AllocateMemory(vk->device, &alloc, NULL, &b->memory) != VK_SUCCESS ||
	    vk->BindBufferMemory(vk->device, b->buffer, b->memory, 0) != VK_SUCCESS ||
	    vk->MapMemory(vk->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->map) != VK_SUCCESS) {
		vk_host_buffer_fini(vk, b);
		return false;
	}
	address.buffer = b->buffer;
	b->address = vk->GetBufferDeviceAddress(vk->device, &address);
	return true;
}

void vk_host_buffer_fini(const struct vk *vk, struct vk_host_buffer *b)
{
	vk->DestroyBuffer(vk->device, b->buffer, NULL);
	vk->FreeMemory(vk->device, b->memory, NULL);
}
