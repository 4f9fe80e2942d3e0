// SPDX-License-Identifier: MIT
/*
 * A Vulkan layer that writes each SPIR-V module which a program hands to the driver to
 * $SUNDOG_DUMP/<SHA-1>.spv, for compilers that are part of a program: Tint, Naga, DXVK, zink.
 * <SHA-1>.txt has a line for each entry point: its stage and its name. tests/corpus/make loads it
 * (VK_LAYER_PATH, VK_INSTANCE_LAYERS). Calls come from any thread; the table of dispatch tables is
 * under a lock, and files appear under their names by rename().
 */
#include "sha1.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define LAYER_EXPORT __attribute__((visibility("default")))
#define MAGIC 0x07230203u
#define OP_ENTRY_POINT 15
#define HANDLES_MAX 64

/* Instances and devices begin with their loader's dispatch table, and so do their queues. */
struct handle {
	void *key;
	VkInstance instance;
	PFN_vkGetInstanceProcAddr instance_proc;
	PFN_vkGetDeviceProcAddr device_proc;
};

static struct handle handles[HANDLES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *key_of(void *object)
{
	return *(void **)object;
}

/* Returns the entry of @object, or with @add a free one. */
static struct handle *find(void *object, bool add)
{
	struct handle *found = NULL;

	pthread_mutex_lock(&lock);
	for (int i = 0; !found && i < HANDLES_MAX; i++)
		if (handles[i].key == key_of(object))
			found = &handles[i];
	for (int i = 0; add && !found && i < HANDLES_MAX; i++)
		if (!handles[i].key)
			found = &handles[i];
	if (found)
		found->key = key_of(object);
	pthread_mutex_unlock(&lock);
	if (!found) {
		fprintf(stderr, "dump-layer: more than %d instances and devices\n", HANDLES_MAX);
		abort();
	}
	return found;
}

static const char *stage_name(uint32_t model)
{
	static const char *const names[] = {
		"vertex", "tesscontrol", "tesseval", "geometry", "fragment", "compute"};

	if (model < sizeof(names) / sizeof(names[0]))
		return names[model];
	return model == 5267 || model == 5364	? "task"
	       : model == 5268 || model == 5365 ? "mesh"
						: "other";
}

static void write_entry_points(FILE *f, const uint32_t *words, size_t n)
{
	for (size_t at = 5; at < n; at += words[at] >> 16) {
		if (words[at] >> 16 == 0 || at + (words[at] >> 16) > n)
			return;
		if ((words[at] & 0xffff) == OP_ENTRY_POINT && words[at] >> 16 > 3)
			fprintf(f, "%s %.*s\n", stage_name(words[at + 1]),
				(int)((words[at] >> 16) - 3) * 4, (const char *)&words[at + 3]);
	}
}

/* Writes a file of the folder under its final name at once. */
static void write_file(
	const char *dir, const char *name, const char *suffix, const uint32_t *words, size_t n)
{
	char path[4096], tmp[4200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s", dir, name, suffix);
	if (access(path, F_OK) == 0)
		return;
	snprintf(tmp, sizeof(tmp), "%s.%d.%lx", path, (int)getpid(), (unsigned long)pthread_self());
	f = fopen(tmp, "wb");
	if (!f) {
		fprintf(stderr, "dump-layer: cannot write %s\n", tmp);
		return;
	}
	if (strcmp(suffix, ".spv") == 0)
		fwrite(words, sizeof(*words), n, f);
	else
		write_entry_points(f, words, n);
	fclose(f);
	rename(tmp, path);
}

static void dump(const void *code, size_t size)
{
	const char *dir = getenv("SUNDOG_DUMP");
	const uint32_t *words = code;
	char name[2 * SHA1_SIZE + 1];
	uint8_t sum[SHA1_SIZE];

	if (!dir || size < 20 || size % 4 || words[0] != MAGIC)
		return;
	sha1(code, size, sum);
	for (int i = 0; i < SHA1_SIZE; i++)
		sprintf(name + 2 * i, "%02x", sum[i]);
	write_file(dir, name, ".txt", words, size / 4);
	write_file(dir, name, ".spv", words, size / 4);
}

/* Pipelines may have the module's code in a stage's chain. */
static void dump_stages(const VkPipelineShaderStageCreateInfo *stages, uint32_t n)
{
	for (uint32_t i = 0; stages && i < n; i++) {
		for (const VkBaseInStructure *s = stages[i].pNext; s; s = s->pNext) {
			const VkShaderModuleCreateInfo *info = (const void *)s;

			if (s->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)
				dump(info->pCode, info->codeSize);
		}
	}
}

#define NEXT(device, name) ((PFN_##name)find(device, false)->device_proc(device, #name))

static VKAPI_ATTR VkResult VKAPI_CALL create_shader_module(VkDevice device,
	const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkShaderModule *module)
{
	dump(info->pCode, info->codeSize);
	return NEXT(device, vkCreateShaderModule)(device, info, allocator, module);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shaders(VkDevice device, uint32_t n,
	const VkShaderCreateInfoEXT *infos, const VkAllocationCallbacks *allocator,
	VkShaderEXT *shaders)
{
	for (uint32_t i = 0; i < n; i++)
		if (infos[i].codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT)
			dump(infos[i].pCode, infos[i].codeSize);
	return NEXT(device, vkCreateShadersEXT)(device, n, infos, allocator, shaders);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice device, VkPipelineCache cache,
	uint32_t n, const VkComputePipelineCreateInfo *infos,
	const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	for (uint32_t i = 0; i < n; i++)
		dump_stages(&infos[i].stage, 1);
	return NEXT(device, vkCreateComputePipelines)(
		device, cache, n, infos, allocator, pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice device, VkPipelineCache cache,
	uint32_t n, const VkGraphicsPipelineCreateInfo *infos,
	const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	for (uint32_t i = 0; i < n; i++)
		dump_stages(infos[i].pStages, infos[i].stageCount);
	return NEXT(device, vkCreateGraphicsPipelines)(
		device, cache, n, infos, allocator, pipelines);
}

/* Returns this layer's link of a chain that the loader passes, and moves it on for the next layer.
 */
static VkLayerInstanceCreateInfo *instance_link(const VkInstanceCreateInfo *info)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)s;

		if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
			link->function == VK_LAYER_LINK_INFO)
			return link;
	}
	return NULL;
}

static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)s;

		if (s->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
			link->function == VK_LAYER_LINK_INFO)
			return link;
	}
	return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance)
{
	VkLayerInstanceCreateInfo *link = instance_link(info);
	PFN_vkGetInstanceProcAddr proc;
	struct handle *h;
	VkResult result;

	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = ((PFN_vkCreateInstance)proc(NULL, "vkCreateInstance"))(info, allocator, instance);
	if (result != VK_SUCCESS)
		return result;
	h = find(*instance, true);
	h->instance = *instance;
	h->instance_proc = proc;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *device)
{
	VkLayerDeviceCreateInfo *link = device_link(info);
	struct handle *instance = find(physical, false), *h;
	PFN_vkGetDeviceProcAddr proc;
	PFN_vkCreateDevice create;
	VkResult result;

	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	create = (PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(
		instance->instance, "vkCreateDevice");
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = create(physical, info, allocator, device);
	if (result != VK_SUCCESS)
		return result;
	h = find(*device, true);
	h->device_proc = proc;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(
	VkInstance instance, const VkAllocationCallbacks *allocator)
{
	struct handle *h = find(instance, false);
	PFN_vkDestroyInstance destroy =
		(PFN_vkDestroyInstance)h->instance_proc(instance, "vkDestroyInstance");

	h->key = NULL;
	destroy(instance, allocator);
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(
	VkDevice device, const VkAllocationCallbacks *allocator)
{
	PFN_vkDestroyDevice destroy = NEXT(device, vkDestroyDevice);

	find(device, false)->key = NULL;
	destroy(device, allocator);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc_addr(VkDevice device, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc_addr(
	VkInstance instance, const char *name);

static const struct {
	const char *name;
	PFN_vkVoidFunction function;
	bool of_instance;
} functions[] = {
	{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_proc_addr, true},
	{"vkCreateInstance", (PFN_vkVoidFunction)create_instance, true},
	{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance, true},
	{"vkCreateDevice", (PFN_vkVoidFunction)create_device, true},
	{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc_addr, false},
	{"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device, false},
	{"vkCreateShaderModule", (PFN_vkVoidFunction)create_shader_module, false},
	{"vkCreateShadersEXT", (PFN_vkVoidFunction)create_shaders, false},
	{"vkCreateComputePipelines", (PFN_vkVoidFunction)create_compute, false},
	{"vkCreateGraphicsPipelines", (PFN_vkVoidFunction)create_graphics, false},
};

static PFN_vkVoidFunction own(const char *name, bool of_instance)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0 &&
			(of_instance || !functions[i].of_instance))
			return functions[i].function;
	return NULL;
}

/* A function that the driver lacks stays absent: programs take its pointer as a sign of support. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc_addr(VkDevice device, const char *name)
{
	PFN_vkVoidFunction next = find(device, false)->device_proc(device, name),
			   mine = own(name, false);

	return next && mine ? mine : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc_addr(
	VkInstance instance, const char *name)
{
	PFN_vkVoidFunction mine = own(name, true);

	if (mine)
		return mine;
	return instance ? find(instance, false)->instance_proc(instance, name) : NULL;
}

LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(
	VkNegotiateLayerInterface *version)
{
	if (version->loaderLayerInterfaceVersion > 2)
		version->loaderLayerInterfaceVersion = 2;
	version->pfnGetInstanceProcAddr = instance_proc_addr;
	version->pfnGetDeviceProcAddr = device_proc_addr;
	version->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
