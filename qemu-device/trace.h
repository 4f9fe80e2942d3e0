/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace events of this folder; QEMU's build generates them from trace-events.
 */
#include "trace/trace-hw_display_sundog.h"
