// SPDX-License-Identifier: MIT
/* Implements the fences of gate.h. */
#include "gate.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <drm/vgem_drm.h>
#include <linux/dma-buf.h>
#include <xf86drm.h>

static int vgem = -1;

void gate_open_vgem(void)
{
	for (int i = 0; i < 16 && vgem < 0; i++) {
		drmVersionPtr version;
		char path[32];

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		vgem = open(path, O_RDWR | O_CLOEXEC);
		version = vgem < 0 ? NULL : drmGetVersion(vgem);
		if (version && strcmp(version->name, "vgem")) {
			close(vgem);
			vgem = -1;
		}
		drmFreeVersion(version);
	}
	if (vgem < 0)
		errx(1, "no vgem device");
}

struct gate gate_new(void)
{
	struct drm_mode_create_dumb dumb = { .width = 16, .height = 16, .bpp = 32 };
	struct drm_vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct dma_buf_export_sync_file file = { .flags = DMA_BUF_SYNC_READ };
	int dma_buf;

	if (drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		err(1, "vgem: dumb buffer");
	attach.handle = dumb.handle;
	if (drmIoctl(vgem, DRM_IOCTL_VGEM_FENCE_ATTACH, &attach) ||
	    drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC, &dma_buf) ||
	    drmIoctl(dma_buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &file))
		err(1, "vgem: fence");
	close(dma_buf);
	return (struct gate){ file.fd, dumb.handle, attach.out_fence };
}

void gate_open(struct gate *gate)
{
	struct drm_vgem_fence_signal signal = { .fence = gate->fence };

	if (drmIoctl(vgem, DRM_IOCTL_VGEM_FENCE_SIGNAL, &signal))
		err(errno == ETIMEDOUT ? EX_TEMPFAIL : 1, "vgem: signal");
	close(gate->fd);
	drmCloseBufferHandle(vgem, gate->bo);
}
