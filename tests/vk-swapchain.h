/* SPDX-License-Identifier: MIT */
/* Pictures of one colour that are presented to a surface. */
#ifndef TESTS_VK_SWAPCHAIN_H
#define TESTS_VK_SWAPCHAIN_H

#include "vk.h"

#define VK_SWAPCHAIN_IMAGES 8

struct vk_swapchain {
	VkSwapchainKHR swapchain;
	VkExtent2D size;
	VkFormat seen_as;		/* the format that they are drawn as, other than their own; 0: that */
	VkImage images[VK_SWAPCHAIN_IMAGES];
	uint32_t n_images;
	VkSemaphore there, drawn;
	const void *with;		/* a chain of structures that each picture is presented with */
};

/* Of 8 bits a channel, which the surface has to have. */
struct vk_swapchain vk_swapchain_new(VkSurfaceKHR surface, VkExtent2D size, VkFormat seen_as);
/* With @more in the chain of structures. */
struct vk_swapchain vk_swapchain_new_with(VkSurfaceKHR surface, VkExtent2D size, VkFormat seen_as, const void *more);
void vk_swapchain_del(const struct vk_swapchain *chain);
/* A picture whose semaphore is `there`. */
VkResult vk_swapchain_acquire(const struct vk_swapchain *chain, uint64_t timeout, uint32_t *i);
/* An acquired one, when @there was signaled, if that is not VK_NULL_HANDLE. Returns when it is drawn. */
void vk_swapchain_show(const struct vk_swapchain *chain, uint32_t i, VkSemaphore there, float red, float green);
/* Both: a command buffer waits for it to be there, and the surface for that. */
void vk_swapchain_present(const struct vk_swapchain *chain, float red, float green);

#endif
