/* SPDX-License-Identifier: MIT */
/*
 * The host of the broker's fuzz target: a clock that advances only on request, event waits without
 * blocking, sockets with little room, closing of descriptors at once, and a log that is formatted
 * but not written.
 *
 * The linker replaces the real functions (--wrap), or the build leaves out their files.
 */
#ifndef STUB_HOST_H
#define STUB_HOST_H

enum stub_closers { CLOSERS_FREE, CLOSERS_BUSY, CLOSERS_STUCK };

void stub_host_reset(void);

void stub_host_pass(unsigned int ms);

void stub_host_set_closers(enum stub_closers how);

#endif
