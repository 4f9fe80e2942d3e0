// SPDX-License-Identifier: MIT
/*
 * Shares of devices, see share.h.
 */
#include "broker/share.h"

#include <stdbool.h>

#include "broker/broker.h"
#include "broker/connection.h"

/*
 * Returns true if @c is the only device. A connection that is ending counts, since it has its
 * workers and descriptors until they end.
 */
static bool is_alone(const struct broker *b, const struct connection *c)
{
	if (c->role != SUNDOG_ROLE_DEVICE)
		return false;
	for (const struct connection *other = b->connections; other; other = other->next)
		if (other != c && other->role == SUNDOG_ROLE_DEVICE && other->greeted)
			return false;
	return true;
}

static unsigned int rest(unsigned int all, unsigned int used)
{
	return used < all ? all - used : 0;
}

unsigned int share_of(const struct broker *b, const struct connection *c,
		      const struct share_use *use, unsigned int most)
{
	const unsigned int left = rest(most, use->all - use->connection),
		left_of_user = rest(most - most / 4, use->user - use->connection),
		smaller = left < left_of_user ? left : left_of_user;

	if (!is_alone(b, c))
		return smaller / 2 + smaller % 2;
	/* The user's earlier connections may have left descriptors that are not closed yet. */
	return use->user > use->connection ? smaller : left;
}
