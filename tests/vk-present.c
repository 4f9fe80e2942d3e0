// SPDX-License-Identifier: MIT
/*
 * Vulkan: pictures that are presented to a window of X, and what the window shows then. Prints TAP.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcb/xcb.h>

#define VK_USE_PLATFORM_XCB_KHR
#include "vk.h"
#include "workers.h"

#define SIDE 100
#define MAX_IMAGES 8

static struct {
	xcb_connection_t *x;
	xcb_window_t window;
	VkSurfaceKHR surface;
	VkSwapchainKHR swapchain;
	VkImage images[MAX_IMAGES];
	VkFormat seen_as;		/* the format of views, other than that of the images; 0: there are none */
	uint32_t n_images;
	VkFormat format;
} test;

static void make_window(void)
{
	const xcb_setup_t *setup;
	xcb_screen_t *screen;
	const uint32_t above = true;

	test.x = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(test.x))
		errx(1, "there is no X server");
	setup = xcb_get_setup(test.x);
	screen = xcb_setup_roots_iterator(setup).data;
	test.window = xcb_generate_id(test.x);
	xcb_create_window(test.x, XCB_COPY_FROM_PARENT, test.window, screen->root, 0, 0, SIDE, SIDE, 0,
			  XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_OVERRIDE_REDIRECT, &above);
	xcb_map_window(test.x, test.window);
	xcb_flush(test.x);
}

static void make_surface(void)
{
	const VkXcbSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, .connection = test.x, .window = test.window,
	};
	VkSurfaceFormatKHR formats[16];
	uint32_t count = 16;
	VkBool32 supported;

	VK_CHECK(vkCreateXcbSurfaceKHR(vk.instance, &info, NULL, &test.surface));
	VK_CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(vk.physical, 0, test.surface, &supported));
	if (!supported)
		errx(1, "the queue does not present to the window");
	if (vkGetPhysicalDeviceSurfaceFormatsKHR(vk.physical, test.surface, &count, formats) < 0 || !count)
		errx(1, "there are no formats");
	for (uint32_t i = 0; i < count; i++)
		if (formats[i].format == VK_FORMAT_B8G8R8A8_UNORM)
			test.format = formats[i].format;
	tap(test.format, "a window takes pictures of 8 bits");
}

static void make_swapchain(void)
{
	const VkFormat formats[] = { test.format, test.seen_as };
	const VkImageFormatListCreateInfo list = {
		VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, NULL, 2, formats,
	};
	const VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, .pNext = test.seen_as ? &list : NULL,
		.flags = test.seen_as ? VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR : 0,
		.surface = test.surface, .minImageCount = 3,
		.imageFormat = test.format, .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
		.imageExtent = { SIDE, SIDE }, .imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, .presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};

	VK_CHECK(vkCreateSwapchainKHR(vk.device, &info, NULL, &test.swapchain));
	test.n_images = MAX_IMAGES;
	VK_CHECK(vkGetSwapchainImagesKHR(vk.device, test.swapchain, &test.n_images, test.images));
}

static VkSemaphore semaphore_new(void)
{
	const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
	VkSemaphore semaphore;

	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &semaphore));
	return semaphore;
}

static void make_layout(VkCommandBuffer cmd, VkImage image, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from, .newLayout = to, .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
	};

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
			     NULL, 1, &barrier);
}

/* What a picture is drawn with as another format. */
struct drawing {
	VkImageView view;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
};

static void drawing_init(struct drawing *d, VkImage image)
{
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image, .viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = test.seen_as, .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
	};
	const VkAttachmentDescription attachment = {
		.format = test.seen_as, .samples = 1, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE, .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
		.finalLayout = VK_IMAGE_LAYOUT_GENERAL,
	};
	const VkAttachmentReference reference = { 0, VK_IMAGE_LAYOUT_GENERAL };
	const VkSubpassDescription subpass = { .colorAttachmentCount = 1, .pColorAttachments = &reference };
	const VkRenderPassCreateInfo pass = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = 1, .pAttachments = &attachment,
		.subpassCount = 1, .pSubpasses = &subpass,
	};
	VkFramebufferCreateInfo framebuffer = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .attachmentCount = 1, .pAttachments = &d->view,
		.width = SIDE, .height = SIDE, .layers = 1,
	};

	VK_CHECK(vkCreateImageView(vk.device, &view, NULL, &d->view));
	VK_CHECK(vkCreateRenderPass(vk.device, &pass, NULL, &d->pass));
	framebuffer.renderPass = d->pass;
	VK_CHECK(vkCreateFramebuffer(vk.device, &framebuffer, NULL, &d->framebuffer));
}

static void drawing_fini(const struct drawing *d)
{
	vkDestroyFramebuffer(vk.device, d->framebuffer, NULL);
	vkDestroyRenderPass(vk.device, d->pass, NULL);
	vkDestroyImageView(vk.device, d->view, NULL);
}

static void draw(VkCommandBuffer cmd, const struct drawing *d, const VkClearColorValue *color)
{
	const VkClearValue value = { .color = *color };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = d->pass, .framebuffer = d->framebuffer,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } }, .clearValueCount = 1, .pClearValues = &value,
	};

	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(cmd);
}

/* A picture of one colour, of a command buffer that waits for it to be there, and is waited for by the window. */
static void present(float red, float green, VkSemaphore there, VkSemaphore drawn)
{
	const VkClearColorValue color = { .float32 = { red, green, 0, 1 } };
	const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkCommandBuffer cmd = vk_begin();
	struct drawing drawing = { 0 };
	uint32_t i;

	VK_CHECK(vkAcquireNextImageKHR(vk.device, test.swapchain, UINT64_MAX, there, VK_NULL_HANDLE, &i));
	make_layout(cmd, test.images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	if (test.seen_as) {
		drawing_init(&drawing, test.images[i]);
		draw(cmd, &drawing, &color);
	} else {
		vkCmdClearColorImage(cmd, test.images[i], VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
	}
	make_layout(cmd, test.images[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	VK_CHECK(vkEndCommandBuffer(cmd));
	const VkSubmitInfo submit = {
		VK_STRUCTURE_TYPE_SUBMIT_INFO, NULL, 1, &there, &stages, 1, &cmd, 1, &drawn,
	};
	const VkPresentInfoKHR info = {
		VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, NULL, 1, &drawn, 1, &test.swapchain, &i, NULL,
	};

	VK_CHECK(vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE));
	VK_CHECK(vkQueuePresentKHR(vk.queue, &info));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	drawing_fini(&drawing);
}

/* Does all of the window have the colour? It comes when the server has time. */
static bool window_is(uint32_t color)
{
	for (int tries = 0; tries < 100; tries++) {
		xcb_get_image_reply_t *reply = xcb_get_image_reply(test.x,
			xcb_get_image(test.x, XCB_IMAGE_FORMAT_Z_PIXMAP, test.window, 0, 0, SIDE, SIDE, ~0u), NULL);
		const uint32_t *pixels = reply ? (const uint32_t *)xcb_get_image_data(reply) : NULL;
		bool ok = pixels;

		for (int i = 0; ok && i < SIDE * SIDE; i++)
			ok = (pixels[i] & 0xffffff) == color;
		free(reply);
		if (ok)
			return true;
		usleep(20000);
	}
	return false;
}

static void test_frames(void)
{
	VkSemaphore there = semaphore_new(), drawn = semaphore_new();

	present(1, 0, there, drawn);
	tap(window_is(0xff0000), "a window shows what was presented");
	present(0, 1, there, drawn);
	tap(window_is(0x00ff00), "and then the next picture");
	for (int i = 0; i < 20; i++)
		present(i & 1, 1, there, drawn);
	tap(window_is(0xffff00), "and the last of many");
	vkDestroySemaphore(vk.device, there, NULL);
	vkDestroySemaphore(vk.device, drawn, NULL);
}

/* Pictures that are drawn as sRGB, and shown as what they have then. */
static void test_mutable(void)
{
	VkSemaphore there = semaphore_new(), drawn = semaphore_new();

	test.seen_as = VK_FORMAT_B8G8R8A8_SRGB;
	vkDestroySwapchainKHR(vk.device, test.swapchain, NULL);
	make_swapchain();
	present(0.502886f, 1, there, drawn);
	tap(window_is(0xbcff00), "pictures may be drawn as another format");
	test.seen_as = VK_FORMAT_UNDEFINED;
	present(1, 1, there, drawn);
	tap(window_is(0xffff00), "and as what they are");
	vkDestroySemaphore(vk.device, there, NULL);
	vkDestroySemaphore(vk.device, drawn, NULL);
}

/* The device goes: what would be presented is refused, and whoever asks for a picture gets an answer. */
static void test_loss(void)
{
	VkSemaphore there = semaphore_new(), drawn = semaphore_new();
	const VkPresentInfoKHR info = {
		VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, NULL, 0, NULL, 1, &test.swapchain, &(uint32_t){ 0 }, NULL,
	};
	uint32_t i;

	VK_CHECK(vkAcquireNextImageKHR(vk.device, test.swapchain, UINT64_MAX, there, VK_NULL_HANDLE, &i));
	tap(workers_kill() > 0, "the worker was killed");
	while (!vkQueueWaitIdle(vk.queue))
		usleep(10000);
	tap(vkQueuePresentKHR(vk.queue, &info) == VK_ERROR_DEVICE_LOST, "a lost device presents nothing");
	vkAcquireNextImageKHR(vk.device, test.swapchain, UINT64_MAX, drawn, VK_NULL_HANDLE, &i);
	tap(window_is(0xffff00), "the window shows what it did");
	vkDestroySemaphore(vk.device, there, NULL);
	vkDestroySemaphore(vk.device, drawn, NULL);
}

int main(void)
{
	static const char *const of_instance[] = { VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_XCB_SURFACE_EXTENSION_NAME };
	static const char *const of_device[] = {
		VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME,
		VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
	};

	make_window();
	vk_open_with(of_instance, 2, of_device, 3);
	make_surface();
	make_swapchain();
	test_frames();
	test_mutable();
	if (getenv("SUNDOG_RENDERD") && strstr(vk.properties.deviceName, "sundog"))
		test_loss();
	vkDestroySwapchainKHR(vk.device, test.swapchain, NULL);
	vkDestroySurfaceKHR(vk.instance, test.surface, NULL);
	vk_close();
	xcb_disconnect(test.x);
	return tap_failures() != 0;
}
