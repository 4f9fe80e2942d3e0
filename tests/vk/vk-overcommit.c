// SPDX-License-Identifier: MIT
/*
 * Vulkan with little VRAM: allocations end at the size of the heap, and submissions that do not fit
 * beside the framebuffer of another program fail without losing the device, until memory is freed.
 * Needs a kernel driver, and root for the framebuffer. Prints TAP.
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
#define MOST 16			/* pieces that are tried, and the pieces of a heap without room */
#define N_BUFFERS 64		/* in one descriptor set */
#define N_DUMB 3		/* dumb buffers of 2/5 of the heap, more than VRAM */

/* An image in the first piece of memory, the other pieces, and a buffer for the image's pixels. */
static struct {
	VkDeviceMemory pieces[MOST];
	uint32_t n_pieces, pieces_per_heap;
	struct vk_image image;
	struct vk_buffer pixels;
} test;

static const char *const wishes[] = {
	VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
	VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
	VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
	NULL,
};

static VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
};

static uint64_t heap_size(void)
{
	VkPhysicalDeviceMemoryProperties memory;

	vkGetPhysicalDeviceMemoryProperties(vk.physical, &memory);
	return memory.memoryHeaps[memory.memoryTypes[vk_memory_type(~0u)].heapIndex].size;
}

static VkResult allocate_piece(void)
{
	const VkMemoryAllocateFlagsInfo flags = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, NULL,
		VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0,
	};
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, heap_size() / test.pieces_per_heap,
		vk_memory_type(~0u),
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
	       (unsigned int)(heap_size() / test.pieces_per_heap / 1024),
	       (unsigned int)(heap_size() / 1024));
	return result;
}

static void free_last_piece(void)
{
	vkFreeMemory(vk.device, test.pieces[--test.n_pieces], NULL);
}

/*
 * Frees so much that the other pieces fit beside the screen, wherever in VRAM that is: it cannot
 * move, and a piece needs one range.
 */
static void make_room(void)
{
	while (test.n_pieces > MOST / 2)
		free_last_piece();
}

/* Creates an image in memory. The device executes that with the next submission. */
static VkImage image_in(VkDeviceMemory memory)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT, .extent = { SIDE, SIDE, 1 }, .mipLevels = 1,
		.arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_STORAGE_BIT,
	};
	VkImage image;

	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
	VK_CHECK(vkBindImageMemory(vk.device, image, memory, 0));
	return image;
}

static void bind_image(VkDeviceMemory memory)
{
	test.image = (struct vk_image){ .image = image_in(memory),
					.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
					.levels = 1, .layers = 1 };
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

static void open_device(uint32_t pieces_per_heap)
{
	vk_open();
	test.pieces_per_heap = pieces_per_heap;
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

	open_device(4);
	result = allocate_pieces();
	tap(result == VK_ERROR_OUT_OF_DEVICE_MEMORY && test.n_pieces >= 2 && test.n_pieces <= 4,
	    "allocations end with VK_ERROR_OUT_OF_DEVICE_MEMORY before they exceed the heap");
	bind_image(test.pieces[0]);
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

/* Opens the device and a screen that takes more than the pieces leave of VRAM. */
static struct screen open_without_room(void)
{
	struct screen screen;

	open_device(MOST);
	screen = screen_new(heap_size() / 5 * 2);
	allocate_pieces();
	bind_image(test.pieces[0]);
	tap(clear_image(1) == VK_ERROR_OUT_OF_DEVICE_MEMORY,
	    "a submission without room in VRAM fails");
	return screen;
}

/* The image is not created yet when VRAM has no room for it. */
static void test_no_room(void)
{
	struct screen screen = open_without_room();

	make_room();
	tap(clear_image(2) == VK_SUCCESS && pixels_are(2),
	    "a submission succeeds once memory was freed");
	tap(allocate_piece() == VK_SUCCESS, "and the memory can be allocated again");
	screen_del(&screen);
	tap(clear_image(0x4321) == VK_SUCCESS && pixels_are(0x4321),
	    "a submission succeeds once there is no screen");
	close_device();
}

/* Objects in memory that is freed before they could be created, and descriptors of them. */
struct unmade {
	VkImage image;
	VkImageView view;
	VkBuffer buffer;
	VkBufferView texels;
	struct vk_set set;
};

static VkBuffer buffer_in(VkDeviceMemory memory)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
			 VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
	};
	VkBuffer buffer;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &buffer));
	VK_CHECK(vkBindBufferMemory(vk.device, buffer, memory, 65536));
	return buffer;
}

static void write_descriptors(const struct unmade *unmade)
{
	const VkDescriptorBufferInfo range = { unmade->buffer, 0, VK_WHOLE_SIZE };
	const VkDescriptorImageInfo image = { VK_NULL_HANDLE, unmade->view,
					      VK_IMAGE_LAYOUT_GENERAL };
	VkWriteDescriptorSet writes[3];

	for (uint32_t i = 0; i < 3; i++)
		writes[i] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = unmade->set.set,
			.dstBinding = i,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &range,
		};
	writes[1].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
	writes[1].pImageInfo = &image;
	writes[2].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
	writes[2].pTexelBufferView = &unmade->texels;
	vkUpdateDescriptorSets(vk.device, 3, writes, 0, NULL);
}

static struct unmade unmade_in(VkDeviceMemory memory)
{
	static const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_ALL, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL },
	};
	struct unmade unmade = { .image = image_in(memory), .buffer = buffer_in(memory) };
	const VkBufferViewCreateInfo texels = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = unmade.buffer,
		.format = VK_FORMAT_R32_UINT, .range = VK_WHOLE_SIZE,
	};
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = unmade.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D, .format = VK_FORMAT_R32_UINT,
		.subresourceRange = vk_image_all(&test.image),
	};

	VK_CHECK(vkCreateBufferView(vk.device, &texels, NULL, &unmade.texels));
	VK_CHECK(vkCreateImageView(vk.device, &view, NULL, &unmade.view));
	unmade.set = vk_set_new(bindings, 3);
	write_descriptors(&unmade);
	return unmade;
}

static void unmade_del(const struct unmade *unmade)
{
	vk_set_del(&unmade->set);
	vkDestroyImageView(vk.device, unmade->view, NULL);
	vkDestroyBufferView(vk.device, unmade->texels, NULL);
	vkDestroyImage(vk.device, unmade->image, NULL);
	vkDestroyBuffer(vk.device, unmade->buffer, NULL);
}

/* Objects are destroyed before a submission, and after one. */
static void test_unmade(void)
{
	struct screen screen = open_without_room();
	struct unmade unmade[2];

	for (uint32_t i = 0; i < 2; i++)
		unmade[i] = unmade_in(test.pieces[test.n_pieces - 1]);
	make_room();
	unmade_del(&unmade[0]);
	tap(clear_image(3) == VK_SUCCESS && pixels_are(3),
	    "a submission without objects whose memory was freed before they were created");
	unmade_del(&unmade[1]);
	tap(clear_image(4) == VK_SUCCESS && pixels_are(4), "and after they were destroyed");
	screen_del(&screen);
	close_device();
}

/* While there is no room, more packets are pending than fit into a stream. */
static void test_many_pending(void)
{
	static const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, N_BUFFERS, VK_SHADER_STAGE_ALL, NULL,
	};
	struct screen screen = open_without_room();
	const struct vk_set set = vk_set_new(&binding, 1);
	const VkBuffer buffer = buffer_in(test.pieces[0]);
	VkDescriptorBufferInfo ranges[N_BUFFERS];
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set.set,
		.descriptorCount = N_BUFFERS,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = ranges,
	};

	for (uint32_t i = 0; i < N_BUFFERS; i++)
		ranges[i] = (VkDescriptorBufferInfo){ buffer, 0, VK_WHOLE_SIZE };
	/* A descriptor takes 32 bytes, and a stream has 8 MiB. */
	for (uint32_t i = 0; i < (9 << 20) / (32 * N_BUFFERS); i++)
		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	tap(clear_image(7) == VK_ERROR_OUT_OF_DEVICE_MEMORY,
	    "a submission after 9 MiB of descriptors fails as well");
	screen_del(&screen);
	tap(clear_image(8) == VK_SUCCESS && pixels_are(8),
	    "and succeeds once there is no screen");
	vkDestroyBuffer(vk.device, buffer, NULL);
	vk_set_del(&set);
	close_device();
}

static VkDeviceMemory import_dumb(int fd, uint32_t handle, uint64_t size)
{
	VkImportMemoryFdInfoKHR import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
	};
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, size, vk_memory_type(~0u),
	};
	VkDeviceMemory memory;

	if (drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC, &import.fd))
		err(1, CARD ": a dma-buf");
	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	return memory;
}

/* Imports do not count as part of the heap, so there may be more than VRAM has room for. */
static void test_imports(void)
{
	const int fd = open(CARD, O_RDWR | O_CLOEXEC);
	VkDeviceMemory memory[N_DUMB];
	uint32_t handles[N_DUMB], pitch;
	uint64_t bytes;

	open_device(4);
	for (uint32_t i = 0; i < N_DUMB; i++) {
		if (drmModeCreateDumbBuffer(fd, 1024, heap_size() / 5 * 2 / 4096, 32, 0,
					    &handles[i], &pitch, &bytes))
			err(1, CARD ": a dumb buffer");
		memory[i] = import_dumb(fd, handles[i], bytes);
	}
	bind_image(memory[0]);
	tap(clear_image(5) == VK_ERROR_OUT_OF_DEVICE_MEMORY,
	    "a submission with more imports than VRAM fails");
	vkDestroyImage(vk.device, test.image.image, NULL);
	for (uint32_t i = 0; i < N_DUMB; i++) {
		vkFreeMemory(vk.device, memory[i], NULL);
		drmModeDestroyDumbBuffer(fd, handles[i]);
	}
	close(fd);
	allocate_piece();
	bind_image(test.pieces[0]);
	tap(clear_image(6) == VK_SUCCESS && pixels_are(6), "and succeeds after they were freed");
	close_device();
}

int main(void)
{
	vk.wishes = wishes;
	vk.features = &addresses;
	test_heap();
	test_no_room();
	test_unmade();
	test_many_pending();
	test_imports();
	return tap_failures() != 0;
}
