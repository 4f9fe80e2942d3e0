// SPDX-License-Identifier: MIT
/*
 * Queue of messages to a socket, see send_queue.h. Each queued message has duplicates of its
 * descriptors.
 */
#define _GNU_SOURCE
#include "broker/send_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "ipc/file.h"
#include "ipc/message.h"

struct packet {
	struct packet *next;
	size_t sent;			/* bytes */
	int fds[MESSAGE_OUR_FDS];	/* owned by the packet */
	int n_fds;
	struct sundog_message header;
	char body[];
};

static void packet_free(struct outbox *o, struct packet *p)
{
	close_later_for(o->who, p->fds, p->n_fds);
	free(p);
}

static struct packet *packet_new(struct outbox *o, const struct sundog_message *m, const int *fds,
				 int n_fds)
{
	struct packet *p = malloc(sizeof(*p) + m->size - sizeof(*m));

	if (!p)
		return NULL;
	p->next = NULL;
	p->sent = 0;
	memcpy(&p->header, m, m->size);
	for (p->n_fds = 0; p->n_fds < n_fds; p->n_fds++) {
		p->fds[p->n_fds] = file_keep(fcntl(fds[p->n_fds], F_DUPFD_CLOEXEC, 0));
		if (p->fds[p->n_fds] < 0) {
			packet_free(o, p);
			return NULL;
		}
	}
	return p;
}

void outbox_init(struct outbox *o)
{
	*o = (struct outbox){ .last = &o->first };
}

static void outbox_reset(struct outbox *o)
{
	*o = (struct outbox){ .last = &o->first, .who = o->who };
}

static int keep(struct outbox *o, const struct sundog_message *m, const int *fds, int n_fds,
		size_t sent)
{
	struct packet *p;

	if (o->n == OUTBOX_MAX)
		return -ENOBUFS;
	p = packet_new(o, m, fds, n_fds);
	if (!p)
		return -errno;
	p->sent = sent;
	*o->last = p;
	o->last = &p->next;
	o->n++;
	return 0;
}

int outbox_keep(struct outbox *o, const struct sundog_message *m, const int *fds, int n_fds)
{
	return keep(o, m, fds, n_fds, 0);
}

int outbox_send(struct outbox *o, struct source *s, const struct sundog_message *m, const int *fds,
		int n_fds)
{
	size_t sent = 0;
	int err = -EAGAIN;

	if (outbox_is_empty(o))
		err = message_send_more(s->fd, m, fds, n_fds, &sent);
	if (err != -EAGAIN)
		return err;
	err = keep(o, m, fds, n_fds, sent);
	return err ? err : outbox_flush(o, s);
}

void outbox_append(struct outbox *o, struct outbox *from)
{
	if (outbox_is_empty(from))
		return;
	*o->last = from->first;
	o->last = from->last;
	o->n += from->n;
	outbox_reset(from);
}

int outbox_flush(struct outbox *o, struct source *s)
{
	struct packet *p;
	int err = 0;

	while ((p = o->first) && !(err = message_send_more(s->fd, &p->header, p->fds, p->n_fds,
							   &p->sent))) {
		o->first = p->next;
		o->n--;
		packet_free(o, p);
	}
	if (!o->first)
		outbox_reset(o);
	else if (!o->full_ms)
		o->full_ms = now_ms();
	source_set_events(s, o->first ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return err == -EAGAIN ? 0 : err;
}

/* One call for all descriptors, so that they count as one unfinished close. */
void outbox_clear(struct outbox *o)
{
	int *fds = malloc(o->n * sizeof(o->first->fds)), n = 0;
	struct packet *p;

	while ((p = o->first)) {
		o->first = p->next;
		if (fds) {
			memcpy(fds + n, p->fds, p->n_fds * sizeof(*fds));
			n += p->n_fds;
			p->n_fds = 0;
		}
		packet_free(o, p);
	}
	close_later_for(o->who, fds, n);
	free(fds);
	outbox_reset(o);
}
