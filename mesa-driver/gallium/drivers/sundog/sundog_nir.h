/* SPDX-License-Identifier: MIT */
/* NIR passes that bring a shader to the device's binding model. */
#ifndef SUNDOG_NIR_H
#define SUNDOG_NIR_H

#include "nir.h"
#include "sundog_shader.h"

/* Give every texture instruction a deref of one combined image and sampler variable per slot, as
 * the translator to SPIR-V wants it. Slots read are added to @slots, those of texture buffers to
 * @texels. Arrays that are indexed by what is not constant become a ladder of comparisons. */
bool
sdog_nir_lower_textures(nir_shader *nir, uint32_t *slots, uint32_t *texels);

/* Depth comparisons give one value in SPIR-V; old GLSL wants four, arranged by the texture's
 * mode. Slots that compare are added to @slots. */
bool
sdog_nir_lower_shadow(nir_shader *nir, const uint16_t *swizzles, uint32_t *slots);

/* Uniforms from the uniform buffer of the stage's set. @size is in bytes. */
bool
sdog_nir_lower_uniforms_to_buffer(nir_shader *nir, uint32_t size);

/* Uniforms from push constants; every offset must be constant. */
bool
sdog_nir_lower_uniforms_to_push(nir_shader *nir, uint32_t size);

/* Bytes of uniforms that are read; *@constant is false if some offset is not constant. */
uint32_t
sdog_nir_uniform_size(const nir_shader *nir, bool *constant);

/* Point coordinates that count from the other side. */
bool
sdog_nir_flip_point_coord(nir_shader *nir);

/* Locations by varying slot and not by what the other stage has, so that any two shaders fit. */
void
sdog_nir_assign_locations(nir_shader *nir);

/* Declare what transform feedback captures, by nir->xfb_info. */
bool
sdog_nir_capture_outputs(nir_shader *nir);

/* Locations, as bits, that the shader writes (vertex) or reads (fragment). */
uint32_t
sdog_nir_varying_mask(nir_shader *nir);

/* Read zero from the inputs at @missing, which the vertex shader does not write. */
bool
sdog_nir_zero_inputs(nir_shader *nir, uint32_t missing);

#endif
