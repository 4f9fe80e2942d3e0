/* SPDX-License-Identifier: MIT */
/*
 * The core verifier. gate.c runs it as pass "verify-core", after the passes that build the core
 * form, and as pass "verify-result" at the end.
 */
#ifndef GATE_CHECK_VERIFY_H
#define GATE_CHECK_VERIFY_H

#include "gate/module.h"

/*
 * Verifies the core form. With @host, verifies also the rules for the module that the host gets.
 */
bool gate_verify(struct gate *g, bool host);

#endif
