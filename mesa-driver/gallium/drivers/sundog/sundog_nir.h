/* SPDX-License-Identifier: MIT */
/* NIR passes that bring a shader to the device's binding model. */
#ifndef SUNDOG_NIR_H
#define SUNDOG_NIR_H

#include "nir.h"
#include "sundog_shader.h"

/* Have each texture instruction look up one slot: arrays that are indexed by what is not constant
 * become a ladder of comparisons. */
bool
sdog_nir_split_texture_arrays(nir_shader *nir);

/* Give every texture instruction a deref of one combined image and sampler variable per slot, as
 * the translator to SPIR-V wants it. Slots read are added to @slots, those of texture buffers to
 * @texels. Integers have the sign of the texture that @key says. After the pass above. */
bool
sdog_nir_lower_textures(nir_shader *nir, const struct sdog_shader_key *key, uint32_t *slots,
                        uint32_t *texels);

/* Make coordinates of rectangles larger by what may be lost when they are divided by the size and
 * the host multiplies them by it again: whole ones are where the next texel begins. */
bool
sdog_nir_nudge_rectangles(nir_shader *nir);

/* What compute shaders take for the number of a view is 0. */
bool
sdog_nir_know_no_views(nir_shader *nir);

/* Each invocation is a subgroup: votes and ballots are its own. */
bool
sdog_nir_vote_alone(nir_shader *nir);

/* The size of a work group that the shader leaves to its dispatch. */
void
sdog_nir_set_group_size(nir_shader *nir, const uint16_t *size);

/* Swizzle what is fetched from texture buffers; after the pass above. */
bool
sdog_nir_swizzle_texels(nir_shader *nir, const uint16_t *swizzles);

/* Depth comparisons give one value in SPIR-V, and are not swizzled by views. Old GLSL wants four
 * values. Slots that compare are added to @slots; what is in the key's uncompared does not. */
bool
sdog_nir_lower_shadow(nir_shader *nir, const struct sdog_shader_key *key, uint32_t *slots);

/* Uniforms and blocks from the uniform buffers of the stage's set. @size is that of the uniforms
 * outside of blocks in bytes, 0 to leave those alone; @blocks has the slots of blocks as bits. */
bool
sdog_nir_lower_uniforms_to_buffers(nir_shader *nir, uint32_t size, uint32_t blocks,
                                   uint32_t block_size);

/* Storage buffers, and the memory of a work group, word by word. Before optimisation: may make
 * variables, by the passes below. */
bool
sdog_nir_split_accesses(nir_shader *nir);

/* Are there atomic operations on 64 bits of the work group's memory? Then all of it is words of 64
 * bits, since the translator has memory of its own for each size: what is smaller becomes a half of
 * one. */
bool
sdog_nir_has_wide_shared(nir_shader *nir);
bool
sdog_nir_widen_shared(nir_shader *nir);

/* Add to floats of these by comparing and swapping words. Before optimisation: makes variables. */
bool
sdog_nir_loop_float_atomics(nir_shader *nir);

/* Slots of storage buffers, as bits. */
void
sdog_nir_storage_masks(const nir_shader *nir, uint32_t *used, uint32_t *written);

/* What of it there is after the pass above: storage buffers by deref of the stage's array of them,
 * the work group's memory by number of word. */
bool
sdog_nir_lower_storage_to_derefs(nir_shader *nir, uint32_t slots);
bool
sdog_nir_lower_shared_to_words(nir_shader *nir);

/* Slots of images, as bits; those of buffers are apart. */
struct sdog_nir_image_slots {
   uint32_t images;
   uint32_t texels;
   uint32_t written;
   /* What each image is: VkImageViewType. */
   uint8_t types[SUNDOG_MAX_IMAGES];
};

/* A variable per slot for images, too, and only constant slots; likewise. */
bool
sdog_nir_lower_images(nir_shader *nir, struct sdog_nir_image_slots *slots);

/* Invocations that run side by side may have different handles, and the device takes one of them for
 * all: loops, where it can tell who has which. */
bool
sdog_nir_split_handles(nir_shader *nir);

/* Textures and images that have a handle, by deref of the table of the device's that has their kind;
 * after the passes for slots. *@used and *@written: are there any, and are some stored to? */
bool
sdog_nir_lower_handles(nir_shader *nir, bool *used, bool *written);

/* Load uniforms and blocks in words of 32 bits, where loads are scalar. */
bool
sdog_nir_split_uniforms(nir_shader *nir);

/* Take vectors of four of 64 bits from two vertex attributes. */
bool
sdog_nir_split_attributes(nir_shader *nir);

/* Slots of uniform blocks that are read, as bits. */
uint32_t
sdog_nir_block_mask(const nir_shader *nir);

/* Uniforms outside of blocks from push constants; every offset must be constant. @draw: what the
 * shader knows of its draw is declared behind them. */
bool
sdog_nir_lower_uniforms_to_push(nir_shader *nir, uint32_t size, bool draw);

/* Vulkan counts instances from the first one of the draw, GL from 0. */
bool
sdog_nir_count_instances_from_zero(nir_shader *nir);

/* Does a vertex shader read the number of its draw, or the vertex that indices begin at? */
bool
sdog_nir_knows_draw(const nir_shader *nir);

/* The device counts the draws of a packet, and has a first vertex without indices, too, and the
 * triangles of each draw; see SDOG_DRAW_PARAMETERS. They are at @vector of the push constants. */
bool
sdog_nir_add_draw_parameters(nir_shader *nir, unsigned vector);

/* Bytes of uniforms outside of blocks that are read; *@constant is false if some offset is not
 * constant. */
uint32_t
sdog_nir_uniform_size(const nir_shader *nir, bool *constant);

/* Colours of fewer than four components get those that are missing: what changes alpha takes four.
 */
bool
sdog_nir_widen_colors(nir_shader *nir);

/* Point coordinates that count from the other side. */
bool
sdog_nir_flip_point_coord(nir_shader *nir);

/* Locations by varying slot and not by what the other stage has, so that any two shaders fit. Slots
 * that are packed are numbered instead, by both of two stages. */
void
sdog_nir_assign_locations(nir_shader *nir, uint64_t packed_inputs, uint64_t packed_outputs);

/* What to pack of @slots, which one stage writes or the next reads: all that have locations, or 0
 * if no two of them have the same. */
uint64_t
sdog_nir_pack_varyings(uint64_t slots);

/* Declare what transform feedback captures, by nir->xfb_info. */
bool
sdog_nir_capture_outputs(nir_shader *nir, uint64_t packed);
void
sdog_nir_capture_nothing(nir_shader *nir);

/* Locations, as bits, that are not free for other outputs. */
uint32_t
sdog_nir_locations_taken(const nir_shader *nir, uint64_t packed);

/* Varying slots, as bits, that the shader has from the stage before, or may give to the next. */
uint64_t
sdog_nir_varyings_read(const nir_shader *nir);
uint64_t
sdog_nir_varyings_written(const nir_shader *nir);

/* The same of patches, from VARYING_SLOT_PATCH0 on. */
uint32_t
sdog_nir_patch_varyings(const nir_shader *nir);

/* Read zero from these varyings, which the stage before does not write. */
bool
sdog_nir_zero_inputs(nir_shader *nir, uint64_t varyings, uint32_t patch_varyings);

/* The tessellation control shader of those that have none: patches pass as they are. Its uniforms
 * are the tessellation levels, four outer and two inner ones. */
nir_shader *
sdog_nir_passthrough_shader(const nir_shader *vs);

/* Control barriers order outputs in SPIR-V without saying so, and others cannot say it. */
bool
sdog_nir_trim_barriers(nir_shader *nir);

/* Have it take, and give, patches of so many vertices. */
void
sdog_nir_set_patch_vertices(nir_shader *nir, unsigned count);

/* Clip distances that may be turned off, as bits; and those of @planes off: they clip nothing. */
uint32_t
sdog_nir_clip_planes(const nir_shader *nir);
bool
sdog_nir_disable_clip_distances(nir_shader *nir, uint32_t planes);

/* Say how large arrays of distances are that a shader reads, that do not clip, or that SPIR-V
 * writes, while they are intrinsics: the state tracker makes variables of them by what the shader's
 * information says. */
void
sdog_nir_size_distances(nir_shader *nir);

/* Write that output nowhere. */
void
sdog_nir_drop_output(nir_shader *nir, gl_varying_slot slot);

/* Points are larger by one than what is written, or than one where nothing is. */
bool
sdog_nir_widen_points(nir_shader *nir);

/* The varying slot for edges beside those that a vertex shader writes, or the fragment shader
 * reads; 0: there is no room. */
gl_varying_slot
sdog_nir_edges_slot(uint64_t varyings);

/* The geometry shader that follows @vs where edges are hidden; it passes on what that writes. */
nir_shader *
sdog_nir_edges_shader(const nir_shader *vs);

/* Have it write which edges, or corners, are drawn; and a fragment shader discard others, in each
 * PIPE_POLYGON_MODE_*. */
bool
sdog_nir_write_edges(nir_shader *nir, const struct sdog_edges_key *key);
void
sdog_nir_discard_edges(nir_shader *nir, gl_varying_slot slot, unsigned front_mode,
                       unsigned back_mode);

/* The first thing that a fragment shader does is to discard: only on front faces, or back ones. */
void
sdog_nir_discard_on_face(nir_shader *nir, bool front);

/* Have a fragment shader count polygons of mode @source, that triangles were made of, from the
 * first one of its draw on. */
bool
sdog_nir_count_polygons(nir_shader *nir, enum mesa_prim source);

/* Does a fragment shader write a sample mask, or interpolate at samples? Where there is one sample,
 * it does neither. */
bool
sdog_nir_knows_samples(const nir_shader *nir);
bool
sdog_nir_ignore_samples(nir_shader *nir);

/* Run it for each sample. After all that drops what has no use. */
void
sdog_nir_run_per_sample(nir_shader *nir);

/* An inout output that is never written keeps its colour: Mesa removed the store of what was read
 * there, and Vulkan leaves open what an output without a store has. */
bool
sdog_nir_store_fetched(nir_shader *nir);

/* Colour buffers, as bits, that a fragment shader reads as outputs. */
uint8_t
sdog_nir_fetched_colors(const nir_shader *nir);

/* Replace loads of outputs by texel fetches from the slots of sundog_fetch.h. @keys has a key for
 * each colour buffer. */
bool
sdog_nir_lower_fetch(nir_shader *nir, const struct sdog_fetch_key *keys);

/* Blending with two sources takes a fragment shader that writes both. */
bool
sdog_nir_writes_second_color(const nir_shader *nir);
void
sdog_nir_add_second_color(nir_shader *nir);

#endif
