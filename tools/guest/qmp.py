# SPDX-License-Identifier: MIT
"""A client of QMP, for scripts that run QEMU."""
import json


class Qmp:
    """A connection to QEMU's monitor by QMP."""

    def __init__(self, connection):
        self.connection = connection
        self.file = connection.makefile("rw")
        try:
            self.file.readline()
        except ConnectionError:
            pass  # QEMU has ended, as the call says
        self.call("qmp_capabilities")

    def call(self, command, **arguments):
        try:
            return self.ask(command, arguments)
        except ConnectionError:
            raise RuntimeError(f"QEMU ended before it answered {command}") from None

    def ask(self, command, arguments):
        self.file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.file.flush()
        for line in self.file:
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(answer["error"]["desc"])
            if "return" in answer:
                return answer["return"]
        raise RuntimeError(f"QEMU ended before it answered {command}")
