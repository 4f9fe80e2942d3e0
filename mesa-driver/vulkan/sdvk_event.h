/* SPDX-License-Identifier: MIT */
/*
 * Memory of events: blocks of words, since a program may have more events than there can be BOs.
 * The device owns them.
 */
#ifndef SDVK_EVENT_H
#define SDVK_EVENT_H

#include "util/list.h"
#include "util/simple_mtx.h"

struct sdvk_events {
   simple_mtx_t lock; /* guards all members, and the bits of blocks */
   struct list_head blocks;
};

void
sdvk_events_init(struct sdvk_events *events);
/* All events are destroyed. */
void
sdvk_events_fini(struct sdvk_events *events);

#endif
