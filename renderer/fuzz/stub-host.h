/* SPDX-License-Identifier: MIT */
/*
 * The host as the broker's fuzz target has it: a clock that goes on when it is told to, events that are not waited
 * for, sockets with little room, closing that is done at once, and a log that nobody reads.
 *
 * The linker puts these in the place of the real ones (--wrap), or the build leaves those out.
 */
#ifndef STUB_HOST_H
#define STUB_HOST_H

enum stub_closers { CLOSERS_FREE, CLOSERS_BUSY, CLOSERS_STUCK };

void stub_host_reset(void);

void stub_host_pass(unsigned int ms);

void stub_host_set_closers(enum stub_closers how);

#endif
