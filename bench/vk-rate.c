// SPDX-License-Identifier: MIT
/*
 * Measures how often a second Vulkan does single operations: submissions, draws, state changes,
 * descriptor writes, pipelines, transfers. Each runs in a loop for some seconds. Draws cover a few
 * pixels, so that the rasterizer does not count. "memcpy" is a copy by the CPU, to compare
 * transfers with. Prints JSON.
 *
 * usage: vk-rate [SECONDS [FIGURE]]
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rate.h"
#include "vk-pipeline.h"

#include "vk-rate.vert.h"
#include "vk-rate-1.frag.h"
#include "vk-rate-8.frag.h"
#include "vk-rate-64.frag.h"

#define SIDE 1024			/* side of the images that are transferred */
#define PIXELS (SIDE * SIDE * 4)	/* bytes */
#define TARGET 64			/* side of the image that is drawn to */
/* stride of the uniform buffers in bytes, a multiple of each device's offset alignment */
#define TINT 256
#define DRAWS 4000			/* in a slice */
#define FEW_DRAWS 20			/* in a frame */
#define FRAMES 100
#define RESUBMITS 10000
#define SUBMITS 1000
#define IN_FLIGHT 8
#define TRANSFERS 8
#define N_PIPELINES 8
#define SHADES (1 << 23)		/* values that shaders can tell apart */
#define N_SETS 256
#define N_KINDS 3

static const float corners[] = { -0.5f, -0.5f, -0.45f, -0.5f, -0.5f, -0.45f };
static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

/* Descriptor sets with @n_textures textures, and the pipelines that use them. */
struct kind {
	uint32_t n_textures;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkShaderModule fragment;
	VkPipeline pipelines[N_PIPELINES];
	VkDescriptorSet sets[N_SETS];
};

static struct {
	struct kind kinds[N_KINDS];
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	VkShaderModule vertex;
	VkDescriptorPool pool;
	VkSampler sampler;
	struct vk_image target, textures[2];
	VkImageView target_view, texture_views[2];
	struct vk_buffer vertices, tints, staging;
	VkCommandBuffer frame, empty, fill;
	VkFence fences[IN_FLIGHT];
	uint8_t *pixels, *copy;
	uint32_t seed;
} bench;

/* Set up: images and buffers */

static void make_memory(void)
{
	bench.pixels = malloc(PIXELS);
	bench.copy = malloc(PIXELS);
	if (!bench.pixels || !bench.copy)
		err(1, "memory");
	for (int i = 0; i < PIXELS; i++)
		bench.pixels[i] = i * 31;
	memset(bench.copy, 0, PIXELS);
	bench.staging = vk_buffer_new(PIXELS, VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
						      VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	memset(bench.staging.map, 0, PIXELS);
	bench.vertices = vk_buffer_new(2 * sizeof(corners), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	for (int i = 0; i < 2; i++)
		memcpy((char *)bench.vertices.map + i * sizeof(corners), corners, sizeof(corners));
	bench.tints = vk_buffer_new(N_SETS * TINT, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	for (int i = 0; i < N_SETS; i++)
		((float *)bench.tints.map)[i * TINT / 4] = i / (float)N_SETS;
}

static void make_images(void)
{
	bench.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	bench.target = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, TARGET,
				      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &bench.target_view);
	for (int i = 0; i < 2; i++) {
		bench.textures[i] =
			vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE, VK_IMAGE_USAGE_SAMPLED_BIT,
				       &bench.texture_views[i]);
		vk_image_clear(&bench.textures[i]);
	}
}

/* The dependency orders each render pass after the one before it. */
static void make_pass(void)
{
	const VkAttachmentDescription attachment = {
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.samples = 1,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.initialLayout = general,
		.finalLayout = general,
	};
	const VkAttachmentReference reference = { 0, general };
	const VkSubpassDescription subpass = { .colorAttachmentCount = 1,
					       .pColorAttachments = &reference };
	const VkSubpassDependency before = {
		VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0,
	};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 1,
		.pDependencies = &before,
	};

	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &bench.pass));
	bench.framebuffer = vk_framebuffer_new(bench.pass, &bench.target_view, 1, TARGET);
}

/* Set up: pipelines and sets */

/* Each @shade makes a different pipeline. */
static VkPipeline make_pipeline(const struct kind *kind, uint32_t shade)
{
	const VkSpecializationMapEntry entry = { 0, 0, sizeof(shade) };
	const VkSpecializationInfo constants = { 1, &entry, sizeof(shade), &shade };
	const VkVertexInputBindingDescription binding = { 0, 8, VK_VERTEX_INPUT_RATE_VERTEX };
	const VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32G32_SFLOAT, 0 };
	struct vk_pipeline p;

	vk_pipeline_init(&p, kind->layout, TARGET);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, bench.vertex);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_FRAGMENT_BIT, kind->fragment);
	p.stages[1].pSpecializationInfo = &constants;
	vk_pipeline_inputs(&p, &binding, 1, &attribute, 1);
	p.info.renderPass = bench.pass;
	return vk_pipeline_new(&p);
}

static void make_layouts(struct kind *kind)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kind->n_textures,
		  VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
	};

	kind->set_layout = vk_set_layout_new(bindings, 2);
	kind->layout = vk_layout_new(&kind->set_layout, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 16);
}

static void make_pool(void)
{
	VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, N_KINDS * N_SETS },
		{ VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0 },
	};
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = N_KINDS * N_SETS,
		.poolSizeCount = 2, .pPoolSizes = sizes,
	};

	for (int i = 0; i < N_KINDS; i++)
		sizes[1].descriptorCount += bench.kinds[i].n_textures * N_SETS;
	VK_CHECK(vkCreateDescriptorPool(vk.device, &info, NULL, &bench.pool));
}

/* Writes set @i: its own uniform buffer, and all textures. */
static void write_set(const struct kind *kind, uint32_t i)
{
	const VkDescriptorBufferInfo tint = { bench.tints.buffer, i * TINT, 16 };
	VkDescriptorImageInfo textures[64];
	const VkWriteDescriptorSet writes[] = {
		{ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		  .dstSet = kind->sets[i],
		  .descriptorCount = 1,
		  .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		  .pBufferInfo = &tint },
		{ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		  .dstSet = kind->sets[i],
		  .dstBinding = 1,
		  .descriptorCount = kind->n_textures,
		  .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		  .pImageInfo = textures },
	};

	for (uint32_t n = 0; n < kind->n_textures; n++)
		textures[n] = (VkDescriptorImageInfo){ bench.sampler,
						       bench.texture_views[(i + n) % 2], general };
	vkUpdateDescriptorSets(vk.device, 2, writes, 0, NULL);
}

static void make_sets(struct kind *kind)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = bench.pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &kind->set_layout,
	};

	for (uint32_t i = 0; i < N_SETS; i++) {
		VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, &kind->sets[i]));
		write_set(kind, i);
	}
}

static void make_kinds(void)
{
	static const struct {
		uint32_t n_textures;
		const uint32_t *code;
		size_t size;
	} fragments[N_KINDS] = {
		{ 1, VK_CODE(vk_rate_1_frag) },
		{ 8, VK_CODE(vk_rate_8_frag) },
		{ 64, VK_CODE(vk_rate_64_frag) },
	};

	bench.vertex = vk_module_new(VK_CODE(vk_rate_vert));
	for (int i = 0; i < N_KINDS; i++)
		bench.kinds[i].n_textures = fragments[i].n_textures;
	make_pool();
	for (int i = 0; i < N_KINDS; i++) {
		struct kind *kind = &bench.kinds[i];

		kind->fragment = vk_module_new(fragments[i].code, fragments[i].size);
		make_layouts(kind);
		make_sets(kind);
		for (int n = 0; n < N_PIPELINES; n++)
			kind->pipelines[n] = make_pipeline(kind, n);
	}
}

/* Commands */

enum change { NOTHING, PUSH, VERTICES, SET, PIPELINE, EACH_ANOTHER };

static void bind_set(VkCommandBuffer cmd, const struct kind *kind, uint32_t i)
{
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, kind->layout, 0, 1,
				&kind->sets[i % N_SETS], 0, NULL);
}

static void bind_pipeline(VkCommandBuffer cmd, const struct kind *kind, uint32_t i)
{
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, kind->pipelines[i % N_PIPELINES]);
}

static void bind_vertices(VkCommandBuffer cmd, uint32_t i)
{
	const VkDeviceSize offset = i % 2 * sizeof(corners);

	vkCmdBindVertexBuffers(cmd, 0, 1, &bench.vertices.buffer, &offset);
}

static void push(VkCommandBuffer cmd, const struct kind *kind, uint32_t i)
{
	const float constants[4] = { i * 1e-5f };

	vkCmdPushConstants(cmd, kind->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(constants),
			   constants);
}

static void change_one(VkCommandBuffer cmd, const struct kind *kind, enum change change, uint32_t i)
{
	switch (change) {
	case PUSH:
		push(cmd, kind, i);
		break;
	case VERTICES:
		bind_vertices(cmd, i);
		break;
	case SET:
		bind_set(cmd, kind, i);
		break;
	case PIPELINE:
		bind_pipeline(cmd, kind, i);
		break;
	case EACH_ANOTHER:
		change_one(cmd, kind, PUSH + i % 4, i);
		break;
	case NOTHING:
		break;
	}
}

static void record_draws(VkCommandBuffer cmd, const struct kind *kind, enum change change,
			 uint32_t n)
{
	const VkClearValue clear = { .color.float32 = { 0 } };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = bench.pass,
		.framebuffer = bench.framebuffer, .renderArea = { { 0, 0 }, { TARGET, TARGET } },
		.clearValueCount = 1, .pClearValues = &clear,
	};

	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	bind_pipeline(cmd, kind, 0);
	bind_set(cmd, kind, 0);
	bind_vertices(cmd, 0);
	push(cmd, kind, 0);
	for (uint32_t i = 0; i < n; i++) {
		change_one(cmd, kind, change, i);
		vkCmdDraw(cmd, 3, 1, 0, 0);
	}
	vkCmdEndRenderPass(cmd);
}

static void submit(VkCommandBuffer cmd, VkFence fence)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};

	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, fence));
}

static void wait_for(VkFence fence)
{
	VK_CHECK(vkWaitForFences(vk.device, 1, &fence, true, UINT64_MAX));
	VK_CHECK(vkResetFences(vk.device, 1, &fence));
}

/* Submits a command buffer, waits for its fence as programs do, and frees it. */
static void run(VkCommandBuffer cmd)
{
	VK_CHECK(vkEndCommandBuffer(cmd));
	submit(cmd, bench.fences[0]);
	wait_for(bench.fences[0]);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
}

/* Records command buffers that are submitted several times. */
static void make_commands(void)
{
	const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

	bench.frame = vk_begin_with(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
	record_draws(bench.frame, &bench.kinds[0], EACH_ANOTHER, FEW_DRAWS);
	VK_CHECK(vkEndCommandBuffer(bench.frame));
	bench.empty = vk_begin_with(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
	VK_CHECK(vkEndCommandBuffer(bench.empty));
	bench.fill = vk_begin_with(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
	vk_barrier(bench.fill);
	vkCmdFillBuffer(bench.fill, bench.staging.buffer, 0, 4, 0);
	VK_CHECK(vkEndCommandBuffer(bench.fill));
	for (int i = 0; i < IN_FLIGHT; i++)
		VK_CHECK(vkCreateFence(vk.device, &fence, NULL, &bench.fences[i]));
}

/*
 * Slices of work that are measured. Each waits until the work is done and returns how much it was
 */

static double resubmits(int n)
{
	for (int i = 1; i < n; i++)
		submit(bench.frame, VK_NULL_HANDLE);
	submit(bench.frame, bench.fences[0]);
	wait_for(bench.fences[0]);
	return n;
}

static void submit_in_flight(VkCommandBuffer cmd, int in_flight)
{
	for (int i = 0; i < SUBMITS; i++) {
		if (i >= in_flight)
			wait_for(bench.fences[i % in_flight]);
		submit(cmd, bench.fences[i % in_flight]);
	}
	for (int i = 0; i < in_flight; i++)
		wait_for(bench.fences[i]);
}

static double empty_submits(int in_flight)
{
	submit_in_flight(bench.empty, in_flight);
	return SUBMITS;
}

static double submits(int in_flight)
{
	submit_in_flight(bench.fill, in_flight);
	return SUBMITS;
}

static double frames(int n)
{
	for (int i = 0; i < n; i++) {
		VkCommandBuffer cmd = vk_begin();

		record_draws(cmd, &bench.kinds[0], EACH_ANOTHER, FEW_DRAWS);
		run(cmd);
	}
	return n;
}

static double draws(int change)
{
	VkCommandBuffer cmd = vk_begin();

	record_draws(cmd, &bench.kinds[0], change, DRAWS);
	run(cmd);
	return DRAWS;
}

static double recorded(int change)
{
	VkCommandBuffer cmd = vk_begin();

	record_draws(cmd, &bench.kinds[0], change, DRAWS);
	VK_CHECK(vkEndCommandBuffer(cmd));
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	return DRAWS;
}

static double sets(int kind)
{
	VkCommandBuffer cmd = vk_begin();

	for (uint32_t i = 0; i < N_SETS; i++)
		write_set(&bench.kinds[kind], i);
	record_draws(cmd, &bench.kinds[kind], SET, N_SETS);
	run(cmd);
	return N_SETS;
}

/* Creates new pipelines each time, which no cache has from an earlier run. */
static double pipelines(int n)
{
	static uint32_t made;
	struct kind kind = bench.kinds[0];
	VkCommandBuffer cmd = vk_begin();

	for (int i = 0; i < n; i++)
		kind.pipelines[i] = make_pipeline(&kind, (bench.seed + made++) % SHADES);
	record_draws(cmd, &kind, PIPELINE, n);
	run(cmd);
	for (int i = 0; i < n; i++)
		vkDestroyPipeline(vk.device, kind.pipelines[i], NULL);
	return n;
}

static double transfers(int upload)
{
	const VkBufferImageCopy all = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = { SIDE, SIDE, 1 },
	};
	VkCommandBuffer cmd = vk_begin();

	for (int i = 0; i < TRANSFERS; i++) {
		if (upload)
			vkCmdCopyBufferToImage(cmd, bench.staging.buffer, bench.textures[0].image,
					       general, 1, &all);
		else
			vkCmdCopyImageToBuffer(cmd, bench.textures[0].image, general,
					       bench.staging.buffer, 1, &all);
		vk_barrier(cmd);
	}
	run(cmd);
	return TRANSFERS * (double)PIXELS / 1e6;
}

static double writes(int times)
{
	return rate_memcpy(bench.staging.map, bench.pixels, PIXELS, times);
}

static double reads(int times)
{
	return rate_memcpy(bench.copy, bench.staging.map, PIXELS, times);
}

static double copies(int times)
{
	return rate_memcpy(bench.copy, bench.pixels, PIXELS, times);
}

/* The name of a figure has the unit of the number that its slice returns. */
static const struct {
	const char *name;
	double (*slice)(int);
	int argument;
} figures[] = {
	{ "submits of a recorded frame", resubmits, RESUBMITS },
	{ "submits", submits, IN_FLIGHT },
	{ "submits, empty", empty_submits, IN_FLIGHT },
	{ "submits, each waited for", submits, 1 },
	{ "frames of 20 draws", frames, FRAMES },
	{ "draws", draws, NOTHING },
	{ "draws, push constants changed", draws, PUSH },
	{ "draws, vertices changed", draws, VERTICES },
	{ "draws, set changed", draws, SET },
	{ "draws, pipeline changed", draws, PIPELINE },
	{ "draws recorded", recorded, NOTHING },
	{ "draws recorded, push constants changed", recorded, PUSH },
	{ "draws recorded, vertices changed", recorded, VERTICES },
	{ "draws recorded, set changed", recorded, SET },
	{ "draws recorded, pipeline changed", recorded, PIPELINE },
	{ "sets of 1 texture written and drawn with", sets, 0 },
	{ "sets of 8 textures written and drawn with", sets, 1 },
	{ "sets of 64 textures written and drawn with", sets, 2 },
	{ "pipelines made and drawn with", pipelines, N_PIPELINES },
	{ "MB from a buffer to an image", transfers, true },
	{ "MB from an image to a buffer", transfers, false },
	{ "MB to a mapping", writes, TRANSFERS },
	{ "MB from a mapping", reads, TRANSFERS },
	{ "MB by memcpy", copies, TRANSFERS },
};

static void measure(const char *name, double (*slice)(int), int argument, double seconds)
{
	struct rate done;

	slice(argument);	/* the first use compiles the pipelines of the slice */
	done = rate_begin(seconds);
	while (rate_add(&done, slice(argument)))
		;
	rate_print(&done, "vulkan", name);
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;

	vk_open();
	make_memory();
	make_images();
	make_pass();
	make_kinds();
	make_commands();
	bench.seed = time(NULL) * 4096;
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		if (argc < 3 || !strcmp(argv[2], figures[i].name))
			measure(figures[i].name, figures[i].slice, figures[i].argument, seconds);
	return 0;
}
