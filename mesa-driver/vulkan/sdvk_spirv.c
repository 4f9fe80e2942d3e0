/* SPDX-License-Identifier: MIT */
/*
 * Reading of an application's module: validation of instruction lengths, selection of one entry
 * point, specialisation. Removes instructions without meaning for a device. See sdvk_spirv.h.
 * sdvk_stage.c calls this on any thread; all data is the caller's.
 */
#include "sdvk_spirv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"
#include "sundog/spirv/operands.h"
#include "vk_shader_module.h"
#include "vk_util.h"

#define MAX_IDS 0x400000 /* SPIR-V 2.17 Universal Limits */
#define MAX_WORDS 0x4000000

/* Properties of an id. */
struct rewrite_id {
   bool has_number;     /* `number` is the SpecId of a constant */
   bool is_comment_set; /* result of an OpExtInstImport of non-semantic instructions */
   uint8_t signed_bits; /* width of a signed integer type of less than 32 bits; 0: others */
   uint32_t number;
};

/* A module that is rewritten. */
struct rewrite {
   const VkPipelineShaderStageCreateInfo *info;
   struct spirv_out out;
   uint32_t bound;     /* of all ids */
   uint32_t entry;     /* id of the entry point's function; 0: not found yet, since no id is 0 */
   struct rewrite_id *ids;
};

static SpvExecutionModel
execution_model(VkShaderStageFlagBits stage)
{
   switch (stage) {
   case VK_SHADER_STAGE_VERTEX_BIT:
      return SpvExecutionModelVertex;
   case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
      return SpvExecutionModelTessellationControl;
   case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
      return SpvExecutionModelTessellationEvaluation;
   case VK_SHADER_STAGE_GEOMETRY_BIT:
      return SpvExecutionModelGeometry;
   case VK_SHADER_STAGE_FRAGMENT_BIT:
      return SpvExecutionModelFragment;
   case VK_SHADER_STAGE_TASK_BIT_EXT:
      return SpvExecutionModelTaskEXT;
   case VK_SHADER_STAGE_MESH_BIT_EXT:
      return SpvExecutionModelMeshEXT;
   default:
      return SpvExecutionModelGLCompute;
   }
}

/* Returns the words of a string with its terminator; more than @count: it has no terminator. */
static uint32_t
name_words(const uint32_t *words, uint32_t count)
{
   return strnlen((const char *)words, count * 4) / 4 + 1;
}

/* Renames the wanted entry point to main, and drops the others. */
static void
entry_point(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   static const char name[8] = "main";
   const uint32_t old = name_words(in + 3, count - 3);
   uint32_t begun;

   if (r->entry || old > count - 3 || in[1] != execution_model(r->info->stage) ||
       strcmp((const char *)(in + 3), r->info->pName))
      return;
   r->entry = in[2];
   begun = spirv_begin(&r->out, SpvOpEntryPoint);
   spirv_put(&r->out, in + 1, 2);
   spirv_put(&r->out, (const uint32_t *)name, sizeof(name) / 4);
   spirv_put(&r->out, in + 3 + old, count - 3 - old);
   spirv_end(&r->out, begun);
}

/* Returns the value that the pipeline gives constant @id; NULL: its default. */
static const void *
find_value(const struct rewrite *r, uint32_t id, size_t *size)
{
   const VkSpecializationInfo *spec = r->info->pSpecializationInfo;

   if (!spec || id >= r->bound || !r->ids[id].has_number)
      return NULL;
   for (uint32_t i = 0; i < spec->mapEntryCount; i++) {
      const VkSpecializationMapEntry *entry = &spec->pMapEntries[i];

      if (entry->constantID == r->ids[id].number) {
         *size = entry->size;
         return (const char *)spec->pData + entry->offset;
      }
   }
   return NULL;
}

static void
spec_constant(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   uint32_t words[2] = {0};
   size_t size;
   const void *value =
      count <= 3 + ARRAY_SIZE(words) ? find_value(r, in[2], &size) : NULL;

   if (!value) {
      spirv_copy(&r->out, in);
      return;
   }
   memcpy(words, value, MIN2(size, (count - 3) * 4));
   /* Literals of narrow signed types are sign-extended to a word (SPIR-V 2.2.1). */
   if (in[1] < r->bound && r->ids[in[1]].signed_bits)
      words[0] = util_sign_extend(words[0], r->ids[in[1]].signed_bits);
   spirv_put(&r->out, in, 3);
   spirv_put(&r->out, words, count - 3);
}

/* The value of a boolean is a VkBool32 (VUID-VkSpecializationMapEntry-constantID-00776). */
static void
spec_constant_bool(struct rewrite *r, const uint32_t *in)
{
   size_t size;
   const void *value = find_value(r, in[2], &size);
   VkBool32 set = false;

   if (!value) {
      spirv_copy(&r->out, in);
      return;
   }
   memcpy(&set, value, MIN2(size, sizeof(set)));
   SPIRV_EMIT(&r->out, set ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse, in[1], in[2]);
}

/* Instructions without meaning for a device, and hints for compilers */

static bool
begins_with(const uint32_t *words, uint32_t count, const char *start)
{
   return count * 4 >= strlen(start) && !strncmp((const char *)words, start, strlen(start));
}

static bool
is_comment_extension(const uint32_t *name, uint32_t count)
{
   return begins_with(name, count, "SPV_KHR_expect_assume") ||
          begins_with(name, count, "SPV_KHR_non_semantic_info") ||
          begins_with(name, count, "SPV_KHR_no_integer_wrap_decoration") ||
          begins_with(name, count, "SPV_KHR_relaxed_extended_instruction") ||
          begins_with(name, count, "SPV_GOOGLE_") ||
          begins_with(name, count, "SPV_EXT_replicated_composites");
}

static bool
is_comment_decoration(uint32_t decoration)
{
   switch (decoration) {
   case SpvDecorationNoSignedWrap:
   case SpvDecorationNoUnsignedWrap:
   case SpvDecorationUniform:
   case SpvDecorationUniformId:
   case SpvDecorationCounterBuffer:
   case SpvDecorationUserSemantic:
   case SpvDecorationUserTypeGOOGLE:
      return true;
   default:
      return false;
   }
}

/* Returns true for an import of a non-semantic instruction set, and marks its id. */
static bool
is_comment_set(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   if (!begins_with(in + 2, count - 2, "NonSemantic.") || in[1] >= r->bound)
      return false;
   r->ids[in[1]].is_comment_set = true;
   return true;
}

static bool
is_comment(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   switch (spirv_op(in)) {
   case SpvOpNop:
   case SpvOpModuleProcessed:
   case SpvOpDecorateString:
   case SpvOpMemberDecorateString:
   case SpvOpAssumeTrueKHR:
      return true;
   case SpvOpCapability:
      return in[1] == SpvCapabilityExpectAssumeKHR || in[1] == SpvCapabilityReplicatedCompositesEXT;
   case SpvOpExtension:
      return is_comment_extension(in + 1, count - 1);
   case SpvOpExtInstImport:
      return is_comment_set(r, in, count);
   case SpvOpExtInst:
   case SpvOpExtInstWithForwardRefsKHR:
      return in[3] < r->bound && r->ids[in[3]].is_comment_set;
   case SpvOpDecorate:
   case SpvOpDecorateId:
      return is_comment_decoration(in[2]);
   case SpvOpMemberDecorate:
      return is_comment_decoration(in[3]);
   default:
      return false;
   }
}

static bool
has_work_groups(VkShaderStageFlagBits stage)
{
   return stage & (VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_TASK_BIT_EXT |
                   VK_SHADER_STAGE_MESH_BIT_EXT);
}

static void
instruction(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   if (is_comment(r, in, count))
      return;
   switch (spirv_op(in)) {
   case SpvOpEntryPoint:
      entry_point(r, in, count);
      return;
   case SpvOpExecutionMode:
   case SpvOpExecutionModeId:
      /* Entry points precede all execution modes (SPIR-V 2.4). */
      if (in[1] != r->entry)
         return;
      break;
   case SpvOpDecorate:
      if (count > 3 && in[2] == SpvDecorationSpecId && in[1] < r->bound) {
         r->ids[in[1]].has_number = true;
         r->ids[in[1]].number = in[3];
      }
      /* The size of another entry point's work groups */
      if (count > 3 && in[2] == SpvDecorationBuiltIn && in[3] == SpvBuiltInWorkgroupSize &&
          !has_work_groups(r->info->stage))
         return;
      break;
   case SpvOpTypeInt:
      if (in[3] && in[2] < 32 && in[1] < r->bound)
         r->ids[in[1]].signed_bits = in[2];
      break;
   case SpvOpSpecConstantTrue:
   case SpvOpSpecConstantFalse:
      spec_constant_bool(r, in);
      return;
   case SpvOpSpecConstant:
      spec_constant(r, in, count);
      return;
   case SpvOpExpectKHR:
      /* Drops the expected value. */
      SPIRV_EMIT(&r->out, SpvOpCopyObject, in[1], in[2], in[3]);
      return;
   }
   spirv_copy(&r->out, in);
}

/* Rewrites the module for one entry point, whose function is @entry. */
static bool
rewrite(struct sdvk_code *code, const VkPipelineShaderStageCreateInfo *info, uint32_t *entry)
{
   struct rewrite r = {.info = info, .bound = code->words[SPIRV_HEADER_BOUND]};

   sdvk_code_begin(&r.out, code);
   r.ids = calloc(r.bound, sizeof(*r.ids));
   if (r.ids) {
      spirv_foreach (in, code)
         instruction(&r, in, spirv_words(in));
   }
   r.out.failed |= !r.entry; /* also if there was no memory */
   free(r.ids);
   *entry = r.entry;
   return sdvk_code_end(&r.out, code);
}

/* Validation */

/*
 * Returns the longest accepted instruction: later passes add a name and variables to entry points,
 * whose length must still fit 16 bits.
 */
static uint32_t
most_words(uint32_t op)
{
   return op == SpvOpEntryPoint ? SpvOpCodeMask / 2 : SpvOpCodeMask;
}

static bool
is_whole(const uint32_t *in, uint32_t left, uint32_t bound)
{
   const uint32_t count = spirv_words(in), op = spirv_op(in), least = spirv_shape(op)->least_words;

   return least && count >= least && count <= most_words(op) && count <= left &&
          (op != SpvOpEntryPoint || (in[2] && in[2] < bound));
}

static bool
is_module(const struct sdvk_code *code)
{
   const uint32_t bound = code->count > SPIRV_HEADER_WORDS ? code->words[SPIRV_HEADER_BOUND] : 0;

   if (!bound || bound > MAX_IDS)
      return false;
   spirv_foreach (in, code) {
      if (!is_whole(in, code->words + code->count - in, bound))
         return false;
   }
   return true;
}

static bool
copy_words(struct sdvk_code *code, const void *words, size_t size)
{
   if (size / 4 > MAX_WORDS)
      return false;
   code->count = size / 4;
   code->words = malloc(size);
   if (code->words)
      memcpy(code->words, words, size);
   return code->words;
}

static bool
copy_module(struct sdvk_code *code, const VkPipelineShaderStageCreateInfo *info)
{
   VK_FROM_HANDLE(vk_shader_module, module, info->module);
   const VkShaderModuleCreateInfo *create =
      vk_find_struct_const(info->pNext, SHADER_MODULE_CREATE_INFO);

   if (module)
      return copy_words(code, module->data, module->size);
   return create && copy_words(code, create->pCode, create->codeSize);
}

bool
sdvk_spirv_of_stage(const VkPipelineShaderStageCreateInfo *info, struct sdvk_code *out)
{
   uint32_t entry;

   *out = (struct sdvk_code){0};
   if (copy_module(out, info) && is_module(out) && sdvk_spirv_expand_groups(out) &&
       rewrite(out, info, &entry) && sdvk_spirv_expand_replicas(out) &&
       sdvk_spirv_drop_unused(out, entry))
      return true;
   free(out->words);
   *out = (struct sdvk_code){0};
   return false;
}

/* Queries */

/* Returns true if @in is an OpDecorate with @decoration and a value. */
static bool
decorates(const uint32_t *in, uint32_t decoration)
{
   return spirv_op(in) == SpvOpDecorate && spirv_words(in) > 3 && in[2] == decoration;
}

uint32_t
sdvk_spirv_sets(const struct sdvk_code *code)
{
   uint32_t sets = 0;

   spirv_foreach (in, code) {
      if (decorates(in, SpvDecorationDescriptorSet) && in[3] < SUNDOG_MAX_SETS)
         sets |= BITFIELD_BIT(in[3]);
   }
   return sets;
}

bool
sdvk_spirv_has_second_color(const struct sdvk_code *code)
{
   spirv_foreach (in, code) {
      if (decorates(in, SpvDecorationIndex) && in[3])
         return true;
   }
   return false;
}

bool
sdvk_spirv_counts_draws(const struct sdvk_code *code)
{
   spirv_foreach (in, code) {
      if (decorates(in, SpvDecorationBuiltIn) && in[3] == SpvBuiltInDrawIndex)
         return true;
      if (spirv_op(in) == SpvOpMemberDecorate && spirv_words(in) > 4 &&
          in[3] == SpvDecorationBuiltIn && in[4] == SpvBuiltInDrawIndex)
         return true;
   }
   return false;
}
