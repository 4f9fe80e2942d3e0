// SPDX-License-Identifier: MIT
/*
 * Events that the kernel sends to udev, read from their netlink socket.
 */
#include "sundog_uevent.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/netlink.h>

#include "sundog_test.h"

int sd_uevents_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int events = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	igt_assert(events >= 0);
	igt_assert(!bind(events, (struct sockaddr *)&address, sizeof(address)));
	return events;
}

static bool has_property(const char *event, ssize_t size, const char *property)
{
	const char *past = event + size;

	for (; event < past; event += strlen(event) + 1)
		if (!strcmp(event, property))
			return true;
	return false;
}

void sd_uevents_wait(int events, const char *property)
{
	const int64_t end = sd_deadline();
	struct pollfd pollfd = { .fd = events, .events = POLLIN };
	char event[4096];
	ssize_t size = 0;

	while (!has_property(event, size, property)) {
		igt_assert(sd_now_plus_ms(0) < end);
		size = 0;
		if (poll(&pollfd, 1, 1000) <= 0)
			continue;
		size = recv(events, event, sizeof(event) - 1, 0);
		igt_assert(size > 0);
		event[size] = '\0';
	}
}
