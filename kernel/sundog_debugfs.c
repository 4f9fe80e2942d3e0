// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * debugfs files of the device. The functions run when a program reads a file.
 *
 *	sundog_counts	objects, one "name value" pair a line; all 0 while the device is unused,
 *			except *live*, which counts the console's own buffer
 *	sundog_channels	state and progress of each channel slot
 *	sundog_vram	size and use of VRAM
 *	sundog_lists	list entries written and copied, and implicit dependencies of jobs, since
 *			the probe: shows how much of this work submissions avoid
 */

#include <linux/seq_file.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "sundog_client.h"
#include "sundog_context.h"
#include "sundog_debugfs.h"
#include "sundog_device.h"
#include "sundog_sched.h"
#include "sundog_stats.h"
#include "sundog_vram.h"

static int sundog_show_counts(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	struct sundog_device *sdev = to_sundog_device(entry->dev);
	const struct sundog_stats sum = sundog_stats_sum(sdev);

	seq_printf(m, "live %lld\n", sum.live);
	seq_printf(m, "shared %lld\n", sum.shared);
	seq_printf(m, "zombie %lld\n", sum.zombie);
	seq_printf(m, "resources %lld\n", sum.resources);
	seq_printf(m, "res_ids %lld\n", sum.res_ids);
	seq_printf(m, "kres %lld\n", sum.kres);
	seq_printf(m, "imported %lld\n", sum.imported);
	seq_printf(m, "contexts %lld\n", sum.contexts);
	seq_printf(m, "jobs %lld\n", sum.jobs);
	return 0;
}

static int sundog_show_lists(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	const struct sundog_stats sum = sundog_stats_sum(to_sundog_device(entry->dev));

	seq_printf(m, "written %lld\ncopied %lld\nwaits %lld\n", sum.list_written,
		   sum.list_copied, sum.waits);
	return 0;
}

static int sundog_show_channels(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	struct sundog_device *sdev = to_sundog_device(entry->dev);
	struct sundog_channel *ch;
	unsigned long flags;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		spin_lock(&sdev->command_lock);
		if (ch->ctx)
			seq_printf(m, "%u client %u state %u fault %u", i, ch->ctx->client->id,
				   ch->ctx->state, ch->ctx->fault.code);
		else
			seq_printf(m, "%u free", i);
		spin_unlock(&sdev->command_lock);

		spin_lock_irqsave(&ch->lock, flags);
		seq_printf(m, " emitted %llu", ch->emitted);
		if (!ch->stopped)
			seq_printf(m, " completed %llu put %u get %u progress %llu",
				   le64_to_cpu(READ_ONCE(ch->status->completed)), ch->put,
				   le32_to_cpu(READ_ONCE(ch->status->get)),
				   le64_to_cpu(READ_ONCE(ch->status->progress)));
		spin_unlock_irqrestore(&ch->lock, flags);
		seq_putc(m, '\n');
	}
	return 0;
}

static int sundog_show_vram(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	struct sundog_device *sdev = to_sundog_device(entry->dev);
	struct drm_printer p = drm_seq_file_printer(m);

	seq_printf(m, "size %llu\nused %llu\n", sdev->vram_size, sundog_vram_used(sdev));
	ttm_resource_manager_debug(ttm_manager_type(&sdev->ttm, TTM_PL_VRAM), &p);
	return 0;
}

static const struct drm_debugfs_info sundog_debugfs_files[] = {
	{ "sundog_counts", sundog_show_counts },
	{ "sundog_channels", sundog_show_channels },
	{ "sundog_vram", sundog_show_vram },
	{ "sundog_lists", sundog_show_lists },
};

/**
 * sundog_debugfs_init() - add the debugfs files
 * @sdev: device, not registered yet
 */
void sundog_debugfs_init(struct sundog_device *sdev)
{
	drm_debugfs_add_files(&sdev->drm, sundog_debugfs_files, ARRAY_SIZE(sundog_debugfs_files));
}
