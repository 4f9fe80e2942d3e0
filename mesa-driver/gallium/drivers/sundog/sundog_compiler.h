/* SPDX-License-Identifier: MIT */
/* From NIR to the device's shaders. */
#ifndef SUNDOG_COMPILER_H
#define SUNDOG_COMPILER_H

#include "sundog_shader.h"

struct pipe_screen;
struct sdog_screen;
struct spirv_shader;

/* Translate @shader for @variant->key and fill in the rest of @variant but its id. The caller
 * frees what it gets with spirv_shader_delete(). NULL if that failed. */
struct spirv_shader *
sdog_compile(const struct sdog_screen *screen, const struct sdog_shader *shader,
             struct sdog_variant *variant);

/* What of the key @shader->nir depends on. */
void
sdog_compiler_scan(struct sdog_shader *shader);

/* What the state tracker may leave in NIR, by the device's features. False if memory is short. */
bool
sdog_compiler_init(struct sdog_screen *screen);
void
sdog_compiler_finish(struct sdog_screen *screen);

void
sdog_init_compiler_functions(struct pipe_screen *pscreen);

#endif
