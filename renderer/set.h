/* SPDX-License-Identifier: MIT */
/*
 * Descriptor sets, for shaders that were made with a pipeline layout.
 *
 * A set is what was written to it, as bytes of the host's and as references. The host never sees it: a draw or a
 * dispatch gets a copy of each set that it needs (set_copy.h). In that copy stays what
 * is listed, for writing where a shader may write, and of the kind that the shaders declare; all else is
 * nothing. So writes need not wait for draws, and nothing is torn.
 *
 * Elements of a mutable binding have a kind each. Shaders of a draw declare one kind there, or the draw is refused; in
 * the copy are those elements that are of this kind, and null descriptors of it.
 */
#ifndef SET_H
#define SET_H

#include <stdbool.h>
#include <stdint.h>

#include "descriptor.h"
#include "object.h"

struct shader;

/* A binding of a layout. */
struct set_binding {
	uint32_t number, count;
	uint32_t type;			/* VkDescriptorType of the packet */
	enum slot_kind kind;		/* what the host has there; SET_MUTABLE: elements have kinds */
	bool dynamic;			/* it takes offsets */
	uint32_t first;			/* of the set's elements */
	VkDeviceSize offset;		/* of the first one's bytes */
};

struct set_layout {
	struct object object;
	VkDescriptorSetLayout layout;
	VkDeviceSize size;		/* bytes of a set */
	uint32_t n_elements, n_dynamic;	/* that take offsets */
	uint32_t n_dynamic_bindings;	/* that have these */
	uint32_t n_mutable;		/* bindings whose elements have kinds of their own */
	uint32_t n_resources, n_samplers;	/* elements that are not just samplers; that have one */
	uint32_t n_bindings;
	struct sundog_set_binding *declared;	/* the packet's, for the gate */
	struct set_binding bindings[];
};

/*
 * The set of the host, behind those of a layout, that has their bindings that take offsets: a draw with other offsets
 * takes no other copies of sets, which may be large. Where there is no place for it, they stay in their sets.
 */
struct dynamic_set {
	VkDescriptorSetLayout layout;	/* NULL: there is none */
	VkDeviceSize size;
	VkDeviceSize *offsets;		/* of each binding, those of the first set first */
};

/* What shaders have: layouts of sets and push constants. */
struct pipeline_layout {
	struct object object;
	VkPipelineLayout layout;
	struct dynamic_set dynamic;
	uint32_t push_size;
	uint32_t n_sets;
	struct set_layout *sets[SUNDOG_MAX_SETS];
};

/* Layouts of the host for a pipeline layout, SUNDOG_MAX_SETS at most; returns how many. */
uint32_t pipeline_layout_sets(const struct pipeline_layout *layout, VkDescriptorSetLayout *out);

/* Binding @number of a layout; NULL: it has none. */
const struct set_binding *set_layout_find(const struct set_layout *layout, uint32_t number);

struct set;

/* What is bound in a stream, for draws or for dispatches. */
struct bound_sets {
	struct set *sets[SUNDOG_MAX_SETS];	/* referenced */
	uint32_t offsets[SUNDOG_MAX_SETS][SUNDOG_MAX_DYNAMIC_OFFSETS];
	bool dirty;
};

void bound_sets_reset(struct worker *w, struct bound_sets *bound);

/* Packets */
bool set_layout_create(struct worker *w, const struct sundog_cmd_create_set_layout *cmd,
		       const struct sundog_set_binding *bindings);
bool pipeline_layout_create(struct worker *w, const struct sundog_cmd_create_pipeline_layout *cmd,
			    const uint32_t *layouts);
bool set_create(struct worker *w, const struct sundog_cmd_create_set *cmd);
bool write_set(struct worker *w, const struct sundog_cmd_write_set *cmd,
	       const struct sundog_set_descriptor *descriptors);
bool write_mutable_set(struct worker *w, const struct sundog_cmd_write_mutable_set *cmd,
		       const struct sundog_set_descriptor *descriptors);
bool copy_set(struct worker *w, const struct sundog_cmd_copy_set *cmd);
bool bind_set(struct worker *w, const struct sundog_cmd_bind_set *cmd, const uint32_t *offsets);

/* The layout that the shaders of @stages (a mask) have in common, NULL: they have slots. False: they differ. */
bool sets_layout(struct worker *w, uint32_t stages, const struct pipeline_layout **out);
/* Hand the sets that shaders of @stages declare to the host, where they changed. */
bool sets_flush(struct worker *w, uint32_t stages, const struct pipeline_layout *layout);

void set_layout_free(struct worker *w, struct set_layout *layout);
void pipeline_layout_free(struct worker *w, struct pipeline_layout *layout);
void set_free(struct worker *w, struct set *set);

#endif
