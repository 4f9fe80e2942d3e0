/* SPDX-License-Identifier: MIT */
/*
 * The interface of the patched lavapipe to renderers (lavapipe/README.md), as the driver's
 * lvp_renderer_interface.h has it in lavapipe/patches. A change needs a new version in both.
 * load_renderer_interface() in vk.c asks for it.
 */
#ifndef HOST_LVP_INTERFACE_H
#define HOST_LVP_INTERFACE_H

#include <stdint.h>

#include <vulkan/vulkan.h>

#define LVP_RENDERER_INTERFACE_VERSION 4

/*
 * Chained to VkImageCreateInfo, it aligns rows of texels or blocks to @alignment, which is
 * LVP_IMAGE_ROWS_ALIGNMENT bytes. With @residencyTable, bit n % 32 of the word 4 + 4 * (n / 32)
 * bytes below the image is the residency of its bytes from n * LVP_IMAGE_ROWS_ALIGNMENT on. The
 * texels of other images are resident.
 */
struct lvp_image_rows_create_info {
	VkStructureType sType;	/* LVP_STRUCTURE_TYPE_IMAGE_ROWS_CREATE_INFO */
	const void *pNext;
	VkDeviceSize alignment;
	VkBool32 residencyTable;
};

#define LVP_STRUCTURE_TYPE_IMAGE_ROWS_CREATE_INFO ((VkStructureType)1999999000)
#define LVP_IMAGE_ROWS_ALIGNMENT 4096

/*
 * Sets a function that is called once for each later submission with command buffers. The n-th call
 * says that n submissions are done. The thread that ends the submission's last scene calls it: a
 * thread of the driver, or a thread of the renderer in queue_take_part() or in a Vulkan call that
 * submits or waits. So the renderer holds no lock there that the function takes. Two calls may run
 * at once. The function must not call Vulkan. Called before the first submission.
 */
typedef void (VKAPI_PTR *lvp_set_queue_done_callback)(VkQueue queue, void (*done)(void *data),
						      void *data);

/*
 * Rasterizes submitted work in the calling thread for @ns nanoseconds, or until all is done.
 * Returns VK_FALSE if all is done or another caller rasterizes already. May call the function of
 * set_queue_done_callback(). Needs no external synchronization.
 */
typedef VkBool32 (VKAPI_PTR *lvp_queue_take_part)(VkQueue queue, uint64_t ns);

/* Returns the CPU time in ns that the threads of this process have spent on compiling shaders. */
typedef uint64_t (VKAPI_PTR *lvp_get_compile_time)(VkDevice device);

/* Returns a number that differs from an earlier one if the host made progress in between. */
typedef uint64_t (VKAPI_PTR *lvp_get_progress)(VkDevice device);

/*
 * Sets the label of the shaders that the calling thread makes from now on: at most 31 bytes, or
 * NULL for none.
 */
typedef void (VKAPI_PTR *lvp_set_shader_label)(VkDevice device, const char *label);

/* A compilation of a shader: its CPU time so far in ns; stage and label of the shader. */
struct lvp_compilation {
	uint64_t cpu_ns;
	char name[64];
};

/*
 * Describes the compilation in progress of any thread of this process that has taken the most CPU
 * time. Returns VK_FALSE if there is none.
 */
typedef VkBool32 (VKAPI_PTR *lvp_get_longest_compilation)(VkDevice device,
							  struct lvp_compilation *longest);

struct lvp_renderer_interface {
	lvp_set_queue_done_callback set_queue_done_callback;
	lvp_queue_take_part queue_take_part;
	lvp_get_compile_time get_compile_time;
	lvp_get_progress get_progress;
	lvp_set_shader_label set_shader_label;
	lvp_get_longest_compilation get_longest_compilation;
};

/*
 * vkGetRendererInterfaceLVP(), which vkGetDeviceProcAddr() returns: sets all members of @functions.
 * Returns VK_FALSE and leaves @functions alone if the driver has another version than @version.
 */
typedef VkBool32 (VKAPI_PTR *lvp_get_renderer_interface)(VkDevice device, uint32_t version,
							 struct lvp_renderer_interface *functions);

#endif
