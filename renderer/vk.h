/* SPDX-License-Identifier: MIT */
/*
 * The host's Vulkan device: one per worker, made before the worker is jailed.
 */
#ifndef VK_H
#define VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

/* Every device-level function in use; called without the loader in between. */
#define VK_FUNCTIONS(X)			\
	X(AllocateCommandBuffers)	\
	X(AllocateMemory)		\
	X(BeginCommandBuffer)		\
	X(BindBufferMemory)		\
	X(BindImageMemory)		\
	X(CmdBeginQuery)		\
	X(CmdBeginRendering)		\
	X(CmdBindDescriptorBuffersEXT)	\
	X(CmdBindIndexBuffer)		\
	X(CmdBindShadersEXT)		\
	X(CmdBindVertexBuffers)		\
	X(CmdBindVertexBuffers2)	\
	X(CmdBlitImage)			\
	X(CmdClearColorImage)		\
	X(CmdClearAttachments)		\
	X(CmdClearDepthStencilImage)	\
	X(CmdCopyBuffer)		\
	X(CmdCopyBufferToImage)		\
	X(CmdCopyImage)			\
	X(CmdCopyImageToBuffer)		\
	X(CmdCopyQueryPoolResults)	\
	X(CmdDispatch)			\
	X(CmdDispatchBase)		\
	X(CmdDispatchIndirect)		\
	X(CmdDraw)			\
	X(CmdDrawIndexed)		\
	X(CmdDrawIndexedIndirect)	\
	X(CmdDrawIndexedIndirectCount)	\
	X(CmdDrawIndirect)		\
	X(CmdDrawIndirectCount)		\
	X(CmdEndQuery)			\
	X(CmdEndRendering)		\
	X(CmdExecuteCommands)		\
	X(CmdFillBuffer)		\
	X(CmdPipelineBarrier2)		\
	X(CmdPushConstants)		\
	X(CmdResetQueryPool)		\
	X(CmdResolveImage)		\
	X(CmdSetAlphaToCoverageEnableEXT)	\
	X(CmdSetAlphaToOneEnableEXT)	\
	X(CmdSetBlendConstants)		\
	X(CmdSetColorBlendEnableEXT)	\
	X(CmdSetColorBlendEquationEXT)	\
	X(CmdSetColorWriteMaskEXT)	\
	X(CmdSetCullMode)		\
	X(CmdSetDepthBias)		\
	X(CmdSetDepthBiasEnable)	\
	X(CmdSetDepthBounds)		\
	X(CmdSetDepthBoundsTestEnable)	\
	X(CmdSetDepthClampEnableEXT)	\
	X(CmdSetDepthClipEnableEXT)	\
	X(CmdSetDepthClipNegativeOneToOneEXT)	\
	X(CmdSetDepthCompareOp)		\
	X(CmdSetDepthTestEnable)	\
	X(CmdSetDepthWriteEnable)	\
	X(CmdSetDescriptorBufferOffsetsEXT)	\
	X(CmdSetFrontFace)		\
	X(CmdSetLineRasterizationModeEXT)	\
	X(CmdSetLineStippleEnableEXT)	\
	X(CmdSetLineStippleEXT)		\
	X(CmdSetLineWidth)		\
	X(CmdSetLogicOpEnableEXT)	\
	X(CmdSetLogicOpEXT)		\
	X(CmdSetPatchControlPointsEXT)	\
	X(CmdSetPolygonModeEXT)		\
	X(CmdSetPrimitiveRestartEnable)	\
	X(CmdSetPrimitiveTopology)	\
	X(CmdSetProvokingVertexModeEXT)	\
	X(CmdSetRasterizationSamplesEXT)	\
	X(CmdSetRasterizerDiscardEnable)	\
	X(CmdSetSampleMaskEXT)		\
	X(CmdSetScissorWithCount)	\
	X(CmdSetStencilCompareMask)	\
	X(CmdSetStencilOp)		\
	X(CmdSetStencilReference)	\
	X(CmdSetStencilTestEnable)	\
	X(CmdSetStencilWriteMask)	\
	X(CmdSetTessellationDomainOriginEXT)	\
	X(CmdSetVertexInputEXT)		\
	X(CmdSetViewportWithCount)	\
	X(CmdUpdateBuffer)		\
	X(CmdWriteTimestamp2)		\
	X(CreateBuffer)			\
	X(CreateCommandPool)		\
	X(CreateDescriptorSetLayout)	\
	X(CreateImage)			\
	X(CreateImageView)		\
	X(CreatePipelineLayout)		\
	X(DestroyDescriptorSetLayout)	\
	X(DestroyPipelineLayout)	\
	X(DestroyQueryPool)		\
	X(CreateQueryPool)		\
	X(CreateEvent)			\
	X(CmdSetEvent)			\
	X(GetEventStatus)		\
	X(ResetEvent)			\
	X(CreateSampler)		\
	X(CreateSemaphore)		\
	X(CreateShadersEXT)		\
	X(DestroyBuffer)		\
	X(DestroyImage)			\
	X(DestroyImageView)		\
	X(DestroySampler)		\
	X(DestroyShaderEXT)		\
	X(EndCommandBuffer)		\
	X(FreeMemory)			\
	X(GetBufferDeviceAddress)	\
	X(GetBufferMemoryRequirements)	\
	X(GetDescriptorEXT)		\
	X(GetDescriptorSetLayoutBindingOffsetEXT)	\
	X(GetDescriptorSetLayoutSizeEXT)	\
	X(GetImageMemoryRequirements)	\
	X(GetMemoryHostPointerPropertiesEXT)	\
	X(MapMemory)			\
	X(QueueSubmit)			\
	X(QueueSubmit2)			\
	X(QueueWaitIdle)		\
	X(ResetCommandPool)		\
	X(ResetQueryPool)		\
	X(WaitSemaphores)

/* Those of VK_EXT_transform_feedback, where the host has feedback. */
#define VK_FEEDBACK_FUNCTIONS(X)	\
	X(CmdBeginQueryIndexedEXT)	\
	X(CmdBeginTransformFeedbackEXT)	\
	X(CmdBindTransformFeedbackBuffersEXT)	\
	X(CmdDrawIndirectByteCountEXT)	\
	X(CmdEndQueryIndexedEXT)	\
	X(CmdEndTransformFeedbackEXT)	\
	X(CmdSetRasterizationStreamEXT)

/* Those of VK_EXT_conditional_rendering, where the host has it. */
#define VK_CONDITION_FUNCTIONS(X)	\
	X(CmdBeginConditionalRenderingEXT)	\
	X(CmdEndConditionalRenderingEXT)

/* Those of VK_EXT_multi_draw, where the host has it. */
#define VK_MULTI_DRAW_FUNCTIONS(X)	\
	X(CmdDrawMultiEXT)		\
	X(CmdDrawMultiIndexedEXT)

/* Those of VK_EXT_mesh_shader, where the host has it. */
#define VK_MESH_FUNCTIONS(X)		\
	X(CmdDrawMeshTasksEXT)		\
	X(CmdDrawMeshTasksIndirectCountEXT)

/* Of our lavapipe, lavapipe/README.md: for each submission to @queue a thread of the host's calls @done(@data). */
typedef void (VKAPI_PTR *vk_set_queue_done)(VkQueue queue, void (*done)(void *data), void *data);

/* The same: rasterise what was submitted, for so long or until it is done. False: it is, or another thread is at it. */
typedef VkBool32 (VKAPI_PTR *vk_take_part)(VkQueue queue, uint64_t ns);

/* The same: how many nanoseconds of CPU time this process spent on making code of shaders, up to now. */
typedef uint64_t (VKAPI_PTR *vk_get_compile_time)(VkDevice device);
typedef uint64_t (VKAPI_PTR *vk_get_progress)(VkDevice device);

struct vk {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	uint32_t queue_family;
	uint32_t host_memory_type;	/* private, host-visible and coherent */
	uint32_t import_memory_type;	/* of imported VRAM */
	bool software;			/* the device is a CPU */
	uint64_t max_buffer;		/* bytes of a buffer that it counts right in */

	VkPhysicalDeviceProperties props;
	VkPhysicalDeviceDriverProperties driver;
	VkPhysicalDeviceDescriptorBufferPropertiesEXT descriptor;
	VkPhysicalDeviceVulkan11Properties properties11;
	VkPhysicalDeviceTransformFeedbackPropertiesEXT feedback_limits;
	VkPhysicalDeviceFloatControlsProperties float_limits;
	VkPhysicalDeviceFeatures features;
	bool feedback;			/* transform feedback, and the queries that go with it */
	bool conditions;		/* of draws and dispatches, in memory */
	bool streams;			/* MAX_STREAMS of vertices, in transform feedback */
	bool subgroups;			/* vote, ballot and shuffle, where there are subgroups */
	bool multi_draw;		/* several draws in one command */
	bool index_uint8;		/* indices of 8 bits */
	bool meshes;			/* task and mesh shaders, of which mesh.c and gate_mesh.c know what they are */
	bool slices;			/* of 3D images as 2D storage images */
	bool slice_ranges;		/* of 3D images as 3D storage images; and slices that are sampled */
	bool clock, device_clock;	/* in shaders: of subgroups, of the device */
	bool rotation;			/* of values in subgroups, and in clusters of them */
	bool reconvergence;		/* of invocations, as soon as they can */
	bool float_controls;		/* of all operations on floats, and of single ones */
	bool derivatives;		/* in compute shaders */
	bool mutable_types;		/* bindings whose elements have types of their own */
	bool float_atomics;		/* additions to floats */
	bool float_extrema;		/* the less and the greater of them */
	bool stencil_export, post_depth_coverage;
	VkPhysicalDeviceVulkan11Features features11;
	VkPhysicalDeviceVulkan12Features features12;
	bool needs_prelude;		/* prelude.h */
	bool needs_twins;		/* twin.c */
	bool small_runs;		/* does no more at once than there is room for, and counts on, see pieces.c */
	vk_set_queue_done SetQueueDone;	/* NULL: the host has none */
	vk_take_part TakePart;		/* NULL: the host has threads for all */
	vk_get_compile_time GetCompileTime;	/* NULL: it does not say */
	vk_get_progress GetProgress;	/* NULL: the host counts nothing but submissions */

#define MEMBER(name) PFN_vk##name name;
	VK_FUNCTIONS(MEMBER)
	VK_FEEDBACK_FUNCTIONS(MEMBER)
	VK_CONDITION_FUNCTIONS(MEMBER)
	VK_MULTI_DRAW_FUNCTIONS(MEMBER)
	VK_MESH_FUNCTIONS(MEMBER)
#undef MEMBER
};

/*
 * Make the device whose name contains @gpu, or the first software one when @gpu is NULL.
 * On failure returns false with the reason in @error.
 */
bool vk_init(struct vk *vk, const char *gpu, char *error, size_t error_size);

/* All commands before are done, and seen by all after. */
void vk_full_barrier(const struct vk *vk, VkCommandBuffer cmd);

/* A private, persistently mapped buffer. */
struct vk_host_buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkDeviceAddress address;
	void *map;
};

bool vk_host_buffer_init(const struct vk *vk, struct vk_host_buffer *b, VkDeviceSize size,
			 VkBufferUsageFlags usage);
void vk_host_buffer_fini(const struct vk *vk, struct vk_host_buffer *b);

#endif
