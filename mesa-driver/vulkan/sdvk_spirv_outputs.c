/* SPDX-License-Identifier: MIT */
/*
 * Moves outputs of a fragment shader to attachments (VK_KHR_dynamic_rendering_local_read). A
 * pipeline may map attachments to output locations, while location and attachment are the same
 * number for the renderer. An output that no attachment has gets the number of an unwritten
 * attachment. An array whose elements are no longer consecutive becomes a Private variable; where
 * the shader returns, each element is stored to an output of its own. sdvk_stage.c calls this pass
 * on a module of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"
#include "util/bitscan.h"
#include "vk_graphics_state.h"

#define MAX_OUTPUTS SUNDOG_MAX_COLOR_ATTACHMENTS

struct id {
   uint32_t op;       /* instruction that defines it, if that matters */
   uint32_t type;     /* type of a variable or constant, pointee, or element type of an array */
   uint32_t value;    /* value of a constant, or id of an array's length */
   uint32_t location; /* Location + 1; 0: none */
   uint32_t private_type; /* of an Output pointer type: the same type in storage class Private */
   bool is_private;   /* a pointer to a variable that is now Private */
};

/* An output array that is split. */
struct array {
   uint32_t variable, type, element, length;
   uint32_t outputs[MAX_OUTPUTS];
};

struct module {
   const struct sdvk_code *code;
   struct spirv_out out;
   const struct sdvk_spirv_options *options;
   struct id *ids;
   uint32_t n_ids;
   uint32_t entry;
   struct array arrays[MAX_OUTPUTS];
   uint32_t n_arrays;
   bool in_entry;
};

static struct id *
find(struct module *m, uint32_t id)
{
   return &m->ids[id < m->n_ids ? id : 0];
}

static void
look_at(struct module *m, const uint32_t *in)
{
   const uint32_t op = spirv_op(in);

   switch (op) {
   case SpvOpEntryPoint:
      m->entry = in[2];
      break;
   case SpvOpDecorate:
      if (spirv_words(in) > 3 && in[2] == SpvDecorationLocation)
         find(m, in[1])->location = in[3] + 1;
      break;
   case SpvOpConstant:
   case SpvOpSpecConstant:
      *find(m, in[2]) = (struct id){.op = op, .type = in[1], .value = in[3]};
      break;
   case SpvOpTypeArray:
      *find(m, in[1]) = (struct id){.op = op, .type = in[2], .value = in[3]};
      break;
   case SpvOpTypePointer:
      if (in[2] == SpvStorageClassOutput)
         *find(m, in[1]) = (struct id){.op = op, .type = in[3]};
      break;
   case SpvOpVariable:
      if (in[3] == SpvStorageClassOutput) {
         find(m, in[2])->op = op;
         find(m, in[2])->type = in[1];
      }
      break;
   }
}

/*
 * Maps locations to attachments. A location without an attachment gets an unused number, highest
 * first.
 */
static void
map_locations(const uint8_t *locations, uint32_t *attachments)
{
   uint32_t taken = 0, mapped = 0;

   for (uint32_t i = 0; i < MAX_OUTPUTS; i++) {
      if (locations[i] >= MAX_OUTPUTS)
         continue;
      attachments[locations[i]] = i;
      taken |= BITFIELD_BIT(i);
      mapped |= BITFIELD_BIT(locations[i]);
   }
   u_foreach_bit(location, ~mapped & BITFIELD_MASK(MAX_OUTPUTS)) {
      attachments[location] = util_last_bit(~taken & BITFIELD_MASK(MAX_OUTPUTS)) - 1;
      taken |= BITFIELD_BIT(attachments[location]);
   }
}

static uint32_t
new_id(struct module *m)
{
   return spirv_new_id(&m->out);
}

/* Returns the array type of an output; NULL: not an array. */
static const struct id *
array_of(struct module *m, const struct id *variable)
{
   const struct id *type = find(m, find(m, variable->type)->type);

   return type->op == SpvOpTypeArray ? type : NULL;
}

static void
part_array(struct module *m, uint32_t variable, const struct id *type, uint32_t length)
{
   struct array *array = &m->arrays[m->n_arrays++];

   *array = (struct array){
      .variable = variable,
      .type = find(m, find(m, variable)->type)->type,
      .element = type->type,
      .length = length,
   };
   for (uint32_t i = 0; i < length; i++)
      array->outputs[i] = new_id(m);
   find(m, variable)->is_private = true;
}

static void
look_at_output(struct module *m, uint32_t variable, const uint32_t *attachments)
{
   struct id *id = find(m, variable);
   const struct id *type = array_of(m, id);
   const uint32_t first = id->location - 1, length = type ? find(m, type->value)->value : 1;

   if (!length || first >= MAX_OUTPUTS || length > MAX_OUTPUTS - first ||
       m->n_arrays == MAX_OUTPUTS) {
      m->out.failed = true;
      return;
   }
   for (uint32_t i = 1; i < length; i++) {
      if (attachments[first + i] != attachments[first] + i) {
         part_array(m, variable, type, length);
         return;
      }
   }
}

/* Rewriting */

static const struct array *
parted(const struct module *m, uint32_t variable)
{
   for (uint32_t i = 0; i < m->n_arrays; i++) {
      if (m->arrays[i].variable == variable)
         return &m->arrays[i];
   }
   return NULL;
}

/*
 * Begins at the interface, since words of the name may look like ids. As of SPIR-V 1.4 the
 * interface has all variables.
 */
static void
emit_entry_point(struct module *m, const uint32_t *in)
{
   const bool all = m->code->words[SPIRV_HEADER_VERSION] >= 0x10400;
   const uint32_t begun = spirv_begin(&m->out, SpvOpEntryPoint);

   spirv_put(&m->out, in + 1, 4);
   for (uint32_t i = 5; i < spirv_words(in); i++) {
      const struct array *array = parted(m, in[i]);

      if (!array || all)
         spirv_put_word(&m->out, in[i]);
      if (array)
         spirv_put(&m->out, array->outputs, array->length);
   }
   spirv_end(&m->out, begun);
}

/* The location of an invalid variable with two Location decorations may be anything. */
static uint32_t
attachment_at(const uint32_t *attachments, uint32_t location)
{
   return location < MAX_OUTPUTS ? attachments[location] : location;
}

static void
emit_decoration(struct module *m, const uint32_t *in, const uint32_t *attachments)
{
   const struct id *id = find(m, in[1]);
   const struct array *array = parted(m, in[1]);

   if (id->op != SpvOpVariable || spirv_words(in) < 4) {
      spirv_copy(&m->out, in);
      return;
   }
   switch (in[2]) {
   case SpvDecorationLocation:
      if (!array)
         SPIRV_EMIT(&m->out, SpvOpDecorate, in[1], in[2], attachment_at(attachments, in[3]));
      for (uint32_t i = 0; array && i < array->length; i++)
         SPIRV_EMIT(&m->out, SpvOpDecorate, array->outputs[i], in[2],
                    attachment_at(attachments, in[3] + i));
      break;
   case SpvDecorationIndex:
   case SpvDecorationComponent:
      if (!array)
         spirv_copy(&m->out, in);
      for (uint32_t i = 0; array && i < array->length; i++)
         SPIRV_EMIT(&m->out, SpvOpDecorate, array->outputs[i], in[2], in[3]);
      break;
   default:
      spirv_copy(&m->out, in);
   }
}

static void
emit_pointer_type(struct module *m, const uint32_t *in)
{
   spirv_copy(&m->out, in);
   if (in[2] != SpvStorageClassOutput || !m->n_arrays)
      return;
   find(m, in[1])->private_type = new_id(m);
   SPIRV_EMIT(&m->out, SpvOpTypePointer, find(m, in[1])->private_type, SpvStorageClassPrivate,
              in[3]);
}

static void
emit_variable(struct module *m, const uint32_t *in)
{
   const struct array *array = parted(m, in[2]);
   const uint32_t head[] = {in[0], find(m, in[1])->private_type, in[2], SpvStorageClassPrivate};
   uint32_t pointer;

   if (!array) {
      spirv_copy(&m->out, in);
      return;
   }
   pointer = new_id(m);
   spirv_put(&m->out, head, 4);
   spirv_put(&m->out, in + 4, spirv_words(in) - 4);
   SPIRV_EMIT(&m->out, SpvOpTypePointer, pointer, SpvStorageClassOutput, array->element);
   for (uint32_t i = 0; i < array->length; i++)
      SPIRV_EMIT(&m->out, SpvOpVariable, pointer, array->outputs[i], SpvStorageClassOutput);
}

/* A pointer derived from a Private one is Private. */
static void
emit_pointer(struct module *m, const uint32_t *in)
{
   if (!find(m, in[3])->is_private) {
      spirv_copy(&m->out, in);
      return;
   }

   const uint32_t head[] = {in[0], find(m, in[1])->private_type};

   find(m, in[2])->is_private = true;
   spirv_put(&m->out, head, 2);
   spirv_put(&m->out, in + 2, spirv_words(in) - 2);
}

static void
emit_stores(struct module *m)
{
   for (uint32_t i = 0; i < m->n_arrays; i++) {
      const struct array *array = &m->arrays[i];
      const uint32_t whole = new_id(m);

      SPIRV_EMIT(&m->out, SpvOpLoad, array->type, whole, array->variable);
      for (uint32_t j = 0; j < array->length; j++) {
         const uint32_t element = new_id(m);

         SPIRV_EMIT(&m->out, SpvOpCompositeExtract, array->element, element, whole, j);
         SPIRV_EMIT(&m->out, SpvOpStore, array->outputs[j], element);
      }
   }
}

static bool
calls_with_array(struct module *m, const uint32_t *in)
{
   for (uint32_t i = 4; i < spirv_words(in); i++) {
      if (find(m, in[i])->is_private)
         return true;
   }
   return false;
}

static void
rewrite_instruction(struct module *m, const uint32_t *in, const uint32_t *attachments)
{
   switch (spirv_op(in)) {
   case SpvOpEntryPoint:
      emit_entry_point(m, in);
      return;
   case SpvOpDecorate:
      emit_decoration(m, in, attachments);
      return;
   case SpvOpTypePointer:
      emit_pointer_type(m, in);
      return;
   case SpvOpVariable:
      emit_variable(m, in);
      return;
   case SpvOpAccessChain:
   case SpvOpInBoundsAccessChain:
   case SpvOpCopyObject:
      emit_pointer(m, in);
      return;
   case SpvOpFunction:
      m->in_entry = in[2] == m->entry;
      break;
   case SpvOpFunctionCall:
      m->out.failed |= calls_with_array(m, in);
      break;
   case SpvOpReturn:
      if (m->in_entry)
         emit_stores(m);
      break;
   }
   spirv_copy(&m->out, in);
}

static void
rewrite(struct module *m)
{
   uint32_t attachments[MAX_OUTPUTS];

   sdvk_code_begin(&m->out, m->code);
   spirv_foreach (in, m->code)
      look_at(m, in);
   map_locations(m->options->locations, attachments);
   for (uint32_t i = 1; i < m->n_ids && !m->out.failed; i++) {
      if (m->ids[i].op == SpvOpVariable && m->ids[i].location)
         look_at_output(m, i, attachments);
   }
   spirv_foreach (in, m->code)
      rewrite_instruction(m, in, attachments);
}

bool
sdvk_spirv_move_outputs(struct sdvk_code *code, const struct sdvk_spirv_options *options)
{
   struct module m = {
      .code = code,
      .options = options,
      .n_ids = code->words[SPIRV_HEADER_BOUND],
   };

   if (!options->moves_outputs)
      return true;
   m.ids = calloc(m.n_ids + 1, sizeof(*m.ids));
   if (m.ids)
      rewrite(&m);
   else
      m.out.failed = true;
   free(m.ids);
   return sdvk_code_end(&m.out, code);
}

/*
 * moves_outputs stays false if attachment i has location i. Entries without an attachment are
 * MESA_VK_ATTACHMENT_UNUSED.
 */
void
sdvk_spirv_set_locations(struct sdvk_spirv_options *options, const uint8_t *map, uint32_t count)
{
   memset(options->locations, MESA_VK_ATTACHMENT_UNUSED, sizeof(options->locations));
   options->moves_outputs = false;
   for (uint32_t i = 0; i < MIN2(count, SUNDOG_MAX_COLOR_ATTACHMENTS); i++) {
      options->locations[i] = map[i];
      options->moves_outputs |= map[i] != i;
   }
}
