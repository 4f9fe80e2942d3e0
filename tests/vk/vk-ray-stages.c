// SPDX-License-Identifier: MIT
/*
 * Vulkan: descriptors of acceleration structures, ray query objects, and ray queries of all stages
 * (VK_KHR_ray_query). Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "ray-scene.h"

#include "vk-ray-stages-shaders.h"

#define LISTED 4		/* structures of an array, as in vk-ray-list.comp */
#define SIDE 16
#define PIXELS (SIDE * SIDE)
#define AS VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR

static struct {
	struct ray_soup soups[LISTED];
	struct ray_world worlds[LISTED];	/* world i has a triangle at t i + 1 */
	VkAccelerationStructureKHR structures[LISTED];
	struct vk_buffer results;
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline list;
} test;

static const VkDescriptorSetLayoutBinding bindings[] = {
	{ 0, AS, LISTED, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
};

/* The results of vk-ray-list.comp. */
struct results {
	uint32_t order[16];
	float t[16];
};

/* Descriptors */

static void world_new(struct ray_soup *soup, struct ray_world *world, float z)
{
	const float corners[][3] = { { -9, -9, z }, { -9, 9, z }, { 9, -9, z } };

	ray_soup_triangles(soup, corners, 1, VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(soup, 0);
	ray_world_add(world, soup)->transform.matrix[0][3] = 2;
	ray_world_build(world, 0);
}

static void make_things(void)
{
	test.results = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	for (uint32_t i = 0; i < LISTED; i++) {
		world_new(&test.soups[i], &test.worlds[i], i + 1);
		test.structures[i] = test.worlds[i].structure.handle;
	}
	test.set = vk_set_new(bindings, 2);
	vk_write_buffer(test.set.set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.results);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
	test.list = vk_compute_new(test.layout, VK_CODE(ray_list));
}

static void drop_things(void)
{
	vkDestroyPipeline(vk.device, test.list, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	for (uint32_t i = 0; i < LISTED; i++) {
		ray_world_del(&test.worlds[i]);
		ray_soup_del(&test.soups[i]);
	}
	vk_buffer_del(&test.results);
}

static void write_structures(VkDescriptorSet set, uint32_t first, uint32_t count,
			     const VkAccelerationStructureKHR *structures)
{
	const VkWriteDescriptorSetAccelerationStructureKHR list = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
		.accelerationStructureCount = count,
		.pAccelerationStructures = structures,
	};
	VkWriteDescriptorSet write = vk_write_of(set, 0, count, AS);

	write.pNext = &list;
	write.dstArrayElement = first;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

/* Sixteen work groups take structures in an order that no driver can guess. */
static struct results *begin_results(void)
{
	struct results *results = test.results.map;

	memset(results, 0, sizeof(*results));
	for (uint32_t i = 0; i < 16; i++)
		results->order[i] = (i * 7 + i / 4) % LISTED;
	return results;
}

/* @t: expected of each structure, -1: no hit */
static bool results_are(const float *t)
{
	const struct results *results = test.results.map;

	for (uint32_t i = 0; i < 16; i++) {
		if (ray_is_near(results->t[i], t[results->order[i]], 1e-5))
			continue;
		printf("# group %u: structure %u, t %g\n", i, results->order[i], results->t[i]);
		return false;
	}
	return true;
}

static bool list_is(VkDescriptorSet set, const float *t)
{
	VkCommandBuffer cmd = vk_begin();

	begin_results();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.list);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1, &set, 0,
				NULL);
	vkCmdDispatch(cmd, 16, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	return results_are(t);
}

static void test_array(void)
{
	static const float forward[] = { 1, 2, 3, 4 }, changed[] = { 1, 4, 3, 4 };
	static const float copied[] = { 3, 4, 3, 4 };
	VkCopyDescriptorSet copy = { .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
				     .dstBinding = 0, .descriptorCount = 2 };
	struct vk_set other;

	write_structures(test.set.set, 0, LISTED, test.structures);
	tap(list_is(test.set.set, forward),
	    "an array of structures with a dynamically uniform index");
	write_structures(test.set.set, 1, 1, &test.structures[3]);
	tap(list_is(test.set.set, changed), "an element of an array of structures is written");
	other = vk_set_new(bindings, 2);
	vk_write_buffer(other.set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.results);
	write_structures(other.set, 0, LISTED, test.structures);
	copy.srcSet = test.set.set;
	copy.srcArrayElement = 2;
	copy.dstSet = other.set;
	vkUpdateDescriptorSets(vk.device, 0, NULL, 1, &copy);
	tap(list_is(other.set, copied), "descriptors of structures are copied between sets");
	vk_set_del(&other);
}

static VkDescriptorUpdateTemplate template_new(VkDescriptorUpdateTemplateType type, size_t offset,
					       size_t stride)
{
	const VkDescriptorUpdateTemplateEntry entry = {
		.dstBinding = 0,
		.descriptorCount = LISTED,
		.descriptorType = AS,
		.offset = offset,
		.stride = stride,
	};
	const VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 1,
		.pDescriptorUpdateEntries = &entry,
		.templateType = type,
		.descriptorSetLayout = test.set.layout,
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
		.pipelineLayout = test.layout,
	};
	VkDescriptorUpdateTemplate template;

	VK_CHECK(vkCreateDescriptorUpdateTemplate(vk.device, &info, NULL, &template));
	return template;
}

static void test_template(void)
{
	static const float backward[] = { 4, 3, 2, 1 };
	struct {
		VkAccelerationStructureKHR structure;
		uint64_t other[2];
	} data[LISTED + 1] = { 0 };
	VkDescriptorUpdateTemplate template;

	for (uint32_t i = 0; i < LISTED; i++)
		data[1 + i].structure = test.structures[LISTED - 1 - i];
	template = template_new(VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET, sizeof(data[0]),
				sizeof(data[0]));
	vkUpdateDescriptorSetWithTemplate(vk.device, test.set.set, template, data);
	tap(list_is(test.set.set, backward), "a template writes structures with offset and stride");
	vkDestroyDescriptorUpdateTemplate(vk.device, template, NULL);
}

static void test_push(void)
{
	static const float forward[] = { 1, 2, 3, 4 };
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
		.bindingCount = 2,
		.pBindings = bindings,
	};
	const VkWriteDescriptorSetAccelerationStructureKHR list = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
		.accelerationStructureCount = LISTED,
		.pAccelerationStructures = test.structures,
	};
	const VkDescriptorBufferInfo buffer = { test.results.buffer, 0, VK_WHOLE_SIZE };
	VkWriteDescriptorSet writes[] = {
		vk_write_of(VK_NULL_HANDLE, 0, LISTED, AS),
		vk_write_of(VK_NULL_HANDLE, 1, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
	};
	VkDescriptorSetLayout set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	if (!vk_has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) {
		tap(true, "push descriptors of structures # SKIP not supported");
		return;
	}
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &set));
	layout = vk_layout_new(&set, 1, 0, 0);
	pipeline = vk_compute_new(layout, VK_CODE(ray_list));
	writes[0].pNext = &list;
	writes[1].pBufferInfo = &buffer;
	begin_results();
	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	VK_FUNCTION(vkCmdPushDescriptorSetKHR)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2,
					       writes);
	vkCmdDispatch(cmd, 16, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(results_are(forward), "push descriptors of structures");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, set, NULL);
}

static void test_null(void)
{
	static const VkAccelerationStructureKHR none[] = { VK_NULL_HANDLE, VK_NULL_HANDLE };
	static const float expected[] = { 1, -1, -1, 4 };

	if (!rays.robustness.nullDescriptor) {
		tap(true, "null descriptors of structures # SKIP not supported");
		return;
	}
	write_structures(test.set.set, 0, LISTED, test.structures);
	write_structures(test.set.set, 1, 2, none);
	tap(list_is(test.set.set, expected), "a null descriptor of a structure has no hits");
}

/* Structures that are built after their descriptor was written, and into which another is built */
static void test_late_builds(void)
{
	static const float before[] = { 3, 2, 3, 4 }, after[] = { 2, 2, 3, 4 };
	const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = 1 };
	VkAccelerationStructureGeometryKHR geometry = ray_instances(&test.worlds[2].data);
	const struct ray_build build = { RAY_TOP, 0, 1,
					 &geometry, &range };
	const struct ray_structure structure = ray_structure_new(&build);
	bool ok;

	write_structures(test.set.set, 0, LISTED, test.structures);
	write_structures(test.set.set, 0, 1, &structure.handle);
	ray_build(&build, NULL, &structure);
	ok = list_is(test.set.set, before);
	geometry = ray_instances(&test.worlds[1].data);
	ray_build(&build, NULL, &structure);
	tap(ok && list_is(test.set.set, after),
	    "a descriptor names the structure that is built later");
	ray_structure_del(&structure);
}

static void test_address(void)
{
	struct ray_tracer tracer = ray_tracer_new(1, RAY_ADDRESS);
	bool ok = true;

	for (uint32_t i = 0; i < LISTED; i++) {
		const struct ray_hit hit =
			ray_trace_one(&tracer, &test.worlds[i].structure,
				      ray_from(0, 0, 0, 0, 0, 1));

		ok &= hit.type == RAY_TRIANGLE && ray_is_near(hit.t, i + 1, 1e-5);
	}
	tap(ok, "a structure that a shader converts from its device address");
	ray_tracer_del(&tracer);
}

/* Query objects */

/* Non-opaque triangles at t 1 to 8, an opaque one at 10. */
static void objects_world(struct ray_soup *soup, struct ray_world *world)
{
	float corners[9][3][3];

	for (uint32_t i = 0; i < 9; i++) {
		const float z = i == 8 ? 10 : i + 1;
		const float one[3][3] = { { -9, -9, z }, { -9, 9, z }, { 9, -9, z } };

		memcpy(corners[i], one, sizeof(one));
	}
	ray_soup_triangles(soup, corners[0], 8, 0);
	ray_soup_triangles(soup, corners[8], 1, VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(soup, 0);
	ray_world_add(world, soup)->transform.matrix[0][3] = 2;
	ray_world_build(world, 0);
}

static float expected_object(uint32_t i, uint32_t column)
{
	static const uint32_t steps[] = { 0, 0, 1, 2, 3, 0, 0, 5 };
	const uint32_t primitive = (i + steps[column]) % 10;

	if (column == 5)
		return (i % 4 + 1) * (i % 4 + 2) / 2;
	return primitive < 8 ? primitive + 1 : 10;
}

static void test_objects(void)
{
	static const char *const rules[] = {
		"a query object in the Private storage class",
		"query objects of an array are used alternately: the first",
		"query objects of an array are used alternately: the second",
		"query objects of an array are used alternately: the third",
		"a query object is passed to a function",
		"a query object begins anew in a loop",
		"two queries at once: one within the loop of the other",
		"a query that has candidates left begins anew",
	};
	const float (*results)[8] = test.results.map;
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	VkPipeline pipeline;

	objects_world(&soup, &world);
	pipeline = vk_compute_new(test.layout, VK_CODE(ray_objects));
	memset(test.results.map, 0, test.results.size);
	write_structures(test.set.set, 0, 1, &world.structure.handle);
	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	for (uint32_t column = 0; column < 8; column++) {
		bool ok = true;

		for (uint32_t i = 0; i < 64 && ok; i++) {
			const float want = expected_object(i, column);

			ok = ray_is_near(results[i][column], want, 1e-5);
			if (!ok)
				printf("# invocation %u: %g, not %g\n", i, results[i][column],
				       want);
		}
		tap(ok, "%s", rules[column]);
	}
	vkDestroyPipeline(vk.device, pipeline, NULL);
	ray_world_del(&world);
	ray_soup_del(&soup);
}

/* Stages */

/* The scene of the stages, and a picture whose pixels are t or -1. */
static struct {
	struct ray_soup soup;
	struct ray_world world;
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_image picture;
	VkImageView view;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	struct vk_buffer readback;
} stages;

/* Triangles of all sizes above the pixels, half of them non-opaque. */
static void make_stages(void)
{
	const VkDescriptorSetLayoutBinding binding = { 0, AS, 1, VK_SHADER_STAGE_ALL, NULL };
	float corners[24][3];

	for (int n = 0; n < 2; n++) {
		for (uint32_t i = 0; i < 24; i++)
			for (int d = 0; d < 3; d++)
				corners[i][d] = d == 2 ? ray_random_float(1, 20) :
							 ray_random_float(0, SIDE);
		ray_soup_triangles(&stages.soup, (const float (*)[3])corners, 8,
				   n ? VK_GEOMETRY_OPAQUE_BIT_KHR : 0);
	}
	ray_soup_build(&stages.soup, 0);
	ray_world_add(&stages.world, &stages.soup);
	ray_world_build(&stages.world, 0);
	stages.set = vk_set_new(&binding, 1);
	write_structures(stages.set.set, 0, 1, &stages.world.structure.handle);
	stages.layout = vk_layout_new(&stages.set.layout, 1, 0, 0);
	stages.picture = vk_picture_new(VK_FORMAT_R32_SFLOAT, SIDE,
					VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &stages.view);
	stages.pass = vk_pass_new(VK_FORMAT_R32_SFLOAT, VK_ATTACHMENT_LOAD_OP_CLEAR);
	stages.framebuffer = vk_framebuffer_new(stages.pass, &stages.view, 1, SIDE);
	stages.readback = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_stages(void)
{
	vk_buffer_del(&stages.readback);
	vkDestroyFramebuffer(vk.device, stages.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, stages.pass, NULL);
	vkDestroyImageView(vk.device, stages.view, NULL);
	vk_image_del(&stages.picture);
	vkDestroyPipelineLayout(vk.device, stages.layout, NULL);
	vk_set_del(&stages.set);
	ray_world_del(&stages.world);
	ray_soup_del(&stages.soup);
}

static bool picture_is_right(void)
{
	const float *pixels = stages.readback.map;
	uint32_t clear = 0, hits = 0;

	for (uint32_t i = 0; i < PIXELS; i++) {
		struct ray ray = ray_from(i % SIDE + 0.5f, i / SIDE + 0.5f, 0, 0, 0, 1);
		struct ray_model model;

		ray.confirm = ~0u;
		model = ray_model(&stages.world, &ray);
		if (model.unclear)
			continue;
		clear++;
		hits += model.hit;
		if (ray_is_near(pixels[i], model.hit ? model.t : -1, 1e-3))
			continue;
		printf("# pixel %u, %u: %g, not %g\n", i % SIDE, i / SIDE, pixels[i],
		       model.hit ? model.t : -1);
		return false;
	}
	return clear > PIXELS * 3 / 4 && hits > PIXELS / 8;
}

/* Draws @count vertices, or as many work groups of a task or mesh shader if @mesh. */
static bool draws_hits(struct vk_pipeline *p, bool mesh, uint32_t count)
{
	const VkClearValue clear = { .color.float32 = { -2 } };
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = stages.pass,
		.framebuffer = stages.framebuffer,
		.renderArea.extent = { SIDE, SIDE },
		.clearValueCount = 1,
		.pClearValues = &clear,
	};
	VkCommandBuffer cmd = vk_begin();
	VkPipeline pipeline;

	p->info.renderPass = stages.pass;
	pipeline = vk_pipeline_new(p);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, stages.layout, 0, 1,
				&stages.set.set, 0, NULL);
	vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
	if (mesh)
		VK_FUNCTION(vkCmdDrawMeshTasksEXT)(cmd, count, 1, 1);
	else
		vkCmdDraw(cmd, count, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &stages.picture, SIDE, &stages.readback);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	return picture_is_right();
}

static void init_points(struct vk_pipeline *p, bool trace)
{
	vk_pipeline_init(p, stages.layout, SIDE);
	if (trace)
		vk_pipeline_code(p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(ray_vert_trace));
	else
		vk_pipeline_code(p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(ray_vert));
	vk_pipeline_code(p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(ray_frag));
	p->assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
}

static void init_patches(struct vk_pipeline *p)
{
	init_points(p, false);
	p->assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	p->tessellation.patchControlPoints = 1;
	p->info.pTessellationState = &p->tessellation;
}

static void test_graphics(void)
{
	VkPhysicalDeviceFeatures features;
	struct vk_pipeline p;

	vkGetPhysicalDeviceFeatures(vk.physical, &features);
	vk_pipeline_init(&p, stages.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(ray_vert_cover));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(ray_frag_trace));
	tap(draws_hits(&p, false, 3), "ray queries in a fragment shader");
	vk_pipeline_init(&p, stages.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(ray_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(ray_frag_helpers));
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	tap(draws_hits(&p, false, PIXELS),
	    "queries of helper invocations change nothing in a fragment shader");
	init_points(&p, true);
	tap(draws_hits(&p, false, PIXELS), "ray queries in a vertex shader");
	if (!features.geometryShader || !features.tessellationShader ||
	    !features.shaderTessellationAndGeometryPointSize) {
		tap(true, "ray queries in geometry and tessellation shaders # SKIP not supported");
		return;
	}
	init_points(&p, false);
	vk_pipeline_code(&p, VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(ray_geom_trace));
	tap(draws_hits(&p, false, PIXELS), "ray queries in a geometry shader");
	init_patches(&p);
	vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_CODE(ray_tesc_trace));
	vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_CODE(ray_tese));
	tap(draws_hits(&p, false, PIXELS), "ray queries in a tessellation control shader");
	init_patches(&p);
	vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_CODE(ray_tesc));
	vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_CODE(ray_tese_trace));
	tap(draws_hits(&p, false, PIXELS), "ray queries in a tessellation evaluation shader");
}

static void test_mesh(void)
{
	struct vk_pipeline p;

	if (!rays.mesh.taskShader || !rays.mesh.meshShader) {
		tap(true, "ray queries in task and mesh shaders # SKIP not supported");
		return;
	}
	for (int task = 0; task < 2; task++) {
		vk_pipeline_init(&p, stages.layout, SIDE);
		p.info.pVertexInputState = NULL;
		p.info.pInputAssemblyState = NULL;
		if (task) {
			vk_pipeline_code(&p, VK_SHADER_STAGE_TASK_BIT_EXT, VK_CODE(ray_task_trace));
			vk_pipeline_code(&p, VK_SHADER_STAGE_MESH_BIT_EXT, VK_CODE(ray_mesh));
		} else {
			vk_pipeline_code(&p, VK_SHADER_STAGE_MESH_BIT_EXT, VK_CODE(ray_mesh_trace));
		}
		vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(ray_frag));
		tap(draws_hits(&p, true, SIDE), "ray queries in a %s shader",
		    task ? "task" : "mesh");
	}
}

int main(void)
{
	if (!ray_open())
		return 0;
	make_things();
	test_array();
	test_template();
	test_push();
	test_null();
	test_late_builds();
	test_address();
	test_objects();
	drop_things();
	make_stages();
	test_graphics();
	test_mesh();
	drop_stages();
	vk_close();
	return tap_failures() != 0;
}
