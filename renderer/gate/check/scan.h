/* SPDX-License-Identifier: MIT */
/*
 * Pass "scan": checks instructions and enumerants of a module that need not be valid, and bounds
 * its size. gate.c runs it, again after each pass that moves instructions.
 */
#ifndef GATE_CHECK_SCAN_H
#define GATE_CHECK_SCAN_H

#include "gate/module.h"

/* Reads all instructions, bounds the size of the module, and fills in the ids. */
bool gate_scan(struct gate *g);

/* Refuses a scanned module that would be too large with its calls inlined. */
bool gate_scan_calls(struct gate *g);

#endif
