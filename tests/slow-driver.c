// SPDX-License-Identifier: MIT
/* A Vulkan driver that does not get to load: for slow-driver.sh. */
#include <unistd.h>

__attribute__((constructor)) static void load(void)
{
	for (;;)
		sleep(1000);
}
