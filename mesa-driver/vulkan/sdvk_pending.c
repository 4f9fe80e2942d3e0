/* SPDX-License-Identifier: MIT */
/*
 * Pending packets of memory that is freed: see sdvk_pending.h. Any thread of the program calls
 * this, with sdvk_objects::lock held.
 */
#include "sdvk_pending.h"

#include <string.h>

#include "sdvk_object.h"
#include "util/set.h"
#include "util/u_dynarray.h"

struct strip {
   struct sdvk_objects *objects;
   const struct sundog_mem *mem;  /* memory that is freed, or NULL */
   struct util_dynarray addresses; /* uint64_t: addresses of map_address packets that are removed */
   bool ok;
};

static bool
is_freed(const struct strip *strip, const struct sundog_mem *mem)
{
   return strip->mem && mem->kres == strip->mem->kres && mem->index == strip->mem->index;
}

static bool
is_dead(const struct strip *strip, uint32_t id)
{
   return id && _mesa_set_search(strip->objects->dead, (void *)(uintptr_t)id);
}

static void
add_dead(struct strip *strip, uint32_t id)
{
   strip->ok &= _mesa_set_add(strip->objects->dead, (void *)(uintptr_t)id) != NULL;
}

static void
remove_dead(struct strip *strip, uint32_t id)
{
   _mesa_set_remove_key(strip->objects->dead, (void *)(uintptr_t)id);
}

static void
add_address(struct strip *strip, uint64_t address)
{
   uint64_t *at = util_dynarray_grow(&strip->addresses, uint64_t, 1);

   strip->ok &= at != NULL;
   if (at)
      *at = address;
}

/* Returns true if the map_address packet of @address was removed, and forgets it. */
static bool
take_address(struct strip *strip, uint64_t address)
{
   util_dynarray_foreach(&strip->addresses, uint64_t, at) {
      if (*at == address) {
         *at = util_dynarray_pop(&strip->addresses, uint64_t);
         return true;
      }
   }
   return false;
}

static void
clear_descriptors(const struct strip *strip, struct sundog_set_descriptor *descriptors,
                  uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      if (is_dead(strip, descriptors[i].view))
         descriptors[i].view = 0;
      if (descriptors[i].range.size && is_freed(strip, &descriptors[i].range.mem))
         memset(&descriptors[i].range, 0, sizeof(descriptors[i].range));
   }
}

/*
 * Returns true if the packet of an object is to be removed. Object @id is dead if @dead is set, and
 * so is its packet.
 */
static bool
remove_creation(struct strip *strip, bool dead, uint32_t id)
{
   if (dead)
      add_dead(strip, id);
   return dead;
}

/* Returns true if the packet is to be removed, and clears descriptors otherwise. */
static bool
strip_packet(struct strip *strip, uint32_t *packet)
{
   void *body = packet + 1;

   switch (SUNDOG_PACKET_OPCODE(*packet)) {
   case SUNDOG_OP_CREATE_IMAGE: {
      const struct sundog_cmd_create_image *cmd = body;

      return remove_creation(strip, is_freed(strip, &cmd->mem), cmd->id);
   }
   case SUNDOG_OP_CREATE_LINEAR_IMAGE: {
      const struct sundog_cmd_create_linear_image *cmd = body;

      return remove_creation(strip, is_freed(strip, &cmd->mem), cmd->id);
   }
   case SUNDOG_OP_CREATE_IMAGE_VIEW: {
      const struct sundog_cmd_create_image_view *cmd = body;

      return remove_creation(strip, is_dead(strip, cmd->image), cmd->id);
   }
   case SUNDOG_OP_CREATE_BUFFER_VIEW: {
      const struct sundog_cmd_create_buffer_view *cmd = body;

      return remove_creation(strip, is_freed(strip, &cmd->range.mem), cmd->id);
   }
   case SUNDOG_OP_DESTROY: {
      const struct sundog_cmd_destroy *cmd = body;
      const bool dead = is_dead(strip, cmd->id);

      if (dead)
         remove_dead(strip, cmd->id);
      return dead;
   }
   case SUNDOG_OP_MAP_ADDRESS: {
      const struct sundog_cmd_map_address *cmd = body;
      const bool freed = is_freed(strip, &cmd->mem);

      if (freed)
         add_address(strip, cmd->address);
      return freed;
   }
   case SUNDOG_OP_MAP_ADDRESS_RANGE: {
      const struct sundog_cmd_map_address_range *cmd = body;
      const bool freed = is_freed(strip, &cmd->mem);

      if (freed)
         add_address(strip, cmd->address);
      return freed;
   }
   case SUNDOG_OP_UNMAP_ADDRESS:
      return take_address(strip, ((const struct sundog_cmd_unmap_address *)body)->address);
   case SUNDOG_OP_WRITE_SET: {
      struct sundog_cmd_write_set *cmd = body;

      clear_descriptors(strip, (struct sundog_set_descriptor *)(cmd + 1), cmd->count);
      return false;
   }
   case SUNDOG_OP_WRITE_MUTABLE_SET: {
      struct sundog_cmd_write_mutable_set *cmd = body;

      clear_descriptors(strip, (struct sundog_set_descriptor *)(cmd + 1), cmd->count);
      return false;
   }
   default:
      return false;
   }
}

bool
sdvk_pending_strip(struct sdvk_objects *objects, const struct sundog_mem *mem)
{
   struct sundog_stream *packets = &objects->pending.packets;
   struct strip strip = {objects, mem, .ok = true};
   uint32_t used = 0, dwords;

   if (!mem && !objects->dead->entries)
      return true;
   util_dynarray_init(&strip.addresses, NULL);
   for (uint32_t at = 0; at < packets->used; at += dwords) {
      dwords = SUNDOG_PACKET_DWORDS(packets->map[at]);
      if (strip_packet(&strip, packets->map + at))
         continue;
      memmove(packets->map + used, packets->map + at, dwords * sizeof(*packets->map));
      used += dwords;
   }
   packets->used = used;
   util_dynarray_fini(&strip.addresses);
   return strip.ok;
}

uint32_t
sdvk_pending_part(const struct sdvk_stream *pending, uint32_t dwords)
{
   const struct sundog_stream *packets = &pending->packets;
   uint32_t end = 0, next;

   while (end < packets->used) {
      next = end + SUNDOG_PACKET_DWORDS(packets->map[end]);
      if (end && next > dwords)
         break;
      end = next;
   }
   return end;
}
