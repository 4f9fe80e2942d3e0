#version 450
#extension GL_EXT_buffer_reference : require
// SPDX-License-Identifier: MIT
/*
 * Cuts the draws of an indirect draw into pieces, see split_indirect.h. Each word of client memory
 * is read once, because a client may change it meanwhile: the piece that is written is the one that
 * was compared with the limit.
 */
layout(local_size_x = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly volatile buffer Words {
	uint words[];
};

layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Pieces {
	uint words[];
};

/* struct arguments of split_indirect.c */
layout(push_constant) uniform Arguments {
	Words draws, count;
	Pieces pieces;
	uint has_count, first_draw, max_draws, stride;
	uint size, overlap, cut;
	uint n_words, room, passes, keep_index;
	uint divisor, instances, first_instance;
};

/* words before the first piece */
const uint HEADER = 4;

uint n_pieces = 0;

/* place of the next piece of a draw that keeps its index */
uint pass = 0, next = 0;

uint n_draws()
{
	uint n;

	if (has_count == 0)
		return max_draws;
	n = count.words[0];
	return n > first_draw ? min(n - first_draw, max_draws) : 0;
}

bool is_full()
{
	return keep_index != 0 ? pass == passes : n_pieces == room * passes;
}

/* Returns the word at which a piece of draw @draw begins; is_full() is false then. */
uint place_of(uint draw)
{
	if (keep_index == 0)
		return HEADER + n_pieces * n_words;
	return HEADER + (pass * room + draw) * n_words;
}

void clear_pieces()
{
	for (uint i = 0; i < room * passes; i++)
		pieces.words[HEADER + i * n_words] = 0;
}

void add(uint draw, uint record[5])
{
	uint at;

	if (keep_index != 0 && draw < next) {
		pass++;
		next = 0;
	}
	if (is_full())
		return;
	at = place_of(draw);
	for (uint i = 0; i < n_words; i++)
		pieces.words[at + i] = record[i];
	n_pieces++;
	next = draw + 1;
}

void cut_draw(uint draw, uint record[5])
{
	uint left = cut != 0 ? record[0] : min(record[0], size);

	if (left == 0 || record[1] == 0)
		return;
	while (!is_full()) {
		record[0] = min(left, size);
		add(draw, record);
		if (left <= size)
			return;
		left -= size - overlap;
		record[2] += size - overlap;
	}
}

/* Returns the draw of transform feedback: counted bytes, divided by those of a vertex. */
uint[5] counted_draw()
{
	return uint[5](draws.words[0] / divisor, instances, 0, first_instance, 0);
}

uint[5] draw_at(uint i)
{
	uint record[5] = uint[5](0, 0, 0, 0, 0);

	for (uint w = 0; w < n_words; w++)
		record[w] = draws.words[i * stride + w];
	return record;
}

void main()
{
	const uint n = n_draws();

	if (keep_index != 0)
		clear_pieces();
	for (uint i = 0; i < n && !is_full(); i++)
		cut_draw(i, divisor != 0 ? counted_draw() : draw_at(i));
	pieces.words[0] = keep_index != 0 ? n : n_pieces;
}
