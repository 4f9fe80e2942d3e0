#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test the command of users: sundog run, dis and doctor. Prints TAP.

usage: command.py SUNDOG RENDERD CLIENT GOLDEN. The programs that sundog runs are in PATH. GOLDEN is
protocol/tests/packets.golden.
"""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import pty
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PATIENCE = 180      # seconds until a condition must hold
SUNDOG, RENDERD, CLIENT, GOLDEN = sys.argv[1:5]
n_tests = 0


def report(passed, name, log=""):
    global n_tests
    n_tests += 1
    if not passed and log:
        print("# " + log.replace("\n", "\n# "))
    print(f"{'ok' if passed else 'not ok'} {n_tests} - {name}", flush=True)


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def sundog(*arguments, stdin=None, **env):
    """Return status and output of the command, stderr included."""
    done = subprocess.run([sys.executable, SUNDOG, *arguments], input=stdin, check=False,
                          env={**os.environ, **env}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE)
    return done.returncode, done.stdout.decode()


# dis

def golden():
    """Yield the dwords of each packet, and its text."""
    lines = pathlib.Path(GOLDEN).read_text(encoding="utf-8").splitlines()
    for words, text in zip(lines[::2], lines[1::2]):
        yield [int(word, 16) for word in words.split()], text.strip()


def coredump(words, first, fault, head="process x[1], channel y\n"):
    lines = [words[i:i + 8] for i in range(0, len(words), 8)]
    return (f"sundog 3.0, protocol 5.8\n{head}"
            f"fault 6 (bad field) in submission 7 at offset 0x{fault:x}, arg 0x1\n"
            f"stream, 0x{len(words) * 4:x} bytes from 0x{first:x}:\n"
            + "".join(f"  {first + i * 32:08x}: {' '.join(f'{word:08x}' for word in line)}\n"
                      for i, line in enumerate(lines))).encode()


def test_dis():
    packets = list(golden())
    words = [word for packet, _ in packets for word in packet]
    stream = struct.pack(f"<{len(words)}I", *words)
    status, text = sundog("dis", stdin=stream)
    report(status == 0 and [line.split(": ", 1)[1] for line in text.splitlines()] ==
           [text for _, text in packets], "dis prints each packet of a stream", text)
    offset = 4 * len(packets[0][0])
    report(f"\n  {offset:08x}: {packets[1][1]}\n" in text, "dis prints the offsets of packets",
           text)
    with tempfile.NamedTemporaryFile() as file:
        file.write(stream)
        file.flush()
        report(sundog("dis", file.name) == (0, text), "dis reads a file")

    # A dump that begins in the middle of the first packet.
    first = [packet for packet, _ in packets if len(packet) > 2][0]
    rest = [word for packet, _ in packets[:4] for word in packet]
    fault = 0x1000 + 4 * len(first[1:]) + 4 * len(packets[0][0])
    status, text = sundog("dis", stdin=coredump(first[1:] + rest, 0x1000, fault))
    report(status == 0 and f"=>{fault:08x}: {packets[1][1]}\n" in text,
           "dis marks the packet of a coredump that faulted", text)
    report(f"  {fault - 4 * len(packets[0][0]):08x}: {packets[0][1]}\n" in text,
           "dis finds the first packet of a part of a stream", text)
    report("process x[1], channel y\n" in text, "dis prints the head of a coredump", text)
    _, text = sundog("dis", stdin=coredump(rest, 0, 0, "process \033[2J[1], channel y\n"))
    report("\\x1b[2J" in text and "\033" not in text, "dis escapes the name of a process", text)

    header = packets[0][0][0]
    status, text = sundog("dis", stdin=struct.pack("<3I", 0x1fff, header, header | 0xff000))
    report(status == 1 and "fault opcode" in text and packets[0][1] in text and
           "fault length" in text, "dis goes on behind an invalid packet, with status 1", text)
    report(all(sundog("dis", stdin=coredump(rest, 0, 0)[:size])[0] in (0, 1)
               for size in range(8, 300, 7)), "dis does not crash on coredumps that are cut off")
    report(sundog("dis", stdin=b"abc")[0] == 1, "dis refuses three bytes")
    report(sundog("dis", "/no/such/file") ==
           (1, "sundog dis: /no/such/file: No such file or directory\n"),
           "dis names a file that does not exist")
    text = dis_of_terminal()
    report("reading a command stream or coredump from the terminal" in text,
           "dis of a terminal says what it waits for", text)


def dis_of_terminal():
    """Return what dis prints if its standard input is a terminal that ends."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, SUNDOG, "dis"], stdin=theirs, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        os.close(theirs)
        os.write(ours, b"\x04")                 # the terminal's end of file
        text = process.communicate(timeout=PATIENCE)[0].decode()
    os.close(ours)
    return text


# run

# Ends the other children of the shell's parent, and waits until they are zombies or were reaped.
KILL_RENDERER = ("for pid in $(cat /proc/$PPID/task/$PPID/children); do [ $pid = $$ ] || { "
                 "kill -KILL $pid; while grep -qs '^State:.[^ZX]' /proc/$pid/status; do "
                 "sleep 0.02; done; }; done; ")


def is_gone(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return state.rsplit(")", 1)[1].split()[0] == "Z"


def test_run(folder):
    def run(*command, **env):
        return sundog("run", "--renderer", RENDERD, "--", *command,
                      XDG_RUNTIME_DIR=str(folder), **env)

    status, text = run(CLIENT, "--frames", "2", "--png", str(folder / "frame.png"))
    report(status == 0 and (folder / "frame.png").exists(), "run lets a program draw", text)
    (folder / "frame.png").unlink()
    report(run("sh", "-c", "exit 7")[0] == 7, "run ends with the status of the command")
    report(run("sh", "-c", "kill -KILL $$")[0] == 128 + signal.SIGKILL,
           "run ends with 128 and the number of the signal that ended the command")
    report(run("/no/such/program")[0] == 127, "run ends with 127 if there is no such command")
    status, text = sundog("run", "--renderer", "/no/such/renderer", "--", "true")
    report(status == 125 and "/no/such/renderer is no program" in text,
           "run ends with 125 and a line if there is no renderer", text)
    status, text = run("sh", "-c", 'echo "$1 $2"', "sh", "--log", "-x")
    report(text.endswith("\n--log -x\n"), "run passes the options of the command on", text)
    report("no Mesa drivers of sundog" in text and "install the package sundog-mesa" in text,
           "run says that the Mesa drivers are missing", text)
    status, text = sundog("run", "--renderer", RENDERD, "--mesa", "/usr/bin/env", "--", "true",
                          XDG_RUNTIME_DIR=str(folder))
    report((status, text) == (0, ""), "run says nothing if they are not", text)
    status, text = run("echo", "started", VK_DRIVER_FILES="/dev/null")
    report(status == 125 and "vkCreateInstance failed" in text and "started" not in text,
           "run says why the renderer cannot serve, and starts no command", text)
    report(not list(folder.iterdir()), "run leaves no file behind")
    test_no_renderer(folder)
    with tempfile.TemporaryDirectory(prefix="long-" * 20) as long:
        status, text = sundog("run", "--renderer", RENDERD, "--", CLIENT, "--frames", "1",
                              XDG_RUNTIME_DIR="", TMPDIR=long)
        report(status == 0 and not os.listdir(long),
               "run works where the path of the temporary folder is long", text)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        test_signal(folder, number)


def test_no_renderer(folder):
    """The renderer ends before the command does, or there is none: the status is 125."""
    def refuses(name, words, *options):
        status, text = sundog("run", *options, "--", "echo", "started",
                              XDG_RUNTIME_DIR=str(folder))
        report(status == 125 and words in text and "started" not in text,
               f"run ends with 125 for {name}, without the command", text)

    real = "--renderer", RENDERD
    for name, words, *options in (
            ("a renderer that ends at once", "ended with status 1", "--renderer", "/bin/false"),
            ("a file that is no driver", "ended with status 1", *real, "--lavapipe", "/etc/passwd"),
            ("too little VRAM", "is not a number from 16", *real, "--max-vram", "3"),
            ("a level that does not exist", "'loud' is no level", *real, "--log", "loud"),
            ("a socket that does not exist", "no renderer answers at /no/such", "--socket",
             "/no/such")):
        refuses(name, words, *options)
    path = folder.parent / "device.sock"
    with subprocess.Popen([RENDERD, "--chardev", str(path)]) as renderer:
        wait_until(path.is_socket)
        refuses("a socket for QEMU", "is a socket for QEMU", "--socket", str(path))
        renderer.kill()
    status, text = sundog("run", *real, "--", "bash", "-c", KILL_RENDERER + "exit 0",
                          XDG_RUNTIME_DIR=str(folder))
    report(status == 125 and "was ended by signal 9" in text and "whose status is 0" in text,
           "run ends with 125 if the renderer ends before the command", text)
    test_end_after_signal(folder)
    test_end_with_probe(folder)
    test_deaf_socket(folder)
    with subprocess.Popen([sys.executable, SUNDOG, "run", "--renderer", "/no/such/renderer", "--",
                           "true"], stdout=subprocess.PIPE,
                          preexec_fn=lambda: os.close(2)) as process:
        output = process.communicate(timeout=PATIENCE)[0]
    report((process.returncode, output) == (125, b""),
           "run without a stderr prints no message to stdout", str(output))
    test_copied_probe(folder, real)
    test_signal_while_waiting(folder)
    report(not list(folder.iterdir()), "run without a renderer leaves no file behind")


def test_end_after_signal(folder):
    """The command handles a signal, and the renderer is killed. The command runs for 7 s more."""
    script = ("trap 'got=1' TERM; touch \"$1\"; while [ -z \"$got\" ]; do sleep 0.1; done; "
              + KILL_RENDERER + "sleep 7; exit 0")
    ready = folder.parent / "ready-handled"
    with subprocess.Popen([sys.executable, SUNDOG, "run", "--renderer", RENDERD, "--", "bash",
                           "-c", script, "bash", str(ready)], stderr=subprocess.PIPE,
                          env={**os.environ, "XDG_RUNTIME_DIR": str(folder)},
                          preexec_fn=heed_signals) as process:
        wait_until(ready.exists)
        os.kill(process.pid, signal.SIGTERM)
        text = process.communicate(timeout=PATIENCE)[1].decode()
    report(process.returncode == 125 and "whose status is 0" in text,
           "run ends with 125 if the renderer ends long after a signal that the command handled",
           f"{process.returncode} {text}")


def test_end_with_probe(folder):
    """The renderer ends when sundog-probe has just got its answer."""
    programs = folder.parent / "probe-that-kills"
    programs.mkdir()
    probe = programs / "sundog-probe"
    probe.write_text(f"#!/bin/bash\n{KILL_RENDERER}\nexit 0\n", encoding="utf-8")
    probe.chmod(0o755)
    status, text = sundog("run", "--renderer", RENDERD, "--", "echo", "started",
                          XDG_RUNTIME_DIR=str(folder), PATH=f"{programs}:{os.environ['PATH']}")
    report(status == 125 and "was ended by signal 9" in text and "started" not in text,
           "run starts no command if the renderer ends together with sundog-probe", text)


def test_deaf_socket(folder):
    """A socket listens, and nobody answers. The limit is 7 s here."""
    path = folder.parent / "deaf.sock"
    script = ("import importlib.machinery, importlib.util, sys; "
              "loader = importlib.machinery.SourceFileLoader('sundog', sys.argv.pop(1)); "
              "module = importlib.util.module_from_spec("
              "importlib.util.spec_from_loader('sundog', loader)); "
              "loader.exec_module(module); module.PROBE_SECONDS = 7; sys.exit(module.main())")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen(4)
        try:
            done = subprocess.run([sys.executable, "-B", "-c", script, SUNDOG, "run", "--socket",
                                   str(path), "--", "echo", "started"], check=False, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            status, text = done.returncode, done.stdout.decode()
        except subprocess.TimeoutExpired as error:
            status, text = None, (error.stdout or b"").decode()
    report(status == 125 and f"{path} has not answered for 5 s" in text and
           f"{path} has not answered for 7 s" in text and "started" not in text,
           "run ends with 125 if a socket does not answer, and says so after 5 s", text)


def test_copied_probe(folder, real):
    """Without packages, sundog-probe is a copy, and its library is beside the wrapper's Mesa."""
    probe = pathlib.Path(shutil.which("sundog-probe"))
    mesa = folder.parent / "mesa"
    for name in ("bin", "lib", "copy"):
        (mesa / name).mkdir(parents=True)
    shutil.copy(probe, mesa / "copy")
    wrapper = mesa / "bin" / "sundog-mesa"
    wrapper.write_text('#!/bin/sh\nexec "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)

    # Meson sets LD_LIBRARY_PATH, with which the copy finds the library of the build folder.
    def run():
        return sundog("run", *real, "--mesa", str(wrapper), "--", "echo", "started",
                      XDG_RUNTIME_DIR=str(folder), LD_LIBRARY_PATH="",
                      PATH=f"{mesa}/copy:{os.environ['PATH']}")

    status, text = run()
    report(status == 0 and "does not wait for the renderer: " in text and "libdrm_sundog" in text
           and "started" in text, "run says that the library of sundog-probe is missing", text)
    library = probe.parents[2] / "libdrm-ext" / "libdrm_sundog.so.1"
    (mesa / "lib" / library.name).symlink_to(library)
    status, text = run()
    report((status, text) == (0, "started\n"), "run finds that library beside the wrapper's Mesa",
           text)


def test_signal_while_waiting(folder):
    """The renderer does not answer, and a signal ends the wait for it."""
    renderer = folder.parent / "silent-renderer"
    ready = folder.parent / "silent"
    renderer.write_text(f"#!/bin/sh\ntouch {ready}\nexec sleep 1000\n", encoding="utf-8")
    renderer.chmod(0o755)
    with subprocess.Popen([sys.executable, SUNDOG, "run", "--renderer", str(renderer), "--",
                           "echo", "started"], stdout=subprocess.PIPE,
                          env={**os.environ, "XDG_RUNTIME_DIR": str(folder)},
                          preexec_fn=heed_signals) as process:
        wait_until(ready.exists)
        os.kill(process.pid, signal.SIGTERM)
        output = process.communicate(timeout=PATIENCE)[0]
    report(process.returncode == 128 + signal.SIGTERM and output == b"",
           "a signal ends the wait for a renderer that does not answer",
           f"{process.returncode} {output}")


def heed_signals():
    """bash cannot trap a signal that was ignored when it started, as SIGHUP is below nohup."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def test_signal(folder, number):
    """The command writes its process ID and that of the renderer, and waits for the signal."""
    script = ('trap "echo trapped; exit 9" TERM INT HUP; echo $$ >"$1.new"; mv "$1.new" "$1"; '
              'while :; do sleep 0.1; done')
    ready = folder.parent / f"ready-{number}"
    with subprocess.Popen([sys.executable, SUNDOG, "run", "--renderer", RENDERD, "--", "bash",
                           "-c", script, "bash", str(ready)], stdout=subprocess.PIPE,
                          env={**os.environ, "XDG_RUNTIME_DIR": str(folder)},
                          preexec_fn=heed_signals) as process:
        wait_until(ready.exists)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(
            encoding="utf-8").split()
        os.kill(process.pid, number)
        output = process.communicate(timeout=PATIENCE)[0]
    report(process.returncode == 9 and output == b"trapped\n",
           f"run passes {signal.Signals(number).name} on, and waits for the command")
    report(len(children) == 2 and all(wait_until(lambda pid=pid: is_gone(pid))
                                      for pid in children) and not list(folder.iterdir()),
           f"after {signal.Signals(number).name} renderer and socket are gone")


# doctor

def test_doctor(folder):
    def doctor(*options, **env):
        return sundog("doctor", "--host", "--renderer", RENDERD, *options,
                      XDG_RUNTIME_DIR=str(folder), **env)

    status, text = doctor()
    report("ok   renderer and lavapipe: llvmpipe" in text, "doctor finds the host's lavapipe", text)
    report("MiB of VRAM" not in text, "doctor does not take its own VRAM for that of programs",
           text)
    report("note Mesa drivers: are not installed" in text and status == 0,
           "doctor of a host of VMs does not ask for the Mesa drivers", text)
    status, text = doctor("--mesa", "/bin/true")
    report("BAD  EGL loader: " in text and "install sundog-mesa" in text and status == 1,
           "doctor says what is missing, with a remedy and status 1", text)
    report("BAD  Vulkan loader: the Mesa of /bin/true has no Vulkan driver" in text,
           "doctor says that the wrapper's Mesa has no Vulkan driver", text)
    status, text = doctor(VK_DRIVER_FILES="/dev/null")
    report(status == 1 and "BAD  renderer and lavapipe: " in text and
           "install mesa-vulkan-drivers" in text, "doctor says that there is no lavapipe", text)
    status, text = sundog("doctor", "--host", PATH="/nonexistent")
    report(status == 1 and "BAD  renderer program: there is no sundog-renderd; install "
           "sundog-renderd" in text, "doctor says that there is no renderer", text)
    status, text = sundog("doctor", "--guest")
    report((status == 1) == ("BAD" in text) and "device: " in text,
           "doctor has a status of 1 if a line is BAD", text)
    status, text = sundog("doctor", SUNDOG_SOCKET="/no/such/socket")
    report(status == 1 and "BAD  renderer: /no/such/socket: No such file" in text,
           "doctor checks the socket of SUNDOG_SOCKET", text)
    report(not list(folder.iterdir()), "doctor leaves no file behind")


# doctor, on machines that the test makes up

PROBED = "a device, 1024 MiB of VRAM; protocol 5.8 here 5.8"


class Machine:
    """A root with the files that doctor looks at, and the outputs of the programs that it runs."""

    def __init__(self, folder):
        loader = importlib.machinery.SourceFileLoader("sundog_command", SUNDOG)
        self.command = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("sundog_command", loader))
        loader.exec_module(self.command)
        self.root = folder
        self.looks = {}         # kind -> environment
        self.probed = 0, PROBED, ""
        self.command.ROOT = folder
        self.command.output_of = self.output_of

    def output_of(self, command, env=None):
        if "look" in command:
            self.looks[command[-1]] = env
            return 0, "sundog (a device)", ""
        return self.probed if "probe" in command[0] else (1, "", "not here")

    def write(self, path, text=""):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def remove(self, path):
        (self.root / path).unlink()

    def guest(self, mesa=None):
        return self.output(self.command.check_guest, argparse.Namespace(mesa=mesa))

    def output(self, check, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            check(self.command.Doctor(), *arguments)
        return out.getvalue()


def test_guests(folder):
    machine = Machine(folder / "guest")
    device = "sys/bus/pci/devices/0000:00:05.0"
    report("BAD  device: there is no PCI device" in machine.guest(),
           "doctor says that there is no device")
    for name, text in (("vendor", "0x1234"), ("device", "0x5d09")):
        machine.write(f"{device}/{name}", text)
    test_modules(machine)
    machine.write("sys/module/sundog/refcnt")
    text = machine.guest()
    report("does not drive this device; dmesg" in text and "not checked, since" in text,
           "doctor says that the module does not drive the device", text)
    machine.write(f"{device}/drm/renderD128/dev")
    machine.write("dev/dri/renderD128")
    text = machine.guest()
    report("BAD" not in text and "1024 MiB of VRAM" in text and "versions" not in text and
           sorted(machine.looks) == ["egl", "vulkan"], "doctor finds nothing wrong", text)

    machine.probed = 0, PROBED.replace("5.8 here", "5.7 here"), ""
    text = machine.guest()
    report("note versions: the renderer has protocol 5.7, the drivers here 5.8" in text,
           "doctor says that host and guest have different versions", text)

    machine.looks = {}
    machine.probed = 3, "", "No such device"
    text = machine.guest()
    report("BAD  renderer: No such device; start QEMU with renderer=auto" in text and
           "sundog-mesa" not in text and not machine.looks,
           "without a renderer doctor does not ask for the Mesa drivers", text)
    machine.probed = 0, PROBED, ""
    machine.command.is_accessible = lambda path: False
    text = machine.guest()
    report("usermod -aG render USER" in text and "sundog-mesa" not in text and not machine.looks,
           "without access to the node doctor does not ask for the Mesa drivers", text)
    machine.command.is_accessible = lambda path: True

    wrapper = machine.write("mesa/bin/sundog-mesa")
    wrapper.chmod(0o755)
    text = machine.guest(str(wrapper))
    report("has no Vulkan driver of sundog; build it with Vulkan" in text,
           "doctor says that a wrapper's Mesa was built without Vulkan", text)
    driver = machine.write("mesa/share/vulkan/icd.d/sundog_icd.x86_64.json")
    text = machine.guest(str(wrapper))
    report(machine.looks["vulkan"] == {"VK_DRIVER_FILES": str(driver)} and "BAD" not in text and
           f"for Vulkan programs set it to {driver}" in text,
           "doctor says what Vulkan programs need beside the wrapper", text)


def test_modules(machine):
    release = os.uname().release
    text = machine.guest()
    report("install sundog-dkms and linux-headers-amd64" in text,
           "doctor says that there is no module", text)
    limits = 'BUILD_EXCLUSIVE_KERNEL_MIN="{}"\nBUILD_EXCLUSIVE_KERNEL_MAX="{}"\n'
    for least, most, words in (("1.0", "1.1", "is for kernels before 1.1"),
                               ("999.0", "999.1", "is for kernels from 999.0 on")):
        machine.write("usr/src/sundog-0.1/dkms.conf", limits.format(least, most))
        text = machine.guest()
        report(f"DKMS skips {release}, since sundog-0.1 {words}" in text,
               f"doctor says that the module {words}", text)
    machine.write("usr/src/sundog-0.1/dkms.conf", limits.format("1.0", "999.0"))
    text = machine.guest()
    report(f"DKMS has not built sundog-0.1 for {release}: install linux-headers-{release}" in text,
           "doctor says that the module is not built", text)


def test_hosts(folder):
    machine = Machine(folder / "host")
    machine.command.is_accessible = lambda path: path.exists()
    qemu = machine.write("bin/qemu", '#!/bin/sh\necho "[0] Linux version 6"\n'
                         'echo "Kernel panic - not syncing: VFS: Unable to mount root fs"\n')
    qemu.chmod(0o755)

    def kvm():
        return machine.output(machine.command.check_kvm, str(qemu))

    report("note KVM: " in kvm() and "is not accessible" in kvm(), "doctor says that KVM is absent")
    machine.write("dev/kvm")
    report("not checked if a guest boots" in kvm(), "doctor does not guess if KVM works", kvm())
    machine.write("boot/vmlinuz-6")
    report("ok   KVM: a guest boots with " in kvm(), "doctor boots a guest with KVM", kvm())
    qemu.write_text("#!/bin/sh\necho KVM: entry failed\nexit 1\n", encoding="utf-8")
    report("no guest boots with it (KVM: entry failed); use -accel tcg" in kvm(),
           "doctor says that no guest boots with KVM", kvm())
    machine.command.KVM_SECONDS = 1
    qemu.write_text("#!/bin/sh\necho stuck\nexec sleep 1000\n", encoding="utf-8")
    report("no guest boots with it (stuck)" in kvm(), "doctor ends a guest that hangs", kvm())

    def no_folder():
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    machine.command.output_of = lambda *_: (0, "a version", "")
    machine.command.tempfile.gettempdir = no_folder
    machine.command.os.environ.pop("XDG_RUNTIME_DIR", None)
    text = machine.output(machine.command.check_host, argparse.Namespace(
        renderer="/bin/true", mesa=None, lavapipe=None))
    report("BAD  private renderer: cannot make a folder for a renderer: No usable" in text and
           "set TMPDIR" in text and "Errno" not in text and "udmabuf" in text,
           "without a folder that can be written doctor says so, and goes on", text)


# Documents

def test_documents():
    folder = pathlib.Path(SUNDOG).parent
    page = (folder / "sundog.1").read_text(encoding="utf-8").replace("\\-", "-")
    words = (folder / "completion.bash").read_text(encoding="utf-8")
    for name in ("doctor", "run", "dis"):
        options = {word.strip("[],") for word in sundog(name, "--help")[1].split()
                   if word.strip("[],").startswith("--") and len(word.strip("[],")) > 2}
        report(options and all(option in page for option in options - {"--help"}),
               f"sundog(1) has the options of {name}", str(options))
        report(all(option in words for option in options),
               f"the completion has the options of {name}", str(options))
    done = subprocess.run(
        ["bash", "-c", f". {folder}/completion.bash; COMP_WORDS=(sundog do); COMP_CWORD=1; "
         '_sundog; echo "${COMPREPLY[@]}"; COMP_WORDS=(sundog run --ren); COMP_CWORD=2; '
         '_sundog; echo "${COMPREPLY[@]}"'], capture_output=True, check=False)
    report(done.stdout == b"doctor\n--renderer\n", "bash completes commands and options",
           str(done))
    status, text = sundog("nonsense")
    report(status == 2 and "invalid choice: 'nonsense'" in text and "look" not in text,
           "a wrong command is refused, without a word of internal ones", text)
    status, text = sundog("--version")
    report(status == 0 and text.startswith("sundog ") and ", protocol " in text,
           "--version prints release and protocol", text)


def test_wrapper():
    wrapper = pathlib.Path(SUNDOG).parents[2] / "mesa-driver" / "sundog-mesa"
    if not wrapper.exists():
        # Meson's copy of the sources has no Mesa driver.
        wrapper = pathlib.Path("/sundog/mesa-driver/sundog-mesa")
    for arguments, status in ((["--help"], 0), ([], 2), (["echo", "x"], 0)):
        done = subprocess.run(["sh", wrapper, *arguments], capture_output=True, check=False)
        report(done.returncode == status and (status or done.stdout) and
               (done.stderr.startswith(b"usage: ") or not status),
               f"sundog-mesa {' '.join(arguments)} ends with status {status}", str(done))


def main():
    os.environ.pop("SUNDOG_SOCKET", None)
    test_dis()
    with tempfile.TemporaryDirectory() as folder:
        private = pathlib.Path(folder) / "run"
        private.mkdir()
        test_run(private)
        test_doctor(private)
    test_documents()
    test_wrapper()
    with tempfile.TemporaryDirectory() as folder:
        test_guests(pathlib.Path(folder))
        test_hosts(pathlib.Path(folder))
    print(f"1..{n_tests}")


main()
