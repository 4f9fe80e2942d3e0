/* SPDX-License-Identifier: MIT */
/*
 * Lowers sampler Y'CbCr conversions. The renderer knows single-plane images and no conversions, so
 * that the host needs no such feature, and none that would have to trust a guest. Each id that
 * leads to a multi-planar image (its variable, pointers to it, loaded values, function parameters)
 * is repeated for each plane. A sample becomes a sample of each plane, followed by the conversion.
 * sdvk_stage.c calls this pass on a module of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "sdvk_descriptor.h"
#include "sdvk_spirv_emit.h"
#include "sdvk_ycbcr.h"
#include "sundog/spirv/operands.h"
#include "util/u_math.h"
#include "vk_format.h"

#define MAX_PARAMETERS 255 /* SPIR-V 2.17 Universal Limits */

/* Properties of an id. */
struct id {
   /* Of a value; of types: of components, of the image, of the last of two members. */
   uint32_t type;
   uint32_t op;       /* instruction of a type, otherwise 0 */
   uint32_t size;     /* components of a vector; 1 for an arrayed image type */
   const uint32_t *function; /* its OpFunction, if it is a function */
   uint32_t value;    /* value of a constant */
   bool is_known;     /* the value of a constant is known */
   uint32_t set, binding; /* operands of its decorations + 1; 0: none */
   /* Only of ids that lead to planes: */
   const struct vk_ycbcr_conversion_state *conversion;
   const struct sdvk_binding *variable; /* binding of a variable; NULL: not a variable */
   uint32_t planes[SDVK_MAX_PLANES];    /* the id for each plane; the first is the id itself */
};

/* Constants of a conversion. */
struct constants {
   const struct vk_ycbcr_conversion_state *conversion;
   uint32_t columns[SDVK_YCBCR_CHANNELS], constant;
};

struct module {
   const struct vk_pipeline_layout *layout;
   const struct sdvk_code *code;
   const uint32_t *functions, *end; /* the first function, and the end of the module */
   struct spirv_out head, globals, body;
   struct util_dynarray constants;
   struct id *ids;
   uint32_t n_ids, next_id;
   uint32_t float_type, vec4, zero; /* ids */
   bool has_planes, has_query, wants_query, has_annotations;
   bool failed; /* unsupported, such as a function that is called with several conversions */
   bool changed;
};

static struct id *
find(struct module *m, uint32_t id)
{
   return &m->ids[id < m->n_ids ? id : 0];
}

static uint32_t
new_id(struct module *m)
{
   return m->next_id++;
}

static uint32_t
plane_count(const struct id *id)
{
   return id->conversion ? vk_format_get_plane_count(id->conversion->format) : 1;
}

/* Analysis of the part before functions */

static void
look_at_variable(struct module *m, const uint32_t *in)
{
   struct id *id = find(m, in[2]);
   const struct sdvk_binding *binding;

   if (in[3] != SpvStorageClassUniformConstant || !id->set || !id->binding)
      return;
   binding = sdvk_find_binding(m->layout, id->set - 1, id->binding - 1);
   if (!binding || binding->n_planes == 1)
      return;
   id->variable = binding;
   id->planes[0] = in[2];
   for (uint32_t i = 1; i < binding->n_planes; i++)
      id->planes[i] = new_id(m);
   m->has_planes = true;
}

static void
look_at_decoration(struct id *id, uint32_t decoration, uint32_t value)
{
   if (id->variable)
      return;
   if (decoration == SpvDecorationDescriptorSet)
      id->set = value + 1;
   if (decoration == SpvDecorationBinding)
      id->binding = value + 1;
}

static void
look_at_type(struct module *m, const uint32_t *in)
{
   struct id *id = find(m, in[1]);

   id->op = spirv_op(in);
   if (id->op == SpvOpTypeVector || id->op == SpvOpTypeSampledImage)
      id->type = in[2];
   if (id->op == SpvOpTypeStruct && spirv_words(in) == 4)
      id->type = in[3];
   if (id->op == SpvOpTypeVector)
      id->size = in[3];
   if (id->op == SpvOpTypeImage)
      id->size = in[5];
   if (spirv_words(in) == 3 && id->op == SpvOpTypeFloat && in[2] == 32)
      m->float_type = in[1];
   if (id->op == SpvOpTypeVector && in[2] == m->float_type && in[3] == 4)
      m->vec4 = in[1];
}

static void
look_at_global(struct module *m, const uint32_t *in)
{
   const uint32_t op = spirv_op(in), count = spirv_words(in);

   if (op >= SpvOpTypeVoid && op <= SpvOpTypeFunction)
      look_at_type(m, in);
   else if (spirv_has_type(op))
      find(m, in[2])->type = in[1];
   if (op == SpvOpCapability && in[1] == SpvCapabilityImageQuery)
      m->has_query = true;
   if (op == SpvOpDecorate && count > 3)
      look_at_decoration(find(m, in[1]), in[2], in[3]);
   if (op == SpvOpConstant || op == SpvOpSpecConstant) {
      find(m, in[2])->value = in[3];
      find(m, in[2])->is_known = true;
   }
   if (op == SpvOpVariable)
      look_at_variable(m, in);
}

/* Analysis of functions */

static bool
is_same(const struct vk_ycbcr_conversion_state *a, const struct vk_ycbcr_conversion_state *b)
{
   return a == b || (a->format == b->format && a->ycbcr_model == b->ycbcr_model &&
                     a->ycbcr_range == b->ycbcr_range &&
                     !memcmp(a->mapping, b->mapping, sizeof(a->mapping)) &&
                     !memcmp(a->chroma_offsets, b->chroma_offsets, sizeof(a->chroma_offsets)));
}

/* Marks id @number as leading to an image with @conversion. */
static void
lead(struct module *m, uint32_t number, const struct vk_ycbcr_conversion_state *conversion)
{
   struct id *id = find(m, number);

   if (!number || number >= m->n_ids || id->conversion || !conversion ||
       vk_format_get_plane_count(conversion->format) == 1)
      return;
   id->conversion = conversion;
   id->planes[0] = number;
   for (uint32_t i = 1; i < plane_count(id); i++)
      id->planes[i] = new_id(m);
   m->changed = true;
}

static const struct vk_ycbcr_conversion_state *
element_conversion(struct module *m, const struct id *variable, uint32_t element)
{
   return sdvk_find_conversion(m->layout, variable->set - 1, variable->variable, element);
}

/* Returns the conversion of a variable's elements, which all have to be the same. */
static const struct vk_ycbcr_conversion_state *
common_conversion(struct module *m, const struct id *variable)
{
   const struct vk_ycbcr_conversion_state *first = element_conversion(m, variable, 0);

   for (uint32_t i = 1; i < variable->variable->count; i++) {
      const struct vk_ycbcr_conversion_state *other = element_conversion(m, variable, i);

      m->failed |= !first != !other || (first && !is_same(first, other));
   }
   return first;
}

/* Propagates the conversion to a derived pointer or a loaded value. */
static void
look_at_derived(struct module *m, const uint32_t *in)
{
   const uint32_t op = spirv_op(in);
   const bool is_element =
      (op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain) && spirv_words(in) > 4;
   const struct id *from = find(m, in[3]);

   if (!from->variable)
      lead(m, in[2], from->conversion);
   else if (is_element && find(m, in[4])->is_known)
      lead(m, in[2], element_conversion(m, from, find(m, in[4])->value));
   else
      lead(m, in[2], common_conversion(m, from));
}

/* Returns the id of parameter @i of function @function; 0: there is none. */
static uint32_t
parameter(struct module *m, uint32_t function, uint32_t i)
{
   const struct id *id = find(m, function);
   uint32_t n = 0;

   m->failed |= i > MAX_PARAMETERS;
   if (m->failed || !id->function)
      return 0;
   spirv_foreach_from (in, id->function, m->end) {
      if (spirv_op(in) == SpvOpLabel || spirv_op(in) == SpvOpFunctionEnd)
         return 0;
      if (spirv_op(in) == SpvOpFunctionParameter && n++ == i)
         return in[2];
   }
   return 0;
}

static const struct vk_ycbcr_conversion_state *
argument_conversion(struct module *m, uint32_t id)
{
   const struct id *argument = find(m, id);

   return argument->variable ? common_conversion(m, argument) : argument->conversion;
}

static void
look_at_call(struct module *m, const uint32_t *in)
{
   for (uint32_t i = 4; i < spirv_words(in); i++)
      lead(m, parameter(m, in[3], i - 4), argument_conversion(m, in[i]));
}

static void
look_at_instruction(struct module *m, const uint32_t *in)
{
   switch (spirv_op(in)) {
   case SpvOpAccessChain:
   case SpvOpInBoundsAccessChain:
   case SpvOpLoad:
   case SpvOpCopyObject:
      look_at_derived(m, in);
      break;
   case SpvOpFunctionCall:
      look_at_call(m, in);
      break;
   }
   if (spirv_has_type(spirv_op(in)))
      find(m, in[2])->type = in[1];
}

static void
look(struct module *m)
{
   spirv_foreach (in, m->code) {
      if (spirv_op(in) == SpvOpFunction) {
         m->functions = in;
         break;
      }
      look_at_global(m, in);
   }
   if (!m->has_planes)
      return;
   spirv_foreach_from (in, m->functions, m->end) {
      if (spirv_op(in) == SpvOpFunction)
         find(m, in[2])->function = in;
   }
   /* Repeats, since a function may precede its callers, which pass the conversion. */
   do {
      m->changed = false;
      spirv_foreach_from (in, m->functions, m->end)
         look_at_instruction(m, in);
   } while (m->changed && !m->failed);
}

/* Types and constants, after those of the module */

/* Returns type @op with @operands, which it adds if needed. */
static uint32_t
type_of(struct module *m, uint32_t op, const uint32_t *operands, uint32_t n)
{
   const uint32_t before = m->globals.count, begun = spirv_begin(&m->globals, op);
   const uint32_t *globals, *type;
   uint32_t id;

   spirv_put_word(&m->globals, 0);
   spirv_put(&m->globals, operands, n);
   spirv_end(&m->globals, begun);
   if (m->globals.failed)
      return 0;
   globals = m->globals.words;
   type = globals + before;
   id = spirv_find_type(m->code->words + SPIRV_HEADER_WORDS, m->functions, type);
   if (!id)
      id = spirv_find_type(globals, type, type);
   if (id) {
      m->globals.count = before;
      return id;
   }
   id = new_id(m);
   spirv_set(&m->globals, before + 1, id);
   return id;
}

#define TYPE(m, op, ...) \
   type_of(m, op, (const uint32_t[]){__VA_ARGS__}, ARRAY_SIZE(((const uint32_t[]){__VA_ARGS__})))

static uint32_t
float_constant(struct module *m, float value)
{
   const uint32_t id = new_id(m);

   SPIRV_EMIT(&m->globals, SpvOpConstant, m->float_type, id, fui(value));
   return id;
}

static uint32_t
vector_constant(struct module *m, const float values[4])
{
   uint32_t ids[4];
   const uint32_t id = new_id(m);

   for (uint32_t i = 0; i < ARRAY_SIZE(ids); i++)
      ids[i] = float_constant(m, values[i]);
   SPIRV_EMIT(&m->globals, SpvOpConstantComposite, m->vec4, id, ids[0], ids[1], ids[2], ids[3]);
   return id;
}

static struct constants
constants_of(struct module *m, const struct vk_ycbcr_conversion_state *conversion)
{
   const struct sdvk_ycbcr_transform transform = sdvk_ycbcr_transform(conversion);
   struct constants new = {.conversion = conversion}, *added;

   util_dynarray_foreach(&m->constants, struct constants, old) {
      if (old->conversion == conversion)
         return *old;
   }
   for (uint32_t i = 0; i < SDVK_YCBCR_CHANNELS; i++)
      new.columns[i] = vector_constant(m, transform.columns[i]);
   new.constant = vector_constant(m, transform.constant);
   added = util_dynarray_grow(&m->constants, struct constants, 1);
   if (added)
      *added = new;
   else
      m->failed = true;
   return new;
}

/* Samples */

/* A sample instruction and its operands. */
struct sample {
   const uint32_t *in;
   bool is_projective, is_sparse;
   const struct id *image;
   uint32_t residency; /* of a sparse sample: result for plane 0 */
   uint32_t size; /* id of the image's size in texels; 0: not queried yet */
};

static bool
is_sample(uint32_t op)
{
   return op == SpvOpImageSampleImplicitLod || op == SpvOpImageSampleExplicitLod ||
          op == SpvOpImageSampleProjImplicitLod || op == SpvOpImageSampleProjExplicitLod;
}

static bool
is_sparse_sample(uint32_t op)
{
   return op == SpvOpImageSparseSampleImplicitLod || op == SpvOpImageSparseSampleExplicitLod;
}

/*
 * Emits a query of the image's size: a float vector of width, height, and layers if it is arrayed.
 */
static uint32_t
emit_size(struct module *m, const struct sample *s)
{
   const uint32_t image_type = find(m, find(m, s->in[3])->type)->type;
   const uint32_t n = find(m, image_type)->size ? 3 : 2;
   const uint32_t int_type = TYPE(m, SpvOpTypeInt, 32, 1);
   const uint32_t image = new_id(m), integers = new_id(m), size = new_id(m);

   if (!m->zero) {
      m->zero = new_id(m);
      SPIRV_EMIT(&m->globals, SpvOpConstant, int_type, m->zero, 0);
   }
   m->wants_query = true;
   SPIRV_EMIT(&m->body, SpvOpImage, image_type, image, s->in[3]);
   SPIRV_EMIT(&m->body, SpvOpImageQuerySizeLod, TYPE(m, SpvOpTypeVector, int_type, n), integers,
              image, m->zero);
   SPIRV_EMIT(&m->body, SpvOpConvertSToF, TYPE(m, SpvOpTypeVector, m->float_type, n), size,
              integers);
   return size;
}

/*
 * Adds 1 / @scale luma texels, a quarter of a chroma texel, to coordinate @i: a cosited chroma
 * sample is at the centre of a luma texel, that far before the centre of its chroma texel.
 */
static uint32_t
emit_shifted(struct module *m, struct sample *s, uint32_t coordinates, uint32_t i, uint32_t scale)
{
   const uint32_t type = find(m, s->in[4])->type;
   const uint32_t size = new_id(m), share = new_id(m), old = new_id(m), sum = new_id(m),
                  result = new_id(m);
   uint32_t shift = share;

   if (!s->size)
      s->size = emit_size(m, s);
   SPIRV_EMIT(&m->body, SpvOpCompositeExtract, m->float_type, size, s->size, i);
   SPIRV_EMIT(&m->body, SpvOpFDiv, m->float_type, share, float_constant(m, 1.0f / scale), size);
   if (s->is_projective) {
      const uint32_t divisor = new_id(m);

      shift = new_id(m);
      SPIRV_EMIT(&m->body, SpvOpCompositeExtract, m->float_type, divisor, s->in[4], 2);
      SPIRV_EMIT(&m->body, SpvOpFMul, m->float_type, shift, share, divisor);
   }
   SPIRV_EMIT(&m->body, SpvOpCompositeExtract, m->float_type, old, coordinates, i);
   SPIRV_EMIT(&m->body, SpvOpFAdd, m->float_type, sum, old, shift);
   SPIRV_EMIT(&m->body, SpvOpCompositeInsert, type, result, sum, coordinates, i);
   return result;
}

/*
 * Returns the coordinates at which a plane is sampled: shifted ones if its chroma samples are
 * cosited.
 */
static uint32_t
emit_coordinates(struct module *m, struct sample *s, const struct vk_format_ycbcr_plane *plane)
{
   const struct vk_ycbcr_conversion_state *conversion = s->image->conversion;
   uint32_t coordinates = s->in[4];

   for (uint32_t i = 0; i < ARRAY_SIZE(plane->denominator_scales); i++) {
      if (plane->denominator_scales[i] > 1 &&
          conversion->chroma_offsets[i] == VK_CHROMA_LOCATION_COSITED_EVEN)
         coordinates = emit_shifted(m, s, coordinates, i, plane->denominator_scales[i]);
   }
   return coordinates;
}

/* Samples a plane, and stores ids of its channels in @channels. */
static void
emit_plane(struct module *m, struct sample *s, uint32_t number,
           uint32_t channels[SDVK_YCBCR_CHANNELS])
{
   const struct vk_format_ycbcr_plane *plane =
      &vk_format_get_ycbcr_info(s->image->conversion->format)->planes[number];
   const uint32_t coordinates = emit_coordinates(m, s, plane), result = new_id(m);
   uint32_t texel = result;

   spirv_put(&m->body, s->in, 2);
   spirv_put(&m->body, (const uint32_t[]){result, s->image->planes[number], coordinates}, 3);
   spirv_put(&m->body, s->in + 5, spirv_words(s->in) - 5);
   if (s->is_sparse) {
      texel = new_id(m);
      SPIRV_EMIT(&m->body, SpvOpCompositeExtract, m->vec4, texel, result, 1);
   }
   if (number == 0)
      s->residency = result;
   for (uint32_t i = 0; i < ARRAY_SIZE(plane->ycbcr_swizzle); i++) {
      const VkComponentSwizzle to = plane->ycbcr_swizzle[i];

      if (to < VK_COMPONENT_SWIZZLE_R || to > VK_COMPONENT_SWIZZLE_B)
         continue;
      channels[to - VK_COMPONENT_SWIZZLE_R] = new_id(m);
      SPIRV_EMIT(&m->body, SpvOpCompositeExtract, m->float_type,
                 channels[to - VK_COMPONENT_SWIZZLE_R], texel, i);
   }
}

/* Images with planes are not sparse: the residency of plane 0 is that of all. */
static void
emit_sample(struct module *m, struct sample *s)
{
   const uint32_t converted = s->is_sparse ? new_id(m) : s->in[2];
   const struct constants constants = constants_of(m, s->image->conversion);
   uint32_t channels[SDVK_YCBCR_CHANNELS] = {0}, sum = constants.constant;

   for (uint32_t i = 0; i < plane_count(s->image); i++)
      emit_plane(m, s, i, channels);
   for (uint32_t i = 0; i < SDVK_YCBCR_CHANNELS; i++) {
      const bool last = i + 1 == SDVK_YCBCR_CHANNELS;
      const uint32_t part = new_id(m), result = last ? converted : new_id(m);

      SPIRV_EMIT(&m->body, SpvOpVectorTimesScalar, m->vec4, part, constants.columns[i],
                 channels[i]);
      SPIRV_EMIT(&m->body, SpvOpFAdd, m->vec4, result, sum, part);
      sum = result;
   }
   if (s->is_sparse)
      SPIRV_EMIT(&m->body, SpvOpCompositeInsert, s->in[1], s->in[2], converted, s->residency, 1);
}

/* Functions */

/* Emits @in, and repeats it for each further plane of what operand @operand leads to. */
static void
emit_for_planes(struct module *m, const uint32_t *in, uint32_t operand)
{
   const struct id *result = find(m, in[2]), *from = operand ? find(m, in[operand]) : result;

   spirv_copy(&m->body, in);
   for (uint32_t plane = 1; plane < plane_count(result); plane++) {
      const uint32_t at = m->body.count;

      spirv_copy(&m->body, in);
      spirv_set(&m->body, at + 2, result->planes[plane]);
      if (operand)
         spirv_set(&m->body, at + operand, from->planes[plane]);
   }
}

/*
 * Passes the planes of an argument after it. Fails if the argument has no conversion or another
 * one.
 */
static void
emit_call(struct module *m, const uint32_t *in)
{
   const uint32_t begun = spirv_begin(&m->body, SpvOpFunctionCall);

   spirv_put(&m->body, in + 1, 3);
   for (uint32_t i = 4; i < spirv_words(in); i++) {
      const uint32_t number = parameter(m, in[3], i - 4);
      const struct id *wanted = number ? find(m, number) : NULL, *given = find(m, in[i]);
      const struct vk_ycbcr_conversion_state *conversion = argument_conversion(m, in[i]);

      spirv_put_word(&m->body, in[i]);
      if (!wanted || !wanted->conversion)
         continue;
      if (!conversion || !is_same(conversion, wanted->conversion))
         m->failed = true;
      else
         spirv_put(&m->body, &given->planes[1], plane_count(wanted) - 1);
   }
   spirv_end(&m->body, begun);
}

/* Emits a function with the type that has the added parameters. */
static void
emit_function(struct module *m, const uint32_t *in)
{
   struct spirv_out types = {0};
   uint32_t id, type = 0;

   spirv_put_word(&types, in[1]);
   for (uint32_t i = 0; (id = parameter(m, in[2], i)); i++) {
      for (uint32_t plane = 0; plane < plane_count(find(m, id)); plane++)
         spirv_put_word(&types, find(m, id)->type);
   }
   if (types.failed)
      m->failed = true;
   else
      type = type_of(m, SpvOpTypeFunction, types.words, types.count);
   free(types.words);
   SPIRV_EMIT(&m->body, SpvOpFunction, in[1], in[2], in[3], type);
}

static void
emit_instruction(struct module *m, const uint32_t *in)
{
   const uint32_t op = spirv_op(in);
   struct sample sample = {
      .in = in,
      .is_projective =
         op == SpvOpImageSampleProjImplicitLod || op == SpvOpImageSampleProjExplicitLod,
      .is_sparse = is_sparse_sample(op),
      .image = spirv_words(in) > 3 ? find(m, in[3]) : NULL,
   };

   if (is_sample(op) && sample.image->conversion && in[1] == m->vec4)
      emit_sample(m, &sample);
   else if (sample.is_sparse && sample.image->conversion && find(m, in[1])->type == m->vec4)
      emit_sample(m, &sample);
   else if (op == SpvOpFunction)
      emit_function(m, in);
   else if (op == SpvOpFunctionCall)
      emit_call(m, in);
   else if (op == SpvOpFunctionParameter)
      emit_for_planes(m, in, 0);
   else if (op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain || op == SpvOpLoad ||
            op == SpvOpCopyObject)
      emit_for_planes(m, in, 3);
   else
      spirv_copy(&m->body, in);
}

/* The part before functions */

static void
emit_decorations(struct module *m)
{
   for (uint32_t i = 1; i < m->n_ids; i++) {
      const struct id *id = &m->ids[i];

      for (uint32_t plane = 1; id->variable && plane < id->variable->n_planes; plane++) {
         SPIRV_EMIT(&m->head, SpvOpDecorate, id->planes[plane], SpvDecorationDescriptorSet,
                    id->set - 1);
         SPIRV_EMIT(&m->head, SpvOpDecorate, id->planes[plane], SpvDecorationBinding,
                    id->variable->planes[plane]);
      }
   }
}

/* As of SPIR-V 1.4 the interface has all variables. */
static void
emit_entry_point(struct module *m, const uint32_t *in)
{
   const uint32_t count = spirv_words(in), begun = spirv_begin(&m->head, SpvOpEntryPoint);

   spirv_put(&m->head, in + 1, count - 1);
   for (uint32_t i = 5; i < count && m->code->words[SPIRV_HEADER_VERSION] >= 0x10400; i++) {
      const struct id *id = find(m, in[i]);

      if (id->variable)
         spirv_put(&m->head, &id->planes[1], id->variable->n_planes - 1);
   }
   spirv_end(&m->head, begun);
}

static void
emit_global(struct module *m, const uint32_t *in)
{
   const uint32_t op = spirv_op(in);

   if (spirv_is_annotation_or_type(op) && !m->has_annotations) {
      emit_decorations(m);
      m->has_annotations = true;
   }
   if (op == SpvOpEntryPoint) {
      emit_entry_point(m, in);
      return;
   }
   spirv_copy(&m->head, in);
   if (op != SpvOpVariable || !find(m, in[2])->variable)
      return;
   for (uint32_t plane = 1; plane < find(m, in[2])->variable->n_planes; plane++)
      SPIRV_EMIT(&m->head, SpvOpVariable, in[1], find(m, in[2])->planes[plane], in[3]);
}

/* Rewrites functions first, since they add types and constants, which precede functions. */
static void
emit(struct module *m)
{
   spirv_foreach_from (in, m->functions, m->end)
      emit_instruction(m, in);
   sdvk_code_begin(&m->head, m->code);
   if (m->wants_query && !m->has_query)
      SPIRV_EMIT(&m->head, SpvOpCapability, SpvCapabilityImageQuery);
   spirv_foreach_from (in, (const uint32_t *)m->code->words + SPIRV_HEADER_WORDS, m->functions)
      emit_global(m, in);
   spirv_append(&m->head, &m->globals);
   spirv_append(&m->head, &m->body);
   m->head.next_id = m->next_id;
   m->head.failed |= m->failed;
}

static bool
convert(struct module *m, struct sdvk_code *code)
{
   bool ok;

   util_dynarray_init(&m->constants, NULL);
   emit(m);
   ok = sdvk_code_end(&m->head, code);
   util_dynarray_fini(&m->constants);
   return ok;
}

bool
sdvk_spirv_convert_ycbcr(struct sdvk_code *code, const struct vk_pipeline_layout *layout)
{
   struct module m = {
      .layout = layout,
      .code = code,
      .functions = code->words + code->count,
      .end = code->words + code->count,
      .n_ids = code->words[SPIRV_HEADER_BOUND],
      .next_id = code->words[SPIRV_HEADER_BOUND],
   };
   bool ok;

   m.ids = calloc(m.n_ids, sizeof(*m.ids));
   if (!m.ids)
      return false;
   look(&m);
   ok = !m.failed && (!m.has_planes || convert(&m, code));
   free(m.ids);
   return ok;
}
