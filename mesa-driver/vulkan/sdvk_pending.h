/* SPDX-License-Identifier: MIT */
/*
 * Pending packets of memory that is freed. The packets that create objects in it cannot be executed
 * any more, and the program may only destroy the objects: they are "dead". No packet that names
 * dead objects is submitted. The device's sdvk_objects owns the packets and the list of dead
 * objects.
 */
#ifndef SDVK_PENDING_H
#define SDVK_PENDING_H

#include <sundog.h>

#include "sdvk_stream.h"

struct sdvk_objects;

/*
 * Removes pending packets that name the memory @mem or dead objects. @mem may be NULL. Descriptors
 * become null descriptors. Returns false without memory; then the pending packets are wrong. The
 * caller holds sdvk_objects::lock.
 */
bool
sdvk_pending_strip(struct sdvk_objects *objects, const struct sundog_mem *mem);

/* Returns the length of the whole packets at the start that fit into @dwords: at least of one. */
uint32_t
sdvk_pending_part(const struct sdvk_stream *pending, uint32_t dwords);

#endif
