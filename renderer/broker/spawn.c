// SPDX-License-Identifier: MIT
/*
 * Worker processes, see spawn.h. worker_child() runs in the new process, with a copy of the
 * broker's memory until its exec.
 */
#define _GNU_SOURCE
#include "broker/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broker/broker.h"
#include "ipc/file.h"
#include "ipc/log.h"
#include "ipc/worker_options.h"

/*
 * Sets the badness that the OOM killer adds for the broker, which new workers inherit. The sandbox
 * forbids that a worker opens the file.
 */
static void set_oom_score(const struct broker *b, const char *score)
{
	const ssize_t written = pwrite(b->oom_score_fd, score, strlen(score), 0);

	(void)written;	/* the file may be missing */
}

/* Makes @fd available as @to after the exec. Returns false on errors. */
static bool hand_on(int fd, int to)
{
	return fd == to ? !fcntl(fd, F_SETFD, 0) : dup2(fd, to) == to;
}

/*
 * Unshares the descriptor table without the peers' descriptors: if the worker had copies of them,
 * it could be the one to close the last, which takes as long as the peer likes. Descriptors of
 * peers have higher numbers than the broker's own (open_program()).
 */
static bool leave_table(const struct broker *b)
{
	int last = b->program_fd;

	for (int i = 0; i < 2; i++)
		last = b->handed_fds[i] > last ? b->handed_fds[i] : last;
	return !close_range(last + 1, ~0u, CLOSE_RANGE_UNSHARE);
}

/*
 * Of the broker's descriptors the worker keeps its socket and its log pipe. It executes the program
 * anew, so that no two workers have the same address layout, and none that of the broker. It must
 * not outlive the broker.
 */
static void worker_child(const struct broker *b, pid_t broker)
{
	const struct worker_options *o = &b->options->worker;
	char batch[16], decode[16], threads[16];
	char *argv[] = {
		"sundog-worker", "--worker", "--log", (char *)log_level_name(), "--timeout", batch,
		"--compile-timeout", decode, "--max-threads", threads, o->gpu ? "--gpu" : NULL,
		(char *)o->gpu, NULL,
	};
	int null;

	if (!leave_table(b) || prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != broker)
		_exit(1);
	null = open("/dev/null", O_RDWR);
	if (null < 0 || !hand_on(null, 0) || !hand_on(null, 1) || !hand_on(b->handed_fds[1], 2) ||
	    !hand_on(b->handed_fds[0], WORKER_SOCKET) ||
	    close_range(WORKER_SOCKET + 1, ~0u, CLOSE_RANGE_CLOEXEC))
		_exit(1);
	snprintf(batch, sizeof(batch), "%u", o->batch_ms);
	snprintf(decode, sizeof(decode), "%u", o->decode_ms);
	snprintf(threads, sizeof(threads), "%u", o->max_threads);
	/* With autogroup (sched(7)) a session is a group of its own to the scheduler. */
	setsid();
	execveat(b->program_fd, "", argv, environ, AT_EMPTY_PATH);
	_exit(1);
}

pid_t spawn_worker(const struct broker *b, int sock, int output, int *end)
{
	const pid_t self = getpid();
	pid_t pid;

	if (dup2(sock, b->handed_fds[0]) < 0 || dup2(output, b->handed_fds[1]) < 0)
		return -1;
	/*
	 * The child shares the descriptor table until it unshares it, and the event thread is
	 * suspended until the child's exec (CLONE_VFORK), so handed_fds do not change meanwhile.
	 *
	 * The worker is the first victim of the OOM killer, before QEMU, which may be larger, and
	 * before the broker.
	 */
	set_oom_score(b, "1000");
	pid = syscall(SYS_clone, CLONE_FILES | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
	if (!pid)
		worker_child(b, self);
	set_oom_score(b, b->oom_score);
	for (int i = 0; i < 2; i++)
		dup2(b->program_fd, b->handed_fds[i]);
	if (pid < 0)
		return -1;
	*end = file_keep(pidfd_open(pid, 0));
	if (*end >= 0)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	errno = EMFILE;
	return -1;
}

void spawn_kill(pid_t pid)
{
	kill(pid, SIGKILL);
}

int spawn_reap(pid_t pid)
{
	siginfo_t info = { 0 };

	while (waitid(P_PID, pid, &info, WEXITED) && errno == EINTR)
		;
	if (info.si_code == CLD_EXITED)
		return info.si_status;
	if (info.si_status != SIGKILL)
		log_error("worker %d was ended by signal %d", (int)pid, info.si_status);
	return -1;
}

bool spawn_limit_addresses(pid_t pid, uint64_t mapped)
{
	const uint64_t bytes = mapped + 2 * WORKER_MAX_HEAP + WORKER_SPARE_ADDRESSES;
	struct rlimit limit;

	if (!prlimit(pid, RLIMIT_AS, NULL, &limit)) {
		/* Keep a lower limit. */
		if (limit.rlim_max > bytes)
			limit.rlim_max = bytes;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_cur = limit.rlim_max;
		if (!prlimit(pid, RLIMIT_AS, &limit, NULL))
			return true;
	}
	log_error("worker %d: cannot set RLIMIT_AS to %llu bytes: %s; allow prlimit64 in the "
		  "sandbox around the renderer",
		  (int)pid, (unsigned long long)bytes, strerror(errno));
	return false;
}
