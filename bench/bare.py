"""The limit: a blocking control client with no logic at all."""

import os
import select
import subprocess
import time


class Bare:
    """Attached to one session over two pipes; every call blocks."""

    def __init__(self, socket: str, target: str) -> None:
        argv = ["tmux", "-u", "-N", "-S", socket, "-C", "attach-session"]
        argv += ["-E", "-f", "ignore-size,pause-after=5", "-t", target]
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0
        )
        assert self.process.stdin
        assert self.process.stdout
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.buffer = b""
        self.until(b"%session-changed", 10)
        self.buffer = b""

    def read(self, within_s: float) -> bool:
        if not select.select([self.output], [], [], within_s)[0]:
            return False
        self.buffer += os.read(self.output, 65536)
        return True

    def until(self, wanted: bytes, within_s: float = 5.0) -> float:
        """Read until *wanted* has come; return when."""
        end_s = time.monotonic() + within_s
        while wanted not in self.buffer:
            if not self.read(max(0.0, end_s - time.monotonic())):
                raise TimeoutError(wanted)
        now_s = time.monotonic()
        self.buffer = self.buffer.rpartition(wanted)[2]
        return now_s

    def write(self, line: str) -> None:
        os.write(self.input, line.encode() + b"\n")

    def round_trip(self) -> float:
        began_s = time.monotonic()
        self.write("display-message -p RT")
        self.until(b"RT\n%end")
        return time.monotonic() - began_s

    def send(self, pane: str, text: str, reaction: bytes) -> float:
        """Type a line and Enter, wait for the program's reaction; return seconds."""
        self.buffer = b""
        began_s = time.monotonic()
        self.write(f"send-keys -t {pane} -l -- '{text}'")
        self.until(text.encode().rpartition(b" ")[2])
        self.write(f"send-keys -t {pane} Enter")
        return self.until(reaction) - began_s

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        while os.read(self.output, 65536):
            pass
        self.process.wait()
