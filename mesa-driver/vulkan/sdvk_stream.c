/* SPDX-License-Identifier: MIT */
#include "sdvk_stream.h"

#include <stdlib.h>

#include "util/macros.h"

struct sundog_stream *
sdvk_stream_reserve(struct sdvk_stream *stream, uint32_t dwords)
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
   return packets;
}

void
sdvk_stream_append(struct sdvk_stream *stream, const struct sdvk_stream *what)
{
   struct sundog_stream *packets = sdvk_stream_reserve(stream, what->packets.used);

   if (what->packets.overflow || packets->size - packets->used < what->packets.used) {
      packets->overflow = true;
   } else if (what->packets.used) {
      memcpy(packets->map + packets->used, what->packets.map, what->packets.used * 4);
      packets->used += what->packets.used;
   }
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
