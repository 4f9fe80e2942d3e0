// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Device coredumps of contexts that were lost by their own fault: the fault, the ring, the
 * allocation list and the stream of the submission.
 *
 * sundog_dump_take() copies them before the fences of the context signal, while the submission's
 * memory cannot move. It runs in the fence signalling path and must not allocate, so each device
 * has a preallocated struct sundog_dump, protected by its member @busy. A work item on sundog_wq
 * converts the dump to text and passes it to devcoredump. That keeps one dump of a device, until
 * user space writes to the file of the dump, or for five minutes. Later dumps are lost meanwhile.
 */

#include <linux/devcoredump.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include "uapi/sundog_drm.h"

#include "sundog_device.h"
#include "sundog_dump.h"
#include "sundog_sched.h"
#include "sundog_table.h"
#include "sundog_wq.h"

/* Limits: list entries and bytes of the stream in a dump, bytes of its text. */
#define SUNDOG_DUMP_LIST	256
#define SUNDOG_DUMP_STREAM	SZ_64K
#define SUNDOG_DUMP_TEXT	SZ_256K

#define SUNDOG_DUMP_LINE	32

/**
 * struct sundog_dump - state of a lost context
 */
struct sundog_dump {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @work: converts the dump to text */
	struct work_struct work;
	/** @busy: 1 while the dump is in use, from sundog_dump_take() to the end of @work */
	atomic_t busy;
	/** @channel: name of the context's channel */
	char channel[16];
	/** @comm: name of the context's process */
	char comm[TASK_COMM_LEN];
	/** @pid: id of the context's process */
	pid_t pid;
	/** @fault: fault that lost the context */
	struct sundog_fault fault;
	/** @state: state of the channel */
	struct sundog_ring_snapshot state;
	/** @ring: ring entries */
	struct sundog_ring_entry ring[SUNDOG_RING_SLOTS];
	/** @n_list: number of entries in @list */
	u32 n_list;
	/** @list: start of the submission's allocation list */
	struct sundog_list_entry list[SUNDOG_DUMP_LIST];
	/** @stream_first: offset of @stream in the submission's stream */
	u32 stream_first;
	/** @n_stream: number of bytes in @stream */
	u32 n_stream;
	/** @stream: part of the stream that contains the faulting packet */
	u8 stream[SUNDOG_DUMP_STREAM];
};

static const char * const sundog_fault_names[] = {
	[DRM_SUNDOG_FAULT_NONE] = "none",
	[DRM_SUNDOG_FAULT_RING] = "bad ring entry",
	[DRM_SUNDOG_FAULT_STREAM] = "stream out of reach",
	[DRM_SUNDOG_FAULT_LIST] = "bad list entry",
	[DRM_SUNDOG_FAULT_OPCODE] = "unknown opcode",
	[DRM_SUNDOG_FAULT_LENGTH] = "bad packet length",
	[DRM_SUNDOG_FAULT_FIELD] = "bad field",
	[DRM_SUNDOG_FAULT_OBJECT] = "bad object id",
	[DRM_SUNDOG_FAULT_NOT_LISTED] = "memory not listed",
	[DRM_SUNDOG_FAULT_ACCESS] = "memory listed without access",
	[DRM_SUNDOG_FAULT_RANGE] = "out of range",
	[DRM_SUNDOG_FAULT_SHADER] = "shader refused",
	[DRM_SUNDOG_FAULT_STATE] = "not legal in this state",
	[DRM_SUNDOG_FAULT_HOST] = "host driver failed",
	[DRM_SUNDOG_FAULT_WORKER] = "worker ended",
	[DRM_SUNDOG_FAULT_TIMEOUT] = "no progress",
};

/**
 * sundog_fault_name() - describe a fault for people
 * @code: enum drm_sundog_fault
 *
 * Return: constant string.
 */
const char *sundog_fault_name(u32 code)
{
	if (code == DRM_SUNDOG_FAULT_DEVICE)
		return "device gone";
	return code < ARRAY_SIZE(sundog_fault_names) ? sundog_fault_names[code] : "unknown fault";
}

static void sundog_dump_take_ring(struct sundog_dump *dump)
{
	const struct sundog_ring_snapshot *state = &dump->state;
	const struct sundog_ring_entry *entry = &state->entry;
	const u32 first = le32_to_cpu(entry->list_first);
	u32 i;

	memcpy(dump->ring, state->ring, sizeof(dump->ring));
	dump->n_list = min(le32_to_cpu(entry->list_count), SUNDOG_DUMP_LIST);
	for (i = 0; i < dump->n_list; i++)
		dump->list[i] = state->list[(first + i) % SUNDOG_LIST_ENTRIES];
}

/* The job is not done, so its stream has not moved. */
static void sundog_dump_take_stream(struct sundog_dump *dump)
{
	const struct sundog_ring_entry *entry = &dump->state.entry;
	struct sundog_device *sdev = dump->sdev;
	u64 size = le32_to_cpu(entry->stream_dwords) * 4ull;
	u64 first = 0, start;

	dump->n_stream = 0;
	if (!size || !sundog_table_vram_offset(sdev, le32_to_cpu(entry->stream_handle),
					       le64_to_cpu(entry->stream_generation), &start))
		return;
	start += le64_to_cpu(entry->stream_offset);
	if (start >= sdev->vram_size || size > sdev->vram_size - start)
		return;
	if (dump->fault.offset < size && dump->fault.offset > SUNDOG_DUMP_STREAM / 2)
		first = round_down(dump->fault.offset - SUNDOG_DUMP_STREAM / 2, SUNDOG_DUMP_LINE);
	dump->stream_first = first;
	dump->n_stream = min_t(u64, size - first, SUNDOG_DUMP_STREAM);
	memcpy(dump->stream, sdev->vram + start + first, dump->n_stream);
}

/**
 * sundog_dump_take() - copy the state of a lost context, unless another dump is in use
 * @ch: channel of the context, which has not stopped; the device is mapped
 * @comm: name of the context's process
 * @pid: id of the context's process
 * @fault: fault that lost the context
 *
 * In the fence signalling path.
 */
void sundog_dump_take(struct sundog_channel *ch, const char *comm, pid_t pid,
		      const struct sundog_fault *fault)
{
	struct sundog_dump *dump = ch->sdev->dump;

	if (atomic_cmpxchg(&dump->busy, 0, 1))
		return;
	dump->fault = *fault;
	if (!sundog_sched_snapshot(ch, fault->seqno, &dump->state)) {
		atomic_set(&dump->busy, 0);
		return;
	}
	strscpy(dump->channel, ch->name);
	strscpy(dump->comm, comm);
	dump->pid = pid;
	sundog_dump_take_ring(dump);
	sundog_dump_take_stream(dump);
	queue_work(sundog_wq, &dump->work);
}

static void sundog_dump_print_head(struct drm_printer *p, const struct sundog_dump *dump)
{
	const struct sundog_fault *fault = &dump->fault;

	const struct drm_driver *driver = dump->sdev->drm.driver;

	drm_printf(p, "sundog %u.%u, protocol %u.%u\n", driver->major, driver->minor,
		   dump->sdev->version >> 16, dump->sdev->version & 0xffff);
	drm_printf(p, "process %s[%d], channel %s\n", dump->comm, dump->pid, dump->channel);
	drm_printf(p, "fault %u (%s) in submission %llu at offset 0x%llx, arg 0x%llx\n",
		   fault->code, sundog_fault_name(fault->code), fault->seqno, fault->offset,
		   fault->arg);
	drm_printf(p, "put %u get %u emitted %llu completed %llu progress %llu\n", dump->state.put,
		   dump->state.get, dump->state.emitted, dump->state.completed,
		   dump->state.progress);
}

static void sundog_dump_print_entry(struct drm_printer *p, const struct sundog_ring_entry *entry)
{
	drm_printf(p, "  seqno %llu stream %u:0x%llx +0x%llx %u dwords, list %u +%u\n",
		   le64_to_cpu(entry->seqno), le32_to_cpu(entry->stream_handle),
		   le64_to_cpu(entry->stream_generation), le64_to_cpu(entry->stream_offset),
		   le32_to_cpu(entry->stream_dwords), le32_to_cpu(entry->list_first),
		   le32_to_cpu(entry->list_count));
}

static void sundog_dump_print_lists(struct drm_printer *p, const struct sundog_dump *dump)
{
	const struct sundog_list_entry *entry;
	u32 i;

	drm_puts(p, "ring:\n");
	for (i = 0; i < SUNDOG_RING_SLOTS; i++)
		sundog_dump_print_entry(p, &dump->ring[i]);
	drm_puts(p, "submission:\n");
	sundog_dump_print_entry(p, &dump->state.entry);
	drm_printf(p, "list, %u of %u:\n", dump->n_list,
		   le32_to_cpu(dump->state.entry.list_count));
	for (i = 0; i < dump->n_list; i++) {
		entry = &dump->list[i];
		drm_printf(p, "  %u kres %u index %u handle %u generation 0x%llx access %u\n", i,
			   le32_to_cpu(entry->kres), le32_to_cpu(entry->index),
			   le32_to_cpu(entry->handle), le64_to_cpu(entry->generation),
			   le32_to_cpu(entry->access));
	}
}

static void sundog_dump_print_stream(struct drm_printer *p, const struct sundog_dump *dump)
{
	char line[SUNDOG_DUMP_LINE * 3];
	u32 i;

	drm_printf(p, "stream, 0x%x bytes from 0x%x:\n", dump->n_stream, dump->stream_first);
	for (i = 0; i < dump->n_stream; i += SUNDOG_DUMP_LINE) {
		hex_dump_to_buffer(dump->stream + i,
				   min_t(u32, SUNDOG_DUMP_LINE, dump->n_stream - i),
				   SUNDOG_DUMP_LINE, 4, line, sizeof(line), false);
		drm_printf(p, "  %08x: %s\n", dump->stream_first + i, line);
	}
}

static void sundog_dump_work(struct work_struct *work)
{
	struct sundog_dump *dump = container_of(work, struct sundog_dump, work);
	struct drm_print_iterator iter = { .remain = SUNDOG_DUMP_TEXT };
	struct drm_printer p;

	/* devcoredump frees the text. */
	iter.data = vzalloc(SUNDOG_DUMP_TEXT);
	if (iter.data) {
		p = drm_coredump_printer(&iter);
		sundog_dump_print_head(&p, dump);
		sundog_dump_print_lists(&p, dump);
		sundog_dump_print_stream(&p, dump);
		dev_coredumpv(dump->sdev->drm.dev, iter.data, SUNDOG_DUMP_TEXT - iter.remain,
			      GFP_KERNEL);
	}
	atomic_set_release(&dump->busy, 0);
}

static void sundog_dump_fini(struct drm_device *drm, void *arg)
{
	struct sundog_dump *dump = arg;

	cancel_work_sync(&dump->work);
	kvfree(dump);
}

/**
 * sundog_dump_init() - allocate the dump of a device
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_dump_init(struct sundog_device *sdev)
{
	struct sundog_dump *dump = kvzalloc_obj(*dump, GFP_KERNEL);

	if (!dump)
		return -ENOMEM;
	dump->sdev = sdev;
	INIT_WORK(&dump->work, sundog_dump_work);
	sdev->dump = dump;
	return drmm_add_action_or_reset(&sdev->drm, sundog_dump_fini, dump);
}
