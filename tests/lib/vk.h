/* SPDX-License-Identifier: MIT */
/*
 * Common parts of the Vulkan tests: a device, host-visible memory, and command buffers that are
 * submitted and waited for. A call that fails ends the program.
 */
#ifndef TESTS_VK_H
#define TESTS_VK_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "tap.h"

#define VK_CHECK(call) vk_check(call, #call)
/* An array of SPIR-V and its size in bytes, as arguments. */
#define VK_CODE(words) words, sizeof(words)
/* Functions of device extensions, and of instance extensions. */
#define VK_FUNCTION(name) ((PFN_##name)vkGetDeviceProcAddr(vk.device, #name))
#define VK_ASK(name) ((PFN_##name)vkGetInstanceProcAddr(vk.instance, #name))

struct vk {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	/* chain of feature structures; the device enables all of their features that it supports */
	void *features;
	/* optional device extensions, NULL-terminated; the device enables those that it supports */
	const char *const *wishes;
};

extern struct vk vk;

void vk_check(VkResult result, const char *what);

/*
 * Open the first physical device, whatever its driver is. @of_instance and @of_device are
 * extensions that must be supported, beside common ones that are enabled if they are.
 */
void vk_open(void);
void vk_open_with(const char *const *of_instance, uint32_t n_instance, const char *const *of_device,
		  uint32_t n_device);
void vk_close(void);
/* Returns true if the device supports @extension. */
bool vk_has(const char *extension);

/* Returns the index of a host-visible memory type out of those in @bits. */
uint32_t vk_memory_type(uint32_t bits);

struct vk_buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *map;
	VkDeviceSize size;
};

struct vk_buffer vk_buffer_new(VkDeviceSize size, VkBufferUsageFlags usage);
void vk_buffer_del(const struct vk_buffer *buffer);

struct vk_image {
	VkImage image;
	VkDeviceMemory memory;
	VkImageAspectFlags aspects;
	uint32_t levels, layers;
};

/* An image with memory of its own, in layout GENERAL. */
struct vk_image vk_image_new(const VkImageCreateInfo *info);
void vk_image_del(const struct vk_image *image);
/*
 * vk_image_fill() clears all of a color image to @color, vk_image_clear() to zeros: not all drivers
 * return zeroed memory.
 */
void vk_image_fill(const struct vk_image *image, const VkClearColorValue *color);
void vk_image_clear(const struct vk_image *image);
VkImageSubresourceRange vk_image_all(const struct vk_image *image);
VkImageView vk_view_new(const struct vk_image *image, VkImageViewType type, VkFormat format,
			VkImageSubresourceRange range);
/* Records a copy of level 0 of all layers of a square image to @to, between two vk_barrier()s. */
void vk_image_read(VkCommandBuffer cmd, const struct vk_image *image, uint32_t side,
		   const struct vk_buffer *to);
/* A square 2D image with one level, which also has the transfer usages, and a view of it. */
struct vk_image vk_picture_new(VkFormat format, uint32_t side, VkImageUsageFlags usage,
			       VkImageView *view);

/* Fields of @info that are 0 mean nearest filtering of level 0 and repeat; sType is set here. */
VkSampler vk_sampler_new(VkSamplerCreateInfo info);

/* @size: bytes of SPIR-V. */
VkShaderModule vk_module_new(const uint32_t *code, size_t size);

/*
 * Returns a semaphore whose next wait is for @sync_file, which stays the caller's. The device needs
 * VK_KHR_external_semaphore_fd.
 */
VkSemaphore vk_semaphore_of_file(int sync_file);

/* Returns a timeline semaphore with a value. */
VkSemaphore vk_timeline_new(uint64_t value);

VkQueryPool vk_queries_new(VkQueryType type, uint32_t count,
			   VkQueryPipelineStatisticFlags statistics);

VkDescriptorSetLayout vk_set_layout_new(const VkDescriptorSetLayoutBinding *bindings,
					uint32_t count);

/* A descriptor set with the pool that only it is allocated from. */
struct vk_set {
	VkDescriptorSetLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

struct vk_set vk_set_new(const VkDescriptorSetLayoutBinding *bindings, uint32_t count);
void vk_set_del(const struct vk_set *set);

/*
 * vk_begin() returns a primary command buffer in the recording state; vk_run() submits it, waits
 * and frees it.
 */
VkCommandBuffer vk_begin(void);
VkCommandBuffer vk_begin_with(VkCommandBufferUsageFlags usage);
/* A secondary command buffer in the recording state. */
VkCommandBuffer vk_begin_secondary(VkCommandBufferUsageFlags usage,
				   const VkCommandBufferInheritanceInfo *inherits);
void vk_run(VkCommandBuffer cmd);
/*
 * A full memory barrier between all commands before it and all commands and host accesses after it.
 */
void vk_barrier(VkCommandBuffer cmd);

#endif
