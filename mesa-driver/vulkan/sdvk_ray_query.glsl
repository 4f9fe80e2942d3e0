#version 460
/* SPDX-License-Identifier: MIT */
/*
 * Ray queries: the functions that sdvk_spirv_rays.c links to shaders of the application, in place
 * of the instructions of SPV_KHR_ray_query. They run in the renderer, in any stage. All memory that
 * they load may be damaged: indices of nodes only grow, so each loop ends.
 *
 * meson.build compiles this with --keep-uncalled. Queries and other parameters are "const in", so
 * that glslang passes them by value. Instructions of GLSL.std.450, variables of the module and
 * capabilities other than Shader, Int64 and PhysicalStorageBufferAddresses may not be used.
 */
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

#define SDVK_RAY_QUERY
#include "sdvk_bvh.h"

/* Ray flags of SPIR-V. */
#define OPAQUE 0x1u
#define NO_OPAQUE 0x2u
#define TERMINATE_ON_FIRST_HIT 0x4u
#define CULL_BACK_FACING 0x10u
#define CULL_FRONT_FACING 0x20u
#define CULL_OPAQUE 0x40u
#define CULL_NO_OPAQUE 0x80u
#define SKIP_TRIANGLES 0x100u
#define SKIP_AABBS 0x200u

/* VkGeometryInstanceFlagBitsKHR, above the 24 bits of the SBT offset. */
#define FACING_CULL_DISABLE 0x01000000u
#define FLIP_FACING 0x02000000u
#define FORCE_OPAQUE 0x04000000u
#define FORCE_NO_OPAQUE 0x08000000u

/* Types of intersections: candidates, and committed ones. */
#define CANDIDATE_TRIANGLE 0u
#define CANDIDATE_AABB 1u
#define COMMITTED_NONE 0u
#define COMMITTED_TRIANGLE 1u
#define COMMITTED_GENERATED 2u

/* Flags beside the type of an intersection. */
#define TYPE_MASK 0x3u
#define IS_FRONT_FACING 0x4u
#define IS_OPAQUE 0x8u

#define INFINITY uintBitsToFloat(0x7f800000u)
#define NOT_A_NUMBER uintBitsToFloat(0x7fc00000u)

/*
 * A state between two calls. The traversal is in the structure or, unless "instance" is 0, in the
 * bottom-level structure of an instance. Records are those of leaves, by their addresses.
 */
struct RayQuery {
   uint proceeds;  /* the result of rq_proceed() */
   uint flags;     /* ray flags, and the cull mask in the highest 8 bits */
   vec3 origin;    /* in world space, as all of the ray */
   float t_min;
   vec3 direction;
   float t;        /* of the committed intersection, or the largest one */
   uint64_t structure; /* 0: the traversal has ended */
   uint node;      /* the next node of the structure */
   uint bottom_node; /* the next node of the instance */
   uint64_t instance; /* record of the candidate, too */
   uint64_t leaf;  /* record of the candidate */
   uint candidate; /* type and flags */
   float candidate_t;
   vec2 candidate_barycentrics;
   uint committed; /* type and flags */
   vec2 committed_barycentrics;
   uint64_t committed_instance;
   uint64_t committed_leaf;
};

layout(buffer_reference, buffer_reference_align = 16, scalar) readonly buffer Vector
{
   uvec4 value;
};

layout(buffer_reference, buffer_reference_align = 4, scalar) readonly buffer Position
{
   vec3 value;
};

uvec4
load(const in uint64_t address)
{
   return Vector(address).value;
}

vec4
load_row(const in uint64_t address)
{
   return uintBitsToFloat(load(address));
}

float
magnitude(const in float x)
{
   return x < 0 ? -x : x;
}

bool
is_finite(const in vec3 v)
{
   return all(lessThan(v, vec3(INFINITY))) && all(greaterThan(v, vec3(-INFINITY)));
}

vec3
transform_point(const in vec4 x, const in vec4 y, const in vec4 z, const in vec3 v)
{
   return vec3(dot(x.xyz, v) + x.w, dot(y.xyz, v) + y.w, dot(z.xyz, v) + z.w);
}

vec3
transform_direction(const in vec4 x, const in vec4 y, const in vec4 z, const in vec3 v)
{
   return vec3(dot(x.xyz, v), dot(y.xyz, v), dot(z.xyz, v));
}

RayQuery
rq_initialize(const in uint64_t structure, const in uint flags, const in uint cull_mask,
              const in vec3 origin, const in float t_min, const in vec3 direction,
              const in float t_max)
{
   const bool is_valid = is_finite(origin) && is_finite(direction) && t_min <= t_max;

   return RayQuery(0, (flags & 0xffff) | cull_mask << 24, origin, t_min, direction, t_max,
                   is_valid ? structure : 0, 0, 0, 0, 0, CANDIDATE_TRIANGLE, 0, vec2(0),
                   COMMITTED_NONE, vec2(0), 0, 0);
}

/* Commits the candidate. */
RayQuery
commit(const in RayQuery q, const in uint type, const in float t)
{
   RayQuery r = q;

   r.t = t;
   r.committed = type | (q.candidate & IS_FRONT_FACING);
   r.committed_barycentrics = q.candidate_barycentrics;
   r.committed_instance = q.instance;
   r.committed_leaf = q.leaf;
   if ((q.flags & TERMINATE_ON_FIRST_HIT) != 0)
      r.structure = 0;
   return r;
}

RayQuery
rq_confirm(const in RayQuery q)
{
   return commit(q, COMMITTED_TRIANGLE, q.candidate_t);
}

RayQuery
rq_generate(const in RayQuery q, const in float t)
{
   RayQuery r = q;

   if (t >= q.t_min && t <= q.t)
      r = commit(q, COMMITTED_GENERATED, t);
   return r;
}

RayQuery
rq_terminate(const in RayQuery q)
{
   RayQuery r = q;

   r.structure = 0;
   return r;
}

/* A ray in the space of the level where the traversal is. */
struct Ray {
   vec3 origin, inverse;
   /*
    * Rows of the matrix that shears and scales space, relative to the origin, so that the ray is
    * the z axis from 0 to t (Woop, Benthin and Wald 2013, "Watertight Ray/Triangle Intersection").
    * x and y are two of the three coordinates, with multiples of the third one: so the sums and
    * products with the zeros and ones of the rows are exact.
    */
   vec3 x, y, z;
};

Ray
make_ray(const in vec3 origin, const in vec3 direction)
{
   const vec3 size =
      vec3(magnitude(direction.x), magnitude(direction.y), magnitude(direction.z));
   const bool is_z = size.z >= size.x && size.z >= size.y, is_x = !is_z && size.x >= size.y;
   /* The longest direction, and the ones after it in cyclic order. */
   const vec3 axis = is_z ? vec3(0, 0, 1) : is_x ? vec3(1, 0, 0) : vec3(0, 1, 0);
   const vec3 axis_x = axis.zxy, axis_y = axis.yzx;
   const vec3 d = is_z ? direction : is_x ? direction.yzx : direction.zxy;
   precise const vec3 x = axis_x - d.x / d.z * axis, y = axis_y - d.y / d.z * axis;
   Ray ray;

   ray.origin = origin;
   ray.inverse = 1 / direction;
   /* Keeps the winding order. */
   ray.x = d.z < 0 ? y : x;
   ray.y = d.z < 0 ? x : y;
   ray.z = 1 / d.z * axis;
   return ray;
}

/*
 * Tests a box, and reports it rather too often than not: a quotient that is not a number, as the
 * origin is in a plane of the box and the ray, too, excludes nothing. t_max is larger by more than
 * the rounding of the three operations before (Ize 2013, "Robust BVH Ray Traversal").
 */
bool
hits_box(const in Ray ray, const in vec3 low, const in vec3 high, const in float t_min,
         const in float t_max)
{
   const bvec3 is_negative = lessThan(ray.inverse, vec3(0));
   const vec3 enter = (mix(low, high, is_negative) - ray.origin) * ray.inverse;
   const vec3 leave = (mix(high, low, is_negative) - ray.origin) * ray.inverse;
   float start = t_min, end = t_max;

   start = enter.x > start ? enter.x : start;
   start = enter.y > start ? enter.y : start;
   start = enter.z > start ? enter.z : start;
   end = leave.x < end ? leave.x : end;
   end = leave.y < end ? leave.y : end;
   end = leave.z < end ? leave.z : end;
   return start <= end * 1.0000004;
}

/* A triangle that a ray hits: t, or infinity, and barycentrics of the second and third vertex. */
struct Triangle {
   float t;
   vec2 barycentrics;
   bool is_front_facing;
};

/* Returns the position of a vertex relative to the ray. */
vec3
shear(const in Ray ray, const in vec3 vertex)
{
   precise const vec3 v = vertex - ray.origin;
   precise const float x = v.x * ray.x.x + v.y * ray.x.y + v.z * ray.x.z;
   precise const float y = v.x * ray.y.x + v.y * ray.y.y + v.z * ray.y.z;
   precise const float z = v.x * ray.z.x + v.y * ray.z.y + v.z * ray.z.z;

   return vec3(x, y, z);
}

/* Returns twice the area of a triangle at the ray. Its sign is right unless it is 0. */
float
area(const in vec3 a, const in vec3 b)
{
   precise const float p = b.x * a.y, q = b.y * a.x;
   precise const float difference = p - q;

   return difference;
}

/*
 * Returns true if an edge from a to b belongs to the triangle on its left, of the two that share
 * it: the other one has the edge from b to a.
 */
bool
owns_edge(const in vec3 a, const in vec3 b)
{
   return b.y > a.y || b.y == a.y && b.x < a.x;
}

/*
 * Tests a triangle. A ray through an edge, or too close to it for a float, hits the triangle that
 * owns the edge, so it hits one of the two. Triangles without area are never hit.
 */
Triangle
hit_triangle(const in Ray ray, const in vec3 vertex0, const in vec3 vertex1, const in vec3 vertex2)
{
   const vec3 a = shear(ray, vertex0), b = shear(ray, vertex1), c = shear(ray, vertex2);
   const float u = area(b, c), v = area(c, a), w = area(a, b);
   const float sum = u + v + w;
   const bool is_positive = sum > 0;
   const bool is_inside = u >= 0 && v >= 0 && w >= 0 || u <= 0 && v <= 0 && w <= 0;
   /* Edges in the other direction have the other owner. */
   const bool is_owned = (u != 0 || owns_edge(b, c) == is_positive) &&
                         (v != 0 || owns_edge(c, a) == is_positive) &&
                         (w != 0 || owns_edge(a, b) == is_positive);
   /* Not a number if it is not inside, which makes all comparisons false. */
   const float inverse = is_inside && is_owned && sum != 0 ? 1 / sum : NOT_A_NUMBER;

   return Triangle((u * a.z + v * b.z + w * c.z) * inverse, vec2(v, w) * inverse, is_positive);
}

/* Returns whether the geometry of a candidate is opaque; all else may overrule it. */
bool
is_opaque(const in uint geometry, const in uint instance, const in uint flags)
{
   bool opaque = geometry >> 31 != 0;

   opaque = opaque || (instance & FORCE_OPAQUE) != 0;
   opaque = opaque && (instance & FORCE_NO_OPAQUE) == 0;
   opaque = opaque || (flags & OPAQUE) != 0;
   return opaque && (flags & NO_OPAQUE) == 0;
}

RayQuery
rq_proceed(const in RayQuery q)
{
   RayQuery r = q;
   /* Of the level where the traversal is. */
   Ray ray;
   uint64_t nodes = 0, leaves = 0;
   uint node = 0, end = 0, kind = 0, instance = 0;
   bool is_new_level = true;

   r.proceeds = 0;
   while (r.structure != 0) {
      if (is_new_level) {
         vec3 origin = r.origin, direction = r.direction;
         uint64_t structure = r.structure;

         node = r.node;
         if (r.instance != 0) {
            const uvec4 words = load(r.instance + SDVK_BVH_REFERENCE);
            const vec4 x = load_row(r.instance + SDVK_BVH_WORLD_TO_OBJECT);
            const vec4 y = load_row(r.instance + SDVK_BVH_WORLD_TO_OBJECT + 16);
            const vec4 z = load_row(r.instance + SDVK_BVH_WORLD_TO_OBJECT + 32);

            origin = transform_point(x, y, z, r.origin);
            direction = transform_direction(x, y, z, r.direction);
            structure = pack64(words.xy);
            instance = words.w;
            node = r.bottom_node;
         }

         const uvec4 counts = load(structure + SDVK_BVH_COUNTS);

         nodes = structure + SDVK_BVH_HEADER_SIZE;
         leaves = structure + sdvk_bvh_leaves(counts.x);
         end = counts.y;
         kind = counts.z;
         /* Nothing in this instance can be hit. */
         if (r.instance != 0 &&
             (!is_finite(origin) || !is_finite(direction) ||
              (r.flags & (kind == SDVK_BVH_TRIANGLES ? SKIP_TRIANGLES : SKIP_AABBS)) != 0))
            end = 0;
         ray = make_ray(origin, direction);
         is_new_level = false;
      }

      uint leaf = SDVK_BVH_INNER;

      /* The next leaf, in a loop of its own: lanes that have found one wait for the others. */
      while (node < end && leaf == SDVK_BVH_INNER) {
         const uint64_t address = nodes + SDVK_BVH_NODE_SIZE * uint64_t(node);
         const uvec4 low = load(address), high = load(address + 16);
         const bool hit = hits_box(ray, uintBitsToFloat(low.xyz), uintBitsToFloat(high.xyz),
                                   r.t_min, r.t);
         /* From 1 to all that is left, whatever the node says. */
         const uint skip = low.w > end - node ? end - node : low.w;

         leaf = hit ? high.w : SDVK_BVH_INNER;
         node += hit || skip == 0 ? 1 : skip;
      }

      if (leaf == SDVK_BVH_INNER) {
         /* The end of this level: of the traversal, or back to the structure. */
         if (r.instance == 0)
            r.structure = 0;
         r.instance = 0;
         is_new_level = true;
      } else if (r.instance == 0) {
         const uint64_t record = leaves + SDVK_BVH_INSTANCE_SIZE * uint64_t(leaf);
         const uvec4 words = load(record + SDVK_BVH_REFERENCE);

         r.node = node;
         /* Both have the mask in the highest 8 bits. */
         if ((words.z & r.flags) >> 24 != 0 && (words.x | words.y) != 0) {
            r.instance = record;
            r.bottom_node = 0;
            is_new_level = true;
         }
      } else {
         const bool is_triangle = kind == SDVK_BVH_TRIANGLES;

         r.bottom_node = node;
         r.leaf = leaves + (is_triangle ? SDVK_BVH_TRIANGLE_SIZE : SDVK_BVH_AABB_SIZE) *
                           uint64_t(leaf);

         const uvec4 words = load(r.leaf);
         const bool opaque = is_opaque(words.y, instance, r.flags);
         bool hit = (r.flags & (opaque ? CULL_OPAQUE : CULL_NO_OPAQUE)) == 0;

         r.candidate = CANDIDATE_AABB | (opaque ? IS_OPAQUE : 0);
         if (hit && is_triangle) {
            const vec4 b = load_row(r.leaf + 16), c = load_row(r.leaf + 32);
            const Triangle triangle = hit_triangle(ray, vec3(uintBitsToFloat(words.w), b.xy),
                                                   vec3(b.zw, c.x), c.yzw);
            const bool is_front_facing =
               triangle.is_front_facing == ((instance & FLIP_FACING) == 0);
            const uint cull = is_front_facing ? CULL_FRONT_FACING : CULL_BACK_FACING;

            hit = triangle.t > r.t_min && triangle.t < r.t &&
                  ((r.flags & cull) == 0 || (instance & FACING_CULL_DISABLE) != 0);
            r.candidate = CANDIDATE_TRIANGLE | (is_front_facing ? IS_FRONT_FACING : 0);
            r.candidate_t = triangle.t;
            r.candidate_barycentrics = triangle.barycentrics;
         }
         if (hit && is_triangle && opaque) {
            r = commit(r, COMMITTED_TRIANGLE, r.candidate_t);
         } else if (hit) {
            r.proceeds = 1;
            break;
         }
      }
   }
   return r;
}

/* Of the candidate, or of the committed intersection */

/*
 * Loads from a record. Helper invocations of llvmpipe may leave loops early and go on with any
 * values that the variables of the loop had before, also with no record.
 */
uvec4
load_of_record(const in uint64_t record, const in uint offset)
{
   return record != 0 ? load(record + offset) : uvec4(0);
}

vec4
load_row_of_record(const in uint64_t record, const in uint offset)
{
   return uintBitsToFloat(load_of_record(record, offset));
}

uint64_t
instance_record(const in RayQuery q, const in uint committed)
{
   return committed != 0 ? q.committed_instance : q.instance;
}

uint64_t
leaf_record(const in RayQuery q, const in uint committed)
{
   return committed != 0 ? q.committed_leaf : q.leaf;
}

uint
rq_type(const in RayQuery q, const in uint committed)
{
   return (committed != 0 ? q.committed : q.candidate) & TYPE_MASK;
}

float
rq_t(const in RayQuery q, const in uint committed)
{
   return committed != 0 ? q.t : q.candidate_t;
}

uint
rq_custom_index(const in RayQuery q, const in uint committed)
{
   return load_of_record(instance_record(q, committed), SDVK_BVH_REFERENCE).z & 0xffffff;
}

uint
rq_instance(const in RayQuery q, const in uint committed)
{
   return load_of_record(instance_record(q, committed), SDVK_BVH_INSTANCE_INDEX).x;
}

uint
rq_sbt_offset(const in RayQuery q, const in uint committed)
{
   return load_of_record(instance_record(q, committed), SDVK_BVH_REFERENCE).w & 0xffffff;
}

uint
rq_geometry(const in RayQuery q, const in uint committed)
{
   return load_of_record(leaf_record(q, committed), 0).y & 0x7fffffff;
}

uint
rq_primitive(const in RayQuery q, const in uint committed)
{
   return load_of_record(leaf_record(q, committed), 0).x;
}

vec2
rq_barycentrics(const in RayQuery q, const in uint committed)
{
   return committed != 0 ? q.committed_barycentrics : q.candidate_barycentrics;
}

bool
rq_front_face(const in RayQuery q, const in uint committed)
{
   return ((committed != 0 ? q.committed : q.candidate) & IS_FRONT_FACING) != 0;
}

vec3
rq_object_direction(const in RayQuery q, const in uint committed)
{
   const uint64_t record = instance_record(q, committed);

   return transform_direction(load_row_of_record(record, SDVK_BVH_WORLD_TO_OBJECT),
                              load_row_of_record(record, SDVK_BVH_WORLD_TO_OBJECT + 16),
                              load_row_of_record(record, SDVK_BVH_WORLD_TO_OBJECT + 32),
                              q.direction);
}

vec3
rq_object_origin(const in RayQuery q, const in uint committed)
{
   const uint64_t record = instance_record(q, committed);

   return transform_point(load_row_of_record(record, SDVK_BVH_WORLD_TO_OBJECT),
                          load_row_of_record(record, SDVK_BVH_WORLD_TO_OBJECT + 16),
                          load_row_of_record(record, SDVK_BVH_WORLD_TO_OBJECT + 32), q.origin);
}

/* Returns a matrix of three rows as Vulkan has it, by columns. */
mat4x3
load_matrix(const in uint64_t record, const in uint offset)
{
   const vec4 x = load_row_of_record(record, offset), y = load_row_of_record(record, offset + 16),
              z = load_row_of_record(record, offset + 32);

   return mat4x3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z, x.w, y.w, z.w);
}

mat4x3
rq_object_to_world(const in RayQuery q, const in uint committed)
{
   return load_matrix(instance_record(q, committed), SDVK_BVH_OBJECT_TO_WORLD);
}

mat4x3
rq_world_to_object(const in RayQuery q, const in uint committed)
{
   return load_matrix(instance_record(q, committed), SDVK_BVH_WORLD_TO_OBJECT);
}

vec3
rq_position(const in RayQuery q, const in uint committed, const in uint i)
{
   const uint64_t record = leaf_record(q, committed);

   return record != 0 ? Position(record + SDVK_BVH_TRIANGLE_VERTICES + 12 * i).value : vec3(0);
}

bool
rq_candidate_opaque(const in RayQuery q)
{
   return (q.candidate & IS_OPAQUE) != 0;
}

/* Of the ray */

float
rq_t_min(const in RayQuery q)
{
   return q.t_min;
}

uint
rq_flags(const in RayQuery q)
{
   return q.flags & 0xffff;
}

vec3
rq_world_direction(const in RayQuery q)
{
   return q.direction;
}

vec3
rq_world_origin(const in RayQuery q)
{
   return q.origin;
}

void
main()
{
}
