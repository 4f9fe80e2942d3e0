/* SPDX-License-Identifier: MIT */
/*
 * The state of packet execution in a worker: the host's Vulkan, the objects and memory of the
 * client, and the stream that is being decoded. Files of exec/ see this structure and nothing of
 * the process around it (worker/worker.h), which owns it.
 *
 * Threads: the worker's main thread owns all of it, except what batch.h, submitter.h, compiler.h
 * and watch.h say.
 */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/batch.h"
#include "exec/caps.h"
#include "exec/compiler.h"
#include "exec/draw.h"
#include "exec/memory.h"
#include "exec/object.h"
#include "exec/shader_prefetch.h"
#include "exec/submitter.h"
#include "exec/watch.h"
#include "host/vk.h"

struct exec {
	struct vk vk;
	struct sundog_caps caps;
	struct memory memory;
	struct objects objects;
	struct batches batches;
	struct submitter submitter;
	struct watches watches;
	struct compiler compiler;
	struct shader_prefetch *prefetch;	/* shaders of the stream being decoded, or NULL */
	struct draw draw;
	VkCommandBuffer prelude;	/* quirk_prelude.h; null if the host needs none */
	/* query_value.h; null if the host has no conditional rendering */
	VkShaderEXT query_value;
	/* split_indirect.h; null if the host cannot run it */
	VkShaderEXT split_indirect;
	VkShaderEXT copy_counter;	/* with feature FEEDBACK_MEMORY */
	/* prelude_compute(); null if the host has no compute shaders */
	VkShaderEXT idle_compute;

	/* The fault that fault() recorded last. */
	uint32_t fault;
	uint64_t fault_arg;
};

/* Returns true if the host has all of @features. */
static inline bool exec_has(const struct exec *x, uint64_t features)
{
	return (x->caps.features & features) == features;
}

/* Records why a packet or an entry is refused. Returns false, for `return fault(...)`. */
static inline bool fault(struct exec *x, enum sundog_fault_code code, uint64_t arg)
{
	x->fault = code;
	x->fault_arg = arg;
	return false;
}

#endif
