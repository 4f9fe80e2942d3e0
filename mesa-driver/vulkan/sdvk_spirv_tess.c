/* SPDX-License-Identifier: MIT */
/*
 * What is known of patches. Either of the two shaders of tessellation may say it for both, as HLSL has all of it in
 * the first one; the device is told by the one that it is of use to.
 */
#include "sdvk_spirv.h"

#include <stdlib.h>

#include "sdvk_spirv_emit.h"

/* What a mode is about: of each there is one in both shaders together, or the same one in each. */
enum {
   DOMAIN = 1 << 0,
   SPACING = 1 << 1,
   ORDER = 1 << 2,
   POINTS = 1 << 3,
   VERTICES = 1 << 4,
};

static uint32_t
subject(uint32_t mode)
{
   switch (mode) {
   case SpvExecutionModeTriangles:
   case SpvExecutionModeQuads:
   case SpvExecutionModeIsolines:
      return DOMAIN;
   case SpvExecutionModeSpacingEqual:
   case SpvExecutionModeSpacingFractionalEven:
   case SpvExecutionModeSpacingFractionalOdd:
      return SPACING;
   case SpvExecutionModeVertexOrderCw:
   case SpvExecutionModeVertexOrderCcw:
      return ORDER;
   case SpvExecutionModePointMode:
      return POINTS;
   case SpvExecutionModeOutputVertices:
      return VERTICES;
   default:
      return 0;
   }
}

static bool
is_mode(const uint32_t *in)
{
   return (in[0] & SpvOpCodeMask) == SpvOpExecutionMode && in[0] >> SpvWordCountShift >= 3;
}

static uint32_t
subjects(const uint32_t *code, uint32_t dwords)
{
   uint32_t mask = 0;

   for (uint32_t at = SPIRV_HEADER_WORDS; at < dwords; at += code[at] >> SpvWordCountShift)
      mask |= is_mode(code + at) ? subject(code[at + 2]) : 0;
   return mask;
}

/* Modes of @from about @wanted, for the shader whose entry point is @entry. */
static void
emit_modes(struct util_dynarray *out, const uint32_t *from, uint32_t dwords, uint32_t entry, uint32_t wanted)
{
   for (uint32_t at = SPIRV_HEADER_WORDS; at < dwords; at += from[at] >> SpvWordCountShift) {
      const uint32_t *in = from + at;

      if (!is_mode(in) || !(subject(in[2]) & wanted))
         continue;
      spirv_put(out, in, 1);
      spirv_put(out, &entry, 1);
      spirv_put(out, in + 2, (in[0] >> SpvWordCountShift) - 2);
   }
}

uint32_t *
sdvk_spirv_add_patch_modes(uint32_t *code, uint32_t *dwords, const uint32_t *from, uint32_t from_dwords,
                           bool is_control)
{
   const uint32_t wanted = (is_control ? VERTICES : DOMAIN | SPACING | ORDER | POINTS) & ~subjects(code, *dwords);
   struct util_dynarray out;

   if (!(subjects(from, from_dwords) & wanted))
      return code;
   util_dynarray_init(&out, NULL);
   spirv_put(&out, code, SPIRV_HEADER_WORDS);
   for (uint32_t at = SPIRV_HEADER_WORDS; at < *dwords; at += code[at] >> SpvWordCountShift) {
      spirv_put(&out, code + at, code[at] >> SpvWordCountShift);
      if ((code[at] & SpvOpCodeMask) == SpvOpEntryPoint)
         emit_modes(&out, from, from_dwords, code[at + 2], wanted);
   }
   free(code);
   *dwords = util_dynarray_num_elements(&out, uint32_t);
   return out.data;
}
