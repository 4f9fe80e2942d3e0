/* SPDX-License-Identifier: MIT */
/* The debug flags of the environment variable SUNDOG_DEBUG, read when a screen is created. They
 * are constant afterwards. */
#include "sundog_debug.h"

#include "util/u_debug.h"

uint64_t sdog_debug;

static const struct debug_named_value flags[] = {
   {"nir", SDOG_DEBUG_NIR, "Print each shader's NIR before translation"},
   {"spirv", SDOG_DEBUG_SPIRV, "Write each shader to sundog-<n>.spv in the current folder"},
   {"sync", SDOG_DEBUG_SYNC, "Wait for each submission"},
   {"nopush", SDOG_DEBUG_NO_PUSH, "Pass all uniforms in buffers, none as push constants"},
   {"perf", SDOG_DEBUG_PERF, "Say when the CPU waits for the device"},
   {"nocache", SDOG_DEBUG_NO_CACHE, "Free memory at once, keep none to use it again"},
   DEBUG_NAMED_VALUE_END,
};

DEBUG_GET_ONCE_FLAGS_OPTION(sundog_debug, "SUNDOG_DEBUG", flags, 0)

void
sdog_debug_init(void)
{
   sdog_debug = debug_get_option_sundog_debug();
}
