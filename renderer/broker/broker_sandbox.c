// SPDX-License-Identifier: MIT
/*
 * The broker's sandbox, see broker_sandbox.h: resource limits, namespaces, capabilities, Landlock
 * and a seccomp allow-list. The broker enters it before it starts a worker or accepts a peer.
 */
#define _GNU_SOURCE
#include "broker/broker_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "broker/landlock.h"
#include "ipc/log.h"

#define NAMESPACES (CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

/*
 * System calls of the broker, of a worker before worker_sandbox_enter(), and of libraries that
 * Vulkan drivers use.
 */
static const int allowed[] = {
	/* messages and events */
	SCMP_SYS(accept4), SCMP_SYS(recvmsg), SCMP_SYS(recvfrom), SCMP_SYS(sendmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(socketpair), SCMP_SYS(shutdown), SCMP_SYS(getsockopt), SCMP_SYS(setsockopt),
	SCMP_SYS(getsockname), SCMP_SYS(getpeername), SCMP_SYS(pipe2), SCMP_SYS(eventfd2),
	SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
	SCMP_SYS(poll), SCMP_SYS(ppoll),
	/* files */
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(read),
	SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64),
	SCMP_SYS(lseek), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
	SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
	SCMP_SYS(getdents64), SCMP_SYS(fcntl), SCMP_SYS(ioctl), SCMP_SYS(dup), SCMP_SYS(dup2),
	SCMP_SYS(dup3), SCMP_SYS(ftruncate), SCMP_SYS(memfd_create), SCMP_SYS(unlink),
	/* memory */
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap),
	SCMP_SYS(madvise), SCMP_SYS(mincore), SCMP_SYS(membarrier), SCMP_SYS(get_mempolicy),
	/* processes and threads */
	SCMP_SYS(clone), SCMP_SYS(clone3), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve),
	SCMP_SYS(execveat), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(wait4), SCMP_SYS(waitid),
	SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_send_signal), SCMP_SYS(kill), SCMP_SYS(tgkill),
	SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address), SCMP_SYS(rseq),
	SCMP_SYS(arch_prctl), SCMP_SYS(prctl), SCMP_SYS(seccomp), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_getparam),
	SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_setscheduler), SCMP_SYS(getpriority),
	SCMP_SYS(setpriority), SCMP_SYS(prlimit64), SCMP_SYS(getrlimit), SCMP_SYS(setrlimit),
	/* identity and environment */
	SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getgroups), SCMP_SYS(uname),
	SCMP_SYS(sysinfo),
	SCMP_SYS(getrusage), SCMP_SYS(getcpu), SCMP_SYS(getrandom), SCMP_SYS(setsid),
	/* time */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	/* signals */
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
};

/*
 * Other system calls fail with ENOSYS, so that libraries use their fallbacks. Returns false after
 * an error in the log.
 */
static bool filter_calls(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int err = ctx ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]) && !err; i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
	if (!err)
		err = seccomp_load(ctx);
	seccomp_release(ctx);
	if (err)
		log_error("cannot load the broker's seccomp filter: %s; allow seccomp in the "
			  "sandbox around the renderer", strerror(-err));
	return !err;
}

static bool write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Without root, the other namespaces need a user namespace; it maps only the user's own IDs. */
static bool unshare_as_user(void)
{
	const unsigned int uid = geteuid(), gid = getegid();
	char users[64], groups[64];

	snprintf(users, sizeof(users), "%u %u 1", uid, uid);
	snprintf(groups, sizeof(groups), "%u %u 1", gid, gid);
	return !unshare(CLONE_NEWUSER | NAMESPACES) && write_file("/proc/self/uid_map", users) &&
	       write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/gid_map", groups);
}

/*
 * Drops all capabilities, including those of the bounding set, from which executing a program as
 * root would take them.
 */
static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return !syscall(SYS_capset, &header, none);
}

bool broker_sandbox_enter(int program)
{
	const struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	if (unshare(NAMESPACES) && !unshare_as_user())
		log_info("cannot unshare the broker's network, IPC and UTS namespaces: %s, "
			 "going on without", strerror(errno));
	if (!drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		log_error("cannot drop capabilities or set no_new_privs: %s; allow capset and "
			  "prctl in the sandbox around the renderer", strerror(errno));
		return false;
	}
	return landlock_enter(program) && filter_calls();
}
