/* SPDX-License-Identifier: MIT */
/*
 * Objects of the renderer and their ids: see sdvk_object.h. Any thread of the program calls this;
 * sdvk_objects::lock guards the pending packets and the ids.
 */
#include "sdvk_object.h"

#include <stdlib.h>

#include "sdvk_device.h"
#include "util/set.h"

struct retired {
   struct list_head link;
   struct sdrm_fence *fence;
   struct util_dynarray ids;
};

bool
sdvk_objects_init(struct sdvk_objects *objects)
{
   simple_mtx_init(&objects->lock, mtx_plain);
   util_dynarray_init(&objects->ended, NULL);
   list_inithead(&objects->retired);
   objects->many = SDVK_PENDING_DWORDS;
   objects->dead = _mesa_set_create_u32_keys(NULL);
   return objects->dead;
}

static void
free_ids(struct sdvk_device *device, struct util_dynarray *ids)
{
   util_dynarray_foreach(ids, uint32_t, id)
      sdrm_object_id_del(device->dev, *id);
   util_dynarray_clear(ids);
}

static void
free_retired(struct sdvk_device *device, struct retired *retired)
{
   free_ids(device, &retired->ids);
   util_dynarray_fini(&retired->ids);
   sdrm_fence_del(retired->fence);
   list_del(&retired->link);
   free(retired);
}

void
sdvk_objects_fini(struct sdvk_device *device)
{
   struct sdvk_objects *objects = &device->objects;

   list_for_each_entry_safe(struct retired, retired, &objects->retired, link)
      free_retired(device, retired);
   util_dynarray_fini(&objects->ended);
   sdvk_stream_fini(&objects->pending);
   _mesa_set_destroy(objects->dead, NULL);
   simple_mtx_destroy(&objects->lock);
}

struct sundog_stream *
sdvk_object_begin(struct sdvk_device *device, uint32_t dwords, uint32_t *id)
{
   struct sundog_stream *stream;

   /* A longer one could never be submitted. */
   *id = dwords > SUNDOG_MAX_STREAM_DWORDS ? 0 : sdrm_object_id_new(device->dev);
   if (!*id)
      return NULL;
   stream = sdvk_object_packet(device, dwords);
   if (stream->size - stream->used >= dwords)
      return stream;
   simple_mtx_unlock(&device->objects.lock);
   sdrm_object_id_del(device->dev, *id);
   *id = 0;
   return NULL;
}

struct sundog_stream *
sdvk_object_packet(struct sdvk_device *device, uint32_t dwords)
{
   simple_mtx_lock(&device->objects.lock);
   return sdvk_stream_reserve(&device->objects.pending, dwords);
}

void
sdvk_object_end(struct sdvk_device *device)
{
   const bool many = device->objects.pending.packets.used > device->objects.many;

   simple_mtx_unlock(&device->objects.lock);
   if (many)
      sdvk_queue_submit_pending(device, NULL);
}

void
sdvk_object_destroy(struct sdvk_device *device, enum sundog_object_kind kind, uint32_t id)
{
   const struct sundog_cmd_destroy cmd = {.kind = kind, .id = id};
   uint32_t *ended;

   if (!id)
      return;
   sundog_emit_destroy(sdvk_object_packet(device, SDVK_PACKET_DWORDS), &cmd);
   /* Without memory the ids are leaked. */
   ended = util_dynarray_grow(&device->objects.ended, uint32_t, 1);
   if (ended)
      *ended = id;
   sdvk_object_end(device);
}

static void
give_back(struct sdvk_device *device)
{
   list_for_each_entry_safe(struct retired, retired, &device->objects.retired, link) {
      if (sdrm_fence_wait(retired->fence, 0))
         return;
      free_retired(device, retired);
   }
}

void
sdvk_objects_queued(struct sdvk_device *device, uint32_t dwords, struct sdrm_fence *fence)
{
   struct sdvk_objects *objects = &device->objects;
   struct retired *retired;

   sdvk_stream_drop(&objects->pending, dwords);
   give_back(device);
   /* The packets that are left may destroy objects. */
   if (objects->pending.packets.used)
      return;
   objects->many = SDVK_PENDING_DWORDS;
   if (!objects->ended.size)
      return;
   retired = calloc(1, sizeof(*retired));
   /* Without memory the ids are leaked. */
   if (!retired) {
      util_dynarray_clear(&objects->ended);
      return;
   }
   retired->fence = sdrm_fence_ref(fence);
   retired->ids = objects->ended;
   list_addtail(&retired->link, &objects->retired);
   util_dynarray_init(&objects->ended, NULL);
}
