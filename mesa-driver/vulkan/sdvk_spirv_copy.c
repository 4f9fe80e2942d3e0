/* SPDX-License-Identifier: MIT */
/* OpCopyMemory, which the renderer's gate does not take, becomes a load and a store. */
#include "sdvk_spirv.h"

#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"

#define PLAIN_ACCESS (SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask)

struct pointers {
   uint32_t bound;
   uint32_t *targets; /* by id of a pointer type: what it points to, 0: it is none */
   uint32_t *types;   /* by id: its type, if that is a pointer's */
};

/* A result of a pointer type; nothing else in a function begins with a type. */
static void
note(struct pointers *p, const uint32_t *in, uint32_t count)
{
   const uint32_t op = in[0] & SpvOpCodeMask;

   if (count > 3 && op == SpvOpTypePointer && in[1] < p->bound)
      p->targets[in[1]] = in[3];
   else if (count > 2 && op != SpvOpTypeForwardPointer && in[1] < p->bound && p->targets[in[1]] && in[2] < p->bound)
      p->types[in[2]] = in[1];
}

/* What is copied, 0: this is no copy, or none that is known. */
static uint32_t
copied_type(const struct pointers *p, const uint32_t *in, uint32_t count)
{
   if ((in[0] & SpvOpCodeMask) != SpvOpCopyMemory || count < 3 || in[2] >= p->bound)
      return 0;
   /* One mask for both, and no scopes of Vulkan's memory model, which differ for loads and stores. */
   if (count > 3 && ((in[3] & ~PLAIN_ACCESS) || count != 4u + !!(in[3] & SpvMemoryAccessAlignedMask)))
      return 0;
   return p->targets[p->types[in[2]]];
}

static size_t
load_and_store(uint32_t *out, uint32_t type, uint32_t id, const uint32_t *in, uint32_t count)
{
   const uint32_t access = count - 3;
   uint32_t *store = out + 4 + access;

   out[0] = SpvOpLoad | (4 + access) << SpvWordCountShift;
   out[1] = type;
   out[2] = id;
   out[3] = in[2];
   memcpy(out + 4, in + 3, access * 4);
   store[0] = SpvOpStore | (3 + access) << SpvWordCountShift;
   store[1] = in[1];
   store[2] = id;
   memcpy(store + 3, in + 3, access * 4);
   return 7 + 2 * access;
}

/* The words of a load and a store are at most three times those of the copy. */
static uint32_t *
lower(struct pointers *p, const uint32_t *in, uint32_t *dwords)
{
   uint32_t *out = malloc(*dwords * 3ull * 4);
   size_t used = SPIRV_HEADER_WORDS;

   if (!out)
      return NULL;
   memcpy(out, in, SPIRV_HEADER_WORDS * 4);
   for (size_t at = SPIRV_HEADER_WORDS, count; at < *dwords; at += count) {
      uint32_t type;

      count = in[at] >> SpvWordCountShift;
      note(p, in + at, count);
      type = copied_type(p, in + at, count);
      if (type) {
         used += load_and_store(out + used, type, out[3]++, in + at, count);
      } else {
         memcpy(out + used, in + at, count * 4);
         used += count;
      }
   }
   *dwords = used;
   return out;
}

static bool
has_copies(const uint32_t *in, uint32_t dwords)
{
   for (size_t at = SPIRV_HEADER_WORDS; at < dwords; at += in[at] >> SpvWordCountShift) {
      if ((in[at] & SpvOpCodeMask) == SpvOpCopyMemory)
         return true;
   }
   return false;
}

uint32_t *
sdvk_spirv_lower_copies(uint32_t *in, uint32_t *dwords)
{
   struct pointers p = {.bound = in[3]};
   uint32_t *out = NULL;

   if (!has_copies(in, *dwords))
      return in;
   p.targets = calloc(p.bound, sizeof(*p.targets));
   p.types = calloc(p.bound, sizeof(*p.types));
   if (p.targets && p.types)
      out = lower(&p, in, dwords);
   free(p.targets);
   free(p.types);
   free(in);
   return out;
}
