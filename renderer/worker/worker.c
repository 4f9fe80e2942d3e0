// SPDX-License-Identifier: MIT
/*
 * The main thread of a worker: makes the Vulkan device, enters the sandbox, sends the host's
 * capabilities, takes over one client's memory, then serves its channels until the broker ends it.
 * main.c calls worker_main().
 */
#define _GNU_SOURCE
#include "worker/worker.h"
#include "exec/indirect.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/quirk_prelude.h"
#include "exec/set_copy.h"
#include "ipc/log.h"
#include "ipc/map_request.h"
#include "ipc/message.h"
#include "worker/worker_sandbox.h"

#define MAX_FDS 1024			/* descriptors that list_files() checks */
#define KEEP_FREED (32 << 20)		/* bytes; the maximum of M_MMAP_THRESHOLD */

/*
 * Seals the client's descriptors: from now on the broker checks each mmap() of them. Returns false
 * on errors.
 */
static bool seal(struct worker *w, int maps)
{
	int fds[2] = { worker_sandbox_seal(w->fds, 4), maps };
	struct message_sealed m = {
		.header = { MESSAGE_SEALED, sizeof(m) },
		.fds = { w->fds[0], w->fds[1], w->fds[2], w->fds[3] }, .n_files = w->n_files,
	};
	int err;

	memcpy(m.files, w->files, sizeof(m.files));
	err = fds[0] < 0 ? -1 : message_send(w->sock, &m.header, fds, 2);

	close(fds[0]);
	close(fds[1]);
	return !err;
}

static bool take_client(struct worker *w, struct message *m, int maps)
{
	if (m->header.type != MESSAGE_SETUP)
		return false;
	for (int i = 0; i < 4; i++) {
		w->fds[i] = m->fds[i];
		m->fds[i] = -1;
	}
	w->exec.batches.awake_ns = m->setup.awake_ns;
	return memory_init(&w->exec, &m->setup, w->fds) && seal(w, maps);
}

static void send_state(struct worker *w, uint32_t channel, uint32_t state)
{
	struct sundog_message_channel_state m;

	message_init(&m, CHANNEL_STATE);
	m.channel = channel;
	m.state = state;
	message_send(w->sock, &m.header, NULL, 0);
}

static void on_channel_create(struct worker *w, struct message *m)
{
	const uint32_t index = m->channel_create.channel;
	/* Edge-triggered: each ring of the doorbell is an event, without reading the count. */
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct channel *ch;

	if (index >= SUNDOG_MAX_CHANNELS || w->channels[index])
		return;
	ch = channel_new(index, w->fds[2], w->fds[3], m->fds[0], m->fds[1]);
	event.data.ptr = ch;
	if (ch)
		m->fds[0] = m->fds[1] = -1;
	if (!ch || epoll_ctl(w->epoll, EPOLL_CTL_ADD, ch->doorbell, &event)) {
		log_error("channel %u: cannot create it: %s", index, strerror(errno));
		if (ch)
			channel_free(&w->exec, ch);
		send_state(w, index, SUNDOG_CHANNEL_STATE_DEAD);
		return;
	}
	pthread_mutex_lock(&w->exec.batches.lock);
	w->channels[index] = ch;
	pthread_mutex_unlock(&w->exec.batches.lock);
	ch->exec.serial = ++w->n_channels;
	send_state(w, index, SUNDOG_CHANNEL_STATE_RUN);
	w->crash_report.running[index] = ch->exec.serial;
}

static void on_channel_destroy(struct worker *w, uint32_t index)
{
	struct channel *ch = index < SUNDOG_MAX_CHANNELS ? w->channels[index] : NULL;

	/* The channel may be one that could not be made. */
	if (!ch)
		return;
	batches_drain(&w->exec, &ch->exec);
	w->crash_report.running[index] = 0;
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, ch->doorbell, NULL);
	/* The watchdog reads the table under this lock. */
	pthread_mutex_lock(&w->exec.batches.lock);
	w->channels[index] = NULL;
	pthread_mutex_unlock(&w->exec.batches.lock);
	channel_free(&w->exec, ch);
}

/*
 * Unmaps guest pages. The driver should have waited for the submissions that use them; if it has
 * not, wait here. Returns false if the worker has to end.
 */
static bool on_guest_unmap(struct worker *w, uint64_t offset, uint64_t size)
{
	uint64_t batch;

	if (!memory_has_guest(&w->exec, offset, size, &batch))
		return true;
	batches_wait_submitted(&w->exec, batch);
	return memory_revoke_guest(&w->exec, offset, size);
}

/*
 * Confirms an unmap request to the broker, which checks the mappings itself; @done: the range is
 * unmapped. Returns false if the worker has to end.
 */
static bool confirm(struct worker *w, bool done)
{
	if (done && map_request_confirm(w->fds[0], ++w->asked))
		return true;
	log_error("cannot unmap revoked memory or confirm an unmap request, ending the worker");
	return false;
}

static bool on_message(struct worker *w)
{
	struct message m;
	bool ok = true;

	if (message_receive(w->sock, &m) <= 0)
		return false;
	w->owes = true;
	switch (m.header.type) {
	case SUNDOG_MESSAGE_CHANNEL_CREATE:
		on_channel_create(w, &m);
		break;
	case SUNDOG_MESSAGE_CHANNEL_DESTROY:
		on_channel_destroy(w, m.channel_destroy.channel);
		ok = confirm(w, true);
		break;
	case SUNDOG_MESSAGE_GUEST_UNMAP:
		ok = confirm(w, on_guest_unmap(w, m.guest_unmap.offset, m.guest_unmap.size));
		break;
	case SUNDOG_MESSAGE_REVOKE:
		ok = confirm(w, memory_revoke_vram(&w->exec));
		break;
	}
	w->owes = false;
	message_close_fds(&m);
	return ok;
}

static void on_compiled(struct worker *w)
{
	compiler_collect(&w->exec);
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (w->channels[i])
			channel_look_again(&w->exec, w->channels[i]);
}

/* Runs an entry of each channel. Returns false if no channel has one to run. */
static bool run_channels(struct worker *w)
{
	bool more = false;

	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (w->channels[i])
			more |= channel_run(w, w->channels[i]);
	return more;
}

/* Asks for doorbells. Returns false if all channels sleep. */
static bool channels_wait(struct worker *w)
{
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (w->channels[i] && !channel_sleep(w->channels[i]))
			return true;
	return false;
}

/* Handles all pending messages. Returns false if the worker has to end. */
static bool on_messages(struct worker *w)
{
	do {
		if (!on_message(w))
			return false;
	} while (message_waits(w->sock));
	return true;
}

static int serve(struct worker *w)
{
	struct epoll_event events[SUNDOG_MAX_CHANNELS + 2];
	bool more = false;

	/* Messages come before the next entry, however full the rings are: some have a deadline. */
	for (;;) {
		int n = epoll_wait(w->epoll, events, SUNDOG_MAX_CHANNELS + 2, more ? 0 : -1);
		bool message = false;

		if (n < 0 && errno != EINTR)
			return 1;
		for (int i = 0; i < n; i++) {
			if (events[i].data.ptr == &w->exec.compiler)
				on_compiled(w);
			else if (events[i].data.ptr)
				channel_wake(events[i].data.ptr);
			else
				message = true;
		}
		/* Messages can free channels, so handle the events of channels before. */
		if (message && !on_messages(w))
			return 0;
		more = run_channels(w) || submitter_take_part(&w->exec) ||
			batches_stay_awake(&w->exec) || channels_wait(w);
	}
}

static void send_error(struct worker *w, const char *text)
{
	struct sundog_message_error m;

	message_init(&m, ERROR);
	snprintf(m.text, sizeof(m.text), "%s", text);
	message_send(w->sock, &m.header, NULL, 0);
}

static bool prepare(struct worker *w, const struct worker_options *o)
{
	struct sundog_message_error m = { 0 };
	struct exec *x = &w->exec;

	if (!vk_init(&x->vk, o->gpu, m.text, sizeof(m.text))) {
		send_error(w, m.text);
		return false;
	}
	if (!batches_init(x, channel_complete) || !watches_init(&x->watches, o->decode_ms) ||
	    !watchdog_init(w, o->batch_ms) || !objects_init(&x->objects)) {
		send_error(w, "the Vulkan driver cannot create command buffers, or the worker has "
			   "no memory or threads; raise the limits of both");
		return false;
	}
	if (!memory_prepare(x)) {
		send_error(w, "the Vulkan driver cannot import host memory as VRAM "
			   "(VK_EXT_external_memory_host); use lavapipe");
		return false;
	}
	caps_init(x);
	if (!descriptors_init(x)) {
		send_error(w, "the Vulkan driver cannot create the renderer's descriptor set "
			   "layouts; use lavapipe");
		return false;
	}
	set_caps(x);
	if (!compiler_init(x)) {
		send_error(w, "cannot start the threads that compile shaders; raise the limit of "
			   "processes (ulimit -u)");
		return false;
	}
	if (!indirect_init(x)) {
		send_error(w, "the Vulkan driver cannot allocate a buffer for indirect draws; free "
			   "memory of the host");
		return false;
	}
	if (!prelude_init(x) || !query_values_init(x) || !feedback_init(x) || !submitter_init(x) ||
	    !batches_start(x)) {
		send_error(w, "the Vulkan driver cannot create the renderer's shaders, timeline "
			   "semaphore or threads; free memory of the host");
		return false;
	}
	return true;
}

/*
 * Records the regular files that are open, which the host driver may map later. Linux assigns the
 * lowest numbers first. Returns false, after an error in the log, if there are too many.
 */
static bool list_files(struct worker *w)
{
	struct stat st;

	for (int fd = 0; fd < MAX_FDS; fd++) {
		if (fstat(fd, &st) || !S_ISREG(st.st_mode))
			continue;
		if (w->n_files == MESSAGE_MAX_FILES) {
			log_error("the Vulkan driver has more than %d files open, ending the "
				  "worker; use lavapipe", MESSAGE_MAX_FILES);
			return false;
		}
		w->files[w->n_files++] = (struct file_id){ st.st_dev, st.st_ino };
	}
	return true;
}

static bool start(struct worker *w)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
	struct epoll_event compiled = { .events = EPOLLIN | EPOLLET,
					.data.ptr = &w->exec.compiler };
	struct sundog_message_welcome welcome;
	struct message m;
	int maps;
	bool ok;

	crash_report_on_signals(w);
	w->epoll = epoll_create1(0);
	maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (w->epoll < 0 || maps < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->sock, &event) ||
	    epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->exec.compiler.event, &compiled) ||
	    !list_files(w) || !worker_sandbox_enter())
		return false;
	message_init(&welcome, WELCOME);
	welcome.caps = w->exec.caps;
	message_send(w->sock, &welcome.header, NULL, 0);
	if (message_receive(w->sock, &m) <= 0)
		return false;
	ok = take_client(w, &m, maps);
	message_close_fds(&m);
	return ok;
}

/*
 * Makes malloc() keep freed memory. Host drivers allocate what a frame needs and free it
 * afterwards; by default malloc() returns more than 128 KiB to the kernel each time, which costs
 * page faults in each frame.
 */
static void keep_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, KEEP_FREED);
	mallopt(M_TRIM_THRESHOLD, KEEP_FREED);
}

/*
 * Limits lavapipe's threads: one for each CPU is too much on a machine with many CPUs and many
 * clients.
 */
static void limit_threads(uint32_t max)
{
	char text[16];

	if (sysconf(_SC_NPROCESSORS_ONLN) <= (long)max)
		return;
	snprintf(text, sizeof(text), "%u", max);
	setenv("LP_NUM_THREADS", text, 1);
}

int worker_main(int sock, const struct worker_options *options)
{
	struct worker *w = calloc(1, sizeof(*w));

	prctl(PR_SET_NAME, "sundog-worker");
	keep_freed_memory();
	limit_threads(options->max_threads);
	/* The sandbox has no files, so the host driver cannot use its shader cache. */
	setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
	/* Layers of the machine, such as overlays, are not meant for a renderer. */
	setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 0);
	/* llvmpipe's rasteriser for simple rectangles writes past its stack buffers (Mesa 25.0). */
	setenv("LP_PERF", "no_rast_linear", 1);
	if (!w)
		return 1;
	w->sock = sock;
	if (!prepare(w, options) || !start(w))
		return 1;
	/* _exit(): other threads still use the state that exit() would destroy. */
	_exit(serve(w));
}
