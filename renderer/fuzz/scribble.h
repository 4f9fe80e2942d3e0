/* SPDX-License-Identifier: MIT */
/*
 * Messages as somebody sends them who means harm: one that is right, with bytes of it changed, other descriptors
 * than it should have, another size, and not all of it at once.
 */
#ifndef SCRIBBLE_H
#define SCRIBBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "input.h"
#include "message.h"

/* Ways to be wrong, bits. */
enum { SCRIBBLE_BYTES = 1, SCRIBBLE_FDS = 2, SCRIBBLE_CUT = 4, SCRIBBLE_SIZE = 8 };

/* In none of them, one, or several. */
static inline uint8_t scribble_ways(uint8_t how)
{
	return how < 0x80 ? 0 : how < 0xc0 ? 1 << (how >> 3 & 3) : how >> 3 & 7;
}

/* What is left of a message that was cut. */
struct scribble_rest {
	size_t at, size;
	char bytes[MESSAGE_MAX_SIZE];
};

/*
 * Send @m, of @party and with its descriptors, to @sock. @wrong is in what ways it is wrong, @in how. What is cut
 * off is *@rest's, if that is not NULL.
 */
void scribble_send(int sock, uint8_t party, struct message *m, uint8_t wrong, struct input *in,
		   struct scribble_rest *rest);

/* Send more of it, with descriptors if @in says so. */
void scribble_continue(int sock, uint8_t party, struct scribble_rest *rest, struct input *in);

/* Send all that is left. False: there is no room for it. */
bool scribble_finish(int sock, struct scribble_rest *rest);

#endif
