/* SPDX-License-Identifier: MIT */
#include "sdvk_spirv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"
#include "vk_shader_module.h"
#include "vk_util.h"

#define MAX_IDS 0x400000 /* SPIR-V's universal limit */
#define MAX_COMMENT_SETS 8

struct code {
   const uint32_t *words;
   size_t count;
};

/* A module on its way. */
struct rewrite {
   const VkPipelineShaderStageCreateInfo *info;
   struct code in;
   uint32_t *out;
   size_t used;
   uint32_t entry;     /* id of the entry point's function, 0: not seen, for no id is 0 */
   uint32_t *spec_ids; /* by id: number of a specialisation constant + 1 */
   uint8_t *signed_bits; /* by id: of a type of integers with a sign that fill no word, how many they have */
   uint32_t comment_sets[MAX_COMMENT_SETS]; /* instruction sets that mean nothing */
   uint32_t n_comment_sets;
};

static struct code
code_of(const VkPipelineShaderStageCreateInfo *info)
{
   VK_FROM_HANDLE(vk_shader_module, module, info->module);
   const VkShaderModuleCreateInfo *create =
      vk_find_struct_const(info->pNext, SHADER_MODULE_CREATE_INFO);

   if (module)
      return (struct code){(const uint32_t *)module->data, module->size / 4};
   if (create)
      return (struct code){create->pCode, create->codeSize / 4};
   return (struct code){0};
}

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

static void
copy(struct rewrite *r, const uint32_t *words, uint32_t count)
{
   memcpy(r->out + r->used, words, count * 4);
   r->used += count;
}

/* Words of the name at @words, with its end; more than @count: it has none. */
static uint32_t
name_words(const uint32_t *words, uint32_t count)
{
   return strnlen((const char *)words, count * 4) / 4 + 1;
}

/* Call ours main, and leave out the others. */
static void
entry_point(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   static const char name[8] = "main";
   const uint32_t old = name_words(in + 3, count - 3);

   if (r->entry || old > count - 3 || in[1] != execution_model(r->info->stage) ||
       strcmp((const char *)(in + 3), r->info->pName))
      return;
   r->entry = in[2];
   r->out[r->used++] = SpvOpEntryPoint | (count - old + 2) << 16;
   copy(r, in + 1, 2);
   memcpy(r->out + r->used, name, sizeof(name));
   r->used += 2;
   copy(r, in + 3 + old, count - 3 - old);
}

/* The value that the pipeline gives constant @id, NULL: its default. */
static const void *
find_value(const struct rewrite *r, uint32_t id, size_t *size)
{
   const VkSpecializationInfo *spec = r->info->pSpecializationInfo;

   if (!spec || id >= r->in.words[3] || !r->spec_ids[id])
      return NULL;
   for (uint32_t i = 0; i < spec->mapEntryCount; i++) {
      const VkSpecializationMapEntry *entry = &spec->pMapEntries[i];

      if (entry->constantID == r->spec_ids[id] - 1) {
         *size = entry->size;
         return (const char *)spec->pData + entry->offset;
      }
   }
   return NULL;
}

static void
spec_constant(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   uint32_t *out = r->out + r->used, bits;
   size_t size;
   const void *value = count > 2 ? find_value(r, in[2], &size) : NULL;

   copy(r, in, count);
   if (!value || count < 4)
      return;
   memset(out + 3, 0, (count - 3) * 4);
   memcpy(out + 3, value, MIN2(size, (count - 3) * 4));
   /* A word has the sign, too. */
   bits = in[1] < r->in.words[3] ? r->signed_bits[in[1]] : 0;
   if (bits)
      out[3] = util_sign_extend(out[3], bits);
}

static void
spec_constant_bool(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   uint32_t *out = r->out + r->used;
   size_t size;
   const void *value = count > 2 ? find_value(r, in[2], &size) : NULL;
   VkBool32 set = false;

   copy(r, in, count);
   if (!value)
      return;
   memcpy(&set, value, MIN2(size, sizeof(set)));
   *out = (set ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse) | count << 16;
}

/* What says nothing to a device, and what only lets compilers do more. */

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

/* A set of instructions that is none of meaning, which is remembered. */
static bool
is_comment_set(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   if (count < 3 || !begins_with(in + 2, count - 2, "NonSemantic.") || r->n_comment_sets == MAX_COMMENT_SETS)
      return false;
   r->comment_sets[r->n_comment_sets++] = in[1];
   return true;
}

static bool
is_of_comment_set(const struct rewrite *r, uint32_t set)
{
   for (uint32_t i = 0; i < r->n_comment_sets; i++) {
      if (r->comment_sets[i] == set)
         return true;
   }
   return false;
}

static bool
is_comment(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   switch (in[0] & SpvOpCodeMask) {
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
      return count > 4 && is_of_comment_set(r, in[3]);
   case SpvOpDecorate:
   case SpvOpDecorateId:
      return count > 2 && is_comment_decoration(in[2]);
   case SpvOpMemberDecorate:
      return count > 3 && is_comment_decoration(in[3]);
   default:
      return false;
   }
}

/* The value, without what it is likely to be. */
static void
expect(struct rewrite *r, const uint32_t *in)
{
   r->out[r->used++] = SpvOpCopyObject | 4 << SpvWordCountShift;
   copy(r, in + 1, 3);
}

static void
instruction(struct rewrite *r, const uint32_t *in, uint32_t count)
{
   if (is_comment(r, in, count))
      return;
   switch (in[0] & SpvOpCodeMask) {
   case SpvOpEntryPoint:
      entry_point(r, in, count);
      break;
   case SpvOpExecutionMode:
   case SpvOpExecutionModeId:
      /* Entry points come before all modes. */
      if (count > 1 && in[1] == r->entry)
         copy(r, in, count);
      break;
   case SpvOpDecorate:
      if (count > 3 && in[2] == SpvDecorationSpecId && in[1] < r->in.words[3])
         r->spec_ids[in[1]] = in[3] + 1;
      copy(r, in, count);
      break;
   case SpvOpTypeInt:
      if (count > 3 && in[3] && in[2] < 32 && in[1] < r->in.words[3])
         r->signed_bits[in[1]] = in[2];
      copy(r, in, count);
      break;
   case SpvOpSpecConstantTrue:
   case SpvOpSpecConstantFalse:
      spec_constant_bool(r, in, count);
      break;
   case SpvOpSpecConstant:
      spec_constant(r, in, count);
      break;
   case SpvOpExpectKHR:
      expect(r, in);
      break;
   default:
      copy(r, in, count);
   }
}

/* As many as we, and what comes after us, read of an instruction without asking how many it has. */
static uint32_t
least_words(uint32_t op)
{
   switch (op) {
   case SpvOpCapability:
   case SpvOpName:
   case SpvOpLabel:
      return 2;
   case SpvOpDecorate:
   case SpvOpDecorateId:
      return 3;
   case SpvOpEntryPoint:
   case SpvOpVariable:
   case SpvOpTypePointer:
      return 4;
   case SpvOpFunction:
   case SpvOpExpectKHR:
      return 5;
   case SpvOpTypeImage:
      return 9;
   default:
      return 1;
   }
}

/* Entry points get a longer name and more variables, which must not be too many for a word's half. */
static uint32_t
most_words(uint32_t op)
{
   return op == SpvOpEntryPoint ? SpvOpCodeMask / 2 : SpvOpCodeMask;
}

static bool
is_whole(const struct rewrite *r, size_t at, uint32_t count)
{
   const uint32_t *in = r->in.words + at, op = in[0] & SpvOpCodeMask;

   return count >= least_words(op) && count <= most_words(op) && count <= r->in.count - at &&
          (op != SpvOpEntryPoint || (in[2] && in[2] < r->in.words[3]));
}

/* False: the module is broken, or has no such entry point. */
static bool
rewrite(struct rewrite *r)
{
   const uint32_t *words = r->in.words;

   copy(r, words, SPIRV_HEADER_WORDS);
   for (size_t at = SPIRV_HEADER_WORDS; at < r->in.count;) {
      const uint32_t count = words[at] >> SpvWordCountShift;

      if (!is_whole(r, at, count))
         return false;
      instruction(r, words + at, count);
      at += count;
   }
   return r->entry;
}

/* One entry point's, all groups having been expanded. */
static uint32_t *
of_stage(struct rewrite *r, uint32_t *dwords)
{
   bool ok = false;

   /* The new name may be longer than the old one, in one place. */
   r->out = malloc((r->in.count + 2) * 4);
   r->spec_ids = calloc(r->in.words[3], 4);
   r->signed_bits = calloc(r->in.words[3], 1);
   if (r->out && r->spec_ids && r->signed_bits)
      ok = rewrite(r);
   free(r->signed_bits);
   free(r->spec_ids);
   *dwords = r->used;
   if (ok)
      r->out = sdvk_spirv_expand_replicas(r->out, dwords);
   if (!ok || !r->out || !sdvk_spirv_drop_unused(r->out, dwords, r->entry)) {
      free(r->out);
      return NULL;
   }
   return sdvk_spirv_lower_copies(r->out, dwords);
}

uint32_t *
sdvk_spirv_of_stage(const VkPipelineShaderStageCreateInfo *info, uint32_t *dwords)
{
   struct rewrite r = {.info = info, .in = code_of(info)};
   struct util_dynarray expanded = {0};
   uint32_t *code = NULL;

   if (r.in.count <= SPIRV_HEADER_WORDS || !r.in.words[3] || r.in.words[3] > MAX_IDS)
      return NULL;
   if (sdvk_spirv_expand_groups(r.in.words, r.in.count, &expanded)) {
      if (expanded.size)
         r.in = (struct code){expanded.data, util_dynarray_num_elements(&expanded, uint32_t)};
      code = of_stage(&r, dwords);
   }
   util_dynarray_fini(&expanded);
   return code;
}

uint32_t *
sdvk_spirv_apply_options(uint32_t *code, uint32_t *dwords, const struct sdvk_spirv_options *options)
{
   code = sdvk_spirv_lower_fragment(code, dwords, options);
   return code ? sdvk_spirv_move_outputs(code, dwords, options) : NULL;
}

uint32_t
sdvk_spirv_sets(const uint32_t *code, uint32_t dwords)
{
   uint32_t sets = 0;

   for (uint32_t at = SPIRV_HEADER_WORDS; at < dwords; at += code[at] >> SpvWordCountShift) {
      const uint32_t *in = code + at, count = in[0] >> SpvWordCountShift;

      if ((in[0] & SpvOpCodeMask) == SpvOpDecorate && count > 3 && in[2] == SpvDecorationDescriptorSet &&
          in[3] < SUNDOG_MAX_SETS)
         sets |= BITFIELD_BIT(in[3]);
   }
   return sets;
}

bool
sdvk_spirv_has_second_color(const uint32_t *code, uint32_t dwords)
{
   for (uint32_t at = SPIRV_HEADER_WORDS; at < dwords; at += code[at] >> SpvWordCountShift) {
      const uint32_t *in = code + at, count = in[0] >> SpvWordCountShift;

      if ((in[0] & SpvOpCodeMask) == SpvOpDecorate && count > 3 && in[2] == SpvDecorationIndex && in[3])
         return true;
   }
   return false;
}

bool
sdvk_spirv_counts_draws(const uint32_t *code, uint32_t dwords)
{
   for (uint32_t at = SPIRV_HEADER_WORDS; at < dwords; at += code[at] >> SpvWordCountShift) {
      const uint32_t *in = code + at, count = in[0] >> SpvWordCountShift, op = in[0] & SpvOpCodeMask;

      if ((op == SpvOpDecorate && count > 3 && in[2] == SpvDecorationBuiltIn && in[3] == SpvBuiltInDrawIndex) ||
          (op == SpvOpMemberDecorate && count > 4 && in[3] == SpvDecorationBuiltIn && in[4] == SpvBuiltInDrawIndex))
         return true;
   }
   return false;
}
