// SPDX-License-Identifier: MIT
/*
 * Shares of devices, see share.h.
 */
#include "broker/share.h"

#include <stdbool.h>

#include "broker/broker.h"
#include "broker/connection.h"

static bool is_alone(const struct broker *b, const struct connection *c)
{
	for (const struct connection *other = b->connections; other; other = other->next)
		if (other != c && other->role == SUNDOG_ROLE_DEVICE && other->greeted &&
		    !other->ending)
			return false;
	return true;
}

static unsigned int rest(unsigned int all, unsigned int used)
{
	return used < all ? all - used : 0;
}

unsigned int share_of_device(const struct broker *b, const struct connection *c,
			     const struct share_use *use, unsigned int most)
{
	const unsigned int left = rest(most, use->all - use->connection),
		left_of_user = rest(most - most / 4, use->user - use->connection),
		smaller = left < left_of_user ? left : left_of_user;

	return is_alone(b, c) ? left : smaller / 2 + smaller % 2;
}
