// SPDX-License-Identifier: MIT
/* SHA-1 of one buffer, see sha1.h. */
#include "sha1.h"

#include <string.h>

static uint32_t rotate(uint32_t x, int by)
{
	return x << by | x >> (32 - by);
}

/* The round function of round @t plus its constant (FIPS 180-4, 4.1.1 and 4.2.1). */
static uint32_t mix(int t, uint32_t b, uint32_t c, uint32_t d)
{
	if (t < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (t < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (t < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(uint32_t h[5], const uint8_t *block)
{
	uint32_t w[80], v[5];

	for (int t = 0; t < 16; t++)
		w[t] = (uint32_t)block[t * 4] << 24 | block[t * 4 + 1] << 16 |
		       block[t * 4 + 2] << 8 | block[t * 4 + 3];
	for (int t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	memcpy(v, h, sizeof(v));
	for (int t = 0; t < 80; t++) {
		const uint32_t next = rotate(v[0], 5) + mix(t, v[1], v[2], v[3]) + v[4] + w[t];

		v[4] = v[3];
		v[3] = v[2];
		v[2] = rotate(v[1], 30);
		v[1] = v[0];
		v[0] = next;
	}
	for (int i = 0; i < 5; i++)
		h[i] += v[i];
}

void sha1(const void *data, size_t size, uint8_t out[SHA1_SIZE])
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	const size_t whole = size / 64 * 64, rest = size - whole, end = rest < 56 ? 64 : 128;
	uint8_t last[128] = { 0 };

	for (size_t at = 0; at < whole; at += 64)
		add_block(h, (const uint8_t *)data + at);
	memcpy(last, (const uint8_t *)data + whole, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		last[end - 1 - i] = (uint64_t)size * 8 >> 8 * i;
	add_block(h, last);
	if (end == 128)
		add_block(h, last + 64);
	for (int i = 0; i < SHA1_SIZE; i++)
		out[i] = h[i / 4] >> (24 - i % 4 * 8);
}
