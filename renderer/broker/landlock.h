/* SPDX-License-Identifier: MIT */
/*
 * Landlock (landlock(7)) for the broker, and for workers, which inherit it: what a process may do
 * with files that it does not have open yet.
 *
 *   read                    all files, since a Vulkan driver reads what its loader finds
 *   write, and ioctl()      files below /dev
 *   execute                 the renderer's own program, and the folder of the dynamic linker
 *   create, remove, rename  nothing
 *
 * TCP is refused, and so are signals and abstract sockets that leave the renderer, where the kernel
 * knows these restrictions.
 */
#ifndef BROKER_LANDLOCK_H
#define BROKER_LANDLOCK_H

#include <stdbool.h>

/*
 * Restricts the calling thread and its future children; there is no way back. PR_SET_NO_NEW_PRIVS
 * has to be set. @program is an open descriptor of the renderer's program. Kernels without Landlock
 * are no error, but are logged. Returns false after an error in the log.
 */
bool landlock_enter(int program);

#endif
