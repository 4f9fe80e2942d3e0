// SPDX-License-Identifier: MIT
/* What a worker does that was taken over, see hijack.h. Linked into the renderer in place of what it wraps. */
#define _GNU_SOURCE
#include "hijack.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channel.h"
#include "decode.h"
#include "memory.h"
#include "shader.h"
#include "worker.h"

bool __real_decode(struct worker *w, const uint32_t *stream, uint32_t n, uint64_t *offset);
bool __wrap_decode(struct worker *w, const uint32_t *stream, uint32_t n, uint64_t *offset);
bool __real_draw_vertices(struct worker *w, const struct sundog_cmd_draw *cmd);
bool __wrap_draw_vertices(struct worker *w, const struct sundog_cmd_draw *cmd);
bool __real_memory_revoke_vram(struct worker *w);
bool __wrap_memory_revoke_vram(struct worker *w);
bool __real_memory_revoke_guest(struct worker *w, uint64_t offset, uint64_t size);
bool __wrap_memory_revoke_guest(struct worker *w, uint64_t offset, uint64_t size);
void __real_channel_free(struct worker *w, struct channel *ch);
void __wrap_channel_free(struct worker *w, struct channel *ch);

static bool lies, unchecked;
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

	/* A new process is the success that matters, and has no more to do. */
	if (!value && (args[0] == SYS_fork || args[0] == SYS_vfork || args[0] == SYS_clone || args[0] == SYS_clone3))
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

/* As the watchdog does, more often. */
static void claim(uint64_t times)
{
	const struct message_progress m = { .header = { MESSAGE_PROGRESS, sizeof(m) } };

	for (uint64_t i = 0; i < times; i++)
		if (write(WORKER_SOCKET, &m, sizeof(m)) < 0)
			sched_yield();
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
	else
		result = access_memory(h);
	memcpy((void *)h->result, &result, sizeof(result));
	return NULL;
}

bool __wrap_decode(struct worker *w, const uint32_t *stream, uint32_t n, uint64_t *offset)
{
	struct hijack h;
	pthread_t thread;

	if (n * 4 != sizeof(h) || stream[0] != HIJACK_MAGIC)
		return __real_decode(w, stream, n, offset);
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

/* What is bound is of the kind that the shader declares, says whoever looks at it. */
bool __wrap_draw_vertices(struct worker *w, const struct sundog_cmd_draw *cmd)
{
	struct draw *d = &w->draw;

	for (uint32_t i = 0; unchecked && i < NUM_STAGES; i++)
		for (uint32_t n = 0; d->shaders[i] && n < SUNDOG_MAX_TEXTURES; n++)
			d->stages[i].slots[SLOT_TEXTURE][n].kind = d->shaders[i]->kinds[SLOT_TEXTURE][n];
	return __real_draw_vertices(w, cmd);
}

bool __wrap_memory_revoke_vram(struct worker *w)
{
	return lies || __real_memory_revoke_vram(w);
}

bool __wrap_memory_revoke_guest(struct worker *w, uint64_t offset, uint64_t size)
{
	return lies || __real_memory_revoke_guest(w, offset, size);
}

void __wrap_channel_free(struct worker *w, struct channel *ch)
{
	sleep(dawdles);
	if (!lies)
		__real_channel_free(w, ch);
}
