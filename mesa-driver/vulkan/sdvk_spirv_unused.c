/* SPDX-License-Identifier: MIT */
/*
 * What an entry point does not come to is left out: functions, and variables that only those use, or nobody. A module
 * may have them for other entry points, of other stages, and at bindings that the pipeline's layout lacks, which the
 * renderer does not take.
 */
#include "sdvk_spirv.h"

#include <stdlib.h>
#include <string.h>

#include "sdvk_spirv_emit.h"

/* What is known of an id. */
struct id {
   uint32_t function; /* of a function: the word where it begins */
   bool reached;      /* of a function */
   bool used;         /* by one that is reached */
   bool in_interface; /* an input or output of the entry point, as of SPIR-V 1.4 any variable */
   bool gone;
};

struct module {
   uint32_t *code;
   size_t dwords;
   struct id *ids;
   uint32_t bound;
   uint32_t *calls; /* functions that are reached, of which those before `n_looked_at` were looked at */
   uint32_t n_calls, n_looked_at;
};

static struct id *
find(struct module *m, uint32_t id)
{
   return &m->ids[id < m->bound ? id : 0];
}

static uint32_t
words_of(const uint32_t *in)
{
   return in[0] >> SpvWordCountShift;
}

/* Has an instruction in a function a result? Labels have, too, in another place. */
static bool
has_result(uint32_t op)
{
   switch (op) {
   case SpvOpNop:
   case SpvOpLine:
   case SpvOpNoLine:
   case SpvOpStore:
   case SpvOpCopyMemory:
   case SpvOpImageWrite:
   case SpvOpAtomicStore:
   case SpvOpControlBarrier:
   case SpvOpMemoryBarrier:
   case SpvOpEmitVertex:
   case SpvOpEndPrimitive:
   case SpvOpEmitStreamVertex:
   case SpvOpEndStreamPrimitive:
   case SpvOpSetMeshOutputsEXT:
   case SpvOpEmitMeshTasksEXT:
   case SpvOpLoopMerge:
   case SpvOpSelectionMerge:
   case SpvOpBranch:
   case SpvOpBranchConditional:
   case SpvOpSwitch:
   case SpvOpReturn:
   case SpvOpReturnValue:
   case SpvOpKill:
   case SpvOpUnreachable:
   case SpvOpTerminateInvocation:
   case SpvOpDemoteToHelperInvocation:
   case SpvOpFunctionEnd:
   case SpvOpLabel:
      return false;
   default:
      return true;
   }
}

/* Of an instruction in a function no word from here on is a variable. */
static uint32_t
last_id(uint32_t op, uint32_t count)
{
   switch (op) {
   case SpvOpLine:
   case SpvOpLabel:
   case SpvOpFunction:
   case SpvOpSwitch:
   case SpvOpBranch:
   case SpvOpBranchConditional:
   case SpvOpLoopMerge:
   case SpvOpSelectionMerge:
      return 0;
   case SpvOpStore:
   case SpvOpCopyMemory:
      return MIN2(count, 3);
   case SpvOpLoad:
   case SpvOpArrayLength:
   case SpvOpCompositeExtract:
      return MIN2(count, 4);
   case SpvOpCompositeInsert:
   case SpvOpVectorShuffle:
      return MIN2(count, 5);
   default:
      return count;
   }
}

/* A word among ids that is none: the mask of what an image is read with, the number of an operation or a class. */
static bool
is_literal(uint32_t op, uint32_t word)
{
   switch (op) {
   case SpvOpVariable:
      return word == 3;
   case SpvOpExtInst:
   case SpvOpImageWrite:
      return word == 4;
   case SpvOpImageSampleImplicitLod:
   case SpvOpImageSampleExplicitLod:
   case SpvOpImageSampleProjImplicitLod:
   case SpvOpImageSampleProjExplicitLod:
   case SpvOpImageFetch:
   case SpvOpImageRead:
      return word == 5;
   case SpvOpImageSampleDrefImplicitLod:
   case SpvOpImageSampleDrefExplicitLod:
   case SpvOpImageSampleProjDrefImplicitLod:
   case SpvOpImageSampleProjDrefExplicitLod:
   case SpvOpImageGather:
   case SpvOpImageDrefGather:
      return word == 6;
   default:
      return false;
   }
}

static void
reach(struct module *m, uint32_t function)
{
   struct id *id = find(m, function);

   if (id->reached || !id->function)
      return;
   id->reached = true;
   m->calls[m->n_calls++] = function;
}

/* Does another function begin at @at, or this one end? */
static bool
is_behind(const struct module *m, size_t at)
{
   const uint32_t op = at < m->dwords ? m->code[at] & SpvOpCodeMask : SpvOpFunctionEnd;

   return op == SpvOpFunction || op == SpvOpFunctionEnd;
}

static void
look_at_function(struct module *m, uint32_t function)
{
   size_t at = find(m, function)->function;

   for (at += words_of(m->code + at); !is_behind(m, at); at += words_of(m->code + at)) {
      const uint32_t *in = m->code + at, op = in[0] & SpvOpCodeMask, last = last_id(op, words_of(in));

      if (op == SpvOpFunctionCall && words_of(in) > 3)
         reach(m, in[3]);
      for (uint32_t i = has_result(op) ? 3 : 1; i < last; i++) {
         if (!is_literal(op, i))
            find(m, in[i])->used = true;
      }
   }
}

/* What stands before all functions, and where they begin. */
static void
look_at_module(struct module *m)
{
   for (size_t at = SPIRV_HEADER_WORDS; at < m->dwords; at += words_of(m->code + at)) {
      const uint32_t *in = m->code + at, count = words_of(in);

      switch (in[0] & SpvOpCodeMask) {
      case SpvOpEntryPoint:
         /* It is called main. */
         for (uint32_t i = 5; i < count; i++)
            find(m, in[i])->in_interface = true;
         break;
      case SpvOpVariable:
         /* What it begins with may be another one. */
         if (count > 4)
            find(m, in[4])->used = true;
         break;
      case SpvOpFunction:
         find(m, in[2])->function = at;
         break;
      }
   }
}

static bool
is_unused_variable(struct module *m, const uint32_t *in)
{
   const struct id *id = find(m, in[2]);
   const bool goes_on = in[3] == SpvStorageClassInput || in[3] == SpvStorageClassOutput;

   return in[3] != SpvStorageClassFunction && !id->used && !(goes_on && id->in_interface);
}

static void
look_for_gone(struct module *m)
{
   bool gone = false;

   for (size_t at = SPIRV_HEADER_WORDS; at < m->dwords; at += words_of(m->code + at)) {
      const uint32_t *in = m->code + at, op = in[0] & SpvOpCodeMask;

      if (op == SpvOpFunction)
         gone = !find(m, in[2])->reached;
      if (gone && has_result(op) && words_of(in) > 2)
         find(m, in[2])->gone = true;
      else if (gone && op == SpvOpLabel)
         find(m, in[1])->gone = true;
      else if (!gone && op == SpvOpVariable && is_unused_variable(m, in))
         find(m, in[2])->gone = true;
   }
}

static bool
is_kept(struct module *m, const uint32_t *in, bool in_gone)
{
   switch (in[0] & SpvOpCodeMask) {
   case SpvOpName:
   case SpvOpDecorate:
   case SpvOpDecorateId:
      return !find(m, in[1])->gone;
   case SpvOpVariable:
      return !in_gone && !find(m, in[2])->gone;
   default:
      return !in_gone;
   }
}

/* The interface without what is gone; its words. */
static uint32_t
write_entry_point(struct module *m, uint32_t *out, const uint32_t *in, uint32_t count)
{
   uint32_t used = MIN2(count, 5);

   memmove(out, in, used * 4);
   for (uint32_t i = used; i < count; i++) {
      if (!find(m, in[i])->gone)
         out[used++] = in[i];
   }
   out[0] = SpvOpEntryPoint | used << SpvWordCountShift;
   return used;
}

/* In place: what is written is never longer than what was read. */
static uint32_t
write(struct module *m)
{
   size_t used = SPIRV_HEADER_WORDS;
   bool in_gone = false;

   for (size_t at = SPIRV_HEADER_WORDS, count; at < m->dwords; at += count) {
      const uint32_t *in = m->code + at, op = in[0] & SpvOpCodeMask;

      count = words_of(in);
      if (op == SpvOpFunction)
         in_gone = !find(m, in[2])->reached;
      if (op == SpvOpEntryPoint) {
         used += write_entry_point(m, m->code + used, in, count);
      } else if (is_kept(m, in, in_gone)) {
         memmove(m->code + used, in, count * 4);
         used += count;
      }
   }
   return used;
}

bool
sdvk_spirv_drop_unused(uint32_t *code, uint32_t *dwords, uint32_t entry)
{
   struct module m = {.code = code, .dwords = *dwords, .bound = code[SPIRV_HEADER_BOUND]};
   bool ok;

   m.ids = calloc(m.bound, sizeof(*m.ids));
   m.calls = malloc(m.bound * sizeof(*m.calls));
   ok = m.ids && m.calls;
   if (ok) {
      look_at_module(&m);
      reach(&m, entry);
      while (m.n_looked_at < m.n_calls)
         look_at_function(&m, m.calls[m.n_looked_at++]);
      look_for_gone(&m);
      *dwords = write(&m);
   }
   free(m.calls);
   free(m.ids);
   return ok;
}
