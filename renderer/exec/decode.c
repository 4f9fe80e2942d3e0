// SPDX-License-Identifier: MIT
/*
 * The decoder's loop: checks each packet against its description, then calls the one function that
 * executes it. Called by a channel on the worker's main thread.
 */
#include "exec/decode.h"
#include "exec/barrier.h"
#include "exec/buffer_view.h"
#include "exec/clear.h"
#include "exec/image.h"
#include "exec/indirect.h"
#include "exec/merge_draws.h"
#include "exec/mesh.h"
#include "exec/patch.h"
#include "exec/rendering.h"
#include "exec/set_layout.h"
#include "exec/state.h"

#include <stdlib.h>

#include "exec/exec.h"
#include "ipc/log.h"
#include "packet.h"
#include "sundog_run.h"

static uint32_t *buffer;
static uint32_t size;		/* of the buffer, in dwords */

uint32_t *decode_buffer(uint32_t dwords)
{
	if (dwords > size) {
		free(buffer);
		buffer = malloc((size_t)dwords * 4);
		size = buffer ? dwords : 0;
	}
	return buffer;
}

uint32_t *decode_buffer_keep(void)
{
	uint32_t *kept = buffer;

	buffer = NULL;
	size = 0;
	return kept;
}

bool run_nop(struct exec *x, const struct sundog_cmd_nop *cmd, const uint32_t *data)
{
	(void)x;
	(void)cmd;
	(void)data;
	return true;
}

bool run_unknown(struct exec *x, uint32_t opcode)
{
	return fault(x, SUNDOG_FAULT_CODE_OPCODE, opcode);
}

/* Other packets must be recorded after the merged draws. */
static bool may_be_merged(uint32_t opcode)
{
	return opcode == SUNDOG_OP_DRAW || opcode == SUNDOG_OP_DRAW_INDEXED;
}

static void log_packet(const uint32_t *dw)
{
	char line[512];

	sundog_packet_print(dw, line, sizeof(line));
	log_debug("%s", line);
}

static bool run_packet(struct exec *x, const uint32_t *dw)
{
	return sundog_run_packet(x, dw, dw + sundog_packets[SUNDOG_PACKET_OPCODE(*dw)].dwords);
}

bool decode(struct exec *x, const uint32_t *stream, uint32_t dwords, uint64_t *offset)
{
	draw_begin(x, x->batches.recording->cmd);
	for (uint32_t at = 0; at < dwords; at += SUNDOG_PACKET_DWORDS(stream[at])) {
		uint32_t arg;
		enum sundog_fault_code code = sundog_packet_check(stream + at, dwords - at, &arg);

		*offset = (uint64_t)at * 4;
		if (code)
			return fault(x, code, arg);
		if (log_level >= LOG_DEBUG)
			log_packet(stream + at);
		if (!may_be_merged(SUNDOG_PACKET_OPCODE(stream[at])))
			draws_record_merged(x);
		if (!run_packet(x, stream + at))
			return false;
		watch_progress(&x->watches.decode);
	}
	*offset = (uint64_t)dwords * 4;
	draws_record_merged(x);
	return draw_end(x);
}
