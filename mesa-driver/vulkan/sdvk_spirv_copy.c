/* SPDX-License-Identifier: MIT */
/* OpCopyMemory, which the renderer's gate does not take, becomes a load and a store. */
#include "sdvk_spirv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"

#define PLAIN_ACCESS                                                                               \
   (SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask | SpvMemoryAccessNonPrivatePointerMask)

/* A set of memory operands. */
struct access {
   uint32_t mask;
   uint32_t alignment;
   uint32_t available, visible; /* ids of scopes */
};

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

/* One of @operands, if its bit is set. */
static bool
take_operand(const uint32_t **operands, uint32_t *count, uint32_t bit, uint32_t mask, uint32_t *out)
{
   if (!(mask & bit))
      return true;
   if (!*count)
      return false;
   *out = *(*operands)++;
   (*count)--;
   return true;
}

/* False: they are not known. */
static bool
take_access(const uint32_t **operands, uint32_t *count, struct access *a)
{
   const uint32_t known = PLAIN_ACCESS | SpvMemoryAccessAlignedMask |
                          SpvMemoryAccessMakePointerAvailableMask | SpvMemoryAccessMakePointerVisibleMask;

   return take_operand(operands, count, 1, 1, &a->mask) && !(a->mask & ~known) &&
          take_operand(operands, count, SpvMemoryAccessAlignedMask, a->mask, &a->alignment) &&
          take_operand(operands, count, SpvMemoryAccessMakePointerAvailableMask, a->mask, &a->available) &&
          take_operand(operands, count, SpvMemoryAccessMakePointerVisibleMask, a->mask, &a->visible);
}

/* The target's set comes first; one alone is of both. False: this is no copy, or none that is known. */
static bool
read_copy(const uint32_t *in, uint32_t words, struct access *to, struct access *from)
{
   const uint32_t *operands = in + 3;
   uint32_t count = words - 3;

   memset(to, 0, sizeof(*to));
   if ((in[0] & SpvOpCodeMask) != SpvOpCopyMemory || words < 3 || (count && !take_access(&operands, &count, to)))
      return false;
   *from = *to;
   if (count) {
      memset(from, 0, sizeof(*from));
      if (!take_access(&operands, &count, from))
         return false;
   }
   /* What is stored becomes available, what is loaded visible. */
   to->mask &= ~SpvMemoryAccessMakePointerVisibleMask;
   from->mask &= ~SpvMemoryAccessMakePointerAvailableMask;
   return !count;
}

/* What is copied, 0: nobody knows. */
static uint32_t
copied_type(const struct pointers *p, const uint32_t *in)
{
   return in[2] < p->bound ? p->targets[p->types[in[2]]] : 0;
}

/* The operands of an instruction of @words until here; returns how many it has in the end. */
static uint32_t
put_access(uint32_t *out, uint32_t words, const struct access *a)
{
   if (a->mask)
      out[words++] = a->mask;
   if (a->mask & SpvMemoryAccessAlignedMask)
      out[words++] = a->alignment;
   if (a->mask & SpvMemoryAccessMakePointerAvailableMask)
      out[words++] = a->available;
   if (a->mask & SpvMemoryAccessMakePointerVisibleMask)
      out[words++] = a->visible;
   return words;
}

static size_t
load_and_store(uint32_t *out, uint32_t type, uint32_t id, const uint32_t *in, const struct access *to,
               const struct access *from)
{
   const uint32_t loads = put_access(out, 4, from);
   uint32_t *store = out + loads;
   const uint32_t stores = put_access(store, 3, to);

   out[0] = SpvOpLoad | loads << SpvWordCountShift;
   out[1] = type;
   out[2] = id;
   out[3] = in[2];
   store[0] = SpvOpStore | stores << SpvWordCountShift;
   store[1] = in[1];
   store[2] = id;
   return loads + stores;
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
      struct access to, from;
      uint32_t type;

      count = in[at] >> SpvWordCountShift;
      note(p, in + at, count);
      type = read_copy(in + at, count, &to, &from) ? copied_type(p, in + at) : 0;
      if (type) {
         used += load_and_store(out + used, type, out[3]++, in + at, &to, &from);
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
