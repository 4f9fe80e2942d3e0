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
void vk_swapchain_del(const struct vk_swapchain *chain);
/*
 * One, of a command buffer that waits for it to be there, and is waited for by the surface. Returns when it is drawn.
 */
void vk_swapchain_present(const struct vk_swapchain *chain, float red, float green);

#endif
