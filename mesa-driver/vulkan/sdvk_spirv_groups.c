/* SPDX-License-Identifier: MIT */
/*
 * Expands decoration groups (OpDecorationGroup), which later passes and the renderer's gate do not
 * know, to decorations of each target. sdvk_spirv.c calls this pass on a module of its own.
 */
#include <stdlib.h>

#include "sdvk_spirv_emit.h"

/* A decoration of a group. */
struct decoration {
   const uint32_t *in;
   uint32_t before; /* index of the previous decoration of the group + 1; 0: none */
};

struct group {
   bool exists;   /* the id is an OpDecorationGroup */
   uint32_t last; /* index of its last decoration + 1; 0: none */
};

struct groups {
   uint32_t bound;
   struct group *ids;
   struct util_dynarray decorations; /* struct decoration */
   struct spirv_out out;
};

static struct group *
find(struct groups *g, uint32_t id)
{
   return id < g->bound && g->ids[id].exists ? &g->ids[id] : NULL;
}

static void
add_decoration(struct groups *g, struct group *group, const uint32_t *in)
{
   struct decoration *new = util_dynarray_grow(&g->decorations, struct decoration, 1);

   if (!new) {
      g->out.failed = true;
      return;
   }
   *new = (struct decoration){in, group->last};
   group->last = util_dynarray_num_elements(&g->decorations, struct decoration);
}

/* Returns the instruction that decorates a member. There is none with ids as operands. */
static uint32_t
member_op(uint32_t op)
{
   return op == SpvOpDecorateString ? SpvOpMemberDecorateString : SpvOpMemberDecorate;
}

/* Applies the group's decorations to @target: an id, or a struct type's id and a member index. */
static void
decorate(struct groups *g, const struct group *group, const uint32_t *target, uint32_t target_words)
{
   for (uint32_t i = group->last; i && !g->out.failed;) {
      const struct decoration *decoration =
         util_dynarray_element(&g->decorations, struct decoration, i - 1);
      const uint32_t op = spirv_op(decoration->in);
      const uint32_t begun = spirv_begin(&g->out, target_words == 1 ? op : member_op(op));

      spirv_put(&g->out, target, target_words);
      spirv_put(&g->out, decoration->in + 2, spirv_words(decoration->in) - 2);
      spirv_end(&g->out, begun);
      i = decoration->before;
   }
}

static void
decorate_all(struct groups *g, const uint32_t *in, uint32_t target_words)
{
   const struct group *group = find(g, in[1]);

   for (uint32_t i = 2; group && i + target_words <= spirv_words(in); i += target_words)
      decorate(g, group, in + i, target_words);
}

static void
expand(struct groups *g, const uint32_t *in)
{
   struct group *group;

   switch (spirv_op(in)) {
   case SpvOpDecorationGroup:
      return;
   case SpvOpName:
      if (find(g, in[1]))
         return;
      break;
   case SpvOpDecorate:
   case SpvOpDecorateId:
   case SpvOpDecorateString:
      group = find(g, in[1]);
      if (!group)
         break;
      add_decoration(g, group, in);
      return;
   case SpvOpGroupDecorate:
      decorate_all(g, in, 1);
      return;
   case SpvOpGroupMemberDecorate:
      decorate_all(g, in, 2);
      return;
   }
   spirv_copy(&g->out, in);
}

static void
find_groups(struct groups *g, const struct sdvk_code *code)
{
   spirv_foreach (in, code) {
      if (spirv_op(in) == SpvOpDecorationGroup && in[1] < g->bound)
         g->ids[in[1]].exists = true;
   }
}

bool
sdvk_spirv_expand_groups(struct sdvk_code *code)
{
   struct groups g = {.bound = code->words[SPIRV_HEADER_BOUND]};

   if (!spirv_has(code, SpvOpDecorationGroup))
      return true;
   g.ids = calloc(g.bound, sizeof(*g.ids));
   if (!g.ids)
      return false;
   util_dynarray_init(&g.decorations, NULL);
   sdvk_code_begin(&g.out, code);
   find_groups(&g, code);
   spirv_foreach (in, code)
      expand(&g, in);
   util_dynarray_fini(&g.decorations);
   free(g.ids);
   return sdvk_code_end(&g.out, code);
}
