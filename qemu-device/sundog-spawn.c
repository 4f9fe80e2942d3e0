/*
 * sundog, a GPU in software: starting a renderer, and its end
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The renderer is a child process. When it has been reaped, its workers have
 * been killed: they asked for that with PR_SET_PDEATHSIG.
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

/* It may outlive the device. */
struct SundogChild {
    SundogState *s;             /* NULL: nobody wants to know any more */
    GPid pid;
};

static void sundog_spawn_ended(GPid pid, gint status, gpointer opaque)
{
    SundogChild *child = opaque;
    SundogState *s = child->s;

    if (WIFSIGNALED(status)) {
        warn_report("sundog: the renderer was ended by signal %d",
                    WTERMSIG(status));
    } else if (WEXITSTATUS(status)) {
        warn_report("sundog: the renderer ended with status %d",
                    WEXITSTATUS(status));
    }
    g_spawn_close_pid(pid);
    g_free(child);
    if (s) {
        s->child = NULL;
        sundog_renderer_ended(s);
    }
}

/* However much it hangs; sundog_renderer_ended() follows. */
void sundog_spawn_kill(SundogState *s)
{
    trace_sundog_spawn_kill(s->child->pid);
    kill(s->child->pid, SIGKILL);
}

/* Its connection goes away: the child ends by itself. */
void sundog_spawn_forget(SundogState *s)
{
    if (s->child) {
        s->child->s = NULL;
        s->child = NULL;
    }
}

/*
 * Start the device's renderer and return QEMU's end of a SOCK_SEQPACKET pair,
 * or -1. The renderer ends by itself when that end closes.
 */
int sundog_spawn(SundogState *s, Error **errp)
{
    g_autofree char *fd_arg = NULL;
    g_autoptr(GError) err = NULL;
    const char *program = g_str_equal(s->renderer, "auto") ? DEFAULT_RENDERER
                                                           : s->renderer;
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
    s->child = g_new(SundogChild, 1);
    *s->child = (SundogChild) { s, pid };
    g_child_watch_add(pid, sundog_spawn_ended, s->child);
    trace_sundog_spawn(program, pid);
    return fds[0];
}
