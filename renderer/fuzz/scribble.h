/* SPDX-License-Identifier: MIT */
/*
 * Sends messages as a malicious party: a valid message with changed bytes, wrong descriptors, a
 * wrong size, or in several parts.
 */
#ifndef SCRIBBLE_H
#define SCRIBBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/message.h"
#include "input.h"

/* Bits: ways in which a message is wrong. */
enum { SCRIBBLE_BYTES = 1, SCRIBBLE_FDS = 2, SCRIBBLE_CUT = 4, SCRIBBLE_SIZE = 8 };

/* Returns a mask of no, one or several ways. */
static inline uint8_t scribble_ways(uint8_t how)
{
	return how < 0x80 ? 0 : how < 0xc0 ? 1 << (how >> 3 & 3) : how >> 3 & 7;
}

/* The unsent rest of a message that was cut. */
struct scribble_rest {
	size_t at, size;
	char bytes[MESSAGE_MAX_SIZE];
};

/*
 * Sends @m, which is from @party and has descriptors, to @sock. @wrong is a mask of the ways in
 * which it is wrong, @in has the details. Stores the unsent rest in @rest, unless that is NULL.
 */
void scribble_send(int sock, uint8_t party, struct message *m, uint8_t wrong, struct input *in,
		   struct scribble_rest *rest);

/* Sends more of a cut message, with descriptors if @in says so. */
void scribble_continue(int sock, uint8_t party, struct scribble_rest *rest, struct input *in);

/* Sends all of the rest. Returns false if the socket has no room for it. */
bool scribble_finish(int sock, struct scribble_rest *rest);

#endif
