/* SPDX-License-Identifier: MIT */
/* Named debug flags: SUNDOG_DEBUG=nir,spirv,... */
#ifndef SUNDOG_DEBUG_H
#define SUNDOG_DEBUG_H

#include <stdint.h>

#include "util/macros.h"

enum sdog_debug_flag {
   SDOG_DEBUG_NIR = BITFIELD_BIT(0),
   SDOG_DEBUG_SPIRV = BITFIELD_BIT(1),
   SDOG_DEBUG_SYNC = BITFIELD_BIT(2),
   SDOG_DEBUG_NO_PUSH = BITFIELD_BIT(3),
   SDOG_DEBUG_PERF = BITFIELD_BIT(4),
   SDOG_DEBUG_NO_CACHE = BITFIELD_BIT(5),
};

extern uint64_t sdog_debug;

/* Reads SUNDOG_DEBUG. */
void
sdog_debug_init(void);

#define SDOG_DBG(flag) unlikely(sdog_debug & SDOG_DEBUG_##flag)

#endif
