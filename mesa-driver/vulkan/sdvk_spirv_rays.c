/* SPDX-License-Identifier: MIT */
/*
 * Lowers ray queries: links the functions of sdvk_ray_query.glsl to the module, which walk the
 * trees of sdvk_bvh.h by loads at device addresses. A query becomes a struct that these functions
 * take and return by value. An acceleration structure becomes its address; a descriptor of one is a
 * storage buffer, whose first word is that address. The renderer knows nothing of rays, see
 * docs/decisions/049-ray-tracing.md. sdvk_stage.c calls this pass on a module of its own.
 */
#include <stdlib.h>

#include "sdvk_spirv_emit.h"
#include "sundog/spirv/operands.h"

#include "sdvk_ray_query.h"

/* Instructions of queries, and the functions that replace them. */
static const struct {
   uint32_t op;
   const char *name;
} functions[] = {
   {SpvOpRayQueryInitializeKHR, "rq_initialize"},
   {SpvOpRayQueryTerminateKHR, "rq_terminate"},
   {SpvOpRayQueryGenerateIntersectionKHR, "rq_generate"},
   {SpvOpRayQueryConfirmIntersectionKHR, "rq_confirm"},
   {SpvOpRayQueryProceedKHR, "rq_proceed"},
   {SpvOpRayQueryGetRayTMinKHR, "rq_t_min"},
   {SpvOpRayQueryGetRayFlagsKHR, "rq_flags"},
   {SpvOpRayQueryGetWorldRayDirectionKHR, "rq_world_direction"},
   {SpvOpRayQueryGetWorldRayOriginKHR, "rq_world_origin"},
   {SpvOpRayQueryGetIntersectionCandidateAABBOpaqueKHR, "rq_candidate_opaque"},
   {SpvOpRayQueryGetIntersectionTypeKHR, "rq_type"},
   {SpvOpRayQueryGetIntersectionTKHR, "rq_t"},
   {SpvOpRayQueryGetIntersectionInstanceCustomIndexKHR, "rq_custom_index"},
   {SpvOpRayQueryGetIntersectionInstanceIdKHR, "rq_instance"},
   {SpvOpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR, "rq_sbt_offset"},
   {SpvOpRayQueryGetIntersectionGeometryIndexKHR, "rq_geometry"},
   {SpvOpRayQueryGetIntersectionPrimitiveIndexKHR, "rq_primitive"},
   {SpvOpRayQueryGetIntersectionBarycentricsKHR, "rq_barycentrics"},
   {SpvOpRayQueryGetIntersectionFrontFaceKHR, "rq_front_face"},
   {SpvOpRayQueryGetIntersectionObjectRayDirectionKHR, "rq_object_direction"},
   {SpvOpRayQueryGetIntersectionObjectRayOriginKHR, "rq_object_origin"},
   {SpvOpRayQueryGetIntersectionObjectToWorldKHR, "rq_object_to_world"},
   {SpvOpRayQueryGetIntersectionWorldToObjectKHR, "rq_world_to_object"},
   {SpvOpRayQueryGetIntersectionTriangleVertexPositionsKHR, "rq_position"},
};

/* The result of rq_proceed() is a member of the query. */
#define MEMBER_PROCEEDS 0

/* Properties of an id of the application's module. */
struct id {
   uint32_t other; /* the id that replaces it; 0: none */
   uint32_t type;  /* of a value */
   bool is_structure; /* the type of acceleration structures */
   /* a type of descriptors: an array of acceleration structures, or a pointer to one or to those */
   bool has_structures;
   bool is_nonuniform;
   bool is_decorated;
};

/* A function of the library. */
struct function {
   uint32_t id, result;
   const uint32_t *types; /* instruction of its type: parameter i at types[3 + i] */
};

struct module {
   const struct sdvk_code *code;
   struct id *ids;
   uint32_t n_ids; /* of the application's; those of the library come behind */
   struct function functions[ARRAY_SIZE(functions)];
   uint32_t query, address; /* types of queries and of device addresses */
   uint32_t bool_type, uint_type, zero; /* zero: constant of uint_type */
   uint32_t block, block_pointer, address_pointer; /* of descriptors */
   /* Sections of the output: up to modes, and so on. `types` starts with those of the library. */
   struct spirv_out head, names, annotations, types, body;
   size_t n_own_types; /* words in `types` of the library and this pass */
   bool has_fast_mode; /* floats are as FPFastMathDefault says, not as NoContraction */
};

/* Sections of a module, in order (SPIR-V 2.4). */
enum section {
   CAPABILITIES,
   EXTENSIONS,
   IMPORTS,
   MODEL,
   ENTRY_POINTS,
   MODES,
   NAMES,
   ANNOTATIONS,
   TYPES,
};

static enum section
section_of(const uint32_t *in)
{
   switch (spirv_op(in)) {
   case SpvOpCapability:
      return CAPABILITIES;
   case SpvOpExtension:
      return EXTENSIONS;
   case SpvOpExtInstImport:
      return IMPORTS;
   case SpvOpMemoryModel:
      return MODEL;
   case SpvOpEntryPoint:
      return ENTRY_POINTS;
   case SpvOpExecutionMode:
   case SpvOpExecutionModeId:
      return MODES;
   case SpvOpString:
   case SpvOpSource:
   case SpvOpSourceExtension:
   case SpvOpSourceContinued:
   case SpvOpName:
   case SpvOpMemberName:
      return NAMES;
   case SpvOpDecorate:
   case SpvOpMemberDecorate:
   case SpvOpDecorateId:
      return ANNOTATIONS;
   default:
      return TYPES;
   }
}

static struct id *
find(struct module *m, uint32_t id)
{
   return &m->ids[id < m->n_ids ? id : 0];
}

static uint32_t
new_id(struct module *m)
{
   return spirv_new_id(&m->head);
}

/* Returns the id that stands for one of the application's in the output. */
static uint32_t
mapped(struct module *m, uint32_t id)
{
   const uint32_t other = find(m, id)->other;

   return other ? other : id;
}

/* The library */

static const uint32_t *
library_end(void)
{
   return sdvk_ray_query + ARRAY_SIZE(sdvk_ray_query);
}

#define library_foreach(in)                                                                        \
   spirv_foreach_from (in, (const uint32_t *)sdvk_ray_query + SPIRV_HEADER_WORDS, library_end())

/* Copies an instruction of the library. Its ids come behind those of the application's module. */
static void
copy_of_library(struct module *m, struct spirv_out *out, const uint32_t *in)
{
   const size_t at = out->count;
   struct spirv_operands o;

   spirv_copy(out, in);
   spirv_operands_begin(&o, in);
   for (char letter; (letter = spirv_operands_next(&o));) {
      if (letter == 'I' || letter == 'T' || letter == 'R')
         spirv_set(out, at + o.word, m->n_ids + in[o.word]);
   }
}

static void
look_at_name(struct module *m, const uint32_t *in)
{
   const char *name = (const char *)&in[2];

   for (uint32_t i = 0; i < ARRAY_SIZE(functions); i++) {
      const size_t length = strlen(functions[i].name);

      /* The parameters' types follow. */
      if (!strncmp(name, functions[i].name, length) && name[length] == '(')
         m->functions[i].id = in[1];
   }
}

static void
look_at_function(struct module *m, const uint32_t *in)
{
   for (uint32_t i = 0; i < ARRAY_SIZE(functions); i++) {
      struct function *f = &m->functions[i];

      if (f->id != in[2])
         continue;
      f->result = in[1];
      library_foreach(type) {
         if (spirv_op(type) == SpvOpTypeFunction && type[1] == in[4])
            f->types = type;
      }
   }
}

/* Returns true for operations on floats whose result the default mode of a module may change. */
static bool
is_of_floats(uint32_t op)
{
   switch (op) {
   case SpvOpFNegate:
   case SpvOpFAdd:
   case SpvOpFSub:
   case SpvOpFMul:
   case SpvOpFDiv:
   case SpvOpVectorTimesScalar:
   case SpvOpDot:
      return true;
   default:
      return op >= SpvOpFOrdEqual && op <= SpvOpFUnordGreaterThanEqual;
   }
}

/* A default mode of floats is not for the library, and does not go with NoContraction. */
static void
copy_of_functions(struct module *m, const uint32_t *in)
{
   copy_of_library(m, &m->body, in);
   if (m->has_fast_mode && is_of_floats(spirv_op(in)))
      SPIRV_EMIT(&m->annotations, SpvOpDecorate, m->n_ids + in[2], SpvDecorationFPFastMathMode, 0);
}

static void
copy_of_annotations(struct module *m, const uint32_t *in)
{
   if (!m->has_fast_mode || spirv_op(in) != SpvOpDecorate ||
       in[2] != SpvDecorationNoContraction)
      copy_of_library(m, &m->annotations, in);
}

/* Copies types and functions of the library, except its empty main(). */
static void
look_at_library(struct module *m)
{
   uint32_t entry = 0;
   bool is_entry = false, in_function = false;

   library_foreach(in) {
      const uint32_t op = spirv_op(in);

      if (op == SpvOpEntryPoint)
         entry = in[2];
      if (op == SpvOpName)
         look_at_name(m, in);
      if (op == SpvOpTypeBool)
         m->bool_type = m->n_ids + in[1];
      if (op == SpvOpFunction) {
         in_function = true;
         is_entry = in[2] == entry;
         look_at_function(m, in);
      }
      if (in_function) {
         if (!is_entry)
            copy_of_functions(m, in);
      } else if (section_of(in) == TYPES) {
         copy_of_library(m, &m->types, in);
      } else if (section_of(in) == ANNOTATIONS) {
         copy_of_annotations(m, in);
      }
   }
}

static const struct function *
function_of(const struct module *m, uint32_t op)
{
   for (uint32_t i = 0; i < ARRAY_SIZE(functions); i++) {
      if (functions[i].op == op)
         return &m->functions[i];
   }
   return NULL;
}

/* Returns the type of a parameter of a function. */
static uint32_t
parameter_type(const struct module *m, const struct function *f, uint32_t i)
{
   return m->n_ids + f->types[3 + i];
}

/* Adds the types of descriptors: a block with an address. */
static void
add_descriptor_types(struct module *m)
{
   m->block = new_id(m);
   m->block_pointer = new_id(m);
   m->address_pointer = new_id(m);
   m->zero = new_id(m);
   SPIRV_EMIT(&m->annotations, SpvOpDecorate, m->block, SpvDecorationBlock);
   SPIRV_EMIT(&m->annotations, SpvOpMemberDecorate, m->block, 0, SpvDecorationOffset, 0);
   SPIRV_EMIT(&m->annotations, SpvOpMemberDecorate, m->block, 0, SpvDecorationNonWritable);
   SPIRV_EMIT(&m->types, SpvOpTypeStruct, m->block, m->address);
   SPIRV_EMIT(&m->types, SpvOpTypePointer, m->block_pointer, SpvStorageClassStorageBuffer,
              m->block);
   SPIRV_EMIT(&m->types, SpvOpTypePointer, m->address_pointer, SpvStorageClassStorageBuffer,
              m->address);
   SPIRV_EMIT(&m->types, SpvOpConstant, m->uint_type, m->zero, 0);
}

/* Returns false if a function of the library was not found. */
static bool
add_library(struct module *m)
{
   const struct function *start;

   look_at_library(m);
   for (uint32_t i = 0; i < ARRAY_SIZE(functions); i++) {
      if (!m->functions[i].types)
         return false;
   }
   start = function_of(m, SpvOpRayQueryInitializeKHR);
   m->query = m->n_ids + start->result;
   m->address = parameter_type(m, start, 0);
   m->uint_type = parameter_type(m, start, 1);
   add_descriptor_types(m);
   m->n_own_types = m->types.count;
   return true;
}

/* The application's module: the part before functions */

static bool
is_of_rays(uint32_t capability)
{
   return capability == SpvCapabilityRayQueryKHR ||
          capability == SpvCapabilityRayTraversalPrimitiveCullingKHR ||
          capability == SpvCapabilityRayQueryPositionFetchKHR;
}

static bool
is_extension_of_rays(const uint32_t *in)
{
   const char *name = (const char *)&in[1];

   return !strncmp(name, "SPV_KHR_ray_", strlen("SPV_KHR_ray_"));
}

/* Returns the index behind the last id of an instruction. Literals follow in operations. */
static uint32_t
end_of_ids(const uint32_t *in)
{
   if (spirv_op(in) != SpvOpSpecConstantOp)
      return spirv_words(in);
   switch (in[3]) {
   case SpvOpCompositeExtract:
      return 5;
   case SpvOpCompositeInsert:
   case SpvOpVectorShuffle:
      return 6;
   default:
      return spirv_words(in);
   }
}

static void
copy_mapped(struct module *m, struct spirv_out *out, const uint32_t *in)
{
   const size_t at = out->count;
   const uint32_t end = end_of_ids(in);
   struct spirv_operands o;

   spirv_copy(out, in);
   spirv_operands_begin(&o, in);
   for (char letter; (letter = spirv_operands_next(&o));) {
      if ((letter == 'I' || letter == 'T') && o.word < end)
         spirv_set(out, at + o.word, mapped(m, in[o.word]));
   }
}

/*
 * Drops a type that the library has, too, unless it is an aggregate. A pointer type with a stride
 * is another type than one without. @at: where the type is in `types`.
 */
static void
drop_known_type(struct module *m, const uint32_t *in, size_t at)
{
   const uint32_t op = spirv_op(in), *own = m->types.words;
   uint32_t known;

   if (m->types.failed || op == SpvOpTypeStruct || op == SpvOpTypeArray ||
       op == SpvOpTypeRuntimeArray || !spirv_is_annotation_or_type(op) || !spirv_result(in) ||
       find(m, in[1])->is_decorated)
      return;
   known = spirv_find_type(own, own + m->n_own_types, own + at);
   if (!known)
      return;
   find(m, in[1])->other = known;
   m->types.count = at;
}

static void
emit_array(struct module *m, const uint32_t *in)
{
   const size_t at = m->types.count;

   copy_mapped(m, &m->types, in);
   if (!find(m, in[2])->is_structure && !find(m, in[2])->has_structures)
      return;
   find(m, in[1])->has_structures = true;
   if (find(m, in[2])->is_structure)
      spirv_set(&m->types, at + 2, m->block);
}

static void
emit_pointer(struct module *m, const uint32_t *in)
{
   const struct id *pointee = find(m, in[3]);
   const size_t at = m->types.count;

   if (in[2] != SpvStorageClassUniformConstant ||
       (!pointee->is_structure && !pointee->has_structures)) {
      copy_mapped(m, &m->types, in);
      drop_known_type(m, in, at);
      return;
   }
   find(m, in[1])->has_structures = true;
   if (pointee->is_structure)
      find(m, in[1])->other = m->block_pointer;
   else
      SPIRV_EMIT(&m->types, SpvOpTypePointer, in[1], SpvStorageClassStorageBuffer, in[3]);
}

static void
emit_variable(struct module *m, const uint32_t *in)
{
   const size_t at = m->types.count;

   copy_mapped(m, &m->types, in);
   if (find(m, in[1])->has_structures)
      spirv_set(&m->types, at + 3, SpvStorageClassStorageBuffer);
}

static void
emit_type(struct module *m, const uint32_t *in)
{
   const size_t at = m->types.count;

   switch (spirv_op(in)) {
   case SpvOpTypeRayQueryKHR:
      find(m, in[1])->other = m->query;
      return;
   case SpvOpTypeAccelerationStructureKHR:
      find(m, in[1])->other = m->address;
      find(m, in[1])->is_structure = true;
      return;
   case SpvOpTypeArray:
   case SpvOpTypeRuntimeArray:
      emit_array(m, in);
      return;
   case SpvOpTypePointer:
      emit_pointer(m, in);
      return;
   case SpvOpVariable:
      emit_variable(m, in);
      return;
   default:
      copy_mapped(m, &m->types, in);
      drop_known_type(m, in, at);
      return;
   }
}

static void
emit_annotation(struct module *m, const uint32_t *in)
{
   if (spirv_op(in) == SpvOpDecorate && in[2] == SpvDecorationNonUniform)
      find(m, in[1])->is_nonuniform = true;
   find(m, in[1])->is_decorated = true;
   spirv_copy(&m->annotations, in);
}

static void
emit_head(struct module *m, const uint32_t *in)
{
   switch (section_of(in)) {
   case CAPABILITIES:
      if (!is_of_rays(in[1]))
         spirv_copy(&m->head, in);
      break;
   case EXTENSIONS:
      if (!is_extension_of_rays(in))
         spirv_copy(&m->head, in);
      break;
   case NAMES:
      /* A type that is replaced must have no name. */
      if (spirv_op(in) != SpvOpName && spirv_op(in) != SpvOpMemberName)
         spirv_copy(&m->names, in);
      break;
   case MODEL:
      SPIRV_EMIT(&m->head, SpvOpMemoryModel, SpvAddressingModelPhysicalStorageBuffer64, in[2]);
      break;
   case MODES:
      /* Its operands come later, see emit_id_modes(). */
      if (spirv_op(in) != SpvOpExecutionModeId)
         spirv_copy(&m->head, in);
      break;
   default:
      spirv_copy(&m->head, in);
      break;
   }
}

/* Emits modes with ids, whose types may be replaced. */
static void
emit_id_modes(struct module *m)
{
   spirv_foreach (in, m->code) {
      if (spirv_op(in) == SpvOpExecutionModeId)
         copy_mapped(m, &m->head, in);
   }
}

/* Storage buffers need an extension in modules of old versions. */
static void
emit_storage_extension(struct module *m)
{
   static const char name[40] = "SPV_KHR_storage_buffer_storage_class";
   uint32_t words[sizeof(name) / 4];
   size_t begun;

   memcpy(words, name, sizeof(name));
   begun = spirv_begin(&m->head, SpvOpExtension);
   spirv_put(&m->head, words, ARRAY_SIZE(words));
   spirv_end(&m->head, begun);
}

/* Adds what the library has in a section, after the application's. */
static void
end_section(struct module *m, enum section section)
{
   if (section > IMPORTS)
      return;
   if (section == EXTENSIONS && m->code->words[SPIRV_HEADER_VERSION] < 0x10300)
      emit_storage_extension(m);
   library_foreach(in) {
      if (spirv_op(in) == SpvOpFunction)
         return;
      if (section_of(in) == section)
         copy_of_library(m, &m->head, in);
   }
}

/* Returns the first function. */
static const uint32_t *
emit_globals(struct module *m)
{
   enum section section = CAPABILITIES;

   spirv_foreach (in, m->code) {
      const enum section next = section_of(in);

      if (spirv_op(in) == SpvOpFunction)
         return in;
      for (; section < next; section++)
         end_section(m, section);
      if (spirv_has_type(spirv_op(in)))
         find(m, in[2])->type = in[1];
      if (next == TYPES)
         emit_type(m, in);
      else if (next == ANNOTATIONS)
         emit_annotation(m, in);
      else
         emit_head(m, in);
   }
   return m->code->words + m->code->count;
}

/* Functions */

/* Returns the value with another type of the same size, such as a number with or without a sign. */
static uint32_t
emit_as(struct module *m, uint32_t value, uint32_t type)
{
   uint32_t result;

   if (mapped(m, find(m, value)->type) == type)
      return value;
   result = new_id(m);
   SPIRV_EMIT(&m->body, SpvOpBitcast, type, result, value);
   return result;
}

/* Returns the result of @f for a query and the operands of @in from @first on. */
static uint32_t
emit_call(struct module *m, const struct function *f, const uint32_t *in, uint32_t first,
          uint32_t query)
{
   uint32_t arguments[8], n = 0, begun;
   const uint32_t n_types = spirv_words(f->types) - 3, result = new_id(m);

   if (query)
      arguments[n++] = query;
   for (uint32_t i = first; i < spirv_words(in) && n < MIN2(n_types, ARRAY_SIZE(arguments)); i++) {
      arguments[n] = emit_as(m, in[i], parameter_type(m, f, n));
      n++;
   }
   begun = spirv_begin(&m->body, SpvOpFunctionCall);
   spirv_put(&m->body, (const uint32_t[]){m->n_ids + f->result, result, m->n_ids + f->id}, 3);
   spirv_put(&m->body, arguments, n);
   spirv_end(&m->body, begun);
   return result;
}

static uint32_t
emit_load(struct module *m, uint32_t pointer)
{
   const uint32_t query = new_id(m);

   SPIRV_EMIT(&m->body, SpvOpLoad, m->query, query, pointer);
   return query;
}

/* Gives the id that the application uses to a value of the library's type @type. */
static void
emit_result(struct module *m, const uint32_t *in, uint32_t value, uint32_t type)
{
   const uint32_t wanted = mapped(m, in[1]);

   SPIRV_EMIT(&m->body, wanted == type ? SpvOpCopyObject : SpvOpBitcast, wanted, in[2], value);
}

static void
emit_initialize(struct module *m, const struct function *f, const uint32_t *in)
{
   SPIRV_EMIT(&m->body, SpvOpStore, in[1], emit_call(m, f, in, 2, 0));
}

static void
emit_change(struct module *m, const struct function *f, const uint32_t *in)
{
   SPIRV_EMIT(&m->body, SpvOpStore, in[1], emit_call(m, f, in, 2, emit_load(m, in[1])));
}

static void
emit_proceed(struct module *m, const struct function *f, const uint32_t *in)
{
   const uint32_t query = emit_call(m, f, in, 4, emit_load(m, in[3])), proceeds = new_id(m);

   SPIRV_EMIT(&m->body, SpvOpStore, in[3], query);
   SPIRV_EMIT(&m->body, SpvOpCompositeExtract, m->uint_type, proceeds, query, MEMBER_PROCEEDS);
   SPIRV_EMIT(&m->body, SpvOpINotEqual, m->bool_type, in[2], proceeds, m->zero);
}

static void
emit_get(struct module *m, const struct function *f, const uint32_t *in)
{
   const uint32_t value = emit_call(m, f, in, 4, emit_load(m, in[3]));

   emit_result(m, in, value, m->n_ids + f->result);
}

/* The library has a function for one vertex, the instruction returns all three in an array. */
static void
emit_positions(struct module *m, const struct function *f, const uint32_t *in)
{
   const uint32_t query = emit_load(m, in[3]), which = emit_as(m, in[4], m->uint_type);
   uint32_t positions[3];

   for (uint32_t i = 0; i < ARRAY_SIZE(positions); i++) {
      const uint32_t index = new_id(m);

      SPIRV_EMIT(&m->types, SpvOpConstant, m->uint_type, index, i);
      positions[i] = new_id(m);
      SPIRV_EMIT(&m->body, SpvOpFunctionCall, m->n_ids + f->result, positions[i],
                 m->n_ids + f->id, query, which, index);
   }
   SPIRV_EMIT(&m->body, SpvOpCompositeConstruct, mapped(m, in[1]), in[2], positions[0],
              positions[1], positions[2]);
}

/* Loads the address that a descriptor leads to. */
static void
emit_descriptor(struct module *m, const uint32_t *in)
{
   const uint32_t pointer = new_id(m);

   if (find(m, in[3])->is_nonuniform)
      SPIRV_EMIT(&m->annotations, SpvOpDecorate, pointer, SpvDecorationNonUniform);
   SPIRV_EMIT(&m->body, SpvOpAccessChain, m->address_pointer, pointer, in[3], m->zero);
   SPIRV_EMIT(&m->body, SpvOpLoad, m->address, in[2], pointer);
}

static void
emit_instruction(struct module *m, const uint32_t *in)
{
   const uint32_t op = spirv_op(in);
   const struct function *f = function_of(m, op);

   if (spirv_has_type(op))
      find(m, in[2])->type = in[1];
   if (op == SpvOpLoad && find(m, in[1])->is_structure &&
       find(m, find(m, in[3])->type)->has_structures)
      emit_descriptor(m, in);
   else if (op == SpvOpConvertUToAccelerationStructureKHR)
      emit_result(m, in, in[3], mapped(m, find(m, in[3])->type));
   else if (!f)
      copy_mapped(m, &m->body, in);
   else if (op == SpvOpRayQueryInitializeKHR)
      emit_initialize(m, f, in);
   else if (op == SpvOpRayQueryProceedKHR)
      emit_proceed(m, f, in);
   else if (op == SpvOpRayQueryGetIntersectionTriangleVertexPositionsKHR)
      emit_positions(m, f, in);
   else if (spirv_has_type(op))
      emit_get(m, f, in);
   else
      emit_change(m, f, in);
}

static bool
lower(struct module *m, struct sdvk_code *code)
{
   const uint32_t *first;
   bool ok;

   sdvk_code_begin(&m->head, code);
   m->head.next_id += sdvk_ray_query[SPIRV_HEADER_BOUND];
   ok = add_library(m);
   first = emit_globals(m);
   spirv_foreach_from (in, first, (const uint32_t *)code->words + code->count)
      emit_instruction(m, in);
   emit_id_modes(m);
   spirv_append(&m->head, &m->names);
   spirv_append(&m->head, &m->annotations);
   spirv_append(&m->head, &m->types);
   spirv_append(&m->head, &m->body);
   m->head.failed |= !ok;
   return sdvk_code_end(&m->head, code);
}

static bool
has_fast_mode(const struct sdvk_code *code)
{
   spirv_foreach (in, code) {
      if (spirv_op(in) == SpvOpExecutionModeId && in[2] == SpvExecutionModeFPFastMathDefault)
         return true;
   }
   return false;
}

static bool
uses_rays(const struct sdvk_code *code)
{
   spirv_foreach (in, code) {
      const uint32_t op = spirv_op(in);

      if ((op == SpvOpCapability && is_of_rays(in[1])) || op == SpvOpTypeRayQueryKHR ||
          op == SpvOpTypeAccelerationStructureKHR)
         return true;
   }
   return false;
}

/* Returns the id of the function of the entry point. */
static uint32_t
entry_of(const struct sdvk_code *code)
{
   spirv_foreach (in, code) {
      if (spirv_op(in) == SpvOpEntryPoint)
         return in[2];
   }
   return 0;
}

bool
sdvk_spirv_lower_rays(struct sdvk_code *code)
{
   struct module m = {.code = code, .n_ids = code->words[SPIRV_HEADER_BOUND]};
   bool ok;

   if (!uses_rays(code))
      return true;
   m.has_fast_mode = has_fast_mode(code);
   m.ids = calloc(m.n_ids, sizeof(*m.ids));
   if (!m.ids)
      return false;
   ok = lower(&m, code);
   free(m.ids);
   /* Most modules use few functions of the library. */
   return ok && sdvk_spirv_drop_unused(code, entry_of(code));
}
