/* SPDX-License-Identifier: MIT */
/*
 * Splits bindings with variables of several kinds. Shaders may declare several variables at one
 * binding, such as textures of different dimensions in one array. The renderer supports one kind
 * for each binding, so this pass moves the variables of other kinds to a repeated set: the same
 * set, bound a second time at a slot behind those of the layout. There the host has a copy of the
 * set with only the descriptors of that kind. A mutable binding may also have samplers and buffers.
 * sdvk_program.c and sdvk_stage.c call this, on a module of their own.
 */
#include <stdlib.h>

#include "sdvk_descriptor.h"
#include "sdvk_spirv_emit.h"

#define KIND_IMAGE (1u << 31)

/* Only told apart at mutable bindings: otherwise the layout says what a descriptor is. */
#define KIND_COMBINED (1u << 30)
#define KIND_STORED (1u << 29)

/* At mutable bindings only. */
#define KIND_SAMPLER (1u << 28)
#define KIND_UNIFORM (1u << 27)
#define KIND_STORAGE (1u << 26)

/* Properties of an id. */
struct id {
   uint32_t kind;    /* kind of a type, or of its element or pointee type */
   uint32_t *set;    /* operand of its DescriptorSet decoration; NULL: not seen */
   uint32_t binding; /* Binding + 1; 0: not seen */
   bool buffer_block; /* a struct that is a storage buffer */
};

/* A kind that variables at a binding have. */
struct use {
   uint32_t set, binding, kind;
   uint32_t slot; /* set that they are moved to */
};

struct kinds {
   struct id *ids; /* of the shader that is looked at */
   uint32_t bound;
   struct util_dynarray *list; /* struct sdvk_spirv_kind */
   struct util_dynarray uses;
   const struct vk_pipeline_layout *layout; /* NULL: each binding may be mutable */
   struct sdvk_spirv_repeats *repeats;
   /* of repeated sets: how many kinds of their bindings are in sets before */
   uint32_t ranks[SUNDOG_MAX_SETS];
   bool ok;
};

static struct id *
find(struct kinds *k, uint32_t id)
{
   return &k->ids[id < k->bound ? id : 0];
}

typedef void (*on_variable)(struct kinds *k, uint32_t *set, uint32_t binding, uint32_t kind);

static bool
is_mutable(const struct vk_pipeline_layout *layout, uint32_t set, uint32_t number)
{
   const struct sdvk_binding *binding = sdvk_find_binding(layout, set, number);

   return binding && binding->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
}

/*
 * Returns the kind of a variable at a mutable binding from its storage class and the kind of its
 * type; 0: not a descriptor.
 */
static uint32_t
mutable_kind(uint32_t kind, uint32_t class)
{
   if (class == SpvStorageClassStorageBuffer)
      return KIND_STORAGE;
   if (class == SpvStorageClassUniform)
      return kind ? kind : KIND_UNIFORM;
   return class == SpvStorageClassUniformConstant ? kind : 0;
}

/* Returns the kind as told apart at a binding; 0: the binding can have only one kind. */
static uint32_t
kind_at(uint32_t kind, bool mutable)
{
   if (mutable)
      return kind;
   return kind & KIND_IMAGE ? kind & ~(KIND_COMBINED | KIND_STORED) : 0;
}

/*
 * Calls @function for variable @id, whose type points to @kind, if it is at a binding with kinds.
 */
static void
look_at_variable(struct kinds *k, const struct id *id, uint32_t kind, uint32_t class,
                 on_variable function)
{
   if (!id->set || !id->binding)
      return;
   kind = kind_at(mutable_kind(kind, class),
                  !k->layout || is_mutable(k->layout, *id->set, id->binding - 1));
   if (kind)
      function(k, id->set, id->binding - 1, kind);
}

/*
 * Tracks types and decorations. An image kind has what the renderer tells apart: component type,
 * dimension, arrayed and multisampled.
 */
static void
look_at(struct kinds *k, uint32_t *in, on_variable function)
{
   switch (spirv_op(in)) {
   case SpvOpDecorate:
      if (spirv_words(in) > 3 && in[2] == SpvDecorationDescriptorSet)
         find(k, in[1])->set = &in[3];
      if (spirv_words(in) > 3 && in[2] == SpvDecorationBinding)
         find(k, in[1])->binding = in[3] + 1;
      find(k, in[1])->buffer_block |= in[2] == SpvDecorationBufferBlock;
      break;
   case SpvOpTypeFloat:
      find(k, in[1])->kind = 1;
      break;
   case SpvOpTypeInt:
      find(k, in[1])->kind = in[3] ? 2 : 3;
      break;
   case SpvOpTypeImage:
      find(k, in[1])->kind = KIND_IMAGE | find(k, in[2])->kind | in[3] << 4 | in[5] << 8 |
                             in[6] << 12 | (in[7] == 2 ? KIND_STORED : 0);
      break;
   case SpvOpTypeSampler:
      find(k, in[1])->kind = KIND_SAMPLER;
      break;
   case SpvOpTypeStruct:
      find(k, in[1])->kind = find(k, in[1])->buffer_block ? KIND_STORAGE : 0;
      break;
   case SpvOpTypeSampledImage:
      find(k, in[1])->kind = find(k, in[2])->kind | KIND_COMBINED;
      break;
   case SpvOpTypeArray:
   case SpvOpTypeRuntimeArray:
      find(k, in[1])->kind = find(k, in[2])->kind;
      break;
   case SpvOpTypePointer:
      find(k, in[1])->kind = find(k, in[3])->kind;
      break;
   case SpvOpVariable:
      look_at_variable(k, find(k, in[2]), find(k, in[1])->kind, in[3], function);
      break;
   }
}

/* Calls @function for each descriptor variable; all of them precede functions. */
static void
for_variables(struct kinds *k, const struct sdvk_code *code, on_variable function)
{
   k->bound = code->words[SPIRV_HEADER_BOUND];
   k->ids = calloc(k->bound, sizeof(*k->ids));
   if (!k->ids) {
      k->ok = false;
      return;
   }
   spirv_foreach (in, code) {
      if (spirv_op(in) == SpvOpFunction)
         break;
      look_at(k, in, function);
   }
   free(k->ids);
}

/* Returns the set for the @rank-th other kind of a binding of @set, and adds it if needed. */
static uint32_t
find_slot(struct kinds *k, uint32_t set, uint32_t rank)
{
   struct sdvk_spirv_repeats *repeats = k->repeats;

   if (!rank)
      return set;
   for (uint32_t i = 0; i < repeats->count; i++) {
      if (repeats->sets[i] == set && k->ranks[i] == rank)
         return repeats->first + i;
   }
   if (repeats->first + repeats->count == SUNDOG_MAX_SETS) {
      k->ok = false;
      return set;
   }
   k->ranks[repeats->count] = rank;
   repeats->sets[repeats->count] = set;
   return repeats->first + repeats->count++;
}

static void
note(struct kinds *k, uint32_t *set, uint32_t binding, uint32_t kind)
{
   struct use *new;
   uint32_t rank = 0;

   /* The renderer refuses sets that the layout lacks. */
   if (*set >= k->repeats->first)
      return;
   util_dynarray_foreach(&k->uses, struct use, use) {
      if (use->set != *set || use->binding != binding)
         continue;
      if (use->kind == kind)
         return;
      rank++;
   }
   new = util_dynarray_grow(&k->uses, struct use, 1);
   if (new)
      *new = (struct use){*set, binding, kind, find_slot(k, *set, rank)};
   else
      k->ok = false;
}

static void
move(struct kinds *k, uint32_t *set, uint32_t binding, uint32_t kind)
{
   util_dynarray_foreach(&k->uses, struct use, use) {
      if (use->set == *set && use->binding == binding && use->kind == kind) {
         *set = use->slot;
         return;
      }
   }
}

static void
list(struct kinds *k, uint32_t *set, uint32_t binding, uint32_t kind)
{
   struct sdvk_spirv_kind *new;

   util_dynarray_foreach (k->list, struct sdvk_spirv_kind, old) {
      if (old->set == *set && old->binding == binding && old->kind == kind)
         return;
   }
   new = util_dynarray_grow(k->list, struct sdvk_spirv_kind, 1);
   if (new)
      *new = (struct sdvk_spirv_kind){*set, binding, kind};
   else
      k->ok = false;
}

bool
sdvk_spirv_list_kinds(const struct sdvk_code *code, struct util_dynarray *out)
{
   struct kinds k = {.list = out, .ok = true};

   for_variables(&k, code, list);
   return k.ok;
}

static bool
differs(const struct sdvk_spirv_kind *kind, const struct util_dynarray *list,
        const struct vk_pipeline_layout *layout)
{
   const bool mutable = is_mutable(layout, kind->set, kind->binding);

   util_dynarray_foreach (list, struct sdvk_spirv_kind, other) {
      const uint32_t its = kind_at(other->kind, mutable), own = kind_at(kind->kind, mutable);

      if (other->set == kind->set && other->binding == kind->binding && its && own && its != own)
         return true;
   }
   return false;
}

bool
sdvk_spirv_kinds_differ(const struct util_dynarray *const *lists, uint32_t count,
                        const struct vk_pipeline_layout *layout)
{
   for (uint32_t i = 0; i < count; i++) {
      util_dynarray_foreach (lists[i], struct sdvk_spirv_kind, kind) {
         for (uint32_t j = i; j < count; j++) {
            if (differs(kind, lists[j], layout))
               return true;
         }
      }
   }
   return false;
}

bool
sdvk_spirv_part_kinds(struct sdvk_code *codes, uint32_t count,
                      const struct vk_pipeline_layout *layout, struct sdvk_spirv_repeats *repeats)
{
   struct kinds k = {.layout = layout, .repeats = repeats, .ok = true};

   util_dynarray_init(&k.uses, NULL);
   for (uint32_t i = 0; i < count; i++)
      for_variables(&k, &codes[i], note);
   for (uint32_t i = 0; repeats->count && i < count; i++)
      for_variables(&k, &codes[i], move);
   util_dynarray_fini(&k.uses);
   return k.ok;
}
