// SPDX-License-Identifier: MIT
/*
 * VK_EXT_display_control: the power state of a display, display and device events, and the vblank
 * counter, which must agree with the kernel's. udev must run with tests/guest/hotplug.rules; the
 * display is on card0, and card1 is another device.
 */
#include <err.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "patience.h"
#include "vk-display.h"

#define SHORT_NS 100000000
#define PATIENCE_NS (PATIENCE_MS * 1000000ull)
/* More events than the kernel queues for an open file. */
#define MANY_EVENTS 200

static uint64_t count_of_swapchain(void)
{
	const PFN_vkGetSwapchainCounterEXT get = VK_FUNCTION(vkGetSwapchainCounterEXT);
	uint64_t count;

	VK_CHECK(get(vk.device, test.chain.swapchain, VK_SURFACE_COUNTER_VBLANK_BIT_EXT, &count));
	return count;
}

static uint64_t count_of_kernel(void)
{
	const int node = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	drmModeResPtr res = drmModeGetResources(node);
	uint64_t count, ns;

	if (!res || !res->count_crtcs || drmCrtcGetSequence(node, res->crtcs[0], &count, &ns))
		errx(1, "the kernel does not count vblanks");
	drmModeFreeResources(res);
	close(node);
	return count;
}

static VkResult set_power(VkDisplayPowerStateEXT state)
{
	const VkDisplayPowerInfoEXT info = { VK_STRUCTURE_TYPE_DISPLAY_POWER_INFO_EXT, NULL,
					     state };

	return VK_FUNCTION(vkDisplayPowerControlEXT)(vk.device, test.display, &info);
}

static VkResult register_pixel(const VkAllocationCallbacks *allocator, VkFence *fence)
{
	const VkDisplayEventInfoEXT info = {
		VK_STRUCTURE_TYPE_DISPLAY_EVENT_INFO_EXT,
		NULL,
		VK_DISPLAY_EVENT_TYPE_FIRST_PIXEL_OUT_EXT,
	};

	return VK_FUNCTION(vkRegisterDisplayEventEXT)(vk.device, test.display, &info, allocator,
						      fence);
}

static VkFence next_pixel(void)
{
	VkFence fence;

	VK_CHECK(register_pixel(NULL, &fence));
	return fence;
}

static VkFence next_hotplug(void)
{
	const VkDeviceEventInfoEXT info = {
		VK_STRUCTURE_TYPE_DEVICE_EVENT_INFO_EXT,
		NULL,
		VK_DEVICE_EVENT_TYPE_DISPLAY_HOTPLUG_EXT,
	};
	VkFence fence;

	VK_CHECK(VK_FUNCTION(vkRegisterDeviceEventEXT)(vk.device, &info, NULL, &fence));
	return fence;
}

static VkResult wait_for(VkFence fence, uint64_t timeout)
{
	return vkWaitForFences(vk.device, 1, &fence, true, timeout);
}

static bool is_ready(VkFence fence)
{
	return vkGetFenceStatus(vk.device, fence) == VK_SUCCESS;
}

static bool is_not_ready(VkFence fence)
{
	return vkGetFenceStatus(vk.device, fence) == VK_NOT_READY;
}

static void test_pixels(void)
{
	const uint64_t before = count_of_kernel(), count = count_of_swapchain(),
		       after = count_of_kernel();
	VkFence fence = next_pixel();

	tap(before && before <= count && count <= after,
	    "a swapchain counts the vblanks that the kernel counts");
	tap(wait_for(fence, PATIENCE_NS) == VK_SUCCESS && is_ready(fence),
	    "the next first pixel is waited for");
	tap(count_of_swapchain() > count, "which is a vblank later");
	VK_CHECK(vkResetFences(vk.device, 1, &fence));
	tap(is_not_ready(fence), "a fence that is reset has forgotten it");
	vkDestroyFence(vk.device, fence, NULL);

	for (int i = 0; i < MANY_EVENTS; i++)
		vkDestroyFence(vk.device, next_pixel(), NULL);
	fence = next_pixel();
	tap(wait_for(fence, PATIENCE_NS) == VK_SUCCESS,
	    "and again, after many that nobody waited for");
	vkDestroyFence(vk.device, fence, NULL);
}

static void test_both(void)
{
	const VkFence fences[] = { next_hotplug(), next_pixel() };

	tap(vkWaitForFences(vk.device, 2, fences, false, PATIENCE_NS) == VK_SUCCESS &&
		    is_ready(fences[1]),
	    "of two events one is enough");
	tap(vkWaitForFences(vk.device, 2, fences, true, SHORT_NS) == VK_TIMEOUT &&
		    is_not_ready(fences[0]),
	    "or it is not, for a time");
	vkDestroyFence(vk.device, fences[0], NULL);
	vkDestroyFence(vk.device, fences[1], NULL);
}

/* Opens a sysfs file of the connector of card0, but not of its writeback connector. */
static FILE *connector_open(const char *name, const char *mode)
{
	char pattern[64];
	glob_t found;
	FILE *file;

	snprintf(pattern, sizeof(pattern), "/sys/class/drm/card0-[!W]*/%s", name);
	if (glob(pattern, 0, NULL, &found) || !(file = fopen(found.gl_pathv[0], mode)))
		err(1, "%s", pattern);
	globfree(&found);
	return file;
}

static bool power_is(const char *state)
{
	FILE *file = connector_open("dpms", "r");
	char line[16] = "";

	if (!fgets(line, sizeof(line), file))
		errx(1, "the connector has no power state");
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	return !strcmp(line, state);
}

static void *count_allocation(void *data, size_t size, size_t alignment,
			      VkSystemAllocationScope scope)
{
	(void)scope;
	++*(int *)data;
	return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void *no_reallocation(void *data, void *memory, size_t size, size_t alignment,
			     VkSystemAllocationScope scope)
{
	(void)data, (void)memory, (void)alignment, (void)scope;
	errx(1, "nobody is to make %zu bytes of what there was", size);
}

static void count_free(void *data, void *memory)
{
	if (memory)
		--*(int *)data;
	free(memory);
}

/* A display that is off refuses an event for its next pixel. */
static void test_refusal(void)
{
	int allocations = 0;
	const VkAllocationCallbacks allocator = {
		.pUserData = &allocations,
		.pfnAllocation = count_allocation,
		.pfnReallocation = no_reallocation,
		.pfnFree = count_free,
	};
	VkFence fence;

	tap(register_pixel(&allocator, &fence) == VK_ERROR_OUT_OF_HOST_MEMORY,
	    "and no first pixel to come");
	tap(!allocations, "whose fence is freed as it was allocated (%d)", allocations);
}

/* @color: the color of the whole screen. */
static void test_power(uint32_t color)
{
	const VkFence fence = next_pixel();
	const int64_t end = patience_end();

	tap(power_is("On") && screen_is(color), "a display is on");
	tap(set_power(VK_DISPLAY_POWER_STATE_OFF_EXT) == VK_SUCCESS && power_is("Off"),
	    "it is turned off");
	tap(wait_for(fence, PATIENCE_NS) == VK_SUCCESS, "which keeps nobody waiting");
	while (screen_shows(color) && patience_pause(end))
		;
	tap(!screen_shows(color), "what it showed is not seen then");
	tap(!count_of_swapchain(), "it has no vblanks");
	test_refusal();
	tap(set_power(VK_DISPLAY_POWER_STATE_ON_EXT) == VK_SUCCESS && power_is("On"),
	    "it is turned on");
	tap(screen_is(color), "and shows what it showed");
	tap(set_power(VK_DISPLAY_POWER_STATE_SUSPEND_EXT) == VK_SUCCESS && power_is("Off"),
	    "to suspend it is that, too");
	vk_swapchain_present(&test.chain, 0, 1);
	tap(power_is("On") && count_of_swapchain(), "who presents to it turns it on");
	vkDestroyFence(vk.device, fence, NULL);
}

/*
 * Writes a uevent of @device. A plain "change" is no display event; tests/guest/hotplug.rules marks
 * the one with @hotplug.
 */
static void tell_udev(const char *device, bool hotplug)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/drm/%s/uevent", device);
	file = fopen(path, "w");
	if (!file ||
	    fputs(hotplug ? "change 00000000-0000-0000-0000-000000000001 HOTPLUG=1" : "change",
		  file) < 0 ||
	    fclose(file))
		err(1, "%s", path);
}

static void set_connector(const char *status)
{
	FILE *file = connector_open("status", "w");

	if (fputs(status, file) < 0 || fclose(file))
		err(1, "the status of the connector");
}

static void test_hotplug(void)
{
	const VkFence early[] = { next_hotplug(), next_hotplug() };
	VkFence late;

	tell_udev("card0", false);
	tell_udev("card1", true);
	if (system("udevadm settle"))
		errx(1, "udev does not come to an end");
	tap(wait_for(early[0], SHORT_NS) == VK_TIMEOUT && is_not_ready(early[1]),
	    "neither other events nor other devices' displays are taken for one of this device");
	set_connector("off");
	tap(wait_for(early[0], PATIENCE_NS) == VK_SUCCESS && is_ready(early[1]),
	    "a display that goes is told to all who asked for it");
	late = next_hotplug();
	tap(is_not_ready(late), "and not to who asks later");
	set_connector("detect");
	tap(wait_for(late, PATIENCE_NS) == VK_SUCCESS, "as one is that comes");
	VK_CHECK(vkResetFences(vk.device, 1, &late));
	tap(is_not_ready(late), "such a fence is reset, too");
	vkDestroyFence(vk.device, late, NULL);

	late = next_hotplug();
	tell_udev("card0", true);
	tap(wait_for(late, PATIENCE_NS) == VK_SUCCESS, "an event is what udev says that it is");
	vkDestroyFence(vk.device, late, NULL);
	vkDestroyFence(vk.device, early[0], NULL);
	vkDestroyFence(vk.device, early[1], NULL);
}

void test_display_control(void)
{
	vk_swapchain_present(&test.chain, 0, 1);
	test_pixels();
	test_both();
	test_power(0x00ff00);
	test_hotplug();
	vk_swapchain_present(&test.chain, 1, 0);
	tap(screen_is(0xff0000), "the display shows the next picture after all that");
}
