#version 460
/* SPDX-License-Identifier: MIT */
/*
 * The kernels that build and copy acceleration structures (sdvk_bvh.h). meson.build compiles a
 * variant of this file for each, with the name of the kernel defined. sdvk_structure.c dispatches
 * them, with a barrier between any two:
 *
 * INIT        1 invocation: the header and the state
 * LEAVES      an invocation for each primitive, a dispatch for each geometry, without barriers
 *             between these: leaf records and their boxes
 * MORTON      n_leaves invocations: keys
 * RANK        n_leaves invocations, up to SDVK_BVH_MAX_RANK leaves: sorts by keys
 * HISTOGRAM   for more leaves, in each of SDVK_BVH_SORT_PASSES passes: sdvk_bvh_n_sort_chunks()
 *             invocations, then a scan of the counters, then
 * SCATTER     as many invocations
 * HIERARCHY   n_leaves invocations: ranges and boxes of the inner nodes
 * EMIT        n_leaves invocations, after a scan of n_leaves + 1 values of "chains": the nodes
 *
 * A scan is one work group of SCAN for up to SDVK_BVH_MAX_SCAN values, and otherwise
 *
 * SCAN_SUMS   sdvk_bvh_n_sums() invocations
 * SCAN        one work group, for the sums
 * SCAN_APPLY  sdvk_bvh_n_sums() invocations
 *
 * Without leaves INIT is all. COPY needs as many invocations as the structure has pieces of
 * SDVK_BVH_COPY_CHUNK bytes, or more. Grids have one or two dimensions, with any width.
 */
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int32 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#ifdef LEAVES
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#include "vk_build_helpers.h"
#endif

#include "sdvk_bvh.h"

#ifdef SCAN
layout(local_size_x = SDVK_BVH_SCAN_GROUP) in;
#else
layout(local_size_x = SDVK_BVH_GROUP) in;
#endif

layout(push_constant, scalar) uniform Arguments
{
#if defined(LEAVES)
   sdvk_bvh_leaf_args args;
#elif defined(SCAN) || defined(SCAN_SUMS) || defined(SCAN_APPLY)
   sdvk_bvh_scan_args args;
#elif defined(COPY)
   sdvk_bvh_copy_args args;
#else
   sdvk_bvh_build_args args;
#endif
};

layout(buffer_reference, buffer_reference_align = 4, scalar) coherent buffer Word
{
   uint value;
};

layout(buffer_reference, buffer_reference_align = 4, scalar) coherent buffer Int
{
   int value;
};

layout(buffer_reference, buffer_reference_align = 8, scalar) buffer Pair
{
   uvec2 value;
};

layout(buffer_reference, buffer_reference_align = 16, scalar) coherent buffer Vector
{
   uvec4 value;
};

/* Vectors of serialized structures, and of the application. */
layout(buffer_reference, buffer_reference_align = 8, scalar) buffer UnalignedVector
{
   uvec4 value;
};

/* A box with two words, as a node has them. */
struct Box {
   vec3 low, high;
   uint word0, word1;
};

uint
invocation()
{
   return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x +
          gl_LocalInvocationIndex;
}

Box
load_box(uint64_t address)
{
   const uvec4 a = Vector(address).value, b = Vector(address + 16).value;

   return Box(uintBitsToFloat(a.xyz), uintBitsToFloat(b.xyz), a.w, b.w);
}

void
store_box(uint64_t address, Box box)
{
   Vector(address).value = uvec4(floatBitsToUint(box.low), box.word0);
   Vector(address + 16).value = uvec4(floatBitsToUint(box.high), box.word1);
}

/* Integers that are in the order of floats, for atomics. The function is its own inverse. */
int
ordered(int bits)
{
   return bits < 0 ? bits ^ 0x7fffffff : bits;
}

#if !defined(SCAN) && !defined(SCAN_SUMS) && !defined(SCAN_APPLY) && !defined(COPY)
/* The bounds of all active leaves. */
Box
load_state()
{
   vec3 low, high;

   for (uint i = 0; i < 3; i++) {
      low[i] = intBitsToFloat(ordered(Int(args.scratch + SDVK_BVH_STATE_MIN + 4 * i).value));
      high[i] = intBitsToFloat(ordered(Int(args.scratch + SDVK_BVH_STATE_MAX + 4 * i).value));
   }
   return Box(low, high, 0, 0);
}

uint
n_active()
{
   return args.n_leaves - Word(args.scratch + SDVK_BVH_STATE_N_INACTIVE).value;
}

uint64_t
box_address(uint leaf)
{
   return args.scratch + sdvk_bvh_boxes(args.n_leaves) + 32 * uint64_t(leaf);
}

uint64_t
pair_address(uint i)
{
   return args.scratch + sdvk_bvh_pairs(args.n_leaves) + 8 * uint64_t(i);
}

uint64_t
other_pair_address(uint i)
{
   return args.scratch + sdvk_bvh_other_pairs(args.n_leaves) + 8 * uint64_t(i);
}

uint64_t
part_address(uint i)
{
   return args.scratch + sdvk_bvh_parts(args.n_leaves) + 64 * uint64_t(i);
}

uint64_t
bound_address(uint i)
{
   return args.scratch + sdvk_bvh_bounds(args.n_leaves) + 4 * uint64_t(i);
}

uint64_t
chain_address(uint i)
{
   return args.scratch + sdvk_bvh_chains(args.n_leaves) + 4 * uint64_t(i);
}
#endif

#ifdef INIT
void
main()
{
   const uint64_t size = sdvk_bvh_structure_size(args.kind, args.n_leaves);
   const uint64_t serialized_size = sdvk_bvh_serialized_size(args.kind, args.n_leaves);
   const uint64_t n_handles = args.kind == SDVK_BVH_INSTANCES ? args.n_leaves : 0;
   const uint infinity = 0x7f800000, minus_infinity = 0xff800000;
   /* ordered(minus_infinity) */
   const uint least = 0x807fffff;

   if (invocation() > 0)
      return;
   Vector(args.structure).value = uvec4(unpack32(args.structure), unpack32(size));
   Vector(args.structure + SDVK_BVH_SERIALIZED_SIZE).value =
      uvec4(unpack32(serialized_size), unpack32(n_handles));
   Vector(args.structure + SDVK_BVH_COUNTS).value = uvec4(args.n_leaves, 0, args.kind, 0);
   Vector(args.structure + SDVK_BVH_MIN).value = uvec4(uvec3(infinity), 0);
   Vector(args.structure + SDVK_BVH_MAX).value = uvec4(uvec3(minus_infinity), 0);
   for (uint i = SDVK_BVH_MAX + 16; i < SDVK_BVH_HEADER_SIZE; i += 16)
      Vector(args.structure + i).value = uvec4(0);

   Vector(args.scratch).value = uvec4(uvec3(infinity), least);
   Vector(args.scratch + 16).value = uvec4(least, least, 0, 0);
}
#endif

#ifdef LEAVES
void
extend_bounds(Box box)
{
   const Box all = load_state();

   /* Few leaves extend the bounds that they find, so most need no atomic. NaN never does. */
   for (uint i = 0; i < 3; i++) {
      if (box.low[i] < all.low[i])
         atomicMin(Int(args.scratch + SDVK_BVH_STATE_MIN + 4 * i).value,
                   ordered(floatBitsToInt(box.low[i])));
      if (box.high[i] > all.high[i])
         atomicMax(Int(args.scratch + SDVK_BVH_STATE_MAX + 4 * i).value,
                   ordered(floatBitsToInt(box.high[i])));
   }
}

/* Returns a row of a matrix of the application. */
vec4
load_row(uint64_t address)
{
   return uintBitsToFloat(UnalignedVector(address).value);
}

/* Builders return false if the primitive is inactive. */
bool
build_triangle(uint i, uint64_t record, out Box box)
{
   const vk_bvh_geometry_data geometry = args.geometry;
   const triangle_indices indices = load_indices(geometry.indices, geometry.index_format, i);
   const triangle_vertices vertices =
      load_vertices(geometry.data, indices, geometry.vertex_format, geometry.stride);
   /* Vertices of several triangles have to stay the same ones. */
   precise vec3 a = vertices.vertex[0].xyz, b = vertices.vertex[1].xyz, c = vertices.vertex[2].xyz;
   const bool is_active = !isnan(a.x) && !isnan(b.x) && !isnan(c.x);

   if (geometry.transform != 0) {
      const vec4 x = load_row(geometry.transform), y = load_row(geometry.transform + 16),
                 z = load_row(geometry.transform + 32);

      a = vec3(dot(x, vec4(a, 1)), dot(y, vec4(a, 1)), dot(z, vec4(a, 1)));
      b = vec3(dot(x, vec4(b, 1)), dot(y, vec4(b, 1)), dot(z, vec4(b, 1)));
      c = vec3(dot(x, vec4(c, 1)), dot(y, vec4(c, 1)), dot(z, vec4(c, 1)));
   }
   box.low = min(a, min(b, c));
   box.high = max(a, max(b, c));

   Vector(record).value = uvec4(i, geometry.geometry_id, 0, floatBitsToUint(a.x));
   Vector(record + 16).value = floatBitsToUint(vec4(a.yz, b.xy));
   Vector(record + 32).value = floatBitsToUint(vec4(b.z, c));
   return is_active;
}

bool
build_aabb(uint i, uint64_t record, out Box box)
{
   const uint64_t source = args.geometry.data + uint64_t(i) * args.geometry.stride;

   box.low = DEREF(REF(vec3)(source));
   box.high = DEREF(REF(vec3)(source + 12));
   Vector(record).value = uvec4(i, args.geometry.geometry_id, 0, 0);
   return !isnan(box.low.x);
}

/*
 * Stores the inverse of a matrix, which the application promises to exist, with three rows of
 * float[4].
 */
void
store_inverse(uint64_t address, vec4 x, vec4 y, vec4 z)
{
   const vec3 column0 = cross(y.xyz, z.xyz), column1 = cross(z.xyz, x.xyz),
              column2 = cross(x.xyz, y.xyz), translation = vec3(x.w, y.w, z.w);
   const float determinant = dot(x.xyz, column0);

   for (uint i = 0; i < 3; i++) {
      const vec3 row = vec3(column0[i], column1[i], column2[i]) / determinant;

      Vector(address + 16 * i).value = floatBitsToUint(vec4(row, -dot(row, translation)));
   }
}

/*
 * Returns the range of a coordinate of a transformed box, a bit longer: a ray that hits something
 * in the box has to hit the range, too, although it is transformed by a rounded inverse.
 */
vec2
transform_range(vec4 row, Box box)
{
   vec2 range = vec2(row.w);
   float largest = abs(row.w);

   for (uint i = 0; i < 3; i++) {
      /* An infinite box may be flattened. */
      const float a = row[i] == 0 ? 0 : row[i] * box.low[i];
      const float b = row[i] == 0 ? 0 : row[i] * box.high[i];

      range += vec2(min(a, b), max(a, b));
      largest += max(abs(a), abs(b));
   }
   return range + vec2(-largest, largest) * (1.0 / (1 << 21));
}

bool
build_instance(uint i, uint64_t record, out Box box)
{
   const bool has_pointers = args.geometry.stride == 8;
   uint64_t source = args.geometry.data + uint64_t(i) * args.geometry.stride;

   if (has_pointers)
      source = pack64(Pair(source).value);

   const vec4 x = load_row(source), y = load_row(source + 16), z = load_row(source + 32);
   /* Custom index and mask, SBT offset and flags, reference. */
   const uvec4 words = UnalignedVector(source + 48).value;
   const uint64_t reference = pack64(words.zw);
   bool is_active = reference != 0 && words.x >> 24 != 0;
   vec2 range_x = vec2(0), range_y = vec2(0), range_z = vec2(0);

   if (is_active) {
      const uvec4 low = Vector(reference + SDVK_BVH_MIN).value,
                  high = Vector(reference + SDVK_BVH_MAX).value;
      const Box bounds = Box(uintBitsToFloat(low.xyz), uintBitsToFloat(high.xyz), 0, 0);

      is_active = Word(reference + SDVK_BVH_N_NODES).value > 0;
      range_x = transform_range(x, bounds);
      range_y = transform_range(y, bounds);
      range_z = transform_range(z, bounds);
   }
   box.low = vec3(range_x.x, range_y.x, range_z.x);
   box.high = vec3(range_x.y, range_y.y, range_z.y);

   Vector(record + SDVK_BVH_OBJECT_TO_WORLD).value = floatBitsToUint(x);
   Vector(record + SDVK_BVH_OBJECT_TO_WORLD + 16).value = floatBitsToUint(y);
   Vector(record + SDVK_BVH_OBJECT_TO_WORLD + 32).value = floatBitsToUint(z);
   store_inverse(record + SDVK_BVH_WORLD_TO_OBJECT, x, y, z);
   Vector(record + SDVK_BVH_REFERENCE).value = uvec4(words.zw, words.xy);
   Vector(record + SDVK_BVH_INSTANCE_INDEX).value = uvec4(i, 0, 0, 0);
   return is_active;
}

void
main()
{
   const uint i = invocation(), kind = args.geometry.geometry_type;
   const uint leaf = args.geometry.first_id + i;
   const uint64_t leaves = args.structure + sdvk_bvh_leaves(args.n_leaves);
   bool is_active;
   Box box;

   if (i >= args.n_primitives)
      return;
   if (kind == SDVK_BVH_TRIANGLES)
      is_active = build_triangle(i, leaves + SDVK_BVH_TRIANGLE_SIZE * uint64_t(leaf), box);
   else if (kind == SDVK_BVH_AABBS)
      is_active = build_aabb(i, leaves + SDVK_BVH_AABB_SIZE * uint64_t(leaf), box);
   else
      is_active = build_instance(i, leaves + SDVK_BVH_INSTANCE_SIZE * uint64_t(leaf), box);

   box.word0 = is_active ? 1 : 0;
   box.word1 = 0;
   store_box(box_address(leaf), box);
   if (is_active)
      extend_bounds(box);
   else
      atomicAdd(Word(args.scratch + SDVK_BVH_STATE_N_INACTIVE).value, 1);
}
#endif

#ifdef MORTON
/* Inactive leaves come last. Keys of active ones are smaller. */
#define INACTIVE 0x3fffffffu

/* Moves bit i of 10 to bit 3 * i. */
uint
spread(uint x)
{
   x = (x | x << 16) & 0x030000ff;
   x = (x | x << 8) & 0x0300f00f;
   x = (x | x << 4) & 0x030c30c3;
   x = (x | x << 2) & 0x09249249;
   return x;
}

/* Returns the cell of a position from 0 to 1. NaN is in the first one. */
uint
cell(float x)
{
   return x > 0 ? uint(min(x * 1024, 1023.0)) : 0;
}

void
main()
{
   const uint leaf = invocation();

   if (leaf >= args.n_leaves)
      return;

   const Box box = load_box(box_address(leaf)), all = load_state();
   const vec3 size = all.high - all.low;
   /* Cells are cubes: long scenes are split along their length first. */
   const float scale = 1 / max(size.x, max(size.y, size.z));
   const vec3 position = (box.low * 0.5 + box.high * 0.5 - all.low) * scale;
   uint key = spread(cell(position.x)) << 2 | spread(cell(position.y)) << 1 |
              spread(cell(position.z));

   key = box.word0 == 0 ? INACTIVE : min(key, INACTIVE - 1);
   if (args.n_leaves <= SDVK_BVH_MAX_RANK)
      Pair(other_pair_address(leaf)).value = uvec2(key, leaf);
   else
      Pair(pair_address(leaf)).value = uvec2(key, leaf);
   /* No child of an inner node is known. */
   Word(bound_address(leaf)).value = ~0u;
}
#endif

#ifdef RANK
void
main()
{
   const uint leaf = invocation();
   uint rank = 0;

   if (leaf >= args.n_leaves)
      return;

   const uint key = Pair(other_pair_address(leaf)).value.x;

   for (uint i = 0; i < args.n_leaves; i++) {
      const uint other = Word(other_pair_address(i)).value;

      rank += other < key || other == key && i < leaf ? 1 : 0;
   }
   Pair(pair_address(rank)).value = uvec2(key, leaf);
}
#endif

#if defined(HISTOGRAM) || defined(SCATTER)
uint
digit(uint key)
{
   return key >> SDVK_BVH_DIGIT_BITS * args.pass & SDVK_BVH_DIGITS - 1;
}

uint64_t
counter_address(uint value, uint chunk)
{
   return args.scratch + sdvk_bvh_counters(args.n_leaves) +
          4 * uint64_t(value * sdvk_bvh_n_sort_chunks(args.n_leaves) + chunk);
}

/* Passes with even numbers read the first array of pairs and write the other. */
uint64_t
source_address(uint i)
{
   return args.pass % 2 == 0 ? pair_address(i) : other_pair_address(i);
}

uint64_t
destination_address(uint i)
{
   return args.pass % 2 == 0 ? other_pair_address(i) : pair_address(i);
}
#endif

#ifdef HISTOGRAM
void
main()
{
   const uint chunk = invocation(), first = chunk * SDVK_BVH_SORT_CHUNK;
   const uint end = min(first + SDVK_BVH_SORT_CHUNK, args.n_leaves);
   /* Counters of 8 bits: of digits 0 to 3, 4 to 7 and so on. Arrays would be slow. */
   uvec4 low = uvec4(0), high = uvec4(0);

   if (first >= args.n_leaves)
      return;
   for (uint i = first; i < end; i++) {
      const uint value = digit(Word(source_address(i)).value), one = 1u << 8 * (value & 3);
      const uvec4 component = uvec4(value >> 2);

      low += mix(uvec4(0), uvec4(one), equal(component, uvec4(0, 1, 2, 3)));
      high += mix(uvec4(0), uvec4(one), equal(component, uvec4(4, 5, 6, 7)));
   }
   for (uint i = 0; i < 4; i++) {
      for (uint j = 0; j < 4; j++) {
         Word(counter_address(4 * i + j, chunk)).value = low[i] >> 8 * j & 0xff;
         Word(counter_address(4 * i + j + 16, chunk)).value = high[i] >> 8 * j & 0xff;
      }
   }
}
#endif

#ifdef SCATTER
void
main()
{
   const uint chunk = invocation(), first = chunk * SDVK_BVH_SORT_CHUNK;
   const uint end = min(first + SDVK_BVH_SORT_CHUNK, args.n_leaves);

   if (first >= args.n_leaves)
      return;
   for (uint i = first; i < end; i++) {
      const uvec2 pair = Pair(source_address(i)).value;
      const uint64_t counter = counter_address(digit(pair.x), chunk);
      const uint place = Word(counter).value;

      Word(counter).value = place + 1;
      Pair(destination_address(place)).value = pair;
   }
}
#endif

#if defined(SCAN_SUMS) || defined(SCAN) || defined(SCAN_APPLY)
uint
load_value(uint i)
{
   return Word(args.values + 4 * uint64_t(i)).value;
}

/* Replaces values by the sums of those before, and the given sum. */
void
scan_values(uint first, uint end, uint sum)
{
   for (uint i = first; i < end; i++) {
      const uint value = load_value(i);

      Word(args.values + 4 * uint64_t(i)).value = sum;
      sum += value;
   }
}

uint
add_values(uint first, uint end)
{
   uint sum = 0;

   for (uint i = first; i < end; i++)
      sum += load_value(i);
   return sum;
}
#endif

#if defined(SCAN_SUMS) || defined(SCAN_APPLY)
void
main()
{
   const uint chunk = invocation(), first = chunk * SDVK_BVH_SCAN_CHUNK;
   const uint end = min(first + SDVK_BVH_SCAN_CHUNK, args.n_values);
   const uint64_t sum = args.sums + 4 * uint64_t(chunk);

   if (first >= args.n_values)
      return;
#ifdef SCAN_SUMS
   Word(sum).value = add_values(first, end);
#else
   scan_values(first, end, Word(sum).value);
#endif
}
#endif

#ifdef SCAN
shared uint sums[SDVK_BVH_SCAN_GROUP];

void
main()
{
   const uint i = gl_LocalInvocationIndex;
   const uint chunk = (args.n_values + SDVK_BVH_SCAN_GROUP - 1) / SDVK_BVH_SCAN_GROUP;
   const uint first = min(i * chunk, args.n_values), end = min(first + chunk, args.n_values);
   uint sum = 0;

   sums[i] = add_values(first, end);
   barrier();
   for (uint j = 0; j < SDVK_BVH_SCAN_GROUP; j++)
      sum += j < i ? sums[j] : 0;
   scan_values(first, end, sum);
}
#endif

#ifdef HIERARCHY
/*
 * Builds the hierarchy from below (Apetrei 2014, "Fast and Simple Agglomerative LBVH
 * Construction"). Inner node i splits between the sorted leaves i and i + 1. A node has the leaves
 * first to last, and its parent is the split at that end of the two where fewer bits of the keys
 * change. The invocation that reaches an inner node first leaves its box and the end of its range,
 * and the second one goes on with the node.
 */

/* No path has more nodes: a key has 30 bits and the index of a leaf, which makes it unique, 32. */
#define MAX_DEPTH 64

/* Where the first invocation leaves the box of a child. The second one stores the node there. */
uint64_t
child_address(uint split, bool is_left)
{
   return part_address(split) + (is_left ? 0 : 32);
}

/* Returns a number that is larger the more sorted leaves i and i + 1 differ. */
uint64_t
difference(uint i)
{
   const uint a = Word(pair_address(i)).value, b = Word(pair_address(i + 1)).value;

   return pack64(uvec2(i ^ i + 1, a ^ b));
}

void
main()
{
   const uint count = n_active();
   uint first = invocation(), last = first;
   /* The length of the chain of left children from here down. */
   uint chain = 0;

   if (first >= count)
      return;

   Box box = load_box(box_address(Pair(pair_address(first)).value.y));

   for (uint depth = 0; depth < MAX_DEPTH && last - first + 1 < count; depth++) {
      const bool is_left =
         first == 0 || last + 1 < count && difference(last) < difference(first - 1);
      const uint split = is_left ? last : first - 1;

      /* Right children are not continued, so they end a chain. */
      if (!is_left)
         Word(chain_address(first)).value = chain;

      box.word0 = chain;
      box.word1 = 0;

      /* Nobody loads the box of the second invocation, which is often known to be the second. */
      if (Word(bound_address(split)).value == ~0u) {
         store_box(child_address(split, is_left), box);
         memoryBarrierBuffer();
      }

      const uint other = atomicCompSwap(Word(bound_address(split)).value, ~0u,
                                        is_left ? first : last);

      if (other == ~0u)
         return;
      memoryBarrierBuffer();

      const Box sibling = load_box(child_address(split, !is_left));

      box.low = min(box.low, sibling.low);
      box.high = max(box.high, sibling.high);
      chain = (is_left ? chain : sibling.word0) + 1;
      if (is_left)
         last = other;
      else
         first = other;
      box.word0 = first;
      box.word1 = last - first + 1;
      store_box(part_address(split), box);
      Word(bound_address(split)).value = chain;
   }
   Word(chain_address(0)).value = chain;
}
#endif

#ifdef EMIT
/*
 * In preorder, these nodes come before a node whose leaves start with sorted leaf i: the leaves
 * before i, the inner nodes that start before i, and those that start with i and are above. Inner
 * nodes that start with i are a chain of left children, and HIERARCHY has counted them.
 */
void
main()
{
   const uint i = invocation(), count = n_active();
   const uint64_t nodes = args.structure + SDVK_BVH_HEADER_SIZE;

   if (i >= count)
      return;

   const uint leaf = Pair(pair_address(i)).value.y;
   /* The sum up to i includes those that start with i. */
   const uint leaf_place = i + Word(chain_address(i + 1)).value;
   Box box = load_box(box_address(leaf));

   box.word0 = 1;
   box.word1 = leaf;
   store_box(nodes + SDVK_BVH_NODE_SIZE * uint64_t(leaf_place), box);

   if (i + 1 < count) {
      box = load_box(part_address(i));

      const uint place = box.word0 + Word(chain_address(box.word0 + 1)).value -
                         Word(bound_address(i)).value;

      box.word0 = 2 * box.word1 - 1;
      box.word1 = SDVK_BVH_INNER;
      store_box(nodes + SDVK_BVH_NODE_SIZE * uint64_t(place), box);
   }
   if (i == 0) {
      const Box all = load_state();

      Word(args.structure + SDVK_BVH_N_NODES).value = 2 * count - 1;
      Vector(args.structure + SDVK_BVH_MIN).value = uvec4(floatBitsToUint(all.low), 0);
      Vector(args.structure + SDVK_BVH_MAX).value = uvec4(floatBitsToUint(all.high), 0);
   }
}
#endif

#ifdef COPY
/* Serialized structures begin with UUIDs, sizes, the count of handles and the handles. */
#define SERIALIZED_SIZE 32
#define DESERIALIZED_SIZE 40
#define SERIALIZED_N_HANDLES 48

uint64_t
load_address(uint64_t address)
{
   return pack64(Pair(address).value);
}

void
store_serialized_header(uint64_t size, uint64_t n_handles)
{
   for (uint i = 0; i < 2; i++) {
      Pair(args.dst + 8 * i).value = uvec2(args.driver_uuid[2 * i], args.driver_uuid[2 * i + 1]);
      Pair(args.dst + 16 + 8 * i).value =
         uvec2(args.compatibility_uuid[2 * i], args.compatibility_uuid[2 * i + 1]);
   }
   Pair(args.dst + SERIALIZED_SIZE).value =
      unpack32(SDVK_BVH_SERIALIZED_HEADER + 8 * n_handles + size);
   Pair(args.dst + DESERIALIZED_SIZE).value = unpack32(size);
   Pair(args.dst + SERIALIZED_N_HANDLES).value = unpack32(n_handles);
}

void
main()
{
   const uint64_t first = SDVK_BVH_COPY_CHUNK * uint64_t(invocation());
   const bool serialize = args.mode == SDVK_BVH_SERIALIZE;
   const bool deserialize = args.mode == SDVK_BVH_DESERIALIZE;
   uint64_t src = args.src, dst = args.dst;

   if (deserialize)
      src += SDVK_BVH_SERIALIZED_HEADER + 8 * load_address(src + SERIALIZED_N_HANDLES);

   const uint64_t size = load_address(src + SDVK_BVH_SIZE);
   const uint64_t n_handles = load_address(src + SDVK_BVH_N_HANDLES);
   const uint64_t leaves = sdvk_bvh_leaves(Word(src + SDVK_BVH_N_LEAVES).value);

   if (first >= size)
      return;
   if (serialize) {
      const uint64_t handle = first / SDVK_BVH_COPY_CHUNK;

      if (first == 0)
         store_serialized_header(size, n_handles);
      /* There are fewer handles than pieces of the structure. */
      if (handle < n_handles) {
         const uint64_t record = src + leaves + SDVK_BVH_INSTANCE_SIZE * handle;

         Pair(dst + SDVK_BVH_SERIALIZED_HEADER + 8 * handle).value =
            Pair(record + SDVK_BVH_REFERENCE).value;
      }
      dst += SDVK_BVH_SERIALIZED_HEADER + 8 * n_handles;
   }

   for (uint64_t offset = first; offset < min(first + SDVK_BVH_COPY_CHUNK, size); offset += 16) {
      const uint64_t in_leaves = offset - leaves;
      uvec4 value = UnalignedVector(src + offset).value;

      if (offset == SDVK_BVH_SELF && !serialize)
         value.xy = unpack32(dst);
      /* The application may have changed the handles to those of other structures. */
      if (deserialize && n_handles > 0 && offset >= leaves &&
          in_leaves % SDVK_BVH_INSTANCE_SIZE == SDVK_BVH_REFERENCE)
         value.xy = Pair(args.src + SDVK_BVH_SERIALIZED_HEADER +
                         8 * (in_leaves / SDVK_BVH_INSTANCE_SIZE)).value;
      UnalignedVector(dst + offset).value = value;
   }
}
#endif
