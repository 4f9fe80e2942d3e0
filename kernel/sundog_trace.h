/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Tracepoints of the sundog driver. */
#if !defined(_SUNDOG_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _SUNDOG_TRACE_H_

#include <linux/tracepoint.h>
#include <linux/types.h>

#undef TRACE_SYSTEM
#define TRACE_SYSTEM sundog
#define TRACE_INCLUDE_FILE sundog_trace

DECLARE_EVENT_CLASS(sundog_memory,
		    TP_PROTO(u32 handle, u64 size),
		    TP_ARGS(handle, size),
		    TP_STRUCT__entry(__field(u64, size)
				     __field(u32, handle)
				     ),
		    TP_fast_assign(__entry->size = size;
				   __entry->handle = handle;
				   ),
		    TP_printk("handle=%u size=%llu", __entry->handle, __entry->size)
);

DEFINE_EVENT(sundog_memory, sundog_alloc,
	     TP_PROTO(u32 handle, u64 size),
	     TP_ARGS(handle, size)
);

DEFINE_EVENT(sundog_memory, sundog_free,
	     TP_PROTO(u32 handle, u64 size),
	     TP_ARGS(handle, size)
);

TRACE_EVENT(sundog_submit,
	    TP_PROTO(u32 channel, u64 seqno, u32 dwords, u32 n_list),
	    TP_ARGS(channel, seqno, dwords, n_list),
	    TP_STRUCT__entry(__field(u64, seqno)
			     __field(u32, channel)
			     __field(u32, dwords)
			     __field(u32, n_list)
			     ),
	    TP_fast_assign(__entry->seqno = seqno;
			   __entry->channel = channel;
			   __entry->dwords = dwords;
			   __entry->n_list = n_list;
			   ),
	    TP_printk("channel=%u seqno=%llu dwords=%u list=%u", __entry->channel,
		      __entry->seqno, __entry->dwords, __entry->n_list)
);

TRACE_EVENT(sundog_done,
	    TP_PROTO(u32 channel, u64 seqno, int error),
	    TP_ARGS(channel, seqno, error),
	    TP_STRUCT__entry(__field(u64, seqno)
			     __field(u32, channel)
			     __field(int, error)
			     ),
	    TP_fast_assign(__entry->seqno = seqno;
			   __entry->channel = channel;
			   __entry->error = error;
			   ),
	    TP_printk("channel=%u seqno=%llu error=%d", __entry->channel, __entry->seqno,
		      __entry->error)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#include <trace/define_trace.h>
