#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare two ways to find extents of VRAM, in a model of kernel/sundog_extent.c.

An allocation needs a run of extents that its file owns. Free extents belong to no file. Empty
extents belong to a file that does not use them; another file gets them after a revoke, a round
trip to the host. The model fills VRAM to a level, replaces random allocations of random files, and
counts for each way

- the revoked extents per allocation;
- the allocations that found no run.

Ways:

bitmap  search one bitmap of free extents and of other files' empty ones, as the driver does
buddy   free extents are in a buddy allocator like drm_buddy with
        DRM_BUDDY_CONTIGUOUS_ALLOCATION; it does not know other files' empty extents, so the
        oldest of them are revoked until an allocation succeeds

usage: extent_search.py [--extents N] [--files N] [--calls N] [--seed N]
"""

import argparse
import random


class Bitmap:
    """Free extents as a set, searched together with empty ones."""

    def __init__(self, n):
        self.n = n
        self.free = set(range(n))

    def find(self, size, also=()):
        """Return the first run of SIZE extents that are free or in ALSO, or None."""
        length = 0
        for extent in range(self.n):
            length = length + 1 if extent in self.free or extent in also else 0
            if length == size:
                return extent - size + 1
        return None

    def take(self, first, size):
        self.free -= set(range(first, first + size))

    def give(self, extent):
        self.free.add(extent)


class Buddy(Bitmap):
    """Free extents as drm_buddy finds them for a contiguous allocation."""

    def find(self, size, also=()):
        assert not also
        order = (size - 1).bit_length()
        first = self.block(order)
        if first is not None:
            return first
        # __alloc_contig_try_harder(): a block of the next lower order, extended by its neighbours.
        order = size.bit_length() - 1
        for first in range(0, self.n, 1 << order):
            if not self.is_free(first, 1 << order):
                continue
            for begin in (first, first + (1 << order) - size):
                if begin >= 0 and self.is_free(begin, size):
                    return begin
        return None

    def is_free(self, first, size):
        return first + size <= self.n and all(i in self.free for i in range(first, first + size))

    def block(self, order):
        """Return an aligned free block, the one in the smallest free block that has it."""
        best = None
        for first in range(0, self.n, 1 << order):
            if self.is_free(first, 1 << order):
                up = order
                while (1 << up) < self.n and self.is_free(first >> up + 1 << up + 1, 2 << up):
                    up += 1
                if best is None or up < best[0]:
                    best = up, first
        return best[1] if best else None


class Vram:
    """VRAM whose extents belong to files, filled by allocations of whole extents."""

    def __init__(self, extents, files):
        self.extents = extents
        self.files = files
        self.empty = {}         # extent: file, oldest first
        self.allocs = []        # file, first, size
        self.revoked = self.failed = self.calls = 0

    def own_run(self, file, size):
        """Return a run of the file's own empty extents, or None."""
        own = sorted(e for e, f in self.empty.items() if f == file)
        for i in range(len(own) - size + 1):
            if own[i + size - 1] - own[i] == size - 1:
                return own[i]
        return None

    def revoke(self, extent):
        del self.empty[extent]
        self.extents.give(extent)
        self.revoked += 1

    def find_by_revoking(self, size):
        if isinstance(self.extents, Buddy):
            for extent in list(self.empty):
                self.revoke(extent)
                first = self.extents.find(size)
                if first is not None:
                    return first
            return None
        first = self.extents.find(size, self.empty)
        if first is not None:
            for extent in range(first, first + size):
                if extent in self.empty:
                    self.revoke(extent)
        return first

    def alloc(self, file, size):
        self.calls += 1
        first = self.own_run(file, size)
        if first is not None:
            for extent in range(first, first + size):
                del self.empty[extent]
        else:
            first = self.extents.find(size)
            if first is None:
                first = self.find_by_revoking(size)
            if first is None:
                self.failed += 1
                return False
            self.extents.take(first, size)
        self.allocs.append((file, first, size))
        return True

    def drop(self, rng):
        file, first, size = self.allocs.pop(rng.randrange(len(self.allocs)))
        for extent in range(first, first + size):
            self.empty[extent] = file

    def used(self):
        return sum(size for _, _, size in self.allocs)


def run(extents, args, level):
    """Return revoked extents per call and failed calls in percent, at a level of use."""
    rng = random.Random(args.seed)
    vram = Vram(extents(args.extents), args.files)

    def size():
        return min(1 << rng.randrange(6), 20) + rng.randrange(3)

    for _ in range(args.calls):
        wanted = size()
        while vram.allocs and vram.used() + wanted > level * args.extents:
            vram.drop(rng)
        vram.alloc(rng.randrange(args.files), wanted)
    return vram.revoked / vram.calls, 100 * vram.failed / vram.calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--extents", type=int, default=256)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print("| VRAM in use | revoked per call, bitmap | buddy | without a run, bitmap | buddy |")
    print("|-|-|-|-|-|")
    for level in 0.5, 0.7, 0.8, 0.9:
        bitmap, buddy = run(Bitmap, args, level), run(Buddy, args, level)
        print(f"| {level:.0%} | {bitmap[0]:.2f} | {buddy[0]:.2f} | {bitmap[1]:.1f} % "
              f"| {buddy[1]:.1f} % |")


if __name__ == "__main__":
    main()
