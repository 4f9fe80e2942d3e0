/* SPDX-License-Identifier: MIT */
/*
 * A growable array of packets that are kept until they are submitted. The structure that contains
 * it owns it and has the lock, if any.
 */
#ifndef SDVK_STREAM_H
#define SDVK_STREAM_H

#include <stdint.h>

#include <sundog.h>

/* Enough for any packet without an array. */
#define SDVK_PACKET_DWORDS 512

/* A zero-initialised stream is empty. */
struct sdvk_stream {
   struct sundog_stream packets;
};

void
sdvk_stream_grow(struct sdvk_stream *stream, uint32_t dwords);

/*
 * Returns the stream with room for a packet of @dwords. Without memory, packets that are emitted
 * there are dropped and packets.overflow is set.
 */
static inline struct sundog_stream *
sdvk_stream_reserve(struct sdvk_stream *stream, uint32_t dwords)
{
   if (stream->packets.size - stream->packets.used < dwords)
      sdvk_stream_grow(stream, dwords);
   return &stream->packets;
}

void
sdvk_stream_append(struct sdvk_stream *stream, const uint32_t *packets, uint32_t dwords);

/* Removes the first @dwords. */
void
sdvk_stream_drop(struct sdvk_stream *stream, uint32_t dwords);

/* Removes all packets; the memory is kept. */
void
sdvk_stream_reset(struct sdvk_stream *stream);
void
sdvk_stream_fini(struct sdvk_stream *stream);

#endif
