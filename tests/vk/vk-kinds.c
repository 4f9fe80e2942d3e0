// SPDX-License-Identifier: MIT
/*
 * Vulkan: bindings for which a shader declares variables of several image types; each variable
 * reads the elements of its type only. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-kinds-shaders.h"

#define N 32		/* invocations */
/* bytes between elements of a buffer; a multiple of all alignments of offsets */
#define STEP 256
#define OF_EACH 3	/* images of each kind */
#define TEXTURES 5	/* kinds of sampled images */
#define KINDS 7		/* and of storage images */
#define ELEMENTS 15	/* of the array of sampled images */
#define STORES 6	/* of the array of storage images */
#define SIDE 4

/* All texels of image n of kind k have the value k * 10 + n + 1. */
static struct {
	VkSampler sampler;
	struct vk_buffer order, result, add, more;
	struct vk_image images[KINDS][OF_EACH];
	VkImageView views[KINDS][OF_EACH];
} things;

/* A pipeline whose shader declares several kinds, and another one with a third set. */
static struct {
	VkDescriptorSetLayout layouts[3];
	VkPipelineLayout layout, layout_more;
	VkPipeline pipeline, pipeline_more;
	VkDescriptorPool pool;
	VkDescriptorSet sets[3];
} test;

/* Objects */

static uint32_t value_of(uint32_t kind, uint32_t n)
{
	return kind * 10 + n + 1;
}

static const struct {
	VkFormat format;
	VkImageType type;
	VkImageViewType view;
	VkImageUsageFlags usage;
} kinds[KINDS] = {
	{ VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D,
	  VK_IMAGE_USAGE_SAMPLED_BIT },
	{ VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT },
	{ VK_FORMAT_R32_SINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT },
	{ VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D,
	  VK_IMAGE_USAGE_SAMPLED_BIT },
	{ VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE,
	  VK_IMAGE_USAGE_SAMPLED_BIT },
	{ VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D,
	  VK_IMAGE_USAGE_STORAGE_BIT },
	{ VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_USAGE_STORAGE_BIT },
};

static VkClearColorValue color_of(uint32_t kind, uint32_t n)
{
	VkClearColorValue color = { .float32 = { value_of(kind, n) / 255.0f } };

	if (kinds[kind].format == VK_FORMAT_R32_UINT)
		color.uint32[0] = value_of(kind, n);
	if (kinds[kind].format == VK_FORMAT_R32_SINT)
		color.int32[0] = -(int32_t)value_of(kind, n);
	return color;
}

static void make_image(uint32_t kind, uint32_t n)
{
	const bool cube = kinds[kind].view == VK_IMAGE_VIEW_TYPE_CUBE,
		   volume = kinds[kind].type == VK_IMAGE_TYPE_3D;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = kinds[kind].type,
		.format = kinds[kind].format,
		.flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
		.extent = { SIDE, SIDE, volume ? SIDE : 1 },
		.mipLevels = 1,
		.arrayLayers = cube ? 6 : 1,
		.samples = 1,
		.usage = kinds[kind].usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	const VkClearColorValue color = color_of(kind, n);
	struct vk_image *image = &things.images[kind][n];

	*image = vk_image_new(&info);
	vk_image_fill(image, &color);
	things.views[kind][n] =
		vk_view_new(image, kinds[kind].view, kinds[kind].format, vk_image_all(image));
}

static void make_things(void)
{
	things.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	things.order = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	things.result = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	things.add = vk_buffer_new(2 * STEP, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	things.more = vk_buffer_new(STEP, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	((uint32_t *)things.add.map)[0] = 0;
	((uint32_t *)things.add.map)[STEP / 4] = 1000;
	((uint32_t *)things.more.map)[0] = 20000;
	for (uint32_t kind = 0; kind < KINDS; kind++)
		for (uint32_t n = 0; n < OF_EACH; n++)
			make_image(kind, n);
}

static void drop_things(void)
{
	for (uint32_t kind = 0; kind < KINDS; kind++)
		for (uint32_t n = 0; n < OF_EACH; n++) {
			vkDestroyImageView(vk.device, things.views[kind][n], NULL);
			vk_image_del(&things.images[kind][n]);
		}
	vk_buffer_del(&things.order);
	vk_buffer_del(&things.result);
	vk_buffer_del(&things.add);
	vk_buffer_del(&things.more);
	vkDestroySampler(vk.device, things.sampler, NULL);
}

/* Layouts, pipelines and sets */

static void make_pipelines(void)
{
	const VkShaderStageFlags stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const VkDescriptorSetLayoutBinding buffers[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL },
	};
	const VkDescriptorSetLayoutBinding images[] = {
		{ 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, ELEMENTS, stage, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_SAMPLER, 1, stage, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, STORES, stage, NULL },
		{ 3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, stage, NULL },
	};
	const VkDescriptorSetLayoutBinding more = { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, stage,
						    NULL };

	test.layouts[0] = vk_set_layout_new(buffers, 2);
	test.layouts[1] = vk_set_layout_new(images, 4);
	test.layouts[2] = vk_set_layout_new(&more, 1);
	test.layout = vk_layout_new(test.layouts, 2, stage, 8);
	test.layout_more = vk_layout_new(test.layouts, 3, stage, 8);
	test.pipeline = vk_compute_new(test.layout, VK_CODE(kinds_comp));
	test.pipeline_more = vk_compute_new(test.layout_more, VK_CODE(kinds_more));
}

static void write_image(VkDescriptorSet set, uint32_t binding, uint32_t element,
			VkDescriptorType type, VkImageView view)
{
	vk_write_image(set, binding, element, type, things.sampler, view);
}

/*
 * Returns the kind of an element of the array; element 0 has kind @turn, and kinds follow each
 * other.
 */
static uint32_t kind_of(uint32_t element, uint32_t turn)
{
	return (element + turn) % TEXTURES;
}

static void write_textures(uint32_t turn)
{
	for (uint32_t i = 0; i < ELEMENTS; i++)
		write_image(test.sets[1], 0, i, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
			    things.views[kind_of(i, turn)][i / TEXTURES]);
}

static void make_sets(void)
{
	static const VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 },
		{ VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, ELEMENTS },
		{ VK_DESCRIPTOR_TYPE_SAMPLER, 1 },
		{ VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, STORES },
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1 },
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 },
	};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 3,
		.poolSizeCount = 6,
		.pPoolSizes = sizes,
	};
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 3,
		.pSetLayouts = test.layouts,
	};
	const VkDescriptorBufferInfo add = { things.add.buffer, 0, 16 };
	VkWriteDescriptorSet write;

	VK_CHECK(vkCreateDescriptorPool(vk.device, &pool, NULL, &test.pool));
	info.descriptorPool = test.pool;
	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, test.sets));
	vk_write_buffer(test.sets[0], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.order);
	vk_write_buffer(test.sets[0], 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.result);
	write_image(test.sets[1], 1, 0, VK_DESCRIPTOR_TYPE_SAMPLER, VK_NULL_HANDLE);
	for (uint32_t i = 0; i < STORES; i++)
		write_image(test.sets[1], 2, i, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
			    things.views[TEXTURES + i % 2][i / 2]);
	write = vk_write_of(test.sets[1], 3, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
	write.pBufferInfo = &add;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	vk_write_buffer(test.sets[2], 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &things.more);
}

/* Dispatches, which read all sampled images first and then all storage images */

static void set_order(uint32_t turn)
{
	uint32_t (*order)[2] = things.order.map;

	memset(things.result.map, 0xee, things.result.size);
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t store = (i - ELEMENTS) % STORES;

		order[i][0] = i < ELEMENTS ? kind_of(i, turn) : TEXTURES + store % 2;
		order[i][1] = i < ELEMENTS ? i : store;
	}
}

static void bind_sets(VkCommandBuffer cmd, VkPipelineLayout layout, uint32_t n, uint32_t offset)
{
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, n, test.sets, 1,
				&offset);
}

static void dispatch(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t first, uint32_t x)
{
	const uint32_t push[] = { first, x };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
}

/*
 * Returns true if all invocations of the dispatch with results from @first on read the expected
 * value, plus @add.
 */
static bool found(uint32_t first, uint32_t turn, uint32_t x, uint32_t add)
{
	const uint32_t *words = (const uint32_t *)things.result.map + first;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++) {
		const uint32_t store = (i - ELEMENTS) % STORES;
		uint32_t expected = x ? store + 100 : value_of(TEXTURES + store % 2, store / 2);

		if (i < ELEMENTS)
			expected = value_of(kind_of(i, turn), i / TEXTURES);
		if (words[i] == expected + add)
			continue;
		printf("# result %u: %u, not %u\n", first + i, words[i], expected + add);
		ok = false;
	}
	return ok;
}

static void test_kinds(void)
{
	VkCommandBuffer cmd = vk_begin();

	write_textures(0);
	set_order(0);
	bind_sets(cmd, test.layout, 2, 0);
	dispatch(cmd, test.pipeline, 0, 0);
	dispatch(cmd, test.pipeline, N, 1);
	vk_run(cmd);
	tap(found(0, 0, 0, 0), "invocations pick images of seven kinds at two bindings");
	tap(found(N, 0, 1, 0), "and find what others stored to some");
	write_textures(1);
	set_order(1);
	cmd = vk_begin();
	bind_sets(cmd, test.layout, 2, STEP);
	dispatch(cmd, test.pipeline, 0, 1);
	vk_run(cmd);
	tap(found(0, 1, 1, 1000), "elements become other kinds, and buffers have offsets");
}

/* Alternates between two pipelines, of which one has a set that the other one lacks. */
static void test_turns(void)
{
	VkCommandBuffer cmd = vk_begin();

	set_order(1);
	bind_sets(cmd, test.layout_more, 3, 0);
	dispatch(cmd, test.pipeline, 0, 1);
	dispatch(cmd, test.pipeline_more, N, 1);
	dispatch(cmd, test.pipeline, 2 * N, 1);
	bind_sets(cmd, test.layout, 2, STEP);
	dispatch(cmd, test.pipeline, 3 * N, 1);
	vk_run(cmd);
	tap(found(0, 1, 1, 0) && found(N, 1, 1, 20000) && found(2 * N, 1, 1, 0) &&
		    found(3 * N, 1, 1, 1000),
	    "pipelines with other sets are used in turns");
}

/* Stages */

static VkPipeline graphics_new(VkPipelineLayout layout, VkRenderPass pass)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(kinds_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(kinds_frag));
	p.info.renderPass = pass;
	return vk_pipeline_new(&p);
}

/* Draws a triangle over an image and copies the image to @out. */
static void draw(VkRenderPass pass, VkPipeline pipeline, VkPipelineLayout layout,
		 VkDescriptorSet set, const struct vk_buffer *out)
{
	VkImageView view;
	struct vk_image picture = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE,
						 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &view);
	const VkFramebuffer framebuffer = vk_framebuffer_new(pass, &view, 1, SIDE);
	const VkClearValue none = { .color.float32 = { 0 } };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass,
		.framebuffer = framebuffer,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.clearValueCount = 1,
		.pClearValues = &none,
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &picture, SIDE, out);
	vk_run(cmd);
	vkDestroyFramebuffer(vk.device, framebuffer, NULL);
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&picture);
}

/* Each stage declares another kind at the binding, and the fragment shader one more. */
static void test_stages(void)
{
	static const uint32_t kinds_of[] = { 0, 1, 3 };
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3, VK_SHADER_STAGE_ALL_GRAPHICS, NULL,
	};
	const struct vk_set set = vk_set_new(&binding, 1);
	const VkPipelineLayout layout =
		vk_layout_new(&set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	const VkRenderPass pass =
		vk_pass_new(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR);
	const VkPipeline pipeline = graphics_new(layout, pass);
	struct vk_buffer out = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const uint32_t expected =
		0xff000000 | value_of(3, 2) << 16 | value_of(0, 0) << 8 | value_of(1, 1);
	bool ok = true;

	for (uint32_t i = 0; i < 3; i++)
		write_image(set.set, 0, i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
			    things.views[kinds_of[i]][i]);
	draw(pass, pipeline, layout, set.set, &out);
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		ok &= ((uint32_t *)out.map)[i] == expected;
	if (!ok)
		printf("# %#x, not %#x\n", *(uint32_t *)out.map, expected);
	tap(ok, "stages have variables of other kinds at a binding");
	vk_buffer_del(&out);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vk_set_del(&set);
}

static void drop_pipelines(void)
{
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipeline(vk.device, test.pipeline_more, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout_more, NULL);
	for (int i = 0; i < 3; i++)
		vkDestroyDescriptorSetLayout(vk.device, test.layouts[i], NULL);
}

int main(void)
{
	static VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
	};

	vk.features = &indexing;
	vk_open_with(NULL, 0, &(const char *){ VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME }, 1);
	make_things();
	make_pipelines();
	make_sets();
	test_kinds();
	test_turns();
	test_stages();
	drop_pipelines();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
