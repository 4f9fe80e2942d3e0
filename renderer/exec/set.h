/* SPDX-License-Identifier: MIT */
/*
 * Descriptor sets, for shaders that were made with a pipeline layout. The worker's main thread owns
 * them.
 *
 * A set stores the descriptors written to it as host descriptor bytes and as references. The host
 * never reads a set itself: a draw or a dispatch gets a copy of each set that it needs
 * (set_copy.h). The copy contains the descriptors whose memory is listed (for writing, if a shader
 * may write) and whose kind matches what the shaders declare; all others are null descriptors. So
 * writes to a set need not wait for draws, and the host never reads a half-written descriptor.
 *
 * Each element of a mutable binding has a kind of its own. All shaders of a draw must declare one
 * kind for the binding, or the draw is refused. The copy contains the elements of this kind and
 * null descriptors for the others.
 */
#ifndef EXEC_SET_H
#define EXEC_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/descriptor.h"
#include "exec/object.h"

struct shader;

/* A binding of a layout. */
struct set_binding {
	uint32_t number, count;
	uint32_t type;			/* VkDescriptorType of the packet */
	/* kind of the host's binding; SET_MUTABLE: each element has a kind of its own */
	enum slot_kind kind;
	bool dynamic;			/* takes dynamic offsets */
	uint32_t first;			/* index in the set's elements */
	uint32_t nth_mutable;		/* index among the bindings of kind SET_MUTABLE */
	VkDeviceSize offset;		/* of the first element's bytes */
};

struct set_layout {
	struct object object;
	VkDescriptorSetLayout layout;
	VkDeviceSize size;		/* bytes of a set */
	uint32_t n_elements, n_dynamic;	/* elements; of them, with dynamic offsets */
	uint32_t n_dynamic_bindings;	/* bindings with dynamic offsets */
	uint32_t n_mutable;		/* bindings whose elements have kinds of their own */
	/* elements that are not just samplers; elements with a sampler */
	uint32_t n_resources, n_samplers;
	uint32_t n_bindings;
	struct sundog_set_binding *declared;	/* the packet's bindings, for the gate */
	struct set_binding bindings[];
};

/*
 * The host set, behind the sets of a pipeline layout, that holds their bindings with dynamic
 * offsets: draws with other offsets need no other copies of the sets, which may be large. If a
 * layout has no room for it, such bindings stay in their sets.
 */
struct dynamic_set {
	VkDescriptorSetLayout layout;	/* null: there is none */
	VkDeviceSize size;
	VkDeviceSize *offsets;		/* by binding, in the order of the sets */
};

/* Pipeline layout: set layouts and push constants. */
struct pipeline_layout {
	struct object object;
	VkPipelineLayout layout;
	struct dynamic_set dynamic;
	uint32_t push_size;
	uint32_t n_sets;
	struct set_layout *sets[SUNDOG_MAX_SETS];
};

struct set;

/* Sets bound in a stream, for draws or for dispatches. */
struct bound_sets {
	struct set *sets[SUNDOG_MAX_SETS];	/* referenced */
	uint32_t offsets[SUNDOG_MAX_SETS][SUNDOG_MAX_DYNAMIC_OFFSETS];
	bool dirty;
};

void bound_sets_reset(struct exec *x, struct bound_sets *bound);

/*
 * Find the pipeline layout that the shaders of @stages (a mask) have in common; NULL if they use
 * slots. Returns false with a fault recorded if they differ.
 */
bool sets_layout(struct exec *x, uint32_t stages, const struct pipeline_layout **out);
/*
 * Bind the sets that shaders of @stages declare, where they changed. Returns false with a fault
 * recorded on failure.
 */
bool sets_flush(struct exec *x, uint32_t stages, const struct pipeline_layout *layout);

void set_free(struct exec *x, struct set *set);

#endif
