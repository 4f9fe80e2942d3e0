/* SPDX-License-Identifier: MIT */
/*
 * The jail of a worker.
 */
#ifndef JAIL_H
#define JAIL_H

#include <stdbool.h>

/*
 * Take everything away from the calling process that decoding and drawing do not need: files, new
 * processes, sockets, most system calls. All threads are jailed, and all later ones. The process dies
 * with its parent. False: the kernel cannot; logged.
 */
bool jail_enter(void);

#endif
