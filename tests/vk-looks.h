/* SPDX-License-Identifier: MIT */
/*
 * Pictures of triangles that differ in what their pipeline is like, for tests of other ways to have a pipeline: from
 * libraries, or none but shaders and states.
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

/* What a pipeline is like, beside a plain one. */
struct look {
	const char *name;
	bool blend, mask, views, swap, shading, kinds, dynamic, depth, tessellation, geometry;
};

extern const struct look looks[LOOKS];

/* What all of them read and draw to; of sets the vertices read the first, and the fragments the second. */
struct looks_things {
	VkSampler sampler;
	struct vk_image textures[2], colors[ATTACHMENTS], samples[ATTACHMENTS], depth, depth_samples;
	VkImageView texture_views[2], color_views[ATTACHMENTS], sample_views[ATTACHMENTS], depth_view, depth_sample_view;
	struct vk_buffer corners, place, paint, readback;
	struct vk_set sets[2];
	VkDescriptorSetLayout alike[2];	/* as those of the sets */
	VkPipelineLayout layout;
	VkRenderingFlags flags;		/* of renderings */
};

extern struct looks_things things;

/* With features chained to what the device is asked for; ends the program if some are missing. */
void looks_open(void *features, const char *const *extensions, uint32_t count);
void looks_close(void);
VkPipelineLayout looks_layout(VkDescriptorSetLayout first, VkDescriptorSetLayout second,
			      VkPipelineLayoutCreateFlags flags);

/* All that a pipeline is made of, whose fragment shader comes last. It points into itself. */
struct looks_making {
	struct vk_pipeline p;
	VkVertexInputBindingDescription binding;
	VkVertexInputAttributeDescription attribute;
	VkFormat formats[ATTACHMENTS];
	uint32_t locations[ATTACHMENTS];
	VkRenderingAttachmentLocationInfoKHR places;
	VkPipelineRenderingCreateInfo rendering;
	VkShaderModuleCreateInfo codes[5];	/* of its stages */
};

/* With modules, which looks_drop() destroys, or with code that is chained. */
void looks_fill(struct looks_making *m, const struct look *look, bool code);
void looks_drop(struct looks_making *m);

/* Records how a look's rendering begins; and ends the last one, submits it, and copies the picture to @out. */
void looks_begin(VkCommandBuffer cmd, const struct look *look);
void looks_end(VkCommandBuffer cmd, void *out);
/* States that commands set in any case where the look has some; sets and vertices; the draw. */
void looks_draw(VkCommandBuffer cmd, const struct look *look);

/* The first pixel that differs is told. */
bool looks_same(const uint8_t *a, const uint8_t *b);

#endif
