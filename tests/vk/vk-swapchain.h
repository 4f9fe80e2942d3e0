/* SPDX-License-Identifier: MIT */
/*
 * Swapchains of vk-display and vk-present, whose images are cleared to one color and presented.
 */
#ifndef TESTS_VK_SWAPCHAIN_H
#define TESTS_VK_SWAPCHAIN_H

#include "vk.h"

#define VK_SWAPCHAIN_IMAGES 8

struct vk_swapchain {
	VkSwapchainKHR swapchain;
	VkExtent2D size;
	/* format of the views that images are drawn with; 0: cleared in their own format */
	VkFormat seen_as;
	VkImage images[VK_SWAPCHAIN_IMAGES];
	uint32_t n_images;
	/* Signaled when an image was acquired, and when it was drawn. */
	VkSemaphore there, drawn;
	const void *with;		/* pNext chain of VkPresentInfoKHR */
};

/* Makes a swapchain of 8-bit BGRA images; ends the program if the surface cannot present them. */
struct vk_swapchain vk_swapchain_new(VkSurfaceKHR surface, VkExtent2D size, VkFormat seen_as);
/* @more: pNext chain of the create info. */
struct vk_swapchain vk_swapchain_new_with(VkSurfaceKHR surface, VkExtent2D size, VkFormat seen_as,
					  const void *more);
void vk_swapchain_del(const struct vk_swapchain *chain);
/* Acquires an image; it signals chain->there. */
VkResult vk_swapchain_acquire(const struct vk_swapchain *chain, uint64_t timeout, uint32_t *i);
/*
 * Draws to and presents the acquired image @i, after @there is signaled if it is not
 * VK_NULL_HANDLE. Returns when the queue is idle.
 */
void vk_swapchain_show(const struct vk_swapchain *chain, uint32_t i, VkSemaphore there, float red,
		       float green);
/* Acquires an image without a timeout, and shows it. */
void vk_swapchain_present(const struct vk_swapchain *chain, float red, float green);

#endif
