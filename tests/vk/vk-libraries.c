// SPDX-License-Identifier: MIT
/*
 * Vulkan: pipelines that are linked from libraries (VK_EXT_graphics_pipeline_library). Each look
 * has a whole pipeline and pipelines that are linked in many ways: all of them must draw the same
 * picture, which differs from the plain look's. lavapipe's pipelines access destroyed libraries, so
 * that the ways with `gone` are skipped there. Prints TAP.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "vk-looks.h"

#define VERTICES VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define BEFORE VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENTS VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT
#define FOUR { VERTICES, BEFORE, FRAGMENTS, OUTPUT }
#define ALL (VERTICES | BEFORE | FRAGMENTS | OUTPUT)

enum layouts { ONE, PARTIAL, OTHERS };

/*
 * A way to link a pipeline: libraries of these groups of parts; the last step adds the parts that
 * are in no group.
 */
struct way {
	const char *name;
	VkGraphicsPipelineLibraryFlagsEXT groups[4];	/* ends with 0 */
	enum layouts layouts;
	bool nested;		/* the first two groups are a library themselves */
	bool code;		/* code is chained, without modules */
	bool optimized;
	/* another pipeline was linked from the libraries before, and destroyed */
	bool twice;
	bool gone;		/* the libraries are destroyed before the draw */
};

static const struct way ways[] = {
	{ .name = "four libraries", .groups = FOUR },
	{ .name = "libraries of layouts that know some sets each",
	  .groups = FOUR,
	  .layouts = PARTIAL },
	{ .name = "libraries of layouts that are alike", .groups = FOUR, .layouts = OTHERS },
	{ .name = "a library of two, and others", .groups = FOUR, .nested = true },
	{ .name = "libraries of layouts that know some sets, two of which are one",
	  .groups = { BEFORE, FRAGMENTS, VERTICES, OUTPUT },
	  .layouts = PARTIAL,
	  .nested = true },
	{ .name = "a library of all shaders, optimized",
	  .groups = { VERTICES, BEFORE | FRAGMENTS, OUTPUT },
	  .optimized = true },
	{ .name = "a library of shaders, and what is left", .groups = { BEFORE | FRAGMENTS } },
	{ .name = "libraries of ends, and shaders that are not", .groups = { VERTICES, OUTPUT } },
	{ .name = "a library that has all", .groups = { ALL } },
	{ .name = "code without modules", .groups = FOUR, .code = true },
	{ .name = "libraries that were linked before",
	  .groups = FOUR,
	  .layouts = PARTIAL,
	  .twice = true },
	{ .name = "libraries that are gone", .groups = FOUR, .nested = true, .gone = true },
	{ .name = "libraries of layouts that know some sets, which are gone",
	  .groups = FOUR,
	  .layouts = PARTIAL,
	  .nested = true,
	  .gone = true },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct {
	VkPipelineLayout before, fragments, whole, other;
} layouts;

static void make_layouts(void)
{
	const VkPipelineLayoutCreateFlags partial =
		VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
	const VkDescriptorSetLayout a = things.sets[0].layout, b = things.sets[1].layout;

	layouts.before = looks_layout(a, VK_NULL_HANDLE, partial);
	layouts.fragments = looks_layout(VK_NULL_HANDLE, b, partial);
	layouts.whole = looks_layout(a, b, partial);
	layouts.other = looks_layout(things.alike[0], things.alike[1], 0);
}

static void drop_layouts(void)
{
	const VkPipelineLayout all[] = { layouts.before, layouts.fragments, layouts.whole,
					 layouts.other };

	for (int i = 0; i < 4; i++)
		vkDestroyPipelineLayout(vk.device, all[i], NULL);
}

/* Pipelines */

/* Removes the shaders and states of other parts; pointers to them must not be read. */
static void cut(struct looks_making *m, VkGraphicsPipelineLibraryFlagsEXT parts)
{
	VkGraphicsPipelineCreateInfo *info = &m->p.info;

	if (!(parts & VERTICES)) {
		info->pVertexInputState = NULL;
		info->pInputAssemblyState = NULL;
	}
	if (!(parts & BEFORE)) {
		info->pViewportState = NULL;
		info->pRasterizationState = NULL;
	}
	if (!(parts & FRAGMENTS))
		info->pDepthStencilState = NULL;
	if (!(parts & (FRAGMENTS | OUTPUT)))
		info->pMultisampleState = NULL;
	if (!(parts & OUTPUT))
		info->pColorBlendState = NULL;
	if (!(parts & OUTPUT))
		m->rendering.pNext = NULL;
	if (!(parts & BEFORE)) {
		info->pTessellationState = NULL;
		info->pStages += info->stageCount - 1;
		info->stageCount = 1;
	}
	info->stageCount -= !(parts & FRAGMENTS);
}

static VkPipelineLayout layout_for(const struct look *look, enum layouts which,
				   VkGraphicsPipelineLibraryFlagsEXT parts)
{
	if (which == OTHERS)
		return parts & BEFORE ? layouts.other : things.layout;
	if (which == ONE)
		return things.layout;
	/* A set that both stages read must be in both layouts. */
	if ((parts & BEFORE && parts & FRAGMENTS) || look->kinds)
		return layouts.whole;
	return parts & BEFORE ? layouts.before : layouts.fragments;
}

/* Creates a pipeline from @parts of its own and @count libraries. */
static VkResult make(const struct look *look, const struct way *way,
		     VkGraphicsPipelineLibraryFlagsEXT parts, const VkPipeline *libraries,
		     uint32_t count, VkPipelineCreateFlags flags, VkPipeline *out)
{
	const bool is_library = flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
		   is_whole = !count && !is_library;
	VkPipelineLibraryCreateInfoKHR linked;
	VkGraphicsPipelineLibraryCreateInfoEXT own;
	struct looks_making m = { 0 };
	VkResult result;

	looks_fill(&m, look, way->code);
	m.p.info.flags = flags;
	if (!is_whole) {
		linked = (VkPipelineLibraryCreateInfoKHR){
			VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
			m.p.info.pNext,
			count,
			libraries,
		};
		own = (VkGraphicsPipelineLibraryCreateInfoEXT){
			VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, &linked, parts,
		};
		m.p.info.pNext = parts ? (const void *)&own : &linked;
		m.p.info.layout = layout_for(look, way->layouts, is_library && parts ? parts : ALL);
		cut(&m, parts);
	}
	result = vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &m.p.info, NULL, out);
	looks_drop(&m);
	return result;
}

static VkPipeline make_or_end(const struct look *look, const struct way *way,
			      VkGraphicsPipelineLibraryFlagsEXT parts, const VkPipeline *libraries,
			      uint32_t count, VkPipelineCreateFlags flags)
{
	VkPipeline pipeline;

	VK_CHECK(make(look, way, parts, libraries, count, flags, &pipeline));
	return pipeline;
}

#define MAX_LIBRARIES 5

/*
 * The libraries of a way. The libraries from @first on are linked; @rest are the parts that they
 * lack.
 */
struct libraries {
	VkPipeline all[MAX_LIBRARIES];
	uint32_t count, first;
	VkGraphicsPipelineLibraryFlagsEXT rest;
};

static struct libraries make_libraries(const struct look *look, const struct way *way)
{
	const VkPipelineCreateFlags flags =
		VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
		(way->optimized ? VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT
				: 0);
	struct libraries l = { .rest = ALL };

	for (; l.count < 4 && way->groups[l.count]; l.count++) {
		l.all[l.count] = make_or_end(look, way, way->groups[l.count], NULL, 0, flags);
		l.rest &= ~way->groups[l.count];
	}
	if (way->nested) {
		l.all[l.count++] = make_or_end(look, way, 0, l.all, 2, flags);
		l.first = 2;
	}
	return l;
}

static void drop_libraries(const struct libraries *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		vkDestroyPipeline(vk.device, l->all[i], NULL);
}

static VkPipeline link_libraries(const struct look *look, const struct way *way,
				 const struct libraries *l)
{
	const VkPipelineCreateFlags flags =
		way->optimized ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0;

	return make_or_end(look, way, l->rest, l->all + l->first, l->count - l->first, flags);
}

/* Pictures */

static void draw_and_drop(const struct look *look, VkPipeline pipeline, void *out)
{
	VkCommandBuffer cmd = vk_begin();

	looks_begin(cmd, look);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	looks_draw(cmd, look);
	looks_end(cmd, out);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static uint8_t expected[LOOKS][PICTURE];

/* If all pictures were equal, the comparisons below would show nothing. */
static void test_whole(void)
{
	static const struct way whole = { .name = "no libraries" };

	for (uint32_t i = 0; i < LOOKS; i++) {
		draw_and_drop(&looks[i], make_or_end(&looks[i], &whole, ALL, NULL, 0, 0),
			      expected[i]);
		if (i)
			tap(memcmp(expected[i], expected[0], PICTURE),
			    "a pipeline %s is not a plain one", looks[i].name);
	}
}

static void draw_way(const struct look *look, const struct way *way, void *out)
{
	const struct libraries l = make_libraries(look, way);
	VkPipeline pipeline;

	if (way->twice)
		vkDestroyPipeline(vk.device, link_libraries(look, way, &l), NULL);
	pipeline = link_libraries(look, way, &l);
	if (way->gone)
		drop_libraries(&l);
	draw_and_drop(look, pipeline, out);
	if (!way->gone)
		drop_libraries(&l);
}

static void test_way(const struct way *way)
{
	static uint8_t picture[PICTURE];
	bool ok = true;

	for (uint32_t i = 0; i < LOOKS; i++) {
		draw_way(&looks[i], way, picture);
		if (looks_same(picture, expected[i]))
			continue;
		printf("# a pipeline %s\n", looks[i].name);
		ok = false;
	}
	tap(ok, "of %s", way->name);
}

/*
 * Links the same shader libraries with several output libraries: each pipeline has the outputs of
 * its own library, whatever was linked before.
 */
static void test_outputs(void)
{
	static const struct way way = { .groups = { VERTICES, BEFORE, FRAGMENTS } };
	static const uint32_t others[] = { 1, 4, 0, 1 };
	static uint8_t picture[PICTURE];
	struct libraries l = make_libraries(&looks[0], &way);
	bool ok = true;

	l.rest = 0;
	l.count++;
	for (uint32_t i = 0; i < 4; i++) {
		const struct look *look = &looks[others[i]];
		VkPipeline *output = &l.all[l.count - 1];

		*output = make_or_end(look, &way, OUTPUT, NULL, 0,
				      VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
		draw_and_drop(look, link_libraries(look, &way, &l), picture);
		vkDestroyPipeline(vk.device, *output, NULL);
		ok &= looks_same(picture, expected[others[i]]);
	}
	l.count--;
	drop_libraries(&l);
	tap(ok, "libraries of shaders are linked with outputs of several kinds");
}

/*
 * A pipeline that must not be compiled (FAIL_ON_PIPELINE_COMPILE_REQUIRED) is either linked and
 * correct, or not created.
 */
static void test_uncompiled(void)
{
	static uint8_t picture[PICTURE];
	const struct libraries l = make_libraries(&looks[0], &ways[0]);
	VkPipeline pipeline = VK_NULL_HANDLE;
	const VkResult result =
		make(&looks[0], &ways[0], 0, l.all, l.count,
		     VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_EXT, &pipeline);
	bool ok = result == VK_PIPELINE_COMPILE_REQUIRED && !pipeline;

	if (result == VK_SUCCESS) {
		draw_and_drop(&looks[0], pipeline, picture);
		ok = looks_same(picture, expected[0]);
	}
	tap(ok, "a pipeline that must not be compiled is linked%s",
	    result == VK_SUCCESS ? "" : ", or would be");
	drop_libraries(&l);
}

#define THREADS 4
#define ROUNDS 8

/* A thread that links pipelines repeatedly, from shader libraries that other threads link, too. */
struct linker {
	const struct libraries *shaders;
	const struct look *look;
	pthread_t thread;
	VkPipeline pipeline, output;	/* the last pipeline, and its output library */
};

static void *link_shaders(void *data)
{
	static const struct way way = { .groups = { VERTICES, BEFORE, FRAGMENTS } };
	struct linker *linker = data;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct libraries l = *linker->shaders;

		vkDestroyPipeline(vk.device, linker->pipeline, NULL);
		l.rest = 0;
		l.all[l.count++] = make_or_end(linker->look, &way, OUTPUT, NULL, 0,
					       VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
		linker->pipeline = link_libraries(linker->look, &way, &l);
		if (i + 1 < ROUNDS)
			vkDestroyPipeline(vk.device, l.all[l.count - 1], NULL);
		else
			linker->output = l.all[l.count - 1];
	}
	return NULL;
}

/*
 * All threads link at the same time, with the outputs of the plain look or of the one with other
 * output locations.
 */
static void test_threads(void)
{
	static const struct way way = { .groups = { VERTICES, BEFORE, FRAGMENTS } };
	static uint8_t picture[PICTURE];
	const struct libraries shaders = make_libraries(&looks[0], &way);
	struct linker linkers[THREADS] = { 0 };
	bool ok = true;

	for (uint32_t i = 0; i < THREADS; i++) {
		linkers[i].shaders = &shaders;
		linkers[i].look = &looks[i % 2 * 4];
		if (pthread_create(&linkers[i].thread, NULL, link_shaders, &linkers[i]))
			errx(1, "no thread");
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(linkers[i].thread, NULL);
		draw_and_drop(linkers[i].look, linkers[i].pipeline, picture);
		vkDestroyPipeline(vk.device, linkers[i].output, NULL);
		ok &= looks_same(picture, expected[i % 2 * 4]);
	}
	drop_libraries(&shaders);
	tap(ok, "threads link the same libraries");
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
		VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
		VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
	};
	static VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
	};
	static VkPhysicalDevicePipelineCreationCacheControlFeatures control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
		.pNext = &libraries,
	};

	looks_open(&control, extensions, 3);
	tap(libraries.graphicsPipelineLibrary, "there are libraries of graphics pipelines");
	make_layouts();
	test_whole();
	for (uint32_t i = 0; i < WAYS; i++)
		if (!ways[i].gone || strncmp(vk.properties.deviceName, "llvmpipe", 8))
			test_way(&ways[i]);
	test_outputs();
	test_uncompiled();
	test_threads();
	drop_layouts();
	looks_close();
	return tap_failures() != 0;
}
