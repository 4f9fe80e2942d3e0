// SPDX-License-Identifier: MIT
/* A Vulkan driver whose constructor never returns, for slow-driver.sh. */
#include <unistd.h>

__attribute__((constructor)) static void load(void)
{
	for (;;)
		sleep(1000);
}
