// SPDX-License-Identifier: MIT
/*
 * Tests which shaders the gate accepts, which it refuses and why, and how it rewrites them. Prints
 * TAP.
 *
 * usage: test-gate FOLDER, with assembled modules
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/gate.h"
#include "gate/texture.h"
#include "gate-addresses.h"
#include "gate-caps.h"
#include "gate-load.h"
#include "gate-pointers.h"
#include "gate-shaders.h"

#define SHADER(name) name, sizeof(name) / 4
#define VERTEX SUNDOG_STAGE_VERTEX
#define FRAGMENT SUNDOG_STAGE_FRAGMENT
#define GEOMETRY SUNDOG_STAGE_GEOMETRY
#define COMPUTE SUNDOG_STAGE_COMPUTE
#define TESS_CTRL SUNDOG_STAGE_TESS_CTRL
#define TESS_EVAL SUNDOG_STAGE_TESS_EVAL
#define TASK SUNDOG_STAGE_TASK
#define MESH SUNDOG_STAGE_MESH
#define SAMPLER_AT(slot) { SUNDOG_BINDING_TEXTURE0 + (slot), 1, 1 }
#define SAMPLER SAMPLER_AT(0)
#define TEXELS(slot) { SUNDOG_BINDING_TEXELS0 + (slot), 1, 4 }
#define SSBOS(n) { SUNDOG_BINDING_SSBOS, n, 7 }
#define IMAGE(slot) { SUNDOG_BINDING_IMAGE0 + (slot), 1, 3 }
#define STORAGE_TEXELS(slot) { SUNDOG_BINDING_STORAGE_TEXELS0 + (slot), 1, 5 }
#define IMAGES IMAGE(0), IMAGE(1), IMAGE(2), IMAGE(3), IMAGE(4), IMAGE(5), IMAGE(6), IMAGE(7), IMAGE(8)

struct test_case {
	const char *name;
	const uint32_t *code;
	uint32_t words;
	const char *refusal;		/* part of the reason; NULL: passes */
	struct sundog_cmd_create_shader cmd;
};

static const struct test_case cases[] = {
	{ "plain vertex shader", SHADER(plain_vert), NULL,
	  { .stage = VERTEX, .n_bindings = 2,
	    .bindings = { { 0, 1, 6 }, { SUNDOG_BINDING_UBOS, 3, 6 } } } },
	{ "plain fragment shader", SHADER(plain_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "push constants as declared", SHADER(push_vert), NULL,
	  { .stage = VERTEX, .push_size = 64 } },
	{ "dynamic index, made robust", SHADER(dynamic_index_frag), NULL, { .stage = FRAGMENT } },
	{ "push constants past the declared size", SHADER(push_vert), "push constants of 64",
	  { .stage = VERTEX, .push_size = 60 } },
	{ "undeclared binding", SHADER(plain_frag), "binding 1 is not declared",
	  { .stage = FRAGMENT } },
	{ "array longer than declared", SHADER(plain_vert), "binding 33",
	  { .stage = VERTEX, .n_bindings = 2,
	    .bindings = { { 0, 1, 6 }, { SUNDOG_BINDING_UBOS, 2, 6 } } } },
	{ "declaration of another type", SHADER(plain_frag),
	  "binding 1 has 1 descriptors of VkDescriptorType 6",
	  { .stage = FRAGMENT, .n_bindings = 1,
	    .bindings = { { SUNDOG_BINDING_TEXTURE0, 1, 6 } } } },
	{ "declaration of no elements", SHADER(plain_frag), "binding 1 has 0 descriptors",
	  { .stage = FRAGMENT, .n_bindings = 1,
	    .bindings = { { SUNDOG_BINDING_TEXTURE0, 0, 1 } } } },
	{ "reserved binding", SHADER(plain_frag), "binding 99, which is reserved",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { { SUNDOG_NUM_BINDINGS, 1, 7 } } } },
	{ "another stage's set", SHADER(other_set_frag),
	  "DescriptorSet 0 in execution model Fragment",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "another stage's code", SHADER(plain_frag), "entry point", { .stage = VERTEX } },
	{ "reserved stage", SHADER(plain_frag), "shader stage 8", { .stage = MESH + 1 } },
	{ "a mesh shader with slots", SHADER(meshes_mesh), "shader stage 7 is reserved",
	  { .stage = MESH } },
	{ "storage buffer", SHADER(storage_buffer_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "storage buffer that is not declared", SHADER(storage_buffer_frag),
	  "binding 34 is not declared",
	  { .stage = FRAGMENT } },
	{ "storage buffer declared as a uniform buffer", SHADER(storage_buffer_frag),
	  "binding 34 has 1 descriptors of VkDescriptorType 6",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { { SUNDOG_BINDING_SSBOS, 1, 6 } } } },
	{ "storage image", SHADER(storage_image_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { IMAGE(0) } } },
	{ "storage image that is not declared", SHADER(storage_image_frag),
	  "binding 35 is not declared",
	  { .stage = FRAGMENT } },
	{ "storage image declared as a texture", SHADER(storage_image_frag),
	  "binding 35 has 1 descriptors of VkDescriptorType 1",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { { SUNDOG_BINDING_IMAGE0, 1, 1 } } } },
	{ "work group", SHADER(group_comp), NULL, { .stage = COMPUTE } },
	{ "device addresses of all sorts", SHADER(addresses_comp), NULL,
	  { .stage = COMPUTE, .push_size = 28 } },
	{ "an address past the push constants", SHADER(addresses_comp),
	  "push constants of 28 bytes",
	  { .stage = COMPUTE, .push_size = 24 } },
	{ "work group as another stage", SHADER(group_comp), "entry point", { .stage = FRAGMENT } },
	{ "more shared memory than there is", SHADER(shared_memory_comp),
	  "exceed the limit of 32768 bytes",
	  { .stage = COMPUTE } },
	{ "a barrier with more to keep than there is room", SHADER(long_barrier_comp),
	  "OpControlBarrier: 1024 invocations",
	  { .stage = COMPUTE } },
	{ "stores in too many places", SHADER(many_stores_comp),
	  "more than 1048576 words and value constituents",
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "all storage buffers, and atomic operations", SHADER(storage_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(16) } } },
	{ "a storage buffer of more parts than a value may have", SHADER(large_block_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "a copy of so many parts", SHADER(large_block_copied_comp),
	  "more than 1048576 words and value constituents",
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "a storage buffer of too many arrays", SHADER(large_block_levels_comp),
	  "more than 262144 nested types",
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "a uniform block of so many parts", SHADER(large_uniform_comp),
	  "more than 1048576 words and value constituents",
	  { .stage = COMPUTE, .n_bindings = 2, .bindings = { { 0, 1, 6 }, SSBOS(1) } } },
	{ "more storage buffers than declared", SHADER(storage_comp),
	  "binding 34: 16 descriptors of VkDescriptorType 7",
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(15) } } },
	{ "more storage buffers than there are", SHADER(storage_comp),
	  "binding 34 has 33 descriptors of VkDescriptorType 7",
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(SUNDOG_MAX_SSBOS + 1) } } },
	{ "sparse instructions, which return residency", SHADER(sparse_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 3,
	    .bindings = { SAMPLER, SAMPLER_AT(1), SAMPLER_AT(2) } } },
	{ "storage images of all dimensions", SHADER(images_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 11,
	    .bindings = { IMAGES, STORAGE_TEXELS(0), STORAGE_TEXELS(15) } } },
	{ "storage texel buffer declared for reading", SHADER(images_comp),
	  "binding 98 has 1 descriptors of VkDescriptorType 4",
	  { .stage = COMPUTE, .n_bindings = 11,
	    .bindings = { IMAGES, STORAGE_TEXELS(0),
			  { SUNDOG_BINDING_STORAGE_TEXELS0 + 15, 1, 4 } } } },
	{ "stores of a fragment shader", SHADER(stores_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 3,
	    .bindings = { SSBOS(2), IMAGE(0), STORAGE_TEXELS(0) } } },
	{ "runtime array of descriptors", SHADER(runtime_array_frag), "capability",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "variables that would fill the stack", SHADER(large_variable_frag),
	  "Function and Private variables exceed 65536 bytes", { .stage = FRAGMENT } },
	{ "array whose size wraps around", SHADER(wrapping_array_frag),
	  "leads to a type of more than 262144 constituents",
	  { .stage = FRAGMENT } },
	{ "type of many nodes", SHADER(type_tree_frag), "a type has more than 4096 nested types",
	  { .stage = FRAGMENT } },
	{ "array of arrays of arrays and so on", SHADER(array_levels_frag), "more than 16 levels",
	  { .stage = FRAGMENT } },
	{ "all uniform blocks that there can be", SHADER(block_array_vert), NULL,
	  { .stage = VERTEX, .n_bindings = 2,
	    .bindings = { { 0, 1, 6 }, { SUNDOG_BINDING_UBOS, 15, 6 } } } },
	{ "two textures in one slot", SHADER(two_kinds_frag), "binding 1 has two variables",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "clip distances", SHADER(clip_distances_vert), NULL, { .stage = VERTEX } },
	{ "interpolateAtSample", SHADER(interpolate_at_sample_frag), NULL, { .stage = FRAGMENT } },
	{ "interpolation of a distance", SHADER(interpolate_distance_frag),
	  "interpolation of a variable without a Location",
	  { .stage = FRAGMENT } },
	{ "samples", SHADER(samples_frag), NULL, { .stage = FRAGMENT } },
	{ "a texel at an offset that is not constant", SHADER(texel_offset_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "function calls, inlined", SHADER(function_call_frag), NULL, { .stage = FRAGMENT } },
	{ "calls 60 deep", SHADER(deep_calls_frag), NULL, { .stage = FRAGMENT } },
	{ "calls 60 deep to what is large", SHADER(deep_costs_frag),
	  "constituents of all functions", { .stage = FRAGMENT } },
	{ "calls that call twice, and so on", SHADER(calls_frag), "with calls inlined",
	  { .stage = FRAGMENT } },
	{ "calls with many variables, which share their memory", SHADER(call_variables_frag), NULL,
	  { .stage = FRAGMENT } },
	{ "colour output past the last attachment", SHADER(output_location_frag), "Location 9",
	  { .stage = FRAGMENT } },
	{ "inputs past the last location", SHADER(input_location_frag), "Location 30",
	  { .stage = FRAGMENT } },
	{ "64-bit numbers", SHADER(double_frag), NULL, { .stage = FRAGMENT } },
	{ "64-bit inputs, outputs and transform feedback", SHADER(doubles_vert), NULL,
	  { .stage = VERTEX } },
	{ "64-bit floats before those of a cube", SHADER(double_cube_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "64-bit integers before those of strips", SHADER(long_strips_geom), NULL,
	  { .stage = GEOMETRY } },
	{ "64-bit integers", SHADER(longs_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(2) } } },
	{ "layer and viewport of a vertex, and draw parameters", SHADER(viewports_vert), NULL,
	  { .stage = VERTEX } },
	{ "the view of a vertex", SHADER(views_vert), NULL, { .stage = VERTEX } },
	{ "the view of a fragment", SHADER(views_frag), NULL, { .stage = FRAGMENT } },
	{ "the view of a geometry shader", SHADER(views_geom), NULL, { .stage = GEOMETRY } },
	{ "the view of a tessellation control shader", SHADER(views_tesc), NULL,
	  { .stage = TESS_CTRL } },
	{ "the view of a tessellation evaluation shader", SHADER(views_tese), NULL,
	  { .stage = TESS_EVAL } },
	{ "viewports of a geometry shader", SHADER(viewports_geom), NULL, { .stage = GEOMETRY } },
	{ "votes and ballots", SHADER(subgroups_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "votes of vertices", SHADER(subgroups_vert), "capability SubgroupVoteKHR (4431)",
	  { .stage = VERTEX } },
	{ "a clock", SHADER(clock_frag), NULL, { .stage = FRAGMENT } },
	{ "a clock of the device", SHADER(device_clock_frag), NULL, { .stage = FRAGMENT } },
	{ "invocations at a distance", SHADER(distances_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "vertices at a distance", SHADER(distances_vert), "capability GroupNonUniform (61)",
	  { .stage = VERTEX } },
	{ "invocations that come together again", SHADER(together_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "floats that are exact", SHADER(exact_frag), NULL, { .stage = FRAGMENT } },
	{ "a stencil reference", SHADER(stencil_frag), NULL, { .stage = FRAGMENT } },
	{ "additions to floats", SHADER(float_atomics_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 2, .bindings = { SSBOS(1), IMAGE(0) } } },
	{ "the less and the greater of floats", SHADER(float_extrema_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 2, .bindings = { SSBOS(1), IMAGE(0) } } },
	{ "a sample mask after early tests", SHADER(post_depth_frag), NULL, { .stage = FRAGMENT } },
	{ "a barrier of a subgroup of fragments", SHADER(subgroup_barrier_frag), NULL,
	  { .stage = FRAGMENT } },
	{ "numbers of 8 and 16 bits", SHADER(small_comp), NULL,
	  { .stage = COMPUTE, .push_size = 6, .n_bindings = 2,
	    .bindings = { { 0, 1, 6 }, SSBOS(2) } } },
	{ "small push constants past the declared size", SHADER(small_comp), "push constants of 6",
	  { .stage = COMPUTE, .push_size = 5, .n_bindings = 2,
	    .bindings = { { 0, 1, 6 }, SSBOS(2) } } },
	{ "operations of subgroups", SHADER(group_operations_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "the memory model of Vulkan", SHADER(memory_model_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "a local size of constants", SHADER(size_constant_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "shared memory that begins with zeros", SHADER(shared_zeros_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "atomic operations on 64-bit integers", SHADER(long_atomics_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "dot products of integers", SHADER(dots_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "transform feedback", SHADER(feedback_vert), NULL, { .stage = VERTEX } },
	{ "transform feedback of many outputs", SHADER(feedback_array_vert),
	  "captures more than 128 scalars and vectors", { .stage = VERTEX } },
	{ "transform feedback of as many outputs as the host has", SHADER(feedback_full_vert), NULL,
	  { .stage = VERTEX } },
	{ "transform feedback of members", SHADER(block_vert), NULL, { .stage = VERTEX } },
	{ "transform feedback of an array of blocks", SHADER(feedback_blocks_vert), NULL,
	  { .stage = VERTEX } },
	{ "transform feedback of structures in a block", SHADER(feedback_nested_vert), NULL,
	  { .stage = VERTEX } },
	{ "push constants and shared memory of matrices", SHADER(push_matrices_comp), NULL,
	  { .stage = COMPUTE, .push_size = 96, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "push constants of matrices past the declared size", SHADER(push_matrices_comp),
	  "push constants of 96",
	  { .stage = COMPUTE, .push_size = 92, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	{ "matrices of doubles", SHADER(matrices_comp), NULL,
	  { .stage = COMPUTE, .n_bindings = 2, .bindings = { { 0, 1, 6 }, SSBOS(1) } } },
	{ "geometry shader", SHADER(geometry_geom), NULL, { .stage = GEOMETRY } },
	{ "geometry shader as another stage", SHADER(geometry_geom), "entry point",
	  { .stage = VERTEX } },
	{ "vertices of another stream", SHADER(streams_geom), NULL, { .stage = GEOMETRY } },
	{ "vertices in too many places", SHADER(many_emits_geom),
	  "more than 1048576 words and value constituents",
	  { .stage = GEOMETRY } },
	{ "texel buffers", SHADER(texels_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 2, .bindings = { TEXELS(0), TEXELS(31) } } },
	{ "texel buffer that is not declared", SHADER(texels_frag), "binding 82 is not declared",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { TEXELS(0) } } },
	{ "texel buffer declared as a texture", SHADER(texels_frag),
	  "binding 51 has 1 descriptors of VkDescriptorType 1",
	  { .stage = FRAGMENT, .n_bindings = 1,
	    .bindings = { { SUNDOG_BINDING_TEXELS0, 1, 1 } } } },
	{ "two texel buffers in a slot", SHADER(texels_frag),
	  "binding 82 has 2 descriptors of VkDescriptorType 4",
	  { .stage = FRAGMENT, .n_bindings = 1,
	    .bindings = { { SUNDOG_BINDING_TEXELS0 + 31, 2, 4 } } } },
	{ "storage texel buffer", SHADER(texel_image_frag),
	  "binding 51: 1 descriptors of VkDescriptorType 5",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { TEXELS(0) } } },
	{ "primitives, layers and a second source", SHADER(inputs_frag), NULL,
	  { .stage = FRAGMENT } },
	{ "a second source of another attachment", SHADER(second_location_frag),
	  "Index 1 at Location 1",
	  { .stage = FRAGMENT } },
	{ "tessellation control shader", SHADER(patch_tesc), NULL, { .stage = TESS_CTRL } },
	{ "a block of the patch", SHADER(patch_block_tesc), NULL, { .stage = TESS_CTRL } },
	{ "tessellation evaluation shader", SHADER(patch_tese), NULL, { .stage = TESS_EVAL } },
	{ "points of lines", SHADER(points_tese), NULL, { .stage = TESS_EVAL } },
	{ "control shader as an evaluation shader", SHADER(patch_tesc), "entry point",
	  { .stage = TESS_EVAL } },
	{ "tables of handles", SHADER(handles_comp), NULL, { .stage = COMPUTE, .push_size = 4 } },
	{ "different handles side by side", SHADER(handles_non_uniform_comp),
	  "capability ShaderNonUniform (5301)", { .stage = COMPUTE, .push_size = 4 } },
	{ "two tables of a kind", SHADER(handles_twice_comp),
	  "handle table at binding 3 has two variables", { .stage = COMPUTE, .push_size = 4 } },
	{ "atomic operations on a table without", SHADER(handles_atomic_comp),
	  "handle table at binding 35 does not allow atomic operations",
	  { .stage = COMPUTE, .push_size = 4 } },
	{ "specialisation constants, at their defaults", SHADER(specialisation_frag), NULL,
	  { .stage = FRAGMENT } },
};

/* Shaders on hosts that lack a feature. */
static const struct {
	struct test_case t;
	uint64_t feature;
} lacking[] = {
	{ { "storage buffer of a host without", SHADER(storage_buffer_frag),
	    "binding 34, which is reserved",
	    { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_COMPUTE },
	{ { "work group of a host without", SHADER(group_comp), "shader stage 5",
	    { .stage = COMPUTE } },
	  SUNDOG_FEATURE_COMPUTE },
	{ { "tessellation of a host without", SHADER(patch_tese), "shader stage 4",
	    { .stage = TESS_EVAL } },
	  SUNDOG_FEATURE_TESSELLATION },
	{ { "64-bit floats of a host without", SHADER(double_frag), "capability Float64 (10)",
	    { .stage = FRAGMENT } },
	  SUNDOG_FEATURE_FLOAT64 },
	{ { "residency of a host without", SHADER(sparse_frag), "capability SparseResidency (41)",
	    { .stage = FRAGMENT, .n_bindings = 3,
	      .bindings = { SAMPLER, SAMPLER_AT(1), SAMPLER_AT(2) } } },
	  SUNDOG_FEATURE_SPARSE_MEMORY },
	{ { "64-bit integers of a host without", SHADER(longs_comp), "capability Int64 (11)",
	    { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(2) } } },
	  SUNDOG_FEATURE_INT64 },
	{ { "device addresses of a host without", SHADER(addresses_comp),
	    "capability PhysicalStorageBufferAddresses (5347)",
	    { .stage = COMPUTE, .push_size = 28 } }, SUNDOG_FEATURE_ADDRESSES },
	{ { "samples of a host without", SHADER(samples_frag), "capability SampleRateShading (35)",
	    { .stage = FRAGMENT } },
	  SUNDOG_FEATURE_SAMPLE_SHADING },
	{ { "a texel at an offset that is not constant of a host without",
	    SHADER(texel_offset_frag), "Image Operand Offset can only be used with",
	    { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	  SUNDOG_FEATURE_TEXEL_OFFSETS },
	{ { "layer of a vertex of a host without", SHADER(viewports_vert),
	    "capability ShaderViewportIndexLayerEXT (5254)", { .stage = VERTEX } },
	  SUNDOG_FEATURE_SHADER_LAYER },
	{ { "votes and ballots of a host without", SHADER(subgroups_comp),
	    "capability GroupNonUniform (61)",
	    { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_SUBGROUPS },
	{ { "the view of a host without", SHADER(views_frag), "capability MultiView (4439)",
	    { .stage = FRAGMENT } },
	  SUNDOG_FEATURE_MULTIVIEW },
	{ { "numbers of 8 and 16 bits of a host without", SHADER(small_comp),
	    "capability Int16 (22)",
	    { .stage = COMPUTE, .push_size = 6, .n_bindings = 2,
	      .bindings = { { 0, 1, 6 }, SSBOS(2) } } },
	  SUNDOG_FEATURE_SMALL_NUMBERS },
	{ { "16-bit floats of a host without", SHADER(small_comp), "capability Float16 (9)",
	    { .stage = COMPUTE, .push_size = 6, .n_bindings = 2,
	      .bindings = { { 0, 1, 6 }, SSBOS(2) } } },
	  SUNDOG_FEATURE_FLOAT16 },
	{ { "operations of subgroups of a host without", SHADER(group_operations_comp),
	    "capability GroupNonUniformArithmetic (63)",
	    { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_GROUP_OPERATIONS },
	{ { "atomic operations on 64 bits of a host without", SHADER(long_atomics_comp),
	    "capability Int64Atomics (12)",
	    { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_INT64_ATOMICS },
	{ { "a clock of a host without", SHADER(clock_frag), "capability ShaderClockKHR (5055)",
	    { .stage = FRAGMENT } },
	  SUNDOG_FEATURE_SHADER_CLOCK },
	{ { "a clock of the device of a host without", SHADER(device_clock_frag),
	    "scope Device of OpReadClockKHR",
	    { .stage = FRAGMENT } }, SUNDOG_FEATURE_DEVICE_CLOCK },
	{ { "invocations at a distance of a host without", SHADER(distances_comp),
	    "capability GroupNonUniformShuffleRelative (66)",
	    { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_GROUP_DISTANCES },
	{ { "invocations that come together again of a host without", SHADER(together_comp),
	    "execution mode MaximallyReconvergesKHR (6023)",
	    { .stage = COMPUTE, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_RECONVERGENCE },
	{ { "floats that are exact of a host without", SHADER(exact_frag),
	    "capability SignedZeroInfNanPreserve (4466)", { .stage = FRAGMENT } },
	  SUNDOG_FEATURE_FLOAT_CONTROLS },
	{ { "a stencil reference of a host without", SHADER(stencil_frag),
	    "capability StencilExportEXT (5013)",
	    { .stage = FRAGMENT } }, SUNDOG_FEATURE_STENCIL_EXPORT },
	{ { "additions to floats of a host without", SHADER(float_atomics_comp),
	    "capability AtomicFloat32AddEXT (6033)",
	    { .stage = COMPUTE, .n_bindings = 2, .bindings = { SSBOS(1), IMAGE(0) } } },
	  SUNDOG_FEATURE_FLOAT_ATOMICS },
	{ { "the less of floats of a host without", SHADER(float_extrema_comp),
	    "capability AtomicFloat32MinMaxEXT (5612)",
	    { .stage = COMPUTE, .n_bindings = 2, .bindings = { SSBOS(1), IMAGE(0) } } },
	  SUNDOG_FEATURE_FLOAT_EXTREMA },
	{ { "the less of floats of a host without stores", SHADER(float_extrema_frag),
	    "stores and atomic operations in execution model Fragment",
	    { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_STORAGE },
	{ { "additions to floats of a host without stores", SHADER(float_adds_frag),
	    "stores and atomic operations in execution model Fragment",
	    { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SSBOS(1) } } },
	  SUNDOG_FEATURE_STORAGE },
	{ { "a sample mask after early tests of a host without", SHADER(post_depth_frag),
	    "capability SampleMaskPostDepthCoverage (4447)",
	    { .stage = FRAGMENT } }, SUNDOG_FEATURE_POST_DEPTH_COVERAGE },
	{ { "tables of handles of a host without", SHADER(handles_comp),
	    "(handle tables) needs the device feature BINDLESS",
	    { .stage = COMPUTE, .push_size = 4 } }, SUNDOG_FEATURE_BINDLESS },
	{ { "vertices of another stream of a host without", SHADER(streams_geom),
	    "Stream 1 needs the device feature STREAMS",
	    { .stage = GEOMETRY } }, SUNDOG_FEATURE_STREAMS },
	{ { "storage images of a host without", SHADER(storage_image_frag),
	    "binding 35, which is reserved",
	    { .stage = FRAGMENT, .n_bindings = 1, .bindings = { IMAGE(0) } } },
	  SUNDOG_FEATURE_COMPUTE },
	{ { "stores of a fragment shader of a host without", SHADER(stores_frag),
	    "stores and atomic operations in execution model Fragment",
	    { .stage = FRAGMENT, .n_bindings = 3,
	      .bindings = { SSBOS(2), IMAGE(0), STORAGE_TEXELS(0) } } },
	  SUNDOG_FEATURE_STORAGE },
	{ { "storage buffers that are read, of a host without stores", SHADER(reads_vert), NULL,
	    { .stage = VERTEX, .n_bindings = 1, .bindings = { SSBOS(16) } } },
	  SUNDOG_FEATURE_STORAGE },
};

/*
 * Shaders that compilers do not produce: one word is changed, @at words into the first instruction
 * @op whose word @key_at is @key.
 */
static const struct mutation {
	const char *name;
	const uint32_t *code;
	uint32_t words, stage, op, key_at, key, at, value;
	const char *refusal;
} mutations[] = {
#define FEEDBACK(decoration, value) \
	SHADER(feedback_vert), VERTEX, SpvOpDecorate, 2, SpvDecoration##decoration, 3, value
#define FRAGMENT_WORD(shader, decoration, value) \
	SHADER(shader), FRAGMENT, SpvOpDecorate, 2, SpvDecoration##decoration, 3, value
/* The gate's value of a missing decoration. */
#define UNSET "has the value 4294967295, which is reserved"
#define MODE(mode, at, value) \
	SHADER(geometry_geom), GEOMETRY, SpvOpExecutionMode, 2, SpvExecutionMode##mode, at, value
/* Size of a group dimension, which is a constant. */
#define GROUP(from, to) SHADER(group_comp), COMPUTE, SpvOpConstant, 3, from, 3, to
#define HANDLES(op, from, to) SHADER(handles_comp), COMPUTE, op, 3, from, 3, to
	{ "feedback into a fifth buffer", FEEDBACK(XfbBuffer, 4), "XfbBuffer 4 with" },
	{ "feedback with an odd stride", FEEDBACK(XfbStride, 30), "XfbStride 30" },
	{ "feedback without a stride", FEEDBACK(XfbStride, 0), "XfbStride 0" },
	{ "feedback with a stride too long", FEEDBACK(XfbStride, 2052), "XfbStride 2052" },
	{ "feedback with two strides", FEEDBACK(XfbStride, 32), "XfbStride 32 and 28" },
	{ "feedback past its stride", FEEDBACK(Offset, 24), "8 bytes at Offset 24" },
	{ "feedback at an odd offset", FEEDBACK(Offset, 2), "8 bytes at Offset 2" },
	{ "feedback far away", FEEDBACK(Offset, 0xfffffffc),
	  "8 bytes at Offset 4294967292" },
	{ "feedback at no offset", FEEDBACK(Offset, 0xffffffff), UNSET },
#define MEMBER(key, at, value) SHADER(block_vert), VERTEX, SpvOpMemberDecorate, 3, key, at, value
	{ "feedback of a member past its stride", MEMBER(SpvDecorationOffset, 4, 4),
	  "16 bytes at Offset 4 are not aligned, or exceed XfbStride 16" },
	{ "feedback of a member at an odd offset", MEMBER(SpvDecorationOffset, 4, 2),
	  "16 bytes at Offset 2" },
	{ "feedback of a member far away", MEMBER(SpvDecorationOffset, 4, 0xfffffff0),
	  "16 bytes at Offset 4294967280" },
	{ "feedback of the second block of an array into a fifth buffer",
	  SHADER(feedback_blocks_vert), VERTEX, SpvOpDecorate, 2, SpvDecorationXfbBuffer, 3, 3,
	  "XfbBuffer 4 with XfbStride 16" },
	{ "feedback of structures past their stride", SHADER(feedback_nested_vert), VERTEX,
	  SpvOpDecorate, 2, SpvDecorationXfbStride, 3, 88,
	  "76 bytes at Offset 16 are not aligned, or exceed XfbStride 88" },
	{ "feedback of a structure with 64 bits at four bytes", SHADER(feedback_nested_vert),
	  VERTEX, SpvOpMemberDecorate, 4, 16, 4, 12, "76 bytes at Offset 12" },
	{ "feedback of more structures", SHADER(feedback_nested_vert), VERTEX, SpvOpConstant, 3, 2,
	  3, 3, "116 bytes at Offset 16" },
	{ "feedback of a member at no offset", MEMBER(SpvDecorationOffset, 4, 0xffffffff), UNSET },
	{ "a component of a built-in member",
	  MEMBER(SpvDecorationOffset, 3, SpvDecorationComponent),
	  "Location or Component on members of OpTypeStruct" },
	{ "a matrix without end", SHADER(matrices_comp), COMPUTE, SpvOpMemberDecorate, 3,
	  SpvDecorationMatrixStride, 4, 64,
	  "MatrixStride 64" },
	{ "a member that begins twice", SHADER(block_vert), VERTEX, SpvOpMemberDecorate, 3,
	  SpvDecorationBuiltIn, 3,
	  SpvDecorationOffset, "decorated with Offset multiple times" },
	{ "feedback into no buffer", FEEDBACK(XfbBuffer, 0xffffffff), UNSET },
	{ "feedback with no stride", FEEDBACK(XfbStride, 0xffffffff), UNSET },
	{ "an output of no location", FEEDBACK(Location, 0xffffffff), UNSET },
	{ "no index", FRAGMENT_WORD(second_location_frag, Index, 0xffffffff), UNSET },
	{ "no descriptor set", FRAGMENT_WORD(stores_frag, DescriptorSet, 0xffffffff), UNSET },
	{ "no binding", FRAGMENT_WORD(stores_frag, Binding, 0xffffffff), UNSET },
	{ "an output of no stream", SHADER(streams_geom), GEOMETRY, SpvOpDecorate, 2,
	  SpvDecorationStream, 3,
	  0xffffffff, UNSET },
	{ "no built-in", SHADER(samples_frag), FRAGMENT, SpvOpDecorate, 2, SpvDecorationBuiltIn, 3,
	  0xffffffff,
	  "built-in Unknown (4294967295)" },
	{ "a table of another kind", HANDLES(SpvOpDecorate, 3, 4),
	  "handle table at binding 4 has an image type" },
	{ "a table of no kind", HANDLES(SpvOpDecorate, 3, 90),
	  "handle table at binding 90 has 4096 elements" },
	{ "a table in a set of no stage", HANDLES(SpvOpDecorate, 6, 7),
	  "DescriptorSet 7 in execution model GLCompute, which has set 5" },
	{ "a table that is too long", HANDLES(SpvOpConstant, 4096, 4097),
	  "handle table at binding 3 has 4097 elements" },
	{ "a second value of a decoration", SHADER(feedback_vert), VERTEX, SpvOpDecorate, 2,
	  SpvDecorationXfbStride, 2,
	  SpvDecorationXfbBuffer, "decorat" },
	{ "vertices of a geometry shader without end", MODE(OutputVertices, 3, 257),
	  "OutputVertices 257" },
	{ "no vertices of a geometry shader", MODE(OutputVertices, 3, 0),
	  "OutputVertices is 0 or declared twice" },
	{ "too many invocations", MODE(Invocations, 3, 33), "Invocations 33" },
#define TESC(mode, at, value) \
	SHADER(patch_tesc), TESS_CTRL, SpvOpExecutionMode, 2, SpvExecutionMode##mode, at, value
#define TESE(mode, at, value) \
	SHADER(patch_tese), TESS_EVAL, SpvOpExecutionMode, 2, SpvExecutionMode##mode, at, value
	{ "an output of a fifth stream", SHADER(streams_geom), GEOMETRY, SpvOpDecorate, 2,
	  SpvDecorationStream, 3, 4,
	  "Stream 4 needs" },
	{ "streams of lines", SHADER(streams_geom), GEOMETRY, SpvOpExecutionMode, 2,
	  SpvExecutionModeOutputPoints, 2,
	  SpvExecutionModeOutputLineStrip, "OutputPoints" },
	{ "vertices of a fifth stream", SHADER(streams_geom), GEOMETRY, SpvOpConstant, 3, 1, 3, 4,
	  "vertex stream 4" },
	{ "feedback of 64 bits at four bytes", SHADER(doubles_vert), VERTEX, SpvOpDecorate, 2,
	  SpvDecorationOffset, 3, 4,
	  "32 bytes at Offset 4" },
	{ "inputs of 64 bits past the last location", SHADER(doubles_vert), VERTEX, SpvOpDecorate,
	  3, 30, 3, 31,
	  "Location 31, 2 locations" },
	{ "a patch of too many vertices", TESC(OutputVertices, 3, 33),
	  "OutputVertices 33 exceeds the limit 32" },
	{ "a patch of no vertices", TESC(OutputVertices, 3, 0),
	  "OutputVertices is 0 or declared twice" },
	{ "a block of which a part is of the patch", SHADER(patch_block_tesc), TESS_CTRL,
	  SpvOpMemberDecorate, 3,
	  SpvDecorationPatch, 3, SpvDecorationFlat, "a block has members with and without Patch" },
	{ "two domains", TESE(VertexOrderCw, 2, SpvExecutionModeIsolines),
	  "at most one of Triangles" },
	{ "no domain", TESE(Quads, 2, SpvExecutionModePointMode),
	  "the domain, the spacing or the vertex order is missing" },
	{ "no spacing", TESE(SpacingFractionalOdd, 2, SpvExecutionModePointMode),
	  "the domain, the spacing or the vertex order is missing" },
	{ "no order", TESE(VertexOrderCw, 2, SpvExecutionModePointMode),
	  "the domain, the spacing or the vertex order is missing" },
	{ "a variable of the patch that is none", SHADER(patch_tese), TESS_EVAL, SpvOpDecorate, 2,
	  SpvDecorationPatch, 2,
	  SpvDecorationNoPerspective, "a variable has neither Patch" },
	{ "a group that is too wide", GROUP(8, 1025),
	  "local size 1025 of dimension 0 exceeds the limit 1024" },
	{ "a group that is too high", GROUP(4, 0xffffffff),
	  "local size 4294967295 of dimension 1 exceeds the limit 1024" },
	{ "a group of nothing", GROUP(4, 0), "product of zero" },
	{ "a group of too many", GROUP(4, 1024),
	  "16384 invocations of a workgroup exceed the limit 1024" },
	{ "inputs of larger primitives", SHADER(views_geom), GEOMETRY, SpvOpExecutionMode, 2,
	  SpvExecutionModeInputPoints,
	  2, SpvExecutionModeTriangles, "an array of 3 elements" },
};

/*
 * Assembled modules in the folder that is the program's argument, for code that compilers do not
 * produce.
 */
static const struct {
	const char *name, *file, *refusal;
	uint32_t stage;
} assembly[] = {
	{ "an atomic operation on a uniform block", "atomic-uniform",
	  "an atomic operation in storage class Uniform", FRAGMENT },
	{ "a constant of many elements", "null-array",
	  "more than 1048576 words and value constituents", FRAGMENT },
	{ "many constants of fewer elements", "null-arrays",
	  "more than 1048576 words and value constituents", FRAGMENT },
	{ "two entry points", "two-entries", "more than one OpEntryPoint", FRAGMENT },
	{ "recursion", "recursion", "levels deep, or recursive", FRAGMENT },
	{ "a built-in that is not offered", "builtin", "built-in VertexId (5)", FRAGMENT },
	{ "the index of an invocation of no group", "invocation-fragment",
	  "LocalInvocationIndex in execution model Fragment", FRAGMENT },
	{ "an index of an invocation that is a vector", "invocation-vector",
	  "LocalInvocationIndex in execution model GLCompute, of OpTypeVector", COMPUTE },
	{ "an index of an invocation that is long", "invocation-long",
	  "LocalInvocationIndex in execution model GLCompute, of OpTypeInt", COMPUTE },
	{ "an index of an invocation that is a member", "invocation-member",
	  "built-in LocalInvocationIndex on a struct member", COMPUTE },
	{ "an index of an invocation that is made", "invocation-output",
	  "LocalInvocationIndex in execution model Vertex", VERTEX },
	{ "a decoration that is not offered", "decoration", "decoration Uniform (26)", FRAGMENT },
	{ "an extension that is not offered", "extension",
	  "extension SPV_AMD_gcn_shader is not supported (pass scan, word 7: OpExtension)",
	  FRAGMENT },
	{ "an array whose length is computed", "length-operation",
	  "a pointer of storage class Private leads to a type of more than", FRAGMENT },
	{ "a barrier of a subgroup of a patch", "barrier-patch",
	  "execution scope Subgroup of OpControlBarrier", TESS_CTRL },
	{ "a side of a group that is a constant, and too long", "size-long",
	  "local size 1025 of dimension 0 exceeds the limit 1024", COMPUTE },
	{ "a local size of constants, and of numbers", "size-twice",
	  "LocalSize or LocalSizeId is declared twice", COMPUTE },
	{ "an output of 16 bits", "output-short",
	  "an Input or Output variable has components of less than 32 bits", VERTEX },
	{ "a texture at a place of 16 bits", "texture-half", "an image instruction has 16 bits",
	  FRAGMENT },
	{ "the size of a texture in 16 bits", "query-short", "an image instruction has 16 bits",
	  FRAGMENT },
	{ "a long product of short numbers", "long-product", "integers that are not 32 bits wide",
	  COMPUTE },
	{ "a shuffle with a long number", "shuffle-long",
	  "the number of a sample or invocation is not a 32-bit integer", COMPUTE },
	{ "a sum that does not wrap around", "decoration-wrap", "extension SPV_KHR_no_integer_wrap",
	  COMPUTE },
	{ "a group size beside the local size", "two-sizes",
	  "local size 65536 of dimension 0 exceeds the limit 1024", COMPUTE },
	{ "no group size", "no-size", "either the LocalSize", COMPUTE },
	{ "many blocks of push constants", "push-many", "more than 64 PushConstant variables",
	  FRAGMENT },
	{ "shared memory with an initial value", "shared-initial", "nitial", COMPUTE },
	{ "shared memory with a short stride", "shared-stride",
	  "exceed the limit of 32768 bytes", COMPUTE },
	{ "an image out of a loaded array", "image-composite",
	  "the result of OpLoad is an array of images", COMPUTE },
	{ "barriers as often as the invocation wants", "branch-barrier",
	  "not all invocations reach the same OpControlBarrier",
	  TESS_CTRL },
	{ "a barrier after a return", "returned-barrier",
	  "not all invocations reach the same OpControlBarrier", TESS_CTRL },
	{ "a barrier behind its construct", "ahead-barrier",
	  "not all invocations reach the same OpControlBarrier", TESS_CTRL },
	{ "a barrier that a loop begins with", "loop-barrier",
	  "not all invocations reach the same OpControlBarrier", TESS_CTRL },
	{ "a return behind the barrier it is before", "behind-return",
	  "not all invocations reach the same OpControlBarrier",
	  TESS_CTRL },
	{ "a barrier in a function", "function-barrier",
	  "not all invocations reach the same OpControlBarrier", TESS_CTRL },
	{ "a control shader of no vertices", "no-vertices", "OutputVertices is missing",
	  TESS_CTRL },
	{ "a sample mask of many words", "sample-mask", "SampleMask has 7 elements", FRAGMENT },
	{ "64 bits in the last component", "component-double", "omponent", VERTEX },
	{ "a vector past the last component", "component-vector", "omponent", VERTEX },
	{ "all textures of a table at once", "handles-all",
	  "the result of OpLoad is an array of images", FRAGMENT },
	{ "an atomic operation on 64 bits", "atomic-double",
	  "an atomic operation on a value that is not a 32-bit", COMPUTE },
	{ "an invocation with a long number", "read-invocation",
	  "the number of a sample or invocation is not a 32-bit integer", COMPUTE },
	{ "an invocation at a long distance", "distance-long",
	  "the distance of OpGroupNonUniformShuffleDown is not a 32-bit integer", COMPUTE },
	{ "a rotation by a distance with a sign", "distance-signed", "Delta must be", COMPUTE },
	{ "clusters of a size that is computed", "cluster-number", "ClusterSize must", COMPUTE },
	{ "clusters of three", "cluster-odd", "power of 2", COMPUTE },
	{ "small floats that become zero", "float-flush", "capability DenormFlushToZero (4465)",
	  COMPUTE },
	{ "what is to be assumed", "assumption", "capability ExpectAssumeKHR (5629)", COMPUTE },
	{ "a stencil reference of floats", "stencil-float", "is not an int scalar", FRAGMENT },
	{ "an index of the stencil reference", "index-stencil",
	  "Index 1 on a variable that is not a color output", FRAGMENT },
	{ "an index of the depth", "index-depth",
	  "Index 1 on a variable that is not a color output", FRAGMENT },
	{ "an index of the sample mask", "index-mask",
	  "Index 1 on a variable that is not a color output", FRAGMENT },
	{ "an index of an array of colours", "index-array", "Index 1 at Location 0, 2 locations",
	  FRAGMENT },
	{ "an index that looks like none", "index-unset",
	  "has the value 4294967295, which is reserved", FRAGMENT },
	{ "a texture at a place of 64 bits", "texture-double", "an image instruction has 64 bits",
	  FRAGMENT },
	{ "texels at a place of 64 bits", "texel-long", "an image instruction has 64 bits",
	  FRAGMENT },
	{ "a texture at a level of 64 bits", "level-double", "an image instruction has 64 bits",
	  FRAGMENT },
	{ "a residency of 64 bits", "sparse-long", "an image instruction has 64 bits", FRAGMENT },
	{ "a pointer that is none", "undef-pointer", "OpUndef makes a pointer", COMPUTE },
	{ "primitives of more than 64 MiB", "many-outputs", "a primitive may become", GEOMETRY },
	{ "an address where there are none", "address-logical",
	  "needs addressing model PhysicalStorageBuffer64", COMPUTE },
	{ "the length of an array at an address", "address-length",
	  "OpArrayLength of a PhysicalStorageBuffer pointer", COMPUTE },
	{ "a choice of pointers", "address-select", "OpSelect makes a pointer", COMPUTE },
	{ "a pointer that is null", "address-null", "OpConstantNull makes a pointer", COMPUTE },
	{ "an element of a pointer", "address-element", "OpPtrAccessChain Base operand", COMPUTE },
	{ "a pointer as a number", "address-number", "Pointer storage class must be", COMPUTE },
	{ "a pointer to a pointer", "address-pointer", "a pointer to a pointer of", COMPUTE },
	{ "a struct with a pointer", "address-member", "OpTypeStruct contains a pointer", COMPUTE },
	{ "an address as an input", "address-input",
	  "an Input or Output variable contains a pointer", FRAGMENT },
	{ "too much at an address", "address-large", "bytes exceeds the limit 2147483648",
	  COMPUTE },
	{ "a matrix at an address, without a stride", "address-matrix",
	  "a matrix has no MatrixStride", COMPUTE },
	{ "an array with a long length", "long-length",
	  "leads to a type of more than 262144 constituents", COMPUTE },
	{ "feedback at the offset of a type", "feedback-type", "Offset 65536 decorates a type",
	  VERTEX },
	{ "feedback of a member with two strides", "feedback-strides",
	  "decorated with XfbStride multiple times", VERTEX },
	{ "feedback of a member past the stride of the member", "feedback-member-end",
	  "16 bytes at Offset 8 are not aligned, or exceed XfbStride 20", VERTEX },
	{ "an input of a compute shader", "interface-compute",
	  "an interface variable has no Location or BuiltIn", COMPUTE },
};

/* A set with samplers, images and buffers, and one with fewer elements. */
static const struct sundog_set_binding set_bindings[] = {
	{ 0, VK_DESCRIPTOR_TYPE_SAMPLER, 2 }, { 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3 },
	{ 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 },
	{ 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
};
static const struct sundog_set_binding less_bindings[] = {
	{ 0, VK_DESCRIPTOR_TYPE_SAMPLER, 1 }, { 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3 },
	{ 2, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1 }, { 3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 },
};
static const struct sundog_set_binding mutable_bindings[] = {
	{ 0, SUNDOG_MUTABLE_TYPE, 1 }, { 1, SUNDOG_MUTABLE_TYPE, 1 }, { 2, SUNDOG_MUTABLE_TYPE, 1 },
};
static const struct sundog_set_binding pointer_bindings[] = {
	{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 }, { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
	{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 }, { 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
	{ 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 },
};
static const struct sundog_set_binding dynamic_bindings[] = {
	{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2 }, { 1, VK_DESCRIPTOR_TYPE_SAMPLER, 1 },
	{ 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1 },
	{ 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1 },
};
/* Binding numbers may be sparse. */
static const struct sundog_set_binding far_bindings[] = {
	{ 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 }, { 1000000, VK_DESCRIPTOR_TYPE_SAMPLER, 1 },
};
static const struct gate_layout pointer_layout = { 1, { { 5, pointer_bindings } }, 0 };
static const struct gate_layout set_layout = { 1, { { 4, set_bindings } }, 0 };
static const struct gate_layout mutable_layout = { 1, { { 3, mutable_bindings } }, 0 };
static const struct gate_layout less_layout = { 1, { { 4, less_bindings } }, 0 };
static const struct gate_layout few_layout = { 1, { { 2, set_bindings } }, 0 };

/* Shaders with a layout. @file: an assembled module. */
static const struct set_case {
	const char *name, *file;
	const uint32_t *code;
	uint32_t words, stage;
	const struct gate_layout *layout;
	const char *refusal;
} set_cases[] = {
	{ "blocks that are alike", NULL, SHADER(alike_blocks_comp), COMPUTE, &pointer_layout,
	  NULL },
	{ "images and samplers that are apart", NULL, SHADER(samplers_frag), FRAGMENT, &set_layout,
	  NULL },
	{ "those of slots", NULL, SHADER(samplers_frag), FRAGMENT, NULL,
	  "a descriptor of type OpTypeImage is not supported" },
	{ "more samplers than the layout has", NULL, SHADER(samplers_frag), FRAGMENT, &less_layout,
	  "the pipeline layout has" },
	{ "two kinds of a combined image", NULL, SHADER(sampler_kinds_frag), FRAGMENT, &set_layout,
	  "images differ in Dim, Arrayed, MS or Sampled Type" },
	{ "bindings of any type", NULL, SHADER(mutable_comp), COMPUTE, &mutable_layout, NULL },
	{ "two types at one of them", NULL, SHADER(mutable_two_comp), COMPUTE, &mutable_layout,
	  "variables of VkDescriptorType 7 and 2" },
	{ "a call, and a merge block that cannot be reached", "unreachable-merge", NULL, 0, COMPUTE,
	  &set_layout, NULL },
	{ "a pointer of a loop with a return, behind the loop", "chain-behind-return", NULL, 0,
	  COMPUTE, &set_layout, NULL },
	{ "a storage buffer of old", "buffer-block", NULL, 0, COMPUTE, &set_layout, NULL },
	{ "one that is not in the layout", "buffer-block", NULL, 0, COMPUTE, &less_layout,
	  "binding 3: 1 descriptors of VkDescriptorType 7" },
	{ "a sampler that is none", "sampler-none", NULL, 0, FRAGMENT, &set_layout,
	  "OpUndef of a pointer, image or sampler" },
	{ "a sampler out of a loaded array", "sampler-array", NULL, 0, FRAGMENT, &set_layout,
	  "the result of OpLoad is an array of images" },
	{ "a sampler out of an array that is none", "sampler-array-none", NULL, 0, FRAGMENT,
	  &set_layout,
	  "OpUndef of a pointer, image or sampler" },
	{ "a sampler out of an array that was made", "sampler-array-made", NULL, 0, FRAGMENT,
	  &set_layout,
	  "OpCompositeConstruct of images" },
	{ "pointers to as many places as may be", "pointer-places", NULL, 0, COMPUTE, &set_layout,
	  NULL },
	{ "pointers to one place more", "pointer-many", NULL, 0, COMPUTE, &set_layout,
	  "more than 63 targets" },
	{ "pointers that come from nowhere", "pointer-nowhere", NULL, 0, COMPUTE, &set_layout,
	  NULL },
	{ "pointers to addresses", "pointer-address", NULL, 0, COMPUTE, &set_layout, NULL },
	{ "a pointer of many access chains", "pointer-chains", NULL, 0, COMPUTE, &set_layout,
	  NULL },
	{ "a pointer through many variables", "pointer-variables", NULL, 0, COMPUTE, &set_layout,
	  "no fixed point after 64 rounds" },
	{ "a choice of variables", "pointer-function", NULL, 0, COMPUTE, &set_layout,
	  "pointers with OpSelect" },
	{ "a pointer in shared memory", "pointer-shared", NULL, 0, COMPUTE, &set_layout,
	  "must be in Function or Private" },
	{ "a pointer in a buffer", "pointer-buffer", NULL, 0, COMPUTE, &set_layout,
	  "leads to a pointer" },
	{ "a mesh shader", NULL, SHADER(meshes_mesh), MESH, &set_layout, NULL },
	{ "a task shader", NULL, SHADER(tasks_task), TASK, &set_layout, NULL },
	{ "a payload that is too large", NULL, SHADER(large_payload_task), TASK, &set_layout,
	  "the task payload has 16388 bytes" },
	{ "shared memory of too many parts", NULL, SHADER(shared_parts_task), TASK, &set_layout,
	  "Workgroup variables have 1536 scalars" },
	{ "a mesh shader as a task shader", NULL, SHADER(meshes_mesh), TASK, &set_layout,
	  "entry point, main of execution model TaskEXT" },
	{ "a part of a vertex", NULL, SHADER(part_of_vertex_mesh), MESH, &set_layout,
	  "OpAccessChain selects a vector component" },
	{ "a payload with numbers of 64 bits", NULL, SHADER(long_payload_task), TASK, &set_layout,
	  NULL },
	{ "outputs of a mesh shader with numbers of 64 bits", NULL, SHADER(double_mesh_mesh), MESH,
	  &set_layout, NULL },
	{ "arrays of 64-bit numbers from a mesh shader", NULL, SHADER(double_array_mesh), MESH,
	  &set_layout, "64-bit components in an array" },
	{ "a 64-bit number in a struct from a mesh shader", NULL, SHADER(double_struct_mesh), MESH,
	  &set_layout, "64-bit components in an array" },
	{ "views of meshes", NULL, SHADER(views_mesh_mesh), MESH, &set_layout,
	  "execution model MeshEXT has no inputs" },
	{ "more vertices than there may be", "mesh-many", NULL, 0, MESH, &set_layout,
	  "OutputVertices 257" },
	{ "a group of a mesh that is too large", "mesh-group", NULL, 0, MESH, &set_layout,
	  "local size 1025" },
	{ "outputs of more vertices than are declared", "mesh-long", NULL, 0, MESH, &set_layout,
	  "an array of 4 elements" },
	{ "outputs of fewer vertices than are declared", "mesh-short", NULL, 0, MESH, &set_layout,
	  "an array of 4 elements" },
	{ "vertices that are primitives to the host", "mesh-nested", NULL, 0, MESH, &set_layout,
	  "an array of 2 elements" },
	{ "indices in a block", "mesh-indices-block", NULL, 0, MESH, &set_layout,
	  "built-in PrimitiveTriangleIndicesEXT on a struct member" },
	{ "an output of all vertices", "mesh-flat", NULL, 0, MESH, &set_layout,
	  "an array of 4 elements" },
	{ "vertices and primitives at one location", "mesh-places", NULL, 0, MESH, &set_layout,
	  "both per-vertex and PerPrimitiveEXT outputs" },
	{ "vertices and primitives in one block", "mesh-members", NULL, 0, MESH, &set_layout,
	  "per-vertex and PerPrimitiveEXT members" },
	{ "indices with an initial value", "mesh-initial", NULL, 0, MESH, &set_layout,
	  "and no initializer" },
	{ "an output that is read", "mesh-read", NULL, 0, MESH, &set_layout,
	  "OpLoad from an Output variable" },
	{ "a store of all indices", "mesh-all", NULL, 0, MESH, &set_layout,
	  "OpStore writes more than one element" },
	{ "indices that are there twice", "mesh-twice", NULL, 0, MESH, &set_layout,
	  "duplicate output" },
	{ "indices of other primitives", "mesh-lines", NULL, 0, MESH, &set_layout, "" },
	{ "no primitives", "mesh-none", NULL, 0, MESH, &set_layout, "" },
	{ "an input of a mesh shader", "mesh-input", NULL, 0, MESH, &set_layout,
	  "execution model MeshEXT has no inputs" },
	{ "distances of primitives", "mesh-distances", NULL, 0, MESH, &set_layout,
	  "a per-vertex built-in" },
	{ "a block of distances of primitives", "mesh-distances-block", NULL, 0, MESH, &set_layout,
	  "a per-vertex built-in" },
	{ "squares of a mesh shader's group", "mesh-squares", NULL, 0, MESH, &set_layout,
	  "capability ComputeDerivativeGroupQuadsKHR (5288)" },
	{ "an output of patches of a mesh shader", "mesh-patch", NULL, 0, MESH, &set_layout,
	  "Patch is not supported in execution model MeshEXT" },
	{ "an output of patches of a vertex shader", "vertex-patch", NULL, 0, VERTEX, &set_layout,
	  "Patch is not supported in execution model Vertex" },
	{ "an input of patches of a fragment shader", "fragment-patch", NULL, 0, FRAGMENT,
	  &set_layout, "Patch is not supported in execution model Fragment" },
	{ "pointers into one that the layout has not", "vk-pointers", NULL, 0, COMPUTE, &set_layout,
	  "binding 0: 1 descriptors of VkDescriptorType 7" },
};

/*
 * Arrays of descriptors without a length, and indices that differ between invocations (NonUniform).
 */
static const struct indexing_case {
	struct set_case set;
	uint64_t lacks;			/* missing features of the host */
	uint32_t differ;		/* indices that the gate has to handle as non-uniform */
} indexing_cases[] = {
	{ { "arrays without a length", NULL, SHADER(indexing_frag), FRAGMENT, &set_layout, NULL },
	  0, 3 },
	{ { "such arrays of slots", NULL, SHADER(indexing_frag), FRAGMENT, NULL,
	    "capability ShaderNonUniform (5301)" },
	  0, 0 },
	{ { "such arrays on a host without them", NULL, SHADER(indexing_frag), FRAGMENT,
	    &set_layout, "capability ShaderNonUniform (5301)" },
	  SUNDOG_FEATURE_DESCRIPTOR_INDEXING, 0 },
	{ { "a mesh shader on a host without", NULL, SHADER(meshes_mesh), MESH, &set_layout,
	    "shader stage 7 is reserved" },
	  SUNDOG_FEATURE_MESH_SHADERS, 0 },
	{ { "a long mesh shader", NULL, SHADER(long_mesh), MESH, &set_layout, NULL }, 0, 0 },
	{ { "a mesh shader with a device index and a device address", NULL, SHADER(device_mesh),
	    MESH, &set_layout, NULL }, 0, 0 },
	{ { "distances that are not arrays", "distances-flat", NULL, 0, TESS_CTRL, &set_layout,
	    "ClipDistance or CullDistance is not an array" }, 0, 0 },
	{ { "the point size of another vertex", "point-sizes", NULL, 0, TESS_CTRL, &set_layout,
	    NULL }, 0, 0 },
	{ { "subgroups of a mesh shader", NULL, SHADER(groups_mesh), MESH, &set_layout, NULL }, 0,
	  0 },
	{ { "subgroups of a mesh shader on a host without", NULL, SHADER(groups_mesh), MESH,
	    &set_layout, "capability GroupNonUniform (61)" },
	  SUNDOG_FEATURE_MESH_SUBGROUPS, 0 },
	{ { "such arrays of another type", NULL, SHADER(indexing_frag), FRAGMENT, &less_layout,
	    "the pipeline layout has" }, 0, 0 },
	{ { "such arrays that are not in the layout", NULL, SHADER(indexing_frag), FRAGMENT,
	    &few_layout,
	    "OpTypeRuntimeArray can only appear" }, 0, 0 },
	{ { "derivatives of a group", "derivatives", NULL, 0, COMPUTE, &set_layout, NULL }, 0, 0 },
	{ { "derivatives on a host without them", "derivatives", NULL, 0, COMPUTE, &set_layout,
	    "capability ComputeDerivativeGroupQuadsKHR (5288)" },
	  SUNDOG_FEATURE_GROUP_DERIVATIVES, 0 },
	{ { "squares of an odd group", "derivatives-odd", NULL, 0, COMPUTE, &set_layout,
	    "DerivativeGroupQuadsKHR needs even local sizes" }, 0, 0 },
	{ { "rows of an odd group", "derivatives-row", NULL, 0, COMPUTE, &set_layout,
	    "DerivativeGroupLinearKHR needs a multiple of 4" }, 0, 0 },
	{ { "all of many buffers", "buffers-loaded", NULL, 0, COMPUTE, &set_layout,
	    "an array of more than 64 blocks" },
	  0, 0 },
};

static bool passes_on(const struct sundog_caps *caps,
		      const struct sundog_cmd_create_shader *interface,
		      const uint32_t *code, uint32_t words, char *why, size_t why_size)
{
	struct sundog_cmd_create_shader cmd = *interface;
	struct gate_module module;
	bool passed;

	cmd.n_dwords = words;
	snprintf(why, why_size, "it passes");
	passed = gate_shader(&cmd, code, caps, &module, why, why_size);
	free(module.code);
	return passed;
}

static bool passes(const struct sundog_cmd_create_shader *interface, const uint32_t *code,
		   uint32_t words,
		   char *why, size_t why_size)
{
	return passes_on(&gate_caps, interface, code, words, why, why_size);
}

static bool run(const struct test_case *t, uint64_t lacks)
{
	struct sundog_caps caps = gate_caps;
	char why[256] = "";
	bool passed;

	caps.features &= ~lacks;
	passed = passes_on(&caps, &t->cmd, t->code, t->words, why, sizeof(why));
	if (passed == !t->refusal && (passed || strstr(why, t->refusal)))
		return true;
	printf("# %s\n", why);
	return false;
}

static bool run_mutation(const struct mutation *m)
{
	const struct sundog_cmd_create_shader cmd = { .stage = m->stage };
	uint32_t *code = malloc(m->words * sizeof(*code)), at = 5;
	char why[256] = "there is no such instruction";
	bool ok = false;

	if (!code)
		return false;
	memcpy(code, m->code, m->words * sizeof(*code));
	while (at < m->words && ((code[at] & 0xffff) != m->op || code[at + m->key_at] != m->key))
		at += code[at] >> 16;
	if (at < m->words) {
		code[at + m->at] = m->value;
		ok = !passes(&cmd, code, m->words, why, sizeof(why)) && strstr(why, m->refusal);
	}
	if (!ok)
		printf("# %s\n", why);
	free(code);
	return ok;
}

static bool run_assembly(const char *folder, const char *file, const char *refusal, uint32_t stage)
{
	const struct sundog_cmd_create_shader cmd = {
		.stage = stage, .push_size = 8, .n_bindings = 4,
		.bindings = { { 0, 1, 6 }, SSBOS(16), IMAGE(0), SAMPLER },
	};
	uint32_t code[MAX_ASSEMBLED];
	const uint32_t words = gate_load(folder, file, code);
	char why[256] = "no file";

	if (words && !passes(&cmd, code, words, why, sizeof(why)) && strstr(why, refusal))
		return true;
	printf("# %s\n", why);
	return false;
}

/* Returns the number of instructions @op in a module. */
static uint32_t count_op(const struct gate_module *module, uint32_t op)
{
	uint32_t n = 0;

	for (size_t at = 5; module->code && at < module->words; at += module->code[at] >> 16)
		n += (module->code[at] & 0xffff) == op;
	return n;
}

static bool run_set_case(const char *folder, const struct set_case *t, uint64_t lacks,
			 uint32_t differ)
{
	struct sundog_caps caps = gate_caps;
	struct sundog_cmd_create_shader cmd = { .stage = t->stage, .n_dwords = t->words };
	uint32_t assembled[MAX_ASSEMBLED];
	char why[256] = "it passes";
	struct gate_module module;
	bool passed;

	if (t->file)
		cmd.n_dwords = gate_load(folder, t->file, assembled);
	caps.features &= ~lacks;
	passed = gate_layout_shader(&cmd, t->file ? assembled : t->code, &caps, t->layout, &module,
				    why, sizeof(why));
	if (count_op(&module, SpvOpBitwiseXor) != differ) {
		printf("# %u indices were made different\n", count_op(&module, SpvOpBitwiseXor));
		passed = false;
	}
	free(module.code);
	free(module.descriptors);
	if (passed == !t->refusal && (passed || strstr(why, t->refusal)))
		return true;
	printf("# %s\n", why);
	return false;
}

/*
 * Returns the value of the only decoration @what in a module, or UINT32_MAX if there is not exactly
 * one.
 */
static uint32_t decoration(const struct gate_module *module, uint32_t what)
{
	uint32_t value = UINT32_MAX, n = 0;

	for (size_t at = 5; module->code && at < module->words; at += module->code[at] >> 16)
		if ((module->code[at] & 0xffff) == SpvOpDecorate && module->code[at + 2] == what) {
			value = module->code[at + 3];
			n++;
		}
	return n == 1 ? value : UINT32_MAX;
}

/*
 * Returns true if the gate moves a variable at binding 3 of set 0 of @layout to @binding of @set of
 * the host, while the descriptors that draws look at keep the original place.
 */
static bool moves_to(const char *folder, struct gate_layout layout, uint32_t set, uint32_t binding)
{
	struct sundog_cmd_create_shader cmd = { .stage = COMPUTE };
	uint32_t code[MAX_ASSEMBLED];
	struct gate_module module;
	char why[256] = "";
	bool ok;

	cmd.n_dwords = gate_load(folder, "buffer-block", code);
	ok = gate_layout_shader(&cmd, code, &gate_caps, &layout, &module, why, sizeof(why)) &&
	     module.n_descriptors == 1 && !module.descriptors[0].set &&
	     module.descriptors[0].binding == 3 &&
	     decoration(&module, SpvDecorationDescriptorSet) == set &&
	     decoration(&module, SpvDecorationBinding) == binding;
	if (!ok)
		printf("# %s\n", why);
	free(module.code);
	free(module.descriptors);
	return ok;
}

/*
 * The gate moves dynamic buffers to the host's set for them and numbers them there. Other variables
 * keep their set.
 */
static bool moves_dynamic(const char *folder)
{
	const struct gate_layout_set dynamic = { 4, dynamic_bindings }, plain = { 4, set_bindings };

	return moves_to(folder, (struct gate_layout){ 2, { dynamic, plain }, 2 }, 2, 2) &&
	       moves_to(folder, (struct gate_layout){ 2, { dynamic, plain }, 0 }, 0, 3) &&
	       moves_to(folder, (struct gate_layout){ 2, { plain, dynamic }, 2 }, 0, 3);
}

/* Other variables are numbered by their index among the bindings of their set. */
static bool moves_far(const char *folder)
{
	const struct gate_layout_set far = { 2, far_bindings }, plain = { 4, set_bindings };

	return moves_to(folder, (struct gate_layout){ 1, { far }, 0 }, 0, 0) &&
	       moves_to(folder, (struct gate_layout){ 2, { plain, far }, 0 }, 0, 3);
}

/* A module must not name the host's set for dynamic buffers. */
static bool hides_dynamic_set(const char *folder)
{
	const struct gate_layout layout = { 1, { { 4, dynamic_bindings } }, 1 };
	struct sundog_cmd_create_shader cmd = { .stage = COMPUTE };
	uint32_t code[MAX_ASSEMBLED];
	struct gate_module module;
	char why[256] = "it passes";
	bool ok;

	cmd.n_dwords = gate_load(folder, "buffer-block", code);
	for (size_t at = 5; at < cmd.n_dwords; at += code[at] >> 16)
		if ((code[at] & 0xffff) == SpvOpDecorate &&
		    code[at + 2] == SpvDecorationDescriptorSet)
			code[at + 3] = 1;
	ok = !gate_layout_shader(&cmd, code, &gate_caps, &layout, &module, why, sizeof(why)) &&
	     strstr(why, "the pipeline layout has no binding 3 in set 1");
	if (!ok)
		printf("# %s\n", why);
	free(module.code);
	free(module.descriptors);
	return ok;
}

/* A mesh shader without OpSetMeshOutputsEXT gets one at its start that sets no outputs. */
static bool says_nothing_is_made(void)
{
	const struct sundog_cmd_create_shader cmd = { .stage = MESH,
						      .n_dwords = sizeof(silent_mesh_mesh) / 4 };
	struct gate_module module;
	char why[256];
	bool ok;

	if (!gate_layout_shader(&cmd, silent_mesh_mesh, &gate_caps, &set_layout, &module, why,
				sizeof(why))) {
		printf("# %s\n", why);
		return false;
	}
	ok = count_op(&module, SpvOpSetMeshOutputsEXT) == 1 &&
	     count_op(&module, SpvOpControlBarrier) == 1;
	free(module.code);
	free(module.descriptors);
	return ok;
}

/* The host lays out payloads with gaps for alignment only. The gate must compute the same size. */
static bool knows_payloads(void)
{
	const struct sundog_cmd_create_shader cmd = { .stage = MESH,
						      .n_dwords = sizeof(meshes_mesh) / 4 };
	struct gate_module module;
	char why[256];
	uint32_t bytes;

	if (!gate_layout_shader(&cmd, meshes_mesh, &gate_caps, &set_layout, &module, why,
				sizeof(why)))
		return false;
	bytes = module.payload_bytes;
	free(module.code);
	free(module.descriptors);
	if (bytes != 4 + 2 * (4 + 12 + 24 + 24))
		printf("# %u bytes\n", bytes);
	return bytes == 4 + 2 * (4 + 12 + 24 + 24);
}

/* Returns true if the gate accepts a mesh shader and reports whether it writes PrimitiveId. */
static bool reports_number(const uint32_t *code, size_t words, bool writes)
{
	const struct sundog_cmd_create_shader cmd = { .stage = MESH, .n_dwords = words };
	struct gate_module module;
	char why[256];

	if (!gate_layout_shader(&cmd, code, &gate_caps, &set_layout, &module, why, sizeof(why)))
		return false;
	free(module.code);
	free(module.descriptors);
	return module.writes_primitive_id == writes;
}

/* A refusal goes to logs, so it must not contain control characters of the module. */
static bool quotes_safely(const char *folder)
{
	const struct sundog_cmd_create_shader cmd = { .stage = FRAGMENT };
	uint32_t code[MAX_ASSEMBLED];
	const uint32_t words = gate_load(folder, "hostile-names", code);
	char why[1024] = "no file";
	bool ok;

	/* The assembly has these characters in place of an escape and a newline. */
	for (char *at = (char *)code; at < (char *)(code + words); at++)
		*at = *at == '$' ? '\033' : *at == '|' ? '\n' : *at;
	ok = words && !passes(&cmd, code, words, why, sizeof(why)) && strstr(why, "[2J");
	for (const char *at = why; *at; at++)
		ok &= *at >= ' ' && *at <= '~';
	if (!ok)
		printf("# %s\n", why);
	return ok;
}

/* The gate adds clamps: a module with a dynamic index must have grown. */
static bool grew(void)
{
	struct sundog_cmd_create_shader cmd = { .stage = FRAGMENT,
						.n_dwords = sizeof(dynamic_index_frag) / 4 };
	struct gate_module module;
	char why[256];
	bool ok = gate_shader(&cmd, dynamic_index_frag, &gate_caps, &module, why, sizeof(why)) &&
		  module.words > cmd.n_dwords;

	free(module.code);
	return ok;
}

/*
 * The gate knows the place of an element at a constant index. It clamps to the bound range only if
 * 31 bits may be exceeded.
 */
static bool knows_constant_places(void)
{
	struct sundog_cmd_create_shader cmd = { .stage = COMPUTE,
						.n_dwords = sizeof(constant_index_comp) / 4,
						.n_bindings = 1, .bindings = { SSBOS(1) } };
	struct gate_module module;
	uint32_t places = 0, clamps = 0;
	char why[256] = "";
	const bool passes = gate_shader(&cmd, constant_index_comp, &gate_caps, &module, why,
					sizeof(why));

	for (size_t at = 5; passes && at < module.words; at += module.code[at] >> 16) {
		const uint32_t *in = module.code + at;

		if ((*in & 0xffff) != SpvOpExtInst || in[4] != GLSLstd450UClamp)
			continue;
		places += in[5] == in[7];
		clamps += in[5] != in[7];
	}
	free(module.code);
	if (places != 2 || clamps != 2)
		printf("# %u places, %u clamps %s\n", places, clamps, why);
	return places == 2 && clamps == 2;
}

/*
 * Returns true if word @word of an instruction @op is the constant @value. Constants are defined
 * before their uses.
 */
static bool names_constant(const struct gate_module *module, uint32_t op, uint32_t word,
			   uint32_t value)
{
	bool *is_value = calloc(module->code[3], sizeof(*is_value)), names = false;

	for (size_t at = 5; is_value && at < module->words; at += module->code[at] >> 16) {
		const uint32_t *in = module->code + at;

		if ((*in & 0xffff) == SpvOpConstant)
			is_value[in[2]] = in[3] == value;
		names |= (*in & 0xffff) == op && is_value[in[word]];
	}
	free(is_value);
	return names;
}

/* The gate bounds every access at a device address, however a module computes the address. */
static bool holds_addresses(const char *folder)
{
	struct sundog_cmd_create_shader cmd = { .stage = COMPUTE, .push_size = 28 };
	uint32_t code[MAX_ASSEMBLED];
	struct gate_module module;
	char why[256];
	int held[2];

	cmd.n_dwords = sizeof(addresses_comp) / 4;
	held[0] = gate_shader(&cmd, addresses_comp, &gate_caps, &module, why, sizeof(why)) ?
			  gate_held_addresses(module.code, module.words) : -1;
	/* The module also has indices, which are clamped. */
	if (!count_op(&module, SpvOpExtInst))
		held[0] = -1;
	free(module.code);
	cmd.n_dwords = gate_load(folder, "address-more", code);
	held[1] = gate_shader(&cmd, code, &gate_caps, &module, why, sizeof(why)) ?
			  gate_held_addresses(module.code, module.words) : -1;
	free(module.code);
	if (held[0] < 20 || held[1] < 5)
		printf("# %d and %d accesses are held\n", held[0], held[1]);
	return held[0] >= 20 && held[1] >= 5;
}

/*
 * A damaged word must not crash the gate, whatever its result is. Each word gets one kind of
 * damage, or every kind if SUNDOG_LONG is set.
 */
static bool survives_damage_of(const struct sundog_cmd_create_shader *interface,
			       const uint32_t *from, uint32_t words,
			       const struct gate_layout *layout)
{
	static const uint32_t damage[] = { 0, 1, 0xffff, 0xffff0000, UINT32_MAX };
	const uint32_t kinds = sizeof(damage) / sizeof(damage[0]),
		tried = getenv("SUNDOG_LONG") ? kinds : 1;
	struct sundog_cmd_create_shader cmd = *interface;
	uint32_t *code = malloc(words * sizeof(*code));
	struct gate_module module;
	char why[256];

	if (!code)
		return false;
	cmd.n_dwords = words;
	for (uint32_t i = 0; i < words; i++) {
		for (uint32_t d = 0; d < tried; d++) {
			memcpy(code, from, words * sizeof(*code));
			code[i] = damage[(i + d) % kinds];
			gate_layout_shader(&cmd, code, &gate_caps, layout, &module, why,
					   sizeof(why));
			free(module.code);
			free(module.descriptors);
		}
	}
	free(code);
	return true;
}

static bool survives_damage(const struct sundog_cmd_create_shader *cmd, const uint32_t *from,
			    uint32_t words)
{
	return survives_damage_of(cmd, from, words, NULL);
}

/*
 * Runs the gate on a module with variable pointers. Returns the module, whose code the caller
 * frees; no code: refused.
 */
static struct gate_module choose(const char *folder, const char *file, uint64_t lacks, char *why,
				 size_t why_size)
{
	struct sundog_cmd_create_shader cmd = { .stage = COMPUTE };
	struct sundog_caps caps = gate_caps;
	uint32_t code[MAX_ASSEMBLED];
	struct gate_module module;

	cmd.n_dwords = gate_load(folder, file, code);
	caps.features &= ~lacks;
	gate_layout_shader(&cmd, code, &caps, &pointer_layout, &module, why, why_size);
	free(module.descriptors);
	return module;
}

static bool has_capability(const struct gate_module *module, uint32_t capability)
{
	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		if (module->code[at] == (2u << 16 | SpvOpCapability) &&
		    module->code[at + 1] == capability)
			return true;
	return false;
}

/* The gate lowers all variable pointers: accesses use clamped indices of variables. */
static bool chooses_pointers(const char *folder)
{
	static const struct {
		const char *file;
		int stores, adds;
	} modules[] = {
		/* A store or atomic operation appears once for each possible target. */
		{ "vk-pointers", 8 + 2 + 1 + 2 + 1, 2 + 2 }, { "vk-pointers-compare", 8, 2 },
		{ "vk-pointers-beyond", 7 + 2 + 2 + 2 + 2 + 2 + 1, 2 },
		{ "vk-pointers-begin", 2 + 1 + 1, 0 },
		{ "pointer-nowhere", 0, 0 },
	};
	bool all = true;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		char why[256] = "it passes";
		struct gate_module m = choose(folder, modules[i].file, 0, why, sizeof(why));
		const int stores = m.code ? gate_fixed_pointers(m.code, m.words, SpvOpStore, true) :
				   -1;
		const int adds = m.code ? gate_fixed_pointers(m.code, m.words, SpvOpAtomicIAdd,
							      true) : -1;
		const bool ok = stores == modules[i].stores && adds == modules[i].adds &&
				!has_capability(&m, SpvCapabilityVariablePointers);

		if (!ok)
			printf("# %s: %s, %d stores, %d additions\n", modules[i].file, why, stores,
			       adds);
		all &= ok;
		free(m.code);
	}
	return all;
}

static bool refuses_pointers(const char *folder, const char *file, uint64_t lacks,
			     const char *refusal)
{
	char why[256] = "it passes";
	struct gate_module m = choose(folder, file, lacks, why, sizeof(why));
	const bool ok = !m.code && strstr(why, refusal);

	if (!ok)
		printf("# %s\n", why);
	free(m.code);
	return ok;
}

/*
 * The gate refuses a module whose stores, once for each possible target, would exceed its limit.
 * Repeats one store.
 */
static bool bounds_choices(const char *folder)
{
	enum { TIMES = 3000, WORDS = 3 };
	struct sundog_cmd_create_shader cmd = { .stage = COMPUTE };
	uint32_t code[MAX_ASSEMBLED + TIMES * WORDS], assembled[MAX_ASSEMBLED], at = 5, end;
	const uint32_t words = gate_load(folder, "pointer-places", assembled);
	char why[256] = "no store";
	struct gate_module module;

	/* The last store is behind the code that makes the pointers. */
	for (end = 0; at < words; at += assembled[at] >> 16)
		if (assembled[at] == (WORDS << 16 | SpvOpStore))
			end = at + WORDS;
	if (!end)
		return false;
	memcpy(code, assembled, end * 4);
	for (uint32_t i = 0; i < TIMES; i++)
		memcpy(code + end + i * WORDS, assembled + end - WORDS, WORDS * 4);
	memcpy(code + end + TIMES * WORDS, assembled + end, (words - end) * 4);
	cmd.n_dwords = words + TIMES * WORDS;
	if (!gate_layout_shader(&cmd, code, &gate_caps, &set_layout, &module, why, sizeof(why)) &&
	    strstr(why, "the accesses expand to more than 1048576 words"))
		return true;
	printf("# %s\n", why);
	free(module.code);
	free(module.descriptors);
	return false;
}

static bool survives_damaged_pointers(const char *folder, const char *file)
{
	uint32_t code[MAX_ASSEMBLED];
	const uint32_t words = gate_load(folder, file, code);

	return words && survives_damage_of(&(struct sundog_cmd_create_shader){ .stage = COMPUTE },
					   code, words, &pointer_layout);
}

/* The gate reports the handle tables that a module uses. */
static bool tells_tables(void)
{
	struct sundog_cmd_create_shader cmd = {
		.stage = COMPUTE, .push_size = 4, .n_dwords = sizeof(handles_comp) / 4,
	};
	struct gate_module module;
	char why[256];
	bool ok = gate_shader(&cmd, handles_comp, &gate_caps, &module, why, sizeof(why)) &&
		  module.n_tables == 3 &&
		  module.tables[0] == 3 && module.tables[1] + module.tables[2] == 35 + 65 &&
		  module.writes_handles;

	free(module.code);
	return ok;
}

/* The gate bounds sample and invocation numbers of instructions. */
static bool holds_numbers(void)
{
	struct sundog_cmd_create_shader cmd = { .stage = FRAGMENT,
						.n_dwords = sizeof(interpolate_at_sample_frag) /
						4 };
	struct gate_module module;
	char why[256];
	bool ok = gate_shader(&cmd, interpolate_at_sample_frag, &gate_caps, &module, why,
			      sizeof(why)) &&
		  names_constant(&module, SpvOpExtInst, 6, 3) &&
		  !names_constant(&module, SpvOpExtInst, 6, 1000);

	free(module.code);
	cmd = (struct sundog_cmd_create_shader){
		.stage = COMPUTE, .n_dwords = sizeof(read_comp) / 4, .n_bindings = 1,
		.bindings = { SSBOS(1) },
	};
	/* A constant operand stays constant. */
	ok &= gate_shader(&cmd, read_comp, &gate_caps, &module, why, sizeof(why)) &&
	      count_op(&module, SpvOpBitwiseAnd) == 1 &&
	      !names_constant(&module, SpvOpSubgroupReadInvocationKHR, 4, 1000);
	free(module.code);
	cmd.n_dwords = sizeof(invocations_comp) / 4;
	ok &= gate_shader(&cmd, invocations_comp, &gate_caps, &module, why, sizeof(why)) &&
	      count_op(&module, SpvOpBitwiseAnd) == 5 &&
	      names_constant(&module, SpvOpGroupNonUniformBroadcast, 5, 7) &&
	      !names_constant(&module, SpvOpGroupNonUniformBroadcast, 5, 1000);
	free(module.code);
	return ok;
}

/*
 * The gate masks a distance to the bits of an invocation number, and limits cluster sizes to the
 * subgroup size.
 */
static bool holds_distances(void)
{
	struct sundog_cmd_create_shader cmd = {
		.stage = COMPUTE, .n_dwords = sizeof(distances_comp) / 4, .n_bindings = 1,
		.bindings = { SSBOS(1) },
	};
	struct gate_module module;
	uint32_t clusters = 0;
	char why[256];
	bool ok = gate_shader(&cmd, distances_comp, &gate_caps, &module, why, sizeof(why)) &&
		  !count_op(&module, SpvOpGroupNonUniformShuffleUp) &&
		  !count_op(&module, SpvOpGroupNonUniformShuffleDown) &&
		  count_op(&module, SpvOpGroupNonUniformRotateKHR) == 5 &&
		  count_op(&module, SpvOpBitwiseAnd) == 5 &&
		  names_constant(&module, SpvOpISub, 3, 0);

	for (size_t at = 5; at < module.words; at += module.code[at] >> 16)
		clusters += module.code[at] == (7u << 16 | SpvOpGroupNonUniformRotateKHR);
	free(module.code);
	return ok && clusters == 1;
}

/* Float controls of a module reach the host. */
static bool keeps_float_modes(const char *folder)
{
	struct sundog_cmd_create_shader cmd = { .stage = FRAGMENT };
	struct sundog_caps without = gate_caps;
	uint32_t code[MAX_ASSEMBLED], decorations = 0;
	struct gate_module module;
	char why[256] = "no file";
	bool ok;

	cmd.n_dwords = gate_load(folder, "float-modes", code);
	ok = gate_shader(&cmd, code, &gate_caps, &module, why, sizeof(why)) &&
	     count_op(&module, SpvOpExecutionModeId) == 1;
	for (size_t at = 5; at < module.words; at += module.code[at] >> 16)
		decorations += module.code[at] == (4u << 16 | SpvOpDecorate) &&
			       module.code[at + 2] == SpvDecorationFPFastMathMode;
	free(module.code);
	without.features &= ~SUNDOG_FEATURE_FLOAT_CONTROLS;
	if (ok && decorations == 1 && !passes_on(&without, &cmd, code, cmd.n_dwords, why,
						 sizeof(why)) &&
	    strstr(why, "capability FloatControls2 (6029)"))
		return true;
	printf("# %s\n", why);
	return false;
}

/* Returns true if there are input arrays and all of them have the length. */
static bool inputs_have(const struct gate_module *module, uint32_t length)
{
	struct { uint32_t op, type, value; } *ids = calloc(module->code[3], sizeof(*ids));
	bool all = true, any = false;

	for (size_t at = 5; ids && at < module->words; at += module->code[at] >> 16) {
		const uint32_t *in = module->code + at, op = *in & 0xffff;

		if (op == SpvOpConstant)
			ids[in[2]].value = in[3];
		else if (op == SpvOpTypePointer)
			ids[in[1]].type = in[3];
		else if (op == SpvOpTypeArray)
			ids[in[1]].op = op, ids[in[1]].value = ids[in[3]].value;
		if (op != SpvOpVariable || in[3] != SpvStorageClassInput ||
		    ids[ids[in[1]].type].op != SpvOpTypeArray)
			continue;
		all &= ids[ids[in[1]].type].value == length;
		any = true;
	}
	free(ids);
	return all && any;
}

/*
 * Inputs for more vertices than a primitive has are shortened, and indices are clamped to that
 * length.
 */
static bool sheds_vertices(void)
{
	struct sundog_cmd_create_shader cmd = { .stage = GEOMETRY,
						.n_dwords = sizeof(geometry_geom) / 4 };
	uint32_t code[sizeof(geometry_geom) / 4];
	struct gate_module module;
	char why[256] = "";
	bool ok;

	memcpy(code, geometry_geom, sizeof(code));
	for (uint32_t at = 5; at < cmd.n_dwords; at += code[at] >> 16)
		if ((code[at] & 0xffff) == SpvOpExecutionMode &&
		    code[at + 2] == SpvExecutionModeInputTrianglesAdjacency)
			code[at + 2] = SpvExecutionModeTriangles;
	ok = gate_shader(&cmd, code, &gate_caps, &module, why, sizeof(why)) &&
	     inputs_have(&module, 3);
	if (!ok)
		printf("# %s\n", why);
	free(module.code);
	return ok;
}

/* Runs the gate on the shader in @file. Returns the module; no code: refused. */
static struct gate_module shader_of_stage(const char *folder, const char *file, uint32_t stage)
{
	struct sundog_cmd_create_shader cmd = { .stage = stage };
	uint32_t code[MAX_ASSEMBLED];
	struct gate_module module;
	char why[256];

	cmd.n_dwords = gate_load(folder, file, code);
	if (!gate_shader(&cmd, code, &gate_caps, &module, why, sizeof(why)))
		printf("# %s\n", why);
	return module;
}

static struct gate_module shader_of(const char *folder, const char *file)
{
	return shader_of_stage(folder, file, COMPUTE);
}

/* Narrow indices are signed, and are sign-extended to 32 bits. */
static bool widens_indices(const char *folder)
{
	const struct gate_module module = shader_of(folder, "index-narrow");
	const bool ok = module.code && names_constant(&module, SpvOpAccessChain, 4, 0) &&
			!names_constant(&module, SpvOpAccessChain, 4, 200);

	free(module.code);
	return ok;
}

/* Loops, selections and functions have no hint that lets the host's compiler copy more code. */
static bool drops_hints(const char *folder)
{
	const struct gate_module module = shader_of(folder, "hints");
	bool ok = module.code;

	for (size_t at = 5; ok && at < module.words; at += module.code[at] >> 16) {
		const uint32_t *in = module.code + at;

		if (*in == (4u << 16 | SpvOpLoopMerge))
			ok = !in[3];
		else if ((*in & 0xffff) == SpvOpLoopMerge)
			ok = false;
		else if ((*in & 0xffff) == SpvOpSelectionMerge)
			ok = !in[2];
		else if ((*in & 0xffff) == SpvOpFunction)
			ok = !in[3];
	}
	free(module.code);
	return ok;
}

/*
 * Only a loop that contains no other one may be unrolled. A loop whose blocks are not between its
 * header and its merge block may contain any.
 */
static bool limits_unrolling(const char *folder)
{
	static const uint32_t expected[] = { SpvLoopControlDontUnrollMask, 0,
					     SpvLoopControlDontUnrollMask };
	const struct gate_module module = shader_of(folder, "loops");
	bool ok = module.code;
	uint32_t n = 0;

	for (size_t at = 5; ok && at < module.words; at += module.code[at] >> 16) {
		if ((module.code[at] & 0xffff) != SpvOpLoopMerge)
			continue;
		ok = n < 3 && module.code[at + 3] == expected[n];
		n++;
	}
	free(module.code);
	return ok && n == 3;
}

/*
 * Each float that becomes an integer is clamped before. 28 limits are not exact, of scalars and of
 * vectors: half to 16 bits and more, with their low limits from 32 bits on, float to 32 bits and
 * more, and double to 64.
 */
static bool clamps_conversions(const char *folder)
{
	const struct gate_module module = shader_of(folder, "conversions");
	uint32_t clamps = 0, conversions = 0, choices = 0;

	for (size_t at = 5; module.code && at < module.words; at += module.code[at] >> 16) {
		const uint32_t *in = module.code + at, op = *in & 0xffff;

		clamps += op == SpvOpExtInst && in[4] == GLSLstd450NClamp;
		conversions += op == SpvOpConvertFToU || op == SpvOpConvertFToS;
		choices += op == SpvOpSelect;
	}
	free(module.code);
	return conversions == 48 && clamps == conversions && choices == 28;
}

/* The gate accepts a module in which the entry point does not list a variable that a pass needs. */
static bool accepts_unlisted(const char *folder, const char *file, uint32_t stage)
{
	const struct gate_module module = shader_of_stage(folder, file, stage);

	free(module.code);
	return module.code;
}

/* Outputs of blocks and of their members are captured by transform feedback. */
static bool takes_feedback(const char *folder)
{
	const struct sundog_cmd_create_shader cmd = {
		.stage = VERTEX, .n_dwords = sizeof(feedback_blocks_vert) / 4 };
	struct gate_module blocks, members = shader_of_stage(folder, "feedback-members", VERTEX);
	char why[256] = "";
	const bool ok = gate_shader(&cmd, feedback_blocks_vert, &gate_caps, &blocks, why,
				    sizeof(why)) &&
			members.code;

	free(blocks.code);
	free(members.code);
	return ok;
}

/* No constant index leads past a vector. */
static bool defines_components(const char *folder)
{
	const struct gate_module module = shader_of_stage(folder, "components", VERTEX);
	const bool ok = module.code && !names_constant(&module, SpvOpVectorExtractDynamic, 4, 9) &&
		  !names_constant(&module, SpvOpVectorInsertDynamic, 5, 9) &&
		  names_constant(&module, SpvOpVectorExtractDynamic, 4, 2);

	free(module.code);
	return ok;
}

/* Null indices become 0. */
static bool gives_indices(const char *folder)
{
	const struct gate_module module = shader_of(folder, "index-nothing");
	bool ok = module.code;

	for (uint32_t i = 4; i < 7; i++)
		ok = ok && names_constant(&module, SpvOpAccessChain, i, 0);
	free(module.code);
	return ok;
}

/* A constant WorkgroupSize replaces the execution mode LocalSize, which may be missing. */
static bool takes_size(const char *folder)
{
	static const uint32_t expected[] = { 7, 1, 7 };
	const struct gate_module module = shader_of(folder, "size-alone");
	uint32_t modes = 0;

	for (size_t at = 5; module.code && at < module.words; at += module.code[at] >> 16)
		modes += module.code[at] == (6u << 16 | SpvOpExecutionMode) &&
			 module.code[at + 2] == SpvExecutionModeLocalSize &&
			 !memcmp(module.code + at + 3, expected, sizeof(expected));
	free(module.code);
	return modes == 1;
}

/* A subgroup barrier becomes a memory barrier, or is removed. */
static bool frees_subgroups(const char *folder)
{
	struct sundog_cmd_create_shader cmd = {
		.stage = COMPUTE, .n_dwords = sizeof(invocations_comp) / 4, .n_bindings = 1,
		.bindings = { SSBOS(1) },
	};
	uint32_t code[MAX_ASSEMBLED];
	struct gate_module module;
	char why[256];
	bool ok = gate_shader(&cmd, invocations_comp, &gate_caps, &module, why, sizeof(why)) &&
		  !count_op(&module, SpvOpControlBarrier) &&
		  count_op(&module, SpvOpMemoryBarrier) == 2;

	free(module.code);
	cmd.n_dwords = gate_load(folder, "barrier-scope", code);
	ok &= gate_shader(&cmd, code, &gate_caps, &module, why, sizeof(why)) &&
	      !count_op(&module, SpvOpControlBarrier) &&
	      !count_op(&module, SpvOpMemoryBarrier);
	free(module.code);
	return ok;
}

/*
 * The gate reports the resources that a shader stores to, which must be listed for writing, and
 * their types, which bound ones have to match.
 */
static bool says_what_it_stores(void)
{
	struct sundog_cmd_create_shader cmd = {
		.stage = COMPUTE, .n_dwords = sizeof(images_comp) / 4, .n_bindings = 11,
		.bindings = { IMAGES, STORAGE_TEXELS(0), STORAGE_TEXELS(15) },
	};
	struct gate_module module;
	char why[256];
	bool ok = gate_shader(&cmd, images_comp, &gate_caps, &module, why, sizeof(why)) &&
		  !module.ssbo_writes &&
		  module.images_written == 0xbe && module.storage_texels_written == 1 &&
		  module.images_atomic == 0x24 && module.storage_texels_atomic == 1 &&
		  module.images[2] == texture_kind(VK_IMAGE_VIEW_TYPE_2D, false, FORMAT_UINT) &&
		  module.images[7] == texture_kind(VK_IMAGE_VIEW_TYPE_2D, true, FORMAT_FLOAT) &&
		  !module.images[9] &&
		  module.storage_texels[15] == texture_kind(TEXTURE_BUFFER, false, FORMAT_FLOAT) &&
		  !module.texels[0];

	free(module.code);
	cmd = (struct sundog_cmd_create_shader){
		.stage = COMPUTE, .n_dwords = sizeof(storage_comp) / 4, .n_bindings = 1,
		.bindings = { SSBOS(16) },
	};
	ok &= gate_shader(&cmd, storage_comp, &gate_caps, &module, why, sizeof(why)) &&
	      module.ssbo_writes;
	free(module.code);
	cmd = (struct sundog_cmd_create_shader){
		.stage = VERTEX, .n_dwords = sizeof(reads_vert) / 4, .n_bindings = 1,
		.bindings = { SSBOS(16) },
	};
	ok &= gate_shader(&cmd, reads_vert, &gate_caps, &module, why, sizeof(why)) &&
	      !module.ssbo_writes;
	free(module.code);
	return ok;
}

/* The gate reports the patch sizes that draws need. */
static bool says_what_patches_are(void)
{
	struct sundog_cmd_create_shader cmd = { .stage = TESS_CTRL,
						.n_dwords = sizeof(patch_tesc) / 4 };
	struct gate_module control, eval, points;
	char why[256];
	bool ok = gate_shader(&cmd, patch_tesc, &gate_caps, &control, why, sizeof(why)) &&
		  control.patch_vertices_out == 4 && !control.output_vertices &&
		  !control.vertex_bytes;

	cmd = (struct sundog_cmd_create_shader){ .stage = TESS_EVAL,
						 .n_dwords = sizeof(patch_tese) / 4 };
	ok &= gate_shader(&cmd, patch_tese, &gate_caps, &eval, why, sizeof(why)) &&
	      !eval.patch_vertices_out &&
	      eval.output_vertices == 3;
	cmd.n_dwords = sizeof(points_tese) / 4;
	ok &= gate_shader(&cmd, points_tese, &gate_caps, &points, why, sizeof(why)) &&
	      points.output_vertices == 1 &&
	      eval.vertex_bytes == points.vertex_bytes + 16;
	free(control.code);
	free(eval.code);
	free(points.code);
	return ok;
}

/* Compilers check the length of gl_in, so the test enlarges the constant. */
static bool refuses_long_patches(void)
{
	uint32_t code[sizeof(patch_tese) / 4];
	const struct sundog_cmd_create_shader cmd = { .stage = TESS_EVAL };
	const uint32_t op_constant = 4 << 16 | 43;
	char why[256] = "";

	memcpy(code, patch_tese, sizeof(code));
	for (uint32_t i = 5; i + 3 < sizeof(code) / 4; i++)
		if (code[i] == op_constant && code[i + 3] == 32)
			code[i + 3] = 33;
	if (!passes(&cmd, code, sizeof(code) / 4, why, sizeof(why)) &&
	    strstr(why, "an array of at most 32 vertices"))
		return true;
	printf("# %s\n", why);
	return false;
}

/* Compilers check the length of gl_ClipDistance, so the test enlarges the constant. */
static bool refuses_clip_distances(void)
{
	uint32_t code[sizeof(clip_distances_vert) / 4];
	const struct sundog_cmd_create_shader cmd = { .stage = VERTEX };
	const uint32_t op_constant = 4 << 16 | 43;
	char why[256] = "";

	memcpy(code, clip_distances_vert, sizeof(code));
	for (uint32_t i = 5; i + 3 < sizeof(code) / 4; i++)
		if (code[i] == op_constant && code[i + 3] == 7)
			code[i + 3] = 4096;
	if (!passes(&cmd, code, sizeof(code) / 4, why, sizeof(why)) &&
	    strstr(why, "ClipDistance and CullDistance"))
		return true;
	printf("# %s\n", why);
	return false;
}

/*
 * Compilers do not produce this: struct 2 is empty, struct 3 has two of it, struct 4 two of struct
 * 3 and so on.
 */
static bool refuses_empty_structs(void)
{
	enum { DEPTH = 15 };
	const uint32_t op_struct = 30;
	uint32_t code[5 + 4 * DEPTH] = { 0x07230203, 0x00010500, 0, DEPTH + 3, 0 }, *at = code + 5;
	const struct sundog_cmd_create_shader cmd = { .stage = FRAGMENT };
	char why[256] = "";

	*at++ = 2 << 16 | op_struct;
	*at++ = 2;
	for (uint32_t id = 3; id < DEPTH + 2; id++) {
		*at++ = 4 << 16 | op_struct;
		*at++ = id;
		*at++ = id - 1;
		*at++ = id - 1;
	}
	if (!passes(&cmd, code, at - code, why, sizeof(why)) && strstr(why, "nested types"))
		return true;
	printf("# %s\n", why);
	return false;
}

/* Compilers do not produce this: a reserved word of the header is not 0. */
static bool refuses_reserved_header(void)
{
	uint32_t code[sizeof(plain_vert) / 4];
	char why[256] = "";

	memcpy(code, plain_vert, sizeof(code));
	code[4] = 0x10000;
	return !passes(&cases[0].cmd, code, sizeof(code) / 4, why, sizeof(why)) &&
	       strstr(why, "not SPIR-V");
}

/* The validator's time grows with the number of pairs of blocks. */
static bool refuses_many_blocks(void)
{
	enum { BLOCKS = 40000, FIRST = 10 };
	static const uint32_t begin[] = {
		SpvMagicNumber, 0x10300, 0, FIRST + BLOCKS, 0,
		2 << 16 | SpvOpCapability, SpvCapabilityShader,
		3 << 16 | SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450,
		5 << 16 | SpvOpEntryPoint, SpvExecutionModelFragment, 1, 0x6e69616d, 0,
		3 << 16 | SpvOpExecutionMode, 1, SpvExecutionModeOriginUpperLeft,
		2 << 16 | SpvOpTypeVoid, 2, 3 << 16 | SpvOpTypeFunction, 3, 2,
		5 << 16 | SpvOpFunction, 2, 1, 0, 3,
	};
	static uint32_t code[sizeof(begin) / 4 + BLOCKS * 4];
	size_t n = sizeof(begin) / 4;
	char why[256] = "";

	memcpy(code, begin, sizeof(begin));
	for (uint32_t i = FIRST; i < FIRST + BLOCKS; i++) {
		code[n++] = 2 << 16 | SpvOpLabel;
		code[n++] = i;
		code[n++] = i + 1 < FIRST + BLOCKS ? 2 << 16 | SpvOpBranch : 1 << 16 | SpvOpReturn;
		code[n++] = i + 1 < FIRST + BLOCKS ? i + 1 : 1 << 16 | SpvOpFunctionEnd;
	}
	return !passes(&(struct sundog_cmd_create_shader){ .stage = FRAGMENT }, code, n, why,
		       sizeof(why)) &&
	       strstr(why, "32768 OpLabel");
}

static void result(bool ok, const char *name)
{
	printf("%sok - %s\n", ok ? "" : "not ", name);
}

int main(int argc, char **argv)
{
	const int n = sizeof(cases) / sizeof(cases[0]),
		n_assembly = sizeof(assembly) / sizeof(assembly[0]);
	const int n_lacking = sizeof(lacking) / sizeof(lacking[0]);
	const int n_mutations = sizeof(mutations) / sizeof(mutations[0]);
	const int n_sets = sizeof(set_cases) / sizeof(set_cases[0]);
	const int n_indexing = sizeof(indexing_cases) / sizeof(indexing_cases[0]);
	const char *folder = argc > 1 ? argv[1] : ".";

	printf("1..%d\n", n + n_lacking + n_mutations + n_assembly + n_sets + n_indexing + 49);
	for (int i = 0; i < n; i++)
		result(run(&cases[i], 0), cases[i].name);
	for (int i = 0; i < n_lacking; i++)
		result(run(&lacking[i].t, lacking[i].feature), lacking[i].t.name);
	for (int i = 0; i < n_mutations; i++)
		result(run_mutation(&mutations[i]), mutations[i].name);
	for (int i = 0; i < n_assembly; i++)
		result(run_assembly(folder, assembly[i].file, assembly[i].refusal,
				    assembly[i].stage), assembly[i].name);
	for (int i = 0; i < n_sets; i++)
		result(run_set_case(folder, &set_cases[i], 0, 0), set_cases[i].name);
	for (int i = 0; i < n_indexing; i++)
		result(run_set_case(folder, &indexing_cases[i].set, indexing_cases[i].lacks,
				    indexing_cases[i].differ),
		       indexing_cases[i].set.name);
	result(moves_dynamic(folder), "what takes offsets is where the host has it");
	result(moves_far(folder), "and what takes none, whatever its number is");
	result(hides_dynamic_set(folder), "a module does not name that set");
	result(says_nothing_is_made(), "a mesh shader makes nothing until it says so");
	result(knows_payloads(), "what a payload takes");
	result(reports_number(SHADER(meshes_mesh), true) &&
	       reports_number(SHADER(double_mesh_mesh), false),
	       "the report of a mesh shader says whether it writes PrimitiveId");
	result(survives_damage_of(&(struct sundog_cmd_create_shader){ .stage = MESH },
				  SHADER(meshes_mesh), &set_layout),
	       "damaged mesh shaders do not crash");
	result(survives_damage_of(&(struct sundog_cmd_create_shader){ .stage = TASK },
				  SHADER(tasks_task), &set_layout),
	       "nor do task shaders");
	result(quotes_safely(folder), "names that are quoted");
	result(tells_tables(), "what tables of handles a module has");
	result(holds_addresses(folder),
	       "accesses at device addresses are held in the range of them");
	result(survives_damage(&(struct sundog_cmd_create_shader){ .stage = COMPUTE,
								   .push_size = 28 },
			       SHADER(addresses_comp)),
	       "damaged modules with addresses do not crash");
	result(chooses_pointers(folder), "pointers that are values become such of variables");
	result(refuses_pointers(folder, "vk-pointers", SUNDOG_FEATURE_VARIABLE_POINTERS,
				"capability VariablePointers (4442)"),
	       "such pointers on a host without");
	result(refuses_pointers(folder, "vk-pointers-compare", SUNDOG_FEATURE_DESCRIPTOR_INDEXING,
				"need StorageBufferArrayNonUniformIndexing"),
				"such to buffers of an array, on a host without");
	result(bounds_choices(folder), "more at many places than there is room for");
	result(survives_damaged_pointers(folder, "vk-pointers"),
	       "damaged shaders with such pointers do not crash");
	result(survives_damaged_pointers(folder, "vk-pointers-compare"),
	       "nor do those that compare them");
	result(grew(), "robust access rewrites dynamic indices");
	result(knows_constant_places(), "and leaves constant ones");
	result(survives_damage(&cases[0].cmd, SHADER(plain_vert)), "damaged modules do not crash");
	result(says_what_patches_are(), "what comes of a patch is known");
	result(refuses_long_patches(), "inputs of more vertices than patches have");
	result(survives_damage(&(struct sundog_cmd_create_shader){ .stage = TESS_CTRL },
			       SHADER(patch_tesc)),
	       "damaged tessellation shaders do not crash");
	result(frees_subgroups(folder), "subgroups do not wait");
	result(sheds_vertices(), "inputs of more vertices than primitives have");
	result(widens_indices(folder), "indices of few bits are wide, with their sign");
	result(gives_indices(folder), "indices that are null are 0");
	result(drops_hints(folder), "hints of loops, selections and functions are dropped");
	result(limits_unrolling(folder), "only loops without loops may be unrolled");
	result(clamps_conversions(folder), "floats that become integers are clamped");
	result(defines_components(folder), "constant indices past a vector are defined");
	result(accepts_unlisted(folder, "unlisted-primitive", GEOMETRY),
	       "a PrimitiveId that the entry point does not list is accepted");
	result(accepts_unlisted(folder, "unlisted-position", VERTEX),
	       "a second Position that the entry point does not list is accepted");
	result(takes_feedback(folder),
	       "each block of an array and members of blocks are captured by transform feedback");
	result(survives_damage(&(struct sundog_cmd_create_shader){ .stage = COMPUTE, .push_size = 6,
								   .n_bindings = 2,
								    .bindings =
								    { { 0, 1, 6 }, SSBOS(2) } },
			       SHADER(small_comp)),
	       "damaged shaders with small numbers do not crash");
	result(holds_numbers(), "numbers of samples and invocations are held");
	result(holds_distances(), "distances are held, and clusters");
	result(takes_size(folder), "a group size instead of a local size");
	result(keeps_float_modes(folder), "what is said of floats is kept");
	result(survives_damage(&(struct sundog_cmd_create_shader){ .stage = COMPUTE,
								   .n_bindings = 1,
								   .bindings = { SSBOS(1) } },
			       SHADER(distances_comp)),
			       "damaged shaders with distances do not crash");
	result(says_what_it_stores(), "what a shader stores to is known");
	result(survives_damage(&(struct sundog_cmd_create_shader){ .stage = COMPUTE,
								   .n_bindings = 1,
								    .bindings = { SSBOS(16) } },
			       SHADER(storage_comp)),
	       "damaged compute shaders do not crash");
	result(survives_damage(&(struct sundog_cmd_create_shader){ .stage = GEOMETRY },
			       SHADER(geometry_geom)),
	       "damaged geometry shaders do not crash");
	result(survives_damage(&(struct sundog_cmd_create_shader){ .stage = VERTEX },
			       SHADER(feedback_nested_vert)) &&
		       survives_damage(&(struct sundog_cmd_create_shader){ .stage = VERTEX },
				       SHADER(feedback_blocks_vert)),
	       "damaged shaders with captured blocks do not crash");
	result(refuses_clip_distances(), "more clip distances than there are");
	result(refuses_empty_structs(), "a tree of empty structs");
	result(refuses_many_blocks(), "a module of 40,000 blocks");
	result(refuses_reserved_header(), "a header with a reserved word");
	return 0;
}
