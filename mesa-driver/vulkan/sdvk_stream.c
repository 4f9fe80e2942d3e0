/* SPDX-License-Identifier: MIT */
/*
 * A growable array of packets: see sdvk_stream.h. The owner of a stream calls this, under its lock
 * if it has one.
 */
#include "sdvk_stream.h"

#include <stdlib.h>
#include <string.h>

#include "util/macros.h"

void
sdvk_stream_grow(struct sdvk_stream *stream, uint32_t dwords)
{
   struct sundog_stream *packets = &stream->packets;
   uint32_t size = MAX2(packets->size, SDVK_PACKET_DWORDS);
   uint32_t *map;

   while (size - packets->used < dwords && size <= SUNDOG_MAX_STREAM_DWORDS)
      size *= 2;
   if (size > packets->size) {
      map = realloc(packets->map, size * sizeof(*map));
      if (map) {
         packets->map = map;
         packets->size = size;
      }
   }
}

void
sdvk_stream_append(struct sdvk_stream *stream, const uint32_t *packets, uint32_t dwords)
{
   struct sundog_stream *to = sdvk_stream_reserve(stream, dwords);

   if (to->size - to->used < dwords) {
      to->overflow = true;
   } else if (dwords) {
      memcpy(to->map + to->used, packets, dwords * sizeof(*packets));
      to->used += dwords;
   }
}

void
sdvk_stream_drop(struct sdvk_stream *stream, uint32_t dwords)
{
   struct sundog_stream *packets = &stream->packets;

   packets->used -= dwords;
   if (packets->used)
      memmove(packets->map, packets->map + dwords, packets->used * sizeof(*packets->map));
}

void
sdvk_stream_reset(struct sdvk_stream *stream)
{
   stream->packets.used = 0;
   stream->packets.overflow = false;
}

void
sdvk_stream_fini(struct sdvk_stream *stream)
{
   free(stream->packets.map);
}
