// SPDX-License-Identifier: MIT
/*
 * Vulkan with little VRAM: allocations end at the size of the heap, and submissions that do not fit
 * beside the framebuffer of another program fail without losing the device. Needs a kernel driver,
 * and root for the framebuffer. Prints TAP.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "vk.h"

#define CARD "/dev/dri/card0"
#define SIDE 64
#define MOST 16			/* pieces of a quarter of the heap that are tried */

/* An image in the first piece of memory, the other pieces, and a buffer for the image's pixels. */
static struct {
	VkDeviceMemory pieces[MOST];
	uint32_t n_pieces;
	struct vk_image image;
	struct vk_buffer pixels;
} test;

static uint64_t heap_size(void)
{
	VkPhysicalDeviceMemoryProperties memory;

	vkGetPhysicalDeviceMemoryProperties(vk.physical, &memory);
	return memory.memoryHeaps[memory.memoryTypes[vk_memory_type(~0u)].heapIndex].size;
}

static VkResult allocate_piece(void)
{
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, heap_size() / 4, vk_memory_type(~0u),
	};
	const VkResult result =
		vkAllocateMemory(vk.device, &info, NULL, &test.pieces[test.n_pieces]);

	test.n_pieces += result == VK_SUCCESS;
	return result;
}

/* Allocates as many pieces as possible. Returns the error of the next one. */
static VkResult allocate_pieces(void)
{
	VkResult result = VK_SUCCESS;

	while (result == VK_SUCCESS && test.n_pieces < MOST)
		result = allocate_piece();
	printf("# %u pieces of %u KiB, a heap of %u KiB\n", test.n_pieces,
	       (unsigned int)(heap_size() / 4 / 1024), (unsigned int)(heap_size() / 1024));
	return result;
}

static void free_last_piece(void)
{
	vkFreeMemory(vk.device, test.pieces[--test.n_pieces], NULL);
}

/* Creates an image in the first piece. The device executes that with the next submission. */
static void bind_image(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT, .extent = { SIDE, SIDE, 1 }, .mipLevels = 1,
		.arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};

	test.image = (struct vk_image){ .aspects = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1,
					.layers = 1 };
	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &test.image.image));
	VK_CHECK(vkBindImageMemory(vk.device, test.image.image, test.pieces[0], 0));
}

/* Submits a clear of the image and a copy of its pixels, and waits. */
static VkResult clear_image(uint32_t value)
{
	const VkImageSubresourceRange all = vk_image_all(&test.image);
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.image = test.image.image,
		.subresourceRange = all,
	};
	const VkClearColorValue color = { .uint32 = { value } };
	VkCommandBuffer cmd = vk_begin();
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};
	VkResult result;

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
			     0, 0, NULL, 0, NULL, 1, &barrier);
	vkCmdClearColorImage(cmd, test.image.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
	vk_image_read(cmd, &test.image, SIDE, &test.pixels);
	VK_CHECK(vkEndCommandBuffer(cmd));
	result = vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE);
	if (result == VK_SUCCESS)
		result = vkQueueWaitIdle(vk.queue);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	printf("# submission: %d\n", result);
	return result;
}

static bool pixels_are(uint32_t value)
{
	const uint32_t *pixels = test.pixels.map;
	bool ok = true;

	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		ok &= pixels[i] == value;
	return ok;
}

static void open_device(void)
{
	vk_open();
	test.pixels = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void close_device(void)
{
	vkDestroyImage(vk.device, test.image.image, NULL);
	while (test.n_pieces)
		free_last_piece();
	vk_buffer_del(&test.pixels);
	vk_close();
}

static void test_heap(void)
{
	VkResult result;

	open_device();
	result = allocate_pieces();
	tap(result == VK_ERROR_OUT_OF_DEVICE_MEMORY && test.n_pieces >= 2 && test.n_pieces <= 4,
	    "allocations end with VK_ERROR_OUT_OF_DEVICE_MEMORY before they exceed the heap");
	bind_image();
	free_last_piece();
	tap(clear_image(0x1234) == VK_SUCCESS && pixels_are(0x1234),
	    "a submission with nearly the whole heap allocated");
	tap(allocate_piece() == VK_SUCCESS, "a piece that was freed can be allocated again");
	close_device();
}

/* The framebuffer of another program: a part of its BO is shown, and all of it stays in VRAM. */

struct screen {
	int fd;
	uint32_t handle, fb;
};

static drmModeConnector *connected(int fd, const drmModeRes *resources)
{
	for (int i = 0; i < resources->count_connectors; i++) {
		drmModeConnector *connector =
			drmModeGetConnector(fd, resources->connectors[i]);

		if (connector && connector->connection == DRM_MODE_CONNECTED &&
		    connector->count_modes)
			return connector;
		drmModeFreeConnector(connector);
	}
	errx(1, CARD ": no display is connected");
}

static struct screen screen_new(uint64_t size)
{
	struct screen screen = { .fd = open(CARD, O_RDWR | O_CLOEXEC) };
	drmModeRes *resources = drmModeGetResources(screen.fd);
	drmModeConnector *connector;
	drmModeModeInfo *mode;
	uint32_t pitch;
	uint64_t bytes;

	if (!resources)
		err(1, CARD);
	connector = connected(screen.fd, resources);
	mode = &connector->modes[0];
	if (drmModeCreateDumbBuffer(screen.fd, mode->hdisplay, size / mode->hdisplay / 4, 32, 0,
				    &screen.handle, &pitch, &bytes) ||
	    drmModeAddFB(screen.fd, mode->hdisplay, mode->vdisplay, 24, 32, pitch, screen.handle,
			 &screen.fb) ||
	    drmModeSetCrtc(screen.fd, resources->crtcs[0], screen.fb, 0, 0,
			   &connector->connector_id, 1, mode))
		err(1, CARD ": a framebuffer of %ux%u", mode->hdisplay, mode->vdisplay);
	drmModeFreeConnector(connector);
	drmModeFreeResources(resources);
	return screen;
}

static void screen_del(const struct screen *screen)
{
	drmModeRmFB(screen->fd, screen->fb);
	drmModeDestroyDumbBuffer(screen->fd, screen->handle);
	close(screen->fd);
}

/*
 * The image is not created yet when VRAM has no room for it. Memory that is freed meanwhile leaves
 * the device alone, and is free after the submission that creates the image.
 */
static void test_no_room(void)
{
	struct screen screen;

	open_device();
	screen = screen_new(heap_size() / 5 * 2);
	allocate_pieces();
	bind_image();
	tap(clear_image(1) == VK_ERROR_OUT_OF_DEVICE_MEMORY,
	    "a submission without room in VRAM fails");
	free_last_piece();
	tap(clear_image(2) != VK_ERROR_DEVICE_LOST,
	    "the device is not lost when memory is freed before the image could be created");
	screen_del(&screen);
	tap(clear_image(0x4321) == VK_SUCCESS && pixels_are(0x4321),
	    "a submission succeeds once there is room");
	tap(allocate_piece() == VK_SUCCESS, "and the memory that was freed can be allocated again");
	close_device();
}

int main(void)
{
	test_heap();
	test_no_room();
	return tap_failures() != 0;
}
