// SPDX-License-Identifier: MIT
/*
 * Vulkan: images that are presented to an X11 window, and the contents of the window. Prints TAP.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcb/xcb.h>

#include "patience.h"
#define VK_USE_PLATFORM_XCB_KHR
#include "vk-swapchain.h"
#include "workers.h"

#define SIDE 100

static struct {
	xcb_connection_t *x;
	xcb_window_t window;
	VkSurfaceKHR surface;
	struct vk_swapchain chain;
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
	xcb_create_window(test.x, XCB_COPY_FROM_PARENT, test.window, screen->root, 0, 0, SIDE, SIDE,
			  0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual,
			  XCB_CW_OVERRIDE_REDIRECT, &above);
	xcb_map_window(test.x, test.window);
	xcb_flush(test.x);
}

static void make_surface(void)
{
	const VkXcbSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		.connection = test.x,
		.window = test.window,
	};

	VK_CHECK(vkCreateXcbSurfaceKHR(vk.instance, &info, NULL, &test.surface));
}

static void make_swapchain(VkFormat seen_as)
{
	test.chain = vk_swapchain_new(test.surface, (VkExtent2D){ SIDE, SIDE }, seen_as);
}

static void present(float red, float green)
{
	vk_swapchain_present(&test.chain, red, green);
}

/*
 * Returns true when the whole window has @color. The X server may take some time to show it, so
 * this polls until patience_end().
 */
static bool window_is(uint32_t color)
{
	const int64_t end = patience_end();
	bool ok;

	do {
		xcb_get_image_reply_t *reply =
			xcb_get_image_reply(test.x,
					    xcb_get_image(test.x, XCB_IMAGE_FORMAT_Z_PIXMAP,
							  test.window, 0, 0, SIDE, SIDE, ~0u),
					    NULL);
		const uint32_t *pixels = reply ? (const uint32_t *)xcb_get_image_data(reply) : NULL;

		ok = pixels;
		for (int i = 0; ok && i < SIDE * SIDE; i++)
			ok = (pixels[i] & 0xffffff) == color;
		free(reply);
	} while (!ok && patience_pause(end));
	return ok;
}

static void test_frames(void)
{
	present(1, 0);
	tap(window_is(0xff0000), "a window shows what was presented");
	present(0, 1);
	tap(window_is(0x00ff00), "and then the next picture");
	for (int i = 0; i < 20; i++)
		present(i & 1, 1);
	tap(window_is(0xffff00), "and the last of many");
}

static void test_wait(uint64_t id)
{
	PFN_vkWaitForPresentKHR wait = VK_FUNCTION(vkWaitForPresentKHR);

	tap(wait(vk.device, test.chain.swapchain, id, PATIENCE_MS * 1000000ull) == VK_SUCCESS,
	    "who waits for a picture learns that it is shown");
	tap(wait(vk.device, test.chain.swapchain, id + 1, 1000000) == VK_TIMEOUT,
	    "and not of one that nobody presented");
}

/* Presents with present ids, a present fence and present regions (what of the image is new). */
static void test_presented(void)
{
	const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	VkFence fence;
	uint64_t id = 5;
	const VkRectLayerKHR rect = { { 0, 0 }, { SIDE, SIDE }, 0 };
	const VkPresentRegionKHR region = { 1, &rect };
	const VkPresentRegionsKHR regions = { VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR, NULL, 1,
					      &region };
	const VkPresentIdKHR ids = { VK_STRUCTURE_TYPE_PRESENT_ID_KHR, &regions, 1, &id };
	const bool waits = vk_has(VK_KHR_PRESENT_WAIT_EXTENSION_NAME);
	VkSwapchainPresentFenceInfoEXT fences = {
		VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT,
		waits ? (const void *)&ids : &regions,
		1,
		&fence,
	};

	VK_CHECK(vkCreateFence(vk.device, &fence_info, NULL, &fence));
	test.chain.with = &fences;
	present(0, 1);
	tap(vkWaitForFences(vk.device, 1, &fence, true, PATIENCE_MS * 1000000ull) == VK_SUCCESS,
	    "a picture's fence says when it is taken");
	if (waits)
		test_wait(id);
	tap(window_is(0x00ff00), "it is shown");
	test.chain.with = NULL;
	vkDestroyFence(vk.device, fence, NULL);
}

/* An image that is released without being presented can be acquired again. */
static void test_release(void)
{
	const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	VkReleaseSwapchainImagesInfoEXT release = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT,
		.swapchain = test.chain.swapchain,
		.imageIndexCount = 1,
	};
	uint32_t i, released = 0;
	VkFence fence;

	VK_CHECK(vkCreateFence(vk.device, &fence_info, NULL, &fence));
	for (uint32_t n = 0; n < 2 * test.chain.n_images; n++) {
		VK_CHECK(vkAcquireNextImageKHR(vk.device, test.chain.swapchain,
					       PATIENCE_MS * 1000000ull, VK_NULL_HANDLE, fence,
					       &i));
		VK_CHECK(vkWaitForFences(vk.device, 1, &fence, true, UINT64_MAX));
		VK_CHECK(vkResetFences(vk.device, 1, &fence));
		release.pImageIndices = &i;
		released +=
			VK_FUNCTION(vkReleaseSwapchainImagesEXT)(vk.device, &release) == VK_SUCCESS;
	}
	tap(released == 2 * test.chain.n_images, "pictures are given back without being shown");
	present(1, 1);
	tap(window_is(0xffff00), "and the next that is drawn is");
	vkDestroyFence(vk.device, fence, NULL);
}

/* Present modes that are compatible with each other. */
static void test_modes(void)
{
	const VkSurfacePresentModeEXT mode = {
		VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT, NULL, VK_PRESENT_MODE_FIFO_KHR,
	};
	const VkPhysicalDeviceSurfaceInfo2KHR surface = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, &mode, test.surface,
	};
	VkSurfacePresentModeCompatibilityEXT modes = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT,
	};
	VkSurfaceCapabilities2KHR capabilities = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &modes,
	};

	VK_CHECK(VK_ASK(vkGetPhysicalDeviceSurfaceCapabilities2KHR)(vk.physical, &surface,
								    &capabilities));
	tap(modes.presentModeCount, "a mode of presentation goes with itself, at least");
}

/* Images that are drawn through sRGB views, and presented with the bytes that result. */
static void test_mutable(void)
{
	vk_swapchain_del(&test.chain);
	make_swapchain(VK_FORMAT_B8G8R8A8_SRGB);
	present(0.502886f, 1);
	tap(window_is(0xbcff00), "pictures may be drawn as another format");
	test.chain.seen_as = VK_FORMAT_UNDEFINED;
	present(1, 1);
	tap(window_is(0xffff00), "and as what they are");
}

/* The device is lost: presenting returns VK_ERROR_DEVICE_LOST, and acquiring an image returns. */
static void test_loss(void)
{
	const struct vk_swapchain *chain = &test.chain;
	const VkPresentInfoKHR info = {
		VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		NULL,
		0,
		NULL,
		1,
		&chain->swapchain,
		&(uint32_t){ 0 },
		NULL,
	};
	uint32_t i;

	VK_CHECK(vkAcquireNextImageKHR(vk.device, chain->swapchain, UINT64_MAX, chain->there,
				       VK_NULL_HANDLE, &i));
	tap(workers_kill() > 0, "the worker was killed");
	while (!vkQueueWaitIdle(vk.queue))
		usleep(10000);
	tap(vkQueuePresentKHR(vk.queue, &info) == VK_ERROR_DEVICE_LOST,
	    "a lost device presents nothing");
	vkAcquireNextImageKHR(vk.device, chain->swapchain, UINT64_MAX, chain->drawn, VK_NULL_HANDLE,
			      &i);
	tap(window_is(0xffff00), "the window shows what it did");
}

int main(void)
{
	static const char *const of_instance[] = {
		VK_KHR_SURFACE_EXTENSION_NAME,
		VK_KHR_XCB_SURFACE_EXTENSION_NAME,
		VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME,
		VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME,
	};
	static const char *const of_device[] = {
		VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME,
		VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME, VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME,
		VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME,
	};
	/* Supported for windows that take images without a copy. */
	static const char *const wishes[] = {
		VK_KHR_PRESENT_ID_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_EXTENSION_NAME, NULL,
	};
	static VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT swapchains = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT,
	};
	static VkPhysicalDevicePresentIdFeaturesKHR ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
		.pNext = &swapchains,
	};
	static VkPhysicalDevicePresentWaitFeaturesKHR waits = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, .pNext = &ids,
	};

	make_window();
	vk.features = &waits;
	vk.wishes = wishes;
	vk_open_with(of_instance, 4, of_device, 5);
	make_surface();
	make_swapchain(VK_FORMAT_UNDEFINED);
	test_frames();
	test_presented();
	test_release();
	test_modes();
	test_mutable();
	if (getenv("SUNDOG_RENDERD") && strstr(vk.properties.deviceName, "sundog"))
		test_loss();
	vk_swapchain_del(&test.chain);
	vkDestroySurfaceKHR(vk.instance, test.surface, NULL);
	vk_close();
	xcb_disconnect(test.x);
	return tap_failures() != 0;
}
