// SPDX-License-Identifier: MIT
/*
 * Vulkan: extensions that replace commands of Vulkan 1.0 by other forms, and extensions that query
 * the driver. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#define SIDE 16
#define SIZE (SIDE * SIDE * 4)
#define COLOR 0x44332211u

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkImageSubresourceLayers layer = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };

/* Memory */

static VkDeviceMemory allocate(const VkMemoryRequirements *needs, VkBuffer buffer, VkImage image)
{
	const VkMemoryPriorityAllocateInfoEXT priority = {
		VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, NULL, 1,
	};
	const VkMemoryDedicatedAllocateInfo dedicated = {
		VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, &priority, image, buffer,
	};
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		&dedicated,
		needs->size,
		vk_memory_type(needs->memoryTypeBits),
	};
	VkDeviceMemory memory;

	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	if (vk_has(VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME))
		VK_FUNCTION(vkSetDeviceMemoryPriorityEXT)(vk.device, memory, 0.25f);
	return memory;
}

/* A buffer in a dedicated allocation. */
static struct vk_buffer buffer_new(void)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = SIZE,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	struct vk_buffer b = { .size = SIZE };
	VkMemoryDedicatedRequirements dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS
	};
	VkMemoryRequirements2 needs = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
					.pNext = &dedicated };
	VkBufferMemoryRequirementsInfo2 of = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2
	};
	VkBindBufferMemoryInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO };

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &b.buffer));
	of.buffer = bind.buffer = b.buffer;
	VK_FUNCTION(vkGetBufferMemoryRequirements2KHR)(vk.device, &of, &needs);
	bind.memory = b.memory = allocate(&needs.memoryRequirements, b.buffer, VK_NULL_HANDLE);
	VK_CHECK(VK_FUNCTION(vkBindBufferMemory2KHR)(vk.device, 1, &bind));
	VK_CHECK(vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
	memset(b.map, 0, SIZE);
	return b;
}

static VkImage image_new(VkSampleCountFlagBits samples, VkDeviceMemory *memory)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = samples,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};
	VkMemoryRequirements2 needs = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
	VkImageMemoryRequirementsInfo2 of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2
	};
	VkBindImageMemoryInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO };

	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &bind.image));
	of.image = bind.image;
	VK_FUNCTION(vkGetImageMemoryRequirements2KHR)(vk.device, &of, &needs);
	bind.memory = *memory = allocate(&needs.memoryRequirements, VK_NULL_HANDLE, bind.image);
	VK_CHECK(VK_FUNCTION(vkBindImageMemory2KHR)(vk.device, 1, &bind));
	return bind.image;
}

/* Commands */

static void barrier(VkCommandBuffer cmd, VkImage image)
{
	const VkMemoryBarrier2 all = {
		VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		NULL,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		VK_ACCESS_2_MEMORY_WRITE_BIT,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
		VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
	};
	const VkImageMemoryBarrier2 of_image = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
		.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dstAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.newLayout = general,
		.image = image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
	};
	const VkDependencyInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1,
		.pMemoryBarriers = &all,
		.imageMemoryBarrierCount = image != VK_NULL_HANDLE,
		.pImageMemoryBarriers = &of_image,
	};

	VK_FUNCTION(vkCmdPipelineBarrier2KHR)(cmd, &info);
}

static void run(VkCommandBuffer cmd)
{
	const VkCommandBufferSubmitInfo buffer = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
						   NULL, cmd, 0 };
	const VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.commandBufferInfoCount = 1,
		.pCommandBufferInfos = &buffer,
	};

	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(VK_FUNCTION(vkQueueSubmit2KHR)(vk.queue, 1, &info, VK_NULL_HANDLE));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
}

static bool is_color(const struct vk_buffer *b)
{
	for (uint32_t i = 0; i < SIZE / 4; i++)
		if (((uint32_t *)b->map)[i] != COLOR)
			return false;
	return true;
}

/* Copies a color from one buffer to another through all commands of VK_KHR_copy_commands2. */
static void test_copies(void)
{
	enum { FIRST, SECOND, BLITTED, RESOLVED, N_IMAGES };
	struct vk_buffer from = buffer_new(), between = buffer_new(), to = buffer_new();
	VkDeviceMemory memory[N_IMAGES], samples_memory;
	VkImage images[N_IMAGES], samples = image_new(VK_SAMPLE_COUNT_4_BIT, &samples_memory);
	const VkOffset3D end = { SIDE, SIDE, 1 };
	const VkExtent3D extent = { SIDE, SIDE, 1 };
	const VkBufferCopy2 buffers = { VK_STRUCTURE_TYPE_BUFFER_COPY_2, NULL, 0, 0, SIZE };
	const VkBufferImageCopy2 in_and_out = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
		.imageSubresource = layer,
		.imageExtent = extent,
	};
	const VkImageCopy2 copy = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
		.srcSubresource = layer,
		.dstSubresource = layer,
		.extent = extent,
	};
	const VkImageBlit2 blit = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_BLIT_2,
		.srcSubresource = layer,
		.srcOffsets = { { 0 }, end },
		.dstSubresource = layer,
		.dstOffsets = { { 0 }, end },
	};
	const VkImageResolve2 resolve = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2,
		.srcSubresource = layer,
		.dstSubresource = layer,
		.extent = extent,
	};
	const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	const VkClearColorValue color = { .float32 = { 0x11 / 255.0f, 0x22 / 255.0f, 0x33 / 255.0f,
						       0x44 / 255.0f } };
	VkCommandBuffer cmd = vk_begin();

	/* The device group has one device. */
	if (vk_has(VK_KHR_DEVICE_GROUP_EXTENSION_NAME))
		VK_FUNCTION(vkCmdSetDeviceMaskKHR)(cmd, 1);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		((uint32_t *)from.map)[i] = COLOR;
	barrier(cmd, samples);
	for (int i = 0; i < N_IMAGES; i++) {
		images[i] = image_new(VK_SAMPLE_COUNT_1_BIT, &memory[i]);
		barrier(cmd, images[i]);
	}
	VK_FUNCTION(vkCmdCopyBuffer2KHR)
	(cmd, &(VkCopyBufferInfo2){ VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, NULL, from.buffer,
				    between.buffer, 1, &buffers });
	barrier(cmd, VK_NULL_HANDLE);
	VK_FUNCTION(vkCmdCopyBufferToImage2KHR)
	(cmd,
	 &(VkCopyBufferToImageInfo2){ VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, NULL,
				      between.buffer, images[FIRST], general, 1, &in_and_out });
	barrier(cmd, VK_NULL_HANDLE);
	VK_FUNCTION(vkCmdCopyImage2KHR)
	(cmd, &(VkCopyImageInfo2){ VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, NULL, images[FIRST],
				   general, images[SECOND], general, 1, &copy });
	barrier(cmd, VK_NULL_HANDLE);
	VK_FUNCTION(vkCmdBlitImage2KHR)
	(cmd,
	 &(VkBlitImageInfo2){ VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2, NULL, images[SECOND], general,
			      images[BLITTED], general, 1, &blit, VK_FILTER_NEAREST });
	barrier(cmd, VK_NULL_HANDLE);
	VK_FUNCTION(vkCmdCopyImageToBuffer2KHR)
	(cmd, &(VkCopyImageToBufferInfo2){ VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, NULL,
					   images[BLITTED], general, to.buffer, 1, &in_and_out });
	barrier(cmd, VK_NULL_HANDLE);
	run(cmd);
	tap(is_color(&to), "copies of the second kind, in dedicated memory");
	memset(to.map, 0, SIZE);
	cmd = vk_begin();
	vkCmdClearColorImage(cmd, samples, general, &color, 1, &all);
	barrier(cmd, VK_NULL_HANDLE);
	VK_FUNCTION(vkCmdResolveImage2KHR)
	(cmd, &(VkResolveImageInfo2){ VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, NULL, samples,
				      general, images[RESOLVED], general, 1, &resolve });
	barrier(cmd, VK_NULL_HANDLE);
	VK_FUNCTION(vkCmdCopyImageToBuffer2KHR)
	(cmd, &(VkCopyImageToBufferInfo2){ VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, NULL,
					   images[RESOLVED], general, to.buffer, 1, &in_and_out });
	barrier(cmd, VK_NULL_HANDLE);
	run(cmd);
	tap(is_color(&to), "and resolves");
	for (int i = 0; i < N_IMAGES; i++) {
		vkDestroyImage(vk.device, images[i], NULL);
		vkFreeMemory(vk.device, memory[i], NULL);
	}
	vkDestroyImage(vk.device, samples, NULL);
	vkFreeMemory(vk.device, samples_memory, NULL);
	vk_buffer_del(&from);
	vk_buffer_del(&between);
	vk_buffer_del(&to);
}

/* Imageless framebuffers */

static VkFramebuffer framebuffer_new(VkRenderPass pass)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	const VkFramebufferAttachmentImageInfo image = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.width = SIDE,
		.height = SIDE,
		.layerCount = 1,
		.viewFormatCount = 1,
		.pViewFormats = &format,
	};
	const VkFramebufferAttachmentsCreateInfo images = {
		VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO, NULL, 1, &image,
	};
	const VkFramebufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.pNext = &images,
		.flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
		.renderPass = pass,
		.attachmentCount = 1,
		.width = SIDE,
		.height = SIDE,
		.layers = 1,
	};
	VkFramebuffer framebuffer;

	VK_CHECK(vkCreateFramebuffer(vk.device, &info, NULL, &framebuffer));
	return framebuffer;
}

/* Conditional rendering: a condition that is true, then one that is false. */
static void clear_if(VkCommandBuffer cmd, const struct vk_buffer *conditions, uint32_t which,
		     uint32_t x)
{
	const VkConditionalRenderingBeginInfoEXT begin = {
		VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		NULL,
		conditions->buffer,
		4 * which,
		0,
	};
	const VkClearAttachment clear = {
		VK_IMAGE_ASPECT_COLOR_BIT, 0,
		{ .color.float32 = { 0x11 / 255.0f, 0x22 / 255.0f, 0x33 / 255.0f, 0x44 / 255.0f } },
	};
	const VkClearRect rect = { { { x, 0 }, { SIDE / 2, SIDE } }, 0, 1 };

	VK_FUNCTION(vkCmdBeginConditionalRenderingEXT)(cmd, &begin);
	vkCmdClearAttachments(cmd, 1, &clear, 1, &rect);
	VK_FUNCTION(vkCmdEndConditionalRenderingEXT)(cmd);
}

static void test_imageless(void)
{
	const VkRenderPass pass =
		vk_pass_new(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR);
	const VkFramebuffer framebuffer = framebuffer_new(pass);
	VkImageView view;
	struct vk_image image = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE,
					       VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &view);
	struct vk_buffer conditions =
		vk_buffer_new(8, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
	struct vk_buffer out = vk_buffer_new(SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const VkRenderPassAttachmentBeginInfo views = {
		VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO, NULL, 1, &view,
	};
	const VkClearValue none = { .color.float32 = { 0 } };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.pNext = &views,
		.renderPass = pass,
		.framebuffer = framebuffer,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.clearValueCount = 1,
		.pClearValues = &none,
	};
	VkCommandBuffer cmd = vk_begin();
	const uint32_t *words = out.map;
	bool held = true, failed = true;

	((uint32_t *)conditions.map)[0] = 1;
	((uint32_t *)conditions.map)[1] = 0;
	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	clear_if(cmd, &conditions, 0, 0);
	clear_if(cmd, &conditions, 1, SIDE / 2);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &image, SIDE, &out);
	vk_run(cmd);
	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		held &= i % SIDE >= SIDE / 2 || words[i] == COLOR;
		failed &= i % SIDE < SIDE / 2 || !words[i];
	}
	tap(held, "a framebuffer gets its image when a pass begins, where a condition holds");
	tap(failed, "and nothing where one does not");
	vkDestroyFramebuffer(vk.device, framebuffer, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&image);
	vk_buffer_del(&conditions);
	vk_buffer_del(&out);
}

/* Queries */

static void test_private(void)
{
	const VkPrivateDataSlotCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO
	};
	const uint64_t handle = (uint64_t)(uintptr_t)vk.pool;
	VkPrivateDataSlot slot;
	uint64_t before = 1, after = 0;

	VK_CHECK(VK_FUNCTION(vkCreatePrivateDataSlotEXT)(vk.device, &info, NULL, &slot));
	VK_FUNCTION(vkGetPrivateDataEXT)
	(vk.device, VK_OBJECT_TYPE_COMMAND_POOL, handle, slot, &before);
	VK_CHECK(VK_FUNCTION(vkSetPrivateDataEXT)(vk.device, VK_OBJECT_TYPE_COMMAND_POOL, handle,
						  slot, 42));
	VK_FUNCTION(vkGetPrivateDataEXT)
	(vk.device, VK_OBJECT_TYPE_COMMAND_POOL, handle, slot, &after);
	tap(!before && after == 42, "objects keep private data");
	VK_FUNCTION(vkDestroyPrivateDataSlotEXT)(vk.device, slot, NULL);
}

static void test_driver(void)
{
	VkPhysicalDeviceDriverProperties driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver,
	};

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	printf("# %s, %s\n", driver.driverName, driver.driverInfo);
	tap(driver.driverName[0] && driver.driverInfo[0], "the driver has a name");
}

static void test_formats(void)
{
	VkFormatProperties3 three = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 };
	VkFormatProperties2 two = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
				    .pNext = &three };

	vkGetPhysicalDeviceFormatProperties2(vk.physical, VK_FORMAT_R8G8B8A8_UNORM, &two);
	tap(two.formatProperties.optimalTilingFeatures &&
	    !(two.formatProperties.optimalTilingFeatures & ~three.optimalTilingFeatures),
	    "features of formats in 64 bits have those in 32");
}

static void test_limits(void)
{
	VkPhysicalDeviceTexelBufferAlignmentProperties texels = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &texels,
	};
	uint32_t tools = 0;

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(texels.uniformTexelBufferOffsetAlignmentBytes &&
		    texels.storageTexelBufferOffsetAlignmentBytes,
	    "buffers of texels have their alignment");
	tap(VK_ASK(vkGetPhysicalDeviceToolPropertiesEXT)(vk.physical, &tools, NULL) == VK_SUCCESS,
	    "tools can be asked for");
}

static void test_instance(void)
{
	const VkPhysicalDeviceExternalFenceInfo fence = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
		NULL,
		VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalFenceProperties fences = { .sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES };
	VkPhysicalDeviceGroupProperties groups[8] = {
		{ .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES }
	};
	const VkDebugUtilsObjectNameInfoEXT name = {
		VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		NULL,
		VK_OBJECT_TYPE_COMMAND_POOL,
		(uint64_t)(uintptr_t)vk.pool,
		"a pool",
	};
	uint32_t count = 1;

	vkGetPhysicalDeviceExternalFenceProperties(vk.physical, &fence, &fences);
	tap(!fences.externalFenceFeatures || vk_has(VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME),
	    "fences can be shared where there is a way");
	tap(vkEnumeratePhysicalDeviceGroups(vk.instance, &count, groups) >= 0 &&
		    groups[0].physicalDeviceCount == 1,
	    "a device is a group of its own");
	tap(VK_ASK(vkSetDebugUtilsObjectNameEXT)(vk.device, &name) == VK_SUCCESS,
	    "objects have names");
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_report(VkDebugReportFlagsEXT flags,
						VkDebugReportObjectTypeEXT type, uint64_t object,
						size_t location, int32_t code, const char *prefix,
						const char *message, void *data)
{
	*(uint32_t *)data += flags == VK_DEBUG_REPORT_WARNING_BIT_EXT &&
			     type == VK_DEBUG_REPORT_OBJECT_TYPE_COMMAND_POOL_EXT &&
			     object == (uint64_t)(uintptr_t)vk.pool && location == 3 && code == 4 &&
			     !strcmp(prefix, "a test") && !strcmp(message, "a report");
	return false;
}

static void report(void)
{
	VK_ASK(vkDebugReportMessageEXT)
	(vk.instance, VK_DEBUG_REPORT_WARNING_BIT_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_COMMAND_POOL_EXT,
	 (uint64_t)(uintptr_t)vk.pool, 3, 4, "a test", "a report");
}

/* The loader and each driver may call the callback. */
static void test_reports(void)
{
	uint32_t n = 0, seen;
	const VkDebugReportCallbackCreateInfoEXT info = {
		VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
		NULL,
		VK_DEBUG_REPORT_WARNING_BIT_EXT,
		on_report,
		&n,
	};
	VkDebugReportCallbackEXT callback;

	VK_CHECK(VK_ASK(vkCreateDebugReportCallbackEXT)(vk.instance, &info, NULL, &callback));
	report();
	seen = n;
	VK_ASK(vkDestroyDebugReportCallbackEXT)(vk.instance, callback, NULL);
	report();
	tap(seen && n == seen, "reports come to who asks for them, as long as it does");
}

/*
 * Returns true if a swapchain of eight images of 1 GiB each cannot be created for lack of memory.
 */
static bool fails_to_fit(VkSurfaceKHR surface)
{
	const VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = surface,
		.minImageCount = 8,
		.imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
		.imageExtent = { 16384, 16384 },
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
	VkSwapchainKHR swapchain;
	VkResult result = vkCreateSwapchainKHR(vk.device, &info, NULL, &swapchain);

	if (result == VK_SUCCESS)
		vkDestroySwapchainKHR(vk.device, swapchain, NULL);
	return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void test_headless(void)
{
	const VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT
	};
	VkPhysicalDeviceSurfaceInfo2KHR surface = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR
	};
	VkSurfaceProtectedCapabilitiesKHR protected = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR,
		.supportsProtected = 2,
	};
	VkSurfaceCapabilities2KHR capabilities = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &protected,
	};

	VK_CHECK(VK_ASK(vkCreateHeadlessSurfaceEXT)(vk.instance, &info, NULL, &surface.surface));
	VK_CHECK(VK_ASK(vkGetPhysicalDeviceSurfaceCapabilities2KHR)(vk.physical, &surface,
								    &capabilities));
	tap(capabilities.surfaceCapabilities.minImageCount,
	    "a surface that nobody sees says what it can");
	tap(!protected.supportsProtected, "and that it protects nothing");
	tap(fails_to_fit(surface.surface), "what its pictures have no memory for is told so");
	VK_ASK(vkDestroySurfaceKHR)(vk.instance, surface.surface, NULL);
}

int main(void)
{
	static const char *const of_instance[] = {
		VK_KHR_SURFACE_EXTENSION_NAME,
		VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
		VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME,
		VK_KHR_SURFACE_PROTECTED_CAPABILITIES_EXTENSION_NAME,
		VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
		VK_EXT_DEBUG_REPORT_EXTENSION_NAME,
	};
	static const char *const extensions[] = {
		VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME,
		VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,
		VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME,
		VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
		VK_KHR_IMAGELESS_FRAMEBUFFER_EXTENSION_NAME,
		VK_EXT_PRIVATE_DATA_EXTENSION_NAME,
		VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME,
		VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
		VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
		VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME,
		VK_EXT_TOOLING_INFO_EXTENSION_NAME,
		VK_KHR_DEVICE_GROUP_EXTENSION_NAME,
		VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME,
		VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME,
		VK_KHR_SWAPCHAIN_EXTENSION_NAME,
	};
	VkPhysicalDeviceConditionalRenderingFeaturesEXT conditions = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
	};
	VkPhysicalDeviceImagelessFramebufferFeatures imageless = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES,
		.pNext = &conditions,
	};
	VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT texels = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT,
		.pNext = &imageless,
	};
	VkPhysicalDeviceMemoryPriorityFeaturesEXT priorities = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT,
		.pNext = &texels,
	};
	VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT pageable = {
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT,
		.pNext = &priorities,
	};
	VkPhysicalDevicePrivateDataFeatures private = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES,
		.pNext = &pageable,
	};

	vk.features = &private;
	vk_open_with(of_instance, sizeof(of_instance) / sizeof(of_instance[0]), extensions,
		     sizeof(extensions) / sizeof(extensions[0]));
	test_copies();
	test_imageless();
	test_private();
	test_driver();
	test_formats();
	test_limits();
	test_instance();
	test_reports();
	test_headless();
	vk_close();
	return tap_failures() != 0;
}
