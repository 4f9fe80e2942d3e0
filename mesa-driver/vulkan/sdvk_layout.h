/* SPDX-License-Identifier: MIT */
/*
 * Pipeline layouts of the renderer, shared by all VkPipelineLayouts with the same sets. The
 * renderer requires that shaders of one draw have the same layout, while libraries and shader
 * objects have a VkPipelineLayout each.
 */
#ifndef SDVK_LAYOUT_H
#define SDVK_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "util/simple_mtx.h"

struct hash_table;
struct sdvk_device;

/*
 * The set layouts outlive the layout that has their ids: an owner of a layout also holds a
 * vk_pipeline_layout, which references them.
 */
struct sdvk_layout_key {
   uint32_t push_size, count;
   uint32_t sets[SUNDOG_MAX_SETS]; /* ids of set layouts */
};

struct sdvk_layout {
   struct sdvk_layout_key key;
   uint32_t ref_cnt; /* guarded by sdvk_layouts::lock */
   uint32_t id;
};

/* All pipeline layouts of a device. */
struct sdvk_layouts {
   simple_mtx_t lock;
   struct hash_table *all; /* struct sdvk_layout by key */
   /* id of a set layout without bindings, which lives as long as the device; 0: not created */
   uint32_t empty_set;
};

/* Returns false if there is no memory. */
bool
sdvk_layouts_init(struct sdvk_layouts *layouts);
void
sdvk_layouts_fini(struct sdvk_layouts *layouts);

/*
 * Returns a new reference to the layout of @key, which it creates if needed. NULL: no memory or no
 * id.
 */
struct sdvk_layout *
sdvk_layout_get(struct sdvk_device *device, const struct sdvk_layout_key *key);
void
sdvk_layout_unref(struct sdvk_device *device, struct sdvk_layout *layout);

/* Returns the id of the set layout without bindings; 0: no id is left. */
uint32_t
sdvk_empty_set_layout(struct sdvk_device *device);

#endif
