#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the protocol by which a worker gets guest pages and returns them, in all orders of events.

usage: model.py mmap_filter.c

The script reads the order of the broker's steps, select_steps and confirm_steps, from
mmap_filter.c, and visits every state that the broker and a hijacked worker can reach. It prints
TAP: the rule holds for the steps of mmap_filter.c, with and without interrupted system calls, and
is broken by each known mistake, so that the check can fail.

Pages A belong to the worker first. The device asks for them, and after the broker reported them as
free they have another owner; pages B take their place in the heap. The rule: from then on the
worker neither maps A nor has a descriptor with which it may map A, unless it is dead. A second
resource of the model is extent E of VRAM: the kernel removes it from the client's extents in its
table, then asks for it back (REVOKE), and gives it to another client after the broker reported it
as free.

At any time a worker can unmap anything, end the system call that its main thread waits in (before
Linux 5.19), and begin the next one with any arguments. Only its main thread may make requests, one
call at a time.
"""
import collections
import re
import sys

# pages        the pages in the heap
# fd           the file of the worker's descriptor
# remembered   that file as the broker knows it
# maps         the files that the worker maps
# grants       the files that the worker may map
# asked        the files that the worker must give back
# told         the files that the broker reported as free
# requested    the files that the device asked for
# call         None, or (kind, number of completed steps, whether the worker still waits)
# owner        the owner of extent E in the table
# alive        false after the worker's end
State = collections.namedtuple(
    "State", "pages fd remembered maps grants asked told requested call owner alive")
START = State("A", "table", None, frozenset(), frozenset(), frozenset(), frozenset(), frozenset(),
              None, "client", True)
DEAD = {"maps": frozenset(), "grants": frozenset(), "fd": None, "remembered": None, "call": None,
        "alive": False}


class Protocol:
    """The broker with its steps, and names of the mistakes that it makes."""

    def __init__(self, steps, interrupts, mistakes=()):
        self.steps = steps
        self.interrupts = interrupts
        self.mistakes = mistakes

    def kill(self, s):
        """Return the state after the worker's end.

        The broker reports all files that the device asked for as free.
        """
        return s._replace(**DEAD, asked=frozenset(), told=s.told | s.requested)

    def step(self, s, name, waited):
        """Return the state behind a step of the broker, and whether the next step follows."""
        if name == "find_pages":
            return s, s.pages is not None
        if name == "give_descriptor":
            if waited:
                return s._replace(fd=s.pages, remembered=s.pages), True
            if "go on without the descriptor" in self.mistakes:
                return s._replace(remembered=s.pages), True
            return self.kill(s), False
        if name == "grant_pages":
            return s._replace(grants=s.grants | {s.pages}, asked=s.asked - {s.pages}), True
        if name == "hear_worker":
            return s, True
        if name == "check_maps":
            known = s.grants - s.asked
            kept = {m for m in s.maps if m not in known}
            if "accept files that no grant names" in self.mistakes:
                kept = {m for m in s.maps if m in s.asked}
            return (self.kill(s), False) if kept else (s, True)
        if name == "take_descriptor":
            if s.remembered is None or s.remembered in s.grants - s.asked:
                return s, True
            if waited:
                return s._replace(fd="table", remembered=None), True
            if "go on without the descriptor" in self.mistakes:
                return s, True
            return self.kill(s), False
        if name == "end_grants":
            return s._replace(grants=s.grants - s.asked, asked=frozenset(),
                              told=s.told | s.asked), True
        sys.exit(f"model.py: {name} is no step that the model knows")

    def may_map(self, s):
        """Return true if the broker lets the worker map its descriptor's file."""
        if s.remembered is None:
            return False
        if "compare ranges" in self.mistakes:
            # A and B are at the same place of the heap.
            return bool(s.grants - s.asked - {"E"})
        return s.remembered in s.grants - s.asked

    def after(self, s):
        """Yield every state that one event leads to."""
        # The guest's kernel writes its table at any time. The broker has one thread, which reads
        # messages of the device between requests of the worker.
        if s.owner == "client":
            yield s._replace(owner="nobody")
        busy = s.call and s.call[0] in self.steps and 0 < s.call[1] < len(self.steps[s.call[0]])
        if not busy and s.pages == "A" and "A" not in s.requested:
            asked = s.asked | ({"A"} if "A" in s.grants else frozenset())
            told = s.told | ({"A"} if "A" not in s.grants else frozenset())
            yield s._replace(pages=None, requested=s.requested | {"A"}, asked=asked, told=told)
        if not busy and s.pages is None and "A" in s.told:
            yield s._replace(pages="B")
        if not busy and s.owner == "nobody" and "E" not in s.requested:
            asked = s.asked | ({"E"} if "E" in s.grants else frozenset())
            told = s.told | ({"E"} if "E" not in s.grants else frozenset())
            yield s._replace(requested=s.requested | {"E"}, asked=asked, told=told)
        if not s.alive:
            return
        # The worker.
        yield self.kill(s)
        for m in s.maps:
            yield s._replace(maps=s.maps - {m})
        if s.call is None:
            for kind in ("select", "confirm", "map", "map_extent"):
                yield s._replace(call=(kind, 0, True))
            return
        kind, done, waited = s.call
        if waited and self.interrupts:
            yield s._replace(call=(kind, done, False))
        # The broker.
        if kind in ("select", "confirm"):
            if done == len(self.steps[kind]) or (kind == "confirm" and not done and not s.asked):
                yield s._replace(call=None)
                return
            behind, goes_on = self.step(s, self.steps[kind][done], waited)
            if not behind.alive:
                yield behind
            else:
                yield behind._replace(call=(kind, done + 1, waited) if goes_on else None)
        elif kind == "map":
            # A permitted call continues with the current descriptor, unless it was interrupted.
            maps = s.maps | {s.fd} if self.may_map(s) and waited and s.fd != "table" else s.maps
            yield s._replace(call=None, maps=maps)
        elif not done:
            # The table is read, and the extent granted; the worker maps it later.
            if s.owner == "client" or "grant what the table had once" in self.mistakes:
                yield s._replace(grants=s.grants | {"E"}, call=(kind, 1, waited))
            else:
                yield s._replace(call=None)
        else:
            yield s._replace(call=None, maps=s.maps | {"E"} if waited else s.maps)

    def is_broken(self, s):
        """Return true if the worker can use memory that may have another owner."""
        if "A" in s.told and ("A" in s.maps or (s.fd == "A" and self.may_map(s))):
            return True
        return "E" in s.told and "E" in s.maps


def find_break(protocol):
    """Return the states that lead to a break, or None, and the number of visited states."""
    before = {START: None}
    queue = collections.deque([START])
    while queue:
        s = queue.popleft()
        if protocol.is_broken(s):
            path = []
            while s:
                path.append(s)
                s = before[s]
            return path[::-1], len(before)
        for t in protocol.after(s):
            if t not in before:
                before[t] = s
                queue.append(t)
    return None, len(before)


def read_steps(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    steps = {}
    for kind in ("select", "confirm"):
        found = re.search(rf"\b{kind}_steps\[\] = \{{ ([\w, ]+) \}};", text)
        if not found:
            sys.exit(f"model.py: {path} has no {kind}_steps")
        steps[kind] = found[1].split(", ")
    return steps


def main():
    steps = read_steps(sys.argv[1])
    late = {"select": steps["select"],
            "confirm": ["hear_worker", "check_maps", "end_grants", "take_descriptor"]}
    early = {"select": ["find_pages", "grant_pages", "give_descriptor"],
             "confirm": steps["confirm"]}
    unchecked = {"select": steps["select"],
                 "confirm": ["hear_worker", "take_descriptor", "end_grants"]}
    cases = [
        ("the steps hold where a wait cannot be interrupted", Protocol(steps, False), False),
        ("the steps hold where it can be", Protocol(steps, True), False),
        ("a failed replacement that is ignored is found",
         Protocol(steps, True, ["go on without the descriptor"]), True),
        ("so is one behind the answer, with the comparison of ranges, as it was once",
         Protocol({**late, "select": early["select"]}, True,
                  ["go on without the descriptor", "compare ranges"]), True),
        ("so is a confirmation without a look at what is mapped", Protocol(unchecked, False), True),
        ("so are files that no grant names, with a failed replacement",
         Protocol(steps, True,
                  ["go on without the descriptor", "accept files that no grant names"]), True),
        ("so is an extent that is granted by what the table had once",
         Protocol(steps, False, ["grant what the table had once"]), True),
    ]
    failed = False
    for number, (name, protocol, breaks) in enumerate(cases, 1):
        path, states = find_break(protocol)
        ok = bool(path) == breaks
        failed |= not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {name} ({states} states)")
        for s in path or [] if not ok else []:
            print(f"# {s}")
    print(f"1..{len(cases)}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
