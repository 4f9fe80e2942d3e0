// SPDX-License-Identifier: MIT
/*
 * Opens the Vulkan device with all features for shaders, and makes the pointee. See
 * corpus-device.h.
 */
#include "corpus-device.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "corpus-fill.h"

#define POINTEE_SIZE 65536	/* of either half of the pointee */

struct corpus_device corpus_device;

/*
 * Extensions that shaders use. @core: the version of Vulkan whose feature structure contains
 * @type's features.
 */
static const struct {
	const char *name;
	VkStructureType type;
	size_t size;
	uint32_t core;
} extensions[] = {
#define WITH(name, sType, struct, core) \
	{ name, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##sType, sizeof(VkPhysicalDevice##struct), core }
	WITH("VK_EXT_robustness2", ROBUSTNESS_2_FEATURES_EXT, Robustness2FeaturesEXT, 0),
	WITH("VK_EXT_device_fault", FAULT_FEATURES_EXT, FaultFeaturesEXT, 0),
	WITH("VK_EXT_mesh_shader", MESH_SHADER_FEATURES_EXT, MeshShaderFeaturesEXT, 0),
	WITH("VK_EXT_shader_atomic_float", SHADER_ATOMIC_FLOAT_FEATURES_EXT,
	     ShaderAtomicFloatFeaturesEXT, 0),
	WITH("VK_EXT_shader_atomic_float2", SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
	     ShaderAtomicFloat2FeaturesEXT, 0),
	WITH("VK_EXT_shader_image_atomic_int64", SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
	     ShaderImageAtomicInt64FeaturesEXT, 0),
	WITH("VK_EXT_shader_replicated_composites", SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
	     ShaderReplicatedCompositesFeaturesEXT, 0),
	WITH("VK_EXT_transform_feedback", TRANSFORM_FEEDBACK_FEATURES_EXT,
	     TransformFeedbackFeaturesEXT, 0),
	WITH("VK_KHR_compute_shader_derivatives", COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR,
	     ComputeShaderDerivativesFeaturesKHR, 0),
	WITH("VK_KHR_cooperative_matrix", COOPERATIVE_MATRIX_FEATURES_KHR,
	     CooperativeMatrixFeaturesKHR, 0),
	WITH("VK_KHR_fragment_shader_barycentric", FRAGMENT_SHADER_BARYCENTRIC_FEATURES_KHR,
	     FragmentShaderBarycentricFeaturesKHR, 0),
	WITH("VK_KHR_shader_clock", SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR, 0),
	WITH("VK_KHR_shader_maximal_reconvergence", SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR,
	     ShaderMaximalReconvergenceFeaturesKHR, 0),
	WITH("VK_KHR_shader_quad_control", SHADER_QUAD_CONTROL_FEATURES_KHR,
	     ShaderQuadControlFeaturesKHR, 0),
	WITH("VK_KHR_shader_relaxed_extended_instruction",
	     SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR,
	     ShaderRelaxedExtendedInstructionFeaturesKHR, 0),
	WITH("VK_KHR_shader_subgroup_uniform_control_flow",
	     SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
	     ShaderSubgroupUniformControlFlowFeaturesKHR, 0),
	WITH("VK_KHR_workgroup_memory_explicit_layout",
	     WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
	     WorkgroupMemoryExplicitLayoutFeaturesKHR, 0),
	WITH("VK_KHR_shader_expect_assume", SHADER_EXPECT_ASSUME_FEATURES,
	     ShaderExpectAssumeFeatures, VK_API_VERSION_1_4),
	WITH("VK_KHR_shader_float_controls2", SHADER_FLOAT_CONTROLS_2_FEATURES,
	     ShaderFloatControls2Features, VK_API_VERSION_1_4),
	WITH("VK_KHR_shader_subgroup_rotate", SHADER_SUBGROUP_ROTATE_FEATURES,
	     ShaderSubgroupRotateFeatures, VK_API_VERSION_1_4),
#undef WITH
	{ "VK_EXT_post_depth_coverage", 0, 0, 0 },
	{ "VK_EXT_sampler_filter_minmax", 0, 0, 0 },
	{ "VK_EXT_shader_stencil_export", 0, 0, 0 },
	{ "VK_EXT_shader_subgroup_ballot", 0, 0, 0 },
	{ "VK_EXT_shader_subgroup_vote", 0, 0, 0 },
	{ "VK_EXT_shader_viewport_index_layer", 0, 0, 0 },
	{ "VK_GOOGLE_decorate_string", 0, 0, 0 },
	{ "VK_GOOGLE_hlsl_functionality1", 0, 0, 0 },
	{ "VK_GOOGLE_user_type", 0, 0, 0 },
	{ "VK_KHR_shader_draw_parameters", 0, 0, 0 },
	{ "VK_KHR_shader_non_semantic_info", 0, 0, 0 },
};

#define N_EXTENSIONS (sizeof(extensions) / sizeof(extensions[0]))

/* Prepends a feature structure to the chain @chain. */
static void *add_features(void **chain, VkStructureType type, size_t size)
{
	VkBaseOutStructure *features = calloc(1, size);

	if (!features)
		err(1, "calloc");
	features->sType = type;
	features->pNext = *chain;
	*chain = features;
	return features;
}

/* Keeps the driver's message with the reason why it refuses a shader. */
static VkBool32 VKAPI_PTR keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
				       VkDebugUtilsMessageTypeFlagsEXT types,
				       const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	(void)severity;
	(void)types;
	(void)user;
	if (!corpus_device.message[0])
		snprintf(corpus_device.message, sizeof(corpus_device.message), "%s",
			 data->pMessage);
	return false;
}

static bool has_messages(void)
{
	VkExtensionProperties found[256];
	uint32_t count = 256;

	vkEnumerateInstanceExtensionProperties(NULL, &count, found);
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(found[i].extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME))
			return true;
	return false;
}

void corpus_open_instance(void)
{
	static const char *const names[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
	const VkDebugUtilsMessengerCreateInfoEXT messenger = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
			       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = keep_message,
	};
	const bool messages = has_messages();
	VkDebugUtilsMessengerEXT unused;
	const VkApplicationInfo app = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_4,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
		.enabledExtensionCount = messages, .ppEnabledExtensionNames = names,
	};
	uint32_t count = 1;

	VK_CHECK(vkCreateInstance(&info, NULL, &vk.instance));
	if (messages)
		VK_CHECK(VK_ASK(vkCreateDebugUtilsMessengerEXT)(vk.instance, &messenger, NULL,
								&unused));
	if (vkEnumeratePhysicalDevices(vk.instance, &count, &vk.physical) < 0 || !count)
		errx(1, "the loader has no Vulkan device, see VK_DRIVER_FILES");
	vkGetPhysicalDeviceProperties(vk.physical, &vk.properties);
	if (vk.properties.apiVersion < VK_API_VERSION_1_2)
		errx(1, "%s: Vulkan 1.2 is needed", vk.properties.deviceName);
}

/*
 * Makes the buffer to which the pointers in other buffers point. Pointers in its first half point
 * to the second half, whose pointers are 0, so that lists end.
 */
static void make_pointee(void)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = 2 * POINTEE_SIZE,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
			 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};
	const VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags,
	};
	VkBufferDeviceAddressInfo address = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO
	};
	struct vk_buffer *b = &corpus_device.pointee;
	VkMemoryRequirements needs;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &b->buffer));
	vkGetBufferMemoryRequirements(vk.device, b->buffer, &needs);
	allocation.allocationSize = needs.size;
	allocation.memoryTypeIndex = vk_memory_type(needs.memoryTypeBits);
	VK_CHECK(vkAllocateMemory(vk.device, &allocation, NULL, &b->memory));
	VK_CHECK(vkBindBufferMemory(vk.device, b->buffer, b->memory, 0));
	VK_CHECK(vkMapMemory(vk.device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->map));
	address.buffer = b->buffer;
	corpus_device.address = vkGetBufferDeviceAddress(vk.device, &address);
	b->size = 2 * POINTEE_SIZE;
}

void corpus_open_device(void)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkCommandPoolCreateInfo pool = { .sType =
						       VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	const uint32_t api = vk.properties.apiVersion;
	const char *names[N_EXTENSIONS];
	VkPhysicalDeviceVulkan12Features *vulkan12;
	VkPhysicalDeviceFeatures2 *features;
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue, .ppEnabledExtensionNames = names,
	};
	void *chain = NULL;

	for (size_t i = 0; i < N_EXTENSIONS; i++) {
		if (!vk_has(extensions[i].name))
			continue;
		names[info.enabledExtensionCount++] = extensions[i].name;
		if (extensions[i].size && (!extensions[i].core || api < extensions[i].core))
			add_features(&chain, extensions[i].type, extensions[i].size);
	}
	add_features(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
		     sizeof(VkPhysicalDeviceVulkan11Features));
	vulkan12 = add_features(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
				sizeof(VkPhysicalDeviceVulkan12Features));
	if (api >= VK_API_VERSION_1_3)
		add_features(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
			     sizeof(VkPhysicalDeviceVulkan13Features));
	if (api >= VK_API_VERSION_1_4)
		add_features(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
			     sizeof(VkPhysicalDeviceVulkan14Features));
	features = add_features(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
				sizeof(VkPhysicalDeviceFeatures2));
	vkGetPhysicalDeviceFeatures2(vk.physical, features);
	info.pNext = chain;
	VK_CHECK(vkCreateDevice(vk.physical, &info, NULL, &vk.device));
	vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
	VK_CHECK(vkCreateCommandPool(vk.device, &pool, NULL, &vk.pool));
	corpus_device.depth_clamp = features->features.depthClamp;
	corpus_device.geometry = features->features.geometryShader;
	corpus_device.meshes = vk_has("VK_EXT_mesh_shader");
	corpus_device.faults = vk_has("VK_EXT_device_fault");
	corpus_device.addresses = vulkan12->bufferDeviceAddress;
	if (corpus_device.addresses)
		make_pointee();
}

void corpus_describe_loss(char *text, size_t size)
{
	VkDeviceFaultCountsEXT counts = { .sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT };
	VkDeviceFaultInfoEXT info = { .sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT };
	const PFN_vkGetDeviceFaultInfoEXT get = VK_FUNCTION(vkGetDeviceFaultInfoEXT);

	if (corpus_device.faults && get)
		get(vk.device, &counts, &info);
	snprintf(text, size, "%s", info.description);
}

bool corpus_fill_pointee(const struct spirv *s)
{
	for (uint32_t id = 1; id < s->bound; id++) {
		const uint32_t *op = spirv_def(s, id);

		if (spirv_opcode(op) == SpvOpTypePointer &&
		    spirv_arg(op, 2) == SpvStorageClassPhysicalStorageBuffer) {
			fill_buffer(s, corpus_device.pointee.map, POINTEE_SIZE, spirv_arg(op, 3), 1,
				    corpus_device.address + POINTEE_SIZE, false);
			fill_buffer(s, (uint8_t *)corpus_device.pointee.map + POINTEE_SIZE,
				    POINTEE_SIZE, spirv_arg(op, 3), 2, 0, false);
			return true;
		}
	}
	return false;
}

uint64_t corpus_without_address(uint64_t word)
{
	if (corpus_device.addresses && word - corpus_device.address < 2 * POINTEE_SIZE)
		return 0xadd0000000000000 | (word - corpus_device.address);
	return word;
}
