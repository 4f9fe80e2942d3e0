/* SPDX-License-Identifier: MIT */
/*
 * Draws triangles with pipelines that differ in one or more states (their "look"). vk-libraries,
 * vk-shader-objects and vk-unused use it to compare other ways to get a pipeline, from libraries or
 * as shader objects, with a whole pipeline.
 */
#ifndef TESTS_VK_LOOKS_H
#define TESTS_VK_LOOKS_H

#include "vk-pipeline.h"

#define SIDE 16
#define LAYERS 2
#define ATTACHMENTS 2
#define SAMPLES VK_SAMPLE_COUNT_4_BIT
#define PICTURE (SIDE * SIDE * 4 * LAYERS * ATTACHMENTS)
#define LOOKS 13

/* The features of a pipeline that differ from the plain one. */
struct look {
	const char *name;
	bool blend, mask, views, swap, shading, kinds, dynamic, depth, tessellation, geometry;
};

extern const struct look looks[LOOKS];

/*
 * Objects that all looks read and draw to. The vertex shader reads set 0, the fragment shader set
 * 1.
 */
struct looks_things {
	VkSampler sampler;
	struct vk_image textures[2], colors[ATTACHMENTS], samples[ATTACHMENTS], depth,
		depth_samples;
	VkImageView texture_views[2], color_views[ATTACHMENTS], sample_views[ATTACHMENTS],
		depth_view, depth_sample_view;
	struct vk_buffer corners, place, paint, readback;
	struct vk_set sets[2];
	VkDescriptorSetLayout alike[2];	/* defined identically to those of the sets */
	VkPipelineLayout layout;
	VkRenderingFlags flags;		/* of renderings */
};

extern struct looks_things things;

/*
 * Opens the device with @features chained to its feature structures and with @extensions. Ends the
 * program if the device lacks an extension.
 */
void looks_open(void *features, const char *const *extensions, uint32_t count);
void looks_close(void);
VkPipelineLayout looks_layout(VkDescriptorSetLayout first, VkDescriptorSetLayout second,
			      VkPipelineLayoutCreateFlags flags);

/*
 * Create info of a pipeline with everything that it points to; the fragment shader is the last
 * stage. It contains pointers to itself, so it must not be moved.
 */
struct looks_making {
	struct vk_pipeline p;
	VkVertexInputBindingDescription binding;
	VkVertexInputAttributeDescription attribute;
	VkFormat formats[ATTACHMENTS];
	uint32_t locations[ATTACHMENTS];
	VkRenderingAttachmentLocationInfoKHR places;
	VkPipelineRenderingCreateInfo rendering;
	/* of the stages, where a look is filled with code */
	VkShaderModuleCreateInfo codes[5];
};

/*
 * Fills @m with @look. @code: the stages have a VkShaderModuleCreateInfo chained instead of
 * modules; otherwise looks_drop() destroys the modules.
 */
void looks_fill(struct looks_making *m, const struct look *look, bool code);
void looks_drop(struct looks_making *m);

/*
 * looks_begin() records the start of the rendering of @look. looks_end() ends the rendering,
 * submits the command buffer, waits, and copies the color attachments to @out.
 */
void looks_begin(VkCommandBuffer cmd, const struct look *look);
void looks_end(VkCommandBuffer cmd, void *out);
/* Sets the dynamic states of @look, if it has any, binds sets and vertices, and draws. */
void looks_draw(VkCommandBuffer cmd, const struct look *look);

/* Compares two pictures; prints the first byte that differs. */
bool looks_same(const uint8_t *a, const uint8_t *b);

#endif
