/* SPDX-License-Identifier: MIT */
/*
 * The memory layout of acceleration structures and of the scratch memory of a build, and the push
 * constants of the kernels. Included by the C code that records builds and copies, by the kernels
 * (sdvk_bvh_build.comp) and by the traversal (sdvk_ray_query.glsl). The client can write all of
 * this memory, so no reader may rely on it to terminate.
 *
 * An acceleration structure is a header, the nodes and the leaf records, in this order, without
 * gaps. All offsets are multiples of 16.
 */
#ifndef SDVK_BVH_H
#define SDVK_BVH_H

#ifdef VULKAN
#define SDVK_BVH_FUNCTION
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "vk_acceleration_structure.h"

#define SDVK_BVH_FUNCTION static inline
#endif

/* Values of VkGeometryTypeKHR, which "kind" stands for. */
#define SDVK_BVH_TRIANGLES 0
#define SDVK_BVH_AABBS 1
#define SDVK_BVH_INSTANCES 2

/*
 * The header. SELF is the address of the structure itself: a copy changes it. SIZE counts the bytes
 * of header, nodes and leaf records. SERIALIZED_SIZE adds the serialization header of Vulkan and
 * N_HANDLES addresses. N_LEAVES counts the primitives of the build, also the inactive ones. N_NODES
 * is twice the number of active primitives, less one, or zero. MIN and MAX are the bounds of all
 * active primitives, and MIN is larger than MAX without any. The rest is zero.
 */
#define SDVK_BVH_SELF 0             /* uint64_t */
#define SDVK_BVH_SIZE 8             /* uint64_t */
#define SDVK_BVH_SERIALIZED_SIZE 16 /* uint64_t */
#define SDVK_BVH_N_HANDLES 24       /* uint64_t, N_LEAVES of instances, otherwise 0 */
#define SDVK_BVH_COUNTS 32          /* the four members from here on, for one load */
#define SDVK_BVH_N_LEAVES 32        /* uint32_t */
#define SDVK_BVH_N_NODES 36         /* uint32_t */
#define SDVK_BVH_KIND 40            /* uint32_t */
#define SDVK_BVH_MIN 48             /* float[3] */
#define SDVK_BVH_MAX 64             /* float[3] */
#define SDVK_BVH_HEADER_SIZE 128

/*
 * A node: float min[3], uint32_t skip, float max[3], uint32_t leaf. Nodes are in depth-first order
 * (preorder). "skip" is the number of nodes of the subtree, with this node: the next node is the
 * following one after a hit of an inner node, otherwise the one after the subtree. "leaf" is the
 * index of a leaf record, or SDVK_BVH_INNER.
 */
#define SDVK_BVH_NODE_SIZE 32
#define SDVK_BVH_INNER 0xffffffffu

/*
 * Leaf records of triangles and AABBs begin with the index of the primitive in its geometry, the
 * index of the geometry with VK_GEOMETRY_OPAQUE in bit 31 (Mesa's vk_bvh.h), and a zero. In those
 * of triangles, which are 48 bytes, three vertices follow, 12 bytes each. An AABB has no more than
 * the node has, and a zero fills its record.
 */
#define SDVK_BVH_TRIANGLE_SIZE 48
#define SDVK_BVH_TRIANGLE_VERTICES 12
#define SDVK_BVH_AABB_SIZE 16

/*
 * A leaf record of an instance: two matrices of three rows of float[4], then the address of the
 * bottom-level structure and the two words of VkAccelerationStructureInstanceKHR with custom index
 * and mask, and with SBT offset and flags, then the index of the instance, and zeros.
 */
#define SDVK_BVH_INSTANCE_SIZE 128
#define SDVK_BVH_OBJECT_TO_WORLD 0
#define SDVK_BVH_WORLD_TO_OBJECT 48
#define SDVK_BVH_REFERENCE 96
#define SDVK_BVH_INSTANCE_INDEX 112

/* Returns the offset of the leaf records of a structure. */
SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_leaves(uint64_t n_leaves)
{
   return SDVK_BVH_HEADER_SIZE + (n_leaves > 0 ? SDVK_BVH_NODE_SIZE * (2 * n_leaves - 1) : 0);
}

/* The traversal needs no more. */
#ifndef SDVK_RAY_QUERY

/* Bytes before the addresses in a serialized structure: two UUIDs, two sizes and a count. */
#define SDVK_BVH_SERIALIZED_HEADER 56

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_structure_size(uint32_t kind, uint64_t n_leaves)
{
   return sdvk_bvh_leaves(n_leaves) +
          n_leaves * (kind == SDVK_BVH_TRIANGLES ? SDVK_BVH_TRIANGLE_SIZE :
                      kind == SDVK_BVH_AABBS     ? SDVK_BVH_AABB_SIZE :
                                                   SDVK_BVH_INSTANCE_SIZE);
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_serialized_size(uint32_t kind, uint64_t n_leaves)
{
   return SDVK_BVH_SERIALIZED_HEADER + (kind == SDVK_BVH_INSTANCES ? 8 * n_leaves : 0) +
          sdvk_bvh_structure_size(kind, n_leaves);
}

/* Kernel RANK sorts so many leaves, or fewer, in one dispatch. */
#define SDVK_BVH_MAX_RANK 1024

/* The radix sort takes 5 bits of the 30 of a key in each of 6 passes. */
#define SDVK_BVH_SORT_PASSES 6
#define SDVK_BVH_DIGIT_BITS 5
#define SDVK_BVH_DIGITS 32

/* Pairs that one invocation of HISTOGRAM and SCATTER sorts. Counters of 8 bits hold it. */
#define SDVK_BVH_SORT_CHUNK 128

/* Values that one invocation of SCAN_SUMS and SCAN_APPLY adds. */
#define SDVK_BVH_SCAN_CHUNK 64

/* SCAN scans so many values, or fewer, without SCAN_SUMS and SCAN_APPLY. */
#define SDVK_BVH_MAX_SCAN 16384

/* Local sizes: of all kernels but SCAN, and of SCAN, which is a single work group. */
#define SDVK_BVH_GROUP 64
#define SDVK_BVH_SCAN_GROUP 256

/* Bytes that one invocation of COPY copies. */
#define SDVK_BVH_COPY_CHUNK 64

/*
 * Scratch memory of a build of n leaves. Kernels initialize all that they read.
 *
 * state   64 bytes: int32_t min[3] and max[3], floats as ordered integers (sdvk_bvh_build.comp),
 *         and uint32_t, the number of inactive leaves
 * boxes   32 bytes for each leaf, as a node: "skip" is 1 if the leaf is active, otherwise 0
 * pairs   8 bytes for each leaf: uint32_t key and index of the leaf; sorted in the end
 * parts   64 bytes for each leaf: the boxes of the two children of the inner node that splits the
 *         sorted leaves behind that number, as nodes: "skip" is the length of the chain of left
 *         children. Then the box of the inner node: "skip" and "leaf" are the first sorted leaf
 *         below it and the number of these. The sort, which ends before, has the other array of
 *         pairs and the counters here: a uint32_t for each digit and chunk
 * bounds  4 bytes for each leaf: the end of the range of that child of an inner node that the
 *         hierarchy reached first. Then the length of the chain of left children below the node,
 *         with the node
 * chains  4 bytes for each leaf and one more: the length of the longest chain of left children that
 *         ends in the sorted leaf, without the leaf. Then the sum of these before each leaf
 * sums    4 bytes for each chunk of the longer of "chains" and the counters
 */
#define SDVK_BVH_STATE_MIN 0
#define SDVK_BVH_STATE_MAX 12
#define SDVK_BVH_STATE_N_INACTIVE 24

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_boxes(uint64_t n_leaves)
{
   return 64;
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_pairs(uint64_t n_leaves)
{
   return sdvk_bvh_boxes(n_leaves) + 32 * n_leaves;
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_parts(uint64_t n_leaves)
{
   /* Parts are loaded as vectors of 16 bytes. */
   return sdvk_bvh_pairs(n_leaves) + 8 * (n_leaves + n_leaves % 2);
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_other_pairs(uint64_t n_leaves)
{
   return sdvk_bvh_parts(n_leaves);
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_counters(uint64_t n_leaves)
{
   return sdvk_bvh_other_pairs(n_leaves) + 8 * n_leaves;
}

/* Returns the number of invocations of HISTOGRAM and of SCATTER. */
SDVK_BVH_FUNCTION uint32_t
sdvk_bvh_n_sort_chunks(uint32_t n_leaves)
{
   return (n_leaves + SDVK_BVH_SORT_CHUNK - 1) / SDVK_BVH_SORT_CHUNK;
}

/* Returns the number of counters, which a pass of the sort scans. */
SDVK_BVH_FUNCTION uint32_t
sdvk_bvh_n_counters(uint32_t n_leaves)
{
   return SDVK_BVH_DIGITS * sdvk_bvh_n_sort_chunks(n_leaves);
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_bounds(uint64_t n_leaves)
{
   return sdvk_bvh_parts(n_leaves) + 64 * n_leaves;
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_chains(uint64_t n_leaves)
{
   return sdvk_bvh_bounds(n_leaves) + 4 * n_leaves;
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_sums(uint64_t n_leaves)
{
   return sdvk_bvh_chains(n_leaves) + 4 * (n_leaves + 1);
}

/* Returns the number of invocations of SCAN_SUMS and of SCAN_APPLY, and of values of SCAN then. */
SDVK_BVH_FUNCTION uint32_t
sdvk_bvh_n_sums(uint32_t n_values)
{
   return (n_values + SDVK_BVH_SCAN_CHUNK - 1) / SDVK_BVH_SCAN_CHUNK;
}

SDVK_BVH_FUNCTION uint64_t
sdvk_bvh_scratch_size(uint32_t n_leaves)
{
   /* There are fewer counters than leaves where the radix sort runs. */
   return sdvk_bvh_sums(n_leaves) + 4 * sdvk_bvh_n_sums(n_leaves + 1);
}

/* The size of the largest of the following structures. */
#define SDVK_BVH_ARGUMENTS 72

/* Push constants of INIT, MORTON, RANK, HISTOGRAM, SCATTER, HIERARCHY and EMIT. */
struct sdvk_bvh_build_args {
   uint64_t structure;
   uint64_t scratch;
   uint32_t n_leaves;
   uint32_t kind;
   uint32_t pass; /* HISTOGRAM and SCATTER: 0 to SDVK_BVH_SORT_PASSES - 1 */
   uint32_t reserved;
};

/* Push constants of LEAVES. The geometry is that of vk_fill_geometry_data(). */
#if !defined(VULKAN) || defined(LEAVES)
struct sdvk_bvh_leaf_args {
   uint64_t structure;
   uint64_t scratch;
   vk_bvh_geometry_data geometry;
   uint32_t n_leaves;
   uint32_t n_primitives; /* of this geometry */
};
#endif

/* Push constants of SCAN_SUMS, SCAN and SCAN_APPLY. SCAN does not use "sums". */
struct sdvk_bvh_scan_args {
   uint64_t values;
   uint64_t sums;
   uint32_t n_values;
   uint32_t reserved;
};

/* Modes of COPY: VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR or _COMPACT_KHR, and the others. */
#define SDVK_BVH_COPY 0
#define SDVK_BVH_SERIALIZE 1
#define SDVK_BVH_DESERIALIZE 2

/* Push constants of COPY. Only SDVK_BVH_SERIALIZE uses the UUIDs. */
struct sdvk_bvh_copy_args {
   uint64_t src;
   uint64_t dst;
   uint32_t mode;
   uint32_t driver_uuid[4];
   uint32_t compatibility_uuid[4];
   uint32_t reserved;
};

#ifndef VULKAN
struct sdvk_bvh_header {
   uint64_t self;
   uint64_t size;
   uint64_t serialized_size;
   uint64_t n_handles;
   uint32_t n_leaves;
   uint32_t n_nodes;
   uint32_t kind;
   uint32_t reserved0;
   float min[3];
   uint32_t reserved1;
   float max[3];
   uint32_t reserved2[13];
};

static_assert(offsetof(struct sdvk_bvh_header, self) == SDVK_BVH_SELF, "layout");
static_assert(offsetof(struct sdvk_bvh_header, size) == SDVK_BVH_SIZE, "layout");
static_assert(offsetof(struct sdvk_bvh_header, serialized_size) == SDVK_BVH_SERIALIZED_SIZE,
              "layout");
static_assert(offsetof(struct sdvk_bvh_header, n_handles) == SDVK_BVH_N_HANDLES, "layout");
static_assert(offsetof(struct sdvk_bvh_header, n_leaves) == SDVK_BVH_N_LEAVES, "layout");
static_assert(offsetof(struct sdvk_bvh_header, n_nodes) == SDVK_BVH_N_NODES, "layout");
static_assert(offsetof(struct sdvk_bvh_header, kind) == SDVK_BVH_KIND, "layout");
static_assert(offsetof(struct sdvk_bvh_header, min) == SDVK_BVH_MIN, "layout");
static_assert(offsetof(struct sdvk_bvh_header, max) == SDVK_BVH_MAX, "layout");
static_assert(sizeof(struct sdvk_bvh_header) == SDVK_BVH_HEADER_SIZE, "layout");
/* Offsets of the members are those of the scalar layout in the kernels. */
static_assert(sizeof(struct sdvk_bvh_build_args) == 32, "layout");
static_assert(sizeof(struct sdvk_bvh_leaf_args) == SDVK_BVH_ARGUMENTS, "layout");
static_assert(sizeof(struct sdvk_bvh_scan_args) == 24, "layout");
static_assert(sizeof(struct sdvk_bvh_copy_args) == 56, "layout");
#endif

#endif
#endif
