/* SPDX-License-Identifier: MIT */
/* NIR passes that adapt shaders to the device's binding model and to the differences between OpenGL
 * and Vulkan. sundog_compiler.c runs them. A pass that returns bool returns true if it changed the
 * shader. The passes change only the caller's shader, so they run on any thread. */
#ifndef SUNDOG_NIR_H
#define SUNDOG_NIR_H

#include "nir.h"
#include "sundog_shader.h"

/* Splits texture instructions with a non-constant index into an array: a chain of comparisons
 * selects one of several instructions with constant slots. */
bool
sdog_nir_split_texture_arrays(nir_shader *nir);

/* Gives each texture instruction a deref of a combined image and sampler variable, one per slot,
 * which the translator to SPIR-V requires. Adds the slots that are read to @slots, those of texture
 * buffers to @texels. Integer textures get the signedness in @key. Runs after
 * sdog_nir_split_texture_arrays(). */
bool
sdog_nir_lower_textures(nir_shader *nir, const struct sdog_shader_key *key, uint32_t *slots,
                        uint32_t *texels);

/* Enlarges coordinates of rectangle textures slightly, to make up for the rounding when they are
 * divided by the size and the host multiplies by it again: whole coordinates are on the boundary to
 * the next texel. */
bool
sdog_nir_nudge_rectangles(nir_shader *nir);

/* Replaces the view index in compute shaders by 0. */
bool
sdog_nir_know_no_views(nir_shader *nir);

/* Lowers votes and ballots for subgroups of a single invocation. */
bool
sdog_nir_vote_alone(nir_shader *nir);

/* Sets the work group size of a shader that leaves it to the dispatch. */
void
sdog_nir_set_group_size(nir_shader *nir, const uint16_t *size);

/* Swizzles the results of fetches from texture buffers. Runs after sdog_nir_lower_textures(). */
bool
sdog_nir_swizzle_texels(nir_shader *nir, const uint16_t *swizzles);

/* Lowers depth comparisons: they have a scalar result in SPIR-V, to which views apply no swizzle,
 * while old GLSL expects four components. Adds the slots that compare to @slots. Slots in
 * key->uncompared are sampled without a comparison. */
bool
sdog_nir_lower_shadow(nir_shader *nir, const struct sdog_shader_key *key, uint32_t *slots);

/* Lowers loads of uniforms and blocks to derefs of the uniform buffers in the stage's descriptor
 * set. @size is the size in bytes of the uniforms outside of blocks, 0 to leave them as they are;
 * @blocks is the mask of block slots. */
bool
sdog_nir_lower_uniforms_to_buffers(nir_shader *nir, uint32_t size, uint32_t blocks,
                                   uint32_t block_size);

/* Splits accesses to storage buffers and shared memory into dwords. May create variables
 * (sdog_nir_widen_shared()), so it runs before optimisation. */
bool
sdog_nir_split_accesses(nir_shader *nir);

/* sdog_nir_has_wide_shared() returns true if there are 64-bit atomic operations on shared memory.
 * All of it then has to consist of 64-bit words, because the translator would allocate separate
 * memory for each size. sdog_nir_widen_shared() turns smaller accesses into accesses to half of
 * such a word. */
bool
sdog_nir_has_wide_shared(nir_shader *nir);
bool
sdog_nir_widen_shared(nir_shader *nir);

/* Lowers atomic float additions in buffers and shared memory to compare-and-swap loops. Creates
 * variables, so it runs before optimisation. */
bool
sdog_nir_loop_float_atomics(nir_shader *nir);

/* Returns the masks of storage buffer slots that are used and written. */
void
sdog_nir_storage_masks(const nir_shader *nir, uint32_t *used, uint32_t *written);

/* Lower the accesses that sdog_nir_split_accesses() left: those of storage buffers to derefs of the
 * stage's array of buffers, those of shared memory to word indices. */
bool
sdog_nir_lower_storage_to_derefs(nir_shader *nir, uint32_t slots);
bool
sdog_nir_lower_shared_to_words(nir_shader *nir);

/* Masks of image slots. Buffer images are in @texels only. */
struct sdog_nir_image_slots {
   uint32_t images;
   uint32_t texels;
   uint32_t written;
   /* VkImageViewType of each image. */
   uint8_t types[SUNDOG_MAX_IMAGES];
};

/* Gives each image instruction a deref of a variable per slot, as sdog_nir_lower_textures(), after
 * splitting non-constant indices. Fills in @slots. */
bool
sdog_nir_lower_images(nir_shader *nir, struct sdog_nir_image_slots *slots);

/* Splits accesses through handles that can differ between invocations of a subgroup into loops,
 * because the device uses one handle for all of them. Needs a device with subgroups. */
bool
sdog_nir_split_handles(nir_shader *nir);

/* Lowers accesses through handles to derefs of the device's table for their kind of texture or
 * image. Runs after the passes for slots. Returns in @used whether there are any, and in @written
 * whether some store. */
bool
sdog_nir_lower_handles(nir_shader *nir, bool *used, bool *written);

/* Splits 64-bit loads of uniforms and blocks, which must be scalar, into dwords. */
bool
sdog_nir_split_uniforms(nir_shader *nir);

/* Splits attributes that are four-component 64-bit vectors into two attributes. */
bool
sdog_nir_split_attributes(nir_shader *nir);

/* Returns the mask of uniform block slots that are read. */
uint32_t
sdog_nir_block_mask(const nir_shader *nir);

/* Lowers uniforms outside of blocks, whose offsets must all be constant, to push constants. With
 * @draw, the draw parameters are declared after them. */
bool
sdog_nir_lower_uniforms_to_push(nir_shader *nir, uint32_t size, bool draw);

/* Subtracts the base instance from the instance index, because Vulkan counts from the first
 * instance of the draw and GL from 0. */
bool
sdog_nir_count_instances_from_zero(nir_shader *nir);

/* Returns true if a vertex shader reads gl_DrawID or gl_BaseVertex. */
bool
sdog_nir_knows_draw(const nir_shader *nir);

/* Adds the draw parameters to what the device provides. The device numbers the draws of a packet
 * and the triangles of a draw from 0, and has a base vertex for draws without indices, too; see
 * SDOG_DRAW_PARAMETERS. They are in vector @vector of the push constants. */
bool
sdog_nir_add_draw_parameters(nir_shader *nir, unsigned vector);

/* Returns the size in bytes of the uniforms outside of blocks that are read. Sets *@constant to
 * false if some offset is not constant. */
uint32_t
sdog_nir_uniform_size(const nir_shader *nir, bool *constant);

/* Extends colour outputs with fewer than four components, because passes that modify alpha need all
 * four. */
bool
sdog_nir_widen_colors(nir_shader *nir);

/* Flips the y coordinate of gl_PointCoord. */
bool
sdog_nir_flip_point_coord(nir_shader *nir);

/* Assigns locations by varying slot, independently of the other stage, so that any two shaders
 * match. The slots in the packed masks are numbered consecutively instead, in both stages. */
void
sdog_nir_assign_locations(nir_shader *nir, uint64_t packed_inputs, uint64_t packed_outputs);

/* Returns the slots to pack, of @slots, the union of those that a stage writes and the next one
 * reads: all that have locations if any two of them share one, otherwise 0. */
uint64_t
sdog_nir_pack_varyings(uint64_t slots);

/* Declares the outputs that transform feedback captures, from nir->xfb_info. */
bool
sdog_nir_capture_outputs(nir_shader *nir, uint64_t packed);
void
sdog_nir_capture_nothing(nir_shader *nir);

/* Returns the mask of locations that are not free for additional outputs. */
uint32_t
sdog_nir_locations_taken(const nir_shader *nir, uint64_t packed);

/* Return the masks of varying slots that the shader reads from the previous stage, or that it
 * writes for the next. */
uint64_t
sdog_nir_varyings_read(const nir_shader *nir);
uint64_t
sdog_nir_varyings_written(const nir_shader *nir);

/* Returns the mask of per-patch varyings, from VARYING_SLOT_PATCH0. */
uint32_t
sdog_nir_patch_varyings(const nir_shader *nir);

/* Replaces reads of these varyings, which the previous stage does not write, by zero. */
bool
sdog_nir_zero_inputs(nir_shader *nir, uint64_t varyings, uint32_t patch_varyings);

/* Returns the tessellation control shader for programs without one. It passes patches through; its
 * uniforms are the four outer and two inner tessellation levels. */
nir_shader *
sdog_nir_passthrough_shader(const nir_shader *vs);

/* Removes outputs from the memory modes of barriers. In SPIR-V, control barriers order outputs
 * implicitly and memory barriers cannot. */
bool
sdog_nir_trim_barriers(nir_shader *nir);

/* Sets the number of vertices of input and output patches. */
void
sdog_nir_set_patch_vertices(nir_shader *nir, unsigned count);

/* sdog_nir_clip_planes() returns the mask of clip distances that can be disabled.
 * sdog_nir_disable_clip_distances() makes those in @planes clip nothing. */
uint32_t
sdog_nir_clip_planes(const nir_shader *nir);
bool
sdog_nir_disable_clip_distances(nir_shader *nir, uint32_t planes);

/* Sets the sizes of clip and cull distance arrays that the shader reads, that do not clip, or that
 * come from SPIR-V. It runs while inputs and outputs are intrinsics: the state tracker then creates
 * variables from the sizes in nir->info. */
void
sdog_nir_size_distances(nir_shader *nir);

/* Discards all writes of output @slot. */
void
sdog_nir_drop_output(nir_shader *nir, gl_varying_slot slot);

/* Increases the point size by one; a shader that writes none gets size two. */
bool
sdog_nir_widen_points(nir_shader *nir);

/* Returns a free varying slot for the edge data, beside @varyings, which the vertex shader writes
 * or the fragment shader reads. Returns 0 if none is free. */
gl_varying_slot
sdog_nir_edges_slot(uint64_t varyings);

/* Returns the geometry shader that follows @vs to hide edges; it passes the outputs of @vs
 * through. */
nir_shader *
sdog_nir_edges_shader(const nir_shader *vs);

/* sdog_nir_write_edges() makes the geometry shader write which edges and corners are hidden.
 * sdog_nir_discard_edges() makes a fragment shader discard them, by the PIPE_POLYGON_MODE_* of the
 * face. */
bool
sdog_nir_write_edges(nir_shader *nir, const struct sdog_edges_key *key);
void
sdog_nir_discard_edges(nir_shader *nir, gl_varying_slot slot, unsigned front_mode,
                       unsigned back_mode);

/* Restricts the discard that the fragment shader begins with to front faces, or to back faces. */
void
sdog_nir_discard_on_face(nir_shader *nir, bool front);

/* Makes a fragment shader's gl_PrimitiveID count the polygons of mode @source that the triangles
 * were made of, from the first polygon of the draw. */
bool
sdog_nir_count_polygons(nir_shader *nir, enum mesa_prim source);

/* sdog_nir_knows_samples() returns true if a fragment shader writes a sample mask or interpolates
 * at a sample. sdog_nir_ignore_samples() removes both, for framebuffers with one sample. */
bool
sdog_nir_knows_samples(const nir_shader *nir);
bool
sdog_nir_ignore_samples(nir_shader *nir);

/* Draws points as circles: adds to the sample mask of a fragment shader that only those of @samples
 * samples are covered that are inside the circle. */
bool
sdog_nir_round_points(nir_shader *nir, unsigned samples);

/* Makes the shader run per sample. Runs after all passes that remove dead code. */
void
sdog_nir_run_per_sample(nir_shader *nir);

/* Adds a store to inout outputs that are never written, so that they keep their colour: Mesa
 * removes the store of a value that was read from the same output, and in Vulkan an output without
 * a store is undefined. */
bool
sdog_nir_store_fetched(nir_shader *nir);

/* Returns the mask of colour buffers that a fragment shader reads as outputs. */
uint8_t
sdog_nir_fetched_colors(const nir_shader *nir);

/* Replaces loads of outputs by texel fetches from the slots in sundog_fetch.h. @keys has an element
 * per colour buffer. */
bool
sdog_nir_lower_fetch(nir_shader *nir, const struct sdog_fetch_key *keys);

/* Dual-source blending requires a fragment shader that writes both colours: the first function
 * returns whether it writes the second one, the other adds it. */
bool
sdog_nir_writes_second_color(const nir_shader *nir);
void
sdog_nir_add_second_color(nir_shader *nir);

#endif
