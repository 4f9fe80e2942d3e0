// SPDX-License-Identifier: MIT
/*
 * Vulkan: a work group whose invocations have large arrays across a barrier. llvmpipe keeps them in
 * the frames of coroutines, one allocation for the group. If there is no memory for the frames, the
 * group does not run (lavapipe/patches/0017). Suite lavapipe runs this program without sundog,
 * which refuses such shaders. Prints TAP.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "vk-pipeline.h"

#include "vk-frames-shaders.h"

#define GROUP 1024
#define ELEMENT(i) (977 * (i) + 5000)	/* of the array of invocation i */
#define FREE (16ull << 20)	/* for all but the frames, which have 64 MiB */

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer words;
} test;

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};

	test.words = vk_buffer_new(2 * GROUP * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.set = vk_set_new(&binding, 1);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.words);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_buffer_del(&test.words);
}

/* Returns the number of invocations that stored the right word, or -1 if one stored another. */
static int dispatch(VkPipeline pipeline)
{
	uint32_t *words = test.words.map;
	int count = 0;

	for (uint32_t i = 0; i < 2 * GROUP; i++)
		words[i] = ELEMENT(i % GROUP);
	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	for (uint32_t i = 0; i < GROUP; i++) {
		if (words[i] == i + 1 + 3 * (GROUP - 1 - i))
			count++;
		else if (words[i] != ELEMENT(i))
			return -1;
	}
	return count;
}

/* Returns the size of the address space. */
static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * 4096ull;
}

int main(void)
{
	struct rlimit limit, old;
	VkPipeline pipeline;
	int count;

	vk_open();
	make_things();
	pipeline = vk_compute_new(test.layout, VK_CODE(frames_comp));
	count = dispatch(pipeline);
	tap(count == GROUP, "a work group has 64 MiB of arrays across a barrier");
	getrlimit(RLIMIT_AS, &old);
	limit = old;
	limit.rlim_cur = address_space() + FREE;
	setrlimit(RLIMIT_AS, &limit);
	count = dispatch(pipeline);
	setrlimit(RLIMIT_AS, &old);
	if (count)
		printf("# %d invocations stored a word\n", count);
	tap(!count, "a work group without memory for them does not run");
	tap(dispatch(pipeline) == GROUP, "a later one runs");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
