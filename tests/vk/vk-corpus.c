// SPDX-License-Identifier: MIT
/*
 * Draws each entry point of the SPIR-V modules of a corpus with the device that the loader gives,
 * and writes a line with a checksum of all outputs. tests/corpus/compare.py compares the lines of
 * two drivers. Each chunk of modules has a process of its own, with a device of its own, so that a
 * driver's crash ends one module only. spirv-reflect.c lists the resources, which are filled with
 * small numbers that depend on nothing but the module.
 *
 * usage: vk-corpus --out FILE [--dump DIR] [--chunk N] DIR-or-LIST...
 * A LIST has a path of a module per line. --dump writes the outputs to DIR/MODULE.ENTRY.bin.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spirv/unified1/spirv.h>

#include "corpus-device.h"
#include "corpus-fill.h"
#include "spirv-partner.h"
#include "vk-pipeline.h"

#define CHUNK 50
#define FENCE_NS 60000000000ull
#define MODULE_S 180		/* longer than a fence is waited for; compilers may hang, too */
#define BLANK "no output changed"	/* as compare.py has it */
#define EXIT_LOST 3		/* of a child that has reported a lost device */

#define BUFFER_SIZE 65536
#define IMAGE_SIDE 16
#define SIDE 32			/* of colour and input attachments */
#define LEVELS 3
#define LAYERS 4
#define MAX_SETS 32
#define MAX_COLORS 8
#define MAX_INPUTS 16
#define MAX_SLOTS 128
#define MAX_ATTRIBUTES 32
#define ATTRIBUTE_SIZE 32
#define VERTICES 96
#define INSTANCES 2
#define GEOMETRY_VERTICES 12	/* some primitives of each input topology */
#define MAX_PUSHED 256

struct module {
	char *path, *name;
};

/* The entry point that a child draws; the parent reports it if the child dies. */
struct progress {
	uint32_t module, entry;
	bool drawing;
	char label[1024];	/* module, entry point and stage, separated by tabs */
};

static struct {
	const char *dump;
	int out;
	uint32_t chunk;
	struct module *modules;
	uint32_t n_modules, room;
	struct progress *progress;
} run;

/* The objects of one descriptor. */
struct resource {
	struct vk_buffer buffer;
	struct vk_image image;
	VkImageView view;
	VkBufferView texels;
	VkSampler sampler;
	VkExtent3D extent;
	struct vk_buffer copy;	/* where the image is copied to after the draw */
	bool written;		/* by the shader: part of the checksum */
};

struct job {
	const char *name;
	const struct spirv *s;
	const struct spirv_entry *e;
	size_t number;		/* of the entry point */
	VkShaderStageFlagBits stage;
	struct spirv_binding *bindings;
	uint32_t n_bindings, n_resources, n_sets;
	struct resource *resources;	/* of all bindings, in their order */
	VkDescriptorSetLayout set_layouts[MAX_SETS];
	VkDescriptorPool pool;
	VkDescriptorSet sets[MAX_SETS];
	uint32_t pushed;
	uint8_t push[MAX_PUSHED];
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkShaderModule module, vertex, fragment;	/* the corpus's, the generated ones */
	/* Color attachments. */
	uint32_t n_colors;
	VkFormat formats[MAX_COLORS];
	struct vk_image colors[MAX_COLORS];
	VkImageView views[MAX_COLORS];
	struct vk_buffer copies[MAX_COLORS];
	VkImageView inputs[MAX_INPUTS];
	VkFormat input_formats[MAX_INPUTS];
	uint32_t n_inputs;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	struct vk_buffer vertices;
	bool has_attributes;
	bool points;		/* the push constants contain the address of the pointee */
	uint64_t checksum;
	FILE *dump;
};

static const char *stage_name(uint32_t model)
{
	static const char *const names[] = {
		"vertex", "tess-control", "tess-eval", "geometry", "fragment", "compute", "kernel",
	};

	if (model < sizeof(names) / sizeof(names[0]))
		return names[model];
	if (model == SpvExecutionModelTaskEXT || model == SpvExecutionModelTaskNV)
		return "task";
	if (model == SpvExecutionModelMeshEXT || model == SpvExecutionModelMeshNV)
		return "mesh";
	return "ray-tracing";
}

__attribute__((format(printf, 1, 2))) static void put_line(const char *fmt, ...)
{
	char line[2048];
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	if (length > (int)sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length++] = '\n';
	/* One write() per line: lines of the parent and its child do not mix. */
	if (write(run.out, line, length) != length)
		err(1, "write");
}

__attribute__((format(printf, 2, 3))) static void report(const char *status, const char *fmt, ...)
{
	char detail[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof(detail), fmt, args);
	va_end(args);
	for (char *c = detail; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	put_line("%s\t%s\t-\t%s", run.progress->label, status, detail);
}

/* Resources */

static uint32_t level_side(uint32_t side, uint32_t level)
{
	return side >> level ? side >> level : 1;
}

/* Fills all levels and layers of an image, or clears one with several samples. */
static void fill_image(const struct vk_image *image, const VkImageCreateInfo *info,
		       struct texel texel, uint32_t seed)
{
	VkBufferImageCopy copies[LEVELS];
	struct vk_buffer from;
	VkDeviceSize size = 0;
	VkCommandBuffer cmd;

	if (info->samples > 1) {
		const VkImageSubresourceRange all = vk_image_all(image);
		const VkClearDepthStencilValue depth = { 0.375f, 0 };
		VkClearColorValue color = { .uint32 = { 1, 2, 3, 4 } };

		cmd = vk_begin();
		if (texel.kind != TEXEL_I8 && texel.kind != TEXEL_I16 && texel.kind != TEXEL_I32)
			color = (VkClearColorValue){ .float32 = { 0.25f, 0.5f, 0.75f, 1 } };
		if (texel.format == VK_FORMAT_D32_SFLOAT)
			vkCmdClearDepthStencilImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL,
						    &depth, 1, &all);
		else
			vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1,
					     &all);
		vk_barrier(cmd);
		vk_run(cmd);
		return;
	}
	for (uint32_t i = 0; i < info->mipLevels; i++) {
		const VkExtent3D extent = { level_side(info->extent.width, i),
					    level_side(info->extent.height, i),
					    level_side(info->extent.depth, i) };

		copies[i] = (VkBufferImageCopy){
			.bufferOffset = size,
			.imageSubresource = { image->aspects, i, 0, image->layers },
			.imageExtent = extent,
		};
		size += (VkDeviceSize)texel.size * extent.width * extent.height * extent.depth *
			image->layers;
		size = (size + 15) & ~15ull;
	}
	from = vk_buffer_new(size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	fill_texels(from.map, size, texel.kind, seed);
	cmd = vk_begin();
	vkCmdCopyBufferToImage(cmd, from.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL,
			       info->mipLevels, copies);
	vk_barrier(cmd);
	vk_run(cmd);
	vk_buffer_del(&from);
}

static VkImageCreateInfo image_info(const struct spirv_binding *b, struct texel texel,
				    VkImageViewType *view)
{
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = texel.format,
		.extent = { IMAGE_SIDE, IMAGE_SIDE, 1 },
		.mipLevels = LEVELS,
		.arrayLayers = b->arrayed ? LAYERS : 1,
		.samples = b->multisampled ? 4 : 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
	};

	*view = b->arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
	if (b->multisampled)
		info.mipLevels = 1;
	if (b->descriptor == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) {
		info.mipLevels = 1;
		info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			     VK_IMAGE_USAGE_STORAGE_BIT;
	} else if (b->descriptor == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT) {
		info.mipLevels = 1;
		info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
		info.extent = (VkExtent3D){ SIDE, SIDE, 1 };
	}
	switch (b->dim) {
	case SpvDim1D:
		info.imageType = VK_IMAGE_TYPE_1D;
		info.extent.height = 1;
		*view = b->arrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
		break;
	case SpvDim3D:
		info.imageType = VK_IMAGE_TYPE_3D;
		info.extent.depth = IMAGE_SIDE;
		info.arrayLayers = 1;
		*view = VK_IMAGE_VIEW_TYPE_3D;
		break;
	case SpvDimCube:
		info.arrayLayers = b->arrayed ? 12 : 6;
		info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
		*view = b->arrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
		break;
	}
	return info;
}

static bool image_supported(const VkImageCreateInfo *info)
{
	VkImageFormatProperties properties;

	return !vkGetPhysicalDeviceImageFormatProperties(vk.physical, info->format, info->imageType,
							 info->tiling, info->usage, info->flags,
							 &properties) &&
	       properties.sampleCounts & info->samples &&
	       properties.maxMipLevels >= info->mipLevels &&
	       properties.maxArrayLayers >= info->arrayLayers;
}

static const char *make_image(struct job *j, const struct spirv_binding *b, struct resource *r,
			      uint32_t seed)
{
	const struct texel texel = texel_of(j->s, b);
	VkImageViewType view;
	const VkImageCreateInfo info = image_info(b, texel, &view);

	if (b->dim != SpvDim1D && b->dim != SpvDim2D && b->dim != SpvDim3D &&
	    b->dim != SpvDimCube && b->dim != SpvDimRect && b->dim != SpvDimSubpassData)
		return "an image of unknown dimensions";
	if (b->dim == SpvDimSubpassData && b->multisampled)
		return "an input attachment with several samples";
	if (!image_supported(&info))
		return "an image whose format and usage the device lacks";
	r->image = vk_image_new(&info);
	r->extent = info.extent;
	fill_image(&r->image, &info, texel, seed);
	r->view = vk_view_new(&r->image, view, info.format, vk_image_all(&r->image));
	if (b->descriptor == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE && info.samples == 1) {
		r->written = true;
		r->copy = vk_buffer_new((VkDeviceSize)texel.size * info.extent.width *
						info.extent.height * info.extent.depth *
						info.arrayLayers,
					VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	}
	return NULL;
}

static VkSampler make_sampler(const struct spirv_binding *b)
{
	const VkFilter filter = b->nearest || b->compare ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;

	return vk_sampler_new((VkSamplerCreateInfo){
		.magFilter = filter, .minFilter = filter, .maxLod = VK_LOD_CLAMP_NONE,
		.mipmapMode = b->nearest || b->compare ? VK_SAMPLER_MIPMAP_MODE_NEAREST :
							 VK_SAMPLER_MIPMAP_MODE_LINEAR,
		.compareEnable = b->compare, .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
	});
}

static const char *make_texels(struct job *j, const struct spirv_binding *b, struct resource *r,
			       uint32_t seed)
{
	const bool stored = b->descriptor == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
	const struct texel texel = texel_of(j->s, b);
	const VkFormatFeatureFlags needed = stored ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT :
						     VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
	VkFormatProperties properties;
	VkBufferViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .format = texel.format,
		.range = VK_WHOLE_SIZE,
	};

	vkGetPhysicalDeviceFormatProperties(vk.physical, texel.format, &properties);
	if (!(properties.bufferFeatures & needed))
		return "a texel buffer whose format the device lacks";
	r->buffer = vk_buffer_new(BUFFER_SIZE, stored ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT :
							VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
	r->written = stored;
	fill_texels(r->buffer.map, BUFFER_SIZE, texel.kind, seed);
	info.buffer = r->buffer.buffer;
	VK_CHECK(vkCreateBufferView(vk.device, &info, NULL, &r->texels));
	return NULL;
}

static const char *make_resource(struct job *j, const struct spirv_binding *b, struct resource *r,
				 uint32_t seed)
{
	switch (b->descriptor) {
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
		r->buffer = vk_buffer_new(BUFFER_SIZE, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
		fill_buffer(j->s, r->buffer.map, BUFFER_SIZE, b->type, seed,
			    corpus_device.address, true);
		return NULL;
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
		r->buffer = vk_buffer_new(BUFFER_SIZE, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
		r->written = true;
		fill_buffer(j->s, r->buffer.map, BUFFER_SIZE, b->type, seed,
			    corpus_device.address, false);
		return NULL;
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return make_texels(j, b, r, seed);
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
		r->sampler = make_sampler(b);
		return make_image(j, b, r, seed);
	case VK_DESCRIPTOR_TYPE_SAMPLER:
		r->sampler = make_sampler(b);
		return NULL;
	default:
		return make_image(j, b, r, seed);
	}
}

static const char *make_resources(struct job *j)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->n_bindings; i++) {
		const struct spirv_binding *b = &j->bindings[i];

		if (b->set >= MAX_SETS || b->set >= vk.properties.limits.maxBoundDescriptorSets)
			return "a descriptor set above the device's limit";
		if (b->set >= j->n_sets)
			j->n_sets = b->set + 1;
		j->n_resources += b->count;
	}
	j->resources = calloc(j->n_resources + 1, sizeof(*j->resources));
	for (uint32_t i = 0; i < j->n_bindings; i++) {
		const struct spirv_binding *b = &j->bindings[i];

		for (uint32_t k = 0; k < b->count; k++, n++) {
			const uint32_t seed = b->set * 5 + b->binding + k * 3;
			const char *error = make_resource(j, b, &j->resources[n], seed);

			if (error)
				return error;
			if (b->descriptor != VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
				continue;
			if (b->input + k >= MAX_INPUTS)
				return "an input attachment index above 15";
			j->inputs[b->input + k] = j->resources[n].view;
			j->input_formats[b->input + k] = texel_of(j->s, b).format;
			if (b->input + k >= j->n_inputs)
				j->n_inputs = b->input + k + 1;
		}
	}
	return NULL;
}

static void make_set_layouts(struct job *j)
{
	VkDescriptorSetLayoutBinding *bindings = calloc(j->n_bindings + 1, sizeof(*bindings));

	for (uint32_t set = 0; set < j->n_sets; set++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < j->n_bindings; i++)
			if (j->bindings[i].set == set)
				bindings[count++] = (VkDescriptorSetLayoutBinding){
					j->bindings[i].binding,
					j->bindings[i].descriptor,
					j->bindings[i].count,
					j->stage,
					NULL,
				};
		j->set_layouts[set] = vk_set_layout_new(bindings, count);
	}
	free(bindings);
}

static void write_set(struct job *j, const struct spirv_binding *b, const struct resource *r)
{
	VkWriteDescriptorSet write =
		vk_write_of(j->sets[b->set], b->binding, b->count, b->descriptor);
	VkDescriptorBufferInfo *buffers = calloc(b->count, sizeof(*buffers));
	VkDescriptorImageInfo *images = calloc(b->count, sizeof(*images));
	VkBufferView *views = calloc(b->count, sizeof(*views));

	for (uint32_t i = 0; i < b->count; i++) {
		buffers[i] = (VkDescriptorBufferInfo){ r[i].buffer.buffer, 0, VK_WHOLE_SIZE };
		images[i] =
			(VkDescriptorImageInfo){ r[i].sampler, r[i].view, VK_IMAGE_LAYOUT_GENERAL };
		views[i] = r[i].texels;
	}
	write.pBufferInfo = buffers;
	write.pImageInfo = images;
	write.pTexelBufferView = views;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	free(buffers);
	free(images);
	free(views);
}

static void make_sets(struct job *j)
{
	VkDescriptorPoolSize *sizes = calloc(j->n_bindings + 1, sizeof(*sizes));
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = j->n_sets,
		.poolSizeCount = j->n_bindings, .pPoolSizes = sizes,
	};
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = j->n_sets,
		.pSetLayouts = j->set_layouts,
	};
	const struct resource *r = j->resources;

	make_set_layouts(j);
	for (uint32_t i = 0; i < j->n_bindings; i++)
		sizes[i] =
			(VkDescriptorPoolSize){ j->bindings[i].descriptor, j->bindings[i].count };
	if (j->n_sets) {
		VK_CHECK(vkCreateDescriptorPool(vk.device, &pool, NULL, &j->pool));
		info.descriptorPool = j->pool;
		VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, j->sets));
	}
	for (uint32_t i = 0; i < j->n_bindings; r += j->bindings[i++].count)
		write_set(j, &j->bindings[i], r);
	free(sizes);
}

static void fill_push_constants(struct job *j)
{
	uint8_t *used = spirv_used(j->s, j->e);

	for (uint32_t id = 1; used && id < j->s->bound && !j->pushed; id++) {
		const uint32_t *op = spirv_def(j->s, id);

		if (!used[id] || spirv_opcode(op) != SpvOpVariable ||
		    spirv_arg(op, 3) != SpvStorageClassPushConstant)
			continue;
		j->pushed = vk.properties.limits.maxPushConstantsSize;
		if (j->pushed > MAX_PUSHED)
			j->pushed = MAX_PUSHED;
		fill_buffer(j->s, j->push, MAX_PUSHED, spirv_pointee(j->s, id), 1,
			    corpus_device.address, true);
	}
	free(used);
}

/* Attachments */

static VkFormat color_format(enum spirv_class class)
{
	static const VkFormat formats[] = {
		VK_FORMAT_R32G32B32A32_SFLOAT,
		VK_FORMAT_R32G32B32A32_SINT,
		VK_FORMAT_R32G32B32A32_UINT,
	};

	return formats[class];
}

/* Attachments without a format stay unused. */
static void make_colors(struct job *j)
{
	for (uint32_t i = 0; i < j->n_colors; i++) {
		if (!j->formats[i])
			continue;
		j->colors[i] = vk_picture_new(j->formats[i], SIDE,
					      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &j->views[i]);
		vk_image_clear(&j->colors[i]);
		j->copies[i] = vk_buffer_new(SIDE * SIDE * 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	}
}

static void add_attachment(VkAttachmentDescription *to, VkAttachmentReference *reference,
			   uint32_t *count, VkFormat format)
{
	*reference = (VkAttachmentReference){ VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_GENERAL };
	if (!format)
		return;
	reference->attachment = *count;
	to[(*count)++] = (VkAttachmentDescription){
		.format = format,
		.samples = 1,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		.initialLayout = VK_IMAGE_LAYOUT_GENERAL,
		.finalLayout = VK_IMAGE_LAYOUT_GENERAL,
	};
}

static void make_pass(struct job *j)
{
	VkAttachmentDescription attachments[MAX_COLORS + MAX_INPUTS];
	VkAttachmentReference colors[MAX_COLORS], inputs[MAX_INPUTS];
	VkImageView views[MAX_COLORS + MAX_INPUTS];
	uint32_t count = 0, n_views = 0;
	const VkSubpassDescription subpass = {
		.colorAttachmentCount = j->n_colors, .pColorAttachments = colors,
		.inputAttachmentCount = j->n_inputs, .pInputAttachments = inputs,
	};
	VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .pAttachments = attachments,
		.subpassCount = 1, .pSubpasses = &subpass,
	};

	for (uint32_t i = 0; i < j->n_colors; i++) {
		add_attachment(attachments, &colors[i], &count, j->formats[i]);
		if (j->formats[i])
			views[n_views++] = j->views[i];
	}
	for (uint32_t i = 0; i < j->n_inputs; i++) {
		add_attachment(attachments, &inputs[i], &count, j->input_formats[i]);
		if (j->input_formats[i])
			views[n_views++] = j->inputs[i];
	}
	info.attachmentCount = count;
	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &j->pass));
	j->framebuffer = vk_framebuffer_new(j->pass, views, n_views, SIDE);
}

/* The vertex buffer has ATTRIBUTE_SIZE bytes for each location. */
static void fill_vertices(struct job *j, const struct spirv_slot *slots, int n_slots)
{
	const uint32_t stride = MAX_ATTRIBUTES * ATTRIBUTE_SIZE;

	j->vertices = vk_buffer_new(VERTICES * stride, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	for (int i = 0; i < n_slots; i++) {
		const struct spirv_slot *slot = &slots[i];
		const uint32_t width = slot->width / 8;

		for (uint32_t v = 0; v < VERTICES; v++) {
			uint8_t *to = (uint8_t *)j->vertices.map + v * stride +
				      slot->location * ATTRIBUTE_SIZE;

			for (uint32_t c = 0; c < 4; c++) {
				const uint32_t n = v * 11 + c * 5 + slot->location * 3;
				const double real = ((int)(n % 17) - 8) / 8.0;
				const float single = real;
				uint64_t bits = n % 4;

				if (slot->class == SPIRV_FLOAT && width == 8)
					memcpy(&bits, &real, 8);
				else if (slot->class == SPIRV_FLOAT && width == 4)
					memcpy(&bits, &single, 4);
				else if (slot->class == SPIRV_FLOAT)
					bits = half_of(n);
				memcpy(to + c * width, &bits, width);
			}
		}
	}
}

static VkFormat attribute_format(const struct spirv_slot *slot)
{
	static const VkFormat formats[3][4] = {
		[SPIRV_FLOAT] = { 0, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,
				  VK_FORMAT_R64G64_SFLOAT },
		[SPIRV_INT] = { VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R16G16B16A16_SINT,
				VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_R64G64_SINT },
		[SPIRV_UINT] = { VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R16G16B16A16_UINT,
				 VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R64G64_UINT },
	};
	const int size = slot->width == 8 ? 0 : slot->width == 16 ? 1 : slot->width == 32 ? 2 : 3;

	if (slot->width == 64 && slot->count > 2)
		return VK_FORMAT_UNDEFINED;
	return formats[slot->class][size];
}

static const char *make_attributes(struct job *j, VkVertexInputAttributeDescription *attributes,
				   uint32_t *count)
{
	struct spirv_slot slots[MAX_SLOTS];
	const int n_slots = spirv_slots(j->s, j->e, SpvStorageClassInput, slots, MAX_SLOTS);
	uint32_t seen = 0;

	*count = 0;
	if (n_slots < 0)
		return "a vertex input of an unknown type";
	for (int i = 0; i < n_slots; i++) {
		const uint32_t location = slots[i].location;
		const VkFormat format = attribute_format(&slots[i]);
		VkFormatProperties properties;

		if (location >= MAX_ATTRIBUTES ||
		    location >= vk.properties.limits.maxVertexInputAttributes)
			return "a vertex input above the device's limit";
		vkGetPhysicalDeviceFormatProperties(vk.physical, format, &properties);
		if (!(properties.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT))
			return "a vertex input whose format the device lacks";
		if (!(seen >> location & 1))
			attributes[(*count)++] = (VkVertexInputAttributeDescription){
				location, 0, format, location * ATTRIBUTE_SIZE,
			};
		seen |= 1u << location;
	}
	fill_vertices(j, slots, n_slots);
	j->has_attributes = n_slots;
	return NULL;
}

/* Pipelines */

static VkResult make_module(const uint32_t *words, size_t size, VkShaderModule *module)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = size,
		.pCode = words,
	};

	return vkCreateShaderModule(vk.device, &info, NULL, module);
}

static VkResult make_compute(struct job *j)
{
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = j->layout,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			   .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = j->module,
			   .pName = j->e->name },
	};

	return vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, &j->pipeline);
}

static VkPrimitiveTopology geometry_topology(const struct job *j)
{
	static const struct {
		uint32_t mode;
		VkPrimitiveTopology topology;
	} topologies[] = {
		{ SpvExecutionModeInputPoints, VK_PRIMITIVE_TOPOLOGY_POINT_LIST },
		{ SpvExecutionModeInputLines, VK_PRIMITIVE_TOPOLOGY_LINE_LIST },
		{ SpvExecutionModeInputLinesAdjacency,
		  VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY },
		{ SpvExecutionModeInputTrianglesAdjacency,
		  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY },
	};

	for (size_t i = 0; i < sizeof(topologies) / sizeof(topologies[0]); i++)
		if (spirv_mode(j->s, j->e, topologies[i].mode))
			return topologies[i].topology;
	return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

static VkResult make_graphics(struct job *j, const VkVertexInputAttributeDescription *attributes,
			      uint32_t n_attributes)
{
	const VkVertexInputBindingDescription binding = {
		0, MAX_ATTRIBUTES * ATTRIBUTE_SIZE, VK_VERTEX_INPUT_RATE_VERTEX,
	};
	VkPipelineColorBlendAttachmentState blends[MAX_COLORS];
	struct vk_pipeline p;

	vk_pipeline_init(&p, j->layout, SIDE);
	if (j->vertex)
		vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, j->vertex);
	vk_pipeline_stage(&p, j->stage, j->module);
	p.stages[p.info.stageCount - 1].pName = j->e->name;
	if (j->fragment)
		vk_pipeline_stage(&p, VK_SHADER_STAGE_FRAGMENT_BIT, j->fragment);
	vk_pipeline_inputs(&p, &binding, n_attributes != 0, attributes, n_attributes);
	/* Depth clamping instead of clipping draws more of a stage's primitives. */
	p.raster.depthClampEnable = j->fragment && corpus_device.depth_clamp;
	/*
	 * As points all vertices that are not clipped are visible; VK_KHR_maintenance5 makes their
	 * size 1.
	 */
	if (j->has_attributes)
		p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	if (j->stage == VK_SHADER_STAGE_GEOMETRY_BIT)
		p.assembly.topology = geometry_topology(j);
	for (int i = 0; i < MAX_COLORS; i++)
		blends[i] = (VkPipelineColorBlendAttachmentState){ .colorWriteMask = 0xf };
	p.blend.attachmentCount = j->n_colors;
	p.blend.pAttachments = blends;
	p.info.renderPass = j->pass;
	return vk_pipeline_try(&p, &j->pipeline);
}

static const char *fragment_targets(struct job *j)
{
	struct spirv_slot slots[MAX_SLOTS];
	const int n_slots = spirv_slots(j->s, j->e, SpvStorageClassOutput, slots, MAX_SLOTS);

	if (n_slots < 0)
		return "a fragment output of an unknown type";
	for (int i = 0; i < n_slots; i++) {
		const uint32_t location = slots[i].location;

		if (location >= MAX_COLORS || location >= vk.properties.limits.maxColorAttachments)
			return "a fragment output above the device's limit";
		/* Outputs with index 1 are for blending only. */
		if (slots[i].index)
			continue;
		j->formats[location] = color_format(slots[i].class);
		if (location >= j->n_colors)
			j->n_colors = location + 1;
	}
	return NULL;
}

static const char *make_partner(struct job *j, VkShaderModule *module,
				uint32_t *make(const struct spirv *s, const struct spirv_entry *e,
					       size_t *size))
{
	size_t size;
	uint32_t *words = make(j->s, j->e, &size);

	if (!words)
		return "an interface of unknown types";
	VK_CHECK(make_module(words, size, module));
	free(words);
	return NULL;
}

/* Makes the generated stages. Returns NULL, or why they cannot be generated. */
static const char *make_partners(struct job *j)
{
	const char *error = NULL;

	if (j->stage == VK_SHADER_STAGE_FRAGMENT_BIT &&
	    (spirv_has_builtin(j->s, j->e, SpvStorageClassInput, SpvBuiltInClipDistance) ||
	     spirv_has_builtin(j->s, j->e, SpvStorageClassInput, SpvBuiltInCullDistance)))
		return "a fragment shader that reads clip or cull distances";
	if (j->stage & (VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_GEOMETRY_BIT))
		error = make_partner(j, &j->vertex, spirv_partner_vertex);
	if (!error && j->stage != VK_SHADER_STAGE_FRAGMENT_BIT)
		error = make_partner(j, &j->fragment, spirv_partner_fragment);
	return error;
}

/* Draws */

/*
 * Reports a device that is lost or hangs, and ends the process; the parent goes on with a new one.
 */
__attribute__((noreturn)) static void end_lost(const char *status, const char *why)
{
	report(status, "%s", why);
	_exit(EXIT_LOST);
}

static void submit(VkCommandBuffer cmd)
{
	const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};
	VkResult result;
	VkFence fence;

	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(vkCreateFence(vk.device, &fence_info, NULL, &fence));
	result = vkQueueSubmit(vk.queue, 1, &info, fence);
	if (!result)
		result = vkWaitForFences(vk.device, 1, &fence, true, FENCE_NS);
	if (result == VK_TIMEOUT)
		end_lost("timeout", "the fence is not signalled after 60 s");
	if (result) {
		char why[VK_MAX_DESCRIPTION_SIZE + 16];

		corpus_describe_loss(why, sizeof(why));
		end_lost("lost", why);
	}
	vkDestroyFence(vk.device, fence, NULL);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
}

static void record_draw(struct job *j, VkCommandBuffer cmd)
{
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = j->pass,
		.framebuffer = j->framebuffer, .renderArea = { { 0, 0 }, { SIDE, SIDE } },
	};
	const VkDeviceSize offset = 0;

	vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
	if (j->stage == VK_SHADER_STAGE_VERTEX_BIT) {
		if (j->vertices.buffer)
			vkCmdBindVertexBuffers(cmd, 0, 1, &j->vertices.buffer, &offset);
		/* Most shaders without inputs have the vertices of one triangle in an array. */
		if (j->has_attributes)
			vkCmdDraw(cmd, VERTICES, INSTANCES, 0, 0);
		else
			vkCmdDraw(cmd, 3, 1, 0, 0);
	} else if (j->stage == VK_SHADER_STAGE_MESH_BIT_EXT) {
		VK_FUNCTION(vkCmdDrawMeshTasksEXT)(cmd, 2, 2, 1);
	} else if (j->stage == VK_SHADER_STAGE_GEOMETRY_BIT) {
		vkCmdDraw(cmd, GEOMETRY_VERTICES, 1, 0, 0);
	} else {
		vkCmdDraw(cmd, 3, 1, 0, 0);
	}
	vkCmdEndRenderPass(cmd);
}

static void read_images(struct job *j, VkCommandBuffer cmd)
{
	for (uint32_t i = 0; i < j->n_colors; i++)
		if (j->formats[i])
			vk_image_read(cmd, &j->colors[i], SIDE, &j->copies[i]);
	for (uint32_t i = 0; i < j->n_resources; i++) {
		const struct resource *r = &j->resources[i];
		const VkBufferImageCopy all = {
			.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, r->image.layers },
			.imageExtent = r->extent,
		};

		if (r->copy.buffer)
			vkCmdCopyImageToBuffer(cmd, r->image.image, VK_IMAGE_LAYOUT_GENERAL,
					       r->copy.buffer, 1, &all);
	}
}

/* Copies the images as they are before the draw. */
static void read_outputs(struct job *j)
{
	const VkCommandBuffer cmd = vk_begin();

	vk_barrier(cmd);
	read_images(j, cmd);
	vk_barrier(cmd);
	submit(cmd);
}

static void draw(struct job *j)
{
	const bool compute = j->stage == VK_SHADER_STAGE_COMPUTE_BIT;
	const VkPipelineBindPoint point = compute ? VK_PIPELINE_BIND_POINT_COMPUTE :
						    VK_PIPELINE_BIND_POINT_GRAPHICS;
	const VkCommandBuffer cmd = vk_begin();

	vkCmdBindPipeline(cmd, point, j->pipeline);
	if (j->n_sets)
		vkCmdBindDescriptorSets(cmd, point, j->layout, 0, j->n_sets, j->sets, 0, NULL);
	if (j->pushed)
		vkCmdPushConstants(cmd, j->layout, j->stage, 0, j->pushed, j->push);
	if (compute)
		vkCmdDispatch(cmd, 2, 2, 1);
	else
		record_draw(j, cmd);
	vk_barrier(cmd);
	read_images(j, cmd);
	vk_barrier(cmd);
	submit(cmd);
}

/* Outputs */

/* Returns @word with each NaN replaced by one NaN: Vulkan does not specify a NaN's bits. */
static uint64_t without_nan(uint64_t word)
{
	for (int shift = 0; shift < 64; shift += 32)
		if ((word >> shift & 0x7fffffff) > 0x7f800000)
			word = (word & ~(0xffffffffull << shift)) | 0x7fc00000ull << shift;
	return word;
}

static void add_output(struct job *j, const struct vk_buffer *b, VkDeviceSize size, bool floats)
{
	uint64_t hash = j->checksum;

	for (VkDeviceSize at = 0; at < size; at += 8) {
		const VkDeviceSize left = size - at < 8 ? size - at : 8;
		uint64_t word = 0;

		memcpy(&word, (const uint8_t *)b->map + at, left);
		word = floats ? without_nan(word) : corpus_without_address(word);
		if (j->dump && fwrite(&word, left, 1, j->dump) != 1)
			err(1, "write of outputs");
		for (int i = 0; i < 8; i++)
			hash = (hash ^ (word >> 8 * i & 0xff)) * 0x100000001b3;
	}
	j->checksum = hash;
}

static void open_dump(struct job *j)
{
	char path[4096];
	size_t start;

	if (!run.dump)
		return;
	start = snprintf(path, sizeof(path), "%s/", run.dump);
	snprintf(path + start, sizeof(path) - start, "%s.%zu.bin", j->name, j->number);
	for (char *c = path + start; *c; c++)
		if (*c == '/')
			*c = '_';
	j->dump = fopen(path, "wb");
	if (!j->dump)
		err(1, "%s", path);
}

static void add_outputs(struct job *j)
{
	j->checksum = 0xcbf29ce484222325;	/* FNV-1a */
	for (uint32_t i = 0; i < j->n_colors; i++)
		if (j->formats[i])
			add_output(j, &j->copies[i], j->copies[i].size,
				   j->formats[i] == VK_FORMAT_R32G32B32A32_SFLOAT);
	for (uint32_t i = 0; i < j->n_resources; i++) {
		const struct resource *r = &j->resources[i];

		if (r->written)
			add_output(j, r->copy.buffer ? &r->copy : &r->buffer,
				   r->copy.buffer ? r->copy.size : r->buffer.size, false);
	}
	if (j->points)
		add_output(j, &corpus_device.pointee, corpus_device.pointee.size, false);
}

static void free_resource(const struct resource *r)
{
	vkDestroySampler(vk.device, r->sampler, NULL);
	vkDestroyImageView(vk.device, r->view, NULL);
	vkDestroyBufferView(vk.device, r->texels, NULL);
	vk_image_del(&r->image);
	vk_buffer_del(&r->buffer);
	vk_buffer_del(&r->copy);
}

static void end_job(struct job *j)
{
	vkDestroyPipeline(vk.device, j->pipeline, NULL);
	vkDestroyFramebuffer(vk.device, j->framebuffer, NULL);
	vkDestroyRenderPass(vk.device, j->pass, NULL);
	vkDestroyPipelineLayout(vk.device, j->layout, NULL);
	vkDestroyShaderModule(vk.device, j->module, NULL);
	vkDestroyShaderModule(vk.device, j->vertex, NULL);
	vkDestroyShaderModule(vk.device, j->fragment, NULL);
	vkDestroyDescriptorPool(vk.device, j->pool, NULL);
	for (uint32_t i = 0; i < MAX_SETS; i++)
		vkDestroyDescriptorSetLayout(vk.device, j->set_layouts[i], NULL);
	for (uint32_t i = 0; i < MAX_COLORS; i++) {
		vkDestroyImageView(vk.device, j->views[i], NULL);
		vk_image_del(&j->colors[i]);
		vk_buffer_del(&j->copies[i]);
	}
	for (uint32_t i = 0; j->resources && i < j->n_resources; i++)
		free_resource(&j->resources[i]);
	vk_buffer_del(&j->vertices);
	free(j->resources);
	free(j->bindings);
}

static bool has_payload(const struct spirv *s)
{
	for (uint32_t id = 1; id < s->bound; id++) {
		const uint32_t *op = spirv_def(s, id);

		if (spirv_opcode(op) == SpvOpVariable &&
		    spirv_arg(op, 3) == SpvStorageClassTaskPayloadWorkgroupEXT)
			return true;
	}
	return false;
}

/* Makes all objects but the pipeline. Returns NULL, or why the entry point cannot be drawn. */
static const char *prepare(struct job *j, VkVertexInputAttributeDescription *attributes,
			   uint32_t *n_attributes)
{
	const char *error = spirv_bindings(j->s, j->e, &j->bindings, &j->n_bindings);

	if (!error && has_payload(j->s))
		error = "a mesh shader that reads a task shader's payload";
	if (!error)
		error = make_resources(j);
	if (!error && j->stage == VK_SHADER_STAGE_FRAGMENT_BIT)
		error = fragment_targets(j);
	if (!error && j->stage == VK_SHADER_STAGE_VERTEX_BIT)
		error = make_attributes(j, attributes, n_attributes);
	if (!error && j->stage != VK_SHADER_STAGE_COMPUTE_BIT)
		error = make_partners(j);
	if (error)
		return error;
	if (j->fragment) {
		j->n_colors = 1;
		j->formats[0] = color_format(SPIRV_UINT);
	}
	j->points = corpus_device.addresses && corpus_fill_pointee(j->s);
	make_sets(j);
	fill_push_constants(j);
	j->layout = vk_layout_new(j->set_layouts, j->n_sets, j->stage, j->pushed);
	if (j->stage != VK_SHADER_STAGE_COMPUTE_BIT) {
		make_colors(j);
		make_pass(j);
	}
	return NULL;
}

static void run_job(struct job *j)
{
	VkVertexInputAttributeDescription attributes[MAX_ATTRIBUTES];
	uint32_t n_attributes = 0;
	const char *error = prepare(j, attributes, &n_attributes);
	VkResult result;
	uint64_t before;

	if (error) {
		report("not-drawn", "%s", error);
		return;
	}
	corpus_device.message[0] = 0;
	result = make_module(j->s->words, j->s->n_words * 4, &j->module);
	if (!result && j->stage == VK_SHADER_STAGE_COMPUTE_BIT)
		result = make_compute(j);
	else if (!result)
		result = make_graphics(j, attributes, n_attributes);
	if (result == VK_ERROR_DEVICE_LOST) {
		end_lost("lost", "while the pipeline was made");
	} else if (result) {
		report("refused", "VkResult %d %s", result, corpus_device.message);
		return;
	}
	read_outputs(j);
	add_outputs(j);
	before = j->checksum;
	draw(j);
	open_dump(j);
	add_outputs(j);
	if (j->dump && fclose(j->dump))
		err(1, "write of outputs");
	put_line("%s\tdrawn\t%016llx\t%s", run.progress->label, (unsigned long long)j->checksum,
		 j->checksum == before ? BLANK : "");
}

/* Returns the stage of an execution model, or 0 if the test does not draw that stage. */
static VkShaderStageFlagBits stage_of(uint32_t model)
{
	switch (model) {
	case SpvExecutionModelVertex:
		return VK_SHADER_STAGE_VERTEX_BIT;
	case SpvExecutionModelFragment:
		return VK_SHADER_STAGE_FRAGMENT_BIT;
	case SpvExecutionModelGeometry:
		return corpus_device.geometry ? VK_SHADER_STAGE_GEOMETRY_BIT : 0;
	case SpvExecutionModelMeshEXT:
		return corpus_device.meshes ? VK_SHADER_STAGE_MESH_BIT_EXT : 0;
	case SpvExecutionModelGLCompute:
		return VK_SHADER_STAGE_COMPUTE_BIT;
	}
	return 0;
}

/* Modules, and the processes that draw them */

static void set_label(const struct module *m, const char *entry, const char *stage)
{
	char name[256];

	snprintf(name, sizeof(name), "%s", entry);
	for (char *c = name; *c; c++)
		if ((unsigned char)*c <= ' ')
			*c = '?';
	snprintf(run.progress->label, sizeof(run.progress->label), "%s\t%s\t%s", m->name, name,
		 stage);
}

static uint32_t *read_words(const char *path, size_t *n_words)
{
	FILE *file = fopen(path, "rb");
	uint32_t *words;
	struct stat st;

	if (!file || fstat(fileno(file), &st))
		err(1, "%s", path);
	*n_words = st.st_size / 4;
	words = malloc(*n_words * 4 + 4);
	if (!words || fread(words, 4, *n_words, file) != *n_words)
		err(1, "%s", path);
	fclose(file);
	return words;
}

static void run_module(const struct module *m, uint32_t first)
{
	size_t n_words;
	uint32_t *words = read_words(m->path, &n_words);
	struct spirv s;
	const char *error = spirv_init(&s, words, n_words);

	set_label(m, "-", "-");
	if (!first && error)
		report("not-drawn", "%s", error);
	else if (!first && !s.n_entries)
		report("not-drawn", "no entry point");
	for (uint32_t i = first; !error && i < s.n_entries; i++) {
		const struct spirv_entry *e = &s.entries[i];
		struct job j = {
			.name = m->name, .s = &s, .e = e, .number = i, .stage = stage_of(e->model),
		};

		run.progress->entry = i;
		set_label(m, e->name, stage_name(e->model));
		run.progress->drawing = true;
		alarm(MODULE_S);
		if (j.stage) {
			run_job(&j);
			end_job(&j);
		} else {
			report("not-drawn", "stage %s", stage_name(e->model));
		}
		alarm(0);
		run.progress->drawing = false;
	}
	spirv_del(&s);
	free(words);
}

/*
 * Runs in a child: draws from the module and entry point that the parent chose to the end of the
 * chunk.
 */
__attribute__((noreturn)) static void run_chunk(uint32_t end)
{
	uint32_t first = run.progress->entry;

	corpus_open_instance();
	corpus_open_device();
	for (; run.progress->module < end; run.progress->module++, first = 0) {
		const struct module *m = &run.modules[run.progress->module];

		run.progress->entry = first;
		if (!first)
			put_line("begin\t%s", m->name);
		run_module(m, first);
	}
	_exit(0);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			err(1, "waitpid");
	return status;
}

static void report_end(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		report("hang", "no result after %d s", MODULE_S);
	else if (WIFSIGNALED(status))
		report("crash", "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != EXIT_LOST)
		report("crash", "exit status %d", WEXITSTATUS(status));
}

static void run_all(void)
{
	struct progress *progress = run.progress;

	while (progress->module < run.n_modules) {
		const uint32_t chunk = progress->module / run.chunk + 1;
		const uint32_t end =
			chunk * run.chunk < run.n_modules ? chunk * run.chunk : run.n_modules;
		const uint32_t began = progress->module, entry = progress->entry;
		int status;
		pid_t pid;

		progress->drawing = false;
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid)
			run_chunk(end);
		status = wait_for(pid);
		if (WIFEXITED(status) && !WEXITSTATUS(status)) {
			progress->entry = 0;
			continue;
		}
		/*
		 * A module may have corrupted the process, which shows when its device is
		 * destroyed: go on in a new process.
		 */
		if (!progress->drawing && (progress->module != began || progress->entry != entry))
			continue;
		if (!progress->drawing)
			errx(1,
			     "the device cannot be opened, or a module cannot be read: wait status "
			     "%d",
			     status);
		report_end(status);
		progress->entry++;
	}
}

/* Opens the device in a process of its own, since drivers' threads do not survive fork(). */
static void print_device(void)
{
	const pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		corpus_open_instance();
		corpus_open_device();
		printf("%s\n", vk.properties.deviceName);
		fflush(stdout);
		put_line("device\t%s", vk.properties.deviceName);
		_exit(0);
	}
	if (wait_for(pid))
		errx(1, "the device cannot be opened");
}

static bool is_module(const char *name)
{
	const size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, ".spv");
}

static void add_module(const char *path, const char *name)
{
	if (run.n_modules == run.room) {
		run.room = run.room ? 2 * run.room : 1024;
		run.modules = realloc(run.modules, run.room * sizeof(*run.modules));
		if (!run.modules)
			err(1, "realloc");
	}
	run.modules[run.n_modules++] = (struct module){ strdup(path), strdup(name) };
}

/* @skip: characters at the start of a path that are not part of a module's name. */
static void add_directory(const char *dir, size_t skip)
{
	struct dirent **entries;
	const int count = scandir(dir, &entries, NULL, alphasort);

	if (count < 0)
		err(1, "%s", dir);
	for (int i = 0; i < count; i++) {
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (entries[i]->d_name[0] == '.' || stat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			add_directory(path, skip);
		else if (is_module(path))
			add_module(path, path + skip);
	}
}

/* Each line of @list is PATH, or PATH, a tab and the module's name, which is the path otherwise. */
static void add_list(const char *list)
{
	FILE *file = fopen(list, "r");
	char line[4096];

	if (!file)
		err(1, "%s", list);
	while (fgets(line, sizeof(line), file)) {
		char *name;

		line[strcspn(line, "\n")] = 0;
		name = strchr(line, '\t');
		if (name)
			*name++ = 0;
		if (line[0])
			add_module(line, name ? name : line);
	}
	fclose(file);
}

static void add_argument(const char *path)
{
	const size_t length = strlen(path);
	struct stat st;

	if (stat(path, &st))
		err(1, "%s", path);
	if (S_ISDIR(st.st_mode))
		add_directory(path, path[length - 1] == '/' ? length : length + 1);
	else if (is_module(path))
		add_module(path, path);
	else
		add_list(path);
}

int main(int argc, char **argv)
{
	const char *out = NULL;
	int i;

	run.chunk = CHUNK;
	for (i = 1; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
		if (!strcmp(argv[i], "--out"))
			out = argv[i + 1];
		else if (!strcmp(argv[i], "--dump"))
			run.dump = argv[i + 1];
		else if (!strcmp(argv[i], "--chunk") && atoi(argv[i + 1]) > 0)
			run.chunk = atoi(argv[i + 1]);
		else
			break;
	}
	if (!out || i >= argc || !strncmp(argv[i], "--", 2))
		errx(1, "usage: vk-corpus --out FILE [--dump DIR] [--chunk N] DIR-or-LIST...");
	for (; i < argc; i++)
		add_argument(argv[i]);
	if (!run.n_modules)
		errx(1, "no module: files are named *.spv");
	if (run.dump && mkdir(run.dump, 0777) && errno != EEXIST)
		err(1, "%s", run.dump);
	run.out = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
	if (run.out < 0)
		err(1, "%s", out);
	run.progress = mmap(NULL, sizeof(*run.progress), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run.progress == MAP_FAILED)
		err(1, "mmap");
	print_device();
	run_all();
	return 0;
}
