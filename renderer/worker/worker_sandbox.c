// SPDX-License-Identifier: MIT
/*
 * The sandbox of a worker, see worker_sandbox.h: seccomp allow-lists and resource limits. System
 * calls that are not listed fail with EPERM, so that a library's optional access to a file does not
 * crash the worker, and gets nowhere.
 */
#define _GNU_SOURCE
#include "worker/worker_sandbox.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ipc/log.h"
#include "ipc/worker_options.h"

/*
 * Descriptors of a worker: two for each channel, and some of the host driver for each exported
 * allocation.
 */
#define MAX_FILES 4096

/* Since Linux 6.11; older headers lack it. */
#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x08
#endif

static const int allowed[] = {
	/* messages, doorbells and interrupts */
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendmsg),
	SCMP_SYS(close), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_ctl),
	SCMP_SYS(poll), SCMP_SYS(ppoll),
	/* memory: the client's, the heap and the host driver's generated code */
	SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise),
	SCMP_SYS(brk),
	/*
	 * lavapipe's heap is a memfd that grows, see limit_memory(); the client's memfds are sealed
	 * against resizing
	 */
	SCMP_SYS(ftruncate),
	/* threads and time */
	SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(gettid), SCMP_SYS(getpid),
	SCMP_SYS(membarrier),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday), SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(sysinfo),
	/* worker_sandbox_seal() */
	SCMP_SYS(seccomp),
	/* signals and the end */
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

static int add_rules(scmp_filter_ctx ctx)
{
	const unsigned int thread = CLONE_THREAD | CLONE_VM | CLONE_FILES;
	/* CLONE_PIDFD is denied: the pidfd of a thread stays open when the thread has ended. */
	const unsigned int checked = thread | CLONE_PIDFD;
	int err = 0;

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]) && !err; i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
	/*
	 * Allow threads that share the descriptors, but no processes. A filter cannot see the flags
	 * of clone3; without clone3, libc uses clone.
	 */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				       SCMP_A0(SCMP_CMP_MASKED_EQ, checked, thread));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	/*
	 * A thread may set its own affinity (0); other numbers can name threads of other processes.
	 */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(sched_setaffinity), 1,
				       SCMP_A0(SCMP_CMP_EQ, 0));
	/* abort() */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
				       SCMP_A0(SCMP_CMP_EQ, getpid()));
	/* names of threads */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
				       SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
	return err;
}

/*
 * RLIMIT_DATA does not count shared memory, so RLIMIT_FSIZE bounds the host driver's heap, which is
 * the only file that can grow. Lavapipe does not check whether it grew: an access beyond its end
 * ends the worker, and with it only this client.
 */
static void limit_memory(void)
{
	const struct rlimit heap = { WORKER_MAX_HEAP, WORKER_MAX_HEAP }, no_signals = { 0, 0 };
	struct rlimit files;

#ifndef __SANITIZE_ADDRESS__	/* the sanitizer's shadow memory would count, too */
	setrlimit(RLIMIT_DATA, &heap);
#endif
	setrlimit(RLIMIT_FSIZE, &heap);
	/*
	 * Linux counts queued signals per user, and a worker needs none. Open descriptors take
	 * kernel memory.
	 */
	setrlimit(RLIMIT_SIGPENDING, &no_signals);
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur > MAX_FILES) {
		files.rlim_cur = files.rlim_max = MAX_FILES;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	signal(SIGXFSZ, SIG_IGN);
}

bool worker_sandbox_enter(void)
{
	const struct rlimit no_core = { 0, 0 };
	scmp_filter_ctx ctx;
	int err;

	setrlimit(RLIMIT_CORE, &no_core);
	limit_memory();
	prctl(PR_SET_DUMPABLE, 0);
	ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!ctx) {
		log_error("cannot create the worker's seccomp filter: out of memory, ending the "
			  "worker");
		return false;
	}
	err = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!err)
		err = add_rules(ctx);
	if (!err)
		err = seccomp_load(ctx);
	seccomp_release(ctx);
	if (err)
		log_error("cannot load the worker's seccomp filter: %s, ending the worker",
			  strerror(-err));
	return !err;
}

/* Linux uses only the lower 32 bits of a descriptor argument. */
#define IS_FD(arg, fd) SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, 0xffffffff, (unsigned int)(fd))

static int add_seal_of(scmp_filter_ctx ctx, int fd)
{
	static const int denied[] = { SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(ftruncate),
				      SCMP_SYS(close) };
	int err = seccomp_rule_add(ctx, SCMP_ACT_NOTIFY, SCMP_SYS(mmap), 1, IS_FD(4, fd));

	for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]) && !err; i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), denied[i], 1, IS_FD(0, fd));
	return err;
}

/*
 * The window (mapping.h) lies below this address; the program, its heap, libraries and stacks lie
 * above.
 */
#define LOW_ADDRESSES (1ull << 46)

/*
 * Keeps the addresses of the window reserved: RLIMIT_AS counts them, and the worker must not
 * place memory of its own there. Only PROT_NONE mappings, which have no memory, may replace them.
 * The broker refuses shared mappings with MAP_FIXED, except those of the sealed descriptors.
 */
static int add_address_rules(scmp_filter_ctx ctx)
{
	int err = 0;

#ifndef __SANITIZE_ADDRESS__	/* the sanitizer's shadow memory is below, too */
	err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(munmap), 1,
			       SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_ADDRESSES, 0));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mprotect), 1,
				       SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_ADDRESSES, 0));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mmap), 2,
				       SCMP_A2(SCMP_CMP_NE, PROT_NONE),
				       SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_FIXED | MAP_PRIVATE,
					       MAP_FIXED | MAP_PRIVATE));
#endif
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_NOTIFY, SCMP_SYS(mmap), 1,
				       SCMP_A3(SCMP_CMP_MASKED_EQ,
					       MAP_FIXED | MAP_SHARED | MAP_PRIVATE,
					       MAP_FIXED | MAP_SHARED));
	return err;
}

/*
 * Denies mappings that are writable and executable at the same time, so that a stray write cannot
 * change code that is executed next. Also denies executable shared mappings in mmap(). A hijacked
 * worker can still have code in two mappings of the host driver's heap, which is a memfd. LLVM
 * makes its code executable when it is complete. Debian's lavapipe also has a heap that is both;
 * without that heap, lavapipe converts vertices with functions that it does not generate.
 */
static int add_code_rules(scmp_filter_ctx ctx)
{
	static const int calls[] = { SCMP_SYS(mmap), SCMP_SYS(mprotect) };
	const scmp_datum_t both = PROT_WRITE | PROT_EXEC;
	int err = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]) && !err; i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), calls[i], 1,
				       SCMP_A2(SCMP_CMP_MASKED_EQ, both, both));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mmap), 2,
				       SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC),
				       SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED, MAP_SHARED));
	return err;
}

static int add_seal_rules(scmp_filter_ctx ctx, const int *fds, int n)
{
	/*
	 * RLIMIT_DATA does not count such mappings: they are no private data, count as stack, or
	 * come from a pool of the host.
	 */
	static const unsigned int unlimited[] = { MAP_SHARED | MAP_ANONYMOUS,
						  MAP_ANONYMOUS | MAP_HUGETLB, MAP_GROWSDOWN,
						  MAP_DROPPABLE };
	int err = 0;

	for (int i = 0; i < n && !err; i++)
		err = add_seal_of(ctx, fds[i]);
	for (size_t i = 0; i < sizeof(unlimited) / sizeof(unlimited[0]) && !err; i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mmap), 1,
				       SCMP_A3(SCMP_CMP_MASKED_EQ, unlimited[i], unlimited[i]));
	/* mremap() could enlarge a mapping beyond the range that was asked for. */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mremap), 0);
	if (!err)
		err = add_address_rules(ctx);
	if (!err)
		err = add_code_rules(ctx);
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(seccomp), 0);
	return err;
}

int worker_sandbox_seal(const int *fds, int n)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int err = ctx ? 0 : -ENOMEM, fd = -1;

	/* no_new_privs has been set since worker_sandbox_enter(). */
	if (!err)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0);
	if (!err)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
#ifdef HAVE_WAITKILL
	/*
	 * Signals except SIGKILL do not interrupt a call that the broker has received; before Linux
	 * 5.19 they do.
	 */
	if (!err)
		seccomp_attr_set(ctx, SCMP_FLTATR_CTL_WAITKILL, 1);
#endif
	if (!err)
		err = add_seal_rules(ctx, fds, n);
	if (!err)
		err = seccomp_load(ctx);
	if (!err)
		fd = seccomp_notify_fd(ctx);
	if (ctx)
		seccomp_release(ctx);
	if (fd < 0)
		log_error("cannot load the seccomp listener for mmap(): %s, ending the worker; run "
			  "the renderer outside of containers", strerror(-err));
	return fd;
}
