/* SPDX-License-Identifier: MIT */
/*
 * Checking and printing of command packets, driven by the generated field tables. The worker of the
 * renderer checks each packet before it executes it, and prints packets for debugging.
 */
#ifndef SUNDOG_PACKET_H
#define SUNDOG_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "sundog_packets.h"

#define SUNDOG_NUM_OPCODES 0x100

enum sundog_field_kind {
	SUNDOG_FIELD_U32,	/* min..max, unsigned */
	SUNDOG_FIELD_I32,	/* min..max, signed */
	SUNDOG_FIELD_MASK,	/* no bits outside max */
	SUNDOG_FIELD_F32,	/* any value, NaN and infinities included; not checked here */
	SUNDOG_FIELD_U64,	/* not checked here */
};

/* One scalar of a packet. */
struct sundog_field {
	const char *name;
	uint32_t dword;		/* from the start of the packet's body, or of the element */
	enum sundog_field_kind kind;
	uint32_t min, max;
};

struct sundog_packet_desc {
	const char *name;	/* NULL: the opcode is not assigned */
	uint32_t dwords;	/* header and fixed part */
	const struct sundog_field *fields;
	uint32_t n_fields;
	const char *array;	/* trailing array, or NULL */
	uint32_t count_dword;	/* body dword that counts its elements */
	uint32_t element_dwords;
	const struct sundog_field *elements;
	uint32_t n_elements;
};

extern const struct sundog_packet_desc sundog_packets[SUNDOG_NUM_OPCODES];

/*
 * Checks the packet at @dw of a stream that has @avail dwords left (at least 1): known opcode,
 * exact length, every enumeration, mask, range and array count. The caller checks object ids,
 * memory and state. Returns SUNDOG_FAULT_CODE_NONE, else the code and its @arg. @dw must be private
 * memory: it is read more than once.
 */
enum sundog_fault_code sundog_packet_check(const uint32_t *dw, uint32_t avail, uint32_t *arg);

/*
 * Prints a packet that has passed sundog_packet_check() into @buf, in one line. Returns the length
 * of the whole text, as snprintf() does.
 */
int sundog_packet_print(const uint32_t *dw, char *buf, size_t size);

/* Returns the printable name of a fault code. */
const char *sundog_fault_name(uint32_t code);

#endif
