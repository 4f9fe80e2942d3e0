/* SPDX-License-Identifier: MIT */
/* Command packets: structs in wire layout.
 * Generated from protocol/sundog.yaml by protocol/generate.py; do not edit. */
#ifndef SUNDOG_PACKETS_H
#define SUNDOG_PACKETS_H

#include "sundog_hw.h"

/* First dword of a packet: opcode in bits 0..11, length of the packet in dwords, this one
 * included, in bits 12..31. */
#define SUNDOG_PACKET(opcode, dwords) ((__u32)(opcode) | (__u32)(dwords) << 12)
#define SUNDOG_PACKET_OPCODE(header) ((header) & 0xfffu)
#define SUNDOG_PACKET_DWORDS(header) ((header) >> 12)

enum sundog_opcode {
	SUNDOG_OP_NOP = 0x0,
	SUNDOG_OP_DESTROY = 0x10,
	SUNDOG_OP_CREATE_IMAGE = 0x11,
	SUNDOG_OP_CREATE_LINEAR_IMAGE = 0x16,
	SUNDOG_OP_CREATE_IMAGE_VIEW = 0x12,
	SUNDOG_OP_CREATE_SAMPLER = 0x14,
	SUNDOG_OP_CREATE_SHADER = 0x15,
	SUNDOG_OP_CREATE_BUFFER_VIEW = 0x13,
	SUNDOG_OP_CREATE_FEEDBACK_COUNTER = 0x17,
	SUNDOG_OP_CREATE_HANDLE_TABLE = 0x18,
	SUNDOG_OP_CREATE_SET_LAYOUT = 0x19,
	SUNDOG_OP_CREATE_PIPELINE_LAYOUT = 0x1a,
	SUNDOG_OP_CREATE_SET = 0x1b,
	SUNDOG_OP_CREATE_LAYOUT_SHADER = 0x1c,
	SUNDOG_OP_REPORT_SHADER = 0x1e,
	SUNDOG_OP_CREATE_QUERY_POOL = 0x1d,
	SUNDOG_OP_SET_VIEWPORTS = 0x20,
	SUNDOG_OP_SET_SCISSORS = 0x21,
	SUNDOG_OP_SET_RASTER = 0x22,
	SUNDOG_OP_SET_DEPTH_STENCIL = 0x23,
	SUNDOG_OP_SET_STENCIL_REFERENCE = 0x24,
	SUNDOG_OP_SET_BLEND = 0x25,
	SUNDOG_OP_SET_BLEND_CONSTANTS = 0x26,
	SUNDOG_OP_SET_MULTISAMPLE = 0x27,
	SUNDOG_OP_SET_VERTEX_INPUT = 0x28,
	SUNDOG_OP_BIND_VERTEX_BUFFERS = 0x29,
	SUNDOG_OP_BIND_INDEX_BUFFER = 0x2a,
	SUNDOG_OP_BIND_SHADERS = 0x2b,
	SUNDOG_OP_BIND_MESH_SHADERS = 0x70,
	SUNDOG_OP_BIND_UBO = 0x2c,
	SUNDOG_OP_BIND_VERTEX_RANGES = 0x2d,
	SUNDOG_OP_BIND_TEXTURES = 0x2e,
	SUNDOG_OP_PUSH_CONSTANTS = 0x2f,
	SUNDOG_OP_BIND_TEXEL_BUFFERS = 0x30,
	SUNDOG_OP_BIND_FEEDBACK_BUFFERS = 0x31,
	SUNDOG_OP_SET_PATCH = 0x32,
	SUNDOG_OP_BIND_SSBOS = 0x33,
	SUNDOG_OP_BIND_IMAGES = 0x34,
	SUNDOG_OP_BIND_STORAGE_TEXELS = 0x35,
	SUNDOG_OP_BIND_HANDLES = 0x36,
	SUNDOG_OP_BIND_SET = 0x38,
	SUNDOG_OP_WRITE_SET = 0x39,
	SUNDOG_OP_COPY_SET = 0x3a,
	SUNDOG_OP_WRITE_MUTABLE_SET = 0x3b,
	SUNDOG_OP_WRITE_HANDLE = 0x37,
	SUNDOG_OP_BEGIN_RENDERING = 0x40,
	SUNDOG_OP_BEGIN_MULTIVIEW = 0x4b,
	SUNDOG_OP_END_RENDERING = 0x41,
	SUNDOG_OP_DRAW = 0x42,
	SUNDOG_OP_DRAW_INDEXED = 0x43,
	SUNDOG_OP_DRAW_FEEDBACK = 0x45,
	SUNDOG_OP_DRAW_INDIRECT = 0x48,
	SUNDOG_OP_DRAW_INDEXED_INDIRECT = 0x49,
	SUNDOG_OP_DRAW_MESH = 0x71,
	SUNDOG_OP_DRAW_MESH_INDIRECT = 0x72,
	SUNDOG_OP_DISPATCH = 0x46,
	SUNDOG_OP_DISPATCH_INDIRECT = 0x47,
	SUNDOG_OP_DISPATCH_BASE = 0x4a,
	SUNDOG_OP_CLEAR_ATTACHMENTS = 0x44,
	SUNDOG_OP_FILL_BUFFER = 0x50,
	SUNDOG_OP_COPY_BUFFER = 0x51,
	SUNDOG_OP_COPY_BUFFER_TO_IMAGE = 0x52,
	SUNDOG_OP_COPY_IMAGE_TO_BUFFER = 0x53,
	SUNDOG_OP_COPY_IMAGE = 0x54,
	SUNDOG_OP_BLIT_IMAGE = 0x55,
	SUNDOG_OP_RESOLVE_IMAGE = 0x56,
	SUNDOG_OP_BARRIER = 0x57,
	SUNDOG_OP_UPDATE_BUFFER = 0x58,
	SUNDOG_OP_CLEAR_IMAGE = 0x59,
	SUNDOG_OP_MAP_ADDRESS = 0x5a,
	SUNDOG_OP_UNMAP_ADDRESS = 0x5b,
	SUNDOG_OP_MAP_ADDRESS_RANGE = 0x5c,
	SUNDOG_OP_CREATE_SPARSE_MEMORY = 0x5d,
	SUNDOG_OP_BEGIN_QUERY = 0x60,
	SUNDOG_OP_END_QUERY = 0x61,
	SUNDOG_OP_BEGIN_FEEDBACK = 0x62,
	SUNDOG_OP_END_FEEDBACK = 0x63,
	SUNDOG_OP_COPY_FEEDBACK_COUNTER = 0x6f,
	SUNDOG_OP_LOAD_FEEDBACK_COUNTER = 0x73,
	SUNDOG_OP_WRITE_TIMESTAMP = 0x64,
	SUNDOG_OP_COMPUTE_QUERY_VALUE = 0x65,
	SUNDOG_OP_COPY_QUERY_VALUE = 0x66,
	SUNDOG_OP_RESET_QUERY_POOL = 0x69,
	SUNDOG_OP_BEGIN_POOL_QUERY = 0x6a,
	SUNDOG_OP_END_POOL_QUERY = 0x6b,
	SUNDOG_OP_WRITE_POOL_TIMESTAMP = 0x6c,
	SUNDOG_OP_COPY_QUERY_RESULTS = 0x6d,
	SUNDOG_OP_BEGIN_CONDITION = 0x67,
	SUNDOG_OP_BEGIN_MEMORY_CONDITION = 0x6e,
	SUNDOG_OP_END_CONDITION = 0x68,
};

#pragma pack(push, 4)

/* An allocation of the submission's list, or sparse memory */
struct sundog_mem {
	/* kernel resource handle, 0: none */
	__u32 kres;
	/* index of the allocation in its resource. If kres is 0, the device handle, or
	 * SPARSE_INDEX with the id of sparse memory */
	__u32 index;
};

/* A byte range of an allocation */
struct sundog_mem_range {
	/* the allocation */
	struct sundog_mem mem;
	/* bytes */
	__u64 offset;
	/* bytes */
	__u64 size;
};

/* A 64-bit word of an allocation */
struct sundog_mem_word {
	/* the allocation */
	struct sundog_mem mem;
	/* bytes, a multiple of 8 */
	__u64 offset;
};

/* Position in texels; z is the first layer of an array image */
struct sundog_offset3d {
	/* texels */
	__s32 x;
	/* texels */
	__s32 y;
	/* texels or layer */
	__s32 z;
};

/* Size in texels; depth counts layers of an array image */
struct sundog_extent3d {
	/* texels */
	__u32 width;
	/* texels */
	__u32 height;
	/* texels or layers */
	__u32 depth;
};

/* VkViewport */
struct sundog_viewport {
	/* pixels */
	float x;
	/* pixels */
	float y;
	/* pixels */
	float width;
	/* pixels, may be negative */
	float height;
	/* 0..1, or with feature DEPTH_RANGE any finite number */
	float min_depth;
	/* 0..1, or with feature DEPTH_RANGE any finite number */
	float max_depth;
};

/* VkRect2D */
struct sundog_rect {
	/* pixels */
	__s32 x;
	/* pixels */
	__s32 y;
	/* pixels */
	__u32 width;
	/* pixels */
	__u32 height;
};

/* VkStencilOpState without the reference */
struct sundog_stencil_face {
	/* stencil test fails (VkStencilOp) */
	__u32 fail_op;
	/* both tests pass (VkStencilOp) */
	__u32 pass_op;
	/* depth test fails (VkStencilOp) */
	__u32 depth_fail_op;
	/* comparison (VkCompareOp) */
	__u32 compare_op;
	/* bits compared */
	__u32 compare_mask;
	/* bits written */
	__u32 write_mask;
};

/* VkPipelineColorBlendAttachmentState */
struct sundog_blend_attachment {
	/* blending on */
	__u32 enable;
	/* source colour factor (VkBlendFactor) */
	__u32 src_color;
	/* destination colour factor (VkBlendFactor) */
	__u32 dst_color;
	/* colour operation (VkBlendOp) */
	__u32 color_op;
	/* source alpha factor (VkBlendFactor) */
	__u32 src_alpha;
	/* destination alpha factor (VkBlendFactor) */
	__u32 dst_alpha;
	/* alpha operation (VkBlendOp) */
	__u32 alpha_op;
	/* components written (VkColorComponentFlags) */
	__u32 write_mask;
};

/* VkVertexInputBindingDescription2EXT */
struct sundog_vertex_binding {
	/* bytes from element to element */
	__u32 stride;
	/* 0: advance per vertex; n: per n instances */
	__u32 divisor;
};

/* VkVertexInputAttributeDescription2EXT */
struct sundog_vertex_attribute {
	/* shader input location */
	__u32 location;
	/* vertex buffer slot */
	__u32 binding;
	/* format, or enum format (VkFormat) */
	__u32 format;
	/* bytes in the element */
	__u32 offset;
};

/* The vertex buffer of a slot */
struct sundog_buffer_binding {
	/* the allocation; index 0 with kres 0 unbinds */
	struct sundog_mem mem;
	/* bytes */
	__u64 offset;
};

/* A texture slot */
struct sundog_texture_binding {
	/* image view, 0 unbinds */
	__u32 view;
	/* sampler */
	__u32 sampler;
};

/* A descriptor that a shader declares */
struct sundog_shader_binding {
	/* descriptor binding, BINDING_* */
	__u32 binding;
	/* array elements, at least 1 */
	__u32 count;
	/* 1 combined image sampler, 3 storage image, 4 uniform texel buffer, 5 storage texel
	 * buffer, 6 uniform buffer, 7 storage buffer; others are reserved (VkDescriptorType) */
	__u32 type;
};

/* VkDescriptorSetLayoutBinding */
struct sundog_set_binding {
	/* binding number, greater than that of the binding before */
	__u32 binding;
	/* 0 sampler, 1 combined image sampler, 2 sampled image, 3 storage image, 4 uniform texel
	 * buffer, 5 storage texel buffer, 6 uniform buffer, 7 storage buffer, 8 and 9 dynamic
	 * uniform and storage buffer, 10 MUTABLE_TYPE; 3, 5, 7 and 9 need feature COMPUTE, 10
	 * needs feature MUTABLE_DESCRIPTORS; 0 and 2 exist since 4.3 (VkDescriptorType) */
	__u32 type;
	/* array elements */
	__u32 count;
};

/* Contents of an element of a set: a view, a sampler, both for combined image samplers, or a
 * range. All zero: a null descriptor, from which shaders read zero; a null sampler is an
 * unspecified sampler */
struct sundog_set_descriptor {
	/* image view with usage SAMPLED or STORAGE, or buffer view */
	__u32 view;
	/* sampler */
	__u32 sampler;
	/* for buffers: offset is a multiple of caps.min_ubo_align or min_ssbo_align, size at
	 * most caps.max_ubo_range or max_ssbo_range */
	struct sundog_mem_range range;
};

/* Arguments of draws in memory, and the number of draws */
struct sundog_indirect {
	/* memory, listed for reading */
	struct sundog_mem mem;
	/* bytes, of the first draw's arguments, a multiple of 4 */
	__u64 offset;
	/* bytes from draw to draw, a multiple of 4, at least the size of the arguments; at most
	 * 65535 before version 5.7 */
	__u32 stride;
	/* number of draws; with count_mem their maximum */
	__u32 max_draws;
	/* memory of a u32, the number of draws; index 0 with kres 0: there are max_draws draws */
	struct sundog_mem count_mem;
	/* bytes, a multiple of 4 */
	__u64 count_offset;
};

/* VkRenderingAttachmentInfo */
struct sundog_attachment {
	/* image view, 0: none */
	__u32 view;
	/* old contents */
	__u32 load;
	/* new contents */
	__u32 store;
	/* VkClearValue, as bits */
	__u32 clear[4];
};

/* VkClearAttachment */
struct sundog_clear_attachment {
	/* aspects to clear */
	__u32 aspect;
	/* colour attachment */
	__u32 index;
	/* VkClearValue, as bits */
	__u32 clear[4];
};

/* A level of an image and a box in it */
struct sundog_image_region {
	/* image */
	__u32 image;
	/* one aspect */
	__u32 aspect;
	/* mip level */
	__u32 level;
	/* position of the box */
	struct sundog_offset3d offset;
};

/* No operation, of any length */
struct sundog_cmd_nop {
	/* dwords that follow */
	__u32 count;
};

/* Destroy an object. The next packet may use its id again; work in flight keeps a reference to
 * the object */
struct sundog_cmd_destroy {
	/* kind of the object */
	__u32 kind;
	/* object */
	__u32 id;
};

/* VkImageCreateInfo, bound to memory. The contents are those of the memory */
struct sundog_cmd_create_image {
	/* new object id */
	__u32 id;
	/* memory */
	struct sundog_mem mem;
	/* byte offset of the image */
	__u64 offset;
	/* creation flags */
	__u32 flags;
	/* dimensions (VkImageType) */
	__u32 type;
	/* format, or enum format (VkFormat) */
	__u32 format;
	/* texels of level 0 */
	struct sundog_extent3d extent;
	/* mip levels */
	__u32 levels;
	/* array layers */
	__u32 layers;
	/* samples (VkSampleCountFlagBits) */
	__u32 samples;
	/* uses */
	__u32 usage;
};

/* Create a 2D image with one level and one layer whose rows are placed by the driver, for memory
 * with a foreign layout. Needs layout_flag EXPLICIT */
struct sundog_cmd_create_linear_image {
	/* new object id */
	__u32 id;
	/* memory */
	struct sundog_mem mem;
	/* byte offset of the first row */
	__u64 offset;
	/* bytes from row to row */
	__u32 pitch;
	/* creation flags */
	__u32 flags;
	/* format, with one plane, not block-compressed (VkFormat) */
	__u32 format;
	/* texels */
	__u32 width;
	/* texels */
	__u32 height;
	/* uses */
	__u32 usage;
};

/* VkImageViewCreateInfo */
struct sundog_cmd_create_image_view {
	/* new object id */
	__u32 id;
	/* image */
	__u32 image;
	/* view type; VIEW_TYPE_SLICES: 3D, of slices base_layer to base_layer + layers - 1, only
	 * as a storage image (VkImageViewType) */
	__u32 type;
	/* format, or enum format (VkFormat) */
	__u32 format;
	/* for R, G, B, A (VkComponentSwizzle) */
	__u32 swizzle[4];
	/* aspects */
	__u32 aspect;
	/* first level */
	__u32 base_level;
	/* levels */
	__u32 levels;
	/* first layer */
	__u32 base_layer;
	/* layers */
	__u32 layers;
	/* uses of the view, a subset of the image's */
	__u32 usage;
};

/* VkSamplerCreateInfo */
struct sundog_cmd_create_sampler {
	/* new object id */
	__u32 id;
	/* booleans */
	__u32 flags;
	/* magnification (VkFilter) */
	__u32 mag_filter;
	/* minification (VkFilter) */
	__u32 min_filter;
	/* filter between levels (VkSamplerMipmapMode) */
	__u32 mipmap_mode;
	/* addressing of U (VkSamplerAddressMode) */
	__u32 address_u;
	/* addressing of V (VkSamplerAddressMode) */
	__u32 address_v;
	/* addressing of W (VkSamplerAddressMode) */
	__u32 address_w;
	/* comparison (VkCompareOp) */
	__u32 compare_op;
	/* level bias */
	float lod_bias;
	/* 1..caps.max_anisotropy */
	float max_anisotropy;
	/* lowest level */
	float min_lod;
	/* highest level */
	float max_lod;
	/* border colour, as bits */
	__u32 border[4];
	/* format for which the border colour is, 0: any (VkFormat) */
	__u32 border_format;
	/* 1: the border colour is integer */
	__u32 border_int;
};

/* VkShaderCreateInfoEXT with SPIR-V. The entry point is main. bindings and push_size must cover
 * everything that the code uses */
struct sundog_cmd_create_shader {
	/* new object id */
	__u32 id;
	/* shader stage */
	__u32 stage;
	/* bytes of push constants that the code may read */
	__u32 push_size;
	/* declared descriptors */
	__u32 n_bindings;
	/* first n_bindings are valid, the rest 0 */
	struct sundog_shader_binding bindings[99];
	/* SPIR-V words */
	__u32 n_dwords;
};

/* VkBufferViewCreateInfo: a range of memory as an array of texels, for reading and, with
 * bind_storage_texels, for writing */
struct sundog_cmd_create_buffer_view {
	/* new object id */
	__u32 id;
	/* offset is a multiple of caps.min_texel_align, size a multiple of the texel size; 1 to
	 * caps.max_texel_elements texels */
	struct sundog_mem_range range;
	/* format, with format feature TEXEL_BUFFER or STORAGE_TEXEL_BUFFER (VkFormat) */
	__u32 format;
};

/* Create a counter for the fill level of a transform feedback buffer. It starts at zero, and
 * only the device changes it. Needs feature FEEDBACK */
struct sundog_cmd_create_feedback_counter {
	/* new object id */
	__u32 id;
};

/* Create handle tables, one of MAX_HANDLES entries for each kind of texture and image. All
 * entries are empty: shaders read zero there. Needs feature BINDLESS */
struct sundog_cmd_create_handle_table {
	/* new object id */
	__u32 id;
};

/* VkDescriptorSetLayoutCreateInfo, for all stages */
struct sundog_cmd_create_set_layout {
	/* new object id */
	__u32 id;
	/* bindings */
	__u32 count;
};

/* VkPipelineLayoutCreateInfo */
struct sundog_cmd_create_pipeline_layout {
	/* new object id */
	__u32 id;
	/* bytes of push constants that shaders may read */
	__u32 push_size;
	/* sets */
	__u32 count;
};

/* Create a descriptor set of null descriptors */
struct sundog_cmd_create_set {
	/* new object id */
	__u32 id;
	/* set layout */
	__u32 layout;
};

/* Create a shader like create_shader whose descriptors are those of sets */
struct sundog_cmd_create_layout_shader {
	/* new object id */
	__u32 id;
	/* shader stage */
	__u32 stage;
	/* pipeline layout */
	__u32 layout;
	/* SPIR-V words */
	__u32 n_dwords;
};

/* Write a shader_report to memory when the packet is decoded: waits until the shader is checked
 * and compiled. The memory must not be used by other commands in flight. Needs feature
 * SHADER_REPORTS */
struct sundog_cmd_report_shader {
	/* shader */
	__u32 shader;
	/* destination */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
};

/* VkQueryPoolCreateInfo. A query must be reset before use */
struct sundog_cmd_create_query_pool {
	/* new object id */
	__u32 id;
	/* counter of its queries */
	__u32 type;
	/* queries */
	__u32 count;
	/* statistics to count with type STATISTICS, bits 11 and 12 with feature MESH_QUERIES
	 * only; 0 with other types (VkQueryPipelineStatisticFlags) */
	__u32 statistics;
};

/* vkCmdSetViewportWithCount */
struct sundog_cmd_set_viewports {
	/* viewports */
	__u32 count;
};

/* vkCmdSetScissorWithCount */
struct sundog_cmd_set_scissors {
	/* scissors */
	__u32 count;
};

/* Rasterisation state */
struct sundog_cmd_set_raster {
	/* booleans */
	__u32 flags;
	/* topology; 6 to 9 (adjacency) need feature GEOMETRY, 10 (patches) needs feature
	 * TESSELLATION (VkPrimitiveTopology) */
	__u32 topology;
	/* polygon mode (VkPolygonMode) */
	__u32 polygon_mode;
	/* culled faces (VkCullModeFlags) */
	__u32 cull_mode;
	/* winding of front faces (VkFrontFace) */
	__u32 front_face;
	/* 0 default, 1 rectangular, 2 bresenham, 3 smooth (since 1.1)
	 * (VkLineRasterizationModeEXT) */
	__u32 line_mode;
	/* pixels, clamped to line_width_min and line_width_max */
	float line_width;
	/* line stipple */
	__u32 stipple_factor;
	/* line stipple */
	__u32 stipple_pattern;
	/* depth bias */
	float bias_constant;
	/* depth bias */
	float bias_clamp;
	/* depth bias */
	float bias_slope;
};

/* Depth and stencil tests */
struct sundog_cmd_set_depth_stencil {
	/* booleans */
	__u32 flags;
	/* depth test (VkCompareOp) */
	__u32 depth_compare;
	/* depth bounds */
	float bounds_min;
	/* depth bounds */
	float bounds_max;
	/* front faces */
	struct sundog_stencil_face front;
	/* back faces */
	struct sundog_stencil_face back;
};

/* vkCmdSetStencilReference */
struct sundog_cmd_set_stencil_reference {
	/* front faces */
	__u32 front;
	/* back faces */
	__u32 back;
};

/* Colour blending. One attachment state per colour attachment of the rendering */
struct sundog_cmd_set_blend {
	/* logic operation on */
	__u32 logic_enable;
	/* logic operation (VkLogicOp) */
	__u32 logic_op;
	/* attachments */
	__u32 count;
};

/* vkCmdSetBlendConstants */
struct sundog_cmd_set_blend_constants {
	/* R, G, B, A */
	float color[4];
};

/* Multisampling */
struct sundog_cmd_set_multisample {
	/* booleans */
	__u32 flags;
	/* sample count of the rendering (VkSampleCountFlagBits) */
	__u32 samples;
	/* sample mask */
	__u32 mask;
};

/* vkCmdSetVertexInputEXT; binding i describes slot i */
struct sundog_cmd_set_vertex_input {
	/* vertex buffer slots */
	__u32 n_bindings;
	/* first n_bindings are valid, the rest 0 */
	struct sundog_vertex_binding bindings[16];
	/* attributes */
	__u32 count;
};

/* vkCmdBindVertexBuffers */
struct sundog_cmd_bind_vertex_buffers {
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* vkCmdBindIndexBuffer */
struct sundog_cmd_bind_index_buffer {
	/* memory */
	struct sundog_mem mem;
	/* bytes, a multiple of the index size */
	__u64 offset;
	/* 0: 16 bits, 1: 32 bits, 2: 8 bits, with feature INDEX_UINT8 */
	__u32 type;
};

/* vkCmdBindShadersEXT for all stages; 0 unbinds */
struct sundog_cmd_bind_shaders {
	/* shader of each stage, 0: none */
	__u32 shaders[6];
};

/* vkCmdBindShadersEXT for all stages, with a mesh shader and no vertex, tessellation or geometry
 * shader; 0 unbinds. Needs feature MESH_SHADERS */
struct sundog_cmd_bind_mesh_shaders {
	/* shader of each stage, 0: none */
	__u32 shaders[8];
};

/* Bind a uniform buffer to a slot */
struct sundog_cmd_bind_ubo {
	/* shader stage */
	__u32 stage;
	/* slot */
	__u32 slot;
	/* offset is a multiple of caps.min_ubo_align, size at most caps.max_ubo_range; size 0
	 * unbinds */
	struct sundog_mem_range range;
};

/* vkCmdBindVertexBuffers2: vertices are read from the slot's range only */
struct sundog_cmd_bind_vertex_ranges {
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* Bind texture slots */
struct sundog_cmd_bind_textures {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* vkCmdPushConstants for all stages */
struct sundog_cmd_push_constants {
	/* bytes, a multiple of 4 */
	__u32 offset;
	/* dwords */
	__u32 count;
};

/* Bind texel buffer slots */
struct sundog_cmd_bind_texel_buffers {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* vkCmdBindTransformFeedbackBuffersEXT for all buffers, while transform feedback is inactive.
 * Needs feature FEEDBACK */
struct sundog_cmd_bind_feedback_buffers {
	/* buffers */
	__u32 count;
};

/* vkCmdSetPatchControlPointsEXT and vkCmdSetTessellationDomainOriginEXT, for topology 10. Needs
 * feature TESSELLATION */
struct sundog_cmd_set_patch {
	/* vertices per patch, at most caps.max_patch_vertices */
	__u32 vertices;
	/* 0: upper left, 1: lower left (VkTessellationDomainOrigin) */
	__u32 origin;
};

/* Bind storage buffer slots. If a shader writes storage buffers, all storage buffers of its
 * stage must be listed for writing. Needs feature COMPUTE */
struct sundog_cmd_bind_ssbos {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* Bind storage image slots. Memory of a slot that a shader writes must be listed for writing.
 * Needs feature COMPUTE */
struct sundog_cmd_bind_images {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* Bind storage texel buffer slots. Memory of a slot that a shader writes must be listed for
 * writing. Needs feature COMPUTE */
struct sundog_cmd_bind_storage_texels {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* Bind handle tables for all stages. Where a shader that declares a handle table is used, all
 * memory in the tables must be listed; if it writes images, that in tables of images must be
 * listed for writing. Needs feature BINDLESS */
struct sundog_cmd_bind_handles {
	/* handle tables, 0 unbinds */
	__u32 table;
};

/* Bind a descriptor set for draws or for dispatches. The layout of the shaders used must have a
 * set with the same bindings at this number. Later writes to the set affect later draws and
 * dispatches. An element of another kind than the shader declares reads as a null descriptor. So
 * does an element whose memory is not listed, or not listed for writing if shaders may write it */
struct sundog_cmd_bind_set {
	/* 0: for draws, 1: for dispatches */
	__u32 compute;
	/* set number */
	__u32 slot;
	/* set, 0 unbinds */
	__u32 set;
	/* dynamic offsets, one for each descriptor of a dynamic type, in the order of bindings */
	__u32 count;
};

/* vkUpdateDescriptorSets: write elements of a binding. Earlier draws are not affected */
struct sundog_cmd_write_set {
	/* set */
	__u32 set;
	/* binding */
	__u32 binding;
	/* first element */
	__u32 first;
	/* elements */
	__u32 count;
};

/* VkCopyDescriptorSet: copy elements of a binding to a binding of the same type, or within one
 * binding without overlap. MUTABLE_TYPE can also be copied to and from types 0 to 7: an element
 * of another type becomes a null descriptor there */
struct sundog_cmd_copy_set {
	/* source set */
	__u32 src;
	/* source binding */
	__u32 src_binding;
	/* first source element */
	__u32 src_first;
	/* destination set */
	__u32 dst;
	/* destination binding */
	__u32 dst_binding;
	/* first destination element */
	__u32 dst_first;
	/* elements */
	__u32 count;
};

/* write_set for elements of a MUTABLE_TYPE binding, which get this type. They are null
 * descriptors for shaders that declare another type. Needs feature MUTABLE_DESCRIPTORS */
struct sundog_cmd_write_mutable_set {
	/* set */
	__u32 set;
	/* binding */
	__u32 binding;
	/* first element */
	__u32 first;
	/* type as in set_binding; 3, 5 and 7 need feature COMPUTE (VkDescriptorType) */
	__u32 type;
	/* elements */
	__u32 count;
};

/* Write an entry of a handle table, outside a rendering. Earlier work sees the old entry, later
 * work the new one. The entry keeps a reference to the view and the sampler. Needs feature
 * BINDLESS */
struct sundog_cmd_write_handle {
	/* handle tables */
	__u32 table;
	/* kind, see NUM_HANDLE_KINDS */
	__u32 binding;
	/* entry */
	__u32 index;
	/* image view or, with dimension BUFFER, buffer view, of exactly that kind; 0 empties the
	 * entry */
	__u32 view;
	/* sampler, for textures */
	__u32 sampler;
};

/* vkCmdBeginRendering. The stream must end the rendering before its own end */
struct sundog_cmd_begin_rendering {
	/* render area */
	struct sundog_rect area;
	/* layers */
	__u32 layers;
	/* depth attachment */
	struct sundog_attachment depth;
	/* stencil attachment; the same view as depth if both exist */
	struct sundog_attachment stencil;
	/* colour attachments */
	__u32 count;
};

/* vkCmdBeginRendering with a view mask: draws go to each view, which is a layer of all
 * attachments. Shaders that read or write the layer are refused, and so are begin_feedback and
 * write_timestamp, whose word would belong to one view. clear_attachments uses layer 0 and
 * clears all views. A query takes as many numbers, or queries of its pool, as there are views.
 * Needs feature MULTIVIEW */
struct sundog_cmd_begin_multiview {
	/* render area */
	struct sundog_rect area;
	/* views, all below caps.max_views */
	__u32 view_mask;
	/* depth attachment */
	struct sundog_attachment depth;
	/* stencil attachment; the same view as depth if both exist */
	struct sundog_attachment stencil;
	/* colour attachments */
	__u32 count;
};

/* vkCmdDraw */
struct sundog_cmd_draw {
	/* vertices */
	__u32 vertex_count;
	/* instances */
	__u32 instance_count;
	/* first vertex */
	__u32 first_vertex;
	/* first instance */
	__u32 first_instance;
};

/* vkCmdDrawIndexed */
struct sundog_cmd_draw_indexed {
	/* indices */
	__u32 index_count;
	/* instances */
	__u32 instance_count;
	/* first index */
	__u32 first_index;
	/* added to each index */
	__s32 vertex_offset;
	/* first instance */
	__u32 first_instance;
};

/* vkCmdDrawIndirectByteCountEXT: draw as many vertices as transform feedback wrote to a buffer.
 * Needs feature FEEDBACK */
struct sundog_cmd_draw_feedback {
	/* feedback counter, not in use by active transform feedback */
	__u32 counter;
	/* bytes of a vertex in the buffer, a multiple of 4 */
	__u32 stride;
	/* instances */
	__u32 instance_count;
	/* first instance */
	__u32 first_instance;
};

/* vkCmdDrawIndirect or vkCmdDrawIndirectCount. Several draws, or a count in memory, need feature
 * INDIRECT */
struct sundog_cmd_draw_indirect {
	/* VkDrawIndirectCommand, 16 bytes each */
	struct sundog_indirect indirect;
};

/* vkCmdDrawIndexedIndirect or vkCmdDrawIndexedIndirectCount. Several draws, or a count in
 * memory, need feature INDIRECT */
struct sundog_cmd_draw_indexed_indirect {
	/* VkDrawIndexedIndirectCommand, 20 bytes each */
	struct sundog_indirect indirect;
};

/* vkCmdDrawMeshTasksEXT: groups counts work groups of the task shader, or of the mesh shader if
 * there is no task shader. Not with views or transform feedback. Lines must not be smooth. A
 * fragment shader must not read PrimitiveId, nor FrontFacing if polygons are not filled. It must
 * not read more clip and cull distances than the mesh shader writes, unless that writes a
 * multiple of four. Needs feature MESH_SHADERS */
struct sundog_cmd_draw_mesh {
	/* work groups, at most MAX_MESH_GROUPS each and MAX_MESH_TOTAL_GROUPS together. If the
	 * host has no room for the payloads, or for the output of the mesh shaders: fault HOST */
	__u32 groups[3];
};

/* vkCmdDrawMeshTasksIndirectEXT or vkCmdDrawMeshTasksIndirectCountEXT, with the rules of
 * draw_mesh. Also needs feature INDIRECT */
struct sundog_cmd_draw_mesh_indirect {
	/* VkDrawMeshTasksIndirectCommandEXT, 12 bytes each */
	struct sundog_indirect indirect;
};

/* vkCmdDispatch, outside a rendering. Needs feature COMPUTE */
struct sundog_cmd_dispatch {
	/* work groups, at most caps.max_group_count */
	__u32 groups[3];
};

/* vkCmdDispatchIndirect, outside a rendering. Needs feature COMPUTE */
struct sundog_cmd_dispatch_indirect {
	/* memory, listed for reading */
	struct sundog_mem mem;
	/* bytes of the VkDispatchIndirectCommand, a multiple of 4 */
	__u64 offset;
};

/* vkCmdDispatchBase, outside a rendering. Needs feature COMPUTE */
struct sundog_cmd_dispatch_base {
	/* first work group, below caps.max_group_count */
	__u32 base[3];
	/* number of work groups; base + groups is at most caps.max_group_count */
	__u32 groups[3];
};

/* vkCmdClearAttachments with one rectangle, inside a rendering; attachments that the rendering
 * does not have are ignored (since 5.5) */
struct sundog_cmd_clear_attachments {
	/* area */
	struct sundog_rect rect;
	/* first layer */
	__u32 base_layer;
	/* layers */
	__u32 layers;
	/* attachments */
	__u32 count;
};

/* vkCmdFillBuffer, outside a rendering */
struct sundog_cmd_fill_buffer {
	/* offset and size are multiples of 4 */
	struct sundog_mem_range dst;
	/* value of each dword */
	__u32 value;
};

/* vkCmdCopyBuffer, outside a rendering; the ranges must not overlap */
struct sundog_cmd_copy_buffer {
	/* source */
	struct sundog_mem src;
	/* destination */
	struct sundog_mem dst;
	/* bytes */
	__u64 src_offset;
	/* bytes */
	__u64 dst_offset;
	/* bytes */
	__u64 size;
};

/* vkCmdCopyBufferToImage, outside a rendering */
struct sundog_cmd_copy_buffer_to_image {
	/* buffer */
	struct sundog_mem mem;
	/* bytes, a multiple of a texel block, and of 4 for DEPTH and STENCIL. Of texels of three
	 * numbers, a multiple of a number, with whole texels from byte 0 or from some multiple
	 * of the host's alignment of buffers, a power of two */
	__u64 offset;
	/* texels from row to row, 0: packed */
	__u32 row_length;
	/* rows from slice to slice, 0: packed */
	__u32 image_height;
	/* image */
	struct sundog_image_region dst;
	/* texels */
	struct sundog_extent3d extent;
};

/* vkCmdCopyImageToBuffer, outside a rendering */
struct sundog_cmd_copy_image_to_buffer {
	/* buffer */
	struct sundog_mem mem;
	/* bytes, a multiple of a texel block, and of 4 for DEPTH and STENCIL. Of texels of three
	 * numbers, a multiple of a number, with whole texels from byte 0 or from some multiple
	 * of the host's alignment of buffers, a power of two */
	__u64 offset;
	/* texels from row to row, 0: packed */
	__u32 row_length;
	/* rows from slice to slice, 0: packed */
	__u32 image_height;
	/* image */
	struct sundog_image_region src;
	/* texels */
	struct sundog_extent3d extent;
};

/* vkCmdCopyImage, outside a rendering */
struct sundog_cmd_copy_image {
	/* source */
	struct sundog_image_region src;
	/* destination */
	struct sundog_image_region dst;
	/* texels of the source */
	struct sundog_extent3d extent;
};

/* vkCmdBlitImage, outside a rendering; the boxes range from offset to end and may be mirrored */
struct sundog_cmd_blit_image {
	/* source */
	struct sundog_image_region src;
	/* opposite corner of the source box */
	struct sundog_offset3d src_end;
	/* destination */
	struct sundog_image_region dst;
	/* opposite corner of the destination box */
	struct sundog_offset3d dst_end;
	/* filter (VkFilter) */
	__u32 filter;
};

/* vkCmdResolveImage, outside a rendering */
struct sundog_cmd_resolve_image {
	/* source, multisampled */
	struct sundog_image_region src;
	/* destination, single-sampled; one slice of a 3D image */
	struct sundog_image_region dst;
	/* texels */
	struct sundog_extent3d extent;
};

/* vkCmdPipelineBarrier2 with one memory barrier, outside a rendering. Allowed are the stages and
 * accesses of Vulkan 1.0, the shader accesses of 1.3 and those of transform feedback; others are
 * fault FIELD. Submissions of one channel need no barrier between them */
struct sundog_cmd_barrier {
	/* stages that must be complete (VkPipelineStageFlags2) */
	__u64 src_stages;
	/* accesses that must be visible (VkAccessFlags2) */
	__u64 src_access;
	/* stages that wait (VkPipelineStageFlags2) */
	__u64 dst_stages;
	/* accesses that see the data (VkAccessFlags2) */
	__u64 dst_access;
};

/* vkCmdUpdateBuffer, outside a rendering */
struct sundog_cmd_update_buffer {
	/* destination */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
	/* dwords */
	__u32 count;
};

/* vkCmdClearColorImage or, for the other aspects, vkCmdClearDepthStencilImage, with one range,
 * outside a rendering */
struct sundog_cmd_clear_image {
	/* image with usage TRANSFER_DST, not block-compressed */
	__u32 image;
	/* COLOR, or DEPTH, STENCIL or both */
	__u32 aspect;
	/* first level */
	__u32 base_level;
	/* levels */
	__u32 levels;
	/* first layer */
	__u32 base_layer;
	/* layers; 1 for a 3D image, all slices of which are cleared */
	__u32 layers;
	/* VkClearColorValue, or depth from 0 to 1 as a float and stencil, as bits */
	__u32 clear[4];
};

/* Map a whole allocation at a device address that the client chooses, until unmap_address;
 * shaders can access it there while it is listed. The range must be free; an allocation may be
 * mapped at several addresses. An access to unmapped addresses, or to memory that is not listed,
 * may end the client. Needs feature ADDRESSES */
struct sundog_cmd_map_address {
	/* memory, listed for reading and writing */
	struct sundog_mem mem;
	/* a multiple of PAGE_SIZE, at least MIN_ADDRESS; the mapping ends below 2^ADDRESS_BITS */
	__u64 address;
};

/* Unmap a device address at once; no shader may be using it. Needs feature ADDRESSES */
struct sundog_cmd_unmap_address {
	/* address of map_address or map_address_range */
	__u64 address;
};

/* As map_address, for a part of an allocation. Needs feature SPARSE_MEMORY */
struct sundog_cmd_map_address_range {
	/* memory, listed for reading and writing */
	struct sundog_mem mem;
	/* bytes in the memory, a multiple of PAGE_SIZE */
	__u64 offset;
	/* bytes, a multiple of PAGE_SIZE, not 0 */
	__u64 size;
	/* a multiple of PAGE_SIZE, at least MIN_ADDRESS; the mapping ends below 2^ADDRESS_BITS */
	__u64 address;
};

/* Make memory of a range of device addresses. Packets name it as they name an allocation, and
 * reach what is mapped at the addresses when they are executed. It needs no entry in the
 * submission's list, but the allocations that are mapped there do. An access to unmapped
 * addresses may end the client. Needs feature SPARSE_MEMORY */
struct sundog_cmd_create_sparse_memory {
	/* new object id */
	__u32 id;
	/* a multiple of PAGE_SIZE, at least MIN_ADDRESS; the range ends below 2^ADDRESS_BITS.
	 * Ranges may overlap */
	__u64 address;
	/* bytes, a multiple of PAGE_SIZE, not 0 */
	__u64 size;
};

/* Begin a query. One query of a type (OCCLUSION and OCCLUSION_BOOL count as one type) and stream
 * can be open. The result is a u64, or as many as the type has. It is added to the memory when
 * the ring entry completes, so a query can span entries. With views (begin_multiview) it also
 * takes the following numbers, one for each view, and the results of all views are added (since
 * 5.3) */
struct sundog_cmd_begin_query {
	/* number of the query in this ring entry */
	__u32 query;
	/* counter */
	__u32 type;
	/* vertex stream for types PRIMITIVES and FEEDBACK, above 0 with feature STREAMS only; 0
	 * for other types */
	__u32 stream;
	/* memory of the result, not sparse memory */
	struct sundog_mem mem;
	/* bytes, a multiple of 8 */
	__u64 offset;
};

/* End a query */
struct sundog_cmd_end_query {
	/* number of begin_query */
	__u32 query;
};

/* vkCmdBeginTransformFeedbackEXT, inside a rendering, which must end it before its own end. The
 * outputs that the last stage before rasterisation declares go to the bound buffers */
struct sundog_cmd_begin_feedback {
	/* bit i: continue buffer i at its counter, else begin at its start */
	__u32 resume;
	/* feedback counter of each bound buffer, all different; a counter that is resumed was
	 * last used with a range that was not larger, or never: then it is at the start (since
	 * 4.3) */
	__u32 counters[4];
};

/* Write the bytes that transform feedback has written to a buffer, as a u32, to memory; earlier
 * captures count. Outside a rendering this is a transfer for barriers, and needs feature
 * FEEDBACK_COUNTS. In a rendering it is a compute shader's write, and needs feature
 * FEEDBACK_MEMORY */
struct sundog_cmd_copy_feedback_counter {
	/* feedback counter, not in use by active transform feedback */
	__u32 counter;
	/* destination, memory listed for writing */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
};

/* Set a counter to a u32 in memory, less `base` (at least 0), and at most `limit`, rounded down
 * to a multiple of 4. For barriers this is a compute shader's read. The counter can be resumed
 * in ranges of `limit` bytes and more. Needs feature FEEDBACK_MEMORY */
struct sundog_cmd_load_feedback_counter {
	/* feedback counter, not in use by active transform feedback */
	__u32 counter;
	/* source, memory listed for reading */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
	/* bytes */
	__u32 base;
	/* bytes */
	__u32 limit;
};

/* vkCmdWriteTimestamp2: the time at which all earlier commands are complete, in ticks of
 * caps.timestamp_period. It is stored as a u64 when the ring entry completes */
struct sundog_cmd_write_timestamp {
	/* number in this ring entry; begin_query and write_timestamp share the numbers */
	__u32 query;
	/* memory of the time stamp */
	struct sundog_mem mem;
	/* bytes, a multiple of 8 */
	__u64 offset;
};

/* Compute a value of query results, outside a rendering, while no condition and no query is
 * open. A word has the value that earlier entries left, plus the results of queries that ended
 * in this entry; a time stamp is added, too. Needs feature QUERY_VALUES */
struct sundog_cmd_compute_query_value {
	/* number in this ring entry, each used once */
	__u32 value;
	/* operation */
	__u32 operation;
	/* number of words that are added: the first words of the array */
	__u32 added;
	/* words; those after the added ones are subtracted */
	__u32 count;
};

/* Write a computed value to memory, outside a rendering. For barriers this is a transfer */
struct sundog_cmd_copy_query_value {
	/* number in this ring entry */
	__u32 value;
	/* format in memory */
	__u32 type;
	/* destination */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
};

/* vkCmdResetQueryPool for queries that are not open, outside a rendering */
struct sundog_cmd_reset_query_pool {
	/* query pool */
	__u32 pool;
	/* first query */
	__u32 first;
	/* queries */
	__u32 count;
};

/* vkCmdBeginQueryIndexedEXT for a query that was reset. One query of a type and stream can be
 * open, including those of begin_query. It ends in the rendering in which it began, or outside
 * of renderings if it began there. With views it takes the following queries, too, one for each
 * view */
struct sundog_cmd_begin_pool_query {
	/* query pool, not of type TIMESTAMP */
	__u32 pool;
	/* query */
	__u32 query;
	/* vertex stream, as in begin_query */
	__u32 stream;
	/* 1: count samples; 0: the result only tells whether there were samples */
	__u32 precise;
};

/* vkCmdEndQueryIndexedEXT */
struct sundog_cmd_end_pool_query {
	/* query pool */
	__u32 pool;
	/* query */
	__u32 query;
	/* stream of begin_pool_query */
	__u32 stream;
};

/* vkCmdWriteTimestamp2: the time at which all earlier commands are complete, for a query that
 * was reset */
struct sundog_cmd_write_pool_timestamp {
	/* query pool of type TIMESTAMP */
	__u32 pool;
	/* query */
	__u32 query;
};

/* vkCmdCopyQueryPoolResults for queries that are not open, outside a rendering. For barriers
 * this is a transfer */
struct sundog_cmd_copy_query_results {
	/* query pool */
	__u32 pool;
	/* first query */
	__u32 first;
	/* queries */
	__u32 count;
	/* format of the results */
	__u32 flags;
	/* destination, memory listed for writing */
	struct sundog_mem mem;
	/* bytes, a multiple of the word size */
	__u64 offset;
	/* bytes from result to result, a multiple of the word size; with several queries at
	 * least the size of a result */
	__u32 stride;
};

/* vkCmdBeginConditionalRenderingEXT: until end_condition, draws, dispatches and
 * clear_attachments are executed only if the value is not 0. One condition can be open. It ends
 * in the rendering in which it began, or outside of renderings if it began there */
struct sundog_cmd_begin_condition {
	/* number of a computed value of this ring entry */
	__u32 value;
	/* 1: execute only if it is 0 */
	__u32 inverted;
};

/* vkCmdBeginConditionalRenderingEXT with a u32 in memory, which is read when the work executes;
 * otherwise like begin_condition. Needs feature QUERY_VALUES */
struct sundog_cmd_begin_memory_condition {
	/* memory, listed for reading */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
	/* 1: execute only if it is 0 */
	__u32 inverted;
};

#pragma pack(pop)

#endif
