// SPDX-License-Identifier: MIT
/*
 * Descriptors, see draw.h.
 *
 * Guests never see or write descriptors. A bind packet turns into descriptor bytes (for textures
 * kept with the view, for each of its last samplers); before a draw, a stage whose bindings changed
 * gets a new slice of the batch's descriptor buffer with just the slots that its shader declares.
 * All stages' sets have one fixed layout, so every shader is compatible with every other and a
 * slice only needs to reach the last slot in use.
 */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "worker.h"

/* Bindings that exist now; storage ones are reserved. */
static uint32_t layout_bindings(VkShaderStageFlagBits stage, VkDescriptorSetLayoutBinding *out)
{
	uint32_t n = 0;

	out[n++] = (VkDescriptorSetLayoutBinding){
		SUNDOG_BINDING_UBO0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, stage, NULL,
	};
	for (uint32_t i = 0; i < SUNDOG_MAX_TEXTURES; i++)
		out[n++] = (VkDescriptorSetLayoutBinding){
			SUNDOG_BINDING_TEXTURE0 + i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, stage, NULL,
		};
	out[n++] = (VkDescriptorSetLayoutBinding){
		SUNDOG_BINDING_UBOS, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SUNDOG_MAX_UBOS - 1, stage, NULL,
	};
	for (uint32_t i = 0; i < SUNDOG_MAX_TEXEL_BUFFERS; i++)
		out[n++] = (VkDescriptorSetLayoutBinding){
			SUNDOG_BINDING_TEXELS0 + i, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, stage, NULL,
		};
	return n;
}

static bool make_layouts(struct worker *w)
{
	VkDescriptorSetLayoutBinding bindings[SUNDOG_NUM_BINDINGS];
	VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.pBindings = bindings,
	};
	VkPipelineLayoutCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = NUM_STAGES, .pSetLayouts = w->draw.set_layouts,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &shader_push_range,
	};

	for (int i = 0; i < NUM_STAGES; i++) {
		set.bindingCount = layout_bindings(shader_stage_bits[i], bindings);
		if (w->vk.CreateDescriptorSetLayout(w->vk.device, &set, NULL,
						    &w->draw.set_layouts[i]) != VK_SUCCESS)
			return false;
	}
	for (uint32_t i = 0; i < set.bindingCount; i++)
		w->vk.GetDescriptorSetLayoutBindingOffsetEXT(w->vk.device, w->draw.set_layouts[0],
							     bindings[i].binding,
							     &w->draw.binding_offset[bindings[i].binding]);
	w->vk.GetDescriptorSetLayoutSizeEXT(w->vk.device, w->draw.set_layouts[0], &w->draw.set_size);
	return w->vk.CreatePipelineLayout(w->vk.device, &pipeline, NULL,
					  &w->draw.pipeline_layout) == VK_SUCCESS;
}

static void get_ubo(struct worker *w, VkDeviceAddress address, uint64_t size, void *out)
{
	VkDescriptorAddressInfoEXT range = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, .address = address, .range = size,
	};
	VkDescriptorGetInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
		.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		.data.pUniformBuffer = size ? &range : NULL,
	};

	w->vk.GetDescriptorEXT(w->vk.device, &info, w->draw.ubo_size, out);
}

static void get_texture(struct worker *w, VkImageView view, VkSampler sampler, void *out)
{
	VkDescriptorImageInfo image = { sampler, view, VK_IMAGE_LAYOUT_GENERAL };
	VkDescriptorGetInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
		.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		.data.pCombinedImageSampler = &image,
	};

	w->vk.GetDescriptorEXT(w->vk.device, &info, w->draw.texture_size, out);
}

void get_texel_buffer(struct worker *w, VkDeviceAddress address, uint64_t size, VkFormat format, void *out)
{
	VkDescriptorAddressInfoEXT range = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, .address = address, .range = size,
		.format = format,
	};
	VkDescriptorGetInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
		.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
		.data.pUniformTexelBuffer = size ? &range : NULL,
	};

	w->vk.GetDescriptorEXT(w->vk.device, &info, w->draw.texel_size, out);
}

bool descriptors_init(struct worker *w)
{
	VkSamplerCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
	VkSampler sampler;

	w->draw.ubo_size = w->vk.descriptor.robustUniformBufferDescriptorSize;
	w->draw.texture_size = w->vk.descriptor.combinedImageSamplerDescriptorSize;
	w->draw.texel_size = w->vk.descriptor.robustUniformTexelBufferDescriptorSize;
	if (w->draw.ubo_size > MAX_DESCRIPTOR_SIZE || w->draw.texture_size > MAX_DESCRIPTOR_SIZE ||
	    w->draw.texel_size > MAX_DESCRIPTOR_SIZE ||
	    !make_layouts(w) || w->draw.set_size > DESCRIPTOR_CHUNK_SIZE / NUM_STAGES ||
	    w->vk.CreateSampler(w->vk.device, &info, NULL, &sampler) != VK_SUCCESS)
		return false;
	get_ubo(w, 0, 0, w->draw.null_ubo);
	get_texture(w, VK_NULL_HANDLE, sampler, w->draw.null_texture);
	get_texel_buffer(w, 0, 0, VK_FORMAT_UNDEFINED, w->draw.null_texel);
	return true;
}

bool bind_ubo(struct worker *w, const struct sundog_cmd_bind_ubo *cmd)
{
	struct stage_bindings *stage;
	struct alloc *alloc;

	if (cmd->stage >= NUM_STAGES)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 1);
	stage = &w->draw.stages[cmd->stage];
	stage->dirty = true;
	if (!cmd->range.size) {
		stage->ubos &= ~(1u << cmd->slot);
		return true;
	}
	alloc = memory_find(w, cmd->range.mem, SUNDOG_ACCESS_READ);
	if (!alloc || !memory_buffer_range(w, alloc, cmd->range.offset, cmd->range.size))
		return false;
	if (cmd->range.offset % w->caps.min_ubo_align || cmd->range.size > w->caps.max_ubo_range)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	if (!memory_buffer(w, alloc))
		return false;
	get_ubo(w, alloc->address + cmd->range.offset, cmd->range.size, stage->ubo[cmd->slot]);
	stage->ubos |= 1u << cmd->slot;
	return true;
}

/* The descriptor of a view with a sampler, from the view's cache. */
static const void *view_descriptor(struct worker *w, struct image_view *view, const struct sampler *sampler)
{
	struct view_descriptor *d;

	for (uint32_t i = 0; i < VIEW_CACHED_SAMPLERS; i++)
		if (view->descriptors[i].sampler_serial == sampler->serial)
			return view->descriptors[i].bytes;
	d = &view->descriptors[view->next_descriptor++ % VIEW_CACHED_SAMPLERS];
	if (!d->bytes)
		d->bytes = malloc(w->draw.texture_size);
	if (!d->bytes) {
		fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
		return NULL;
	}
	get_texture(w, view->view, sampler->sampler, d->bytes);
	d->sampler_serial = sampler->serial;
	return d->bytes;
}

static bool bind_texture(struct worker *w, struct stage_bindings *stage, uint32_t slot,
			 const struct sundog_texture_binding *t)
{
	struct image_view *view;
	struct sampler *sampler;
	const void *bytes;

	if (!t->view) {
		stage->textures &= ~(1u << slot);
		return true;
	}
	view = (struct image_view *)object_find(w, t->view, SUNDOG_OBJECT_KIND_IMAGE_VIEW);
	sampler = view ? (struct sampler *)object_find(w, t->sampler, SUNDOG_OBJECT_KIND_SAMPLER) : NULL;
	if (!sampler || !memory_check(w, view->image->alloc, SUNDOG_ACCESS_READ))
		return false;
	if (!(view->usage & VK_IMAGE_USAGE_SAMPLED_BIT))
		return fault(w, SUNDOG_FAULT_CODE_OBJECT, t->view);
	bytes = view_descriptor(w, view, sampler);
	if (!bytes)
		return false;
	memcpy(stage->texture[slot], bytes, w->draw.texture_size);
	stage->texture_kind[slot] = view->kind;
	stage->textures |= 1u << slot;
	return true;
}

bool bind_textures(struct worker *w, const struct sundog_cmd_bind_textures *cmd,
		   const struct sundog_texture_binding *textures)
{
	if (cmd->stage >= NUM_STAGES)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 1);
	if (cmd->first + cmd->count > SUNDOG_MAX_TEXTURES)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 3);
	w->draw.stages[cmd->stage].dirty = true;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!bind_texture(w, &w->draw.stages[cmd->stage], cmd->first + i, &textures[i]))
			return false;
	return true;
}

static bool bind_texel_buffer(struct worker *w, struct stage_bindings *stage, uint32_t slot, uint32_t id)
{
	const struct buffer_view *view;

	if (!id) {
		stage->texels &= ~(1u << slot);
		return true;
	}
	view = (const struct buffer_view *)object_find(w, id, SUNDOG_OBJECT_KIND_BUFFER_VIEW);
	if (!view || !memory_check(w, view->alloc, SUNDOG_ACCESS_READ))
		return false;
	memcpy(stage->texel[slot], view->descriptor, w->draw.texel_size);
	stage->texel_kind[slot] = view->kind;
	stage->texels |= 1u << slot;
	return true;
}

bool bind_texel_buffers(struct worker *w, const struct sundog_cmd_bind_texel_buffers *cmd,
			const uint32_t *views)
{
	if (cmd->stage >= NUM_STAGES)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 1);
	if (cmd->first + cmd->count > SUNDOG_MAX_TEXEL_BUFFERS)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 3);
	w->draw.stages[cmd->stage].dirty = true;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!bind_texel_buffer(w, &w->draw.stages[cmd->stage], cmd->first + i, views[i]))
			return false;
	return true;
}

/*
 * Does the shader see what is bound? The host compiles what reads a texture for the view, and checks those
 * coordinates that the view has: others of a shader that declares another kind would lead anywhere.
 */
static bool texture_fits(const struct stage_bindings *stage, const struct shader *shader, uint32_t slot)
{
	return stage->textures >> slot & 1 && stage->texture_kind[slot] == shader->textures[slot];
}

static bool texels_fit(const struct stage_bindings *stage, const struct shader *shader, uint32_t slot)
{
	return stage->texels >> slot & 1 && stage->texel_kind[slot] == shader->texels[slot];
}

static const void *slot_bytes(const struct draw *d, uint32_t s, uint32_t binding, uint32_t element)
{
	const struct stage_bindings *stage = &d->stages[s];
	uint32_t slot;

	if (binding >= SUNDOG_BINDING_TEXTURE0 && binding < SUNDOG_BINDING_TEXTURE0 + SUNDOG_MAX_TEXTURES) {
		slot = binding - SUNDOG_BINDING_TEXTURE0;
		return texture_fits(stage, d->shaders[s], slot) ? stage->texture[slot] : d->null_texture;
	}
	if (binding >= SUNDOG_BINDING_TEXELS0) {
		slot = binding - SUNDOG_BINDING_TEXELS0;
		return texels_fit(stage, d->shaders[s], slot) ? stage->texel[slot] : d->null_texel;
	}
	slot = binding == SUNDOG_BINDING_UBO0 ? 0 : 1 + element;
	return stage->ubos >> slot & 1 ? stage->ubo[slot] : d->null_ubo;
}

static uint32_t descriptor_size(const struct draw *d, uint32_t type)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
		return d->ubo_size;
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
		return d->texel_size;
	default:
		return d->texture_size;
	}
}

/* Write the declared slots of a stage at @at; returns the bytes up to the end of the last one. */
static VkDeviceSize write_set(const struct draw *d, uint32_t s, unsigned char *at)
{
	const struct shader *shader = d->shaders[s];
	VkDeviceSize end = 0;

	for (uint32_t i = 0; i < shader->n_bindings; i++) {
		const struct sundog_shader_binding *b = &shader->bindings[i];
		const uint32_t size = descriptor_size(d, b->type);
		VkDeviceSize offset = d->binding_offset[b->binding];

		for (uint32_t e = 0; e < b->count; e++, offset += size)
			memcpy(at + offset, slot_bytes(d, s, b->binding, e), size);
		if (offset > end)
			end = offset;
	}
	return end;
}

/* Make sure that the bound chunk has room for every stage's set; dirties all of them if it changes. */
static bool reserve_sets(struct worker *w)
{
	struct batch *batch = w->batches.recording;
	VkDescriptorBufferBindingInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
		.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
			 VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT,
	};

	/* A whole set must lie in the buffer, also the part that is not written. */
	if (batch->chunks && batch->chunk_used + NUM_STAGES * w->draw.set_size <= DESCRIPTOR_CHUNK_SIZE)
		return true;
	if (!batch_add_chunk(w))
		return false;
	info.address = batch->chunks->buffer.address;
	w->vk.CmdBindDescriptorBuffersEXT(w->draw.cmd, 1, &info);
	/* Offsets that were set refer to the old buffer. */
	for (int i = 0; i < NUM_STAGES; i++)
		w->draw.stages[i].dirty = true;
	return true;
}

static void flush_stage(struct worker *w, uint32_t s)
{
	const VkDeviceSize align = w->vk.descriptor.descriptorBufferOffsetAlignment;
	const uint32_t buffer = 0;
	struct batch *batch = w->batches.recording;
	const VkDeviceSize offset = batch->chunk_used;
	VkDeviceSize end;

	end = offset + write_set(&w->draw, s, (unsigned char *)batch->chunks->buffer.map + offset);
	batch->chunk_used = (end + align - 1) & ~(align - 1);
	w->vk.CmdSetDescriptorBufferOffsetsEXT(w->draw.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS,
					       w->draw.pipeline_layout, s, 1, &buffer, &offset);
	w->draw.stages[s].dirty = false;
}

bool descriptors_flush(struct worker *w)
{
	bool dirty = false;

	for (uint32_t s = 0; s < NUM_STAGES; s++)
		dirty |= w->draw.stages[s].dirty && w->draw.shaders[s];
	if (!dirty)
		return true;
	if (!reserve_sets(w))
		return false;
	for (uint32_t s = 0; s < NUM_STAGES; s++)
		if (w->draw.stages[s].dirty && w->draw.shaders[s] && w->draw.shaders[s]->n_bindings)
			flush_stage(w, s);
	return true;
}
