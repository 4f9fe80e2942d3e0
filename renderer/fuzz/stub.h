/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan driver that draws nothing and checks valid usage.
 *
 * Fuzz targets link it instead of the loader. It checks all calls of the renderer's decoder against
 * Vulkan's valid usage; a call that breaks a rule aborts with the name of the rule. Memory that a
 * real driver would access is read at both ends, so that the sanitizer detects ranges that leave
 * it. stub-device.c has the objects, stub-commands.c the commands.
 */
#ifndef STUB_H
#define STUB_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

#include "gate/address_range.h"
#include "sundog_hw.h"

#define STUB_MAX_IMAGE 16384u
#define STUB_MAX_LAYERS 2048u
#define STUB_MAX_VIEWS 6u
#define STUB_IMAGE_ALIGN 64u
#define STUB_DESCRIPTOR_BUFFERS 8	/* bound at once */
#define STUB_SET_STRIDE 64u		/* bytes per descriptor */
#define STUB_MAX_GROUPS 65535u

/* Abort with @rule, which is the VUID or its text, unless @condition holds. */
#define REQUIRE(condition, rule)							\
	do {										\
		if (!(condition)) {							\
			fprintf(stderr, "%s: invalid usage: %s\n", __func__, rule);	\
			abort();							\
		}									\
	} while (0)

enum stub_type {
	STUB_BUFFER = 0x5b0f,
	STUB_MEMORY,
	STUB_IMAGE,
	STUB_VIEW,
	STUB_SAMPLER,
	STUB_SHADER,
	STUB_POOL,
	STUB_COMMANDS,
	STUB_EVENT,
	STUB_QUERIES,
	STUB_SEMAPHORE,
	STUB_SET_LAYOUT,
	STUB_LAYOUT,
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
	VkDeviceSize table;	/* bytes in front of it that shaders read, see lvp_interface.h */
	bool bound;
};

struct stub_view {
	enum stub_type type;
	const struct stub_image *image;
	VkImageViewCreateInfo info;
	VkImageUsageFlags usage;
};

/* Descriptors lie one after the other, STUB_SET_STRIDE bytes each. */
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
 * The stub does not parse SPIR-V. Code that begins with 0 continues with the properties that draws
 * are checked against: the vertices of an input primitive of a geometry shader or of an output
 * primitive of a tessellation evaluation shader, 0, a mask of sets, and whether the shader accesses
 * the layer. For task and mesh shaders the vertices are the bytes of the payload.
 */
struct stub_shader {
	enum stub_type type;
	VkShaderStageFlagBits stage;
	VkShaderCreateFlagsEXT flags;
	uint32_t vertices, sets, layer;
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

/* Stages of shaders. */
enum {
	STUB_VERTEX,
	STUB_FRAGMENT,
	STUB_GEOMETRY,
	STUB_TESS_CTRL,
	STUB_TESS_EVAL,
	STUB_COMPUTE,
	STUB_TASK,
	STUB_MESH,
	STUB_STAGES
};

/* State of a command buffer since it was begun. */
struct stub_commands {
	enum stub_type type;
	bool recording, secondary;
	bool rendering;
	VkRect2D area;
	uint32_t layers, colors, color_mask, samples;
	/* of the last rendering: lavapipe also uses it for later queries */
	uint32_t view_mask;
	VkImageAspectFlags depth_stencil;
	uint64_t set;			/* enum stub_state */
	/* attachments that have each state */
	uint32_t blend_enables, blend_equations, write_masks;
	VkSampleCountFlagBits rasterization_samples, mask_samples;
	uint32_t vertex_inputs;		/* bindings that attributes use */
	uint32_t vertex_buffers;	/* bindings with a buffer */
	const struct stub_shader *shaders[STUB_STAGES];
	VkPrimitiveTopology topology;
	VkPolygonMode polygon_mode;
	VkLineRasterizationModeEXT line_mode;
	uint32_t patch_vertices;
	const struct stub_buffer *index;
	VkDeviceSize index_offset;
	VkIndexType index_type;
	uint32_t descriptor_buffers;	/* number of bound descriptor buffers */
	VkDeviceAddress descriptor_addresses[STUB_DESCRIPTOR_BUFFERS];
	struct {
		const struct stub_set_layout *layout;	/* NULL: no offset is set */
		VkPipelineBindPoint point;		/* bind point of the command that set it */
	} sets[2][STUB_MAX_SETS];	/* by bind point */
	uint32_t queries_active;	/* mask of active query types and streams */
	uint32_t n_feedback_buffers;	/* of the last call that bound buffers */
	bool rasterization_stream;	/* was set */
	bool feedback;
	bool condition, condition_inside;	/* a condition is open; it began in a rendering */
	bool condition_suspended;		/* one that began before the current rendering */
};

struct stub_pool {
	enum stub_type type;
	struct stub_commands commands[2];
	uint32_t n_commands;
};

/* Returns the object of a handle. Aborts unless it is alive and of this type. */
#define STUB_OBJECT(struct_name, handle, wanted)						\
	({											\
		struct struct_name *object_ = (struct struct_name *)(handle);			\
		REQUIRE(object_ && object_->type == (wanted), "must be a valid handle");	\
		object_;									\
	})

/* Returns true if a box, in texels, is inside a subresource of the image. */
bool stub_box_inside(const struct stub_image *image, const VkImageSubresourceLayers *layers,
		     VkOffset3D offset, VkExtent3D extent);

/*
 * Reads the first and the last of these bytes, which the driver may read or write. Sparse memory is
 * left out: at device addresses is memory of the client, or nothing.
 */
static inline void stub_touch(const void *bytes, VkDeviceSize size)
{
	const uint64_t end = MAPPING_DEVICE + (1ull << SUNDOG_ADDRESS_BITS);
	const uint64_t from = (uintptr_t)bytes;
	volatile const char *at = bytes;

	if (from >= MAPPING_DEVICE && from < end) {
		REQUIRE(size <= end - from, "sparse memory ends before the last device address");
		return;
	}
	(void)at[0];
	(void)at[size - 1];
}

/* Returns the function of stub-commands.c with this name, or NULL. */
PFN_vkVoidFunction stub_command(const char *name);

#endif
