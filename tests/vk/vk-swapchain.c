// SPDX-License-Identifier: MIT
/*
 * Clears and presents swapchain images for vk-display and vk-present; see vk-swapchain.h.
 */
#include "vk-swapchain.h"

#include <err.h>

#include "vk-pipeline.h"

#define FORMAT VK_FORMAT_B8G8R8A8_UNORM

static void check_surface(VkSurfaceKHR surface)
{
	VkSurfaceFormatKHR formats[16];
	uint32_t count = 16;
	VkBool32 supported, found = false;

	VK_CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(vk.physical, 0, surface, &supported));
	if (!supported)
		errx(1, "the queue does not present to the surface");
	if (vkGetPhysicalDeviceSurfaceFormatsKHR(vk.physical, surface, &count, formats) < 0 ||
	    !count)
		errx(1, "there are no formats");
	for (uint32_t i = 0; i < count; i++)
		found |= formats[i].format == FORMAT;
	tap(found, "a surface takes pictures of 8 bits");
}

static VkSemaphore semaphore_new(void)
{
	const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
	VkSemaphore semaphore;

	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &semaphore));
	return semaphore;
}

struct vk_swapchain vk_swapchain_new_with(VkSurfaceKHR surface, VkExtent2D size, VkFormat seen_as,
					  const void *more)
{
	const VkFormat formats[] = { FORMAT, seen_as };
	const VkImageFormatListCreateInfo list = {
		VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, more, 2, formats,
	};
	const VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.pNext = seen_as ? &list : more,
		.flags = seen_as ? VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR : 0,
		.surface = surface,
		.minImageCount = 3,
		.imageFormat = FORMAT,
		.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
		.imageExtent = size,
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
	struct vk_swapchain chain = { .size = size,
				      .seen_as = seen_as,
				      .n_images = VK_SWAPCHAIN_IMAGES };

	check_surface(surface);
	VK_CHECK(vkCreateSwapchainKHR(vk.device, &info, NULL, &chain.swapchain));
	VK_CHECK(
		vkGetSwapchainImagesKHR(vk.device, chain.swapchain, &chain.n_images, chain.images));
	chain.there = semaphore_new();
	chain.drawn = semaphore_new();
	return chain;
}

struct vk_swapchain vk_swapchain_new(VkSurfaceKHR surface, VkExtent2D size, VkFormat seen_as)
{
	return vk_swapchain_new_with(surface, size, seen_as, NULL);
}

void vk_swapchain_del(const struct vk_swapchain *chain)
{
	vkDestroySemaphore(vk.device, chain->there, NULL);
	vkDestroySemaphore(vk.device, chain->drawn, NULL);
	vkDestroySwapchainKHR(vk.device, chain->swapchain, NULL);
}

static void make_layout(VkCommandBuffer cmd, VkImage image, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
	};

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* The objects that clear an image through a view of another format. */
struct drawing {
	VkImageView view;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
};

static void drawing_init(struct drawing *d, const struct vk_swapchain *chain, VkImage image)
{
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = chain->seen_as,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
	};
	VkFramebufferCreateInfo framebuffer = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &d->view,
		.width = chain->size.width,
		.height = chain->size.height,
		.layers = 1,
	};

	VK_CHECK(vkCreateImageView(vk.device, &view, NULL, &d->view));
	d->pass = vk_pass_new(chain->seen_as, VK_ATTACHMENT_LOAD_OP_CLEAR);
	framebuffer.renderPass = d->pass;
	VK_CHECK(vkCreateFramebuffer(vk.device, &framebuffer, NULL, &d->framebuffer));
}

static void drawing_fini(const struct drawing *d)
{
	vkDestroyFramebuffer(vk.device, d->framebuffer, NULL);
	vkDestroyRenderPass(vk.device, d->pass, NULL);
	vkDestroyImageView(vk.device, d->view, NULL);
}

static void draw(VkCommandBuffer cmd, const struct drawing *d, VkExtent2D size,
		 const VkClearColorValue *color)
{
	const VkClearValue value = { .color = *color };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = d->pass,
		.framebuffer = d->framebuffer,
		.renderArea = { { 0, 0 }, size },
		.clearValueCount = 1,
		.pClearValues = &value,
	};

	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(cmd);
}

VkResult vk_swapchain_acquire(const struct vk_swapchain *chain, uint64_t timeout, uint32_t *i)
{
	return vkAcquireNextImageKHR(vk.device, chain->swapchain, timeout, chain->there,
				     VK_NULL_HANDLE, i);
}

void vk_swapchain_show(const struct vk_swapchain *chain, uint32_t i, VkSemaphore there, float red,
		       float green)
{
	const VkClearColorValue color = { .float32 = { red, green, 0, 1 } };
	const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkCommandBuffer cmd = vk_begin();
	struct drawing drawing = { 0 };

	make_layout(cmd, chain->images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	if (chain->seen_as) {
		drawing_init(&drawing, chain, chain->images[i]);
		draw(cmd, &drawing, chain->size, &color);
	} else {
		vkCmdClearColorImage(cmd, chain->images[i], VK_IMAGE_LAYOUT_GENERAL, &color, 1,
				     &all);
	}
	make_layout(cmd, chain->images[i], VK_IMAGE_LAYOUT_GENERAL,
		    VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	VK_CHECK(vkEndCommandBuffer(cmd));
	const VkSubmitInfo submit = {
		VK_STRUCTURE_TYPE_SUBMIT_INFO,
		NULL,
		there != VK_NULL_HANDLE,
		&there,
		&stages,
		1,
		&cmd,
		1,
		&chain->drawn,
	};
	const VkPresentInfoKHR info = {
		VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		chain->with,
		1,
		&chain->drawn,
		1,
		&chain->swapchain,
		&i,
		NULL,
	};

	VK_CHECK(vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE));
	VK_CHECK(vkQueuePresentKHR(vk.queue, &info));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	drawing_fini(&drawing);
}

void vk_swapchain_present(const struct vk_swapchain *chain, float red, float green)
{
	uint32_t i;

	VK_CHECK(vk_swapchain_acquire(chain, UINT64_MAX, &i));
	vk_swapchain_show(chain, i, chain->there, red, green);
}
