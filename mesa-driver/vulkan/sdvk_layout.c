/* SPDX-License-Identifier: MIT */
/*
 * The cache of the renderer's pipeline layouts: see sdvk_layout.h. Any thread that creates or
 * destroys layouts calls this; sdvk_layouts::lock guards it.
 */
#include "sdvk_layout.h"

#include <stdlib.h>

#include "sdvk_device.h"
#include "util/hash_table.h"

static uint32_t
hash(const void *key)
{
   return _mesa_hash_data(key, sizeof(struct sdvk_layout_key));
}

static bool
equal(const void *a, const void *b)
{
   return !memcmp(a, b, sizeof(struct sdvk_layout_key));
}

bool
sdvk_layouts_init(struct sdvk_layouts *layouts)
{
   simple_mtx_init(&layouts->lock, mtx_plain);
   layouts->all = _mesa_hash_table_create(NULL, hash, equal);
   return layouts->all;
}

void
sdvk_layouts_fini(struct sdvk_layouts *layouts)
{
   _mesa_hash_table_destroy(layouts->all, NULL);
   simple_mtx_destroy(&layouts->lock);
}

static struct sdvk_layout *
new_layout(struct sdvk_device *device, const struct sdvk_layout_key *key)
{
   struct sundog_cmd_create_pipeline_layout cmd = {.push_size = key->push_size,
                                                   .count = key->count};
   struct sdvk_layout *layout = calloc(1, sizeof(*layout));
   struct sundog_stream *stream =
      layout ? sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id) : NULL;

   if (!stream) {
      free(layout);
      return NULL;
   }
   sundog_emit_create_pipeline_layout(stream, &cmd, key->sets);
   sdvk_object_end(device);
   layout->key = *key;
   layout->id = cmd.id;
   _mesa_hash_table_insert(device->layouts.all, &layout->key, layout);
   return layout;
}

struct sdvk_layout *
sdvk_layout_get(struct sdvk_device *device, const struct sdvk_layout_key *key)
{
   const struct hash_entry *entry;
   struct sdvk_layout *layout;

   simple_mtx_lock(&device->layouts.lock);
   entry = _mesa_hash_table_search(device->layouts.all, key);
   layout = entry ? entry->data : new_layout(device, key);
   if (layout)
      layout->ref_cnt++;
   simple_mtx_unlock(&device->layouts.lock);
   return layout;
}

void
sdvk_layout_unref(struct sdvk_device *device, struct sdvk_layout *layout)
{
   simple_mtx_lock(&device->layouts.lock);
   if (!--layout->ref_cnt) {
      _mesa_hash_table_remove_key(device->layouts.all, &layout->key);
      sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_PIPELINE_LAYOUT, layout->id);
      free(layout);
   }
   simple_mtx_unlock(&device->layouts.lock);
}

uint32_t
sdvk_empty_set_layout(struct sdvk_device *device)
{
   struct sundog_cmd_create_set_layout cmd = {0};
   struct sundog_stream *stream;

   simple_mtx_lock(&device->layouts.lock);
   if (!device->layouts.empty_set) {
      stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);
      if (stream) {
         sundog_emit_create_set_layout(stream, &cmd, NULL);
         sdvk_object_end(device);
         device->layouts.empty_set = cmd.id;
      }
   }
   simple_mtx_unlock(&device->layouts.lock);
   return device->layouts.empty_set;
}
