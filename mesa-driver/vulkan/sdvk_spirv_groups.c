/* SPDX-License-Identifier: MIT */
/*
 * Groups of decorations (OpDecorationGroup), which neither what comes after us nor the renderer's gate knows: each
 * target is decorated by itself.
 */
#include "sdvk_spirv.h"

#include <stdlib.h>

#include "sdvk_spirv_emit.h"
#include "util/bitset.h"

struct groups {
   uint32_t bound;
   BITSET_WORD *ids; /* of groups */
   struct util_dynarray decorations; /* const uint32_t *: their instructions */
   struct util_dynarray *out;
};

static bool
is_group(const struct groups *g, uint32_t id)
{
   return id < g->bound && BITSET_TEST(g->ids, id);
}

/* Those of a member have the member behind its type; there is none whose operands are ids. */
static uint32_t
member_op(uint32_t op)
{
   return op == SpvOpDecorateString ? SpvOpMemberDecorateString : SpvOpMemberDecorate;
}

/* Decorate @target, which is the id of something, or that of a type and a member's number, as group @id is. */
static void
decorate(struct groups *g, uint32_t id, const uint32_t *target, uint32_t target_words)
{
   util_dynarray_foreach(&g->decorations, const uint32_t *, at) {
      const uint32_t *in = *at, count = in[0] >> SpvWordCountShift, op = in[0] & SpvOpCodeMask;
      const uint32_t first = (target_words == 1 ? op : member_op(op)) | (count - 1 + target_words) << SpvWordCountShift;

      if (in[1] != id)
         continue;
      spirv_put(g->out, &first, 1);
      spirv_put(g->out, target, target_words);
      spirv_put(g->out, in + 2, count - 2);
   }
}

static void
decorate_all(struct groups *g, const uint32_t *in, uint32_t count, uint32_t target_words)
{
   for (uint32_t i = 2; i + target_words <= count; i += target_words)
      decorate(g, in[1], in + i, target_words);
}

static void
expand(struct groups *g, const uint32_t *in, uint32_t count)
{
   switch (count > 1 ? in[0] & SpvOpCodeMask : SpvOpNop) {
   case SpvOpDecorationGroup:
      return;
   case SpvOpName:
      if (is_group(g, in[1]))
         return;
      break;
   case SpvOpDecorate:
   case SpvOpDecorateId:
   case SpvOpDecorateString:
      if (!is_group(g, in[1]))
         break;
      util_dynarray_append(&g->decorations, const uint32_t *, in);
      return;
   case SpvOpGroupDecorate:
      decorate_all(g, in, count, 1);
      return;
   case SpvOpGroupMemberDecorate:
      decorate_all(g, in, count, 2);
      return;
   }
   spirv_put(g->out, in, count);
}

/* The words of instruction @at of a module that nobody has looked at; 0: there is none. */
static uint32_t
words_at(const uint32_t *code, size_t dwords, size_t at)
{
   const uint32_t count = at < dwords ? code[at] >> SpvWordCountShift : 0;

   return count <= dwords - at ? count : 0;
}

static bool
find_groups(struct groups *g, const uint32_t *code, size_t dwords)
{
   bool any = false;

   for (size_t at = SPIRV_HEADER_WORDS, count; (count = words_at(code, dwords, at)); at += count) {
      if ((code[at] & SpvOpCodeMask) != SpvOpDecorationGroup || count != 2 || code[at + 1] >= g->bound)
         continue;
      BITSET_SET(g->ids, code[at + 1]);
      any = true;
   }
   return any;
}

bool
sdvk_spirv_expand_groups(const uint32_t *code, size_t dwords, struct util_dynarray *out)
{
   struct groups g = {.bound = code[SPIRV_HEADER_BOUND], .out = out};
   size_t at = SPIRV_HEADER_WORDS;

   g.ids = calloc(BITSET_WORDS(g.bound), sizeof(*g.ids));
   if (!g.ids)
      return false;
   if (find_groups(&g, code, dwords)) {
      util_dynarray_init(&g.decorations, NULL);
      spirv_put(out, code, SPIRV_HEADER_WORDS);
      for (uint32_t count; (count = words_at(code, dwords, at)); at += count)
         expand(&g, code + at, count);
      /* What is broken stays so. */
      spirv_put(out, code + at, dwords - at);
      util_dynarray_fini(&g.decorations);
   }
   free(g.ids);
   return true;
}
