// SPDX-License-Identifier: MIT
/*
 * Executes the requests of hijack.h in the main thread of a worker. Linked into the renderer with
 * --wrap for each function that has a __wrap_ version here.
 */
#define _GNU_SOURCE
#include "hijack.h"

#include <errno.h>
#include <pthread.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "worker/channel.h"
#include "exec/decode.h"
#include "exec/memory.h"
#include "ipc/map_request.h"
#include "exec/shader.h"
#include "worker/worker.h"

bool __real_decode(struct exec *x, const uint32_t *stream, uint32_t n, uint64_t *offset);
bool __wrap_decode(struct exec *x, const uint32_t *stream, uint32_t n, uint64_t *offset);
bool __real_run_draw(struct exec *x, const struct sundog_cmd_draw *cmd);
bool __wrap_run_draw(struct exec *x, const struct sundog_cmd_draw *cmd);
bool __real_memory_revoke_vram(struct exec *x);
bool __wrap_memory_revoke_vram(struct exec *x);
bool __real_memory_revoke_guest(struct exec *x, uint64_t offset, uint64_t size);
bool __wrap_memory_revoke_guest(struct exec *x, uint64_t offset, uint64_t size);
void __real_channel_free(struct exec *x, struct channel *ch);
void __wrap_channel_free(struct exec *x, struct channel *ch);
bool __real_map_request_confirm(int vram_fd, uint64_t asked);
bool __wrap_map_request_confirm(int vram_fd, uint64_t asked);
bool __real_map_request_guest(int guest_fd, uint32_t handle, uint64_t heap_offset, uint64_t *offset,
			      uint64_t *size);
bool __wrap_map_request_guest(int guest_fd, uint32_t handle, uint64_t heap_offset, uint64_t *offset,
			      uint64_t *size);
int __real_seccomp_attr_set(scmp_filter_ctx ctx, enum scmp_filter_attr attr, uint32_t value);
int __wrap_seccomp_attr_set(scmp_filter_ctx ctx, enum scmp_filter_attr attr, uint32_t value);

/*
 * Longest delay of the signal during a confirm request, for which the broker reads MANY_AREAS
 * mappings.
 */
#define CONFIRM_NS 4000000u
/* Longest delay of the signal during a request for guest pages: the broker reads few channels */
#define SELECT_NS 60000u
#define MANY_AREAS 4000u		/* mappings of the worker that the broker has to read */
#define MAX_TRIES 2000			/* the broker may be late */

static bool lies, unchecked, interrupts;
/* The guest pages are at offset 0 of the file and have this many bytes. */
static uint64_t guest_bytes;
static unsigned int dawdles;
static __thread sigjmp_buf no_memory;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(no_memory, 1);
}

static int64_t call(const uint64_t *args)
{
	const long value = syscall(args[0], args[1], args[2], args[3], args[4], args[5], args[6]);

	/* Only whether fork() succeeds matters. The child has nothing to do. */
	if (!value && (args[0] == SYS_fork || args[0] == SYS_vfork || args[0] == SYS_clone ||
		       args[0] == SYS_clone3))
		_exit(0);
	return value == -1 ? -errno : value;
}

static struct hijack_result access_memory(const struct hijack *h)
{
	struct hijack_result result = { .value = 0 };
	volatile uint64_t *const at = (uint64_t *)h->args[0];
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER }, old[2];

	sigaction(SIGSEGV, &action, &old[0]);
	sigaction(SIGBUS, &action, &old[1]);
	if (sigsetjmp(no_memory, 1))
		result.value = -EFAULT;
	else if (h->op == HIJACK_READ)
		result.data = *at;
	else
		*at = h->args[1];
	sigaction(SIGSEGV, &old[0], NULL);
	sigaction(SIGBUS, &old[1], NULL);
	return result;
}

/* Sends MESSAGE_PROGRESS @times times, as the watchdog does, but faster. */
static void claim(uint64_t times)
{
	const struct message_progress m = { .header = { MESSAGE_PROGRESS, sizeof(m) } };

	for (uint64_t i = 0; i < times; i++)
		if (write(WORKER_SOCKET, &m, sizeof(m)) < 0)
			sched_yield();
}

/* Interruptions */

static struct {
	atomic_bool asks, answered;
	pid_t thread;
	unsigned int seed;
	uint64_t within_ns;
} interrupter;

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void on_interrupt(int signal)
{
	(void)signal;
}

static void *interrupt_once(void *data)
{
	const uint64_t delay = rand_r(&interrupter.seed) % interrupter.within_ns;
	uint64_t start;

	(void)data;
	while (!interrupter.asks)
		;
	start = clock_ns();
	while (clock_ns() - start < delay && !interrupter.answered)
		;
	if (!interrupter.answered)
		syscall(SYS_tgkill, getpid(), interrupter.thread, SIGUSR1);
	return NULL;
}

/*
 * From now on signals interrupt this thread's requests to the broker. Makes many mappings, so that
 * the broker takes long to read the list of them.
 */
static void begin_to_interrupt(uint64_t bytes)
{
	struct sigaction action = { .sa_handler = on_interrupt };
	char *areas = mmap(NULL, 2ull * MANY_AREAS << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	for (uint64_t i = 0; areas != MAP_FAILED && i < MANY_AREAS; i++)
		mprotect(areas + (2 * i << 12), 1 << 12, PROT_NONE);
	sigaction(SIGUSR1, &action, NULL);
	interrupter.thread = gettid();
	interrupter.seed = getpid();
	guest_bytes = bytes;
	interrupts = true;
}

/*
 * Sends a request and interrupts it with a signal, up to @tries times, until it ends without EINTR.
 * The broker may answer before the signal. Returns the result of the request.
 */
static bool ask_interrupted(bool (*ask)(const uint64_t *args), const uint64_t *args,
			    uint64_t within_ns, int tries)
{
	bool ok = false;
	pthread_t thread;
	int err = EINTR;

	for (int i = 0; i < tries && !ok && err == EINTR; i++) {
		interrupter.asks = interrupter.answered = false;
		interrupter.within_ns = within_ns;
		if (pthread_create(&thread, NULL, interrupt_once, NULL))
			break;
		errno = 0;
		interrupter.asks = true;
		ok = ask(args);
		err = errno;
		interrupter.answered = true;
		pthread_join(thread, NULL);
	}
	return ok;
}

static bool ask_confirm(const uint64_t *args)
{
	return __real_map_request_confirm(args[0], args[1]);
}

/*
 * Without HIJACK_INTERRUPT, confirms each revoke twice: Linux before 5.19 repeats the request of a
 * worker that was stopped during it, so the broker must accept that. With HIJACK_INTERRUPT, ignores
 * the broker's answer.
 */
bool __wrap_map_request_confirm(int vram_fd, uint64_t asked)
{
	const uint64_t args[] = { vram_fd, asked };

	if (!interrupts)
		return __real_map_request_confirm(vram_fd, asked) &&
		       __real_map_request_confirm(vram_fd, asked);
	ask_interrupted(ask_confirm, args, CONFIRM_NS, MAX_TRIES);
	return true;
}

static bool ask_guest(const uint64_t *args)
{
	return __real_map_request_guest(args[0], args[1], args[2], (uint64_t *)args[3],
					(uint64_t *)args[4]);
}

/*
 * With HIJACK_INTERRUPT, an interrupted request counts as granted: the worker maps whatever
 * @guest_fd refers to, which may be another client's pages.
 */
bool __wrap_map_request_guest(int guest_fd, uint32_t handle, uint64_t heap_offset, uint64_t *offset,
			      uint64_t *size)
{
	const uint64_t args[] = { guest_fd, handle, heap_offset, (uintptr_t)offset,
				  (uintptr_t)size };

	if (!interrupts)
		return __real_map_request_guest(guest_fd, handle, heap_offset, offset, size);
	if (!ask_interrupted(ask_guest, args, SELECT_NS, 1)) {
		*offset = 0;
		*size = guest_bytes;
	}
	return true;
}

int __wrap_seccomp_attr_set(scmp_filter_ctx ctx, enum scmp_filter_attr attr, uint32_t value)
{
#ifdef HAVE_WAITKILL
	if (attr == SCMP_FLTATR_CTL_WAITKILL && getenv(HIJACK_OLD_LINUX))
		return -EOPNOTSUPP;
#endif
	return __real_seccomp_attr_set(ctx, attr, value);
}

static void *run(void *data)
{
	const struct hijack *h = data;
	struct hijack_result result = { .value = 0 };

	if (h->op == HIJACK_SYSCALL)
		result.value = call(h->args);
	else if (h->op == HIJACK_LIE)
		lies = true;
	else if (h->op == HIJACK_DAWDLE)
		dawdles = h->args[0];
	else if (h->op == HIJACK_CLAIM)
		claim(h->args[0]);
	else if (h->op == HIJACK_INTERRUPT)
		begin_to_interrupt(h->args[0]);
	else
		result = access_memory(h);
	memcpy((void *)h->result, &result, sizeof(result));
	return NULL;
}

bool __wrap_decode(struct exec *x, const uint32_t *stream, uint32_t n, uint64_t *offset)
{
	struct hijack h;
	pthread_t thread;

	if (n * 4 != sizeof(h) || stream[0] != HIJACK_MAGIC)
		return __real_decode(x, stream, n, offset);
	memcpy(&h, stream, sizeof(h));
	if (h.op == HIJACK_UNCHECKED) {
		unchecked = true;
		return true;
	}
	if (!h.thread)
		run(&h);
	else if (!pthread_create(&thread, NULL, run, &h))
		pthread_join(thread, NULL);
	return true;
}

/* With HIJACK_UNCHECKED, makes every bound texture match the type that the shader declares. */
bool __wrap_run_draw(struct exec *x, const struct sundog_cmd_draw *cmd)
{
	struct draw *d = &x->draw;

	for (uint32_t i = 0; unchecked && i < NUM_STAGES; i++)
		for (uint32_t n = 0; d->shaders[i] && n < SUNDOG_MAX_TEXTURES; n++)
			d->stages[i].slots[SLOT_TEXTURE][n].kind =
				d->shaders[i]->kinds[SLOT_TEXTURE][n];
	return __real_run_draw(x, cmd);
}

bool __wrap_memory_revoke_vram(struct exec *x)
{
	return lies || __real_memory_revoke_vram(x);
}

bool __wrap_memory_revoke_guest(struct exec *x, uint64_t offset, uint64_t size)
{
	return lies || __real_memory_revoke_guest(x, offset, size);
}

void __wrap_channel_free(struct exec *x, struct channel *ch)
{
	sleep(dawdles);
	if (!lies)
		__real_channel_free(x, ch);
}
