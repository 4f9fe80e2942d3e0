// SPDX-License-Identifier: MIT
/* Writes SPIR-V instructions, see writer.h. */
#include "writer.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 1024

/* Makes room for @count more words. */
static void grow(struct spirv_out *out, size_t count)
{
	size_t room = out->room < LEAST_ROOM ? LEAST_ROOM : out->room;
	uint32_t *words;

	while (room < out->count + count)
		room *= 2;
	if (room == out->room || out->failed)
		return;
	words = realloc(out->words, room * sizeof(*words));
	out->failed = !words;
	if (!words)
		return;
	out->words = words;
	out->room = room;
}

void spirv_out_begin(struct spirv_out *out, const uint32_t *code, size_t words)
{
	*out = (struct spirv_out){ .next_id = code[SPIRV_HEADER_BOUND] };
	grow(out, 2 * words);
	spirv_put(out, code, SPIRV_HEADER_WORDS);
}

bool spirv_out_end(struct spirv_out *out)
{
	if (out->failed)
		free(out->words);
	else
		out->words[SPIRV_HEADER_BOUND] = out->next_id;
	return !out->failed;
}

void spirv_append(struct spirv_out *out, struct spirv_out *part)
{
	out->failed |= part->failed;
	spirv_put(out, part->words, part->count);
	free(part->words);
	*part = (struct spirv_out){ 0 };
}

void spirv_put(struct spirv_out *out, const uint32_t *words, size_t count)
{
	if (out->count + count > out->room)
		grow(out, count);
	if (out->failed || !count)
		return;
	memcpy(out->words + out->count, words, count * sizeof(*words));
	out->count += count;
}

void spirv_put_head(struct spirv_out *out, uint32_t op, size_t words)
{
	out->failed |= words > SPIRV_MAX_WORDS;
	spirv_put_word(out, (uint32_t)words << SpvWordCountShift | op);
}

void spirv_put_instruction(struct spirv_out *out, uint32_t op, const uint32_t *in, size_t words)
{
	spirv_put_head(out, op, words);
	spirv_put(out, in + 1, words - 1);
}

size_t spirv_begin(struct spirv_out *out, uint32_t op)
{
	spirv_put_word(out, op);
	return out->count - 1;
}

void spirv_end(struct spirv_out *out, size_t begun)
{
	const size_t words = out->count - begun;

	out->failed |= words > SPIRV_MAX_WORDS;
	if (!out->failed)
		out->words[begun] |= (uint32_t)words << SpvWordCountShift;
}
