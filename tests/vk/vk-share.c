// SPDX-License-Identifier: MIT
/*
 * Vulkan in one process and GL in another share images, a buffer and semaphores, in both
 * directions, also after the worker of either was killed; GL reads shared memory with the CPU
 * after it waited for a semaphore; Vulkan imports its own exports, and neither waits for the fences
 * of shared memory nor adds to them; invalid imports are refused; the device's PCI and DRM
 * properties. Needs a kernel driver, and vgem for fences. Prints TAP.
 */
#define _GNU_SOURCE
#include "gate.h"
#include "gl.h"
#include "patience.h"
#include "vk.h"
#include "workers.h"

#include <err.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <linux/dma-buf.h>

#define SIDE 64
#define BUFFER_SIZE 4096u
#define WORD 2048u			/* offset of the word that GL writes */
#define ANSWER 0xdec0dedu
#define MAX_WRONG 3			/* checks that may fail in GL because its worker ended */

/* Colors as in the GL tests; the words of the image have the bytes in reverse order. */
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define BLUE 0x0000ffff
#define WHITE 0xffffffff

static const char *const extensions[] = {
	VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
	VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
	VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
	VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
	VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
	VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
	VK_KHR_EXTERNAL_FENCE_EXTENSION_NAME,
	VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME,
	VK_EXT_PCI_BUS_INFO_EXTENSION_NAME,
	VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME,
	VK_KHR_MAINTENANCE_4_EXTENSION_NAME,
};

static VkPhysicalDeviceMaintenance4Features maintenance4 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES,
};

/* The messages between the processes, and the file descriptors sent with them. */
enum { FD_IMAGE, FD_BUFFER, FD_READY, FD_DONE, FD_DMABUF, N_FDS };

struct offer {
	uint64_t image_size;
	struct gl_dmabuf dmabuf;
};

struct verdict {
	bool image_red, dmabuf_blue;
	struct gl_dmabuf dmabuf;
};

/* GL */

static GLuint memory_import(int fd, uint64_t size)
{
	GLuint memory;

	gl.glCreateMemoryObjectsEXT(1, &memory);
	gl.glImportMemoryFdEXT(memory, size, GL_HANDLE_TYPE_OPAQUE_FD_EXT, fd);
	return memory;
}

static GLuint semaphore_import(int fd)
{
	GLuint semaphore;

	gl.glGenSemaphoresEXT(1, &semaphore);
	gl.glImportSemaphoreFdEXT(semaphore, GL_HANDLE_TYPE_OPAQUE_FD_EXT, fd);
	return semaphore;
}

static GLuint texture_of_memory(GLuint memory)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	gl.glTexStorageMem2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8_OES, SIDE, SIDE, memory, 0);
	return texture;
}

static bool sees_blue(struct gl_dmabuf *buf, int fd)
{
	EGLImageKHR image;

	buf->planes[0].fd = fd;
	image = gl_import(buf);
	if (!image)
		return false;
	gl_draw_to(gl_texture_of(image, GL_TEXTURE_2D), SIDE, SIDE);
	return gl_pixel_is(0, 0, BLUE, 0) && gl_pixel_is(SIDE - 1, SIDE - 1, BLUE, 0);
}

/* Makes a texture of one color and exports it as a dma-buf. */
static GLuint export_texture(uint32_t color, struct gl_dmabuf *buf)
{
	const GLuint texture = gl_texture_new(SIDE, color);
	EGLImageKHR image = gl.eglCreateImageKHR(gl.display, gl.context, EGL_GL_TEXTURE_2D,
						 (EGLClientBuffer)(uintptr_t)texture, NULL);

	*buf = (struct gl_dmabuf){ .width = SIDE, .height = SIDE };
	if (!image || !gl_export(image, buf))
		errx(1, "no export");
	return texture;
}

static int painter(int socket)
{
	const uint32_t answer = ANSWER;
	struct verdict verdict = { 0 };
	struct offer offer;
	GLuint texture, ready, done, buffer;
	int fds[N_FDS];

	gl_open(EGL_OPENGL_ES_API);
	if (!fds_receive(socket, &offer, sizeof(offer), fds, N_FDS))
		errx(1, "nothing came");
	texture = texture_of_memory(memory_import(fds[FD_IMAGE], offer.image_size));
	ready = semaphore_import(fds[FD_READY]);
	done = semaphore_import(fds[FD_DONE]);
	gl.glWaitSemaphoreEXT(ready, 0, NULL, 1, &texture, (GLenum[]){ GL_LAYOUT_GENERAL_EXT });
	gl_draw_to(texture, SIDE, SIDE);
	verdict.image_red = gl_pixel_is(1, 1, RED, 0) && gl_pixel_is(SIDE - 1, SIDE - 1, RED, 0);
	gl_fill(0, 0, SIDE / 2, SIDE, GREEN);
	/* The buffer has the corners of the right half. */
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	gl.glBufferStorageMemEXT(GL_ARRAY_BUFFER, BUFFER_SIZE,
				 memory_import(fds[FD_BUFFER], BUFFER_SIZE), 0);
	gl_draw_buffer(GL_TEXTURE_2D, gl_texture_new(SIDE, WHITE));
	glBufferSubData(GL_ARRAY_BUFFER, WORD, sizeof(answer), &answer);
	gl.glSignalSemaphoreEXT(done, 1, &buffer, 1, &texture, (GLenum[]){ GL_LAYOUT_GENERAL_EXT });
	glFlush();
	verdict.dmabuf_blue = sees_blue(&offer.dmabuf, fds[FD_DMABUF]);
	export_texture(GREEN, &verdict.dmabuf);
	glFinish();
	fds_send(socket, &verdict, sizeof(verdict), &verdict.dmabuf.planes[0].fd, 1);
	/* Wait until the Vulkan process is done. */
	fds_receive(socket, &offer, sizeof(offer), NULL, 0);
	gl_close();
	return 0;
}

/*
 * A process that waits for a semaphore of the Vulkan process and then reads shared memory with the
 * CPU: the pixels of a texture, also after other commands were submitted, and a buffer.
 */

enum { READ_PIXELS, READ_PIXELS_LATER, READ_BUFFER, N_READS };

static const char *const read_names[N_READS] = {
	"glReadPixels()", "glReadPixels() after a flush", "glGetBufferSubData()",
};

/* Returns the colour of the image, or the word in the buffer. */
static uint32_t read_shared(int how, GLuint texture, GLuint other)
{
	void (*get_data)(GLenum target, GLintptr offset, GLsizeiptr size, void *data) =
		(void *)eglGetProcAddress("glGetBufferSubData");
	uint32_t value = 0;

	if (how == READ_BUFFER) {
		get_data(GL_ARRAY_BUFFER, WORD, sizeof(value), &value);
		return value;
	}
	if (how == READ_PIXELS_LATER) {
		gl_draw_to(other, SIDE, SIDE);
		gl_fill(0, 0, SIDE, SIDE, WHITE);
		glFlush();
	}
	gl_draw_to(texture, SIDE, SIDE);
	return gl_pixel(1, 1);
}

static int reader(int socket)
{
	struct offer offer;
	GLuint texture, other, ready, buffer;
	int fds[N_FDS], how;

	gl_open(EGL_OPENGL_API);
	if (!fds_receive(socket, &offer, sizeof(offer), fds, FD_DONE))
		errx(1, "nothing came");
	texture = texture_of_memory(memory_import(fds[FD_IMAGE], offer.image_size));
	other = gl_texture_new(SIDE, WHITE);
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	gl.glBufferStorageMemEXT(GL_ARRAY_BUFFER, BUFFER_SIZE,
				 memory_import(fds[FD_BUFFER], BUFFER_SIZE), 0);
	ready = semaphore_import(fds[FD_READY]);
	while (fds_receive(socket, &how, sizeof(how), NULL, 0)) {
		uint32_t value;

		gl.glWaitSemaphoreEXT(ready, 1, &buffer, 1, &texture,
				      (GLenum[]){ GL_LAYOUT_GENERAL_EXT });
		fds_send(socket, &how, sizeof(how), NULL, 0);
		value = read_shared(how, texture, other);
		fds_send(socket, &value, sizeof(value), NULL, 0);
	}
	gl_close();
	return 0;
}

/* The Vulkan process tells a partner to fill its texture, or to check its color. */
struct order {
	bool paint;
	uint32_t color;
};

static bool carry_out(const struct order *order)
{
	if (order->paint)
		gl_fill(0, 0, SIDE, SIDE, order->color);
	return gl_pixel_is(1, 1, order->color, 0) &&
	       gl_pixel_is(SIDE - 1, SIDE - 1, order->color, 0);
}

/*
 * A process with a texture, which is green at first. It executes the orders from @socket until the
 * peer closes it.
 */
static int partner(int socket)
{
	struct gl_dmabuf buf;
	struct order order;
	GLuint texture;
	bool ok;

	gl_open(EGL_OPENGL_ES_API);
	texture = export_texture(GREEN, &buf);
	glFinish();
	fds_send(socket, &buf, sizeof(buf), &buf.planes[0].fd, 1);
	while (fds_receive(socket, &order, sizeof(order), NULL, 0)) {
		gl_draw_to(texture, SIDE, SIDE);
		ok = false;
		for (int i = 0; i < MAX_WRONG && !ok; i++)
			ok = carry_out(&order);
		fds_send(socket, &ok, sizeof(ok), NULL, 0);
	}
	gl_close();
	return 0;
}

/* Vulkan */

static int memory_fd(VkDeviceMemory memory, VkExternalMemoryHandleTypeFlagBits type)
{
	const VkMemoryGetFdInfoKHR info = { VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, NULL, memory,
					    type };
	int fd;

	VK_CHECK(VK_FUNCTION(vkGetMemoryFdKHR)(vk.device, &info, &fd));
	return fd;
}

static VkDeviceMemory memory_new(uint64_t size, const void *next)
{
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, size, vk_memory_type(~0u),
	};
	VkDeviceMemory memory;

	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	return memory;
}

static VkDeviceMemory exported_memory(uint64_t size, VkExternalMemoryHandleTypeFlags types)
{
	const VkExportMemoryAllocateInfo export = { VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
						    NULL, types };

	return memory_new(size, &export);
}

static VkDeviceMemory imported_memory(uint64_t size, VkExternalMemoryHandleTypeFlagBits type,
				      int fd)
{
	const VkImportMemoryFdInfoKHR import = { VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, NULL,
						 type, fd };

	return memory_new(size, &import);
}

static VkSemaphore semaphore_new(VkExternalSemaphoreHandleTypeFlags types)
{
	const VkExportSemaphoreCreateInfo export = { VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
						     NULL, types };
	const VkSemaphoreCreateInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
					     types ? &export : NULL, 0 };
	VkSemaphore semaphore;

	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &semaphore));
	return semaphore;
}

static int semaphore_fd(VkSemaphore semaphore)
{
	const VkSemaphoreGetFdInfoKHR info = {
		VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		NULL,
		semaphore,
		VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	int fd;

	VK_CHECK(VK_FUNCTION(vkGetSemaphoreFdKHR)(vk.device, &info, &fd));
	return fd;
}

static VkImageCreateInfo image_info(const void *next, VkImageTiling tiling)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = next,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = tiling,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};
}

/* @modifier: the modifier structure of the image, or NULL for optimal tiling. */
static VkImage image_new(VkExternalMemoryHandleTypeFlags types, const void *modifier)
{
	const VkExternalMemoryImageCreateInfo external = {
		VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, modifier, types,
	};
	const VkImageCreateInfo info =
		image_info(&external, modifier ? VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT
					       : VK_IMAGE_TILING_OPTIMAL);
	VkImage image;

	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
	return image;
}

static uint64_t image_size(VkImage image)
{
	VkMemoryRequirements needs;

	vkGetImageMemoryRequirements(vk.device, image, &needs);
	return needs.size;
}

static void clear_image(VkCommandBuffer cmd, VkImage image, uint32_t color)
{
	const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.image = image,
		.subresourceRange = all,
	};
	VkClearColorValue value;

	for (int i = 0; i < 4; i++)
		value.float32[i] = (color >> (24 - 8 * i) & 0xff) / 255.0f;
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
			     0, 0, NULL, 0, NULL, 1, &barrier);
	vkCmdClearColorImage(cmd, image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
}

/*
 * Transfers the ownership of the image between queue families, also to and from
 * VK_QUEUE_FAMILY_FOREIGN_EXT.
 */
static void change_owner(VkCommandBuffer cmd, VkImage image, uint32_t from, uint32_t to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_GENERAL,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = from,
		.dstQueueFamilyIndex = to,
		.image = image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
	};

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void submit(VkCommandBuffer cmd, VkSemaphore wait, VkSemaphore signal)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &cmd,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.signalSemaphoreCount = signal != VK_NULL_HANDLE,
		.pSignalSemaphores = &signal,
	};

	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE));
}

/*
 * Returns true if, after @wait is signaled, the left half of @image has the color @left and the
 * right half has @right.
 */
static bool halves_are(VkImage image, VkSemaphore wait, uint32_t left, uint32_t right)
{
	const VkBufferImageCopy all = { 0,     0,
					0,     { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
					{ 0 }, { SIDE, SIDE, 1 } };
	struct vk_buffer out = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const uint32_t *words = out.map;
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	vkCmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &all);
	vk_barrier(cmd);
	submit(cmd, wait, VK_NULL_HANDLE);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	for (uint32_t i = 0; ok && i < SIDE * SIDE; i++) {
		const uint32_t color = __builtin_bswap32(words[i]);

		ok = color == (i % SIDE < SIDE / 2 ? left : right);
		if (!ok)
			printf("# pixel %u,%u is %#x\n", i % SIDE, i / SIDE, color);
	}
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	vk_buffer_del(&out);
	return ok;
}

/* Starts this program again as @what, such as "--painter"; @socket is connected to it. */
static pid_t start(const char *what, int *socket)
{
	char arg[16];
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		err(1, "socketpair");
	pid = fork();
	if (!pid) {
		snprintf(arg, sizeof(arg), "%d", dup(pair[1]));
		execl("/proc/self/exe", "vk-share", what, arg, NULL);
		_exit(127);
	}
	close(pair[1]);
	*socket = pair[0];
	return pid;
}

/* Makes a buffer of zeroes in exportable memory of its own. */
static VkBuffer make_words(VkDeviceMemory *memory, char **map)
{
	const VkExternalMemoryBufferCreateInfo external = {
		VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		NULL,
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.size = BUFFER_SIZE,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkBuffer buffer;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &buffer));
	*memory = exported_memory(BUFFER_SIZE, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
	VK_CHECK(vkBindBufferMemory(vk.device, buffer, *memory, 0));
	VK_CHECK(vkMapMemory(vk.device, *memory, 0, VK_WHOLE_SIZE, 0, (void **)map));
	memset(*map, 0, BUFFER_SIZE);
	return buffer;
}

/* Makes a buffer as make_words() does, with the corners of the right half. */
static VkBuffer make_corners(VkDeviceMemory *memory, char **map)
{
	static const float corners[8] = { 0, -1, 1, -1, 0, 1, 1, 1 };
	VkBuffer buffer = make_words(memory, map);

	memcpy(*map, corners, sizeof(corners));
	return buffer;
}

/* Makes an image in imported memory: the texture of the other process. */
static VkImage import_texture(const struct gl_dmabuf *buf, int fd, VkDeviceMemory *memory)
{
	const VkSubresourceLayout plane = { .offset = buf->planes[0].offset,
					    .rowPitch = buf->planes[0].pitch };
	const VkImageDrmFormatModifierExplicitCreateInfoEXT modifier = {
		VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
		NULL,
		DRM_FORMAT_MOD_LINEAR,
		1,
		&plane,
	};
	VkImage image = image_new(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, &modifier);

	*memory = imported_memory(image_size(image), VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
				  fd);
	VK_CHECK(vkBindImageMemory(vk.device, image, *memory, 0));
	return image;
}

static void drop_import(VkImage image, VkDeviceMemory memory)
{
	vkDestroyImage(vk.device, image, NULL);
	vkFreeMemory(vk.device, memory, NULL);
}

/*
 * Memory requirements of an image with an offset and a row pitch larger than the driver's own:
 * before the image is created, and of the image.
 */
static void test_size_of_layout(void)
{
	const VkSubresourceLayout plane = { .offset = 4096, .rowPitch = SIDE * 4 + 256 };
	const VkImageDrmFormatModifierExplicitCreateInfoEXT modifier = {
		VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
		NULL,
		DRM_FORMAT_MOD_LINEAR,
		1,
		&plane,
	};
	const VkImageCreateInfo info =
		image_info(&modifier, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
	const VkDeviceImageMemoryRequirements of = {
		VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, NULL, &info, 0
	};
	VkMemoryRequirements2 needs = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
	VkImage image;

	VK_FUNCTION(vkGetDeviceImageMemoryRequirementsKHR)(vk.device, &of, &needs);
	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
	tap(needs.memoryRequirements.size == image_size(image) &&
		    needs.memoryRequirements.size >=
			    plane.offset + (SIDE - 1) * plane.rowPitch + SIDE * 4,
	    "rows that are elsewhere take %u bytes, of the image %u",
	    (unsigned int)needs.memoryRequirements.size, (unsigned int)image_size(image));
	vkDestroyImage(vk.device, image, NULL);
}

static bool imports_green(const struct gl_dmabuf *buf, int fd)
{
	VkDeviceMemory memory;
	VkImage image = import_texture(buf, fd, &memory);
	VkCommandBuffer cmd = vk_begin();
	bool ok;

	change_owner(cmd, image, VK_QUEUE_FAMILY_FOREIGN_EXT, 0);
	vk_run(cmd);
	ok = halves_are(image, VK_NULL_HANDLE, GREEN, GREEN);
	drop_import(image, memory);
	return ok;
}

static void test_two_processes(void)
{
	static const uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	const VkImageDrmFormatModifierListCreateInfoEXT modifiers = {
		VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT, NULL, 1, &linear,
	};
	const VkImageSubresource plane = { VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, 0, 0 };
	VkImage image = image_new(VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, NULL);
	VkImage shown = image_new(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, &modifiers);
	VkSemaphore ready = semaphore_new(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);
	VkSemaphore done = semaphore_new(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);
	VkDeviceMemory memory =
		exported_memory(image_size(image), VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
	VkDeviceMemory shown_memory =
		exported_memory(image_size(shown), VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
	VkDeviceMemory corners_memory;
	struct offer offer = { .image_size = image_size(image) };
	struct verdict verdict = { 0 };
	VkSubresourceLayout layout;
	VkBuffer corners;
	VkCommandBuffer cmd;
	int socket, status, fds[N_FDS], fd;
	uint32_t answer;
	char *map;
	pid_t pid;

	VK_CHECK(vkBindImageMemory(vk.device, image, memory, 0));
	VK_CHECK(vkBindImageMemory(vk.device, shown, shown_memory, 0));
	corners = make_corners(&corners_memory, &map);
	cmd = vk_begin();
	clear_image(cmd, image, RED);
	clear_image(cmd, shown, BLUE);
	change_owner(cmd, shown, 0, VK_QUEUE_FAMILY_FOREIGN_EXT);
	submit(cmd, VK_NULL_HANDLE, ready);
	vkGetImageSubresourceLayout(vk.device, shown, &plane, &layout);
	offer.dmabuf = (struct gl_dmabuf){
		DRM_FORMAT_ABGR8888,   SIDE, SIDE,
		DRM_FORMAT_MOD_LINEAR, 1,    { { -1, layout.offset, layout.rowPitch } }
	};
	fds[FD_IMAGE] = memory_fd(memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
	fds[FD_BUFFER] = memory_fd(corners_memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
	fds[FD_READY] = semaphore_fd(ready);
	fds[FD_DONE] = semaphore_fd(done);
	fds[FD_DMABUF] = memory_fd(shown_memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
	pid = start("--painter", &socket);
	fds_send(socket, &offer, sizeof(offer), fds, N_FDS);
	for (int i = 0; i < N_FDS; i++)
		close(fds[i]);
	tap(fds_receive(socket, &verdict, sizeof(verdict), &fd, 1),
	    "the other process has taken it all");
	tap(verdict.image_red, "GL sees what Vulkan drew before its semaphore");
	tap(verdict.dmabuf_blue, "GL sees an image of Vulkan's as a dma-buf");
	tap(halves_are(image, done, GREEN, WHITE),
	    "Vulkan sees what GL drew before its, with a buffer of Vulkan's");
	memcpy(&answer, map + WORD, sizeof(answer));
	tap(answer == ANSWER, "and what GL wrote to that buffer");
	tap(imports_green(&verdict.dmabuf, fd), "Vulkan imports a texture of GL's");
	fds_send(socket, &offer, sizeof(offer), NULL, 0);
	waitpid(pid, &status, 0);
	tap(WIFEXITED(status) && !WEXITSTATUS(status), "the other process ends well");
	close(socket);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	vkDestroySemaphore(vk.device, ready, NULL);
	vkDestroySemaphore(vk.device, done, NULL);
	vkDestroyBuffer(vk.device, corners, NULL);
	vkDestroyImage(vk.device, image, NULL);
	vkDestroyImage(vk.device, shown, NULL);
	vkFreeMemory(vk.device, memory, NULL);
	vkFreeMemory(vk.device, shown_memory, NULL);
	vkFreeMemory(vk.device, corners_memory, NULL);
}

/* GL reads with the CPU after it waited for a semaphore of a submission that waits for a gate. */

#define READ_NS 200000000	/* GL begins to read meanwhile */

static void test_read(int how, int socket, VkImage image, VkBuffer buffer, VkSemaphore ready)
{
	static const uint32_t colors[N_READS] = { RED, BLUE, GREEN };
	const uint32_t color = colors[how];
	struct gate gate = gate_new();
	VkSemaphore closed = vk_semaphore_of_file(gate.fd);
	VkCommandBuffer cmd = vk_begin();
	uint32_t value = 0;

	clear_image(cmd, image, color);
	vkCmdFillBuffer(cmd, buffer, WORD, 4, color);
	vk_barrier(cmd);
	submit(cmd, closed, ready);
	if (fds_send(socket, &how, sizeof(how), NULL, 0) &&
	    fds_receive(socket, &how, sizeof(how), NULL, 0))
		nanosleep(&(struct timespec){ .tv_nsec = READ_NS }, NULL);
	gate_open(&gate);
	fds_receive(socket, &value, sizeof(value), NULL, 0);
	printf("# %08x\n", value);
	tap(value == color, "%s waits for Vulkan after glWaitSemaphoreEXT()", read_names[how]);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	vkDestroySemaphore(vk.device, closed, NULL);
}

static void test_reads(void)
{
	const VkExternalMemoryHandleTypeFlagBits type =
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
	VkSemaphore ready = semaphore_new(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);
	VkImage image = image_new(type, NULL);
	const struct offer offer = { .image_size = image_size(image) };
	VkDeviceMemory memory = exported_memory(offer.image_size, type), words_memory;
	int fds[N_FDS], socket, status;
	VkBuffer words;
	char *map;
	pid_t pid;

	VK_CHECK(vkBindImageMemory(vk.device, image, memory, 0));
	words = make_words(&words_memory, &map);
	fds[FD_IMAGE] = memory_fd(memory, type);
	fds[FD_BUFFER] = memory_fd(words_memory, type);
	fds[FD_READY] = semaphore_fd(ready);
	pid = start("--reader", &socket);
	fds_send(socket, &offer, sizeof(offer), fds, FD_DONE);
	for (int i = 0; i < FD_DONE; i++)
		close(fds[i]);
	for (int how = 0; how < N_READS; how++)
		test_read(how, socket, image, words, ready);
	close(socket);
	waitpid(pid, &status, 0);
	tap(WIFEXITED(status) && !WEXITSTATUS(status), "the process that read ends well");
	vkDestroySemaphore(vk.device, ready, NULL);
	vkDestroyBuffer(vk.device, words, NULL);
	vkDestroyImage(vk.device, image, NULL);
	vkFreeMemory(vk.device, memory, NULL);
	vkFreeMemory(vk.device, words_memory, NULL);
}

/* A texture of another process, whose worker is killed, and then this process's */

/* Returns true if the partner, after it filled the texture if @paint is set, finds @color in it. */
static bool partner_does(int socket, bool paint, uint32_t color)
{
	const struct order order = { paint, color };
	bool ok = false;

	return fds_send(socket, &order, sizeof(order), NULL, 0) &&
	       fds_receive(socket, &ok, sizeof(ok), NULL, 0) && ok;
}

static bool paints(VkImage image, uint32_t color)
{
	VkCommandBuffer cmd = vk_begin();

	clear_image(cmd, image, color);
	vk_run(cmd);
	return halves_are(image, VK_NULL_HANDLE, color, color);
}

static void test_gl_killed(int socket, const struct gl_dmabuf *buf, int fd)
{
	VkDeviceMemory memory;
	VkImage image = import_texture(buf, dup(fd), &memory);

	tap(halves_are(image, VK_NULL_HANDLE, GREEN, GREEN), "Vulkan sees a texture of GL's");
	tap(workers_kill_youngest(), "the worker of GL is killed");
	tap(halves_are(image, VK_NULL_HANDLE, GREEN, GREEN), "Vulkan sees the texture");
	tap(paints(image, BLUE), "and draws to it");
	tap(partner_does(socket, false, BLUE), "which GL sees, with another worker");
	tap(partner_does(socket, true, RED) && halves_are(image, VK_NULL_HANDLE, RED, RED),
	    "and Vulkan what GL draws then");
	drop_import(image, memory);
}

static bool is_lost(void)
{
	VkCommandBuffer cmd = vk_begin();
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};
	const int64_t end = patience_end();
	VkResult result;

	VK_CHECK(vkEndCommandBuffer(cmd));
	result = vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE);
	while (!result && patience_pause(end))
		result = vkQueueWaitIdle(vk.queue);
	return result == VK_ERROR_DEVICE_LOST;
}

static void open_vulkan(void)
{
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
}

/* The worker of the device that was opened last is killed: this process's. */
static void test_vulkan_killed(int socket, const struct gl_dmabuf *buf, int fd)
{
	VkDeviceMemory memory;
	VkImage image;

	vk_close();
	open_vulkan();
	image = import_texture(buf, dup(fd), &memory);
	tap(halves_are(image, VK_NULL_HANDLE, RED, RED), "another device sees the texture");
	tap(workers_kill_youngest() && is_lost(),
	    "the worker of Vulkan is killed, and the device lost");
	tap(partner_does(socket, false, RED), "GL has its texture");
	tap(partner_does(socket, true, WHITE), "and draws to it");
	drop_import(image, memory);
	vk_close();
	open_vulkan();
	image = import_texture(buf, dup(fd), &memory);
	tap(halves_are(image, VK_NULL_HANDLE, WHITE, WHITE), "which the next device sees");
	tap(paints(image, BLUE) && partner_does(socket, false, BLUE), "and GL what that one draws");
	drop_import(image, memory);
}

/*
 * In the end the partner itself is killed and must not leak anything: the caller of this program
 * checks the counts.
 */
static void test_kills(void)
{
	struct gl_dmabuf buf;
	int socket, status, fd;
	const pid_t pid = start("--partner", &socket);
	VkDeviceMemory memory;
	VkImage image;

	if (!fds_receive(socket, &buf, sizeof(buf), &fd, 1))
		errx(1, "no texture came");
	test_gl_killed(socket, &buf, fd);
	test_vulkan_killed(socket, &buf, fd);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	image = import_texture(&buf, fd, &memory);
	tap(halves_are(image, VK_NULL_HANDLE, BLUE, BLUE),
	    "a texture outlives the process that made it");
	drop_import(image, memory);
	close(socket);
}

/* Imports memory twice, and frees the export and one import: the other import stays valid. */
static void test_imports_of_own(void)
{
	const VkExternalMemoryHandleTypeFlagBits type =
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
	VkImage image = image_new(type, NULL);
	VkDeviceMemory memory = exported_memory(image_size(image), type);
	int fd = memory_fd(memory, type);
	VkDeviceMemory first = imported_memory(image_size(image), type, dup(fd));
	VkDeviceMemory second = imported_memory(image_size(image), type, fd);
	VkCommandBuffer cmd;

	vkFreeMemory(vk.device, memory, NULL);
	VK_CHECK(vkBindImageMemory(vk.device, image, first, 0));
	vkFreeMemory(vk.device, second, NULL);
	cmd = vk_begin();
	clear_image(cmd, image, BLUE);
	vk_run(cmd);
	tap(halves_are(image, VK_NULL_HANDLE, BLUE, BLUE),
	    "an import outlives its memory and another import");
	vkDestroyImage(vk.device, image, NULL);
	vkFreeMemory(vk.device, first, NULL);
}

/* Fences */

static VkFence fence_new(VkExternalFenceHandleTypeFlags types)
{
	const VkExportFenceCreateInfo export = { VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, NULL,
						 types };
	const VkFenceCreateInfo info = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
					 types ? &export : NULL, 0 };
	VkFence fence;

	VK_CHECK(vkCreateFence(vk.device, &info, NULL, &fence));
	return fence;
}

static int fence_fd(VkFence fence, VkExternalFenceHandleTypeFlagBits type)
{
	const VkFenceGetFdInfoKHR info = { VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, NULL, fence,
					   type };
	int fd;

	VK_CHECK(VK_FUNCTION(vkGetFenceFdKHR)(vk.device, &info, &fd));
	return fd;
}

static void signal_fence(VkFence fence)
{
	VK_CHECK(vkQueueSubmit(vk.queue, 0, NULL, fence));
}

/* Two fences with one payload. */
static void test_shared_fence(void)
{
	VkFence fence = fence_new(VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT),
		other = fence_new(0);
	const VkImportFenceFdInfoKHR import = {
		VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
		NULL,
		other,
		0,
		VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT,
		fence_fd(fence, VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT),
	};

	VK_CHECK(VK_FUNCTION(vkImportFenceFdKHR)(vk.device, &import));
	tap(vkGetFenceStatus(vk.device, other) == VK_NOT_READY,
	    "a fence that was imported is what the other is");
	signal_fence(fence);
	tap(vkWaitForFences(vk.device, 1, &other, true, UINT64_MAX) == VK_SUCCESS,
	    "is signalled with it");
	VK_CHECK(vkResetFences(vk.device, 1, &other));
	tap(vkGetFenceStatus(vk.device, fence) == VK_NOT_READY, "and reset");
	vkDestroyFence(vk.device, fence, NULL);
	vkDestroyFence(vk.device, other, NULL);
}

static void *signal_late(void *fence)
{
	const struct timespec moment = { .tv_nsec = 20000000 };

	nanosleep(&moment, NULL);
	signal_fence(fence);
	return NULL;
}

static bool waits_for_any(const VkFence *fences, int signalled)
{
	pthread_t thread;
	bool ok = !pthread_create(&thread, NULL, signal_late, fences[signalled]) &&
		  vkWaitForFences(vk.device, 2, fences, false, UINT64_MAX) == VK_SUCCESS &&
		  vkGetFenceStatus(vk.device, fences[signalled]) == VK_SUCCESS;

	pthread_join(thread, NULL);
	ok &= vkGetFenceStatus(vk.device, fences[!signalled]) == VK_NOT_READY;
	VK_CHECK(vkResetFences(vk.device, 2, fences));
	return ok;
}

/* A wait for two fences, one of which is exportable. */
static void test_mixed_fences(void)
{
	const VkFence fences[] = { fence_new(0),
				   fence_new(VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT) };

	tap(waits_for_any(fences, 1), "of a fence and a shared one the shared one comes first");
	tap(waits_for_any(fences, 0), "and then the other");
	signal_fence(fences[0]);
	signal_fence(fences[1]);
	tap(vkWaitForFences(vk.device, 2, fences, true, UINT64_MAX) == VK_SUCCESS, "and both");
	vkDestroyFence(vk.device, fences[0], NULL);
	vkDestroyFence(vk.device, fences[1], NULL);
}

/* Semaphores */

/* Submits a batch that waits for @n_wait semaphores and signals @n_signal. */
static void submit_semaphores(const VkSemaphore *wait, uint32_t n_wait, const VkSemaphore *signal,
			      uint32_t n_signal, VkFence fence)
{
	static const VkPipelineStageFlags stages[] = { VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
						       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT };
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = n_wait,
		.pWaitSemaphores = wait,
		.pWaitDstStageMask = stages,
		.signalSemaphoreCount = n_signal,
		.pSignalSemaphores = signal,
	};

	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, fence));
}

/*
 * A semaphore that imported the payload of an exportable one; both are used together with one that
 * is not exportable.
 */
static void test_shared_semaphore(void)
{
	const VkExternalSemaphoreHandleTypeFlagBits type =
		VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
	const VkSemaphore shared = semaphore_new(type),
			  both[] = { semaphore_new(0), semaphore_new(0) };
	const VkImportSemaphoreFdInfoKHR import = {
		VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
		NULL,
		both[0],
		0,
		type,
		semaphore_fd(shared),
	};
	VkFence fence = fence_new(0);
	bool ok = true;

	VK_CHECK(VK_FUNCTION(vkImportSemaphoreFdKHR)(vk.device, &import));
	for (int i = 0; i < 3; i++) {
		/* Signal through one handle, and wait through the other one. */
		submit_semaphores(NULL, 0, (VkSemaphore[]){ i % 2 ? shared : both[0], both[1] }, 2,
				  VK_NULL_HANDLE);
		submit_semaphores((VkSemaphore[]){ i % 2 ? both[0] : shared, both[1] }, 2, NULL, 0,
				  fence);
		ok &= vkWaitForFences(vk.device, 1, &fence, true, PATIENCE_MS * 1000000ull) ==
		      VK_SUCCESS;
		VK_CHECK(vkResetFences(vk.device, 1, &fence));
	}
	tap(ok,
	    "a semaphore that was imported is what the other is, beside one that is nobody else's");
	vkDestroyFence(vk.device, fence, NULL);
	vkDestroySemaphore(vk.device, shared, NULL);
	vkDestroySemaphore(vk.device, both[0], NULL);
	vkDestroySemaphore(vk.device, both[1], NULL);
}

/* Exports a fence as a sync file, which resets the fence. */
static void test_fence_as_file(void)
{
	VkFence fence = fence_new(VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT);
	struct pollfd file = { .events = POLLIN };

	signal_fence(fence);
	file.fd = fence_fd(fence, VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT);
	/* The export may return -1 if the fence is signaled already. */
	tap(file.fd == -1 || poll(&file, 1, -1) == 1,
	    "a file is readable when a fence's work is done");
	tap(vkGetFenceStatus(vk.device, fence) == VK_NOT_READY,
	    "and the fence may be signalled again");
	if (file.fd != -1)
		close(file.fd);
	vkDestroyFence(vk.device, fence, NULL);
}

/* Memory that is shared, but not used by the submissions */

/* Returns true if poll() reports @events of the dma-buf now: POLLIN after all writes, POLLOUT after
 * all uses. */
static bool is_idle(int dma_buf, short events)
{
	struct pollfd file = { .fd = dma_buf, .events = events };

	return poll(&file, 1, 0) == 1;
}

/* A submission that waits for a gate is no use of the memory behind @dma_buf. */
static void test_no_fence_added(int dma_buf)
{
	struct gate gate = gate_new();
	VkSemaphore closed = vk_semaphore_of_file(gate.fd);

	submit(vk_begin(), closed, VK_NULL_HANDLE);
	tap(is_idle(dma_buf, POLLIN) && is_idle(dma_buf, POLLOUT),
	    "a submission adds no fence to a dma-buf that it does not use");
	gate_open(&gate);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkDestroySemaphore(vk.device, closed, NULL);
}

/* A submission does not wait for a gate that another user attached to the dma-buf. */
static void test_no_fence_awaited(int dma_buf)
{
	struct gate gate = gate_new();
	const struct dma_buf_import_sync_file attach = { DMA_BUF_SYNC_RW, gate.fd };
	struct vk_buffer other = vk_buffer_new(4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	VkCommandBuffer cmd = vk_begin();

	if (ioctl(dma_buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &attach))
		err(1, "DMA_BUF_IOCTL_IMPORT_SYNC_FILE");
	vkCmdFillBuffer(cmd, other.buffer, 0, 4, ANSWER);
	vk_barrier(cmd);
	/* If the submission waits for the gate, vgem opens it after ten seconds. */
	vk_run(cmd);
	tap(*(uint32_t *)other.map == ANSWER && !is_idle(dma_buf, POLLIN),
	    "a submission does not wait for the fences of a dma-buf that it does not use");
	gate_open(&gate);
	vk_buffer_del(&other);
}

/* Of the two references to the memory, the first is on the device's residency list. */
static void test_no_implicit_sync(void)
{
	const VkExternalMemoryHandleTypeFlagBits type =
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
	VkDeviceMemory memory = exported_memory(BUFFER_SIZE, type);
	const int fd = memory_fd(memory, type);
	VkDeviceMemory import = imported_memory(BUFFER_SIZE, type, dup(fd));

	/* The first submission places the memory in VRAM. */
	vk_run(vk_begin());
	test_no_fence_added(fd);
	test_no_fence_awaited(fd);
	close(fd);
	vkFreeMemory(vk.device, import, NULL);
	vkFreeMemory(vk.device, memory, NULL);
}

/* PCI and DRM properties of the device */

/* Returns true if the character device @major:@minor belongs to the PCI device in @slot. */
static bool is_node_of(int64_t major, int64_t minor, const char *slot)
{
	char path[64], device[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/dev/char/%d:%d/device", (int)major, (int)minor);
	if (!realpath(path, device))
		return false;
	printf("# %s is %s\n", path, device);
	return !strcmp(strrchr(device, '/') + 1, slot);
}

static void test_nodes(void)
{
	VkPhysicalDeviceDrmPropertiesEXT drm = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT
	};
	VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
		.pNext = &drm,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &pci
	};
	char slot[32];

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	snprintf(slot, sizeof(slot), "%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus, pci.pciDevice,
		 pci.pciFunction);
	tap(drm.hasRender && is_node_of(drm.renderMajor, drm.renderMinor, slot),
	    "the device names its slot and its render node");
	tap(drm.hasPrimary && is_node_of(drm.primaryMajor, drm.primaryMinor, slot),
	    "and its primary node");
}

static void test_refusals(void)
{
	const VkExternalMemoryHandleTypeFlagBits type =
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
	VkDeviceMemory memory = exported_memory(4096, type), other;
	int fd = memory_fd(memory, type), pipes[2];
	VkImportMemoryFdInfoKHR import = { VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, NULL, type,
					   fd };
	VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, 1 << 20, vk_memory_type(~0u),
	};

	tap(vkAllocateMemory(vk.device, &info, NULL, &other) == VK_ERROR_INVALID_EXTERNAL_HANDLE,
	    "an import of more than there is fails");
	info.allocationSize = 4096;
	tap(vkAllocateMemory(vk.device, &info, NULL, &other) == VK_SUCCESS,
	    "and leaves the file descriptor to us");
	vkFreeMemory(vk.device, other, NULL);
	if (pipe(pipes))
		err(1, "pipe");
	import.fd = pipes[0];
	tap(vkAllocateMemory(vk.device, &info, NULL, &other) == VK_ERROR_INVALID_EXTERNAL_HANDLE,
	    "a pipe is no memory");
	close(pipes[0]);
	close(pipes[1]);
	vkFreeMemory(vk.device, memory, NULL);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--painter"))
		return painter(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "--partner"))
		return partner(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "--reader"))
		return reader(atoi(argv[2]));
	gate_open_vgem();
	vk.features = &maintenance4;
	open_vulkan();
	test_two_processes();
	test_reads();
	test_size_of_layout();
	test_kills();
	test_imports_of_own();
	test_shared_fence();
	test_mixed_fences();
	test_shared_semaphore();
	test_fence_as_file();
	test_no_implicit_sync();
	test_nodes();
	test_refusals();
	vk_close();
	return tap_failures() > 0;
}
