// SPDX-License-Identifier: MIT
/*
 * Handle tables: objects, writes and binding, see handle.h. Called by the decoder on the worker's
 * main thread.
 */
#include "exec/handle.h"
#include "exec/buffer_view.h"

#include <stdlib.h>
#include <string.h>

#include "exec/caps.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "gate/texture.h"
#include "sundog_run.h"

/* A table entry that is not empty. */
struct handle {
	struct handle *next, **link;	/* in its table's list */
	struct object *view, *sampler;
	const struct alloc *alloc;
	bool storage;
};

struct handle_table {
	struct object object;
	struct vk_host_buffer buffer;
	/* MAX_HANDLES entries each; NULL: the kind was never used */
	struct handle *kinds[SUNDOG_NUM_HANDLE_KINDS];
	struct handle *first;
	/*
	 * last submissions in which the memory of all entries was checked to be listed: for
	 * reading; and storage images for writing, too
	 */
	uint64_t checked[2];
	struct handle_table *next_written;
	bool in_written;
	/* a write was not submitted: the buffer differs from the entries */
	bool lost;
};

static enum slot_kind slot_kind_of(uint32_t binding)
{
	const uint32_t dim = binding / SUNDOG_NUM_HANDLE_NUMBERS % SUNDOG_NUM_HANDLE_DIMS;
	const bool texels = dim == SUNDOG_HANDLE_DIM_BUFFER;

	if (handle_binding_class(binding) == SUNDOG_HANDLE_CLASS_SAMPLED)
		return texels ? SLOT_TEXELS : SLOT_TEXTURE;
	return texels ? SLOT_STORAGE_TEXELS : SLOT_IMAGE;
}

bool handles_init(struct exec *x)
{
	VkDescriptorSetLayoutBinding bindings[SUNDOG_NUM_HANDLE_KINDS];
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.bindingCount = SUNDOG_NUM_HANDLE_KINDS, .pBindings = bindings,
	};
	VkDescriptorSetLayout *layout = &x->draw.set_layouts[SUNDOG_HANDLE_SET];
	struct handles *h = &x->draw.handles;

	for (uint32_t i = 0; i < SUNDOG_NUM_HANDLE_KINDS; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){
			i, descriptor_type(slot_kind_of(i)), SUNDOG_MAX_HANDLES,
			VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT, NULL,
		};
	if (x->vk.CreateDescriptorSetLayout(x->vk.device, &info, NULL, layout) != VK_SUCCESS)
		return false;
	for (uint32_t i = 0; i < SUNDOG_NUM_HANDLE_KINDS; i++)
		x->vk.GetDescriptorSetLayoutBindingOffsetEXT(x->vk.device, *layout, i,
							     &h->offset[i]);
	x->vk.GetDescriptorSetLayoutSizeEXT(x->vk.device, *layout, &h->size);
	return true;
}

/* Streams */

void handles_begin(struct handles *h)
{
	h->bound = NULL;
	h->unsettled = false;
	h->points = 0;
}

void handles_settle(struct exec *x)
{
	struct handles *h = &x->draw.handles;

	if (!h->unsettled)
		return;
	vk_full_barrier(&x->vk, x->draw.cmd);
	h->unsettled = false;
}

void handles_done(struct handles *h, bool submitted)
{
	while (h->written) {
		struct handle_table *table = h->written;

		h->written = table->next_written;
		table->in_written = false;
		table->lost |= !submitted;
	}
}

/* Objects */

static bool has_room(const struct handles *h)
{
	return (h->n_tables + 1) * h->size <= MAX_HANDLE_BYTES;
}

bool run_create_handle_table(struct exec *x, const struct sundog_cmd_create_handle_table *cmd)
{
	struct handle_table *table;

	if (!exec_has(x, SUNDOG_FEATURE_BINDLESS))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_CREATE_HANDLE_TABLE);
	if (!object_id_free(x, cmd->id))
		return false;
	table = has_room(&x->draw.handles) ? calloc(1, sizeof(*table)) : NULL;
	if (!table || !vk_host_buffer_init(&x->vk, &table->buffer, x->draw.handles.size,
					   VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
					   VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
					   VK_BUFFER_USAGE_TRANSFER_DST_BIT)) {
		free(table);
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	x->draw.handles.n_tables++;
	table->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_HANDLE_TABLE, .refs = 1 };
	object_publish(x, cmd->id, &table->object);
	return true;
}

/* Drop the entry's references and make it empty. */
static void clear_handle(struct exec *x, struct handle *handle)
{
	if (!handle->view)
		return;
	*handle->link = handle->next;
	if (handle->next)
		handle->next->link = handle->link;
	object_unref(x, handle->view);
	if (handle->sampler)
		object_unref(x, handle->sampler);
	*handle = (struct handle){ 0 };
}

void handle_table_free(struct exec *x, struct handle_table *table)
{
	while (table->first)
		clear_handle(x, table->first);
	for (uint32_t i = 0; i < SUNDOG_NUM_HANDLE_KINDS; i++) {
		x->draw.handles.n_kinds -= !!table->kinds[i];
		free(table->kinds[i]);
	}
	x->draw.handles.n_tables--;
	vk_host_buffer_fini(&x->vk, &table->buffer);
	free(table);
}

/*
 * Allocate the entries of a kind and fill its table with null descriptors, before its first read or
 * write. Returns false with a fault recorded if there is no memory.
 */
static bool make_kind(struct exec *x, struct handle_table *table, uint32_t binding)
{
	const enum slot_kind kind = slot_kind_of(binding);
	const uint32_t size = x->draw.descriptor_size[kind];
	unsigned char *at = (unsigned char *)table->buffer.map + x->draw.handles.offset[binding];

	if (table->kinds[binding])
		return true;
	if (x->draw.handles.n_kinds < MAX_HANDLE_KINDS)
		table->kinds[binding] = calloc(SUNDOG_MAX_HANDLES, sizeof(struct handle));
	if (!table->kinds[binding])
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	x->draw.handles.n_kinds++;
	for (uint32_t i = 0; i < SUNDOG_MAX_HANDLES; i++)
		memcpy(at + (size_t)i * size, x->draw.null[kind], size);
	return true;
}

/* Writing */

static bool is_of_kind(const struct exec *x, uint32_t binding, uint32_t kind, VkFormat format)
{
	const enum sundog_handle_class class = handle_binding_class(binding);

	return texture_kind_binding(kind, class) == binding &&
	       (class != SUNDOG_HANDLE_CLASS_ATOMIC ||
		caps_format(x, format) & SUNDOG_FORMAT_FEATURE_ATOMIC);
}

static bool describe_texels(struct exec *x, const struct sundog_cmd_write_handle *cmd,
			    struct handle *out, unsigned char *bytes)
{
	const enum slot_kind kind = slot_kind_of(cmd->binding);
	struct buffer_view *view =
		(struct buffer_view *)object_find(x, cmd->view, SUNDOG_OBJECT_KIND_BUFFER_VIEW);
	const void *descriptor;

	if (!view)
		return false;
	if (!buffer_view_can_be(x, view, kind) ||
	    !is_of_kind(x, cmd->binding, view->kind, view->format))
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, cmd->view);
	descriptor = buffer_view_descriptor(x, view, kind);
	if (!descriptor)
		return false;
	memcpy(bytes, descriptor, x->draw.descriptor_size[kind]);
	out->view = &view->object;
	out->alloc = view->alloc;
	return true;
}

static bool describe_image(struct exec *x, const struct sundog_cmd_write_handle *cmd,
			   struct handle *out, unsigned char *bytes)
{
	const enum slot_kind kind = slot_kind_of(cmd->binding);
	const bool storage = kind == SLOT_IMAGE;
	struct image_view *view = (struct image_view *)object_find(x, cmd->view,
								   SUNDOG_OBJECT_KIND_IMAGE_VIEW);
	struct sampler *sampler = NULL;

	if (!view)
		return false;
	if (!(view->usage & (storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT)) ||
	    (storage && view->levels != 1) ||
	    !is_of_kind(x, cmd->binding, view->kind, view->format))
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, cmd->view);
	if (!storage) {
		sampler = (struct sampler *)object_find(x, cmd->sampler,
							SUNDOG_OBJECT_KIND_SAMPLER);
		if (!sampler)
			return false;
		out->sampler = &sampler->object;
	}
	descriptor_of_image(x, kind, view->view, sampler ? sampler->sampler : VK_NULL_HANDLE,
			    bytes);
	out->view = &view->object;
	out->alloc = view->image->alloc;
	return true;
}

/*
 * Get the descriptor bytes and the references for a write packet. Returns false with a fault
 * recorded on failure.
 */
static bool describe(struct exec *x, const struct sundog_cmd_write_handle *cmd,
		     struct handle *out, unsigned char *bytes)
{
	const enum slot_kind kind = slot_kind_of(cmd->binding);

	*out = (struct handle){ .storage = handle_binding_class(cmd->binding) !=
					   SUNDOG_HANDLE_CLASS_SAMPLED };
	if (!cmd->view) {
		memcpy(bytes, x->draw.null[kind], x->draw.descriptor_size[kind]);
		return true;
	}
	if (kind == SLOT_TEXELS || kind == SLOT_STORAGE_TEXELS)
		return describe_texels(x, cmd, out, bytes);
	return describe_image(x, cmd, out, bytes);
}

static void set_handle(struct exec *x, struct handle_table *table, struct handle *handle,
		       const struct handle *to)
{
	if (to->view)
		object_ref(to->view);
	if (to->sampler)
		object_ref(to->sampler);
	clear_handle(x, handle);
	if (!to->view)
		return;
	*handle = *to;
	handle->next = table->first;
	handle->link = &table->first;
	if (handle->next)
		handle->next->link = &handle->next;
	table->first = handle;
	memset(table->checked, 0, sizeof(table->checked));
}

/* Record the write of an entry's bytes on the queue, after all earlier commands. */
static void record_write(struct exec *x, struct handle_table *table, VkDeviceSize at,
			 VkDeviceSize size, const void *bytes)
{
	struct handles *h = &x->draw.handles;

	if (!h->unsettled)
		vk_full_barrier(&x->vk, x->draw.cmd);
	x->vk.CmdUpdateBuffer(x->draw.cmd, table->buffer.buffer, at, size, bytes);
	h->unsettled = true;
	if (table->in_written)
		return;
	table->in_written = true;
	table->next_written = h->written;
	h->written = table;
}

static struct handle_table *find_table(struct exec *x, uint32_t id)
{
	struct handle_table *table = (struct handle_table *)
		object_find(x, id, SUNDOG_OBJECT_KIND_HANDLE_TABLE);

	if (table && table->lost) {
		fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
		return NULL;
	}
	return table;
}

bool run_write_handle(struct exec *x, const struct sundog_cmd_write_handle *cmd)
{
	unsigned char bytes[MAX_DESCRIPTOR_SIZE];
	struct handle_table *table;
	struct handle handle;
	uint32_t size;

	if (!exec_has(x, SUNDOG_FEATURE_BINDLESS))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_WRITE_HANDLE);
	if (!outside_rendering(x, SUNDOG_OP_WRITE_HANDLE))
		return false;
	table = find_table(x, cmd->table);
	if (!table || !make_kind(x, table, cmd->binding) || !describe(x, cmd, &handle, bytes))
		return false;
	size = x->draw.descriptor_size[slot_kind_of(cmd->binding)];
	record_write(x, table,
		     x->draw.handles.offset[cmd->binding] + (VkDeviceSize)cmd->index * size, size,
		     bytes);
	set_handle(x, table, &table->kinds[cmd->binding][cmd->index], &handle);
	return true;
}

/* Use */

bool run_bind_handles(struct exec *x, const struct sundog_cmd_bind_handles *cmd)
{
	struct handle_table *table = NULL;

	if (!exec_has(x, SUNDOG_FEATURE_BINDLESS))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BIND_HANDLES);
	if (cmd->table) {
		table = find_table(x, cmd->table);
		if (!table)
			return false;
	}
	x->draw.handles.bound = table;
	return true;
}

VkDeviceAddress handles_address(const struct handles *h)
{
	return h->bound ? h->bound->buffer.address : 0;
}

static bool all_listed(struct exec *x, struct handle_table *table, bool writes)
{
	if (table->checked[writes] == x->memory.stamp)
		return true;
	for (const struct handle *handle = table->first; handle; handle = handle->next)
		if (!memory_check(x, handle->alloc, SUNDOG_ACCESS_READ) ||
		    (writes && handle->storage &&
		     !memory_check(x, handle->alloc, SUNDOG_ACCESS_WRITE)))
			return false;
	table->checked[writes] = x->memory.stamp;
	return true;
}

bool handles_used(const struct draw *d, uint32_t stages)
{
	for (uint32_t s = 0; s < NUM_STAGES; s++)
		if (stages >> s & 1 && d->shaders[s] && d->shaders[s]->n_tables)
			return true;
	return false;
}

static bool ready_for(struct exec *x, struct handle_table *table, const struct shader *shader)
{
	for (uint32_t i = 0; i < shader->n_tables; i++)
		if (!make_kind(x, table, shader->tables[i]))
			return false;
	return all_listed(x, table, shader->writes_handles);
}

bool handles_ready(struct exec *x, uint32_t stages)
{
	struct handle_table *table = x->draw.handles.bound;

	if (!table)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BIND_HANDLES);
	for (uint32_t s = 0; s < NUM_STAGES; s++)
		if (handles_used(&x->draw, stages & 1u << s) &&
		    !ready_for(x, table, x->draw.shaders[s]))
			return false;
	return true;
}

void handles_flush(struct exec *x, uint32_t stages)
{
	const VkPipelineBindPoint point = stages_bind_point(stages);
	const uint32_t buffer = DESCRIPTOR_BUFFER_HANDLES;
	const VkDeviceSize offset = 0;

	if (x->draw.handles.points >> point & 1)
		return;
	x->vk.CmdSetDescriptorBufferOffsetsEXT(x->draw.cmd, point, x->draw.pipeline_layout,
					       SUNDOG_HANDLE_SET, 1, &buffer, &offset);
	x->draw.handles.points |= 1u << point;
	/* The offset applies to all stages, see sets_flush(). */
	x->draw.bound_sets[0].dirty = x->draw.bound_sets[1].dirty = true;
}
