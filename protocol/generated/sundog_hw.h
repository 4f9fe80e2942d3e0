/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Registers, memory layouts and messages of the sundog device.
 * Generated from protocol/sundog.yaml by protocol/generate.py; do not edit. */
#ifndef SUNDOG_HW_H
#define SUNDOG_HW_H

#include <linux/types.h>

#define SUNDOG_VERSION_MAJOR 5
#define SUNDOG_VERSION_MINOR 11
#define SUNDOG_VERSION (SUNDOG_VERSION_MAJOR << 16 | SUNDOG_VERSION_MINOR)

/* 'SDOG', first register of BAR0 */
#define SUNDOG_MAGIC 0x474f4453
/* PCI vendor id */
#define SUNDOG_PCI_VENDOR 0x1234
/* PCI device id */
#define SUNDOG_PCI_DEVICE 0x5d09
/* bytes; place and size of an allocation are multiples of it */
#define SUNDOG_PAGE_SIZE 0x1000
/* channel slots of a device */
#define SUNDOG_MAX_CHANNELS 256
/* display heads of a device */
#define SUNDOG_MAX_HEADS 4
/* planes of a head; all planes are alike */
#define SUNDOG_HEAD_PLANES 4
/* pixels, maximum width and height of a head, of a plane on it and of a plane's buffer */
#define SUNDOG_MAX_PLANE_SIZE 0x2000
/* bytes of a head's EDID window */
#define SUNDOG_EDID_SIZE 512
/* bytes of the window with struct caps */
#define SUNDOG_CAPS_SIZE 2048
/* ring entries of a channel; put and get run freely, slot = count % RING_SLOTS */
#define SUNDOG_RING_SLOTS 64
/* list entries reserved for each ring slot */
#define SUNDOG_LIST_PER_SLOT 120
/* RING_SLOTS * LIST_PER_SLOT, list entries of a channel; they form a ring */
#define SUNDOG_LIST_ENTRIES 0x1e00
/* bytes of a channel segment in the control region */
#define SUNDOG_CHANNEL_SIZE 0x40000
/* offset in a channel segment: struct ring_control, written by the driver */
#define SUNDOG_CHANNEL_CONTROL 0
/* offset in a channel segment: struct ring_status, written by the worker */
#define SUNDOG_CHANNEL_STATUS 0x1000
/* offset in a channel segment: ring_entry[RING_SLOTS] */
#define SUNDOG_CHANNEL_RING 0x2000
/* offset in a channel segment: list_entry[LIST_ENTRIES] */
#define SUNDOG_CHANNEL_LIST 0x3000
/* allocation table entries; handle 0 is never valid */
#define SUNDOG_TABLE_ENTRIES 0x200000
/* offset in BAR4: the allocation table, alloc_entry[TABLE_ENTRIES] */
#define SUNDOG_CONTROL_TABLE 0
/* offset in BAR4: MAX_CHANNELS channel segments. The segments and the extent table behind them
 * are one memory */
#define SUNDOG_CONTROL_CHANNELS 0x8000000
/* offset in BAR4: the extent table, written by the driver. A u32 for each extent of VRAM: the
 * client whose worker may map the extent, 0: no client */
#define SUNDOG_CONTROL_EXTENTS 0xc000000
/* extent table entries */
#define SUNDOG_MAX_EXTENTS 0x10000
/* bytes from CONTROL_CHANNELS to the end of the extent table */
#define SUNDOG_CHANNELS_MEMORY 0x4040000
/* bytes of BAR4 */
#define SUNDOG_CONTROL_SIZE 0x10000000
/* maximum pages of one write to DISCARD */
#define SUNDOG_MAX_DISCARD 1024
/* maximum runs of pages of one write to GUEST_MAP; their list fills one page */
#define SUNDOG_MAX_GUEST_RUNS 512
/* maximum pages of one write to GUEST_MAP, and of one run */
#define SUNDOG_MAX_GUEST_PAGES 0x1000
/* maximum maps of heap GUEST at a time */
#define SUNDOG_MAX_GUEST_MAPS 512
/* bytes of BAR0 */
#define SUNDOG_REGS_SIZE 0x10000
/* dwords, longest stream of one ring entry */
#define SUNDOG_MAX_STREAM_DWORDS 0x200000
/* object ids of a client are below this; id 0 is never valid */
#define SUNDOG_MAX_OBJECTS 0x100000
/* colour attachments of a rendering */
#define SUNDOG_MAX_COLOR_ATTACHMENTS 8
/* vertex buffer slots */
#define SUNDOG_MAX_VERTEX_BUFFERS 16
/* vertex attribute locations */
#define SUNDOG_MAX_VERTEX_ATTRIBUTES 32
/* viewports and scissors */
#define SUNDOG_MAX_VIEWPORTS 16
/* uniform buffer slots of a shader stage */
#define SUNDOG_MAX_UBOS 16
/* storage buffer slots of a shader stage */
#define SUNDOG_MAX_SSBOS 32
/* combined image and sampler slots of a shader stage */
#define SUNDOG_MAX_TEXTURES 32
/* storage image slots of a shader stage; it has as many storage texel buffer slots */
#define SUNDOG_MAX_IMAGES 16
/* texel buffer slots of a shader stage */
#define SUNDOG_MAX_TEXEL_BUFFERS 32
/* transform feedback buffers */
#define SUNDOG_MAX_FEEDBACK_BUFFERS 4
/* bytes; of a larger range that is bound as transform feedback buffer the rest is not used */
#define SUNDOG_MAX_FEEDBACK_SIZE 0x7ffffffc
/* bytes, maximum distance of vertices in a transform feedback buffer */
#define SUNDOG_MAX_FEEDBACK_STRIDE 2048
/* descriptor binding of uniform buffer slot 0; the set is the shader stage */
#define SUNDOG_BINDING_UBO0 0
/* descriptor binding of uniform buffer slots 1 and up, an array */
#define SUNDOG_BINDING_UBOS 33
/* descriptor binding of the storage buffers, an array */
#define SUNDOG_BINDING_SSBOS 34
/* descriptor binding of texture slot 0; slot i is at BINDING_TEXTURE0 + i */
#define SUNDOG_BINDING_TEXTURE0 1
/* descriptor binding of storage image slot 0; slot i is at BINDING_IMAGE0 + i */
#define SUNDOG_BINDING_IMAGE0 35
/* descriptor binding of texel buffer slot 0; slot i is at BINDING_TEXELS0 + i */
#define SUNDOG_BINDING_TEXELS0 51
/* descriptor binding of storage texel buffer slot 0; slot i is at BINDING_STORAGE_TEXELS0 + i */
#define SUNDOG_BINDING_STORAGE_TEXELS0 83
/* exclusive upper bound of the binding numbers of a set */
#define SUNDOG_NUM_BINDINGS 99
/* vertex streams of a geometry shader */
#define SUNDOG_MAX_STREAMS 4
/* maximum vertices of a patch */
#define SUNDOG_MAX_PATCH_VERTICES 32
/* words of the result of a STATISTICS query, in the order of VkQueryPipelineStatisticFlagBits */
#define SUNDOG_NUM_STATISTICS 11
/* maximum vertices that a geometry shader may declare */
#define SUNDOG_MAX_GEOMETRY_VERTICES 256
/* maximum vertices that a mesh shader may declare */
#define SUNDOG_MAX_MESH_VERTICES 256
/* maximum primitives that a mesh shader may declare */
#define SUNDOG_MAX_MESH_PRIMITIVES 256
/* maximum work groups of task and mesh shaders in each dimension */
#define SUNDOG_MAX_MESH_GROUPS 0xffff
/* maximum work groups of a draw, and of the mesh shaders that one task work group starts */
#define SUNDOG_MAX_MESH_TOTAL_GROUPS 0x400000
/* bytes, maximum payload of a task work group */
#define SUNDOG_MAX_TASK_PAYLOAD 0x4000
/* bytes of push constants, in one block for all stages */
#define SUNDOG_MAX_PUSH_CONSTANTS 256
/* queries that a ring entry may begin, time stamps included */
#define SUNDOG_MAX_QUERIES 64
/* maximum queries of a query pool */
#define SUNDOG_MAX_POOL_QUERIES 0x10000
/* maximum queries of all query pools of a client */
#define SUNDOG_MAX_CLIENT_QUERIES 0x100000
/* maximum query results that a ring entry copies from pools */
#define SUNDOG_MAX_RESULT_COPIES 0x100000
/* query values that a ring entry may compute */
#define SUNDOG_MAX_QUERY_VALUES 32
/* maximum result words of a query value */
#define SUNDOG_MAX_QUERY_WORDS 32
/* entries of each handle table; entry 0 is always empty */
#define SUNDOG_MAX_HANDLES 0x1000
/* descriptor set of the handle tables; each kind of texture and image has its own binding */
#define SUNDOG_HANDLE_SET 6
/* numeric types of texels in shaders: 0 float, 1 signed integer, 2 unsigned integer */
#define SUNDOG_NUM_HANDLE_NUMBERS 3
/* number of values of handle_dim */
#define SUNDOG_NUM_HANDLE_DIMS 10
/* bits of a device address; higher bits of a pointer are ignored */
#define SUNDOG_ADDRESS_BITS 40
/* lowest device address at which memory can be mapped */
#define SUNDOG_MIN_ADDRESS 0x10000
/* index of a `mem` that names sparse memory: this bit and the id of the object; kres is 0 then */
#define SUNDOG_SPARSE_INDEX 0x80000000
/* maximum descriptor sets of a pipeline layout */
#define SUNDOG_MAX_SETS 8
/* maximum bindings of a set; before 5.9 it is MAX_MUTABLE_BINDINGS, before 5.5 that is also an
 * exclusive upper bound of binding numbers */
#define SUNDOG_MAX_SET_BINDINGS 0x2000
/* maximum bindings of a set with type MUTABLE_TYPE */
#define SUNDOG_MAX_MUTABLE_BINDINGS 256
/* highest binding number of a set */
#define SUNDOG_MAX_BINDING_NUMBER 0xfffffffe
/* maximum descriptors of a set over all bindings, with feature DESCRIPTOR_INDEXING. Also the
 * maximum of resources, and that of samplers, of all sets of a pipeline layout */
#define SUNDOG_MAX_SET_DESCRIPTORS 0xf4240
/* maximum descriptors of a set without feature DESCRIPTOR_INDEXING */
#define SUNDOG_MAX_PLAIN_SET_DESCRIPTORS 1024
/* type of a binding each of whose elements has the type, 0 to 7, with which it was written; a
 * shader declares descriptors of one type there */
#define SUNDOG_MUTABLE_TYPE 10
/* maximum descriptors of a set that take a dynamic offset */
#define SUNDOG_MAX_DYNAMIC_OFFSETS 32
/* bindings of HANDLE_SET; binding = (handle_class * NUM_HANDLE_DIMS + handle_dim) *
 * NUM_HANDLE_NUMBERS + numeric type */
#define SUNDOG_NUM_HANDLE_KINDS 90
/* view type beside those of VkImageViewType: a range of slices of a 3D image, with feature
 * SLICE_RANGES */
#define SUNDOG_VIEW_TYPE_SLICES 7
/* features that allow packets and shaders in a stream; a device passes these bits on even if it
 * does not know them */
#define SUNDOG_STREAM_FEATURES 0xfffffffffffffe00
/* format numbers that the capability block describes */
#define SUNDOG_NUM_FORMATS 192

/* State of a channel slot, in CHANNEL_STATE registers and channel_state messages */
enum sundog_channel_state {
	/* the slot has no channel */
	SUNDOG_CHANNEL_STATE_OFF = 0,
	/* CREATE was posted */
	SUNDOG_CHANNEL_STATE_CREATING = 1,
	/* the worker executes ring entries */
	SUNDOG_CHANNEL_STATE_RUN = 2,
	/* the worker stopped decoding; submitted work may still run on the host */
	SUNDOG_CHANNEL_STATE_FAULT = 3,
	/* no work of the channel runs any more; its memory can be reused */
	SUNDOG_CHANNEL_STATE_DEAD = 4,
	/* DESTROY or CLIENT_DESTROY was posted */
	SUNDOG_CHANNEL_STATE_DESTROYING = 5,
};

/* State of the renderer connection, in RENDERER_STATE */
enum sundog_renderer_state {
	/* no renderer: display only */
	SUNDOG_RENDERER_STATE_NONE = 0,
	/* connected, the capabilities are not known yet */
	SUNDOG_RENDERER_STATE_STARTING = 1,
	/* channels can be created */
	SUNDOG_RENDERER_STATE_READY = 2,
	/* the broker disconnected; channels are DEAD. Channels can be created when the state is
	 * READY again */
	SUNDOG_RENDERER_STATE_LOST = 3,
};

/* Result of the last GUEST_MAP, in GUEST_STATE */
enum sundog_guest_state {
	/* mapped; also the state before the first GUEST_MAP */
	SUNDOG_GUEST_STATE_DONE = 0,
	/* the renderer has not confirmed the map yet */
	SUNDOG_GUEST_STATE_BUSY = 1,
	/* nothing was mapped: bad values, memory that is not guest RAM, too many maps of this
	 * device or of all, no memory on the host, or no renderer */
	SUNDOG_GUEST_STATE_REFUSED = 2,
};

/* Operation of CHANNEL_CMD */
enum sundog_channel_op {
	/* create the channel in client CHANNEL_CLIENT; the first channel creates the client */
	SUNDOG_CHANNEL_OP_CREATE = 1,
	/* stop the channel; its state then becomes OFF */
	SUNDOG_CHANNEL_OP_DESTROY = 2,
	/* end client CHANNEL_CLIENT and its worker; the channel field is ignored */
	SUNDOG_CHANNEL_OP_CLIENT_DESTROY = 3,
};

/* Reason why a channel stopped */
enum sundog_fault_code {
	/* no fault */
	SUNDOG_FAULT_CODE_NONE = 0,
	/* a ring entry is malformed, or put is more than RING_SLOTS ahead of get; arg: the bad
	 * value */
	SUNDOG_FAULT_CODE_RING = 1,
	/* the stream's allocation is stale, or offset and length exceed it */
	SUNDOG_FAULT_CODE_STREAM = 2,
	/* a list entry is stale or malformed; arg: index in the list */
	SUNDOG_FAULT_CODE_LIST = 3,
	/* unknown opcode, or one whose feature is missing; arg: the opcode */
	SUNDOG_FAULT_CODE_OPCODE = 4,
	/* the packet length does not fit the opcode; arg: the length in dwords */
	SUNDOG_FAULT_CODE_LENGTH = 5,
	/* a field is out of range; arg: dword of the field in its packet */
	SUNDOG_FAULT_CODE_FIELD = 6,
	/* an object id is out of range, missing, in use or of the wrong kind; arg: the id */
	SUNDOG_FAULT_CODE_OBJECT = 7,
	/* memory is not in the submission's allocation list; arg: index or handle */
	SUNDOG_FAULT_CODE_NOT_LISTED = 8,
	/* memory is listed without the required access; arg: handle */
	SUNDOG_FAULT_CODE_ACCESS = 9,
	/* offset and size exceed the allocation or the image; arg: handle or object id. Or a
	 * draw cannot be split into small enough draws; arg: its vertices */
	SUNDOG_FAULT_CODE_RANGE = 10,
	/* a draw or dispatch uses a shader whose SPIR-V was refused, for the reason in the
	 * renderer's log; arg: object id */
	SUNDOG_FAULT_CODE_SHADER = 11,
	/* the packet is not legal in this state; arg: opcode */
	SUNDOG_FAULT_CODE_STATE = 12,
	/* the host driver failed; arg: VkResult, negated */
	SUNDOG_FAULT_CODE_HOST = 13,
	/* the client's worker ended or was killed; arg: the signal that it got, if it reported
	 * that */
	SUNDOG_FAULT_CODE_WORKER = 14,
	/* an entry took too long or made no progress; arg: the limit in ms, if the worker
	 * reported it */
	SUNDOG_FAULT_CODE_TIMEOUT = 15,
};

/* Place of an allocation's memory */
enum sundog_heap {
	/* VRAM of the device */
	SUNDOG_HEAP_VRAM = 0,
	/* reserved: host GPU memory allocated by the broker */
	SUNDOG_HEAP_LOCAL = 1,
	/* pages of the guest that are mapped into heap GUEST, see GUEST_MAP */
	SUNDOG_HEAP_GUEST = 2,
};

/* PLANE_BLEND register; values of DRM_MODE_BLEND_* */
enum sundog_plane_blend {
	/* colours are premultiplied by alpha */
	SUNDOG_PLANE_BLEND_PREMULTI = 0,
	/* colours are not premultiplied */
	SUNDOG_PLANE_BLEND_COVERAGE = 1,
	/* alpha of pixels is ignored and counts as 1 */
	SUNDOG_PLANE_BLEND_PIXEL_NONE = 2,
};

/* PLANE_ENCODING register; values of DRM_COLOR_YCBCR_* */
enum sundog_plane_encoding {
	/* ITU-R BT.601 */
	SUNDOG_PLANE_ENCODING_BT601 = 0,
	/* ITU-R BT.709 */
	SUNDOG_PLANE_ENCODING_BT709 = 1,
	/* ITU-R BT.2020, non-constant luminance */
	SUNDOG_PLANE_ENCODING_BT2020 = 2,
};

/* PLANE_RANGE register; values of DRM_COLOR_YCBCR_* */
enum sundog_plane_range {
	/* luma 16..235 of 255, chroma 16..240 */
	SUNDOG_PLANE_RANGE_LIMITED = 0,
	/* 0..255 of 255 */
	SUNDOG_PLANE_RANGE_FULL = 1,
};

/* Kind of a client's object */
enum sundog_object_kind {
	/* image */
	SUNDOG_OBJECT_KIND_IMAGE = 1,
	/* view of an image */
	SUNDOG_OBJECT_KIND_IMAGE_VIEW = 2,
	/* texel view of a buffer range */
	SUNDOG_OBJECT_KIND_BUFFER_VIEW = 3,
	/* sampler */
	SUNDOG_OBJECT_KIND_SAMPLER = 4,
	/* shader */
	SUNDOG_OBJECT_KIND_SHADER = 5,
	/* fill level of a transform feedback buffer */
	SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER = 6,
	/* handle tables, with feature BINDLESS */
	SUNDOG_OBJECT_KIND_HANDLE_TABLE = 7,
	/* descriptor set layout */
	SUNDOG_OBJECT_KIND_SET_LAYOUT = 8,
	/* pipeline layout */
	SUNDOG_OBJECT_KIND_PIPELINE_LAYOUT = 9,
	/* descriptor set */
	SUNDOG_OBJECT_KIND_SET = 10,
	/* query pool; its queries keep their results until they are reset */
	SUNDOG_OBJECT_KIND_QUERY_POOL = 11,
	/* sparse memory, with feature SPARSE_MEMORY */
	SUNDOG_OBJECT_KIND_SPARSE_MEMORY = 12,
};

/* Shader stage; also the number of the descriptor set of its resources */
enum sundog_stage {
	/* vertex shader */
	SUNDOG_STAGE_VERTEX = 0,
	/* fragment shader */
	SUNDOG_STAGE_FRAGMENT = 1,
	/* geometry shader, with feature GEOMETRY */
	SUNDOG_STAGE_GEOMETRY = 2,
	/* tessellation control shader, with feature TESSELLATION */
	SUNDOG_STAGE_TESS_CTRL = 3,
	/* tessellation evaluation shader, with feature TESSELLATION */
	SUNDOG_STAGE_TESS_EVAL = 4,
	/* compute shader, with feature COMPUTE */
	SUNDOG_STAGE_COMPUTE = 5,
	/* task shader, made by create_layout_shader, with feature MESH_SHADERS */
	SUNDOG_STAGE_TASK = 6,
	/* mesh shader, made by create_layout_shader, with feature MESH_SHADERS */
	SUNDOG_STAGE_MESH = 7,
};

/* Contents of an attachment when a rendering begins */
enum sundog_load_op {
	/* the old contents */
	SUNDOG_LOAD_OP_LOAD = 0,
	/* the given value */
	SUNDOG_LOAD_OP_CLEAR = 1,
	/* undefined */
	SUNDOG_LOAD_OP_DONT_CARE = 2,
};

/* Contents of an attachment after a rendering */
enum sundog_store_op {
	/* the new contents */
	SUNDOG_STORE_OP_STORE = 0,
	/* undefined */
	SUNDOG_STORE_OP_DONT_CARE = 1,
};

/* Layout of images with optimal tiling on the host */
enum sundog_layout_rule {
	/* no simple rule: images cannot be mapped, and their sizes must be queried */
	SUNDOG_LAYOUT_RULE_NONE = 0,
	/* rows of blocks, see docs/reference/device.md, Image layout */
	SUNDOG_LAYOUT_RULE_LINEAR = 1,
};

/* Counter of a query */
enum sundog_query_type {
	/* samples passed, precise */
	SUNDOG_QUERY_TYPE_OCCLUSION = 0,
	/* non-zero if any sample passed */
	SUNDOG_QUERY_TYPE_OCCLUSION_BOOL = 1,
	/* primitives that reach transform feedback, whether it is active or not */
	SUNDOG_QUERY_TYPE_PRIMITIVES = 2,
	/* two words: primitives that transform feedback wrote, and primitives that it would have
	 * written with enough room */
	SUNDOG_QUERY_TYPE_FEEDBACK = 3,
	/* NUM_STATISTICS words, for draws and dispatches, with feature STATISTICS */
	SUNDOG_QUERY_TYPE_STATISTICS = 4,
};

/* Counter of the queries of a pool */
enum sundog_pool_type {
	/* samples passed */
	SUNDOG_POOL_TYPE_OCCLUSION = 0,
	/* a word for each statistic of the pool, for draws and dispatches, with feature
	 * STATISTICS */
	SUNDOG_POOL_TYPE_STATISTICS = 1,
	/* time in ticks of caps.timestamp_period */
	SUNDOG_POOL_TYPE_TIMESTAMP = 2,
	/* two words: primitives that transform feedback wrote, and primitives that it would have
	 * written with enough room */
	SUNDOG_POOL_TYPE_FEEDBACK = 3,
	/* primitives that reach transform feedback, whether it is active or not */
	SUNDOG_POOL_TYPE_PRIMITIVES = 4,
	/* primitives of mesh shaders, with feature MESH_QUERIES */
	SUNDOG_POOL_TYPE_MESH_PRIMITIVES = 5,
};

/* Operation on results of queries */
enum sundog_query_value {
	/* the sum of the added words minus the sum of the other words */
	SUNDOG_QUERY_VALUE_DIFFERENCE = 0,
	/* 1 if the two sums differ, else 0 */
	SUNDOG_QUERY_VALUE_DIFFER = 1,
};

/* State of a shader, in shader_report */
enum sundog_shader_state {
	/* draws and dispatches may use it */
	SUNDOG_SHADER_STATE_ACCEPTED = 1,
	/* its SPIR-V is refused; a draw or dispatch with it causes fault SHADER */
	SUNDOG_SHADER_STATE_REFUSED = 2,
	/* the host could not create it; a draw or dispatch with it causes fault HOST */
	SUNDOG_SHADER_STATE_FAILED = 3,
};

/* Numbers of formats whose VkFormat is not below NUM_FORMATS; all others are their VkFormat.
 * Before version 5.10 their features are 0 */
enum sundog_format {
	/* VK_FORMAT_A4R4G4B4_UNORM_PACK16 */
	SUNDOG_FORMAT_A4R4G4B4 = 185,
	/* VK_FORMAT_A4B4G4R4_UNORM_PACK16 */
	SUNDOG_FORMAT_A4B4G4R4 = 186,
	/* VK_FORMAT_A1B5G5R5_UNORM_PACK16 */
	SUNDOG_FORMAT_A1B5G5R5 = 187,
	/* VK_FORMAT_A8_UNORM */
	SUNDOG_FORMAT_A8 = 188,
};

/* Format of a query value in memory */
enum sundog_query_value_type {
	/* 4 bytes, saturated at 2^32 - 1 */
	SUNDOG_QUERY_VALUE_TYPE_U32 = 0,
	/* 4 bytes, saturated at 2^31 - 1 */
	SUNDOG_QUERY_VALUE_TYPE_I32 = 1,
	/* 8 bytes */
	SUNDOG_QUERY_VALUE_TYPE_U64 = 2,
};

/* Use of the entries of a handle table by shaders */
enum sundog_handle_class {
	/* textures, each with a sampler, and uniform texel buffers */
	SUNDOG_HANDLE_CLASS_SAMPLED = 0,
	/* storage images and storage texel buffers */
	SUNDOG_HANDLE_CLASS_STORAGE = 1,
	/* images and texel buffers whose format has format feature ATOMIC, for atomic operations
	 * and every other access */
	SUNDOG_HANDLE_CLASS_ATOMIC = 2,
};

/* Dimensions of the entries of a handle table; the first values are those of VkImageViewType */
enum sundog_handle_dim {
	/* 1D */
	SUNDOG_HANDLE_DIM_1D = 0,
	/* 2D */
	SUNDOG_HANDLE_DIM_2D = 1,
	/* 3D */
	SUNDOG_HANDLE_DIM_3D = 2,
	/* cube */
	SUNDOG_HANDLE_DIM_CUBE = 3,
	/* array of 1D */
	SUNDOG_HANDLE_DIM_1D_ARRAY = 4,
	/* array of 2D */
	SUNDOG_HANDLE_DIM_2D_ARRAY = 5,
	/* array of cubes */
	SUNDOG_HANDLE_DIM_CUBE_ARRAY = 6,
	/* 2D, multisampled */
	SUNDOG_HANDLE_DIM_MS = 7,
	/* array of 2D, multisampled */
	SUNDOG_HANDLE_DIM_MS_ARRAY = 8,
	/* texel buffer */
	SUNDOG_HANDLE_DIM_BUFFER = 9,
};

/* Role of the peer that connects to the broker */
enum sundog_role {
	/* a PCI device, which provides the memory */
	SUNDOG_ROLE_DEVICE = 1,
	/* one client without a VM; the broker provides the memory */
	SUNDOG_ROLE_DIRECT = 2,
};

/* Feature bits of the device and the renderer */
/* channels and the command stream */
#define SUNDOG_FEATURE_RENDER (1u << 0)
/* the bytes of images follow the layout rule of the capability block */
#define SUNDOG_FEATURE_LINEAR_LAYOUT (1u << 1)
/* images may be moved byte by byte, with a new generation and the same handle */
#define SUNDOG_FEATURE_RAW_MOVE (1u << 2)
/* reserved: alloc_entry.n_runs above 1 */
#define SUNDOG_FEATURE_RUN_LISTS (1u << 3)
/* reserved: heap LOCAL */
#define SUNDOG_FEATURE_HEAP_LOCAL (1u << 4)
/* heap GUEST, and the registers that map pages into it */
#define SUNDOG_FEATURE_HEAP_GUEST (1u << 5)
/* reserved: residency-list objects */
#define SUNDOG_FEATURE_RESIDENCY_LISTS (1u << 6)
/* reserved: SAVE and RESTORE */
#define SUNDOG_FEATURE_SAVE_RESTORE (1u << 7)
/* register DISCARD; a feature of the device, with or without a renderer */
#define SUNDOG_FEATURE_DISCARD (1u << 8)
/* geometry shaders */
#define SUNDOG_FEATURE_GEOMETRY (1u << 9)
/* transform feedback, its counters, and queries of types PRIMITIVES and FEEDBACK */
#define SUNDOG_FEATURE_FEEDBACK (1u << 10)
/* compute shaders, with storage buffers, storage images and atomic operations */
#define SUNDOG_FEATURE_COMPUTE (1u << 11)
/* stores and atomic operations in all other stages */
#define SUNDOG_FEATURE_STORAGE (1u << 12)
/* tessellation shaders */
#define SUNDOG_FEATURE_TESSELLATION (1u << 13)
/* indirect draws: several draws per packet, the number of draws in memory, a first instance;
 * DrawIndex, BaseVertex and BaseInstance in shaders */
#define SUNDOG_FEATURE_INDIRECT (1u << 14)
/* 64-bit floats in shaders */
#define SUNDOG_FEATURE_FLOAT64 (1u << 15)
/* 64-bit integers in shaders */
#define SUNDOG_FEATURE_INT64 (1u << 16)
/* fragment shaders that run once for each sample */
#define SUNDOG_FEATURE_SAMPLE_SHADING (1u << 17)
/* views of type cube array */
#define SUNDOG_FEATURE_CUBE_ARRAYS (1u << 18)
/* geometry shaders with MAX_STREAMS vertex streams; stream 0 is rasterised */
#define SUNDOG_FEATURE_STREAMS (1u << 19)
/* queries of type STATISTICS */
#define SUNDOG_FEATURE_STATISTICS (1u << 20)
/* vertex and tessellation evaluation shaders that write layer and viewport index */
#define SUNDOG_FEATURE_SHADER_LAYER (1u << 21)
/* vote, ballot and shuffle within a subgroup, in fragment and compute shaders */
#define SUNDOG_FEATURE_SUBGROUPS (1u << 22)
/* shaders that read the subgroup clock */
#define SUNDOG_FEATURE_SHADER_CLOCK (1u << 23)
/* fragment shaders that write the stencil reference */
#define SUNDOG_FEATURE_STENCIL_EXPORT (1u << 24)
/* fragment shaders whose sample mask is the coverage after the early tests */
#define SUNDOG_FEATURE_POST_DEPTH_COVERAGE (1u << 25)
/* samplers that return the minimum or the maximum of the texels */
#define SUNDOG_FEATURE_FILTER_MINMAX (1u << 26)
/* fetches from the position of the fragment in the attachment that it draws to and blends with.
 * They return everything drawn there before, including earlier fragments of the same draw */
#define SUNDOG_FEATURE_ORDERED_FETCH (1u << 27)
/* flag WHOLE_PIXELS of set_multisample */
#define SUNDOG_FEATURE_WHOLE_PIXELS (1u << 28)
/* atomic addition of 32-bit floats in images, buffers and shared memory */
#define SUNDOG_FEATURE_FLOAT_ATOMICS (1u << 29)
/* compute_query_value, and the packets that use query values */
#define SUNDOG_FEATURE_QUERY_VALUES (1u << 31)
/* handle tables, from which shaders select textures and images by number */
#define SUNDOG_FEATURE_BINDLESS (1u << 30)
/* ring_control.idle_seqno */
#define SUNDOG_FEATURE_IDLE_INTERRUPTS (1ull << 33)
/* begin_multiview, and shaders that read ViewIndex */
#define SUNDOG_FEATURE_MULTIVIEW (1ull << 32)
/* 8-bit and 16-bit integers in shaders; these and 16-bit floats in buffers and push constants */
#define SUNDOG_FEATURE_SMALL_NUMBERS (1ull << 34)
/* 16-bit float arithmetic in shaders */
#define SUNDOG_FEATURE_FLOAT16 (1ull << 35)
/* atomic operations on 64-bit integers in buffers and shared memory */
#define SUNDOG_FEATURE_INT64_ATOMICS (1ull << 36)
/* 8-bit indices */
#define SUNDOG_FEATURE_INDEX_UINT8 (1ull << 37)
/* 2D views of slices of a 3D image with 2D_ARRAY_COMPATIBLE, for loads and stores in shaders */
#define SUNDOG_FEATURE_SLICES (1ull << 50)
/* sampled 2D views of slices, and views of a range of slices (create_image_view) for loads and
 * stores in shaders */
#define SUNDOG_FEATURE_SLICE_RANGES (1ull << 53)
/* bindings whose elements each have their own type (type 10 of set_binding), and
 * write_mutable_set */
#define SUNDOG_FEATURE_MUTABLE_DESCRIPTORS (1ull << 51)
/* atomic minimum and maximum of 32-bit floats in images, buffers and shared memory */
#define SUNDOG_FEATURE_FLOAT_EXTREMA (1ull << 60)
/* derivatives in compute shaders, over quads of invocations or over four in a row; the local
 * size is a multiple of that */
#define SUNDOG_FEATURE_GROUP_DERIVATIVES (1ull << 61)
/* arithmetic, all ballots, shuffles and quads within a subgroup, in fragment and compute shaders */
#define SUNDOG_FEATURE_GROUP_OPERATIONS (1ull << 38)
/* map_address, and shaders that access memory at 64-bit addresses (PhysicalStorageBuffer) */
#define SUNDOG_FEATURE_ADDRESSES (1ull << 40)
/* create_sparse_memory, map_address_range; with feature ADDRESSES */
#define SUNDOG_FEATURE_SPARSE_MEMORY (1ull << 62)
/* shaders with a layout: runtime arrays of descriptors, which have the length of the layout, and
 * indices that are not uniform (NonUniform); sets of MAX_SET_DESCRIPTORS */
#define SUNDOG_FEATURE_DESCRIPTOR_INDEXING (1ull << 41)
/* relative shuffles and rotations within a subgroup or its clusters, in fragment and compute
 * shaders */
#define SUNDOG_FEATURE_GROUP_DISTANCES (1ull << 44)
/* shaders with maximal reconvergence (MaximallyReconvergesKHR) */
#define SUNDOG_FEATURE_RECONVERGENCE (1ull << 45)
/* shaders that read the device clock */
#define SUNDOG_FEATURE_DEVICE_CLOCK (1ull << 46)
/* shaders whose floats preserve signed zeros, infinities and NaNs, and round to nearest even, in
 * all operations or as each one declares (SignedZeroInfNanPreserve, RoundingModeRTE,
 * FloatControls2) */
#define SUNDOG_FEATURE_FLOAT_CONTROLS (1ull << 47)
/* shaders with variable pointers to storage buffers and shared memory (VariablePointers) */
#define SUNDOG_FEATURE_VARIABLE_POINTERS (1ull << 48)
/* copy_feedback_counter */
#define SUNDOG_FEATURE_FEEDBACK_COUNTS (1ull << 49)
/* task and mesh shaders, bind_mesh_shaders, and the draws that use them */
#define SUNDOG_FEATURE_MESH_SHADERS (1ull << 52)
/* depths of viewports and depth bounds may be any finite numbers, those of clears infinite, too.
 * Formats with fixed-point depth clamp to 0..1 */
#define SUNDOG_FEATURE_DEPTH_RANGE (1ull << 54)
/* report_shader */
#define SUNDOG_FEATURE_SHADER_REPORTS (1ull << 55)
/* shaders that sample and fetch at texel offsets that are not constant (image operand Offset) */
#define SUNDOG_FEATURE_TEXEL_OFFSETS (1ull << 56)
/* pools of type MESH_PRIMITIVES, and statistics of the invocations of task and mesh shaders */
#define SUNDOG_FEATURE_MESH_QUERIES (1ull << 57)
/* load_feedback_counter, and copy_feedback_counter in renderings */
#define SUNDOG_FEATURE_FEEDBACK_MEMORY (1ull << 59)
/* the operations of SUBGROUPS, GROUP_OPERATIONS and GROUP_DISTANCES in task and mesh shaders,
 * too */
#define SUNDOG_FEATURE_MESH_SUBGROUPS (1ull << 58)

/* Further abilities of the host with layouts, in the capability block */
/* the driver may lay out images (create_linear_image) */
#define SUNDOG_LAYOUT_FLAG_EXPLICIT (1u << 0)
/* blocks of compressed images may be viewed as texels (image_flag BLOCK_TEXEL_VIEW) */
#define SUNDOG_LAYOUT_FLAG_TEXEL_VIEWS (1u << 1)
/* rows of images may begin at multiples of PAGE_SIZE (image_flag PAGE_ROWS) */
#define SUNDOG_LAYOUT_FLAG_PAGE_ROWS (1u << 2)
/* images may have a table of residency (image_flag RESIDENCY), which shaders with the capability
 * SparseResidency read. Since version 5.11 */
#define SUNDOG_LAYOUT_FLAG_RESIDENCY (1u << 3)

/* Flags of an allocation table entry */

/* Access of a submission to a listed allocation */
/* reads */
#define SUNDOG_ACCESS_READ (1u << 0)
/* writes */
#define SUNDOG_ACCESS_WRITE (1u << 1)

/* DISPLAY_EVENTS register */
/* head n had a vblank: bit n */
#define SUNDOG_DISPLAY_EVENT_VBLANK (1u << 0)
/* head n was plugged, unplugged or resized: bit 8 + n */
#define SUNDOG_DISPLAY_EVENT_HOTPLUG (1u << 8)
/* WRITEBACK_DONE of head n changed: bit 16 + n (since 5.1) */
#define SUNDOG_DISPLAY_EVENT_WRITEBACK (1u << 16)

/* DEVICE_EVENTS register */
/* a channel changed its state, see CHANNEL_EVENTS */
#define SUNDOG_DEVICE_EVENT_CHANNEL (1u << 0)
/* RENDERER_STATE changed */
#define SUNDOG_DEVICE_EVENT_RENDERER (1u << 1)
/* a reset finished */
#define SUNDOG_DEVICE_EVENT_RESET (1u << 2)
/* GUEST_STATE is no longer BUSY, or GUEST_UNMAPPED increased */
#define SUNDOG_DEVICE_EVENT_GUEST (1u << 3)
/* REVOKED increased */
#define SUNDOG_DEVICE_EVENT_REVOKED (1u << 4)

/* HEAD_CONTROL register */
/* the head is on */
#define SUNDOG_HEAD_CONTROL_ENABLE (1u << 0)
/* a vblank raises an interrupt */
#define SUNDOG_HEAD_CONTROL_VBLANK_IRQ (1u << 1)
/* COMMIT takes effect at once, in the middle of a frame */
#define SUNDOG_HEAD_CONTROL_ASYNC (1u << 2)
/* the device computes HEAD_CRC of frames when they begin */
#define SUNDOG_HEAD_CONTROL_CRC (1u << 3)

/* Flags of struct head_color */
/* apply the matrix */
#define SUNDOG_HEAD_COLOR_FLAG_CTM (1u << 0)
/* apply the table gamma */
#define SUNDOG_HEAD_COLOR_FLAG_GAMMA (1u << 1)
/* apply the table HEAD_DEGAMMA before the matrix (since 5.1) */
#define SUNDOG_HEAD_COLOR_FLAG_DEGAMMA (1u << 2)

/* PLANE_ROTATION register; values of DRM_MODE_ROTATE_* and DRM_MODE_REFLECT_* */
/* no rotation */
#define SUNDOG_PLANE_ROTATION_0 (1u << 0)
/* 90 degrees counter-clockwise */
#define SUNDOG_PLANE_ROTATION_90 (1u << 1)
/* 180 degrees */
#define SUNDOG_PLANE_ROTATION_180 (1u << 2)
/* 270 degrees counter-clockwise */
#define SUNDOG_PLANE_ROTATION_270 (1u << 3)
/* left and right are exchanged */
#define SUNDOG_PLANE_ROTATION_REFLECT_X (1u << 4)
/* top and bottom are exchanged */
#define SUNDOG_PLANE_ROTATION_REFLECT_Y (1u << 5)

/* Aspects of an image; values of VkImageAspectFlagBits */
/* colour */
#define SUNDOG_ASPECT_COLOR (1u << 0)
/* depth */
#define SUNDOG_ASPECT_DEPTH (1u << 1)
/* stencil */
#define SUNDOG_ASPECT_STENCIL (1u << 2)

/* Format of copied query results; values of VkQueryResultFlagBits */
/* words have 8 bytes, else 4 */
#define SUNDOG_RESULT_FLAG_64BIT (1u << 0)
/* one more word: 1 if the query has ended, else 0 */
#define SUNDOG_RESULT_FLAG_AVAILABILITY (1u << 2)
/* the result of a query that has not ended is 0; without this flag it is not written */
#define SUNDOG_RESULT_FLAG_PARTIAL (1u << 3)

/* Uses of an image; values of VkImageUsageFlagBits */
/* copy and blit source */
#define SUNDOG_IMAGE_USAGE_TRANSFER_SRC (1u << 0)
/* copy and blit destination */
#define SUNDOG_IMAGE_USAGE_TRANSFER_DST (1u << 1)
/* sampled image */
#define SUNDOG_IMAGE_USAGE_SAMPLED (1u << 2)
/* storage image */
#define SUNDOG_IMAGE_USAGE_STORAGE (1u << 3)
/* colour attachment */
#define SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT (1u << 4)
/* depth and stencil attachment */
#define SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT (1u << 5)

/* Creation flags of an image; values of VkImageCreateFlagBits, but for PAGE_ROWS and RESIDENCY */
/* rows of texels or blocks begin at multiples of PAGE_SIZE, in all levels: the layout rule with
 * that for layout_pitch_align, also of compressed formats. Such an image has one sample; needs
 * layout_flag PAGE_ROWS */
#define SUNDOG_IMAGE_FLAG_PAGE_ROWS (1u << 1)
/* a table precedes the image in its memory. Bit n % 32 of the word at image offset - 4 - 4 * (n
 * / 32) is what sparse instructions of shaders report of texels in page n of the image. The
 * table ends at a page. Only with PAGE_ROWS; needs layout_flag RESIDENCY */
#define SUNDOG_IMAGE_FLAG_RESIDENCY (1u << 2)
/* views may have another compatible format */
#define SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT (1u << 3)
/* cube views */
#define SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE (1u << 4)
/* 2D views of slices of a 3D image */
#define SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE (1u << 5)
/* a view of one level may have an uncompressed format, whose texels are the blocks; such a view
 * is sampled or a storage image, and not 3D. With MUTABLE_FORMAT; needs layout_flag TEXEL_VIEWS */
#define SUNDOG_IMAGE_FLAG_BLOCK_TEXEL_VIEW (1u << 7)
/* the usage may contain bits that only formats of views support, with MUTABLE_FORMAT */
#define SUNDOG_IMAGE_FLAG_EXTENDED_USAGE (1u << 8)

/* Boolean state of set_raster */
/* rasteriser discard */
#define SUNDOG_RASTER_FLAG_DISCARD (1u << 0)
/* depth clamp */
#define SUNDOG_RASTER_FLAG_DEPTH_CLAMP (1u << 1)
/* depth clip */
#define SUNDOG_RASTER_FLAG_DEPTH_CLIP (1u << 2)
/* depth bias */
#define SUNDOG_RASTER_FLAG_DEPTH_BIAS (1u << 3)
/* the last vertex is the provoking vertex, else the first */
#define SUNDOG_RASTER_FLAG_PROVOKING_LAST (1u << 4)
/* stippled lines */
#define SUNDOG_RASTER_FLAG_LINE_STIPPLE (1u << 5)
/* clip space depth is -w..w, else 0..w */
#define SUNDOG_RASTER_FLAG_CLIP_NEGATIVE_ONE (1u << 6)
/* primitive restart */
#define SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART (1u << 7)

/* Boolean state of set_depth_stencil */
/* depth test */
#define SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST (1u << 0)
/* depth write */
#define SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE (1u << 1)
/* depth bounds test */
#define SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_BOUNDS (1u << 2)
/* stencil test */
#define SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST (1u << 3)

/* Boolean state of set_multisample */
/* alpha to coverage */
#define SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_COVERAGE (1u << 0)
/* alpha to one */
#define SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_ONE (1u << 1)
/* all samples of a pixel have the coverage of its centre, and shaders run as with one sample;
 * with feature WHOLE_PIXELS */
#define SUNDOG_MULTISAMPLE_FLAG_WHOLE_PIXELS (1u << 2)

/* Boolean state of create_sampler */
/* depth comparison */
#define SUNDOG_SAMPLER_FLAG_COMPARE (1u << 0)
/* anisotropic filtering */
#define SUNDOG_SAMPLER_FLAG_ANISOTROPY (1u << 1)
/* unnormalised coordinates */
#define SUNDOG_SAMPLER_FLAG_UNNORMALIZED (1u << 2)
/* no filtering across cube edges */
#define SUNDOG_SAMPLER_FLAG_NON_SEAMLESS (1u << 3)
/* minimum of the texels instead of their average, without COMPARE; with feature FILTER_MINMAX */
#define SUNDOG_SAMPLER_FLAG_REDUCE_MIN (1u << 4)
/* maximum of the texels, without COMPARE and REDUCE_MIN; with feature FILTER_MINMAX */
#define SUNDOG_SAMPLER_FLAG_REDUCE_MAX (1u << 5)

/* Uses of a format on the host (formats of the capability block) */
/* sampled image */
#define SUNDOG_FORMAT_FEATURE_SAMPLED (1u << 0)
/* linear filtering */
#define SUNDOG_FORMAT_FEATURE_FILTER (1u << 1)
/* colour attachment */
#define SUNDOG_FORMAT_FEATURE_COLOR (1u << 2)
/* blending */
#define SUNDOG_FORMAT_FEATURE_BLEND (1u << 3)
/* depth and stencil attachment */
#define SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL (1u << 4)
/* storage image */
#define SUNDOG_FORMAT_FEATURE_STORAGE (1u << 5)
/* vertex attribute */
#define SUNDOG_FORMAT_FEATURE_VERTEX (1u << 6)
/* uniform texel buffer */
#define SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER (1u << 7)
/* blit source and destination */
#define SUNDOG_FORMAT_FEATURE_BLIT (1u << 8)
/* storage texel buffer */
#define SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER (1u << 9)
/* atomic operations on storage images */
#define SUNDOG_FORMAT_FEATURE_ATOMIC (1u << 10)
/* blit source; all formats with BLIT have this bit */
#define SUNDOG_FORMAT_FEATURE_BLIT_SRC (1u << 11)

/* Registers: offsets in BAR0. 64-bit ones are two 32-bit accesses, low word first. */
/* ro: always MAGIC */
#define SUNDOG_REG_MAGIC 0x0
/* ro: major << 16 | minor; a driver refuses an unknown major version */
#define SUNDOG_REG_VERSION 0x4
/* ro: feature bits; the renderer's bits appear with RENDERER_STATE READY */
#define SUNDOG_REG_FEATURES 0x8
/* ro: bytes of BAR2 */
#define SUNDOG_REG_VRAM_SIZE 0x10
/* ro: channel slots */
#define SUNDOG_REG_NUM_CHANNELS 0x18
/* ro: display heads */
#define SUNDOG_REG_NUM_HEADS 0x1c
/* rw: write 1: heads go off, all clients end, all channels go OFF. Reads 1 until that is done,
 * then raises DEVICE_EVENTS.RESET */
#define SUNDOG_REG_RESET 0x20
/* ro: renderer_state */
#define SUNDOG_REG_RENDERER_STATE 0x24
/* ro: an extent has 1 << EXTENT_SHIFT bytes. VRAM has VRAM_SIZE >> EXTENT_SHIFT extents; the
 * remainder at its end is in no extent */
#define SUNDOG_REG_EXTENT_SHIFT 0x28
/* rw: client id of the next CHANNEL_CMD, not 0 */
#define SUNDOG_REG_CHANNEL_CLIENT 0x30
/* wo: channel_op << 16 | channel: posts the operation; the result appears in CHANNEL_STATE and
 * DEVICE_EVENTS. An operation that the channel's state does not allow is ignored and logged */
#define SUNDOG_REG_CHANNEL_CMD 0x34
/* rw1c: display_event bits, MSI-X vector 1 */
#define SUNDOG_REG_DISPLAY_EVENTS 0x40
/* rw1c: device_event bits, MSI-X vector 2 */
#define SUNDOG_REG_DEVICE_EVENTS 0x44
/* rw: byte offset in VRAM of the first page of the next DISCARD, a multiple of PAGE_SIZE */
#define SUNDOG_REG_DISCARD_OFFSET 0x50
/* wo: write a number of pages, 1..MAX_DISCARD: the pages from DISCARD_OFFSET on read as zero
 * after that, and the host gets their memory back until they are written again. If a page is
 * outside of VRAM or a value is bad, the whole write is refused and logged */
#define SUNDOG_REG_DISCARD 0x58
/* rw1c: bit n % 32 of word n / 32: channel n changed its state */
#define SUNDOG_REG_CHANNEL_EVENTS(n) (0x60 + 0x4 * (n))
/* ro: bytes of heap GUEST, 0: the device has none */
#define SUNDOG_REG_GUEST_HEAP_SIZE 0x80
/* rw: byte offset in heap GUEST for the next GUEST_MAP or GUEST_UNMAP, a multiple of PAGE_SIZE */
#define SUNDOG_REG_GUEST_OFFSET 0x88
/* rw: bus address of the list of runs for the next GUEST_MAP, a multiple of PAGE_SIZE */
#define SUNDOG_REG_GUEST_LIST 0x90
/* wo: write a number of runs, 1..MAX_GUEST_RUNS: maps their pages, in order, from GUEST_OFFSET
 * on. Ignored while GUEST_STATE is BUSY */
#define SUNDOG_REG_GUEST_MAP 0x98
/* wo: any write unmaps the whole map that starts at GUEST_OFFSET. Ignored if no map starts there */
#define SUNDOG_REG_GUEST_UNMAP 0x9c
/* ro: guest_state */
#define SUNDOG_REG_GUEST_STATE 0xa0
/* ro: number of completed unmaps since the reset, in the order of the writes to GUEST_UNMAP; the
 * renderer has no access to their pages any more */
#define SUNDOG_REG_GUEST_UNMAPPED 0xa4
/* wo: any write: workers must unmap all VRAM that neither the extent table nor the allocation
 * table gives to their client now */
#define SUNDOG_REG_REVOKE 0xa8
/* ro: number of completed writes to REVOKE since the reset, in order; raises
 * DEVICE_EVENTS.REVOKED */
#define SUNDOG_REG_REVOKED 0xac
/* ro: nanoseconds that the machine has run, the clock of all heads; reading the low word latches
 * the high word */
#define SUNDOG_REG_CLOCK 0xb0
/* ro: bit 0: connected */
#define SUNDOG_REG_HEAD_STATUS(n) (0x400 + 0x100 * (n))
/* shadow: head_control bits; VBLANK_IRQ and CRC take effect at once, the others at COMMIT */
#define SUNDOG_REG_HEAD_CONTROL(n) (0x404 + 0x100 * (n))
/* shadow: pixels, 1..MAX_PLANE_SIZE */
#define SUNDOG_REG_HEAD_WIDTH(n) (0x408 + 0x100 * (n))
/* shadow: pixels, 1..MAX_PLANE_SIZE */
#define SUNDOG_REG_HEAD_HEIGHT(n) (0x40c + 0x100 * (n))
/* shadow: nanoseconds from vblank to vblank, 1,000,000..1,000,000,000; with HEAD_PERIOD_MAX the
 * minimum */
#define SUNDOG_REG_HEAD_PERIOD(n) (0x410 + 0x100 * (n))
/* shadow: nanoseconds, maximum duration of a frame, HEAD_PERIOD..1,000,000,000: the duration of
 * a frame that no commit ends. A commit later than HEAD_PERIOD after the last vblank makes the
 * next vblank at once; an earlier commit makes it HEAD_PERIOD after the last one. 0: frames last
 * HEAD_PERIOD (since 5.2) */
#define SUNDOG_REG_HEAD_PERIOD_MAX(n) (0x414 + 0x100 * (n))
/* shadow: DRM fourcc, XR24 or AR24: the device writes the frame of the commit to VRAM. 0: no
 * writeback, and the next two registers are ignored. An accepted commit sets it to 0 (since 5.1) */
#define SUNDOG_REG_WRITEBACK_FORMAT(n) (0x420 + 0x100 * (n))
/* shadow: bytes from row to row, a multiple of 4, at least 4 * HEAD_WIDTH (since 5.1) */
#define SUNDOG_REG_WRITEBACK_PITCH(n) (0x424 + 0x100 * (n))
/* shadow: byte offset in VRAM of the first row, a multiple of 4 (since 5.1) */
#define SUNDOG_REG_WRITEBACK_OFFSET(n) (0x428 + 0x100 * (n))
/* rw: write a token: the head's shadow registers take effect at the next vblank (at once with
 * ASYNC, or if the head is off). A commit with a bad value is refused as a whole and logged.
 * Reads as the token of the last accepted commit */
#define SUNDOG_REG_COMMIT(n) (0x460 + 0x100 * (n))
/* ro: token of the last commit that took effect */
#define SUNDOG_REG_LATCHED(n) (0x464 + 0x100 * (n))
/* wo: any write: pixels that the head shows changed without a commit */
#define SUNDOG_REG_DAMAGE(n) (0x468 + 0x100 * (n))
/* ro: vblanks since the head was enabled; reading the low word latches the high word and
 * VBLANK_TIME */
#define SUNDOG_REG_VBLANK_COUNT(n) (0x470 + 0x100 * (n))
/* ro: exact CLOCK of the last vblank in VBLANK_COUNT, at which the current frame began */
#define SUNDOG_REG_VBLANK_TIME(n) (0x478 + 0x100 * (n))
/* ro: CRC-32 of the head's picture in frame HEAD_CRC_FRAME */
#define SUNDOG_REG_HEAD_CRC(n) (0x480 + 0x100 * (n))
/* ro: VBLANK_COUNT at the begin of the last frame with a complete HEAD_CRC; reading the low word
 * latches the high word and HEAD_CRC */
#define SUNDOG_REG_HEAD_CRC_FRAME(n) (0x488 + 0x100 * (n))
/* ro: token of the last commit whose frame was written completely (since 5.1) */
#define SUNDOG_REG_WRITEBACK_DONE(n) (0x498 + 0x100 * (n))
/* shadow: DRM fourcc: XR24, AR24, XB24, AB24, XR30, AR30, XR4H, AR4H, RG16, NV12 or P010; 0: the
 * plane is off, and its other registers are ignored. Register n is of plane n % HEAD_PLANES of
 * head n / HEAD_PLANES */
#define SUNDOG_REG_PLANE_FORMAT(n) (0x800 + 0x80 * (n))
/* shadow: plane_blend */
#define SUNDOG_REG_PLANE_BLEND(n) (0x804 + 0x80 * (n))
/* shadow: 0..0xffff, alpha of the whole plane, multiplied with that of its pixels */
#define SUNDOG_REG_PLANE_ALPHA(n) (0x808 + 0x80 * (n))
/* shadow: plane_rotation bits, exactly one of the first four; the plane is reflected, then
 * rotated counter-clockwise */
#define SUNDOG_REG_PLANE_ROTATION(n) (0x80c + 0x80 * (n))
/* shadow: byte offset in VRAM of the buffer, a multiple of 4; with XR4H and AR4H a multiple of 8 */
#define SUNDOG_REG_PLANE_OFFSET(n) (0x810 + 0x80 * (n))
/* shadow: byte offset in VRAM of the chroma, a multiple of 4, with NV12 and P010 */
#define SUNDOG_REG_PLANE_OFFSET1(n) (0x818 + 0x80 * (n))
/* shadow: bytes from row to row, at least those of a row, a multiple of 4; with XR4H and AR4H a
 * multiple of 8 */
#define SUNDOG_REG_PLANE_PITCH(n) (0x820 + 0x80 * (n))
/* shadow: PLANE_PITCH of the chroma, with NV12 and P010 */
#define SUNDOG_REG_PLANE_PITCH1(n) (0x824 + 0x80 * (n))
/* shadow: pixels of the buffer, 1..MAX_PLANE_SIZE */
#define SUNDOG_REG_PLANE_WIDTH(n) (0x828 + 0x80 * (n))
/* shadow: rows of the buffer, 1..MAX_PLANE_SIZE */
#define SUNDOG_REG_PLANE_HEIGHT(n) (0x82c + 0x80 * (n))
/* shadow: left edge of the source rectangle in the buffer, 16.16 fixed point */
#define SUNDOG_REG_PLANE_SRC_X(n) (0x830 + 0x80 * (n))
/* shadow: top edge of the source rectangle, 16.16 fixed point */
#define SUNDOG_REG_PLANE_SRC_Y(n) (0x834 + 0x80 * (n))
/* shadow: width of the source rectangle, 16.16 fixed point, not 0 */
#define SUNDOG_REG_PLANE_SRC_W(n) (0x838 + 0x80 * (n))
/* shadow: height of the source rectangle, 16.16 fixed point, not 0 */
#define SUNDOG_REG_PLANE_SRC_H(n) (0x83c + 0x80 * (n))
/* shadow: signed: left edge on the head, which clips the plane */
#define SUNDOG_REG_PLANE_DST_X(n) (0x840 + 0x80 * (n))
/* shadow: signed: top edge on the head */
#define SUNDOG_REG_PLANE_DST_Y(n) (0x844 + 0x80 * (n))
/* shadow: width on the head, 1..MAX_PLANE_SIZE */
#define SUNDOG_REG_PLANE_DST_W(n) (0x848 + 0x80 * (n))
/* shadow: height on the head, 1..MAX_PLANE_SIZE */
#define SUNDOG_REG_PLANE_DST_H(n) (0x84c + 0x80 * (n))
/* shadow: stacking order: higher planes are on top; of two equal ones the plane with the higher
 * number */
#define SUNDOG_REG_PLANE_ZPOS(n) (0x850 + 0x80 * (n))
/* shadow: plane_encoding, with NV12 and P010 */
#define SUNDOG_REG_PLANE_ENCODING(n) (0x854 + 0x80 * (n))
/* shadow: plane_range, with NV12 and P010 */
#define SUNDOG_REG_PLANE_RANGE(n) (0x858 + 0x80 * (n))
/* shadow: 1: the plane is a mouse pointer, and a UI may show it as its own cursor; 0: it is not,
 * and the next two registers are ignored (since 5.2) */
#define SUNDOG_REG_PLANE_POINTER(n) (0x85c + 0x80 * (n))
/* shadow: signed: pixels from the plane's left edge to the hot spot (since 5.2) */
#define SUNDOG_REG_PLANE_HOT_X(n) (0x860 + 0x80 * (n))
/* shadow: signed: pixels from the plane's top edge to the hot spot (since 5.2) */
#define SUNDOG_REG_PLANE_HOT_Y(n) (0x864 + 0x80 * (n))
/* ro: EDID_SIZE bytes each, read as 32-bit words */
#define SUNDOG_REG_EDID(n) (0x1000 + 0x200 * (n))
/* ro: channel_state */
#define SUNDOG_REG_CHANNEL_STATE(n) (0x2000 + 0x20 * (n))
/* ro: fault_code */
#define SUNDOG_REG_CHANNEL_FAULT(n) (0x2004 + 0x20 * (n))
/* ro: fence seqno of the faulting ring entry. With WORKER and TIMEOUT: the entry at which the
 * worker ended, which is completed if the worker was compiling its shaders; 0 if the worker did
 * not report it, or reported an entry of another channel */
#define SUNDOG_REG_CHANNEL_FAULT_SEQNO(n) (0x2008 + 0x20 * (n))
/* ro: byte offset of the faulting packet in its stream */
#define SUNDOG_REG_CHANNEL_FAULT_OFFSET(n) (0x2010 + 0x20 * (n))
/* ro: see fault_code */
#define SUNDOG_REG_CHANNEL_FAULT_ARG(n) (0x2018 + 0x20 * (n))
/* shadow: struct head_color, written as 32-bit words */
#define SUNDOG_REG_HEAD_COLOR(n) (0x4000 + 0x1000 * (n))
/* wo: any write wakes the channel's worker */
#define SUNDOG_REG_DOORBELL(n) (0x8000 + 0x4 * (n))
/* ro: struct caps, CAPS_SIZE bytes, read as 32-bit words; zero until RENDERER_STATE is READY */
#define SUNDOG_REG_CAPS 0x9000
/* shadow: struct head_degamma, written as 32-bit words (since 5.1) */
#define SUNDOG_REG_HEAD_DEGAMMA(n) (0xa000 + 0x1000 * (n))

/* MSI-X vectors. */
/* ring_status.completed of a channel reached its ring_control.irq_seqno */
#define SUNDOG_VECTOR_FENCE 0
/* DISPLAY_EVENTS is not zero */
#define SUNDOG_VECTOR_DISPLAY 1
/* DEVICE_EVENTS is not zero */
#define SUNDOG_VECTOR_EVENT 2
#define SUNDOG_NUM_VECTORS 3

/* A 32-bit float; the kernel moves it as bits. */
#ifdef __KERNEL__
#define SUNDOG_F32 __u32
#else
#define SUNDOG_F32 float
#endif

/* Colour conversion of a head's blended planes: first the table HEAD_DEGAMMA, then the matrix,
 * then the table gamma */
struct sundog_head_color {
	/* head_color_flag */
	__u32 flags;
	/* ignored */
	__u32 reserved;
	/* matrix, rows for red, green, blue with coefficients for red, green, blue; two's
	 * complement with 32 fractional bits, clamped to -8192.0..8192.0 */
	__u64 ctm[9];
	/* entries with 16 bits of red, then green, then blue, from bit 0 up; the upper 16 bits
	 * are ignored */
	__u64 gamma[256];
};

_Static_assert(sizeof(struct sundog_head_color) == 2128, "sundog_head_color");

/* Table for the colours of a head before the matrix (since 5.1) */
struct sundog_head_degamma {
	/* entries like gamma of head_color */
	__u64 degamma[256];
};

_Static_assert(sizeof(struct sundog_head_degamma) == 2048, "sundog_head_degamma");

/* An allocation table entry. The driver writes all fields, then generation with release
 * ordering; to free it, the driver clears generation first. A generation never repeats in a slot */
struct sundog_alloc_entry {
	/* 0: free */
	__le64 generation;
	/* bytes, a multiple of PAGE_SIZE */
	__le64 size;
	/* heap */
	__le32 heap;
	/* alloc_flag */
	__le32 flags;
	/* 1; more with feature RUN_LISTS only */
	__le32 n_runs;
	/* reserved, 0 */
	__le32 run_list;
	/* byte offset of the run in the heap, a multiple of PAGE_SIZE */
	__le64 offset;
	/* generation of the allocation's first placement, the same wherever it moves; 0: it
	 * never moves */
	__le64 birth;
	/* 0 */
	__le64 reserved[2];
};

_Static_assert(sizeof(struct sundog_alloc_entry) == 64, "sundog_alloc_entry");

/* Written by the driver */
struct sundog_ring_control {
	/* ring entries written so far; stored with release ordering after the entry and its list */
	__le32 put;
	/* 0 */
	__le32 reserved0;
	/* raise an interrupt when completed reaches this seqno; 0: none */
	__le64 irq_seqno;
	/* raise an interrupt when completed has reached this seqno and the channel is idle: its
	 * worker sleeps (need_doorbell), or has found its ring empty for a while; 0: none. Needs
	 * feature IDLE_INTERRUPTS */
	__le64 idle_seqno;
	/* 0 */
	__le64 reserved[5];
};

_Static_assert(sizeof(struct sundog_ring_control) == 64, "sundog_ring_control");

/* Written by the worker; mapped read-only into user space. The rest of its page belongs to the
 * driver */
struct sundog_ring_status {
	/* ring entries taken so far; their slots and list entries are free again */
	__le32 get;
	/* 1: the worker sleeps or is about to; write DOORBELL after put */
	__le32 need_doorbell;
	/* seqno of the last completed ring entry; stored with release ordering */
	__le64 completed;
	/* increases when an entry completes, and at times while the worker makes progress with
	 * an entry of any channel of its client; the driver considers a job hung if neither
	 * completed nor progress changes */
	__le64 progress;
	/* 0 */
	__le64 reserved[5];
};

_Static_assert(sizeof(struct sundog_ring_status) == 64, "sundog_ring_status");

/* One submission. Written by the driver before put moves past it */
struct sundog_ring_entry {
	/* fence seqno, greater than that of the entry before it */
	__le64 seqno;
	/* generation of the stream's allocation */
	__le64 stream_generation;
	/* byte offset in that allocation, a multiple of 4 */
	__le64 stream_offset;
	/* device handle of the stream's allocation */
	__le32 stream_handle;
	/* length, 0..MAX_STREAM_DWORDS; an entry with 0 is only a fence */
	__le32 stream_dwords;
	/* index of the first list entry, below LIST_ENTRIES; the list wraps */
	__le32 list_first;
	/* list entries, at most LIST_ENTRIES */
	__le32 list_count;
	/* reserved, 0 */
	__le32 flags;
	/* 0 */
	__le32 reserved0;
	/* number of the entry among those of all channels of the client; 0: none */
	__le64 order;
	/* the entry runs after those entries of the client's other channels whose order is
	 * smaller than this and that were put before; at most order */
	__le64 after;
};

_Static_assert(sizeof(struct sundog_ring_entry) == 64, "sundog_ring_entry");

/* The state of a shader, see report_shader */
struct sundog_shader_report {
	/* shader_state */
	__le32 state;
	/* with state FAILED, the negated VkResult of the host; else 0 */
	__le32 result;
	/* with state REFUSED, why, as ASCII text for humans with a NUL at the end; else zeros */
	char reason[504];
};

_Static_assert(sizeof(struct sundog_shader_report) == 512, "sundog_shader_report");

/* An allocation that a submission may access. Streams name it by {kres, index}; an allocation
 * without a resource has kres 0, and its handle as index */
struct sundog_list_entry {
	/* kernel resource handle, 0: none */
	__le32 kres;
	/* index of the allocation in its resource; the device handle if kres is 0 */
	__le32 index;
	/* device handle */
	__le32 handle;
	/* access flags */
	__le32 access;
	/* generation that the driver read; must equal the table's */
	__le64 generation;
	/* 0 */
	__le64 reserved;
};

_Static_assert(sizeof(struct sundog_list_entry) == 32, "sundog_list_entry");

/* Abilities of the renderer and its host driver; constant while RENDERER_STATE is READY. The
 * kernel driver passes it to programs as it is, and reads only size and version */
struct sundog_caps {
	/* valid bytes of this struct, at most CAPS_SIZE */
	__u32 size;
	/* protocol version of the renderer, major << 16 | minor */
	__u32 version;
	/* feature bits */
	__u64 features;
	/* name of the host's Vulkan driver, NUL-terminated */
	char host_driver[64];
	/* name of the host's Vulkan device, NUL-terminated */
	char host_device[64];
	/* Vulkan version of the host */
	__u32 host_api;
	/* VkDriverId */
	__u32 host_driver_id;
	/* PCI vendor of the host's device */
	__u32 host_vendor;
	/* 1: the host renders on the CPU */
	__u32 host_software;
	/* layout_rule */
	__u32 layout_rule;
	/* width and height of a level are rounded up to a multiple of this many texels; except
	 * for block-compressed formats, and for the height of 1D images */
	__u32 layout_block;
	/* bytes; a row is rounded up to a multiple; except for block-compressed formats */
	__u32 layout_pitch_align;
	/* bytes; a level is rounded up to a multiple */
	__u32 layout_level_align;
	/* reserved, 0 */
	__u32 layout_mip_align;
	/* layout_flag */
	__u32 layout_flags;
	/* maxImageDimension1D */
	__u32 max_image_1d;
	/* maxImageDimension2D */
	__u32 max_image_2d;
	/* maxImageDimension3D */
	__u32 max_image_3d;
	/* maxImageDimensionCube */
	__u32 max_image_cube;
	/* maxImageArrayLayers */
	__u32 max_image_layers;
	/* maxTexelBufferElements */
	__u32 max_texel_elements;
	/* maxUniformBufferRange */
	__u32 max_ubo_range;
	/* maxStorageBufferRange */
	__u32 max_ssbo_range;
	/* minUniformBufferOffsetAlignment */
	__u32 min_ubo_align;
	/* minStorageBufferOffsetAlignment */
	__u32 min_ssbo_align;
	/* minTexelBufferOffsetAlignment */
	__u32 min_texel_align;
	/* maxColorAttachments */
	__u32 max_color_attachments;
	/* maxViewports */
	__u32 max_viewports;
	/* maxVertexInputAttributes */
	__u32 max_vertex_attributes;
	/* maxVertexInputBindings */
	__u32 max_vertex_buffers;
	/* bytes, maxVertexInputBindingStride, or more if the host supports more */
	__u32 max_vertex_stride;
	/* maxFragmentInputComponents / 4 */
	__u32 max_varyings;
	/* framebufferColorSampleCounts & framebufferDepthSampleCounts &
	 * framebufferNoAttachmentsSampleCounts */
	__u32 sample_counts;
	/* maxSamplerAnisotropy */
	SUNDOG_F32 max_anisotropy;
	/* maxSamplerLodBias */
	SUNDOG_F32 max_lod_bias;
	/* pointSizeRange[0] */
	SUNDOG_F32 point_size_min;
	/* pointSizeRange[1] */
	SUNDOG_F32 point_size_max;
	/* lineWidthRange[0] */
	SUNDOG_F32 line_width_min;
	/* lineWidthRange[1] */
	SUNDOG_F32 line_width_max;
	/* nanoseconds per tick */
	SUNDOG_F32 timestamp_period;
	/* bytes from the start of an allocation that packets can access as a buffer (vertices,
	 * indices, uniforms, copies, fills); 0: all */
	__u32 max_buffer;
	/* maxComputeWorkGroupCount; 0 without feature COMPUTE, like the next three fields */
	__u32 max_group_count[3];
	/* maxComputeWorkGroupSize */
	__u32 max_group_size[3];
	/* maxComputeWorkGroupInvocations */
	__u32 max_group_invocations;
	/* bytes, maxComputeSharedMemorySize */
	__u32 max_shared_memory;
	/* maxTessellationGenerationLevel */
	__u32 max_tess_level;
	/* maxTessellationPatchSize, at most MAX_PATCH_VERTICES */
	__u32 max_patch_vertices;
	/* maxDrawIndirectCount */
	__u32 max_indirect_draws;
	/* subgroupSize */
	__u32 subgroup_size;
	/* minTexelGatherOffset */
	__s32 min_gather_offset;
	/* maxTexelGatherOffset */
	__u32 max_gather_offset;
	/* minInterpolationOffset */
	SUNDOG_F32 min_interpolation_offset;
	/* maxInterpolationOffset */
	SUNDOG_F32 max_interpolation_offset;
	/* maxMultiviewViewCount, at most 8; 0 without feature MULTIVIEW */
	__u32 max_views;
	/* a set with at least so many descriptors may be a large set, see max_large_descriptors */
	__u32 large_set;
	/* maximum descriptors of all large sets of a client, with room for two copies of each
	 * set that draws read; 0 without feature DESCRIPTOR_INDEXING */
	__u32 max_large_descriptors;
	/* conformanceVersion of the host driver, major << 24 | minor << 16 | subminor << 8 |
	 * patch; 0: none */
	__u32 host_conformance;
	/* 0 */
	__u32 reserved[36];
	/* format_feature bits, indexed by VkFormat or format */
	__u32 formats[192];
	/* 0 */
	__u32 reserved2[192];
};

_Static_assert(sizeof(struct sundog_caps) == 2048, "sundog_caps");

#endif
