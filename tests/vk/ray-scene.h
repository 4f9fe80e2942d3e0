/* SPDX-License-Identifier: MIT */
/*
 * Acceleration structures for the tests of rays: buffers with addresses, builds, scenes of
 * triangles and boxes, a compute shader that traces rays through them (vk-rays.comp), and a model
 * that computes the hits on the CPU. A call that fails ends the program.
 */
#ifndef TESTS_RAY_SCENE_H
#define TESTS_RAY_SCENE_H

#include "vk-pipeline.h"

#define RAY_BOTTOM VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR
#define RAY_TOP VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR
#define RAY_GEOMETRIES 8
#define RAY_INSTANCES 32
#define RAY_LISTED 8
#define RAY_COMPARED 1024
#define RAY_SOUP_TRIANGLES 20

/* Features and functions; the extensions are device extensions that ray_open() enables. */
extern struct rays {
	VkPhysicalDeviceAccelerationStructureFeaturesKHR structures;
	VkPhysicalDeviceRayQueryFeaturesKHR queries;
	VkPhysicalDeviceRayTracingPositionFetchFeaturesKHR positions;
	VkPhysicalDeviceRayTracingMaintenance1FeaturesKHR maintenance;
	VkPhysicalDeviceRobustness2FeaturesEXT robustness;
	VkPhysicalDeviceDescriptorIndexingFeatures indexing;
	VkPhysicalDeviceConditionalRenderingFeaturesEXT conditions;
	VkPhysicalDeviceMeshShaderFeaturesEXT mesh;
	VkPhysicalDeviceMaintenance4Features maintenance4;
	VkPhysicalDeviceShaderFloatControls2FeaturesKHR float_controls;
	VkPhysicalDeviceBufferDeviceAddressFeatures addresses;
	VkPhysicalDeviceAccelerationStructurePropertiesKHR limits;
	PFN_vkGetBufferDeviceAddressKHR address_of;
	PFN_vkCreateAccelerationStructureKHR create;
	PFN_vkDestroyAccelerationStructureKHR destroy;
	PFN_vkGetAccelerationStructureBuildSizesKHR sizes_of;
	PFN_vkGetAccelerationStructureDeviceAddressKHR structure_address;
	PFN_vkCmdBuildAccelerationStructuresKHR build;
} rays;

/*
 * Opens the device with all extensions of struct rays that it supports. Returns false if it
 * supports no ray queries: then the device is closed again and a skipped test is printed.
 */
bool ray_open(void);
/* Returns true if the driver is sundog, which promises more than other drivers do. */
bool ray_is_sundog(void);

/*
 * A buffer for inputs, structures, scratch and serialized structures: @size bytes from an address
 * on that is a multiple of 256. The memory is zero.
 */
struct ray_buffer {
	struct vk_buffer whole;
	VkDeviceAddress address;
	VkDeviceSize offset;		/* in the buffer */
	VkDeviceSize size;
	void *map;
};

struct ray_buffer ray_buffer_new(VkDeviceSize size);
struct ray_buffer ray_buffer_of(const void *data, VkDeviceSize size);
void ray_buffer_del(const struct ray_buffer *buffer);

struct ray_structure {
	VkAccelerationStructureKHR handle;
	VkDeviceAddress address;
	VkDeviceSize size;
	void *map;
	struct ray_buffer memory;
};

/* Inputs of a build. */
struct ray_build {
	VkAccelerationStructureTypeKHR type;
	VkBuildAccelerationStructureFlagsKHR flags;
	uint32_t count;
	const VkAccelerationStructureGeometryKHR *geometries;
	const VkAccelerationStructureBuildRangeInfoKHR *ranges;
};

VkAccelerationStructureBuildSizesInfoKHR ray_sizes(const struct ray_build *build);
/* A structure that is not built yet: of a size, or for a build. */
struct ray_structure ray_structure_sized(VkAccelerationStructureTypeKHR type, VkDeviceSize size);
struct ray_structure ray_structure_new(const struct ray_build *build);
void ray_structure_del(const struct ray_structure *structure);
/* The info of a build of @to; @from is the source of an update, or NULL for a build. */
VkAccelerationStructureBuildGeometryInfoKHR
ray_build_info(const struct ray_build *build, const struct ray_structure *from,
	       const struct ray_structure *to, const struct ray_buffer *scratch);
/* Records a build or an update between barriers. */
void ray_record(VkCommandBuffer cmd, const struct ray_build *build,
		const struct ray_structure *from, const struct ray_structure *to,
		const struct ray_buffer *scratch);
/* Builds or updates with scratch of its own, and waits. */
void ray_build(const struct ray_build *build, const struct ray_structure *from,
	       const struct ray_structure *to);

/*
 * Geometries with default values that a test may change: triangles of three vertices of 12 bytes
 * each without indices, boxes of 24 bytes, an array of instances.
 */
VkAccelerationStructureGeometryKHR ray_triangles(const struct ray_buffer *vertices,
						 VkGeometryFlagsKHR flags);
VkAccelerationStructureGeometryKHR ray_boxes(const struct ray_buffer *boxes,
					     VkGeometryFlagsKHR flags);
VkAccelerationStructureGeometryKHR ray_instances(const struct ray_buffer *instances);

/* A bottom-level structure; the CPU keeps the corners of its triangles. */
struct ray_soup {
	uint32_t count;
	struct ray_geometry {
		VkGeometryTypeKHR type;
		uint32_t primitives;
		VkGeometryFlagsKHR flags;
		struct ray_buffer data;		/* corners of 3 floats, or VkAabbPositionsKHR */
	} geometries[RAY_GEOMETRIES];
	struct ray_structure structure;
};

void ray_soup_triangles(struct ray_soup *soup, const float (*corners)[3], uint32_t triangles,
			VkGeometryFlagsKHR flags);
void ray_soup_boxes(struct ray_soup *soup, const VkAabbPositionsKHR *boxes, uint32_t count,
		    VkGeometryFlagsKHR flags);
void ray_soup_build(struct ray_soup *soup, VkBuildAccelerationStructureFlagsKHR flags);
void ray_soup_del(struct ray_soup *soup);

/* A top-level structure. */
struct ray_world {
	uint32_t count;
	VkAccelerationStructureInstanceKHR instances[RAY_INSTANCES];
	const struct ray_soup *soups[RAY_INSTANCES];
	struct ray_buffer data;
	struct ray_structure structure;
};

/* Adds an instance with the identity as its transform and mask 0xff. */
VkAccelerationStructureInstanceKHR *ray_world_add(struct ray_world *world,
						  const struct ray_soup *soup);
void ray_world_build(struct ray_world *world, VkBuildAccelerationStructureFlagsKHR flags);
void ray_world_del(struct ray_world *world);

/* As in vk-rays.comp. */
struct ray {
	float origin[3], tmin, direction[3], tmax;
	uint32_t flags, mask, confirm, generate;
	float generated, step;
	uint32_t limit, pad;
};

struct ray_hit {
	uint32_t type;
	float t;
	uint32_t primitive, geometry, instance, custom, sbt_offset, front;
	float u, v;
	uint32_t triangles, boxes, triangle_set, box_set, opaque_boxes, confirmed, late, again,
		flags;
	float tmin, origin[3], direction[3], object_origin[3], object_direction[3];
	float to_world[12], to_object[12], positions[9];
	uint32_t listed[RAY_LISTED];
	float listed_t[RAY_LISTED];
};

/* Values of ray_hit.type, and of ray flags, as in SPIR-V. */
enum { RAY_MISS, RAY_TRIANGLE, RAY_GENERATED };
enum {
	RAY_OPAQUE = 0x1, RAY_NO_OPAQUE = 0x2, RAY_TERMINATE = 0x4, RAY_CULL_BACK = 0x10,
	RAY_CULL_FRONT = 0x20, RAY_CULL_OPAQUE = 0x40, RAY_CULL_NO_OPAQUE = 0x80,
	RAY_SKIP_TRIANGLES = 0x100, RAY_SKIP_BOXES = 0x200,
};

/* A ray with mask 0xff and t from 0 to 1000. */
struct ray ray_from(float x, float y, float z, float dx, float dy, float dz);

/* A pipeline of vk-rays.comp with buffers for @most rays. */
struct ray_tracer {
	uint32_t most;
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	struct ray_buffer rays, hits;
};

enum ray_form { RAY_PLAIN, RAY_POSITIONS, RAY_ADDRESS };

struct ray_tracer ray_tracer_new(uint32_t most, enum ray_form form);
void ray_tracer_del(const struct ray_tracer *tracer);
/* Writes the structure to the descriptor. */
void ray_tracer_set(const struct ray_tracer *tracer, VkAccelerationStructureKHR structure);
/* Records a dispatch with the first @count rays of tracer->rays. @address: for RAY_ADDRESS. */
void ray_tracer_record(VkCommandBuffer cmd, const struct ray_tracer *tracer, uint32_t count,
		       VkDeviceAddress address);
/* Traces rays; the hits stay valid until the next call. */
const struct ray_hit *ray_trace(const struct ray_tracer *tracer,
				const struct ray_structure *structure, const struct ray *rays,
				uint32_t count);
/* Traces one ray. */
struct ray_hit ray_trace_one(const struct ray_tracer *tracer,
			     const struct ray_structure *structure, struct ray ray);

/* Random numbers that are the same in each run: from 0 to 2^32 - 1, and from @low to @high. */
uint32_t ray_random(void);
float ray_random_float(float low, float high);
/* Triangles of at most @size around centers, which have coordinates from -@room to @room. */
void ray_random_corners(float (*corners)[3], uint32_t triangles, float room, float size);
/* A rotation, a scale and a shear, a mirror or none, and a translation of at most @room. */
void ray_random_transform(VkTransformMatrixKHR *m, float room);
/* A ray from a point of the room to one near its center. */
struct ray ray_random_ray(float room);

/*
 * The model: the closest hit of a ray with the triangles of a world, computed in doubles. Opaque
 * triangles count, others do so if ray.confirm has their bit. If @unclear, rounding may choose
 * another result: the ray passes near an edge or hits two triangles at about the same t.
 */
struct ray_model {
	bool unclear, hit, front;
	double t, u, v;
	uint32_t instance, geometry, primitive;
	uint32_t candidates;		/* non-opaque triangles that the ray meets at any t */
};

struct ray_model ray_model(const struct ray_world *world, const struct ray *ray);
/* Returns true if a hit is that of the model; prints the difference otherwise. */
bool ray_is_as_modelled(const struct ray_world *world, const struct ray *ray,
			const struct ray_hit *hit, const struct ray_model *model);
/*
 * Traces @count rays through a world and compares all that are clear with the model. Returns true
 * if they are equal, and if more than half of the rays are clear.
 */
bool ray_compare(const struct ray_tracer *tracer, const struct ray_world *world,
		 const struct ray *rays, uint32_t count);

/* The same for RAY_COMPARED rays from a room, which the tracer must have buffers for. */
bool ray_world_is_right(const struct ray_tracer *tracer, const struct ray_world *world,
			float room);
/* The same for an instance of a bottom-level structure, with a random transform. */
bool ray_soup_is_right(const struct ray_tracer *tracer, const struct ray_soup *soup, float room);
/* Builds RAY_SOUP_TRIANGLES random opaque triangles. */
void ray_soup_random(struct ray_soup *soup, VkBuildAccelerationStructureFlagsKHR flags);
/* Adds instances with random transforms. */
void ray_world_random(struct ray_world *world, const struct ray_soup *soup, uint32_t count);

bool ray_is_near(double a, double b, double tolerance);

#endif
