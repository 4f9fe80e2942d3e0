// SPDX-License-Identifier: MIT
/*
 * Channels of a direct device: rings, doorbells, waiting. See sundog_direct.h.
 *
 * Driver and worker each write one page and read the other's. A side that is about to sleep
 * requests a wakeup (the worker by need_doorbell, the driver by irq_seqno) and then checks for
 * progress once more; the other side publishes progress and then checks for that request. Both have
 * a full barrier between their write and their read, so no wakeup is lost.
 */
#include "sundog_direct.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Attempts to create a channel, each with the worker of a new client, before this fails with
 * -EIO. */
#define CREATE_TRIES 4

void direct_channel_init(struct direct_device *direct, uint32_t slot)
{
	struct direct_channel *channel = &direct->channels[slot];
	pthread_condattr_t attr;

	*channel = (struct direct_channel){ .slot = slot, .doorbell = -1, .irq = -1 };
	pthread_mutex_init(&channel->wait_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&channel->wait_cond, &attr);
	pthread_condattr_destroy(&attr);
}

void direct_channel_map(struct direct_device *direct, uint32_t slot)
{
	struct direct_channel *channel = &direct->channels[slot];
	char *segment = direct->segments + slot * (size_t)SUNDOG_CHANNEL_SIZE;

	channel->control = (void *)(segment + SUNDOG_CHANNEL_CONTROL);
	channel->status = (void *)(segment + SUNDOG_CHANNEL_STATUS);
	channel->ring = (void *)(segment + SUNDOG_CHANNEL_RING);
	channel->list = (void *)(segment + SUNDOG_CHANNEL_LIST);
}

void direct_channel_close(struct direct_channel *channel)
{
	if (channel->irq >= 0)
		close(channel->irq);
	if (channel->doorbell >= 0)
		close(channel->doorbell);
	channel->irq = channel->doorbell = -1;
}

void direct_channel_fini(struct direct_channel *channel)
{
	sdrm_fork_close(&channel->irq);
	sdrm_fork_close(&channel->doorbell);
	pthread_mutex_destroy(&channel->wait_lock);
	pthread_cond_destroy(&channel->wait_cond);
}

/* State */

static void ring_eventfd(int fd)
{
	const uint64_t one = 1;

	while (fd >= 0 && write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Returns true if no submission of a channel in this state runs any more. */
static bool is_over(uint32_t state)
{
	return state == SUNDOG_CHANNEL_STATE_DEAD || state == SUNDOG_CHANNEL_STATE_OFF;
}

/* Sets the state, ends the timeline if the state is final, and wakes the thread that polls irq. */
static void set_state(struct direct_device *direct, struct direct_channel *channel, uint32_t state)
{
	struct sdrm_timeline *timeline = &direct->base.timelines[channel->slot];

	sdrm_lock(&direct->base.lock);
	atomic_store(&channel->state, state);
	timeline->over = is_over(state);
	if (state == SUNDOG_CHANNEL_STATE_OFF)
		timeline->serial = 0;
	ring_eventfd(channel->irq);
	sdrm_unlock(&direct->base.lock);
}

/* Returns true for the faults that all channels of a client get when their worker ends. */
static bool is_worker_end(uint32_t fault)
{
	return fault == SUNDOG_FAULT_CODE_WORKER || fault == SUNDOG_FAULT_CODE_TIMEOUT;
}

/*
 * Marks the other channels of the client as innocent: its worker ended at a submission of @named.
 * This happens now, because @named may belong to another context when the other contexts are
 * queried. The caller holds message_lock.
 */
static void note_innocents(struct direct_device *direct, const struct direct_channel *named,
			   uint32_t fault)
{
	direct->named_client = named->client;
	for (uint32_t slot = 0; slot < SUNDOG_MAX_CHANNELS; slot++) {
		struct direct_channel *channel = &direct->channels[slot];

		if (channel == named || channel->client != named->client || channel->fault.fault ||
		    is_over(atomic_load(&channel->state)))
			continue;
		channel->fault.fault = fault;
		channel->innocent = true;
	}
}

void direct_channel_set(struct direct_device *direct,
			const struct sundog_message_channel_state *message)
{
	struct direct_channel *channel;

	if (message->channel >= SUNDOG_MAX_CHANNELS)
		return;
	channel = &direct->channels[message->channel];
	if (message->state == SUNDOG_CHANNEL_STATE_DEAD && is_worker_end(message->fault) &&
	    channel->client == direct->client)
		direct->client_ended = true;
	if (is_worker_end(message->fault) && message->seqno)
		note_innocents(direct, channel, message->fault);
	if (message->fault && !channel->fault.fault)
		channel->fault = (struct sdrm_context_status){
			.fault = message->fault,
			.seqno = message->seqno,
			.offset = message->offset,
			.arg = message->arg,
		};
	/* A channel that is being destroyed only waits for OFF. */
	if (atomic_load(&channel->state) == SUNDOG_CHANNEL_STATE_DESTROYING &&
	    message->state != SUNDOG_CHANNEL_STATE_OFF)
		return;
	set_state(direct, channel, message->state);
}

void direct_channels_lost(struct direct_device *direct)
{
	for (uint32_t slot = 0; slot < SUNDOG_MAX_CHANNELS; slot++) {
		struct direct_channel *channel = &direct->channels[slot];

		if (atomic_load(&channel->state) == SUNDOG_CHANNEL_STATE_OFF)
			continue;
		if (!channel->fault.fault)
			channel->fault.fault = SDRM_FAULT_DEVICE;
		set_state(direct, channel, SUNDOG_CHANNEL_STATE_DEAD);
	}
}

/* Waiting */

/* A wait until a submission is done or dropped, or until a channel has left a state. */
struct wait {
	struct direct_device *direct;
	struct direct_channel *channel;
	uint32_t serial;	/* serial of the timeline that @seqno is of */
	uint64_t seqno;		/* submission to wait for; 0: wait for a change of state */
	uint32_t state;		/* state to leave, with @seqno 0 */
};

static bool wait_over(const struct wait *wait)
{
	const uint32_t state = atomic_load(&wait->channel->state);

	if (!wait->seqno)
		return state != wait->state;
	return is_over(state) || atomic_load(&wait->channel->serial) != wait->serial ||
	       sdrm_seqno_done(wait->channel->status, wait->seqno);
}

/* Requests an interrupt at wait->seqno, unless one is pending for an earlier seqno. Returns true if
 * it changed irq_seqno. */
static bool arm(const struct wait *wait)
{
	__u64 *irq_seqno = &wait->channel->control->irq_seqno;
	const uint64_t armed = __atomic_load_n(irq_seqno, __ATOMIC_RELAXED);
	const bool change = !armed || armed > wait->seqno ||
			    sdrm_seqno_done(wait->channel->status, armed);

	if (!wait->seqno)
		return false;
	if (change)
		__atomic_store_n(irq_seqno, wait->seqno, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return change;
}

/* Waits for the channel's interrupt or a message. Returns false if the timeout has passed. */
static bool poll_files(const struct wait *wait, int64_t timeout_ns)
{
	struct pollfd polls[2] = {
		{ .fd = wait->channel->irq, .events = POLLIN },
		{ .fd = wait->direct->lost ? -1 : wait->direct->base.socket, .events = POLLIN },
	};
	struct timespec store, *left;
	uint64_t count;

	if (!sdrm_time_left(timeout_ns, &store, &left))
		return false;
	if (ppoll(polls, 2, left, NULL) <= 0)
		return true;
	if (polls[0].revents && read(wait->channel->irq, &count, sizeof(count)) < 0)
		return true;
	if (polls[1].revents)
		direct_receive(wait->direct);
	return true;
}

/* Sleeps until the polling thread has woken up. Returns false if the timeout has passed. The caller
 * holds wait_lock. */
static bool wait_for_poller(struct direct_channel *channel, int64_t timeout_ns)
{
	struct timespec until = { timeout_ns / 1000000000, timeout_ns % 1000000000 };

	if (timeout_ns == SDRM_FOREVER) {
		pthread_cond_wait(&channel->wait_cond, &channel->wait_lock);
		return true;
	}
	return pthread_cond_timedwait(&channel->wait_cond, &channel->wait_lock, &until) !=
	       ETIMEDOUT;
}

static int channel_wait(const struct wait *wait, int64_t timeout_ns)
{
	struct direct_channel *channel = wait->channel;
	bool time_left = timeout_ns > 0;

	/* A caller that polls must see the end of the context, too, which a message reports. */
	if (!time_left && !wait_over(wait))
		direct_receive(wait->direct);
	pthread_mutex_lock(&channel->wait_lock);
	while (!wait_over(wait) && time_left) {
		/* Wake the polling thread: this replaced its request, or found it completed. It
		 * checks its own wait and requests its interrupt again. */
		if (arm(wait) && channel->polled)
			ring_eventfd(channel->irq);
		if (wait_over(wait))
			break;
		if (channel->polled) {
			time_left = wait_for_poller(channel, timeout_ns);
			continue;
		}
		channel->polled = true;
		pthread_mutex_unlock(&channel->wait_lock);
		time_left = poll_files(wait, timeout_ns);
		pthread_mutex_lock(&channel->wait_lock);
		channel->polled = false;
		pthread_cond_broadcast(&channel->wait_cond);
	}
	time_left = wait_over(wait);
	pthread_mutex_unlock(&channel->wait_lock);
	return time_left ? 0 : -ETIME;
}

int direct_point_wait(struct sdrm_context *ctx, const struct sdrm_point *at, int64_t timeout_ns)
{
	struct direct_device *direct = to_direct(ctx->dev);
	const struct wait wait = {
		.direct = direct,
		.channel = &direct->channels[ctx->slot],
		.serial = ctx->serial,
		.seqno = at->seqno,
	};
	int ret = channel_wait(&wait, timeout_ns);

	if (ret)
		return ret;
	return sdrm_seqno_done(ctx->status, at->seqno) ? 0 : -EIO;
}

int direct_use_wait(struct direct_device *direct, const struct sdrm_use *use, uint64_t seqno,
		    int64_t timeout_ns)
{
	const struct wait wait = {
		.direct = direct,
		.channel = &direct->channels[use->slot],
		.serial = use->serial,
		.seqno = seqno,
	};

	return channel_wait(&wait, timeout_ns);
}

/* Contexts */

/* Returns a free slot whose channel is OFF, or NULL; then @leaving becomes a free slot whose
 * channel is being destroyed, if there is one. The caller holds dev->lock. */
static struct direct_channel *find_slot(struct direct_device *direct,
					struct direct_channel **leaving)
{
	for (uint32_t slot = 0; slot < SUNDOG_MAX_CHANNELS; slot++) {
		struct direct_channel *channel = &direct->channels[slot];
		uint32_t state;

		if (channel->taken)
			continue;
		state = atomic_load(&channel->state);
		if (state == SUNDOG_CHANNEL_STATE_OFF)
			return channel;
		if (state == SUNDOG_CHANNEL_STATE_DESTROYING)
			*leaving = channel;
	}
	return NULL;
}

/* Returns a free slot, waiting for one that is being destroyed. NULL: all slots are in use, or the
 * connection was lost. */
static struct direct_channel *take_slot(struct direct_device *direct)
{
	struct direct_channel *channel = NULL, *leaving;
	struct wait wait = { .direct = direct, .state = SUNDOG_CHANNEL_STATE_DESTROYING };

	while (!channel && !direct->lost) {
		leaving = NULL;
		sdrm_lock(&direct->base.lock);
		channel = find_slot(direct, &leaving);
		if (channel)
			channel->taken = true;
		sdrm_unlock(&direct->base.lock);
		if (!channel && !leaving)
			return NULL;
		wait.channel = leaving;
		if (!channel)
			channel_wait(&wait, SDRM_FOREVER);
	}
	return channel;
}

static void give_slot(struct direct_device *direct, struct direct_channel *channel)
{
	sdrm_lock(&direct->base.lock);
	channel->taken = false;
	sdrm_unlock(&direct->base.lock);
}

static int open_eventfd(int *fd)
{
	if (*fd < 0)
		*fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return *fd < 0 ? -errno : 0;
}

static int open_files(struct direct_channel *channel)
{
	int ret = open_eventfd(&channel->doorbell);

	return ret ? ret : open_eventfd(&channel->irq);
}

/* Starts a new client if the worker of the current one has ended: all channels of a client share a
 * worker. The caller holds message_lock. */
static void renew_client(struct direct_device *direct)
{
	const struct sundog_message_client_destroy message = {
		.header = { .type = SUNDOG_MESSAGE_CLIENT_DESTROY, .size = sizeof(message) },
		.client = direct->client,
	};

	if (!direct->client_ended)
		return;
	direct_send(direct, &message, sizeof(message), NULL, 0);
	direct->client_ended = false;
	direct->client++;
}

static int send_create(struct direct_device *direct, struct direct_channel *channel)
{
	struct sundog_message_channel_create message = {
		.header = { .type = SUNDOG_MESSAGE_CHANNEL_CREATE, .size = sizeof(message) },
		.channel = channel->slot,
	};
	const int fds[] = { channel->doorbell, channel->irq };
	int ret;

	pthread_mutex_lock(&direct->message_lock);
	renew_client(direct);
	channel->client = message.client = direct->client;
	channel->fault = (struct sdrm_context_status){ 0 };
	/* The client's worker has named a faulting channel, so it is about to end. */
	channel->innocent = direct->named_client == direct->client;
	ret = direct_send(direct, &message, sizeof(message), fds, 2);
	pthread_mutex_unlock(&direct->message_lock);
	return ret;
}

static int create_channel(struct direct_device *direct, struct direct_channel *channel)
{
	const struct wait wait = {
		.direct = direct,
		.channel = channel,
		.state = SUNDOG_CHANNEL_STATE_CREATING,
	};
	int ret;

	memset(channel->control, 0, sizeof(*channel->control));
	memset((void *)channel->status, 0, sizeof(*channel->status));
	channel->seqno = 0;
	channel->put = 0;
	channel->list_put = 0;
	memset(channel->list_end, 0, sizeof(channel->list_end));
	atomic_store(&channel->state, SUNDOG_CHANNEL_STATE_CREATING);
	ret = send_create(direct, channel);
	if (ret) {
		atomic_store(&channel->state, SUNDOG_CHANNEL_STATE_OFF);
		return ret;
	}
	channel_wait(&wait, SDRM_FOREVER);
	return atomic_load(&channel->state) == SUNDOG_CHANNEL_STATE_RUN ? 0 : -EIO;
}

/* Requests the end of the channel without waiting: the slot is reusable once its state is OFF. */
static void destroy_channel(struct direct_device *direct, struct direct_channel *channel)
{
	const struct sundog_message_channel_destroy message = {
		.header = { .type = SUNDOG_MESSAGE_CHANNEL_DESTROY, .size = sizeof(message) },
		.client = channel->client,
		.channel = channel->slot,
	};

	pthread_mutex_lock(&direct->message_lock);
	if (!direct->lost && atomic_load(&channel->state) != SUNDOG_CHANNEL_STATE_OFF) {
		atomic_store(&channel->state, SUNDOG_CHANNEL_STATE_DESTROYING);
		direct_send(direct, &message, sizeof(message), NULL, 0);
	}
	pthread_mutex_unlock(&direct->message_lock);
	give_slot(direct, channel);
}

static bool is_of_ended_client(struct direct_device *direct, const struct direct_channel *channel)
{
	bool ended;

	pthread_mutex_lock(&direct->message_lock);
	ended = !direct->lost && (direct->client_ended || channel->client != direct->client);
	pthread_mutex_unlock(&direct->message_lock);
	return ended;
}

/* Creates a channel for the context. -EAGAIN: the client's worker has ended, maybe while the client
 * had no channel to report it for; the next attempt uses a new client. */
static int init_context(struct sdrm_context *ctx, struct direct_device *direct)
{
	struct direct_channel *channel = take_slot(direct);
	int ret;

	if (!channel)
		return direct->lost ? -EIO : -EBUSY;
	ret = open_files(channel);
	if (ret) {
		give_slot(direct, channel);
		return ret;
	}
	sdrm_lock(&direct->base.lock);
	ctx->slot = channel->slot;
	ctx->serial = sdrm_timeline_new(&direct->base, channel->slot, channel->status);
	ctx->status = channel->status;
	atomic_store(&channel->serial, ctx->serial);
	sdrm_unlock(&direct->base.lock);
	ret = create_channel(direct, channel);
	if (!ret)
		return 0;
	if (ret == -EIO && is_of_ended_client(direct, channel))
		ret = -EAGAIN;
	destroy_channel(direct, channel);
	return ret;
}

int direct_context_init(struct sdrm_context *ctx)
{
	struct direct_device *direct = to_direct(ctx->dev);
	int ret = -EAGAIN;

	direct_receive(direct);
	for (int i = 0; i < CREATE_TRIES && ret == -EAGAIN; i++)
		ret = init_context(ctx, direct);
	return ret == -EAGAIN ? -EIO : ret;
}

void direct_context_fini(struct sdrm_context *ctx)
{
	struct direct_device *direct = to_direct(ctx->dev);

	destroy_channel(direct, &direct->channels[ctx->slot]);
}

bool direct_context_is_lost(struct sdrm_context *ctx)
{
	struct direct_device *direct = to_direct(ctx->dev);

	direct_receive(direct);
	return atomic_load(&direct->channels[ctx->slot].state) != SUNDOG_CHANNEL_STATE_RUN;
}

static uint32_t context_state(uint32_t channel_state)
{
	if (channel_state == SUNDOG_CHANNEL_STATE_RUN)
		return SDRM_CONTEXT_RUNNING;
	return is_over(channel_state) ? SDRM_CONTEXT_ENDED : SDRM_CONTEXT_LOST;
}

static bool is_busy(struct sdrm_context *ctx)
{
	bool busy;

	sdrm_lock(&ctx->lock);
	busy = !sdrm_seqno_done(ctx->status, ctx->last.seqno);
	sdrm_unlock(&ctx->lock);
	return busy;
}

/*
 * Returns true if a lost context is guilty: its own stream was bad, or the worker ended at one of
 * its submissions. If the worker did not name the submission, all contexts that had one queued
 * (@busy) are guilty, unless they are marked @innocent.
 */
static bool is_guilty(const struct sdrm_context_status *status, bool innocent, bool busy)
{
	if (!is_worker_end(status->fault))
		return status->fault && status->fault != SDRM_FAULT_DEVICE;
	return status->seqno || (busy && !innocent);
}

int direct_context_query(struct sdrm_context *ctx, struct sdrm_context_status *status)
{
	struct direct_device *direct = to_direct(ctx->dev);
	struct direct_channel *channel = &direct->channels[ctx->slot];
	bool innocent;

	direct_receive(direct);
	pthread_mutex_lock(&direct->message_lock);
	*status = channel->fault;
	status->state = context_state(atomic_load(&channel->state));
	innocent = channel->innocent;
	pthread_mutex_unlock(&direct->message_lock);
	status->guilty = is_guilty(status, innocent, is_busy(ctx));
	return 0;
}

/* Submissions; the caller holds ctx->lock */

/* Returns true if the ring has room for an entry and @count list entries. Does not trust the
 * worker's status->get: any value of it leaves the indices in range. */
static bool has_room(const struct direct_channel *channel, uint32_t count)
{
	const uint32_t get = __atomic_load_n(&channel->status->get, __ATOMIC_ACQUIRE);
	const uint32_t queued = channel->put - get;
	uint64_t listed;

	if (queued >= SUNDOG_RING_SLOTS)
		return false;
	if (!queued)
		return true;
	listed = channel->list_put - channel->list_end[(get - 1) % SUNDOG_RING_SLOTS];
	return count <= SUNDOG_LIST_ENTRIES - listed;
}

/* Waits until the oldest entry in the ring is done: by then the worker has freed its slot. */
static void wait_oldest(struct direct_device *direct, struct direct_channel *channel)
{
	const uint32_t get = __atomic_load_n(&channel->status->get, __ATOMIC_ACQUIRE);
	uint32_t queued = channel->put - get;
	struct wait wait = {
		.direct = direct,
		.channel = channel,
		.serial = atomic_load(&channel->serial),
	};

	if (queued > SUNDOG_RING_SLOTS)
		queued = SUNDOG_RING_SLOTS;
	wait.seqno = channel->seqno - queued + 1;
	if (queued)
		channel_wait(&wait, SDRM_FOREVER);
}

static int wait_for_room(struct direct_device *direct, struct direct_channel *channel,
			 uint32_t count)
{
	while (!has_room(channel, count)) {
		if (atomic_load(&channel->state) != SUNDOG_CHANNEL_STATE_RUN)
			return -EIO;
		wait_oldest(direct, channel);
	}
	return atomic_load(&channel->state) == SUNDOG_CHANNEL_STATE_RUN ? 0 : -EIO;
}

/* Returns true if a listed BO was freed: it has no handle, and the kernel would refuse it, too. */
static bool was_freed(const struct sdrm_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!list->items[i].bo->handle)
			return true;
	return false;
}

static void put_list(struct direct_channel *channel, const struct sdrm_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct sdrm_bo *bo = list->items[i].bo;

		channel->list[(channel->list_put + i) % SUNDOG_LIST_ENTRIES] =
			(struct sundog_list_entry){
				.kres = bo->mem.kres,
				.index = bo->mem.index,
				.handle = bo->handle,
				.access = list->items[i].access,
				.generation = bo->direct.generation,
			};
	}
}

static void put_entry(struct direct_device *direct, struct direct_channel *channel,
		      const struct sdrm_submit *submit)
{
	const uint32_t slot = channel->put % SUNDOG_RING_SLOTS;
	struct sundog_ring_entry entry = {
		.seqno = ++channel->seqno,
		.order = atomic_fetch_add(&direct->order, 1) + 1,
		.stream_dwords = submit->stream.used,
		.list_first = channel->list_put % SUNDOG_LIST_ENTRIES,
		.list_count = submit->list.count,
	};

	/* The direct back end has no dma_resv: the worker orders conflicting submissions. */
	if (sdrm_submit_shares(submit))
		entry.after = entry.order;
	if (entry.stream_dwords) {
		entry.stream_handle = submit->chunk->bo->handle;
		entry.stream_generation = submit->chunk->bo->direct.generation;
		entry.stream_offset = submit->chunk->used * 4ull;
	}
	put_list(channel, &submit->list);
	channel->ring[slot] = entry;
	channel->list_put += submit->list.count;
	channel->list_end[slot] = channel->list_put;
}

/* Publishes the entry to the worker, and wakes the worker if it sleeps. */
static void publish(struct direct_channel *channel)
{
	__atomic_store_n(&channel->control->put, ++channel->put, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&channel->status->need_doorbell, __ATOMIC_RELAXED))
		ring_eventfd(channel->doorbell);
}

int direct_submit(struct sdrm_submit *submit, int in_fence_fd, const struct sdrm_syncs *syncs,
		  struct sdrm_point *at)
{
	struct direct_device *direct = to_direct(submit->ctx->dev);
	struct direct_channel *channel = &direct->channels[submit->ctx->slot];
	int ret = syncs->n_waits || syncs->n_signals ? -EOPNOTSUPP : 0;

	if (!ret && was_freed(&submit->list))
		ret = -ENOENT;
	if (!ret && in_fence_fd >= 0)
		ret = sdrm_poll_fd(in_fence_fd, SDRM_FOREVER);
	if (!ret)
		ret = wait_for_room(direct, channel, submit->list.count);
	if (ret)
		return ret;
	put_entry(direct, channel, submit);
	at->seqno = channel->seqno;
	publish(channel);
	return 0;
}
