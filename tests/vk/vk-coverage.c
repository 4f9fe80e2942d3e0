// SPDX-License-Identifier: MIT
/*
 * Vulkan: fragment shaders that export the stencil reference (VK_EXT_shader_stencil_export), and
 * fragment shaders whose sample mask shows which samples passed early tests
 * (VK_EXT_post_depth_coverage). Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-coverage-shaders.h"

#define SIDE 64			/* the same in the shaders */
#define PIXELS (SIDE * SIDE)
#define SAMPLES 4
#define CLEARED 40		/* initial stencil value */
#define RAN 16u			/* bit of a mask: a fragment ran */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat format = VK_FORMAT_D32_SFLOAT_S8_UINT;

struct target {
	struct vk_image image;
	VkImageView view;
};

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer masks, stencils;
	struct target one, many;	/* with one sample, and with SAMPLES */
} test;

static struct target target_new(VkSampleCountFlagBits samples)
{
	const VkImageCreateInfo image = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = samples,
		.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
			 VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	struct target t = { .image = vk_image_new(&image) };

	t.view = vk_view_new(&t.image, VK_IMAGE_VIEW_TYPE_2D, format, vk_image_all(&t.image));
	return t;
}

static void target_del(const struct target *t)
{
	vkDestroyImageView(vk.device, t->view, NULL);
	vk_image_del(&t->image);
}

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL,
	};

	test.masks = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.stencils = vk_buffer_new(PIXELS, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.one = target_new(1);
	test.many = target_new(SAMPLES);
	test.set = vk_set_new(&binding, 1);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.masks);
	test.layout = vk_layout_new(&test.set.layout, 1, VK_SHADER_STAGE_VERTEX_BIT, 8);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	target_del(&test.many);
	target_del(&test.one);
	vk_buffer_del(&test.stencils);
	vk_buffer_del(&test.masks);
}

/*
 * The states of a pipeline. It writes smaller depths, or, if @stencils is set, stencils; without
 * @code it writes depths only.
 */
struct how {
	VkSampleCountFlagBits samples;
	uint32_t mask;			/* of samples */
	bool stencils;
	VkCompareOp compare;		/* of stencils */
	const uint32_t *code;
	size_t size;
};

static VkPipeline pipeline_new(const struct how *how)
{
	/* 99 is the reference if the shader does not export one. */
	const VkStencilOpState stencil = {
		VK_STENCIL_OP_KEEP,
		VK_STENCIL_OP_REPLACE,
		VK_STENCIL_OP_KEEP,
		how->compare,
		0xff,
		0xff,
		99,
	};
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(coverage_vert));
	if (how->code)
		vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, how->code, how->size);
	vk_pipeline_formats(&p, VK_FORMAT_UNDEFINED, format, format);
	p.samples.rasterizationSamples = how->samples;
	p.samples.pSampleMask = &how->mask;
	vk_pipeline_depth(&p, VK_COMPARE_OP_LESS, !how->stencils);
	p.depth.depthTestEnable = !how->stencils;
	p.depth.stencilTestEnable = how->stencils;
	p.depth.front = p.depth.back = stencil;
	vk_pipeline_dynamic(&p, (const VkDynamicState[]){ VK_DYNAMIC_STATE_SCISSOR }, 1);
	return vk_pipeline_new(&p);
}

static void begin(VkCommandBuffer cmd, const struct target *target)
{
	const VkRenderingAttachmentInfo attachment = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = target->view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil = { 1, CLEARED },
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea.extent = { SIDE, SIDE },
		.layerCount = 1,
		.pDepthAttachment = &attachment,
		.pStencilAttachment = &attachment,
	};

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1,
				&test.set.set, 0, NULL);
}

static void draw(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t width, float depth)
{
	const VkRect2D where = { { 0, 0 }, { width, SIDE } };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 4, &depth);
	vkCmdSetScissor(cmd, 0, 1, &where);
	vkCmdDraw(cmd, 3, 1, 0, 0);
}

/* Stencils */

static uint32_t reference(uint32_t pixel)
{
	return (pixel % SIDE + 4 * (pixel / SIDE)) & 0xff;
}

/* Fragments whose exported reference passes @compare replace the stencil by it. */
static void test_stencils(const char *name, VkCompareOp compare,
			  bool (*is_drawn)(uint32_t reference))
{
	const VkBufferImageCopy all = { 0,	     0,
					0,	     { VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1 },
					{ 0, 0, 0 }, { SIDE, SIDE, 1 } };
	const struct how how = { 1, 1, true, compare, VK_CODE(coverage_stencil) };
	const VkPipeline pipeline = pipeline_new(&how);
	const uint8_t *stencils = test.stencils.map;
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	begin(cmd, &test.one);
	draw(cmd, pipeline, SIDE, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, test.one.image.image, general, test.stencils.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint32_t i = 0; i < PIXELS; i++) {
		const uint32_t expected = is_drawn(reference(i)) ? reference(i) : CLEARED;

		if (ok && stencils[i] != expected)
			printf("# pixel %u: %u, not %u\n", i, stencils[i], expected);
		ok &= stencils[i] == expected;
	}
	tap(ok, "%s", name);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static bool always(uint32_t reference)
{
	(void)reference;
	return true;
}

static bool is_less(uint32_t reference)
{
	return reference < CLEARED;
}

/* Coverage */

/*
 * Returns true if fragments get the mask @left in the left half, where the @hidden samples are
 * covered by nearer fragments, and a full mask in the right half.
 */
static bool masks_are(VkPipeline pipeline, uint32_t hidden, uint32_t left)
{
	const VkPipeline hiding = pipeline_new(
		&(struct how){ SAMPLES, hidden, false, VK_COMPARE_OP_ALWAYS, NULL, 0 });
	const uint32_t right = RAN | 0xf, *masks = test.masks.map;
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	memset(test.masks.map, 0, test.masks.size);
	begin(cmd, &test.many);
	draw(cmd, hiding, SIDE / 2, 0.25f);
	draw(cmd, pipeline, SIDE, 0.5f);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint32_t i = 0; i < PIXELS; i++) {
		const uint32_t expected = i % SIDE < SIDE / 2 ? left : right;

		/* llvmpipe starts a scissor in the middle of the pixel before it. */
		if (i % SIDE == SIDE / 2 - 1 || i % SIDE == SIDE / 2)
			continue;
		if (ok && masks[i] != expected)
			printf("# %#x hidden, pixel %u: %#x, not %#x\n", hidden, i, masks[i],
			       expected);
		ok &= masks[i] == expected;
	}
	vkDestroyPipeline(vk.device, hiding, NULL);
	return ok;
}

static void test_coverage(void)
{
	const VkPipeline after = pipeline_new(&(struct how){
		SAMPLES, 0xf, false, VK_COMPARE_OP_ALWAYS, VK_CODE(coverage_after) });
	const VkPipeline before = pipeline_new(&(struct how){
		SAMPLES, 0xf, false, VK_COMPARE_OP_ALWAYS, VK_CODE(coverage_before) });
	bool ok = true;

	for (uint32_t hidden = 1; hidden < 15; hidden++)
		ok &= masks_are(after, hidden, RAN | (~hidden & 0xf));
	tap(ok, "fragments know which samples early tests left");
	tap(masks_are(after, 0xf, 0), "fragments of no sample do not run");
	tap(masks_are(before, 5, RAN | 0xf), "others know which there were before");
	vkDestroyPipeline(vk.device, after, NULL);
	vkDestroyPipeline(vk.device, before, NULL);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME,
		VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME,
	};
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, NULL, true,
	};

	vk.features = &rendering;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	make_things();
	test_stencils("each pixel has a stencil of its own", VK_COMPARE_OP_ALWAYS, always);
	test_stencils("which is what is compared", VK_COMPARE_OP_LESS, is_less);
	test_coverage();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
