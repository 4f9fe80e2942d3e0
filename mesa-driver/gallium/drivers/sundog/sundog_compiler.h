/* SPDX-License-Identifier: MIT */
/* The shader compiler: from NIR to SPIR-V for the device. */
#ifndef SUNDOG_COMPILER_H
#define SUNDOG_COMPILER_H

#include "sundog_shader.h"

struct pipe_screen;
struct sdog_screen;
struct spirv_shader;

/* Compiles @shader for @variant->key and fills in @variant except its id. Returns the SPIR-V, which
 * the caller frees with spirv_shader_delete(), or NULL on failure. */
struct spirv_shader *
sdog_compile(const struct sdog_screen *screen, const struct sdog_shader *shader,
             struct sdog_variant *variant);

/* Fills in the properties of @shader->nir that variant keys depend on. */
void
sdog_compiler_scan(struct sdog_shader *shader);

/* Creates the compiler options of the screen from the device's features. Returns false if memory is
 * short. */
bool
sdog_compiler_init(struct sdog_screen *screen);
void
sdog_compiler_finish(struct sdog_screen *screen);

void
sdog_init_compiler_functions(struct pipe_screen *pscreen);

#endif
