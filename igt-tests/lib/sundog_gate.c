// SPDX-License-Identifier: MIT
/*
 * Gates with the fences of /dev/sundog_gate or of vgem, see sundog_gate.h.
 */
#include "sundog_gate.h"
#include "../gate/sundog_gate_uapi.h"

#include <fcntl.h>

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

/* Opens the gate device. Returns a negative value if the module was not built for this kernel. */
static int open_device(void)
{
	static bool tried;
	int fd = open(SUNDOG_GATE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 && !tried && !system("modprobe -q sundog_gate"))
		fd = open(SUNDOG_GATE_DEVICE, O_RDWR | O_CLOEXEC);
	tried = true;
	return fd;
}

int sd_driver_sleep_try(bool to_disk)
{
	const int device = open_device();
	int ret;

	igt_require(device >= 0);
	ret = ioctl(device, SUNDOG_GATE_SLEEP, (long)to_disk) ? -errno : 0;
	close(device);
	igt_require(ret != -EOPNOTSUPP);	/* a kernel that does not sleep */
	return ret;
}

/* Returns one sync_file with the fences of all readers of a dumb buffer. */
static int export_readers(int dma_buf)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_WRITE };

	sd_ioctl(dma_buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export);
	return export.fd;
}

static int device_fence(int device)
{
	const int sync_file = ioctl(device, SUNDOG_GATE_FENCE, 2 * sd_patience_ms());

	igt_assert(sync_file >= 0);
	return sync_file;
}

/* Merges @n fences into one sync_file, by the dma-buf of a dumb buffer of vgem. */
static struct sd_gate device_gate(int device, int n)
{
	struct sd_gate gate = { .device = device, .vgem = -1, .n = n };
	struct drm_mode_create_dumb create = { .width = 64, .height = 1, .bpp = 32 };
	int vgem, dma_buf;

	if (n == 1) {
		gate.sync_file = device_fence(device);
		return gate;
	}
	vgem = open_vgem();
	sd_ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &create);
	dma_buf = sd_export(vgem, create.handle);
	close(vgem);
	for (int i = 0; i < n; i++) {
		struct dma_buf_import_sync_file import = {
			.flags = DMA_BUF_SYNC_READ,
			.fd = device_fence(device),
		};

		sd_ioctl(dma_buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import);
		close(import.fd);
	}
	gate.sync_file = export_readers(dma_buf);
	close(dma_buf);
	return gate;
}

/*
 * Attaches @n fences of vgem to a dumb buffer and exports them from its dma-buf as one sync_file.
 */
static struct sd_gate vgem_gate(int n)
{
	struct sd_gate gate = { .device = -1, .vgem = open_vgem(), .n = n };
	struct drm_mode_create_dumb create = { .width = 64, .height = 1, .bpp = 32 };
	struct drm_vgem_fence_attach attach = { 0 };
	int dma_buf;

	sd_ioctl(gate.vgem, DRM_IOCTL_MODE_CREATE_DUMB, &create);
	attach.handle = create.handle;
	for (int i = 0; i < n; i++)
		sd_ioctl(gate.vgem, DRM_IOCTL_VGEM_FENCE_ATTACH, &attach);
	dma_buf = sd_export(gate.vgem, create.handle);
	gate.sync_file = export_readers(dma_buf);
	close(dma_buf);
	/* run.sh searches for this text. */
	igt_info("a gate is shut\n");
	return gate;
}

struct sd_gate sd_gate_of(int n)
{
	const int device = open_device();

	return device >= 0 ? device_gate(device, n) : vgem_gate(n);
}

struct sd_gate sd_gate(void)
{
	return sd_gate_of(1);
}

void sd_submit_after(int fd, uint32_t ctx, int sync_file)
{
	struct drm_sundog_sync sync = { .flags = WAIT };
	struct drm_sundog_submit args = {
		.ctx = ctx,
		.syncs = (uintptr_t)&sync,
		.n_syncs = 1,
		.sync_stride = sizeof(sync),
	};

	igt_assert(!drmSyncobjCreate(fd, 0, &sync.handle));
	igt_assert(!drmSyncobjImportSyncFile(fd, sync.handle, sync_file));
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	drmSyncobjDestroy(fd, sync.handle);
}

struct sd_gate sd_gate_before(struct sd_context *ctx)
{
	struct sd_gate gate = sd_gate();

	sd_submit_after(ctx->fd, ctx->id, gate.sync_file);
	return gate;
}

static void close_gate(struct sd_gate *gate)
{
	close(gate->sync_file);
	close(gate->device >= 0 ? gate->device : gate->vgem);
}

/* Signals explicitly: closing the file is not enough, since children may have it open, too. */
void sd_gate_lift(struct sd_gate *gate)
{
	struct drm_vgem_fence_signal args = { 0 };

	if (gate->device >= 0)
		igt_assert_eq(write(gate->device, "", 1), 1);
	/* vgem numbers the fences of a file from 1. */
	while (gate->device < 0 && args.fence++ < gate->n)
		sd_ioctl(gate->vgem, DRM_IOCTL_VGEM_FENCE_SIGNAL, &args);
	close_gate(gate);
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
	close_gate(gate);
}
