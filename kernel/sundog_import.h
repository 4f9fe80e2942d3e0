/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_IMPORT_H_
#define _SUNDOG_IMPORT_H_

struct dma_buf;
struct sundog_device;
struct sundog_guest;

struct sundog_guest *sundog_import_attach(struct sundog_device *sdev, struct dma_buf *dma_buf);
int sundog_import_map(struct sundog_guest *guest);
void sundog_import_free(struct sundog_device *sdev, struct sundog_guest *guest);

#endif
