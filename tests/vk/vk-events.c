// SPDX-License-Identifier: MIT
/*
 * Vulkan: events (Vulkan 1.4, 7.5 Events), of which a program may have many. Prints TAP.
 */
#include "vk.h"

#define MANY 20000
#define SOME 64		/* whose states are checked */

static VkEvent events[MANY];

static VkEvent event_new(void)
{
	const VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
	VkEvent event;

	VK_CHECK(vkCreateEvent(vk.device, &info, NULL, &event));
	return event;
}

static bool is_set(VkEvent event)
{
	return vkGetEventStatus(vk.device, event) == VK_EVENT_SET;
}

static bool none_is_set(void)
{
	for (int i = 0; i < SOME; i++)
		if (is_set(events[i]))
			return false;
	return true;
}

/* Returns true if the first SOME events whose number is a multiple of @n are set, and no others. */
static bool are_set(int n)
{
	for (int i = 0; i < SOME; i++)
		if (is_set(events[i]) != (i % n == 0))
			return false;
	return true;
}

static void test_many(void)
{
	const VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
	VkResult result = VK_SUCCESS;
	int n = 0;

	while (n < MANY && result == VK_SUCCESS)
		result = vkCreateEvent(vk.device, &info, NULL, &events[n++]);
	tap(result == VK_SUCCESS, "a program may have %d events (%d there, result %d)", MANY, n,
	    result);
	if (result != VK_SUCCESS)
		n--;
	while (n)
		vkDestroyEvent(vk.device, events[--n], NULL);
}

static void test_states(void)
{
	VkCommandBuffer cmd;

	for (int i = 0; i < SOME; i++)
		events[i] = event_new();
	tap(none_is_set(), "new events are reset");
	for (int i = 0; i < SOME; i += 3)
		VK_CHECK(vkSetEvent(vk.device, events[i]));
	tap(are_set(3), "the CPU sets the events that it names, and no others");
	for (int i = 0; i < SOME; i += 3)
		VK_CHECK(vkResetEvent(vk.device, events[i]));
	cmd = vk_begin();
	for (int i = 0; i < SOME; i += 5)
		vkCmdSetEvent(cmd, events[i], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	vk_run(cmd);
	tap(are_set(5), "commands set the events that they name, and no others");
	cmd = vk_begin();
	for (int i = 0; i < SOME; i++)
		if (i % 7)
			vkCmdResetEvent(cmd, events[i], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
		else
			vkCmdSetEvent(cmd, events[i], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	vk_run(cmd);
	tap(are_set(7), "commands reset them");
}

static void test_new_ones(void)
{
	bool reset = true;

	for (int i = 0; i < SOME; i++)
		VK_CHECK(vkSetEvent(vk.device, events[i]));
	for (int i = 0; i < SOME; i += 2) {
		vkDestroyEvent(vk.device, events[i], NULL);
		events[i] = event_new();
		reset &= !is_set(events[i]);
	}
	tap(reset, "a new event is reset, though destroyed ones were set");
	for (int i = 1; i < SOME; i += 2)
		reset &= is_set(events[i]);
	tap(reset, "the other ones are still set");
	for (int i = 0; i < SOME; i++)
		vkDestroyEvent(vk.device, events[i], NULL);
}

int main(void)
{
	vk_open();
	test_many();
	test_states();
	test_new_ones();
	vk_close();
	return tap_failures() != 0;
}
