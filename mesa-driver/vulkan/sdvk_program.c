/* SPDX-License-Identifier: MIT */
/*
 * Programs: the renderer's shaders for the stages of a pipeline or of shader objects.
 * sdvk_pipeline.c and sdvk_shader_object.c call this on the thread that creates the program; it is
 * constant afterwards.
 */
#include "sdvk_program.h"

#include <stdlib.h>

#include "sdvk_device.h"
#include "util/bitscan.h"
#include "vk_log.h"

void
sdvk_program_init(struct sdvk_program *program, bool compute)
{
   *program = (struct sdvk_program){.compute = compute};
}

void
sdvk_program_fini(struct sdvk_device *device, struct sdvk_program *program)
{
   u_foreach_bit (i, program->own_shaders)
      sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_SHADER, program->shaders[i]);
   for (uint32_t i = 0; i < program->n_stages; i++)
      sdvk_stage_unref(device, program->stages[i]);
   if (program->repeats_layout)
      sdvk_layout_unref(device, program->repeats_layout);
   if (program->layout)
      vk_pipeline_layout_unref(&device->vk, program->layout);
}

void
sdvk_program_set_layout(struct sdvk_program *program, struct vk_pipeline_layout *layout)
{
   program->layout = vk_pipeline_layout_ref(layout);
}

void
sdvk_program_add_stage(struct sdvk_program *program, struct sdvk_stage *stage)
{
   program->stages[program->n_stages++] = sdvk_stage_ref(stage);
}

bool
sdvk_program_has_repeats(const struct sdvk_program *program)
{
   const struct util_dynarray *kinds[SDVK_NUM_STAGES];

   for (uint32_t i = 0; i < program->n_stages; i++)
      kinds[i] = &program->stages[i]->kinds;
   return program->layout && sdvk_spirv_kinds_differ(kinds, program->n_stages, program->layout);
}

static void
take_shader(struct sdvk_program *program, const struct sdvk_stage *stage,
            const struct sdvk_shader *shader)
{
   const enum sundog_stage at = sdvk_packet_stage(stage->stage);

   program->shaders[at] = shader->id;
   program->unchecked &= ~BITFIELD_BIT(at);
   program->unchecked |= shader->accepted ? 0 : BITFIELD_BIT(at);
   program->second_color |= shader->second_color;
   program->counts_draws |= shader->counts_draws;
}

static VkResult
part_kinds(struct sdvk_device *device, struct sdvk_program *program, struct sdvk_code *codes)
{
   program->repeats.first = program->layout->set_count;
   if (!sdvk_spirv_part_kinds(codes, program->n_stages, program->layout, &program->repeats))
      return vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                       "kinds of variables at one binding need more than %u sets",
                       SUNDOG_MAX_SETS);
   return sdvk_get_layout(device, program->layout, &program->repeats, &program->repeats_layout);
}

static VkResult
make_own_shaders(struct sdvk_device *device, struct sdvk_program *program, struct sdvk_code *codes)
{
   VkResult result = part_kinds(device, program, codes);

   for (uint32_t i = 0; i < program->n_stages && result == VK_SUCCESS; i++) {
      const struct sdvk_stage *stage = program->stages[i];
      struct sdvk_shader shader;

      result = sdvk_shader_new(device, stage->stage, program->repeats_layout, &codes[i], &shader);
      if (result == VK_SUCCESS) {
         take_shader(program, stage, &shader);
         program->own_shaders |= BITFIELD_BIT(sdvk_packet_stage(stage->stage));
      }
   }
   return result;
}

/*
 * Links a program with variables of several kinds at one binding: it needs more sets than the
 * layout has, and shaders that no other program shares.
 */
static VkResult
link_repeats(struct sdvk_device *device, struct sdvk_program *program,
             const struct sdvk_spirv_options *options)
{
   struct sdvk_code codes[SDVK_NUM_STAGES] = {0};
   VkResult result = VK_SUCCESS;

   for (uint32_t i = 0; i < program->n_stages && result == VK_SUCCESS; i++)
      result = sdvk_stage_get_code(device, program->stages[i], program->layout, options, &codes[i]);
   if (result == VK_SUCCESS)
      result = make_own_shaders(device, program, codes);
   for (uint32_t i = 0; i < program->n_stages; i++)
      free(codes[i].words);
   return result;
}

/*
 * Finds the sets that stages use. Others need not be bound: a set may have a million descriptors.
 */
static void
find_sets(struct sdvk_program *program)
{
   uint32_t named = 0;

   for (uint32_t i = 0; i < program->n_stages; i++)
      named |= program->stages[i]->sets;
   program->sets = 0;
   for (uint32_t i = 0; program->layout && i < program->layout->set_count; i++)
      program->sets |= program->layout->set_layouts[i] ? named & BITFIELD_BIT(i) : 0;
}

VkResult
sdvk_program_link(struct sdvk_device *device, struct sdvk_program *program,
                  const struct sdvk_spirv_options *options, bool may_compile)
{
   VkResult result = VK_SUCCESS;

   find_sets(program);
   if (sdvk_program_has_repeats(program))
      return may_compile ? link_repeats(device, program, options) : VK_PIPELINE_COMPILE_REQUIRED;
   for (uint32_t i = 0; i < program->n_stages && result == VK_SUCCESS; i++) {
      struct sdvk_shader shader;

      result = sdvk_stage_get_shader(device, program->stages[i], program->layout, options,
                                     may_compile, &shader);
      if (result == VK_SUCCESS)
         take_shader(program, program->stages[i], &shader);
   }
   return result;
}

/* Lists the unchecked shaders of a program; returns how many. */
static uint32_t
list_checks(const struct sdvk_program *program, struct sdvk_check *checks)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < program->n_stages; i++) {
      const VkShaderStageFlagBits stage = program->stages[i]->stage;
      const enum sundog_stage at = sdvk_packet_stage(stage);

      if (program->unchecked & BITFIELD_BIT(at))
         checks[n++] = (struct sdvk_check){.id = program->shaders[at], .stage = stage};
   }
   return n;
}

/* Takes the results of list_checks(). */
static VkResult
take_checks(struct sdvk_program *program, const struct sdvk_check *checks)
{
   VkResult result = VK_SUCCESS;

   for (uint32_t i = 0; i < program->n_stages; i++) {
      const uint32_t bit = BITFIELD_BIT(sdvk_packet_stage(program->stages[i]->stage));
      const struct sdvk_check *check = checks;

      if (!(program->unchecked & bit))
         continue;
      checks++;
      if (!check->known)
         continue;
      program->unchecked &= ~bit;
      sdvk_stage_set_result(program->stages[i], check->id, check->result);
      if (result == VK_SUCCESS)
         result = check->result;
   }
   return result;
}

void
sdvk_programs_check(struct sdvk_device *device, struct sdvk_program *const *programs, uint32_t n,
                    VkResult *results)
{
   struct sdvk_check *checks = malloc(MAX2(n, 1) * SDVK_NUM_STAGES * sizeof(*checks));
   uint32_t n_checks = 0, at = 0;

   for (uint32_t i = 0; i < n; i++)
      results[i] = VK_SUCCESS;
   /* Without memory the shaders stay unchecked. */
   if (!checks)
      return;
   for (uint32_t i = 0; i < n; i++)
      n_checks += programs[i] ? list_checks(programs[i], checks + n_checks) : 0;
   sdvk_check_shaders(device, checks, n_checks);
   for (uint32_t i = 0; i < n; i++) {
      const uint32_t asked = programs[i] ? util_bitcount(programs[i]->unchecked) : 0;

      if (asked)
         results[i] = take_checks(programs[i], checks + at);
      at += asked;
   }
   free(checks);
}

void
sdvk_program_forget_code(struct sdvk_program *program, uint32_t first)
{
   for (uint32_t i = first; i < program->n_stages; i++) {
      free(program->stages[i]->code.words);
      program->stages[i]->code = (struct sdvk_code){0};
   }
}
