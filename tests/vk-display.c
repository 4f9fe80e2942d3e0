// SPDX-License-Identifier: MIT
/*
 * Vulkan: pictures that are presented to a display, without a window system. Prints TAP.
 * usage: vk-display COMMAND [NODE]: COMMAND with RRGGBB=PIXELS behind it says whether the screen has that colour. With
 * NODE the display is one that this program has opened itself, and lends.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "patience.h"
#include "vk-swapchain.h"

#define MAX_DISPLAYS 4
#define MAX_MODES 64

static struct {
	const char *look;
	VkDisplayKHR display;
	VkSurfaceKHR surface;
	struct vk_swapchain chain;
} test;

static bool screen_is(uint32_t color)
{
	const VkExtent2D size = test.chain.size;
	const int64_t end = patience_end();
	char command[256];

	snprintf(command, sizeof(command), "%s %06x=%u >/dev/null", test.look, color, size.width * size.height);
	do {
		if (!system(command))
			return true;
	} while (patience_pause(end));
	return false;
}

static void find_display(void)
{
	VkDisplayPropertiesKHR displays[MAX_DISPLAYS];
	uint32_t count = MAX_DISPLAYS;

	VK_CHECK(vkGetPhysicalDeviceDisplayPropertiesKHR(vk.physical, &count, displays));
	tap(count == 1 && displays[0].displayName, "there is a display");
	if (count)
		test.display = displays[0].display;
}

/* The program's own, which nobody else sees. */
static void acquire_display(int fd)
{
	const PFN_vkGetDrmDisplayEXT get = VK_ASK(vkGetDrmDisplayEXT);
	const PFN_vkAcquireDrmDisplayEXT acquire = VK_ASK(vkAcquireDrmDisplayEXT);
	const int null = open("/dev/null", O_RDWR);
	drmModeResPtr res = drmModeGetResources(fd);
	uint32_t count = 0;

	if (!res || !res->count_connectors)
		errx(1, "there is no connector");
	VK_CHECK(vkGetPhysicalDeviceDisplayPropertiesKHR(vk.physical, &count, NULL));
	tap(!count, "a display that somebody has is nobody else's");
	tap(get(vk.physical, null, res->connectors[0], &test.display) != VK_SUCCESS && !test.display,
	    "what is no display is refused");
	close(null);
	VK_CHECK(get(vk.physical, fd, res->connectors[0], &test.display));
	tap(acquire(vk.physical, fd, test.display) == VK_SUCCESS, "it is acquired");
	tap(acquire(vk.physical, fd, test.display) != VK_SUCCESS, "once");
	drmModeFreeResources(res);
}

static uint32_t find_plane(void)
{
	VkDisplayPlanePropertiesKHR planes[MAX_DISPLAYS];
	uint32_t n_planes = MAX_DISPLAYS;

	VK_CHECK(vkGetPhysicalDeviceDisplayPlanePropertiesKHR(vk.physical, &n_planes, planes));
	for (uint32_t i = 0; i < n_planes; i++) {
		VkDisplayKHR displays[MAX_DISPLAYS];
		uint32_t count = MAX_DISPLAYS;

		VK_CHECK(vkGetDisplayPlaneSupportedDisplaysKHR(vk.physical, i, &count, displays));
		for (uint32_t j = 0; j < count; j++)
			if (displays[j] == test.display)
				return i;
	}
	errx(1, "no plane is the display's");
}

/* The whole display, in its first mode. */
static VkExtent2D make_surface(void)
{
	VkDisplayModePropertiesKHR modes[MAX_MODES];
	uint32_t n_modes = MAX_MODES;
	VkDisplayPlaneCapabilitiesKHR can;
	const uint32_t plane = find_plane();

	if (vkGetDisplayModePropertiesKHR(vk.physical, test.display, &n_modes, modes) < 0 || !n_modes)
		errx(1, "the display has no modes");
	VK_CHECK(vkGetDisplayPlaneCapabilitiesKHR(vk.physical, modes[0].displayMode, plane, &can));

	const VkExtent2D size = modes[0].parameters.visibleRegion;
	const VkDisplaySurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR, .displayMode = modes[0].displayMode,
		.planeIndex = plane, .transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR, .imageExtent = size,
	};

	tap(modes[0].parameters.refreshRate >= 1000 && can.supportedAlpha & VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
	    "its first mode is %ux%u at %u mHz", size.width, size.height, modes[0].parameters.refreshRate);
	VK_CHECK(vkCreateDisplayPlaneSurfaceKHR(vk.instance, &info, NULL, &test.surface));
	return size;
}

static void present(float red, float green)
{
	vk_swapchain_present(&test.chain, red, green);
}

static void test_frames(void)
{
	present(1, 0);
	tap(screen_is(0xff0000), "the screen shows what was presented");
	present(0, 1);
	tap(screen_is(0x00ff00), "and then the next picture");
	for (int i = 0; i < 20; i++)
		present(i & 1, 1);
	tap(screen_is(0xffff00), "and the last of many");
}

/* What the next file gets for a number is what was closed last. */
static void test_release(int fd)
{
	VkDisplayKHR display = test.display;
	int node;

	tap(VK_ASK(vkReleaseDisplayEXT)(vk.physical, display) == VK_SUCCESS, "the display is given back");
	node = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	tap(node >= 0 && drmIsMaster(node) == (fd < 0), "%s", fd < 0 ? "to whoever comes next" : "to its owner");
	vk_close();
	tap(fcntl(node, F_GETFD) >= 0, "and not again at the end");
	tap(fd < 0 || (fcntl(fd, F_GETFD) >= 0 && drmIsMaster(fd)), "whose file it is still");
	close(node);
}

int main(int argc, char **argv)
{
	static const char *const of_instance[] = {
		VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_DISPLAY_EXTENSION_NAME,
		VK_KHR_GET_DISPLAY_PROPERTIES_2_EXTENSION_NAME, VK_EXT_DIRECT_MODE_DISPLAY_EXTENSION_NAME,
		VK_EXT_DISPLAY_SURFACE_COUNTER_EXTENSION_NAME, VK_EXT_ACQUIRE_DRM_DISPLAY_EXTENSION_NAME,
	};
	static const char *const of_device[] = { VK_KHR_SWAPCHAIN_EXTENSION_NAME };
	VkSurfaceCapabilities2EXT can = { .sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_EXT };
	VkExtent2D size;
	const int fd = argc > 2 ? open(argv[2], O_RDWR | O_CLOEXEC) : -1;

	if (argc < 2 || (argc > 2 && fd < 0))
		errx(1, "usage: vk-display COMMAND [NODE]");
	test.look = argv[1];
	vk_open_with(of_instance, 6, of_device, 1);
	if (fd < 0)
		find_display();
	else
		acquire_display(fd);
	size = make_surface();
	test.chain = vk_swapchain_new(test.surface, size, VK_FORMAT_UNDEFINED);
	VK_CHECK(VK_ASK(vkGetPhysicalDeviceSurfaceCapabilities2EXT)(vk.physical, test.surface, &can));
	tap(can.supportedSurfaceCounters & VK_SURFACE_COUNTER_VBLANK_BIT_EXT, "a display has vblanks");
	test_frames();
	vk_swapchain_del(&test.chain);
	vkDestroySurfaceKHR(vk.instance, test.surface, NULL);
	test_release(fd);
	return tap_failures() != 0;
}
