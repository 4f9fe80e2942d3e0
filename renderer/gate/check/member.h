/* SPDX-License-Identifier: MIT */
/*
 * The sorted list of member decorations. gate.c runs gate_list_members() as pass "members"; later
 * passes and checks search the list.
 */
#ifndef GATE_CHECK_MEMBER_H
#define GATE_CHECK_MEMBER_H

#include "gate/module.h"

/*
 * Lists the member decorations of a valid module. The list stays valid as long as the structs of
 * the original module do.
 */
bool gate_list_members(struct gate *g);

/* Returns a decoration of a member; NULL: the member does not have it. */
const struct gate_member *gate_member_find(const struct gate *g, uint32_t type_id, uint32_t member,
					   uint32_t decoration);

#endif
