// SPDX-License-Identifier: MIT
/*
 * Query values and conditional rendering, see query_value.h. Called by the decoder on the worker's
 * main thread.
 */
#include "exec/query_value.h"
#include "exec/barrier.h"
#include "exec/dispatch.h"

#include <stddef.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/quirk_prelude.h"
#include "query_value.comp.h"
#include "sundog_run.h"

_Static_assert(SUNDOG_MAX_QUERIES == 64, "query_value.comp has room for as many terms");
_Static_assert(offsetof(struct query_value, terms) == 48, "query_value.comp has them there");

/* Push constants of the shader. */
struct arguments {
	VkDeviceAddress results, value;
};

bool query_values_init(struct exec *x)
{
	return !exec_has(x, SUNDOG_FEATURE_QUERY_VALUES) ||
	       prelude_shader(x, SUNDOG_STAGE_COMPUTE, query_value_comp, sizeof(query_value_comp),
			      &x->query_value);
}

/* Returns the offset of query value @i in the batch's results. */
static VkDeviceSize offset_of(uint32_t i)
{
	return SUNDOG_MAX_QUERIES * QUERY_WORDS * sizeof(uint64_t) + i * sizeof(struct query_value);
}

static struct query_value *value_at(const struct queries *q, uint32_t i)
{
	return (struct query_value *)((char *)q->results.map + offset_of(i));
}

/* Computing */

static void add_term(struct query_value *v, uint32_t side, uint32_t word)
{
	v->terms[side][v->counts[side]++] = word;
}

/*
 * Add results of this batch's queries that will be added to *@at. Returns false with a fault
 * recorded if there are too many.
 */
static bool add_terms(struct exec *x, struct query_value *v, uint32_t side, const uint64_t *at)
{
	struct queries *q = &x->batches.recording->queries;
	uint32_t word;

	for (uint32_t i = 0; i < q->used; i++) {
		if (!query_adds_to(&q->query[i], at, &word))
			continue;
		if (v->counts[side] == SUNDOG_MAX_QUERIES)
			return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_COMPUTE_QUERY_VALUE);
		query_copy(&x->vk, q, i, x->draw.cmd);
		add_term(v, side, i * QUERY_WORDS + word);
	}
	return true;
}

static bool add_word(struct exec *x, struct query_value *v, uint32_t side,
		     const struct sundog_mem_word *word)
{
	struct alloc *alloc = memory_find_alloc(x, word->mem, SUNDOG_ACCESS_READ);
	const uint64_t *at;

	if (!alloc)
		return false;
	if (word->offset % 8 || !memory_range(x, alloc, word->offset, sizeof(*at)))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	at = memory_at(alloc, word->offset);
	batches_wait_results(x, at);
	v->sums[side] += __atomic_load_n(at, __ATOMIC_RELAXED);
	return add_terms(x, v, side, at);
}

static uint32_t cap(uint64_t value, uint32_t most)
{
	return value < most ? value : most;
}

/* Compute the value on the CPU; it does not depend on queries of this batch. */
static void compute_now(struct query_value *v)
{
	v->value = v->sums[0] - v->sums[1];
	if (v->differ)
		v->value = v->value != 0;
	v->capped[0] = cap(v->value, UINT32_MAX);
	v->capped[1] = cap(v->value, INT32_MAX);
}

static void compute_later(struct exec *x, uint32_t i)
{
	const struct queries *q = &x->batches.recording->queries;
	const struct arguments arguments = { q->results.address,
					     q->results.address + offset_of(i) };

	vk_full_barrier(&x->vk, x->draw.cmd);
	dispatch_own(x, x->query_value, &arguments, sizeof(arguments));
	vk_full_barrier(&x->vk, x->draw.cmd);
}

/* Returns true if value @i may be computed here, else false with a fault recorded. */
static bool ready_to_compute(struct exec *x, uint32_t i)
{
	const uint32_t opcode = SUNDOG_OP_COMPUTE_QUERY_VALUE;

	if (!exec_has(x, SUNDOG_FEATURE_QUERY_VALUES))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, opcode);
	if (x->batches.recording->queries.values >> i & 1)
		return fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
	return outside_rendering(x, opcode) && queries_closed(x, 0) && condition_closed(x, 0);
}

bool run_compute_query_value(struct exec *x, const struct sundog_cmd_compute_query_value *cmd,
			     const struct sundog_mem_word *words)
{
	struct queries *q = &x->batches.recording->queries;
	struct query_value *v = value_at(q, cmd->value);

	if (!ready_to_compute(x, cmd->value))
		return false;
	if (cmd->added > cmd->count)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 3);
	*v = (struct query_value){ .differ = cmd->operation };
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!add_word(x, v, i >= cmd->added, &words[i]))
			return false;
	if (v->counts[0] || v->counts[1])
		compute_later(x, cmd->value);
	else
		compute_now(v);
	q->values |= 1u << cmd->value;
	return true;
}

/* Using */

static bool is_computed(struct exec *x, uint32_t i, uint32_t opcode)
{
	return x->batches.recording->queries.values >> i & 1 ||
	       fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
}

bool run_copy_query_value(struct exec *x, const struct sundog_cmd_copy_query_value *cmd)
{
	static const struct {
		size_t offset, size;
	} types[] = {
		[SUNDOG_QUERY_VALUE_TYPE_U32] = { offsetof(struct query_value, capped[0]), 4 },
		[SUNDOG_QUERY_VALUE_TYPE_I32] = { offsetof(struct query_value, capped[1]), 4 },
		[SUNDOG_QUERY_VALUE_TYPE_U64] = { offsetof(struct query_value, value), 8 },
	};
	const VkBufferCopy region = {
		offset_of(cmd->value) + types[cmd->type].offset, cmd->offset, types[cmd->type].size,
	};
	struct alloc *alloc;
	VkBuffer buffer;

	if (!is_computed(x, cmd->value, SUNDOG_OP_COPY_QUERY_VALUE) ||
	    !may_transfer(x, SUNDOG_OP_COPY_QUERY_VALUE))
		return false;
	alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_WRITE);
	buffer = alloc ? memory_words(x, alloc, cmd->offset, region.size) : VK_NULL_HANDLE;
	if (!buffer)
		return false;
	x->vk.CmdCopyBuffer(x->draw.cmd, x->batches.recording->queries.results.buffer, buffer, 1,
			    &region);
	return true;
}

bool condition_closed(struct exec *x, uint32_t scope)
{
	const struct condition *c = &x->draw.condition;

	return !c->open || c->scope != scope ||
	       fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_CONDITION);
}

/* Begin conditional rendering with the word at @offset of @buffer. */
static bool begin_condition(struct exec *x, VkBuffer buffer, VkDeviceSize offset, bool inverted,
			    uint32_t opcode)
{
	const VkConditionalRenderingBeginInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		.buffer = buffer,
		.offset = offset,
		.flags = inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0,
	};
	struct condition *c = &x->draw.condition;

	if (c->open)
		return fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
	*c = (struct condition){ .open = true, .scope = x->draw.scope, .info = info };
	condition_resume(x);
	return true;
}

void condition_suspend(struct exec *x)
{
	if (x->draw.condition.open)
		x->vk.CmdEndConditionalRenderingEXT(x->draw.cmd);
}

void condition_resume(struct exec *x)
{
	if (x->draw.condition.open)
		x->vk.CmdBeginConditionalRenderingEXT(x->draw.cmd, &x->draw.condition.info);
}

bool run_begin_condition(struct exec *x, const struct sundog_cmd_begin_condition *cmd)
{
	return is_computed(x, cmd->value, SUNDOG_OP_BEGIN_CONDITION) &&
	       begin_condition(x, x->batches.recording->queries.results.buffer,
			       offset_of(cmd->value) + offsetof(struct query_value, capped),
			       cmd->inverted, SUNDOG_OP_BEGIN_CONDITION);
}

bool run_begin_memory_condition(struct exec *x, const struct sundog_cmd_begin_memory_condition *cmd)
{
	struct alloc *alloc;
	VkBuffer buffer;

	if (!exec_has(x, SUNDOG_FEATURE_QUERY_VALUES))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BEGIN_MEMORY_CONDITION);
	alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_READ);
	buffer = alloc ? memory_words(x, alloc, cmd->offset, sizeof(uint32_t)) : VK_NULL_HANDLE;
	return buffer && begin_condition(x, buffer, cmd->offset, cmd->inverted,
					 SUNDOG_OP_BEGIN_MEMORY_CONDITION);
}

bool run_end_condition(struct exec *x)
{
	struct condition *c = &x->draw.condition;

	if (!c->open || c->scope != x->draw.scope)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_CONDITION);
	c->open = false;
	x->vk.CmdEndConditionalRenderingEXT(x->draw.cmd);
	return true;
}
