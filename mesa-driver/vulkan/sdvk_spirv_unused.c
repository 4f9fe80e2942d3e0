/* SPDX-License-Identifier: MIT */
/*
 * Removes functions that the entry point does not reach, and variables that only those functions or
 * none use. A module may have them for entry points of other stages, at bindings that the
 * pipeline's layout lacks, which the renderer refuses. sdvk_spirv.c calls this pass on a module of
 * its own.
 */
#include <stdlib.h>

#include "sdvk_spirv_emit.h"
#include "sundog/spirv/operands.h"

/* Properties of an id. */
struct id {
   const uint32_t *function; /* its OpFunction, if it is a function */
   bool reached;      /* a function that is reachable from the entry point */
   bool used;         /* by a reached function */
   /* in the interface of the entry point: inputs and outputs, as of SPIR-V 1.4 any variable */
   bool in_interface;
   bool gone;
};

struct module {
   const struct sdvk_code *code;
   struct spirv_out out;
   struct id *ids;
   uint32_t bound;
   uint32_t *calls; /* reached functions; those before `n_looked_at` are done */
   uint32_t n_calls, n_looked_at;
};

static struct id *
find(struct module *m, uint32_t id)
{
   return &m->ids[id < m->bound ? id : 0];
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

/* Returns true if @in is outside of the function. */
static bool
is_behind(const uint32_t *in)
{
   return spirv_op(in) == SpvOpFunction || spirv_op(in) == SpvOpFunctionEnd;
}

static void
look_at_function(struct module *m, uint32_t function)
{
   const uint32_t *begin = find(m, function)->function, *end = m->code->words + m->code->count;

   spirv_foreach_from (in, begin + spirv_words(begin), end) {
      struct spirv_operands o;

      if (is_behind(in))
         return;
      if (spirv_op(in) == SpvOpFunctionCall)
         reach(m, in[3]);
      spirv_operands_begin(&o, in);
      for (char letter; (letter = spirv_operands_next(&o));) {
         if (letter == 'I')
            find(m, in[o.word])->used = true;
      }
   }
}

/* Records the interface, initialisers, and the beginnings of functions. */
static void
look_at_module(struct module *m)
{
   spirv_foreach (in, m->code) {
      switch (spirv_op(in)) {
      case SpvOpEntryPoint:
         /* The name is "main", two words. */
         for (uint32_t i = 5; i < spirv_words(in); i++)
            find(m, in[i])->in_interface = true;
         break;
      case SpvOpVariable:
         /* The initialiser may be another variable. */
         if (spirv_words(in) > 4)
            find(m, in[4])->used = true;
         break;
      case SpvOpFunction:
         find(m, in[2])->function = in;
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

   spirv_foreach (in, m->code) {
      if (spirv_op(in) == SpvOpFunction)
         gone = !find(m, in[2])->reached;
      if (gone || (spirv_op(in) == SpvOpVariable && is_unused_variable(m, in)))
         find(m, spirv_result(in))->gone = true;
   }
}

static bool
is_kept(struct module *m, const uint32_t *in, bool in_gone)
{
   switch (spirv_op(in)) {
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

/* Emits the interface without removed variables. */
static void
write_entry_point(struct module *m, const uint32_t *in)
{
   const uint32_t count = spirv_words(in), begun = spirv_begin(&m->out, SpvOpEntryPoint);

   spirv_put(&m->out, in + 1, MIN2(count, 5) - 1);
   for (uint32_t i = 5; i < count; i++) {
      if (!find(m, in[i])->gone)
         spirv_put_word(&m->out, in[i]);
   }
   spirv_end(&m->out, begun);
}

static void
write(struct module *m)
{
   bool in_gone = false;

   sdvk_code_begin(&m->out, m->code);
   spirv_foreach (in, m->code) {
      if (spirv_op(in) == SpvOpFunction)
         in_gone = !find(m, in[2])->reached;
      if (spirv_op(in) == SpvOpEntryPoint)
         write_entry_point(m, in);
      else if (is_kept(m, in, in_gone))
         spirv_copy(&m->out, in);
   }
}

bool
sdvk_spirv_drop_unused(struct sdvk_code *code, uint32_t entry)
{
   struct module m = {.code = code, .bound = code->words[SPIRV_HEADER_BOUND]};

   m.ids = calloc(m.bound, sizeof(*m.ids));
   m.calls = malloc(m.bound * sizeof(*m.calls));
   if (m.ids && m.calls) {
      look_at_module(&m);
      reach(&m, entry);
      while (m.n_looked_at < m.n_calls)
         look_at_function(&m, m.calls[m.n_looked_at++]);
      look_for_gone(&m);
      write(&m);
   } else {
      m.out.failed = true;
   }
   free(m.calls);
   free(m.ids);
   return sdvk_code_end(&m.out, code);
}
