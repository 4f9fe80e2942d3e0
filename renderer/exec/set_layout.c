// SPDX-License-Identifier: MIT
/*
 * Layouts of descriptor sets and pipelines, see set_layout.h. Called by the decoder on the worker's
 * main thread.
 */
#include "exec/set_layout.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/set.h"
#include "sundog_run.h"

/* Returns false if the renderer does not offer this descriptor type. */
static bool kind_of_type(const struct exec *x, uint32_t type, enum slot_kind *kind, bool *dynamic)
{
	static const enum slot_kind kinds[] = {
		[VK_DESCRIPTOR_TYPE_SAMPLER] = SET_SAMPLER,
		[VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER] = SLOT_TEXTURE,
		[VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = SET_SAMPLED_IMAGE,
		[VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = SLOT_IMAGE,
		[VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = SLOT_TEXELS,
		[VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = SLOT_STORAGE_TEXELS,
		[VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = SLOT_UBO,
		[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = SLOT_SSBO,
		[VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC] = SLOT_UBO,
		[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] = SLOT_SSBO,
		[SUNDOG_MUTABLE_TYPE] = SET_MUTABLE,
	};

	/* The packet's description limits @type to these values. */
	*kind = kinds[type];
	if (slot_is_storage(*kind) && !exec_has(x, SUNDOG_FEATURE_COMPUTE))
		return false;
	if (*kind == SET_MUTABLE && !exec_has(x, SUNDOG_FEATURE_MUTABLE_DESCRIPTORS))
		return false;
	*dynamic = type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
		   type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
	return true;
}

const struct set_binding *set_layout_find(const struct set_layout *layout, uint32_t number)
{
	uint32_t from = 0, to = layout->n_bindings;

	while (from < to) {
		const uint32_t middle = (from + to) / 2;
		const struct set_binding *b = &layout->bindings[middle];

		if (b->number == number)
			return b;
		if (b->number < number)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static uint32_t max_descriptors(const struct exec *x)
{
	return exec_has(x, SUNDOG_FEATURE_DESCRIPTOR_INDEXING) ? SUNDOG_MAX_SET_DESCRIPTORS :
								   SUNDOG_MAX_PLAIN_SET_DESCRIPTORS;
}

static bool add_binding(struct exec *x, struct set_layout *layout,
			const struct sundog_set_binding *in)
{
	const uint32_t n = layout->n_bindings;
	struct set_binding *b = &layout->bindings[n];

	*b = (struct set_binding){
		.number = in->binding,
		.count = in->count,
		.type = in->type,
		.first = layout->n_elements,
		.nth_mutable = layout->n_mutable,
	};
	if (!kind_of_type(x, in->type, &b->kind, &b->dynamic))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 3 + n * sizeof(*in) / 4 + 1);
	if ((n && in->binding <= b[-1].number) ||
	    layout->n_elements + in->count > max_descriptors(x) ||
	    (b->dynamic && layout->n_dynamic + in->count > SUNDOG_MAX_DYNAMIC_OFFSETS) ||
	    (b->kind == SET_MUTABLE && layout->n_mutable == SUNDOG_MAX_MUTABLE_BINDINGS))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 3 + n * sizeof(*in) / 4);
	layout->n_elements += in->count;
	layout->n_resources += b->kind == SET_SAMPLER ? 0 : in->count;
	layout->n_samplers += b->kind == SET_SAMPLER || b->kind == SLOT_TEXTURE ||
					      b->kind == SET_MUTABLE
				      ? in->count
				      : 0;
	layout->n_dynamic += b->dynamic ? in->count : 0;
	layout->n_dynamic_bindings += b->dynamic;
	layout->n_mutable += b->kind == SET_MUTABLE;
	layout->n_bindings++;
	return true;
}

/* All types that elements of a mutable binding may have. */
static const VkDescriptorType mutable_type_list[] = {
	VK_DESCRIPTOR_TYPE_SAMPLER,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
	VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
	VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
};
static const VkMutableDescriptorTypeListEXT mutable_types = {
	sizeof(mutable_type_list) / sizeof(mutable_type_list[0]), mutable_type_list,
};

/*
 * Create the host's layout, with consecutive binding numbers; image_layout.c gives variables the
 * same numbers. @bindings and @types, zeros: room for all bindings.
 */
static bool make_host_layout(struct exec *x, struct set_layout *layout,
			     VkDescriptorSetLayoutBinding *bindings,
			     VkMutableDescriptorTypeListEXT *types)
{
	const VkMutableDescriptorTypeCreateInfoEXT mutables = {
		.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
		.mutableDescriptorTypeListCount = layout->n_bindings,
		.pMutableDescriptorTypeLists = types,
	};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = layout->n_mutable ? &mutables : NULL,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.bindingCount = layout->n_bindings, .pBindings = bindings,
	};
	VkResult r;

	for (uint32_t i = 0; i < layout->n_bindings; i++) {
		bindings[i] = (VkDescriptorSetLayoutBinding){
			i,
			descriptor_type(layout->bindings[i].kind),
			layout->bindings[i].count,
			shader_all_stages(x),
			NULL,
		};
		if (layout->bindings[i].kind == SET_MUTABLE)
			types[i] = mutable_types;
	}
	r = x->vk.CreateDescriptorSetLayout(x->vk.device, &info, NULL, &layout->layout);
	if (r != VK_SUCCESS)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	for (uint32_t i = 0; i < layout->n_bindings; i++)
		x->vk.GetDescriptorSetLayoutBindingOffsetEXT(x->vk.device, layout->layout, i,
							     &layout->bindings[i].offset);
	x->vk.GetDescriptorSetLayoutSizeEXT(x->vk.device, layout->layout, &layout->size);
	/* The host adds offsets in 32 bits. */
	return layout->size <= UINT32_MAX || fault(x, SUNDOG_FAULT_CODE_RANGE, layout->n_elements);
}

static bool make_host_things(struct exec *x, struct set_layout *layout)
{
	VkDescriptorSetLayoutBinding *bindings = calloc(layout->n_bindings + 1, sizeof(*bindings));
	VkMutableDescriptorTypeListEXT *types = calloc(layout->n_bindings + 1, sizeof(*types));
	const bool ok = bindings && types ?
				make_host_layout(x, layout, bindings, types) :
				fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);

	free(types);
	free(bindings);
	return ok;
}

bool run_create_set_layout(struct exec *x, const struct sundog_cmd_create_set_layout *cmd,
			   const struct sundog_set_binding *bindings)
{
	struct set_layout *layout;
	bool ok = true;

	if (!object_id_free(x, cmd->id))
		return false;
	layout = calloc(1, sizeof(*layout) + cmd->count * sizeof(layout->bindings[0]));
	if (layout)
		layout->declared = malloc(cmd->count * sizeof(*bindings) + 1);
	if (!layout || !layout->declared) {
		free(layout);
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	memcpy(layout->declared, bindings, cmd->count * sizeof(*bindings));
	layout->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_SET_LAYOUT, .refs = 1 };
	for (uint32_t i = 0; ok && i < cmd->count; i++)
		ok = add_binding(x, layout, &bindings[i]);
	if (!ok || !make_host_things(x, layout)) {
		set_layout_free(x, layout);
		return false;
	}
	object_publish(x, cmd->id, &layout->object);
	return true;
}

uint32_t pipeline_layout_sets(const struct pipeline_layout *layout, VkDescriptorSetLayout *out)
{
	for (uint32_t i = 0; i < layout->n_sets; i++)
		out[i] = layout->sets[i]->layout;
	if (!layout->dynamic.layout)
		return layout->n_sets;
	out[layout->n_sets] = layout->dynamic.layout;
	return layout->n_sets + 1;
}

#define MAX_DYNAMIC_BINDINGS ((SUNDOG_MAX_SETS - 1) * SUNDOG_MAX_DYNAMIC_OFFSETS)

/* List the dynamic bindings in the order in which the gate numbers them, see gate.h. */
static uint32_t list_dynamic(const struct exec *x, const struct pipeline_layout *layout,
			     VkDescriptorSetLayoutBinding *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < layout->n_sets; i++)
		for (uint32_t j = 0; j < layout->sets[i]->n_bindings; j++) {
			const struct set_binding *b = &layout->sets[i]->bindings[j];

			if (!b->dynamic)
				continue;
			out[n] = (VkDescriptorSetLayoutBinding){
				n, descriptor_type(b->kind), b->count, shader_all_stages(x), NULL,
			};
			n++;
		}
	return n;
}

static bool make_dynamic_set(struct exec *x, struct dynamic_set *set,
			     const VkDescriptorSetLayoutBinding *bindings, uint32_t n)
{
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.bindingCount = n, .pBindings = bindings,
	};
	VkResult r;

	set->offsets = calloc(n, sizeof(*set->offsets));
	if (!set->offsets)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	r = x->vk.CreateDescriptorSetLayout(x->vk.device, &info, NULL, &set->layout);
	if (r != VK_SUCCESS)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	for (uint32_t i = 0; i < n; i++)
		x->vk.GetDescriptorSetLayoutBindingOffsetEXT(x->vk.device, set->layout, i,
							     &set->offsets[i]);
	x->vk.GetDescriptorSetLayoutSizeEXT(x->vk.device, set->layout, &set->size);
	return true;
}

/*
 * Create the set for dynamic bindings, unless the layout has the maximum number of sets or
 * descriptors without it.
 */
static bool add_dynamic_set(struct exec *x, struct pipeline_layout *layout, uint32_t resources)
{
	VkDescriptorSetLayoutBinding bindings[MAX_DYNAMIC_BINDINGS];
	uint32_t n_dynamic = 0;

	for (uint32_t i = 0; i < layout->n_sets; i++)
		n_dynamic += layout->sets[i]->n_dynamic;
	if (!n_dynamic || layout->n_sets == SUNDOG_MAX_SETS ||
	    resources + n_dynamic > SUNDOG_MAX_SET_DESCRIPTORS)
		return true;
	return make_dynamic_set(x, &layout->dynamic, bindings, list_dynamic(x, layout, bindings));
}

static bool make_host_pipeline_layout(struct exec *x, struct pipeline_layout *layout)
{
	const VkPushConstantRange range = shader_push_range(x);
	VkDescriptorSetLayout sets[SUNDOG_MAX_SETS];
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = pipeline_layout_sets(layout, sets), .pSetLayouts = sets,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &range,
	};
	VkResult r;

	r = x->vk.CreatePipelineLayout(x->vk.device, &info, NULL, &layout->layout);
	return r == VK_SUCCESS || fault(x, SUNDOG_FAULT_CODE_HOST, -r);
}

static bool take_sets(struct exec *x, struct pipeline_layout *layout, uint32_t count,
		      const uint32_t *ids)
{
	uint32_t resources = 0, samplers = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct set_layout *set = (struct set_layout *)
			object_find(x, ids[i], SUNDOG_OBJECT_KIND_SET_LAYOUT);

		if (!set)
			return false;
		/* The host's limits apply to all sets together. */
		resources += set->n_resources;
		samplers += set->n_samplers;
		if (resources > SUNDOG_MAX_SET_DESCRIPTORS || samplers > SUNDOG_MAX_SET_DESCRIPTORS)
			return fault(x, SUNDOG_FAULT_CODE_FIELD, 4 + i);
		object_ref(&set->object);
		layout->sets[layout->n_sets++] = set;
	}
	return add_dynamic_set(x, layout, resources);
}

bool run_create_pipeline_layout(struct exec *x, const struct sundog_cmd_create_pipeline_layout *cmd,
				const uint32_t *layouts)
{
	struct pipeline_layout *layout;

	if (!object_id_free(x, cmd->id))
		return false;
	layout = calloc(1, sizeof(*layout));
	if (!layout)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	layout->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_PIPELINE_LAYOUT, .refs = 1 };
	layout->push_size = cmd->push_size;
	if (!take_sets(x, layout, cmd->count, layouts) || !make_host_pipeline_layout(x, layout)) {
		pipeline_layout_free(x, layout);
		return false;
	}
	object_publish(x, cmd->id, &layout->object);
	return true;
}

void set_layout_free(struct exec *x, struct set_layout *layout)
{
	x->vk.DestroyDescriptorSetLayout(x->vk.device, layout->layout, NULL);
	free(layout->declared);
	free(layout);
}

void pipeline_layout_free(struct exec *x, struct pipeline_layout *layout)
{
	for (uint32_t i = 0; i < layout->n_sets; i++)
		object_unref(x, &layout->sets[i]->object);
	x->vk.DestroyPipelineLayout(x->vk.device, layout->layout, NULL);
	x->vk.DestroyDescriptorSetLayout(x->vk.device, layout->dynamic.layout, NULL);
	free(layout->dynamic.offsets);
	free(layout);
}
