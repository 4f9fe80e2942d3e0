/* SPDX-License-Identifier: MIT */
/*
 * Consecutive draws that the host executes as one command (VK_EXT_multi_draw). Called by the
 * decoder on the worker's main thread.
 */
#ifndef EXEC_MERGE_DRAWS_H
#define EXEC_MERGE_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct exec;

/*
 * Add a draw to the merged draws if possible. Returns false if the caller has to record it.
 * ready_to_draw() holds.
 */
bool draw_merges(struct exec *x, const struct sundog_cmd_draw *cmd);
bool draw_indexed_merges(struct exec *x, const struct sundog_cmd_draw_indexed *cmd);

/* Record the merged draws. Call it before any other packet. */
void draws_record_merged(struct exec *x);

#endif
