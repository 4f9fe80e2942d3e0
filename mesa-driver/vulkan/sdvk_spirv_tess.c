/* SPDX-License-Identifier: MIT */
/*
 * Execution modes of tessellation. Either shader may declare a mode for both (HLSL declares all of
 * them in the hull shader), while the renderer needs it in the shader that uses it. Neither shader
 * declares the order of vertices where that has no effect, with points and lines (HLSL), so these
 * have the defaults of GLSL. sdvk_stage.c calls this pass on a module of its own.
 */
#include "sdvk_spirv_emit.h"

/* Properties that modes set. Each is declared in one of the shaders, or identically in both. */
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

static uint32_t
subjects(const struct sdvk_code *code)
{
   uint32_t mask = 0;

   spirv_foreach (in, code)
      mask |= spirv_op(in) == SpvOpExecutionMode ? subject(in[2]) : 0;
   return mask;
}

/* Emits modes of @from that set @wanted properties, for the entry point @entry. */
static void
emit_modes(struct spirv_out *out, const struct sdvk_code *from, uint32_t entry, uint32_t wanted)
{
   spirv_foreach (in, from) {
      if (spirv_op(in) != SpvOpExecutionMode || !(subject(in[2]) & wanted))
         continue;
      spirv_put_word(out, in[0]);
      spirv_put_word(out, entry);
      spirv_put(out, in + 2, spirv_words(in) - 2);
   }
}

static void
emit_defaults(struct spirv_out *out, uint32_t entry, uint32_t missing)
{
   if (missing & SPACING)
      SPIRV_EMIT(out, SpvOpExecutionMode, entry, SpvExecutionModeSpacingEqual);
   if (missing & ORDER)
      SPIRV_EMIT(out, SpvOpExecutionMode, entry, SpvExecutionModeVertexOrderCcw);
}

bool
sdvk_spirv_add_patch_modes(struct sdvk_code *code, const struct sdvk_code *other, bool is_control)
{
   const uint32_t wanted =
      (is_control ? VERTICES : DOMAIN | SPACING | ORDER | POINTS) & ~subjects(code);
   const uint32_t missing = wanted & ~subjects(other) & (SPACING | ORDER);
   struct spirv_out out;

   if (!(subjects(other) & wanted) && !missing)
      return true;
   sdvk_code_begin(&out, code);
   spirv_foreach (in, code) {
      spirv_copy(&out, in);
      if (spirv_op(in) == SpvOpEntryPoint) {
         emit_modes(&out, other, in[2], wanted);
         emit_defaults(&out, in[2], missing);
      }
   }
   return sdvk_code_end(&out, code);
}
