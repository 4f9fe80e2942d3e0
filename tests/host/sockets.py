#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test the sockets of a renderer: their mode and group, and those that systemd passes.

usage: sockets.py RENDERD CLIENT. Prints TAP. The test passes sockets as systemd does
(sd_listen_fds(3)): as descriptors from 3 on, with LISTEN_PID and LISTEN_FDS.
"""
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

PATIENCE = 180      # seconds until a condition must hold
RENDERD, CLIENT = sys.argv[1:3]
n_tests = 0


def report(passed, name):
    global n_tests
    n_tests += 1
    print(f"{'ok' if passed else 'not ok'} {n_tests} - {name}", flush=True)


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def start(log, sockets, arguments, pid=None):
    """Start a renderer with sockets as descriptors from 3 on, return its process ID."""
    child = os.fork()
    if child:
        return child
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    # First to high numbers, so that no dup2() closes a socket that is still needed.
    copies = [os.dup2(each.fileno(), 50 + i) for i, each in enumerate(sockets)]
    for i, copy in enumerate(copies):
        os.dup2(copy, 3 + i)
    if sockets:
        os.environ.update(LISTEN_PID=str(pid or os.getpid()), LISTEN_FDS=str(len(sockets)))
    os.closerange(3 + len(sockets), 100)
    os.execv(RENDERD, [RENDERD, *arguments])


def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def refuses(folder, words, sockets, arguments, pid=None):
    """Return true if the renderer ends with an error status and the words in its log."""
    log = folder / "refusal"
    _, status = os.waitpid(start(log, sockets, arguments, pid), 0)
    text = log.read_text()
    if words not in text:
        print(f"# {text}")
    return os.waitstatus_to_exitcode(status) in (1, 2) and words in text


def draws(path):
    """Return true if the client draws with the renderer at the path."""
    result = subprocess.run([CLIENT, "--frames", "1"], env={**os.environ, "SUNDOG_SOCKET": path},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE,
                            check=False)
    if result.returncode:
        print("# " + result.stdout.decode().replace("\n", "\n# "))
    return result.returncode == 0


def listener(path, kind):
    out = socket.socket(socket.AF_UNIX, kind)
    out.bind(str(path))
    out.listen(16)
    return out


def environment_of_workers(pid):
    """Return the environments of a renderer's child processes."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if folder.joinpath("stat").read_text().rsplit(")", 1)[1].split()[1] == str(pid):
                yield folder.joinpath("environ").read_bytes()
        except OSError:
            pass


def test_mode(folder):
    path = folder / "mode"
    group = os.getgid()
    pid = start(folder / "log", [], ["--socket", str(path), "--socket-mode", "660",
                                     "--socket-group", str(group)])
    wait_until(path.is_socket)
    wait_until(lambda: stat.S_IMODE(path.stat().st_mode) == 0o660)
    report(stat.S_IMODE(path.stat().st_mode) == 0o660 and path.stat().st_gid == group,
           "--socket-mode and --socket-group apply to a socket")
    end(pid)
    path = folder / "private"
    pid = start(folder / "log", [], ["--socket", str(path)])
    wait_until(path.is_socket)
    report(stat.S_IMODE(path.stat().st_mode) == 0o600, "without them only the user may connect")
    end(pid)
    report(refuses(folder, "is not an octal number", [], ["--socket-mode", "rw", "--socket", "x"]),
           "a mode that is no octal number is refused")
    report(refuses(folder, "there is no group", [],
                   ["--socket-group", "no such group", "--socket", "x"]),
           "a group that does not exist is refused")


def test_passed(folder):
    direct = listener(folder / "direct", socket.SOCK_SEQPACKET)
    device = listener(folder / "device", socket.SOCK_STREAM)
    log = folder / "log"
    pid = start(log, [device, direct], [])
    report(draws(str(folder / "direct")), "a client draws through a socket that systemd passes")
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(PATIENCE)
    peer.connect(str(folder / "device"))
    # A message that is too short to be one: the renderer closes the connection with an ERROR.
    peer.sendall(b"\0" * 8)
    report(peer.recv(4) == b"\x09\0\0\0", "a device is served through such a socket")
    found = list(environment_of_workers(pid))
    report(found and not any(b"LISTEN_" in each for each in found),
           "workers do not see the variables of systemd")
    end(pid)
    report(refuses(folder, "leave --socket, --chardev and --device-fd out", [direct],
                   ["--socket", str(folder / "third")]),
           "a passed socket beside --socket is refused")
    report(refuses(folder, "are both for programs", [direct, direct], []),
           "two passed sockets for programs are refused")
    plain = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    report(refuses(folder, "is no listening Unix socket", [plain], []),
           "a passed socket that does not listen is refused")
    report(refuses(folder, "give --socket, --chardev or both", [direct], [], pid=1),
           "sockets that were passed to another process do not count")


def test_reason(folder):
    """A client is in the queue of the socket before the renderer starts, which cannot serve."""
    path = folder / "queue"
    queue = listener(path, socket.SOCK_SEQPACKET)
    with subprocess.Popen([CLIENT, "--frames", "1"], env={**os.environ, "SUNDOG_SOCKET": str(path)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
        wait_until(lambda: len(connections(path)) > 1)
        pid = start(folder / "log", [queue], ["--gpu", "no such device"])
        queue.close()
        _, status = os.waitpid(pid, 0)
        text = client.communicate(timeout=PATIENCE)[0].decode()
    report(os.waitstatus_to_exitcode(status) == 1, "a renderer without a device ends with status 1")
    report("the renderer says: no Vulkan device has 'no such device' in its name" in text,
           "a client that waits for it gets the reason")
    report("refused" not in text, "the client does not call that a refused connection")


def connections(path):
    return [line for line in pathlib.Path("/proc/net/unix").read_text().splitlines()
            if line.endswith(f" {path}")]


def main():
    print("1..14")
    with tempfile.TemporaryDirectory() as folder:
        test_mode(pathlib.Path(folder))
        test_passed(pathlib.Path(folder))
        test_reason(pathlib.Path(folder))


main()
