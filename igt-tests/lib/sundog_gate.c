// SPDX-License-Identifier: MIT
/*
 * See sundog_gate.h. The fence leaves vgem the way it is done in Linux: attached to a buffer, and
 * taken out of that buffer's dma-buf as a sync_file.
 */
#include "sundog_gate.h"

#include <drm/vgem_drm.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xf86drm.h>

static int open_vgem(void)
{
	int fd = sd_open_driver("vgem", SD_PRIMARY_MINOR, 0);

	if (fd < 0 && !system("modprobe -q vgem"))
		fd = sd_open_driver("vgem", SD_PRIMARY_MINOR, 0);
	igt_require(fd >= 0);
	return fd;
}

struct sd_gate sd_gate(void)
{
	struct sd_gate gate = { .vgem = open_vgem() };
	struct drm_mode_create_dumb create = { .width = 64, .height = 1, .bpp = 32 };
	struct drm_vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW };
	int dmabuf;

	sd_ioctl(gate.vgem, DRM_IOCTL_MODE_CREATE_DUMB, &create);
	attach.handle = create.handle;
	sd_ioctl(gate.vgem, DRM_IOCTL_VGEM_FENCE_ATTACH, &attach);
	gate.fence = attach.out_fence;
	dmabuf = sd_export(gate.vgem, create.handle);
	igt_assert(!ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export));
	close(dmabuf);
	gate.sync_file = export.fd;
	igt_info("a gate is shut\n");
	return gate;
}

struct sd_gate sd_gate_before(struct sd_context *ctx)
{
	struct sd_gate gate = sd_gate();
	struct drm_sundog_sync sync = { 0 };
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.in_syncs = (uintptr_t)&sync,
		.n_in_syncs = 1,
		.sync_stride = sizeof(sync),
	};

	igt_assert(!drmSyncobjCreate(ctx->fd, 0, &sync.handle));
	igt_assert(!drmSyncobjImportSyncFile(ctx->fd, sync.handle, gate.sync_file));
	sd_ioctl(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	drmSyncobjDestroy(ctx->fd, sync.handle);
	return gate;
}

void sd_gate_lift(struct sd_gate *gate)
{
	struct drm_vgem_fence_signal args = { .fence = gate->fence };

	sd_ioctl(gate->vgem, DRM_IOCTL_VGEM_FENCE_SIGNAL, &args);
	close(gate->sync_file);
	close(gate->vgem);
}

void sd_gate_lift_later(struct sd_gate *gate)
{
	igt_fork(child, 1) {
		usleep(300000);
		sd_gate_lift(gate);
	}
}

void sd_gate_join(struct sd_gate *gate)
{
	igt_waitchildren();
	close(gate->sync_file);
	close(gate->vgem);
}
