/*
 * sundog, a GPU in software: the renderer process that the device starts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The renderer is a child process. Once it has been reaped, its workers have
 * been killed, too: they set PR_SET_PDEATHSIG.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "sundog.h"
#include "trace.h"

/*
 * Runs in the child between fork and exec. The child keeps stderr and its end
 * of the socket of QEMU's descriptors, and no signal is blocked in it.
 */
static void sundog_spawn_setup(gpointer opaque)
{
    int fd = GPOINTER_TO_INT(opaque);
    sigset_t none;

    fcntl(fd, F_SETFD, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Freed when the child has been reaped, which may be after the device. */
struct SundogChild {
    SundogState *s;             /* NULL: the device was unplugged */
    GPid pid;
};

static void sundog_spawn_ended(GPid pid, gint status, gpointer opaque)
{
    SundogChild *child = opaque;
    SundogState *s = child->s;

    if (s && WIFSIGNALED(status)) {
        warn_report("sundog: renderer %d was ended by signal %d, see its last "
                    "lines", (int)pid, WTERMSIG(status));
    } else if (s && WEXITSTATUS(status)) {
        warn_report("sundog: renderer %d ended with status %d, see its last "
                    "lines", (int)pid, WEXITSTATUS(status));
    }
    g_spawn_close_pid(pid);
    g_free(child);
    if (s) {
        s->child = NULL;
        sundog_renderer_ended(s);
    }
}

/* Kills the renderer, which may hang; sundog_renderer_ended() follows. */
void sundog_spawn_kill(SundogState *s)
{
    trace_sundog_spawn_kill(s->child->pid);
    kill(s->child->pid, SIGKILL);
}

/*
 * Kills the renderer with the device: it must not keep memory of the device or
 * of the guest.
 */
void sundog_spawn_end(SundogState *s)
{
    if (s->child) {
        sundog_spawn_kill(s);
        s->child->s = NULL;
        s->child = NULL;
    }
}

/*
 * Returns the renderer's command line, with its end of the socket, or NULL if
 * renderer-options= cannot be parsed.
 */
static GStrv sundog_spawn_argv(SundogState *s, int fd, Error **errp)
{
    g_autoptr(GError) err = NULL;
    g_auto(GStrv) options = NULL;
    GPtrArray *argv;

    if (s->renderer_options && s->renderer_options[0] &&
        !g_shell_parse_argv(s->renderer_options, NULL, &options, &err)) {
        error_setg(errp, "sundog: renderer-options=%s are not words of a "
                   "command line: %s", s->renderer_options, err->message);
        return NULL;
    }
    argv = g_ptr_array_new();
    g_ptr_array_add(argv, g_strdup(s->program));
    g_ptr_array_add(argv, g_strdup("--device-fd"));
    g_ptr_array_add(argv, g_strdup_printf("%d", fd));
    for (unsigned i = 0; options && options[i]; i++) {
        g_ptr_array_add(argv, g_strdup(options[i]));
    }
    g_ptr_array_add(argv, NULL);
    return (GStrv)g_ptr_array_free(argv, false);
}

/*
 * Starts the device's renderer. Returns QEMU's end of a SOCK_SEQPACKET pair, or
 * -1. The renderer ends when that end is closed.
 */
int sundog_spawn(SundogState *s, Error **errp)
{
    g_autoptr(GError) err = NULL;
    g_auto(GStrv) argv = NULL;
    int fds[2];
    GPid pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
        error_setg_errno(errp, errno, "sundog: no socket for the renderer "
                         "(raise QEMU's ulimit -n)");
        return -1;
    }
    argv = sundog_spawn_argv(s, fds[1], errp);
    if (!argv) {
        close(fds[0]);
        close(fds[1]);
        return -1;
    }
    if (!g_spawn_async(NULL, argv, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
                       G_SPAWN_STDOUT_TO_DEV_NULL,
                       sundog_spawn_setup, GINT_TO_POINTER(fds[1]), &pid,
                       &err)) {
        error_setg(errp, "sundog: cannot start the renderer %s: %s", argv[0],
                   err->message);
        if (g_error_matches(err, G_SPAWN_ERROR, G_SPAWN_ERROR_FORK)) {
            error_append_hint(errp, "QEMU may not start programs with -sandbox "
                              "spawn=deny, which libvirt gives: start "
                              "sundog-renderd --chardev PATH yourself, and use "
                              "chardev= instead of renderer=.\n");
        } else {
            error_append_hint(errp, "Install sundog-renderd, or correct "
                              "renderer=; with renderer=none the device only "
                              "displays.\n");
        }
        close(fds[0]);
        close(fds[1]);
        return -1;
    }
    close(fds[1]);
    s->child = g_new(SundogChild, 1);
    *s->child = (SundogChild) { s, pid };
    g_child_watch_add(pid, sundog_spawn_ended, s->child);
    trace_sundog_spawn(argv[0], pid);
    return fds[0];
}
