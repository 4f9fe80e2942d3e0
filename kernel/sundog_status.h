/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The status page of a context. */
#ifndef _SUNDOG_STATUS_H_
#define _SUNDOG_STATUS_H_

struct file;
struct vm_area_struct;

int sundog_status_mmap(struct file *filp, struct vm_area_struct *vma);

#endif
