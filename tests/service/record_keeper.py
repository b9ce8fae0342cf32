"""A program as agent programs are: an event loop at its terminal, and a record of its session.

It does what it is told through a FIFO, one JSON object a line: ``show`` text, ``write`` lines to
a file, ``hook`` a report, ``child`` starts a process, ``done`` ends it.
"""

import json
import os
import selectors
import subprocess
import sys
import termios
import tty


def main() -> None:
    order, hook = sys.argv[1], sys.argv[2]
    saved = termios.tcgetattr(0)
    tty.setraw(0)
    fifo = os.open(order, os.O_RDWR)
    loop = selectors.EpollSelector()
    loop.register(0, selectors.EVENT_READ)
    loop.register(fifo, selectors.EVENT_READ)
    children: list[subprocess.Popen[bytes]] = []
    sys.stdout.write("the keeper of records\r\n")
    sys.stdout.flush()
    rest = b""
    while True:
        for key, _ in loop.select():
            if key.fd == 0:
                os.read(0, 1024)
                continue
            rest += os.read(fifo, 65536)
            *lines, rest = rest.split(b"\n")
            for line in lines:
                act(json.loads(line), hook, children)
                if json.loads(line).get("end"):
                    termios.tcsetattr(0, termios.TCSANOW, saved)
                    return


def act(said: dict[str, str], hook: str, children: "list[subprocess.Popen[bytes]]") -> None:
    if "write" in said:
        with open(said["path"], "ab") as file:
            file.write(said["write"].encode())
    if "hook" in said:
        subprocess.run([sys.executable, "-c", hook], input=said["hook"].encode(), check=True)
    if "child" in said:
        children.append(subprocess.Popen(said["child"].split(), stdin=subprocess.DEVNULL))
    if "done" in said:
        for child in children:
            child.kill()
            child.wait()
        children.clear()
    if "show" in said:
        sys.stdout.write(said["show"] + "\r\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
