/* SPDX-License-Identifier: MIT */
/*
 * Lowers input attachments, views and sample shading of fragment shaders. The renderer has no input
 * attachments: a subpass image becomes a sampled 2D array image, and a read of it a fetch at the
 * fragment's position and layer; the offset is ignored, since Vulkan requires it to be zero
 * (VUID-StandaloneSpirv-SubpassData-04660). In a multiview rendering the layer is the view index.
 * Sample shading is enabled by a read of SampleId.
 *
 * sdvk_stage.c calls this pass on a module of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"
#include "sundog/spirv/operands.h"

/* Properties of an id. */
struct id {
   uint32_t type;     /* type of a value; pointee of a pointer type */
   uint32_t builtin;  /* BuiltIn + 1; 0: none */
   bool is_input;     /* an OpTypeImage with Dim SubpassData */
   bool in_interface; /* in the interface of the entry point */
   bool has_location, is_input_variable;
   bool has_place;    /* decorated Flat, Centroid or Sample */
   /*
    * a pointer to Layer in a shader that has ViewIndex: both would become ViewIndex, so it is
    * dropped
    */
   bool is_second;
};

/* A built-in input, added to the module if it is wanted and missing. */
struct builtin {
   SpvBuiltIn number;
   bool is_wanted, is_new;
   uint32_t variable, type;
};

enum { FRAG_COORD, LAYER, SAMPLE, NUM_BUILTINS };

struct module {
   const struct sdvk_code *code;
   struct spirv_out out;
   const struct sdvk_spirv_options *options;
   struct id *ids;
   uint32_t n_ids;
   uint32_t entry; /* id of the entry point's function */
   uint32_t layer; /* the variable Layer in a multiview shader, which becomes ViewIndex; 0: none */
   uint32_t layer_type;
   bool has_inputs;
   bool has_capability; /* of input attachments, which optimizers leave without a type */
   bool has_capabilities, has_extensions, has_annotations, has_globals, in_entry;
   uint32_t float_type, vec4, int_type, ivec3;
   struct builtin builtins[NUM_BUILTINS];
};

static struct id *
find(struct module *m, uint32_t id)
{
   return &m->ids[id < m->n_ids ? id : 0];
}

/* Analysis */

static void
look_at_variable(struct module *m, const uint32_t *in)
{
   struct id *id = find(m, in[2]);

   if (in[3] != SpvStorageClassInput || !id->in_interface)
      return;
   id->is_input_variable = true;
   for (uint32_t i = 0; i < NUM_BUILTINS; i++) {
      if (id->builtin == m->builtins[i].number + 1) {
         m->builtins[i].variable = in[2];
         m->builtins[i].type = find(m, in[1])->type;
      }
   }
   if (m->options->views && id->builtin == SpvBuiltInLayer + 1) {
      m->layer = in[2];
      m->layer_type = find(m, in[1])->type;
   }
}

static void
look_at_entry_point(struct module *m, const uint32_t *in)
{
   m->entry = in[2];
   /* The name is "main", two words. */
   for (uint32_t i = 5; i < spirv_words(in); i++)
      find(m, in[i])->in_interface = true;
}

static void
look_at_decoration(struct module *m, const uint32_t *in)
{
   struct id *id = find(m, in[1]);

   switch (in[2]) {
   case SpvDecorationBuiltIn:
      if (spirv_words(in) > 3)
         id->builtin = in[3] + 1;
      break;
   case SpvDecorationLocation:
      id->has_location = true;
      break;
   case SpvDecorationFlat:
   case SpvDecorationCentroid:
   case SpvDecorationSample:
      id->has_place = true;
      break;
   }
}

static void
look_at(struct module *m, const uint32_t *in)
{
   switch (spirv_op(in)) {
   case SpvOpCapability:
      m->has_capability |= in[1] == SpvCapabilityInputAttachment ||
                           in[1] == SpvCapabilityInputAttachmentArrayDynamicIndexing ||
                           in[1] == SpvCapabilityInputAttachmentArrayNonUniformIndexing;
      break;
   case SpvOpEntryPoint:
      look_at_entry_point(m, in);
      break;
   case SpvOpDecorate:
      look_at_decoration(m, in);
      break;
   case SpvOpTypeFloat:
      if (in[2] == 32)
         m->float_type = in[1];
      break;
   case SpvOpTypeInt:
      if (in[2] == 32 && in[3])
         m->int_type = in[1];
      break;
   case SpvOpTypeVector:
      if (in[2] == m->float_type && in[3] == 4)
         m->vec4 = in[1];
      if (in[2] == m->int_type && in[3] == 3)
         m->ivec3 = in[1];
      break;
   case SpvOpTypePointer:
      find(m, in[1])->type = in[3];
      break;
   case SpvOpTypeImage:
      if (in[3] == SpvDimSubpassData)
         m->has_inputs = find(m, in[1])->is_input = true;
      break;
   case SpvOpVariable:
      look_at_variable(m, in);
      break;
   case SpvOpLoad:
   case SpvOpCopyObject:
   case SpvOpFunctionParameter:
      find(m, in[2])->type = in[1];
      break;
   }
}

/* In a multiview rendering, ViewIndex replaces Layer. */
static void
take_layer_as_view(struct module *m)
{
   struct builtin *view = &m->builtins[LAYER];

   if (!m->layer)
      return;
   if (view->variable) {
      find(m, m->layer)->is_second = true;
      return;
   }
   view->variable = m->layer;
   view->type = m->layer_type;
}

/* Rewriting */

static uint32_t
new_id(struct module *m)
{
   return spirv_new_id(&m->out);
}

static void
emit_capabilities(struct module *m)
{
   if (m->options->views)
      SPIRV_EMIT(&m->out, SpvOpCapability, SpvCapabilityMultiView);
   else if (m->has_inputs)
      SPIRV_EMIT(&m->out, SpvOpCapability, SpvCapabilityGeometry); /* for Layer */
   if (m->options->per_sample)
      SPIRV_EMIT(&m->out, SpvOpCapability, SpvCapabilitySampleRateShading);
}

static void
emit_extensions(struct module *m)
{
   static const char name[20] = "SPV_KHR_multiview";
   uint32_t begun;

   if (!m->options->views)
      return;
   begun = spirv_begin(&m->out, SpvOpExtension);
   spirv_put(&m->out, (const uint32_t *)name, sizeof(name) / 4);
   spirv_end(&m->out, begun);
}

static void
emit_entry_point(struct module *m, const uint32_t *in)
{
   const uint32_t begun = spirv_begin(&m->out, SpvOpEntryPoint);

   spirv_put(&m->out, in + 1, 4);
   for (uint32_t i = 5; i < spirv_words(in); i++) {
      if (!find(m, in[i])->is_second)
         spirv_put_word(&m->out, in[i]);
   }
   for (uint32_t i = 0; i < NUM_BUILTINS; i++) {
      struct builtin *builtin = &m->builtins[i];

      if (!builtin->is_wanted || builtin->variable)
         continue;
      builtin->variable = new_id(m);
      builtin->is_new = true;
      spirv_put_word(&m->out, builtin->variable);
   }
   spirv_end(&m->out, begun);
}

static void
emit_builtin(struct module *m, const struct builtin *builtin)
{
   if (!builtin->is_new)
      return;
   SPIRV_EMIT(&m->out, SpvOpDecorate, builtin->variable, SpvDecorationBuiltIn, builtin->number);
   if (builtin->number != SpvBuiltInFragCoord)
      SPIRV_EMIT(&m->out, SpvOpDecorate, builtin->variable, SpvDecorationFlat);
}

/* Decorates interpolated inputs with Sample. */
static void
emit_samples(struct module *m)
{
   for (uint32_t i = 1; i < m->n_ids; i++) {
      if (m->ids[i].is_input_variable && m->ids[i].has_location && !m->ids[i].has_place)
         SPIRV_EMIT(&m->out, SpvOpDecorate, i, SpvDecorationSample);
   }
}

static void
emit_annotations(struct module *m)
{
   for (uint32_t i = 0; i < NUM_BUILTINS; i++)
      emit_builtin(m, &m->builtins[i]);
   if (m->options->per_sample)
      emit_samples(m);
}

static void
emit_variable(struct module *m, struct builtin *builtin, uint32_t type)
{
   uint32_t pointer;

   if (!builtin->is_new)
      return;
   builtin->type = type;
   pointer = new_id(m);
   SPIRV_EMIT(&m->out, SpvOpTypePointer, pointer, SpvStorageClassInput, type);
   SPIRV_EMIT(&m->out, SpvOpVariable, pointer, builtin->variable, SpvStorageClassInput);
}

/* Emits types that the module lacks, and built-in variables, after the module's own. */
static void
emit_globals(struct module *m)
{
   if (!m->float_type)
      SPIRV_EMIT(&m->out, SpvOpTypeFloat, m->float_type = new_id(m), 32);
   if (!m->vec4)
      SPIRV_EMIT(&m->out, SpvOpTypeVector, m->vec4 = new_id(m), m->float_type, 4);
   if (!m->int_type)
      SPIRV_EMIT(&m->out, SpvOpTypeInt, m->int_type = new_id(m), 32, 1);
   if (!m->ivec3)
      SPIRV_EMIT(&m->out, SpvOpTypeVector, m->ivec3 = new_id(m), m->int_type, 3);
   for (uint32_t i = 0; i < NUM_BUILTINS; i++)
      emit_variable(m, &m->builtins[i], i == FRAG_COORD ? m->vec4 : m->int_type);
}

/* Returns true if the module has this image type: types have to be unique (SPIR-V 2.8). */
static bool
has_image_type(const struct module *m, const uint32_t *operands, uint32_t count)
{
   spirv_foreach (in, m->code) {
      if (in[0] == (SpvOpTypeImage | (count + 2) << SpvWordCountShift) &&
          !memcmp(in + 2, operands, count * 4))
         return true;
   }
   return false;
}

/* Emits the sampled image type. The Depth operand, which Vulkan ignores, makes it unique. */
static void
emit_image_type(struct module *m, const uint32_t *in)
{
   uint32_t operands[] = {in[2], SpvDim2D, in[4], 1, in[6], 1, SpvImageFormatUnknown};

   for (uint32_t i = 0; i < 2 && has_image_type(m, operands, ARRAY_SIZE(operands)); i++)
      operands[2] = (operands[2] + 1) % 3;
   SPIRV_EMIT(&m->out, SpvOpTypeImage, in[1], operands[0], operands[1], operands[2], operands[3],
              operands[4], operands[5], operands[6]);
}

static uint32_t
emit_layer(struct module *m)
{
   const struct builtin *builtin = &m->builtins[LAYER];
   const uint32_t layer = new_id(m), number = new_id(m);

   SPIRV_EMIT(&m->out, SpvOpLoad, builtin->type, layer, builtin->variable);
   if (builtin->type == m->int_type)
      return layer;
   SPIRV_EMIT(&m->out, SpvOpBitcast, m->int_type, number, layer);
   return number;
}

static void
emit_fetch(struct module *m, const uint32_t *in)
{
   const uint32_t place = new_id(m), layer = emit_layer(m), at = new_id(m);
   uint32_t numbers[2], begun;

   SPIRV_EMIT(&m->out, SpvOpLoad, m->builtins[FRAG_COORD].type, place,
              m->builtins[FRAG_COORD].variable);
   for (uint32_t i = 0; i < 2; i++) {
      const uint32_t component = new_id(m);

      numbers[i] = new_id(m);
      SPIRV_EMIT(&m->out, SpvOpCompositeExtract, m->float_type, component, place, i);
      SPIRV_EMIT(&m->out, SpvOpConvertFToS, m->int_type, numbers[i], component);
   }
   SPIRV_EMIT(&m->out, SpvOpCompositeConstruct, m->ivec3, at, numbers[0], numbers[1], layer);
   begun = spirv_begin(&m->out, SpvOpImageFetch);
   spirv_put(&m->out, in + 1, 3);
   spirv_put_word(&m->out, at);
   spirv_put(&m->out, in + 5, spirv_words(in) - 5);
   spirv_end(&m->out, begun);
}

/* Emits capabilities and extensions at their places: capabilities come first, then extensions. */
static void
emit_head(struct module *m, uint32_t op)
{
   if (!m->has_capabilities)
      emit_capabilities(m);
   m->has_capabilities = true;
   if (op == SpvOpCapability || m->has_extensions)
      return;
   emit_extensions(m);
   m->has_extensions = true;
}

/* Reads SampleId at the beginning of the entry point's function, behind its variables. */
static void
emit_read_sample(struct module *m, uint32_t op)
{
   const struct builtin *builtin = &m->builtins[SAMPLE];

   if (spirv_begins_block(op))
      return;
   SPIRV_EMIT(&m->out, SpvOpLoad, builtin->type, new_id(m), builtin->variable);
   m->in_entry = false;
}

static void
rewrite_decoration(struct module *m, const uint32_t *in)
{
   if (in[2] == SpvDecorationInputAttachmentIndex || find(m, in[1])->is_second)
      return;
   if (m->options->views && spirv_words(in) > 3 && in[2] == SpvDecorationBuiltIn &&
       in[3] == SpvBuiltInLayer)
      SPIRV_EMIT(&m->out, SpvOpDecorate, in[1], SpvDecorationBuiltIn, SpvBuiltInViewIndex);
   else
      spirv_copy(&m->out, in);
}

/* Emits a load of ViewIndex in place of one of Layer. */
static void
emit_load_of_view(struct module *m, uint32_t type, uint32_t result)
{
   const struct builtin *view = &m->builtins[LAYER];
   const uint32_t loaded = view->type == type ? result : new_id(m);

   SPIRV_EMIT(&m->out, SpvOpLoad, view->type, loaded, view->variable);
   if (loaded != result)
      SPIRV_EMIT(&m->out, SpvOpBitcast, type, result, loaded);
}

/*
 * Emits a load of ViewIndex and a store in place of a copy of Layer. The first memory operands are
 * the target's; an input has no other than Volatile.
 */
static void
emit_copy_of_view(struct module *m, const uint32_t *in)
{
   const uint32_t value = new_id(m);
   uint32_t begun, masks = 0;
   struct spirv_operands o;
   char letter;

   emit_load_of_view(m, m->layer_type, value);
   spirv_operands_begin(&o, in);
   do {
      letter = spirv_operands_next(&o);
      masks += letter == 'M';
   } while (letter && masks < 2);
   begun = spirv_begin(&m->out, SpvOpStore);
   spirv_put(&m->out, (const uint32_t[]){in[1], value}, 2);
   spirv_put(&m->out, in + 3, o.word - 3);
   spirv_end(&m->out, begun);
}

/* Replaces indexing capabilities of input attachments by those of sampled images. */
static void
rewrite_capability(struct module *m, const uint32_t *in)
{
   switch (in[1]) {
   case SpvCapabilityInputAttachment:
      break;
   case SpvCapabilityInputAttachmentArrayDynamicIndexing:
      SPIRV_EMIT(&m->out, SpvOpCapability, SpvCapabilitySampledImageArrayDynamicIndexing);
      break;
   case SpvCapabilityInputAttachmentArrayNonUniformIndexing:
      SPIRV_EMIT(&m->out, SpvOpCapability, SpvCapabilitySampledImageArrayNonUniformIndexing);
      break;
   default:
      spirv_copy(&m->out, in);
   }
}

/*
 * Returns true for instructions that create or name a dropped pointer to Layer. Names precede
 * variables, when it is not known which pointers are dropped, so all names are dropped.
 */
static bool
is_of_second(struct module *m, const uint32_t *in)
{
   switch (spirv_op(in)) {
   case SpvOpName:
      return find(m, m->layer)->is_second;
   case SpvOpVariable:
      return find(m, in[2])->is_second;
   case SpvOpCopyObject:
   case SpvOpAccessChain:
   case SpvOpInBoundsAccessChain:
      /* Layer is a scalar: an access chain has no indices. */
      if (spirv_words(in) != 4 || !find(m, in[3])->is_second)
         return false;
      find(m, in[2])->is_second = true;
      return true;
   default:
      return false;
   }
}

static void
rewrite_instruction(struct module *m, const uint32_t *in)
{
   const uint32_t op = spirv_op(in);

   emit_head(m, op);
   if (spirv_is_annotation_or_type(op) && !m->has_annotations) {
      emit_annotations(m);
      m->has_annotations = true;
   }
   if (op == SpvOpFunction && !m->has_globals) {
      emit_globals(m);
      m->has_globals = true;
   }
   if (op == SpvOpFunction)
      m->in_entry = m->options->per_sample && in[2] == m->entry;
   if (m->in_entry)
      emit_read_sample(m, op);
   if (op == SpvOpCapability)
      rewrite_capability(m, in);
   else if (op == SpvOpDecorate)
      rewrite_decoration(m, in);
   else if (op == SpvOpEntryPoint)
      emit_entry_point(m, in);
   else if (op == SpvOpTypeImage && find(m, in[1])->is_input)
      emit_image_type(m, in);
   else if (op == SpvOpImageRead && find(m, find(m, in[3])->type)->is_input)
      emit_fetch(m, in);
   else if (op == SpvOpLoad && find(m, in[3])->is_second)
      emit_load_of_view(m, in[1], in[2]);
   else if (op == SpvOpCopyMemory && find(m, in[2])->is_second)
      emit_copy_of_view(m, in);
   else if (!is_of_second(m, in))
      spirv_copy(&m->out, in);
}

static bool
lower(struct module *m, struct sdvk_code *code)
{
   spirv_foreach (in, code)
      look_at(m, in);
   if (!m->has_inputs && !m->has_capability && !m->layer && !m->options->per_sample)
      return true;
   take_layer_as_view(m);
   m->builtins[FRAG_COORD].is_wanted = m->builtins[LAYER].is_wanted = m->has_inputs;
   m->builtins[SAMPLE].is_wanted = m->options->per_sample;
   sdvk_code_begin(&m->out, code);
   spirv_foreach (in, code)
      rewrite_instruction(m, in);
   return sdvk_code_end(&m->out, code);
}

bool
sdvk_spirv_lower_fragment(struct sdvk_code *code, const struct sdvk_spirv_options *options)
{
   struct module m = {
      .code = code,
      .options = options,
      .n_ids = code->words[SPIRV_HEADER_BOUND],
      .builtins = {
         [FRAG_COORD].number = SpvBuiltInFragCoord,
         [LAYER].number = options->views ? SpvBuiltInViewIndex : SpvBuiltInLayer,
         [SAMPLE].number = SpvBuiltInSampleId,
      },
   };
   bool ok;

   m.ids = calloc(m.n_ids + 1, sizeof(*m.ids));
   ok = m.ids && lower(&m, code);
   free(m.ids);
   return ok;
}
