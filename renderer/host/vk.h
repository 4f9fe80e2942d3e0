/* SPDX-License-Identifier: MIT */
/*
 * The host's Vulkan device: one per worker, created before the worker is sandboxed. Functions are
 * called from all threads of the worker, under Vulkan's rules for external synchronization.
 */
#ifndef HOST_VK_H
#define HOST_VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "host/lvp_interface.h"
#include "host/quirks.h"

/* All device-level functions in use. Calls skip the loader. */
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

/* Functions of VK_EXT_transform_feedback, if the host has it. */
#define VK_FEEDBACK_FUNCTIONS(X)	\
	X(CmdBeginQueryIndexedEXT)	\
	X(CmdBeginTransformFeedbackEXT)	\
	X(CmdBindTransformFeedbackBuffersEXT)	\
	X(CmdDrawIndirectByteCountEXT)	\
	X(CmdEndQueryIndexedEXT)	\
	X(CmdEndTransformFeedbackEXT)	\
	X(CmdSetRasterizationStreamEXT)

/* Functions of VK_EXT_conditional_rendering, if the host has it. */
#define VK_CONDITION_FUNCTIONS(X)	\
	X(CmdBeginConditionalRenderingEXT)	\
	X(CmdEndConditionalRenderingEXT)

/* Functions of VK_EXT_multi_draw, if the host has it. */
#define VK_MULTI_DRAW_FUNCTIONS(X)	\
	X(CmdDrawMultiEXT)		\
	X(CmdDrawMultiIndexedEXT)

/* Functions of VK_EXT_mesh_shader, if the host has it. */
#define VK_MESH_FUNCTIONS(X)		\
	X(CmdDrawMeshTasksEXT)		\
	X(CmdDrawMeshTasksIndirectCountEXT)

struct vk {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	uint32_t queue_family;
	uint32_t host_memory_type;	/* private, host-visible and coherent */
	uint32_t import_memory_type;	/* of imported VRAM */
	bool software;			/* the device is a CPU */
	/* bytes of the largest buffer that the host addresses correctly */
	uint64_t max_buffer;

	VkPhysicalDeviceProperties props;
	VkPhysicalDeviceDriverProperties driver;
	VkPhysicalDeviceDescriptorBufferPropertiesEXT descriptor;
	VkPhysicalDeviceVulkan11Properties properties11;
	VkPhysicalDeviceTransformFeedbackPropertiesEXT feedback_limits;
	VkPhysicalDeviceFloatControlsProperties float_limits;
	VkPhysicalDeviceFeatures features;
	bool feedback;			/* transform feedback and its queries */
	bool conditions;		/* conditional rendering of draws and dispatches */
	bool streams;			/* transform feedback has MAX_STREAMS vertex streams */
	/* subgroup vote, ballot and shuffle, in the stages that have subgroups */
	bool subgroups;
	bool multi_draw;		/* several draws in one command */
	bool index_uint8;		/* indices of 8 bits */
	/* task and mesh shaders, if the host is as exec/mesh.c and gate/check/mesh.c expect */
	bool meshes;
	bool mesh_queries;		/* of their primitives and invocations */
	bool mesh_subgroups;
	bool slices;			/* 2D storage image views of slices of 3D images */
	/* 3D storage image views of slice ranges of 3D images; sampled views of slices */
	bool slice_ranges;
	bool clock, device_clock;	/* shader clocks: subgroup scope, device scope */
	bool rotation;			/* subgroup rotate, and clustered rotate */
	bool reconvergence;		/* maximal reconvergence */
	/* float controls of whole modules and of single operations */
	bool float_controls;
	bool derivatives;		/* derivatives in compute shaders */
	bool mutable_types;		/* mutable descriptor types */
	bool float_atomics;		/* atomic float add */
	bool float_extrema;		/* atomic float min and max */
	bool stencil_export, post_depth_coverage;
	bool depth_range;		/* depths outside 0..1 */
	bool texel_offsets;		/* texel offsets that are not constant */
	VkPhysicalDeviceVulkan11Features features11;
	VkPhysicalDeviceVulkan12Features features12;
	uint32_t quirks;		/* see vk_has_quirk() */
	struct lvp_renderer_interface lavapipe;	/* NULLs if the host has no such interface */

#define MEMBER(name) PFN_vk##name name;
	VK_FUNCTIONS(MEMBER)
	VK_FEEDBACK_FUNCTIONS(MEMBER)
	VK_CONDITION_FUNCTIONS(MEMBER)
	VK_MULTI_DRAW_FUNCTIONS(MEMBER)
	VK_MESH_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Returns true if the host driver has @quirk, see quirks.h. */
static inline bool vk_has_quirk(const struct vk *vk, enum quirk quirk)
{
	return vk->quirks >> quirk & 1;
}

/*
 * Create the device whose name contains @gpu, or the first CPU device if @gpu is NULL. On failure
 * returns false with the reason in @error.
 */
bool vk_init(struct vk *vk, const char *gpu, char *error, size_t error_size);

/*
 * Record a barrier between all earlier commands and all later ones: memory written before is
 * visible after it.
 */
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
