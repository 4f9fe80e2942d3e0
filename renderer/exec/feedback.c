// SPDX-License-Identifier: MIT
/*
 * Transform feedback: counters, buffers, begin and end, see feedback.h. Called by the decoder on
 * the worker's main thread.
 */
#include "exec/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"
#include "sundog_run.h"

static const VkDeviceSize no_offsets[SUNDOG_MAX_FEEDBACK_BUFFERS];

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

bool feedback_fits(const struct feedback *f, uint32_t buffers)
{
	/* The host has no buffers behind the last bound one, and captures nothing to them. */
	const uint32_t there = (1u << count_bound(f)) - 1;

	return !f->on || (buffers && !(buffers & there & ~f->bound));
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
	to->sizes[i] = x->draw.feedback.sizes[i] = range->size;
	x->draw.feedback.bound |= 1u << i;
	return true;
}

/*
 * Bind all buffers up to the last one, without holes: an unbound one is replaced by the last
 * buffer, and feedback_fits() ensures that no shader writes to it.
 */
static void bind_to_host(struct exec *x, struct bindings *b)
{
	const uint32_t n = count_bound(&x->draw.feedback);

	for (uint32_t i = 0; i < n; i++) {
		if (b->buffers[i])
			continue;
		b->buffers[i] = b->buffers[n - 1];
		b->offsets[i] = b->offsets[n - 1];
		b->sizes[i] = b->sizes[n - 1];
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

/*
 * Outside renderings no counter is in use. The barrier is needed because the client's barriers do
 * not cover the counter's private memory.
 */
bool run_copy_feedback_counter(struct exec *x, const struct sundog_cmd_copy_feedback_counter *cmd)
{
	const VkBufferCopy region = { .dstOffset = cmd->offset, .size = sizeof(uint32_t) };
	const struct feedback_counter *counter;
	struct alloc *alloc;
	VkBuffer buffer;

	if (!x->vk.feedback)
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_COPY_FEEDBACK_COUNTER);
	if (!outside_rendering(x, SUNDOG_OP_COPY_FEEDBACK_COUNTER))
		return false;
	counter = (struct feedback_counter *)object_find(x, cmd->counter,
							 SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER);
	alloc = counter ? memory_find(x, cmd->mem, SUNDOG_ACCESS_WRITE) : NULL;
	buffer = alloc ? memory_words(x, alloc, cmd->offset, region.size) : VK_NULL_HANDLE;
	if (!buffer)
		return false;
	vk_full_barrier(&x->vk, x->draw.cmd);
	x->vk.CmdCopyBuffer(x->draw.cmd, counter->buffer.buffer, buffer, 1, &region);
	return true;
}
