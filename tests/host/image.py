#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boot the disk image of tools/build/image.sh and run tests/guest/image-session in it.

usage: image.py IMAGE OUT

Runs in a tree with the packages of a host and OVMF. The image is not changed: the test logs in on
the serial console. The script and its results are in a folder that QEMU shares, OUT/share. Prints
the guest's TAP. OUT/serial.log is the console, OUT/share/NAME.png are pictures of the screen.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

sys.path.append("/sundog/tools/guest")
from qmp import Qmp  # noqa: E402

TIMEOUT = 3000          # seconds; GNOME takes minutes to start in an emulated machine
FIRMWARE = pathlib.Path("/usr/share/OVMF")
COMMAND = ("sudo sh -c 'mkdir -p /run/test && modprobe 9pnet_virtio && "
           "mount -t 9p -o trans=virtio,version=9p2000.L test /run/test && "
           "exec bash /run/test/image-session'")


def connect(path, process):
    """Return a connection to a socket of QEMU, which may not have made it yet."""
    while not path.exists():
        if process.poll() is not None:
            sys.exit(f"Bail out! QEMU ended with status {process.returncode}")
        time.sleep(0.1)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    return connection


def command_line(image, out, share):
    variables = out / "variables.fd"
    shutil.copy(FIRMWARE / "OVMF_VARS_4M.fd", variables)
    return [
        "qemu-system-sundog", "-nodefaults", "-no-reboot", "-machine", "q35",
        "-accel", os.environ.get("SUNDOG_ACCEL", "tcg,thread=multi"), "-cpu", "max",
        "-m", "4G", "-smp", "2", "-vga", "none", "-display", "none",
        "-drive", f"if=pflash,format=raw,readonly=on,file={FIRMWARE}/OVMF_CODE_4M.fd",
        "-drive", f"if=pflash,format=raw,file={variables}",
        "-drive", f"if=virtio,format=raw,snapshot=on,file={image}",
        "-device", "sundog,renderer=auto,host-cursor=off",
        "-device", "virtio-rng-pci", "-device", "virtio-keyboard-pci",
        "-device", "virtio-tablet-pci",
        "-chardev", f"socket,id=serial,path={out}/serial,server=on,wait=off,"
        f"logfile={out}/serial.log", "-serial", "chardev:serial",
        "-qmp", f"unix:{out}/qmp,server=on,wait=off",
        "-virtfs", f"local,path={share},mount_tag=test,security_model=none",
    ]


class Console:
    """A login on the serial console, which runs COMMAND once it gets a shell."""

    def __init__(self, connection):
        self.socket = connection
        self.socket.setblocking(False)
        self.text, self.next, self.done = b"", 0, False

    def step(self):
        try:
            self.text += self.socket.recv(65536)
        except BlockingIOError:
            pass
        if self.done or time.monotonic() < self.next:
            return
        if b"$ " in self.text:
            self.answer(COMMAND)
            self.done = True
        elif b"login: " in self.text:
            self.answer("user")

    def answer(self, text):
        self.socket.sendall(text.encode() + b"\n")
        self.text, self.next = b"", time.monotonic() + 10


def serve(qmp, console, process, share, out):
    """Take the screen dumps that the guest asks for with files NAME.dump, until it is done."""
    end = time.monotonic() + TIMEOUT
    while not (share / "done").exists():
        if process.poll() is not None or time.monotonic() > end:
            if process.poll() is None:
                qmp.call("screendump", filename=str(out / "timeout.png"), format="png")
            print("not ok - the guest is done in time, see serial.log")
            return
        console.step()
        for request in share.glob("*.dump"):
            qmp.call("screendump", filename=str(share / f"{request.stem}.png"), format="png")
            request.unlink()
        time.sleep(0.5)


def main():
    image, out = sys.argv[1], pathlib.Path(sys.argv[2])
    share = out / "share"
    share.mkdir(parents=True)
    for name in ("guest/image-session", "lib/tap.sh"):
        shutil.copy(pathlib.Path("/sundog/tests") / name, share)
    with open(out / "qemu.log", "w") as log:
        process = subprocess.Popen(command_line(image, out, share), stdout=log, stderr=log)
    try:
        qmp = Qmp(connect(out / "qmp", process))
        serve(qmp, Console(connect(out / "serial", process)), process, share, out)
    finally:
        process.kill()
        process.wait()
    results = share / "tap"
    text = results.read_text() if results.exists() else ""
    print(text, end="")
    print(f"{'ok' if '1..' in text else 'not ok'} - the guest ran the test to its end")


if __name__ == "__main__":
    main()
