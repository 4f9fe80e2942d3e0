// SPDX-License-Identifier: MIT
/*
 * A renderer for the unit tests: see fake_renderer.h. One thread is the broker, one per channel a
 * worker.
 */
#include "fake_renderer.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "sundog_messages.h"
#include "sundog_packets.h"

#define TABLE_SIZE (SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry))
#define SEGMENTS_SIZE (SUNDOG_MAX_CHANNELS * (size_t)SUNDOG_CHANNEL_SIZE)

struct worker {
	pthread_t thread;
	atomic_bool stop;
	uint32_t channel;
	int doorbell, irq;
};

static struct fake_renderer *fake;
static pthread_t broker;
static int listener, connection;
static int memfds[3];
static char *vram;
static const struct sundog_alloc_entry *table;
static char *segments;
static struct worker *workers[SUNDOG_MAX_CHANNELS];

static void send_message(const void *message, size_t size, const int *fds, int count)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(3 * sizeof(int))];
	} space;
	struct iovec iov = { .iov_base = (void *)message, .iov_len = size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (count) {
		space.header.cmsg_level = SOL_SOCKET;
		space.header.cmsg_type = SCM_RIGHTS;
		space.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&space.header), fds, count * sizeof(int));
		msg.msg_control = &space;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	sendmsg(connection, &msg, MSG_NOSIGNAL);
}

static void send_state(uint32_t channel, uint32_t state, uint32_t fault, uint64_t seqno)
{
	const struct sundog_message_channel_state message = {
		.header = { SUNDOG_MESSAGE_CHANNEL_STATE, sizeof(message) },
		.channel = channel,
		.state = state,
		.fault = fault,
		.seqno = seqno,
		.offset = 4,
		.arg = 5,
	};

	send_message(&message, sizeof(message), NULL, 0);
}

static void *allocation(uint32_t handle, uint64_t generation)
{
	CHECK(handle && handle < SUNDOG_TABLE_ENTRIES);
	CHECK(__atomic_load_n(&table[handle].generation, __ATOMIC_ACQUIRE) == generation);
	CHECK(table[handle].n_runs == 1 && !(table[handle].offset % SUNDOG_PAGE_SIZE));
	return vram + table[handle].offset;
}

static void check_list(const struct sundog_list_entry *list, const struct sundog_ring_entry *entry,
		       const struct fake_order *order)
{
	uint32_t handles = 0;

	for (uint32_t i = 0; i < entry->list_count; i++) {
		const struct sundog_list_entry *item =
			&list[(entry->list_first + i) % SUNDOG_LIST_ENTRIES];
		const uint32_t *memory = allocation(item->handle, item->generation);

		CHECK(item->access);
		CHECK(item->kres || item->index == item->handle);
		CHECK(memory[0] == order->value);
		handles += item->handle;
	}
	CHECK(handles == order->handles);
}

/* Executes the order in the stream of @entry. Returns false if it ended the channel. */
static bool obey(struct worker *worker, const struct sundog_list_entry *list,
		 const struct sundog_ring_entry *entry)
{
	const uint32_t *stream;
	struct fake_order order;

	if (!entry->stream_dwords)
		return true;
	stream = allocation(entry->stream_handle, entry->stream_generation);
	stream += entry->stream_offset / 4;
	CHECK(SUNDOG_PACKET_OPCODE(stream[0]) == SUNDOG_OP_NOP);
	memcpy(&order, stream + 2, sizeof(order));
	if (order.verb == FAKE_FAULT) {
		send_state(worker->channel, SUNDOG_CHANNEL_STATE_FAULT, SUNDOG_FAULT_CODE_OPCODE,
			   entry->seqno);
		send_state(worker->channel, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_OPCODE,
			   entry->seqno);
		return false;
	}
	if (order.verb == FAKE_BLAME)
		send_state(worker->channel, SUNDOG_CHANNEL_STATE_FAULT, SUNDOG_FAULT_CODE_WORKER,
			   entry->seqno);
	if (order.verb == FAKE_CRASH || order.verb == FAKE_BLAME) {
		for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
			if (workers[i])
				send_state(i, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER,
					   0);
		return false;
	}
	if (order.verb == FAKE_CLOSE) {
		shutdown(connection, SHUT_RDWR);
		return false;
	}
	if (order.verb == FAKE_GATE) {
		/* Poll instead of sleeping, so that the worker goes on as soon as the gate
		 * opens. */
		for (uint32_t i = 1; fake->gate < order.value && !worker->stop; i++)
			if (i % 65536 == 0)
				sched_yield();
		return true;
	}
	check_list(list, entry, &order);
	return true;
}

static void nap(struct worker *worker, const struct sundog_ring_control *control,
		struct sundog_ring_status *status)
{
	struct pollfd poll_fd = { .fd = worker->doorbell, .events = POLLIN };
	uint64_t count;

	__atomic_store_n(&status->need_doorbell, 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&control->put, __ATOMIC_ACQUIRE) == status->get && !worker->stop) {
		poll(&poll_fd, 1, 1000);
		if (read(worker->doorbell, &count, sizeof(count)) < 0)
			count = 0;
	}
	__atomic_store_n(&status->need_doorbell, 0, __ATOMIC_RELAXED);
}

static void complete(struct worker *worker, const struct sundog_ring_control *control,
		     struct sundog_ring_status *status, uint64_t seqno)
{
	const uint64_t before = status->completed, one = 1;
	uint64_t wanted;

	atomic_fetch_add(&fake->done, 1);
	__atomic_store_n(&status->completed, seqno, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	wanted = __atomic_load_n(&control->irq_seqno, __ATOMIC_RELAXED);
	if (before < wanted && wanted <= seqno)
		CHECK(write(worker->irq, &one, sizeof(one)) == sizeof(one));
}

static void *run_worker(void *arg)
{
	struct worker *worker = arg;
	char *segment = segments + worker->channel * (size_t)SUNDOG_CHANNEL_SIZE;
	struct sundog_ring_control *control = (void *)(segment + SUNDOG_CHANNEL_CONTROL);
	struct sundog_ring_status *status = (void *)(segment + SUNDOG_CHANNEL_STATUS);
	const struct sundog_ring_entry *ring = (void *)(segment + SUNDOG_CHANNEL_RING);
	const struct sundog_list_entry *list = (void *)(segment + SUNDOG_CHANNEL_LIST);
	uint64_t last = 0;

	while (!worker->stop) {
		const uint32_t queued = __atomic_load_n(&control->put, __ATOMIC_ACQUIRE) -
					status->get;
		struct sundog_ring_entry entry;

		CHECK(queued <= SUNDOG_RING_SLOTS);
		if (!queued || fake->hold) {
			if (fake->hold)
				usleep(1000);
			else
				nap(worker, control, status);
			continue;
		}
		entry = ring[status->get % SUNDOG_RING_SLOTS];
		CHECK(entry.seqno > last);
		last = entry.seqno;
		if (!obey(worker, list, &entry))
			break;
		__atomic_store_n(&status->get, status->get + 1, __ATOMIC_RELEASE);
		complete(worker, control, status, entry.seqno);
	}
	return NULL;
}

static void welcome(const struct sundog_message_hello *hello)
{
	static struct sundog_message_welcome message = {
		.header = { SUNDOG_MESSAGE_WELCOME, sizeof(message) },
		.caps = { .size = sizeof(message.caps) },
	};
	const size_t sizes[3] = { hello->vram_size, TABLE_SIZE, SEGMENTS_SIZE };
	void *maps[3];

	CHECK(hello->magic == SUNDOG_MAGIC && hello->role == SUNDOG_ROLE_DIRECT);
	for (int i = 0; i < 3; i++) {
		memfds[i] = memfd_create("fake", MFD_CLOEXEC);
		CHECK(!ftruncate(memfds[i], sizes[i]));
		maps[i] = mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_SHARED, memfds[i], 0);
		CHECK(maps[i] != MAP_FAILED);
	}
	vram = maps[0];
	table = maps[1];
	segments = maps[2];
	message.vram_size = hello->vram_size;
	message.caps.version = fake->version ? fake->version : SUNDOG_VERSION;
	send_message(&message, sizeof(message), memfds, 3);
}

static void create(const struct sundog_message_channel_create *message, const int *fds)
{
	struct worker *worker;

	CHECK(!workers[message->channel]);
	if (message->client <= fake->ended) {
		close(fds[0]);
		close(fds[1]);
		send_state(message->channel, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER,
			   0);
		return;
	}
	worker = calloc(1, sizeof(*worker));
	*worker = (struct worker){
		.channel = message->channel,
		.doorbell = fds[0],
		.irq = fds[1],
	};
	workers[message->channel] = worker;
	pthread_create(&worker->thread, NULL, run_worker, worker);
	send_state(message->channel, SUNDOG_CHANNEL_STATE_RUN, 0, 0);
}

static void end_worker(struct worker *worker)
{
	const uint64_t one = 1;

	worker->stop = true;
	CHECK(write(worker->doorbell, &one, sizeof(one)) == sizeof(one));
	pthread_join(worker->thread, NULL);
	close(worker->doorbell);
	close(worker->irq);
	free(worker);
}

static void destroy(uint32_t channel)
{
	if (workers[channel])
		end_worker(workers[channel]);
	workers[channel] = NULL;
	send_state(channel, SUNDOG_CHANNEL_STATE_OFF, 0, 0);
}

static void refuse(const char *reason)
{
	struct sundog_message_error message = {
		.header = { SUNDOG_MESSAGE_ERROR, sizeof(message) },
	};
	struct pollfd ready = { .fd = connection, .events = POLLIN };

	/* With an unread message, the other side gets ECONNRESET when the connection closes. */
	poll(&ready, 1, -1);
	strncpy(message.text, reason, sizeof(message.text) - 1);
	send_message(&message, sizeof(message), NULL, 0);
}

static bool serve_message(void)
{
	union {
		struct sundog_message header;
		struct sundog_message_hello hello;
		struct sundog_message_channel_create create;
		struct sundog_message_channel_destroy destroy;
		struct sundog_message_client_destroy client;
	} message;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(3 * sizeof(int))];
	} space;
	struct iovec iov = { .iov_base = &message, .iov_len = sizeof(message) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};
	ssize_t size = recvmsg(connection, &msg, 0);
	int fds[3];

	if (size <= 0)
		return false;
	CHECK(message.header.size == size);
	switch (message.header.type) {
	case SUNDOG_MESSAGE_HELLO:
		welcome(&message.hello);
		break;
	case SUNDOG_MESSAGE_CHANNEL_CREATE:
		memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&msg)), 2 * sizeof(int));
		create(&message.create, fds);
		break;
	case SUNDOG_MESSAGE_CHANNEL_DESTROY:
		destroy(message.destroy.channel);
		break;
	case SUNDOG_MESSAGE_CLIENT_DESTROY:
		break;
	default:
		CHECK(!"unknown message");
	}
	return true;
}

static void *run_broker(void *arg)
{
	(void)arg;
	connection = accept(listener, NULL, NULL);
	CHECK(connection >= 0);
	if (fake->refusal) {
		refuse(fake->refusal);
		close(connection);
		return NULL;
	}
	while (serve_message())
		;
	for (uint32_t channel = 0; channel < SUNDOG_MAX_CHANNELS; channel++)
		destroy(channel);
	munmap(segments, SEGMENTS_SIZE);
	munmap((void *)table, TABLE_SIZE);
	for (int i = 0; i < 3; i++)
		close(memfds[i]);
	close(connection);
	return NULL;
}

void fake_renderer_start(struct fake_renderer *renderer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	fake = renderer;
	snprintf(renderer->path, sizeof(renderer->path), "/tmp/sundog-test-%d", getpid());
	strcpy(address.sun_path, renderer->path);
	unlink(renderer->path);
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	CHECK(!bind(listener, (struct sockaddr *)&address, sizeof(address)));
	CHECK(!listen(listener, 1));
	pthread_create(&broker, NULL, run_broker, NULL);
}

void fake_renderer_join(struct fake_renderer *renderer)
{
	pthread_join(broker, NULL);
	close(listener);
	unlink(renderer->path);
}
