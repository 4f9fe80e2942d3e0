/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan that draws nothing and forgives nothing.
 *
 * Fuzz targets link it in the place of the loader: whatever the renderer's decoder lets through is
 * held against Vulkan's valid usage, and a call that breaks it aborts with the rule. Memory that a
 * real driver would touch is touched at both ends, so that the sanitizer sees a range that leaves it.
 * stub-device.c has objects, stub-commands.c what is recorded.
 */
#ifndef STUB_H
#define STUB_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

#define STUB_MAX_IMAGE 16384u
#define STUB_MAX_LAYERS 2048u
#define STUB_MAX_VIEWS 6u
#define STUB_IMAGE_ALIGN 64u
#define STUB_DESCRIPTOR_BUFFERS 8	/* that may be bound at once */
#define STUB_SET_STRIDE 64u		/* bytes of a descriptor */
#define STUB_MAX_GROUPS 65535u

/* Valid usage: `rule` is Vulkan's name of it, or its words. */
#define REQUIRE(condition, rule)							\
	do {										\
		if (!(condition)) {							\
			fprintf(stderr, "%s: invalid usage: %s\n", __func__, rule);	\
			abort();							\
		}									\
	} while (0)

enum stub_type {
	STUB_BUFFER = 0x5b0f, STUB_MEMORY, STUB_IMAGE, STUB_VIEW, STUB_SAMPLER, STUB_SHADER, STUB_POOL,
	STUB_COMMANDS, STUB_EVENT, STUB_QUERIES, STUB_SEMAPHORE, STUB_SET_LAYOUT, STUB_LAYOUT,
};

#define STUB_MAX_SETS 8u

struct stub_memory {
	enum stub_type type;
	VkDeviceSize size;
	char *at;
	bool imported;
};

struct stub_buffer {
	enum stub_type type;
	VkDeviceSize size;
	VkBufferUsageFlags usage;
	char *at;			/* NULL: not bound */
};

struct stub_image {
	enum stub_type type;
	VkImageCreateInfo info;
	VkDeviceSize size;
	bool bound;
};

struct stub_view {
	enum stub_type type;
	const struct stub_image *image;
	VkImageViewCreateInfo info;
	VkImageUsageFlags usage;
};

/* Descriptors lie one after the other. */
struct stub_set_layout {
	enum stub_type type;
	uint32_t n_bindings;
	VkDescriptorSetLayoutBinding bindings[];
};

struct stub_layout {
	enum stub_type type;
	uint32_t n_sets;
	const struct stub_set_layout *sets[STUB_MAX_SETS];
};

VkDeviceSize stub_set_size(const struct stub_set_layout *layout);

/*
 * The stub does not read SPIR-V: code that begins with 0 goes on with what a draw is held against: the vertices of a
 * primitive that a geometry shader takes or a tessellation evaluation shader makes, a mask of transform feedback
 * buffers, one of sets, and whether it knows layers. Of task and mesh shaders these vertices are bytes of a payload.
 */
struct stub_shader {
	enum stub_type type;
	VkShaderStageFlagBits stage;
	VkShaderCreateFlagsEXT flags;
	uint32_t vertices, feedback_buffers, sets, layer;
	bool primitive_id, front_facing;
	struct stub_layout layout;
};

struct stub_event {
	enum stub_type type;
	bool set;
};

struct stub_queries {
	enum stub_type type;
	VkQueryType query_type;
	uint32_t count, words;		/* words of a result */
	struct {
		bool reset, active;
	} queries[];
};

/* Stages that a shader can be of. */
enum { STUB_VERTEX, STUB_FRAGMENT, STUB_GEOMETRY, STUB_TESS_CTRL, STUB_TESS_EVAL, STUB_COMPUTE, STUB_TASK, STUB_MESH, STUB_STAGES };

/* What a command buffer has seen since it was begun. */
struct stub_commands {
	enum stub_type type;
	bool recording, secondary;
	bool rendering;
	VkRect2D area;
	uint32_t layers, colors, color_mask, samples;
	uint32_t view_mask;		/* of the last rendering: lavapipe takes it for queries, too */
	VkImageAspectFlags depth_stencil;
	uint64_t set;			/* enum stub_state */
	uint32_t blend_enables, blend_equations, write_masks;	/* attachments that have one */
	VkSampleCountFlagBits rasterization_samples, mask_samples;
	uint32_t vertex_inputs;		/* bindings that attributes take */
	uint32_t vertex_buffers;	/* bindings with a buffer */
	const struct stub_shader *shaders[STUB_STAGES];
	VkPrimitiveTopology topology;
	VkPolygonMode polygon_mode;
	VkLineRasterizationModeEXT line_mode;
	uint32_t patch_vertices;
	const struct stub_buffer *index;
	VkDeviceSize index_offset;
	VkIndexType index_type;
	uint32_t descriptor_buffers;	/* that are bound */
	VkDeviceAddress descriptor_addresses[STUB_DESCRIPTOR_BUFFERS];
	struct {
		const struct stub_set_layout *layout;	/* NULL: it has no offset */
		VkPipelineBindPoint point;		/* for which it was set */
	} sets[2][STUB_MAX_SETS];	/* by bind point */
	uint32_t queries_active;	/* a mask of their types and streams */
	uint32_t feedback_buffers;	/* that are bound */
	uint32_t n_feedback_buffers;	/* of the last call that bound some */
	bool rasterization_stream;	/* was set */
	bool feedback;
	bool condition, condition_inside;	/* one is open, that began in a rendering */
};

struct stub_pool {
	enum stub_type type;
	struct stub_commands commands[2];
	uint32_t n_commands;
};

/* The object of a handle, if it is one of this type and alive. */
#define STUB_OBJECT(struct_name, handle, wanted)						\
	({											\
		struct struct_name *object_ = (struct struct_name *)(handle);			\
		REQUIRE(object_ && object_->type == (wanted), "must be a valid handle");	\
		object_;									\
	})

/* Which bytes a box of an image is, as its texels are counted: is it inside? */
bool stub_box_inside(const struct stub_image *image, const VkImageSubresourceLayers *layers, VkOffset3D offset,
		     VkExtent3D extent);

/* Functions of stub-commands.c by name, or NULL. */
PFN_vkVoidFunction stub_command(const char *name);

#endif
