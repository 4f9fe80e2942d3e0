/* SPDX-License-Identifier: MIT */
/*
 * Makes the other stages of a graphics pipeline for vk-corpus: a vertex shader that writes a
 * fragment or geometry shader's inputs, and a fragment shader that reads a vertex or geometry
 * shader's outputs. A mesh shader's outputs are not read. Variables
 * have the types and locations of the module's own, as "Shader Interfaces" of the Vulkan
 * specification requires of an interface match.
 */
#ifndef TESTS_SPIRV_PARTNER_H
#define TESTS_SPIRV_PARTNER_H

#include "spirv-reflect.h"

/*
 * A vertex shader whose first three vertices cover the target. Its outputs are small numbers;
 * 32-bit floats differ between vertices. Returns the words, or NULL for types that it cannot
 * write. The caller frees them; @size is in bytes.
 */
uint32_t *spirv_partner_vertex(const struct spirv *s, const struct spirv_entry *e, size_t *size);
/*
 * A fragment shader that reads all inputs as Flat and writes a hash of their bits to an output of
 * four uints at location 0. Returns as spirv_partner_vertex() does.
 */
uint32_t *spirv_partner_fragment(const struct spirv *s, const struct spirv_entry *e, size_t *size);

#endif
