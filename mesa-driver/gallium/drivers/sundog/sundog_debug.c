/* SPDX-License-Identifier: MIT */
/* The debug flags of the environment variable SUNDOG_DEBUG, read when a screen is created. They
 * are constant afterwards. */
#include "sundog_debug.h"

#include <string.h>

#include "util/log.h"
#include "util/os_misc.h"
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

static bool
is_flag(const char *word, size_t length)
{
   for (const struct debug_named_value *flag = flags; flag->name; flag++) {
      if (strlen(flag->name) == length && !strncmp(flag->name, word, length))
         return true;
   }
   return (length == 3 && !strncmp(word, "all", 3)) || (length == 4 && !strncmp(word, "help", 4));
}

/* debug_parse_flags_option() ignores words that are no flags. */
static void
report_unknown_flags(const char *text)
{
   static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

   for (const char *word = text + strcspn(text, letters); *word;) {
      const size_t length = strspn(word, letters);

      if (!is_flag(word, length))
         mesa_logw("SUNDOG_DEBUG: '%.*s' is no flag, ignoring it; SUNDOG_DEBUG=help lists them",
                   (int)length, word);
      word += length;
      word += strcspn(word, letters);
   }
}

void
sdog_debug_init(void)
{
   const char *text = os_get_option("SUNDOG_DEBUG");

   sdog_debug = debug_get_option_sundog_debug();
   if (text)
      report_unknown_flags(text);
}
