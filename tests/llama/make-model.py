#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Writes a small language model of the llama architecture as a GGUF file: 2 layers, an embedding of
# 256, 99 tokens. The weights are pseudo-random and the same in each run, so that two drivers can be
# compared on them; the model's text has no meaning. tests/host/large-programs calls it for each type of
# weights.
# usage: make-model.py f32|q8_0|q4_0 FILE
import random
import struct
import sys

LAYERS, EMBEDDING, FEED_FORWARD, HEADS, KV_HEADS, CONTEXT = 2, 256, 512, 4, 2, 512
HEAD = EMBEDDING // HEADS
ALIGNMENT = 32
BLOCK = 32  # weights of a block, of q8_0 as of q4_0

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


# name: tensor type (enum ggml_type), file type (enum llama_ftype), function
TYPES = {"f32": (0, 0, pack_f32), "q8_0": (8, 7, pack_q8_0), "q4_0": (2, 2, pack_q4_0)}


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
