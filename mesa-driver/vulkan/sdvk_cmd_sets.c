/* SPDX-License-Identifier: MIT */
/*
 * Bound descriptor sets: those that the program bound, and behind the sets of the layout repeated
 * sets, for pipelines with variables of several kinds at one binding (sdvk_spirv_kinds.c). A
 * repeated set may replace ("hide") a set that the program bound for another pipeline; the latter
 * is bound again when a pipeline needs it. The thread that records the command buffer calls this;
 * the program keeps other threads away.
 */
#include "sdvk_cmd_buffer.h"

#include "util/macros.h"

static void
emit(struct sdvk_cmd_buffer *cmd, bool compute, uint32_t slot, const struct sdvk_bound_set *set)
{
   const struct sundog_cmd_bind_set bind = {compute, slot, set->id, set->n_offsets};

   sundog_emit_bind_set(sdvk_cmd_packet(cmd), &bind, set->offsets);
}

void
sdvk_cmd_bind_set(struct sdvk_cmd_buffer *cmd, bool compute, uint32_t slot, uint32_t id,
                  uint32_t n_offsets, const uint32_t *offsets)
{
   struct sdvk_bound_sets *bound = &cmd->sets[compute];
   struct sdvk_bound_set *set = &bound->sets[slot];

   set->id = id;
   set->n_offsets = n_offsets;
   if (n_offsets)
      memcpy(set->offsets, offsets, n_offsets * sizeof(*offsets));
   bound->hidden &= ~BITFIELD_BIT(slot);
   bound->repeated = NULL;
   emit(cmd, compute, slot, set);
}

void
sdvk_cmd_forget_sets(struct sdvk_cmd_buffer *cmd)
{
   for (uint32_t i = 0; i < ARRAY_SIZE(cmd->sets); i++) {
      cmd->sets[i].bound = cmd->sets[i].filled = cmd->sets[i].hidden = 0;
      cmd->sets[i].layout = NULL;
      cmd->sets[i].repeated = NULL;
   }
}

static void
show_hidden(struct sdvk_cmd_buffer *cmd, bool compute, uint32_t slots)
{
   struct sdvk_bound_sets *bound = &cmd->sets[compute];

   if (!(slots & bound->hidden))
      return;
   u_foreach_bit(slot, slots & bound->hidden)
      emit(cmd, compute, slot, &bound->sets[slot]);
   bound->hidden &= ~slots;
   bound->repeated = NULL;
}

void
sdvk_cmd_complete_sets(struct sdvk_cmd_buffer *cmd, const struct sdvk_program *program)
{
   const struct sdvk_spirv_repeats *repeats = &program->repeats;
   struct sdvk_bound_sets *bound = &cmd->sets[program->compute];

   sdvk_cmd_bind_missing_sets(cmd, program);
   show_hidden(cmd, program->compute, program->sets);
   if (!repeats->count || bound->repeated == program)
      return;
   for (uint32_t i = 0; i < repeats->count; i++)
      emit(cmd, program->compute, repeats->first + i, &bound->sets[repeats->sets[i]]);
   bound->hidden |= BITFIELD_RANGE(repeats->first, repeats->count);
   bound->repeated = program;
}
