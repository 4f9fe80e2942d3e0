/* SPDX-License-Identifier: MIT */
/*
 * What the tests of Vulkan have in common: a device, memory that the CPU sees, and commands that are waited for. A
 * call that fails ends the program.
 */
#ifndef TESTS_VK_H
#define TESTS_VK_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "tap.h"

#define VK_CHECK(call) vk_check(call, #call)
/* An array of SPIR-V and its size, as arguments. */
#define VK_CODE(words) words, sizeof(words)
/* What extensions of the device bring, and of the instance. */
#define VK_FUNCTION(name) ((PFN_##name)vkGetDeviceProcAddr(vk.device, #name))
#define VK_ASK(name) ((PFN_##name)vkGetInstanceProcAddr(vk.instance, #name))

struct vk {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	void *features;			/* a chain of structures; all that the device has of them is asked for */
	const char *const *wishes;	/* extensions of the device, up to a NULL; those that there are, likewise */
};

extern struct vk vk;

void vk_check(VkResult result, const char *what);

/* The first device, whatever its driver is; with extensions of the instance, and more of the device. */
void vk_open(void);
void vk_open_with(const char *const *of_instance, uint32_t n_instance, const char *const *of_device, uint32_t n_device);
void vk_close(void);
/* Does the device have an extension? */
bool vk_has(const char *extension);

/* A type of memory that the CPU sees, of those in @bits. */
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

/* In memory of its own, in layout GENERAL. */
struct vk_image vk_image_new(const VkImageCreateInfo *info);
void vk_image_del(const struct vk_image *image);
/* One colour everywhere; zeros: only some drivers' memory has them from the beginning. */
void vk_image_fill(const struct vk_image *image, const VkClearColorValue *color);
void vk_image_clear(const struct vk_image *image);
VkImageSubresourceRange vk_image_all(const struct vk_image *image);
VkImageView vk_view_new(const struct vk_image *image, VkImageViewType type, VkFormat format,
			VkImageSubresourceRange range);
/* Records that all layers of a square's first level go to a buffer, after all that is before; then all that comes. */
void vk_image_read(VkCommandBuffer cmd, const struct vk_image *image, uint32_t side, const struct vk_buffer *to);
/* A square with one level, which transfers may use, too, and a view of it. */
struct vk_image vk_picture_new(VkFormat format, uint32_t side, VkImageUsageFlags usage, VkImageView *view);

/* What is not said is 0: the nearest texel of the first level, again and again. */
VkSampler vk_sampler_new(VkSamplerCreateInfo info);

/* Of @size bytes of SPIR-V. */
VkShaderModule vk_module_new(const uint32_t *code, size_t size);

VkQueryPool vk_queries_new(VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags statistics);

VkDescriptorSetLayout vk_set_layout_new(const VkDescriptorSetLayoutBinding *bindings, uint32_t count);

/* A descriptor set, of a pool that has just that. */
struct vk_set {
	VkDescriptorSetLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

struct vk_set vk_set_new(const VkDescriptorSetLayoutBinding *bindings, uint32_t count);
void vk_set_del(const struct vk_set *set);

/* A command buffer that is being recorded; vk_run() submits it, waits and frees it. */
VkCommandBuffer vk_begin(void);
VkCommandBuffer vk_begin_with(VkCommandBufferUsageFlags usage);
/* A secondary one, which others execute. */
VkCommandBuffer vk_begin_secondary(VkCommandBufferUsageFlags usage, const VkCommandBufferInheritanceInfo *inherits);
void vk_run(VkCommandBuffer cmd);
/* All that is before, then all that comes, CPU included. */
void vk_barrier(VkCommandBuffer cmd);

#endif
