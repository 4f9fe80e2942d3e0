// SPDX-License-Identifier: MIT
/*
 * Descriptors: set layouts, descriptor bytes, and the sets of the bound shaders that use slots, see
 * descriptor.h. Runs on the worker's main thread.
 */
#include "exec/descriptor.h"

#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/set.h"

static const struct {
	VkDescriptorType type;
	uint32_t binding;	/* of the first slot; 0: the kind has no slots */
} slot_kinds[NUM_BINDING_KINDS] = {
	[SLOT_UBO] = { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SUNDOG_BINDING_UBO0 },
	[SLOT_TEXTURE] = { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, SUNDOG_BINDING_TEXTURE0 },
	[SLOT_TEXELS] = { VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, SUNDOG_BINDING_TEXELS0 },
	[SLOT_SSBO] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SUNDOG_BINDING_SSBOS },
	[SLOT_IMAGE] = { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, SUNDOG_BINDING_IMAGE0 },
	[SLOT_STORAGE_TEXELS] = { VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
				  SUNDOG_BINDING_STORAGE_TEXELS0 },
	[SET_SAMPLER] = { VK_DESCRIPTOR_TYPE_SAMPLER, 0 },
	[SET_SAMPLED_IMAGE] = { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 0 },
	[SET_MUTABLE] = { VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 0 },
};

static VkDescriptorSetLayoutBinding *add_bindings(VkDescriptorSetLayoutBinding *out,
						  enum slot_kind kind, uint32_t first, uint32_t n,
						  uint32_t elements, VkShaderStageFlagBits stage)
{
	for (uint32_t i = 0; i < n; i++)
		*out++ = (VkDescriptorSetLayoutBinding){ first + i, slot_kinds[kind].type, elements,
							 stage, NULL };
	return out;
}

static uint32_t layout_bindings(VkShaderStageFlagBits stage, VkDescriptorSetLayoutBinding *bindings)
{
	VkDescriptorSetLayoutBinding *out = bindings;

	out = add_bindings(out, SLOT_UBO, SUNDOG_BINDING_UBO0, 1, 1, stage);
	out = add_bindings(out, SLOT_TEXTURE, SUNDOG_BINDING_TEXTURE0, SUNDOG_MAX_TEXTURES, 1,
			   stage);
	out = add_bindings(out, SLOT_UBO, SUNDOG_BINDING_UBOS, 1, SUNDOG_MAX_UBOS - 1, stage);
	out = add_bindings(out, SLOT_SSBO, SUNDOG_BINDING_SSBOS, 1, SUNDOG_MAX_SSBOS, stage);
	out = add_bindings(out, SLOT_IMAGE, SUNDOG_BINDING_IMAGE0, SUNDOG_MAX_IMAGES, 1, stage);
	out = add_bindings(out, SLOT_TEXELS, SUNDOG_BINDING_TEXELS0, SUNDOG_MAX_TEXEL_BUFFERS, 1,
			   stage);
	out = add_bindings(out, SLOT_STORAGE_TEXELS, SUNDOG_BINDING_STORAGE_TEXELS0,
			   SUNDOG_MAX_IMAGES, 1, stage);
	return out - bindings;
}

static bool make_layouts(struct exec *x)
{
	const VkPushConstantRange range = shader_push_range(x);
	VkDescriptorSetLayoutBinding bindings[SUNDOG_NUM_BINDINGS];
	VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.pBindings = bindings,
	};
	VkPipelineLayoutCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pSetLayouts = x->draw.set_layouts,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &range,
	};

	for (int i = 0; i < NUM_SLOT_STAGES; i++) {
		set.bindingCount = layout_bindings(shader_stage_bits[i], bindings);
		if (x->vk.CreateDescriptorSetLayout(x->vk.device, &set, NULL,
						    &x->draw.set_layouts[i]) != VK_SUCCESS)
			return false;
	}
	for (uint32_t i = 0; i < set.bindingCount; i++)
		x->vk.GetDescriptorSetLayoutBindingOffsetEXT(
			x->vk.device, x->draw.set_layouts[0], bindings[i].binding,
			&x->draw.binding_offset[bindings[i].binding]);
	x->vk.GetDescriptorSetLayoutSizeEXT(x->vk.device, x->draw.set_layouts[0],
					    &x->draw.set_size);
	x->draw.n_sets = NUM_SLOT_STAGES;
	if (exec_has(x, SUNDOG_FEATURE_BINDLESS)) {
		if (!handles_init(x))
			return false;
		x->draw.n_sets = NUM_SLOT_SETS;
	}
	pipeline.setLayoutCount = x->draw.n_sets;
	return x->vk.CreatePipelineLayout(x->vk.device, &pipeline, NULL,
					  &x->draw.pipeline_layout) == VK_SUCCESS;
}

VkDescriptorType descriptor_type(enum slot_kind kind)
{
	return slot_kinds[kind].type;
}

static void get_descriptor(struct exec *x, enum slot_kind kind, VkDescriptorDataEXT data,
			   void *out)
{
	VkDescriptorGetInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
		.type = slot_kinds[kind].type,
		.data = data,
	};

	x->vk.GetDescriptorEXT(x->vk.device, &info, x->draw.descriptor_size[kind], out);
}

/* pUniformBuffer stands for all kinds of ranges: their members of the union have one type. */
void descriptor_of_range(struct exec *x, enum slot_kind kind, VkDeviceAddress address,
			 uint64_t size, VkFormat format, void *out)
{
	VkDescriptorAddressInfoEXT range = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
		.address = address,
		.range = size,
		.format = format,
	};

	get_descriptor(x, kind, (VkDescriptorDataEXT){ .pUniformBuffer = size ? &range : NULL },
		       out);
}

void descriptor_of_image(struct exec *x, enum slot_kind kind, VkImageView view, VkSampler sampler,
			 void *out)
{
	VkDescriptorImageInfo image = { sampler, view, VK_IMAGE_LAYOUT_GENERAL };

	get_descriptor(x, kind, (VkDescriptorDataEXT){ .pCombinedImageSampler = &image }, out);
}

void descriptor_of_sampler(struct exec *x, VkSampler sampler, void *out)
{
	get_descriptor(x, SET_SAMPLER, (VkDescriptorDataEXT){ .pSampler = &sampler }, out);
}

static bool get_sizes(struct exec *x)
{
	const VkPhysicalDeviceDescriptorBufferPropertiesEXT *props = &x->vk.descriptor;
	uint32_t *size = x->draw.descriptor_size;

	size[SLOT_UBO] = props->robustUniformBufferDescriptorSize;
	size[SLOT_TEXTURE] = props->combinedImageSamplerDescriptorSize;
	size[SLOT_TEXELS] = props->robustUniformTexelBufferDescriptorSize;
	size[SLOT_SSBO] = props->robustStorageBufferDescriptorSize;
	size[SLOT_IMAGE] = props->storageImageDescriptorSize;
	size[SLOT_STORAGE_TEXELS] = props->robustStorageTexelBufferDescriptorSize;
	size[SET_SAMPLER] = props->samplerDescriptorSize;
	size[SET_SAMPLED_IMAGE] = props->sampledImageDescriptorSize;
	for (int i = 0; i < NUM_DESCRIPTOR_KINDS; i++) {
		if (size[i] > MAX_DESCRIPTOR_SIZE)
			return false;
		size[SET_MUTABLE] = size[i] > size[SET_MUTABLE] ? size[i] : size[SET_MUTABLE];
	}
	return props->maxResourceDescriptorBufferBindings >= MAX_DESCRIPTOR_BUFFERS &&
	       props->maxSamplerDescriptorBufferBindings >= MAX_DESCRIPTOR_BUFFERS &&
	       props->maxDescriptorBufferBindings >= MAX_DESCRIPTOR_BUFFERS;
}

bool descriptors_init(struct exec *x)
{
	VkSamplerCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
	VkSampler sampler;

	if (!get_sizes(x) || !make_layouts(x) ||
	    x->draw.set_size > DESCRIPTOR_CHUNK_SIZE / NUM_SLOT_STAGES ||
	    x->vk.CreateSampler(x->vk.device, &info, NULL, &sampler) != VK_SUCCESS)
		return false;
	descriptor_of_range(x, SLOT_UBO, 0, 0, VK_FORMAT_UNDEFINED, x->draw.null[SLOT_UBO]);
	descriptor_of_range(x, SLOT_SSBO, 0, 0, VK_FORMAT_UNDEFINED, x->draw.null[SLOT_SSBO]);
	descriptor_of_range(x, SLOT_TEXELS, 0, 0, VK_FORMAT_UNDEFINED, x->draw.null[SLOT_TEXELS]);
	descriptor_of_range(x, SLOT_STORAGE_TEXELS, 0, 0, VK_FORMAT_UNDEFINED,
			    x->draw.null[SLOT_STORAGE_TEXELS]);
	descriptor_of_image(x, SLOT_TEXTURE, VK_NULL_HANDLE, sampler, x->draw.null[SLOT_TEXTURE]);
	descriptor_of_image(x, SLOT_IMAGE, VK_NULL_HANDLE, VK_NULL_HANDLE,
			    x->draw.null[SLOT_IMAGE]);
	descriptor_of_image(x, SET_SAMPLED_IMAGE, VK_NULL_HANDLE, VK_NULL_HANDLE,
			    x->draw.null[SET_SAMPLED_IMAGE]);
	descriptor_of_sampler(x, sampler, x->draw.null[SET_SAMPLER]);
	return true;
}

void stage_bindings_reset(struct stage_bindings *stage)
{
	stage->dirty = true;
	memset(stage->bound, 0, sizeof(stage->bound));
}

enum slot_kind descriptor_kind(uint32_t type)
{
	uint32_t kind = 0;

	/* The gate and the packets' field ranges refuse all other types. */
	while (slot_kinds[kind].type != (VkDescriptorType)type)
		kind++;
	return kind;
}

/* Returns the slot of element @element of binding @binding. */
static uint32_t slot_number(enum slot_kind kind, uint32_t binding, uint32_t element)
{
	if (binding == SUNDOG_BINDING_UBOS)
		return 1 + element;
	return binding - slot_kinds[kind].binding + element;
}

/*
 * Returns true if the shader may access the bound descriptor. The host compiles texture accesses
 * for the view and checks only the coordinates that the view has; a shader that declares another
 * kind would read out of bounds. Atomic operations are not bounded if the host has none on the
 * format.
 */
static bool slot_fits(const struct slot *slot, const struct shader *shader, enum slot_kind kind,
		      uint32_t n)
{
	if (kind == SLOT_UBO || kind == SLOT_SSBO)
		return true;
	return slot->kind == shader->kinds[kind][n] &&
	       (slot->atomic || !(shader->atomics[kind] >> n & 1));
}

/*
 * Returns the descriptor of slot @n of stage @s for its shader, a null one if the slot is unbound
 * or does not fit. Returns NULL with a fault recorded if the shader would write memory that is not
 * listed for writing.
 */
static const void *slot_bytes(struct exec *x, uint32_t s, enum slot_kind kind, uint32_t n)
{
	const struct draw *d = &x->draw;
	const struct slot *slot = &d->stages[s].slots[kind][n];

	if (!(d->stages[s].bound[kind] >> n & 1) || !slot_fits(slot, d->shaders[s], kind, n))
		return d->null[kind];
	if (d->shaders[s]->writes[kind] >> n & 1 && !slot->writable) {
		fault(x, SUNDOG_FAULT_CODE_ACCESS, slot->handle);
		return NULL;
	}
	return slot->bytes;
}

/*
 * Write the declared slots of stage @s to a set at @at. *@end is the end of the last written
 * descriptor. Returns false with a fault recorded on failure.
 */
static bool write_stage(struct exec *x, uint32_t s, unsigned char *at, VkDeviceSize *end)
{
	const struct shader *shader = x->draw.shaders[s];

	*end = 0;
	for (uint32_t i = 0; i < shader->n_bindings; i++) {
		const struct sundog_shader_binding *b = &shader->bindings[i];
		const enum slot_kind kind = descriptor_kind(b->type);
		const uint32_t size = x->draw.descriptor_size[kind];
		VkDeviceSize offset = x->draw.binding_offset[b->binding];

		for (uint32_t e = 0; e < b->count; e++, offset += size) {
			const void *bytes = slot_bytes(x, s, kind,
						       slot_number(kind, b->binding, e));

			if (!bytes)
				return false;
			memcpy(at + offset, bytes, size);
		}
		if (offset > *end)
			*end = offset;
	}
	return true;
}

void descriptors_stale(struct exec *x)
{
	for (int i = 0; i < NUM_STAGES; i++)
		x->draw.stages[i].dirty = true;
	for (int i = 0; i < 2; i++)
		x->draw.bound_sets[i].dirty = true;
	x->draw.handles.points = 0;
}

static bool are_bound(const struct draw *d, const VkDeviceAddress *addresses, uint32_t n)
{
	return n <= d->n_descriptor_buffers &&
	       !memcmp(d->descriptor_buffers, addresses, n * sizeof(*addresses));
}

void descriptors_bind(struct exec *x, const VkDeviceAddress *addresses, uint32_t n)
{
	VkDescriptorBufferBindingInfoEXT infos[MAX_DESCRIPTOR_BUFFERS];
	struct draw *d = &x->draw;

	if (are_bound(d, addresses, n))
		return;
	for (uint32_t i = 0; i < n; i++)
		infos[i] = (VkDescriptorBufferBindingInfoEXT){
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
			.address = addresses[i],
			.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
				 VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT,
		};
	x->vk.CmdBindDescriptorBuffersEXT(d->cmd, n, infos);
	memcpy(d->descriptor_buffers, addresses, n * sizeof(*addresses));
	d->n_descriptor_buffers = n;
	/* Offsets that were set refer to the old buffers. */
	descriptors_stale(x);
}

bool descriptors_reserve(struct exec *x, VkDeviceSize size)
{
	const struct batch *batch = x->batches.recording;

	return (batch->chunks && batch->chunk_used + size <= DESCRIPTOR_CHUNK_SIZE) ||
	       batch_add_chunk(x);
}

static void advance(struct exec *x, VkDeviceSize size)
{
	const VkDeviceSize align = x->vk.descriptor.descriptorBufferOffsetAlignment;
	struct batch *batch = x->batches.recording;

	batch->chunk_used = (batch->chunk_used + size + align - 1) & ~(align - 1);
}

void *descriptors_take(struct exec *x, VkDeviceSize size, VkDeviceSize *offset)
{
	const struct batch *batch = x->batches.recording;

	*offset = batch->chunk_used;
	advance(x, size);
	return (unsigned char *)batch->chunks->buffer.map + *offset;
}

static bool flush_stage(struct exec *x, uint32_t s)
{
	const VkPipelineBindPoint point = stages_bind_point(1u << s);
	const uint32_t buffer = 0;
	const struct batch *batch = x->batches.recording;
	const VkDeviceSize offset = batch->chunk_used;
	VkDeviceSize size;

	if (!write_stage(x, s, (unsigned char *)batch->chunks->buffer.map + offset, &size))
		return false;
	advance(x, size);
	x->vk.CmdSetDescriptorBufferOffsetsEXT(x->draw.cmd, point, x->draw.pipeline_layout, s, 1,
					       &buffer, &offset);
	x->draw.stages[s].dirty = false;
	return true;
}

static bool needs_flush(const struct draw *d, uint32_t s, uint32_t stages)
{
	return stages >> s & 1 && d->stages[s].dirty && d->shaders[s] && d->shaders[s]->n_bindings;
}

/*
 * Write the addresses of the buffers for slots to @out: the current chunk, 0 if there is none yet,
 * and the handle tables. Returns the number of buffers.
 */
static uint32_t slot_buffers(const struct exec *x, bool handles, VkDeviceAddress out[2])
{
	const struct descriptor_chunk *chunk = x->batches.recording->chunks;

	out[0] = chunk ? chunk->buffer.address : 0;
	out[DESCRIPTOR_BUFFER_HANDLES] = handles_address(&x->draw.handles);
	return handles ? 2 : 1;
}

/* Write the changed sets of shaders that use slots. */
static bool flush_slots(struct exec *x, uint32_t stages)
{
	const bool handles = handles_used(&x->draw, stages);
	VkDeviceAddress addresses[2];
	bool dirty;

	if (handles && !handles_ready(x, stages))
		return false;
	dirty = handles && !are_bound(&x->draw, addresses, slot_buffers(x, handles, addresses));
	for (uint32_t s = 0; s < NUM_STAGES; s++)
		dirty |= needs_flush(&x->draw, s, stages);
	if (dirty) {
		/* The whole set must lie in the buffer, including the part that is not written. */
		if (!descriptors_reserve(x, NUM_SLOT_STAGES * x->draw.set_size))
			return false;
		descriptors_bind(x, addresses, slot_buffers(x, handles, addresses));
	}
	for (uint32_t s = 0; s < NUM_STAGES; s++)
		if (needs_flush(&x->draw, s, stages) && !flush_stage(x, s))
			return false;
	if (handles)
		handles_flush(x, stages);
	return true;
}

bool descriptors_flush(struct exec *x, uint32_t stages)
{
	const struct pipeline_layout *layout;

	if (!sets_layout(x, stages, &layout))
		return false;
	return layout ? sets_flush(x, stages, layout) : flush_slots(x, stages);
}
