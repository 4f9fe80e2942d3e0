/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_IMPORT_H_
#define _SUNDOG_IMPORT_H_

struct dma_buf;
struct dma_buf_attachment;
struct sg_table;
struct sundog_device;
struct sundog_guest;

struct sundog_guest *sundog_import_attach(struct sundog_device *sdev, struct dma_buf *dma_buf);
void sundog_import_unmap_dma(struct dma_buf_attachment *attach, struct sg_table *sgt);
void sundog_import_release(struct sundog_device *sdev, struct sundog_guest *guest);
void sundog_import_free(struct sundog_device *sdev, struct sundog_guest *guest);

#endif
