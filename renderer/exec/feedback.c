// SPDX-License-Identifier: MIT
/*
 * Transform feedback: counters, buffers, begin and end, see feedback.h. Called by the decoder on
 * the worker's main thread.
 */
#include "exec/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "exec/dispatch.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/quirk_prelude.h"
#include "feedback.comp.h"
#include "sundog_run.h"

static const VkDeviceSize no_offsets[SUNDOG_MAX_FEEDBACK_BUFFERS];

/* Push constants of the shader: addresses of u32. */
struct counter_copy {
	VkDeviceAddress from, to;
	uint32_t base, limit;
};

bool feedback_init(struct exec *x)
{
	return !exec_has(x, SUNDOG_FEATURE_FEEDBACK_MEMORY) ||
	       prelude_shader(x, SUNDOG_STAGE_COMPUTE, feedback_comp, sizeof(feedback_comp),
			      &x->copy_counter);
}

void feedback_reset(struct feedback *f)
{
	f->bound = 0;
	f->on = false;
}

void feedback_done(struct feedback *f, bool submitted)
{
	while (f->counted) {
		struct feedback_counter *counter = f->counted;

		f->counted = counter->next_counted;
		counter->in_counted = false;
		if (!submitted)
			counter->size = counter->size_before;
	}
}

bool feedback_has(const struct feedback *f, const struct feedback_counter *counter)
{
	for (uint32_t i = 0; f->on && i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++)
		if (f->counters[i] == counter)
			return true;
	return false;
}

static uint32_t count_bound(const struct feedback *f)
{
	return f->bound ? 32 - __builtin_clz(f->bound) : 0;
}

bool run_create_feedback_counter(struct exec *x,
				 const struct sundog_cmd_create_feedback_counter *cmd)
{
	struct feedback_counter *counter;

	if (!x->vk.feedback)
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_CREATE_FEEDBACK_COUNTER);
	if (!object_id_free(x, cmd->id))
		return false;
	counter = calloc(1, sizeof(*counter));
	if (!counter ||
	    !vk_host_buffer_init(&x->vk, &counter->buffer, sizeof(uint32_t),
				 VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
					 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
					 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
					 VK_BUFFER_USAGE_TRANSFER_SRC_BIT)) {
		free(counter);
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	memset(counter->buffer.map, 0, sizeof(uint32_t));
	counter->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER, .refs = 1 };
	object_publish(x, cmd->id, &counter->object);
	return true;
}

void feedback_counter_free(struct exec *x, struct feedback_counter *counter)
{
	vk_host_buffer_fini(&x->vk, &counter->buffer);
	free(counter);
}

/* Feedback buffers in the form in which the host takes them. */
struct bindings {
	VkBuffer buffers[SUNDOG_MAX_FEEDBACK_BUFFERS];
	VkDeviceSize offsets[SUNDOG_MAX_FEEDBACK_BUFFERS], sizes[SUNDOG_MAX_FEEDBACK_BUFFERS];
};

static bool take_buffer(struct exec *x, uint32_t i, const struct sundog_mem_range *range,
			struct bindings *to)
{
	struct alloc *alloc = memory_find(x, range->mem, SUNDOG_ACCESS_WRITE);

	if (!alloc)
		return false;
	if (range->size % 4)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	to->buffers[i] = memory_words(x, alloc, range->offset, range->size);
	if (!to->buffers[i])
		return false;
	to->offsets[i] = range->offset;
	to->sizes[i] = range->size;
	if (to->sizes[i] > SUNDOG_MAX_FEEDBACK_SIZE)
		to->sizes[i] = SUNDOG_MAX_FEEDBACK_SIZE;
	x->draw.feedback.sizes[i] = to->sizes[i];
	x->draw.feedback.bound |= 1u << i;
	return true;
}

/*
 * Bind all buffers up to the last one, without holes: instead of an unbound one no bytes of the
 * last buffer. If a shader writes to it, the host has no room for the primitive, and captures
 * nothing of it; behind the last buffer, too.
 */
static void bind_to_host(struct exec *x, struct bindings *b)
{
	const uint32_t n = count_bound(&x->draw.feedback);

	for (uint32_t i = 0; i < n; i++) {
		if (b->buffers[i])
			continue;
		b->buffers[i] = b->buffers[n - 1];
		b->offsets[i] = b->offsets[n - 1];
		b->sizes[i] = 0;
	}
	if (n)
		x->vk.CmdBindTransformFeedbackBuffersEXT(x->draw.cmd, 0, n, b->buffers, b->offsets,
							 b->sizes);
}

bool run_bind_feedback_buffers(struct exec *x, const struct sundog_cmd_bind_feedback_buffers *cmd,
			       const struct sundog_mem_range *buffers)
{
	struct bindings bindings = { 0 };

	if (!x->vk.feedback)
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BIND_FEEDBACK_BUFFERS);
	if (x->draw.feedback.on)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BIND_FEEDBACK_BUFFERS);
	x->draw.feedback.bound = 0;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (buffers[i].size && !take_buffer(x, i, &buffers[i], &bindings))
			return false;
	bind_to_host(x, &bindings);
	return true;
}

/* Use the packet's counter for buffer @i. Returns false with a fault recorded on failure. */
static bool take_counter(struct exec *x, const struct sundog_cmd_begin_feedback *cmd, uint32_t i)
{
	struct feedback *f = &x->draw.feedback;
	struct feedback_counter *counter;

	if (!(f->bound >> i & 1))
		return !(cmd->counters[i] || cmd->resume >> i & 1) ||
		       fault(x, SUNDOG_FAULT_CODE_FIELD, 2 + i);
	counter = (struct feedback_counter *)object_find(x, cmd->counters[i],
							 SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER);
	if (!counter)
		return false;
	if (feedback_has(f, counter) || (cmd->resume >> i & 1 && counter->size > f->sizes[i]))
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, cmd->counters[i]);
	f->counters[i] = counter;
	return true;
}

/*
 * Write the buffers of the counters of @mask to @out, null for the others. Returns their number up
 * to the last bound buffer.
 */
static uint32_t counter_buffers(const struct feedback *f, uint32_t mask, VkBuffer *out)
{
	for (uint32_t i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++)
		out[i] = mask >> i & 1 ? f->counters[i]->buffer.buffer : VK_NULL_HANDLE;
	return count_bound(f);
}

bool run_begin_feedback(struct exec *x, const struct sundog_cmd_begin_feedback *cmd)
{
	struct feedback *f = &x->draw.feedback;
	VkBuffer buffers[SUNDOG_MAX_FEEDBACK_BUFFERS];
	uint32_t n;

	if (!x->draw.scope || x->draw.view_mask || f->on || !f->bound)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BEGIN_FEEDBACK);
	f->on = true;
	memset(f->counters, 0, sizeof(f->counters));
	for (uint32_t i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++)
		if (!take_counter(x, cmd, i))
			return false;
	n = counter_buffers(f, cmd->resume, buffers);
	x->vk.CmdBeginTransformFeedbackEXT(x->draw.cmd, 0, n, buffers, no_offsets);
	return true;
}

/* Note that once this stream is submitted, the value of @counter is at most @size. */
static void counted(struct feedback *f, struct feedback_counter *counter, uint64_t size)
{
	if (!counter->in_counted) {
		counter->size_before = counter->size;
		counter->in_counted = true;
		counter->next_counted = f->counted;
		f->counted = counter;
	}
	counter->size = size;
}

bool run_end_feedback(struct exec *x)
{
	struct feedback *f = &x->draw.feedback;
	VkBuffer buffers[SUNDOG_MAX_FEEDBACK_BUFFERS];
	uint32_t n;

	if (!f->on)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_FEEDBACK);
	n = counter_buffers(f, f->bound, buffers);
	x->vk.CmdEndTransformFeedbackEXT(x->draw.cmd, 0, n, buffers, no_offsets);
	for (uint32_t i = 0; i < n; i++)
		if (f->counters[i])
			counted(f, f->counters[i], f->sizes[i]);
	f->on = false;
	return true;
}

/* Returns a counter that active transform feedback does not use; NULL with a fault. */
static struct feedback_counter *find_idle(struct exec *x, uint32_t id)
{
	struct feedback_counter *counter =
		(struct feedback_counter *)object_find(x, id, SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER);

	if (!counter || !feedback_has(&x->draw.feedback, counter))
		return counter;
	fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
	return NULL;
}

/* Returns memory that is listed with @access and has a u32 at @offset; NULL with a fault. */
static struct alloc *find_word(struct exec *x, struct sundog_mem mem, uint64_t offset,
			       uint32_t access)
{
	struct alloc *alloc = memory_find(x, mem, access);

	return alloc && memory_words(x, alloc, offset, sizeof(uint32_t)) ? alloc : NULL;
}

/* The client's barriers do not cover the counters' private memory. */
static void barrier(struct exec *x)
{
	if (!x->draw.scope)
		vk_full_barrier(&x->vk, x->draw.cmd);
}

bool run_copy_feedback_counter(struct exec *x, const struct sundog_cmd_copy_feedback_counter *cmd)
{
	const VkBufferCopy region = { .dstOffset = cmd->offset, .size = sizeof(uint32_t) };
	const struct feedback_counter *counter;
	struct counter_copy copy = { .limit = UINT32_MAX };
	struct alloc *alloc;

	if (!x->vk.feedback)
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_COPY_FEEDBACK_COUNTER);
	if (!exec_has(x, SUNDOG_FEATURE_FEEDBACK_MEMORY) &&
	    !outside_rendering(x, SUNDOG_OP_COPY_FEEDBACK_COUNTER))
		return false;
	counter = find_idle(x, cmd->counter);
	alloc = counter ? find_word(x, cmd->mem, cmd->offset, SUNDOG_ACCESS_WRITE) : NULL;
	if (!alloc)
		return false;
	if (x->draw.scope) {
		copy.from = counter->buffer.address;
		copy.to = alloc->address + cmd->offset;
		dispatch_own(x, x->copy_counter, &copy, sizeof(copy));
		return true;
	}
	barrier(x);
	x->vk.CmdCopyBuffer(x->draw.cmd, counter->buffer.buffer, alloc->buffer, 1, &region);
	return true;
}

bool run_load_feedback_counter(struct exec *x, const struct sundog_cmd_load_feedback_counter *cmd)
{
	struct counter_copy copy = { .base = cmd->base, .limit = cmd->limit };
	struct feedback_counter *counter;
	struct alloc *alloc;

	if (!exec_has(x, SUNDOG_FEATURE_FEEDBACK_MEMORY))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_LOAD_FEEDBACK_COUNTER);
	counter = find_idle(x, cmd->counter);
	alloc = counter ? find_word(x, cmd->mem, cmd->offset, SUNDOG_ACCESS_READ) : NULL;
	if (!alloc)
		return false;
	copy.from = alloc->address + cmd->offset;
	copy.to = counter->buffer.address;
	barrier(x);
	dispatch_own(x, x->copy_counter, &copy, sizeof(copy));
	barrier(x);
	counted(&x->draw.feedback, counter, cmd->limit);
	return true;
}
