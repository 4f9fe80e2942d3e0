#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Compares two results of run.mjs: the first is sundog's, with all layers on its device, and no
# vector differs from the second's by more than LIMIT of that vector's largest value.
# tests/host/large-programs calls it.
# usage: compare.py OURS.json NATIVE.json LIMIT
import json
import math
import sys


def difference(ours, native):
    if len(ours) != len(native) or not native or not all(map(math.isfinite, ours + native)):
        return math.inf
    return max(abs(a - b) for a, b in zip(ours, native)) / max(map(abs, native))


def main():
    ours, native = (json.load(open(path)) for path in sys.argv[1:3])
    limit = float(sys.argv[3])
    vectors = {"embedding": (ours["embedding"], native["embedding"])}
    for i, pair in enumerate(zip(ours["probabilities"], native["probabilities"], strict=True)):
        vectors[f"probabilities of token {i}"] = pair
    on_sundog = len(ours["devices"]) == 1 and ours["devices"][0].startswith("sundog")
    ok = on_sundog and ours["gpuLayers"] == ours["layers"]
    print(f"{ours['gpuLayers']} of {ours['layers']} layers on {ours['devices']}")
    for name, pair in vectors.items():
        found = difference(*pair)
        print(f"{name}: {len(pair[0])} values, difference {found:g}, limit {limit:g}")
        ok = ok and found <= limit
    sys.exit(not ok)


main()
