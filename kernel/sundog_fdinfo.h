/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Memory and device time of a file for fdinfo. */
#ifndef _SUNDOG_FDINFO_H_
#define _SUNDOG_FDINFO_H_

struct drm_file;
struct drm_printer;

void sundog_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif
