/* SPDX-License-Identifier: MIT */
/*
 * Where device addresses are in a worker: the pass mask_addresses.c keeps shaders in this range,
 * and exec/mapping.c maps memory there.
 */
#ifndef GATE_ADDRESS_RANGE_H
#define GATE_ADDRESS_RANGE_H

/* Where device address 0 is. */
#define MAPPING_DEVICE 0x1e0000000000ull
/*
 * Size of the guards on both sides of the device address range: a device address plus a 32-bit
 * offset stays in the range or in a guard.
 */
#define MAPPING_GUARD (4ull << 30)

#endif
