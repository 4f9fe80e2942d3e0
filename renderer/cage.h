/* SPDX-License-Identifier: MIT */
/*
 * What the broker gives up before anybody can connect, and its workers have never had: privileges,
 * the network, and system calls that nothing here makes. A worker has to load the host's Vulkan driver,
 * files and all; what it gives up after that is jail.h's.
 */
#ifndef CAGE_H
#define CAGE_H

#include <stdbool.h>

/* Enter it, for good. False: the kernel cannot; logged. Namespaces may be missing, which is logged, too. */
bool cage_enter(void);

#endif
