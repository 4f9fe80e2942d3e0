/* SPDX-License-Identifier: MIT */
/*
 * Declarations that vk-display.c and vk-display-control.c, the two parts of vk-display, share.
 */
#ifndef TESTS_VK_DISPLAY_H
#define TESTS_VK_DISPLAY_H

#include "vk-swapchain.h"

struct vk_display {
	const char *look;		/* command that checks the colors of the screen */
	VkDisplayKHR display;
	VkSurfaceKHR surface;
	struct vk_swapchain chain;	/* of the surface */
};

/* The display under test. */
extern struct vk_display test;

/*
 * Return true if the whole screen has @color, as 0xRRGGBB. screen_shows() checks once, screen_is()
 * polls until patience_end().
 */
bool screen_shows(uint32_t color);
bool screen_is(uint32_t color);

/* Tests VK_EXT_display_control. A swapchain of the display must have presented before. */
void test_display_control(void);

#endif
