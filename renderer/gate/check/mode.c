// SPDX-License-Identifier: MIT
/*
 * Records the operand of an execution mode, see mode.h.
 */
#include "gate/check/mode.h"

#include "gate/spirv_info.h"

bool gate_mode_declare(struct gate *g, uint32_t *field, uint32_t value, uint32_t mode)
{
	if (*field || !value)
		return gate_refuse(g, "execution mode %s is 0 or declared twice",
				   gate_mode_name(mode));
	*field = value;
	return true;
}
