#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Writes a small language model of the llama architecture as a GGUF file: 2 layers, an embedding of
# 256, 99 tokens. The weights are pseudo-random and the same in each run, so that two drivers can be
# compared on them; the model's text has no meaning. tests/host/large-programs calls it for each
# type of weights.
# usage: make-model.py TYPE FILE
# TYPE: f32, f16, q8_0, q4_0, iq4_nl, q2_k, q3_k, q4_k, q5_k or q6_k
import random
import struct
import sys

LAYERS, EMBEDDING, FEED_FORWARD, HEADS, KV_HEADS, CONTEXT = 2, 256, 512, 4, 2, 512
HEAD = EMBEDDING // HEADS
ALIGNMENT = 32
BLOCK = 32  # weights of a block of q8_0, q4_0 and iq4_nl
SUPER_BLOCK = 256  # weights of a block of the K quants

# Tokens: three control tokens, the byte that llama.cpp ends lines with, the space of SentencePiece,
# printable ASCII.
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
TOKENS = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]
TOKENS += [("<0x0A>", BYTE), ("\u2581", NORMAL)]
TOKENS += [(chr(code), NORMAL) for code in range(0x21, 0x7F)]


def pack_f32(values):
    return struct.pack(f"<{len(values)}f", *values)


def pack_q8_0(values):
    """block_q8_0 of ggml: a scale (f16), 32 weights (i8)"""
    data = bytearray()
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        scale = max(map(abs, block)) / 127
        inverse = 1 / scale if scale else 0
        data += struct.pack("<e32b", scale, *(round(value * inverse) for value in block))
    return data


def pack_q4_0(values):
    """block_q4_0 of ggml: a scale (f16), 16 bytes: weight i in the low half, i + 16 in the high"""
    data = bytearray()
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        # The value of the largest magnitude becomes -8: 8 is not in the range of 4 bits.
        scale = max(block, key=abs) / -8
        inverse = 1 / scale if scale else 0
        weights = [min(15, int(value * inverse + 8.5)) for value in block]
        data += struct.pack("<e16B", scale, *(weights[i] | weights[i + 16] << 4 for i in range(16)))
    return data


def pack_f16(values):
    return struct.pack(f"<{len(values)}e", *values)


# The values that the 4 bits of a weight of iq4_nl stand for.
IQ4_NL = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


def pack_iq4_nl(values):
    """block_iq4_nl of ggml: a scale (f16), 16 bytes as those of q4_0"""
    data = bytearray()
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        scale = max(block, key=abs) / IQ4_NL[0]
        inverse = 1 / scale if scale else 0
        weights = [
            min(range(16), key=lambda i: abs(IQ4_NL[i] - value * inverse)) for value in block
        ]
        data += struct.pack("<e16B", scale, *(weights[i] | weights[i + 16] << 4 for i in range(16)))
    return data


# The K quants: a super-block has sub-blocks with scales of their own, which are small integers
# times the scale of the super-block.


def super_blocks(values):
    for start in range(0, len(values), SUPER_BLOCK):
        yield values[start : start + SUPER_BLOCK]


def sub_blocks(values, size):
    return [values[start : start + size] for start in range(0, len(values), size)]


def quantize(values, unit, offset, top):
    """the weights 0 to TOP of VALUES, which are (weight - offset) * unit"""
    return [max(0, min(top, round(v / unit) + offset)) if unit else offset for v in values]


def scaled(values, size, top, scale_top):
    """weights 0 to TOP of sub-blocks of SIZE: scale, minimum, their multiples, the weights"""
    blocks = sub_blocks(values, size)
    lows = [max(0, -min(block)) for block in blocks]
    units = [(max(block) + low) / top for block, low in zip(blocks, lows)]
    scale, minimum = max(units) / scale_top, max(lows) / scale_top
    scales, minimums = quantize(units, scale, 0, scale_top), quantize(lows, minimum, 0, scale_top)
    weights = []
    for block, unit, low in zip(blocks, scales, minimums):
        weights += quantize([v + low * minimum for v in block], unit * scale, 0, top)
    return scale, minimum, scales, minimums, weights


def centred(values, size, half, scale_top):
    """weights 0 to 2 * HALF - 1 around HALF of sub-blocks of SIZE: scale, its multiples, weights"""
    blocks = sub_blocks(values, size)
    units = [max(map(abs, block)) / (half - 1) for block in blocks]
    scale = max(units) / scale_top
    scales = quantize(units, scale, 0, scale_top)
    weights = []
    for block, unit in zip(blocks, scales):
        weights += quantize(block, unit * scale, half, 2 * half - 1)
    return scale, scales, weights


def pack_q2_k(values):
    """block_q2_K: 16 bytes of scale and minimum, 64 bytes of weights, scale and minimum (f16)"""
    data = bytearray()
    for block in super_blocks(values):
        scale, minimum, scales, minimums, weights = scaled(block, 16, 3, 15)
        data += bytes(s | m << 4 for s, m in zip(scales, minimums))
        data += two_bits(weights) + struct.pack("<ee", scale, minimum)
    return data


def two_bits(weights):
    """the low 2 bits of 256 weights: byte i of a half has the weights i, i + 32, i + 64, i + 96"""
    return bytes(
        sum((weights[half + 32 * j + i] & 3) << 2 * j for j in range(4))
        for half in (0, 128)
        for i in range(32)
    )


def pack_q3_k(values):
    """block_q3_K: 32 bytes of high bits, 64 of low ones, 12 of scales of 6 bits, scale (f16)"""
    data = bytearray()
    for block in super_blocks(values):
        scale, scales, weights = centred(block, 16, 4, 31)
        scales = [s + 32 for s in scales]
        data += bytes(sum((weights[32 * j + i] >> 2) << j for j in range(8)) for i in range(32))
        data += two_bits(weights)
        data += bytes(scales[i] & 15 | (scales[i + 8] & 15) << 4 for i in range(8))
        data += bytes(sum((scales[4 * j + i] >> 4) << 2 * j for j in range(4)) for i in range(4))
        data += struct.pack("<e", scale)
    return data


def six_bits(scales, minimums):
    """8 scales and 8 minimums of 6 bits in 12 bytes"""
    low = [scales[i] | (scales[i + 4] >> 4) << 6 for i in range(4)]
    low += [minimums[i] | (minimums[i + 4] >> 4) << 6 for i in range(4)]
    return bytes(low + [scales[i + 4] & 15 | (minimums[i + 4] & 15) << 4 for i in range(4)])


def four_bits(weights):
    """the low 4 bits of 256 weights: byte i of a quarter has the weights i and i + 32"""
    return bytes(
        weights[quarter + i] & 15 | (weights[quarter + 32 + i] & 15) << 4
        for quarter in range(0, SUPER_BLOCK, 64)
        for i in range(32)
    )


def pack_q4_k(values):
    """block_q4_K: scale and minimum (f16), 12 bytes of scales and minimums, 128 of weights"""
    data = bytearray()
    for block in super_blocks(values):
        scale, minimum, scales, minimums, weights = scaled(block, 32, 15, 63)
        data += struct.pack("<ee", scale, minimum) + six_bits(scales, minimums)
        data += four_bits(weights)
    return data


def pack_q5_k(values):
    """block_q5_K: as q4_k, with 32 bytes of the fifth bits before the weights"""
    data = bytearray()
    for block in super_blocks(values):
        scale, minimum, scales, minimums, weights = scaled(block, 32, 31, 63)
        data += struct.pack("<ee", scale, minimum) + six_bits(scales, minimums)
        data += bytes(sum((weights[32 * j + i] >> 4) << j for j in range(8)) for i in range(32))
        data += four_bits(weights)
    return data


def pack_q6_k(values):
    """block_q6_K: 128 bytes of low bits, 64 of high ones, 16 scales (i8), scale (f16)"""
    data = bytearray()
    for block in super_blocks(values):
        scale, scales, weights = centred(block, 16, 32, 127)
        data += bytes(
            weights[half + i] & 15 | (weights[half + i + 64] & 15) << 4
            for half in (0, 128)
            for i in range(64)
        )
        data += two_bits([weight >> 4 for weight in weights])
        data += struct.pack("<16be", *scales, scale)
    return data


# name: tensor type (enum ggml_type), file type (enum llama_ftype), function
TYPES = {
    "f32": (0, 0, pack_f32),
    "f16": (1, 1, pack_f16),
    "q4_0": (2, 2, pack_q4_0),
    "q8_0": (8, 7, pack_q8_0),
    "q2_k": (10, 10, pack_q2_k),
    "q3_k": (11, 11, pack_q3_k),
    "q4_k": (12, 14, pack_q4_k),
    "q5_k": (13, 16, pack_q5_k),
    "q6_k": (14, 18, pack_q6_k),
    "iq4_nl": (20, 25, pack_iq4_nl),
}


# The key-value pairs of GGUF: the number of the type, then the value.
def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def text(value):
    return struct.pack("<I", 8) + string(value)


def u32(value):
    return struct.pack("<II", 4, value)


def f32(value):
    return struct.pack("<If", 6, value)


def array(type_number, items):
    return struct.pack("<IIQ", 9, type_number, len(items)) + b"".join(items)


def metadata(file_type):
    return {
        "general.architecture": text("llama"),
        "general.name": text("sundog test"),
        "general.file_type": u32(file_type),
        "general.alignment": u32(ALIGNMENT),
        "llama.context_length": u32(CONTEXT),
        "llama.embedding_length": u32(EMBEDDING),
        "llama.block_count": u32(LAYERS),
        "llama.feed_forward_length": u32(FEED_FORWARD),
        "llama.attention.head_count": u32(HEADS),
        "llama.attention.head_count_kv": u32(KV_HEADS),
        "llama.attention.layer_norm_rms_epsilon": f32(1e-5),
        "llama.rope.dimension_count": u32(HEAD),
        "llama.vocab_size": u32(len(TOKENS)),
        "tokenizer.ggml.model": text("llama"),
        "tokenizer.ggml.tokens": array(8, [string(token) for token, _ in TOKENS]),
        "tokenizer.ggml.scores": array(6, [struct.pack("<f", -i) for i in range(len(TOKENS))]),
        "tokenizer.ggml.token_type": array(5, [struct.pack("<i", kind) for _, kind in TOKENS]),
        "tokenizer.ggml.unknown_token_id": u32(0),
        "tokenizer.ggml.bos_token_id": u32(1),
        "tokenizer.ggml.eos_token_id": u32(2),
        "tokenizer.ggml.add_bos_token": struct.pack("<I?", 7, True),
    }


def shapes():
    """name and dimensions of each tensor, the dimension of a row first"""
    vocabulary = len(TOKENS)
    yield "token_embd.weight", (EMBEDDING, vocabulary)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        yield block + "attn_norm.weight", (EMBEDDING,)
        yield block + "attn_q.weight", (EMBEDDING, EMBEDDING)
        yield block + "attn_k.weight", (EMBEDDING, KV_HEADS * HEAD)
        yield block + "attn_v.weight", (EMBEDDING, KV_HEADS * HEAD)
        yield block + "attn_output.weight", (EMBEDDING, EMBEDDING)
        yield block + "ffn_norm.weight", (EMBEDDING,)
        yield block + "ffn_gate.weight", (EMBEDDING, FEED_FORWARD)
        yield block + "ffn_up.weight", (EMBEDDING, FEED_FORWARD)
        yield block + "ffn_down.weight", (FEED_FORWARD, EMBEDDING)
    yield "output_norm.weight", (EMBEDDING,)
    yield "output.weight", (EMBEDDING, vocabulary)


def weights(rng, shape):
    """Matrices keep the length of a vector about the same; vectors, which scale, are about 1."""
    if len(shape) == 1:
        return [rng.uniform(0.8, 1.2) for _ in range(shape[0])]
    limit = (3 / shape[0]) ** 0.5
    return [rng.uniform(-limit, limit) for _ in range(shape[0] * shape[1])]


def pad(data):
    return data + bytes(-len(data) % ALIGNMENT)


def main():
    matrix_type, file_type, pack_matrix = TYPES[sys.argv[1]]
    rng = random.Random(20)
    infos, data = bytearray(), bytearray()
    for name, shape in shapes():
        number, pack = (matrix_type, pack_matrix) if len(shape) == 2 else (0, pack_f32)
        infos += string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        infos += struct.pack("<IQ", number, len(data))
        data += pad(pack(weights(rng, shape)))
    pairs = metadata(file_type)
    header = b"GGUF" + struct.pack("<IQQ", 3, sum(1 for _ in shapes()), len(pairs))
    header += b"".join(string(key) + value for key, value in pairs.items()) + infos
    with open(sys.argv[2], "wb") as file:
        file.write(pad(header) + data)


main()
