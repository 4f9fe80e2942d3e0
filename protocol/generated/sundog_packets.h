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
	SUNDOG_OP_BEGIN_QUERY = 0x60,
	SUNDOG_OP_END_QUERY = 0x61,
	SUNDOG_OP_BEGIN_FEEDBACK = 0x62,
	SUNDOG_OP_END_FEEDBACK = 0x63,
	SUNDOG_OP_COPY_FEEDBACK_COUNTER = 0x6f,
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

/* Names an allocation of the submission's list */
struct sundog_mem {
	/* kernel resource handle, 0: device-owned */
	__u32 kres;
	/* index in the resource; the device handle when kres is 0 */
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

/* 64 bits of an allocation */
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
	/* 0..1 */
	float min_depth;
	/* 0..1 */
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
	/* 0: per vertex; n: per n instances */
	__u32 divisor;
};

/* VkVertexInputAttributeDescription2EXT */
struct sundog_vertex_attribute {
	/* shader input location */
	__u32 location;
	/* vertex buffer slot */
	__u32 binding;
	/* format (VkFormat) */
	__u32 format;
	/* bytes in the element */
	__u32 offset;
};

/* A vertex buffer of a slot */
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

/* One descriptor that a shader declares */
struct sundog_shader_binding {
	/* descriptor binding, BINDING_* */
	__u32 binding;
	/* array elements, at least 1 */
	__u32 count;
	/* 1 combined image sampler, 3 storage image, 4 uniform texel buffer, 5 storage texel buffer, 6 uniform buffer, 7 storage buffer; others are reserved (VkDescriptorType) */
	__u32 type;
};

/* VkDescriptorSetLayoutBinding */
struct sundog_set_binding {
	/* number, greater than that before it */
	__u32 binding;
	/* 0 sampler, 1 combined image sampler, 2 sampled image, 3 storage image, 4 uniform texel buffer, 5 storage texel buffer, 6 uniform buffer, 7 storage buffer, 8 and 9 those with an offset when they are bound; 3, 5, 7 and 9 need feature COMPUTE; 0 and 2 are there since 4.3; 10 MUTABLE_TYPE, with feature MUTABLE_DESCRIPTORS (VkDescriptorType) */
	__u32 type;
	/* array elements */
	__u32 count;
};

/* What is written to an element of a set: a view, a sampler, both for combined ones, or a range; all zero: nothing, shaders read zero there, and a sampler is some sampler */
struct sundog_set_descriptor {
	/* image view of usage SAMPLED or STORAGE, or buffer view */
	__u32 view;
	/* sampler */
	__u32 sampler;
	/* for buffers: offset a multiple of caps.min_ubo_align or min_ssbo_align, size at most caps.max_ubo_range or max_ssbo_range */
	struct sundog_mem_range range;
};

/* Arguments of draws in memory, and how many of them */
struct sundog_indirect {
	/* memory, listed for reading */
	struct sundog_mem mem;
	/* bytes of the first draw's, a multiple of 4 */
	__u64 offset;
	/* bytes from draw to draw, a multiple of 4 and at least the size of the arguments */
	__u32 stride;
	/* draws, or the most of them where count_mem is there */
	__u32 max_draws;
	/* memory of a u32, the number of draws; index 0 with kres 0: max_draws it is */
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
	/* what to clear */
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
	/* where */
	struct sundog_offset3d offset;
};

/* Does nothing; of any length */
struct sundog_cmd_nop {
	/* dwords that follow */
	__u32 count;
};

/* Destroy an object. Its id is free for reuse in the next packet; work in flight keeps what it needs */
struct sundog_cmd_destroy {
	/* what the id names */
	__u32 kind;
	/* object */
	__u32 id;
};

/* VkImageCreateInfo, bound to memory. Contents are what the memory holds */
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
	/* format (VkFormat) */
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

/* A 2D image of one level and layer whose rows are where the driver says; for memory that others laid out. Takes layout_flag EXPLICIT */
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
	/* format, of one plane and not block-compressed (VkFormat) */
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
	/* dimensions; VIEW_TYPE_SLICES: 3D, of slices base_layer to base_layer + layers, storage only (VkImageViewType) */
	__u32 type;
	/* format (VkFormat) */
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
	/* between levels (VkSamplerMipmapMode) */
	__u32 mipmap_mode;
	/* wrap (VkSamplerAddressMode) */
	__u32 address_u;
	/* wrap (VkSamplerAddressMode) */
	__u32 address_v;
	/* wrap (VkSamplerAddressMode) */
	__u32 address_w;
	/* comparison (VkCompareOp) */
	__u32 compare_op;
	/* level bias */
	float lod_bias;
	/* 1..caps.max_anisotropy */
	float max_anisotropy;
	/* level clamp */
	float min_lod;
	/* level clamp */
	float max_lod;
	/* border colour, as bits */
	__u32 border[4];
	/* format that the border is for, 0: any (VkFormat) */
	__u32 border_format;
	/* 1: border is integers */
	__u32 border_int;
};

/* VkShaderCreateInfoEXT with SPIR-V. Entry point is main. The interface must cover what the code uses */
struct sundog_cmd_create_shader {
	/* new object id */
	__u32 id;
	/* shader stage */
	__u32 stage;
	/* bytes of push constants that the code may read */
	__u32 push_size;
	/* descriptors declared */
	__u32 n_bindings;
	/* first n_bindings are valid, the rest 0 */
	struct sundog_shader_binding bindings[99];
	/* SPIR-V words */
	__u32 n_dwords;
};

/* VkBufferViewCreateInfo: a range of memory as an array of texels, to be read or, with bind_storage_texels, written */
struct sundog_cmd_create_buffer_view {
	/* new object id */
	__u32 id;
	/* offset a multiple of caps.min_texel_align, size of the texel's; at most caps.max_texel_elements of them, at least one */
	struct sundog_mem_range range;
	/* format, with feature TEXEL_BUFFER or STORAGE_TEXEL_BUFFER (VkFormat) */
	__u32 format;
};

/* How far transform feedback has filled a buffer: zero, then moved by the device alone. Needs feature FEEDBACK */
struct sundog_cmd_create_feedback_counter {
	/* new object id */
	__u32 id;
};

/* Tables of MAX_HANDLES textures or images, one for each kind, all empty: shaders read zero there. Needs feature BINDLESS */
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

/* A descriptor set, with nothing written to it */
struct sundog_cmd_create_set {
	/* new object id */
	__u32 id;
	/* set layout */
	__u32 layout;
};

/* A shader like create_shader's, whose descriptors are those of sets */
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

/* VkQueryPoolCreateInfo. A query is to be reset before it is used */
struct sundog_cmd_create_query_pool {
	/* new object id */
	__u32 id;
	/* what its queries count */
	__u32 type;
	/* queries */
	__u32 count;
	/* what is counted, of type STATISTICS; 0 of others (VkQueryPipelineStatisticFlags) */
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
	/* primitives; 6 to 9 (adjacency) need feature GEOMETRY, 10 (patches) feature TESSELLATION (VkPrimitiveTopology) */
	__u32 topology;
	/* fill (VkPolygonMode) */
	__u32 polygon_mode;
	/* culled faces (VkCullModeFlags) */
	__u32 cull_mode;
	/* winding of front faces (VkFrontFace) */
	__u32 front_face;
	/* 0 default, 1 rectangular, 2 bresenham, 3 smooth (since 1.1) (VkLineRasterizationModeEXT) */
	__u32 line_mode;
	/* pixels */
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
	/* samples of the rendering (VkSampleCountFlagBits) */
	__u32 samples;
	/* sample mask */
	__u32 mask;
};

/* vkCmdSetVertexInputEXT; bindings are slots 0 to n_bindings - 1 */
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

/* vkCmdBindShadersEXT, all stages: 0 unbinds */
struct sundog_cmd_bind_shaders {
	/* shader of each stage */
	__u32 shaders[6];
};

/* vkCmdBindShadersEXT, all stages, with a mesh shader and none of those that have vertices: 0 unbinds. Needs feature MESH_SHADERS */
struct sundog_cmd_bind_mesh_shaders {
	/* shader of each stage */
	__u32 shaders[8];
};

/* Bind a uniform buffer slot */
struct sundog_cmd_bind_ubo {
	/* shader stage */
	__u32 stage;
	/* slot */
	__u32 slot;
	/* offset a multiple of caps.min_ubo_align, size at most caps.max_ubo_range; size 0 unbinds */
	struct sundog_mem_range range;
};

/* vkCmdBindVertexBuffers2: vertices see nothing of a slot's memory but its range */
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

/* vkCmdPushConstants, for all stages */
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

/* vkCmdBindTransformFeedbackBuffersEXT, all of them, while feedback is off. Needs feature FEEDBACK */
struct sundog_cmd_bind_feedback_buffers {
	/* buffers */
	__u32 count;
};

/* vkCmdSetPatchControlPointsEXT and vkCmdSetTessellationDomainOriginEXT, for topology 10. Needs feature TESSELLATION */
struct sundog_cmd_set_patch {
	/* vertices of a patch, at most caps.max_patch_vertices */
	__u32 vertices;
	/* 0: upper left, 1: lower left (VkTessellationDomainOrigin) */
	__u32 origin;
};

/* Bind storage buffer slots. A shader that writes storage buffers needs all of its stage listed for writing. Needs feature COMPUTE */
struct sundog_cmd_bind_ssbos {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* Bind storage image slots; a slot that a shader writes needs memory listed for writing. Needs feature COMPUTE */
struct sundog_cmd_bind_images {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* Bind storage texel buffer slots; a slot that a shader writes needs memory listed for writing. Needs feature COMPUTE */
struct sundog_cmd_bind_storage_texels {
	/* shader stage */
	__u32 stage;
	/* first slot */
	__u32 first;
	/* slots */
	__u32 count;
};

/* Bind tables of handles, for all stages. All memory that is in them must be listed where a shader that declares one is used, and for writing what is in those of images if it writes some. Needs feature BINDLESS */
struct sundog_cmd_bind_handles {
	/* handle table, 0 unbinds */
	__u32 table;
};

/* Bind a descriptor set, for draws or for dispatches. What is drawn with must have been made with a layout that has a set of the same bindings there; what is written to a set later counts for what is drawn later. An element whose memory is not listed (for writing, too, where shaders may write it) or that is of another kind than the shader declares is nothing */
struct sundog_cmd_bind_set {
	/* 0: for draws, 1: for dispatches */
	__u32 compute;
	/* number of the set */
	__u32 slot;
	/* set, 0 unbinds */
	__u32 set;
	/* offsets, one for each descriptor of the types that have them, in the order of bindings */
	__u32 count;
};

/* vkUpdateDescriptorSets: write elements of a binding. What is drawn before is not touched by it */
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

/* VkCopyDescriptorSet: copy elements of a binding to one of the same type, or to others of that binding; of type MUTABLE_TYPE, to and from one of 0 to 7, too: an element of another type is nothing there */
struct sundog_cmd_copy_set {
	/* set */
	__u32 src;
	/* binding */
	__u32 src_binding;
	/* first element */
	__u32 src_first;
	/* set */
	__u32 dst;
	/* binding */
	__u32 dst_binding;
	/* first element */
	__u32 dst_first;
	/* elements */
	__u32 count;
};

/* write_set for elements of a binding of type MUTABLE_TYPE, which are of this type from now on. Shaders that declare another one see nothing there. Needs feature MUTABLE_DESCRIPTORS */
struct sundog_cmd_write_mutable_set {
	/* set */
	__u32 set;
	/* binding */
	__u32 binding;
	/* first element */
	__u32 first;
	/* type, as in set_binding; 3, 5 and 7 need feature COMPUTE (VkDescriptorType) */
	__u32 type;
	/* elements */
	__u32 count;
};

/* Write an entry of the table of a kind, outside a rendering. What is done before sees the old one, what is done after the new one; it keeps what it names. Needs feature BINDLESS */
struct sundog_cmd_write_handle {
	/* handle table */
	__u32 table;
	/* kind, as NUM_HANDLE_KINDS says */
	__u32 binding;
	/* entry */
	__u32 index;
	/* image view or, with dimension BUFFER, buffer view of just that kind; 0 empties the entry */
	__u32 view;
	/* sampler, for textures */
	__u32 sampler;
};

/* vkCmdBeginRendering. The stream ends it before its end */
struct sundog_cmd_begin_rendering {
	/* render area */
	struct sundog_rect area;
	/* layers */
	__u32 layers;
	/* depth */
	struct sundog_attachment depth;
	/* stencil; the same view as depth when both are there */
	struct sundog_attachment stencil;
	/* colour attachments */
	__u32 count;
};

/* vkCmdBeginRendering with a view mask: what is drawn goes to each view, which is a layer of all attachments. Draws know layers no more: a shader that reads or writes one is refused, as are begin_feedback, and write_timestamp, whose word would be one view's. Clears are of layer 0, and clear all views. A query takes as many numbers, or places of its pool, as there are views. Needs feature MULTIVIEW */
struct sundog_cmd_begin_multiview {
	/* render area */
	struct sundog_rect area;
	/* views, all below caps.max_views */
	__u32 view_mask;
	/* depth */
	struct sundog_attachment depth;
	/* stencil; the same view as depth when both are there */
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

/* vkCmdDrawIndirectByteCountEXT: as many vertices as feedback wrote to a buffer. Needs feature FEEDBACK */
struct sundog_cmd_draw_feedback {
	/* feedback counter, not in use by feedback that is on */
	__u32 counter;
	/* bytes of a vertex in that buffer, a multiple of 4 */
	__u32 stride;
	/* instances */
	__u32 instance_count;
	/* first instance */
	__u32 first_instance;
};

/* vkCmdDrawIndirect or vkCmdDrawIndirectCount. More than one draw, or a count in memory, needs feature INDIRECT */
struct sundog_cmd_draw_indirect {
	/* VkDrawIndirectCommand each, 16 bytes */
	struct sundog_indirect indirect;
};

/* vkCmdDrawIndexedIndirect or vkCmdDrawIndexedIndirectCount, likewise */
struct sundog_cmd_draw_indexed_indirect {
	/* VkDrawIndexedIndirectCommand each, 20 bytes */
	struct sundog_indirect indirect;
};

/* vkCmdDrawMeshTasksEXT: with a task shader its work groups, else the mesh shader's. Without views and feedback. A fragment shader may neither read PrimitiveId nor, where polygons are not filled, FrontFacing, nor more distances than the mesh shader writes, if those are not by fours; lines are not smooth. Needs feature MESH_SHADERS */
struct sundog_cmd_draw_mesh {
	/* work groups, at most MAX_MESH_GROUPS each, and MAX_MESH_TOTAL_GROUPS together, that the host has room for: their payloads, or what they make (code HOST) */
	__u32 groups[3];
};

/* vkCmdDrawMeshTasksIndirectEXT or vkCmdDrawMeshTasksIndirectCountEXT, likewise. Needs feature INDIRECT, too */
struct sundog_cmd_draw_mesh_indirect {
	/* VkDrawMeshTasksIndirectCommandEXT each, 12 bytes */
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
	/* bytes of a VkDispatchIndirectCommand, a multiple of 4 */
	__u64 offset;
};

/* vkCmdDispatchBase, outside a rendering. Needs feature COMPUTE */
struct sundog_cmd_dispatch_base {
	/* first work group, less than caps.max_group_count */
	__u32 base[3];
	/* work groups; the last one is less than caps.max_group_count */
	__u32 groups[3];
};

/* vkCmdClearAttachments, one rectangle, inside a rendering; since 5.5 nothing is done of attachments that the rendering does not have */
struct sundog_cmd_clear_attachments {
	/* where */
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
	/* written over and over */
	__u32 value;
};

/* vkCmdCopyBuffer, outside a rendering; ranges must not overlap */
struct sundog_cmd_copy_buffer {
	/* from */
	struct sundog_mem src;
	/* to */
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
	/* bytes */
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
	/* bytes */
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
	/* from */
	struct sundog_image_region src;
	/* to */
	struct sundog_image_region dst;
	/* texels of the source */
	struct sundog_extent3d extent;
};

/* vkCmdBlitImage, outside a rendering; boxes run from offset to end and may be mirrored */
struct sundog_cmd_blit_image {
	/* from */
	struct sundog_image_region src;
	/* opposite corner */
	struct sundog_offset3d src_end;
	/* to */
	struct sundog_image_region dst;
	/* opposite corner */
	struct sundog_offset3d dst_end;
	/* filter (VkFilter) */
	__u32 filter;
};

/* vkCmdResolveImage, outside a rendering */
struct sundog_cmd_resolve_image {
	/* multisampled */
	struct sundog_image_region src;
	/* single-sampled; of a 3D image one slice */
	struct sundog_image_region dst;
	/* texels */
	struct sundog_extent3d extent;
};

/* vkCmdPipelineBarrier2 with one memory barrier, outside a rendering. Submissions of a channel are ordered without one */
struct sundog_cmd_barrier {
	/* what must be done (VkPipelineStageFlags2) */
	__u64 src_stages;
	/* what must be visible (VkAccessFlags2) */
	__u64 src_access;
	/* what waits (VkPipelineStageFlags2) */
	__u64 dst_stages;
	/* what sees it (VkAccessFlags2) */
	__u64 dst_access;
};

/* vkCmdUpdateBuffer, outside a rendering */
struct sundog_cmd_update_buffer {
	/* to */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
	/* dwords */
	__u32 count;
};

/* vkCmdClearColorImage or, with the other aspects, vkCmdClearDepthStencilImage, one range, outside a rendering */
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
	/* layers; 1 of a 3D image, all of whose slices are cleared */
	__u32 layers;
	/* VkClearColorValue, or depth from 0 to 1 as a float and stencil, as bits */
	__u32 clear[4];
};

/* Have all of an allocation at a device address of the client's choice, until unmap_address: shaders find it there while it is listed. Nothing else may be at these addresses; an allocation may be at several. Where nothing is, and outside of lists, what a shader reads or writes ends the client at worst. Needs feature ADDRESSES */
struct sundog_cmd_map_address {
	/* memory, listed for reading and writing */
	struct sundog_mem mem;
	/* a multiple of PAGE_SIZE, at least MIN_ADDRESS; it ends below 2^ADDRESS_BITS */
	__u64 address;
};

/* Nothing is at a device address any more, at once: no shader may be using it. Needs feature ADDRESSES */
struct sundog_cmd_unmap_address {
	/* of map_address */
	__u64 address;
};

/* Begin counting; one query of a type (OCCLUSION and OCCLUSION_BOOL are one) and stream can be open. The result, a u64 or as many as the type has, is added to what is in memory when the ring entry completes, so a query may span entries. With views (begin_multiview) it takes the numbers after it as well, one for each view, and what all count is added (since 5.3) */
struct sundog_cmd_begin_query {
	/* number in this ring entry */
	__u32 query;
	/* what to count */
	__u32 type;
	/* vertex stream whose primitives PRIMITIVES and FEEDBACK count; not 0 with feature STREAMS only, 0 with other types */
	__u32 stream;
	/* where the result goes */
	struct sundog_mem mem;
	/* bytes, a multiple of 8 */
	__u64 offset;
};

/* End counting */
struct sundog_cmd_end_query {
	/* as in begin_query */
	__u32 query;
};

/* vkCmdBeginTransformFeedbackEXT, inside a rendering that ends it before its end. What the last stage before rasterisation declares goes to the buffers bound */
struct sundog_cmd_begin_feedback {
	/* bit i: buffer i is filled on from where its counter says, else from its start */
	__u32 resume;
	/* feedback counter of each buffer that is bound, all different; one that is resumed must have been used with a range that was no larger, or never: then it is at the start (since 4.3) */
	__u32 counters[4];
};

/* Write to memory how many bytes of a buffer feedback has filled, as a u32, outside a rendering. To barriers this is a transfer; what was captured before it counts. Needs feature FEEDBACK_COUNTS */
struct sundog_cmd_copy_feedback_counter {
	/* feedback counter */
	__u32 counter;
	/* to, memory listed for writing */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
};

/* vkCmdWriteTimestamp2: the time when all before it is done, in ticks of caps.timestamp_period, as a u64 in memory when the ring entry completes */
struct sundog_cmd_write_timestamp {
	/* number in this ring entry, one of those that begin_query has */
	__u32 query;
	/* where the time goes */
	struct sundog_mem mem;
	/* bytes, a multiple of 8 */
	__u64 offset;
};

/* Compute a value of results of queries, outside a rendering, where no condition and no query is open. A word counts as the entries before left it, and with what queries that ended in this one add to it; a time stamp counts as added, too. With feature QUERY_VALUES */
struct sundog_cmd_compute_query_value {
	/* number in this ring entry, each used once */
	__u32 value;
	/* what to compute */
	__u32 operation;
	/* words that are added, the first ones */
	__u32 added;
	/* words; those after the added ones are subtracted */
	__u32 count;
};

/* Write a value that was computed to memory, outside a rendering. To barriers this is a transfer */
struct sundog_cmd_copy_query_value {
	/* number in this ring entry */
	__u32 value;
	/* how it is written */
	__u32 type;
	/* where */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
};

/* vkCmdResetQueryPool, outside a rendering, of queries that are not open */
struct sundog_cmd_reset_query_pool {
	/* query pool */
	__u32 pool;
	/* first query */
	__u32 first;
	/* queries */
	__u32 count;
};

/* vkCmdBeginQueryIndexedEXT, of a query that was reset; one query of a type and stream can be open, those of begin_query among them. It ends in the rendering that it began in, or outside as it began. Where there are views it is one for each, those that follow among them */
struct sundog_cmd_begin_pool_query {
	/* query pool, not of type TIMESTAMP */
	__u32 pool;
	/* query */
	__u32 query;
	/* as in begin_query */
	__u32 stream;
	/* 1: samples are counted, else it is known whether there were some */
	__u32 precise;
};

/* vkCmdEndQueryIndexedEXT */
struct sundog_cmd_end_pool_query {
	/* query pool */
	__u32 pool;
	/* query */
	__u32 query;
	/* as it began */
	__u32 stream;
};

/* vkCmdWriteTimestamp2: the time when all before it is done, to a query that was reset */
struct sundog_cmd_write_pool_timestamp {
	/* query pool of type TIMESTAMP */
	__u32 pool;
	/* query */
	__u32 query;
};

/* vkCmdCopyQueryPoolResults, outside a rendering, of queries that are not open. To barriers this is a transfer */
struct sundog_cmd_copy_query_results {
	/* query pool */
	__u32 pool;
	/* first query */
	__u32 first;
	/* queries */
	__u32 count;
	/* how they are copied */
	__u32 flags;
	/* to, memory listed for writing */
	struct sundog_mem mem;
	/* bytes, a multiple of a word's */
	__u64 offset;
	/* bytes from result to result, likewise; with more than one query at least their size */
	__u32 stride;
};

/* vkCmdBeginConditionalRenderingEXT: until its end, draws, dispatches and clear_attachments are done only if the value is not 0. One can be open; it ends in the rendering that it began in, or outside as it began */
struct sundog_cmd_begin_condition {
	/* number in this ring entry, of a value that was computed */
	__u32 value;
	/* 1: only if it is 0 */
	__u32 inverted;
};

/* vkCmdBeginConditionalRenderingEXT with a u32 in memory, read when the work is done; otherwise like begin_condition. With feature QUERY_VALUES */
struct sundog_cmd_begin_memory_condition {
	/* memory, listed for reading */
	struct sundog_mem mem;
	/* bytes, a multiple of 4 */
	__u64 offset;
	/* 1: only if it is 0 */
	__u32 inverted;
};

#pragma pack(pop)

#endif
