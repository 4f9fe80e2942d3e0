// SPDX-License-Identifier: MIT
/*
 * Vulkan: bindings whose elements have different descriptor types (VK_EXT_mutable_descriptor_type),
 * as used by programs that have one set for all descriptors of their shaders. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-mutable-shaders.h"

#define N 32		/* invocations */
/* bytes between elements of a buffer; a multiple of all alignments of offsets */
#define STEP 256
#define THINGS 3	/* objects of each type */
#define FIRST VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
#define LAST VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define TYPES 6		/* FIRST to LAST */
#define HEAP 18		/* elements that the test checks */
#define MANY 2000	/* elements of a large heap */
#define BINDING 4
#define SIDE 4

/* Object n of a type has the value type * 10 + n + 1. */
static struct {
	VkSampler sampler;
	struct vk_buffer order, result, words, out;
	VkBufferView texels[2][THINGS];
	struct vk_image images[2][THINGS];
	VkImageView views[2][THINGS];
} things;

static struct {
	VkDescriptorSetLayout layouts[2];
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorPool pool, host_pool;
	VkDescriptorSet sets[2], host_set;
} test;

static const VkDescriptorType heap_types[] = {
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,	 VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,	 VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
};
static const VkDescriptorType sampler_types[] = {
	VK_DESCRIPTOR_TYPE_SAMPLER,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
};

/* Objects */

static uint32_t value_of(uint32_t type, uint32_t n)
{
	return type * 10 + n + 1;
}

/* Returns the offset of object n of a type in the buffer of words. */
static VkDeviceSize place_of(uint32_t type, uint32_t n)
{
	return (VkDeviceSize)((type - FIRST) * THINGS + n) * STEP;
}

static void make_image(uint32_t type, uint32_t n)
{
	const bool stored = type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 (stored ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT),
	};
	struct vk_image *image = &things.images[stored][n];

	*image = vk_image_new(&info);
	things.views[stored][n] =
		vk_view_new(image, VK_IMAGE_VIEW_TYPE_2D, info.format, vk_image_all(image));
}

static void make_texels(uint32_t type, uint32_t n)
{
	const VkBufferViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = things.words.buffer,
		.format = VK_FORMAT_R32_UINT, .offset = place_of(type, n), .range = 64,
	};

	VK_CHECK(vkCreateBufferView(
		vk.device, &info, NULL,
		&things.texels[type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER][n]));
}

static void fill_things(void)
{
	for (uint32_t type = FIRST; type <= LAST; type++)
		for (uint32_t n = 0; n < THINGS; n++) {
			const VkClearColorValue color = { .uint32 = { value_of(type, n) } };

			if (type <= VK_DESCRIPTOR_TYPE_STORAGE_IMAGE)
				vk_image_fill(&things.images[type - FIRST][n], &color);
			for (uint32_t i = 0; i < STEP / 4; i++)
				((uint32_t *)things.words.map)[place_of(type, n) / 4 + i] =
					value_of(type, n);
		}
}

static void make_things(void)
{
	const VkBufferUsageFlags usage =
		VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
		VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;

	/* Texels outside of an image are zero. */
	things.sampler = vk_sampler_new(
		(VkSamplerCreateInfo){ .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
				       .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
				       .borderColor = VK_BORDER_COLOR_INT_TRANSPARENT_BLACK });
	things.order = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	things.result = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	things.words = vk_buffer_new(TYPES * THINGS * STEP, usage);
	things.out = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	for (uint32_t n = 0; n < THINGS; n++) {
		make_image(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, n);
		make_image(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, n);
		make_texels(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, n);
		make_texels(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, n);
	}
	fill_things();
}

static void drop_things(void)
{
	for (uint32_t n = 0; n < THINGS; n++)
		for (uint32_t i = 0; i < 2; i++) {
			vkDestroyBufferView(vk.device, things.texels[i][n], NULL);
			vkDestroyImageView(vk.device, things.views[i][n], NULL);
			vk_image_del(&things.images[i][n]);
		}
	vk_buffer_del(&things.order);
	vk_buffer_del(&things.result);
	vk_buffer_del(&things.words);
	vk_buffer_del(&things.out);
	vkDestroySampler(vk.device, things.sampler, NULL);
}

/* Layouts */

/*
 * The create info of a layout that has a binding with @count elements of @types; it contains
 * pointers to itself.
 */
struct heap {
	VkDescriptorSetLayoutBinding binding;
	VkDescriptorBindingFlags flags;
	VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags;
	VkMutableDescriptorTypeListEXT list;
	VkMutableDescriptorTypeCreateInfoEXT types;
	VkDescriptorSetLayoutCreateInfo info;
};

static void heap_init(struct heap *h, uint32_t binding, uint32_t count,
		      const VkDescriptorType *types, uint32_t n)
{
	*h = (struct heap){
		.binding = { binding, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, count, VK_SHADER_STAGE_ALL,
			     NULL },
		.flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
			 VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT,
		.binding_flags = {
			VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, NULL, 1,
			&h->flags
		},
		.list = { n, types },
		.types = {
			VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
			&h->binding_flags, 1, &h->list
		},
		.info = {
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
			.pNext = &h->types,
			.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
			.bindingCount = 1, .pBindings = &h->binding,
		},
	};
}

/*
 * Makes a pool for sets of the layouts. Sets of a host-only pool, which are only copied from, need
 * no device memory.
 */
static VkDescriptorPool pool_new(VkDescriptorPoolCreateFlags flags, uint32_t count,
				 const VkDescriptorType *types, uint32_t n)
{
	const VkMutableDescriptorTypeListEXT lists[] = { { n, types }, { 0, NULL } };
	const VkMutableDescriptorTypeCreateInfoEXT info = {
		VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, NULL, 2, lists };
	const VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_MUTABLE_EXT, count },
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16 },
	};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.pNext = &info,
		.flags = flags,
		.maxSets = 2,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	VkDescriptorPool out;

	VK_CHECK(vkCreateDescriptorPool(vk.device, &pool, NULL, &out));
	return out;
}

static void allocate(VkDescriptorPool pool, const VkDescriptorSetLayout *layouts, uint32_t n,
		     VkDescriptorSet *out)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = pool,
		.descriptorSetCount = n,
		.pSetLayouts = layouts,
	};

	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, out));
}

static void make_heap(uint32_t count, const VkDescriptorType *types, uint32_t n,
		      const uint32_t *code, size_t size)
{
	const VkDescriptorSetLayoutBinding buffers[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	struct heap heap;

	heap_init(&heap, BINDING, count, types, n);
	test.layouts[0] = vk_set_layout_new(buffers, 2);
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &heap.info, NULL, &test.layouts[1]));
	test.layout = vk_layout_new(test.layouts, 2, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	test.pipeline = vk_compute_new(test.layout, code, size);
	test.pool = pool_new(VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT, count, types, n);
	allocate(test.pool, test.layouts, 2, test.sets);
	vk_write_buffer(test.sets[0], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.order);
	vk_write_buffer(test.sets[0], 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.result);
}

static void drop_heap(void)
{
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	for (uint32_t i = 0; i < 2; i++)
		vkDestroyDescriptorSetLayout(vk.device, test.layouts[i], NULL);
}

/* Elements */

/* Returns the type of element @i; element 0 has the type @turn after FIRST. */
static uint32_t type_of(uint32_t i, uint32_t turn)
{
	return FIRST + (i + turn) % TYPES;
}

static void write_thing(VkDescriptorSet set, uint32_t binding, uint32_t element,
			VkDescriptorType type, uint32_t n)
{
	const VkDescriptorImageInfo image = {
		things.sampler, things.views[type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE][n],
		VK_IMAGE_LAYOUT_GENERAL
	};
	const VkDescriptorBufferInfo buffer = { things.words.buffer, place_of(type, n), 64 };
	VkWriteDescriptorSet write = vk_write_of(set, binding, 1, type);

	write.dstArrayElement = element;
	write.pImageInfo = &image;
	write.pBufferInfo = &buffer;
	write.pTexelBufferView = &things.texels[type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER][n];
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

static void write_heap(VkDescriptorSet set, uint32_t first, uint32_t turn)
{
	for (uint32_t i = 0; i < HEAP; i++)
		write_thing(set, BINDING, first + i, type_of(i, turn), i / TYPES);
}

static void copy_elements(VkDescriptorSet from, uint32_t from_first, VkDescriptorSet to,
			  uint32_t to_first, uint32_t n)
{
	const VkCopyDescriptorSet copy = { VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
					   NULL,
					   from,
					   BINDING,
					   from_first,
					   to,
					   BINDING,
					   to_first,
					   n };

	vkUpdateDescriptorSets(vk.device, 0, NULL, 1, &copy);
}

/* Dispatches */

static void set_order(uint32_t first, uint32_t turn)
{
	uint32_t (*order)[2] = things.order.map;

	memset(things.result.map, 0xee, things.result.size);
	for (uint32_t i = 0; i < N; i++) {
		order[i][0] = type_of(i % HEAP, turn);
		order[i][1] = first + i % HEAP;
	}
}

static void record(VkCommandBuffer cmd, uint32_t first, uint32_t x)
{
	const uint32_t push[] = { first, x };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 2, test.sets,
				0, NULL);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
}

/*
 * Returns true if shaders store to descriptors of a type. They store after they read, and the next
 * dispatch reads that value.
 */
static bool stores(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static bool found(uint32_t at, uint32_t first, uint32_t turn, bool stored)
{
	const uint32_t *words = (const uint32_t *)things.result.map + at;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++) {
		const uint32_t element = i % HEAP, type = type_of(element, turn);
		const uint32_t expected = stored && stores(type) ? first + element + 100
								 : value_of(type, element / TYPES);

		if (words[i] == expected)
			continue;
		printf("# element %u as type %u: %u, not %u\n", first + element, type, words[i],
		       expected);
		ok = false;
	}
	return ok;
}

static void try_types(uint32_t first, const char *what)
{
	VkCommandBuffer cmd = vk_begin();

	fill_things();
	write_heap(test.sets[1], first, 0);
	set_order(first, 0);
	record(cmd, 0, 0);
	record(cmd, N, 1);
	vk_run(cmd);
	tap(found(0, first, 0, false), "%s has elements of six types at one binding", what);
	tap(found(N, first, 0, true), "%s: and what was stored to some is there", what);
}

/* The set is updated after it was bound in a command buffer that is not submitted yet. */
static void try_after_bind(uint32_t first, const char *what)
{
	bool ok = true;

	fill_things();
	for (uint32_t turn = 1; turn < TYPES; turn++) {
		VkCommandBuffer cmd = vk_begin();

		record(cmd, 0, turn % 3);
		write_heap(test.sets[1], first, turn);
		set_order(first, turn);
		vk_run(cmd);
		ok &= found(0, first, turn, false);
		fill_things();
	}
	tap(ok, "%s: elements become other types after they were bound", what);
}

/* Descriptors are copied from host-only sets, which no command may use. */
static void try_copies(uint32_t count, uint32_t first, const char *what)
{
	VkCommandBuffer cmd = vk_begin();
	VkDescriptorSetLayout layout;
	struct heap heap;

	heap_init(&heap, BINDING, HEAP, heap_types, TYPES);
	heap.info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_HOST_ONLY_POOL_BIT_EXT;
	heap.flags = 0;
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &heap.info, NULL, &layout));
	test.host_pool =
		pool_new(VK_DESCRIPTOR_POOL_CREATE_HOST_ONLY_BIT_EXT, HEAP, heap_types, TYPES);
	allocate(test.host_pool, &layout, 1, &test.host_set);
	fill_things();
	write_heap(test.sets[1], first, 2);
	write_heap(test.host_set, 0, 3);
	copy_elements(test.host_set, 0, test.sets[1], first, HEAP / 2);
	copy_elements(test.host_set, HEAP / 2, test.sets[1], first + HEAP / 2, HEAP - HEAP / 2);
	set_order(first, 3);
	record(cmd, 0, 0);
	vk_run(cmd);
	tap(found(0, first, 3, false), "%s of %u takes copies of elements of all types", what,
	    count);
	vkDestroyDescriptorPool(vk.device, test.host_pool, NULL);
	vkDestroyDescriptorSetLayout(vk.device, layout, NULL);
}

/* Elements of a set are copied to other elements of the same set. */
static void try_copies_within(const char *what)
{
	VkCommandBuffer cmd = vk_begin();

	fill_things();
	write_heap(test.sets[1], 0, 0);
	copy_elements(test.sets[1], 0, test.sets[1], HEAP, HEAP);
	set_order(HEAP, 0);
	record(cmd, 0, 0);
	vk_run(cmd);
	tap(found(0, HEAP, 0, false), "%s takes copies of its own elements", what);
}

/* Copies from bindings of one type, and update templates. */
static void try_other_ways(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		BINDING, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
	const struct vk_set typed = vk_set_new(&binding, 1);
	const VkDescriptorUpdateTemplateEntry entry = {
		BINDING, 0, 6, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 0, sizeof(VkBufferView) };
	const VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 1,
		.pDescriptorUpdateEntries = &entry,
		.descriptorSetLayout = test.layouts[1],
	};
	VkBufferView views[6];
	VkDescriptorUpdateTemplate template;
	VkCommandBuffer cmd = vk_begin();
	const uint32_t *words = things.result.map;
	bool ok = true;

	fill_things();
	write_heap(test.sets[1], 0, 0);
	for (uint32_t i = 0; i < 6; i++)
		views[i] = things.texels[0][i % THINGS];
	VK_CHECK(vkCreateDescriptorUpdateTemplate(vk.device, &info, NULL, &template));
	vkUpdateDescriptorSetWithTemplate(vk.device, test.sets[1], template, views);
	vkDestroyDescriptorUpdateTemplate(vk.device, template, NULL);
	for (uint32_t i = 0; i < 3; i++)
		write_thing(typed.set, BINDING, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, i);
	copy_elements(typed.set, 0, test.sets[1], 6, 3);
	write_thing(test.sets[1], BINDING, 9, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1);
	copy_elements(test.sets[1], 9, typed.set, 0, 1);
	copy_elements(typed.set, 0, test.sets[1], 10, 1);
	set_order(0, 0);
	for (uint32_t i = 0; i < N; i++)
		if (i % HEAP < 11)
			((uint32_t(*)[2])things.order.map)[i][0] =
				i % HEAP < 6 ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
					     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	record(cmd, 0, 0);
	vk_run(cmd);
	for (uint32_t i = 0; i < 6; i++)
		ok &= words[i] == value_of(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, i % THINGS);
	tap(ok, "a template writes elements of a type");
	ok = true;
	for (uint32_t i = 0; i < 3; i++)
		ok &= words[6 + i] == value_of(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, i);
	tap(ok, "elements are copied from a binding of one type");
	tap(words[9] == words[10] && words[9] == value_of(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
	    "and to one");
	vk_set_del(&typed);
}

static bool supported(const VkDescriptorType *types, uint32_t n, uint32_t count)
{
	VkDescriptorSetLayoutSupport support = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT
	};
	struct heap heap;

	heap_init(&heap, BINDING, count, types, n);
	vkGetDescriptorSetLayoutSupport(vk.device, &heap.info, &support);
	return support.supported;
}

/* Elements that are samplers, or contain one, need not be supported by a device. */
static void try_samplers(void)
{
	static const uint32_t order[][2] = { { 2, 0 }, { 0, 1 }, { 1, 2 }, { 2, 3 } };
	VkCommandBuffer cmd;
	const uint32_t *words = things.result.map;

	if (!supported(sampler_types, 3, HEAP)) {
		tap(true, "samplers # SKIP no elements with samplers");
		return;
	}
	make_heap(HEAP, sampler_types, 3, VK_CODE(mutable_samplers));
	fill_things();
	for (uint32_t i = 0; i < N; i++)
		memcpy((char *)things.order.map + i * 8, order[i % 4], 8);
	memset(things.result.map, 0xee, things.result.size);
	vk_write_image(test.sets[1], BINDING, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_NULL_HANDLE,
		       things.views[0][0]);
	vk_write_image(test.sets[1], BINDING, 1, VK_DESCRIPTOR_TYPE_SAMPLER, things.sampler,
		       VK_NULL_HANDLE);
	vk_write_image(test.sets[1], BINDING, 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		       things.sampler, things.views[0][1]);
	vk_write_image(test.sets[1], BINDING, 3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_NULL_HANDLE,
		       things.views[0][2]);
	cmd = vk_begin();
	record(cmd, 0, 0);
	vk_run(cmd);
	tap(words[0] == value_of(FIRST, 0) && words[1] == 0 && words[2] == value_of(FIRST, 1) &&
	    words[3] == value_of(FIRST, 2), "images, samplers and both are at one binding");
	drop_heap();
}

/* Each stage uses descriptors of another type at the binding. */
static void try_stages(void)
{
	static const VkDescriptorType types[] = { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
						  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE };
	const VkRenderPass pass =
		vk_pass_new(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR);
	const VkClearValue none = { .color.float32 = { 0 } };
	const uint32_t expected = 0xff000000 | value_of(FIRST, 2) << 8 |
				  value_of(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1);
	VkRenderPassBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					.renderPass = pass,
					.renderArea = { { 0, 0 }, { SIDE, SIDE } },
					.clearValueCount = 1,
					.pClearValues = &none };
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
	VkPipeline pipeline;
	VkImageView view;
	struct vk_image picture = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE,
						 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &view);
	VkCommandBuffer cmd = vk_begin();
	struct vk_pipeline p;
	struct heap heap;
	bool ok = true;

	heap_init(&heap, 0, 2, types, 2);
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &heap.info, NULL, &set_layout));
	layout = vk_layout_new(&set_layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	pool = pool_new(VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT, 2, types, 2);
	allocate(pool, &set_layout, 1, &set);
	vk_pipeline_init(&p, layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(mutable_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(mutable_frag));
	p.info.renderPass = pass;
	pipeline = vk_pipeline_new(&p);
	begin.framebuffer = vk_framebuffer_new(pass, &view, 1, SIDE);
	fill_things();
	write_thing(set, 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1);
	write_thing(set, 0, 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2);
	vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &picture, SIDE, &things.out);
	vk_run(cmd);
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		ok &= ((uint32_t *)things.out.map)[i] == expected;
	if (!ok)
		printf("# %#x, not %#x\n", *(uint32_t *)things.out.map, expected);
	tap(ok, "stages have descriptors of other types at a binding");
	vkDestroyFramebuffer(vk.device, begin.framebuffer, NULL);
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&picture);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vkDestroyDescriptorPool(vk.device, pool, NULL);
	vkDestroyDescriptorSetLayout(vk.device, set_layout, NULL);
}

static void try_heap(uint32_t count, uint32_t first, const char *what)
{
	make_heap(count, heap_types, TYPES, VK_CODE(mutable_comp));
	try_types(first, what);
	try_after_bind(first, what);
	try_copies(count, first, what);
	if (first)
		try_copies_within(what);
	else
		try_other_ways();
	drop_heap();
}

/* A shader that declares a float texture as an integer one still reads the texture's size. */
static void try_sizes(void)
{
	VkCommandBuffer cmd = vk_begin();
	VkImageView view;
	struct vk_image image =
		vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE, VK_IMAGE_USAGE_SAMPLED_BIT, &view);
	const uint32_t *words = things.result.map;
	bool ok = true;

	make_heap(HEAP, heap_types, TYPES, VK_CODE(mutable_sizes));
	for (uint32_t i = 0; i < HEAP; i++)
		vk_write_image(test.sets[1], BINDING, i, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
			       VK_NULL_HANDLE, view);
	set_order(0, 0);
	record(cmd, 0, 0);
	vk_run(cmd);
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == SIDE;
	tap(ok, "textures of floats have sizes as textures of integers");
	drop_heap();
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&image);
}

int main(void)
{
	static VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT,
	};
	static VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
		.pNext = &mutable,
	};
	static const char *const wanted[] = {
		VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME,
		VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME,
	};

	vk.features = &indexing;
	vk_open_with(NULL, 0, wanted, 2);
	make_things();
	tap(mutable.mutableDescriptorType && supported(heap_types, TYPES, HEAP) &&
		    supported(heap_types, TYPES, MANY),
	    "elements of any type are supported");
	try_heap(HEAP, 0, "a heap");
	try_heap(MANY, MANY - HEAP, "a large heap");
	try_samplers();
	try_sizes();
	try_stages();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
