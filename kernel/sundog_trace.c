// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The tracepoints of sundog_trace.h. */

#define CREATE_TRACE_POINTS
#include "sundog_trace.h"
