// SPDX-License-Identifier: MIT
/*
 * Vulkan: the properties that programs decide by before they draw: ids, names, conformance, queues,
 * memory budgets. docs/reference/identity.md says which programs read them. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk.h"

#define ALLOCATION (1u << 20)
#define OPTION "SUNDOG_CONFORMANCE_VERSION"

struct identity {
	VkPhysicalDeviceProperties core;
	VkPhysicalDeviceDriverProperties driver;
	VkPhysicalDeviceIDProperties id;
};

/* The identity of the first device of a new instance. */
static struct identity read_identity(void)
{
	const VkApplicationInfo app = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = VK_API_VERSION_1_2,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &app,
	};
	struct identity out = {
		.driver = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES },
		.id = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES },
	};
	VkPhysicalDeviceProperties2 all = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &out.driver,
	};
	VkPhysicalDevice physical;
	VkInstance instance;
	uint32_t count = 1;

	out.driver.pNext = &out.id;
	VK_CHECK(vkCreateInstance(&info, NULL, &instance));
	if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || !count)
		vk_check(VK_ERROR_INITIALIZATION_FAILED, "vkEnumeratePhysicalDevices");
	vkGetPhysicalDeviceProperties2(physical, &all);
	out.core = all.properties;
	vkDestroyInstance(instance, NULL);
	return out;
}

static bool is_version(const VkConformanceVersion *v, uint8_t major, uint8_t minor,
		       uint8_t subminor, uint8_t patch)
{
	return v->major == major && v->minor == minor && v->subminor == subminor &&
	       v->patch == patch;
}

static void test_ids(const struct identity *first)
{
	static const uint8_t none[VK_UUID_SIZE];
	const struct identity again = read_identity();

	tap(first->driver.driverID > 0 && first->driver.driverID < VK_DRIVER_ID_MAX_ENUM,
	    "the driver has an id");
	tap(first->driver.driverName[0] && first->driver.driverInfo[0],
	    "the driver has a name and a description");
	tap(first->core.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ||
	    first->core.deviceType == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
	    "the device is a CPU or a virtual GPU");
	tap(first->core.apiVersion >= VK_API_VERSION_1_4 && first->core.driverVersion,
	    "the device has versions");
	tap(memcmp(first->id.deviceUUID, none, VK_UUID_SIZE) &&
	    memcmp(first->id.driverUUID, none, VK_UUID_SIZE) &&
	    memcmp(first->core.pipelineCacheUUID, none, VK_UUID_SIZE), "UUIDs are not zero");
	tap(!memcmp(first->id.deviceUUID, again.id.deviceUUID, VK_UUID_SIZE) &&
	    !memcmp(first->id.driverUUID, again.id.driverUUID, VK_UUID_SIZE),
	    "two instances have the same UUIDs");
}

static void test_conformance(const struct identity *first)
{
	const VkConformanceVersion *as_before = &first->driver.conformanceVersion;
	struct identity other;

	tap(as_before->major >= 1, "conformanceVersion is that of the host's driver");
	setenv(OPTION, "0.0.0.0", 1);
	other = read_identity();
	tap(is_version(&other.driver.conformanceVersion, 0, 0, 0, 0), OPTION " sets it to zero");
	setenv(OPTION, "1.4.2.3", 1);
	other = read_identity();
	tap(is_version(&other.driver.conformanceVersion, 1, 4, 2, 3), OPTION " sets all parts");
	setenv(OPTION, "1.4", 1);
	other = read_identity();
	tap(!memcmp(&other.driver.conformanceVersion, as_before, sizeof(*as_before)),
	    OPTION " without four numbers is ignored");
	unsetenv(OPTION);
}

static void test_queues(void)
{
	const VkQueueFlags all =
		VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
	VkQueueFamilyProperties family;
	uint32_t count = 1;

	vkGetPhysicalDeviceQueueFamilyProperties(vk.physical, &count, &family);
	tap(count == 1 && family.queueCount >= 1 && (family.queueFlags & all) == all,
	    "the first queue family does all that the device can do");
	tap(family.timestampValidBits == 64, "time stamps have 64 bits");
}

static VkPhysicalDeviceMemoryBudgetPropertiesEXT read_budget(VkDeviceSize *heap)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
	};
	VkPhysicalDeviceMemoryProperties2 memory = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
		.pNext = &budget,
	};

	vkGetPhysicalDeviceMemoryProperties2(vk.physical, &memory);
	*heap = memory.memoryProperties.memoryHeaps[0].size;
	return budget;
}

static void test_budget(void)
{
	const VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = ALLOCATION,
	};
	VkPhysicalDeviceMemoryBudgetPropertiesEXT before, with, after;
	VkDeviceMemory memory;
	VkDeviceSize heap;

	before = read_budget(&heap);
	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	with = read_budget(&heap);
	vkFreeMemory(vk.device, memory, NULL);
	after = read_budget(&heap);
	tap(before.heapBudget[0] && before.heapBudget[0] <= heap,
	    "the budget is not larger than the heap");
	tap(with.heapUsage[0] == before.heapUsage[0] + ALLOCATION &&
	    after.heapUsage[0] == before.heapUsage[0],
	    "an allocation counts while it is there");
}

int main(void)
{
	const struct identity first = read_identity();

	vk_open();
	test_ids(&first);
	if (strstr(first.core.deviceName, "sundog"))
		test_conformance(&first);
	test_queues();
	if (strstr(first.core.deviceName, "sundog"))
		test_budget();
	vk_close();
	return tap_failures() != 0;
}
