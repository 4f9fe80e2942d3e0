/* SPDX-License-Identifier: MIT */
/*
 * Shares of the devices of a renderer, and of its direct clients, in something of which there is a
 * fixed number for all.
 *
 * A device that is connected alone may have what no direct client has. Otherwise it may have half
 * of what the other connections leave, so that there is always something left for the next device.
 * The devices of one user together may have three quarters, also with those whose connections are
 * ending or have ended. A direct client has the share of a device that is not alone.
 *
 * Called in the broker's event thread.
 */
#ifndef BROKER_SHARE_H
#define BROKER_SHARE_H

struct broker;
struct connection;

/* The number in use. */
struct share_use {
	unsigned int all;		/* by all connections */
	/* by the connection's user: workers of devices, descriptors of all connections */
	unsigned int user;
	unsigned int connection;
};

/* Returns how many of @most @c may have, including those that it has. */
unsigned int share_of(const struct broker *b, const struct connection *c,
		      const struct share_use *use, unsigned int most);

#endif
