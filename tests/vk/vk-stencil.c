// SPDX-License-Identifier: MIT
/*
 * Vulkan: attachments of format S8_UINT, which have no depth: clears, stencil tests and stencil
 * operations, without color attachments and with one. Debian's lavapipe passes; a hardened one
 * needs lavapipe/patches/0015. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-stencil-shaders.h"

#define SIDE 8
#define PIXELS (SIDE * SIDE)
#define REFERENCE 0x5a
#define LENGTH(array) (sizeof(array) / sizeof(array[0]))

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat stencil_format = VK_FORMAT_S8_UINT, color_format = VK_FORMAT_R8G8B8A8_UNORM;
static const uint32_t green = 0xff00ff00u;

static struct {
	VkPipelineLayout layout;
	struct vk_image stencil, color;
	VkImageView stencil_view, color_view;
	struct vk_buffer stencils, colors;
} test;

static void make_things(void)
{
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.stencil = vk_picture_new(stencil_format, SIDE,
				      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
				      &test.stencil_view);
	test.color = vk_picture_new(color_format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				    &test.color_view);
	test.stencils = vk_buffer_new(PIXELS, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.colors = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
	vk_buffer_del(&test.colors);
	vk_buffer_del(&test.stencils);
	vkDestroyImageView(vk.device, test.color_view, NULL);
	vk_image_del(&test.color);
	vkDestroyImageView(vk.device, test.stencil_view, NULL);
	vk_image_del(&test.stencil);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
}

/* @state: NULL if nothing is drawn; @depth: enables a depth test, which passes without depth. */
struct how {
	uint8_t cleared;
	bool with_color, depth;
	const VkStencilOpState *state;
};

/*
 * Draws one triangle that covers the target. Returns the stencil of all pixels, or -1 if they
 * differ; @drawn is whether all pixels have the color of the triangle, or none.
 */
static int draw(const struct how *how, bool *drawn)
{
	const VkRenderingAttachmentInfo stencil = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.stencil_view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil = { 1, how->cleared },
	};
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.color_view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea.extent = { SIDE, SIDE },
		.layerCount = 1,
		.colorAttachmentCount = how->with_color,
		.pColorAttachments = &color,
		.pStencilAttachment = &stencil,
	};
	const VkBufferImageCopy all = { 0,	     0,
					0,	     { VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1 },
					{ 0, 0, 0 }, { SIDE, SIDE, 1 } };
	const uint8_t *stencils = test.stencils.map;
	const uint32_t *colors = test.colors.map;
	const VkCommandBuffer cmd = vk_begin();
	VkPipeline pipeline = VK_NULL_HANDLE;
	int value;

	if (how->state) {
		struct vk_pipeline p;

		vk_pipeline_init(&p, test.layout, SIDE);
		vk_pipeline_formats(&p, how->with_color ? color_format : VK_FORMAT_UNDEFINED,
				    VK_FORMAT_UNDEFINED, stencil_format);
		vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(stencil_vert));
		if (how->with_color)
			vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(stencil_frag));
		vk_pipeline_depth(&p, VK_COMPARE_OP_NEVER, how->depth);
		p.depth.depthTestEnable = how->depth;
		p.depth.stencilTestEnable = true;
		p.depth.front = p.depth.back = *how->state;
		pipeline = vk_pipeline_new(&p);
	}
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	if (pipeline) {
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
		vkCmdDraw(cmd, 3, 1, 0, 0);
	}
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, test.stencil.image, general, test.stencils.buffer, 1, &all);
	vk_image_read(cmd, &test.color, SIDE, &test.colors);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	value = stencils[0];
	*drawn = colors[0] == green;
	for (int i = 1; i < PIXELS; i++)
		if (stencils[i] != value || (colors[i] == green) != *drawn)
			value = -1;
	return value;
}

static bool compare(VkCompareOp op, uint32_t reference, uint32_t value)
{
	return (op & VK_COMPARE_OP_LESS && reference < value) ||
	       (op & VK_COMPARE_OP_EQUAL && reference == value) ||
	       (op & VK_COMPARE_OP_GREATER && reference > value);
}

static uint8_t changed(VkStencilOp op, uint8_t value)
{
	switch (op) {
	case VK_STENCIL_OP_ZERO:
		return 0;
	case VK_STENCIL_OP_REPLACE:
		return REFERENCE;
	case VK_STENCIL_OP_INCREMENT_AND_CLAMP:
		return value == 255 ? 255 : value + 1;
	case VK_STENCIL_OP_DECREMENT_AND_CLAMP:
		return value ? value - 1 : 0;
	case VK_STENCIL_OP_INVERT:
		return ~value;
	case VK_STENCIL_OP_INCREMENT_AND_WRAP:
		return value + 1;
	case VK_STENCIL_OP_DECREMENT_AND_WRAP:
		return value - 1;
	default:
		return value;
	}
}

static const uint8_t values[] = { 0, REFERENCE - 1, REFERENCE, REFERENCE + 1, 255 };

static void test_clears(void)
{
	bool ok = true, drawn;

	for (uint32_t i = 0; i < LENGTH(values); i++)
		ok &= draw(&(struct how){ .cleared = values[i] }, &drawn) == values[i];
	tap(ok, "a stencil attachment without depth is cleared to the clear value");
}

/* All compare operations, with an operation for the pass and one for the failure. */
static void test_compares(bool with_color, bool depth)
{
	bool ok = true, drawn;

	for (VkCompareOp op = VK_COMPARE_OP_NEVER; op <= VK_COMPARE_OP_ALWAYS; op++)
		for (uint32_t i = 0; i < LENGTH(values); i++) {
			const VkStencilOpState state = {
				VK_STENCIL_OP_ZERO, VK_STENCIL_OP_INVERT, VK_STENCIL_OP_REPLACE,
				op,		    0xff,		  0xff,
				REFERENCE,
			};
			const bool passes = compare(op, REFERENCE, values[i]);
			const uint8_t expected = passes ? ~values[i] : 0;
			const int value = draw(
				&(struct how){ values[i], with_color, depth, &state }, &drawn);

			if (value != expected)
				printf("# compare operation %d, %#x: %#x, not %#x\n", op,
				       values[i], value, expected);
			ok &= value == expected && (!with_color || drawn == passes);
		}
	tap(ok, "stencils are compared%s%s", with_color ? ", beside a color attachment" : "",
	    depth ? "; a depth test passes without depth" : "");
}

static void test_operations(void)
{
	bool ok = true, drawn;

	for (VkStencilOp op = VK_STENCIL_OP_KEEP; op <= VK_STENCIL_OP_DECREMENT_AND_WRAP; op++)
		for (uint32_t i = 0; i < LENGTH(values); i++) {
			const VkStencilOpState state = {
				VK_STENCIL_OP_ZERO,	op,   VK_STENCIL_OP_ZERO,
				VK_COMPARE_OP_ALWAYS,	0xff, 0x7f,
				REFERENCE,
			};
			const uint8_t expected =
				(changed(op, values[i]) & 0x7f) | (values[i] & 0x80);
			const int value =
				draw(&(struct how){ values[i], false, false, &state }, &drawn);

			if (value != expected)
				printf("# stencil operation %d, %#x: %#x, not %#x\n", op,
				       values[i], value, expected);
			ok &= value == expected;
		}
	tap(ok, "stencil operations change the bits of the write mask");
}

int main(void)
{
	static const char *const extensions[] = { VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME };
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, NULL, true,
	};

	vk.features = &rendering;
	vk_open_with(NULL, 0, extensions, 1);
	make_things();
	test_clears();
	test_compares(false, false);
	test_compares(true, false);
	test_compares(true, true);
	test_operations();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
