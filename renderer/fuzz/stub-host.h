/* SPDX-License-Identifier: MIT */
/*
 * The host of the broker's fuzz target: a clock that advances only on request, event waits without
 * blocking, sockets with little room, threads that run at once or when their close() ends, and a
 * log that is formatted but not written.
 *
 * The linker replaces the real functions (--wrap), or the build leaves out their files.
 */
#ifndef STUB_HOST_H
#define STUB_HOST_H

/*
 * Threads of async_close.c: they close descriptors at once, cannot be started, or block in close()
 * until CLOSERS_FREE.
 */
enum stub_closers { CLOSERS_FREE, CLOSERS_NONE, CLOSERS_STUCK };

void stub_host_reset(void);

void stub_host_pass(unsigned int ms);

void stub_host_set_closers(enum stub_closers how);

#endif
