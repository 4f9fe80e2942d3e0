/* SPDX-License-Identifier: MIT */
/* What the parts of vk-display share. */
#ifndef TESTS_VK_DISPLAY_H
#define TESTS_VK_DISPLAY_H

#include "vk-swapchain.h"

struct vk_display {
	const char *look;		/* the command that looks at the screen */
	VkDisplayKHR display;
	VkSurfaceKHR surface;
	struct vk_swapchain chain;	/* of the surface */
};

/* The one that is tested. */
extern struct vk_display test;

/* Does the screen have just one colour, RRGGBB, now; or once? */
bool screen_shows(uint32_t color);
bool screen_is(uint32_t color);

/* VK_EXT_display_control: an extension of a device on whose display pictures were presented. */
void test_display_control(void);

#endif
