// SPDX-License-Identifier: MIT
/*
 * Vulkan: sample shading, resolves of depth and stencil, and, with "scissors", scissors with
 * samples, which Debian's lavapipe gets wrong (lavapipe/patches/0018). Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-samples-shaders.h"

#define SIDE 64			/* the same in the shaders */
#define PIXELS (SIDE * SIDE)
#define SAMPLES 4
#define LAYERS 3
#define VIEWS 5u		/* view mask of the layers */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat color_format = VK_FORMAT_R32G32B32A32_UINT;
static const VkRect2D everything = { { 0, 0 }, { SIDE, SIDE } };

struct push {
	float depth;
	uint32_t number;
};

struct attachment {
	VkImageAspectFlags aspects;
	struct vk_image image;
	VkImageView view;
};

static struct {
	struct attachment samples, color;
	VkSampler sampler;
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline read;	/* copies a sample of the first attachment to the second one */
	struct vk_buffer readback;
	VkPhysicalDeviceDepthStencilResolveProperties resolves;
} test;

/* Objects */

/* Makes an image, and a view of its level @level and its layers from @first on. */
static struct attachment attachment_new(VkFormat format, VkImageAspectFlags aspects,
					VkSampleCountFlagBits samples, uint32_t level,
					uint32_t first, uint32_t layers)
{
	const VkImageUsageFlags usage =
		aspects == VK_IMAGE_ASPECT_COLOR_BIT
			? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT
			: VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
	const VkImageCreateInfo image = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE << level, SIDE << level, 1 },
		.mipLevels = level + 1,
		.arrayLayers = first + layers,
		.samples = samples,
		.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	struct attachment a = { .aspects = aspects, .image = vk_image_new(&image) };

	a.view = vk_view_new(&a.image,
			     layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
			     format, (VkImageSubresourceRange){ aspects, level, 1, first, layers });
	return a;
}

static void attachment_del(const struct attachment *a)
{
	vkDestroyImageView(vk.device, a->view, NULL);
	vk_image_del(&a->image);
}

static void make_set(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL,
	};

	test.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	test.set = vk_set_new(&binding, 1);
	vk_write_image(test.set.set, 0, 0, binding.descriptorType, test.sampler, test.samples.view);
}

/* The attachments and states of a pipeline, which writes depth and stencil if there are any. */
struct how {
	VkSampleCountFlagBits samples;
	uint32_t mask;			/* sample mask, 0: all */
	bool per_sample;
	VkFormat color, depth, stencil;	/* formats of attachments */
	uint32_t views;			/* view mask */
};

static VkPipeline pipeline_new(const struct how *how, const uint32_t *code, size_t size)
{
	const uint32_t mask = how->mask ? how->mask : 0xf;
	const VkStencilOpState stencil = {
		VK_STENCIL_OP_REPLACE,
		VK_STENCIL_OP_REPLACE,
		VK_STENCIL_OP_REPLACE,
		VK_COMPARE_OP_ALWAYS,
		0xff,
		0xff,
		0,
	};
	const VkDynamicState dynamic[] = { VK_DYNAMIC_STATE_STENCIL_REFERENCE,
					   VK_DYNAMIC_STATE_SCISSOR };
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(samples_vert));
	if (code)
		vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, code, size);
	vk_pipeline_formats(&p, how->color, how->depth, how->stencil);
	p.rendering.viewMask = how->views;
	p.samples.rasterizationSamples = how->samples;
	p.samples.sampleShadingEnable = how->per_sample;
	p.samples.minSampleShading = how->per_sample;
	p.samples.pSampleMask = &mask;
	vk_pipeline_depth(&p, VK_COMPARE_OP_ALWAYS, how->depth != 0);
	p.depth.depthTestEnable = how->depth != 0;
	p.depth.stencilTestEnable = how->stencil != 0;
	p.depth.front = p.depth.back = stencil;
	vk_pipeline_dynamic(&p, dynamic, 2);
	return vk_pipeline_new(&p);
}

static void make_things(void)
{
	const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
	VkPhysicalDeviceProperties2 properties = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
						   &test.resolves,
						   { 0 } };

	test.resolves.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES;
	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	test.samples = attachment_new(color_format, VK_IMAGE_ASPECT_COLOR_BIT, SAMPLES, 0, 0, 1);
	test.color = attachment_new(color_format, VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 0, 1);
	make_set();
	test.layout = vk_layout_new(&test.set.layout, 1, stages, sizeof(struct push));
	test.read = pipeline_new(&(struct how){ .samples = 1, .color = color_format },
				 VK_CODE(samples_read));
	test.readback = vk_buffer_new(LAYERS * PIXELS * 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
	vk_buffer_del(&test.readback);
	vkDestroyPipeline(vk.device, test.read, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroySampler(vk.device, test.sampler, NULL);
	attachment_del(&test.samples);
	attachment_del(&test.color);
}

/* Commands */

static VkRenderingAttachmentInfo attach(const struct attachment *a)
{
	return (VkRenderingAttachmentInfo){
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = a->view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
}

static void begin_color(VkCommandBuffer cmd, const struct attachment *a)
{
	const VkRenderingAttachmentInfo color = attach(a);
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = everything,
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
	};

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

static void draw(VkCommandBuffer cmd, VkPipeline pipeline, VkRect2D where, float depth,
		 uint32_t number)
{
	const struct push push = { depth, number };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdPushConstants(cmd, test.layout,
			   VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
			   sizeof(push), &push);
	vkCmdSetStencilReference(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, number);
	vkCmdSetScissor(cmd, 0, 1, &where);
	vkCmdDraw(cmd, 3, 1, 0, 0);
}

/* Sample shading */

/* Vulkan's standard sample locations, in sixteenths of a pixel. */
static const uint32_t places[SAMPLES][2] = { { 6, 2 }, { 14, 6 }, { 2, 10 }, { 10, 14 } };

enum expected { CENTRES, PLACES, NUMBERED_PLACES };

static bool sample_is(uint32_t sample, enum expected what)
{
	const uint32_t expected[4] = {
		what == CENTRES ? 8 : places[sample][0], what == CENTRES ? 8 : places[sample][1],
		what == NUMBERED_PLACES ? sample : 0, 77,
	};

	for (uint32_t i = 0; i < PIXELS; i++) {
		const uint32_t *pixel = (uint32_t *)test.readback.map + i * 4;

		if (!memcmp(pixel, expected, sizeof(expected)))
			continue;
		printf("# sample %u, pixel %u: %u %u %u %u, not %u %u %u %u\n", sample, i, pixel[0],
		       pixel[1], pixel[2], pixel[3], expected[0], expected[1], expected[2],
		       expected[3]);
		return false;
	}
	return true;
}

static void read_sample(VkCommandBuffer cmd, uint32_t sample)
{
	vk_barrier(cmd);
	begin_color(cmd, &test.color);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	draw(cmd, test.read, everything, 0, sample);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_image_read(cmd, &test.color.image, SIDE, &test.readback);
}

/* Draws to @where of all samples, and reads one. */
static void draw_and_read(VkPipeline pipeline, VkRect2D where, uint32_t sample)
{
	VkCommandBuffer cmd = vk_begin();

	begin_color(cmd, &test.samples);
	draw(cmd, pipeline, where, 0, 77);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	read_sample(cmd, sample);
	vk_run(cmd);
}

static bool inside(VkRect2D area, uint32_t x, uint32_t y)
{
	return x - area.offset.x < area.extent.width && y - area.offset.y < area.extent.height;
}

/* A draw across the edges of a scissor rectangle. */
static void test_scissor(void)
{
	const VkRect2D where = { { 8, 4 }, { 40, 50 } };
	const VkPipeline pipeline = pipeline_new(&(struct how){ .samples = SAMPLES,
								.color = color_format },
						 VK_CODE(samples_coord));
	bool inside_is_written = true, outside_is_not = true;

	for (uint32_t sample = 0; sample < SAMPLES; sample++) {
		draw_and_read(pipeline, where, sample);
		for (uint32_t i = 0; i < PIXELS; i++) {
			const bool written = ((uint32_t *)test.readback.map)[i * 4 + 3] == 77;

			if (inside(where, i % SIDE, i / SIDE))
				inside_is_written &= written;
			else
				outside_is_not &= !written;
		}
	}
	tap(inside_is_written, "samples inside of a scissor rectangle are written");
	tap(outside_is_not, "samples outside of a scissor rectangle are not written");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static void test_shading(const char *name, const uint32_t *code, size_t size, bool per_sample,
			 enum expected expected)
{
	const VkPipeline pipeline = pipeline_new(&(struct how){ .samples = SAMPLES,
								.per_sample = per_sample,
								.color = color_format },
						 code, size);
	bool ok = true;

	for (uint32_t sample = 0; sample < SAMPLES; sample++) {
		draw_and_read(pipeline, everything, sample);
		ok &= sample_is(sample, expected);
	}
	tap(ok, "%s", name);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Resolves */

/*
 * The samples of the left half have these numbers as depth and stencil; the right half has them in
 * reverse order.
 */
static const uint32_t numbers[SAMPLES] = { 3, 1, 4, 2 };

#define UNTOUCHED 9	/* the same unit */
#define DEPTH_OF(number) ((number) / 16.0f)

struct resolve {
	const char *name;
	VkFormat format;
	VkImageAspectFlags aspects;
	VkResolveModeFlagBits depth, stencil;
};

static float combine(VkResolveModeFlagBits mode, bool right)
{
	const uint32_t first = numbers[right ? SAMPLES - 1 : 0];

	switch (mode) {
	case VK_RESOLVE_MODE_NONE:
		return UNTOUCHED;
	case VK_RESOLVE_MODE_SAMPLE_ZERO_BIT:
		return first;
	case VK_RESOLVE_MODE_MIN_BIT:
		return 1;
	case VK_RESOLVE_MODE_MAX_BIT:
		return 4;
	default:
		return 2.5f;
	}
}

/* Returns a depth in the readback buffer, as a float. */
static float depth_at(VkFormat format, uint32_t i)
{
	switch (format) {
	case VK_FORMAT_D16_UNORM:
		return ((uint16_t *)test.readback.map)[i] / 65535.0f;
	case VK_FORMAT_D24_UNORM_S8_UINT:
	case VK_FORMAT_X8_D24_UNORM_PACK32:
		return (((uint32_t *)test.readback.map)[i] & 0xffffff) / 16777215.0f;
	default:
		return ((float *)test.readback.map)[i];
	}
}

/*
 * The destination of a resolve: a level, layers from @first on, a view mask if not 0, and the
 * render area.
 */
struct place {
	uint32_t level, first, layers, views;
	VkRect2D area;
};

static bool is_resolved(const struct resolve *r, bool stencil, const struct place *place)
{
	const VkResolveModeFlagBits mode = stencil ? r->stencil : r->depth;

	for (uint32_t i = 0; i < place->layers * PIXELS; i++) {
		const uint32_t x = i % SIDE, y = i / SIDE % SIDE, layer = i / PIXELS;
		const bool drawn =
			inside(place->area, x, y) && (!place->views || place->views >> layer & 1);
		const float number = drawn ? combine(mode, x >= SIDE / 2) : UNTOUCHED;
		const float expected = stencil ? number : DEPTH_OF(number);
		const float found =
			stencil ? ((uint8_t *)test.readback.map)[i] : depth_at(r->format, i);

		/* llvmpipe starts a scissor in the middle of the pixel before it. */
		if (x == SIDE / 2 - 1 || fabsf(found - expected) < 1.0f / 60000)
			continue;
		printf("# %s: layer %u, %u,%u: %f, not %f\n", stencil ? "stencil" : "depth", layer,
		       x, y, found, expected);
		return false;
	}
	return true;
}

static void draw_numbers(VkCommandBuffer cmd, const VkPipeline *pipelines)
{
	const VkRect2D left = { { 0, 0 }, { SIDE / 2, SIDE } },
		       right = { { SIDE / 2, 0 }, { SIDE / 2, SIDE } };

	for (uint32_t i = 0; i < SAMPLES; i++) {
		draw(cmd, pipelines[i], left, DEPTH_OF(numbers[i]), numbers[i]);
		draw(cmd, pipelines[i], right, DEPTH_OF(numbers[SAMPLES - 1 - i]),
		     numbers[SAMPLES - 1 - i]);
	}
}

/* Clears all levels and layers. */
static void fill(VkCommandBuffer cmd, const struct attachment *a, float depth, uint32_t stencil)
{
	const VkClearDepthStencilValue value = { depth, stencil };
	const VkImageSubresourceRange all = { a->aspects, 0, VK_REMAINING_MIP_LEVELS, 0,
					      VK_REMAINING_ARRAY_LAYERS };

	vkCmdClearDepthStencilImage(cmd, a->image.image, general, &value, 1, &all);
}

static void begin_depth(VkCommandBuffer cmd, const struct resolve *r, const struct attachment *from,
			const struct attachment *to, const struct place *place)
{
	VkRenderingAttachmentInfo depth = attach(from), stencil = attach(from);
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = place->area,
		.layerCount = 1,
		.viewMask = place->views,
		.pDepthAttachment = r->aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &depth : NULL,
		.pStencilAttachment = r->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &stencil : NULL,
	};

	if (r->depth) {
		depth.resolveMode = r->depth;
		depth.resolveImageView = to->view;
		depth.resolveImageLayout = general;
	}
	if (r->stencil) {
		stencil.resolveMode = r->stencil;
		stencil.resolveImageView = to->view;
		stencil.resolveImageLayout = general;
	}
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

static bool aspect_is(const struct resolve *r, const struct attachment *to,
		      VkImageAspectFlagBits aspect, const struct place *place)
{
	const VkBufferImageCopy all = {
		0,	     0,
		0,	     { aspect, place->level, place->first, place->layers },
		{ 0, 0, 0 }, { SIDE, SIDE, 1 },
	};
	VkCommandBuffer cmd;

	if (!(r->aspects & aspect))
		return true;
	cmd = vk_begin();
	vkCmdCopyImageToBuffer(cmd, to->image.image, general, test.readback.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	return is_resolved(r, aspect == VK_IMAGE_ASPECT_STENCIL_BIT, place);
}

static bool resolves(const struct resolve *r, struct place place)
{
	const struct attachment from =
		attachment_new(r->format, r->aspects, SAMPLES, 0, 0, place.layers);
	const struct attachment to =
		attachment_new(r->format, r->aspects, 1, place.level, place.first, place.layers);
	VkCommandBuffer cmd = vk_begin();
	VkPipeline pipelines[SAMPLES];
	bool ok;

	for (uint32_t i = 0; i < SAMPLES; i++)
		pipelines[i] = pipeline_new(
			&(struct how){
				.samples = SAMPLES,
				.mask = 1u << i,
				.views = place.views,
				.depth = r->aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? r->format : 0,
				.stencil =
					r->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? r->format : 0 },
			NULL, 0);
	fill(cmd, &to, DEPTH_OF(UNTOUCHED), UNTOUCHED);
	vk_barrier(cmd);
	begin_depth(cmd, r, &from, &to, &place);
	draw_numbers(cmd, pipelines);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	ok = aspect_is(r, &to, VK_IMAGE_ASPECT_DEPTH_BIT, &place) &&
	     aspect_is(r, &to, VK_IMAGE_ASPECT_STENCIL_BIT, &place);
	for (uint32_t i = 0; i < SAMPLES; i++)
		vkDestroyPipeline(vk.device, pipelines[i], NULL);
	attachment_del(&from);
	attachment_del(&to);
	return ok;
}

#define BOTH (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)
#define MODE(name) VK_RESOLVE_MODE_##name##_BIT

static const struct resolve all_resolves[] = {
	{ "16 bits", VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, MODE(SAMPLE_ZERO), 0 },
	{ "16 bits, the least", VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, MODE(MIN), 0 },
	{ "floats", VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, MODE(SAMPLE_ZERO), 0 },
	{ "floats, the average", VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, MODE(AVERAGE),
	  0 },
	{ "floats, the greatest", VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, MODE(MAX), 0 },
	{ "stencil alone", VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 0, MODE(SAMPLE_ZERO) },
	{ "stencil alone, the greatest", VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 0,
	  MODE(MAX) },
	{ "24 bits and stencil", VK_FORMAT_D24_UNORM_S8_UINT, BOTH, MODE(SAMPLE_ZERO),
	  MODE(SAMPLE_ZERO) },
	{ "floats and stencil", VK_FORMAT_D32_SFLOAT_S8_UINT, BOTH, MODE(SAMPLE_ZERO),
	  MODE(SAMPLE_ZERO) },
	{ "floats and stencil, each otherwise", VK_FORMAT_D32_SFLOAT_S8_UINT, BOTH, MODE(AVERAGE),
	  MODE(MIN) },
	{ "24 bits without stencil", VK_FORMAT_D24_UNORM_S8_UINT, BOTH, MODE(SAMPLE_ZERO), 0 },
	{ "stencil without floats", VK_FORMAT_D32_SFLOAT_S8_UINT, BOTH, 0, MODE(MAX) },
};

static bool is_there(const struct resolve *r)
{
	const VkPhysicalDeviceDepthStencilResolveProperties *p = &test.resolves;
	VkFormatProperties format;

	vkGetPhysicalDeviceFormatProperties(vk.physical, r->format, &format);
	if (!(format.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) ||
	    (r->depth & ~p->supportedDepthResolveModes) ||
	    (r->stencil & ~p->supportedStencilResolveModes))
		return false;
	return r->aspects != BOTH || r->depth == r->stencil ||
	       (r->depth && r->stencil ? p->independentResolve : p->independentResolveNone);
}

/*
 * lavapipe ignores the render area and the view mask of these resolves, and returns one sample for
 * the average.
 */
static void test_resolve(const struct resolve *r)
{
	const VkRect2D part = { { 8, 4 }, { 40, 50 } };
	const bool whole = strstr(vk.properties.deviceName, "sundog");

	if (!is_there(r) || (!whole && r->depth == VK_RESOLVE_MODE_AVERAGE_BIT)) {
		printf("ok - %s # SKIP the device does not\n", r->name);
		return;
	}
	tap(resolves(r, (struct place){ 0, 0, 1, 0, everything }) &&
		    resolves(r, (struct place){ 0, 0, 1, 0, part }),
	    "resolves: %s", r->name);
	if (whole)
		tap(resolves(r, (struct place){ 1, 2, 1, 0, part }) &&
			    resolves(r, (struct place){ 1, 2, LAYERS, VIEWS, part }),
		    "elsewhere, and of views: %s", r->name);
}

int main(int argc, char **argv)
{
	static const char *const extensions[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
	};
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, NULL, true,
	};
	VkPhysicalDeviceMultiviewFeatures views = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
		&rendering,
		true,
		false,
		false,
	};

	vk.features = &views;
	vk_open_with(NULL, 0, extensions, 3);
	make_things();
	if (argc == 2 && !strcmp(argv[1], "scissors"))
		test_scissor();
	test_shading("pixels are shaded once", VK_CODE(samples_coord), false, CENTRES);
	test_shading("a pipeline has each sample shaded", VK_CODE(samples_coord), true, PLACES);
	test_shading("a shader that knows its sample is run for each", VK_CODE(samples_ids), false,
		     NUMBERED_PLACES);
	test_shading("and so where the pipeline asks for it, too", VK_CODE(samples_ids), true,
		     NUMBERED_PLACES);
	test_shading("an input is of each sample", VK_CODE(samples_qualified), false, PLACES);
	/* lavapipe interpolates at the center; Vulkan allows either. */
	if (strstr(vk.properties.deviceName, "sundog"))
		test_shading("and without saying so, if the pipeline asks for it",
			     VK_CODE(samples_plain), true, PLACES);
	for (size_t i = 0; i < sizeof(all_resolves) / sizeof(all_resolves[0]); i++)
		test_resolve(&all_resolves[i]);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
