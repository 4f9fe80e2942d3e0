/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of the broker: before it accepts a connection or starts a worker, the broker gives up
 * its privileges, the network, most of its rights in the file system (landlock.h) and all system
 * calls that neither it nor a starting worker needs. Workers inherit the sandbox; they still have
 * to load the host's Vulkan driver with its files. worker_sandbox.h restricts a worker further
 * after that.
 */
#ifndef BROKER_BROKER_SANDBOX_H
#define BROKER_BROKER_SANDBOX_H

#include <stdbool.h>

/*
 * Enters the sandbox; there is no way back. @program is an open descriptor of the program that may
 * be executed. Returns false, after an error in the log, if the kernel cannot do that. Missing
 * namespaces and missing Landlock are logged, too, but are no error.
 */
bool broker_sandbox_enter(int program);

#endif
