// SPDX-License-Identifier: MIT
/*
 * Vulkan: images that are presented to a display (VK_KHR_display), without a window system. Needs
 * vgem for a fence. Prints TAP.
 *
 * usage: vk-display COMMAND [NODE]
 *
 * COMMAND, followed by RRGGBB=PIXELS, exits with 0 if the screen has that many pixels of the color.
 * With NODE this program opens the DRM node and lends it to the driver
 * (VK_EXT_acquire_drm_display).
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "gate.h"
#include "patience.h"
#include "vk-display.h"

#define MAX_DISPLAYS 4
#define MAX_MODES 64
#define N_ENDS 20
#define SHORT_NS 50000000
#define PATIENCE_NS (PATIENCE_MS * 1000000ull)

struct vk_display test;

bool screen_shows(uint32_t color)
{
	const VkExtent2D size = test.chain.size;
	char command[256];

	snprintf(command, sizeof(command), "%s %06x=%u >/dev/null", test.look, color,
		 size.width * size.height);
	return !system(command);
}

bool screen_is(uint32_t color)
{
	const int64_t end = patience_end();

	do {
		if (screen_shows(color))
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

/* Acquires the display through @fd, the DRM master of which is this program. */
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
	tap(get(vk.physical, null, res->connectors[0], &test.display) != VK_SUCCESS &&
		    !test.display,
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

/* Makes a surface of the whole display in its first mode. */
static VkExtent2D make_surface(void)
{
	VkDisplayModePropertiesKHR modes[MAX_MODES];
	uint32_t n_modes = MAX_MODES;
	VkDisplayPlaneCapabilitiesKHR can;
	const uint32_t plane = find_plane();

	if (vkGetDisplayModePropertiesKHR(vk.physical, test.display, &n_modes, modes) < 0 ||
	    !n_modes)
		errx(1, "the display has no modes");
	VK_CHECK(vkGetDisplayPlaneCapabilitiesKHR(vk.physical, modes[0].displayMode, plane, &can));

	const VkExtent2D size = modes[0].parameters.visibleRegion;
	const VkDisplaySurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR,
		.displayMode = modes[0].displayMode,
		.planeIndex = plane,
		.transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
		.imageExtent = size,
	};

	tap(modes[0].parameters.refreshRate >= 1000 &&
		    can.supportedAlpha & VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
	    "its first mode is %ux%u at %u mHz", size.width, size.height,
	    modes[0].parameters.refreshRate);
	VK_CHECK(vkCreateDisplayPlaneSurfaceKHR(vk.instance, &info, NULL, &test.surface));
	return size;
}

static struct vk_swapchain make_swapchain(VkExtent2D size)
{
	const VkSwapchainCounterCreateInfoEXT counter = {
		VK_STRUCTURE_TYPE_SWAPCHAIN_COUNTER_CREATE_INFO_EXT,
		NULL,
		VK_SURFACE_COUNTER_VBLANK_BIT_EXT,
	};
	VkSurfaceCapabilities2EXT can = { .sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_EXT };

	VK_CHECK(VK_ASK(vkGetPhysicalDeviceSurfaceCapabilities2EXT)(vk.physical, test.surface,
								    &can));
	tap(can.supportedSurfaceCounters & VK_SURFACE_COUNTER_VBLANK_BIT_EXT,
	    "a display has vblanks");
	return vk_swapchain_new_with(test.surface, size, VK_FORMAT_UNDEFINED, &counter);
}

static void present(float red, float green)
{
	uint32_t i;

	VK_CHECK(vk_swapchain_acquire(&test.chain, PATIENCE_NS, &i));
	vk_swapchain_show(&test.chain, i, test.chain.there, red, green);
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

/* Presents a picture that is drawn only after a gate was opened. */

#define PRESENT_NS 500000000	/* the main thread presents meanwhile */

struct late {
	struct gate gate;
	bool shows_last;	/* the screen showed the last picture until the gate opened */
};

static void *open_late(void *data)
{
	struct late *late = data;

	nanosleep(&(struct timespec){ .tv_nsec = PRESENT_NS }, NULL);
	late->shows_last = screen_shows(0xff0000);
	gate_open(&late->gate);
	return NULL;
}

/* Makes the queue wait for @gate. Returns the semaphore, which the queue uses until then. */
static VkSemaphore wait_for_gate(const struct gate *gate)
{
	static const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSemaphore closed = vk_semaphore_of_file(gate->fd);
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &closed,
		.pWaitDstStageMask = &stage,
	};

	VK_CHECK(vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE));
	return closed;
}

static void test_fences(void)
{
	struct late late;
	VkSemaphore closed;
	pthread_t thread;

	present(1, 0);
	tap(screen_is(0xff0000), "the screen shows a picture");
	late.gate = gate_new();
	closed = wait_for_gate(&late.gate);
	if (pthread_create(&thread, NULL, open_late, &late))
		errx(1, "no thread");
	present(0, 1);
	pthread_join(thread, NULL);
	tap(late.shows_last, "and still does while the next one is not drawn");
	tap(screen_is(0x00ff00), "then the screen shows that one");
	vkDestroySemaphore(vk.device, closed, NULL);
}

/* Acquires an image with a fence, and waits for it on the CPU. */
static VkResult acquire(uint64_t timeout, uint32_t *i)
{
	const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	VkFence fence;
	VkResult result;

	VK_CHECK(vkCreateFence(vk.device, &info, NULL, &fence));
	result = vkAcquireNextImageKHR(vk.device, test.chain.swapchain, timeout, VK_NULL_HANDLE,
				       fence, i);
	if (!result)
		VK_CHECK(vkWaitForFences(vk.device, 1, &fence, true, UINT64_MAX));
	vkDestroyFence(vk.device, fence, NULL);
	return result;
}

/* Acquires one image more than may be acquired. */
static void test_timeouts(void)
{
	uint32_t held[VK_SWAPCHAIN_IMAGES], last = test.chain.n_images - 1;
	int64_t start;

	for (uint32_t i = 0; i < last; i++)
		VK_CHECK(acquire(PATIENCE_NS, &held[i]));
	tap(acquire(0, &held[last]) == VK_NOT_READY,
	    "who does not wait is told that no picture is free");
	start = patience_end();
	tap(acquire(SHORT_NS, &held[last]) == VK_TIMEOUT && patience_end() - start >= SHORT_NS,
	    "who waits is told that after the time");
	vk_swapchain_show(&test.chain, held[0], VK_NULL_HANDLE, 0, 1);
	tap(acquire(PATIENCE_NS, &held[last]) == VK_SUCCESS,
	    "one is free when another one is seen");
	for (uint32_t i = 1; i <= last; i++)
		vk_swapchain_show(&test.chain, held[i], VK_NULL_HANDLE, 1, i == last);
	tap(screen_is(0xffff00), "all of them are seen in the end");
}

/* Destroys swapchains whose last presented images are still queued. */
static void test_ends(VkExtent2D size)
{
	for (int i = 0; i < N_ENDS; i++) {
		test.chain = vk_swapchain_new(test.surface, size, VK_FORMAT_UNDEFINED);
		for (uint32_t j = 0; j < test.chain.n_images; j++)
			present(0, 1);
		vk_swapchain_del(&test.chain);
	}
	test.chain = vk_swapchain_new(test.surface, size, VK_FORMAT_UNDEFINED);
	present(1, 0);
	tap(screen_is(0xff0000), "the screen outlives swapchains whose pictures are still to come");
	vk_swapchain_del(&test.chain);
}

/*
 * The next file that this program opens gets the number of the file that was closed last: a file
 * that the driver closes twice shows.
 */
static void test_release(int fd)
{
	VkDisplayKHR display = test.display;
	int node;

	tap(VK_ASK(vkReleaseDisplayEXT)(vk.physical, display) == VK_SUCCESS,
	    "the display is given back");
	node = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	tap(node >= 0 && drmIsMaster(node) == (fd < 0), "%s",
	    fd < 0 ? "to whoever comes next" : "to its owner");
	vk_close();
	tap(fcntl(node, F_GETFD) >= 0, "and not again at the end");
	tap(fd < 0 || (fcntl(fd, F_GETFD) >= 0 && drmIsMaster(fd)), "whose file it is still");
	close(node);
}

static int count_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

int main(int argc, char **argv)
{
	static const char *const of_instance[] = {
		VK_KHR_SURFACE_EXTENSION_NAME,
		VK_KHR_DISPLAY_EXTENSION_NAME,
		VK_KHR_GET_DISPLAY_PROPERTIES_2_EXTENSION_NAME,
		VK_EXT_DIRECT_MODE_DISPLAY_EXTENSION_NAME,
		VK_EXT_DISPLAY_SURFACE_COUNTER_EXTENSION_NAME,
		VK_EXT_ACQUIRE_DRM_DISPLAY_EXTENSION_NAME,
	};
	static const char *const of_device[] = {
		VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_EXT_DISPLAY_CONTROL_EXTENSION_NAME,
		VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
	};
	const int fd = argc > 2 ? open(argv[2], O_RDWR | O_CLOEXEC) : -1;
	int n_files;

	if (argc < 2 || (argc > 2 && fd < 0))
		errx(1, "usage: vk-display COMMAND [NODE]");
	test.look = argv[1];
	gate_open_vgem();
	n_files = count_files();
	vk_open_with(of_instance, 6, of_device, 3);
	if (fd < 0)
		find_display();
	else
		acquire_display(fd);
	test.chain = make_swapchain(make_surface());
	test_frames();
	test_fences();
	test_timeouts();
	test_display_control();
	vk_swapchain_del(&test.chain);
	test_ends(test.chain.size);
	vkDestroySurfaceKHR(vk.instance, test.surface, NULL);
	test_release(fd);
	tap(count_files() == n_files, "no file is left open");
	return tap_failures() != 0;
}
