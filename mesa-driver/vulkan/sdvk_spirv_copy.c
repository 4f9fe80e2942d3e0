/* SPDX-License-Identifier: MIT */
/*
 * Lowers OpCopyMemory, which the renderer's gate refuses, to a load and a store. sdvk_spirv.c calls
 * this pass on a module of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"

#define PLAIN_ACCESS                                                                               \
   (SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask |                                 \
    SpvMemoryAccessNonPrivatePointerMask)

/* Memory operands (SPIR-V 3.26). */
struct access {
   uint32_t mask;
   uint32_t alignment;
   uint32_t available, visible; /* scope ids */
};

struct pointers {
   uint32_t bound;
   uint32_t *targets; /* by id of a pointer type: the pointee's type; 0: not a pointer type */
   uint32_t *types;   /* by id: its type, if that is a pointer type */
};

/*
 * Records pointer types, and results of them. In functions only instructions with a result begin
 * with a type.
 */
static void
note(struct pointers *p, const uint32_t *in)
{
   const uint32_t op = spirv_op(in), count = spirv_words(in);

   if (count > 3 && op == SpvOpTypePointer && in[1] < p->bound)
      p->targets[in[1]] = in[3];
   else if (count > 2 && op != SpvOpTypeForwardPointer && in[1] < p->bound && p->targets[in[1]] &&
            in[2] < p->bound)
      p->types[in[2]] = in[1];
}

/* Takes one of @operands if @mask has its @bit. Returns false if there is none left. */
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

/* Reads memory operands. Returns false if any is unknown. */
static bool
take_access(const uint32_t **operands, uint32_t *count, struct access *a)
{
   const uint32_t known = PLAIN_ACCESS | SpvMemoryAccessAlignedMask |
                          SpvMemoryAccessMakePointerAvailableMask |
                          SpvMemoryAccessMakePointerVisibleMask;

   return take_operand(operands, count, 1, 1, &a->mask) && !(a->mask & ~known) &&
          take_operand(operands, count, SpvMemoryAccessAlignedMask, a->mask, &a->alignment) &&
          take_operand(operands, count, SpvMemoryAccessMakePointerAvailableMask, a->mask,
                       &a->available) &&
          take_operand(operands, count, SpvMemoryAccessMakePointerVisibleMask, a->mask,
                       &a->visible);
}

/*
 * Reads the memory operands of a copy: the target's come first, a single set is for both. Returns
 * false if this is not an OpCopyMemory, or has unknown operands.
 */
static bool
read_copy(const uint32_t *in, struct access *to, struct access *from)
{
   const uint32_t *operands = in + 3;
   uint32_t count = spirv_words(in) - 3;

   memset(to, 0, sizeof(*to));
   if (spirv_op(in) != SpvOpCopyMemory || spirv_words(in) < 3 ||
       (count && !take_access(&operands, &count, to)))
      return false;
   *from = *to;
   if (count) {
      memset(from, 0, sizeof(*from));
      if (!take_access(&operands, &count, from))
         return false;
   }
   /* MakePointerVisible is for loads only, MakePointerAvailable for stores. */
   to->mask &= ~SpvMemoryAccessMakePointerVisibleMask;
   from->mask &= ~SpvMemoryAccessMakePointerAvailableMask;
   return !count;
}

/* Returns the type that is copied; 0: unknown. */
static uint32_t
copied_type(const struct pointers *p, const uint32_t *in)
{
   return in[2] < p->bound ? p->targets[p->types[in[2]]] : 0;
}

static void
put_access(struct spirv_out *out, const struct access *a)
{
   if (a->mask)
      spirv_put_word(out, a->mask);
   if (a->mask & SpvMemoryAccessAlignedMask)
      spirv_put_word(out, a->alignment);
   if (a->mask & SpvMemoryAccessMakePointerAvailableMask)
      spirv_put_word(out, a->available);
   if (a->mask & SpvMemoryAccessMakePointerVisibleMask)
      spirv_put_word(out, a->visible);
}

static void
load_and_store(struct spirv_out *out, uint32_t type, uint32_t id, const uint32_t *in,
               const struct access *to, const struct access *from)
{
   uint32_t begun = spirv_begin(out, SpvOpLoad);

   spirv_put(out, (const uint32_t[]){type, id, in[2]}, 3);
   put_access(out, from);
   spirv_end(out, begun);
   begun = spirv_begin(out, SpvOpStore);
   spirv_put(out, (const uint32_t[]){in[1], id}, 2);
   put_access(out, to);
   spirv_end(out, begun);
}

static void
lower(struct pointers *p, struct spirv_out *out, const struct sdvk_code *code)
{
   uint32_t next_id = p->bound;

   spirv_put_header(out, code);
   spirv_foreach (in, code) {
      struct access to, from;
      uint32_t type;

      note(p, in);
      type = read_copy(in, &to, &from) ? copied_type(p, in) : 0;
      if (type)
         load_and_store(out, type, next_id++, in, &to, &from);
      else
         spirv_copy(out, in);
   }
   spirv_set(out, SPIRV_HEADER_BOUND, next_id);
}

bool
sdvk_spirv_lower_copies(struct sdvk_code *code)
{
   struct pointers p = {.bound = code->words[SPIRV_HEADER_BOUND]};
   struct spirv_out out;

   if (!spirv_has(code, SpvOpCopyMemory))
      return true;
   spirv_out_init(&out);
   p.targets = calloc(p.bound, sizeof(*p.targets));
   p.types = calloc(p.bound, sizeof(*p.types));
   if (p.targets && p.types)
      lower(&p, &out, code);
   else
      out.failed = true;
   free(p.targets);
   free(p.types);
   return spirv_out_take(&out, code);
}
