/* SPDX-License-Identifier: MIT */
/*
 * What pipeline layouts are to the renderer. Layouts of the same sets are one object there, for it has the shaders that
 * draw together be of one layout, and those of libraries and shader objects come with one each.
 */
#ifndef SDVK_LAYOUT_H
#define SDVK_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "util/simple_mtx.h"

struct hash_table;
struct sdvk_device;

/* Set layouts that have an id stay while a layout of theirs does. */
struct sdvk_layout_key {
   uint32_t push_size, count;
   uint32_t sets[SUNDOG_MAX_SETS]; /* ids */
};

struct sdvk_layout {
   struct sdvk_layout_key key;
   uint32_t ref_cnt; /* by the lock of all */
   uint32_t id;
};

/* Of a device. */
struct sdvk_layouts {
   simple_mtx_t lock;
   struct hash_table *all; /* by key */
   uint32_t empty_set; /* a set layout without bindings, which lives as long as the device does; 0: not made */
};

/* False: no memory. */
bool
sdvk_layouts_init(struct sdvk_layouts *layouts);
void
sdvk_layouts_fini(struct sdvk_layouts *layouts);

/* The renderer's for @key; NULL: there is none, and none could be made. */
struct sdvk_layout *
sdvk_layout_get(struct sdvk_device *device, const struct sdvk_layout_key *key);
void
sdvk_layout_unref(struct sdvk_device *device, struct sdvk_layout *layout);

/* 0: there is no id left. */
uint32_t
sdvk_empty_set_layout(struct sdvk_device *device);

#endif
