/*
 * sundog, a GPU in software: starting a renderer
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "sundog.h"
#include "trace.h"

#define DEFAULT_RENDERER    "sundog-renderd"

/*
 * In the child, between fork and exec: of QEMU's descriptors it keeps stderr
 * and its end of the socket, and QEMU's signal mask is not for it.
 */
static void sundog_spawn_setup(gpointer opaque)
{
    int fd = GPOINTER_TO_INT(opaque);
    sigset_t none;

    fcntl(fd, F_SETFD, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void sundog_spawn_ended(GPid pid, gint status, gpointer opaque)
{
    if (WIFSIGNALED(status)) {
        warn_report("sundog: the renderer was ended by signal %d",
                    WTERMSIG(status));
    } else if (WEXITSTATUS(status)) {
        warn_report("sundog: the renderer ended with status %d",
                    WEXITSTATUS(status));
    }
    g_spawn_close_pid(pid);
}

/*
 * Start RENDERER and return QEMU's end of a SOCK_SEQPACKET pair, or -1. The
 * renderer ends by itself when that end closes.
 */
int sundog_spawn(const char *renderer, Error **errp)
{
    g_autofree char *fd_arg = NULL;
    g_autoptr(GError) err = NULL;
    const char *program = g_str_equal(renderer, "auto") ? DEFAULT_RENDERER
                                                        : renderer;
    const char *argv[4] = { program, "--device-fd" };
    int fds[2];
    GPid pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
        error_setg_errno(errp, errno, "sundog: no socket for the renderer");
        return -1;
    }
    fd_arg = g_strdup_printf("%d", fds[1]);
    argv[2] = fd_arg;
    if (!g_spawn_async(NULL, (char **)argv, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
                       G_SPAWN_STDOUT_TO_DEV_NULL,
                       sundog_spawn_setup, GINT_TO_POINTER(fds[1]), &pid,
                       &err)) {
        error_setg(errp, "sundog: cannot start the renderer %s: %s", program,
                   err->message);
        error_append_hint(errp, "Without renderer= the device only "
                          "displays.\n");
        close(fds[0]);
        close(fds[1]);
        return -1;
    }
    close(fds[1]);
    g_child_watch_add(pid, sundog_spawn_ended, NULL);
    trace_sundog_spawn(program, pid);
    return fds[0];
}
